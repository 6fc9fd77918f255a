# SPDX-License-Identifier: Apache-2.0
"""view-sql.py - route sql of nprof view: the rows that nprof sql prints, limits, what is refused,
errors with their place, and that a query ends when nobody waits for it."""

import contextlib
import glob
import json
import signal
import socket

from harness import check, check_same, main, run, sample, test
from viewserver import ORDINARY, Server

FOREVER = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c'


def ask(server, text, status=200, **more):
    return server.write(
        'POST', f'p/{ORDINARY}/{server.generation()}/sql', {'text': text, **more}, status
    )


@test
def rows_are_those_of_the_terminal(_):
    queries = (
        'select name, count(*) as n, sum(duration_ps) as ps, avg(duration_ps) as mean from events group by name order by name',
        'select * from steps',
        'select name, ts, dur from slice order by ts, dur limit 50',
        'select track, key, value from facts',
        "select x'00ff' as b, null as none, 9223372036854775807 as most, 'ä\"<b>' as t",
    )
    with Server(sample()) as server:
        server.generation()
        for query in queries:
            printed = json.loads(
                run('sql', '--format', 'json', '-e', query, ORDINARY).expect(0).out
            )
            found = ask(server, query)
            names = [c['name'] for c in found['columns']]
            check_same(names, list(printed[0]), f'{query}: columns')
            for mine, wanted in zip(found['rows'], printed, strict=True):
                for column, cell in zip(found['columns'], mine):
                    value = wanted[column['name']]
                    check(
                        cell == value or (column['type'] == 'int64' and cell == str(value)),
                        f'{query}: {column}: {cell} {value}',
                    )
            check(not found['more'], f'{query}: more')


@test
def rows_lead_to_events(_):
    with Server(sample()) as server:
        for query in (
            "select row, name, start_ps from events where name = 'fusion.14'",
            "select row_place (id) as row, name, ts * 1000 from slice where name = 'fusion.14'",
        ):
            answer = ask(server, query)
            check_same(answer['columns'][0], {'name': 'row', 'type': 'string'}, 'the column')
            check(answer['rows'], query)
            for row, name, start in answer['rows']:
                event = server.profile(f'e?row={row}').json()
                check_same(
                    (event['name'], int(event['start']) // 1000),
                    (name, int(start) // 1000),
                    f'{query}: {row}',
                )
        rows = ask(server, "select row, name from events where kind = 'counter' limit 3")['rows']
        check(
            all(server.profile(f'e?row={row}').json()['name'] == name for row, name in rows),
            'counters',
        )


@test
def limits_and_types(_):
    with Server(sample()) as server:
        few, none, all_ = (ask(server, 'select name from events', limit=n) for n in (2, 0, 10000))
        check_same(
            [len(few['rows']), few['more'], len(none['rows']), none['more'], all_['more']],
            [2, True, 0, True, False],
            'limits',
        )
        check_same(all_['rows'][:2], few['rows'], 'the first ones')
        check_same(
            ask(
                server,
                'create temp table t as select 7 as seven; select seven from t; drop table t',
            )['rows'],
            [['7']],
            'several statements',
        )
        types = ask(
            server,
            "select duration_ps, value, name, 1.5, 'a' from events where kind = 'fact' limit 1",
        )['columns']
        check_same(
            [c['type'] for c in types],
            ['int64', 'double', 'string', 'double', 'string'],
            'types, also without values',
        )
        large = ask(
            server,
            "with recursive c(x) as (select 1 union all select x + 1 from c limit 9000) select x, printf('%.*c', 4000, 'x') from c",
            limit=10000,
        )
        check(large['more'] and 3000 < len(large['rows']) < 5000, 'an answer of 16 MB')
        answer = server.ask(
            'POST',
            f'/api/v1/p/{ORDINARY}/{server.generation()}/sql',
            body=b'{"text": "select 1"}',
            headers={
                'X-Nprof-Token': server.token,
                'Origin': f'http://127.0.0.1:{server.port}',
                'Content-Type': 'application/json',
            },
        )
        check_same(
            (answer.headers['cache-control'], 'etag' in answer.headers),
            ('no-store', False),
            'it is not kept',
        )


@test
def errors_have_their_place(_):
    with Server(sample()) as server:
        wrong = ask(server, 'select name,\n  nme from events', 400)['error']
        check_same((wrong['at'], 'line 2, column 3' in wrong['text']), (15, True), f'{wrong}')
        wide = ask(server, "select 'ä€', nme", 400)['error']
        check_same(wide['at'], 13, f'characters, not bytes: {wide}')
        for text in ('', ';', 'create temp table t (a)', '-- nothing'):
            check('no statement' in ask(server, text, 400)['error']['text'], text)
        ask(server, 'select 1', 400, limit=-1)
        ask(server, 'select 1', 400, limit=10001)
        server.write('POST', f'p/{ORDINARY}/{server.generation()}/sql', {'limit': 1}, 400)


@test
def it_only_reads(_):
    with Server(sample()) as server:
        for text in (
            "attach '/etc/passwd' as x",
            'create table t (a)',
            'delete from events',
            'pragma writable_schema = 1',
            "select load_extension('x')",
            "vacuum into '/tmp/x'",
            'drop table events',
        ):
            check(ask(server, text, 400)['error']['text'], text)
        refused = server.ask(
            'POST', f'/api/v1/p/{ORDINARY}/{server.generation()}/sql', body=b'{"text": "select 1"}'
        )
        check_same(refused.status, 403, 'without the token')


@test
def a_query_ends_with_its_client(_):
    """Without that the server would not end before its time limit."""
    with Server(sample()) as server:
        request = request_of(server, FOREVER)
        clients = []
        for _ in range(4):
            client = socket.create_connection(('127.0.0.1', server.port))
            client.sendall(request)
            clients.append(client)
        check_same(ask(server, 'select 2')['rows'], [['2']], 'beside them')
        for client in clients[:2]:
            client.close()
        while len(connections(server)) > 2:
            pass  # the two threads end
        for client in clients[2:]:
            client.close()  # or with the server, which does not wait for them


# A call of SQLite that answers to no interrupt, and takes hours: 3 MB are looked for at 3 million
# places.
STUCK = "select instr(a || a || 'c', a || 'b') from (select replace(hex(zeroblob(3000000)), '0', 'a') as a)"


@test
def no_statement_goes_beyond_the_limits(_):
    """A5: a value of 16 MB, an answer of 16 MB; a refused one leaves nothing in the server."""
    with Server(sample()) as server:
        for text in (
            'select zeroblob(900000000)',
            'select hex(zeroblob(900000000))',
            "select printf('%.*c', 17000000, 'x')",
            "select format('%17000000d', 1)",
            'select group_concat(hex(zeroblob(4000000))) from (select 1 from events limit 5)',
        ):
            check('16 MB' in ask(server, text, 400)['error']['text'], text)
        check_same(
            ask(
                server,
                "select printf('%5.1f|%s', 1.25, 'a'), printf(''), printf(NULL), format('%d%%', 7)",
            )['rows'],
            [['  1.3|a', None, None, '7%']],
            'printf',
        )
        check(
            'first row' in ask(server, 'select zeroblob(9000000)', 400)['error']['text'],
            'a row of 18 MB of hex',
        )
        whole = ask(server, 'select zeroblob(6000000) from events limit 2', limit=10)
        check_same((len(whole['rows']), whole['more']), (1, True), 'rows as far as 16 MB go')
        huge = ask(
            server,
            'with recursive c(n) as (select 1 union all select n + 1 from c limit 90) select count(*) from '
            '(select x, row_number() over (order by n) from (select n, n || hex(zeroblob(4000000)) as x from c)) where length(x) > 1',
            400,
        )['error']['text']
        check('512 MB' in huge, huge)
        with open(f'/proc/{server.process.pid}/status', encoding='ascii') as file:
            most = [int(line.split()[1]) for line in file if line.startswith('VmHWM')][0]
        check(most < 200 << 10, f'the server had {most} KB')


@test
def a_stuck_call_ends_with_its_client_and_with_the_server(_):
    with Server(sample()) as server:
        for goes in (True, False):
            client = socket.create_connection(('127.0.0.1', server.port))
            client.sendall(request_of(server, STUCK))
            while not (children := children_of(server)):
                pass
            while all(0 <= ticks_of(child) < 100 for child in children):
                pass  # after a second of work it is within that call
            if goes:
                client.close()
            else:
                server.process.send_signal(signal.SIGTERM)
                server.process.wait(timeout=60)
            while any(ticks_of(child) >= 0 for child in children):
                pass  # the statement ends


def ticks_of(process):
    """How long a process has worked; -1: it has ended."""
    try:
        with open(f'/proc/{process}/stat', encoding='ascii') as file:
            words = file.read().rsplit(')', 1)[1].split()
        return -1 if words[0] == 'Z' else int(words[11])
    except OSError:
        return -1


def children_of(server):
    found = []
    for task in glob.glob(f'/proc/{server.process.pid}/task/*/children'):
        with contextlib.suppress(OSError), open(task, encoding='ascii') as file:
            found += file.read().split()
    return found


def request_of(server, text):
    ask(server, 'select 1')  # learns the token
    body = json.dumps({'text': text}).encode()
    return (
        f'POST /api/v1/p/{ORDINARY}/{server.generation()}/sql HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n'
        f'Origin: http://127.0.0.1:{server.port}\r\nX-Nprof-Token: {server.token}\r\nContent-Type: application/json\r\n'
        f'Content-Length: {len(body)}\r\n\r\n'
    ).encode() + body


def connections(server):
    """Sockets of the server that have a peer and are in use by a request that runs."""
    with open(f'/proc/{server.process.pid}/net/tcp', encoding='ascii') as file:
        mine = [line.split() for line in file.readlines()[1:]]
    port = f'{server.port:04X}'
    return [one for one in mine if one[1].endswith(':' + port) and one[3] in ('01', '08')]


if __name__ == '__main__':
    main()
