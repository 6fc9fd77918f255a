# SPDX-License-Identifier: Apache-2.0
"""viewserver.py - nprof view as a process, and requests to it by the standard library alone."""

import http.client
import json
import re
import signal
import subprocess

from harness import check, check_same, start

ORDINARY = 'n_2fd60bd0fdc8bc51ea50f802404b741288926eb1'  # share/samples/synthetic_tpu.xplane.pb


def strip_of(server, profile, label, pixels=4096):
    """{kind: ps} of a device in the strip of the page, and by how much each may be off: a share of a
    pixel is whole 255ths."""
    tracks = server.profile('meta', profile).json()['tracks']
    (track,) = (one['track'] for one in tracks if one['label'] == label)
    strip = server.profile(f'strip?pixels={pixels}', profile).json()
    kinds = ('busy', 'communication', 'copies', 'control')
    sums = {kind: sum(strip[kind][str(track)]) * int(strip['p']) / 255 for kind in kinds}
    return sums, int(strip['p']) * pixels / 255


def page_token(page):
    return re.search(r'name="nprof-token" content="([0-9a-f]+)"', page).group(1)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Server:
    """with Server('FILE') as server: ... ; ends it, and demands the exit status."""

    def __init__(self, *arguments, env=None, status=0):
        self.process = start(
            'view',
            '--port',
            '0',
            *arguments,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.status = status
        self.lines = [self.process.stdout.readline().decode() for _ in range(2)]
        found = re.search(r'http://(?:\[.*\]|[^:/]+):(\d+)/', self.lines[0])
        check(
            found,
            f'no place was printed: {self.lines} {self.process.stderr.read().decode() if not found else ""}',
        )
        self.port = int(found.group(1))
        self.token = None
        self.generations = {}
        self.err = ''

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=60)
        self.err = err.decode('utf-8', 'replace')
        if kind is not None:
            print(
                f'# the server ended with {self.process.returncode}; it said:',
                *self.err.splitlines(),
                sep='\n# ',
            )
        else:
            check('Sanitizer' not in self.err and 'runtime error' not in self.err, self.err)
            check_same(self.process.returncode, self.status, f'exit status ({self.err})')

    def ask(self, method, path, body=None, headers=None, host='127.0.0.1'):
        connection = http.client.HTTPConnection(host, self.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, status=200, headers=None):
        """Asks until long work is done, unless 202 is expected."""
        while (answer := self.ask('GET', path, headers=headers)).status == 202 != status:
            pass
        check_same(answer.status, status, f'GET {path}: {answer.body[:300]}: status')
        return answer

    def api(self, path, status=200):
        return self.get('/api/v1/' + path, status).json()

    def write(self, method, path, data=None, status=200, headers=None):
        """As the page writes: with its token and origin."""
        if self.token is None:
            self.token = page_token(self.get('/').body.decode())
        body = data if isinstance(data, (bytes, type(None))) else json.dumps(data).encode()
        given = {
            'X-Nprof-Token': self.token,
            'Origin': f'http://127.0.0.1:{self.port}',
            'Content-Type': 'application/json',
        }
        given.update(headers or {})
        answer = self.ask(method, '/api/v1/' + path, body=body or b'', headers=given)
        check_same(answer.status, status, f'{method} {path}: {answer.body[:300]}: status')
        return answer.json()

    def generation(self, profile=ORDINARY):
        """The generation, once the profile is stored."""
        while True:
            head = self.api(f'p/{profile}')
            if head['gen']:
                return head['gen']
            check(head['profile']['status'] == 'reading', f'it is not being read: {head}')

    def profile(self, route, profile=ORDINARY, status=200):
        """Asks of the generation that was there when it was first asked."""
        if profile not in self.generations:
            self.generations[profile] = self.generation(profile)
        path = f'/api/v1/p/{profile}/{self.generations[profile]}/{route}'
        return self.get(path, status)
