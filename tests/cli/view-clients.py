# SPDX-License-Identifier: Apache-2.0
"""view-clients.py - many clients of nprof view at once while a profile is read and replaced: each answer is one that the API
knows, and the sanitizers of the build say nothing.

Environment: NPROF_TEST_ALL, 64 clients instead of 8."""

import http.client
import json
import os
import random
import threading

from harness import check, check_same, main, run, sample, test
from viewserver import ORDINARY, Server

CLIENTS, QUESTIONS = (64, 12) if os.environ.get('NPROF_TEST_ALL') else (8, 6)
ABOVE = ('profiles', 'server', 'changes?since=0', f'p/{ORDINARY}', 'p/n_' + '0' * 40)
BELOW = ('profile', 'meta', 'names', 'over', 'strip?pixels=512&q=fusion', 'v?l=23&i=0&lanes=0-13', 'e?row=6.3', 'at?lane=6&t=4000000000', 's?percentiles=1',
         's?by=category&format=bin', 'q?q=fusion&pixels=64', 'flame', 'latency?name=fusion.14', 'gaps', 'steps', 'operators', 'sources', 'line?index=0&lines=60',
         'table/mfu', 'chain?row=9.0&depth=3', 'suggest?prefix=fus', 'near?row=6.3&step=next&of=label', 'edges?tracks=6&t=4000000000&within=1000000', 'links?rows=6.3',
         'roofline', 'critical', 'memory', 'ranks', 'gate?demand=mfu%3E45%25', 'e?row=999.0', 'v?l=99')
KNOWN = {200, 202, 400, 404, 410, 429}


class Client(threading.Thread):
    """Asks at random; what is wrong is kept for the test."""

    def __init__(self, server, number):
        super().__init__()
        self.server, self.random, self.wrong = server, random.Random(number), []

    def ask(self, connection, path, body=None):
        headers = {'X-Nprof-Token': self.server.token, 'Origin': f'http://127.0.0.1:{self.server.port}', 'Content-Type': 'application/json'}
        connection.request('POST' if body else 'GET', '/api/v1/' + path, body=body, headers=headers if body else {})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status not in KNOWN:
            self.wrong.append(f'{path}: {answer.status} {text[:200]}')
        return text

    def question(self, connection):
        generation = json.loads(self.ask(connection, f'p/{ORDINARY}')).get('gen')
        if not generation or self.random.random() < 0.2:
            self.ask(connection, self.random.choice(ABOVE))
        elif self.random.random() < 0.1:
            self.ask(connection, f'p/{ORDINARY}/{generation}/sql', json.dumps({'text': 'select name, count(*) from events group by 1'}))
        else:
            self.ask(connection, f'p/{ORDINARY}/{generation}/{self.random.choice(BELOW)}')

    def run(self):
        connection = http.client.HTTPConnection('127.0.0.1', self.server.port, timeout=300)
        try:
            for _ in range(QUESTIONS):
                self.question(connection)
        except Exception as error:  # pylint: disable=broad-except
            self.wrong.append(repr(error))
        finally:
            connection.close()


@test
def clients_while_a_profile_is_read(_):
    run('view', '--ingest-only', sample()).expect(0)
    # The old one is served until the new one takes its place; 130: it was still being read at the end.
    with Server('--force', sample(), statuses=(0, 130)) as server:
        server.write('POST', f'profiles/{ORDINARY}/tags', {'add': [], 'remove': []})
        clients = [Client(server, number) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        again = server.write('POST', f'profiles/{ORDINARY}/again', {'keep_going': False, 'force': True})
        for client in clients:
            client.join()
        check_same(again['profile'], ORDINARY, 'read once more')
        wrong = [text for client in clients for text in client.wrong]
        check(not wrong, '\n'.join(wrong[:20]))
        server.generation()


if __name__ == '__main__':
    main()
