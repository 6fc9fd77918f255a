# SPDX-License-Identifier: Apache-2.0
"""influx-v2.py - the sink influx and the interface of InfluxDB 2: a stub that answers as the
documentation says, and VictoriaMetrics behind a token, the only real server with that route
here."""

import json
import os
import socket
import subprocess
import threading

from servers import Fault, Stub, Victoria, Vmauth, request, trace
from harness import check, check_same, finish, main, read, rows_of, run, sample, start, test, write

WRITE = '/api/v2/write'


def send(stub, path, *options, token='t0ken', verbose=False):
    env = {'INFLUX_TOKEN': token} if token else {}
    return run(
        'run',
        *(['-v'] if verbose else []),
        '-s',
        'influx:' + ','.join([f'url={stub.url}', *options]),
        path,
        env=env,
    )


def events(stub):
    return {k: v for k, v in stub.points.items() if k[0] == 'events'}


def error(status, code, message, **headers):
    return Fault(status, json.dumps({'code': code, 'message': message}), headers)


@test
def all_that_is_needed(_folder):
    """The only organisation, a bucket that is made, points, their count."""
    with Stub(buckets=()) as stub:
        result = send(stub, sample()).expect(
            0, out='', err='*is ready: 271 points in bucket nprof at*'
        )
        check_same(stub.buckets, {'nprof'}, 'buckets')
        run('run', '-s', 'csv', '-o', 'csv', sample()).expect(0)
        check_same(len(events(stub)), len(rows_of(read('csv/events.csv'))), 'events')
        check('t0ken' not in result.err, result.describe())
        send(stub, sample()).expect(4, err='*exists already*force=yes*')
        send(stub, sample(), 'force=yes').expect(0, err='*is ready*')
        check_same(
            len(events(stub)), len(rows_of(read('csv/events.csv'))), 'events after force=yes'
        )
        for _, path, query, headers, wire in stub.requests:
            check('t0ken' not in json.dumps(query), f'token in the url of {path}')
            if path == WRITE:
                check_same(
                    query, {'org': 'me', 'bucket': 'nprof', 'precision': 'ns'}, 'query of a write'
                )
                check_same(headers.get('Content-Encoding'), 'gzip', 'encoding')
                check(wire <= 1000000, f'{wire} bytes on the wire')


@test
def a_bucket_is_made_that_a_404_names(_folder):
    """A server may answer so in place of an empty list; of another 404 no bucket is made."""
    for said, status in (('bucket "nprof" not found', 0), ('organization "me" not found', 4)):
        with Stub(buckets=()) as stub:
            stub.faults['/api/v2/buckets'] = [error(404, 'not found', said)]
            send(stub, sample()).expect(status, err='*is ready*' if status == 0 else f'*{said}*')
            check_same(stub.buckets, set() if status else {'nprof'}, 'buckets')


@test
def options(_folder):
    with Stub(orgs=('me', 'you'), buckets=('b',)) as stub:
        send(stub, sample()).expect(4, err='*several organisations*org=*')
        send(stub, sample(), 'org=they').expect(4, err='*org*not found*check org=*')
        send(stub, sample(), 'org=you', 'bucket=b', 'gzip=no', 'precision=us').expect(0)
        query = [q for _, p, q, _, _ in stub.requests if p == WRITE][-1]
        check_same(query, {'org': 'you', 'bucket': 'b', 'precision': 'us'}, 'query of a write')
        send(stub, sample(), 'db=b', 'bucket=b').expect(1, err='*two names for one thing*')
        write('token', 't0ken\n')
        send(
            stub, sample(), 'org=you', 'bucket=b', 'token_file=token', 'force=yes', token='wrong'
        ).expect(0)
    with Stub(version=None) as stub:  # older ones tell their version only in /health
        send(stub, sample()).expect(0)


@test
def options_that_do_not_fit_are_named(_folder):
    write('password', 'hush\n')
    with Stub() as stub:
        send(stub, sample(), 'user=me', 'password_file=password').expect(
            0, err=['*user= is not used: * is InfluxDB 2', '*password_file= is not used*']
        )
        check(
            'not used' not in send(stub, sample(), 'org=me', 'force=yes').err,
            'a warning of what is used',
        )
    # nobody listens there: what is said comes before the server is asked
    for host, local in (
        ('127.0.0.1', True),
        ('localhost', True),
        ('127.invalid', False),
        ('localhost.invalid', False),
    ):
        result = run(
            'run', '-s', f'influx:url=http://{host}:1', sample(), env={'INFLUX_TOKEN': 't0ken'}
        ).expect(4)
        check_same('is not encrypted' in result.err, not local, f'warning for {host}')


@test
def refusals(_folder):
    """Each is passed on with what mends it, and nothing is tried again."""
    cases = [
        (
            error(401, 'unauthorized', 'unauthorized access'),
            '*401: unauthorized access*INFLUX_TOKEN*',
        ),
        (
            error(403, 'forbidden', 'insufficient permissions'),
            '*403: insufficient permissions*right*',
        ),
        (
            error(404, 'not found', 'bucket "nprof" not found'),
            '*404: bucket "nprof" not found*bucket=*',
        ),
        (error(413, 'request too large', 'cannot read data'), '*413: cannot read data*batch=*'),
        (
            error(
                422,
                'unprocessable entity',
                'failure writing points to database: partial write: points '
                'beyond retention policy dropped=7',
            ),
            '*422: some points were refused*dropped=7*epoch=*',
        ),
        (
            error(400, 'invalid', "unable to parse 'x': missing fields"),
            "*400: unable to parse 'x'*",
        ),
        (
            error(
                500,
                'internal error',
                'unexpected error writing points to database: [shard 10677] open '
                '/x/MANIFEST: too many open files',
            ),
            '*too many open files*delete*buckets*limit*nofile*',
        ),
        (
            Fault(302, '', {'Location': 'http://127.0.0.1:1/elsewhere'}),
            '*redirects to*not followed*url=*',
        ),
    ]
    for fault, expected in cases:
        with Stub() as stub:
            stub.faults[WRITE] = [fault] * 9
            send(stub, sample()).expect(4, err=expected)
            check_same(len(stub.faults[WRITE]), 8, 'requests that were not needed')
    with Stub() as stub:
        send(stub, sample(), token='wrong').expect(4, err='*401*unauthorized access*INFLUX_TOKEN*')
        send(stub, sample(), token=None).expect(4, err='*401*unauthorized access*INFLUX_TOKEN*')
        check_same(stub.points, {}, 'points')


@test
def another_try(_folder):
    """429, 503 and a connection that breaks: sent again, and nothing twice. (When it breaks before
    an answer begins, libcurl itself tries once more.) influx-connections.py has it over several."""
    path = trace(3000)
    with Stub() as stub:
        stub.faults[WRITE] = [
            Fault(503),
            Fault(0, hang_up=True),
            Fault(0, hang_up=True),
            error(429, 'too many requests', 'slow down'),
            Fault(500),
        ]
        send(stub, path, 'batch=1000', 'connections=1', verbose=True).expect(
            0,
            err=[
                '*answers 503*trying again in 0.1 s*',
                '*does not answer*',
                '*slow down*',
                '*is ready*',
            ],
        )
        check_same(len(events(stub)), 3000, 'events')


@test
def server_asks_for_patience(_folder):
    with Stub() as stub:
        stub.faults[WRITE] = [error(429, 'too many requests', 'later', **{'Retry-After': '1'})]
        send(stub, sample(), verbose=True).expect(0, err='*429*trying again in 1.0 s*')
        stub.faults[WRITE] = [
            error(429, 'too many requests', 'much later', **{'Retry-After': '3600'})
        ]
        send(stub, sample(), 'force=yes', 'timeout=2').expect(4, err='*429: much later*timeout=*')


@test
def what_is_lost_is_noticed(_folder):
    with Stub() as stub:
        stub.lose = 3
        send(stub, sample()).expect(
            4, err='*values of * were sent, * are there: not all of profile*'
        )


@test
def strange_servers(_folder):
    with Stub(version='relay') as stub:
        stub.faults['/health'] = [Fault(200, 'OK')]
        send(stub, sample()).expect(4, err='*does not say that it is InfluxDB*api=1 or api=2*')
        stub.faults['/ping'] = [Fault(301, '', {'Location': 'https://127.0.0.1:1/'})]
        send(stub, sample()).expect(4, err='*redirects to https://127.0.0.1:1/*')
        for text in (
            '[' * 500000,
            '\0\xff{"orgs":[7]}',
            '{"orgs":[{"id":1,"name":{}}]}',
            'x' * 3000000,
        ):
            stub.faults['/api/v2/orgs'] = [Fault(200, text)]
            result = send(stub, sample(), 'api=2').expect(4)
            check(len(result.err) < 3000, f'{len(result.err)} bytes are said')
        stub.faults[WRITE] = [Fault(400, 'y' * 3000000)]
        result = send(stub, sample(), 'api=2').expect(4, err='*bytes more*')
        stub.faults[WRITE] = [Fault(400, 'you sent t0ken \x1b[31m')]
        result = send(stub, sample(), 'api=2', 'force=yes').expect(
            4, err='*you sent [*][*][*][*][*] *'
        )
    with socket.socket() as listener:  # one that hangs up on everybody
        listener.bind(('127.0.0.1', 0))
        listener.listen()
        port = listener.getsockname()[1]

        def hang_up():
            try:
                while True:
                    listener.accept()[0].close()
            except OSError:
                pass

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        run('run', '-s', f'influx:url=http://127.0.0.1:{port}', sample()).expect(
            4, err='*no answer*'
        )
        run('run', '-s', f'influx:url=https://127.0.0.1:{port}', sample()).expect(
            4, err='*no answer*'
        )
        listener.shutdown(socket.SHUT_RDWR)


@test
def empty_texts(_folder):
    """Tags without a value are left out: no server takes them."""
    path = write(
        't.json', '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"","cat":""}]}'
    )
    with Stub() as stub:
        send(stub, path).expect(0)
        [(_, tags, _)] = events(stub)
        check('name' not in dict(tags) and 'category' not in dict(tags), f'tags: {tags}')


@test
def no_proxy(_folder):
    with Stub() as stub:
        env = {
            'INFLUX_TOKEN': 't0ken',
            'http_proxy': 'http://127.0.0.1:1',
            'ALL_PROXY': 'http://127.0.0.1:1',
        }
        run('run', '-s', f'influx:url={stub.url}', sample(), env=env).expect(0)


@test
def interrupted_while_the_server_is_away(_folder):
    """A run that waits ends at once when it is told to."""
    with Stub() as stub:
        stub.faults[WRITE] = [Fault(503)] * 1000
        process = start(
            'run',
            '-v',
            '-s',
            f'influx:url={stub.url}',
            sample(),
            env={'INFLUX_TOKEN': 't0ken'},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while b'trying again' not in process.stderr.readline():
            check(process.poll() is None, 'nprof ended')
        process.terminate()
        finish(process).expect(143)
        check_same(stub.points, {}, 'points')


@test
def victoria_metrics(folder):
    """The route of InfluxDB 2 of a real server.  It keeps times in ms and knows no buckets; points
    with a backslash before a space it drops without a word."""
    path = trace(3000, without=('end\\ ',))
    with Victoria(folder) as server, Vmauth(folder, server.port, 'tok123') as front:
        send(front, path, token=None).expect(4, err='*api=1 or api=2*')
        result = send(
            front,
            path,
            'api=2',
            'org=o',
            'precision=ms',
            'epoch=2025-01-01T00:00:00Z',
            token='tok123',
        )
        result.expect(0, err=['*not checked*', '*is ready*'])
        request(server.port, 'GET', '/internal/force_flush')
        _, text = request(server.port, 'GET', '/api/v1/export?match[]=events_duration_ns')
        values = [v for line in text.splitlines() for v in json.loads(line)['values']]
        check_same(len(values), 3000, 'values')
        expected = sum(float(r['duration_ns']) for r in spans(path))
        check(abs(sum(values) - expected) < 1e-6 * expected, f'{sum(values)}, expected {expected}')
        send(front, path, 'api=2', 'org=o', token='wrong').expect(4)


def spans(path):
    run('run', '-s', 'csv', '-o', 'csv', path).expect(0)
    return [r for r in rows_of(read(os.path.join('csv', 'events.csv'))) if r['duration_ns']]


if __name__ == '__main__':
    main()
