# SPDX-License-Identifier: Apache-2.0
"""samples.py - the tables of the analyzer samples, which nprof diff is made of, beside what an
independent reader finds in every trace of Kineto at hand."""

import csv
import glob
import os
import sys
from decimal import Decimal

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
# pylint: disable=wrong-import-position
from harness import Skip, add_test, check, check_same, main, run

import documents
from places import places

DATA = os.environ.get('NPROF_TEST_DATA', '')
LARGE = 2500000  # bytes; Python needs seconds for more
ORDINALS = 1024  # rows behind share a place


def table(name):
    csv.field_size_limit(1 << 30)
    with open(os.path.join('out', name + '.csv'), encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))


def ps(text):
    return int(Decimal(text) * 1000)


def variance(values, steps):
    values = list(values) + [0] * (steps - len(values))
    mean = sum(values) / steps
    return sum((value - mean) ** 2 for value in values) / (steps - 1)


def check_device(label, steps, expected, kinds):
    found = {}
    for row in table('kernel_places'):
        if row['device'] == label:
            found[row['kernel'], row['operator'], int(row['ordinal'])] = row
    check_same(sorted(found), sorted(expected), f'{label}: places')
    for place, values in expected.items():
        row = found[place]
        check_same(
            (int(row['steps']), int(row['calls']), ps(row['duration_ns']), row['class']),
            (len(values), len(values), sum(values.values()), kinds[place[0]]),
            place,
        )
        if steps > 1:
            want = variance(values.values(), steps)
            check(abs(float(row['variance']) - want) <= 1e-9 * max(1, want), (place, row, want))
    sums = {}
    for row in table('kernel_steps'):
        if row['device'] == label:
            key = row['kernel'], row['operator']
            sums[key] = sums.get(key, 0) + ps(row['duration_ns'])
    own = {}
    for (kernel, operator, _), values in expected.items():
        own[kernel, operator] = own.get((kernel, operator), 0) + sum(values.values())
    check_same(
        {k: v for k, v in sums.items() if v},
        {k: v for k, v in own.items() if v},
        f'{label}: sums of steps',
    )


def compare(path):
    profile = documents.read(path)
    devices = [d for d in profile.devices.values() if d.work and not d.around]
    if not devices or any(row.category == 'mtia_ccp_events' for d in devices for row in d.work):
        return  # no work of a GPU
    run('run', '-a', 'samples', '-s', 'csv', '-o', 'out', path).expect(0)
    for device in devices:
        steps, expected, kinds = places(profile, device)
        if expected and max(place[2] for place in expected) < ORDINALS:
            check_device(device.label, steps, expected, kinds)


def collect():
    for path in sorted(glob.glob(os.path.join(DATA, 'json', '*.gz')) if DATA else []):
        name = os.path.basename(path)
        if 'not_a_trace' not in name and os.path.getsize(path) < LARGE:
            add_test(name, lambda _folder, path=path: compare(path))
    if not DATA:
        add_test('real_traces', skip)


def skip(_folder):
    raise Skip('NPROF_TEST_DATA names no folder of traces')


if __name__ == '__main__':
    collect()
    main()
