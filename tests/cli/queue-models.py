# SPDX-License-Identifier: Apache-2.0
"""queue-models.py - what must hold of the critical path of any program: random models of a host
that works, launches, copies, synchronises and makes streams wait for each other, on one to three
streams in order. The truth is the model itself, which runs here a second time with a host that
takes no time. NPROF_TEST_ALL: ten thousand models."""

import json
import os
import random

from harness import check, check_same, main, run, test

MODELS = 10000 if os.environ.get('NPROF_TEST_ALL') == '1' else 150
A_RUN = 100  # models
US = 10**6  # ps
BLOCKING = ('cudaMemcpyAsync', 'cudaDeviceSynchronize')
HOST = ('host_op', 'host_api', 'host_gap', 'sync_return', 'sync_other')


class Model:
    """Runs a program; times in us. A work is (stream, start, end, number of its call), a call
    (name, start, end)."""

    def __init__(self, program, takes_time=True):
        self.takes_time = takes_time
        self.now, self.free, self.wait = 0, {}, {}
        self.works, self.calls, self.operators = [], [], []
        for what, *arguments in program:
            getattr(self, what)(*arguments)

    def spent(self, us):
        return us if self.takes_time else 0

    def call(self, name, end):
        self.calls.append((name, self.now, end))
        self.now = end

    def ready(self, stream, at):
        return max(at, self.free.get(stream, 0), self.wait.pop(stream, 0))

    def put(self, stream, start, length):
        self.works.append((stream, start, start + length, len(self.calls)))
        self.free[stream] = start + length

    def operator(self, us):
        if self.spent(us):
            self.operators.append((self.now, self.now + us))
        self.now += self.spent(us)

    def launch(self, stream, us):
        self.put(stream, self.ready(stream, self.now + self.spent(2)), us)
        self.call('cudaLaunchKernel', self.now + self.spent(2))

    def copy(self, stream, us, behind):
        """Of memory that is not pinned: the call ends when the copy has, which begins some us
        behind the work before it."""
        start = max(self.ready(stream, self.now + self.spent(1)), self.free.get(stream, 0) + behind)
        self.put(stream, start, us)
        self.call('cudaMemcpyAsync', start + us + self.spent(1))

    def synchronise(self):
        self.call('cudaDeviceSynchronize', max([self.now + self.spent(1), *self.free.values()]))

    def event(self, stream, other):
        if stream != other:
            self.wait[stream] = max(self.wait.get(stream, 0), self.free.get(other, 0))


def program_of(rng):
    streams, host, device = (
        rng.choice((1, 1, 2, 3)),
        rng.choice((1, 5, 40)),
        rng.choice((2, 10, 60)),
    )
    program = []
    for _ in range(rng.randint(3, 60)):
        stream, what = rng.randrange(streams), rng.random()
        if what < 0.35:
            program.append(('operator', rng.randint(1, host)))
        elif what < 0.8:
            program.append(('launch', stream, rng.randint(1, device)))
        elif what < 0.88:
            program.append(('copy', stream, rng.randint(1, 5), rng.choice((0, 1, 3, 5))))
        elif what < 0.94:
            program.append(('synchronise',))
        else:
            program.append(('event', stream, rng.randrange(streams)))
    return streams, program + [('launch', 0, 5), ('synchronise',)]


def trace_of(model, framed):
    """As Kineto writes it; framed: with a frame of Python and an annotation that run to the end of
    the file and beyond."""
    events = [('aten::op', 'cpu_op', 9, 9, start, end, {}) for start, end in model.operators]
    of_call = {call: work for work, (*_, call) in enumerate(model.works)}
    for n, (name, start, end) in enumerate(model.calls):
        args = {'correlation': n + 1} if n in of_call or name in BLOCKING else {}
        events.append((name, 'cuda_runtime', 9, 9, start, end, args))
    for stream, start, end, call in model.works:
        copies = model.calls[call][0] == 'cudaMemcpyAsync'
        name = 'Memcpy DtoH (Device -> Pageable)' if copies else f'kernel_{(end - start) % 5}'
        args = {'device': 0, 'stream': stream, 'correlation': call + 1}
        events.append((name, 'gpu_memcpy' if copies else 'kernel', 0, stream, start, end, args))
    if framed:
        events.append(('threading.py(1): wait', 'python_function', 9, 9, 3, 10**9, {}))
        events.append(('forward', 'user_annotation', 9, 9, 0, 10**9, {}))
    keys = ('name', 'cat', 'pid', 'tid', 'ts', 'dur', 'args')
    return {
        'traceEvents': [
            dict(zip(keys, (*event[:5], event[5] - event[4], event[6])), ph='X') for event in events
        ]
    }


def covered(spans, start, end):
    """How much of start..end some of the spans covers."""
    total, at = 0, start
    for a, b in sorted(spans):
        a, b = max(a, at), min(b, end)
        total += max(0, b - a)
        at = max(at, b)
    return total


def queued(model):
    """Works that had been launched before the work ahead of them on their stream had ended."""
    last, found = {}, []
    for stream, start, end, call in model.works:
        name, begins, returns = model.calls[call]
        ready = begins if name in BLOCKING else returns
        if stream in last and ready <= last[stream] and ready <= start:
            found.append((start, end))
        last[stream] = end
    return found


def waited_for(model, call):
    """Works that a blocking call waits for."""
    name, start, end = model.calls[call]
    own = [(a, b) for _, a, b, n in model.works if n == call]
    if name == 'cudaMemcpyAsync':
        return own
    return [(a, b) for _, a, b, n in model.works if model.calls[n][1] < start and b <= end]


def check_model(streams, program, row, path, where):
    model, free = Model(program), Model(program, takes_time=False)
    start, end = row['start_ps'] // US, (row['start_ps'] + row['duration_ps']) // US
    works = [(a, b) for _, a, b, _ in model.works]
    exposed = row['host_ps'] + row['launch_ps']
    at = row['start_ps']
    for part in path:
        check_same(part['start_ps'], at, f'{where}: segments lie one behind the other')
        at += part['duration_ps']
    check_same(at, row['start_ps'] + row['duration_ps'], f'{where}: and cover the window')
    groups = (
        'host',
        'launch',
        'compute',
        'communication',
        'copy',
        'queue',
        'unknown',
        'unrecorded',
    )
    check_same(sum(row[f'{g}_ps'] for g in groups), row['duration_ps'], f'{where}: classes')
    busy = covered(works, start, end)
    check(exposed <= (end - start - busy) * US, f'{where}: host {exposed} beside {busy} us of work')
    ahead = covered(queued(model), start, end)
    check(exposed <= (end - start - ahead) * US, f'{where}: host {exposed}, {ahead} us were queued')
    for part in path:
        if part['class'] not in HOST or part['name'] not in BLOCKING:
            continue
        a, b = part['start_ps'] // US, (part['start_ps'] + part['duration_ps']) // US
        for n, (name, begins, returns) in enumerate(model.calls):
            if name == part['name'] and begins < b and a < returns:
                inside = covered(waited_for(model, n), max(a, begins), min(b, returns))
                check_same(inside, 0, f'{where}: on {name} while its work runs')
    gain = max(b for _, b in works) - max(b for _, _, b, _ in free.works)
    unseen = any(what == 'event' and of[0] != of[1] for what, *of in program)
    check(
        row['host_raw_ps'] or gain <= start or unseen,
        f'{where}: no host on the path, and without it {gain} less',
    )  # the path begins with the first work of the device; a wait of one stream for another, of
    # which the trace has no row, is none that it could go by
    idle = end - busy  # from the beginning of the program on
    check(streams > 1 or gain <= idle, f'{where}: a gain of {gain}, and {idle} us are idle')


def paths_of(paths):
    """{file: (row of critical, its segments)}"""
    out = (
        run(
            'run',
            '-q',
            '-a',
            'critical',
            '-s',
            'text:format=json,top=0,tables=critical+critical_path',
            '-o',
            '-',
            *paths,
        )  # fmt: skip
        .expect(0)
        .out
    )
    made = {
        t['name']: [dict(zip(t['columns'], row)) for row in t['rows']]
        for t in json.loads(out)['tables']
    }
    found = {row['input']: (row, []) for row in made['critical']}
    for part in made['critical_path']:
        found[part['input']][1].append(part)
    return found


@test
def invariants_of_random_models(_folder):
    rng = random.Random(int(os.environ.get('NPROF_TEST_SEED', '7')))
    for first in range(0, MODELS, A_RUN):
        programs = {}
        for n in range(first, min(first + A_RUN, MODELS)):
            programs[n] = program_of(rng)
            for framed in (False, True):
                with open(f'{n}-{framed}.json', 'w', encoding='utf-8') as file:
                    json.dump(trace_of(Model(programs[n][1]), framed), file)
        files = {framed: [f'{n}-{framed}.json' for n in programs] for framed in (False, True)}
        plain, framed = paths_of(files[False]), paths_of(files[True])
        for n, (streams, program) in programs.items():
            row, path = plain[f'{n}-False.json']
            check_model(streams, program, row, path, f'model {n}: {program}')
            segments = [
                [(p['start_ps'], p['duration_ps'], p['class'], p['name']) for p in found]
                for found in (path, framed[f'{n}-True.json'][1])
            ]
            check_same(segments[1], segments[0], f'model {n}: frames and annotations: {program}')
        for names in files.values():
            for name in names:
                os.remove(name)


main()
