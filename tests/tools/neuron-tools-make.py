# SPDX-License-Identifier: Apache-2.0
"""neuron-tools-make.py - synthetic outputs of the Neuron tools, after the shapes that the vendor's
guides show, and what a decoder must find in them (NAME.tsv: key, value).  All numbers come from the
seed.

  neuron-tools-make.py FOLDER [--seed N] [--instructions N]
"""

import argparse
import json
import os
import random
from decimal import Decimal

ENGINES = {
    'Tensor': ('PE', ['MATMUL', 'LDWEIGHTS']),
    'Vector': ('DVE', ['TENSOR_TENSOR']),
    'Scalar': ('ACT', ['ACTIVATE']),
    'GpSimd': ('POOL', ['IOTA']),
    'Sync': ('SP', ['DRAIN']),
}
BUCKET = 'n_47cf9972d42798d236caa68952d0d29a76d8bd66'


class Writer:
    """JSON with numbers in quotes here and there, as the tools write them."""

    def __init__(self, rand):
        self.rand = rand

    def number(self, value):
        return f'"{value}"' if self.rand.random() < 0.2 else str(value)

    def record(self, pairs):
        self.rand.shuffle(pairs)  # keys come in any order
        return '{' + ', '.join(f'{json.dumps(k)}: {v}' for k, v in pairs) + '}'


def write(folder, name, text, expected):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        file.write(text)
    with open(os.path.join(folder, name + '.tsv'), 'w', encoding='utf-8') as file:
        file.writelines(f'{key}\t{value}\n' for key, value in expected.items())


def instruction(w, engine, start, duration, i):
    opcode = w.rand.choice(ENGINES[engine][1])
    pairs = [
        ('timestamp', w.number(start)),
        ('duration', w.number(duration)),
        ('subgroup', json.dumps(engine)),
        ('label', json.dumps(engine + 'Matrix')),
        ('opcode', json.dumps(opcode)),
        ('hlo_name', json.dumps(f'%add.{i % 7} = add(%dot)')),
        ('layer', json.dumps(f'model/layer_{i % 5}')),
        ('evt_wait_time', w.number(i % 9)),
        ('hbm_read_bytes', w.number(i * 64)),
        ('operands', json.dumps(f'S[{i}] (Tensor)++ "x"')),
        ('nki_source_location', json.dumps('' if i % 3 else 'kernel.py:12')),
    ]
    return opcode, w.record(pairs)


def device_profile(rand, n):
    w = Writer(rand)
    expected = {'spans': 0, 'hbm_read': 0}
    instructions, base = [], 10261883214
    for engine, (key, _opcodes) in ENGINES.items():
        at, busy = base + rand.randrange(1000), Decimal(0)
        for i in range(n):
            duration = Decimal(rand.randrange(1, 90000)) / (1000 if i % 4 == 0 else 1)
            opcode, text = instruction(w, engine, at, duration, i)
            instructions.append(text)
            busy += duration
            expected['hbm_read'] += i * 64
            expected[f'{key} {opcode}'] = expected.get(f'{key} {opcode}', 0) + 1
            at += int(duration) + rand.randrange(1, 100)
        expected[f'{key} busy_ps'] = int(busy * 1000)
        expected['spans'] += n
    dma, total = [], 0
    for i in range(n):
        size = rand.randrange(1, 1 << 20)
        total += size
        dma.append(
            w.record(
                [
                    ('timestamp', w.number(base + i * 10)),
                    ('duration', w.number(7)),
                    ('transfer_size', w.number(size)),
                    ('variable', '"weights"'),
                    ('queue_name', f'"qSpill{i % 3}"'),
                    ('source', '[["INPUT"]]'),
                    ('dest', '["SB"]'),
                ]
            )
        )
    expected |= {'dma': n, 'dma bytes': total}
    end = base + 10 * n + n * 100000
    sections = [
        (
            'summary',
            '['
            + w.record(
                [
                    ('total_time', str((end - base) / 1e9)),
                    ('nc_idx', '"1"'),
                    ('nd_idx', '2'),
                    ('model_flops', '123456'),
                    ('hbm_read_bytes', '5'),
                    ('hbm_write_bytes', '6'),
                    ('mfu_estimated_percent', '0.1806'),
                    ('hfu_estimated_percent', 'NaN'),
                ]
            )
            + ']',
        ),
        ('instruction', '[\n' + ',\n'.join(instructions) + '\n]'),
        ('dma', '[' + ', '.join(dma) + ']'),
        ('active_time', f'[{{"engine": "Tensor", "start_ts": {base}, "end_ts": "{base + 50}"}}]'),
        (
            'metadata',
            '[{"hbm_ddr_bandwidth": 410000000000, "pe_clock_freq": 2.8, "pe_num_rows": 128, '
            '"pe_num_cols": "128", "instance_type": "trn1.2xlarge"}]',
        ),
        (
            'neff_node',
            '[{"variable_name": "input0", "shape": "[2048 512]", "size": "2097152", "type": "IN"}, '
            '{"variable_name": "out", "shape": "[1]", "size": 8, "type": "OUT", "node": 50}]',
        ),
        ('layer_summary', f'[{{"name": "layer_0", "start": {base}, "end": {base + 9}}}]'),
        ('stack_frame_function_name', '[{"id": 1, "name": "f"}]'),
        ('summary_groups', '[{"overall_stats": ["total_time"]}]'),
    ]
    rand.shuffle(sections)
    return '{' + ',\n'.join(f'"{k}": {v}' for k, v in sections) + '}\n', expected


def system_profile(rand, n, newer):
    w = Writer(rand)
    base, total, events = 1729888371056597613, 0, []
    for i in range(n):
        duration = rand.randrange(1, 100000)
        total += duration
        if i % 2:
            own = [
                ('group', '"framework-80375131"'),
                ('name', '"PjitFunction(matmul)"'),
                ('thread_id', '80375131'),
            ]
        else:
            own = [
                ('group', '"nrt-nc-000"'),
                ('name', '"nrt_tensor_write"'),
                ('thread_id', '1627711'),
                ('id', str(i + 1)),
                ('parent_id', '0'),
                ('size', '"4"'),
                ('tensor_name', '"w0"'),
                ('lnc_idx', '"0"'),
            ]
        events.append(
            w.record(
                own
                + [
                    ('timestamp', w.number(base + i * 1000)),
                    ('duration', w.number(duration)),
                    ('instance_id', '"i-0f"'),
                    ('process_id', '"701"'),
                    ('type', '11'),
                ]
            )
        )
    sections = [
        ('trace_event' if newer else 'trace_events', '[' + ',\n'.join(events) + ']'),
        (
            'mem_usage',
            f'[{{"duration": 1, "instance_id": "i-0f", "percent_usage": 9.728179797845964, '
            f'"timestamp": {base + 5}, "usage": 51805806592}}]',
        ),
        (
            'cpu_util',
            f'[{{"cpu_id": "47", "duration": 1, "instance_id": "i-0f", "timestamp": {base + 6}, '
            f'"util": 2.3255813}}]',
        ),
    ]
    if newer:
        sections += [
            (
                'system_profile_metadata',
                f'[{{"first_ts_ns": "{base}", "hbm_capacity_bytes": 17179869184, '
                f'"ntff_version": 5}}]',
            ),
            ('device_profile_list', '[{"nc_id": 0, "device_profile_name": "device_nc0"}]'),
        ]
    rand.shuffle(sections)
    text = '{' + ', '.join(f'"{k}": {v}' for k, v in sections) + '}'
    return text, {
        'events': n,
        'duration_ps': total * 1000,
        'origin': base // 10**9 * 10**9,
        'first_ps': base % 10**9 * 1000,
    }


def runtime_events(rand, n):
    base, device, events, total, hardware = 1729888371056597613, 5000, [], 0, []
    for i in range(n):
        duration = rand.randrange(1, 5000)
        total += duration
        common = {
            'event_type': 'nrt_execute',
            'id': i,
            'nc_idx': 1,
            'nc_local_id': i,
            'tracking_id': i,
            'thread_id': 77,
            'worker_gid': 1,
        }
        events += [
            common | {'phase': 'start', 'data': {'size': 64}, 'timestamp_ns': base + i * 10000},
            common | {'phase': 'stop', 'data': {}, 'timestamp_ns': base + i * 10000 + duration},
        ]
    for i in range(n):
        sync_device, sync_cpu = device + i * 1000003, base + i * 1000000 + 17
        start = sync_device + rand.randrange(-400, 400)
        duration = rand.randrange(1, 500)
        common = {
            'event_type': 'nc_exec_running',
            'id': i,
            'nc_idx': 1,
            'nc_local_id': i,
            'tracking_id': 1000 + i,
            'thread_id': 78,
            'worker_gid': -1,
        }
        events += [
            common
            | {
                'phase': 'start',
                'data': {'exec_id': i, 'nc_timestamp_ns': start},
                'timestamp_ns': start,
            },
            common
            | {
                'phase': 'stop',
                'data': {'nc_timestamp_ns': start + duration},
                'timestamp_ns': start + duration,
            },
            {
                'event_type': 'timestamp_sync_point',
                'phase': 'instant',
                'id': i,
                'nc_idx': 1,
                'thread_id': 78,
                'data': {
                    'exec_id': i,
                    'nc_timestamp_ns': sync_device,
                    'cpu_timestamp_ns': sync_cpu,
                },
                'timestamp_ns': sync_device,
            },
        ]
        hardware.append((sync_cpu + start - sync_device, duration))
    origin = base // 10**9 * 10**9
    expected = {
        'spans': 2 * n,
        'host_ps': total * 1000,
        'origin': origin,
        'hardware_ps': sum(d for _, d in hardware) * 1000,
        'hardware_start_ps': sum(at - origin for at, _ in hardware) * 1000,
    }
    return json.dumps({'events': events, 'data_version': 2}, separators=(',', ':')), expected


def summary_json(rand):
    flops = rand.randrange(1 << 40)
    return (
        f'{{"{BUCKET}": {{"total_time": 0.017, "nc_idx": 1, "nd_idx": 2, "model_flops": {flops}, '
        f'"mfu_estimated_percent": "0.1806", "hfu_estimated_percent": NaN, "event_count": 11215}}}}\n',
        {'model_flops': flops},
    )


def summary_text(rand):
    flops = rand.randrange(1 << 40)
    return (
        f'overall_stats\n  nc_idx      1\n  nd_idx      2\n  total_time  0.017\n  model_flops {flops}\n\n'
        f'tensor_engine\n  tensor_engine_active_time_percent  0.5\n  tensor_engine_instruction_count 42\n',
        {'model_flops': flops},
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--instructions', type=int, default=40)
    args = parser.parse_args()
    rand, n = random.Random(args.seed), args.instructions
    os.makedirs(args.folder, exist_ok=True)
    for name, made in (
        ('device.json', device_profile(rand, n)),
        ('system.json', system_profile(rand, n, False)),
        ('system_new.json', system_profile(rand, n, True)),
        ('events.json', runtime_events(rand, n)),
        ('summary.json', summary_json(rand)),
        ('summary.txt', summary_text(rand)),
    ):
        write(args.folder, f'synthetic_{name}', *made)


if __name__ == '__main__':
    main()
