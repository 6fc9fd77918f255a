# SPDX-License-Identifier: Apache-2.0
"""memory.py - the analyzer memory and the table program_memory: beside a plain calculation on
random rows of allocators, and beside what others computed (the folder golden beside the data)."""

import csv
import io
import json
import os
import random
from collections import Counter
from decimal import Decimal

import xspace
from harness import Skip, add_test, check, check_same, main, run, test, write
from viewserver import Server

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'analyses')
BEFORE = ('(before the recording)', '(reserved or earlier)', '(freed without a row)')


def golden(name):
    path = os.path.join(GOLDEN, name)
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def table(path, name='memory', more=()):
    result = run('run', '-a', 'memory', '-s', f'csv:table={name}', '-o', '-', *more, path)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def ps(text):
    return int(Decimal(text) * 1000)


def parts_of_report(path):
    """Tables of a report, by name; without the label of the input."""
    done = run('report', '-q', '--full', '--top', '0', '--format', 'json', path).expect(0)
    return {t['name']: [row[1:] for row in t['rows']] for t in json.loads(done.out)['tables']}


def sums(rows, column):
    """Bytes by that column, without what was there before; every column that is not known is ''."""
    found = Counter()
    for row in rows:
        if row['region'] not in BEFORE:
            found[row[column]] += int(row['bytes'])
    return found


def check_closed(rows, holders):
    for row in rows:
        of = [h for h in holders if h['allocator'] == row['allocator']]
        if row['peak_bytes'] and row['leaked_bytes']:
            check_same(
                sum(int(h['bytes']) for h in of),
                int(row['peak_bytes']),
                f'holders of {row["allocator"]}',
            )
            check_same([int(h['rank']) for h in of], list(range(1, len(of) + 1)), 'ranks')
            check_same(
                [int(h['bytes']) for h in of],
                sorted((int(h['bytes']) for h in of), reverse=True),
                'largest first',
            )


# -- PyTorch
# ------------------------------------------------------------------------------------------------


@test
def pytorch_of_a_real_job(_folder):
    ((name, expected),) = golden('memory_kineto.json').items()
    path = os.path.join(DATA, 'json', name.split(': ')[1])
    rows, holders = {row['allocator']: row for row in table(path)}, table(path, 'memory_holders')
    check_closed(rows.values(), holders)
    modules = table(path, 'memory_modules')
    for key, allocator in (('0/-1', 'CPU'), ('1/0', 'CUDA 0')):
        row, want = rows[allocator], expected[key]
        check_same(
            [
                int(row[c])
                for c in (
                    'events',
                    'peak_bytes',
                    'before_bytes',
                    'rise_bytes',
                    'leaked_bytes',
                    'gaps',
                )
            ],
            [
                want[c]
                for c in (
                    'events',
                    'peak_bytes',
                    'held_before',
                    'peak_rise_bytes',
                    'live_at_end_bytes',
                    'totals_that_do_not_follow',
                )
            ],
            allocator,
        )
        check_same(row['reserved_bytes'], str(want['reserved_at_peak'] or ''), 'reserved')
        check_same(
            ps(row['peak_ns']) % 10**12, want['peak_ts_ps'] % 10**12, 'when, below a second'
        )
        of = [h for h in holders if h['allocator'] == allocator]
        check_same(
            sum(int(h['bytes']) for h in of if h['region'] in BEFORE),
            want['holders_before'],
            'before',
        )
        operators, named = sums(of, 'operator'), sums(of, 'module')
        for found, listed, prefix in (
            (operators, want['by_op'], ''),
            (named, want['by_module'], 'nn.Module: '),
        ):
            for holder, size in listed:
                check_same(found[holder.removeprefix(prefix)], size, holder)
        check_same(sum(operators.values()), want['holders_known'], 'known')
        check_same(
            sum(int(m['allocated_bytes']) for m in modules if m['allocator'] == allocator),
            want['alloc_bytes'],
            'modules',
        )


def instant(at, args, tid=1):
    return {
        'ph': 'i',
        's': 't',
        'cat': 'cpu_instant_event',
        'name': '[memory]',
        'pid': 9,
        'tid': tid,
        'ts': at,
        'args': args,
    }


def span(category, name, start, end, tid=1):
    return {
        'ph': 'X',
        'cat': category,
        'name': name,
        'pid': 9,
        'tid': tid,
        'ts': start,
        'dur': end - start,
        'args': {},
    }


def random_trace(rng):
    """Nested operators and modules on two threads, and allocations that know their totals; two
    devices."""
    events, spans = [], []
    for tid in (1, 2):
        start = 0
        while start < 200:
            length = rng.randrange(8, 40)
            a, b = start, start + length
            while b - a > 3:
                kind = rng.choice(('cpu_op', 'python_function', 'user_annotation'))
                name = (
                    rng.choice(('aten::mm', 'aten::add', 'aten::empty'))
                    if kind == 'cpu_op'
                    else (
                        f'nn.Module: Linear_{rng.randrange(3)}'
                        if rng.random() < 0.7
                        else 'forward.py(7): f'
                    )
                )
                spans.append((kind, name, a, b, tid))
                a, b = a + rng.randrange(3), b - rng.randrange(1, 4)
            start += length + rng.randrange(4)
    total, live, index = {0: rng.randrange(3) * 1000, 1: 0}, {0: {}, 1: {}}, 0
    for at in sorted(rng.choice(range(0, 420)) for _ in range(120)):
        device, size = rng.randrange(2), 256 * rng.randrange(1, 9)
        if live[device] and rng.random() < 0.45:
            address = rng.choice(list(live[device]))
            size = -live[device].pop(address)
        elif rng.random() < 0.05 and total[device] >= 1000:
            address, size = 7, -1000  # of before the recording
        else:
            address = rng.choice([k for k in range(100, 160) if k not in live[device]])
            live[device][address] = size
        total[device] += size
        index += 1
        events.append(
            instant(
                at / 2,
                {
                    'Bytes': size,
                    'Addr': address,
                    'Device Type': 1,
                    'Device Id': device,
                    'Total Allocated': total[device],
                    'Total Reserved': 99999,
                    'Ev Idx': index,
                },
                rng.choice((1, 2)),
            )
        )
    return events, spans


def innermost(spans, tid, at, wanted):
    """By name: of the spans around that moment, the one that lies deepest; the made ones are
    nested."""
    around = [s for s in spans if s[4] == tid and s[2] <= at <= s[3] and wanted(s)]
    # spans that touch at an end: the later one began last, and the one before is no longer around
    # it
    return max(around, key=lambda s: (s[2], -s[3], spans.index(s)))[1] if around else ''


def plainly(events, spans):
    """{device: (peak, when, known by operator)} by looking at each moment alone."""
    found = {}
    for device in (0, 1):
        rows = [e for e in events if e['args']['Device Id'] == device]
        if not rows:
            continue
        top = max(range(len(rows)), key=lambda i: (rows[i]['args']['Total Allocated'], -i))
        live = {}
        for e in rows[: top + 1]:
            args = e['args']
            live.pop(args['Addr'], None)
            if args['Bytes'] > 0:
                live[args['Addr']] = args['Bytes'], innermost(
                    spans, e['tid'], e['ts'], lambda s: s[0] == 'cpu_op'
                )
        operators = Counter()
        for size, operator in live.values():
            operators[operator] += size
        found[f'CUDA {device}'] = rows[top]['args']['Total Allocated'], rows[top]['ts'], operators
    return found


def separate(spans):
    """Spans of a thread that neither touch nor share an end with another that is not around
    them."""
    return [
        (k, n, a + 0.01 * d, b - 0.01 * d, t)
        for d, (k, n, a, b, t) in enumerate(sorted(spans, key=lambda s: (s[4], s[2], -s[3])))
    ]


def add_random(seed):
    def test_one(_folder):
        rng = random.Random(seed)
        events, spans = random_trace(rng)
        spans = [s for s in separate(spans) if s[3] > s[2]]
        keep = []
        for s in spans:  # nested or apart, never in part
            if all(
                s[4] != o[4] or s[3] < o[2] or s[2] > o[3] or (o[2] < s[2] and s[3] < o[3])
                for o in keep
            ):
                keep.append(s)
        trace = events + [span(*s[:4], tid=s[4]) for s in keep]
        rng.shuffle(trace)
        path = write(
            f'memory{seed}.json',
            json.dumps({'schemaVersion': 1, 'baseTimeNanoseconds': 0, 'traceEvents': trace}),
        )
        expected = plainly(events, keep)
        rows, holders = {row['allocator']: row for row in table(path)}, table(
            path, 'memory_holders'
        )
        check_same(sorted(rows), sorted(expected), 'allocators')
        check_closed(rows.values(), holders)
        for allocator, (peak, at, operators) in expected.items():
            check_same(
                [int(rows[allocator]['peak_bytes']), rows[allocator]['gaps']],
                [peak, '0'],
                allocator,
            )
            first = min(s[2] for s in keep + [(0, 0, e['ts']) for e in events])
            check(
                abs(
                    ps(rows[allocator]['peak_ns'])
                    - round((at - int(first // 10**6) * 10**6) * 10**6)
                )
                <= 1,
                f'{allocator}: {rows[allocator]} {at}',
            )
            check_same(
                sums([h for h in holders if h['allocator'] == allocator], 'operator'),
                operators,
                f'{allocator}: operators',
            )

    add_test(f'random trace {seed}', test_one)


for each in range(10):
    add_random(each)


@test
def without_totals_only_the_rise_is_known(_folder):
    path = write(
        'old.json',
        json.dumps(
            {
                'traceEvents': [
                    instant(1, {'Bytes': 100, 'Device Type': 1, 'Device Id': 0}),
                    instant(2, {'Bytes': -40, 'Device Type': 1, 'Device Id': 0}),
                    instant(3, {'Bytes': 70, 'Device Type': 1, 'Device Id': 0}),
                ]
            }
        ),
    )
    (row,) = table(path)
    check_same(
        [row[c] for c in ('events', 'peak_bytes', 'rise_bytes', 'leaked_bytes', 'reason')],
        ['3', '', '130', '', 'the file states neither totals nor addresses'],
        'row',
    )
    check_same(table(path, 'memory_holders'), [], 'holders')
    check_same(
        table(write('none.json', json.dumps({'traceEvents': [span('cpu_op', 'a', 0, 1)]}))),
        [],
        'no rows of allocators',
    )


@test
def totals_that_do_not_follow_are_counted(_folder):
    args = {'Device Type': 0, 'Device Id': -1}
    (row,) = table(
        write(
            'gaps.json',
            json.dumps(
                {
                    'traceEvents': [
                        instant(1, {'Bytes': 10, 'Addr': 1, 'Total Allocated': 10, **args}),
                        instant(2, {'Bytes': 10, 'Addr': 2, 'Total Allocated': 50, **args}),
                        instant(3, {'Bytes': -10, 'Addr': 1, 'Total Allocated': 40, **args}),
                    ]
                }
            ),
        )
    )
    check_same(
        [row[c] for c in ('allocator', 'peak_bytes', 'gaps', 'end_bytes', 'leaked_bytes')],
        ['CPU', '50', '1', '40', '10'],
        'row',
    )


@test
def an_address_is_used_again(_folder):
    args = {'Device Type': 1, 'Device Id': 3}
    trace = [
        span('cpu_op', 'first', 0, 2),
        span('cpu_op', 'second', 4, 9),
        instant(1, {'Bytes': 10, 'Addr': 1, 'Total Allocated': 10, **args}),
        instant(3, {'Bytes': -10, 'Addr': 1, 'Total Allocated': 0, **args}),
        instant(5, {'Bytes': 30, 'Addr': 1, 'Total Allocated': 30, **args}),
        instant(6, {'Bytes': -30, 'Addr': 1, 'Total Allocated': 0, **args}),
        instant(7, {'Bytes': 20, 'Addr': 1, 'Total Allocated': 20, **args}),
    ]
    path = write('again.json', json.dumps({'traceEvents': trace}))
    (holder,) = table(path, 'memory_holders')
    check_same(
        [holder[c] for c in ('allocator', 'bytes', 'count', 'operator', 'age_ns')],
        ['CUDA 3', '30', '1', 'second', '0'],
        'holder',
    )
    (hidden,) = table(path, 'memory_holders', ('--to', '4us'))
    check_same([hidden['bytes'], hidden['operator']], ['10', 'first'], 'of what is selected')


@test
def a_free_that_was_lost_takes_nothing_from_the_peak(_folder):
    """The address of what held the peak is given out again, behind the peak, and no row says that
    it was freed."""
    args = {'Device Type': 1, 'Device Id': 0}
    trace = [
        span('cpu_op', 'first', 1, 4),
        span('cpu_op', 'second', 6, 9),
        instant(2, {'Bytes': 300, 'Addr': 1, 'Total Allocated': 300, **args}),
        instant(3, {'Bytes': 50, 'Addr': 2, 'Total Allocated': 350, **args}),
        instant(5, {'Bytes': -50, 'Addr': 2, 'Total Allocated': 300, **args}),
        instant(7, {'Bytes': 10, 'Addr': 1, 'Total Allocated': 10, **args}),
    ]
    path = write('lost.json', json.dumps({'traceEvents': trace}))
    check_same(
        [
            (h['bytes'], h['count'], h['operator'], h['region'])
            for h in table(path, 'memory_holders')
        ],
        [('350', '2', 'first', '')],
        'holders',
    )
    check_same(
        [table(path)[0][c] for c in ('peak_bytes', 'gaps', 'leaked_bytes')],
        ['350', '1', '10'],
        'totals',
    )


# -- XLA
# ------------------------------------------------------------------------------------------------------


@test
def xla_of_real_jobs(_folder):
    for name, allocators in golden('memory_xplane.json').items():
        path = os.path.join(DATA, 'xplane', name)
        rows, holders = {row['allocator']: row for row in table(path)}, table(
            path, 'memory_holders'
        )
        check_same(sorted(rows), sorted(allocators), name)
        check_same(
            sorted(row[0] for row in parts_of_report(path)['memory']),
            sorted(allocators),
            'beside other analyzers',
        )
        check_closed(rows.values(), holders)
        for allocator, want in allocators.items():
            row = rows[allocator]
            columns = (
                ('events', 'events'),
                ('peak_bytes', 'peak_bytes'),
                ('before_bytes', 'holders_before'),
                ('capacity_bytes', 'capacity_at_peak'),
                ('lifetime_peak_bytes', 'lifetime_peak_of_last_row'),
            )
            check_same(
                [int(row[ours]) for ours, _ in columns],
                [want[theirs] for _, theirs in columns],
                f'{name}: {allocator}',
            )
            check_same(ps(row['peak_ns']), want['peak_time_ps'], f'{name}: {allocator} when')
            of = [h for h in holders if h['allocator'] == allocator]
            check_same(sum(sums(of, 'operator').values()), want['holders_known'], 'known')


def stat(ident, value):
    return xspace.message(
        4,
        xspace.number(1, ident)
        + (xspace.message(5, value) if isinstance(value, str) else xspace.number(4, value)),
    )


@test
def xla_counts_what_was_asked_for_and_the_region(_folder):
    names = [
        'allocator_name',
        'bytes_reserved',
        'bytes_allocated',
        'bytes_available',
        'peak_bytes_in_use',
        'requested_bytes',
        'allocation_bytes',
        'addr',
        'tf_op',
        'region_type',
        'tensor_shapes',
    ]
    rows = [
        (1, ('a', 0, 100, 900, 100, 70, 100, 1, 'op1', 'temp', '[7]')),
        (1, ('a', 0, 300, 700, 300, 200, 200, 2, 'op2', 'output', '[20]')),
        (2, ('a', 0, 200, 800, 300, None, None, 1, None, None, None)),
        (1, ('a', 50, 250, 700, 300, 50, 50, 3, 'op2', 'output', '[20]')),
    ]
    events = b''.join(
        xspace.event(
            kind,
            1000 * i,
            0,
            b''.join(stat(k + 1, v) for k, v in enumerate(values) if v is not None),
        )
        for i, (kind, values) in enumerate(rows)
    )
    space = xspace.plane(
        1,
        '/host:CPU',
        xspace.line(1, 'main', events),
        xspace.named(4, 1, 'MemoryAllocation'),
        xspace.named(4, 2, 'MemoryDeallocation'),
        *(xspace.named(5, k + 1, name) for k, name in enumerate(names)),
    )
    path = write('alloc.xplane.pb', space)
    (row,) = table(path)
    check_same(
        [
            row[c]
            for c in (
                'events',
                'peak_bytes',
                'reserved_bytes',
                'capacity_bytes',
                'waste_bytes',
                'end_bytes',
                'leaked_bytes',
                'before_bytes',
            )
        ],
        ['4', '300', '50', '1000', '0', '300', '250', '50'],
        'the last of two equal peaks',
    )
    run('run', '-q', '-s', 'chrome', '-o', 'trace.json', path).expect(0)
    before, after = parts_of_report(path), parts_of_report('trace.json')
    check_same(
        (after['memory'], after['memory_holders']),
        (before['memory'], before['memory_holders']),
        'as a Chrome trace',
    )
    check_same(
        [
            (h['bytes'], h['count'], h['operator'], h['shape'], h['region'])
            for h in table(path, 'memory_holders')
        ],
        [('250', '2', 'op2', '[20]', 'output'), ('50', '', '', '', '(reserved or earlier)')],
        'holders',
    )


# -- What compilers assigned
# -----------------------------------------------------------------------------------


@test
def programs_of_a_real_job(_folder):
    for name, programs in golden('hlo_memory.json').items():
        rows = table(os.path.join(DATA, 'xplane', name), 'program_memory')
        check_same(sorted({row['program'] for row in rows}), sorted(programs), 'programs')
        for program, want in programs.items():
            of = [row for row in rows if row['program'] == program]
            found = {
                f'{row["use"].replace("both", "parameter+output")}/{row["color"]}': int(
                    row['bytes']
                )
                for row in of
            }
            check_same(found, want['by_use_and_color'], program)
            check_same(
                sum(int(row['allocations']) for row in of),
                want['allocations'],
                f'{program}: allocations',
            )
            check_same(
                sorted(int(row['heap_peak_bytes']) for row in of if row['heap_peak_bytes']),
                sorted(h['peak_of_logical_sizes'] for h in want['heap'] if h['events']),
                f'{program}: heap',
            )


def assignment(rng):
    """(protobuf, {(use, color): [bytes, allocations, peak]}) of buffers of random sizes."""
    sizes = {i: rng.randrange(1, 1 << 34) for i in range(40)}
    body = b''.join(
        xspace.message(1, xspace.number(1, i) + xspace.number(2, size)) for i, size in sizes.items()
    )
    expected, of = {}, {}
    for index in range(12):
        flags = {f: rng.random() < 0.3 for f in (3, 5, 7, 12)}
        size, color = rng.randrange(1 << 35), rng.randrange(3)
        use = (
            'both'
            if flags[5] and flags[7]
            else 'thread_local'
            if flags[3]
            else 'constant'
            if flags[12]
            else 'parameter'
            if flags[5]
            else 'output'
            if flags[7]
            else 'temporary'
        )
        row = expected.setdefault((use, color), [0, 0, None])
        row[0], row[1], of[index] = row[0] + size, row[1] + 1, row
        body += xspace.message(
            3,
            xspace.number(1, index)
            + xspace.number(2, size)
            + xspace.number(8, color)
            + b''.join(xspace.number(f, 1) for f, on in flags.items() if on),
        )
    for index in rng.sample(range(12), 4):
        live, peak, events = {}, 0, b''
        for _ in range(rng.randrange(0, 30)):
            kind = rng.choice((0, 0, 1, 2))
            ident = rng.choice(list(live)) if kind == 1 and live else rng.randrange(40)
            kind = 0 if kind == 1 and not live else kind
            if kind in (0, 2) and ident in live:
                continue
            if kind == 1:
                live.pop(ident)
            else:
                live[ident] = sizes[ident] if kind == 0 else 0
            peak = max(peak, sum(live.values()))
            events += xspace.message(1, xspace.number(1, kind) + xspace.number(2, ident))
        if events:
            of[index][2] = (of[index][2] or 0) + peak
        body += xspace.message(4, events + xspace.number(3, index))
    return body, expected


def program(body):
    module = xspace.message(1, xspace.message(1, 'm') + xspace.message(2, 'e'))
    proto = xspace.message(
        5, xspace.number(1, 1) + xspace.message(6, module + xspace.message(3, body))
    )
    meta = xspace.message(
        4,
        xspace.number(1, 7)
        + xspace.message(2, xspace.number(1, 7) + xspace.message(2, 'jit_f(5)') + proto),
    )
    return xspace.plane(3, '/host:metadata', meta, xspace.named(5, 1, 'Hlo Proto')) + xspace.tiny()


def add_assignment(seed):
    def test_one(_folder):
        body, expected = assignment(random.Random(seed))
        rows = table(write('program.xplane.pb', program(body)), 'program_memory')
        found = {
            (r['use'], int(r['color'])): [
                int(r['bytes']),
                int(r['allocations']),
                int(r['heap_peak_bytes']) if r['heap_peak_bytes'] else None,
            ]
            for r in rows
        }
        check_same(found, expected, 'buffers')

    add_test(f'random buffers {seed}', test_one)


for each in range(4):
    add_assignment(each)


@test
def a_damaged_assignment_is_passed_over_by_name(_folder):
    result = run('info', '-v', write('bad.xplane.pb', program(b'\x0a\xff')))
    result.expect(0)
    check('buffer assignment' in result.out, result.out)


# -- From what nprof wrote ----------------------------------------------------------------


def kernels_of_products(n):
    """Each has its own shape, a call and ten kernels, so that other analyzers need most rows."""
    events = []
    for k in range(n):
        product = span('cpu_op', 'aten::mm', 1000 + 10 * k, 1009 + 10 * k)
        product['args'] = {
            'Input Dims': [[8, k + 1], [k + 1, 16]],
            'Input type': ['float', 'float'],
        }
        call = span('cuda_runtime', 'cudaLaunchKernel', 1001 + 10 * k, 1003 + 10 * k)
        kernels = [
            {
                **span('kernel', 'gemm', 1004 + 10 * k + i / 4, 1004 + 10 * k + (i + 1) / 4, 7),
                'pid': 0,
            }
            for i in range(10)
        ]
        for event in (call, *kernels):
            event['args'] = {'correlation': k + 1, 'device': 0, 'stream': 7}
        events += [product, call, *kernels]
    return events


def busy_trace():
    events = kernels_of_products(200)
    for at, size, total in ((1002, 512, 512), (1040, 256, 768), (1088, -512, 256)):
        events.append(
            instant(
                at,
                {
                    'Device Type': 1,
                    'Device Id': 0,
                    'Bytes': size,
                    'Addr': 64 + size % 512,
                    'Total Allocated': total,
                },
            )
        )
    return write('busy.json', json.dumps({'traceEvents': events}))


@test
def parquet_keeps_memory_and_arguments(_folder):
    path = busy_trace()
    run('run', '-q', '-s', 'parquet', '-o', 'parquet', path).expect(0)
    before, after = parts_of_report(path), parts_of_report('parquet')
    for name in ('memory', 'memory_holders', 'operators', 'kernels'):
        check(before[name], name)
        check_same(after[name], before[name], name)


@test
def a_peak_is_held_by_its_own_input(_folder):
    """Ranks have allocators of one name: shares of a peak are of those that hold it in its input,
    and 100 % at most."""
    for rank, (bare, mm) in enumerate(((3, 1), (1, 2))):
        events = [
            {
                'ph': 'X',
                'name': 'aten::mm',
                'cat': 'cpu_op',
                'pid': 1,
                'tid': 1,
                'ts': 10,
                'dur': 10,
            },
            {
                'ph': 'X',
                'name': 'gemm',
                'cat': 'kernel',
                'pid': 0,
                'tid': 7,
                'ts': 20,
                'dur': 9,
                'args': {'stream': 7},
            },
        ]
        for i, (ts, size, total) in enumerate(((5, bare, bare), (15, mm, bare + mm))):
            events.append(
                {
                    'ph': 'i',
                    's': 't',
                    'name': '[memory]',
                    'pid': 1,
                    'tid': 1,
                    'ts': ts,
                    'args': {
                        'Total Allocated': total << 20,
                        'Bytes': size << 20,
                        'Addr': i + 1,
                        'Device Type': 1,
                        'Device Id': 0,
                        'Total Reserved': total << 20,
                        'Ev Idx': i,
                    },
                }
            )
        write(
            f'r{rank}.json', json.dumps({'distributedInfo': {'rank': rank}, 'traceEvents': events})
        )
    for files in (['r0.json'], ['r0.json', 'r1.json'], ['r1.json', 'r0.json']):
        run('report', *files).expect(
            0, out='*memory * peak *; (unknown operator) 75.0 %, aten::mm 25.0 %*'
        )
    with Server('r0.json', 'r1.json') as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        held = server.get(f'/api/v1/p/{name}/{server.generation(name)}/memory').json()
        check_same(
            sum(int(one['bytes']) for one in held['alive']), 4 << 20, 'what holds the peak of 4 MiB'
        )


main()
