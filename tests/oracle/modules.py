# SPDX-License-Identifier: Apache-2.0
"""modules.py - how much of a device's time lies in which part of a model: by the innermost frame `nn.Module: NAME`
around a launch whose name says it."""

import re
from collections import Counter

import kineto
from exact import nested

FRAME = 'nn.Module: '
CLASSES = (('attention', re.compile(r'attention|attn|sdpa|rotary')),
           ('mlp', re.compile(r'mlp|feedforward|ffn|swiglu|moe|expert|intermediate|output$')),
           ('norm', re.compile(r'norm')), ('embedding', re.compile(r'embed')),
           ('head', re.compile(r'lmhead|classifier|pooler')))


def class_of(name):
    text = re.sub(r'_?\d*$', '', name[len(FRAME):].lower()) if re.search(r'_\d+$', name) else name[len(FRAME):].lower()
    return next((what for what, words in CLASSES if words.search(text)), None)


def around_launches(profile):
    """({index of a call: names of the modules around it, innermost first}, whether there are modules)."""
    found, any_frame = {}, False
    for rows in profile.threads.values():
        rows = [row for row in rows if row.category in kineto.CALLS or row.name.startswith(FRAME)]
        any_frame = any_frame or any(row.name.startswith(FRAME) for row in rows)
        holders = nested([row.interval for row in rows])
        for row, at in zip(rows, holders):
            names = found[row.index] = []
            while at is not None:
                if rows[at].name.startswith(FRAME):
                    names.append(rows[at].name)
                at = holders[at]
    return found, any_frame


def classes(profile):
    """{(device, class): ps}; empty: no module is in the file."""
    around, known = around_launches(profile)
    sums = Counter()
    for device in profile.devices.values() if known else ():
        for row in device.work:
            names = around.get(row.launch.index, ()) if row.launch else ()
            what = next(filter(None, map(class_of, names)), 'other' if names else '(no module)')
            sums[device.label, what if row.launch else '(launch not recorded)'] += row.duration
    return sums
