# SPDX-License-Identifier: Apache-2.0
"""bench_view.py - the server of nprof view over a profile of 100 million rows (store-gen, removed
afterwards): pictures, clicks, searches and sums through HTTP, one client, warm; opening it with its
files dropped from the page cache; what an ingest costs beside a run that keeps nothing; and
Perfetto's trace_processor on the same slices. The page is bench_page.py's. NPROF_BENCH_VIEW_ROWS
and _MB make it smaller, NPROF_BENCH_VIEW_STORE names a folder where store-gen wrote."""

import http.client
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

from measure import Run, interleaved, median

ROWS = int(os.environ.get('NPROF_BENCH_VIEW_ROWS', 100_000_000))
MEGABYTES = float(os.environ.get('NPROF_BENCH_VIEW_MB', 500))
ID = 'n_0000000000000000000000000000000000000001'
HERE = os.path.dirname(os.path.abspath(__file__))
SLICES = 1_000_000


class Server:
    def __init__(self, nprof, store):
        self.process = subprocess.Popen(
            [nprof, 'view', '--store', store, '--port', '0', '-q'],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.port = int(re.search(rb':(\d+)/', self.process.stdout.readline()).group(1))
        self.connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=600)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def get(self, path):
        self.connection.request('GET', '/api/v1/' + path)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(f'{path}: {answer.status} {body[:300]}')
        return body

    def timed(self, path):
        """ms, and the body."""
        begin = time.perf_counter()
        body = self.get(path)
        return (time.perf_counter() - begin) * 1000, body

    def memory(self):
        with open(f'/proc/{self.process.pid}/status', encoding='ascii') as status:
            return int(re.search(r'RssAnon:\s+(\d+)', status.read()).group(1)) / 1024


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def ask_many(server, paths):
    """Each question once, for answers are kept: their times, and the longest answer."""
    times, longest = [], 0
    for path in paths:
        ms, body = server.timed(path)
        times.append(ms)
        longest = max(longest, len(body))
    return times, longest


def add(bench, what, times, goals):
    detail = f'p50 {quantile(times, 0.5):.2f}, p95 {quantile(times, 0.95):.2f}, p99 {quantile(times, 0.99):.2f} ms of {len(times)}'
    for q, goal in goals:
        bench.report.add(f'{what}, p{int(q * 100)}', quantile(times, q), 'ms', f'<= {goal}', detail)


def groups(lanes, r):
    """60 neighbouring lanes of those that screens show."""
    at = r.randrange(max(1, len(lanes) - 60))
    return f'{at}-{min(at + 59, len(lanes) - 1)}'


def pictures(bench, server, base, meta, r):
    length, start = int(meta['end']) - int(meta['start']), int(meta['start'])
    most = max(0, (length // 2048).bit_length())
    paths = []
    for _ in range(300):
        level = r.randrange(14, most + 1)
        paths.append(
            f'{base}/v?l={level}&i={(start + r.randrange(length)) >> level + 11}&lanes={groups(meta["lanes"], r)}'
        )
    times, longest = ask_many(server, paths)
    add(bench, 'viewport, 60 lanes, any zoom', times, ((0.95, 8), (0.99, 16)))
    bench.report.add('one tile answer', longest / 1000, 'kB', '<= 300', 'the longest of them')


def clicks(bench, server, base, meta, r):
    spans = [lane for lane in meta['lanes'] if lane['type'] == 'span']
    weights = [lane['rows'] for lane in spans]
    chosen = r.choices(spans, weights, k=200)
    times, _ = ask_many(
        server, [f'{base}/e?row={lane["lane"]}.{r.randrange(lane["rows"])}' for lane in chosen]
    )
    add(bench, 'click: all fields and dependencies', times, ((0.95, 10),))


def searches(bench, server, base, r):
    names = json.loads(server.get(f'{base}/names?from=0&n=65536'))['names']
    texts = [
        f'name%3D%22{name[0].replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")}%22'
        for name in r.choices(names, k=100)
    ]
    texts += [f'kernel_{r.randrange(20000)}' for _ in range(50)] + [
        f'reduce.{r.randrange(20000)}' for _ in range(50)
    ]
    times, _ = ask_many(server, [f'{base}/q?q={text}&n=1000' for text in texts])
    add(bench, 'search by name, first 1000 hits', times, ((0.95, 50),))


def sums(bench, server, base, meta, r):
    start, length = int(meta['start']), int(meta['end']) - int(meta['start'])
    paths = []
    for _ in range(40):
        a, b = sorted(start + r.randrange(length) for _ in range(2))
        paths.append(f'{base}/s?t0={a}&t1={b}&n=100')
    times, _ = ask_many(server, paths)
    add(bench, 'selection summary, 1000 tracks', times, ((0.95, 200),))


def forget(folder):
    """The store's files leave the page cache."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            fd = os.open(path, os.O_RDONLY)
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


def remember(folder):
    """They come into it."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                while file.read(1 << 24):
                    pass


def cold(bench, store):
    """Asks for what the page needs until the first lanes can be painted."""
    times = []
    for _ in range(7):
        server = Server(bench.nprof, store)
        server.get('server')
        forget(os.path.join(store, ID))
        head, body = server.timed(f'p/{ID}')
        base = f'p/{ID}/{json.loads(body)["gen"]}'
        times.append(
            head + sum(server.timed(f'{base}/{route}')[0] for route in ('meta', 'over?lanes=0-59'))
        )
        server.end()
    bench.report.add(
        'open and first picture, files not in the cache',
        statistics.median(times),
        'ms',
        '<= 20',
        ', '.join(f'{t:.1f}' for t in times),
    )


def slices(bench):
    """Calls eight deep on eight threads, for the page and for Perfetto; written once."""
    path = bench.path('slices.json')
    if os.path.exists(path):
        return path
    r = random.Random(1)
    with open(path, 'w', encoding='ascii') as file:
        file.write('{"traceEvents":[\n')
        for i in range(SLICES):
            depth, thread, call = i % 8, i // 8 % 8, i // 64
            file.write(
                f'{"," if i else ""}{{"ph":"X","pid":1,"tid":{thread},"ts":{call * 20 + depth},"dur":{19 - 2 * depth - r.randrange(3)},"name":"slice {r.randrange(500)}"}}\n'
            )
        file.write(']}\n')
    return path


# -- Ingest ------------------------------------------------------------------------


def stored(bench, store):
    """The one profile of a store: its name, how many rows it has, and the analyzers that took part,
    in their order: some read tables of those before them."""
    server = Server(bench.nprof, store)
    profile = json.loads(server.get('profiles'))['profiles'][0]
    head = json.loads(server.get(f'p/{profile["bucket"]}/{profile["gen"]}/profile'))
    server.end()
    return (
        profile['bucket'],
        profile['rows'],
        [
            origin
            for origin in dict.fromkeys(table['origin'] for table in head['tables'])
            if origin not in ('decoder', 'core')
        ],
    )


def ingest(bench):
    file, _ = bench.generated('xplane-gen', int(MEGABYTES))
    store = bench.path('ingest')
    own = [bench.nprof, 'view', '-q', '--ingest-only', '--force', '--store', store, file], None
    Run(own[0])
    name, rows, analyzers = stored(bench, store)
    # The same analyzers and attributes: a sink that wants all and keeps nothing.
    null = [
        bench.nprof,
        'run',
        '-q',
        *(word for a in analyzers for word in ('-a', a)),
        '-s',
        'drain',
        file,
    ], bench.with_drain
    runs = interleaved({'null': null, 'view': own}, max(1, bench.rounds // 2))
    bench.report.add(
        f'ingest of {os.path.getsize(file) / 1e6:.0f} MB xplane / the same run without a store',
        median(runs['view'], 'cpu') / median(runs['null'], 'cpu'),
        'x',
        '<= 2',
        f'{median(runs["view"], "cpu"):.1f} s / {median(runs["null"], "cpu"):.1f} s user and system',
    )
    polled = Run(own[0], poll=True)
    size = sum(
        os.path.getsize(os.path.join(store, name, f))
        for f in os.listdir(os.path.join(store, name))
        if os.path.isfile(os.path.join(store, name, f))
    )
    bench.report.add(
        'ingest, resident without file pages',
        polled.anon_kb / 1024,
        'MB',
        '<= 256',
        f'{size / rows:.1f} bytes a row, {rows:,} rows',
    )
    shutil.rmtree(store)


# -- Perfetto --------------------------------------------------------------------------


def perfetto(bench):
    if not os.environ.get('NPROF_PERFETTO'):
        print('Perfetto is not measured: no NPROF_PERFETTO')
        return
    file, store = slices(bench), bench.path('slices')
    theirs = Run(
        [
            'node',
            os.path.join(HERE, '..', 'cli', 'perfetto.mjs'),
            os.environ['NPROF_PERFETTO'],
            file,
            'select count(*) from slice',
        ],
        poll=True,
    )
    ours = Run([bench.nprof, 'run', '-q', '-s', f'store:folder={store}', file], poll=True)
    bench.report.add(
        '1 M slices: trace_processor (wasm) / nprof, import',
        theirs.cpu / ours.cpu,
        'x',
        '>= 8',
        f'{theirs.cpu:.2f} s / {ours.cpu:.2f} s user and system',
    )
    bench.report.add(
        '1 M slices: trace_processor (wasm) / nprof, memory',
        theirs.anon_kb / max(ours.anon_kb, 1),
        'x',
        '>= 10',
        f'{theirs.anon_kb / 1024:.0f} MB / {ours.anon_kb / 1024:.0f} MB',
    )


def over_store(bench, store):
    r = random.Random(7)
    cold(bench, store)
    remember(os.path.join(store, ID))
    server = Server(bench.nprof, store)
    head = json.loads(server.get(f'p/{ID}'))
    base = f'p/{ID}/{head["gen"]}'
    meta = json.loads(server.get(f'{base}/meta'))
    print(
        f'{meta["rows"]:,} rows, {len(meta["lanes"])} lanes, {head["profile"]["size"] / max(1, meta["rows"]):.1f} bytes a row'
    )
    pictures(bench, server, base, meta, r)
    clicks(bench, server, base, meta, r)
    searches(bench, server, base, r)
    sums(bench, server, base, meta, r)
    bench.report.add('memory of the server without file pages', server.memory(), 'MB', '', '')
    server.end()


def generated(bench, run):
    """Runs what measures over a store of so many rows."""
    given = os.environ.get('NPROF_BENCH_VIEW_STORE')
    store = given or bench.path('profiles')
    if not given:
        subprocess.run(
            [bench.built('tests/bench/store-gen'), str(ROWS), store],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    try:
        run(bench, store)
    finally:
        if not given:
            shutil.rmtree(store)


def measure(bench):
    generated(bench, over_store)
    perfetto(bench)
    ingest(bench)
