# SPDX-License-Identifier: Apache-2.0
"""vendors.py - advice on the first screen has the words of the program that recorded the profile
and of whose devices it is: nobody is told of another vendor's product, or to switch on what was
on."""

import glob
import json
import os

import xspace
from harness import add_test, check, check_same, main, read, run, test, write
from samples import samples_for

DATA = os.environ.get('NPROF_TEST_DATA', '')
OF_NVIDIA = ('CUDA graph', 'NCCL')
OF_TORCH = ('torch.compile', 'DataLoader', 'ProfilerActivity', 'non_blocking', '=True')
OF_XLA = ('command buffers', 'jit or batch', 'host_tracer_level', 'jax.')
GPUS = ('CUDA graph', 'HIP graph')


def screen(path):
    text = run('report', '-q', path).expect(0).out
    return text[text.index('\nSummary') :].partition('\n\n')[0]


def check_words(path, has=(), lacks=()):
    text = screen(path)
    for word in has:
        check(word in text, f'{path}: no "{word}" in\n{text}')
    for word in lacks:
        check(word not in text, f'{path}: "{word}" in\n{text}')


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


def kineto(device=None, runtime='cuda', **properties):
    """The GPU waits for its host, then for a copy."""
    events = []
    for n in range(6):
        at, link = 1000 * n, {'correlation': n + 1}
        events += [
            span('aten::mm', 'cpu_op', at, 8),
            span(f'{runtime}LaunchKernel', f'{runtime}_runtime', at + 600, 2, **link),
            span('gemm', 'kernel', at + 610, 20, 7, 0, device=0, stream=7, **link),
            span(
                'Memcpy HtoD (Pageable -> Device)',
                'gpu_memcpy',
                at + 630,
                300,
                7,
                0,
                device=0,
                stream=7,
                **link,
            ),
        ]
    devices = [{'id': 0, 'name': device}] if device else []
    return write(
        'made.json', json.dumps({'deviceProperties': devices, **properties, 'traceEvents': events})
    )


@test
def pytorch_on_nvidia(_folder):
    check_words(
        kineto('NVIDIA H100 80GB HBM3'),
        ('CUDA graph, torch.compile', 'record with profile_memory=True'),
        OF_XLA + ('HIP',),
    )


@test
def pytorch_on_amd(_folder):
    """The device says so, or the version of its runtime; AMD has named GPUs in four ways."""
    for device in ('AMD Instinct MI300X', 'AMD Radeon Graphics', 'Radeon RX 7900', 'gfx942'):
        check_words(kineto(device, 'hip'), ('HIP graph, torch.compile',), OF_NVIDIA + OF_XLA)
    check_words(
        kineto(runtime='hip', hip_runtime_version=60443483),
        ('HIP graph, torch.compile',),
        OF_NVIDIA + OF_XLA,
    )


@test
def rocm_in_a_merged_file(_folder):
    """PyTorch calls HIP cuda_runtime, and what merges files drops their heads: the calls say it."""
    text = read(kineto(runtime='hip')).replace(b'hip_runtime', b'cuda_runtime')
    merged = write('merged.json', json.dumps({'traceEvents': json.loads(text)['traceEvents']}))
    check_words(merged, ('HIP graph, torch.compile',), OF_NVIDIA + OF_XLA)


@test
def options_that_were_on(_folder):
    """They are not advised: nothing was allocated, no module called, no shape known."""
    for on in (1, True):
        path = kineto('NVIDIA H100 80GB HBM3', profile_memory=on, with_stack=on, record_shapes=on)
        check_words(path, lacks=('=True',))
        for table in ('memory', 'modules'):
            out = run('report', '--only', table, path).expect(0, out=f'{table}: unknown: no *').out
            check('=True' not in out, out)
    path = kineto('NVIDIA H100 80GB HBM3', profile_memory=0, with_stack=False)
    check_words(path, ('record with profile_memory=True', 'record with record_shapes=True'))
    run('report', '--only', 'modules', path).expect(0, out='*; record with with_stack=True')


def rpd():
    """It names threads of the host by AMD's runtime, and all else by nobody."""
    events = [
        {'ph': 'M', 'name': 'process_name', 'pid': '2', 'args': {'name': 'GPU2'}},
        {'ph': 'M', 'name': 'thread_name', 'pid': '9', 'tid': '9', 'args': {'name': 'Hip 9'}},
        {
            'ph': 'X',
            'name': 'hipDeviceSynchronize',
            'pid': '9',
            'tid': '9',
            'ts': '5',
            'dur': '2',
            'args': {'desc': ''},
        },
        {
            'ph': 'X',
            'name': 'gemm',
            'pid': '2',
            'tid': '0',
            'ts': '10',
            'dur': '10',
            'args': {'desc': ''},
        },
        {
            'ph': 'X',
            'name': 'gemm',
            'pid': '2',
            'tid': '0',
            'ts': '900',
            'dur': '10',
            'args': {'desc': ''},
        },
    ]
    return write('rpd.json', json.dumps({'traceEvents': events}))


@test
def rpd_of_amd(_folder):
    check_words(rpd(), lacks=OF_NVIDIA + OF_TORCH + OF_XLA)


def xla(device):
    plane, host = xspace.Plane(2, device), xspace.Plane(3, '/host:CPU')
    for n in range(12):
        host.add('python', 'cuLaunchKernel', 1000 * n + 600, 2, correlation_id=n + 1)
        plane.add('Stream #7(Compute)', 'gemm', 1000 * n + 610, 300, correlation_id=n + 1)
    return write('made.xplane.pb', plane.data() + host.data())


@test
def xla_on_a_gpu(_folder):
    """The same of the trace JSON that nprof writes of it."""
    path = xla('/device:GPU:0')
    check_words(path, ('command buffers',), OF_TORCH + GPUS)
    run('run', '-s', 'chrome', '-o', 'written.json', path).expect(0)
    check_words('written.json', ('command buffers',), OF_TORCH + GPUS)


@test
def rocm_s_own_files(_folder):
    """They are of AMD, also where no row names a device."""
    for path in samples_for('rocpd'):
        check_words(path, ('HIP graph',), OF_NVIDIA)


@test
def ascend(_folder):
    check_words(samples_for('ascend-json')[0], ('NPU graph (torch_npu',), OF_NVIDIA + GPUS)


@test
def no_gpu(_folder):
    for decoder in ('xplane', 'ntff', 'furiosa'):
        check_words(samples_for(decoder)[0], lacks=OF_NVIDIA + OF_TORCH + GPUS)


def check_gate(path):
    """A gate advises PyTorch's option where the first screen does, and nowhere else."""
    text = screen(path)
    said = run('gate', '-q', path, 'mfu > 99%').expect(6).out
    check_same('record_shapes=True' in said, 'record_shapes=True' in text, f'{path}: {said}{text}')


@test
def gates_advise_what_the_screen_does(_folder):
    check(
        'record_shapes=True'
        in run('gate', kineto('NVIDIA H100 80GB HBM3'), 'mfu > 1%').expect(6).out,
        'PyTorch',
    )
    for properties in (
        {},
        {'record_shapes': 0},
        {'record_shapes': 1},
        {'record_shapes': True},
        {'record_shapes': 'true'},
    ):
        check_gate(kineto('NVIDIA H100 80GB HBM3', **properties))
    check_gate(kineto('AMD Instinct MI300X', 'hip'))
    check_gate(rpd())
    path = xla('/device:GPU:0')
    check_gate(path)
    run('run', '-s', 'chrome', '-o', 'written.json', path).expect(0)
    check_gate('written.json')
    check_gate(samples_for('furiosa')[0])


def real(path, has, lacks):
    def body(_folder):
        check_words(path, has, lacks)

    return body


REAL = {
    'json/hta_amd*': (('WARM-UP',), OF_NVIDIA + GPUS),
    'json/*_mi210_*': (('HIP graph',), OF_NVIDIA),
    'json/hta_critical*': (('WARM-UP',), ('HIP', 'CUDA graph')),
    'xplane/gpu_mi300*': (('command buffers',), OF_NVIDIA + OF_TORCH),
    'xplane/tpu_v6e*': ((), OF_NVIDIA + OF_TORCH + GPUS),
}
for pattern, words in REAL.items() if DATA else ():
    for file in glob.glob(os.path.join(DATA, pattern)):
        add_test(f'real {os.path.basename(file)}', real(file, *words))
main()
