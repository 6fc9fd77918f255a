# SPDX-License-Identifier: Apache-2.0
"""linear.py - ten times the input takes at most twelve times the instructions, which callgrind counts: clocks of shared
machines say nothing.  Where valgrind is missing it is skipped."""

import os
import re
import shutil
import subprocess

from harness import NPROF, Skip, add_test, check, environment, main, write

MOST = 12


def span(n, name, category, pid, tid, **args):
    text = ','.join(f'"{key}":{value}' for key, value in args.items())
    return (f'{{"ph":"X","name":"{name}","cat":"{category}","pid":{pid},"tid":{tid},"ts":{10 * n},"dur":5,'
            f'"args":{{{text}}}}}')


# Name -> (the smaller number of rows, the analyzer, a row).
GROWING = {
    'streams': (1000, 'device', lambda n: span(n, 'k', 'kernel', 0, n, device=0, stream=n, correlation=n)),
    'processes': (2000, 'steps', lambda n: span(n, 'a', 'cpu_op', n, 1)),
}


def instructions(path, analyzer):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', NPROF, 'run', '-q', '-j', '1',
                           '-a', analyzer, '-s', 'null', path], env=environment(), capture_output=True, text=True, check=True)
    return int(re.search(r'refs:\s+([\d,]+)', done.stderr).group(1).replace(',', ''))


def grows(rows, analyzer, row):
    if not shutil.which('valgrind') or os.environ.get('NPROF_SANITIZE', 'none') != 'none':
        raise Skip('valgrind counts instructions, of a build without sanitizers')
    small, large = (instructions(write(f'{n}.json', '{"traceEvents":[' + ','.join(map(row, range(n))) + ']}'), analyzer)
                    for n in (rows, 10 * rows))
    check(large <= MOST * small, f'{rows} rows take {small} instructions, ten times as many {large / small:.1f} times as many')


for growing, (number, of, made) in GROWING.items():
    add_test(growing, lambda _folder, n=number, a=of, r=made: grows(n, a, r))

if __name__ == '__main__':
    main()
