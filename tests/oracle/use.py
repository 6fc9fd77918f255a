# SPDX-License-Identifier: Apache-2.0
"""use.py - figures of the first screen that say how well the device is used: MFU by the shapes of
PyTorch's arguments, or MFU, HFU and MBU as XLA's compiler states flops and bytes; and how much of
its communication is hidden, and how fast it is."""

import re
from collections import defaultdict

import declared
import devices
import messages
import periods
import rates
from exact import measure
from model import Device


def by_shapes(profile, data, best):
    """Of a trace of PyTorch on one GPU; None: nothing is known, or the oracle lacks a formula."""
    if not profile.framework or len(profile.devices) > 1:
        return None
    name = rates.name_of(data, best.device)
    facts = rates.device_facts(name) if name else None
    use = rates.Use(profile, best.device, facts) if facts else None
    return use if use and not use.lacks and use.calls and use.least(use.calls) is not None else None


def mfu_of(use, counted, time):
    """Of calls that begin in the steps; None: none does."""
    calls = use.of_steps(counted)
    return use.least(calls) / time if calls and time else None


def check_shapes(differ, lines, best, use):
    """Of the steps that count, over their periods; where no product lies in one, of the span."""
    value, of = mfu_of(use, best.steps, best.all), 'steps'
    if value is None:
        value, of = use.least(use.calls) / devices.summary(best.device)['span_ps'], 'span'
    row = differ.said('mfu', True, lines)
    if row is None:
        return
    differ.same('mfu', 'whole', of, row['whole'])
    differ.near('mfu', 'ratio', value, row['ratio'])


def check_declared(differ, lines, profile, best):
    """Of XLA and Neuron: flops and bytes are those that the compiler states. Cores of a logical
    core run one execution together, in the same time: their peak is that of all."""
    use = declared.Use(best.device)
    alone = [declared.Use(device) for device in profile.devices.values() if device.work]
    hardware = [one.hfu for one in alone if one.mfu is None and one.hfu is not None]
    value = use.mfu if use.mfu is not None else sum(hardware) / len(alone) if hardware else None
    if value is None and 'mfu' in lines:
        differ.same('mfu', 'ratio', None, lines['mfu'][0]['ratio'])
        return
    row = differ.said('mfu', value is not None, lines)
    if row is None:
        return
    differ.same('mfu', 'head', 'HFU' if use.mfu is None else 'MFU', row['head'])
    differ.near('mfu', 'ratio', value, row['ratio'])
    for word, exact in (('HFU', use.hfu), ('MBU', use.mbu)):
        text = re.search(word + r' (<?[\d.]+ %)', row['text'])
        if text:
            differ.shown('mfu', word, exact, text.group(1))


def check_use(differ, lines, profile, data, best):
    use = by_shapes(profile, data, best)
    if use:
        check_shapes(differ, lines, best, use)
    elif best.device.facts:
        check_declared(differ, lines, profile, best)


def calls_of(profile, device):
    """(what says which, first, end) of each collective of the device."""
    if profile.framework:
        return [(row, *row.interval) for row in device.work if row.kind == 'communication']
    return messages.calls(device)


def computing(device):
    """Fills of memory compute nothing."""
    plain = Device(device.label)
    plain.work = [
        row
        for row in device.work
        if not any(word in row.name.lower() for word in ('memset', 'fill'))
    ]
    return devices.by_kind(plain)['compute']


def check_moved(differ, profile, row, calls):
    """Of the alike calls that take most time what one sends, and the bus bandwidth of the
    median."""
    message, alike = rates.message if profile.framework else messages.message, defaultdict(list)
    for call, first, end in calls:
        alike[message(call)].append(end - first)
    most = max(alike, key=lambda key: sum(alike[key]))
    text = re.search(r'; most: \{other\} (\S+ \S*B), (\S+ \S+)/s \(bus\)', row['text'])
    if most is None or not text:
        return
    kind, size, _, factor = most
    differ.same('communication', 'kind', re.sub('[-_]|base', '', kind), row['other'])
    differ.shown('communication', 'bytes', size, text.group(1))
    differ.shown(
        'communication', 'bus', size * factor / (periods.median(alike[most]) / 1e12), text.group(2)
    )


def check_collectives(differ, lines, profile, best):
    """Of the device that the screen is of: when a collective is under way, and while the device
    computes as well."""
    calls = calls_of(profile, best.device)
    spans = [(first, end) for _, first, end in calls]
    whole = measure(spans)
    row = differ.said('communication', whole, lines)
    if row is None:
        return
    compute = computing(best.device)
    hidden = measure(spans) + measure(compute) - measure(spans + compute)
    differ.same('communication', 'time', whole, row['time_ps'])
    differ.near('communication', 'ratio', hidden / whole, row['ratio'])
    check_moved(differ, profile, row, calls)
