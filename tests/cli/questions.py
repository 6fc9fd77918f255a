# SPDX-License-Identifier: Apache-2.0
"""questions.py - what people ask of a profile, each answered by the first screen or by one option
that it names: of two traces whose answers differ, and of one that cannot tell, which says why and
what would. The figures that are expected follow from how the traces are made; real traces are asked
as well where NPROF_TEST_DATA is set."""

import html
import itertools
import json
import math
import os
import re

from harness import Skip, add_test, check, check_same, main, rows_of, run, sample, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
STEP = 1000  # us
A100 = {'name': 'NVIDIA A100-SXM4-80GB', 'peak': 312e12}
ELEMENTS, RANKS = 1_000_000, 4  # of an all-reduce of floats


class Made:
    """Three steps of 1 ms; times are us from the start of a step, which waits for the device at its
    end."""

    def __init__(self, steps=3, **file):
        self.events, self.correlation, self.steps, self.file = [], 0, steps, file
        for n in range(steps):
            self.span(f'ProfilerStep#{n}', 'user_annotation', STEP * n, STEP)

    def span(self, name, cat, start, dur, tid=1, pid=100, **args):
        self.events.append(
            {
                'ph': 'X',
                'name': name,
                'cat': cat,
                'ts': start,
                'dur': dur,
                'pid': pid,
                'tid': tid,
                'args': args,
            }
        )

    def each(self, what, *arguments, **how):
        for n in range(self.steps):
            what(self, STEP * n, *arguments, **how)
        return self

    def save(self, name='made.json'):
        properties = [
            {'id': 0, 'name': self.file.get('device', A100['name']), **self.file.get('has', {})}
        ]
        return write(name, json.dumps({'deviceProperties': properties, 'traceEvents': self.events}))


def kernel(made, at, name, start, end, stream=7, launch=None, **args):
    """launch: when its call begins; None: it is not in the file."""
    link = {}
    if launch is not None:
        made.correlation += 1
        link = {'correlation': made.correlation}
        made.span('cudaLaunchKernel', 'cuda_runtime', at + launch, 2, **link)
    made.span(
        name, 'kernel', at + start, end - start, stream, 0, device=0, stream=stream, **link, **args
    )


def host(made, at, name, start, end, cat='cpu_op', **args):
    made.span(name, cat, at + start, end - start, **args)


def wait(made, at, start=14, end=998):
    made.span('cudaDeviceSynchronize', 'cuda_runtime', at + start, end - start)


def computing(**file):
    """The device computes 980 us of each step."""
    made = Made(**file).each(host, 'aten::mm', 5, 13)
    return made.each(kernel, 'gemm', 15, 995, launch=10).each(wait)


def without_launches():
    return Made().each(kernel, 'gemm', 15, 995)


def waiting_for(name, spans=True):
    """The host does that until it launches 280 us of work."""
    made = Made().each(kernel, 'gemm', 710, 990, launch=705)
    return made.each(host, name, 5, 690).each(host, 'aten::mm', 700, 720) if spans else made


def slow_launches():
    return (
        Made().each(host, 'aten::mm', 2, 8).each(kernel, 'gemm', 600, 990, launch=5).each(wait, 8)
    )


# -- Questions
# ---------------------------------------------------------------------------------------------------


def page(path, *options):
    return run('report', *options, path).expect(0).out


def first_screen(path):
    text = page(path)
    end = text.find('\n\n', text.find('Summary'))
    return text[:end]


def found(text, pattern):
    match = re.search(pattern, text, re.MULTILINE)
    check(match, f'no `{pattern}` in\n{text}')
    return match


def lacks(text, pattern):
    check(not re.search(pattern, text, re.MULTILINE), f'`{pattern}` in\n{text}')


def question(name, option, *cases):
    """Each case: a maker, then patterns that lines of the answer are like; those in `not_` are in
    none."""

    def body(_folder):
        for i, (make, *patterns) in enumerate(cases):
            path = make().save(f'{i}.json')
            text = page(path, '--only', option)
            for pattern in patterns:
                (lacks if pattern.startswith('!') else found)(text, pattern.lstrip('!'))

    add_test(name, body)


# -- Communication
# -------------------------------------------------------------------------------------------------


def collective(start, end, computing_until, sizes=True, dtype='Float', elements=ELEMENTS):
    stated = (
        {
            'Collective name': 'allreduce',
            'In msg nelems': elements,
            'Out msg nelems': elements,
            'dtype': dtype,
            'Group size': RANKS,
        }
        if sizes
        else {}
    )
    made = Made().each(host, 'aten::mm', 5, 13).each(kernel, 'gemm', 15, computing_until, launch=6)
    return made.each(
        kernel, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', start, end, stream=20, launch=9, **stated
    ).each(wait)


question(
    'collectives one by one',
    'collectives',
    (lambda: collective(500, 900, 500), r'^ +1\.20 ms +1\.20 ms +3 .* 4 +15\.0 GB/s .*allreduce'),
    (lambda: collective(100, 300, 995), r'^ +600 us +0 ps +3 .* 4 +30\.0 GB/s .*allreduce'),
    (
        lambda: collective(100, 300, 995, sizes=False),
        r'^ +600 us .*allreduce',
        r'unknown in every row: busbw_p50, efficiency$',
    ),
)


# -- Kernels, idle time
# ------------------------------------------------------------------------------------------


def two_kernels(until, launch=True):
    made = Made().each(kernel, 'gemm', 15, until, launch=5 if launch else None)
    made.each(kernel, 'softmax_warp_forward', until, 995, launch=8 if launch else None)
    return made.each(wait) if launch else made


def gain(us, name, factor):
    return rf'^ +{us:.0f} us +\d+ us .* {factor}  kernel .*{name}$'


question(
    'which kernel first and what gain',
    'what_if',
    (lambda: two_kernels(615), gain(300, 'gemm', 2), gain(190, 'softmax_warp_forward', 2)),
    (lambda: two_kernels(215), gain(100, 'gemm', 2), gain(390, 'softmax_warp_forward', 2)),
)
question(
    'which kernel takes most',
    'kernels',
    (lambda: two_kernels(615), r'^ +1\.80 ms.* 61\.2 % .*gemm$'),
    (lambda: two_kernels(215), r'^ .* 79\.6 % .*softmax_warp_forward$'),
)


def idle_unlinked():
    return Made().each(kernel, 'gemm', 15, 200, launch=5).each(kernel, 'late', 800, 995)


question(
    'why is the GPU idle',
    'idle',
    (lambda: waiting_for('aten::copy_'), r' host +aten::copy_ +1 +685 us +95\.1 %$'),
    (slow_launches, r' launch +- +1 +595 us +97\.5 %$'),
    (idle_unlinked, r' unlinked +- +1 +600 us +'),
)


def without_host_of(name):
    """Names the option that says what the first screen cannot."""

    def body(_folder):
        path = without_launches().save()
        text = page(path, '--only', name)
        found(
            text,
            f'^{name}: unknown: no launches in the file; record with ProfilerActivity.CPU$',
        )

    return body


add_test('the gain of a kernel is unknown', without_host_of('what_if'))


def without_device(_folder):
    path = Made().each(host, 'aten::mm', 5, 13).save()
    for name in ('kernels', 'ops', 'idle'):
        text = page(path, '--only', name)
        if name != 'ops':  # those of the host are known
            found(
                text,
                'unknown: no device activity recorded; record with ProfilerActivity.CUDA$',
            )
        lacks(text, r'^ .*gemm')


add_test('which kernel takes most is unknown', without_device)


# -- Modules
# -------------------------------------------------------------------------------------------------------


def layers(until):
    """Attention until that, then an MLP."""
    made = Made().each(host, 'nn.Module: Block_0', 1, 14, cat='python_function')
    made.each(host, 'nn.Module: SelfAttention_0', 2, 8, cat='python_function')
    made.each(host, 'nn.Module: MLP_0', 8, 13, cat='python_function')
    made.each(kernel, 'flash_fwd', 15, until, launch=5)
    return made.each(kernel, 'gemm', until, 995, launch=10).each(wait)


question(
    'which module',
    'modules',
    (
        lambda: layers(750),
        r'Block_0/SelfAttention_0 +attention +3 .* 75\.0 %$',
        r'Block_0/MLP_0 +mlp .* 25\.0 %$',
    ),
    (
        lambda: layers(211),
        r'Block_0/SelfAttention_0 +attention .* 20\.0 %$',
        r'Block_0/MLP_0 +mlp .* 80\.0 %$',
    ),
    (
        computing,
        r'^modules: unknown: no nn\.Module spans in the file; record with with_stack=True$',
    ),
)
question(
    'attention or MLP',
    'modules',
    (lambda: layers(750), r' attention +2\.21 ms +3 +75\.0 %$', r' mlp +735 us +3 +25\.0 %$'),
    (lambda: layers(211), r' attention +588 us +3 +20\.0 %$', r' mlp +2\.35 ms +3 +80\.0 %$'),
    (computing, r'^modules: unknown: .*record with with_stack=True$'),
)


# -- Utilisation, memory
# -----------------------------------------------------------------------------------------


def product(m, device=A100['name'], shapes=True):
    args = (
        {'Input Dims': [[m, 4096], [4096, 4096]], 'Input type': ['c10::BFloat16'] * 2}
        if shapes
        else {}
    )
    made = Made(device=device).each(host, 'aten::mm', 5, 13, **args)
    return made.each(kernel, 'gemm', 15, 995, launch=10).each(wait)


def mfu(m, us):
    return 100 * 2 * m * 4096 * 4096 / (us * 1e-6) / A100['peak']


def allocations(before, sizes, addresses=True, freed=False, **file):
    """sizes: by operator, in MiB, held until the end, or freed there."""
    made, total = computing(**file), before << 20

    def change(i, at, bytes_):
        nonlocal total
        total += bytes_
        args = {
            'Bytes': bytes_,
            'Device Type': 1,
            'Device Id': 0,
            'Total Allocated': total,
            'Total Reserved': total,
            'Ev Idx': at,
            **({'Addr': 4096 * (i + 1)} if addresses else {}),
        }
        made.events.append(
            {
                'ph': 'i',
                'name': '[memory]',
                'cat': 'cpu_instant_event',
                's': 't',
                'ts': at,
                'pid': 100,
                'tid': 1,
                'args': args,
            }
        )

    for i, (operator, size) in enumerate(sizes.items()):
        made.span(operator, 'cpu_op', 20 + 10 * i, 5)
        change(i, 22 + 10 * i, size << 20)
    for i, size in enumerate(sizes.values() if freed else ()):
        change(i, 900 + i, -size << 20)
    return made


question(
    'holders of memory',
    'memory',
    (
        lambda: allocations(0, {'aten::empty': 300, 'aten::zeros': 100}),
        r'^ .* 1 +300 MiB +1 +aten::empty',
    ),
    (lambda: allocations(600, {'aten::zeros': 200}), r'^ .* 1 +600 MiB .*before the recording'),
)


# -- Pictures
# ----------------------------------------------------------------------------------------------------


def bars_of_a_step(_folder):
    """The page for a browser draws what the first screen says: of 1 ms the device computes 280 us
    and waits for the host."""
    path = waiting_for('aten::copy_').save()
    run('report', '-o', 'page.html', path).expect(0)
    with open('page.html', encoding='utf-8') as file:
        page = file.read()
    bars = {
        title.rsplit(' ', 2)[0]: float(width)
        for width, title in re.findall(
            r'<rect x="[\d.]+" width="([\d.]+)"[^>]*>\s*<title>([^<]*)</title>', page
        )
    }
    check_same(bars, {'compute': 280, 'idle: late launches': 715, 'idle: launch latency': 5}, page)
    check('GPU 0, 1.00 ms"' in page, 'the bar has no name')


add_test('bars of a step', bars_of_a_step)


def picture(*options):
    run('report', '-o', 'page.html', *options).expect(0)
    with open('page.html', encoding='utf-8') as file:
        return file.read()


def numbers_of(page, title):
    """The rows below a picture, as text."""
    section = page.split(f'<h2>{title}', 1)[1].split('</details>')[0].split('<tbody>')[-1]
    return [
        [html.unescape(re.sub('<.*?>', '', cell)) for cell in re.findall('<td.*?</td>', row, re.S)]
        for row in re.findall('<tr>.*?</tr>', section, re.S)
    ]


def roofline_of_a_product(_folder):
    """A point lies where its flops per byte and its flops per second say, on scales whose lines
    tell what they are."""
    page = picture(product(4096).save())
    flops, moved, seconds = 2 * 4096**3, 3 * 2 * 4096**2, 980e-6
    rows = numbers_of(page, 'Roofline')
    check_same(
        rows,
        [
            [
                'aten::mm',
                '2.94 ms',
                f'{flops / seconds / 1e12:.0f} TFLOP/s',
                f'{flops / moved:,.0f}',
                'compute',
            ]
        ],
        page,
    )
    marks = re.findall(r'<path d="M([\d.]+) [\d.]+V[^>]*/>\s*<text[^>]*>([\d,e.+-]+)<', page)
    (x0, first), (x1, second) = [
        (float(x), math.log10(float(text.replace(',', '')))) for x, text in (marks[0], marks[1])
    ]
    at = float(re.search('<circle cx="([\d.]+)"', page)[1])
    check(
        abs(at - (x0 + (x1 - x0) * (math.log10(flops / moved) - first) / (second - first))) < 0.2,
        (at, marks),
    )
    check('Roof: 312 TFLOP/s' in page and 'share/devices/nvidia.json' in page, page)
    check(
        '<p>Picture of the roofline: unknown: ' in picture(product(4096, shapes=False).save()),
        'no shapes',
    )


add_test('roofline of a product', roofline_of_a_product)


def numbers_below_a_picture_are_those_of_its_table(_folder):
    """Work of 0 and of 100 Tflop/s, of milliseconds and of less."""
    page = picture('-q', sample())
    mfu = [
        r
        for r in rows_of(
            run('run', '-q', '-a', 'mfu', '-s', 'csv:table=mfu', '-o', '-', sample()).expect(0).out
        )
        if r['device'] == '/device:TPU:1'
        and r['operator']
        and r['operator'][0] != '('
        and not r['step']
    ]
    rows = numbers_of(page, 'Roofline')
    check(len(rows) > 5, page)
    for (name, time, rate, *_), row in zip(rows, sorted(mfu, key=lambda r: -float(r['time_ns']))):
        check_same(name, row['operator'], 'name')
        for shown, exact in (
            (time, float(row['time_ns']) * 1e3),
            (rate, int(row['flops']) / float(row['time_ns']) * 1e9),
        ):
            number, unit = shown.split()
            scale = {
                'ps': 1,
                'ns': 1e3,
                'us': 1e6,
                'ms': 1e9,
                'TFLOP/s': 1e12,
                'GFLOP/s': 1e9,
                'MFLOP/s': 1e6,
                'FLOP/s': 1,
            }[unit]
            check(abs(float(number) * scale - exact) <= 0.0051 * exact, (shown, exact))


add_test('numbers below a picture', numbers_below_a_picture_are_those_of_its_table)


def names_of_points_that_lie_on_each_other(_folder):
    """Three operators of the sample have nearly the same flops a byte and a second: the names of all
    stand in the picture, once each, with the peak of the device, and cover no point and no other
    name."""
    page = picture(os.path.join(os.environ['NPROF_SAMPLES'], 'synthetic_tpu.xplane.pb'))
    size = re.search('class="roofline" width="(.*?)" height="(.*?)"', page)
    width, height = map(float, size.groups())
    points = [
        tuple(map(float, at))
        for at in re.findall('<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', page)
    ]
    check(all(abs(a - b) < 24 for a, b in zip(points[0], points[1])), points)
    names = re.findall(
        '<text class="caption" aria-hidden="true" x="([\d.]+)" y="([\d.]+)">(.*?)</text>', page
    )
    drawn = re.findall('<circle[^>]*><title>(.*?) of ', page)
    stands = sorted({*drawn, '197 TFLOP/s'})
    check_same(sorted(name for _, _, name in names), stands, 'each name, and the peak, once')
    # Letters are at least 5 wide, and 8 high above their line.
    boxes = [(float(x), float(y) - 8, float(x) + 5 * len(n), float(y)) for x, y, n in names]
    for box in boxes:
        check(box[0] > 0 and box[1] > 0 and box[2] < width and box[3] < height, box)
        for x, y, r in points:
            away = math.hypot(x - min(max(x, box[0]), box[2]), y - min(max(y, box[1]), box[3]))
            check(away >= r, f'{box} covers {x} {y}')
    for a, b in itertools.combinations(boxes, 2):
        check(a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], f'{a} covers {b}')


add_test('names of points that lie on each other', names_of_points_that_lie_on_each_other)


def bars_are_of_what_the_verdict_is_of(_folder):
    """Of devices with one step: that, and not the span of one without; as lines Steps of the file have
    it, 19.865 and 21.310 ms."""
    path = os.path.join(DATA, 'xplane', 'gpu_v100_tf23.xplane.pb')
    if not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    page = picture(path).split('<h2>What the step is made of', 1)[1].split('<h2>')[0]
    found = re.findall('<th scope="row">(.*?), (.*?)</th>', page)
    check_same(dict(found), {'/device:GPU:4': '19.9 ms', '/device:GPU:6': '21.3 ms'}, 'bars')


add_test('bars are of what the verdict is of', bars_are_of_what_the_verdict_is_of)


def bars_of_memory(_folder):
    path = allocations(600, {'aten::<b>': 150, 'aten::zeros': 50}).save()
    page = picture(path)
    check_same(
        [row[:1] + row[2:] for row in numbers_of(page, 'Memory at its peak')],
        [
            ['(before the recording)', '600 MiB'],
            ['aten::<b>', '150 MiB'],
            ['aten::zeros', '50.0 MiB'],
        ],
        page,
    )
    widths = re.findall(
        r'width="([\d.]+)" height="16"[^>]*>\s*<title>\(before|width="([\d.]+)" height="16"[^>]*><title>aten',
        page,
    )
    check_same([float(a or b) for a, b in widths], [750, 187.5, 62.5], page)
    legend = (
        page.split('<h2>Memory at its peak', 1)[1].split('<p class="legend">')[1].split('</p>')[0]
    )
    check_same(
        re.findall('<span>.*?</svg>(.*?)</span>', legend, re.S),
        ['(before the recording)', 'aten::&lt;b&gt;', 'aten::zeros'],
        'names of colours',
    )
    check('aten::<b>' not in page, 'text that is not escaped')
    check('Memory at its peak' not in picture('--only', 'gaps', path), 'nobody asked for it')
    check(
        'Memory at its peak' in picture('--only', 'memory', path),
        'who asks for the table has the picture',
    )
    check('<p>Picture of memory: unknown: ' in picture(computing().save()), 'no allocations')


add_test('bars of memory', bars_of_memory)


def bars_of_memory_that_was_freed_without_a_row(_folder):
    """What is held then is more than the peak, and the bar ends where it does."""
    made = allocations(0, {'aten::empty': 100, 'aten::zeros': 300})
    made.events[-1]['args'].update({'Total Allocated': 250 << 20, 'Total Reserved': 250 << 20})
    page = picture('--only', 'memory', made.save())
    check_same(
        [row[:1] + row[2:] for row in numbers_of(page, 'Memory at its peak')],
        [
            ['aten::zeros', '300 MiB'],
            ['aten::empty', '100 MiB'],
            ['(freed without a row)', '-150 MiB'],
        ],
        page,
    )
    check_same(
        [
            float(width)
            for width in re.findall(r'<rect x="[\d.]+" width="([\d.]+)" height="16"', page)
        ],
        [750, 250, 0],
        page,
    )


add_test('bars of memory that was freed without a row', bars_of_memory_that_was_freed_without_a_row)


def flame_of_threads(_folder):
    """Of 1 ms of a thread a step of 1 ms has all, and what runs in it its own time, below it."""
    made = Made(steps=1)
    made.span('outer', 'cpu_op', 100, 500)
    made.span('<in>', 'cpu_op', 200, 250)
    path = made.save()
    rows = numbers_of(picture('-a', 'flame', path), 'Flame graph')
    check_same(
        rows[-3:],
        [
            ['ProfilerStep#0', '2', '100.0 %', '1000000000'],
            ['outer', '3', '50.0 %', '500000000'],
            ['<in>', '4', '25.0 %', '250000000'],
        ],
        rows,
    )
    page = picture('--only', 'stacks', path)
    check('<in>' not in page and '<text x="3.00" y="80">&lt;in&gt;</text>' in page, page)
    check('<p>Flame graph: -a flame adds ' in picture(path), 'how to have it')


add_test('flame of threads', flame_of_threads)


# -- What changed
# ----------------------------------------------------------------------------------------------


def compared(a, b, *arguments):
    return run('diff', *arguments, a.save('a.json'), b.save('b.json'))


def what_changed(_folder):
    slower = compared(two_kernels(315), two_kernels(615), '--fail-over', '5%').expect(6).out
    found(slower, r' slower +gemm$')
    found(slower, r' faster +softmax_warp_forward$')
    found(compared(computing(), computing()).expect(0).out, 'same')


def one_step(until):
    made = Made(steps=1).each(kernel, 'gemm', 15, until, launch=5)
    return made.each(kernel, 'softmax_warp_forward', until, 995, launch=8).each(wait)


def what_changed_cannot_be_told(_folder):
    out = compared(one_step(500), one_step(520)).expect(0).out
    found(out, "can't be told|inconclusive")
    found(out, 'record')


add_test('what changed', what_changed)
add_test('what changed cannot be told of one step', what_changed_cannot_be_told)


# -- Real traces
# -------------------------------------------------------------------------------------------------

NCCL, RESNET = 'hta_nccl_parser_config_nccl_data.json.gz', 'tbplugin_resnet50_2021.pt.trace.json.gz'
QWEN = 'tracelens_tests_traces_h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz'


def asked_of(trace, option, *patterns):
    def body(_folder):
        path = os.path.join(DATA, 'json', trace)
        if not DATA or not os.path.exists(path):
            raise Skip('NPROF_TEST_DATA names no folder with real traces')
        text = page(path, '--only', option)
        for pattern in patterns:
            found(text, pattern)

    add_test(f'real: {option} of {trace[:24]}', body)


# These answers were read off once and are kept as they are; cli-answers and `screen` hold their
# figures against others.
asked_of(QWEN, 'modules', r' attention +15\.6 ms +561 +34\.1 %$', r' mlp +8\.04 ms +192 +17\.6 %$')
asked_of(NCCL, 'modules', r'^modules: unknown: .*with_stack=True')


main()
