# SPDX-License-Identifier: Apache-2.0
"""store-flips.py - stored profiles of which one bit has changed: each route and each command
answers as before or refuses; none gives another figure, none ends by a signal.

Of each store SOME places are tried, seeded and spread over its files; with NPROF_TEST_ALL=1 (./dev
campaign) a place in each
512 bytes of each file, and 200 of them by every route and command.
"""

import json
import os
import random
import re

from harness import Skip, add_test, check, check_same, main, run
from samples import samples_for
from viewserver import Server

ALL = os.environ.get('NPROF_TEST_ALL')
SOME, FEW = 40, 4
PIECE = 512
SEED = 20260000

TEN = [
    'profile',
    'meta',
    'names',
    'over',
    's?n=1000&percentiles=1',
    'q?q=dur%3E1ns&n=1000',
    'table/devices',
    'e?row=0.0',
    'links?rows=0.0',
    'flame?by=name',
]
MORE = [
    's?n=1000&counters=1&by=track',
    'table/operators?n=10000',
    'table/steps',
    'table/mfu',
    'latency?label=1',
    'strip?pixels=512',
    'v?l=20&i=0&lanes=0-20',
    'groups?by=category',
    'group?by=category&rows=0',
    'rank?row=0.0',
    'overlaps?row=0.0',
    'at?lane=0&t=0',
    'chain?row=0.0&depth=5',
    'near?row=0.0&step=next&of=lane',
    'edges?tracks=0-9&t=6000000000&within=1000000000',
    'suggest?prefix=f',
    's2?a=0-1&b=2-3',
    'gaps',
    'steps',
    'operators',
    'roofline',
    'layers',
    'layers/over',
    'critical',
    'memory?t=0',
    'findings',
    'ranks',
    'sources',
    'q?q=a&n=1000',
    'e?row=1.0',
    'e?row=2.0',
    'gate?demand=busy%20%3E%201%25',
    'export?format=csv',
]


def commands(store):
    return [
        ['report', '--full', '--top', '0', store],
        ['info', '--format', 'json', store],
        ['gate', store, 'busy > 1%'],
        ['flame', '-q', '-o', '-', store],
        ['diff', store, store],
        ['run', '-q', '-s', 'csv:table=events', '-o', '-', store],
    ]


def asked(server, path):
    """The status and the body, without what is of the moment."""
    answer = server.ask('GET', path)
    while answer.status == 202:
        answer = server.ask('GET', path)
    return answer.status, re.sub(rb'"(elapsed_ms|opened)":(null|[0-9.]+),?', b'', answer.body)


def listed(server):
    one = server.api('profiles')['profiles'][0]
    one['opened'] = None
    return one['status'], json.dumps(one, sort_keys=True)


class Flipped:
    """A stored profile with a bit changed, within `with`; the server sees that it is another."""

    def __init__(self, path, at, bit):
        self.path, self.at, self.bit = path, at, bit

    def flip(self):
        with open(self.path, 'r+b') as file:
            file.seek(self.at)
            byte = file.read(1)[0]
            file.seek(self.at)
            file.write(bytes([byte ^ 1 << self.bit]))
        os.utime(os.path.join(os.path.dirname(self.path.replace('/inputs/', '/')), 'meta'))

    def __enter__(self):
        self.flip()

    def __exit__(self, *_):
        self.flip()


def places(folder, rand):
    """A place in each piece of each file, in an order by chance."""
    found = [
        (os.path.join(below, name), at + rand.randrange(min(PIECE, size - at)))
        for below, _, names in os.walk(folder)
        for name in sorted(names)
        for size in [os.path.getsize(os.path.join(below, name))]
        for at in range(0, size, PIECE)
    ]
    files = sorted({path for path, _ in found})
    rand.shuffle(found)
    first = [
        next(place for place in found if place[0] == path) for path in files
    ]  # each file at least once
    return first + [place for place in found if place not in first]


def check_flips(store, rand):
    profile = next(name for name in os.listdir(store) if name.startswith('n_'))
    folder = os.path.join(store, profile)
    refused = figures = 0
    found = places(folder, rand)
    tries, whole = (len(found), 200) if ALL else (SOME, FEW)
    words = commands(folder)
    before = [(r.status, r.out) for r in (run(*w) for w in words)]
    with Server('--store', store) as server:
        generation = server.generation(profile)
        routes = [f'/api/v1/p/{profile}/{generation}/{route}' for route in TEN + MORE]
        answers = {path: asked(server, path) for path in routes}
        statuses = {path: status for path, (status, _) in answers.items()}
        check(
            sum(status == 200 for status in statuses.values()) > 25,
            f'hardly a route answers: {statuses}',
        )
        check(all(answers[path][0] == 200 for path in routes[:8]), f'{statuses}')
        entry = listed(server)
        for k, (path, at) in enumerate(found[:tries]):
            flip = Flipped(path, at, rand.randrange(8))
            where = f'{os.path.relpath(path, folder)} byte {at} bit {flip.bit}'
            every = k % max(tries // whole, 1) == 0
            with flip:
                for route in routes if every else routes[: len(TEN)]:
                    answer = asked(server, route)
                    if answer == answers[route]:
                        continue
                    check(
                        answer[0] in (404, 410, 422),
                        f'{where}: {route}: {answer[0]}, another answer: {answer[1][:300]}',
                    )
                    if answers[route][0] == 200:
                        refused += answer[0] == 422
                status, text = listed(server)
                check(
                    (status, text) == entry or status in ('damaged', 'old'),
                    f'{where}: the list says {text}',
                )
                for word, was in zip(words, before) if every else ():
                    result = run(*word)
                    if (result.status, result.out) != was:
                        check(result.status == 2, f'{where}: another answer\n{result.describe()}')
                figures += 1
    check(refused > 0, 'nothing was refused')
    check_same(figures, min(tries, len(found)), 'flips')


def flips_in(name, inputs):
    def test(_folder):
        files = inputs()
        store = os.path.abspath('store-' + name)
        run('view', '--ingest-only', '-q', '--store', store, *files).expect(0)
        check_flips(store, random.Random(SEED))

    add_test('flips-in-' + name, test)


def kineto():
    data = os.environ.get('NPROF_TEST_DATA')
    if not data:
        raise Skip('NPROF_TEST_DATA names no folder')
    return [
        os.path.join(
            data,
            'json',
            'hta_critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz',
        )
    ]


flips_in(
    'the-sample', lambda: [os.path.join(os.environ['NPROF_SAMPLES'], 'synthetic_tpu.xplane.pb')]
)
flips_in('kineto', kineto)
flips_in('ntff', lambda: samples_for('ntff')[:1])
main()
