# SPDX-License-Identifier: Apache-2.0
"""view.py - nprof view and nprof profiles as people use them, through real HTTP."""

import json
import os
import random
import re
import signal
import struct
import urllib.parse

from harness import check, check_same, main, run, sample, test, write
from viewserver import ORDINARY, Server

SECOND = 'node-workload.trace.json'
STORE = os.path.join('data-home', 'nprof', 'profiles')


# -- The command --------------------------------------------------------------------


@test
def texts_of_the_guide(_):
    ready = run('view', '--ingest-only', sample()).expect(0)
    check_same(ready.out, f'Profile "{ORDINARY}" is ready to view\n', 'stdout')
    with Server(sample()) as server:
        check_same(
            server.lines,
            [
                f'View profile at http://localhost:{server.port}/profile/{ORDINARY}\n',
                'ctrl-c to exit\n',
            ],
            'lines',
        )
    with Server() as server:
        check_same(
            server.lines,
            [f'View a list of profiles at http://localhost:{server.port}/\n', 'ctrl-c to exit\n'],
            'lines',
        )


@test
def an_address_is_warned_of(_):
    with Server('--address', '0.0.0.0') as server:
        check_same(
            server.lines[0], f'View a list of profiles at http://0.0.0.0:{server.port}/\n', 'line'
        )
    check('there is no password' in server.err, server.err)


@test
def the_step_of_the_list_is_that_of_the_report(_):
    """Runs of 600 us begin each 1000 us, and a device works in them without known launches: the
    period from end to end of its work is the step, not the span on the host."""
    events = [{'cat': 'Session', 'name': 'load', 'ts': 0, 'dur': 5, 'pid': 7, 'tid': 7, 'ph': 'X'}]
    for k in range(5):
        at = 1000 * (k + 1)
        for category, name, start, length, pid in (
            ('Session', 'model_run', at, 600, 7),
            ('Kernel', 'k', at + 100, 400, -1),
        ):
            events.append(
                {
                    'cat': category,
                    'name': name,
                    'ts': start,
                    'dur': length,
                    'pid': pid,
                    'tid': pid,
                    'ph': 'X',
                    'args': {'stream': '7'},
                }
            )
    path = write('runs.json', json.dumps(events))
    run('gate', path, 'step <= 1ms', 'step >= 1ms').expect(0)
    run('view', '--ingest-only', path).expect(0)
    with Server(path) as server:
        (listed,) = server.api('profiles')['profiles']
        profile = server.api('p/' + listed['bucket'])['profile']
        check_same(
            (profile['step_median']['value'], profile['step_median']['source']),
            (str(10**9), "median_ns of table verdict, the slowest device's"),
            'step',
        )


@test
def is_read_once(_):
    path = write('copy.xplane.pb', open(sample(), 'rb').read())
    meta = os.path.join(STORE, ORDINARY, 'meta')
    run('view', '--ingest-only', path).expect(0)
    first = os.stat(meta).st_ino
    run('view', '--ingest-only', path).expect(0)
    check_same(os.stat(meta).st_ino, first, 'it was read again')
    os.rename(path, 'moved.xplane.pb')  # the same content elsewhere
    run('view', '--ingest-only', 'moved.xplane.pb').expect(0)
    check_same(os.stat(meta).st_ino, first, 'it was read again')
    run('view', '--ingest-only', '-a', 'device:gap=1000', 'moved.xplane.pb').expect(0)
    check(os.stat(meta).st_ino != first, 'other analyzers did not read it again')
    second = os.stat(meta).st_ino
    run('view', '--ingest-only', '--force', '-a', 'device:gap=1000', 'moved.xplane.pb').expect(0)
    check(os.stat(meta).st_ino != second, '--force did not read it again')


@test
def changed_content_is_read_again(_):
    """The digest looks at size and ends alone: what changed in the middle is seen by the
    checksum."""
    text = (
        '['
        + ','.join(
            f'{{"name":"a{i % 9}","ph":"X","ts":{i},"dur":1,"pid":1,"tid":1}}' for i in range(60000)
        )
        + ']'
    ).encode()
    write('t.json', text)
    name = re.search('n_[0-9a-f]{40}', run('view', '--ingest-only', 't.json').expect(0).out).group()
    place = text.index(b'"a5"', len(text) // 2)
    write('t.json', text[:place] + b'"zz"' + text[place + 4 :])
    check(name in run('view', '--ingest-only', 't.json').expect(0).out, 'the name of the profile')
    check(
        'zz'
        in run('run', '-a', 'latency', '-s', 'csv:table=latency', '-o', '-', name).expect(0).out,
        'the old profile was kept',
    )


@test
def several_inputs_are_one_profile(_):
    out = run('view', '--ingest-only', sample(), sample(SECOND)).expect(0).out
    check(
        re.fullmatch('Profile "n_[0-9a-f]{40}" is ready to view\n', out) and ORDINARY not in out,
        out,
    )
    with Server(sample(), sample(SECOND)) as server:
        name = re.search('n_[0-9a-f]{40}', server.lines[0]).group()
        inputs = server.profile('profile', name).json()['inputs']
    check_same([i['label'] for i in inputs], ['synthetic_tpu.xplane.pb', SECOND], 'inputs')


@test
def a_stored_profile_is_an_input(_):
    run('view', '--ingest-only', sample()).expect(0)
    with Server(ORDINARY[:9]) as server:
        check(server.lines[0].endswith(f'/profile/{ORDINARY}\n'), server.lines[0])


@test
def appears_in_a_running_server(_):
    """--ingest-only beside a server, and a second nprof view on its port."""
    with Server() as server:
        check_same(server.api('profiles')['profiles'], [], 'profiles')
        seq = server.api('profiles')['seq']
        run('view', '--ingest-only', sample()).expect(0)
        while not (events := server.api(f'changes?since={seq}')['events']):
            pass
        check_same({(e['profile'], e['what']) for e in events}, {(ORDINARY, 'added')}, 'changes')
        out = run('view', '--port', str(server.port), sample(SECOND)).expect(0).out
        name = re.search('n_[0-9a-f]{40}', out).group()
        check_same(
            out, f'View profile at http://localhost:{server.port}/profile/{name}\n', 'handed over'
        )
        check_same(server.api(f'p/{name}')['profile']['status'], 'ready', 'status')


@test
def port_taken(_):
    with Server() as server:
        other = run('view', '--port', str(server.port), '--store', 'elsewhere')
        other.expect(1, err=f'nprof: error: --port {server.port}: another program has this port*')


@test
def what_cannot_be_read(_):
    run('view', 'nowhere.pb').expect(2, err='*nowhere.pb*')
    run('view', '--ingest-only', write('junk', b'junk')).expect(2)
    run('view', '--ingest-only').expect(1, err='*no input*')
    run('view', '--port', '70000').expect(1, err='*--port 70000*')
    run('view', '--address', 'no such host').expect(1, err='*--address no such host*')


@test
def a_damaged_input_is_told(_):
    data = open(sample(), 'rb').read()
    write('cut.xplane.pb', data[: len(data) * 2 // 3])
    with Server('cut.xplane.pb') as server:
        name = re.search('n_[0-9a-f]{40}', server.lines[0]).group()
        while (profile := server.api(f'p/{name}')['profile'])['status'] == 'reading':
            pass
    check_same(profile['status'], 'failed', 'status')
    check('byte' in profile['error']['text'] and profile['error']['mend'], f'{profile["error"]}')
    check_same(os.path.exists(os.path.join(STORE, name)), False, 'a store of it')


@test
def is_shown_while_it_is_read(_):
    """The page is served meanwhile: rows and a strip of each track; then events."""
    line = '{"name":"a","cat":"kernel","ph":"X","ts":%d,"dur":2,"pid":0,"tid":%d,"args":{"device":0}},\n'
    events = 900000 if os.environ['NPROF_SANITIZE'] == 'none' else 300000
    write('big.json', '[' + ''.join(line % (3 * i, i % 3) for i in range(events)) + '{}]')
    seen = []
    with Server('big.json') as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        server.get('/')
        while (profile := server.api(f'p/{name}')['profile'])['status'] == 'reading':
            if profile['progress'].get('tracks'):
                seen.append(profile['progress'])
        check_same((profile['status'], profile['progress']), ('ready', None), 'afterwards')
        gen = server.api(f'p/{name}')['gen']
        devices = server.api(f'p/{name}/{gen}/table/devices')
    check(seen, 'no progress was seen')
    first = sum(track['rows'] for track in seen[0]['tracks'])
    check(0 < first < events / 2, f'the first rows are not shown at once, but {first}')
    last = seen[-1]
    stages, done = ['reading', 'analyzing', 'finishing'], [
        p['done_bytes'] for p in seen if p['done_bytes'] is not None
    ]
    check(
        sorted(seen, key=lambda p: stages.index(p['stage'])) == seen,
        f'stages: {[p["stage"] for p in seen]}',
    )
    check(
        done
        and sorted(done) == done
        and {p['total_bytes'] for p in seen} == {os.path.getsize('big.json')},
        f'bytes: {done}',
    )
    check(
        done[-1] <= last['total_bytes']
        and all(p['left_s'] is None for p in seen if p['stage'] != 'reading'),
        f'{last}'[:300],
    )
    check_same(
        os.path.exists(os.path.join(STORE, 'kept', name, 'progress.json')),
        False,
        'what told of the reading',
    )
    check(
        0 < last['rows'] <= profile['rows'] and int(last['start']) < int(last['end']),
        f'{last}'[:300],
    )
    check_same(sum(t['rows'] for t in last['tracks']), last['rows'], 'rows of tracks')
    busy = [c['name'] for c in devices['columns']].index('busy_ns')
    check_same(
        [f['busy_ns'] for f in last['figures'] if f['table'] == 'devices'],
        [row[busy] for row in devices['rows']],
        'what the devices did',
    )
    for track in last['tracks']:
        check(
            len(track['busy']) == len(track['count']) == 512
            and max(track['busy']) > 50
            and max(track['count']) == 255,
            f'{track}',
        )


@test
def an_interrupt_leaves_nothing_half(_):
    """Ctrl-C while a profile is read: it did not read on, and nothing of it stays."""
    line = '{"name":"a","ph":"X","ts":%d,"dur":2,"pid":1,"tid":1},\n'
    write('big.json', '[' + ''.join(line % (3 * i) for i in range(900000)) + '{}]')
    with Server('big.json') as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        while not os.path.exists(os.path.join(STORE, name + '.part')):
            pass
        server.process.send_signal(signal.SIGINT)
        server.process.wait(timeout=60)
    check_same([n for n in os.listdir(STORE) if n.startswith('n_')], [], 'what stays')


# -- nprof profiles -------------------------------------------------------------------


@test
def profiles(_):
    run('profiles').expect(0, out='no profile is stored*')
    run('view', '--ingest-only', sample()).expect(0)
    run('view', '--ingest-only', sample(SECOND)).expect(0)
    lines = run('profiles', 'list').expect(0).out.splitlines()
    check_same(
        [line.split()[-1] for line in lines[1:]],
        [SECOND, 'synthetic_tpu.xplane.pb'],
        'the newest first',
    )
    check('98.7 %' in lines[2] and '50.1 %' in lines[2], lines[2])
    run('profiles', 'rename', ORDINARY[:8], 'my run').expect(0)
    run('profiles', 'tag', ORDINARY[:8], 'base').expect(0)
    run('profiles').expect(0, out=f'{ORDINARY[:10]}*my run *base*')
    run('profiles', 'tag', '--', ORDINARY[:8], '-base').expect(0)
    check('[base]' not in run('profiles').out, 'the tag stayed')
    run('view', '--ingest-only', '--force', sample()).expect(0)
    run('profiles').expect(0, out='*my run')  # what people keep outlives a new ingest
    run('profiles', 'rm', ORDINARY[:8]).expect(0, out=f'removed {ORDINARY}, *')
    check_same(sorted(n[:2] for n in os.listdir(STORE)), ['ke', 'n_'], 'what stays')
    check(not os.path.exists(os.path.join(STORE, 'kept', ORDINARY)), 'what was kept of it stays')
    run('profiles', 'rm', ORDINARY[:8]).expect(1, err='*no stored profile*')
    run('profiles', 'rm', 'x').expect(1, err='*expected n_*')
    run('profiles', 'sell').expect(1, err='*expected list*')


@test
def room_is_made(_):
    """The least recently opened goes, whose source still lies there; a store that is full of others
    refuses."""
    for i in range(4):
        write(
            f'{i}.json',
            json.dumps([{'name': f'n{i}', 'ph': 'X', 'ts': i, 'dur': 1, 'pid': 1, 'tid': 1}] * 50),
        )

    def add(i, most, status=0):
        result = run('view', '--ingest-only', '--store-max', most, f'{i}.json').expect(status)
        return re.findall('n_[0-9a-f]{40}', result.out)

    def stored():
        return {n for n in os.listdir(STORE) if n.startswith('n_')}

    [first], [second] = add(0, '1G'), add(1, '1G')
    size = sum(
        os.path.getsize(os.path.join(at, f))
        for n in (first,)
        for at, _, files in os.walk(os.path.join(STORE, n))
        for f in files
    )
    run('profiles', 'tag', first, 'mine').expect(0)
    [third] = add(2, str(size * 5 // 2))
    check_same(stored(), {second, third}, 'the first went')
    os.unlink('1.json')  # it could not be read again
    [fourth] = add(3, str(size * 5 // 2))
    check_same(stored(), {second, fourth}, 'the third went')
    os.unlink('3.json')
    refused = run('view', '--ingest-only', '--store-max', str(size), '2.json').expect(4)
    check(second[:10] in refused.err and 'the store is full' in refused.err, refused.err)
    check_same(stored(), {second, fourth}, 'nothing went')
    [again] = add(0, '1G')
    check_same(again, first, 'read again')
    run('profiles').expect(0, out='*[[]mine[]]')


@test
def links_in_the_store_are_not_followed(_):
    run('view', '--ingest-only', sample()).expect(0)
    os.mkdir('outside')
    write('outside/precious', b'x')
    os.symlink(os.path.abspath('outside'), os.path.join(STORE, ORDINARY, 'link'))
    run('profiles', 'rm', ORDINARY[:8]).expect(0)
    check_same(os.listdir('outside'), ['precious'], 'outside of the store')


# -- Answers against rows ----------------------------------------------------------------


def tile_of(body):
    """{lane: [(x0, x1, row, label, count, low, high, fill)]}, next"""
    magic, version, lanes, rects, t0, p, following, _ = struct.unpack_from('<4sIIIqqII', body)
    check_same((magic, version), (b'NPVW', 1), 'head')
    at = 40 + 16 * lanes
    columns = [struct.unpack_from(f'<{rects}I', body, at + 4 * rects * k) for k in range(7)]
    columns.append(struct.unpack_from(f'<{rects}B', body, at + 28 * rects))
    check_same(len(body), at + 29 * rects, 'bytes')
    found, end = {}, 0
    for k in range(lanes):
        lane, first, n, kind = struct.unpack_from('<4I', body, 40 + 16 * k)
        check_same(first, end, 'rectangles follow each other')
        end = first + n
        found[lane] = (kind, [tuple(c[i] for c in columns) for i in range(first, end)])
    return found, t0, p, following


def events_of(server, profile):
    """All rows of spans, lane by lane, one by one through the API."""
    meta = server.profile('meta', profile).json()
    found = {}
    for lane in meta['lanes']:
        if lane['type'] != 'span':
            continue
        rows, place = (
            [],
            server.profile(f'at?lane={lane["lane"]}&t={lane["start"]}', profile).json(),
        )
        while place['row']:
            rows.append((int(place['start']), int(place['duration'])))
            place = server.profile(f'near?row={place["row"]}&step=next&of=lane', profile).json()
        check_same(len(rows), lane['rows'], f'rows of lane {lane["lane"]}')
        found[lane['lane']] = rows
    return meta, found


@test
def tiles_hold_every_row(_):
    """The counts of a tile's rectangles sum to the rows that touch it."""
    generator = random.Random(7)
    with Server(sample()) as server:
        meta, lanes = events_of(server, ORDINARY)
        for _ in range(30):
            level = generator.randrange(18, 30)
            width = 2048 << level
            tile = generator.randrange(int(meta['start']) // width, int(meta['end']) // width + 1)
            body = server.profile(f'v?l={level}&i={tile}&lanes=' + ','.join(map(str, lanes))).body
            found, t0, _, following = tile_of(body)
            check_same((t0, following), (tile * width, 0xFFFFFFFF), 'place')
            for lane, rows in lanes.items():
                touching = sum(
                    1
                    for start, length in rows
                    if start < t0 + width and (start + length > t0 or (length == 0 and start == t0))
                )
                check_same(
                    sum(r[4] for r in found[lane][1]),
                    touching,
                    f'lane {lane} level {level} tile {tile}',
                )


@test
def sums_of_windows(_):
    """Clipped sums by track against the rows themselves."""
    generator = random.Random(8)
    with Server(sample()) as server:
        meta, lanes = events_of(server, ORDINARY)
        track_of = {lane['lane']: lane['track'] for lane in meta['lanes']}
        every = '&tracks=' + ','.join(
            str(t['track']) for t in meta['tracks']
        )  # those of analyzers too
        for _ in range(20):
            t0, t1 = sorted(
                generator.randrange(int(meta['start']), int(meta['end'])) for _ in range(2)
            )
            wanted = {}
            for lane, rows in lanes.items():
                for start, length in rows:
                    if start > t1 or start + length < t0:
                        continue
                    sums = wanted.setdefault(track_of[lane], [0, 0, 0])
                    sums[0] += 1
                    sums[1] += length
                    sums[2] += max(0, min(start + length, t1) - max(start, t0))
            for where in ('', '&where=dur%3E%3D0ns'):
                rows = server.profile(f's?t0={t0}&t1={t1}&by=track{where}{every}').json()['rows']
                found = {r['key']: [r['count'], int(r['whole']), int(r['inside'])] for r in rows}
                check_same(found, wanted, f'{t0}..{t1}{where}')
        by_name = server.profile('s?by=name').json()['rows']
        searched = server.profile('s?by=name&where=dur%3E%3D0ns').json()['rows']
        check_same(by_name, searched, 'by name, with and without a search')


@test
def sums_of_names_that_are_sought(_):
    """A search of names alone, in windows and of tracks, against the spans of the file. Spans of a
    thread have each at most one child, and each third thread ends with a span that never ends."""
    generator = random.Random(11)
    spans, events = [], []  # spans: thread, name, category, begin, end or None, its child
    for thread in range(1, 7):
        for i in range(40):
            begin, length = i * 1000 + generator.randrange(300), generator.randrange(100, 600)
            child = (begin + 20, begin + 20 + generator.randrange(0, length - 20))
            for (t0, t1), inner in (((begin, begin + length), child), (child, None)):
                name = generator.choice(['matmul', 'Add', 'mat_copy', 'norm'])
                spans.append((thread, name, generator.choice(['op', 'other']), t0, t1, inner))
        if thread % 3 == 0:
            spans.append((thread, 'mat_copy', 'op', 50000, None, None))
    for thread, name, category, t0, t1, _ in spans:
        event = {'name': name, 'cat': category, 'pid': 1, 'tid': thread, 'ts': t0}
        events.append({**event, 'ph': 'B'} if t1 is None else {**event, 'ph': 'X', 'dur': t1 - t0})
    write('t.json', json.dumps(events))
    searches = {
        'mat': lambda name, _: 'mat' in name,
        'name=Add': lambda name, _: name == 'Add',
        'name~mat category=other': lambda name, category: 'mat' in name and category == 'other',
        'name=Add or category=op': lambda name, category: name == 'Add' or category == 'op',
        'not name~mat': lambda name, _: 'mat' not in name,
    }
    with Server('t.json') as server:
        profile = server.api('profiles')['profiles'][0]['bucket']
        meta = server.profile('meta', profile).json()
        us = 10**6
        start = int(meta['start']) - us * min(t0 for _, _, _, t0, _, _ in spans)
        threads = {
            int(track['label']): track['track']
            for track in meta['tracks']
            if track['kind'] == 'thread'
        }
        for _ in range(30):
            w0, w1 = sorted(generator.randrange(51000) for _ in range(2))
            chosen = generator.choice([[], generator.sample(range(1, 7), 3)])
            for text, fits in searches.items():
                wanted = {}
                for thread, name, category, t0, t1, child in spans:
                    out = t0 > w1 or (t1 is not None and t1 < w0)
                    if out or (chosen and thread not in chosen) or not fits(name, category):
                        continue
                    sums = wanted.setdefault(name, [0, 0, 0, 0, 0])
                    inside = [
                        max(0, min(b, w1) - max(a, w0)) for a, b in ((t0, t1), child or (0, 0)) if b
                    ]
                    own = inside + [0] if t1 is not None else [0, 0]
                    for i, add in enumerate(
                        (1, t1 is None, (t1 or t0) - t0, own[0], own[0] - (own[1] if child else 0))
                    ):
                        sums[i] += add
                params = {'by': 'name', 'where': text, 't0': start + w0 * us, 't1': start + w1 * us}
                if chosen:
                    params['tracks'] = ','.join(str(threads[thread]) for thread in chosen)
                rows = server.profile('s?' + urllib.parse.urlencode(params), profile).json()['rows']
                found = {
                    row['name']: [row['count'], row['unclosed']]
                    + [int(row[key]) // us for key in ('whole', 'inside', 'self_inside')]
                    for row in rows
                }
                check_same(found, wanted, f'{text} in {w0}..{w1} of {chosen}')


@test
def names_are_short_and_never_alike(_):
    """As in reports: a name that another one would be cut to stays longer."""
    fill = 'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<{0}>, std::array<char*, 1ul>>(int, at::native::FillFunctor<{0}>, std::array<char*, 1ul>)'
    short = {
        fill.format(
            'float'
        ): 'vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul>>',
        fill.format('int'): 'vectorized_elementwise_kernel<4, FillFunctor<int>, array<char*, 1ul>>',
        'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(at::native::ReduceOp<float>)': 'reduce_kernel<ReduceOp>',
        '_Z3mulPfS_': 'mul',
        '_Z3addPfS_': '_Z3addPfS_',
        'add': 'add',
        'aten::mm': 'aten::mm',
        'Memcpy HtoD (Pageable -> Device)': 'Memcpy HtoD (Pageable -> Device)',
    }
    write(
        't.json',
        json.dumps(
            [
                {'name': n, 'ph': 'X', 'ts': i, 'dur': 1, 'pid': 1, 'tid': 1}
                for i, n in enumerate(short)
            ]
        ),
    )
    with Server('t.json') as server:
        name = server.api('profiles')['profiles'][0]['bucket']
        for route in ('names', 'names?of=over'):
            found = {n[0]: n[2] for n in server.profile(route, name).json()['names']}
            check_same({n: found.get(n) for n in short}, short, route)
    with Server(sample()) as server:
        found = {n[0]: n[2] for n in server.profile('names').json()['names']}
        check_same(len(set(found.values())), len(found), 'names that differ')


@test
def layers_of_names(_):
    """Where all rows of a name say one; not where they differ, or where some say none; so of many
    blocks of rows too."""
    said = [
        ('one', 'Net/a'),
        ('two', 'Net/a'),
        ('two', 'Net/b'),
        ('some', 'Net/a'),
        ('some', None),
        ('none', None),
        ('one', 'Net/a'),
    ]
    for more in (0, 60_000):
        rows = [
            {
                'subgroup': 'q0',
                'opcode': name,
                'timestamp': 10 * i,
                'duration': 5,
                'pc': i,
                **({'layer': layer} if layer else {}),
            }
            for i, (name, layer) in enumerate(
                said
                + [('more', 'Net/a'), ('late', 'Net/b')] * (more // 2)
                + [('late', 'Net/a')] * (more > 0)
            )
        ]
        write('l.json', json.dumps({'instruction': rows}))
        with Server('l.json') as server:
            profile = server.lines[0].rsplit('/', 1)[1].strip()
            wanted = {
                'one': 'Net/a',
                'two': None,
                'some': None,
                'none': None,
                **({'more': 'Net/a', 'late': None} if more else {}),
            }
            for route in ('names', 'names?of=over'):
                found = {
                    n[0]: n[3]
                    for n in server.profile(route, profile).json()['names']
                    if n[0] in wanted
                }
                check_same(
                    found,
                    wanted if route == 'names' else {n: wanted[n] for n in found},
                    f'{route}: {len(rows)} rows',
                )
                check('one' in found, f'{found}')


@test
def a_server_restarted_gives_the_same(_):
    with Server(sample()) as server:
        first = server.profile('meta')
    with Server(sample()) as server:
        second = server.profile('meta')
        check_same(second.body, first.body, 'meta')
        check_same(first.headers['etag'], second.headers['etag'], 'ETag')
        check('immutable' in first.headers['cache-control'], 'Cache-Control')
        path = f'/api/v1/p/{ORDINARY}/{server.generation()}/meta'
        check_same(
            server.get(path, 304, {'If-None-Match': first.headers['etag']}).body,
            b'',
            'not modified',
        )


@test
def wrong_questions(_):
    """Each says what is wrong, and nothing ends the server."""
    with Server(sample()) as server:
        generation = server.generation()
        for path, status in {
            'nix': 404,
            'p/n_0': 404,
            f'p/{ORDINARY}/0123456789abcdef/meta': 410,
            f'p/n_{"0" * 40}/{generation}/meta': 404,
            f'p/{ORDINARY}/{generation}/nix': 404,
            f'p/{ORDINARY}/{generation}/table/nix': 404,
            f'p/{ORDINARY}/{generation}/e': 400,
            f'p/{ORDINARY}/{generation}/e?row=1': 400,
            f'p/{ORDINARY}/{generation}/e?row=4294967295.4294967295': 404,
            f'p/{ORDINARY}/{generation}/e?row=-1.0': 400,
            f'p/{ORDINARY}/{generation}/v?l=3&i=0': 400,
            f'p/{ORDINARY}/{generation}/v?l=99&i=0&lanes=1': 400,
            f'p/{ORDINARY}/{generation}/v?l=20&i=9223372036854775807&lanes=1': 400,
            f'p/{ORDINARY}/{generation}/v?l=51&i=-9223372036854775808&lanes=1': 400,
            f'p/{ORDINARY}/{generation}/v?l=3&i=0&lanes=0-64': 400,
            f'p/{ORDINARY}/{generation}/v?l=3&i=0&lanes=1000': 404,
            f'p/{ORDINARY}/{generation}/v?l=3&i=0&lanes=0-4294967295': 400,
            f'p/{ORDINARY}/{generation}/over?lanes=9-1': 400,
            f'p/{ORDINARY}/{generation}/q?q=dur%3E%3E': 400,
            f'p/{ORDINARY}/{generation}/q': 400,
            f'p/{ORDINARY}/{generation}/s?t0=5&t1=4': 400,
            f'p/{ORDINARY}/{generation}/s?by=colour': 400,
            f'p/{ORDINARY}/{generation}/s?tracks=999': 404,
            f'p/{ORDINARY}/{generation}/s?t0=1e9': 400,
            f'p/{ORDINARY}/{generation}/strip?pixels=1': 400,
            f'p/{ORDINARY}/{generation}/table/mfu?columns=nix': 400,
            f'p/{ORDINARY}/{generation}/table/mfu?sort=nix': 400,
            f'p/{ORDINARY}/{generation}/table/mfu?where=nix=1': 400,
            f'p/{ORDINARY}/{generation}/near?row=0.0&of=search': 400,
            'changes?since=x': 400,
            'profiles?sort=x': 400,
            'profiles?sort=--size': 400,
        }.items():
            error = server.api(path, status)['error']
            check(error['text'] and set(error) == {'text', 'at', 'mend'}, f'{path}: {error}')
        check_same(
            server.api(f'p/{ORDINARY}/{generation}/q?q=name%3Da%20dur%3E%3E', 400)['error']['at'],
            11,
            'place in the text',
        )


@test
def a_damaged_store_is_told_by_part(_):
    run('view', '--ingest-only', sample()).expect(0)
    rows = os.path.join(STORE, ORDINARY, 'rows')
    data = bytearray(open(rows, 'rb').read())
    data[len(data) // 2] ^= 255
    with Server() as server:
        generation = server.generation()
        write(rows, bytes(data))
        statuses = {
            server.ask('GET', f'/api/v1/p/{ORDINARY}/{generation}/e?row={lane}.0').status
            for lane in range(23)
        }
        check_same(statuses, {200, 422}, 'statuses of events')
        server.profile('meta')
    write(os.path.join(STORE, ORDINARY, 'meta'), b'junk')
    with Server() as server:
        profile = server.api(f'p/{ORDINARY}')['profile']
        check(profile['status'] == 'old' and profile['error']['mend'], f'{profile}')
        error = server.api(f'compare?a={ORDINARY}&b={ORDINARY}', 422)['error']
        check('meta' in error['text'] and error['mend'], f'{error}')


@test
def compressed_answers(_):
    import gzip

    with Server(sample()) as server:
        path = f'/api/v1/p/{ORDINARY}/{server.generation()}/'
        plain, packed = server.get(path + 'profile'), server.get(
            path + 'profile', headers={'Accept-Encoding': 'gzip'}
        )
        check_same(packed.headers['content-encoding'], 'gzip', 'encoding')
        check_same(gzip.decompress(packed.body), plain.body, 'body')
        over = server.get(path + 'over', headers={'Accept-Encoding': 'gzip'})
        check('content-encoding' not in over.headers, 'a picture is not compressed on this machine')
        far = server.get(path + 'over', headers={'Accept-Encoding': 'gzip', 'X-Nprof-Remote': '1'})
        check_same(gzip.decompress(far.body), over.body, 'picture')


@test
def list_is_searched_and_sorted(_):
    run('view', '--ingest-only', sample()).expect(0)
    run('view', '--ingest-only', sample(SECOND)).expect(0)
    run('profiles', 'tag', ORDINARY[:8], 'h100').expect(0)

    def names(query):
        return [p['name'] for p in server.api('profiles?' + query)['profiles']]

    with Server() as server:
        both = [SECOND, 'synthetic_tpu.xplane.pb']
        check_same(names(''), both, 'the newest first')
        check_same(names('sort=name'), both, 'by name')
        check_same(names('q=tag:h100'), both[1:], 'tag')
        check_same(names('q=format:chrome'), both[:1], 'format')
        check_same(names('q=mfu%3C60'), both[1:], 'what is unknown is not below')
        check_same(names('q=mfu%3C40'), [], 'limit')
        check_same(names('q=SYNTH'), both[1:], 'part of the name')
        check_same(names('limit=1&offset=1'), both[1:], 'page')


@test
def list_is_sorted_by_each_column(_):
    kernels = [
        dict(
            ph='X',
            cat='kernel',
            name='k',
            pid=1,
            tid=7,
            ts=10 * i,
            dur=4,
            args={'device': 1, 'stream': 7},
        )
        for i in range(9)
    ]
    torch = write(
        'torch.pt.trace.json',
        json.dumps(
            {
                'schemaVersion': 1,
                'deviceProperties': [{'id': 1, 'name': 'NVIDIA H100'}],
                'traceEvents': kernels,
            }
        ).encode(),
    )
    threads = write(
        'threads.json',
        json.dumps(
            {'traceEvents': [dict(ph='X', pid=1, tid=1, ts=1, dur=2 * 10**6, name='long')]}
        ).encode(),
    )
    broken = write('broken.xplane.pb', open(sample(), 'rb').read()[:3000])
    for one in (sample(), torch, threads, sample(SECOND)):
        run('view', '--ingest-only', one).expect(0)
    run('profiles', 'tag', ORDINARY[:8], 'base').expect(0)

    def metric(name):
        return lambda p: None if p[name]['value'] is None else float(p[name]['value'])

    def stored(name):
        return lambda p: int(p[name]) if p['gen'] else None

    numbers = {
        'opened': lambda p: p['opened'] or None,
        'recorded': lambda p: p['origin_unix_ns'] and int(p['origin_unix_ns']),
        'length': stored('length'),
        'rows': stored('rows'),
        'size': stored('size'),
        'busy': metric('busy'),
        'mfu': metric('mfu'),
        'step': metric('step_median'),
    }
    texts = {
        'name': lambda p: p['name'],
        'format': lambda p: p['format'] or None,
        'devices': lambda p: p['devices'][0]['type'] if p['devices'] else None,
        'tags': lambda p: ' '.join(p['tags']) or None,
        'status': lambda p: p['status'],
    }
    with Server() as server:
        server.api('p/' + ORDINARY)  # which opens it
        server.write(
            'POST',
            'open',
            {
                'paths': [os.path.abspath(broken)],
                'force': False,
                'keep_going': False,
                'decoder': '',
                'one': True,
            },
        )
        while any(p['status'] == 'reading' for p in server.api('profiles')['profiles']):
            pass
        newest = server.api('profiles')['profiles']
        check_same([p['status'] for p in newest].count('failed'), 1, 'what could not be read')
        for word, value in {**numbers, **texts}.items():
            there, without = (
                [p for p in newest if (value(p) is None) == unknown] for unknown in (False, True)
            )
            check(word in ('name', 'status') or without, f'{word} is known of all')
            for sign in '', '-':
                order = sorted(
                    there, key=value, reverse=(word in numbers) == (sign == '')
                )  # equal ones stay as they are
                check_same(
                    [p['bucket'] for p in server.api(f'profiles?sort={sign}{word}')['profiles']],
                    [p['bucket'] for p in order + without],
                    sign + word,
                )
        check_same(
            [p['bucket'] for p in server.api('profiles?sort=-added')['profiles']],
            [p['bucket'] for p in newest][::-1],
            'the oldest first',
        )


if __name__ == '__main__':
    main()
