# SPDX-License-Identifier: Apache-2.0
"""bench_sql.py - nprof sql over a stored profile against SQLite over the database that the sink
sqlite writes of the same rows: through its view events, which has the texts, and on its bare table
event, where texts are numbers. Each query is a process of its own; the times of processes that ask
nothing are taken off both. NPROF_BENCH_SQL_MB makes it smaller."""

import os
import re
import subprocess
import sys

from measure import interleaved, median, said

MEGABYTES = 480  # of XSpace's generator: some 10 million rows
PEER = 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute("pragma mmap_size = 8589934592"); list(db.execute(sys.argv[2]))'

# what, ours, through the view, on the table, goals
QUERIES = [
    (
        'count(*)',
        'select count(*) from events',
        'select count(*) from events',
        'select count(*) from event',
        '>= 10',
        '',
    ),
    (
        'group by name, top 10',
        'select name, sum(duration_ps) as s from events group by name order by s desc limit 10',
        'select name, sum(duration_ps) as s from events group by name order by s desc limit 10',
        'select (select text from strings where id = name), s from (select name, sum(duration_ps) as s from event group by name order by s'
        ' desc limit 10)',
        '>= 4',
        '>= 2.5',
    ),
    (
        'group by category',
        'select category, count(*), sum(duration_ps) from events group by category',
        'select category, count(*), sum(duration_ps) from events group by category',
        'select category, count(*), sum(duration_ps) from event group by category',
        '',
        '',
    ),
    (
        'sum(duration_ps)',
        'select sum(duration_ps) from events',
        'select sum(duration_ps) from events',
        'select sum(duration_ps) from event',
        '',
        '',
    ),
    (
        'name glob',
        "select count(*) from events where name glob '*1*'",
        "select count(*) from events where name glob '*1*'",
        '',
        '',
        '',
    ),
]


def measure(bench):
    file, _ = bench.generated('xplane-gen', int(os.environ.get('NPROF_BENCH_SQL_MB', MEGABYTES)))
    store, database = bench.path('stores'), bench.path('profile.sqlite')
    env = {'XDG_DATA_HOME': store}
    said = subprocess.run(
        [bench.nprof, 'run', '-s', 'store', file],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    name = re.search(r'"(n_\w+)" is stored: (\d+) rows', said.stderr)
    subprocess.run([bench.nprof, 'run', '-q', '-s', 'sqlite', '-o', database, file], check=True)
    print(
        f'{int(name.group(2)):,} rows, store and database of {os.path.getsize(database) >> 20} MiB'
    )

    def ours(query):
        return [bench.nprof, 'sql', '-q', '--timeout', '0', name.group(1), '-e', query], env

    def theirs(query):
        return [sys.executable, '-c', PEER, database, query], None

    nothing = interleaved({'nprof': ours('select 1'), 'peer': theirs('select 1')}, bench.rounds)
    empty = {who: median(runs, 'cpu') for who, runs in nothing.items()}
    for what, own, view, table, by_view, by_table in QUERIES:
        commands = {'nprof': ours(own), 'view': theirs(view)}
        if table:
            commands['table'] = theirs(table)
        runs = interleaved(commands, bench.rounds)
        mine = max(median(runs['nprof'], 'cpu') - empty['nprof'], 1e-6)
        for peer, goal in (('view', by_view), ('table', by_table)):
            if peer in runs:
                other = median(runs[peer], 'cpu') - empty['peer']
                bench.report.add(
                    f'{what}: SQLite on its {peer} / nprof sql',
                    other / mine,
                    'x',
                    goal,
                    f'{other:.3f} s / {mine:.3f} s; with the start {said(runs[peer], "cpu")} / {said(runs["nprof"], "cpu")}',
                )
