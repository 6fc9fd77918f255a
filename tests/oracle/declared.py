# SPDX-License-Identifier: Apache-2.0
"""declared.py - MFU, HFU and MBU of devices whose rows state flops and bytes, as XLA's compiler
does: sums over the innermost rows, of the peaks that the plane of the device states, else
share/devices."""

import struct
from collections import defaultdict

import devices
import rates
from exact import nested
from wire import fields

HBM, READ, WRITE = 1, 1, 2


def number(value):
    return value if isinstance(value, int) else None


def double(stat):
    """A stat of an XSpace that is a double."""
    return (
        struct.unpack('<d', stat[1].to_bytes(8, 'little'))[0] if isinstance(stat, tuple) else stat
    )


def main_memory(data):
    """Bytes read from and written to the main memory, of a MemoryAccessBreakdown."""
    total = 0
    for number_of, span in fields(data):
        if number_of == 1:
            access = dict(fields(data, *span))
            if access.get(2, 0) == HBM and access.get(1, 0) in (READ, WRITE):
                total += access.get(3, 0)
    return total


class Sum:
    def __init__(self):
        self.flops = self.model = self.bytes = None

    def add(self, row):
        stats = row.args
        flops = number(stats.get('flops'))
        model = number(stats.get('model_flops', None if 'products' in stats else flops))
        moved = stats.get('memory_access_breakdown')
        moved = (
            main_memory(moved)
            if isinstance(moved, bytes)
            else number(stats.get('bytes_accessed')) or None
        )
        moved = stats.get('hbm_bytes', moved)
        for name, value in (('flops', flops), ('model', model), ('bytes', moved)):
            if value is not None:
                setattr(self, name, (getattr(self, name) or 0) + value)


def innermost(rows):
    """Rows around which no other of their track lies."""
    tracks = defaultdict(list)
    for row in rows:
        tracks[row.track].append(row)
    for own in tracks.values():
        long = [row for row in own if row.duration]
        around = {holder for holder in nested([row.interval for row in long]) if holder is not None}
        yield from (row for i, row in enumerate(long) if i not in around)
        yield from (row for row in own if not row.duration)


class Use:
    """What a device did of what it could; figures are None where they are not known."""

    def __init__(self, device):
        facts = rates.device_facts(device.facts.get('device_type_string', '')) or {'peaks': {}}
        self.peak = 1e12 * double(device.facts.get('peak_teraflops_per_second', 0)) or facts[
            'peaks'
        ].get(facts.get('default'))
        self.bandwidth = 1e9 * double(
            device.facts.get('peak_hbm_bw_gigabytes_per_second', 0)
        ) or facts.get('bandwidth')
        self.all = Sum()
        for row in (
            device.work if device.told else innermost(device.work)
        ):  # engines of Neuron are pipelines
            self.all.add(row)
        self.span = devices.summary(device)['span_ps']

    def rate(self, amount, peak, time):
        return amount / (peak * time / 1e12) if amount is not None and peak and time else None

    @property
    def mfu(self):
        return self.rate(self.all.model, self.peak, self.span)

    @property
    def hfu(self):
        return self.rate(self.all.flops, self.peak, self.span)

    @property
    def mbu(self):
        return self.rate(self.all.bytes, self.bandwidth, self.span)
