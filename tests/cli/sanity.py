# SPDX-License-Identifier: Apache-2.0
"""sanity.py - the analyzer sanity: each rule on a trace that breaks it alone, and on its
counter-example; the time of the devices is that of the rows which are left, reckoned from the
events by a plain union of intervals."""

import csv
import io
import json

from harness import check, check_same, main, run, test, write

LOOP = 40  # kernels
EVERY = 100  # us from launch to launch
LENGTH = 60  # us


def launch(at, correlation, name='cudaLaunchKernel', tid=1, dur=4):
    return {
        'ph': 'X',
        'name': name,
        'cat': 'cuda_runtime',
        'pid': 1,
        'tid': tid,
        'ts': at,
        'dur': dur,
        'args': {'correlation': correlation} if correlation else {},
    }


def kernel(at, correlation, dur=LENGTH, name='gemm', stream=7):
    return {
        'ph': 'X',
        'name': name,
        'cat': 'kernel',
        'pid': 0,
        'tid': stream,
        'ts': at,
        'dur': dur,
        'args': {'device': 0, 'stream': stream, 'correlation': correlation},
    }


def loop(n=LOOP):
    """n launches, each with its kernel 10 us later"""
    return [launch(1000 + EVERY * i, i + 1) for i in range(n)], [
        kernel(1010 + EVERY * i, i + 1) for i in range(n)
    ]


def table(path, name, *options):
    done = run(
        'run', '-a', 'sanity', '-a', 'device', '-s', f'csv:table={name}', '-o', '-', *options, path
    ).expect(0)
    return list(csv.DictReader(io.StringIO(done.out)))


def found(events, *options):
    path = write('trace.json', json.dumps({'traceEvents': events}))
    return [
        (row['rule'], int(row['rows']), int(row['left_out']), row['unknown'])
        for row in table(path, 'sanity', *options)
    ]


def busy(kernels):
    """ns in which one of them runs"""
    total = until = 0
    for start, end in sorted((k['ts'], k['ts'] + k['dur']) for k in kernels):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total * 1000


def device(events):
    path = write('trace.json', json.dumps({'traceEvents': events}))
    return [int(float(row['busy_ns'])) for row in table(path, 'devices')]


@test
def sound(_folder):
    calls, kernels = loop()
    check_same(found(calls + kernels), [], 'nothing is found where all is sound')


@test
def duplicates(_folder):
    calls, kernels = loop()
    events = calls + kernels + kernels[3:9]
    for jobs in '1', '4':
        check_same(
            found(events, '-j', jobs), [('duplicates', 6, 6, '')], f'six rows again, {jobs} threads'
        )
    check_same(device(events), [busy(kernels)], 'they are counted once')
    marks = [kernel(9000, 0, dur=0, name=f'mark {i}') for i in range(2)]
    check_same(found(calls + kernels + marks), [], 'marks of no length with other names')


@test
def other_clock(_folder):
    calls, kernels = loop()
    early = [dict(k, ts=k['ts'] - 10**9) for k in kernels[:3]]
    events = calls + early + kernels[3:]
    check_same(found(events), [('other_clock', 3, 3, '')], 'three kernels 1,000 s early')
    check_same(device(events), [busy(kernels[3:])], 'they are left out')
    alone = [dict(kernel(5 * 10**9, 0), args={'device': 0, 'stream': 7})]
    check_same(
        found(calls + kernels + alone),
        [('other_clock', 1, 1, '')],
        'one without a launch, far behind the host',
    )


@test
def clocks(_folder):
    calls, kernels = loop()
    early = [dict(k, ts=k['ts'] - 11) for k in kernels[:3]]
    check_same(
        found(calls + early + kernels[3:]),
        [('before_launch', 3, 0, '')],
        'three kernels 1 us before their launch',
    )
    early = [dict(k, ts=k['ts'] - 41) for k in kernels[: LOOP // 2]]
    check_same(
        found(calls + early + kernels[LOOP // 2 :]),
        [('clocks_differ', LOOP // 2, 0, 'cause, path, delay')],
        'half of them',
    )
    early = [dict(k, ts=k['ts'] - 2000) for k in kernels[5:7]]
    check_same(
        found(calls + kernels[:5] + early + kernels[7:]),
        [
            ('clocks_differ', 2, 0, 'cause, path, delay'),
        ],
        'a clock that drifts',
    )


@test
def runs_over(_folder):
    calls, kernels = loop()
    over = [kernel(1010, 1, dur=EVERY * 20)]
    events = calls + over + kernels[1:]
    check_same(found(events), [('runs_over', 1, 0, '')], 'one over nineteen others')
    check_same(
        device(events),
        [busy([kernel(1010, 1, dur=EVERY)] + kernels[1:])],
        'it is cut at the next row',
    )
    nccl = [kernel(1010, 1, dur=EVERY * 20, name='ncclDevKernel_AllReduce')]
    check_same(found(calls + nccl + kernels[1:]), [], 'communication may')
    hip = [dict(c, name='hipLaunchKernel') for c in calls]
    check_same(found(hip + over + kernels[1:]), [], 'queues of HIP are no order')
    wide = [dict(k, dur=EVERY + 5) for k in kernels]
    check_same(found(calls + wide), [('stream_overlap', LOOP - 1, 0, '')], 'each overlaps the next')
    check_same(device(calls + wide), [busy(wide)], 'nothing is cut then')


@test
def ids(_folder):
    calls, kernels = loop()
    twice = [launch(1050, 1), launch(1150, 2)]
    check_same(
        found(calls + twice + kernels), [('correlation_twice', 2, 0, '')], 'two ids of two launches'
    )
    driver = [dict(launch(1001, 1, 'cuLaunchKernel', dur=2), cat='cuda_driver')]
    check_same(found(calls + driver + kernels), [], "a driver's call within the runtime's")
    shared = [kernel(1075 + EVERY * i, i + 1, dur=5) for i in range(4)]
    check_same(
        found(calls + kernels + shared),
        [('correlation_shared', 8, 0, 'operator')],
        'four launches of two kernels',
    )
    graphs = [dict(c, name='cudaGraphLaunch') for c in calls]
    check_same(found(graphs + kernels + shared), [], 'a graph launches many')


@test
def lost(_folder):
    calls, kernels = loop()
    check_same(
        found(calls), [('no_kernels', LOOP, 0, 'device, step, busy, cause, path')], 'launches alone'
    )
    check_same(
        found(calls + kernels[:10] + kernels[16:]),
        [('lost_kernels', 6, 0, 'busy')],
        'six lack theirs',
    )
    check_same(found(calls + kernels[:30]), [], 'those at the end are on their way')
    graphs = [launch(1050 + EVERY * i, 100 + i, 'cudaGraphLaunch') for i in range(4)]
    check_same(
        found(calls + kernels + graphs),
        [('graphs_opaque', 4, 0, 'device, busy, cause, path')],
        'graphs without kernels',
    )
    capture = [
        launch(900, 0, 'cudaStreamBeginCapture'),
        *calls,
        launch(9000, 0, 'cudaStreamEndCapture'),
    ]
    check_same(found(capture), [], 'captured launches start nothing')
    check_same(
        found(capture + [launch(9010, 99)]),
        [('no_kernels', 1, 0, 'device, step, busy, cause, path')],
        'one behind the capture',
    )


@test
def edges_of_the_rules(_folder):
    """Both sides of a twentieth of the launches, a hundredth of the rows, a fiftieth of the
    launches and half of the graphs."""
    calls, kernels = loop(200)
    for n, unknown in ((10, ''), (11, 'operator')):
        twice = [launch(1050 + EVERY * i, i + 1) for i in range(n)]
        check_same(
            found(calls + twice + kernels),
            [('correlation_twice', n, 0, unknown)],
            f'{n} of {200 + n} launches',
        )
    for n, rows in ((1, []), (2, [('correlation_shared', 4, 0, '')])):
        shared = [kernel(1075 + EVERY * i, i + 1, dur=5) for i in range(n)]
        check_same(found(calls + kernels + shared), rows, f'{n} launches of two kernels')
    calls, kernels = loop(400)
    for n, rows in ((8, []), (9, [('lost_kernels', 9, 0, 'busy')])):
        check_same(found(calls + kernels[:10] + kernels[10 + n :]), rows, f'{n} of 400 are lost')
    calls, kernels = loop(40)
    for lost, opaque in ((1, False), (2, True)):
        graphs = [dict(c, name='cudaGraphLaunch') for c in calls[:4]]
        left = [k for k in kernels if k['args']['correlation'] > lost]
        rules = [rule for rule, *_ in found(graphs + calls[4:] + left)]
        check_same('graphs_opaque' in rules, opaque, f'{lost} of 4 graphs have no kernels')


@test
def edges_of_clocks(_folder):
    """Both sides of a second before the launch, of half of four rows, and of half of all rows ten
    minutes behind the host."""
    calls, kernels = loop(100)
    for ahead, rule in ((1_000_000, 'clocks_differ'), (1_000_001, 'other_clock')):
        early = [dict(k, ts=k['ts'] - 10 - ahead) for k in kernels[:5]]
        rules = [rule for rule, *_ in found(calls + early + kernels[5:])]
        check_same(rules, [rule], f'{ahead} us')
    for n, rule in ((3, 'before_launch'), (4, 'clocks_differ')):
        calls, kernels = loop(n)
        early = [dict(k, ts=k['ts'] - 11) for k in kernels[:2]]
        check_same([r for r, *_ in found(calls + early + kernels[2:])], [rule], f'2 of {n}')
    calls, kernels = loop(3)
    for n, rule in ((2, 'other_clock'), (3, 'clocks_differ')):
        alone = [
            dict(kernel(10**9 + 100 * i, 0), args={'device': 0, 'stream': 7}) for i in range(n)
        ]
        check_same([r for r, *_ in found(calls + kernels + alone)], [rule], f'{n} of {3 + n}')


@test
def edges_of_rows_that_run_over_others(_folder):
    """Three whole rows, ten times the median of the name, a twentieth of the rows, and more than
    twenty of them."""
    calls, kernels = loop(40)

    def rules(*first, rest=kernels):
        return [rule for rule, *_ in found(calls + list(first) + rest[len(first) :])]

    for covered, expected in ((2, []), (3, ['runs_over'])):
        over = kernel(1010, 1, dur=EVERY * covered + LENGTH, name='alone')
        check_same(rules(over), expected, f'over {covered} rows')
    for dur, expected in ((10 * LENGTH - 1, []), (10 * LENGTH, ['runs_over'])):
        check_same(rules(kernel(1010, 1, dur=dur)), expected, f'{dur} us of {LENGTH}')
    over = kernel(1010, 1, dur=EVERY * 3 + LENGTH, name='alone')
    wide = [dict(k, dur=EVERY + 5) for k in kernels[5:8]]
    for n, expected in ((2, ['runs_over']), (3, ['stream_overlap'])):
        rest = kernels[:5] + wide[:n] + kernels[5 + n :]
        check_same(rules(over, rest=rest), expected, f'{n} others of 40 overlap')
    for n, expected in ((20, []), (21, ['stream_overlap'])):
        calls, kernels = loop(n)
        wide = [dict(k, dur=EVERY + 5) for k in kernels]
        check_same([r for r, *_ in found(calls + wide)], expected, f'{n} rows')


@test
def edges_of_lost_kernels(_folder):
    """More than five."""
    calls, kernels = loop(60)
    for n, expected in ((5, []), (6, ['lost_kernels'])):
        left = kernels[:10] + kernels[10 + n :]
        check_same([r for r, *_ in found(calls + left)], expected, f'{n} of 60')


@test
def merged(_folder):
    """Each step on two threads at one time, and each id of two launches."""

    def rules(step_tid=2, later=0, ids=0):
        events = []
        for tid in 1, 2:
            calls, kernels = loop(10)
            second = tid - 1
            for event in [*calls, *kernels]:
                event['args'] = dict(
                    event['args'], correlation=event['args']['correlation'] + ids * second
                )
            events += [dict(c, tid=tid, ts=c['ts'] + tid) for c in calls] + [
                dict(k, tid=tid, ts=k['ts'] + tid, args=dict(k['args'], stream=tid))
                for k in kernels
            ]
            events += [
                {
                    'ph': 'X',
                    'name': f'ProfilerStep#{i}',
                    'cat': 'user_annotation',
                    'pid': 1,
                    'tid': step_tid if second else 1,
                    'ts': 1000 + 500 * i + later * second,
                    'dur': 500,
                }
                for i in range(2)
            ]
        return found(events)

    check_same(rules(), [('merged_ranks', 2, 0, 'step, cause, operator')], 'merged')
    for what, others in (
        ('on one thread', rules(step_tid=1)),
        ('one behind the other', rules(later=1000)),
        ('ids of their own', rules(ids=100)),
    ):
        check('merged_ranks' not in [rule for rule, *_ in others], f'{what}: {others}')


def of_ranks(ranks, told):
    """One loop a rank, of one pid on host and device and with the same ids, 7 us apart and 5 us
    longer from rank to rank; `told`: metadata says the rank too."""
    calls, kernels = loop(10)
    events, busy_of = [], []
    for i, rank in enumerate(ranks):
        of = {'rank': rank}
        for pid, label in (1, 'CPU'), (0, 'GPU 0'):
            for name, args in (
                ('process_name', {'name': 'python'}),
                ('process_labels', {'labels': label}),
            ):
                events.append(
                    {
                        'ph': 'M',
                        'name': name,
                        'pid': pid,
                        'tid': 0,
                        'args': args | (of if told else {}),
                    }
                )
        ran = [
            dict(k, ts=k['ts'] + 7 * i, dur=LENGTH + 5 * i, args=k['args'] | of) for k in kernels
        ]
        events += ran + [dict(c, ts=c['ts'] + 7 * i, args=c['args'] | of) for c in calls]
        busy_of.append(busy(ran))
    return events, busy_of


@test
def ranks_of_one_pid(_folder):
    """The file is parted by args.rank: a device a rank, and no id of two launches."""
    for ranks in (0, 1), (7, 3, 12):
        events, busy_of = of_ranks(ranks, told=True)
        for jobs in '1', '4':
            check_same(
                found(events, '-j', jobs, '-d', 'chrome:part=1'),
                [('merged_ranks', len(ranks), 0, '')],
                f'{ranks}, {jobs} threads',
            )
        check_same(sorted(device(events)), sorted(busy_of), f'a device a rank: {ranks}')
    events, busy_of = of_ranks((0, 1), told=True)
    strange = [dict(kernel(5000, 0), args={'device': 0, 'stream': 7, 'rank': 5})]
    check_same(
        sorted(device(events + strange)), sorted([*busy_of, busy(strange)]), 'a rank of no metadata'
    )
    path = write('trace.json', json.dumps({'traceEvents': events + strange}))
    pids = {row['process'] for row in table(path, 'tracks') if row['kind'] == 'device'}
    check(any(pid.endswith('rank 1') for pid in pids), pids)
    check(not any('rank 5' in pid for pid in pids), pids)
    events, busy_of = of_ranks((4,), told=True)
    check_same((found(events), device(events)), ([], busy_of), 'one rank is no merge')
    check_same(len(device(of_ranks((0, 1), told=False)[0])), 1, 'metadata must say the ranks')


@test
def a_limit_of_the_writer(_folder):
    """Exactly n million rows; one row less or more is a number as any other."""
    one = '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}'
    work = json.dumps(kernel(1010, 1))
    for more, expected in ((-1, []), (0, [(1_000_000, 0)]), (1, [])):
        path = write('trace.json', f'{{"traceEvents":[{work}{("," + one) * (999_999 + more)}]}}')
        seen = [
            (int(row['rows']), int(row['left_out']))
            for row in table(path, 'sanity')
            if row['rule'] == 'row_limit'
        ]
        check_same(seen, expected, f'{1_000_000 + more} rows')


def frame(at, dur, tid=1, name='step'):
    return {
        'ph': 'X',
        'name': name,
        'cat': 'python_function',
        'pid': 1,
        'tid': tid,
        'ts': at,
        'dur': dur,
        'args': {},
    }


def outliving(frames):
    """Frames that end more than 1 ms after the one around their start, which is cut itself."""
    count = 0
    for thread in {f['tid'] for f in frames}:
        open_ = []
        for start, end in sorted(
            ((f['ts'], f['ts'] + f['dur']) for f in frames if f['tid'] == thread),
            key=lambda one: (one[0], -one[1]),
        ):
            open_ = [until for until in open_ if until > start]
            caller = open_[-1] if open_ else end
            count += end - caller > 1000
            open_.append(min(end, caller))
    return count


@test
def frames_that_outlive_their_caller(_folder):
    calls, kernels = loop()
    cases = {
        'a frame runs on to the end of the file': [frame(100, 900), frame(200, 9000)],
        'its callees end with it': [frame(100, 900), frame(200, 9000), frame(300, 9500)],
        'later frames of the caller are none of it': [
            frame(100, 900),
            frame(200, 9000),
            frame(400, 100),
            frame(1100, 50),
        ],
        'an end that was rounded': [frame(100, 900), frame(200, 1800)],
        'by the least that counts': [frame(100, 900), frame(200, 1800.001)],
        'one without a caller': [frame(100, 9000)],
        'the callee starts at once and comes first': [frame(100, 50), frame(100, 5000)],
        'a frame of another thread': [frame(100, 900), frame(200, 9000, tid=2)],
        'two of two threads': [
            frame(100, 900, tid=1),
            frame(200, 9000, tid=1),
            frame(100, 900, tid=2),
            frame(150, 9000, tid=2),
        ],
    }
    fired = 0
    for what, frames in cases.items():
        n = outliving(frames)
        fired += n > 0
        check_same(
            found(calls + kernels + frames), [('frames_outlive', n, 0, '')] if n else [], what
        )
    check_same(fired, 5, 'cases that fire')
    others = [dict(f, cat='cpu_op') for f in cases['a frame runs on to the end of the file']]
    check_same(found(calls + kernels + others), [], 'operators are no frames')


@test
def first_screen(_folder):
    calls, kernels = loop()
    path = write('trace.json', json.dumps({'traceEvents': calls + kernels + kernels[:2]}))
    check_same(
        'rows of the device that are in the file twice: 2; counted once'
        in run('report', path).expect(0).out,
        True,
        'the sentence',
    )
    path = write('trace.json', json.dumps({'traceEvents': calls}))
    shown = run('report', path).expect(0).out
    check_same(
        ('launches: 40, kernels: none' in shown, 'ProfilerActivity.CUDA' in shown),
        (True, False),
        'kernels were asked for',
    )


main()
