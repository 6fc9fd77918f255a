# SPDX-License-Identifier: Apache-2.0
"""first-screen.py - the first screen of nprof report: it fits 24 lines of 80 columns, and says what the tables
below it say, of real traces and of made ones that lack something."""

import glob
import json
import os
import re

import xspace
from harness import add_test, check, check_same, main, run, test, write
from screens import answers_of, screen_of, tables_of

DATA = os.environ.get('NPROF_TEST_DATA', '')
PARTS = {'idle': 'idle_ps', 'compute': 'compute_ps', 'comm': 'exposed_communication_ps', 'copies': 'exposed_copy_ps'}
UNITS = {'s': 10 ** 12, 'ms': 10 ** 9, 'us': 10 ** 6, 'ns': 10 ** 3, 'ps': 1}


def check_fits(path):
    lines = screen_of(path)
    check(lines[0].startswith('Profile: '), lines[0])
    check(len(lines) + len(lines[0]) // 81 <= 24, f'{path}: {len(lines)} lines')  # names of files may be long
    for line in lines[1:]:
        check(len(line) <= 80, f'{path}: {len(line)} columns: {line}')
        check(not re.search(r'(?:^| )\([a-z ]*…|--only$| $', line), f'{path}: cut or torn: {line}')


def mean(steps, column):
    return sum(s[column] for s in steps) / len(steps)


def worst_steps(tables):
    """The steps of the device whose steps take longest, those that were not cut where there are any; without steps, all
    time."""
    devices = {}
    for row in tables['step_breakdown']:
        devices.setdefault((row['input'], row['device']), []).append(row)
    counted = [[s for s in rows if not s['cut']] or rows for rows in devices.values()]
    worse = lambda rows: (bool(rows[0]['step']), mean(rows, 'window_ps'), -mean(rows, 'idle_ps'))
    return max(counted, key=worse) if counted else None


def near(text, value, unit, what):
    """A number of the screen in that unit, rounded to what it shows."""
    number = float(text.replace('<', '').replace(',', ''))
    shown = value / UNITS[unit]
    half = .5 * 10 ** -len(text.partition('.')[2]) * 1.0001
    check(abs(number - shown) <= half or ('<' in text and shown < number), f'{what}: {text} {unit}, not {shown}')


def check_step(tables, answers, steps):
    named = any(s['step'] for s in steps)
    answer, parts = answers['step' if named else 'span']
    number, unit = answer.split()
    near(number, mean(steps, 'window_ps'), unit, 'step')
    told = dict(part.split(' ', 1) for part in parts.split(', '))
    for name, column in PARTS.items():
        if name in told:
            near(told[name].split()[0], mean(steps, column), told[name].split()[1], name)
        else:
            check_same(mean(steps, column), 0, name)
    for question, column in (('if no idle', 'idle_ps'), ('if comm hidden', 'exposed_communication_ps'),
                             ('if copies hid', 'exposed_copy_ps')):
        if question in answers:
            number, unit = answers[question][0].split()
            near(number, mean(steps, 'window_ps') - mean(steps, column), unit, question)
        else:
            check(mean(steps, column) < .01 * mean(steps, 'window_ps'), question)
    where = tables['summary']['title']
    check(f'{len(steps)} step' in where if named else 'no steps' in where, where)


def check_verdict(tables, steps):
    lead = tables['summary'].get('lead', '')
    verdicts = [b['verdict'] for b in tables['bound']]
    counts = [(verdicts.count(v), -verdicts.index(v), v) for v in set(verdicts)]
    verdict = max(counts)[2]
    word = 'BOUND BY: unknown' if verdict == 'unknown' else 'MIXED' if verdict == 'mixed' else verdict.upper() + '-BOUND'
    check(lead.startswith(word), f'{lead}, not {verdict}')
    window = mean(steps, 'window_ps')
    shares = {'computes': 'compute_ps', 'communicates': 'exposed_communication_ps', 'copies': 'exposed_copy_ps'}
    for what, column in {'idles': 'idle_ps', **shares}.items():
        found = re.search(r' idles ([\d.]+) %' if what == 'idles' else r': ([\d.]+) % of (?:a step|the span) ' + what, lead)
        if found:
            check(abs(float(found[1]) - 100 * mean(steps, column) / window) <= .051, f'{lead}: {mean(steps, column)}')
    cause = re.search(r'([\d.]+) % of that is (before|after)', lead)
    if cause:
        column = {'before': 'idle_host_ps', 'after': 'idle_launch_ps'}[cause[2]]
        check(abs(float(cause[1]) - 100 * mean(steps, column) / mean(steps, 'idle_ps')) <= .051, lead)


def check_screen(path):
    check_fits(path)
    tables = tables_of(path)
    answers = answers_of(tables)
    steps = worst_steps(tables) if 'step_breakdown' in tables else None
    if not steps:
        check('devices' in answers or 'spans' in answers, answers)
        return tables
    check_step(tables, answers, steps)
    check_verdict(tables, steps)
    names = re.search(r'--only ([\w,]+)', tables['summary']['note'])
    check(names, tables['summary']['note'])
    run('report', '--only', names[1], path).expect(0)
    return tables


def real(path):
    def body(_folder):
        check_screen(path)
    return body


# -- Traces that lack something -------------------------------------------------------------------------------------


def span(name, cat, start, dur, tid=1, pid=100, **args):
    return {'ph': 'X', 'name': name, 'cat': cat, 'ts': start, 'dur': dur, 'pid': pid, 'tid': tid, 'args': args}


def trace(folder, steps, launches=True, device=True, annotated=True, cut=0):
    """Steps of 100 us with a kernel of 60 us each; cut: so many us of the last one are there."""
    events = []
    for n in range(steps):
        at, last = 100 * n, n == steps - 1
        if annotated:
            events.append(span(f'ProfilerStep#{n}', 'user_annotation', at, cut if last and cut else 100))
        if last and cut and cut < 30:
            break
        events.append(span('aten::mm', 'cpu_op', at + 5, 20))
        if launches:
            events.append(span('cudaLaunchKernel', 'cuda_runtime', at + 10, 2, correlation=n + 1))
        if device:
            events.append(span('gemm', 'kernel', at + 22, 80, 7, 0, device=0, stream=7, correlation=n + 1))
    return write(os.path.join(folder, 'made.json'), json.dumps({'traceEvents': events}))


@test
def one_step(folder):
    tables = check_screen(trace(folder, 1))
    check(', 1 step' in tables['summary']['title'], tables['summary']['title'])
    check(tables['summary']['lead'].startswith('COMPUTE-BOUND: 78.4 % of a step computes'), tables['summary'])


@test
def ten_thousand_steps(folder):
    tables = check_screen(trace(folder, 10000))
    check(', 10000 steps' in tables['summary']['title'], tables['summary']['title'])
    check_same(len(tables['bound']), 8, 'steps that were walked')
    check('in 8 of 8 steps' in answers_of(tables)['critical path'][1], answers_of(tables))


@test
def cut_in_the_middle_of_a_step(folder):
    tables = check_screen(trace(folder, 4, cut=20))
    check('3 steps and 1 cut' in tables['summary']['title'], tables['summary']['title'])
    check_same(answers_of(tables)['step'][0], '101 us', 'the mean of those that are whole')


@test
def without_steps(folder):
    tables = check_screen(trace(folder, 3, annotated=False))
    check('no steps in the file' in tables['summary']['title'], tables['summary']['title'])
    check('span' in answers_of(tables) and 'step' not in answers_of(tables), answers_of(tables))


@test
def without_launches(folder):
    tables = check_screen(trace(folder, 3, launches=False))
    lead = tables['summary']['lead']
    check(lead.startswith('BOUND BY: unknown: no launches in the file; ProfilerActivity.CPU'), lead)
    check('no finding' not in answers_of(tables) or 'input' not in answers_of(tables)['no finding'][1], answers_of(tables))


@test
def without_device(folder):
    tables = check_screen(trace(folder, 3, device=False))
    check_same(answers_of(tables)['devices'], (None, 'what they did was not recorded'), 'devices')
    answer, of = answers_of(tables)['step']
    check(re.fullmatch(r'[\d.]+ us', answer) and re.fullmatch(r'of the host; .*, 3 steps', of), f'{answer} {of}')
    check(not answers_of(tables)['longest'][1].startswith('ProfilerStep'), 'a step among the names')
    check('lead' not in tables['summary'], 'a verdict without devices')


@test
def bound_by_the_input(folder):
    events = []
    for n in range(3):
        at = 100 * n
        events += [span(f'ProfilerStep#{n}', 'user_annotation', at, 100),
                   span('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 'cpu_op', at, 70),
                   span('cudaLaunchKernel', 'cuda_runtime', at + 72, 2, correlation=n + 1),
                   span('gemm', 'kernel', at + 75, 20, 7, 0, device=0, stream=7, correlation=n + 1)]
    tables = check_screen(write(os.path.join(folder, 'made.json'), json.dumps({'traceEvents': events})))
    check(tables['summary']['lead'].startswith('INPUT-BOUND'), tables['summary'])
    check('DataLoader workers' in answers_of(tables)['if no idle'][1], answers_of(tables))


@test
def above_the_peak(folder):
    """2 * 4096^3 flops in 80 us are 550 % of what an A100 can: the file is wrong, and the operator is named."""
    events = []
    for n in range(2):
        at = 1000 * n
        events += [span(f'ProfilerStep#{n}', 'user_annotation', at, 1000),
                   span('aten::mm', 'cpu_op', at + 5, 8, **{'Input Dims': [[4096, 4096]] * 2, 'Input type': ['c10::BFloat16'] * 2}),
                   span('cudaLaunchKernel', 'cuda_runtime', at + 6, 2, correlation=n + 1),
                   span('gemm', 'kernel', at + 15, 80, 7, 0, device=0, stream=7, correlation=n + 1)]
    device = [{'id': 0, 'name': 'NVIDIA A100-SXM4-80GB'}]
    path = write(os.path.join(folder, 'made.json'), json.dumps({'deviceProperties': device, 'traceEvents': events}))
    check_screen(path)
    run('report', path).expect(0, err='*GPU 0: aten::mm has 550.6 % of the peak of *option peak_flops*')


# -- The same of XLA --------------------------------------------------------------------------------------------------


def of_tpu(folder, steps, ops=True, device=True, around=True, categories=True, annotated=False, infeed=0, cut=0):
    """Programs of 85 us every 100 us: 60 compute, of which `infeed` wait for input, 20 copy, 5 idle.
    cut: so many us of the last one are there."""
    core, host = xspace.Plane(2, '/device:TPU:0'), xspace.Plane(3, '/host:CPU')

    def add(name, category, start, end):
        if ops and end > start:
            core.add('XLA Ops', name, start, end - start, category if categories else None)
    for n in range(steps):
        at, end = 100 * n + 5, 100 * n + 5 + (cut if cut and n == steps - 1 else 85)
        if annotated:
            host.add('python', 'train', at - 5, 6, step_num=n)
        host.add('python', 'PjitFunction(f)', at - 5, 4)
        if around and end == at + 85:  # events are written when they end
            core.add('Steps', str(n), at, 85)
            core.add('XLA Modules', 'jit_f(1)', at, 85, run_id=n)
        add('infeed.3', 'infeed', at, min(at + infeed, end))
        add('fusion.1', 'convolution fusion', at + infeed, min(at + 60, end))
        add('copy.2', 'copy', at + 65, min(at + 85, end))
    return write(os.path.join(folder, 'made.xplane.pb'), (core.data() if device else b'') + host.data())


def of_gpu(folder, steps, launches=True, device=True, annotated=True, cut=0, own=False):
    """Steps of 100 us, launched after 10 us, which compute 70 us and idle 30.  own: the GPU has a line of steps."""
    gpu, host = xspace.Plane(2, '/device:GPU:0'), xspace.Plane(3, '/host:CPU')
    for n in range(steps):
        at, last = 100 * n, n == steps - 1
        if annotated:
            host.add('python', 'train', at, cut if last and cut else 100, step_num=n)
        if last and cut:
            break
        host.add('python', 'PjitFunction(f)', at + 5, 20)
        if launches:
            host.add('python', 'cuLaunchKernel', at + 10, 2, correlation_id=n + 1)
        gpu.add('Stream #7(Compute)', 'gemm', at + 22, 70, correlation_id=n + 1)
        if own:
            gpu.add('Steps', str(n), at, 100)
    return write(os.path.join(folder, 'made.xplane.pb'), (gpu.data() if device else b'') + host.data())


def step_of(tables):
    return answers_of(tables)['step'][0], tables['summary']['title'].split(', ', 1)[1]


def of_server(folder, names):
    """A step of 1 ms of each name, with a kernel."""
    events = []
    for n, name in enumerate(names):
        at = 1000 * n
        events += [span(name, 'user_annotation', at, 900), span('cudaLaunchKernel', 'cuda_runtime', at + 6, 2, correlation=n + 1),
                   span('gemm', 'kernel', at + 15, 800, 7, 0, device=0, stream=7, correlation=n + 1)]
    return write(os.path.join(folder, 'served.json'), json.dumps({'traceEvents': events}))


@test
def phases_of_inference(folder):
    unknown = (None, 'no arrivals in the file: OpenTelemetry has them')
    for names, told in ((('execute_context_2(512)_generation_0(0)', 'execute_context_0(0)_generation_2(2)'), 'prefill, decode'),
                        (('step[DECODE bs=2]', 'step[TARGET_VERIFY bs=2]'), 'decode, verify'),
                        (('prefill[bs=1 tok=4]',), 'prefill'),
                        (('execute_plan_1', 'step[of mine]', 'prefill', 'decode_all'), None)):
        path = of_server(folder, names)
        answers = answers_of(check_screen(path))
        screen = run('report', path).expect(0).out
        check_same(answers.get('phases', (None, None))[1], told and f'{told}: steps, tokens  --only phases', names)
        check_same(answers.get('TTFT'), unknown if told else None, names)
        check_same('More: --only phases,' in screen, bool(told), screen)
        rows = run('report', '--only', 'phases', path).expect(0).out
        check((told or 'no step says').split(',')[0] in rows, rows)


def idles_in(folder, *calls):
    """Steps of 100 us whose GPU idles 60 of them, 20 in each of the calls."""
    events = []
    for n in range(3):
        at = 100 * n
        events += [span(f'ProfilerStep#{n}', 'user_annotation', at, 100),
                   *(span(name, 'cuda_runtime', at + 20 * i, 20) for i, name in enumerate(calls)),
                   span('cudaLaunchKernel', 'cuda_runtime', at + 60, 1, correlation=n + 1),
                   span('gemm', 'kernel', at + 60, 40, 7, 0, device=0, stream=7, correlation=n + 1)]
    return write(os.path.join(folder, 'made.json'), json.dumps({'traceEvents': events}))


@test
def no_graph_helps_a_program_that_sets_up(folder):
    """Half of the idle time is the limit; names of other calls only begin alike."""
    for calls, advice in ((('cudaFree', 'cudaMalloc', 'cudaMemcpy'), 'warm up first, allocate once'),
                          (('hipModuleLoadData', 'cuMemAlloc_v2', 'aten::to'), 'warm up first, allocate once'),
                          (('cudaFree', 'cudaMemcpy', 'cudaMemcpy'), 'CUDA graph, torch.compile, larger batch'),
                          (('cudaDeviceSynchronize', 'cumulative', 'cuMalformed'), 'CUDA graph, torch.compile, larger batch')):
        text = answers_of(check_screen(idles_in(folder, *calls)))['if no idle'][1]
        check(text.endswith('2.5 x faster: ' + advice), (calls, text))


@test
def advice_for_the_executor_of_tensorflow(folder):
    path = of_gpu(folder, 3)
    with open(path, 'rb') as file:
        jax = file.read()
    check('a larger jit' in answers_of(check_screen(path))['if no idle'][1], 'JAX')
    host = xspace.Plane(4, '/host:CPU')
    host.add('tf_GPU_Event_Manager/7', 'MemoryDeallocation', 0, 1)
    with open(path, 'wb') as file:
        file.write(jax + host.data())
    check('jit_compile=True' in answers_of(check_screen(path))['if no idle'][1], 'TensorFlow')
    text = run('report', '--only', 'modules', path).expect(0).out
    check('tf.name_scope would write it' in text and 'jax' not in text, text)


@test
def nobody_advises_options_of_another_recorder(folder):
    """JSON that XLA's tools wrote is none of PyTorch's, also where its devices did nothing that counts."""
    for line in ('XLA Modules', 'Async XLA Ops'):
        events = [{'ph': 'M', 'name': 'process_name', 'pid': 1, 'args': {'name': '/device:TPU:0'}},
                  {'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': line}},
                  {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 10, 'name': 'jit_f'}]
        path = write(os.path.join(folder, 'made.json'), json.dumps({'traceEvents': events}))
        for only in ((), ('--only', 'mfu'), ('--only', 'memory'), ('--only', 'kernels')):
            text = run('report', *only, path).expect(0).out
            check('PyTorch' not in text and 'profile_memory' not in text and 'not in this run' not in text, text)


@test
def steps_of_a_tpu(folder):
    for how in ({}, {'annotated': True}, {'categories': False}):  # the host's clock says nothing of the steps of a TPU
        tables = check_screen(of_tpu(folder, 3, **how))
        check(tables['summary']['lead'].startswith('COMPUTE-BOUND: 70.6 % of a step computes'), (how, tables['summary']))
        check_same(step_of(tables), ('85.0 us', '3 steps'), how)
        check_same(answers_of(tables)['between steps'], ('30.0 us', '10.5 % of 285 us, first step to last, is in none'), how)
    tables = check_screen(of_tpu(folder, 1))
    check_same(step_of(tables), ('85.0 us', '1 step'), 'one')
    check('between steps' not in answers_of(tables), tables['summary'])
    check_same(step_of(check_screen(of_tpu(folder, 10000))), ('85.0 us', '10000 steps'), 'many')
    check_same(step_of(check_screen(of_tpu(folder, 4, cut=30))), ('85.0 us', '3 steps'), 'the last one was cut')


@test
def the_step_in_the_middle(folder):
    """The verdict of most steps has the share of the one in the middle, which is not the first."""
    core = xspace.Plane(2, '/device:TPU:0')
    for n, computes in enumerate((80, 60, 70)):
        core.add('XLA Modules', 'jit_f(1)', 100 * n, 100, run_id=n)
        core.add('XLA Ops', 'fusion.1', 100 * n, computes, 'convolution fusion')
        core.add('XLA Ops', 'copy.2', 100 * n + computes, 100 - computes, 'copy')
    path = write(os.path.join(folder, 'made.xplane.pb'), core.data())
    check_same(answers_of(check_screen(path))['critical path'], ('70.0 %', 'compute, copy 30.0 %; in 3 of 3 steps  --only bound'), 'path')


@test
def what_would_be_gained_on_several_cores(folder):
    """The first screen names what answers it, which says of which core a row is."""
    cores = [xspace.Plane(2 + n, f'/device:TPU:{n}') for n in range(2)]
    for n, core in enumerate(cores):
        core.add('XLA Modules', 'jit_f(1)', 0, 100, run_id=1)
        core.add('XLA Ops', 'fusion.1', 0, 90 - 10 * n, 'convolution fusion')
    path = write(os.path.join(folder, 'made.xplane.pb'), b''.join(core.data() for core in cores))
    check('what_if' in check_screen(path)['summary']['note'], 'not named')
    out = run('report', '--only', 'what_if', path).expect(0).out
    rows = re.findall(r'^ +(\S+) us .* 0 .*(/device:TPU:\d) +fusion.1$', out, re.MULTILINE)
    check_same(rows, [('90.0', '/device:TPU:0'), ('80.0', '/device:TPU:1')], out)


@test
def a_tpu_that_waits_for_its_input(folder):
    """Half of the 85 us are the limit: of 43 and more the copies are those of the input, of 42 and less some copies."""
    for infeed, share, verdict in ((43, 74.1, 'INPUT'), (50, 82.4, 'INPUT'), (42, 72.9, 'COPY')):
        tables = check_screen(of_tpu(folder, 3, infeed=infeed))
        lead, answers = tables['summary']['lead'], answers_of(tables)
        check(lead.startswith(f'{verdict}-BOUND: {share} % of a step copies while nothing computes'), lead)
        check_same([s['infeed_ps'] for s in tables['step_breakdown']], [infeed * 10 ** 6] * 3, 'infeed')
        if verdict == 'INPUT':
            check(lead.endswith(', mostly infeed'), lead)
            check('input' not in answers['no finding'][1] and 'input' not in answers.get("can't tell", ('', ''))[1], answers)
            check('input pipeline' in answers['if copies hid'][1], answers)
    check_same(check_screen(of_tpu(folder, 3))['step_breakdown'][0]['infeed_ps'], 0, 'none')


@test
def most_time_between_steps(folder):
    """A core computes all of its steps of 40 us, every 60, 80 or 100 us: what bounds these says less and less."""
    for every in (60, 80, 100):
        core = xspace.Plane(2, '/device:TPU:0')
        for n in range(4):
            core.add('Steps', str(n), every * n, 40)
            core.add('XLA Modules', 'jit_f(1)', every * n, 40, run_id=n)
            core.add('XLA Ops', 'fusion.1', every * n, 40, 'convolution fusion')
        tables = check_screen(write(os.path.join(folder, f'{every}.xplane.pb'), core.data()))
        lead, answers = tables['summary']['lead'], answers_of(tables)
        share = 3 * (every - 40) / (3 * every + 40)
        said = f'; {100 * share:.1f} % of the time lies between steps' if share >= 0.5 else ''
        check_same(lead, 'COMPUTE-BOUND: 100.0 % of a step computes' + said, every)
        check_same('input' in answers['no finding'][1], share < 0.5, every)
        check_same(answers.get("can't tell", ('', ''))[1].startswith('input, launch: most of the time lies between'), share >= 0.5, every)


@test
def a_host_that_launches_beside_a_queue(folder):
    """The kernels are short and each begins when the next is launched: the advice is for the host, as the verdict is."""
    gpu, host = xspace.Plane(2, '/device:GPU:0'), xspace.Plane(3, '/host:CPU')
    for n in range(40):
        host.add('python', 'cuLaunchKernel', 5 * n, 4, correlation_id=n + 1)
        gpu.add('Stream #7(Compute)', 'gemm', 5 * n + 4, 1, correlation_id=n + 1)
    tables = check_screen(write(os.path.join(folder, 'made.xplane.pb'), gpu.data() + host.data()))
    check(tables['summary']['lead'].startswith('HOST-BOUND'), tables['summary'])
    check_same(answers_of(tables)['idle in'][1], 'wait for other work  --only idle', 'idle')
    check('command buffers' in answers_of(tables)['if no idle'][1], answers_of(tables))


@test
def a_tpu_without_steps(folder):
    for annotated in (False, True):
        tables = check_screen(of_tpu(folder, 3, around=False, annotated=annotated))
        check('no steps in the file' in tables['summary']['title'], tables['summary']['title'])
        check_same(answers_of(tables)['span'][0], '285 us', 'first to last work')


@test
def a_tpu_with_programs_alone(folder):
    answers = answers_of(tables_of(of_tpu(folder, 3, ops=False)))
    check_same(answers['busy'], (None, '/device:TPU:0, of 285 us: no work in the file'), 'busy')
    check('exposed' not in answers, answers)


@test
def a_host_of_tpus_alone(folder):
    check_same(answers_of(tables_of(of_tpu(folder, 3, device=False)))['devices'][0], 'none', 'devices')


@test
def steps_of_xla_on_a_gpu(folder):
    """JAX and TensorFlow annotate steps as spans with a number."""
    for steps, how in ((3, '3 steps'), (1, '1 step'), (10000, '10000 steps')):
        tables = check_screen(of_gpu(folder, steps))
        check_same(step_of(tables), ('100 us', how), steps)
        check(tables['summary']['lead'].startswith('COMPUTE-BOUND: 70.0 % of a step computes'), tables['summary'])
    check_same(step_of(check_screen(of_gpu(folder, 4, cut=20))), ('100 us', '3 steps and 1 cut'), 'cut')
    names = [row['step'] for row in tables_of(of_gpu(folder, 2))['step_breakdown']]
    check_same(names, ['ProfilerStep#0', 'ProfilerStep#1'], 'names')


@test
def steps_of_a_gpu_itself(folder):
    """TensorFlow until 2.3 writes them as a line of the GPU: then 8 us that nothing follows and 12 before the launch
    are the host's."""
    for steps, how in ((3, '3 steps'), (1, '1 step')):
        tables = check_screen(of_gpu(folder, steps, annotated=False, own=True))
        check_same(step_of(tables), ('100 us', how), steps)
        check(tables['summary']['lead'].startswith('COMPUTE-BOUND: 70.0 % of a step computes'), tables['summary'])
        share, text = answers_of(tables)['critical path']
        check_same((share, text.split(';')[0].split('  ')[0]), ('70.0 %', 'compute, host 20.0 %'), 'path')
        check_same({row['process'] for row in tables['bound']}, {'/device:GPU:0'}, 'whose verdicts')


def rank_with(folder, rank, gpu, window, kernels):
    """A trace of two steps; in each, kernels of so many us one after the other."""
    events, n = [], 0
    for step in range(2):
        at = 1000 + step * window
        events.append({'ph': 'X', 'name': f'ProfilerStep#{step}', 'cat': 'user_annotation', 'pid': 100, 'tid': 1, 'ts': at, 'dur': window})
        for name, dur in kernels.items():
            n += 1
            launch = {'ph': 'X', 'name': 'cudaLaunchKernel', 'cat': 'cuda_runtime', 'pid': 100, 'tid': 1, 'ts': at + n % 8, 'dur': 1, 'args': {'correlation': n}}
            at += dur
            events += [launch, {'ph': 'X', 'name': name, 'cat': 'kernel', 'pid': gpu, 'tid': 7, 'ts': at - dur + 10, 'dur': dur,
                                'args': {'device': gpu, 'stream': 7, 'correlation': n}}]
    trace = {'traceEvents': events, 'distributedInfo': {'rank': rank, 'world_size': 2}}
    return write(os.path.join(folder, f'rank{rank}.json'), json.dumps(trace))


@test
def lines_are_of_the_device_that_the_summary_is_of(folder):
    """It is of the slowest device, and tables are of the busiest; of two ranks both may be called GPU 0."""
    for gpu in (0, 1):
        ranks = [rank_with(folder, 0, 0, 1000, {'busy_a': 500, 'busy_b': 400}), rank_with(folder, 1, gpu, 1200, {'slow_a': 75, 'slow_b': 25})]
        for inputs in (ranks, ranks[::-1]):
            done = run('report', '-q', '--format', 'json', *inputs).expect(0)
            tables = {t['name']: t for t in reversed(json.loads(done.out)['tables'])}
            check(f'of GPU {gpu}, slowest of 2, rank 1' in tables['summary']['title'], tables['summary']['title'])
            check_same(answers_of(tables)['top kernel'], ('75.0 %', 'slow_a, slow_b 25.0 %  --only kernels'), 'top kernel')


@test
def the_span_of_several_devices(folder):
    """They have one window; the one that works most is told, and that the time is not its own."""
    gpus = [xspace.Plane(2 + n, f'/device:GPU:{n}') for n in range(2)]
    for n, gpu in enumerate(gpus):
        gpu.add('Stream #7(Compute)', 'gemm', 50 * n, 10 + 20 * n, correlation_id=n + 1)
    path = write(os.path.join(folder, 'made.xplane.pb'), b''.join(gpu.data() for gpu in gpus))
    tables = check_screen(path)
    check('/device:GPU:1, busiest of 2, no steps' in tables['summary']['title'], tables['summary']['title'])
    check_same(answers_of(tables)['span'][0], '80.0 us', 'span')
    check('from the first work of any device to the last' in '\n'.join(screen_of(path)), 'not said')


@test
def xla_on_a_gpu_without_something(folder):
    check('no steps in the file' in check_screen(of_gpu(folder, 3, annotated=False))['summary']['title'], 'steps')
    tables = check_screen(of_gpu(folder, 3, launches=False))
    check(tables['summary']['lead'].startswith('BOUND BY: unknown: no launches in the file'), tables['summary'])
    check_same(step_of(tables), ('100 us', '3 steps'), 'steps of the host')
    check_same(answers_of(tables_of(of_gpu(folder, 3, device=False)))['devices'],
               (None, 'what they did was not recorded'), 'devices')


# -- Several ranks ------------------------------------------------------------------------------------------------------


def of_rank(folder, rank, busy, day=0):
    """Two steps of 100 us, so many of them busy."""
    events = []
    for n in range(2):
        events += [span(f'ProfilerStep#{n}', 'user_annotation', 200 * n, 100),
                   span('aten::mm', 'cpu_op', 200 * n + 5, 8),
                   span('cudaLaunchKernel', 'cuda_runtime', 200 * n + 6, 2, correlation=n + 1),
                   span('cudaDeviceSynchronize', 'cuda_runtime', 200 * n + 14, busy + 2),
                   span('gemm', 'kernel', 200 * n + 15, busy, 7, 0, device=0, stream=7, correlation=n + 1)]
    return write(os.path.join(folder, f'rank{rank}.json'), json.dumps({
        'baseTimeNanoseconds': 1700000000000000000 + day * 86400 * 10 ** 9,
        'distributedInfo': {'rank': rank, 'world_size': 2}, 'traceEvents': events}))


@test
def several_ranks(folder):
    """The screen is of the one whose steps take longest, with its own rank and verdict; devices have a row a rank."""
    paths = [of_rank(folder, 0, 20), of_rank(folder, 1, 150)]
    done = run('report', *paths).expect(0, err='')
    title, lead = done.out.split('\n')[:2]
    check('slowest of 2, rank 1 of 2' in title, title)
    check(lead.startswith('COMPUTE-BOUND'), lead)
    check(re.search(r'^ +fastest: 100 us, rank0\.json$', done.out, re.M), done.out)
    check(re.search(r'^  rank0\.json .*\n  rank1\.json ', done.out, re.M), done.out)
    run('report', paths[0], of_rank(folder, 1, 150, day=90)).expect(0, err='*rank1.json: it was recorded 90 days after *')


def of_waiting_rank(folder, rank, computes):
    """Four steps of 1 ms: an all-reduce follows what it computes, until 10 us before the end."""
    events = []
    for n in range(4):
        said = {'Collective name': 'allreduce', 'In msg nelems': 10 ** 6, 'Out msg nelems': 10 ** 6, 'Group size': 3, 'dtype': 'Float',
                'Process Group Name': '0', 'Process Group Ranks': '[0, 1, 2]'}
        events += [span(f'ProfilerStep#{n}', 'user_annotation', 1000 * n, 1000),
                   span('cudaLaunchKernel', 'cuda_runtime', 1000 * n + 6, 2, correlation=2 * n + 1),
                   span('cudaLaunchKernel', 'cuda_runtime', 1000 * n + 9, 2, correlation=2 * n + 2),
                   span('cudaDeviceSynchronize', 'cuda_runtime', 1000 * n + 14, 980),
                   span('gemm', 'kernel', 1000 * n + 15, computes, 7, 0, device=0, stream=7, correlation=2 * n + 1),
                   span('ncclDevKernel_AllReduce', 'kernel', 1000 * n + 15 + computes, 975 - computes, 20, 0, device=0, stream=20,
                        correlation=2 * n + 2, **said)]
    return write(os.path.join(folder, f'rank{rank}.json'), json.dumps({
        'baseTimeNanoseconds': 1700000000000000000, 'distributedInfo': {'rank': rank, 'world_size': 3}, 'traceEvents': events}))


@test
def who_is_late(folder):
    """Rank 1 computes 800 us and the others 300, who wait for it in the all-reduces, half of the time of each step."""
    paths = [of_waiting_rank(folder, rank, 800 if rank == 1 else 300) for rank in range(3)]
    found = re.search(r'^  late +(\S+) %  others wait for rank 1: compute  --only stragglers$', run('report', *paths).expect(0).out, re.M)
    check(found and 30 <= float(found[1]) <= 60, found and found[0])
    paths = [of_waiting_rank(folder, rank, 300) for rank in range(3)]
    check(not re.search('^  late ', run('report', *paths).expect(0).out, re.M), 'nobody is late')


def of_process(number, step, computes):
    """A step, launched on a GPU of the same number: it waits 10 us for the host, and computes."""
    return [span('ProfilerStep#0', 'user_annotation', 0, step, pid=100 + number),
            span('aten::mm', 'cpu_op', 1, 10, pid=100 + number),
            span('cudaLaunchKernel', 'cuda_runtime', 9, 1, pid=100 + number, correlation=number + 1),
            span('cudaDeviceSynchronize', 'cuda_runtime', 12, step - 12, pid=100 + number),
            span('gemm', 'kernel', 10, computes, 7, number, device=number, stream=7, correlation=number + 1)]


@test
def processes_of_one_file(folder):
    """The verdict is that of the process whose steps the device has, not of all ranks that were merged into the file."""
    for slow in (0, 1):
        lengths = {slow: (200, 180), 1 - slow: (100, 10)}
        events = [event for number, how in lengths.items() for event in of_process(number, *how)]
        screen = run('report', write(os.path.join(folder, 'merged.json'), json.dumps({'traceEvents': events}))).expect(0).out
        title, lead = screen.split('\n')[2:4] if screen.startswith('Profile') else screen.split('\n')[:2]
        check(f'GPU {slow}' in title, title)
        check_same(lead, 'COMPUTE-BOUND: 90.0 % of a step computes', screen)
        names = [{'ph': 'M', 'name': f'process_{what}', 'pid': 100 + number, 'tid': 0, 'args': {what: text, 'labels': 'CPU'}}
                 for number in lengths for what, text in (('name', 'python'), ('labels', 'CPU'))]
        path = write(os.path.join(folder, 'named.json'), json.dumps({'traceEvents': events + names}))
        tables = tables_of(path)
        check_same(tables['summary']['lead'], 'COMPUTE-BOUND: 90.0 % of a step computes', 'of processes of one name')
        verdicts = {row['process']: row['verdict'] for row in tables['bound']}
        check_same(sorted(verdicts), ['python (CPU) 100', 'python (CPU) 101'], 'told apart by their pids')
        check_same(verdicts[f'python (CPU) {100 + slow}'], 'compute', 'the slow one')


def computes_meanwhile(folder, apart):
    """Of two ranks in one file one waits for its host, and the other computes: each has its own verdict."""
    events = []
    for number, (first, computes) in enumerate(((900, 80), (15, 965))):
        at = apart * number
        events += [span('ProfilerStep#0', 'user_annotation', at, 1000, pid=100 + number),
                   span('cudaLaunchKernel', 'cuda_runtime', at + first - 5, 2, pid=100 + number, correlation=number + 1),
                   span('cudaDeviceSynchronize', 'cuda_runtime', at + first - 2, 990 - first, pid=100 + number),
                   span('gemm', 'kernel', at + first, computes, 7, number, device=number, stream=7, correlation=number + 1)]
    tables = tables_of(write(os.path.join(folder, f'{apart}.json'), json.dumps({'traceEvents': events})))
    return {row['process']: row['verdict'] for row in tables['bound']}


@test
def ranks_of_one_file(folder):
    for apart in (0, 7):
        check_same(computes_meanwhile(folder, apart), {'100': 'host', '101': 'compute'}, apart)


@test
def a_host_beside_a_busy_device(folder):
    """The path is the reason where the device does not wait for the host most of the time; else how it waits is."""
    for until, reason in ((700, 'COMPUTE-BOUND: 68.5 % of a step computes'),
                          (300, 'HOST-BOUND: the GPU idles 71.5 % of a step; 97.9 % of that is before the launch')):
        events = [span('ProfilerStep#0', 'user_annotation', 0, 1000), span('aten::mm', 'cpu_op', 0, 1000),
                  span('cudaLaunchKernel', 'cuda_runtime', 0, 2, correlation=1),
                  span('gemm', 'kernel', 15, until - 15, 7, 0, device=0, stream=7, correlation=1)]
        screen = run('report', write(os.path.join(folder, 'busy.json'), json.dumps({'traceEvents': events}))).expect(0).out
        check(reason in screen, screen)


@test
def devices_of_one_process(folder):
    """Both have the same steps; the one that idles least is what the other waits for."""
    for busy in (0, 1):
        events = of_process(0, 200, 10)[:4]
        events += [span('gemm', 'kernel', 10, 180 if gpu == busy else 10, 7, gpu, device=gpu, stream=7, correlation=1) for gpu in (0, 1)]
        screen = run('report', write(os.path.join(folder, 'two.json'), json.dumps({'traceEvents': events}))).expect(0).out
        check(f'Summary of GPU {busy}' in screen and 'compute 180 us' in screen, screen)


for file in sorted(glob.glob(os.path.join(DATA, 'json', '*')) + glob.glob(os.path.join(DATA, 'xplane', '*'))) if DATA else []:
    if 'not_a_trace' not in file and 'bad_utf8' not in file:
        add_test(f'real {os.path.basename(file)}', real(file))
main()
