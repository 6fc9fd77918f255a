# SPDX-License-Identifier: Apache-2.0
"""shapes.py - operators by shape: of XSpace files, real ones too, against an independent reading of
the text and the protos of HLO in them, to the picosecond; and of PyTorch."""

import glob
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict

import xspace
from harness import Skip, add_test, check, check_same, main, rows_of, run, test, write
from xspace import message, number

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
# pylint: disable=wrong-import-position
import operators
import wire
import xplane
from exact import scaled

DATA = os.environ.get('NPROF_TEST_DATA', '')
TYPES = {
    1: 'pred',
    4: 's32',
    5: 's64',
    8: 'u32',
    9: 'u64',
    10: 'f16',
    11: 'f32',
    12: 'f64',
    16: 'bf16',
    17: 'token',
    6: 'u8',
    7: 'u16',
    2: 's8',
    3: 's16',
}


def table(path, *more):
    done = run(
        'run', '-q', '-a', 'operators', '-s', 'csv:table=operator_shapes', '-o', '-', *more, path
    ).expect(0)
    return rows_of(done.out)


def of(rows, *columns):
    return [tuple(row[c] for c in columns) for row in rows]


def tpu(*texts):
    """Each instruction runs for 1 us, then for 2 us, and so on, one after the other."""
    events, at = b'', 0
    for i in range(len(texts)):
        events += xspace.event(i + 1, at, (i + 1) * 1000000)
        at += (i + 2) * 1000000
    metas = [
        message(
            4,
            number(1, i + 1)
            + message(
                2,
                number(1, i + 1) + message(2, text) + message(4, text.split(' = ')[0].lstrip('%')),
            ),
        )
        for i, text in enumerate(texts)
    ]
    return xspace.plane(2, '/device:TPU:0', xspace.line(3, 'XLA Ops', events), *metas)


@test
def the_text_of_an_instruction_states_its_shapes(_folder):
    for text, expected in (
        (
            '%fusion.1 = bf16[8,128]{1,0:T(8,128)(2,1)} fusion(bf16[8,4]{1,0} %a, f32[] %b), kind=kLoop',
            ('fusion', 'bf16[8,4], f32[]', 'bf16[8,128]', ''),
        ),
        (
            '%copy-start.2 = (f32[5]{0}, f32[5]{0:S(5)}, u32[]{:S(2)}) copy-start(f32[5]{0:S(5)} %p.1)',
            ('copy-start', 'f32[5]', '(f32[5], f32[5], u32[])', ''),
        ),
        (
            '%while.3 = (s32[], /*index=1*/f32[<=8]{0}) while((s32[], /*index=1*/f32[<=8]{0}) %tuple.4), condition=%c, body=%b',
            ('while', '(s32[], f32[<=8])', '(s32[], f32[<=8])', ''),
        ),
        ('%iota.9 = s32[4]{0} iota(), iota_dimension=0', ('iota', '()', 's32[4]', '')),
        (
            '%cudnn-conv.1.0 = f32[2]{0} custom-call(f32[2]{0} a.1), custom_call_target="x(y"',
            ('cudnn-conv', 'f32[2]', 'f32[2]', ''),
        ),
        (
            '%fusion.3.clone.1 = f32[2]{0} fusion(%a, %b), kind=kLoop',
            ('fusion.clone', '', 'f32[2]', 'the text of the instruction does not state it'),
        ),
        (
            '%fusion.4 = f32[2]{0} fusion(f32[2]{0} %a, f32[7',
            ('fusion', '', 'f32[2]', 'the text of the instruction does not state it'),
        ),
    ):
        rows = table(write('one.xplane.pb', tpu(text)))
        check_same(of(rows, 'operator', 'arguments', 'result', 'reason'), [expected], text)


@test
def instructions_that_look_alike_are_one_row(_folder):
    dot = 'f32[4,8]{%s} dot(f32[4,2]{1,0} %%a, f32[2,8]{1,0} %%b)'
    path = write(
        'alike.xplane.pb',
        tpu(
            '%dot.1 = ' + dot % '1,0',
            '%dot.2 = ' + dot % '0,1',
            '%dot.3 = f32[4] dot(f32[4,2] %a, f32[2] %b)',
        ),
    )
    check_same(
        of(table(path), 'arguments', 'result', 'calls', 'instructions', 'self_ns', 'mean_ns'),
        [
            ('f32[4,2], f32[2,8]', 'f32[4,8]', '2', '2', '3000', '1500'),
            ('f32[4,2], f32[2]', 'f32[4]', '1', '1', '3000', '3000'),
        ],
        'rows',
    )
    page = run('report', '--only', 'ops', '--by', 'shape', path).expect(0).out
    check('Operators by shape' in page and 'f32[4,2], f32[2,8]' in page, page)
    out = run('report', '--only', 'ops', '--by', 'shape', '--format', 'csv', path).expect(0).out
    check_same(of(rows_of(out), 'calls'), [('2',), ('1',)], out)
    check(
        'Operators by shape' not in run('report', path).expect(0).out, 'only when it is asked for'
    )
    check('Operators by shape' in run('report', '--by', 'shape', path).expect(0).out, 'on the page')


def shape(kind, *dimensions):
    return (
        number(2, kind)
        + message(3, b''.join(xspace.varint(d) for d in dimensions))
        + message(5, message(1, b'\1\0'))
    )


def instruction(ident, name, opcode, its_shape, *operands):
    packed = b''.join(xspace.varint(o) for o in operands)
    return message(
        2,
        message(1, name)
        + message(2, opcode)
        + (message(3, its_shape) if its_shape else b'')
        + number(35, ident)
        + (message(36, packed) if packed else b''),
    )


def gpu(program, ops):
    """A GPU that ran these instructions of the program, 1 us each, and a kernel of none."""
    module = (
        message(1, 'jit_f')
        + message(2, 'main')
        + message(3, message(1, 'main') + program + number(5, 1))
        + number(6, 1)
    )
    meta = xspace.plane(
        1,
        '/host:metadata',
        message(
            4,
            number(1, 7)
            + message(
                2,
                number(1, 7)
                + message(2, 'jit_f(7)')
                + message(5, number(1, 1) + message(6, message(1, module))),
            ),
        ),
        xspace.named(5, 1, 'Hlo Proto'),
    )
    events = b''.join(
        xspace.event(
            1,
            i * 2000000,
            1000000,
            message(4, number(1, 1) + message(5, op)) + xspace.int_stat(2, 7),
        )
        for i, op in enumerate(ops)
    ) + xspace.event(2, 90000000, 4000000)
    return meta + xspace.plane(
        2,
        '/device:GPU:0',
        xspace.line(1, 'Stream #1(Kernel)', events),
        xspace.named(4, 1, 'gemm'),
        xspace.named(4, 2, 'copyBuffer'),
        xspace.named(5, 1, 'hlo_op'),
        xspace.named(5, 2, 'program_id'),
    )


@test
def the_proto_of_the_program_states_the_shapes_of_a_gpus(_folder):
    program = (
        instruction(4294967297, 'p.1', 'parameter', shape(16, 4096, 16))
        + instruction(4294967298, 'p.2', 'parameter', shape(11))
        + instruction(9, 'fusion.12', 'fusion', shape(11, 300), 4294967297, 4294967298)
        + instruction(10, 'half.1', 'fusion', shape(11, 3), 4294967297, 77)
        + instruction(11, 'iota.2', 'iota', shape(4, 5))
    )
    rows = table(
        write(
            'gpu.xplane.pb',
            gpu(program, ('fusion.12', 'cluster::fusion.12', 'half.1', 'iota.2', 'gone.1')),
        )
    )
    missing = 'the file has no HLO of the program, or the program no such instruction'
    check_same(
        of(rows, 'operator', 'arguments', 'result', 'reason', 'calls', 'instructions', 'self_ns'),
        [
            ('copyBuffer', '', '', 'of no compiled program', '1', '', '4000'),
            ('fusion', 'bf16[4096,16], f32[]', 'f32[300]', '', '2', '1', '2000'),
            ('gone', '', '', missing, '1', '1', '1000'),
            ('half', '', 'f32[3]', missing, '1', '1', '1000'),
            ('iota', '()', 's32[5]', '', '1', '1', '1000'),
        ],
        'rows',
    )


def command_buffers(rng):
    """A program of two command buffers, the kernels that replays of them run, and what is known of
    each: (kernel, its instruction or None, us).  Two instructions of the last are called alike as
    kernels; a copy of a library has no instruction, one of another computation is none of a buffer.
    """
    stems = ['loop_add_fusion', 'gemm_fusion_dot', 'wrapped_transpose', 'input-reduce']
    names = [f'{rng.choice(stems)}.{n}' for n in rng.sample(range(1, 90), 8)]
    parts = {
        'command_buffer': names[:4],
        'command_buffer.1': [*names[4:], 'twice.7', 'twice_7'],
        'main': ['outside.3', f'{names[0]}.clone'],
    }
    ident, program = 10, b''
    for number_, (computation, members) in enumerate(parts.items(), 1):
        body = message(1, computation) + number(5, number_)
        for name in members:
            body += instruction(ident, name, 'fusion', shape(11, ident))
            ident += 1
        program += message(3, body)
    wanted = [
        (re.sub(r'\W', '_', name), name, rng.randrange(1, 9))
        for name in rng.choices([*names, 'outside.3', 'twice.7'], k=40)
    ]
    wanted = [
        (kernel, None if name in ('outside.3', 'twice.7') else name, us)
        for kernel, name, us in wanted
    ]
    return program, [*wanted, ('nvjet_sm90_library', None, 5)]


@test
def kernels_of_command_buffers_are_their_instructions(_folder):
    """Replays say command_buffer alone; a kernel is named as the one instruction of a command
    buffer, and what none or several are named like stays the buffer's."""
    for seed in range(4):
        program, ran = command_buffers(random.Random(seed))
        module = message(1, 'jit_f') + message(2, 'main') + program + number(6, 3)
        meta = xspace.plane(
            1,
            '/host:metadata',
            message(
                4,
                number(1, 7)
                + message(
                    2,
                    number(1, 7)
                    + message(2, 'jit_f(7)')
                    + message(5, number(1, 1) + message(6, message(1, module))),
                ),
            ),
            xspace.named(5, 1, 'Hlo Proto'),
        )
        kernels = sorted({kernel for kernel, _, _ in ran})
        at, events, sums = 0, b'', Counter()
        for kernel, name, us in ran:
            events += xspace.event(
                kernels.index(kernel) + 1,
                at * 1000000,
                us * 1000000,
                message(4, number(1, 1) + message(5, 'command_buffer_2')) + xspace.int_stat(2, 7),
            )
            at += us + 1
            sums[name or 'command_buffer_2'] += us * 1000
        path = write(
            'buffers.xplane.pb',
            meta
            + xspace.plane(
                2,
                '/device:GPU:0',
                xspace.line(1, 'Stream #1(Kernel)', events),
                *(xspace.named(4, i, kernel) for i, kernel in enumerate(kernels, 1)),
                xspace.named(5, 1, 'hlo_op'),
                xspace.named(5, 2, 'program_id'),
            ),
        )
        out = run('run', '-q', '-a', 'operators', '-s', 'csv:table=operators', '-o', '-', path)
        found = {
            row['operator']: int(row['self_ns'])
            for row in rows_of(out.expect(0).out)
            if row['level'] == 'hlo'
        }
        check_same(found, dict(sums), f'{seed}')


@test
def without_shapes_the_page_says_why(_folder):
    bare = xspace.plane(
        2,
        '/device:GPU:0',
        xspace.line(1, 'Stream #1(Kernel)', xspace.event(1, 0, 1000000)),
        xspace.named(4, 1, 'gemm'),
    )
    page = (
        run('report', '--only', 'ops', '--by', 'shape', write('bare.xplane.pb', bare)).expect(0).out
    )
    check('unknown: no shapes of operators in the file' in page, page)


@test
def operators_of_pytorch_have_those_of_their_arguments(_folder):
    def event(name, cat, ts, dur, **args):
        return {
            'ph': 'X',
            'name': name,
            'cat': cat,
            'pid': 1,
            'tid': 1,
            'ts': ts,
            'dur': dur,
            'args': args,
        }

    def kernel(ts, dur, correlation):
        return {
            **event('gemm', 'kernel', ts, dur, correlation=correlation, device=0, stream=7),
            'pid': 0,
            'tid': 7,
        }

    def launch(ts, correlation):
        return event('cudaLaunchKernel', 'cuda_runtime', ts, 1, correlation=correlation)

    product = {'Input Dims': [[3, 4], [4, 5]], 'Input type': ['float', 'float']}
    added = {
        'Input Dims': [[5], [3, 4], [4, 5], [], [], []],
        'Input type': ['float', 'float', 'float', 'Scalar', 'Scalar', 'c10::Half'],
        'Concrete Inputs': ['', '', '', '1', '0.5', ''],
    }
    events = [
        event('aten::mm', 'cpu_op', 10, 10, **product),
        launch(12, 1),
        event('aten::mm', 'cpu_op', 30, 10, **product),
        launch(32, 2),
        event('aten::add', 'cpu_op', 50, 10),
        launch(52, 3),
        event('aten::addmm', 'cpu_op', 70, 10, **added),
        launch(72, 4),
        kernel(140, 3, 4),
        kernel(100, 5, 1),
        kernel(110, 6, 2),
        kernel(120, 2, 3),
        kernel(130, 1, 9),
    ]
    rows = table(write('torch.json', json.dumps({'traceEvents': events})))
    check_same(
        of(rows, 'operator', 'arguments', 'calls', 'self_ns', 'instructions'),
        [
            ('aten::mm', 'f32[3,4], f32[4,5]', '2', '11000', ''),
            ('aten::addmm', 'f32[5], f32[3,4], f32[4,5], f16[]; 1, 0.5', '1', '3000', ''),
            ('aten::add', '', '1', '2000', ''),
            ('(launch not recorded)', '', '1', '1000', ''),
        ],
        'rows',
    )
    check(all(row['reason'] for row in rows), rows)


# -- Real files
# -------------------------------------------------------------------------------------


def plain(text):
    """Without layouts and comments."""
    return re.sub(r'/\*.*?\*/', '', re.sub(r'\{[^{}]*\}', '', text))


SHAPE = r'(?:\([^()]*\)|[a-z]\w*\[[^\]]*\])'


SHORT = {'half': 'f16', 'float': 'f32', 'int32': 'i32', 'int64': 'i64', 'bool': 'bool'}


def annotated(text):
    """The arguments that TensorFlow annotates, (half[4,16];half[]), in the words of the table."""
    items = [item.partition('[') for item in text[1:-1].split(';')] if text else []
    return (
        ', '.join(SHORT.get(kind, kind) + bracket + dims for kind, bracket, dims in items) or None
    )


def of_text(text):
    found = re.match(rf'\S+ = ({SHAPE}) [\w-]+\(((?:{SHAPE} ?%?[\w.-]*(?:, )?)*)\)', plain(text))
    return found and (', '.join(re.findall(SHAPE, found[2])) or '()', found[1])


def numbers(data, span):
    at, end = span
    while at < end:
        value, at = wire.varint(data, at, end)
        yield value


def proto_shape(data, span):
    found = dict(wire.fields(data, *span))
    if found.get(2) == 13:
        return (
            '('
            + ', '.join(proto_shape(data, item) for n, item in wire.fields(data, *span) if n == 4)
            + ')'
        )
    dimensions = (
        ','.join(str(wire.signed(d)) for d in numbers(data, found[3])) if 3 in found else ''
    )
    return f'{TYPES[found[2]]}[{dimensions}]'


def programs(path):
    """(program id, instruction) -> (arguments, result)"""
    with open(path, 'rb') as file:
        data = file.read()
    known = {}
    for _, plane in ((n, s) for n, s in wire.fields(data) if n == 1):
        if (
            next((wire.text(data, s) for n, s in wire.fields(data, *plane) if n == 2), '')
            != '/host:metadata'
        ):
            continue
        for n, item in wire.fields(data, *plane):
            if n == 4:
                one_program(data, xplane.entry(data, item)[1], known)
    return known


def one_program(data, span, known):
    name = next(wire.text(data, s) for n, s in wire.fields(data, *span) if n == 2)
    ident = re.search(r'\((\d+)\)$', name)
    key = next((s for n, s in wire.fields(data, *span) if n == 1), 0)
    for stat in (s for n, s in wire.fields(data, *span) if n == 5):
        proto = next((s for n, s in wire.fields(data, *stat) if n == 6), None)
        module = proto and next((s for n, s in wire.fields(data, *proto) if n == 1), None)
        for n, computation in wire.fields(data, *module) if module else ():
            if n == 3:
                one_computation(data, computation, int(ident[1]) if ident else key, known)


def one_computation(data, span, program, known):
    found = {}
    for n, item in wire.fields(data, *span):
        if n == 2:
            own = dict(wire.fields(data, *item))
            found[own.get(35, 0)] = (
                wire.text(data, own[1]),
                proto_shape(data, own[3]),
                list(numbers(data, own[36])) if 36 in own else [],
            )
    for name, result, operands in found.values():
        known.setdefault(
            (program, name), (', '.join(found[o][1] for o in operands) or '()', result)
        )


def expected(path):
    """(device, operator, arguments, result) -> [calls, total, self]; None: not known."""
    known, sums = programs(path), defaultdict(lambda: [0, 0, 0])
    for device in xplane.read(path).devices.values():
        for rows in operators.tracks_of(device.work):
            spans = [operators.device_clock(row) for row in rows]
            for row, (first, end), own in zip(rows, spans, operators.own_times(rows, spans)):
                args = row.args
                name = args.get('hlo_op')
                if (
                    args.get('deduplicated_name')
                    or name
                    or 'hlo_text' in args
                    or 'program_id' in args
                ):
                    own_name = (name or row.name).split('::')[-1]
                    shown = re.sub(r'\.\d+(?=\.|$)', '', args.get('deduplicated_name') or own_name)
                    shapes = (
                        of_text(args['hlo_text'])
                        if 'hlo_text' in args
                        else known.get((args.get('program_id', 0) % 2**64, own_name))
                    )
                else:
                    shown, shapes = row.name, (annotated(args.get('shape')), None)
                key = device.label, shown, *(shapes or (None, None))
                for i, add in enumerate((1, end - first, own)):
                    sums[key][i] += add
    return {key: tuple(sum_) for key, sum_ in sums.items()}


def real(path):
    def body(_folder):
        found = Counter()
        for row in table(path):
            key = row['device'], row['operator'], row['arguments'] or None, row['result'] or None
            for column in ('calls', 'total_ns', 'self_ns'):
                found[key, column] += scaled(row[column], 3 if column != 'calls' else 0)
        wanted = {
            (key, column): value
            for key, values in expected(path).items()
            for column, value in zip(('calls', 'total_ns', 'self_ns'), values)
        }
        stated = {
            key[0] for key, _ in wanted if key[2] or key[3]
        }  # devices of whose work the file states shapes
        check_same(
            {k: v for k, v in found.items() if v},
            {k: v for k, v in wanted.items() if v and k[0][0] in stated},
            path,
        )

    return body


for number_, file_ in enumerate(
    sorted(glob.glob(os.path.join(DATA, 'xplane', '*.xplane.pb'))) if DATA else []
):
    if 'bad_' not in file_:
        add_test('real-' + os.path.basename(file_).split('.')[0], real(file_))

main()
