# SPDX-License-Identifier: Apache-2.0
"""furiosa.py - the tables of Furiosa's profiler, from every format of it: against a plain count in
Python, and as the vendor's versions print them, byte for byte (NPROF_TEST_DATA)."""

import csv
import glob
import io
import json
import os
import random
import shutil
import subprocess
import sys
from fractions import Fraction

from harness import TIMEOUT, Skip, check, check_same, main, read, run, test, write
from randomtrace import scan

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'tools')
GOLDEN = os.path.join(os.environ.get('NPROF_TEST_DATA', ''), '..', 'golden', 'furiosa')
HEADER = (
    'trace_id,parent_span_id,span_id,start,end,cat,name,thread.id,dram_base,pe_index,'
    'execution_index,instruction_index,operator_index\n'
)
NOT_OPERATORS = ('Execution', 'Task', 'Load', 'Store')


def make(inferences=5):
    subprocess.run(
        [
            sys.executable,
            '-B',
            os.path.join(TOOLS, 'furiosa-make.py'),
            'make',
            '.',
            '7',
            str(inferences),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=TIMEOUT,
    )


def style(version, *files, err=None):
    return run('report', '--style', 'furiosa-' + version, *files).expect(0, err=err).out


def tables(file, *arguments, env=None):
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-a', 'furiosa', '-s', 'csv', '-o', 'out', *arguments, file, env=env).expect(0)
    names = (
        'furiosa_summary',
        'inferences',
        'npu_executions',
        'npu_operators',
        'external_operators',
    )
    return {
        name: list(csv.DictReader(io.StringIO(read(f'out/{name}.csv').decode()))) for name in names
    }


def plain(file):
    """The same, by the rules of the vendor, from the CSV."""
    rows = list(csv.DictReader(io.StringIO(read(file).decode())))
    for number, row in enumerate(rows):
        row['row'], row['dur'] = str(number), int(row['end']) - int(row['start'])
    host = [r for r in rows if r['cat'] in ('Nux', 'Runtime')]
    npu = [r for r in rows if r['cat'] == 'NPU']
    executions = []
    for e in npu:
        if e['instruction_index']:
            continue
        children = [
            r for r in npu if r['parent_span_id'] == e['span_id'] and r['name'] not in NOT_OPERATORS
        ]
        for key in sorted({(r['pe_index'], r['execution_index']) for r in children}):
            ran = sum(r['dur'] for r in children if (r['pe_index'], r['execution_index']) == key)
            executions.append(
                (str(len(executions)), e['span_id'], str(e['dur']), str(ran), str(e['dur'] - ran))
            )
    operators = {}
    for r in npu:
        if r['name'] not in NOT_OPERATORS:
            operators.setdefault(r['name'], []).append(r['dur'])
    return host, executions, operators


@test
def the_tables_are_those_of_a_plain_count(_folder):
    make()
    host, executions, operators = plain('synthetic_spans.csv')
    found = tables('synthetic_spans.csv')
    check_same(
        [
            tuple(r[c] for c in ('row', 'span_id', 'NPU Total', 'NPU Run', 'NPU IoWait'))
            for r in found['npu_executions']
        ],
        executions,
        'executions',
    )
    check_same(
        [
            (r['row'], r['trace_id'], r['span_id'], r['thread.id'], r['dur'])
            for r in found['inferences']
        ],
        [
            (r['row'], r['trace_id'], r['span_id'], r['thread.id'], str(r['dur']))
            for r in host
            if r['name'] == 'Inference'
        ],
        'inferences',
    )
    check_same(
        [(r['row'], r['name'], r['operator_index'], r['dur']) for r in found['external_operators']],
        [
            (r['row'], r['name'], r['operator_index'], str(r['dur']))
            for r in host
            if r['operator_index']
        ],
        'external operators',
    )
    means = sorted(((-Fraction(sum(d), len(d)), n, len(d)) for n, d in operators.items()))
    check_same(
        [(r['name'], float(r['average elapsed(ns)']), r['count']) for r in found['npu_operators']],
        [(n, float(-m), str(count)) for m, n, count in means],
        'operators',
    )
    durations = sorted(int(r['dur']) for r in found['inferences'])
    place = (len(durations) - 1) * Fraction(9, 10)
    at = int(place)
    nine = durations[at] + (place - at) * (
        durations[min(at + 1, len(durations) - 1)] - durations[at]
    )
    row = found['furiosa_summary'][0]
    check_same(
        (
            row['Inference counts'],
            float(row['90.0 percentile latency (ns)']),
            float(row['Mean latency (ns)']),
        ),
        (str(len(durations)), float(nine), float(Fraction(sum(durations), len(durations)))),
        'summary',
    )


@test
def of_a_window_whole_executions(_folder):
    """Those that touch it, with all of their operators, also those that lie before or behind it."""
    make()
    whole = tables('synthetic_spans.csv')
    rows = list(csv.DictReader(io.StringIO(read('synthetic_spans.csv').decode())))
    times = {r['span_id']: (int(r['start']), int(r['end'])) for r in rows}
    shift = (
        min(x.start for x in scan('synthetic_spans.csv') if x.kind == 'span')
        - min(int(r['start']) for r in rows) * 1000
    )
    rng = random.Random(4)
    for _ in range(4):
        inner = rng.choice(
            [r for r in rows if r['cat'] == 'NPU' and r['name'] not in NOT_OPERATORS]
        )
        a, b = int(inner['start']) + 1, int(inner['end']) - 1
        found = tables(
            'synthetic_spans.csv',
            '--clip',
            '--from',
            f'{a * 1000 + shift}ps',
            '--to',
            f'{b * 1000 + shift}ps',
        )
        for name in ('npu_executions', 'inferences', 'external_operators'):
            touch = [
                r
                for r in whole[name]
                if times[r['span_id']][0] <= b and times[r['span_id']][1] >= a
            ]
            check_same(found[name], touch, f'{name} {a} {b}')
        check(
            found['npu_executions'] and len(found['npu_executions']) < len(whole['npu_executions']),
            'some executions',
        )


@test
def json_without_ids_gives_the_same(_folder):
    make(9)
    spans, export = tables('synthetic_spans.csv'), tables('synthetic_export.json')
    for name, rows in spans.items():
        for row in rows + export[name]:
            for key in ('input', 'trace_id', 'span_id'):
                row.pop(key, None)
        check_same(export[name], rows, name)
    check(len(spans['npu_executions']) == 9, spans['npu_executions'])


@test
def batches_and_threads_change_nothing(_folder):
    make(9)
    for file in (
        'synthetic_spans.csv',
        'synthetic_export.json',
        'synthetic_native.json',
        'synthetic_profiler.json',
    ):
        expected = tables(file, '-j', '1')
        for rows, jobs in ((1, 4), (7, 2), (4096, 3)):
            found = tables(
                file,
                '-j',
                str(jobs),
                '-d',
                'furiosa:part=1000',
                env={'NPROF_BATCH_ROWS': str(rows)},
            )
            check_same(found, expected, f'{file}, batches of {rows}, -j {jobs}')


@test
def the_native_json_is_joined_by_time(_folder):
    make()
    rows = tables('synthetic_native.json')['npu_executions']
    check_same(len(rows), 4, 'tasks')
    check(all(r['NPU Total'] == '500000' and r['NPU Run'] for r in rows), rows)


def record(parent, span, start, end, cat, name, pe='', execution='', instruction='', operator=''):
    return (
        f'00112233445566778899aabbccddeeff,{parent:016x},{span:016x},{start},{end},{cat},{name},1,0,{pe},'
        f'{execution},{instruction},{operator}\n'
    )


@test
def lost_spans_are_said_and_waits_have_signs(_folder):
    write(
        'lost.csv',
        HEADER
        + record(9, 1, 100, 190, 'NPU', 'LowLevelPad', 0, 0, 1)
        + record(9, 2, 100, 195, 'NPU', 'LowLevelMask', 0, 0, 2)
        + record(9, 3, 100, 110, 'NPU', 'LowLevelMask', 1, 0, 3)
        + record(0, 9, 100, 200, 'NPU', 'Execution', 0, 0)
        + record(0, 10, 300, 400, 'NPU', 'Execution', 0, 0)
        + record(77, 11, 300, 310, 'NPU', 'LowLevelPad', 0, 0, 1)
        + record(9, 12, 300, 301, 'NPU', 'LowLevelPad', '', 0, 1),
    )
    result = run(
        'run',
        '-a',
        'furiosa',
        '-s',
        'csv:table=npu_executions,columns=row+NPU Run+NPU IoWait',
        '-o',
        '-',
        'lost.csv',
    )
    result.expect(
        0,
        out=['row,NPU Run,NPU IoWait', '0,185,-85', '1,10,90', ',,'],
        err='*1 executions have no operators, so their NPU Run is unknown; 1 operators have no '
        'execution and 1 no PE*',
    )
    check_same(
        style('0.9', 'lost.csv').count('\n0  00112233445566778899aabbccddeeff'), 1, 'rows of pandas'
    )
    check('-85' in style('0.10', 'lost.csv'), 'signed')
    check(
        'Empty DataFrame\nColumns: [trace_id, span_id, thread.id, dur]\nIndex: []\n'
        in style('0.9', 'lost.csv'),
        'an empty table',
    )


@test
def huge_numbers_are_unknown_and_never_wrong(_folder):
    far = 9_000_000_000_000_000
    rows = [record(9, n, 0, far, 'NPU', 'LowLevelPad', 0, 0, n) for n in range(1, 5)] * 300
    write('huge.csv', HEADER + ''.join(rows) + record(0, 9, 0, far, 'NPU', 'Execution', 0, 0))
    row = tables('huge.csv')['npu_executions'][0]
    check_same(
        (row['NPU Total'], row['NPU Run'], row['NPU IoWait']),
        (str(far), '', ''),
        'sums beyond int64',
    )
    row = tables('huge.csv')['npu_operators'][0]
    check_same((float(row['average elapsed(ns)']), row['count']), (float(far), '1200'), 'means')


@test
def what_is_not_of_furiosa_has_no_style(_folder):
    write('empty.csv', HEADER)
    out = style('0.9', 'empty.csv')
    check('Inference counts                : 0\nEmpty DataFrame' in out, out)
    run(
        'report',
        '--style',
        'furiosa-0.9',
        os.path.join(os.environ['NPROF_SAMPLES'], 'synthetic_tpu.xplane.pb'),
    ).expect(0, out='', err='*nothing of Furiosa\'s to print: *')
    run('report', '--style', 'furiosa-1', 'empty.csv').expect(
        1, err='*--style furiosa-1: did you mean furiosa-0.9? expected one of *furiosa-0.10*'
    )


@test
def several_inputs_are_told_apart(_folder):
    make(2)
    one = style('0.9', 'synthetic_spans.csv')
    both = style('0.9', 'synthetic_spans.csv', 'synthetic_export.json')
    check(both.startswith('synthetic_spans.csv:\n' + one + '\nsynthetic_export.json:\n===='), both)


@test
def the_vendors_pages_byte_for_byte(_folder):
    if not os.path.isdir(GOLDEN):
        raise Skip('NPROF_TEST_DATA does not lead to golden/furiosa')
    expected = read(os.path.join(GOLDEN, 'expected_0.9.txt')).decode()
    expected = expected[: expected.index('Export trace event')]
    check_same(style('0.9', os.path.join(GOLDEN, 'furiosa_0.9_doc.csv')), expected, 'CSV')
    found = style('0.9', os.path.join(GOLDEN, 'furiosa_0.9_doc.chrome.json'))
    lines, wanted = found.splitlines(), expected.splitlines()
    check_same(len(lines), len(wanted), 'lines of JSON')
    at = wanted.index(next(line for line in wanted if 'average elapsed' in line))
    check_same(
        (lines[:13], lines[at : at + 9]),
        (wanted[:13], wanted[at : at + 9]),
        'summary and operators of JSON',
    )
    for mine, theirs in zip(lines[13:], wanted[13:]):  # all but index, trace_id, span_id
        if 'average' not in theirs and not theirs.startswith(('name', 'LowLevel')):
            check_same(
                mine.split()[-(len(theirs.split()) - 3) :],
                theirs.split()[-(len(theirs.split()) - 3) :],
                'row',
            )


if __name__ == '__main__':
    SCHEDULES = os.environ.get('NPROF_FURIOSA_REAL', '')


def drawn_schedule(seed, n):
    rand = random.Random(seed)
    types = [
        ('DmaLoad', ['DmaEngine']),
        ('Main', ['MainContext', 'VectorEngine']),
        ('Core', ['PeCore']),
        ('Sub', []),
    ]
    instructions, at = [], 1003
    for i in range(n):
        kind, contexts = rand.choice(types)
        begin, at = at, at + rand.randrange(0, 90000)
        told = (
            f'--> src/ops/a b/mod.rs:{i}:60\n\nctx\n.main "q" \u00e9'
            if i % 4
            else rand.choice(['', 'no place'])
        )
        instructions.append(
            {
                'index': str(i) if i % 5 else f'ExplicitSync({i})',
                'history': {'x': [{'lifetime': {'begin': 1}}]},
                'tpe': kind,
                'contexts': contexts,
                'lifetime': {'begin': begin, 'end': at},
                'input_tensors': [i, i + 1],
                'output_tensors': [],
                'description': told,
                'util': {'total_util': rand.random(), 'base_util': 1e-05, 'efficiency': 1.0},
            }
        )
    tensors = [
        {
            'name': rand.choice(['', 'x']),
            'index': str(i),
            'buffer_type': 'Sram',
            'lifetime': {'begin': i, 'end': 2 * i, 'block_begin': 0},
            'address': i << 20,
            'size': 1 << i,
            'shape': 'MappingShape[Chip: 1]',
            'fingerprint': None,
        }
        for i in range(5)
    ]
    return {
        'title': 'Schedule',
        'total_memory': 1 << 28,
        'page_size': 1 << 24,
        'instructions': instructions,
        'tensors': tensors,
    }


def number(value):
    return '' if value is None else str(value)


def check_schedule(path):
    """Both tables, held against Python's json."""
    with open(path, encoding='utf-8') as file:
        plan = json.load(file)
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-s', 'csv', '-o', 'out/', path).expect(
        0, err='*this is a plan of the compiler, no measurement*'
    )
    rows = list(csv.DictReader(io.StringIO(read('out/schedule.csv').decode(), newline='')))
    check_same(len(rows), len(plan['instructions']), 'instructions')
    for row, i in zip(rows, plan['instructions']):
        life, told = i['lifetime'], i['description']
        source, text = told[4:].split('\n', 1) if told.startswith('--> ') else ('', told)
        check_same(
            [
                row[k]
                for k in (
                    'instruction',
                    'type',
                    'contexts',
                    'begin_cycle',
                    'end_cycle',
                    'cycles',
                    'source',
                    'inputs',
                )
            ],
            [
                i['index'],
                i['tpe'],
                ','.join(i['contexts']),
                str(life['begin']),
                str(life['end']),
                str(life['end'] - life['begin']),
                source,
                ','.join(map(str, i['input_tensors'])),
            ],
            'an instruction',
        )
        check_same(row['description'], text.lstrip('\n'), 'the text')
        for key in ('total_util', 'base_util', 'efficiency'):
            check_same(float(row[key]), float(i['util'][key]), key)
    found = [
        [
            row[k]
            for k in (
                'tensor',
                'name',
                'buffer',
                'begin_cycle',
                'end_cycle',
                'address',
                'bytes',
                'shape',
            )
        ]
        for row in csv.DictReader(io.StringIO(read('out/schedule_tensors.csv').decode()))
    ]
    check_same(
        found,
        [
            [
                t['index'],
                t['name'],
                t['buffer_type'],
                number(t['lifetime']['begin']),
                number(t['lifetime']['end']),
                number(t['address']),
                number(t['size']),
                t['shape'],
            ]
            for t in plan['tensors']
        ],
        'tensors',
    )
    return plan


@test
def schedules_of_the_compiler(_folder):
    for seed in range(4):
        for indent in (None, 1):
            write(
                'schedule.json',
                json.dumps(drawn_schedule(seed, 40), indent=indent, ensure_ascii=bool(seed % 2)),
            )
            check_schedule('schedule.json')
            check_same(read('out/events.csv').decode().count('\n'), 1, 'no rows without a clock')


@test
def a_schedule_with_a_clock_is_no_device(_folder):
    """Planned spans have times where the user gives a clock, and nothing takes them for work."""
    write('schedule.json', json.dumps(drawn_schedule(1, 30)))
    plan = check_schedule('schedule.json')
    run(
        'run',
        '-d',
        'furiosa:clock=1e9',
        '-a',
        'device',
        '-s',
        'csv',
        '-o',
        'timed/',
        'schedule.json',
    ).expect(0, err='*no measurement*')
    rows = list(csv.DictReader(io.StringIO(read('timed/events.csv').decode())))
    check_same(
        [
            (Fraction(r['start_ns']), Fraction(r['duration_ns']), r['category'], r['name'])
            for r in rows
        ],
        [
            (
                i['lifetime']['begin'],
                i['lifetime']['end'] - i['lifetime']['begin'],
                'planned',
                i['tpe'],
            )
            for i in plan['instructions']
        ],
        'spans',
    )
    check_same(read('timed/devices.csv').decode().count('\n'), 1, 'no device')


@test
def damaged_schedules(_folder):
    whole = json.dumps(drawn_schedule(2, 20), indent=1)
    write('schedule.json', whole[: len(whole) * 2 // 3])
    run('run', '-s', 'csv', '-o', 'out/', 'schedule.json').expect(
        2, err='*schedule.json: byte *: line *'
    )
    broken = whole.replace('"instructions": [', '"instructions": [7, ', 1)
    write('schedule.json', broken)
    at = broken.index('7, ')
    line = broken.count('\n', 0, at) + 1
    check(line > 1, 'the first line is no test of lines')
    run('run', '-s', 'csv', '-o', 'out/', 'schedule.json').expect(
        2, err=f'*schedule.json: byte {at}: line {line}*an object was expected*'
    )
    run('run', '-k', '-s', 'csv', '-o', 'kept/', 'schedule.json').expect(3)
    check_same(
        len(list(csv.DictReader(io.StringIO(read('kept/schedule.csv').decode())))), 20, 'the others'
    )


@test
def real_schedules(_folder):
    paths = (
        sorted(
            glob.glob(os.path.join(glob.escape(SCHEDULES), '**', 'schedule.json'), recursive=True)
        )
        if SCHEDULES
        else []
    )
    if not paths:
        raise Skip('NPROF_FURIOSA_REAL names no folder')
    for path in paths:
        check_schedule(path)


main()
