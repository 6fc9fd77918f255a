# SPDX-License-Identifier: Apache-2.0
"""graphs.py - kernels of graph replays get the operators of their captures: beside tables that were
made from the raw bytes by another program (the folder golden beside the data), and on small traces
that are made here."""

import collections
import csv
import functools
import glob
import gzip
import hashlib
import io
import json
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
from decimal import Decimal

import xspace

from harness import NPROF, Skip, add_test, check, check_same, environment, main, run, test, write
from viewserver import Server

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'graphs')
FILES = os.path.join(DATA, '..', 'files', 'graphs')

REAL = {
    'vllm_decode_full': (
        'graph_execution.json.gz',
        'graph_capture_rank_0.1773709742341309550.pt.trace.json.gz',
    ),
    'sglang_decode': ('sglang_Qwen3-8B_decode.json.gz', 'bs_32_rank0.json.gz'),
}
MADE = {
    'exact': ('run.json', 'capture.json'),
    'position': ('run.json', 'capture_noname.json'),
    'short': ('run.json', 'capture_short.json'),
    'other_batch': ('run.json', 'capture_other_batch.json'),
    'two_captures': ('run.json', 'capture_other_batch.json', 'capture.json'),
    'lost': ('run_lost.json', 'capture.json'),
    'streams': ('run_streams.json', 'capture.json'),
    'self': ('run_self.json',),
    'pieces': ('run_pieces.json', 'capture_pieces.json'),
    'none': ('run.json',),
}


TABLES = {
    '': ('events', 'inputs', 'graph_lost', 'graph_captures'),
    'operators': ('operators', 'kernels'),
    'graphs': (
        *('graphs', 'graph_replays', 'graph_contents', 'graph_families', 'graph_operators'),
        *('graph_outside', 'graph_layers'),
    ),
}


def tables_of(*arguments):
    """All tables by which replays are judged, of one run."""
    analyzers = [word for name in TABLES if name for word in ('-a', name)]
    names = [name for of in TABLES.values() for name in of]
    sinks = [word for name in names for word in ('-s', f'csv:table={name}')]
    run('run', '-q', *analyzers, *sinks, '-o', 'tables/', *arguments).expect(0)
    found = {}
    for name in names:
        with open(f'tables/{name}.csv', encoding='utf-8') as file:
            found[name] = list(csv.DictReader(file))
    shutil.rmtree('tables')
    return found


# Of files that stay as they are: several points look at the tables of one run.
tables_of_data = functools.lru_cache(maxsize=None)(tables_of)


def table(name, *arguments):
    """One table of files that this program has written."""
    analyzer = next(key for key, names in TABLES.items() if name in names)
    chosen = ('-a', analyzer) if analyzer else ()
    result = run('run', '-q', *chosen, '-s', f'csv:table={name}', '-o', '-', *arguments)
    return list(csv.DictReader(io.StringIO(result.expect(0).out)))


def eager(*paths):
    return ['-d', 'chrome:companions=no' + (',eager=' + '+'.join(paths) if paths else '')]


def golden(folder, name):
    with open(os.path.join(GOLDEN, folder, name + '.tsv'), encoding='utf-8') as file:
        return list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def ps(text):
    return int(Decimal(text) * 1000)


def dims(text):
    """The shapes of tensors among arguments: "bf16[8,512] - [1]" has [[8, 512]]."""
    return [
        [int(n) for n in found.split(',')]
        for found in re.findall(r'(?<![^ ])\w+\??\[([0-9,]+)\]', text)
    ]


def wanted_dims(text):
    return (
        [entry for entry in json.loads(text) if entry and all(isinstance(n, int) for n in entry)]
        if text
        else []
    )


def kernels_of(path, *options):
    """Rows of work as golden tables list them."""
    out = []
    for row in tables_of_data(*options, path)['events']:
        if row['category'] in ('kernel', 'gpu_memcpy', 'gpu_memset'):
            said = json.loads(row['attributes'] or '{}')
            out.append(
                (
                    ps(row['start_ns']),
                    ps(row['duration_ns']),
                    row['name'],
                    said.get('graph_match'),
                    said.get('graph_operator'),
                    row['layer'],
                    row['source'],
                    dims(row['arguments']),
                    said.get('graph_replay'),
                )
            )
    return sorted(out, key=lambda row: row[:3])


def check_kernels(path, folder, *options):
    found, wanted = kernels_of(path, *options), golden(folder, 'graph_kernels')
    wanted.sort(key=lambda row: (int(row['start_ps']), int(row['duration_ps']), row['kernel']))
    check_same(len(found), len(wanted), f'{folder}: rows of work')
    first = int(wanted[0]['start_ps']) - found[0][0]
    for row, want in zip(found, wanted):
        check_same(
            row[:3],
            (int(want['start_ps']) - first, int(want['duration_ps']), want['kernel']),
            folder,
        )
        if want['replay'] == '':
            check_same(row[3], None, f'{folder}: outside of graphs')
            continue
        check_same(
            (row[3], str(row[8])), (want['match'], want['replay']), f'{folder}: {want["kernel"]}'
        )
        named = want['operator'] or None
        check_same(
            None if row[4].startswith('(graph replay ') else row[4],
            named,
            f'{folder}: operator of {want["kernel"]}',
        )
        check_same(
            (row[5], row[6]),
            (want['module'], want['source']),
            f'{folder}: place of {want["kernel"]}',
        )
        check_same(
            [d for d in row[7] if d],
            wanted_dims(want['input_dims']),
            f'{folder}: shapes of {want["kernel"]}',
        )


def real(folder):
    run_, capture = REAL[folder]
    path = os.path.join(FILES, folder, run_)
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder beside which the pairs lie')
    return path, os.path.join(FILES, folder, 'capture_traces', capture)


def each_real(folder):
    def point(_folder):
        path, capture = real(folder)
        check_kernels(path, folder, *eager(capture))
        check_kernels(path, folder)  # found by execution_details.json beside it

    return point


def each_made(folder):
    def point(_folder):
        if not DATA or not os.path.exists(os.path.join(GOLDEN, 'made', folder)):
            raise Skip('NPROF_TEST_DATA names no folder beside which the tables lie')
        run_, *captures = (os.path.join(GOLDEN, 'made', name) for name in MADE[folder])
        check_kernels(run_, os.path.join('made', folder), *eager(*captures))

    return point


@test
def made_ids(_folder):
    if not DATA or not os.path.exists(os.path.join(GOLDEN, 'made', 'ids')):
        raise Skip('NPROF_TEST_DATA names no folder beside which the tables lie')
    path = os.path.join(GOLDEN, 'made', 'run_ids.json')
    notes = os.path.join(GOLDEN, 'made', 'kernel_annotations_rank0_1.json')
    check_kernels(path, os.path.join('made', 'ids'), '--no-eager', '--annotations', notes)


def operators_of(path, *options):
    """Self time in ps and calls, by operator of devices."""
    return {
        row['operator']: (ps(row['self_ns']), row['calls'])
        for row in tables_of_data(*options, path)['operators']
        if row['level'] == 'framework' and 'GPU' in row['device']
    }


def each_operators(folder):
    def point(_folder):
        path, capture = real(folder)
        found = operators_of(path, '--eager', capture)
        wanted, calls = collections.Counter(), collections.Counter()
        for row in golden(folder, 'graph_operators'):
            wanted[row['operator']] += int(row['device_ps'])
            calls[row['operator']] += int(row['calls'] or 0)
        check_same({name: found[name][0] for name in wanted}, dict(wanted), 'time by operator')
        check_same(sum(time for time, _ in found.values()), sum(wanted.values()), 'all of it')
        inside = {row['operator'] for row in golden(folder, 'graph_kernels') if row['replay'] != ''}
        outside = {
            row['operator'] for row in golden(folder, 'graph_kernels') if row['replay'] == ''
        }
        for name in inside - outside - {''}:
            check_same(found[name][1], str(calls[name]), f'calls of {name}')
        alone = operators_of(path, '--no-eager')
        check_same(
            [name for name in inside if name in alone and name not in outside],
            [],
            'nothing is invented',
        )
        check_same(
            [name for name in alone if name.startswith('(graph replay ')],
            [
                f'(graph replay {sum(row["replay"] != "" for row in golden(folder, "graph_kernels"))})'
            ],
            'unnamed',
        )

    return point


def idle_within(kernels, replay):
    """From the first start to the last end, without what any of its kernels covers."""
    own = sorted(
        (int(k['start_ps']), int(k['start_ps']) + int(k['duration_ps']))
        for k in kernels
        if k['replay'] == replay
    )
    points = sorted({p for pair in own for p in pair})
    covered, open_, at = 0, 0, own[0][0]
    changes = collections.Counter()
    for start, end in own:
        changes[start] += 1
        changes[end] -= 1
    for p in points:
        covered += p - at if open_ > 0 else 0
        open_ += changes[p]
        at = p
    return points[-1] - points[0] - covered


def check_contents(kernels, graphs, rows, folder):
    """What each graph runs, by family: of graphs that are told apart by their number of kernels."""
    found = {
        (row['graph'], row['number'], row['family']): (
            int(row['kernels']),
            ps(row['mean_ns']),
            ps(row['busy_ns']),
        )
        for row in rows
    }
    sizes = collections.Counter(k['replay'] for k in kernels)
    for row in graphs:
        own = [k for k in kernels if k['replay'] and sizes[k['replay']] == int(row['kernels'])]
        n = int(row['replays'])
        if len({k['replay'] for k in own}) != n:
            continue  # several graphs have as many
        for family in {k['family'] for k in own}:
            of = [int(k['duration_ps']) for k in own if k['family'] == family]
            check_same(len(of) % n, 0, f'{folder}: replays of {row["graph"]} are alike')
            key = row['graph'], row['number'], family
            wanted = len(of) // n, sum(of) // n, sum(of)
            check_same(found.get(key), wanted, f'{folder}: {key}')
    for row in graphs:
        own = [value for key, value in found.items() if key[:2] == (row['graph'], row['number'])]
        check_same(sum(v[0] for v in own), int(row['kernels']), f'{folder}: kernels')
        check_same(sum(v[2] for v in own), ps(row['busy_ns']), f'{folder}: busy')


def check_replays(wanted, kernels, rows, folder):
    """Each replay by itself, and the work outside of graphs that began since the one before."""
    starts = {
        replay: min(int(k['start_ps']) for k in kernels if k['replay'] == replay)
        for replay in {k['replay'] for k in kernels} - {''}
    }
    wanted = sorted(wanted, key=lambda want: starts[want['replay']])
    check_same([row['replay'] for row in rows], [want['replay'] for want in wanted], folder)
    before = -(10**30)
    for row, want in zip(rows, wanted):
        start = starts[want['replay']]
        outside = [
            int(k['duration_ps'])
            for k in kernels
            if k['replay'] == '' and before < int(k['start_ps']) < start
        ]
        before = start
        said = [row[c] for c in ('span_ns', 'busy_ns', 'delay_ns', 'outside_ns', 'within_ns')]
        of = ('span_ps', 'kernel_ps', 'first_kernel_delay_ps')
        check_same(
            [ps(text) for text in said] + [int(row['outside_kernels'])],
            [int(want[c]) for c in of]
            + [sum(outside), idle_within(kernels, want['replay']), len(outside)],
            f'{folder}: replay {row["replay"]}',
        )
        check_same(
            (row['graph'], row['phase']),
            (f'(graph replay {want["kernels"]})', want['phase']),
            f'{folder}: what replay {row["replay"]} is',
        )


def check_spans(found, folder):
    """A timeline has each replay where the table has it, and the step that launched it."""
    rows = [row for row in found['events'] if row['category'] == 'graph_replay']
    check_same({row['thread'] for row in rows}, {'Graph replays'}, f'{folder}: track')
    spans = [
        (row['name'], row['start_ns'], row['duration_ns'], json.loads(row['attributes']))
        for row in rows
    ]
    annotations = [
        (int(row['start_ns']), row['name'])
        for row in found['events']
        if row['category'] == 'user_annotation' and row['name'].startswith(('execute', 'step['))
    ]
    check_same(
        [(*span[:3], span[3]['graph_match']) for span in spans],
        [
            (row['graph'], row['start_ns'], row['span_ns'], row['match'])
            for row in found['graph_replays']
        ],
        f'{folder}: spans',
    )
    for row, (_, start, _, said) in zip(found['graph_replays'], spans):
        launched = float(start) - float(row['delay_ns'])
        steps = [name for at, name in annotations if at <= launched]
        check_same(said.get('graph_step'), steps[-1] if steps else None, f'{folder}: step')


def check_tables(path, folder, *options):
    """What the analyzer graphs sums up, beside the tables."""
    tables = tables_of_data(*options, path)
    found = {
        (row['family'], row['place']): (row['kernels'], ps(row['busy_ns']))
        for row in tables['graph_families']
    }
    check_same(
        found,
        {
            (row['family'], row['where']): (row['kernels'], int(row['device_ps']))
            for row in golden(folder, 'graph_families')
        },
        folder,
    )
    wanted = golden(folder, 'graph_replays')
    graphs = tables['graphs']
    check_same(sum(int(row['replays']) for row in graphs), len(wanted), f'{folder}: replays')
    check_same(
        sum(ps(row['busy_ns']) for row in graphs),
        sum(int(row['kernel_ps']) for row in wanted),
        f'{folder}: busy',
    )
    kernels = golden(folder, 'graph_kernels')
    for row in graphs:
        fitting = [want for want in wanted if want['kernels'] == row['kernels']]
        if len(fitting) != int(row['replays']):
            continue  # several graphs have as many
        for column, of in (
            ('span_ns', 'span_ps'),
            ('delay_ns', 'first_kernel_delay_ps'),
            ('idle_before_ns', 'idle_before_ps'),
        ):
            values = sorted(int(want[of]) for want in fitting if want[of] != '')
            middle = (
                (values[(len(values) - 1) // 2] + values[len(values) // 2]) // 2 if values else None
            )
            found = ps(row[column]) if row[column] else None
            check(
                found is None and column == 'idle_before_ns' or abs(found - middle) <= 1,
                f'{folder}: {column} {found} {middle}',
            )
        check_same(row['streams'], fitting[0]['streams'], f'{folder}: streams')
        for column in ('phase', 'context_tokens', 'generation_tokens'):
            check_same({row[column]}, {want[column] for want in fitting}, f'{folder}: {column}')
    check_replays(wanted, kernels, tables['graph_replays'], folder)
    check_contents(kernels, graphs, tables['graph_contents'], folder)
    check_spans(tables, folder)
    outside = collections.Counter()
    for want in kernels:
        if want['replay'] == '':
            outside[want['kernel']] += int(want['duration_ps'])
    check_same(
        {row['kernel']: ps(row['busy_ns']) for row in tables['graph_outside']},
        dict(outside),
        f'{folder}: outside',
    )


def each_table(folder):
    def point(_folder):
        if folder in REAL:
            path, capture_ = real(folder)
            check_tables(path, folder, '--eager', capture_)
            return
        if not DATA or not os.path.exists(os.path.join(GOLDEN, 'made', folder)):
            raise Skip('NPROF_TEST_DATA names no folder beside which the tables lie')
        run_, *captures = (os.path.join(GOLDEN, 'made', name) for name in MADE[folder])
        check_tables(run_, os.path.join('made', folder), *eager(*captures))

    return point


for name_ in (*REAL, *MADE):
    add_test('tables-' + name_, each_table(name_))


def short_gaps(path):
    """Of each device that has some below 10 us: how many, and how many are 1 ns."""
    with gzip.open(path) if path.endswith('.gz') else open(path, 'rb') as file:
        trace = json.load(file, parse_float=Decimal, parse_int=Decimal)
    found, until = collections.defaultdict(lambda: [0, 0]), {}
    work = [
        (e['args']['device'], e['ts'], e['ts'] + e['dur'])
        for e in trace['traceEvents']
        if e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset')
    ]
    for device, start, end in sorted(work):
        gap = start - until.get(device, start - 10)
        found[f'GPU {device}'][0] += 0 <= gap < 10
        found[f'GPU {device}'][1] += gap == Decimal('0.001')
        until[device] = max(end, until.get(device, end))
    return {device: tuple(n) for device, n in found.items()}


def closed_gaps_of(*paths):
    """By file and device."""
    result = run('run', '-q', '-a', 'device', '-s', 'csv:table=closed_gaps', '-o', '-', *paths)
    rows = csv.DictReader(io.StringIO(result.expect(0).out))
    return {(row['input'], row['device']): (int(row['gaps']), int(row['closed'])) for row in rows}


@test
def gaps_that_a_recorder_closes(_folder):
    """Where two of three gaps below 10 us, of 20, are 1 ns, their device is told of."""
    made = {}
    for closed, open_, width, said in (
        (20, 0, '0.002', True),
        (19, 0, '0.002', False),
        (20, 10, '0.002', True),
        (20, 11, '0.002', False),
        (20, 10, '0', True),
        (20, 11, '0', False),  # as rounding leaves them
    ):
        at, events_ = Decimal(100), []
        for gap in ['0.001'] * closed + [width] * open_ + ['10'] * 50:
            events_.append(call('k', at, 2, device=0, stream=7) | {'cat': 'kernel'})
            at += 2 + Decimal(gap)
        events_.append(call('k', at, 2, device=0, stream=7) | {'cat': 'kernel'})
        path = write(f'{len(made)}.json', json.dumps({'traceEvents': events_}, default=float))
        made[path] = (closed + open_, closed) if said else None
        check_same(list(short_gaps(path).values()), [(closed + open_, closed)], 'as it was made')
        text = ' '.join(run('report', '-q', '--findings', path).expect(0).out.split())
        check(('gaps of' in text and 'below 10 us are 1 ns' in text) == said, text)
    found = {path: gaps for (path, _), gaps in closed_gaps_of(*made).items()}
    check_same(found, {path: gaps for path, gaps in made.items() if gaps}, 'made')
    for folder in REAL if DATA else ():
        path = real(folder)[0]
        wanted = {
            (os.path.basename(path), device): gaps for device, gaps in short_gaps(path).items()
        }
        check_same(closed_gaps_of(path), wanted, folder)


@test
def nothing_is_invented(_folder):
    """Of all real traces with replays, without a second file: no kernel of a graph has an operator,
    but one that the file itself captured."""
    if not DATA:
        raise Skip('NPROF_TEST_DATA names no folder')
    seen = 0
    for folder in (os.path.join(DATA, 'json'), FILES):
        for path in sorted(glob.glob(os.path.join(folder, '**', '*.json*'), recursive=True)):
            with gzip.open(path) if path.endswith('.gz') else open(path, 'rb') as file:
                data = file.read()
            launches = b'"cudaGraphLaunch"' in data or b'"hipGraphLaunch"' in data
            if not launches or b'StreamBeginCapture' in data:
                continue
            rows = tables_of_data('--no-eager', path)['graph_operators']
            seen += bool(rows)
            for row in rows:
                check_same(row['match'], 'none', path)
                check(row['operator'].startswith('(graph replay '), f'{path}: {row}')
    check(seen >= 2, f'{seen} traces with replays')


# -- Made here
# --------------------------------------------------------------------------------------


def call(name, at, duration, **args):
    return {
        'ph': 'X',
        'cat': 'cuda_runtime',
        'name': name,
        'pid': 1,
        'tid': 1,
        'ts': at,
        'dur': duration,
        'args': args,
    }


def capture(operators):
    """The recording of a capture, one launch for each operator; kernels are called k_OPERATOR."""
    found = [call('cudaStreamBeginCapture', 0, 1)]
    for i, name in enumerate(operators):
        found.append(
            {
                'ph': 'X',
                'cat': 'cpu_op',
                'name': name,
                'pid': 1,
                'tid': 1,
                'ts': 10 + 10 * i,
                'dur': 8,
                'args': {},
            }
        )
        found.append(
            call('cudaLaunchKernel', 11 + 10 * i, 2, kernel='k_' + name, correlation=i + 1)
        )
    return json.dumps(
        {'traceEvents': [*found, call('cudaStreamEndCapture', 20 + 10 * len(operators), 1)]}
    )


def replays(kernels, times=2, apart=10000):
    found, names = [], [json.dumps(name) for name in kernels]
    for n in range(times):
        found.append(json.dumps(call('cudaGraphLaunch', apart * n, 5, correlation=n + 1)))
        found += [
            f'{{"ph": "X", "cat": "kernel", "name": {name}, "pid": 0, "tid": 7, "dur": 2, '
            f'"ts": {apart * n + 10 + 3 * i}, '
            f'"args": {{"device": 0, "stream": 7, "correlation": {n + 1}}}}}'
            for i, name in enumerate(names)
        ]
    return '{"traceEvents": [' + ', '.join(found) + ']}'


def each_lost(folder):
    """Launches that replays do not show, summed up over replays."""

    def point(_folder):
        if folder in REAL:
            path, capture_ = real(folder)
            captures, wanted = [capture_], golden(folder, 'graph_lost')
        elif not DATA or not os.path.exists(os.path.join(GOLDEN, 'made', folder)):
            raise Skip('NPROF_TEST_DATA names no folder beside which the tables lie')
        else:
            path, *captures = (os.path.join(GOLDEN, 'made', name) for name in MADE[folder])
            wanted = golden(os.path.join('made', folder), 'graph_lost')
        sums = collections.defaultdict(list)
        for row in wanted:
            sums[row['launch'], row['kernel'], row['operator']].append(int(row['gap_ps']))
        found = {
            (r['launch'], r['kernel'], r['operator']): (
                int(r['replays']),
                ps(r['gap_least_ns']),
                ps(r['gap_most_ns']),
            )
            for r in tables_of_data(*eager(*captures), path)['graph_lost']
        }
        check_same(
            found, {key: (len(gaps), min(gaps), max(gaps)) for key, gaps in sums.items()}, folder
        )

    return point


for name_ in (*REAL, *MADE):
    add_test('lost-' + name_, each_lost(name_))


@test
def kernels_that_replays_lack(_folder):
    """The first, one in the middle and the last of 30: with the gap behind the kernel before;
    nothing of another recording."""
    kernels = [k for i, k in enumerate(KERNELS) if i not in (0, 7)]
    run_, plan = write('run.json', replays(kernels)), write('plan.json', capture(NAMES))
    result = run(
        'run', '-q', '-s', 'csv:table=graph_lost', '-o', '-', '--eager', plan, run_
    ).expect(0)
    check_same(
        [
            (r['kernel'], r['operator'], r['replays'], r['gap_least_ns'], r['gap_most_ns'])
            for r in csv.DictReader(io.StringIO(result.out))
        ],
        [('k_op0', 'op0', '2', '', ''), ('k_op7', 'op7', '2', '1000', '1000')],
        'lost',
    )
    found = ' '.join(run('report', '-q', '--findings', '--eager', plan, run_).expect(0).out.split())
    check('2 replays lack k_op0, which plan.json:capture:0 launches' in found, found)
    last = write('last.json', replays(KERNELS[:-1]))
    (row,) = csv.DictReader(
        io.StringIO(
            run('run', '-q', '-s', 'csv:table=graph_lost', '-o', '-', '--eager', plan, last)
            .expect(0)
            .out
        )
    )
    check_same(
        [row['launch'], row['gap_least_ns']],
        ['29', str(10_000_000 - 84_000 - 2_000)],
        'the gap to the next replay, the last has none',
    )
    other = write('other.json', capture([f'x{i}' for i in range(30)]))
    check_same(
        list(
            csv.DictReader(
                io.StringIO(
                    run(
                        'run', '-q', '-s', 'csv:table=graph_lost', '-o', '-', '--eager', other, run_
                    )
                    .expect(0)
                    .out
                )
            )
        ),
        [],
        'other',
    )


def longest_repeat(names):
    """(first, period, times) of the longest part that repeats three times or more."""
    best = (0, 0, 0)
    for period in range(2, len(names) // 3 + 1):
        for first in range(len(names) - 3 * period + 1):
            end = first
            while end + period < len(names) and names[end] == names[end + period]:
                end += 1
            length = end + period - first
            if length >= 3 * period and len(set(names[first : first + period])) > 1:
                best = max(best, (length, -period, first))
    length, period, first = best
    return first, -period, length // -period


def each_layers(folder):
    """Layers beside the raw bytes: by modules where they name them, else by what repeats; of names
    of kernels without a capture."""

    def point(_folder):
        path, capture_ = real(folder)
        kernels = [row for row in golden(folder, 'graph_kernels') if row['replay'] != '']
        kernels.sort(key=lambda row: int(row['start_ps']))
        modules = collections.defaultdict(int)
        for row in kernels:
            if found := re.match(r'.*DecoderLayer_\d+', row['module']):
                modules[found.group()] += int(row['duration_ps'])
        rows = tables_of_data('--eager', capture_, path)['graph_layers']
        if modules:
            check_same(
                [(row['module'], ps(row['busy_ns'])) for row in rows],
                list(modules.items()),
                'by modules',
            )
            check_same(len(rows), 36, folder)
        else:
            check_same(len([row for row in rows if row['run'] == '0']), 23, folder)
        for column, options in (('operator', ['--eager', capture_]), ('kernel', ['--no-eager'])):
            if modules and column == 'operator':
                continue
            places = []
            for row in kernels:
                if not places or places[-1][0] != row[column]:
                    places.append((row[column], []))
                places[-1][1].append(int(row['duration_ps']))
            first, period, times = longest_repeat([name for name, _ in places])
            wanted = [
                sum(sum(t) for _, t in places[first + i * period :][:period]) for i in range(times)
            ]
            check(times >= 3, f'{column}: {times}')
            rows = tables_of_data(*options, path)['graph_layers']
            rows = [row for row in rows if row['run'] == '0']
            check_same([ps(row['busy_ns']) for row in rows], wanted, f'by {column}')
            check_same({row['operators'] for row in rows}, {str(period)}, f'by {column}')
            check_same({row['of'] for row in rows}, {str(times)}, f'by {column}')

    return point


for name_ in REAL:
    add_test('layers-' + name_, each_layers(name_))


@test
def layers_of_made_graphs(_folder):
    """Repeats of replays of two graphs that run one after the other, over all of their replays; two
    times, or one operator alone, are no layers."""
    one = ['embed'] + ['a', 'b', 'b', 'c'] * 4 + ['out']
    for kernels, wanted in (
        (one, [('0', str(i), '4', 'a', '3', '4', '16000') for i in range(4)]),
        (['a', 'b'] * 2, []),
        (['a'] * 9, []),
        (['a', 'b', 'c'] * 3 + ['x', 'y'] * 5, [
            *(('0', str(i), '3', 'a', '3', '3', '12000') for i in range(3)),
            *(('1', str(i), '5', 'x', '2', '2', '8000') for i in range(5)),
        ]),
    ):  # fmt: skip
        rows = table('graph_layers', write('run.json', replays(kernels)))
        columns = ('run', 'layer', 'of', 'begins', 'operators', 'kernels', 'busy_ns')
        check_same([tuple(row[c] for c in columns) for row in rows], wanted, f'{kernels}')
    events_ = json.loads(replays(one, 30))['traceEvents']
    other = json.loads(replays(['x', 'y', 'z'] * 5, 30))['traceEvents']
    for event in other:
        event['ts'] += 5000
        event['args']['correlation'] += 1000
    both = write('both.json', json.dumps({'traceEvents': events_ + other}))
    sums = collections.Counter()
    for row in table('graph_layers', both):
        sums[row['graph'], row['of']] += ps(row['busy_ns'])
    check_same(
        dict(sums),
        {
            ('(graph replay 18)', '4'): 30 * 16 * 2000000,
            ('(graph replay 15)', '5'): 30 * 15 * 2000000,
        },
        'of thirty replays each',
    )


def sha1_of(path):
    """Of its size, its first and its last MiB."""
    with open(path, 'rb') as file:
        data = file.read()
    ends = data[: 1 << 20] + data[-(1 << 20) :]
    return hashlib.sha1(str(len(data)).encode() + ends).hexdigest()


def each_capture(folder):
    """Which captures name which replays, beside the table of replays; SHA-1 by Python."""

    def point(_folder):
        if folder in REAL:
            path, *captures = real(folder)
            where = folder
        elif not DATA or not os.path.exists(os.path.join(GOLDEN, 'made', folder)):
            raise Skip('NPROF_TEST_DATA names no folder beside which the tables lie')
        else:
            path, *captures = (os.path.join(GOLDEN, 'made', name) for name in MADE[folder])
            where = os.path.join('made', folder)
        wanted = collections.Counter(
            (row['capture'], row['kernels'], row['launches'], row['edits'])
            for row in golden(where, 'graph_replays')
            if row['capture']
        )
        rows = tables_of_data(*eager(*captures), path)['graph_captures']
        found = {
            (row['capture'], row['kernels'], row['launches'], row['edits']): int(row['replays'])
            for row in rows
            if not row['difference']
        }
        if folder != 'self':  # it has no name of its own there
            check_same(found, dict(wanted), folder)
        check_same(sum(found.values()), sum(wanted.values()), f'{folder}: replays')
        digests = {os.path.basename(path): sha1_of(path) for path in captures}
        for row in rows:
            check_same(row['digest'], digests.get(row['file'], ''), f'{folder}: SHA-1')
            check((row['match'] in ('name', 'none')) == bool(row['difference']), f'{row}')

    return point


for name_ in (*REAL, *MADE):
    add_test('captures-' + name_, each_capture(name_))


@test
def captures_of_all_sizes(_folder):
    """A file of many captures: the one that fits is named; where none does, the nearest, once."""
    windows = []
    for n, at in ((8, 0), (16, 1000), (30, 2000)):
        trace = json.loads(capture([f'op{i}' if i < n else f'x{i}' for i in range(30)]))
        for event in trace['traceEvents']:
            event['ts'] += at
            if 'correlation' in event['args']:
                event['args']['correlation'] += at
        windows += trace['traceEvents']
    for keep, said in ((3, ('exact', '30', '')), (2, ('name', '16', '17'))):
        until = 1000 * keep
        some = [event for event in windows if event['ts'] < until]
        plan = write('sizes.json', json.dumps({'traceEvents': some}))
        run_ = write('run.json', replays(KERNELS))
        (row,) = table('graph_captures', '--eager', plan, run_)
        check_same((row['match'], row['named'], row['difference']), said, f'{keep} captures')
        err = run('run', '-a', 'graphs', '-s', 'null', '--eager', plan, run_).expect(0).err
        check_same(err.count('fits no replay'), 3 - keep, err)
        check(keep == 3 or 'number 17: k_op16, the recording has k_x16; 1 other' in err, err)
        text = ' '.join(run('report', '-q', '--eager', plan, run_).expect(0).out.split())
        named = 'with operators (exact) by sizes.json' if keep == 3 else '(name) by sizes.json'
        check(named in text, text)
    foreign = write('other.json', capture([f'x{i}' for i in range(30)]))
    text = ' '.join(run('report', '-q', '--eager', foreign, run_).expect(0).out.split())
    check('2 replays of 30 kernels, operators unknown: other.json does not fit' in text, text)


@test
def phases_of_graphs(_folder):
    """Tokens of the step that launches a replay: of two dialects within each other both count; of
    unequal steps the median; two phases are several; without annotations all is unknown."""
    trace = json.loads(replays(KERNELS, 3))['traceEvents']

    def step(n, name, inset=0):
        return call(name, 10000 * n - 50 + inset, 9000 - 2 * inset) | {'cat': 'user_annotation'}

    decode = 'execute_context_0(0)_generation_{0}({0})'
    for steps, wanted in (
        ([step(n, decode.format(4 + n)) for n in range(3)], ('decode', '0', '5')),
        ([], ('', '', '')),
        ([step(0, decode.format(4)), step(1, 'step[EXTEND bs=1 toks=9]')], ('several', '5', '2')),
        (
            [step(0, 'execute_new_1_cached_0'), step(0, 'step[EXTEND bs=1 toks=9]', 9)],
            ('prefill', '9', '0'),
        ),
    ):
        (row,) = table('graphs', write('run.json', json.dumps({'traceEvents': trace + steps})))
        found = tuple(row[c] for c in ('phase', 'context_tokens', 'generation_tokens'))
        check_same(found, wanted, f'{[s["name"] for s in steps]}')


@test
def screen_of_several_recordings(_folder):
    """Steps of two ranks differ: the screen says the one that its verdict is of, not their sum."""
    os.makedirs('server')
    for rank, period in ((0, 200), (1, 300)):
        found = []
        for i in range(10):
            at = 1000 + i * period
            name = 'execute_context_0(0)_generation_4(4)'
            found.append(call(name, at, period - 10) | {'cat': 'user_annotation'})
            found.append(call('cudaLaunchKernel', at + 1, 2, correlation=i + 1))
            args = {'device': rank, 'stream': 7, 'correlation': i + 1}
            work = {'cat': 'kernel', 'pid': 0, 'tid': 7, 'ts': at + 5, 'dur': 50, 'args': args}
            found.append({'ph': 'X', 'name': 'k'} | work)
        job = {'distributedInfo': {'backend': 'nccl', 'rank': rank, 'world_size': 2}}
        write(f'server/rank{rank}.json', json.dumps({'traceEvents': found} | job))
    text = ' '.join(run('report', '-q', 'server').expect(0).out.split())
    said = 'decode: 10 steps, 40 tokens, TPOT 300 us; of rank1.json, one of 2'
    check(said in text and 'TPOT 200' not in text, text)
    out = ' '.join(run('gate', 'server', 'tpot < 250us').expect(6).out.split())
    check('200us rank0.json, GPU 0, decode' in out, out)
    check('300us rank1.json, GPU 1, decode' in out, out)


NAMES = [f'op{i}' for i in range(30)]
KERNELS = ['k_' + name for name in NAMES]


def joined(kernels, operators):
    run_, plan = write('run.json', replays(kernels)), write('plan.json', capture(operators))
    return run('run', '-s', 'csv:table=events', '-o', '-', '--eager', plan, run_)


@test
def right_or_not_at_all(_folder):
    """Whatever is lost, foreign or of another order: no kernel gets another operator than its
    own."""
    foreign = KERNELS[:10] + ['other'] + KERNELS[10:20] + ['another'] + KERNELS[20:]
    for what, kernels in (
        ('all', KERNELS),
        ('one lost', KERNELS[:7] + KERNELS[8:]),
        ('last lost', KERNELS[:-1]),
        ('foreign', foreign),
        ('half of them', KERNELS[:15]),
        ('turned round', KERNELS[::-1]),
    ):
        result = joined(kernels, NAMES).expect(0)
        found = [
            (row['name'], json.loads(row['attributes']))
            for row in csv.DictReader(io.StringIO(result.out))
            if row['category'] == 'kernel'
        ]
        check_same(len(found), 2 * len(kernels), what)
        for name, said in found:
            check(
                said['graph_operator'] in (name[2:], f'(graph replay {len(kernels)})'),
                f'{what}: {name} is {said}',
            )
            check((said['graph_match'] == 'exact') == (what == 'all'), f'{what}: {name} is {said}')


def drawn_pair(seed):
    """A capture and a replay that differs from it in one kernel, in its batch or in its order.
    Kernels are often called alike under several operators. Returns (operator, kernel) of both, the
    replay's as they truly are.
    """
    r = random.Random(seed)
    layer = [(f'op{r.randrange(9)}', f'k{r.randrange(6)}_b32') for _ in range(r.randrange(8, 16))]
    plan = [('embed', 'embedding'), *(layer * r.randrange(3, 6)), ('sample', 'argmax')]
    run_, at = list(plan), r.randrange(1, len(plan) - 2)
    kind = ('kernel', 'batch', 'order', 'lost')[seed % 4]
    if kind == 'kernel':
        run_[at] = r.choice(
            [('another', 'foreign'), r.choice([p for p in plan if p[1] != run_[at][1]])]
        )
    elif kind == 'batch':
        run_ = [
            (operator, kernel.replace('b32', 'b64') if r.random() < 0.6 else kernel)
            for operator, kernel in plan
        ]
    elif kind == 'order':
        at = r.choice([i for i in range(1, len(plan) - 1) if plan[i][1] != plan[i + 1][1]])
        run_[at], run_[at + 1] = run_[at + 1], run_[at]
    else:
        del run_[at]
    return kind, plan, run_


def capture_of(pairs):
    trace = json.loads(capture([operator for operator, _ in pairs]))
    launches = [e for e in trace['traceEvents'] if e['name'] == 'cudaLaunchKernel']
    for event, (_, kernel) in zip(launches, pairs):
        event['args']['kernel'] = kernel
    return json.dumps(trace)


@test
def pairs_that_differ(_folder):
    """Of 40 drawn pairs, no kernel has an operator that may be another's, and none is called
    exact."""
    drawn, named = [drawn_pair(seed) for seed in range(40)], 0
    for seed, (_, plan, truth) in enumerate(drawn):
        os.makedirs(f'{seed:02}')
        write(f'{seed:02}/run{seed}.json', replays([kernel for _, kernel in truth]))
        write(f'{seed:02}/capture_trace_rank_0.json', capture_of(plan))
    rows = [
        (row['input'], float(row['start_ns']), row['name'], json.loads(row['attributes']))
        for row in table('events', *(f'{seed:02}/run{seed}.json' for seed in range(40)))
        if row['category'] == 'kernel'
    ]
    for seed, (kind, plan, truth) in enumerate(drawn):
        own = [row[1:] for row in rows if row[0].endswith(f'run{seed}.json')]
        own.sort(key=lambda row: row[0])
        check_same(len(own), 2 * len(truth), f'{seed}: kernels')
        for (_, name, said), (operator, kernel) in zip(own, truth * 2):
            check_same(name, kernel, f'{seed}')
            if not said['graph_operator'].startswith('(graph replay '):
                check_same(said['graph_operator'], operator, f'{seed}, {kind}: {kernel}')
                named += 1
            check(said['graph_match'] != 'exact', f'{seed}, {kind}: {said}')
    check(named > 1000, f'{named}: it names what is sure')


# (operator, kernel, us) of a layer, by server; B: the batch of the graph, which names of kernels
# tell.  With them how a step of b requests is called, and the window of a capture.
SERVERS = {
    'vllm': (
        [
            ('_C::rms_norm', 'vllm::rms_norm_kernel', 2),
            ('aten::mm', 'nvjet_tst_Bx128', 10),
            ('vllm::rotary', 'vllm::rotary_embedding_kernel', 2),
            ('vllm::unified_attention_with_output', 'flash_fwd_splitkv_kernel<B>', 6),
            ('vllm::unified_attention_with_output', 'flash_fwd_splitkv_combine_kernel', 2),
            ('aten::mm', 'nvjet_tst_Bx64', 5),
            ('vllm::all_reduce', 'vllm::cross_device_reduce_1stage', 4),
        ],
        'execute_context_0(0)_generation_b(b)',
        'capture_B_FULL',
    ),
    'sglang': (
        [
            ('sgl_kernel::fused_add_rmsnorm', 'FusedAddRMSNormKernel', 3),
            ('aten::linear', 'cutlass_80_tensorop_Bx64', 8),
            ('sgl_kernel::apply_rope', 'BatchQKApplyRotaryPosIdsKernel', 2),
            ('flashinfer::decode', 'BatchDecodeWithPagedKVCacheKernel<B>', 8),
            ('aten::linear', 'cutlass_80_tensorop_Bx128', 5),
            ('aten::copy_', 'copy_kernel', 1),
        ],
        'step[DECODE bs=b toks=b]',
        'capture_B_DECODE',
    ),
    'atom': (
        [
            ('aiter::rmsnorm', 'rmsnorm2d_fwd_ck', 2),
            ('aiter::gemm_a8w8', 'gemm_a8w8_blockscale_B', 7),
            ('aiter::pa_fwd', 'pa_fwd_asm_B', 6),
            ('aiter::gemm_a8w8', 'gemm_a8w8_bpreshuffle_B', 5),
            ('aiter::fused_moe', 'ck_moe_stage1_B', 9),
            ('aiter::fused_moe', 'ck_moe_stage2_B', 9),
        ],
        'decode[bs=b/B tok=b p=0 d=b]',
        'capture_B_FULL',
    ),
}


def model_of(layer, batch, layers=5):
    """What a graph of so many requests runs."""
    layer = [(o, kernel.replace('B', str(batch)), us) for o, kernel, us in layer]
    return [('aten::embedding', 'gather', 3), *(layer * layers), ('aten::mm', 'head', 30)]


def windows_of(plans, mark):
    """The captures of all batches, in one file, as SGLang writes them."""
    found = []
    for n, (batch, plan) in enumerate(plans):
        for event in json.loads(capture_of([(o, kernel) for o, kernel, _ in plan]))['traceEvents']:
            event['ts'] += 100_000 * n
            if 'correlation' in event['args']:
                event['args']['correlation'] += 1000 * n
            found.append(event)
        note = call(mark.replace('B', str(batch)), 100_000 * n - 9, 90_000)
        found.append(note | {'cat': 'user_annotation'})
    return json.dumps({'traceEvents': found})


def served(layer, step, batches):
    """A run: steps whose graphs are padded to eight requests.  Returns it, and (operator, us) of
    each kernel."""
    found, truth = [], []
    for n, batch in enumerate(batches):
        padded, at = -(-batch // 8) * 8, 10_000 * n
        name = step.replace('b/B', f'{batch}/{padded}').replace('b(b)', f'{batch}({batch})')
        name = re.sub(r'(?<==)b\b', str(batch), name)
        found.append(call(name, at - 5, 9000) | {'cat': 'user_annotation'})
        found.append(call('cudaGraphLaunch', at, 5, correlation=n + 1))
        at += 10
        for operator, kernel, us in model_of(layer, padded):
            work = {'cat': 'kernel', 'pid': 0, 'tid': 7}
            args = {'device': 0, 'stream': 7, 'correlation': n + 1}
            found.append(call(kernel, at, us, **args) | work)
            truth.append((operator, us))
            at += us + 1
    trace = {'deviceProperties': [{'id': 0, 'name': 'H100'}], 'traceEvents': found}
    return json.dumps(trace), truth


def each_server(server):
    """A capture of all batches names each kernel; of one of another batch, version or model no
    kernel has a wrong operator or is exact; without one none is named."""

    def point(_folder):
        layer, step, mark = SERVERS[server]
        rng = random.Random(server)
        batches = [rng.randrange(9, 40) for _ in range(8)]
        text, truth = served(layer, step, batches)
        run_ = write('run.json', text)
        sizes = sorted({-(-batch // 8) * 8 for batch in batches})
        newer = [(o, kernel + '_v2' * (i % 3 == 0), us) for i, (o, kernel, us) in enumerate(layer)]
        other = [('m::' + o, 'm_' + kernel, us) for o, kernel, us in layer]
        plans = {
            'fits': [(size, model_of(layer, size)) for size in (8, *sizes, 48)],
            'batch': [(size, model_of(layer, size)) for size in (56, 64)],
            'version': [(size, model_of(newer, size)) for size in sizes],
            'model': [(size, model_of(other, size, 7)) for size in sizes],
            'layers': [(size, model_of(layer, size, 7)) for size in sizes],
        }
        files = {kind: write(kind + '.json', windows_of(of, mark)) for kind, of in plans.items()}
        for kind in (*files, 'all of them', 'none'):
            given = [files[kind]] if kind in files else files.values() if kind != 'none' else ()
            options = [word for path in given for word in ('--eager', path)] or ['--no-eager']
            tables = tables_of(*options, run_)
            rows = [row for row in tables['events'] if row['category'] == 'kernel']
            said = [
                json.loads(row['attributes'])
                for row in sorted(rows, key=lambda row: float(row['start_ns']))
            ]
            check_same(len(said), len(truth), f'{kind}: kernels')
            for one, (operator, _) in zip(said, truth):
                named = not one['graph_operator'].startswith('(graph replay ')
                check(not named or one['graph_operator'] == operator, f'{kind}: {one}')
                check(kind != 'none' or not named, f'{kind}: {one}')
                exact = kind in ('fits', 'all of them')
                check_same(one['graph_match'] == 'exact', exact, f'{kind}: {one}')
            if kind not in ('fits', 'all of them'):
                continue
            sums = collections.Counter()
            for operator, us in truth:
                sums[operator] += us * 1_000_000
            found = {
                row['operator']: ps(row['self_ns'])
                for row in tables['operators']
                if row['level'] == 'framework' and row['top_kernel']
            }
            check_same(found, dict(sums), f'{kind}: time by operator')
        (row,) = table('graphs', run_)[:1]
        check_same(row['phase'], 'decode', 'steps')
        run('gate', run_, 'tpot < 11ms').expect(0, out='met * is 10ms *')

    return point


for name_ in SERVERS:
    add_test('server-' + name_, each_server(name_))


def key_of(kernel):
    """By what a replay is matched: each copy and each set is like any other."""
    if kernel.startswith('Memcpy') or 'copyBuffer' in kernel:
        return 'Memcpy'
    return 'Memset' if kernel.startswith('Memset') or 'fillBuffer' in kernel else kernel


def replayed(folder):
    """(operator, kernel) of the replay of a real pair, in order."""
    rows = [row for row in golden(folder, 'graph_kernels') if row['replay'] != '']
    rows.sort(key=lambda row: int(row['start_ps']))
    return [(row['operator'], row['kernel']) for row in rows]


def first_of_both(run_, plan):
    """What is said of the first kernel in which they differ."""
    for at, kernel in enumerate(run_):
        if key_of(kernel) != (key_of(plan[at]) if at < len(plan) else 'nothing'):
            there = key_of(plan[at]) if at < len(plan) else 'nothing'
            return (
                f'a replay of {len(run_)} kernels against {len(plan)} launches; the first '
                f'difference is number {at + 1}: {key_of(kernel)[:200]}, the recording has '
                f'{there[:200]}'
            )
    raise AssertionError('they are equal')


# The call that launches a kernel, and when, as Kineto writes them.
LAUNCH = re.compile(
    r'"name": "(hip\w*Launch\w*)", "pid": [^\n]*\n *"ts": ([0-9.]+), "dur": [^\n]*\n *"args": {\n'
    r'[^\n]*"kernel": '
)


def held_back(folder):
    """Captures of another model, another version of its kernels, and fewer layers; of the first two
    the names of their launches, too."""
    (other,) = set(REAL) - {folder}
    names = [kernel for _, kernel in replayed(folder)]
    with gzip.open(real(folder)[1]) as file:
        own = file.read().decode()
    often = collections.Counter(names).most_common(4)
    newer = own
    for kernel, _ in often:
        newer = newer.replace(json.dumps(kernel)[1:-1], json.dumps(kernel)[1:-1] + '_v2')
    launches = [(Decimal(m[2]), m.span(1)) for m in LAUNCH.finditer(own)]
    check(len(launches) >= len(names), f'{len(launches)} launches')
    cut, at = [], 0
    for start, end in sorted(span for _, span in sorted(launches)[-len(names) // 3 :]):
        cut += [own[at:start], '-' * (end - start)]
        at = end
    cut = ''.join([*cut, own[at:]])
    renamed = {kernel: kernel + '_v2' for kernel, _ in often}
    yield real(other)[1], [kernel for _, kernel in replayed(other)]
    yield write('newer.json', newer), [renamed.get(kernel, kernel) for kernel in names]
    yield write('cut.json', cut), None


def each_held_back(folder):
    """A real capture that does not fit is said with the first difference; no kernel has a wrong
    operator, and none is more certain than by name."""

    def point(_folder):
        path, _ = real(folder)
        truth = replayed(folder)
        for capture_, plan in held_back(folder):
            result = run('run', '-s', 'csv:table=events', '-o', '-', *eager(capture_), path).expect(
                0
            )
            check(' fits no replay and ' in result.err, f'{capture_}: {result.err}')
            if plan:
                said = first_of_both([kernel for _, kernel in truth], plan)
                check(said in result.err, f'{capture_}: {said}: {result.err}')
            rows = [
                (float(row['start_ns']), row['name'], json.loads(row['attributes']))
                for row in csv.DictReader(io.StringIO(result.out))
                if '"graph_match"' in row['attributes']
            ]
            rows.sort(key=lambda row: row[0])
            check_same(len(rows), len(truth), f'{capture_}: kernels')
            for (_, name, said), (operator, kernel) in zip(rows, truth):
                check_same(name, kernel, capture_)
                check(said['graph_match'] in ('name', 'none'), f'{capture_}: {kernel}: {said}')
                if said['graph_match'] == 'name':
                    check_same(said['graph_operator'], operator, f'{capture_}: {kernel}')
            named = sum(said['graph_match'] == 'name' for _, _, said in rows)
            check((named > 0) == capture_.endswith(('newer.json', 'cut.json')), f'{named} named')

    return point


@test
def captures_that_contradict(_folder):
    """Two captures of the same kernels and other operators: the count of kernels is a property of
    the input."""
    run_ = json.loads(replays(KERNELS)) | {'deviceProperties': [{'id': 0, 'name': 'H100'}]}
    run_ = write('run.json', json.dumps(run_))
    one, two = write('one.json', capture(NAMES)), json.loads(capture(NAMES))
    for event in two['traceEvents']:
        if event['name'] in ('op3', 'op9'):
            event['name'] = 'other'
    options = ['--eager', one, '--eager', write('two.json', json.dumps(two))]
    for given, wanted in ((options, '4'), (options[:2], None)):
        (row,) = csv.DictReader(
            io.StringIO(
                run('run', '-q', '-a', 'graphs', '-s', 'csv:table=inputs', '-o', '-', *given, run_)
                .expect(0)
                .out
            )
        )
        said = json.loads(row['properties'] or '{}')
        check_same(said.get('graphs.ambiguous'), wanted, 'of 2 replays')
        check_same(said.get('eager'), 'one.json' + (', two.json' if wanted else ''), 'by these')


@test
def another_model(_folder):
    """A capture that does not fit is said with the first difference, and names nothing."""
    result = joined(KERNELS, NAMES[:4] + [f'x{i}' for i in range(50)]).expect(
        0,
        err='*plan.json:capture:0 fits no replay and gives 4 of 30 kernels an operator by their names alone: '
        'a replay of 30 kernels against 54 launches; '
        'the first difference is number 5: k_op4, the recording has k_x0',
    )
    joined(KERNELS, [f'x{i}' for i in range(50)]).expect(
        0, err='*plan.json:capture:0 fits no replay and is not used: a replay of 30 kernels *'
    )
    said = [
        json.loads(row['attributes'])
        for row in csv.DictReader(io.StringIO(result.out))
        if row['category'] == 'kernel'
    ]
    check_same(
        collections.Counter((s['graph_match'], s['graph_operator'] in NAMES[:4]) for s in said),
        {('none', False): 52, ('name', True): 8},
        'by the names that both have',
    )


@test
def info_reads_what_eager_names(_folder):
    """And says how it fits; it does not pass over an option that a user gives."""
    run_, plan = write('run.json', replays(KERNELS)), write('plan.json', capture(NAMES))
    for said in ('* eager: plan.json', '* graphs.match: exact', '* graphs.named: 60 of 60'):
        run('info', '-q', '--eager', plan, run_).expect(0, out=said)
    check('graphs.' not in run('info', '-q', run_).expect(0).out, 'without it')
    run('info', '-q', '--eager', 'none.json', run_).expect(2, err='*none.json: cannot be opened*')


@test
def the_server_reads_what_eager_names(_folder):
    """It reads in a process of its own, which has the options of the command line."""
    run_, plan = write('run.json', replays(KERNELS)), write('plan.json', capture(NAMES))
    with Server('--store', 'kept', '--eager', plan, run_) as server:
        server.generation(re.search(r'n_[0-9a-f]+', server.lines[0])[0])
    (stored,) = glob.glob('kept/n_*')
    out = run('report', '-q', '--only', 'graphs', stored).expect(0).out
    check(' exact  (graph replay 30)' in out, out)


@test
def a_file_without_graphs(_folder):
    """Asked for graphs alone, a report says in one line that there are none."""
    alone = json.loads(replays(KERNELS))
    for event in alone['traceEvents']:
        event['name'] = event['name'].replace('GraphLaunch', 'LaunchKernel')
    path = write('alone.json', json.dumps(alone))
    run('report', '-q', '--only', 'graphs', '--format', 'markdown', path).expect(
        0, out='Not in this run: graphs', err=''
    )
    run('report', '-q', '--only', 'graphs,kernels', path).expect(0, out='Not in this run: graphs')


@test
def first_screen(_folder):
    """What graphs take, and whether their operators are known; (no operator) is none of theirs."""
    run_, plan = write('run.json', replays(KERNELS)), write('plan.json', capture(NAMES))
    for options, said in (
        (('--eager', plan), '100.0 % of it with operators (exact) by plan.json'),
        (('--no-eager',), 'operators unknown: --eager FILE'),
        (
            ('--eager', write('half.json', capture(NAMES[:10]))),
            '33.3 % of it with operators (name) by half.json',
        ),
    ):
        result = run('report', '-q', *options, run_).expect(
            0, out=f'  graphs * 100.0 % of device time in 2 replays of 30 kernels, {said}'
        )
        check('(no operator)' not in result.out, result.describe())
        check('CUDA graph, ' not in result.out, result.describe())


@test
def certainty_in_lists(_folder):
    """Beside the operators of a device that replays graphs, and of no other."""
    run_, plan = write('run.json', replays(KERNELS)), write('plan.json', capture(NAMES))
    alone = json.loads(replays(KERNELS))
    for event in alone['traceEvents']:
        event['name'] = event['name'].replace('GraphLaunch', 'LaunchKernel')
    for path, options, said in (
        (run_, ('--eager', plan), ' exact '),
        (run_, ('--no-eager',), ' none '),
        (write('alone.json', json.dumps(alone)), (), None),
    ):
        out = run('report', '-q', '--only', 'operators,kernels', *options, path).expect(0).out
        check_same(' certainty ' in out, said is not None, out)
        check(said is None or said in out, out)


@test
def between_replays(_folder):
    """Two replays, 10 ms apart: by the numbers that made them."""
    (row,) = table('graphs', write('run.json', replays(KERNELS)))
    check_same(
        [row[c] for c in ('replays', 'kernels', 'streams', 'match')],
        ['2', '30', '1', 'none'],
        'counts',
    )
    check_same(
        [ps(row[c]) for c in ('span_ns', 'delay_ns', 'between_ns', 'idle_before_ns', 'busy_ns')],
        [89000000, 10000000, 9911000000, 9911000000, 120000000],
        'times',
    )
    trace = json.loads(replays(KERNELS, 3))['traceEvents']
    for at in (200, 300, 15000):
        eager = {**trace[1], 'name': 'eager', 'ts': at, 'dur': 7}
        trace.append({**eager, 'args': {'device': 0, 'stream': 7, 'correlation': 999}})
    step = call('step[DECODE bs=4]', 9990, 500) | {'cat': 'user_annotation'}
    rows = table('graph_replays', write('run.json', json.dumps({'traceEvents': [*trace, step]})))
    check_same(
        [
            (row['between_ns'], row['outside_kernels'], row['outside_ns'], row['phase'])
            for row in rows
        ],
        [('', '0', '0', ''), ('9911000', '2', '14000', 'decode'), ('9911000', '1', '7000', '')],
        'each',
    )
    check_same([row['requests'] for row in rows], ['', '4', ''], 'batch')
    check_same([ps(row['within_ns']) for row in rows], [29000000] * 3, 'one us behind each kernel')
    rows = table('graph_contents', 'run.json')
    check_same(
        [[row[c] for c in ('family', 'kernels', 'mean_ns', 'busy_ns', 'share')] for row in rows],
        [['other', '30', '60000', '180000', '1']],
        'what it runs',
    )
    text = ' '.join(run('report', '-q', '--findings', 'run.json').expect(0).out.split())
    check('In 3 replays of (graph replay 30)' in text, text)
    check('no kernel runs for 32.6 % of the time (87.0 us)' in text, text)
    check('3 kernels outside of graphs take 10.4 % of the work' in text, text)


@test
def findings(_folder):
    """Kernels that nobody names are a finding, as is the family that takes most, unless it is
    communication, which may be hidden; with a capture the former is none."""
    plan = write('plan.json', capture(NAMES))
    for names, said in (
        (('ampere_sgemm_128x64_tn', 'cutlass_80_tensorop_s1688gemm'), True),
        (('ncclDevKernel_AllReduce', 'ncclDevKernel_AllGather'), False),
    ):
        run_ = write('run.json', replays([names[0]] * 12 + [names[1]] * 8 + KERNELS[:10], apart=120))
        found = run('report', '-q', '--findings', '--no-eager', run_).expect(0).out
        check('unnamed: > 5 % of the work of the device' in found, found)
        check(  # 2 replays of 30 kernels of 2 us
            'take 100.0 % of the work of GPU 0 (120 us)' in ' '.join(found.split()), found
        )
        check_same('takes 66.7 % of the time of kernels' in found, said, found)
    check(
        'unnamed:'
        not in run(
            'report', '-q', '--findings', '--eager', plan, write('own.json', replays(KERNELS))
        )
        .expect(0)
        .out,
        'named',
    )


@test
def own_frames_first(_folder):
    """Of a run without graphs: the innermost frame that is neither a runtime's nor of a library of
    kernels."""

    def frame(name, at, duration):
        return {
            'ph': 'X',
            'cat': 'python_function',
            'name': name,
            'pid': 1,
            'tid': 1,
            'ts': at,
            'dur': duration,
            'args': {},
        }

    found = [
        frame('/venv/site-packages/model/layer.py(10): forward', 0, 100),
        frame('/venv/site-packages/flash_attn/interface.py(7): run', 5, 80),
        frame('/venv/site-packages/torch/nn/functional.py(5): linear', 10, 60),
        frame('<built-in method linear>', 12, 50),
        call('cudaLaunchKernel', 20, 3, correlation=1),
        frame('/venv/site-packages/flash_attn/interface.py(9): warm', 200, 50),
        call('cudaLaunchKernel', 210, 3, correlation=2),
        frame('/venv/site-packages/torch/cuda/graphs.py(4): warm', 300, 50),
        call('cudaLaunchKernel', 310, 3, correlation=3),
    ]
    for n, at in ((1, 40), (2, 240), (3, 340)):
        found.append(
            {
                'ph': 'X',
                'cat': 'kernel',
                'name': 'k',
                'pid': 0,
                'tid': 7,
                'ts': at,
                'dur': 10 * n,
                'args': {'device': 0, 'stream': 7, 'correlation': n},
            }
        )
    result = run(
        'run',
        '-q',
        '-a',
        'modules',
        '-s',
        'csv:table=source',
        '-o',
        '-',
        write('frames.json', json.dumps({'traceEvents': found})),
    ).expect(0)
    lines = {
        row['source'].rsplit('/', 1)[-1]: ps(row['device_ns'])
        for row in csv.DictReader(io.StringIO(result.out))
    }
    check_same(
        lines, {'layer.py(10): forward': 10000000, 'interface.py(9): warm': 20000000}, 'lines'
    )


@test
def frames_that_a_user_lists(_folder):
    """The last line that fits counts, and those of the user's own file come last: for lines,
    captures, holders of memory, idle time, verdicts, stacks that rows state, and ranks."""

    def frame(name, at, duration):
        return {
            'ph': 'X',
            'cat': 'python_function',
            'name': name,
            'pid': 1,
            'tid': 1,
            'ts': at,
            'dur': duration,
            'args': {},
        }

    frames = [
        frame('/venv/site-packages/model/layer.py(10): forward', 0, 900),
        frame('/venv/site-packages/flash_attn/interface.py(7): run', 1, 800),
    ]
    eager_ = write(
        'frames.json',
        json.dumps(
            {
                'traceEvents': [
                    *frames,
                    call('cudaLaunchKernel', 20, 3, correlation=1),
                    {
                        'ph': 'X',
                        'cat': 'kernel',
                        'name': 'k',
                        'pid': 0,
                        'tid': 7,
                        'ts': 40,
                        'dur': 10,
                        'args': {'device': 0, 'stream': 7, 'correlation': 1},
                    },
                    frame('/usr/lib/python3.12/odd.py(4): wait', 100, 300),
                    frame('torch/cuda/streams.py(5): wait', 110, 280),
                    frame('<built-in method wait>', 120, 260),
                    call('cudaLaunchKernel', 500, 3, correlation=2),
                    {
                        'ph': 'X',
                        'cat': 'kernel',
                        'name': 'k',
                        'pid': 0,
                        'tid': 7,
                        'ts': 510,
                        'dur': 10,
                        'args': {'device': 0, 'stream': 7, 'correlation': 2},
                    },
                ]
            }
        ),
    )
    plan = json.loads(capture(NAMES))
    plan['traceEvents'] += frames
    run_, plan = write('run.json', replays(KERNELS)), write('plan.json', json.dumps(plan))
    stack = [
        {'filename': name, 'line': n, 'name': 'f'}
        for name, n in (
            ('/home/me/flash_attn/copied.py', 3),
            ('/home/me/train.py', 9),
            ('/venv/site-packages/model/layer.py', 10),
        )
    ]
    entry = {
        'action': 'alloc',
        'addr': 512,
        'size': 512,
        'stream': 0,
        'time_us': 1_700_000_000_000_000,
        'frames': stack,
    }
    path = write('heap.pickle', pickle.dumps({'segments': [], 'device_traces': [[entry]]}))
    core = xspace.Plane(2, '/device:TPU:0')
    called = [
        (f'/venv/site-packages/{at}', n)
        for at, n in (('model/layer.py', 10), ('flash_attn/interface.py', 7))
    ]
    called.append(('/venv/site-packages/jax/_src/pjit.py', 3))
    places = [f'{at}:{n}' for at, n in called]
    core.add('XLA Ops', 'fusion.1', 0, 10, source=places[-1], source_stack='\n'.join(places))
    stated = write('stated.xplane.pb', core.data())
    dump = {
        'version': '2.10',
        'pg_config': {'0': {'name': '0', 'desc': 'default_pg', 'ranks': '[0, 1]'}},
        'entries': [
            {
                'frames': [{'filename': at, 'line': n, 'name': 'f'} for at, n in reversed(called)],
                'record_id': 0,
                'pg_id': 0,
                'process_group': ('0', 'default_pg'),
                'collective_seq_id': 1,
                'p2p_seq_id': 0,
                'op_id': 1,
                'profiling_name': 'nccl:all_reduce',
                'time_created_ns': 1_700_000_000_000_000_000,
                'input_sizes': [[4]],
                'input_dtypes': ['Float'],
                'output_sizes': [[4]],
                'output_dtypes': ['Float'],
                'state': 'scheduled',
                'retired': False,
                'timeout_ms': 600000,
                'is_p2p': False,
            }
        ],
    }
    last = write('nccl_trace_rank_0', pickle.dumps(dump))
    for lines, line, site, holder in (
        ('', 'layer.py(10): forward', 'model/layer.py:10', '/home/me/flash_attn/copied.py:3'),
        (
            'own flash_attn/\n',
            'interface.py(7): run layer.py(10): forward',
            'flash_attn/interface.py:7',
            '/home/me/flash_attn/copied.py:3',
        ),
        (
            '# mine\nruntime model/\nkernels /home/me/flash_attn/\n',
            'interface.py(7): run',
            'flash_attn/interface.py:7',
            '/home/me/train.py:9',
        ),
        (
            'runtime model/\nown model/layer.py\nruntime /home/me/',
            'layer.py(10): forward',
            'model/layer.py:10',
            '/venv/site-packages/model/layer.py:10',
        ),
    ):
        os.makedirs(os.path.join('config', 'nprof', 'answers'), exist_ok=True)
        write('config/nprof/answers/own-frames.txt', lines)
        env = {'XDG_CONFIG_HOME': os.path.abspath('config')}
        out = (
            run('run', '-q', '-a', 'modules', '-s', 'csv:table=source', '-o', '-', eager_, env=env)
            .expect(0)
            .out
        )
        check_same(
            ' '.join(
                sorted(row['source'].rsplit('/', 1)[-1] for row in csv.DictReader(io.StringIO(out)))
            ),
            line,
            lines,
        )
        out = (
            run('run', '-q', '-s', 'csv:table=events', '-o', '-', '--eager', plan, run_, env=env)
            .expect(0)
            .out
        )
        sources = {
            row['source'] for row in csv.DictReader(io.StringIO(out)) if row['category'] == 'kernel'
        }
        check_same(sources, {site}, lines)
        # What the host did in the gap, and by what verdicts name it: of the same frames.
        for name, column in (('idle_causes', 'where'), ('verdict_parts', 'place')):
            out = (
                run(
                    'run',
                    '-q',
                    '-a',
                    'steps',
                    '-s',
                    f'csv:table={name}',
                    '-o',
                    '-',
                    eager_,
                    env=env,
                )
                .expect(0)
                .out
            )
            found = {
                row[column] for row in csv.DictReader(io.StringIO(out)) if '.py' in row[column]
            }
            check_same(
                {re.sub(r'\((\d+)\): .*', r':\1', text) for text in found},
                {f'/venv/site-packages/{site}'},
                f'{lines}: {name}',
            )
        # What rows state of themselves, and where a rank is.
        of_modules = run(
            'run', '-q', '-a', 'modules', '-s', 'csv:table=source', '-o', '-', stated, env=env
        )
        found = [row['source'] for row in csv.DictReader(io.StringIO(of_modules.expect(0).out))]
        check_same(
            max(found, key=len).split('/venv/')[-1], f'site-packages/{site}', f'{lines}: stated'
        )
        folded = run('flame', '--weight', 'device', '--by', 'source', stated, env=env).expect(0).out
        check_same(
            folded.split(';')[-2].split('/venv/')[-1], f'site-packages/{site}', f'{lines}: {folded}'
        )
        out = run('run', '-q', '-s', 'csv:table=events', '-o', '-', last, env=env).expect(0).out
        check_same(
            {row['source'] for row in csv.DictReader(io.StringIO(out))},
            {f'/venv/site-packages/{site}'},
            f'{lines}: flight recorder',
        )
        out = run('run', '-q', '-s', 'csv:table=events', '-o', '-', path, env=env).expect(0).out
        check(
            holder in [row['source'] for row in csv.DictReader(io.StringIO(out))], f'{lines}: {out}'
        )
    write('config/nprof/answers/own-frames.txt', 'mine model/\n')
    run('run', '-a', 'modules', '-s', 'null', eager_, env=env).expect(
        0,
        err='*own-frames.txt:1: expected "runtime", "kernels" or "own" and how paths begin, found "mine model/"*',
    )


@test
def numbers_of_wrappers(_folder):
    """SGLang's profiler of shapes numbers its wrappers: an operator has one name in all runs."""
    trace = json.loads(capture(['sglang_profiler::norm_110', 'sglang_profiler::norm_7', 'x_9']))
    trace['traceEvents'] = [e for e in trace['traceEvents'] if 'Capture' not in e['name']]
    for n in range(3):
        kernel = {'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, 'tid': 7, 'ts': 100 + 10 * n}
        kernel |= {'dur': 1 + n, 'args': {'device': 0, 'stream': 7, 'correlation': n + 1}}
        trace['traceEvents'].append(kernel)
    trace['traceEvents'].append({**trace['traceEvents'][0], 'name': 'sglang_profiler::a_2d'})
    rows = table('operators', write('wrapped.json', json.dumps(trace)))
    check_same(
        {
            (row['operator'], row['calls'], row['self_ns'])
            for row in rows
            if row['level'] == 'framework' and row['top_kernel']
        },
        {
            ('sglang_profiler::a_2d', '1', '1000'),
            ('sglang_profiler::norm', '2', '2000'),
            ('x_9', '1', '3000'),
        },
        'device',
    )


@test
def bad_companions(_folder):
    run_, plan = write('run.json', replays(KERNELS)), write('plan.json', capture(NAMES))
    show = ('report', '--only', 'ops')
    run(*show, '--eager', 'missing.json', run_).expect(2, err='*missing.json*')
    run(*show, '--eager', write('text.json', 'no trace'), run_).expect(
        2, err='*text.json: no trace of PyTorch*'
    )
    run(*show, '--eager', plan, '--no-eager', run_).expect(1, err='*--eager and --no-eager*')
    run(*show, '--annotations', write('notes.json', '[1]'), run_).expect(
        2, err='*notes.json: expected a JSON object*'
    )
    run(
        *show, '--annotations', write('notes.json', '{"99999999999999999999999": "x"}'), run_
    ).expect(2, err='*is no id of a node*')
    run(*show, '--annotations', write('notes.json', '{"5": "x"}'), run_).expect(
        0, err='*0 of 60 graph kernels have one of its nodes*'
    )
    run(*show, '--eager', write('cut.json', capture(NAMES)[:-400]), run_).expect(0)
    kernels = json.dumps({'traceEvents': [call('aten::mm', 1, 5)]})
    run(*show, '--eager', plan, write('none.json', kernels)).expect(
        0, err=f'*{plan} is not read: *the file has no launch of a graph*'
    )


@test
def details_beside_the_run(folder):
    """Files of execution_details.json are used without a word of the user's, and only those beside
    it."""
    run_ = write('run.json', replays(KERNELS))
    write('capture.json', capture(NAMES))
    for listed, status in (
        ([{'file': 'capture.json', 'batch_size': 1, 'mode': 'FULL'}], 'exact'),
        ([{'file': 'gone.json'}], 'none'),
        ([{'file': '../capture.json'}], 'none'),
        ({'no': 'list'}, 'none'),
    ):
        write('execution_details.json', json.dumps(listed))
        result = run('run', '-s', 'csv:table=events', '-o', '-', run_).expect(0)
        check_same(
            result.out.count(f'""graph_match"": ""{status}""')
            or result.out.count(f'""graph_match"":""{status}""'),
            60,
            f'{listed}',
        )
    write('execution_details.json', json.dumps([{'file': 'capture.json'}]))
    check(
        'exact'
        not in run('run', '-s', 'csv:table=events', '-o', '-', '--no-eager', run_).expect(0).out,
        'left alone',
    )
    os.remove(os.path.join(os.path.dirname(run_) or folder, 'execution_details.json'))


@test
def captures_of_several_starts(_folder):
    """Names that differ in a time stamp: the one that fits counts; the newest of those that say the
    same; none where operators differ, and the candidates are named."""
    run_ = write('rank0.50.pt.trace.json', replays(KERNELS))
    other = capture([f'x{i}' for i in range(30)])
    differs = capture(NAMES).replace('"op3"', '"another"')
    os.makedirs('graph_capture_profile')
    name = 'graph_capture_profile/graph_capture_rank_0.{}.pt.trace.json'
    both = 'graph_capture_rank_0.10.pt.trace.json, graph_capture_rank_0.20.pt.trace.json'
    for first, second, wanted, said in (
        (capture(NAMES), other, 'exact', 'named by graph_capture_rank_0.10.pt'),
        (other, capture(NAMES), 'exact', 'named by graph_capture_rank_0.20.pt'),
        (capture(NAMES), capture(NAMES), 'exact', both + ' fit alike: graph_capture_rank_0.20.'),
        (capture(NAMES), differs, 'name', both + ' fit alike and give kernels different operators'),
        (other, other, 'none', 'fits no replay'),
    ):
        paths = [write(name.format(10), first), write(name.format(20), second)]
        result = run('run', '-v', '-s', 'csv:table=events', '-o', '-', run_).expect(0)
        check(said in result.err, f'{said}: {result.err}')
        found = [
            json.loads(row['attributes'])
            for row in csv.DictReader(io.StringIO(result.out))
            if row['category'] == 'kernel'
        ]
        least = min((s['graph_match'] for s in found), key=('none', 'name', 'exact').index)
        check_same(max(s['graph_match'] == wanted for s in found), True, said)
        check(wanted != 'exact' or least == 'exact', f'{said}: {least}')
        for row in found if wanted == 'name' else ():
            check(row['graph_operator'] not in ('op3', 'another'), f'{row}')
        for path in paths:
            os.remove(path)
    os.rmdir('graph_capture_profile')


def matches_of(*arguments):
    """By file, how its kernels are known."""
    return {
        (row['input'], json.loads(row['attributes'])['graph_match'])
        for row in table('events', *arguments)
        if row['category'] == 'kernel'
    }


@test
def captures_by_their_names(_folder):
    """Without execution_details.json, captures are found by the names that servers give them: of
    the run's rank, else of rank 0."""
    runs = [write(f'run_rank{rank}.json', replays(KERNELS)) for rank in (0, 1)]
    os.makedirs('capture_traces'), os.makedirs('kept')
    for name, of_rank_0, of_rank_1 in (
        ('bs_32_rank0.json.gz', 'exact', 'exact'),
        ('bs_32_rank1.json.gz', 'none', 'exact'),
        ('bs_512_rank0.json.gz', 'exact', 'exact'),
        ('capture_trace_rank_0.json.gz', 'exact', 'exact'),
        ('bs_513_rank0.json.gz', 'exact', 'exact'),
        ('graph_capture_rank_0.1773709742341309550.pt.trace.json.gz', 'exact', 'exact'),
        ('rank0.1773709742341309550.pt.trace.json.gz', 'exact', 'exact'),
        ('rank0.late.pt.trace.json.gz', 'none', 'none'),
        ('graph_capture_rank_1.1.pt.trace.json.gz', 'none', 'exact'),
        ('cuda_graph_capture-decode-TP-0.json.gz', 'exact', 'exact'),
        ('bs_32_rank2.json.gz', 'none', 'none'),
        ('other_rank0.json.gz', 'none', 'none'),
    ):
        path = write(f'capture_traces/{name}', capture(NAMES))
        wanted = {('run_rank0.json', of_rank_0), ('run_rank1.json', of_rank_1)}
        check_same(matches_of(*runs), wanted, name)
        os.remove(path)
        write(f'kept/{name}', capture(NAMES))
    os.rmdir('capture_traces')
    os.rename('kept', 'capture_traces')
    none = {('run_rank0.json', 'none'), ('run_rank1.json', 'none')}
    check_same(matches_of('--no-eager', *runs), none, 'left alone')


@test
def folders_of_runs(_folder):
    """Of a folder, captures beside their runs are no inputs: neither in folders that are called as
    servers call them, nor where a list beside the run names them.  Named themselves they are."""
    for made in ('job/capture_traces', 'flat', 'alone'):
        os.makedirs(made)
    for rank in (0, 1):
        trace = json.loads(replays(KERNELS, 2 + rank))
        trace['distributedInfo'] = {'backend': 'nccl', 'rank': rank, 'world_size': 2}
        write(f'job/rank{rank}.pt.trace.json', json.dumps(trace))
        write(f'job/capture_traces/bs_32_rank{rank}.json', capture(NAMES[: 30 - rank]))
    write('flat/run.json', replays(KERNELS))
    write('flat/own.json', capture(NAMES))
    write('flat/execution_details.json', json.dumps([{'file': 'own.json'}]))
    write('alone/own.json', capture(NAMES))
    write('alone/execution_details.json', json.dumps([{'file': 'own.json'}]))

    def inputs(*named):
        rows = table('inputs', *named)
        return [(row['input'], json.loads(row['properties'] or '{}').get('eager')) for row in rows]

    check_same(
        inputs('job'),
        [
            ('rank0.pt.trace.json', 'bs_32_rank0.json'),
            ('rank1.pt.trace.json', 'bs_32_rank1.json'),
        ],
        'each rank by its own',
    )
    check_same(inputs('flat'), [('run.json', 'own.json')], 'by the list beside it')
    check_same(inputs('alone'), [('own.json', None)], 'nothing but captures')
    check_same(len(inputs('job/capture_traces')), 2, 'the folder itself is named')
    check_same(len(inputs('job', 'job/capture_traces/bs_32_rank1.json')), 3, 'a file is named')
    run_ = 'job/rank1.pt.trace.json'
    check_same(
        inputs('--eager', 'job/capture_traces', run_),
        [('rank1.pt.trace.json', 'bs_32_rank1.json')],
        'a folder without a list: of its rank',
    )
    check_same(
        inputs('--eager', 'job/capture_traces/bs_32_rank0.json', run_),
        [('rank1.pt.trace.json', 'bs_32_rank0.json')],
        'a file of another rank',
    )


# What starts a program lends it its own peak, so a small process does.
MEASURE = '''
import ctypes, os, sys
PR_SET_THP_DISABLE = 41
ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
'''


def peak_kb(*arguments):
    """The most memory of a run, in KB: in pages of 4 KB; the least of three, since the kernel
    counts the pages of each processor apart and threads get ahead of each other by chance."""
    nprof = [NPROF, 'run', '-q', '-j', '1', '-s', 'null', *arguments]
    command = [sys.executable, '-c', MEASURE, *nprof]
    env = environment(None)
    return min(
        int(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
        for _ in range(3)
    )


@test
def memory_of_the_join(_folder):
    """At most 76 bytes for each kernel of a replay, above what decoding takes that joins nothing.
    The trace is compressed: how many pages of a mapped file are there at once is up to the kernel,
    and most of them are when nothing is joined."""
    if os.environ.get('NPROF_SANITIZE', 'none') != 'none':
        raise Skip('a sanitizer has memory of its own')
    kernels = [f'k{i}' for i in range(500)]
    run_ = write('many.json.gz', gzip.compress(replays(kernels, 1000).encode(), 1))
    plan = write('plan.json', capture([f'{i}' for i in range(500)]))
    more = peak_kb('-a', 'graphs', '--eager', plan, run_) - peak_kb(run_)
    check(more < 1000 * 500 * 76 / 1024, f'{more} KB')


@test
def same_bytes(_folder):
    run_, plan = write('run.json', replays(KERNELS, 300)), write('plan.json', capture(NAMES))
    first = None
    for jobs, part in ((1, '1M'), (2, '4k'), (4, '16k')):
        result = run(
            'run',
            '-j',
            str(jobs),
            '-d',
            f'chrome:part={part}',
            '--eager',
            plan,
            '-s',
            'csv:table=events',
            '-o',
            '-',
            run_,
        ).expect(0)
        first = first or result.out
        check(result.out == first, f'-j {jobs}')


SURE = ('none', 'node id', 'name', 'position', 'order of name', 'aligned', 'exact', 'launch')


def check_certainty(path, folder, *options):
    """The least sure of all kernels that an operator is said to have run; launch: of no replay."""
    wanted, rows = {}, golden(folder, 'graph_kernels')
    kernels = collections.Counter(row['replay'] for row in rows)
    for row in rows:
        if row['replay'] == '':
            name, match = row['operator'] or '(no operator)', 'launch'
        else:
            unknown = f'(graph replay {kernels[row["replay"]]})'
            name, match = row['operator'] or unknown, row['match'] if row['operator'] else 'none'
        wanted[name] = min(wanted.get(name, 'launch'), match, key=SURE.index)
    found = {
        row['operator']: row['certainty']
        for row in tables_of_data(*options, path)['operators']
        if row['level'] == 'framework' and row['top_kernel']
    }
    check_same(found, wanted, f'{folder}: certainty')
    said = {row['certainty'] for row in tables_of_data(*options, path)['kernels']}
    check_same(said - set(wanted.values()), set(), f'{folder}: of kernels')


def each_certainty(folder):
    def point(_folder):
        if folder in REAL:
            path, capture_ = real(folder)
            check_certainty(path, folder, '--eager', capture_)
            return
        if not DATA or not os.path.exists(os.path.join(GOLDEN, 'made', folder)):
            raise Skip('NPROF_TEST_DATA names no folder beside which the tables lie')
        run_, *captures = (os.path.join(GOLDEN, 'made', name) for name in MADE[folder])
        check_certainty(run_, os.path.join('made', folder), *eager(*captures))

    return point


for name_ in REAL:
    add_test('operators-' + name_, each_operators(name_))
for name_ in (*REAL, *MADE):
    add_test('certainty-' + name_, each_certainty(name_))
for name_ in REAL:
    add_test('real-' + name_, each_real(name_))
for name_ in REAL:
    add_test('held-back-' + name_, each_held_back(name_))
for name_ in MADE:
    add_test('made-' + name_, each_made(name_))

if __name__ == '__main__':
    main()
