# SPDX-License-Identifier: Apache-2.0
"""otlp.py - spans of inference servers: made requests as OTLP, as its lines and as Jaeger's JSON,
each span and each time of a request against what was drawn; other writers' shapes; hostile
files."""

import base64
import collections
import json
import os
import random
import re
import sys
from decimal import Decimal

from harness import Skip, check, check_same, main, read, rows_of, run, test, write

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import serving_make  # noqa: E402
from serving_make import S  # noqa: E402
from servers import (
    ahead,
    drawn_requests,
    first_half,
    served_by_one,
    span_of,
    trace_of,
)  # noqa: E402

DATA = os.environ.get('NPROF_TEST_DATA', '')


def table(name, *inputs):
    return rows_of(
        run('run', '-q', '-a', 'requests', '-s', f'csv:table={name}', '-o', '-', *inputs)
        .expect(0)
        .out
    )


def events(*inputs):
    return table('events', *inputs)


def made(server, seed=1):
    spans, requests = serving_make.spans_of(server, seed)
    write('a.json', serving_make.document(spans).encode())
    write('a.jsonl', serving_make.lines(spans).encode())
    write('j.json', serving_make.jaeger(spans).encode())
    return spans, requests


def without_input(path):
    out = run('run', '-q', '-s', 'csv', '-o', '-', path).expect(0).out
    return re.sub(r'(?m)^[^,]*,', ',', out)


@test
def each_span(_folder):
    """Names, ids, parents, exact ns, attributes as they are; the lines give the bytes of the
    document."""
    for server in serving_make.SERVERS:
        spans, _ = made(server)
        base = spans[0].start // S * S
        for path, unit in (('a.json', 1), ('a.jsonl', 1), ('j.json', 1000)):
            rows = [row for row in events(path) if row['category'] == 'otel']
            found = collections.Counter(
                (
                    r['name'],
                    r['id'],
                    r['parent'],
                    r['start_ns'],
                    r['duration_ns'],
                    r['trace_id'],
                    r['error'],
                    r['process'],
                )
                for r in rows
            )
            wanted = collections.Counter(
                (
                    s.name,
                    str(int(s.id, 16)),
                    str(int(s.parent, 16)) if s.parent else '',
                    str(s.start // unit * unit - base),
                    str((s.end - s.start) // unit * unit),
                    s.trace,
                    'true' if s.error else '',
                    s.service,
                )
                for s in spans
            )
            check_same(found, wanted, f'{server} {path}')
            by_id = {str(int(s.id, 16)): s for s in spans}
            for row in rows if unit == 1 else ():
                check_same(
                    json.loads(row['args'] or '{}'),
                    by_id[row['id']].attributes,
                    f'{server} {path}: args',
                )
        check_same(without_input('a.jsonl'), without_input('a.json'), f'{server}: lines')


@test
def kinds_of_spans(_folder):
    """As numbers and as words: a request that a client sent is not one that this server had."""
    spans, _ = made('vllm')
    whole = json.loads(serving_make.document(spans))
    requests = [
        s
        for r in whole['resourceSpans']
        for scope in r['scopeSpans']
        for s in scope['spans']
        if s['name'] == 'llm_request'
    ]
    check(requests, 'no request')
    for kind, n in (
        (2, len(requests)),
        ('SPAN_KIND_SERVER', len(requests)),
        (3, 0),
        ('SPAN_KIND_CLIENT', 0),
    ):
        for s in requests:
            s['kind'] = kind
        write('k.json', json.dumps(whole).encode())
        check_same(len(table('request_list', 'k.json')), n, f'kind {kind}')


def quantile(values, q):
    v = sorted(values)
    at = (len(v) - 1) * q
    low = int(at)
    return v[low] + (v[min(low + 1, len(v) - 1)] - v[low]) * (at - low)


def drawn(server, requests):
    """Times of the requests in ns by column; those of the first of vllm are not there."""
    good = requests[1:] if server == 'vllm' else requests
    times = {
        'queue': [q.scheduled - q.queued for q in good],
        'e2e': [q.end - q.arrival for q in good],
    }
    if server != 'tgi':
        times.update(
            ttft=[(q.seen if server == 'vllm' else q.first) - q.arrival for q in good],
            prefill=[q.first - q.scheduled for q in good],
            decode=[q.last - q.first for q in good],
        )
    if server == 'vllm':
        times['tpot'] = [(q.end - q.seen) / (q.output - 1) for q in good if q.output > 1]
    return times


@test
def requests_of_servers(_folder):
    for server in serving_make.SERVERS:
        for seed in (1, 2):
            _, requests = made(server, seed)
            times = drawn(server, requests)
            for path, slack in (('a.json', 1), ('a.jsonl', 1), ('j.json', 2000)):
                (row,) = table('requests', path)
                what = f'{server} {seed} {path}'
                check_same(
                    (row['requests'], row['first_tokens'], row['errors']),
                    (
                        str(len(requests)),
                        str(len(times.get('ttft', []))),
                        '1' if server == 'vllm' else '0',
                    ),
                    what,
                )
                for name in ('ttft', 'queue', 'prefill', 'decode', 'e2e', 'tpot'):
                    for column, q in (('p50', 0.5), ('p99', 0.99), ('max', 1)):
                        cell = row[f'{name}_{column}_ns']
                        check((cell == '') == (name not in times), f'{what} {name}: {cell}')
                        if cell:
                            wanted = quantile(times[name], q)
                            check(
                                abs(float(cell) - wanted) <= slack,
                                f'{what} {name}_{column}: {cell}, {wanted}',
                            )
                good = requests[1:] if server == 'vllm' else requests
                check_same(
                    row['output_tokens'],
                    '' if server == 'sglang' else str(sum(q.output for q in good)),
                    what,
                )
                if server == 'vllm':
                    span = max(q.end for q in requests) - requests[0].arrival
                    check(
                        abs(float(row['tokens_per_s']) * span / S - sum(q.output for q in good))
                        < 1,
                        what,
                    )
            check_same(
                [r['rid'] for r in table('request_list', 'a.json')],
                ['' if server == 'tgi' else q.id for q in requests],
                f'{server}: by arrival',
            )


@test
def phases_are_laid_out(_folder):
    """Prefill ends with the first token; where the parts are longer than the whole, none is
    drawn."""
    spans, requests = made('vllm')
    base = spans[0].start // S * S
    rows = [r for r in events('a.json') if r['category'] == 'request' and r['laid_out'] == 'true']
    wanted = collections.Counter()
    for q in requests[1:]:
        first = q.seen - base
        begins = first - (q.first - q.scheduled)
        wanted.update(
            [
                ('queue', begins - (q.scheduled - q.queued), q.scheduled - q.queued),
                ('prefill', begins, q.first - q.scheduled),
                ('decode', first, q.last - q.first),
            ]
        )
    check_same(
        collections.Counter((r['name'], int(r['start_ns']), int(r['duration_ns'])) for r in rows),
        wanted,
        'phases',
    )
    one = next(s for s in spans if 'gen_ai.latency.e2e' in s.attributes)
    one.attributes['gen_ai.latency.time_in_queue'] = 3600.0
    write('long.json', serving_make.document(spans).encode())
    run('run', '-s', 'null', 'long.json').expect(
        0, err='*of 1 requests queue and prefill take longer than the first token*'
    )


@test
def exact_times(_folder):
    """Ns beyond what a double holds, seconds with exponents and to a ps."""
    span = serving_make.Span(
        random.Random(1),
        'llm_request',
        'ab' * 16,
        '',
        1770000000123456789,
        1770000001000000002,
        {},
        2,
    )
    doc = serving_make.document([span], numbers=True).replace(
        '"attributes": []',
        '"attributes": [%s]'
        % ', '.join(
            '{"key": "gen_ai.latency.%s", "value": {"doubleValue": %s}}' % pair
            for pair in (
                ('time_to_first_token', '1.25e-05'),
                ('time_in_queue', '0.000000000001'),
                ('e2e', '0.8765432130000004'),
                ('time_in_model_prefill', '2E-6'),
                ('time_in_model_decode', '12345.000000000001'),
            )
        ),
    )
    write('x.json', doc)
    row = next(r for r in events('x.json') if r['name'] == 'request')
    check_same((row['start_ns'], row['duration_ns']), ('123456789', '876543213'), 'ns')
    exact = {
        'ttft': '12500',
        'queue_time': '0.001',
        'e2e': '876543213',
        'prefill_time': '2000',
        'decode_time': '12345000000000.001',
    }
    check_same(
        {k: Decimal(row[k]) / 1000 for k in exact}, {k: Decimal(v) for k, v in exact.items()}, 'ps'
    )


@test
def a_request_whose_end_is_wrong_has_no_time(_folder):
    """Neither of its own nor, where the server states none, from its arrival to its end."""
    start = 1770000000000000000
    spans = [
        serving_make.Span(random.Random(n), 'llm_request', f'{n:032x}', '', start, end, {}, 2)
        for n, end in enumerate((start + 5000, start - 5000), 1)
    ]
    write('x.json', serving_make.document(spans))
    found = [(r['duration_ns'], r['e2e']) for r in events('x.json') if r['name'] == 'request']
    check_same(sorted(found), [('', ''), ('5000', '5000000')], 'duration and e2e')


@test
def other_writers(_folder):
    """Numbers for texts, the old name of scopes, ids in base64, batches that come twice, metrics
    between them, a cut end."""
    spans, _ = made('vllm')
    plain = events('a.json')
    write('n.json', serving_make.document(spans, numbers=True, old=True).encode())

    def key(rows):
        return [{k: v for k, v in r.items() if k != 'input'} for r in rows]

    check_same(key(events('n.json')), key(plain), 'numbers and the old name')
    text = re.sub(
        r'"((?:traceId|spanId|parentSpanId))": "([0-9a-f]+)"',
        lambda m: f'"{m[1]}": "{base64.b64encode(bytes.fromhex(m[2])).decode()}"',
        serving_make.document(spans),
    )
    write('b.json', text.encode())
    check_same(key(events('b.json')), key(plain), 'base64')
    lines = serving_make.lines(spans).splitlines()
    r = random.Random(2)
    shuffled = lines[1:]
    r.shuffle(shuffled)
    write(
        't.jsonl',
        '\n'.join(
            [
                lines[0],
                lines[0],
                *shuffled,
                '{"resourceMetrics":[]}',
                lines[1],
                '{"resourceSpans":[{"scopeSp',
            ]
        ).encode(),
    )
    result = run('run', '-s', 'csv', '-o', '-', 't.jsonl').expect(
        0, err=['*the last one, is cut off*']
    )

    def bag(rows):
        return collections.Counter(
            (row['name'], row['id'], row['start_ns'], row['rid']) for row in rows
        )

    check_same(bag(rows_of(result.out)), bag(plain), 'twice')
    check_same(
        [(x['what'], x['count']) for x in table('skipped', 't.jsonl')],
        [('metrics', '1')],
        'metrics',
    )
    write('m.jsonl', '\n'.join([lines[0], '{"resourceSpans": [', *lines[1:]]).encode())
    result = run('run', '-s', 'null', 'm.jsonl').expect(
        2, err='*m.jsonl: byte *: line 2 of this file of spans cannot be read: *'
    )
    check(int(result.err.split('byte ')[1].split(':')[0]) > len(lines[0]), result.err)
    kept = run('run', '--keep-going', '-s', 'csv', '-o', '-', 'm.jsonl').expect(3)
    gap, rows = (
        [r for r in rows_of(kept.out) if (r['kind'] == 'gap') == is_gap] for is_gap in (1, 0)
    )
    check_same(bag(rows), bag(plain), 'all other lines')
    check_same(
        [(r['name'], r['duration_ns']) for r in gap],
        [('rows of any time may be missing', '')],
        'the line',
    )
    bad = serving_make.spans_of('vllm', 3)[0]
    bad[0].end, bad[1].end = 0, bad[1].start - 5
    write('e.json', serving_make.document(bad).encode())
    result = run('run', '-s', 'csv', '-o', '-', 'e.json').expect(
        0, err='*2 spans have no end, or end before they start*'
    )
    check_same(
        sum(row['duration_ns'] == '' for row in rows_of(result.out) if row['category'] == 'otel'),
        2,
        'durations',
    )


@test
def the_first_screen(_folder):
    _, requests = made('vllm')
    words = ' '.join(run('report', 'a.json').expect(0).out.split())
    check(
        f'{len(requests) - 1} of {len(requests)} requests requests queue ' in words
        and '; TPOT ' in words
        and 'tokens/s of these requests' in words,
        words,
    )
    made('tgi')
    words = ' '.join(run('report', 'a.json').expect(0).out.split())
    check('TTFT' not in words and ' tokens/s of these requests' in words, words)


@test
def beside_a_device(_folder):
    """A trace with an epoch and the spans lie on one axis."""
    spans, requests = made('vllm')
    at = requests[3].scheduled
    write(
        'gpu.json',
        json.dumps(
            {
                'baseTimeNanoseconds': at - at % S,
                'traceEvents': [
                    {
                        'ph': 'X',
                        'cat': 'kernel',
                        'name': 'gemm',
                        'pid': 0,
                        'tid': 7,
                        'ts': at % S / 1000,
                        'dur': 5,
                        'args': {'device': 0, 'stream': 7},
                    }
                ],
            }
        ),
    )
    rows = events('a.json', 'gpu.json')
    kernel = next(r for r in rows if r['name'] == 'gemm')
    arrival = next(r for r in rows if r['category'] == 'request' and r['rid'] == requests[3].id)
    check(
        abs(Decimal(kernel['start_ns']) - Decimal(arrival['start_ns']) - (at - requests[3].arrival))
        <= 1,
        f'{kernel} {arrival}',
    )


@test
def real_span(_folder):
    """What the JavaScript SDK wrote: times as texts, integers as numbers."""
    path = os.path.join(DATA, '..', 'files', 'others', 'otlp_js_sdk.json')
    if not DATA or not os.path.exists(path):
        raise Skip('no real traces here')
    with open(path, encoding='utf-8') as file:
        spans = [
            s
            for rs in json.load(file)['resourceSpans']
            for ss in rs['scopeSpans']
            for s in ss['spans']
        ]
    rows = [r for r in events(path) if r['category'] == 'otel']
    base = int(spans[0]['startTimeUnixNano']) // S * S
    check_same(
        sorted(
            (r['name'], r['start_ns'], r['duration_ns'], int(r['id']), int(r['parent'] or 0))
            for r in rows
        ),
        sorted(
            (
                s['name'],
                str(int(s['startTimeUnixNano']) - base),
                str(int(s['endTimeUnixNano']) - int(s['startTimeUnixNano'])),
                int(s['spanId'], 16),
                int(s.get('parentSpanId') or '0', 16),
            )
            for s in spans
        ),
        'spans',
    )
    check(
        '9007199254740992' in ''.join(r['args'] for r in rows),
        'an integer beyond what a double holds',
    )


@test
def hostile(_folder):
    """Cut and changed documents, ids and values of other types, deep values: an error with the
    byte, or rows."""
    spans, _ = made('sglang')
    r = random.Random(7)
    for name in ('a.json', 'j.json'):
        whole = read(name)
        for cut in [r.randrange(20, len(whole) - 2) for _ in range(6)]:
            write('c.json', whole[:cut])
            run('run', '-d', 'otlp', '-s', 'null', 'c.json').expect(2, err='*c.json: byte *')
        for _ in range(16):
            data = bytearray(whole)
            for _ in range(r.choice((1, 4, 40))):
                data[r.randrange(2, len(data))] = r.randrange(256)
            write('c.json', bytes(data))
            result = run('run', '-a', 'requests', '-d', 'otlp', '-s', 'null', 'c.json')
            check(
                result.status in (0, 2) and (result.status == 0 or 'c.json: byte ' in result.err),
                result.describe(),
            )
    deep = '{"arrayValue":{"values":[' * 4000 + ']}}' * 4000
    odd = {
        'resourceSpans': [
            5,
            {},
            {'scopeSpans': 7},
            {
                'scopeSpans': [
                    {
                        'spans': [
                            {},
                            {'traceId': 'zz', 'spanId': 5},
                            {'traceId': 'ab', 'spanId': 'cd'},
                            3,
                        ]
                    }
                ]
            },
        ]
    }
    write('o.json', json.dumps(odd))
    check_same(
        sorted(x['reason'] for x in table('skipped', 'o.json')),
        ['it has no start', 'its traceId or spanId is no id'],
        'what is left out',
    )
    one = serving_make.document(spans[:1]).replace(
        '"attributes": []', '"attributes": [{"key": "x", "value": %s}]' % deep
    )
    write('d.json', one.encode())
    check_same(len(events('d.json')), 1, 'a deep value')


def best_offsets(firsts, ends):
    """The offsets that most first tokens suit, each moment between edges tried for each of them."""
    edges = sorted(
        {
            e - f + more
            for f in firsts
            for e in ends
            if abs(e - f) < 2 * S
            for more in (0, S // 1000)
        }
    )
    votes = [
        sum(
            any(
                lo + f <= e + S // 1000 and hi + f >= e and e - f <= lo and hi <= e - f + S // 1000
                for e in ends
            )
            for f in firsts
        )
        for lo, hi in zip(edges, edges[1:])
    ]
    best = max(votes)
    first = votes.index(best)
    last = next((i for i in range(first, len(votes)) if votes[i] < best), len(votes))
    return best, edges[first], edges[last]


@test
def clocks_of_a_device(_folder):
    """The offset interval beside one that is sought moment by moment, and why nothing is joined."""
    for seed, ahead in ((1, 0), (2, 40 * S // 1000), (3, -3 * S // 1000)):
        key = 'gen_ai.latency.time_to_first_token'
        firsts = [
            s.start + int(Decimal(repr(s.attributes[key])) * S)
            for s in made('vllm', seed)[0]
            if key in s.attributes and not s.error
        ]
        rng, base = random.Random(seed), min(firsts) - S
        ends = [f + ahead - rng.randrange(800_000) for f in firsts] + [
            rng.randrange(min(firsts), max(firsts)) for _ in range(15)
        ]

        def step(name, end, lasts=Decimal('500')):
            at = Decimal(end - base) / 1000 - lasts
            return [
                {
                    'ph': 'X',
                    'cat': cat,
                    'name': label,
                    'pid': 0,
                    'tid': 7,
                    'ts': at,
                    'dur': lasts,
                    'args': {'device': 0, 'stream': 7},
                }
                for cat, label in (('gpu_user_annotation', name), ('kernel', 'k'))
            ]

        def trace(name, rows):
            write(
                name, json.dumps({'baseTimeNanoseconds': base, 'traceEvents': rows}, default=float)
            )

        trace(
            'gpu.json',
            [e for end in ends for e in step('execute_context_1(9)_generation_2(2)', end)]
            + [
                e
                for f in firsts
                for e in step('execute_context_0(0)_generation_2(2)', f + 700_000_000)
            ],
        )
        (row,) = table('requests', 'a.json', 'gpu.json')
        best, least, most = best_offsets(firsts, ends)
        check(best >= 0.95 * len(firsts), f'{best} of {len(firsts)}')
        check_same(
            [
                int(Decimal(row['ahead_least_ns'])),
                int(Decimal(row['ahead_most_ns'])),
                row['trace'],
                row['apart'],
            ],
            [least, most, 'gpu.json', ''],
            'joined',
        )
        check(least <= ahead <= most, 'it holds what was drawn')
        said = run('report', '-q', 'a.json', 'gpu.json').expect(0).out
        check(
            ('agree within 1 ms' if not ahead else 'ahead of' if ahead > 0 else 'behind') in said,
            said,
        )
    trace(
        'apart.json',
        [e for end in ends[:3] for e in step('execute_context_1(9)_generation_2(2)', end)],
    )
    (row,) = table('requests', 'a.json', 'apart.json')
    check_same([row['trace'], row['ahead_least_ns']], ['', ''], 'three steps of 25')
    check('expected 95 % of 8 or more' in row['apart'], row['apart'])
    (row,) = table('requests', 'a.json', 'gpu.json', 'apart.json')
    check_same([row['trace'], row['apart']], ['gpu.json', ''], 'the one that made them all')
    (row,) = table('requests', 'a.json')
    check_same([row['trace'], row['apart']], ['', ''], 'no trace beside it')


def write_steps(name, steps, device=0, work=first_half):
    return write(name, trace_of(name, steps, device, work))


@test
def several_traces_beside_requests(_folder):
    """Ranks of one server each made all first tokens, replicas a part, in any order of the inputs;
    who only prefills is not said to decode."""
    rng = random.Random(7)
    both = [drawn_requests(rng, 20), drawn_requests(rng, 20, 11_000_000)]
    steps = [served_by_one(rng, everyone) for everyone in both]
    for name, who in (('one.json', both[:1]), ('two.json', both)):
        spans = [
            span_of(rng, 100 * k + i, request, steps[k])
            for k, everyone in enumerate(who)
            for i, request in enumerate(everyone)
        ]
        write(name, serving_make.document(spans).encode())
    for k in (0, 1):
        write_steps(f'replica{k}.json', steps[k], k)
    late = [(start + 90_000, end - 80_000, *of) for start, end, *of in steps[0]]
    write_steps('rank1.json', late, 1, lambda start, end: [(start, end, 7)])
    write_steps('prefills.json', [(s, e, new, 0) for s, e, new, old in steps[0] if new])
    write_steps('decodes.json', [(s, e, 0, old) for s, e, new, old in steps[0] if old], 1)
    write_steps('another.json', ahead(steps[1], 700 * S), 3)
    write_steps('ahead.json', ahead(steps[1], 40_000_000), 1)
    for traces, served in (
        (['replica0.json', 'rank1.json'], 'GPU 1'),  # it is busy longer
        (['replica0.json', 'replica1.json'], 'GPU 0'),  # the second made none of them
    ):
        for order in (traces, traces[::-1]):
            (row,) = table('requests', 'one.json', *order)
            wanted = 'rank1.json' if served == 'GPU 1' else 'replica0.json'
            check_same((row['trace'], row['apart']), (wanted, ''), f'{order}')
            for row in table('request_list', 'one.json', *order):
                of = str(len(both[0][int(row['rid'][1:])]['of']))
                check_same((row['served_by'], row['steps']), (served, of), f'{order}: {row["rid"]}')
    seen = collections.Counter()
    for order in (['replica0.json', 'replica1.json'], ['replica1.json', 'replica0.json']):
        (row,) = table('requests', 'two.json', *order, 'another.json')
        check_same(row['trace'], ', '.join(order), 'replicas')
        for row in table('request_list', 'two.json', *order, 'another.json'):
            k, i = divmod(int(row['rid'][1:]), 100)
            request = both[k][i]
            token = request['window'][1]
            others = [
                end for _, end, new, _ in steps[1 - k] if new and 0 <= token - end <= 1_000_000
            ]
            wanted = ('', '') if others else (f'GPU {k}', str(len(request['of'])))
            check_same((row['served_by'], row['steps']), wanted, f'{order}: {row["rid"]}')
            seen[wanted[0]] += 1
    check(min(seen['GPU 0'], seen['GPU 1'], seen['']) > 0, f'{seen}')
    for row in table('request_list', 'one.json', 'prefills.json', 'decodes.json'):
        check_same(
            (row['served_by'], row['decode_busy_ns'], row['steps']), ('GPU 0', '', ''), 'prefills'
        )
        check(row['prefill_busy_ns'] != '', f'{row}')
    (row,) = table('requests', 'two.json', 'replica0.json', 'another.json')
    check_same(row['trace'], '', 'half of them')
    check('expected 95 % of 8 or more' in row['apart'], row['apart'])
    for order in (['replica0.json', 'ahead.json'], ['ahead.json', 'replica0.json']):
        (row,) = table('requests', 'two.json', *order)
        check_same((row['trace'], row['ahead_least_ns']), ('', ''), 'replicas by two clocks')
        alone = dict(re.findall(r'(\w+\.json) (\d+)', row['apart'].split('alone ')[1]))
        check_same(sorted(alone), sorted(order), row['apart'])
        check(min(map(int, alone.values())) >= 20, f'each made twenty: {row["apart"]}')
        (of,) = {r['served_by'] for r in table('request_list', 'two.json', *order)}
        check_same(of, '', 'of no one')
        out = ' '.join(run('report', '-q', 'two.json', *order).expect(0).out.split())
        check('joined with no trace: at no one offset of the clocks' in out, out)


@test
def what_the_device_did_for_requests(_folder):
    """Requests that share batches: steps, their requests and busy times beside sums over a drawn
    server, whose clocks agree; with clocks apart, steps are the same."""
    for seed, ahead in ((4, 0), (5, 40_000_000), (6, -3_000_000)):
        rng = random.Random(seed)
        everyone = drawn_requests(rng, 20)
        steps = served_by_one(rng, everyone)
        spans = [span_of(rng, i, request, steps) for i, request in enumerate(everyone)]
        write('served.json', serving_make.document(spans).encode())
        kernels = []

        def work(start, end):
            """Two streams, one beside the other, in part."""
            start, end = start - ahead, end - ahead
            of = (start, start + (end - start) // 2, 7), (start + 1_000_000, end - 300_000, 8)
            kernels.extend(of)
            return [(a + ahead, b + ahead, stream) for a, b, stream in of]

        clocked = [(start + ahead, end + ahead, *of) for start, end, *of in steps]
        write_steps('served-gpu.json', clocked, work=work)

        def busy(begins, ends):
            """By moments of the union that kernels begin and end."""
            edges = sorted(
                {begins, ends, *(t for k in kernels for t in k[:2] if begins < t < ends)}
            )
            return sum(
                b - a
                for a, b in zip(edges, edges[1:])
                if any(k[0] <= a and b <= k[1] for k in kernels)
            )

        rows = table('request_list', 'served.json', 'served-gpu.json')
        check_same(len(rows), 20, 'requests')
        for row in rows:
            request = everyone[int(row['rid'][1:])]
            of = [steps[i] for i in request['of']]
            check_same(
                (row['served_by'], row['steps']), ('GPU 0', str(len(of))), f'{seed}: {row["rid"]}'
            )
            check(
                abs(float(row['batch']) - sum(s[2] + s[3] for s in of) / len(of)) < 1e-9, str(row)
            )
            begins, first, last = request['window']
            for column, wanted in (
                ('prefill_busy_ns', busy(begins, first)),
                ('decode_busy_ns', busy(first, last)),
            ):
                off = abs(Decimal(row[column]) - wanted)
                check(
                    off <= (1 if not ahead else 1_000_000), f'{seed}: {column} is off by {off} ns'
                )
        (alone, *_) = table('request_list', 'served.json')
        check_same(
            [
                alone[c]
                for c in ('served_by', 'prefill_busy_ns', 'decode_busy_ns', 'steps', 'batch')
            ],
            [''] * 5,
            'no trace beside them',
        )


@test
def what_requests_wait_for(_folder):
    """163 of 178 ms are queue: by how busy the device is, or by nothing."""
    for busy, said in (
        (95, 'GPU busy 95.0 %; they wait for a place in the batch'),
        (50, 'GPU busy 50.0 %; the scheduler does not keep up'),
        (80, 'GPU busy 80.0 %; the file does not say why'),
        (None, 'are queue; the file does not say why'),
    ):
        attributes = {
            'gen_ai.request.id': 'r',
            'gen_ai.latency.time_to_first_token': 0.178,
            'gen_ai.latency.e2e': 0.4,
            'gen_ai.latency.time_in_queue': 0.163,
        }
        span = serving_make.Span(
            random.Random(1), 'llm_request', 'a' * 32, '', S, 2 * S, attributes, 2
        )
        write('one.json', serving_make.document([span]).encode())
        kernels = [
            {
                'ph': 'X',
                'cat': 'kernel',
                'name': 'k',
                'pid': 0,
                'tid': 7,
                'ts': at,
                'dur': dur,
                'args': {'device': 0, 'stream': 7},
            }
            for at, dur in ((0, busy or 0), (100, 0))
        ]
        write('busy.json', json.dumps({'traceEvents': kernels}))
        found = (
            run('report', '-q', '--findings', 'one.json', *(['busy.json'] if busy else []))
            .expect(0)
            .out
        )
        check(
            'Requests wait: 163 ms of 178 ms to the first token are queue'
            in ' '.join(found.split())
            and said in ' '.join(found.split()),
            found,
        )


main()
