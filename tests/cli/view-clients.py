# SPDX-License-Identifier: Apache-2.0
"""view-clients.py - many clients of nprof view at once while a profile is read and replaced: each
answer is one that the API knows, and the sanitizers of the build say nothing.

Environment: NPROF_TEST_ALL, 64 clients instead of 8."""

import http.client
import json
import os
import random
import threading
import time

from harness import check, check_same, main, run, sample, test
from viewserver import ORDINARY, Server, page_token

IDLE = 9  # seconds; after ten the server closes a connection of which nothing came
CLIENTS, QUESTIONS = (64, 12) if os.environ.get('NPROF_TEST_ALL') else (8, 6)
ABOVE = ('profiles', 'server', 'changes?since=0', f'p/{ORDINARY}', 'p/n_' + '0' * 40)
BELOW = (
    'profile',
    'meta',
    'names',
    'over',
    'strip?pixels=512&q=fusion',
    'v?l=23&i=0&lanes=0-13',
    'e?row=6.3',
    'at?lane=6&t=4000000000',
    's?percentiles=1',
    's?by=category&format=bin',
    'q?q=fusion&pixels=64',
    'flame',
    'latency?name=fusion.14',
    'gaps',
    'steps',
    'operators',
    'sources',
    'line?index=0&lines=60',
    'table/mfu',
    'chain?row=9.0&depth=3',
    'suggest?prefix=fus',
    'near?row=6.3&step=next&of=label',
    'edges?tracks=6&t=4000000000&within=1000000',
    'links?rows=6.3',
    'roofline',
    'critical',
    'memory',
    'ranks',
    'gate?demand=mfu%3E45%25',
    'e?row=999.0',
    'v?l=99',
)
KNOWN = {200, 202, 400, 404, 410, 429}


class Client(threading.Thread):
    """A page that asks at random until another generation than `old` is served, and QUESTIONS at
    least; what is wrong is kept for the test."""

    def __init__(self, server, number, old):
        super().__init__()
        self.port, self.random, self.old, self.replaced, self.wrong = (
            server.port,
            random.Random(number),
            old,
            False,
            [],
        )
        self.headers = {
            'Origin': f'http://127.0.0.1:{self.port}',
            'Content-Type': 'application/json',
        }
        self.begun = (
            time.monotonic()
        )  # to connect or to ask: the server cannot have waited for longer

    def send(self, path, body=None):
        """The answer. On a busy machine the server has waited for too long at times: then this asks
        again, as browsers do."""
        while True:
            before, self.begun = self.begun, time.monotonic()
            try:
                self.connection.request(
                    'POST' if body else 'GET', path, body=body, headers=self.headers if body else {}
                )
                return self.connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionError):
                if time.monotonic() - before < IDLE:
                    raise
                self.connection.close()

    def ask(self, path, body=None):
        answer = self.send('/api/v1/' + path, body)
        text = answer.read()
        if answer.status not in KNOWN and not (
            answer.status == 503 and b'queries run already' in text
        ):
            self.wrong.append(f'{path}: {answer.status} {text[:200]}')
        return text

    def question(self):
        head = json.loads(self.ask(f'p/{ORDINARY}'))
        generation = head['gen']
        check(
            head['profile']['status'] in ('ready', 'reading'),
            f'it is neither served nor read: {head}',
        )
        self.replaced = generation not in (None, self.old)
        if not generation or self.random.random() < 0.2:
            self.ask(self.random.choice(ABOVE))
        elif self.random.random() < 0.1:
            self.ask(
                f'p/{ORDINARY}/{generation}/sql',
                json.dumps({'text': 'select name, count(*) from events group by 1'}),
            )
        else:
            self.ask(f'p/{ORDINARY}/{generation}/{self.random.choice(BELOW)}')

    def load_page(self):
        self.headers['X-Nprof-Token'] = page_token(self.send('/').read().decode())

    def run(self):
        self.connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=300)
        try:
            self.load_page()
            self.first()
            asked = 0
            while asked < QUESTIONS or not self.replaced:
                self.question()
                asked += 1
        except Exception as error:  # pylint: disable=broad-except
            self.wrong.append(
                f'{error!r} {time.monotonic() - self.begun:.1f} s after it began to ask'
            )
        finally:
            self.connection.close()

    def first(self):
        pass


class ReadsAgain(Client):
    """The one of the clients whose user has the profile read once more."""

    def first(self):
        again = json.loads(
            self.ask(f'profiles/{ORDINARY}/again', json.dumps({'keep_going': False, 'force': True}))
        )
        check_same(again['profile'], ORDINARY, 'read once more')


def ask_until_replaced(clients):
    """The clients hold all connections that the server allows a peer, so the test itself has none
    meanwhile."""
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    wrong = [text for client in clients for text in client.wrong]
    check(not wrong, '\n'.join(wrong[:20]))


def stored_generation():
    with Server() as server:
        return server.generation()


@test
def clients_while_a_profile_is_read(_):
    run('view', '--ingest-only', sample()).expect(0)
    old = stored_generation()
    with Server(
        '--force', sample()
    ) as server:  # the old one is served until the new one takes its place
        ask_until_replaced([Client(server, number, old) for number in range(CLIENTS)])


@test
def clients_while_one_of_them_has_it_read_again(_):
    run('view', '--ingest-only', sample()).expect(0)
    old = stored_generation()
    with Server() as server:
        ask_until_replaced(
            [ReadsAgain(server, 0, old)]
            + [Client(server, number, old) for number in range(1, CLIENTS)]
        )


if __name__ == '__main__':
    main()
