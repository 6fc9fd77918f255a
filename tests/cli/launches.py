# SPDX-License-Identifier: Apache-2.0
"""launches.py - several calls of one correlation id: work is that of the last that began no later
than it, else of the first. All analyzers that ask for the launch of work say the same, beside a
plain search through all calls."""

import csv
import io
import json
import random
from collections import Counter

from harness import add_test, check, check_same, main, run, write

PHASES = ('step[EXTEND bs=1 toks=9]', 'step[DECODE bs=1]')


def table(path, analyzer, name, batch):
    out = (
        run(
            'run',
            '-a',
            analyzer,
            '-s',
            f'csv:table={name}',
            '-o',
            '-',
            path,
            env={'NPROF_BATCH_ROWS': batch},
        )
        .expect(0)
        .out
    )
    return list(csv.DictReader(io.StringIO(out)))


def row(category, name, start, end, **more):
    return {
        'ph': 'X',
        'cat': category,
        'name': name,
        'ts': start,
        'dur': end - start,
        'pid': 9,
        'tid': 9,
        **more,
    }


class Job:
    """Calls k of few ids, each in an operator, a module and a step of its own; work of two GPUs,
    each with a name of its own, that begins behind its call, or before it where the clock of the
    host is late by so much.
    """

    def __init__(self, rng, ids, late, phases=False):
        self.calls, self.work, self.events = [], [], []
        times = iter(sorted(rng.sample(range(10, 40_000), 400)))
        for k in range(40):
            at = 1000 * (k + 1) + late
            self.calls.append((at + 30, rng.randrange(1, ids + 1)))
            self.events += [
                row(
                    'user_annotation',
                    PHASES[k % 2] if phases else f'ProfilerStep#{k}',
                    at,
                    at + 900,
                ),
                row('python_function', f'nn.Module: M_{k}', at + 10, at + 200),
                row('cpu_op', f'op-{k}', at + 20, at + 60),
                row(
                    'cuda_runtime',
                    'cudaLaunchKernel',
                    at + 30,
                    at + 50,
                    args={'correlation': self.calls[-1][1]},
                ),
            ]
        for k in range(100):
            start = next(times)
            self.work.append((start, start + rng.randrange(1, 80), rng.randrange(1, ids + 2), k))
            gpu = rng.randrange(2)
            self.events.append(
                row(
                    'kernel',
                    f'k{k}',
                    *self.work[-1][:2],
                    pid=gpu,
                    tid=7,
                    args={'device': gpu, 'stream': 7, 'correlation': self.work[-1][2]},
                )
            )
        rng.shuffle(self.events)

    def launch(self, work):
        """The number of the call; None: no call has that id."""
        own = [(at, k) for k, (at, of) in enumerate(self.calls) if of == work[2]]
        before = [call for call in own if call[0] <= work[0]]
        return (max(before) if before else min(own))[1] if own else None


def expect(job, path, batch):
    launch = {f'k{work[3]}': job.launch(work) for work in job.work}
    operators = {kernel: '' if k is None else f'op-{k}' for kernel, k in launch.items()}
    known = {kernel: k for kernel, k in launch.items() if k is not None}
    check_same(
        {r['operator']: r['launcher'] for r in table(path, 'operators', 'operators_linked', batch)},
        operators,
        'operators_linked',
    )
    stacks = [r['stack'].split(';') for r in table(path, 'flame:weight=device', 'stacks', batch)]
    check_same(
        {s[-1]: s[-3] if 'cudaLaunchKernel' in s else '' for s in stacks}, operators, 'flame'
    )
    late = sum(
        int(r['late_rows']) for r in table(path, 'samples', 'samples', batch)
    )  # of steps that are complete
    places = {
        r['kernel']: (r['operator'], r['module'])
        for r in table(path, 'samples:modules=yes', 'kernel_places', batch)
    }
    check_same(
        places,
        {kernel: (f'op-{known[kernel]}', f'nn.Module: M_{known[kernel]}') for kernel in places},
        'samples',
    )
    check_same(len(places) + late, len(known), 'rows of samples')
    of_samples = {r['kernel']: r['step'] for r in table(path, 'samples', 'kernel_steps', batch)}
    check_same(
        of_samples,
        {kernel: f'ProfilerStep#{known[kernel]}' for kernel in places},
        'steps of samples',
    )
    times = Counter()
    for start, end, _, k in job.work:
        times[launch[f'k{k}']] += end - start
    modules = Counter()
    for r in table(path, 'modules', 'modules', batch):
        modules[r['module']] += int(float(r['device_ns'] or 0)) // 1000
    check_same(
        {m: time for m, time in modules.items() if m.startswith('M_') and time},
        {f'M_{k}': time for k, time in times.items() if k is not None},
        'modules',
    )
    steps = Counter()
    for r in table(path, 'steps', 'step_breakdown', batch):
        steps[r['step']] += int(r['rows'])
    check_same(+steps, Counter(f'ProfilerStep#{k}' for k in known.values()), 'steps')
    events = (
        run('run', '-s', 'csv:table=events', '-o', '-', path, env={'NPROF_BATCH_ROWS': batch})
        .expect(0)
        .out
    )
    of_decoder = {
        r['name']: r['step'] for r in csv.DictReader(io.StringIO(events)) if r['name'] in known
    }
    check_same(of_decoder, {kernel: str(k) for kernel, k in known.items()}, 'steps of events')


def add_job(seed, ids, late):
    def test_job(_folder):
        job = Job(random.Random(seed), ids, late)
        path = write('job.json', json.dumps({'traceEvents': job.events}))
        again = Counter(of for _, of in job.calls)
        check(max(again.values()) > 1, 'no id comes again')
        for batch in '1', '4096':
            expect(job, path, batch)

    add_test(f'{ids} ids, the host {late} us late, seed {seed}', test_job)


def add_phases(seed, late):
    def test_phases(_folder):
        job = Job(random.Random(seed), 5, late, phases=True)
        path = write('phases.json', json.dumps({'traceEvents': job.events}))
        gpus = {e['name']: e['pid'] for e in job.events if e['cat'] == 'kernel'}
        moments = {}
        for work in job.work:
            k = job.launch(work)
            phase = 'none' if k is None else ('prefill', 'decode')[k % 2]
            moments.setdefault((phase, f"GPU {gpus[f'k{work[3]}']}"), set()).update(
                range(*work[:2])
            )
        found = {
            (r['phase'], r['device']): float(r['busy_ns']) / 1000
            for r in table(path, 'phases', 'phases', '1')
        }
        check_same(
            {key: busy for key, busy in found.items() if busy},
            {key: len(at) for key, at in moments.items()},
            'busy',
        )

    add_test(f'phases, the host {late} us late, seed {seed}', test_phases)


for each in range(3):
    for n_ids in 1, 4, 30:
        add_job(each, n_ids, (0, 7_000, -7_000)[each])
    add_phases(each, (0, 7_000, -7_000)[each])

if __name__ == '__main__':
    main()
