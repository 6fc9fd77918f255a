# SPDX-License-Identifier: Apache-2.0
"""lines.py - which lines of a plane of XLA are work of a device.  A plane of a GPU has streams;
a core of a TPU has its programs, its operators and its asynchronous operators."""

import re

from model import COMMUNICATION, hlo_kind

OPERATORS = {'XLA Ops', 'Sparse Core Ops'}
ASYNC = {'Async XLA Ops'}
PROGRAMS = {'XLA Modules', 'Sparse Core Modules'}


def stream_kind(row):
    name = row.name.lower()
    if COMMUNICATION.search(name):
        return 'communication'
    if 'memcpy_details' in row.args or name.startswith(
        ('memcpy', 'copy', '__amd_rocclr_copybuffer')
    ):
        return 'copy'
    return 'compute'


def add_device(profile, key, label, plane):
    """plane: rows by the name of their line."""
    streams = [rows for name, rows in plane.items() if re.match(r'Stream #', name)]
    operators = [rows for name, rows in plane.items() if name in OPERATORS]
    if not any(streams) and not any(operators):
        return
    device = profile.device(key, label)
    device.steps += plane.get('Steps', [])
    for row in (row for rows in streams for row in rows):
        row.kind, row.beside = stream_kind(row), True
        device.work.append(row)
    if any(streams):
        return  # all other lines of a GPU were derived from its streams
    for name, rows in plane.items():
        for row in rows:
            row.kind = hlo_kind(row.category, row.name)
        if name in OPERATORS:
            device.work += rows
        elif name in ASYNC:
            device.beside += rows
        elif name in PROGRAMS:
            device.around += rows
