# SPDX-License-Identifier: Apache-2.0
"""bench_memory.py - memory of whole runs: what is nprof's own, and what is resident with the pages
of the mapped input."""

import os
import shutil

from measure import BUDGET_ANON_MB, BUDGET_RSS_MB, Run


def measure(bench):
    file, _ = bench.generated('xplane-gen', bench.arguments.mb)
    megabytes = os.path.getsize(file) / 1e6
    for sink in ('null', 'csv', 'chrome', 'parquet'):
        for jobs in (1, 2):
            run = Run(bench.nprof_run(file, sink, 'xplane', jobs=jobs), poll=True)
            what = f'memory, {megabytes:.0f} MB xplane -> {sink} -j {jobs}'
            bench.report.add(what + ', own', run.anon_kb / 1024, 'MiB', f'<= {BUDGET_ANON_MB}',
                             f'RssAnon + RssShmem; {run.wall:.2f} s')
            bench.report.add(what + ', resident', run.peak_kb / 1024, 'MiB',
                             f'<= {BUDGET_RSS_MB}', 'peak RSS')
            shutil.rmtree(bench.path('out'), ignore_errors=True)
