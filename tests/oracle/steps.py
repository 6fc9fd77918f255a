# SPDX-License-Identifier: Apache-2.0
"""steps.py - what a device did in each step, and why it was idle.

A step's rows are those that it launched, from any thread of its process. Its window begins with the
step on the host, but not before the window of the step before it has ended, and lasts until the
step and all that it launched are over. Windows are cut into compute, exposed communication, exposed
copies and idle time; idle time into what the host, the way of a launch, the device itself and rows
without a launch account for."""

import functools
import os
import re
import statistics
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from itertools import accumulate

from devices import by_kind
from exact import clipped, holes, measure, painted
from model import Device, Step


class Window:
    """One step: [first, end), the step on the host, and the rows that it launched. device: the one
    whose own step it is, if it is. cut: the profile began or ended in it."""

    def __init__(self, step, first, end, rows, device=None):
        self.step, self.first, self.end, self.rows, self.device = step, first, end, rows, device
        self.cut = False


class Ranks:
    """How far a span is from the user, by the list of frames: of frames of Python those of runtimes
    are further away than libraries of kernels, and these than all others."""

    def __init__(self):
        path = os.path.join(os.path.dirname(__file__), '../../share/answers/own-frames.txt')
        lines = [line.split(' ', 1) for line in open(path) if line.strip() and line[0] != '#']
        self.lines = [
            (text.strip(), {'own': 0, 'kernels': 1, 'runtime': 2}[is_]) for is_, text in lines
        ]

    def __call__(self, row):
        if row.category != 'python_function':
            return 0
        path = re.sub(r'^.*(site-packages|dist-packages)/', '', row.name)
        path = re.sub(r'^.*/python/(?=(sglang|triton)/)', '', path)
        library = re.match(r'(.*/)?lib/python3\.\d+/(.*)', path)
        path = library[2] if library else path
        return next(
            (rank for begin, rank in reversed(self.lines) if path.startswith(begin)),
            2 if library else 0,
        )


def nearest(spans):
    """As painted, of (first, end, what, rank): of those under way only those of the least rank."""
    layers = [
        painted([span[:3] for span in spans if span[3] == rank])
        for rank in sorted({span[3] for span in spans})
    ]
    edges = sorted({edge for layer in layers for edge in layer[0]})
    colour = []
    for edge in edges:
        inner = ((names, bisect_right(at, edge) - 1) for at, names in layers)
        colour.append(next((names[k] for names, k in inner if k >= 0 and names[k]), None))
    return edges, colour


class Threads:
    """Returns which span a thread of the host is in, at each moment; of several the innermost, or
    by ranks the nearest to the user."""

    def __init__(self, profile, ranks):
        self.ranks = ranks
        self.spans, self.drawn, self.kinds, self.skip = (
            profile.threads,
            {},
            profile.wall,
            profile.is_step,
        )

    def drawing(self, thread):
        if thread not in self.drawn:
            rows = [
                row
                for row in self.spans.get(thread, ())
                if (self.kinds is None or row.category in self.kinds) and not self.skip(row.name)
            ]
            self.drawn[thread] = nearest(
                [(row.first, row.end, row.name, self.ranks(row)) for row in rows]
            )
        return self.drawn[thread]

    def share(self, thread, first, end, names):
        """Adds the time from first to end to the names that the thread was in."""
        edges, inner = self.drawing(thread)
        at = bisect_right(edges, first) - 1
        while first < end:
            until = edges[at + 1] if at + 1 < len(edges) else end
            until = min(until, end)
            names[(inner[at] if at >= 0 else None) or '(no span)'] += until - first
            first, at = until, at + 1


def owner(steps, row):
    """The step that a row was launched in."""
    if row.launch is None:
        return None
    for number, step in enumerate(steps):
        same = step.process == row.launch.process
        if same and step.first <= row.launch.first < step.end:
            return number
    return None


def before_first(work, owned, steps, mine):
    """Returns where the window of a process's first step may begin: after what was launched in no
    step and was over before the first row of that step began."""
    if not mine[0]:
        return steps[0].first
    start = min(row.first for row in mine[0])
    ends = [row.end for row in work if row.index not in owned and row.end <= start]
    return max([steps[0].first] + ends)


def mark_cut(series):
    """The first and the last step of a process, or of a device that has its own, when shorter than
    half of the median."""
    half = statistics.median(window.end - window.first for window in series) / 2 if series else 0
    for window in series:
        at_end = window in (series[0], series[-1])
        window.cut = at_end and window.end - window.first < half
    return series


def windows_of(steps, devices, every_step):
    """devices: the work of each. What comes before the first step is work in no step, of any
    process, on the devices that the process works on."""
    mine = defaultdict(list)
    for row in (row for work in devices for row in work):
        number = owner(steps, row)
        if number is not None:
            mine[number].append(row)
    own = {row.index for rows in mine.values() for row in rows}
    near = [row for work in devices if any(row.index in own for row in work) for row in work]
    owned = {row.index for row in near if owner(every_step, row) is not None}
    end = before_first(near, owned, steps, mine)
    result = []
    for number, step in enumerate(steps):
        first = max(step.first, end)
        end = max([step.end, first] + [row.end for row in mine[number]])
        result.append(Window(step, first, end, mine[number]))
    return result


def windows(profile):
    devices = [device.work for device in profile.devices.values()]
    work = [row for rows in devices for row in rows]
    if not work:
        return []
    processes = defaultdict(list)
    for step in profile.steps:
        processes[step.process].append(step)
    if processes:
        return [
            w
            for steps in processes.values()
            for w in mark_cut(windows_of(steps, devices, profile.steps))
        ]
    first, end = min(row.first for row in work), max(row.end for row in work)
    whole = Step('', None, None)
    return [Window(whole, first, end, [row for row in work if row.launch])]


def ends_gap(rows, starts, moment):
    """The row that ends a gap: the first from that moment on that takes time; of several that begin
    together the one that was launched first, of several of these the longest."""
    at = bisect_left(starts, moment)
    if at == len(rows):
        return None
    same = rows[at : bisect_right(starts, starts[at])]
    linked = [row for row in same if row.launch]
    if linked:
        return min(linked, key=lambda row: (row.launch.first, -row.duration, row.index))
    return same[0]


def idle(gaps, rows, starts, window, threads):
    """Idle time by cause, and the part of the host by name."""
    causes, names = Counter(), Counter()
    linked = any(row.launch for row in rows)
    for first, end in gaps:
        row = ends_gap(rows, starts, end)
        if row.launch is None if row is not None else not linked:
            causes['unlinked'] += end - first
            continue
        thread = row.launch.track if row else window.step.thread
        launched = min(max(row.launch.first, first), end) if row else end
        if row and row.launch.first <= first:
            causes['wait'] += end - first
            continue
        causes['host'] += launched - first
        causes['launch'] += end - launched
        if thread is not None:
            threads.share(thread, first, launched, names)
        else:  # nothing follows, and no step says whose host it was
            names[''] += launched - first
    return causes, names


def breakdown(window, device, threads):
    """One row of table step_breakdown, and the rows of idle_causes that belong to it."""
    first, end = window.first, window.end
    inside = [row for row in device.work if min(row.end, end) > max(row.first, first)]
    cut = {
        kind: clipped([r.interval for r in inside if r.kind == kind], first, end)
        for kind in ('compute', 'communication', 'copy')
    }
    every = clipped([row.interval for row in inside], first, end)
    own = {row.index for row in window.rows}
    known = clipped([r.interval for r in inside if r.index in own or not r.launch], first, end)
    compute = measure(cut['compute'])
    both = measure(cut['compute'] + cut['communication'])
    moved = measure(cut['compute'] + cut['communication'] + cut['copy'])
    busy = measure(every)
    rows = sorted(
        (row for row in device.work if row.end > row.first), key=lambda r: (r.first, r.index)
    )
    starts = [row.first for row in rows]
    causes, names = idle(holes(every, first, end), rows, starts, window, threads)
    launched = [row for row in window.rows if row in device.members]
    if not any(
        row.launch for row in device.work
    ):  # nothing tells what a step launched but the time
        whole = (
            window.device is None and window.step.first is None
        )  # a row without length may begin where it ends
        launched = [row for row in device.work if whole or first <= row.first < end]
    inner = sum(measure(clipped([row.interval], first, end)) for row in launched)
    host = window.step.end - window.step.first if window.step.first is not None else None
    return (
        {
            'cut': window.cut,
            'start_ps': first,
            'window_ps': end - first,
            'host_ps': host,
            'compute_ps': compute,
            'exposed_communication_ps': both - compute,
            'exposed_copy_ps': moved - both,
            'control_ps': busy - moved,
            'idle_ps': end - first - busy,
            'lost_ps': 0,  # no file of the oracle misses rows of a device
            'idle_host_ps': causes['host'],
            'idle_launch_ps': causes['launch'],
            'idle_wait_ps': causes['wait'],
            'idle_unlinked_ps': causes['unlinked'],
            'foreign_ps': busy - measure(known),
            'unlinked_ps': measure(
                clipped([r.interval for r in inside if not r.launch], first, end)
            ),
            'rows': len(launched),
            'launched_ps': sum(row.duration for row in launched),
            'outside_window_ps': sum(row.duration for row in launched) - inner,
        },
        causes,
        names,
    )


def of_programs(device):
    """Steps of a core that nothing launches: its own line of steps, else the executions of the
    program that takes most of its time, by number."""
    if device.steps:
        return [
            (row.name, row.first, row.end) for row in sorted(device.steps, key=lambda r: r.first)
        ]
    times = Counter()
    for row in device.around:
        times[row.name] += row.duration
    if not times:
        return []
    most = max(times, key=times.get)
    rows = sorted((row for row in device.around if row.name == most), key=lambda r: r.first)
    return [(f'{most}#{i}', row.first, row.end) for i, row in enumerate(rows)]


def waits_for(row):
    """Why a core idles within a program, by the row that ends the gap."""
    last = re.match(r'.*-done|recv', row.category or row.name)
    return {'copy': 'dma', 'communication': 'collective'}.get(row.kind if last else None, 'wait')


def idle_of_core(device, gaps, rows, starts):
    """Until the program begins that the next row is of, a gap is the host's, but a wait as long as
    programs last that were under way when the core fell idle; what comes behind all rows
    likewise."""
    causes = Counter()
    until = list(accumulate((row.end for row in rows), max))
    for first, end in gaps:
        row, at = ends_gap(rows, starts, end), bisect_left(starts, end)
        since = until[at - 1] if at else first
        begun = [p.first for p in device.around if row is None or p.first <= row.first]
        begun = (
            max(begun)
            if begun and (row is not None or max(begun) > since)
            else end
            if begun
            else first
        )
        begun = min(max(begun, first), end)
        ended = max((p.end for p in device.around if p.first <= since), default=first)
        ended = min(max(ended, first), begun)
        causes['wait'] += ended - first
        causes['host'] += begun - ended
        causes[waits_for(row) if row else 'wait'] += end - begun
    return causes


def parts_of_core(device, first, end):
    """Compute, exposed communication, exposed copies and control, of what is innermost."""
    plain = Device(device.label)
    plain.work = device.work
    kinds = {kind: clipped(spans, first, end) for kind, spans in by_kind(plain).items()}
    compute = measure(kinds['compute'])
    both = measure(kinds['compute'] + kinds['communication'])
    moved = measure(kinds['compute'] + kinds['communication'] + kinds['copy'])
    return {
        'compute_ps': compute,
        'exposed_communication_ps': both - compute,
        'exposed_copy_ps': moved - both,
        'control_ps': measure(sum(kinds.values(), [])) - moved,
    }


def own_windows(device):
    """Those of the steps that a device has itself: their work is what begins in them."""
    end, result = None, []
    for name, first, last in of_programs(device):
        first = max(first, end) if end is not None else first
        end = max(last, first)
        own = [row for row in device.work if first <= row.first < end]
        result.append(Window(Step(name, None, None), first, end, own, device))
    return mark_cut(result)


def has_own(device):
    """Steps of its own, and launches that say why it idles."""
    return bool(device.steps) and any(row.launch for row in device.work)


def own_steps(device, threads):
    for window in own_windows(device):
        row, causes, names = breakdown(window, device, threads)
        del row['foreign_ps'], row['unlinked_ps']
        yield device.label, window.step.name, row, causes, names


def core_steps(device):
    """As breakdown, for each step of a core; what launches would tell is left out."""
    rows = sorted(
        (row for row in device.work if row.end > row.first), key=lambda r: (r.first, r.index)
    )
    starts = [row.first for row in rows]
    for window in own_windows(device):
        name, first, end = window.step.name, window.first, window.end
        row, _, _ = breakdown(window, device, None)
        every = clipped([row.interval for row in device.work], first, end)
        causes = idle_of_core(device, holes(every, first, end), rows, starts)
        row.update(parts_of_core(device, first, end))
        row.update(
            idle_host_ps=causes['host'],
            idle_launch_ps=0,
            idle_unlinked_ps=0,
            idle_wait_ps=causes['wait'] + causes['dma'] + causes['collective'],
        )
        del row['foreign_ps'], row['unlinked_ps']
        yield device.label, name, row, causes, {'': causes['host']}


def without_launches(row, causes, names):
    """Work of no category (RPD writes none) names no launch: none is unlinked, and the device
    waits."""
    causes['wait'] += causes.pop('unlinked', 0)
    row.update(idle_wait_ps=causes['wait'], idle_unlinked_ps=0, unlinked_ps=0)
    return row, causes, names


def of_device(every, device):
    """A device has the steps of the processes that launched work on it in steps; where none did,
    all."""
    mine = {id(row) for row in device.work}
    processes = {w.step.process for w in every if any(id(row) in mine for row in w.rows)}
    return [w for w in every if not processes or w.step.process in processes]


@functools.lru_cache(1)  # several checks ask for those of one trace after the other
def steps(profile, own_first=True):
    """[(device, step, row of step_breakdown, causes, names of the host's part)] in order of
    time. own_first: names are of the user's own frames where there are any."""
    threads = Threads(profile, Ranks() if own_first else lambda row: 0)
    result = []
    launched = []
    for device in profile.devices.values():
        device.members = set(device.work)
        if has_own(device) and not profile.steps:
            result += own_steps(device, threads)
        elif not device.around or any(row.launch for row in device.work):
            launched.append(device)
        else:
            result += core_steps(device)
    every = windows(profile) if launched else []
    own = {id(device): of_device(every, device) for device in launched}
    for window in every:
        for device in (d for d in launched if window in own[id(d)]):
            parts = breakdown(window, device, threads)
            if not any(row.launch or row.category for row in device.work):
                parts = without_launches(*parts)
            result.append((device.label, window.step.name, *parts))
    return result
