# SPDX-License-Identifier: Apache-2.0
"""influx.py - the sink influx and a real InfluxDB 1.x: what arrives is what was read, whatever
happens to the server meanwhile; and what a user is told when it does not take it."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from decimal import Decimal

from servers import Influx, free_port, request, trace
from harness import (
    Skip,
    check,
    check_same,
    files_below,
    finish,
    main,
    read,
    rows_of,
    run,
    sample,
    start,
    test,
    write,
)

DATA = os.environ.get('NPROF_TEST_DATA', '')
REAL = os.path.join(DATA, 'json', 'hta_mtia_trace_single_rank_mtia_rank_0.json.gz')
SECRET = {'INFLUX_PASSWORD': 'hush-hush', 'INFLUX_TOKEN': 'very-secret'}


def influx(server, *options):
    return 'influx:' + ','.join([f'url={server.url}', *options])


def rows_in_csv(path):
    run('run', '-s', 'csv', '-o', 'csv', path).expect(0)
    return rows_of(read('csv/events.csv'))


def check_all(server, path, result, db='nprof'):
    """The points are the rows of events.csv: their number, and the sum of their durations."""
    rows = rows_in_csv(path)
    timed = [r['duration_ns'] for r in rows if r['duration_ns']]
    count = server.value('SELECT count(duration_ns) FROM events', db) or 0
    open_ = server.value('SELECT count(no_duration) FROM events', db) or 0
    check_same(
        (count, open_), (len(timed), len(rows) - len(timed)), 'points with and without duration'
    )
    total = server.value('SELECT sum(duration_ns) FROM events', db)
    check(
        abs(Decimal(total) - sum(map(Decimal, timed))) < Decimal('0.001') * len(rows),
        f'sum of durations: {total}, expected {sum(map(Decimal, timed))}',
    )
    said = re.search(r'Profile "n_[0-9a-f]{40}" is ready: (\d+) points', result.err)
    check(said and int(said[1]) >= len(rows), result.describe())


@test
def sample_profile(folder):
    with Influx(folder) as server:
        result = run('run', '-s', influx(server), sample()).expect(0, out='')
        check_all(server, sample(), result)
        names = {s['name'] for s in server.query('SELECT * FROM /.*/ LIMIT 1')}
        check({'events', 'tracks', 'inputs', 'facts', 'planes'} <= names, f'measurements: {names}')
        [row] = server.query('SELECT bytes, "rows" FROM inputs')[0]['values']
        check_same(row[1:], [os.path.getsize(sample()), 242], 'table inputs')
        run('run', '-s', influx(server), sample()).expect(4, err='*exists already*force=yes*')
        run('run', '-s', influx(server, 'force=yes'), sample()).expect(0)
        check_all(server, sample(), result)


@test
def real_trace(folder):
    """455,739 events in the file."""
    if not os.path.exists(REAL):
        raise Skip('NPROF_TEST_DATA names no folder with real traces')
    with Influx(folder) as server:
        check_all(server, REAL, run('run', '-s', influx(server), REAL).expect(0))


@test
def nasty_names(folder):
    """Every text comes back, and no two points became one."""
    path = trace(3000)
    with Influx(folder) as server:
        check_all(
            server, path, run('run', '-s', influx(server, 'gzip=no', 'precision=s'), path).expect(0)
        )
        tags = {
            row[1]
            for s in server.query('SHOW TAG VALUES FROM events WITH KEY = "name"')
            for row in s['values']
        }
        expected = {r['name'].replace('\n', '\\n').replace('\t', '\\t') for r in rows_in_csv(path)}
        check_same(sorted(tags), sorted(expected), 'names')
        rows = server.query("SELECT attributes FROM events WHERE kind = 'span'")[0]['values']
        check_same(
            sorted(
                json.loads(v)['args']['n'] if 'args' in json.loads(v) else json.loads(v)['n']
                for _, v in rows
            ),
            list(range(3000)),
            'args',
        )


@test
def any_number_of_connections(folder):
    """The same points, also after the server has dropped those that force=yes replaces."""
    path = trace(2000)
    with Influx(folder) as server:
        for n in (1, 2, 4):
            result = run(
                'run', '-s', influx(server, f'connections={n}', 'batch=100', f'db=c{n}'), path
            ).expect(0)
            check_all(server, path, result, f'c{n}')
        run(
            'run', '-s', influx(server, 'connections=4', 'batch=100', 'db=c1', 'force=yes'), path
        ).expect(0)
        check_all(server, path, result, 'c1')


@test
def one_profile_of_two(folder):
    """force=yes deletes its own points only."""
    a, b = sample(), trace(500)
    with Influx(folder) as server:
        run('run', '-s', influx(server), a).expect(0)
        before = server.value('SELECT count(duration_ns) FROM events')
        run('run', '-s', influx(server), b).expect(0)
        run('run', '-s', influx(server, 'force=yes'), b).expect(0)
        check_same(
            server.value('SELECT count(duration_ns) FROM events'), before + 500, 'points of both'
        )


@test
def other_precisions(folder):
    path = trace(2000)
    with Influx(folder) as server:
        for precision in ('us', 'ms', 's'):
            result = run(
                'run', '-s', influx(server, f'precision={precision}', f'db=p{precision}'), path
            )
            check_all(server, path, result.expect(0), f'p{precision}')
            units = {'us': 10**3, 'ms': 10**6, 's': 10**9}[precision]
            times = [
                row[0]
                for row in server.query('SELECT duration_ns FROM events', f'p{precision}')[0][
                    'values'
                ]
            ]
            check(all(t % units == 0 for t in times), f'times finer than {precision}')


@test
def epoch(folder):
    path = write('t.json', '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"}]}')
    with Influx(folder) as server:
        os.utime(path, ns=(0, 1700000000123456789))
        run('run', '-s', influx(server), path).expect(0, err='*last changed*epoch=mtime*')
        [found] = server.query('SELECT duration_ns FROM events GROUP BY epoch')
        check_same(
            (found['tags'], found['values']),
            ({'epoch': 'mtime'}, [[1700000000000000000, 1000]]),
            'by the time of the file',
        )
        run('run', '-s', influx(server, 'force=yes'), '-', stdin=read(path)).expect(
            1, err='*a pipe has no time of its own: give epoch=*'
        )
        run('run', '-s', influx(server, 'force=yes', 'epoch=2025-01-01T00:00:00Z'), path).expect(0)
        [row] = server.query('SELECT duration_ns FROM events')[0]['values']
        check_same(row, [1735689600000000000, 1000], 'time and duration')
        run('run', '-s', influx(server, 'force=yes', 'epoch=soon'), path).expect(
            1, err='*epoch=soon*expected*'
        )


# -- Who may write ---------------------------------------------------------------


@test
def authentication(folder):
    path = trace(300)
    with Influx(folder, auth=True) as server:
        for user, right, db in (('w', 'ALL', 'x'), ('ro', 'READ', 'x'), ('wo', 'WRITE', 'z')):
            server.query(f'CREATE DATABASE {db}')
            server.query(f"CREATE USER {user} WITH PASSWORD '{user}-pass'")
            server.query(f'GRANT {right} ON {db} TO {user}')

        def attempt(user, password, db='x'):
            env = {'INFLUX_PASSWORD': password} if password else {}
            return run('run', '-s', influx(server, f'user={user}', f'db={db}'), path, env=env)

        attempt('', None).expect(4, err='*401*unable to parse auth*INFLUX_PASSWORD*')
        wrong = attempt('w', 'no-such-pass').expect(4, err='*401*authorization failed*user=*')
        check('no-such-pass' not in wrong.err, wrong.describe())
        attempt('ro', 'ro-pass').expect(4, err='*403*not authorized to write*GRANT*')
        attempt('w', 'w-pass', 'y').expect(4, err='*creating the database*403*')
        check_same(server.query('SHOW SERIES', 'x'), [], 'series after refusals')
        attempt('w', 'w-pass').expect(0, err='*is ready*')
        attempt('wo', 'wo-pass', 'z').expect(0, err=['*not checked*', '*is ready*'])
        check_all(server, path, attempt('adm', 'pw', 'made').expect(0), 'made')
        write('pw', 'pw\n')
        run(
            'run',
            '-s',
            influx(server, 'user=adm', 'password_file=pw', 'db=made', 'force=yes'),
            path,
        ).expect(0)
        run('run', '-s', influx(server, 'user=adm', 'password_file=gone'), path).expect(
            1, err='*gone*'
        )


@test
def secrets_stay_secret(folder):
    """Not in what is said, not in what is written, not in the arguments of the process."""
    path = trace(300)
    with Influx(folder, auth=True) as server:
        server.query("CREATE USER s WITH PASSWORD 'hush-hush' WITH ALL PRIVILEGES")
        for options in (['user=s'], ['user=s'], ['user=other'], ['api=2'], ['user=s', 'force=yes']):
            shutil.rmtree('out', ignore_errors=True)
            result = run(
                'run',
                '-v',
                '-v',
                '-v',
                '-s',
                'csv',
                '-s',
                influx(server, *options),
                '-o',
                'out',
                path,
                env=SECRET,
            )
            for secret in SECRET.values():
                check(secret not in result.err + result.out, result.describe())
                check(
                    not any(
                        secret.encode() in data
                        for name, data in files_below('.').items()
                        if not name.startswith('influxdb')
                    ),
                    'a file holds the secret',
                )
        # what a user did on the command line is refused, without being repeated
        for url in ('http://u:hush-hush@127.0.0.1:1', 'http://127.0.0.1:1/?token=very-secret'):
            result = run('run', '-s', f'influx:url={url}', path).expect(1, err='*INFLUX_*')
            check('hush' not in result.err and 'very-secret' not in result.err, result.describe())


# -- Trouble ---------------------------------------------------------------------


@test
def nothing_listens(_folder):
    path = trace(10)
    result = run('run', '-s', f'influx:url=http://127.0.0.1:{free_port()}', path).expect(4, out='')
    for part in (
        'nothing listens',
        'portal.influxdata.com/downloads',
        'systemctl start influxdb',
        'influx setup',
        'csv and parquet need no server',
        'url=',
    ):
        check(part in result.err, f'{part!r} is not said\n{result.describe()}')


def wal_bytes(server):
    total = 0
    for at, _, names in os.walk(os.path.join(server.folder, 'wal')):
        for name in names:
            try:
                total += os.path.getsize(os.path.join(at, name))
            except OSError:
                pass
    return total


def begin_long_run(server, path, *options):
    """nprof, when the server has stored some points, but not all."""
    process = start(
        'run',
        '-v',
        '-s',
        influx(server, 'batch=200', *options),
        path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while wal_bytes(server) < 60000:
        check(process.poll() is None, 'nprof ended before it could be disturbed')
        time.sleep(0.002)
    return process


@test
def server_killed_and_restarted(folder):
    """Nothing lost, nothing doubled."""
    path = trace(15000)
    for connections in (1, 4):
        with Influx(os.path.join(folder, str(connections))) as server:
            process = begin_long_run(server, path, f'connections={connections}')
            server.kill()
            check(process.poll() is None, 'nprof was done before the server was killed')
            server.start()
            result = finish(process).expect(0, err='*does not answer*trying again*')
            check_all(server, path, result)


@test
def server_gone_for_good(folder):
    path = trace(15000)
    with Influx(folder) as server:
        process = begin_long_run(server, path, 'timeout=5', 'spool=64k')
        server.kill()
        finish(process).expect(
            4, err=['*no answer*', '*points of profile*were sent before and stay*force=yes*']
        )
        server.start()
        stored = server.value('SELECT count(duration_ns) FROM events')
        check(0 < stored < 15000, f'{stored} points are there')
        run('run', '-s', influx(server, 'force=yes'), path).expect(0)
        check_same(server.value('SELECT count(duration_ns) FROM events'), 15000, 'points')


@test
def terminated(folder):
    """Rows that were sent stay, and a message says so."""
    path = trace(15000)
    with Influx(folder) as server:
        process = begin_long_run(server, path)
        process.send_signal(signal.SIGTERM)
        finish(process).expect(143, err='*points of profile*were sent before and stay*')


@test
def body_too_large(folder):
    path = trace(5000)
    with Influx(folder, body=20000) as server:
        run('run', '-s', influx(server), path).expect(4, err='*413*lower batch=*')
        check_all(server, path, run('run', '-s', influx(server, 'batch=200'), path).expect(0))


@test
def too_many_series(folder):
    path = trace(5000)
    with Influx(folder, series=100, index='inmem') as server:
        run('run', '-s', influx(server), path).expect(
            4, err='*stored*max-series-per-database*tsi1*'
        )


@test
def field_of_another_type(folder):
    path = trace(100)
    with Influx(folder) as server:
        server.query('CREATE DATABASE nprof')
        server.query('CREATE DATABASE other')
        run('run', '-s', influx(server, 'epoch=2025-01-01T00:00:00Z'), path).expect(0)
        request(server.port, 'POST', '/write?db=other', 'events duration_ns="x" 1000000')
        run('run', '-s', influx(server, 'db=other', 'epoch=1970-01-01T00:00:00Z'), path).expect(
            4, err='*some points were refused*field type conflict*"duration_ns"*another db=*'
        )


@test
def server_disk_full(folder):
    small = os.path.join(folder, 'small')
    os.mkdir(small)
    if subprocess.run(
        ['mount', '-t', 'tmpfs', '-o', 'size=1500k', 'none', small],
        check=False,
        capture_output=True,
    ).returncode:
        raise Skip('no small file system can be mounted here')
    try:
        with Influx(small) as server:
            run('run', '-s', influx(server, 'timeout=3'), trace(30000)).expect(
                4, err="*no space left on device*the server's disk is full*"
            )
    finally:
        subprocess.run(['umount', small], check=False)


if __name__ == '__main__':
    main()
