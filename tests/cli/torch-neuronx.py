#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch-neuronx.py - planes of the Neuron runtime in an XSpace, as torch-neuronx writes them: drawn
from seeds, and what nprof reports beside the plainest reckoning, picosecond by picosecond where it
counts. No XSpace of Neuron is public; processes and threads have the names of the vendor's
guides."""

import collections
import json
import os
import random
import shutil

from harness import check, check_same, main, rows_of, run, test, write

import xspace

ROOT = '/host:Neuron-runtime:profile//{run}/model{model}/node{node}/plugins/neuron/1690000000/'
PROCESSES = {
    'Process Execution': 'compute',
    'Process Control': 'control',
    'Process Data Transfer': 'data transfer',
}


def stat(metadata, text):
    return xspace.message(4, xspace.number(1, metadata) + xspace.message(5, text))


def plane_stat(metadata, value):
    kind = xspace.message(5, value) if isinstance(value, str) else xspace.number(3, value)
    return xspace.message(6, xspace.number(1, metadata) + kind)


def timeline(ident, folder, events, file='neuron_op_timeline.json', start=1690000000000000000):
    records = b''.join(xspace.event(1, 0, 0, stat(3, json.dumps(e))) for e in events)
    return xspace.plane(
        ident,
        folder + file,
        xspace.line(1, 'trace', records),
        xspace.named(4, 1, 'record'),
        xspace.named(5, 1, 'displayTimeUnit'),
        xspace.named(5, 2, 'neuronStartTimestampNs'),
        xspace.named(5, 3, 'event'),
        plane_stat(1, 'ns'),
        plane_stat(2, start),
    )


def operators(ident, folder, file, records):
    names = [xspace.named(5, 10 + i, f'op_{i}') for i in range(len(records))]
    values = [plane_stat(10 + i, json.dumps(r)) for i, r in enumerate(records)]
    return xspace.plane(ident, folder + file, *names, *values)


class Timeline:
    """Operators of the framework one after the other, each cut into operators of HLO, with
    spaces."""

    def __init__(self, seed, named_threads=True):
        self.rng, self.events, self.rows = random.Random(seed), [], []
        self.named = named_threads
        for pid, (name, category) in enumerate(PROCESSES.items(), 1):
            self.label(pid, 'process_name', name)
            self.fill(pid, category)
        self.label(9, 'process_name', 'Process Overview')
        self.span(9, 'Compute Busy', 'busy', 0, 10**9)
        self.rng.shuffle(self.events)

    def label(self, pid, what, name, **more):
        self.events.append({'ph': 'M', 'name': what, 'pid': pid, 'args': {'name': name}, **more})

    def span(self, pid, thread, name, start, end, **more):
        """Times are ns: ts and dur are us with three digits."""
        tid = thread
        if self.named:
            tid = {'HLO Ops': 1, 'Framework Ops': 2, 'Neuron Runtime Setup': 4}.get(thread, 3)
            self.label(pid, 'thread_name', thread, tid=tid)
        self.events.append(
            {
                'ph': 'X',
                'name': name,
                'cat': 'op',
                'pid': pid,
                'tid': tid,
                'ts': start / 1000,
                'dur': (end - start) / 1000,
                **more,
            }
        )

    def fill(self, pid, category):
        at = self.rng.randrange(50)
        for _ in range(12):
            layer, op = self.rng.randrange(3), self.rng.choice(['aten__add', 'aten__mm'])
            path = f'Net[net]/Linear[layer{layer}]/{op}'
            begin = at
            for k in range(self.rng.randrange(1, 4)):
                name = self.rng.choice(['dot.3', 'add.7', f'fused_{k}'])
                end = at + self.rng.randrange(1, 90)
                self.span(pid, 'HLO Ops', name, at, end)
                self.rows.append((category, name, path, at, end))
                at = end + self.rng.choice([0, 5])
            self.span(pid, 'Framework Ops', path, begin, at)
            self.span(pid, f'Linear[layer{layer}]', path.rsplit('/', 1)[0], begin, at)
            at += self.rng.choice([0, 0, 120])


def union(spans):
    return sum(any(a <= t < b for a, b in spans) for t in range(max(b for _, b in spans)))


def table(name, folder='out'):
    with open(f'{folder}/{name}.csv', encoding='utf-8', newline='') as file:
        return rows_of(file.read())


def ns(text):
    return round(float(text)) if text else 0


def decode_files(*paths):
    shutil.rmtree('out', ignore_errors=True)
    return run(
        'run', '-q', '-a', 'device', '-a', 'operators', '-s', 'csv', '-o', 'out', *paths
    ).expect(0)


def decode(*planes):
    write('t.xplane.pb', b''.join(planes))
    return decode_files('t.xplane.pb')


def sums(rows, key):
    found = collections.Counter()
    for row in rows:
        found[key(row)] += row[4] - row[3]
    return dict(found)


def check_device(label, rows):
    device = [row for row in table('devices') if row['device'] == label]
    check_same(len(device), 1, f'{label} in devices')
    check_same(ns(device[0]['busy_ns']), union([r[3:5] for r in rows]), f'{label}: busy')
    copies = [r[3:5] for r in rows if r[0] == 'data transfer']
    others = [r[3:5] for r in rows if r[0] == 'compute']
    check_same(ns(device[0]['copy_ns']), union(copies), f'{label}: copies')
    check_same(
        ns(device[0]['overlap_ns']),
        union(copies) + union(others) - union(copies + others),
        f'{label}: overlap',
    )
    gaps = sum(ns(row['duration_ns']) for row in table('gaps') if row['device'] == label)
    first, last = min(r[3] for r in rows), max(r[4] for r in rows)
    check_same(gaps, last - first - union([r[3:5] for r in rows]), f'{label}: gaps')
    found = {
        row['category']: ns(row['busy_ns']) for row in table('categories') if row['device'] == label
    }
    check_same(
        {k: v for k, v in found.items() if v},
        {
            'copy' if c == 'data transfer' else c: union([r[3:5] for r in rows if r[0] == c])
            for c in PROCESSES.values()
        },
        f'{label}: categories',
    )
    for level, key in (
        ('hlo', lambda r: r[1]),
        ('framework', lambda r: r[2]),
        ('layer', lambda r: r[2].rsplit('/', 1)[0]),
    ):
        found = collections.Counter()
        for row in table('operators'):
            if (row['device'], row['level']) == (label, level):
                found[row['operator']] += ns(row['total_ns'])
        check_same(dict(found), sums(rows, key), f'{label}: {level}')


@test
def timelines_are_devices(_folder):
    for seed in range(3):
        drawn = [Timeline(seed * 2 + i, named_threads=seed != 1) for i in range(2)]
        decode(
            *[
                timeline(i, ROOT.format(run='abc_1', model=1, node=i), d.events)
                for i, d in enumerate(drawn)
            ]
        )
        for i, d in enumerate(drawn):
            check_device(f'Neuron abc_1/model1/node{i}', d.rows)


@test
def advice_is_for_a_neuroncore(_folder):
    """Its engines wait for each other between two operators: no graph of a GPU mends that."""
    events = Timeline(3).events
    write('made.pb', timeline(1, ROOT.format(run='a', model=2, node=0), events))
    said = run('report', '-q', '-d', 'xplane', '--findings', 'made.pb').expect(0).out
    for word in ('graph', 'torch.compile', 'Nsight', 'command buffers'):
        check(word not in said, f'{word}: {said}')
    check('try  fused kernels (NKI)' in said, said)


@test
def the_setup_of_the_runtime_is_a_category(_folder):
    """Of the overview it alone is time that no other process has; busy time of engines is
    theirs."""
    drawn = Timeline(12)
    drawn.span(9, 'Neuron Runtime Setup', 'Neuron Runtime Setup', 0, 90)
    decode(timeline(1, ROOT.format(run='a', model=2, node=0), drawn.events))
    busy = {row['category']: ns(row['busy_ns']) for row in table('categories')}
    check_same(busy['setup'], 90, 'setup')
    check_same(busy['compute'], union([r[3:5] for r in drawn.rows if r[0] == 'compute']), 'compute')


@test
def a_timeline_counts_once(_folder):
    """The runtime writes it into three files of one folder: the rows of the copies are left out and
    counted."""
    drawn, folder = Timeline(9), ROOT.format(run='a', model=2, node=0)
    files = ['neuron_op_timeline_split.json', 'neuron_trace.json', 'neuron_op_timeline.json']
    planes = [timeline(i, folder, drawn.events, file) for i, file in enumerate(files)]
    decode(*planes)
    check_same([row['device'] for row in table('devices')], ['Neuron a/model2/node0'], 'devices')
    check_device('Neuron a/model2/node0', drawn.rows)
    spans = sum(event['ph'] == 'X' for event in drawn.events)
    check_same(len(table('events')), spans, 'rows')
    check_same(
        [(row['what'], row['count'], row['reason']) for row in table('skipped')],
        [
            (
                'copy of a timeline',
                '2',
                'its rows are those of neuron_op_timeline.json of the same folder',
            )
        ],
        'skipped',
    )
    write('copies.pb', b''.join(planes))
    run('run', '-d', 'xplane:copies=yes', '-s', 'csv', '-o', 'all', 'copies.pb').expect(0)
    check_same(len(table('events', 'all')), 3 * spans, 'rows with their copies')
    run('run', '-d', 'xplane:extract=files', '-s', 'null', 'copies.pb').expect(0)
    written = [
        json.load(open(f'files/a/{file}', encoding='utf-8'))['traceEvents'] for file in files
    ]
    check_same(written, [drawn.events] * 3, 'the files of copies')


@test
def two_files_of_one_name_are_not_extracted(_folder):
    """Two models of a run in one file, or its parts in two: neither is written over the other."""
    folders = [ROOT.format(run='a', model=m, node=0) for m in (1, 2)]
    planes = [timeline(1, folder, Timeline(10 + i).events) for i, folder in enumerate(folders)]
    write('both.pb', b''.join(planes))
    write('0.pb', planes[0])
    write('1.pb', planes[1])
    for paths in (['both.pb'], ['0.pb', '1.pb']):
        run('run', '-d', 'xplane:extract=files', '-s', 'null', *paths).expect(
            1, err='*files/a/neuron_op_timeline.json: the inputs hold two files of this name: *'
        )
        check(not os.path.exists('files'), 'nothing is left')


@test
def a_timeline_that_differs_stays(_folder):
    """One start is another, the order is another, or the folder is: none of them is a copy."""
    drawn, folder = Timeline(10), ROOT.format(run='a', model=2, node=0)
    later = [dict(event) for event in drawn.events]
    moved = next(event for event in later if event['ph'] == 'X')
    moved['ts'] += 0.001
    spans = sum(event['ph'] == 'X' for event in drawn.events)
    for other in (
        timeline(2, folder, later, 'neuron_trace.json'),
        timeline(2, folder, drawn.events[::-1], 'neuron_trace.json'),
        timeline(2, ROOT.format(run='a', model=2, node=1), drawn.events),
    ):
        decode(timeline(1, folder, drawn.events), other)
        check_same(len(table('events')), 2 * spans, 'rows')
        check_same(table('skipped'), [], 'skipped')


@test
def a_folder_of_translated_files_is_one_profile(_folder):
    """The files that the planes hold, back from extract= or as Python writes them, say the same as
    the planes, whichever of them is named."""
    drawn, folder = Timeline(13), ROOT.format(run='a_1', model=2, node=0)
    spans = sum(event['ph'] == 'X' for event in drawn.events)
    records = [{'Op Name': f'dot.{k}', 'Occurrences': k, 'Time (ns)': 7 * k} for k in (1, 2, 3)]
    decode(
        timeline(1, folder, drawn.events),
        timeline(2, folder, drawn.events, 'neuron_trace.json'),
        operators(3, folder, 'neuron_hlo_op.json', records),
        operators(4, folder, 'neuron_framework_op.json', records[:1]),
    )
    wanted = table('neuron_ops')
    run('run', '-d', 'xplane:extract=files', '-s', 'null', 't.xplane.pb').expect(0)
    plain = 'log/plugins/neuron/2023_04_28_00_54_04_c1_1'
    for made in (plain, 'bad', 'cut'):
        os.makedirs(made)
    for name, text in (
        ('neuron_op_timeline.json', {'traceEvents': drawn.events, 'displayTimeUnit': 'ns'}),
        ('neuron_hlo_op.json', {'total_time': 42, 'ops': records}),
        ('neuron_framework_op.json', {'ops': records[:1]}),
    ):
        write(f'{plain}/{name}', json.dumps(text, indent=1))
    for path, label, copies in (
        ('files', 'a_1', 1),
        ('files/a_1/neuron_hlo_op.json', 'a_1', 1),
        (plain, plain.rsplit('/', 1)[1], 0),
    ):
        decode_files(path)
        check_device(f'Neuron {label}', drawn.rows)
        check_same(len(table('events')), spans, f'{path}: rows')
        check_same(len(table('skipped')), copies, f'{path}: copies')
        check_same(
            [(row['file'], row['name'], row['time_ns']) for row in table('neuron_ops')],
            [(row['file'], row['name'], row['time_ns']) for row in wanted],
            f'{path}: operators',
        )
    # Two files of a folder that are named, and a folder in which one is broken.
    decode_files(f'{plain}/neuron_hlo_op.json', f'{plain}/neuron_op_timeline.json')
    check_same(len(table('events')), spans, 'rows of two files')
    write(f'{plain}/neuron_hlo_op.json', '{"ops": [')
    decode_files(plain)
    check_same(len(table('events')), spans, 'rows beside a broken file')
    check_same([row['what'] for row in table('skipped')], ['file of torch-neuronx'], 'broken')
    # An error of a record names its byte in the file, not in what is made of it.
    text = json.dumps({'traceEvents': [{'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 'x'}]})
    write('bad/neuron_op_timeline.json', text)
    said = run('run', '-q', '-s', 'null', 'bad').err
    check(f'byte {text.index("{", 1)}' in said, said)
    write('cut/neuron_op_timeline.json', text[:-1])
    check('one JSON object' in run('run', '-q', '-s', 'null', 'cut').expect(2).err, 'cut off')


@test
def planes_are_named_as_torch_neuronx_names_them(_folder):
    folder = ROOT.format(run='a_1', model=2, node=0)
    stamp = '2023_04_28_00_54_04'
    os.mkdir(stamp)
    write(
        f'{stamp}/logs.pb', xspace.plane(1, '/host:CPU') + timeline(2, folder, Timeline(11).events)
    )
    said = (
        run('run', '-v', '-d', 'xplane:extract=temp', '-s', 'null', f'{stamp}/logs.pb')
        .expect(0)
        .err
    )
    plane = folder + 'neuron_op_timeline.json'
    check_same(
        [line.split(': ', 2)[2] for line in said.splitlines() if 'torch_neuron' in line],
        [
            "torch_neuron: translate_xplane: Processing plane: '/host:CPU'",
            'torch_neuron: XLA decode - Read filename 2023_04_28_00_54_04',
            "torch_neuron: XLA decode - Read date parts ['2023', '04', '28', '00', '54', '04']",
            'torch_neuron: XLA decode - Read start date 2023-04-28 00:54:04 from directory stamp',
            f"torch_neuron: translate_xplane: Processing plane: '{plane}'",
            f"torch_neuron: translate_xplane: Writing plane: '{plane}' to 'temp/a_1/neuron_op_timeline.json'",
        ],
        'lines',
    )
    check(
        'torch_neuron'
        not in run('run', '-d', 'xplane:extract=temp2', '-s', 'null', f'{stamp}/logs.pb')
        .expect(0)
        .err,
        'without -v',
    )


@test
def the_finest_level_there_is_counts(_folder):
    """Without operators of HLO those of the framework are the work, without them all threads."""

    def events(threads):
        yield {'ph': 'M', 'name': 'process_name', 'pid': 'p', 'args': {'name': 'Process Execution'}}
        for thread, name, ts, dur in threads:
            yield {'ph': 'X', 'name': name, 'pid': 'p', 'tid': thread, 'ts': ts, 'dur': dur}

    for threads, busy, level in (
        (
            [('Framework Ops', 'M[a]/aten__x', 1, 2), ('M[a]', 'M[a]', 0, 9)],
            2000,
            {'M[a]/aten__x': 2000},
        ),
        ([('M[a]', 'M[a]', 0, 9), ('b', 'b', 12, 1)], 10000, {}),
        ([('hlo ops', 'dot', 5, 1), ('Framework Ops', 'M[a]/aten__x', 1, 2)], 1000, {}),
    ):
        decode(timeline(1, ROOT.format(run='a', model=2, node=0), events(threads)))
        check_same([ns(row['busy_ns']) for row in table('devices')], [busy], str(threads))
        found = {
            row['operator']: ns(row['total_ns'])
            for row in table('operators')
            if row['level'] == 'framework' and row['operator']
        }
        check_same(found, level, str(threads))


@test
def names_that_tell_nothing_are_no_work(_folder):
    events = [
        {'ph': 'X', 'name': 'x', 'cat': 'c', 'pid': 7, 'tid': 8, 'ts': 1, 'dur': 2},
        {'ph': 'X', 'name': 'y', 'ts': 4, 'dur': 2},
    ]
    decode(timeline(1, ROOT.format(run='a', model=2, node=0), events))
    check_same(table('devices'), [], 'devices')
    check_same(
        sorted(row['name'] for row in table('events') if row['kind'] == 'span'), ['x', 'y'], 'rows'
    )


@test
def records_of_operators(_folder):
    folder = ROOT.format(run='r_1', model=1, node=0)
    records = [
        {
            'Op Name': 'Net/aten__mm',
            'Occurrences': 4,
            'Time (ns)': 11452,
            'Neuron Device': 0,
            'NeuronCore': 1,
        },
        {'name': 'x', 'time': '7.5', 'count': '2', 'nested': [[['time']]]},
        {'other': 1, 'time': -1, 'count': 1.5},
    ]
    decode(
        operators(1, folder, 'neuron_framework_op.json', records),
        operators(2, folder, 'neuron_hlo_op.json', records[:1]),
    )
    found = [
        [row[c] for c in ('level', 'name', 'calls', 'time_ns', 'device', 'core')]
        for row in table('neuron_ops')
    ]
    one = ['Net/aten__mm', '4', '11452', '0', '1']
    check_same(
        found,
        [
            ['framework', *one],
            ['framework', 'x', '2', '7.5', '', ''],
            ['framework', '', '', '', '', ''],
            ['hlo', *one],
        ],
        'records',
    )


@test
def fused_operators_list_their_parts(_folder):
    """Also where the runtime's timeline is a device, whose rows say their operator of HLO."""
    parts = 'NN[model]/Linear[layer1]/aten__addmm_add, NN[model]/input'
    events = [
        {'ph': 'M', 'name': 'process_name', 'pid': 'p', 'args': {'name': 'Process Execution'}},
        {
            'ph': 'X',
            'name': 'NN[model]/input',
            'pid': 'p',
            'tid': 'Framework Ops',
            'ts': 1,
            'dur': 2,
        },
        *(
            {
                'ph': 'X',
                'name': 'fused_16',
                'pid': 'p',
                'tid': 'HLO Ops',
                'ts': ts,
                'dur': 2,
                'args': {'fused': '{' + parts + '}'},
            }
            for ts in (1, 5)
        ),
        {'ph': 'X', 'name': 'fused_17', 'pid': 'p', 'tid': 'HLO Ops', 'ts': 8, 'dur': 1},
    ]
    write('t.xplane.pb', timeline(1, ROOT.format(run='a', model=2, node=0), events))
    run('run', '-q', '-a', 'fusion', '-s', 'csv', '-o', 'out', 't.xplane.pb').expect(0)
    found = [(row['fusion'], row['member'], row['seen']) for row in table('fusion_members')]
    check_same(
        found,
        [('fused_16', name, seen) for name, seen in zip(parts.split(', '), ('no', 'yes'))],
        'members',
    )
    check_same(
        [(row['fusion'], row['calls']) for row in table('fusions')],
        [('fused_16', '2'), ('fused_17', '1')],
        'fusions',
    )


@test
def fusions_in_parallel_are_told_from_those_of_the_compiler(_folder):
    """Drawn: an operator of the fusion runs in another section meanwhile, or not; edges that touch
    do not overlap."""
    rng, events, expected = random.Random(5), [], {}
    sections = ['Process Execution', 'Process Data Transfer']

    def span(section, thread, name, start, end, **more):
        events.append(
            {
                'ph': 'X',
                'name': name,
                'pid': section,
                'tid': thread,
                'ts': start,
                'dur': end - start,
            }
            | more
        )

    for section in sections:
        label = {'args': {'name': section}, 'pid': section}
        events.append({'ph': 'M', 'name': 'process_name', **label})
    for k in range(60):
        at, parts = 100 * k, [f'N/a{k}', f'N/b{k}']
        start, end = sorted(rng.sample(range(10, 50), 2))
        other, home = rng.choice([(0, 1), (1, 0), (0, 0)])
        more = {'args': {'fused': '{' + ', '.join(parts) + '}'}}
        span(sections[home], 'HLO Ops', f'fused_{k}', at + 20, at + 40, **more)
        span(sections[home], 'Framework Ops', f'N/f{k}', at + 20, at + 40)
        span(sections[other], 'HLO Ops', f'dot.{k}', at + start, at + end)
        span(sections[other], 'Framework Ops', rng.choice(parts), at + start, at + end)
        beside = other != home and start < 40 and end > 20
        expected[f'fused_{k}'] = 'parallel' if beside else 'compiler'
    rng.shuffle(events)
    write('t.xplane.pb', timeline(1, ROOT.format(run='a', model=2, node=0), events))
    run('run', '-q', '-a', 'fusion', '-s', 'csv', '-o', 'out', 't.xplane.pb').expect(0)
    check_same({row['fusion']: row['how'] for row in table('fusions')}, expected, 'how')
    check_same(len(set(expected.values())), 2, 'both are drawn')


@test
def gaps_of_sections_are_explained_by_transfers(_folder):
    """Beside a count ns by ns: where Process Execution does nothing, which transfer is under way
    longest."""
    seen = 0
    for seed in range(20, 24):
        drawn = Timeline(seed)
        write('t.xplane.pb', timeline(1, ROOT.format(run='a', model=2, node=0), drawn.events))
        run('run', '-q', '-a', 'device:gap=20', '-s', 'csv', '-o', 'out', 't.xplane.pb').expect(0)
        busy = sorted(r[3:5] for r in drawn.rows if r[0] == 'compute')
        copies = [(r[1], *r[3:5]) for r in drawn.rows if r[0] == 'data transfer']
        expected, covered = [], busy[0][1]
        for start, end in busy:
            if start - covered >= 20:
                filled = [any(a <= t < b for _, a, b in copies) for t in range(covered, start)]
                longest = max(min(b, start) - max(a, covered) for _, a, b in copies)
                expected.append((covered, start - covered, sum(filled), max(longest, 0)))
            covered = max(covered, end)
        found = []
        for row in table('section_gaps'):
            check_same(row['section'], 'Process Execution', 'section')
            start, length = ns(row['start_ns']), ns(row['duration_ns'])
            by = [
                min(b, start + length) - max(a, start)
                for name, a, b in copies
                if name == row['transfer']
            ]
            found.append((start, length, ns(row['filled_ns']), max(by, default=0)))
            check_same(round(float(row['share']) * length), found[-1][2], 'share')
        check_same(found, expected, f'gaps of seed {seed}')
        seen += sum(filled > 0 for *_, filled, _ in expected)
    check(seen > 3, f'{seen} gaps that transfers fill')


@test
def a_chrome_trace_of_it_says_the_same(_folder):
    drawn = Timeline(4)
    decode(timeline(1, ROOT.format(run='abc_1', model=1, node=1), drawn.events))
    before = {name: table(name) for name in ('devices', 'categories', 'operators')}
    run('run', '-q', '-s', 'chrome', '-o', 'again.json', 't.xplane.pb').expect(0)
    run(
        'run', '-q', '-a', 'device', '-a', 'operators', '-s', 'csv', '-o', 'out2', 'again.json'
    ).expect(0)
    for name, rows in before.items():
        check(rows, name)
        check_same(
            [{k: v for k, v in row.items() if k != 'input'} for row in table(name, 'out2')],
            [{k: v for k, v in row.items() if k != 'input'} for row in rows],
            name,
        )


if __name__ == '__main__':
    main()
