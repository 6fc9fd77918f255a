# SPDX-License-Identifier: Apache-2.0
"""phases.py - the analyzer phases: beside what was reckoned by hand (the folder golden beside the
data), and beside a plain calculation on random steps of inference."""

import csv
import io
import json
import os
import random
from decimal import Decimal

from harness import Skip, add_test, check, check_same, main, run, test, write
from randomtrace import scan

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'analyses')


def table(path, *options, name='phases'):
    result = run('run', '-a', 'phases', '-s', f'csv:table={name}', '-o', '-', *options, path)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def ps(text):
    return int(Decimal(text) * 1000) if text else None


def number(text):
    return int(text) if text else None


@test
def by_hand(_folder):
    path = os.path.join(GOLDEN, 'phases_made.json')
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    rows = {row['phase']: row for row in table(path)}
    with open(os.path.join(GOLDEN, 'phases_made.tsv'), encoding='utf-8') as file:
        wanted = list(csv.DictReader(file, delimiter='\t'))
    check_same(sorted(rows), sorted(want['phase'] for want in wanted), 'phases')
    for want in wanted:
        row = rows[want['phase']]
        check_same(
            [row[c] for c in ('steps', 'requests', 'context_tokens', 'generation_tokens')],
            [want[c] for c in ('steps', 'requests', 'context_tokens', 'generation_tokens')],
            want['phase'],
        )
        check_same(
            [ps(row['span_ns']), ps(row['busy_ns'])],
            [number(want['span_ps']), number(want['busy_ps'])],
            want['phase'],
        )
    check_same(
        [rows['decode'][c] for c in ('tpot_ns', 'periods', 'reason')],
        ['', '0', 'no two of its steps with work follow each other: no period'],
        'a mixed step lies between both',
    )


def annotation(name, start, end, device=True):
    where = (
        {'pid': 0, 'tid': 7, 'cat': 'gpu_user_annotation'}
        if device
        else {'pid': 9, 'tid': 9, 'cat': 'user_annotation'}
    )
    return {'ph': 'X', 'name': name, 'ts': start, 'dur': end - start, 'args': {}, **where}


def kernel(start, end, number_, stream=7):
    return {
        'ph': 'X',
        'cat': 'kernel',
        'name': 'k',
        'pid': 0,
        'tid': stream,
        'ts': start,
        'dur': end - start,
        'args': {'device': 0, 'stream': stream, 'correlation': number_},
    }


def launch(start, number_):
    return {
        'ph': 'X',
        'cat': 'cuda_runtime',
        'name': 'cudaGraphLaunch',
        'pid': 9,
        'tid': 9,
        'ts': start,
        'dur': 1,
        'args': {'correlation': number_},
    }


def one(*events, name='phases'):
    return table(write('one.json', json.dumps({'traceEvents': list(events)})), name=name)


@test
def dialects(_folder):
    for name, expected in (
        ('execute_context_2(100)_generation_0(0)', ('prefill', '2', '100', '0', '')),
        ('execute_context_0(0)_generation_8(8)', ('decode', '8', '0', '8', '20000')),
        ('execute_context_0(0)_generation_8(24)', ('decode', '8', '0', '24', '')),
        ('execute_context_1(888_788544)_generation_0(0)', ('prefill', '1', '888', '0', '')),
        ('execute_context_0(0)_generation_8(8_8)', ('decode', '8', '0', '8', '20000')),
        (
            'execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)',
            ('decode', '32', '0', '32', '50000'),
        ),
        (
            'execute_40_context_1(sq512sk512sqsq262144sqsk262144)_generation_8(sq8sk99sqsq8sqsk99)',
            ('mixed', '9', '512', '8', ''),
        ),
        ('execute_new_3_cached_0', ('prefill', '3', '', '', '')),
        ('execute_new_0_cached_4', ('decode', '4', '', '', '')),
        ('step[EXTEND bs=2 toks=700]', ('prefill', '2', '700', '0', '')),
        ('step[DECODE bs=32]', ('decode', '32', '0', '32', '50000')),
        ('step[MIXED bs=4 toks=90]', ('mixed', '4', '', '', '')),
        ('step[TARGET_VERIFY bs=4]', ('verify', '4', '', '', '')),
        (
            'step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]',
            ('decode', '64', '0', '128', ''),
        ),
        (
            'step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12]',
            ('mixed', '2', '5', '1', ''),
        ),
        ('step[SPLIT_PREFILL bs=2 toks=64]', ('prefill', '2', '64', '0', '')),
        ('step[DRAFT_EXTEND bs=4 toks=16]', ('draft', '4', '', '', '')),
        ('step[DRAFT_EXTEND_V2 bs=4]', ('draft', '4', '', '', '')),
        ('prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3]', ('prefill', '6', '17408', '0', '')),
        ('decode[bs=117/128 tok=117 d=117]', ('decode', '117', '0', '117', '50000')),
        (
            'decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]',
            ('decode', '32', '0', '128', ''),
        ),
        (
            'decode[bs=128 tok=384 p=2 d=126 sqsq=132612 sqsk=1114112 sk=258048 tbo=1]',
            ('mixed', '128', '', '', ''),
        ),
        ('_forward_step: 1 ctx reqs, 0 gen reqs', ('prefill', '1', '', '', '')),
        ('[Executor] _forward_step 60000: 0 ctx reqs, 64 gen reqs', ('decode', '64', '0', '', '')),
        (
            '[Executor] _forward_step 17: 2 ctx reqs, 4096 ctx tokens, 30 gen reqs',
            ('mixed', '32', '4096', '', ''),
        ),
        ('executeStep: 0 ctx reqs, 8 gen reqs', ('decode', '8', '0', '', '')),
        ('execute_diffusion_1_256x256', ('diffusion', '', '', '', '')),
        ('prefill[bs=1 tok=33]', ('prefill', '1', '33', '0', '')),
        ('decode[bs=5 tok=5]', ('decode', '5', '0', '5', '50000')),
    ):
        (row,) = one(annotation(name, 0, 50), kernel(5, 25, 1))
        check_same(
            tuple(row[c] for c in ('phase', 'requests', 'context_tokens', 'generation_tokens')),
            expected[:4],
            name,
        )
        check_same(
            [bool(row['tpot_least_ns']), row['tpot_ns']],
            [bool(expected[4]), ''],
            f'{name}: one step has no period',
        )
        (row,) = one(
            annotation(name, 0, 50), kernel(5, 25, 1), annotation(name, 60, 110), kernel(62, 90, 2)
        )
        check_same(row['tpot_ns'], expected[4] and '65000', f'{name}: from 25 to 90 us')
        check_same(
            bool(row['reason']),
            '' in (expected[2], expected[3]) or (expected[0] == 'decode' and not expected[4]),
            f'{name}: reason',
        )
    for name in (
        'execute_context_0(0)_generation_0(0)',
        'execute_context_1(8_)_generation_0(0)',
        'execute_model',
        'step[IDLE bs=0]',
        'step[DECODE bs=0]',
        'decode[bs=0 tok=0]',
        'steps[DECODE bs=1]',
        'ProfilerStep#3',
    ):
        check_same(one(annotation(name, 0, 50), kernel(5, 25, 1)), [], name)


@test
def names_of_servers(_folder):
    """Beside what the names mean by hand: phase, tokens and keys."""
    path = os.path.join(DATA, '..', 'prototypes', 'graphs', 'steps_names.tsv')
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    with open(path, encoding='utf-8') as file:
        names = list(csv.DictReader(file, delimiter='\t'))
    for want in names:
        rows = one(annotation(want['name'], 0, 50), kernel(5, 25, 1))
        check_same(
            [row['phase'] for row in rows], [want['phase']] if want['phase'] else [], want['name']
        )
        for row in rows:
            columns = [
                c
                for c in ('context_tokens', 'generation_tokens', 'context_keys', 'generation_keys')
                if want[c]
            ]
            check_same([row[c] for c in columns], [want[c] for c in columns], want['name'])


@test
def a_gate_of_each_server(_folder):
    """Two steps from 25 to 90 us, as each server annotates them: 65 us a token, or why that is not
    known."""
    proposed, unsaid = 'speculation: *', 'the annotations do not say that each request got one *'
    other = 'the file has steps of a server of models, and none of that phase'
    for name, why in (
        ('execute_context_0(0)_generation_8(8)', ''),
        ('execute_8_context_0(sq0sk0sqsq0sqsk0)_generation_8(sq8sk99sqsq8sqsk99)', ''),
        ('execute_context_0(0)_generation_8(24)', proposed),
        ('execute_new_0_cached_4', unsaid),
        ('step[DECODE bs=32]', ''),
        ('step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]', proposed),
        ('step[TARGET_VERIFY bs=4]', proposed),
        ('decode[bs=117/128 tok=117 d=117]', ''),
        ('decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]', proposed),
        ('[Executor] _forward_step 6: 0 ctx reqs, 64 gen reqs', unsaid),
        ('executeStep: 0 ctx reqs, 8 gen reqs', unsaid),
        ('execute_diffusion_1_256x256', other),
    ):
        steps = [
            *(annotation(name, 0, 50), kernel(5, 25, 1)),
            *(annotation(name, 60, 110), kernel(62, 90, 2)),
        ]
        path = write('server.json', json.dumps({'traceEvents': steps}))
        if why:
            run('gate', path, 'tpot < 20ms').expect(6, out=f'UNDECIDED * is unknown*: {why}')
            continue
        run('gate', path, 'tpot < 66us').expect(0, out='met * is 65us *')
        run('gate', path, 'tpot < 64us').expect(6, out='NOT MET * is 65us *')


@test
def a_gate_decides_or_says_why_not(_folder):
    decode, prefill = annotation('step[DECODE bs=4]', 0, 50), annotation(
        'step[EXTEND bs=1 toks=9]', 260, 460
    )
    events = [
        decode,
        kernel(5, 25, 1),
        annotation('step[DECODE bs=4]', 50, 120),
        kernel(60, 75, 2),
        prefill,
        kernel(270, 290, 3),
    ]
    path = write('served.json', json.dumps({'traceEvents': events}))
    run(
        'gate', path, 'tpot < 51us', 'tokens_per_s > 70000', "phases['prefill'].p50_ns < 1ms"
    ).expect(0, out='*tpot < 51us  is 50us*')
    run('gate', path, 'tpot < 49us').expect(6, out='NOT MET * is 50us*')
    alone = write('alone.json', json.dumps({'traceEvents': events[:2]}))
    run('gate', alone, 'tpot < 1ms').expect(
        6, out='UNDECIDED * is unknown * one step: 20.0 us or more*'
    )
    spoken = [
        annotation('step[DECODE bs=4 g_sq=8]', 0, 50),
        kernel(5, 25, 1),
        annotation('step[DECODE bs=4 g_sq=8]', 50, 90),
        kernel(55, 75, 2),
    ]
    for want in 'tpot < 1ms', 'tokens_per_s > 1':
        run('gate', write('spoken.json', json.dumps({'traceEvents': spoken})), want).expect(
            6, out='UNDECIDED * is unknown * speculation: *; at most 160000 tokens/s*'
        )
    run(
        'gate',
        write('none.json', json.dumps({'traceEvents': [kernel(5, 25, 1)]})),
        'tpot < 1ms',
        'ttft < 1s',
    ).expect(
        6,
        out=[
            'UNDECIDED  tpot * no step says that it is prefill or decode*',
            'UNDECIDED  ttft * no spans of requests in the file*',
        ],
    )


@test
def periods(_folder):
    """From the end of work to the end of work, of steps of one phase that follow each other; tokens
    with prefills in between."""

    def step(what, number_, start, first, end):
        return [
            annotation(f'step[{what}]', start, start + 10, device=False),
            launch(start + 2, number_),
            kernel(first, end, number_),
        ]

    events = (
        step('DECODE bs=2', 1, 0, 20, 30)
        + step('DECODE bs=2', 2, 12, 31, 50)
        + step('EXTEND bs=1 toks=5', 3, 24, 51, 90)
        + step('DECODE bs=3', 4, 40, 95, 100)
        + step('DECODE bs=3', 5, 60, 120, 130)
    )
    rows = {row['phase']: row for row in one(*events)}
    decode = rows['decode']
    check_same(
        [
            ps(decode[c]) // 10**6
            for c in ('tpot_ns', 'period_p50_ns', 'itl_p50_ns', 'itl_p99_ns')
        ],
        [25, 25, 30, 49],
        '20 and 30 us; 20, 50, 30',
    )
    check_same(
        [decode['periods'], decode['tpot_least_ns'], float(decode['tokens_per_s'])],
        ['2', '', 1e5],
        '5 tokens in 50 us',
    )
    check_same(
        [rows['prefill'][c] for c in ('periods', 'period_p50_ns', 'tokens_per_s')],
        ['0', '', ''],
        'a prefill alone',
    )
    check('one step: 39.0 us' in rows['prefill']['reason'], rows['prefill']['reason'])
    copy = {**kernel(131, 199, 5), 'cat': 'gpu_memcpy', 'name': 'Memcpy DtoH (Device -> Pinned)'}
    check_same(
        [row['tpot_ns'] for row in one(*events, copy) if row['phase'] == 'decode'],
        ['25000'],
        'a copy outlives its step',
    )
    late = [
        step('DECODE bs=1', 1, 0, 20, 100),
        step('DECODE bs=1', 2, 12, 40, 90),
        step('DECODE bs=1', 3, 24, 70, 130),
    ]
    (row,) = one(*sum(late, []))
    check_same(
        [row['periods'], row['tpot_ns']],
        ['2', '25000'],
        'ends that do not rise: from 20 to 40 to 70 us',
    )


@test
def each_step(_folder):
    """What a graph replays, its kernels and the batch, by step; numbers stay in a selection."""
    eager = {**launch(45, 3), 'name': 'cudaLaunchKernel'}
    events = [
        annotation('execute_context_0(0)_generation_2(2)', 0, 10, device=False),
        annotation('step[EXTEND bs=1 toks=9]', 20, 30, device=False),
        annotation('step[DECODE bs=3]', 40, 50, device=False),
        launch(2, 1),
        launch(22, 2),
        eager,
        kernel(100, 130, 1),
        kernel(110, 140, 1, 8),
        kernel(140, 150, 2),
        kernel(150, 160, 3),
        kernel(165, 166, 4),
    ]
    columns = ('step', 'phase', 'requests', 'context_tokens', 'generation_tokens', 'kernels')
    us = ('period_ns', 'between_ns', 'busy_ns')

    def short(rows):
        return [
            (*(row[c] for c in columns), *(row[c][:-3] for c in us), row['in_graph'])
            for row in rows
        ]

    rows = short(one(*events, name='server_steps'))
    wanted = [
        ('0', 'decode', '2', '0', '2', '2', '', '', '40', '1'),
        ('1', 'prefill', '1', '9', '0', '1', '', '', '10', '1'),
        ('2', 'decode', '3', '0', '3', '1', '', '20', '10', '0'),
    ]
    check_same(rows, wanted, 'rows')
    check_same(
        {row['phase']: row['in_graph'] for row in one(*events)},
        {'prefill': '1', 'decode': '0.8571428571428571', 'none': '0'},
        '60 of 70 us: what overlaps counts twice',
    )
    path = write('one.json', json.dumps({'traceEvents': events}))
    opened = json.loads(run('ask', '--json', 'open', path).expect(0).out)
    check_same(opened['data']['steps'], 3, 'as agents are told')
    rows = short(table(path, '--from', '139us', '--clip', name='server_steps'))
    check_same([row[0] for row in rows], ['0', '1', '2'], 'all reach into it')
    rows = short(table(path, '--from', '155us', '--clip', name='server_steps'))
    check_same([(row[0], row[5], row[8]) for row in rows], [('2', '1', '5')], 'the last alone')
    whole = [
        {**event, 'name': 'cudaLaunchKernel'} if event in events[3:5] else event for event in events
    ]
    rows = one(*whole, name='server_steps')
    check_same([row['in_graph'] for row in rows], ['', '', ''], 'no graph is in the file')


@test
def annotations_of_one_step_count_once(_folder):
    other = annotation('step[DECODE bs=4]', 2, 48)
    other['tid'] = 8
    rows = one(
        annotation('step[DECODE bs=4]', 0, 50),
        annotation('execute_context_0(0)_generation_4(4)', 5, 45),
        other,
        kernel(10, 20, 1),
        kernel(15, 30, 2, stream=8),
    )
    check_same(
        [(r['phase'], r['steps'], r['requests'], ps(r['span_ns']), ps(r['busy_ns'])) for r in rows],
        [('decode', '1', '4', 40000000, 20000000)],
        'rows',
    )


@test
def around_many_steps_is_none(_folder):
    """However many lie between its parts; work in it alone is of no step, and an inner one knows
    what it does not say itself."""
    outer = 'step[DECODE bs=4]'
    part = annotation(outer, 900, 1100)
    part['tid'] = 8
    rows = one(
        annotation(outer, 0, 1000),
        *(
            annotation('execute_context_0(0)_generation_4(4)', 10 + 50 * n, 40 + 50 * n)
            for n in range(15)
        ),
        *(kernel(15 + 50 * n, 25 + 50 * n, 1 + n) for n in range(15)),
        part,
        kernel(950, 960, 99),
        kernel(1050, 1060, 100),
    )
    check_same(
        [(r['phase'], r['steps'], r['generation_tokens'], ps(r['busy_ns'])) for r in rows],
        [('decode', '15', '60', 150000000), ('none', '', '', 20000000)],
        'rows',
    )


@test
def of_a_host_the_launch_decides(_folder):
    rows = one(
        annotation('step[EXTEND bs=1 toks=9]', 0, 10, device=False),
        annotation('step[DECODE bs=1]', 20, 30, device=False),
        launch(5, 1),
        launch(25, 2),
        launch(40, 3),
        kernel(100, 160, 1),
        kernel(160, 165, 2),
        kernel(170, 171, 2),
        kernel(180, 190, 3),
    )
    check_same(
        [(r['phase'], r['steps'], ps(r['span_ns']), ps(r['busy_ns'])) for r in rows],
        [
            ('prefill', '1', 160000000, 60000000),
            ('decode', '1', 11000000, 6000000),
            ('none', '', None, 10000000),
        ],
        'rows',
    )


def add_random(seed):
    def test_one(_folder):
        rng = random.Random(seed)
        events, expected, busy, at, steps_of = [], {}, {}, 0, []
        for index in range(40):
            contexts, generating = rng.choice(((2, 0), (0, 5), (1, 3)))
            tokens = contexts * rng.randrange(1, 900)
            end = at + rng.randrange(20, 400)
            phase = 'mixed' if contexts and generating else 'prefill' if contexts else 'decode'
            events.append(
                annotation(
                    f'execute_context_{contexts}({tokens})_generation_{generating}({generating})',
                    at,
                    end,
                )
            )
            expected.setdefault(phase, []).append(
                (end - at, contexts + generating, tokens, generating)
            )
            steps_of.append((phase, end - at, contexts + generating, tokens, generating, []))
            for _ in range(rng.randrange(5)):
                start = rng.randrange(at, end)
                events.append(
                    kernel(start, start + rng.randrange(60), 1 + index, rng.choice((7, 8)))
                )
                busy.setdefault(phase, []).append(
                    (events[-1]['ts'], events[-1]['ts'] + events[-1]['dur'])
                )
                steps_of[-1][-1].append(busy[phase][-1])
            at = end + rng.randrange(3)
        events.append(kernel(at + 99, at + 100, 999))
        rng.shuffle(events)
        for row in one(*events):
            if row['phase'] == 'none':
                continue
            steps = expected.pop(row['phase'])
            times = sorted(t for t, *_ in steps)
            check_same(
                [
                    number(row[c])
                    for c in ('steps', 'requests', 'context_tokens', 'generation_tokens')
                ],
                [len(steps), *(sum(s[k] for s in steps) for k in (1, 2, 3))],
                row['phase'],
            )
            check_same(ps(row['span_ns']), sum(times) * 10**6, f'{row["phase"]} span')
            check_same(
                ps(row['p50_ns']),
                (times[(len(times) - 1) // 2] + times[len(times) // 2]) * 10**6 // 2,
                f'{row["phase"]} median',
            )
            moments = {t for a, b in busy.get(row['phase'], ()) for t in range(a, b)}
            check_same(ps(row['busy_ns']), len(moments) * 10**6, f'{row["phase"]} busy')
        check_same(expected, {}, 'phases without a row')
        rows = one(*events, name='server_steps')
        check_same(len(rows), len(steps_of), 'steps')
        for row, (phase, length, *said, work) in zip(rows, steps_of):
            moments = {t for a, b in work for t in range(a, b)}
            check_same(
                (row['phase'], ps(row['duration_ns']), ps(row['busy_ns']), int(row['kernels'])),
                (phase, length * 10**6, len(moments) * 10**6, len(work)),
                f'step {row["step"]}',
            )
            told = [number(row[c]) for c in ('requests', 'context_tokens', 'generation_tokens')]
            check_same(told, said, f'step {row["step"]} says')

    add_test(f'random steps {seed}', test_one)


for each in range(8):
    add_random(each)


def launched_step(number_, start, first, end):
    """A step of a host: what it launched runs later."""
    return [
        annotation(
            f'execute_context_0(0)_generation_{number_}({number_})', start, start + 10, device=False
        ),
        launch(start + 2, number_),
        kernel(first, end, number_),
    ]


@test
def of_a_window_what_lies_in_it(_folder):
    """Times of steps and of work are cut; how many there are, how long, and their tokens are of the
    whole steps that touch it."""
    own = [
        annotation('execute_context_0(0)_generation_1(1)', 10, 30),
        kernel(12, 28, 1),
        annotation('execute_context_0(0)_generation_1(1)', 40, 80),
        kernel(45, 50, 2),
        kernel(48, 70, 3, 8),
        annotation('execute_context_1(7)_generation_0(0)', 90, 99),
        kernel(92, 95, 4),
    ]
    of_host = (
        launched_step(1, 10, 20, 30) + launched_step(2, 25, 40, 80) + launched_step(3, 45, 90, 95)
    )
    # Steps of the host on the device: 10 to 30, 30 to 80, 80 to 95.
    for events, at, wanted in (
        (own, (20, 49), {'decode': (2, 19, 12, 2, 30)}),
        (own, (81, 89), {}),
        (own, (75, 93), {'decode': (1, 5, 0, 1, 40), 'prefill': (1, 3, 1, 1, 9)}),
        (of_host, (50, 70), {'decode': (1, 20, 20, 2, 50)}),
        (of_host, (85, 200), {'decode': (1, 10, 5, 3, 15)}),
    ):
        path = write('window.json', json.dumps({'traceEvents': events}))
        shift = min(x.start for x in scan(path) if x.kind == 'span') - 10 * 10**6
        rows = table(
            path,
            '--clip',
            '--from',
            f'{at[0] * 10**6 + shift}ps',
            '--to',
            f'{at[1] * 10**6 + shift}ps',
        )
        found = {
            r['phase']: (
                number(r['steps']),
                ps(r['span_ns']) // 10**6,
                ps(r['busy_ns']) // 10**6,
                number(r['requests']),
                ps(r['p50_ns']) // 10**6,
            )
            for r in rows
        }
        check_same(found, wanted, f'{at}')


@test
def a_launch_that_begins_with_its_step(_folder):
    """It is of that step in any order of the file, also where another step ends then."""
    events = [
        annotation('step[DECODE bs=1]', 0, 10, device=False),
        annotation('step[EXTEND bs=1 toks=9]', 10, 20, device=False),
        launch(10, 1),
        kernel(30, 34, 1),
    ]
    for each in (events, events[::-1]):
        rows = {
            row['phase']: ps(row['busy_ns']) // 10**6
            for row in table(write('tie.json', json.dumps({'traceEvents': each})))
        }
        check_same(rows, {'decode': 0, 'prefill': 4}, each)


main()
