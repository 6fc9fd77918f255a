# SPDX-License-Identifier: Apache-2.0
"""roundtrips.py - what nprof writes says the same as what it read: a profile as a Chrome trace that
is read again gives the tables of the original, and so does one as Parquet, whose tables are all
there; sums over the columns of events.csv are what the report says.

The traces are those of oracle.py, those of a megabyte and more only with NPROF_TEST_ALL=1."""

import functools
import json
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
# pylint: disable=wrong-import-position
from harness import Skip, add_test, main, run

import compare
import oracle
import sheets

LARGE = 1000000  # bytes

# Tables of what only the original has: the file, and what its format says beside rows (the HLO of
# programs says what a fusion is made of, and what its buffers take); the lines of the first screen
# say of which framework and rank the file is, and abilities what its recorder could have told.
OWN = {
    'inputs',
    'tracks',
    'skipped',
    'planes',
    'aggregates',
    'tensors',
    'hlo_instructions',
    'neuron_metrics',
    'neuron_details',
    'neuron_ops',
    'neuron_summary',
    'facts',
    'fusions',
    'fusion_members',
    'program_memory',
    'neuron_memory',
    'summary',
    'abilities',
}
# What is the same of Neuron's profiles: instructions keep what else is known of them in args.
TIMES = {'devices', 'gaps', 'categories'}
RATES = {'mfu', 'hfu', 'mbu'}
# Times that count from another origin, and numbers of tracks.
OTHER = {'start_ps', 'end_ps', 'start_ns', 'track', 'input'}


@functools.cache
def keys():
    """The key columns of each table, by the names that reports give them."""
    plugins = json.loads(run('plugins', '--json').expect(0).out)
    tables = [table for plugin in plugins['plugins'] for table in plugin.get('tables', [])]
    return {
        table['name']: [
            column['name']
            for column in table['columns']
            if column['role'] == 'key' and column['name'] not in OTHER
        ]
        for table in tables
    }


def report(path):
    result = run('report', '-q', '--full', '--top', '0', '--format', 'json', path).expect(0)
    return compare.tables_of(json.loads(result.out))


original = functools.lru_cache(1)(report)  # the trips of a trace come one after the other


def by_key(table):
    """Rows by their keys; those that come again get a number, in order of their values."""
    rows = sorted(
        table.rows, key=lambda row: [str(row[name]) for name in table.columns if name not in OTHER]
    )
    return dict(
        compare.numbered(
            (tuple(str(row[name]) for name in keys()[table.name]), row) for row in rows
        )
    )


def same(one, two):
    """Ratios come from divisions of doubles; all else is exact."""
    if isinstance(one, float) or isinstance(two, float):
        return None not in (one, two) and math.isclose(one, two, rel_tol=1e-12)
    return one == two


def changed(before, after, own=frozenset(OWN), other=frozenset(OTHER)):
    """Differences of two reports, table by table, but for tables of the original's own and columns
    that are others."""
    for name, table in before.items():
        if name in own or name not in keys():
            continue
        if name not in after:
            if table.rows:
                yield name, (), 'rows', len(table.rows), 'no table'
            continue
        first, second = by_key(table), by_key(after[name])
        for place in sorted(set(first) | set(second)):
            if place not in first or place not in second:
                yield name, place, 'row', place in first, place in second
                continue
            for column in sorted(set(table.columns) - other):
                if not same(first[place][column], second[place][column]):
                    yield name, place, column, first[place][column], second[place][column]


def of_neuron(tables):
    return 'neuron_summary' in tables and bool(tables['neuron_summary'].rows)


def by_chrome(path):
    run('run', '-q', '-s', 'chrome', '-o', 'trace.json', path).expect(0)
    before, after = original(path), report('trace.json')
    if of_neuron(before):
        return list(changed({name: before[name] for name in TIMES}, after, other=OTHER | RATES))
    lost = (
        {'operator_shapes'} - set(after) if path.endswith('.xplane.pb') else set()
    )  # shapes of programs alone
    return list(changed(before, after, OWN | lost))


def by_parquet(path):
    """Only the table of inputs names other files."""
    run('run', '-q', '-s', 'parquet', '-o', 'parquet', path).expect(0)
    return list(changed(original(path), report('parquet'), {'inputs'}, {'track', 'input'}))


def by_csv(path):
    tables = original(path)
    if of_neuron(tables):
        raise Skip('cli-neuron-real holds rows of csv against the vendor')
    run('run', '-q', '-s', 'csv', '-o', 'sheets', path).expect(0)
    profile = sheets.read('sheets')
    profile.origin = compare.start_of(tables)
    return list(compare.differences(profile, tables))


@functools.lru_cache(1)
def refused(path):
    return oracle.read_trace(path) is None


def check_trip(name, path, trip):
    if refused(path):
        raise Skip('the file is refused')
    oracle.judge(name, trip(path))


def add(name, path, trip):
    add_test(name, lambda _folder: check_trip(name, path, trip))


def collect():
    for name, path in oracle.traces():
        if os.path.getsize(path) >= LARGE and not oracle.ALL:
            continue
        damaged = os.path.basename(path).startswith(oracle.REFUSED)
        # Inferences of Furiosa are numbered by the rows of their file, and its columns are not
        # those of others.
        if not damaged and not name.startswith(('defects/', 'furiosa/')):
            add('chrome/' + name, path, by_chrome)
            add('csv/' + name, path, by_csv)
            add('parquet/' + name, path, by_parquet)
    oracle.add_last_test()


if __name__ == '__main__':
    collect()
    main()
