# SPDX-License-Identifier: Apache-2.0
"""answers.py - what analyzers say of real traces, against tables that other programs made of them
(golden/ beside the data), and of the samples: the same for any number of threads and any batch."""

import csv
import glob
import gzip
import json
import os
import re
from collections import defaultdict
from decimal import Decimal

from harness import Skip, add_test, check, check_same, main, rows_of, run, sample

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden')
TPU = 'xplane/tpu_v6e_inference.xplane.pb'
TRACELENS = (
    'h100_Qwen_Qwen1.5-0.5B-Chat__1016005',
    'h100_gaunernst_bert-small-uncased__1016001',
    'mi210_gpu_only_trace_gpu_only_trace',
)
ROUNDING_NS = 60  # of the other program, which sums in doubles


def golden(name):
    path = os.path.join(GOLDEN, name)
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder with real traces')
    with open(path, encoding='utf-8', newline='') as file:
        return json.load(file) if path.endswith('.json') else list(csv.DictReader(file))


def table(name, analyzer, *inputs, env=None, arguments=()):
    done = run(
        'run', '-a', analyzer, '-s', f'csv:table={name}', '-o', '-', *arguments, *inputs, env=env
    )
    return rows_of(done.expect(0).out)


def data(name):
    return os.path.join(DATA, name)


def ps(text):
    return int(Decimal(text) * 1000)


# -- operators ---------------------------------------------------------------


def test_self_time(_folder):
    """Each level sums up to the self time that XProf's rules give, to the picosecond."""
    cores = golden('xplane_reference/tpu_v6e_inference.json')['cores']
    found, counts = defaultdict(int), defaultdict(int)
    for row in table('operators', 'operators', data(TPU)):
        if row['device'] in cores:
            found[row['device'], row['level']] += ps(row['self_ns'])
            counts[row['device'], row['level']] += int(row['calls'])
    for name, core in cores.items():
        for level in ('framework', 'hlo', 'opcode'):
            check_same(found[name, level], core['op_self_ps'], f'{name} {level}: self time')
            check_same(counts[name, level], core['xla_ops_events'], f'{name} {level}: occurrences')


def linked(name):
    trace = data(f'json/tracelens_tests_traces_{name}.json.gz')
    return table('operators_linked', 'operators', trace)


def check_sums(found, expected, what):
    check_same(sorted(found), sorted(expected), what)
    for key, (total, count) in expected.items():
        check(
            abs(found[key][0] - total) <= ROUNDING_NS and count in (None, found[key][1]),
            f'{what} {key}: {found[key]}, expected {total}, {count}',
        )


def sums(rows):
    total = defaultdict(lambda: [Decimal(0), 0])
    for key, time, count in rows:
        total[key][0] += time
        total[key][1] += count
    return {key: tuple(value) for key, value in total.items()}


def kernel_summary(name):
    """By launcher, kernel and stream.  The trace of Qwen leaves out copies; what has no launcher
    there, linked or not, has none here."""
    rows = golden(f'tracelens/{name}_perf_report_csvs_kernel_summary.csv')
    parents = 'Parent cpu_op' in rows[0]
    expected = sums(
        (
            (row.get('Parent cpu_op', ''), row['Kernel name'], row['Kernel stream']),
            Decimal(row['Kernel duration (µs)_sum']) * 1000,
            int(row['Kernel duration (µs)_count']),
        )
        for row in rows
    )
    copies = any(row['Kernel name'].startswith(('Mem', 'Copy')) for row in rows)
    found = sums(
        (
            (row['launcher'] if parents else '', row['operator'], row['queue'].split()[-1]),
            Decimal(row['total_ns']),
            int(row['calls']),
        )
        for row in linked(name)
        if copies or row['category'] == 'kernel'
    )
    return found, expected


def test_kernels(name):
    check_sums(*kernel_summary(name), 'kernels')


def test_launchers(name):
    """Time of what an operator of the framework launched itself: only what is linked."""
    rows = golden(f'tracelens/{name}_perf_report_csvs_ops_summary.csv')
    expected = {
        row['name']: (Decimal(row['total_direct_kernel_time_sum']) * 1000, None) for row in rows
    }
    found = sums(
        (row['launcher'], Decimal(row['total_ns']), int(row['calls']))
        for row in linked(name)
        if row['launcher']
    )
    found = {key: value for key, value in found.items() if key in expected}
    check_sums(found, expected, 'launchers')


def test_both_totals(_folder):
    """Both totals are there, with the reason, where a launch is not in the file."""
    golden('tracelens/' + TRACELENS[0] + '_perf_report_csvs_kernel_summary.csv')
    reasons = sums(
        (row['linked'] + ' ' + row['reason'], Decimal(row['total_ns']), int(row['calls']))
        for row in linked(TRACELENS[0])
    )
    check_same(
        {key: count for key, (_, count) in reasons.items()},
        {'true ': 1198, 'false its launch is not in the file': 509},
        'linked and not',
    )


# -- latency -----------------------------------------------------------------


def test_modules(_folder):
    """Executions of programs, by the independent reading of the same file."""
    cores = golden('xplane_reference/tpu_v6e_inference.json')['cores']
    rows = {
        (row['process'], row['name']): row
        for row in table('latency', 'latency', data(TPU))
        if row['thread'] == 'XLA Modules'
    }
    for core, known in cores.items():
        for name, module in known['modules'].items():
            row = rows[core, name]
            check_same(int(row['calls']), module['n'], f'{core} {name}: count')
            for column in ('min', 'max'):
                check_same(
                    ps(row[f'{column}_ns']), module[f'{column}_ps'], f'{core} {name}: {column}'
                )
            off = abs(ps(row['mean_ns']) - module['mean_ps'])
            check(off <= 1, f'{core} {name}: mean is {off} ps off')


def test_guide(_folder):
    """The percentiles that Furiosa's own tool prints, which cuts what is behind the point."""
    path = os.path.join(GOLDEN, 'furiosa')
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder with real traces')
    with open(os.path.join(path, 'expected_0.9.txt'), encoding='utf-8') as file:
        printed = re.findall(
            r'^(Min|Max|Mean|Median|[0-9.]+ percentile) latency.*: (\d+)$', file.read(), flags=re.M
        )
    rows = table('latency', 'latency:by=inference', os.path.join(path, 'furiosa_0.9_doc.csv'))
    check_same(len(rows), 1, 'rows')
    columns = {
        'Min': 'min',
        'Max': 'max',
        'Mean': 'mean',
        'Median': 'median',
        '90.0': 'p90',
        '95.0': 'p95',
        '97.0': 'p97',
        '99.0': 'p99',
        '99.9': 'p99_9',
    }
    check_same(len(printed), len(columns), 'figures of the guide')
    for what, value in printed:
        found = rows[0][columns[what.split()[0]] + '_ns']
        check_same(int(Decimal(found)), int(value), what)


# -- steps -------------------------------------------------------------------


def test_steps(_folder):
    """Executions are steps where there is no line of steps; those of a collective end together."""
    golden('xplane_reference/tpu_v6e_inference.json')
    rows = table('step_times', 'steps', data(TPU))
    counted = [row for row in rows if row['program'].startswith('jit_f(')]
    check_same([row['steps'] for row in counted], ['100'] * 4, 'steps')
    collective = [row for row in rows if row['program'].startswith('jit__psum(')]
    check_same(len(collective), 4, 'devices')
    check(all(ps(row['max_skew_ns']) < 50_000_000 for row in collective), 'skew of a collective')


def events_by_step(name):
    """(name, step) -> events of a Kineto trace, by the annotations of its host, read in decimals:
    work of a device by the step that its launch begins in, all else by the step that it begins in
    itself."""
    with gzip.open(data(f'json/{name}.json.gz'), 'rt', encoding='utf-8') as file:
        events = json.load(file, parse_float=Decimal)['traceEvents']
    events = [e for e in events if e.get('ph') == 'X']
    steps = [
        (e['ts'], e['ts'] + e['dur'], int(e['name'][len('ProfilerStep#') :]))
        for e in events
        if e['name'].startswith('ProfilerStep#')
    ]
    work = {'kernel', 'gpu_memcpy', 'gpu_memset', 'memcpy', 'memset'}
    calls = {'cuda_runtime', 'cuda_driver', 'runtime'}
    launches = {}
    for event in events:
        if event.get('cat', '').lower() in calls and event['args'].get('correlation', 0) > 0:
            launches.setdefault(event['args']['correlation'], event['ts'])
    counts = defaultdict(int)
    for event in events:
        at = event['ts']
        if event.get('cat', '').lower() in work:
            at = launches.get(event['args'].get('correlation'), at)
        number = [str(n) for start, end, n in steps if start <= at < end]
        counts[event['name'], number[0] if number else ''] += 1
    return dict(counts)


def test_annotated_steps(name, step):
    """Rows have the number of their ProfilerStep, and --step selects by it."""
    golden('xplane_reference/tpu_v6e_inference.json')
    trace, expected = data(f'json/{name}.json.gz'), events_by_step(name)
    check(len({number for _, number in expected}) > 3, 'no steps in the trace')

    def found(*arguments):
        done = run('run', '-s', 'csv:columns=kind+name+step', '-o', '-', *arguments, trace)
        counts = defaultdict(int)
        for row in rows_of(done.expect(0).out):
            counts[row['name'], row['step']] += row['kind'] == 'span'
        counts = {key: n for key, n in counts.items() if n}
        return dict(counts)

    for what, ours, theirs in (
        ('spans by step', found(), expected),
        (
            f'--step {step}',
            found('--step', step),
            {k: n for k, n in expected.items() if k[1] == step},
        ),
    ):
        wrong = [
            (k, ours.get(k), theirs.get(k))
            for k in {**ours, **theirs}
            if ours.get(k) != theirs.get(k)
        ]
        check(not wrong, f'{what}: {len(wrong)} differ, as {wrong[:3]}')


# -- queues ------------------------------------------------------------------


def queue_of(row):
    """The key of goldens: number of the device / of the stream."""
    return re.search(r'GPU (\d+)', row['device'])[1] + '/' + row['track'].split()[-1]


def check_queues(what, known, path):
    gaps, times = defaultdict(dict), defaultdict(dict)
    for row in table('queue_idle', 'steps', path):
        gaps[queue_of(row)][row['cause']] = int(row['gaps'])
        times[queue_of(row)][row['cause']] = ps(row['duration_ns'])
    check_same(
        {queue: (gaps[queue], times[queue]) for queue in known['idle']},
        {queue: (one['gaps'], one['ps']) for queue, one in known['idle'].items()},
        f'{what}: idle queues',
    )
    lengths = {queue_of(row): row for row in table('queue_length', 'steps', path)}
    check_same(sorted(lengths), sorted(known['queue']), f'{what}: queues')
    for queue, one in known['queue'].items():
        row = lengths[queue]
        check_same(
            (int(row['max']), ps(row['empty_ns']), ps(row['ge_1000_ns'])),
            (one['max'], one['ps_empty'], one['ps_ge_1000']),
            f'{what}: length of queue {queue}',
        )
        check(
            abs(float(row['mean']) / one['time_weighted_mean'] - 1) < 1e-12,
            f'{what}: mean length of {queue}: {row}',
        )


def check_launches(what, known, path):
    launch, rows = known['launch'], table('launches', 'steps', path)
    found = {
        column: sum(ps(row[column]) for row in rows)
        for column in ('call_ns', 'operation_ns', 'delay_ns')
    }
    found.update(
        {
            column: sum(int(row[column]) for row in rows)
            for column in ('launches', 'short_operations', 'early')
        }
    )
    check_same(
        {**found, 'delay_max_ns': max(ps(row['delay_max_ns']) for row in rows)},
        {
            'call_ns': launch['cpu_ps'],
            'operation_ns': launch['gpu_ps'],
            'delay_ns': launch['delay_ps'],
            'launches': launch['rows'],
            'short_operations': launch['short_ops'],
            'early': launch['op_starts_before_call_ends'],
            'delay_max_ns': launch['delay_max_ps'],
        },
        f'{what}: launches',
    )
    check_same(
        {queue_of(row): int(row['unlinked']) for row in rows},
        {queue: one['unlinked_ops'] for queue, one in known['idle'].items()},
        f'{what}: unlinked',
    )
    if len(rows) == 1:
        check_same(ps(rows[0]['delay_p50_ns']), launch['delay_median_ps'], f'{what}: median delay')


def test_queues(_folder):
    """Idle queues, launches and lengths of queues, by the independent reading of the same files."""
    for name, known in golden('analyses/bound.json').items():
        path = data('json/' + name.split(': ')[1])
        check_queues(name[:8], known, path)
        check_launches(name[:8], known, path)


# -- All ---------------------------------------------------------------------


def test_same(analyzer, path):
    """Tables depend neither on threads nor on batches."""

    def tables(*arguments, env=None):
        return (
            run(
                'run',
                '-a',
                analyzer,
                '-s',
                'text:format=json',
                '-o',
                '-',
                *arguments,
                path,
                env=env,
            )
            .expect(0)
            .out
        )

    expected = tables('-j', '1')
    check(len(expected) > 100, 'no tables')
    for jobs in ('2', '5'):
        check_same(tables('-j', jobs), expected, f'-j {jobs}')
    for rows in ('1', '7'):
        check_same(tables(env={'NPROF_BATCH_ROWS': rows}), expected, f'batches of {rows}')


def with_name(test, name):
    return lambda _folder: test(name)


add_test('operators/self-time', test_self_time)
for each in TRACELENS:
    add_test(f'operators/kernels/{each}', with_name(test_kernels, each))
for each in TRACELENS[:2]:
    add_test(f'operators/launchers/{each}', with_name(test_launchers, each))
add_test('operators/both-totals', test_both_totals)
add_test('latency/modules', test_modules)
add_test('latency/guide', test_guide)
add_test('steps/modules', test_steps)
add_test('steps/queues', test_queues)
for each, number in (
    ('hta_ns_resolution_trace_rank-0.Apr_03_18_51_38.1102.pt.trace', '103'),
    ('hta_nccl_parser_config_nccl_data', '5'),
    ('tbplugin_resnet50_2021.pt.trace', '7'),
):
    add_test(
        f'steps/annotated/{each[:20]}', lambda _folder, e=each, n=number: test_annotated_steps(e, n)
    )
for each in ('latency', 'latency:memory=4k', 'operators', 'steps'):
    for path in sorted(glob.glob(os.path.join(os.path.dirname(sample()), '*'))):
        if path.endswith(('.pb', '.json', '.csv', '.gz')):
            add_test(
                f'same/{each}/{os.path.basename(path)}',
                lambda _folder, a=each, p=path: test_same(a, p),
            )

if __name__ == '__main__':
    main()
