# SPDX-License-Identifier: Apache-2.0
"""torch-memory.py - memory snapshots of PyTorch: made ones of a small allocator, hostile ones, and
real ones in the folder that NPROF_MEMORY_REAL names. What must come out is computed from the same
file by Python's unpickler."""

import glob
import os
import pickle
import random

from harness import Skip, check, check_same, main, rows_of, read, run, test, write

REAL = os.environ.get('NPROF_MEMORY_REAL', '')
USER = [
    {'name': 'step', 'filename': '/home/me/train.py', 'line': 12},
    {'name': 'main', 'filename': '/home/me/run.py', 'line': 3},
]
TORCH = {'name': 'call', 'filename': '/usr/lib/python3/dist-packages/torch/nn.py', 'line': 9}
NATIVE = {'name': 'c10::raw_alloc', 'filename': '??', 'line': 0}


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise ValueError(f'{module}.{name}')


def load(path):
    with open(path, 'rb') as file:
        return Plain(file).load()


def whole(size):
    """Bytes in whole blocks of PyTorch."""
    return max(512, -(-size // 512) * 512)


class Device:
    """Blocks of 512 bytes in segments of 1 MB, each with a history of what happened."""

    def __init__(self, number, seed, timed=True):
        self.number, self.random, self.timed = number, random.Random(seed), timed
        self.at, self.history, self.segments = 1_700_000_000_000_000 + number, [], []

    def note(self, action, address, size, frames=None):
        self.at += self.random.randrange(1, 90)
        entry = {'action': action, 'addr': address, 'size': size, 'stream': 7}
        if self.timed:
            entry['time_us'] = self.at
        if frames is not None:
            entry['frames'] = frames
        self.history.append(entry)

    def run(self, n):
        live, base = [], (self.number + 1) << 40
        for _ in range(n):
            if live and self.random.random() < 0.45:
                block = live.pop(self.random.randrange(len(live)))
                block['state'] = 'inactive'
                self.note('free_requested', block['address'], block['requested_size'])
                self.note('free_completed', block['address'], block['requested_size'])
                continue
            size = self.random.randrange(1, 3000)
            rounded = whole(size) + (
                512 if size % 7 == 0 else 0
            )  # some keep what is left over in them
            segment = self.segments[-1] if self.segments else None
            if not segment or segment['used'] + rounded > 1 << 20:
                segment = {
                    'device': self.number,
                    'address': base + (len(self.segments) << 21),
                    'total_size': 1 << 20,
                    'stream': 7,
                    'segment_type': 'small',
                    'blocks': [],
                    'used': 0,
                }
                self.segments.append(segment)
                self.note('segment_alloc', segment['address'], 1 << 20, [NATIVE])
            frames = [NATIVE, TORCH] + USER[self.random.randrange(2) :]
            block = {
                'address': segment['address'] + segment['used'],
                'size': rounded,
                'requested_size': size,
                'state': 'active_allocated',
                'frames': frames,
            }
            segment['blocks'].append(block)
            segment['used'] += rounded
            live.append(block)
            self.note('alloc', block['address'], size, frames)
        return self

    def finish(self, forget=0):
        """The snapshot's part; the ring of the history has forgotten its first entries."""
        for segment in self.segments:
            rest = segment['total_size'] - segment.pop('used')
            segment['blocks'].append(
                {
                    'address': segment['address'] + segment['total_size'] - rest,
                    'size': rest,
                    'requested_size': 99,
                    'state': 'inactive',
                    'frames': [],
                }
            )
        return self.segments, self.history[forget:]


def snapshot(*devices, forget=0, **more):
    parts = [device.finish(forget) for device in devices]
    return {
        'segments': [s for segments, _ in parts for s in segments],
        'device_traces': [h for _, h in parts],
        **more,
    }


def save(name, value, protocol=4):
    with open(name, 'wb') as file:
        pickle.dump(value, file, protocol)
    return name


def table(folder, name):
    return rows_of(read(f'{folder}/{name}.csv'))


def expected(snap, device):
    """Totals after each entry, the first peak and its holders, by the segments and the history
    alone."""
    used = sum(
        b['requested_size']
        for s in snap['segments']
        if s['device'] == device
        for b in s['blocks']
        if b['state'] == 'active_allocated'
    )
    reserved = sum(s['total_size'] for s in snap['segments'] if s['device'] == device)
    history = snap['device_traces'][device]
    change = {
        'alloc': (1, 0),
        'free_requested': (-1, 0),
        'segment_alloc': (0, 1),
        'segment_map': (0, 1),
        'segment_free': (0, -1),
        'segment_unmap': (0, -1),
    }
    for entry in reversed(history):
        a, r = change.get(entry['action'], (0, 0))
        used, reserved = used - a * entry['size'], reserved - r * entry['size']
    before, peak, totals, live = used, None, [], {}
    blocks = {
        b['address']: b['size']
        for s in snap['segments']
        if s['device'] == device
        for b in s['blocks']
        if b['state'] == 'active_allocated'
    }
    for entry in reversed(
        history
    ):  # what lived before: with what is left over in it, where it lives still
        if entry['action'] == 'alloc':
            blocks.pop(entry['addr'], None)
        elif entry['action'] == 'free_requested':
            blocks[entry['addr']] = whole(entry['size'])
    taken = []
    for entry in history:
        if entry['action'] == 'alloc':
            blocks[entry['addr']] = whole(entry['size'])
        elif entry['action'] == 'free_requested':
            blocks.pop(entry['addr'])
        if entry['action'] in ('alloc', 'free_requested'):
            taken.append(sum(blocks.values()))
    for entry in history:
        a, r = change.get(entry['action'], (0, 0))
        used, reserved = used + a * entry['size'], reserved + r * entry['size']
        if a > 0:
            live[entry['addr']] = entry['size']
        elif a < 0:
            live.pop(entry['addr'], None)
        if a and (peak is None or used > peak):
            peak, held = used, sum(live.values())
        if a or r:
            totals.append((used, reserved))
    return {
        'before': before,
        'peak': peak,
        'end': used,
        'totals': totals,
        'whole': max(taken, default=None),
        'reserved': max((r for _, r in totals), default=None),
        'held': held if peak is not None else None,
    }


def user_frame(frames):
    """The user's own, else of a package but torch, else what torch does itself, else any with a
    file; the newest of these."""
    packages, passed = ('/site-packages/', '/dist-packages/'), (
        '/torch/autograd/',
        '/torch/_',
        '/torch/utils/',
        '/torch/cuda/',
        '/torch/nn/modules/module',
    )
    real = [f for f in frames if f['filename'] and f['filename'] != '??']
    python = [f for f in real if f['filename'].endswith('.py')]
    has = lambda f, words: any(word in f['filename'] for word in words)
    users = [f for f in python if not has(f, packages + ('/torch/', '/lib/python3', '<'))]
    packaged = [f for f in python if has(f, packages) and not has(f, ('/torch/',))]
    torch = [f for f in python if has(f, ('/torch/',)) and not has(f, passed)]
    best = (users or packaged or torch or real)[:1]
    return f'{best[0]["filename"]}:{best[0]["line"]}' if best else ''


def check_device(out, snap, device):
    want = expected(snap, device)
    rows = [r for r in table(out, 'events') if r['process'] == f'GPU {device}']
    counted = [
        [int(float(r['value'])) for r in rows if r['kind'] == 'counter' and r['name'] == name]
        for name in ('allocated', 'reserved')
    ]
    check_same(list(zip(*counted))[1:], want['totals'], f'totals of device {device}')
    check_same(
        {r['unit'] for r in rows if r['kind'] == 'counter'},
        {'byte'} if any(counted) else set(),
        'units',
    )
    history = snap['device_traces'][device]
    instants = [r for r in rows if r['kind'] == 'instant']
    check_same(len(instants), len(history), 'instants')
    check_same(
        [r['source'] for r in instants],
        [user_frame(e.get('frames', [])) for e in history],
        'sources',
    )
    (memory,) = [r for r in table(out, 'memory') if r['allocator'] == f'CUDA {device}']
    check_same(
        [
            int(memory[k])
            for k in (
                'before_bytes',
                'peak_bytes',
                'end_bytes',
                'peak_allocated_bytes',
                'peak_reserved_bytes',
            )
        ],
        [want['before'], want['peak'], want['end'], want['whole'], want['reserved']],
        'memory',
    )
    holders = [r for r in table(out, 'memory_holders') if r['allocator'] == f'CUDA {device}']
    check_same(sum(int(r['bytes']) for r in holders), want['peak'], 'holders add up to the peak')
    check_same(
        sum(int(r['bytes']) for r in holders if r['count']),
        want['held'],
        'holders of the recording',
    )


def check_blocks(out, snap):
    sums, segments = {}, {}
    for s in snap['segments']:
        key = str(s['device']), s.get('segment_type', ''), str(s['stream'])
        of = segments.setdefault(key, [0, 0, 0, 0, 0])
        of[0] += 1
        of[1] += s['total_size']
        for b in s['blocks']:
            if b['state'] == 'inactive':
                of[4] = max(of[4], b['size'])
                continue
            requested = b.get('requested_size', b['size'])
            of[2] += b['size']
            of[3] += requested
            by = sums.setdefault((key[0], user_frame(b.get('frames', [])), b['state']), [0, 0, 0])
            for i, n in enumerate((1, requested, b['size'])):
                by[i] += n
    check_same(
        {
            (r['device'], r['source'], r['state']): [
                int(r[k]) for k in ('blocks', 'requested_bytes', 'allocated_bytes')
            ]
            for r in table(out, 'memory_blocks')
        },
        sums,
        'memory_blocks',
    )
    check_same(
        {
            (r['device'], r['pool'], r['stream']): [
                int(r[k])
                for k in (
                    'segments',
                    'reserved_bytes',
                    'allocated_bytes',
                    'requested_bytes',
                    'largest_free_bytes',
                )
            ]
            for r in table(out, 'memory_segments')
        },
        segments,
        'memory_segments',
    )


def decoded(path, *options, out='', err=''):
    out = out or 'out-' + os.path.basename(path)
    result = run('run', *options, '-a', 'memory', '-s', 'csv', '-o', out, path)
    check(result.status == 0, result.describe())
    check(err in result.err and (err or not result.err), result.describe())
    return out


@test
def made_snapshots_of_all_protocols(_folder):
    """Several devices, a ring that has forgotten its beginning, protocols 2 to 5: every total,
    source and holder."""
    for protocol in (2, 3, 4, 5):
        for forget in (0, 25):
            snap = snapshot(Device(0, protocol).run(300), Device(1, 99).run(40), forget=forget)
            path = save(f'p{protocol}-{forget}.pickle', snap, protocol)
            out = decoded(path)
            for device in (0, 1):
                check_device(out, snap, device)
            check_blocks(out, snap)


@test
def without_times_only_the_order_counts(_folder):
    snap = snapshot(Device(0, 5, timed=False).run(50))
    out = decoded(save('old.pickle', snap), err='have no time_us')
    check_device(out, snap, 0)
    starts = [r['start_ns'] for r in table(out, 'events') if r['kind'] == 'instant']
    check_same(starts[:3], ['0', '1000', '2000'], 'starts')


@test
def segments_alone_say_who_holds_memory(_folder):
    snap = snapshot(Device(0, 8).run(60))
    snap['device_traces'] = [[], []]
    out = decoded(save('alone.pickle', snap))
    check_blocks(out, snap)
    check_same(table(out, 'events'), [], 'events')


@test
def a_history_that_does_not_lead_to_the_segments_has_no_totals(_folder):
    snap = snapshot(Device(0, 3).run(60))
    del snap['device_traces'][0][-5:]
    snap['device_traces'][0].append(
        {'action': 'alloc', 'addr': 1, 'size': 5, 'stream': 0, 'time_us': 1_700_000_001_000_000}
    )
    out = decoded(save('cut.pickle', snap), err='does not lead to its segments')
    check_same([r for r in table(out, 'events') if r['kind'] == 'counter'], [], 'counters')
    (memory,) = table(out, 'memory')
    check_same(memory['peak_bytes'], '', 'peak')
    check('no totals' in memory['reason'], memory['reason'])


@test
def annotations_are_spans(_folder):
    at = 1_700_000_000_000_000
    marks = [
        ('START', 'outer', 1),
        ('START', 'step', 2),
        ('END', 'step', 5),
        ('END', 'lost', 6),
        ('START', 'open', 7),
        ('END', 'outer', 9),
    ]
    snap = snapshot(
        Device(0, 1).run(3),
        external_annotations=[
            {'stage': s, 'name': n, 'device': 0, 'time_us': at + t} for s, n, t in marks
        ],
    )
    rows = [
        r
        for r in table(decoded(save('marks.pickle', snap)), 'events')
        if r['category'] == 'user_annotation'
    ]
    check_same(
        [(r['name'], r['start_ns'], r['duration_ns']) for r in rows],
        [('step', '2000', '3000'), ('outer', '1000', '8000'), ('open', '7000', '')],
        'ranges',
    )


@test
def stacks_have_frames_with_a_file_or_all(_folder):
    snap = snapshot(Device(0, 1).run(1))
    path = save('stack.pickle', snap)
    native = table(decoded(path, '-d', 'torch-memory:frames=all', out='native'), 'events')
    check(any('c10::raw_alloc' in r['source_stack'] for r in native), 'no frame of C++')
    rows = [r for r in table(decoded(path), 'events') if r['source_stack']]
    check_same(
        rows[0]['source_stack'].split('\n')[0],
        f'{TORCH["filename"]}:9 call',
        'newest frame with a file',
    )


class Evil:
    def __reduce__(self):
        return print, ('ran',)


@test
def allocations_that_failed(_folder):
    """What was asked for, free and held; it would have fitted where the cached bytes and the free
    ones hold it."""
    device = Device(0, 6).run(40)
    held = sum(
        b['requested_size']
        for s in device.segments
        for b in s['blocks']
        if b['state'] == 'active_allocated'
    )
    reserved = sum(s['total_size'] for s in device.segments)
    for asked, free, fits in ((5000, 4000, True), (reserved, 4000, False), (7000, None, False)):
        snap = snapshot(Device(0, 6).run(40))
        entry = {
            'action': 'oom',
            'addr': 0,
            'size': asked,
            'stream': 7,
            'time_us': device.at + 5,
            'frames': [NATIVE, TORCH, *USER],
        }
        snap['device_traces'][0].append(entry if free is None else {**entry, 'device_free': free})
        out = (
            run(
                'run',
                '-a',
                'memory',
                '-s',
                'csv:table=memory_failures',
                '-o',
                '-',
                save('oom.pickle', snap),
            )
            .expect(0)
            .out
        )
        (row,) = rows_of(out)
        check_same(
            [row[k] for k in ('device', 'asked', 'free', 'held', 'reserved', 'cached', 'place')],
            [
                'GPU 0',
                str(asked),
                '' if free is None else str(free),
                str(held),
                str(reserved),
                str(reserved - held),
                '/home/me/train.py:12',
            ],
            'row',
        )
        check_same('would fit without fragmentation' in row['sentence'], fits, row)
    out = (
        run(
            'run',
            '-a',
            'memory',
            '-s',
            'csv:table=memory_failures',
            '-o',
            '-',
            save('none.pickle', snapshot(Device(0, 6).run(40))),
        )
        .expect(0)
        .out
    )
    check_same(rows_of(out), [], 'none failed')


def libraries(*files):
    return [{'name': 'f', 'filename': file, 'line': n + 1} for n, file in enumerate(files)]


@test
def whose_frame_is_the_source(_folder):
    """The user's own before a package, a package before torch, and torch before what every call
    passes through."""
    site = '/usr/lib/python3.11/site-packages'
    for frames, source in (
        (
            (
                'a.cpp',
                f'{site}/torch/nn/modules/linear.py',
                f'{site}/acme/model.py',
                '/home/me/train.py',
            ),
            '/home/me/train.py:4',
        ),
        (
            (
                'a.cpp',
                f'{site}/torch/nn/modules/linear.py',
                f'{site}/acme/model.py',
                '/usr/lib/python3.11/runpy.py',
            ),
            f'{site}/acme/model.py:3',
        ),
        (
            ('a.cpp', f'{site}/torch/nn/modules/module.py', f'{site}/torch/nn/modules/linear.py'),
            f'{site}/torch/nn/modules/linear.py:3',
        ),
        (('a.cpp', f'{site}/torch/autograd/graph.py'), 'a.cpp:1'),
    ):
        snap = snapshot(Device(0, 2).run(1))
        for entry in snap['device_traces'][0]:
            entry['frames'] = libraries(*frames)
        rows = [r for r in table(decoded(save('whose.pickle', snap)), 'events') if r['source']]
        check_same({r['source'] for r in rows}, {source}, frames)


@test
def nothing_of_a_file_is_run(_folder):
    """Globals, calls, bombs of shared lists, cut files and other pickles: an error each, with its
    place."""
    good = pickle.dumps(snapshot(Device(0, 2).run(20)), 4)
    shared = [{'device': 0, 'address': 0, 'total_size': 0, 'stream': 0, 'blocks': []}]
    blocks = shared[0]['blocks']
    blocks.extend([{'size': 0, 'state': 'inactive'}] * 3000)
    bomb = {'segments': shared * 3000, 'device_traces': []}
    twice = [{'action': 'alloc', 'addr': 1, 'size': 1}]
    huge = {
        'segments': [{'device': 0, 'total_size': 2**62, 'stream': 0, 'blocks': []}] * 3,
        'device_traces': [],
    }
    odd = {
        'device': 0,
        'total_size': 10,
        'stream': 0,
        'blocks': [{'size': 11, 'state': 'inactive'}],
    }
    high = 2**63 + 4096  # addresses are unsigned
    entry = {
        'action': 'alloc',
        'addr': high,
        'size': 512,
        'stream': 0,
        'time_us': 10**15,
        'frames': [],
    }
    write('high.pickle', pickle.dumps({'segments': [], 'device_traces': [[entry]]}, 4))
    check(
        str(high) in run('run', '-s', 'csv:table=events', '-o', '-', 'high.pickle').expect(0).out,
        'an address beyond 2^63',
    )
    for name, data, text in (
        (
            'call',
            pickle.dumps({'segments': [{'device': Evil()}], 'device_traces': []}),
            'byte *: opcode 0x* would call or name code*',
        ),
        ('bomb', pickle.dumps(bomb, 4), '*more blocks than the file has bytes*'),
        (
            'twice',
            pickle.dumps(
                {'segments': [{'device': 0}] and [], 'device': 1, 'device_traces': [twice, twice]},
                4,
            ),
            '*no list of its own*',
        ),
        ('huge', pickle.dumps(huge, 4), '*more than 2^63*'),
        (
            'large',
            pickle.dumps({'segments': [odd], 'device_traces': []}, 4),
            '*segments?0?, block 0*',
        ),
        ('other', pickle.dumps({'segments': 1, 'device': 2}), '*no segments and device_traces*'),
        (
            'number',
            pickle.dumps({'segments': [{'device': 2**70}], 'device_traces': []}),
            '*more than 64 bits*',
        ),
        (
            'protocol',
            b'\x80\x04}' + b'q' + b'\x09' + b'segmentsdevice.',
            'byte 3: a slot of the memo*',
        ),
        ('cut', good[:-40], 'byte *'),
    ):
        with open(f'{name}.pickle', 'wb') as file:
            file.write(data)
        result = run('run', '-d', 'torch-memory', '-s', 'csv', '-o', f'no-{name}', f'{name}.pickle')
        result.expect(2, err=f'nprof: error: {name}.pickle: {text}')
        check(not os.path.exists(f'no-{name}'), f'{name}: something was left behind')


@test
def every_cut_is_an_error(_folder):
    good = pickle.dumps(snapshot(Device(0, 2).run(4)), 4)
    for end in list(range(4, 60)) + list(range(60, len(good), 97)):
        with open('cut.pickle', 'wb') as file:
            file.write(good[:end])
        run('run', '-d', 'torch-memory', '-s', 'null', 'cut.pickle').expect(2, err='*byte *')


@test
def real_snapshots(_folder):
    paths = sorted(glob.glob(os.path.join(REAL, '*.pickle'))) if REAL else []
    if not paths:
        raise Skip('NPROF_MEMORY_REAL names no folder')
    for path in paths:
        snap = load(path)
        timed = any('time_us' in e for h in snap['device_traces'] for e in h)
        untimed = any(snap['device_traces']) and not timed
        out = decoded(path, err='have no time_us' if untimed else '')
        check_blocks(out, snap)
        for device, history in enumerate(snap['device_traces']):
            if history:
                check_device(out, snap, device)


if __name__ == '__main__':
    main()
