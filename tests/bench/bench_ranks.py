# SPDX-License-Identifier: Apache-2.0
"""bench_ranks.py - how often what is said of the ranks of a job is right: last ranks and clocks on
a grid of sizes, ways to match and clock offsets, culprits on seeds that no rule was made with, and
who is named where nobody is to blame; and what nprof reduce costs.

NPROF_RANKS_SEED is added to every seed; NPROF_RANKS_SIZES names the sizes, in hosts of 8 ranks
(1,8,128)."""

import csv
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'tools'))
import ranks  # noqa: E402

from measure import Run  # noqa: E402

SEED = int(os.environ.get('NPROF_RANKS_SEED', '1000'))
SIZES = [int(n) for n in os.environ.get('NPROF_RANKS_SIZES', '1,8,128').split(',')]
PLANTS = {
    'gpu': (20, 19, 'compute', lambda r, d: {'slow': {r: 1.06}}),
    'host': (20, 19, 'host', lambda r, d: {'stall': {(r, 2, 5): 600_000}}),
    'link': (20, 14, 'network', lambda r, d: {'link': {(d, 2): 800_000}}),
}


def tables(nprof, job):
    with tempfile.TemporaryDirectory() as folder:
        truth = ranks.make(os.path.join(folder, 'traces'), job)
        subprocess.run(
            [
                nprof,
                'run',
                '-q',
                '-a',
                'ranks',
                '-s',
                'csv',
                '-o',
                os.path.join(folder, 'out'),
                os.path.join(folder, 'traces'),
            ],
            check=True,
        )
        found = {}
        for name in ('stragglers', 'job_collectives', 'clocks'):
            with open(os.path.join(folder, 'out', name + '.csv'), encoding='utf-8') as file:
                found[name] = list(csv.DictReader(file))
        return truth, found


def last_ranks(job, truth, found):
    """Returns how many collectives with a lead of more than 50 us are right, and how many there
    are."""
    known, count, right = {}, defaultdict(int), Counter()
    for c in truth['collectives']:
        number = c['sequence'] if job.keys == 'seq' else count[c['group'], c['step']]
        known[c['group'], str(c['step']), number] = c
        count[c['group'], c['step']] += 1
    for row in found['job_collectives']:
        c = known.get((row['group'], row['step'], int(row['sequence'])))
        if c and row['late_ns'] and c['lead_ns'] > 50_000:
            right[int(row['last']) == c['last']] += 1
    return right[True], right[True] + right[False]


def clock_error(truth, found):
    """us"""
    worst = 0.0
    for row in found['clocks']:
        clock = int(row['clock'].replace('node', '').replace('rank ', ''))
        at = int(row['at_unix_ns'] or 0) - ranks.BASE
        if row['offset_ns']:
            error = (
                float(row['offset_ns']) - truth['offset_ns'][clock] - truth['ppm'][clock] * at / 1e6
            )
            worst = max(worst, abs(error) / 1000)
    return worst


def grid(nprof):
    ok = True
    for hosts in SIZES:
        for keys in ('seq', 'none', 'cut'):
            for offset in (0, 20, 10_000):
                job = ranks.Job(
                    hosts=hosts,
                    keys=keys,
                    offset_ms=offset,
                    ppm=20,
                    seed=SEED + hosts + offset,
                    slow={3: 1.06},
                )
                truth, found = tables(nprof, job)
                right, told = last_ranks(job, truth, found)
                error = clock_error(truth, found)
                ok = ok and right >= 0.999 * told and error <= 15
                print(
                    f'{hosts * 8:5} ranks {keys:5} {offset:6} ms: last rank right in {right} of {told}, '
                    f'clocks within {error:.1f} us',
                    flush=True,
                )
    return ok


def plants(nprof):
    ok = True
    for what, (n, least, cause, how) in PLANTS.items():
        right = 0
        for i in range(n):
            hosts, rank = (2, 4, 8)[i % 3], (7 * i + 3) % 16
            job = ranks.Job(
                hosts=hosts,
                keys=('seq', 'none', 'cut')[i % 3],
                seed=SEED + 100 + i,
                **how(rank, rank % 8),
            )
            rows = tables(nprof, job)[1]['stragglers'][:1]
            who = f'dp{rank % 8}' if what == 'link' else f'rank {rank}'
            right += [(r['who'], r['cause']) for r in rows] == [(who, cause)]
        ok = ok and right >= least
        print(f'{what}: first of the stragglers in {right} of {n}', flush=True)
    return ok


def nobody(nprof):
    named = 0
    shapes = [
        (shape, faults)
        for shape in ('plain', 'pp', 'ep', 'uneven')
        for faults in ((), ('lost',), ('skew',), ('early',))
    ]
    for i in range(40):
        shape, faults = shapes[i % len(shapes)]
        job = ranks.Job(
            hosts=(1, 2, 4, 8)[i % 4],
            keys=('seq', 'none', 'cut')[i % 3],
            seed=SEED + 200 + i,
            shape=shape,
            faults=faults,
            noise=(0.002, 0.01, 0.03)[i % 3],
        )
        rows = tables(nprof, job)[1]['stragglers']
        named += bool(rows)
        for row in rows[:1]:
            print(f'  named without a plant: {row["who"]} ({row["cause"]}): {job}')
    print(f'somebody is named without a plant in {named} of 40', flush=True)
    return named <= 1


def cost(bench):
    """Of nprof reduce, against the number of ranks; states of 1,500 collectives and 500 operators
    each."""
    for n in (10, 100, 1000, 10_000):
        folder, _ = bench.generated('states-gen', n)
        run = Run(
            [bench.nprof, 'reduce', '-q', '-s', 'csv', '-o', bench.path(f'reduced-{n}'), folder]
        )
        bench.report.add(
            f'ranks: {n} states reduced', run.wall, 's', '<= 10', f'{run.cpu:.1f} s of CPU time'
        )
        bench.report.add('  memory, resident', run.peak_kb / 1024, 'MiB', '<= 954', 'peak RSS')


def measure(bench):
    cost(bench)
    for name, check in (('last ranks and clocks', grid), ('culprits', plants), ('nobody', nobody)):
        bench.report.add(
            f'ranks: {name} as they should be', int(check(bench.nprof)), '', '>= 1', ''
        )
