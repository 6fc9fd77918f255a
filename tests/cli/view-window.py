# SPDX-License-Identifier: Apache-2.0
"""view-window.py - tables of a part of a profile: what the server says is what the command says that the page copies."""

import json
import re

from gputrace import Trace
from harness import check, check_same, main, run, sample, test
from viewserver import Server

# Both edges within steps, operators and copies; a moment between rows; all of it; nothing.
WINDOWS = [(3000000000, 9000000000), (5000000001, 5199999999), (0, 10 ** 15), (10 ** 15, 10 ** 15 + 1)]


def report(path, *arguments):
    text = run('report', '-q', '--format', 'json', '--top', '0', *arguments, path).out
    return {t['name']: t for t in json.loads(text)['tables']}


def name_in_report(column):
    return re.sub('_[np]s$', '', column['name']) + '_ps' if column['unit'] == 'ps' else column['name']


def plain(cell, kind):
    """A cell of a report as the server writes it."""
    if cell is None or kind == 'bool':
        return cell
    if isinstance(cell, (dict, list)):
        return json.loads(json.dumps(cell))
    return str(cell) if kind in ('int64', 'uint64') else cell


def rows_of(answer, table):
    """The rows of a report in the columns of an answer; a table without rows is none of a report."""
    columns = table['columns'] if table else []
    at = [columns.index(name_in_report(c)) if name_in_report(c) in columns else None for c in answer['columns']]
    return [[None if k is None else plain(row[k], c['type']) for k, c in zip(at, answer['columns'])] for row in (table or {'rows': []})['rows']]


def compare(path, least, windows):
    with Server(path) as server:
        profile = re.search(r'n_[0-9a-f]{40}', server.lines[0]).group(0)
        tables = server.profile('profile', profile).json()['tables']
        made = [t['name'] for t in tables if t['origin'] not in ('decoder', 'core')]
        check(len(made) >= least, f'{made}')
        for t0, t1 in windows:
            wanted = report(path, '--full', '--clip', '--from', f'{t0}ps', '--to', f'{t1}ps')
            for name in made:
                answer = server.profile(f'table/{name}?t0={t0}&t1={t1}&n=10000', profile).json()
                check_same((answer['t0'], answer['t1']), (str(t0), str(t1)), name)
                check_same(answer['rows'], rows_of(answer, wanted.get(name)), f'{name} from {t0} to {t1}')
                check_same(answer['total'], len(answer['rows']), f'{name}: total')
                whole = server.profile(f'table/{name}?n=0', profile).json()
                check_same(answer['columns'], whole['columns'], f'{name}: columns')


@test
def as_the_report_of_a_tpu(_):
    compare(sample(), 15, WINDOWS)


@test
def as_the_report_of_a_gpu(_):
    """Its times are not from the origin of the file, and all its work is launched."""
    calls = [('gemm', 'aten::mm', 40), ('ncclDevKernel_AllReduce_Sum_f32_RING_LL', 'c10d::allreduce_', 60), ('Memcpy HtoD (Pinned -> Device)', 'aten::copy_', 20)]
    path = Trace(calls, steps=5).save('gpu.pt.trace.json')
    start, end = (ps for ps in span_of(path))
    compare(path, 15, [(start + (end - start) // 3 + 7, end - (end - start) // 4 - 1)])


def span_of(path):
    """First start and last end of rows, ps from nprof's origin."""
    rows = run('run', '-q', '-s', 'csv:columns=start_ns+duration_ns', '-o', '-', path).out.split()[1:]
    times = [[round(float(x or 0) * 1000) for x in row.split(',')] for row in rows]
    return min(t[0] for t in times), max(t[0] + t[1] for t in times)


@test
def of_the_command_that_the_page_copies(_):
    """It names the tables that a widget shows, and no --full."""
    t0, t1 = WINDOWS[0]
    names = ['bound', 'step_breakdown', 'idle_causes', 'critical', 'layers', 'collectives']
    with Server(sample()) as server:
        there = {t['name'] for t in server.profile('profile').json()['tables'] if t['rows']}
        wanted = report(sample(), '--only', ','.join(n for n in names if n in there), '--clip', '--from', f'{t0}ps', '--to', f'{t1}ps')
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
        all_rows = server.profile(f'table/operators?{window}&columns=level,operator,self_ns&n=10000').json()['rows']
        some = server.profile(f'table/operators?{window}&columns=level,operator,self_ns&where=level%3Dhlo,self_ns%3E0&sort=-self_ns&offset=1&n=2').json()
        kept = sorted((r for r in all_rows if r[0] == 'hlo' and int(r[2]) > 0), key=lambda r: -int(r[2]))
        check_same(some['total'], len(kept), 'total')
        check_same([r[2] for r in some['rows']], [r[2] for r in kept[1:3]], 'order')
        for route in ('gaps', 'steps', 'operators'):
            own = server.profile(f'{route}?{window}&n=10000').json()
            check_same(own['rows'], server.profile(f'table/{route}?{window}&n=10000').json()['rows'], route)
            check(own['rows'] != server.profile(f'{route}?n=10000').json()['rows'], f'{route} of a part')
        parts = {(p['device'], p['step']): p['parts'] for p in server.profile(f'steps?{window}').json()['parts']}
        table = server.profile(f'table/step_breakdown?{window}&columns=device,step,compute_ns,idle_host_ns').json()['rows']
        check_same({(d, s): (c, i) for d, s, c, i in table}, {k: (p['compute'], p['idle_host']) for k, p in parts.items()}, 'parts')
        check_same(sum(v for _, v in server.profile(f'operators?level=hlo&{window}').json()['pies']['by_device']),
                   sum(int(r[2]) for r in all_rows if r[0] == 'hlo'), 'pies')


@test
def what_nobody_knows_of_a_part(_):
    with Server(sample()) as server:
        tables = server.profile('profile').json()['tables']
        for t in tables:
            if t['origin'] in ('decoder', 'core') and t['rows']:
                answer = server.profile(f'table/{t["name"]}?t0=3000000000&t1=9000000000').json()
                check('whole run' in answer['unknown'] and not answer['rows'], f'{t["name"]}: {answer}')
        server.profile('table/devices?t0=2&t1=1', status=400)
        server.profile('table/nothing?t0=1&t1=2', status=404)
        check_same(sorted(t['name'] for t in tables if t['origin'] == 'core')[:1], ['facts'], 'tables of the core')


if __name__ == '__main__':
    main()
