# SPDX-License-Identifier: Apache-2.0
"""ranks.py - ranks of one job together: beside what is known of generated jobs (tools/ranks.py), and of real ones.
NPROF_RANKS_REAL names a folder with megatron_kineto_0.json to 7 (astra-sim) and merged_all_events.json.gz (AMD's
training examples)."""

import csv
import io
import os
import sys
from collections import Counter, defaultdict
from decimal import Decimal

from harness import Skip, add_test, check, check_same, main, run, test

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

REAL = os.environ.get('NPROF_RANKS_REAL', '')
csv.field_size_limit(1 << 30)


def tables(*arguments, names):
    run('run', '-q', '-a', 'ranks', '-s', 'csv', '-o', 'out', *arguments).expect(0)
    found = {}
    for name in names:
        with open(os.path.join('out', name + '.csv'), encoding='utf-8') as file:
            found[name] = list(csv.DictReader(file))
    return found


def table(name, *arguments):
    result = run('run', '-q', '-a', 'ranks', '-s', f'csv:table={name}', '-o', '-', *arguments)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def truth_of(job, truth):
    """(group, step, number) -> collective; numbers count from 1 by Seq, else from 0 within a step."""
    known, count = {}, defaultdict(int)
    for c in truth['collectives']:
        by_step = (c['group'], c['step'])
        known[(c['group'], str(c['step']), c['sequence'] if job.keys == 'seq' else count[by_step])] = c
        count[by_step] += 1
    return known


def named(found):
    return [(row['who'], row['cause']) for row in found['stragglers']]


def check_last(job, truth, found, least):
    """The last rank is right for collectives with a lead of more than 50 us."""
    known, told, wrong = truth_of(job, truth), 0, []
    for row in found['job_collectives']:
        collective = known.get((row['group'], row['step'], int(row['sequence'])))
        if row['late_ns'] and collective and collective['lead_ns'] > 50_000:
            told += 1
            wrong += [(row, collective)] if int(row['last']) != collective['last'] else []
    check(told >= least, f'{told} collectives with a lead, expected {least}')
    check(not wrong, f'{len(wrong)} of {told} last ranks are wrong: {wrong[:2]}')


def check_clocks(job, truth, found, limit):
    for row in found['clocks']:
        clock = int(row['clock'].replace('node', '').replace('rank ', ''))
        local = int(row['at_unix_ns']) - ranks.BASE
        error = float(row['offset_ns']) - (truth['offset_ns'][clock] + truth['ppm'][clock] * local / 1e6)
        check(abs(error) <= limit, f'{row["clock"]}: offset {row["offset_ns"]} is wrong by {error} ns')
        if job.ppm == 0:
            low, high = Decimal(row['low_ns']), Decimal(row['high_ns'])
            check(low <= truth['offset_ns'][clock] <= high, f'{row["clock"]}: not between {low} and {high}')


def generated(hosts, keys, offset):
    def body(_folder):
        job = ranks.Job(hosts=hosts, steps=3, layers=6, keys=keys, offset_ms=offset, slow={5: 1.08}, seed=int(offset) + len(keys),
                        named_hosts=hosts > 1, noise=0.005)
        truth = ranks.make('traces', job)
        found = tables('traces', names=('stragglers', 'job_collectives', 'clocks', 'ranks'))
        check_same(named(found)[:1], [('rank 5', 'compute')], 'who was late')
        check_same([int(r['rank']) for r in found['ranks']], list(range(job.ranks)), 'ranks')
        check_last(job, truth, found, 5 * hosts)
        check_clocks(job, truth, found, 15_000)
    return body


OFFSETS = (0, 20, 10_000)  # ms
for number, how in enumerate(('seq', 'none', 'cut')):
    for ms in OFFSETS:
        add_test(f'one-host-{how}-{ms}-ms', generated(1, how, ms))
    add_test(f'eight-hosts-{how}-{OFFSETS[number]}-ms', generated(8, how, OFFSETS[number]))

PLANTS = {'gpu': ({'slow': {3: 1.06}}, ('rank 3', 'compute')),
          'host': ({'stall': {(6, 1, 4): 700_000}}, ('rank 6', 'host')),
          'link': ({'link': {(5, 1): 700_000}, 'hosts': 4}, ('dp5', 'network'))}


def plant(what):
    def body(_folder):
        how, who = PLANTS[what]
        ranks.make('traces', ranks.Job(seed=11, steps=3, layers=8, **how))
        check_same(named(tables('traces', names=('stragglers',)))[:1], [who], 'culprit')
    return body


for what in PLANTS:
    add_test('plant-' + what, plant(what))


def fault(shape, faults, keys):
    def body(_folder):
        job = ranks.Job(hosts=2, steps=3, layers=6, shape=shape, faults=faults, keys=keys, seed=len(shape) + 7,
                        named_hosts=keys != 'cut')
        ranks.make('traces', job)
        found = tables('traces', names=('stragglers', 'job_collectives'))
        check_same(named(found), [], 'nobody is late')
        check(found['job_collectives'], 'no collective at all')
    return body


for shape in ('plain', 'pp', 'ep', 'uneven'):
    for faults in ((), ('bare',), ('lost',), ('skew',), ('early',)) if shape in ('plain', 'uneven') else ((),):
        add_test('-'.join(('nobody', shape, *faults)), fault(shape, faults, 'seq' if len(shape) % 2 else 'cut'))


@test
def kernels_of_one_seq_are_one_call(_folder):
    job = ranks.Job(steps=2, layers=3, shape='ep')
    ranks.make('traces', job)
    calls = [r for r in table('job_collectives', 'traces') if r['collective'] == 'alltoall']
    check_same(len(calls), job.steps * job.layers, 'calls of all_to_allv')
    check_same({(r['seen'], r['late_ns'], r['valid']) for r in calls}, {('8', '', 'true')}, 'what is said of them')


@test
def sends_meet_receives(_folder):
    ranks.make('traces', ranks.Job(hosts=3, steps=2, layers=2, shape='pp'))
    pairs = [r for r in table('job_collectives', 'traces') if r['collective'] == 'sendrecv']
    check_same({(r['seen'], r['size'], r['last'], r['late_ns']) for r in pairs}, {('2', '2', '', '')}, 'pairs')


@test
def batches_and_threads_change_nothing(_folder):
    ranks.make('traces', ranks.Job(hosts=2, steps=2, layers=3, keys='none', stall={(3, 1, 1): 600_000}))
    outs = []
    for number, (jobs, rows) in enumerate((('1', '4096'), ('4', '1'), ('2', '7'))):
        run('run', '-q', '-j', jobs, '-a', 'ranks', '-s', 'csv', '-o', f'out{number}', 'traces',
            env={'NPROF_BATCH_ROWS': rows}).expect(0)
        outs.append({name: open(f'out{number}/{name}', 'rb').read() for name in sorted(os.listdir(f'out{number}'))})
    for out in outs[1:]:
        check_same([n for n in out if out[n] != outs[0][n]], [], 'files that differ')


@test
def one_rank_twice_is_said(_folder):
    ranks.make('a', ranks.Job(steps=2, layers=2), only=[0, 1])
    ranks.make('b', ranks.Job(steps=2, layers=2, seed=2), only=[0])
    result = run('run', '-a', 'ranks', '-s', 'csv:table=ranks', '-o', '-', 'a', 'b')
    result.expect(0, err='*rank 0 is in a/rank00000.json and in b/rank00000.json: nothing is said of the job*')
    check_same(len(result.out.splitlines()), 1, 'rows of ranks')


@test
def a_report_of_several_ranks_names_who_was_late(_folder):
    ranks.make('traces', ranks.Job(steps=3, slow={5: 1.08}))
    run('report', 'traces').expect(0, out=['Stragglers', '* rank 5 *compute*'])
    check('Stragglers' not in run('report', 'traces/rank00003.json').expect(0).out, 'one rank has no stragglers')


@test
def devices_say_the_same_of_one_rank(_folder):
    ranks.make('traces', ranks.Job(steps=2, layers=3))
    of_job = {row['file']: row for row in table('ranks', 'traces')}
    for row in csv.DictReader(io.StringIO(run('run', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', 'traces').out)):
        for column in ('span_ns', 'busy_ns', 'compute_ns', 'communication_ns', 'exposed_ns'):
            check_same(of_job[row['input']][column], row[column], f'{row["input"]} {column}')


# -- Real jobs, and what others reckoned of them ---------------------------------------------------------------


def real(*names):
    paths = [os.path.join(REAL, name) for name in names]
    if not REAL or not all(os.path.exists(path) for path in paths):
        raise Skip('NPROF_RANKS_REAL names no folder that has it')
    return paths


@test
def real_megatron(_folder):
    found = tables(*real(*(f'megatron_kineto_{i}.json' for i in range(8))), names=('job_collectives', 'ranks', 'clocks'))
    check_same(Counter(r['last'] for r in found['job_collectives']), Counter({'0': 32, '6': 28, '3': 15, '1': 4, '2': 4, '5': 1}),
               'last ranks')
    check_same({r['offset_ns'] for r in found['clocks']}, {'0'}, 'offsets')
    busy = [round(100 * float(r['busy_ns']) / float(r['span_ns']), 1) for r in found['ranks']]
    check_same(busy, [62.6, 98.8, 89.2, 96.8, 99.5, 98.7, 65.6, 98.2], 'busy')
    talks = [round(100 * float(r['communication_ns']) / float(r['span_ns']), 1) for r in found['ranks']]
    check_same(talks, [40.5, 77.5, 67.7, 75.5, 78.5, 77.8, 43.5, 77.1], 'communication')


@test
def real_ranks_merged_into_one_file(_folder):
    found = tables(*real('merged_all_events.json.gz'), names=('job_collectives', 'ranks'))
    check_same(Counter(r['last'] for r in found['job_collectives']), Counter({'3': 21}), 'last ranks')
    check_same([r['rank'] for r in found['ranks']], ['0', '1', '2', '3'], 'ranks')
    busy = [round(100 * float(r['busy_ns']) / float(r['span_ns']), 1) for r in found['ranks']]
    check_same(busy, [65.1, 63.3, 64.9, 35.5], 'busy')


main()
