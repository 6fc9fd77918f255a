# SPDX-License-Identifier: Apache-2.0
"""requests.py - the analyzer requests: the time to the first token beside what was reckoned by
hand, and beside a plain calculation on random requests, which lie in a file as SGLang's
convert_otel_2_perfetto.py writes it."""

import csv
import io
import json
import os
import random
import re
import statistics
from decimal import Decimal

from harness import check, check_same, main, run, test, write
from randomtrace import scan

US = 10**6  # ps
NONE = 'no request both arrives and is prefilled in the file'
BEFORE = 'dispatch', 'request_process', 'prefill_waiting'


def ps(text):
    return int(Decimal(text) * 1000) if text else None


def stage(name, request, start, end, pid=50, **args):
    return {
        'ph': 'X',
        'name': name,
        'cat': 'sglang',
        'pid': pid,
        'tid': 1,
        'ts': start,
        'dur': end - start,
        'args': {'rid': request, **args},
    }


def kernel(start, end, correlation):
    return {
        'ph': 'X',
        'name': 'gemm',
        'cat': 'kernel',
        'pid': 0,
        'tid': 7,
        'ts': start,
        'dur': end - start,
        'args': {'device': 0, 'stream': 7, 'correlation': correlation},
    }


def launch(start, correlation):
    return {
        'ph': 'X',
        'name': 'cudaLaunchKernel',
        'cat': 'cuda_runtime',
        'pid': 1,
        'tid': 1,
        'ts': start,
        'dur': 2,
        'args': {'correlation': correlation},
    }


def save(events, name='served.json'):
    return write(name, json.dumps({'traceEvents': [launch(0, 1), kernel(3, 5, 1), *events]}))


def rows(path, *options):
    done = run(
        'run', '-a', 'requests', '-s', 'csv:table=requests', '-o', '-', *options, path
    ).expect(0)
    return [
        (
            int(row['requests']),
            int(row['first_tokens']),
            *(ps(row[f'ttft_{c}_ns']) for c in ('p50', 'p99', 'max')),
            row['reason'],
        )
        for row in csv.DictReader(io.StringIO(done.out))
    ]


def of(events, *options):
    return rows(save(events), *options)


# From 100 to 220 us; the parts of the prompt lie within the prefill, two ranks work on it.
ONE = [
    stage('tokenize', 'a', 100, 110, 40),
    stage('dispatch', 'a', 110, 120, 40),
    stage('request_process', 'a', 121, 130),
    stage('prefill_waiting', 'a', 130, 140),
    stage('prefill_forward', 'a', 140, 220),
    stage('chunked_prefill', 'a', 140, 180),
    stage('chunked_prefill', 'a', 180, 220),
    stage('prefill_forward', 'a', 141, 221, 51),
    stage('decode_loop', 'a', 220, 300),
]
# From 100 to 140 us, then it is retracted and prefilled again.
TWO = [
    stage('tokenize', 'b', 100, 110),
    stage('prefill_forward', 'b', 120, 140),
    stage('decode_loop', 'b', 140, 200),
    stage('prefill_forward', 'b', 400, 410),
]
# Neither arrival is in the file, and the second lacks its prefill too.
LATE = [
    stage('request_process', 'c', 0, 10),
    stage('prefill_forward', 'c', 10, 20),
    stage('decode_loop', 'd', 0, 30),
]


@test
def by_hand(_folder):
    once = (1, 1, 120 * US, 120 * US, 120 * US, '')
    check_same(of(ONE), [once], 'one')
    check_same(of(ONE[::-1]), [once], 'backwards')
    check_same(of(ONE + TWO), [(2, 2, 80 * US, 119200000, 120 * US, '')], 'two: 120 and 40')
    check_same(of(LATE), [(2, 0, None, None, None, NONE)], 'those that arrived before')
    check_same(of(ONE + LATE), [(3, *once[1:])], 'beside one that did')
    check_same(
        of([stage('tokenize', 'a', 100, 110), stage('prefill_forward', 'a', 0, 90)]),
        [(1, 0, None, None, None, NONE)],
        'prefilled before it arrived',
    )


@test
def what_is_no_request(_folder):
    check_same(of([]), [], 'none')
    check_same(of([{**span, 'cat': 'mine'} for span in ONE]), [], 'of another category')
    check_same(of([{**span, 'args': {}} for span in ONE]), [], 'of the router, which state no id')
    check_same(of([{**span, 'ph': 'i'} for span in ONE]), [], 'moments')


@test
def of_several_inputs(_folder):
    """Each has its own, also where ids are alike."""
    paths = save(ONE, 'first.json'), save(TWO + ONE, 'second.json'), save([], 'third.json')
    done = run('run', '-a', 'requests', '-s', 'csv:table=requests', '-o', '-', *paths).expect(0)
    found = [
        (os.path.basename(row['input']), row['requests'])
        for row in csv.DictReader(io.StringIO(done.out))
    ]
    check_same([n for _, n in found], ['1', '2'], found)


@test
def of_a_selection(_folder):
    """A request counts where one of its spans is shown, with the time that it has in the whole
    file."""
    path = save(ONE + [stage('tokenize', 'e', 500, 510), stage('prefill_forward', 'e', 520, 530)])
    shift = min(x.start for x in scan(path) if x.kind == 'span')
    for more in ((), ('--clip',)):
        at = *more, '--from', f'{shift + 250 * US}ps'
        check_same(
            rows(path, *at, '--to', f'{shift + 260 * US}ps'),
            [(1, 1, *[120 * US] * 3, '')],
            'of a window',
        )
        check_same(
            rows(path, *at[:-1], f'{shift + 505 * US}ps'),
            [(1, 1, *[30 * US] * 3, '')],
            'the second',
        )


@test
def ids_of_arrows_launch_nothing(_folder):
    """SGLang's converter numbers arrows as correlation, from 0 on; Kineto's launches have the same
    numbers."""
    path = save([launch(50, 2), kernel(80, 90, 2)])
    before = (
        run('report', '-q', '--only', 'launches,idle_causes', '--format', 'json', path)
        .expect(0)
        .out
    )
    spans = [
        {**span, 'args': {**span['args'], 'correlation': n % 3}} for n, span in enumerate(ONE + TWO)
    ]
    path = save(
        [launch(50, 2), kernel(80, 90, 2), stage('decode_loop', 'z', 60, 70, correlation=2), *spans]
    )
    after = (
        run('report', '-q', '--only', 'launches,idle_causes', '--format', 'json', path)
        .expect(0)
        .out
    )
    check_same(*(json.loads(out)['tables'] for out in (after, before)), 'launches')


@test
def the_first_screen(_folder):
    def line(events, *more):
        out = (
            run(
                'report',
                '-q',
                '--color=never',
                write('shown.json', json.dumps({'traceEvents': [*events, *more]})),
            )
            .expect(0)
            .out
        )
        return next(
            (re.sub(' +', ' ', x.strip()) for x in out.splitlines() if x.startswith('  TTFT')), None
        )

    work = launch(0, 1), kernel(3, 5, 1)
    check_same(line(ONE + TWO, *work), 'TTFT median 80.0 us; p99 119 us; 2 requests', 'two')
    check_same(
        line(ONE + LATE), 'TTFT median 120 us; p99 120 us; 1 of 3 requests', 'of hosts alone'
    )
    check_same(line(LATE, *work), None, 'late')
    paths = [
        write(name, json.dumps({'traceEvents': [*events, *work]}))
        for name, events in (
            ('quick.json', TWO),
            ('slow.json', ONE),
            ('late.json', LATE),
            ('none.json', []),
        )
    ]
    lines = run('report', '-q', '--color=never', *paths).expect(0).out.splitlines()
    at = next(i for i, text in enumerate(lines) if text.startswith('  TTFT'))
    check_same(
        [re.sub(' +', ' ', text.strip()) for text in lines[at : at + 1]],
        ['TTFT median 120 us; p99 120 us; 1 requests; slowest of 3 inputs: slow.json'],
        'several',
    )
    check_same(line([], *work), None, 'no inference')
    out = run('report', '--only', 'phases', save(ONE)).expect(0).out
    check('Requests of inference' in out, out)
    out = run('report', '--only', 'requests', save([])).expect(0).out
    check('unknown: no spans of requests in the file' in out, out)


@test
def random_requests(_folder):
    r = random.Random(7)
    events, times = [], []
    for n in range(300):
        at, names = r.randrange(10**6), [
            'tokenize',
            *BEFORE,
            'prefill_forward',
            'decode_loop',
            'prefill_forward',
        ]
        names = names[r.choice((0, 0, 0, r.randrange(7))) : r.choice((7, 7, r.randrange(7)))]
        spans = []
        for name in names:
            end = at + r.randrange(1, 500)
            spans += [
                stage(name, f'r{n}', at, end + r.randrange(3), r.randrange(50, 54))
                for _ in range(r.randrange(1, 3))
            ]
            at = end + r.randrange(20)
        arrivals = [s['ts'] for s in spans if s['name'] == 'tokenize']
        ends = [s['ts'] + s['dur'] for s in spans if s['name'] == 'prefill_forward']
        events += spans
        if arrivals and ends:
            times.append((min(ends) - min(arrivals)) * US)
    r.shuffle(events)
    p99 = statistics.quantiles(times, n=100, method='inclusive')[98]
    n = len({event['args']['rid'] for event in events})
    (found,) = of(events)
    check_same(
        (*found[:3], found[4]), (n, len(times), statistics.median(times), max(times)), 'requests'
    )
    check(abs(found[3] - p99) <= 1, f'{found[3]}, expected {p99}')


main()
