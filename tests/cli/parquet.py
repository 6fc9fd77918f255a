# SPDX-License-Identifier: Apache-2.0
"""parquet.py - DuckDB, hyparquet and parquet-wasm read the Parquet files that nprof writes: the
same rows, nulls, numbers and texts as its CSV files, for each codec; a flipped byte is found; the
files do not depend on threads or batches; every query of share/sql runs.

Environment: NPROF_PARQUET_READERS, the folder with node_modules that ./dev fetches;
NPROF_TEST_DATA, real traces: up to LARGE bytes, all with NPROF_TEST_ALL=1.
"""

import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys

from harness import (
    SAMPLES,
    Skip,
    add_test,
    ask_node,
    check,
    check_same,
    files_below,
    main,
    read,
    run,
    run_node,
    sample,
    test,
    write,
)
import xspace

FOLDER = os.environ.get('NPROF_PARQUET_READERS', '')
DATA = os.environ.get('NPROF_TEST_DATA', '')
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'parquet.mjs')
NEFF_MAKE = os.path.join(os.path.dirname(DRIVER), '..', 'tools', 'neff-make.py')
SQL = os.path.join(SAMPLES, '..', 'sql')
CODECS = ('zstd', 'snappy', 'gzip', 'lz4', 'none')
MANY_ROWS = 2000  # from here on only DuckDB reads all: the others are slow
LARGE = 256 << 10  # bytes: larger real traces only with NPROF_TEST_ALL=1


@functools.lru_cache(None)
def readers_here():
    if not os.path.isdir(os.path.join(FOLDER, 'node_modules', 'hyparquet')):
        return 'the readers of Parquet are not here (./dev test fetches them)'
    version = run_node(['--version'], text=True)
    if not re.match(r'v(1[89]|[2-9]\d)\.', version.stdout):
        return f'needs Node.js 18 or later, found {version.stdout.strip() or "none"}'
    return ''


def ask(jobs):
    """Returns what parquet.mjs says about each job."""
    if readers_here():
        raise Skip(readers_here())
    return ask_node((DRIVER, FOLDER), jobs)


@functools.lru_cache(None)
def codecs():
    """Those that this nprof was built with."""
    found = [
        c
        for c in CODECS
        if run('run', '-s', f'parquet:compression={c}', '-o', 'codecs/', sample()).status == 0
    ]
    shutil.rmtree('codecs', ignore_errors=True)
    return found


def jobs_of(folder, others=True):
    jobs = []
    for name in sorted(files_below(folder)):
        if name.endswith('.parquet'):
            csv = os.path.join(folder, name[: -len('parquet')] + 'csv')
            check(os.path.exists(csv), f'{csv} is missing')
            jobs.append({'parquet': os.path.join(folder, name), 'csv': csv, 'others': others})
    check(jobs, f'no Parquet files in {folder}')
    return jobs


def check_jobs(jobs):
    problems = [
        f'{job["parquet"]}: {problem}'
        for job, found in zip(jobs, ask(jobs))
        for problem in found['problems']
    ]
    check(not problems, '\n'.join(problems))


def write_both(codec, *arguments, folder='out'):
    run(
        'run', '-s', f'parquet:compression={codec}', '-s', 'csv', '-o', folder + '/', *arguments
    ).expect(0)


def check_codecs(_folder, path):
    jobs = []
    for codec in codecs():
        write_both(codec, path, folder=codec)
        jobs += jobs_of(codec)
    check_jobs(jobs)


def check_real(_folder, paths):
    """All in one process of the readers, each with one codec."""
    jobs = []
    for number, path in enumerate(paths):
        codec = codecs()[number % len(codecs())]
        folder = os.path.basename(path)
        write_both(codec, path, folder=folder)
        rows = read(folder + '/events.csv').count(b'\n')
        jobs += jobs_of(folder, others=rows < MANY_ROWS)
    check_jobs(jobs)


# -- Values -------------------------------------------------------------------


@test
def the_check_itself_can_fail(_folder):
    write_both('none', sample())
    text = read('out/events.csv').decode()
    write(
        'out/events.csv',
        text.replace(',84.5', ',84.25').replace('fusion.11', 'fusion.12').replace('1.5', '1.25'),
    )
    problems = ask(jobs_of('out', others=False))[0]['problems']
    check(any('column name' in p for p in problems), f'nothing was seen: {problems}')


@test
def extremes(_folder):
    trace = {
        'traceEvents': [
            {
                'ph': 'X',
                'pid': 1,
                'tid': 1,
                'ts': i,
                'dur': 0.001 * i,
                'name': name,
                'args': {
                    'big': 2**63 - 1,
                    'small': -(2**63),
                    'text': name,
                    'none': None,
                    'half': 0.5,
                    'long': 'x' * 300,
                    'deep': {'a': [1, 2, {'b': 'c'}]},
                },
            }
            for i, name in enumerate(
                [
                    '',
                    ' ',
                    'a,b',
                    'q"q',
                    'line\nbreak',
                    '\u2603',
                    '\U0001f600',
                    'e\u0301',
                    '0',
                    'null',
                ]
                * 3
            )
        ]
    }
    write('t.json', json.dumps(trace))
    check_codecs(_folder, 't.json')


@test
def many_row_groups(_folder):
    write('many.xplane.pb', xspace.many(4000, lines=3))
    run('run', '-s', 'parquet:row_group=64k', '-s', 'csv', '-o', 'out/', 'many.xplane.pb').expect(0)
    check_jobs(jobs_of('out', others=True))
    found = ask(
        [
            {
                'sql': [
                    "select count(distinct row_group_id), max(row_group_num_rows) from"
                    " parquet_metadata('out/events.parquet')"
                ]
            }
        ]
    )[0]['answers'][0]['rows'][0]
    check(int(found[0]) > 5, f'{found} row groups')


def any_stats(rand, field):
    """Stats of a few keys, as XSpaces have them (metadata: 5, events: 4): numbers, texts, the same
    twice."""

    def stat(key):
        value = rand.choice(
            (
                xspace.number(4, rand.choice((0, -1, 7, rand.getrandbits(40)))),
                xspace.number(3, 7),
                xspace.message(5, rand.choice(('', 'seven', 'x' * 90, '7'))),
                b'\x11' + rand.randbytes(6) + b'\x40\x09',
            )
        )
        return xspace.message(field, xspace.number(1, key) + value)

    return b''.join(stat(rand.randrange(1, 80)) for _ in range(rand.randrange(6)))


@test
def shared_and_own_attributes(_folder):
    """A row's own attributes override those that its set shares; both may not fit their columns;
    more keys than the sink tells apart by bits."""
    rand, named = random.Random(11), (
        'flops',
        'bytes_accessed',
        'tf_op',
        'hlo_category',
        'program_id',
        'group_id',
    )
    meta = b''.join(
        xspace.message(
            4,
            xspace.number(1, k)
            + xspace.message(
                2, xspace.number(1, k) + xspace.message(2, f'op.{k}') + any_stats(rand, 5)
            ),
        )
        for k in range(1, 40)
    )
    keys = b''.join(
        xspace.named(5, k, named[k] if k < len(named) else f'key {k}') for k in range(80)
    )
    events = b''.join(
        xspace.event(rand.randrange(1, 40), 1000 * k, 10, any_stats(rand, 4) if k % 3 else b'')
        for k in range(3000)
    )
    write(
        'shared.xplane.pb',
        xspace.plane(2, '/device:TPU:0', xspace.line(1, 'XLA Ops', events), meta, keys),
    )
    run('run', '-s', 'parquet:row_group=64k', '-s', 'csv', '-o', 'out/', 'shared.xplane.pb').expect(
        0
    )
    check_jobs(jobs_of('out', others=True))


@test
def two_inputs_with_other_origins(_folder):
    shutil.copy(sample(), 'a.xplane.pb')
    shutil.copy(sample('node-workload.trace.json'), 'b.json')
    write_both('gzip', 'a.xplane.pb', 'b.json')
    check_jobs(jobs_of('out'))


# -- nprof info ---------------------------------------------------------------


@test
def a_flipped_byte_is_found(_folder):
    """In any page, by its CRC or its header; the place that is named is that page's."""
    rng = random.Random(7)
    for codec in codecs():
        run('run', '-s', f'parquet:compression={codec}', '-o', codec, sample()).expect(0)
        whole = bytearray(read(codec + '/events.parquet'))
        run('info', codec + '/events.parquet').expect(
            0, out=['Columns', 'Row groups', '*duration_ps *']
        )
        footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], 'little')
        pages = footer // 2  # indexes and footer are the smaller half of so small a file
        for place in sorted(rng.sample(range(4, pages), 12)):
            data = bytearray(whole)
            data[place] ^= 1 << rng.randrange(8)
            write('flipped.parquet', bytes(data))
            found = run('info', 'flipped.parquet').expect(2, err='*flipped.parquet: byte *')
            named = int(re.search(r'parquet: byte (\d+): ', found.err).group(1))
            check(named <= place, f'byte {place} was changed, byte {named} is named\n{found.err}')


@test
def cut_files_are_refused(_folder):
    run('run', '-s', 'parquet', '-o', 'out', sample()).expect(0)
    whole = read('out/events.parquet')
    for size in (5, 11, 200, len(whole) - 1, len(whole) - 9):
        write('cut.parquet', whole[:size])
        run('info', 'cut.parquet').expect(2, out='', err='*cut.parquet: *byte *')


@test
def info_reads_what_duckdb_writes(_folder):
    answer = ask(
        [
            {
                'sql': [
                    "copy (select range a, range::varchar b, [range] c from range(100000))"
                    " to 'd.parquet' (format parquet, compression snappy)"
                ]
            }
        ]
    )[0]
    check_same(answer['problems'], [], 'problems')
    run('info', '-v', 'd.parquet').expect(0, out='*  c.list.e*  int64 *', err='*pages has a CRC*')


# -- Order, partitions --------------------------------------------------------


@test
def order_track(_folder):
    run('run', '-s', 'parquet:order=track', '-o', 'out', sample()).expect(0)
    run('run', '-s', 'parquet', '-o', 'plain', sample()).expect(0)
    key = 'track, coalesce(start_ps, -1), -coalesce(duration_ps, -1)'
    answers = ask(
        [
            {
                'sql': [
                    f'select count(*) from (select ({key}) k, lag(({key})) over () l from'
                    " 'out/events.parquet' where kind != 'fact') where k < l",
                    "select count(*), sum(start_ps), sum(duration_ps) from 'out/events.parquet'",
                    "select count(*), sum(start_ps), sum(duration_ps) from 'plain/events.parquet'",
                ]
            }
        ]
    )[0]
    check_same(answers['problems'], [], 'problems')
    check_same(answers['answers'][0]['rows'], [['0']], 'rows out of order')
    check_same(answers['answers'][1], answers['answers'][2], 'sums')


@test
def partitions(_folder):
    os.mkdir('in')
    for rank in range(18):
        write(
            f'in/{rank:02}.json',
            json.dumps(
                {
                    'distributedInfo': {'rank': rank % 17},
                    'traceEvents': [
                        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 5 * i, 'dur': rank + 1, 'name': 'op'}
                        for i in range(10 + rank)
                    ],
                }
            ),
        )
    run('run', '-s', 'parquet:partition=rank', '-o', 'out', 'in').expect(0)
    names = [n for n in files_below('out') if n.startswith('events/')]
    if not any('rank=16' in n for n in names):
        check(all('__HIVE_DEFAULT_PARTITION__' in n for n in names), f'unexpected: {names}')
        raise AssertionError('decoder chrome gives no property rank')
    check_same(len(names), 18, 'files')
    check('events/rank=0/part-1.parquet' in names, f'no second part: {names}')
    answer = ask(
        [
            {
                'sql': [
                    "select rank, count(*) from read_parquet('out/events/**/*.parquet',"
                    ' hive_partitioning=true) group by all order by rank'
                ]
            }
        ]
    )[0]
    check_same(answer['problems'], [], 'problems')
    found = {int(k): int(n) for k, n in answer['answers'][0]['rows']}
    expected = {rank: 10 + rank for rank in range(17)}
    expected[0] += 10 + 17
    check_same(found, expected, 'rows by rank')
    os.remove('in/16.json')
    run('run', '-s', 'parquet:partition=rank', '-o', 'out', 'in').expect(0)
    check('events/rank=16/part-0.parquet' not in files_below('out'), 'a stale partition stays')


# -- Same bytes ---------------------------------------------------------------


@test
def threads_and_batches_change_nothing(_folder):
    write('many.xplane.pb', xspace.many(4000, lines=5))
    for name, path in (('x', 'many.xplane.pb'), ('j', sample('node-workload.trace.json'))):
        found = []
        for jobs, rows in (('1', '4096'), ('2', '4096'), ('4', '1'), ('1', '7'), ('2', '100')):
            folder = f'{name}-{jobs}-{rows}'
            run(
                'run',
                '-j',
                jobs,
                '-s',
                'parquet:row_group=64k',
                '-o',
                folder,
                path,
                env={'NPROF_BATCH_ROWS': rows},
            ).expect(0)
            found.append(files_below(folder))
        check(all(f == found[0] for f in found), f'{path}: the files differ')


@test
def stdout_is_refused(_folder):
    run('run', '-s', 'parquet', '-o', '-', sample()).expect(
        1, out='', err='*sink parquet cannot write to stdout: name a file or folder instead'
    )


@test
def wrong_options(_folder):
    for options, err in (
        ('compression=snappy,level=3', '*only zstd and gzip have levels*'),
        ('compression=gzip,level=12', '*gzip has the levels 1 to 9*'),
        ('row_group=1k', '*row_group*64k..16M*'),
        ('compression=brotli', '*"brotli" is not one of zstd, snappy, gzip, lz4, none'),
    ):
        run('run', '-s', 'parquet:' + options, '-o', 'out', sample()).expect(1, out='', err=err)
        check_same(files_below('.'), {}, 'files')


# -- share/sql ----------------------------------------------------------------


def check_query(_folder, name):
    inputs = [sample(), queues()]
    text = read(os.path.join(SQL, name)).decode()
    check(text.startswith('-- '), 'it does not say what it answers')
    if 'from tensors' in text or 'from dma_queues' in text:
        inputs.append(neff())
    run('run', '-s', 'parquet', '-o', 'out', *inputs).expect(0)
    views = [
        f"create or replace view {file[:-8]} as select * from 'out/{file}'"
        for file in sorted(os.listdir('out'))
        if file.endswith('.parquet')
    ]
    answer = ask([{'sql': views + [text]}])[0]
    check_same(answer['problems'], [], 'problems')
    check(answer['answers'][-1]['rows'], f'no rows: {answer["answers"][-1]["columns"]}')


def neff():
    subprocess.run([sys.executable, '-B', NEFF_MAKE, 'neffs'], check=True, capture_output=True)
    plugins = json.loads(run('plugins', '--json').expect(0).out)['plugins']
    if not any(p['name'] == 'neff' for p in plugins):
        raise Skip('this nprof was built without libarchive')
    return 'neffs/synthetic_pax_utf8.neff'


def queues():
    """A trace with what the sample lacks: counters, tensors' sizes."""
    rng = random.Random(1)
    events = [
        {'ph': 'C', 'pid': 1, 'tid': 1, 'ts': i, 'name': 'memory', 'args': {'used': i * i}}
        for i in range(20)
    ]
    events += [
        {
            'ph': 'X',
            'pid': 1,
            'tid': 2,
            'ts': 10 * i,
            'dur': rng.randrange(1, 9),
            'name': 'aten::add',
            'cat': 'cpu_op',
            'args': {'bytes': 64 * i},
        }
        for i in range(20)
    ]
    return write('queues.json', json.dumps({'traceEvents': events}))


# -- Everything there is ------------------------------------------------------


def collect():
    for name in sorted(os.listdir(SAMPLES)) if SAMPLES else ():
        if name.endswith(('.pb', '.json')):
            add_test(name, functools.partial(check_codecs, path=sample(name)))
    for name in sorted(os.listdir(SQL)) if os.path.isdir(SQL) else ():
        if name.endswith('.sql'):
            add_test(name, functools.partial(check_query, name=name))
    for folder, endings in (('xplane', '.pb'), ('json', ('.json', '.json.gz'))):
        at = os.path.join(DATA, folder)
        paths = (
            [
                os.path.join(at, name)
                for name in sorted(os.listdir(at))
                if name.endswith(endings)
                and not name.startswith(('bad_', 'not_a_trace'))
                and (
                    os.environ.get('NPROF_TEST_ALL')
                    or os.path.getsize(os.path.join(at, name)) <= LARGE
                )
            ]
            if DATA and os.path.isdir(at)
            else []
        )
        if paths:
            add_test('real-' + folder, functools.partial(check_real, paths=paths))


if __name__ == '__main__':
    collect()
    main()
