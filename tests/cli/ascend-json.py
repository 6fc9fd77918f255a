# SPDX-License-Identifier: Apache-2.0
"""ascend-json.py - JSON of Ascend's profilers: made ones (tests/tools/ascend_json_make.py), each
row against what was drawn; files of their folders; damaged ones. Public ones: ascend-real.py."""

import collections
import json
import os
import random
import shutil
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import check, check_same, main, read, rows_of, run, test, write  # noqa: E402
import ascend_json_make as make  # noqa: E402
import ascend_make as database  # noqa: E402
from viewserver import Server  # noqa: E402


def table(name, *arguments):
    return rows_of(run('run', '-s', f'csv:table={name}', '-o', '-', *arguments).expect(0).out)


def events(path):
    return rows_of(run('run', '--meaning', '-s', 'csv', '-o', '-', path).expect(0).out)


def ps(text):
    return int(Decimal(text) * 1000)


def made(seed, **how):
    job = make.Job(seed, **how)
    write('trace_view.json', job.text().encode())
    return job, 'trace_view.json'


def drawn(rows, work, *keys):
    return collections.Counter(
        (row['name'], ps(row['duration_ns']), *(row[key] for key in keys))
        for row in rows
        if row['work'] == work and row['process'].startswith('NPU')
    )


@test
def every_row(_folder):
    """Tasks, collectives and copies by class, with the launch, the step and the operator that were
    drawn; of labels with and without the number of the device."""
    for seed in range(6):
        job, path = made(seed)
        rows = events(path)
        check_same(
            drawn(rows, 'compute', 'correlation_id', 'step', 'operator', 'engine', 'thread'),
            collections.Counter(job.compute),
            'kernels',
        )
        check_same(
            drawn(
                rows,
                'communication',
                'correlation_id',
                'step',
                'operator',
                'group',
                'sequence',
                'elements_in',
                'dtype',
            ),
            collections.Counter(job.collectives),
            'collectives',
        )
        check_same(
            drawn(rows, 'copy', 'correlation_id', 'step'), collections.Counter(job.copies), 'copies'
        )
        check_same(drawn(rows, 'wait'), collections.Counter(job.waits), 'waits')
        check_same(
            {row['process'] for row in rows if row['process'].startswith('NPU')},
            {f'NPU {job.device}'},
            'one device',
        )
        check_same(len({row['process'] for row in rows if row['kind'] == 'span'}), 2, 'one host')
        launches = [
            row['correlation_id']
            for row in rows
            if row['category'] == 'node_api' and row['correlation_id']
        ]
        check(
            not any(row['correlation_id'] for row in rows if row['category'] == 'acl_api'),
            'the call of a node goes before',
        )
        check_same(
            sorted(launches, key=int), [str(c) for c in sorted(job.launches)], 'one launch each'
        )


def on_a_plane(*others):
    """A collective and one of its parts on a plane of the communication's layer, beside other
    threads of it."""
    made_of = [
        {
            'ph': 'M',
            'name': 'process_name',
            'pid': 3,
            'tid': 0,
            'args': {'name': 'Ascend Hardware'},
        },
        {'ph': 'M', 'name': 'process_name', 'pid': 9, 'tid': 0, 'args': {'name': 'HCCL'}},
    ]
    for tid, name in enumerate(('Plane 0', *others)):
        made_of.append(
            {'ph': 'M', 'name': 'thread_name', 'pid': 9, 'tid': tid, 'args': {'name': name}}
        )
    work = (
        ('MatMul', 3, 2, 0, {'Task Type': 'AI_CORE', 'Stream Id': 2, 'Task Id': 0}),
        ('hcom_allReduce_', 9, 0, 70, {'stream id': 8}),
        ('Notify_Wait', 9, 0, 75, {'stream id': 8, 'task id': 3, 'task type': 'Notify Wait'}),
    )
    for name, pid, tid, ts, args in work:
        made_of.append(
            {'ph': 'X', 'name': name, 'pid': pid, 'tid': tid, 'ts': ts, 'dur': 20, 'args': args}
        )
    write('planes.json', json.dumps(made_of))
    return {row['name']: row['work'] for row in events('planes.json') if row['work']}


@test
def several_calls_of_a_connection(_folder):
    """The first of them at the lowest layer is the launch, wherever it stands in the file."""
    job, _ = made(2)
    whole = json.loads(job.text())
    call = next(e for e in whole if e.get('args', {}).get('level') == 'node')
    later = {**call, 'name': 'again', 'ts': f'{Decimal(call["ts"]) + Decimal("0.5")}'}
    for at in (0, len(whole)):
        write('again.json', json.dumps(whole[:at] + [later] + whole[at:]).encode())
        rows = events('again.json')
        launches = [
            row['name']
            for row in rows
            if row['correlation_id'] == str(call['args']['connection_id'])
            and not row['process'].startswith('NPU')
        ]
        check_same(launches, [call['name']], f'again at {at}')


@test
def collectives_on_planes(_folder):
    """Files of 2023 have whole collectives on planes; where a thread is of whole ones, planes have
    their parts alone."""
    found = on_a_plane()
    check_same(found['hcom_allReduce_'], 'communication', 'no thread of whole ones')
    check(found.get('Notify_Wait') != 'communication', found)
    found = on_a_plane('Group 0 Communication')
    check(found.get('hcom_allReduce_') != 'communication', found)


@test
def without_calls(_folder):
    """Level 0 has no calls of CANN: arrows tell of launches."""
    job, path = made(7, calls=False)
    rows = events(path)
    found = sorted(int(row['correlation_id']) for row in rows if row['category'] == 'launch')
    check_same(found, sorted(job.launches), 'launches')
    check_same(
        {row['duration_ns'] for row in rows if row['category'] == 'launch'}, {'0'}, 'no length'
    )
    check_same(
        drawn(rows, 'compute', 'correlation_id', 'step', 'operator', 'engine', 'thread'),
        collections.Counter(job.compute),
        'kernels',
    )


@test
def any_parts(_folder):
    _, path = made(3)
    whole = run('run', '-s', 'csv', '-o', '-', path).expect(0).out
    for size in (1, 700, 5000):
        check_same(
            run('run', '-d', f'ascend-json:part={size}', '-s', 'csv', '-o', '-', path)
            .expect(0)
            .out,
            whole,
            f'parts of {size}',
        )


def rank_folder(rank, seed, name='job'):
    """A rank's folder as torch_npu leaves it; the number of its device is another."""
    folder = f'{name}/host_{rank}_ascend_pt'
    os.makedirs(f'{folder}/ASCEND_PROFILER_OUTPUT', exist_ok=True)
    write(f'{folder}/profiler_info_{rank}.json', b'{"config": {}, "rank_id": 0}')
    write(f'{folder}/profiler_metadata.json', b'{"ENV_VARIABLES": {}}')
    write(f'{folder}/ASCEND_PROFILER_OUTPUT/communication.json', b'{"step0": {}}')
    write(f'{folder}/ASCEND_PROFILER_OUTPUT/l2_cache.csv', b'Op Name,Hit Rate\na,0.5\n')
    write(f'{folder}/ASCEND_PROFILER_OUTPUT/trace_view.json', make.Job(seed).text().encode())
    return f'{folder}/ASCEND_PROFILER_OUTPUT'


@test
def folder_of_ranks(_folder):
    """A job is one folder: its files are one profile a rank, whose number stands in the name of a
    file above the trace."""
    for rank, seed in ((12, 1), (3, 2)):
        rank_folder(rank, seed)
    check_same(
        sorted(
            int(row['rank'])
            for row in table('ranks', '-a', 'ranks', 'job')
            if row['state'] != 'missing'
        ),
        [3, 12],
        'ranks',
    )
    kept = run('view', '--ingest-only', 'job').expect(0).out
    check_same(kept.count('is ready to view'), 1, kept)
    run('map', '-o', 'states', 'job').expect(0, err='')
    check_same(sorted(os.listdir('states/states')), ['rank-00003.nps', 'rank-00012.nps'], 'states')
    os.rename(
        'job/host_3_ascend_pt/profiler_info_3.json', 'job/host_3_ascend_pt/profiler_info.json'
    )
    run('map', '-o', 'other', 'job').expect(1, err='*nobody says which rank NPU * is*')


@test
def ranks_of_the_job(_folder):
    """The group of all ranks tells how many there are, and so which are missing."""
    groups = {
        'a': {'group_name': 'tp', 'group_rank': 0, 'global_ranks': [0, 1]},
        'b': {'group_name': 'default_group', 'group_rank': 0, 'global_ranks': list(range(4))},
    }
    for rank, seed in ((0, 1), (3, 2)):
        rank_folder(rank, seed)
        text = json.dumps({'distributed_args': {'x': [{}]}, 'parallel_group_info': groups})
        write(f'job/host_{rank}_ascend_pt/profiler_metadata.json', text.encode())
    (job,) = table('job', '-a', 'ranks', 'job')
    check_same((job['expected'], job['missing']), ('4', '1-2'), 'job')
    del groups['b']
    for text in (json.dumps({'parallel_group_info': groups}), text[: text.rindex('2')], '{', '[1]'):
        write('job/host_0_ascend_pt/profiler_metadata.json', text.encode())
        write('job/host_3_ascend_pt/profiler_metadata.json', text.encode())
        (job,) = table('job', '-a', 'ranks', 'job')
        check_same(job['expected'], '', text)


def subject(path):
    """The line that says what was recorded."""
    (line,) = (x for x in run('report', '-q', path).expect(0).out.split('\n') if 'Summary of' in x)
    return line


@test
def links_say_how_many_ranks_there_are_at_least(_folder):
    """The vendor's tool names links by their two ranks; a group of all that is stated says more."""
    for rank, seed in ((0, 1), (3, 2)):
        rank_folder(rank, seed)
    check(', job of 2 ranks,' in subject('job'), subject('job'))
    links = {'0-0': {}, '0-1': {}, '0-5': {}, '3-': {}, 'x-9': {}, '3-4294967295': {}}
    matrix = json.dumps({'step0': {'collective': {'allreduce@17-20@x': links}}})
    write('job/host_0_ascend_pt/ASCEND_PROFILER_OUTPUT/communication_matrix.json', matrix.encode())
    check(', 2 of 6 or more ranks,' in subject('job'), subject('job'))
    alone = subject('job/host_0_ascend_pt')
    check(', rank 0 of 6 or more,' in alone, alone)
    groups = {'b': {'group_name': 'default_group', 'global_ranks': list(range(8))}}
    for rank in (0, 3):
        write(
            f'job/host_{rank}_ascend_pt/profiler_metadata.json',
            json.dumps({'parallel_group_info': groups}).encode(),
        )
    said = subject('job')
    check(', job of 8 ranks, missing ranks: 1-2, 4-7,' in said, said)


def devices_told(*paths):
    """How many devices the page has, and whether a finding is on two."""
    name = run('view', '--ingest-only', '--store', 'store', *paths).expect(0).out.split('"')[1]
    with Server('--store', 'store') as server:
        profile = server.api('p/' + name)['profile']
    shutil.rmtree('store')
    told = run('report', '-q', '--findings', *paths).expect(0).out
    return sum(one['count'] for one in profile['devices']), ', on 2 devices' in told


@test
def iterations_of_one_device_are_no_ranks(_folder):
    """msprof writes a file an iteration, and its collectives and tasks once more apart."""
    os.makedirs('device_1/timeline')
    for kind in ('msprof', 'hccl', 'task_time'):
        for iteration in (1, 3):
            text = make.Job(1).text()
            write(f'device_1/timeline/{kind}_1_0_{iteration}.json', text.encode())
    write('device_1/info.json.1', b'{"DeviceInfo":[{"id":1}],"rank_id":5}')
    inputs = [row['input'].rsplit('/', 1)[1] for row in table('inputs', '-a', 'device', 'device_1')]
    check_same(inputs, ['msprof_1_0_1.json', 'msprof_1_0_3.json'], 'inputs')
    said = subject('device_1')
    check('job of' not in said and ' of 2' not in said and ', rank 5,' in said, said)
    check_same(devices_told('device_1'), (1, False), 'devices')
    for iteration in (1, 3):
        shutil.copy(f'device_1/timeline/msprof_1_0_{iteration}.json', f'{iteration}.json')
    check_same(devices_told('1.json', '3.json'), (2, True), 'devices of unknown ranks')
    os.remove('device_1/timeline/msprof_1_0_3.json')
    check_same(len(table('inputs', '-a', 'device', 'device_1')), 3, 'what nothing else has is read')
    write('device_1/info.json.2', b'{"rank_id":6}')
    check('rank 5' not in subject('device_1'), 'of two devices it is unknown which')


@test
def without_figures_of_the_vendor(_folder):
    """Neither the track nor a file beside it."""
    _, path = made(1)
    events = json.loads(read(path))
    events = events if isinstance(events, list) else events['traceEvents']
    names = {e['pid']: e['args'].get('name') for e in events if e.get('name') == 'process_name'}
    kept = [e for e in events if names.get(e.get('pid')) != 'Overlap Analysis']
    check(len(kept) < len(events), 'the track was there')
    write(path, json.dumps(kept).encode())
    run('report', '--only', 'vendor_figures', path).expect(
        0, out='vendor_figures: unknown: no track Overlap Analysis in the file, and no *'
    )


@test
def rank_beside_facts(_folder):
    """A trace that states properties of its devices, too, which are rows."""
    path = rank_folder(7, 1) + '/trace_view.json'
    text = make.Job(1).text()
    events = text if text.lstrip().startswith('[') else json.dumps(json.loads(text)['traceEvents'])
    devices = json.dumps([{'id': 0, 'name': 'Ascend910B4', 'totalGlobalMem': 65464696832}])
    write(path, f'{{"deviceProperties": {devices}, "traceEvents": {events}}}'.encode())
    run('run', '-d', 'ascend-json', '-s', 'csv', '-o', 'out/', path).expect(0)
    check('"rank":"7"' in read('out/inputs.csv').decode().replace('""', '"'), 'rank')
    check('Ascend910B4' in read('out/events.csv').decode(), 'facts')


@test
def both_forms(_folder):
    """Where a run wrote its database as well, the folder is that; the JSON is read where it is
    named."""
    folder = rank_folder(0, 4)
    database.write(f'{folder}/ascend_pytorch_profiler_0.db', database.Job(4))
    check_same(
        [row['decoder'] for row in table('inputs', 'job')], ['ascend'], 'inputs of the folder'
    )
    check_same(
        [row['decoder'] for row in table('inputs', f'{folder}/trace_view.json')],
        ['ascend-json'],
        'named',
    )


@test
def any_change(_folder):
    rand = random.Random(5)
    _, path = made(1)
    data = read(path)
    for i in range(40):
        changed = bytearray(data[: rand.randrange(len(data))] if i % 4 == 0 else data)
        for _ in range(rand.randint(1, 5)):
            changed[rand.randrange(1, len(changed))] = rand.randrange(256)
        write('a.json', bytes(changed))
        status = run('run', '-k', '-d', 'ascend-json', '-s', 'csv', '-o', '-', 'a.json').status
        check(status in (0, 2, 3), f'status {status}')


# -- Files beside the trace
# ------------------------------------------------------------------------------------------------------


def with_kernels(job, shapes):
    """kernel_details.csv of the job: what the trace calls AI_CORE is a vector kernel in truth, and
    has shapes."""
    rows = [
        'Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Input Shapes,Output Shapes'
    ]
    for event in job.events:
        if event['ph'] == 'X' and event['name'].startswith('kernel'):
            rows.append(
                f'0,{event["name"]},{shapes[0]},AI_VECTOR_CORE,{event["ts"]}\t,1,"""{shapes[1]}""","""{shapes[2]}"""'
            )
    return '\r\n'.join(rows).encode() + b'\r\n'


@test
def units_and_shapes_of_kernels(_folder):
    """The unit is that of kernel_details.csv; flops are those of the shapes, of whichever order
    each is kept in."""
    cases = {
        ('MatMulV2', '64,32;32,16', '64,16'): 2 * 64 * 32 * 16,
        ('MatMulV3', '64,32;16,32', '64,16'): 2 * 64 * 32 * 16,
        ('BatchMatMul', '5,64,32;5,32,16', '5,64,16'): 2 * 5 * 64 * 32 * 16,
        ('BatchMatMul', '5,64,32;4,32,16', '5,64,16'): None,
        ('MatMulV2', '64,32;32,16', '64,17'): None,
        ('MatMulV2', '4294967296,4294967296;4294967296,4294967296', '4294967296,4294967296'): None,
        ('Add', '64,32;64,32', '64,32'): None,
        ('MatMulV2', '64,32', ''): None,
        ('MatMulV2', '0,0;0,0', '0,0'): None,
    }
    job, path = made(2)
    plain = collections.Counter(row['engine'] for row in events(path) if row['work'] == 'compute')
    check(plain['vector'] < sum(plain.values()), plain)
    for shapes, flops in cases.items():
        write('kernel_details.csv', with_kernels(job, shapes))
        rows = [row for row in events(path) if row['work'] == 'compute']
        check_same(
            {(row['engine'], row['opcode'], row['shape'], row.get('flops', '')) for row in rows},
            {('vector', shapes[0], shapes[1], str(flops or ''))},
            shapes,
        )


@test
def cores_and_clock(_folder):
    """The peak is that of the cores and the clock that files tell; the chip is not named."""
    job, path = made(2)
    rows = with_kernels(job, ('MatMulV2', '64,32;32,16', '64,16')).decode().splitlines()

    def peak(blocks, unit='AI_CORE', head='Block Dim'):
        lines = [rows[0] + ',' + head] + [
            f'{row.replace("AI_VECTOR_CORE", unit)},{blocks}' for row in rows[1:]
        ]
        write('kernel_details.csv', '\r\n'.join(lines).encode())
        return {row['peak_flops'] for row in table('mfu', '-a', 'mfu', path)}

    for head in ('Block Dim', 'Block Num'):
        check_same(peak(24, head=head), {str(24 * 1800 * 10**6 * 8192)}, head)
    check_same(peak(20), {str(20 * 1800 * 10**6 * 8192)}, '20 blocks')
    named = json.dumps([{'id': job.device, 'name': 'Ascend910B4'}])
    write(path, f'{{"deviceProperties": {named}, "traceEvents": {job.text()}}}'.encode())
    facts = [row['value'] for row in table('facts', '-d', 'ascend-json', path)]
    check('Ascend910B4' in facts and 'Ascend NPU' not in facts, facts)
    write(path, job.text().encode())
    for blocks, unit in (
        (48, 'AI_VECTOR_CORE'),
        (19, 'AI_CORE'),
        (256, 'AI_CORE'),
        ('x', 'AI_CORE'),
    ):
        check_same(peak(blocks, unit), {''}, f'{blocks} blocks of {unit}')


@test
def information_of_devices(_folder):
    """Files of 2023: info.json.DEVICE above the folder of timelines."""
    job = make.Job(3)
    os.makedirs('device_1/timeline')
    path = 'device_1/timeline/msprof_1_0_5.json'
    write(path, job.text().encode())
    for text, cores in (
        ('{"DeviceInfo":[{"ai_core_num":32,"aic_frequency":"1000"}]}', '32'),
        ('{"DeviceInfo":[{"ai_core_num": 0,"aic_frequency":"1000"}]}', None),
        ('{"DeviceInfo":[{"ai_core_num"', None),
    ):
        write('device_1/info.json.1', text.encode())
        facts = {row['key']: row['value'] for row in table('facts', path)}
        check_same(facts.get('core_count'), cores, text)


@test
def memory_of_components(_folder):
    job, path = made(3)
    write(
        'memory_record.csv',
        f'Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n'
        f'PTA,{make.BASE}.250\t,0.00048828125,1.5,NPU:{job.device}\nAPP,{make.BASE}.500\t,,2109.60546875,NPU:{job.device}\n'
        f'PTA,no time,1,1,NPU:0\n'.encode(),
    )
    rows = [
        (row['process'], row['thread'], row['name'], row['value'])
        for row in events(path)
        if row['kind'] == 'counter' and not row['name'].startswith('AI Core')
    ]
    check_same(
        sorted(rows),
        [
            (f'NPU {job.device}', name, name, value)
            for name, value in (
                ('APP reserved', '2212081664'),
                ('PTA allocated', '512'),
                ('PTA reserved', '1572864'),
            )
        ],
        'counters',
    )


@test
def split_of_steps(_folder):
    """By the vendor's rule: its own rows that begin in the window from the first to the last task
    that PyTorch launched in the step; beside it what its tool wrote."""
    job, path = made(4)
    us = {}
    for step, begin, end, mine in job.split():
        own = [
            (start, start + length)
            for start, length in job.computing
            if mine[0] <= start < max(end, mine[1])
        ]
        us[step] = sum(b - a for a, b in own), own[0][0] - begin, max(b for _, b in own) - own[0][0]
    write(
        'step_trace_time.csv',
        'Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Preparing\n'
        + ''.join(
            f'{job.device},{step},{computing / 1e6:.6f},0,0,0,0,,0,1\n'
            for step, (computing, _, _) in us.items()
        ),
    )
    told = {
        (int(row['step']), row['figure']): row for row in table('ascend_steps', path) if row['step']
    }
    beside = {
        (int(row['step']), row['figure'], row['rule']): row
        for row in table('vendor_figures', '-a', 'vendor', path)
        if row['step']
    }
    for step, (computing, preparing, stage) in us.items():
        check_same(
            {
                figure: ps(told[step, figure]['by_rule_ns'])
                for figure in ('computing', 'preparing', 'stage', 'communication')
            },
            {'computing': computing, 'preparing': preparing, 'stage': stage, 'communication': 0},
            f'step {step}',
        )
        check_same(beside[step, 'computing', 'vendor']['difference'], '0', 'the same')
        check_same(
            Decimal(beside[step, 'preparing', 'vendor']['difference']),
            Decimal(1000000 - preparing) / 1000000,
            'another',
        )
        check_same(
            beside[step, 'preparing', 'vendor']['reason'],
            'the tool keeps Unix us in a double: a grid of 0.25 us'
            if abs(1000000 - preparing) <= 250000
            else 'the rows of the file do not add up to it: it may be of another run',
            'the reason',
        )
        check_same(told[step, 'stage']['vendor_ns'], '', 'unknown')
        check((step, 'stage', 'nprof') not in beside, 'what the vendor does not say')


@test
def why_the_split_differs(_folder):
    """The grid explains 0.25 us of what two stamps bound, whole ns 1 ns of each row of the vendor's;
    what is more than that is not explained, nor is what ours by the vendor's rule does not give."""
    job, path = made(4)
    step, begin, end, mine = next(job.split())
    rows = [
        (start, start + length)
        for start, length in job.computing
        if mine[0] <= start < max(end, mine[1])
    ]
    computing, preparing = sum(b - a for a, b in rows), rows[0][0] - begin

    def reasons(figure, vendor):
        """Of a step's figure, by rule: what the vendor's tool would have written, in ps."""
        head = {'computing': 'Computing', 'preparing': 'Preparing', 'stage': 'Stage'}[figure]
        blank = '' if figure == 'computing' else 'Computing,'
        write(
            'step_trace_time.csv',
            f'Step,{blank}{head}\n{step},{"," if blank else ""}{vendor / 1e6:.6f}\n',
        )
        return {
            row['rule']: row['reason']
            for row in table('vendor_figures', '-a', 'vendor', path)
            if row['figure'] == figure and row['step'] == str(step)
        }

    grid = 'the tool keeps Unix us in a double: a grid of 0.25 us'
    another = 'the rows of the file do not add up to it: it may be of another run'
    for off, said in ((250000, grid), (-250000, grid), (251000, another), (-190000, grid)):
        check_same(reasons('preparing', preparing + off)['vendor'], said, f'preparing, {off}')
        check_same(reasons('computing', computing + off)['vendor'], another, f'computing, {off}')
    not_by_rules = "not explained by the rules: by the vendor's own, ours differs, too"
    check_same(reasons('computing', computing + 10**9)['nprof'], not_by_rules, 'of another run')

    # The track alone, each row of it longer than what it is of.
    timeline = json.loads(read(path))
    events_of = timeline if isinstance(timeline, list) else timeline['traceEvents']
    own = [row for row in events_of if row['name'] == 'Computing' and row['ph'] == 'X']
    lengths = [Decimal(str(row['dur'])) for row in own]
    os.remove('step_trace_time.csv')
    for more, said in (
        (1, f"the vendor's rows are whole ns: {len(own)} rows, at most {len(own)} ns"),
        (
            1000,
            f"not explained by the vendor's rows being whole ns, at most {len(own)} ns of "
            f'{len(own)} rows',
        ),
    ):
        for row, length in zip(own, lengths):
            row['dur'] = float(length + Decimal(more) / 1000)
        write(path, json.dumps(timeline))
        (row,) = (
            row
            for row in table('vendor_figures', '-a', 'vendor', path)
            if row['figure'] == 'computing' and not row['step']
        )
        check_same(row['reason'], said, f'{more} ns a row: {row["difference"]}')
        told = {
            row['figure']: row['rows'] for row in table('ascend_steps', path) if not row['step']
        }
        check_same(told['computing'], str(len(own)), 'rows of the track')


@test
def split_of_steps_that_cannot_be_read(_folder):
    """What is lost of step_trace_time.csv is said: the line, the column and what was expected."""
    job, path = made(4)
    heads = 'Step,Computing,Overlapped,Device_id\n'
    of = 'trace_view.json: step_trace_time.csv: line'
    no_heads = f'{of} 1: expected the heads Step and Computing; the file is not used'
    for content, said in (
        (f'{heads}\n1,2.5,,{job.device}\n2,3,0,\n', []),
        ('', [no_heads]),
        ('\x00\x01{}\n', [no_heads]),
        ('Step,computing\n1,2\n', [no_heads]),
        ('"Step,Computing\n1,2\n', [no_heads]),
        (
            f'{heads}1,abc,0,\n\n2,1e300,0,\n',
            [
                f"{of} 2, column Computing: 'abc' is no number of us, or too large",
                f"{of} 4, column Computing: '1e300' is no number of us, or too large",
            ],
        ),
        (
            f'{heads},1,1,\nx,1,1,\n3,1,1,y\n',
            [
                f"{of} 2, column Step: '' is no number of a step; the line is not used",
                f"{of} 3, column Step: 'x' is no number of a step; the line is not used",
                f"{of} 4, column Device_id: 'y' is no number of a device",
            ],
        ),
        (f'{heads}1,2\n', [f'{of} 2: it has 2 cells, expected 4']),
        (f'{heads}1,"2\n', [f'{of} 2: a quote is not closed; it is not used']),
        (
            heads + 'x,1,1,\n' * 9,
            [
                f"{of} {line}, column Step: 'x' is no number of a step; the line is not used"
                + ('; more of this file are not named' if line == 6 else '')
                for line in range(2, 7)
            ],
        ),
    ):
        write('step_trace_time.csv', content)
        err = run('report', '--only', 'vendor_figures', path).expect(0).err
        found = [line for line in err.splitlines() if 'step_trace_time' in line]
        check_same(found, [f'nprof: warning: {text}' for text in said], repr(content))


@test
def damaged_files_beside(_folder):
    """They are skipped by record, and the trace is read."""
    rand = random.Random(8)
    job, path = made(5)
    whole = events(path)
    for name in ('kernel_details.csv', 'memory_record.csv', 'step_trace_time.csv'):
        for content in (
            b'',
            b'\n',
            b'a,b\n1',
            b'"open\n' * 3,
            bytes(rand.randrange(256) for _ in range(4000)),
            with_kernels(job, ('Add', '1', '1'))[:-40],
        ):
            write(name, content)
            found = [row for row in events(path) if row['kind'] != 'counter']
            check_same(len(found), len([row for row in whole if row['kind'] != 'counter']), name)
        os.remove(name)
    os.mkdir('kernel_details.csv')
    check(run('run', '-s', 'null', path).status in (0, 2), 'a folder of that name')


if __name__ == '__main__':
    main()
