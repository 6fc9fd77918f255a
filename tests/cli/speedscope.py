# SPDX-License-Identifier: Apache-2.0
"""speedscope.py - speedscope opens the Chrome traces that nprof writes without a complaint, and
finds each thread that has spans.

Environment: NPROF_NPM, the folder with node_modules that ./dev fetches.
"""

import json
import os

import xspace
from harness import Skip, check, check_same, main, run, run_node, sample, test, write

MODULES = os.path.join(os.environ.get('NPROF_NPM', ''), 'node_modules')
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'speedscope.mjs')


def threads(trace):
    """Name -> length in us; a complaint fails the test."""
    if not os.path.isdir(os.path.join(MODULES, 'speedscope')):
        raise Skip('speedscope is not here (./dev test fetches it)')
    done = run_node([DRIVER, MODULES, trace], text=True, timeout=100)
    check(done.returncode == 0, f'speedscope does not read {trace}:\n{done.stderr[-2000:]}')
    profiles, complaints = json.loads(done.stdout)
    check_same(complaints, [], 'complaints of speedscope')
    return {
        name.split(', ')[1].rsplit(' (tid', 1)[0] if ', ' in name else name: weight
        for name, weight in profiles
    }


def has_spans(path):
    """Names of the threads with spans."""
    with open(path, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    names = {e['tid']: e['args']['name'] for e in events if e.get('name') == 'thread_name'}
    return sorted({names[e['tid']] for e in events if e['ph'] in 'XB'})


@test
def sample_profile(_):
    run('run', '-s', 'chrome', '-o', 't.json', sample()).expect(0)
    check_same(sorted(threads('t.json')), has_spans('t.json'), 'threads')


@test
def overlapping_spans(_):
    """Returns spans that overlap, so that speedscope would complain about the order of ends."""
    events = b''.join(xspace.event(1 + i % 2, i * 1000000, 2500000) for i in range(200))
    write(
        'o.xplane.pb',
        xspace.plane(
            1,
            '/device:TPU:0',
            xspace.line(4, 'Ops', events),
            xspace.named(4, 1, 'copy'),
            xspace.named(4, 2, 'add'),
        ),
    )
    run('run', '-s', 'chrome', '-o', 't.json', 'o.xplane.pb').expect(0)
    found = threads('t.json')
    check_same(sorted(found), ['Ops', 'Ops (2)', 'Ops (3)'], 'lanes')
    check(found['Ops'] > 0, 'a length')


@test
def parts(_):
    """Each part of a trace that is split is a trace."""
    write('m.xplane.pb', xspace.many(9000, lines=2))
    run('run', '-s', 'chrome:split_mb=1', '-o', 't.json', 'm.xplane.pb').expect(0)
    names = sorted(n for n in os.listdir() if n.startswith('t'))
    check(len(names) > 1, f'one part: {names}')
    for name in names:
        check_same(sorted(threads(name)), ['line 0', 'line 1'], name)


if __name__ == '__main__':
    main()
