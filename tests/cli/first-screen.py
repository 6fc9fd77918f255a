# SPDX-License-Identifier: Apache-2.0
"""first-screen.py - the first screen of nprof report: it fits 24 lines of 80 columns, says what
tables verdict and verdict_parts say, in every format the same, and has the words of an engineer; of
real traces and of made ones that lack something."""

import csv
import glob
import html
import json
import os
import re

import xspace
from harness import add_test, check, check_same, main, run, sample, test, write
from samples import samples_for
from screens import lines_of, screen_of, tables_of

DATA = os.environ.get('NPROF_TEST_DATA', '')
UNITS = {'s': 10**12, 'ms': 10**9, 'us': 10**6, 'ns': 10**3, 'ps': 1}
WORKS = ('compute', 'comm', 'copy', 'control')
# What an engineer says otherwise.
STRANGE = (
    'if copies hid',
    'if comm hidden',
    'is in none',
    'idle in ',
    'no finding',
    "can't tell",
    'nobody',
    'before the launch',
    'after the launch',
    'would tell',
    'BOUND BY',
    'work of hosts',
    'not told',
    'passed over',
    '(no operator)',
    '(no span)',
    'of its work',
    ' x faster',
)


def time_of(text):
    number, unit = text.split()
    return (
        float(number.replace(',', '')) * UNITS[unit],
        0.5 * 10 ** -len(number.partition('.')[2]) * UNITS[unit] * 1.001,
    )


def near(text, value, what):
    shown, half = time_of(text)
    check(abs(shown - value) <= half, f'{what}: {text}, not {value}')


def subject_of(tables):
    return next((v for v in tables.get('verdict', []) if v['place'] == 1), None)


def parts_of(tables, verdict):
    return [
        p
        for p in tables['verdict_parts']
        if (p['input'], p['device']) == (verdict['input'], verdict['device'])
    ]


def check_sum(tables, lines, verdict):
    """The parts of the windows that count add up to them, and are the terms of the sum."""
    parts, (row, text) = parts_of(tables, verdict), lines['step'][0]
    check_same(sum(p['duration_ps'] for p in parts), verdict['window_ps'], 'parts')
    check_same(row['time_ps'], verdict['median_ps'], 'a step is the median')
    n = verdict['windows']
    near(re.search(r'([\d.]+ [mun]?p?s) = compute', text)[1], verdict['window_ps'] / n, text)
    for word, of in (
        ('compute', ['compute']),
        ('communication', ['comm']),
        ('DMA alone' if verdict['engine'] else 'copies', ['copy']),
        ('control', ['control']),
        ('idle', [p['part'] for p in parts if p['part'] not in WORKS]),
    ):
        value = sum(p['duration_ps'] for p in parts if p['part'] in of) / n
        shown = re.search(word + r' ([\d.]+ [mun]?p?s)', text)
        near(shown[1], value, word) if shown else check(value < 1, f'{word} {value}: {text}')


def check_verdict(lines, verdict):
    row, text = lines['verdict'][-1]
    if row['code'] == 'oom':
        return
    check(text.startswith(verdict['word']), f'{text}, not {verdict["word"]}')
    check_same((row['code'], row['whole']), (verdict['code'], verdict['base']), 'verdict')


def bounds_of(path, verdict):
    """Gains of a NeuronCore that is judged by its engines are bounds, which
    tests/cli/neuron-answers.py works out; no other device has one."""
    if not verdict['engine']:
        return []
    return [
        row['gain']
        for row in tables_of(path, options=('--only', 'findings')).get('findings', [])
        if row['certainty'] == 'upper_bound'
        and (row['input'], row['device']) == (verdict['input'], verdict['device'])
    ]


def check_fix(path, tables, lines, verdict):
    """The largest gain leads, with its condition; no more than what a part reaches. A warm-up says
    nothing of a later step."""
    gains = [p['gain'] for p in parts_of(tables, verdict) if p['gain']]
    gains = sorted(gains + bounds_of(path, verdict), reverse=True)
    gains = [] if verdict['code'] in ('capture', 'first_use') else gains
    check_same(
        [row['ratio'] for row, _ in lines.get('fix', [])],
        gains[:1] + [g for g in gains[1:2] if g >= 1.1],
        'gains',
    )
    for _, text in lines.get('fix', []):
        check(re.search(r'x (or more|at most|by estimate), (if|without) ', text), text)


def logical_lines(lines):
    """Lines of a screen before they were wrapped."""
    whole = []
    for line in lines:
        if whole and (line.startswith(' ' * 17) or (len(whole) > 1 and not line.startswith(' '))):
            whole[-1] += ' ' + line.strip()
        else:
            whole.append(line.strip())
    return whole


def check_wholes(path, lines):
    """Each share names its whole: "a 40.0 %, b 20.0 % of device time", or in brackets what was just
    said of a whole, "6 ms of the step of 9 ms (70.4 %)"."""
    for line in logical_lines(lines):
        for share in re.finditer(r'(?:\d|more than) %', line):
            clause = line[share.end() :].split('; ')[0]
            check(
                re.match(r'(?:[,|]? .*\d %)* of ', clause)
                or (clause.startswith(')') and ' of ' in line[: share.start()]),
                f'{path}: {share[0]} of what? {line}',
            )


def check_fits(path):
    lines = screen_of(path)
    check_wholes(path, lines)
    check(len(lines) + len(lines[0]) // 81 <= 24, f'{path}: {len(lines)} lines: {lines}')
    for line in lines[1:]:
        check(len(line) <= 80, f'{path}: {len(line)} columns: {line}')
    for word in STRANGE:
        check(not [line for line in lines[1:] if word in line], f'{path}: {word} in {lines}')
    more = re.search(r'--only ([\w,]+)', lines[-1])
    if more:
        run('report', '-q', '--only', more[1], '--top', '1', path).expect(0, err=None)


def check_screen(path, fits=True):
    if fits:
        check_fits(path)
    tables = tables_of(path)
    lines, verdict = lines_of(tables), subject_of(tables)
    for _, sentence in lines.get('verdict', []):
        check(len(sentence) <= 90, f'{path}: {len(sentence)} letters: {sentence}')
    check(
        verdict or not any(row.get('busy_ps') for row in tables.get('devices', [])),
        'no verdict on a device',
    )
    if verdict and not hidden(tables):
        check_verdict(lines, verdict)
        check_sum(tables, lines, verdict)
        check_fix(path, tables, lines, verdict)
    return tables, lines


def hidden(tables):
    return any(row['code'] == 'undetermined.not_recorded' for row in tables.get('bound', []))


def real(path):
    def body(_folder):
        check_screen(path)

    return body


# -- One truth
# --------------------------------------------------------------------------------------------------------


def plain_lines(path):
    text = run('report', '-q', path).expect(0, err=None).out
    lines = text[text.index('\nSummary') + 1 :].partition('\n\n')[0].split('\n')
    return [
        re.sub(' +', ' ', line[17:] if line.startswith('  ') else line)
        for line in lines
        if not line.startswith('  More')
    ]


def check_summary(path, tables):
    """`--format json` says the verdict and the numbers of the lines, exactly."""
    said = json.loads(run('report', '-q', '--format', 'json', path).expect(0, err=None).out)
    verdict = next(r for r in tables['summary'] if r['label'] == 'verdict')
    check_same(said['code'], verdict['code'], path)
    # One step is a step, and so is the period between the phases of a server.
    base = re.sub('^phase$', 'step', (verdict['whole'] or '').rstrip('1'))
    check_same(said.get('base', ''), base, path)
    rows = {}
    for row in tables['summary']:
        values = [row['ratio'], row['time_ps'] // 1000 if row['time_ps'] is not None else None]
        rows.setdefault(row['label'], []).extend(v for v in values if v is not None)
    for line in said['summary']:
        if line['label'] in rows and line.get('unit') in ('ns', '1'):
            off = 1 if line['unit'] == 'ns' else 1e-6
            near = [v for v in rows[line['label']] if abs(v - line['value']) <= off]
            check(near or line['label'] == 'without_idle', f'{path}: {line}: {rows[line["label"]]}')


def check_one_truth(path):
    """The same lines on a terminal, in HTML, Markdown and JSON, CSV and SQL."""
    lines = plain_lines(path)
    run('report', '-q', '-o', 'page.html', path).expect(0, err=None)
    run('report', '-q', '-o', 'page.md', path).expect(0, err=None)
    with open('page.html', encoding='utf-8') as file:
        page = re.sub(' +', ' ', html.unescape(file.read()))
    with open('page.md', encoding='utf-8') as file:
        marked = re.sub(' +', ' ', re.sub(r'\\(.)', r'\1', file.read()))
    for line in lines:
        check(line in page and line in marked, f'{path}: {line}')
    tables = tables_of(path)
    check_summary(path, tables)
    cells = {(r['label'], r['text']): r for r in tables['summary']}
    rows = list(
        csv.DictReader(
            run('report', '-q', '--only', 'summary', '--format', 'csv', path)
            .expect(0, err=None)
            .out.splitlines()
        )
    )
    check_same(len(rows), len(cells), 'lines')
    for row in rows:
        check((row['label'], row['text']) in cells, row)


@test
def one_truth_of_the_sample(_folder):
    check_one_truth(sample())


def one_truth(path):
    def body(_folder):
        check_one_truth(path)

    return body


# -- Traces that lack something
# -------------------------------------------------------------------------------------


def span(name, cat, start, dur, tid=1, pid=100, **args):
    return {
        'ph': 'X',
        'name': name,
        'cat': cat,
        'ts': start,
        'dur': dur,
        'pid': pid,
        'tid': tid,
        'args': args,
    }


def trace(folder, steps, launches=True, device=True, annotated=True, cut=0):
    """Steps of 100 us with a kernel of 80 us each; cut: so many us of the last one are there."""
    events = []
    for n in range(steps):
        at, last = 100 * n, n == steps - 1
        if annotated:
            events.append(
                span(f'ProfilerStep#{n}', 'user_annotation', at, cut if last and cut else 100)
            )
        if last and cut and cut < 30:
            break
        events.append(span('aten::mm', 'cpu_op', at + 5, 20))
        if launches:
            events.append(span('cudaLaunchKernel', 'cuda_runtime', at + 10, 2, correlation=n + 1))
        if device:
            events.append(
                span('gemm', 'kernel', at + 22, 80, 7, 0, device=0, stream=7, correlation=n + 1)
            )
    return write(os.path.join(folder, 'made.json'), json.dumps({'traceEvents': events}))


@test
def steps_of_a_gpu(folder):
    """Twelve kernels, a period of 100 us each, of which 80 compute: 20 more are told of the
    first."""
    _, lines = check_screen(trace(folder, 12))
    check_same(
        lines['verdict'][0][1],
        'COMPUTE-BOUND (GEMM): the GPU computes 80.0 % of a mean step, MFU unknown',
        'verdict',
    )
    check(
        '12 steps' in lines['subject'][0][1]
        and lines['subject'][0][1].startswith('PyTorch, GPU 0'),
        lines['subject'],
    )


@test
def of_which_time_the_mfu_is(folder):
    """Twelve products of 500 us, each 4 ms before the next: of the span, and of the time that the GPU
    is busy, which is said apart where it is less than nine tenths. Products without flops that take
    longer make both lower bounds."""
    peak, flops = 989.5e12, 2 * 4096**3
    for gap, unknown in ((4000, 0), (20, 0), (4000, 3000), (4000, 600)):
        events, at, busy = [], 0, 0
        shapes = {'Input Dims': [[4096, 4096], [4096, 4096]], 'Input type': ['c10::BFloat16'] * 2}
        for _ in range(12):
            for name, took, args in (('aten::mm', 500, shapes), ('acme::mm', unknown, {})):
                if not took:
                    continue
                link = {'correlation': len(events) + 1}
                events += [
                    span(name, 'cpu_op', at, 9, **args),
                    span('cudaLaunchKernel', 'cuda_runtime', at + 5, 2, **link),
                    span(f'gemm_{name[:4]}', 'kernel', at + 10, took, 7, 0, device=0, **link),
                ]
                at += took + 10
                busy += took
            at += gap
        gpu = [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}]
        path = os.path.join(folder, 'mfu.json')
        write(path, json.dumps({'deviceProperties': gpu, 'traceEvents': events}))
        kernels = [e for e in events if e['cat'] == 'kernel']
        whole = max(e['ts'] + e['dur'] for e in kernels) - kernels[0]['ts']
        said = f'{"at least " if unknown > 500 else ""}{12 * flops / peak / whole * 1e8:.1f} % of peak over the span'
        if busy < 0.9 * whole:
            said += f', {12 * flops / peak / busy * 1e8:.1f} % of peak while busy'
        (line,) = [text for _, text in check_screen(path)[1]['mfu']]
        check(line == said or line.startswith(said + ', at most'), f'{line}: {said}')


@test
def one_step_and_none(folder):
    check('1 step' in check_screen(trace(folder, 1))[1]['subject'][0][1], '1 step')
    check(
        'no steps in the file'
        in check_screen(trace(folder, 3, annotated=False))[1]['subject'][0][1],
        'none',
    )
    check('3 steps and 1 cut' in check_screen(trace(folder, 4, cut=20))[1]['subject'][0][1], 'cut')


@test
def without_launches(folder):
    _, lines = check_screen(trace(folder, 12, launches=False))
    check('fix' not in lines, 'a gain without a cause')


@test
def without_device(folder):
    _, lines = check_screen(trace(folder, 3, device=False))
    check_same(lines['verdict'][0][0]['code'], 'undetermined.no_kernels', 'verdict')
    check('on the CPU' in lines['step'][0][1], lines)


@test
def bound_by_the_input(folder):
    """Of 100 us of each step 72 wait for a loader: without it a step takes 28, 3.6 times less."""
    events = []
    for n in range(12):
        at = 100 * n
        events += [
            span(f'ProfilerStep#{n}', 'user_annotation', at, 100),
            span('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 'cpu_op', at, 70),
            span('cudaLaunchKernel', 'cuda_runtime', at + 72, 2, correlation=n + 1),
            span('gemm', 'kernel', at + 75, 20, 7, 0, device=0, stream=7, correlation=n + 1),
        ]
    _, lines = check_screen(
        write(os.path.join(folder, 'made.json'), json.dumps({'traceEvents': events}))
    )
    row, text = lines['verdict'][0]
    check(text.startswith('INPUT-BOUND: the GPU waits for input '), text)
    check(row['name'].startswith('enumerate(DataLoader)') and 'enumerate' not in text, row)
    check('enumerate(DataLoader)' in lines['idle'][0][1], lines['idle'])
    check(
        'if loading ran beside compute: more DataLoader workers, pin_memory' in lines['fix'][0][1],
        lines['fix'],
    )


@test
def names_of_a_profile_are_no_words(folder):
    """A kernel is called like a place, or holds what a terminal must not get."""
    path = trace(folder, 12)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    write(path, text.replace('"gemm"', json.dumps('{device} \x1b[31m\u202e')))
    screen = '\n'.join(screen_of(path))
    check('\x1b[31m' not in screen and '\u202e' not in screen and '{device}' in screen, screen)


@test
def steps_of_a_tpu(folder):
    core = xspace.Plane(2, '/device:TPU:0')
    for n in range(12):
        at = 100 * n + 5
        core.add('Steps', str(n), at, 85)
        core.add('XLA Modules', 'jit_f(1)', at, 85, run_id=n)
        core.add('XLA Ops', 'fusion.1', at, 20, 'convolution fusion')
        core.add('XLA Ops', 'copy.2', at + 20, 65, 'copy')
    _, lines = check_screen(write(os.path.join(folder, 'made.xplane.pb'), core.data()))
    check(
        lines['verdict'][0][1].startswith(
            'COPY-BOUND: the TPU copies while nothing computes 65.0 % of a mean period'
        ),
        lines['verdict'],
    )


@test
def ranks_that_others_wait_for(folder):
    """Each rank is an input; the screen is of one of them, and says which."""
    paths = []
    for rank, computes in enumerate((20, 20, 60)):
        events = []
        for n in range(12):
            at = 100 * n
            events += [
                span(f'ProfilerStep#{n}', 'user_annotation', at, 100),
                span('cudaLaunchKernel', 'cuda_runtime', at + 1, 2, correlation=2 * n + 1),
                span(
                    'gemm',
                    'kernel',
                    at + 5,
                    computes,
                    7,
                    0,
                    device=0,
                    stream=7,
                    correlation=2 * n + 1,
                ),
                span('cudaLaunchKernel', 'cuda_runtime', at + 3, 2, correlation=2 * n + 2),
                span(
                    'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
                    'kernel',
                    at + 5 + computes,
                    90 - computes,
                    7,
                    0,
                    device=0,
                    stream=7,
                    correlation=2 * n + 2,
                ),
            ]
        paths.append(
            write(
                os.path.join(folder, f'r{rank}.json'),
                json.dumps(
                    {
                        'distributedInfo': {'rank': rank, 'world_size': 3, 'backend': 'nccl'},
                        'traceEvents': events,
                    }
                ),
            )
        )
    lines = lines_of(tables_of(*paths))
    said = lines['subject'][0][1]
    check(re.search(r'job of 3 ranks, .*slowest rank \d', said), said)
    said = lines['job'][0][1]
    check('exposed communication 360 us (rank 2) to 840 us (rank 0)' in said, said)
    check('STRAGGLERS' not in said, said)  # the line of who is late says it
    check(
        '2' in lines['late'][0][0]['name'] and 'holds the others up' in lines['late'][0][1],
        lines.get('late'),
    )
    said = lines_of(tables_of(paths[0], paths[2]))['subject'][0][1]
    check('job of 3 ranks, missing ranks: 1' in said, said)


def of_neuron(folder, instructions=10, packets=10, busy=60000):
    """Every 100 us the tensor engine waits 20 us and computes `busy` ns, and a packet of 20 us
    begins 10 us before its end."""
    until, rows = 100000 * max(instructions, packets), []
    for i in range(instructions):
        rows.append(
            {
                'opcode': 'EVENT_SEMAPHORE',
                'subgroup': 'Tensor',
                'timestamp': 100000 * i,
                'duration': 20000,
                'pc': 2 * i,
            }
        )
        rows.append(
            {
                'opcode': 'MATMUL',
                'subgroup': 'Tensor',
                'timestamp': 100000 * i + 20000,
                'duration': busy,
                'pc': 2 * i + 1,
                'elements': 7,
            }
        )
    moved = [
        {
            'dma_engine': '3',
            'dma_queue': '1',
            'subgroup': 'qSync-Q1-E3',
            'timestamp': 100000 * i + 70000,
            'duration': 20000,
            'transfer_size': 64,
            'aggregated': 'no',
            'queue_type': 'data',
        }
        for i in range(packets)
    ]
    return write(
        os.path.join(folder, 'made.json'),
        json.dumps(
            {
                'instruction': rows,
                'dma': moved,
                'summary': [{'total_time': until / 1e9, 'nc_idx': 0}],
                'metadata': [
                    {'first_hw_timestamp': 0, 'last_hw_timestamp': until, 'ntff_version': 5}
                ],
            }
        ),
    )


@test
def a_neuron_core_without_rows_of_a_kind(folder):
    """What its engines did, or that they waited for DMA, is unknown: no verdict, no gain."""
    for lacks in ({'instructions': 0}, {'packets': 0, 'busy': 40000}):
        _, lines = check_screen(of_neuron(folder, **lacks))
        check(lines['verdict'][0][1].startswith('UNDETERMINED'), lines['verdict'])
        check('fix' not in lines and 'idle' not in lines, lines)
    check(
        check_screen(of_neuron(folder))[1]['verdict'][0][1]
        == 'COMPUTE-BOUND: tensor engine 60.0 %, DMA 20.0 % of the execution',
        'all rows',
    )


@test
def every_format_has_a_name(_folder):
    """The first words say what wrote the file, whichever decoder reads it."""
    known = {
        c['name']
        for c in json.loads(run('plugins', '--json').expect(0).out)['plugins']
        if c['kind'] == 'decoder'
    }
    answers = os.path.join(os.environ['NPROF_SOURCE'], 'share', 'answers')
    with open(os.path.join(answers, 'screen', 'screen_subject.sql'), encoding='utf-8') as file:
        named = set(re.findall(r'^-- word: maker (\S+):', file.read(), re.M))
    with open(os.path.join(answers, 'abilities', 'recorder.sql'), encoding='utf-8') as file:
        asked = file.read()
    words = set(re.findall(r'^-- word: who (\S+):', asked, re.M))
    for decoders, code in re.findall(r"when decoder (?:= |in )(.*?) then '?(\w+)'?\n", asked):
        of = re.findall(r"'([\w-]+)'", decoders)
        named |= {name for name in of if (name if code == 'decoder' else code) in words}
    check_same(known - named, set(), 'decoders without a name on the first screen')


@test
def samples_of_each_format(_folder):
    """Of all that nprof makes itself: it fits, and no line is wrong."""
    for decoder in ('xplane', 'ntff', 'furiosa'):
        check_screen(samples_for(decoder)[0])


for found in sorted(glob.glob(os.path.join(DATA, '*', '*'))) if DATA else []:
    if os.path.isfile(found) and not re.search(r'\.md$|README|catapult_|bad_', found):
        add_test(f'real: {os.path.basename(found)[:40]}', real(found))
GOLDEN = os.path.join(os.path.dirname(DATA.rstrip('/')), 'golden')
FILES = os.environ.get('NPROF_TEST_FILES', '')
for folder, kinds in (
    (DATA, ('json/catapult_*',)),
    (GOLDEN, ('conclusions/made/*', 'graphs/made/run*', 'furiosa/*.json', 'furiosa/*.csv')),
    (
        FILES,
        ('graphs/*/*.json.gz', 'graphs/*/*/*.json.gz', 'others/*', 'perfetto/*', 'ascend/*.gz'),
    ),
):
    for kind in kinds if folder else ():
        screens = sorted(glob.glob(os.path.join(folder, kind)))

        def fit(_folder, paths=screens):
            for path in paths:
                if not re.search(r'README|linear_et|execution_details', path):
                    check_fits(path)

        if screens:
            add_test(f'fits: {kind}', fit)
for place in (
    [
        f'{DATA}/json/{name}*'
        for name in ('hta_nccl', 'tbplugin', 'hta_ns', 'tracelens_tests_traces_h')
    ]
    + [f'{DATA}/xplane/gpu_*', f'{DATA}/xplane/tpu_v6e*']
    + [f'{GOLDEN}/conclusions/queue/queue_0*', f'{GOLDEN}/graphs/made/run*']
    if DATA
    else []
):
    for one in sorted(glob.glob(place)):
        add_test(f'one truth: {os.path.basename(one)[:40]}', one_truth(one))

main()
