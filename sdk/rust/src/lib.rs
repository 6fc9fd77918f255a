// SPDX-License-Identifier: Apache-2.0
//! Decoders, analyzers and sinks for nprof in Rust.  `raw` is nprof/plugin.h to the letter, made from it; the
//! rest is what most components need, without unsafe.  A component is a type with one of the traits below; a panic
//! within it is a failure of the run, where panics unwind.  Parts and merging are of `raw` alone.
//!
//! ```ignore
//! struct Names(nprof::Output);
//! impl nprof::Sink for Names {
//!     const NAME: &'static str = "acme.names\0";
//!     const SUMMARY: &'static str = "names, a line each\0";
//!     const FILE: &'static str = "names.txt\0";
//!     fn open(host: nprof::Host, _: &nprof::Options) -> nprof::Result<Self> { Ok(Names(host.output()?)) }
//!     fn consume(&mut self, rows: &nprof::Rows) -> nprof::Result<()> {
//!         for row in rows.iter() { self.0.write(format!("{}\n", rows.host.string(row.name)).as_bytes())?; }
//!         Ok(())
//!     }
//! }
//! nprof::plugin!("names\0", "1.0\0", "MIT\0", nprof::sink::<Names>());
//! ```

#[allow(non_camel_case_types, non_upper_case_globals, dead_code)]
pub mod raw;

use raw::*;
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};

/// A failure that the host has been told of: pass it on with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed(pub nprof_status);
pub type Result<T> = std::result::Result<T, Failed>;

fn check(status: nprof_status) -> Result<()> {
    if status == NPROF_OK { Ok(()) } else { Err(Failed(status)) }
}

// C strings end at a NUL, so of a text with one only what is before it is said.
fn c_string(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or("")).unwrap_or_default()
}

// -- The host ---------------------------------------------------------------------

/// What a component may call; valid until the component is dropped.  Of one thread at a time.
#[derive(Clone, Copy)]
pub struct Host(*const nprof_host);

macro_rules! call {
    ($host:expr, $name:ident $(, $argument:expr)*) => {
        unsafe { ((*$host.0).$name.unwrap())($host.0 $(, $argument)*) }
    };
}

impl Host {
    /// Says why this fails; return what it returns: `return Err(host.fail(raw::NPROF_E_FORMAT, "..."))`.
    pub fn fail(&self, status: nprof_status, why: &str) -> Failed {
        Failed(call!(self, fail, status, c_string(why).as_ptr()))
    }

    /// Says something to the user; level: raw::NPROF_WARNING ...
    pub fn log(&self, level: i32, text: &str) {
        call!(self, log, level as c_int, c_string(text).as_ptr())
    }

    /// Decoders: a record at that byte cannot be read.  Ok: the run keeps going, write a row of kind gap.
    pub fn damage(&self, at: u64, what: &str) -> Result<()> {
        check(call!(self, damage, at, c_string(what).as_ptr()))
    }

    /// Decoders: these bytes of the input are done; at least every 8 MB.
    pub fn progress(&self, from: u64, to: u64) -> Result<()> {
        check(call!(self, progress, from, to))
    }

    pub fn cancelled(&self) -> bool {
        call!(self, cancelled) != 0
    }

    /// Text to handle: once for each name of the format, never for each row.
    pub fn intern(&self, text: &str) -> nprof_str {
        self.intern_bytes(text.as_bytes())
    }

    /// The same of bytes; those that are no UTF-8 become U+FFFD.
    pub fn intern_bytes(&self, text: &[u8]) -> nprof_str {
        call!(self, intern, text.as_ptr().cast::<c_char>(), text.len())
    }

    /// Handle to text, which is valid UTF-8 and lives as long as the run.
    pub fn string(&self, handle: nprof_str) -> &'static str {
        let mut len = 0usize;
        let text = call!(self, string, handle, &mut len);
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(text.cast(), len)) }
    }

    /// The track of that parent (0: the root of the input), kind (raw::NPROF_TRACK_THREAD ...) and key.
    pub fn track(&self, parent: nprof_track, kind: i32, key: &str, sort: i64) -> Result<nprof_track> {
        self.track_of(parent, kind, self.intern(key), sort)
    }

    /// The same of a key that was interned.
    pub fn track_of(&self, parent: nprof_track, kind: i32, key: nprof_str, sort: i64) -> Result<nprof_track> {
        match call!(self, track, parent, kind as u32, key, 0, sort) {
            0 => Err(self.fail(NPROF_E_NOMEM, "no memory for a track")),
            track => Ok(track),
        }
    }

    /// What people read for a track: its label, or its key where it has none.
    pub fn track_label(&self, track: nprof_track) -> nprof_str {
        let info = call!(self, track_info, track);
        let info = unsafe { &*info };
        if info.label != 0 { info.label } else { info.key }
    }

    /// The label of an input, the first cell of each row of a table.
    pub fn input_label(&self, number: u32) -> nprof_str {
        let input = call!(self, input, number);
        unsafe { (*input).label }
    }

    /// Decoders: the track of the input itself.
    pub fn root(&self) -> nprof_track {
        let number = unsafe { (*self.0).own_input };
        let input = call!(self, input, number);
        unsafe { (*input).root }
    }

    /// Does anybody read this key?  What nobody reads need not be decoded.
    pub fn wanted(&self, key: &str) -> bool {
        call!(self, wanted, c_string(key).as_ptr()) != 0
    }

    /// Decoders and analyzers: what rows are written with.
    pub fn writer(&self) -> Result<Writer> {
        let writer = call!(self, writer);
        if writer.is_null() {
            return Err(self.fail(NPROF_E_NOMEM, "no memory for rows"));
        }
        Ok(Writer(writer))
    }

    /// Sinks: the file or stdout that the user named.
    pub fn output(&self) -> Result<Output> {
        let output = call!(self, output, null());
        if output.is_null() { Err(Failed(NPROF_E_IO)) } else { Ok(Output(output)) }
    }

    /// Analyzers: announces a table; once, in open.
    pub fn table(&self, table: &'static Table) -> Result<()> {
        check(call!(self, table, &table.0))
    }

    /// Adds a row; its first cell is the label of the input.
    pub fn row(&self, table: &'static Table, cells: &[Cell]) -> Result<()> {
        if cells.len() != table.1 {
            return Err(self.fail(NPROF_E_CONTRACT, "a row has another number of cells than its table has columns"));
        }
        let raw: Vec<nprof_cell> = cells.iter().map(Cell::raw).collect();
        check(call!(self, row, &table.0, raw.as_ptr()))
    }
}

// -- Rows -------------------------------------------------------------------------

/// A row as it is read; start and duration in picoseconds, duration None: the file has no end for it.
pub struct Row {
    pub kind: i32,
    pub track: nprof_track,
    pub name: nprof_str,
    pub category: nprof_str,
    pub start: i64,
    pub duration: Option<i64>,
}

/// Rows that the core lends for one call.
pub struct Rows<'a> {
    pub host: Host,
    batch: &'a nprof_batch,
}

impl Rows<'_> {
    pub fn input(&self) -> u32 {
        self.batch.input
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        let b = self.batch;
        (0..b.n_rows as usize).map(move |i| unsafe {
            let duration = *b.duration.add(i);
            Row {
                kind: i32::from(*b.kind.add(i)),
                track: *b.track.add(i),
                name: *b.name.add(i),
                category: *b.category.add(i),
                start: *b.start.add(i),
                duration: if duration < 0 { None } else { Some(duration) },
            }
        })
    }
}

/// What rows are written with; an attribute belongs to the row that was begun last.
pub struct Writer(*mut nprof_writer);

// Inlined into other crates: else each row is a call.
impl Writer {
    /// Begins a row of that kind (raw::NPROF_SPAN ...).
    #[inline]
    pub fn row(&mut self, kind: i32, track: nprof_track, name: nprof_str, start: i64, duration: Option<i64>) -> Result<()> {
        unsafe {
            let w = self.0;
            if (*w).n_rows == (*w).max_rows || (*w).max_attrs - (*w).n_attrs < 64 {
                check(((*w).flush.unwrap())(w))?;
            }
            let i = (*w).n_rows as usize;
            (*w).n_rows += 1;
            *(*w).start.add(i) = start;
            *(*w).duration.add(i) = duration.unwrap_or(-1);
            *(*w).track.add(i) = track;
            *(*w).name.add(i) = name;
            *(*w).category.add(i) = 0;
            *(*w).kind.add(i) = kind as u8;
            *(*w).attr_at.add(i + 1) = (*w).n_attrs;
        }
        Ok(())
    }

    #[inline]
    pub fn span(&mut self, track: nprof_track, name: nprof_str, start: i64, duration: Option<i64>) -> Result<()> {
        self.row(NPROF_SPAN, track, name, start, duration)
    }

    #[inline]
    pub fn counter(&mut self, track: nprof_track, name: nprof_str, start: i64, value: f64) -> Result<()> {
        self.row(NPROF_COUNTER, track, name, start, Some(0))?;
        self.set_value(value);
        Ok(())
    }

    /// The value of the row that was begun last, as a counter has one.
    #[inline]
    pub fn set_value(&mut self, value: f64) {
        unsafe {
            let w = self.0;
            let i = (*w).n_rows as usize - 1;
            *(*w).value.add(i) = value;
            *(*w).value_valid.add(i >> 3) |= 1 << (i & 7);
            (*w).present |= NPROF_HAS_VALUE as u32;
        }
    }

    #[inline]
    pub fn set_category(&mut self, category: nprof_str) {
        unsafe { *(*self.0).category.add((*self.0).n_rows as usize - 1) = category }
    }

    #[inline]
    pub fn set_id(&mut self, id: u64) {
        unsafe {
            *(*self.0).id.add((*self.0).n_rows as usize - 1) = id;
            (*self.0).present |= NPROF_HAS_ID as u32;
        }
    }

    #[inline]
    pub fn set_parent(&mut self, parent: u64) {
        unsafe {
            *(*self.0).parent.add((*self.0).n_rows as usize - 1) = parent;
            (*self.0).present |= NPROF_HAS_PARENT as u32;
        }
    }

    #[inline]
    pub fn set_flow(&mut self, flow: u64) {
        unsafe {
            *(*self.0).flow.add((*self.0).n_rows as usize - 1) = flow;
            (*self.0).present |= NPROF_HAS_FLOW as u32;
        }
    }

    /// The writer of the contract, for what has no function here.
    pub fn raw(&mut self) -> *mut nprof_writer {
        self.0
    }

    #[inline]
    fn attr(&mut self, key: nprof_str, kind: i32, value: nprof_value) -> Result<()> {
        unsafe {
            let w = self.0;
            if (*w).n_attrs == (*w).max_attrs {
                check(((*w).grow.unwrap())(w, 64, 0))?;
            }
            let j = (*w).n_attrs as usize;
            (*w).n_attrs += 1;
            *(*w).attr_key.add(j) = key;
            *(*w).attr_type.add(j) = kind as u8;
            *(*w).attr_value.add(j) = value;
            *(*w).attr_at.add((*w).n_rows as usize) = (*w).n_attrs;
        }
        Ok(())
    }

    #[inline]
    pub fn attr_int(&mut self, key: nprof_str, value: i64) -> Result<()> {
        self.attr(key, NPROF_INT64, nprof_value { i: value })
    }

    #[inline]
    pub fn attr_uint(&mut self, key: nprof_str, value: u64) -> Result<()> {
        self.attr(key, NPROF_UINT64, nprof_value { u: value })
    }

    #[inline]
    pub fn attr_double(&mut self, key: nprof_str, value: f64) -> Result<()> {
        self.attr(key, NPROF_DOUBLE, nprof_value { f: value })
    }

    #[inline]
    pub fn attr_bool(&mut self, key: nprof_str, value: bool) -> Result<()> {
        self.attr(key, NPROF_BOOL, nprof_value { u: u64::from(value) })
    }

    #[inline]
    pub fn attr_str(&mut self, key: nprof_str, value: nprof_str) -> Result<()> {
        let mut cleared = nprof_value { u: 0 };
        cleared.s = value;
        self.attr(key, NPROF_STRING, cleared)
    }
}

/// A file that appears when the run has succeeded.
pub struct Output(*mut nprof_output);

impl Output {
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        check(unsafe { ((*self.0).write.unwrap())(self.0, bytes.as_ptr().cast::<c_void>(), bytes.len()) })
    }
}

// -- Tables -----------------------------------------------------------------------

/// A cell; Unknown is never 0.  Text is copied by the core.
pub enum Cell<'a> {
    Unknown,
    Int(i64),
    Double(f64),
    Str(nprof_str),
    Text(&'a str),
}

impl Cell<'_> {
    fn raw(&self) -> nprof_cell {
        let (kind, len, v) = match self {
            Cell::Unknown => (NPROF_NULL, 0, nprof_cell_v { u: 0 }),
            Cell::Int(i) => (NPROF_INT64, 0, nprof_cell_v { i: *i }),
            Cell::Double(f) => (NPROF_DOUBLE, 0, nprof_cell_v { f: *f }),
            Cell::Str(s) => {
                let mut v = nprof_cell_v { u: 0 };
                v.s = *s;
                (NPROF_STRING, 0, v)
            }
            Cell::Text(t) => (NPROF_TEXT, t.len() as u32, nprof_cell_v { text: t.as_ptr().cast() }),
        };
        nprof_cell { type_: kind as u32, len, v }
    }
}

/// A table, and how many columns it has: made by `table!`.
pub struct Table(pub nprof_table, pub usize);
unsafe impl Sync for Table {}

pub struct Shared<T>(pub T);
unsafe impl<T> Sync for Shared<T> {} // constant data

/// table!(NAME, "vendor.name", "Title", "Note.", [(raw::NPROF_INT64, raw::NPROF_ROLE_VALUE, "calls", "", "how many")]);
/// the column `input` comes first by itself.
#[macro_export]
macro_rules! table {
    ($name:ident, $called:expr, $title:expr, $note:expr, [$(($type:expr, $role:expr, $column:expr, $unit:expr, $help:expr)),* $(,)?]) => {
        static $name: $crate::Table = {
            use $crate::raw::*;
            const SIZE: u32 = std::mem::size_of::<nprof_table_column>() as u32;
            const fn column(type_: i32, role: i32, name: &'static str, unit: &'static str, help: &'static str) -> nprof_table_column {
                nprof_table_column { size: SIZE, type_: type_ as u32, name: $crate::text(name), unit: $crate::text(unit),
                                     help: $crate::text(help), role: role as u32, reserved: 0 }
            }
            const N: usize = [$($column),*].len() + 1;
            static COLUMNS: $crate::Shared<[nprof_table_column; N]> = $crate::Shared([
                column(NPROF_STRING, NPROF_ROLE_KEY, "input\0", "\0", "label of the input\0"),
                $(column($type, $role, concat!($column, "\0"), concat!($unit, "\0"), concat!($help, "\0"))),*]);
            static LIST: $crate::Shared<[*const nprof_table_column; N + 1]> = $crate::Shared({
                let mut list = [std::ptr::null(); N + 1];
                let mut i = 0;
                while i < N {
                    list[i] = unsafe { (&COLUMNS.0 as *const nprof_table_column).add(i) };
                    i += 1;
                }
                list
            });
            $crate::Table(nprof_table { size: std::mem::size_of::<nprof_table>() as u32, reserved: 0,
                                        name: $crate::text(concat!($called, "\0")), title: $crate::text(concat!($title, "\0")),
                                        note: $crate::text(concat!($note, "\0")), columns: &LIST.0 as *const _ }, N)
        };
    };
}

// -- Options and attributes -------------------------------------------------------

/// The values of the options, by their places in `options!`; a value is asked for as what it was declared.
#[repr(C)]
pub struct Options([u64; MOST_OPTIONS]);
pub const MOST_OPTIONS: usize = 32;

impl Options {
    /// Of types INT and DURATION (in picoseconds).
    pub fn int(&self, place: usize) -> i64 {
        self.0[place] as i64
    }

    pub fn size(&self, place: usize) -> u64 {
        self.0[place]
    }

    pub fn double(&self, place: usize) -> f64 {
        f64::from_bits(self.0[place])
    }

    pub fn bool(&self, place: usize) -> bool {
        unsafe { *self.at::<u8>(place) != 0 }
    }

    /// The place of the word among those of the range.
    pub fn choice(&self, place: usize) -> usize {
        unsafe { *self.at::<i32>(place) as usize }
    }

    /// Of types STRING, PATH and SECRET.
    pub fn text(&self, place: usize) -> &str {
        let text = unsafe { *self.at::<*const c_char>(place) };
        if text.is_null() { "" } else { unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("") }
    }

    fn at<T>(&self, place: usize) -> *const T {
        (&self.0[place] as *const u64).cast()
    }
}

#[doc(hidden)]
pub const fn option_at(place: usize) -> u32 {
    assert!(place < MOST_OPTIONS, "more options than Options holds");
    (2 * std::mem::size_of::<usize>() + 8 * place) as u32 // behind two pointers of Instance
}

/// A list that ends in null, as raw::nprof_component has them.
pub struct List<T: 'static>(pub *const *const T);
unsafe impl<T> Sync for List<T> {} // constant data

#[doc(hidden)]
#[macro_export]
macro_rules! list {
    ($name:ident, $type:ty, [$($one:expr),* $(,)?]) => {
        static $name: $crate::List<$type> = {
            const N: usize = [$(stringify!($one)),*].len();
            static ALL: $crate::Shared<[$type; N]> = $crate::Shared([$($one),*]);
            static ENDED: $crate::Shared<[*const $type; N + 1]> = $crate::Shared({
                let mut list = [std::ptr::null(); N + 1];
                let mut i = 0;
                while i < N {
                    list[i] = unsafe { (&ALL.0 as *const $type).add(i) };
                    i += 1;
                }
                list
            });
            $crate::List(&ENDED.0 as *const _)
        };
    };
}

#[doc(hidden)]
pub const fn option(place: usize, type_: i32, name: &'static str, preset: &'static str, range: &'static str,
                    help: &'static str) -> nprof_option {
    nprof_option {
        size: std::mem::size_of::<nprof_option>() as u32,
        type_: type_ as u32,
        name: text(name),
        help: text(help),
        preset: text(preset),
        range: if range.len() == 1 { null() } else { text(range) },
        offset: option_at(place),
        reserved: 0,
    }
}

#[doc(hidden)]
pub const fn attribute(type_: i32, key: &'static str, unit: &'static str, help: &'static str) -> nprof_attribute {
    nprof_attribute {
        size: std::mem::size_of::<nprof_attribute>() as u32,
        type_: type_ as u32,
        key: text(key),
        unit: text(unit),
        help: text(help),
    }
}

/// options!(OPTIONS, [(raw::NPROF_OPT_INT, "top", "20", "0..1000", "rows of a table")]); an empty range: any.  They
/// are set in plugin!: raw::nprof_component { options: OPTIONS.0, ..nprof::sink::<Mine>() }.
#[macro_export]
macro_rules! options {
    ($name:ident, [$(($type:expr, $key:expr, $preset:expr, $range:expr, $help:expr)),* $(,)?]) => {
        $crate::options!(@ $name, [], [0], $(($type, $key, $preset, $range, $help)),*);
    };
    (@ $name:ident, [$($done:expr),*], [$place:expr], ($type:expr, $key:expr, $preset:expr, $range:expr, $help:expr) $(, $rest:tt)*) => {
        $crate::options!(@ $name, [$($done,)* $crate::option($place, $type, concat!($key, "\0"), concat!($preset, "\0"),
                         concat!($range, "\0"), concat!($help, "\0"))], [$place + 1], $($rest),*);
    };
    (@ $name:ident, [$($done:expr),*], [$place:expr],) => {
        $crate::list!($name, $crate::raw::nprof_option, [$($done),*]);
    };
}

/// A text that is known when the plugin is compiled, literal or constant, with the NUL that ends it in C.
#[doc(hidden)]
#[macro_export]
macro_rules! ended {
    ($text:expr) => {{
        const TEXT: &str = $text;
        const ENDED: [u8; TEXT.len() + 1] = {
            let mut bytes = [0u8; TEXT.len() + 1];
            let mut i = 0;
            while i < TEXT.len() {
                bytes[i] = TEXT.as_bytes()[i];
                i += 1;
            }
            bytes
        };
        unsafe { std::str::from_utf8_unchecked(&ENDED) }
    }};
}

/// attributes!(ATTRIBUTES, [(raw::NPROF_INT64, "line", "", "number of its line")]): what a component emits; a key may
/// be a constant, as raw::NPROF_KEY_WORK.
#[macro_export]
macro_rules! attributes {
    ($name:ident, [$(($type:expr, $key:expr, $unit:expr, $help:expr)),* $(,)?]) => {
        $crate::list!($name, $crate::raw::nprof_attribute,
                      [$($crate::attribute($type, $crate::ended!($key), concat!($unit, "\0"), concat!($help, "\0"))),*]);
    };
}

// -- Components -------------------------------------------------------------------

/// Texts that are declared end in \0, as C reads them; that is checked when the plugin is compiled.
pub const fn text(text: &'static str) -> *const c_char {
    let bytes = text.as_bytes();
    assert!(!bytes.is_empty() && bytes[bytes.len() - 1] == 0, "a text that is declared ends in \\0");
    bytes.as_ptr().cast()
}

/// Writes rows and tables somewhere.
pub trait Sink: Sized {
    const NAME: &'static str;
    const SUMMARY: &'static str;
    /// The file that it writes in a folder.
    const FILE: &'static str;
    const ORDER: i32 = NPROF_ORDER_INPUT;
    fn open(host: Host, options: &Options) -> Result<Self>;
    fn consume(&mut self, rows: &Rows) -> Result<()>;
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Reads rows and adds tables.
pub trait Analyzer: Sized {
    const NAME: &'static str;
    const SUMMARY: &'static str;
    const ORDER: i32 = NPROF_ORDER_INPUT;
    fn open(host: Host, options: &Options) -> Result<Self>;
    fn consume(&mut self, rows: &Rows) -> Result<()>;
    fn finish(&mut self) -> Result<()>;
}

/// Turns the bytes of a file into rows.
pub trait Decoder: Sized {
    const NAME: &'static str;
    const SUMMARY: &'static str;
    const FORMATS: &'static str;
    /// 0 not at all, 60 by structure, 90 an own dialect.  head: 64 KiB at most.
    fn probe(head: &[u8]) -> i32;
    fn open(host: Host, options: &Options) -> Result<Self>;
    fn decode(&mut self, data: &[u8]) -> Result<()>;
}

// The instance is memory of the core's, cleared, where it stores the options; the component lies behind a pointer.
#[repr(C)]
struct Instance<T> {
    component: *mut T,
    host: *const nprof_host,
    options: Options,
}

fn guard(host: *const nprof_host, call: impl FnOnce() -> Result<()>) -> nprof_status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => NPROF_OK,
        Ok(Err(Failed(status))) => status,
        Err(_) => Host(host).fail(NPROF_E_CONTRACT, "the component panicked").0,
    }
}

unsafe fn open_with<T>(me: *mut c_void, host: *const nprof_host, open: fn(Host, &Options) -> Result<T>) -> nprof_status {
    let me = me.cast::<Instance<T>>();
    (*me).host = host;
    guard(host, || {
        (*me).component = Box::into_raw(Box::new(open(Host(host), &(*me).options)?));
        Ok(())
    })
}

unsafe fn with<T>(me: *mut c_void, call: impl FnOnce(&mut T, Host) -> Result<()>) -> nprof_status {
    let me = &*me.cast::<Instance<T>>();
    guard(me.host, || call(&mut *me.component, Host(me.host)))
}

unsafe extern "C" fn close<T>(me: *mut c_void) {
    let me = me.cast::<Instance<T>>();
    if !(*me).component.is_null() {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw((*me).component))));
        (*me).component = null_mut();
    }
}

macro_rules! entry {
    ($name:ident, $kind:ident, open) => {
        unsafe extern "C" fn $name<T: $kind>(me: *mut c_void, host: *const nprof_host) -> nprof_status {
            open_with::<T>(me, host, T::open)
        }
    };
    ($name:ident, $kind:ident, consume) => {
        unsafe extern "C" fn $name<T: $kind>(me: *mut c_void, batch: *const nprof_batch) -> nprof_status {
            with::<T>(me, |c, host| c.consume(&Rows { host, batch: &*batch }))
        }
    };
    ($name:ident, $kind:ident, finish) => {
        unsafe extern "C" fn $name<T: $kind>(me: *mut c_void) -> nprof_status {
            with::<T>(me, |c, _| c.finish())
        }
    };
}
entry!(sink_open, Sink, open);
entry!(sink_consume, Sink, consume);
entry!(sink_finish, Sink, finish);
entry!(analyzer_open, Analyzer, open);
entry!(analyzer_consume, Analyzer, consume);
entry!(analyzer_finish, Analyzer, finish);
entry!(decoder_open, Decoder, open);

unsafe extern "C" fn decoder_probe<T: Decoder>(head: *const c_void, len: usize, _: u64, _: *const c_char) -> c_int {
    catch_unwind(|| T::probe(bytes(head, len as u64))).unwrap_or(0) as c_int
}

unsafe extern "C" fn decoder_decode<T: Decoder>(me: *mut c_void, data: *const c_void, len: u64) -> nprof_status {
    with::<T>(me, |c, _| c.decode(bytes(data, len)))
}

unsafe fn bytes<'a>(data: *const c_void, len: u64) -> &'a [u8] {
    if len == 0 { &[] } else { std::slice::from_raw_parts(data.cast(), len as usize) }
}

const fn component<T>(kind: i32, name: &'static str, summary: &'static str) -> nprof_component {
    nprof_component {
        size: std::mem::size_of::<nprof_component>() as u32,
        kind: kind as u32,
        name: text(name),
        summary: text(summary),
        instance_size: std::mem::size_of::<Instance<T>>() as u32,
        close: Some(close::<T>),
        ..NONE
    }
}

pub const fn sink<T: Sink>() -> nprof_component {
    nprof_component {
        order: T::ORDER as u32,
        flags: (NPROF_SINK_FILE | NPROF_SINK_STDOUT) as u32,
        default_name: text(T::FILE),
        open: Some(sink_open::<T>),
        consume: Some(sink_consume::<T>),
        finish: Some(sink_finish::<T>),
        ..component::<T>(NPROF_SINK, T::NAME, T::SUMMARY)
    }
}

/// The tables that it announces end in null:
/// static TABLES: Shared<[*const raw::nprof_table; 2]> = Shared([&CALLS.0, std::ptr::null()]);
/// plugin!("calls\0", "1.0\0", "MIT\0", nprof::analyzer::<Calls, 2>(&TABLES));
pub const fn analyzer<T: Analyzer, const N: usize>(tables: &'static Shared<[*const nprof_table; N]>) -> nprof_component {
    nprof_component {
        order: T::ORDER as u32,
        flags: NPROF_ANALYZER_NO_ROWS as u32,
        tables: &tables.0 as *const _ as *const *const nprof_table,
        open: Some(analyzer_open::<T>),
        consume: Some(analyzer_consume::<T>),
        finish: Some(analyzer_finish::<T>),
        ..component::<T>(NPROF_ANALYZER, T::NAME, T::SUMMARY)
    }
}

pub const fn decoder<T: Decoder>() -> nprof_component {
    nprof_component {
        formats: text(T::FORMATS),
        probe: Some(decoder_probe::<T>),
        open: Some(decoder_open::<T>),
        decode: Some(decoder_decode::<T>),
        ..component::<T>(NPROF_DECODER, T::NAME, T::SUMMARY)
    }
}

/// Writes the entry: plugin!("name\0", "1.0\0", "MIT\0", nprof::sink::<Mine>(), ...);
#[macro_export]
macro_rules! plugin {
    ($name:expr, $version:expr, $license:expr, $($component:expr),+ $(,)?) => {
        const NPROF_COUNT: usize = [$(stringify!($component)),+].len();
        static NPROF_COMPONENTS: $crate::Shared<[$crate::raw::nprof_component; NPROF_COUNT]> = $crate::Shared([$($component),+]);
        static NPROF_LIST: $crate::Shared<[*const $crate::raw::nprof_component; NPROF_COUNT + 1]> = $crate::Shared({
            let mut list = [std::ptr::null(); NPROF_COUNT + 1];
            let mut i = 0;
            while i < NPROF_COUNT {
                list[i] = unsafe { (&NPROF_COMPONENTS.0 as *const $crate::raw::nprof_component).add(i) };
                i += 1;
            }
            list
        });
        static NPROF_PLUGIN: $crate::Shared<$crate::raw::nprof_plugin> = $crate::Shared($crate::raw::nprof_plugin {
            size: std::mem::size_of::<$crate::raw::nprof_plugin>() as u32,
            contract: $crate::raw::NPROF_CONTRACT as u32,
            name: $crate::text($name),
            version: $crate::text($version),
            license: $crate::text($license),
            homepage: $crate::text("\0"),
            components: &NPROF_LIST.0 as *const _,
            least: 0,
            reserved: 0,
            needs: std::ptr::null(),
        });
        #[no_mangle]
        pub extern "C" fn nprof_plugin_v1() -> *const $crate::raw::nprof_plugin {
            &NPROF_PLUGIN.0
        }
    };
}
