# SPDX-License-Identifier: Apache-2.0
"""fence.py - a call of a plugin that ends the process is named by file, component and call, is never a
success, and leaves nothing that the run wrote; what was there before stays as it was."""

import os
import shutil

from harness import check_same, files_below, main, read, run, test, write

BROKEN = os.path.join(os.environ['NPROF_TEST_PLUGINS'], 'bad', 'broken.so')
SANITIZED = os.environ.get('NPROF_SANITIZE', 'none') != 'none'  # whose handlers of crashes are there first
ENDS = {
    'exit': 'called exit in decode',
    'exit-at-once': 'called _exit in decode',
    'exits-in-consume': 'called exit in consume',
    'abort': 'aborted in decode',
    'crash': 'crashed (SIGSEGV, memory that is not its own) in decode',
    'overflow-stack': 'crashed (SIGSEGV, memory that is not its own) in decode',
}


def broken(name, *args):
    os.makedirs('plugins', mode=0o755, exist_ok=True)
    shutil.copy(BROKEN, 'plugins')
    write('in.broken', 'broken 0123456789')
    return run('run', '-d', 'vendor.broken', *args, '-s', 'csv', '-o', 'out', 'in.broken',
               env={'NPROF_PLUGIN_PATH': os.path.abspath('plugins'), 'NPROF_BREAK': name})


@test
def each_end_is_named_and_leaves_nothing(_folder):
    for name, what in ENDS.items():
        if SANITIZED and 'crashed' in what:
            continue
        args = ['-s', 'vendor.broken'] if name == 'exits-in-consume' else []
        for jobs in '1', '2':
            result = broken(name, *args, '-j', jobs)
            result.expect(5, out='', err=f'nprof: error: */broken.so: vendor.broken {what}: *')
            check_same(files_below('out'), {}, f'{name} -j {jobs}')


@test
def what_was_there_stays(_folder):
    broken('').expect(0)
    before = {name: read(os.path.join('out', name)) for name in os.listdir('out')}
    broken('exit').expect(5)
    check_same({name: read(os.path.join('out', name)) for name in os.listdir('out')}, before, 'out')


main()
