# SPDX-License-Identifier: Apache-2.0
"""diff.py - two profiles: what changed, what did not, and what nobody can tell.  Profiles of a GPU
are made by gputrace.py, others are read by the plugin tests/plugins/lines.c."""

import json
import os
import random
import re
import stat

import xspace
from harness import SAMPLES, check, check_same, finish, main, run, start, test, write
from gputrace import Trace

HEAD = '#nprof-lines\n'
PLUGINS = {'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS']}
TPU = os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb')

# Layers of very different size, launched by a few operators.
MODEL = [
    (kernel, operator, length)
    for layer in range(6)
    for kernel, operator, length in (
        ('gemm', 'aten::mm', 40 * (layer + 1)),
        ('relu', 'aten::relu', 8 + 3 * layer),
        ('norm', 'aten::native_layer_norm', 12),
        ('softmax', 'aten::softmax', 20),
    )
]


def changed(change, calls=None):
    """change: kernel -> function of the call and its length."""
    return [
        (k, o, change[k](i, t) if k in change else t) for i, (k, o, t) in enumerate(calls or MODEL)
    ]


def times(factor):
    return lambda _call, length: length * factor


def trace(name, calls=None, **how):
    return Trace(calls or MODEL, **how).save(name)


def diff(*arguments, env=None):
    return run('diff', *arguments, env={**PLUGINS, **(env or {})})


def compare(*arguments, status=0):
    """The first device, and the whole document."""
    result = diff('--format', 'json', *arguments).expect(status, err='')
    found = json.loads(result.out)
    check_same(found['status'], status, 'the status in the document')
    return found['devices'][0], found


def verdicts(device):
    return {kernel['name']: kernel['verdict'] for kernel in device['kernels']}


def told(device):
    return {name: verdict for name, verdict in verdicts(device).items() if verdict != 'same'}


SAME = {'gemm': 'same', 'relu': 'same', 'norm': 'same', 'softmax': 'same'}


# -- Verdicts -----------------------------------------------------------------------------------


@test
def a_profile_does_not_differ_from_itself(_folder):
    for path in (trace('a.json'), trace('b.json', steps=1), TPU):
        device, found = compare('--fail-over', '0', '--strict', path, path)
        check_same(set(verdicts(device).values()), {'same'}, path)
        check_same(
            (found['over'], device['work']['verdict'], device['work']['delta']),
            (0, 'same', 0),
            path,
        )


@test
def noise_is_no_change(_folder):
    for seed in range(5):
        device, _ = compare(
            '--fail-over',
            '5%',
            trace('a.json', noise=0.03, seed=2 * seed),
            trace('b.json', noise=0.03, seed=2 * seed + 1),
        )
        check(not {'slower', 'faster', 'added', 'removed'} & set(verdicts(device).values()), device)


@test
def each_call_slower_is_slower_however_different_the_layers(_folder):
    base, new = trace('a.json'), trace('b.json', changed({'gemm': times(1.08)}), seed=2)
    device, _ = compare(base, new)
    check_same(verdicts(device), {**SAME, 'gemm': 'slower'}, 'verdicts')
    gemm = device['kernels'][0]
    check(gemm['name'] == 'gemm' and 0.07 < gemm['delta'] < 0.09 and gemm['calls'] == [6, 6], gemm)
    check_same(
        (gemm['why'], gemm['class'], gemm['noise_assumed']), (None, 'compute', False), 'gemm'
    )
    diff(base, new).expect(0)
    for limit, status in (('5%', 6), ('0.05', 6), ('20%', 0)):
        diff('--fail-over', limit, base, new).expect(status)
    diff('--fail-over', '5%', new, base).expect(0)
    check_same(told(compare(new, base)[0]), {'gemm': 'faster'}, 'the other way round')


@test
def a_part_of_the_calls_is_found(_folder):
    new = trace(
        'b.json', changed({'softmax': lambda call, t: t * (2 if call % 8 == 3 else 1)}), seed=2
    )
    device, _ = compare('--fail-over', '5%', trace('a.json'), new, status=6)
    check_same(told(device), {'softmax': 'slower'}, 'told')


@test
def calls_that_change_unlike_each_other_need_more_than_two_steps(_folder):
    """Held up in both steps of one side, or slower for good: nobody can tell of two."""
    held = changed({'softmax': lambda call, t: t * (10 if call % 24 == 3 else 1)})
    for steps, expected in ((2, 'inconclusive'), (5, 'slower')):
        base, new = trace('a.json', steps=steps), trace('b.json', held, steps=steps, seed=2)
        check_same(told(compare(base, new)[0]), {'softmax': expected}, f'{steps} steps')
    more = [call for call in MODEL for _ in range(2 if call[0] == 'softmax' else 1)]
    device, _ = compare(trace('a.json', steps=2), trace('b.json', more, steps=2, seed=2))
    check_same(told(device), {'softmax': 'slower'}, 'more calls, of two steps')


@test
def more_calls_are_said(_folder):
    more = [call for call in MODEL for _ in range(2 if call[0] == 'softmax' else 1)]
    device, _ = compare(
        '--fail-over', '5%', trace('a.json'), trace('b.json', more, seed=2), status=6
    )
    softmax = next(k for k in device['kernels'] if k['name'] == 'softmax')
    check_same(
        (softmax['verdict'], softmax['why'], softmax['calls']),
        ('slower', 'calls', [6, 12]),
        'softmax',
    )


@test
def one_step_borrows_the_noise_of_the_others(_folder):
    device, _ = compare(trace('a.json', steps=5), trace('b.json', steps=1, seed=2))
    check_same(told(device), {}, 'told')
    check_same((device['base']['steps'], device['new']['steps']), (5, 1), 'steps')
    new = trace('b.json', changed({'gemm': times(1.3)}), steps=1, seed=2)
    check_same(
        told(compare('--fail-over', '5%', trace('a.json', steps=5), new, status=6)[0]),
        {'gemm': 'slower'},
        'told',
    )


@test
def one_step_on_both_sides_is_a_hint(_folder):
    base, new = trace('a.json', steps=1), trace(
        'b.json', changed({'gemm': times(2)}), steps=1, seed=2
    )
    device, _ = compare(base, new)
    gemm = device['kernels'][0]
    check_same(
        (gemm['name'], gemm['verdict'], gemm['noise_assumed']), ('gemm', 'slower', True), 'gemm'
    )
    diff(base, new).expect(0, out='One sample a side: noise assumed; a hint, no more')
    # below the least change that is told then
    device, _ = compare(base, trace('b.json', changed({'gemm': times(1.06)}), steps=1, seed=2))
    check(verdicts(device)['gemm'] in ('same', 'inconclusive'), device['kernels'])


@test
def what_noise_hides_is_not_told(_folder):
    base, new = trace('a.json', noise=0.3, steps=2), trace('b.json', noise=0.3, steps=2, seed=2)
    device, _ = compare('--fail-over', '5%', base, new)
    check('inconclusive' in verdicts(device).values() and device['not_told']['kernels'] > 0, device)
    diff('--fail-over', '5%', base, new).expect(
        0, out="Inconclusive at 5 %: *% of the work); record * steps"
    )
    diff('--fail-over', '5%', '--strict', base, new).expect(6)
    diff('--strict', base, new).expect(6)


@test
def kernels_on_one_side_alone_fail_nothing_by_themselves(_folder):
    without = [call for call in MODEL if call[0] != 'norm']
    base, new = trace('a.json'), trace('b.json', without, seed=2)
    check_same(told(compare('--fail-over', '5%', base, new)[0]), {'norm': 'removed'}, 'removed')
    device, _ = compare(new, base)
    norm = next(k for k in device['kernels'] if k['name'] == 'norm')
    check_same((norm['verdict'], norm['delta'], norm['base_ps']), ('added', None, 0), 'added')


@test
def small_kernels_of_one_side_have_lines_of_their_own(_folder):
    """SyncTensorsGraph.53 of 90 ns is what a traced model lacks, however short it is."""
    small = [('SyncTensorsGraph.53', 'aten::fill_', 1), ('tiny', 'aten::fill_', 1)]
    base, new = trace('a.json', MODEL + small), trace('b.json', MODEL + small[1:], seed=2)
    for top in ('0', '10'):
        diff('--top', top, base, new).expect(
            0, out=['*removed *SyncTensorsGraph.53*', '*the rest: 1 kernels*']
        )
    device, _ = compare(base, new)
    check_same(
        (
            {k['name']: k['verdict'] for k in device['kernels']}['SyncTensorsGraph.53'],
            device['rest_kernels'],
        ),
        ('removed', 1),
        'removed',
    )


@test
def small_kernels_are_judged_together(_folder):
    small = [(f'tiny{i}', 'aten::fill_', 1) for i in range(4)]
    base, new = trace('a.json', MODEL + small), trace(
        'b.json', MODEL + [(k, o, 3) for k, o, _ in small], seed=2
    )
    device, _ = compare('--fail-over', '5%', base, new, status=6)
    check_same(
        (device['rest']['verdict'], device['rest_kernels'], told(device)),
        ('slower', 4, {}),
        'the rest',
    )
    share = device['rest']['new_ps'] / device['work']['new_ps']
    check(abs(device['rest']['share'] - share) < 1e-9 and 0 < share < 0.02, device['rest'])
    diff(base, new).expect(0, out='*slower*the rest: 4 kernels with less than 0.5 % each')


@test
def collectives_are_judged_as_one(_folder):
    calls = MODEL + [(f'ncclDevKernel_AllReduce_{i}', 'nccl:all_reduce', 60) for i in range(4)]
    slow = [(k, o, t * 3 if 'nccl' in k else t) for k, o, t in calls]
    device, _ = compare(
        '--fail-over', '5%', trace('a.json', calls), trace('b.json', slow, seed=2), status=6
    )
    check_same(
        (device['communication']['verdict'], device['work']['verdict']),
        ('slower', 'slower'),
        'sums',
    )
    check_same(
        {k['class'] for k in device['kernels'] if 'nccl' in k['name']}, {'communication'}, 'class'
    )


@test
def clocks_are_suspected_when_all_moves_alike(_folder):
    names = {f'k{i}': times(1) for i in range(8)}
    calls = [(k, 'aten::' + k, 30) for k in names for _ in range(4)]
    slower = [(k, o, t * 1.04) for k, o, t in calls]
    diff(trace('a.json', calls), trace('b.json', slower, seed=2)).expect(
        0, out='Nearly all kernels changed by +?.? %: other clocks[?]'
    )
    other = diff(trace('a.json', calls), trace('b.json', MODEL, seed=2)).expect(
        0, out='* removed *'
    )
    check(
        'other clocks' not in other.out, other.out
    )  # kernels that are gone have not become faster


@test
def names_of_functions_are_short(_folder):
    """As in a report: without types, unless two would read alike; JSON and --names full have them
    whole."""
    plain = 'void at::native::vectorized_kernel<4, %s>(int, float*)'
    calls = [(plain % f'Adder<{kind}>', 'aten::add', 30) for kind in ('float', 'double')] + [
        ('void one<2>(int)', 'aten::mm', 80)
    ]
    renamed = [(k.replace('one<2>', 'two<3>'), o, t) for k, o, t in calls]
    base, new = trace('a.json', calls), trace('b.json', renamed, seed=2)
    short = diff(base, new).expect(0, out=['Renamed: one -> two', '* one -> two']).out
    check('void' not in short and '(int' not in short, short)
    for kind in 'float', 'double':
        check(f'Adder<{kind}>' in short, short)
    for whole in (
        diff('--names', 'full', base, new).expect(0).out,
        diff('--format', 'json', base, new).expect(0).out,
    ):
        check('void one<2>(int)' in whole and plain % 'Adder<float>' in whole, whole)
    diff('--names', 'long', base, new).expect(1, err='*--names long: expected short or full*')


# -- The step
# ---------------------------------------------------------------------------------------


def parts_of(device):
    return {name: new - base for name, (base, new) in device['parts'].items()}


@test
def parts_of_the_step_add_up_to_its_change(_folder):
    """The host waits longer between operators; kernels are the same."""
    short = [(k, o, 2) for k, o, _ in MODEL]
    base, new = trace('a.json', short), trace('b.json', short, gap=6, seed=2)
    device, _ = compare('--fail-over', '5%', base, new, status=6)
    step, parts = device['step'], parts_of(device)
    check_same((step['verdict'], device['work']['verdict']), ('slower', 'same'), 'verdicts')
    check(abs(sum(parts.values()) - (step['new_ps'] - step['base_ps'])) < 10, (parts, step))
    check(parts['idle_host_ps'] > 0.9 * sum(parts.values()), parts)
    out = diff('--fail-over', '5%', base, new).expect(6, out='--fail-over 5%: 1 slower by more').out
    rows = [line.split()[0] for line in out.splitlines() if line.startswith('  ')]
    check({'compute', 'idle:'} <= set(rows), out)


def sentence(*files):
    """That of the document, with which the text begins."""
    said = compare(*files)[1]['sentence']
    check_same(diff(*files).expect(0).out.splitlines()[0], said, 'the text begins with it')
    return said


@test
def the_verdict_is_one_sentence(_folder):
    """By how much a step became longer, and the kernel that made most of it, by the lengths that
    the traces were made of; what fills idle time makes no step longer."""
    base, slow = trace('a.json'), trace('b.json', changed({'gemm': times(1.4), 'relu': times(1.1)}))
    more = compare(base, slow)[0]['step']['delta']
    check(
        re.fullmatch(r'[\d.]+ % slower: gemm takes 1\.[34]\d?x as long', sentence(base, slow)),
        sentence(base, slow),
    )
    share = float(sentence(base, slow).split()[0]) / 100
    check(abs(share - more) < 0.2 * more, f'{share} is not near {more}')
    check(
        re.fullmatch(r'[\d.]+ % faster: gemm takes 0\.7\d+x as long', sentence(slow, base)),
        sentence(slow, base),
    )
    check(sentence(base, base).startswith('The same within '), sentence(base, base))
    short = [(k, o, 2) for k, o, _ in MODEL]
    late = sentence(trace('e.json', short), trace('f.json', short, gap=6, seed=2))
    check(
        re.fullmatch(r'[\d.]+ % slower: [\d.]+ us more a step of late launches', late),
        late,
    )
    check_same(
        sentence(trace('c.json', steps=1), trace('d.json', changed({'gemm': times(1.4)}), steps=1))[
            -len('one run, noise unknown') :
        ],
        'one run, noise unknown',
        'one step a side',
    )
    check_same(sentence('c.json', 'c.json'), 'The same: all sums are equal', 'one file twice')


@test
def steps_are_listed_side_by_side(_folder):
    device, _ = compare('--by', 'steps', trace('a.json', steps=3), trace('b.json', steps=4, seed=2))
    check_same(
        [step['step'] for step in device['new_steps']],
        [f'ProfilerStep#{i}' for i in range(4)],
        'steps',
    )
    mean = sum(step['window_ps'] for step in device['base_steps']) / 3
    check(abs(mean - device['step']['base_ps']) < 1, device['step'])
    diff('--by', 'steps', 'a.json', 'b.json').expect(0, out='*- *ProfilerStep#3')


@test
def steps_that_the_profile_cut_do_not_count(_folder):
    """The last step of the base has but its first call."""
    cut = Trace(MODEL, steps=4)
    cut.step(4, MODEL[:1])
    device, _ = compare(cut.save('a.json'), trace('b.json', seed=2))
    check_same(
        (device['base']['steps'], device['base']['cut'], told(device), device['step']['verdict']),
        (4, 1, {}, 'same'),
        'steps',
    )


# -- What is compared with what --------------------------------------------------------------------


@test
def renamed_kernels_are_known_by_their_places(_folder):
    renamed = [
        (k + '<77>' if k == 'gemm' else k, o, t * 1.2 if k == 'gemm' else t) for k, o, t in MODEL
    ]
    device, _ = compare(trace('a.json'), trace('b.json', renamed, seed=2))
    check_same(
        (device['renamed'], told(device)), ([['gemm', 'gemm<77>']], {'gemm': 'slower'}), 'renamed'
    )
    diff('a.json', 'b.json').expect(
        0, out=['Renamed: gemm -> gemm<77>', '*slower*gemm -> gemm<77>']
    )


@test
def renamed_kernels_are_known_by_what_launches_them(_folder):
    """Their places are others when their operator launches more than before."""

    def linear(norm, names):
        calls = [(k, 'aten::linear' if k in names else o, t) for k, o, t in MODEL]
        calls = [c for call in calls for c in ([call] * norm if call[0] == 'norm' else [call])]
        return [(names.get(k, k), o, t) for k, o, t in calls]

    both = linear(2, {'gemm': 'gemm', 'norm': 'norm'})
    more = linear(3, {'gemm': 'gemm2', 'norm': 'bias'})
    device, _ = compare(trace('a.json', both), trace('b.json', more, seed=2))
    check_same(
        (device['renamed'], told(device)),
        ([['gemm', 'gemm2']], {'norm': 'removed', 'bias': 'added'}),
        'renamed',
    )


@test
def a_kernel_that_was_fused_is_none_that_was_renamed(_folder):
    """Half of the calls of gemm took in the relu behind them: the new kernel may as well be these
    calls of gemm."""
    calls = [
        (kernel, 'aten::linear', takes)
        for layer in range(8)
        for kernel, takes in (('gemm', 40), ('relu', 8))[: 1 + layer % 2] + (('norm', 12),)
    ]
    fused = [
        ('gemm_relu' if kernel == 'gemm' and behind[0] == 'relu' else kernel, operator, takes)
        for (kernel, operator, takes), behind in zip(calls, calls[1:] + calls[:1])
        if kernel != 'relu'
    ]
    device, _ = compare('--fail-over', '5%', trace('a.json', calls), trace('b.json', fused, seed=2))
    check_same(
        (device['renamed'], told(device)),
        ([], {'gemm': 'faster', 'relu': 'removed', 'gemm_relu': 'added'}),
        'fused',
    )
    device, _ = compare(trace('b.json', fused, seed=2), trace('a.json', calls), status=0)
    check_same(device['renamed'], [], 'taken apart')


@test
def full_names_tell_kernels_apart(_folder):
    calls = [(f'fused_{i}', 'aten::add', 30) for i in (3, 16, 19)] + [
        ('SyncTensorsGraph.53', 'xla', 40)
    ]
    device, _ = compare(trace('a.json', calls), trace('b.json', calls, seed=2))
    check_same(set(verdicts(device)), {call[0] for call in calls}, 'names')


@test
def work_that_is_not_compared_is_said(_folder):
    one = Trace(MODEL)
    one.span('kernel', 'early', 1, 91, pid=0, tid=7, device=0, stream=7, correlation=99999)
    one.span('cuda_runtime', 'cudaLaunchKernel', 20, 22, correlation=99998)
    one.span('kernel', 'warmup', 91, 99, pid=0, tid=7, device=0, stream=7, correlation=99998)
    path = one.save('a.json')
    device, _ = compare(path, path)
    check_same(
        (device['base']['unlinked_ps'], device['base']['outside_ps']),
        (90000000, 8000000),
        'left out',
    )
    diff(path, path).expect(
        0,
        out=[
            'base: 90.0 us of work (*) are not compared: their launch is not in the file',
            'new: 8.00 us of work (*) are not compared: launched in no step',
        ],
    )


def gpu_space(name, factor, steps='Steps'):
    """A GPU of an XSpace, with launches, and steps that it has itself: its line, or executions of a
    program; within each two kernels, and one behind it."""
    host, gpu = xspace.Plane(2, '/host:CPU'), xspace.Plane(3, '/device:GPU:0')
    for step in range(4):
        at, number = 1000 * step, 10 * step
        gpu.add(steps, str(step) if steps == 'Steps' else 'jit_f(7)', at + 100, 800)
        for i, (kernel, begins, takes) in enumerate(
            (('gemm', 110, (300 + step) * factor), ('relu', 800, 50 + step % 2), ('late', 950, 40))
        ):
            host.add('python', 'cudaLaunchKernel', at + 10 + i, 1, correlation_id=number + i + 1)
            gpu.add('Stream #7(Compute)', kernel, at + begins, takes, correlation_id=number + i + 1)
    return write(name, host.data() + gpu.data())


@test
def steps_that_a_device_has_itself_count_with_launches_too(_folder):
    for steps in 'Steps', 'XLA Modules':
        base, new = gpu_space('a.xplane.pb', 1, steps), gpu_space('b.xplane.pb', 1.5, steps)
        device, _ = compare('--fail-over', '5%', base, new, status=6)
        side = device['base']
        check_same(
            (side['by'], side['steps'], side['outside_ps'], side['unlinked_ps']),
            ('start', 4, 160 * 10**6, 0),
            steps,
        )
        check_same(verdicts(device), {'gemm': 'slower', 'relu': 'same'}, steps)
        diff(base, base).expect(
            0, out='base: 160 us of work (*) are not compared: begin in no step'
        )


def furiosa(name, factor):
    """Four executions on an NPU, of a load and a convolution each."""
    lines = [
        'trace_id,parent_span_id,span_id,start,end,cat,name,thread.id,dram_base,pe_index,execution_index,'
        'instruction_index,operator_index'
    ]
    for n in range(4):
        at, takes = 10**18 + 10**6 * n, round((3000 + n) * factor)
        for i, (what, begins, ends) in enumerate(
            (
                ('Execution', 0, takes + 600),
                ('Load', 100, 500),
                ('LowLevelConv2d', 500, 500 + takes),
            )
        ):
            lines.append(
                f'{n:032x},{1:016x},{10 * n + i + 2:016x},{at + begins},{at + ends},NPU,{what},0,0,0,{n},{max(i - 1, 0)},'
            )
    return write(name, '\n'.join(lines) + '\n')


def repeating(name, lengths, total, reserved=False, **head):
    """A recording of `total` us without steps, whose work repeats: us of each period, two thirds of
    which are work."""
    events, at, k = [], 0, 0
    while at < total:
        length = lengths[k % len(lengths)]
        for n, (kernel, share) in enumerate((('gemm_a', 0.2), ('norm_b', 0.1), ('gemm_c', 0.3))):
            start, ident = at + n * length / 3, 10 * k + n + 1
            events.append(
                {
                    'ph': 'X',
                    'cat': 'cuda_runtime',
                    'name': 'cudaLaunchKernel',
                    'pid': 9,
                    'tid': 9,
                    'ts': start - 2,
                    'dur': 1,
                    'args': {'correlation': ident},
                }
            )
            events.append(
                {
                    'ph': 'X',
                    'cat': 'kernel',
                    'name': kernel,
                    'pid': 0,
                    'tid': 7,
                    'ts': start,
                    'dur': length * share,
                    'args': {'device': 0, 'stream': 7, 'correlation': ident},
                }
            )
        at, k = at + length, k + 1
    for size, address in ((3 << 20, 4096), (1 << 20, 1 << 30)) if reserved else ():
        events.append(
            {
                'ph': 'i',
                's': 't',
                'name': '[memory]',
                'pid': 9,
                'tid': 9,
                'ts': 5,
                'args': {
                    'Bytes': size * reserved,
                    'Addr': address,
                    'Device Type': 1,
                    'Device Id': 0,
                    'Total Allocated': (4 if address > 4096 else 3) * (1 << 20) * reserved,
                    'Total Reserved': 8 * (1 << 20) * reserved,
                },
            }
        )
    write(name, json.dumps({'traceEvents': events, **head}))
    return name


def middle(lengths):
    lengths = sorted(lengths)
    return (lengths[(len(lengths) - 1) // 2] + lengths[len(lengths) // 2]) / 2


@test
def periods_come_first_where_work_repeats(_folder):
    """Two recordings of one length say nothing by it; their periods do, within what they vary
    by."""
    rng = random.Random(5)
    lengths = [1000 + rng.randrange(-20, 20) for _ in range(40)]
    base = repeating('base.json', lengths, 40000)
    for factor, verdict, over in ((1, 'same', 0), (1.2, 'slower', 6), (0.8, 'faster', 0)):
        new = repeating('new.json', [round(n * factor) for n in lengths], 40000)
        _, found = compare('--fail-over', '5%', base, new, status=over)
        (period,) = found['periods']
        check_same(period['verdict'], verdict, str(factor))
        check_same(period['of'], 'period', 'of')
        check(abs(period['delta'] - (factor - 1)) < 0.01, period)
        check(abs(period['median_ps'][0] - middle(lengths) * 10**6) < 5 * 10**6, period)
    out = diff(base, repeating('new.json', [1200], 40000)).expect(0).out
    check('periods a second' in out and '\ntime ' not in out, out)
    # Periods that vary by a tenth of themselves cannot tell a change of 3 %.
    wild = [1000 + rng.randrange(-300, 300) for _ in range(8)]
    _, found = compare(
        repeating('a.json', wild, 8000), repeating('b.json', [round(n * 1.03) for n in wild], 8000)
    )
    check_same([p['verdict'] for p in found['periods']], ['inconclusive'], 'varies')


def two_parts(device, lengths):
    """Events of a device whose work repeats; of each period its length, us of compute and of
    communication, one behind the other, and between both the host is late."""
    at, k, events = 0, 0, []
    for length, compute, comm in lengths:
        for kernel, start, dur in (
            ('gemm', at, compute),
            ('ncclDevKernel_AllReduce', at + length - comm, comm),
        ):
            k += 1
            ident = {'correlation': 10000 * (device + 1) + k}
            host = {'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 9, 'tid': 9 + device}
            work = {'cat': 'kernel', 'name': kernel, 'pid': device, 'tid': 7}
            events += [
                {'ph': 'X', 'ts': start - 2, 'dur': 1, 'args': ident, **host},
                {
                    'ph': 'X',
                    'ts': start,
                    'dur': dur,
                    'args': {'device': device, 'stream': 7, **ident},
                    **work,
                },
            ]
        at += length
    return events


@test
def the_slowest_device_of_the_new_profile_decides(_folder):
    """Of two devices, by the numbers that the traces were made of: it is the same on both sides,
    all parts are of its mean period, and the one that grew most is the cause."""
    rng = random.Random(7)

    def run(*devices):
        """Periods of each device, by the mean us of gaps, compute and communication."""
        made = []
        for gap, compute, comm in devices:
            parts = [(gap + rng.randrange(-9, 9), compute, comm) for _ in range(30)]
            made.append([(sum(one), one[1], one[2]) for one in parts])
        return made

    def of(periods):
        """Us of a mean period: all, compute and communication."""
        return [sum(one[k] for one in periods) / len(periods) for k in range(3)]

    # In the base GPU 1 is slower; what grew most is communication, idle time, or compute.
    base = run((100, 500, 300), (100, 600, 300))
    for said, new, slow in (
        ('us more a period of communication alone', run((110, 500, 600), (150, 600, 300)), 0),
        ('us more a period of late launches', run((120, 500, 310), (300, 620, 320)), 1),
        ('gemm takes 1.60x as long', run((130, 800, 320), (110, 600, 300)), 0),
    ):
        files = []
        for name, periods in (('base.json', base), ('new.json', new)):
            events = [e for d in (0, 1) for e in two_parts(d, periods[d])]
            write(name, json.dumps({'traceEvents': events}))
            files.append(name)
        found = compare(*files)[1]
        judged, sentence_of = found['judged'], found['sentence']
        check_same(judged['device'], [f'GPU {slow}'] * 2, said)
        check_same((judged['of'], judged['verdict']), ('period', 'slower'), said)
        check(f' % slower on GPU {slow}: ' in sentence_of and said in sentence_of, sentence_of)
        for device, period in enumerate(found['periods']):
            check_same(period['device'], f'GPU {device}', 'the devices in their order')
            for side, periods in enumerate((base, new)):
                length, compute, comm = of(periods[device])
                parts = {part: both[side] / 1e6 for part, both in period['parts'].items()}
                check(abs(sum(parts.values()) - period['mean_ps'][side] / 1e6) < 1e-6, parts)
                for what, seen, made in (
                    ('all', sum(parts.values()), length),
                    ('compute', parts['compute'], compute),
                    ('communication', parts['comm'], comm),
                ):
                    check(abs(seen - made) < 0.02 * length, f'{what}: {seen}, made {made}')


@test
def another_machine_has_no_verdict(_folder):
    one = {
        'deviceProperties': [{'id': 0, 'name': 'NVIDIA A100', 'totalGlobalMem': 1 << 35}],
        'distributedInfo': {'rank': 0, 'world_size': 8},
    }
    other = {
        'deviceProperties': [{'id': 0, 'name': 'Tesla V100', 'totalGlobalMem': 1 << 35}],
        'distributedInfo': {'rank': 0, 'world_size': 2},
    }
    base = repeating('base.json', [1000, 1004, 998], 30000, **one)
    same = repeating('same.json', [1300, 1304, 1298], 30000, **one)
    new = repeating('new.json', [1300, 1304, 1298], 30000, **other)
    _, found = compare('--fail-over', '5%', base, same, status=6)
    check_same((found['not_the_same'], found['periods'][0]['verdict']), ([], 'slower'), 'the same')
    device, found = compare('--fail-over', '5%', base, new, status=6)
    check_same(
        found['not_the_same'],
        [
            {'fact': 'device', 'base': 'NVIDIA A100', 'new': 'Tesla V100'},
            {'fact': 'ranks', 'base': '8', 'new': '2'},
        ],
        'facts',
    )
    check_same(found['periods'][0]['verdict'], 'inconclusive', 'another machine')
    check_same(set(verdicts(device).values()), {'inconclusive'}, 'kernels')
    asked = compare('--fail-over', '5%', '--other-machine', base, new, status=6)[1]
    check(asked['over'] > 0 and asked['periods'][0]['verdict'] == 'slower', asked)
    diff(base, new).expect(
        0, out='Not the same machine: device NVIDIA A100 -> Tesla V100; ranks 8 -> 2: numbers*'
    )


def with_gaps(name, gap, calls=None):
    """Each kernel ends so long, in us, before the next one begins."""
    made = Trace(calls or MODEL)
    kernels = sorted((e for e in made.events if e.get('cat') == 'kernel'), key=lambda e: e['ts'])
    for one, following in zip(kernels, kernels[1:]):
        if following['ts'] - one['ts'] - one['dur'] < 1:
            one['dur'] = round(following['ts'] - one['ts'] - gap, 3)
    return made.save(name)


@test
def gaps_that_one_recorder_closed_are_no_change(_folder):
    """Times of the recorder that closes gaps are upper bounds: what would follow from that alone is
    not told, and what changed more than that is."""
    said = '*the recorder of {} closed gaps*no work is told to be {} or the same'
    wide, closed = with_gaps('wide.json', 3), with_gaps('closed.json', 0.001)
    for base, new, side, untold in (
        (wide, closed, 'new', 'slower'),
        (closed, wide, 'base', 'faster'),
    ):
        device, found = compare('--fail-over', '5%', base, new)
        check_same(set(verdicts(device).values()), {'inconclusive'}, 'kernels')
        check_same(device['work']['verdict'], 'inconclusive', 'all work')
        check_same(device['step']['verdict'], 'same', 'the step is as long')
        check_same((found['over'], device['not_told']['record']), (0, 0), 'no recording tells')
        closed_ = device['base']['closed_gaps'], device['new']['closed_gaps']
        check_same(closed_, (side == 'base', side == 'new'), 'whose')
        for by in ('kernels', 'ops'):
            text = diff('--by', by, base, new).expect(0, out=said.format(side, untold)).out
            check('  faster  ' not in text and '  slower  ' not in text, text)
            check('; record ' not in text, text)
    large = changed({'gemm': times(1.5)})
    slower = with_gaps('slower.json', 3, large), with_gaps('slower_closed.json', 0.001, large)
    check_same(verdicts(compare(closed, slower[0])[0])['gemm'], 'slower', 'beyond the bound')
    check_same(verdicts(compare(slower[1], wide)[0])['gemm'], 'inconclusive', 'within it')
    device = compare(closed, slower[1])[0]
    check_same(told(device), {'gemm': 'slower'}, 'both closed')
    check('gaps below' not in diff(closed, slower[1]).expect(0).out, 'nothing to say')


@test
def another_machine_tells_nothing_by_operators_either(_folder):
    names = 'NVIDIA A100', 'Tesla V100'
    paths = [
        repeating(
            f'{name}.json',
            [length, length + 4, length - 2],
            30000,
            deviceProperties=[{'id': 0, 'name': name, 'totalGlobalMem': 1 << 35}],
        )
        for name, length in zip(names, (1000, 1300))
    ]
    device = compare('--by', 'ops', *paths)[0]
    check_same({line['verdict'] for line in device['ops']}, {'inconclusive'}, 'operators')


@test
def one_period_a_side_has_no_verdict(_folder):
    def step(name, length):
        events = [
            {
                'ph': 'X',
                'cat': 'user_annotation',
                'name': 'ProfilerStep#1',
                'pid': 9,
                'tid': 9,
                'ts': 0,
                'dur': length,
            }
        ]
        for i in range(12):
            at, ident = i * length / 12, i + 1
            events.append(
                {
                    'ph': 'X',
                    'cat': 'cuda_runtime',
                    'name': 'cudaLaunchKernel',
                    'pid': 9,
                    'tid': 9,
                    'ts': at,
                    'dur': 1,
                    'args': {'correlation': ident},
                }
            )
            events.append(
                {
                    'ph': 'X',
                    'cat': 'kernel',
                    'name': 'gemm',
                    'pid': 0,
                    'tid': 7,
                    'ts': at + 2,
                    'dur': length / 13,
                    'args': {'device': 0, 'stream': 7, 'correlation': ident},
                }
            )
        write(name, json.dumps({'traceEvents': events}))
        return name

    out = diff(step('a.json', 3000), step('b.json', 2000)).expect(0).out
    check('one run, noise unknown' in out, out)


@test
def peaks_of_memory_are_compared(_folder):
    base, new = repeating('a.json', [1000], 9000, 2), repeating('b.json', [1000], 9000, 3)
    _, found = compare(base, new)
    check_same(
        {(m['allocator'], m['what']): m['bytes'] for m in found['memory']},
        {
            ('CUDA 0', 'peak'): [8 << 20, 12 << 20],
            ('CUDA 0', 'reserved'): [16 << 20, 24 << 20],
        },
        'peaks',
    )


def serving(name, tokens, length):
    """Steps of a server of `length` us, each with a kernel, that give so many tokens; the first has
    no period."""
    events = []
    for n in range(9):
        at = 1000 + n * length
        who = {'ph': 'X', 'pid': 9, 'tid': 9}
        said = f'execute_context_0(0)_generation_{tokens}({tokens})'
        call = {'correlation': n + 1}
        events += [
            {**who, 'cat': 'user_annotation', 'name': said, 'ts': at, 'dur': length, 'args': {}},
            {**who, 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'ts': at + 1, 'dur': 1}
            | {'args': call},
            {'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, 'tid': 7, 'ts': at + 5, 'dur': 50}
            | {'args': call | {'device': 0, 'stream': 7}},
        ]
    return write(name, json.dumps({'traceEvents': events}))


@test
def tokens_a_second_are_compared(_folder):
    """8 of each 200 us, 6 of each 100 us; a profile of another phase has nothing to compare."""
    base, new = serving('a.json', 8, 200), serving('b.json', 6, 100)
    _, found = compare(base, new)
    check_same(
        found['throughput'],
        [{'device': 'GPU 0', 'of': 'decode', 'tokens_per_s': [40000, 60000]}],
        'tokens a second',
    )
    out = diff(base, new).expect(0).out
    check('GPU 0, decode, tokens/s' in out and '+50.0%' in out.replace(' %', '%'), out)
    _, found = compare(base, repeating('c.json', [1000], 9000, 2))
    check_same(found['throughput'], [], 'no tokens')


@test
def executions_of_an_npu_are_steps(_folder):
    result = diff(
        '-q', '--format', 'json', '--fail-over', '5%', furiosa('a.csv', 1), furiosa('b.csv', 1.5)
    ).expect(6)
    (device,) = json.loads(result.out)['devices']
    check_same(
        (device['base']['by'], device['base']['steps'], device['step']['verdict']),
        ('start', 4, 'slower'),
        'executions',
    )
    check_same(verdicts(device), {'LowLevelConv2d': 'slower', 'Load': 'same'}, 'kernels')


@test
def steps_that_queues_repeat_count_where_no_host_has_any(_folder):
    """Without the host's annotations, launches and operators: each stream says for itself when a
    step begins and ends. Without launches alone the steps are those of the host."""

    def made(name, factor, seed, host=False):
        events, rng = [], random.Random(seed)
        for step in range(4):
            for tid, kernel, at, takes in (
                (7, 'gemm', 0, 100 * factor),
                (20, 'ncclDevKernel_AllReduce', 250, 40),
            ):
                start, takes = 1000 * step + at, takes * rng.uniform(0.99, 1.01)
                note = (
                    ('user_annotation', 9, 1000 * step, 900)
                    if host
                    else ('gpu_user_annotation', 0, start, takes)
                )
                if not host or tid == 7:
                    events.append(
                        dict(
                            zip(('cat', 'pid', 'ts', 'dur'), note),
                            ph='X',
                            name=f'ProfilerStep#{step}',
                            tid=tid,
                        )
                    )
                events.append(
                    {
                        'ph': 'X',
                        'cat': 'kernel',
                        'name': kernel,
                        'pid': 0,
                        'tid': tid,
                        'ts': start,
                        'dur': takes,
                        'args': {'device': 0, 'stream': tid},
                    }
                )
        return write(name, json.dumps({'traceEvents': events}))

    for host, step in ((False, 290), (True, 900)):
        device, _ = compare(
            '--fail-over', '5%', made('a.json', 1, 1, host), made('b.json', 1.5, 2, host), status=6
        )
        check_same(
            (device['base']['by'], device['base']['steps'], device['base']['outside_ps']),
            ('start', 4, 0),
            'steps',
        )
        check_same(
            (verdicts(device)['gemm'], round(device['step']['base_ps'] / 1e6, -1)),
            ('slower', step),
            f'host={host}',
        )


@test
def calls_say_of_what_they_are(_folder):
    """Of three steps one has a call more: a mean of a step is no whole number. A recording's calls
    are its own."""
    softmax = sum(call[0] == 'softmax' for call in MODEL)
    for annotated, of_steps, calls in (
        (True, True, [softmax, softmax + 1 / 3]),
        (False, False, [3 * softmax, 3 * softmax + 1]),
    ):
        more = Trace(MODEL, steps=2, seed=2, annotated=annotated)
        more.step(2, MODEL + [call for call in MODEL if call[0] == 'softmax'][:1])
        base, new = trace('a.json', steps=3, annotated=annotated), more.save('b.json')
        device, _ = compare(base, new)
        check_same(device['of_steps'], of_steps, 'of steps')
        found = next(k['calls'] for k in device['kernels'] if k['name'] == 'softmax')
        check(all(abs(a - b) < 1e-9 for a, b in zip(found, calls)), (found, calls))
        head = next(line for line in diff(base, new).expect(0).out.splitlines() if 'share' in line)
        check_same('calls a step' in head, of_steps, head)


@test
def recordings_without_steps_are_one_step(_folder):
    base = trace('a.json', annotated=False)
    device, _ = compare(
        '--fail-over',
        '5%',
        base,
        trace('b.json', changed({'gemm': times(1.5)}), annotated=False, seed=2),
        status=6,
    )
    check_same(
        (device['base']['by'], device['base']['steps'], told(device)),
        ('recording', 1, {'gemm': 'slower'}),
        'by launch',
    )
    alone = trace('a.json', annotated=False, linked=False)
    device, _ = compare(
        '--fail-over', '5%', alone, trace('b.json', annotated=False, linked=False, steps=7, seed=2)
    )
    check_same(
        (device['means_of_calls'], set(told(device).values())),
        (True, {'inconclusive'}),
        'unequal counts',
    )
    check_same(device['step']['verdict'], 'inconclusive', 'a longer recording is not slower')
    device, _ = compare(
        '--fail-over', '5%', alone, trace('b.json', annotated=False, linked=False, steps=60, seed=2)
    )
    check_same(device['step']['verdict'], 'inconclusive', 'nor is a much longer one')
    slow = trace(
        'b.json', changed({'norm': times(1.5)}), annotated=False, linked=False, steps=7, seed=2
    )
    check_same(verdicts(compare(alone, slow)[0])['norm'], 'slower', 'unequal counts, slower')


@test
def the_longer_recording_is_not_slower(_folder):
    """Without steps, sums say how long was recorded, unless it is the programs that differ."""

    def made(calls=None, steps=10, **how):
        return trace(f'{steps}{len(calls or [])}.json', calls, annotated=False, steps=steps, **how)

    base, part = made(), Trace(MODEL, annotated=False, steps=9, seed=2)
    part.step(9, MODEL[:2])  # ends within a step
    for other in (
        made(steps=5, seed=2),
        made(steps=9, seed=2),
        made(steps=30, seed=2),
        part.save('part.json'),
    ):
        for one, two in ((base, other), (other, base)):
            device, _ = compare('--fail-over', '5%', one, two)
            check_same(
                (device['means_of_calls'], device['step']['verdict']),
                (True, 'inconclusive'),
                'other length',
            )
            check(
                'slower' not in told(device).values() and 'faster' not in told(device).values(),
                told(device),
            )
            diff(one, two).expect(0, out='Recordings of other length: means of a call are compared')
    slow = made(changed({'norm': times(1.5)}), steps=5, seed=2)
    check_same(verdicts(compare(base, slow)[0])['norm'], 'slower', 'a call is')
    # half of a step is short calls, and the recording ends there: no mean of all work may be that
    # of another mix
    halves = [
        (f'{k}{i}', f'aten::{k}{i}', t)
        for k, t in (('short', 5), ('long', 50))
        for _ in range(50)
        for i in range(3)
    ]
    part = Trace(halves, annotated=False, steps=1, seed=2)
    part.step(1, halves[: len(halves) // 2])
    base, part = made(halves, steps=4), part.save('part.json')
    for one, two in ((base, part), (part, base)):
        device, _ = compare('--fail-over', '5%', one, two)
        check_same(
            (device['means_of_calls'], abs(device['work']['delta']) < 0.01),
            (True, True),
            device['work'],
        )


@test
def three_operators_say_that_a_recording_is_longer(_folder):
    """Of two operators it is unknown whether the program calls them more often."""
    for operators in (2, 3):
        calls = [(f'k{i}', f'aten::op{i}', 20 + i) for _ in range(6) for i in range(operators)]
        base, longer = (
            trace(f'{steps}.json', calls, annotated=False, steps=steps, seed=steps)
            for steps in (10, 20)
        )
        check_same(compare(base, longer)[0]['means_of_calls'], operators == 3, f'{operators}')


@test
def a_program_that_calls_more_is_slower_without_steps(_folder):
    """One operator is called twice as often, half of them are, others are new or gone: no longer
    recordings."""

    def more(*kernels):
        return [call for call in MODEL for _ in range(2 if call[0] in kernels else 1)]

    base = trace('a.json', annotated=False)
    for kernels in (('softmax',), ('softmax', 'norm')):
        device, _ = compare(
            '--fail-over',
            '5%',
            base,
            trace('b.json', more(*kernels), annotated=False, seed=2),
            status=6,
        )
        check_same(
            (device['means_of_calls'], told(device)),
            (False, dict.fromkeys(kernels, 'slower')),
            kernels,
        )
        check_same(
            {k['why'] for k in device['kernels'] if k['name'] in kernels}, {'calls'}, kernels
        )
    added = MODEL + [(f'new{i}', f'aten::new{i}', 40) for i in range(4)]
    device, _ = compare(
        '--fail-over', '5%', base, trace('b.json', added, annotated=False, seed=2), status=6
    )
    check_same(
        (device['means_of_calls'], set(told(device).values()), device['work']['verdict']),
        (False, {'added'}, 'slower'),
        'added',
    )
    gone = trace(
        'b.json', [call for call in MODEL if call[0] in ('gemm', 'norm')], annotated=False, seed=2
    )
    device, _ = compare(base, gone)
    check_same(
        (device['means_of_calls'], told(device)),
        (False, {'relu': 'removed', 'softmax': 'removed'}),
        'gone',
    )


@test
def steps_are_not_compared_with_a_recording(_folder):
    """One of the programs did not announce its steps: a step of the one is no longer in the
    other."""
    base, whole = trace('a.json'), trace('b.json', annotated=False, seed=2)
    for one, other in ((base, whole), (whole, base)):
        device, _ = compare('--fail-over', '5%', one, other)
        check_same(
            (device['means_of_calls'], device['step']['verdict']), (True, 'inconclusive'), 'unlike'
        )
        check(
            'slower' not in told(device).values() and 'faster' not in told(device).values(),
            told(device),
        )
        diff(one, other).expect(
            0, out='One profile has steps, the other has none: means of a call are compared'
        )
    slow = trace('b.json', changed({'norm': times(1.5)}), annotated=False, seed=2)
    check_same(verdicts(compare(base, slow)[0])['norm'], 'slower', 'a call is')


@test
def a_launch_after_its_kernel_still_counts(_folder):
    """Clocks of host and device differ."""
    late = Trace(MODEL)
    for event in late.events:
        if event.get('cat') == 'kernel':
            event['ts'] -= 30
    device, _ = compare(trace('a.json'), late.save('b.json'))
    check_same((device['new']['unlinked_ps'], told(device)), (0, {}), 'skewed')


@test
def a_selection_of_steps_shows_them_whole(_folder):
    """Rows of a step that run in the next one are its rows all the same; by name, rows are left
    out."""
    base, new = trace('a.json', steps=6), trace('b.json', steps=6, seed=2)
    whole, _ = compare('--by', 'steps', base, new)
    device, _ = compare('--by', 'steps', '--step', '2..4', base, new)
    check_same(
        (device['base']['steps'], device['base_steps']), (3, whole['base_steps'][2:5]), 'steps'
    )
    one, _ = compare('--step', '3', base, base)
    check_same([kernel['calls'] for kernel in one['kernels']], [[6, 6]] * 4, 'all rows of the step')
    device, _ = compare('--name', 'gemm', base, new)
    check_same((device['base']['steps'], verdicts(device)), (6, {'gemm': 'same'}), 'by name')


# -- Several runs
# ------------------------------------------------------------------------------------


@test
def several_runs_are_the_samples(_folder):
    base = [trace(f'a{i}.json', seed=i) for i in range(3)]
    new = [trace(f'b{i}.json', changed({'relu': times(1.2)}), seed=10 + i) for i in range(3)]
    device, found = compare('--fail-over', '5%', *base, '--against', *new, status=6)
    check_same(
        (device['base']['runs'], device['new']['runs'], told(device)),
        (3, 3, {'relu': 'slower'}),
        'runs',
    )
    check_same(found['base'], ['a0.json', 'a1.json', 'a2.json'], 'names')
    device, _ = compare(*base, '--against', base[0])
    check_same((device['new']['runs'], told(device)), (1, {}), 'three against one')


@test
def what_differs_between_runs_alone_is_noise(_folder):
    """Within each run a kernel hardly varies, but from run to run it does."""
    base = [
        trace(f'a{i}.json', changed({'gemm': times(f)}), seed=i)
        for i, f in enumerate((1, 1.1, 0.9))
    ]
    new = [
        trace(f'b{i}.json', changed({'gemm': times(f)}), seed=9 + i)
        for i, f in enumerate((1.08, 0.95, 1.1))
    ]
    device, _ = compare(*base, '--against', *new)
    check_same(verdicts(device)['gemm'], 'inconclusive', 'several runs')
    check_same(verdicts(compare(base[0], new[0])[0])['gemm'], 'slower', 'one run a side')


# -- Lists
# ---------------------------------------------------------------------------------------------


@test
def by_changes_the_list_and_no_exit(_folder):
    base, new = trace('a.json'), trace('b.json', changed({'gemm': times(1.2)}), seed=2)
    for by in ('kernels', 'ops', 'modules', 'steps'):
        diff('--by', by, '--fail-over', '5%', base, new).expect(6)
        diff('--by', by, '--fail-over', '50%', base, new).expect(0)
    device, _ = compare('--by', 'ops', base, new)
    check_same(
        {line['name']: line['verdict'] for line in device['ops']},
        {
            'aten::mm': 'slower',
            'aten::relu': 'same',
            'aten::softmax': 'same',
            'aten::native_layer_norm': 'same',
        },
        'operators',
    )


@test
def modules_are_those_around_the_launch(_folder):
    def modular(name, factor, seed):
        made = Trace(changed({'gemm': times(factor)}), seed=seed)
        launches = [e for e in made.events if e.get('cat') == 'cpu_op']
        for event in launches:
            inner = 'Attention_0' if event['name'] in ('aten::mm', 'aten::softmax') else 'MLP_0'
            made.span('python_function', 'nn.Module: Block_0', event['ts'] - 0.5, event['ts'] + 4.5)
            made.span(
                'python_function', f'nn.Module: {inner}', event['ts'] - 0.25, event['ts'] + 4.25
            )
            made.span(
                'python_function',
                'torch/nn/functional.py(1): f',
                event['ts'] - 0.1,
                event['ts'] + 4.1,
            )
        return made.save(name)

    device, _ = compare('--by', 'modules', modular('a.json', 1, 1), modular('b.json', 1.2, 2))
    check_same(
        {line['name']: line['verdict'] for line in device['modules']},
        {
            'nn.Module: Block_0/nn.Module: Attention_0': 'slower',
            'nn.Module: Block_0/nn.Module: MLP_0': 'same',
        },
        'modules',
    )


@test
def top_leaves_out_what_is_said(_folder):
    path = trace('a.json')
    device, _ = compare('--top', '1', path, path)
    check_same((len(device['kernels']), device['left_out']), (1, 3), 'lines')
    diff('--top', '1', path, path).expect(0, out='1 of 4 lines are shown (--top 0 shows all)')


@test
def names_are_no_markup_in_markdown(_folder):
    names = {
        'a\\|b': 'a\\\\\\|b |',
        '<b>&amp;': '&lt;b>&amp;amp; |',
        '*x*`y`[z]': '\\*x\\*\\`y\\`\\[z\\] |',
    }
    path = trace('a.json', [(name, 'aten::x', 30) for name in names])
    out = diff('--format', 'markdown', path, path).expect(0).out
    for cell in names.values():
        check(cell in out, f'no {cell} in\n{out}')


# -- Hosts, damage, outputs
# -----------------------------------------------------------------------------


def profile(name, **durations):
    """One track of a host; each operator's spans lie one behind the other."""
    rows, at = [], 0
    for operator, values in durations.items():
        for value in values:
            rows.append(f'span t {operator} {at} {value}')
            at += value + 10
    return write(name, HEAD + ''.join(row + '\n' for row in rows))


@test
def without_devices_hosts_are_compared(_folder):
    base = profile('a', load=[1000000] * 9, parse=[4000000] * 9)
    new = profile('b', load=[2000000] * 9, parse=[4000000] * 9)
    device, found = compare('--fail-over', '5%', base, new, status=6)
    check_same((found['of'], told(device)), ('host', {'load': 'slower'}), 'hosts')


@test
def few_calls_that_vary_much_are_not_told(_folder):
    base = profile('a', load=[1000000, 3000000, 800000, 2100000, 900000], parse=[4000000] * 9)
    new = profile('b', load=[2900000, 1100000, 2500000, 900000, 3100000], parse=[4000000] * 9)
    device, _ = compare('--fail-over', '5%', base, new)
    check_same(told(device), {'load': 'inconclusive'}, 'five calls')


@test
def one_step_is_no_surer_than_its_work(_folder):
    """30 % of noise on each call: both recordings are of the same program, one 18 % longer."""
    base, new = (
        trace(name, steps=1, noise=0.3, seed=seed) for name, seed in (('a.json', 7), ('b.json', 4))
    )
    device, _ = compare('--fail-over', '5%', base, new)
    check(device['step']['verdict'] in ('same', 'inconclusive'), device['step'])


@test
def children_are_not_summed_with_parents(_folder):
    rows = ''.join(f'span t outer {100 * i} 90\nspan t inner {100 * i + 10} 50\n' for i in range(6))
    path = write('a', HEAD + rows)
    device, _ = compare(path, path)
    check_same(
        {k['name']: k['base_ps'] for k in device['kernels']},
        {'outer': 6 * 40, 'inner': 6 * 50},
        'self time',
    )


@test
def what_compares_nothing_decides_nothing(_folder):
    """A gate that was given a profile without work must not pass."""
    empty, some = write('a', HEAD), profile('b', x=[10] * 9)
    for options in ((), ('--fail-over', '5%'), ('--strict',)):
        for base, new in ((empty, empty), (empty, some), (some, empty)):
            diff(*options, base, new).expect(6 if options else 0, out='Nothing to compare: no *')
    diff(empty, some).expect(0, out='Not compared: *, only in the new profile')
    diff(some, empty).expect(0, out='Nothing to compare: no spans in one of the profiles')
    diff(TPU, some).expect(0, out='Nothing to compare: no work of a device in one of the profiles')


@test
def a_limit_above_one_says_its_percent(_folder):
    """5 meant as 5 % would be 500 %, and let everything pass."""
    path = profile('a', x=[10] * 9)
    for limit in ('5', '1.5', '1e9'):
        diff('--fail-over', limit, path, path).expect(
            1, err='*--fail-over ' + limit + ': expected a share, *write its %*'
        )
    for limit in ('1', '0.05', '150%', '5%', '0'):
        diff('--fail-over', limit, path, path).expect(0)


@test
def losses_are_said(_folder):
    rows = ''.join(f'span t x {20 * i} 10\n' for i in range(9))
    whole, lossy = write('a', HEAD + rows), write('b', HEAD + rows + 'gap t 500 9\n')
    damaged = write('c', HEAD + rows + 'bad\n')
    diff('--fail-over', '5%', whole, lossy).expect(0, out='Events are missing: 1 gaps*')
    diff('--strict', whole, lossy).expect(6)
    diff('--fail-over', '5%', whole, damaged).expect(2)
    diff('-k', whole, damaged).expect(3)


@test
def batches_and_threads_change_nothing(_folder):
    path = trace('a.json', steps=20)
    for pair in ((TPU, TPU), (path, trace('b.json', seed=2))):
        one = diff('--format', 'json', *pair).expect(0).out
        for env, jobs in (({'NPROF_BATCH_ROWS': '1'}, '1'), ({'NPROF_BATCH_ROWS': '7'}, '4')):
            check_same(diff('-j', jobs, '--format', 'json', *pair, env=env).out, one, 'output')


@test
def more_steps_than_are_kept_one_by_one(_folder):
    calls = [('k', 'aten::k', 10), ('l', 'aten::l', 20)]
    base, new = trace('a.json', calls, steps=600), trace(
        'b.json', [('k', 'aten::k', 10.6), calls[1]], steps=300, seed=2
    )
    device, _ = compare('--fail-over', '5%', base, new, status=6)
    check_same(
        (device['base']['steps'], device['new']['steps'], told(device)),
        (600, 300, {'k': 'slower'}),
        'steps',
    )


@test
def wrong_use(_folder):
    diff(TPU).expect(1, err='*expected two inputs, BASE and NEW; there is 1*')
    diff(TPU, TPU, TPU).expect(
        1, err='*there are 3 (for several runs a side: BASE... --against NEW...)*'
    )
    diff('--against', TPU).expect(1, err='*--against: expected runs of the base before it*')
    diff(TPU, '--against').expect(1, err='*--against: expected*')
    diff('--fail-over', 'x', TPU, TPU).expect(1, err='*--fail-over x: expected a share*')
    diff('--fail-over', '-1', TPU, TPU).expect(1)
    diff('--format', 'xml', TPU, TPU).expect(1, err='*expected text, markdown or json*')
    diff('--by', 'layer', TPU, TPU).expect(
        1, err='*--by layer: expected kernels, ops, modules or steps*'
    )
    diff(TPU, 'no-such-file').expect(2, out='')
    for top in ('-5', '-1', 'x', '', '1.5', '2000000000'):
        diff('--top', top, TPU, TPU).expect(
            1, out='', err=f'*--top {top}: expected 0 (all) or more*'
        )


@test
def output_goes_where_that_of_any_sink_goes(_folder):
    out = diff(TPU, TPU).expect(0).out
    os.mkdir('folder')
    write('old', 'old')
    os.symlink('old', 'link')
    diff('-o', 'folder', TPU, TPU).expect(0, out='', err='')
    diff('-o', 'link', TPU, TPU).expect(0, out='', err='')
    for path in ('folder/diff.txt', 'old'):
        with open(path, encoding='utf-8') as file:
            check_same(file.read(), out, path)
    check(os.path.islink('link'), 'the link was replaced')


@test
def the_ending_of_a_name_says_the_format(_folder):
    for name, format in (
        ('a.json', 'json'),
        ('a.MD', 'markdown'),
        ('a.txt', 'text'),
        ('a.log', 'text'),
    ):
        out = diff('--format', format, TPU, TPU).expect(0).out
        diff('-o', name, TPU, TPU).expect(0, out='', err='')
        with open(name, encoding='utf-8') as file:
            check_same(file.read(), out, name)
    diff('-o', 'a.html', TPU, TPU).expect(
        1, out='', err='*-o a.html: no .html is written here: let the name end in .txt, *'
    )
    check(not os.path.exists('a.html'), 'a page was begun')
    diff('--format', 'text', '-o', 'b.json', TPU, TPU).expect(0, err='')
    with open('b.json', encoding='utf-8') as file:
        check_same(file.read(), diff(TPU, TPU).expect(0).out, 'an option counts before a name')


@test
def a_pipe_is_written_in_place(_folder):
    os.mkfifo('pipe')
    process = start('gate', '-o', 'pipe', TPU, 'inputs.rows > 0')
    with open('pipe', encoding='utf-8') as pipe:
        check('1 met' in pipe.read(), 'what came through the pipe')
    finish(process).expect(0)
    check(stat.S_ISFIFO(os.stat('pipe').st_mode), 'the pipe was replaced')


if __name__ == '__main__':
    main()
