# SPDX-License-Identifier: Apache-2.0
"""layer-times.py - files that say how long layers or queries took: of trtexec, OpenVINO's
benchmark_app, Proton and Chakra, made ones against what was drawn, and hostile ones."""

import collections
import os
import random
import sys
from decimal import Decimal

from harness import check, check_same, main, rows_of, run, test, write

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import layer_times_make as make  # noqa: E402


def table(name, path, *words):
    return rows_of(
        run('run', '-q', *words, '-s', f'csv:table={name}', '-o', '-', path).expect(0).out
    )


def ps(text):
    return int(Decimal(text) * 1000) if text else None


def number(text):
    return float(text) if text else None


def check_shares(rows, times, what):
    """times: ps of each row that is in the sum, None of others."""
    total = sum(t for t in times if t)
    for row, time in zip(rows, times, strict=True):
        if time is None or not total:
            check_same(row['share'], '', f'{what}: {row}')
        else:
            check(abs(float(row['share']) - time / total) < 1e-12, f'{what}: {row}')


def read(decoder, name, text):
    """The rows of a file that its content alone names."""
    write(name, text.encode())
    check_same([r['decoder'] for r in table('inputs', name)], [decoder], name)
    return table('layer_times', name)


@test
def layers_of_trtexec(_folder):
    for seed in range(4):
        text, wanted = make.trtexec_profile(seed)
        rows = read('trtexec', 'p', text)
        times = ('total', 'average', 'median')
        check_same(
            [(r['layer'], int(r['calls']), *(ps(r[f'{k}_ns']) for k in times)) for r in rows],
            wanted,
            f'seed {seed}',
        )
        check_shares(rows, [w[2] for w in wanted], f'seed {seed}')
    run('report', 'p').expect(0, out='*layers or kernels, without a timeline; most time*')


@test
def queries_of_trtexec(_folder):
    """Lengths are those that stand apart, as times of six digits lose us beyond a second."""
    for seed in range(4):
        text, wanted = make.trtexec_times(seed)
        write('times.json', text.encode())
        rows = rows_of(run('run', '-q', '-s', 'csv', '-o', '-', 'times.json').expect(0).out)
        check_same(
            collections.Counter(
                (r['thread'], r['name'], int(r['step']), ps(r['start_ns']), ps(r['duration_ns']))
                for r in rows
            ),
            collections.Counter(wanted),
            f'seed {seed}',
        )
        (device,) = table('devices', 'times.json', '-a', 'device')
        union = reached = 0
        for a, z in sorted((a, a + n) for t, _, _, a, n in wanted if t == 'compute'):
            union += max(0, z - max(a, reached))
            reached = max(reached, z)
        check_same(ps(device['compute_ns']), union, f'seed {seed}: union of computing')
    run('report', 'times.json').expect(0, out='Summary of TensorRT trtexec, GPU*')


@test
def layers_of_openvino(_folder):
    for seed in range(4):
        text, wanted = make.openvino(seed)
        rows = read('openvino', 'report.csv', text)
        check_same(
            [(r['layer'], r['type'], ps(r['average_ns']), ps(r['cpu_ns'])) for r in rows],
            wanted,
            f'seed {seed}',
        )
        check_shares(rows, [w[2] for w in wanted], f'seed {seed}')


@test
def kernels_of_proton(_folder):
    """A scope that says flops or bytes has the time of its kernels, which is in no sum twice."""
    for seed in range(6):
        text, wanted = make.proton(seed)
        rows = read('proton', 'p.hatchet', text)
        found = []
        for r in rows:
            names = (r['scope'], r['layer'], r['device'], number(r['calls']), ps(r['total_ns']))
            found.append((*names, number(r['flops']), number(r['bytes'])))
        check_same(found, [w[:7] for w in wanted], f'seed {seed}')
        check_shares(rows, [w[4] if w[7] else None for w in wanted], f'seed {seed}')


@test
def linked_execution_traces(_folder):
    """Nodes with times are spans of their thread or stream; time 0 is the second of the first."""
    for seed in range(4):
        text, wanted = make.linked(seed)
        write('et.json', text.encode())
        check_same([r['decoder'] for r in table('inputs', 'et.json')], ['chakra'], seed)
        rows = rows_of(run('run', '-q', '-s', 'csv', '-o', '-', 'et.json').expect(0).out)
        first = min(ps(r['start_ns']) for r in rows)
        found = collections.Counter(
            (r['thread'], r['name'], ps(r['start_ns']) - first, ps(r['duration_ns'])) for r in rows
        )
        drawn = collections.Counter((t, n, a * 1000, z * 1000) for t, n, a, z in wanted)
        check_same(found, drawn, f'seed {seed}')
        busy = table('devices', 'et.json', '-a', 'device')
        check_same(bool(busy), any(t.startswith('stream') for t, *_ in wanted), 'a device')


@test
def nodes_of_chakra(_folder):
    for seed in range(4):
        data, wanted = make.chakra(seed)
        write('x.0.et', data)
        rows = table('layer_times', 'x.0.et')
        check_same([r['decoder'] for r in table('inputs', 'x.0.et')], ['chakra'], seed)
        check_same(
            {
                (r['layer'], r['type']): [int(r['calls']), ps(r['total_ns']) // 10**6]
                for r in rows
            },
            wanted,
            f'seed {seed}',
        )
    write('x.0.et', make.chakra(1, timed=False)[0])
    run('info', 'x.0.et').expect(2, err='*execution trace of Chakra, a graph of * none has a dur*')
    write('et.json', b'{"schema": "1.1.0", "nodes": [{"id": 1, "name": "a", "ctrl_deps": 1}]}')
    run('info', 'et.json').expect(2, err='*an execution trace (Chakra*a graph without times*')
    run('run', '-d', 'chakra', '-s', 'null', 'et.json').expect(2, err='*no node has a time*')
    write('cut.et', data[:-3])
    run('run', '-s', 'null', 'cut.et').expect(2, err='*cut.et: byte *: layer * goes on beyond*')
    run('run', '-k', '-s', 'null', 'cut.et').expect(3)


@test
def changed_bytes(_folder):
    """Damage names its byte; nothing crashes."""
    r = random.Random(4)
    makers = {
        'trtexec': (make.trtexec_profile, make.trtexec_times),
        'openvino': (make.openvino,),
        'proton': (make.proton,),
        'chakra': (make.linked, make.chakra),
    }
    for decoder, all_of in makers.items():
        for seed in range(12):
            whole = r.choice(all_of)(seed)[0]
            whole = whole if isinstance(whole, bytes) else whole.encode()
            data = bytearray(whole[: r.randrange(1, len(whole))] if seed % 3 == 0 else whole)
            for _ in range(r.choice((0, 1, 4))):
                data[r.randrange(len(data))] = r.randrange(256)
            write('p', bytes(data))
            result = run('run', '-d', decoder, '-s', 'null', 'p')
            check(
                result.status in (0, 2) and (result.status == 0 or ': byte ' in result.err),
                result.describe(),
            )


@test
def damaged(_folder):
    for decoder, text, what in (
        ('trtexec', '[{"count":1},{"name":"a"}]', '*p: byte 13: layer 0 *its timeMs is no time*'),
        ('trtexec', '[{"count":1},{"timeMs":1}]', '*p: byte 13: layer 0 *it has no name*'),
        ('trtexec', '[{"count":1},7]', '*p: byte *: layer 0 *it is no object*'),
        ('trtexec', '[{"startComputeMs":2,"endComputeMs":1}]', '*p: byte 1: query 0*ends before*'),
        ('trtexec', '[{"startComputeMs":2}]', '*p: byte 1: query 0*its end is missing*'),
        ('openvino', 'a;b\n', '*p: byte 0: the first line has no column layerName*'),
        ('openvino', 'layerName;realTime (ms)\nc;x\n', '*p: byte 24: layer 0 *is no time*'),
        ('proton', '[{"children":[3]}]', '*p: byte *: layer 0 *it is no object*'),
        ('proton', '[{"children":[' * 300, '*p: byte *'),
    ):
        write('p', text.encode())
        run('run', '-d', decoder, '-s', 'null', 'p').expect(2, err=what)
    write('p', b'[{"count":1},7,{"name":"a","timeMs":2}]')
    kept = run('run', '-k', '-d', 'trtexec', '-s', 'csv:table=layer_times', '-o', '-', 'p')
    check_same([r['layer'] for r in rows_of(kept.expect(3).out)], ['a'], 'kept')


main()
