# SPDX-License-Identifier: Apache-2.0
"""mcp.py - nprof mcp on the raw wire: both eras of the protocol, roots, names that are written to
mislead, calls that are cancelled, and messages and calls that are wrong in every way."""

import contextlib
import json
import os
import random
import re
import sqlite3
import subprocess
import sys

from answers_of_tools import CAPS, HOSTILE, faults, trace
from harness import (
    NPROF,
    Skip,
    TIMEOUT,
    check,
    check_same,
    environment,
    files_below,
    main,
    read,
    run,
    start,
    test,
    write,
)

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import nsys_make  # noqa: E402
import rocm_make  # noqa: E402

PREFIX = 'io.modelcontextprotocol/'
NEWEST = '2026-07-28'
META = {PREFIX + 'protocolVersion': NEWEST, PREFIX + 'clientCapabilities': {}}
ENDLESS = 'with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) from c'
TOOLS = ['open', 'verdict', 'table', 'explain', 'window', 'sql', 'diff', 'ranks', 'schema']


class Client:
    """A server below the current folder, asked by lines; without meta in the era of the
    handshake."""

    def __init__(self, *roots, meta=META, env=None):
        self.process = start(
            'mcp',
            *(roots or ['.']),
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.meta, self.number, self.seen = meta, 0, []

    def raw(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def get(self):
        line = self.process.stdout.readline()
        check(line.endswith(b'\n'), f'the server said {line!r} and ended: {self.process.poll()}')
        message = json.loads(line)
        check('method' not in message or 'id' not in message, f'a request to the client: {message}')
        self.seen.append(message)
        return message

    def post(self, method, params=None, meta=None, number=None):
        self.number += 1
        meta = self.meta if meta is None else meta
        params = dict(params or {}, **({'_meta': meta} if meta else {}))
        number = self.number if number is None else number
        self.raw(
            json.dumps(
                {'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params}
            ).encode()
            + b'\n'
        )
        return number

    def ask(self, method, params=None, meta=None):
        number = self.post(method, params, meta)
        while True:
            message = self.get()
            if message.get('id') == number:
                return message

    def call(self, tool, arguments):
        result = self.ask('tools/call', {'name': tool, 'arguments': arguments})['result']
        text = result['content'][0]['text']
        answer = result['structuredContent']
        check_same(json.loads(text), answer, 'the text is the structured content')
        check_same(result['isError'], 'error' in answer, answer)
        check_same(faults(answer, text), [], f'{tool} {arguments}')
        return answer

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        check_same(self.process.wait(TIMEOUT), 0, 'the status at the end of the input')
        err = self.process.stderr.read().decode()
        check('Sanitizer' not in err and 'runtime error' not in err, err)
        self.process.stdout.close()
        self.process.stderr.close()
        return rest


def code_of(message):
    return message.get('error', {}).get('code')


@test
def the_era_without_a_handshake(_):
    client = Client()
    found = client.ask('server/discover')['result']
    check_same(
        (
            found['resultType'],
            found['supportedVersions'][0],
            sorted(found['capabilities']),
            found['cacheScope'],
            found['_meta'][PREFIX + 'serverInfo']['name'],
        ),
        ('complete', NEWEST, ['resources', 'tools'], 'private', 'nprof'),
        found,
    )
    check(0 < len(found['instructions']) <= 512 and found['ttlMs'] > 0, found)
    refused = client.ask(
        'tools/list', meta=dict(META, **{PREFIX + 'protocolVersion': '1900-01-01'})
    )
    check_same(
        (code_of(refused), refused['error']['data']['requested']), (-32022, '1900-01-01'), refused
    )
    check(NEWEST in refused['error']['data']['supported'], refused)
    check_same(
        code_of(client.ask('tools/list', meta={PREFIX + 'protocolVersion': NEWEST})),
        -32602,
        'no capabilities',
    )
    for method in ('ping', 'roots/list', 'logging/setLevel'):
        check_same(code_of(client.ask(method)), -32601, method)
    client.end()


@test
def the_era_with_a_handshake(_):
    """It begins at any time, also after a request of the other era, and both go on."""
    client = Client(meta={})
    check_same(code_of(client.ask('tools/list')), -32602, 'nothing was begun')
    for version, expected in (
        ('2025-11-25',) * 2,
        ('2025-06-18',) * 2,
        ('2024-11-05',) * 2,
        ('2099-01-01', '2025-11-25'),
    ):
        client.ask('server/discover', meta=META)
        found = client.ask('initialize', {'protocolVersion': version, 'capabilities': {}})['result']
        check_same(
            (found['protocolVersion'], 'resultType' in found, found['serverInfo']['name']),
            (expected, False, 'nprof'),
            found,
        )
    client.raw(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    check_same(client.ask('ping')['result'], {}, 'ping')
    check('resultType' not in client.ask('tools/list')['result'], 'the old era')
    check_same(
        client.ask('tools/list', meta=META)['result']['resultType'], 'complete', 'the new era'
    )
    client.end()


@test
def the_list_of_tools(_):
    """The same bytes each time, few of them, and no words of JSON Schema that clients refuse."""
    client = Client()
    first = client.ask('tools/list')['result']
    check_same(json.dumps(client.ask('tools/list')['result']), json.dumps(first), 'asked twice')
    tools = first['tools']
    check_same([tool['name'] for tool in tools], TOOLS, 'tools')
    size = len(json.dumps(tools, separators=(',', ':')))
    check(size <= 12000, f'{size} bytes')
    for tool in tools:
        hints = tool['annotations']
        check(
            hints['readOnlyHint'] and not hints['destructiveHint'] and not hints['openWorldHint'],
            tool,
        )
        text = json.dumps(tool)
        check(not re.search(r'"(\$ref|anyOf|oneOf|allOf|format)"|"null"|"type": \[', text), text)
    check_same(code_of(client.ask('tools/list', {'cursor': 'x'})), -32602, 'it has one page')
    listed = client.ask('resources/list')['result']['resources']
    check_same(len(listed), len(TOOLS), listed)
    for resource in listed:
        text = client.ask('resources/read', {'uri': resource['uri']})['result']['contents'][0][
            'text'
        ]
        check_same(
            text,
            read(
                os.path.join(os.environ['NPROF_SOURCE'], 'share/schema', resource['name'])
            ).decode(),
            resource,
        )
    check_same(
        code_of(client.ask('resources/read', {'uri': 'file:///etc/passwd'})), -32602, 'no resource'
    )
    client.end()


@test
def what_cannot_be_read(_):
    """Each has its code, and the next request is answered."""
    client = Client()
    for line, code in (
        (b'{"jsonrpc":"2.0","id":\n', -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n', -32600),
        (b'\xff\xfe{}\n', -32700),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}\n', -32600),
        (b'7\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}\n', -32600),
        (b'{"a":' * 100 + b'1' + b'}' * 100 + b'\n', -32700),
        (b'{"jsonrpc":"1.0","id":1,"method":"x"}\n', -32600),
        (b'{"x":"' + b'a' * (2 << 20) + b'"}\n', -32600),
    ):
        client.raw(line)
        check_same(code_of(client.get()), code, line[:60])
    client.raw(
        b'{"jsonrpc":"2.0","method":"notifications/whatever"}\n\n  \n{"jsonrpc":"2.0","id":9,"result":{}}\n'
    )
    check_same(
        code_of(client.ask('tools/call', {'name': 'nope', 'arguments': {}})), -32602, 'no such tool'
    )
    check_same(
        code_of(client.ask('tools/call', {'name': 'open', 'arguments': []})), -32602, 'no object'
    )
    client.end()


@test
def roots(_):
    """Nothing outside is read, by no path and no link, and nobody learns what is there."""
    os.makedirs('root/below')
    trace('root/a.json')
    trace('outside.json', steps=2)
    os.symlink('../outside.json', 'root/link.json')
    os.symlink('a.json', 'root/within.json')
    client = Client('root')
    before = files_below('root')
    outside = [
        client.call('open', {'path': path})['error']
        for path in (
            '../outside.json',
            os.path.abspath('outside.json'),
            '/etc/passwd',
            '/no/such/file',
            'a.json/../../outside.json',
            'link.json',
            '/proc/self/environ',
        )
    ]
    check_same(
        {(error['code'], error['text']) for error in outside},
        {(outside[0]['code'], outside[0]['text'])},
        outside,
    )
    check_same(outside[0]['code'], 'outside_roots', outside)
    check_same(client.call('open', {'path': 'no.json'})['error']['code'], 'not_found', 'inside')
    os.mkfifo('root/pipe.json')
    check('error' in client.call('open', {'path': 'pipe.json'}), 'a pipe')
    os.unlink('root/pipe.json')
    one = client.call('open', {'path': 'a.json'})['id']
    os.makedirs('copy')
    trace('copy/b.json')
    other = Client('copy')
    check_same(
        other.call('verdict', {'id': other.call('open', {'path': 'b.json'})['id']})['id'],
        one,
        'a copy below another root',
    )
    other.end()
    check_same(client.call('open', {'path': 'within.json'})['id'], one, 'a link that stays inside')
    listed = client.call('open', {})
    check_same([row['path'] for row in listed['data']['profiles']], ['a.json'], listed)
    other = run('ask', '--json', 'open', 'outside.json')
    check_same(
        client.call('verdict', {'id': json.loads(other.out)['id']})['error']['code'],
        'unknown_profile',
        'of another root',
    )
    check_same(files_below('root'), before, 'nothing is written')
    client.end()
    run('mcp', '/').expect(1, out='', err='*/: this is the whole machine: expected a folder *')
    config = ('mcp', '--print-config', 'claude')
    run(*config, 'none').expect(1, out='', err='*none: there is none of that name*')
    run(*config, '.', 'root').expect(1, out='', err='*root: expected one folder*')
    run('mcp', 'no').expect(1, out='')


@test
def many_profiles(_):
    """Each is asked by its id, also by a server that has not opened it; two are compared."""
    trace('a.json')
    trace('b.json', slow=2.0)
    client = Client()
    ids = [client.call('open', {'path': path})['id'] for path in ('a.json', 'b.json')]
    client.end()
    client = Client()
    for one, gemm in zip(ids, (12000000000, 24000000000)):
        rows = client.call(
            'table',
            {
                'id': one,
                'name': 'kernels',
                'columns': ['total_ps'],
                'where': 'kernel ~ sgemm',
            },
        )
        check_same(rows['data']['rows'], [[gemm]], one)
    query = {'id': ids[0], 'query': 'select row_fits()'}  # what `where` asks is no function of theirs
    error = client.call('sql', query)['error']
    check('row_fits is of tool table alone' in error['text'], error)
    answer = client.call('diff', {'base': ids[0], 'new': ids[1]})
    check_same(
        (answer['id'], answer['command']),
        (ids[0], ['nprof', 'ask', 'diff', 'a.json', 'b.json']),
        answer,
    )
    gemm = next(row for row in answer['data']['changes'] if 'sgemm' in row['name'])
    check_same(
        (gemm['base_ns'], gemm['new_ns'], gemm['verdict']), (3000000, 6000000, 'slower'), answer
    )
    client.end()


@test
def causes_and_windows(_):
    """Launches are found by their correlation; a window of a step is busy for eight of its ten
    ms."""
    trace('a.json')
    client = Client()
    one = client.call('open', {'path': 'a.json'})['id']
    chain = client.call(
        'explain', {'id': one, 'what': 'operator', 'name': 'ampere_sgemm_128x64_tn'}
    )['data']['chain']
    check_same(
        [(link['ns'], link['name']) for link in chain[:2]],
        [(3000000, 'ampere_sgemm_128x64_tn'), (5000, 'cudaLaunchKernel')],
        chain,
    )
    for what in ('finding', 'idle', 'event'):
        check(
            client.call('explain', {'id': one, 'what': what, 'row': 0})
            .get('data', {})
            .get('chain'),
            what,
        )
    check(
        client.call('explain', {'id': one, 'what': 'step', 'row': 2})['data']['chain'][0]['ns'] > 0,
        'a step',
    )
    check_same(
        client.call('explain', {'id': one, 'what': 'event', 'row': 10**9})['reason']['code'],
        'out_of_scope',
        'no row',
    )
    # The first step begins with the file; its copy 500 us later: 1 ms, a pause of 100 us, 3 ms, 100
    # us, 4 ms.
    window = client.call('window', {'id': one, 'from_ns': 0, 'to_ns': 10000000, 'buckets': 10})[
        'data'
    ]
    check_same(window['bucket_ns'], 1000000, window)
    check_same(
        window['lanes'][0]['busy'], [500, 900, 1000, 1000, 900, 1000, 1000, 1000, 700, 0], window
    )
    check_same(
        [(row['ns'], row['start_ns']) for row in window['longest']],
        [(4000000, 4700000), (3000000, 1600000), (1000000, 500000)],
        window,
    )
    check(
        client.call('window', {'id': one, 'from_ns': 5, 'to_ns': 5})['abstained'], 'an empty window'
    )
    check_same(client.call('ranks', {'id': one})['reason']['what'], 'ranks', 'one rank')
    client.end()


@test
def analyzers_of_others(_):
    """They run in a process of their own: what ends it costs that answer, and nothing else."""
    trace('a.json')
    window = {'from_ns': 12000000, 'to_ns': 15000000}
    client = Client()
    one = client.call('open', {'path': 'a.json'})['id']
    ours = client.call('verdict', dict(window, id=one))
    client.end()
    os.makedirs('plugins', mode=0o755)
    write(
        'plugins/broken.so',
        read(os.path.join(os.environ['NPROF_TEST_PLUGINS'], 'bad', 'broken.so')),
    )
    write(
        'plugins/broken.plugin',
        '[decoder vendor.broken]\n[analyzer vendor.broken]\nrank=45\n[sink vendor.broken]\n',
    )
    env = {'NPROF_PLUGIN_PATH': os.path.abspath('plugins')}
    client = Client(env=dict(env, NPROF_BREAK=''))
    check_same(
        client.call('verdict', dict(window, id=one))['data'],
        ours['data'],
        'beside another analyzer',
    )
    client.end()
    for how, said in (('exit', 'called exit'), ('crash', 'crashed (SIGSEGV')):
        client = Client(env=dict(env, NPROF_BREAK=how + '-in-consume'))
        error = client.call('verdict', dict(window, id=one))['error']
        check_same(error['code'], 'unreadable', 'it ended the run')
        # The address sanitizer tells of a crash itself, before the run can.
        told = how == 'exit' or os.environ['NPROF_SANITIZE'] in ('none', 'thread')
        check('vendor.broken ' + said in error['text'] or not told, error)
        check_same(
            client.call('verdict', {'id': one})['data']['group'], 'compute', 'the server goes on'
        )
        client.end()


@test
def files_that_are_no_profile(_):
    """The error says why in words of ours, whatever words the file has, and gives no id."""
    client = Client()
    for name, data, said in (
        ('empty.json', b'', 'the file is empty'),
        ('text', HOSTILE.encode(), 'it is text, but no decoder knows'),
        ('cut.json', b'{"traceEvents": [{"ph": "X", "name":', 'at byte 36 it is damaged'),
        ('ph.json', json.dumps({'traceEvents': [{'ph': HOSTILE}, 1]}).encode(), ''),
        ('java', b'FLR\0' + bytes(60), 'Java Flight Recorder'),
        ('other.json', json.dumps({HOSTILE: 1}).encode(), 'no "traceEvents"'),
    ):
        write(name, data)
        answer = client.call('open', {'path': name})
        check_same(
            (answer.get('error', {}).get('code'), 'id' in answer),
            ('unreadable', False),
            f'{name}: {answer}',
        )
        check(said in answer['text'] and answer['next'][0]['tool'] == 'open', answer)
        check('IGNORE' not in answer['text'], answer)
    client.end()


@test
def parts_in_a_process_of_their_own(_):
    """nprof's own analyzers run there as well: where it cannot store its tables, or ends by
    itself, that answer is an error, and the server goes on."""
    trace('a.json')
    os.mkdir('room')
    client = Client(env={'TMPDIR': os.path.abspath('room')})
    one = client.call('open', {'path': 'a.json'})['id']
    window = {'id': one, 'from_ns': 12000000, 'to_ns': 15000000}
    os.rmdir('room')
    check_same(client.call('verdict', window)['error']['code'], 'internal', 'no room for tables')
    check_same(client.call('verdict', {'id': one})['data']['group'], 'compute', 'it goes on')
    os.mkdir('room')
    check_same(client.call('verdict', window)['abstained'], False, 'there is room now')
    check_same(os.listdir('room'), [], 'what it leaves behind')
    client.end()


@test
def a_crash_of_our_own_analyzers(_):
    """In an answer about a part it is named, the whole profile still answers, and so does the part
    once it is sound; while a file is opened it gives no id. A crash outside of their calls is told
    by its signal."""
    faults_lib = os.environ.get('NPROF_FAULTS')
    if not faults_lib:
        raise Skip('a sanitizer has an allocator of its own')
    trace('a.json')
    trace('b.json', slow=2.0)
    os.mkdir('room')
    room = {'TMPDIR': os.path.abspath('room')}
    client = Client()
    one = client.call('open', {'path': 'a.json'})['id']
    client.end()
    window = {'id': one, 'from_ns': 12000000, 'to_ns': 15000000}
    for plugin, how, said in (
        ('operators', 'crash', 'operators crashed (SIGSEGV'),
        ('steps', 'crash', 'steps crashed (SIGSEGV'),
        ('sanity', 'crash', 'ended by signal 11'),
        ('steps', 'kill', 'ended by signal 9'),
    ):
        fault = {'NPROF_FAULT': f'alloc:1:{how}', 'NPROF_FAULT_OF': plugin + '.so'}
        client = Client(env={'LD_PRELOAD': faults_lib, **fault, **room})
        answer = client.call('verdict', window)
        check(said in answer['error']['text'], answer)
        follow = answer['next'][0]
        whole = client.call(follow['tool'], follow['arguments'])
        check_same(whole['data']['group'], 'compute', 'the whole profile')
        opened = client.call('open', {'path': 'b.json'})
        check_same((said in opened['error']['text'], 'id' in opened), (True, False), opened)
        client.end()
    client = Client(env=room)
    check_same(client.call('verdict', window)['abstained'], False, 'without the fault')
    check_same(client.call('open', {'path': 'b.json'})['abstained'], False, 'without the fault')
    check_same(os.listdir('room'), [], 'what is left behind')
    client.end()


@test
def calls_side_by_side(_):
    """A call that is cancelled gets no answer; texts are ids as well; progress comes to who asks
    for it."""
    trace('a.json')
    client = Client()
    one = client.call('open', {'path': 'a.json'})['id']
    number = client.post('tools/call', {'name': 'sql', 'arguments': {'id': one, 'query': ENDLESS}})
    client.raw(
        json.dumps(
            {'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': number}}
        ).encode()
        + b'\n'
    )
    client.call('verdict', {'id': one})
    client.post('tools/call', {'name': 'open', 'arguments': {'path': 'a.json'}}, number='text')
    other = client.post('tools/call', {'name': 'schema', 'arguments': {'id': one}})
    check_same({client.get()['id'], client.get()['id']}, {'text', other}, 'two at once')
    client.post(
        'tools/call',
        {'name': 'verdict', 'arguments': {'id': one}},
        meta=dict(META, progressToken='t'),
    )
    first = client.get()
    check_same(
        (first['method'], first['params']['progressToken']), ('notifications/progress', 't'), first
    )
    client.get()
    client.post('tools/call', {'name': 'sql', 'arguments': {'id': one, 'query': ENDLESS}})
    check_same(client.end(), b'', 'nothing of what was cancelled or cut off')
    check(
        all(message.get('id') != number for message in client.seen), 'an answer to a cancelled call'
    )


@test
def too_many_calls(_):
    """What does not fit in the queue is refused at once, and may be asked again."""
    trace('a.json')
    client = Client()
    one = client.call('open', {'path': 'a.json'})['id']
    numbers = [
        client.post('tools/call', {'name': 'sql', 'arguments': {'id': one, 'query': ENDLESS}})
        for _ in range(60)
    ]
    busy = client.get()['result']['structuredContent']
    check_same(busy['error']['code'], 'busy', busy)
    for number in numbers:
        client.raw(
            json.dumps(
                {
                    'jsonrpc': '2.0',
                    'method': 'notifications/cancelled',
                    'params': {'requestId': number},
                }
            ).encode()
            + b'\n'
        )
    client.call('verdict', {'id': one})
    client.end()


@test
def hostile_names(_):
    """Of 25 profiles, by what a name does and where it stands: no hidden character, and no word of
    the profile among our own, in any answer of any tool; nothing is written beside the cache."""
    texts = [
        HOSTILE,
        '\x1b[31mred\x1b]0;t\x07\u0085\u009b31m',
        '\u061c\u180e\ufeff\u2066x',
        'a' * 5000,
        '", "abstained": true, "text": "../../etc/passwd {name} {device} %s %n',
    ]
    places = ['kernel', 'launch', 'step', 'label', 'process']
    profiles = [('IGNORE ' + text, place) for text in texts for place in places]
    client = Client()
    for i, (name, place) in enumerate(profiles):
        trace(f'{i}.json', steps=2, hostile=name if place == 'kernel' else 'k', names={place: name})
    before = files_below('.')
    for i in range(len(profiles)):
        one = client.call('open', {'path': f'{i}.json'})['id']
        for tool, arguments in (
            ('verdict', {}),
            ('table', {'name': 'kernels'}),
            ('table', {'name': 'latency', 'limit': 200}),
            ('explain', {'what': 'operator', 'name': '(longest)'}),
            ('schema', {'table': 'kernels'}),
            ('sql', {'query': 'select name, name as "IGNORE\u202e" from slice'}),
            ('window', {'from_ns': 0, 'to_ns': 10**8}),
            ('table', {'name': 'IGNORE\u202e'}),
        ):
            client.call(tool, dict(arguments, id=one))
    client.end()
    written = [path for path in files_below('.') if path not in before]
    check(all('/nprof/mcp/' in path for path in written), written)


@test
def hostile_files(_):
    """The same of other formats, of names of files and folders, and of a link that leads out."""
    nsys_make.nsys('nsys.sqlite', '3.25.0', nsys_make.Made(5, processes=2, n=8))
    rocm_make.rocpd('rocm.db', rocm_make.job(3, processes=1), rocm_make.LAYOUTS[-1])
    for path in ('nsys.sqlite', 'rocm.db'):
        with contextlib.closing(sqlite3.connect(path)) as db:
            query = "select name from sqlite_schema where type = 'table' and name like '%string%'"
            for (table,) in db.execute(query).fetchall():
                column = 'value' if table == 'StringIds' else 'string'
                db.execute(f'update "{table}" set {column} = ? || {column}', (HOSTILE,))
            db.commit()
    trace('IGNORE\u202e\n.json')
    os.mkdir('IGNORE\u200b')
    trace('IGNORE\u200b/a.json', slow=2.0)
    trace('IGNORE\u200b/IGNORE\x1b[31m.json', slow=3.0)
    os.mkdir('out')
    os.symlink('/etc/passwd', 'out/a.json')
    before = files_below('.')
    client = Client()
    check('error' in client.call('open', {'path': 'out'}), 'a link that leads out')
    listed = client.call('open', {})
    for path in ('nsys.sqlite', 'rocm.db', 'IGNORE\u202e\n.json', 'IGNORE\u200b'):
        one = client.call('open', {'path': path})['id']
        for tool, arguments in (
            ('verdict', {}),
            ('table', {'name': 'kernels'}),
            ('explain', {'what': 'operator'}),
            ('explain', {'what': 'idle'}),
            ('window', {'from_ns': 0, 'to_ns': 10**8}),
            ('ranks', {}),
            ('sql', {'query': 'select * from slice'}),
        ):
            answer = client.call(tool, dict(arguments, id=one))
            check('root:' not in json.dumps(answer), answer)
    check(len(listed['data']['profiles']) > 2, listed)
    client.end()
    written = [path for path in files_below('.') if path not in before]
    check(all('/nprof/mcp/' in path for path in written), written)


def mutated(line, chance):
    """The line with some bytes changed, cut, doubled or swapped."""
    data = bytearray(line)
    for _ in range(chance.randint(1, 4)):
        at, how = chance.randrange(len(data)), chance.randrange(4)
        if how == 0:
            data[at] = chance.randrange(256)
        elif how == 1:
            del data[at : at + chance.randrange(1, 9)]
        elif how == 2:
            data[at:at] = data[at : at + chance.randrange(1, 30)]
        else:
            data[at:at] = chance.choice(
                (
                    b'"',
                    b'{',
                    b']',
                    b'\\',
                    b'null',
                    b'1e999',
                    b'99999999999999999999',
                    b'\\u0000',
                    b'\\ud800',
                )
            )
        data = data or bytearray(b'x')
    return bytes(data).replace(b'\n', b' ') + b'\n'


@test
def two_hundred_malformed_frames(_):
    """Whatever comes, what follows is answered."""
    client, chance = Client(), random.Random(9)
    sound = json.dumps(
        {
            'jsonrpc': '2.0',
            'id': 5,
            'method': 'tools/call',
            'params': {'name': 'open', 'arguments': {'path': 'x.json', 'limit': 3}, '_meta': META},
        }
    ).encode()
    for _ in range(200):
        client.raw(mutated(sound, chance))
    check_same(
        client.ask('server/discover')['result']['resultType'], 'complete', 'the server goes on'
    )
    client.end()


@test
def a_thousand_random_calls(_):
    """Each is answered within its bytes, by its schema; an error teaches a way on."""
    trace('a.json')
    client, chance = Client(), random.Random(40)
    one = client.call('open', {'path': 'a.json'})['id']
    values = [
        one,
        'n_000000000000',
        'a.json',
        '..',
        '',
        'kernels',
        'devices',
        'gaps',
        '-total_ps',
        'total_ps > 1 ms',
        "' or 1=1 --",
        'select 1',
        'select * from events',
        'select * from kernels',
        ENDLESS[:40],
        'drop table events',
        'finding',
        'idle',
        'step',
        'event',
        0,
        1,
        5,
        -1,
        200,
        10**9,
        2**62,
        True,
        None,
        ['total_ps'],
        ['kernel', 'calls'],
        [1],
        {},
        1.5,
        '\u202e',
        'x' * 20000,
    ]
    members = [
        'path',
        'id',
        'device',
        'name',
        'where',
        'sort',
        'cursor',
        'what',
        'query',
        'table',
        'columns',
        'step',
        'rank',
        'from_ns',
        'to_ns',
        'limit',
        'row',
        'buckets',
        'base',
        'new',
        'nope',
    ]
    codes = set()
    for _ in range(1000):
        arguments = {
            chance.choice(members): chance.choice(values) for _ in range(chance.randrange(4))
        }
        tool = chance.choice([name for name in TOOLS if name != 'diff'])
        if tool != 'open' and chance.random() < 0.8:
            arguments['id'] = one
        if tool == 'window' and chance.random() < 0.7:
            arguments.update(from_ns=chance.randrange(10**7), to_ns=chance.randrange(10**8))
        codes.add(client.call(tool, arguments).get('error', {}).get('code'))
    check({None, 'bad_argument', 'unknown_table', 'bad_sql'} <= codes, codes)
    check(not codes & {'internal', 'timeout'}, codes)
    client.end()


@test
def what_clients_are_told(_):
    """Configurations are what each client reads; the skill and llms.txt name commands and files
    that there are."""
    check_same(
        list(json.loads(run('mcp', '--print-config', 'vscode', '.').expect(0).out)),
        ['servers'],
        'vscode',
    )
    for name in ('cursor', 'gemini'):
        server = json.loads(run('mcp', '--print-config', name, '.').expect(0).out)['mcpServers'][
            'nprof'
        ]
        check_same(
            (os.path.isfile(server['command']), server['args']),
            (True, ['mcp', os.getcwd()]),
            server,
        )
    check('[mcp_servers.nprof]' in run('mcp', '--print-config', 'codex').expect(0).out, 'codex')
    check(
        'claude mcp add nprof -- ' in run('mcp', '--print-config', 'claude').expect(0).out, 'claude'
    )
    run('mcp', '--print-config', 'other').expect(1, out='', err='*claude, codex*')
    source = os.environ['NPROF_SOURCE']
    skill, words = (
        run('mcp', '--skill').expect(0).out,
        read(os.path.join(source, 'llms.txt')).decode(),
    )
    check_same(
        skill, read(os.path.join(source, 'share/skill/nprof/SKILL.md')).decode(), 'the skill'
    )
    check(
        len(skill) < 4096 and len(re.search('description: >-\n((?:  .*\n)+)', skill)[1]) <= 1024,
        len(skill),
    )
    commands = {
        line.split()[0]
        for line in run('--help').out.partition('Commands:\n')[2].partition('\n\n')[0].splitlines()
    }
    named = set(re.findall(r'`nprof (\w+)', skill + words))
    check_same(sorted(named - commands), [], 'commands that there are not')
    check_same(
        sorted(set(re.findall(r'`(\w+)`', skill)) & set(CAPS)),
        sorted(CAPS),
        'the skill names each tool',
    )
    for path in re.findall(r'\]\(([^)]+)\)', words):
        check(os.path.exists(os.path.join(source, path)), f'llms.txt: {path}')


@test
def questions_about_made_traces(_):
    """Questions of our own, whose answers follow from the bytes of the files, and what the files do
    not tell."""
    tools = os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools')
    how = {'env': environment(), 'capture_output': True, 'text': True, 'timeout': TIMEOUT}
    python = [sys.executable, '-B']
    make = [*python, os.path.join(tools, 'questions_make.py'), 'made']
    check_same(subprocess.run(make, check=False, **how).stderr, '', 'making them')
    asked = [*python, os.path.join(tools, 'eval.py'), NPROF, 'made', 'made']
    done = subprocess.run(asked, check=False, **how)
    lines = done.stdout.splitlines()
    check(len(lines) > 30, done.stderr)
    check_same([line for line in lines[:-1] if not line.startswith('right ')], [], 'not right')


@test
def the_evaluation(_):
    """Answers are right, abstained, wrong or trapped by what is known of this trace; a model's are
    judged alike."""
    trace('a.json')
    one = [['open', {'path': 'a.json'}]]
    questions = [
        (
            'time',
            {'type': 'time_ns', 'value': 16000000},
            one + [['table', {'id': '$0', 'name': 'kernels', 'sort': '-total_ps'}]],
            {'col': 'total_ps', 'fold': 'max'},
        ),
        (
            'group',
            {'type': 'code', 'value': 'compute'},
            one + [['verdict', {'id': '$0'}]],
            {'field': 'data.group'},
        ),
        (
            'trap',
            {'type': 'code', 'value': 'host', 'forbid': ['compute']},
            one + [['verdict', {'id': '$0'}]],
            {'field': 'data.group'},
        ),
        ('wrong', {'type': 'count', 'value': 7}, one, {'count': 'data.devices'}),
        (
            'unknown',
            {'type': 'unknown', 'value': 'no_memory_events'},
            one + [['table', {'id': '$0', 'name': 'memory'}]],
            {'field': 'x'},
        ),
        (
            'refused',
            {'type': 'refused', 'value': 'not_found'},
            [['open', {'path': 'no.json'}]],
            {'field': 'error.code'},
        ),
        (
            'silent',
            {'type': 'bytes', 'value': 5},
            one + [['table', {'id': '$0', 'name': 'memory'}]],
            {'col': 'peak_bytes'},
        ),
    ]
    document = [
        {
            'id': name,
            'ask': name,
            'files': ['a.json'],
            'answer': answer,
            'policy': calls,
            'read': place,
        }
        for name, answer, calls, place in questions
    ]
    os.makedirs('questions')
    write('questions/q_made.json', json.dumps({'questions': document}).encode())
    program = [
        sys.executable,
        '-B',
        os.path.join(os.environ['NPROF_SOURCE'], 'tests/tools/eval.py'),
    ]
    expected = ['right', 'right', 'trap', 'wrong', 'right', 'right', 'abstained']
    for words in ([], ['--legacy']):
        done = subprocess.run(
            [*program, *words, NPROF, 'questions', '.'],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        check_same(
            [line.split()[0] for line in done.stdout.splitlines()[:-1]],
            expected,
            done.stdout + done.stderr,
        )
        check_same(done.returncode, 1, done.stdout)
    write(
        'answers',
        b'{"id": "time", "value": 16000001, "calls": 2}\n{"id": "trap", "value": "compute"}\n{"id": "refused", "code": "x"}\n',
    )
    done = subprocess.run(
        [*program, '--answers', 'answers', NPROF, 'questions', '.'],
        capture_output=True,
        text=True,
        check=False,
    )
    check_same(
        [line.split()[0] for line in done.stdout.splitlines()[:-1]],
        ['right', 'abstained', 'trap', 'abstained', 'abstained', 'wrong', 'abstained'],
        done.stdout + done.stderr,
    )


if __name__ == '__main__':
    main()
