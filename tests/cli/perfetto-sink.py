# SPDX-License-Identifier: Apache-2.0
"""perfetto-sink.py - what the sink perfetto writes, read packet by packet in Python: spans, args,
counters and arrows are those of events.csv, and compressed, split and gzipped traces hold the
same.  Numbers of fields: google/perfetto, protos/perfetto/trace."""

import collections
import gzip
import json
import os
import shutil
import struct
import zlib
from decimal import Decimal

import xspace
from harness import check, check_same, files_below, main, read, rows_of, run, sample, test, write


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = data[at : at + 8], at + 8
        else:
            check_same(tag & 7, 2, f'wire type at byte {at}')
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        yield tag >> 3, value
    check_same(at, len(data), 'end of the message')


def message(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Trace:
    """Events by track: (time, type, name, category, args, flows)."""

    def __init__(self, data):
        self.tracks, self.events, self.interned, self.clock = (
            {},
            collections.defaultdict(list),
            {},
            {},
        )
        self.take(data)

    def take(self, data):
        for field, packet in fields(data):
            check_same(field, 1, 'field of a trace')
            packet = message(packet)
            if 50 in packet:
                self.take(zlib.decompress(packet[50][0]))
                continue
            flags = packet.get(13, [0])[0]
            if flags & 1:
                self.interned = {}
            for kind, entry in fields(packet[12][0]) if 12 in packet else ():
                entry = message(entry)
                check((kind, entry[1][0]) not in self.interned, 'defined twice')
                self.interned[kind, entry[1][0]] = entry[2][0].decode()
            if 6 in packet:
                for clock in message(packet[6][0])[1]:
                    clock = message(clock)
                    self.clock[clock[1][0]] = clock[2][0]
            if 60 in packet:
                self.describe(message(packet[60][0]))
            if 11 in packet:
                self.event(packet[8][0], message(packet[11][0]))

    def describe(self, track):
        inner = next((message(track[k][0]) for k in (3, 4) if k in track), {})
        label = next(
            (names[0] for names in (inner.get(6), inner.get(5), track.get(2)) if names), b''
        )
        self.tracks[track[1][0]] = label.decode()

    def event(self, time, event):
        check(event[11][0] in self.tracks, 'a track before it is described')
        name = self.interned[2, event[10][0]] if 10 in event else event.get(23, [b''])[0].decode()
        category = self.interned[1, event[3][0]] if 3 in event else event.get(22, [b''])[0].decode()
        value = (
            signed(event[30][0])
            if 30 in event
            else struct.unpack('<d', event[44][0])[0]
            if 44 in event
            else None
        )
        args = dict(self.arg(message(arg)) for arg in event[4])
        flows = [
            (field, struct.unpack('<Q', flow)[0]) for field in (47, 48) for flow in event[field]
        ]
        self.events[event[11][0]].append((time, event[9][0], name, category, args, flows, value))

    def arg(self, arg):
        name = self.interned[3, arg[1][0]] if 1 in arg else arg[10][0].decode()
        return name, self.value(arg)

    def value(self, arg):
        if 11 in arg:
            return dict(self.arg(message(member)) for member in arg[11])
        if 12 in arg:
            return [self.value(message(element)) for element in arg[12]]
        if 17 in arg:
            return self.interned[29, arg[17][0]]
        read_as = {
            2: bool,
            3: int,
            4: signed,
            5: lambda b: struct.unpack('<d', b)[0],
            6: bytes.decode,
        }
        return next((read_as[field](arg[field][0]) for field in read_as if field in arg), None)

    def spans(self):
        """Joins begins and ends as every reader does: a stack for each track."""
        for events in self.events.values():
            stack = []
            for time, kind, name, category, args, flows, _ in sorted(events, key=lambda e: e[0]):
                if kind == 1:
                    stack.append((time, name, category, args, flows))
                elif kind == 2:
                    begun, *rest = stack.pop()
                    yield (begun, time - begun, *rest)
            for begun, *rest in stack:
                yield (begun, None, *rest)


def ns(text):
    return int(Decimal(text) // 1)


def expected(rows):
    return collections.Counter(
        (
            r['name'],
            r['category'],
            ns(r['start_ns']),
            ns(str(Decimal(r['start_ns']) + Decimal(r['duration_ns']))) - ns(r['start_ns'])
            if r['duration_ns']
            else None,
        )
        for r in rows
        if r['kind'] == 'span'
    )


def traced(spans):
    return collections.Counter(
        (name, category, start, length) for start, length, name, category, _, _ in spans
    )


def convert(path, *options):
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-s', 'csv', '-s', ':'.join(('perfetto', *options)), '-o', 'out/', path).expect(0)
    return rows_of(files_below('out')['events.csv'])


@test
def spans_are_those_of_the_rows(_):
    for path in (sample(), sample('node-workload.trace.json')):
        rows = convert(path)
        trace = Trace(read('out/trace.pftrace'))
        check_same(traced(trace.spans()), expected(rows), f'spans of {path}')
        ids = {r['id'] for r in rows if r['kind'] == 'span' and r['id']}
        check_same(
            {str(args['id']) for _, _, _, _, args, _ in trace.spans() if 'id' in args}, ids, 'ids'
        )
        about = [
            args
            for events in trace.events.values()
            for _, kind, name, _, args, _, _ in events
            if (kind, name) == (3, 'nprof')
        ]
        check_same([len(a['inputs']) for a in about], [1], 'what the trace is of')


@test
def arrows_bind_the_spans_that_rows_name(_):
    """Each flow has its own number, on the span that its row names as its parent."""
    rows = convert(sample())
    ends = collections.defaultdict(dict)
    for r in rows:
        if r['kind'] == 'flow':
            ends[r['flow']][r['flow_phase']] = r['parent']
    wanted = sorted((e['begin'], e['end']) for e in ends.values() if len(e) == 2)
    check(wanted, 'no flows in the sample')
    found = collections.defaultdict(dict)
    for _, _, _, _, args, flows in Trace(read('out/trace.pftrace')).spans():
        for field, flow in flows:
            found[flow]['end' if field == 48 else 'begin'] = str(args['id'])
    check_same(sorted((e['begin'], e['end']) for e in found.values()), wanted, 'arrows')


@test
def values_keep_their_types(_):
    """Integers of 64 bits, doubles, nested JSON, names that are the sink's own, text of any
    kind."""
    args = {
        'i': -9223372036854775808,
        'u': 18446744073709551615,
        'huge': 10**20,
        'd': 0.1,
        'b': True,
        'e': {},
        'a': [1, [2, 'x"\\\n\u0001é😀']],
        'o': {'k': {'l': None}},
        'id': 'mine',
        'zero': -0.0,
        'long': 'y' * 5000,
    }
    events = [
        {
            'ph': 'X',
            'pid': 1,
            'tid': 1,
            'ts': 5.001,
            'dur': 2,
            'name': 'é',
            'cat': 'c',
            'args': args,
        },
        {
            'ph': 'X',
            'pid': 1,
            'tid': 1,
            'ts': 5.001,
            'dur': 0,
            'name': 'é',
            'cat': 'c',
            'args': {'a': args['a']},
        },
        {'ph': 'C', 'pid': 1, 'ts': 6, 'name': 'n', 'args': {'x': 3}},
        {'ph': 'C', 'pid': 1, 'ts': 7, 'name': 'n', 'args': {'x': 0.5}},
    ]
    write('v.json', json.dumps({'traceEvents': events}))
    convert('v.json')
    trace = Trace(read('out/trace.pftrace'))
    (_, length, name, _, found, _), second = sorted(trace.spans(), key=lambda s: -s[1])
    check_same((name, length, second[1]), ('é', 2000, 0), 'the spans')
    for key, value in args.items():
        shown = found['attr_id' if key == 'id' else key]
        check_same(
            shown,
            {'huge': '1' + '0' * 20, 'e': '{}', 'o': {'k': {'l': 'null'}}}.get(key, value),
            key,
        )
        check_same(type(shown), str if key in ('huge', 'e') else type(value), f'type of {key}')
    check_same(second[4]['a'], args['a'], 'nested JSON again')
    counts = [
        value for events in trace.events.values() for *_, value in events if value is not None
    ]
    check_same(counts, [3, 0.5], 'values of the counter')


@test
def compressed_and_split(_):
    path = write('m.xplane.pb', xspace.many(20000, lines=2))
    rows = convert(path)
    plain = read('out/trace.pftrace')
    convert(path, 'compress=deflate')
    small = read('out/trace.pftrace')
    inflated = b''.join(zlib.decompress(message(packet)[50][0]) for _, packet in fields(small))
    check(inflated == plain, 'what is inflated is another trace')
    check(len(small) < len(plain) / 2, f'{len(small)} of {len(plain)} bytes')
    run('run', '-s', 'perfetto', '-o', 'z/t.pftrace.gz', path).expect(1, err='*z*')
    os.mkdir('z')
    run('run', '-s', 'perfetto', '-o', 'z/t.pftrace.gz', path).expect(0)
    check(gzip.decompress(read('z/t.pftrace.gz')) == plain, 'gzip')
    run('run', '-s', 'perfetto:split_mb=1', '-o', 'parts/', path).expect(0)
    parts = [Trace(read('parts/' + name)) for name in sorted(files_below('parts'))]
    check(len(parts) > 1, 'one part alone')
    found = collections.Counter()
    for part in parts:
        found += traced(part.spans())
    check_same(found, expected(rows), 'spans of all parts')


@test
def times_of_the_origin(_):
    """Timestamps count from the origin, whose Unix time the clocks say."""
    write(
        't.json',
        json.dumps(
            {
                'baseTimeNanoseconds': 1700000000000000000,
                'traceEvents': [
                    {
                        'ph': 'X',
                        'pid': 1,
                        'tid': 1,
                        'ts': 10,
                        'dur': 1,
                        'name': 'a',
                        'cat': 'kernel',
                    }
                ],
            }
        ),
    )
    rows = convert('t.json')
    trace = Trace(read('out/trace.pftrace'))
    check_same(sorted(traced(trace.spans())), sorted(expected(rows)), 'spans')
    manifest = json.loads(read('out/manifest.json')) if os.path.exists('out/manifest.json') else {}
    if manifest.get('origin_unix_ns') is not None:
        check_same(
            trace.clock[1] - trace.clock[6], manifest['origin_unix_ns'], 'Unix time of timestamp 0'
        )


@test
def what_excludes_each_other(_):
    run('run', '-s', 'perfetto:split_mb=1,compress=deflate', '-o', 'out/', sample()).expect(
        1, err='*exclude each other*'
    )
    run('run', '-s', 'perfetto:split_mb=1', '-o', '-', sample()).expect(
        1, err='*stdout cannot be split*'
    )


if __name__ == '__main__':
    main()
