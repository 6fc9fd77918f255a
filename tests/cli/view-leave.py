# SPDX-License-Identifier: Apache-2.0
"""view-leave.py - long work whose clients have gone is ended; while one of them asks, it goes on.

The nprof that works is stopped by a signal, so that it lasts as long as a test needs it to: then
SIGTERM stays pending, which the kernel tells. The server's clock stands still but where a test
moves it. An analyzer of a third party has each window analyzed in a process of its own."""

import contextlib
import os
import signal
import threading
import time

from harness import check, check_same, main, sample, test, write
from viewserver import Server

PATIENCE = 10  # seconds, as docs/formats/view-api.md says
RUSH = 2


class Clock:
    def __init__(self):
        self.path = os.path.abspath('clock')
        self.set(1000)

    def set(self, seconds):
        self.seconds = seconds
        os.replace(write('clock.new', str(int(seconds * 1e6))), self.path)

    def go(self, seconds):
        self.set(self.seconds + seconds)


def children(pid):
    """Processes that a server has started, which analyze."""
    found = []
    for name in os.listdir('/proc'):
        try:
            with open(f'/proc/{name}/stat', 'rb') as file:
                parent = int(file.read().rpartition(b')')[2].split()[1])
            with open(f'/proc/{name}/cmdline', 'rb') as file:
                words = file.read().split(b'\0')
        except (OSError, ValueError):
            continue
        if parent == pid and b'run' in words:
            found.append(int(name))
    return found


def is_told_to_end(pid):
    """Also of one that was killed, since it did not end by itself."""
    try:
        if state_of(pid) in 'ZX':
            return True
        with open(f'/proc/{pid}/status', encoding='ascii') as file:
            pending = next(line.split()[1] for line in file if line.startswith('ShdPnd'))
    except (ProcessLookupError, FileNotFoundError):
        return True
    return bool(int(pending, 16) >> (signal.SIGTERM - 1) & 1)


def stop(pid):
    """Stops a process; False: it had ended before."""
    try:
        os.kill(pid, signal.SIGSTOP)
        return wait_for('a stop', lambda: state_of(pid) in 'TZX' and state_of(pid)) == 'T'
    except (ProcessLookupError, FileNotFoundError):
        return False


def state_of(pid):
    with open(f'/proc/{pid}/stat', 'rb') as file:
        return file.read().rpartition(b')')[2].split()[0].decode()


def wait_for(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while not (value := condition()):
        check(time.monotonic() < until, f'waited for {what}')
        time.sleep(0.005)
    return value


def question(server, number):
    return f'/api/v1/p/{server.known}/{server.generation()}/gaps?t0=0&t1={number}'


@contextlib.contextmanager
def serving():
    """A server with a clock; whatever happens, what was stopped goes on, so that the server can
    end."""
    clock = Clock()
    env = {'NPROF_TEST_CLOCK': clock.path, 'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS']}
    with Server('-a', 'extent', sample(), env=env) as server:
        server.known = server.lines[0].rstrip().rpartition('/')[2]
        server.clock = clock
        try:
            yield server
        finally:
            for pid in children(server.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


class Work:
    """One question of a window whose nprof is held; the server answers 202."""

    def __init__(self, server, number):
        self.server, self.limit = server, number
        while not self.hold():  # one that was done before it could be held: another limit
            self.limit += 100
        self.id = self.answer.json()['job']

    def hold(self):
        self.path = question(self.server, self.limit)
        before = set(children(self.server.process.pid))
        asker = threading.Thread(target=self.ask)
        asker.start()
        self.pid = wait_for(
            'an analysis or its answer',
            lambda: next(iter(set(children(self.server.process.pid)) - before), None)
            or not asker.is_alive()
            and self.ask().status == 200
            and -1,
        )
        held = self.pid > 0 and stop(self.pid)
        asker.join()
        return held and self.answer.status == 202

    def ask(self):
        self.answer = self.server.ask('GET', self.path)
        return self.answer

    def go_on(self):
        os.kill(self.pid, signal.SIGCONT)


def told(works):
    return [is_told_to_end(work.pid) for work in works]


@test
def nobody_asks_any_more(_):
    """The second was asked for while the first waited: it is ended in its turn, not with the
    other."""
    with serving() as server:
        works = [Work(server, 1000)]
        server.clock.go(PATIENCE - 1)
        works.append(Work(server, 1001))
        check_same(told(works), [False, False], 'told to end before its time')
        server.clock.go(1.5)
        wait_for('the end of the first', lambda: told(works)[0])
        check_same(told(works), [True, False], 'told to end while its client may ask again')
        server.clock.go(PATIENCE)
        wait_for('the end of the second', lambda: told(works)[1])
        for work in works:
            work.go_on()
            wait_for('its end', lambda: work.pid not in children(server.process.pid))
            # Who asks now has it begun anew, and gets the answer.
            check_same(server.get(work.path).json()['t1'], str(work.limit), 'the answer')


@test
def one_of_two_still_asks(_):
    with serving() as server:
        work, left = Work(server, 2000), Work(server, 2001)
        ids = {work.id, work.ask().json()['job']}  # the first of both asks no more
        for _ in range(4):
            server.clock.go(0.9 * PATIENCE)
            ids.add(work.ask().json()['job'])
        check_same(ids, {work.id}, 'jobs')
        wait_for('the end of that which nobody asks for', lambda: is_told_to_end(left.pid))
        check(not is_told_to_end(work.pid), 'it was told to end')
        work.go_on()
        check_same(server.get(work.path).json()['t1'], str(work.limit), 'the answer')


@test
def others_wait_for_the_place(_):
    """Four may run: the one that is asked for no more makes room for the fifth, before its time;
    those that are stay."""
    with serving() as server:
        works = [Work(server, 3000 + number) for number in range(4)]
        fifth = question(server, 3004)
        server.clock.go(RUSH)
        check_same(server.ask('GET', fifth).status, 429, 'status of the fifth')
        check_same(told(works), [False] * 4, 'told to end')
        for work in works[1:]:
            work.ask()
        server.clock.go(0.1)
        check_same(server.ask('GET', fifth).status, 429, 'status of the fifth')
        wait_for('the end of the first', lambda: is_told_to_end(works[0].pid))
        check_same(told(works), [True, False, False, False], 'told to end')
        works[0].go_on()
        wait_for('the answer', lambda: server.ask('GET', fifth).status == 200)
        for work in works[1:]:
            work.go_on()
            check_same(server.get(work.path).status, 200, 'status')


@test
def a_server_that_ends(_):
    """It ends what it began, also what nobody waits for."""
    with serving() as server:
        work = Work(server, 4000)
        server.process.send_signal(signal.SIGINT)
        wait_for('the signal', lambda: is_told_to_end(work.pid))
        work.go_on()
        server.process.wait(timeout=60)


if __name__ == '__main__':
    main()
