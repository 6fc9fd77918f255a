# SPDX-License-Identifier: Apache-2.0
"""Runs of libnprof: one that is run to its end for its tables, or one that is a stream of rows."""

import warnings
from ctypes import addressof, byref, c_void_p, sizeof

from . import _library

_WARNING = 1  # NPROF_WARNING of nprof/plugin.h
_JOBS_MAX = 1024  # as -j of the program
_LISTS = ("inputs", "analyzers", "tracks", "names", "where", "columns")
_TEXTS = ("decoder", "start", "end", "step")


def _others(alternatives, held):
    """Addresses of requests, which ends in NULL; what they point to is held."""
    requests = [_request(dict(one), held) for one in alternatives]
    held.append(requests)
    return (c_void_p * (len(requests) + 1))(*[addressof(one) for one in requests], None)


def _request(wished, held):
    request = _library.Request(size=sizeof(_library.Request), log_level=_WARNING)
    for key, value in wished.items():
        if key in _LISTS:
            value = _library.texts(value)
        elif key in _TEXTS:
            value = _library.text(value)
        elif key == "others":
            value = _others(value, held)
        elif key == "jobs" and not 0 <= value <= _JOBS_MAX:
            raise ValueError(
                "jobs=%d: expected 1 to %d, or 0: one a processor" % (value, _JOBS_MAX)
            )
        held.append(value)
        setattr(request, key, value)
    return request


def _start(**wished):
    """The address of a run that was begun; libnprof has copied the request."""
    held = []  # what the request points to
    request = _request(wished, held)
    run = _library.run_open(byref(request))
    if not run:
        raise MemoryError("no thread could be started")
    return run


def stream(**wished):
    """The rows as a stream of Arrow, and the capsule that owns it and with it the run."""
    run = _start(**wished)
    stream, capsule = _library.owned(_library.ArrowArrayStream, b"arrow_array_stream")
    _library.run_arrow(run, byref(stream))
    return stream, capsule


class TablesRun:
    """A run that has come to its end and keeps its tables.  It is closed when nothing holds it."""

    def __init__(self, **wished):
        self._run = _start(keep_tables=1, columns=[], **wished)
        self._owner = _library.own(self._run, b"nprof_run")
        item = _library.Item(size=sizeof(_library.Item))
        while (more := _library.run_next(self._run, byref(item))) > 0:
            pass
        if more < 0:
            raise _library.Error(self.messages)
        if self.messages:
            warnings.warn(self.messages, _library.NprofWarning, stacklevel=4)

    @property
    def messages(self):
        """What nprof said."""
        return _library.decoded(_library.run_messages(self._run)).strip()

    @property
    def names(self):
        listed, names = _library.run_tables(self._run), []
        while listed and listed[len(names)]:
            names.append(_library.decoded(listed[len(names)].contents.name))
        return names

    def table_stream(self, name):
        stream, capsule = _library.owned(_library.ArrowArrayStream, b"arrow_array_stream")
        if _library.run_table_arrow(self._run, name.encode(), byref(stream)):
            raise MemoryError("no memory for table %s" % name)
        return stream, capsule
