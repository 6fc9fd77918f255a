# SPDX-License-Identifier: Apache-2.0
"""rates.py - how well a GPU is used: MFU of PyTorch by the shapes of its arguments; and what a
collective moves as Kineto states it."""

import fnmatch
import glob
import json
import os
from collections import Counter

import shapes

DEVICES = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), '..', '..', 'share', 'devices', '*.json'
)


def device_facts(name):
    """What share/devices knows of a device of that name, or None."""
    for path in sorted(glob.glob(DEVICES)):
        with open(path, encoding='utf-8') as file:
            for device in json.load(file)['devices']:
                if any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in device['match']):
                    return device
    return None


def name_of(data, device):
    """The name that Kineto states of the GPU, by its number; where it states one GPU alone, its
    number may be another, as that of a process that sees some of them."""
    stated = data.get('deviceProperties') or []
    numbers = {row.args.get('device') for row in device.work}
    names = {d.get('name') for d in stated if d.get('id') in numbers or len(stated) == 1}
    return names.pop() if len(names) == 1 else None


class Use:
    """Flops of the work of a device, by operator and by call."""

    def __init__(self, profile, device, facts):
        calls, self.lacks, within = shapes.calls_of(profile)
        self.facts = facts
        for row in device.work:
            call = within.get(row.launch.index) if row.launch else None
            if call:
                call.work.append(row)
        self.calls = [call for call in calls if call.work]

    def precision(self, call):
        fast = call.kind == 'fp32' and any(
            'tf32' in row.name or 's1688' in row.name for row in call.work
        )
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
        return [
            call
            for call in self.calls
            if any(
                step.process == call.row.process and step.first <= call.row.first < step.end
                for step in steps
            )
        ]


# -- Collectives
# ------------------------------------------------------------------------------------------------


SIZES = {
    'Float': 4,
    'Half': 2,
    'BFloat16': 2,
    'Int': 4,
    'Long': 8,
    'Byte': 1,
    'Char': 1,
    'Double': 8,
}
KINDS = {
    'allreduce': (1, 2),
    'allgather': (0, 1),
    '_allgather_base': (0, 1),
    'reduce_scatter': (1, 1),
    '_reduce_scatter_base': (1, 1),
    'broadcast': (1, None),
}  # the message is what goes in, or what comes out


def message(row):
    """(kind, bytes, ranks, factor of the bus) of a collective, or None where this oracle does not
    know them."""
    name, ranks = row.args.get('Collective name'), row.args.get('Group size')
    elements = row.args.get('In msg nelems'), row.args.get('Out msg nelems')
    if name not in KINDS or None in elements or not ranks or row.args.get('dtype') not in SIZES:
        return None
    goes_in, factor = KINDS[name]
    size = elements[0 if goes_in else 1] * SIZES[row.args['dtype']]
    return name, size, ranks, factor * (ranks - 1) / ranks if factor else 1
