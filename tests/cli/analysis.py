# SPDX-License-Identifier: Apache-2.0
"""analysis.py - the analyzers device and mfu on public traces, against what other tools found in
them (the folder golden beside the data), with any number of threads and rows a batch; and on random
traces, beside a plain calculation."""

import csv
import glob
import io
import json
import math
import os
import random

from harness import Skip, add_test, check, check_same, main, run, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden')


def need(path):
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    return path


def table(analyzer, name, path):
    result = run('run', '-a', analyzer, '-s', f'csv:table={name}', '-o', '-', path)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def ps(text):
    whole, _, rest = text.partition('.')
    return int(whole) * 1000 + int((rest + '000')[:3])


def test_duty(_folder):
    """xprof's duty cycle of each TPU, to the picosecond."""
    data = need(os.path.join(DATA, 'xplane', 'tpu_v6e_inference.xplane.pb'))
    with open(
        need(os.path.join(GOLDEN, 'xplane_reference', 'tpu_v6e_inference.json')), encoding='utf-8'
    ) as file:
        cores = json.load(file)['cores']
    rows = {r['device']: r for r in table('device', 'devices', data)}
    check_same(sorted(rows), sorted(cores), 'devices')
    for name, core in cores.items():
        check_same(ps(rows[name]['busy_ns']), core['duty_busy_ps'], f'busy of {name}')
        check_same(ps(rows[name]['span_ns']), core['duty_total_ps'], f'span of {name}')


def golden_times(path):
    """{gpu: {type: ns}}, rounded: the tool computes in doubles."""
    times = {}
    with open(need(path), encoding='utf-8') as file:
        for row in csv.DictReader(file):
            gpu = times.setdefault(row.get('gpu_pid'), {})
            gpu[row['type']] = round(float(row['time ms']) * 1e6)
    return times


def check_times(row, golden, tolerance):
    for column, kind in (
        ('span_ns', 'total_time'),
        ('busy_ns', 'busy_time'),
        ('idle_ns', 'idle_time'),
        ('compute_ns', 'computation_time'),
    ):
        check(
            abs(float(row[column]) - golden[kind]) <= tolerance,
            f'{column} {row[column]}, {kind} {golden[kind]}',
        )


def test_gpu(_folder):
    data = need(os.path.join(DATA, 'xplane', 'gpu_mi300_conv_minimal_legacy.xplane.pb'))
    golden = golden_times(os.path.join(GOLDEN, 'tracelens_jax_conv_minimal', 'gpu_timeline.csv'))
    rows = {r['device']: r for r in table('device', 'devices', data)}
    for pid, device in (('8', '/device:GPU:7'), ('1', '/device:GPU:0')):
        check_times(rows[device], golden[pid], 0)
    check_same(
        round(float(rows['/device:GPU:0']['copy_ns'])), golden['1']['exposed_memcpy_time'], 'memcpy'
    )


def test_kineto(_folder):
    """Linked work alone where the tool counts that alone; 60 ns are its own rounding."""
    found = sorted(glob.glob(os.path.join(DATA, 'json', 'tracelens_tests_traces_*.json.gz')))
    check(found or not DATA, 'the traces are not there')
    for data in found or [need('')]:
        name = os.path.basename(data).replace('tracelens_tests_traces_', '').replace('.json.gz', '')
        golden = golden_times(
            os.path.join(GOLDEN, 'tracelens', f'{name}_perf_report_csvs_gpu_timeline.csv')
        )[None]
        linked, all_work = table('device', 'linked', data), table('device', 'devices', data)
        check_same(len(all_work), 1, 'devices')
        check_times((linked or all_work)[0], golden, 60)
        memory = float(linked[0]['exposed_copy_ns'] if linked else all_work[0]['copy_ns'])
        check(abs(memory - golden['exposed_memcpy_time']) <= 60, f'{name}: exposed memory {memory}')


def test_no_more_than_all(_folder):
    """Utilisation of a real device is no more than 1. Starts of asynchronous copies take 2 ns and
    move megabytes: what they used cannot be told."""
    data = need(os.path.join(DATA, 'xplane', 'tpu_v6e_inference.xplane.pb'))
    rows = table('mfu', 'mfu', data)
    for row in rows:
        for key in ('mfu', 'hfu', 'mbu'):
            check(
                not row[key] or 0 <= float(row[key]) <= 1, f'{key} of {row["operator"]}: {row[key]}'
            )
    starts = [row for row in rows if row['operator'].startswith('copy-start')]
    check(
        starts and all(row['bytes'] and not row['mbu'] for row in starts),
        f'copy-start: {starts[:1]}',
    )


def test_same(_folder):
    """Batches of one row and several threads change nothing."""
    for name in (
        'xplane/tpu_v6e_inference.xplane.pb',
        'json/hta_nccl_parser_config_nccl_data.json.gz',
    ):
        data = need(os.path.join(DATA, name))
        outs = []
        for jobs, rows in (('1', '4096'), ('3', '7')):
            result = run(
                'run',
                '-j',
                jobs,
                '-a',
                'device',
                '-a',
                'mfu',
                '-s',
                'text:format=json',
                '-o',
                '-',
                data,
                env={'NPROF_BATCH_ROWS': rows},
            )
            result.expect(0)
            outs.append(result.out)
        check_same(outs[0], outs[1], name)


# -- Beside a plain calculation
# --------------------------------------------------------------------------


def random_trace(rng, nested):
    """A Kineto trace of two GPUs in whole ns: copies with bytes and kernels, some launched and some
    not, and steps of the host; nested: work of one stream overlaps, which that of real ones does
    not."""
    events = [
        {'ph': 'M', 'name': 'process_labels', 'pid': gpu, 'args': {'labels': f'GPU {gpu}'}}
        for gpu in (0, 1)
    ]
    events += [
        {
            'ph': 'M',
            'name': 'thread_name',
            'pid': gpu,
            'tid': tid,
            'args': {'name': f'stream {tid}'},
        }
        for gpu in (0, 1)
        for tid in (7, 20)
    ]

    def span(category, name, pid, tid, start, duration, **args):
        events.append(
            {
                'ph': 'X',
                'cat': category,
                'name': name,
                'pid': pid,
                'tid': tid,
                'ts': start / 1000,
                'dur': duration / 1000,
                'args': args,
            }
        )

    until = {}
    for i in range(300):
        gpu, tid, duration = rng.randrange(2), rng.choice((7, 20)), rng.randrange(1, 2000)
        start = (
            rng.randrange(100_000) if nested else until.get((gpu, tid), 1000) + rng.randrange(1000)
        )
        until[gpu, tid] = start + duration
        if rng.random() < 0.5:
            span(
                'gpu_memcpy',
                'Memcpy HtoD',
                gpu,
                tid,
                start,
                duration,
                bytes=rng.randrange(1 << 20),
                correlation=i,
            )
        else:
            span('kernel', 'gemm', gpu, tid, start, duration, correlation=i)
        if rng.random() < 0.8:
            span(
                'cuda_runtime',
                'cudaLaunchKernel',
                99,
                1,
                max(0, start - 1 - rng.randrange(500)),
                100,
                correlation=i,
            )
    at = 0
    for step in range(rng.randrange(2, 9)):
        duration = rng.randrange(5_000, 15_000)
        span('user_annotation', f'ProfilerStep#{step}', 99, 1, at, duration)
        at += duration
    return {'schemaVersion': 1, 'traceEvents': events}


def union(spans):
    total, until = 0, None
    for start, end in sorted(spans):
        total += max(0, end - max(start, until if until is not None else start))
        until = end if until is None else max(until, end)
    return total


def ns(event):
    start = round(event['ts'] * 1000)
    return start, start + round(event['dur'] * 1000)


def test_dma(_folder):
    """Transfers of each queue: number, bytes, union of their time."""
    for seed in range(20):
        trace = random_trace(random.Random(seed), nested=True)
        path = write(f'dma-{seed}.json', json.dumps(trace))
        queues = {}
        for event in trace['traceEvents']:
            if event.get('cat') == 'gpu_memcpy':
                queues.setdefault((f'GPU {event["pid"]}', f'stream {event["tid"]}'), []).append(
                    event
                )
        expected = {
            key: (len(copies), sum(e['args']['bytes'] for e in copies), union(map(ns, copies)))
            for key, copies in queues.items()
        }
        rows = {(r['device'], r['queue']): r for r in table('device', 'dma', path)}
        check_same(
            {
                key: (int(r['calls']), int(r['bytes']), ps(r['busy_ns']) // 1000)
                for key, r in rows.items()
            },
            expected,
            f'seed {seed}',
        )
        for key, (n, size, busy) in expected.items():
            for column, value in (('mean_bytes', size / n), ('throughput', size / busy * 1e9)):
                check(
                    math.isclose(float(rows[key][column]), value),
                    f'seed {seed}: {column} {rows[key][column]}, {value}',
                )


def test_linked(_folder):
    """Returns rows, busy and idle time of work whose launch is in the file, by a grid of
    nanoseconds."""
    for seed in range(20):
        trace = random_trace(random.Random(seed), nested=False)
        path = write(f'linked-{seed}.json', json.dumps(trace))
        launches = {
            e['args']['correlation'] for e in trace['traceEvents'] if e.get('cat') == 'cuda_runtime'
        } - {0}
        for row in table('device', 'linked', path):
            work = [
                e
                for e in trace['traceEvents']
                if e.get('cat') in ('gpu_memcpy', 'kernel') and f'GPU {e["pid"]}' == row['device']
            ]
            linked = [e for e in work if e['args']['correlation'] in launches]
            times = [ns(e) for e in linked]
            span, busy = max(e for _, e in times) - min(s for s, _ in times), union(times)
            check_same(
                [int(row['rows']), int(row['linked'])],
                [len(work), len(linked)],
                f'seed {seed}: rows',
            )
            check_same(
                [ps(row[c]) // 1000 for c in ('span_ns', 'busy_ns', 'idle_ns')],
                [span, busy, span - busy],
                f'seed {seed}: {row["device"]}',
            )


def test_equal_spans(_folder):
    """The first of equal spans in the file holds the others, group after group of them."""
    spans = [
        (name, 20 * at)
        for at in range(4)
        for name in (f'outer {at}', f'middle {at}', f'inner {at}')[: 3 - at % 2]
    ]
    path = write(
        'equal.json',
        json.dumps(
            [
                {'ph': 'X', 'cat': 'cpu_op', 'name': name, 'pid': 9, 'tid': 9, 'ts': ts, 'dur': 10}
                for name, ts in spans
            ]
        ),
    )
    found = {
        row['operator']: int(row['self_ns'].partition('.')[0])
        for row in table('operators', 'operators', path)
        if row['level'] == 'framework'
    }
    innermost = {f'inner {at}' if at % 2 == 0 else f'middle {at}' for at in range(4)}
    check_same(found, {name: 10000 * (name in innermost) for name, _ in spans}, 'self times')


def quantile(sorted_values, share):
    at = share * (len(sorted_values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(sorted_values) - 1)
    return sorted_values[low] + (sorted_values[high] - sorted_values[low]) * (at - low)


def work_and_launches(trace):
    """Per event that is work: (start, end, GPU, category, start of its launch or None), in ns."""
    events = [e for e in trace['traceEvents'] if e['ph'] == 'X']
    launches = {
        e['args']['correlation']: ns(e)[0]
        for e in events
        if e['cat'] == 'cuda_runtime' and e['args']['correlation']
    }  # 0 is none
    return [
        (*ns(e), e['pid'], e['cat'], launches.get(e['args']['correlation']))
        for e in events
        if e['cat'] in ('kernel', 'gpu_memcpy')
    ]


def windows(trace):
    """(start, end, work of the step) of each step, as nprof-analyzer-steps(7) says."""
    work = work_and_launches(trace)
    steps = [ns(e) for e in trace['traceEvents'] if e['name'].startswith('ProfilerStep')]
    mine = [[w for w in work if w[4] is not None and s <= w[4] < e] for s, e in steps]
    first = min((w[0] for w in mine[0]), default=-1)
    others = [w for w in work if not any(w in m for m in mine)]
    before = max([w[1] for w in others if w[1] <= first], default=0)
    found = []
    for (start, end), rows in zip(steps, mine):
        start = max(start, before)
        before = max([end, start] + [w[1] for w in rows])
        found.append((start, before, rows))
    return found


def breakdown(trace, gpu, start, end):
    """compute, exposed copies, and idle time by cause of a window, moment by moment."""
    work = [w for w in work_and_launches(trace) if w[2] == gpu and w[1] > w[0]]
    kinds = {}
    for s, e, _, category, _ in work:
        for at in range(max(s, start), min(e, end)):
            kinds.setdefault(at, set()).add(category)
    found = dict.fromkeys(('compute', 'copy', 'host', 'launch', 'wait', 'unlinked'), 0)
    idle_since = None
    for at in range(start, end):
        if at in kinds:
            found['compute' if 'kernel' in kinds[at] else 'copy'] += 1
            idle_since = None
            continue
        idle_since = at if idle_since is None else idle_since
        following = min((w[0] for w in work if w[0] > at), default=None)
        launches = [w[4] for w in work if w[0] == following]
        known = [launch for launch in launches if launch is not None]
        if following is None:
            cause = 'host'
        elif not known:
            cause = 'unlinked'
        else:
            cause = 'wait' if min(known) <= idle_since else 'host' if at < min(known) else 'launch'
        found[cause] += 1
    return found


def with_late_hosts(trace, late):
    """The clock of the hosts is so many ns ahead of that of the GPUs: work begins before its
    launch."""
    events = [
        {**e, 'ts': e['ts'] + late / 1000}
        if e.get('cat') in ('cuda_runtime', 'user_annotation')
        else e
        for e in trace['traceEvents']
    ]
    return {**trace, 'traceEvents': events}


def test_breakdown(_folder):
    """Each step on each GPU against counting moment by moment; the rows of idle_causes add up to
    its idle time."""
    for seed, late in enumerate((0, 0, 700, 40_000)):
        trace = with_late_hosts(random_trace(random.Random(seed), nested=seed % 2 == 1), late)
        path = write(f'breakdown-{seed}.json', json.dumps(trace))
        causes = table('steps', 'idle_causes', path)
        rows = {(r['device'], r['step']): r for r in table('steps', 'step_breakdown', path)}
        for k, (start, end, mine) in enumerate(windows(trace)):
            for gpu in (0, 1):
                row, found = rows[f'GPU {gpu}', f'ProfilerStep#{k}'], breakdown(
                    trace, gpu, start, end
                )
                said = {
                    'compute': row['compute_ns'],
                    'copy': row['exposed_copy_ns'],
                    **{
                        cause: row[f'idle_{cause}_ns']
                        for cause in ('host', 'launch', 'wait', 'unlinked')
                    },
                }
                check_same(
                    {key: float(value) for key, value in said.items()},
                    found,
                    f'seed {seed} step {k} GPU {gpu}',
                )
                check_same(float(row['window_ns']), end - start, f'seed {seed} step {k}: window')
                check_same(
                    int(row['rows']), sum(w[2] == gpu for w in mine), f'seed {seed} step {k}: rows'
                )
                idle = [
                    float(c['duration_ns'])
                    for c in causes
                    if (c['device'], c['step']) == (row['device'], row['step'])
                ]
                check_same(sum(idle), float(row['idle_ns']), f'seed {seed} step {k}: causes')


def test_late_launches(_folder):
    """An id says what launched a row, whatever the clocks say: tables of launched work do not
    change."""
    trace = random_trace(random.Random(11), nested=False)
    one = write('one.json', json.dumps(trace))
    linked = 0
    for late in (900, 5_000_000):
        path = write('late.json', json.dumps(with_late_hosts(trace, late)))
        for analyzer, name, columns in (
            (
                'operators',
                'operators_linked',
                'device,queue,launcher,operator,linked,calls,total_ns',
            ),
            ('samples', 'samples', 'device,by,steps,rows,duration_ns,unlinked_rows,unlinked_ns'),
            ('samples', 'kernel_steps', 'device,step,kernel,operator,duration_ns'),
            ('steps', 'step_breakdown', 'device,step,rows,launched_ns'),
            ('steps', 'launches', 'device,track,launches,call_ns,operation_ns,unlinked'),
            ('critical', 'critical', 'step,process,unlinked'),
        ):
            rows = [
                [[row[key] for key in columns.split(',')] for row in table(analyzer, name, p)]
                for p in (one, path)
            ]
            linked += len(rows[0])
            if (
                name == 'critical'
            ):  # counts of windows, which lie elsewhere: here only that all is linked as before
                check_same(len(rows[1]), len(rows[0]), 'critical')
                continue
            check_same(sorted(rows[1]), sorted(rows[0]), f'{name}, {late} ns late')
        ends = [r['cause'] for r in table('device:gap=0', 'gaps', path) if r['cause'] == 'unlinked']
        check_same(
            len(ends),
            len([r for r in table('device:gap=0', 'gaps', one) if r['cause'] == 'unlinked']),
            'gaps',
        )
    check(linked > 20, linked)


def test_which_gaps_have_a_row(_folder):
    """Those of 10 us, in a run shorter than 2 ms those of 0.5 % of it; gap= says it of any run."""

    def gaps(length, *pauses, option=''):
        starts = [sum(pauses[:i]) + i for i in range(len(pauses) + 1)] + [length - 1]
        events = [
            {
                'ph': 'X',
                'cat': 'kernel',
                'name': 'k',
                'pid': 0,
                'tid': 7,
                'ts': ts,
                'dur': 1,
                'args': {'device': 0, 'stream': 7},
            }
            for ts in starts
        ]
        rows = table(
            'device' + option, 'gaps', write('g.json', json.dumps({'traceEvents': events}))
        )
        return sorted(ps(r['duration_ns']) // 1_000_000 for r in rows if r['start_ns'])

    check_same(gaps(1000, 4, 5, 900), [5, 86, 900], 'of 1 ms: from 5 us on')
    check_same(gaps(10000, 9, 10, 900), [10, 900, 9076], 'of 10 ms: from 10 us on')
    check_same(gaps(1000, 4, 5, 900, option=':gap=10000'), [86, 900], 'as asked')
    check_same(gaps(10000, 9, 10, 900, option=':gap=0'), [9, 10, 900, 9076], 'all')


def test_causes_of_idle_queues(_folder):
    """Of gaps before work that was launched earlier, those shorter than 30 us are the queue's
    own."""
    events = []
    for k, (call, start) in enumerate(
        ((0, 10), (1, 49.999), (2, 89.999), (91, 120), (3, 160))
    ):  # each works for 10 us
        events += [
            {
                'ph': 'X',
                'cat': 'cuda_runtime',
                'name': 'cudaLaunchKernel',
                'pid': 99,
                'tid': 1,
                'ts': call,
                'dur': 0.5,
                'args': {'correlation': k + 1},
            },
            {
                'ph': 'X',
                'cat': 'kernel',
                'name': 'k',
                'pid': 0,
                'tid': 7,
                'ts': start,
                'dur': 10,
                'args': {'device': 0, 'stream': 7, 'correlation': k + 1},
            },
        ]
    rows = table('steps', 'queue_idle', write('queue.json', json.dumps({'traceEvents': events})))
    # 20 to 49.999, 59.999 to 89.999, 99.999 to 120 and 130 to 160
    check_same(
        {r['cause']: (int(r['gaps']), ps(r['duration_ns'])) for r in rows},
        {'kernel_wait': (2, 50_000_000), 'other': (2, 60_000_000)},
        'causes',
    )


def test_selected_steps(_folder):
    """A selection shows fewer steps, and says the same of those that it shows."""
    trace = random_trace(random.Random(5), nested=True)
    path = write('selected.json', json.dumps(trace))

    def lines(name, *selection):
        out = (
            run('run', '-a', 'steps', '-s', f'csv:table={name}', '-o', '-', *selection, path)
            .expect(0)
            .out
        )
        return out.splitlines()[1:]

    for name in ('step_breakdown', 'idle_causes'):
        whole = lines(name)
        of_gpu = [line for line in whole if ',GPU 1,' in line]
        check(len(whole) > len(of_gpu) > 0, whole)
        check_same(lines(name, '--track', '*GPU 1*'), of_gpu, f'{name} of a GPU')
        some = lines(name, '--where', 'step=1')
        check(some and set(some) < set(whole), f'{name} of a step')
    causes = {r['cause'] for r in table('device:gap=0', 'gaps', path)}
    out = (
        run(
            'run',
            '-a',
            'device:gap=0',
            '-s',
            'csv:table=gaps',
            '-o',
            '-',
            '--track',
            '*GPU 1*',
            path,
        )
        .expect(0)
        .out
    )
    check_same({r['cause'] for r in csv.DictReader(io.StringIO(out))}, causes, 'causes')
    whole = [r for r in table('device:gap=0', 'gaps', path) if r['device'] == 'GPU 1']
    check_same([dict(r) for r in csv.DictReader(io.StringIO(out))], whole, 'gaps of a GPU')


def test_steps_of_work(_folder):
    """Work is of the step of its launch; without one of that in whose time it runs. --step goes by
    that."""
    for seed in range(4):
        trace = random_trace(random.Random(seed), nested=seed % 2 == 1)
        path = write(f'steps-of-{seed}.json', json.dumps(trace))
        steps = [ns(e) for e in trace['traceEvents'] if e['name'].startswith('ProfilerStep')]
        expected = []
        for start, end, gpu, category, launch in work_and_launches(trace):
            at = start if launch is None else launch
            number = [str(k) for k, (s, e) in enumerate(steps) if s <= at < e]
            expected.append(
                (start, end - start, f'GPU {gpu}', category, number[0] if number else '')
            )
        for jobs in ('1', '2'):
            out = (
                run(
                    'run',
                    '-s',
                    'csv:table=events',
                    '-o',
                    '-',
                    '-j',
                    jobs,
                    '-d',
                    'chrome:part=4k',
                    path,
                )
                .expect(0)
                .out
            )
            found = [
                (
                    float(r['start_ns']),
                    float(r['duration_ns']),
                    r['process'],
                    r['category'],
                    r['step'],
                )
                for r in csv.DictReader(io.StringIO(out))
                if r['category'] in ('kernel', 'gpu_memcpy')
            ]
            check_same(sorted(found), sorted(expected), f'seed {seed} -j {jobs}')
        whole = table('steps', 'step_breakdown', path)
        out = (
            run(
                'run',
                '-a',
                'steps',
                '-s',
                'csv:table=step_breakdown',
                '-o',
                '-',
                '--step',
                '1',
                path,
            )
            .expect(0)
            .out
        )
        check_same(
            list(csv.DictReader(io.StringIO(out))),
            [r for r in whole if r['step'] == 'ProfilerStep#1'],
            f'seed {seed}: --step 1',
        )


def periods(trace, gpu):
    """Lengths of the periods of steps on a device, as nprof-analyzer-steps(7) says, but those over
    three medians where they are few; [] where no two steps have work there."""
    reach = []
    for _, _, rows in windows(trace):
        mine = [w for w in rows if w[2] == gpu]
        lasting = [w for w in mine if w[3] == 'kernel'] or mine
        if lasting:
            reach.append((min(w[0] for w in lasting), max(w[1] for w in lasting)))
    starts, ends = ([r[i] for r in reach] for i in (0, 1))

    def rise(times):
        return all(b > a for a, b in zip(times, times[1:]))

    if not rise(ends) and len(reach) > 2 and rise(starts):
        found = [b - a for a, b in zip(starts, starts[1:])]
    else:
        latest = [max(ends[: i + 1]) for i in range(len(ends))]
        found = [end - before for before, end in zip(latest, ends[1:]) if end > before]
    longest = 3 * quantile(sorted(found), 0.5) if found else 0
    kept = [length for length in found if length <= longest]
    few = 5 * (len(found) - len(kept)) <= len(found) and len(kept) >= 3
    return sorted(kept if few else found)


def test_step_times(_folder):
    """Of steps of a host the periods of each device."""
    seen = 0
    for seed in range(20):
        trace = random_trace(random.Random(seed), nested=False)
        path = write(f'steps-{seed}.json', json.dumps(trace))
        rows = {row['device']: row for row in table('steps', 'step_times', path)}
        for gpu in (0, 1):
            kept, row = periods(trace, gpu), rows.get(f'GPU {gpu}')
            if not kept:
                check(row is None, f'seed {seed}: {rows}')
                continue
            seen += 1
            check_same([int(row['steps']), int(row['cut'])], [len(kept), 0], f'seed {seed}: steps')
            for column, value in (
                ('min_ns', kept[0]),
                ('max_ns', kept[-1]),
                ('mean_ns', sum(kept) / len(kept)),
                ('median_ns', quantile(kept, 0.5)),
                ('p90_ns', quantile(kept, 0.9)),
                ('p97_ns', quantile(kept, 0.97)),
                ('p99_ns', quantile(kept, 0.99)),
            ):
                check(
                    abs(float(row[column]) - value) <= 0.001,
                    f'seed {seed}: {column} {row[column]}, {value}',
                )
    check(seen > 20, f'{seen} devices with periods')


def test_step_times_of_a_host_alone(_folder):
    """Steps that the profile cut are left out: the first or last, if shorter than half of the
    median."""
    for lengths, kept in (((40, 100, 110, 90), (90, 100, 110)), ((60, 100, 110), (60, 100, 110))):
        events, at = [], 0
        for number, length in enumerate(lengths):
            name = f'ProfilerStep#{number}'
            step = {'ph': 'X', 'cat': 'user_annotation', 'name': name, 'pid': 1, 'tid': 1}
            events.append({**step, 'ts': at, 'dur': length})
            at += length
        path = write('host.json', json.dumps({'traceEvents': events}))
        (row,) = table('steps', 'step_times', path)
        check_same([int(row['steps']), int(row['cut'])], [3, len(lengths) - 3], 'steps')
        found = [float(row[c]) / 1000 for c in ('min_ns', 'median_ns', 'max_ns')]
        check_same(found, sorted(kept), 'times')


def test_members_of_inputs(_folder):
    """Members that were seen are told input by input, names that both have too."""
    paths = []
    for name in ('a', 'b'):
        events = [
            {'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'in', 'ts': 0, 'dur': 5},
            {
                'ph': 'X',
                'pid': 1,
                'tid': 1,
                'name': 'fused_1',
                'ts': 10,
                'dur': 9,
                'args': {'fused': 'in, out'},
            },
        ]
        paths.append(write(f'{name}.json', json.dumps({'traceEvents': events})))
    result = run('run', '-a', 'fusion', '-s', 'csv:table=fusion_members', '-o', '-', *paths)
    result.expect(0)
    seen = [(r['input'], r['member'], r['seen']) for r in csv.DictReader(io.StringIO(result.out))]
    check_same(
        seen,
        [
            (f'{name}.json', member, said)
            for name in ('a', 'b')
            for member, said in (('in', 'yes'), ('out', 'no'))
        ],
        'members',
    )


add_test('duty', test_duty)
add_test('members-of-inputs', test_members_of_inputs)
add_test('dma', test_dma)
add_test('linked', test_linked)
add_test('equal-spans', test_equal_spans)
add_test('step-times', test_step_times)
add_test('step-times-of-a-host-alone', test_step_times_of_a_host_alone)
add_test('breakdown', test_breakdown)
add_test('late-launches', test_late_launches)
add_test('selected-steps', test_selected_steps)
add_test('which-gaps-have-a-row', test_which_gaps_have_a_row)
add_test('causes-of-idle-queues', test_causes_of_idle_queues)
add_test('steps-of-work', test_steps_of_work)
add_test('gpu', test_gpu)
add_test('kineto', test_kineto)
add_test('no-more-than-all', test_no_more_than_all)
add_test('same', test_same)
main()
