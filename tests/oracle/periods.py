# SPDX-License-Identifier: Apache-2.0
"""periods.py - the windows that a verdict counts, and what a device did in them, as
nprof-analyzer-steps(7) has it: periods of the host's steps, the device's own steps from end to end
(one alone from its start to its end, where most of the busy time is in it),
the steps that a server annotates, a sequence of names that repeats and covers enough, or the span;
without the first one, which holds what the device still had to do, and without the few that take
three times the median."""

import re
from collections import Counter, defaultdict

import steps
from devices import by_kind
from exact import clipped, measure
from model import Device

# A period over LONG times the median is left out, where at most one in FEW is so and LEAST remain.
LONG, FEW, LEAST = 3, 5, 3


def fills(row):
    return 'memset' in row.category.lower() or row.name.lower().startswith('memset')


def median(values):
    """Of an even number the mean of the middle two, rounded half up."""
    values = sorted(values)
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return low + (high - low + 1) // 2


# -- Steps of the host
# ------------------------------------------------------------------------------------------------


def lasting(rows):
    """Copies and fills of memory may outlive their step: they count where there is nothing else."""
    return [
        row for row in rows if row.kind in ('compute', 'communication') and not fills(row)
    ] or rows


def by_ends(windows):
    """From the last end of a step to the next; the first one, which does not count, is told
    apart."""
    found, before, lag = [], None, None
    for first, rows, step in windows:
        if not rows:
            continue
        end = max(row.end for row in rows)
        if before is None:
            lag = max(end, first) - first
        elif end > before:
            found.append((before, end, step))
        before = end if before is None else max(before, end)
    return found, lag


def of_steps(windows):
    """windows: (first, rows that the step launched on the device, step) in order. Returns [(first,
    end, step)], and what the first one took."""
    windows = [(first, lasting(rows), step) for first, rows, step in windows]
    worked = [(rows, step) for _, rows, step in windows if rows]
    if len(worked) < 2:
        return [], None
    ends = [max(row.end for row in rows) for rows, _ in worked]
    starts = [min(row.first for row in rows) for rows, _ in worked]
    rise = [all(a < b for a, b in zip(edges, edges[1:])) for edges in (ends, starts)]
    if len(worked) > 2 and rise == [False, True]:
        return [(a, b, step) for a, b, (_, step) in zip(starts, starts[1:], worked)], None
    return by_ends(windows)


def one_step(windows, own):
    """The step alone that has work: until its work and itself are over."""
    for window in windows:
        rows = lasting(own(window))
        if rows:
            return [(window.first, max(window.step.end, max(row.end for row in rows)), window.step)]
    return []


def of_host(windows, device):
    """(base, windows, first window) of the process that gave the device most rows; without launches
    by time alone."""
    mine, processes = {id(row) for row in device.work}, defaultdict(list)
    for window in windows:
        processes[window.step.process].append(window)
    rows_of = {id(w): [row for row in w.rows if id(row) in mine] for w in windows}
    if not any(rows_of.values()):
        rows_of = {
            id(w): [row for row in device.work if w.first <= row.first < w.end] for w in windows
        }
    most = max(processes.values(), key=lambda own: sum(len(rows_of[id(w)]) for w in own))
    found, lag = of_steps([(w.first, rows_of[id(w)], w.step) for w in most])
    if found:
        return 'step', found, lag
    return 'step1', one_step(most, lambda w: rows_of[id(w)]), None


# -- Steps of a server
# ------------------------------------------------------------------------------------------------


def innermost(annotations):
    """Parts of a step on several streams have one name; of different names that lie in each other
    the innermost is the step."""
    joined = []
    for one in sorted(annotations, key=lambda a: (a.first, -a.end)):
        same = [a for a in joined if a.name == one.name and one.first < a.end]
        if same:
            same[-1].end = max(same[-1].end, one.end)
        else:
            joined.append(one)
    return [
        a
        for a in joined
        if not any(b is not a and a.first <= b.first and b.end <= a.end for b in joined)
    ]


def of_server(key, device, annotated):
    """annotated: steps by process of hosts, and by that of devices. A step has what its annotation
    of the host launched, else what began in that of the device."""
    of_hosts, of_devices = annotated
    processes = [
        (inner, [row for row in device.work if row.launch and row.launch.process == process])
        for process, inner in ((p, innermost(a)) for p, a in of_hosts.items())
    ]
    owned = [
        [
            (step, [row for row in rows if step.first <= row.launch.first < step.end])
            for step in inner
        ]
        for inner, rows in processes
    ]
    most = max(owned, key=lambda steps: sum(len(rows) for _, rows in steps), default=[])
    if not any(rows for _, rows in most):
        most = [
            (step, [row for row in device.work if step.first <= row.first < step.end])
            for step in innermost(of_devices.get(key, ()))
        ]
    found, before, lag = [], None, None
    for _, rows in most:
        if not rows:
            continue
        first, end = min(row.first for row in rows), max(row.end for row in lasting(rows))
        if before is not None:
            first = before
        if end <= first:
            continue
        if before is None:
            lag = end - first
        else:
            found.append((first, end, None))
        before = end
    if found:
        return 'phase', found, lag
    alone = [(min(row.first for row in rows), rows) for _, rows in most if rows]
    if not alone:
        return 'phase1', [], None
    return 'phase1', [(alone[0][0], max(row.end for row in lasting(alone[0][1])), None)], None


# -- Names that repeat
# ------------------------------------------------------------------------------------------------

MIDDLE, NEXT, CANDIDATES = 20000, 4, 120
MOST_OF_NAME, FEWEST, ALIKE, NEARLY = 400, 12, 0.85, 0.01


def positions(names):
    found = defaultdict(list)
    for at, name in enumerate(names):
        found[name].append(at)
    return found


def distances(names):
    """The most frequent distances from a row to the first four next of its name."""
    low, high = max(0, len(names) // 2 - MIDDLE // 2), min(
        len(names), len(names) // 2 + MIDDLE // 2
    )
    counts = Counter()
    for at in positions(names[low:high]).values():
        if 3 <= len(at) <= MOST_OF_NAME:
            for k in range(1, NEXT + 1):
                counts.update(b - a for a, b in zip(at, at[k:]))
    return sorted(distance for distance, _ in counts.most_common(CANDIDATES))


def pattern(names, p):
    return names[len(names) // 3 : len(names) // 3 + p]


def length_of_pattern(names):
    """The smallest distance that repeats nearly as well as the best; None: none repeats."""
    shares = {}
    for p in distances(names):
        if 2 <= p <= len(names) // 3 and len(set(pattern(names, p))) > 1:
            share = sum(a == b for a, b in zip(names, names[p:])) / (len(names) - p)
            if share >= ALIKE:
                shares[p] = share
    return min(
        (p for p, share in shares.items() if share >= max(shares.values()) - NEARLY), default=None
    )


def unevenness(starts, at):
    """How far distances are from their median, on the mean, as a share of it."""
    lengths = sorted(starts[b] - starts[a] for a, b in zip(at, at[1:]))
    middle = lengths[len(lengths) // 2]
    return (
        sum(abs(length - middle) for length in lengths) / len(lengths) / middle
        if middle
        else float('inf')
    )


def edges(names, starts, p):
    """Rows of the name that comes once a pattern, and the most evenly."""
    once = [name for name, n in Counter(pattern(names, p)).items() if n == 1]
    found = [at for name, at in positions(names).items() if name in once and len(at) >= 3]
    return min(
        found,
        key=lambda at: (unevenness(starts, at), -len(at)),
        default=list(range(0, len(names), p)),
    )


def even(names, starts):
    """Rows of a name of which 8 of 10 distances lie within a tenth of their median, half of the
    time long; of those the seldomest."""
    best, longest = [], 0
    for at in positions(names).values():
        if (
            not 5 <= len(at) <= 2000
            or 2 * (starts[at[-1]] - starts[at[0]]) < starts[-1] - starts[0]
        ):
            continue
        lengths = sorted(starts[b] - starts[a] for a, b in zip(at, at[1:]))
        middle = lengths[len(lengths) // 2]
        near = sum(10 * abs(length - middle) <= middle for length in lengths)
        if middle > longest and 10 * near >= 8 * len(lengths):
            best, longest = at, middle
    return best


def repeats(device, first, end):
    """Periods of what the device does, if they cover 80 % of its time."""
    rows = sorted((row for row in device.work if not fills(row)), key=lambda r: (r.first, r.index))
    names, starts = [row.name for row in rows], [row.first for row in rows]
    if len(rows) < FEWEST:
        return []
    p = length_of_pattern(names)
    at = edges(names, starts, p) if p else even(names, starts)
    found = [(starts[a], starts[b], None) for a, b in zip(at, at[1:])]
    return found if 10 * sum(b - a for a, b, _ in found) >= 8 * (end - first) else []


# -- What counts
# ------------------------------------------------------------------------------------------------------


class Judged:
    """What counts of one device: base is step, step1, phase, phase1, period or span; windows
    (first, end, step of the host or None); lag: what the first one took."""

    def __init__(self, device, base, windows, lag):
        self.device, self.base, self.lag = device, base, lag
        self.median = median([end - first for first, end, _ in windows])
        short = [w for w in windows if w[1] - w[0] <= LONG * self.median]
        out = len(windows) - len(short)
        if out and FEW * out <= len(windows) and len(short) >= LEAST:
            windows = short
            self.median = median([end - first for first, end, _ in windows])
        self.left_out = out if windows is short else 0
        self.windows, self.all = windows, sum(end - first for first, end, _ in windows)
        self.compute, self.comm, self.copy, self.control = (
            sum(part) for part in zip(*(parts(device, first, end) for first, end, _ in windows))
        )
        self.steps = [step for _, _, step in windows if step]
        self.idle = self.all - self.compute - self.comm - self.copy - self.control

    def covers_little(self):
        """No more than half of the busy time since the first window, or less than a quarter of all;
        or less than a tenth of the span, without nine tenths of the busy time."""
        spans = [(row.first, row.end) for row in self.device.work]
        first, end = min(a for a, _ in spans), max(b for _, b in spans)
        since = measure(clipped(spans, self.windows[0][0], end))
        inside = sum(measure(clipped(spans, a, b)) for a, b, _ in self.windows)
        busy = measure(spans)
        short = 10 * self.all < end - first and 10 * inside < 9 * busy
        return short or 2 * inside <= since or 4 * inside < busy

    def mean(self, part):
        return getattr(self, part) / len(self.windows)

    def leads(self):
        """Others wait for the one whose steps take longest, of these for the one that idles least;
        of spans the one that works most is of interest."""
        span = self.base == 'span'
        return not span, self.all - self.idle if span else self.median, -self.idle


def parts(device, first, end):
    """Computing; communication while nothing computes; copies while neither is; control alone."""
    plain = Device(device.label)
    plain.work = device.work
    kinds = {kind: clipped(spans, first, end) for kind, spans in by_kind(plain).items()}
    compute = kinds['compute']
    both = compute + kinds['communication']
    moved = both + kinds['copy']
    return (
        measure(compute),
        measure(both) - measure(compute),
        measure(moved) - measure(both),
        measure(moved + kinds['control']) - measure(moved),
    )


def has_most_time(window, device):
    """Rows may lie within each other, and many may be short: their union counts."""
    own = clipped([(row.first, row.end) for row in window.rows], window.first, window.end)
    return 2 * measure(own) > measure([(row.first, row.end) for row in device.work])


def windows_of(profile, device, windows, annotated):
    """(base, windows, first window)"""
    own = (
        not any(row.launch for row in device.work)
        and device.around
        or steps.has_own(device)
        and not profile.steps
    )
    series = steps.own_windows(device) if own else []
    if len(series) > 2:
        return (
            'period',
            [(a.end, b.end, None) for a, b in zip(series, series[1:]) if not b.cut],
            None,
        )
    if len(series) == 1 and not series[0].cut and has_most_time(series[0], device):
        return 'step1', [(series[0].first, series[0].end, None)], None
    if profile.steps and not own:
        found = of_host(windows, device)
        if found[1]:
            return found
    key = next(key for key, one in profile.devices.items() if one is device)
    found = of_server(key, device, annotated)
    if found[1]:
        return found
    first, end = min(row.first for row in device.work), max(row.end for row in device.work)
    found = repeats(device, first, end)
    if found and not Judged(device, 'period', found, None).covers_little():
        return 'period', found, None
    return 'span', [(first, end, None)], None


def in_order(label):
    """GPU 2 is before GPU 10."""
    return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', label)]


def judged(profile, annotated=({}, {})):
    """Of each device that works; the one that the first screen is of is the first, of equal ones by
    its label. annotated: of servers, those that
    phases.annotated finds."""
    windows = steps.windows(profile) if profile.steps else []
    devices = sorted(
        (device for device in profile.devices.values() if device.work),
        key=lambda device: in_order(device.label),
    )
    found = [Judged(device, *windows_of(profile, device, windows, annotated)) for device in devices]
    return sorted(found, key=Judged.leads, reverse=True)
