# SPDX-License-Identifier: Apache-2.0
"""ascend-real.py - public files of Ascend's profilers, JSON and databases, with the files of their
folders: every figure of an independent reading of the raw rows (golden/ascend) that rows and tables
can tell."""

import collections
import csv
import gzip
import os
import re
import tarfile
from decimal import Decimal

from harness import Skip, add_test, check, check_same, main, rows_of, run, test

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'ascend', 'expected.tsv')
FILES = os.path.join(DATA, '..', 'files', 'ascend')
CLASSES = {
    'kernel': 'compute',
    'hccl': 'communication',
    'gpu_memcpy': 'copy',
    'device_wait': 'wait',
    'device_control': 'control',
    'wrapper': 'around',
}
SIZES = {'Float': 4, 'Half': 2, 'BFloat16': 2, 'Char': 1, 'Int': 4, 'Long': 8}
TYPES = {'FP32': 'Float', 'FP16': 'Half', '4': 'Float', 'None': 'None'}
# What is of the file as it lies, not of what it tells: events and tables are counted elsewhere
# (oracle, table inputs).
OF_THE_FILE = re.compile(
    r'(events|X|s|f|C|M|sum_dur|labels|tables|around|n_\w+|kernel_details_joined|freq_MHz)$'
)
FIGURES = {
    'computing': 'computing',
    'exposed': 'not_overlapped',
    'overlapped': 'overlapped',
    'communication': 'communication',
    'free': 'free',
    'stage': 'stage',
    'bubble': 'bubble',
    'preparing': 'preparing',
}
VENDOR = (
    'computing',
    'not_overlapped',
    'overlapped',
    'communication',
    'free',
    'stage',
    'bubble',
    'preparing',
)


def ps(text):
    return int(Decimal(text) * 1000)


def ns(value):
    return f'{value // 1000}.{value % 1000:03d}'


def union(rows):
    spans, out = (
        sorted((ps(row['start_ns']), ps(row['start_ns']) + ps(row['duration_ns'])) for row in rows),
        [],
    )
    for start, end in spans:
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return sum(end - start for start, end in out)


def table(name, *arguments):
    return rows_of(run('run', '-q', '-s', f'csv:table={name}', '-o', '-', *arguments).expect(0).out)


def longest(rows, key, most):
    """The first by their time: name, rows, ns."""
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        if row[key]:
            sums[row[key]][0] += 1
            sums[row[key]][1] += ps(row['duration_ns'])
    order = sorted(sums.items(), key=lambda item: -item[1][1])[:most]
    return [f'{name} {count} {ns(time)}' for name, (count, time) in order]


def add_count(found, key, rows):
    found[f'{key}.n'] = str(len(rows))
    found[f'{key}.ns'] = ns(sum(ps(row['duration_ns']) for row in rows))


def of_classes(rows):
    """Rows of devices by what they are."""
    out = collections.defaultdict(list)
    for row in rows:
        if row['kind'] == 'span' and row['process'].startswith('NPU'):
            kind = CLASSES.get(row['category'])
            if row['category'] == 'hccl_part':
                kind = 'plane' if row['thread'].startswith('Plane') else 'part'
            if kind:
                out[kind].append(row)
    return out


def of_launches(rows, real):
    calls = collections.defaultdict(list)
    for row in rows:
        if row['kind'] == 'span' and row['correlation_id'] and not row['process'].startswith('NPU'):
            calls[row['correlation_id']].append(ps(row['start_ns']))
    known = [row for row in real if row['correlation_id'] in calls]
    early = [min(calls[row['correlation_id']]) - ps(row['start_ns']) for row in known]
    early = [time for time in early if time > 0]
    found = {'launched': f'{len(known)}/{len(real)}', 'before_launch': str(len(early))}
    if early:
        found['before_launch_most_us'] = f'{max(early) / 1e6:.3f}'
    return found


def of_rows(rows):
    """The figures that rows tell, by the keys of the golden."""
    classes, found = of_classes(rows), {}
    compute, real = (
        classes['compute'],
        classes['compute'] + classes['communication'] + classes['copy'],
    )
    for kind, list_ in classes.items():
        add_count(found, f'class_{kind}', list_)
    for unit in ('cube', 'vector', 'mix', 'other'):
        add_count(
            found,
            f'unit_{unit}',
            [
                r
                for r in compute
                if (r['engine'] if r['engine'] in ('cube', 'vector', 'mix') else 'other') == unit
            ],
        )
    for name in ('Computing', 'Communication', 'Communication(Not Overlapped)', 'Free'):
        add_count(
            found,
            'rows_' + name.replace(' ', '_'),
            [r for r in rows if r['category'] == 'overlap' and r['name'] == name],
        )
    for i, text in enumerate(longest(compute, 'name', 3)):
        found[f'kernel_{i + 1}'] = text
    for i, text in enumerate(longest(real, 'operator', 5)):
        found[f'operator_{i + 1}'] = text
    found['torch_links'] = str(sum(bool(row['operator']) for row in real))
    found.update(of_launches(rows, real))
    for i, row in enumerate(
        sorted(classes['communication'], key=lambda row: ps(row['start_ns']))[:4]
    ):
        count = row['elements_in']
        size = int(count) * SIZES[row['dtype']] if count else None
        found[f'collective_{i + 1}'] = (
            f'{row["name"]} count={count or None} dtype={row["dtype"] or None} bytes={size} '
            f'{ns(ps(row["duration_ns"]))}'
        )
    for row in rows:
        held = (
            re.match(r'(.*) (allocated|reserved)$', row['name'])
            if row['kind'] == 'counter'
            else None
        )
        if held:
            key = f'peak_{held[2]}_{held[1]}'
            found[key] = str(max(int(found.get(key, 0)), int(Decimal(row['value']))))
    for kind, begins in (('conv', 'Conv2D'), ('matmul', 'MatMul')):
        mine = [row for row in compute if row['opcode'].startswith(begins)]
        flops = [int(row['flops']) for row in mine if row['flops']]
        if mine:
            found[
                f'flops_{kind}'
            ] = f'{sum(flops)} flop in {len(flops)} of {len(mine)} kernels, {ns(sum(ps(r["duration_ns"]) for r in mine))} ns'
    both, every = union(compute + classes['communication']), union(real)
    found.update(
        {f'dev_{kind}': ns(union(classes[kind])) for kind in ('compute', 'communication', 'copy')}
    )
    found['dev_comm_exposed'], found['dev_copy_exposed'] = ns(both - union(compute)), ns(
        every - both
    )
    device = [row for list_ in classes.values() for row in list_]
    found['dev_streams'] = str(len({row['stream'] for row in device if row['stream']}))
    return found


def of_tables(path):
    """The figures of tables devices, step_breakdown, ascend_steps, inputs and facts."""
    found = {}
    for row in table('devices', '-a', 'device', path):
        found.update(
            dev_busy=ns(ps(row['busy_ns'])),
            dev_span=ns(ps(row['span_ns'])),
            dev_idle=ns(ps(row['span_ns']) - ps(row['busy_ns'])),
        )
    for row in table('step_breakdown', '-a', 'steps', path):
        if not row['step']:
            continue
        for column, key in (
            ('window_ns', 'duration'),
            ('compute_ns', 'compute'),
            ('idle_ns', 'idle'),
            ('exposed_communication_ns', 'exposed_communication'),
            ('exposed_copy_ns', 'exposed_copy'),
        ):
            found[f'window_{row["step"].partition("#")[2]}.{key}'] = ns(ps(row[column]))
    steps = [row for row in table('ascend_steps', path) if row['step']]
    for row in steps:
        key = next(key for key, figure in FIGURES.items() if figure == row['figure'])
        if row['by_rule_ns']:
            found[f'step_{row["step"]}.{key}'] = ns(ps(row['by_rule_ns']))
    for number in {row['step'] for row in steps}:
        told = {row['figure']: row['vendor_ns'] for row in steps if row['step'] == number}
        if all(told.values()):
            found[f'vendor_{number}'] = ' '.join(told[figure] for figure in VENDOR)
    properties = table('inputs', path)[0]['properties']
    schema, rank = re.search(r'"schema_version":"([^"]*)"', properties), re.search(
        r'"rank":"(\d+)"', properties
    )
    device = re.search(r'\d+', next((row['device'] for row in steps if row['device']), ''))
    if schema:
        found['schema'] = schema[1]
    if rank and device:
        found['rank_device'] = f'{rank[1]}={device[0]}'
        for row in table('facts', path):
            if row['key'] == 'device_type':
                found['chips'] = f'{device[0]}={row["value"]}'
    return found


def expected():
    out = collections.defaultdict(dict)
    with open(GOLDEN, encoding='utf-8', newline='') as lines:
        for file, key, value in csv.reader(lines, delimiter='\t', quoting=csv.QUOTE_NONE):
            if file != 'file':
                out[file][key] = value
    return out


def as_ours(key, value):
    """The golden's figure in the form of ours: types by name, times of the vendor's tool in ns."""
    if key.startswith('collective_'):
        return re.sub(r'dtype=(\S+)', lambda type_: 'dtype=' + TYPES[type_[1]], value)
    if key.startswith('vendor_'):
        return ' '.join(f'{Decimal(us) * 1000:.3f}'.rstrip('0').rstrip('.') for us in value.split())
    return value


def unpack(name):
    """Gives the path of a file of the golden, in its folder with the files beside it."""
    if name == 'analyze_trace_view':
        with gzip.open(os.path.join(FILES, f'{name}.json.gz')) as packed, open(
            'trace_view.json', 'wb'
        ) as out:
            out.write(packed.read())
        return 'trace_view.json'
    pytorch = re.match(r'(text|db)_(level\d)_rank(\d)$', name)
    if pytorch:
        form, level, rank = pytorch.groups()
        tar = next(
            t
            for t in (f'{form}_{level}', name)
            if os.path.exists(os.path.join(FILES, t + '.tar.xz'))
        )
        end = f'rank{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT/' + (
            'trace_view.json' if form == 'text' else f'ascend_pytorch_profiler_{rank}.db'
        )
    else:
        tar, end = 'mindspore_msprof_device1', re.sub(
            r'ms_device1_(\w+)_(\d)$', r'/\1_1_0_\2.json', name
        )
    with tarfile.open(os.path.join(FILES, f'{tar}.tar.xz')) as archive:
        archive.extractall('.', filter='data')
    return next(
        os.path.join(top, file)
        for top, _, files in os.walk('.')
        for file in files
        if os.path.join(top, file).endswith(end)
    )


def equal(name, figures):
    def test_(_folder):
        path = unpack(name)
        rows = rows_of(run('run', '-q', '--meaning', '-s', 'csv', '-o', '-', path).expect(0).out)
        rows = [collections.defaultdict(str, row) for row in rows]
        found = {**of_rows(rows), **of_tables(path)}
        for key, value in figures.items():
            if OF_THE_FILE.match(key):
                continue
            if key == 'launched' and value.startswith('0/'):
                value = '0/' + value.split('/')[1]
            ours = found.get(re.sub(r'^dev-?\d+_', 'dev_', key))
            check_same(ours, as_ours(key, value), key)

    return test_


@test
def job_of_ranks(_folder):
    """Folders of two of the eight ranks of a job are mapped as they were recorded, in both forms
    and in any order."""
    if not os.path.exists(GOLDEN):
        raise Skip('no goldens here')
    for form, level, spread in (('text', 'level1', '9176'), ('db', 'level2', '1389')):
        with tarfile.open(os.path.join(FILES, f'{form}_{level}.tar.xz')) as archive:
            archive.extractall('.', filter='data')
        folder = f'{form}/{level}'
        run('map', '-q', '-o', form + '-a', folder).expect(0, err='')
        run(
            'map',
            '-q',
            '-o',
            form + '-b',
            *sorted((os.path.join(folder, rank) for rank in os.listdir(folder)), reverse=True),
        ).expect(0)
        told = [
            run(
                'reduce',
                '-q',
                '--allow-missing',
                '-s',
                'csv:table=job',
                '-o',
                '-',
                f'{form}-{order}',
            )
            .expect(0)
            .out
            for order in 'ab'
        ]
        check_same(told[0], told[1], 'whichever order the ranks come in')
        (row,) = rows_of(told[0])
        check_same((row['checked'], row['violations']), ('4', '0'), form)
        check_same(str(round(Decimal(row['end_spread_ns']))), spread, form)


def in_us(text):
    return Decimal(text) / 1000


def check_beside(row, vendor, ours, what):
    """A row of vendor_figures: in us, ours of the golden in ns; '' where it has none."""
    check_same(float(row['vendor']), float(vendor), what)
    check_same(row['ours'] and float(row['ours']), ours and float(in_us(ours)), what)
    if ours:
        check_same(
            round(Decimal(row['difference']), 6), round(Decimal(vendor) - in_us(ours), 6), what
        )
    check_same(
        bool(row['reason']), not row['ours'] or Decimal(row['difference']) != 0, f'{what}: reason'
    )


def beside(name, figures):
    def test_(_folder):
        rows = table('vendor_figures', '-a', 'vendor', unpack(name))
        found = {(row['step'], row['figure'], row['rule']): row for row in rows}
        golden = {re.sub(r'^dev-?\d+_', 'dev_', key): value for key, value in figures.items()}
        check_same(len(found), len(rows), 'a row a figure')
        wanted = set()
        for track, figure, ours in (
            ('Computing', 'computing', 'compute'),
            ('Communication', 'communication', 'communication'),
            ('Communication(Not_Overlapped)', 'not_overlapped', 'comm_exposed'),
            ('Free', 'free', 'idle'),
        ):
            if 'rows_Computing.ns' not in golden:
                continue
            key = ('', figure, 'nprof')
            wanted.add(key)
            check_beside(
                found[key],
                in_us(golden.get(f'rows_{track}.ns', '0')),
                golden['dev_' + ours],
                f'{track} of the whole file',
            )
        for step in (key.partition('_')[2] for key in golden if key.startswith('vendor_')):
            told = dict(
                zip(VENDOR, (round(Decimal(us), 3) for us in golden[f'vendor_{step}'].split()))
            )
            for figure, vendor in told.items():
                key = next(key for key, of in FIGURES.items() if of == figure)
                wanted.add((step, figure, 'vendor'))
                ours = golden[f'step_{step}.{key}']
                check_beside(found[step, figure, 'vendor'], vendor, ours, f'{step} {figure}')
            for figure, ours in (
                ('computing', 'compute'),
                ('not_overlapped', 'exposed_communication'),
                ('free', 'idle'),
                ('stage', 'duration'),
            ):
                row = found[step, figure, 'nprof']
                wanted.add((step, figure, 'nprof'))
                check_beside(row, told[figure], golden[f'window_{step}.{ours}'], f'{step} {figure}')
            # What explains the difference: the shorter window, and the copies in it.
            window, copies = (
                in_us(golden[f'window_{step}.{part}']) for part in ('duration', 'exposed_copy')
            )
            explained = told['stage'] - window + copies
            left = Decimal(found[step, 'free', 'nprof']['difference']) - explained
            check(abs(left) < Decimal('0.5'), f'step {step}: {left} us are not explained')
        check_same(set(found), wanted, 'which figures')

    return test_


for found_name, found_figures in sorted(expected().items()) if os.path.exists(GOLDEN) else ():
    add_test(f'figures of {found_name}', equal(found_name, found_figures))
    add_test(f'vendor beside ours, {found_name}', beside(found_name, found_figures))

if __name__ == '__main__':
    main()
