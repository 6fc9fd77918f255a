# SPDX-License-Identifier: Apache-2.0
"""bench_analyzers.py - what analyzers cost beside the decoding of the same file, in user CPU: all
of those that `nprof report` runs together, and each alone; and that the sweep is linear.

Decoding is measured twice: rows only, and with all attributes.  What a decoder spends on the
attributes that an analyzer wants is part of the analyzer's figure."""

import json
import subprocess

from measure import BUDGET_ANON_MB, BUDGET_RSS_MB, Run, interleaved, median

DEFAULT = ('device', 'operators', 'fusion', 'mfu', 'steps', 'latency')  # core/cli/report.c


def measure(bench):
    here = present(bench)
    inputs = ((f'{bench.arguments.json_mb:.0f} MB like Kineto', 'chrome',
                 bench.generated('json-gen', 'kineto', bench.arguments.json_mb)[0], '<= 1'),
                ('300 MB of xplane', 'xplane', bench.generated('xplane-gen', 300)[0], '<= 5'))
    for name, decoder, file, goal in inputs:
        costs(bench, name, decoder, file, goal, here)
    deep(bench)


def present(bench):
    listed = subprocess.run([bench.nprof, 'plugins', '--json'], capture_output=True, check=True).stdout
    names = {p['name'] for p in json.loads(listed)['plugins'] if p['kind'] == 'analyzer'}
    return [name for name in DEFAULT if name in names]


def costs(bench, name, decoder, file, goal, analyzers):
    plain = bench.nprof_run(file, 'null', decoder)
    commands = {'decode': (plain, None), 'all': (with_analyzers(plain, analyzers), None)}
    commands['attributes'] = (bench.nprof_run(file, 'drain', decoder), bench.with_drain)
    commands.update({a: (with_analyzers(plain, [a]), None) for a in analyzers})
    runs = interleaved(commands, bench.rounds)
    decode = median(runs['decode'], 'user')
    for what in ['all', *analyzers]:
        extra = median(runs[what], 'user') - decode
        title = f'{name}: {" + ".join(analyzers)} / decode' if what == 'all' else f'  {what} alone'
        bench.report.add(title, extra / decode, 'x', goal if what == 'all' else '',
                         f'{extra:.3f} s / {decode:.3f} s of user CPU')
    whole = median(runs['attributes'], 'user')
    extra = median(runs['all'], 'user') - decode
    bench.report.add('  all / decode with all attributes', extra / whole, 'x', '',
                     f'{extra:.3f} s / {whole:.3f} s of user CPU')
    run = Run(commands['all'][0], poll=True)
    bench.report.add('  memory, own', run.anon_kb / 1024, 'MiB', f'<= {BUDGET_ANON_MB}', 'all of them')
    bench.report.add('  memory, resident', run.peak_kb / 1024, 'MiB', f'<= {BUDGET_RSS_MB}', 'peak RSS')


def with_analyzers(command, analyzers):
    return command[:2] + [part for name in analyzers for part in ('-a', name)] + command[2:]


def deep(bench):
    program = bench.built('tests/bench/sweep-deep')
    one, ten = (min(float(subprocess.run([program, n], capture_output=True, check=True).stdout)
                    for _ in range(bench.rounds)) for n in ('1', '10'))
    bench.report.add('sweep, 100 deep: a span of 10 million / of 1 million', ten / one, 'x', '<= 1.3',
                     f'{ten:.1f} ns / {one:.1f} ns')
