# SPDX-License-Identifier: Apache-2.0
"""kineto.py - reads trace-event JSON of PyTorch's Kineto, ROCm's tools, xprof and JAX."""

import re

import lines
from exact import scaled
from model import COMMUNICATION, Profile, Row, Step

WORK = {'kernel', 'Kernel', 'gpu_memcpy', 'Memcpy', 'gpu_memset', 'Memset', 'mtia_ccp_events'}
WAIT = re.compile(r'event_(wait|record)$')
COPY = {'gpu_memcpy', 'Memcpy'}
COPY_NAMES = (
    'memcpy',
    'copydevicetohost',
    'copyhosttodevice',
    'copydevicetodevice',
    '__amd_rocclr_copybuffer',
)
CALLS = {'cuda_runtime', 'Runtime', 'cuda_driver', 'mtia_runtime', 'xpu_runtime', 'hip_runtime'}
OPERATORS = {'cpu_op', 'Operator'}
HOST = OPERATORS | CALLS | {'user_annotation', 'python_function'}


FAR = 106 * 86400 * 10**12  # ps; times that lie so far apart are not of one recording


def number(value):
    """A pid, tid or id: digits in quotes are the same as the number."""
    if isinstance(value, str) and re.fullmatch(r'-?\d+(\.0*)?', value):
        return int(value.partition('.')[0])
    return value


class Names:
    """The names of processes and threads, which stand anywhere in the file; the last one counts. A
    pid may be that of a host, in a container, and the number of a GPU, each with its labels."""

    def __init__(self, events):
        self.process, self.labels, self.gpu, self.thread = {}, {}, {}, {}
        for event in events:
            if event.get('ph') != 'M':
                continue
            args = event.get('args') or {}
            pid, tid = number(event.get('pid')), number(event.get('tid'))
            if event['name'] == 'process_name':
                self.process[pid] = args.get('name')
            elif event['name'] == 'process_labels':
                label = args.get('labels')
                of_gpu = bool(re.match(r'GPU\b', str(label)))
                (self.gpu if of_gpu else self.labels)[pid] = label
            elif event['name'] == 'thread_name':
                self.thread[pid, tid] = args.get('name')

    def both(self, pid, first, second):
        name, label = self.process.get(pid), first.get(pid) or second.get(pid)
        if name and label and name != label:
            return f'{name} ({label})'
        return name or label or str(pid)

    def of(self, pid):
        return self.both(pid, self.labels, self.gpu)

    def device(self, pid):
        """Kernels of a process that nothing describes are those of the GPU of that number."""
        named = self.process.get(pid) or self.labels.get(pid) or self.gpu.get(pid)
        return self.both(pid, self.gpu, self.labels) if named else f'GPU {pid}'


def kind_of(row):
    name = row.name.lower()
    if row.args.get('Collective name') or COMMUNICATION.search(name):
        return 'communication'
    if row.category in COPY or name.startswith(COPY_NAMES):
        return 'copy'
    if row.category == 'mtia_ccp_events' and name == 'dma_request':
        return 'copy'
    return 'compute'


def is_memory_operation(row):
    """A copy or a fill, which profilers list apart from kernels."""
    if row.category in ('kernel', 'Kernel', 'kernel_dispatch'):
        return False
    return row.category.lower() in ('gpu_memset', 'memset') or kind_of(row) == 'copy'


def is_work(row):
    """Waits and marks of a stream are none, whatever their category."""
    return row.category in WORK and not WAIT.match(row.name)


def complete(events):
    """The complete events (ph X) as rows."""
    for index, event in enumerate(events):
        if event.get('ph') != 'X' or 'dur' not in event:
            continue
        first, length = scaled(event['ts'], 6), scaled(event['dur'], 6)
        if length < 0:
            continue
        args = event.get('args')
        track = number(event.get('pid')), number(event.get('tid'))
        row = Row(
            event.get('name', ''),
            event.get('cat', ''),
            first,
            first + length,
            track,
            index,
            args if isinstance(args, dict) else {},
        )
        row.process = track[0]
        yield row


def correlation(row):
    return number(row.args.get('correlation', row.args.get('correlation_id', -1)))


def launch_of(calls, row):
    """The last call that began no later; clocks may differ, then it is the first of those that
    began later."""
    before = [call for call in calls if call.first <= row.first]
    return (
        max(before, key=lambda call: call.first)
        if before
        else min(calls, key=lambda call: call.first)
    )


def link(work, rows):
    """Each row's launch is the call with its correlation, whenever it began; 0 and -1 are none."""
    calls = {}
    for row in rows:
        if (row.category in CALLS or row.of_xla_host) and correlation(row) not in (0, -1, None):
            calls.setdefault(correlation(row), []).append(row)
    for row in work:
        own = calls.get(correlation(row))
        row.launch = launch_of(own, row) if own else None


def annotate(rows, names):
    """JAX and TensorFlow write no categories, and number steps of a host in args, whatever they are
    called."""
    for row in rows:
        row.of_xla_host = not row.category and not re.match(
            r'/device:|GPU', names.process.get(row.process) or ''
        )
        step = number(row.args.get('step_num'))
        if isinstance(step, int) and step >= 0 and row.of_xla_host:
            row.name = f'ProfilerStep#{step}'


def is_again(row, seen):
    """A row that the file has twice counts once; of rows without a length only a launch tells that
    they are one."""
    launch = correlation(row) not in (0, -1, None)
    key = row.name, row.first, row.end, row.track, correlation(row)
    if not launch and row.end == row.first or key not in seen:
        seen.add(key)
        return False
    return True


def add_device_work(profile, rows, names):
    seen = set()
    for row in rows:
        label = names.device(row.process)
        if is_work(row) and is_again(row, seen):
            continue
        if is_work(row):
            row.kind, row.beside = kind_of(row), True
            profile.device(row.process, label).work.append(row)
        elif not row.category and re.fullmatch(r'GPU\s*\d+', names.of(row.process)):
            row.kind, row.beside = (
                kind_of(row),
                True,
            )  # RPD writes no categories; its processes are GPU0, GPU1 ...
            profile.device(row.process, label).work.append(row)


def add_planes(profile, rows, names):
    """xprof and JAX write the planes of an XSpace as processes."""
    planes = {}
    for row in rows:
        if re.match(r'/device:', names.process.get(row.process) or ''):
            thread = names.thread.get(row.track) or ''
            planes.setdefault(row.process, {}).setdefault(thread, []).append(row)
    for process, plane in planes.items():
        for row in (row for spans in plane.values() for row in spans):
            row.category = row.args.get('hlo_category') or row.category
        lines.add_device(profile, process, names.of(process), plane)


def check_times(rows):
    if rows and max(row.first for row in rows) - min(row.first for row in rows) > FAR:
        raise ValueError('times more than 106 days apart')


def read(data):
    events = [event for event in data['traceEvents'] or [] if isinstance(event, dict) and event]
    names = Names(events)
    rows = list(complete(events))
    check_times(rows)
    profile = Profile()
    profile.origin = int(data.get('baseTimeNanoseconds') or 0) * 1000
    annotate(rows, names)
    profile.only_spans = not any(event.get('ph') in tuple('BbeSFnTp') for event in events)
    add_device_work(profile, rows, names)
    add_planes(profile, rows, names)
    link([row for device in profile.devices.values() for row in device.work], rows)
    for row in rows:
        row.label = names.of(row.process)
        profile.spans.append((row.first, row.end, row.name))
        if row.category == 'cuda_sync':
            profile.syncs.append(row)
        of_host = row.category in OPERATORS | CALLS | {'user_annotation', 'python_function'}
        if of_host or (row.category and row.process not in profile.devices):
            profile.threads.setdefault(row.track, []).append(row)
        if profile.is_step(row.name) and (
            row.category in OPERATORS | {'user_annotation'} or row.of_xla_host
        ):
            profile.steps.append(
                Step(row.name, row.first, row.end, row.process, row.track, row.label)
            )
    profile.steps.sort(key=lambda step: step.first)
    profile.framework, profile.wall = OPERATORS, HOST
    return profile
