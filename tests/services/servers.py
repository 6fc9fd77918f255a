# SPDX-License-Identifier: Apache-2.0
"""servers.py - servers that tests start and stop: InfluxDB 1.x and VictoriaMetrics as the
distribution packages them, and a stub of our own. All on 127.0.0.1, on free ports, in the test's
folder."""

import base64
import gzip
import http.client
import http.server
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from harness import (
    Skip,
    check,
    free_port,
    free_ports,
    write,
)  # noqa: E402  pylint: disable=wrong-import-position

START_S = 60


STARTS = 3  # with other ports each time: somebody may take one before the server does


def request(port, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def trace(count, seed=1, without=()):
    """A trace that is alike in no two places, with names of every class."""
    rand = random.Random(seed)
    names = [
        'plain',
        'a b',
        'x,y=z',
        'quote"s',
        'back\\slash',
        'end\\',
        'tab\tnew\nline',
        'naïve 😀',
        '#c',
        'n\\n',
        'n\n',
        'end\\ ',
        '',
    ]
    names = [name for name in names if name not in without]
    events = [
        {
            'ph': 'X',
            'pid': 1 + i % 3,
            'tid': i % 7,
            'ts': rand.randrange(10**9) / 1000,
            'dur': rand.randrange(10**6) / 1000,
            'name': rand.choice(names) + str(i % 50),
            'cat': rand.choice(['kernel', 'cpu op', '']),
            'args': {'n': i, 'text': rand.choice(names)},
        }
        for i in range(count)
    ]
    return write('trace.json', json.dumps({'traceEvents': events, 'baseTimeNanoseconds': 0}))


class EndedAtOnce(AssertionError):
    """A server did not stay."""


class Process:
    """A server of a package: started, awaited, ended by its pid."""

    def __init__(self, command, port, ready):
        self.command, self.port, self.ready = command, port, ready
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + START_S
        while True:
            try:
                request(self.port, 'GET', self.ready)
                return
            except OSError:
                if self.process.poll() is not None:
                    raise EndedAtOnce(f'{self.command[0]} ended at once') from None
                check(time.monotonic() < until, f'{self.command[0]} does not answer')
                time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


CONFIG = '''reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
  index-version = "{index}"
  max-series-per-database = {series}
  max-values-per-tag = 0
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:{port}"
  auth-enabled = {auth}
  log-enabled = false
  max-body-size = {body}
[subscriber]
  enabled = false
[continuous_queries]
  enabled = false
'''


class Influx(Process):
    """InfluxDB 1.x."""

    def __init__(self, folder, auth=False, body=0, series=0, index='tsi1'):
        if not shutil.which('influxd'):
            raise Skip('influxd is not installed (package influxdb)')
        self.folder = os.path.join(folder, 'influxdb')
        os.makedirs(self.folder, exist_ok=True)
        self.admin = ('adm', 'pw') if auth else None
        path = os.path.join(self.folder, 'conf')
        for left in reversed(range(STARTS)):
            port, rpc = free_ports(2)
            with open(path, 'w', encoding='utf-8') as conf:
                conf.write(
                    CONFIG.format(
                        rpc=rpc,
                        port=port,
                        folder=self.folder,
                        body=body,
                        series=series,
                        index=index,
                        auth=str(auth).lower(),
                    )
                )
            try:
                super().__init__(['influxd', 'run', '-config', path], port, '/ping')
                break
            except EndedAtOnce:
                if not left:
                    raise
        self.url = f'http://127.0.0.1:{port}'
        if auth:
            self.query("CREATE USER adm WITH PASSWORD 'pw' WITH ALL PRIVILEGES")

    def query(self, q, db='nprof'):
        headers = {}
        if self.admin:
            coded = base64.b64encode(':'.join(self.admin).encode()).decode()
            headers['Authorization'] = 'Basic ' + coded
        path = '/query?' + urllib.parse.urlencode({'db': db, 'epoch': 'ns', 'q': q})
        status, text = request(self.port, 'POST', path, headers=headers)
        check(status == 200, f'{q}: {status} {text}')
        result = json.loads(text)['results'][0]
        check('error' not in result, f'{q}: {text}')
        return result.get('series', [])

    def value(self, q, db='nprof'):
        """The first value behind the time."""
        series = self.query(q, db)
        return series[0]['values'][0][1] if series else None


class Victoria(Process):
    """VictoriaMetrics, which takes InfluxDB 2's writes."""

    def __init__(self, folder):
        if not shutil.which('victoria-metrics') or not shutil.which('vmauth'):
            raise Skip('victoria-metrics is not installed')
        port = free_port()
        super().__init__(
            [
                'victoria-metrics',
                f'-storageDataPath={folder}/vm',
                '-retentionPeriod=100y',
                f'-httpListenAddr=127.0.0.1:{port}',
            ],
            port,
            '/health',
        )


class Vmauth(Process):
    """In front of it, asks for a token."""

    def __init__(self, folder, behind, token):
        path = os.path.join(folder, 'auth.yml')
        with open(path, 'w', encoding='utf-8') as conf:
            conf.write(
                f'users:\n- bearer_token: {token}\n  url_prefix: "http://127.0.0.1:{behind}/"\n'
            )
        port = free_port()
        super().__init__(
            ['vmauth', f'-auth.config={path}', f'-httpListenAddr=127.0.0.1:{port}'],
            port,
            '/metrics',
        )
        self.url = f'http://127.0.0.1:{port}'


# -- Line protocol, read by hand ------------------------------------------------

# A backslash escapes only what would end a name.
NAME = r'(?:\\[,= ]|[^\\,= ]|\\(?![,= ]))+'
LINE = re.compile(
    rf'(?P<measurement>(?:\\[, ]|[^\\, ]|\\(?![, ]))+)(?P<tags>(?:,{NAME}={NAME})*) '
    rf'(?P<fields>.+?) (?P<time>-?\d+)',
    re.DOTALL,
)
FIELD = re.compile(rf'({NAME})=("(?:\\.|[^"\\])*"|[^," ]+)(?:,|$)', re.DOTALL)
TAG = re.compile(rf',({NAME})=({NAME})')


def unescape(text):
    return re.sub(r'\\([,= ])', r'\1', text)


def parse_line(line):
    """(measurement, tags, fields, time); fields as they are written."""
    match = LINE.fullmatch(line)
    check(match, f'no line of the protocol: {line!r}')
    fields, at = {}, 0
    while at < len(match['fields']):
        field = FIELD.match(match['fields'], at)
        check(field, f'no field at {at} of: {line!r}')
        fields[unescape(field[1])] = field[2]
        at = field.end()
    tags = {unescape(k): unescape(v) for k, v in TAG.findall(match['tags'])}
    return unescape(match['measurement']), tags, fields, int(match['time'])


# -- The stub -------------------------------------------------------------------


class Fault:
    """An answer that a request gets instead of the right one.  hold: an event that it waits for."""

    def __init__(self, status, body='', headers=None, hang_up=False, hold=None):
        self.status, self.body, self.headers, self.hang_up = status, body, headers or {}, hang_up
        self.hold = hold


class Stub:
    """A server that answers as the documentation of InfluxDB 2.7 says.  faults: by path, what the
    next requests get instead, first to last; None: the right answer."""

    def __init__(self, token='t0ken', orgs=('me',), buckets=('nprof',), version='v2.7.1'):
        self.token, self.version = token, version
        self.orgs = {name: f'{i + 10:016x}' for i, name in enumerate(orgs)}
        self.buckets = set(buckets)
        self.points = {}
        self.faults, self.requests = {}, []
        self.lock = threading.Lock()  # of all above
        self.lose = 0  # points that are taken and forgotten
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_GET(self):  # pylint: disable=invalid-name
                stub.serve(self)

            def do_POST(self):  # pylint: disable=invalid-name
                stub.serve(self)

            def do_DELETE(self):  # pylint: disable=invalid-name
                stub.serve(self)

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}'
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={'poll_interval': 0.02}
        )

    def __enter__(self):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # who asked may be gone before the answer
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def serve(self, handler):
        body = handler.rfile.read(int(handler.headers.get('Content-Length') or 0))
        wire = len(body)
        if handler.headers.get('Content-Encoding') == 'gzip':
            body = gzip.decompress(body)
        url = urllib.parse.urlsplit(handler.path)
        query = {k: v[0] for k, v in urllib.parse.parse_qs(url.query).items()}
        with self.lock:
            self.requests.append((handler.command, url.path, query, dict(handler.headers), wire))
            faults = self.faults.get(url.path)
            fault = faults.pop(0) if faults else None
            if not fault:
                status, text, headers = self.answer(handler, url.path, query, body)
        if fault:
            if fault.hold:
                fault.hold.wait()
            if fault.hang_up:
                handler.close_connection = True
                handler.connection.shutdown(socket.SHUT_RDWR)
                return
            status, text, headers = fault.status, fault.body, fault.headers
        data = text.encode()
        handler.send_response(status)
        for key, value in headers.items():
            handler.send_header(key, value)
        if status != 204:
            handler.send_header('Content-Length', str(len(data)))
        handler.end_headers()
        if status != 204:
            handler.wfile.write(data)

    @staticmethod
    def error(status, code, message):
        return (
            status,
            json.dumps({'code': code, 'message': message}),
            {'Content-Type': 'application/json', 'X-Platform-Error-Code': code},
        )

    def answer(self, handler, path, query, body):
        if path == '/ping':
            return 204, '', {'X-Influxdb-Version': self.version} if self.version else {}
        if path == '/health':
            return 200, json.dumps({'name': 'influxdb', 'status': 'pass', 'version': 'v2.7.1'}), {}
        if handler.headers.get('Authorization') != f'Token {self.token}':
            return self.error(401, 'unauthorized', 'unauthorized access')
        if handler.command == 'DELETE' and path.startswith('/api/v2/buckets/'):
            self.buckets -= {name for name in self.buckets if path.endswith('/' + self.id_of(name))}
            return 204, '', {}
        method = getattr(self, 'on_' + handler.command.lower() + path.replace('/', '_'), None)
        return method(query, body) if method else (404, '404 page not found', {})

    def on_get_api_v2_orgs(self, query, _body):
        found = [{'id': i, 'name': n} for n, i in self.orgs.items() if query.get('org', n) == n]
        if not found:
            return self.error(404, 'not found', f'organization name "{query["org"]}" not found')
        return 200, json.dumps({'orgs': found}), {}

    @staticmethod
    def id_of(bucket):
        return f'{zlib.crc32(bucket.encode()):016x}'

    def on_get_api_v2_buckets(self, query, _body):
        if query.get('org') not in self.orgs:
            return self.error(404, 'not found', 'organization not found')
        found = [{'id': self.id_of(n), 'name': n} for n in self.buckets if n == query['name']]
        return 200, json.dumps({'buckets': found}), {}

    def on_post_api_v2_buckets(self, _query, body):
        wanted = json.loads(body)
        check(wanted['orgID'] in self.orgs.values(), f'orgID: {wanted}')
        self.buckets.add(wanted['name'])
        return 201, json.dumps({'id': 'x', 'name': wanted['name']}), {}

    def on_post_api_v2_write(self, query, body):
        if query.get('bucket') not in self.buckets:
            return self.error(404, 'not found', f'bucket "{query.get("bucket")}" not found')
        for line in body.decode().splitlines():
            measurement, tags, fields, stamp = parse_line(line)
            if self.lose:
                self.lose -= 1
                continue
            key = (measurement, tuple(sorted(tags.items())), stamp)
            self.points.setdefault(key, {}).update(fields)
        return 204, '', {}

    def on_post_api_v2_delete(self, _query, body):
        wanted = json.loads(body)
        profile = re.fullmatch(r'profile="(n_[0-9a-f]+)"', wanted['predicate'])[1]
        self.points = {k: v for k, v in self.points.items() if dict(k[1]).get('profile') != profile}
        return 204, '', {}

    def on_post_api_v2_query(self, _query, body):
        flux = body.decode()
        profile = re.search(r'r\.profile == "(n_[0-9a-f]+)"', flux)[1]
        mine = {k: v for k, v in self.points.items() if dict(k[1]).get('profile') == profile}
        if 'count()' not in flux:
            return (
                200,
                (f',result,table,profile\r\n,_result,0,{profile}\r\n' if mine else '') + '\r\n',
                {},
            )
        counts = {}
        for (measurement, _, _), fields in mine.items():
            for field in fields:
                counts[measurement, field] = counts.get((measurement, field), 0) + 1
        rows = [f',_result,{i},{m},{f},{n}\r\n' for i, ((m, f), n) in enumerate(counts.items())]
        return 200, ',result,table,_measurement,_field,_value\r\n' + ''.join(rows) + '\r\n', {}
