# SPDX-License-Identifier: Apache-2.0
"""flame.py - the analyzer flame and nprof flame: beside each moment of random traces looked at
alone, beside what others computed (the folder golden beside the data), and the files of all formats
read again."""

import csv
import gzip
import io
import json
import os
import random
from collections import Counter

from harness import Skip, add_test, check, check_same, main, read, rows_of, run, test, write
import xspace
from randomtrace import scan

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'analyses', 'flame.json')


def table(path, options='', *more):
    result = run('run', '-a', 'flame' + options, '-s', 'csv:table=stacks', '-o', '-', *more, path)
    result.expect(0)
    rows = list(csv.DictReader(io.StringIO(result.out)))
    check_same(
        [row['stack'].encode() for row in rows],
        sorted(row['stack'].encode() for row in rows),
        'order',
    )
    return {row['stack']: (int(row['weight']), int(row['count'])) for row in rows}


def weights(rows):
    return {stack: weight for stack, (weight, _) in rows.items()}


@test
def stacks_of_real_jobs(_folder):
    if not DATA or not os.path.exists(GOLDEN):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    with open(GOLDEN, encoding='utf-8') as file:
        golden = json.load(file)
    for name, by_weight in golden.items():
        for weight, want in by_weight.items():
            rows = weights(
                table(os.path.join(DATA, 'json', name.split(': ')[1]), f':weight={weight}')
            )
            what = f'{name[:8]} {weight}'
            roots, leaves = Counter(), Counter()
            for stack, ps in rows.items():
                frames = stack.split(';')
                roots[frames[0]] += ps
                leaves[frames[-1][:90]] += ps
            check_same(
                [sum(rows.values()), len(rows), max(s.count(';') + 1 for s in rows)],
                [want['total_ps'], want['stacks'], want['depth']],
                what,
            )
            check_same(dict(roots), want['roots'], f'{what}: roots')
            for leaf, ps in want['leaf_top']:
                check_same(leaves[leaf], ps, f'{what}: {leaf}')


# -- Moment by moment
# ------------------------------------------------------------------------------------------


def random_trace(rng):
    """Nested spans on two threads, in whole us; calls that launch kernels, and kernels without a
    launch."""
    events, number = [], 0
    for tid in (11, 12):

        def fill(a, b, depth, tid=tid):
            nonlocal number
            while b - a > 1 and rng.random() < 0.85:
                start = rng.randrange(a, b)
                end = rng.randrange(start, b + 1)
                number += 1
                call = depth > 1 and rng.random() < 0.5
                args = {'correlation': number} if call else {}
                name = (
                    rng.choice(('cudaLaunchKernel', 'cudaMemcpyAsync'))
                    if call
                    else rng.choice(
                        (
                            'aten::mm',
                            'nn.Module: Linear_1',
                            'nn.Module: Block_0',
                            'a;b',
                            'two\nlines',
                        )
                    )
                )
                events.append(
                    {
                        'ph': 'X',
                        'cat': 'cuda_runtime' if call else 'cpu_op',
                        'name': name,
                        'pid': 9,
                        'tid': tid,
                        'ts': start,
                        'dur': end - start,
                        'args': args,
                    }
                )
                if call and rng.random() < 0.8:
                    events.append(
                        {
                            'ph': 'X',
                            'cat': 'kernel',
                            'name': rng.choice(('gemm', 'add')),
                            'pid': 0,
                            'tid': 7,
                            'ts': 500 + number,
                            'dur': rng.randrange(9),
                            'args': {'device': 0, 'stream': 7, 'correlation': number},
                        }
                    )
                elif not call and depth < 4 and end - start > 3:
                    fill(start + 1, end - 1, depth + 1)
                a = end

        fill(0, 120, 0)
    events.append(
        {
            'ph': 'X',
            'cat': 'kernel',
            'name': 'lost',
            'pid': 0,
            'tid': 7,
            'ts': 900,
            'dur': 5,
            'args': {'device': 0, 'stream': 7},
        }
    )
    return events


def clean(name):
    return name.replace(';', ':').replace('\n', ' ')


def stack_at(spans, i):
    """Names of all that hold span i, outermost first: those that begin no later and end no
    earlier."""
    a, b = spans[i]['ts'], spans[i]['ts'] + spans[i]['dur']
    around = [
        k
        for k, s in enumerate(spans)
        if s['ts'] <= a
        and s['ts'] + s['dur'] >= b
        and k != i
        and ((s['ts'], s['ts'] + s['dur']) != (a, b) or k < i)
    ]
    around.sort(key=lambda k: (spans[k]['ts'], -spans[k]['dur'], k))
    return [k for k in around] + [i]


def plainly(events, first=0, end=1000):
    """(host, device): weight in us by stack, of what lies in a window."""
    host, device, launched = Counter(), Counter(), {}
    for tid in (11, 12):
        spans = [e for e in events if e['tid'] == tid]
        for i, span in enumerate(spans):
            frames = [f'thread {tid}'] + [clean(spans[k]['name']) for k in stack_at(spans, i)]
            if (
                'correlation' in span['args']
                and span['ts'] <= end
                and span['ts'] + span['dur'] >= first
            ):
                launched.setdefault(span['args']['correlation'], frames)
        for moment in range(first, min(end, 130)):
            under = [i for i, s in enumerate(spans) if s['ts'] <= moment < s['ts'] + s['dur']]
            if under:
                deepest = max(under, key=lambda i: (len(stack_at(spans, i)), i))
                host[
                    ';'.join(
                        [f'thread {tid}']
                        + [clean(spans[k]['name']) for k in stack_at(spans, deepest)]
                    )
                ] += 1
    lost = (
        ['(launch not recorded)'] if (first, end) == (0, 1000) else ['(launch not in the window)']
    )
    for e in events:
        if e['cat'] == 'kernel':
            inside = max(0, min(e['ts'] + e['dur'], end) - max(e['ts'], first))
            device[
                ';'.join(launched.get(e['args'].get('correlation'), lost) + [e['name']])
            ] += inside
    return host, device


def add_random(seed):
    def test_one(_folder):
        events = random_trace(random.Random(seed))
        path = write(f'flame{seed}.json', json.dumps({'traceEvents': events}))
        host, device = plainly(events)
        check_same(weights(table(path)), {s: us * 10**6 for s, us in host.items()}, 'host')
        check_same(
            weights(table(path, ':weight=device')),
            {s: us * 10**6 for s, us in device.items()},
            'device',
        )

    add_test(f'random trace {seed}', test_one)


for each in range(10):
    add_random(each)


@test
def of_a_window_what_lies_in_it(_folder):
    for seed in range(3):
        rng = random.Random(100 + seed)
        events = random_trace(rng)
        path = write('window.json', json.dumps({'traceEvents': events}))
        shift = (
            min(x.start for x in scan(path) if x.kind == 'span')
            - min(e['ts'] for e in events) * 10**6
        )
        for a, b in (
            sorted(rng.sample(range(1, 120), 2)),
            (rng.randrange(20, 60), rng.randrange(500, 900)),
        ):
            window = (
                '--clip',
                '--from',
                f'{a * 10**6 + shift}ps',
                '--to',
                f'{b * 10**6 + shift}ps',
            )
            for weight, wanted in zip(('host', 'device'), plainly(events, a, b)):
                found = weights(table(path, f':weight={weight}', *window))
                check_same(
                    {s: w for s, w in found.items() if w},
                    {s: us * 10**6 for s, us in wanted.items() if us},
                    f'{seed} {weight} {a} {b}',
                )


@test
def steps_as_one_frame(_folder):
    """Each stack with the names of steps replaced is what it was, added up; what is only alike
    stays."""
    seen = {'': '', ':weight=device': '', ':by=layer': ''}
    for seed in range(6):
        events = random_trace(random.Random(200 + seed))
        for i, event in enumerate(e for e in events if e['name'] in ('aten::mm', 'a;b')):
            event.update(
                name=('ProfilerStep#%d' if i % 3 else 'ProfilerStepper#%d') % i,
                cat='user_annotation',
            )
        path = write('steps.json', json.dumps({'traceEvents': events}))
        for options in seen:
            wanted = {}
            for stack, (weight, count) in table(path, options).items():
                one = ';'.join(
                    '(each step)' if frame.startswith('ProfilerStep#') else frame
                    for frame in stack.split(';')
                )
                old = wanted.get(one, (0, 0))
                wanted[one] = (old[0] + weight, old[1] + count)
            seen[options] += ' '.join(wanted)
            check_same(
                table(path, (options or ':') + (',' if options else '') + 'steps=one'),
                wanted,
                f'{seed} {options}',
            )
    for options, stacks in seen.items():
        check('(each step)' in stacks and 'ProfilerStepper' in stacks, f'{options}: {stacks}')


@test
def of_spans_that_overlap_in_part_the_first_keeps_what_they_share(_folder):
    events = [
        {'ph': 'X', 'cat': 'cpu_op', 'name': n, 'pid': 9, 'tid': 1, 'ts': a, 'dur': b - a}
        for n, a, b in (('whole', 0, 20), ('first', 2, 8), ('second', 5, 12))
    ]
    check_same(
        weights(table(write('part.json', json.dumps({'traceEvents': events})))),
        {
            'thread 1;whole': 10 * 10**6,
            'thread 1;whole;first': 6 * 10**6,
            'thread 1;whole;second': 4 * 10**6,
        },
        'stacks',
    )


def memory(ts, tid, size, kind=1, device=0):
    return {
        'ph': 'i',
        's': 't',
        'cat': 'cpu_instant_event',
        'name': '[memory]',
        'pid': 9,
        'tid': tid,
        'ts': ts,
        'args': {'Bytes': size, 'Device Type': kind, 'Device Id': device, 'Addr': ts},
    }


def add_bytes(seed):
    """Bytes of an allocation belong to the spans around it: by a plain search of those that hold
    the moment."""

    def test_one(_folder):
        rng, wanted = random.Random(seed), Counter()
        events = [e for e in random_trace(rng) if e['tid'] != 7]
        spans = {tid: [e for e in events if e['tid'] == tid] for tid in (11, 12)}
        for _ in range(40):
            at, tid, size, kind = (
                rng.randrange(130) + 0.5,
                rng.choice((11, 12)),
                rng.randrange(-50, 100),
                rng.randrange(2),
            )
            events.append(memory(at, tid, size, kind, kind))
            under = [i for i, s in enumerate(spans[tid]) if s['ts'] <= at <= s['ts'] + s['dur']]
            deepest = max(under, key=lambda i: (len(stack_at(spans[tid], i)), i), default=None)
            frames = (
                [clean(spans[tid][k]['name']) for k in stack_at(spans[tid], deepest)]
                if under
                else []
            )
            if size > 0:
                wanted[';'.join([('CPU', 'CUDA 1')[kind], f'thread {tid}'] + frames)] += size
        path = write('bytes.json', json.dumps({'traceEvents': events}))
        check_same(weights(table(path, ':weight=bytes')), dict(wanted), 'bytes')

    add_test(f'bytes of random allocations {seed}', test_one)


for each in range(4):
    add_bytes(each)


@test
def bytes_in_all_formats(_folder):
    span = {
        'ph': 'X',
        'cat': 'cpu_op',
        'name': 'aten::empty',
        'pid': 9,
        'tid': 1,
        'ts': 0,
        'dur': 10,
        'args': {},
    }
    path = write(
        'bytes.json',
        json.dumps(
            {'traceEvents': [span, memory(5, 1, 4096), memory(6, 1, 100), memory(7, 1, -4096)]}
        ),
    )
    check_same(
        run('flame', '--weight', 'bytes', path).expect(0).out,
        'CUDA 0;thread 1;aten::empty 4196\n',
        'folded',
    )
    (profile,) = json.loads(
        run('flame', '--weight', 'bytes', '--format', 'speedscope', path).expect(0).out
    )['profiles']
    check_same((profile['unit'], profile['weights']), ('bytes', [4196]), 'speedscope')
    run('flame', '-a', 'flame:weight=bytes', '-o', 'made.pb.gz', path).expect(0)
    packed = gzip.decompress(read('made.pb.gz'))
    check(b'space' in packed and b'bytes' in packed and b'nanoseconds' not in packed, 'pprof')


@test
def bytes_of_xla(_folder):
    host = xspace.Plane(3, '/host:CPU')
    host.add('python', 'step', 0, 100)
    host.add(
        'python',
        'MemoryAllocation',
        20,
        1,
        bytes_allocated=600,
        allocation_bytes=512,
        allocator_name='bfc',
    )
    host.add(
        'python',
        'MemoryAllocation',
        30,
        1,
        bytes_allocated=600,
        allocation_bytes=64,
        device_ordinal=2,
    )
    host.add(
        'python',
        'MemoryAllocation',
        35,
        1,
        bytes_allocated=600,
        allocation_bytes=32,
        allocator_name='(null)',
        device_ordinal=2**64 - 1,
        index_on_host=3,
    )
    host.add(
        'python',
        'MemoryAllocation',
        36,
        1,
        bytes_allocated=600,
        allocation_bytes=16,
        device_ordinal=2**64 - 1,
    )  # of no one knows which
    host.add(
        'python',
        'MemoryDeallocation',
        40,
        1,
        bytes_allocated=600,
        allocation_bytes=512,
        allocator_name='bfc',
    )
    path = write('xla.xplane.pb', host.data())
    rows = weights(table(path, ':weight=bytes'))
    check_same(
        {stack.split(';')[0] + ';' + stack.split(';', 2)[2]: size for stack, size in rows.items()},
        {'bfc;step': 512, '2;step': 64, '3;step': 32},
        'stacks',
    )
    names = rows_of(
        run('run', '-a', 'memory', '-s', 'csv:table=memory', '-o', '-', path).expect(0).out
    )
    check_same(
        {row['allocator'] for row in names} - {''},
        {'bfc', '2', '3'},
        'as the analyzer memory calls them',
    )


@test
def lines_of_source(_folder):
    """Of time of a device, in a loop of another line."""
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Ops', 'while.1', 0, 20, source='a.py:1')
    core.add(
        'XLA Ops', 'fusion.2', 5, 10, source='b.py:7', source_stack='a.py:1:4\na.py:9:1\nb.py:7:2'
    )
    core.add('XLA Ops', 'copy.3', 20, 3)
    path = write('lines.xplane.pb', core.data())
    check_same(
        weights(table(path, ':weight=device,by=source')),
        {
            '/device:TPU:0;a.py:1;while.1': 10 * 10**6,
            '/device:TPU:0;a.py:1;a.py:9;b.py:7;fusion.2': 10 * 10**6,
            '/device:TPU:0;copy.3': 3 * 10**6,
        },
        'stacks',
    )


@test
def modules_alone(_folder):
    names = ('forward.py(3): f', 'nn.Module: Block_0', 'call', 'nn.Module: Linear_1', 'aten::mm')
    events = [
        {
            'ph': 'X',
            'cat': 'python_function',
            'name': n,
            'pid': 9,
            'tid': 1,
            'ts': i,
            'dur': 20 - 2 * i,
        }
        for i, n in enumerate(names)
    ]
    path = write('modules.json', json.dumps({'traceEvents': events}))
    check_same(
        weights(table(path, ':by=module')),
        {
            'thread 1': 2 * 10**6,
            'thread 1;Block_0': 4 * 10**6,
            'thread 1;Block_0;Linear_1': 14 * 10**6,
        },
        'stacks',
    )


@test
def layers_of_a_device(_folder):
    stat = xspace.message(4, xspace.number(1, 1) + xspace.message(5, 'jit(f)/layer_1/dot'))
    events = (
        xspace.event(1, 0, 5000, stat)
        + xspace.event(2, 1000, 2000)
        + xspace.event(1, 9000, 1000, stat)
    )
    path = write(
        'layers.xplane.pb',
        xspace.plane(
            2,
            '/device:TPU:0',
            xspace.line(3, 'XLA Ops', events),
            xspace.named(4, 1, 'fusion'),
            xspace.named(4, 2, 'copy'),
            xspace.named(5, 1, 'tf_op'),
        ),
    )
    check_same(
        table(path, ':weight=device,by=layer'),
        {'/device:TPU:0;copy': (2000, 1), '/device:TPU:0;jit(f);layer_1;dot;fusion': (4000, 2)},
        'stacks',
    )


# -- Files
# ---------------------------------------------------------------------------------------------------------


def varints(data):
    at, out = 0, []
    while at < len(data):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        out.append(value)
    return out


def fields(data):
    at = 0
    while at < len(data):
        key = shift = 0
        while True:
            byte = data[at]
            at, key, shift = at + 1, key | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        if key & 7 == 2:
            at, value = at + value, data[at : at + value]
        yield key >> 3, value


def read_pprof(data):
    """{stack: (count, ns)} by proto/profile.proto."""
    by = {}
    for number, value in fields(gzip.decompress(data)):
        by.setdefault(number, []).append(value)
    texts = [t.decode() for t in by[6]]
    types = [tuple(texts[v] for _, v in fields(t)) for t in by[1]]
    check_same(types, [('spans', 'count'), ('time', 'nanoseconds')], 'types')
    functions = {dict(fields(f))[1]: texts[dict(fields(f))[2]] for f in by[5]}
    locations = {
        dict(fields(location))[1]: functions[dict(fields(dict(fields(location))[4]))[1]]
        for location in by[4]
    }
    return {
        ';'.join(locations[i] for i in reversed(varints(dict(fields(s))[1]))): tuple(
            varints(dict(fields(s))[2])
        )
        for s in by[2]
    }


@test
def all_formats_say_the_same(_folder):
    path = write('formats.json', json.dumps({'traceEvents': random_trace(random.Random(99))}))
    expected = {s: (w // 1000, c) for s, (w, c) in table(path).items()}
    run('flame', '-o', 'a.folded', path).expect(0)
    lines = [line.rpartition(' ') for line in read('a.folded').decode().splitlines()]
    check_same({s: int(n) for s, _, n in lines}, {s: w for s, (w, _) in expected.items()}, 'folded')
    check_same(
        run('flame', path).expect(0).out.encode(), read('a.folded'), 'on the standard output'
    )
    run('flame', '-o', 'a.pb.gz', path).expect(0)
    check_same(read_pprof(read('a.pb.gz')), {s: (c, w) for s, (w, c) in expected.items()}, 'pprof')
    run('flame', '-o', 'a.log', path).expect(0)
    check_same(read('a.log'), read('a.folded'), 'a name that says nothing')
    for name, ending in (('a.svg', '.svg'), ('a.html', '.html'), ('a.json.gz', '.gz')):
        run('flame', '-o', name, path).expect(
            1,
            out='',
            err=f'*-o {name}: no {ending} is written here: let the name end in .folded, *or .pprof*',
        )
    run('flame', '-o', 'a.speedscope.json', path).expect(0)
    scope = json.loads(read('a.speedscope.json'))
    found, names = {}, [f['name'] for f in scope['shared']['frames']]
    for profile in scope['profiles']:
        check_same(
            [profile['type'], profile['unit'], profile['startValue'], profile['endValue']],
            ['sampled', 'nanoseconds', 0, sum(profile['weights'])],
            'profile',
        )
        for sample, weight in zip(profile['samples'], profile['weights'], strict=True):
            check_same(names[sample[0]], profile['name'], 'a profile a thread')
            found[';'.join(names[i] for i in sample)] = weight
    check_same(found, {s: w for s, (w, _) in expected.items()}, 'speedscope')
    for threads in ('1', '2'):
        check_same(
            run('flame', '-j', threads, path).expect(0).out.encode(),
            read('a.folded'),
            f'-j {threads}',
        )


@test
def several_inputs_stay_apart(_folder):
    for name in 'one', 'two':
        write(
            f'{name}.json',
            json.dumps(
                {
                    'traceEvents': [
                        {
                            'ph': 'X',
                            'cat': 'cpu_op',
                            'name': 'a',
                            'pid': 9,
                            'tid': 1,
                            'ts': 0,
                            'dur': 3,
                        }
                    ]
                }
            ),
        )
    check_same(
        run('flame', 'one.json', 'two.json').expect(0).out,
        'one.json;thread 1;a 3000\ntwo.json;thread 1;a 3000\n',
        'folded',
    )


@test
def mistakes_are_named(_folder):
    path = write('one.json', json.dumps({'traceEvents': []}))
    run('flame', '--format', 'svg', path).expect(
        1, err='*--format svg: expected folded, speedscope or pprof*'
    )
    run('flame', '--by', 'nothing', path).expect(
        1, err='*"nothing" is not one of stack, module, layer*'
    )
    host = write(
        'host.json',
        json.dumps(
            {'traceEvents': [{'ph': 'X', 'name': 'a', 'pid': 9, 'tid': 1, 'ts': 0, 'dur': 3}]}
        ),
    )
    for weight, file, why in (
        ('host', path, 'no spans of a thread'),
        ('device', host, 'no work of a device'),
        ('bytes', host, 'no rows of allocations'),
    ):
        run('flame', '--weight', weight, '-o', 'none', file).expect(
            2, out='', err=f'*--weight {weight}: there are no stacks: the file has {why}*'
        )
        check(not os.path.exists('none'), 'nothing is written')
    run('flame', '-a', 'flame:weight=bytes', host).expect(
        2, out='', err='*has no rows of allocations*'
    )
    run('flame', host).expect(0, err='')


main()
