# SPDX-License-Identifier: Apache-2.0
"""bench_view.py - nprof view over a profile of 100 million rows (store-gen, removed afterwards):
pictures, clicks, searches and sums through HTTP, one client, warm; opening it with its files
dropped from the page cache; what an ingest costs beside a run that keeps nothing; and Perfetto's
trace_processor on the same slices. NPROF_BENCH_VIEW_ROWS and _MB make it smaller,
NPROF_BENCH_VIEW_STORE names a folder where store-gen wrote."""

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

from measure import Run, interleaved, is_quiet, median

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


def node(script, env):
    """What a script of this folder prints, and whether the machine was quiet before and after it."""
    quiet = is_quiet()
    done = subprocess.run(
        ['node', os.path.join(HERE, script)], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f'{script}: {done.stderr[-2000:]}')
    return {**json.loads(done.stdout), 'quiet': quiet and is_quiet()}


def loud(found):
    return '' if found['quiet'] else ', not quiet'


def add_frames(bench, what, found, kinds, more=''):
    """The worst kind of move: what the page's thread spent on a frame, by its own clock, which others
    that use the cores hardly move; by that of the wall beside it, and what all processes spent."""

    def each(key):
        return ', '.join(f'{kind} {one[key]:.1f}' for kind, one in kinds.items())

    bars = [one['bars'] for one in kinds.values()]
    bench.report.add(
        f'frame, p95, CPU of the page\'s thread: {what}',
        max(one['cpu'] for one in kinds.values()),
        'ms',
        '<= 8',
        f'{each("cpu")}; by the wall {each("wall")}; all processes, mean {each("all")}; '
        f'{min(a for a, _ in bars):,} to {max(b for _, b in bars):,} rectangles{more}{loud(found)}',
    )


def add_answers(bench, found, detail):
    for key, what, goal in (
        ('click', 'click to the panel of the event', 100),
        ('area', 'area to its figures', 250),
        ('find', 'a letter to the names that have it', 150),
    ):
        times = found[key]
        bench.report.add(
            f'{what}, median',
            statistics.median(times),
            'ms',
            f'<= {goal}',
            f'{", ".join(f"{t:.0f}" for t in times)}; {detail}{loud(found)}',
        )


def acts(bench):
    """A new user before a trace of 300 MB that is being read, several times: files that others
    wrote are on the disk before, for a page waits for what is still on its way there."""
    folder = bench.path('acts')
    os.makedirs(folder, exist_ok=True)
    env = {
        **os.environ,
        'NPROF': bench.nprof,
        'NPROF_BENCH_FOLDER': folder,
        'NPROF_BENCH_MB': str(MEGABYTES * 0.6),
        'NPROF_BENCH_RUNS': str(max(3, bench.rounds)),
    }
    if not os.environ.get('NPROF_VIEWER_NPM') or not shutil.which('chromium'):
        return
    os.sync()
    try:
        found = node('view-acts.mjs', env)
    finally:
        shutil.rmtree(folder)
    detail = f'a trace of PyTorch of {found["bytes"] / 1e6:.0f} MB'
    for what, goal in (('shell', 300), ('lanes', 1000), ('verdict', 3000)):
        times = found[what]
        bench.report.add(
            f'{what} after the page was asked for, while the file is read',
            statistics.median(times),
            'ms',
            f'<= {goal}',
            f'median of {len(times)}: {", ".join(f"{t:.0f}" for t in times)}; {detail}{loud(found)}',
        )
    bench.report.add(
        'slowest kernel of a step, its line, the idle time before it: acts of the mouse',
        found['acts'],
        '',
        '<= 12',
        detail,
    )
    bench.report.add('the same by keyboard: keys', found['keys'], '', '<= 25', detail)
    add_answers(bench, found, detail)
    add_frames(bench, detail, found, found['frames'])


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


def tracks(bench):
    """5,000 threads of 50 processes with two hundred calls each."""
    path = bench.path('tracks.json')
    if os.path.exists(path):
        return path
    r = random.Random(2)
    with open(path, 'w', encoding='ascii') as file:
        file.write('{"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"one"}}')
        for tid in range(5000):
            for i in range(100):
                begin, at = i * 1000 + r.randrange(300), f'"pid":{1 + tid // 100},"tid":{tid + 1}'
                file.write(
                    f',\n{{"ph":"X",{at},"ts":{begin},"dur":{400 + r.randrange(300)},"name":"step {r.randrange(40)}"}}'
                    f',\n{{"ph":"X",{at},"ts":{begin + 50},"dur":{100 + r.randrange(200)},"name":"op {r.randrange(400)}"}}'
                )
        file.write(']}\n')
    return path


def page_bytes(bench, server):
    """What the page loads, as it is sent: what lanes need, and all that is there before Source is opened."""

    def sent(path):
        server.connection.request('GET', path, headers={'Accept-Encoding': 'gzip'})
        return len(server.connection.getresponse().read())

    server.connection.request('GET', '/')
    files = re.findall(
        r'(?:href|src)="(/page-[^"]*)"', server.connection.getresponse().read().decode()
    )
    sizes = {path: sent(path) for path in dict.fromkeys(files)}
    later = sum(size for path, size in sizes.items() if path.endswith('/later.js'))
    said = ', '.join(f'{path.split("/")[-1]} {size / 1000:.1f}' for path, size in sizes.items())
    for what, size, goal in (
        ('page, gzip: what first lanes need', sum(sizes.values()) - later, ''),
        ('page, gzip: all of it but the editor of Source and SQL', sum(sizes.values()), '<= 120'),
    ):
        bench.report.add(what, size / 1000, 'kB', goal, said)


def painted(bench, store):
    """In headless Chromium; printed where it is installed."""
    env = {
        **os.environ,
        'NPROF': bench.nprof,
        'NPROF_BENCH_STORE': store,
        'NPROF_BENCH_ID': ID,
        'NPROF_BENCH_SLICES': slices(bench),
        'NPROF_BENCH_TRACKS': tracks(bench),
    }
    if not os.environ.get('NPROF_VIEWER_NPM') or not shutil.which('chromium'):
        print('first paint is not measured: no NPROF_VIEWER_NPM, or no chromium')
        return
    found = node('view-paint.mjs', env)
    bench.report.add(
        'first lanes painted after navigation',
        statistics.median(found['painted']),
        'ms',
        '<= 300',
        ', '.join(f'{t:.0f}' for t in found['painted']) + loud(found),
    )
    add_frames(
        bench, 'calls at a pixel each', found, found['calls'], ' in frames whose tiles are there'
    )
    add_frames(bench, '5,000 tracks', found, found['tracks'])
    bench.report.add('heap after 400 pans and zooms', found['heap_mb'], 'MB', '<= 60', '')


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
    page_bytes(bench, server)
    bench.report.add('memory of the server without file pages', server.memory(), 'MB', '', '')
    server.end()
    painted(bench, store)


def measure(bench):
    acts(bench)  # first: what follows writes gigabytes
    given = os.environ.get('NPROF_BENCH_VIEW_STORE')
    store = given or bench.path('profiles')
    if not given:
        subprocess.run(
            [bench.built('tests/bench/store-gen'), str(ROWS), store],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    try:
        over_store(bench, store)
    finally:
        if not given:
            shutil.rmtree(store)
    perfetto(bench)
    ingest(bench)
