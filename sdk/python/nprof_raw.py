# SPDX-License-Identifier: Apache-2.0
"""nprof_raw.py - nprof/plugin.h and keys.h for ctypes, made by generate.py: what each
member means stands there.  Constants lack NPROF_."""

# fmt: off
from ctypes import *  # noqa: F403

nprof_status = c_int32
nprof_str = c_uint32
nprof_track = c_uint32
nprof_set = c_uint32


class nprof_declaration(Structure):
    pass


class nprof_value_bytes(Structure):
    pass


class nprof_value(Union):
    pass


class nprof_batch(Structure):
    pass


class nprof_writer(Structure):
    pass


class nprof_attrs(Structure):
    pass


class nprof_track_info(Structure):
    pass


class nprof_table_column(Structure):
    pass


class nprof_table(Structure):
    pass


class nprof_cell_v(Union):
    pass


class nprof_cell(Structure):
    pass


class nprof_option(Structure):
    pass


class nprof_attribute(Structure):
    pass


class nprof_row_want(Structure):
    pass


class nprof_fact(Structure):
    pass


class nprof_input_info(Structure):
    pass


class nprof_run_info(Structure):
    pass


class nprof_target(Structure):
    pass


class nprof_output(Structure):
    pass


class nprof_host(Structure):
    pass


class nprof_column(Structure):
    pass


class nprof_component(Structure):
    pass


class nprof_plugin(Structure):
    pass


nprof_value_bytes._fields_ = [
    ('at', c_uint32),
    ('len', c_uint32),
]
nprof_value._fields_ = [
    ('i', c_int64),
    ('u', c_uint64),
    ('f', c_double),
    ('s', nprof_str),
    ('bytes', nprof_value_bytes),
]
nprof_batch._fields_ = [
    ('size', c_uint32),
    ('n_rows', c_uint32),
    ('input', c_uint32),
    ('n_attrs', c_uint32),
    ('start', POINTER(c_int64)),
    ('duration', POINTER(c_int64)),
    ('track', POINTER(nprof_track)),
    ('name', POINTER(nprof_str)),
    ('category', POINTER(nprof_str)),
    ('kind', POINTER(c_uint8)),
    ('value', POINTER(c_double)),
    ('value_valid', POINTER(c_uint8)),
    ('id', POINTER(c_uint64)),
    ('parent', POINTER(c_uint64)),
    ('flow', POINTER(c_uint64)),
    ('shared', POINTER(nprof_set)),
    ('attr_at', POINTER(c_uint32)),
    ('attr_key', POINTER(nprof_str)),
    ('attr_type', POINTER(c_uint8)),
    ('attr_value', POINTER(nprof_value)),
    ('bytes', c_char_p),
    ('hidden', POINTER(c_uint8)),
    ('origin', c_uint32),
    ('reserved', c_uint32),
]
nprof_writer._fields_ = [
    ('size', c_uint32),
    ('present', c_uint32),
    ('n_rows', c_uint32),
    ('max_rows', c_uint32),
    ('n_attrs', c_uint32),
    ('max_attrs', c_uint32),
    ('n_bytes', c_uint32),
    ('max_bytes', c_uint32),
    ('start', POINTER(c_int64)),
    ('duration', POINTER(c_int64)),
    ('track', POINTER(nprof_track)),
    ('name', POINTER(nprof_str)),
    ('category', POINTER(nprof_str)),
    ('kind', POINTER(c_uint8)),
    ('value', POINTER(c_double)),
    ('value_valid', POINTER(c_uint8)),
    ('id', POINTER(c_uint64)),
    ('parent', POINTER(c_uint64)),
    ('flow', POINTER(c_uint64)),
    ('shared', POINTER(nprof_set)),
    ('attr_at', POINTER(c_uint32)),
    ('attr_key', POINTER(nprof_str)),
    ('attr_type', POINTER(c_uint8)),
    ('attr_value', POINTER(nprof_value)),
    ('bytes', c_char_p),
    ('flush', CFUNCTYPE(nprof_status, POINTER(nprof_writer))),
    ('grow', CFUNCTYPE(nprof_status, POINTER(nprof_writer), c_uint32, c_uint32)),
]
nprof_attrs._fields_ = [
    ('size', c_uint32),
    ('n', c_uint32),
    ('key', POINTER(nprof_str)),
    ('type', POINTER(c_uint8)),
    ('value', POINTER(nprof_value)),
    ('bytes', c_char_p),
]
nprof_track_info._fields_ = [
    ('size', c_uint32),
    ('kind', c_uint32),
    ('parent', nprof_track),
    ('input', c_uint32),
    ('key', nprof_str),
    ('label', nprof_str),
    ('sort', c_int64),
    ('number', c_uint32),
    ('process', nprof_track),
]
nprof_table_column._fields_ = [
    ('size', c_uint32),
    ('type', c_uint32),
    ('name', c_char_p),
    ('unit', c_char_p),
    ('help', c_char_p),
    ('role', c_uint32),
    ('reserved', c_uint32),
]
nprof_table._fields_ = [
    ('size', c_uint32),
    ('reserved', c_uint32),
    ('name', c_char_p),
    ('title', c_char_p),
    ('note', c_char_p),
    ('columns', POINTER(POINTER(nprof_table_column))),
]
nprof_cell_v._fields_ = [
    ('i', c_int64),
    ('u', c_uint64),
    ('f', c_double),
    ('s', nprof_str),
    ('text', c_char_p),
]
nprof_cell._fields_ = [
    ('type', c_uint32),
    ('len', c_uint32),
    ('v', nprof_cell_v),
]
nprof_option._fields_ = [
    ('size', c_uint32),
    ('type', c_uint32),
    ('name', c_char_p),
    ('help', c_char_p),
    ('preset', c_char_p),
    ('range', c_char_p),
    ('offset', c_uint32),
    ('reserved', c_uint32),
]
nprof_attribute._fields_ = [
    ('size', c_uint32),
    ('type', c_uint32),
    ('key', c_char_p),
    ('unit', c_char_p),
    ('help', c_char_p),
]
nprof_row_want._fields_ = [
    ('size', c_uint32),
    ('kinds', c_uint32),
    ('key', c_char_p),
    ('member', c_char_p),
]
nprof_fact._fields_ = [
    ('size', c_uint32),
    ('type', c_uint32),
    ('track', nprof_track),
    ('key', nprof_str),
    ('source', nprof_str),
    ('reserved', c_uint32),
    ('value', nprof_value),
]
nprof_input_info._fields_ = [
    ('size', c_uint32),
    ('number', c_uint32),
    ('root', nprof_track),
    ('label', nprof_str),
    ('decoder', c_char_p),
    ('bytes', c_uint64),
    ('properties', POINTER(c_char_p)),
    ('profile', c_uint32),
    ('modified', c_uint32),
    ('file', c_char_p),
]
nprof_run_info._fields_ = [
    ('size', c_uint32),
    ('n_inputs', c_uint32),
    ('generator', c_char_p),
    ('origin_unix_ns', c_int64),
    ('first', c_int64),
    ('last', c_int64),
    ('jobs', c_uint32),
    ('model', c_uint32),
    ('inspect', c_uint32),
]
nprof_target._fields_ = [
    ('size', c_uint32),
    ('kind', c_uint32),
    ('name', c_char_p),
    ('is_terminal', c_uint32),
    ('columns', c_uint32),
]
nprof_output._fields_ = [
    ('size', c_uint32),
    ('reserved', c_uint32),
    ('write', CFUNCTYPE(nprof_status, POINTER(nprof_output), c_void_p, c_size_t)),
    ('close', CFUNCTYPE(nprof_status, POINTER(nprof_output))),
]
nprof_host._fields_ = [
    ('size', c_uint32),
    ('log_level', c_uint32),
    ('own_input', c_uint32),
    ('reserved', c_uint32),
    ('log', CFUNCTYPE(None, POINTER(nprof_host), c_int, c_char_p)),
    ('fail', CFUNCTYPE(nprof_status, POINTER(nprof_host), nprof_status, c_char_p)),
    ('progress', CFUNCTYPE(nprof_status, POINTER(nprof_host), c_uint64, c_uint64)),
    ('cancelled', CFUNCTYPE(c_int, POINTER(nprof_host))),
    ('damage', CFUNCTYPE(nprof_status, POINTER(nprof_host), c_uint64, c_char_p)),
    ('skip', CFUNCTYPE(None, POINTER(nprof_host), c_char_p, c_uint64, c_char_p)),
    ('intern', CFUNCTYPE(nprof_str, POINTER(nprof_host), c_char_p, c_size_t)),
    ('string', CFUNCTYPE(c_void_p, POINTER(nprof_host), nprof_str, POINTER(c_size_t))),
    ('origin', CFUNCTYPE(nprof_status, POINTER(nprof_host), c_int64)),
    ('property', CFUNCTYPE(nprof_status, POINTER(nprof_host), c_char_p, c_char_p)),
    ('track', CFUNCTYPE(nprof_track, POINTER(nprof_host), nprof_track, c_uint32, nprof_str, nprof_str, c_int64)),
    ('track_info', CFUNCTYPE(POINTER(nprof_track_info), POINTER(nprof_host), nprof_track)),
    ('writer', CFUNCTYPE(POINTER(nprof_writer), POINTER(nprof_host))),
    ('attrs', CFUNCTYPE(nprof_set, POINTER(nprof_host), POINTER(nprof_attrs))),
    ('attr_set', CFUNCTYPE(POINTER(nprof_attrs), POINTER(nprof_host), nprof_set)),
    ('wanted', CFUNCTYPE(c_int, POINTER(nprof_host), c_char_p)),
    ('columns', CFUNCTYPE(POINTER(POINTER(nprof_column)), POINTER(nprof_host))),
    ('table', CFUNCTYPE(nprof_status, POINTER(nprof_host), POINTER(nprof_table))),
    ('row', CFUNCTYPE(nprof_status, POINTER(nprof_host), POINTER(nprof_table), POINTER(nprof_cell))),
    ('run', CFUNCTYPE(POINTER(nprof_run_info), POINTER(nprof_host))),
    ('input', CFUNCTYPE(POINTER(nprof_input_info), POINTER(nprof_host), c_uint32)),
    ('target', CFUNCTYPE(POINTER(nprof_target), POINTER(nprof_host))),
    ('output', CFUNCTYPE(POINTER(nprof_output), POINTER(nprof_host), c_char_p)),
    ('siblings', CFUNCTYPE(nprof_status, POINTER(nprof_host), CFUNCTYPE(c_int, c_void_p, c_char_p), c_void_p)),
    ('sibling', CFUNCTYPE(c_void_p, POINTER(nprof_host), c_char_p, POINTER(c_uint64))),
    ('batch_ref', CFUNCTYPE(POINTER(nprof_batch), POINTER(nprof_host), POINTER(nprof_batch))),
    ('batch_unref', CFUNCTYPE(None, POINTER(nprof_host), POINTER(nprof_batch))),
    ('extension', CFUNCTYPE(c_void_p, POINTER(nprof_host), c_char_p)),
    ('worker', c_void_p),
    ('row_want', CFUNCTYPE(POINTER(nprof_row_want), POINTER(nprof_host), c_char_p, c_uint32)),
    ('fact', CFUNCTYPE(POINTER(nprof_fact), POINTER(nprof_host), nprof_track, nprof_str)),
    ('parallel', CFUNCTYPE(nprof_status, POINTER(nprof_host), c_uint32, CFUNCTYPE(nprof_status, c_void_p, c_uint32), c_void_p)),
]
nprof_column._fields_ = [
    ('size', c_uint32),
    ('type', c_uint32),
    ('key', nprof_str),
    ('reserved', c_uint32),
    ('name', c_char_p),
    ('unit', c_char_p),
    ('help', c_char_p),
]
nprof_component._fields_ = [
    ('size', c_uint32),
    ('kind', c_uint32),
    ('name', c_char_p),
    ('summary', c_char_p),
    ('formats', c_char_p),
    ('options', POINTER(POINTER(nprof_option))),
    ('attributes', POINTER(POINTER(nprof_attribute))),
    ('tables', POINTER(POINTER(nprof_table))),
    ('wants', POINTER(c_char_p)),
    ('order', c_uint32),
    ('flags', c_uint32),
    ('default_name', c_char_p),
    ('instance_size', c_uint32),
    ('part_size', c_uint32),
    ('probe', CFUNCTYPE(c_int, c_void_p, c_size_t, c_uint64, c_char_p)),
    ('open', CFUNCTYPE(nprof_status, c_void_p, POINTER(nprof_host))),
    ('decode', CFUNCTYPE(nprof_status, c_void_p, c_void_p, c_uint64)),
    ('plan', CFUNCTYPE(nprof_status, c_void_p, c_void_p, c_uint64, POINTER(c_uint32))),
    ('decode_part', CFUNCTYPE(nprof_status, c_void_p, c_uint32, c_void_p, POINTER(nprof_host))),
    ('join', CFUNCTYPE(nprof_status, c_void_p, c_uint32, c_void_p, c_int)),
    ('consume', CFUNCTYPE(nprof_status, c_void_p, POINTER(nprof_batch))),
    ('table', CFUNCTYPE(nprof_status, c_void_p, POINTER(nprof_table), POINTER(nprof_cell), c_uint32)),
    ('finish', CFUNCTYPE(nprof_status, c_void_p)),
    ('abort', CFUNCTYPE(None, c_void_p)),
    ('close', CFUNCTYPE(None, c_void_p)),
    ('save', CFUNCTYPE(nprof_status, c_void_p, POINTER(nprof_output))),
    ('merge', CFUNCTYPE(nprof_status, c_void_p, c_void_p, c_size_t)),
    ('choose', CFUNCTYPE(nprof_status, c_void_p, POINTER(nprof_batch), POINTER(c_uint8))),
    ('order_option', c_char_p),
    ('worker_size', c_uint32),
    ('reserved', c_uint32),
    ('worker_close', CFUNCTYPE(None, c_void_p, c_void_p)),
    ('declare', CFUNCTYPE(nprof_status, c_void_p, c_void_p, c_uint64, POINTER(nprof_declaration))),
    ('row_wants', POINTER(POINTER(nprof_row_want))),
    ('table_wants', POINTER(c_char_p)),
]
nprof_plugin._fields_ = [
    ('size', c_uint32),
    ('contract', c_uint32),
    ('name', c_char_p),
    ('version', c_char_p),
    ('license', c_char_p),
    ('homepage', c_char_p),
    ('components', POINTER(POINTER(nprof_component))),
    ('least', c_uint32),
    ('reserved', c_uint32),
    ('needs', POINTER(c_char_p)),
]

OK = 0
E_NOMEM = -1
E_IO = -2
E_FORMAT = -3
E_OPTION = -4
E_UNSUPPORTED = -5
E_CONTRACT = -6
CANCELLED = -7
ERROR = 0
WARNING = 1
INFO = 2
DEBUG = 3
NOTICE = 4
NULL = 0
INT64 = 1
UINT64 = 2
DOUBLE = 3
BOOL = 4
STRING = 5
TEXT = 6
JSON = 7
ID128 = 8
SPAN = 0
INSTANT = 1
COUNTER = 2
FLOW = 3
FACT = 4
GAP = 5
HAS_VALUE = 1
HAS_ID = 2
HAS_PARENT = 4
HAS_FLOW = 8
HAS_SHARED = 16
TRACK_INPUT = 0
TRACK_HOST = 1
TRACK_PROCESS = 2
TRACK_THREAD = 3
TRACK_DEVICE = 4
TRACK_CORE = 5
TRACK_ENGINE = 6
TRACK_QUEUE = 7
TRACK_ASYNC = 8
TRACK_COUNTER = 9
TRACK_DERIVED = 10
ROLE_VALUE = 0
ROLE_KEY = 1
ROLE_DOUBT = 2
ROLE_LEVEL = 3
ROLE_NOTE = 4
OPT_INT = 0
OPT_DOUBLE = 1
OPT_BOOL = 2
OPT_STRING = 3
OPT_CHOICE = 4
OPT_SIZE = 5
OPT_PATH = 6
OPT_SECRET = 7
OPT_DURATION = 8
OPT_LIST = 9
TARGET_NONE = 0
TARGET_FILE = 1
TARGET_FOLDER = 2
TARGET_STDOUT = 3
DECODER = 0
ANALYZER = 1
SINK = 2
ORDER_INPUT = 0
ORDER_TRACK = 1
ORDER_TIME = 2
ORDER_DEVICE = 3
SINK_FILE = 1
SINK_FOLDER = 2
SINK_STDOUT = 4
ANALYZER_NO_LINKS = 1
ANALYZER_CONTEXT = 2
ANALYZER_NO_ROWS = 4
ANALYZER_ANSWERS = 8
DECODER_FOLDER = 1
CONTRACT = 1
NO_EPOCH = -(1 << 63)
KEY_WORK = 'nprof.work'
KEY_LAUNCH = 'nprof.launch'
KEY_OPERATOR = 'nprof.operator'
KEY_BLOCKS = 'nprof.blocks'
KEY_FLOPS = 'flops'
KEY_MODEL_FLOPS = 'model_flops'
KEY_BYTES_READ = 'bytes_read'
KEY_BYTES_WRITTEN = 'bytes_written'
KEY_BYTES_ACCESSED = 'bytes_accessed'
KEY_BYTES = 'bytes'
KEY_OP = 'op'
KEY_OPCODE = 'opcode'
KEY_HLO_OP = 'hlo_op'
KEY_HLO_MODULE = 'hlo_module'
KEY_HLO_CATEGORY = 'hlo_category'
KEY_HLO_TEXT = 'hlo_text'
KEY_FRAMEWORK_OP = 'framework_op'
KEY_LAYER = 'layer'
KEY_SHAPE = 'shape'
KEY_SOURCE = 'source'
KEY_SOURCE_STACK = 'source_stack'
KEY_FUSION = 'fusion'
KEY_DEDUPLICATED = 'deduplicated_name'
KEY_COLLECTIVE = 'collective'
KEY_TENSOR = 'tensor'
KEY_KERNEL = 'kernel_details'
KEY_ENGINE = 'engine'
KEY_QUEUE = 'queue'
KEY_STREAM = 'stream'
KEY_STEP = 'step'
KEY_UNIT = 'unit'
KEY_PROGRAM_ID = 'program_id'
KEY_SYMBOL_ID = 'symbol_id'
KEY_CORRELATION_ID = 'correlation_id'
KEY_RUN_ID = 'run_id'
KEY_TRACE_ID = 'trace_id'
KEY_FLOW_PHASE = 'flow_phase'
KEY_DEVICE_OFFSET = 'device_offset'
KEY_DEVICE_DURATION = 'device_duration'
KEY_DEVICE_TYPE = 'device_type'
KEY_PEAK_FLOPS = 'peak_flops'
KEY_PEAK_BANDWIDTH = 'peak_bandwidth'
KEY_MEMORY_SIZE = 'memory_size'
KEY_CLOCK_RATE = 'clock_rate'
KEY_CORE_COUNT = 'core_count'
KEY_VALUE = 'value'
KEY_CROSSES_EDGE = 'crosses_edge'

assert sizeof(nprof_value) == 8
assert sizeof(nprof_batch) == 168
assert sizeof(nprof_writer) == 184
assert sizeof(nprof_attrs) == 40
assert sizeof(nprof_track_info) == 40
assert sizeof(nprof_table_column) == 40
assert sizeof(nprof_table) == 40
assert sizeof(nprof_cell) == 16
assert sizeof(nprof_option) == 48
assert sizeof(nprof_attribute) == 32
assert sizeof(nprof_row_want) == 24
assert sizeof(nprof_fact) == 32
assert sizeof(nprof_input_info) == 56
assert sizeof(nprof_run_info) == 56
assert sizeof(nprof_target) == 24
assert sizeof(nprof_output) == 24
assert sizeof(nprof_host) == 272
assert sizeof(nprof_column) == 40
assert sizeof(nprof_component) == 248
assert sizeof(nprof_plugin) == 64
