# SPDX-License-Identifier: Apache-2.0
"""Arrays of the Arrow C data interface as Python sees them: without a copy as NumPy arrays, or
value by value as lists. Only the layouts that libnprof makes are read here."""

import ctypes
from ctypes import c_double, c_int32, c_int64, c_uint8, c_uint32, c_uint64

from . import _library

NULLABLE = 2
NUMBERS = {b"l": c_int64, b"L": c_uint64, b"I": c_uint32, b"i": c_int32, b"g": c_double}


class Field:
    """A column of a schema: its name, its format of Arrow, and whether it may be null."""

    def __init__(self, schema):
        self.name = _library.decoded(schema.name)
        self.format = schema.format
        self.nullable = bool(schema.flags & NULLABLE)
        self.dictionary = bool(schema.dictionary)


class Stream:
    """A stream of Arrow that is read here: iterating gives (array, owner); the array is valid while
    the owner lives."""

    def __init__(self, stream, capsule):
        self._stream, self._capsule = stream, capsule
        schema, self._schema_owner = _library.owned(_library.ArrowSchema, b"arrow_schema")
        self._check(stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
        self.fields = [Field(schema.children[i].contents) for i in range(schema.n_children)]

    def _check(self, code):
        if code:
            said = self._stream.get_last_error(ctypes.byref(self._stream))
            raise _library.Error(_library.decoded(said or b"the run failed").strip())

    def __iter__(self):
        while True:
            array, owner = _library.owned(_library.ArrowArray, b"arrow_array")
            self._check(self._stream.get_next(ctypes.byref(self._stream), ctypes.byref(array)))
            if not array.release:
                return
            yield array, owner


class Chunk:
    """One column of one array."""

    def __init__(self, field, array, owner):
        self.field, self.array, self.owner = field, array, owner
        self.length = array.length

    def buffer(self, number, kind, count, of=None):
        """A buffer as an array of ctypes, which keeps the memory alive."""
        view = (kind * count).from_address((of or self.array).buffers[number])
        view.owner = self.owner
        return view

    def codes(self):
        return self.buffer(1, c_int32, self.length)

    def categories(self):
        """The texts of a dictionary."""
        dictionary = self.array.dictionary.contents
        return self._texts(dictionary, c_int32)

    def _texts(self, array, offset_kind):
        ends = self.buffer(1, offset_kind, array.length + 1, array)
        text = bytes(self.buffer(2, ctypes.c_char, ends[array.length], array))
        return [_library.decoded(text[a:b]) for a, b in zip(ends[:-1], ends[1:])]

    def valid(self):
        """The bytes of the bitmap; None: nothing is null."""
        if not self.array.null_count:
            return None
        return self.buffer(0, c_uint8, (self.length + 7) // 8)

    def _plain_values(self):
        format = self.field.format
        if self.field.dictionary:
            texts = self.categories()
            return [texts[code] if code >= 0 else None for code in self.codes()]
        if format == b"U":
            return self._texts(self.array, c_int64)
        if format == b"b":
            bits = self.buffer(1, c_uint8, (self.length + 7) // 8)
            return [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(self.length)]
        return self.buffer(1, NUMBERS[format], self.length)[:]

    def values(self):
        """The values as a list, None where they are null."""
        values, valid = self._plain_values(), self.valid()
        if valid is None:
            return values
        return [v if valid[i >> 3] >> (i & 7) & 1 else None for i, v in enumerate(values)]


def chunks_of(fields, array, owner):
    return [Chunk(f, array.children[i].contents, owner) for i, f in enumerate(fields)]
