# SPDX-License-Identifier: Apache-2.0
"""bench_perfetto.py - the sink perfetto beside the sink chrome, of the same rows: their own time is
that beyond the sink drain's, which wants every attribute and writes nothing; and the decoder
perfetto of what that wrote, beside a program that reads each field and keeps nothing.

User and system CPU together: a sink that writes less has the system copy less.  Of the decoder
also the time that passes with two threads."""

import os

from measure import BUDGET_ANON_MB, Run, interleaved, median, said


def measure(bench):
    file, _ = bench.generated('json-gen', 'coherent', bench.arguments.json_mb / 3)
    sinks(bench, 'Kineto JSON', file, 'chrome')
    decoder(bench, 'Kineto JSON', written(bench, file, 'perfetto'))
    file, _ = bench.generated('xplane-gen', bench.arguments.mb / 8)
    sinks(bench, 'xplane', file, 'xplane')
    decoder(bench, 'xplane', written(bench, file, 'perfetto'))
    memory(bench)


def written(bench, file, sink):
    return os.path.join(
        bench.folder_for(file, sink), {'chrome': 'trace.json', 'perfetto': 'trace.pftrace'}[sink]
    )


def sinks(bench, name, file, decoder_name):
    commands = {
        sink: (bench.nprof_run(file, sink, decoder_name), None) for sink in ('chrome', 'perfetto')
    }
    commands['drain'] = bench.nprof_run(file, 'drain', decoder_name), bench.with_drain
    runs = interleaved(commands, bench.rounds)
    bench.ratio(
        f'{name}, whole run, CPU: -> chrome / -> perfetto',
        runs,
        'chrome',
        'perfetto',
        '>= 2',
        of='cpu',
    )
    base = median(runs['drain'], 'cpu')
    own = {sink: median(runs[sink], 'cpu') - base for sink in ('chrome', 'perfetto')}
    bench.report.add(
        '  beyond rows with all attributes',
        own['chrome'] / own['perfetto'],
        'x',
        '>= 2',
        f'{own["chrome"]:.2f} s / {own["perfetto"]:.2f} s; the rows {said(runs["drain"], "cpu")}',
    )
    sizes = {sink: os.path.getsize(written(bench, file, sink)) for sink in ('chrome', 'perfetto')}
    bench.report.add(
        '  bytes, perfetto / chrome',
        sizes['perfetto'] / sizes['chrome'],
        'x',
        '<= 0.5',
        f'{sizes["perfetto"] / 1e6:.0f} MB / {sizes["chrome"] / 1e6:.0f} MB',
    )


def decoder(bench, name, trace):
    size = os.path.getsize(trace)
    runs = interleaved(
        {
            'walk': ([bench.built('tests/bench/perfetto-walk'), trace], None),
            'rows': (bench.nprof_run(trace, 'null', 'perfetto'), None),
            'threads': (bench.nprof_run(trace, 'null', 'perfetto', jobs=2), None),
            'wanted': (bench.nprof_run(trace, 'drain', 'perfetto'), bench.with_drain),
        },
        bench.rounds,
    )
    what = f'{size / 1e6:.0f} MB written of {name}, rows'
    for of, own, goal, said_so in (
        ('cpu', 'rows', '>= 0.8', f'{what}, CPU: reading each field / nprof'),
        ('wall', 'threads', '', '  wall, -j 2'),
        ('cpu', 'wanted', '', '  CPU with all attributes'),
    ):
        bench.ratio(said_so, runs, 'walk', own, goal, of=of, size=size)


def memory(bench):
    """At two sizes: what grows with the file is seen in the larger one."""
    for megabytes in (bench.arguments.json_mb / 3, bench.arguments.json_mb):
        file, _ = bench.generated('json-gen', 'coherent', megabytes)
        run = Run(bench.nprof_run(file, 'perfetto', 'chrome'), poll=True)
        bench.report.add(
            f'memory, {megabytes:.0f} MB of Kineto JSON -> perfetto, own',
            run.anon_kb / 1024,
            'MiB',
            f'<= {BUDGET_ANON_MB}',
            'RssAnon + RssShmem',
        )
