# SPDX-License-Identifier: Apache-2.0
"""layer_times_make.py - draws files that say how long layers or queries took: of trtexec, OpenVINO's
benchmark_app, Proton and Chakra, and what a reader must find in them. The same seed draws the same."""

import decimal
import json
import random

WORDS = ('conv1', 'relu {ForeignNode[a...b]}', 'fc;out', 'größe', 'a,"b"', 'x\\y')


def ms(ps):
    """A time as trtexec writes it, six digits of ms, and what these are in ps."""
    text = f'{ps / 10**9:.6g}'
    return text, int(decimal.Decimal(text) * 10**9)


def trtexec_profile(seed):
    """Text, and (name, count, total, average, median) of each layer, in ps."""
    r, rows, count = random.Random(seed), [], random.Random(seed).randrange(1, 5000)
    lines = ['{ "count" : %d }' % count]
    for i in range(r.randrange(1, 12)):
        name, total = f'{r.choice(WORDS)} {i}', ms(r.randrange(10**13))
        average, median = ms(total[1] // count), ms(total[1] // count)
        member = '"medianMs" : %s, ' % median[0] if seed % 2 else ''
        lines.append(
            '{ "name" : %s, "timeMs" : %s, "averageMs" : %s, %s"percentage" : 1.5 }'
            % (json.dumps(name), total[0], average[0], member)
        )
        rows.append((name, count, total[1], average[1], median[1] if seed % 2 else None))
    return '[\n  ' + '\n, '.join(lines) + '\n]\n', rows


def trtexec_times(seed, n=50):
    """Text, and (track, name, query, start, length) of each span, in ps; seed % 2: as versions
    until 8.0 call them."""
    r, at, lines, rows = random.Random(seed), 0, [], []
    old = seed % 2
    names = ('Enq', 'In', 'Compute', 'Out') if old else ('Enq', 'H2d', 'Compute', 'D2h')
    tracks = ('enqueue', 'H2D', 'compute', 'D2H')
    words = ('enqueue', 'copy of inputs', 'inference', 'copy of outputs')
    for query in range(n):
        at += r.randrange(10**9, 10**12)
        members, begin = {}, at
        start = [0] * 4
        for i, name in enumerate(names):
            lasts = r.randrange(10**6, 10**9) if i in (0, 2) or r.random() < 0.7 else 0
            length = ms(lasts)
            a, z = ms(begin), ms(begin + length[1])
            members[f'start{name}Ms'], members[f'end{name}Ms'] = a[0], z[0]
            if i:
                members[f'{name[0].lower()}{name[1:]}Ms'] = length[0]
            start[i] = (a[1], z[1], length[1] if i else z[1] - a[1])
            begin += length[1] if i else 0
        members['latencyMs'] = '1'
        for i, (a, z, lasts) in enumerate(start):
            if lasts or i == 2:
                rows.append((tracks[i], words[i], query, a, lasts))
        first, last = min(a for a, _, _ in start[1:]), max(z for _, z, _ in start[1:])
        rows.append(('queries', 'query', query, first, last - first))
        lines.append('{ ' + ', '.join(f'"{k}" : {v}' for k, v in members.items()) + ' }')
    return '[\n  ' + '\n, '.join(lines) + '\n]\n', rows


def openvino(seed):
    """Text, and (name, type, ps, ps of the host) of each layer that ran."""
    r, rows = random.Random(seed), []
    numa = seed % 2
    lines = [
        'layerName;execStatus;layerType;execType;%srealTime (ms);cpuTime (ms);' % ('numaId;' * numa)
    ]
    for i in range(r.randrange(1, 12)):
        name, real, cpu = f'{r.choice(WORDS[:2] + WORDS[3:])}_{i}', *r.choices(range(10**6), k=2)
        status = r.choice(('EXECUTED', 'EXECUTED', 'NOT_RUN', 'OPTIMIZED_OUT'))
        how = r.choice(('jit_avx512_FP32', ''))
        lines.append(
            f'{name};{status};Convolution;{how};{"0;" * numa}{real / 1000:.3f};{cpu / 1000:.3f};'
        )
        if status == 'EXECUTED':
            rows.append((name, f'Convolution {how}'.strip(), real * 10**6, cpu * 10**6))
    lines.append('Total;;;;' + ';' * numa + '1.0;1.0;')
    return ('\r\n' if seed % 3 == 0 else '\n').join(lines) + '\n', rows


def proton(seed):
    """Text, and (scope, name, device, calls, ps, flops, bytes, is in the sum) of each row."""
    r, rows = random.Random(seed), []

    def frame(depth, scope):
        name, metrics, time = f'{r.choice(WORDS)} {r.randrange(99)}', {}, None
        path, below = scope + [name], []
        at = len(rows)
        for _ in range(r.randrange(4) if depth < 5 else 0):
            below.append(frame(depth + 1, path))
        times = [t for _, t in below if t is not None]
        if not below or r.random() < 0.1:
            time = r.randrange(1, 10**6)
            metrics = {
                'count': r.randrange(1, 99),
                'device_id': str(r.randrange(2)),
                'device_type': 'CUDA',
                'time (ns)': time,
            }
        if r.random() < 0.2:
            metrics |= {'flops16': 1e9, 'flops8': 5e8, 'bytes': r.randrange(10**9)}
        if metrics:
            total = time if time is not None else sum(times) if times else None
            flops = 1.5e9 if 'flops16' in metrics else None
            device = f'CUDA {metrics["device_id"]}' if 'device_id' in metrics else ''
            row = (
                ';'.join(scope),
                name,
                device,
                metrics.get('count'),
                total * 1000 if total is not None else None,
                flops,
                metrics.get('bytes'),
                not times,
            )
            rows.insert(at, row)
        own = time if time is not None else sum(times) if times else None
        tree = {'children': [t for t, _ in below], 'frame': {'name': name, 'type': 'function'}}
        return tree | {'metrics': metrics}, own

    trees = [frame(1, [])[0] for _ in range(3)]
    root = {'children': trees, 'frame': {'name': 'ROOT', 'type': 'function'}}
    root['metrics'] = {'count': 0, 'time (ns)': 0}
    devices = {'CUDA': {'0': {'arch': '90', 'num_sms': 132, 'clock_rate': 1980000}}}
    return '\n' + json.dumps([root, devices], indent=seed % 2 or None), rows


def linked(seed, n=60):
    """JSON of chakra_trace_link, and (track, name, ns, ns) of each node with times; seed % 2: as
    execution traces until 1.0.1 say the thread."""
    r, nodes, rows = random.Random(seed), [], []
    at = r.randrange(10**15, 2 * 10**15)
    first = None
    for i in range(n):
        node = {'id': i, 'name': f'{r.choice(WORDS)} {r.randrange(9)}', 'ctrl_deps': 0}
        device, tid = r.random() < 0.4, r.randrange(1, 4)
        if seed % 2:
            node |= {'tid': tid, 'inputs': [[5, 6, 0, 1, 4, 'cuda:0'], '<None>']}
        else:
            attrs = [('rf_id', 7), ('tid', tid), ('op_schema', '')]
            node['attrs'] = [{'name': k, 'type': 'x', 'value': v} for k, v in attrs]
        if r.random() < 0.8:
            at += r.randrange(1, 500)
            lasts = r.randrange(10**6)
            first = at if first is None else first
            node |= {'ts': at, 'inclusive_dur': lasts / 1000, 'exclusive_dur': 0}
            if device:
                node |= {'cat': 'kernel', 'ph': 'X', 'stream': tid + 6}
            track = f'stream {tid + 6}' if device else f'thread {tid}'
            rows.append((track, node['name'], (at - first) * 1000, lasts))
        nodes.append(node)
    graph = {'schema': '1.1.1-chakra.0.0.4', 'pid': 1, 'time': 'x', 'start_ts': 1, 'nodes': nodes}
    return json.dumps(graph, indent=seed % 3 or None), rows


def varint(n):
    out = b''
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def chakra(seed, timed=True):
    """Bytes of an .et, and {(name, type): [nodes, us]} of nodes with a duration."""
    r, found = random.Random(seed), {}

    def field(number, value):
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        return varint(number << 3 | 2) + varint(len(value)) + value

    messages = [field(1, b'0.0.4') + field(2, field(1, b'schema') + field(29, b'x' * 200))]
    types = ('', 'metadata', '', '', 'compute', 'send', 'receive', 'collective')
    for i in range(r.randrange(1, 80)):
        name, kind = f'{r.choice(WORDS)} {r.randrange(4)}', r.choice((1, 4, 4, 5, 6, 7, 9))
        us = r.randrange(1, 10**6) if timed and r.random() < 0.8 else 0
        node = field(1, i) + field(2, name.encode()) + field(3, kind) + field(4, varint(0))
        node += field(7, us) * (us > 0) + field(8, field(1, b'[]')) + field(10, field(1, b'rf_id'))
        messages.append(node)
        if us:
            sums = found.setdefault((name, types[kind] if kind < 8 else ''), [0, 0])
            sums[0] += 1
            sums[1] += us
    return b''.join(varint(len(m)) + m for m in messages), found
