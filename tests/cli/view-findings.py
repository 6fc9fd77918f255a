# SPDX-License-Identifier: Apache-2.0
"""view-findings.py - what nprof view tells of a profile, on both sides of each threshold. Times at
stake are those that were written into the files, or worked out of them here."""

import json
import os
import re
import subprocess
import sys

import xspace
from harness import check, check_same, main, read, rows_of, run, sample, test, write
from viewserver import Server

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

MS = 10**9  # ps
LOOP = 'loop fusion'


def printed(path):
    """Findings as nprof report lists them: each with its lines, which break at 80 columns, as
    one."""
    _, *lines = run('report', '-q', '--findings', path).expect(0).out.rstrip('\n').split('\n')
    check(not lines or max(map(len, lines)) <= 80, lines)
    found = []
    for line in lines:
        key = line[:13].strip()
        if key and key not in ('try', 'gain'):
            found.append('')
        found[-1] += ' '.join((line if key in ('try', 'gain') else line[13:]).split()) + ' '
    return found


def check_printed(found, left, path):
    """The page's findings come first, in its order; then those that it leaves out."""
    lines = printed(path)
    check(len(lines) >= len(found), f'{lines}, {found}')
    for line, one in zip(lines, found):
        more = f", and {one['more']} more" if one['more'] else ''
        if one['rule'] in ('operator', 'memory bound'):  # of a name, on any devices
            check_same(one['devices'], None, one)
        check_same(one['devices'] is None, bool(one['devices_reason']), one)
        if 1 < (one['devices'] or 0) == one['more'] + 1:
            more = f", on {one['devices']} devices"
        table = f" --only {one['evidence']['table']}" if one['evidence']['table'] else ''
        advice = f"try {one['advice']} " if one['advice'] else ''
        gain = f"gain {one['gain']} " if one['gain'] else ''
        rule = f"{one['rule']}: {one['threshold']}{more}{table}"
        words = f"{one['text']} {advice}{gain}{one['detail']} {rule}"
        check_same(line, ' '.join(words.split()) + ' ', 'a finding')
    rest = sum(left.values()) - sum(one['more'] for one in found)
    more = [re.search(r', (and|on) (\d+) (more|devices) ', line) for line in lines[len(found) :]]
    check_same(
        sum((one[1] == 'and') + int(one[2]) if one else 1 for one in more),
        rest,
        f'what the page leaves out: {lines}',
    )


def order_of(finding):
    """What gains most before what gains less, then most time at stake."""
    stake = finding['at_stake']['value']
    gain = float(finding['gain'].split('x ')[0]) if finding['gain'] else 0
    return (gain, -1 if stake is None else int(stake))


def told(*arguments):
    """Findings as they stand, and {RULE: how many are left out}."""
    with Server(*arguments) as server:
        answer = server.profile('profile', server.lines[0].rsplit('/', 1)[1].strip()).json()
    found, left = answer['findings'], answer['findings_left_out']
    check(len(found) <= 4, f'{found}')
    ranked = [order_of(f) for f in found if f['rule'] not in ('waits', 'straggler')]  # by a share
    behind = [i for i in range(1, len(ranked)) if ranked[i] > ranked[i - 1]]
    check(len(behind) <= 1, f'by gain and time at stake, then what says again: {found}')
    for f in found:
        check(
            f['threshold'] and f['text'][0].isprintable() and f['text'].count('. ') == 0,
            f'one sentence, with its rule: {f}',
        )
        check(
            f['at_stake']['source' if f['at_stake']['value'] is not None else 'reason'],
            f'at stake, and why it is not known: {f}',
        )
    left = {one['rule']: one['count'] for one in left}
    if len(arguments) == 1:
        check_printed(found, left, *arguments)
    return found, left


def findings_of(*arguments):
    """{RULE: finding}"""
    return {f['rule']: f for f in told(*arguments)[0]}


def tpu(ident, work, start=5, **facts):
    """A core that does work, [(name, ms, category) or (name, ms, category, stats)], one after the
    other; the name None: nothing."""
    core, now = xspace.Plane(ident, f'/device:TPU:{ident}'), start
    for fact in facts.items():
        core.fact(*fact)
    for what, ms, category, *stats in work:
        if what:
            core.add(
                'XLA Ops', what, now * 1000, ms * 1000, category, **(stats[0] if stats else {})
            )
        now += ms
    return core


def all_reduces(idle, compute, took):
    """A GPU that waits for its host, computes and reduces; one call of ten has 64 times the bytes
    in 60 us."""
    events = []
    for n in range(10):
        start, elements, dur = 1000 * n + idle, 1 << 20, took
        if n == 5:
            elements, dur = 64 << 20, 60
        for i, (name, at, us, more) in enumerate(
            (
                ('gemm', start, compute, {}),
                (
                    'ncclDevKernel_AllReduce_Sum_bf16_RING_LL',
                    start + compute,
                    dur,
                    {
                        'Collective name': 'allreduce',
                        'In msg nelems': elements,
                        'Out msg nelems': elements,
                        'dtype': 'BFloat16',
                        'Group size': 8,
                        'Process Group Name': '0',
                        'Process Group Ranks': '[0, 1, 2, 3, 4, 5, 6, 7]',
                    },
                ),
            )
        ):
            link = {'correlation': 2 * n + i + 1}
            events += [
                {
                    **{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 9},
                    **{'tid': 9, 'ts': start - 5 + i, 'dur': 1, 'args': link},
                },
                {
                    **{'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': 7, 'ts': at},
                    **{'dur': us, 'args': {'device': 0, 'stream': 7, **link, **more}},
                },
            ]
    return write(f'reduces{took}.json', json.dumps({'traceEvents': events}))


@test
def what_waits_for_ranks_is_ranked_as_the_span_without_it(_folder):
    """Before what can be gained where that is less, and behind it where it is more."""
    for idle, compute, took, first in ((100, 20, 800, True), (600, 180, 200, False)):
        path = all_reduces(idle, compute, took)
        found = told(path)[0]
        rules = [one['rule'] for one in found]
        span = 9000 + compute + took
        waited = 9 * (took - 60)
        check_same(int(found[rules.index('waits')]['at_stake']['value']), waited * 10**6, rules)
        others = [float(f['gain'].split('x ')[0]) for f in found if f['gain']]
        without = span / (span - waited)
        check_same(
            rules.index('waits'), sum(gain > without for gain in others), (rules, others, without)
        )
        check_same(rules[0] == 'waits', first, rules)


@test
def who_waits_is_advised_to_open_all_ranks_or_to_compare_them(_folder):
    trace = json.loads(read(all_reduces(100, 20, 800)))
    for rank in range(2):
        info = {'rank': rank, 'world_size': 2}
        write(f'r{rank}.json', json.dumps({**trace, 'distributedInfo': info}))
    for paths, advice in ((['r0.json'], 'open the recordings'), (['r0.json', 'r1.json'], 'tables')):
        out = ' '.join(run('report', '-q', '--findings', *paths).expect(0).out.split())
        check(f'try find the rank that comes last: {advice} ' in out, out)


@test
def the_first_screen_says_that_communication_waits(_folder):
    """Nine calls of 800 us wait 740 each; periods of 1 ms hold eight of them, and what the first took
    may all be waiting. Nothing is said of waiting where something else bounds the run."""
    screen = run('report', '-q', all_reduces(100, 20, 800)).expect(0).out
    share = 100 * (9 * 740 - 800) / 9000
    waits = f'COMMUNICATION-BOUND: the GPU waits for other ranks for at least {share:.1f} % of '
    check(waits in screen, screen)
    fix = '  fix            at least 6.66 ms of waiting for other ranks: find the rank '
    check(fix in screen, screen)
    screen = run('report', '-q', all_reduces(600, 180, 200)).expect(0).out
    check('the GPU waits for other ranks' not in screen, screen)


@test
def hidden_communication_is_at_no_stake(_folder):
    """18 of 19 ms a collective runs beside products: no finding of a kind of kernels is of it, and one
    kernel gains what is left. Waits of a device have a tail that is no work's."""
    events = []

    def work(category, name, stream, start, us):
        args = {'device': 0, 'stream': stream}
        event = {'ph': 'X', 'cat': category, 'name': name, 'pid': 0, 'tid': stream, 'args': args}
        events.append({**event, 'ts': start, 'dur': us})

    for n in range(200):
        work('kernel', f'sm80_xmma_gemm_f16_{n % 2}', 7, 100 * n, 90)
        work('kernel', f'ncclDevKernel_{("AllReduce", "AllGather")[n % 2]}_RING', 8, 100 * n, 95)
        work('device_wait', 'Notify Wait', 9, 100 * n, 90 if n > 190 else 1)
    found = ' '.join(printed(write('hidden.json', json.dumps({'traceEvents': events}))))
    # 200 x 90 of 200 x (90 + 95) us
    check('gemm takes 48.6 % of the time of kernels of GPU 0 (18.0 ms)' in found, found)
    check('communication takes' not in found, found)
    alone = r'nccl\S+ takes 25.7 % of [^;]*9.50 ms; it gains 1.00 ms at most'
    check(re.search(alone, found), found)
    check('Notify Wait' not in found, found)


@test
def the_first_findings_say_different_things(_folder):
    """A GPU copies for 30 of 100 ms, idles for 20 and has two products: what copies gain, what idle
    time is for and the products come first; exposed time, the copy and one of the products, which
    say of the same time again, behind them. Without copies the products follow the idle time."""
    events = []

    def work(category, name, start, us, **more):
        args = {'device': 0, 'stream': 7, **more}
        event = {'ph': 'X', 'cat': category, 'name': name, 'pid': 0, 'tid': 7, 'args': args}
        events.append({**event, 'ts': start, 'dur': us})

    for n in range(10):
        start = 10000 * n
        work('kernel', 'sm80_xmma_gemm_f16_0', start, 4000)
        work('kernel', 'sm80_xmma_gemm_f16_1', start + 4000, 1000)
        work('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', start + 5000, 3000)
    both = write('different.json', json.dumps({'traceEvents': events}))
    kernels = [event for event in events if event['cat'] == 'kernel']
    rules = {}
    for path in (both, write('kernels.json', json.dumps({'traceEvents': kernels}))):
        listed = run('report', '-q', '--only', 'findings', '--format', 'csv', path).expect(0).out
        about = {(r['answer'], r['code']): r['about'] for r in rows_of(listed)}
        rules[path] = [re.search(r' (\w+): [^:]*--only', line)[1] for line in printed(path)]
        for answer, part in (('idle', 'idle'), ('family', 'work/gemm')):
            check_same(about[answer, answer], part, about)
    check_same(rules[both][:3], ['copy', 'family', 'idle'], rules)
    check_same(sorted(rules[both][3:]), ['exposed', 'operator'], rules)
    check_same(rules['kernels.json'], ['family', 'idle', 'operator'], rules)


GEMMS = ('ampere_sgemm_32x32_sliced1x4_tn', 'ampere_sgemm_64x64_nn', 'ampere_sgemm_128x64_nt')


@test
def most_is_more_than_half_and_little_is_not_said(_):
    """Three kernels of one family: the largest is most of it by 60 ms of 100, and not by 40. Of a
    span of 11 s, which the device idles, their 100 ms are too little to be told."""
    for times, gap, said in (
        ((60, 25, 15), 0, f'in 3 kernels, most of it {GEMMS[0]}'),
        ((40, 35, 25), 0, f'in 3 kernels, the largest: {GEMMS[0]}, 40.0 % of it'),
        ((60, 25, 15), 10_900, None),
    ):
        events, at = [], 0
        for name, ms in zip(GEMMS, times):
            events.append(
                {
                    'ph': 'X',
                    'pid': 0,
                    'tid': 7,
                    'ts': at * 1000,
                    'dur': ms * 1000,
                    'name': name,
                    'cat': 'kernel',
                    'args': {'device': 0, 'stream': 7},
                }
            )
            at += ms + (gap if name == GEMMS[0] else 0)
        found = findings_of(
            write(f'most{times[0]}-{gap}.json', json.dumps({'traceEvents': events}).encode())
        )
        if said:
            check(found['family']['text'].endswith(said), f'{found}')
        else:
            check_same([rule for rule in found if rule in ('family', 'operator')], [], f'{found}')
            check('idle' in found, f'{found}')


def stake(found, rule):
    return int(found[rule]['at_stake']['value']) if rule in found else None


@test
def work_of_a_device(_):
    """A share of exactly the threshold breaks no rule."""
    even = [(f'fusion.{i}', 10, LOOP) for i in range(9)]
    cases = [
        ('idle', [*even, (None, 5, None), ('fusion.9', 5, LOOP)], None),
        ('idle', [*even, (None, 6, None), ('fusion.9', 4, LOOP)], 6),
        ('exposed', [*even, ('all-reduce.1', 5, 'all-reduce'), ('fusion.9', 5, LOOP)], None),
        ('exposed', [*even, ('all-reduce.1', 6, 'all-reduce'), ('fusion.9', 4, LOOP)], 6),
        ('operator', [(f'fusion.{i}', 25, LOOP) for i in range(4)], None),
        ('operator', [(f'fusion.{i}', 25 - (i == 0) + (i == 1), LOOP) for i in range(4)], 26),
    ]
    for number, (rule, work, ms) in enumerate(cases):
        found = findings_of(write(f'work{number}.xplane.pb', tpu(2, work).data()))
        check_same(stake(found, rule), ms * MS if ms else None, f'{rule}, case {number}: {found}')
        if rule == 'idle' and ms:  # a click on it leads to the gap
            check_same(
                [int(found['idle']['evidence'][t]) for t in ('t0', 't1')],
                [95 * MS, 101 * MS],
                'the longest gap',
            )
            check_same(
                found['idle']['text'].split(' before ')[1].split(',')[0], 'fusion.9', 'what ends it'
            )
            check(
                'idles 6.0 % of its span (6.00 ms)' in found['idle']['text'], found['idle']['text']
            )
        check_same(
            'gap' in found, rule == 'idle' and not ms, f'the longest gap, case {number}: {found}'
        )


def streams_of_a_gpu(kernels):
    """Kernels, [(stream, name, start, us)]."""
    events = [
        {
            **{'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': stream, 'ts': start},
            **{'dur': us, 'args': {'device': 0, 'stream': stream}},
        }
        for stream, name, start, us in kernels
    ]
    return json.dumps({'traceEvents': events})


@test
def operators_that_gain_less_than_they_take(_):
    """What runs on several queues, or beside other work, is no time that the device could be
    shorter: at stake is what its kind of work takes alone."""
    reduces = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'
    fills = '__amd_rocclr_fillBufferAligned'
    cases = [
        ([(7, 'gemm', 0, 60), (7, 'relu', 60, 40)], {'gemm': 60, 'relu': 40}),
        ([(7, 'gemm', 0, 60), (8, 'gemm', 0, 60), (7, 'relu', 60, 40)], {'gemm': 100}),
        ([(7, 'gemm', 0, 100), (8, reduces, 20, 70)], {'gemm': 30, reduces: 0}),
        ([(7, 'gemm', 0, 60), (8, reduces, 20, 70)], {'gemm': 20, reduces: 30}),
        ([(7, fills, 0, 60), (7, 'gemm', 60, 40)], {fills: 60, 'gemm': 40}),
    ]
    for number, (kernels, most) in enumerate(cases):
        path = write(f'streams{number}.json', streams_of_a_gpu(kernels))
        times = [(name, set(range(start, start + us))) for _, name, start, us in kernels]
        moved = set().union(*(at for name, at in times if name == reduces))
        computed = set().union(*(at for name, at in times if name != reduces))
        alone = {False: len(computed - moved), True: len(moved - computed)}
        told = run('report', '-q', '--only', 'findings', '--format', 'csv', path).expect(0).out
        said = {r['name']: r for r in rows_of(told) if r['answer'] == 'operator'}
        for name, us in most.items():
            own = sum(len(at) for called, at in times if called == name)
            check_same(us, min(own, alone[name == reduces]), f'the table of cases, {number}')
            check_same(float(said[name]['stake_ns']), us * 1000, f'case {number}: {said}')
            check_same('gains' in said[name]['text'], us < own, f'case {number}: {said}')


@test
def operators_of_xla_on_a_gpu(_):
    """Kernels of many instructions have one name: it counts only where more time is of no
    instruction than of any."""
    cases = [
        ((10, 10, 10, 10, 10), 5, None),
        ((20, 10, 10, 10), 5, ('fusion.0', 20)),
        ((13, 14, 13), 15, ('loop.kd', 40)),
    ]
    for number, (times, copy, told_of) in enumerate(cases):
        device, now = xspace.Plane(2, '/device:GPU:0'), 0
        for i, ms in enumerate(times):
            device.add('Stream #7(Kernel)', 'loop.kd', now * 1000, ms * 1000, hlo_op=f'fusion.{i}')
            now += ms
        device.add('Stream #7(Kernel)', 'copy.kd', now * 1000, copy * 1000)
        found = findings_of(write(f'gpu{number}.xplane.pb', device.data()))
        check_same(stake(found, 'operator'), told_of and told_of[1] * MS, f'case {number}: {found}')
        if told_of:
            check_same(found['operator']['text'].split(' takes ')[0], told_of[0], 'which')


@test
def names_that_are_cut(_):
    """60 letters are left, with their ends."""
    for name, said in (
        ('a' * 60, 'a' * 60),
        ('head_' + 'é' * 60 + '_tail', 'head_' + 'é' * 35 + '…' + 'é' * 14 + '_tail'),
    ):
        path = write(f'name{len(name)}.xplane.pb', tpu(2, [(name, 10, LOOP)]).data())
        lines = printed(path)
        check(any(f' {said} takes' in ' ' + line for line in lines), lines)


@test
def the_list_at_the_terminal(_):
    """It takes no options of tables, and a stored profile as well; check_printed compares it with
    the page."""
    run('report', '--findings', '--top', '3', sample('synthetic_tpu.xplane.pb')).expect(
        1, out='', err='*prints a list and no tables*'
    )
    work = [('all-reduce.1', 10, 'all-reduce'), *((f'fusion.{i}', 10, LOOP) for i in range(9))]
    even = write('even.xplane.pb', tpu(2, work).data())
    run('run', '-q', '-s', 'store:folder=kept', even).expect(0)
    (name,) = [entry for entry in os.listdir('kept') if entry.startswith('n_')]
    stored = os.path.join('kept', name)
    check_same(
        *(run('report', '-q', '--findings', path).expect(0).out for path in (even, stored)),
        'stored',
    )
    idle = write(
        'idle.json',
        json.dumps(
            {'traceEvents': [{'ph': 'X', 'name': 'f', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 5}]}
        ),
    )
    run('report', '-q', '--findings', idle).expect(
        0, out='No finding: nothing that is known breaks a rule'
    )


@test
def what_the_work_behind_a_gap_is(_):
    """Kineto's annotation on the stream begins 1 ns before the kernel in it: the gap is before the
    kernel, and a click on it leads to that. Late for 340 us of it, it has one length."""
    kernel = lambda name, at, number: {
        'ph': 'X',
        'pid': 0,
        'tid': 7,
        'ts': at,
        'dur': 100,
        'name': name,
        'cat': 'kernel',
        'args': {'correlation': number, 'device': 0, 'stream': 7},
    }
    launch = lambda at, number: {
        'ph': 'X',
        'pid': 1,
        'tid': 1,
        'ts': at,
        'dur': 5,
        'name': 'cudaLaunchKernel',
        'cat': 'cuda_runtime',
        'args': {'correlation': number},
    }
    step = {
        'ph': 'X',
        'pid': 0,
        'tid': 7,
        'ts': 499.999,
        'dur': 100.001,
        'name': 'ProfilerStep#6',
        'cat': 'gpu_user_annotation',
        'args': {},
    }
    path = write(
        'annotated.json',
        json.dumps(
            {
                'traceEvents': [
                    launch(0, 1),
                    kernel('first', 10, 1),
                    launch(450, 2),
                    step,
                    kernel('gemm', 500, 2),
                ]
            }
        ).encode(),
    )
    check(
        ', the longest for 390 us before gemm, which was not launched yet'
        in findings_of(path)['idle']['text'],
        'the finding',
    )
    with Server(path) as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        gaps = server.profile('gaps?sort=-duration_ns', name).json()
        after = server.profile('e?row=' + gaps['rows_more'][0]['after'], name).json()
    check_same(after['name'], 'gemm', f'{gaps}')


@test
def devices_of_one_name_in_two_inputs(_):
    """The input is named, and its own work ends the gap."""
    paths = [
        write(
            f'{name}.xplane.pb',
            tpu(
                2,
                [(f'{name}.{i}', 10, LOOP) for i in range(9)]
                + [(None, gap, None), (f'{name}.9', 4, LOOP)],
            ).data(),
        )
        for name, gap in (('one', 6), ('two', 8), ('three', 7))
    ]
    for order in (paths, paths[::-1]):
        idle = findings_of(*order)['idle']
        check(
            idle['text'].startswith('/device:TPU:2 of two.xplane.pb idles ')
            and ' before two.9, ' in idle['text'],
            f'{idle}',
        )
        check_same(
            (idle['more'], idle['devices'], idle['at_stake']['value']),
            (2, 3, str(8 * MS)),
            'the longest, and two more',
        )


@test
def operators_that_wait_for_memory(_):
    """Of 100 GB/s, 10 ms move 1 GB at most; with 1 flop for each byte and 1 Tflop/s memory bounds
    it, with 100 computing."""
    for number, (moved, flops, ms) in enumerate(
        [
            (500_000_000, 1, None),
            (499_000_000, 1, 10),
            (499_000_000, 100, None),
            (99_000_000, 1, 10),
            (50_000_000, 1, 10),
            (49_000_000, 1, None),
        ]
    ):
        work = [('fusion.1', 10, LOOP, {'flops': moved * flops, 'bytes_accessed': moved})]
        core = tpu(2, work, peak_teraflops_per_second=1, peak_hbm_bw_gigabytes_per_second=100)
        found = findings_of(write(f'memory{number}.xplane.pb', core.data()))
        check_same(stake(found, 'memory bound'), ms * MS if ms else None, f'case {number}: {found}')
        if ms:
            used, said = moved / 1e9, found['memory bound']
            check(f'uses {used * 100:.1f} % of the bandwidth' in said['text'], f'{found}')
            check_same('by latency' in said['advice'], used < 0.1, f'{found}')
            check_same(
                said['detail'], f'at full bandwidth it takes {10 - used * 10:.2f} ms less', 'it'
            )


@test
def kernels_of_a_device_that_idles(_):
    """From three quarters of its span on they need a tenth of it."""
    for first, gap, said in ((9, 76, False), (10, 75, True), (9, 75, False), (9, 74, True)):
        work = [('fusion.1', first, LOOP), (None, gap, None), ('fusion.2', 100 - first - gap, LOOP)]
        path = write(f'idle{first}-{gap}.xplane.pb', tpu(2, work).data())
        verdict = run('run', '-q', '-a', 'steps', '-s', 'csv:table=verdict', '-o', '-', path).out
        check_same(float(rows_of(verdict)[0]['worth_ns']), 1e6 if gap < 75 else 1e7, 'worth')
        (line,) = [line for line in printed(path) if ' takes ' in line]
        check(line.startswith('fusion.2 takes'), line)
        check_same('and 1 more' in line, said, f'fusion.1 after {gap} ms: {line}')


@test
def operators_that_wait_for_links(_):
    """An all-reduce or infeed of few bytes a second is bound by no memory; a copy within the device
    is. Of all work that decides which half of the time is."""
    slow = {'flops': 300_000_000, 'bytes_accessed': 300_000_000}
    cases = [
        ([('all-reduce.1', 10, 'all-reduce')], None, 'link'),
        ([('infeed.1', 10, 'infeed')], None, 'link'),
        ([('copy.1', 10, 'copy')], 10, 'memory'),
        ([('all-reduce-done.1', 10, 'all-reduce-done')], None, 'link'),
        ([('fusion.1', 10, LOOP), ('all-reduce.1', 30, 'all-reduce')], 10, 'link'),
        ([('fusion.1', 30, LOOP), ('all-reduce.1', 10, 'all-reduce')], 30, 'memory'),
    ]
    for number, (work, ms, all_work) in enumerate(cases):
        core = tpu(
            2,
            [(*one, slow) for one in work],
            peak_teraflops_per_second=1,
            peak_hbm_bw_gigabytes_per_second=100,
        )
        path = write(f'link{number}.xplane.pb', core.data())
        found, left = told(path)
        rules = {f['rule']: f for f in found}
        check_same(
            stake(rules, 'memory bound'), ms * MS if ms else None, f'case {number}: {found} {left}'
        )
        rows = rows_of(
            run('run', '-q', '-a', 'mfu', '-s', 'csv:table=mfu', '-o', '-', path).expect(0).out
        )
        whole = next(row for row in rows if row['operator'] == '(busy)')
        check_same(whole['bound'], all_work, f'case {number}, all work')


@test
def calls_with_a_tail(_):
    """Of 100 calls the three longest are equal: p99 lies between two of them, and one call in a
    hundred is one. Of 99 calls, or of a host beside a device, nothing is said."""
    calls = lambda longest, n=100: [
        ('fusion.1', longest if i % 33 == 1 and i < 97 else 1, LOOP) for i in range(n)
    ]
    for number, (work, ms) in enumerate(
        [(calls(3), None), (calls(4), 4 - 1), (calls(4, 99), None)]
    ):
        found = findings_of(write(f'tail{number}.xplane.pb', tpu(2, work).data()))
        check_same(stake(found, 'p99'), ms * MS if ms else None, f'case {number}: {found}')
    host = [
        {
            'ph': 'X',
            'pid': 1,
            'tid': 1,
            'ts': 10000 * i,
            'dur': 4000 if i % 33 == 1 and i < 97 else 1000,
            'name': 'read',
        }
        for i in range(100)
    ]
    kernel = {
        'ph': 'X',
        'pid': 0,
        'tid': 7,
        'ts': 0,
        'dur': 1e6,
        'name': 'k',
        'cat': 'kernel',
        'args': {'device': 0, 'stream': 7},
    }
    for number, (events, ms) in enumerate([(host, 3), ([*host, kernel], None)]):
        found = findings_of(
            write(f'host{number}.json', json.dumps({'traceEvents': events}).encode())
        )
        check_same(stake(found, 'p99'), ms * MS if ms else None, f'host, case {number}: {found}')


@test
def calls_of_one_name_and_several_shapes(_):
    """A kernel takes as long as its shape needs: what the file knows to be of two is no tail, of
    one it is; else it is said."""
    for number, (launched, others, said) in enumerate(
        [
            (True, 64, ''),
            (True, 4096, None),
            (False, 64, '; whether all are of one shape is not known'),
        ]
    ):
        events, at = [], 0
        for i in range(100):
            long = i % 33 == 1 and i < 97
            args = {
                'Input Dims': [[others if long else 64, 64], [64, 64]],
                'Input type': ['float', 'float'],
            }
            if launched:
                events += [
                    {
                        'ph': 'X',
                        'pid': 1,
                        'tid': 1,
                        'ts': at,
                        'dur': 100,
                        'name': 'aten::mm',
                        'cat': 'cpu_op',
                        'args': args,
                    },
                    {
                        'ph': 'X',
                        'pid': 1,
                        'tid': 1,
                        'ts': at + 10,
                        'dur': 20,
                        'name': 'cudaLaunchKernel',
                        'cat': 'cuda_runtime',
                        'args': {'correlation': i + 1},
                    },
                ]
            events.append(
                {
                    'ph': 'X',
                    'pid': 0,
                    'tid': 7,
                    'ts': at + 200,
                    'dur': 4000 if long else 1000,
                    'name': 'gemm',
                    'cat': 'kernel',
                    'args': {'correlation': i + 1, 'device': 0, 'stream': 7},
                }
            )
            at += 4300 if long else 1300
        found = findings_of(
            write(f'shapes{number}.json', json.dumps({'traceEvents': events}).encode())
        )
        check_same(stake(found, 'p99'), None if said is None else 3 * MS, f'case {number}: {found}')
        if said is not None:
            check(
                found['p99']['text'].endswith(
                    ' takes 4.00 ms or more, the median call 1.00 ms' + said
                ),
                f'{found}',
            )


@test
def steps_that_do_not_end_together(_):
    """5 ms of 100 are no skew, 6 are; and devices whose ends lie further apart than the step is
    long do not run it together."""
    for number, (late, ms) in enumerate([(5, None), (6, 6), (101, None)]):
        cores = []
        for ident in (0, 1):
            core = tpu(ident, [('fusion.1', 300, LOOP)], start=5 + ident * late)
            for step in range(3):
                core.add('Steps', str(step), (5 + ident * late + step * 200) * 1000, 100_000)
            cores.append(core.data())
        found = findings_of(write(f'skew{number}.xplane.pb', b''.join(cores)))
        check_same(stake(found, 'skew'), ms * MS if ms else None, f'case {number}: {found}')
        if ms:
            check_same(
                (found['skew']['more'], found['skew']['evidence']['table']),
                (2, 'steps'),
                f'each step once: {found}',
            )


@test
def steps_of_which_devices_take_more_and_less(_):
    """Of 200 and 60 ms, whose ends lie 4 apart, 4 are 6.7 % of the shortest; a device of 15 ms
    beside one of 983 does nearly nothing, and its end says nothing."""
    for number, (long, short, late, ms) in enumerate(
        [(200, 60, 4, 4), (200, 60, 3, None), (983, 15, 968, None), (983, 15, 5, None)]
    ):
        cores = []
        for ident, begin, duration in ((0, 5, long), (1, 5 + long - late - short, short)):
            core = tpu(ident, [('fusion.1', 3000, LOOP)])
            for step in range(3):
                core.add('Steps', str(step), (begin + step * 1000) * 1000, duration * 1000)
            cores.append(core.data())
        path = write(f'least{number}.xplane.pb', b''.join(cores))
        found = findings_of(path)
        check_same(stake(found, 'skew'), ms * MS if ms else None, f'case {number}: {found}')
        if ms:
            check(
                'apart, 6.7 % of the 60.0 ms that /device:TPU:1, the shortest, takes'
                in found['skew']['text'],
                f'{found}',
            )
        rows = rows_of(
            run('run', '-q', '-a', 'steps', '-s', 'csv:table=steps', '-o', '-', path).expect(0).out
        )
        check_same(
            {row['skew_reason'] for row in rows},
            {'one device does nearly nothing in the step' if long == 983 else ''},
            'why',
        )


@test
def a_step_is_judged_by_its_own_shortest_device(_):
    """Beside one of 100 and 50 ms that end together, two of 200 and 60 ms whose ends lie 4 apart."""
    cores = []
    for ident, steps in (
        (0, ((5, 100), (1005, 200), (2005, 200))),
        (1, ((55, 50), (1141, 60), (2141, 60))),
    ):
        core = tpu(ident, [('fusion.1', 3000, LOOP)])
        for step, (begin, duration) in enumerate(steps):
            core.add('Steps', str(step), begin * 1000, duration * 1000)
        cores.append(core.data())
    found = findings_of(write('own.xplane.pb', b''.join(cores)))
    check_same(stake(found, 'skew'), 4 * MS, f'{found}')
    check(
        'apart, 6.7 % of the 60.0 ms that /device:TPU:1, the shortest, takes'
        in found['skew']['text'],
        f'{found}',
    )
    check_same(found['skew']['more'], 1, 'the other step')
    evidence = found['skew']['evidence']
    check_same(
        [int(evidence[key]) for key in ('t0', 't1')], [1201 * MS, 1205 * MS], 'between the ends'
    )


@test
def what_a_step_would_gain(_):
    """Of 30 steps of 10 ms, which compute for 6: communication for 4 gives 10/6, for 0.1 less than
    1.02."""
    for ms, gain in ((4, '1.67x'), (0.1, None)):
        work = [('fusion.1', 10 - ms, LOOP), ('all-reduce.1', ms, 'all-reduce')] * 30
        core = tpu(2, work)
        for step in range(30):
            core.add('Steps', str(step), (5 + step * 10) * 1000, 10_000)
        found = findings_of(write(f'gain{gain}.xplane.pb', core.data()))
        if not gain:
            check('comm' not in found, f'{found}')
            continue
        one, total = found['comm'], 29 * ms * MS  # the first of 30 holds what came before
        check_same(one['gain'], f'{gain} at most, if communication ran beside compute', 'gain')
        check_same(one['advice'], 'overlap it with compute', 'advice')
        check_same(
            (one['text'], int(one['at_stake']['value'])),
            (
                '/device:TPU:2 communicates while nothing computes for 40.0 % of its periods (116 ms)',
                total,
            ),
            'what is at stake',
        )


@test
def ranks_that_do_not_end_together(_):
    """The slowest is named; a slow rank alone, which table stragglers has, is no finding."""
    for factor, told_of in ((3, True), (1.05, False)):
        folder = f'job{factor}'
        ranks.make(folder, ranks.Job(steps=3, layers=2, seed=7, slow={6: factor}, noise=0))
        table = rows_of(
            run('run', '-q', '-a', 'ranks', '-s', 'csv:table=step_skew', '-o', '-', folder)
            .expect(0)
            .out
        )
        worst = max(table, key=lambda r: float(r['end_skew_ns']))
        over = [r for r in table if float(r['end_skew_ns']) > 0.05 * float(r['longest_ns'])]
        check_same(bool(over), told_of, f'the fixture: {table}')
        found, left = told(folder)
        rules = {f['rule']: f for f in found}
        check('straggler' not in str(found), f'{found}')
        check_same(
            'rank skew' in rules or 'rank skew' in left, told_of, f'{factor}: {found} {left}'
        )
        if 'rank skew' in rules:
            check(
                f'rank {worst["slowest"]}, the slowest' in rules['rank skew']['text'],
                f'{rules["rank skew"]}',
            )
        check(
            ' of rank ' in ' '.join(f['text'] for f in found)
            and '.json' not in ' '.join(f['text'] for f in found),
            f'ranks are named: {found}',
        )


def neuron_profile(spilled, read):
    summary = {
        'total_time': '0.001',
        'nc_idx': '1',
        'nd_idx': '2',
        'spill_reload_bytes': str(spilled),
        'hbm_read_bytes': str(read),
    }
    rows = [
        {
            'timestamp': 1000 + 100 * i,
            'duration': 50,
            'subgroup': 'qPe',
            'label': 'Matmul',
            'opcode': 'MATMUL',
        }
        for i in range(4)
    ]
    return json.dumps({'summary': [summary], 'instruction': rows}).encode()


@test
def spilled_tensors(_):
    for number, (spilled, read, said) in enumerate(
        [(25, 100, False), (26, 100, True), (26, 0, False)]
    ):
        found = findings_of(write(f'spill{number}.json', neuron_profile(spilled, read)))
        check_same('spill' in found, said, f'case {number}: {found}')
        if said:
            check(
                'for 26.0 % of the bytes' in found['spill']['text']
                and found['spill']['at_stake']['value'] is None,
                f'{found}',
            )


@test
def peaks_that_are_not_known(_):
    """Without flops MFU is unknown for another reason."""
    for number, (stats, facts, said) in enumerate(
        [
            ({'flops': 1000}, {}, True),
            ({'flops': 1000}, {'peak_teraflops_per_second': 1}, False),
            ({}, {}, False),
        ]
    ):
        core = tpu(2, [(f'fusion.{i}', 10, LOOP, stats) for i in range(5)], **facts)
        found = findings_of(write(f'peak{number}.xplane.pb', core.data()))
        check_same('peak' in found, said, f'case {number}: {found}')


@test
def clocks_that_are_not_known(_):
    """A file of cycles; option clock= makes times of them."""
    make = os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools', 'furiosa-make.py')
    subprocess.run([sys.executable, '-B', make, 'make', '.'], check=True)
    check('clock' in findings_of('synthetic_edf.json'), 'cycles')
    check(
        'clock'
        not in findings_of('--store', 'other', '-d', 'furiosa:clock=1e9', 'synthetic_edf.json'),
        'times',
    )


@test
def hosts_whose_clocks_nothing_joins(_):
    """Sixteen ranks of two hosts, with collectives over both, and without."""
    for name, joined in (('joined', True), ('apart', False)):
        ranks.make(name, ranks.Job(hosts=2, steps=3, layers=2, seed=7, noise=0))
        for file in sorted(os.listdir(name)) if not joined else []:
            path = os.path.join(name, file)
            trace = json.loads(read(path))
            groups = [
                json.loads(e.get('args', {}).get('Process Group Ranks', '[0]'))
                for e in trace['traceEvents']
            ]
            trace['traceEvents'] = [
                e
                for e, group in zip(trace['traceEvents'], groups)
                if min(group) >= 8 or max(group) < 8
            ]
            write(path, json.dumps(trace).encode())
        found, left = told(name)
        check_same(
            'clock' in left or any(f['rule'] == 'clock' for f in found),
            not joined,
            f'{name}: {found} {left}',
        )


@test
def devices_of_which_nobody_knows_when_they_are_busy(_):
    """An NTFF whose code is not all in the file; of the sample all is known."""
    make = os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools', 'ntff_make.py')
    subprocess.run([sys.executable, '-B', make, '.', '--outside'], check=True)
    found = findings_of('synthetic_1.ntff')
    check('NeuronCore 0 is busy' in found['busy']['text'] and 'idle' not in found, f'{found}')
    check('busy' not in findings_of(sample()), 'the sample')


@test
def rows_that_were_lost(_):
    good = [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5, 'name': 'a'} for i in range(9)]
    bad = {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 'none', 'dur': 5, 'name': 'a'}
    for number, (events, places) in enumerate(
        [(good, 0), ([*good, bad], 1), ([bad, *good, bad], 2)]
    ):
        found = findings_of(
            '--keep-going',
            write(f'lost{number}.json', json.dumps({'traceEvents': events}).encode()),
        )
        check_same('lost' in found, places > 0, f'case {number}: {found}')
        if places:
            check_same(
                found['lost']['text'],
                f'Rows may be missing at {places} {"place" if places == 1 else "places"}',
                'how many',
            )


@test
def a_file_that_was_cut_off(_):
    """The profile is as long as its rows, begins with the first of them, and says where it ends."""
    second = 1700000000 * 10**6
    starts = [second + 700_000 + 10 * i for i in range(9)]
    events = [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': t, 'dur': 5, 'name': 'a'} for t in starts]
    text = json.dumps({'traceEvents': events})
    for name, data, warning in (
        ('whole.json', text, []),
        (
            'cut.json',
            cut := text[:-20],
            [f'cut.json: cut off at byte {len(cut)}: what follows is not known'],
        ),
    ):
        rows = starts[: len(starts) - len(warning)]
        with Server('--keep-going', write(name, data.encode())) as server:
            profile = server.profile('profile', server.lines[0].rsplit('/', 1)[1].strip()).json()
        times = [10**6 * (rows[0] - second), 10**6 * (rows[-1] + 5 - second)]
        check_same([int(profile['start']), int(profile['end'])], times, name)
        check_same([w for w in profile['warnings'] if 'cut off' in w], warning, name)


@test
def rows_of_a_device_that_were_lost(_):
    """An event behind the first operator cannot be read: the 10 ms until the second are not known
    to be idle, the 10 ms behind that are. Of 50 ms a fifth is lost, and places are not told
    besides."""
    for damaged in (True, False):
        core = tpu(
            2,
            [
                ('fusion.1', 10, LOOP),
                (None, 10, None),
                ('fusion.2', 10, LOOP),
                (None, 10, None),
                ('fusion.3', 10, LOOP),
            ],
        )
        if damaged:
            core.lines['XLA Ops'].insert(1, xspace.message(4, b'\x08'))  # a field without its value
        found, left = told('--keep-going', write(f'rows{damaged}.xplane.pb', core.data()))
        rules = {f['rule']: f for f in found}
        check_same(
            (stake(rules, 'lost'), 'lost' in left),
            (10 * MS if damaged else None, False),
            f'{found} {left}',
        )
        check_same(stake(rules, 'idle'), (10 if damaged else 20) * MS, f'{found}')
        if damaged:
            check_same(
                rules['lost']['text'],
                'Rows of /device:TPU:2 are missing for 10.0 ms (20.0 % of its span), in which it may be busy or idle',
                'how long',
            )


@test
def what_is_left_out_is_counted(_):
    """Idle, exposed, an operator and a tail are told; the three other long operators and the
    missing peak are not."""
    work = [
        ('fusion.0', 40, LOOP, {'flops': 9}),
        (None, 30, None),
        ('all-reduce.1', 35, 'all-reduce'),
    ]
    work += [('fusion.1', 4 if i % 33 == 1 and i < 97 else 1, LOOP) for i in range(100)]
    found, left = told(write('left.xplane.pb', tpu(2, work).data()))
    total = 40 + 35 + 3 * 4 + 97
    over = sum(t > total / 4 for t in (40, 35, 109))
    check_same(
        {f['rule'] for f in found if not f['gain']} | set(left),
        {'idle', 'exposed', 'operator', 'p99', 'peak'},
        f'{found} {left}',
    )
    told_operators = sum(f['rule'] == 'operator' for f in found)
    check_same(told_operators + left.get('operator', 0), over, f'operators: {found} {left}')
    check_same(left['peak'], 1, 'the last')


@test
def the_sample(_):
    """A part of two devices is one finding, of that which gains most, and its figure stands in the
    table."""
    found, left = told(sample())
    check_same(left.get('comm'), 1, 'the other device')
    comm = next(f for f in found if f['rule'] == 'comm')
    done = run('run', '-q', '-a', 'steps', '-s', 'csv:table=verdict_parts', '-o', '-', sample())
    rows = [r for r in rows_of(done.expect(0).out) if r['part'] == 'comm']
    most = max(rows, key=lambda r: float(r['gain']))
    check(comm['text'].startswith(most['device'] + ' communicates '), comm['text'])
    check_same(int(comm['at_stake']['value']), round(float(most['duration_ns']) * 1000), 'stake')


if __name__ == '__main__':
    main()
