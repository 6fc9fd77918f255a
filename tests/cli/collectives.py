# SPDX-License-Identifier: Apache-2.0
"""collectives.py - the analyzer collectives: beside a plain calculation on random traces and on
real ones, and beside what others computed (the folder golden beside the data)."""

import csv
import fractions
import gzip
import io
import json
import os
import random
from decimal import Decimal

import xspace
from harness import Skip, add_test, check, check_same, main, run, test, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'analyses')
NAMES = {
    'allreduce': 'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
    '_allgather_base': 'ncclDevKernel_AllGather_RING_LL',
    '_reduce_scatter_base': 'ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL',
    'all_to_allv': 'ncclDevKernel_SendRecv',
    'broadcast': 'ncclDevKernel_Broadcast_RING_LL',
    'reduce': 'ncclDevKernel_Reduce_Sum_f32',
    'send': 'ncclDevKernel_SendRecv',
    'recv': 'ncclDevKernel_SendRecv',
    'gather': 'ncclDevKernel_SendRecv',
    'scatter': 'ncclDevKernel_SendRecv',
    'barrier': 'ncclDevKernel_AllReduce_Sum_i8',
}
KINDS = {
    '_allgather_base': 'allgather',
    '_reduce_scatter_base': 'reducescatter',
    'all_to_allv': 'alltoall',
}
SIZES = {
    'Float': 4,
    'Double': 8,
    'Half': 2,
    'BFloat16': 2,
    'Long': 8,
    'Byte': 1,
    'Float8_e4m3fn': 1,
    'float': 4,
}
TWICE, PARTS, ONCE = (
    ('allreduce',),
    ('allgather', 'reducescatter', 'alltoall', 'gather', 'scatter'),
    ('broadcast', 'reduce', 'send', 'recv'),
)


def need(*path):
    path = os.path.join(*path)
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    return path


def table(path, name='collectives', options='', more=()):
    result = run(
        'run', '-a', 'collectives' + options, '-s', f'csv:table={name}', '-o', '-', *more, path
    )
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def ps(text):
    return int(Decimal(text) * 1000)


def factor(kind, n):
    if n < 2 or kind not in TWICE + PARTS + ONCE:
        return None
    return fractions.Fraction(2 * (n - 1) if kind in TWICE else n - 1 if kind in PARTS else n, n)


def size_of(kind, args):
    width = SIZES.get(args.get('dtype'))
    if not width or 'In msg nelems' not in args:
        return None
    taken, given = args['In msg nelems'], args['Out msg nelems']
    return width * (
        given if kind == 'allgather' else taken if kind == 'reducescatter' else max(taken, given)
    )


def near(found, expected, what):
    if expected is None:
        return check_same(found, '', what)
    check(
        found != '' and abs(fractions.Fraction(found) - expected) <= expected / 10**12,
        f'{what}: expected {float(expected)}, found {found}',
    )


def measured(spans):
    """Length of the union."""
    total, last = 0, None
    for a, b in sorted(spans):
        last = a if last is None else max(last, a)
        total += max(0, b - last)
        last = max(last, b)
    return total


def clipped(spans, a, b):
    return [(max(a, x), min(b, y)) for x, y in spans if x < b and y > a]


def plainly(events):
    """{device: ({key: row}, (busy, overlap))} of Kineto's kernels, moment by moment."""
    devices = {}
    for e in events:
        if e.get('cat') == 'kernel':
            start = int(Decimal(str(e['ts'])) * 10**6)
            span = start, start + int(Decimal(str(e['dur'])) * 10**6)
            of = devices.setdefault(e['args']['device'], ([], []))
            of['nccl' in e['name']].append((span, e['args']))
    found = {}
    for device, (computing, talking) in devices.items():
        work = [span for span, _ in computing]
        rows = {}
        for span, args in talking:
            kind = KINDS.get(args['Collective name'], args['Collective name'])
            key = (
                kind,
                size_of(kind, args),
                args.get('Group size'),
                args.get('dtype'),
                args.get('Process Group Ranks'),
            )
            rows.setdefault(key, []).append((span[1] - span[0], measured(clipped(work, *span))))
        every = [span for span, _ in talking]
        busy = measured(every)
        found[device] = rows, (busy, busy + measured(work) - measured(every + work))
    return found


def check_rows(rows, expected, what):
    check_same(len(rows), len(expected), f'{what}: rows')
    for row in rows:
        key = (
            row['kind'],
            *(int(row[c]) if row[c] else None for c in ('bytes', 'ranks')),
            row['dtype'] or None,
            row['group'] or None,
        )
        check(key in expected, f'{what}: {key} is not expected')
        calls = expected[key]
        times = sorted(time for time, _ in calls)
        total, n = sum(times), len(times)
        median = (times[(n - 1) // 2] + times[n // 2]) // 2
        where = f'{what}: {key}'
        check_same(int(row['calls']), n, where)
        check_same(ps(row['total_ns']), total, f'{where} total')
        check_same(ps(row['min_ns']), times[0], f'{where} min')
        check(
            abs(ps(row['p50_ns']) - median) <= 1,
            f'{where} median {row["p50_ns"]}, expected {median}',
        )
        check_same(ps(row['overlap_ns']), sum(overlap for _, overlap in calls), f'{where} overlap')
        check_same(ps(row['exposed_ns']), total - ps(row['overlap_ns']), f'{where} exposed')
        size, share = key[1], factor(key[0], key[2] or 0)
        some = [time for time in times if time]
        near(
            row['algbw'],
            fractions.Fraction(size * n * 10**12, total) if size is not None and total else None,
            f'{where} algbw',
        )
        near(
            row['busbw_best'],
            share * fractions.Fraction(size * 10**12, some[0])
            if some and size is not None and share
            else None,
            f'{where} best',
        )


def random_events(rng):
    events, groups = [], ['[0, 1]', '[0, 1, 2, 3]', '[0, 2, 4, 6, 8, 10]', '[3]']
    for i in range(rng.randrange(30, 160)):
        stream = rng.choice((7, 7, 20, 21))
        args = {'device': rng.randrange(2), 'stream': stream, 'correlation': i + 1}
        name = 'gemm'
        if stream != 7:
            args['Collective name'] = stated = rng.choice(list(NAMES))
            name = NAMES[stated]
            if rng.random() < 0.8:
                ranks = rng.choice(groups)
                args.update(
                    {
                        'In msg nelems': rng.choice((0, 16, 1 << 20)),
                        'Out msg nelems': rng.choice((16, 1 << 22)),
                        'Group size': len(json.loads(ranks)),
                        'dtype': rng.choice([*SIZES, 'Float9']),
                        'Process Group Ranks': ranks,
                        'Process Group Name': '7',
                        'Seq': i,
                    }
                )
        events.append(
            {
                'ph': 'X',
                'cat': 'kernel',
                'name': name,
                'pid': args['device'],
                'tid': stream,
                'ts': rng.randrange(300) + rng.randrange(1000) / 1000,
                'dur': rng.choice((0, 1, 2.5, 40.125)),
                'args': args,
            }
        )
    return events


def add_random(seed):
    def test_one(_folder):
        events = random_events(random.Random(seed))
        path = write(f'random{seed}.json', json.dumps({'schemaVersion': 1, 'traceEvents': events}))
        expected = plainly(events)
        rows, unions = table(path), {row['device']: row for row in table(path, 'communication')}
        for device, (keys, (busy, overlap)) in expected.items():
            label = f'GPU {device}'
            check_rows([row for row in rows if row['device'] == label], keys, label)
            if keys:
                check_same(ps(unions[label]['busy_ns']), busy, f'{label} busy')
                check_same(ps(unions[label]['overlap_ns']), overlap, f'{label} overlap')

    add_test(f'random trace {seed}', test_one)


for each in range(12):
    add_random(each)


TYPES = {'Half': 'c10::Half', 'BFloat16': 'c10::BFloat16', 'float': 'float'}


def call_of_2_1(i, at, kind, args, dims):
    """The operator, its annotation and the launch of a collective as PyTorch 2.1 wrote them, whose
    kernel says nothing."""
    host = {'ph': 'X', 'pid': 900, 'tid': 900}
    said = ['', str(i), args['Process Group Ranks'], '1', '', '[]', '[]', str(args['Group size'])]
    types = ['TensorList', 'Scalar', 'Scalar', 'Scalar', '', 'ScalarList', 'ScalarList', 'Scalar']
    return [
        host
        | {
            'cat': 'cpu_op',
            'name': 'record_param_comms',
            'ts': at,
            'dur': 30,
            'args': {
                'External id': i,
                'Concrete Inputs': said,
                'Input type': types,
                'Input Dims': [dims, [], [], [], [], [], [], []],
            },
        },
        host
        | {
            'cat': 'user_annotation',
            'name': f'nccl:{kind}',
            'ts': at + 5,
            'dur': 20,
            'args': {
                'External id': i + 100000,
                'Concrete Inputs': ['' for _ in dims],
                'Input type': [TYPES[args['dtype']] for _ in dims],
                'Input Dims': dims,
            },
        },
        host
        | {
            'cat': 'cuda_runtime',
            'name': 'cudaLaunchKernelExC',
            'ts': at + 10,
            'dur': 5,
            'args': {'External id': 500000 + i, 'correlation': 500000 + i},
        },
    ]


@test
def of_pytorch_2_1_what_the_launch_lies_in_says_it(_folder):
    rng, events, said = random.Random(21), [], []
    names = {'all_reduce': 'allreduce', '_all_gather_base': '_allgather_base'}
    for i in range(1, 200):
        kind = rng.choice(list(names))
        dims = [[rng.choice((2, 64)), rng.choice((3, 4096))] for _ in range(rng.choice((1, 1, 2)))]
        size = rng.choice((4, 8))
        taken = sum(a * b for a, b in dims)
        args = {
            'Collective name': names[kind],
            'In msg nelems': taken,
            'Out msg nelems': taken * (size if 'gather' in kind else 1),
            'Group size': size,
            'dtype': rng.choice(list(TYPES)),
            'Process Group Ranks': f'9382513335816{size}',
        }
        kernel = {
            'ph': 'X',
            'cat': 'kernel',
            'name': NAMES[names[kind]],
            'pid': 0,
            'tid': 24,
            'ts': i * 100 + 20,
            'dur': rng.choice((1, 2.5, 40.125)),
        }
        bare = {'device': 0, 'stream': 24, 'correlation': 500000 + i, 'External id': 500000 + i}
        events += [*call_of_2_1(i, i * 100, kind, args, dims), kernel | {'args': bare}]
        said.append(kernel | {'args': bare | args})
    # These say nothing: a launch behind the call, tensors of two types, a call without a group.
    late, mixed, alone = (
        call_of_2_1(i, i * 100, 'all_reduce', said[0]['args'], [[2, 3], [5]])
        for i in (201, 202, 203)
    )
    late[2]['ts'] += 40
    mixed[1]['args']['Input type'] = ['float', 'c10::Half']
    alone[0]['args']['Concrete Inputs'].pop()
    for i, (group, size) in zip(
        (201, 202, 203), ((None, None), (said[0]['args'], None), (None, 11))
    ):
        kernel = said[0] | {'ts': i * 100 + 60, 'dur': 3, 'name': NAMES['allreduce']}
        bare = {'device': 0, 'stream': 24, 'correlation': 500000 + i}
        events.append(kernel | {'args': bare})
        of_group = {k: group[k] for k in ('Group size', 'Process Group Ranks')} if group else {}
        of_size = {'In msg nelems': size, 'Out msg nelems': size, 'dtype': said[0]['args']['dtype']}
        said.append(
            kernel
            | {
                'args': bare
                | {'Collective name': 'allreduce'}
                | of_group
                | (of_size if size else {})
            }
        )
    events += late + mixed + alone
    rng.shuffle(events)
    path = write('torch21.json', json.dumps({'schemaVersion': 1, 'traceEvents': events}))
    check_rows(table(path), plainly(said)[0][0], 'PyTorch 2.1')


def golden(name):
    with open(need(GOLDEN, name), encoding='utf-8') as file:
        return json.load(file)


@test
def nccl_of_a_real_job(_folder):
    ((name, expected),) = golden('collectives.json').items()
    path = need(DATA, 'json', name.split(': ')[1])
    rows = table(path)
    check_same(len(rows), len(expected['by']), 'rows')
    for want in expected['by']:
        (row,) = (r for r in rows if (r['kind'], r['bytes']) == (want['kind'], str(want['bytes'])))
        check_same(
            [
                int(row['calls']),
                int(row['ranks']),
                row['dtype'],
                ps(row['total_ns']),
                ps(row['min_ns']),
            ],
            [want['count'], want['ranks'], want['dtype'], want['total_ps'], want['min_ps']],
            want['kind'],
        )
        for column, value in (('algbw', want['algbw_of_sums']), ('busbw_best', want['busbw_best'])):
            check(
                abs(float(row[column]) / value - 1) < 1e-12,
                f'{want["kind"]} {column} {row[column]}, expected {value}',
            )
        check(
            abs(float(row['efficiency']) - want['busbw_best'] / 300e9) < 1e-12,
            'of the 300 GB/s of an A100',
        )
    (row,) = table(path, 'communication')
    overlap = expected['overlap']['0']
    check_same(
        [ps(row[c]) for c in ('busy_ns', 'overlap_ns', 'exposed_ns')],
        [overlap[c] for c in ('comm_ps', 'overlap_ps', 'exposed_ps')],
        'overlap',
    )
    with gzip.open(path) as file:
        events = [e for e in json.load(file, parse_float=Decimal)['traceEvents']]
    check_rows(rows, plainly(events)[0][0], 'moment by moment')


@test
def every_kind_by_the_formulas_of_nccl_tests(_folder):
    rows = table(need(GOLDEN, 'collectives_made.json'))
    with open(need(GOLDEN, 'collectives_made.tsv'), encoding='utf-8') as file:
        wanted = list(csv.DictReader(file, delimiter='\t'))
    check_same(len(rows), len(wanted), 'rows')
    for want in wanted:
        (row,) = (
            r
            for r in rows
            if all(r[c] == want[c] for c in ('kind', 'bytes', 'ranks'))
            and ps(r['total_ns']) == int(want['duration_ps'])
        )
        for column, name in (('algbw', 'algbw_byte_s'), ('busbw_best', 'busbw_byte_s')):
            check_same(
                row[column] and f'{Decimal(row[column]):.6f}',
                want[name],
                f'{want["kind"]} {column}',
            )


def hlo(*texts):
    """A TPU of which each instruction runs for 1 us, one after the other."""
    events = b''.join(xspace.event(i + 1, i * 2000000, 1000000) for i in range(len(texts)))
    metas = [
        xspace.message(
            4,
            xspace.number(1, i + 1)
            + xspace.message(
                2,
                xspace.number(1, i + 1)
                + xspace.message(2, text)
                + xspace.message(4, text.split(' = ')[0].lstrip('%')),
            ),
        )
        for i, text in enumerate(texts)
    ]
    return xspace.plane(2, '/device:TPU:0', xspace.line(3, 'XLA Ops', events), *metas)


def of_hlo(text):
    (row,) = table(write('one.xplane.pb', hlo(text)))
    return row['kind'], row['bytes'], row['ranks'], row['dtype'], row['group']


@test
def hlo_instructions_say_their_elements_and_groups(_folder):
    for text, expected in (
        (
            '%all-reduce = f32[5,1024]{1,0:T(8,128)} all-reduce(f32[5,1024]{1,0:T(8,128)} %b), channel_id=1, '
            'replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true',
            ('allreduce', '20480', '2', 'f32', '[4,2]<=[2,4]T(1,0)'),
        ),
        (
            '%all-gather.3 = bf16[64,8]{1,0} all-gather(bf16[16,8]{1,0} %p), replica_groups={{0,1,2,3},{4,5,6,7}}, dimensions={0}',
            ('allgather', '1024', '4', 'bf16', '{{0,1,2,3},{4,5,6,7}}'),
        ),
        (
            '%reduce-scatter.3 = s8[2]{0} reduce-scatter(s8[16]{0} %p), replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=%add',
            ('reducescatter', '16', '8', 's8', '{{0,1,2,3,4,5,6,7}}'),
        ),
        (
            '%all-reduce.9 = (f32[8]{0}, f32[]) all-reduce(f32[8]{0} %a, f32[] %b), replica_groups={}, to_apply=%add',
            ('allreduce', '36', '', 'f32', '{}'),
        ),
        (
            '%all-reduce.9 = (f32[8]{0}, bf16[8]) all-reduce(f32[8]{0} %a, bf16[8] %b), replica_groups={{0,1},{2}}',
            ('allreduce', '', '', '', '{{0,1},{2}}'),
        ),
        (
            '%all-to-all = u32[4,<=16]{1,0} all-to-all(u32[4,<=16]{1,0} %a), replica_groups={{0,1}}',
            ('alltoall', '256', '2', 'u32', '{{0,1}}'),
        ),
        (
            '%collective-permute = f32[10]{0} collective-permute(f32[10]{0} %a), channel_id=3, source_target_pairs={{0,1},{1,2},{2,0}}',
            ('permute', '40', '3', 'f32', '{{0,1},{1,2},{2,0}}'),
        ),
        (
            '%all-reduce = f32[99999999999,99999999999]{1,0} all-reduce(f32[99999999999,99999999999]{1,0} %b)',
            ('allreduce', '', '', '', ''),
        ),
        ('%all-reduce = f32[5', ('allreduce', '', '', '', '')),
    ):
        check_same(of_hlo(text), expected, text)


@test
def an_asynchronous_one_lasts_from_start_to_done(_folder):
    text = 'all-gather-start(f32[16]{0} %p), replica_groups={{0,1,2,3}}, dimensions={0}'
    rows = table(
        write(
            'async.xplane.pb',
            hlo(
                f'%all-gather-start.4 = (f32[16]{{0}}, f32[64]{{0}}) {text}',
                '%fusion.1 = f32[8]{0} fusion(f32[8]{0} %a), kind=kLoop',
                '%all-gather-done.4 = f32[64]{0} all-gather-done((f32[16]{0}, f32[64]{0}) %all-gather-start.4)',
            ),
        )
    )
    (row,) = rows
    check_same(
        [
            row['kind'],
            row['bytes'],
            row['ranks'],
            row['calls'],
            ps(row['total_ns']),
            ps(row['overlap_ns']),
        ],
        ['allgather', '256', '4', '1', 5000000, 1000000],
        'from start to done',
    )
    result = run(
        'run',
        '-a',
        'collectives',
        '-s',
        'csv:table=collectives',
        '-o',
        '-',
        write('lone.xplane.pb', hlo(f'%all-gather-start.4 = (f32[16]{{0}}, f32[64]{{0}}) {text}')),
    )
    result.expect(0)
    check(
        'of 1 asynchronous collectives the start or the end is not in the file' in result.err,
        result.err,
    )


def kernel(name, start, duration, **args):
    return {
        'ph': 'X',
        'cat': 'kernel',
        'name': name,
        'pid': 0,
        'tid': 7,
        'ts': start,
        'dur': duration,
        'args': {'device': 0, 'stream': 7, **args},
    }


@test
def older_traces_say_it_of_the_operator_of_the_host(_folder):
    args = {
        'Collective name': 'allreduce',
        'In msg nelems': 1000,
        'Out msg nelems': 1000,
        'Group size': 4,
        'dtype': 'Half',
        'Process Group Ranks': [0, 1, 2, 3],
        'Process Group ID': 5,
        'External id': 77,
    }
    host = {
        'ph': 'X',
        'cat': 'cpu_op',
        'name': 'record_param_comms',
        'pid': 9,
        'tid': 9,
        'ts': 1,
        'dur': 2,
        'args': args,
    }
    path = write(
        'old.json',
        json.dumps(
            {
                'traceEvents': [
                    kernel(
                        'ncclKernel_AllReduce_RING_LL_Sum_float(x)', 5, 10, **{'External id': 77}
                    ),
                    kernel('ncclKernel_AllReduce_RING_LL_Sum_float(x)', 20, 10),
                    host,
                ]
            }
        ),
    )
    rows = table(path)
    check_same(
        [(r['kind'], r['bytes'], r['ranks'], r['group'], r['calls']) for r in rows],
        [('allreduce', '', '', '', '1'), ('allreduce', '2000', '4', '[0, 1, 2, 3]', '1')],
        'rows',
    )
    (row,) = table(path, 'communication')
    check_same([row['calls'], row['without_bytes']], ['2', '1'], 'one says nothing')


@test
def neuron_states_bytes_and_its_own_bandwidth(_folder):
    op = {
        'start_ts': 2000,
        'end_ts': 4000,
        'operation': 'AllGather',
        'dtype': 'bf16',
        'num_elements': 1024,
        'stream_id': 3,
        'input_size': 512,
        'output_size': 2048,
        'replica_group': '[[0, 1, 2, 3], [4, 5, 6, 7]]',
        'algorithm_bandwidth': 1.024e9,
        'bus_bandwidth': 0.768e9,
    }
    instruction = {
        'timestamp': 1000,
        'duration': 1500,
        'opcode': 'MATMUL',
        'subgroup': 'nc0',
        'label': 'pe',
    }
    (row,) = table(write('neuron.json', json.dumps({'instruction': [instruction], 'cc_ops': [op]})))
    check_same(
        [row[c] for c in ('kind', 'bytes', 'ranks', 'dtype', 'group')],
        ['allgather', '2048', '4', 'bf16', op['replica_group']],
        'row',
    )
    check_same(
        [float(row['algbw']), float(row['busbw_best'])],
        [op['algorithm_bandwidth'], op['bus_bandwidth']],
        "the vendor's figures",
    )
    check_same(
        [ps(row['overlap_ns']), ps(row['exposed_ns'])],
        [500000, 1500000],
        'while an engine computes',
    )


@test
def efficiency_is_of_links_within_a_node(_folder):
    properties = [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}]
    for ranks, options, expected in (
        ('[0, 1]', '', True),
        ('[6, 7]', '', True),
        ('[7, 8]', '', False),
        ('[0, 8]', '', False),
        (str(list(range(16))), '', False),
        ('[7, 8]', ':link=50e9', True),
    ):
        args = {
            'Collective name': 'allreduce',
            'In msg nelems': 250000,
            'Out msg nelems': 250000,
            'dtype': 'Float',
            'Group size': len(json.loads(ranks)),
            'Process Group Ranks': ranks,
        }
        path = write(
            'near.json',
            json.dumps(
                {
                    'deviceProperties': properties,
                    'traceEvents': [kernel('nccl_AllReduce', 0, 100, **args)],
                }
            ),
        )
        (row,) = table(path, options=options)
        busbw = 2 * (args['Group size'] - 1) / args['Group size'] * 1e6 / 100e-6
        near_one = busbw / (50e9 if options else 450e9)
        check(
            row['efficiency'] == ''
            if not expected
            else abs(float(row['efficiency']) - near_one) < 1e-12,
            f'{ranks}: {row}',
        )
    result = run(
        'run', '-a', 'collectives:link=1e9', '-s', 'csv:table=collectives', '-o', '-', path
    )
    check('of the peak of 1.00 GB/s of its links (option link)' in result.err, result.err)


@test
def a_selection_hides_no_computing(_folder):
    events = [
        kernel('gemm', 0, 50),
        kernel('ncclDevKernel_AllReduce_Sum_f32', 30, 40, **{'Collective name': 'allreduce'}),
    ]
    events[1]['tid'] = events[1]['args']['stream'] = 20
    path = write('selected.json', json.dumps({'traceEvents': events}))
    (row,) = table(path, more=('--name', 'nccl*'))
    check_same(
        [ps(row['overlap_ns']), ps(row['exposed_ns'])], [20000000, 20000000], 'the same as without'
    )
    check_same(table(path, more=('--name', 'gemm')), [], 'none is selected')


@test
def nprof_reads_its_own_traces_as_the_profiles_they_were(_folder):
    path = write(
        'own.xplane.pb',
        hlo(
            '%all-gather.3 = bf16[64,8]{1,0} all-gather(bf16[16,8]{1,0} %p), replica_groups={{0,1,2,3}}'
        ),
    )
    run('run', '-s', 'chrome', '-o', 'own.json', path).expect(0)
    first, second = table(path), table('own.json')
    for row in first + second:
        row.pop('input')
    check_same(second, first, 'of the trace and of the profile')


main()
