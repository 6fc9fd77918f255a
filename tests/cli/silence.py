# SPDX-License-Identifier: Apache-2.0
"""silence.py - the first screen of profiles of Neuron and Furiosa that lack something: it says what is there, and that
the rest is unknown and why.  first-screen.py has the same of GPUs and TPUs."""

import json
import os
import re
import sys

import xspace
from harness import check, check_same, main, run, test, write
from samples import TOOLS
from screens import answers_of, screen_of, tables_of

sys.path.append(TOOLS)
import ntff_fields_make  # pylint: disable=wrong-import-position


def summary(path, warnings=None):
    """The title, the verdict (None: there is none), and {question: (answer, what follows)}."""
    tables = tables_of(path, warnings)
    lines = screen_of(path)
    check(len(lines) <= 24 and max(map(len, lines)) <= 80, lines)
    return tables['summary']['title'].partition(', ')[2], tables['summary'].get('lead'), answers_of(tables)


# -- Neuron -----------------------------------------------------------------------------------------------------------


def of_neuron(folder, instructions=10, packets=10, flops=True, busy=60000):
    """Every 100 us the tensor engine waits 20 us and computes `busy` ns, and a packet of 20 us begins 10 us before its end."""
    until = 100000 * max(instructions, packets)
    rows = []
    for i in range(instructions):
        rows.append({'opcode': 'EVENT_SEMAPHORE', 'subgroup': 'Tensor', 'timestamp': 100000 * i, 'duration': 20000, 'pc': 2 * i})
        if busy:
            rows.append({'opcode': 'MATMUL' if flops else 'ACTIVATE', 'subgroup': 'Tensor', 'timestamp': 100000 * i + 20000,
                         'duration': busy, 'pc': 2 * i + 1, **({'elements': 7} if flops else {})})
    moved = [{'dma_engine': '3', 'dma_queue': '1', 'subgroup': 'qSync-Q1-E3', 'timestamp': 100000 * i + 70000,
              'duration': 20000, 'transfer_size': 64, 'aggregated': 'no', 'queue_type': 'data'} for i in range(packets)]
    return write(os.path.join(folder, 'made.json'), json.dumps({
        'instruction': rows, 'dma': moved, 'summary': [{'total_time': until / 1e9, 'nc_idx': 0}],
        'metadata': [{'first_hw_timestamp': 0, 'last_hw_timestamp': until, 'ntff_version': 5}]}))


@test
def a_neuron_core(folder):
    where, lead, answers = summary(of_neuron(folder))
    check_same((where, lead), ('1 step', 'COMPUTE-BOUND: 60.0 % of a step computes'), 'headline')
    check_same(answers['step'], ('1.00 ms', 'compute 600 us, idle 300 us, copies 100 us'), 'step')
    check_same(answers['MFU, roofline'][0], None, 'MFU')
    check('peak_flops=N' in answers['MFU, roofline'][1], answers)


@test
def a_neuron_core_without_instructions(folder):
    """Nobody knows what the engines did, but that packets moved is known."""
    _, lead, answers = summary(of_neuron(folder, instructions=0))
    check_same(lead, 'BOUND BY: unknown: no instructions in the file; capture all engines', 'lead')
    check_same(answers['step'], ('1.00 ms', 'unknown 800 us, copies 200 us'), 'step')
    check_same(answers["can't tell"][1], 'input, launch: no instructions in the file; capture all engines', 'why')
    check('no finding' not in answers or 'input' not in answers['no finding'][1], answers)
    for question in ('if no idle', 'if copies hid', 'idle in', 'critical path'):
        check(question not in answers, answers)


@test
def a_neuron_core_without_packets(folder):
    _, lead, answers = summary(of_neuron(folder, packets=0))
    check_same(lead, 'COMPUTE-BOUND: 60.0 % of a step computes', 'lead')
    check_same(answers['step'][1], 'compute 600 us, unknown 400 us', 'what seems idle may be copies')
    check('if copies hid' not in answers and 'if no idle' not in answers, answers)


@test
def a_neuron_core_that_waits_without_packets(folder):
    """Where computing has no half, copies might have it."""
    _, lead, answers = summary(of_neuron(folder, packets=0, busy=40000))
    check_same(lead, 'BOUND BY: unknown: no packets of DMA in the file; capture DMA too', 'lead')
    check_same(answers['step'][1], 'unknown 600 us, compute 400 us', 'step')


@test
def a_neuron_core_that_only_waits(folder):
    """Waits are instructions: then it is known that the engines did nothing else.  Packets move 200 us of the 1000, the
    last of them until 10 us before the program ends."""
    _, lead, answers = summary(of_neuron(folder, busy=0))
    check(lead.startswith('QUEUE-BOUND: the NeuronCore waits 80.0 %'), lead)
    check_same(answers['step'], ('1.00 ms', 'idle 800 us, copies 200 us'), 'step')


@test
def a_neuron_core_that_did_nothing(folder):
    _, lead, answers = summary(of_neuron(folder, instructions=0, packets=0))
    check_same((lead, answers['spans'][0]), (None, 'none'), 'nothing')


@test
def a_neuron_core_that_states_no_flops(folder):
    answers = summary(of_neuron(folder, flops=False))[2]
    check_same(answers['MFU, roofline'][0], None, 'MFU')


SLOT = ntff_fields_make.SLOT
NS, US = 10 ** 3, 10 ** 6  # ps


def of_ntff(folder, executions, cut=None, instructions=True, begun_before=False):
    """Every 20 us an execution of 10 us, of which the tensor engine computes 7, and DMA moves the last us.  cut: the
    recording ends so many us after the last one began.  begun_before: it begins within one that is not counted."""
    def clock():
        return ntff_fields_make.Clock.of(0, 1, 1)

    def change(core):
        core.clocks, core.dma_clocks, core.total = {key: clock() for key in core.clocks}, [clock() for _ in range(16)], 10 * US
        end = core.begin + 20 * US * (executions - 1) + (10 if cut is None else cut) * US
        spans, packets = [[] for _ in range(5)], []
        for engine in range(5):  # the first notifies of each execution are all over when the next ones begin
            begins, work, ends = (bytes([code, 16]) + bytes(34) + bytes([hint]) + bytes(SLOT - 37)
                                  for code, hint in ((0xa6, 2), (2, 0), (0xa6, 3)))
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
                        yield ntff_fields_make.record(word | kind << 24, 0, start)
                        yield ntff_fields_make.record(word | kind + 1 << 24, 0, until)

        def moved():
            for start, until in packets:
                if until <= end:
                    for word, ticks in ((1, start), (5, until), (6, until)):
                        yield ntff_fields_make.record(0, word | (1 << 16) * (word == 5), ticks)
        core.instructions, core.packets, core.updates = lambda: b''.join(records()), lambda: b''.join(moved()), bytes

    name = os.path.join(folder, 'made.ntff')
    with open(name, 'wb') as file:
        file.write(ntff_fields_make.make(1, 5, b'u' * 32, executions, change))
    return name


@test
def executions_of_ntff_are_steps(folder):
    for n, how in ((1, '1 step'), (3, '3 steps'), (10000, '10000 steps')):
        where, lead, answers = summary(of_ntff(folder, n))
        check_same((where, lead), (f'trn1.2xlarge, {how}', 'COMPUTE-BOUND: 70.0 % of a step computes'), n)
        check_same(answers['step'], ('10.0 us', 'compute 7.00 us, idle 2.00 us, copies 1.00 us'), n)


@test
def ntff_cut_within_an_execution(folder):
    """The last one of several did not end; one that had begun before is none.  From the first to it half is in none."""
    for cut in (2, 5, 9):
        where, lead, answers = summary(of_ntff(folder, 4, cut=cut))
        check_same((where, answers['step'][0]), ('trn1.2xlarge, 3 steps and 1 cut', '10.0 us'), cut)
        # 30 of the 60 us until the last one begins, and what that one takes
        between = float(re.match(r'([\d.]+) % of', answers['between steps'][1])[1])
        said = '; 50.0 % of the time lies between steps' if between == 50 else ''
        check(between == 50 if cut == 2 else 45 < between <= 50, answers['between steps'])
        check_same(lead, 'COMPUTE-BOUND: 70.0 % of a step computes' + said, cut)
    path = of_ntff(folder, 3, begun_before=True)
    where, _, answers = summary(path)
    check_same((where, answers['step'][0]), ('trn1.2xlarge, 3 steps', '10.0 us'), 'begun before')
    skipped = run('run', '-s', 'csv:table=skipped', '-o', '-', path).expect(0).out
    check('execution' in skipped and 'it began before the recording' in skipped, skipped)


# -- Furiosa ------------------------------------------------------------------------------------------------------------

HEADER = ('trace_id,parent_span_id,span_id,start,end,cat,name,thread.id,dram_base,pe_index,execution_index,'
          'instruction_index,operator_index\n')


def record(parent, span, start, end, cat, name, *numbers):
    cells = [f'{2 ** 64:032x}', f'{parent:016x}', f'{span:016x}', str(start), str(end), cat, name, '1', '0', *map(str, numbers)]
    return ','.join(cells) + '\n'


def of_furiosa(folder, inferences, host=True, device=True, executions=True, operators=True, cut=False):
    """Every ms an inference of 900 us; its execution of 700 us loads for 190 us, computes 400 and stores for 100.  cut: the
    last one stops while it computes, so that nothing around has an end."""
    text = HEADER
    for n in range(inferences):
        at, root, last = 1000000 * n + 1000, 16 * n + 1, cut and n == inferences - 1
        if host:
            text += record(root, root + 1, at, at + 100000, 'Nux', 'Quantize', '', '', '', 0)
        for i, (name, start, end) in enumerate((('Load', 110, 300), ('Conv2d', 300, 700), ('Store', 700, 800))):
            if device and operators and not (last and name == 'Store'):
                text += record(root + 2, root + 3 + i, at + 1000 * start, at + 1000 * end, 'NPU', name, 0, n, i, '')
        if device and executions and not last:
            text += record(root, root + 2, at + 100000, at + 800000, 'NPU', 'Execution', 0, n, '', '')
        if host and not last:
            text += record(0, root, at, at + 900000, 'Nux', 'Inference', '', '', '', '')
    return write(os.path.join(folder, 'made.csv'), text)


@test
def executions_of_furiosa_are_steps(folder):
    """Between them the NPU waits for its host."""
    for n, how in ((3, '3 steps'), (1, '1 step'), (10000, '10000 steps')):
        where, lead, answers = summary(of_furiosa(folder, n))
        check_same((where, lead), (how, 'COMPUTE-BOUND: 57.1 % of a step computes'), n)
        check_same(answers['inference'], ('900 us', f'median; p99 900 us; {n} inference' + 's' * (n > 1)), n)
        check_same(answers['step'], ('700 us', 'compute 400 us, copies 290 us, idle 10.0 us'), n)
        check_same(answers['idle in'][0], '100.0 %', 'before the first work of each execution')


@test
def furiosa_without_a_host(folder):
    lost = '*3 spans name a parent that is not in the file*'
    where, _, answers = summary(of_furiosa(folder, 3, host=False), lost)
    check_same(where, '3 steps', 'steps')
    check('inference' not in answers, answers)


@test
def furiosa_without_a_device(folder):
    _, lead, answers = summary(of_furiosa(folder, 3, device=False))
    check_same((lead, answers['devices'][0]), (None, 'none'), 'devices')


@test
def furiosa_without_executions(folder):
    where, _, answers = summary(of_furiosa(folder, 3, executions=False), '*9 operators have no execution*')
    check_same((where, answers['span'][0]), ('no steps in the file', '2.69 ms'), 'the span')


@test
def furiosa_without_operators(folder):
    """What an execution did is unknown, and no time is said to be busy or idle."""
    _, lead, answers = summary(of_furiosa(folder, 3, operators=False), '*3 executions have no operators*')
    check_same(lead, None, 'lead')
    check_same(answers['busy'][0], None, 'busy')
    check('no work in the file' in answers['busy'][1], answers)


@test
def furiosa_cut_within_an_execution(folder):
    where, lead, answers = summary(of_furiosa(folder, 4, cut=True), '*the profiler seems to have lost spans*')
    check_same((where, answers['step'][0]), ('3 steps', '700 us'), 'those that have an end')
    check(lead.startswith('COMPUTE-BOUND: 57.1 %'), lead)


# -- Steps of nothing else ---------------------------------------------------------------------------------------------


@test
def steps_without_work(folder):
    """The core works behind its steps: nothing of these is left that could take time without their idle time."""
    core = xspace.Plane(2, '/device:TPU:0')
    for number in range(2):
        core.add('Steps', str(number), 10 * number, 10)
    core.add('XLA Ops', 'fusion.1', 30, 10, 'loop fusion')
    _, _, answers = summary(write(os.path.join(folder, 'late.xplane.pb'), core.data()))
    check_same(answers['step'], ('10.0 us', 'idle 10.0 us'), 'step')
    check_same(answers['if no idle'], (None, 'no work in a step: how long it takes is not known'), 'what is left')


@test
def steps_of_communication_alone(folder):
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Modules', 'jit_f(1)', 0, 10)
    core.add('XLA Ops', 'all-reduce.1', 0, 10, 'all-reduce')
    _, _, answers = summary(write(os.path.join(folder, 'wire.xplane.pb'), core.data()))
    check_same(answers['if comm hidden'], (None, 'nothing else in a step that could hide it'), 'what is left')


main()
