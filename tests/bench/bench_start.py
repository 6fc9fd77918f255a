# SPDX-License-Identifier: Apache-2.0
"""bench_start.py - start to exit on a tiny input, beside a program known to start at once, and
which plugins were opened for it."""

import os
import shutil
import subprocess

from measure import DEVNULL, interleaved, median, said


def measure(bench):
    tiny = os.path.join(bench.arguments.samples, 'synthetic_tpu.xplane.pb')
    folder = bench.path('tiny/')

    def remove():
        shutil.rmtree(folder, ignore_errors=True)

    def keep():
        pass

    def command(sink):
        return bench.nprof_run(tiny, sink, 'xplane', output=folder)

    for sink, where, before, goal in (
        ('csv', 'csv in a new folder', remove, '<= 3.4'),
        ('csv', 'csv over an earlier run', keep, ''),
        ('null', 'null', keep, '<= 2.2'),
    ):
        runs = interleaved(
            {'nprof': (command(sink), None), 'jq': (['jq', '--version'], None)},
            max(21, bench.rounds),
            before,
        )
        ours, theirs = median(runs['nprof'], 'wall'), median(runs['jq'], 'wall')
        bench.report.add(
            f'start to exit, wall: tiny file to {where} / jq --version',
            ours / theirs,
            'x',
            goal,
            f"{said(runs['nprof'], 'wall')} / {said(runs['jq'], 'wall')}",
        )
    for sink in ('csv', 'null'):
        opened = opened_plugins(bench, command(sink))
        bench.report.add(
            f'plugins opened for -d xplane -s {sink}',
            len(opened),
            '',
            '<= 2',
            ' '.join(sorted(opened)),
        )


def opened_plugins(bench, command):
    """The dynamic linker says which files it opens."""
    subprocess.run(
        command,
        env={**os.environ, 'LD_DEBUG': 'files', 'LD_DEBUG_OUTPUT': bench.path('ld')},
        stdout=DEVNULL,
        stderr=DEVNULL,
        check=True,
    )
    build = os.path.realpath(bench.arguments.build)
    opened = set()
    for name in os.listdir(bench.folder):
        if not name.startswith('ld.'):
            continue
        with open(bench.path(name), encoding='utf-8') as lines:
            for line in lines:
                path = line.rsplit('file=', 1)[-1].split()[0] if 'file=' in line else ''
                if path.endswith('.so') and os.path.realpath(path).startswith(build):
                    opened.add(os.path.basename(path))
        os.remove(bench.path(name))
    return opened
