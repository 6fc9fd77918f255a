#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""outputs.py NPROF FOLDER... - prints a checksum of every output of the commands that people use,
for each file of these folders: files that are written, stdout, and the exit status.  A change that
should alter no output prints the same before and after:

    tests/tools/outputs.py build-before/core/cli/nprof share/samples "$NPROF_TEST_DATA" >before
    tests/tools/outputs.py build/core/cli/nprof share/samples "$NPROF_TEST_DATA" >after
    diff before after

What nprof says on stderr counts as well; the name of the temporary folder is cut out of it.
"""

import hashlib
import os
import subprocess
import sys
import tempfile

COMMANDS = {
    'csv': ['run', '-s', 'csv', '-o', '{out}/', '{file}'],
    'chrome': ['run', '-s', 'chrome', '-o', '{out}/trace.json', '{file}'],
    'parquet': ['run', '-s', 'parquet', '-o', '{out}/', '{file}'],
    'tables': [
        'run',
        '-a',
        'latency',
        '-a',
        'modules',
        '-a',
        'steps',
        '-s',
        'csv',
        '-o',
        '{out}/',
        '{file}',
    ],
    'report': ['report', '{file}'],
    'report-full': ['report', '--full', '--format', 'markdown', '{file}'],
    'report-json': ['report', '--format', 'json', '{file}'],
    'report-html': ['report', '-o', '{out}/page.html', '{file}'],
    'report-only': ['report', '--only', 'ops,idle,steps,collectives,memory,kernels', '{file}'],
    'report-what-if': ['report', '--only', 'critical_path,what_if', '{file}'],
    'report-list': ['report', '--tables', '{file}'],
    'info': ['info', '{file}'],
    'gate': [
        'gate',
        '--undecided',
        'ok',
        '{file}',
        "p99('*') <= 2ms",
        'mfu >= 40%',
        'idle < 10%',
        "ops['*'].share < 30%",
        'step < 230ms',
        'bound != input',
    ],
}


def files_below(folder):
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(path, name)


def checksum(out, result):
    """Returns a checksum of all written files with their names and of both streams, and the exit
    status."""
    digest = hashlib.sha256()
    for path in files_below(out):
        digest.update(os.path.relpath(path, out).encode() + b'\0')
        with open(path, 'rb') as written:
            digest.update(written.read())
    for stream in (result.stdout, result.stderr):
        digest.update(b'\0' + stream.replace(out.encode(), b'OUT'))
    return digest.hexdigest()[:16], result.returncode


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    environment = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '80', 'TZ': 'UTC'}
    for folder in sys.argv[2:]:
        for file in files_below(folder):
            for name, command in COMMANDS.items():
                with tempfile.TemporaryDirectory() as out:
                    words = [word.format(out=out, file=file) for word in command]
                    result = subprocess.run(
                        [program, *words],
                        capture_output=True,
                        env=environment,
                        cwd=out,
                        check=False,
                        stdin=subprocess.DEVNULL,
                    )
                    print(*checksum(out, result), name, file)


if __name__ == '__main__':
    main()
