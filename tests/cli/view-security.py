# SPDX-License-Identifier: Apache-2.0
"""view-security.py - what nprof view promises to keep out: other users, other sites, other paths,
and clients that ask too much of it."""

import contextlib
import gzip
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys

from harness import (
    Skip,
    add_test,
    check,
    check_same,
    free_port,
    index_text,
    main,
    read,
    run,
    sample,
    test,
    write,
)
from viewserver import ORDINARY, Server

STORE = os.path.join('data-home', 'nprof', 'profiles')


def speak(server, data, host='127.0.0.1'):
    """Sends bytes as they are; all that comes back until the server closes or is silent."""
    with socket.create_connection((host, server.port), timeout=30) as connection:
        connection.sendall(data)
        answer = b''
        while piece := connection.recv(65536):
            answer += piece
            head, _, body = answer.partition(b'\r\n\r\n')
            length = [
                line for line in head.lower().split(b'\r\n') if line.startswith(b'content-length:')
            ]
            if length and len(body) >= int(length[0].split(b':')[1]):
                break
        return answer


def status_of(answer):
    return int(answer.split(b' ')[1]) if answer.startswith(b'HTTP/1.') else 0


def get_as(user, port, host):
    """The status that a client of another user is answered with, 0: none; bash opens the connection
    itself."""
    script = (
        f'exec 3<>/dev/tcp/{host}/{port} && printf "GET /api/v1/server HTTP/1.1\\r\\nHost: localhost\\r\\n'
        'Connection: close\\r\\n\\r\\n" >&3 && head -n 1 <&3'
    )
    done = subprocess.run(
        [
            'setpriv',
            f'--reuid={user}',
            f'--regid={user}',
            '--clear-groups',
            '/bin/bash',
            '-c',
            script,
        ],
        capture_output=True,
        check=False,
        cwd='/',
    )
    check(done.stdout.startswith(b'HTTP/1.1 ') or not done.stdout, f'{done}')
    return status_of(done.stdout)


@test
def other_users_of_this_machine(_):
    if os.geteuid() or not shutil.which('setpriv'):
        raise Skip('only root can become another user')
    with Server() as server:
        for host in (
            ('127.0.0.1', '::1')
            if socket.has_ipv6 and os.path.exists('/proc/net/if_inet6')
            else ('127.0.0.1',)
        ):
            check_same(get_as(65534, server.port, host), 0, f'another user at {host}')
            check_same(get_as(0, server.port, host), 200, f'root at {host}')
    check_same(
        server.err.count('connections of other users of this machine are closed'), 1, server.err
    )
    with Server('--any-user') as server:
        check_same(get_as(65534, server.port, '127.0.0.1'), 200, 'another user, who may')


HALF = '''
import socket, sys
held = []
for _ in range(int(sys.argv[2])):
    held.append(socket.create_connection(('127.0.0.1', int(sys.argv[1]))))
    held[-1].sendall(b'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n')
print('held', flush=True)
sys.stdin.read()
'''


@contextlib.contextmanager
def half_requests_of_another_user(server, count):
    words = [
        'setpriv',
        '--reuid=65534',
        '--regid=65534',
        '--clear-groups',
        sys.executable,
        '-c',
        HALF,
        str(server.port),
        str(count),
    ]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd='/') as process:
        check_same(process.stdout.readline(), b'held\n', 'connections')
        yield
        process.stdin.close()


@test
def others_do_not_take_the_places_of_the_owner(_):
    """A3: 200 connections of another user hang in the middle of a head, as those of a browser do
    beside them."""
    if os.geteuid() or not shutil.which('setpriv'):
        raise Skip('only root can become another user')
    for options in ((), ('--any-user',)):
        with Server(*options) as server, half_requests_of_another_user(server, 200):
            for _ in range(50):
                server.get('/api/v1/server')


@test
def who_has_gone_is_no_other_user(_):
    with Server() as server:
        for _ in range(50):
            socket.create_connection(('127.0.0.1', server.port)).close()
        server.get('/api/v1/server')
    check_same(server.err, '', 'what it said')


@test
def a_head_has_ten_seconds(_):
    """A3: a line a second is no reason to wait; a connection that asks again and again stays."""
    with Server() as server, socket.create_connection(
        ('127.0.0.1', server.port), timeout=1
    ) as slow, socket.create_connection(('127.0.0.1', server.port), timeout=60) as busy:
        slow.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\n')
        ended = False
        while not ended:
            try:
                ended = not slow.recv(1)
            except TimeoutError:
                slow.sendall(b'X: a\r\n')
            except ConnectionError:
                ended = True
            busy.sendall(b'GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n')
            check(busy.recv(65536).startswith(b'HTTP/1.1 200'), 'the one that asks')


SSHD = '/usr/sbin/sshd'


def told(process, sign):
    """Waits until ssh or sshd says it on stderr; all that was said before it ended is the error."""
    lines = []
    for line in process.stderr:
        lines.append(line)
        if sign in line:
            return line
    raise AssertionError(f'it ended without a word of {sign!r}: {lines}')


def end(process):
    process.terminate()
    process.communicate()


class Sshd:
    """with Sshd(folder) as sshd: a server of ssh that knows one key."""

    def __init__(self, folder):
        self.key = os.path.join(folder, 'key')
        for key in (self.key, os.path.join(folder, 'host')):
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key], check=True)
        keys = os.path.join(folder, 'keys')
        shutil.copy(self.key + '.pub', keys)
        os.chmod(keys, 0o644)
        os.chmod(folder, 0o755)
        if not os.geteuid():
            os.makedirs('/run/sshd', mode=0o755, exist_ok=True)  # as its service does
        self.port = free_port()
        config = write(
            os.path.join(folder, 'config'),
            '\n'.join(
                [
                    f'ListenAddress 127.0.0.1:{self.port}',
                    f'HostKey {os.path.join(folder, "host")}',
                    f'AuthorizedKeysFile {keys}',
                    'PidFile none',
                    'StrictModes no',
                    'UsePAM no',
                    'PermitRootLogin yes',
                    'PasswordAuthentication no',
                    '',
                ]
            ),
        )
        self.process = subprocess.Popen(
            [SSHD, '-D', '-e', '-f', os.path.abspath(config)], stderr=subprocess.PIPE, text=True
        )

    def __enter__(self):
        told(self.process, 'Server listening')
        return self

    def __exit__(self, *_):
        end(self.process)

    def forward(self, user, port):
        """ssh -L, and the port that leads to the other one."""
        near = free_port()
        ssh = subprocess.Popen(
            [
                'ssh',
                '-N',
                '-v',
                '-F',
                'none',
                '-i',
                self.key,
                '-p',
                str(self.port),
                '-L',
                f'127.0.0.1:{near}:localhost:{port}',
                '-o',
                'StrictHostKeyChecking=no',
                '-o',
                'UserKnownHostsFile=/dev/null',
                '-o',
                'ExitOnForwardFailure=yes',
                '-o',
                'IdentitiesOnly=yes',
                f'{user}@127.0.0.1',
            ],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        told(ssh, 'Entering interactive session')  # it listens by then
        return ssh, near


@test
def through_ssh(folder):
    """A17: the page from another machine, by ssh -L. sshd opens the connection as the user who
    logged in: another user's way is shut."""
    if not os.path.exists(SSHD) or not shutil.which('ssh'):
        raise Skip('no sshd here')
    with Sshd(os.path.abspath(folder)) as sshd, Server(sample()) as server:
        server.generation()
        ssh, near = sshd.forward(pwd.getpwuid(os.geteuid()).pw_name, server.port)
        try:
            server.port, far = near, server.port
            check(b'nprof-token' in server.get('/').body, 'the page')
            check_same(
                [p['status'] for p in server.api('profiles')['profiles']], ['ready'], 'the list'
            )
            check_same(
                server.write('POST', f'profiles/{ORDINARY}/tags', {'add': ['far'], 'remove': []})[
                    'tags'
                ],
                ['far'],
                'a write',
            )
            server.port = far
        finally:
            end(ssh)
        if os.geteuid():
            return
        ssh, near = sshd.forward('nobody', server.port)
        try:
            server.port = near
            with contextlib.suppress(ConnectionError):
                check_same(
                    speak(server, b'GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n'),
                    b'',
                    'to another user',
                )
        finally:
            server.port = far
            end(ssh)


@test
def names_of_hosts(_):
    """DNS rebinding: a page makes its own name lead here, and the browser sends that name."""
    with Server() as server:
        for host, status in {
            'localhost': 200,
            f'localhost:{server.port}': 200,
            'LOCALHOST:1': 200,
            '127.0.0.1': 200,
            '[::1]:80': 200,
            '192.168.1.7': 200,
            'evil.example': 403,
            f'evil.example:{server.port}': 403,
            'localhost.evil.example': 403,
            '127.0.0.1.evil.example': 403,
            '': 403,
            '[::1': 403,
            'localhost@evil.example': 403,
        }.items():
            answer = speak(
                server,
                f'GET /api/v1/server HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n'.encode(),
            )
            check_same(status_of(answer), status, f'Host: {host}')
        check(
            status_of(speak(server, b'GET /api/v1/server HTTP/1.1\r\nConnection: close\r\n\r\n'))
            in (400, 403),
            'no Host',
        )
    with Server('--allow-host', 'build-box.example') as server:
        answer = speak(
            server, b'GET / HTTP/1.1\r\nHost: build-box.example:9\r\nConnection: close\r\n\r\n'
        )
        check_same(status_of(answer), 200, 'an allowed name')


@test
def pages_that_frame_it(_):
    """None may, but those of the one origin that was named; what is none cannot get into a
    header."""

    def ancestors(*options):
        with Server(*options) as server:
            page = speak(
                server, b'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
            ).decode()
            return re.search(r'frame-ancestors ([^\r;]*)', page).group(1)

    check_same(ancestors(), "'none'", 'by itself')
    check_same(ancestors('--framed-by', 'http://localhost:6006'), 'http://localhost:6006', 'named')
    for origin in (
        'localhost:6006',
        'http://',
        'http://a b',
        "https://a;script-src *",
        'http://a\r\nX: 1',
        'http://a/path',
        '*',
    ):
        run('view', '--framed-by', origin).expect(
            1, err='*--framed-by *: expected the origin of a page*'
        )


@test
def the_words_of_tensorboard(_folder):
    os.makedirs('logs/plugins/profile/2023_04_28_00_54_04')
    shutil.copy(sample(), 'logs/plugins/profile/2023_04_28_00_54_04/host.xplane.pb')
    run('view', '--ingest-only', '--load_fast=false', '--logdir', 'logs').expect(
        0, out='Profile "n_*" is ready to view'
    )


@test
def headers_that_decide_come_once(_):
    """Of two, a proxy or a browser may have meant the other one."""
    with Server(sample()) as server:
        server.generation()
        server.write(
            'POST', f'profiles/{ORDINARY}/tags', {'add': ['mine'], 'remove': []}
        )  # learns the token
        good = [
            'Host: localhost',
            'Origin: http://localhost',
            f'X-Nprof-Token: {server.token}',
            'Content-Length: 25',
            'Content-Type: application/json',
            'Connection: close',
        ]

        def post(*headers):
            text = '\r\n'.join(
                [
                    f'POST /api/v1/profiles/{ORDINARY}/tags HTTP/1.1',
                    *headers,
                    '',
                    '{"add":["a"],"remove":[]}',
                ]
            )
            return speak(server, text.encode())

        check_same(status_of(post(*good)), 200, 'each header once')
        for header in good[:4] + [
            'host: evil.example',
            'HOST: localhost',
            'Origin: http://evil.example',
            'X-Nprof-Token: x',
            'content-length: 0',
        ]:
            for headers in ([header, *good], [*good, header]):
                answer = post(*headers)
                check_same(status_of(answer), 400, f'{headers}: {answer[:300]}')
        for second in ('Transfer-Encoding: chunked', 'Sec-Fetch-Site: same-origin'):
            check(status_of(post(second, second, *good)) == 400, second)
        for host in ('localhost', 'evil.example'):
            answer = speak(
                server,
                f'GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\nHost: {host}\r\nConnection: close\r\n\r\n'.encode(),
            )
            check(
                status_of(answer) == 400 and b'the header Host came more than once' in answer,
                f'{answer[:300]}',
            )


@test
def writes_need_the_page(_):
    with Server(sample()) as server:
        server.generation()
        server.write(
            'POST', f'profiles/{ORDINARY}/tags', {'add': ['mine'], 'remove': []}
        )  # learns the token
        good = {'X-Nprof-Token': server.token, 'Origin': f'http://127.0.0.1:{server.port}'}
        for wrong in (
            {'X-Nprof-Token': ''},
            {'X-Nprof-Token': server.token[:-1]},
            {'X-Nprof-Token': 'x' * 64},
            {'Origin': 'http://evil.example'},
            {'Origin': 'null'},
            {'Origin': f'http://127.0.0.1:{server.port}.evil.example'},
            {'Origin': f'http://localhost:{server.port}'},
            {'Sec-Fetch-Site': 'cross-site'},
        ):
            answer = server.ask(
                'POST',
                '/api/v1/profiles/delete',
                json.dumps({'profiles': [ORDINARY]}),
                good | wrong,
            )
            check_same(answer.status, 403, f'{wrong}')
        for left_out in good:
            headers = {k: v for k, v in good.items() if k != left_out}
            check_same(
                server.ask('DELETE', '/api/v1/layouts/x', '', headers).status,
                403,
                f'without {left_out}',
            )
        check_same(
            server.ask(
                'POST', '/api/v1/profiles/delete', 'x=1', good | {'Content-Type': 'text/plain'}
            ).status,
            415,
            'a form',
        )
        check_same(server.ask('PATCH', '/api/v1/profiles', '', good).status, 405, 'method')
        check_same(len(server.api('profiles')['profiles']), 1, 'profiles')
        check(
            server.token not in server.get('/api/v1/server').body.decode(),
            'the token is in an answer',
        )


@test
def headers_of_the_page(_):
    with Server() as server:
        first, second = server.get('/'), server.get('/')
        policy = first.headers['content-security-policy']
        for part in (
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "style-src 'self' 'nonce-",
        ):
            check(part in policy, policy)
        check(
            'unsafe' not in policy and policy != second.headers['content-security-policy'],
            'the nonce is of one request',
        )
        for name, value in (
            ('x-content-type-options', 'nosniff'),
            ('referrer-policy', 'no-referrer'),
            ('cache-control', 'no-store'),
            ('cross-origin-resource-policy', 'same-origin'),
        ):
            check_same(first.headers[name], value, name)
            check(
                name == 'cache-control' or server.get('/api/v1/server').headers[name] == value, name
            )
        check('access-control-allow-origin' not in first.headers, 'other sites may read')


@test
def files_of_the_page_are_kept_by_their_version(_):
    with Server() as server:
        version = re.search(r'/page-([0-9a-f]{16})/lib/page.js', server.get('/').body.decode())
        if not version:
            return  # built without its page
        kept = server.get(f'/page-{version.group(1)}/lib/page.js')
        check('immutable' in kept.headers['cache-control'], kept.headers)
        server.get(
            f'/page-{version.group(1)}/lib/page.js', 304, {'If-None-Match': kept.headers['etag']}
        )
        packed = server.get(
            f'/page-{version.group(1)}/lib/page.js', headers={'Accept-Encoding': 'gzip'}
        )
        check_same(gzip.decompress(packed.body), kept.body, 'its gzip')
        check_same(
            server.get('/lib/page.js').headers['cache-control'], 'no-store', 'without a version'
        )
        server.get('/page-' + '0' * 16 + '/lib/page.js', 404)


@test
def paths_are_never_opened(_):
    write('secret', b'precious')
    with Server(sample()) as server:
        server.generation()
        for path in (
            '/../secret',
            '/..%2f..%2fsecret',
            '/lib/../../secret',
            '//etc/passwd',
            '/%2e%2e/secret',
            '/style/..%5c..%5csecret',
            '/index.html/../secret',
            '/profile',
            '/.',
            '/lib/page.js%00.html',
            '/%ff',
            '/a%',
            '/uploads',
            '/store-id',
            f'/{ORDINARY}/meta',
            '/api/v1/p/../../secret',
            f'/api/v1/p/{ORDINARY}%2f..%2f..',
            '/api/v1/p/n_..',
        ):
            answer = speak(
                server,
                f'GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'.encode(),
            )
            check(
                status_of(answer) in (400, 404)
                and b'precious' not in answer
                and b'root:' not in answer,
                f'{path}: {answer[:200]}',
            )
        check(
            status_of(
                speak(
                    server,
                    b'GET ../secret HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
                )
            )
            in (400, 404),
            'no /',
        )


@test
def too_long_and_half_requests(_):
    with Server() as server:
        long = speak(
            server,
            b'GET /' + b'a' * 20000 + b' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
        )
        check_same(status_of(long), 414, 'URL')
        huge = b'GET / HTTP/1.1\r\nHost: localhost\r\nX: ' + b'a' * 200000 + b'\r\n\r\n'
        try:
            check(status_of(speak(server, huge)) in (0, 413, 431), 'header')
        except ConnectionError:
            pass  # it need not read to the end
        half = []
        for data in (
            b'',
            b'GET',
            b'GET / HTTP/1.1\r\nHost: loc',
            b'POST /api/v1/open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
        ) * 8:
            half.append(socket.create_connection(('127.0.0.1', server.port)))
            half[-1].sendall(data)
        server.get('/api/v1/server')
        for junk in (
            b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
            b'\r\n\r\n',
            b'GET / HTTP/9.9\r\n\r\n',
            b'\0' * 1000 + b'\r\n\r\n',
        ):
            with socket.create_connection(('127.0.0.1', server.port), timeout=30) as connection:
                connection.sendall(junk)
        for body, length in (
            (b'{"paths":["/"]}', b'-5'),
            (b'', b'99999999999999999999'),
            (b'', b'x'),
        ):
            data = (
                b'POST /api/v1/open HTTP/1.1\r\nHost: localhost\r\nContent-Length: '
                + length
                + b'\r\nConnection: close\r\n\r\n'
                + body
            )
            try:
                check(status_of(speak(server, data)) in (0, 400, 403, 411, 413), f'{length}')
            except ConnectionError:
                pass
        server.get('/api/v1/server')
        for connection in half:
            connection.close()


def all_places(server, question):
    """64 connections that were answered and are held.  One that the server has not seen closed yet
    still takes a place: who is refused asks again, as they are told."""
    held = []
    while len(held) < 64:
        connection = socket.create_connection(('127.0.0.1', server.port), timeout=30)
        connection.sendall(question)
        status = status_of(connection.recv(65536))
        check(status in (200, 503), f'one of the first 64: {status}')
        if status == 200:
            held.append(connection)
        else:
            connection.close()
    return held


@test
def many_connections(_):
    """More than 64 of one address are told so, and are served when others have gone."""
    question = b'GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n'
    with Server() as server:
        held = all_places(server, question)
        more = [speak(server, question) for _ in range(40)]
        check_same({status_of(answer) for answer in more}, {503}, 'more')
        check(all(b'Retry-After: 1' in answer for answer in more), 'Retry-After')
        for connection in held:
            connection.close()
        while status_of(speak(server, question)) == 503:
            pass
        server.get('/api/v1/server')


@test
def a_thousand_connections(_):
    """All but 64 are refused in words, none is left hanging, and whoever comes after them is
    served."""
    question = b'GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n'
    with Server() as server:
        held = all_places(server, question)
        for number in range(1000 - len(held)):
            connection = socket.create_connection(('127.0.0.1', server.port), timeout=60)
            connection.sendall(question)
            check_same(status_of(connection.recv(65536)), 503, f'connection {number} beyond 64')
            connection.close()  # this process has no more than a thousand files
        for connection in held:
            connection.close()
        while status_of(speak(server, question)) == 503:
            pass
        server.get('/api/v1/server')


def post_garbage(server, total, stated):
    """Sends zeros as an upload; what the server says, or 0 where it closed first."""
    head = f'POST /api/v1/upload?last=1 HTTP/1.1\r\nHost: localhost\r\nX-Nprof-Token: {server.token}\r\nOrigin: http://localhost\r\nX-Nprof-Name: zeros\r\n'
    head += f'Content-Length: {total}\r\n\r\n' if stated else 'Transfer-Encoding: chunked\r\n\r\n'
    piece = bytes(1 << 20)
    framed = piece if stated else b'100000\r\n' + piece + b'\r\n'
    with socket.create_connection(('127.0.0.1', server.port), timeout=300) as connection:
        connection.sendall(head.encode(), socket.MSG_NOSIGNAL)
        try:
            for _ in range(total >> 20):
                connection.sendall(framed, socket.MSG_NOSIGNAL)
            connection.sendall(b'' if stated else b'0\r\n\r\n', socket.MSG_NOSIGNAL)
        except OSError:
            pass  # it need not read to the end
        try:
            return status_of(connection.recv(65536))
        except OSError:
            return 0


def most_memory(server):
    """Bytes that the server held at most, without pages of files."""
    with open(f'/proc/{server.process.pid}/status', encoding='ascii') as file:
        return 1024 * sum(int(line.split()[1]) for line in file if line.startswith('RssAnon'))


@test
def uploads_beyond_the_limit(_):
    """Two GB are refused before they lie anywhere, stated or not; garbage below the limit is
    refused when it was read."""
    uploads = os.path.join(STORE, 'uploads')
    with Server('--upload-max', '8M', sample()) as server:
        server.generation()
        server.write('POST', f'profiles/{ORDINARY}/tags', {'add': [], 'remove': []})
        for stated in (True, False):
            check(
                post_garbage(server, 2 << 30 if stated else 64 << 20, stated)
                in (0, 413 if stated else 411),
                f'too much, length stated: {stated}',
            )
            check_same(os.listdir(uploads) if os.path.isdir(uploads) else [], [], 'what stayed')
        check_same(post_garbage(server, 4 << 20, True), 400, 'garbage')
        check_same(os.listdir(uploads), [], 'what stayed of garbage')
        check_same(len(server.api('profiles')['profiles']), 1, 'profiles')


@test
def an_upload_of_two_gigabytes(_):
    if not os.environ.get('NPROF_TEST_ALL'):
        raise Skip('NPROF_TEST_ALL is not set: it writes 2 GB')
    with Server('--upload-max', '3G', sample()) as server:
        server.generation()
        server.write('POST', f'profiles/{ORDINARY}/tags', {'add': [], 'remove': []})
        check_same(post_garbage(server, 2 << 30, True), 400, 'two GB of garbage')
        check(most_memory(server) < 256 << 20, f'{most_memory(server)} bytes of memory')
        check_same(os.listdir(os.path.join(STORE, 'uploads')), [], 'what stayed')
        server.get('/api/v1/server')


@test
def folders_of_other_users(_):
    if os.geteuid():
        raise Skip('only root can give a folder to another user')
    run('view', '--ingest-only', sample()).expect(0)
    os.chown(os.path.join(STORE, ORDINARY), 65534, 65534)
    with Server() as server:
        check_same(server.api('profiles')['profiles'], [], 'a profile of another user')
        server.get(f'/api/v1/p/{ORDINARY}', 404)
    os.mkdir('theirs')
    os.chown('theirs', 65534, 65534)
    refused = run('view', '--store', 'theirs', '--ingest-only', sample()).expect(1)
    check('belongs to another user' in refused.err, refused.err)
    check_same(os.listdir('theirs'), [], 'what was written there')


@test
def text_of_profiles_is_data(_):
    name = '</script><img src=x onerror=alert(1)>"\'&<!--'
    trace = [
        {
            'name': name,
            'cat': name,
            'ph': 'X',
            'ts': i,
            'dur': 1,
            'pid': 1,
            'tid': 1,
            'args': {name: name},
        }
        for i in range(3)
    ]
    write('x.json', json.dumps(trace))
    with Server('x.json') as server:
        profile = server.lines[0].rsplit('/', 1)[1].strip()
        server.generation(profile)
        server.write('POST', f'profiles/{profile}/rename', {'name': name})
        names = server.profile('names', profile)
        check(name in [n[0] for n in names.json()['names']], 'it is given back as it was')
        check_same(
            (names.headers['content-type'], names.headers['x-content-type-options']),
            ('application/json', 'nosniff'),
            'type',
        )
        for page in ('/', f'/profile/{profile}', '/v/' + '0' * 10, f'/profile/{"%3Cb%3E"}'):
            check(
                b'<img src=x' not in server.get(page).body and b'<b>' not in server.get(page).body,
                page,
            )


@test
def files_that_a_profile_names_stay_closed(_):
    write('secret.py', b'precious = 1\n')
    places = [
        os.path.abspath('secret.py') + ':1',
        '/etc/passwd:1',
        '../secret.py:1',
        'file:///etc/passwd:1',
    ]
    trace = [
        {
            'name': 'a',
            'ph': 'X',
            'ts': 2 * i,
            'dur': 1,
            'pid': 1,
            'tid': 1,
            'args': {'source': place},
        }
        for i, place in enumerate(places)
    ]
    write('x.json', json.dumps(trace))
    with Server('x.json') as server:
        profile = server.lines[0].rsplit('/', 1)[1].strip()
        server.generation(profile)
        for index in range(5):
            answer = server.profile(f'source?index={index}', profile, 404)
            check(b'precious' not in answer.body and b'root:' not in answer.body, f'{answer.body}')


@test
def links_are_no_profiles(_):
    run('view', '--ingest-only', sample()).expect(0)
    os.rename(os.path.join(STORE, ORDINARY), 'elsewhere')
    os.symlink(os.path.abspath('elsewhere'), os.path.join(STORE, ORDINARY))
    with Server() as server:
        check_same(server.api('profiles')['profiles'], [], 'profiles')
        server.get(f'/api/v1/p/{ORDINARY}', 404)
    check_same(os.stat(STORE).st_mode & 0o777, 0o700, 'mode of the store')
    check_same(os.stat(os.path.join(STORE, 'store-id')).st_mode & 0o777, 0o600, 'mode of store-id')


# -- Plugins --------------------------------------------------------------------

RAN = 'ran'  # a file that the plugin of these tests leaves when its code is run
FORMAT = '#nprof-lines'
SPANS = FORMAT + '\nspan 1 a 0 5\nspan 1 b 10 5\n'


def plugin_that_tells(folder):
    """The plugin `lines`, which also leaves a file as soon as it is opened."""
    source = os.environ['NPROF_SOURCE']
    at = os.path.join(folder, 'plugins')
    os.makedirs(at, mode=0o755)
    write(
        'lines.c',
        f'#define NPROF_VERSION "1"\n#include "{source}/tests/plugins/lines.c"\n#include <stdio.h>\n'
        f'__attribute__ ((constructor)) static void tell (void) {{ fclose (fopen ("{folder}/{RAN}", "w")); }}\n',
    )
    subprocess.run(
        [
            *os.environ['NPROF_CC'].split(),
            '-shared',
            '-fPIC',
            '-fvisibility=hidden',
            f'-I{source}/include',
            f'-I{source}/sdk',
            'lines.c',
            '-o',
            f'{at}/lines.so',
        ],
        check=True,
    )
    write(f'{at}/lines.plugin', index_text([('decoder lines', {'magic': FORMAT.encode().hex()})]))
    return at


def take_stored_profiles(at):
    """From now on it claims the decoder of stored profiles too, so that each command on one asks
    for it."""
    write(
        f'{at}/lines.plugin',
        index_text(
            [
                ('decoder lines', {'magic': FORMAT.encode().hex()}),
                ('decoder store', {'magic': b'NPROFVW'.hex()}),
            ]
        ),
    )


@contextlib.contextmanager
def mode_of(path, mode):
    before = os.stat(path).st_mode
    os.chmod(path, mode)
    yield
    os.chmod(path, before)


@contextlib.contextmanager
def owner_of(path, owner):
    if os.geteuid():
        raise Skip('only root can give a file to another user')
    os.chown(path, owner, owner)
    yield
    os.chown(path, 0, 0)


REFUSALS = {
    'a-file-that-all-may-write': lambda at: mode_of(f'{at}/lines.so', 0o666),
    'a-folder-that-all-may-write': lambda at: mode_of(at, 0o777),
    'a-file-of-another-user': lambda at: owner_of(f'{at}/lines.so', 65534),
    'a-folder-of-another-user': lambda at: owner_of(at, 65534),
    'a-folder-without-its-full-path': lambda at: contextlib.nullcontext(),
}


def cause_of(result):
    check(result.status not in (0, 3), result.describe())
    return (
        result.err.splitlines()[-1]
        .replace('nprof: error: ', '')
        .split(' (nprof view --help')[0]
        .split(' (nprof gate --help')[0]
    )


def failure_of(server, profile):
    """Why the profile could not be read again, once it is known."""
    while not (error := server.api(f'p/{profile}')['profile']['error']):
        pass
    return error['text']


def job(server, path, status):
    """The error of long work, which is asked for until it has ended."""
    while (answer := server.ask('GET', '/api/v1/' + path)).status == 202:
        pass
    check_same(answer.status, status, f'{path}: {answer.body[:300]}: status')
    return answer.json()['error']['text']


def check_stored(at, profile, env):
    """The same for commands on what is stored, when the plugin claims to be what reads it."""
    take_stored_profiles(at)
    told = cause_of(run('gate', profile, 'busy > 1%', env=env))
    check('no decoder knows this format' in told, told)
    check_same(cause_of(run('diff', profile, profile, env=env)), told, 'nprof diff')
    with Server(env=env) as server:
        below = f'p/{profile}/{server.generation(profile)}'
        refused = f'decoder store: {at}/lines.so: refused: '
        for asked in (
            f'{below}/gate?demand=busy%20%3E%201%25',
            f'compare?a={profile}&b={profile}&by=operator',
        ):
            check(refused in (said := job(server, asked, 422)), said)
        check_same(job(server, f'{below}/export?format=csv', 422), told, 'export')


def a_refused_plugin_never_runs(folder, kind):
    """Whatever the page asks for, it is told what nprof run says."""
    at = plugin_that_tells(folder)
    path = os.path.abspath(write('x.lines', SPANS))
    good, env = {'NPROF_PLUGIN_PATH': at}, {
        'NPROF_PLUGIN_PATH': 'plugins' if 'full-path' in kind else at
    }
    profile = (
        run('view', '-d', 'lines', '--ingest-only', path, env=good).expect(0).out.split('"')[1]
    )
    check(os.path.exists(RAN), 'this test would not see that it runs')
    os.unlink(RAN)
    with REFUSALS[kind](at):
        told = cause_of(run('run', '-d', 'lines', '-s', 'null', path, env=env))
        check(f'{at}/lines.so: refused: ' in told or 'cannot be used' in told, told)
        with Server(env=env) as server:
            error = server.write('POST', 'open', {'paths': [path], 'decoder': 'lines'}, 400)[
                'error'
            ]
            check_same(error['text'], told, 'open')
            server.write('POST', f'profiles/{profile}/again', {'keep_going': False, 'force': True})
            check_same(failure_of(server, profile), told, 'again')
        with Server('-d', 'lines', env=env) as server:
            error = server.write(
                'POST', 'upload?last=1', SPANS.encode(), 400, {'X-Nprof-Name': 'x.lines'}
            )['error']
            check_same(error['text'], told, 'upload')
        if at in env['NPROF_PLUGIN_PATH']:
            check_stored(at, profile, env)
    check(not os.path.exists(RAN), 'it was run')


for refusal in REFUSALS:
    add_test(
        'no-plugin-from-' + refusal,
        lambda folder, k=refusal: a_refused_plugin_never_runs(os.path.abspath(folder), k),
    )


if __name__ == '__main__':
    main()
