# SPDX-License-Identifier: Apache-2.0
"""phases.py - steps of inference by phase, and the time to the first token of requests: what the
file says of both, found by looking at every annotation, every piece of work and every request for
itself."""

import math
import re
import statistics
from collections import Counter, defaultdict

import kineto
from exact import measure

PHASES = 'prefill', 'decode', 'mixed', 'verify'
# The names that vLLM (three), SGLang and ATOM give their steps.
SQUARES = r'(?:_\d+)?'
COUNTED = re.compile(rf'execute_context_(\d+)\((\d+){SQUARES}\)_generation_(\d+)\((\d+){SQUARES}\)')
SUMMED = re.compile(r'execute_\d+_context_(\d+)\(sq(\d+)sk[^)]*\)_generation_(\d+)\(sq(\d+)sk')
OLD = re.compile(r'execute_new_(\d+)_cached_(\d+)')
SGLANG = re.compile(r'step\[(?:\w*?_?(VERIFY)|(DECODE)|(MIXED)|(EXTEND|PREFILL))(?= |\])')
ATOM = re.compile(r'(prefill|decode)\[bs=(\d+)(?: tok=(\d+))?')


class Step:
    """One annotation: [first, end), its phase, and how many requests, tokens of context and
    generated tokens it says; None: it does not say."""

    def __init__(self, row, phase, requests, context, generated):
        self.name, self.first, self.end, self.phase = row.name, row.first, row.end, phase
        self.says = [requests, context, generated]
        self.work = []


def kind(context, generated):
    return (
        'mixed'
        if context and generated
        else 'prefill'
        if context
        else 'decode'
        if generated
        else None
    )


def number(name, word):
    match = re.search(word + r'=(\d+)', name)
    return int(match.group(1)) if match else None


def step_of(row):
    """None where the name says no phase."""
    for pattern in (COUNTED, SUMMED):
        match = pattern.match(row.name)
        if match:
            r, t, other, tokens = map(int, match.groups())
            return Step(row, kind(t, tokens), r + other, t, tokens) if kind(t, tokens) else None
    match = OLD.match(row.name)
    if match:
        new, old = map(int, match.groups())
        return Step(row, kind(new, old), new + old, None, None) if kind(new, old) else None
    match, bs = SGLANG.match(row.name), number(row.name, 'bs')
    if match:
        verify, decode, mixed, _ = match.groups()
        says = (
            (bs, None, None)
            if verify or mixed
            else (bs, 0, bs)
            if decode
            else (bs, number(row.name, 'toks'), 0)
        )
        return Step(
            row,
            'verify' if verify else 'mixed' if mixed else 'decode' if decode else 'prefill',
            *says,
        )
    match = ATOM.match(row.name)
    if match:
        tokens = number(row.name, 'tok')
        return Step(
            row,
            match.group(1),
            int(match.group(2)),
            *((tokens, 0) if match.group(1) == 'prefill' else (0, tokens)),
        )
    return None


def merged(annotations):
    """The parts of one on several streams are one step; of those within each other the innermost is
    the step, and knows what those around it say of the same phase."""
    result = []
    for step in sorted(annotations, key=lambda s: (s.first, -s.end)):
        parts = [s for s in result if s.name == step.name and s.first <= step.first < s.end]
        if parts:
            parts[-1].end = max(parts[-1].end, step.end)
            know(parts[-1], step)
        else:
            result.append(step)
    around = set()
    for n, step in enumerate(result):
        for outer in reversed(result[:n]):
            if outer.first <= step.first and step.end <= outer.end:
                around.add(outer)
                know(step, outer)
    return [step for step in result if step not in around]


def know(step, other):
    if step.phase == other.phase:
        step.says = [b if a is None else a for a, b in zip(step.says, other.says)]


def at(steps, moment):
    """The step that holds the moment; of several the last to begin."""
    return next((s for s in reversed(steps) if s.first <= moment < s.end), None)


def windows(steps, device):
    """Steps of a host last until all that they launched is over, and begin when the one before has
    ended."""
    for step in steps:
        step.work = []
    rest = []
    for row in device.work:
        step = at(steps, row.launch.first) if row.launch else None
        (step.work if step else rest).append(row)
    before, lengths = -math.inf, {}
    for step in steps:
        first = max(step.first, before)
        before = max([step.end, first] + [row.end for row in step.work])
        lengths[step] = before - first
    return lengths, rest


def own(steps, device):
    for step in steps:
        step.work = []
    rest = []
    for row in device.work:
        step = at(steps, row.first)
        (step.work if step else rest).append(row)
    return {step: step.end - step.first for step in steps}, rest


def quantile(values, share):
    """Linear between the two nearest, rounded."""
    place = (len(values) - 1) * share
    low, high = sorted(values)[math.floor(place)], sorted(values)[math.ceil(place)]
    return low + round((high - low) * (place - math.floor(place)))


def total(values):
    return None if None in values else sum(values)


def periods(steps):
    """{step: from the end of the work of the one before, where both are of one phase}; where ends
    do not rise, to the start of the next."""
    reach = []
    for step in steps:
        rows = [row for row in step.work if row.kind in ('compute', 'communication')] or step.work
        if rows:
            reach.append((step, min(row.first for row in rows), max(row.end for row in rows)))
    by_end = all(a[2] < b[2] for a, b in zip(reach, reach[1:]))
    pairs = [(a, b) for a, b in zip(reach, reach[1:]) if a[0].phase == b[0].phase]
    times = (
        {b[0]: b[2] - a[2] for a, b in pairs} if by_end else {a[0]: b[1] - a[1] for a, b in pairs}
    )
    return {step: time for step, time in times.items() if time > 0}


def row_of(phase, lengths):
    steps = [step for step in lengths if step.phase == phase]
    apart = {step: time for step, time in periods(lengths).items() if step.phase == phase}
    times = [lengths[step] for step in steps]
    requests, context, generated = (total([step.says[i] for step in steps]) for i in range(3))
    each = all(step.says[0] and step.says[0] == step.says[2] for step in steps)
    in_periods = [total([step.says[i] for step in apart]) for i in (1, 2)]
    spoken = any(step.says[0] and (step.says[2] or 0) > step.says[0] for step in steps)
    tokens = (
        None
        if None in in_periods or not apart or spoken
        else sum(in_periods) * 10**12 / sum(apart.values())
    )
    return {
        'steps': len(steps),
        'span_ps': sum(times),
        'busy_ps': measure([r.interval for s in steps for r in s.work]),
        'requests': requests,
        'context_tokens': context,
        'generation_tokens': generated,
        'tokens_per_s': tokens,
        'p50_ps': quantile(times, 0.5),
        'p99_ps': quantile(times, 0.99),
        'tpot_ps': quantile(list(apart.values()), 0.5)
        if apart and phase == 'decode' and each
        else None,
    }


def annotated(profile, data):
    """The steps that hosts annotate, and those that devices do, by process."""
    hosts, devices = defaultdict(list), defaultdict(list)
    for row in kineto.complete(
        event for event in data['traceEvents'] if isinstance(event, dict) and event
    ):
        step = step_of(row)
        if step:
            own = row.process in profile.devices and row.category == 'gpu_user_annotation'
            (devices if own else hosts)[row.process].append(step)
    return hosts, devices


def phases(profile, data):
    """{(device, phase): row of table phases}."""
    hosts, device_steps = annotated(profile, data)
    host_steps = [step for steps in hosts.values() for step in steps]
    result = {}
    for key, device in profile.devices.items():
        steps = merged(device_steps[key] if any(device_steps.values()) else host_steps)
        if not device.work or not steps:
            continue
        lengths, rest = (own if any(device_steps.values()) else windows)(steps, device)
        for phase in PHASES:
            if any(step.phase == phase for step in steps):
                result[device.label, phase] = row_of(phase, lengths)
        if measure([row.interval for row in rest]):
            result[device.label, 'none'] = {
                'steps': None,
                'busy_ps': measure([row.interval for row in rest]),
            }
    return result


def times_to_first_token(data):
    """How many requests SGLang's spans are of, and the time of each of which they tell it."""
    begins, ends, ids = defaultdict(list), defaultdict(list), set()
    for row in kineto.complete(
        event for event in data['traceEvents'] if isinstance(event, dict) and event
    ):
        request = row.args.get('rid')
        if row.category != 'sglang' or not isinstance(request, str) or not request:
            continue
        ids.add(request)
        if row.name == 'tokenize':
            begins[request].append(row.first)
        if row.name == 'prefill_forward':
            ends[request].append(row.end)
    times = [min(ends[i]) - min(begins[i]) for i in ids if begins[i] and ends[i]]
    return len(ids), [time for time in times if time >= 0]


def rows_differ(tables, expected):
    table = tables.get('phases')
    found = {(row['device'], row['phase']): row for row in table.rows} if table else {}
    for place in sorted(set(found) | set(expected)):
        if place not in found or place not in expected:
            yield 'phases', place, 'row', expected.get(place), found.get(place)
            continue
        for column, value in expected[place].items():
            shown = found[place][column]
            near = (
                column == 'tokens_per_s'
                and None not in (value, shown)
                and math.isclose(value, shown, rel_tol=1e-12)
            )
            if shown != value and not near:
                yield 'phases', place, column, value, shown


def requests_differ(tables, n, times):
    """The median of an even number of times may be rounded either way."""
    table = tables.get('requests')
    if not n or not table or not table.rows:
        if n or (table and table.rows):
            yield 'requests', (), 'row', n, table and table.rows
        return
    row = table.rows[0]
    expected = {
        'requests': n,
        'first_tokens': len(times),
        'ttft_p50_ps': times and statistics.median(times),
        'ttft_p99_ps': times and quantile(times, 0.99),
        'ttft_max_ps': times and max(times),
    }
    for column, value in expected.items():
        same = (
            row[column] is None
            if value == []
            else row[column] is not None and abs(row[column] - value) <= 1
        )
        if not same:
            yield 'requests', (), column, value, row[column]


def check_requests(differ, lines, n, times):
    """Line TTFT of the first screen."""
    row = differ.said('ttft', times, lines)
    if row is None:
        return
    differ.rounded('ttft', 'median', statistics.median(times), row['time_ps'])
    p99, told, every = re.fullmatch(
        r'median \S+ \S+; p99 (\S+ \S+); (?:(\d+) of )?(\d+) requests', row['text']
    ).groups()
    differ.shown('ttft', 'p99', quantile(times, 0.99), p99)
    differ.same('ttft', 'requests', (len(times), n), (int(told or every), int(every)))


def check_lines(differ, lines, expected):
    """A line for each of the first four phases, with the steps, and of decode the time of a token;
    where several devices have it, of one, and of how many."""
    found = {(row['device'], row['text'].partition(':')[0]): row for row in lines.get('phases', ())}
    wanted = {place: row for place, row in expected.items() if place[1] in PHASES}
    often = Counter(phase for _, phase in wanted)
    differ.same('phases', 'lines', min(4, len(often)), len(found))
    for place, row in found.items():
        if place not in wanted:
            differ.append(('summary', ('phases',), 'phase', sorted(wanted), place))
            continue
        said = re.search(r', one of (\d+)$', row['text'])
        differ.same('phases', 'devices', often[place[1]], int(said.group(1)) if said else 1)
        differ.same('phases', 'steps', wanted[place]['steps'], row['count'])
        differ.same('phases', 'TPOT', wanted[place]['tpot_ps'], row['time_ps'])


def check_phases(differ, lines, tables, profile, data):
    n, times = times_to_first_token(data)
    expected = phases(profile, data)
    differ += rows_differ(tables, expected)
    differ += requests_differ(tables, n, times)
    check_requests(differ, lines, n, times)
    if expected or 'phases' in lines:
        check_lines(differ, lines, expected)
