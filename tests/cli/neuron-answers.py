# SPDX-License-Identifier: Apache-2.0
"""neuron-answers.py - what is said of a kernel of Neuron, on both sides of each threshold. Profiles
are JSON of neuron-profile; times at stake are worked out here, ns by ns, from the rows written."""

import json
import random
import re

from harness import check, check_same, main, rows_of, run, test, write

KIB = 1024


def instruction(engine, start, ns, opcode='MATMUL', core=0, operands='', kind='REGULAR'):
    return {
        **{'opcode': opcode, 'subgroup': engine, 'subgraph': f'sg0{core}', 'timestamp': start},
        **{'duration': ns, 'pc': start, 'operands': operands, 'instruction_type': kind},
        **{'elements': 100},
    }


def packet(engine, start, ns, size, core=0):
    return {
        **{'dma_engine': str(engine), 'dma_queue': '0', 'subgraph': f'sg0{core}'},
        **{'subgroup': f'Q0-E{engine}', 'timestamp': start, 'duration': ns, 'op': ''},
        **{'transfer_size': size, 'read_size': size, 'write_size': size, 'queue_type': 'static'},
    }


def profile(name, instructions, packets, cores=1, tensors=(), **stated):
    """Writes a profile of 10 us; its path."""
    data = {
        'instruction': instructions,
        'dma': packets,
        'metadata': [
            {
                **{'first_hw_timestamp': 0, 'last_hw_timestamp': 10000, 'ntff_version': 6},
                **{'pe_num_rows': 128, 'pe_num_cols': 128, 'pe_clock_freq': 2.4},
            }
        ],
        'neff_header': [{'number_of_neuroncores_per_lnc': str(cores)}],
        'model_info': [{'sg_name': f'sg0{i}', 'nc_idx': i, 'nd_idx': 0} for i in range(cores)],
        'summary': [{'total_time': 1e-5, **stated}],
        'tensor_info': list(tensors),
    }
    return write(f'{name}.json', json.dumps(data))


def found(name, instructions, packets, cores=1, **stated):
    """{ANSWER: row of findings} of a profile of 10 us."""
    path = profile(name, instructions, packets, cores, **stated)
    told = run('report', '-q', '--only', 'findings', '--format', 'csv', path).expect(0).out
    by_answer = {}
    for row in rows_of(told):
        by_answer.setdefault(row['answer'], row)
    return by_answer


@test
def dma_beside_compute_is_said(_folder):
    """DMA moves for 6 of 10 us, 4 of them beside compute of 5 us."""
    rows = [instruction('PE', 0, 5000)]
    packets = [packet(0, 1000, 6000, 4 * KIB)]
    active = {'tensor_engine_active_time': 5e-6, 'dma_active_time': 6e-6}
    screen = run('report', '-q', profile('beside', rows, packets, **active)).expect(0).out
    beside = len(ran(rows) & ran(packets)) / 10000
    check_same(beside, 0.4, 'what was drawn')
    said = f'DATA-BOUND: DMA 60.0 % ({beside:.1%} beside compute), tensor engine 50.0 % of the execution'
    check(said.replace('40.0%', '40.0 %') in screen, screen)
    check(' = compute 5.00 us + DMA alone 2.00 us' in screen, screen)


def gpu_trace(ns):
    """A GPU that computes for half of the time, copies for a quarter, and idles for the rest."""
    part = ns / 4000
    rows = [('gemm', 'kernel', 0, 2 * part), ('Memcpy HtoD', 'gpu_memcpy', 2 * part, part)]
    events = [
        {'ph': 'X', 'name': name, 'cat': cat, 'ts': start, 'dur': length, 'pid': 0, 'tid': 7}
        | {'args': {'device': 0, 'stream': 7, 'correlation': i + 1}}
        for i, (name, cat, start, length) in enumerate(rows)
    ]
    events.append({**events[0], 'name': 'tail', 'ts': 4 * part - 0.001, 'dur': 0.001})
    document = {'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}]}
    return write('gpu.json', json.dumps({**document, 'traceEvents': events}))


@test
def each_input_has_its_platform(_folder):
    """DMA alone is of the NeuronCore, copies are of the GPU, whichever comes first."""
    active = {'tensor_engine_active_time': 5e-6, 'dma_active_time': 6e-6}
    core = profile('core', [instruction('PE', 0, 5000)], [packet(0, 1000, 6000, 4 * KIB)], **active)
    for ns in (4000, 40000):
        gpu = gpu_trace(ns)
        for paths in ((core, gpu), (gpu, core)):
            tables = {
                name: rows_of(
                    run('report', '-q', '--only', name, '--format', 'csv', *paths).expect(0).out
                )
                for name in ('abilities', 'summary')
            }
            platforms = {
                row['input']: row['code']
                for row in tables['abilities']
                if row['question'] == 'platform'
            }
            check_same(platforms, {'core.json': 'neuron', 'gpu.json': 'cuda'}, paths)
            (step,) = [row for row in tables['summary'] if row['label'] == 'step']
            check_same('DMA alone' in step['text'], step['input'] == 'core.json', step)
            check_same('copies' in step['text'], step['input'] == 'gpu.json', step)
    doctor = run('doctor', '-q', core, gpu).expect(0).out
    said = [line.split(maxsplit=3)[3] for line in doctor.split('\n') if line.startswith('runs on')]
    check_same(said, ['AWS Neuron (core.json)', 'CUDA (gpu.json)'], doctor)
    check('CUDA\n' in run('doctor', '-q', gpu).expect(0).out, 'one input is not named')


def ran(rows):
    return {ns for r in rows for ns in range(r['timestamp'], r['timestamp'] + r['duration'])}


def check_gain(row, stake, whole, goes=None):
    """A stake is what the execution could be shorter, where no less than all of it goes."""
    goes = stake if goes is None else goes
    check_same(float(row['stake_ns']), stake, row)
    check(goes < whole, f'{goes} of {whole}')
    check_same(round(float(row['gain']), 9), round(whole / (whole - goes), 9), row)
    check_same(row['certainty'], 'upper_bound', row)
    check(row['advice'] and row['condition'], row)


EDGES = [instruction('Tensor', 0, 100), instruction('Tensor', 9900, 100)]


@test
def dma_that_nothing_computes_beside(_):
    for seed in range(6):
        rand = random.Random(seed)
        work = EDGES + [
            instruction(rand.choice(['Tensor', 'Vector']), at, rand.randrange(100, 400))
            for at in range(500, 9500, 700)
        ]
        moves = [
            packet(engine, rand.randrange(200, 9000), rand.randrange(50, 600), 4 * KIB)
            for engine in range(16)
            for _ in range(rand.randrange(1, 6))
        ]
        told = found(f'dma{seed}', work, moves)
        compute, dma = ran(work), ran(moves)
        row = told['dma']
        check_gain(row, len(dma - compute), 10000, min(len(dma - compute), len(compute - dma)))
        check_same(round(float(row['share']) * 10000), len(dma - compute), row)
        n, size = len(moves), sum(m['transfer_size'] for m in moves)
        together = sum(m['duration'] for m in moves)
        check(row['detail'].startswith(f'{n} packets of 4.00 KiB move '), row['detail'])
        rate, each = size / len(dma), size / together  # byte/ns: GB/s
        said = re.search(
            r' at ([\d.]+) GB/s: (\d+) at a time, ([\d.]+) GB/s each, most on ', row['detail']
        )
        check_same(float(said[1]), float(f'{rate:.3g}'), row['detail'])
        check_same(int(said[2]), round(together / len(dma)), row['detail'])
        check_same(float(said[3]), float(f'{each:.3g}'), row['detail'])
        check('exposed' not in told, f'said once: {told}')
    cases = [(900, 300, True), (499, 0, False), (1001, 3000, True), (999, 3000, False)]
    for ns, engine, said in cases:
        work = EDGES + [instruction('Tensor', 1000, engine)] * bool(engine)
        told = found(f'dma-{ns}', work, [packet(0, 5000, ns, KIB)])
        check_same('dma' in told, said, f'{ns} ns alone, the tensor engine {engine} more: {told}')
    # Compute takes 40 ns alone at its edges, and some more behind the packet: no less than 2 % hides.
    edges = [instruction('Tensor', 0, 20), instruction('Tensor', 9980, 20)]
    for ns, goes in [(0, None), (159, None), (160, 200), (900, 940)]:
        work = (
            edges
            + [instruction('Tensor', 1000, 200)]
            + [instruction('Tensor', 8000, ns)] * bool(ns)
        )
        row = found(f'free-{ns}', work, [packet(0, 900, 5000, KIB)])['dma']
        check_same(float(row['stake_ns']), 4800, row)
        check_same(bool(row['condition']), goes is not None, row)
        check_same(row['advice'].startswith('load the next tile'), goes is not None, row)
        if goes:
            check_gain(row, 4800, 10000, goes)
        else:
            check(row['advice'] and not row['gain'] and not row['certainty'], row)
    hidden = found('hidden', [instruction('Tensor', 0, 10000)], [packet(0, 10, 9000, KIB)])
    check(not {'dma', 'exposed', 'packets', 'traffic'} & set(hidden), f'hidden: {hidden}')


@test
def small_packets(_):
    for number, (size, ns, said) in enumerate(
        [
            (2 * KIB - 1, 100, True),
            (2 * KIB, 100, False),
            (128, 33, False),
            (128, 34, True),
            (128, 100, True),
        ]
    ):
        small = [packet(e, 1000 + 50 * i, ns, size) for e in range(4) for i in range(20)]
        large = [packet(e, 4000, 2000, 64 * KIB) for e in range(4)]
        moves = small + large
        told = found(f'packets{number}', EDGES, moves)
        check_same('packets' in told, said, f'case {number}: {told}')
        share = sum(m['duration'] for m in small) / sum(m['duration'] for m in moves)
        check_same(share > 0.25 and size < 2 * KIB, said, f'case {number}')
        if not said:
            continue
        check_gain(told['packets'], len(ran(small) - ran(EDGES)), 10000)
        part = sum(m['transfer_size'] for m in small) / sum(m['transfer_size'] for m in moves)
        check(told['packets']['text'].startswith(f'80 of {len(moves)} '), told['packets'])
        check(
            f'{100 * share:.1f} % of the time of packets for {100 * part:.1f} % of the bytes'
            in told['packets']['text'],
            told['packets']['text'],
        )


@test
def small_packets_of_a_twentieth(_):
    """Of a window of 10 us, 500 ns with small packets are not said, 600 are."""
    for n, said in ((5, False), (6, True)):
        small = [packet(e, 1000 + 100 * i, 100, 128) for e in range(4) for i in range(n)]
        told = found(f'twentieth{n}', EDGES, [*small, packet(0, 4000, 2000, 64 * KIB)])
        check_same(len(ran(small) - ran(EDGES)), 100 * n, 'time')
        check_same('packets' in told, said, f'{n}: {told}')


@test
def bytes_that_move_more_than_once(_):
    moves = [packet(e, 1000, 6000, 64 * KIB) for e in range(8)]
    moved = sum(m['transfer_size'] for m in moves)
    for number, (size, said) in enumerate([(moved // 2, True), (moved // 2 + 1, False), (1, True)]):
        told = found(f'traffic{number}', EDGES, moves, inputs_outputs_weights_size_bytes=size)
        check_same('traffic' in told, said, f'case {number}: {told}')
        if said:
            alone = len(ran(moves) - ran(EDGES))
            beyond = round(6000000 * (1 - size / moved)) / 1000
            check_gain(told['traffic'], min(alone, beyond), 10000)
    check('traffic' not in found('no-sizes', EDGES, moves), 'sizes that are not known')


@test
def dma_of_a_part_of_the_rows(_):
    """Every figure of a selection is of its rows, whole or cut at its edges."""
    for seed, (low, high), clip in [
        *[
            (seed, edges, clip)
            for seed in range(3)
            for edges in [(2000, 5000), (0, 10000)]
            for clip in (0, 1)
        ],
        *[(seed, (4321, 9876), clip) for seed in range(3, 6) for clip in (0, 1)],
    ]:
        rand = random.Random(seed)
        work = EDGES + [
            instruction(rand.choice(['Tensor', 'Vector', 'GpSimd']), at, rand.randrange(40, 90))
            for at in range(500, 9500, 300)
        ]
        moves = [
            packet(e, rand.randrange(200, 9000), rand.randrange(50, 900), 4 * KIB * (1 + e % 3))
            for e in range(16)
            for _ in range(rand.randrange(2, 8))
        ]
        path = profile(f'selected{seed}', work, moves)
        args = ('--from', f'{low}ns', '--to', f'{high}ns', *['--clip'] * clip)
        tables = {
            name: rows_of(run('report', '-q', '--only', name, '--format', 'csv', path, *args).out)
            for name in ('findings', 'verdict', 'verdict_parts', 'moved', 'devices')
        }

        # (start, end, bytes) of the rows that touch the selection; of a clip the part inside.
        def selected(rows):
            for r in rows:
                start, ns, size = r['timestamp'], r['duration'], r.get('transfer_size', 0)
                if start + ns < low or start > high:
                    continue
                a, b = (max(start, low), min(start + ns, high)) if clip else (start, start + ns)
                yield a, b, size * 1000 * (b - a) // (1000 * ns)

        compute, dma = list(selected(work)), list(selected(moves))
        first, last = min(r[0] for r in compute + dma), max(r[1] for r in compute + dma)
        if clip:  # the program goes on at both edges
            first, last = low, min(high, 10000)
        span = last - first
        busy = {ns for a, b, _ in dma for ns in range(a, b)}
        # What is not selected hides copies in the span of what is, as it would without a selection.
        ran_then = [ran(rows) & set(range(first, first + span)) for rows in (work, moves)]
        alone = ran_then[1] - ran_then[0]
        verdict, device = tables['verdict'][0], tables['devices'][0]
        check_same(float(verdict['window_ns']), span, (seed, args, verdict))
        check_same(float(device['span_ns']), span, (seed, args, device))
        parts = {r['part']: float(r['duration_ns']) for r in tables['verdict_parts']}
        check_same(parts['copy'], len(alone), (args, parts))
        check_same(parts['compute'], len(ran_then[0]), (args, parts))
        moved = tables['moved']
        check_same(
            sum(int(r['calls']) for r in moved), len([r for r in dma if r[2]]), (args, moved)
        )
        check_same(
            sum(float(r['duration_ns']) for r in moved), sum(b - a for a, b, _ in dma), moved
        )
        check_same(sum(int(r['bytes']) for r in moved), sum(n for _, _, n in dma), moved)
        engines = {'dma': len(busy)}
        for name in ('Tensor', 'Vector', 'GpSimd'):
            rows = selected([r for r in work if r['subgroup'] == name])
            engines[name.lower()] = len({ns for a, b, _ in rows for ns in range(a, b)})
        whole = min(high, 10000) - max(low, 0) if clip else min(span, 10000)
        check_same(verdict['engine'], max(engines, key=engines.get), (engines, verdict))
        share = max(engines.values()) / whole
        check_same(round(float(verdict['share']), 9), round(share, 9), (args, engines, verdict))
        words = {'tensor engine', 'vector engine', 'GPSIMD engine', 'DMA'}
        check_same(
            set(re.findall(r'[:,] ([A-Za-z ]+) [\d.]+ %', verdict['sentence'])), words, verdict
        )
        row = next(row for row in tables['findings'] if row['answer'] == 'dma')
        check_same(float(row['stake_ns']), len(alone), (args, row))
        check_same(round(float(row['share']), 9), round(len(alone) / span, 9), (args, row))
        rate = sum(n for _, _, n in dma) / len(busy)
        said = re.search(r' at ([\d.]+) GB/s: ', row['detail'])
        check_same(float(said[1]), float(f'{rate:.3g}'), row['detail'])


@test
def queues_of_dma_are_no_operators(_):
    """A report has them among transfers, though their rows take more time than instructions."""
    work = EDGES + [instruction('Tensor', 1000, 500)]
    path = profile('queues', work, [packet(e, 1000, 900, KIB) for e in range(8)])
    table = rows_of(
        run('run', '-q', '-a', 'operators', '-s', 'csv:table=operators', '-o', '-', path).out
    )
    took = {r['operator']: float(r['self_ns']) for r in table if r['level'] == 'name'}
    queues = {r['operator'] for r in table if r['category'] == 'dma'}
    check(queues and sum(took[q] for q in queues) == 8 * 900, (queues, took))
    out = run('report', '-q', '--only', 'operators', path).expect(0).out
    listed = {line.split()[-1] for line in out.splitlines() if line}
    check(not queues & listed and 'Queues of DMA are no operators.' in out, out)


@test
def tensors_of_another_input(_):
    """What is said of one profile is of its own tensors: of two in one run as of each alone."""
    moves = [packet(e, 1000, 6000, 64 * KIB) for e in range(8)]
    paths = []
    for name, dtype, size in [('low', 'bfloat16', 1000), ('high', 'float32', 999999)]:
        tensors = [
            {'variable_name': f'in_{name}', 'type': 'IN', 'dtype': dtype, 'size': 4096},
            {'variable_name': f'big_{name}', 'type': 'virtual', 'size': size},
        ]
        work = EDGES + [instruction('Tensor', 1000, 5000)]
        paths.append(profile(f'{name}-engine', work, [packet(0, 1000, 100, KIB)], tensors=tensors))
        paths.append(
            profile(
                f'{name}-traffic',
                EDGES,
                moves,
                tensors=tensors,
                inputs_outputs_weights_size_bytes=8 * 64 * KIB // 4,
            )
        )
    args = ('report', '-q', '--only', 'findings', '--format', 'csv')
    names, advice = {}, {}
    for row in rows_of(run(*args, *paths).expect(0).out):
        if row['answer'] == 'traffic':
            names[row['input']] = row['name']
        elif row['answer'] == 'engine':
            advice[row['input']] = row['advice']
    check_same(
        names, {'low-traffic.json': 'big_low', 'high-traffic.json': 'big_high'}, 'tensors between'
    )
    check('operands for fp32' in advice['high-engine.json'], advice)
    check('operands for fp32' not in advice['low-engine.json'], advice)


@test
def sizes_of_another_input(_):
    """Bytes of inputs, outputs and weights are those of the tensors of a profile, also where another
    one of the same run lies beside it."""
    sizes = {'sizes-a.json': 4096, 'sizes-b.json': 12288}
    for path, size in sizes.items():
        tensors = [{'variable_name': 'x', 'type': 'IN', 'dtype': 'bfloat16', 'size': size}]
        profile(path.removesuffix('.json'), EDGES, [packet(0, 1000, 100, KIB)], tensors=tensors)
    profile('sizes-c', EDGES, [packet(0, 1000, 100, KIB)])
    args = ('report', '-q', '--only', 'neuron_summary', '--format', 'csv')

    def told(*paths):
        return {
            row['input']: (row['value'], row['tensors'])
            for row in rows_of(run(*args, *paths).expect(0).out)
            if row['metric'] == 'inputs_outputs_weights_size_bytes'
        }

    stated = {path: (str(size), path) for path, size in sizes.items()}
    none = {'sizes-c.json': ('', '')}
    check_same(told(*sizes, 'sizes-c.json'), {**stated, **none}, 'sizes')
    first = {'sizes-a.json': ('4096', 'sizes-a.json')}
    check_same(told('sizes-a.json', 'sizes-c.json'), {**first, **none}, 'of one')


@test
def transposes_on_the_tensor_engine(_):
    for number, (ns, said) in enumerate([(600, False), (700, True), (5000, True)]):
        transposes = [instruction('Tensor', 1000, ns, kind='TRANSPOSE')]
        work = EDGES + transposes + [instruction('Tensor', 6000, 1800)]
        told = found(f'transposes{number}', work, [packet(0, 5000, 100, KIB)])
        check_same('transposes' in told, said, f'case {number}: {told}')
        check_same(ns / len(ran(work)) > 0.25 and ns > 500, said, f'the table of cases, {number}')
        if said:
            alone = len(ran(work) - {ns for ns in range(5000, 5100)})
            check_gain(told['transposes'], min(ns, alone), 10000)


@test
def cores_that_compute_nothing(_):
    idle = [instruction('Tensor', 0, 50, 'NOP', core=1)]
    moves = [packet(0, 5000, 500, KIB), packet(0, 5000, 500, KIB, core=1)]
    work = EDGES + [instruction('Tensor', 1000, 3000)]
    told = found('one', work + idle, moves, cores=2)
    done = len(ran(work) | ran(moves))
    check_same(float(told['one_core']['stake_ns']), done // 2, told['one_core'])
    check(told['one_core']['advice'] and not told['one_core']['gain'], told['one_core'])
    check(told['one_core']['text'].startswith('1 of 2 cores'), told['one_core'])
    both = work + [instruction('Tensor', 0, 50, core=1)]
    check('one_core' not in found('both', both, moves, cores=2), 'both compute')
    check('one_core' not in found('single', work, moves), 'one core is no logical core')


def waiting(engine, start, ns, semaphore, by):
    """Two instructions with a gap: the second one waits; `by` raises what it waits for."""
    words = f' $S[{semaphore}]>=1 '
    return [*by, instruction(engine, start + ns, 100, 'MATMUL', operands=words)]


@test
def engines_that_wait(_):
    """The gap before an instruction that names a semaphore is what it waited; whoever names the
    semaphore raised it."""
    raises = [instruction('Vector', 200, 100, 'COPY', operands=' $S[5]++@complete ')]
    begins = [
        instruction('Sync', 200, 10, 'DMA_DIRECT2D', operands=' semaphore=9 sem_increment=16 ')
    ]
    copied = [
        instruction('Sync', 210, 10, 'DMA_DIRECT2D', operands=' semaphore=5 sem_increment=16 ')
    ]
    own = [instruction('Tensor', 200, 50, 'COPY', operands=' $S[5]++@complete ')]
    base = [instruction('Tensor', 0, 1000), instruction('Tensor', 9900, 100)]
    busy = [instruction('Tensor', 5000, 2900)]
    for number, (semaphore, by, who) in enumerate(
        [
            *[(5, raises, 'engine'), (9, begins, 'dma'), (7, [], 'unnamed'), (5, own, 'itself')],
            *[(5, raises + own, ''), (5, raises + copied, '')],
        ]
    ):
        work = base + busy + waiting('Tensor', 1000, 3000, semaphore, by)
        found(f'waits{number}', work, [packet(0, 2000, 1900, 64 * KIB)])
        path = f'waits{number}.json'
        told = run('report', '-q', '--only', 'neuron_waits', '--format', 'csv', path).expect(0).out
        (row,) = rows_of(told)
        check_same(
            (row['engine'], row['semaphores'], row['raised_by'], row['calls']),
            ('tensor', f'S[{semaphore}]', who, '1'),
            row,
        )
        check_same([float(row[k]) for k in ('duration_ns', 'start_ns')], [3000, 1000], row)
        said = found(f'said{number}', work, [packet(0, 2000, 1900, 64 * KIB)])
        check_same('serial' in said, who == 'engine', f'case {number}: {said}')
        check_same(
            'waits 30.0 % for DMA' in said['dma']['detail'], who in ('dma', 'unnamed'), said['dma']
        )
        if who == 'engine':
            check_gain(said['serial'], 3000, 10000)
        check_same('engine' in said, True, 'the tensor engine works longest')
        alone = len(ran(base + busy) | {ns for ns in range(4000, 4100)})
        check(float(said['engine']['stake_ns']) <= alone + 100, said['engine'])


if __name__ == '__main__':
    main()
