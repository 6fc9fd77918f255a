# SPDX-License-Identifier: Apache-2.0
"""view-answers.py - every route against its recorded answer in tests/view/answers: the same members
of the same types, and the same values where they depend on the profile alone. --write records them
anew."""

import json
import os
import sys

from harness import add_test, check, check_same, main, read, sample, write
from viewserver import ORDINARY, Server

ANSWERS = os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'view', 'answers')
BELOW = {  # of a finished profile
    'profile.json': 'profile',
    'meta.json': 'meta',
    'meta-columns.json': 'meta?lanes=columns',
    'names.json': 'names',
    'names-over.json': 'names?of=over',
    'tile.bin': 'v?l=23&i=0&lanes=0-13',
    'tile-groups.bin': 'v?l=23&i=0&by=step&of=6@0,6@1,7@0',
    'groups.json': 'groups?by=layer',
    'group.json': 'group?by=step&rows=6.3,9.0',
    'over.bin': 'over',
    'strip.json': 'strip?pixels=512&q=fusion',
    'event.json': 'e?row=6.3',
    'rank.json': 'rank?row=6.3',
    'overlaps.json': 'overlaps?row=6.3',
    'at.json': 'at?lane=6&t=4000000000&how=at',
    'near.json': 'near?row=6.3&step=next&of=label',
    'edges.json': 'edges?tracks=6,7&t=4000000000&within=1000000000',
    'links.json': 'links?rows=6.3,9.0',
    'chain.json': 'chain?row=9.0&depth=3',
    'search.json': 'q?q=name%3Dfusion.14&n=3&pixels=8',
    'suggest.json': 'suggest?prefix=fus&n=5',
    'stats.json': 's?by=name&percentiles=1&n=3',
    'stats-counters.json': 's?by=track&counters=1&n=2&t0=3000000000&t1=9000000000',
    'stats.bin': 's?by=category&t0=3000000000&t1=9000000000&format=bin',
    'stats2.json': 's2?a=3000000000..9000000000@6&b=9000000000..15000000000@6',
    'latency.json': 'latency?name=fusion.14&bins=4',
    'gaps.json': 'gaps?device=/device:TPU:0&n=3',
    'steps.json': 'steps?n=2',
    'operators.json': 'operators?level=hlo&n=3&sort=-self_ns',
    'roofline.json': 'roofline',
    'places.json': 'places?ranges=4000000000..5000000000,6000000000..6100000000',
    'flame.json': 'flame?tracks=6',
    'flame-about.json': 'flame?tracks=6&about=fusion.14',
    'flame-launch.json': 'flame?by=launch',
    'layers.json': 'layers',
    'layers-tile.bin': 'layers/v?l=23&i=0&lanes=0-2',
    'layers-over.bin': 'layers/over',
    'layers-run.json': 'layers/run?row=1.2',
    'critical.json': 'critical?step=0',
    'memory.json': 'memory',
    'ranks.json': 'ranks',
    'findings.json': 'findings?t0=3000000000&t1=9000000000',
    'sources.json': 'sources',
    'source.json': 'source?index=0',
    'line.json': 'line?index=0&lines=1-100&n=2',
    'window.json': 'window?t0=3000000000&t1=9000000000',
    'gate.json': 'gate?demand=mfu%20%3E%2045%25&demand=step%20%3C%201ms',
    'export.csv': 'export?format=csv&what=devices',
    'table-window.json': 'table/layers?t0=3000000000&t1=9000000000&n=2',
    'table.json': 'table/mfu?columns=device,step,mfu&sort=-mfu&n=3',
}
COMPARE = f'compare?a={ORDINARY}&b={ORDINARY}&by=operator'
ABOVE = {
    'compare.json': COMPARE,
    'compare-steps.json': COMPARE.replace('by=operator', 'by=step'),
    'compare-flame.json': f'compare/flame?a={ORDINARY}&b={ORDINARY}&a_tracks=6&b_tracks=6',
    'server.json': 'server',
    'profiles.json': 'profiles',
    'profile-head.json': f'p/{ORDINARY}',
    'changes.json': 'changes?since=0',
}
# These members depend on the machine, the moment or the build: only the type is compared.
PASSING = {
    'gen',
    'store_id',
    'store',
    'free_bytes',
    'used_bytes',
    'added',
    'opened',
    'seq',
    'version',
    'size',
    'path',
    'present',
    'source_present',
    'formats',
    'plugins',
    'tables',
    'attributes',
    'updated',
    'by',
    'id',
    'upload',
    'progress',
    'elapsed_ms',
}


def kind(value):
    return {
        bool: 'bool',
        int: 'number',
        float: 'number',
        str: 'text',
        list: 'list',
        dict: 'object',
        type(None): 'null',
    }[type(value)]


def compare(found, wanted, at, passing):
    check_same(kind(found), kind(wanted), f'{at}: type')
    if isinstance(wanted, dict):
        check_same(sorted(found), sorted(wanted), f'{at}: members')
        for name, value in wanted.items():
            compare(found[name], value, f'{at}.{name}', passing or name in PASSING)
    elif isinstance(wanted, list):
        if not passing:
            check_same(len(found), len(wanted), f'{at}: length')
        for i, value in enumerate(wanted[:1] if passing else wanted):
            compare(found[i], value, f'{at}[{i}]', passing)
    elif not passing:
        check_same(found, wanted, at)


def sources():
    """A folder with one of the files that rows name."""
    os.mkdir('sources')
    write('sources/model.py', ''.join(f'line_{i} = {i}\n' for i in range(1, 101)))
    return 'sources'


def ask(server):
    """{FILE: bytes}"""
    found = {name: done(server, route) for name, route in BELOW.items()}
    found.update(
        {
            name: until(lambda r=route: server.ask('GET', '/api/v1/' + r))
            for name, route in ABOVE.items()
        }
    )
    found.update(writes(server))
    return found


def until(asked):
    """Long work is asked for until it is done."""
    while (answer := asked()).status == 202:
        check_same(
            sorted(answer.json()), ['job', 'progress', 'stage'], 'members of what is not done'
        )
    check_same(answer.status, 200, f'{answer.body[:300]}')
    return answer.body


def done(server, route):
    generation = server.generation()
    return until(lambda: server.ask('GET', f'/api/v1/p/{ORDINARY}/{generation}/{route}'))


def writes(server):
    """{FILE: bytes} of what the page writes, in an order in which each has something to do."""
    item = {'rev': None, 'data': {'markers': []}}
    below = f'p/{ORDINARY}/'
    old = server.generation()
    link = server.write('POST', 'links', {'bucket': ORDINARY, 'state': '?t=1..2'})
    found = {
        'rename.json': server.write('POST', f'profiles/{ORDINARY}/rename', {'name': 'base'}),
        'tags.json': server.write(
            'POST', f'profiles/{ORDINARY}/tags', {'add': ['h100'], 'remove': [], 'star': True}
        ),
        'annotation-put.json': server.write('PUT', below + 'annotations/base', item),
        'annotations.json': server.api(below + 'annotations'),
        'annotation.json': server.api(below + 'annotations/base'),
        'views.json': server.write('PUT', below + 'views/mine', item)
        and server.api(below + 'views'),
        'gates-saved.json': server.write('PUT', below + 'gates_saved/ci', item)
        and server.api(below + 'gates_saved'),
        'layouts.json': server.write('PUT', 'layouts/mine', item) and server.api('layouts'),
        'annotation-delete.json': server.write('DELETE', below + 'annotations/base?rev=1'),
        'short-link.json': link,
        'short-link-get.json': server.api('links/' + link['id']),
        'sql.json': server.write(
            'POST',
            f'p/{ORDINARY}/{old}/sql',
            {
                'text': 'select row, name, duration_ps from events where name = \'fusion.14\'',
                'limit': 2,
            },
        ),
        'open.json': server.write(
            'POST',
            'open',
            {'paths': [sample()], 'force': False, 'keep_going': False, 'decoder': '', 'one': True},
        ),
        'upload.json': server.write('POST', 'upload', b'[]', headers={'X-Nprof-Name': 'x.json'}),
        'delete.json': server.write(
            'POST', 'profiles/delete', {'profiles': ['n_0'], 'database': False}
        ),
        'again.json': server.write(
            'POST', f'profiles/{ORDINARY}/again', {'keep_going': False, 'force': True}
        ),
    }
    while server.generation() == old:
        pass
    return {name: json.dumps(value).encode() for name, value in found.items()}


def compare_all(_folder):
    with Server(sample(), '--source', sources()) as server:
        found = ask(server)
    check_same(sorted(found), sorted(os.listdir(ANSWERS)), 'files of tests/view/answers')
    for name, body in found.items():
        wanted = read(os.path.join(ANSWERS, name))
        if not name.endswith('.json'):
            check(body == wanted, f'{name} differs')
        else:
            compare(json.loads(body), json.loads(wanted), name, False)


def record(folder):
    """Paths of the machine that records are none of the readers' business."""
    with Server(sample(), '--source', sources()) as server:
        for name, body in ask(server).items():
            text = (
                body
                if not name.endswith('.json')
                else json.dumps(json.loads(body), indent=1, ensure_ascii=False) + '\n'
            )
            if name.endswith('.json'):
                text = text.replace(os.environ['NPROF_SOURCE'], '/home/me/nprof').replace(
                    str(folder), '/home/me'
                )
            write(os.path.join(ANSWERS, name), text)


if '--write' in sys.argv:
    sys.argv.remove('--write')
    add_test('record', record)
else:
    add_test('answers', compare_all)


if __name__ == '__main__':
    main()
