# SPDX-License-Identifier: Apache-2.0
"""nprof_plugin - decoders, analyzers and sinks for nprof in Python: slow, and fine where a file is
small or the question new.  A component is a class; what it raises becomes a failure of the run.

    import nprof_plugin as nprof

    nprof.plugin('names', '1.0', 'MIT')

    @nprof.sink('acme.names', 'names, a line each', file='names.txt')
    class Names:
        def __init__(self, host, options):
            self.host, self.out = host, host.output()

        def consume(self, rows):
            for row in rows:
                self.out.write(self.host.string(row.name) + '\\n')

    LONGEST = nprof.Table('acme.longest', 'Longest spans', '', [
        nprof.key(nprof.STRING, 'name', '', 'its name'),
        nprof.value(nprof.INT64, 'longest_ns', 'ps', 'its time'),
    ])

    @nprof.analyzer('acme.longest', 'the longest span of each name', tables=[LONGEST])
    class Longest:
        def __init__(self, host, options):
            self.host, self.most = host, {}

        def consume(self, rows):
            for row in rows:
                if row.kind == nprof.SPAN and row.duration is not None:
                    at = rows.input, row.name
                    self.most[at] = max(self.most.get(at, 0), row.duration)

        def finish(self):  # in the order in which they came: handles have none
            for (number, name), ps in self.most.items():
                self.host.row(LONGEST, self.host.input_label(number), name, ps)

    python3 nprof_to_c.py names.py >names.c         a plugin whose code is in it, as text
    cc -shared -fPIC $(pkg-config --cflags nprof-plugin) -o names.so names.c -ldl

`raw`, nprof_raw.py, is nprof/plugin.h to the letter; host.raw is the host by it."""

import ctypes
import nprof_raw as raw
from nprof_raw import *  # noqa: F403
from collections import namedtuple

Option = namedtuple('Option', 'type name preset range help')
Attribute = namedtuple('Attribute', 'type key unit help')
Column = namedtuple('Column', 'type role name unit help')
Row = namedtuple('Row', 'kind track name category start duration')
Component = namedtuple(
    'Component', 'kind name summary formats file order options attributes tables made_by'
)

COMPONENTS, ABOUT = [], {}
MOST_OPTIONS = 32


# -- What is declared ---------------------------------------------------------------


def plugin(name, version, license_):
    ABOUT.update(name=name, version=version, license=license_)


def _component(
    kind, name, summary, formats=None, file=None, order=0, options=(), attributes=(), tables=()
):
    if len(options) > MOST_OPTIONS:
        raise ValueError(f'{name}: more than {MOST_OPTIONS} options')

    def take(made_by):
        COMPONENTS.append(
            Component(
                kind, name, summary, formats, file, order, options, attributes, tables, made_by
            )
        )
        return made_by

    return take


def decoder(name, summary, formats, options=(), attributes=()):
    """A class of (host, options), with probe (head, path) -> 0..100, static, and decode (data)."""
    return _component(
        DECODER, name, summary, formats=formats, options=options, attributes=attributes
    )


def analyzer(name, summary, tables, order=ORDER_INPUT, options=()):
    """A class of (host, options), with consume (rows) and finish ()."""
    return _component(ANALYZER, name, summary, order=order, options=options, tables=tables)


def sink(name, summary, file, order=ORDER_INPUT, options=()):
    """A class of (host, options), with consume (rows) and, if need be, finish ()."""
    return _component(SINK, name, summary, file=file, order=order, options=options)


class Table:
    """Its first column, the label of the input, comes by itself."""

    def __init__(self, name, title, note, columns):
        self.name, self.title, self.note = name, title, note
        self.columns = [Column(STRING, ROLE_KEY, 'input', '', 'label of the input'), *columns]
        self.at = None  # where it lies in the plugin


def key(type_, name, unit, help_):
    return Column(type_, ROLE_KEY, name, unit, help_)


def value(type_, name, unit, help_):
    return Column(type_, ROLE_VALUE, name, unit, help_)


# -- What a component may call ------------------------------------------------------


class Failed(Exception):
    """A failure that the host has been told of."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


def check(status):
    if status != OK:
        raise Failed(status)


def _bytes(text):
    return (
        text
        if isinstance(text, bytes)
        else bytes(text)
        if isinstance(text, memoryview)
        else text.encode()
    )


class Host:
    def __init__(self, at):
        self.at, self.raw = at, nprof_host.from_address(at)
        self._host = ctypes.pointer(self.raw)

    def fail(self, status, why):
        """Says why, and ends the call."""
        raise Failed(
            self.raw.fail(self._host, status, why.encode('utf-8', 'replace').split(b'\0')[0])
        )

    def log(self, level, text):
        self.raw.log(self._host, level, _bytes(text))

    def damage(self, at, what):
        """Decoders: where this returns, the run keeps going: write a row of kind gap."""
        check(self.raw.damage(self._host, at, _bytes(what)))

    def progress(self, begin, end):
        check(self.raw.progress(self._host, begin, end))

    def cancelled(self):
        return self.raw.cancelled(self._host) != 0

    def intern(self, text):
        """Text to handle: once for each name of the format, never for each row."""
        text = _bytes(text)
        return self.raw.intern(self._host, text, len(text))

    def string(self, handle):
        length = ctypes.c_size_t()
        at = self.raw.string(self._host, handle, ctypes.byref(length))
        return ctypes.string_at(at, length.value).decode()

    def track(self, kind, key_, parent=0, sort=0):
        """The track of that parent (0: the root of the input), kind and key, a handle or text."""
        handle = key_ if isinstance(key_, int) else self.intern(key_)
        made = self.raw.track(self._host, parent, kind, handle, 0, sort)
        return made or self.fail(E_NOMEM, 'no memory for a track')

    def track_label(self, track):
        info = self.raw.track_info(self._host, track).contents
        return info.label or info.key

    def input_label(self, number):
        return self.raw.input(self._host, number).contents.label

    def root(self):
        """Decoders: the track of the input itself."""
        return self.raw.input(self._host, self.raw.own_input).contents.root

    def wanted(self, key_):
        return self.raw.wanted(self._host, _bytes(key_)) != 0

    def writer(self):
        writer = self.raw.writer(self._host)
        return Writer(self, writer) if writer else self.fail(E_NOMEM, 'no memory for rows')

    def output(self):
        output = self.raw.output(self._host, None)
        if not output:
            raise Failed(E_IO)  # the host has said why
        return Output(output)

    def row(self, table, input_label, *cells):
        """Adds a row to a table; None is unknown, and never 0."""
        if len(cells) + 1 != len(table.columns):
            self.fail(
                E_CONTRACT, f'{table.name}: {len(cells)} cells for {len(table.columns) - 1} columns'
            )
        given = (nprof_cell * len(table.columns))()
        kept = [self._cell(*one) for one in zip(given, table.columns, (input_label, *cells))]
        check(self.raw.row(self._host, ctypes.cast(table.at, ctypes.POINTER(nprof_table)), given))
        del kept

    def _cell(self, cell, column, of):
        if of is None:
            return None
        cell.type = column.type
        if column.type in (TEXT, JSON, ID128):
            text = ctypes.create_string_buffer(_bytes(of), len(_bytes(of)))
            cell.len = len(text)
            cell.v.text = ctypes.cast(text, ctypes.c_char_p)
            return text
        if column.type == STRING:
            cell.v.s = of if isinstance(of, int) else self.intern(of)
        elif column.type == DOUBLE:
            cell.v.f = of
        elif column.type == INT64:
            if not -(1 << 63) <= of < 1 << 63:
                self.fail(E_CONTRACT, f'column {column.name}: {of} does not fit int64')
            cell.v.i = of
        else:
            cell.v.u = of
        return None


class Output:
    def __init__(self, at):
        self._at = at

    def write(self, text):
        text = _bytes(text)
        check(self._at.contents.write(self._at, text, len(text)))


class Writer:
    """Writes rows; an attribute belongs to the row that was begun last."""

    def __init__(self, host, at):
        self._host, self._at, self.raw = host, at, at.contents

    def row(self, kind, track, name, start, duration=None):
        w = self.raw
        if w.n_rows == w.max_rows or w.max_attrs - w.n_attrs < 64:
            check(w.flush(self._at))
        if not all(-(1 << 63) <= ps < 1 << 63 for ps in (start, duration or 0)):
            self._host.fail(E_CONTRACT, f'{start} ps, {duration} ps long: no time that fits int64')
        i = w.n_rows
        w.n_rows = i + 1
        w.start[i], w.duration[i] = start, -1 if duration is None else duration
        w.track[i], w.name[i], w.category[i], w.kind[i] = track, name, 0, kind
        w.attr_at[i + 1] = w.n_attrs

    def span(self, track, name, start, duration):
        """duration None: the file has no end for it."""
        self.row(SPAN, track, name, start, duration)

    def attr(self, key_, of, kind=None):
        """bool, int, float or text, which becomes a string of the run; kind: UINT64 where the
        attribute is declared so, as that of launches is, and for an int that is too large else."""
        w = self.raw
        if w.n_attrs == w.max_attrs:
            check(w.grow(self._at, 64, 0))
        j = w.n_attrs
        w.n_attrs = j + 1
        w.attr_key[j], at = key_, w.attr_value[j]
        at.u = 0
        if isinstance(of, bool):
            w.attr_type[j], at.u = BOOL, of
        elif isinstance(of, int) and not (
            0 <= of < 1 << 64 if kind == UINT64 else -(1 << 63) <= of < 1 << 63
        ):
            self._host.fail(E_CONTRACT, f'{of}: no attribute that fits 64 bits')
        elif kind == UINT64:
            w.attr_type[j], at.u = UINT64, of
        elif isinstance(of, int):
            w.attr_type[j], at.i = INT64, of
        elif isinstance(of, float):
            w.attr_type[j], at.f = DOUBLE, of
        else:
            w.attr_type[j], at.s = STRING, self._host.intern(of)
        w.attr_at[w.n_rows] = w.n_attrs


class Rows:
    """Rows that the core lends for one call; `raw` has the rest of their columns."""

    def __init__(self, host, at):
        self.host, self.raw = host, at.contents
        self.input = self.raw.input

    def __iter__(self):
        b = self.raw
        columns = b.kind, b.track, b.name, b.category, b.start, b.duration
        for of in zip(*(column[: b.n_rows] for column in columns)):
            yield Row(*of[:5], None if of[5] < 0 else of[5])


# -- What the core calls: see host.c ------------------------------------------------

INSTANCE = 24  # bytes before the options: handle, host, component
READ = {
    OPT_INT: ctypes.c_int64,
    OPT_DURATION: ctypes.c_int64,
    OPT_SIZE: ctypes.c_uint64,
    OPT_DOUBLE: ctypes.c_double,
    OPT_BOOL: ctypes.c_bool,
    OPT_CHOICE: ctypes.c_int32,
}


def _options(component, at):
    values = {}
    for i, option in enumerate(component.options):
        found = READ.get(option.type, ctypes.c_char_p).from_address(at + INSTANCE + 8 * i).value
        if option.type == OPT_CHOICE:
            found = option.range.split('|')[found]
        values[option.name] = found.decode() if isinstance(found, bytes) else found
    return namedtuple('Options', values)(**values)


def _why(error):
    trace, line = error.__traceback__, ''
    while trace:
        if trace.tb_frame.f_code.co_filename == ABOUT['file']:
            line = f' ({ABOUT["file"]}, line {trace.tb_lineno})'
        trace = trace.tb_next
    return f'{type(error).__name__}: {error}{line}'


class _Calls:
    """One instance is one number; the host is that of the call."""

    def __init__(self):
        self.instances, self.last = {}, 0

    def guard(self, host, call):
        try:
            call()
            return OK
        except Failed as failed:
            return failed.status
        except MemoryError:
            return self.told(host, E_NOMEM, 'no memory')
        except BaseException as error:  # also SystemExit: nothing ends the process
            return self.told(host, E_CONTRACT, _why(error))

    @staticmethod
    def told(host, status, why):
        try:
            Host(host).fail(status, why)
        except Failed as failed:
            return failed.status

    def open(self, number, at, host):
        def call():
            component = COMPONENTS[number]
            for table in component.tables:
                h = Host(host)
                check(h.raw.table(h._host, ctypes.cast(table.at, ctypes.POINTER(nprof_table))))
            made = component.made_by(Host(host), _options(component, at))
            self.last += 1
            self.instances[self.last] = made
            ctypes.c_uint64.from_address(at).value = self.last

        return self.guard(host, call)

    def probe(self, number, head, length, path):
        try:
            data = ctypes.string_at(head, length)
            return int(
                COMPONENTS[number].made_by.probe(data, (path or b'').decode('utf-8', 'replace'))
            )
        except BaseException:
            return 0

    def decode(self, handle, host, data, length):
        def call():
            view = (
                memoryview((ctypes.c_char * length).from_address(data) if length else b'')
                .cast('B')
                .toreadonly()
            )
            try:
                self.instances[handle].decode(view)
            finally:
                view.release()

        return self.guard(host, call)

    def consume(self, handle, host, batch):
        at = ctypes.cast(batch, ctypes.POINTER(nprof_batch))
        return self.guard(host, lambda: self.instances[handle].consume(Rows(Host(host), at)))

    def finish(self, handle, host):
        instance = self.instances[handle]
        return self.guard(host, getattr(instance, 'finish', lambda: None))

    def close(self, handle):
        self.instances.pop(handle, None)


def start(text, file, tables, calls):
    """Runs the plugin's text, takes the places of its tables, gives the calls; once, by host.c."""
    ABOUT['file'] = file
    exec(compile(text, file, 'exec'), {'__name__': 'plugin'})
    places = (ctypes.c_void_p * 1024).from_address(tables)
    for i, table in enumerate(t for c in COMPONENTS for t in c.tables):
        table.at = places[i]
    made, status, u64 = _Calls(), ctypes.c_int32, ctypes.c_uint64
    pointer = ctypes.c_void_p
    kept = [
        ctypes.CFUNCTYPE(status, ctypes.c_uint32, pointer, pointer)(made.open),
        ctypes.CFUNCTYPE(status, ctypes.c_uint32, pointer, u64, ctypes.c_char_p)(made.probe),
        ctypes.CFUNCTYPE(status, u64, pointer, pointer, u64)(made.decode),
        ctypes.CFUNCTYPE(status, u64, pointer, pointer)(made.consume),
        ctypes.CFUNCTYPE(status, u64, pointer)(made.finish),
        ctypes.CFUNCTYPE(None, u64)(made.close),
    ]
    for i, one in enumerate(kept):
        ctypes.c_void_p.from_address(calls + 8 * i).value = ctypes.cast(one, pointer).value
    return kept
