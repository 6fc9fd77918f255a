# SPDX-License-Identifier: Apache-2.0
"""serving_make.py - draws requests of inference servers and writes the spans that the servers would
send: OTLP as one document and as lines, and Jaeger's JSON. All times are whole ns, drawn first;
files and expectations come of them. The same seed draws the same."""

import json
import random

US, MS, S = 10**3, 10**6, 10**9
SERVERS = ('vllm', 'sglang', 'tgi')


class Request:
    def __init__(self, r, at):
        self.arrival = at
        self.queued = at + r.randrange(100, 900) * US + r.randrange(1000)
        self.scheduled = self.queued + r.randrange(50 * US, 80 * MS)
        self.first = self.scheduled + r.randrange(MS, 30 * MS)
        self.last = self.first + r.randrange(MS, 200 * MS)
        self.end = self.last + r.randrange(MS)
        self.seen = self.first + r.randrange(300 * US)  # by the front end
        self.prompt, self.output = r.randrange(1, 3000), r.randrange(1, 60)
        self.id, self.trace = f'{r.getrandbits(64):016x}', f'{r.getrandbits(128):032x}'


class Span:
    def __init__(
        self, r, name, trace, parent, start, end, attributes, kind=1, error=False, service='server'
    ):
        self.id = f'{r.getrandbits(63) + 1:016x}'
        self.name, self.trace, self.parent, self.start, self.end = name, trace, parent, start, end
        self.attributes, self.kind, self.error, self.service = attributes, kind, error, service


def spans_of(server, seed, n=25):
    """The spans of n requests, and the requests; the first of vllm ended with an error before its
    first token."""
    r = random.Random(f'{server} {seed}')
    at, requests, spans = 1_770_000_000 * S + r.randrange(S), [], []
    for _ in range(n):
        at += r.randrange(60 * MS)
        requests.append(Request(r, at))
    for number, q in enumerate(requests):
        failed = server == 'vllm' and number == 0
        {'vllm': vllm, 'sglang': sglang, 'tgi': tgi}[server](r, spans, q, failed)
    spans.append(
        Span(
            r,
            'GET /health',
            f'{r.getrandbits(128):032x}',
            '',
            at,
            at + MS,
            {'http.status': 200, 'ok': True},
            service='other',
        )
    )
    return spans, requests


def vllm(r, spans, q, failed):
    root = Span(
        r, 'http-request', q.trace, '', q.arrival, q.end, {'x_request_id': q.id}, service='front'
    )
    known = (
        {}
        if failed
        else {
            'gen_ai.usage.prompt_tokens': q.prompt,
            'gen_ai.usage.completion_tokens': q.output,
            'gen_ai.latency.time_to_first_token': (q.seen - q.arrival) / S,
            'gen_ai.latency.e2e': (q.end - q.arrival) / S,
            'gen_ai.latency.time_in_queue': (q.scheduled - q.queued) / S,
            'gen_ai.latency.time_in_model_prefill': (q.first - q.scheduled) / S,
            'gen_ai.latency.time_in_model_decode': (q.last - q.first) / S,
        }
    )
    spans.append(
        Span(
            r,
            'llm_request',
            q.trace,
            root.id,
            q.arrival,
            q.end,
            {'gen_ai.request.id': q.id, **known},
            2,
            failed,
        )
    )
    spans.append(
        Span(r, 'chat m', q.trace, root.id, q.arrival, q.end, {'gen_ai.request.id': q.id}, 3)
    )  # of the client
    spans.append(root)  # parents come later


def sglang(r, spans, q, _failed):
    root = Span(r, ' Req ' + q.id[:8], q.trace, '', q.arrival, q.end, {'rid': q.id})
    for rank in range(2):
        late = rank * 40 * US
        thread = Span(
            r,
            f'Scheduler [TP {rank}]',
            q.trace,
            root.id,
            q.queued + late,
            q.last + late,
            {'pid': 50 + rank, 'thread_label': 'Scheduler', 'tp_rank': rank},
        )
        for name, a, b in (
            ('prefill_waiting', q.queued, q.scheduled),
            ('prefill_forward', q.scheduled, q.first),
            ('decode_loop', q.first, q.last),
        ):
            spans.append(Span(r, name, q.trace, thread.id, a + late, b + late, {}))
        spans.append(thread)
    spans.append(root)


def tgi(r, spans, q, _failed):
    waited = q.scheduled - q.queued
    text = f'{waited / MS}ms' if q.prompt % 2 else f'{waited / US}µs'
    spans.append(
        Span(
            r,
            'generate',
            q.trace,
            '',
            q.arrival,
            q.end,
            {'queue_time': text, 'inference_time': '1.5s', 'generated_tokens': str(q.output)},
            2,
        )
    )


# -- Files
# ------------------------------------------------------------------------------------------


def typed(value, numbers):
    if isinstance(value, bool):
        return {'boolValue': value}
    if isinstance(value, int):
        return {'intValue': value if numbers else str(value)}
    return {'doubleValue': value} if isinstance(value, float) else {'stringValue': value}


def otlp_span(s, numbers):
    return {
        'traceId': s.trace,
        'spanId': s.id,
        **({'parentSpanId': s.parent} if s.parent else {}),
        'name': s.name,
        'kind': s.kind,
        'startTimeUnixNano': s.start if numbers else str(s.start),
        'endTimeUnixNano': s.end if numbers else str(s.end),
        'attributes': [{'key': k, 'value': typed(v, numbers)} for k, v in s.attributes.items()],
        'status': {'code': 2} if s.error else {},
    }


def batch(spans, numbers=False, old=False):
    services = sorted({s.service for s in spans})
    return {
        'resourceSpans': [
            {
                'resource': {
                    'attributes': [{'key': 'service.name', 'value': {'stringValue': name}}]
                },
                'instrumentationLibrarySpans'
                if old
                else 'scopeSpans': [
                    {
                        'scope': {'name': 't'},
                        'spans': [otlp_span(s, numbers) for s in spans if s.service == name],
                    }
                ],
            }
            for name in services
        ]
    }


def batches(spans, **how):
    return [batch(spans[i : i + 16], **how) for i in range(0, len(spans), 16)]


def document(spans, **how):
    return json.dumps(
        {'resourceSpans': [x for b in batches(spans, **how) for x in b['resourceSpans']]},
        ensure_ascii=False,
    )


def lines(spans):
    return ''.join(json.dumps(b, ensure_ascii=False) + '\n' for b in batches(spans))


def jaeger(spans):
    traces = {}
    for s in spans:
        traces.setdefault(s.trace, []).append(s)

    def tags(s):
        kinds = {bool: 'bool', int: 'int64', float: 'float64'}
        return [
            {'key': k, 'type': kinds.get(type(v), 'string'), 'value': v}
            for k, v in {
                **s.attributes,
                **({'error': True} if s.error else {}),
                'span.kind': {2: 'server', 3: 'client'}.get(s.kind, 'internal'),
            }.items()
        ]

    return json.dumps(
        {
            'data': [
                {
                    'traceID': trace,
                    'spans': [
                        {
                            'traceID': trace,
                            'spanID': s.id,
                            'operationName': s.name,
                            'startTime': s.start // US,
                            'duration': (s.end - s.start) // US,
                            'tags': tags(s),
                            'references': [
                                {'refType': 'CHILD_OF', 'traceID': trace, 'spanID': s.parent}
                            ]
                            if s.parent
                            else [],
                            'logs': [],
                            'processID': s.service,
                        }
                        for s in mine
                    ],
                    'processes': {s.service: {'serviceName': s.service, 'tags': []} for s in mine},
                }
                for trace, mine in traces.items()
            ]
        },
        ensure_ascii=False,
    )
