# SPDX-License-Identifier: Apache-2.0
"""rates.py - how well a GPU is used: MFU and roofline of PyTorch by shapes, and how much of its communication is hidden
and how fast the largest collective is."""

import fnmatch
import glob
import json
import os
import statistics
from collections import Counter, defaultdict

import shapes
from exact import clipped, joined, measure

DEVICES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'share', 'devices', '*.json')
FILLS = ('memset', 'fill')


def device_facts(name):
    """What share/devices knows of a device of that name, or None."""
    for path in sorted(glob.glob(DEVICES)):
        with open(path, encoding='utf-8') as file:
            for device in json.load(file)['devices']:
                if any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in device['match']):
                    return device
    return None


def name_of(data, device):
    """The name that Kineto states of the GPU, by its number; where it states one GPU alone, its number may be another,
    as that of a process that sees some of them."""
    stated = data.get('deviceProperties') or []
    numbers = {row.args.get('device') for row in device.work}
    names = {d.get('name') for d in stated if d.get('id') in numbers or len(stated) == 1}
    return names.pop() if len(names) == 1 else None


class Use:
    """Flops of the work of a device, by operator and by call."""

    def __init__(self, profile, device, facts):
        calls, self.lacks, within = shapes.calls_of(profile)
        self.facts, self.busy = facts, measure([row.interval for row in device.work])
        for row in device.work:
            call = within.get(row.launch.index) if row.launch else None
            if call:
                call.work.append(row)
        self.calls = [call for call in calls if call.work]

    def precision(self, call):
        fast = call.kind == 'fp32' and any('tf32' in row.name or 's1688' in row.name for row in call.work)
        return 'tf32' if fast else call.kind

    def least(self, calls):
        """The least time for their flops, in ps; None: a precision has no peak."""
        sums = Counter()
        for call in calls:
            sums[self.precision(call)] += call.flops
        if not set(sums) <= set(self.facts['peaks']):
            return None
        return sum(flops / self.facts['peaks'][kind] for kind, flops in sums.items()) * 1e12

    def of_steps(self, steps):
        """Calls that begin in one of the steps, on any thread of its process."""
        return [call for call in self.calls if any(
            step.process == call.row.process and step.first <= call.row.first < step.end for step in steps)]

    def operators(self):
        """(time, least time, bound) of each, where something is known of it."""
        by_name = defaultdict(list)
        for call in self.calls:
            by_name[call.row.name].append(call)
        for calls in by_name.values():
            time, least = sum(row.duration for call in calls for row in call.work), self.least(calls)
            flops, moved = sum(call.flops for call in calls), sum(call.bytes for call in calls)
            peak = flops / least * 1e12
            yield time, least, 'memory' if flops / moved < peak / self.facts['bandwidth'] else 'compute'


def roofline(use):
    """(bound, share, share of the other bound, of links, unknown share) of the work of the device."""
    sums = Counter()
    for time, _, bound in use.operators():
        sums[bound] += time
    work = max(use.busy, sum(sums.values()))
    most = 'compute' if sums['compute'] >= sums['memory'] else 'memory'
    other = 'memory' if most == 'compute' else 'compute'
    return most, sums[most] / work, sums[other] / work, sums['link'] / work, 1 - (sums[most] + sums[other] + sums['link']) / work


# -- Collectives ------------------------------------------------------------------------------------------------


def of_collectives(device):
    return [row for row in device.work if row.kind == 'communication']


def hidden(devices):
    """The part of the time of collectives in which their device computes as well; calls that run at one time count
    each.  None: there are none."""
    over = whole = 0
    for device in devices:
        compute = joined([row.interval for row in device.work
                          if row.kind == 'compute' and not any(word in row.name.lower() for word in FILLS)])
        for row in of_collectives(device):
            over += measure(clipped(compute, *row.interval))
            whole += row.duration
    return over / whole if whole else None


SIZES = {'Float': 4, 'Half': 2, 'BFloat16': 2, 'Int': 4, 'Long': 8, 'Byte': 1, 'Char': 1, 'Double': 8}
KINDS = {'allreduce': (1, 2), 'allgather': (0, 1), '_allgather_base': (0, 1), 'reduce_scatter': (1, 1),
         '_reduce_scatter_base': (1, 1), 'broadcast': (1, None)}  # the message is what goes in, or what comes out


def message(row):
    """(bytes, ranks, factor of the bus) of a collective, or None where this oracle does not know them."""
    name, ranks = row.args.get('Collective name'), row.args.get('Group size')
    elements = row.args.get('In msg nelems'), row.args.get('Out msg nelems')
    if name not in KINDS or None in elements or not ranks or row.args.get('dtype') not in SIZES:
        return None
    goes_in, factor = KINDS[name]
    size = elements[0 if goes_in else 1] * SIZES[row.args['dtype']]
    return size, ranks, factor * (ranks - 1) / ranks if factor else 1


def largest(device):
    """(bytes, bus bandwidth in bytes a second by the median) of the alike calls of most bytes; None: some collective
    does not say what it moved."""
    groups = defaultdict(list)
    for row in of_collectives(device):
        groups[message(row)].append(row.duration)
    if not groups or None in groups:
        return None
    (size, _, factor), times = max(groups.items())
    median = statistics.median(times)
    return (size, size * factor / (median / 1e12)) if median else None
