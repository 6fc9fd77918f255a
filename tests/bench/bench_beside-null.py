# SPDX-License-Identifier: Apache-2.0
"""bench_beside-null.py - what `nprof report` and `nprof view --ingest-only` cost beside a run that
only decodes, to sink null, of the same file on two threads: by the clock, and in CPU time, which
other work on the machine changes less."""

import os
import shutil

from measure import interleaved, median, said

INPUTS = (
    ('coherent Kineto', ('json-gen', 'coherent', '300'), {'report': '<= 4', 'ingest': '<= 8'}),
    ('xplane', ('xplane-gen', '306'), {'report': '<= 5', 'ingest': '<= 12'}),
)


def measure(bench):
    for name, generator, goals in INPUTS:
        file, _ = bench.generated(*generator)
        store = bench.path('store')
        commands = {
            'null': ['run', '-s', 'null'],
            'report': ['report', '-o', bench.path('report.txt')],
            'ingest': ['view', '--ingest-only', '--force', '--store', store],
        }
        runs = interleaved(
            {
                what: ([bench.nprof, *words, '-q', '-j', '2', file], None)
                for what, words in commands.items()
            },
            bench.rounds,
        )
        shutil.rmtree(store)
        for what, goal in goals.items():
            for clock, title in (('wall', 'wall'), ('cpu', 'CPU')):
                bench.report.add(
                    f'{name}, {os.path.getsize(file) / 1e6:.0f} MB: {what} / null, {title}',
                    median(runs[what], clock) / median(runs['null'], clock),
                    'x',
                    goal if clock == 'wall' else '',
                    f'{said(runs[what], clock)} / {said(runs["null"], clock)}',
                )
