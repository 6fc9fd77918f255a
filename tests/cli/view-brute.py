# SPDX-License-Identifier: Apache-2.0
"""view-brute.py - pictures, sums and searches of nprof view, asked through HTTP, against a scan of
all rows, which the csv sink writes of the file itself: on 21 profiles, most of them made at random
with overlaps, spans without an end, counters, flows, instants and times that are equal.

Environment: NPROF_TEST_ALL, ten times as many questions; NPROF_BRUTE_SEED, from which profiles and
questions are made (0)."""

import collections
import http.client
import json
import os
import random
import re
import struct
from fractions import Fraction

from harness import check, check_same, main, run, sample, test, write
from randomtrace import NAMES, NO_NEST, inside, make, nest, scan, self_time
from samples import samples_for
from viewserver import Server

TRACES = 18
SEED = int(os.environ.get('NPROF_BRUTE_SEED', '0'))
EACH = 500 if os.environ.get('NPROF_TEST_ALL') else 25  # of each kind a profile: 500 together


class Profile:
    """A served profile beside the rows of its file."""

    def __init__(self, server, path):
        listed = {p['inputs'][0]['path']: p['bucket'] for p in server.api('profiles')['profiles']}
        self.name = listed[os.path.realpath(path)]
        self.server, self.rows = server, scan(path)
        self.base = f'/api/v1/p/{self.name}/{server.generation(self.name)}/'
        self.connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=60)
        meta = json.loads(self.get('meta'))
        self.lanes = meta['lanes']
        self.every = {t['track']: t for t in meta['tracks']}
        self.tracks = {t['track']: t for t in meta['tracks'] if t['origin'] == 'decoder'}
        self.labels = [(n[0], n[1]) for n in json.loads(self.get('names'))['names']]
        self.timed = [r for r in self.rows if r.kind != 'fact']
        self.first, self.last = min(r.start for r in self.timed), max(
            r.start + (r.duration or 0) for r in self.timed
        )
        self.children = nest(
            self.rows, [n for n, t in self.tracks.items() if t['kind'] not in NO_NEST]
        )

    def get(self, route):
        self.connection.request('GET', self.base + route)
        answer = self.connection.getresponse()
        body = answer.read()
        check_same(answer.status, 200, f'{route}: {body[:300]}: status')
        return body

    def window(self, r):
        a, b = sorted(
            r.choice((r.randrange(self.first - 5, self.last + 6), r.choice(self.timed).start))
            for _ in range(2)
        )
        return a, b


# -- Pictures ----------------------------------------------------------------------

TYPES = ['span', 'unclosed', 'instant', 'counter', 'flow', 'gap', 'fact']


def picture(body):
    """{lane: [rectangle]} and t0, p."""
    _, n_lanes, n, t0, p, following = struct.unpack_from('<4xIIIqqI', body)
    check_same(following, 0xFFFFFFFF, 'the picture is complete')
    columns = [struct.unpack_from(f'<{n}I', body, 40 + 16 * n_lanes + 4 * n * k) for k in range(7)]
    lanes = {}
    for k in range(n_lanes):
        lane, start, count, _ = struct.unpack_from('<4I', body, 40 + 16 * k)
        lanes[lane] = [tuple(column[i] for column in columns) for i in range(start, start + count)]
    return lanes, t0, p


def touches(row, t0, t1):
    if row.kind == 'counter':
        return t0 <= row.start < t1
    if row.kind == 'span' and row.duration is None:
        return row.start < t1
    end = row.start + (row.duration or 0)
    return row.start < t1 and (end > t0 or (row.start == t0 and end == row.start))


def look(profile, r):
    level = r.randrange(max(1, (profile.last - profile.first + 1).bit_length()))
    tile = r.choice(profile.timed).start >> level + 11
    lanes = [i for i, lane in enumerate(profile.lanes) if lane['track'] in profile.tracks]
    chosen = sorted(r.sample(lanes, min(len(lanes), 60)))
    found, t0, p = picture(profile.get(f'v?l={level}&i={tile}&lanes=' + ','.join(map(str, chosen))))
    t1 = t0 + 2048 * p
    check_same((t0, p), (tile * 2048 << level, 1 << level), 'where the picture lies')
    of_lane = collections.Counter()
    if len(chosen) == len(lanes):  # all rows of a track and type are in its lanes
        for lane, rects in found.items():
            of_lane[profile.lanes[lane]['track'], profile.lanes[lane]['type']] += sum(
                x[4] for x in rects
            )
        wanted = collections.Counter(
            (row.track, 'unclosed' if row.kind == 'span' and row.duration is None else row.kind)
            for row in profile.timed
            if touches(row, t0, t1)
        )
        check_same(+of_lane, wanted, f'rows of {level} {tile}')
    rows = collections.defaultdict(set)
    for row in profile.timed:
        rows[row.track].add((row.start, row.duration, row.name, row.category))
    for lane, rects in found.items():
        for x0, x1, number, label, count, *_ in rects:
            check(0 <= x0 <= x1 <= 2048 * 16, f'{lane}: {x0} {x1}')
            if count == 1 and profile.lanes[lane]['type'] == 'span':
                check_rect(profile, lane, (x0, x1, number, label), rows, t0, p)


def check_rect(profile, lane, rect, rows, t0, p):
    """One row: some row of the file has just these edges and this label."""
    x0, x1, _, label = rect
    place = lambda t: min(max((t - t0) * 16, 0), 2048 * 16 * p)
    found = any(
        place(start) // p == x0 and -(-place(start + duration) // p) == x1
        for start, duration, name, category in rows[profile.lanes[lane]['track']]
        if duration is not None and (name, category) == profile.labels[label]
    )
    check(found, f'no row is {rect} in lane {lane}')


# -- Sums -----------------------------------------------------------------------------


def sum_up(profile, r):
    t0, t1 = profile.window(r)
    by = r.choice(('name', 'track', 'category'))
    tracks = (
        r.sample(sorted(profile.tracks), r.randrange(1, len(profile.tracks) + 1))
        if r.random() < 0.5
        else []
    )
    wanted = collections.defaultdict(lambda: [0] * 5)
    for i, row in enumerate(profile.rows):
        if (
            row.kind != 'span'
            or row.start > t1
            or (row.duration is not None and row.start + row.duration < t0)
            or (tracks and row.track not in tracks)
        ):
            continue
        one = wanted[{'name': row.name, 'track': row.track, 'category': row.category}[by]]
        one[0] += 1
        if row.duration is None:
            one[1] += 1
            continue
        one[2] += row.duration
        one[3] += inside(row, t0, t1)
        one[4] += self_time(row, [profile.rows[k] for k in profile.children[i]], t0, t1)
    query = f's?t0={t0}&t1={t1}&by={by}' + (
        f'&tracks={",".join(map(str, tracks))}' if tracks else ''
    )
    found = json.loads(profile.get(query))
    mine = {
        (r['key'] if by == 'track' else r['name']): [
            r['count'],
            r['unclosed'],
            int(r['whole']),
            int(r['inside']),
            int(r['self_inside']),
        ]
        for r in found['rows']
    }
    check_same(mine, dict(wanted), query)
    check_shares(profile, found, by, t0, t1, tracks, query)


STEP = re.compile('ProfilerStep#[0-9]{1,18}$')
WORK = {'kernel', 'gpu_memcpy', 'gpu_memset'}
NO_WORK = {'user_annotation', 'gpu_user_annotation', 'python_function', 'Trace', 'cuda_sync'}


def counters_of(profile, t0, t1, tracks):
    """{(track, name): [(rows in the window, ps in which a value is known, least, mean over time,
    greatest)]}, from rows alone."""
    of = collections.defaultdict(list)
    for row in profile.timed:
        if row.kind == 'counter' and row.track in tracks:
            of[row.track, row.name, row.category].append(
                (row.start, Fraction(row.value) if row.value else None)
            )
    found = collections.defaultdict(list)
    for (track, name, _), rows in of.items():
        rows.sort(key=lambda x: x[0])
        pieces = [
            (start, end, value)
            for (start, value), end in zip(rows, [start for start, _ in rows[1:]] + [profile.last])
        ]
        held = [
            (max(0, min(end, t1) - max(start, t0)), value, t0 <= start <= t1)
            for start, end, value in pieces
        ]
        seen = [value for length, value, lies in held if value is not None and (length or lies)]
        known = sum(length for length, value, _ in held if value is not None)
        mean = (
            sum(length * value for length, value, _ in held if value is not None) / known
            if known
            else None
        )
        found[track, name].append(
            (
                sum(lies for *_, lies in held),
                known,
                min(seen) if seen else None,
                mean,
                max(seen) if seen else None,
            )
        )
    return found


def sum_counters(profile, r):
    """A value holds from before the window into it, and the last one to the end of the profile."""
    t0, t1 = profile.window(r)
    tracks = sorted(
        r.sample(sorted(profile.tracks), r.randrange(1, min(4, len(profile.tracks)) + 1))
    )
    route = f's?counters=1&t0={t0}&t1={t1}&tracks=' + ','.join(map(str, tracks))
    answer = json.loads(profile.get(route))
    wanted, found = counters_of(profile, t0, t1, tracks), collections.defaultdict(list)
    for one in answer['counters']:
        found[one['track'], one['name']].append(
            (one['count'], int(one['known']), one['min'], one['mean'], one['max'])
        )
        check(bool(one['reason']) == (one['mean'] is None), f'{route}: {one}')
    check_same(answer['counters_total'], sum(map(len, wanted.values())), route)
    check_same(set(found), set(wanted), route)
    none_last = lambda one: tuple((x is None, x or 0) for x in one)
    for key, rows in wanted.items():
        for own, told in zip(sorted(rows, key=none_last), sorted(found[key], key=none_last)):
            check(
                all(
                    a == b
                    or (
                        a is not None
                        and b is not None
                        and abs(a - Fraction(b)) <= Fraction(1, 10**12) * max(1, abs(a))
                    )
                    for a, b in zip(own, told)
                ),
                f'{route} {key}: {own} is told as {told}',
            )
    return sum(one[3] is not None for rows in wanted.values() for one in rows)


def kin(profile, row):
    """Whose time a row is a share of: 'device work', 'host threads', or nobody's: ''."""
    track = profile.every[row.track]
    above, number = [], track['parent']
    while number in profile.every:
        above.append(profile.every[number]['kind'])
        number = profile.every[number]['parent']
    device = 'device' in [track['kind'], *above] or 'core' in [track['kind'], *above]
    if STEP.match(row.name) or row.category == 'Trace':
        return ''
    if not device:
        return '' if track['kind'] in ('async', 'derived') else 'host threads'
    if track['kind'] in ('thread', 'derived') and track['label'].endswith(('Steps', 'Modules')):
        return ''
    if row.category in WORK | NO_WORK:
        return 'device work' if row.category in WORK else ''
    return '' if track['kind'] in ('thread', 'derived', 'async') else 'device work'


def check_shares(profile, found, by, t0, t1, tracks, query):
    spent = collections.defaultdict(collections.Counter)  # of a key, by kin
    for i, row in enumerate(profile.rows):
        if (
            row.kind != 'span'
            or row.duration is None
            or row.start > t1
            or row.start + row.duration < t0
            or (tracks and row.track not in tracks)
        ):
            continue
        spent[{'name': row.name, 'track': row.track, 'category': row.category}[by]][
            kin(profile, row)
        ] += self_time(row, [profile.rows[k] for k in profile.children[i]], t0, t1)
    whole = {of: sum(one[of] for one in spent.values()) for of in ('device work', 'host threads')}
    for r in found['rows']:
        mine = spent.get(r['key'] if by == 'track' else r['name'], {})
        of = [k for k in mine if k]
        wanted = of[0] if len(of) == 1 and whole[of[0]] > 0 else None
        check_same(
            (r['share_of'], r['share_self'] and int(r['share_self'])),
            (wanted, mine[wanted] if wanted else None),
            f'{query}: what {r["name"]} is a share of',
        )
        check(
            (r['share'] is None) == (wanted is None) == bool(r['share_reason']),
            f'{query}: {r["name"]}: {r["share"]}, {r["share_reason"]}',
        )
        check(
            not wanted or abs(r['share'] - mine[wanted] / whole[wanted]) < 1e-12,
            f'{query}: share of {r["name"]}: {r["share"]}',
        )


def union(spans):
    busy, end = 0, None
    for start, last in sorted(spans):
        busy += max(0, last - (start if end is None else max(start, end)))
        end = last if end is None else max(end, last)
    return busy


def check_work(profile):
    """How long tracks and devices worked: unions of their work, over the span of the device."""
    ran = collections.defaultdict(list)
    for row in profile.rows:
        if row.kind == 'span' and row.duration is not None and kin(profile, row) == 'device work':
            number = row.track
            while number in profile.every:
                ran[number].append((row.start, row.start + row.duration))
                number = profile.every[number]['parent']
    known = 0
    for number, track in profile.every.items():
        work = track['work']
        if track['kind'] in ('device', 'core', 'queue', 'engine'):
            check_same(
                work and int(work['busy']),
                union(ran[number]) if ran[number] else None,
                f'work of {track["label"]}',
            )
        if work:
            known += 1
            check(
                abs(work['share'] - int(work['busy']) / int(work['span'])) < 1e-12
                and int(work['span']) >= int(work['busy']),
                f'{track["label"]}: {work}',
            )
            check(
                profile.first <= int(work['span']) + profile.first <= profile.last,
                f'{track["label"]}: the span of its device is longer than the run',
            )
    return known


def sum_up_two(profile, r):
    tracks = r.sample(sorted(profile.tracks), r.randrange(1, len(profile.tracks) + 1))
    windows = [profile.window(r) for _ in range(2)]
    wanted = collections.defaultdict(lambda: [[0, 0, 0], [0, 0, 0]])
    for k, (t0, t1) in enumerate(windows):
        for i, row in enumerate(profile.rows):
            if (
                row.kind != 'span'
                or row.track not in tracks
                or row.start > t1
                or (row.duration is not None and row.start + row.duration < t0)
            ):
                continue
            one = wanted[row.name][k]
            one[0] += 1
            if row.duration is not None:
                one[1] += inside(row, t0, t1)
                one[2] += self_time(row, [profile.rows[c] for c in profile.children[i]], t0, t1)
    query = 's2?n=100000&' + '&'.join(
        f'{name}={t0}..{t1}@' + ','.join(map(str, tracks)) for name, (t0, t1) in zip('ab', windows)
    )
    found = json.loads(profile.get(query))
    mine = {
        row['name']: [
            [int(row[key][k]) for key in ('count', 'inside', 'self_inside')] for k in range(2)
        ]
        for row in found['rows']
    }
    check_same((mine, found['total']), (dict(wanted), len(wanted)), query)
    changes = [int(row['self_change']) for row in found['rows']]
    check_same(
        changes,
        [wanted[row['name']][1][2] - wanted[row['name']][0][2] for row in found['rows']],
        query,
    )
    check_same(
        [abs(c) for c in changes],
        sorted((abs(c) for c in changes), reverse=True),
        f'{query}: order',
    )


# -- Searches ----------------------------------------------------------------------------


def conditions(r):
    """(text, what holds)"""
    name, part, limit = (
        r.choice(NAMES),
        r.choice(('fus', 'py.', 'e', '-red', '.3', 'nothing')),
        r.randrange(1, 2000) * 1000,
    )
    return [
        (f'name={name}', lambda x: x.name == name),
        (f'name~{part}', lambda x: part in x.name.lower()),
        (part, lambda x: part in x.name.lower()),
        (f'name!={name}', lambda x: x.name != name),
        ('category=work', lambda x: x.category == 'work'),
        ('kind=span', lambda x: x.kind == 'span'),
        (
            f'dur>{limit}ps',
            lambda x: x.kind == 'span' and x.duration is not None and x.duration > limit,
        ),
        (
            f'dur<={limit}ps',
            lambda x: x.kind == 'span' and x.duration is not None and x.duration <= limit,
        ),
        ('kind=counter', lambda x: x.kind == 'counter'),
        (f'name={name}|copy.1', lambda x: x.name in (name, 'copy.1')),
    ]


def find(profile, r):
    chosen = r.sample(conditions(r), r.choice((1, 1, 2, 3)))
    text = ' '.join(c[0] for c in chosen)
    tracks = sorted(profile.tracks)
    if r.random() < 0.5:
        tracks = sorted(r.sample(tracks, r.randrange(1, len(tracks) + 1)))
    wanted = [
        row for row in profile.timed if row.track in tracks and all(c[1](row) for c in chosen)
    ]
    query = (
        'q?n=1000&q='
        + ''.join(f'%{b:02x}' for b in text.encode())
        + '&tracks='
        + ','.join(map(str, tracks))
    )
    found = json.loads(profile.get(query))
    hits = sorted(
        (
            h['track'],
            h['name'],
            int(h['start']),
            -1 if h['duration'] is None else int(h['duration']),
        )
        for h in found['hits']
        if h['name'] != 'fact'
    )
    check_same(
        (found['total'], found['names']),
        (len(wanted), len({w.name for w in wanted})),
        f'{text}: rows and names',
    )
    wanted = sorted(
        (
            w.track,
            w.name,
            w.start,
            (0 if w.kind != 'span' else -1) if w.duration is None else w.duration,
        )
        for w in wanted
    )
    check_same(hits, wanted[:1000] if len(wanted) <= 1000 else hits, text)


def make_gpu(path):
    """A trace of PyTorch at random: kernels, copies, annotations and waits on streams; steps,
    operators and the recording on the host."""
    r = random.Random(SEED)
    events = [
        {'ph': 'M', 'name': 'process_labels', 'pid': pid, 'args': {'labels': label}}
        for pid, label in ((9, 'CPU'), (0, 'GPU 0'), (1, 'GPU 1'))
    ]
    span = lambda pid, tid, cat, name, start, length: events.append(
        {
            'ph': 'X',
            'pid': pid,
            'tid': tid,
            'cat': cat,
            'name': name,
            'ts': start,
            'dur': length,
            'args': {'device': pid, 'stream': tid} if pid in (0, 1) else {},
        }
    )
    for step in range(3):
        span(9, 1, 'user_annotation', f'ProfilerStep#{step}', step * 1000, 950)
        for _ in range(40):
            start = step * 1000 + r.randrange(800)
            span(
                9,
                r.choice((1, 2)),
                r.choice(('cpu_op', 'python_function', 'user_annotation')),
                r.choice(NAMES),
                start,
                r.randrange(150),
            )
            span(
                r.choice((0, 1)),
                r.choice((7, 20)),
                r.choice(('kernel', 'kernel', 'gpu_memcpy', 'cuda_sync', 'gpu_user_annotation')),
                r.choice(NAMES),
                start + 20,
                r.randrange(40),
            )
    span('Traces', 'PyTorch Profiler', 'Trace', 'PyTorch Profiler (0)', 0, 3000)
    write(path, json.dumps({'schemaVersion': 1, 'traceEvents': events}))


def shapes(profile):
    """What makes the profile hard, beside spans that lie within each other."""
    found = {
        'unclosed' if row.kind == 'span' and row.duration is None else row.kind
        for row in profile.rows
    }
    for number in profile.tracks:
        spans = sorted(
            (row.start, row.start + row.duration)
            for row in profile.rows
            if row.track == number and row.kind == 'span' and row.duration
        )
        end = 0
        for start, last in spans:
            if start < end < last:
                found.add('overlap')
            end = max(end, last)
    return found


@test
def answers_equal_a_scan(_):
    paths = [sample(), sample('node-workload.trace.json')]
    for seed in range(SEED, SEED + TRACES):
        make(f't{seed}.json', seed)
        paths.append(f't{seed}.json')
    make_gpu('gpu.json')
    paths.append('gpu.json')
    for path in paths:
        run('view', '--ingest-only', path).expect(0)
    with Server() as server:
        kinds, hard, worked, means = collections.Counter(), 0, 0, 0
        for number, path in enumerate(paths):
            profile = Profile(server, path)
            r = random.Random(1000 + SEED + number)
            worked += check_work(profile)
            for _ in range(EACH):
                look(profile, r)
                sum_up(profile, r)
                means += sum_counters(profile, r)
                find(profile, r)
            for _ in range(EACH // 10):
                sum_up_two(profile, r)
            profile.connection.close()
            kinds.update(found := shapes(profile))
            hard += {'overlap', 'unclosed', 'counter', 'flow'} <= found
        print(
            f'# {len(paths)} profiles, {EACH * len(paths)} pictures, sums and searches each, {hard} profiles with overlaps, unclosed spans, counters and flows'
        )
        check(means >= 10 * EACH, f'{means} means of counters')
        check(worked >= 10, f'{worked} tracks of devices with work')
        check(
            hard >= 5 and all(kinds[k] >= 5 for k in ('span', 'instant')),
            f'{hard} profiles with all; with each: {kinds}',
        )


@test
def links_beyond_any_limit_are_counted(_):
    """One flow with 12,000 ends: 100 are listed, 1,000 drawn, all counted."""
    events = [
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 1, 'name': 'root'},
        {'ph': 's', 'pid': 1, 'tid': 1, 'ts': 0, 'id': 7, 'name': 'f', 'cat': 'c'},
    ]
    for i in range(12000):
        events.append({'ph': 'X', 'pid': 1, 'tid': 2, 'ts': 10 * i + 5, 'dur': 5, 'name': 'k'})
        events.append(
            {
                'ph': 'f',
                'bp': 'e',
                'pid': 1,
                'tid': 2,
                'ts': 10 * i + 6,
                'id': 7,
                'name': 'f',
                'cat': 'c',
            }
        )
    write('many.json', json.dumps({'traceEvents': events}))
    with Server('many.json') as server:
        name = server.api('profiles')['profiles'][0]['bucket']
        row = server.profile('q?q=name%3Droot', name).json()['hits'][0]['row']
        event = server.profile(f'e?row={row}', name).json()
        check_same(
            (event['needed_total'], len(event['needed']), event['depends_total']),
            (12000, 100, 0),
            'needed',
        )
        links = server.profile(f'links?rows={row}', name).json()
        check_same((len(links['arrows']), links['left_out']), (1000, 11000), 'arrows')


@test
def arrows_have_two_sides(_):
    """Ends of one time are in the order of their phases, however the file has them; a span without
    an end has arrows too."""

    def x(tid, ts, name, **more):
        return {'ph': 'X', 'pid': 1, 'tid': tid, 'ts': ts, 'dur': 5, 'name': name, **more}

    def end(ph, tid, ts, number):
        return {
            'ph': ph,
            'bp': 'e',
            'pid': 1,
            'tid': tid,
            'ts': ts,
            'id': number,
            'name': 'arrow',
            'cat': 'c',
        }

    events = [
        x(1, 10, 'launch1'),
        x(2, 10, 'kernel1'),
        end('s', 1, 10, 1),
        end('f', 2, 10, 1),
        x(2, 20, 'kernel2'),
        end('f', 2, 20, 2),
        x(1, 20, 'launch2'),
        end('s', 1, 20, 2),
        {
            'ph': 'B',
            'pid': 1,
            'tid': 3,
            'ts': 30,
            'name': 'launch3',
            'bind_id': '0x3',
            'flow_out': True,
        },
        x(2, 40, 'kernel3', bind_id='0x3', flow_in=True),
    ]
    write('arrows.json', json.dumps({'traceEvents': events}))
    with Server('arrows.json') as server:
        name = server.api('profiles')['profiles'][0]['bucket']
        for number in '123':
            sides = {}
            for what in ('launch', 'kernel'):
                row = server.profile(f'q?q=name%3D{what}{number}%20kind%3Dspan', name).json()[
                    'hits'
                ][0]['row']
                event = server.profile(f'e?row={row}', name).json()
                sides[what] = [
                    [other['name'] for other in event[side]] for side in ('depends', 'needed')
                ]
            check_same(
                sides,
                {'launch': [[], ['kernel' + number]], 'kernel': [['launch' + number], []]},
                f'arrow {number}',
            )


@test
def times_as_far_apart_as_there_are(_):
    """A window may have any ends; rows may lie as far apart as an int64 holds, and no farther."""

    def at(ts, name):
        return {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': ts, 'dur': 1, 'name': name}

    for far, status in ((4_600_000_000_000, 0), (8_000_000_000_000, 2)):
        write(
            f'far{status}.json',
            json.dumps({'traceEvents': [at(0, 'middle'), at(-far, 'first'), at(far, 'last')]}),
        )
        ended = run('view', '--ingest-only', f'far{status}.json')
        check_same((ended.status, '106 days apart' in ended.err), (status, status != 0), 'refused')
    with Server() as server:
        name = server.api('profiles')['profiles'][0]['bucket']
        least, most = -1 << 63, (1 << 63) - 1
        for t0, t1 in (
            (least, most),
            (-9 * 10**18, 89 * 10**17),
            (-4_600_000_000_000_000_000, 4_600_000_000_001_000_000),
        ):
            found = server.profile(f'q?q=kind%3Dspan&pixels=10&t0={t0}&t1={t1}', name).json()
            at = [
                (start - t0) * 10 // (t1 - t0 + 1)
                for start in (-4_600_000_000_000_000_000, 0, 4_600_000_000_000_000_000)
            ]
            check_same(
                (found['total'], found['histogram']),
                (3, [at.count(i) for i in range(10)]),
                f'{t0} {t1}',
            )
            stats = server.profile(f's?t0={t0}&t1={t1}&tracks=3', name).json()
            check_same(
                (stats['totals']['events'], stats['totals']['idle']['value']),
                (3, str(t1 - t0 - 3_000_000) if t1 - t0 <= most else None),
                'idle',
            )
            delta = server.profile(f's2?a={t0}..{t1}&b=0..1', name).json()['delta']
            check_same(
                (delta['start'], delta['totals']['length']),
                (str(min(-t0, most)), str(1 - min(t1 - t0, most))),
                'delta',
            )
        hits = server.profile('q?q=kind%3Dspan', name).json()['hits']
        check_same(
            [
                server.profile(f'near?row={hit["row"]}&step=next&of=track', name).json()['row']
                for hit in hits
            ],
            [hits[1]['row'], hits[2]['row'], None],
            'next',
        )


@test
def words_of_a_search(_):
    """What stands in quotes is one text; bars part the others."""
    names = ['a', 'b', 'a|b', 'a b', 'say "x\\y"', '']
    events = [
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5, 'name': name, 'args': {'n': i}}
        for i, name in enumerate(names * 2)
    ]
    write('words.json', json.dumps({'traceEvents': events}))
    with Server('words.json') as server:
        profile = server.api('profiles')['profiles'][0]['bucket']

        def ask(text, status=200):
            return server.profile(
                'q?q=' + ''.join(f'%{b:02x}' for b in text.encode()), profile, status
            ).json()

        for text, wanted in (
            ('name=a', 'a'),
            ('name=a|b', 'a b'),
            ('name="a|b"', 'a|b'),
            ('name="a|b"|b', 'a|b b'),
            ('name=b|"a|b"', 'a|b b'),
            ('name="a b"|a', 'a,a b'),
            ('name!="a|b" name=a|b|"a|b"', 'a b'),
            (r'name="say \"x\\y\""', r'say "x\y"'),
            ('name=""', ''),
            ('"a|b"', 'a|b'),
            ('args.n=1|2', 'b a|b'),
            ('args.n>10', ''),
            ('args.n = 1|2', 'b a|b'),
            ('args.n >=\t10  name = "a b"|""', ''),
            ('a name != "a|b" kind = span', 'a,a b,say "x\\y"'),
        ):
            wanted = (
                wanted.split(',')
                if ',' in wanted or text.startswith('name="say')
                else wanted.split(' ')
            )
            check_same({hit['name'] for hit in ask(text)['hits']}, set(wanted), text)
        for text, at in (
            ('args.n>many', 7),
            ('args.n>1|2', 7),
            ('value=1|x', 6),
            ('dur>1us|2us', 4),
            ('name = ', 7),
        ):
            check_same(ask(text, 400)['error']['at'], at, text)
        for hit in ask('kind=span')['hits'][: len(names)]:
            following = server.profile(f'near?row={hit["row"]}&step=next&of=label', profile).json()
            check_same(
                (following['label'], int(following['start'])),
                (hit['label'], int(hit['start']) + 60000000),
                f'next {hit["name"]}',
            )


@test
def a_rank_is_among_rows_of_its_own_origin(_):
    """Rows that an analyzer derives have names of the file's rows; a row of the file is not
    compared with them."""
    repeated = 0
    for path in samples_for('xplane'):
        spans = [r for r in scan(path) if r.kind == 'span' and r.duration is not None]
        with Server(path) as server:
            name = server.api('profiles')['profiles'][0]['bucket']
            origin = {
                t['track']: t['origin'] for t in server.profile('meta', name).json()['tracks']
            }
            hits = [
                hit
                for hit in server.profile('q?n=1000&q=kind%3Dspan', name).json()['hits']
                if hit['duration'] is not None
            ]
            for hit in hits:
                if origin[hit['track']] != 'decoder':
                    repeated += any(r.name == hit['name'] for r in spans)
                    continue
                of_name = [r.duration for r in spans if r.name == hit['name']]
                rank = server.profile(f'e?row={hit["row"]}', name).json()['rank']
                check_same(
                    (rank['below'], rank['count']),
                    (sum(d < int(hit['duration']) for d in of_name), len(of_name)),
                    f'{path} {hit}',
                )
    check(repeated, 'no analyzer repeats a name')


@test
def a_click_among_many_lanes(_):
    """What runs beside a row is left out of its answer where more than 256 lanes are to be looked
    at, and told by a route."""
    for lanes in (200, 300):
        events = [
            {'ph': 'X', 'pid': 1, 'tid': i, 'ts': 10 * (i % 3), 'dur': 100 + i, 'name': f'n{i}'}
            for i in range(1, lanes + 2)
        ]
        write('wide.json', json.dumps({'traceEvents': events}))
        with Server('wide.json') as server:
            name = server.api('profiles')['profiles'][0]['bucket']
            row = server.profile('q?q=name%3Dn7', name).json()['hits'][0]['row']
            event = server.profile(f'e?row={row}', name).json()
            beside = server.profile(f'overlaps?row={row}', name).json()['overlaps']
            check_same((beside['total'], len(beside['rows'])), (lanes, 100), 'beside it')
            wanted = sorted(
                (
                    min(10 + 107, 10 * (i % 3) + 100 + i) - max(10, 10 * (i % 3))
                    for i in range(1, lanes + 2)
                    if i != 7
                ),
                reverse=True,
            )
            check_same(int(beside['sum']), 1000000 * sum(wanted), 'all of them together')
            check_same(
                [int(r['overlap']) for r in beside['rows']],
                [1000000 * w for w in wanted[:100]],
                'how long',
            )
            if lanes == 200:
                check_same(event['overlaps'], beside, 'of the answer')
            else:
                check_same(event['overlaps'], None, 'of the answer')
                check('route overlaps' in event['overlaps_unknown'], event['overlaps_unknown'])


if __name__ == '__main__':
    main()
