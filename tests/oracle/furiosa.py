# SPDX-License-Identifier: Apache-2.0
"""furiosa.py - reads the CSV with trace ids that Furiosa's profiler writes, and what its
export_chrome_trace makes of it: executions of an NPU, what runs in them, and the inferences of the
host."""

import csv

from exact import scaled
from model import Profile, Row

AROUND, COPIES = ('execution', 'task'), ('load', 'store', 'dma')
FIRST = 10000000


def kind_of(name):
    """None: it lies around others."""
    word = name.replace('(', ' ').split(' ')[0].lower()
    return None if word in AROUND else 'copy' if word in COPIES else 'compute'


def add(profile, row, npu):
    """npu: its number; None: the row is of the host."""
    profile.spans.append((row.first, row.end, row.name))
    if npu is None:
        profile.inferences += [row.duration] if row.name == 'Inference' else []
        return
    device, row.kind, row.track = profile.device(npu, f'NPU {npu}'), kind_of(row.name), npu
    (device.work if row.kind else device.around).append(row)


def read(path):
    """ValueError where it is another CSV."""
    profile = Profile()
    with open(path, encoding='utf-8', newline='') as file:
        table = csv.DictReader(file)
        if not {'trace_id', 'span_id', 'cat', 'pe_index'} <= set(table.fieldnames or ()):
            raise ValueError('no CSV of Furiosa')
        for item in table:
            row = Row(
                item['name'],
                item['cat'],
                1000 * int(item['start']),
                1000 * int(item['end']),
                item['thread.id'],
                len(profile.spans),
            )
            add(profile, row, int(item['pe_index'] or 0) if row.category == 'NPU' else None)
    return profile


def is_export(events):
    """Written by export_chrome_trace: threads of NPUs are numbered from FIRST."""
    return any(e.get('cat') == 'NPU' and e.get('tid', 0) >= FIRST for e in events)


def of_export(events):
    profile = Profile()
    for event in events:
        if event.get('ph') == 'X':
            first = scaled(event['ts'], 6)
            row = Row(
                event['name'],
                event['cat'],
                first,
                first + scaled(event['dur'], 6),
                event['tid'],
                len(profile.spans),
            )
            add(profile, row, event['tid'] - FIRST if row.category == 'NPU' else None)
    return profile
