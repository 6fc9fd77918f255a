# SPDX-License-Identifier: Apache-2.0
"""bench_analyzers.py - what analyzers cost beside the decoding of the same file: all of those that
`nprof report` runs together, and each alone; that the cost is linear in the size of the file, and
the sweep in the number of its spans.

User and system CPU together, since rows that are put in order go through a file. Decoding is
measured twice: with all attributes, which is all that the file says, and rows only, which is the
stricter reading of the goal. What a decoder spends on the attributes that an analyzer wants is part
of the analyzer's figure."""

import json
import os
import shutil
import subprocess

from measure import BUDGET_ANON_MB, BUDGET_RSS_MB, Run, interleaved, median, said, told

MEMORY_SHARES = (1 / 6, 1 / 2, 1, 4)  # of --mb
CSV_SHARE = 1  # beyond it rows of CSV would take too much of the disk
# console/default-analyzers.c
DEFAULT = ('device', 'operators', 'fusion', 'mfu', 'steps', 'latency')
PARTS = (0.1, 1 / 3)  # of the full size: the line of cost against size


def measure(bench):
    here = present(bench)
    full = bench.arguments.json_mb
    for shape, decoder, generator, goal in (
        ('like Kineto', 'chrome', ('json-gen', 'kineto'), '<= 1'),
        ('of xplane', 'xplane', ('xplane-gen',), '<= 2.8'),
    ):

        def made(megabytes):
            return bench.generated(*generator, f'{megabytes:.0f}')[0]

        costs(bench, f'{full:.0f} MB {shape}', decoder, made(full), goal, here)
        line(
            bench,
            shape,
            decoder,
            here,
            {size: made(size) for size in (*(full * p for p in PARTS), full)},
        )
    memory(bench, here)
    deep(bench)


def memory(bench, analyzers):
    """All of them, to sinks null and csv: one run each, which must stay within the budget of every
    run; at 2 GB only what is nprof's own, since resident pages of the input and of files without a
    name grow with it.
    """
    inputs = [
        ('xplane', ('xplane-gen', f'{bench.arguments.mb * share:.0f}'), share)
        for share in MEMORY_SHARES
    ]
    inputs.append(('chrome', ('json-gen', 'kineto', f'{bench.arguments.json_mb:.0f}'), CSV_SHARE))
    for decoder, generator, share in inputs:
        file, _ = bench.generated(*generator)
        for sink in ('null', 'csv')[: 2 if share <= CSV_SHARE else 1]:
            run = Run(
                with_analyzers(bench.nprof_run(file, sink, decoder, jobs=2), analyzers), poll=True
            )
            what = f'memory, {os.path.getsize(file) / 1e6:.0f} MB {decoder} -> {sink} -j 2, all of them'
            bench.report.add(
                what + ', own',
                run.anon_kb / 1024,
                'MiB',
                f'<= {BUDGET_ANON_MB}',
                f'RssAnon + RssShmem; {run.cpu:.2f} s of CPU',
            )
            bench.report.add(
                what + ', resident',
                run.peak_kb / 1024,
                'MiB',
                f'<= {BUDGET_RSS_MB}' if share <= CSV_SHARE else '',
                'peak RSS',
            )
            shutil.rmtree(bench.path('out'), ignore_errors=True)


def present(bench):
    listed = subprocess.run(
        [bench.nprof, 'plugins', '--json'], capture_output=True, check=True
    ).stdout
    names = {p['name'] for p in json.loads(listed)['plugins'] if p['kind'] == 'analyzer'}
    return [name for name in DEFAULT if name in names]


def costs(bench, name, decoder, file, goal, analyzers):
    plain = bench.nprof_run(file, 'null', decoder)
    commands = {'decode': (plain, None), 'all': (with_analyzers(plain, analyzers), None)}
    commands['attributes'] = (bench.nprof_run(file, 'drain', decoder), bench.with_drain)
    commands.update({a: (with_analyzers(plain, [a]), None) for a in analyzers})
    commands['two'] = (
        with_analyzers(bench.nprof_run(file, 'null', decoder, jobs=2), analyzers),
        None,
    )
    runs = interleaved(commands, bench.rounds)
    decode, whole = median(runs['decode'], 'cpu'), median(runs['attributes'], 'cpu')
    for what in ['all', *analyzers]:
        extra = median(runs[what], 'cpu') - decode
        titles = (
            (f'{name}: {" + ".join(analyzers)}', '  the same')
            if what == 'all'
            else (f'  {what} alone',) * 2
        )
        for title, base, of in zip(titles, (whole, decode), ('all attributes', 'rows only')):
            bench.report.add(
                f'{title} / decode, {of}',
                extra / base,
                'x',
                goal if what == 'all' else '',
                f'{extra:.3f} s / {base:.3f} s of CPU; in all {said(runs[what], "cpu")}, rows only {said(runs["decode"], "cpu")}',
            )
    bench.ratio('  the same, wall, one thread / two', runs, 'all', 'two', '>= 1.7', of='wall')
    run = Run(commands['all'][0], poll=True)
    bench.report.add(
        '  memory, own', run.anon_kb / 1024, 'MiB', f'<= {BUDGET_ANON_MB}', 'all of them'
    )
    bench.report.add(
        '  memory, resident', run.peak_kb / 1024, 'MiB', f'<= {BUDGET_RSS_MB}', 'peak RSS'
    )


def line(bench, shape, decoder, analyzers, files):
    """Seconds and own memory at each size; a MB of the largest beside one of the smallest."""
    plain = {size: bench.nprof_run(file, 'null', decoder) for size, file in files.items()}
    commands = {size: (with_analyzers(command, analyzers), None) for size, command in plain.items()}
    runs = interleaved(commands, bench.rounds)
    cost = {size: median(runs[size], 'cpu') for size in files}
    memory = {size: Run(commands[size][0], poll=True).anon_kb / 1024 for size in files}
    small, large = min(files), max(files)
    bench.report.add(
        f'  a MB of {large:.0f} / of {small:.0f}, all of them',
        (cost[large] / large) / (cost[small] / small),
        'x',
        '<= 1.3',
        ', '.join(
            f'{size:.0f} MB: {said(runs[size], "cpu")}, {memory[size]:.0f} MiB' for size in files
        ),
    )


def with_analyzers(command, analyzers):
    return command[:2] + [part for name in analyzers for part in ('-a', name)] + command[2:]


def deep(bench):
    program = bench.built('tests/bench/sweep-deep')
    one, ten = (
        [
            float(subprocess.run([program, n], capture_output=True, check=True).stdout)
            for _ in range(bench.rounds)
        ]
        for n in ('1', '10')
    )
    bench.report.add(
        'sweep, 100 deep: a span of 10 million / of 1 million',
        min(ten) / min(one),
        'x',
        '<= 1.3',
        f'least of {told(ten, "ns")} / {told(one, "ns")}',
    )
