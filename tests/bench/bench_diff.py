# SPDX-License-Identifier: Apache-2.0
"""bench_diff.py - how often `nprof diff` is wrong on profiles that differ by noise alone, how often
it finds kernels that are 5 % and 10 % slower, and whether every change of tools/make_diff_pairs.py
is told as it was made. Profiles are drawn from the noise of the traces in NPROF_TEST_DATA.

NPROF_DIFF_SEED is added to every seed; NPROF_DIFF_PAIRS pairs a setting (1000; a fifth of it for
what is found)."""

import glob
import json
import math
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'oracle'))
# pylint: disable=wrong-import-position
import documents
import steps as oracle_steps
from places import places

SEED = int(os.environ.get('NPROF_DIFF_SEED', '0'))
PAIRS = int(os.environ.get('NPROF_DIFF_PAIRS', '1000'))
TRACES = {'nccl': 'hta_nccl*', 'resnet': 'hta_ns*', 'tb': 'tbplugin*', 'qwen': 'tracelens*Qwen*'}
ONE_STEP = {('nccl', 'own', 1), ('resnet', 'own', 1), ('qwen', 'gauss3', 1)}
NULL = [
    ('nccl', 'gauss3', 3),
    ('nccl', 'own', 3),
    ('nccl', 'class', 3),
    ('resnet', 'gauss3', 5),
    ('resnet', 'own', 5),
    ('resnet', 'class', 5),
    ('resnet', 'own', 2),
    ('tb', 'own', 6),
    *sorted(ONE_STEP),
]
WRONG = 16  # of 1000, from two steps a side on
# A reference implementation of the rule told this of what it tried: 1-2, 3-7, 8-15, more calls a
# step
POWER = {
    ('resnet', 'own', 5): ('32/46 37/41 66/67 46/46', '39/46 41/41 67/67 46/46'),
    ('resnet', 'gauss3', 5): ('1/46 20/41 64/67 46/46', '12/46 41/41 67/67 46/46'),
    ('nccl', 'own', 3): ('3/26 40/71 31/33 49/70', '12/26 47/71 33/33 58/70'),
    ('nccl', 'gauss3', 3): ('0/26 8/71 21/33 64/70', '0/26 52/71 31/33 70/70'),
    ('resnet', 'own', 2): ('0/46 7/41 23/67 34/46', '1/46 14/41 42/67 40/46'),
}


def write_model(path, out):
    profile = documents.read(path)
    device = max(profile.devices.values(), key=lambda d: len(d.work))
    _, found, kinds = places(profile, device)
    windows = oracle_steps.windows(profile)
    with open(out, 'w', encoding='utf-8') as file:
        file.write(f'window\t{sum(w.end - w.first for w in windows) // len(windows)}\n')
        for (kernel, operator, ordinal), values in found.items():
            cells = [kernel, kinds[kernel], operator, ordinal, *values.values()]
            file.write(
                '\t'.join(str(cell).replace('\t', ' ').replace('\n', ' ') for cell in cells) + '\n'
            )


def rates(bench, model, kind, steps, pairs, *factor):
    seed = SEED + sum(map(ord, os.path.basename(model) + kind)) * 31 + steps
    command = [
        bench.built('tests/bench/diff-rates'),
        model,
        kind,
        str(steps),
        str(pairs),
        str(seed),
        *map(str, factor),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def measure_null(bench, models):
    for name, kind, steps in NULL:
        wrong, over, pairs = rates(bench, models[name], kind, steps, PAIRS)
        goal = '' if (name, kind, steps) in ONE_STEP else f'<= {WRONG * pairs // 1000}'
        bench.report.add(
            f'diff: wrong of {pairs} pairs without a change: {name}, {steps} steps a side, {kind}',
            wrong,
            '',
            goal,
            f'{over} end with status 6',
        )


def least(told, tried, share):
    """Two standard errors of a binomial below the reference, whose own count is one as well."""
    p = min(max(share, 0.5 / tried), 1 - 0.5 / tried)
    return max(0, math.floor(tried * share - 2 * math.sqrt(2 * tried * p * (1 - p))))


def measure_power(bench, models):
    sums = [0, 0.0]
    for (name, kind, steps), cells in POWER.items():
        for factor, row in zip((1.05, 1.10), cells):
            found = rates(bench, models[name], kind, steps, PAIRS // 5, factor)
            for i, (cell, calls) in enumerate(
                zip(row.split(), ('1-2', '3-7', '8-15', '16 and more'))
            ):
                told, tried = found[2 * i], found[2 * i + 1]
                share = int(cell.split('/')[0]) / int(cell.split('/')[1])
                sums[0] += told
                sums[1] += share * tried
                bench.report.add(
                    f'diff: told of {tried} kernels {factor - 1:+.0%}: {name}, {steps} steps, {kind}, {calls} calls',
                    told,
                    '',
                    f'>= {least(told, tried, share)}' if tried else '',
                    f'reference {cell}',
                )
    bench.report.add(
        'diff: all that was told / by the reference', sums[0] / sums[1], 'x', '>= 1', ''
    )


# -- Pairs with a known change ------------------------------------------------------------------


def specification(seed):
    """One pair of each kind of change a trace, with parameters that the seed chooses."""
    rng = random.Random(seed)
    lines = []
    for name, trace in TRACES.items():
        few = 10 if name != 'qwen' else 20
        kernel, other = rng.sample(range(4), 2)
        lines += [
            (f'identity_{name}', trace, 'identity', ''),
            (
                f'slow_{name}',
                trace,
                'slow',
                f'factor={rng.choice((1.5, 2, 3))} least={few} kernels={kernel},{other}',
            ),
            (
                f'fast_{name}',
                trace,
                'slow',
                f'factor={rng.choice((0.5, 0.6))} least={few} kernels={kernel}',
            ),
            (
                f'noise_{name}',
                trace,
                'noise',
                f'sd={rng.choice((0.01, 0.02, 0.03))} seed={rng.randrange(1000)}',
            ),
            (f'rename_{name}', trace, 'rename', f'least={few} kernels={kernel}'),
            (f'removed_{name}', trace, 'removed', f'least={few} kernels={other}'),
            (f'added_{name}', trace, 'removed', f'least={few} kernels={other} swap=yes'),
            (f'host_{name}', trace, 'host', f'ns={rng.randrange(20000, 60000)}'),
        ]
        if name != 'qwen':
            lines += [
                (
                    f'subset_{name}',
                    trace,
                    'subset',
                    f'factor={rng.choice((2, 3))} part=0.5 seed={rng.randrange(1000)} least=30 kernels={rng.randrange(2)}',
                ),
                (f'onestep_{name}', trace, 'onestep', f'step={rng.randrange(1, 3)}'),
                (f'more_{name}', trace, 'more', f'every=2 least=30 kernels={rng.randrange(2)}'),
            ]
    lines.append(('comm_nccl', TRACES['nccl'], 'comm', f'factor={rng.choice((4, 6))}'))
    return ''.join('\t'.join(line) + '\n' for line in lines)


def wrong_verdicts(found, truth):
    device = found['devices'][0]
    kernels = {kernel['name']: kernel for kernel in device['kernels']}
    wrong = []
    for name, verdict in truth['operators'].items():
        kernel = kernels.get(name)
        if kernel is None:
            continue  # less than its share: judged with the rest
        told = device['communication']['verdict'] if kernel['class'] == 'communication' else None
        if verdict not in (kernel['verdict'], told):
            wrong.append((name[:40], verdict, kernel['verdict'], kernel['delta']))
    for name, kernel in kernels.items():
        if name not in truth['operators'] and kernel['verdict'] in (
            'slower',
            'faster',
            'added',
            'removed',
        ):
            wrong.append((name[:40], 'untouched', kernel['verdict'], kernel['delta']))
    if truth.get('renamed') and truth['renamed'] not in device['renamed']:
        wrong.append(('renamed', truth['renamed']))
    return wrong


def measure_pairs(bench, data):
    tool = os.path.join(data, '..', 'tools', 'make_diff_pairs.py')
    if not os.path.exists(tool):
        return
    bad, count = 0, 0
    for seed in (SEED + 1, SEED + 2, SEED + 3):
        folder = bench.path(f'pairs-{seed}')
        spec = bench.path(f'pairs-{seed}.tsv')
        with open(spec, 'w', encoding='utf-8') as file:
            file.write(specification(seed))
        subprocess.run(
            [sys.executable, tool, spec, os.path.join(data, 'json'), folder],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with open(os.path.join(folder, 'truth.json'), encoding='utf-8') as file:
            truths = json.load(file)
        for name, truth in truths.items():
            done = subprocess.run(
                [
                    bench.nprof,
                    'diff',
                    '-q',
                    '--format',
                    'json',
                    '--fail-over',
                    '5%',
                    *(os.path.join(folder, truth[side]) for side in ('base', 'new')),
                ],
                capture_output=True,
                text=True,
                check=False,
            )
            wrong = wrong_verdicts(json.loads(done.stdout), truth) if done.stdout else done.stderr
            count += 1
            bad += bool(wrong)
            if wrong:
                print(f'seed {seed}, {name} {truth["parameters"]}: {wrong}', file=sys.stderr)
    bench.report.add(f'diff: wrong of {count} pairs with a known change', bad, '', '<= 0', '')


def measure(bench):
    data = os.environ.get('NPROF_TEST_DATA')
    if not data:
        print('diff: NPROF_TEST_DATA names no traces to draw profiles from', file=sys.stderr)
        return
    models = {}
    for name, pattern in TRACES.items():
        models[name] = bench.path(f'model-{name}')
        write_model(sorted(glob.glob(os.path.join(data, 'json', pattern)))[0], models[name])
    measure_null(bench, models)
    measure_power(bench, models)
    measure_pairs(bench, data)
