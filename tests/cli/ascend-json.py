# SPDX-License-Identifier: Apache-2.0
"""ascend-json.py - JSON of Ascend's profilers: made ones (tests/tools/ascend_json_make.py), each row against what was drawn; public
ones against the figures of an independent reading; damaged ones."""

import collections
import gzip
import os
import random
import sys
import tarfile
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import Skip, check, check_same, main, read, rows_of, run, test, write  # noqa: E402
import ascend_json_make as make  # noqa: E402
import ascend_make as database  # noqa: E402

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'ascend', 'expected.tsv')
FILES = os.path.join(DATA, '..', 'files', 'ascend')


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
    return collections.Counter((row['name'], ps(row['duration_ns']), *(row[key] for key in keys))
                               for row in rows if row['work'] == work and row['process'].startswith('NPU'))


@test
def every_row(_folder):
    """Tasks, collectives and copies by class, with the launch, the step and the operator that were drawn; of labels with and
    without the number of the device."""
    for seed in range(6):
        job, path = made(seed)
        rows = events(path)
        check_same(drawn(rows, 'compute', 'correlation_id', 'step', 'operator', 'engine', 'thread'), collections.Counter(job.compute), 'kernels')
        check_same(drawn(rows, 'communication', 'correlation_id', 'step', 'operator', 'group', 'sequence', 'elements_in', 'dtype'),
                   collections.Counter(job.collectives), 'collectives')
        check_same(drawn(rows, 'copy', 'correlation_id', 'step'), collections.Counter(job.copies), 'copies')
        check_same(drawn(rows, 'wait'), collections.Counter(job.waits), 'waits')
        check_same({row['process'] for row in rows if row['process'].startswith('NPU')}, {f'NPU {job.device}'}, 'one device')
        check_same(len({row['process'] for row in rows if row['kind'] == 'span'}), 2, 'one host')
        launches = [row['correlation_id'] for row in rows if row['category'] == 'node_api' and row['correlation_id']]
        check(not any(row['correlation_id'] for row in rows if row['category'] == 'acl_api'), 'the call of a node goes before')
        check_same(sorted(launches, key=int), [str(c) for c in sorted(job.launches)], 'one launch each')


@test
def without_calls(_folder):
    """Level 0 has no calls of CANN: arrows tell of launches."""
    job, path = made(7, calls=False)
    rows = events(path)
    found = sorted(int(row['correlation_id']) for row in rows if row['category'] == 'launch')
    check_same(found, sorted(job.launches), 'launches')
    check_same({row['duration_ns'] for row in rows if row['category'] == 'launch'}, {'0'}, 'no length')
    check_same(drawn(rows, 'compute', 'correlation_id', 'step', 'operator', 'engine', 'thread'), collections.Counter(job.compute), 'kernels')


@test
def any_parts(_folder):
    _, path = made(3)
    whole = run('run', '-s', 'csv', '-o', '-', path).expect(0).out
    for size in (1, 700, 5000):
        check_same(run('run', '-d', f'ascend-json:part={size}', '-s', 'csv', '-o', '-', path).expect(0).out, whole, f'parts of {size}')


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
    """A job is one folder: its files are one profile a rank, whose number stands in the name of a file above the trace."""
    for rank, seed in ((12, 1), (3, 2)):
        rank_folder(rank, seed)
    check_same(sorted(int(row['rank']) for row in table('ranks', '-a', 'ranks', 'job') if row['state'] != 'missing'), [3, 12], 'ranks')
    run('map', '-o', 'states', 'job').expect(0, err='')
    check_same(sorted(os.listdir('states/states')), ['rank-00003.nps', 'rank-00012.nps'], 'states')
    os.rename('job/host_3_ascend_pt/profiler_info_3.json', 'job/host_3_ascend_pt/profiler_info.json')
    run('map', '-o', 'other', 'job').expect(1, err='*nobody says which rank NPU * is*')


@test
def both_forms(_folder):
    """Where a run wrote its database as well, the folder is that; the JSON is read where it is named."""
    folder = rank_folder(0, 4)
    database.write(f'{folder}/ascend_pytorch_profiler_0.db', database.Job(4))
    check_same([row['decoder'] for row in table('inputs', 'job')], ['ascend'], 'inputs of the folder')
    check_same([row['decoder'] for row in table('inputs', f'{folder}/trace_view.json')], ['ascend-json'], 'named')


@test
def any_change(_folder):
    rand = random.Random(5)
    _, path = made(1)
    data = read(path)
    for i in range(40):
        changed = bytearray(data[:rand.randrange(len(data))] if i % 4 == 0 else data)
        for _ in range(rand.randint(1, 5)):
            changed[rand.randrange(1, len(changed))] = rand.randrange(256)
        write('a.json', bytes(changed))
        status = run('run', '-k', '-d', 'ascend-json', '-s', 'csv', '-o', '-', 'a.json').status
        check(status in (0, 2, 3), f'status {status}')


# -- Public files ----------------------------------------------------------------------------------------------------------------

TARS = {'text_level0_rank0': ('text_level0_rank0', 'level0/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json'),
        'text_level1_rank0': ('text_level1', 'level1/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json'),
        'text_level1_rank1': ('text_level1', 'level1/rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json'),
        **{f'ms_device1_{kind}_{i}': ('mindspore_msprof_device1', f'/{kind}_1_0_{i}.json')
           for kind in ('msprof', 'hccl', 'task_time') for i in (1, 3, 5, 7, 9)}}


def unpack(name):
    if name == 'analyze_trace_view':
        with gzip.open(os.path.join(FILES, f'{name}.json.gz')) as file:
            write('trace_view.json', file.read())
        return 'trace_view.json'
    tar, end = TARS[name]
    if os.path.exists(os.path.basename(end)) and not end.endswith('trace_view.json'):
        return os.path.basename(end)
    with tarfile.open(os.path.join(FILES, f'{tar}.tar.xz')) as archive:
        for member in archive:  # all, since it is packed as one
            kept = member.name.endswith(end) if end.endswith('trace_view.json') else member.name.endswith('.json')
            if kept:
                write(os.path.basename(member.name), archive.extractfile(member).read())
    return os.path.basename(end)


def union(spans):
    out = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return sum(end - start for start, end in out)


def sums(rows):
    """The figures of golden/ascend that rows tell."""
    found, spans = {}, collections.defaultdict(list)
    of = collections.defaultdict(list)
    classes = {'kernel': 'compute', 'hccl': 'communication', 'gpu_memcpy': 'copy', 'device_wait': 'wait', 'device_control': 'control'}
    real = []
    for row in rows:
        if row['kind'] != 'span' or not row['process'].startswith('NPU'):
            continue
        kind = classes.get(row['category'])
        if row['category'] == 'hccl_part':
            kind = 'plane' if row['thread'].startswith('Plane') else 'part'
        if kind:
            of[kind].append(row)
        if kind in ('compute', 'communication', 'copy'):
            real.append(row)
            start = ps(row['start_ns'])
            spans[kind].append((start, start + ps(row['duration_ns'])))
    for kind, list_ in of.items():
        found[f'class_{kind}.n'] = len(list_)
        found[f'class_{kind}.ns'] = sum(ps(row['duration_ns']) for row in list_)
    launches = {row['correlation_id'] for row in rows if row['correlation_id'] and not row['process'].startswith('NPU')}
    known = sum(row['correlation_id'] in launches for row in real)
    found['launched'] = f'{known}/{len(real)}'
    every = [span for list_ in spans.values() for span in list_]
    if every:
        busy, span = union(every), max(e for _, e in every) - min(s for s, _ in every)
        found.update(busy=busy, span=span, idle=span - busy, **{k: union(v) for k, v in spans.items()})
        found['comm_exposed'] = union(spans['compute'] + spans['communication']) - union(spans['compute'])
        found['copy_exposed'] = busy - union(spans['compute'] + spans['communication'])
    found['flows.s'] = sum(row['kind'] == 'flow' and row['flow_phase'] == 'begin' for row in rows)
    units = collections.defaultdict(int)
    for name in {row['name'] for row in of['compute']}:
        units[name] = sum(ps(row['duration_ns']) for row in of['compute'] if row['name'] == name)
    for i, (name, total) in enumerate(sorted(units.items(), key=lambda x: -x[1])[:3]):
        count = sum(row['name'] == name for row in of['compute'])
        found[f'kernel_{i + 1}'] = f'{name} {count} {total // 1000}.{total % 1000:03d}'
    return found


def expected():
    out = collections.defaultdict(dict)
    with open(GOLDEN, encoding='utf-8') as lines:
        for line in lines:
            file, key, value = line.rstrip('\n').split('\t')
            if file in TARS or file == 'analyze_trace_view':
                out[file][key] = value
    return out


@test
def real_files(_folder):
    """Classes, unions, launches and kernels of all rows equal the independent reading."""
    if not os.path.exists(GOLDEN):
        raise Skip('no goldens here')
    met = 0
    for name, figures in expected().items():
        path = unpack(name)
        found = sums(events(path))
        devices = table('devices', '-a', 'device', path)
        for key, value in figures.items():
            short = key.split('_', 1)[1] if key.startswith('dev') else key
            if key == 's':
                short = 'flows.s'
            if short not in found:
                continue
            if short == 'launched' and value.startswith('0/'):
                value = '0/' + value.split('/')[1]
            as_number = isinstance(found[short], int) and (key.startswith('dev') or key.endswith('.ns'))
            check_same(found[short], ps(value) if as_number else type(found[short])(value), f'{name} {key}')
            met += 1
        prefix = next((key.split('_')[0] for key in figures if key.startswith('dev')), None)
        if prefix:  # of task_time only classes are stated
            device, = devices
            for column in ('compute', 'communication', 'copy', 'busy', 'span'):
                check_same(ps(device[f'{column}_ns']), ps(figures[f'{prefix}_{column}']), f'{name} table devices {column}')
                met += 1
        for row in table('step_breakdown', '-a', 'steps', path) if 'window_50.idle' in figures or 'window_1.idle' in figures else []:
            for column, key in (('window_ns', 'duration'), ('compute_ns', 'compute'), ('idle_ns', 'idle'),
                                ('exposed_communication_ns', 'exposed_communication'), ('exposed_copy_ns', 'exposed_copy')):
                number = next(k for k in figures if k.startswith('window_')).split('.')[0]
                check_same(ps(row[column]), ps(figures[f'{number}.{key}']), f'{name} window {key}')
                met += 1
    check(met > 300, f'only {met} figures were compared')
    if os.environ.get('NPROF_SAY'):
        print(met, 'figures', file=sys.stderr)


if __name__ == '__main__':
    main()
