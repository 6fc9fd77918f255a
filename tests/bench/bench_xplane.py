# SPDX-License-Identifier: Apache-2.0
"""bench_xplane.py - the xplane decoder beside libprotobuf's Arena parse, on one thread and two, and
beside the floor: a program that only hops from event to event.

User CPU: the peer's page faults would flatter us by wall time."""

import os
import subprocess

from measure import DEVNULL, interleaved, median, said


def measure(bench):
    file, said = bench.generated('xplane-gen', bench.arguments.mb)
    decode(bench, file, os.path.getsize(file), int(said[0]))
    threads(bench, file)


def accepts(bench, file, sink, decoder='xplane'):
    return (
        subprocess.run(
            bench.nprof_run(file, sink, decoder), stdout=DEVNULL, stderr=DEVNULL, check=False
        ).returncode
        == 0
    )


def decode(bench, file, size, events):
    """Rows only, then every attribute too."""
    tiny = os.path.join(bench.arguments.samples, 'synthetic_tpu.xplane.pb')
    arena = bench.built('tests/bench/xplane-arena')
    commands = {
        'arena': ([arena, file], None),
        'nprof': (bench.nprof_run(file, 'null', 'xplane'), None),
        'fast': (bench.nprof_run(file, 'null', 'xplane:scan=fast'), None),
        'wanted': (bench.nprof_run(file, 'drain', 'xplane'), bench.with_drain),
        'arena-stats': ([arena, file, 'stats'], None),
        'floor': ([bench.built('tests/bench/xplane-walk'), file], None),
    }
    if not accepts(bench, tiny, 'null', 'xplane:scan=bmi2'):
        del commands['fast']  # this processor has no BMI2, so nothing differs
    runs = interleaved(commands, bench.rounds)
    bench.ratio(
        'xplane rows, user CPU: libprotobuf Arena / nprof',
        runs,
        'arena',
        'nprof',
        '>= 4.9' if 'fast' in runs else '>= 3.5',
        size=size,
        events=events,
    )
    if 'fast' in runs:
        bench.ratio('  the same without BMI2', runs, 'arena', 'fast', '>= 3.5')
    bench.ratio(
        '  the floor, hops over all events / nprof',
        runs,
        'floor',
        'nprof',
        '',
        size=size,
        events=events,
    )
    bench.ratio(
        '  with all attributes', runs, 'arena-stats', 'wanted', '', size=size, events=events
    )


def threads(bench, file):
    if os.cpu_count() < 2:
        return
    runs = interleaved(
        {
            'one': (bench.nprof_run(file, 'null', 'xplane', jobs=1), None),
            'two': (bench.nprof_run(file, 'null', 'xplane', jobs=2), None),
        },
        bench.rounds,
    )
    one, two = median(runs['one'], 'wall'), median(runs['two'], 'wall')
    bench.report.add(
        'xplane, wall: one thread / two',
        one / two,
        'x',
        '>= 1.55',
        f'{said(runs["one"], "wall")} / {said(runs["two"], "wall")}',
    )
