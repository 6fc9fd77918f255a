# SPDX-License-Identifier: Apache-2.0
"""bench_page.py - the page of nprof view in headless Chromium: how soon it has something while a
trace of 300 MB is read, and of a stored profile; what its frames cost when it is panned, zoomed and
scrolled; how soon it answers a click, an area and a letter; how many bytes it is. The variables of
bench_view.py make it smaller."""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

from bench_view import HERE, ID, MEGABYTES, Server, generated, slices
from measure import is_quiet


def node(script, env):
    """What a script of this folder prints, and whether the machine was quiet around it."""
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
    """The worst kind of move: what the page's thread spent on a frame, by its own clock, which
    others that use the cores hardly move; by that of the wall beside it, and what all processes
    spent."""

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
            f'median of {len(times)}: {", ".join(f"{t:.0f}" for t in times)}; '
            f'{detail}{loud(found)}',
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
                    f',\n{{"ph":"X",{at},"ts":{begin},"dur":{400 + r.randrange(300)},'
                    f'"name":"step {r.randrange(40)}"}}'
                    f',\n{{"ph":"X",{at},"ts":{begin + 50},"dur":{100 + r.randrange(200)},'
                    f'"name":"op {r.randrange(400)}"}}'
                )
        file.write(']}\n')
    return path


def page_bytes(bench, server):
    """What the page loads, as it is sent: what lanes need, what an opened profile has loaded, and all
    before Source is opened."""

    def sent(path):
        server.connection.request('GET', path, headers={'Accept-Encoding': 'gzip'})
        return len(server.connection.getresponse().read())

    server.connection.request('GET', '/')
    files = re.findall(
        r'(?:href|src)="(/page-[^"]*)"', server.connection.getresponse().read().decode()
    )
    library = os.path.dirname(next(path for path in files if path.endswith('/page.js')))
    wanted = [library + '/rest.js', library + '/rest.css']
    sizes = {path: sent(path) for path in dict.fromkeys(files + wanted)}
    opened = {path: size for path, size in sizes.items() if path not in wanted}
    first = {p: size for p, size in opened.items() if not re.search('/(later|second).js$', p)}
    for what, some, goal in (
        ('page, gzip: what first lanes need', first, ''),
        ('page, gzip: what an opened profile loads', opened, '<= 120'),
        ('page, gzip: all of it but the editor of Source and SQL', sizes, ''),
    ):
        said = ', '.join(f'{path.split("/")[-1]} {size / 1000:.1f}' for path, size in some.items())
        bench.report.add(what, sum(some.values()) / 1000, 'kB', goal, said)


def painted(bench, store):
    """Lanes of a stored profile, and frames."""
    env = {
        **os.environ,
        'NPROF': bench.nprof,
        'NPROF_BENCH_STORE': store,
        'NPROF_BENCH_ID': ID,
        'NPROF_BENCH_SLICES': slices(bench),
        'NPROF_BENCH_TRACKS': tracks(bench),
    }
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


def over_store(bench, store):
    server = Server(bench.nprof, store)
    page_bytes(bench, server)
    server.end()
    painted(bench, store)


def measure(bench):
    if not os.environ.get('NPROF_VIEWER_NPM') or not shutil.which('chromium'):
        print('the page is not measured: no NPROF_VIEWER_NPM, or no chromium')
        return
    acts(bench)  # first: what follows writes gigabytes
    generated(bench, over_store)
