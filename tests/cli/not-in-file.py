# SPDX-License-Identifier: Apache-2.0
"""not-in-file.py - each sentence that says that something is not in the file, against a file that
has it. A recording of PyTorch has everything; of each thing that is taken out of it the sentences
say that it is missing, and nothing else that is still there."""

import glob
import json
import os
import re
import sys

from harness import add_test, check, check_same, main, run, sample, test, write

SOURCE = os.environ['NPROF_SOURCE']
DATA = os.environ.get('NPROF_TEST_DATA', '')
sys.path.insert(0, os.path.join(SOURCE, 'tests', 'tools'))
import ascend_make  # noqa: E402


TABLES = (
    'summary,modules,module_classes,ranges,source,memory,memory_holders,memory_modules,'
    'operator_flops,step_flops,operator_shapes,phases,critical_path,what_if,launches,kernels,'
    'step_breakdown,mfu,devices,bound,gaps'
)

# A sentence, and what refutes it: things of the recording below; a text: the program of tests that
# has files with and without it.
SENTENCES = {
    r'no nn\.Module spans in the file': {'modules'},
    r'no ranges in the file': {'ranges', 'phases'},
    r'no frames of Python in the file': {'frames'},
    r'no allocations in the file': {'memory'},
    r'profile_memory=True': {'memory'},
    r'no shapes of matrix products': {'shapes'},
    r'record_shapes=True': {'shapes'},
    r'no step says that it is prefill': {'phases'},
    r'no work of devices in the file': {'work'},
    r'ProfilerActivity\.CUDA': {'work', 'launches'},
    r'no launches in the file|launches are not in the file|launch not recorded': {'launches'},
    r'ProfilerActivity\.CPU': {'launches'},
    r'no steps in the file': {'steps', 'phases'},
    r'records are missing': {'work'},
    r'no device activity recorded': {'work', 'launches'},
    r'no operators in the file': {'operators'},
    r'no product whose shapes are known lies in a step': {'steps'},
}

# Of other makers, or told of a row and not of a file.
ELSEWHERE = {
    'no path of a framework in the file names a layer': 'modules',
    'no lines of source in the file': 'vendors',
    'no rows of allocators in the file': 'torch-memory',
    'no shapes of operators in the file': 'shapes',
    'no spans of requests in the file': 'requests',
    'does not say what instructions wait for': 'neuron',
    'no instruction in the file says which semaphore': 'critical',
    'no summary of neuron-profile in the file': 'neuron',
    'no track Overlap Analysis in the file': 'ascend-json',
    'of some work no launch is in the file': 'not-in-file',
    'does not say what is held of the device': 'neuron',
    'no work of a device that takes time is in the file': 'report',
    'which flops are transposes is not in the file': 'silence',
    'rows of its engines or of its DMA are not in the file': 'silence',
    'no time of the device is in the file': 'first-screen',
    'work that was not recorded': 'verdicts',
    'no call of a host is in the file': 'mcp',
    'launch not in the file': 'report',
    'more is not in the file': 'verdicts',
    'launch not recorded': 'verdicts',
    'whose launch was not recorded': 'verdicts',
    'launches were not recorded': 'verdicts',
    'part unrecorded: not recorded': 'verdicts',
    'the file does not say why': 'requests',
    'the file does not say it': 'findings',
    'file states no totals': 'torch-memory',
    'rows are in the file twice': 'sanity',
    'are missing for {stake': 'view-findings',
}


def recording(*without):
    """Four steps of a server in PyTorch, without some things."""
    events = []

    def span(category, name, start, length, tid=9, pid=9, **args):
        events.append(
            {'ph': 'X', 'cat': category, 'name': name, 'ts': start, 'dur': length}
            | {'pid': pid, 'tid': tid, 'args': args}
        )

    for k in range(12):
        at, number = 1000 + 1000 * k, {'correlation': k + 1}
        shapes = {'Input Dims': [[64, 64], [64, 64]], 'Input type': ['float', 'float']}
        parts = {
            'steps': lambda: span('user_annotation', f'ProfilerStep#{k}', at, 1000),
            'ranges': lambda: span('user_annotation', 'forward', at + 5, 900),
            'phases': lambda: span(
                'user_annotation', 'execute_context_0(0)_generation_8(8)', at + 8, 890
            ),
            'frames': lambda: span('python_function', 'model.py(3): forward', at + 10, 800),
            'modules': lambda: span('python_function', 'nn.Module: Linear_0', at + 12, 700),
            'launches': lambda: span('cuda_runtime', 'cudaLaunchKernel', at + 30, 5, **number),
            'work': lambda: span(
                'kernel', f'gemm{k}', at + 60, 300, 7, 0, device=0, stream=7, **number
            ),
            'memory': lambda: events.append(
                {'ph': 'i', 's': 't', 'cat': 'cpu_instant_event', 'name': '[memory]'}
                | {'ts': at + 25, 'pid': 9, 'tid': 9}
                | {'args': {'Device Type': 1, 'Device Id': 0, 'Addr': 4096 * k + 4096}}
            ),
        }
        if 'operators' not in without:
            span('cpu_op', 'aten::mm', at + 20, 100, **({} if 'shapes' in without else shapes))
        for thing, add in parts.items():
            if thing not in without:
                add()
        if 'memory' not in without:
            events[-1]['args'] |= {'Bytes': 1 << 20, 'Total Allocated': (k + 1) << 20}
    made = {'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}], 'traceEvents': events}
    return write('made.json', json.dumps(made))


THINGS = ('steps', 'ranges', 'phases', 'frames', 'modules', 'shapes', 'launches', 'work', 'memory')


def said(path):
    """Sentences on the first screen, and for each table in place of rows that it has not."""
    pages = ''.join(
        run('report', *only, path).expect(0).out
        for only in ((), ('--only', TABLES), ('--only', 'kernels'))
    )
    pages += run('doctor', path).expect(0).out
    return {sentence for sentence in SENTENCES if re.search(sentence, pages)}


@test
def nothing_is_missed_that_is_there(_folder):
    check_same(said(recording()), set(), 'of a recording that has all')
    ever = set()
    for without in [(t,) for t in THINGS] + [
        ('work', 'launches'),
        ('frames', 'modules'),
        ('steps', 'phases'),
        ('steps', 'launches'),
        ('shapes', 'launches'),
        ('ranges', 'phases', 'steps'),
        ('phases', 'work', 'launches'),
        ('operators', 'shapes', 'work'),
    ]:
        found = said(recording(*without))
        ever |= found
        wrong = {s for s in found if not SENTENCES[s] <= set(without)}
        check_same(wrong, set(), f'without {without}: said, and what refutes it is there')
    check_same(set(SENTENCES) - ever, set(), 'sentences that were never said')


@test
def operators_without_a_formula_have_shapes(_folder):
    """The head of the file says that they were recorded: nobody need do it once more."""
    with open(recording(), encoding='utf-8') as file:
        made = json.loads(file.read().replace('aten::mm', 'aten::add')) | {'record_shapes': 1}
    check('record_shapes=True' not in said(write('made.json', json.dumps(made))), 'advice')


# What nprof doctor does not know once a thing is taken out, and the options that it names for it.
LACKS = {
    (): {},
    ('steps', 'phases'): {'steps': 'prof.step ()', 'tpot': None},
    ('frames',): {'source': 'with_stack=True'},
    ('shapes',): dict.fromkeys(('mfu', 'roofline', 'shapes'), 'record_shapes=True'),
    ('modules',): {'modules': 'with_stack=True'},
    ('ranges', 'phases', 'steps'): {
        'steps': 'prof.step ()',
        'tpot': None,
        'ranges': 'record_function',
    },
    ('launches',): dict.fromkeys(
        ('verdict', 'idle_causes', 'launches', 'critical_path', 'mfu', 'roofline', 'shapes')
        + ('source',),
        'ProfilerActivity.CPU',
    ),
    ('work',): dict.fromkeys(
        ('verdict', 'device_time', 'idle_causes', 'launches', 'critical_path', 'mfu', 'shapes')
        + ('roofline', 'communication', 'tpot', 'source')
    ),
    ('memory',): {'memory': 'profile_memory=True'},
    ('operators', 'shapes', 'work'): dict.fromkeys(
        ('verdict', 'device_time', 'idle_causes', 'launches', 'critical_path', 'mfu', 'shapes')
        + ('roofline', 'communication', 'tpot', 'source', 'operators')
    ),
}


@test
def the_doctor_names_what_is_missing_and_its_option(_folder):
    for without, lacks in LACKS.items():
        path = recording(*without)
        told = json.loads(run('doctor', '--json', path).expect(0).out)['abilities']
        no = {row['question']: row for row in told if row['able'] != 'yes'}
        check_same(set(no), {*lacks, 'ranks', 'requests'}, f'without {without}: unknown')
        for question, option in lacks.items():
            said_of = no[question].get('record')
            right = option in said_of if option and said_of else said_of == option
            check(right, f'without {without}: {question}: {said_of}, expected {option}')
        shown = {row['command'].split()[3] for row in told if 'command' in row}
        page = run('report', '--only', ','.join(shown), '--format', 'json', '--top', '1', path)
        tables = {
            table['name']: table['rows'] for table in json.loads(page.expect(0).out)['tables']
        }
        check_same([name for name in shown if not tables.get(name)], [], 'commands without rows')


def told_of(path):
    told = json.loads(run('doctor', '--json', path).expect(0).out)['abilities']
    return {row['question']: row for row in told}


@test
def advice_fits_the_recorder(_folder):
    """What a recorder cannot write is not advised, and it is called by its name."""
    xla = told_of(sample())
    check_same((xla['recorder']['why'], xla['ranges'].get('record')), ('XLA', None), 'XLA')
    check_same(xla['launches']['why'], 'work of this device needs no launches', 'launches of a TPU')
    check('record' not in xla['launches'], xla['launches'])
    ascend_make.write('ascend_pytorch_profiler_11.db', ascend_make.Job(1))
    ascend = told_of('ascend_pytorch_profiler_11.db')
    check_same(ascend['recorder']['why'], 'Ascend', 'torch_npu')
    check('HLO' not in str(ascend), ascend)
    check(
        'Summary of Ascend, ' in run('report', 'ascend_pytorch_profiler_11.db').expect(0).out,
        'named',
    )


def programs_that_are_in_the_file(_folder):
    """XLA states no flops of a GPU's operators, whose shapes the programs in the file have."""
    paths = glob.glob(os.path.join(DATA, 'xplane', 'gpu_mi300*'))
    check(paths, 'files of GPUs')
    for path in paths:
        told = told_of(path)
        check_same((told['shapes']['able'], told['roofline']['able']), ('yes', 'no'), path)
        check('record' not in told['roofline'], told['roofline'])


if DATA:
    add_test('programs that are in the file are not asked for', programs_that_are_in_the_file)


@test
def some_launches_are_no_reason_to_record_the_host(_folder):
    """The first half of the kernels was launched before the recording began."""
    with open(recording(), encoding='utf-8') as file:
        made = json.load(file)
    made['traceEvents'] = [
        e for e in made['traceEvents'] if e['cat'] != 'cuda_runtime' or e['ts'] > 7000
    ]
    told = told_of(write('made.json', json.dumps(made)))
    check_same(told['idle_causes']['why'], 'of some work no launch is in the file', 'why')
    check('record' not in told['idle_causes'], told['idle_causes'])


@test
def a_recording_of_captures_names_kernels_of_replays(_folder):
    with open(recording('steps', 'phases'), encoding='utf-8') as file:
        made = json.load(file)
    # The kernels of the last three; the others are launched in a capture, and do not run.
    made['traceEvents'] = [
        e for e in made['traceEvents'] if e['cat'] != 'kernel' or e['ts'] > 10000
    ]
    for name, at in (('Begin', 900), ('End', 9990)):
        call = {'ph': 'X', 'cat': 'cuda_runtime', 'name': f'cudaStream{name}Capture', 'args': {}}
        made['traceEvents'].append(call | {'ts': at, 'dur': 5, 'pid': 9, 'tid': 9})
    said = told_of(write('made.json', json.dumps(made)))['verdict']
    check_same(said['code'], 'few_rows', said)
    check('captures of graphs' in said['why'] and '--eager' in said['record'], said)
    replay = {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaGraphLaunch', 'args': {}}
    made['traceEvents'].append(replay | {'ts': 13200, 'dur': 5, 'pid': 9, 'tid': 9})
    said = told_of(write('made.json', json.dumps(made)))['verdict']
    check('captures of graphs' not in said.get('why', ''), said)


@test
def ranks_in_one_file(_folder):
    """Processes of several ranks that a tool has merged: which is slow is known."""
    events = [
        {'ph': 'X', 'cat': 'kernel', 'name': 'ncclDevKernel_AllReduce', 'ts': 1000 * k + 10 * rank}
        | {'dur': 500 - 10 * rank, 'pid': rank, 'tid': 7, 'args': {'device': rank, 'stream': 7}}
        for k in range(12)
        for rank in range(2)
    ]
    names = [
        {'ph': 'M', 'name': 'process_name', 'pid': rank, 'args': {'name': f'RANK {rank} - GPU'}}
        for rank in range(2)
    ]
    path = write('made.json', json.dumps({'traceEvents': names + events}))
    check_same(told_of(path)['ranks']['able'], 'yes', 'two')
    check_same(told_of(recording())['ranks']['able'], 'no', 'one')


def rows_of(path, names, top='1'):
    """The rows of tables, by name; a table that the run has not is not in it."""
    page = run('report', '--only', ','.join(names), '--format', 'json', '--top', top, path)
    return {table['name']: table for table in json.loads(page.expect(0).out)['tables']}


@test
def what_is_said_to_be_empty_is(_folder):
    """Each table that an ability names so is one of the run, and has no row."""
    named = set()
    for without in LACKS:
        path = recording(*without)
        abilities = rows_of(path, ['abilities', 'modules', 'source'], '0')['abilities']
        column = abilities['columns'].index('empty')
        names = {name for row in abilities['rows'] for name in (row[column] or '').split()}
        found = rows_of(path, sorted(names))
        check_same(names - set(found), set(), f'without {without}: tables that no run has')
        full = sorted(name for name in names if found[name]['rows'])
        check_same(full, [], f'without {without}: said to be empty, and have rows')
        named |= names
    check(named >= {'memory', 'modules', 'steps', 'launches', 'devices', 'phases'}, named)


@test
def who_did_not_look_misses_nothing(_folder):
    alone = ('run', '-q', '-a', 'answers', '-s', 'csv:table=abilities', '-o', '-')
    told = run(*alone, recording()).expect(0).out.splitlines()
    check_same(
        [line.split(',')[1] for line in told], ['question', 'recorder', 'ranks'], 'no analyzers'
    )


LITERAL = re.compile(
    r'"([^"\n]*(?:in the file|.not recorded|are missing|file does not say|file states no)[^"\n]*)"'
)
WORD = re.compile(
    r'^-- ((?:word|say):.*(?:in the file|not recorded|are missing|file does not say).*)'
)


@test
def each_sentence_stands_here(_folder):
    """Of answers, empty tables and of what agents are told; none goes without a file that refutes
    it."""
    known = re.compile('|'.join([*SENTENCES, *map(re.escape, ELSEWHERE)]))
    for folder, ending, pattern in (
        ('share/answers', '.sql', WORD),
        ('plugins/sinks/text', '.c', LITERAL),
        ('plugins/common/agent', '.c', LITERAL),
    ):
        for where, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in (n for n in names if n.endswith(ending)):
                with open(os.path.join(where, name), encoding='utf-8') as file:
                    said_there = [s for line in file for s in pattern.findall(line)]
                check_same([s for s in said_there if not known.search(s)], [], f'{folder}/{name}')
    for program in set(ELSEWHERE.values()):
        check(os.path.exists(os.path.join(SOURCE, 'tests/cli', program + '.py')), program)


main()
