# SPDX-License-Identifier: Apache-2.0
"""What a profile gives: tables and events, each as Arrow, as pandas, row by row and as HTML."""

import html
import itertools

from . import _arrow, _run

_SHOWN = 10  # rows in a notebook


def _rows_of(stream):
    names = [field.name for field in stream.fields]
    for array, owner in stream:
        columns = [chunk.values() for chunk in _arrow.chunks_of(stream.fields, array, owner)]
        for values in zip(*columns):
            yield dict(zip(names, values))


class Result:
    """Rows with named columns. `_open(array_rows)` gives a stream of Arrow from the first row on
    and the capsule that owns it; each call reads anew, so results may be used as often as one
    likes."""

    def _open(self, array_rows):
        raise NotImplementedError

    def _read(self, array_rows=0):
        return _arrow.Stream(*self._open(array_rows))

    @property
    def columns(self):
        """The names of the columns."""
        return [field.name for field in self._read().fields]

    def __arrow_c_stream__(self, requested_schema=None):
        """The rows for any library that takes Arrow; requested_schema is not followed, as the
        protocol allows."""
        return self._open(0)[1]

    def _chunks(self, array_rows):
        stream = self._read(array_rows)
        columns = [[] for _ in stream.fields]
        for array, owner in stream:
            for column, chunk in zip(columns, _arrow.chunks_of(stream.fields, array, owner)):
                column.append(chunk)
        return stream.fields, columns

    def to_pandas(self):
        """A DataFrame. Integers that may be unknown are Int64 or UInt64, texts of events are
        Categorical."""
        from . import _pandas

        return _pandas.frame(*self._chunks(0xFFFFFFFF))

    def rows(self):
        """The rows one by one, each a dict; None is unknown."""
        return _rows_of(self._read())

    def __iter__(self):
        return self.rows()

    def _repr_html_(self):
        stream = self._read()
        names = [field.name for field in stream.fields]
        rows = list(itertools.islice(_rows_of(stream), _SHOWN + 1))
        cell = lambda value: "<i>unknown</i>" if value is None else html.escape(str(value))
        lines = ["<tr>%s</tr>" % "".join("<th>%s</th>" % html.escape(name) for name in names)]
        for row in rows[:_SHOWN]:
            lines.append("<tr>%s</tr>" % "".join("<td>%s</td>" % cell(row[name]) for name in names))
        more = "<p>and more rows</p>" if len(rows) > _SHOWN else ""
        return "<table>%s</table>%s" % ("".join(lines), more)


class Table(Result):
    """A table that a decoder or an analyzer made."""

    def __init__(self, run, name):
        self._run, self.name = run, name

    def _open(self, array_rows):
        return self._run.table_stream(self.name)

    def __repr__(self):
        return "<nprof table %s: %s>" % (self.name, ", ".join(self.columns))


class Events(Result):
    """Rows of the profile: spans, instants, counters, flow ends, facts and gaps. They are read from
    the file each time they are asked for, so they take no memory until then."""

    def __init__(self, request):
        self._request = request

    def _open(self, array_rows):
        return _run.stream(array_rows=array_rows, **self._request)

    def __repr__(self):
        return "<nprof events: %s>" % ", ".join(self.columns)
