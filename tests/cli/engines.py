# SPDX-License-Identifier: Apache-2.0
"""engines.py - ranks of a job with engines that their users have: Dask runs nprof map, DuckDB reads
its partitions."""

import csv
import io
import json
import os
import subprocess
import sys

from harness import (
    NPROF,
    Skip,
    add_test,
    check,
    check_same,
    environment,
    main,
    read,
    run,
    run_node,
    test,
)

SOURCE = os.environ['NPROF_SOURCE']
sys.path.insert(0, os.path.join(SOURCE, 'tests', 'tools'))
import ranks  # noqa: E402

READERS = os.environ.get('NPROF_PARQUET_READERS', '')
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'parquet.mjs')


def states(job):
    folder = os.path.join(job, 'states')
    return {name: read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def python_with(module):
    """Debian's packages are not where a Python of one's own looks."""
    for python in (sys.executable, '/usr/bin/python3'):
        if (
            os.path.exists(python)
            and subprocess.run(
                [python, '-c', f'import {module}'], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return python
    raise Skip('Dask is not installed')


@test
def dask(_folder):
    python = python_with('distributed')
    ranks.make('traces', ranks.Job(steps=1, layers=1))
    run('map', '-o', 'whole', 'traces').expect(0)
    env = {
        **environment(),
        'HOME': os.getcwd(),
        'PATH': os.path.dirname(NPROF) + ':' + os.environ['PATH'],
    }
    recipe = [python, '-B', os.path.join(SOURCE, 'share', 'scale', 'dask_map.py')]
    done = subprocess.run(
        [*recipe, 'traces', 'job'],
        env=env,
        text=True,
        capture_output=True,
        timeout=100,
        check=False,
    )
    check_same(done.returncode, 0, done.stderr)
    check(states('job') == states('whole'), 'states differ')
    check('Ranks' in done.stdout, done.stdout)
    with open('traces/rank00004.json', 'w', encoding='utf-8') as cut:
        cut.write('{"traceEvents":[{"ph"')
    done = subprocess.run(
        [*recipe, 'traces', 'job2'],
        env=env,
        text=True,
        capture_output=True,
        timeout=100,
        check=False,
    )
    check(
        done.returncode != 0 and 'rank00004.json: ' in done.stderr,
        f'{done.returncode} {done.stderr}',
    )


SQL = """
select "group", coalesce(sequence, ordinal), step, max(duration_ps) - min(duration_ps), min_by(rank, (duration_ps, rank)),
       list_sort(list(duration_ps))[2] - min(duration_ps)
from read_parquet('job/collective_calls/*/*.parquet', hive_partitioning=true)
group by "group", group_ranks, p2p, sequence, step, ordinal, signature having count(*) > 1 order by 1, 2, 3"""


def duckdb(keys):
    if not os.path.isdir(os.path.join(READERS, 'node_modules', '@duckdb')):
        raise Skip('DuckDB is not here (./dev test fetches it)')
    ranks.make(
        'traces', ranks.Job(hosts=2, steps=2, layers=3, slow={5: 1.06}, named_hosts=True, keys=keys)
    )
    run('map', '-q', '-s', 'parquet', '-o', 'job', 'traces').expect(0)
    done = run_node(
        [DRIVER, READERS],
        input=json.dumps({'folder': '.', 'jobs': [{'sql': [SQL]}]}),
        text=True,
        timeout=100,
    )
    check_same(done.returncode, 0, done.stderr)
    answer = json.loads(done.stdout)
    check_same(answer['problems'], [], 'problems')
    said = {
        (group, number, step): (int(late), last, int(lead))
        for group, number, step, late, last, lead in answer['answers'][0]['rows']
    }
    rows = csv.DictReader(
        io.StringIO(
            run('reduce', '-s', 'csv:table=job_collectives', '-o', '-', 'job').expect(0).out
        )
    )
    compared = named = 0
    for row in rows:
        late, last, lead = said[row['group'], row['sequence'], row['step']]
        if row['late_ns']:
            check_same(round(float(row['late_ns']) * 1000), late, f'late_ns of {row}')
            compared += 1
        if row['late_ns'] and lead > 50_000_000:
            check_same(row['last'], last, f'last of {row}')
            named += 1
    check(compared > 50 and named > 10, f'{compared} compared, {named} with a lead')


for how in ('seq', 'none'):
    add_test('duckdb-says-who-was-late-' + how, lambda _folder, keys=how: duckdb(keys))


main()
