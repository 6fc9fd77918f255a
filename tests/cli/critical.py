# SPDX-License-Identifier: Apache-2.0
"""critical.py - the analyzer critical: the path of made and real traces beside a plain restatement
of its rule, beside what another implementation found (the folder golden beside the data), and what
must hold of any path."""

import csv
import glob
import json
import os
import random
import sys
import tempfile

import xspace
from harness import Skip, add_test, check, check_same, main, run, test, write

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'analyses')
QUEUES = os.path.join(DATA, '..', 'golden', 'conclusions', 'queue')
GROUPS = ('host', 'launch', 'compute', 'communication', 'copy', 'queue', 'unknown', 'unrecorded')
WORK = ('compute', 'communication', 'copy')


def ps(text):
    return int(text) if text else None


def cell(value):
    if value is None:
        return ''
    return str(value).lower() if isinstance(value, bool) else str(value)


def tables(folder, path, options='', before=()):
    """The tables by name, times in ps as texts; the segments of paths, which are many, as they are,
    and by window."""
    out = os.path.join(tempfile.mkdtemp(dir=folder), 'out.json')
    analyzers = [word for name in before for word in ('-a', name)]
    wanted = 'critical+bound+critical_path?+what_if?+step_breakdown?'
    run(
        'run',
        *analyzers,
        '-a',
        f'critical:{options}' if options else 'critical',
        '-s',
        f'text:format=json,top=0,tables={wanted}',
        '-o',
        out,
        path,
    ).expect(0)
    found = {name: [] for name in wanted.replace('?', '').split('+')}
    with open(out, encoding='utf-8') as file:
        for made_table in json.load(file)['tables']:
            names = [name.replace('_ps', '_ns') for name in made_table['columns']]
            many = made_table['name'] == 'critical_path'
            found[made_table['name']] = [
                dict(zip(names, row if many else map(cell, row))) for row in made_table['rows']
            ]
    found['segments'] = {}
    for part in found['critical_path']:
        window = cell(part['step']), cell(part['process'])
        found['segments'].setdefault(window, []).append(part)
    return found


def made(folder, events):
    return write(os.path.join(folder, 'made.json'), json.dumps({'traceEvents': events}))


def segments(found, row):
    return found['segments'].get((row['step'], row['process']), [])


# -- What holds of any path
# ----------------------------------------------------------------------------------


def check_path(found, row, where):
    """Its segments follow each other and sum to the window, and the groups are theirs; those of a
    core of TPU say what it did."""
    parts, at, sums = segments(found, row), ps(row['start_ns']), dict.fromkeys(GROUPS, 0)
    group = {
        'host_op': 'host',
        'host_api': 'host',
        'host_gap': 'host',
        'sync_return': 'host',
        'sync_other': 'host',
        'queue_gap': 'queue',
        'wait_gap': 'queue',
    }
    for i, part in enumerate(parts):
        if (part['position'], part['start_ns']) != (i, at):
            check_same((part['position'], part['start_ns']), (i, at), f'{where}: segment {i}')
        at += part['duration_ns']
        sums[group.get(part['class'], part['class'])] += part['duration_ns']
    check_same(at, ps(row['start_ns']) + ps(row['duration_ns']), f'{where}: end of the path')
    groups = {g: ps(row[g + '_ns']) for g in GROUPS}
    check_same(sum(sums.values()), sum(groups.values()), f'{where}: sum of groups')
    if not row['host_raw_ns']:
        return  # a core, whose groups are what it was seen to do
    raw = ps(row['host_raw_ns'])
    check_same(sums['host'] + sums['launch'], raw, f'{where}: hosts and launches on the path')
    covered = raw - groups['host'] - groups['launch']
    check_same(
        sum(groups[g] - sums[g] for g in WORK), covered, f'{where}: what work covers of them'
    )
    check(all(groups[g] >= sums[g] for g in WORK), f'{where}: {groups}, of {sums}')
    check_same([groups[g] for g in GROUPS[5:]], [sums[g] for g in GROUPS[5:]], f'{where}: groups')


def check_gains(found, where):
    for row in found['what_if']:
        gain, most, bound = ps(row['gain_ns']), ps(row['critical_ns']), ps(row['bound_ns'])
        check(0 <= gain <= most, f'{where}: gain of {row}')
        check(most <= ps(row['total_ns']), f'{where}: {row}')
        check_same(bound, most if row['factor'] == '0' else most // 2, f'{where}: bound of {row}')


def check_verdict(row, bound, where):
    if bound['verdict'] == 'unknown':
        check_same(
            (bound['share'], bound['second'], bound['share_of']),
            ('', '', ''),
            f'{where}: shares of an unknown verdict',
        )
        return
    if '; its path is' in bound['evidence']:  # judged by what the device did
        check_same(bound['share_of'], 'device time', f'{where}: what the share is of')
        return
    if ' launches, median' in bound['evidence'] or row['process'].startswith(
        '/device:TPU'
    ):  # which have none
        check_same(
            bound['share_of'],
            'device time' if row['process'].startswith('/device:TPU') else 'critical path',
            f'{where}: what the share of "{bound["evidence"]}" is of',
        )
    parts = sorted((ps(row[g + '_ns']) for g in GROUPS[:-2]), reverse=True)
    base, left = ps(row['duration_ns']), ps(row['unrecorded_ns'])
    base -= left if 10 * left >= base else 0
    share = (
        ps(row['host_ns'])
        if (bound['verdict'], bound['second']) == ('input', 'compute')
        else parts[0]
    )
    check_same(f'{float(bound["share"]):.9f}', f'{share / base:.9f}', f'{where}: share')
    name = {'input': 'host', 'memory-bandwidth': 'compute'}.get(bound['verdict'], bound['verdict'])
    if name not in ('mixed', 'launch') and share == parts[0]:
        check(2 * ps(row[name + '_ns']) >= base, f'{where}: {bound}')


def check_all(found, where):
    check_same(
        [(r['step'], r['process']) for r in found['critical']],
        [(r['step'], r['process']) for r in found['bound']],
        f'{where}: rows',
    )
    for row, bound in zip(found['critical'], found['bound']):
        if segments(found, row):
            check_path(found, row, where)
            check_verdict(row, bound, where)
    check_gains(found, where)


def check_windows(found, where):
    """The windows are those of the analyzer steps, and complete where any step is."""
    steps = {(r['step'], ps(r['start_ns'])): r for r in found['step_breakdown']}
    complete = any(r['cut'] == 'false' for r in found['step_breakdown'])
    for row in found['critical']:
        other = steps[row['step'], ps(row['start_ns'])]
        check_same(
            ps(row['duration_ns']), ps(other['window_ns']), f'{where}: window of {row["step"]}'
        )
        check(other['cut'] == 'false' or not complete, f'{where}: {row["step"]} was cut')


# Traces of which it does not hold, and why.
NO_IDLE = {
    'hta_triton_example_triton_example.json.gz': 'the step and the launch are of two processes',
}


def check_idle(found, where):
    """A host on the path while the device idles takes no longer than the device idles, where one
    device alone works in the window."""
    idle = {}
    for r in found['step_breakdown']:
        idle.setdefault((r['step'], ps(r['start_ns'])), []).append(ps(r['idle_ns']))
    for row in found['critical']:
        of_devices = idle[row['step'], ps(row['start_ns'])]
        if len(of_devices) > 1 or of_devices[0] is None or not row['host_raw_ns']:
            continue
        exposed = ps(row['host_ns']) + ps(row['launch_ns'])
        check(exposed <= of_devices[0], f'{where}: {row["step"]}: {exposed} of {of_devices[0]}')


def real(path):
    def body(folder):
        found = tables(folder, path, before=('steps',))
        check_all(found, path)
        check_windows(found, path)
        if os.path.basename(path) not in NO_IDLE:
            check_idle(found, path)

    return body


# -- What others found
# ------------------------------------------------------------------------------------------


def golden_trace(key):
    name, _, rest = key.partition(' ')
    file, _, window = rest.partition(' ')
    if name.endswith('.json'):
        return os.path.join(GOLDEN, name), 'window=recording'
    path = os.path.join(DATA, 'json', file)
    if not window:
        return path, 'window=recording'
    if window.startswith('ProfilerStep'):
        return path, 'window=launches'
    return (
        path,
        'window=launches,annotation=' + window.strip('[]').partition('@')[0].rpartition(']')[0],
    )


def of_path(found, number):
    """The parts of path number N: annotations of one name are told apart by their order."""
    at, parts = -1, []
    for part in found['critical_path']:
        at += part['position'] == 0
        parts += [part] if at == number else []
    return parts


def by_class(found, number):
    sums = {}
    for part in of_path(found, number):
        name = {'copy': 'memory'}.get(part['class'], part['class'])
        sums[name] = sums.get(name, 0) + ps(part['duration_ns'])
    return sums


def times_by_name(parts, group, short):
    """The time of each span of that class whose name begins so; goldens cut names."""
    sums = {}
    for part in parts:
        if part['class'] == group and (part['name'] or '')[:70] == short:
            sums[part['name']] = sums.get(part['name'], 0) + ps(part['duration_ns'])
    return list(sums.values())


def check_golden(key, want):
    def body(folder):
        path, options = golden_trace(key)
        if not os.path.exists(path):
            raise Skip('NPROF_TEST_DATA names no folder that has it')
        found = tables(folder, path, f'steps=0,what_if=400,{options}')
        number = int(key.partition('@')[2] or 0)
        row = found['critical'][number]
        check_same(ps(row['duration_ns']), want['window_ps'], 'window')
        check_same(by_class(found, number), want['by_class'], 'classes')
        parts = of_path(found, number)
        check_same(sum(part['count'] for part in parts), want['segments'], 'segments')
        for group, name, sum_ps in want['top']:
            group = {'memory': 'copy'}.get(group, group)
            check(
                sum_ps in times_by_name(parts, group, name),
                f'{group} {name}: {times_by_name(parts, group, name)}, not {sum_ps}',
            )
        groups = want['groups_ps']
        check_same(
            ps(row['host_raw_ns']),
            groups['host'] + groups['launch'],
            'hosts and launches, covered ones too',
        )
        check_same(
            [ps(row[g + '_ns']) for g in ('queue', 'unknown', 'unrecorded')],
            [groups['queue'], groups['unknown'], 0],
            'groups',
        )
        check_same(row['verdict'] + '-bound', want['verdict'], 'verdict')
        rows = {r['operator']: r for r in found['what_if'] if r['factor'] == '0'}
        for name, gain in (want.get('whatif') or {}).items():
            same = [r for long, r in rows.items() if long[:70] == name]
            known = [(ps(r['total_ns']), ps(r['critical_ns']), ps(r['gain_ns'])) for r in same]
            check(
                (gain['total_ps'], gain['critical_ps'], gain['gain_if_free_ps']) in known,
                f'{name}: {known}, not {gain}',
            )

    return body


def check_queue(want):
    """Random queue models, whose paths another program walked."""

    def body(folder):
        (row,) = tables(folder, os.path.join(QUEUES, want['file']))['critical']
        found = [
            ps(row['duration_ns']),
            ps(row['host_ns']) + ps(row['launch_ns']),
            ps(row['host_raw_ns']),
            ps(row['compute_ns']),
            ps(row['copy_ns']),
            ps(row['queue_ns']),
            ps(row['unknown_ns']) + ps(row['unrecorded_ns']),
        ]
        check_same(
            found,
            [
                int(want[f'{name}_ps'])
                for name in (
                    'window',
                    'exposed_host',
                    'raw_host',
                    'compute',
                    'copy',
                    'queue',
                    'unknown',
                )
            ],
            'path',
        )

    return body


# -- A plain restatement
# ------------------------------------------------------------------------------------------

WAITS = {
    'cudaDeviceSynchronize': 'cuda_runtime',
    '$api.py:3105 block_until_ready': '',
}  # their categories


def plain_thread(spans):
    """Returns what a thread did, moment by moment: the innermost of properly nested spans; None:
    nothing."""
    moments = {}
    for span in sorted(spans, key=lambda s: (s['ts'], -s['dur'], s['n'])):
        for t in range(span['ts'], span['ts'] + span['dur']):
            moments[t] = span
    return moments


def plain_op(ops, calls, op):
    """(ready, why, what) of the work: what it waited for last."""
    waits = []
    before = [
        o
        for o in ops
        if o['tid'] == op['tid'] and (o['ts'], -o['dur'], o['n']) < (op['ts'], -op['dur'], op['n'])
    ]
    if before:
        last = max(before, key=lambda o: (o['ts'] + o['dur'], (o['ts'], -o['dur'], o['n'])))
        waits.append((min(last['ts'] + last['dur'], op['ts']), 2, last))
    call = calls.get(op['args']['correlation'])
    if call and call['ts'] <= op['ts']:
        waits.append((min(call['ts'] + call['dur'], op['ts']), 0, call))
    return max(waits, key=lambda w: w[:2]) if waits else None


def plain_path(events):
    """{group: us} of the only window, from the first work to the last."""
    host = [e for e in events if e['pid'] == 100]
    ops = [e for e in events if e['pid'] == 0]
    calls = {e['args']['correlation']: e for e in host if 'correlation' in e['args']}
    did = {t: plain_thread([e for e in host if e['tid'] == t]) for t in {e['tid'] for e in host}}
    start = min(o['ts'] for o in ops)
    at = max(o['ts'] + o['dur'] for o in ops)
    op = max(
        (o for o in ops if o['ts'] + o['dur'] == at), key=lambda o: (o['ts'], -o['dur'], o['n'])
    )
    sums, thread, skip = dict.fromkeys(GROUPS, 0), None, None
    kinds = {}  # moment: the class that works then; computing hides copies
    for o in sorted(ops, key=lambda o: o['cat'] == 'kernel'):
        kinds.update(
            dict.fromkeys(
                range(o['ts'], o['ts'] + o['dur']),
                'copy' if o['cat'] == 'gpu_memcpy' else 'compute',
            )
        )

    def spend(until, group):
        nonlocal at
        for moment in range(max(until, start), at):
            sums[kinds.get(moment, group) if group in ('host', 'launch') else group] += 1
        at = min(at, max(until, start))

    while at > start:
        if op is not None:
            spend(op['ts'], 'copy' if op['cat'] == 'gpu_memcpy' else 'compute')
            ready = plain_op(ops, calls, op)
            if ready is None:
                spend(start, 'unknown')
            elif ready[1] == 0:
                spend(ready[0], 'launch')
                thread, skip, op = ready[2]['tid'], ready[2], None
            else:
                spend(ready[0], 'queue')
                op = ready[2]
            continue
        span = did[thread].get(at - 1)
        if span is not None and span['name'] in WAITS and span is not skip:
            done = []
            for tid in {o['tid'] for o in ops}:
                mine = [o for o in ops if o['tid'] == tid and o['args']['correlation'] in calls]
                done += [o for o in mine if calls[o['args']['correlation']]['ts'] < span['ts']]
            done = [o for o in done if span['ts'] < o['ts'] + o['dur'] <= at]
            if done:
                last = max(done, key=lambda o: (o['ts'] + o['dur'], o['ts'], -o['dur'], o['n']))
                spend(last['ts'] + last['dur'], 'host')
                op = last
                continue
        if (
            span is None
        ):  # another thread may have handed over, at the last moment that it did something
            others = [
                (m + 1, t)
                for t in did
                if t != thread
                for m in did[t]
                if m < at and did[t].get(m + 1) is not did[t][m]
            ]  # where it ends
            own = max((m + 1 for m in did[thread] if m < at), default=0)
            last = max(others, default=(0, None))
            if last[0] > own:
                spend(last[0], 'host')
                thread, skip = last[1], None
                continue
        spend(at - 1, 'host')
    return sums


def waited_for(ops, calls, span):
    """The work of each queue that was launched before the call that blocks and ended last within
    it."""
    last = {}
    for op in (o for o in ops if o['args']['correlation'] in calls):
        end = op['ts'] + op['dur']
        if calls[op['args']['correlation']]['ts'] < span['ts'] < end <= span['ts'] + span['dur']:
            at = end, op['ts'], -op['dur'], op['n']
            last[op['tid']] = max(last.get(op['tid'], (at, op)), (at, op), key=lambda one: one[0])
    return [op for _, op in last.values()]


class Replay:
    """The recording once more, moment by moment: what has that name takes no time, each lag
    stays."""

    def __init__(self, events, name):
        self.name = name
        host = [e for e in events if e['pid'] == 100]
        self.ops = [e for e in events if e['pid'] == 0]
        self.calls = {e['args']['correlation']: e for e in host if 'correlation' in e['args']}
        self.did = {
            t: plain_thread([e for e in host if e['tid'] == t]) for t in {e['tid'] for e in host}
        }
        self.first = min(e['ts'] for e in events)
        self.of_thread, self.of_op = {}, {}

    def handed(self, tid, first, moment):
        """(moment, thread) of the last span of another thread that ended in the gap."""
        return max(
            (
                (m + 1, -t)
                for t in self.did
                if t != tid
                for m in self.did[t]
                if first <= m < moment and self.did[t].get(m + 1) is not self.did[t][m]
            ),
            default=None,
        )

    def thread(self, tid, moment):
        """When the thread comes to that moment."""
        if (tid, moment) not in self.of_thread:
            self.of_thread[tid, moment] = self.reach(tid, moment)
        return self.of_thread[tid, moment]

    def reach(self, tid, moment):
        if moment <= self.first:
            return moment
        span = self.did[tid].get(moment - 1)
        if span is None:
            first = max((m + 1 for m in self.did[tid] if m < moment), default=self.first)
            hand = self.handed(tid, first, moment)
            if not hand:
                return self.thread(tid, first) + moment - first
            return (
                max(self.thread(tid, first), self.thread(-hand[1], hand[0]))
                + moment
                - max(first, hand[0])
            )
        end = span['ts'] + span['dur']
        sources = (
            waited_for(self.ops, self.calls, span)
            if span['name'] in WAITS and moment == end
            else []
        )
        sources = [s for s in sources if s['ts'] + s['dur'] <= end]
        if sources:
            now = max([self.thread(tid, span['ts'])] + [self.op(s)[1] for s in sources])
            return now + end - max([span['ts']] + [s['ts'] + s['dur'] for s in sources])
        return self.thread(tid, moment - 1) + (span['name'] != self.name)

    def ready(self, op):
        """(as it was, as it is now) of all that the work waited for."""
        before = [
            o
            for o in self.ops
            if o['tid'] == op['tid']
            and (o['ts'], -o['dur'], o['n']) < (op['ts'], -op['dur'], op['n'])
        ]
        if before:
            last = max(before, key=lambda o: (o['ts'] + o['dur'], (o['ts'], -o['dur'], o['n'])))
            was = min(last['ts'] + last['dur'], op['ts'])
            yield was, max(self.op(last)[0], self.op(last)[1] - (last['ts'] + last['dur'] - was))
        call = self.calls.get(op['args']['correlation'])
        if call and call['ts'] <= op['ts']:
            was = min(call['ts'] + call['dur'], op['ts'])
            yield was, self.thread(call['tid'], call['ts']) + (was - call['ts']) * (
                call['name'] != self.name
            )

    def op(self, op):
        """(start, end) of the work now."""
        if op['n'] not in self.of_op:
            ready = list(self.ready(op))
            start = (
                max(now for _, now in ready) + op['ts'] - max(was for was, _ in ready)
                if ready
                else op['ts']
            )
            self.of_op[op['n']] = start, start + op['dur'] * (op['name'] != self.name)
        return self.of_op[op['n']]

    def end(self):
        return max(
            [self.op(o)[1] for o in self.ops]
            + [self.thread(t, max(m) + 1) for t, m in self.did.items() if m]
        )


def made_trace(rng, waits, early=0):
    """Threads that do one thing after the other, some of it launches; streams that run in order."""
    events, stream, correlation = [], {7: 0, 20: 0}, 0
    for tid in (1, 2)[: rng.randrange(1, 3)]:
        at = rng.randrange(5)
        for _ in range(rng.randrange(2, 9)):
            dur = rng.randrange(4, 14)
            events.append(
                {
                    'name': f'aten::o{rng.randrange(3)}',
                    'cat': 'cpu_op',
                    'ts': at,
                    'dur': dur,
                    'tid': tid,
                }
            )
            if rng.random() < 0.7:
                correlation += 1
                call = {
                    'name': 'cudaLaunchKernel',
                    'cat': 'cuda_runtime',
                    'ts': at + 1,
                    'dur': rng.randrange(1, 3),
                    'tid': tid,
                    'args': {'correlation': correlation},
                }
                queue = rng.choice((7, 20))
                begin = max(stream[queue] + rng.randrange(2), at + 2 + rng.randrange(5))
                if (
                    stream[queue] and rng.random() < early
                ):  # than its launch, or than the work before ends
                    begin = max(1, rng.randrange(stream[queue] - 3, stream[queue] + 1))
                length = rng.randrange(0 if early else 1, 12)
                stream[queue] = max(stream[queue], begin + length)
                events.append(call)
                cat = rng.choice(('kernel', 'kernel', 'gpu_memcpy'))
                events.append(
                    {
                        'name': f'k{rng.randrange(3)}',
                        'cat': cat,
                        'ts': begin,
                        'dur': length,
                        'pid': 0,
                        'tid': queue,
                        'args': {'device': 0, 'stream': queue, 'correlation': correlation},
                    }
                )
            at += dur + rng.randrange(4)
            if rng.random() < 0.2:
                end = max([at + 1] + list(stream.values()))
                events.append(
                    {
                        'name': waits,
                        'cat': WAITS[waits],
                        'ts': at,
                        'dur': end - at + 1,
                        'tid': tid,
                        'args': {},
                    }
                )
                at = end + 2
    for n, event in enumerate(events):
        event.update(
            {'ph': 'X', 'pid': event.get('pid', 100), 'n': n, 'args': event.get('args', {})}
        )
    return events


def has_ties(events):
    """Do two spans of a thread end, two launches begin, or two pieces of work of a queue, at one
    time? The rule is not told by such traces."""
    host = [e for e in events if e['pid'] == 100]
    ends = [(e['tid'], e['ts'] + e['dur']) for e in host]
    calls = [e['ts'] for e in host if e['args']]
    begins = [(e['tid'], e['ts']) for e in events if e['pid'] == 0]
    return any(len(set(some)) < len(some) for some in (ends, calls, begins))


@test
def random_traces(folder):
    rng, told = random.Random(5), 0
    for number in range(60):
        events = made_trace(rng, list(WAITS)[number % 2], early=0.3 * (number % 3))
        if has_ties(events) or not any(e['pid'] == 0 for e in events):
            continue
        path = made(folder, events)
        found = tables(folder, path)
        check_all(found, f'trace {number}')
        row = found['critical'][0]
        check_same(
            {g: ps(row[g + '_ns']) for g in GROUPS},
            {g: v * 10**6 for g, v in plain_path(events).items()},
            f'trace {number}: {events}',
        )
        told += 1
    check(told > 12, f'{told} traces')


def apart(events):
    """No two threads and queues do something at one time: nobody told what comes first then."""
    places = sorted({(e['pid'], e['tid']) for e in events})
    return [
        {**e, 'ts': 5 * e['ts'] + places.index((e['pid'], e['tid'])), 'dur': 5 * e['dur']}
        for e in events
    ]


@test
def gains_are_those_of_a_plain_replay(folder):
    rng, told = random.Random(6), 0
    sys.setrecursionlimit(100000)
    for number in range(60):
        events = made_trace(rng, list(WAITS)[number % 2], early=0.3 * (number % 3))
        if has_ties(events) or not any(e['pid'] == 0 for e in events):
            continue
        events = apart(events)
        found = tables(folder, made(folder, events), 'window=recording,what_if=99')
        check_all(found, f'trace {number}')
        end = Replay(events, None).end()
        check_same(end, max(e['ts'] + e['dur'] for e in events), 'nothing changes')
        for row in (r for r in found['what_if'] if r['factor'] == '0'):
            check_same(
                ps(row['gain_ns']),
                (end - Replay(events, row['operator']).end()) * 10**6,
                f'trace {number}, {row["operator"]}: {events}',
            )
            told += 1
    check(told > 60, f'{told} gains')


# -- Calls that block, and what is not in the file
# -------------------------------------------------------------------


def token_loop(gap, copies=5):
    """Kernels of 500 us in a loop that reads a token after each: a copy that blocks and runs `gap`
    us behind the kernel."""
    events, at = [], 0
    for n in range(copies):
        kernel, copy = launch(at, 'gemm', at + 4, 500, 2 * n + 1), at + 504 + gap
        events += [
            *kernel,
            span(
                'cudaMemcpyAsync', 'cuda_runtime', at + 2, copy + 4 - at - 2, correlation=2 * n + 2
            ),
            span(
                'Memcpy DtoH',
                'gpu_memcpy',
                copy,
                2,
                7,
                0,
                device=0,
                stream=7,
                bytes=8,
                correlation=2 * n + 2,
            ),
        ]
        at = copy + 10
    return events


@test
def a_copy_that_blocks_waits_for_the_kernel_before_it(folder):
    for gap in (0, 1, 5):
        found = tables(folder, made(folder, token_loop(gap)))
        check_all(found, f'{gap} us')
        row, bound = found['critical'][0], found['bound'][0]
        check_same(
            [ps(row[f'{g}_ns']) // 10**6 for g in ('compute', 'copy', 'queue')],
            [2500, 10, 5 * gap],
            f'{gap} us: groups',
        )
        check_same(bound['verdict'], 'compute', f'{gap} us: verdict')


@test
def a_host_that_runs_ahead_is_covered(folder):
    """It works 99 us of each 100, in which the device computes 90."""
    events = [span('aten::op', 'cpu_op', 100 * n, 99) for n in range(5)]
    events += [e for n in range(5) for e in launch(100 * n + 2, 'gemm', 100 * n + 5, 90, n + 1)]
    found = tables(folder, made(folder, events))
    check_all(found, 'ahead')
    (row,) = found['critical']
    check_same(
        [ps(row[f'{g}_ns']) // 10**6 for g in ('compute', 'host', 'launch', 'host_raw')],
        [450, 38, 2, 400],
        'groups',
    )


@test
def waits_that_nothing_recorded_explains(folder):
    """The second kernel was launched 4 ms before it begins, on a device that idles; then the same
    in a copy that blocks, which may take a while by itself: 1 ms, and its bytes at 1 GB/s."""

    def parts(*rows):
        found = tables(folder, made(folder, launch(0, 'gemm', 2, 1000, 1) + list(rows)))
        check_all(found, rows)
        (row,) = found['critical']
        return [ps(row[f'{g}_ns']) // 10**6 for g in ('unrecorded', 'host', 'queue')], found[
            'bound'
        ][0]['verdict']

    check_same(parts(*launch(5, 'k', 5002, 1000, 2)), ([4000, 0, 0], 'unknown'), 'queue')
    check_same(parts(*launch(5, 'k', 1902, 1000, 2)), ([0, 0, 900], 'compute'), 'a short one')
    check_same(
        parts(*launch(1100, 'k', 2202, 6000, 2)), ([1101, 99, 0], 'compute'), 'behind the call'
    )
    copy = lambda size: [
        span('cudaMemcpy', 'cuda_runtime', 1010, 3000, correlation=2),  # noqa: E731
        span(
            'Memcpy HtoD',
            'gpu_memcpy',
            4000,
            5,
            7,
            0,
            device=0,
            stream=7,
            bytes=size,
            correlation=2,
        ),
    ]
    beside = span('k2', 'kernel', 1500, 9, 8, 0, device=0, stream=8, correlation=0)
    check_same(
        parts(beside, *launch(5, 'k', 5002, 1000, 2))[0], [0, 0, 4000], 'other work ran meanwhile'
    )
    pinned = [
        span('cudaMemcpyAsync', 'cuda_runtime', 1010, 10, correlation=2),
        span('Memcpy HtoD', 'gpu_memcpy', 1500, 5, 7, 0, device=0, stream=7, correlation=2),
    ]
    check_same(parts(*pinned)[0], [0, 18, 0], 'a call that ends before its copy frees it there')
    check_same(parts(*copy(8))[0], [2990, 8, 0], 'a copy')
    check_same(parts(*copy(3000000))[0], [0, 2998, 0], 'a large copy')


@test
def calls_that_wait_for_nothing_that_is_recorded(folder):
    """A call of 3 ms that synchronises, and no work ends in it: unrecorded, unless other work ran
    meanwhile. A copy that begins behind its call was launched by it, however long that took."""
    step = [
        span('ProfilerStep#1', 'user_annotation', 0, 6000),
        *launch(0, 'gemm', 2, 100, 1),
        span('cudaStreamSynchronize', 'cuda_runtime', 200, 3000),
        span('aten::more', 'cpu_op', 3200, 2800),
    ]
    beside = span('k2', 'kernel', 500, 3500, 8, 0, device=0, stream=8, correlation=0)
    behind = [
        *launch(0, 'gemm', 2, 1000, 1),
        span('cudaMemcpyAsync', 'cuda_runtime', 1010, 3000, correlation=2),
        span('Memcpy HtoD', 'gpu_memcpy', 4020, 5, 7, 0, device=0, stream=7, correlation=2),
    ]
    for events, groups, what in (
        (step, (3000, 2900, 0), 'synchronises'),
        (step + [beside], (0, 2400, 0), 'beside other work'),
        (behind, (0, 3008, 10), 'launches'),
    ):
        found = tables(folder, made(folder, events))
        check_all(found, what)
        (row,) = found['critical']
        of = [ps(row[f'{g}_ns']) / 10**6 for g in ('unrecorded', 'host', 'launch')]
        check_same(of, list(groups), what)


@test
def an_event_that_came_too_late_was_not_waited_for(folder):
    """The third kernel began before what the event stands for had ended: it follows its launch."""
    events = launch(0, 'k1', 5, 10, 1) + launch(2, 'k2', 15, 30, 2)
    events += [
        span('cudaEventRecord', 'cuda_runtime', 4, 1, correlation=3),
        span('cudaStreamWaitEvent', 'cuda_runtime', 6, 1, correlation=4),
        span('cudaLaunchKernel', 'cuda_runtime', 10, 1, correlation=5),
    ]
    waits = {'wait_on_stream': 7, 'wait_on_cuda_event_record_corr_id': 3}
    of = {'device': 0, 'stream': 8}
    events.append(span('Stream Wait Event', 'cuda_sync', 7, 1, 8, 0, correlation=4, **of, **waits))
    for start, before in ((20, 'launch'), (45, 'compute')):
        third = span('k3', 'kernel', start, 40, 8, 0, correlation=5, **of)
        found = tables(folder, made(folder, events + [third]))
        check_all(found, before)
        check_same(found['critical_path'][-2]['class'], before, f'begins at {start} us')


@test
def frames_and_annotations_are_never_segments(folder):
    events = token_loop(5)
    plain = tables(folder, made(folder, events))
    told = events + [
        span('<built-in acquire>', 'python_function', 3, 10**7),
        span('forward', 'user_annotation', 0, 10**7),
    ]
    check_same(tables(folder, made(folder, told))['critical_path'], plain['critical_path'], 'path')


# -- Verdicts
# --------------------------------------------------------------------------------------------------------


def span(name, cat, start, dur, tid=1, pid=100, **args):
    return {
        'ph': 'X',
        'name': name,
        'cat': cat,
        'ts': start,
        'dur': dur,
        'pid': pid,
        'tid': tid,
        'args': args,
    }


def launch(start, name, at, dur, correlation, cat='kernel', call=1):
    return [
        span('cudaLaunchKernel', 'cuda_runtime', start, call, correlation=correlation),
        span(name, cat, at, dur, 7, 0, device=0, stream=7, correlation=correlation),
    ]


VERDICTS = {
    'compute': launch(0, 'gemm', 5, 90, 1) + launch(2, 'gemm', 95, 5, 2),
    'communication': launch(0, 'ncclDevKernel_AllReduce_Sum_f32', 5, 90, 1)
    + launch(2, 'gemm', 96, 4, 2),
    'copy': launch(0, 'Memcpy HtoD (Host -> Device)', 5, 90, 1, 'gpu_memcpy')
    + launch(2, 'gemm', 96, 4, 2),
    'host': [span('aten::slow', 'cpu_op', 0, 90)]
    + launch(1, 'k', 3, 2, 1)
    + launch(88, 'k', 92, 8, 2),
    'input': [
        span('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 'cpu_op', 3, 80),
        span('aten::stack', 'cpu_op', 5, 70),
    ]
    + launch(0, 'k', 1, 2, 1)
    + launch(88, 'k', 92, 8, 2),
    'launch': launch(0, 'k', 1, 3, 1) + launch(10, 'k', 95, 5, 2),
    'queue': launch(0, 'k', 2, 3, 1) + launch(2, 'k', 93, 7, 2),
    'mixed': launch(0, 'k', 2, 33, 1)
    + launch(1, 'ncclDevKernel_AllReduce', 35, 33, 2)
    + launch(2, 'Memcpy', 68, 32, 3, 'gpu_memcpy'),
    'unknown': [
        span('k', 'kernel', 0, 10, 7, 0, device=0, stream=7),
        span('k', 'kernel', 12, 10, 7, 0, device=0, stream=7),
    ],
}


@test
def the_loader_may_be_an_annotation(folder):
    """PyTorch's DataLoader is an operator in old traces and an annotation in new ones; other
    annotations are not looked at."""
    events = [
        {**e, 'cat': 'user_annotation'} if 'DataLoader' in e['name'] else e
        for e in VERDICTS['input']
    ]
    (verdict,) = tables(folder, made(folder, events), before=('steps',))['bound']
    check_same(verdict['verdict'], 'input', 'verdict')
    others = [{**e, 'name': 'forward'} if 'DataLoader' in e['name'] else e for e in events]
    (verdict,) = tables(folder, made(folder, others), before=('steps',))['bound']
    check_same(verdict['verdict'], 'host', 'verdict of others')


def check_verdict_of(verdict, events):
    def body(folder):
        path = made(folder, events)
        found = tables(folder, path, before=('steps',))
        check_all(found, verdict)
        check_same([r['verdict'] for r in found['bound']], [verdict], found['bound'])

    return body


@test
def no_verdict_without_launches(folder):
    path = made(folder, VERDICTS['unknown'])
    row = tables(folder, path, before=('steps',))['bound'][0]
    check('no launches in the file' in row['evidence'], row)


def stepped(lengths):
    """Steps of these lengths, in us, each with a kernel that fills most of it."""
    events, at = [], 0
    for n, length in enumerate(lengths):
        events.append(span(f'ProfilerStep#{n}', 'user_annotation', at, length))
        events += launch(at, 'gemm', at + 2, length - 3, n + 1)
        at += length
    return events


@test
def a_host_without_spans_is_not_blamed_for_what_the_device_took(folder):
    """It launched 97 us of work and then nothing is recorded of it until the step ends."""

    def verdict(*rows, before=('steps',)):
        events = (
            [span('ProfilerStep#1', 'user_annotation', 0, 100)]
            + launch(0, 'gemm', 2, 60, 1)
            + list(rows)
        )
        found = tables(folder, made(folder, events), before=before)
        check_all(found, rows)
        (row,) = found['bound']
        return row['verdict'], row['share'] and round(float(row['share']), 9)

    check_same(verdict(*launch(5, 'k', 62, 37, 2)), ('compute', 0.97), 'it may have waited')
    check_same(
        verdict(*launch(5, 'ncclDevKernel_AllReduce', 62, 37, 2)),
        ('compute', 0.6),
        'of which most computes',
    )
    check_same(
        verdict(span('forward', 'python_function', 6, 94), *launch(5, 'k', 62, 37, 2)),
        ('compute', 0.97),
        'a frame says nothing',
    )
    check_same(verdict(*launch(5, 'k', 62, 1, 2)), ('compute', 0.61), 'idle at the end')
    events = [span('ProfilerStep#1', 'user_annotation', 0, 100)] + launch(0, 'gemm', 2, 10, 1)
    (row,) = tables(folder, made(folder, events), before=('steps',))['bound']
    check_same(row['verdict'], 'host', 'the device idles as long as nothing is recorded')


@test
def of_what_was_ready_at_once_the_queue_comes_first(folder):
    """The second kernel begins when the first ends, and within its own call; the third waits for an
    event as well."""
    first = launch(0, 'k1', 5, 10, 1)
    second = launch(12, 'k2', 15, 20, 2, call=9)
    found = tables(folder, made(folder, first + second))
    check_all(found, 'queue and launch')
    check_same(
        [(s['class'], s['name']) for s in found['critical_path']],
        [('compute', 'k1'), ('compute', 'k2')],
        'queue, not launch',
    )
    event = [
        span('cudaEventRecord', 'cuda_runtime', 22, 1, correlation=3),
        span('cudaStreamWaitEvent', 'cuda_runtime', 24, 1, correlation=4),
        span(
            'Stream Wait Event',
            'cuda_sync',
            26,
            1,
            8,
            0,
            device=0,
            stream=8,
            correlation=4,
            wait_on_stream=7,
            wait_on_cuda_event_record_corr_id=3,
        ),
        span('cudaLaunchKernel', 'cuda_runtime', 30, 9, correlation=5),
        span('k3', 'kernel', 35, 5, 8, 0, device=0, stream=8, correlation=5),
    ]
    found = tables(folder, made(folder, first + second + event))
    check_all(found, 'event and launch')
    check_same(
        [(s['class'], s['name']) for s in found['critical_path']],
        [('compute', 'k1'), ('compute', 'k2'), ('compute', 'k3')],
        'event, not launch',
    )


@test
def launches_that_seem_later_tell_of_no_wait(folder):
    """The clock of the host is 500 us late: what devices did says what a step is, what they waited
    for is unknown."""
    for pause, verdict in ((1, 'compute'), (50, 'unknown')):
        events = [
            event
            for n in range(20)
            for event in launch(500 + n * (10 + pause), 'k', n * (10 + pause), 10, n + 1)
        ]
        found = tables(folder, made(folder, events))
        check_all(found, f'{pause} us between')
        row, bound = found['critical'][0], found['bound'][0]
        check_same(
            [ps(row[c]) // 10**6 for c in ('compute_ns', 'queue_ns', 'host_ns', 'launch_ns')],
            [200, 19 * pause, 0, 0],
            f'{pause} us between',
        )
        check_same(bound['verdict'], verdict, bound['evidence'])
        check('20 seem later than their work' in bound['evidence'], bound['evidence'])


@test
def the_slowest_the_median_and_the_first(folder):
    lengths = [80 + (7 * n) % 101 for n in range(100)]  # none is cut
    path = made(folder, stepped(lengths))
    order = sorted(range(100), key=lambda n: (lengths[n], n))
    want = sorted({order[-1], order[49]} | set(range(6)))
    found = tables(folder, path, 'steps=8', before=('steps',))
    check_same([r['step'] for r in found['bound']], [f'ProfilerStep#{n}' for n in want], 'steps')
    check_all(found, 'eight steps')
    check_windows(found, 'eight steps')
    every = tables(folder, path, 'steps=0')
    check_same(len(every['bound']), 100, 'all steps')
    total = sum(ps(row['duration_ns']) for row in every['critical'])
    check_same(
        {(row['of_steps'], ps(row['of_ns'])) for row in found['bound']},
        {('100', total)},
        'of how many',
    )


@test
def cut_steps_have_no_verdict(folder):
    for lengths, want in (([9, 100, 100, 100], [1, 2, 3]), ([100, 100, 9], [0, 1]), ([50], [0])):
        path = made(folder, stepped(lengths))
        found = tables(folder, path, before=('steps',))
        check_same(
            [r['step'] for r in found['bound']], [f'ProfilerStep#{n}' for n in want], lengths
        )


@test
def same_bytes_for_any_number_of_threads_and_rows(folder):
    rng = random.Random(9)
    path = made(folder, stepped([rng.randrange(9, 40) for _ in range(30)]))
    texts = set()
    for jobs, rows in (('1', '4096'), ('4', '1'), ('2', '7')):
        result = run(
            'run',
            '-j',
            jobs,
            '-a',
            'critical',
            '-s',
            'csv:table=critical_path',
            '-o',
            '-',
            path,
            env={'NPROF_BATCH_ROWS': rows},
        )
        texts.add(result.expect(0).out)
    check_same(len(texts), 1, 'texts')


# -- JAX
# ------------------------------------------------------------------------------------------------------

FRAME = '$api.py:3105 block_until_ready'
WAIT = (
    FRAME,
    '$<unknown> block_until_ready',
    '$<unknown> batched_block_until_ready',
    'ArrayImpl.block_until_ready',
    'TfrtCpuBuffer::BlockHostUntilReady',
    'PjRtStreamExecutorBuffer::Await',
    '$api.py:3165 try_to_block',
    'cuStreamSynchronize',
    'cudaStreamSynchronize',
    'hipStreamSynchronize',
    'cuCtxSynchronize',
    'hipDeviceSynchronize',
)
NO_WAIT = (
    '$mine.py:3 no_block_until_ready',
    '$mine.py:3 block_until_ready_or_not',
    '$mine.py:7 try_to_block',
    '$api.py:3105 device_put',
    'BufferSequencingEvent::ExecuteOrAddToFutureTasks',
    'block_until_ready',
    'customStreamSynchronize',
    '$mine.py:3 cuStreamSynchronize',
    'mine::cudaStreamSynchronize',
    'cuStreamSynchronizeLater',
    'cumulativeDeviceSynchronize',
    'hipster_DeviceSynchronize',
    'cuMemcpyHtoDAsync',
)


def jax(folder, *waits):
    """A long kernel, which a thread waits for in spans (name, start, duration), in us, and a short
    one behind it."""
    host, gpu = xspace.Plane(1, '/host:CPU'), xspace.Plane(2, '/device:GPU:0')
    for n, (call, start, duration) in enumerate(((0, 5, 90), (100, 102, 8)), 1):
        host.add('python3', 'hipLaunchKernel', call, 1, correlation_id=n)
        gpu.add('Stream #7(Compute)', f'kernel_{n}', start, duration, correlation_id=n)
    for wait in waits:
        host.add('python3', *wait)
    return write(os.path.join(folder, 'jax.xplane.pb'), gpu.data() + host.data())


def jax_parts(folder, *waits):
    """The verdict, and the path in us."""
    found = tables(folder, jax(folder, *waits), before=('steps',))
    check_all(found, waits)
    (row,) = found['bound']
    return row['verdict'], [
        (s['class'], s['name'], ps(s['duration_ns']) / 10**6) for s in found['critical_path']
    ]


@test
def jax_waits_for_the_device(folder):
    for name in WAIT:
        verdict, parts = jax_parts(folder, (name, 3, 94))
        check_same(
            parts,
            [
                ('compute', 'kernel_1', 90),
                ('sync_return', name, 2),
                ('host_gap', None, 3),
                ('host_op', 'hipLaunchKernel', 1),
                ('launch', 'kernel_2', 1),
                ('compute', 'kernel_2', 8),
            ],
            name,
        )
        check_same(verdict, 'compute', name)


@test
def work_that_begins_as_a_step_of_a_device_ends_is_of_the_next(folder):
    """Steps of 5..50 and 50..110 us, kernels that begin at 10, 50 and 85."""
    host, gpu = xspace.Plane(1, '/host:CPU'), xspace.Plane(2, '/device:GPU:0')
    for n, (call, start, duration) in enumerate(((2, 10, 39), (20, 50, 30), (60, 85, 20)), 1):
        host.add('python3', 'hipLaunchKernel', call, 1, correlation_id=n)
        gpu.add('Stream #7(Compute)', f'kernel_{n}', start, duration, correlation_id=n)
    gpu.add('Steps', '1', 5, 45)
    gpu.add('Steps', '2', 50, 60)
    path = write(os.path.join(folder, 'steps.xplane.pb'), gpu.data() + host.data())
    found = tables(folder, path, before=('steps',))
    # a launch ends at 3, 21 and 61 us: 7 us before its kernel, 29 and 24 us
    check_same(
        [row['evidence'].partition('; ')[2].rsplit(',', 1)[0] for row in found['bound']],
        ['1 launches, median delay 7.00 us', '2 launches, median delay 26.5 us'],
        'launches of a step',
    )


@test
def other_frames_do_not_wait(folder):
    for name in NO_WAIT:
        verdict, parts = jax_parts(folder, (name, 3, 94))
        check(('host_op', name, 92) in parts, parts)
        check_same(verdict, 'compute', f'{name}: the device worked then')


@test
def jax_waits_in_a_frame_of_its_frame(folder):
    """JAX waits for one array within try_to_block, beside which it does something itself."""
    inner = '$api.py:3165 try_to_block'
    verdict, parts = jax_parts(
        folder, (FRAME, 2, 96), ('$tree_util.py:88 tree_leaves', 3, 4), (inner, 8, 89.5)
    )
    check_same(
        (verdict, parts[:2]),
        ('compute', [('compute', 'kernel_1', 90), ('sync_return', FRAME, 3)]),
        'the outer frame',
    )
    verdict, parts = jax_parts(folder, (FRAME, 2, 96), (inner, 8, 90))
    check_same(
        (verdict, parts[:2]),
        ('compute', [('compute', 'kernel_1', 90), ('sync_return', inner, 3)]),
        'the inner frame',
    )


@test
def jax_waits_for_what_is_not_in_the_file(folder):
    """Work that ended before the wait began did not end it."""
    _, parts = jax_parts(folder, (FRAME, 96, 3))
    check(('sync_other', FRAME, 3) in parts, parts)


@test
def a_wait_for_an_event_waits_for_what_ended_in_it(folder):
    _, parts = jax_parts(folder, ('cuEventSynchronize', 3, 94))
    check(('sync_return', 'cuEventSynchronize', 2) in parts, parts)


@test
def frames_of_pytorch_are_no_calls_of_jax(folder):
    events = (
        [span(FRAME, 'python_function', 3, 94)]
        + launch(0, 'gemm', 5, 90, 1)
        + launch(100, 'k', 102, 8, 2)
    )
    found = tables(folder, made(folder, events), before=('steps',))
    check_same(
        {s['class'] for s in found['critical_path']},
        {'compute', 'launch', 'host_api', 'host_gap'},
        'no wait',
    )


# -- NeuronCores
# ------------------------------------------------------------------------------------------------


def neuron(folder, lost=(), told=True):
    """Tensor does A and waits for a transfer that GpSimd began, Scalar does B behind A, and Tensor
    C behind both; ns."""
    rows = [
        ('Tensor', 'MATMUL', 0, 100, 'S[5] (Tensor)++@complete src=fp32@0x4'),
        ('Scalar', 'ACTIVATE', 110, 90, 'S[5] (Tensor)>=1 S[4] (Scalar)++@complete'),
        ('GpSimd', 'DMA_DIRECT2D', 20, 10, ' semaphore=24 sem_increment=1 src_elem_size=4'),
        ('Tensor', 'EVENT_SEMAPHORE', 100, 160, 'S[24] (qGpSimdDynamic)>=1 setter=0'),
        ('Tensor', 'LDWEIGHTS', 260, 40, 'S[4] (Scalar)>=1 src=fp32@0x8'),
    ]
    data = {
        'instruction': [
            {
                'subgroup': engine,
                'opcode': name,
                'timestamp': at,
                'duration': length,
                'pc': n,
                **({'operands': text} if told else {}),
            }
            for n, (engine, name, at, length, text) in enumerate(rows)
        ],
        'semaphore_update': [
            {'timestamp': at, 'id': f'S[{number}] (x)', 'value': 1}
            for at, number in ((99, 5), (205, 4), (250, 24))
            if number not in lost
        ],
        'dma': [],
        'metadata': [{'first_hw_timestamp': 0, 'last_hw_timestamp': 300, 'ntff_version': 6}],
        'summary': [{'total_time': 3e-7}],
    }
    return write(os.path.join(folder, 'neuron.json'), json.dumps(data))


def parts_of(found):
    return [
        (s['class'], s['name'], s['track'], ps(s['duration_ns']) // 1000)
        for s in found['critical_path']
    ]


@test
def a_neuron_core_waits_for_a_transfer(folder):
    found = tables(folder, neuron(folder), before=('steps',))
    check_same(
        parts_of(found),
        [
            ('unknown', None, None, 20),
            ('compute', 'DMA_DIRECT2D', 'POOL', 10),
            ('copy', 'DMA_DIRECT2D', 'POOL', 220),
            ('wait_gap', 'EVENT_SEMAPHORE', 'PE', 10),
            ('compute', 'LDWEIGHTS', 'PE', 40),
        ],
        'path',
    )
    gains = {
        (row['operator'], row['factor']): ps(row['gain_ns']) // 1000 for row in found['what_if']
    }
    check_same(
        (gains['DMA_DIRECT2D', '0'], gains['LDWEIGHTS', '2']),
        (60, 20),
        'gains: the path goes through B then',
    )
    check_gains(found, 'a NeuronCore')


@test
def a_neuron_core_whose_update_was_lost(folder):
    found = tables(folder, neuron(folder, lost=(24,)), before=('steps',))
    check_same(
        parts_of(found),
        [
            ('compute', 'MATMUL', 'PE', 100),
            ('unknown', 'EVENT_SEMAPHORE', 'PE', 160),
            ('compute', 'LDWEIGHTS', 'PE', 40),
        ],
        'path',
    )


@test
def a_neuron_core_that_does_not_say_what_it_waits_for(folder):
    path = neuron(folder, told=False)
    check_same(parts_of(tables(folder, path, before=('steps',))), [], 'no path')
    for table in ('critical_path', 'what_if'):
        out = run('report', '--only', table, path).expect(0).out
        check(
            f'{table}: unknown: no instruction in the file says which semaphore it waits for'
            in out,
            out,
        )
    told = run('doctor', path).expect(0).out
    check('JSON of neuron-profile do' not in told, told)
    check('neuron-profile view --output-format json' not in told, told)


# -- Cores of TPU
# -----------------------------------------------------------------------------------------------


def core(folder, wait, beside=None, operand='copy-start.7', module=True):
    """A program begins at 10 us: A, a copy begins, B, the copy ends after `wait`, C; and its end 1
    us later. Times are us."""
    plane = xspace.Plane(2, '/device:TPU:0')
    done = (
        f'%copy-done.3 = f32[2] copy-done((f32[2], u32[]) %{operand}), backend_config=%copy-start.9'
    )
    rows = [
        ('A', 11, 4, None),
        ('copy-start.7', 15, 1, '%copy-start.7 = (f32[2], u32[]) copy-start(f32[2] %A)'),
        ('B', 17, 23, None),
        ('copy-done.3', 40, wait, done),
        ('C', 40 + wait, 20, None),
    ]
    for name, first, length, text in rows:
        plane.add(
            'XLA Ops', name, first, length, name.partition('.')[0] if text else 'loop fusion', text
        )
    if beside:
        plane.add('Async XLA Ops', 'copy-start.7', 15, beside - 15, text=rows[1][3])
    if module:
        plane.add('XLA Modules', 'jit_f(1)', 10, 51 + wait)
    return write(os.path.join(folder, 'core.xplane.pb'), plane.data())


def path_of_core(folder, *args, **more):
    found = tables(folder, core(folder, *args, **more), before=('steps',))
    check_gains(found, 'a core')
    parts = [
        (s['class'], s['name'], ps(s['duration_ns']) / 10**6) for s in found['critical_path']
    ]
    return parts, found


@test
def a_core_waits_for_a_copy(folder):
    parts, found = path_of_core(folder, 30)
    behind = [('compute', 'C', 20), ('unknown', None, 1)]  # its program has not ended
    check_same(
        parts,
        [('unknown', 'A', 1), ('compute', 'A', 4), ('copy', 'copy-start.7', 55), *behind],
        'path',
    )
    gains = {
        (row['operator'], row['factor']): ps(row['gain_ns']) / 10**6 for row in found['what_if']
    }
    # without the copy the core begins C when B is over: 1 us for copy-start itself is gained as
    # well
    check_same(
        gains,
        {
            ('copy-start.7', '0'): 31,
            ('copy-start.7', '2'): 27.5,
            ('A', '0'): 4,
            ('A', '2'): 2,
            ('C', '0'): 20,
            ('C', '2'): 10,
        },
        'gains',
    )
    (row,) = found['bound']
    check_same(row['verdict'], 'compute', 'verdict, by what the core did')
    check('its path is copy to 68 %: 55.0 us in copy-start.7' in row['evidence'], row)


@test
def a_core_waits_until_the_row_of_the_copy_ends(folder):
    parts, _ = path_of_core(folder, 30, beside=60)
    check_same(
        parts[2:5],
        [('copy', 'copy-start.7', 1), ('copy', 'copy-start.7', 44), ('copy', 'copy-done.3', 10)],
        'path',
    )


@test
def a_core_does_not_wait_for_a_copy_that_is_over(folder):
    for args in ((0.1,), (30, 39)):
        parts, _ = path_of_core(folder, *args)
        check_same(
            [part[1] for part in parts],
            ['A', 'A', 'copy-start.7', 'B', 'B', 'copy-done.3', 'C', None],
            f'path of {args}',
        )


@test
def a_core_whose_copy_began_before(folder):
    parts, found = path_of_core(folder, 50, operand='get-tuple-element.1')
    check_same(parts[-3:-1], [('unknown', 'copy-done.3', 50), ('compute', 'C', 20)], 'path')
    check(
        '; dependencies unknown for 51 % of the path' in found['bound'][0]['evidence'],
        found['bound'],
    )


@test
def a_core_that_waits_until_its_step_ends(folder):
    plane = xspace.Plane(2, '/device:TPU:0')
    for name, first, length in (('A', 11, 4), ('copy-done.3', 16, 34)):
        plane.add('XLA Ops', name, first, length)
    plane.add('XLA Modules', 'jit_f(1)', 10, 40)
    found = tables(
        folder, write(os.path.join(folder, 'core.xplane.pb'), plane.data()), before=('steps',)
    )
    check_same(
        [(s['class'], s['name'], ps(s['duration_ns']) / 10**6) for s in found['critical_path']],
        [
            ('unknown', 'A', 1),
            ('compute', 'A', 4),
            ('queue_gap', 'copy-done.3', 1),
            ('unknown', 'copy-done.3', 34),
        ],
        'path',
    )


@test
def a_core_idles_within_its_programs_and_between_them(folder):
    """One rule for the causes in gaps, in steps and in the verdict. A program of 10..40 us works 4
    us, another of
    55..90 us begins to work 5 us late, for 10 us: of the gap from 14 to 60, the first program has
    26 and the host 15.
    """
    plane = xspace.Plane(2, '/device:TPU:0')
    for first, length, work, busy in ((10, 30, 10, 4), (55, 35, 60, 10)):
        plane.add('XLA Modules', 'jit_f(1)', first, length)
        plane.add('XLA Ops', 'A', work, busy)
    path = write(os.path.join(folder, 'core.xplane.pb'), plane.data())
    found = tables(folder, path, before=('steps',))
    us = lambda row, *names: tuple(ps(row[f'{name}_ns']) // 10**6 for name in names)  # noqa: E731
    check_same(
        [us(row, 'window', 'compute', 'idle_host', 'idle_wait') for row in found['step_breakdown']],
        [(30, 4, 0, 26), (35, 10, 0, 25)],
        'steps',
    )
    check_same(
        [(row['verdict'], 'thread' in row['evidence']) for row in found['bound']],
        [('queue', False)] * 2,
        'verdicts',
    )
    check_same(
        [us(row, 'host', 'compute', 'queue') for row in found['critical']],
        [(0, 4, 26), (0, 10, 25)],
        'groups',
    )
    check_same(
        [(s['class'], *us(s, 'duration')) for s in found['critical_path']],
        [('compute', 4), ('unknown', 26), ('unknown', 5), ('compute', 10), ('unknown', 20)],
        'paths',
    )
    out = run('run', '-a', 'device:gap=0', '-s', 'csv:table=gaps', '-o', '-', path).expect(0).out
    gaps = csv.DictReader(out.splitlines())
    check_same(
        [(gap['cause'], float(gap['duration_ns'])) for gap in gaps],
        [('wait', 26000), ('host', 15000), ('wait', 5000), ('wait', 20000)],
        out,
    )


@test
def steps_of_several_inputs_stand_by_place(folder):
    """Which input is read first depends on threads, and says nothing of the order of rows."""
    job = os.path.join(folder, 'job')
    ranks.make(job, ranks.Job(hosts=2, steps=3, layers=2, seed=7, noise=0))
    order = ['run', '-a', 'critical', '-s', 'csv:table=bound', '-o', '-', job]
    found = [run(*order, '-j', str(jobs)).expect(0).out for jobs in (1, 4, 4, 4)]
    inputs = [line.partition(',')[0] for line in found[0].split('\n')[1:-1]]
    check_same(inputs, sorted(inputs), 'by input')
    check_same(found[1:], found[:1] * 3, 'with several threads')


for name_of, rows_of in VERDICTS.items():
    add_test(f'verdict {name_of}', check_verdict_of(name_of, rows_of))
if DATA and os.path.exists(os.path.join(GOLDEN, 'critical_path.json')):
    with open(os.path.join(GOLDEN, 'critical_path.json'), encoding='utf-8') as golden:
        for case, expected in json.load(golden).items():
            if case.startswith('micro'):  # the others have the rule of before
                add_test(f'golden {case}', check_golden(case, expected))
if DATA and os.path.exists(QUEUES + '.tsv'):
    with open(QUEUES + '.tsv', encoding='utf-8', newline='') as golden:
        for queue in csv.DictReader(golden, delimiter='\t'):
            add_test(f'golden {queue["file"]}', check_queue(queue))
for trace in sorted(
    glob.glob(os.path.join(DATA, 'json', '[ht]*.json.gz'))
    + glob.glob(os.path.join(DATA, '..', 'files', 'graphs', '**', '*.json.gz'), recursive=True)
    + glob.glob(os.path.join(DATA, '..', 'files', 'ascend', '*.json.gz'))
    + glob.glob(os.path.join(DATA, '..', 'files', 'perfetto', '*render*'))
    + glob.glob(os.path.join(DATA, '..', 'golden', 'conclusions', 'made', '*.json*'))
    + glob.glob(os.path.join(DATA, 'xplane', '[gt]*'))
    if DATA
    else []
):
    add_test(f'real {os.path.basename(trace)}', real(trace))
main()
