# SPDX-License-Identifier: Apache-2.0
"""view-source.py - nprof view --source: which files are stored with a profile, the time of their
lines, and that no other path that a profile names is ever opened."""

import collections
import json
import os
import random

from harness import check, check_same, main, rows_of, run, sample, test, write
from randomtrace import nest, scan, self_time
from viewserver import ORDINARY, Server
import xspace

SECRET = 'nobody may read this'


def trace(path, sources):
    """A span of 1 us a source, one after the other, and an instant of the first."""
    events = [
        {
            'ph': 'X',
            'pid': 1,
            'tid': 1,
            'ts': 10 * i,
            'dur': 1,
            'name': f's{i}',
            'args': {'source': text},
        }
        for i, text in enumerate(sources)
    ]
    events.append(
        {
            'ph': 'i',
            'pid': 1,
            'tid': 1,
            'ts': 10 * len(sources),
            's': 't',
            'name': 'instant',
            'args': {'source': sources[0]},
        }
    )
    write(path, json.dumps({'traceEvents': events}))
    return path


def ids():
    return [
        name for name in sorted(os.listdir('data-home/nprof/profiles')) if name.startswith('n_')
    ]


def files_of(server, profile):
    return {f['path']: f for f in server.profile('sources', profile).json()['files']}


@test
def files_below_a_folder_are_stored(folder):
    os.makedirs('code/deep')
    os.mkdir('other')
    write('code/a.py', 'one\ntwo\n')
    write('code/deep/b.py', '')
    write('other/c.py', 'c <script>alert(1)</script>\n')
    whole = os.path.realpath('code')
    trace(
        't.json',
        [
            f'{whole}/a.py:2',
            'deep/b.py:1',
            f'{whole}/a.py:1',
            f'{whole}/a.py:2',
            'c.py:7',
            'deep/../a.py:1',
        ],
    )
    with Server('--source', 'code', '--source', 'other', 't.json') as server:
        server.generation(profile := the_only(server))
        files = files_of(server, profile)
        check_same(
            {p: f['present'] for p, f in files.items()},
            {f'{whole}/a.py': True, 'deep/b.py': True, 'c.py': True, 'deep/../a.py': True},
            f'{files}',
        )
        check_same(server.api('server')['sources'], True, 'the server says that it stores files')
        a = server.profile(f'source?index={files[f"{whole}/a.py"]["index"]}', profile).json()
        check_same(a['text'], 'one\ntwo\n', 'text')
        check_same(
            a['lines'],
            [
                {'line': 1, 'events': 1, 'self': '1000000', 'share': 1 / 3},
                {'line': 2, 'events': 3, 'self': '2000000', 'share': 2 / 3},
            ],
            'lines, with the instant',
        )
        c = server.profile(f'source?index={files["c.py"]["index"]}', profile)
        check_same(
            (c.json()['text'], c.headers['content-type'], c.headers['x-content-type-options']),
            ('c <script>alert(1)</script>\n', 'application/json', 'nosniff'),
            'it is data',
        )
        hits = server.profile(
            f'line?index={files[f"{whole}/a.py"]["index"]}&lines=2', profile
        ).json()
        check_same(hits['total'], 3, 'rows of a line')
        event = server.profile(f'e?row={hits["hits"][0]["row"]}', profile).json()['source']
        check_same((event['index'], event['line']), (a['index'], 2), 'where an event leads')


@test
def self_time_of_a_line_is_never_below_zero(_):
    """Instructions of one engine that overlap in part within another, in any window."""
    write('k.py', 'one\n' * 9)
    spans = [(0, 100, 1), (10, 50, 2), (30, 80, 2), (40, 45, 3), (60, 95, 4), (95, 100, 4)]
    spans += [(200 + 9 * i, 220 + 9 * i, 5) for i in range(100)] + [(190, 1150, 6)]
    write(
        't.json',
        json.dumps(
            {
                'traceEvents': [
                    {
                        'ph': 'X',
                        'pid': 1,
                        'tid': 1,
                        'ts': a,
                        'dur': b - a,
                        'name': f'i{line}',
                        'args': {'source': f'k.py:{line}'},
                    }
                    for a, b, line in spans
                ]
            }
        ),
    )
    with Server('--source', '.', 't.json') as server:
        profile = the_only(server)
        rows = scan('t.json')
        children = nest(rows, {row.track for row in rows})
        for t0, t1 in ((0, 1150), (35, 70), (20, 90), (500, 700), (195, 1100)):
            t0, t1, wanted = t0 * 10**6, t1 * 10**6, collections.Counter()
            for i, row in enumerate(rows):
                below = [rows[c] for c in children[i]]
                wanted[int(row.name[1:])] += self_time(row, below, t0, t1)
            answer = server.profile(f'source?index=0&t0={t0}&t1={t1}', profile).json()
            found = {one['line']: int(one['self']) for one in answer['lines']}
            check_same(found, {k: wanted[k] for k in found}, f'lines in {t0} .. {t1}')
            check_same(sum(found.values()), wanted.total(), 'no line is left out')
            check(min(found.values()) >= 0, f'{found}')


@test
def a_path_of_another_machine_is_found_by_its_end(_):
    """The longest end of a path that lies below a folder; of two folders neither is guessed."""
    for name in ('one/app/net', 'two/app', 'one/net', 'out'):
        os.makedirs(name)
    for path in ('one/app/net/k.py', 'one/net/k.py', 'one/k.py', 'one/both.py', 'two/app/only.py'):
        write(path, path)
    write('two/both.py', 'another')
    write('out/here.py', SECRET)
    write('one/here.py', 'one/here.py')
    write('one/up.py', 'one/up.py')
    here = os.path.realpath('out') + '/here.py'
    wanted = {
        '/home/u/app/net/k.py': 'one/app/net/k.py',
        '/home/u/other/net/k.py': 'one/net/k.py',
        '/home/u/far/k.py': 'one/k.py',
        '/root/app/only.py': 'two/app/only.py',
        '/root/both.py': None,
        '/root/nowhere.py': None,
        '/root/app/../up.py': None,  # where that leads on the other machine is not known
        here: None,  # it is there, but below no folder that was named
    }
    trace('t.json', [path + ':1' for path in wanted])
    with Server('--source', 'one', '--source', 'two', 't.json') as server:
        profile = the_only(server)
        files = files_of(server, profile)
        for path, text in wanted.items():
            check_same(files[path]['present'], text is not None, path)
            if text:
                answer = server.profile(f'source?index={files[path]["index"]}', profile).json()
                check_same(answer['text'], text, path)
        check_same(
            [files[path]['reason'] for path in ('/root/both.py', '/root/nowhere.py', here)],
            [
                'several folders that --source names have a file whose path ends like that',
                'there is no such file',
                'it does not lie below a folder that --source names',
            ],
            'reasons',
        )


@test
def files_of_stacks_are_stored_too(_):
    """Frames as XLA and as PyTorch write them, some that name no line, and where each leads."""
    os.mkdir('code')
    write('code/a.py', 'one\ntwo\n')
    write('code/my file.py', 'mine\n')
    write('code/secret', SECRET)
    write('secret', SECRET)
    stack = [
        'a.py:2:4',
        'my file.py:1 call at 3:4',
        'lost.py:70',
        'operator()(int)',
        '',
        'c10::raw_alloc',
        'secret',
        '../secret:1',
        'a.py:0',
        ':7',
        'a.py:4294967296 f',
        'b:1x.py:3',
    ]
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Ops', 'fusion.1', 0, 20, source='own.py:5', source_stack='\n'.join(stack))
    core.add('XLA Ops', 'fusion.2', 30, 20, source_stack='alone.py:1:1')
    core.add('XLA Ops', 'fusion.3', 60, 20, source='far.py:4294967296')  # no number of a line
    write('t.xplane.pb', core.data())
    with Server('--source', 'code', 't.xplane.pb') as server:
        profile = the_only(server)
        files = files_of(server, profile)
        check_same(
            {p: f['present'] for p, f in files.items()},
            {
                'own.py': False,
                'a.py': True,
                'my file.py': True,
                'lost.py': False,
                '../secret': False,
                'b:1x.py': False,
                'alone.py': False,
                'far.py:4294967296': False,
            },
            f'{files}',
        )
        check_same(
            [
                (files[name]['events'], files[name]['self'])
                for name in ('own.py', 'a.py', 'alone.py', 'far.py:4294967296')
            ],
            [(1, '20000000'), (1, '0'), (1, '0'), (1, '20000000')],
            'a frame around an event counts it, but has no time of it',
        )
        hits = server.profile('q?q=fusion.1', profile).json()['hits']
        found = server.profile(f'e?row={hits[0]["row"]}', profile).json()['source']
        lines = {
            0: ('a.py', 2),
            1: ('my file.py', 1),
            2: ('lost.py', 70),
            7: ('../secret', 1),
            11: ('b:1x.py', 3),
        }
        wanted = [
            {
                'text': text,
                'index': files[lines[i][0]]['index'] if i in lines else None,
                'file': lines[i][0] if i in lines else '',
                'line': lines[i][1] if i in lines else None,
            }
            for i, text in enumerate(stack)
            if text
        ]
        check_same(
            (found['file'], found['line'], found['index'], found['stack']),
            ('own.py', 5, files['own.py']['index'], wanted),
            'places',
        )


@test
def events_count_for_each_line_of_their_stack(_):
    """Once a line, also where it is the event's own or is called again, and each line leads to the
    events that count for it: Python splits the stacks."""
    rng = random.Random(5)
    names = ['app.py', 'App.py', 'lib/app.py', 'k*.py']
    for name in names:
        os.makedirs(os.path.dirname(name) or '.', exist_ok=True)
        write(name, 'one\n' * 40)
    core = xspace.Plane(2, '/device:TPU:0')
    wanted = collections.defaultdict(set)
    for i in range(120):
        frames = [(rng.choice(names), rng.choice((1, 3, 33))) for _ in range(rng.randrange(1, 5))]
        stack = [f'{name}:{line}' + rng.choice(('', ':4', ' f')) for name, line in frames]
        core.add(
            'XLA Ops',
            f'op.{i}',
            10 * i,
            rng.choice((5, 10)),
            **({'source': '%s:%d' % frames[-1]} if i % 3 else {}),
            source_stack='\n'.join(stack),
        )
        for frame in frames:
            wanted[frame].add(f'op.{i}')
    write('t.xplane.pb', core.data())
    with Server('--source', '.', 't.xplane.pb') as server:
        profile = the_only(server)
        listed = files_of(server, profile)
        for name in names:
            index = listed[name]['index']
            lines = server.profile(f'source?index={index}', profile).json()['lines']
            check_same(
                {one['line']: one['events'] for one in lines},
                {line: len(ops) for (of, line), ops in wanted.items() if of == name},
                name,
            )
            check_same(
                listed[name]['events'],
                len(set().union(*(ops for (of, _), ops in wanted.items() if of == name))),
                f'events of {name}',
            )
            for line in (1, 3, 33):
                found = server.profile(f'line?index={index}&lines={line}&n=1000', profile).json()
                check_same(
                    (found['total'], {hit['name'] for hit in found['hits']}),
                    (len(wanted[name, line]), wanted[name, line]),
                    f'{name}:{line}',
                )
            found = server.profile(f'line?index={index}&lines=1-3&n=5', profile).json()
            check_same(
                (found['total'], len(found['hits'])),
                (len(wanted[name, 1] | wanted[name, 3]), 5),
                f'two lines of {name}',
            )


def torch_frames(path):
    """What PyTorch writes with with_stack=True: frames that a thread has open, and what they call."""
    names = [
        ('python_function', 'site (1)/lib/train.py(3): <lambda>', 0, 100),
        ('python_function', 'torch/nn/functional.py(9): linear', 10, 60),
        ('cpu_op', 'aten::mm(1): x', 20, 30),
        ('python_function', '<string>(1): <module>', 75, 5),
        ('python_function', '<built-in method f of object at 0x7>', 80, 5),
        ('python_function', 'nn.Module: Linear_0', 85, 5),
        ('python_function', 'C:\\job\\run.py(12)', 110, 4),
        ('python_function', 'none.py(0): f', 120, 4),
        ('python_function', 'far.py(4294967296): f', 130, 4),
    ]
    events = [
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': ts, 'dur': dur, 'name': name, 'cat': category}
        for category, name, ts, dur in names
    ]
    write(path, json.dumps({'traceEvents': events}))
    return path


@test
def frames_of_pytorch_are_places(_):
    """Of each line what its frames took themselves, with what they called that names no line."""
    os.makedirs('code/site (1)/lib')
    write('code/site (1)/lib/train.py', 'one\ntwo\nthree\n')
    with Server('--source', 'code', torch_frames('t.json')) as server:
        profile = the_only(server)
        listed = server.profile('sources', profile).json()['files']
        check_same(
            [(f['path'], f['present'], f['events'], f['self']) for f in listed],
            [
                ('site (1)/lib/train.py', True, 1, '40000000'),
                ('C:\\job\\run.py', False, 1, '4000000'),
                ('torch/nn/functional.py', False, 1, '60000000'),
            ],
            'files of the user first',
        )
        own = server.profile(f'source?index={listed[0]["index"]}', profile).json()
        check_same(
            own['lines'],
            [{'line': 3, 'events': 1, 'self': '40000000', 'share': 1}],
            'the line of a frame',
        )
        hits = server.profile('q?q=run.py', profile).json()['hits']
        found = server.profile(f'e?row={hits[0]["row"]}', profile).json()['source']
        check_same((found['file'], found['line']), ('C:\\job\\run.py', 12), 'its place')


def the_only(server):
    listed = server.api('profiles')['profiles']
    check_same(len(listed), 1, f'{listed}')
    return listed[0]['bucket']


@test
def no_other_path_is_opened(_):
    os.makedirs('code/folder')
    write('secret.txt', SECRET)
    write('codex', SECRET)  # its path begins as the folder's
    write('code/large.py', 'x' * ((4 << 20) + 1))
    write('code/most.py', 'x' * (4 << 20))
    write('code/binary.py', b'a\0b')
    write('code/latin.py', b'caf\xe9\n')
    os.symlink('../secret.txt', 'code/link.py')
    os.symlink('..', 'code/up')
    os.symlink('large.py', 'code/inner.py')
    os.mkfifo('code/pipe.py')
    here = os.path.realpath('.')
    reasons = {
        f'{here}/secret.txt': 'below',
        '/etc/passwd': 'below',
        '../secret.txt': 'no such',
        'link.py': 'no such',
        f'{here}/code/link.py': 'below',
        f'{here}/code/up/secret.txt': 'below',
        f'{here}/code/../secret.txt': 'below',
        f'{here}/codex': 'below',
        'up/secret.txt': 'no such',
        f'{here}/code/nothing.py': 'no such',
        'folder': 'regular',
        'pipe.py': 'regular',
        'large.py': '4 MB',
        'inner.py': '4 MB',
        'binary.py': 'no text',
        '/proc/self/environ': 'below',
        '/dev/zero': 'below',
        'x' * 5000: 'no such',
        '\n': 'no such',
    }
    good = {'most.py': 'x' * (4 << 20), 'latin.py': 'caf\ufffd\n'}
    trace('t.json', [f'{path}:1' for path in (*reasons, *good)])
    with Server('--source', 'code', 't.json') as server:
        profile = the_only(server)
        files = files_of(server, profile)
        check_same(sorted(files), sorted((*reasons, *good)), 'files')
        for path, part in reasons.items():
            check(
                not files[path]['present'] and part in files[path]['reason'],
                f'{path[:80]}: {files[path]}',
            )
            error = server.profile(f'source?index={files[path]["index"]}', profile, 404).json()[
                'error'
            ]
            check(
                files[path]['reason'] in error['text'] and SECRET not in json.dumps(error),
                f'{error}',
            )
        for path, text in good.items():
            check_same(
                server.profile(f'source?index={files[path]["index"]}', profile).json()['text'],
                text,
                path,
            )
        for wrong, status in (('99', 404), ('-1', 400), ('../secret.txt', 400), ('', 400)):
            server.profile(f'source?index={wrong}', profile, status)
        server.profile('source', profile, 400)
        server.profile('table/source_files', profile, 404)
        server.profile('export?format=csv&what=source_files', profile, 400)
        check(SECRET not in server.profile('profile', profile).body.decode(), 'the profile')
    for name in os.listdir(f'data-home/nprof/profiles/{profile}'):
        path = f'data-home/nprof/profiles/{profile}/{name}'
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                check(SECRET.encode() not in file.read(), f'{name} holds the secret')


@test
def all_files_together_have_a_limit(_):
    os.mkdir('code')
    for i in range(66):
        with open(f'code/{i:02}.py', 'wb') as file:
            file.write(b'x' * (4 << 20))
    trace('t.json', [f'{i:02}.py:1' for i in range(66)])
    with Server('--source', 'code', 't.json') as server:
        files = files_of(server, the_only(server))
        check_same(
            [p for p in sorted(files) if not files[p]['present']],
            ['64.py', '65.py'],
            'those beyond 256 MB',
        )
        check('256 MB' in files['64.py']['reason'], files['64.py']['reason'])


@test
def folders_are_asked_for_once(_):
    """With a folder it is read again, without one what is there is shown."""
    os.mkdir('code')
    write('code/model.py', 'm\n')
    run('view', '--ingest-only', sample()).expect(0)
    with Server(sample()) as server:
        before = server.generation()
        files = files_of(server, ORDINARY)
        check(
            not files['model.py']['present'] and '--source' in files['model.py']['reason'],
            f'{files}',
        )
        check_same(server.api('server')['sources'], False, 'the server says that it stores none')
    run('view', '--ingest-only', '--source', 'code', sample()).expect(0)
    with Server(sample()) as server:
        after = server.generation()
        check(after != before and files_of(server, ORDINARY)['model.py']['present'], 'read again')
    run('view', '--ingest-only', '--source', './code/.', sample()).expect(0)
    with Server('--source', 'code', sample()) as server:
        check_same(server.generation(), after, 'the same folder')
        rows = (
            run(
                'sql',
                '--format',
                'json',
                '-e',
                'select path, text, reason from source_files',
                ORDINARY,
            )
            .expect(0)
            .out
        )
        check_same(
            [r for r in json.loads(rows) if r['text']],
            [{'path': 'model.py', 'text': 'm\n', 'reason': None}],
            'in SQL',
        )
    csv = [
        run('run', '-s', 'csv:table=events', '-o', '-', path).expect(0).out
        for path in (sample(), ORDINARY)
    ]
    check_same(len(rows_of(csv[1])), len(rows_of(csv[0])), 'rows of the stored profile')


@test
def lines_of_groups_are_counted_alone(_):
    """Self time and events of spans and instants of a step, against the events that were
    written."""
    os.mkdir('code')
    write('code/a.py', 'one\ntwo\n')
    events = [
        {
            'ph': 'X',
            'pid': 1,
            'tid': tid,
            'ts': 100 * i,
            'dur': 10 + i,
            'name': 'a',
            'args': {'source': f'a.py:{1 + i % 2}', 'step': i % 3},
        }
        for tid in (1, 2)
        for i in range(12)
    ]
    events += [
        {
            'ph': 'i',
            's': 't',
            'pid': 1,
            'tid': 1,
            'ts': 100 * i + 50,
            'name': 'b',
            'args': {'source': 'a.py:2', 'step': i % 3},
        }
        for i in range(12)
    ]
    write('t.json', json.dumps({'traceEvents': events}))
    with Server('--source', 'code', 't.json') as server:
        server.generation(profile := the_only(server))
        groups = [one['name'] for one in server.profile('groups?by=step', profile).json()['groups']]
        track = min(
            t['track']
            for t in server.profile('meta', profile).json()['tracks']
            if t['kind'] == 'thread'
        )
        for parts, meant in (
            (f'step:{groups.index("1")}', lambda e: e['args']['step'] == 1),
            (
                f'step:{groups.index("2")}@{track}',
                lambda e: e['args']['step'] == 2 and e['tid'] == 1,
            ),
        ):
            own = [e for e in events if meant(e)]
            lines = {
                n: (
                    sum(e['args']['source'] == f'a.py:{n}' for e in own),
                    sum(e.get('dur', 0) for e in own if e['args']['source'] == f'a.py:{n}')
                    * 10**6,
                )
                for n in (1, 2)
            }
            found = server.profile(f'source?index=0&parts={parts}', profile).json()
            check_same(
                {x['line']: (x['events'], int(x['self'])) for x in found['lines']}, lines, parts
            )
            check_same(found['parts'], parts, 'what it is of')
            files = server.profile(f'sources?parts={parts}', profile).json()['files']
            check_same(
                (files[0]['events'], int(files[0]['self'])),
                tuple(map(sum, zip(*lines.values()))),
                f'{parts}: the file',
            )
            for n in (1, 2):
                starts = sorted(
                    e['ts'] * 10**6 for e in own if e['args']['source'] == f'a.py:{n}'
                )
                found = server.profile(f'line?index=0&lines={n}&n=3&parts={parts}', profile).json()
                seen = found['hits']
                while len(seen) < found['total']:
                    seen += server.profile(
                        f'line?index=0&lines={n}&n=3&parts={parts}&after={seen[-1]["row"]}', profile
                    ).json()['hits']
                check_same(
                    (found['total'], sorted(int(hit['start']) for hit in seen)),
                    (len(starts), starts),
                    f'{parts}: events of line {n}',
                )
            # A search counts the same rows, in any part of the run, with their names and where they
            # lie.
            t0, t1 = 150 * 10**6, 849 * 10**6
            within = [
                e
                for e in own
                if e['ts'] * 10**6 <= t1 and (e['ts'] + e.get('dur', 0)) * 10**6 >= t0
            ]
            found = server.profile(
                f'q?q=source~a.py&n=0&pixels=700&t0={t0}&t1={t1}&parts={parts}', profile
            ).json()
            check_same(
                (found['total'], found['names'], found['hits']),
                (len(within), len({e['name'] for e in within}), []),
                f'{parts}: a search',
            )
            marks = collections.Counter(
                int(max(0, e['ts'] * 10**6 - t0) / (t1 - t0 + 1) * 700) for e in within
            )
            check_same(
                {i: count for i, count in enumerate(found['histogram']) if count},
                dict(marks),
                f'{parts}: where they lie',
            )


@test
def wrong_folders(_):
    write('file', 'x')
    os.mkdir('a:b')
    for folder, part in (
        ('nowhere', 'no such folder'),
        ('file', 'no such folder'),
        ('a:b', 'without :'),
    ):
        check(
            part in run('view', '--ingest-only', '--source', folder, sample()).expect(1).err, folder
        )
    check(
        'nowhere' in run('run', '-s', 'store:source=nowhere', sample()).expect(1).err, 'of the sink'
    )


if __name__ == '__main__':
    main()
