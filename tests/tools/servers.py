# SPDX-License-Identifier: Apache-2.0
"""servers.py - an inference server that batches, drawn: its requests as OpenTelemetry has them, and
the trace of each GPU that served them, one a replica, by a clock that may be another. What is true
is given back: same seed, same bytes. All times are Unix ns."""

import json
import os
import random
from decimal import Decimal

import serving_make
from serving_make import S


def drawn_requests(rng, n, every=9_000_000):
    return [{'arrival': S + i * every, 'left': rng.randrange(2, 9), 'of': []} for i in range(n)]


def served_by_one(rng, everyone):
    """The steps of a server that batches at most three requests: (start, end, new, old), in ns;
    each request gets the numbers of its steps."""
    at, running, steps, waiting = S, [], [], list(everyone)
    while waiting or running:
        at += rng.randrange(100_000, 900_000)
        new = [waiting.pop(0)] if waiting and len(running) < 3 else []
        for request in new:
            at = max(at, request['arrival'])
        lasts = rng.randrange(4_000_000, 9_000_000)
        steps.append((at, at + lasts, len(new), len(running)))
        running += new
        for request in running:
            request['of'].append(len(steps) - 1)
        running = [request for request in running if len(request['of']) < request['left']]
        at += lasts
    return steps


def span_of(rng, i, request, steps):
    """What vLLM says of it; its front end takes 0.1 ms."""
    first, last = steps[request['of'][0]], steps[request['of'][-1]]
    figures = {
        'time_to_first_token': first[1] - request['arrival'] + 100_000,
        'time_in_queue': first[0] - request['arrival'],
        'time_in_model_prefill': first[1] - first[0],
        'time_in_model_decode': last[1] - first[1],
        'e2e': last[1] - request['arrival'] + 200_000,
    }
    request['window'] = first[0] + 100_000, first[1] + 100_000, last[1] + 100_000
    return serving_make.Span(
        rng,
        'llm_request',
        f'{i + 1:032x}',
        '',
        request['arrival'],
        last[1] + 200_000,
        {
            'gen_ai.request.id': f'r{i}',
            **{f'gen_ai.latency.{name}': ns / S for name, ns in figures.items()},
        },
        2,
    )


def first_half(start, end):
    """The only kernel of a step."""
    return [(start, (start + end) // 2, 7)]


def trace_of(name, steps, device=0, work=first_half):
    """The trace of a GPU, as text: steps as vLLM calls them, and their kernels."""
    found, base = [], S // 2
    for start, end, new, old in steps:
        label = f'execute_context_{new}({new * 9})_generation_{old}({old})'
        for cat, called, begins, ends, stream in (
            ('gpu_user_annotation', label, start, end, 7),
            *(('kernel', 'k', *kernel) for kernel in work(start, end)),
        ):
            found.append(
                {
                    'ph': 'X',
                    'cat': cat,
                    'name': called,
                    'pid': 0,
                    'tid': stream,
                    'ts': Decimal(begins - base) / 1000,
                    'dur': Decimal(ends - begins) / 1000,
                    'args': {'device': device, 'stream': stream},
                }
            )
    random.Random(name).shuffle(found)
    trace = {'baseTimeNanoseconds': base, 'traceEvents': found}
    return json.dumps(trace, default=float)


def ahead(steps, ns):
    """The same steps by a clock that is so far ahead."""
    return [(start + ns, end + ns, *of) for start, end, *of in steps]


def make(folder, seed=7):
    """Two replicas behind one front end: spans.json of both, replica0.json and replica1.json, the
    second one also by a clock that is 40 ms ahead, and what replica 0 did as two servers would
    have, of which one prefills and one decodes."""
    rng = random.Random(seed)
    both = [drawn_requests(rng, 20), drawn_requests(rng, 20, 11_000_000)]
    steps = [served_by_one(rng, everyone) for everyone in both]
    spans = [
        [span_of(rng, 100 * k + i, request, steps[k]) for i, request in enumerate(everyone)]
        for k, everyone in enumerate(both)
    ]
    texts = {
        'spans.json': serving_make.document(spans[0] + spans[1]),
        'spans0.json': serving_make.document(spans[0]),
        'replica0.json': trace_of('0', steps[0]),
        'replica1.json': trace_of('1', steps[1], 1),
        'replica1_ahead.json': trace_of('1', ahead(steps[1], 40_000_000), 1),
        'prefill.json': trace_of('p', [(s, e, new, 0) for s, e, new, old in steps[0] if new]),
        'decode.json': trace_of('d', [(s, e, 0, old) for s, e, new, old in steps[0] if old], 1),
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in texts.items():
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(text)
    return both, steps
