# SPDX-License-Identifier: Apache-2.0
"""samples.py - which components this build has, and for each decoder small files that it reads,
made by the generators of tests/tools in the current folder.  What is done with them is up to the
tests that go over all components."""

import glob
import json
import os
import pickle
import subprocess
import sys

from harness import TIMEOUT, check, index_of, run, sample

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'tools')
sys.path.append(TOOLS)
SERVERS = {'influx'}  # sinks that need one, and are tested with it


def made_by(tool, *arguments):
    subprocess.run(
        [sys.executable, '-B', os.path.join(TOOLS, tool), *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=TIMEOUT,
    )


def of_furiosa():
    made_by('furiosa-make.py', 'make', '.', '1', '3')
    plan = {
        'title': 'Schedule',
        'instructions': [
            {
                'index': str(i),
                'tpe': 'Main',
                'contexts': ['MainContext'],
                'lifetime': {'begin': 9 * i, 'end': 9 * i + 7},
                'input_tensors': [i],
                'output_tensors': [],
                'description': f'--> a.rs:{i}:1\n\nctx',
                'util': {'total_util': 0.5},
            }
            for i in range(9)
        ],
        'tensors': [{'name': 'x', 'index': '0', 'lifetime': {'begin': 0, 'end': 9}, 'size': 8}],
    }
    with open('synthetic_schedule.json', 'w', encoding='utf-8') as file:
        json.dump(plan, file)
    return sorted(glob.glob('synthetic_*'))


def of_ntff():
    made_by('ntff_make.py', '.', '--count', '2')
    return sorted(glob.glob('*.ntff'))[:2]


def of_neff():
    made_by('neff-make.py', 'made')
    return [
        'made/synthetic_pkg1_tar.neff',
        'made/synthetic_pkg2_gz.neff',
        'made/synthetic_debug.neff',
    ]


def of_parquet():
    run('run', '-s', 'parquet', '-o', 'made', sample()).expect(0)
    return sorted(glob.glob('made/*.parquet'))[:2]


def of_perfetto():
    import perfetto_make  # of TOOLS

    for style, make in perfetto_make.STYLES.items():
        with open(f'made_{style}.pftrace', 'wb') as file:
            file.write(make(1).bytes())
    return sorted(glob.glob('made_*.pftrace'))


def of_ascend():
    import ascend_make  # of TOOLS; Python's sqlite3 is asked for only here

    ascend_make.write('ascend_pytorch_profiler_11.db', ascend_make.Job(1))
    return ['ascend_pytorch_profiler_11.db']


def of_ascend_json():
    import ascend_json_make  # of TOOLS

    with open('trace_view.json', 'w', encoding='utf-8') as file:
        file.write(ascend_json_make.Job(1).text())
    return ['trace_view.json']


def of_nsys():
    import nsys_make  # of TOOLS; Python's sqlite3 is asked for only here

    nsys_make.nsys('made.sqlite', '3.25.0', nsys_make.Made(1))
    return ['made.sqlite']


def of_rocpd():
    import nsys_make  # of TOOLS, as the next
    import rocm_make

    job = rocm_make.job(1, steps=1)
    rocm_make.rocpd('made_results.db', job, '4.0')
    nsys_make.rpd('made.rpd', 1, 20)
    return ['made_results.db', 'made.rpd']


def of_rocprofv3():
    import rocm_make  # of TOOLS

    rocm_make.tool_json('made_results.json', rocm_make.job(2, steps=1))
    return ['made_results.json']


def of_rocprofv3_csv():
    import rocm_make  # of TOOLS

    return rocm_make.csv_files('made_csv', rocm_make.job(3, processes=1, steps=1)[0])[:3]


def of_torch_memory():
    frames = [{'name': 'step', 'filename': '/home/me/train.py', 'line': 7}]
    block = {
        'address': 4096,
        'size': 512,
        'requested_size': 500,
        'state': 'active_allocated',
        'frames': frames,
    }
    segment = {
        'device': 0,
        'address': 4096,
        'total_size': 512,
        'stream': 0,
        'segment_type': 'small',
        'blocks': [block],
    }
    history = [
        {
            'action': action,
            'addr': 4096 + 512 * i,
            'size': size,
            'stream': 0,
            'time_us': 10**15 + 7 * i,
            'frames': frames,
        }
        for i in range(40)
        for action, size in (('alloc', 9), ('free_requested', 9), ('free_completed', 9))
    ]
    history.append(
        {
            'action': 'alloc',
            'addr': 4096,
            'size': 500,
            'stream': 0,
            'time_us': 10**15 + 900,
            'frames': frames,
        }
    )
    with open('made.pickle', 'wb') as file:
        pickle.dump({'segments': [segment], 'device_traces': [history]}, file, 4)
    return ['made.pickle']


def of_flight_recorder():
    import collective_make  # of TOOLS

    collective_make.Job(1, 'missing').write_dumps('made_dumps')
    collective_make.Job(1, 'missing').write_dumps('made_dumps', True)
    return ['made_dumps/nccl_trace_rank_0', 'made_dumps/rank_0.json']


def of_nccl_inspector():
    import collective_make  # of TOOLS

    collective_make.Job(1).write_logs('made_logs')
    collective_make.Job(1).write_logs('made_verbose', True)
    return sorted(glob.glob('made_*/*.log'))[:3]


def of_otlp():
    import serving_make  # of TOOLS

    names = []
    for server in serving_make.SERVERS:
        spans, _ = serving_make.spans_of(server, 1, 5)
        for name, text in (
            (f'{server}.jsonl', serving_make.lines(spans)),
            (f'{server}.json', serving_make.jaeger(spans)),
        ):
            with open(name, 'w', encoding='utf-8') as file:
                file.write(text)
            names.append(name)
    return names[1:5]


def of_pprof():
    import others_make  # of TOOLS

    for seed in range(3):
        with open(f'made_{seed}.pprof', 'wb') as file:
            file.write(others_make.Profile(seed).bytes())
    return sorted(glob.glob('made_*.pprof'))


def of_memory_timeline():
    import others_make  # of TOOLS

    with open('made.raw.json', 'w', encoding='utf-8') as file:
        json.dump(others_make.timeline(1, 40), file)
    return ['made.raw.json']


def of_trtexec():
    import layer_times_make  # of TOOLS

    for name, of in (('profile', 'trtexec_profile'), ('times', 'trtexec_times')):
        with open(f'trtexec_{name}.json', 'w', encoding='utf-8') as file:
            file.write(getattr(layer_times_make, of)(1)[0])
    return ['trtexec_profile.json', 'trtexec_times.json']


def of_openvino():
    import layer_times_make  # of TOOLS

    with open('openvino.csv', 'w', encoding='utf-8') as file:
        file.write(layer_times_make.openvino(1)[0])
    return ['openvino.csv']


def of_proton():
    import layer_times_make  # of TOOLS

    with open('made.hatchet', 'w', encoding='utf-8') as file:
        file.write(layer_times_make.proton(1)[0])
    return ['made.hatchet']


def of_chakra():
    import layer_times_make  # of TOOLS

    with open('linked.json', 'w', encoding='utf-8') as file:
        file.write(layer_times_make.linked(1)[0])
    with open('made.0.et', 'wb') as file:
        file.write(layer_times_make.chakra(1)[0])
    return ['linked.json', 'made.0.et']


def of_neuron_system():
    import neuron_system  # of TOOLS

    neuron_system.make('made', 1, 20)
    with open('metaneff', 'wb') as file:
        file.write(neuron_system.metaneff(3))
    return [
        'made/ntrace.pb',
        'made/cpu_util.pb',
        'made/host_mem.pb',
        'made/trace_info.pb',
        'metaneff',
    ]


MAKERS = {
    'xplane': lambda: [sample()],
    'chrome': lambda: [sample('node-workload.trace.json')],
    'furiosa': of_furiosa,
    'ntff': of_ntff,
    'neff': of_neff,
    'parquet': of_parquet,
    'neuron-system': of_neuron_system,
    'flight-recorder': of_flight_recorder,
    'nccl-inspector': of_nccl_inspector,
    'otlp': of_otlp,
    'pprof': of_pprof,
    'memory-timeline': of_memory_timeline,
    'trtexec': of_trtexec,
    'openvino': of_openvino,
    'proton': of_proton,
    'chakra': of_chakra,
    'ascend': of_ascend,
    'ascend-json': of_ascend_json,
    'nsys': of_nsys,
    'perfetto': of_perfetto,
    'rocpd': of_rocpd,
    'rocprofv3': of_rocprofv3,
    'rocprofv3-csv': of_rocprofv3_csv,
    'torch-memory': of_torch_memory,
    'store': lambda: [],  # no file, but a folder of $XDG_DATA_HOME: store.py has its tests
}


def samples_for(decoder):
    """The files, written into the current folder."""
    check(
        decoder in MAKERS, f'no sample for the decoder {decoder}: add one to tests/cli/samples.py'
    )
    return [os.path.abspath(path) for path in MAKERS[decoder]()]


def components(kind):
    """Names, as `nprof plugins` tells them, of what belongs to nprof itself."""
    told = json.loads(run('plugins', '--json').expect(0).out)['plugins']
    own = os.path.realpath(os.environ['NPROF_PLUGINS'])
    return sorted(
        p['name']
        for p in told
        if p['kind'] == kind and os.path.dirname(os.path.realpath(p['file'])) == own
    )


def sinks():
    return [name for name in components('sink') if name not in SERVERS]


def together():
    """Those that can write into one folder: reports of other tools' styles are named as text's."""
    return [name for name in sinks() if not name.startswith('report-')]


def analyzers():
    """Options for a run with all of them."""
    return [word for name in components('analyzer') for word in ('-a', name)]


def decoders_of(plugin_index):
    """The decoders that a NAME.plugin lists."""
    return [
        name
        for kind, _, name in (group.partition(' ') for group in index_of(plugin_index))
        if kind == 'decoder'
    ]
