# SPDX-License-Identifier: Apache-2.0
"""use.py - figures of the first screen that say how well a GPU is used: MFU and roofline by shapes, how much of its
communication is hidden, and that none was found."""

import re

import rates


def split(answer):
    shown, unit = answer.rsplit(' ', 1)
    return shown, unit


def check_roofline(differ, found, use):
    bound, most, other, unknown = rates.roofline(use)
    differ.expect('roofline', *split(found['roofline'][0]), most)
    text = re.match(r'of its work (\w+)-bound, (\d+) % \w+(?:, of (\d+) % unknown)?', found['roofline'][1])
    if text.group(1) != bound:
        differ.append(('screen', ('roofline',), 'bound', bound, text.group(1)))
    differ.expect('roofline, other', text.group(2), '%', other)
    if text.group(3):
        differ.expect('roofline, unknown', text.group(3), '%', unknown)


def check_use(differ, found, profile, means, data):
    """MFU and roofline of a trace of PyTorch on one GPU, by the shapes of its arguments."""
    if not profile.framework or len(profile.devices) > 1:
        return
    device, = profile.devices.values()
    name = rates.name_of(data, device)
    facts = rates.device_facts(name) if name else None
    use = rates.Use(profile, device, facts) if facts else None
    if not use or use.lacks or not use.calls or use.least(use.calls) is None:
        return
    names = {name for name, _, _, _ in means.whole}
    calls = use.of_steps([step for step in profile.steps if step.name in names]) if means.named else use.calls
    mfu = use.least(calls) / sum(row['window_ps'] for _, row, _, _ in means.whole)
    for question in ('MFU', 'roofline'):
        if question not in found:
            differ.append(('screen', (question,), 'said', mfu, 'not said'))
            return
    differ.expect('MFU', *split(found['MFU'][0]), mfu)
    operators = list(use.operators())
    at = sum(least for _, least, _ in operators) / sum(time for time, _, _ in operators)
    text = re.search(r'(\d+) % of .* has flops, at (\d+) % of peak', found['MFU'][1])
    if text:
        differ.expect('MFU, with flops', text.group(1), '%', mfu / at)
        differ.expect('MFU, at', text.group(2), '%', at)
    check_roofline(differ, found, use)


def check_collectives(differ, found, profile):
    """Kernels of Kineto, which say what they move where PyTorch tells them."""
    question = next((q for q in ('if comm hidden', 'communication') if q in found), None)
    text = re.search(r'([<\d.]+) % is hidden(?:; \w+ ([\d.]+) MB: ([\d.]+) GB/s)?', ' '.join(found.get(question, ())))
    if not text or not profile.framework:
        return
    differ.checked.add(question)
    differ.expect('hidden', text.group(1), '%', rates.hidden(profile.devices.values()))
    moved = rates.largest(next(iter(profile.devices.values()))) if len(profile.devices) == 1 else None
    if moved and text.group(2):
        differ.expect('collective, MB', text.group(2), 'MB', moved[0])
        differ.expect('collective, GB/s', text.group(3), 'GB', moved[1])
    elif moved:
        differ.append(('screen', ('collective',), 'said', moved, 'not said'))


def check_words(differ, words, profile):
    """Communication was not found where no device has any."""
    if not words:
        return
    has = any(rates.of_collectives(device) or any(row.kind == 'communication' for row in device.beside)
              for device in profile.devices.values())
    none = 'communication' in words.get('no finding', '').split(', ')
    if none == has:
        differ.append(('screen', ('no finding',), 'communication', not has, none))
