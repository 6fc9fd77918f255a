#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_python.py - a profile as a DataFrame: nprof for Python, decoding included, beside
pandas.read_csv of the events.csv that nprof wrote of it, with the same columns, on one thread."""

import json
import os
import shutil
import statistics
import subprocess

from measure import told

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = 'input+track+thread+kind+category+name+start_ns+duration_ns'
PYTHON = '/usr/bin/python3'  # whose pandas is the distribution's


def measure(bench):
    if subprocess.run([PYTHON, '-c', 'import pandas'], capture_output=True).returncode:
        print('python is not measured: python3-pandas is not installed')
        return
    file, _ = bench.generated('xplane-gen', bench.arguments.mb)
    out = bench.path('events-out')
    subprocess.run(
        [bench.nprof, 'run', '-s', 'csv:table=events,columns=' + COLUMNS, '-o', out, file],
        check=True,
    )
    environment = dict(
        os.environ,
        PYTHONPATH=os.path.join(HERE, '..', '..', 'share', 'python'),
        NPROF_LIBRARY=bench.built('core/embed/libnprof.so.0'),
    )
    done = subprocess.run(
        [
            PYTHON,
            '-B',
            os.path.join(HERE, 'python-frames.py'),
            file,
            os.path.join(out, 'events.csv'),
            str(bench.rounds),
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    shutil.rmtree(out)
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    for kind in ('cpu', 'wall'):
        ours, theirs = (
            statistics.median(run[who][kind] for run in runs) for who in ('nprof', 'read_csv')
        )
        bench.report.add(
            f'Python, {kind}: pandas.read_csv / nprof.open(...).events().to_pandas()',
            theirs / ours,
            'x',
            '>= 5',
            f'{runs[0]["nprof"]["rows"]} rows: '
            + ' / '.join(told(run[who][kind] for run in runs) for who in ('read_csv', 'nprof')),
        )
