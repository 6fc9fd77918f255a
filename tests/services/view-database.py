# SPDX-License-Identifier: Apache-2.0
"""view-database.py - nprof view and nprof profiles with a database beside the store: a real
InfluxDB 1.x, and none."""

import os
import re

from servers import Fault, Influx, Stub, free_port
from harness import check, check_same, main, run, sample, test, write
from viewserver import Server

NAME = 'n_2fd60bd0fdc8bc51ea50f802404b741288926eb1'
STORE = os.path.join('data-home', 'nprof', 'profiles')


def databases(server):
    return {v[0] for s in server.query('SHOW DATABASES') for v in s.get('values', [])}


@test
def stored_and_in_the_database(folder):
    with Influx(folder) as server:
        result = run('view', '--ingest-only', '--db-endpoint', server.url, sample()).expect(0)
        check(f'Profile "{NAME}" is ready to view\n' in result.out, result.describe())
        check(NAME in databases(server), f'{databases(server)}')
        count = server.value('SELECT count(duration_ns) FROM events', NAME)
        check(count > 100, f'{count} points')
        run('view', '--ingest-only', '--db-endpoint', server.url, sample()).expect(
            0
        )  # it stays as it is
        check_same(server.value('SELECT count(duration_ns) FROM events', NAME), count, 'points')
        run('view', '--ingest-only', '--force', '--db-endpoint', server.url, sample()).expect(0)
        check_same(
            server.value('SELECT count(duration_ns) FROM events', NAME),
            count,
            'points after --force',
        )
        run('profiles', 'rm', NAME[:9], '--db-endpoint', server.url).expect(
            0, out=f'removed {NAME}, *'
        )
        check(NAME not in databases(server), f'{databases(server)}')
        check(not os.path.exists(os.path.join(STORE, NAME)), 'the store stayed')


@test
def from_the_store_alone(folder):
    """What is stored goes to the database, also when its file is gone; without a time of its own it
    is of when that was changed."""
    write('t.json', '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"}]}')
    os.utime('t.json', ns=(0, 1700000000123456789))
    with Influx(folder) as server:
        name = re.search(
            'n_[0-9a-f]{40}', run('view', '--ingest-only', 't.json').expect(0).out
        ).group(0)
        os.remove('t.json')
        run('view', '--ingest-only', '--db-endpoint', server.url, name).expect(
            0, err='*last changed*epoch=mtime*'
        )
        [found] = server.query('SELECT duration_ns FROM events GROUP BY epoch, input', name)
        check_same(
            (found['tags'], found['values']),
            ({'epoch': 'mtime', 'input': 't.json'}, [[1700000000000000000, 1000]]),
            'point',
        )


@test
def deleted_from_the_page(folder):
    """The answers are of both, or of neither."""
    with Influx(folder) as influx:
        with Server('--db-endpoint', influx.url, sample()) as server:
            server.generation()
            while NAME not in databases(influx):
                pass
            while (
                deleted := server.write(
                    'POST', 'profiles/delete', {'profiles': [NAME], 'database': True}
                )
            )['kept']:
                check('being read' in deleted['kept'][0]['text'], f'{deleted}')
            check_same(deleted['deleted'], [NAME], f'{deleted}')
            check(deleted['bytes'] > 0, f'{deleted}')
            check(
                NAME not in databases(influx) and not os.path.exists(os.path.join(STORE, NAME)),
                'gone',
            )
    run('view', '--ingest-only', sample()).expect(0)
    with Server('--db-endpoint', f'http://127.0.0.1:{free_port()}', NAME[:9]) as server:
        deleted = server.write('POST', 'profiles/delete', {'profiles': [NAME], 'database': True})
        check('nobody answers' in deleted['kept'][0]['text'], f'{deleted}')
        check(os.path.isdir(os.path.join(STORE, NAME)), 'it was removed from the store alone')


@test
def no_database(folder):
    """The store is kept; what the guide says is printed."""
    url = f'http://127.0.0.1:{free_port()}'
    env = {'PATH': folder}
    result = run('view', '--ingest-only', '--db-endpoint', url, sample(), env=env).expect(4)
    check(
        '\nERRO[0001] To install influxdb, go to https://portal.influxdata.com/downloads/ and follow the instructions there\n'
        'influxdb not setup correctly: exec: "influx": executable file not found in $PATH\n'
        in result.err,
        result.describe(),
    )
    check(os.path.isdir(os.path.join(STORE, NAME)), 'the store was not kept')
    with open('influx', 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\nexit 1\n')
    os.chmod('influx', 0o755)
    result = run('view', '--ingest-only', '--db-endpoint', url, sample(), env=env).expect(4)
    check(
        f'\nERRO[0000]{46 * " "}\n'
        'influxdb token not setup correctly: exit status 1\n'
        'Try executing "systemctl start influxdb" and "influx setup"\n' in result.err,
        result.describe(),
    )
    run('profiles', 'rm', NAME[:9], '--db-endpoint', url).expect(4, err='*nobody answers*')
    check(os.path.isdir(os.path.join(STORE, NAME)), 'it was removed from the store alone')
    run('profiles', 'rm', NAME[:9], '--db-endpoint', 'ftp://x').expect(1, err='*expected http*')


@test
def stored_in_influxdb_2(_folder):
    """A18: points in the bucket of the profile's id, of the organisation, by the token; a wrong one
    is told and writes nothing."""
    with Stub(buckets=()) as stub:
        words = ('view', '--ingest-only', '--db-endpoint', stub.url, '--db-org', 'me', sample())
        run(*words, env={'INFLUX_TOKEN': 'wrong'}).expect(
            4, err='*influxdb token not setup correctly*'
        )
        check_same(stub.buckets, set(), 'buckets')
        run(*words, env={'INFLUX_TOKEN': 't0ken'}).expect(0)
        check_same(stub.buckets, {NAME}, 'buckets')
        check_same(
            {
                query.get('org')
                for command, path, query, _, _ in stub.requests
                if path == '/api/v2/write'
            },
            {'me'},
            'organisation',
        )
        check_same(
            {name for _, tags, _ in stub.points for name in re.findall(r'\bn_\w+', str(tags))},
            {NAME},
            'one id of the profile',
        )
        with Server(NAME[:9]) as server:
            rows = server.profile('meta').json()['rows']
        check_same(
            sum(measurement == 'events' for measurement, _, _ in stub.points),
            rows,
            'points of rows',
        )
        run(
            'profiles',
            'rm',
            NAME[:9],
            '--db-endpoint',
            stub.url,
            '--db-org',
            'me',
            env={'INFLUX_TOKEN': 't0ken'},
        ).expect(0, out=f'removed {NAME}, *')
        check_same(stub.buckets, set(), 'A45: the bucket goes with the profile')


@test
def a_server_out_of_descriptors(_folder):
    """Both remedies of the guide are named, and the store is kept."""
    with Stub(buckets=()) as stub:
        stub.faults['/api/v2/write'] = [
            Fault(
                500,
                '{"code": "internal error", "message": "open /x/MANIFEST: too many open files"}',
            )
        ]
        result = run(
            'view',
            '--ingest-only',
            '--db-endpoint',
            stub.url,
            '--db-org',
            'me',
            sample(),
            env={'INFLUX_TOKEN': 't0ken'},
        ).expect(4, err='*too many open files*')
        check(
            'Delete unused profiles with nprof profiles rm NAME --db-endpoint URL' in result.err
            and 'nofile 1048576, fs.file-max 197341270, vm.max_map_count 1048576' in result.err,
            result.describe(),
        )
        check(os.path.isdir(os.path.join(STORE, NAME)), 'the store was not kept')


if __name__ == '__main__':
    main()
