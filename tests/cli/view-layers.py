# SPDX-License-Identifier: Apache-2.0
"""view-layers.py - the model's tree over time in nprof view, against runs that are found here row by row in what was written."""

import random
import struct

import xspace
from harness import check, check_same, main, test, write
from viewserver import Server

PS = 10**6  # of a us
PATHS = ['jit(f)/net/a/dot', 'jit(f)/net/a/add', 'jit(f)/net/b/deep/mul', 'jit(f)/transpose(jvp(net))/b/sub', 'jit(f)/head/exp', 'jit(f)/while', None, 'jit(f)/net/cos']


def layer_of(path):
    """Wrappers of JAX are no part of the model, and programs, loops and the operator itself neither."""
    parts = [p for p in (path or '').split('/')[:-1] if not p.startswith('jit(')]
    return [p[len('transpose(jvp('):-2] if p.startswith('transpose(jvp(') else p for p in parts]


def nested(rng, start, end, depth=0):
    rows, at = [], start
    while at < end - 4:
        first = at + rng.randrange(3)
        last = min(end, first + rng.randrange(2, 40))
        if last <= first:
            break
        rows.append([first, last, rng.choice(PATHS), depth])
        if depth < 2 and last - first > 8 and rng.random() < .5:
            rows += nested(rng, first + 1, last - 1, depth + 1)
        at = last
    return rows


def made(rng, steps, length=400):
    """An XSpace of a TPU, and its rows: (start, end, path, self), ps."""
    plane, rows = xspace.Plane(2, '/device:TPU:0'), []
    for step in range(steps):
        if steps > 1:
            plane.add('Steps', str(step), step * length, length)
        rows += nested(rng, step * length, (step + 1) * length)
    for start, end, path, _ in rows:
        plane.add('XLA Ops', f'op.{PATHS.index(path)}', start, end - start, **({'tf_op': path} if path else {}))
    own = [(a * PS, b * PS, path, (b - a - sum(d - c for c, d, _, below in rows if below == depth + 1 and a <= c and d <= b)) * PS) for a, b, path, depth in rows]
    return plane.data(), sorted(own, key=lambda row: (row[0], -row[1])), [s * length * PS for s in range(steps)] if steps > 1 else []


def runs_of(rows, steps, label_of):
    """[(start, end, label, busy, rows)] of rows in their order."""
    runs, last = [], None
    for start, end, path, own in rows:
        if path is None:
            continue  # it states nothing
        label, step = label_of(path), sum(s <= start for s in steps)
        if label is not None and (label, step) != last:
            runs.append([start, end, label, 0, 0])
        last = (label, step) if label is not None else None
        if label is None:
            continue
        runs[-1][1] = max(runs[-1][1], end)
        runs[-1][3] += own
        runs[-1][4] += 1
    return sorted(map(tuple, runs))


def picture(body):
    """{lane: [(x0, x1, row, label, count)]}, t0, ps a pixel."""
    magic, version, lanes, n, t0, p, rest, _ = struct.unpack_from('<4sIIIqqII', body)
    check_same((magic, version, rest), (b'NPVW', 1, 0xffffffff), 'head')
    heads = [struct.unpack_from('<IIII', body, 40 + 16 * i) for i in range(lanes)]
    columns = [struct.unpack_from(f'<{n}I', body, 40 + 16 * lanes + 4 * n * c) for c in range(7)]
    check_same(len(body), 40 + 16 * lanes + 29 * n, 'length')
    return {lane: list(zip(*(column[first:first + count] for column in columns[:5]))) for lane, first, count, _ in heads}, t0, p


def pictures_are_of(server, profile, runs, rng):
    """Counts of rectangles are those of the runs that touch a tile, and alone they are where the run is."""
    end = max(run[1] for lane in runs for run in lane)
    whole, t0, p = picture(server.profile('layers/over', profile).body)
    check_same({lane: sum(r[4] for r in rects) for lane, rects in whole.items()}, dict(enumerate(map(len, runs))), 'counts of the whole')
    for _ in range(40):
        level = rng.randrange(12, 32)
        tile = rng.randrange(0, end // (2048 << level) + 1)
        found, t0, p = picture(server.profile(f'layers/v?l={level}&i={tile}&lanes=0-{len(runs) - 1}', profile).body)
        check_same((t0, p), (tile * (2048 << level), 1 << level), 'place')
        for lane, rects in found.items():
            touching = [run for run in runs[lane] if run[0] < t0 + 2048 * p and run[1] > t0]
            check_same(sum(r[4] for r in rects), len(touching), f'lane {lane} of {level}/{tile}')
            check(all(a[1] <= b[0] + 16 and a[0] <= b[0] for a, b in zip(rects, rects[1:])), 'order')
            for x0, x1, row, _label, count in rects:
                run = runs[lane][row]
                if count == 1:
                    check_same((x0, x1), (max(0, (run[0] - t0) * 16 // p), min(16 * 2048, -(-(run[1] - t0) * 16 // p))), f'{run}')
                else:
                    check(run[1] - run[0] <= p, f'{run} is not a part of others at {p}')


@test
def lanes_are_runs_of_rows(_):
    for seed in range(4):
        rng = random.Random(seed)
        data, rows, steps = made(rng, rng.choice((1, 3, 5)))
        write(f'{seed}.xplane.pb', data)
        with Server(f'{seed}.xplane.pb') as server:
            profile = server.api('profiles')['profiles'][0]['bucket']
            answer = server.profile('layers', profile).json()
            tracks = {t['track']: t for t in answer['tracks']}
            lanes = answer['lanes']
            found, by_lane = {}, []
            for lane, (track, count) in enumerate(zip(lanes['track'], lanes['rows'])):
                runs = [server.profile(f'layers/run?row={lane}.{i}', profile).json() for i in range(count)]
                by_lane.append([(int(r['start']), int(r['end'])) for r in runs])
                check(all(a[1] <= b[0] for a, b in zip(by_lane[-1], by_lane[-1][1:])), 'runs of a lane do not overlap')
                for r in runs:
                    check(r['total'] >= r['rows'] and len(r['hits']) == r['total'], f'rows of {r}')
                    check(all(int(r['start']) <= int(h['start']) and int(h['start']) + int(h['duration']) <= int(r['end']) for h in r['hits']), f'{r}')
                found.setdefault(tracks[track]['label'], []).extend((int(r['start']), int(r['end']), r['path'], int(r['busy']), r['rows']) for r in runs)
            wanted = {'operators': runs_of(rows, steps, lambda path: path)}
            for level in range(1, 4):
                part = runs_of(rows, steps, lambda path, n=level: '/'.join(layer_of(path)[:n]) if len(layer_of(path)) >= n else None)
                if part:
                    wanted[f'level {level}'] = part
            check_same(sorted(found), sorted(wanted), 'levels')
            for name, runs in wanted.items():
                check_same(sorted(found[name]), runs, f'{name} of {seed}')
            check_same([t['label'] for t in answer['tracks'] if t['kind'] == 'device'], ['/device:TPU:0'], 'devices')
            check_same(answer['rows'], sum(map(len, wanted.values())), 'runs')
            pictures_are_of(server, profile, by_lane, rng)
            server.profile('layers/run?row=99.0', profile, 404)
            server.profile('layers/v?l=3&i=0&lanes=99', profile, 404)


@test
def what_states_no_layer_says_so(_):
    write('plain.xplane.pb', xspace.tiny())
    with Server('plain.xplane.pb') as server:
        profile = server.api('profiles')['profiles'][0]['bucket']
        answer = server.profile('layers', profile).json()
        check_same((answer['tracks'], answer['names'], answer['unknown']), ([], [], 'needs rows of devices that state their layer, or the path of their operator'), 'unknown')
        check_same(server.profile('layers/over', profile).body[8:16], bytes(8), 'an empty picture')


if __name__ == '__main__':
    main()
