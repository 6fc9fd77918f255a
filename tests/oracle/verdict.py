# SPDX-License-Identifier: Apache-2.0
"""verdict.py - what bounds the steps that a report looks at: the group of the critical path that has half of a
window; of devices that need no launches the part of the step that has half."""

import statistics
from collections import Counter

import kineto
import steps
import walk
from exact import clipped, holes, measure
from model import Unknown

GROUPS = ('host', 'launch', 'compute', 'communication', 'copy', 'queue')
LOOKED_AT = 8  # steps of a process or device


class Verdict:
    def __init__(self, word, parts, window, device=None, process=None):
        """parts: ps by group.  device: None where it is of a process."""
        self.word, self.device, self.process = word, device, process
        self.loads = False  # data, in most of the time in which the device waits for the host
        order = sorted((group for group in GROUPS if parts[group] > 0), key=lambda group: -parts[group])
        self.most, self.second = (order + [None, None])[:2]
        if word == 'input' and self.most == 'compute':
            self.most, self.second = 'host', 'compute'
        self.share, self.second_share = (parts[group] / window if group else 0 for group in (self.most, self.second))


class Evidence:
    """What the launches and the idle time of a window say beside its path."""

    def __init__(self, recording, window):
        step, work = window.step, recording.work
        here = [row for row in work if not window.device or recording.device[row.index] is window.device]
        inside = [row for row in here if row.end >= window.first and row.first <= window.end]
        linked = [row for row in (window.rows if window.device else inside) if row.launch
                  and (step.first is None or step.first <= row.launch.first < step.end)
                  and (window.device or step.first is None or row.launch.process == step.process)]
        self.launches = len(linked)
        self.early = sum(row.launch.first > row.first for row in linked)
        self.shorter = sum(row.duration < row.launch.duration for row in linked)
        self.unlinked = sum(not row.launch and row.end > window.first and row.first < window.end for row in inside)
        self.host = self.launching = self.loading = 0
        self.idle = window.end - window.first  # of the device that idles least
        self.device = None  # that one
        own = {id(recording.device[row.index]) for row in work if row.launch and row.launch.process == step.process}
        for device in {id(device): device for device in (recording.device[row.index] for row in inside)}.values():
            if not window.device and step.process and id(device) not in own:
                continue
            rows = [row for row in work if recording.device[row.index] is device and row.end > row.first]
            self.take_idle(recording, window, device, rows)

    def take_idle(self, recording, window, device, rows):
        idle = 0
        rows.sort(key=lambda row: (row.first, row.index))
        starts = [row.first for row in rows]
        for first, end in holes([row.interval for row in rows], window.first, window.end):
            row = steps.ends_gap(rows, starts, end)
            thread, until = window.step.thread, end
            if row is not None:
                thread = row.launch.track if row.launch else None
                until = min(max(row.launch.first, first), end) if row.launch else first
            idle += end - first
            self.host += until - first
            self.launching += end - until if row is not None and row.launch and row.launch.first > first else 0
            self.loading += measure(clipped(recording.loading.get(thread, []), first, until)) if until > first else 0
        if self.device is None or idle < self.idle:
            self.idle, self.device = idle, device


def loading_leads(parts, most, window, evidence):
    """Though more time computes: it goes without touching a kernel."""
    return most == 'compute' and evidence and 4 * evidence.loading >= window and 2 * evidence.loading >= parts[most]


def word_of(parts, window, evidence, bandwidth):
    """bandwidth: the part of the computing that is known to be bound by it."""
    most = max(GROUPS, key=lambda group: parts[group])
    if not parts[most]:
        return 'unknown'
    blind = evidence and evidence.unlinked + evidence.early > evidence.launches - evidence.early
    if blind and most in ('host', 'launch', 'queue'):
        return 'unknown'
    if loading_leads(parts, most, window, evidence):
        return 'input'
    if 2 * parts[most] >= window:
        if most == 'host' and evidence and evidence.host and 2 * evidence.loading >= evidence.host:
            return 'input'
        if most == 'host' and evidence and 2 * evidence.shorter > evidence.launches and evidence.launching >= max(evidence.host, 1):
            return 'launch'
        return 'memory-bandwidth' if most == 'compute' and bandwidth > 0.5 else most
    if 2 * (parts[most] + parts['unknown']) >= window:
        return 'unknown'
    if most == 'host' and evidence and 2 * evidence.shorter > evidence.launches:
        return 'launch'
    return 'mixed'


def looked_at(steps_of, length):
    """Of the steps that the profile did not cut and that take time the slowest, the median one, then the first ones; all,
    if all were cut."""
    lengths = [length(step) for step in steps_of]
    half = statistics.median(lengths) / 2
    whole = [step for i, step in enumerate(steps_of) if i not in (0, len(steps_of) - 1) or lengths[i] >= half] or steps_of
    whole = [step for step in whole if length(step)] or whole
    order = sorted(range(len(whole)), key=lambda i: (length(whole[i]), i))
    wanted = [order[-1], order[(len(order) - 1) // 2], *range(len(whole))]
    return [whole[i] for i in sorted(list(dict.fromkeys(wanted))[:LOOKED_AT])]


def may_wait_for_device(path, length, device):
    """The path would blame a queue for time in which the device worked.  device: its parts."""
    most = max(GROUPS, key=lambda group: path.sums[group])
    if not path.doubt or not path.sums[most]:
        return False
    if 2 * path.sums[most] >= length:
        return most == 'queue' and 2 * (path.sums[most] - path.doubt) < length
    return any(2 * device[work] >= length and 2 * (path.sums[work] + path.doubt) >= length
               for work in ('compute', 'communication', 'copy'))


def of_paths(profile, bandwidth):
    """Verdicts of steps whose work has launches, by process and time."""
    recording, processes = walk.Recording(profile), {}
    own = [] if profile.steps else [device for device in profile.devices.values() if steps.has_own(device)]
    for window in [w for device in own for w in steps.own_windows(device)] or steps.windows(profile):
        processes.setdefault(window.device.label if window.device else window.step.process, []).append(window)
    for windows in processes.values():
        for window in looked_at(windows, lambda w: w.end - w.first):
            own = window.rows if window.device or window.step.first is not None else recording.work
            path = walk.Walk(recording, window, own)
            evidence = Evidence(recording, window)
            path.cut(evidence.device)
            length, parts = window.end - window.first, path.sums
            known = length - (parts['unrecorded'] if 10 * parts['unrecorded'] >= length else 0)
            instead = done_by_device(profile, window, evidence.device and evidence.device.label)
            if instead and may_wait_for_device(path, length, instead):
                parts, known = instead, length
            word = 'unknown' if 2 * parts['unrecorded'] > length else word_of(parts, known, evidence, bandwidth)
            found = Verdict(word, parts, known, window.device and window.device.label,
                            window.step.process)
            found.loads = bool(evidence.host) and 2 * evidence.loading >= evidence.host
            yield found


def forget(parts, told):
    """A core of Neuron: without instructions nothing is known of its engines, and without packets what seems idle may be
    a copy."""
    known = GROUPS if told == {'instruction', 'dma'} else ('compute', 'communication') if 'instruction' in told else ()
    for group in set(GROUPS) - set(known):
        parts['unknown'] += parts[group]
        parts[group] = 0


def has_launches(row):
    """A call launches such work, whether it is in the file or not."""
    return row.category in kineto.WORK or kineto.correlation(row) not in (0, -1, None) or 'correlation_id' in row.args


def parts_of(row):
    return Counter({'host': row['idle_host_ps'], 'launch': row['idle_launch_ps'], 'compute': row['compute_ps'],
                    'communication': row['exposed_communication_ps'], 'copy': row['exposed_copy_ps'],
                    'queue': row['idle_wait_ps'], 'unknown': row['idle_unlinked_ps']})


def done_by_device(profile, window, device):
    rows = [row for label, _, row, _, _ in steps.steps(profile)
            if (label, row['start_ps'], row['window_ps']) == (device, window.first, window.end - window.first)]
    return parts_of(rows[0]) if rows else None


def of_parts(profile, bandwidth):
    """Verdicts of devices without launches, by the parts of their steps."""
    blind = any(has_launches(row) for device in profile.devices.values() for row in device.work)
    devices, by_label = {}, {device.label: device for device in profile.devices.values()}
    for device, _step, row, causes, _names in steps.steps(profile):
        devices.setdefault(device, []).append((row, causes))
    for device, rows in devices.items():
        for row, _ in looked_at(rows, lambda r: r[0]['window_ps']):
            parts = parts_of(row)
            if by_label[device].told:
                forget(parts, by_label[device].told)
            word = 'unknown' if blind else word_of(parts, row['window_ps'], None, bandwidth)
            yield Verdict(word, parts, row['window_ps'], device)


def verdicts(profile, bandwidth):
    linked = any(row.launch for device in profile.devices.values() for row in device.work)
    if linked and any(device.around for device in profile.devices.values()):
        raise Unknown('devices with and without launches')
    return list((of_paths if linked else of_parts)(profile, bandwidth))


def most_often(profile, found, label):
    """(verdict, how often, of how many): of the word that most steps have, of that device or of the processes that gave
    it work in steps; of these the one with the share in the middle."""
    mine = {id(row) for device in profile.devices.values() if device.label == label for row in device.work}
    working = {w.step.process for w in steps.windows(profile) if any(id(row) in mine for row in w.rows)}
    found = [verdict for verdict in found if verdict.device == label] \
        or [verdict for verdict in found if verdict.process in working] or found
    counts = Counter(verdict.word for verdict in found)
    word = max(found, key=lambda verdict: counts[verdict.word]).word
    alike = [verdict for verdict in found if verdict.word == word]
    if word != 'unknown':
        alike.sort(key=lambda verdict: verdict.share)
    return alike[(len(alike) - 1) // 2 if word != 'unknown' else 0], len(alike), len(found)
