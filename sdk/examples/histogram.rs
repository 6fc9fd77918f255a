// SPDX-License-Identifier: Apache-2.0
// histogram.rs - example in Rust: a sink that writes how many spans took how long, by powers of two,
// for each name.  No crate is needed:
//
//   rustc --edition 2021 -O --crate-type cdylib -C panic=abort -o histogram.so histogram.rs
//
// It shows: the contract from a language other than C.  Only what is used is declared in full; the
// order of the members is that of nprof/plugin.h, and structs grow only at their ends.

use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt::Write;
use std::os::raw::{c_char, c_int};

// -- nprof/plugin.h, what of it is needed ---------------------------------------

type Status = i32;
const OK: Status = 0;
const E_IO: Status = -2;
const CONTRACT: u32 = 1;
const SPAN: u8 = 0;
const KIND_SINK: u32 = 2;
const SINK_FILE: u32 = 1;
const SINK_STDOUT: u32 = 4;

type Unused = *const c_void; // a function of the host that this plugin does not call

#[repr(C)]
struct Host {
    size: u32,
    log_level: u32,
    own_input: u32,
    reserved: u32,
    log: unsafe extern "C" fn(*const Host, c_int, *const c_char),
    fail: unsafe extern "C" fn(*const Host, Status, *const c_char) -> Status,
    progress: Unused,
    cancelled: Unused,
    damage: Unused,
    skip: Unused,
    intern: Unused,
    string: unsafe extern "C" fn(*const Host, u32, *mut usize) -> *const u8,
    origin: Unused,
    property: Unused,
    track: Unused,
    track_info: Unused,
    writer: Unused,
    attrs: Unused,
    attr_set: Unused,
    wanted: Unused,
    columns: Unused,
    table: Unused,
    row: Unused,
    run: Unused,
    input: Unused,
    target: Unused,
    output: unsafe extern "C" fn(*const Host, *const c_char) -> *mut Output,
    // ... and more, that this plugin does not look at
}

#[repr(C)]
struct Output {
    size: u32,
    reserved: u32,
    write: unsafe extern "C" fn(*mut Output, *const c_void, usize) -> Status,
    close: unsafe extern "C" fn(*mut Output) -> Status,
}

#[repr(C)]
struct Batch {
    size: u32,
    n_rows: u32,
    input: u32,
    n_attrs: u32,
    start: *const i64,
    duration: *const i64,
    track: *const u32,
    name: *const u32,
    category: *const u32,
    kind: *const u8,
    // ... the optional columns
}

#[repr(C)]
struct Component {
    size: u32,
    kind: u32,
    name: *const c_char,
    summary: *const c_char,
    formats: *const c_char,
    options: Unused,
    attributes: Unused,
    tables: Unused,
    wants: Unused,
    order: u32,
    flags: u32,
    default_name: *const c_char,
    instance_size: u32,
    part_size: u32,
    probe: Unused,
    open: extern "C" fn(*mut Instance, *const Host) -> Status,
    decode: Unused,
    plan: Unused,
    decode_part: Unused,
    join: Unused,
    consume: extern "C" fn(*mut Instance, *const Batch) -> Status,
    table: Unused,
    finish: extern "C" fn(*mut Instance) -> Status,
    abort: Unused,
    close: extern "C" fn(*mut Instance),
    // save and merge are not there: size says so
}

#[repr(C)]
pub struct Plugin {
    size: u32,
    contract: u32,
    name: *const c_char,
    version: *const c_char,
    license: *const c_char,
    homepage: *const c_char,
    components: *const *const Component,
}

// -- The sink -------------------------------------------------------------------

struct Counts {
    unclosed: u64,
    by_power: [u64; 64], // [k]: durations of 2^(k-1) ns up to 2^k; [0]: below 1 ns
}

struct Histogram {
    host: *const Host,
    output: *mut Output,
    names: Vec<u32>, // in order of first appearance: handles have no order
    counts: HashMap<u32, Counts>,
}

impl Histogram {
    fn add(&mut self, name: u32, duration: i64) {
        let names = &mut self.names;
        let counts = self.counts.entry(name).or_insert_with(|| {
            names.push(name);
            Counts { unclosed: 0, by_power: [0; 64] }
        });
        if duration < 0 {
            counts.unclosed += 1;
        } else {
            let ns = duration as u64 / 1000;
            counts.by_power[64 - ns.leading_zeros() as usize] += 1;
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("name\tfrom_ns\tto_ns\tspans\n");
        for name in &self.names {
            let label = self.string(*name);
            let counts = &self.counts[name];
            for (power, count) in counts.by_power.iter().enumerate().filter(|(_, n)| **n > 0) {
                let from = if power == 0 { 0 } else { 1u64 << (power - 1) };
                let _ = writeln!(text, "{}\t{}\t{}\t{}", label, from, 1u64 << power, count);
            }
            if counts.unclosed > 0 {
                let _ = writeln!(text, "{}\t-\t-\t{}", label, counts.unclosed);
            }
        }
        text
    }

    // Tabs and newlines end fields and lines here, so a name has none.
    fn string(&self, handle: u32) -> String {
        let mut len = 0;
        let bytes = unsafe {
            let text = ((*self.host).string)(self.host, handle, &mut len);
            std::slice::from_raw_parts(text, len)
        };
        String::from_utf8_lossy(bytes).replace(['\t', '\n', '\r'], " ")
    }
}

// -- What nprof calls: raw memory that points to the sink -------------------------

#[repr(C)]
struct Instance {
    histogram: *mut Histogram,
}

extern "C" fn open(instance: *mut Instance, host: *const Host) -> Status {
    let output = unsafe { ((*host).output)(host, std::ptr::null()) };
    if output.is_null() {
        return E_IO; // the host knows why
    }
    let histogram = Histogram { host, output, names: Vec::new(), counts: HashMap::new() };
    unsafe { (*instance).histogram = Box::into_raw(Box::new(histogram)) };
    OK
}

extern "C" fn consume(instance: *mut Instance, batch: *const Batch) -> Status {
    let (histogram, batch) = unsafe { (&mut *(*instance).histogram, &*batch) };
    for i in 0..batch.n_rows as usize {
        unsafe {
            if *batch.kind.add(i) == SPAN {
                histogram.add(*batch.name.add(i), *batch.duration.add(i));
            }
        }
    }
    OK
}

extern "C" fn finish(instance: *mut Instance) -> Status {
    let histogram = unsafe { &*(*instance).histogram };
    let text = histogram.text();
    unsafe { ((*histogram.output).write)(histogram.output, text.as_ptr().cast(), text.len()) }
}

extern "C" fn close(instance: *mut Instance) {
    unsafe {
        if !(*instance).histogram.is_null() {
            drop(Box::from_raw((*instance).histogram));
        }
    }
}

// -- What it declares -------------------------------------------------------------

struct Shared<T>(T);
unsafe impl<T> Sync for Shared<T> {} // constant data

macro_rules! c {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const c_char
    };
}

const NONE: Unused = std::ptr::null();

static COMPONENT: Shared<Component> = Shared(Component {
    size: std::mem::size_of::<Component>() as u32,
    kind: KIND_SINK,
    name: c!("histogram"),
    summary: c!("how many spans took how long, by name and power of two"),
    formats: std::ptr::null(),
    options: NONE,
    attributes: NONE,
    tables: NONE,
    wants: NONE,
    order: 0,
    flags: SINK_FILE | SINK_STDOUT,
    default_name: c!("histogram.txt"),
    instance_size: std::mem::size_of::<Instance>() as u32,
    part_size: 0,
    probe: NONE,
    open,
    decode: NONE,
    plan: NONE,
    decode_part: NONE,
    join: NONE,
    consume,
    table: NONE,
    finish,
    abort: NONE,
    close,
});

static COMPONENTS: Shared<[*const Component; 2]> = Shared([&COMPONENT.0, std::ptr::null()]);

static PLUGIN: Shared<Plugin> = Shared(Plugin {
    size: std::mem::size_of::<Plugin>() as u32,
    contract: CONTRACT,
    name: c!("histogram"),
    version: c!("1.0"),
    license: c!("Apache-2.0"),
    homepage: c!(""),
    components: COMPONENTS.0.as_ptr(),
});

#[no_mangle]
pub extern "C" fn nprof_plugin_v1() -> *const Plugin {
    &PLUGIN.0
}
