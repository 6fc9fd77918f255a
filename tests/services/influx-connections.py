# SPDX-License-Identifier: Apache-2.0
"""influx-connections.py - the sink influx over several connections at once: as many as it is told,
none before the server is prepared, all points once, and one failure for all. influx.py has the same
on a real server."""

import threading

from servers import Fault, Stub, trace
from harness import check, check_same, main, run, test

WRITE = '/api/v2/write'
BUCKETS = '/api/v2/buckets'
WAIT_S = 20  # only for what never comes


class Crowd(Stub):
    """The first writes wait for one another, so that so many are in flight."""

    def __init__(self, together, **how):
        super().__init__(**how)
        self.together, self.barrier = together, threading.Barrier(together, timeout=WAIT_S)
        self.writes, self.flying, self.most = 0, 0, 0

    def serve(self, handler):
        if not handler.path.startswith(WRITE):
            super().serve(handler)
            return
        with self.lock:
            self.writes += 1
            self.flying += 1
            self.most = max(self.most, self.flying)
            waits = self.writes <= self.together
        if waits:
            self.barrier.wait()
        super().serve(handler)
        with self.lock:
            self.flying -= 1


def send(stub, path, connections, *options):
    options = [f'url={stub.url}', 'batch=100', f'connections={connections}', *options]
    return run(
        'run', '-v', '-s', 'influx:' + ','.join(options), path, env={'INFLUX_TOKEN': 't0ken'}
    )


def check_events(stub, count):
    check_same(sum(k[0] == 'events' for k in stub.points), count, 'events')


def check_one_failure(result, what):
    """Said once: what the other connections were doing is nobody's concern."""
    result.expect(4, err=what)
    check_same(
        sum('writing' in line or 'creating' in line for line in result.err.splitlines()),
        1,
        'lines that tell of a failure\n' + result.describe(),
    )


@test
def so_many_at_once(_folder):
    path = trace(2000)
    for connections in (1, 2, 4, 16):
        with Crowd(connections) as stub:
            send(stub, path, connections).expect(0, err='*is ready*')
            check_same(stub.most, connections, 'writes in flight')
            check_events(stub, 2000)


@test
def two_when_not_told(_folder):
    path = trace(2000)
    with Crowd(2) as stub:
        run(
            'run', '-s', f'influx:url={stub.url},batch=100', path, env={'INFLUX_TOKEN': 't0ken'}
        ).expect(0)
        check_same(stub.most, 2, 'writes in flight')


@test
def limits(_folder):
    for connections in (0, 17):
        run('run', '-s', f'influx:connections={connections}', trace(1)).expect(
            1, err='*option connections: *1..16'
        )


@test
def prepared_before_anything_is_written(_folder):
    """Once, however long it takes."""
    with Stub(buckets=()) as stub:
        stub.faults[BUCKETS] = [None, Fault(503), Fault(503), Fault(503)]
        send(stub, trace(2000), 4).expect(0, err='*is ready*')
        check_events(stub, 2000)
        posts = [
            path
            for method, path, *_ in stub.requests
            if method == 'POST' and path in (BUCKETS, WRITE)
        ]
        check_same(posts[:5], [BUCKETS] * 4 + [WRITE], 'what was asked for first')
        check(BUCKETS not in posts[4:], 'the bucket was made again')


@test
def not_prepared(_folder):
    with Stub(buckets=()) as stub:
        stub.faults[BUCKETS] = [None, Fault(403, '{"message":"not you"}')]
        check_one_failure(send(stub, trace(2000), 4), '*creating the bucket*403: not you*')
        check(
            not any(path == WRITE for _, path, *_ in stub.requests),
            'written, though there is no bucket',
        )


@test
def trouble_of_each(_folder):
    """Answers that ask for another try reach any of the connections; nothing is lost, nothing
    doubled."""
    with Crowd(4) as stub:
        stub.faults[WRITE] = [Fault(503), Fault(0, hang_up=True), Fault(429), Fault(500)] * 4
        send(stub, trace(2000), 4).expect(0, err=['*trying again*', '*is ready*'])
        check_events(stub, 2000)


@test
def away_for_all(_folder):
    """Then what is to be sent waits on disk."""
    with Crowd(2) as stub:
        stub.faults[WRITE] = [Fault(503)] * 8
        send(stub, trace(2000), 2).expect(0, err=['*waited on disk*', '*is ready*'])
        check_events(stub, 2000)


@test
def one_fails_for_all(_folder):
    """Another that is being answered, or waits for the server, does not keep the run."""
    over = threading.Event()
    for other in (Fault(503), Fault(204, hold=over)):
        with Crowd(2) as stub:
            stub.faults[WRITE] = [Fault(400, '{"message":"no such line"}'), *[other] * 1000]
            check_one_failure(
                send(stub, trace(2000), 2, 'timeout=3600'), '*writing*400: no such line*'
            )
            check_same(stub.points, {}, 'points')
            over.set()


@test
def all_fail(_folder):
    """One of them is said, and what the others stored before."""
    with Crowd(4) as stub:
        stub.faults[WRITE] = [None] * 8 + [Fault(413, '{"message":"too large"}')] * 1000
        result = send(stub, trace(2000), 4)
        check_one_failure(result, '*writing*413: too large*lower batch=*')
        result.expect(4, err='* points of profile*were sent before and stay*force=yes*')


if __name__ == '__main__':
    main()
