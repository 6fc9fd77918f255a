# SPDX-License-Identifier: Apache-2.0
"""others.py - files of other tools: profiles of pprof, memory timelines of PyTorch, ONNX Runtime's:
made ones against what was drawn, public ones against recorded figures, what nprof flame writes,
hostile ones."""

import collections
import gzip
import json
import os
import random
import sys

from harness import Skip, check, check_same, main, read, rows_of, run, sample, test, write

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import others_make  # noqa: E402

DATA = os.environ.get('NPROF_TEST_DATA', '')
S = 10**9


def table(name, path, *words):
    return rows_of(
        run('run', '-q', *words, '-s', f'csv:table={name}', '-o', '-', path).expect(0).out
    )


def golden(name):
    path = os.path.join(DATA, '..', 'golden', 'inputs', name)
    if not DATA or not os.path.exists(path):
        raise Skip('no real traces here')
    with open(path, encoding='utf-8') as file:
        return [line.rstrip('\n').split('\t') for line in file]


def real(name):
    return os.path.join(DATA, '..', 'files', 'others', name)


# -- pprof
# ----------------------------------------------------------------------------------------------


@test
def stacks_of_pprof(_folder):
    """Fields in any order, packed or not, inlined frames, negative values, labels."""
    for seed in range(12):
        p = others_make.Profile(seed)
        write('p', gzip.compress(p.bytes()) if seed % 3 == 0 else p.bytes())
        check_same([r['decoder'] for r in table('inputs', 'p')], ['pprof'], f'seed {seed}')
        places, stacks = table('sample_places', 'p'), table('sample_stacks', 'p')
        for k, (kind, unit) in enumerate(p.types):
            total, own, all_of = p.sums(k)
            row = next(r for r in table('sample_types', 'p') if r['type'] == kind)
            check_same(
                (row['unit'], row['samples'], row['total'], row['largest_value']),
                (
                    unit,
                    str(len(p.samples)),
                    str(total),
                    str(max(own.get(name, 0) for name in all_of)),
                ),
                f'seed {seed} {kind}',
            )
            found = {
                r['function']: (int(r['self']), int(r['total']))
                for r in places
                if r['type'] == kind
            }
            check_same(
                found,
                {name: (own.get(name, 0), all_of[name]) for name in all_of},
                f'seed {seed} {kind}: places',
            )
            wanted = collections.Counter(
                (';'.join(p.name(f) for f in reversed(p.frames(stack))), str(values[k]))
                for stack, values, _ in p.samples
                if values[k]
            )
            check_same(
                collections.Counter((r['stack'], r['value']) for r in stacks if r['type'] == kind),
                wanted,
                f'seed {seed} {kind}: stacks',
            )
            labels = collections.Counter()
            for _, values, mine in p.samples:
                for label in mine:
                    labels[label] += values[k]
            check_same(
                {
                    (r['label'], r['is']): int(r['total'])
                    for r in table('sample_labels', 'p')
                    if r['type'] == kind
                },
                dict(labels),
                f'seed {seed} {kind}: labels',
            )


@test
def what_flame_writes(_folder):
    """It comes back, stack by stack."""
    run('flame', '-o', 'f.pb.gz', sample('node-workload.trace.json')).expect(0)
    run('flame', '-o', 'f.folded', sample('node-workload.trace.json')).expect(0)
    wanted = dict(line.rsplit(' ', 1) for line in read('f.folded').decode().splitlines())
    rows = [r for r in table('sample_stacks', 'f.pb.gz') if r['unit'] == 'nanoseconds']
    check_same(
        {r['stack']: r['value'] for r in rows},
        {k: v for k, v in wanted.items() if v != '0'},
        'stacks',
    )


@test
def public_pprof(_folder):
    for name, kind, unit, samples, total, largest, value in golden('pprof.tsv'):
        row = next(r for r in table('sample_types', real(name)) if r['type'] == kind)
        check_same(
            (row['unit'], row['samples'], row['total'], row['largest'], row['largest_value']),
            (unit, samples, total, largest, value),
            name,
        )
    run('report', real('go_cpu.prof')).expect(
        0, out='*9 stacks, without a timeline; most cpu: main.alpha:11*'
    )


@test
def hostile_pprof(_folder):
    r = random.Random(3)
    whole = others_make.Profile(3).bytes()
    for _ in range(60):
        data = bytearray(whole[: r.randrange(1, len(whole))] if r.random() < 0.3 else whole)
        for _ in range(r.choice((0, 1, 4, 40))):
            data[r.randrange(len(data))] = r.randrange(256)
        write('p', bytes(data))
        result = run('run', '-d', 'pprof', '-s', 'null', 'p')
        check(
            result.status in (0, 2) and (result.status == 0 or ': byte ' in result.err),
            result.describe(),
        )
    n, b, v = others_make.number, others_make.blob, others_make.varint
    deep = (
        b(1, n(1, 1)) + b(4, n(1, 1) + b(4, n(1, 1)) * 4000) + b(2, b(1, v(1)) + n(2, 1)) * 100000
    )
    write('bomb', deep)
    run('run', '-d', 'pprof', '-s', 'null', 'bomb').expect(
        2, err='*bomb: byte *: the stacks of the file name more frames than one of its size could*'
    )
    write('lost', b(1, n(1, 1)) + b(2, n(1, 9) + n(2, 1)))
    run('run', '-d', 'pprof', '-s', 'null', 'lost').expect(
        2, err='*lost: byte *: it names a location that is not there*'
    )
    write('few', b(1, n(1, 1)) * 2 + b(2, n(2, 1)))
    run('run', '-d', 'pprof', '-s', 'null', 'few').expect(
        2, err='*few: byte *a value for each sample_type*'
    )


# -- Memory timelines
# -------------------------------------------------------------------------------------


@test
def memory_over_time(_folder):
    for seed in range(8):
        rows = others_make.timeline(seed)
        (peak, at, of), (end, by), counters = others_make.held(rows)
        write('m.json', json.dumps(rows))
        base = min(t for t, *_ in counters) // S * S
        found = rows_of(run('run', '-s', 'csv', '-o', '-', 'm.json').expect(0).out)
        check_same(
            collections.Counter(
                (r['start_ns'], r['name'], r['value']) for r in found if r['kind'] == 'counter'
            ),
            collections.Counter((str(t - base), name, str(value)) for t, name, value in counters),
            f'seed {seed}',
        )
        (row,) = table('memory_timeline', 'm.json')
        check_same(
            (row['rows'], row['peak'], row['peak_at_ns'], row['end']),
            (str(len(rows)), str(peak), str(at - base), str(end)),
            f'seed {seed}',
        )
        check_same(
            {
                r['category']: (int(r['at_peak']), int(r['end']))
                for r in table('memory_categories', 'm.json')
            },
            {c: (of.get(c, 0), by.get(c, 0)) for c in others_make.CATEGORIES},
            f'seed {seed}: categories',
        )
    shuffled = rows[:]
    random.Random(1).shuffle(shuffled)
    shuffled.sort(key=lambda row: -row[0] // 10**7)
    write('s.json', json.dumps(shuffled))
    (peak, at, of), _, _ = others_make.held(sorted(shuffled, key=lambda row: row[0]))
    (row,) = table('memory_timeline', 's.json')
    check_same(
        (row['peak'], row['peak_at_ns']), (str(peak), str(at - base)), 'rows in another order'
    )


@test
def a_timeline_that_only_gives_back(_folder):
    """There is no peak, so no time of it either: none is made of the first row's."""
    at = 1764288000 * S
    write('m.json', json.dumps([[at, 3, -5, 0], [at + 7, 4, -5, 0]]))
    (row,) = table('memory_timeline', 'm.json')
    check_same((row['peak'], row['peak_at_ns'], row['end']), ('0', '', '-10'), 'no peak')


@test
def public_timeline(_folder):
    figures = {key: value for _, key, value in golden('memory_timeline.tsv')}
    path = real('memory_timeline.raw.gz')
    (row,) = table('memory_timeline', path)
    for key, column in (
        ('rows', 'rows'),
        ('preexisting', 'preexisting'),
        ('create', 'create'),
        ('version', 'version'),
        ('destroy', 'destroy'),
        ('preexisting_bytes', 'preexisting_bytes'),
        ('peak_bytes', 'peak'),
        ('end_bytes', 'end'),
        ('lowest_bytes', 'lowest'),
    ):
        check_same(row[column], figures[key], key)
    check_same(
        int(row['peak_at_ns']),
        int(figures['peak_time_ns']) % S,
        'the second of the peak is that of the first row',
    )
    for r in table('memory_categories', path):
        check_same(r['at_peak'], figures[f'peak_{r["category"]}'], r['category'])


@test
def hostile_timelines(_folder):
    r = random.Random(4)
    whole = json.dumps(others_make.timeline(4, 30)).encode()
    for cut in [r.randrange(40, len(whole) - 1) for _ in range(8)]:
        write('m.json', whole[:cut])
        run('run', '-d', 'memory-timeline', '-s', 'null', 'm.json').expect(2, err='*m.json: byte *')
    for _ in range(20):
        data = bytearray(whole)
        for _ in range(r.choice((1, 4, 40))):
            data[r.randrange(2, len(data))] = r.randrange(256)
        write('m.json', bytes(data))
        result = run('run', '-d', 'memory-timeline', '-s', 'null', 'm.json')
        check(
            result.status in (0, 2) and (result.status == 0 or 'm.json: ' in result.err),
            result.describe(),
        )
    for text, why in (
        ('[[5, 9, 1, 0]]', 'its action is none of 1 to 4'),
        ('[[5, 1, 1]]', 'no list of four whole numbers'),
        (f'[[5, 2, {2**60}, 0]]', 'its time or its bytes'),
        ('[[5, 2, 1, 0], [9000000000000000000, 2, 1, 0]]', 'it lies months'),
    ):
        write('m.json', text)
        run('run', '-d', 'memory-timeline', '-s', 'null', 'm.json').expect(
            2, err=f'*m.json: *{why}*'
        )


# -- ONNX Runtime
# ----------------------------------------------------------------------------------------------


def onnx_operators(events):
    """Calls and time of each operator by its provider, straight from the events."""
    sums = {}
    for e in events:
        if e['cat'] == 'Node' and e['name'].endswith('_kernel_time'):
            key = e['args']['op_name'], e['args']['provider']
            calls, ns = sums.get(key, (0, 0))
            sums[key] = calls + 1, ns + e['dur'] * 1000
    return sums


def check_onnx(path, events):
    found = {
        (r['operator'], r['category']): (int(r['calls']), int(r['self_ns']))
        for r in table('operators', path, '-a', 'operators')
        if r['category'].endswith('ExecutionProvider')
    }
    check_same(found, onnx_operators(events), path)
    runs = sorted(e['dur'] * 1000 for e in events if e['name'] == 'model_run')
    (row,) = table('step_times', path, '-a', 'steps')
    check_same(
        (int(row['steps']), int(row['median_ns'])), (len(runs), runs[len(runs) // 2]), 'steps'
    )


def onnx_run(at, provider, kernels):
    """A run of three nodes, whose fences are no calls."""
    rows = [('Session', 'model_run', at, 600, 7, {}), ('Session', 'E', at + 5, 500, 7, {})]
    for k, (node, operator) in enumerate((('fc1', 'MatMul'), ('act', 'Relu'), ('fc2', 'MatMul'))):
        args = {'op_name': operator, 'node_index': str(k)}
        begin = at + 10 + 30 * k
        rows += [
            ('Node', node + '_fence_before', begin, 0, 7, args),
            ('Node', node + '_kernel_time', begin, 20, 7, {**args, 'provider': provider}),
        ]
        if kernels:
            rows.append(('Kernel', f'k{node}', begin + 100 * k + 1, 90, -1, {'stream': '7'}))
    return rows


@test
def onnx_runtime(_folder):
    """Operators by type and provider, runs as steps; kernels are work of a device."""
    for provider, kernels in (('CPUExecutionProvider', 0), ('CUDAExecutionProvider', 1)):
        rows = [('Session', 'model_loading_uri', 4, 100, 7, {})]
        for k in range(5):
            rows += onnx_run(1000 * (k + 1), provider, kernels)
        events = [
            {'cat': c, 'pid': p, 'tid': p, 'dur': d, 'ts': t, 'ph': 'X', 'name': n, 'args': a}
            for c, n, t, d, p, a in sorted(rows, key=lambda row: row[2])
        ]
        write('o.json', json.dumps(events))
        check_onnx('o.json', events)
        devices = [(r['device'], r['busy_ns']) for r in table('devices', 'o.json', '-a', 'device')]
        check_same(devices, [('GPU', str(5 * 3 * 90000))] if kernels else [], provider)
        layers = {
            (r['name'], r['layer'], r['text'], r['step'])
            for r in rows_of(
                run('run', '-q', '-s', 'csv', '-o', '-', '--where', 'name=MatMul', 'o.json')
                .expect(0)
                .out
            )
        }
        check_same(
            layers,
            {('MatMul', n, n + '_kernel_time', str(k)) for n in ('fc1', 'fc2') for k in range(5)},
            'nodes',
        )
        screen = run('report', 'o.json').expect(0).out
        check('Summary of ONNX Runtime' in screen, screen)
        # Its calls of the host are there: that none is linked to its kernels is no want of them.
        check_same('launches are not in the file' in screen, bool(kernels), screen)
        check('record the CPU' not in screen, screen)
        made_by = run('doctor', 'o.json').expect(0).out
        check('ONNX Runtime' in made_by and 'torch' not in made_by, made_by)
    # The same events elsewhere are no profile of it: a Node of another program keeps its name.
    write('o.json', json.dumps({'traceEvents': events}))
    names = {r['name'] for r in rows_of(run('run', '-q', '-s', 'csv', '-o', '-', 'o.json').out)}
    check('fc1_kernel_time' in names and 'MatMul' not in names, names)


@test
def public_onnx_runtime(_folder):
    golden('onnxruntime.tsv')
    path = real('onnxruntime_cpu.json')
    with open(path, encoding='utf-8') as file:
        check_onnx(path, json.load(file))
    figures = [line[1:] for line in golden('onnxruntime.tsv') if line[-1].endswith('Provider')]
    found = {r['operator']: r for r in table('operators', path, '-a', 'operators')}
    for operator, calls, us, provider in figures:
        row = found[operator]
        check_same(
            (row['calls'], int(row['self_ns']), row['category']),
            (calls, int(us) * 1000, provider),
            operator,
        )


# -- Intel's unitrace
# ----------------------------------------------------------------------------------------------

PAGES = (('doctor',), ('report',), ('report', '--only', 'memory,modules,operator_flops'))


@test
def unitrace(_folder):
    """Work by name and kind on its device, sizes of copies, and launches by arrows, of each of
    several that one call launches."""
    for seed in range(6):
        text, work = others_make.unitrace(seed)
        write('u.json', text)
        rows = rows_of(run('run', '-q', '-s', 'csv', '-o', '-', 'u.json').expect(0).out)
        found = collections.Counter(
            (int(r['process'][-1]), r['name'], r['category'], int(r['duration_ns']), r['bytes'])
            for r in rows
            if r['kind'] == 'span' and r['process'].startswith('DEVICE')
        )
        wanted = collections.Counter(
            (device, name, category, ns, '' if size is None else str(size))
            for device, name, category, ns, size, _ in work
        )
        check_same(found, wanted, f'seed {seed}: work')
        calls = {r['name'] for r in rows if r['category'] == 'xpu_runtime'}
        check('zeCommandQueueSynchronize' in calls and 'aten::mm' not in calls, calls)
        launches = table('launches', 'u.json', '-a', 'steps')
        pages = [run(*words, 'u.json').expect(0).out for words in PAGES]
        check('Intel unitrace' in pages[0], pages[0])
        check(not any('torch' in page.lower() for page in pages), pages)
        check_same(
            {
                int(r['device'][-1]): (int(r['launches']), int(r['delay_ns']), int(r['unlinked']))
                for r in launches
            },
            {
                k: (
                    sum(w[5] is not None for w in work if w[0] == k),
                    sum(w[5] or 0 for w in work if w[0] == k),
                    sum(w[5] is None for w in work if w[0] == k),
                )
                for k in (0, 1)
            },
            f'seed {seed}: launches',
        )
    r, whole = random.Random(9), text.encode()
    for _ in range(40):
        data = bytearray(whole[: r.randrange(1, len(whole))] if r.random() < 0.3 else whole)
        for _ in range(r.choice((0, 1, 4, 40))):
            data[r.randrange(len(data))] = r.randrange(256)
        write('h.json', bytes(data))
        result = run('run', '-q', '-d', 'chrome', '-a', 'steps', '-s', 'null', 'h.json')
        check(result.status in (0, 2), result.describe())
    # Words of it elsewhere are nothing: a cpu_op of PyTorch stays an operator.
    write('u.json', text.replace('HOST<', 'host <').replace('DEVICE<', 'device <'))
    rows = rows_of(run('run', '-q', '-s', 'csv', '-o', '-', 'u.json').expect(0).out)
    check_same({r['category'] for r in rows if r['name'] == 'aten::mm'}, {'cpu_op'}, 'elsewhere')
    check('xpu_runtime' not in {r['category'] for r in rows}, 'elsewhere')


main()
