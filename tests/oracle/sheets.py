# SPDX-License-Identifier: Apache-2.0
"""sheets.py - reads what `nprof run -s csv` wrote of a profile, as people do who add up columns."""

import csv
import os
import re

import kineto
import lines
from exact import scaled
from model import Profile, Row, Step


def args_of(cells):
    """Attributes of the row under the names that the formats give them."""
    args = {'correlation': cells['correlation_id'] or -1}
    if cells.get('device_offset') and cells.get('device_duration'):
        args['device_offset_ps'] = int(cells['device_offset'])
        args['device_duration_ps'] = int(cells['device_duration'])
    if cells['category'] == 'memcpy':
        args['memcpy_details'] = ''
    if 'Collective name' in (cells.get('args') or ''):
        args['Collective name'] = True
    return args


def rows_of(path):
    """Spans that have an end."""
    with open(path, encoding='utf-8', newline='') as file:
        for index, cells in enumerate(csv.DictReader(file)):
            if cells['kind'] != 'span' or not cells['duration_ns']:
                continue
            first = scaled(cells['start_ns'], 3)
            row = Row(
                cells['name'],
                cells['category'],
                first,
                first + scaled(cells['duration_ns'], 3),
                cells['track'],
                index,
                args_of(cells),
            )
            row.process = row.label = cells['process']
            yield row, cells['thread']


def link_streams(profile, rows):
    """Links an XSpace: work on a stream was launched by the host's call of the same
    correlation_id."""
    calls = {}
    for row in rows:
        if row.process.startswith('/device:'):
            continue
        profile.threads.setdefault(row.track, []).append(row)
        if row.args['correlation'] != -1:
            calls.setdefault(row.args['correlation'], row)
    for device in profile.devices.values():
        for row in device.work:
            row.launch = calls.get(row.args['correlation'])


def read(folder):
    profile = Profile()
    planes, rows = {}, []
    for row, thread in rows_of(os.path.join(folder, 'events.csv')):
        rows.append(row)
        if re.match(r'/device:(TPU|GPU):\d+', row.process):
            planes.setdefault(row.process, {}).setdefault(thread, []).append(row)
        elif kineto.is_work(row) or (not row.category and re.fullmatch(r'GPU\s*\d+', row.process)):
            row.kind = kineto.kind_of(row)
            profile.device(row.process, row.process).work.append(row)
    for process, plane in planes.items():
        lines.add_device(profile, process, process, plane)
    if planes:
        link_streams(profile, rows)
        return profile
    kineto.link([row for device in profile.devices.values() for row in device.work], rows)
    for row in rows:
        if row.category and row.process not in profile.devices:
            profile.threads.setdefault(row.track, []).append(row)
        annotation = row.category in kineto.OPERATORS | {'user_annotation'}
        if profile.is_step(row.name) and annotation:
            profile.steps.append(
                Step(row.name, row.first, row.end, row.process, row.track, row.label)
            )
    profile.steps.sort(key=lambda step: step.first)
    profile.framework, profile.wall = kineto.OPERATORS, kineto.HOST
    return profile
