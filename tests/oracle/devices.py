# SPDX-License-Identifier: Apache-2.0
"""devices.py - busy, compute, communication, copy, exposed and overlap of a device, as unions of
intervals."""

from exact import clipped, holes, joined, measure, nested


def by_kind(device):
    """Intervals of each class. Of a row only what no row directly within it, on the same track,
    covers."""
    tracks, result = {}, {'compute': [], 'communication': [], 'copy': [], 'control': []}
    for row in device.work + device.beside:
        tracks.setdefault(row.track, []).append(row)
    for rows in tracks.values():
        within = [[] for _ in rows]
        for row, holder in zip(rows, nested([row.interval for row in rows])):
            if holder is not None and not row.beside:
                within[holder].append(row.interval)
        for row, inner in zip(rows, within):
            result[row.kind] += holes(inner, *row.interval)
    return result


def summary(device):
    """The row of table devices."""
    if not device.work:
        return None
    work = [row.interval for row in device.work]
    around = [row.interval for row in device.work + device.around]
    first, end = min(a for a, _ in around), max(b for _, b in around)
    kinds = {kind: joined(clipped(spans, first, end)) for kind, spans in by_kind(device).items()}
    compute, busy = measure(kinds['compute']), measure(work)
    moved = kinds['communication'] + kinds['copy']
    exposed = measure(kinds['compute'] + moved) - compute
    return {
        'span_ps': end - first,
        'busy_ps': busy,
        'idle_ps': end - first - busy,
        'compute_ps': compute,
        'communication_ps': measure(kinds['communication']),
        'copy_ps': measure(kinds['copy']),
        'exposed_ps': exposed,
        'overlap_ps': measure(moved) - exposed,
    }
