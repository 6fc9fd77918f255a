# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow as columns of pandas.  Integers stay integers when some are unknown (Int64,
UInt64), texts of a dictionary are Categorical, and memory is shared wherever pandas can."""

import numpy
import pandas

DTYPES = {b"l": numpy.int64, b"L": numpy.uint64, b"I": numpy.uint32, b"g": numpy.float64}


def _mask(chunk):
    """True where a value is unknown."""
    valid = chunk.valid()
    if valid is None:
        return numpy.zeros(chunk.length, bool)
    bits = numpy.unpackbits(numpy.frombuffer(valid, numpy.uint8), bitorder="little")
    return ~bits[: chunk.length].astype(bool)


def _numbers(chunk, dtype):
    from ._arrow import NUMBERS

    if not chunk.length:
        return numpy.empty(0, dtype)
    return numpy.frombuffer(chunk.buffer(1, NUMBERS[chunk.field.format], chunk.length), dtype)


def _bools(chunk):
    from ctypes import c_uint8

    if not chunk.length:
        return numpy.empty(0, bool)
    data = numpy.frombuffer(chunk.buffer(1, c_uint8, (chunk.length + 7) // 8), numpy.uint8)
    return numpy.unpackbits(data, bitorder="little")[: chunk.length].astype(bool)


def _join(parts):
    return parts[0] if len(parts) == 1 else numpy.concatenate(parts)


def _category(chunks):
    """Codes count in the dictionary of their array; with several arrays they are counted anew."""
    if len(chunks) == 1:
        chunk = chunks[0]
        codes = numpy.frombuffer(chunk.codes(), numpy.int32) if chunk.length else []
        return pandas.Categorical.from_codes(codes, chunk.categories())
    numbers, parts = {}, []
    for chunk in chunks:
        known = [numbers.setdefault(text, len(numbers)) for text in chunk.categories()]
        lookup = numpy.array(known + [-1], numpy.int32)
        parts.append(lookup[numpy.frombuffer(chunk.codes(), numpy.int32)])
    return pandas.Categorical.from_codes(numpy.concatenate(parts), list(numbers))


def column(field, chunks):
    """A column of pandas out of its chunks, in their order."""
    if field.dictionary:
        return _category(chunks)
    if field.format == b"U":
        values = [value for chunk in chunks for value in chunk.values()]
        out = numpy.empty(len(values), object)
        out[:] = values
        return out
    if field.format == b"b":
        return pandas.arrays.BooleanArray(
            _join([_bools(c) for c in chunks]), _join([_mask(c) for c in chunks])
        )
    dtype = DTYPES[field.format]
    data = _join([_numbers(c, dtype) for c in chunks])
    if field.format == b"g":
        return (
            pandas.arrays.FloatingArray(data, _join([_mask(c) for c in chunks]))
            if field.nullable
            else data
        )
    if field.nullable or dtype is numpy.uint64:
        return pandas.arrays.IntegerArray(data, _join([_mask(c) for c in chunks]))
    return data


def frame(fields, columns):
    """A DataFrame out of the chunks of each column."""
    data = {field.name: column(field, chunks) for field, chunks in zip(fields, columns)}
    return pandas.DataFrame(data, copy=False)
