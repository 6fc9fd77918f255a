# SPDX-License-Identifier: Apache-2.0
"""perfetto.py - Perfetto reads what the sinks chrome and perfetto write: no error, nothing lost,
and the rows and durations of each thread are those of nprof's own events.csv; and it counts in
traces as the decoder perfetto does.

Environment: NPROF_PERFETTO, the folder with trace_processor that ./dev fetches; NPROF_TEST_DATA,
real traces, which are read as well: up to LARGE bytes as they lie there, all with NPROF_TEST_ALL=1.
"""

import atexit
import collections
import functools
import glob
import json
import math
import os
import re
import shutil
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import (
    Skip,
    add_test,
    check,
    check_same,
    files_below,
    main,
    rows_of,
    run,
    run_node,
    sample,
    start_node,
    test,
    write,
)
import perfetto_make  # noqa: E402
import xspace

FOLDER = os.environ.get('NPROF_PERFETTO', '')
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'perfetto.mjs')


@functools.cache
def processor():
    """One process for all traces: to compile its WebAssembly takes longer than to read a trace."""
    if not os.path.exists(os.path.join(FOLDER, 'trace_processor.wasm')):
        raise Skip("Perfetto's trace_processor is not here (./dev test fetches it)")
    version = run_node(['--version'], text=True)
    if not re.match(r'v(1[89]|[2-9]\d)\.', version.stdout):
        raise Skip(f'needs Node.js 18 or later, found {version.stdout.strip() or "none"}')
    process = start_node([DRIVER, FOLDER])
    atexit.register(end, process)
    return process


def end(process):
    process.stdin.close()
    process.wait()


def ask(trace, *queries):
    process = processor()
    process.stdin.write(json.dumps([os.path.abspath(trace), *queries]) + '\n')
    process.stdin.flush()
    lines = [process.stdout.readline() for _ in queries]
    if not all(lines):
        processor.cache_clear()
        check(False, f'Perfetto does not read {trace}:\n{process.stderr.read()}')
    return [json.loads(line) for line in lines]


def check_trace(*arguments):
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-s', 'csv', '-s', 'chrome', '-s', 'perfetto', '-o', 'out', *arguments).expect(0)
    check_file('out/trace.pftrace', extra=1)  # the instant that says what the trace is of
    return check_file('out/trace.json')


def check_file(trace, extra=0):
    problems, slices, threads, arrows = ask(
        trace,
        "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
        'select count(*), sum(dur) from slice',
        'select t.name, count(*) from slice s join thread_track k on s.track_id = k.id'
        ' join thread t using (utid) group by t.name',
        'select count(*) from flow',
    )
    check_same(problems, [], f'errors and losses of {trace}')
    if extra:
        check_same(
            arrows,
            ask('out/trace.json', 'select count(*) from flow')[0],
            'arrows, and those of chrome',
        )
    rows = rows_of(files_below('out')['events.csv'])
    spans = [r for r in rows if r['kind'] == 'span']
    # Instants are slices of length 0 there.
    check(rows, 'no rows')
    expected = len(spans) + sum(r['kind'] == 'instant' for r in rows)
    check_same(slices[0][0] - extra, expected, f'slices of {trace}')
    check_same(slices[0][1] or 0, sum(floor_ns(r) for r in spans), 'sum of durations, ns')
    return rows, collections.Counter(dict(map(tuple, threads)))


def floor_ns(row):
    """Traces of this format count in ns: the end rounded down less the start rounded down."""
    if not row['duration_ns']:
        return -1  # never closed; Perfetto says so in the same way
    start, duration = Decimal(row['start_ns']), Decimal(row['duration_ns'])
    return math.floor(start + duration) - math.floor(start)


@test
def sample_profile(_folder):
    check_trace(sample())


@test
def two_inputs(_folder):
    shutil.copy(sample(), 'a.xplane.pb')
    write('b.xplane.pb', xspace.many(500, lines=3))
    _, threads = check_trace('a.xplane.pb', 'b.xplane.pb')
    for number in range(3):
        check_same(threads[f'line {number}'], 500, f'slices of line {number}')


@test
def overlapping_spans_are_all_there(_folder):
    events = b''.join(xspace.event(1, i * 1000000, 2500000) for i in range(200))
    write(
        'o.xplane.pb',
        xspace.plane(
            1, '/device:TPU:0', xspace.line(4, 'Async XLA Ops', events), xspace.named(4, 1, 'copy')
        ),
    )
    check_trace('o.xplane.pb')


def check_parts(sink, extra):
    """A trace that is split: nothing is lost in any part, and together they hold all."""
    write('m.xplane.pb', xspace.many(20000, lines=2))
    run('run', '-s', sink + ':split_mb=1', '-o', 'out/', 'm.xplane.pb').expect(0)
    count = 0
    names = sorted(files_below('out'))
    check(len(names) > 2, f'too few parts: {names}')
    for name in names:
        problems, slices, named = ask(
            'out/' + name,
            "select name from stats where severity in ('error', 'data_loss') and value > 0",
            'select count(*) from slice',
            'select name from thread where name like \'line%\'',
        )
        check_same(problems, [], f'errors of {name}')
        check_same(len(named), 2, f'threads of {name}')
        count += slices[0][0] - extra
    check_same(count, 40000, 'slices')


@test
def parts(_folder):
    check_parts('chrome', 0)


@test
def parts_of_protobuf(_folder):
    check_parts('perfetto', 1)


@test
def names_of_any_kind(_folder):
    names = ('quote " backslash \\ tab \t', 'snowman \u2603 emoji \U0001f600 nul \0 end')
    write('n.xplane.pb', xspace.tiny(names))
    run('run', '-s', 'chrome', '-s', 'perfetto', '-o', 'out/', 'n.xplane.pb').expect(0)
    for trace in 'out/trace.json', 'out/trace.pftrace':
        problems, found = ask(
            trace,
            "select name from stats where severity in ('error', 'data_loss')" ' and value > 0',
            "select name from slice where name != 'nprof' order by ts",
        )
        check_same(problems, [], 'errors')
        check_same(found[0][0], names[0], 'first name')
        check('emoji \U0001f600' in found[1][0], f'second name: {found[1][0]!r}')


def check_decoder(trace):
    """Swapped ends of spans, of which Perfetto knows nothing, change no sum; its instants are
    slices."""
    rows = rows_of(run('run', '-s', 'csv', '-o', '-', trace).expect(0).out)
    slices, counters, arrows = ask(
        trace,
        'select count(*), sum(iif(dur > 0, dur, 0)) from slice',
        'select count(*) from counter',
        'select count(*) from flow',
    )
    spans = [row for row in rows if row['kind'] == 'span']
    check_same(
        slices[0][0],
        len(spans) + sum(row['kind'] == 'instant' for row in rows),
        f'slices of {trace}',
    )
    check_same(
        slices[0][1], sum(max(floor_ns(row), 0) for row in spans), f'their durations of {trace}'
    )
    check_same(
        counters[0][0], sum(row['kind'] == 'counter' for row in rows), f'counters of {trace}'
    )
    check_same(
        arrows[0][0],
        sum(row['kind'] == 'flow' and row['flow_phase'] != 'begin' for row in rows),
        f'arrows of {trace}',
    )


@test
def decoder(_folder):
    for style in 'pytorch', 'stages', 'library':
        for seed in range(3):
            write('a.pftrace', perfetto_make.STYLES[style](seed).bytes())
            check_decoder('a.pftrace')


LARGE = 1 << 20


def add_real(path):
    add_test(os.path.basename(path), lambda _folder: check_trace(path))


for trace in sorted(
    glob.glob(os.path.join(os.environ.get('NPROF_TEST_DATA', ''), '*', '*.*'))
    if os.environ.get('NPROF_TEST_DATA')
    else []
):
    if not re.match('not_a|bad_', os.path.basename(trace)) and (
        os.path.getsize(trace) <= LARGE or os.environ.get('NPROF_TEST_ALL')
    ):
        add_real(trace)


if __name__ == '__main__':
    main()
