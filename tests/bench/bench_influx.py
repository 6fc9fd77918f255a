# SPDX-License-Identifier: Apache-2.0
"""bench_influx.py - the sink influx beside curl that sends the same bodies, made before: how near
to the server's own rate it comes, and what it costs. Ours includes decoding and the final count; a
server's rate varies much, so only an idle machine says something."""

import http.server
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measure import told

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'services'))
from servers import Influx, Skip  # noqa: E402  pylint: disable=wrong-import-position


class Recorder(http.server.BaseHTTPRequestHandler):
    """Keeps the bodies that an InfluxDB would get."""

    protocol_version = 'HTTP/1.1'
    bodies = []

    def do_GET(self):  # pylint: disable=invalid-name
        self.reply(204)

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        if self.path.startswith('/write') and body:
            self.bodies.append(body)
        self.reply(
            204 if self.path.startswith('/write') else 200, b'{"results":[{"statement_id":0}]}'
        )

    def reply(self, status, body=b''):
        self.send_response(status)
        self.send_header('X-Influxdb-Version', '1.6.7')
        if status != 204:
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body if status != 204 else b'')

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def timed(command):
    """Wall and CPU seconds, peak RSS in kB."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    return (
        process.returncode,
        wall,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss,
        error.decode(),
    )


def record(nprof, path, folder):
    """The bodies as files; how many points are in them."""
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Recorder)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    timed([nprof, 'run', '-s', f'influx:url=http://127.0.0.1:{server.server_address[1]}', path])
    server.shutdown()
    server.server_close()
    thread.join()
    for number, body in enumerate(Recorder.bodies):
        with open(os.path.join(folder, f'body{number}.gz'), 'wb') as file:
            file.write(body)
    return len(Recorder.bodies)


def replay(server, folder, count):
    config = os.path.join(folder, 'curl.conf')
    with open(config, 'w', encoding='utf-8') as file:
        file.write(
            '\nnext\n'.join(
                f'url = "{server.url}/write?db=nprof&precision=ns"\nheader = "Content-Encoding: gzip"\n'
                f'header = "Expect:"\ndata-binary = "@{folder}/body{k}.gz"\nfail'
                for k in range(count)
            )
            + '\n'
        )
    return timed(['curl', '-s', '-K', config])


def generate(path, count):
    rand = random.Random(3)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('{"traceEvents":[\n')
        for i in range(count):
            event = {
                'ph': 'X',
                'pid': 1 + i % 4,
                'tid': i % 16,
                'ts': i * 3.137,
                'dur': rand.randrange(100000) / 1000,
                'name': f'aten::op_{rand.randrange(300)}',
                'cat': 'cpu_op',
                'args': {'External id': i, 'bytes': rand.randrange(1 << 20)},
            }
            file.write(json.dumps(event) + ',\n')
        file.write('{}]}')


def rounds_of(nprof, path, rounds, folder):
    """Returns what timed() says of ours and of curl's, taking turns, each with a new server."""
    count = record(nprof, path, folder)
    ours, theirs = [], []
    for number in range(rounds):
        with Influx(os.path.join(folder, f'a{number}')) as server:
            ours.append(timed([nprof, 'run', '-s', f'influx:url={server.url}', path]))
            points = (
                server.value('SELECT count(duration_ns) FROM events') if not ours[-1][0] else None
            )
        with Influx(os.path.join(folder, f'b{number}')) as server:
            server.query('CREATE DATABASE nprof')
            theirs.append(replay(server, folder, count))
            if points is None or server.value('SELECT count(duration_ns) FROM events') != points:
                sys.exit(f'not the same points: {ours[-1]}, {theirs[-1]}')
    return ours, theirs


def measure(bench):
    if not shutil.which('influxd') or not shutil.which('curl'):
        print('influx: left out, influxd or curl is not installed')
        return
    path, count = bench.path('influx.json'), 400000
    generate(path, count)
    folder = tempfile.mkdtemp(dir=bench.folder)
    ours, theirs = rounds_of(bench.nprof, path, bench.rounds, folder)
    wall, peer = (statistics.median(r[1] for r in runs) for runs in (ours, theirs))
    bench.report.add(
        'influx, wall: curl with prepared bodies / nprof run -s influx',
        peer / wall,
        'x',
        '>= 0.9',
        f'{told(r[1] for r in theirs)} / {told(r[1] for r in ours)}, {count / wall / 1e3:.0f} k points/s',
    )
    cpu = statistics.median(r[2] / r[1] for r in ours)
    bench.report.add(
        'influx, own CPU',
        cpu,
        'cores',
        '<= 0.5',
        f'{statistics.median(r[2] for r in ours):.2f} s of {wall:.2f} s',
    )
    bench.report.add(
        'influx, resident', max(r[3] for r in ours) / 1024, 'MiB', '<= 256', 'peak RSS'
    )
