#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fixtures.py - profiles for the tests of the page that the generators of tests/tools do not make.

  fixtures.py neuron FILE     an XSpace as torch-neuronx writes it: timeline of operators, tables, the host
  fixtures.py simple FILE     the like of a traced model, where each operator of the framework is one of HLO
  fixtures.py mark-step FILE  the same model run with mark_step, which has input operators of its own
  fixtures.py reduce FILE     the first, with a collective operation behind its work
  fixtures.py beside FILE     the first, where one of the operators that are fused in fused_16 executes while that transfers,
                              and whose overview has the DMA engines busy throughout
  fixtures.py copy FILE       an XSpace of a TPU that waits for a copy within a program
  fixtures.py stated FILE     an XSpace of a TPU whose operators state flops and bytes, flops of 0, one of both, or none
  fixtures.py stacks FILE     one whose operators have stacks of lines of several files
  fixtures.py kernels FILE    an XSpace of a GPU: kernels that state their operator of HLO, but one, and not all one of the framework
"""

import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'cli'))
import xspace  # noqa: E402

FOLDER = (
    '/host:Neuron-runtime:profile//c1a992f0ea378f7a_1/model10001/node5/plugins/neuron/1682643254/'
)
START = 1682643254000000000
DOT, ADD = 'NN[model]/Linear[layer1]/aten__addmm_dot', 'NN[model]/Linear[layer1]/aten__addmm_add'
RELU, TANH = 'NN[model]/ReLU[nl1]/Tensor_1/aten__relu_maximum', 'NN[model]/Tanh[nl2]/aten__tanh'
INPUT = 'NN[model]/input'
# process: (name of the HLO operator, of the framework's, start ns, duration ns, fused)
OPERATORS = {
    'Process Control': [
        ('start', INPUT, 40, 60, None),
        ('wait', DOT, 5600, 180, None),
        ('end', TANH, 17600, 90, None),
    ],
    'Process Execution': [
        ('dot.3', DOT, 200, 2400, None),
        ('fused_3', RELU, 2700, 900, [INPUT, RELU]),
        ('fused_19', TANH, 11700, 5824, ['NN[model]/Linear[layer2]/aten__addmm_add', TANH]),
    ],
    'Process Data Transfer': [
        ('copy.1', INPUT, 100, 300, None),
        ('fused_18', INPUT, 6010, 70, [INPUT, DOT]),
        ('fused_16', ADD, 6100, 11452, [ADD, INPUT, DOT]),
        ('copy.2', ADD, 6110, 440, None),
    ],
}
OVERVIEW = [
    ('Neuron Runtime setup', 'setup', 0, 100),
    ('Compute engines busy', 'busy', 200, 3400),
    ('Compute engines busy', 'busy', 11700, 5824),
    ('DMA engines busy', 'busy', 100, 300),
    ('DMA engines busy', 'busy', 6010, 11542),
]


def stat(metadata, text):
    return xspace.message(4, xspace.number(1, metadata) + xspace.message(5, text))


def plane_stat(metadata, value):
    kind = xspace.message(5, value) if isinstance(value, str) else xspace.number(3, value)
    return xspace.message(6, xspace.number(1, metadata) + kind)


def span(pid, tid, name, start, duration, **args):
    more = {'args': args} if args else {}
    return {
        'ph': 'X',
        'name': name,
        'cat': 'op',
        'pid': pid,
        'tid': tid,
        'ts': start / 1000,
        'dur': duration / 1000,
        **more,
    }


def label(pid, name, tid=None):
    what = {'name': 'process_name'} if tid is None else {'name': 'thread_name', 'tid': tid}
    return {'ph': 'M', 'pid': pid, 'args': {'name': name}, **what}


def section(pid, process, operators):
    """Lanes from the coarse to the fine: class of the model, its parts, operators of the framework,
    of HLO."""
    yield label(pid, process)
    for tid, name in enumerate(('NN[model]', 'Components', 'Framework Ops', 'HLO Ops'), 1):
        yield label(pid, name, tid)
    first, last = min(op[2] for op in operators), max(op[2] + op[3] for op in operators)
    yield span(pid, 1, 'NN[model]', first, last - first)
    for name, path, start, duration, fused in operators:
        yield span(
            pid,
            4,
            name,
            start,
            duration,
            **({'fused': '{' + ', '.join(fused) + '}'} if fused else {}),
        )
        if name == 'copy.2':
            continue  # within fused_16
        yield span(pid, 3, path, start, duration)
        yield span(pid, 2, path.split('/')[1], start, duration)


def overview(pid, rows):
    yield label(pid, 'Process Overview')
    for tid, name in enumerate(dict.fromkeys(thread for thread, *_ in rows), 1):
        yield label(pid, name, tid)
        yield from (
            span(pid, tid, what, start, duration)
            for thread, what, start, duration in rows
            if thread == name
        )


def timeline(of, rows=OVERVIEW):
    events = list(overview(1, rows))
    for pid, (process, operators) in enumerate(of.items(), 2):
        events += section(pid, process, operators)
    records = b''.join(xspace.event(1, 0, 0, stat(3, json.dumps(one))) for one in events)
    return xspace.plane(
        1,
        FOLDER + 'neuron_op_timeline.json',
        xspace.line(1, 'trace', records),
        xspace.named(4, 1, 'record'),
        xspace.named(5, 1, 'displayTimeUnit'),
        xspace.named(5, 2, 'neuronStartTimestampNs'),
        xspace.named(5, 3, 'event'),
        plane_stat(1, 'ns'),
        plane_stat(2, START),
    )


def table(ident, file, of):
    """One record an operator: the model is 1:1, so both tables say the same."""
    records = [
        {
            'Op Name': of(name, path),
            'Occurrences': 1,
            'Time (ns)': duration,
            'Neuron Device': 0,
            'NeuronCore': 1,
        }
        for operators in OPERATORS.values()
        for name, path, _, duration, _ in operators
    ]
    return xspace.plane(
        ident,
        FOLDER + file,
        *[xspace.named(5, 10 + i, f'op_{i}') for i in range(len(records))],
        *[plane_stat(10 + i, json.dumps(one)) for i, one in enumerate(records)],
    )


def host():
    events = xspace.event(1, 0, 20000000) + xspace.event(2, 1000000, 5000000)
    return xspace.plane(
        9,
        '/host:CPU',
        xspace.line(1, 'python', events, START),
        xspace.named(4, 1, 'SyncTensorsGraph.53'),
        xspace.named(4, 2, 'aten::addmm'),
    )


SIMPLE = [
    (f'op.{i}', path, 3000 * i, 500 * i, None)
    for i, path in enumerate((INPUT, DOT, ADD, RELU, TANH), 1)
]


def simple():
    return timeline({'Process Execution': SIMPLE})


def mark_step():
    return timeline(
        {
            'Process Execution': [
                ('SyncTensorsGraph.53', 'SyncTensorsGraph.53/input', 100, 1900, None),
                *SIMPLE,
            ]
        }
    )


def neuron(of=None, rows=OVERVIEW):
    return (
        timeline(of or OPERATORS, rows)
        + table(2, 'neuron_framework_op.json', lambda _name, path: path)
        + table(3, 'neuron_hlo_op.json', lambda name, _: name)
        + host()
    )


def reduce():
    end = ('all-reduce.7', 'NN[model]/AllReduce[grads]/aten__all_reduce', 17800, 400, None)
    return neuron({**OPERATORS, 'Process Execution': [*OPERATORS['Process Execution'], end]})


def beside():
    dot = ('dot.4', DOT, 7000, 1000, None)
    of = {**OPERATORS, 'Process Execution': [*OPERATORS['Process Execution'], dot]}
    return neuron(of, [*OVERVIEW[:3], ('DMA engines busy', 'busy', 100, 17500)])


def copy():
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Modules', 'jit_step', 0, 100)
    for name, start, duration, category in (
        ('fusion.1', 0, 30, 'loop fusion'),
        ('copy-start.1', 30, 1, 'copy-start'),
        ('copy-done.1', 79, 1, 'copy-done'),
        ('fusion.2', 80, 20, 'loop fusion'),
    ):
        core.add('XLA Ops', name, start, duration, category)
    core.add('Async XLA Ops', 'copy.1', 31, 48, 'copy-start')
    return core.data()


STATED = {
    'fusion.1': {'flops': 4_000_000_000, 'bytes_accessed': 20_000_000},
    'copy.1': {'flops': 0, 'bytes_accessed': 30_000_000},
    'all-reduce.1': {'bytes_accessed': 10_000_000},
    'fusion.2': {'flops': 7_000_000_000},
    'fusion.3': {},
}


def stated():
    core = xspace.Plane(2, '/device:TPU:0')
    core.fact('peak_teraflops_per_second', 197)
    core.fact('peak_hbm_bw_gigabytes_per_second', 819)
    for at, (name, stats) in enumerate(STATED.items()):
        core.add('XLA Ops', name, 10 + 200 * at, 100 + at, name.split('.')[0], **stats)
    return core.data()


def stacks():
    """Operators whose stacks name lines of several files, one of which nobody has."""
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Ops', 'while.1', 0, 20, source='attention.py:31')
    core.add(
        'XLA Ops',
        'fusion.2',
        5,
        10,
        source='attention.py:12',
        source_stack='mlp.py:15:4\nlost.py:9:1\nattention.py:12:2',
    )
    core.add('XLA Ops', 'copy.3', 20, 3)
    core.add('XLA Ops', 'fusion.4', 30, 4, source='mlp.py:8', source_stack='mlp.py:8:1')
    core.add('XLA Ops', 'fusion.5', 40, 4, source='mlp.py:2', source_stack='attention.py:30:1')
    return core.data()
    return core.data()


def kernels():
    device = xspace.Plane(2, '/device:GPU:0')
    for start, op, program, path in (
        (0, 'custom-call.1', 19, 'jit(a)/dot'),
        (10, 'custom-call.1', 73, 'jit(b)/dot'),
        (20, 'fusion.2', 73, None),
    ):
        device.add(
            'Stream #7(Kernel)',
            'loop_fusion.kd',
            start,
            5,
            hlo_op=op,
            program_id=program,
            **({'tf_op': path} if path else {}),
        )
    device.add('Stream #7(Kernel)', 'copy.kd', 30, 2)
    return device.data()


if __name__ == '__main__':
    _, kind, path = sys.argv
    with open(path, 'wb') as file:
        file.write(
            {
                'neuron': neuron,
                'simple': simple,
                'mark-step': mark_step,
                'reduce': reduce,
                'beside': beside,
                'copy': copy,
                'stated': stated,
                'stacks': stacks,
                'kernels': kernels,
            }[kind]()
        )
