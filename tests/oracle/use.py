# SPDX-License-Identifier: Apache-2.0
"""use.py - figures of the first screen that say how well devices are used: MFU, MBU and roofline, by the shapes of
PyTorch's arguments or as XLA's compiler states flops and bytes; and how much of their communication is hidden."""

import re

import declared
import messages
import rates
from shown import equal


def split(answer):
    shown, unit = answer.rsplit(' ', 1)
    return shown, unit


def check_roofline(differ, found, use):
    bound, most, other, link, unknown = rates.roofline(use)
    differ.expect('roofline', *split(found['roofline'][0]), most)
    text = re.match(r'of its work (\w+)-bound, (<?[\d.]+) % \w+(?:, (<?[\d.]+) % link)?(?:, (<?[\d.]+) % unknown)?', found['roofline'][1])
    if text.group(1) != bound:
        differ.append(('screen', ('roofline',), 'bound', bound, text.group(1)))
    differ.expect('roofline, other', text.group(2), '%', other)
    for shown, question, share in ((text.group(3), 'link', link), (text.group(4), 'unknown', unknown)):
        if shown:
            differ.expect(f'roofline, {question}', shown, '%', share)
        elif share > 0.01:
            differ.append(('screen', ('roofline',), question, share, 'not said'))


def by_shapes(profile, data):
    """Of a trace of PyTorch on one GPU; None: nothing is known, or the oracle lacks a formula."""
    if not profile.framework or len(profile.devices) > 1:
        return None
    device, = profile.devices.values()
    name = rates.name_of(data, device)
    facts = rates.device_facts(name) if name else None
    use = rates.Use(profile, device, facts) if facts else None
    return use if use and not use.lacks and use.calls and use.least(use.calls) is not None else None


def check_shapes(differ, found, profile, means, use):
    names = {name for name, _, _, _ in means.whole}
    calls = use.of_steps([step for step in profile.steps if step.name in names]) if means.named else use.calls
    if not calls:
        if 'MFU' in found:
            differ.append(('screen', ('MFU',), 'said', 'no product in a step', found['MFU']))
        return
    mfu = use.least(calls) / sum(row['window_ps'] for _, row, _, _ in means.whole)
    operators = list(use.operators())
    timed = sum(time for time, _, _ in operators)
    for question, said in (('MFU', True), ('roofline', timed > 0)):
        if (question in found) != said:
            differ.append(('screen', (question,), 'said', said, question in found))
            return
    differ.expect('MFU', *split(found['MFU'][0]), mfu)
    if not timed:
        return
    at = sum(least for _, least, _ in operators) / timed
    text = re.search(r'(<?[\d.]+) % of .* has flops, at (<?[\d.]+) % of peak', found['MFU'][1])
    if text:
        differ.expect('MFU, with flops', text.group(1), '%', mfu / at)
        differ.expect('MFU, at', text.group(2), '%', at)
    check_roofline(differ, found, use)


def check_least(differ, question, found, values):
    """Of several devices the least, and until where."""
    if (question in found) != bool(values):
        differ.append(('screen', (question,), 'said', values, question in found))
    elif values:
        differ.expect(question, *split(found[question][0]), min(values))
        until = re.match(r'([\d.]+) %; ', found[question][1])
        if until:
            differ.expect(question + ', most', until.group(1), '%', max(values))


def check_declared(differ, found, uses, label):
    """Of XLA: flops and bytes are those that the compiler states."""
    known = [use for use in uses.values() if use.mfu is not None]
    check_least(differ, 'MFU', found, [use.mfu for use in known])
    alone = [use.hfu for use in uses.values() if use.mfu is None and use.hfu is not None]
    # Cores of a logical core run one execution together, in the same time: their peak is that of all.
    check_least(differ, 'HFU', found, [sum(alone) / len(uses)] if alone and not known else [])
    check_least(differ, 'MBU', found, [use.mbu for use in uses.values() if use.mbu is not None])
    hardware = re.match(r'HFU ([\d.]+) %', found.get('MFU', ('', ''))[1])
    if hardware:
        differ.expect('HFU', hardware.group(1), '%', min(use.hfu for use in known))
    operators = list(uses[label].operators())
    timed = sum(time for time, mfu, _ in operators if mfu)
    text = re.search(r'(<?[\d.]+) % of the time has flops, at (<?[\d.]+) % of peak', found.get('MFU', ('', ''))[1])
    if text:
        at = sum(mfu * time for time, mfu, _ in operators if mfu) / timed
        differ.expect('MFU, with flops', text.group(1), '%', min(use.mfu for use in known) / at)
        differ.expect('MFU, at', text.group(2), '%', at)
    if ('roofline' in found) != any(bound in ('compute', 'memory') for _, _, bound in operators):
        differ.append(('screen', ('roofline',), 'said', operators, 'roofline' in found))
    elif 'roofline' in found:
        check_roofline(differ, found, uses[label])


class Uses:
    """How well the devices of a profile are used: by_shapes, of PyTorch's (or None); declared, of those that XLA states."""

    def __init__(self, profile, data):
        self.by_shapes = by_shapes(profile, data)
        stated = any(device.facts for device in profile.devices.values())
        self.declared = {device: declared.Use(device) for device in profile.devices.values() if device.work} if stated else {}

    def bandwidth_share(self, computing):
        """The part of the computing, in ps, that is known to be bound by the main memory."""
        memory, compute = 0, 0
        if self.by_shapes:
            for time, _, bound in self.by_shapes.operators():
                memory, compute = memory + (bound == 'memory') * time, compute + (bound != 'memory') * time
        for device, use in self.declared.items():
            if device.facts:
                one, other = use.bandwidth_bound()
                memory, compute = memory + one, compute + other
        return memory / max(computing, memory + compute, 1)


def check_use(differ, found, profile, means, uses):
    if uses.by_shapes:
        check_shapes(differ, found, profile, means, uses.by_shapes)
    elif uses.declared:
        check_declared(differ, found, {device.label: use for device, use in uses.declared.items()}, means.label)


def check_moved(differ, text, known):
    """known: (bytes, bytes a second) of calls that move most; any of them may be shown."""
    if not known:
        return
    if not text.group(2):
        differ.append(('screen', ('collective',), 'said', known, 'not said'))
        return
    differ.expect('collective, bytes', *split(text.group(2)), known[0][0])
    if not any(equal(*split(text.group(3)), rate) for _, rate in known):
        differ.append(('screen', ('collective',), 'GB/s', known, text.group(3)))


def check_collectives(differ, found, words, profile):
    """Kernels of Kineto, which say what they move where PyTorch tells them, and instructions of XLA."""
    said = found.get('if comm hidden', ('', words.get('communication', '')))[1]
    text = re.search(r'([<\d.]+) % is hidden(?:; \w+ ([\d.]+ (?:[KMGT]i)?B): ([\d.]+ [kMGT]?B)/s)?', said)
    whose = rates.hidden(profile.devices.values()) if profile.framework else messages.hidden(profile)
    if (text is not None) != (whose is not None):
        differ.append(('screen', ('communication',), 'said', whose, said))
    if not text or whose is None:
        return
    differ.checked.add('if comm hidden')
    differ.expect('hidden', text.group(1), '%', whose)
    if profile.framework:
        moved = rates.largest(next(iter(profile.devices.values()))) if len(profile.devices) == 1 else None
        check_moved(differ, text, [moved] if moved else [])
    else:
        check_moved(differ, text, messages.largest(profile))


def check_words(differ, words, profile):
    """Communication was not found where no device has any."""
    if not words:
        return
    has = any(rates.of_collectives(device) or any(row.kind == 'communication' for row in device.beside)
              for device in profile.devices.values())
    none = 'communication' in words.get('no finding', '').split(', ')
    if none == has:
        differ.append(('screen', ('no finding',), 'communication', not has, none))
