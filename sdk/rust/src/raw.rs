// SPDX-License-Identifier: Apache-2.0
// raw.rs - nprof/plugin.h and keys.h for Rust, made by generate.py: what each member
// means stands there.

use std::os::raw::{c_char, c_int, c_void};

pub type nprof_status = i32;

pub type nprof_str = u32;

pub type nprof_track = u32;

pub type nprof_set = u32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_value_bytes {
    pub at: u32,
    pub len: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union nprof_value {
    pub i: i64,
    pub u: u64,
    pub f: f64,
    pub s: nprof_str,
    pub bytes: nprof_value_bytes,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_batch {
    pub size: u32,
    pub n_rows: u32,
    pub input: u32,
    pub n_attrs: u32,
    pub start: *const i64,
    pub duration: *const i64,
    pub track: *const nprof_track,
    pub name: *const nprof_str,
    pub category: *const nprof_str,
    pub kind: *const u8,
    pub value: *const f64,
    pub value_valid: *const u8,
    pub id: *const u64,
    pub parent: *const u64,
    pub flow: *const u64,
    pub shared: *const nprof_set,
    pub attr_at: *const u32,
    pub attr_key: *const nprof_str,
    pub attr_type: *const u8,
    pub attr_value: *const nprof_value,
    pub bytes: *const c_char,
    pub hidden: *const u8,
    pub origin: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_writer {
    pub size: u32,
    pub present: u32,
    pub n_rows: u32,
    pub max_rows: u32,
    pub n_attrs: u32,
    pub max_attrs: u32,
    pub n_bytes: u32,
    pub max_bytes: u32,
    pub start: *mut i64,
    pub duration: *mut i64,
    pub track: *mut nprof_track,
    pub name: *mut nprof_str,
    pub category: *mut nprof_str,
    pub kind: *mut u8,
    pub value: *mut f64,
    pub value_valid: *mut u8,
    pub id: *mut u64,
    pub parent: *mut u64,
    pub flow: *mut u64,
    pub shared: *mut nprof_set,
    pub attr_at: *mut u32,
    pub attr_key: *mut nprof_str,
    pub attr_type: *mut u8,
    pub attr_value: *mut nprof_value,
    pub bytes: *mut c_char,
    pub flush: Option<unsafe extern "C" fn(*mut nprof_writer) -> nprof_status>,
    pub grow: Option<unsafe extern "C" fn(*mut nprof_writer, u32, u32) -> nprof_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_attrs {
    pub size: u32,
    pub n: u32,
    pub key: *const nprof_str,
    pub type_: *const u8,
    pub value: *const nprof_value,
    pub bytes: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_track_info {
    pub size: u32,
    pub kind: u32,
    pub parent: nprof_track,
    pub input: u32,
    pub key: nprof_str,
    pub label: nprof_str,
    pub sort: i64,
    pub number: u32,
    pub process: nprof_track,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_table_column {
    pub size: u32,
    pub type_: u32,
    pub name: *const c_char,
    pub unit: *const c_char,
    pub help: *const c_char,
    pub role: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_table {
    pub size: u32,
    pub reserved: u32,
    pub name: *const c_char,
    pub title: *const c_char,
    pub note: *const c_char,
    pub columns: *const *const nprof_table_column,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union nprof_cell_v {
    pub i: i64,
    pub u: u64,
    pub f: f64,
    pub s: nprof_str,
    pub text: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_cell {
    pub type_: u32,
    pub len: u32,
    pub v: nprof_cell_v,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_option {
    pub size: u32,
    pub type_: u32,
    pub name: *const c_char,
    pub help: *const c_char,
    pub preset: *const c_char,
    pub range: *const c_char,
    pub offset: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_attribute {
    pub size: u32,
    pub type_: u32,
    pub key: *const c_char,
    pub unit: *const c_char,
    pub help: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_row_want {
    pub size: u32,
    pub kinds: u32,
    pub key: *const c_char,
    pub member: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_fact {
    pub size: u32,
    pub type_: u32,
    pub track: nprof_track,
    pub key: nprof_str,
    pub source: nprof_str,
    pub reserved: u32,
    pub value: nprof_value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_input_info {
    pub size: u32,
    pub number: u32,
    pub root: nprof_track,
    pub label: nprof_str,
    pub decoder: *const c_char,
    pub bytes: u64,
    pub properties: *const *const c_char,
    pub profile: u32,
    pub modified: u32,
    pub file: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_run_info {
    pub size: u32,
    pub n_inputs: u32,
    pub generator: *const c_char,
    pub origin_unix_ns: i64,
    pub first: i64,
    pub last: i64,
    pub jobs: u32,
    pub model: u32,
    pub inspect: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_target {
    pub size: u32,
    pub kind: u32,
    pub name: *const c_char,
    pub is_terminal: u32,
    pub columns: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_output {
    pub size: u32,
    pub reserved: u32,
    pub write: Option<unsafe extern "C" fn(*mut nprof_output, *const c_void, usize) -> nprof_status>,
    pub close: Option<unsafe extern "C" fn(*mut nprof_output) -> nprof_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_host {
    pub size: u32,
    pub log_level: u32,
    pub own_input: u32,
    pub reserved: u32,
    pub log: Option<unsafe extern "C" fn(*const nprof_host, c_int, *const c_char)>,
    pub fail: Option<unsafe extern "C" fn(*const nprof_host, nprof_status, *const c_char) -> nprof_status>,
    pub progress: Option<unsafe extern "C" fn(*const nprof_host, u64, u64) -> nprof_status>,
    pub cancelled: Option<unsafe extern "C" fn(*const nprof_host) -> c_int>,
    pub damage: Option<unsafe extern "C" fn(*const nprof_host, u64, *const c_char) -> nprof_status>,
    pub skip: Option<unsafe extern "C" fn(*const nprof_host, *const c_char, u64, *const c_char)>,
    pub intern: Option<unsafe extern "C" fn(*const nprof_host, *const c_char, usize) -> nprof_str>,
    pub string: Option<unsafe extern "C" fn(*const nprof_host, nprof_str, *mut usize) -> *const c_char>,
    pub origin: Option<unsafe extern "C" fn(*const nprof_host, i64) -> nprof_status>,
    pub property: Option<unsafe extern "C" fn(*const nprof_host, *const c_char, *const c_char) -> nprof_status>,
    pub track: Option<unsafe extern "C" fn(*const nprof_host, nprof_track, u32, nprof_str, nprof_str, i64) -> nprof_track>,
    pub track_info: Option<unsafe extern "C" fn(*const nprof_host, nprof_track) -> *const nprof_track_info>,
    pub writer: Option<unsafe extern "C" fn(*const nprof_host) -> *mut nprof_writer>,
    pub attrs: Option<unsafe extern "C" fn(*const nprof_host, *const nprof_attrs) -> nprof_set>,
    pub attr_set: Option<unsafe extern "C" fn(*const nprof_host, nprof_set) -> *const nprof_attrs>,
    pub wanted: Option<unsafe extern "C" fn(*const nprof_host, *const c_char) -> c_int>,
    pub columns: Option<unsafe extern "C" fn(*const nprof_host) -> *const *const nprof_column>,
    pub table: Option<unsafe extern "C" fn(*const nprof_host, *const nprof_table) -> nprof_status>,
    pub row: Option<unsafe extern "C" fn(*const nprof_host, *const nprof_table, *const nprof_cell) -> nprof_status>,
    pub run: Option<unsafe extern "C" fn(*const nprof_host) -> *const nprof_run_info>,
    pub input: Option<unsafe extern "C" fn(*const nprof_host, u32) -> *const nprof_input_info>,
    pub target: Option<unsafe extern "C" fn(*const nprof_host) -> *const nprof_target>,
    pub output: Option<unsafe extern "C" fn(*const nprof_host, *const c_char) -> *mut nprof_output>,
    pub siblings: Option<unsafe extern "C" fn(*const nprof_host, Option<unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int>, *mut c_void) -> nprof_status>,
    pub sibling: Option<unsafe extern "C" fn(*const nprof_host, *const c_char, *mut u64) -> *const c_void>,
    pub batch_ref: Option<unsafe extern "C" fn(*const nprof_host, *const nprof_batch) -> *const nprof_batch>,
    pub batch_unref: Option<unsafe extern "C" fn(*const nprof_host, *const nprof_batch)>,
    pub extension: Option<unsafe extern "C" fn(*const nprof_host, *const c_char) -> *const c_void>,
    pub worker: *mut c_void,
    pub row_want: Option<unsafe extern "C" fn(*const nprof_host, *const c_char, u32) -> *const nprof_row_want>,
    pub fact: Option<unsafe extern "C" fn(*const nprof_host, nprof_track, nprof_str) -> *const nprof_fact>,
    pub parallel: Option<unsafe extern "C" fn(*const nprof_host, u32, Option<unsafe extern "C" fn(*mut c_void, u32) -> nprof_status>, *mut c_void) -> nprof_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_column {
    pub size: u32,
    pub type_: u32,
    pub key: nprof_str,
    pub reserved: u32,
    pub name: *const c_char,
    pub unit: *const c_char,
    pub help: *const c_char,
}

#[repr(C)]
pub struct nprof_declaration {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_component {
    pub size: u32,
    pub kind: u32,
    pub name: *const c_char,
    pub summary: *const c_char,
    pub formats: *const c_char,
    pub options: *const *const nprof_option,
    pub attributes: *const *const nprof_attribute,
    pub tables: *const *const nprof_table,
    pub wants: *const *const c_char,
    pub order: u32,
    pub flags: u32,
    pub default_name: *const c_char,
    pub instance_size: u32,
    pub part_size: u32,
    pub probe: Option<unsafe extern "C" fn(*const c_void, usize, u64, *const c_char) -> c_int>,
    pub open: Option<unsafe extern "C" fn(*mut c_void, *const nprof_host) -> nprof_status>,
    pub decode: Option<unsafe extern "C" fn(*mut c_void, *const c_void, u64) -> nprof_status>,
    pub plan: Option<unsafe extern "C" fn(*mut c_void, *const c_void, u64, *mut u32) -> nprof_status>,
    pub decode_part: Option<unsafe extern "C" fn(*mut c_void, u32, *mut c_void, *const nprof_host) -> nprof_status>,
    pub join: Option<unsafe extern "C" fn(*mut c_void, u32, *mut c_void, c_int) -> nprof_status>,
    pub consume: Option<unsafe extern "C" fn(*mut c_void, *const nprof_batch) -> nprof_status>,
    pub table: Option<unsafe extern "C" fn(*mut c_void, *const nprof_table, *const nprof_cell, u32) -> nprof_status>,
    pub finish: Option<unsafe extern "C" fn(*mut c_void) -> nprof_status>,
    pub abort: Option<unsafe extern "C" fn(*mut c_void)>,
    pub close: Option<unsafe extern "C" fn(*mut c_void)>,
    pub save: Option<unsafe extern "C" fn(*mut c_void, *mut nprof_output) -> nprof_status>,
    pub merge: Option<unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> nprof_status>,
    pub choose: Option<unsafe extern "C" fn(*mut c_void, *const nprof_batch, *mut u8) -> nprof_status>,
    pub order_option: *const c_char,
    pub worker_size: u32,
    pub reserved: u32,
    pub worker_close: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    pub declare: Option<unsafe extern "C" fn(*mut c_void, *const c_void, u64, *mut nprof_declaration) -> nprof_status>,
    pub row_wants: *const *const nprof_row_want,
    pub table_wants: *const *const c_char,
}

pub const NONE: nprof_component = nprof_component {
    size: 0,
    kind: 0,
    name: std::ptr::null(),
    summary: std::ptr::null(),
    formats: std::ptr::null(),
    options: std::ptr::null(),
    attributes: std::ptr::null(),
    tables: std::ptr::null(),
    wants: std::ptr::null(),
    order: 0,
    flags: 0,
    default_name: std::ptr::null(),
    instance_size: 0,
    part_size: 0,
    probe: None,
    open: None,
    decode: None,
    plan: None,
    decode_part: None,
    join: None,
    consume: None,
    table: None,
    finish: None,
    abort: None,
    close: None,
    save: None,
    merge: None,
    choose: None,
    order_option: std::ptr::null(),
    worker_size: 0,
    reserved: 0,
    worker_close: None,
    declare: None,
    row_wants: std::ptr::null(),
    table_wants: std::ptr::null(),
};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nprof_plugin {
    pub size: u32,
    pub contract: u32,
    pub name: *const c_char,
    pub version: *const c_char,
    pub license: *const c_char,
    pub homepage: *const c_char,
    pub components: *const *const nprof_component,
    pub least: u32,
    pub reserved: u32,
    pub needs: *const *const c_char,
}

pub const NPROF_OK: i32 = 0;
pub const NPROF_E_NOMEM: i32 = -1;
pub const NPROF_E_IO: i32 = -2;
pub const NPROF_E_FORMAT: i32 = -3;
pub const NPROF_E_OPTION: i32 = -4;
pub const NPROF_E_UNSUPPORTED: i32 = -5;
pub const NPROF_E_CONTRACT: i32 = -6;
pub const NPROF_CANCELLED: i32 = -7;
pub const NPROF_ERROR: i32 = 0;
pub const NPROF_WARNING: i32 = 1;
pub const NPROF_INFO: i32 = 2;
pub const NPROF_DEBUG: i32 = 3;
pub const NPROF_NOTICE: i32 = 4;
pub const NPROF_NULL: i32 = 0;
pub const NPROF_INT64: i32 = 1;
pub const NPROF_UINT64: i32 = 2;
pub const NPROF_DOUBLE: i32 = 3;
pub const NPROF_BOOL: i32 = 4;
pub const NPROF_STRING: i32 = 5;
pub const NPROF_TEXT: i32 = 6;
pub const NPROF_JSON: i32 = 7;
pub const NPROF_ID128: i32 = 8;
pub const NPROF_SPAN: i32 = 0;
pub const NPROF_INSTANT: i32 = 1;
pub const NPROF_COUNTER: i32 = 2;
pub const NPROF_FLOW: i32 = 3;
pub const NPROF_FACT: i32 = 4;
pub const NPROF_GAP: i32 = 5;
pub const NPROF_HAS_VALUE: i32 = 1;
pub const NPROF_HAS_ID: i32 = 2;
pub const NPROF_HAS_PARENT: i32 = 4;
pub const NPROF_HAS_FLOW: i32 = 8;
pub const NPROF_HAS_SHARED: i32 = 16;
pub const NPROF_TRACK_INPUT: i32 = 0;
pub const NPROF_TRACK_HOST: i32 = 1;
pub const NPROF_TRACK_PROCESS: i32 = 2;
pub const NPROF_TRACK_THREAD: i32 = 3;
pub const NPROF_TRACK_DEVICE: i32 = 4;
pub const NPROF_TRACK_CORE: i32 = 5;
pub const NPROF_TRACK_ENGINE: i32 = 6;
pub const NPROF_TRACK_QUEUE: i32 = 7;
pub const NPROF_TRACK_ASYNC: i32 = 8;
pub const NPROF_TRACK_COUNTER: i32 = 9;
pub const NPROF_TRACK_DERIVED: i32 = 10;
pub const NPROF_ROLE_VALUE: i32 = 0;
pub const NPROF_ROLE_KEY: i32 = 1;
pub const NPROF_ROLE_DOUBT: i32 = 2;
pub const NPROF_ROLE_LEVEL: i32 = 3;
pub const NPROF_ROLE_NOTE: i32 = 4;
pub const NPROF_OPT_INT: i32 = 0;
pub const NPROF_OPT_DOUBLE: i32 = 1;
pub const NPROF_OPT_BOOL: i32 = 2;
pub const NPROF_OPT_STRING: i32 = 3;
pub const NPROF_OPT_CHOICE: i32 = 4;
pub const NPROF_OPT_SIZE: i32 = 5;
pub const NPROF_OPT_PATH: i32 = 6;
pub const NPROF_OPT_SECRET: i32 = 7;
pub const NPROF_OPT_DURATION: i32 = 8;
pub const NPROF_OPT_LIST: i32 = 9;
pub const NPROF_TARGET_NONE: i32 = 0;
pub const NPROF_TARGET_FILE: i32 = 1;
pub const NPROF_TARGET_FOLDER: i32 = 2;
pub const NPROF_TARGET_STDOUT: i32 = 3;
pub const NPROF_DECODER: i32 = 0;
pub const NPROF_ANALYZER: i32 = 1;
pub const NPROF_SINK: i32 = 2;
pub const NPROF_ORDER_INPUT: i32 = 0;
pub const NPROF_ORDER_TRACK: i32 = 1;
pub const NPROF_ORDER_TIME: i32 = 2;
pub const NPROF_ORDER_DEVICE: i32 = 3;
pub const NPROF_SINK_FILE: i32 = 1;
pub const NPROF_SINK_FOLDER: i32 = 2;
pub const NPROF_SINK_STDOUT: i32 = 4;
pub const NPROF_ANALYZER_NO_LINKS: i32 = 1;
pub const NPROF_ANALYZER_CONTEXT: i32 = 2;
pub const NPROF_ANALYZER_NO_ROWS: i32 = 4;
pub const NPROF_ANALYZER_ANSWERS: i32 = 8;
pub const NPROF_DECODER_FOLDER: i32 = 1;
pub const NPROF_CONTRACT: i32 = 1;
pub const NPROF_KEY_WORK: &str = "nprof.work";
pub const NPROF_KEY_LAUNCH: &str = "nprof.launch";
pub const NPROF_KEY_OPERATOR: &str = "nprof.operator";
pub const NPROF_KEY_BLOCKS: &str = "nprof.blocks";
pub const NPROF_KEY_FLOPS: &str = "flops";
pub const NPROF_KEY_MODEL_FLOPS: &str = "model_flops";
pub const NPROF_KEY_BYTES_READ: &str = "bytes_read";
pub const NPROF_KEY_BYTES_WRITTEN: &str = "bytes_written";
pub const NPROF_KEY_BYTES_ACCESSED: &str = "bytes_accessed";
pub const NPROF_KEY_BYTES: &str = "bytes";
pub const NPROF_KEY_OP: &str = "op";
pub const NPROF_KEY_OPCODE: &str = "opcode";
pub const NPROF_KEY_HLO_OP: &str = "hlo_op";
pub const NPROF_KEY_HLO_MODULE: &str = "hlo_module";
pub const NPROF_KEY_HLO_CATEGORY: &str = "hlo_category";
pub const NPROF_KEY_HLO_TEXT: &str = "hlo_text";
pub const NPROF_KEY_FRAMEWORK_OP: &str = "framework_op";
pub const NPROF_KEY_LAYER: &str = "layer";
pub const NPROF_KEY_SHAPE: &str = "shape";
pub const NPROF_KEY_SOURCE: &str = "source";
pub const NPROF_KEY_SOURCE_STACK: &str = "source_stack";
pub const NPROF_KEY_FUSION: &str = "fusion";
pub const NPROF_KEY_DEDUPLICATED: &str = "deduplicated_name";
pub const NPROF_KEY_COLLECTIVE: &str = "collective";
pub const NPROF_KEY_TENSOR: &str = "tensor";
pub const NPROF_KEY_KERNEL: &str = "kernel_details";
pub const NPROF_KEY_ENGINE: &str = "engine";
pub const NPROF_KEY_QUEUE: &str = "queue";
pub const NPROF_KEY_STREAM: &str = "stream";
pub const NPROF_KEY_STEP: &str = "step";
pub const NPROF_KEY_UNIT: &str = "unit";
pub const NPROF_KEY_PROGRAM_ID: &str = "program_id";
pub const NPROF_KEY_SYMBOL_ID: &str = "symbol_id";
pub const NPROF_KEY_CORRELATION_ID: &str = "correlation_id";
pub const NPROF_KEY_RUN_ID: &str = "run_id";
pub const NPROF_KEY_TRACE_ID: &str = "trace_id";
pub const NPROF_KEY_FLOW_PHASE: &str = "flow_phase";
pub const NPROF_KEY_DEVICE_OFFSET: &str = "device_offset";
pub const NPROF_KEY_DEVICE_DURATION: &str = "device_duration";
pub const NPROF_KEY_DEVICE_TYPE: &str = "device_type";
pub const NPROF_KEY_PEAK_FLOPS: &str = "peak_flops";
pub const NPROF_KEY_PEAK_BANDWIDTH: &str = "peak_bandwidth";
pub const NPROF_KEY_MEMORY_SIZE: &str = "memory_size";
pub const NPROF_KEY_CLOCK_RATE: &str = "clock_rate";
pub const NPROF_KEY_CORE_COUNT: &str = "core_count";
pub const NPROF_KEY_VALUE: &str = "value";
pub const NPROF_KEY_CROSSES_EDGE: &str = "crosses_edge";
pub const NPROF_NO_EPOCH: i64 = i64::MIN;

const _: () = assert!(std::mem::size_of::<nprof_value>() == 8);
const _: () = assert!(std::mem::size_of::<nprof_batch>() == 168);
const _: () = assert!(std::mem::size_of::<nprof_writer>() == 184);
const _: () = assert!(std::mem::size_of::<nprof_attrs>() == 40);
const _: () = assert!(std::mem::size_of::<nprof_track_info>() == 40);
const _: () = assert!(std::mem::size_of::<nprof_table_column>() == 40);
const _: () = assert!(std::mem::size_of::<nprof_table>() == 40);
const _: () = assert!(std::mem::size_of::<nprof_cell>() == 16);
const _: () = assert!(std::mem::size_of::<nprof_option>() == 48);
const _: () = assert!(std::mem::size_of::<nprof_attribute>() == 32);
const _: () = assert!(std::mem::size_of::<nprof_row_want>() == 24);
const _: () = assert!(std::mem::size_of::<nprof_fact>() == 32);
const _: () = assert!(std::mem::size_of::<nprof_input_info>() == 56);
const _: () = assert!(std::mem::size_of::<nprof_run_info>() == 56);
const _: () = assert!(std::mem::size_of::<nprof_target>() == 24);
const _: () = assert!(std::mem::size_of::<nprof_output>() == 24);
const _: () = assert!(std::mem::size_of::<nprof_host>() == 272);
const _: () = assert!(std::mem::size_of::<nprof_column>() == 40);
const _: () = assert!(std::mem::size_of::<nprof_component>() == 248);
const _: () = assert!(std::mem::size_of::<nprof_plugin>() == 64);
