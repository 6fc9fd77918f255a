# SPDX-License-Identifier: Apache-2.0
"""view-params.py - parameters of the routes of nprof view: those that docs/formats/view-api.md
names are taken, and no other is skipped in silence."""

import json
import os
import re

from harness import check, check_same, main, read, run, sample, test
from viewserver import ORDINARY, Server

TABLE = {'columns', 'sort', 'where', 'offset', 'n'}
SEARCH = {'after', 'n', 'pixels', 't0', 't1', 'tracks'}


def documented():
    """{route below p/ID/GEN or above: its parameters}, of the tables of the document."""
    text = read(os.path.join(os.environ['NPROF_SOURCE'], 'docs', 'formats', 'view-api.md')).decode()
    routes = {}
    for route, params in re.findall(r'^\| GET `([^` ]+)` \|((?:[^|\\]|\\.)*)\|', text, re.M):
        words = ' '.join(
            re.sub(r'\\\|', '|', quoted)
            for quoted in re.findall(r'`([^`]*)`', re.sub(r'\([^)]*\)', '', params))
            if '*' not in quoted
        )
        names = {
            re.match(r'[a-z0-9]+', word).group()
            for word in words.split()
            if re.match(r'[a-z]', word)
        }
        if 'those of `table`' in params:
            names = (names - {'table'}) | TABLE
        if 'those of `q`' in params:
            names = (names - {'q'}) | SEARCH
        routes[route] = names
    return routes


def status(server, route, query):
    path = (
        route.replace('GEN', server.generation())
        .replace('ID10', '0123456789')
        .replace('ID', ORDINARY)
        .replace('NAME', 'mfu')
    )
    return server.ask('GET', f'/api/v1/{path}?{query}')


@test
def routes_take_what_the_document_says(_):
    routes = documented()
    check(len(routes) > 30, f'{routes}')
    check_same(routes['p/ID/GEN/line'], {'index', 'lines'} | SEARCH, 'how the document is read')
    with Server(sample()) as server:
        for route, names in routes.items():
            if route.startswith('...'):
                continue
            for name in names:
                answer = status(server, route, f'{name}=1')
                check(
                    b'has no parameter' not in answer.body, f'{route} {name}: {answer.body[:200]}'
                )
            for query, part in (
                ('nonsense=1', 'has no parameter nonsense'),
                ('token=1&x=2', 'has no parameter token'),
            ):
                answer = status(server, route, query)
                check_same(answer.status, 400, f'{route}?{query}: {answer.body[:200]}')
                check(part in answer.json()['error']['text'], f'{route}: {answer.body[:200]}')


@test
def twice_is_wrong(_):
    with Server(sample()) as server:
        for route in ('s?n=1&n=2', 'q?q=a&q=b', 'flame?t0=1&t0=1'):
            check('given twice' in server.profile(route, status=400).json()['error']['text'], route)
        while (
            gate := status(server, 'p/ID/GEN/gate', 'demand=mfu%3E1%25&demand=step%3C1s')
        ).status == 202:
            pass
        check_same(gate.status, 200, f'demands may be repeated: {gate.body}')


@test
def what_cannot_be_answered_is_refused(_):
    """Or says why it is not known."""
    with Server(sample()) as server:
        meta = server.profile('meta').json()
        middle = (int(meta['start']) + int(meta['end'])) // 2
        whole, ranged = (
            server.profile(f'operators?level=hlo{q}').json()
            for q in ('', f'&t0={meta["start"]}&t1={meta["end"]}')
        )
        check_same(ranged['rows'], whole['rows'], 'operators of the whole')
        server.profile(f'operators?t0={middle}&t1={middle - 1}', status=400)
        server.profile('memory?t=x', status=400)
        for ranges in (
            '0..9223372036854775808',
            '-9223372036854775809..0',
            '1..0',
            '0..1..2',
            ' 0..1',
        ):
            server.profile(f'places?ranges={ranges.replace(" ", "%20")}', status=400)
        server.profile('places?ranges=-9223372036854775808..9223372036854775807')
        check(
            server.profile('memory')
            .json()['unknown_series']
            .startswith('the use over time is drawn for'),
            'the series',
        )
        stats = server.profile('s').json()
        nulls = {name for row in stats['rows'] for name, value in row.items() if value is None}
        check(
            all((row['share'] is None) == bool(row['share_reason']) for row in stats['rows']),
            'shares and their reasons',
        )
        nulls -= {'share', 'share_of', 'share_self', 'share_reason'}
        check_same(nulls - set(stats['reasons']), set(), 'members that are null without a reason')
        deleted = server.write(
            'POST', 'profiles/delete', {'profiles': [ORDINARY], 'database': True}, 400
        )
        check('no database' in deleted['error']['text'], f'{deleted}')
        server.api(f'p/{ORDINARY}')
        findings = server.profile('profile').json()['findings']
        texts = [f['text'] for f in findings]
        check_same(len(set(texts)), len(texts), f'each finding once: {texts}')
        check(all('step' in f['text'] for f in findings if f['rule'] == 'bound'), f'{texts}')


@test
def several_profiles_are_compared(_):
    with Server('--force', sample()) as server:
        server.generation()
        trace = {
            'traceEvents': [
                {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5, 'name': 'a'}
                for i in range(9)
            ]
        }
        server.write(
            'POST',
            'upload?last=1',
            json.dumps(trace).encode(),
            headers={'X-Nprof-Name': 'other.json'},
        )
        while (
            len(ready := [p for p in server.api('profiles')['profiles'] if p['status'] == 'ready'])
            < 2
        ):
            pass
        other = next(p['bucket'] for p in ready if p['bucket'] != ORDINARY)
        path = f'/api/v1/compare?a={ORDINARY}&b={ORDINARY}&b={other}&by=name'
        found = server.get(path).json()
        check_same([v['profile'] for v in found['verdicts']], [ORDINARY, other], 'verdicts')
        check_same(found['verdicts'][0]['text'], 'same', 'with itself')
        at = [c['name'] for c in found['rows']['columns']].index('profile')
        check_same({r[at] for r in found['rows']['rows']} - {ORDINARY, other}, set(), 'rows')
        check_same([s['profile'] for s in found['steps']], [ORDINARY, ORDINARY, other], 'steps')
        alone = server.get(f'/api/v1/compare?a={ORDINARY}&b={ORDINARY}&by=name')
        check_same(
            [r for r in found['rows']['rows'] if r[at] == ORDINARY],
            alone.json()['rows']['rows'],
            'rows of the first',
        )


@test
def a_file_is_read_beside_a_profile(_):
    with Server(sample()) as server:
        server.generation()
        trace = json.dumps(
            {'traceEvents': [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10, 'dur': 5, 'name': 'a'}]}
        ).encode()
        send = lambda beside, status: server.write(
            'POST',
            f'upload?last=1&beside={beside}',
            trace,
            status,
            headers={'X-Nprof-Name': 'other.json'},
        )
        check(
            'there is no profile' in send('n_' + '0' * 40, 404)['error']['text'], 'no such profile'
        )
        check('expected a profile' in send('', 400)['error']['text'], 'no profile')
        both = send(ORDINARY, 200)['profile']
        server.generation(both)
        check_same(
            [i['decoder'] for i in server.profile('profile', both).json()['inputs']],
            ['chrome', 'xplane'],
            'inputs',
        )
        gone = server.write('POST', 'upload?last=1', trace, headers={'X-Nprof-Name': 'other.json'})[
            'profile'
        ]
        server.generation(gone)
        check(
            'is not there any more' in send(gone, 404)['error']['text'],
            'what was sent has no source',
        )


@test
def steps_that_a_profile_lacks_are_unknown(_):
    run('run', '-s', 'store', sample()).expect(0)
    with Server() as server:
        found = server.get(f'/api/v1/compare?a={ORDINARY}&b={ORDINARY}').json()
        check_same(
            found['steps'],
            [{'profile': ORDINARY, 'steps': [], 'unknown': 'needs the analyzer steps'}] * 2,
            'steps',
        )


@test
def sums_of_a_kind_of_work(path):
    """One name a kind; more names of compute, each with more time, than an answer has rows."""
    kinds = {'ncclDevKernel_AllReduce': 'kernel', 'Memcpy HtoD (Pageable -> Device)': 'gpu_memcpy'}
    gemms = {f'gemm_{i}': 'kernel' for i in range(1100)}
    events = [
        {'ph': 'X', 'cat': cat, 'name': name, 'pid': 0, 'tid': 7, 'ts': 100 * i, 'dur': dur}
        | {'args': {'device': 0, 'stream': 7, 'correlation': i + 1}}
        for i, (name, cat, dur) in enumerate(
            [(name, cat, 9) for name, cat in gemms.items()]
            + [(name, cat, 5) for name, cat in kinds.items()]
            + [('aten::mm', 'cpu_op', 20)]
        )
    ]
    events[-1] |= {'pid': 9, 'tid': 9, 'args': {}}
    file = os.path.join(path, 'work.pt.trace.json')
    with open(file, 'w') as out:
        json.dump({'deviceProperties': [{'id': 0, 'name': 'H100'}], 'traceEvents': events}, out)
    communication, copies = ([name] for name in kinds)
    with Server(file) as server:
        (profile,) = re.findall('n_[0-9a-f]{40}', server.lines[0])
        for work, wanted in (
            ('communication', communication),
            ('copies', copies),
            ('control', []),
            ('compute', sorted(gemms)),
            ('all', sorted([*gemms, *kinds, 'aten::mm'])),
        ):
            answer = server.profile(f's?by=name&n=2000&work={work}', profile).json()
            check_same(sorted(row['name'] for row in answer['rows']), wanted, work)
            check_same(answer['total'], len(wanted), work)
        server.profile('s?by=name&work=memory', profile, 400)
        server.profile('s?by=place&work=copies', profile, 400)


if __name__ == '__main__':
    main()
