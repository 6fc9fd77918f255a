# SPDX-License-Identifier: Apache-2.0
"""compare.py - what nprof prints beside what the oracle finds, cell by cell.

A difference is (table, row, column, expected, found).  Tables and columns that this nprof does not
write yet are skipped, and counted as such by who asks (see `missing`)."""

from collections import Counter
from decimal import Decimal

import devices
import operators
import steps
import whole
from exact import measure

# Words that changed: the oracle's column, and the older ones.
OLDER = {'copy_ps': ['memory_ps'], 'calls': ['occurrences']}


class Table:
    """A table of `report --format json`, its rows as dicts."""

    def __init__(self, table):
        self.name, self.columns = table['name'], table['columns']
        self.rows = [dict(zip(self.columns, row)) for row in table['rows']]

    def column(self, name):
        return next((c for c in [name] + OLDER.get(name, []) if c in self.columns), None)


def tables_of(report):
    return {table['name']: Table(table) for table in report['tables']}


def cells(table, row, place, expected):
    """Differences of one row: those of expected's columns that the table has."""
    for name, value in expected.items():
        column = table.column(name)
        if column is not None and row[column] != value:
            yield table.name, place, name, value, row[column]


def absent(table, place, expected):
    yield table, place, 'row', expected, None


def match(table, found, expected):
    """found: rows of nprof by place; expected: those of the oracle."""
    for place in sorted(set(found) | set(expected), key=str):
        if place not in found:
            yield from absent(table.name, place, expected[place])
        elif place not in expected:
            yield table.name, place, 'row', None, found[place]
        else:
            yield from cells(table, found[place], place, expected[place])


def numbered(places):
    """Places that repeat get a number, in their order."""
    seen = Counter()
    for place, value in places:
        seen[place] += 1
        yield place + (seen[place],), value


def compare_devices(profile, tables):
    table = tables.get('devices')
    if table is None:
        return
    found = {(row['device'],): row for row in table.rows}
    expected = {
        (device.label,): devices.summary(device)
        for device in profile.devices.values()
        if device.work
    }
    yield from match(table, found, expected)


def compare_gaps(profile, tables):
    """Gaps add up to what a device idles."""
    table = tables.get('gaps')
    if table is None:
        return
    sums = Counter()
    for row in table.rows:
        sums[row['device']] += row['duration_ps']
    for device in profile.devices.values():
        idle = devices.summary(device)['idle_ps'] if device.work else 0
        if sums[device.label] != idle:
            yield 'gaps', (device.label,), 'duration_ps', idle, sums[device.label]


def by_name(profile, tables):
    """The devices' operators by name: where all work of a device are operators of XLA, nprof has
    other levels."""
    rows = tables['operators'].rows if 'operators' in tables else []
    named = {row['device'] for row in rows if row['level'] in ('name', 'category')}
    sums = operators.device(profile)
    return {place: values for place, values in sums.items() if place[0] in named}


def compare_operators(tables, level, sums):
    table = tables.get('operators')
    if table is None:
        return
    devices_of = {device for device, _ in sums}
    names = ('calls', 'total_ps', 'self_ps')
    found, expected = Counter(), Counter()
    for row in table.rows:
        if row['level'] == level and row['device'] in devices_of:
            for name in names:
                found[(row['device'], row['operator']), name] += row[table.column(name)]
    for place, values in sums.items():
        expected.update({(place, name): value for name, value in zip(names, values)})
    for place, name in sorted(set(found) | set(expected), key=str):
        if found[place, name] != expected[place, name]:
            yield 'operators', place, name, expected[place, name], found[place, name]


def compare_hlo(profile, tables):
    """Devices whose operators are those of XLA: all levels divide the same time, so what is
    compared are the sums of each level."""
    table = tables.get('operators')
    if table is None:
        return
    expected, calls = {}, table.column('calls')
    for (device, _name), values in operators.device(profile).items():
        sums = expected.setdefault(device, [0, 0, 0])
        for i, value in enumerate(values):
            sums[i] += value
    levels = {}
    for row in table.rows:
        sums = levels.setdefault((row['device'], row['level']), [0, 0, 0])
        for i, column in enumerate((calls, 'total_ps', 'self_ps')):
            sums[i] += row[column] or 0
    planes = {device for device, level in levels if level in ('hlo', 'opcode')}
    for (device, level), sums in sorted(levels.items()):
        if device not in expected or level == 'layer':
            continue
        # operators of PyTorch: their own are the rows that they launched, total is of all launched
        # within
        if level == 'framework' and device not in planes:
            if sums[2] != expected[device][1]:
                yield 'operators', (device, level), 'self', expected[device][1], sums[2]
        elif sums != expected[device]:
            yield 'operators', (device, level), 'sums', expected[device], sums


def lengths_of_steps(profile, tables):
    """A step's duration is that of its window, once nprof knows windows; else that of the host's
    annotation."""
    spans = [step.end - step.first for step in profile.steps]
    if 'step_breakdown' in tables:
        windows = {id(w.step): w.end - w.first for w in steps.windows(profile)}
        spans = [windows.get(id(step), span) for step, span in zip(profile.steps, spans)]
    return spans


def compare_host_steps(profile, tables):
    """Table steps: the annotations of the host."""
    table = tables.get('steps')
    if table is None or not profile.steps:
        return
    hosts = {step.label for step in profile.steps}
    rows = [((row['device'], row['step']), row) for row in table.rows if row['device'] in hosts]
    expected = [
        ((step.label, step.name), {'duration_ps': length})
        for step, length in zip(profile.steps, lengths_of_steps(profile, tables))
    ]
    yield from match(table, dict(numbered(rows)), dict(numbered(expected)))


def start_of(tables):
    """Returns the moment from which nprof's times count, in ps: of 1970 where the file has an
    epoch."""
    row = tables['inputs'].rows[0]
    if row['origin_unix_ns'] is not None:
        return row['origin_unix_ns'] * 1000
    return int(Decimal((row['properties'] or {}).get('time_zero_us', 0)) * 1000000)


def compare_steps(profile, tables):
    """Tables step_breakdown and idle_causes (answers by step)."""
    table = tables.get('step_breakdown')
    if table is None:
        return
    zero = start_of(tables) - profile.origin
    rows, expected = [], Counter()
    for device, step, row, cause, names in steps.steps(whole.of(profile)):
        rows.append(((device, step), {**row, 'start_ps': row['start_ps'] - zero}))
        expected.update({(device, step, 'host', name): time for name, time in names.items()})
        expected.update(
            {(device, step, name, ''): time for name, time in cause.items() if name != 'host'}
        )
    found = [((row['device'], row['step'] or ''), row) for row in table.rows]
    for places in (found, rows):  # several processes may call their steps alike
        places.sort(key=lambda place: place[1]['start_ps'])
    yield from match(table, dict(numbered(found)), dict(numbered(rows)))
    found = Counter()
    for row in tables['idle_causes'].rows if 'idle_causes' in tables else []:
        where = row['where'] or ''
        found[row['device'], row['step'] or '', row['cause'], where] += row['duration_ps']
    for place in sorted(set(found) | set(expected)):
        if found[place] != expected[place]:
            yield 'idle_causes', place, 'duration_ps', expected[place], found[place]


def compare_cores(profile, tables):
    """Busy time of the cores of Neuron: waits are none.  One row stands for all cores together."""
    found = sorted(row['busy_ps'] for row in tables['devices'].rows)
    cores = [[row.interval for row in core.work] for core in profile.devices.values()]
    if len(found) == 1:
        cores = [sum(cores, [])]
    expected = sorted(measure(core) for core in cores)
    if found != expected:
        yield 'devices', (), 'busy_ps', expected, found


def differences(profile, tables):
    if profile.neuron:
        yield from compare_cores(profile, tables)
        yield from compare_gaps(whole.of(profile), tables)
        yield from compare_steps(profile, tables)
        return
    yield from compare_devices(profile, tables)
    yield from compare_gaps(profile, tables)
    yield from compare_host_steps(profile, tables)
    yield from compare_operators(tables, 'framework', operators.host(profile))
    yield from compare_operators(tables, 'name', by_name(profile, tables))
    yield from compare_hlo(profile, tables)
    yield from compare_steps(profile, tables)


def place_of(profile, zero, row):
    """Returns what identifies a row of events.csv among the oracle's spans."""
    first = int(Decimal(row['start_ns']) * 1000) + zero - profile.origin
    what = row['category'] if profile.neuron and row['category'] == 'dma' else row['name']
    if profile.neuron and (what.endswith('(likely)') or what.startswith('opcode ')):
        what = '(likely)'
    return first, int(Decimal(row['duration_ns']) * 1000), what


def spans_differ(profile, zero, rows):
    """Every span of the file is a row, to the picosecond."""
    wanted = {'instruction', 'semaphore wait', 'runtime setup', 'dma'} if profile.neuron else None
    found = Counter(
        place_of(profile, zero, row)
        for row in rows
        if row['kind'] == 'span'
        and row['duration_ns']
        and (wanted is None or row['category'] in wanted)
    )
    lost = Counter((first, end - first, name) for first, end, name in profile.spans)
    lost.subtract(found)
    for (first, length, name), count in sorted(lost.items(), key=str):
        if count > 0 or (count < 0 and profile.only_spans):
            yield 'events', (name,), 'count', f'{first} + {length}: {count} more', 'missing'
