# SPDX-License-Identifier: Apache-2.0
"""modules.py - how much of a device's time lies in which part of a model: by the path of the framework that the work
states, else by the innermost frame `nn.Module: NAME` around its launch, where a name says it."""

import re
from collections import Counter

import kineto
from exact import nested, self_times
from operators import own_times, tracks_of

FRAME = 'nn.Module: '
WRAPPED = re.compile(r'(?:jvp|transpose|vmap|remat|checkpoint|rematted_computation)\((.*)\)$')
CONTROL = set('main while body cond scan remat checkpoint closed_call core_call xla_call custom_jvp_call custom_vjp_call '
              'shard_map pjit rematted_computation custom_vjp_call_jaxpr'.split())
CLASSES = (('attention', re.compile(r'attention|attn|sdpa|rotary')),
           ('mlp', re.compile(r'mlp|feedforward|ffn|swiglu|moe|expert|intermediate|output$')),
           ('norm', re.compile(r'norm')), ('embedding', re.compile(r'embed')),
           ('head', re.compile(r'lmhead|classifier|pooler')))


def class_of_word(text):
    text = re.sub(r'_\d+$', '', text.lower())
    return next((what for what, words in CLASSES if words.search(text)), None)


def class_of(frame):
    return class_of_word(frame[len(FRAME):])


def parts_of(path):
    """Split at each slash that stands in no bracket."""
    parts, depth = [''], 0
    for char in path:
        depth += (char in '([') - (char in ')]')
        if char == '/' and depth <= 0:
            parts.append('')
        else:
            parts[-1] += char
    return parts


def is_layer(part):
    while WRAPPED.match(part):
        part = WRAPPED.match(part).group(1)
    return bool(part) and part not in CONTROL and not re.search(r'\(.*\)$', part)


def path_of(row):
    """The framework's path that the row states: of a kernel of XLA the prefix of its program and the rest, beside which
    tf_op is a scope of XLA itself; of TensorFlow before 2.4 level 0."""
    args = row.args
    said = [args[key] for key in ('prefix', 'name') if args.get('hlo_op') and args.get(key)]
    other = next((args[key] for key in ('tf_op', 'level 0', 'framework_op') if args.get(key)), '')
    return '/'.join(said) or ('' if other in ('XlaModule:', 'Thunk:') else other)


def stated_class(row):
    """The class that the row itself says, `other` if it only names a layer, or None."""
    layer, path = row.args.get('layer'), path_of(row)
    found = [what for what in map(class_of_word, parts_of(layer or path)) if what]
    if found:
        return found[-1]
    return 'other' if layer or any(map(is_layer, parts_of(re.sub(r':[^/]*$', '', path))[:-1])) else None


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


def is_launched(row):
    return row.launch or row.category in kineto.WORK or row.args.get('correlation_id')


def by_launch(row, around):
    if not row.launch:
        return '(launch not recorded)' if is_launched(row) else '(no module)'
    names = around.get(row.launch.index, ())
    return next(filter(None, map(class_of, names)), 'other' if names else '(no module)')


def classes(profile):
    """{(device, class): ps}; empty: the file names no module.  Work that nothing launches may lie in other work,
    and has its self time."""
    around, known = around_launches(profile)
    known = known or any(stated_class(row) for device in profile.devices.values() for row in device.work)
    sums = Counter()
    for device in profile.devices.values() if known else ():
        for rows in tracks_of(device.work):
            own = own_times(rows, [row.interval for row in rows])
            for row, time in zip(rows, own):
                what = stated_class(row) or by_launch(row, around)
                sums[device.label, what] += row.duration if is_launched(row) else time
    return sums
