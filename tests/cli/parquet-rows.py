# SPDX-License-Identifier: Apache-2.0
"""parquet-rows.py - the decoder parquet: what nprof writes comes back to the byte; columns of any
table by options and by their names; a folder as Neuron Explorer writes it; files of DuckDB and of
parquet-wasm, and those of apache/parquet-testing, as DuckDB reads them; damaged files.

Environment: NPROF_PARQUET_READERS, the folder with node_modules that ./dev fetches;
NPROF_TEST_DATA, real traces; NPROF_PARQUET_CORPUS, a checkout of apache/parquet-testing.
"""

import csv
import datetime
import decimal
import functools
import hashlib
import json
import os
import random
import re
import shutil
import struct

import harness
from harness import (
    Skip,
    add_test,
    ask_node,
    check,
    check_same,
    files_below,
    main,
    read,
    sample,
    test,
    write,
)
import xspace

FOLDER = os.environ.get('NPROF_PARQUET_READERS', '')
DATA = os.environ.get('NPROF_TEST_DATA', '')
CORPUS = os.environ.get('NPROF_PARQUET_CORPUS', '')
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'parquet-write.mjs')
LARGE = 600 << 10  # bytes: larger real traces only with NPROF_TEST_ALL=1
ANALYZERS = ('latency', 'operators', 'fusion', 'mfu', 'device', 'steps', 'furiosa', 'neuron')
ALL = [word for name in ANALYZERS for word in ('-a', name)]


def run(*arguments, **how):
    """Into a folder of its own: nprof does not write over files of another run."""
    if '-o' in arguments:
        shutil.rmtree(arguments[arguments.index('-o') + 1], ignore_errors=True)
    return harness.run(*arguments, **how)


# -- What nprof wrote ----------------------------------------------------------


def csv_files(folder):
    """But for how many bytes an input has, and what its decoder skipped."""
    found = {}
    for name in files_below(folder):
        if not name.endswith('.csv') or name == 'skipped.csv':
            continue
        text = read(os.path.join(folder, name))
        if name == 'inputs.csv':
            rows = list(csv.reader(text.decode().splitlines()))
            at = rows[0].index('bytes')
            text = repr([row[:at] + row[at + 1 :] for row in rows])
        found[name] = text
    return found


def check_round_trip(paths, *arguments, sink='parquet', again=()):
    run('run', '-s', sink, '-o', 'pq/', *arguments, *paths).expect(0)
    run('run', '-s', 'csv', '-o', 'first/', *ALL, *arguments, *paths).expect(0)
    for number, what in enumerate(again or ['pq/events.parquet', 'pq/']):
        run('run', '-s', 'csv', '-o', f'back{number}/', *ALL, what).expect(0)
        first, back = csv_files('first'), csv_files(f'back{number}')
        check_same(sorted(back), sorted(first), 'tables')
        for name in first:
            check(
                back[name] == first[name],
                f'{what}: {name} differs:\n' + first_difference(first[name], back[name]),
            )


def first_difference(a, b):
    for x, y in zip(a.splitlines(), b.splitlines()):
        if x != y:
            return f'{x[:400]}\n{y[:400]}'
    return f'{len(a)} and {len(b)} characters'


@test
def xspace_comes_back(_folder):
    check_round_trip([sample()])


@test
def json_comes_back(_folder):
    check_round_trip([sample('node-workload.trace.json')])


@test
def extremes_come_back(_folder):
    """ps, nulls, ids beyond int64, texts of all sorts, attributes with and without columns,
    facts."""
    args = {
        'big': 2**63 - 1,
        'small': -(2**63),
        'none': None,
        'half': 0.5,
        'true': True,
        'deep': {'a': [1, {'b': '\u2603"\\'}]},
        'long': 'x' * 300,
        'huge': 2**64 - 1,
        'exp': 1e300,
        'text': 'a\nb\t"\u0001\U0001f600',
        'three': 3.0,
        'minus': -0.0,
    }
    trace = {
        'traceEvents': [
            {
                'ph': 'X',
                'pid': 1 + i % 3,
                'tid': 'thread é',
                'ts': 1e6 + i * 1.001,
                'dur': 0.001 * i,
                'name': name,
                'args': args if i % 2 else {},
            }
            for i, name in enumerate(
                ['', ' ', 'a,b', 'q"q', 'line\nbreak', '\u2603', '0', 'null'] * 40
            )
        ]
        + [
            {'ph': 'C', 'pid': 1, 'ts': 5, 'name': 'c', 'args': {'a': 1.5, 'b': 2**60}},
            {'ph': 'B', 'pid': 1, 'tid': 2, 'ts': 7, 'name': 'open'},
            {'ph': 's', 'pid': 1, 'tid': 1, 'ts': 8, 'id': 7, 'name': 'f', 'cat': 'f'},
            {'ph': 'f', 'pid': 1, 'tid': 2, 'ts': 9, 'id': 7, 'name': 'f', 'cat': 'f'},
            {'ph': 'i', 'pid': 1, 'tid': 1, 'ts': 3, 'name': 'i', 's': 't'},
        ]
    }
    write('t.json', json.dumps(trace))
    check_round_trip(['t.json'])


@test
def several_inputs_come_back(_folder):
    write('a.xplane.pb', read(sample()))
    write('b.json', read(sample('node-workload.trace.json')))
    write('c.json', read(sample('node-workload.trace.json')))
    check_round_trip(['a.xplane.pb', 'b.json', 'c.json'])


@test
def each_order_codec_and_size_comes_back(_folder):
    write('many.xplane.pb', xspace.many(3000, lines=3))
    run('run', '-s', 'csv', '-o', 'first/', 'many.xplane.pb').expect(0)
    for options in (
        'compression=snappy,row_group=64k',
        'compression=gzip',
        'compression=lz4',
        'compression=none',
        'order=track',
    ):
        run('run', '-s', 'parquet:' + options, '-o', 'pq/', 'many.xplane.pb').expect(0)
        run('run', '-s', 'csv', '-o', 'back/', 'pq/').expect(0)
        found, expected = csv_files('back'), csv_files('first')
        if options == 'order=track':
            for files in (found, expected):
                files['events.csv'] = sorted(files['events.csv'].splitlines())
        check(found == expected, options)


@test
def partitions_come_back(_folder):
    """Each file of rows is a profile of its own; tables lie two folders above it."""
    write('a.xplane.pb', read(sample()))
    check_round_trip(['a.xplane.pb'], sink='parquet:partition=hostnames', again=['pq/'])
    write('b.json', read(sample('node-workload.trace.json')))
    run('run', '-s', 'parquet:partition=hostnames', '-o', 'two/', 'a.xplane.pb', 'b.json').expect(0)
    run(
        'run',
        '-s',
        'csv:columns=input+start_ns+duration_ns+name+process+thread+flow',
        '-o',
        'first/',
        'a.xplane.pb',
        'b.json',
    ).expect(0)
    run(
        'run',
        '-s',
        'csv:columns=input+start_ns+duration_ns+name+process+thread+flow',
        '-o',
        'back/',
        'two/',
    ).expect(0)
    check_same(
        *(
            sorted(
                re.sub(rb',[0-9]+$', b',flow', line)
                for line in read(f + '/events.csv').splitlines()
            )
            for f in ('back', 'first')
        ),
        'events.csv',
    )


@test
def threads_and_batches_change_nothing(_folder):
    write('many.xplane.pb', xspace.many(3000, lines=3))
    run('run', '-s', 'parquet:row_group=64k', '-o', 'pq/', 'many.xplane.pb').expect(0)
    run('run', '-s', 'csv', '-o', 'first/', '-j', '1', 'pq/').expect(0)
    for jobs, batch in (('2', '4096'), ('4', '7'), ('1', '1')):
        run(
            'run', '-s', 'csv', '-o', 'again/', '-j', jobs, 'pq/', env={'NPROF_BATCH_ROWS': batch}
        ).expect(0)
        check(csv_files('again') == csv_files('first'), f'-j {jobs}, batches of {batch}')


@test
def rows_without_their_tables(_folder):
    """The labels that rows have make their tracks then, and that is said."""
    run('run', '-s', 'parquet', '-o', 'pq/', sample()).expect(0)
    os.mkdir('alone')
    write('alone/events.parquet', read('pq/events.parquet'))
    run(
        'run',
        '-s',
        'csv:columns=start_ns+duration_ns+name+thread',
        '-o',
        'lone/',
        'alone/events.parquet',
    ).expect(0, err=['*tracks.parquet of the same run is not beside it*'])
    run(
        'run', '-s', 'csv:columns=start_ns+duration_ns+name+thread', '-o', 'first/', sample()
    ).expect(0)
    check_same(read('lone/events.csv'), read('first/events.csv'), 'events.csv')


@test
def a_table_of_nprof_alone(_folder):
    run('run', '-a', 'operators', '-s', 'parquet', '-s', 'csv', '-o', 'pq/', sample()).expect(0)
    run('run', '-s', 'csv', '-o', 'back/', 'pq/operators.parquet').expect(0)
    check_same(read('back/operators.csv'), read('pq/operators.csv'), 'operators.csv')
    run('run', '-s', 'csv', '-o', 'all/', 'pq/').expect(0)  # what the analyzer made, without it
    check_same(read('all/operators.csv'), read('pq/operators.csv'), 'operators.csv')


@test
def selections_and_report_work(_folder):
    run('run', '-s', 'parquet', '-o', 'pq/', sample()).expect(0)
    for arguments in (['--name', 'fusion*'], ['--from', '5ms', '--to', '9ms']):
        run('run', '-s', 'csv', '-o', 'first/', *arguments, sample()).expect(0)
        run('run', '-s', 'csv', '-o', 'back/', *arguments, 'pq/').expect(0)
        check_same(read('back/events.csv'), read('first/events.csv'), str(arguments))
    first, back = run('report', sample()), run('report', 'pq/')
    first.expect(0)
    without = re.compile(r'^ *bytes .*$', re.M)
    check_same(without.sub('', back.out), without.sub('', first.out), 'report')


# -- Damage --------------------------------------------------------------------


@test
def damage_is_named(_folder):
    """Any byte of the pages: refused with its place, or (where no CRC covers it) read without a
    crash."""
    rng, refused = random.Random(5), 0
    run('run', '-s', 'parquet', '-o', 'pq/', sample()).expect(0)
    run('run', '-s', 'csv', '-o', 'good/', 'pq/').expect(0)
    whole = bytearray(read('pq/events.parquet'))
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], 'little')
    for place in sorted(rng.sample(range(4, footer // 2), 20)):
        changed = bytearray(whole)
        changed[place] ^= 1 << rng.randrange(8)
        write('pq/events.parquet', bytes(changed))
        done = run('run', '-s', 'csv', '-o', 'out/', 'pq/events.parquet')
        if done.status == 0:  # in column `time`, which says the start once more and is not read
            check_same(read('out/events.csv'), read('good/events.csv'), f'byte {place}: events.csv')
        else:
            done.expect(2, err=['*byte [0-9]*'])
        refused += done.status == 2
    check(refused > 10, f'only {refused} changes were found')
    for size in (0, 3, 4, 11, 12, 100, footer, len(whole) - 1):
        write('pq/events.parquet', bytes(whole[:size]))
        run('run', '-d', 'parquet', '-s', 'csv', '-o', 'out/', 'pq/events.parquet').expect(
            2, err=['*byte [0-9]*']
        )


# -- Files of others -----------------------------------------------------------


@functools.lru_cache(None)
def writers_here():
    if not os.path.isdir(os.path.join(FOLDER, 'node_modules', '@duckdb')):
        return 'the readers of Parquet are not here (./dev test fetches them)'
    return ''


def make(*statements):
    """Statements of SQL, which DuckDB runs in this folder; {wasm: ...} jobs go to parquet-wasm."""
    if writers_here():
        raise Skip(writers_here())
    return ask_node((DRIVER, FOLDER), statements)


def cells_of(text):
    """RFC 4180, in which a cell of nothing is None and a quoted empty one ''."""
    rows, row, at = [], [], 0
    for m in re.finditer(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)', text):
        if m.start() == len(text) and not row:
            break
        quoted, bare, end = m.groups()
        row.append(quoted.replace('""', '"') if quoted is not None else bare or None)
        if end != ',':
            rows.append(row)
            row = []
    return rows


def table_of(name, path, *options):
    run(
        'run',
        '-d',
        ','.join(('parquet',) + options) if not options else 'parquet:' + ','.join(options),
        '-s',
        'csv',
        '-o',
        'out/',
        path,
    ).expect(0)
    rows = cells_of(read(f'out/{name}.csv').decode())
    return {column: [row[k] for row in rows[1:]] for k, column in enumerate(rows[0])}


TYPES = """select i as big, (i % 7)::integer as small, (i * 1.5)::double as d, (i / 3.0)::float as f, i % 2 = 0 as b,
  case when i % 5 > 0 then 'name ' || (i % 11) end as s, 'long text ' || i as u, (i * 1000)::ubigint as ub, (i % 200)::utinyint as ut,
  case when i % 3 > 0 then (i - 500)::smallint end as sm, date '2020-01-01' + (i % 4000)::integer as day,
  make_timestamp(1600000000000000 + i * 1001) as stamp, make_timestamp_ns(1600000000000000000 + i) as stamp_n,
  (i / 100.0)::decimal(9,2) as dec9, (i * 1000003)::decimal(30,4) as dec30, uuid() as id128, [i, null, i + 1] as list,
  {{'x': i, 'y': 'z' || i}} as st, map {{'k' || (i % 3): i::varchar}} as m, ('b' || i)::blob as bytes, time '00:00:01' + interval (i) second as t
  from range({n}) r(i)"""


def as_shown(values, kind):
    return [
        None if v is None else 'true' if v is True else 'false' if v is False else v for v in values
    ]


def check_types(path, expected, n):
    found = table_of('types', path)
    check_same(len(found['big']), n, 'rows')
    for column in ('big', 'small', 's', 'u', 'ub', 'ut', 'sm', 'bytes'):
        check_same(found[column], expected[column], column)
    for column in ('d', 'dec9'):
        check([float(v) for v in found[column]] == [float(v) for v in expected[column]], column)
    pack = struct.Struct('f')
    check(
        [pack.unpack(pack.pack(float(v))) for v in found['f']]
        == [pack.unpack(pack.pack(float(v))) for v in expected['f']],
        'f',
    )
    check_same(found['b'], expected['b'], 'b')
    check_same([v.replace('T', ' ')[:10] for v in found['day']], expected['day'], 'day')
    check_same(
        [v.rstrip('Z').replace('T', ' ') for v in found['stamp']], expected['stamp'], 'stamp'
    )
    check_same(
        [v.rstrip('Z').replace('T', ' ') for v in found['stamp_n']], expected['stamp_n'], 'stamp_n'
    )
    check(
        [decimal.Decimal(v) for v in found['dec30']]
        == [decimal.Decimal(v) for v in expected['dec30']],
        'dec30',
    )
    check_same(found['id128'], [v.replace('-', '') for v in expected['id128']], 'id128')
    check_same(
        [json.loads(v) for v in found['list']], [json.loads(v) for v in expected['list']], 'list'
    )
    check_same([json.loads(v) for v in found['st']], [json.loads(v) for v in expected['st']], 'st')
    check_same([json.loads(v) for v in found['m']], [json.loads(v) for v in expected['m']], 'm')
    check_same([v.split('.')[0] for v in found['t']], expected['t'], 't')


SHOWN = """select big::varchar as big, small::varchar as small, d::varchar as d, f::varchar as f, b::varchar as b, s, u, ub::varchar as ub,
  ut::varchar as ut, sm::varchar as sm, day::varchar as day, strftime(stamp, '%Y-%m-%d %H:%M:%S.%f') as stamp,
  strftime(stamp_n, '%Y-%m-%d %H:%M:%S.%n') as stamp_n, dec9::varchar as dec9, dec30::varchar as dec30, id128::varchar as id128,
  list::json::varchar as list, st::json::varchar as st, m::json::varchar as m, decode(bytes) as bytes, t::varchar as t from types"""


def check_duckdb(_folder, codec, version):
    n = 5000
    answers = make(
        f'create table types as {TYPES.format(n=n)}',
        f"copy types to 'types.parquet' (format parquet, compression {codec}, parquet_version {version}, row_group_size 2048)",
        SHOWN,
    )
    check_types('types.parquet', answers[2], n)


@test
def parquet_wasm_writes(_folder):
    """arrow-rs: each encoding that it knows, both versions of pages."""
    for version in (1, 2):
        for encoding in ('PLAIN', 'RLE_DICTIONARY', 'DELTA'):
            answers = make(
                {'wasm': 'flat.parquet', 'version': version, 'encoding': encoding, 'rows': 3000}
            )
            found = table_of('flat', 'flat.parquet')
            for column, values in answers[0].items():
                check_same(found[column], values, f'{column}, version {version}, {encoding}')


# -- Any table -----------------------------------------------------------------


@test
def columns_by_name(_folder):
    make(
        "copy (select 1000 + i as start_ns, 10 as duration_ns, 'op ' || i as name, 'thread ' || i % 2 as thread, i * 2 as extra"
        " from range(6) r(i)) to 'k.parquet'"
    )
    run(
        'run', '-s', 'csv:columns=start_ns+duration_ns+name+thread+extra', '-o', 'out/', 'k.parquet'
    ).expect(0)
    check_same(
        read('out/events.csv').decode().splitlines()[1:],
        [f'{1000 + i},10,op {i},thread {i % 2},{i * 2}' for i in range(6)],
        'events.csv',
    )


@test
def times_that_cannot_be(_folder):
    """A duration below 0 and an end before the start are unknown, and counted."""
    for durations in ('10, -5, -1, 3', '10, -5, -1, null'):  # the second has nulls, so is read else
        make(
            f"copy (select unnest([100, 200, 300, 400]) as start_ns, unnest([{durations}]) as duration_ns)"
            " to 'durations.parquet'"
        )
        found = table_of('events', 'durations.parquet')['duration_ns']
        last = durations.split(', ')[3]
        check_same(found, ['10', None, None, None if last == 'null' else last], durations)
        left = table_of('skipped', 'durations.parquet')
        check_same(
            [left[column] for column in ('what', 'count', 'reason')],
            [['duration'], ['2'], ['it is below 0']],
            durations,
        )
    make(
        "copy (select unnest([100, 200, 300]) as start_ns, unnest([110, 195, null]) as end_ts)"
        " to 'ends.parquet'"
    )
    found = table_of('events', 'ends.parquet', 'unit=ns')['duration_ns']
    check_same(found, ['10', None, None], 'ends')


@test
def columns_by_option(_folder):
    make(
        "copy (select i as n, 1.5 * i as t0, 1.5 * i + 0.25 as t1, i % 3 as what, 'gpu' || i % 2 as dev, i % 2 as str, i as ident from"
        " range(8) r(i)) to 'odd.parquet'",
        "copy (select i as id, 'kernel ' || i as value from range(3) r(i)) to 'texts.parquet'",
    )
    run(
        'run',
        '-d',
        'parquet:start=t0,end=t1,unit=ms,name=what,track=dev/str,id=ident,strings=texts.parquet:id:value',
        '-s',
        'csv:columns=start_ns+duration_ns+process+thread+name+id+n',
        '-o',
        'out/',
        'odd.parquet',
    ).expect(0)
    check_same(
        read('out/events.csv').decode().splitlines()[1:],
        [
            f'{i * 1500000},250000,gpu{i % 2},str {i % 2},kernel {i % 3},{i or ""},{i}'
            for i in range(8)
        ],
        'events.csv',
    )
    run('run', '-d', 'parquet:start=t0', '-s', 'null', 'odd.parquet').expect(
        1, err=['*in which unit is column "t0"*unit=*']
    )
    run('run', '-d', 'parquet:start=nope', '-s', 'null', 'odd.parquet').expect(
        1, err=['*option start: there is no column "nope"']
    )
    run('run', '-d', 'parquet:unit=days', '-s', 'null', 'odd.parquet').expect(
        1, err=['*"days" is none of ps, ns, us, ms, s']
    )


@test
def timestamps_tell_their_unit(_folder):
    make(
        "copy (select timestamptz '2024-05-06 07:08:09.25+00' + interval (i) millisecond as start_time, 'x' as name from range(3) r(i))"
        " to 't.parquet'"
    )
    run('run', '-s', 'csv:columns=start_ns+kind', '-o', 'out/', 't.parquet').expect(0)
    check_same(
        read('out/events.csv').decode().splitlines()[1:],
        [f'{250000000 + i * 1000000},instant' for i in range(3)],
        'events.csv',
    )
    inputs = read('out/inputs.csv').decode()
    second = int(datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc).timestamp())
    check(f'{second}000000000' in inputs, inputs)


@test
def times_may_be_fractions(_folder):
    """In ns, to the ps; what is no number is no time."""
    make(
        "copy (select i * 2.25::double + 0.0004 as ts, 'x' as name from range(4) r(i)) to 'd.parquet'",
        "copy (select i * 0.5::float as ts, 'x' as name from range(3) r(i)) to 'f.parquet'",
        "copy (select 'nan'::double as ts, 'x' as name) to 'n.parquet'",
    )
    for path, starts in (('d', ['0', '2.25', '4.5', '6.75']), ('f', ['0', '0.5', '1'])):
        run('run', '-s', 'csv:columns=start_ns', '-o', f'{path}/', f'{path}.parquet').expect(0)
        check_same(read(f'{path}/events.csv').decode().splitlines()[1:], starts, path)
    run('run', '-s', 'null', 'n.parquet').expect(2, err='*column ts, row group 0: *or is none*')


@test
def counters_and_kinds(_folder):
    make(
        "copy (select i as ts, i * 0.5 as value, 'load' as name from range(3) r(i)) to 'c.parquet'",
        "copy (select i * 10 as ts, case i when 0 then 'instant' when 1 then 'counter' when 2 then 'nonsense' end as k, i::double as v"
        " from range(3) r(i)) to 'k.parquet'",
    )
    run('run', '-s', 'csv:columns=start_ns+kind+value+name', '-o', 'out/', 'c.parquet').expect(0)
    check_same(
        read('out/events.csv').decode().splitlines()[1:],
        [f'{i},counter,{i * 0.5:g},load' for i in range(3)],
        'events.csv',
    )
    run(
        'run',
        '-d',
        'parquet:kind=k,value=v',
        '-s',
        'csv:columns=start_ns+kind+value',
        '-o',
        'out/',
        'k.parquet',
    ).expect(0)
    check_same(
        read('out/events.csv').decode().splitlines()[1:],
        ['0,instant,0', '10,counter,1'],
        'events.csv',
    )
    check('its kind is not' in read('out/skipped.csv').decode(), read('out/skipped.csv'))


@test
def a_table_without_times(_folder):
    make("copy (select i as a, 'x' || i as B, [i] as l from range(3) r(i)) to 'My Table-2.parquet'")
    found = table_of('my_table_2', 'My Table-2.parquet')
    check_same(
        found,
        {
            'input': ['My Table-2.parquet'] * 3,
            'a': ['0', '1', '2'],
            'B': ['x0', 'x1', 'x2'],
            'l': ['[0]', '[1]', '[2]'],
        },
        'table',
    )


# -- Neuron Explorer -----------------------------------------------------------


@test
def a_folder_of_neuron_explorer(_folder):
    os.mkdir('prof')
    make(
        "copy (select 5000 + 100 * i as start_ts, 5050 + 100 * i as end_ts, 50 as duration_ns, case i % 2 when 0 then 'tensor' else 'vector' end as"
        " engine, 'MATMUL' as opcode, 'dot.' || i as hlo_name, 1000 * i as raw_flops, i as id, 0 as pcore_idx from range(6) r(i))"
        " to 'prof/Instruction_0.parquet'",
        "copy (select 6000 as start_ts, 6010 as end_ts, 'tensor' as engine, 'LATER' as opcode, 77::bigint as id, 0 as pcore_idx) to"
        " 'prof/Instruction_10.parquet'",
        "copy (select 7000 as start_ts, 7010 as end_ts, 'q' || i as queue_name, 64 * i as transfer_bytes, i as id, 0 as pcore_idx from range(2) r(i))"
        " to 'prof/DmaPacket.parquet'",
        "copy (select 5000 + i as timestamp, 0.25 * i as current_throughput, i as total_transfer_bytes, 0 as pcore_idx from range(3) r(i))"
        " to 'prof/DmaUsage.parquet'",
        # an end that is not named is no end
        "copy (select * from (values (0::bigint, 'Instruction', 1::bigint, 'DmaPacket', 'data', 5), (null, 'Instruction', 1, 'DmaPacket', 'data', 5),"
        " (0, null, 1, 'DmaPacket', 'data', 5), (0, 'Instruction', null, 'DmaPacket', 'data', 5), (0, 'Instruction', 1, null, 'data', 5))"
        " v(in_id, in_table, out_id, out_table, dependency_type, gap_time)) to 'prof/Flow.parquet'",
        "copy (select '12.0.1' as profile_schema_version, 128 as tensor_engine_num_rows, 128 as tensor_engine_num_cols, 2.4::double as"
        " tensor_engine_clock_freq, 7.16e11::double as hbm_ddr_bandwidth) to 'prof/Metadata.parquet'",
        "copy (select 'tensor' as engine, 'MATMUL' as opcode, 6 as instruction_count) to 'prof/OpcodeSummary.parquet'",
        "copy (select 1 as x) to 'prof/Brandnew.parquet'",
    )
    run('run', '-s', 'csv', '-o', 'out/', 'prof').expect(0)
    rows = list(csv.DictReader(read('out/events.csv').decode().splitlines()))
    spans = [r for r in rows if r['category'] == 'instruction']
    check_same(
        [(r['start_ns'], r['duration_ns'], r['name'], r['process'], r['thread']) for r in spans][
            :2
        ],
        [
            ('5000', '50', 'MATMUL', spans[0]['process'], 'tensor'),
            ('5100', '50', 'MATMUL', spans[0]['process'], 'vector'),
        ],
        'spans',
    )
    check_same(
        [r['name'] for r in spans], ['MATMUL'] * 6 + ['LATER'], 'the parts of a table in order'
    )
    check_same([r['flops'] for r in spans][:3], ['0', '1000', '2000'], 'flops')
    check_same([r['hlo_op'] for r in spans][:2], ['dot.0', 'dot.1'], 'hlo_op')
    check_same([r['bytes'] for r in rows if r['category'] == 'dma'], ['0', '64'], 'bytes')
    check_same(
        [(r['name'], r['value']) for r in rows if r['kind'] == 'counter'],
        [
            (f'DmaUsage/{s}', v)
            for i in range(3)
            for s, v in (('current_throughput', f'{0.25 * i:g}'), ('total_transfer_bytes', str(i)))
        ],
        'counters',
    )
    ends = [r for r in rows if r['kind'] == 'flow']
    check_same(
        sorted((r['start_ns'], r['flow_phase']) for r in ends),
        [('5050', 'begin'), ('7000', 'end')],
        'flows',
    )
    check(len({r['flow'] for r in ends}) == 1, 'both ends are of one flow')
    by_id = {r['id']: r for r in rows if r['id']}
    check_same(
        sorted(by_id[r['parent']]['category'] for r in ends),
        ['dma', 'instruction'],
        'what they are bound to',
    )
    facts = {
        r['key']: r['value'] for r in csv.DictReader(read('out/facts.csv').decode().splitlines())
    }
    check_same(float(facts['peak_flops']), 2 * 128 * 128 * 2.4e9, 'peak_flops')
    check(
        'Brandnew.parquet' in read('out/skipped.csv').decode(), 'a table that is not known is named'
    )
    check('12.0.1' in read('out/inputs.csv').decode(), 'the version of the schema')
    check_same(
        read('out/opcode_summary.csv').decode().splitlines()[1].split(',')[1:],
        ['tensor', 'MATMUL', '6'],
        'opcode_summary',
    )
    check_same(len(read('out/inputs.csv').splitlines()), 2, 'lines of inputs.csv')


# -- apache/parquet-testing ----------------------------------------------------


def duckdb_text(value, kind):
    """As DuckDB's JavaScript shows a nested value: the expectations were made with it."""
    if value is None:
        return 'NULL'
    if kind.endswith('[]'):
        return '[' + ', '.join(duckdb_text(v, kind[:-2]) for v in value) + ']'
    if kind.startswith(('STRUCT(', 'MAP(')):
        parts = split_types(kind[kind.index('(') + 1 : -1])
        if kind.startswith('MAP'):
            return (
                '{'
                + ', '.join(f"'{k}': " + duckdb_text(v, parts[1]) for k, v in value.items())
                + '}'
            )
        fields = [re.match(r'"([^"]*)" (.*)', p).groups() for p in parts]
        return '{' + ', '.join(f"'{n}': " + duckdb_text(value[n], t) for n, t in fields) + '}'
    if kind == 'VARCHAR':
        return f"'{value}'"
    return str(value)


def split_types(text):
    parts, depth, at = [], 0, 0
    for k, c in enumerate(text):
        depth += (c == '(') - (c == ')')
        if c == ',' and not depth:
            parts.append(text[at:k].strip())
            at = k + 1
    return parts + [text[at:].strip()]


def canonical(value, kind):
    """A cell of CSV as the expectations write it."""
    if value is None:
        return '\\N'
    if kind in ('FLOAT', 'DOUBLE'):
        f = float(value)
        return 'nan' if f != f else struct.pack('>f' if kind == 'FLOAT' else '>d', f).hex()
    if kind == 'BLOB':
        return value[2:] if value.startswith('0x') else value.encode().hex()
    if kind.startswith('TIMESTAMP'):
        m = re.fullmatch(r'(\d+-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)\.(\d+)Z?', value)
        days = (datetime.date.fromisoformat(m[1]) - datetime.date(1970, 1, 1)).days
        digits = {'TIMESTAMP_S': 0, 'TIMESTAMP_MS': 3, 'TIMESTAMP_NS': 9}.get(kind, 6)
        seconds = days * 86400 + int(m[2]) * 3600 + int(m[3]) * 60 + int(m[4])
        return str(seconds * 10**digits + int((m[5] + '0' * 9)[:digits] or 0))
    if kind == 'DATE':
        return str((datetime.date.fromisoformat(value) - datetime.date(1970, 1, 1)).days)
    if kind.startswith('DECIMAL'):
        scale = int(kind[:-1].split(',')[1])
        return str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-scale)))
    return value


def corpus_files():
    found = {}
    for folder, _, names in os.walk(CORPUS):
        for name in names:
            if name.endswith('.parquet') and os.path.basename(folder) != 'shredded_variant':
                found[name] = os.path.join(folder, name)
    return found


def expectations():
    path = os.path.join(DATA, '..', 'golden', 'analyses', 'parquet_expected.tsv')
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA has no golden/analyses beside it')
    by_file = {}
    for line in read(path).decode().splitlines()[1:]:
        cells = line.split('\t')
        by_file.setdefault(cells[0], []).append(cells)
    return by_file


DAMAGED = re.compile(r'corrupt-checksum|^ARROW-|^PARQUET-1481')


@test
def corpus_is_read(_folder):
    """Each file is read, or refused with the byte; values are those that DuckDB reads."""
    if not CORPUS:
        raise Skip('NPROF_PARQUET_CORPUS names no checkout of apache/parquet-testing')
    expected, compared = expectations(), 0
    for name, path in sorted(corpus_files().items()):
        done = run('run', '-d', 'parquet', '-s', 'csv', '-o', 'out/', path)
        check(done.status in (0, 2), f'{name}: {done.describe()}')
        if done.status == 2:
            check('byte ' in done.err, f'{name}: no byte is named: {done.err}')
            check(DAMAGED.search(name) or 'brotli' in done.err, f'{name} is refused: {done.err}')
            continue
        table = next(
            n
            for n in files_below('out')
            if n.endswith('.csv')
            and n not in ('events.csv', 'inputs.csv', 'tracks.csv', 'facts.csv', 'skipped.csv')
        )
        rows = cells_of(read('out/' + table).decode())
        columns = {c.lower(): k for k, c in enumerate(rows[0])}
        for _, n, column, kind, nulls, md5, *_ in expected.get(name, []):
            if md5.startswith('duckdb refuses'):
                continue
            values = [row[columns[column.lower()]] for row in rows[1:]]
            check_same(
                (len(values), values.count(None)),
                (int(n), int(nulls)),
                f'{name}: {column}: rows, nulls',
            )
            if re.search(r'\[\]$|^STRUCT|^MAP', kind):
                continue  # their texts are DuckDB's own; nested_values compares them
            text = ''.join(canonical(v, kind) + '\n' for v in values)
            check_same(hashlib.md5(text.encode()).hexdigest(), md5, f'{name}: {column} {kind}')
            compared += 1
        for n in files_below('out'):
            os.unlink('out/' + n)
    check(compared >= 90, f'only {compared} columns were compared')


@test
def nested_values(_folder):
    """Lists, structs and maps of the corpus as JSON, beside DuckDB's own JSON of them."""
    if not CORPUS:
        raise Skip('NPROF_PARQUET_CORPUS names no checkout of apache/parquet-testing')
    names = [
        'list_columns',
        'nested_lists.snappy',
        'nested_maps.snappy',
        'nonnullable.impala',
        'nullable.impala',
        'old_list_structure',
        'repeated_primitive_no_list',
        'repeated_no_annotation',
        'null_list',
        'nested_structs.rust',
    ]
    files = corpus_files()
    for name in names:
        path = files[name + '.parquet']
        expected = make(f"select to_json(t)::varchar as j from read_parquet('{path}') t")[0]['j']
        found = table_of(re.sub('[^a-z0-9]', '_', name), path)
        for k, text in enumerate(expected):
            for column, value in json.loads(text).items():
                kept = {c.lower(): c for c in found}
                got = found[kept[column.lower()]][k]
                if isinstance(value, (list, dict)):
                    check_same(plain(json.loads(got)), plain(value), f'{name}: {column}')


def plain(value):
    """Numbers as floats, times without their zone and zeros: writers of JSON differ in them."""
    if isinstance(value, dict):
        if set(value) == {'key', 'value'}:
            return value
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, str) and re.match(r'\d{4,}-\d\d-\d\d[T ]', value):
        value = value.replace('T', ' ').rstrip('Z')
        return value.rstrip('0').rstrip('.') if '.' in value else value
    return (
        float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
    )


def check_real(_folder, path):
    check_round_trip([path])


def collect():
    for codec in ('zstd', 'snappy', 'gzip', 'lz4_raw', 'uncompressed'):
        for version in ('v1', 'v2'):
            add_test(
                f'duckdb-{version}-{codec}',
                functools.partial(check_duckdb, codec=codec, version=version),
            )
    for folder, endings in (('xplane', '.xplane.pb'), ('json', ('.json', '.json.gz'))):
        at = os.path.join(DATA, folder)
        for name in sorted(os.listdir(at)) if DATA and os.path.isdir(at) else []:
            path = os.path.join(at, name)
            if (
                name.endswith(endings)
                and not name.startswith(('bad_', 'not_a_trace'))
                and (os.environ.get('NPROF_TEST_ALL') or os.path.getsize(path) <= LARGE)
            ):
                add_test('real-' + name, functools.partial(check_real, path=path))


if __name__ == '__main__':
    collect()
    main()
