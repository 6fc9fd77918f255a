# SPDX-License-Identifier: Apache-2.0
"""xplane.py - reads an XSpace (*.xplane.pb)."""

import gzip
import re

import lines
from kineto import launch_of
from model import Profile, Row, Step
from wire import fields, signed, text


def stat(data, span, names):
    """Name and value of an XStat."""
    name = value = None
    for number, item in fields(data, *span):
        if number == 1:
            name = names.get(item)
        elif number == 5:
            value = text(data, item)
        elif number == 6:
            value = data[item[0] : item[1]]
        elif number == 7:
            value = names.get(item, '')
        elif number == 8:
            value = gzip.decompress(data[item[0] : item[1]]).decode()
        elif number in (3, 4):
            value = signed(item) if number == 4 else item
        elif number == 2:
            value = ('double', item)
    return name, value


def entry(data, span):
    """Key and value of an entry of a map."""
    key, value = 0, (span[1], span[1])
    for number, item in fields(data, *span):
        if number == 1:
            key = item
        else:
            value = item
    return key, value


class Plane:
    def __init__(self, data, span):
        self.name, self.lines, self.metadata, self.stats, self.raw = '', [], {}, {}, []
        metadata = []
        for number, item in fields(data, *span):
            if number == 2:
                self.name = text(data, item)
            elif number == 3:
                self.lines.append(item)
            elif number == 4:
                metadata.append(entry(data, item))
            elif number == 5:
                key, value = entry(data, item)
                self.stats[key] = next(
                    (text(data, i) for n, i in fields(data, *value) if n == 2), ''
                )
            elif number == 6:
                self.raw.append(item)
        for key, value in metadata:
            self.metadata[key] = self.named(data, value)

    def named(self, data, span):
        name, display, stats = '', '', {}
        for number, item in fields(data, *span):
            if number == 2:
                name = text(data, item)
            elif number == 4:
                display = text(data, item)
            elif number == 5:
                stats.update([stat(data, item, self.stats)])
        if display and ' = ' in name:
            stats['hlo_text'] = name
        return display or name, stats


def event(data, span, plane, base, track, index):
    key = offset = length = 0
    stats = {}
    counted = False
    for number, item in fields(data, *span):
        if number == 1:
            key = item
        elif number == 2:
            offset, counted = signed(item), False
        elif number == 3:
            length = signed(item)
        elif number == 4:
            stats.update([stat(data, item, plane.stats)])
        elif number == 5:
            counted = True
    if counted:
        return None  # so many occurrences, without a time
    name, constant = plane.metadata.get(key, ('', {}))
    stats = {**constant, **stats}
    if (
        isinstance(stats.get('step_num'), int)
        and stats['step_num'] >= 0
        and not plane.name.startswith('/device:')
    ):
        name = f'ProfilerStep#{stats["step_num"]}'  # as JAX and TensorFlow annotate steps
    return Row(
        name,
        stats.get('hlo_category') or '',
        base + offset,
        base + offset + length,
        track,
        index,
        stats,
    )


def line_rows(data, span, plane, count):
    """Name of a line, and its rows."""
    name = shown = ''
    ident = base = 0
    events = []
    for number, item in fields(data, *span):
        if number == 1:
            ident = signed(item)
        elif number == 2:
            name = text(data, item)
        elif number == 3:
            base = signed(item) * 1000
        elif number == 4:
            events.append(item)
        elif number == 11:
            shown = text(data, item)
    track = plane.name, ident, name
    rows = [event(data, item, plane, base, track, count + i) for i, item in enumerate(events)]
    return shown or name, [row for row in rows if row]


def start_of_session(data, plane):
    """When the session began, in ps since 1970, or None; only plane "Task Environment" says so."""
    for span in plane.raw:
        name, value = stat(data, span, plane.stats)
        if name == 'profile_start_time':
            return value * 1000
    return None


def link(profile, hosts):
    """What runs on a stream was launched by the host's call of the same correlation_id."""
    calls = {}
    own_steps = any(device.steps or device.around for device in profile.devices.values())
    for row in hosts:
        row.process = row.label = row.track[0]
        profile.threads.setdefault(row.track, []).append(row)
        if profile.is_step(row.name) and not own_steps:
            profile.steps.append(
                Step(row.name, row.first, row.end, row.process, row.track, row.label)
            )
        if row.args.get('correlation_id') is not None:
            calls.setdefault(row.args['correlation_id'], []).append(row)
    for device in profile.devices.values():
        for row in device.work:
            own = calls.get(row.args.get('correlation_id'))
            row.launch = launch_of(own, row) if own else None


def read(path):
    with open(path, 'rb') as file:
        data = file.read()
    profile = Profile()
    planes, facts = {}, {}
    for number, item in fields(data):
        if number != 1:
            continue
        plane = Plane(data, item)
        profile.origin = start_of_session(data, plane) or profile.origin
        own = planes.setdefault(plane.name, {})
        facts.setdefault(plane.name, {}).update(stat(data, span, plane.stats) for span in plane.raw)
        for span in plane.lines:
            name, rows = line_rows(data, span, plane, len(profile.spans))
            own.setdefault(name, []).extend(rows)
            profile.spans += [(row.first, row.end, row.name) for row in rows]
    hosts = []
    for name, plane in planes.items():
        if re.match(r'/device:(TPU|GPU):\d+', name):
            lines.add_device(profile, name, name, plane)
            if name in profile.devices:
                profile.devices[name].facts = facts[name]
        elif not name.startswith('/device:'):
            hosts += [row for rows in plane.values() for row in rows]
    link(profile, hosts)
    return profile
