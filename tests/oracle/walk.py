# SPDX-License-Identifier: Apache-2.0
"""walk.py - the critical path of a step, found backwards: each time to what was waited for last,
and who waited.

Work of a device waited for the work before it on its queue, for an event of another queue or for
its launch; a call that blocks waited for work; a thread that did nothing for another thread of its
process. The parts of a path follow each other without a gap, so that they sum to the window."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict

import kineto
from exact import clipped, joined, measure, painted

# Rows of the host that name what it did, but do not say what their thread did.
NOTES = {'user_annotation', 'python_function', 'Trace', 'overhead', 'cuda_profiler_range'}
MS = 10**9  # ps; nothing that is recorded explains a longer wait
ASKS = 'Query'  # calls that only ask whether something is over
# Spans of JAX and its runtime that wait until arrays are there.
READY = re.compile(
    r'.*[ .:]((batched_)?block_until_ready|BlockHostUntilReady)|.*Buffer::Await|\$api\.py:(.*[ .:])?try_to_block'
)

# Functions of a runtime or driver, as XSpaces name their calls.
FUNCTION = re.compile(r'(cuda|cu|hip|musa)[A-Z][A-Za-z0-9_]*')


def loads_data(name):
    return name.startswith(('enumerate(DataLoader)', 'DataLoader', 'IteratorGetNext')) or any(
        part in name
        for part in ('DataLoaderIter', 'torch/utils/data/', 'dataloader.py(', '$dataloader.py:')
    )


def what_blocks(name):
    """Which work a call of that name waits for: 'all', 'stream', 'event', 'copy'; None: it does not
    wait."""
    if not name.startswith(('cu', 'hip', 'musa')) or loads_data(name):
        return None
    for ending, kind in (
        ('DeviceSynchronize', 'all'),
        ('CtxSynchronize', 'all'),
        ('StreamSynchronize', 'stream'),
        ('EventSynchronize', 'event'),
    ):
        if name.endswith(ending):
            return kind
    return 'copy' if 'Memcpy' in name and not name.endswith(ASKS) else None


def what_waits(row):
    """The same of a row.  Categories of frameworks say that it is no call."""
    if row.category in kineto.CALLS:
        return what_blocks(row.name)
    if not row.category and FUNCTION.fullmatch(row.name) and what_blocks(row.name) != 'copy':
        return what_blocks(row.name)
    told = row.category in kineto.HOST or row.category in NOTES
    return 'all' if not told and not loads_data(row.name) and READY.fullmatch(row.name) else None


class Thread:
    """What a thread did at each moment: the innermost span under way (None: nothing)."""

    def __init__(self, rows):
        self.edges, self.colours = painted([(row.first, row.end, row) for row in rows])

    def at(self, moment):
        """(first, row) of the piece that ends at that moment or holds it; what lies before and
        after all is a gap."""
        place = bisect_left(self.edges, moment) - 1
        if place < 0:
            return None, None
        return self.edges[place], (self.colours[place] if place + 1 < len(self.edges) else None)

    def last_end(self, first, end):
        """The last moment in (first, end] at which it stopped to do something that may hand over;
        None: there is none."""
        place = bisect_right(self.edges, end) - 1
        while place > 0 and self.edges[place] > first:
            row = self.colours[place - 1]
            if row is not None and not row.name.endswith(ASKS):
                return self.edges[place]
            place -= 1
        return None


class Recording:
    """Rows of a profile by what asks for them: work by queue, calls by correlation, and what they
    waited for."""

    def __init__(self, profile):
        self.profile = profile
        self.work = sorted(
            (
                row
                for device in profile.devices.values()
                for row in device.work
                if row.category or row.launch
            ),
            key=lambda row: (row.first, -row.end, row.index),
        )
        self.place = {row.index: place for place, row in enumerate(self.work)}
        self.keys = {
            row.index: key for key, device in profile.devices.items() for row in device.work
        }
        self.device = {index: profile.devices[key] for index, key in self.keys.items()}
        self.threads, self.drawn = self.told(), {}
        self.busy = defaultdict(list)  # of each device, by what ran
        for row in self.work:
            self.busy[id(self.device[row.index]), row.kind].append(row.interval)
        self.busy = {key: joined(rows) for key, rows in self.busy.items()}
        self.first = {
            track: min(row.index for row in rows) for track, rows in profile.threads.items() if rows
        }
        self.loading = {
            track: [row.interval for row in rows if loads_data(row.name)]
            for track, rows in profile.threads.items()
        }
        self.before, self.queues = {}, defaultdict(list)
        self.find_queues()
        self.calls = self.by_id()
        self.waits, self.blocked = defaultdict(list), {}
        for row in profile.syncs:
            self.take_sync(row)
        self.by_names()

    def told(self):
        """The spans of each thread that say what it did."""
        return {
            track: [
                row
                for row in rows
                if not self.profile.is_step(row.name) and row.category not in NOTES
            ]
            for track, rows in self.profile.threads.items()
        }

    def find_queues(self):
        """The work before each on its queue is, of that which began before, what ended last."""
        last = {}
        for row in self.work:
            queue = self.keys[row.index], row.track
            self.before[row.index] = last.get(queue)
            if queue not in last or row.end >= last[queue].end:
                last[queue] = row
            self.queues[queue].append(row)
        self.launched = {
            queue: sorted(
                (row for row in rows if row.launch),
                key=lambda r: (r.launch.first, self.place[r.index]),
            )
            for queue, rows in self.queues.items()
        }
        self.ended = {
            queue: sorted(rows, key=lambda r: (r.end, self.place[r.index]))
            for queue, rows in self.queues.items()
        }

    def by_id(self):
        calls = {}
        for rows in self.threads.values():
            for row in rows:
                ident = kineto.correlation(row)
                if row.category in kineto.CALLS and ident not in (0, -1, None):
                    held = calls.get(ident)
                    if held is None or (row.first, row.index) < (held.first, held.index):
                        calls[ident] = row
        return calls

    # -- Launches of a queue

    def last_launched(self, queue, moment):
        rows = self.launched.get(queue, [])
        place = bisect_left(rows, moment, key=lambda row: row.launch.first)
        return rows[place - 1] if place else None

    def next_launched(self, queue, moment):
        rows = self.launched.get(queue, [])
        place = bisect_right(rows, moment, key=lambda row: row.launch.first)
        return rows[place] if place < len(rows) else None

    def ended_within(self, queue, call):
        """The last work that ended within the call, and was launched before it or has no launch."""
        rows = self.ended.get(queue, [])
        for place in range(bisect_right(rows, call.end, key=lambda row: row.end) - 1, -1, -1):
            row = rows[place]
            if row.end <= call.first:
                return None
            if (
                not row.launch
                or row.launch.first < call.first
                and row.launch.process == call.process
            ):
                return row
        return None

    # -- What calls waited for

    def take_sync(self, row):
        """Kineto's rows say which call waited, and for what."""
        call = self.calls.get(kineto.correlation(row))
        if call is None:
            return
        own = row.process, row.track
        if row.name in ('Stream Wait Event', 'Event Sync'):
            self.take_event(row, call, own)
        elif row.name in ('Stream Sync', 'Context Sync'):
            queues = (
                [own]
                if row.name == 'Stream Sync'
                else [queue for queue in self.queues if queue[0] == row.process]
            )
            found = [self.last_launched(queue, call.first) for queue in queues]
            self.blocked.setdefault(call.index, []).extend(one for one in found if one)

    def take_event(self, row, call, own):
        record = self.calls.get(
            kineto.number(row.args.get('wait_on_cuda_event_record_corr_id', -1))
        )
        if record is None or 'EventRecord' not in record.name:
            return
        stream = row.process, (row.process, kineto.number(row.args.get('wait_on_stream', -1)))
        source = self.last_launched(stream, record.first)
        if source is None:
            return
        if row.name == 'Event Sync':
            self.blocked.setdefault(call.index, []).append(source)
            return
        waiting = self.next_launched(own, call.first)
        if waiting is not None and waiting is not source and stream != own:
            self.waits[waiting.index].append(source)

    def by_names(self):
        """Calls that copy wait for their own work, whatever Kineto says; of what it says nothing
        their names do."""
        own = defaultdict(list)
        for row in self.work:
            if row.launch:
                own[row.launch.index].append(row)
        for rows in self.threads.values():
            for call in rows:
                kind = what_waits(call)
                if kind is None:
                    continue
                if kind == 'copy' and own[call.index]:
                    self.blocked.setdefault(call.index, []).extend(own[call.index])
                elif call.index not in self.blocked:
                    self.blocked[call.index] = self.of_process(call)
        self.blocking = {
            row.index for rows in self.threads.values() for row in rows if what_waits(row)
        }

    def of_process(self, call):
        return [last for queue in self.queues for last in [self.ended_within(queue, call)] if last]

    def ran(self, device, first, end):
        """Some work of the device, or of any, ran then."""
        return any(
            measure(clipped(rows, first, end))
            for (key, _), rows in self.busy.items()
            if device in (None, key)
        )

    # -- Threads

    def thread(self, track):
        if track not in self.drawn:
            self.drawn[track] = Thread(self.threads.get(track, []))
        return self.drawn[track]

    def process_of(self, track):
        rows = self.profile.threads.get(track)
        return rows[0].process if rows else track[0]

    def hands_over(self, track, first, end):
        """(moment, thread): the last of another thread of the process that stopped in (first, end];
        of several the one that comes first in the file."""
        best = None
        own = self.process_of(track)
        for other in sorted(
            (t for t in self.threads if t != track and self.process_of(t) == own),
            key=self.first.get,
        ):
            moment = self.thread(other).last_end(first, end)
            if moment is not None and (best is None or moment > best[0]):
                best = moment, other
        return best

    def own_call_blocks(self, row):
        return bool(row.launch) and row.launch.index in self.blocking and row.launch.end >= row.end

    def is_unrecorded(self, row, moment, kind):
        """Nothing in the file tells why the work did not begin once it was ready. kind: 0: by its
        launch."""
        if (
            not row.launch
            or row.first - moment <= MS
            or self.ran(id(self.device[row.index]), moment, row.first)
        ):
            return False
        blocks = self.own_call_blocks(row)
        if blocks:
            return row.first - moment > MS + 1000 * int(
                kineto.number(row.args.get('bytes', 0)) or 0
            )
        return not kind or row.launch.end <= moment

    def waited_for(self, row):
        """(moment, what): what the work was ready by last; None: the file does not say."""
        ready = []
        if row.launch and row.launch.first <= row.first:
            ready.append(
                (
                    row.launch.first
                    if self.own_call_blocks(row)
                    else min(row.launch.end, row.first),
                    0,
                    row.launch,
                )
            )
        ready += [
            (source.end, 1, source) for source in self.waits[row.index] if source.end <= row.first
        ]
        if self.before[row.index]:
            ready.append((min(self.before[row.index].end, row.first), 2, self.before[row.index]))
        return max(ready, key=lambda r: r[:2], default=None)


class Walk:
    """From the end of a window to its start; sums: time by group."""

    def __init__(self, recording, window, own):
        """own: the work of the step."""
        self.recording, self.window = recording, window
        self.sums, self.now, self.skip = Counter(), window.end, None
        self.pauses, self.doubt = [], 0  # of hosts, launches and queues
        self.row, self.thread = None, window.step.thread
        self.begin(own)
        while self.now > window.first:
            if self.row is not None:
                self.on_device()
            elif self.thread is not None:
                self.on_thread()
            else:
                self.spend(window.first, 'unknown')

    def begin(self, own):
        """A step of a device ends by the host that gave it no more to do; one of a host by its last
        work."""
        window, place = self.window, lambda row: self.recording.place[row.index]
        last = [row for row in own if row.end == window.end]
        if window.device:
            work = [
                row
                for row in self.recording.work
                if self.recording.device[row.index] is window.device
                and row.first < window.end
                and row.end >= window.first
            ]
            self.row = max(
                work, key=lambda row: (min(row.end, window.end), place(row)), default=None
            )
            self.spend(self.row.end if self.row else window.first, 'host')
        elif last and (window.step.first is None or window.step.end < window.end):
            self.row = max(last, key=place)

    def cut(self, device):
        """What the device's work covers of hosts and launches is of computing, else communication,
        else copies; doubt: what it covers of queues."""
        of = [
            (kind, self.recording.busy.get((id(device), kind), []))
            for kind in ('compute', 'communication', 'copy')
        ]
        for first, end, group in self.pauses:
            before, rows = 0, []
            for kind, busy in of:
                rows = joined([*map(tuple, rows), *map(tuple, clipped(busy, first, end))])
                covered, before = measure(rows) - before, measure(rows)
                if group == 'queue':
                    self.doubt += covered
                else:
                    self.sums[kind] += covered
                    self.sums[group] -= covered

    def spend(self, until, group):
        until = max(until, self.window.first)
        self.sums[group] += max(self.now - until, 0)
        if group in ('host', 'launch', 'queue') and until < self.now:
            self.pauses.append((until, self.now, group))
        self.now = min(self.now, until)

    def on_device(self):
        row = self.row
        self.spend(row.first, row.kind)
        if self.now <= self.window.first:
            return
        ready = self.recording.waited_for(row)
        if ready is None:
            self.spend(self.window.first, 'unknown')
            return
        moment, kind, what = ready
        group = 'queue' if kind else 'host' if self.recording.own_call_blocks(row) else 'launch'
        self.spend(
            moment, 'unrecorded' if self.recording.is_unrecorded(row, moment, kind) else group
        )
        if kind:
            self.row = what
        else:
            self.row, self.thread, self.skip = None, what.track, what

    def on_thread(self):
        first, row = self.recording.thread(self.thread).at(self.now)
        if row is None:
            self.in_gap(self.window.first if first is None else first)
            return
        sources = [] if row is self.skip else self.recording.blocked.get(row.index, [])
        sources = [source for source in sources if row.first < source.end <= self.now]
        if sources:
            self.row = max(
                sources, key=lambda source: (source.end, self.recording.place[source.index])
            )
            self.spend(self.row.end, 'host')
        else:
            first = max(first, self.window.first)
            hole = (
                row.index in self.recording.blocking
                and row is not self.skip
                and self.now - first > MS
            )
            self.spend(
                first,
                'unrecorded' if hole and not self.recording.ran(None, first, self.now) else 'host',
            )

    def in_gap(self, first):
        other = self.recording.hands_over(self.thread, first, self.now)
        self.spend(other[0] if other else first, 'host')
        self.skip = None
        if other:
            self.thread = other[1]
