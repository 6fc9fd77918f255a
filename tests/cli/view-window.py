# SPDX-License-Identifier: Apache-2.0
"""view-window.py - tables of a part of a profile: what the server says is what the command says
that the page copies."""

import json
import os
import random
import re
import sys

from gputrace import Trace
from harness import check, check_same, main, run, sample, test, write
from viewserver import Server

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

# Both edges within steps, operators and copies; a moment between rows; all of it; nothing.
WINDOWS = [
    (3000000000, 9000000000),
    (5000000001, 5199999999),
    (0, 10**15),
    (10**15, 10**15 + 1),
]


def report(path, *arguments):
    text = run('report', '-q', '--format', 'json', '--top', '0', *arguments, path).out
    return {t['name']: t for t in json.loads(text)['tables']}


def name_in_report(column):
    return (
        re.sub('_[np]s$', '', column['name']) + '_ps' if column['unit'] == 'ps' else column['name']
    )


def plain(cell, kind):
    """A cell of a report as the server writes it."""
    if cell is None or kind == 'bool':
        return cell
    if isinstance(cell, (dict, list)):
        return json.loads(json.dumps(cell))
    return str(cell) if kind in ('int64', 'uint64') else cell


def rows_of(answer, table):
    """The rows of a report in the columns of an answer; a table without rows is none of a
    report."""
    columns = table['columns'] if table else []
    at = [
        columns.index(name_in_report(c)) if name_in_report(c) in columns else None
        for c in answer['columns']
    ]
    return [
        [None if k is None else plain(row[k], c['type']) for k, c in zip(at, answer['columns'])]
        for row in (table or {'rows': []})['rows']
    ]


def compare(path, least, windows):
    with Server(path) as server:
        profile = re.search(r'n_[0-9a-f]{40}', server.lines[0]).group(0)
        tables = server.profile('profile', profile).json()['tables']
        made = [t['name'] for t in tables if t['origin'] not in ('decoder', 'core')]
        check(len(made) >= least, f'{made}')
        for t0, t1 in windows:
            wanted = report(
                path, '--full', '-a', 'answers', '--clip', '--from', f'{t0}ps', '--to', f'{t1}ps'
            )
            for name in made:
                answer = server.profile(f'table/{name}?t0={t0}&t1={t1}&n=10000', profile).json()
                check_same((answer['t0'], answer['t1']), (str(t0), str(t1)), name)
                expected = rows_of(answer, wanted.get(name))
                theirs = answer['rows']
                if name == 'abilities':  # one may have an analyzer that the other has not
                    theirs = [row for row in theirs if row[1] in {one[1] for one in expected}]
                check_same(theirs, expected, f'{name} from {t0} to {t1}')
                check_same(answer['total'], len(answer['rows']), f'{name}: total')
                whole = server.profile(f'table/{name}?n=0', profile).json()
                check_same(answer['columns'], whole['columns'], f'{name}: columns')


@test
def as_the_report_of_a_tpu(_):
    compare(sample(), 15, WINDOWS)


@test
def as_the_report_of_a_gpu(_):
    """Its times are not from the origin of the file, and all its work is launched."""
    calls = [
        ('gemm', 'aten::mm', 40),
        ('ncclDevKernel_AllReduce_Sum_f32_RING_LL', 'c10d::allreduce_', 60),
        ('Memcpy HtoD (Pinned -> Device)', 'aten::copy_', 20),
    ]
    path = Trace(calls, steps=5).save('gpu.pt.trace.json')
    start, end = (ps for ps in span_of(path))
    compare(path, 15, [(start + (end - start) // 3 + 7, end - (end - start) // 4 - 1)])


def span_of(path):
    """First start and last end of rows, ps from nprof's origin."""
    rows = run('run', '-q', '-s', 'csv:columns=start_ns+duration_ns', '-o', '-', path).out.split()[
        1:
    ]
    times = [[round(float(x or 0) * 1000) for x in row.split(',')] for row in rows]
    return min(t[0] for t in times), max(t[0] + t[1] for t in times)


@test
def of_the_command_that_the_page_copies(_):
    """It names the tables that a widget shows, and no --full."""
    t0, t1 = WINDOWS[0]
    names = ['bound', 'step_breakdown', 'idle_causes', 'critical', 'layers', 'collectives']
    with Server(sample()) as server:
        there = {t['name'] for t in server.profile('profile').json()['tables'] if t['rows']}
        wanted = report(
            sample(),
            '--only',
            ','.join(n for n in names if n in there),
            '--clip',
            '--from',
            f'{t0}ps',
            '--to',
            f'{t1}ps',
        )
        check(len(wanted) > 3, f'{list(wanted)}')
        for name in wanted:
            answer = server.profile(f'table/{name}?t0={t0}&t1={t1}').json()
            shown = [name_in_report(c) for c in answer['columns']]
            for row, own in zip(wanted[name]['rows'], answer['rows']):
                for column, cell in zip(wanted[name]['columns'], row):
                    kind = answer['columns'][shown.index(column)]['type']
                    if kind not in ('string', 'text'):  # the page of a report has short texts
                        check_same(own[shown.index(column)], plain(cell, kind), f'{name}.{column}')


@test
def chosen_as_stored_tables_are(_):
    """Sorted, filtered and cut by the server."""
    with Server(sample()) as server:
        window = 't0=3000000000&t1=9000000000'
        all_rows = server.profile(
            f'table/operators?{window}&columns=level,operator,self_ns&n=10000'
        ).json()['rows']
        some = server.profile(
            f'table/operators?{window}&columns=level,operator,self_ns&where=level%3Dhlo+and+self_ns%3E0&sort=-self_ns&offset=1&n=2'
        ).json()
        kept = sorted(
            (r for r in all_rows if r[0] == 'hlo' and int(r[2]) > 0), key=lambda r: -int(r[2])
        )
        check_same(some['total'], len(kept), 'total')
        check_same([r[2] for r in some['rows']], [r[2] for r in kept[1:3]], 'order')
        for route in ('gaps', 'steps', 'operators'):
            own = server.profile(f'{route}?{window}&n=10000').json()
            check_same(
                own['rows'], server.profile(f'table/{route}?{window}&n=10000').json()['rows'], route
            )
            check(
                own['rows'] != server.profile(f'{route}?n=10000').json()['rows'],
                f'{route} of a part',
            )
        parts = {
            (p['device'], p['step']): p['parts']
            for p in server.profile(f'steps?{window}').json()['parts']
        }
        table = server.profile(
            f'table/step_breakdown?{window}&columns=device,step,compute_ns,idle_host_ns'
        ).json()['rows']
        check_same(
            {(d, s): (c, i) for d, s, c, i in table},
            {k: (p['compute'], p['idle_host']) for k, p in parts.items()},
            'parts',
        )
        check_same(
            sum(
                v
                for _, v in server.profile(f'operators?level=hlo&{window}').json()['pies'][
                    'by_device'
                ]
            ),
            sum(int(r[2]) for r in all_rows if r[0] == 'hlo'),
            'pies',
        )


def sentences(text):
    """What a list of findings says, without the breaks of its lines."""
    return ' '.join(text.split())


def findings_of(server, profile, windows, command):
    """Those of windows are what `report --findings --clip` says of them."""
    told = []
    for t0, t1 in windows:
        answer = server.profile(f'findings?t0={t0}&t1={t1}', profile).json()
        said = sentences(
            run(
                'report',
                '-q',
                '--findings',
                '--clip',
                '--from',
                f'{t0}ps',
                '--to',
                f'{t1}ps',
                command,
            ).out
        )
        check_same((answer['t0'], answer['t1']), (str(t0), str(t1)), 'window')
        told += [(one['rule'], one['text']) for one in answer['findings']]
        for one in answer['findings']:
            place = said.find(sentences(one['text']))
            check(place >= 0, f'{one["text"]} is not of the command: {said}')
            check(
                not one['detail'] or sentences(one['detail']) in said,
                f'{one["detail"]} is not of the command: {said}',
            )
            said = said[place:]  # in one order
            evidence = one['evidence']
            check(
                t0 <= int(evidence['t0']) <= int(evidence['t1']) <= t1,
                f'{one["rule"]}: {evidence} of {t0} to {t1}',
            )
        more = sum(one['count'] for one in answer['findings_left_out'])
        counts = sum(
            int(n)
            for n in re.findall(
                'and ([0-9]+) more',
                sentences(
                    run(
                        'report',
                        '-q',
                        '--findings',
                        '--clip',
                        '--from',
                        f'{t0}ps',
                        '--to',
                        f'{t1}ps',
                        command,
                    ).out
                ),
            )
        )
        check(more >= counts, f'left out: {more}, {counts}')
    return told


@test
def findings_of_a_part(_):
    """Time at stake is that of the part; a finding of the whole run is none of a part that does not
    have it."""
    with Server(sample()) as server:
        profile = re.search(r'n_[0-9a-f]{40}', server.lines[0]).group(0)
        whole = server.profile('profile', profile).json()
        check_same(
            server.profile('findings', profile).json()['findings'],
            whole['findings'],
            'of the whole run',
        )
        told = findings_of(server, profile, [*WINDOWS[:2], (15000000000, 16000000000)], sample())
        check(len({rule for rule, _ in told}) > 3, f'{told}')
        # The device idled before 15.635 ms: that is found there, and nowhere else.
        check(any('idles 26.0 %' in text for rule, text in told if rule == 'idle'), f'{told}')
        check(
            not {text for _, text in told} & {one['text'] for one in whole['findings']},
            'told of the whole run',
        )
        check_same(
            server.profile('findings?t0=1000000000000000&t1=1000000000000001', profile).json()[
                'findings'
            ],
            [],
            'of nothing',
        )


@test
def roofline_of_a_part(_):
    with Server(sample()) as server:
        for t0, t1 in WINDOWS[:2]:
            rows = report(
                sample(),
                '--full',
                '--only',
                'mfu',
                '--clip',
                '--from',
                f'{t0}ps',
                '--to',
                f'{t1}ps',
            )['mfu']
            mfu = [dict(zip(rows['columns'], row)) for row in rows['rows']]
            for level, kept in (
                (
                    'operator',
                    lambda r: r['operator'] and r['operator'][0] != '(' and r['step'] is None,
                ),
                (
                    'step',
                    lambda r: r['step'] is not None
                    and not r['layer']
                    and (not r['operator'] or r['operator'][0] == '('),
                ),
            ):
                answer = server.profile(f'roofline?level={level}&t0={t0}&t1={t1}').json()
                wanted = sorted(
                    (r['device'], r['time_ps'], r['intensity'], r['flops'] / (r['time_ps'] / 1e12))
                    for r in mfu
                    if kept(r) and r['intensity'] is not None and r['time_ps']
                )
                check(len(wanted) > 1, f'{level}: {wanted}')
                check_same(
                    sorted(
                        (p['device'], int(p['time']), p['intensity'], p['flops'])
                        for p in answer['points']
                    ),
                    wanted,
                    f'{level} of {t0}',
                )
                check(
                    answer['points'] != server.profile(f'roofline?level={level}').json()['points'],
                    'those of the whole run',
                )
        empty = server.profile('roofline?t0=1000000000000000&t1=1000000000000001').json()
        check(not empty['points'] and 'this part of the run' in empty['unknown'], f'{empty}')


@test
def ranks_of_a_part(_):
    """One step of a job: its cells are those of the tables that the command prints of the files."""
    ranks.make('job', ranks.Job(steps=4, layers=4, seed=5, slow={3: 1.4}, noise=0.005))
    files = [
        os.path.join('job', name) for name in sorted(os.listdir('job')) if name.endswith('.json')
    ]
    with Server('job') as server:
        profile = re.search(r'n_[0-9a-f]{40}', server.lines[0]).group(0)
        whole = server.profile('ranks', profile).json()
        steps = server.profile('steps?n=1000', profile).json()
        start, length = (
            next(i for i, c in enumerate(steps['columns']) if c['name'] == name)
            for name in ('start_ns', 'duration_ns')
        )
        first = min(int(r[start]) for r in steps['rows'])
        t0, t1 = first + int(steps['rows'][0][length]) + 1000, first + 3 * int(
            steps['rows'][0][length]
        )
        said = json.loads(
            run(
                'report',
                '-q',
                '--format',
                'json',
                '--full',
                '--top',
                '0',
                '--only',
                'ranks,rank_steps,stragglers',
                '--clip',
                '--from',
                f'{t0}ps',
                '--to',
                f'{t1}ps',
                *files,
            ).out
        )
        tables = {
            t['name']: [dict(zip(t['columns'], r)) for r in t['rows']] for t in said['tables']
        }
        cells = {(f'rank {r["rank"]}', str(r['step'])): r for r in tables['rank_steps']}
        check(cells, f'{list(tables)}')
        for metric, value in (
            ('step', lambda r: r['duration_ps']),
            ('exposed', lambda r: r['exposed_ps']),
            ('busy', lambda r: r['duration_ps'] - r['idle_ps']),
        ):
            answer = server.profile(f'ranks?metric={metric}&t0={t0}&t1={t1}', profile).json()
            found = {
                (rank, step): cell['value']
                for rank, row in zip(answer['ranks'], answer['cells'])
                for step, cell in zip(answer['steps'], row)
                if cell['value'] is not None
            }
            check_same(
                {k: str(v) for k, v in found.items()},
                {k: str(value(r)) for k, r in cells.items()},
                metric,
            )
        check(len(answer['steps']) < len(whole['steps']), f'{answer["steps"]} of {whole["steps"]}')
        check_same(len(answer['stragglers']), len(tables.get('stragglers', [])), 'stragglers')


def spans_with_lines(r, lines):
    """Spans of three threads, up to three deep, each of a line; and instants.  us."""
    events = []
    for thread in range(3):
        at = 0
        for _ in range(60):
            length = r.randrange(10, 200)
            inner = (at + r.randrange(1, length // 2), r.randrange(1, max(2, length // 2 - 1)))
            events += [(thread, at, length, r.choice(lines)), (thread, *inner, r.choice(lines))]
            if inner[1] > 4:
                events.append((thread, inner[0] + 1, inner[1] - 2, r.choice(lines)))
            at += length + r.randrange(0, 30)
        events += [(thread, r.randrange(at), None, r.choice(lines)) for _ in range(10)]
    return events


def time_of_lines(events, t0, t1, threads):
    """{line: [events, self ps]} by brute force: each us belongs to the deepest span that is
    open."""
    found = {}
    for thread in threads:
        own = [e for e in events if e[0] == thread]
        for _, start, length, line in own:
            if start * 10**6 <= t1 and (start + (length or 0)) * 10**6 >= t0:
                found.setdefault(line, [0, 0])[0] += 1
        spans = [e for e in own if e[2] is not None]
        edges = sorted(
            {max(t0, min(t1, us * 10**6)) for e in spans for us in (e[1], e[1] + e[2])}
        )
        for a, b in zip(edges, edges[1:]):
            holding = [e for e in spans if e[1] * 10**6 <= a and (e[1] + e[2]) * 10**6 >= b]
            if holding:
                found.setdefault(min(holding, key=lambda e: e[2])[3], [0, 0])[1] += b - a
    return found


@test
def lines_of_a_part(_):
    """Of a range of times, and of some tracks: events that touch it, self time that lies within."""
    os.mkdir('code')
    write('code/a.py', ''.join(f'line {i}\n' for i in range(1, 10)))
    r = random.Random(3)
    events = spans_with_lines(r, range(1, 10))
    write(
        't.json',
        json.dumps(
            {
                'traceEvents': [
                    {
                        'pid': 1,
                        'tid': t + 1,
                        'ts': at,
                        'name': f's{line}',
                        'args': {'source': f'a.py:{line}'},
                        **(
                            {'ph': 'X', 'dur': length}
                            if length is not None
                            else {'ph': 'i', 's': 't'}
                        ),
                    }
                    for t, at, length, line in events
                ]
            }
        ),
    )
    with Server('--source', 'code', 't.json') as server:
        profile = re.search(r'n_[0-9a-f]{40}', server.lines[0]).group(0)
        tracks = {t['label']: t['track'] for t in server.profile('meta', profile).json()['tracks']}
        names = [name for name in tracks if re.search('[123]$', name)]
        end = max(at + (length or 0) for _, at, length, _ in events) * 10**6
        for t0, t1 in [
            (0, end),
            (end // 3 + 7, 2 * end // 3),
            (end // 2, end // 2),
            (end + 10**6, end + 2 * 10**6),
        ]:
            for chosen in (None, 1):
                where = '' if chosen is None else '&tracks=' + str(tracks[sorted(names)[chosen]])
                wanted = time_of_lines(events, t0, t1, range(3) if chosen is None else [chosen])
                answer = server.profile(f'source?index=0&t0={t0}&t1={t1}{where}', profile).json()
                check_same(
                    {one['line']: [one['events'], int(one['self'])] for one in answer['lines']},
                    wanted,
                    f'{t0} to {t1} {where}',
                )
                [file] = server.profile(f'sources?t0={t0}&t1={t1}{where}', profile).json()['files']
                check_same(
                    (file['events'], int(file['self'])),
                    (sum(n for n, _ in wanted.values()), sum(ps for _, ps in wanted.values())),
                    'all lines',
                )
                hits = server.profile(
                    f'line?index=0&lines=1-9&t0={t0}&t1={t1}{where}', profile
                ).json()
                check_same(hits['total'], file['events'], 'rows of the lines')


@test
def what_nobody_knows_of_a_part(_):
    with Server(sample()) as server:
        tables = server.profile('profile').json()['tables']
        for t in tables:
            if t['origin'] in ('decoder', 'core') and t['rows']:
                answer = server.profile(f'table/{t["name"]}?t0=3000000000&t1=9000000000').json()
                check(
                    'whole run' in answer['unknown'] and not answer['rows'],
                    f'{t["name"]}: {answer}',
                )
        server.profile('table/devices?t0=2&t1=1', status=400)
        server.profile('table/nothing?t0=1&t1=2', status=404)
        check_same(
            sorted(t['name'] for t in tables if t['origin'] == 'core')[:1],
            ['facts'],
            'tables of the core',
        )


if __name__ == '__main__':
    main()
