# SPDX-License-Identifier: Apache-2.0
"""check-devices.py - share/devices/*.json keep to their form, and no name is of two devices.

    check-devices.py FOLDER

A device: name; match, patterns of device_type in lower case; examples, names that files use;
unit, what the numbers are of; cores_per_chip, cores (of GPUs: multiprocessors, compute units) of
a chip; peaks, flop/s by precision, NAME_sparse apart; default, the precision that utilisation is
of, and why; bandwidth, byte/s of the main memory; memory, bytes; clock, Hz; link, byte/s of its
links to other devices, one way, link_group, how many these join, link_source; host_link, byte/s of
that to its host, one way, host_link_source; source; checked, where its figures were found again,
unverified, which of them were not. What is not known is left out. Of GPUs that files know by their
architecture alone, in place of peaks: per_core_cycle, flop of a core in a cycle by precision.
"""

import fnmatch
import json
import os
import sys

TEXTS = ['name', 'unit', 'default', 'why', 'source']
MORE_TEXTS = ['checked', 'unverified', 'link_source', 'host_link_source']
LISTS = ['match', 'examples']
NUMBERS = {
    'cores_per_chip': (1, 1024),
    'bandwidth': (1e9, 1e14),
    'memory': (1e9, 1e12),
    'clock': (1e8, 1e10),
    'link': (1e10, 1e13),
    'link_group': (2, 1e5),
    'host_link': (1e9, 1e12),
}
PRECISIONS = ['fp32', 'tf32', 'bf16', 'fp16', 'fp8', 'mxfp8', 'int8', 'fp4']
UNITS = ['NeuronCore', 'TensorCore', 'chip', 'GPU', 'GCD']
SOURCE_BYTES = 20

problems = []


def expect(truth, where, what):
    if not truth:
        problems.append(f'{where}: {what}')


def is_number(value, low, high):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high


def check_peaks(where, peaks, low, high):
    for key, value in peaks.items():
        precision = key.removesuffix('_sparse')
        expect(precision in PRECISIONS, where, f'precision {key}')
        expect(is_number(value, low, high), where, f'{key} is no rate')
        if key != precision:
            expect(
                1.9 < value / peaks.get(precision, value) < 2.1,
                where,
                f'{key} is not twice its dense rate',
            )
    order = [peaks[p] for p in ('fp32', 'tf32', 'bf16', 'fp8') if p in peaks]
    expect(order == sorted(order), where, 'a wider type is faster than a narrower one')


def check_device(where, device):
    for key in TEXTS:
        expect(isinstance(device.get(key), str) and device[key], where, f'{key}: expected a text')
    for key in LISTS:
        value = device.get(key)
        expect(
            isinstance(value, list) and value and all(isinstance(v, str) for v in value),
            where,
            f'{key}: expected a list of texts',
        )
    for key, (low, high) in NUMBERS.items():
        expect(
            key not in device or is_number(device[key], low, high),
            where,
            f'{key}: {device.get(key)}',
        )
    for key in MORE_TEXTS:
        expect(
            isinstance(device.get(key, 'text'), str) and device.get(key, 'text'),
            where,
            f'{key}: expected a text',
        )
    expect(
        'unverified' not in device or 'checked' in device or 'per_core_cycle' in device,
        where,
        'unverified: of what was checked',
    )
    unknown = (
        set(device)
        - set(TEXTS)
        - set(MORE_TEXTS)
        - set(LISTS)
        - set(NUMBERS)
        - {'peaks', 'per_core_cycle'}
    )
    expect(not unknown, where, f'unknown members {sorted(unknown)}')
    expect(
        len({k for k in ('link', 'link_group', 'link_source') if k in device}) in (0, 3),
        where,
        'link, link_group and link_source go together',
    )
    expect(
        ('host_link' in device) == ('host_link_source' in device),
        where,
        'host_link and host_link_source go together',
    )
    expect(
        all(p == p.lower() for p in device.get('match', [])), where, 'match: expected lower case'
    )
    expect(device.get('unit') in UNITS, where, f'unit: one of {UNITS}')
    expect(len(device.get('source', '')) >= SOURCE_BYTES, where, 'source: expected a document')
    cycle = 'per_core_cycle' in device
    expect(cycle != ('peaks' in device), where, 'expected either peaks or per_core_cycle')
    peaks = device.get('per_core_cycle' if cycle else 'peaks', {})
    expect(device.get('default') in peaks, where, 'default: none of peaks')
    expect(not device.get('default', '').endswith('_sparse'), where, 'default: a sparse rate')
    check_peaks(where, peaks, *((64, 65536) if cycle else (1e12, 1e17)))


def matching(devices, text):
    return [w for w, d in devices if any(fnmatch.fnmatchcase(text.lower(), p) for p in d['match'])]


def main(folder):
    devices = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            document = json.load(file)
        expect(set(document) == {'vendor', 'devices'}, name, 'expected vendor and devices')
        for device in document['devices']:
            where = f'{name}: {device.get("name")}'
            check_device(where, device)
            devices.append((where, device))
    expect(len(devices) >= 30, folder, 'devices are missing')
    for where, device in devices:
        for example in device['examples']:
            found = matching(devices, example)
            expect(found == [where], where, f'{example} is of {found}')
    print('\n'.join(problems) or f'{len(devices)} devices are in order')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
