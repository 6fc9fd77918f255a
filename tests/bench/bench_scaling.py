# SPDX-License-Identifier: Apache-2.0
"""bench_scaling.py - what a run costs against the number of tracks, of names, of inputs and of
threads, everything else being equal."""

import os
import shutil

from bench_analyzers import present, with_analyzers
from measure import Run, interleaved, median, said

EVENTS = 500000
INPUTS, INPUT_MB = 100, 10
NAME = 'void kernel_{}<float, 128>(long, int)'


def measure(bench):
    for what, goal in (('tracks', '<= 2.5'), ('names', '<= 3.5')):
        many_and_few(bench, what, goal)
    inputs(bench)
    threads(bench)
    distinct_names(bench)


def write_trace(path, events, tracks, names):
    """Round robin, the worst case: no event is like the one before it."""
    with open(path, 'w', encoding='ascii') as file:
        file.write('{"traceEvents":[\n')
        for i in range(events):
            track, name = i % tracks, i * 7919 % names
            file.write(
                f'{{"ph":"X","cat":"kernel","name":"{NAME.format(name)}",'
                f'"pid":{track // 64},"tid":{track},"ts":{1000000 + i * 10}.{i % 1000:03d},"dur":7.250,'
                f'"args":{{"External id":{i},"stream":7}}}},\n'
            )
        file.write('{}]}\n')
    return path


def many_and_few(bench, what, goal):
    few = write_trace(
        bench.path('few.json'), EVENTS, *((10, 1000) if what == 'tracks' else (100, 10))
    )
    many = write_trace(
        bench.path('lots.json'), EVENTS, *((100000, 1000) if what == 'tracks' else (100, 100000))
    )
    runs = interleaved(
        {
            'few': (bench.nprof_run(few, 'null', 'chrome'), None),
            'many': (bench.nprof_run(many, 'null', 'chrome'), None),
        },
        bench.rounds,
    )
    bench.report.add(
        f'100,000 {what} beside 10, CPU an event',
        median(runs['many'], 'cpu') / median(runs['few'], 'cpu'),
        'x',
        goal,
        f"{said(runs['many'], 'cpu')} / {said(runs['few'], 'cpu')}",
    )
    os.remove(few)
    os.remove(many)


def one_and_two(bench, what, command, goal):
    """command: of a number of threads."""
    runs = interleaved({n: (command(n), None) for n in (1, 2, 4)}, bench.rounds)
    for n in (2, 4):
        bench.report.add(
            f'{what}, wall: -j 1 / -j {n}',
            median(runs[1], 'wall') / median(runs[n], 'wall'),
            'x',
            goal if n == 2 else '',
            f"{said(runs[1], 'wall')} / {said(runs[n], 'wall')}",
        )


def inputs(bench):
    file, _ = bench.generated('xplane-gen', INPUT_MB)
    folder = bench.path('inputs')
    os.mkdir(folder)
    for i in range(INPUTS):
        os.link(file, os.path.join(folder, f'rank{i:03d}.xplane.pb'))
    one_and_two(
        bench,
        f'{INPUTS} inputs of {INPUT_MB} MB of xplane',
        lambda n: bench.nprof_run(folder, 'null', 'xplane', jobs=n),
        '>= 1.6',
    )
    shutil.rmtree(folder)


def threads(bench):
    file, _ = bench.generated('xplane-gen', f'{bench.arguments.json_mb:.0f}')
    analyzers = present(bench)
    one_and_two(
        bench,
        f'{bench.arguments.json_mb:.0f} MB of xplane, six analyzers',
        lambda n: with_analyzers(bench.nprof_run(file, 'null', 'xplane', jobs=n), analyzers),
        '>= 1.7',
    )


def distinct_names(bench):
    """Own memory of what keeps something for each name, beside the text of the names where they are
    many."""
    for names in (EVENTS, 6 * EVENTS):
        file = write_trace(bench.path('names.json'), names, 100, names)
        run = Run(
            with_analyzers(bench.nprof_run(file, 'null', 'chrome', jobs=2), present(bench)),
            poll=True,
        )
        own, what = run.anon_kb / 1024, f'{names:,} distinct names, six analyzers, own memory'
        detail = f'resident {run.peak_kb / 1024:.0f} MiB; {run.cpu:.1f} s of CPU'
        if names == EVENTS:
            bench.report.add(what, own, 'MiB', '<= 128', detail)
        else:
            text = sum(len(NAME.format(i)) for i in range(names)) / 2**20
            bench.report.add(
                f'{what} / their text',
                own / text,
                'x',
                '<= 2.5',
                f'{own:.0f} MiB / {text:.0f} MiB; {detail}',
            )
        os.remove(file)
