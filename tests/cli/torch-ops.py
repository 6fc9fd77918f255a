# SPDX-License-Identifier: Apache-2.0
"""torch-ops.py - operators of PyTorch by the time of what they launched, flops by shapes and MFU:
of real traces against an independent reading of the same files (golden/answers beside the data), to
the picosecond and flop, and of a trace whose answers are counted by hand."""

import json
import os
import re
from collections import Counter, defaultdict
from decimal import Decimal

from harness import Skip, add_test, check, check_same, main, rows_of, run, test, write
from viewserver import Server

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'answers')


def golden(name, trace_of=str):
    path = os.path.join(GOLDEN, name)
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder with real traces')
    with open(path, encoding='utf-8') as file:
        known = json.load(file)
    paths = {os.path.join(DATA, 'json', trace_of(trace)): what for trace, what in known.items()}
    return {path: what for path, what in paths.items() if os.path.exists(path)}


def table(name, path, *more):
    analyzers = [word for a in ('operators', 'steps', 'mfu') for word in ('-a', a)]
    done = run('run', *analyzers, '-s', f'csv:table={name}', '-o', '-', *more, path)
    return rows_of(done.expect(0).out)


def ps(text):
    return int(Decimal(text) * 1000) if text else 0


def of_devices(path):
    """Operator -> what its rows of devices say together."""
    devices = {row['device'] for row in table('kernels', path)}
    found = defaultdict(lambda: {'self': 0, 'total': 0, 'calls': None, 'kernel': None})
    for row in table('operators', path):
        if row['level'] == 'framework' and row['device'] in devices:
            one = found[row['operator']]
            one['self'] += ps(row['self_ns'])
            one['total'] += ps(row['total_ns'])
            one['calls'] = int(row['calls']) if row['calls'] else None
            one['kernel'] = row['top_kernel'] or None
    return dict(found)


def test_ops(_folder):
    for path, known in golden('ops.json').items():
        found, trace = of_devices(path), os.path.basename(path)
        check_same(len(found), known['names'], f'{trace}: operators')
        check_same(
            sum(o['self'] for o in found.values()), known['gpu_ps'], f'{trace}: all of the device'
        )
        for one in known['by_total']:
            ours = found[one['name']]
            check_same(
                (
                    ours['total'],
                    ours['self'],
                    ours['calls'],
                    ours['kernel'] and ours['kernel'][:100],
                ),
                (one['total_ps'], one['self_ps'], one['calls'], one['top_kernel']),
                f'{trace}: {one["name"]}',
            )
        for name, self in known['by_self']:
            check_same(found[name]['self'], self, f'{trace}: {name}')


def test_flops(_folder):
    for path, known in golden('flops.json').items():
        if 'by_name' not in known:
            continue
        trace, found, unknown = (
            os.path.basename(path),
            defaultdict(Counter),
            defaultdict(lambda: [0, 0]),
        )
        rows = table('operator_flops', path)
        for row in rows:
            if not row['flops']:
                unknown[row['operator']][0] += int(row['calls'])
                unknown[row['operator']][1] += ps(row['device_ns'])
                continue
            one = found[row['operator'], row['precision']]
            one.update(
                calls=int(row['calls']), flops=int(row['flops']), gpu_ps=ps(row['device_ns'])
            )
            one['flops_with_gpu'] += int(row['flops']) if row['device'] else 0
        check_same(
            {key: dict(one) for key, one in found.items()},
            {
                (n['name'], n['dtype']): {
                    k: n[k] for k in ('calls', 'flops', 'gpu_ps', 'flops_with_gpu')
                }
                for n in known['by_name']
            },
            f'{trace}: flops',
        )
        check_same(
            sorted([name, *what] for name, what in unknown.items()),
            known['unknown'],
            f'{trace}: unknown',
        )
        for shape in known['by_shape']:
            like = [
                r
                for r in rows
                if r['operator'] == shape['name']
                and r['precision'] == shape['dtype']
                and (r['flops'], r['calls']) == (str(shape['flops']), str(shape['calls']))
            ]
            check(
                any(
                    (int(r['bytes']), ps(r['device_ns'])) == (shape['bytes'], shape['gpu_ps'])
                    for r in like
                ),
                f'{trace}: {shape["name"]} {shape["dims"]}: {like}',
            )
        check_mfu(trace, known, table('mfu', path))


def check_mfu(trace, known, rows):
    if (
        known.get('mfu_of_windows') is None
    ):  # that of steps is of their periods by now: tests/oracle/use.py
        return
    for one in known['by_name']:
        if one.get('mfu_while_running') is None:
            continue
        mfu = [float(row['mfu']) for row in rows if row['operator'] == one['name']]
        check(
            len(mfu) == 1 and abs(mfu[0] / one['mfu_while_running'] - 1) < 1e-9,
            f'{trace}: {one["name"]} {mfu}',
        )


def event(name, cat, ts, dur, tid=1, **args):
    return {
        'ph': 'X',
        'name': name,
        'cat': cat,
        'ts': ts,
        'dur': dur,
        'pid': 0 if cat == 'kernel' else 9,
        'tid': tid,
        'args': args,
    }


def product(ts, correlation, dims, dtype='float', tid=1):
    """A matrix product and its launch."""
    return [
        event(
            'aten::mm', 'cpu_op', ts, 10, tid, **{'Input Dims': dims, 'Input type': [dtype, dtype]}
        ),
        event('cudaLaunchKernel', 'cuda_runtime', ts + 2, 3, tid, correlation=correlation),
    ]


def kernel(ts, dur, correlation, name='gemm'):
    return event(name, 'kernel', ts, dur, 7, correlation=correlation, device=0, stream=7)


def made(*events):
    return write(
        'torch.json',
        json.dumps(
            {
                'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}],
                'traceEvents': [e for some in events for e in some],
            }
        ),
    )


@test
def mfu_of_a_step_is_of_the_calls_that_begin_in_it(_folder):
    path = made(
        [
            event('ProfilerStep#1', 'user_annotation', 100, 100),
            event('ProfilerStep#2', 'user_annotation', 200, 100),
        ],
        product(110, 1, [[1000, 1000], [1000, 1000]]),
        [kernel(150, 80, 1)],
        product(190, 2, [[1000, 1000], [1000, 500]], tid=2),
        [kernel(230, 20, 2, 'gemm_tf32')],
        product(210, 3, [[1000, 1000], [1000, 1000]], 'c10::BFloat16'),
        [kernel(260, 40, 3)],
        product(330, 4, [[10, 10], [10, 10]]),
        [kernel(350, 1, 4)],
    )
    rows = table('mfu', path)
    # windows: 100..250 us, 250..300 us; peaks of fp32, tf32, bf16 in flop/s
    one = 2e9 / 67e12 + 1e9 / 494.5e12
    two = 2e9 / 989.5e12
    found = {row['step']: float(row['mfu']) for row in rows if row['step']}
    check(
        abs(found['1'] / (one / 150e-6) - 1) < 1e-12
        and abs(found['2'] / (two / 50e-6) - 1) < 1e-12,
        found,
    )
    whole = [float(row['mfu']) for row in rows if row['operator'] == '(steps)']
    check(
        abs(whole[0] / (two / 50e-6) - 1) < 1e-12,
        f'of the period from 250 to 300 us alone: {whole}',
    )


@test
def of_a_selection_flops_and_time_are_of_the_rows_it_shows(_folder):
    """A step that is there in part has no row, and (steps) none either; a call two of whose three
    kernels are left out has a third of its flops; a kernel across the edge counts whole."""
    path = made(
        [
            event('ProfilerStep#1', 'user_annotation', 100, 100),
            event('ProfilerStep#2', 'user_annotation', 200, 100),
            event('ProfilerStep#3', 'user_annotation', 300, 100),
        ],
        product(110, 1, [[1000, 1000], [1000, 1000]]),
        [kernel(150, 40, 1)],
        product(210, 2, [[1000, 1000], [1000, 500]]),
        [
            event('cudaLaunchKernel', 'cuda_runtime', 215 + i, 1, 1, correlation=20 + i)
            for i in (0, 2)
        ],
        [kernel(230, 10, 2), kernel(245, 10, 20), kernel(260, 10, 22)],
        product(310, 3, [[1000, 1000], [1000, 1000]]),
        [kernel(330, 40, 3)],
        product(380, 4, [[1000, 1000], [1000, 2000]]),
        [kernel(390, 5, 4)],
    )
    for bounds, flops, busy, span, steps in (
        (('0', '1ms'), 9e9, 115, 245, {'1', '2', '3'}),
        (('265us', '365us'), 1e9 // 3 + 2e9, 50, 110, set()),
        (('220us', '375us'), 3e9, 70, 140, {'2'}),
        (('100us', '280us'), 3e9, 70, 120, {'1', '2'}),
    ):
        rows = table('mfu', path, '--from', bounds[0], '--to', bounds[1])
        found = {row['operator']: row for row in rows if row['operator'].startswith('(')}
        for name, time in (('(total)', span), ('(busy)', busy)):
            check_same(
                (int(found[name]['flops']), ps(found[name]['time_ns'])),
                (int(flops), time * 10**6),
                f'{bounds}: {name}',
            )
        check_same({row['step'] for row in rows if row['step']}, steps, f'{bounds}: steps')
        whole = steps == {'1', '2', '3'} or bounds[0] == '100us'
        check_same('(steps)' in found, whole, f'{bounds}: (steps)')


@test
def the_viewer_knows_the_mfu_by_shapes(_folder):
    """In the list, of the command too, in sums of the whole and of a window: the figure of the
    first screen, and that it is at least."""
    steps = [
        event('ProfilerStep#1', 'user_annotation', 100, 100),
        event('ProfilerStep#2', 'user_annotation', 200, 100),
    ]
    calls = [*product(110, 1, [[1000, 1000], [1000, 1000]], 'c10::BFloat16'), kernel(150, 80, 1)]
    more = [
        *product(210, 2, [[1000, 1000], [7, 1000]], 'c10::BFloat16'),
        kernel(250, 40, 2),
        *product(220, 3, [[1000, 1000], [1000, 1000]], 'c10::BFloat16'),
        kernel(300, 60, 3),
    ]
    for name, events, least in (('all', calls, False), ('some', calls + more, True)):
        path = made(steps, events)
        with Server('--store', name, path) as server:
            profile = server.lines[0].rsplit('/', 1)[1].strip()
            server.generation(profile)
            rows = table('mfu', path)
            whole = float(next(row['mfu'] for row in rows if row['operator'] == '(steps)'))
            span = float(next(row['mfu'] for row in rows if row['operator'] == '(total)'))
            check(whole > 0, 'no MFU by shapes')
            for where, figure, said in (
                ('the list', whole, server.api('profiles')['profiles'][0]['mfu']),
                ('sums', whole, server.profile('s?n=1', profile).json()['totals']['mfu']),
                (
                    'a window',
                    span if least else whole,
                    server.profile('window?t0=0&t1=1000000000', profile).json()['totals']['mfu'],
                ),
            ):
                check(
                    said['value']
                    and abs(said['value'] / figure - 1) < 1e-12
                    and said['source'].startswith('at least') == least,
                    f'{where}: {said}, {figure}',
                )
        check(
            (f'>= {100 * whole:.1f} %' if least else f' {100 * whole:.1f} %')
            in run('profiles', '--store', name).expect(0).out,
            'nprof profiles',
        )


@test
def a_shape_that_says_too_little_is_unknown_and_the_rest_is_at_least(_folder):
    path = made(
        [event('ProfilerStep#1', 'user_annotation', 100, 100)],
        product(110, 1, [[1000, 1000], [1000, 1000]]),
        [kernel(120, 30, 1)],
        product(130, 2, [[1000, 1000], [7, 1000]]),
        [kernel(160, 30, 2)],
    )
    rows = table('mfu', path)
    source = {row['flops_source'] for row in rows if row['step'] == '1'}
    check_same(source, {'shapes; at least: the arguments of 1 of 2 calls say too little'}, 'source')
    found = {row['operator']: row for row in table('operators', path) if row['top_kernel']}
    check_same(
        (found['aten::mm']['flops'], found['aten::mm']['unknown_calls']),
        ('2000000000', '1'),
        'operator',
    )


@test
def above_the_peak_one_analyzer_warns_and_names_the_operator(_folder):
    path = made(product(110, 1, [[100000, 100000], [100000, 100000]]), [kernel(120, 1, 1)])
    both = (
        run('run', '-a', 'operators', '-a', 'steps', '-a', 'mfu', '-s', 'null', path).expect(0).err
    )
    warnings = [line for line in both.split('\n') if 'of the peak of' in line]
    units = sorted(re.search(r'of the peak of \S+ (\S+)', line)[1] for line in warnings)
    check_same(units, ['TB/s', 'TFLOP/s'], both)
    check(all('aten::mm has ' in line for line in warnings), both)


@test
def a_selection_does_not_change_who_launched_a_kernel(_folder):
    path = made(
        product(110, 1, [[10, 10], [10, 10]]),
        [kernel(150, 80, 1)],
        product(190, 2, [[10, 10], [10, 10]]),
        [kernel(330, 20, 2)],
    )
    rows = table('operators', path, '--from', '300us')
    found = {row['operator']: row['self_ns'] for row in rows if row['top_kernel']}
    check_same(found, {'aten::mm': '20000'}, 'after a cut')


@test
def kernels_by_the_shape_of_what_launched_them(_folder):
    path = made(
        product(110, 1, [[1000, 1000], [1000, 1000]]),
        [kernel(150, 80, 1)],
        product(240, 2, [[10, 10], [10, 500]]),
        [kernel(260, 20, 2)],
        product(300, 3, [[10, 10], [10, 500]]),
        [kernel(330, 30, 3)],
        [kernel(400, 5, 99)],
    )
    out = run('report', '--only', 'kernels', '--by', 'shape', '--format', 'csv', path).expect(0).out
    found = {row['shape']: (row['kernel'], row['calls'], row['total_ns']) for row in rows_of(out)}
    check_same(
        found,
        {
            'f32[1000,1000], f32[1000,1000]': ('gemm', '1', '80000'),
            'f32[10,10], f32[10,500]': ('gemm', '2', '50000'),
            '': ('gemm', '1', '5000'),
        },
        'shapes',
    )
    check(abs(float(rows_of(out)[1]['share_so_far']) - 130 / 135) < 1e-12, out)
    page = run('report', '--only', 'kernels', '--by', 'shape', path).expect(0).out
    lines = page[page.index('Kernels by shape') :].split('\n')[2:5]
    check_same([line.split()[0] for line in lines], ['80.0', '50.0', '5.00'], 'most time first')
    (one,) = rows_of(run('report', '--only', 'kernels', '--format', 'csv', path).expect(0).out)
    check_same((one['calls'], one['shapes']), ('4', '2'), 'by name')


def frame(name, ts, dur, tid=1):
    return event(name, 'python_function', ts, dur, tid)


@test
def work_belongs_to_modules_ranges_and_frames_around_its_launch(_folder):
    path = made(
        [
            frame('train.py(3): step', 90, 200),
            frame('nn.Module: Net_0', 100, 100),
            frame('nn.Module: SelfAttention_0', 105, 30),
            event('forward', 'user_annotation', 100, 100),
            event('nccl:all_reduce', 'user_annotation', 140, 20),
            frame('net.py(7): forward', 106, 20),
        ],
        product(110, 1, [[10, 10], [10, 10]]),
        [kernel(300, 10, 1)],
        product(150, 2, [[10, 10], [10, 10]]),
        [kernel(400, 20, 2)],
        product(220, 3, [[10, 10], [10, 10]]),
        [kernel(500, 40, 3)],
        [kernel(600, 80, 99)],
    )

    def rows(name, key):
        done = run('run', '-a', 'modules', '-s', f'csv:table={name}', '-o', '-', path).expect(0).out
        return {row[key]: row for row in rows_of(done)}

    times = {
        name: (row['device_ns'], row['self_ns'], row['calls'])
        for name, row in rows('modules', 'module').items()
    }
    check_same(
        times,
        {'Net_0': ('30000', '20000', '1'), 'Net_0/SelfAttention_0': ('10000', '10000', '1')},
        'modules',
    )
    classes = {
        name: (row['device_ns'], row['operations'])
        for name, row in rows('module_classes', 'class').items()
    }
    check_same(
        classes,
        {
            'attention': ('10000', '1'),
            'other': ('20000', '1'),
            '(no module)': ('40000', '1'),
            '(launch not recorded)': ('80000', '1'),
        },
        'classes',
    )
    ranges = {name: row['device_ns'] for name, row in rows('ranges', 'range').items()}
    check_same(ranges, {'forward': '30000', 'forward/nccl:all_reduce': '20000'}, 'ranges')
    frames = {
        name: (row['device_ns'], row['self_ns']) for name, row in rows('source', 'source').items()
    }
    check_same(
        frames,
        {'train.py(3): step': ('70000', '60000'), 'net.py(7): forward': ('10000', '10000')},
        'source',
    )


@test
def an_operator_with_an_empty_name_is_a_row(_folder):
    """The self times of a device add up to its work, also where who launched it has no name."""

    def launched(ts, correlation, took):
        return [
            event('cudaLaunchKernel', 'cuda_runtime', ts, 2, correlation=correlation),
            kernel(ts + 1000, took, correlation),
        ]

    path = made(
        [event('outer', 'cpu_op', 90, 30), event('', 'cpu_op', 100, 10)],
        launched(102, 1, 60),
        launched(112, 2, 30),
        [event('', 'cpu_op', 200, 10)],
        launched(202, 3, 7),
        launched(302, 4, 3),
    )

    def of(name, *keys):
        done = (
            run('run', '-a', 'operators', '-s', f'csv:table={name}', '-o', '-', path).expect(0).out
        )
        return sorted(
            tuple(row[key] for key in keys)
            for row in rows_of(done)
            if row.get('level', 'framework') == 'framework' and 'GPU' in row['device']
        )

    check_same(
        of('operators', 'operator', 'calls', 'self_ns', 'total_ns'),
        [
            ('(no name)', '2', '67000', '67000'),
            ('(no operator)', '', '3000', '3000'),
            ('outer', '1', '30000', '90000'),
        ],
        'operators',
    )
    check_same(
        of('operators_linked', 'launcher', 'total_ns'),
        [('', '3000'), ('(no name)', '67000'), ('outer', '30000')],
        'launchers',
    )
    check('(no name)' in run('report', '--only', 'ops', path).expect(0).out, 'report')


@test
def backward_passes_belong_to_the_modules_of_their_forward_ones(_folder):
    """On a thread of their own, by their sequence number; the last operator of a number counts."""

    def op(name, ts, dur, number, forward=0, tid=1):
        return event(
            name, 'cpu_op', ts, dur, tid, **{'Sequence number': number, 'Fwd thread id': forward}
        )

    def launched(ts, correlation, tid=1):
        return [
            event('cudaLaunchKernel', 'cuda_runtime', ts, 2, tid, correlation=correlation),
            kernel(ts + 1000, correlation, correlation),
        ]

    frames = [
        frame('nn.Module: Net_0', 100, 100),
        frame('nn.Module: SelfAttention_0', 105, 30),
        frame('nn.Module: MLP_0', 140, 30),
    ]
    path = made(
        frames,
        [
            op('aten::view', 106, 2, 7),
            op('aten::mm', 110, 9, 7),
            op('aten::add', 145, 9, 8),
            op('aten::sum', 180, 5, 9),
        ],
        launched(112, 1),
        launched(147, 2),
        launched(182, 4),
        [op('AddBackward0', 300, 20, 8, 1, 2), op('aten::neg', 305, 5, 20, 0, 2)],
        launched(306, 8, 2),
        launched(315, 16, 2),
        [op('MmBackward0', 330, 20, 7, 1, 2)],
        launched(335, 32, 2),
        [op('LostBackward0', 360, 20, 99, 1, 2)],
        launched(365, 64, 2),
        launched(500, 128, 2),
    )

    def rows(name, key):
        done = run('run', '-a', 'modules', '-s', f'csv:table={name}', '-o', '-', path).expect(0).out
        return {
            row[key]: (ps(row['device_ns']) // 10**6, ps(row['backward_ns']) // 10**6)
            for row in rows_of(done)
        }

    check_same(
        rows('modules', 'module'),
        {'Net_0': (7, 56), 'Net_0/SelfAttention_0': (1, 32), 'Net_0/MLP_0': (2, 24)},
        'modules',
    )
    check_same(
        rows('module_classes', 'class'),
        {'attention': (1, 32), 'mlp': (2, 24), 'other': (4, 0), '(no module)': (248, 0)},
        'classes',
    )


@test
def a_number_that_several_threads_count_is_nobodys(_folder):
    def op(name, ts, forward, tid):
        return event(name, 'cpu_op', ts, 9, tid, **{'Sequence number': 7, 'Fwd thread id': forward})

    path = made(
        [
            frame('nn.Module: MLP_0', 100, 50),
            op('aten::mm', 110, 0, 1),
            op('aten::mm', 110, 0, 3),
            op('MmBackward0', 300, 1, 2),
            event('cudaLaunchKernel', 'cuda_runtime', 302, 2, 2, correlation=1),
            kernel(400, 5, 1),
        ]
    )
    (row,) = rows_of(
        run('run', '-a', 'modules', '-s', 'csv:table=modules', '-o', '-', path).expect(0).out
    )
    check_same((row['module'], row['backward_ns']), ('MLP_0', '0'), 'module')


def test_modules(_folder):
    for name, known in golden('../analyses/modules.json', lambda name: name.split()[-1]).items():
        done = {
            t: rows_of(
                run('run', '-a', 'modules', '-s', f'csv:table={t}', '-o', '-', name).expect(0).out
            )
            for t in ('modules', 'module_classes')
        }
        check_same(
            {
                row['class']: (ps(row['device_ns']), int(row['operations']))
                for row in done['module_classes']
            },
            {c: (what['device_ps'], what['ops']) for c, what in known['classes'].items()},
            f'{name}: classes',
        )
        ours = {
            row['module']: [ps(row['device_ns']), ps(row['host_ns']), int(row['calls'])]
            for row in done['modules']
        }
        check_same(len(ours), known['modules'], f'{name}: modules')
        for module, *what in known['tree']:
            check_same(ours[module], what, f'{name}: {module}')


add_test('modules of real traces are those of an independent reading', test_modules)
add_test('ops of real traces are those of an independent reading', test_ops)
add_test('flops of real traces are those of an independent reading', test_flops)
main()
