# SPDX-License-Identifier: Apache-2.0
"""silence.py - the first screen of profiles of Neuron and Furiosa that lack something: it says what
is there, and that the rest is unknown and why. Each figure is that of what the profile was made of.
first-screen.py has the same of GPUs."""

import os
import sys

import xspace
from harness import check, check_same, main, run, test, write
from samples import TOOLS
from screens import lines_of, screen_of, tables_of

sys.path.append(TOOLS)
import ntff_make  # pylint: disable=wrong-import-position


def screen(path):
    """{label: (row, sentence)}, of several the first."""
    lines = screen_of(path)
    check(len(lines) <= 24 and max(map(len, lines)) <= 80, lines)
    return {label: rows[0] for label, rows in lines_of(tables_of(path)).items()}


def check_step(lines, median, sums, n):
    """The median in us, the parts as they are said, and of how many windows they are."""
    row, text = lines['step']
    check(abs(row['time_ps'] - median * 10**6) <= 1 and row['count'] == n, row)
    check(f' = {sums}' in text, text)


# -- Neuron
# --------------------------------------------------------------------------------------------------

SLOT = ntff_make.SLOT
US = 10**6  # ps


def of_ntff(folder, executions, cut=None, instructions=True, begun_before=False):
    """Every 20 us an execution of 10 us, of which the tensor engine computes 7, and DMA moves the
    last us. cut: the recording ends so many us after the last one began. begun_before: it begins
    within one that is not counted.
    """

    def clock():
        return ntff_make.Clock.of(0, 1, 1)

    def change(core):
        core.clocks, core.dma_clocks, core.total = (
            {key: clock() for key in core.clocks},
            [clock() for _ in range(16)],
            10 * US,
        )
        end = core.begin + 20 * US * (executions - 1) + (10 if cut is None else cut) * US
        spans, packets = [[] for _ in range(5)], []
        for engine in range(
            5
        ):  # the first notifies of each execution are all over when the next ones begin
            begins, work, ends = (
                bytes([code, 16]) + bytes(34) + bytes([hint]) + bytes(SLOT - 37)
                for code, hint in ((0xA6, 2), (2, 0), (0xA6, 3))
            )
            core.code[engine] = begins + work + ends
            if begun_before:
                spans[engine].append((2, core.begin - 5 * US, core.begin - 4 * US))
        for n in range(executions):
            at = core.begin + 20 * US * n
            for engine in range(5):
                spans[engine] += [(0, at, at + 1), (2, at + 10 * US, at + 10 * US + 1)]
            spans[0][-1:-1] = [(1, at + US, at + 8 * US)]
            packets.append((at + 9 * US, at + 10 * US))

        def records():
            for engine in range(5):
                kind, pc = 4 + 4 * engine, core.address[engine] // SLOT
                for slot, start, until in spans[engine] if instructions else ():
                    word = (pc + slot) % (1 << 20) | 1 << 31
                    if until <= end + 1:
                        yield ntff_make.record(word | kind << 24, 0, start)
                        yield ntff_make.record(word | kind + 1 << 24, 0, until)

        def moved():
            for start, until in packets:
                if until <= end:
                    for word, ticks in ((1, start), (5, until), (6, until)):
                        yield ntff_make.record(0, word | (1 << 16) * (word == 5), ticks)

        core.instructions, core.packets, core.updates = (
            lambda: b''.join(records()),
            lambda: b''.join(moved()),
            bytes,
        )

    name = os.path.join(folder, 'made.ntff')
    with open(name, 'wb') as file:
        file.write(ntff_make.make(1, 5, b'u' * 32, executions, change))
    return name


@test
def executions_of_ntff_are_steps(folder):
    """Periods of 20 us, of which 7 compute and DMA moves alone in 1; of one all 10 us of it. What an
    engine says of an execution's begin and end takes a tick, in which nothing else runs."""
    lines = screen(of_ntff(folder, 1))
    check(
        '1 step' in lines['subject'][1] and lines['verdict'][1].startswith('COMPUTE-BOUND'), lines
    )
    check_step(lines, 10, 'compute 7.00 us + DMA alone 1.00 us + control 1 ps + idle 2.00 us', 1)
    for n in (3, 1000):
        lines = screen(of_ntff(folder, n))
        check(
            f'{n} steps' in lines['subject'][1] and lines['verdict'][1].startswith('QUEUE-BOUND'),
            lines,
        )
        check_step(
            lines, 20, 'compute 7.00 us + DMA alone 1.00 us + control 2 ps + idle 12.0 us', n - 1
        )


@test
def ntff_cut_within_an_execution(folder):
    """The last one of several did not end; one that had begun before is none."""
    for cut in (2, 5, 9):
        lines = screen(of_ntff(folder, 4, cut=cut))
        check('3 steps and 1 cut' in lines['subject'][1], lines['subject'])
        check_same(lines['step'][0]['time_ps'], 20 * US, 'the median of those that are whole')
    path = of_ntff(folder, 3, begun_before=True)
    lines = screen(path)
    check(lines['subject'][1].endswith('3 steps'), lines['subject'])
    check_step(lines, 20, 'compute 7.00 us + DMA alone 1.00 us + control 2 ps + idle 12.0 us', 2)
    skipped = run('run', '-s', 'csv:table=skipped', '-o', '-', path).expect(0).out
    check('execution' in skipped and 'it began before the recording' in skipped, skipped)


@test
def transposes_that_are_not_in_the_file(folder):
    row, text = screen(of_ntff(folder, 3))['mfu']
    check(
        row['head'] == 'HFU'
        and 'MFU unknown: which flops are transposes is not in the file' in text,
        text,
    )


# -- Furiosa
# --------------------------------------------------------------------------------------------------

HEADER = (
    'trace_id,parent_span_id,span_id,start,end,cat,name,thread.id,dram_base,pe_index,'
    'execution_index,'
    'instruction_index,operator_index\n'
)


def record(parent, span, start, end, cat, name, *numbers):
    cells = [
        f'{2 ** 64:032x}',
        f'{parent:016x}',
        f'{span:016x}',
        str(start),
        str(end),
        cat,
        name,
        '1',
        '0',
        *map(str, numbers),
    ]
    return ','.join(cells) + '\n'


def of_furiosa(
    folder, inferences, host=True, device=True, executions=True, operators=True, cut=False
):
    """Every ms an inference of 900 us; its execution of 700 us loads for 190 us, computes 400 and
    stores for 100. cut: the last one stops while it computes, so that nothing around has an end."""
    text = HEADER
    for n in range(inferences):
        at, root, last = 1000000 * n + 1000, 16 * n + 1, cut and n == inferences - 1
        if host:
            text += record(root, root + 1, at, at + 100000, 'Nux', 'Quantize', '', '', '', 0)
        for i, (name, start, end) in enumerate(
            (('Load', 110, 300), ('Conv2d', 300, 700), ('Store', 700, 800))
        ):
            if device and operators and not (last and name == 'Store'):
                text += record(
                    root + 2,
                    root + 3 + i,
                    at + 1000 * start,
                    at + 1000 * end,
                    'NPU',
                    name,
                    0,
                    n,
                    i,
                    '',
                )
        if device and executions and not last:
            text += record(
                root, root + 2, at + 100000, at + 800000, 'NPU', 'Execution', 0, n, '', ''
            )
        if host and not last:
            text += record(0, root, at, at + 900000, 'Nux', 'Inference', '', '', '', '')
    return write(os.path.join(folder, 'made.csv'), text)


@test
def executions_of_furiosa_are_steps(folder):
    """Every ms 400 us compute and 290 copy; between executions the NPU waits 300 for its host, and
    10 within them."""
    for n in (3, 1000):
        lines = screen(of_furiosa(folder, n))
        check(f'{n} steps' in lines['subject'][1], lines['subject'])
        check_step(lines, 1000, 'compute 400 us + copies 290 us + idle 310 us', n - 1)
        check('late launches 300 us' in lines['idle'][1], lines['idle'])
        check_same(
            (lines['verdict'][0]['code'], lines['verdict'][0]['ratio']),
            ('mixed:compute.gemm+host', 0.4),
            'verdict',
        )
    lines = screen(of_furiosa(folder, 1))
    check('1 step' in lines['subject'][1], lines['subject'])
    check_step(lines, 700, 'compute 400 us + copies 290 us + idle 10.0 us', 1)


@test
def furiosa_without_a_host(folder):
    check_step(
        screen(of_furiosa(folder, 3, host=False)),
        1000,
        'compute 400 us + copies 290 us + idle 310 us',
        2,
    )


@test
def furiosa_without_a_device(folder):
    lines = screen(of_furiosa(folder, 3, device=False))
    check_same(lines['verdict'][0]['code'], 'undetermined.device_not_labelled', 'verdict')
    check('step' not in lines and 'fix' not in lines and 'idle' not in lines, lines)
    check_same(
        (lines['host'][0]['name'], lines['host'][0]['time_ps']), ('Inference', 2700 * US), 'host'
    )


@test
def furiosa_without_executions(folder):
    """From the first load to the last store."""
    lines = screen(of_furiosa(folder, 3, executions=False))
    check('no steps in the file' in lines['subject'][1], lines['subject'])
    check_step(lines, 2690, 'compute 1.20 ms + copies 870 us + idle 620 us', 1)


@test
def furiosa_without_operators(folder):
    """What an execution did is unknown, and no time is said to be busy or idle."""
    lines = screen(of_furiosa(folder, 3, operators=False))
    check('step' not in lines and 'fix' not in lines and 'idle' not in lines, lines)
    row, text = lines['unknown']
    check_same((row['code'], row['device']), ('device_time', 'NPU 0'), 'unknown')
    check('nothing of the work within them' in text, text)
    row, text = lines['verdict']
    check_same(
        (row['code'], 'it ran on a device' in text), ('undetermined.not_recorded', False), text
    )


@test
def furiosa_cut_within_an_execution(folder):
    """Those that have an end count."""
    lines = screen(of_furiosa(folder, 4, cut=True))
    check('3 steps' in lines['subject'][1], lines['subject'])
    check_step(lines, 1000, 'compute 400 us + copies 290 us + idle 310 us', 2)


# -- Steps of nothing else
# ---------------------------------------------------------------------------------------------


@test
def steps_without_work(folder):
    """The core works behind its steps: what it did then is said, of the span."""
    core = xspace.Plane(2, '/device:TPU:0')
    for number in range(2):
        core.add('Steps', str(number), 10 * number, 10)
    core.add('XLA Ops', 'fusion.1', 30, 10, 'loop fusion')
    lines = screen(write(os.path.join(folder, 'late.xplane.pb'), core.data()))
    check_step(lines, 10, 'compute 10.0 us', 1)
    check('fix' not in lines and lines['step'][0]['whole'] == 'span', lines)


@test
def steps_of_communication_alone(folder):
    """Nothing could hide it: no gain is promised."""
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Modules', 'jit_f(1)', 0, 10)
    core.add('XLA Ops', 'all-reduce.1', 0, 10, 'all-reduce')
    lines = screen(write(os.path.join(folder, 'wire.xplane.pb'), core.data()))
    check_same(lines['verdict'][0]['code'], 'comm', 'verdict')
    check('fix' not in lines, lines)
    check_same(
        (lines['communication'][0]['time_ps'], lines['communication'][0]['ratio']),
        (10 * US, 0),
        'hidden',
    )


main()
