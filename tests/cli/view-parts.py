# SPDX-License-Identifier: Apache-2.0
"""view-parts.py - figures of rows of some groups of some tracks, asked through HTTP, against all
rows as the csv sink writes them of the file itself, and against the command that people copy."""

import collections
import json
import random
import re

from harness import check, check_same, main, rows_of, run, sample, test, write
from randomtrace import Row, events_of, inside, nest, ps, self_time
from viewserver import Server

LAYERS = {
    'Net[net]/Linear[fc1]/aten__mm': 'Net[net]/Linear[fc1]',
    'Net[net]/Linear[fc2]/aten__mm': 'Net[net]/Linear[fc2]',
    'jit(f)/dot_general': None,
    '': None,
}
BYS = ('category', 'layer', 'step')
QUESTIONS = 30


def bucket_of(server):
    return re.search(r'n_[0-9a-f]{40}', server.lines[0]).group(0)


def trace(seed):
    """Random rows, of which some state a step and some an operator of the framework."""
    r = random.Random(seed)
    events = list(events_of(r))
    for event in events:
        if event['ph'] in 'XBi':
            event['args'] = {
                **({'step': r.randrange(5)} if r.random() < 0.6 else {}),
                **({'tf_op': r.choice(list(LAYERS))} if r.random() < 0.6 else {}),
            }
    write(f'p{seed}.json', json.dumps({'traceEvents': events}))
    return f'p{seed}.json'


def scan(path, *options):
    """[(Row, {by: group or None})]"""
    out = run('run', '-q', '-s', 'csv:table=events', '-o', '-', path, *options).expect(0).out
    return [
        (
            Row(
                int(x['track']),
                x['kind'],
                x['category'],
                x['name'],
                ps(x['start_ns'] or '0'),
                ps(x['duration_ns']) if x['duration_ns'] else None,
                x.get('value'),
            ),
            {
                'category': x['category'] or None,
                'layer': x.get('layer') or LAYERS.get(x.get('framework_op') or '', None),
                'step': x.get('step') or None,
            },
        )
        for x in rows_of(out)
    ]


def chosen(r, groups, tracks):
    """(text of the parameter without what it is by, whether a row of a track and a group is
    meant)"""
    sets = []
    for _ in range(r.randrange(1, 4)):
        own = sorted(r.sample(range(len(groups)), r.randrange(1, min(3, len(groups)) + 1)))
        sets.append(
            (
                own,
                sorted(r.sample(tracks, r.randrange(1, len(tracks) + 1)))
                if r.random() < 0.8
                else None,
            )
        )
    text = ';'.join(
        ','.join(map(str, own)) + ('@' + ','.join(map(str, of)) if of else '') for own, of in sets
    )
    names = [g['name'] for g in groups]
    return (
        text,
        lambda track, group: any(
            group in [names[i] for i in own] and (of is None or track in of) for own, of in sets
        ),
        {t for _, of in sets for t in (of or tracks)},
    )


def union(pieces):
    total, end = 0, None
    for a, b in sorted(pieces):
        total += max(0, b - (a if end is None else max(a, end)))
        end = b if end is None else max(end, b)
    return total


def expected(rows, children, meant, by, t0, t1):
    """{name: [count, unclosed, whole, inside, self, durations]}, and the time in which each track
    had such a span"""
    sums = collections.defaultdict(lambda: [0, 0, 0, 0, 0, []])
    busy = collections.defaultdict(list)
    for i, (row, groups) in enumerate(rows):
        if (
            row.kind != 'span'
            or not meant(row.track, groups[by])
            or row.start > t1
            or (row.duration is not None and row.start + row.duration < t0)
        ):
            continue
        own = sums[row.name]
        own[0] += 1
        if row.duration is None:
            own[1] += 1
            continue
        cut = inside(row, t0, t1)
        own[2] += row.duration
        own[3] += cut
        own[4] += self_time(row, [rows[c][0] for c in children.get(i, [])], t0, t1)
        own[5].append(row.duration)
        if cut:
            busy[row.track].append((max(row.start, t0), min(row.start + row.duration, t1)))
    return sums, sum(union(pieces) for pieces in busy.values())


def windows(rows, r):
    first, last = min(x.start for x, _ in rows), max(x.start + (x.duration or 0) for x, _ in rows)
    a, b = sorted(
        r.choice((r.randrange(first - 5, last + 6), r.choice(rows)[0].start)) for _ in range(2)
    )
    return r.choice(((a, b), (a, b), (first, last)))


@test
def sums_of_parts_as_a_scan(_):
    for seed in range(400, 404):
        r, path = random.Random(seed), trace(seed)
        rows = scan(path)
        timed = [x for x in rows if x[0].kind not in ('fact',)]
        tracks = sorted({row.track for row, _ in rows if row.kind != 'fact'})
        children = nest([row for row, _ in rows], tracks)
        with Server(path) as server:
            ask = lambda route: server.profile(route, bucket_of(server)).json()
            groups = {by: ask(f'groups?by={by}')['groups'] for by in BYS}
            for _ in range(QUESTIONS):
                by = r.choice(BYS)
                text, meant, of = chosen(r, groups[by], tracks)
                t0, t1 = windows(timed, r)
                sums, busy = expected(rows, children, meant, by, t0, t1)
                params = f't0={t0}&t1={t1}&parts={by}:{text}'
                answer = ask(f's?by=name&percentiles=1&n=1000&{params}')
                found = {
                    x['name']: [
                        x['count'],
                        x['unclosed'],
                        int(x['whole']),
                        int(x['inside']),
                        int(x['self_inside']),
                        (x['min'], x['max']),
                    ]
                    for x in answer['rows']
                }
                check_same(
                    found,
                    {
                        name: [
                            *own[:5],
                            (
                                str(min(own[5])) if own[5] else None,
                                str(max(own[5])) if own[5] else None,
                            ),
                        ]
                        for name, own in sums.items()
                    },
                    params,
                )
                check_same(answer['totals']['together']['count'], len(of), f'{params}: tracks')
                check_same(int(answer['totals']['busy']['value']), busy, f'{params}: busy')
                some = r.choice(list(sums)) if sums else None
                if some:
                    more = ask(f's?by=name&where=name%3D{some}&{params}')['rows']
                    check_same(
                        [(x['name'], x['count'], int(x['self_inside'])) for x in more],
                        [(some, sums[some][0], sums[some][4])],
                        f'{params}: of one name',
                    )
                    told = ask(f'latency?name={some}&{params}')
                    check_same(
                        (told['count'], told['max']),
                        (sums[some][0], str(max(sums[some][5])) if sums[some][5] else None),
                        f'{params}: latency',
                    )
                flame = collections.Counter()
                for node in ask(f'flame?by=name&{params}')['nodes']:
                    flame[node['name']] += int(node['self'])
                check_same(
                    +flame,
                    +collections.Counter({name: own[4] for name, own in sums.items()}),
                    f'{params}: flame',
                )


@test
def the_command_selects_the_same(_):
    """Operators of parts are those of a report of the rows, which a scan counts."""
    path = sample()
    rows = rows_of(run('run', '-q', '-s', 'csv:table=events', '-o', '-', path).expect(0).out)
    with Server(path) as server:
        bucket = bucket_of(server)
        meta = server.profile('meta', bucket).json()
        lanes = meta['lanes']
        first, last = meta['start'], meta['end']
        groups = server.profile('groups?by=step', bucket).json()['groups']
        ops = {t['track'] for t in meta['tracks'] if t['label'] == 'XLA Ops'}
        check_same(len(ops), 2, 'tracks of operators')
        one = min(ops)
        for text, meant in (
            (f'1@{one}', lambda x: x['step'] == '1' and int(x['track']) == one),
            ('0', lambda x: x['step'] == '0'),
            (
                f'2@{one};{len(groups) - 1}',
                lambda x: x['step'] == '2' and int(x['track']) == one or not x['step'],
            ),
        ):
            answer = server.get(
                f'/api/v1/p/{bucket}/{server.generation(bucket)}/operators?level=hlo&t0={first}&t1={last}&parts=step:{text}'
            ).json()
            check_same(answer['parts'], 'step:' + text, 'what it is of')
            at = [c['name'] for c in answer['columns']]
            found = collections.Counter()
            for row in answer['rows']:
                found[row[at.index('operator')]] += int(row[at.index('calls')])
            wanted = collections.Counter(
                x['name'] for x in rows if int(x['track']) in ops and meant(x)
            )
            check(
                {name: n for name, n in found.items() if name in wanted} == dict(wanted),
                f'{text}: {found}, expected {wanted}',
            )
            check(set(found) <= {x['name'] for x in rows if meant(x)}, f'{text}: {found}')
        check(lanes, 'lanes')


@test
def what_is_wrong_is_told(_):
    path = trace(410)
    with Server(path) as server:
        for text, status in (
            ('step', 400),
            ('name:1', 400),
            ('step:', 400),
            ('step:x', 400),
            ('step:0@', 400),
            ('step:0@x', 400),
            ('step:0;', 400),
            ('step:99', 404),
            ('step:0@9999', 404),
        ):
            for route in ('s?', 'latency?name=a&', 'flame?', 's?where=name%3Da&'):
                server.profile(f'{route}parts={text}', bucket_of(server), status)


if __name__ == '__main__':
    main()
