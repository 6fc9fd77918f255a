# SPDX-License-Identifier: Apache-2.0
"""view-folders.py - which files of a folder are one profile of nprof view, and what is read of
each."""

import json
import os
import re
import shutil

from harness import check_same, main, read, run, sample, test, write
from samples import MAKERS
from viewserver import ORDINARY, Server

SECOND = 'node-workload.trace.json'


def ready(result):
    return re.findall('Profile "(n_[0-9a-f]{40})" is ready to view\n', result.expect(0).out)


def trace(rank=None, ranks=2, start=0):
    head = (
        {}
        if rank is None
        else {'distributedInfo': {'backend': 'nccl', 'rank': rank, 'world_size': ranks}}
    )
    return json.dumps(
        head
        | {
            'schemaVersion': 1,
            'traceEvents': [
                {'name': f'r{rank}', 'ph': 'X', 'ts': start + i, 'dur': 1, 'pid': 1, 'tid': 1}
                for i in range(5)
            ],
        }
    )


@test
def several_inputs_in_a_store_of_ones_own(_):
    """What other commands say of a profile is of all its inputs, wherever its store lies."""
    write('a.json', trace())
    write('b.json', trace(start=1000))
    (name,) = ready(run('view', '--ingest-only', '--store', 'own', 'a.json', 'b.json'))
    both = run('run', '-s', 'csv:table=events', '-o', '-', 'a.json', 'b.json').expect(0).out
    check_same(both.count('\n'), 11, 'rows of both')
    check_same(
        run('run', '-s', 'csv:table=events', '-o', '-', os.path.join('own', name, ''))
        .expect(0)
        .out,
        both,
        'by the folder of the profile',
    )
    with Server('--store', 'own') as server:
        got = server.get(f'/api/v1/p/{name}/{server.generation(name)}/export?format=csv&what=rows')
        check_same(got.body.decode(), both, 'export')
        rows = server.get(f'/api/v1/compare?a={name}&b={name}').json()['rows']
        names = [c['name'] for c in rows['columns']]
        check_same(sum(r[names.index('calls_a')] for r in rows['rows']), 10, 'calls of both')


@test
def runs_of_tensorboard(_):
    for name in ('2024_01_02_03_04_05', '2024_01_02_03_04_06'):
        os.makedirs(f'logs/train/plugins/profile/{name}')
        shutil.copy(sample(), f'logs/train/plugins/profile/{name}/host0.xplane.pb')
    data = read(sample())
    write('logs/train/plugins/profile/2024_01_02_03_04_06/host0.xplane.pb', data + data[:0])
    write('logs/train/plugins/profile/2024_01_02_03_04_06/host1.xplane.pb', data)
    write('logs/train/events.out.tfevents.1', b'not a profile')
    with Server('logs') as server:
        check_same(
            server.lines[0], f'View a list of profiles at http://localhost:{server.port}/\n', 'line'
        )
        while {p['status'] for p in server.api('profiles')['profiles']} != {'ready'}:
            pass
        found = server.api('profiles')['profiles']
        inputs = {p['name']: [i['label'] for i in p['inputs']] for p in found}
        check_same(
            inputs,
            {
                '2024_01_02_03_04_05': ['host0.xplane.pb'],
                '2024_01_02_03_04_06': ['host0.xplane.pb', 'host1.xplane.pb'],
            },
            'runs',
        )


@test
def other_files_are_their_own(_):
    os.mkdir('d')
    shutil.copy(sample(), 'd/a.xplane.pb')
    shutil.copy(sample(SECOND), 'd/b.json')
    write('d/readme.txt', b'nothing')
    names = ready(run('view', '--ingest-only', 'd'))
    check_same(names[0], ORDINARY, 'the first')
    check_same(len(names), 2, 'profiles')


@test
def ranks_of_a_job(_):
    os.mkdir('d')
    for rank in range(3):
        write(f'd/rank{rank}.json', trace(rank, 3, rank))
    write('d/again.json', trace(1, 3, 50))  # a second run of a rank is of another job
    write('d/single.json', trace(None))
    names = ready(run('view', '--ingest-only', 'd'))
    check_same(len(names), 3, 'profiles')
    with Server() as server:
        inputs = sorted(
            [i['label'] for i in p['inputs']] for p in server.api('profiles')['profiles']
        )
    check_same([len(i) for i in inputs], [3, 1, 1], f'{inputs}')


@test
def a_store_among_the_files(_):
    """Profiles that are stored in the folder of their files, or below it, are no inputs of it."""
    os.makedirs('d/below')
    for rank in range(3):
        write(f'd/rank{rank}.json', trace(rank, 3, rank))
    alone = run('report', '-q', '--full', '--format', 'json', 'd').expect(0).out
    for store in 'd', 'd/below/own':
        (name,) = ready(run('view', '--ingest-only', '--store', store, 'd'))
        check_same(ready(run('view', '--ingest-only', '--store', store, 'd')), [name], 'once more')
        check_same(
            ready(run('view', '--ingest-only', '--store', store, '--force', 'd')),
            [name],
            'read again',
        )
        check_same([n for n in os.listdir(store) if n.startswith('n_')], [name], 'profiles')
        check_same(
            run('report', '-q', '--full', '--format', 'json', 'd').expect(0).out,
            alone,
            'the report of the folder',
        )
        # Each is an input when it is named; a folder of nothing else says so.
        check_same(
            json.loads(
                run('report', '-q', '--full', '--format', 'json', f'{store}/{name}').expect(0).out
            )['tables'],
            json.loads(alone)['tables'],
            'the stored profile',
        )
    run('report', 'd/below').expect(
        2, err='*d/below: skipped 1 stored profile: name one to read it*'
    )


@test
def neff_with_ntff(_):
    """Both are one profile, the NEFF first, however they are named."""
    neff, ntff = MAKERS['neff']()[0], MAKERS['ntff']()[0]
    one = ready(run('view', '--ingest-only', '-n', neff, '-s', ntff))
    check_same(
        ready(run('view', '--ingest-only', '--neff-path', neff, '--session-file', ntff)),
        one,
        'long options',
    )
    os.makedirs('d')
    shutil.copy(neff, 'd/' + os.path.basename(neff))
    shutil.copy(ntff, 'd/' + os.path.basename(ntff))
    check_same(ready(run('view', '--ingest-only', 'd')), one, 'of a folder')


@test
def a_file_that_fails_hides_no_other(_):
    os.mkdir('d')
    shutil.copy(sample(), 'd/a.xplane.pb')
    write('d/b.xplane.pb', read(sample())[:9000])
    result = run('view', '--ingest-only', 'd')
    check_same(re.findall('n_[0-9a-f]{40}', result.out), [ORDINARY], 'what is ready')
    result.expect(2, err='*b.xplane.pb*')


@test
def an_empty_folder(_):
    os.mkdir('d')
    run('view', '--ingest-only', 'd').expect(2, err='*d*')


if __name__ == '__main__':
    main()
