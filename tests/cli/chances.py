# SPDX-License-Identifier: Apache-2.0
"""chances.py - the analyzer chances beside a plain reckoning: every pair of communication and
compute, every run of kernels, on random traces and, where they are, on real ones."""

import bisect
import collections
import csv
import gzip
import importlib.util
import io
import json
import os
import random
import re
from decimal import Decimal

from harness import Skip, add_test, check, check_same, main, run, test, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
REAL = {
    'nccl': 'json/hta_nccl_parser_config_nccl_data.json.gz',
    'qwen': 'json/tracelens_tests_traces_h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz',
    'sglang': '../files/graphs/sglang_decode/sglang_Qwen3-8B_decode.json.gz',
    'resnet': 'json/hta_ns_resolution_trace_rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz',
}
LEAST = 50_000_000  # ps
SECOND = 10**12  # ps; nprof's origin is a whole one
RANDOM = 'Random|[dD]ropout|distribution_elementwise'
WAITS = 'Synchronize', 'WaitEvent', 'Memcpy'
Work = collections.namedtuple('Work', 'start end launch stream name kind id')


def table(path, name, *options):
    result = run(
        'run',
        '-q',
        '-a',
        'chances',
        '-s',
        f'csv:table={name}',
        '-o',
        '-',
        '--no-eager',
        *options,
        path,
    ).expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def ps(text):
    return int(Decimal(str(text)) * 1000)


def us(number):
    return int(Decimal(str(number)) * 10**6)


# -- Plain reckoning
# ---------------------------------------------------------------------------------


def read(path):
    with gzip.open(path, 'rt') if path.endswith('.gz') else open(path, encoding='utf-8') as file:
        events = json.loads(file.read(), parse_float=Decimal)['traceEvents']
    return [e for e in events if e.get('ph') == 'X' and 'dur' in e]


def works(events, family):
    """Work by device, in order, and when hosts called what makes something wait."""
    calls = [e for e in events if e.get('cat') in ('cuda_runtime', 'cuda_driver')]
    launches = {
        e['args']['correlation']: us(e['ts']) for e in calls if e.get('args', {}).get('correlation')
    }
    waits = sorted(us(e['ts']) for e in calls if any(word in e['name'] for word in WAITS))
    devices = collections.defaultdict(list)
    for e in events:
        if e.get('cat') not in ('kernel', 'gpu_memcpy', 'gpu_memset'):
            continue
        what = family(e['name'])
        kind = (
            'copy'
            if e['cat'] == 'gpu_memcpy'
            else 'communication'
            if what == 'communication'
            else 'compute'
        )
        devices[e['args']['device']].append(
            Work(
                us(e['ts']),
                us(e['ts']) + us(e['dur']),
                launches.get(e['args'].get('correlation')),
                e['tid'],
                e['name'],
                kind,
                e['args'].get('correlation'),
            )
        )
    return {d: sorted(rows, key=lambda w: w.start) for d, rows in devices.items()}, waits


def covered(row, compute):
    at, total = row.start, 0
    for other in compute:
        start, end = max(other.start, at), min(other.end, row.end)
        if end > start:
            total += end - start
            at = end
    return total


def pairs(rows, waits):
    found = collections.defaultdict(lambda: [0, 0, 0])
    compute = [w for w in rows if w.kind == 'compute']
    for at, com in enumerate(rows):
        if com.kind != 'communication':
            continue
        exposed = com.end - com.start - covered(com, compute)
        behind = next((w for w in compute if w.start >= com.end), None)
        begun = [w for w in rows[:at] if w.kind == 'compute']
        last = max(begun, key=lambda w: w.end) if begun else None
        for other, first, second, place in (
            (last, last, com, 'before'),
            (behind, com, behind, 'after'),
        ):
            if (
                exposed < LEAST
                or not other
                or first.end > second.start
                or first.stream == second.stream
            ):
                continue
            if first.launch is None or second.launch is None or second.launch < first.end:
                continue
            call = bisect.bisect_left(waits, first.launch)
            if call < len(waits) and waits[call] < second.launch:
                continue
            one = found[com.name, other.name, place]
            one[0] += 1
            one[1] += exposed
            one[2] += min(exposed, other.end - other.start)
    return {key: tuple(one) for key, one in found.items()}


def runs(rows, families):
    """Kernels in a row -> [times, ps, start of the longest, its length]."""
    found = collections.defaultdict(lambda: [0, 0, 0, -1])
    for stream in {w.stream for w in rows}:
        chain = []
        for w in [w for w in rows if w.stream == stream] + [None]:
            if w and w.kind == 'compute' and families(w.name) and not re.search(RANDOM, w.name):
                chain.append(w)
                continue
            if len(chain) >= 3:
                one = found[tuple(w.name for w in chain)]
                one[0] += 1
                one[1] += sum(w.end - w.start for w in chain)
                length = chain[-1].end - chain[0].start
                if length > one[3] or (length == one[3] and chain[0].start < one[2]):
                    one[2:] = chain[0].start, length
            chain = []
    return found


def check_file(path, family, of_memory):
    devices, waits = works(read(path), family)
    wanted, patterns = collections.Counter(), collections.Counter()
    for rows in devices.values():
        for key, one in pairs(rows, waits).items():
            wanted[key] = tuple(a + b for a, b in zip(wanted[key] or (0, 0, 0), one))
        for names, one in runs(rows, lambda name: family(name) in of_memory).items():
            times, total, start, longest = one
            patterns[len(names), times, total, start % SECOND, longest] += 1
    said = {
        (r['communication'], r['compute'], r['place']): (
            int(r['times']),
            ps(r['exposed_ns']),
            ps(r['gain_ns']),
        )
        for r in table(path, 'overlap_chances')
    }
    check_same(said, dict(wanted), 'pairs')
    check_same(
        collections.Counter(
            (
                int(r['kernels']),
                int(r['times']),
                ps(r['total_ns']),
                ps(r['start_ns']) % SECOND,
                ps(r['longest_ns']),
            )
            for r in table(path, 'fusion_patterns')
        ),
        patterns,
        'patterns',
    )
    return said, patterns


# -- Made
# ----------------------------------------------------------------------------------------------

NAMES = {
    'ncclDevKernel_AllReduce_Sum_bf16': 'communication',
    'ncclDevKernel_AllGather': 'communication',
    'my_gemm': 'gemm',
    'fmha_forward': 'attention',
    'layer_norm_kernel': 'norm',
    'vectorized_elementwise_kernel': 'elementwise',
    'triton_poi_fused_add_0': 'fused',
    'cunn_softmax': 'softmax',
}
MEMORY = 'norm', 'elementwise', 'fused', 'softmax'


def call(name, at, number, duration=2):
    return {
        'ph': 'X',
        'cat': 'cuda_runtime',
        'name': name,
        'pid': 9,
        'tid': 9,
        'ts': at,
        'dur': duration,
        'args': {'correlation': number},
    }


def kernel(name, start, end, number, stream=7):
    return {
        'ph': 'X',
        'cat': 'kernel',
        'name': name,
        'pid': 0,
        'tid': stream,
        'ts': start,
        'dur': end - start,
        'args': {'device': 0, 'stream': stream, 'correlation': number},
    }


def made(events):
    return write('made.json', json.dumps({'traceEvents': events}))


def add_random(seed):
    def test_one(_folder):
        rng = random.Random(seed)
        events, free, at = [], {7: 0, 8: 0, 9: 0}, 0
        for number in range(1, 400):
            at += rng.choice((1, 1, 3, 90, 200))
            if rng.random() < 0.1:
                events.append(
                    call(
                        rng.choice(
                            ('cudaStreamWaitEvent', 'cudaDeviceSynchronize', 'cudaEventRecord')
                        ),
                        at,
                        0,
                        1,
                    )
                )
                at += 1
            name = rng.choice(list(NAMES))
            stream = (
                rng.choice((8, 9)) if NAMES[name] == 'communication' else rng.choice((7, 7, 7, 9))
            )
            start = max(free[stream], at + rng.choice((1, 2, 60)))
            free[stream] = start + rng.choice((5, 40, 80, 150))
            events.append(call('cudaLaunchKernel', at, number, 1))
            events.append(kernel(name, start, free[stream], number, stream))
        said, patterns = check_file(made(events), NAMES.get, MEMORY)
        check(said and patterns, 'the trace has both')

    add_test(f'random {seed}', test_one)


for each in range(6):
    add_random(each)


def add_real(name):
    def test_one(_folder):
        path = os.path.join(DATA, REAL[name])
        rules = os.path.join(DATA, '..', 'prototypes', 'conclusions', 'families.py')
        if not DATA or not os.path.exists(path) or not os.path.exists(rules):
            raise Skip('NPROF_TEST_DATA names no folder that has it')
        spec = importlib.util.spec_from_file_location('families', rules)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        # Those rules take convolutions of cuDNN that end in relu for activations.
        check_file(
            path,
            lambda name: 'convolution' if re.search('scudnn_', name) else module.family(name),
            module.MEMORY,
        )

    add_test(f'real {name}', test_one)


for each in REAL:
    add_real(each)

REDUCE = 'ncclDevKernel_AllReduce_Sum_bf16'


@test
def edges(_folder):
    """100 us of communication behind 80 us of compute, launched late: a chance until anything may
    be an edge."""
    late = [
        call('cudaLaunchKernel', 0, 1),
        kernel('my_gemm', 10, 90, 1),
        call('cudaLaunchKernel', 95, 2),
        kernel(REDUCE, 100, 200, 2, 8),
    ]
    (row,) = table(made(late), 'overlap_chances')
    check_same(
        [row[c] for c in ('communication', 'compute', 'place', 'times')],
        [REDUCE, 'my_gemm', 'before', '1'],
        'pair',
    )
    check_same([ps(row['exposed_ns']), ps(row['gain_ns'])], [100 * 10**6, 80 * 10**6], 'times')
    for what, events in (
        ('an event', late + [call('cudaStreamWaitEvent', 93, 0)]),
        ('a synchronise', late + [call('cudaStreamSynchronize', 50, 0)]),
        ('one stream', [*late[:3], kernel(REDUCE, 100, 200, 2)]),
        ('no launch', [late[1], late[3]]),
        ('launched before', [*late[:2], call('cudaLaunchKernel', 20, 2), late[3]]),
        ('short', [*late[:3], kernel(REDUCE, 100, 149, 2, 8)]),
        (
            'a graph',
            [
                call('cudaGraphLaunch', 0, 1),
                kernel('my_gemm', 10, 90, 1),
                kernel(REDUCE, 100, 200, 1, 8),
            ],
        ),
        ('hidden', late + [call('cudaLaunchKernel', 96, 3), kernel('my_gemm', 100, 160, 3, 9)]),
    ):
        check_same(table(made(events), 'overlap_chances'), [], what)
    before = late + [call('cudaStreamWaitEvent', 99, 0), call('cudaEventRecord', 93, 0)]
    check_same(
        len(table(made(before), 'overlap_chances')),
        1,
        'an event behind both launches, and one that only records',
    )


def operator(name, at, dims, types):
    return {
        'ph': 'X',
        'cat': 'cpu_op',
        'name': name,
        'pid': 9,
        'tid': 9,
        'ts': at,
        'dur': 8,
        'args': {'Input Dims': dims, 'Input type': types},
    }


@test
def bytes_between(_folder):
    """mul of 1000 bf16 and a cast into 1000 floats, three times; the sum writes nothing, the last is
    between nothing."""
    events = []
    for n in range(3):
        for k, (name, dims, types) in enumerate(
            (
                ('aten::mul', [[1000], []], ['c10::BFloat16', 'Scalar']),
                ('aten::copy_', [[1000], [1000]], ['float', 'c10::BFloat16']),
                ('aten::sum', [[1000]], ['float']),
                ('mine::op', [[1000]], ['float']),
                ('aten::add', [[1], [1]], ['float', 'float']),
            )
        ):
            at, number = 100 * n + 10 * k, 10 * n + k + 1
            events += [
                operator(name, at, dims, types),
                call('cudaLaunchKernel', at + 1, number, 1),
                kernel('vectorized_elementwise_kernel', 5000 + at, 5005 + at, number),
            ]
        events += [
            call('cudaLaunchKernel', 100 * n + 60, 10 * n + 9, 1),
            kernel('my_gemm', 100 * n + 5060, 100 * n + 5065, 10 * n + 9),
        ]
    path = made(events)
    (row,) = table(path, 'fusion_patterns')
    check_same(
        [row[c] for c in ('pattern', 'kernels', 'times', 'passed_bytes', 'unknown')],
        ['elementwise x 5', '5', '3', str(3 * (2000 + 4000)), '3'],
        'pattern',
    )
    check_same(
        row['operators'], 'aten::mul, aten::copy_, aten::sum, mine::op, aten::add', 'operators'
    )
    found = run('report', '-q', '--findings', path).expect(0).out
    check(
        '5 kernels in a row (elementwise x 5) take 83.3 % of the work of'
        in ' '.join(found.split()),
        found,
    )
    check('with 17.6 KiB or more between them' in ' '.join(found.split()), found)
    check('elementwise takes' not in found, 'of one kernel, operator says it')


@test
def what_is_compiled_is_not_advised_to_be(_folder):
    """A kernel of the chain that is fused, a tenth of the device's, or a region that launched."""
    norms = [('layer_norm_kernel', 10)] * 3
    for what, chain, region, compiles in (
        ('none', norms, None, True),
        ('in the chain', [*norms, ('triton_poi_fused_add_0', 1)], None, False),
        ('a tenth beside it', [*norms, ('my_gemm', 86), ('triton_red_fused_1', 13)], None, False),
        ('less than a tenth', [*norms, ('my_gemm', 87), ('triton_red_fused_1', 12)], None, True),
        ('a region', norms, 'Torch-Compiled Region: 0/0', False),
        ('another name', norms, 'My Torch-Compiled Region', True),
    ):
        events, at = [], 1000
        rows = [*chain, ('my_gemm', 1)] * 3
        for n, (name, took) in enumerate(rows, 1):
            events += [call('cudaLaunchKernel', 10 * n, n, 1), kernel(name, at, at + took, n)]
            at += took
        if region:
            events += [operator(region, 5, [], [])]
        found = ' '.join(run('report', '-q', '--findings', made(events)).expect(0).out.split())
        check('kernels in a row' in found, f'{what}: {found}')
        advice = 'try torch.compile, or one kernel for them (Triton)'
        check_same(advice in found, compiles, f'{what}: {found}')
        check_same('try one kernel for them (Triton)' in found, not compiles, f'{what}: {found}')


@test
def what_lies_between_ends_a_pattern(_folder):
    three = [kernel('layer_norm_kernel', 10 * n, 10 * n + 5, 0) for n in range(3)]
    check_same([r['times'] for r in table(made(three), 'fusion_patterns')], ['1'], 'three')
    copy = {**kernel('Memcpy DtoD (Device -> Device)', 17, 18, 0), 'cat': 'gpu_memcpy'}
    for what, events in (
        ('two', three[:2]),
        ('a copy', three + [copy]),
        ('a product', three + [kernel('my_gemm', 7, 8, 0)]),
        ('an attention', three + [kernel('attn_fwd', 7, 8, 0)]),
        ('random numbers', three + [kernel('FillPhiloxRandomKernelLaunch', 7, 8, 0)]),
        ('dropout', three + [kernel('void at::native::fused_dropout_kernel_vec<float>', 7, 8, 0)]),
        (
            'a distribution',
            three + [kernel('void distribution_elementwise_grid_stride_kernel<float>', 7, 8, 0)],
        ),
        ('two streams', [*three[:2], kernel('layer_norm_kernel', 20, 25, 0, 8)]),
    ):
        check_same(table(made(events), 'fusion_patterns'), [], what)
    check_same(
        len(table(made(three + [kernel('my_gemm', 7, 8, 0, 8)]), 'fusion_patterns')),
        1,
        'work of another stream',
    )


@test
def what_ran_twice_is_no_advice(_folder):
    for times, said in ((2, False), (3, True)):
        events = []
        for n in range(times):
            at = 100 * n
            names = ['layer_norm_kernel'] * 3 + ['my_gemm']
            events += [
                kernel(name, at + 10 * k, at + 10 * k + 9, 0) for k, name in enumerate(names)
            ]
        path = made(events)
        check_same([r['times'] for r in table(path, 'fusion_patterns')], [str(times)], 'the table')
        found = ' '.join(run('report', '-q', '--findings', path).expect(0).out.split())
        check_same('kernels in a row' in found, said, f'{times} times: {found}')


if __name__ == '__main__':
    main()
