# SPDX-License-Identifier: Apache-2.0
"""store-owner.py - a store that several nprofs share: what is acknowledged is kept, what nobody
ended goes, a store that can only be read is shown, and what is no plain file in it is refused."""

import concurrent.futures
import contextlib
import fcntl
import glob
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import urllib.parse

from harness import check, check_same, main, run, test
from viewserver import ORDINARY, Server

SAMPLE = os.path.join(os.environ['NPROF_SAMPLES'], 'synthetic_tpu.xplane.pb')


def stored(name='store'):
    store = os.path.abspath(name)
    run('view', '--ingest-only', '-q', '--store', store, SAMPLE).expect(0)
    return store


@test
def nothing_acknowledged_is_lost(_):
    """Two servers and two commands that tag at once; counters by `rev`, which say no to who comes
    late."""
    store, count = stored(), 100 if os.environ.get('NPROF_TEST_ALL') else 10
    acknowledged = []
    with Server('--store', store) as one, Server('--store', store) as two:

        def by_server(server, letter):
            for k in range(count):
                tag = f'{letter}{k}'
                if k >= 20:  # a profile has at most 100 tags
                    server.write(
                        'POST',
                        f'profiles/{ORDINARY}/tags',
                        {'add': [], 'remove': [f'{letter}{k - 20}']},
                    )
                    acknowledged.append('-' + f'{letter}{k - 20}')
                server.write('POST', f'profiles/{ORDINARY}/tags', {'add': [tag], 'remove': []})
                acknowledged.append(tag)

        def by_command(letter):
            for k in range(count):
                for tag in ([f'-{letter}{k - 20}'] if k >= 20 else []) + [f'{letter}{k}']:
                    run('profiles', '--store', store, '--', 'tag', ORDINARY, tag).expect(0)
                    acknowledged.append(tag)

        for server in (one, two):
            server.write(
                'POST', f'profiles/{ORDINARY}/tags', {'add': [], 'remove': []}
            )  # it knows its token now
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for done in [
                pool.submit(by_server, one, 'a'),
                pool.submit(by_server, two, 'b'),
                pool.submit(by_command, 'c'),
                pool.submit(by_command, 'd'),
            ]:
                done.result()
        gone = {tag[1:] for tag in acknowledged if tag[0] == '-'}
        kept = {tag for tag in acknowledged if tag[0] != '-'} - gone
        check_same(set(one.api('profiles')['profiles'][0]['tags']), kept, 'tags')

        def count_up(server):
            path, won = f'p/{ORDINARY}/annotations/z', 0
            for _ in range(count):
                answer = server.ask('GET', '/api/v1/' + path)
                item = answer.json() if answer.status == 200 else {'rev': None, 'data': {'n': 0}}
                body = f'{{"rev":{"null" if item["rev"] is None else item["rev"]},"data":{{"n":{item["data"]["n"] + 1}}}}}'
                headers = {
                    'X-Nprof-Token': server.token,
                    'Origin': f'http://127.0.0.1:{server.port}',
                    'Content-Type': 'application/json',
                }
                status = server.ask(
                    'PUT', '/api/v1/' + path, body=body.encode(), headers=headers
                ).status
                check(status in (200, 409), f'status {status}')
                won += status == 200
            return won

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            won = sum(pool.map(count_up, (one, two, one, two)))
        check_same(
            one.api(f'p/{ORDINARY}/annotations/z')['data']['n'],
            won,
            'the counter, and the writes that were acknowledged',
        )


@test
def pipes_and_links_are_refused(_):
    store = stored()
    folder = os.path.join(store, ORDINARY)
    run('profiles', '--store', store, 'tag', ORDINARY, 'kept').expect(0)
    about = os.path.join(store, 'kept', ORDINARY, 'about.json')
    for path, status in ((os.path.join(folder, 'inputs', '0'), 2), (about, 0)):
        aside = path + '.aside'
        os.rename(path, aside)
        for put in (
            lambda: os.mkfifo(path),
            lambda: os.symlink(aside, path),
            lambda: os.mkdir(path),
        ):
            put()
            run('info', folder).expect(status, err='*plain file*' if status else None)
            run('profiles', '--store', store).expect(0)
            with Server('--store', store) as server:
                check_same(len(server.api('profiles')['profiles']), 1, 'profiles')
            os.rmdir(path) if stat.S_ISDIR(os.lstat(path).st_mode) else os.unlink(path)
        os.rename(aside, path)
    run('info', folder).expect(0)


@test
def a_store_that_can_only_be_read_is_shown(_):
    """A mount of its own, because chmod does not hold root."""
    store = stored()
    with Server('--store', store) as server:
        whole = server.profile('profile').body
    mounted = os.path.abspath('mounted')
    os.mkdir(mounted)
    inside = f'mount --bind {store} {mounted} && mount -o remount,bind,ro {mounted} && exec "$@"'
    words = ['unshare', '-rm', 'sh', '-c', inside, 'sh']
    if subprocess.run(words + ['true'], capture_output=True, check=False).returncode:
        print('# no mounts of its own here: not tried')
        return
    server = subprocess.Popen(
        words + [os.environ['NPROF'], 'view', '--port', '0', '--store', mounted],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    lines = [server.stdout.readline().decode() for _ in range(2)]
    found = re.search(r':(\d+)/', lines[0])
    check(found, f'{lines} {server.stderr.read() if not found else ""}')
    reader = Server.__new__(Server)
    reader.process, reader.port, reader.token, reader.generations, reader.status = (
        server,
        int(found.group(1)),
        None,
        {},
        0,
    )
    with reader:
        check_same(reader.profile('profile').body, whole, 'the profile')
        error = reader.write(
            'POST', f'profiles/{ORDINARY}/tags', {'add': ['x'], 'remove': []}, 507
        )['error']
        check('this machine had no room' in error['text'], f'{error}')
    check('nothing is kept' in reader.err, reader.err)


@test
def few_descriptors_make_no_profile_old(_):
    store = stored()
    first = os.path.join(store, ORDINARY)
    for k in range(40):  # the same profile under other names
        shutil.copytree(first, os.path.join(store, f'n_{k:040x}'))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (26, hard))
    try:
        with Server('--store', store) as server:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            profiles = server.api('profiles?limit=1000')['profiles']
            check_same({p['status'] for p in profiles}, {'ready'}, 'statuses')
            check_same(len(profiles), 41, 'profiles')
            for p in profiles:
                server.get(f'/api/v1/p/{p["bucket"]}/{p["gen"]}/meta')
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def send(server, name, data, last=0):
    headers = {'X-Nprof-Name': urllib.parse.quote(name), 'Content-Type': 'application/octet-stream'}
    return server.write('POST', f'upload?last={last}', data, headers=headers)


def left(store):
    folder = os.path.join(store, 'uploads')
    return os.listdir(folder) if os.path.isdir(folder) else []


@test
def uploads_that_nobody_ended_go(_):
    store = os.path.abspath('store')
    with Server('--store', store) as server:
        send(server, 'a.json', b'{}')
        check(left(store), 'nothing was sent')
        with Server('--store', store):
            check(left(store), 'another server took it away')
        check(left(store), 'another server took it away with itself')
        old = [os.path.join(store, 'uploads', name) for name in left(store)]
        for path in old:
            os.utime(path, (1, 1))
        send(server, 'b.json', b'{}')
        check(not any(os.path.exists(path) for path in old), f'older than a day: {left(store)}')
    check_same(left(store), [], 'after its end')
    server = Server('--store', store, status=-signal.SIGKILL)
    with server:
        send(server, 'a.json', b'{}')
        server.process.kill()
    check(left(store), 'nothing was left')
    with Server('--store', store):
        check_same(left(store), [], 'at the next start')


@test
def a_server_ends_whatever_it_waits_for(_):
    """A11: a question waits for the lock of the store, ten seconds at most; the server ends before
    that, with status 0."""
    store = stored()
    with Server('--store', store) as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
        path = f'profiles/{ORDINARY}/tags'
        server.write('POST', path, {'add': [], 'remove': []})  # now there is a lock
        with open(os.path.join(store, 'kept', '.lock'), 'rb') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            asked = pool.submit(server.write, 'POST', path, {'add': ['a'], 'remove': []})
            while '.lock' not in files_of(server):
                pass  # until the question waits
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(timeout=60)
            check(asked.exception(), 'the question was answered')


def files_of(server):
    names = []
    for fd in glob.glob(f'/proc/{server.process.pid}/fd/*'):
        with contextlib.suppress(OSError):
            names.append(os.path.basename(os.readlink(fd)))
    return names


@test
def names_stay_as_they_are(_):
    data = open(SAMPLE, 'rb').read()
    for name, expected in (
        ('训练.xplane.pb', '训练.xplane.pb'),
        ('café run 1.xplane.pb', 'café run 1.xplane.pb'),
        ('../../x/..', '%2E%2E'),
        ('a\nb.pb', 'a%0Ab.pb'),
        ('<b>&"\'.pb', '<b>&"\'.pb'),
        ('é' * 300 + '.pb', 'é' * 98 + '.pb'),
    ):
        store = os.path.abspath('store-' + str(abs(hash(name))))
        with Server('--store', store) as server:
            profile = send(server, name, data, 1)['profile']
            server.generation(profile)
            check_same(server.api(f'p/{profile}')['profile']['name'], expected, 'the name')


main()
