# SPDX-License-Identifier: Apache-2.0
"""operators.py - calls, total and self time by name: operators of the framework on the host, and
what ran on each device."""

from exact import scaled, self_times


def add(sums, key, duration, own):
    calls, total, self_time = sums.get(key, (0, 0, 0))
    sums[key] = calls + 1, total + duration, self_time + own


def tracks_of(rows):
    tracks = {}
    for row in rows:
        tracks.setdefault(row.track, []).append(row)
    return tracks.values()


def device_clock(row):
    """A core of a TPU states its own times of an instruction beside those of the line."""
    offset, length = row.args.get('device_offset_ps'), row.args.get('device_duration_ps')
    if offset is None or length is None:
        return row.interval
    offset, length = scaled(offset, 0), scaled(length, 0)
    return offset, offset + length


def own_times(rows, spans):
    """The self times of rows of one track; on streams no row is a part of another."""
    return [end - first for first, end in spans] if rows[0].beside else self_times(spans)


def host(profile):
    """{(process, operator): (calls, total, self)}; every span of a thread that has a category takes
    part."""
    sums = {}
    for rows in profile.threads.values():
        for row, own in zip(rows, self_times([row.interval for row in rows])):
            if row.category in profile.framework and not profile.is_step(row.name):
                add(sums, (row.label, row.name), row.duration, own)
    return sums


def device(profile):
    """{(device, name): (calls, total, self)}"""
    sums = {}
    for machine in profile.devices.values():
        for rows in tracks_of(machine.work):
            spans = [device_clock(row) for row in rows]
            for row, (first, end), own in zip(rows, spans, own_times(rows, spans)):
                add(sums, (machine.label, row.name), end - first, own)
    return sums
