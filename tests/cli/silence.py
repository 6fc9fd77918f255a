# SPDX-License-Identifier: Apache-2.0
"""silence.py - the first screen of profiles of Neuron and Furiosa that lack something: it says what is there, and that
the rest is unknown and why.  first-screen.py has the same of GPUs and TPUs."""

import json
import os

from harness import check, check_same, main, on_terminal, run, test, write


def summary(path, warnings=None):
    """The title, the verdict (None: there is none), and {question: (answer, what follows)}."""
    done = run('report', '--format', 'json', '--top', '0', path).expect(0, err=warnings)
    tables = json.loads(done.out)['tables']
    table = next(t for t in tables if t['name'] == 'summary')
    rows = [dict(zip(table['columns'], row)) for row in table['rows']]
    page = on_terminal(80, '-q', path, rows=24)
    lines = '\n\n'.join(page.split('\n\n')[:2]).split('\n')
    check(len(lines) <= 24 and max(map(len, lines)) <= 80, lines)
    answers = {row['question']: (row['answer'], row['of']) for row in rows if row['question']}
    return table['title'].partition(', ')[2], table.get('lead'), answers


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
    check_same((where, lead), ('1 step', 'COMPUTE-BOUND: 60 % of a step computes'), 'headline')
    check_same(answers['step'], ('1.000 ms', 'compute 0.600, idle 0.300, copies 0.100'), 'step')
    check_same(answers['MFU, roofline'][0], None, 'MFU')
    check('peak_flops=N' in answers['MFU, roofline'][1], answers)


@test
def a_neuron_core_without_instructions(folder):
    """Nobody knows what the engines did, but that packets moved is known."""
    _, lead, answers = summary(of_neuron(folder, instructions=0))
    check_same(lead, 'BOUND BY: unknown: no instructions in the file; capture all engines', 'lead')
    check_same(answers['step'], ('1.000 ms', 'unknown 0.800, copies 0.200'), 'step')
    check_same(answers["can't tell"][1], 'input, launch: no instructions in the file; capture all engines', 'why')
    check('no finding' not in answers or 'input' not in answers['no finding'][1], answers)
    for question in ('if no idle', 'if copies hid', 'idle in', 'critical path'):
        check(question not in answers, answers)


@test
def a_neuron_core_without_packets(folder):
    _, lead, answers = summary(of_neuron(folder, packets=0))
    check_same(lead, 'COMPUTE-BOUND: 60 % of a step computes', 'lead')
    check_same(answers['step'][1], 'compute 0.600, unknown 0.400', 'what seems idle may be copies')
    check('if copies hid' not in answers and 'if no idle' not in answers, answers)


@test
def a_neuron_core_that_waits_without_packets(folder):
    """Where computing has no half, copies might have it."""
    _, lead, answers = summary(of_neuron(folder, packets=0, busy=40000))
    check_same(lead, 'BOUND BY: unknown: no packets of DMA in the file; capture DMA too', 'lead')
    check_same(answers['step'][1], 'unknown 0.600, compute 0.400', 'step')


@test
def a_neuron_core_that_only_waits(folder):
    """Waits are instructions: then it is known that the engines did nothing else."""
    _, lead, answers = summary(of_neuron(folder, busy=0))
    check(lead.startswith('QUEUE-BOUND: the NeuronCore waits 72 %'), lead)
    check_same(answers['step'], ('1.000 ms', 'idle 0.800, copies 0.200'), 'step')


@test
def a_neuron_core_that_did_nothing(folder):
    _, lead, answers = summary(of_neuron(folder, instructions=0, packets=0))
    check_same((lead, answers['spans'][0]), (None, 'none'), 'nothing')


@test
def a_neuron_core_that_states_no_flops(folder):
    answers = summary(of_neuron(folder, flops=False))[2]
    check_same(answers['MFU, roofline'][0], None, 'MFU')


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
        check_same((where, lead), (how, 'COMPUTE-BOUND: 57 % of a step computes'), n)
        check_same(answers['inference'], ('900.000 us', f'median; p99 900.000 us; {n} inference' + 's' * (n > 1)), n)
        check_same(answers['step'], ('700.0 us', 'compute 400.0, copies 290.0, idle 10.0'), n)
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
    check_same((where, answers['span'][0]), ('no steps in the file', '2.690 ms'), 'the span')


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
    check_same((where, answers['step'][0]), ('3 steps', '700.0 us'), 'those that have an end')
    check(lead.startswith('COMPUTE-BOUND: 57 %'), lead)


main()
