# SPDX-License-Identifier: Apache-2.0
"""dashboards.py - the Grafana dashboards of share/dashboards and what the sink influx writes: every
measurement, tag and field that a query names exists, and InfluxDB 1.x answers each InfluxQL query
with data. The Flux queries are never run: no InfluxDB 2 is packaged."""

import json
import os
import re

from servers import Influx
from harness import check, check_same, main, run, sample, test, write

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'share', 'dashboards')
TITLES = [
    'Operators by time',
    'Latency of operators',
    'Busy by thread',
    'DMA and queues',
    'Counters',
    'Devices',
    'Percentiles',
    'Inputs',
]


def dashboard(name):
    with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
        return json.load(file)


def queries(board):
    return {p['title']: t['query'] for p in board['panels'] for t in p['targets']}


def profile():
    """One with spans, bytes, a counter, and a device at work."""
    events = [
        {
            'ph': 'X',
            'pid': 1,
            'tid': 1 + i % 2,
            'ts': i * 100,
            'dur': 50 + i,
            'name': f'op {i % 3}',
            'args': {'bytes': i * 10},
        }
        for i in range(50)
    ]
    events += [
        {'ph': 'C', 'pid': 1, 'ts': i * 500, 'name': 'power', 'args': {'W': i}} for i in range(9)
    ]
    events += [{'ph': 'M', 'name': 'process_labels', 'pid': 7, 'args': {'labels': 'GPU 0'}}]
    events += [
        {
            'ph': 'X',
            'cat': 'kernel',
            'pid': 7,
            'tid': 7,
            'ts': i * 100,
            'dur': 40,
            'name': 'kernel',
            'args': {'device': 0, 'stream': 7, 'correlation': i},
        }
        for i in range(1, 9)
    ]
    return write(
        't.json',
        json.dumps(
            {
                'schemaVersion': 1,
                'deviceProperties': [{'id': 0, 'name': 'NVIDIA A100'}],
                'traceEvents': events,
            }
        ),
    )


def filled(query, profile_name):
    """As Grafana puts values in the place of its variables."""
    query = query.replace(
        '$timeFilter', "time >= '2025-01-01T00:00:00Z' AND time < '2025-01-01T00:00:01Z'"
    )
    query = query.replace('$__interval', '1ms').replace('$profile', profile_name)
    check('$/' in query or '$' not in query, f'a variable is not known: {query}')
    return query


def names_there(server):
    """Per measurement: its tags and its fields."""
    there = {}
    for what in ('TAG', 'FIELD'):
        for series in server.query(f'SHOW {what} KEYS'):
            there.setdefault(series['name'], set()).update(v[0] for v in series['values'])
    return there


def with_profile(folder, function):
    """Two profiles, since the first says nothing of flops; the function gets the name of the
    first."""
    with Influx(folder) as server:
        told = [
            run(
                'run',
                '-a',
                'device',
                '-a',
                'latency',
                '-s',
                f'influx:url={server.url}{option}',
                path,
            )
            .expect(0)
            .err
            for path, option in ((profile(), ',epoch=2025-01-01T00:00:00Z'), (sample(), ''))
        ]
        function(server, re.search(r'"(n_\w+)"', told[0])[1])


@test
def influxql(folder):
    board = dashboard('influxdb1.json')

    def look(server, name):
        there = names_there(server)
        [variable] = board['templating']['list']
        check(
            ['profile', name] in server.query(variable['query'])[0]['values'],
            'the profile cannot be chosen',
        )
        for title, query in queries(board).items():
            measurement = re.search(r'FROM "(\w+)"', query)[1]
            named = set(re.findall(r'"(\w+)"', re.sub(r'AS "\w+"|FROM "\w+"', '', query)))
            check(
                named <= there[measurement],
                f'{title}: {named - there[measurement]} is not in {measurement}',
            )
            series = server.query(filled(query, name))
            check(series and series[0]['values'], f'{title}: no data')
        [total] = [
            s['values'][0][1]
            for s in server.query(filled(queries(board)[TITLES[0]], name))
            if s['tags']['name'] == 'op 1'
        ]
        [devices] = server.query(filled(queries(board)['Devices'], name))
        row = dict(zip(devices['columns'], devices['values'][0]))
        check_same((row['span'], row['busy']), (740000, 320000), 'span and busy time of the device')
        check_same(total, sum((50 + i) * 1000 for i in range(50) if i % 3 == 1), 'total of op 1')

    check_same(list(queries(board)), TITLES, 'panels')
    with_profile(folder, look)


@test
def flux(folder):
    board = dashboard('influxdb2.json')

    def look(server, _name):
        there = names_there(server)
        for title, query in queries(board).items():
            measurement = re.search(r'_measurement == "(\w+)"', query)[1]
            named = set(re.findall(r'\br\.([a-z]\w*)', query)) | set(
                re.findall(r'_field == "(\w+)"', query)
            )
            for group in re.findall(r'(?:group\(columns|set|rowKey): \[([^]]*)\]', query):
                named |= set(re.findall(r'"(\w+)"', group))
            check(len(named) >= 2, f'{title}: names were not found')
            check(
                named <= there[measurement],
                f'{title}: {named - there[measurement]} is not in {measurement}',
            )

    check_same(list(queries(board)), TITLES, 'panels')
    with_profile(folder, look)


@test
def importable(_folder):
    """A shared dashboard needs what Grafana asks: inputs, distinct ids, panels that do not
    overlap."""
    for name in ('influxdb1.json', 'influxdb2.json'):
        board = dashboard(name)
        check_same([i['name'] for i in board['__inputs']], ['DS_NPROF'], 'inputs')
        check('id' not in board and 'uid' not in board, 'an id would replace somebody\'s dashboard')
        check_same(len({p['id'] for p in board['panels']}), len(board['panels']), 'distinct ids')
        cells = [
            (x, y)
            for p in board['panels']
            for g in [p['gridPos']]
            for x in range(g['x'], g['x'] + g['w'])
            for y in range(g['y'], g['y'] + g['h'])
        ]
        check_same(len(set(cells)), len(cells), 'cells of the grid')
        check(all(x < 24 for x, _ in cells), 'a panel is too wide')


if __name__ == '__main__':
    main()
