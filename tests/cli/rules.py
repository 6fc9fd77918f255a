# SPDX-License-Identifier: Apache-2.0
"""rules.py - the edges of the rules of nprof-analyzer-steps(7), section verdict: traces on both
sides of each. Which part leads is in test-verdict-codes.c, which needs no trace."""

import json
import random

from harness import check, check_same, main, run, test, write
from verdicttrace import GEMM, MS, US, Trace, one, parts, picoseconds, table

NORM, ATTENTION, EXPERTS, CONVOLUTION, OTHER = (
    'layer_norm_kernel',
    'flash_fwd_kernel',
    'fused_moe_kernel',
    'winograd_fwd',
    'my_kernel',
)


def filled(*works, n=8, length=1000, **keywords):
    """Steps whose work ends 5 us behind them: (name, us) one behind the other, all launched within
    5 us before, and the device idle until then."""
    t = Trace()
    for k in range(n):
        a = 1000 + length * k
        t.step(k, a, a + length)
        at = first = a + length + 5 - sum(us for _, us in works)
        for i, (name, us) in enumerate(works):
            t.work(at, at + us, (first - 5 + i, first - 4.5 + i), name=name, **keywords)
            at += us
    return t


def gains(path, column='gain'):
    """{(part, gaps): gain}"""
    return {(r['part'], r['gaps']): r[column] for r in table(path, 'verdict_parts')}


# -- What computes


@test
def half_of_computing_is_a_kind(_folder):
    """Of matrix products, else of what memory bounds, else of attention, else of products and
    attention."""
    for code, *works in (
        ('gemm', (GEMM, 500), (NORM, 500)),
        ('memory', (GEMM, 499), (NORM, 501)),
        ('gemm', (EXPERTS, 500), (NORM, 500)),
        ('gemm', (CONVOLUTION, 500), (NORM, 500)),
        ('memory', (NORM, 500), (GEMM, 300), (OTHER, 200)),
        ('attention', (ATTENTION, 500), (NORM, 499), (GEMM, 1)),
        ('mixed', (ATTENTION, 499), (NORM, 499), (OTHER, 2)),
        ('gemm', (GEMM, 300), (ATTENTION, 200), (NORM, 499), (OTHER, 1)),
        ('mixed', (GEMM, 300), (ATTENTION, 199), (NORM, 499), (OTHER, 2)),
    ):
        check_same(one(filled(*works).write())['code'], f'compute.{code}', works)


@test
def names_must_be_known_for_three_fifths(_folder):
    for other, code in ((400, 'compute.gemm'), (401, 'compute')):
        path = filled((OTHER, other), (GEMM, 1000 - other)).write()
        check_same(one(path)['code'], code, f'{other} of 1000')


@test
def bytes_must_be_known_for_half(_folder):
    """Of what memory bounds: operators with shapes launch it."""
    for known, code in ((6, 'compute.bandwidth'), (5, 'compute.memory')):
        t = Trace()
        for k in range(12):
            a = 1000 + 10 * k
            shapes = {'Input Dims': [[4000000]] * 2, 'Input type': ['float'] * 2}
            t.span('cpu_op', 'aten::mul', a, a + 9, **(shapes if k < known else {}))
            t.work(a + 3, a + 12.5, (a + 1, a + 2), name=f'mul_kernel_{k}')
        events = {
            'traceEvents': t.events,
            'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}],
        }
        check_same(one(write('a.json', json.dumps(events)))['code'], code, f'{known} of 12')


# -- Gains and actions


@test
def gains_are_of_devices_that_work(_folder):
    """From a hundredth of the window on; below, all else would be a factor."""
    for busy, there in ((10, True), (9.9, False)):
        found = gains(filled((GEMM, busy)).write())
        check_same(bool(found['host', 'short']), there, f'{busy} of 1000: {found}')


@test
def pauses_between_kernels_are_no_work(_folder):
    """A device that works for less than 10 of 1000 us has no gain of launches, though it
    idles in gaps of its queue for 30."""
    for kernel, there in ((2.5, True), (2.4, False)):
        t = Trace()
        for k in range(8):
            a = 1000 + 1000 * k
            t.step(k, a, a + 1000)
            for i in range(4):
                at = a + 955 + 12.5 * i
                t.work(at, at + kernel, (a + 945 + i, a + 945.5 + i), name=GEMM)
        found = gains(t.write())
        check_same(bool(found['host', 'short']), there, f'4 x {kernel} of 1000: {found}')


@test
def gains_of_communication_end_with_computing(_folder):
    """What could run beside it is no longer than that."""
    for compute, gain in ((300, 1000 / 700), (700, 1000 / 800)):
        found = gains(filled((GEMM, compute), ('ncclDevKernel_AllReduce', 900 - compute)).write())
        reached = min(compute, 900 - compute)
        check_same(round(float(found['comm', '']), 6), round(1000 / (1000 - reached), 6), compute)
        check_same(gain, 1000 / (1000 - reached), 'as reckoned')


@test
def graphs_in_use_are_not_advised(_folder):
    """From half of the device's launched time on."""
    for graphs, action in (
        (50, 'async_schedule, sample_on_device'),
        (49, 'device_graph, compile, larger_batch'),
    ):
        t = Trace()
        for k in range(8):
            a = 1000 + 1000 * k
            t.step(k, a, a + 1000)
            t.work(a + 900, a + 900 + graphs, (a + 895, a + 897), call='cudaGraphLaunch')
            t.work(a + 900 + graphs, a + 1000, (a + 897, a + 898))
        found = gains(t.write(), 'action')
        check_same(found['host', 'short'], action, f'graphs are {graphs} of 100')


# -- Windows


@test
def periods_must_fill_four_fifths(_folder):
    """Eight loops of three kernels have seven periods of 1 ms; a kernel that ends the recording is
    in none."""
    for last, base in ((749, 'period'), (751, 'span')):
        t = Trace()
        for k in range(8):
            for i, name in enumerate((GEMM, NORM, ATTENTION)):
                a = 1000 + 1000 * k + 300 * i
                t.work(a, a + 300, (a - 3, a - 2), name=name)
        t.work(9000, 9000 + last, (8990, 8991), name='end')
        check_same(one(t.write())['base'], base, f'7 of {8 + last / 1000} ms')


@test
def a_median_of_two_is_their_mean(_folder):
    t = Trace()
    for k, end in enumerate((2000, 3000, 4000.001)):
        t.step(k, end - 1000, end)
        t.work(end - 500, end, (end - 600, end - 599))
    check_same(one(t.write())['median_ns'], '1000000.5', '1,000,000 and 1,000,001 ns')


@test
def the_host_tells_of_periods_that_are_left_out(_folder):
    """Even where the device worked for most of it."""
    t, at = Trace(), 1000
    for k in range(7):
        length = 90000 if k == 3 else 1000
        t.step(k, at, at + length)
        if k == 3:
            t.span('python_function', 'saving.py(9): save', at, at + 30000)
        t.work(at + length * 0.4, at + length, (at + length * 0.4 - 10, at + length * 0.4 - 9))
        at += length
    found = one(t.write())
    check('took 90.0 ms (saving.py(9): save): left out' in found['sentence'], found)


@test
def the_first_screen_is_of_the_slowest_steps(_folder):
    """A device with steps before one without, then the one whose steps take longest."""

    def first(t):
        (row,) = (r for r in table(t.write(), 'verdict') if r['place'] == '1')
        return row['device'], row['base']

    t = Trace()
    for k in range(8):
        for i, name in enumerate((GEMM, NORM, ATTENTION)):
            a = 1000 + 1000 * k + 300 * i
            t.work(a, a + 100, (a - 3, a - 2), name=name, device=1)
    for k in range(3):
        t.work(1000 + 3000 * k, 3900 + 3000 * k, (995 + k, 996 + k), name=f'kernel_{k}')
    check_same(first(t), ('GPU 1', 'period'), 'periods before a span that works for longer')
    t = Trace()
    for k in range(6):
        a = 1000 + 1000 * k
        t.step(k, a, a + 1000)
        for device, end in ((0, 900), (1, 900 + 20 * k), (2, 900)):
            t.work(a + 500, a + end, (a + 400, a + 401), device=device)
    check_same(first(t), ('GPU 1', 'step'), 'steps of 1,020 us before such of 1,000')


@test
def steps_are_of_the_process_with_most_work(_folder):
    """Two processes share a device: A launches four kernels a step, B one in its step of 3 ms."""
    for turn in (0, 1):
        t = Trace()
        for process in (turn, 1 - turn):
            kernels, length = ((4, 1000), (1, 3000))[process]
            for k in range(12000 // length):
                a, first = 1000 + length * k, len(t.events)
                t.step(k, a, a + length)
                for i in range(kernels):
                    at = a + length - 400 + 100 * i + 50 * process
                    t.work(at, at + 50, (a + 3 * i, a + 3 * i + 1))
                for event in t.events[first:]:
                    if event['tid'] == 9:
                        event['pid'] = 9 + process
        check_same(picoseconds(one(t.write())['median_ns']), MS, f'turn {turn}')


@test
def the_first_step_may_compile(_folder):
    """A later one that does is told, also where the first is cut off as lag."""

    def told(n, compiling, length_of=9000, name='torch/_dynamo: compile'):
        t, at = Trace(), 1000
        for k in range(n):
            length = 20000 if k == compiling else 10000
            t.step(k, at, at + length)
            if k == compiling:
                t.span('python_function', name, at, at + length_of)
            t.work(at + length - 900, at + length, (at + length - 950, at + length - 949))
            at += length
        return [r['step'] for r in table(t.write(), 'unsteady') if r['code'] == 'recompile']

    check_same(told(1, 0), [], 'one step alone')
    check_same(told(5, 0), [], 'the first of five')
    check_same(told(5, 1), ['ProfilerStep#1'], 'the second')
    name = 'get_batch: compile'
    check_same(told(5, 1, 5000, name), ['ProfilerStep#1'], '5 ms')
    check_same(told(5, 1, 4900, name), [], '4.9 ms')


# -- Periods of recordings without steps


UNEVEN = (1000, 1500)  # us of periods in turn: no name comes evenly


def sequence(names, lengths=(100,), extra=()):
    """Work of those names, one behind the other, and of extra: (name, start, category)."""
    t, at = Trace(), 1000
    for i, name in enumerate(names):
        us = lengths[i % len(lengths)]
        t.work(at, at + us - 1, (at - 5, at - 4), name=name)
        at += us
    for name, start, category in extra:
        t.work(start, start + 1, (start - 5, start - 4), name=name, category=category)
    return one(t.write())


def base_of(names, lengths=(100,), extra=()):
    found = sequence(names, lengths, extra)
    return found['base'], int(found['windows'])


def uneven(pattern):
    """Lengths of the work of two periods, the second half as long again by its first row."""
    return [us - 10 * len(pattern) if i == 0 else 10 for us in UNEVEN for i in range(len(pattern))]


LETTERS = [f'kernel_{c}' for c in 'abcdefghijklmnopqrstuvwxyz']


@test
def a_period_comes_three_times(_folder):
    """In twelve rows at least."""
    pattern = LETTERS[:12]
    check_same(base_of(pattern * 3 + pattern[:1]), ('period', 3), 'three times')
    check_same(base_of(pattern * 2 + pattern[:1]), ('span', 1), 'twice')
    pattern = LETTERS[:2]
    check_same(base_of(pattern * 6, uneven(pattern)), ('period', 5), 'twelve rows')
    check_same(base_of(pattern * 5 + pattern[:1], uneven(pattern)), ('span', 1), 'eleven')


@test
def names_that_come_too_often_tell_no_period(_folder):
    """From 401 times on: those of a few hundred may."""
    pattern = LETTERS[:2]
    check_same(base_of(pattern * 400, uneven(pattern)), ('period', 399), '400 times')
    check_same(base_of(pattern * 401, uneven(pattern)), ('span', 1), '401 times')


@test
def a_name_may_come_four_times_a_period(_folder):
    """Distances are taken to the next four of the name; cut at every so many rows where none comes
    once."""
    pattern = [LETTERS['ab'.index(c)] for c in 'aababb']
    check_same(base_of(pattern * 8, uneven(pattern)), ('period', 7), 'thrice each')
    pattern = [LETTERS['ab'.index(c)] for c in 'aabaabbabb']
    check_same(base_of(pattern * 8, uneven(pattern)), ('span', 1), 'five times each')


@test
def fills_belong_to_no_period(_folder):
    pattern, lengths = LETTERS[:4], uneven(LETTERS[:4])
    fills = [('Memset (Device)', 1000 + 250 * k * k % 9000, 'gpu_memset') for k in range(1, 12)]
    check_same(base_of(pattern * 8, lengths, fills)[0], 'period', 'fills between')


@test
def one_name_is_no_period(_folder):
    check_same(base_of(LETTERS[:1] * 24, UNEVEN), ('span', 1), 'one name')


@test
def a_period_repeats_to_85_hundredths(_folder):
    """A row of another name differs from the one a period before and from the one behind."""
    for others, base in ((8, 'period'), (9, 'span')):  # 16 and 18 of 110 differ
        names = LETTERS[:10] * 12
        for i in range(others):
            names[15 + 11 * i] = f'another_{i}'
        check_same(base_of(names, uneven(LETTERS[:10]))[0], base, f'{others} others')


@test
def a_period_repeats_in_all_rows(_folder):
    """Of many rows every other is looked at first, and of these all repeat."""
    rng = random.Random(3)
    pattern = [f'kernel_{i}' for i in range(60)]
    names = pattern * 277
    for i in range(1, len(names), 2):
        if rng.random() < 0.25:
            names[i] = f'another_{i}'
    same = sum(a == b for a, b in zip(names, names[60:])) / (len(names) - 60)
    check(0.7 < same < 0.84, same)
    lengths = [100] + [10] * 59 + [5000] + [10] * 59
    check_same(base_of(pattern * 277, lengths)[0], 'period', 'all repeat')
    check_same(base_of(names, lengths)[0], 'span', f'{same} repeat')


@test
def a_step_repeats_better_than_its_layers(_folder):
    """By more than a hundredth: 20 layers of 4 kernels and a head."""
    names = (LETTERS[:4] * 20 + ['head']) * 8
    check_same(base_of(names), ('period', 7), 'steps')


@test
def a_period_begins_with_the_name_that_comes_most_evenly(_folder):
    """Of those that come once in it."""
    t = Trace()
    for k in range(8):
        a, late = 1000 + 1000 * k, (0, 100)[k % 2]
        for name, start in (
            (LETTERS[0], 0),
            (LETTERS[1], 300 + late),
            (LETTERS[0], 500),
            (LETTERS[2], 700),
        ):
            t.work(a + start, a + start + 50, (a + start - 5, a + start - 4), name=name)
    found = one(t.write())
    check_same((found['windows'], found['deviation_ns']), ('7', '0'), found)


def evenly(*marks, until=20000):
    """Rows of names in an order that never repeats, and of marks: (name, starts)."""
    t, rows = Trace(), []
    for i in range(until // 100):
        rows.append((f'{LETTERS[i * i * 7 % 26]}{i * i % 11}', 1000 + 100 * i))
    for name, starts in marks:
        rows += [(name, 1050 + start) for start in starts]
    for name, start in sorted(rows, key=lambda row: row[1]):
        t.work(start, start + 40, (start - 5, start - 4), name=name)
    found = one(t.write())
    return found['base'], int(found['windows'])


@test
def a_name_that_comes_evenly_is_a_period(_folder):
    """Five times at least, 8 of 10 distances within a tenth of their median, over half of the
    recording; of those the seldomest."""
    every = lambda us, n, first=0: [first + us * i for i in range(n)]  # noqa: E731
    check_same(evenly(('mark', every(4700, 5))), ('period', 4), 'five times')
    check_same(evenly(('mark', every(6300, 4))), ('span', 1), 'four times')
    check_same(
        evenly(('mark', every(1900, 11)), ('seldom', every(3800, 6, 10))), ('period', 5), 'seldom'
    )
    check_same(
        evenly(('mark', every(1900, 11)), ('late', every(2100, 5, 11000))), ('period', 10), 'late'
    )
    for late, base in ((1, 'period'), (2, 'span')):  # each makes two distances uneven, of ten
        starts = every(1900, 11)
        for i in range(late):
            starts[3 + 4 * i] += 400
        check_same(evenly(('mark', starts))[0], base, f'{late} come late')


# -- Warm-ups and pauses


@test
def a_warm_up_loads_in_few_periods(_folder):
    """In half of them at most; more, and it is what the host does."""
    for loads, code in ((3, 'first_use'), (4, 'host')):
        t, at = Trace(), 1000
        for k in range(8):
            length = 11000 if k > 7 - loads else 1000
            t.step(k, at, at + length)
            if length > 1000:
                t.span('cuda_runtime', 'cuModuleLoadData', at, at + 10000)
            t.work(at + length - 900, at + length, (at + length - 920, at + length - 919))
            t.work(at + length, at + length + 1, (at + length - 910, at + length - 909))
            at += length
        check_same(one(t.write())['code'], code, f'{loads} of 7 periods load')


@test
def captured_graphs_are_a_warm_up_in_any_period(_folder):
    """What a thread launches between the two calls, or frames, does not run, so its device idles; a
    capture without its end goes on until something ran that its thread launched, one of another
    thread is none, nor are the user's own functions of that name."""
    calls, frames, torch = 'cuda_runtime', 'python_function', 'torch/cuda/graphs.py(80): '
    for kind, begins, ends, tid, captured in (
        (calls, 'cudaStreamBeginCapture', 'cudaStreamEndCapture', 9, 10000),
        (calls, 'hipStreamBeginCapture', 'hipStreamEndCapture', 9, 10000),
        (calls, 'aclmdlRICaptureBegin', 'aclmdlRICaptureEnd', 9, 10000),
        (calls, 'cudaStreamBeginCapture', 'cudaStreamGetCaptureInfo', 9, 10080),
        (calls, 'cudaStreamBeginCapture', 'cudaStreamEndCapture', 8, 0),
        (frames, torch + 'capture_begin', torch + 'capture_end', 9, 10000),
        (frames, 'camera.py(3): capture_begin', 'camera.py(9): capture_end', 9, 0),
        (frames, 'my/plot_graphs.py(3): capture_begin', 'my/plot_graphs.py(9): capture_end', 9, 0),
    ):
        t = Trace()
        for k in range(8):
            a = 1000 + 11000 * k
            t.step(k, a, a + 11000)
            t.span(kind, begins, a, a + 10, tid)
            for i in range(20):
                t.span('cpu_op', 'aten::mm', a + 20 + 490 * i, a + 500 + 490 * i)
            t.span(kind, ends, a + 9990, a + 10000, tid)
            t.work(a + 10100, a + 10999, (a + 10080, a + 10081))
            t.work(a + 10999, a + 11000, (a + 10090, a + 10091))
        path = t.write()
        check_same(one(path)['code'], 'capture' if captured else 'host', (begins, ends, tid))
        check_same(parts(path).get('capture', 0), 7 * captured * 10**6, (begins, ends, tid))


@test
def making_a_graph_is_part_of_its_capture(_folder):
    """It is known by its call; what comes behind it is none."""
    t = Trace()
    for k in range(20):
        t.work(1000 + 30 * k, 1020 + 30 * k, (991 + 30 * k, 995 + 30 * k), name=f'sort{k}')
    t.span('cuda_runtime', 'cudaGraphInstantiate', 1600, 5600)
    t.work(5800, 5820, (5700, 5705))
    path = t.write()
    check_same((one(path)['code'], parts(path)['capture']), ('capture', 4000 * 10**6), 'parts')
    said = run('report', '--findings', path).expect(0).out
    check('idles' in said and 'launched' not in said, said)


@test
def what_runs_within_a_capture_does_not_end_it(_folder):
    """A thread may launch to another stream meanwhile; the end is in the file."""
    t = Trace()
    for k in range(20):
        t.work(1000 + 30 * k, 1020 + 30 * k, (991 + 30 * k, 995 + 30 * k), name=f'sort{k}')
    t.span('cuda_runtime', 'cudaStreamBeginCapture', 1600, 1610)
    t.work(3000, 3100, (2900, 2905), stream=8)
    t.span('cuda_runtime', 'cudaStreamEndCapture', 5590, 5600)
    t.work(5800, 5820, (5700, 5705))
    # Until the launch within, and from the end of its work to that of the capture.
    check_same(parts(t.write())['capture'], (2900 - 1600 + 5600 - 3100) * 10**6, 'captured')


def captures(n, length, replays):
    """`n` captures of `length` us one after the other, each with a kernel of 20 us behind it, then
    `replays` graphs of 900 us, one a millisecond."""
    t, at = Trace(), 1000
    for _ in range(12):
        t.work(at, at + 20, (at - 9, at - 5), name='prepare')
        at += 30
    for _ in range(n):
        t.span('cuda_runtime', 'cudaStreamBeginCapture', at, at + 2)
        t.span('cuda_runtime', 'cudaStreamEndCapture', at + length - 5, at + length)
        t.work(at + length + 10, at + length + 30, (at + length + 1, at + length + 4), name='fill')
        at += length + 40
    for _ in range(replays):
        t.work(at + 10, at + 910, (at, at + 5), call='cudaGraphLaunch')
        at += 1000
    return t.write()


@test
def a_capture_is_a_warm_up_from_half_on(_folder):
    """Beside replays it is one where it takes half of the span, and no gain is said of it; a short
    one in a long run is not named."""
    for n, length, replays, code in (
        (4, 10000, 0, 'capture'),
        (1, 40000, 0, 'capture'),
        (4, 10000, 38, 'capture'),
        (4, 10000, 41, 'mixed:capture'),
        (1, 1000, 10000, 'compute.gemm'),
    ):
        path = captures(n, length, replays)
        what = f'{n} captures of {length} us, {replays} replays'
        found, screen = one(path), run('report', path).expect(0).out
        check_same((found['base'], found['code'].startswith(code)), ('span', True), (what, found))
        check_same(
            'WARM-UP: the GPU waits while graphs are captured ' in screen, code == 'capture', screen
        )
        check_same('record later steps, which replay them' in screen, code == 'capture', screen)
        check(code != 'capture' or '\n  fix ' not in screen, screen)
        check('captured' not in screen or n * length > 1000, screen)
    inside = Trace()
    for k in range(8):
        a = 1000 + 1000 * k
        inside.step(k, a, a + 1000)
        if k == 4:
            inside.span('cuda_runtime', 'cudaStreamBeginCapture', a, a + 2)
            inside.span('cuda_runtime', 'cudaStreamEndCapture', a + 300, a + 310)
        first = a + (320 if k == 4 else 40)
        inside.work(first, a + 999, (first - 8, first - 5))
    found = one(inside.write())
    check_same((found['base'], found['group']), ('step', 'compute'), 'a capture within one step')


CAPTURES = (
    ('cuda_runtime', 'cudaStreamBeginCapture', 'cudaStreamEndCapture', 'cudaGraphInstantiate'),
    ('cuda_runtime', 'hipStreamBeginCapture', 'hipStreamEndCapture', 'hipGraphInstantiate'),
    ('cuda_runtime', 'aclmdlRICaptureBegin', 'aclmdlRICaptureEnd', None),
    (
        'python_function',
        'torch/cuda/graphs.py(80): capture_begin',
        'torch/cuda/graphs.py(99): capture_end',
        None,
    ),
)


class Captures(Trace):
    """Made at random: a thread that launches, captures, makes graphs and leaves captures without
    an end, beside one that captures and launches nothing. Times of `captured` are us."""

    def __init__(self, seed):
        super().__init__()
        self.r = r = random.Random(seed)
        self.kind, self.begins, self.ends, self.makes = r.choice(CAPTURES)
        self.at, self.cut, self.free = 1000, None, {7: 0, 8: 0}
        self.works, self.ranges, often = [], [], r.choice((2, 12, 30))
        self.launch()
        for _ in range(r.randrange(10, 60)):
            acts = [self.launch] * often + [self.capture, self.leave, self.other]
            r.choice(acts + ([self.make] if self.makes else []))()
            self.at += r.randrange(30)
        self.launch()

    def launch(self):
        stream = self.r.choice((7, 8))
        start = max(self.at + self.r.randrange(1, 40), self.free[stream])
        self.free[stream] = end = start + self.r.randrange(1, self.r.choice((50, 900)))
        name = f'kernel{len(self.works)}'
        self.work(start, end, (self.at, self.at + 4), name=name, stream=stream)
        self.works.append((start, end, self.at))
        if self.cut:  # what follows begins when its work has: else a later launch may end it
            self.ranges.append((self.cut, self.at))
            self.at = start
        self.cut, self.at = None, self.at + 4

    def capture(self, tid=9):
        if self.cut and tid == 9:
            self.launch()
        start, at = self.at, self.at + 3
        self.span(self.kind, self.begins, start, at, tid)
        for _ in range(self.r.randrange(6)):
            end = at + self.r.randrange(5, self.r.choice((50, 3000)))
            self.span('cpu_op', 'aten::mm', at, end, tid)
            self.span('cuda_runtime', 'cudaLaunchKernel', at + 1, at + 4, tid)
            at = end
        self.span(self.kind, self.ends, at, at + 3, tid)
        if tid == 9:
            self.ranges.append((start, at + 3))
            self.at = at + 3

    def other(self):
        self.capture(tid=8)

    def make(self):
        if self.cut:
            self.launch()
        end = self.at + self.r.randrange(1, 4000)
        self.span(self.kind, self.makes, self.at, end)
        self.ranges.append((self.at, end))
        self.at = end

    def leave(self):
        if self.cut:
            self.launch()
        self.cut = self.at
        self.span(self.kind, self.begins, self.at, self.at + 3)
        self.at += 3 + self.r.randrange(2000)

    def captured(self):
        """Of the idle time before each work, until its launch."""
        length, until = 0, self.works[0][0]
        for start, end, launch in sorted(self.works, key=lambda one: (one[0], one[2])):
            if start > until:
                length += sum(max(0, min(b, launch) - max(a, until)) for a, b in self.ranges)
            until = max(until, end)
        return length, until - min(start for start, _, _ in self.works)


@test
def captures_made_at_random_are_as_made(_folder):
    warm = 0
    for seed in range(24):
        made = Captures(seed)
        path, (length, span) = made.write(), made.captured()
        check_same(parts(path).get('capture', 0), length * US, f'seed {seed}')
        found = one(path)
        check_same((found['base'], picoseconds(found['window_ns'])), ('span', span * US), seed)
        check(found['code'] == 'capture' or 2 * length < span, (seed, length, span, found))
        warm += 2 * length >= span
    check(6 < warm < 18, warm)


@test
def what_nothing_could_hide_is_not_exposed(_folder):
    """A file of collectives alone does not say what else the device did."""
    for computes in (False, True):
        t = Trace()
        for k in range(20):
            a = 1000 + 1000 * k
            t.work(a, a + 500, (a - 20, a - 10), name='ncclDevKernel_AllReduce_Sum_f32_RING_LL')
            if computes and k < 3:
                t.work(a + 600, a + 700, (a + 500, a + 510))
        said = run('answers', '-q', 'exposed', t.write()).expect(0).out
        check_same('of the span of GPU 0' in said, computes, said)


@test
def a_pause_is_counted_once(_folder):
    """However many kernels end within it; the time is that of the device's idle time."""
    t = Trace()
    for k in range(6):
        a = 1000 + 10000 * k
        t.step(k, a, a + 10000)
        t.work(a + 3000, a + 4000, (a + 10, a + 20), stream=8)
        t.work(a + 8000, a + 10000, (a + 7990, a + 7995))
        if k == 3:
            t.span('python_function', '<built-in method gc.collect>', a + 2500, a + 6000)
    rows = [r for r in table(t.write(), 'unsteady') if r['code'] == 'gc']
    found = [(r['times'], picoseconds(r['duration_ns'])) for r in rows]
    check_same(found, [('1', 2500 * 10**6)], 'a collection around a kernel')


# -- What idle time was


def steps_of(body, length=20000, n=6):
    """Steps in which the host does body(trace, k, start) before it launches 10 ms of products."""
    t = Trace()
    for k in range(n):
        a = 1000 + length * k
        t.step(k, a, a + length)
        body(t, k, a)
        t.work(a + length - 10000, a + length - 1, (a + length - 10010, a + length - 10005))
    return parts(t.write())


def check_part(body, there, absent, what):
    found = steps_of(body)
    check(there in found and absent not in found, f'{what}: {there}, no {absent}: {found}')


@test
def long_allocations_are_first_use(_folder):
    """From 10 ms on, of three of a name at most."""

    def allocates(calls, length):
        return lambda t, k, a: (
            t.span('cuda_runtime', 'cudaMalloc', a, a + length) if 6 - k <= calls else None
        )

    check_part(allocates(3, 9900), 'alloc', 'first_use', '9.9 ms')
    check_part(allocates(3, 10000), 'first_use', 'alloc', '10 ms, three of them')
    check_part(allocates(4, 10000), 'alloc', 'first_use', '10 ms, four of them')


@test
def long_launches_are_first_use(_folder):
    """From 1 ms on; stalls where five spans stood still, of a kernel that was launched before."""

    def launches(length, stalls=0):
        def body(t, k, a):
            for i in range(10 if k == 0 else 0):
                t.span('cpu_op', 'aten::view', a + 25 * i, a + 25 * i + 20)
            if 6 - k <= stalls:
                t.span('cpu_op', 'aten::view', a, a + 6000)
            if k == 5:
                t.work(a + 7000 + length, a + 7100 + length, (a + 7000, a + 7000 + length))

        return body

    check_part(launches(990), 'launch', 'first_use', '0.99 ms')
    check_part(launches(1000), 'first_use', 'stall', '1 ms')
    for stalls, there in ((4, True), (5, False)):
        found = steps_of(launches(1000, stalls))
        check_same('first_use' in found, there, f'{stalls} spans that stood still: {found}')


@test
def what_stands_still(_folder):
    """5 ms and more of an operator of five calls, a hundred times their median, that waits for
    nothing."""

    def stands(length, calls=9, name='aten::view', short=20):
        def body(t, k, a):
            for i in range(calls - 1 if k == 0 else 0):
                t.span('cpu_op', name, a + (short + 5) * i, a + (short + 5) * i + short)
            if k == 4:
                t.span('cpu_op', name, a, a + length)

        return body

    check_part(stands(4900), 'host', 'stall', '4.9 ms')
    check_part(stands(5000), 'stall', 'first_use', '5 ms')
    check_part(stands(6000, calls=5), 'stall', 'first_use', 'one of five')
    check_part(stands(6000, calls=4), 'host', 'stall', 'one of four')
    check_part(stands(6000, short=59), 'stall', 'first_use', 'above a hundred times')
    check_part(stands(6000, short=60), 'host', 'stall', 'a hundred times')
    check_part(stands(6000, name='Stream::synchronize'), 'host', 'stall', 'it waits')


@test
def what_is_left_out_of_periods(_folder):
    """Periods above three times the median, a fifth of all at most."""

    def left_out(long, times, n=11):
        t, at = Trace(), 1000
        for k in range(n):
            length = long if 2 <= k < 2 + times else 1000
            t.step(k, at, at + length)
            t.work(at + length - 900, at + length, (at + length - 950, at + length - 949))
            at += length
        return one(t.write())['left_out']

    check_same(left_out(3000, 1), '0', 'three times')
    check_same(left_out(3001, 1), '1', 'above')
    check_same(left_out(5000, 2), '2', 'a fifth of ten')
    check_same(left_out(5000, 3), '0', 'above a fifth')


@test
def what_a_gain_is_printed_for(_folder):
    """1.02 times and more."""
    for host, printed in ((19, False), (20, True)):  # of 1000: 1.0194, 1.0204
        t = Trace()
        for k in range(8):
            a = 1000 + 1000 * k
            t.step(k, a, a + 1000)
            t.work(a + host, a + 1000, (a + host - 1, a + host))
        found = [r['gain'] for r in table(t.write(), 'verdict_parts') if r['part'] == 'host']
        check_same([bool(gain) for gain in found], [printed], f'{host} of 1000: {found}')


@test
def a_rare_allocation_is_first_use(_folder):
    """Also a hundred times the median of its name, however many there are."""

    def body(short):
        def allocates(t, k, a):
            for i in range(9 if k == 0 else 0):
                t.span('cuda_runtime', 'cudaMalloc', a + 200 * i, a + 200 * i + short)
            if k == 4:
                t.span('cuda_runtime', 'cudaMalloc', a, a + 10000)

        return steps_of(allocates, length=21000)

    check('first_use' not in body(101), '99 times')
    check('first_use' in body(100), 'a hundred times')


@test
def long_calls_that_launch_nothing_here(_folder):
    """A launch of 1 ms whose own work runs later, on another stream, is judged alike."""

    def launches(length):
        def body(t, k, a):
            if k == 5:
                t.span('cuda_runtime', 'cudaLaunchKernel', a + 1000, a + 1000 + length)

        return body

    check_part(launches(990), 'host', 'first_use', '0.99 ms')
    check_part(launches(1000), 'first_use', 'stall', '1 ms')


@test
def a_launch_call_of_a_seldom_name_is_first_use(_folder):
    """Fewer than three of that name say nothing of how long it takes; and calls that block or
    allocate are no stalls."""

    def launches(call, stalls):
        def body(t, k, a):
            for i in range(9 if k == 0 else 0):
                t.span(*stalls, a + 25 * i, a + 25 * i + 20)
            if k:
                t.span(*stalls, a, a + 6000)
            if k in (3, 4, 5):
                length = 1000 if k == 5 else 20
                launch = (a + 7000, a + 7000 + length)
                t.work(launch[1], launch[1] + 100, launch, call=call(k))

        return body

    stall = ('cpu_op', 'aten::view')
    check_part(launches(lambda k: 'cudaLaunchKernelExC', stall), 'stall', 'first_use', 'three')
    seldom = lambda k: 'cuLaunchKernel' if k == 3 else 'cudaLaunchKernelExC'  # noqa: E731
    check_part(launches(seldom, stall), 'first_use', 'nothing', 'two')
    copies = ('cuda_runtime', 'cudaMemcpy')
    check_part(launches(lambda k: 'cudaLaunchKernelExC', copies), 'first_use', 'stall', 'copies')


@test
def what_compiles_is_first_use(_folder):
    """5 ms of its own, or of a span that holds what compiles, and no stall; frames are none
    either."""

    def compiles(length, name='Torch-Compiled Region: 0/0', category='user_annotation', inner=None):
        def body(t, k, a):
            for i in range(9 if k == 0 else 0):
                t.span(category, name, a + 25 * i, a + 25 * i + 20)
            if k == 4:
                t.span(category, name, a, a + length)
            if k == 4 and inner:
                t.span('user_annotation', inner, a + 10, a + 20)

        return body

    check_part(compiles(4900), 'host', 'first_use', '4.9 ms')
    check_part(compiles(5000), 'first_use', 'stall', '5 ms')
    held = compiles(6000, 'aten::view', 'cpu_op', 'torch/_dynamo')
    check_part(held, 'first_use', 'stall', 'an operator that holds it')
    check_part(compiles(6000, 'a.py(1): f', 'python_function'), 'host', 'stall', 'a frame')

    def pieces(t, k, a):
        if k == 4:
            t.span('user_annotation', 'Torch-Compiled Region: 0/0', a, a + 9000)
            t.span('cpu_op', 'aten::mm', a + 4900, a + 5000)

    check_part(pieces, 'host', 'first_use', '4.9 and 4.0 ms of its own')

    def annotated(t, k, a):
        for i in range(9 if k == 0 else 0):
            t.span('cpu_op', 'aten::view', a + 25 * i, a + 25 * i + 20)
        if k == 4:
            t.span('user_annotation', 'aten::view', a, a + 6000)

    check_part(annotated, 'host', 'stall', 'an annotation that is called like an operator')


@test
def preparing_is_not_what_launches(_folder):
    frame = ('python_function', 'image_processing.py(3): resize_all')
    check_part(lambda t, k, a: t.span(*frame, a, a + 9000), 'preprocess', 'input', 'prepares')
    check_part(lambda t, k, a: t.span(*frame, a, a + 9995), 'host', 'preprocess', 'launches')


@test
def calls_that_block(_folder):
    """For up to 1 ms in a gap; longer, what they wait for is not in the file."""

    def blocks(*lengths):
        def body(t, k, a):
            for i, length in enumerate(lengths):
                t.span('cuda_runtime', 'cudaStreamSynchronize', a + 2000 * i, a + 2000 * i + length)

        return body

    check_part(blocks(1000), 'sync', 'unrecorded', '1 ms')
    check_part(blocks(1001), 'unrecorded', 'sync', 'longer')
    check_part(blocks(500, 501), 'unrecorded', 'sync', 'two of them')


@test
def work_without_an_id_is_unlinked_beside_linked(_folder):
    """Whatever it is called; it waits where no work of the device has launches."""
    for beside, part in ((True, 'unlinked'), (False, 'wait')):
        t = Trace()
        for k in range(20):
            a = 1050 + 100 * k
            t.span('mystery', f'op_{k % 3}', a, a + 50, tid=7, device=0, stream=7)
            t.events[-1]['pid'] = 0
        t.events.append(
            {'ph': 'M', 'name': 'process_labels', 'pid': 0, 'args': {'labels': 'GPU 0'}}
        )
        if beside:
            t.work(3010, 3060, (2990, 2991))
        idle = {name: ps for name, ps in parts(t.write()).items() if name != 'compute' and ps}
        check_same(list(idle), [part], idle)


def alone(*rows, n=10):
    """The part that each gap between rows is, all of one stream: (start, end, launch, call)."""
    t = Trace()
    for start, end, launch, call in rows:
        t.work(start, end, launch, call=call, name=f'kernel_{start}')
    for k in range(n):
        t.work(100 * k, 100 * k + 100, (100 * k - 5, 100 * k - 4), name=f'before_{k}')
    return t


LAUNCH, GRAPH, COPY = 'cudaLaunchKernel', 'cudaGraphLaunch', 'cudaMemcpyAsync'


@test
def behind_a_launch(_folder):
    """Up to 1 ms is launch latency where the call ended in the gap, a pause where it had ended
    before; longer, nothing that is recorded explains it."""
    for launch, start, part in (
        ((1010, 1020), 2020, 'launch'),
        ((1010, 1020), 2021, 'unrecorded'),
        ((980, 990), 2000, 'wait'),
        ((980, 990), 2001, 'unrecorded'),
    ):
        found = parts(alone((start, start + 100, launch, LAUNCH)).write())
        check(found.get(part, 0) >= 900 * 10**6, f'{launch}, {start}: {part}: {found}')


@test
def in_a_copy_that_blocks(_folder):
    for start, part in ((2010, 'sync'), (2011, 'unrecorded')):
        path = alone((start, start + 100, (1010, start + 105), COPY)).write()
        check_same(parts(path).get(part, 0), (start - 1010) * 10**6, f'{start}: {part}')
    check_same(
        [r['place'] for r in table(path, 'verdict_parts') if r['part'] == 'unrecorded'],
        [COPY],
        'its name',
    )


@test
def behind_graphs(_folder):
    """From 100 us on, and of two and more, their kernels are not recorded."""
    for graphs, start, there in ((2, 1120, False), (2, 1121, True), (1, 1121, False)):
        rows = [(start, start + 100, (1010, 1020), GRAPH)]
        if graphs == 2:
            rows.append((start + 110, start + 200, (1025, 1030), GRAPH))
        found = parts(alone(*rows).write())
        check_same('opaque' in found, there, f'{graphs} graphs, {start}: {found}')


@test
def others_work_for_half_of_a_wait(_folder):
    """Another device does, or rows of the profiler take half of it."""
    for us, part in ((1000, 'unrecorded'), (1010, 'wait')):
        t = alone((3000, 3100, (985, 990), LAUNCH))
        t.work(1500, 1500 + us, (986, 987), device=1)
        check(part in parts(t.write(), 'GPU 0'), f'another device for {us} of 2000 us')
    for us, part in ((1000, 'unrecorded'), (1010, 'profiler')):
        t = alone((3000, 3100, (985, 990), LAUNCH))
        t.span('overhead', 'Buffer Flush', 1500, 1500 + us)
        check(part in parts(t.write()), f'the profiler for {us} of 2000 us')


@test
def gaps_of_a_millisecond_are_long(_folder):
    for length, gaps in ((999, 'short'), (1000, 'long')):
        path = filled((GEMM, 500), length=500 + length).write()
        found = [r['gaps'] for r in table(path, 'verdict_parts') if r['part'] == 'host']
        check_same(found, [gaps], f'{length} us')


# -- Kernels that become slower


@test
def kernels_become_slower_by_a_twentieth(_folder):
    """Ten calls in the first and in the last third, of half of what computes."""

    def told(n, late, other=50):
        t, at = Trace(), 1000
        for i in range(n):
            for name, us in (('a', 1000 if i < n // 2 else late), ('b', other)):
                t.work(at + 5, at + 5 + us, (at, at + 1), name=name)
                at += 10 + us
        return len([r for r in table(t.write(), 'unsteady') if r['code'] == 'drift'])

    check_same(told(30, 1050), 1, '5 %')
    check_same(told(30, 1049), 0, '4.9 %')
    check_same(told(29, 1050), 0, 'nine calls in a third')
    check_same(told(30, 1060, 1030), 1, 'half of what computes')
    check_same(told(30, 1060, 1031), 0, 'less')


main()
