# SPDX-License-Identifier: Apache-2.0
"""modules.py - time of a device by module and by line of source, where its work states both itself,
as XLA's does: beside a plain count of each microsecond of made traces, and beside a plain sum of a
real one."""

import json
import os
import random
import re
from collections import Counter

import xspace
from harness import Skip, add_test, check, check_same, main, rows_of, run, test, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
# Path of the framework -> (layer, class of the innermost part that says one)
PATHS = {
    'jit(step)/jit(main)/Net/layers_0/self_attention/dot_general': (
        'Net/layers_0/self_attention',
        'attention',
    ),
    'jit(step)/jit(main)/transpose(jvp(Net))/layers_0/mlp_block/dot_general': (
        'Net/layers_0/mlp_block',
        'mlp',
    ),
    'jit(step)/Net/layers_0/mlp_block/post_norm/mul': ('Net/layers_0/mlp_block/post_norm', 'norm'),
    'jit(step)/Net/token_embedder/gather:': ('Net/token_embedder', 'embedding'),
    'jit(step)/Net/while/body/add': ('Net', 'other'),
    'jit(step)/jit(main)/reduce_sum': ('', '(no module)'),
    '': ('', '(no module)'),
}
LINES = {  # source, source_stack -> frames, the outermost first
    ('model.py:7', 'app.py:1:2\nmodel.py:9\nmodel.py:7:11'): (
        'app.py:1',
        'model.py:9',
        'model.py:7',
    ),
    ('model.py:9', 'model.py:9:4\nmodel.py:7:1\napp.py:3'): (
        'app.py:3',
        'model.py:7',
        'model.py:9',
    ),
    ('loss.py:30', ''): ('loss.py:30',),
    (  # frames of frameworks and of the standard library are not the program's
        '/venv/lib/python3.11/site-packages/jax/_src/pjit.py:5',
        '/venv/lib/python3.11/site-packages/jax/_src/pjit.py:5\n'
        '/usr/lib/python3.11/odd.py:2\nfit.py:3',
    ): ('fit.py:3',),
    ('torch/nn/functional.py:5', ''): ('torch/nn/functional.py:5',),
    ('', ''): (),
}


def tables(path, *options):
    found = {}
    for name, key in (('modules', 'module'), ('module_classes', 'class'), ('source', 'source')):
        out = (
            run('run', '-a', 'modules', '-s', f'csv:table={name}', '-o', '-', *options, path)
            .expect(0)
            .out
        )
        found[name] = {row[key]: row for row in rows_of(out)}
    return found


def us(text):
    return round(float(text) / 1000)


def nested(rng, start, end, depth, rows):
    """Rows that lie in each other or beside each other, the outer one first."""
    at = start
    while at < end:
        until = min(end, at + rng.randrange(1, 40))
        if rng.random() < 0.8:
            rows.append((at, until, rng.choice(list(PATHS)), rng.choice(list(LINES))))
            if depth and until - at > 4:
                nested(rng, at + rng.randrange(2), until - rng.randrange(2), depth - 1, rows)
        at = until


def plane_of(rows):
    core = xspace.Plane(2, '/device:TPU:0')
    for i, (start, end, path, (source, stack)) in enumerate(rows):
        said = {'tf_op': path, 'source': source, 'source_stack': stack}
        core.add(
            'XLA Ops',
            f'fusion.{i}',
            start,
            end - start,
            'loop fusion',
            **{k: v for k, v in said.items() if v},
        )
    return core


def counted(rows, window=range(400)):
    """Each microsecond belongs to the last row that holds it: modules, classes, and lines in all
    and of their own."""
    modules, own, classes, lines, own_lines = Counter(), Counter(), Counter(), Counter(), Counter()
    for at in {t for start, end, *_ in rows for t in range(start, end)} & set(window):
        _, _, path, line = [row for row in rows if row[0] <= at < row[1]][-1]
        layer, what = PATHS[path]
        classes[what] += 1
        own[layer] += 1
        parts = layer.split('/') if layer else []
        modules.update('/'.join(parts[:n]) for n in range(1, len(parts) + 1))
        lines.update(set(LINES[line]))
        own_lines.update(LINES[line][-1:])
    return modules, own, classes, lines, own_lines


def add_random(seed):
    def body(_folder):
        rng, rows = random.Random(seed), []
        nested(rng, 0, 400, 3, rows)
        modules, own, classes, lines, own_lines = counted(rows)
        found = tables(write('made.xplane.pb', plane_of(rows).data()))
        check_same(
            {
                name: (us(r['device_ns']), us(r['self_ns']), r['calls'], r['host_ns'])
                for name, r in found['modules'].items()
            },
            {name: (n, own[name], '', '') for name, n in modules.items()},
            'modules',
        )
        check_same(
            {name: us(r['device_ns']) for name, r in found['module_classes'].items()},
            dict(classes),
            'classes',
        )
        check_same(
            {
                name: (us(r['device_ns']), us(r['self_ns']), r['calls'])
                for name, r in found['source'].items()
            },
            {name: (n, own_lines[name], '') for name, n in lines.items()},
            'source',
        )
        for name, row in found['modules'].items():
            check(
                abs(float(row['share']) - modules[name] / sum(classes.values())) < 1e-9,
                f'{name}: {row["share"]}',
            )

    add_test(f'random rows of a TPU {seed}', body)


def times(table, *columns):
    """{key: us} of the rows that have some time."""
    found = {key: tuple(us(row[column]) for column in columns) for key, row in table.items()}
    return {key: one for key, one in found.items() if one[0]}


@test
def of_a_window_what_lies_in_it(_folder):
    for seed in range(4):
        rng, rows = random.Random(seed), []
        nested(rng, 0, 400, 3, rows)
        path = write('made.xplane.pb', plane_of(rows).data())
        for _ in range(3):
            a, b = sorted(rng.sample(range(400), 2))
            modules, own, classes, lines, own_lines = counted(rows, range(a, b))
            found = tables(path, '--clip', '--from', f'{a}us', '--to', f'{b}us')
            check_same(
                times(found['modules'], 'device_ns', 'self_ns'),
                {name: (n, own[name]) for name, n in modules.items()},
                f'modules {a} {b}',
            )
            check_same(
                times(found['module_classes'], 'device_ns'),
                {name: (n,) for name, n in classes.items()},
                f'classes {a} {b}',
            )
            check_same(
                times(found['source'], 'device_ns', 'self_ns'),
                {name: (n, own_lines[name]) for name, n in lines.items()},
                f'source {a} {b}',
            )


@test
def calls_of_a_window(_folder):
    """Of a call that crosses an edge the part inside counts; work that was launched before the
    window belongs to its module."""
    frame = {'ph': 'X', 'cat': 'python_function', 'pid': 9, 'tid': 9}
    events = [
        {**frame, 'name': 'nn.Module: Net_0', 'ts': 0, 'dur': 100},
        {**frame, 'name': 'nn.Module: Attention_0', 'ts': 10, 'dur': 20},
        {
            'ph': 'X',
            'cat': 'cuda_runtime',
            'name': 'cudaLaunchKernel',
            'pid': 9,
            'tid': 9,
            'ts': 12,
            'dur': 2,
            'args': {'correlation': 5},
        },
        {
            'ph': 'X',
            'cat': 'kernel',
            'name': 'k',
            'pid': 0,
            'tid': 7,
            'ts': 40,
            'dur': 30,
            'args': {'device': 0, 'stream': 7, 'correlation': 5},
        },
    ]
    path = write('calls.json', json.dumps({'traceEvents': events}))
    found = tables(path, '--clip', '--from', '45us', '--to', '60us')['modules']
    check_same(
        {
            name: (us(r['host_ns']), us(r['device_ns']), us(r['self_ns']), r['calls'])
            for name, r in found.items()
        },
        {'Net_0': (15, 15, 0, '1'), 'Net_0/Attention_0': (0, 15, 15, '0')},
        'modules',
    )


@test
def a_selection_takes_nothing_from_what_lies_around(_folder):
    """The loop holds 60 us of what follows; to hide that does not make them the loop's."""
    path = list(PATHS)[0]
    rows = [(0, 100, '', ('', '')), (20, 80, path, ('', ''))]
    core = plane_of(rows)
    found = tables(write('made.xplane.pb', core.data()), '--name', 'fusion.0')
    check_same(
        {name: us(r['device_ns']) for name, r in found['module_classes'].items()},
        {'(no module)': 40},
        'classes',
    )


@test
def work_of_a_gpu_that_states_its_path(_folder):
    """What the work says counts more than its launch, which is that of the whole program."""
    gpu, host = xspace.Plane(2, '/device:GPU:0'), xspace.Plane(3, '/host:CPU')
    for n, (path, (layer, _)) in enumerate(list(PATHS.items())[:3], 1):
        host.add('python', 'cuLaunchKernel', 10 * n, 2, correlation_id=n)
        gpu.add('Stream #7(Compute)', f'k{n}', 100 * n, 10 * n, correlation_id=n, tf_op=path)
        check(layer, 'a layer')
    gpu.add('Stream #7(Compute)', 'k4', 900, 1, correlation_id=4)
    found = tables(write('made.xplane.pb', gpu.data() + host.data()))
    check_same(
        {name: us(r['device_ns']) for name, r in found['module_classes'].items()},
        {'attention': 10, 'mlp': 20, 'norm': 30, '(launch not recorded)': 1},
        'classes',
    )


@test
def the_path_of_a_kernel_as_xla_annotates_it(_folder):
    """A scope of XLA is no path; what all kernels of a program have in common stands before the
    rest; TensorFlow before 2.4 calls it level 0. Around XLA's program TensorFlow names what runs
    it, which is not what it is.
    """
    rows = [
        (
            {'tf_op': 'XlaModule:', 'name': 'jit(f)/Net/self_attention/dot_general'},
            'jit(f)/Net/self_attention/dot_general',
        ),
        (
            {
                'tf_op': 'XlaModule:',
                'prefix': 'jit(f)/transpose(jvp(Net))',
                'name': 'mlp_block/dot_general',
            },
            'jit(f)/transpose(jvp(Net))/mlp_block/dot_general',
        ),
        ({'tf_op': 'Thunk:', 'prefix': 'jit(f)/Net/mlp_block/add'}, 'jit(f)/Net/mlp_block/add'),
        ({'tf_op': 'XlaModule:'}, ''),
        ({'tf_op': 'XlaModule:', 'prefix': '', 'name': ''}, ''),
        (
            {'level 0': 'model/layer_1/self_attention/dropout/Mul:Mul'},
            'model/layer_1/self_attention/dropout/Mul:Mul',
        ),
        (
            {'tf_op': 'cluster_0/xla_run:XlaRun', 'name': 'model/token_embedder/Gather'},
            'model/token_embedder/Gather',
        ),
        ({'tf_op': 'model/self_attention/MatMul:'}, 'model/self_attention/MatMul'),
    ]
    gpu = xspace.Plane(2, '/device:GPU:0')
    for n, (said, _) in enumerate(rows):
        gpu.add('Stream #7(Compute)', f'k{n}', 100 * n, 1 << n, hlo_op=f'fusion.{n}', **said)
    path = write('made.xplane.pb', gpu.data())
    for scan in ('auto', 'plain'):
        events = (
            run('run', '-d', f'xplane:scan={scan}', '-s', 'csv:table=events', '-o', '-', path)
            .expect(0)
            .out
        )
        check_same(
            [r['framework_op'] for r in rows_of(events) if r['kind'] == 'span'],
            [op for _, op in rows],
            scan,
        )
    found = tables(path)
    check_same(
        {name: us(r['device_ns']) for name, r in found['module_classes'].items()},
        {'attention': 1 + 32 + 128, 'mlp': 2 + 4, 'embedding': 64, '(no module)': 8 + 16},
        'classes',
    )


@test
def nobody_states_anything(_folder):
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Ops', 'fusion.1', 0, 10, 'loop fusion')
    path = write('made.xplane.pb', core.data())
    check_same(tables(path), {'modules': {}, 'module_classes': {}, 'source': {}}, 'tables')
    out = run('report', '--only', 'modules,source', path).expect(0).out
    check(
        'modules: unknown: no path of a framework in the file names a layer; jax.named_scope would write it'
        in out,
        out,
    )
    check('source: unknown: no lines of source in the file' in out, out)


@test
def a_real_tpu(_folder):
    """The lines of a real trace, by the self time of its operators: table operators knows both, and
    nothing of stacks."""
    path = os.path.join(DATA, 'xplane', 'tpu_v6e_inference.xplane.pb')
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder with real traces')
    device = '/device:TPU:0'
    events = rows_of(
        run('run', '-s', 'csv:table=events', '-o', '-', '--track', device, path).expect(0).out
    )
    ops = [r for r in events if r['thread'] == 'XLA Ops' and r['duration_ns']]
    spans = sorted(
        (round(float(r['start_ns']) * 1000), -round(float(r['duration_ns']) * 1000), i)
        for i, r in enumerate(ops)
    )
    own, open_rows = Counter(), []
    for start, duration, i in spans:
        while open_rows and open_rows[-1][0] < start - duration:
            open_rows.pop()
        if open_rows:
            own[open_rows[-1][1]] += duration
        own[i] -= duration
        open_rows.append((start - duration, i))
    wanted = Counter()
    for i, time in own.items():
        if ops[i]['source']:
            wanted[ops[i]['source']] += time
    out = run('run', '-a', 'modules', '-s', 'csv:table=source', '-o', '-', path).expect(0).out
    found = {
        r['source']: round(float(r['self_ns']) * 1000)
        for r in rows_of(out)
        if r['device'] == device
    }
    check(sum(wanted.values()) > 0, 'no line has any time')
    check_same({name: time for name, time in found.items() if time}, dict(wanted), 'lines')
    check(all(re.fullmatch(r'.*:\d+', name) for name in found), found)


for each in range(6):
    add_random(each)
main()
