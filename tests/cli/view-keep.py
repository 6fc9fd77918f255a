# SPDX-License-Identifier: Apache-2.0
"""view-keep.py - what the page writes through nprof view: names, tags, annotations, layouts, links;
files that it opens, sends and reads again; profiles that it deletes."""

import json
import os
import shutil
import socket
import threading
import urllib.parse

from harness import check, check_same, main, read, run, sample, test, write
from viewserver import ORDINARY, Server

SECOND = 'node-workload.trace.json'
STORE = os.path.join('data-home', 'nprof', 'profiles')


def until_ready(server, profile):
    server.generation(profile)
    return server.api(f'p/{profile}')['profile']


@test
def names_and_tags(_):
    with Server(sample()) as server:
        server.generation()
        check_same(
            server.write('POST', f'profiles/{ORDINARY}/rename', {'name': '<b>my</b>'})['name'],
            '<b>my</b>',
            'name',
        )
        tagged = server.write(
            'POST',
            f'profiles/{ORDINARY}/tags',
            {'add': ['a', 'b', 'a'], 'remove': [], 'star': True},
        )
        check_same((tagged['tags'], tagged['star']), (['a', 'b'], True), 'tags')
        tagged = server.write('POST', f'profiles/{ORDINARY}/tags', {'add': [], 'remove': ['a']})
        check_same((tagged['tags'], tagged['star']), (['b'], True), 'tags')
        check_same(
            server.api('profiles?q=tag:b')['profiles'][0]['name'], '<b>my</b>', 'in the list'
        )
        server.write('POST', f'profiles/n_{"0" * 40}/rename', {'name': 'x'}, 404)
        server.write('POST', f'profiles/{ORDINARY}/rename', {}, 400)
        server.write('POST', f'profiles/{ORDINARY}/rename', b'{"name":', 400)
        server.write('POST', f'profiles/{ORDINARY}/tags', {'add': 'a'}, 400)
        server.write('POST', f'profiles/{ORDINARY}/rename', {'name': 'x' * 1001}, 400)
        for wrong in ([''], ['x' * 101], [f't{i}' for i in range(100)]):
            server.write('POST', f'profiles/{ORDINARY}/tags', {'add': wrong, 'remove': []}, 400)
    run('profiles').expect(0, out='*<b>my</b> [[]b[]]')
    run('profiles', 'tag', ORDINARY, '').expect(1, err='*expected a tag of 1 to 100 bytes*')
    run('profiles', 'rename', ORDINARY, 'x' * 1001).expect(
        1, err='*expected a name of at most 1000 bytes*'
    )
    run('profiles').expect(0, out='*<b>my</b> [[]b[]]')


@test
def what_another_server_keeps_is_news(_):
    with Server(sample()) as server:
        server.generation()
        with Server() as other:
            seq = other.api('profiles')['seq']
            for family in ('annotations', 'views', 'gates_saved'):
                server.write('PUT', f'p/{ORDINARY}/{family}/a', {'rev': None, 'data': {}})
                while not (changes := other.api(f'changes?since={seq}'))['events']:
                    pass
                check_same(
                    [(e['profile'], e['what']) for e in changes['events']],
                    [(ORDINARY, 'annotations')],
                    family,
                )
                seq = changes['seq']


@test
def nothing_is_kept_of_what_did_not_come(_):
    spans = [
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': at, 'dur': 1, 'name': 'n'}
        for at in (0, -8_000_000_000_000, 8_000_000_000_000)
    ]
    run('view', '--ingest-only', write('far.json', json.dumps({'traceEvents': spans}))).expect(
        2, err='*106 days apart*'
    )
    check_same(
        [
            n
            for n in os.listdir(STORE) + os.listdir(os.path.join(STORE, 'kept'))
            if n.startswith('n_')
        ],
        [],
        'left',
    )


@test
def a_damaged_profile_has_no_size(_):
    run('view', '--ingest-only', sample()).expect(0)
    with open(os.path.join(STORE, ORDINARY, 'meta'), 'r+b') as meta:
        meta.write(b'XXXX')
    run('profiles').expect(0, out='*unknown    unknown*of another version*')


@test
def items_are_kept(_):
    """Annotations, views and gates outlive a new ingest; layouts are of all profiles."""
    data = {
        'markers': [
            {'id': 'm1', 't': '4000000000', 'name': '</script>"', 'color': 1, 'range': None}
        ]
    }
    with Server(sample()) as server:
        server.generation()
        for family in (
            f'p/{ORDINARY}/annotations',
            f'p/{ORDINARY}/views',
            f'p/{ORDINARY}/gates_saved',
            'layouts',
        ):
            check_same(server.api(family), {'items': []}, family)
            item = family + '/a%20%2B%C3%A9..'
            first = server.write('PUT', item, {'rev': None, 'data': data})
            check_same((first['name'], first['rev']), ('a +é..', 1), 'put')
            present = server.write('PUT', item, {'rev': None, 'data': {}}, 409)
            check_same((present['data'], present['rev']), (data, 1), 'conflict')
            check_same(server.write('PUT', item, {'rev': 1, 'data': data})['rev'], 2, 'rev')
            server.write('PUT', item, {'rev': 1, 'data': {}}, 409)
            check_same(server.api(item)['data'], data, 'data')
            check_same([i['name'] for i in server.api(family)['items']], ['a +é..'], 'items')
            server.write('DELETE', item + '?rev=1', None, 409)
        server.write('PUT', 'layouts/' + 'x' * 101, {'rev': None, 'data': {}}, 400)
        server.write('PUT', 'layouts/a%2Fb', {'rev': None, 'data': {}}, 400)
        server.write('PUT', 'layouts/x', {'rev': None}, 400)
        server.write('PUT', f'p/n_{"0" * 40}/views/x', {'rev': None, 'data': {}}, 404)
        seq = server.api('profiles')['seq']
        server.write('PUT', f'p/{ORDINARY}/annotations/other', {'rev': None, 'data': {}})
        events = server.api(f'changes?since={seq}')['events']
        check_same(
            [(e['profile'], e['what']) for e in events], [(ORDINARY, 'annotations')], 'changes'
        )
    run('view', '--ingest-only', '--force', sample()).expect(0)
    with Server() as server:
        check_same(
            [i['name'] for i in server.api(f'p/{ORDINARY}/annotations')['items']],
            ['a +é..', 'other'],
            'after a new ingest',
        )
        check_same(
            server.write('DELETE', f'p/{ORDINARY}/annotations/other?rev=1'),
            {'name': 'other'},
            'delete',
        )
        server.get(f'/api/v1/p/{ORDINARY}/annotations/other', 404)


@test
def short_links(_):
    with Server() as server:
        link = server.write('POST', 'links', {'bucket': ORDINARY, 'state': '?t=1..2&q=<x>\n'})['id']
        check_same(len(link), 10, 'digits')
        check_same(
            server.api('links/' + link), {'bucket': ORDINARY, 'state': '?t=1..2&q=<x>\n'}, 'link'
        )
        server.get('/api/v1/links/..%2F..%2Fx', 404)
        server.get('/api/v1/links/0123456789', 404)
        server.write('POST', 'links', {'bucket': ORDINARY, 'state': 'x' * 65537}, 400)
        server.get('/v/' + link)


@test
def delete(_):
    run('view', '--ingest-only', sample()).expect(0)
    with Server() as server:
        answer = server.write(
            'POST', 'profiles/delete', {'profiles': [ORDINARY, '../x'], 'database': False}
        )
        check_same(
            (answer['deleted'], [k['profile'] for k in answer['kept']]),
            ([ORDINARY], ['../x']),
            'answer',
        )
        check(answer['bytes'] > 1000, 'bytes')
        check_same(server.api('profiles')['profiles'], [], 'list')
        server.get(f'/api/v1/p/{ORDINARY}', 404)
    check(not os.path.exists(os.path.join(STORE, ORDINARY)), 'the folder stayed')


@test
def what_others_change_is_seen_at_once(_):
    """Another nprof reads a profile again, names it and removes it: the next answer knows, and no
    answer is of before."""
    with Server(sample()) as server:
        for name in 'abc':
            old = server.generation()
            run('view', '--ingest-only', '--force', sample()).expect(0)
            head = server.api(f'p/{ORDINARY}')
            check(head['gen'] not in (None, old), 'the answer is of the profile that was replaced')
            server.get(f'/api/v1/p/{ORDINARY}/{head["gen"]}/meta', 200)
            run('profiles', 'rename', ORDINARY, name).expect(0)
            check_same(server.api(f'p/{ORDINARY}')['profile']['name'], name, 'name')
            run('profiles', 'rm', ORDINARY).expect(0)
            server.get(f'/api/v1/p/{ORDINARY}', 404)
            check_same(server.api('profiles')['profiles'], [], 'list')
            server.get(f'/api/v1/p/{ORDINARY}/annotations', 404)
            run('view', '--ingest-only', sample()).expect(0)
            check_same(
                [p['status'] for p in server.api('profiles')['profiles']],
                ['ready'],
                'list after it was read',
            )
        before = server.api('profiles')['profiles'][0]['opened']
        server.api(f'p/{ORDINARY}')
        check(server.api('profiles')['profiles'][0]['opened'] > before, 'when it was opened last')


@test
def open_by_path(_):
    path = os.path.abspath('x.xplane.pb')
    shutil.copy(sample(), path)
    with Server() as server:
        answer = server.write(
            'POST',
            'open',
            {'paths': [path], 'force': False, 'keep_going': False, 'decoder': '', 'one': True},
        )
        check_same(
            [(p['profile'], p['here']) for p in answer['profiles']], [(ORDINARY, False)], 'opened'
        )
        profile = until_ready(server, ORDINARY)
        check_same((profile['name'], profile['source_present']), ('x.xplane.pb', True), 'profile')
        again = server.write('POST', 'open', {'paths': [path], 'one': True})
        check_same(again['profiles'][0]['here'], True, 'it was there')
        for wrong in (
            [],
            ['x.xplane.pb'],
            ['/no/such/file'],
            ['/dev/zero'],
            [write('junk', b'junk') and os.path.abspath('junk')],
            'x',
        ):
            server.write('POST', 'open', {'paths': wrong}, 400)
        old = server.generation()
        server.write('POST', f'profiles/{ORDINARY}/again', {'keep_going': False, 'force': True})
        while server.generation() == old:
            pass
        server.get(f'/api/v1/p/{ORDINARY}/{old}/meta', 410)
        while server.api(f'p/{ORDINARY}')['profile']['status'] != 'ready':
            pass
        os.unlink(path)
    with Server() as server:
        check_same(server.api(f'p/{ORDINARY}')['profile']['source_present'], False, 'source')
        server.write('POST', f'profiles/{ORDINARY}/again', {}, 404)


@test
def files_are_opened_by_path_for_the_owner_alone(_):
    """A10: where others are served, an option says that they may; the warning says what they can
    do."""
    paths = {'paths': [os.path.abspath('nothing')]}
    for options, may in (
        ((), True),
        (('--no-open-path',), False),
        (('--open-path', '--no-open-path'), False),
        (('--address', '127.0.0.1'), True),
        (('--address', '0.0.0.0'), False),
        (('--address', '0.0.0.0', '--open-path'), True),
        (('--any-user',), False),
        (('--any-user', '--open-path'), True),
    ):
        with Server(*options) as server:
            check_same(server.api('server')['open_path'], may, f'{options}')
            text = server.write('POST', 'open', paths, 400 if may else 403)['error']
            check(may or '--open-path' in text['mend'], f'{options}: {text}')
        warned = (
            'by their path is off (--open-path' in server.err,
            'by their path (--no-open-path' in server.err,
        )
        check_same(
            warned,
            ('0.0.0.0' in options and not may, '0.0.0.0' in options and may),
            f'{options}: {server.err}',
        )


@test
def uploads(_):
    with Server() as server:
        answer = server.write(
            'POST',
            'upload?last=1',
            read(sample()),
            headers={'X-Nprof-Name': '..%2F..%2F%3Cb%3E.xplane.pb'},
        )
        check_same(answer['profile'], ORDINARY, 'profile')
        check('/' not in until_ready(server, ORDINARY)['name'], 'name')
        one = server.write(
            'POST', 'upload', read(sample()), headers={'X-Nprof-Name': 'a.xplane.pb'}
        )
        check_same(one['bytes'], os.path.getsize(sample()), 'bytes')
        both = server.write(
            'POST',
            f'upload?last=1&with={one["upload"]}',
            read(sample(SECOND)),
            headers={'X-Nprof-Name': 'b.json'},
        )
        until_ready(server, both['profile'])
        inputs = server.profile('profile', both['profile']).json()['inputs']
        check_same([i['label'] for i in inputs], ['a.xplane.pb', 'b.json'], 'inputs')
        server.write('POST', 'upload?last=1&with=0123456789abcdef', b'x', 404)
        server.write('POST', 'upload?last=1&with=..', b'x', 400)
        error = server.write('POST', 'upload?last=1', b'\0garbage' * 1000, 400)['error']
        check('xplane' in error['text'] or 'decoder' in error['text'] + error['mend'], f'{error}')
    check_same(os.listdir(os.path.join(STORE, 'uploads')), [], 'uploads that stayed')
    with Server('--upload-max', '1K') as server:
        server.write('POST', 'upload?last=1', read(sample()), 413)


@test
def errors_of_uploads_name_the_file_as_the_user_does(_):
    """A12: its name, its true format, and what to do; no folder of the store, also when it fails
    later."""

    def send(server, name, data, status, query='last=1'):
        return server.write(
            'POST',
            f'upload?{query}',
            data,
            status,
            headers={'X-Nprof-Name': urllib.parse.quote(name)},
        )

    with Server() as server:
        for name, data, wanted in (
            ('bad.json', b'{"a": 1}', ('JSON', 'torch.profiler')),
            ('训练 1.json', b'[1, 2]', ('JSON', 'trace events')),
            (
                'r.nsys-rep',
                b'NVIDIA Tegra Profiler Report' + bytes(300),
                ('Nsight Systems', 'nsys export'),
            ),
            ('notes.txt', b'hello\n', ('text',)),
            ('empty.json', b'', ('empty',)),
        ):
            text = send(server, name, data, 400)['error']['text']
            check(
                text.startswith(name + ': ') and all(word in text for word in wanted),
                f'{name}: {text}',
            )
            check('uploads' not in text and 'bids' not in text, text)
        with_it = send(server, 'a.xplane.pb', read(sample()), 200, '')['upload']
        check(
            send(server, 'b.json', b'{}', 400, f'last=1&with={with_it}')['error'][
                'text'
            ].startswith('b.json: '),
            'the second of two',
        )
        half = send(server, 'half.pb', read(sample())[:3000], 200)['profile']
        while (profile := server.api(f'p/{half}')['profile'])['status'] == 'reading':
            pass
        check(profile['error']['text'].startswith('half.pb: byte 0: '), f'{profile}')
    check('half.pb: byte 0: ' in server.err and 'uploads' not in server.err, server.err)


@test
def members_that_nobody_reads_are_refused(_):
    """A11: the member is named, and those that there are; so is a flag that is none."""
    with Server(sample()) as server:
        gen = server.generation()
        for method, path, good in (
            ('POST', 'open', {'paths': ['/nowhere']}),
            ('POST', f'profiles/{ORDINARY}/rename', {'name': 'a'}),
            ('POST', f'profiles/{ORDINARY}/tags', {'add': [], 'remove': []}),
            ('POST', f'profiles/{ORDINARY}/again', {'force': True}),
            ('POST', 'profiles/delete', {'profiles': [ORDINARY]}),
            ('PUT', f'p/{ORDINARY}/annotations/a', {'data': 1}),
            ('PUT', 'layouts/a', {'data': 1}),
            ('POST', 'links', {'bucket': 'a', 'state': ''}),
            ('POST', f'p/{ORDINARY}/{gen}/sql', {'text': 'select 1'}),
        ):
            text = server.write(method, path, {**good, 'tpyo': 1}, 400)['error']['text']
            check(
                'a member tpyo: expected ' in text and all(name in text for name in good),
                f'{path}: {text}',
            )
        for path, flag in (
            ('open', 'one'),
            (f'profiles/{ORDINARY}/again', 'keep_going'),
            ('profiles/delete', 'database'),
        ):
            check(
                'true or false' in server.write('POST', path, {flag: 'yes'}, 400)['error']['text'],
                flag,
            )
        check(
            'decoder'
            in server.write('POST', 'open', {'paths': [sample()], 'decoder': 1}, 400)['error'][
                'text'
            ],
            'a decoder that is no text',
        )
        for rev in '1', -1, 0.5, True:
            check(
                'rev'
                in server.write('PUT', 'layouts/a', {'rev': rev, 'data': 1}, 400)['error']['text'],
                f'rev {rev}',
            )
        check_same(
            [p['name'] for p in server.api('profiles')['profiles']],
            ['synthetic_tpu.xplane.pb'],
            'nothing was changed',
        )


@test
def a_database_that_does_not_answer_keeps_the_profile(_folder):
    """It is gone from both, or from neither."""
    run('view', '--ingest-only', sample()).expect(0)
    with socket.socket() as silent:  # it does not listen
        silent.bind(('127.0.0.1', 0))
        endpoint = f'http://127.0.0.1:{silent.getsockname()[1]}'
        with Server('--db-endpoint', endpoint, ORDINARY[:9]) as server:
            asked = {'profiles': [ORDINARY], 'database': True}
            kept = server.write('POST', 'profiles/delete', asked)['kept']
    check_same([one['profile'] for one in kept], [ORDINARY], 'kept')
    check('nobody answers' in kept[0]['text'], f'{kept}')
    check(os.path.isdir(os.path.join(STORE, ORDINARY)), 'it was removed from the store alone')


class Mute:
    """A database that takes connections and says nothing, so that a reader stays at its last step
    with the profile in the store; it goes away at the end."""

    def __enter__(self):
        self.socket = socket.socket()
        self.socket.bind(('127.0.0.1', 0))
        self.socket.listen()
        self.endpoint = f'http://127.0.0.1:{self.socket.getsockname()[1]}'
        return self

    def __exit__(self, *_):
        self.socket.close()


@test
def a_profile_that_came_is_there_while_its_reader_ends(_):
    """Removed by another nprof it is gone, not `being read`."""
    with Mute() as mute, Server('--db-endpoint', mute.endpoint, sample()) as server:
        server.generation()
        run('profiles', 'rm', ORDINARY).expect(0)
        server.get(f'/api/v1/p/{ORDINARY}', 404)
        check_same(server.api('profiles')['profiles'], [], 'list')


@test
def what_is_asked_while_a_reader_ends_begins_behind_it(_):
    """`again` is not dropped, and a profile of the list can be deleted."""
    for path, asked in (
        (f'profiles/{ORDINARY}/again', {'force': True}),
        ('profiles/delete', {'profiles': [ORDINARY]}),
    ):
        with Mute() as mute, Server('--db-endpoint', mute.endpoint, sample()) as server:
            old = server.generation()
            waits = threading.Thread(target=server.write, args=('POST', path, asked))
            waits.start()
            waits.join(0.2)
            check(waits.is_alive(), f'{path}: it did not wait for the reader')
            mute.socket.close()
            waits.join()
            if 'again' in path:
                while server.generation() == old:
                    pass
                run('profiles', 'rm', ORDINARY).expect(0)
            else:
                server.get(f'/api/v1/p/{ORDINARY}', 404)


if __name__ == '__main__':
    main()
