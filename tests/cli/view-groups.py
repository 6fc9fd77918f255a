# SPDX-License-Identifier: Apache-2.0
"""view-groups.py - rows by category, layer, step and operator, asked through HTTP, against all rows
as the csv sink writes them of the file itself: which groups there are, that pictures of groups lose
no row, and of which group a row is."""

import collections
import json
import os
import random
import re
import struct

from harness import check, check_same, main, rows_of, run, sample, test, write
from randomtrace import events_of, ps
from viewserver import Server

LAYERS = {
    'Net[net]/Linear[fc1]/aten__mm': 'Net[net]/Linear[fc1]',
    'Net[net]/Linear[fc2]/aten__mm': 'Net[net]/Linear[fc2]',
    'jit(f)/dot_general': None,
    '': None,
}
DRAWN = ('span', 'instant', 'counter', 'gap')
PICTURES = 60 if os.environ.get('NPROF_TEST_ALL') else 30
MORE = 40  # lanes that all have one row of each group


def trace(seed):
    """Random rows, of which some state a step and some an operator of the framework."""
    r = random.Random(seed)
    events = list(events_of(r))
    for event in events:
        if event['ph'] in 'XBi':
            event['args'] = {
                **({'step': r.randrange(12)} if r.random() < 0.6 else {}),
                **({'tf_op': r.choice(list(LAYERS))} if r.random() < 0.6 else {}),
            }
    write(f'g{seed}.json', json.dumps({'traceEvents': events}))
    return f'g{seed}.json'


def scan(path):
    """[(kind, start, end or None, {by: group or None})] of what is drawn."""
    rows = rows_of(run('run', '-q', '-s', 'csv:table=events', '-o', '-', path).expect(0).out)
    out = []
    for r in rows:
        if r['kind'] not in DRAWN:
            continue
        whole = r['kind'] == 'counter'
        groups = {
            'category': r['category'] or None,
            'layer': None if whole else layer_of(r),
            'step': None if whole else r.get('step') or None,
            'operator': None if whole else r.get('framework_op') or None,
        }
        start = ps(r['start_ns'])
        out.append(
            (
                r['kind'],
                start,
                None
                if r['kind'] == 'span' and not r['duration_ns']
                else start + ps(r['duration_ns'] or '0'),
                groups,
            )
        )
    return out


def layer_of(row):
    return row.get('layer') or LAYERS[row.get('framework_op') or '']


def touches(row, t0, t1):
    kind, start, end, _ = row
    if kind == 'counter':
        return t0 <= start < t1
    if end is None:
        return start < t1
    return start < t1 and (end > t0 or start == end == t0)


class Profile:
    def __init__(self, server):
        self.server = server
        self.name = re.search(r'n_[0-9a-f]{40}', server.lines[0]).group(0)
        self.meta = self.json('meta')
        decoder = {t['track'] for t in self.meta['tracks'] if t['origin'] == 'decoder'}
        self.own = {lane['lane'] for lane in self.meta['lanes'] if lane['track'] in decoder}

    def json(self, route):
        return self.server.profile(route, self.name).json()

    def pictures(self, by, level, tile, parts):
        """[(lane, group, rectangles)] in the order of the parts, of as many answers as it takes."""
        found, at = [], 0
        while at < len(parts):
            asked = parts[at : at + 256]
            body = self.server.profile(
                f'v?l={level}&i={tile}&by={by}&of='
                + ','.join(f'{lane}@{group}' for lane, group in asked),
                self.name,
            ).body
            _, n_lanes, n, t0, p, following = struct.unpack_from('<4xIIIqqI', body)
            columns = [
                struct.unpack_from(f'<{n}I', body, 40 + 16 * n_lanes + 4 * n * k) for k in range(7)
            ]
            for k in range(n_lanes):
                lane, start, count, _ = struct.unpack_from('<4I', body, 40 + 16 * k)
                check_same(lane, asked[k][0], 'lanes in their order')
                found.append(
                    (*asked[k], [tuple(c[i] for c in columns) for i in range(start, start + count)])
                )
            check_same(
                following, 0xFFFFFFFF if n_lanes == len(asked) else n_lanes, 'where to go on'
            )
            check(n_lanes, 'an answer has a lane')
            at += n_lanes
        return found, t0, t0 + 2048 * p


def parts_of(profile, groups):
    return [(lane, g['group']) for g in groups for lane, _ in g['lanes'] if lane in profile.own]


def look(profile, by, groups, rows, r):
    """No row is lost in a picture, and none is in that of another group."""
    spread = max(row[1] for row in rows) - min(row[1] for row in rows) + 1
    level = r.randrange(max(1, spread.bit_length()))
    tile = r.choice(rows)[1] >> level + 11
    parts = sorted(
        parts_of(profile, groups), key=lambda part: r.random() if r.random() < 0.2 else part[0]
    )
    found, t0, t1 = profile.pictures(by, level, tile, parts)
    check_same(t0, tile * 2048 << level, 'where the picture lies')
    counted = collections.Counter()
    singles = []
    for lane, group, rects in found:
        counted[groups[group]['name']] += sum(x[4] for x in rects)
        singles += [(f'{lane}.{x[2]}', group) for x in rects]
        check_same(rects, sorted(rects), 'in the order of time')
    check_same(
        +counted,
        +collections.Counter(row[3][by] for row in rows if touches(row, t0, t1)),
        f'{by} {level} {tile}',
    )
    singles = r.sample(singles, min(len(singles), 100))
    if singles:
        told = profile.json(f'group?by={by}&rows=' + ','.join(row for row, _ in singles))['groups']
        check_same(told, [group for _, group in singles], 'of which group rows are')


def ordered(by, names):
    known = [n for n in names if n is not None]
    check(None not in names[:-1], f'what states none is last: {names}')
    if by not in ('layer', 'operator'):
        check_same(known, sorted(known, key=int if by == 'step' else str), by)


def hash_of(text):
    """FNV-1a, as the page has it."""
    h = 2166136261
    for unit in struct.unpack(f'<{len(text.encode("utf-16-le")) // 2}H', text.encode('utf-16-le')):
        h = (h ^ unit) * 16777619 & 0xFFFFFFFF
    return h ^ h >> 15


def palette(texts):
    """Colours of texts in their order: that of the hash, else the next free one; when none is left
    that of the text 21 places before it. Each seven have a grey behind them."""
    taken = {}
    for i, text in enumerate(dict.fromkeys(texts)):
        colour = hash_of(text) % 21
        while i < 21 and colour in taken.values():
            colour = (colour + 1) % 21
        taken[text] = colour if i < 21 else list(taken.values())[i - 21]
    return {text: colour // 7 * 8 + colour % 7 for text, colour in taken.items()}


@test
def the_colour_of_a_bar_is_of_its_row(_):
    """Two rows of one name in two layers have two colours, of one layer one; 255: a row that states
    none."""
    layers = ['Net[net]/a', 'Net[net]/\u00e9\U0001f600', None, 'Net[net]/a']
    layers += [f'Net[net]/{i}' for i in range(24)]  # more than there are colours
    events = [
        {
            'ph': 'X',
            'pid': 1,
            'tid': 1,
            'ts': 100 * i,
            'dur': 100,
            'name': 'mm',
            **({'args': {'tf_op': layer + '/aten__mm'}} if layer else {}),
        }
        for i, layer in enumerate(layers)
    ]
    colours = palette(filter(None, layers))
    check(len(set(colours.values())) == 21, f'each colour is used: {colours}')
    used = list(colours.values())
    check(all(a != b for a, b in zip(used, used[1:] + used[:1])), f'neighbours differ: {used}')
    write('mixed.json', json.dumps({'traceEvents': events}))
    with Server('mixed.json') as server:
        profile = Profile(server)
        check_same(
            [profile.json(f'names{over}').get('mixed') for over in ('?of=over', '')],
            [['layer', 'operator'], None],
            'what names differ in',
        )
        moved = profile.json('names?of=over')['colours']
        check_same(
            (sorted(moved), moved['layer']),
            (
                ['layer', 'operator'],
                {
                    text: colour
                    for text, colour in colours.items()
                    if colour != palette([text])[text]
                },
            ),
            'colours that are not those of the hash, of what rows state',
        )
        (lane,) = [lane['lane'] for lane in profile.meta['lanes'] if lane['rows'] == len(layers)]
        plain, body = (
            server.profile(f'v?l=21&i=0&lanes={lane}{more}', profile.name).body
            for more in ('', '&colour=layer')
        )
        check_same(
            (body[: len(plain)], list(body[len(plain) :])),
            (plain, [colours[layer] if layer else 255 for layer in layers]),
            'a byte a bar behind the rest',
        )
        none = server.profile(f'v?l=21&i=0&lanes={lane}&colour=source', profile.name).body
        check_same(list(none[len(plain) :]), [255] * len(layers), 'nothing stated')


@test
def as_a_scan_of_all_rows(_):
    for seed in range(200, 206):
        path = trace(seed)
        rows = scan(path)
        with Server(path) as server:
            profile = Profile(server)
            r = random.Random(seed)
            for by in ('category', 'layer', 'step', 'operator'):
                groups = profile.json(f'groups?by={by}')['groups']
                check_same([g['group'] for g in groups], list(range(len(groups))), 'numbers')
                ordered(by, [g['name'] for g in groups])
                told = collections.Counter(
                    {
                        g['name']: sum(n for lane, n in g['lanes'] if lane in profile.own)
                        for g in groups
                    }
                )
                check_same(+told, collections.Counter(row[3][by] for row in rows), f'rows by {by}')
                check_same(
                    [g['rows'] for g in groups],
                    [sum(n for _, n in g['lanes']) for g in groups],
                    'rows',
                )
                for _ in range(PICTURES // 3):
                    look(profile, by, groups, rows, r)


@test
def of_many_rows(_):
    """Lanes with so many rows that pictures come from pieces of them: of the whole, of tiles around
    edges, and finer ones."""
    r = random.Random(7)
    events, at = [], 0
    for i in range(40_000):
        at += r.choice((0, 1, 1, 2, 40, 900 if r.random() < 0.02 else 3))
        length = r.choice((0, 1, 2, 30, 4000 if r.random() < 0.01 else 5))
        events.append(
            {
                'ph': 'X',
                'pid': 1,
                'tid': 1,
                'ts': at,
                'dur': length,
                'name': f'n{i % 5}',
                'cat': r.choice(('a', 'b', 'b', 'c', '')),
                'args': {'step': at // 60_000} if r.random() < 0.9 else {},
            }
        )
        if r.random() < 0.5:
            events.append(
                {
                    'ph': 'i',
                    'pid': 1,
                    'tid': 1,
                    'ts': at,
                    'name': 'mark',
                    's': 't',
                    'cat': r.choice('ab'),
                }
            )
        at += length
    write('many.json', json.dumps({'traceEvents': events}))
    rows = scan('many.json')
    spread = max(row[1] for row in rows) - min(row[1] for row in rows)
    with Server('many.json') as server:
        profile = Profile(server)
        check(max(lane['rows'] for lane in profile.meta['lanes']) > 3 * 8192, 'a lane of many rows')
        for by in ('category', 'step'):
            groups = profile.json(f'groups?by={by}')['groups']
            for level in range(
                (spread // 16384).bit_length() - 2, (spread // 512).bit_length() + 2
            ):
                for _ in range(2):
                    looks_right(profile, by, groups, rows, level, r.choice(rows)[1] >> level + 11)


@test
def of_more_pieces_than_may_be_kept(_):
    """Of rows of so many groups that pieces of the finest pixels are too many: they become longer,
    and no row is lost or counted twice."""
    r, n = random.Random(8), 400_000
    names = [f'c{r.randrange(150)}' for _ in range(n)]
    with open('fine.json', 'w', encoding='utf-8') as file:
        file.write('{"traceEvents":[')
        for at, name in enumerate(names):
            file.write(
                f'{"," * bool(at)}{{"ph":"X","pid":1,"tid":1,"ts":{at},"dur":0.5,"name":"n","cat":"{name}"}}'
            )
        file.write(']}')
    with Server('fine.json') as server:
        profile = Profile(server)
        groups = profile.json('groups?by=category')['groups']
        level = (n * 10**6 // 2048).bit_length()  # of which one tile has all
        found, _, _ = profile.pictures('category', level, 0, parts_of(profile, groups))
    counted = collections.Counter()
    for _, group, rects in found:
        counted[groups[group]['name']] += sum(x[4] for x in rects)
        check_same(rects, sorted(rects), 'in the order of time')
    check_same(counted, collections.Counter(names), 'rows of each group')


def looks_right(profile, by, groups, rows, level, tile):
    """Counts are those of the rows of each group; what is longer than a pixel stands alone, with
    its own edges."""
    found, t0, t1 = profile.pictures(by, level, tile, parts_of(profile, groups))
    counted, alone = collections.Counter(), collections.Counter()
    pixel = 1 << level
    for _, group, rects in found:
        counted[groups[group]['name']] += sum(x[4] for x in rects)
        alone.update(
            (groups[group]['name'], x[0], x[1]) for x in rects if x[4] == 1 and x[1] - x[0] > 18
        )
        check(
            all(x[4] == 1 or x[1] - x[0] <= 18 for x in rects),
            f'{by} {level} {tile}: rows that join are longer than a pixel',
        )
        check_same(rects, sorted(rects), 'in the order of time')
    touching = [row for row in rows if touches(row, t0, t1)]
    check_same(
        +counted, +collections.Counter(row[3][by] for row in touching), f'{by} {level} {tile}'
    )

    def edges(row):
        return max(0, (row[1] - t0) * 16 // pixel), min(16 * 2048, -((t0 - row[2]) * 16 // pixel))

    spans = [row for row in touching if row[0] == 'span' and row[2] is not None]
    check_same(
        alone,
        collections.Counter(
            (row[3][by], *edges(row)) for row in spans if edges(row)[1] - edges(row)[0] > 18
        ),
        f'{by} {level} {tile}: rows longer than a pixel',
    )


@test
def of_a_tpu(_):
    """Steps and layers are those that Details tells of each row."""
    with Server(sample()) as server:
        profile = Profile(server)
        for by, none in (('step', None), ('category', '')):
            groups = profile.json(f'groups?by={by}')['groups']
            for g in groups:
                lane = g['lanes'][0][0]
                kind = profile.meta['lanes'][lane]['type']
                found, _, _ = profile.pictures(by, 25, 0, [(lane, g['group'])])
                for x in found[0][2][:3]:
                    event = profile.json(f'e?row={lane}.{x[2]}')
                    check_same(
                        event[by],
                        none if g['name'] is None else g['name'],
                        f'{by} of {kind} {event["row"]}',
                    )
        names = [g['name'] for g in profile.json('groups?by=layer')['groups']]
        table = {row[0] for row in profile.json('table/layers?columns=layer')['rows']}
        check(len(names) > 2 and set(names[:-1]) <= table, f'{names}, not {table}')
        check_same(names[-1], None, 'what has no layer')


@test
def an_answer_that_is_too_long_goes_on(_):
    events = [
        {'ph': 'X', 'pid': 1, 'tid': lane, 'ts': 10 * i, 'dur': 5, 'name': 'n', 'cat': f'c{i % 3}'}
        for lane in range(MORE)
        for i in range(900)
    ]
    write('long.json', json.dumps({'traceEvents': events}))
    with Server('long.json') as server:
        profile = Profile(server)
        groups = profile.json('groups?by=category')['groups']
        parts = sorted(parts_of(profile, [g for g in groups if g['name']]))
        body = server.profile(
            'v?l=23&i=0&by=category&of=' + ','.join(f'{a}@{b}' for a, b in parts), profile.name
        ).body
        check(struct.unpack_from('<I', body, 32)[0] < len(parts), 'it goes on')
        found, _, _ = profile.pictures('category', 23, 0, parts)
        check_same(sum(x[4] for _, _, rects in found for x in rects), MORE * 900, 'rows of all')
        check_same({len(rects) for _, _, rects in found}, {300}, 'rectangles')


@test
def what_is_wrong_is_told(_):
    write(
        'plain.json',
        json.dumps(
            {'traceEvents': [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 5, 'name': 'n'}]}
        ),
    )
    with Server('plain.json') as server:
        profile = Profile(server)
        for by in ('category', 'layer', 'step'):
            answer = profile.json(f'groups?by={by}')
            check(
                answer['unknown'].startswith('needs ')
                and [g['name'] for g in answer['groups']] == [None],
                f'{answer}',
            )
        lane = min(profile.own)
        for route, status in (
            ('groups', 400),
            ('groups?by=name', 400),
            ('s?by=operator', 400),
            ('v?l=1&i=0&by=step', 400),
            ('v?l=1&i=0&by=step&of=1', 400),
            ('v?l=1&i=0&by=step&of=9999@0', 404),
            ('group?by=step', 400),
            ('group?by=step&rows=x', 400),
            ('group?by=step&rows=9999.0', 404),
            (f'group?by=step&rows={lane}.99', 404),
        ):
            server.profile(route, profile.name, status)
        empty = server.profile(f'v?l=1&i=0&by=step&of={lane}@7', profile.name).body
        check_same(
            struct.unpack_from('<II', empty, 8), (1, 0), 'a group that is not there has no rows'
        )


if __name__ == '__main__':
    main()
