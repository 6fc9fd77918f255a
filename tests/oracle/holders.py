# SPDX-License-Identifier: Apache-2.0
"""holders.py - the most that each allocator gave away, and who held it: PyTorch's instants
[memory], and rows MemoryAllocation and MemoryDeallocation of XLA."""

from collections import Counter

import kineto
from exact import scaled

BEFORE, RESERVED, UNKNOWN = '(before the recording)', '(reserved or earlier)', '(unknown operator)'


class Allocator:
    """last: of equal peaks the last counts, as xprof has it."""

    def __init__(self, of_host, last):
        self.of_host, self.last = of_host, last
        self.peak = self.capacity = None
        self.live, self.held = {}, {}

    def take(self, total, allocates, address, block, capacity=None, reserved=0):
        """block: (bytes, who)."""
        if allocates:
            self.live[address] = block
        else:
            self.live.pop(address, None)
        if self.peak is None or total > self.peak or (self.last and total == self.peak):
            self.peak, self.capacity, self.held, self.reserved = (
                total,
                capacity,
                dict(self.live),
                reserved,
            )

    def holders(self):
        """(share of the peak, who), the largest first."""
        sums = Counter()
        for size, who in self.held.values():
            sums[who or UNKNOWN] += size
        rest = self.peak - sum(sums.values())
        if rest > 0:
            sums[RESERVED if self.reserved else BEFORE] += rest
        return sorted(((size / self.peak, who) for who, size in sums.items()), key=lambda s: -s[0])


def around(rows, moment):
    """Who asked: the innermost operator at that moment, else the innermost module."""
    inside = [row for row in rows if row.first <= moment <= row.end]
    for fits in (
        lambda row: row.category in kineto.OPERATORS,
        lambda row: row.name.startswith('nn.Module: '),
    ):
        found = [row for row in inside if fits(row)]
        if found:
            return max(found, key=lambda row: (row.first, -row.end, row.index)).name.removeprefix(
                'nn.Module: '
            )
    return None


def of_pytorch(profile, data):
    rows = [
        event
        for event in data.get('traceEvents') or ()
        if isinstance(event, dict)
        and event.get('name') == '[memory]'
        and 'Total Allocated' in event['args']
    ]
    spans = {
        track: [
            row
            for row in own
            if row.category in kineto.OPERATORS or row.name.startswith('nn.Module: ')
        ]
        for track, own in profile.threads.items()
    }
    rows.sort(key=lambda event: (scaled(event['ts'], 6), event['args'].get('Ev Idx', 0)))
    found = {}
    for event in rows:
        args, moment = event['args'], scaled(event['ts'], 6)
        process, thread = kineto.number(event['pid']), kineto.number(event['tid'])
        key = process, args.get('Device Type'), args.get('Device Id')
        allocator = found.setdefault(key, Allocator(args.get('Device Type') == 0, False))
        size, allocates = int(args['Bytes']), int(args['Bytes']) > 0
        who = around(spans.get((process, thread), []), moment) if allocates else None
        capacity = None if allocator.of_host else memory_of_all(data)
        allocator.take(
            int(args['Total Allocated']), allocates, args.get('Addr'), (size, who), capacity
        )
    return list(found.values())


def memory_of_all(data):
    """What each device has, where all have the same."""
    sizes = {device.get('totalGlobalMem') for device in data.get('deviceProperties') or []}
    return sizes.pop() if len(sizes) == 1 else None


def of_xla(profile):
    rows = sorted(
        (
            row
            for own in profile.threads.values()
            for row in own
            if row.name in ('MemoryAllocation', 'MemoryDeallocation')
        ),
        key=lambda row: (row.first, row.index),
    )
    found = {}
    for row in rows:
        args = row.args
        used = int(args.get('bytes_allocated', 0)) + int(args.get('bytes_reserved', 0))
        name = args.get('allocator_name', args.get('device_ordinal', args.get('index_on_host')))
        allocator = found.setdefault(name, Allocator(False, True))
        capacity = used + int(args['bytes_available']) if 'bytes_available' in args else None
        told = [args.get(key) for key in ('tf_op', 'region_type')]
        who = next((text for text in told if text and text != '(null)'), None)
        block = int(args.get('allocation_bytes', 0)), who
        allocator.take(
            used,
            row.name == 'MemoryAllocation',
            args.get('addr'),
            block,
            capacity,
            int(args.get('bytes_reserved', 0)),
        )
    return list(found.values())


def largest(profile, data):
    """The allocator of a device with the highest peak, else of the host; None: no totals in the
    file."""
    found = of_pytorch(profile, data) if profile.framework else of_xla(profile)
    return max(found, key=lambda a: (not a.of_host, a.peak), default=None)
