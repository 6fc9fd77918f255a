# SPDX-License-Identifier: Apache-2.0
"""sql.py - nprof sql: the same rows as DuckDB gives over the Parquet of the same run, queries that
people run on Perfetto and on exports of Nsight Systems, what is refused, formats and errors.

Environment: NPROF_PARQUET_READERS, the folder with DuckDB that ./dev fetches; NPROF_TEST_DATA, real
traces."""

import glob
import json
import math
import os
import pty
import random
import re
import select
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import (
    NPROF,
    SAMPLES,
    TESTS,
    Skip,
    check,
    check_same,
    environment,
    files_below,
    main,
    read,
    rows_of,
    run,
    sample,
    test,
    write,
)  # noqa: E402
from parquet import ask, queues  # noqa: E402
from randomtrace import (
    inside,
    make as random_make,
    nest,
    scan as random_scan,
    self_time,
)  # noqa: E402
import nsys_make  # noqa: E402
import sql_queries  # noqa: E402
from perfetto import ask as ask_perfetto  # noqa: E402

TESTS.clear()  # those of the files that were imported run in theirs
SHARE_SQL = os.path.join(SAMPLES, '..', 'sql')
DATA = os.environ.get('NPROF_TEST_DATA', '')


def asked(query, *arguments, status=0):
    result = run('sql', '--format', 'json', '-e', query, *arguments).expect(status)
    return json.loads(result.out)


def asked_all(queries, *arguments):
    """The rows of each query, by one nprof."""
    result = run('sql', '--format', 'json', '-e', ';\n'.join(queries), *arguments).expect(0)
    found = [json.loads(text) for text in re.split(r'(?<=\])\n\n(?=\[)', result.out.strip())]
    check_same(len(found), len(queries), 'results')
    return found


def nsys(seed=1):
    nsys_make.nsys('a.sqlite', '3.25.0', nsys_make.Made(seed))
    return 'a.sqlite'


@test
def spans_around_and_parts_as_a_scan(_):
    """row_inside, row_self and row_stack against containment that is found row by row."""
    for seed in range(500, 503):
        random_make('w.json', seed)
        rows = random_scan('w.json')
        tracks = sorted({x.track for x in rows if x.kind == 'span'})
        children = nest(rows, tracks)
        above = {c: i for i, own in children.items() for c in own}
        timed = [x for x in rows if x.kind == 'span' and x.duration is not None]
        first, last = min(x.start for x in timed), max(x.start + x.duration for x in timed)
        r = random.Random(seed)
        for t0, t1 in (
            (first, last),
            *(
                sorted(
                    r.choice((r.randrange(first, last + 1), r.choice(timed).start))
                    for _ in range(2)
                )
                for _ in range(4)
            ),
        ):

            def stack(i):
                return ((stack(above[i]) + ';') if i in above else '') + (
                    rows[i].name or '(no name)'
                )

            wanted = sorted(
                (
                    x.track,
                    x.start,
                    x.duration,
                    stack(i),
                    inside(x, t0, t1),
                    self_time(x, [rows[c] for c in children.get(i, [])], t0, t1),
                )
                for i, x in enumerate(rows)
                if x.kind == 'span' and x.duration is not None
            )
            found = asked(
                f"select track, start_ps as s, duration_ps as d, row_stack(rowid) as stack, row_inside(rowid, {t0}, {t1}) as inside, row_self(rowid, {t0}, {t1}) as self from events where kind = 'span' and duration_ps is not null",
                'w.json',
            )
            check_same(sorted(tuple(x.values()) for x in found), wanted, f'{seed}: {t0} to {t1}')
        check_same(
            asked(
                "select count(*) as n from events where kind = 'span' and duration_ps is null and coalesce(row_inside(rowid, 0, 1), row_self(rowid, 0, 1)) is not null",
                'w.json',
            ),
            [{'n': 0}],
            'without an end',
        )


@test
def values_of_counters_hold_until_the_next(_):
    """row_inside of a counter's row: from it to the counter's next one, of the last one to the end
    of the profile."""
    for seed in range(510, 513):
        random_make('w.json', seed)
        rows = [x for x in random_scan('w.json') if x.start is not None]
        last, r = max(x.start + (x.duration or 0) for x in rows), random.Random(seed)
        counters = {}
        for x in rows:
            if x.kind == 'counter':
                counters.setdefault((x.track, x.name), []).append(x.start)
        check(len(counters) > 1, f'{seed}: {counters}')
        for t0, t1 in (
            (min(x.start for x in rows), last),
            *(
                sorted(r.choice(rows).start + r.randrange(-3, 4) for _ in range(2))
                for _ in range(5)
            ),
        ):
            wanted = sorted(
                (*key, a, max(0, min(b, t1) - max(a, t0)))
                for key, starts in counters.items()
                for a, b in zip(sorted(starts), [*sorted(starts)[1:], last])
            )
            found = asked(
                f"select track, name, start_ps as s, row_inside(rowid, {t0}, {t1}) as held from events where kind = 'counter'",
                'w.json',
            )
            check_same(sorted(tuple(x.values()) for x in found), wanted, f'{seed}: {t0} to {t1}')
        check_same(
            asked(
                "select count(*) as n from events where kind not in ('span', 'counter') and row_inside(rowid, 0, 1) is not null",
                'w.json',
            ),
            [{'n': 0}],
            'other rows',
        )


@test
def means_of_what_weighs_unlike(_):
    random_make('w.json', 1)
    values = "(values (1.5, 2), (null, 9), (4, 6), (100, 0), (100, null), (7, -1))"
    check_same(
        asked(f'select weighted_avg(column1, column2) as mean from {values}', 'w.json'),
        [{'mean': 3.375}],
        'mean',
    )
    check_same(
        asked(
            f'select weighted_avg(column1, column2) as mean from {values} where column2 = 9',
            'w.json',
        ),
        [{'mean': None}],
        'of no value',
    )
    check_same(
        asked(
            'select weighted_avg(column1, column2) as mean from (values (1e308, 4e18), (1e308, 4e18))',
            'w.json',
        ),
        [{'mean': 1e308}],
        'without overflow',
    )


@test
def stacks_are_cut_at_a_frame(_):
    """stack_callers and stack_callees of the stacks of all rows, and of those that analyzer flame
    makes, against a plain cut."""

    def cut(stack, name):
        frames = stack.split(';')
        if name not in frames:
            return None, None
        at = frames.index(name)
        return ';'.join(reversed(frames[: at + 1])), ';'.join(frames[at:])

    for seed in range(520, 523):
        random_make('w.json', seed)
        for rows in (
            "select distinct row_stack(rowid) as stack from events where kind = 'span'",
            'select stack from stacks',
        ):
            stacks = [x['stack'] for x in asked(rows, '-a', 'flame', 'w.json')]
            names = sorted({frame for stack in stacks for frame in stack.split(';')})
            check(any(';' in stack for stack in stacks), f'{seed}: nothing nests')
            names += [names[0][:-1], 'no such frame', '']
            found = asked_all(
                [
                    f"select stack, stack_callers(stack, '{name}') as callers, stack_callees(stack, '{name}') as callees from ({rows})"
                    for name in names
                ],
                '-a',
                'flame',
                'w.json',
            )
            for name, cuts in zip(names, found):
                check_same(
                    [tuple(x.values()) for x in cuts],
                    [(x['stack'], *cut(x['stack'], name)) for x in cuts],
                    f'{seed}: {name}',
                )
    check_same(
        asked(
            "select stack_callers('a;b;a;c', 'a') as x, stack_callees('a;b;a;c', 'a') as y, stack_callers(null, 'a') as z, stack_callees('a', null) as n",
            'w.json',
        ),
        [{'x': 'a', 'y': 'a;b;a;c', 'z': None, 'n': None}],
        'within itself',
    )


@test
def layers_that_a_row_or_what_is_around_it_states(_):
    events = [
        {
            'ph': 'X',
            'pid': 1,
            'tid': 1,
            'ts': 0,
            'dur': 10,
            'name': 'a',
            'args': {'tf_op': 'Net[net]/Linear[fc1]/aten__mm'},
        },
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 2, 'dur': 3, 'name': 'b;c'},
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 20, 'dur': 3, 'name': 'd'},
    ]
    write('layers.json', json.dumps({'traceEvents': events}))
    check_same(
        asked(
            "select row_stack(rowid) as stack, row_layer(rowid) as layer, row_around(rowid, 'framework_op') as op from events where kind = 'span' order by start_ps",
            'layers.json',
        ),
        [
            {'stack': 'a', 'layer': 'Net[net]/Linear[fc1]', 'op': 'Net[net]/Linear[fc1]/aten__mm'},
            {'stack': 'a;b:c', 'layer': None, 'op': 'Net[net]/Linear[fc1]/aten__mm'},
            {'stack': 'd', 'layer': None, 'op': None},
        ],
        'layers',
    )


@test
def clip_counts_the_part_inside_of_tables(_):
    words = ('--from', '5ms', '--to', '5.2ms', '--clip')
    table = next(
        one
        for one in json.loads(
            run('report', '-q', '--format', 'json', '--only', 'devices', *words, sample())
            .expect(0)
            .out
        )['tables']
        if one['name'] == 'devices'
    )
    wanted = sum(row[table['columns'].index('busy_ps')] for row in table['rows'])
    check(0 < wanted <= 2 * 200_000_000, str(wanted))
    check_same(
        asked('select sum(busy_ps) as busy from devices', '-a', 'device', *words, sample()),
        [{'busy': wanted}],
        'busy',
    )


# -- Beside DuckDB ---------------------------------------------------------------


def number(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r'-?\d{1,38}', value):
        return int(value)
    return value


def canonical(rows):
    """Doubles to 12 digits: sums are added in another order."""

    def cell(value):
        value = number(value)
        if isinstance(value, float):
            if math.isfinite(value) and value == int(value) and abs(value) < 2**53:
                return int(value)
            return f'{value:.12g}'
        return value

    return sorted(
        (tuple(cell(v) for v in row) for row in rows),
        key=lambda row: [(v is not None, str(v)) for v in row],
    )


def beside_duckdb(inputs, analyzers, queries, folder='out'):
    """Every query by both; DuckDB reads the Parquet of the same run."""
    options = [word for a in analyzers for word in ('-a', a)]
    run('run', *options, '-s', 'parquet', '-o', folder, *inputs).expect(0)
    views = [
        f"create or replace view {name[:-8]} as select * from '{folder}/{name}'"
        for name in sorted(os.listdir(folder))
        if name.endswith('.parquet')
    ]
    answer = ask([{'sql': views + queries}])[0]
    check_same(answer['problems'], [], 'problems of DuckDB')
    theirs = [a['rows'] for a in answer['answers'][len(views) :]]
    ours = asked_all(queries, *options, *inputs)
    for query, own, other in zip(queries, ours, theirs):
        check_same(canonical(row.values() for row in own), canonical(other), query)
    return sum(map(len, theirs))


@test
def fifty_queries_of_a_device(_folder):
    rows = beside_duckdb(
        [sample(), queues()],
        ['device', 'steps', 'operators', 'latency'],
        sql_queries.EVENTS + sql_queries.TABLES + sql_queries.STEPS,
    )
    check(
        len(sql_queries.EVENTS + sql_queries.TABLES + sql_queries.STEPS) >= 50 and rows > 300,
        f'{rows} rows',
    )


@test
def the_same_of_nsys(_folder):
    beside_duckdb([nsys()], ['device', 'steps'], sql_queries.EVENTS + sql_queries.TABLES)


@test
def names_that_are_empty(_folder):
    """A process, a thread and a span have empty texts, not NULL."""
    path = write(
        'e.json',
        json.dumps(
            {
                'traceEvents': [
                    {'ph': 'X', 'pid': '', 'tid': '', 'ts': 1, 'dur': 1, 'name': ''},
                    {'ph': 'X', 'pid': 1, 'tid': 2, 'ts': 1, 'dur': 1, 'name': 'a'},
                ]
            }
        ),
    )
    beside_duckdb(
        [path],
        [],
        [
            'select process, thread, name, category from events',
            'select process, count(*) from events group by process',
            "select count(*) from events where thread = ''",
            'select count(*) from events where process is null',
        ],
    )


@test
def ids_beyond_63_bits(_folder):
    """They are found by their digits, joined exactly, and never doubles."""
    path = write(
        'ids.json',
        json.dumps(
            {
                'traceEvents': [
                    {
                        'ph': phase,
                        'pid': 1,
                        'tid': 1,
                        'ts': 10 * k + (phase == 'f'),
                        'name': 'a',
                        'cat': 'c',
                        'id': k,
                    }
                    for k in range(8)
                    for phase in 'sf'
                ]
            }
        ),
    )  # the decoder makes ids of 64 bits of these
    ids = [
        int(row['flow'])
        for row in asked('select distinct flow from events where flow is not null', path)
    ]
    check(len(ids) == 8 and min(ids) < 1 << 63 <= max(ids), f'{ids}')
    literals = [str(number) if number < 1 << 63 else f"'{number}'" for number in ids]
    found = asked_all(
        [f'select count(*) as n from events where flow = {literal}' for literal in literals], path
    )
    check_same(found, [[{'n': 2}]] * len(ids), f'{literals}')
    check_same(
        asked("select count(*) as n from events a join events b on a.flow = b.flow", path),
        [{'n': 4 * len(ids)}],
        'joined',
    )


@test
def columns_of_one_name(_folder):
    """Each keeps its value in JSON."""
    check_same(
        asked('select 1 as a, 2 as a, 3 as b, 4 as A', sample()),
        [{'a': 1, 'a_2': 2, 'b': 3, 'A_3': 4}],
        'members',
    )


@test
def real_traces(_folder):
    if not DATA:
        raise Skip('no real traces here')
    paths = [
        path
        for path in sorted(glob.glob(os.path.join(DATA, '*', '*')))
        if re.search(r'\.(pb|json|json\.gz)$', path)
        and not re.match('not_a|bad_', os.path.basename(path))
        and os.path.getsize(path) < 300 << 10
    ]
    check(paths, 'no small trace in NPROF_TEST_DATA')
    for k, path in enumerate(paths[:3]):
        beside_duckdb([path], [], sql_queries.EVENTS, f'out{k}')


@test
def share_sql(_folder):
    """Each query that comes with nprof, by both."""
    inputs = [sample(), queues()]
    queries = [text for name, text in shared() if 'tensors' not in name and 'dma' not in name]
    check(len(queries) >= 8, 'too few queries')
    beside_duckdb(inputs, [], [q.rstrip().rstrip(';') for q in queries])


@test
def share_sql_says_what_it_needs(_folder):
    """On a trace of any kind each runs, or names the table that is not there; its first lines say
    what it is of."""
    kinds = [sample(), kineto_trace(), queues()]
    for name, query in shared():
        failed = [run('sql', path, '-e', query) for path in kinds]
        failed = [done for done in failed if done.status]
        for done in failed:
            done.expect(1, err='*no such table: *; decoder neff makes it, of other profiles')
        check(
            not failed or 'of a NEFF' in query.split('select')[0],
            f'{name}: does not say what it needs',
        )
        check(len(failed) < len(kinds) or 'NEFF' in query, f'{name}: runs on none of them')


def shared():
    return [
        (name, read(os.path.join(SHARE_SQL, name)).decode())
        for name in sorted(os.listdir(SHARE_SQL))
        if name.endswith('.sql')
    ]


# -- Queries of others --------------------------------------------------------------


@test
def thirty_public_queries(_folder):
    """They run as they are, on a trace that has what they ask for, and find something."""
    check(len(sql_queries.PERFETTO) + len(sql_queries.NSYS) >= 30, 'too few')
    kineto = kineto_trace()
    for query, own in zip(sql_queries.PERFETTO, asked_all(sql_queries.PERFETTO, kineto)):
        check(own, f'nothing found by {query}')
    path = nsys()
    db = sqlite3.connect(path)
    for (query, same), own in zip(
        sql_queries.NSYS, asked_all([query for query, _ in sql_queries.NSYS], path)
    ):
        check(own, f'nothing found by {query}')
        if same:  # the export itself is asked the same
            check_same(
                canonical(row.values() for row in own),
                canonical(db.execute(query).fetchall()),
                query,
            )
    db.close()


def kineto_trace():
    events = [
        {'ph': 'M', 'pid': 7, 'name': 'process_name', 'args': {'name': 'python'}},
        {'ph': 'M', 'pid': 7, 'tid': 8, 'name': 'thread_name', 'args': {'name': 'main thread'}},
        {'ph': 'M', 'pid': 0, 'name': 'process_labels', 'args': {'labels': 'GPU 0'}},
    ]
    for i in range(20):
        events += [
            {
                'ph': 'X',
                'pid': 7,
                'tid': 8,
                'ts': 100 * i,
                'dur': 50,
                'cat': 'cpu_op',
                'name': 'aten::mm',
                'args': {'External id': i + 1, 'Input Dims': [[i, 2]]},
            },
            {
                'ph': 'X',
                'pid': 7,
                'tid': 8,
                'ts': 100 * i + 5,
                'dur': 10,
                'cat': 'cuda_runtime',
                'name': 'cudaLaunchKernel',
                'args': {'correlation': i + 1},
            },
            {
                'ph': 's',
                'id': i + 1,
                'pid': 7,
                'tid': 8,
                'ts': 100 * i + 5,
                'cat': 'ac2g',
                'name': 'ac2g',
            },
            {
                'ph': 'X',
                'pid': 0,
                'tid': 7,
                'ts': 100 * i + 20,
                'dur': 40 + i,
                'cat': 'kernel',
                'name': f'gemm_{i % 3}',
                'args': {'correlation': i + 1, 'device': 0, 'stream': 7, 'grid': [1, 2, 3]},
            },
            {
                'ph': 'f',
                'bp': 'e',
                'id': i + 1,
                'pid': 0,
                'tid': 7,
                'ts': 100 * i + 20,
                'cat': 'ac2g',
                'name': 'ac2g',
            },
            {'ph': 'C', 'pid': 7, 'ts': 100 * i, 'name': 'memory', 'args': {'used': i * 10}},
            {'ph': 'i', 'pid': 7, 'tid': 8, 'ts': 100 * i + 70, 's': 't', 'name': 'mark'},
        ]
    return write('kineto.json', json.dumps({'traceEvents': events}))


@test
def counts_of_perfetto(_folder):
    """Slices, their durations and flows are those that Perfetto finds in the trace that the sink
    chrome writes."""
    for path in (kineto_trace(), sample()):
        run('run', '-s', 'chrome', '-o', 'out/', path).expect(0)
        queries = [
            'select count(*), sum(dur) from slice',
            'select count(*) from flow',
            'select name, count(*), sum(dur) from slice group by name',
            'select count(*), sum(value) from counter',
        ]
        theirs = ask_perfetto('out/trace.json', *queries)
        for query, other in zip(queries, theirs):
            own = asked(query, path)
            check_same(
                canonical(row.values() for row in own), canonical(other), f'{query} of {path}'
            )


# -- What it may do -------------------------------------------------------------------


@test
def only_reads(_folder):
    path = sample()
    for query in (
        "attach 'x.db' as x",
        'create table t (a)',
        'drop table events',
        "insert into tracks values (1)",
        'pragma journal_mode = wal',
        "vacuum into 'x.db'",
        "select load_extension('x')",
        'delete from events',
        "update sqlite_master set sql = ''",
        'create virtual table x using fts5 (a)',
        'create view v as select 1',
        'detach main',
    ):
        run('sql', path, '-e', query).expect(1, out='', err='nprof: error: line 1*')
        check_same(files_below('.'), {}, f'files behind {query}')
    for query in (
        'create temp table t as select name from events; select count(*) from t; drop table t',
        'create temp view v as select * from events; select count(*) from v; drop view v',
        'create temp table t (a); insert into t values (1); update t set a = 2; delete from t; select count(*) from t',
        "select * from pragma_table_info('events')",
    ):
        run('sql', path, '-e', query).expect(0)


@test
def errors_say_where(_folder):
    path = sample()
    run('sql', path, '-e', 'select nam from events').expect(
        1, err='nprof: error: line 1, column 8: no such column: nam: did you mean name?'
    )
    run('sql', path, '-e', 'select 1;\n\nselect x,\n  foo( from events').expect(
        1, out=['1'], err='nprof: error: line 4, column 8: *'
    )
    run('sql', path, '-e', 'select * from evnts').expect(
        1, err='*no such table: evnts: did you mean events?'
    )
    run('sql', path, '-e', 'select * from steps').expect(
        1, err='*no such table: steps*; -a steps makes it'
    )
    run('sql', path, '-e', 'select * from nowhere').expect(
        1, err='*no such table: nowhere (SELECT name FROM sqlite_schema lists those that are there)'
    )
    run('sql', path, '-e', 'INCLUDE PERFETTO MODULE slices.with_context').expect(
        1, err='*plain SELECT over its tables runs here*'
    )
    run('sql', path).expect(1, err='*expected a query*')
    run('sql', '-e', 'select 1').expect(1, err='*expected an INPUT*')
    run('sql', '-e', 'select 1', '-f', 'x', path).expect(1, err='*exclude each other*')
    run('sql', '--format', 'xml', path, '-e', 'select 1').expect(
        1, err='*--format xml: expected text, csv, json or markdown*'
    )
    run('sql', '-f', 'missing.sql', path).expect(1, err='*missing.sql*')
    run('sql', 'missing.pb', '-e', 'select 1').expect(2, err='*missing.pb*')
    told = (
        run(
            'sql',
            path,
            '-e',
            'select bytes_written, source_stack, name from events; select bytes_written from events',
        )
        .expect(0)
        .err
    )
    check_same(
        [line for line in told.splitlines() if 'NULL' in line],
        [
            'nprof: NULL in every row, for this profile does not have them: bytes_written, source_stack'
        ],
        'what is said, once',
    )


@test
def a_query_ends(_folder):
    endless = (
        'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c'
    )
    run('sql', '--timeout', '0.3', sample(), '-e', endless).expect(
        1, out='', err='*took more than 0.3 s: --timeout *'
    )
    process = subprocess.Popen(
        [NPROF, 'sql', '--timeout', '0', sample(), '-e', 'select 17; ' + endless],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while b'17' not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=50)
    check_same(process.returncode, 130, 'exit status')
    # no interrupt ends it
    stuck = "select instr(a || a || 'c', a || 'b') from (select replace(hex(zeroblob(3000000)), '0', 'a') as a)"
    run('sql', '--timeout', '0.3', sample(), '-e', stuck).expect(
        1, err='*took more than 0.3 s: --timeout *'
    )
    large = (
        'create temp table x as select zeroblob(9000000) as a from events; select count(*) from x'
    )
    limited = subprocess.run(
        [
            'bash',
            '-c',
            'ulimit -f 20000; exec "$@"',
            '-',
            os.environ['NPROF'],
            'sql',
            sample(),
            '-e',
            large,
        ],
        capture_output=True,
        check=False,
    )
    check(
        limited.returncode == 1 and b'no room for a temporary file' in limited.stderr, f'{limited}'
    )
    for text in ('select hex(zeroblob(900000000))', "select printf('%.*c', 17000000, 'x')"):
        run('sql', sample(), '-e', text).expect(
            1, err='*string or blob too big: a text, a blob or a row may have 16 MB*'
        )


@test
def where_a_query_comes_from(_folder):
    path = sample()
    write('q.sql', '-- a comment\nselect 1 as one;\n')
    want = ['one', '1']
    for words, stdin in (
        ([path, '-e', 'select 1 as one'], b''),
        ([path, 'select 1 as one'], b''),
        ([path, '-f', 'q.sql'], b''),
        ([path, '-f', '-'], b'select 1 as one'),
    ):
        check_same(
            [line.strip() for line in run('sql', *words, stdin=stdin).expect(0).out.splitlines()],
            want,
            str(words),
        )


@test
def formats(_folder):
    query = "select 1 as a, 'x,\"y|' as b, null as c, 1.5 as d, 'two\nlines' as e, x'0aff' as f, '' as g, 9007199254740993 as h"
    path = sample()
    row = rows_of(run('sql', '--format', 'csv', path, '-e', query).expect(0).out)[0]
    check_same(
        row,
        {
            'a': '1',
            'b': 'x,"y|',
            'c': '',
            'd': '1.5',
            'e': 'two\nlines',
            'f': '0aff',
            'g': '',
            'h': '9007199254740993',
        },
        'csv',
    )
    check_same(
        asked(query, path)[0],
        {
            'a': 1,
            'b': 'x,"y|',
            'c': None,
            'd': 1.5,
            'e': 'two\nlines',
            'f': '0aff',
            'g': '',
            'h': 9007199254740993,
        },
        'json',
    )
    lines = run('sql', '--format', 'markdown', path, '-e', query).expect(0).out.splitlines()
    check(
        len(lines) == 3 and all(line.startswith('|') and line.endswith('|') for line in lines),
        str(lines),
    )
    lines = run('sql', path, '-e', query).expect(0).out.splitlines()
    check(len(lines) == 2 and 'NULL' in lines[1] and '\\x0a' in lines[1], str(lines))


@test
def a_stored_profile(_folder):
    """n_... is asked as it lies; its answer is the file's.  Selections and analyzers hold."""
    path = sample()
    name = re.search(r'"(n_\w+)"', run('run', '-s', 'store', path).expect(0).err).group(1)
    query = 'select name, count(*), sum(duration_ps) from events group by name order by name'
    check_same(asked(query, name[:10]), asked(query, path), 'rows of the store')
    check_same(
        len(asked('select * from steps', '-a', 'steps', name)),
        len(asked('select * from steps', '-a', 'steps', path)),
        'steps',
    )
    all_rows = asked('select count(*) as n from events', path)[0]['n']
    some = asked('select count(*) as n from events', '--name', 'fusion', path)[0]['n']
    check(0 < some < all_rows, f'{some} of {all_rows}')
    check_same(
        asked(
            "select count(*) as n from events where name like '%fusion%' and kind = 'span'", path
        )[0]['n'],
        asked("select count(*) as n from events where kind = 'span'", '--name', 'fusion', path)[0][
            'n'
        ],
        'selected rows',
    )


@test
def nothing_is_left(_folder):
    os.mkdir('tmp')
    run(
        'sql', sample(), '-e', 'select count(*) from events', env={'TMPDIR': os.path.abspath('tmp')}
    ).expect(0)
    run('sql', 'missing.pb', '-e', 'select 1', env={'TMPDIR': os.path.abspath('tmp')}).expect(2)
    check_same(os.listdir('tmp'), [], 'what is left in TMPDIR')
    check(not os.path.exists('data-home'), 'a store was made')


# -- The sink sqlite ----------------------------------------------------------------------


@test
def the_sink_sqlite(_folder):
    """The database holds what nprof sql shows of the same input, row by row; the same bytes
    whatever the threads and batches."""
    for path, analyzers in (
        (sample(), ['steps', 'device']),
        (kineto_trace(), []),
        (nsys(), ['device']),
    ):
        options = [word for a in analyzers for word in ('-a', a)]
        run('run', *options, '-s', 'sqlite', '-o', 'a.sqlite.out', path).expect(0)
        db = sqlite3.connect('a.sqlite.out')
        check_same(
            db.execute('pragma integrity_check').fetchall(), [('ok',)], 'the database itself'
        )
        names = [row[1] for row in db.execute('pragma table_info(events)') if row[1] != 'row']
        columns = ', '.join(f'"{name}"' for name in names)
        tables = [
            name
            for name, in db.execute("select name from sqlite_schema where type = 'table'")
            if name not in ('event', 'strings')
        ]
        queries = [f'select {columns} from events'] + [
            f'select * from {table}' for table in sorted(tables)
        ]
        for query, own in zip(queries, asked_all(queries, *options, path)):
            check_same(
                canonical(db.execute(query).fetchall()),
                canonical(row.values() for row in own),
                query,
            )
        check(len(tables) > 3, str(tables))
        db.close()
        first = read('a.sqlite.out')
        run(
            'run',
            *options,
            '-j',
            '3',
            '-s',
            'sqlite',
            '-o',
            'a.sqlite.out',
            path,
            env={'NPROF_BATCH_ROWS': '3'},
        ).expect(0)
        check(read('a.sqlite.out') == first, f'other bytes of {path}')
        os.remove('a.sqlite.out')
    run('run', '-s', 'sqlite:index=yes', '-o', 'out/', sample()).expect(0)
    db = sqlite3.connect('out/profile.sqlite')
    plan = db.execute(
        'explain query plan select * from event where track = 3 and start_ps > 5'
    ).fetchall()
    check('event_track_start' in str(plan), str(plan))
    db.close()


# -- The prompt ---------------------------------------------------------------------------


@test
def the_prompt(_folder):
    """On a terminal: statements over lines, words with a dot, errors that do not end it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(
            NPROF,
            [NPROF, 'sql', '-q', sample()],
            environment({'TERM': 'dumb', 'HOME': os.getcwd(), 'XDG_STATE_HOME': os.getcwd()}),
        )
    seen = b''

    def until(text):
        nonlocal seen
        while text not in seen:
            ready, _, _ = select.select([terminal], [], [], 40)
            check(ready, f'{text!r} did not come: {seen!r}')
            try:
                chunk = os.read(terminal, 4096)
            except OSError:
                chunk = b''
            check(chunk, f'{text!r} did not come: {seen!r}')
            seen += chunk
        seen = seen[seen.index(text) + len(text) :]

    until(b'nprof> ')
    os.write(terminal, b'select 40 +\n')
    until(b'...> ')
    os.write(terminal, b'2;\n')
    until(b'42')
    until(b'nprof> ')
    os.write(terminal, b'select x;\n')
    until(b'no such column: x')
    os.write(terminal, b'.tables\n')
    until(b'events')
    os.write(terminal, b'.quit\n')
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    check_same(status, 0, 'exit status')


main()
