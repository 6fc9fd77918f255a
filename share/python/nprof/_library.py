# SPDX-License-Identifier: Apache-2.0
"""libnprof by ctypes: its structs and calls as nprof/nprof.h declares them, and capsules that own
what it hands out.  Memory is always let go by C, because a callback of Python's that runs while
the interpreter ends would crash it."""

import ctypes
import os
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

from . import _tree

TEXTS = POINTER(c_char_p)


class Error(RuntimeError):
    """nprof could not do it; the text is nprof's own."""


class NprofWarning(UserWarning):
    """What nprof warned of: records that were skipped, gaps, what could not be known."""


class Request(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("jobs", c_uint32),
        ("inputs", TEXTS),
        ("decoder", c_char_p),
        ("analyzers", TEXTS),
        ("start", c_char_p),
        ("end", c_char_p),
        ("step", c_char_p),
        ("tracks", TEXTS),
        ("names", TEXTS),
        ("where", TEXTS),
        ("keep_going", c_uint32),
        ("log_level", c_uint32),
        ("keep_tables", c_uint32),
        ("array_rows", c_uint32),
        ("columns", TEXTS),
        ("others", POINTER(c_void_p)),
    ]


class Item(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("n_rows", c_uint32),
        ("batch", c_void_p),
        ("table", c_void_p),
        ("cells", c_void_p),
    ]


class TableHead(Structure):
    """The beginning of struct nprof_table."""

    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("name", c_char_p)]


class ArrowSchema(Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class ArrowArray(Structure):
    pass


ArrowArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))),
    ("dictionary", POINTER(ArrowArray)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class ArrowArrayStream(Structure):
    pass


ArrowArrayStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_lib = ctypes.CDLL(_tree.library())

run_open = _declare("nprof_run_open", c_void_p, POINTER(Request))
run_next = _declare("nprof_run_next", c_int, c_void_p, POINTER(Item))
run_messages = _declare("nprof_run_messages", c_char_p, c_void_p)
run_tables = _declare("nprof_run_tables", POINTER(POINTER(TableHead)), c_void_p)
run_arrow = _declare("nprof_run_arrow", None, c_void_p, POINTER(ArrowArrayStream))
run_table_arrow = _declare(
    "nprof_run_table_arrow", c_int, c_void_p, c_char_p, POINTER(ArrowArrayStream)
)
_version = _declare("nprof_version", c_char_p)
_free_capsule = ctypes.cast(_lib.nprof_capsule_free, c_void_p)
_calloc = ctypes.CDLL(None).calloc
_calloc.restype = c_void_p
_calloc.argtypes = (c_size_t, c_size_t)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (c_void_p, c_char_p, c_void_p)
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = c_void_p
_pointer_of.argtypes = (ctypes.py_object, c_char_p)


def _encoded(value):
    """ValueError: C would end the text at its NUL."""
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError("%r: a text for nprof has no NUL" % value)
    return encoded


def texts(values):
    """A list of texts as C has it, ending in NULL; None stays None."""
    if values is None:
        return None
    if isinstance(values, (str, bytes, os.PathLike)):
        values = [values]
    encoded = [_encoded(value) for value in values]
    return (c_char_p * (len(encoded) + 1))(*encoded, None)


def text(value):
    return None if value is None else _encoded(str(value))


def decoded(value):
    return value.decode("utf-8", "surrogateescape")


def own(address, name):
    """A capsule that owns what lies at the address, and lets it go in C."""
    return _new_capsule(address, name, _free_capsule)


def owned(kind, name):
    """An empty struct of Arrow in memory of its own: the struct, and the capsule that owns it."""
    address = _calloc(1, ctypes.sizeof(kind))
    if not address:
        raise MemoryError("no memory for a struct of Arrow")
    return kind.from_address(address), own(address, name)


def address_of(capsule, name):
    return _pointer_of(capsule, name)


def version():
    return decoded(_version())
