# SPDX-License-Identifier: Apache-2.0
"""names.py - tables and columns are named as texts in NAME.plugin, the gate, the SQL and the
dashboards: each is one that a plugin, or the core, declares."""

import glob
import json
import os
import re

from harness import check, index_of, main, read, run, sample, test

SOURCE = os.environ['NPROF_SOURCE']


def source(*path):
    return read(os.path.join(SOURCE, *path)).decode()


def declared():
    """Table -> columns: of plugins as they declare them, of the core as it writes them."""
    plugins = json.loads(run('plugins', '--json').expect(0).out)['plugins']
    tables = {
        t['name']: {c['name'] for c in t['columns']} for p in plugins for t in p.get('tables', ())
    }
    run('run', '-s', 'csv', '-o', 'core', sample()).expect(0)
    for name in ('events', 'inputs', 'tracks', 'facts', 'skipped'):
        path = os.path.join('core', name + '.csv')
        if os.path.exists(path):
            tables[name] = set(read(path).decode().splitlines()[0].split(','))
    decoders = {p['name'] for p in plugins if p['kind'] == 'decoder'}
    return tables, decoders


def texts(code):
    return re.findall(r'"((?:[^"\\]|\\.)*)"', code)


def between(code, begin, end):
    at = code.index(begin)
    return code[at : code.index(end, at)]


def expect(tables, table, columns, where):
    check(table in tables, f'{where}: no plugin declares a table {table}')
    missing = sorted(set(columns) - tables[table])
    check(not missing, f'{where}: table {table} has no {missing}')


@test
def tables_of_the_report(_folder):
    """Each index of a plugin names tables that this plugin makes, and a decoder that there is;
    short names are of tables."""
    tables, decoders = declared()
    parts = 0
    for path in glob.glob(os.path.join(os.environ['NPROF_PLUGINS'], '*.plugin')):
        for component, part in index_of(path).items():
            parts += 'rank' in part
            where = f'{os.path.basename(path)} of {component}'
            kinds = ('page.', 'off.', 'called.')
            placed = [key.partition('.')[2] for key in part if key.startswith(kinds)]
            for key, value in part.items():
                names = value.replace('?', '').split(';')
                placed += names if key.startswith(('only.', 'widget.', 'picture.')) else []
            for name in placed + part['details'].split(';') if 'details' in part else placed:
                expect(tables, name, (), where)
            check(
                set(part.get('decoder', '').split(';')) <= {'', *decoders},
                f'{where}: no decoder {part.get("decoder")}',
            )
    check(parts > 10, f'{parts} parts of reports')


@test
def columns_of_the_views(_folder):
    """Each view of a NAME.plugin is of a table that its plugin makes, and of its columns; no two
    have one place."""
    tables, _ = declared()
    places = []
    for path in glob.glob(os.path.join(os.environ['NPROF_PLUGINS'], '*.plugin')):
        for group, view in index_of(path).items():
            kind, _, name = group.partition(' ')
            if kind != 'view':
                continue
            columns = [
                column.lstrip('?')
                for key in ('columns', 'needs')
                for spec in view.get(key, '').split(';')
                if spec
                for column in spec.split('/')
            ]
            expect(
                tables,
                name.partition(' ')[0],
                columns + ([view['by']] if 'by' in view else []),
                f'{os.path.basename(path)}, [{group}]',
            )
            places += [view['place']] if 'place' in view else []
    check(len(places) > 20 and len(places) == len(set(places)), f'places of views: {places}')


@test
def values_of_the_gate(_folder):
    """Each short name of a demand is of a table that its analyzer makes, and of its columns."""
    tables, _ = declared()
    names = set()
    for path in glob.glob(os.path.join(os.environ['NPROF_PLUGINS'], '*.plugin')):
        for part in index_of(path).values():
            for key, text in part.items():
                if not key.startswith('value.'):
                    continue
                table, column, *words = text.split(';')
                columns = re.split('[-+/]', column)
                for word in words:
                    member, _, value = word.partition('=')
                    columns += [value if member == 'doubt' else member] if value else []
                expect(tables, table, columns, f'{os.path.basename(path)}, {key}')
                names.add(key.removeprefix('value.'))
    check(len(names) >= 28, f'values: {sorted(names)}')
    code = source('plugins', 'common', 'gate', 'expr.c')
    stats = re.findall(r'\{ "[\w.]+", "(\w+)" \}', between(code, '} stats[] = {', '};'))
    check(len(stats) > 10, f'{len(stats)} statistics')
    expect(tables, 'latency', stats, 'gate-expr.c')


@test
def tables_of_the_queries(_folder):
    tables, _ = declared()
    found = {
        name: set(re.findall(r'\bfrom (\w+)', re.sub('--.*', '', read(name).decode())))
        - {'spans', 'ends'}
        for name in glob.glob(os.path.join(SOURCE, 'share', 'sql', '*.sql'))
    }
    check(found and all(found.values()), f'no tables in {found}')
    for name, used in found.items():
        for table in used:
            expect(tables, table, (), name)


def queries(node):
    if isinstance(node, dict):
        if isinstance(node.get('query'), str):
            yield node['query']
        for value in node.values():
            yield from queries(value)
    elif isinstance(node, list):
        for value in node:
            yield from queries(value)


OF_POINTS = {
    'profile',
    'seq',
    'duration_ns',
    'kind',
    'value',
    'attributes',
    'bytes',
}  # tags and fields of events


@test
def measurements_of_the_dashboards(_folder):
    tables, _ = declared()
    for name in ('influxdb1.json', 'influxdb2.json'):
        n = 0
        for query in queries(json.loads(source('share', 'dashboards', name))):
            used = re.findall(r'(?:FROM|_measurement ==) "(\w+)"', query)
            if not used:
                continue
            n += 1
            named = {c for part in re.findall(r'set: \[([^\]]*)\]', query) for c in texts(part)}
            if name == 'influxdb1.json' and used[0] != 'events':
                named = set(
                    re.findall(
                        r'"(\w+)"', re.sub(r'AS "\w+"', '', between(query, 'SELECT', 'FROM'))
                    )
                )
            expect(tables, used[0], named - OF_POINTS, name)
        check(n >= 5, f'{name}: {n} queries')


if __name__ == '__main__':
    main()
