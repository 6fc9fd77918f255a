# SPDX-License-Identifier: Apache-2.0
"""ranks.py - ranks of one job together: beside what is known of generated jobs (tools/ranks.py),
and of real ones. NPROF_RANKS_REAL names a folder with megatron_kineto_0.json to 7 (astra-sim) and
merged_all_events.json.gz (AMD's training examples)."""

import csv
import io
import json
import os
import random
import sys
from collections import Counter, defaultdict
from decimal import Decimal

import xspace
from harness import Skip, add_test, check, check_same, main, read, run, test, write

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

REAL = os.environ.get('NPROF_RANKS_REAL', '')
csv.field_size_limit(1 << 30)


def tables(*arguments, names, out='out'):
    run('run', '-q', '-a', 'ranks', '-s', 'csv', '-o', out, *arguments).expect(0)
    found = {}
    for name in names:
        with open(os.path.join(out, name + '.csv'), encoding='utf-8') as file:
            found[name] = list(csv.DictReader(file))
    return found


def table(name, *arguments):
    result = run('run', '-q', '-a', 'ranks', '-s', f'csv:table={name}', '-o', '-', *arguments)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def truth_of(job, truth):
    """(group, step, number) -> collective; numbers count from 1 by Seq, else from 0 within a
    step."""
    known, count = {}, defaultdict(int)
    for c in truth['collectives']:
        by_step = (c['group'], c['step'])
        known[
            (c['group'], str(c['step']), c['sequence'] if job.keys == 'seq' else count[by_step])
        ] = c
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
        error = float(row['offset_ns']) - (
            truth['offset_ns'][clock] + truth['ppm'][clock] * local / 1e6
        )
        check(
            abs(error) <= limit, f'{row["clock"]}: offset {row["offset_ns"]} is wrong by {error} ns'
        )
        if job.ppm == 0:
            low, high = Decimal(row['low_ns']), Decimal(row['high_ns'])
            check(
                low <= truth['offset_ns'][clock] <= high,
                f'{row["clock"]}: not between {low} and {high}',
            )


def generated(hosts, keys, offset):
    def body(_folder):
        job = ranks.Job(
            hosts=hosts,
            steps=3,
            layers=6,
            keys=keys,
            offset_ms=offset,
            slow={5: 1.08},
            seed=int(offset) + len(keys),
            named_hosts=hosts > 1,
            noise=0.005,
        )
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


@test
def offsets_hold_where_the_capture_is(_folder):
    """Clocks of which some are ten seconds off, and drift by less than ends tell."""
    job = ranks.Job(hosts=8, steps=2, layers=4, offset_ms=10_000, ppm=20, seed=1210008, noise=0.005)
    check_clocks(job, ranks.make('traces', job), tables('traces', names=('clocks',)), 15_000)


PLANTS = {
    'gpu': ({'slow': {3: 1.06}}, ('rank 3', 'compute')),
    'host': ({'stall': {(6, 1, 4): 700_000}}, ('rank 6', 'host')),
    'link': ({'link': {(5, 1): 700_000}, 'hosts': 4}, ('dp5', 'network')),
}


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
        job = ranks.Job(
            hosts=2,
            steps=3,
            layers=6,
            shape=shape,
            faults=faults,
            keys=keys,
            seed=len(shape) + 7,
            named_hosts=keys != 'cut',
        )
        ranks.make('traces', job)
        found = tables('traces', names=('stragglers', 'job_collectives'))
        check_same(named(found), [], 'nobody is late')
        check(found['job_collectives'], 'no collective at all')

    return body


for shape in ('plain', 'pp', 'ep', 'uneven'):
    for faults in (
        ((), ('bare',), ('lost',), ('skew',), ('early',)) if shape in ('plain', 'uneven') else ((),)
    ):
        add_test(
            '-'.join(('nobody', shape, *faults)),
            fault(shape, faults, 'seq' if len(shape) % 2 else 'cut'),
        )


@test
def kernels_of_one_seq_are_one_call(_folder):
    job = ranks.Job(steps=2, layers=3, shape='ep')
    ranks.make('traces', job)
    calls = [r for r in table('job_collectives', 'traces') if r['collective'] == 'alltoall']
    check_same(len(calls), job.steps * job.layers, 'calls of all_to_allv')
    check_same(
        {(r['seen'], r['late_ns'], r['valid']) for r in calls},
        {('8', '', 'true')},
        'what is said of them',
    )


@test
def sends_meet_receives(_folder):
    ranks.make('traces', ranks.Job(hosts=3, steps=2, layers=2, shape='pp'))
    pairs = [r for r in table('job_collectives', 'traces') if r['collective'] == 'sendrecv']
    check_same(
        {(r['seen'], r['size'], r['last'], r['late_ns']) for r in pairs},
        {('2', '2', '', '')},
        'pairs',
    )


@test
def batches_and_threads_change_nothing(_folder):
    ranks.make(
        'traces', ranks.Job(hosts=2, steps=2, layers=3, keys='none', stall={(3, 1, 1): 600_000})
    )
    outs = []
    for number, (jobs, rows) in enumerate((('1', '4096'), ('4', '1'), ('2', '7'))):
        run(
            'run',
            '-q',
            '-j',
            jobs,
            '-a',
            'ranks',
            '-s',
            'csv',
            '-o',
            f'out{number}',
            'traces',
            env={'NPROF_BATCH_ROWS': rows},
        ).expect(0)
        outs.append(
            {
                name: open(f'out{number}/{name}', 'rb').read()
                for name in sorted(os.listdir(f'out{number}'))
            }
        )
    for out in outs[1:]:
        check_same([n for n in out if out[n] != outs[0][n]], [], 'files that differ')


@test
def one_rank_twice_is_said(_folder):
    ranks.make('a', ranks.Job(steps=2, layers=2), only=[0, 1])
    ranks.make('b', ranks.Job(steps=2, layers=2, seed=2), only=[0])
    result = run('run', '-a', 'ranks', '-s', 'csv:table=ranks', '-o', '-', 'a', 'b')
    result.expect(
        0, err='*rank 0 is in a/rank00000.json and in b/rank00000.json: nothing is said of the job*'
    )
    check_same(len(result.out.splitlines()), 1, 'rows of ranks')


@test
def a_report_of_several_ranks_names_who_was_late(_folder):
    ranks.make('traces', ranks.Job(steps=3, slow={5: 1.08}))
    run('report', 'traces').expect(0, out=['Stragglers', '* compute *rank 5'])
    check(
        'Stragglers' not in run('report', 'traces/rank00003.json').expect(0).out,
        'one rank has no stragglers',
    )


@test
def devices_say_the_same_of_one_rank(_folder):
    ranks.make('traces', ranks.Job(steps=2, layers=3))
    of_job = {row['file']: row for row in table('ranks', 'traces')}
    for row in csv.DictReader(
        io.StringIO(run('run', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', 'traces').out)
    ):
        for column in ('span_ns', 'busy_ns', 'compute_ns', 'communication_ns', 'exposed_ns'):
            check_same(of_job[row['input']][column], row[column], f'{row["input"]} {column}')


# -- Programs of XLA, and Neuron's streams
# ---------------------------------------------------------------------

STEP = 10_000  # us
LATE = {
    0: {0: 0, 1: 600, 2: 100, 3: 300},
    1: {0: 700, 1: 50, 2: 900, 3: 0},
}  # run: by rank, us after the first


def all_reduce(groups):
    return f'%all-reduce.3 = f32[1024]{{0}} all-reduce(f32[1024]{{0}} %x), channel_id=1, replica_groups={groups}, to_apply=%add'


def tpu(ident, rank, groups, runs=(0, 1), number=0, pairs=False, flops=None, peak=None):
    """Each run computes, reduces until the last rank of all has come, and computes again. flops: of
    fusion.1; peak: of the device, Tflop/s."""
    plane = xspace.Plane(ident, f'/device:TPU:{ident}')
    work = {'flops': flops} if flops else {}
    if peak:
        plane.fact('peak_teraflops_per_second', peak)
    for run in runs:
        begin, late = 1000 + run * STEP, LATE[run % 2]
        plane.add('XLA Modules', 'jit_step(42)', begin, 8000, run_id=100 + run + number)
        plane.add('XLA Ops', 'fusion.1', begin + 1, 1000 + late[rank], 'loop fusion', **work)
        start, end = begin + 1001 + late[rank], begin + 1001 + max(late.values()) + 50
        if pairs:
            plane.add(
                'XLA Ops',
                'all-reduce-start.3',
                start,
                5,
                'all-reduce',
                all_reduce(groups).replace(' all-reduce(', ' all-reduce-start('),
            )
            plane.add('XLA Ops', 'fusion.2', start + 5, 500, 'loop fusion')
            plane.add('XLA Ops', 'all-reduce-done.3', end + 600, 5, 'all-reduce')
        else:
            plane.add(
                'XLA Ops', 'all-reduce.3', start, end - start, 'all-reduce', all_reduce(groups)
            )
        plane.add('XLA Ops', 'fusion.3', end + 700, 500, 'loop fusion')
    return plane.data()


def calls_of(*arguments):
    """(group, step, seen, last, late us) of the rows."""
    rows = table('job_collectives', *arguments)
    return sorted(
        (
            r['group'].removeprefix('jit_step(42)').strip(),
            r['step'],
            r['seen'],
            r['last'],
            r['late_ns'] and int(float(r['late_ns'])) // 1000,
        )
        for r in rows
    )


def apart(ranks_of, **how):
    """A profile of each rank, of one device."""
    os.mkdir('xla')
    for rank in range(4):
        write(
            f'xla/rank{rank}.xplane.pb',
            tpu(0, rank, ranks_of, **{k: v(rank) if callable(v) else v for k, v in how.items()}),
        )
    return 'xla'


@test
def programs_of_one_profile_have_groups_by_the_place_of_their_device(_folder):
    path = write('host.xplane.pb', b''.join(tpu(i, i, '{{0,1},{2,3}}') for i in range(4)))
    check_same(
        calls_of(path),
        [
            ('[0, 1]', '100', '2', '1', 600),
            ('[0, 1]', '101', '2', '0', 650),
            ('[2, 3]', '100', '2', '3', 200),
            ('[2, 3]', '101', '2', '2', 900),
        ],
        'collectives',
    )


@test
def programs_of_several_profiles_meet_by_their_run(_folder):
    """Rank 2 began to record a run later."""
    folder = apart('[2,2]<=[2,2]T(1,0)', runs=lambda rank: (1,) if rank == 2 else (0, 1))
    check_same(
        calls_of(folder),
        [
            ('[0, 2]', '100', '1', '', ''),
            ('[0, 2]', '101', '2', '2', 200),
            ('[1, 3]', '100', '2', '1', 300),
            ('[1, 3]', '101', '2', '1', 50),
        ],
        'collectives',
    )


@test
def runs_that_each_device_counts_for_itself_are_no_key(_folder):
    path = write(
        'host.xplane.pb', b''.join(tpu(i, i, '[1,4]<=[4]', number=i % 2) for i in range(4))
    )
    check_same(calls_of(path), [('', '', '4', '1', 600), ('', '', '4', '2', 900)], 'collectives')


def hosts(number):
    """Two devices on each host, of four."""
    os.makedirs('xla')
    for host in range(number):
        write(
            f'xla/host{host + 9}.xplane.pb',
            b''.join(tpu(i, 2 * host + i, '{{0,1},{2,3}}') for i in range(2)),
        )
    return 'xla'


@test
def devices_of_all_profiles_are_ranks_in_order(_folder):
    found = calls_of(hosts(2))
    check_same(
        found,
        [
            ('[0, 1]', '100', '2', '1', 600),
            ('[0, 1]', '101', '2', '0', 650),
            ('[2, 3]', '100', '2', '3', 200),
            ('[2, 3]', '101', '2', '2', 900),
        ],
        'collectives',
    )
    run('map', '-o', 'job', 'xla').expect(
        1, err='*host10.xplane.pb: nobody says which rank /device:TPU:0 is*'
    )
    for host in range(2):
        run('map', '-o', 'job', '--rank', str(host), f'xla/host{host + 9}.xplane.pb').expect(0)
    run('reduce', '--ranks', '4', '-s', 'csv', '-o', 'taken', 'job').expect(0)
    with open('taken/job_collectives.csv', encoding='utf-8') as file:
        check_same(
            sorted(
                (r['group'].removeprefix('jit_step(42)').strip(), r['last'])
                for r in csv.DictReader(file)
            ),
            sorted((call[0], call[3]) for call in found),
            'last ranks of states',
        )


@test
def nothing_is_said_of_groups_when_nobody_says_which_rank_a_device_is(_folder):
    check_same(calls_of(hosts(1)), [], 'collectives that are matched')


@test
def asynchronous_collectives_say_nothing_of_who_was_late(_folder):
    found = calls_of(apart('{{0,1,2,3}}', pairs=True))
    check_same([call[2] for call in found], ['4', '4'], 'seen')
    check_same({call[4] for call in found}, {''}, 'late_ns')


# -- The job in one row
# ----------------------------------------------------------------------------------------


@test
def what_ranks_differ_by_is_told_of_all_of_them(_folder):
    ranks.make('traces', ranks.Job(steps=2, layers=3, seed=12, stall={(3, 1, 1): 800_000}))
    found = tables('traces', names=('job', 'rank_spread', 'ranks', 'stragglers'))
    for row in found['rank_spread']:
        told = sorted((Decimal(r[row['time'] + '_ns']), int(r['rank'])) for r in found['ranks'])
        most = max(told, key=lambda one: (one[0], -one[1]))
        expected = [told[0][0], told[0][1], told[(len(told) + 1) // 2 - 1][0], *most]
        check_same(
            [Decimal(row[name]) for name in ('min_ns', 'min_rank', 'p50_ns', 'max_ns', 'max_rank')],
            expected,
            row['time'],
        )
    check_same(len(found['rank_spread']), 6, 'times')
    (job,) = found['job']
    check_same(
        [
            job[name]
            for name in ('ranks', 'expected', 'missing', 'incomplete', 'late', 'violations')
        ],
        ['8', '8', 'none', 'none', 'rank 3: host', '0'],
        'the job',
    )


@test
def nobody_is_not_said_where_nobody_can_tell(_folder):
    ranks.make('traces', ranks.Job(steps=2, layers=3, seed=12), [2])
    (job,) = tables('traces', names=('job',))['job']
    check_same(
        [job[name] for name in ('ranks', 'expected', 'missing', 'late', 'checked')],
        ['1', '8', '0-1, 3-7', '', '0'],
        'the job',
    )


@test
def who_ends_before_all_have_begun_is_counted(_folder):
    """The kernel of rank 0 in which it waited most for rank 3, which stalls, lasts a microsecond in
    its file."""
    ranks.make('traces', ranks.Job(steps=2, layers=3, seed=12, stall={(3, 1, 1): 800_000}))
    (before,) = tables('traces', names=('job',))['job']
    path = 'traces/rank00000.json'
    trace = json.loads(read(path))
    kernels = [
        e
        for e in trace['traceEvents']
        if 'Collective name' in e.get('args', {})
        and e['args']['Process Group Name'].startswith('tp')
    ]
    max(kernels, key=lambda e: e['dur'])['dur'] = 1
    write(path, json.dumps(trace))
    (after,) = tables('traces', names=('job',))['job']
    check_same([after['violations'], after['checked']], ['1', before['checked']], 'violations')


# -- Without a rank
# -------------------------------------------------------------------------------------------


def union(spans):
    done = []
    for start, end in sorted(spans):
        if done and start <= done[-1][1]:
            done[-1][1] = max(done[-1][1], end)
        else:
            done.append([start, end])
    return done


def own_times(path):
    """step -> (window, own time), ns, of the events of one file: own is the window without exposed
    collectives."""
    events = json.loads(read(path), parse_float=Decimal)['traceEvents']
    span = lambda e: (
        int(Decimal(e['ts']) * 1000),
        int((Decimal(e['ts']) + Decimal(e['dur'])) * 1000),
    )  # noqa: E731
    kernels = [e for e in events if e.get('cat') == 'kernel']
    work, compute = union(map(span, kernels)), union(
        span(e) for e in kernels if 'nccl' not in e['name']
    )
    inside = lambda spans, a, b: sum(max(0, min(y, b) - max(x, a)) for x, y in spans)  # noqa: E731
    found = {}
    for e in events:
        if e.get('cat') == 'user_annotation':
            a, b = span(e)
            found[e['name'].split('#')[1]] = (
                b - a,
                b - a - inside(work, a, b) + inside(compute, a, b),
            )
    return found


def gains(folder):
    """(ns of all steps, ns that each rank's absence gains) by brute force: the steps are tried
    without each rank."""
    of = [own_times(f'{folder}/{name}') for name in sorted(os.listdir(folder))]
    steps = set.intersection(*map(set, of))
    total = lambda without: sum(
        max(rank[s][1] for r, rank in enumerate(of) if r != without) for s in steps
    )  # noqa: E731
    return sum(max(rank[s][0] for rank in of) for s in steps), [
        total(None) - total(r) for r in range(len(of))
    ]


def check_gains(folder):
    steps, expected = gains(folder)
    found = tables(folder, names=('ranks', 'job'), out=folder + '.out')
    check_same(found['job'][0]['gain_unknown'], 'none', 'why it is unknown')
    check_same([int(r['gain_ns']) for r in found['ranks']], expected, 'gain_ns')
    for row, gain in zip(found['ranks'], expected):
        check(abs(float(row['gain_share']) - gain / steps) < 1e-12, f'{row}: share {gain / steps}')
    return [float(r['gain_share']) for r in found['ranks']]


def time_of(job):
    """The time of the steps of a job, each as long as on its slowest rank, as the machine that
    simulates it has it."""
    machine = ranks.Machine(job)
    machine.run()
    return sum(max(b[s + 1] - b[s] for b in machine.bounds) for s in range(job.steps))


def without_a_rank(seed, **how):
    """The rule gives what the same job takes when the rank is as fast as the others, within 1.5 %
    of it."""

    def body(_folder):
        job = dict(seed=seed, steps=4, layers=4, **how)
        ranks.make('traces', ranks.Job(**job))
        shares = check_gains('traces')
        for rank in how['slow']:
            healed = {r: f for r, f in how['slow'].items() if r != rank}
            before, after = time_of(ranks.Job(**job)), time_of(ranks.Job(**{**job, 'slow': healed}))
            check(
                abs(shares[rank] - (before - after) / before) < 0.015,
                f'rank {rank}: {shares[rank]}, simulated {(before - after) / before}',
            )

    return body


for seed in (3, 41):
    add_test(f'without-one-slow-rank-{seed}', without_a_rank(seed, slow={3: 1.5}))
    add_test(f'without-one-of-two-equal-{seed}', without_a_rank(seed, slow={3: 1.5, 5: 1.5}))
    add_test(f'without-one-of-two-unequal-{seed}', without_a_rank(seed, slow={3: 1.5, 5: 1.3}))
add_test('without-a-rank-of-two-hosts', without_a_rank(7, hosts=2, slow={12: 1.2}, keys='cut'))


@test
def one_of_two_slow_ranks_gains_little(_folder):
    ranks.make('traces', ranks.Job(seed=5, steps=3, layers=4, slow={3: 1.5, 5: 1.5}))
    both = check_gains('traces')
    ranks.make('one', ranks.Job(seed=5, steps=3, layers=4, slow={3: 1.5}))
    one = check_gains('one')
    check(max(both) < 0.01 and one[3] > 0.25, f'two: {both}, one: {one}')


@test
def steps_that_a_rank_lacks_are_left_out(_folder):
    ranks.make('traces', ranks.Job(seed=6, steps=3, layers=3, slow={2: 1.4}))
    path = 'traces/rank00005.json'
    trace = json.loads(read(path))
    trace['traceEvents'] = [e for e in trace['traceEvents'] if e['name'] != 'ProfilerStep#2']
    write(path, json.dumps(trace))
    check_gains('traces')


def unknown_gain(reason, keep=None, events=None, **how):
    def body(_folder):
        ranks.make('traces', ranks.Job(steps=2, layers=2, **how), keep)
        for name in os.listdir('traces') if events else ():
            trace = json.loads(read(f'traces/{name}'))
            trace['traceEvents'] = events(name, trace['traceEvents'])
            write(f'traces/{name}', json.dumps(trace))
        found = tables('traces', names=('job', 'ranks'))
        check_same(found['job'][0]['gain_unknown'], reason, 'why')
        check_same({(r['gain_ns'], r['gain_share']) for r in found['ranks']}, {('', '')}, 'gains')

    return body


def without_world(_name, events):
    """Nothing joins the ranks of one group and those of the other from step 1 on."""
    begin = next(e['ts'] for e in events if e['name'] == 'ProfilerStep#1')
    return [
        e
        for e in events
        if e.get('args', {}).get('Process Group Name') != 'world' or float(e['ts']) < float(begin)
    ]


def other_work(name, events):
    """Rank 4 computes something that no other does."""
    return [
        {**e, 'name': 'moe_router'} if e['name'] == 'norm_fwd' and name == 'rank00004.json' else e
        for e in events
    ]


def launched_late(name, events):
    """The clock of rank 4's device is behind its host's: work of one operator begins before its
    launch."""
    if name != 'rank00004.json':
        return events
    begins = {
        e['args']['correlation']: e['ts']
        for e in events
        if e.get('cat') == 'kernel' and e['name'] == 'norm_fwd'
    }
    return [
        {**e, 'ts': float(begins[e['args']['correlation']]) + 0.5}
        if e.get('cat') == 'cuda_runtime' and e['args']['correlation'] in begins
        else e
        for e in events
    ]


def fewer_layers(name, events):
    """Rank 4 has one layer less of an operator."""
    kernels = [e for e in events if e['name'] == 'norm_fwd'] if name == 'rank00004.json' else []
    return [e for e in events if e not in kernels[::2]]


def roles(change, expected, **how):
    def body(_folder):
        ranks.make('traces', ranks.Job(steps=2, layers=2, **how))
        for name in os.listdir('traces'):
            trace = json.loads(read(f'traces/{name}'))
            trace['traceEvents'] = change(name, trace['traceEvents'])
            write(f'traces/{name}', json.dumps(trace))
        found = [r['role'] for r in table('ranks', 'traces')]
        check_same(found, [f'role {n}' for n in expected], 'roles')

    return body


ALIKE, RANK_4_APART = [0] * 8, [0, 0, 0, 0, 1, 0, 0, 0]
add_test('work-before-its-launch-is-no-other-role', roles(launched_late, ALIKE))
add_test('other-work-is-another-role', roles(other_work, RANK_4_APART))
add_test('fewer-layers-are-another-role', roles(fewer_layers, RANK_4_APART))
add_test('no-gain-of-one-rank', unknown_gain('one rank', [3]))
add_test('no-gain-where-ranks-are-missing', unknown_gain('missing: 3, 6-7', [0, 1, 2, 4, 5]))
add_test(
    'no-gain-of-stages',
    unknown_gain(
        'ranks hand work on to each other, as stages of a pipeline do', shape='pp', hosts=2
    ),
)
add_test(
    'no-gain-of-several-roles', unknown_gain('ranks do different work: 2 roles', events=other_work)
)
add_test(
    'no-gain-of-ranks-that-do-not-wait',
    unknown_gain(
        'step 1: no matched collectives make all ranks wait for each other',
        events=without_world,
        shape='uneven',
    ),
)
add_test(
    'no-gain-without-steps',
    unknown_gain(
        'no step that all ranks have',
        events=lambda _, events: [e for e in events if e.get('cat') != 'user_annotation'],
    ),
)


# -- Utilisation
# ----------------------------------------------------------------------------------------------

FLOPS, PEAK = (3_000_000_000, 4_000_000_001, 5_000_000_000, 70_000_000_003), (
    2,
    3,
    5,
    197,
)  # a run; Tflop/s


SPAN = STEP + 8000  # us, from the begin of the first program to the end of the second


def utilisation(known):
    """(of each rank, of the job), by hand: None where it is unknown."""
    could = [Decimal(peak) * 10**6 * SPAN for peak in PEAK]  # flops
    each = [Decimal(2 * FLOPS[r]) / could[r] if r in known else None for r in range(4)]
    return each, sum(2 * Decimal(f) for f in FLOPS) / sum(could) if len(known) == 4 else None


def close(found, expected, what):
    if expected is None:
        return check_same(found, '', what)
    return check(
        abs(Decimal(found) / expected - 1) < Decimal('1e-14'),
        f'{what}: {found}, expected {expected}',
    )


def check_use(found, known, unknown):
    each, job = utilisation(known)
    for row, expected in zip(found['ranks'], each):
        close(row['mfu'], expected, f'rank {row["rank"]}')
    close(found['job'][0]['mfu'], job, 'the job')
    check_same(found['job'][0]['mfu_unknown'], unknown, 'of whom it is unknown')


def job_of(folder):
    return {
        name: list(csv.DictReader(io.StringIO(read(os.path.join(folder, name + '.csv')).decode())))
        for name in ('job', 'ranks')
    }


def use(flops, peak, known, unknown):
    """A run over all says the same as reduce of states that came together in any order."""

    def body(_folder):
        apart('{{0,1,2,3}}', flops=flops, peak=peak)
        run('run', '-q', '-a', 'mfu', '-a', 'ranks', '-s', 'csv', '-o', 'all', 'xla').expect(0)
        check_use(job_of('all'), known, unknown)
        run('map', '-a', 'mfu', '-o', 'job', 'xla').expect(0)
        states = [f'job/states/rank-{r:05d}.nps' for r in range(4)]
        run('reduce', '--partial', '-o', 'a.nps', states[2], states[0]).expect(0)
        run('reduce', '--partial', '-o', 'b.nps', states[3], 'a.nps').expect(0)
        run('reduce', '-s', 'csv', '-o', 'taken', 'b.nps', states[1]).expect(0)
        for name in ('job.csv', 'ranks.csv'):
            check_same(read(os.path.join('taken', name)), read(os.path.join('all', name)), name)
        run('report', '-o', 'report.csv', '--only', 'job', 'xla').expect(0)
        check_same(read('report.csv'), read('all/job.csv'), 'job in a report')

    return body


add_test('mfu-of-all-ranks', use(FLOPS.__getitem__, PEAK.__getitem__, range(4), 'none'))
add_test(
    'mfu-of-some-ranks',
    use(
        lambda r: FLOPS[r] if r else None,
        lambda r: PEAK[r] if r < 3 else None,
        (1, 2),
        'no flops: 0; no peak rate: 3',
    ),
)


@test
def mfu_is_unknown_without_its_analyzer(_folder):
    apart('{{0,1,2,3}}', flops=FLOPS.__getitem__, peak=PEAK.__getitem__)
    run('run', '-q', '-a', 'ranks', '-s', 'csv', '-o', 'all', 'xla').expect(0)
    check_use(job_of('all'), (), 'not analyzed: -a mfu does')


@test
def neuron_operations_meet_by_stream_and_group(_folder):
    def operation(start, end, stream, **more):
        return {
            'start_ts': start,
            'end_ts': end,
            'operation': 'AllReduce',
            'dtype': 'bf16',
            'num_elements': 64,
            'stream_id': stream,
            'replica_group': '[[0, 1], [2, 3]]',
            **more,
        }

    os.mkdir('neuron')
    for rank in range(4):
        ops = [
            operation(9000 - 1000 * rank, 9500, 7),
            operation(21000 + 500 * rank, 25000, 7),
            operation(10000 + 100 * rank, 25000, 8),
        ]
        ops = ops if rank % 2 else ops[2:] + ops[:2]
        instruction = {
            'timestamp': 1000,
            'duration': 1500,
            'opcode': 'MATMUL',
            'subgroup': 'nc0',
            'label': 'pe',
        }
        write(f'neuron/rank{rank}.json', json.dumps({'instruction': [instruction], 'cc_ops': ops}))
    rows = table('job_collectives', 'neuron')
    check_same(
        {(r['elements_in'], r['dtype'], r['size'], r['seen'], r['valid']) for r in rows},
        {('64', 'bf16', '2', '2', 'true')},
        'rows',
    )
    check_same(
        Counter((r['last'], r['late_ns']) for r in rows),
        Counter(
            {
                ('0', '1000'): 1,
                ('1', '500'): 1,
                ('1', '100'): 1,
                ('2', '1000'): 1,
                ('3', '500'): 1,
                ('3', '100'): 1,
            }
        ),
        'last',
    )


# -- Real jobs, and what others reckoned of them
# ---------------------------------------------------------------


def waits_of(durations, step):
    """Told and all collectives, (last, waited us) of ranks, and the code, of durations in us by
    collective and rank."""
    n = len(durations[0])
    last, waited, told = [0] * n, [0] * n, 0
    for of in durations:
        short = min(of)
        if max(of) > 2 * short and max(of) - short > 50:
            told += 1
            last[of.index(short)] += 1
            waited[of.index(short)] += sum(of) - n * short
    few = next(k for k in range(n + 1) if 2 * sum(sorted(waited)[n - k :]) >= sum(waited))
    if not sum(waited) or sum(waited) < n * step / 10:
        code = ''
    else:
        code = 'straggler' if few <= 3 and few < max(2, n - 1) else 'imbalance'
    return told, list(zip(last, waited)), code


@test
def who_is_waited_for(_folder):
    """Random durations of collectives that end together, on clocks that differ, beside a plain look
    at them. Sends and receives are one where PyTorch annotates an all-to-all around their launch,
    and wait for nobody else.
    """
    rng, codes = random.Random(8), Counter()
    for model in range(24):
        n, step = rng.randrange(2, 7), 20000
        slow, even = rng.sample(range(n), rng.randrange(1, n + 1)), model % 3 == 0
        exchanges, annotated = model % 4 in (1, 2), model % 4 == 1
        kernel = 'SendRecv' if exchanges else 'AllReduce_Sum_bf16_RING_LL'
        durations = []
        for k in range(8 if even else rng.randrange(1, 9)):
            late = k % n if even else rng.choice(slow)
            shortest = rng.randrange(20, 400)
            # No two are shortest, for which of them was last is not told then.
            durations.append(
                [
                    shortest if r == late else shortest + rng.randrange(1400 if even else 1, 1500)
                    for r in range(n)
                ]
            )
        for rank in range(n):
            events = [
                {
                    'ph': 'X',
                    'cat': 'user_annotation',
                    'name': 'ProfilerStep#1',
                    'ts': 1000 * rank,
                    'dur': step,
                    'pid': 9,
                    'tid': 9,
                }
            ]
            for k, of in enumerate(durations):
                end, common = 1000 * rank + 2100 * (k + 1), {'pid': 0, 'tid': 20}
                if annotated:
                    events.append(
                        {
                            'ph': 'X',
                            'cat': 'user_annotation',
                            'name': 'nccl:all_to_all',
                            'ts': end - of[rank] - 6,
                            'dur': 4,
                            'pid': 9,
                            'tid': 9,
                        }
                    )
                events.append(
                    {
                        'ph': 'X',
                        'cat': 'cuda_runtime',
                        'name': 'cudaLaunchKernel',
                        'ts': end - of[rank] - 5,
                        'dur': 2,
                        'pid': 9,
                        'tid': 9,
                        'args': {'correlation': k + 1},
                    }
                )
                events.append(
                    {
                        'ph': 'X',
                        'cat': 'kernel',
                        'name': f'ncclDevKernel_{kernel}(ncclDevComm*)',
                        'ts': end - of[rank],
                        'dur': of[rank],
                        'args': {'device': 0, 'stream': 20, 'correlation': k + 1},
                        **common,
                    }
                )
            write(
                f'r{rank}.json',
                json.dumps(
                    {'traceEvents': events, 'distributedInfo': {'rank': rank, 'world_size': n}}
                ),
            )
        found = tables(
            *(f'r{rank}.json' for rank in range(n)),
            names=('job', 'ranks', 'stragglers'),
            out=f'out{model}',
        )
        (one,) = found['job']
        told, of_ranks, code = waits_of(durations, step)
        if exchanges and not annotated:
            told, of_ranks, code = 0, [(0, 0)] * n, ''
        check_same(
            (int(one['waited_in']), int(one['collectives']), one['code']),
            (told, len(durations), code),
            f'{model}: {durations}',
        )
        check_same(
            [(int(r['last']), float(r['waited_ns']) / 1000) for r in found['ranks']],
            of_ranks,
            f'{model}: ranks',
        )
        if code:
            waited = [time for _, time in of_ranks]
            check(
                one['late'] == f'rank {waited.index(max(waited))}: cause unknown'
                or found['stragglers'],
                f'{model}: {code}, late: {one["late"]}',
            )
        codes[code] += 1
    check(min(codes[c] for c in ('', 'straggler', 'imbalance')) > 1, codes)


@test
def the_first_collective_has_a_last_rank_without_a_cause(_folder):
    """What came before the capture is unknown. Its ends agree, so 3 % of the step is no noise, far
    below twice the shortest as it is."""
    for late, expected in ((5000, 'rank 1: cause unknown'), (2000, 'nobody')):
        for rank in range(2):
            took = 70000 + late * (1 - rank)
            events = [
                {
                    'ph': 'X',
                    'cat': 'kernel',
                    'name': 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)',
                    'ts': start,
                    'dur': dur,
                    'pid': 0,
                    'tid': 20,
                    'args': {'device': 0, 'stream': 20},
                }
                for start, dur in ((90000 - took, took), (95000, 3000 + rank))
            ]
            info = {'rank': rank, 'world_size': 2}
            write(f'r{rank}.json', json.dumps({'traceEvents': events, 'distributedInfo': info}))
        (job,) = table('job', 'r0.json', 'r1.json')
        check_same((job['late'], job['waited_in']), (expected, '0'), late)


def real(*names):
    paths = [os.path.join(REAL, name) for name in names]
    if not REAL or not all(os.path.exists(path) for path in paths):
        raise Skip('NPROF_RANKS_REAL names no folder that has it')
    return paths


@test
def real_megatron(_folder):
    found = tables(
        *real(*(f'megatron_kineto_{i}.json' for i in range(8))),
        names=('job_collectives', 'ranks', 'clocks'),
    )
    check_same(
        Counter(r['last'] for r in found['job_collectives']),
        Counter({'0': 32, '6': 28, '3': 15, '1': 4, '2': 4, '5': 1}),
        'last ranks',
    )
    check_same({r['offset_ns'] for r in found['clocks']}, {'0'}, 'offsets')
    busy = [round(100 * float(r['busy_ns']) / float(r['span_ns']), 1) for r in found['ranks']]
    check_same(busy, [62.6, 98.8, 89.2, 96.8, 99.5, 98.7, 65.6, 98.2], 'busy')
    talks = [
        round(100 * float(r['communication_ns']) / float(r['span_ns']), 1) for r in found['ranks']
    ]
    check_same(talks, [40.5, 77.5, 67.7, 75.5, 78.5, 77.8, 43.5, 77.1], 'communication')


@test
def real_ranks_merged_into_one_file(_folder):
    found = tables(*real('merged_all_events.json.gz'), names=('job_collectives', 'ranks'))
    check_same(
        Counter(r['last'] for r in found['job_collectives']), Counter({'3': 21}), 'last ranks'
    )
    check_same([r['rank'] for r in found['ranks']], ['0', '1', '2', '3'], 'ranks')
    busy = [round(100 * float(r['busy_ns']) / float(r['span_ns']), 1) for r in found['ranks']]
    check_same(busy, [65.1, 63.3, 64.9, 35.5], 'busy')


main()
