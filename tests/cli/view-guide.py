# SPDX-License-Identifier: Apache-2.0
"""view-guide.py - what the vendor's guide says of `neuron-profile view`, row by row, through real
HTTP. docs/testing.md has the rows and the tests of the others."""

import os
import re
import signal
import socket
import subprocess

from harness import check, check_same, free_port, main, run, sample, start, test
from samples import MAKERS
from viewserver import ORDINARY, Server, page_token


def taken(port):
    """Does somebody listen there?"""
    with socket.socket() as s:
        return s.connect_ex(('127.0.0.1', port)) == 0


def neuron():
    return os.path.abspath(MAKERS['neff']()[0]), os.path.abspath(MAKERS['ntff']()[0])


@test
def neff_with_ntff_is_one_profile(_):
    """A6, A7, A11, A19: both are inputs of it, and the run knows the names of the model."""
    neff, ntff = neuron()
    names = []
    for words in (('-n', neff, '-s', ntff), ('--neff-path', neff, '--session-file', ntff)):
        with Server(*words) as server:
            found = re.fullmatch(
                rf'View profile at http://localhost:{server.port}/profile/(n_[0-9a-f]{{40}})\n',
                server.lines[0],
            )
            check(found and server.lines[1] == 'ctrl-c to exit\n', f'{server.lines}')
            names.append(found.group(1))
            profile = server.profile('profile', names[-1]).json()
            page = server.get(f'/profile/{names[-1]}')
            check(
                page.headers['content-type'].startswith('text/html')
                and page_token(page.body.decode()),
                'the page of the profile',
            )
        check_same(
            [os.path.basename(i['label']) for i in profile['inputs']],
            [os.path.basename(neff), os.path.basename(ntff)],
            'inputs',
        )
        check_same(
            profile['inputs'][1]['properties'].get('neff'),
            os.path.basename(neff),
            'the NEFF that the NTFF was read with',
        )
        check(
            {'tensors', 'dma_tensors'} <= {t['name'] for t in profile['tables'] if t['rows']},
            f'{profile["tables"]}'[:300],
        )
    check_same(names[0], names[1], 'long options')
    with Server('-s', ntff) as server:
        alone = server.lines[0].rsplit('/', 1)[1].strip()
        profile = server.profile('profile', alone).json()
    check(
        alone != names[0] and 'neff' not in profile['inputs'][0]['properties'],
        f'{alone}: {profile["inputs"]}',
    )


@test
def the_line_has_the_address(_):
    """A7 as the guide prints it, on all addresses."""
    with Server('--address', '0.0.0.0', sample()) as server:
        check_same(
            server.lines,
            [
                f'View profile at http://0.0.0.0:{server.port}/profile/{ORDINARY}\n',
                'ctrl-c to exit\n',
            ],
            'lines',
        )
        check_same(server.profile('profile').json()['bucket'], ORDINARY, 'A11: the id of the line')


@test
def without_arguments_a_list(_):
    """A8"""
    run('view', '--ingest-only', sample()).expect(0)
    with Server() as server:
        check_same(
            server.lines,
            [f'View a list of profiles at http://localhost:{server.port}/\n', 'ctrl-c to exit\n'],
            'lines',
        )
        page = server.get('/')
        check(
            page.headers['content-type'].startswith('text/html') and page_token(page.body.decode()),
            'the page',
        )
        check_same(
            [p['bucket'] for p in server.api('profiles')['profiles']], [ORDINARY], 'the list'
        )


@test
def ingest_only_serves_nobody(_):
    """A9, A10: it ends, listens nowhere, and who serves the store has the profile at once."""
    with Server() as server:
        port = free_port()
        check_same(
            run('view', '--ingest-only', '--port', str(port), sample()).expect(0).out,
            f'Profile "{ORDINARY}" is ready to view\n',
            'stdout',
        )
        check(not taken(port), 'somebody listens')
        check_same(
            [(p['bucket'], p['status']) for p in server.api('profiles')['profiles']],
            [(ORDINARY, 'ready')],
            'the list of the other',
        )
        check_same(server.profile('meta').json()['rows'] > 0, True, 'rows')


@test
def ports_that_are_not_said(_):
    """A14: 3001, or it is taken and the error names it. A12, A13: --db-org alone means the InfluxDB
    of this machine."""
    process = start('view', '--store', 'elsewhere', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = process.stdout.readline().decode()
    process.send_signal(signal.SIGINT)
    said = line or process.communicate(timeout=60)[1].decode()
    process.wait()
    check(
        said == 'View a list of profiles at http://localhost:3001/\n'
        or '--port 3001: another program has this port' in said,
        said,
    )
    if not taken(8086):
        asked = run(
            'view', '--ingest-only', '--db-org', 'me', sample(), env={'INFLUX_TOKEN': 't'}
        ).expect(4)
        check('localhost:8086' in asked.err, asked.err)


@test
def only_force_overwrites(_):
    """A15"""
    run('view', '--ingest-only', sample()).expect(0)
    with Server() as server:
        first = server.generation()
        run('view', '--ingest-only', sample()).expect(0)
        check_same(server.api(f'p/{ORDINARY}')['gen'], first, 'it was read again')
        run('view', '--ingest-only', '--force', sample()).expect(0)
        check(server.api(f'p/{ORDINARY}')['gen'] != first, '--force did not read it again')
        check_same(len(server.api('profiles')['profiles']), 1, 'profiles')


@test
def ctrl_c_ends_it(_):
    """A16: status 0, and the place is free for the next."""
    place = ('--port', str(free_port()))
    with Server(*place, sample()) as server:
        server.generation()
        server.process.send_signal(signal.SIGINT)
        server.process.wait(timeout=60)
    check(not taken(server.port), 'somebody listens')
    with Server(*place) as again:
        check_same(again.port, server.port, 'port')
        check_same(
            [p['status'] for p in again.api('profiles')['profiles']], ['ready'], 'what was stored'
        )


if __name__ == '__main__':
    main()
