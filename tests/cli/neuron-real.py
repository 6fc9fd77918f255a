# SPDX-License-Identifier: Apache-2.0
"""neuron-real.py - real NTFF, NEFF and JSON of neuron-profile, in the folder that NPROF_NTFF_REAL
names, at any depth.  NTFF are held against an independent reader (tests/tools/ntff_read.py), and
against the vendor's JSON of the same run where it lies beside them; JSON against a plain reading of
it.  Totals are printed."""

import collections
import csv
import glob
import io
import json
import os
import re
import shutil
import sys
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import Skip, check, check_same, main, read, run, test  # noqa: E402
from ntff_read import Ntff, union  # noqa: E402

FOLDER = os.environ.get('NPROF_NTFF_REAL', '')
ENGINES = {'PE': 'Tensor', 'ACT': 'Scalar', 'POOL': 'GpSimd', 'DVE': 'Vector', 'SP': 'Sync'}


def files(ending):
    if not FOLDER:
        raise Skip('NPROF_NTFF_REAL names no folder')
    found = sorted(glob.glob(os.path.join(glob.escape(FOLDER), '**', '*' + ending), recursive=True))
    if not found:
        raise Skip(f'no {ending} in NPROF_NTFF_REAL')
    return found


def json_of(path):
    """The vendor's JSON of the same run, or None."""
    base, folder = os.path.basename(path)[:-5], os.path.dirname(path)
    for name in (f'{folder}/{base}.json', f'{folder}/json_reports/{base}_profile_full.json'):
        if os.path.exists(name):
            return name
    return None


def vendors(path):
    """A JSON of neuron-profile?"""
    with open(path, encoding='utf-8') as file:
        data = json.load(file)
    return data if isinstance(data, dict) and 'instruction' in data else None


def rows(name):
    return list(csv.DictReader(io.StringIO(read(f'out/{name}.csv').decode())))


def decode(path, *how):
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-s', 'csv', '-o', 'out/', '-a', 'device', '-a', 'neuron', *how, path).expect(0)
    return rows('events')


def ps(text):
    value = Fraction(text) * 1000
    assert value.denominator == 1, text
    return value.numerator


def core_of(row, tracks):
    """Number of the NeuronCore and the last part of the path."""
    path = tracks[row['track']]
    number = re.search(r'NeuronCore (\d+)', path)
    return int(number.group(1)) if number else 0, path.rsplit('/', 1)[-1]


def paths():
    """Track number -> its labels from the root on."""
    found = {}
    for row in rows('tracks'):
        above = found.get(row['parent'], '')
        found[row['track']] = f"{above}/{row['label'] or row['key']}"
    return found


def compare(found, expected, what, path, total):
    """Two multisets."""
    missing, more = expected - found, found - expected
    total[what] += sum(expected.values())
    check(
        not missing and not more,
        f'{path}: {what}: missing {list(missing.items())[:3]}, more {list(more.items())[:3]}',
    )


def instructions(events, tracks):
    for row in events:
        if row['kind'] == 'span' and row['category'] in (
            'instruction',
            'semaphore wait',
            'runtime setup',
        ):
            yield (*core_of(row, tracks), row)


def packets(events, tracks):
    for row in events:
        if row['kind'] == 'span' and row['category'] == 'dma':
            yield (*core_of(row, tracks), row)


def queue_of(label):
    """DMA 64 queue 1 qGpSimdDynamic"""
    words = label.split()
    return int(words[1]), int(words[3])


def busy_of(total):
    """ps, by core; 0 for one that did nothing."""
    found = collections.Counter()
    for row in rows('devices'):
        number = re.search(r'NeuronCore (\d+)', row['device'])
        found[int(number.group(1)) if number else 0] += ps(row['busy_ns'])
        total['devices'] += 1
    return found


# -- NTFF -------------------------------------------------------------------------------


def check_ntff(path, total):
    with open(path, 'rb') as file:
        real = Ntff(file.read())
    events, origin = decode(path), real.origin
    tracks = paths()
    total[f'version {real.version}'] += 1
    spans = collections.Counter(
        (
            core,
            engine,
            ps(row['start_ns']),
            ps(row['duration_ns']),
            int(row['pc']),
            row['opcode'],
            int(row['crc_in'] or 0),
            int(row['crc_out'] or 0),
            row['category'] == 'instruction',
        )
        for core, engine, row in instructions(events, tracks)
    )
    wanted = collections.Counter(
        (
            i.core,
            i.engine,
            i.start - origin,
            i.end - i.start,
            i.slot,
            f'0x{i.opcode:02x}',
            i.crc_in,
            i.crc_out,
            real.active(i),
        )
        for i in real.instructions
    )
    compare(spans, wanted, 'instructions', path, total)
    found = collections.Counter(
        (
            core,
            *queue_of(label),
            ps(row['start_ns']),
            ps(row['duration_ns']),
            int(row['bytes']),
            int(row['crc'] or 0),
        )
        for core, label, row in packets(events, tracks)
    )
    wanted = collections.Counter(
        (p.core, p.number, p.queue, p.start - origin, p.end - p.start, p.bytes, p.crc)
        for p in real.packets
    )
    compare(found, wanted, 'packets', path, total)
    updates = collections.Counter(
        (core_of(row, tracks)[0], row['name'], ps(row['start_ns']), int(float(row['value'])))
        for row in events
        if row['kind'] == 'instant' and row['category'] in ('semaphore', 'event')
    )
    wanted = collections.Counter(
        (u.core, f'{"semaphore" if u.semaphore else "event"} {u.id}', u.time - origin, u.value)
        for u in real.updates
    )
    compare(updates, wanted, 'updates', path, total)
    busy = busy_of(total)
    for core in real.cores:
        expected = union(
            [
                (i.start, i.end)
                for i in real.instructions
                if i.core == core.number and real.active(i)
            ]
            + [(p.start, p.end) for p in real.packets if p.core == core.number]
        )
        check_same(busy[core.number], expected, f'{path}: busy of core {core.number}')
    return real


@test
def every_ntff(_folder):
    total = collections.Counter()
    for path in files('.ntff'):
        check_ntff(path, total)
    print('#', dict(total))


def engine_numbers(events, tracks):
    """Columns of expected.tsv by engine."""
    own = collections.defaultdict(list)
    for _core, engine, row in instructions(events, tracks):
        first = ps(row['start_ns'])
        own[engine].append(
            (first, first + ps(row['duration_ns']), row['category'] == 'semaphore wait')
        )
    for engine, spans in own.items():
        yield f'{engine}_spans', len(spans)
        yield f'{engine}_waits', sum(wait for *_, wait in spans)
        yield f'{engine}_first_start_ps', min(first for first, *_ in spans)
        yield f'{engine}_last_end_ps', max(end for _, end, _ in spans)
        yield f'{engine}_sum_ps', sum(end - first for first, end, _ in spans)
        yield f'{engine}_busy_ps', union([(first, end) for first, end, wait in spans if not wait])
    yield 'last_end_ps', max(end for spans in own.values() for _, end, _ in spans)


def dma_numbers(events, tracks):
    found = [
        (ps(row['start_ns']), ps(row['duration_ns']), int(row['bytes']), label.endswith('Dynamic'))
        for _core, label, row in packets(events, tracks)
    ]
    yield 'dma_packets', len(found)
    yield 'dma_bytes', sum(size for *_, size, _ in found)
    yield 'dma_first_start_ps', min(first for first, *_ in found)
    yield 'dma_busy_ps', union([(first, first + length) for first, length, *_ in found])
    yield 'dma_sum_ps', sum(length for _, length, *_ in found)
    yield 'dma_dynamic_packets', sum(dynamic for *_, dynamic in found)
    yield 'dma_dynamic_bytes', sum(size for *_, size, dynamic in found if dynamic)


def numbers_of(path):
    """Returns what expected.tsv says of a file, from the rows of nprof."""
    events, tracks = decode(path), paths()
    summary = {row['metric']: row['value'] for row in rows('neuron_summary')}
    left = {row['what']: int(row['count']) for row in rows('skipped')}
    (execution,) = (row for row in events if row['category'] == 'execution')
    return {
        **dict(engine_numbers(events, tracks)),
        **dict(dma_numbers(events, tracks)),
        'total_time_ps': ps(execution['duration_ns']),
        'active_ps': sum(busy_of(collections.Counter()).values()),
        'event_records': int(float(summary['event_count'])),
        'semaphore_updates': sum(
            row['kind'] == 'instant' and row['category'] == 'semaphore' for row in events
        ),
        'throttle_records': sum(bool(row['limit_n']) for row in events),
        'hardware_flops': sum(int(row['flops']) for row in events if row['flops']),
        'starts_without_end': left.get('start of an instruction', 0),
    }


@test
def expected_tsv_row_by_row(_folder):
    """Every column of golden/ntff_real/expected.tsv, which lies beside NPROF_TEST_DATA."""
    table = os.path.join(
        os.environ.get('NPROF_TEST_DATA', ''), '..', 'golden', 'ntff_real', 'expected.tsv'
    )
    by_end = {tuple(path.split(os.sep)[-3:]): path for path in files('.ntff')}
    if not os.path.exists(table):
        raise Skip('NPROF_TEST_DATA names no folder with goldens beside it')
    seen = 0
    with open(table, encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file, delimiter='\t'):
            path = by_end.get(tuple(row['path'].split('/')))
            if path is None:
                continue
            seen += 1
            expected = {
                key: int(value) for key, value in row.items() if key not in ('sha256', 'path')
            }
            found = numbers_of(path)
            check_same({key: found.get(key) for key in expected}, expected, row['path'])
    print('#', {'files': seen})
    check(seen, 'none of the files of expected.tsv is in NPROF_NTFF_REAL')


def arrows(events, tracks):
    """Arrows between instructions; each is known by core, engine, pc and start in ns."""
    own = {
        row['id']: (core, ENGINES[engine], int(row['pc']), ps(row['start_ns']) // 1000)
        for core, engine, row in instructions(events, tracks)
    }
    ends = collections.defaultdict(dict)
    for row in events:
        if row['kind'] == 'flow' and row['category'] == 'predecessor':
            ends[row['flow']][row['flow_phase']] = own[row['parent']]
    return collections.Counter((both['begin'], both['end']) for both in ends.values())


def predecessors(data, core):
    """The same of the vendor's JSON."""
    own = {
        r['id']: (core[r.get('subgraph', 'sg00')], r['subgroup'], r['pc'], r['timestamp'])
        for r in data['instruction']
    }
    return collections.Counter(
        (own[before['id']], own[r['id']])
        for r in data['instruction']
        for before in r.get('predecessors') or []
    )


def check_beside(path, other, total):
    """The decoder's rows of an NTFF against those of the vendor's JSON."""
    data = vendors(other)
    core = {m['sg_name']: m['nc_idx'] for m in data['model_info']}
    events = decode(path)
    tracks = paths()
    found = collections.Counter(
        (
            number,
            ENGINES[engine],
            ps(row['start_ns']) // 1000,
            ps(row['duration_ns']) // 1000,
            int(row['pc']),
            row['name'],
            int(row['crc_in'] or 0),
            int(row['crc_out'] or 0),
        )
        for number, engine, row in instructions(events, tracks)
    )
    wanted = collections.Counter(
        (
            core[r.get('subgraph', 'sg00')],
            r['subgroup'],
            r['timestamp'],
            r['duration'],
            r['pc'],
            r['opcode'],
            r['crc_in'],
            r['crc_out'],
        )
        for r in data['instruction']
    )
    total['instructions'] += sum(wanted.values())
    total['instructions more'] += sum((found - wanted).values())
    check_same(dict(wanted - found), {}, f'{path}: rows of the vendor that are missing')
    found = collections.Counter(
        (
            number,
            *queue_of(label),
            ps(row['start_ns']) // 1000,
            ps(row['duration_ns']) // 1000,
            int(row['bytes']),
            int(row['crc'] or 0),
            row['queue_type'],
        )
        for number, label, row in packets(events, tracks)
        if row['left_out'] != 'true'
    )
    wanted = collections.Counter(
        (
            core[r.get('subgraph', 'sg00')],
            int(r['dma_engine']),
            int(r['dma_queue']),
            r['timestamp'],
            r['duration'],
            r['transfer_size'],
            r['crc'],
            r['queue_type'],
        )
        for r in data['dma']
        if r['aggregated'] == 'no'
    )
    compare(found, wanted, 'packets', path, total)
    found = collections.Counter(
        (ps(row['start_ns']) // 1000, ps(row['duration_ns']) // 1000, int(row['bytes']))
        for row in events
        if row['category'] == 'transfer'
    )
    wanted = collections.Counter(
        (r['timestamp'], r['duration'], r['transfer_size'])
        for r in data['dma']
        if r['aggregated'] == 'yes'
    )
    compare(found, wanted, 'transfers', path, total)
    found = collections.Counter(
        (int(row['name'].split()[1]), ps(row['start_ns']) // 1000, int(float(row['value'])))
        for row in events
        if row['kind'] == 'instant' and row['category'] == 'semaphore'
    )
    wanted = collections.Counter(
        (int(re.search(r'\d+', r['id']).group()), r['timestamp'], r['value'])
        for r in data['semaphore_update']
    )
    compare(found, wanted, 'semaphore updates', path, total)
    found = collections.Counter(
        (
            ps(row['start_ns']) // 1000,
            ps(row['duration_ns']) // 1000,
            int(row['limit_k']),
            int(row['limit_n']),
            int(row['limit_type']),
        )
        for row in events
        if row['limit_n']
    )
    wanted = collections.Counter(
        (r['timestamp'], r['duration'], r['k'], r['n'], r['type']) for r in data['ham']
    )
    compare(found, wanted, 'throttling', path, total)
    if any(row['decoder'] == 'neff' for row in rows('inputs')):  # it lists them
        compare(arrows(events, tracks), predecessors(data, core), 'predecessors', path, total)
    flops = sum(int(row['flops']) for row in events if row['flops'])
    check_same(flops, data['summary'][0]['hardware_flops'], f'{path}: hardware_flops')
    execution = [row for row in events if row['category'] == 'execution']
    check_same(
        ps(execution[0]['duration_ns']),
        round(data['summary'][0]['total_time'] * 10**12),
        f'{path}: total_time',
    )


@test
def ntff_and_the_vendors_json(_folder):
    total = collections.Counter()
    for path in files('.ntff'):
        other = json_of(path)
        if other and vendors(other):
            total['files'] += 1
            check_beside(path, other, total)
    print('#', dict(total))
    check(total['instructions more'] <= 2, 'rows that the vendor has not')


@test
def memory_by_use_is_the_vendors(_folder):
    """Of each core, use and byte; the vendor's total is the sum."""
    for path in files('.ntff'):
        other = json_of(path)
        data = other and vendors(other)
        if not data or not data.get('nc_mem_usage'):
            continue
        stated = collections.Counter(
            {
                (f'Neuron device {r["nd"]}/NeuronCore {r["nc"]}', r['usage_type']): r[
                    'amount_bytes'
                ]
                for r in data['nc_mem_usage']
            }
        )
        for one in (path, other):
            decode(one)
            held = {(r['device'], r['use']): int(r['bytes']) for r in rows('neuron_memory')}
            check_same(held, {key: n for key, n in stated.items() if key[1] != 'Total'}, one)
            check_same(
                sum(held.values()),
                sum(n for key, n in stated.items() if key[1] == 'Total'),
                f'{one}: total',
            )


# -- JSON -------------------------------------------------------------------------------


def intervals(data, graph):
    for r in data['instruction']:
        if r['opcode'] != 'EVENT_SEMAPHORE' and r.get('subgraph', graph) == graph:
            yield r['timestamp'], r['timestamp'] + r['duration']
    for r in data['dma']:
        if r['aggregated'] == 'no' and r.get('subgraph', graph) == graph:
            yield r['timestamp'], r['timestamp'] + r['duration']


@test
def every_json(_folder):
    """Busy is the vendor's active time, which no wait and no repeated packet is part of."""
    total = collections.Counter()
    for path in files('.json'):
        data = vendors(path)
        if not data:
            continue
        events = decode(path)
        total['files'] += 1
        busy = busy_of(total)
        for model in data['model_info']:
            expected = 1000 * union(intervals(data, model['sg_name']))
            check_same(busy[model['nc_idx']], expected, f'{path}: busy of core {model["nc_idx"]}')
        stated = data['summary'][0]
        sections = collections.Counter(row['category'] for row in events)
        check_same(
            sections['instruction'] + sections['semaphore wait'],
            len(data['instruction']),
            f'{path}: spans',
        )
        check_same(
            sections['dma'], sum(r['aggregated'] == 'no' for r in data['dma']), f'{path}: packets'
        )
        check_same(sections['semaphore'], len(data['semaphore_update']), f'{path}: updates')
        check_same(
            sum(
                row['kind'] == 'counter' and row['name'].startswith('dma_throughput/transfer_rate')
                for row in events
            ),
            len(data['dma_throughput']),
            f'{path}: dma_throughput',
        )
        if len(data['model_info']) == 1:
            count = len(data['instruction']) + len(data['dma'])
            found = sum(busy.values()) / 1e12
            check(
                abs(found - stated['total_active_time']) <= count * 1e-9,
                f'{path}: busy {found}, the vendor says {stated["total_active_time"]}',
            )
        if stated['total_active_time_percent'] < 0.5:
            total['gates'] += 1
            run('gate', path, 'busy > 90%').expect(6)
        total['instructions'] += len(data['instruction'])
        total['packets'] += len(data['dma'])
    print('#', dict(total))


# -- The summary ------------------------------------------------------------------------


def check_summary(path, stated, exact, total):
    """A computed value equals the vendor's, or is unknown and says why.  JSON has whole ns, so
    that times differ by 1 ns a row and end."""
    found = {row['metric']: row for row in rows('neuron_summary')}
    check_same(len({row['device'] for row in rows('neuron_summary')}), 1, f'{path}: logical cores')
    active = max(1, total['rows'])
    for metric, value in stated.items():
        row = found.get(metric)
        if row is None or isinstance(value, str):
            continue
        if not row['value']:
            check(row['reason'], f'{path}: {metric} is unknown, and says not why')
            total['unknown'] += 1
            continue
        computed, slack = float(row['value']), abs(value) * 1e-9
        if not exact:
            unit = {'s': 1e-9, 'cycle': 3, 'ns': 1}.get(row['unit'], 0)
            slack = max(slack, unit * active, abs(value) * 0.02 if row['unit'] == '1' else 0)
            if metric.endswith('_instruction_count'):
                slack = 1  # of two equal rows of two cores the JSON keeps one
        check(
            abs(computed - value) <= slack,
            f'{path}: {metric} is {computed}, the vendor says {value}',
        )
        total['equal'] += 1


@test
def summary_of_ntff(_folder):
    total = collections.Counter()
    for path in files('.ntff'):
        other = json_of(path)
        data = vendors(other) if other else None
        if data:
            decode(path)
            total['files'] += 1
            check_summary(path, data['summary'][0], True, total)
    del total['rows']
    print('#', dict(total))


@test
def summary_of_json_without_one(_folder):
    total = collections.Counter()
    for path in files('.json'):
        data = vendors(path)
        if not data:
            continue
        stated = data.pop('summary')[0]
        with open('without.json', 'w', encoding='utf-8') as file:
            json.dump(data, file)
        decode('without.json')
        total['files'] += 1
        total['rows'] = len(data['instruction']) + len(data['dma'])
        check_summary(path, stated, False, total)
    del total['rows']
    print('#', dict(total))


# -- NEFF -------------------------------------------------------------------------------


@test
def every_neff(_folder):
    """No file says that it was changed or damaged; each NTFF finds the one of its uuid."""
    total = collections.Counter()
    for path in files('.neff'):
        result = run('info', path)
        result.expect(0)
        check('changed or damaged' not in result.err, f'{path}: {result.err}')
        total['files'] += 1
    print('#', dict(total))


@test
def no_false_warnings(_folder):
    """The only thing that is said of a real NTFF: that records were lost, which its bits say."""
    total, private = collections.Counter(), re.compile(r'\bi-[0-9a-f]{17}\b')
    for path in files('.ntff'):
        result = run('info', '--format', 'json', path)
        result.expect(0)
        with open(path, 'rb') as file:
            data = file.read()
        real, neff = Ntff(data), re.search(r'\bneff\W+([\w.-]+\.neff)', result.out)
        lost = real.lost
        if neff:
            with open(os.path.join(os.path.dirname(path), neff.group(1)), 'rb') as file:
                uuid = file.read(1024)[0xCC:0xDC]
            check(not real.uuid or uuid.startswith(real.uuid), f'{path}: a NEFF of another uuid')
            total['with NEFF'] += 1
        check(
            not private.search(result.out.replace(os.path.dirname(path), '')),
            f'{path}: prints an instance id',
        )
        lines = [line for line in result.err.splitlines() if line]
        check_same(len(lines), 1 if lost else 0, f'{path}: {lines}')
        if lost:
            check(f': {lost} records say that notifications' in lines[0], lines[0])
        total['files'] += 1
        total['with losses'] += lost > 0
    print('#', dict(total))


if __name__ == '__main__':
    main()
