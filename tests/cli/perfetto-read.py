# SPDX-License-Identifier: Apache-2.0
"""perfetto-read.py - the decoder perfetto on traces that are drawn from a seed, each row against
what was drawn (tests/tools/perfetto_make.py); in parts of any size, damaged, hostile and
compressed; and on nprof's own."""

import collections
import gzip
import json
import os
import random
import re
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import check, check_same, main, read, rows_of, run, sample, test, write  # noqa: E402
import perfetto_make as make  # noqa: E402


def ns(text):
    """Decimal ns as whole ns: the format has no others."""
    whole, _, part = text.partition('.')
    check(not part.strip('0'), f'{text} ns is not whole')
    return int(whole)


def events(path, *how):
    return rows_of(run('run', *how, '-s', 'csv', '-o', '-', path).expect(0).out)


def zero_of(path):
    (row,) = rows_of(run('run', '-s', 'csv:table=inputs', '-o', '-', path).expect(0).out)
    return int(json.loads(row['properties'])['trace_zero_ns'])


def skipped(path):
    rows = rows_of(run('run', '-s', 'csv:table=skipped', '-o', '-', path).expect(0).out)
    return {row['what']: int(row['count']) for row in rows}


def place(row):
    return (
        row['process']
        if row['kind'] == 'counter'
        else ''
        if row['kind'] == 'gap'
        else (row['process'], row['thread'])
    )


def value_of(row):
    if row['kind'] == 'counter':
        return float(row['value'])
    return None if row['kind'] != 'span' or not row['duration_ns'] else ns(row['duration_ns'])


def plain(rows, zero):
    return collections.Counter(
        (
            row['kind'],
            place(row),
            row['name'],
            row['category'],
            ns(row['start_ns']) + zero,
            value_of(row),
        )
        for row in rows
        if row['kind'] not in ('flow', 'fact')
    )


def args_of(rows):
    return collections.Counter(
        json.dumps(json.loads(row[key]), sort_keys=True)
        for row in rows
        for key in ('args', 'end_args')
        if row[key]
    )


def made(style, seed):
    trace = make.STYLES[style](seed)
    write('a.pftrace', trace.bytes())
    return trace


def check_style(style, seed):
    trace = made(style, seed)
    rows = events('a.pftrace')
    found, wanted = plain(rows, zero_of('a.pftrace')), collections.Counter(trace.rows)
    check_same(found - wanted, collections.Counter(), f'rows of {style} {seed} that were not drawn')
    check_same(wanted - found, collections.Counter(), f'rows of {style} {seed} that are missing')
    check_same(
        args_of(rows),
        collections.Counter(json.dumps(args, sort_keys=True) for args in trace.args),
        f'args of {style} {seed}',
    )
    ends = [row for row in rows if row['kind'] == 'flow' and row['flow_phase'] != 'begin']
    check_same(len(ends), trace.arrows, f'arrows of {style} {seed}')
    spans = {row['id'] for row in rows if row['id']}
    check({row['parent'] for row in ends} <= spans, 'an arrow ends at no row')


@test
def every_style(_folder):
    for style in make.STYLES:
        for seed in range(6):
            check_style(style, seed)


@test
def parts_and_threads_change_nothing(_folder):
    for style in make.STYLES:
        made(style, 1)
        whole = events('a.pftrace')
        for part, jobs in (('1', '1'), ('1', '3'), ('4096', '2')):
            check_same(
                events('a.pftrace', '-d', f'perfetto:part={part}', '-j', jobs),
                whole,
                f'{style} in parts of {part}',
            )


@test
def several_traces_behind_each_other(_folder):
    """Also compressed; the clocks of the second go back."""
    trace = make.library(1)
    write('a.pftrace', gzip.compress(2 * trace.bytes()))
    wanted = collections.Counter({row: 2 * n for row, n in collections.Counter(trace.rows).items()})
    check_same(plain(events('a.pftrace'), zero_of('a.pftrace')), wanted, 'rows of both')


@test
def at_the_moment_of_a_snapshot(_folder):
    """Two snapshots between which a clock loses 500 ns: the second holds from its own moment on."""
    base, unit = 90 * make.SECOND, 1000
    readings = ((base, 5000), (base + 2000 * unit + 500, 7000))
    trace = b''.join(
        make.message(
            1,
            make.number(10, 1),
            make.message(
                6,
                make.message(1, make.number(1, make.BOOT), make.number(2, ns)),
                make.message(1, make.number(1, 70), make.number(2, own), make.number(4, unit)),
            ),
        )
        for ns, own in readings
    )
    wanted = {4999: -1000, 5000: 0, 6999: 1999000, 7000: 2000500, 7001: 2001500}
    for own in wanted:
        trace += make.message(
            1,
            make.number(8, own),
            make.number(58, 70),
            make.number(10, 1),
            make.message(11, make.number(9, 3), make.message(23, f'{own}')),
        )
    write('a.pftrace', trace)
    zero = zero_of('a.pftrace')
    check_same(
        {int(row['name']): ns(row['start_ns']) + zero - base for row in events('a.pftrace')},
        wanted,
        'times beside those of snapshots',
    )


class Adding:
    """A sequence with a clock each of whose readings adds to the last, and what rows it makes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now = 90 * make.SECOND
        self.rows = collections.Counter()
        self.open = []
        self.bytes = self.clear(
            make.message(
                6,
                make.message(1, make.number(1, make.BOOT), make.number(2, self.now)),
                make.message(1, make.number(1, 64), make.number(2, self.now), make.number(3, 1)),
            )
        )
        for i in range(300):
            self.bytes += self.random.choice(
                (self.begin, self.begin, self.end, self.end, self.instant, self.clear)
            )()

    def clear(self, *fields):
        names = make.message(2, make.number(1, 1), make.message(2, 'span'))
        defaults = make.message(59, make.number(58, 64))
        head = make.number(10, 1), make.number(13, 1)
        return make.message(1, *head, defaults, make.message(12, names), *fields)

    def event(self, *fields):
        """Some state the time itself, and do not move the clock."""
        step = self.random.randrange(1, 1000)
        if self.random.randrange(4):
            self.now += step
            time = (make.number(8, step),)
        else:
            time = make.number(8, self.now), make.number(58, make.BOOT)
        head = make.number(10, 1), make.number(13, 2)
        return make.message(1, *head, *time, make.message(11, make.number(11, 10), *fields))

    def begin(self):
        packet = self.event(make.number(9, 1), make.number(10, 1))
        self.open.append(self.now)
        return packet

    def end(self):
        if not self.open or self.open[-1] == self.now:
            return b''
        packet = self.event(make.number(9, 2))
        start = self.open.pop()
        self.rows['span', 'span', start, self.now - start] += 1
        return packet

    def instant(self):
        packet = self.event(make.number(9, 3), make.message(23, 'mark'))
        self.rows['instant', 'mark', self.now, None] += 1
        return packet


@test
def times_that_add_up(_folder):
    """Begins and ends that are not read for their rows stand between events that are; one of
    another sequence says that packets before it were lost, and when is known of the last."""
    for seed in range(8):
        adding = Adding(seed)
        base = adding.now + make.SECOND
        other = [
            make.message(
                1,
                make.number(8, base + 10 * i),
                make.number(10, 2),
                make.message(11, make.number(9, 1 + i % 2), make.number(11, 11)),
                make.number(42, i == 4),
            )
            for i in range(6)
        ]
        for start in adding.open:
            adding.rows['span', 'span', start, None] += 1
        for i in (0, 2, 4):
            adding.rows['span', '', base + 10 * i, 10] += 1
        adding.rows['gap', 'lost packets of sequence 2', base + 30, None] += 1
        write('a.pftrace', adding.bytes + b''.join(other))
        zero = zero_of('a.pftrace')
        found = collections.Counter(
            (row['kind'], row['name'], ns(row['start_ns']) + zero, value_of(row))
            for row in events('a.pftrace')
        )
        check_same(found, adding.rows, f'rows of {seed}')


@test
def time_zero(_folder):
    """It is the second of the first time, or of one amid most where the first is far from these."""
    second, day = make.SECOND, 86400 * make.SECOND
    for first, others, zero in (
        (5 * second + 7, (65 * second, 90 * second), 0),  # times this small stay
        (60 * day + 5 * second + 7, (60 * day + 65 * second, 90 * day), 60 * day + 5 * second),
        (50 * day + 7, (200 * day + 61 * second, 200 * day + 99 * second), 200 * day + 61 * second),
    ):
        write(
            'a.pftrace',
            b''.join(
                make.message(
                    1,
                    make.number(8, at),
                    make.number(10, 1),
                    make.message(11, make.number(9, 3), make.message(23, 'mark')),
                )
                for at in (first, *others)
            ),
        )
        check_same(zero_of('a.pftrace'), zero, f'first {first}')


def seven_bytes(value):
    """A varint longer than it need be, so that numbers of any size take the same room."""
    digits = [value >> 7 * i & 127 for i in range(7)]
    return bytes(digit | 128 for digit in digits[:-1]) + bytes(digits[-1:])


def named_by(beyond, seed):
    """Spans whose args are named by numbers that begin at 1 + beyond; some args are odd."""
    rand = random.Random(seed)
    names = ['device', 'stream', 'correlation', 'begin_ns', 'end_ns', 'agent', 'grid', 'bytes', 'x']
    number_of = {name: seven_bytes(beyond + i + 1) for i, name in enumerate(names)}
    words = b''.join(
        make.message(3, b'\x08' + number, make.message(2, name))
        for name, number in number_of.items()
    )
    trace = make.message(
        1, make.number(10, 1), make.number(13, 1), make.message(12, words)
    ) + make.message(1, make.message(60, make.number(1, 7), make.message(2, 'lane')))

    def value():
        return rand.choice(
            [
                lambda: make.number(3, rand.randrange(1 << rand.randint(1, 40))),
                lambda: make.number(4, 1000 + rand.randrange(50)),
                lambda: make.double(5, rand.random()),
                lambda: make.message(6, rand.choice(['12', 'GPU [1]', 'word', ''])),
                lambda: make.message(12, make.number(4, 1)) + make.message(12, make.number(4, 2)),
                lambda: make.message(11, make.message(10, 'device'), make.number(4, 3)),
                lambda: b'',
            ]
        )()

    def one():
        body = b'\x08' + number_of[rand.choice(names)]
        odd = rand.random()
        if odd < 0.05:
            body += b'\x08' + number_of[rand.choice(names)]
        elif odd < 0.1:
            body += make.message(10, rand.choice(names))
        elif odd < 0.15:
            body = b'\x08' + seven_bytes(beyond + 400)
        elif odd < 0.2:
            return make.message(4, value(), body)
        elif odd < 0.22:
            return make.message(4, body, value(), b'\x18')  # cut off
        return make.message(4, body, value())

    for i in range(200):
        kind, extra = (1, make.message(23, 'work')) if i % 2 == 0 else (2, b'')
        args = b''.join(one() for _ in range(rand.randint(0, 5)))
        trace += make.message(
            1,
            make.number(8, 1000 + 10 * i),
            make.number(10, 1),
            make.message(11, make.number(9, kind), make.number(11, 7), extra, args),
        )
    return trace


@test
def names_of_any_number(_folder):
    """Small numbers of names are known by a table, large ones are looked up with each argument."""
    for seed in range(8):
        for how in (('csv',), ('csv:columns=name+duration_ns+category+device+bytes',), ('null',)):
            found = []
            for beyond in (0, 1 << 40):
                write('a.pftrace', named_by(beyond, seed))
                done = run('run', '-k', '-s', *how, '-o', '-', 'a.pftrace')
                check(done.status in (0, 3), f'status {done.status}')
                found.append((done.status, done.out, done.err))
            check_same(found[0], found[1], f'{how} of seed {seed}')
            check('null' in how or 'work' in found[0][1], 'there are rows')


@test
def calls_and_their_work(_folder):
    """A call and its work have one correlation_id, and work is of the step of its launch."""
    for style, category in (
        ('pytorch', 'cuda_runtime'),
        ('stages', 'cuda_runtime'),
        ('rocm', 'hip_api'),
    ):
        made(style, 2)
        rows = [row for row in events('a.pftrace') if row['kind'] == 'span']
        calls = {row['correlation_id']: row for row in rows if row['category'] == category}
        work = [row for row in rows if row['process'].startswith('GPU')]
        check(
            work and all(row['correlation_id'] in calls for row in work),
            f'work of {style} without its call',
        )
        if style == 'pytorch':
            check_same(
                [row['step'] for row in work],
                [calls[row['correlation_id']]['step'] for row in work],
                'steps',
            )


@test
def conclusions(_folder):
    """What the rows mean is said of each: steps and work are found, whichever way PyTorch and ROCm
    write them."""
    made('pytorch', 1)
    text = run('report', 'a.pftrace').expect(0).out
    check('3 steps' in text and 'Summary of Perfetto, GPU 0' in text, text)
    rows = rows_of(run('run', '--meaning', '-s', 'csv', '-o', '-', 'a.pftrace').expect(0).out)
    check_same(
        {
            (row['name'], row['work'])
            for row in rows
            if row['kind'] == 'span' and row['process'] == 'GPU 0'
        },
        {
            ('gemm', 'compute'),
            ('relu', 'compute'),
            ('ncclDevKernel_AllReduce', 'communication'),
            ('Memcpy HtoD', 'transfer'),
        },
        'work',
    )


@test
def what_rocm_does(_folder):
    """Rows of ROCm say what they are: its categories are none that others have."""
    made('rocm', 3)
    rows = rows_of(run('run', '--meaning', '-s', 'csv', '-o', '-', 'a.pftrace').expect(0).out)
    found = {row['category']: row['work'] for row in rows if row['kind'] == 'span'}
    check_same(
        found,
        {'hip_api': '', 'kernel_dispatch': 'compute', 'memory_copy': 'transfer'},
        'work by category',
    )


def union(intervals):
    """The ns that any of them covers."""
    covered, last = 0, 0
    for start, end in sorted(intervals):
        covered += max(0, end - max(start, last))
        last = max(last, end)
    return covered


@test
def what_rebellions_npus_do(_folder):
    """What holds its engines is one device, also where chiplets hold them; rows are what their
    categories say, and its busy time is theirs."""
    for seed in range(6):
        trace = made('rebellions', seed)
        spans = [row for row in trace.rows if row[1][0] == 'Device 2']
        rows = rows_of(run('run', '--meaning', '-s', 'csv', '-o', '-', 'a.pftrace').expect(0).out)
        check_same(
            {
                (row['process'], row['category']): row['work']
                for row in rows
                if row['kind'] == 'span'
            },
            {('Host 1', 'Host'): '', ('Device 2', 'Device Workload'): 'program'}
            | {
                ('Device 2', category): make.REBELLIONS[category]
                for *_, category, _, _ in spans
                if category in make.REBELLIONS
            },
            f'work of {seed}',
        )
        check_same(
            collections.Counter(
                (row['name'], row['step']) for row in rows if row['kind'] == 'span'
            ),
            collections.Counter(
                (name, name.partition('_')[0] if place[0] == 'Device 2' else '')
                for _, place, name, *_ in trace.rows
            ),
            f'steps of {seed}',
        )
        (device,) = rows_of(
            run('run', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', 'a.pftrace')
            .expect(0)
            .out
        )
        for column, works in (
            ('busy_ns', ('compute', 'copy', 'transfer')),
            ('compute_ns', ('compute',)),
            ('copy_ns', ('copy', 'transfer')),
        ):
            drawn = union(
                (start, start + lasts)
                for *_, category, start, lasts in spans
                if make.REBELLIONS.get(category) in works
            )
            check_same(ns(device[column]), drawn, f'{column} of {seed}')


@test
def instances_of_a_model_have_no_steps_together(_folder):
    """Each counts its inferences for itself."""
    data = make.rebellions(1).bytes()
    named = re.sub(rb'([0-3])_W[0-3]_', lambda m: b'i' + m[1] + b'_' + m[1] + b'_', data)
    write('a.pftrace', named)
    rows = events('a.pftrace')
    seen = [row['step'] for row in rows if re.match(r'i\d_\d_fused', row['name'])]
    check(seen and not any(seen), f'steps of instances: {seen}')


@test
def who_is_no_npu_of_rebellions(_folder):
    """Another producer that calls tracks alike, or categories, has no device."""
    for how in (
        {'track': str.lower},
        {'category': str.lower},
        {'track': lambda name: f'worker of {name}'},
        {'category': lambda name: ''},
    ):
        for seed in range(2):
            write('a.pftrace', make.rebellions(seed, **how).bytes())
            text = run('report', 'a.pftrace').expect(0).out
            check('UNDETERMINED: no row says that it ran on a device' in text, f'{how}: {text}')


def same_rows(path, columns):
    """The rows of a profile, and those of the trace that nprof makes of it; arrows are between
    spans there."""
    run('run', '-s', 'perfetto', '-o', 'own.pftrace', path).expect(0)
    one, other = (
        [row for row in events(p) if row['kind'] != 'flow'] for p in (path, 'own.pftrace')
    )
    inputs = {os.path.basename(path), 'own.pftrace'}
    plain_rows = [
        collections.Counter(
            tuple(
                '' if row[c] in inputs else row[c] for c in columns if c in one[0] and c in other[0]
            )
            for row in rows
        )
        for rows in (one, other)
    ]
    check(len(one) > 10, f'{path} has no rows')
    check_same(
        plain_rows[1] - plain_rows[0], collections.Counter(), f'rows that {path} does not have'
    )
    check_same(
        plain_rows[0] - plain_rows[1], collections.Counter(), f'rows of {path} that are missing'
    )


@test
def what_nprof_wrote(_folder):
    """Its own traces are the profiles that they were made of: tracks, times in ps, facts,
    attributes."""
    columns = (
        'start_ns',
        'duration_ns',
        'process',
        'thread',
        'kind',
        'category',
        'name',
        'value',
        'id',
        'correlation_id',
        'stream',
        'device',
        'bytes',
        'step',
        'flops',
        'run_id',
        'hlo_op',
        'framework_op',
        'collective',
        'group_ranks',
        'source',
        'unit',
        'device_type',
        'peak_flops',
        'memory_size',
        'attr_value',
    )
    for style in 'pytorch', 'rocm', 'odd':
        made(style, 3)
        same_rows('a.pftrace', [c for c in columns if c != 'id'])
    same_rows(sample(), columns)
    write(
        'far.json',
        json.dumps(
            [
                {'ph': 'X', 'name': f'{i}', 'pid': 1, 'tid': 2, 'ts': i - 3.0005, 'dur': 1.0005}
                for i in range(12)
            ]
        ),
    )
    same_rows('far.json', columns)


def zstd_frame(data, most=128 << 10, sized=True):
    """A frame of zstd (RFC 8878) whose blocks are not compressed."""
    head = b'\xa0' + struct.pack('<I', len(data)) if sized else b'\x00\x58'
    blocks, at = [], 0
    while at == 0 or at < len(data):
        part = data[at : at + most]
        at += most
        blocks.append(struct.pack('<I', len(part) << 3 | (at >= len(data)))[:3] + part)
    return b'\x28\xb5\x2f\xfd' + head + b''.join(blocks)


def without_places(path, *how):
    """Rows without numbers that are places in the file."""
    places = ('id', 'parent', 'flow')
    return [{k: v for k, v in row.items() if k not in places} for row in events(path, *how)]


@test
def packets_in_zstd(_folder):
    """They are read as those in zlib and as those that are not compressed, in one or more blocks;
    of a frame that is cut or damaged nothing is, and the byte is named."""
    for seed in range(2):
        whole = make.stages(seed).bytes()
        write('a.pftrace', whole)
        wanted = without_places('a.pftrace')
        packed = [make.message(50, zlib.compress(whole))]
        packed += [make.message(133, zstd_frame(whole, most, most > 99)) for most in (7, 128 << 10)]
        for field in packed:
            write('a.pftrace', make.message(1, field))
            for jobs in '1', '3':
                check_same(without_places('a.pftrace', '-j', jobs), wanted, f'seed {seed}')
    frame = zstd_frame(whole)
    for bad in (frame[:-1], frame[:9], frame[:4], b'\x28\xb5\x2f\xfd\xff' + frame[5:], frame[4:]):
        write('a.pftrace', make.stages(1).bytes() + make.message(1, make.message(133, bad)))
        run('run', '-s', 'null', 'a.pftrace').expect(
            2, err='*a.pftrace: byte *: compressed_packets: no stream of zlib or zstd*'
        )
        run('run', '-k', '-s', 'null', 'a.pftrace').expect(3)
    inner = make.message(1, make.message(133, frame))
    write(
        'a.pftrace', make.stages(1).bytes() + make.message(1, make.message(133, zstd_frame(inner)))
    )
    check_same(skipped('a.pftrace'), {'zstd_compressed_packets': 1}, 'one within another')


@test
def what_is_passed_over(_folder):
    write(
        'a.pftrace',
        make.odd(1).bytes()
        + make.message(
            1,
            make.number(8, 5),
            make.number(10, 1),
            make.message(11, make.number(9, 2), make.number(11, 99)),
        )
        + make.message(1, make.number(10, 1), make.message(66, b'x'))
        + make.message(
            1,
            make.number(8, 5),
            make.number(58, 77),
            make.number(10, 1),
            make.message(11, make.number(9, 3), make.number(11, 1)),
        ),
    )
    check_same(
        skipped('a.pftrace'),
        {
            'end without a begin': 1,
            'packet 66': 1,
            'packet 999': 1,
            'packet of another clock': 1,
        },
        'counts',
    )
    rows = rows_of(run('run', '-s', 'csv:table=skipped', '-o', '-', 'a.pftrace').expect(0).out)
    why = {row['what']: row['reason'] for row in rows}
    check_same(
        [why['packet 66'], why['packet 999']],
        ['perf_sample: nprof reads no rows of its kind', 'nprof reads no rows of its kind'],
        'names',
    )


@test
def a_trace_of_the_kernel_alone(_folder):
    write(
        'a.pftrace',
        make.message(
            1, make.number(10, 1), make.message(1, make.message(2, b''), make.message(2, b''))
        ),
    )
    run('run', '-s', 'null', 'a.pftrace').expect(0, err='*this trace has no rows that nprof reads*')
    check_same(skipped('a.pftrace'), {'ftrace_event': 2}, 'counts')


@test
def cut_off(_folder):
    data = make.stages(1).bytes()
    write('a.pftrace', data[:-3])
    run('run', '-s', 'null', 'a.pftrace').expect(
        2, err='*a.pftrace: byte *: no packet begins here, or it goes on beyond the end*'
    )
    run('run', '-k', '-s', 'csv', '-o', 'out', 'a.pftrace').expect(3)
    rows = rows_of(read('out/events.csv'))
    check(
        len(rows) > 50 and any(row['kind'] == 'gap' for row in rows), 'what comes before the damage'
    )


@test
def a_damaged_packet(_folder):
    """It is skipped with its byte; all others count."""
    trace = make.pytorch(1)
    trace.out.insert(6, make.message(1, b'\x08\xff'))
    write('a.pftrace', trace.bytes())
    at = len(b''.join(trace.out[:6]))
    run('run', '-s', 'null', 'a.pftrace').expect(2, err=f'*byte {at}: packet: a field is cut off*')
    run('run', '-k', '-s', 'csv', '-o', 'out', 'a.pftrace').expect(3)
    found = rows_of(read('out/events.csv'))
    gap, rows = ([row for row in found if (row['kind'] == 'gap') == is_gap] for is_gap in (1, 0))
    check_same(plain(rows, 0), collections.Counter(trace.rows), 'rows')
    check_same(
        [(row['name'], row['duration_ns']) for row in gap],
        [('rows of any time may be missing', '')],
        'the packet',
    )


@test
def any_change(_folder):
    """Whatever bytes change, nprof ends as it says: read, or damaged."""
    rand = random.Random(7)
    for style in make.STYLES:
        data = make.STYLES[style](1).bytes()
        for _ in range(25):
            changed = bytearray(data)
            for _ in range(rand.randint(1, 4)):
                changed[rand.randrange(len(changed))] = rand.randrange(256)
            write(
                'a.pftrace',
                bytes(changed[: rand.choice([len(data), rand.randrange(1, len(data))])]),
            )
            status = run('run', '-k', '-d', 'perfetto', '-s', 'csv', '-o', '-', 'a.pftrace').status
            check(status in (0, 2, 3), f'{style}: status {status}')


@test
def deep_and_circular(_folder):
    args = b''
    for _ in range(300):
        args = make.message(12, args) if args else make.message(12, make.number(4, 1))
    circle = [
        make.message(
            1,
            make.message(
                60,
                make.number(1, 10 + i),
                make.number(5, 10 + (i + 1) % 3),
                make.message(2, f'{i}'),
            ),
        )
        for i in range(3)
    ]
    event = make.message(
        1,
        make.number(8, 5),
        make.number(10, 1),
        make.message(
            11,
            make.number(9, 3),
            make.number(11, 11),
            make.message(4, make.message(10, 'deep'), args),
        ),
    )
    write('a.pftrace', b''.join(circle) + event)
    (row,) = [row for row in events('a.pftrace') if row['kind'] == 'instant']
    check_same(row['args'].count('['), 99, 'levels')
    check_same(set(skipped('a.pftrace')), {'arg', 'parent of a track'}, 'counts')


if __name__ == '__main__':
    main()
