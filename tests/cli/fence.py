# SPDX-License-Identifier: Apache-2.0
"""fence.py - a call of a plugin that ends the process is named by file, component and call, is never a
success, and leaves nothing that the run wrote; what was there before stays as it was.  What nobody
named and cannot be used is left out with one line."""

import os
import re
import shutil

from harness import check, check_same, files_below, main, read, run, sample, test, write

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


# -- Left out --------------------------------------------------------------------------------------

INDEX = '[decoder vendor.broken]\n[analyzer vendor.broken]\nrank=45\n[sink vendor.broken]\n'


def unasked(name, *args, so=None):
    """Beside a good profile and what is installed, a plugin whose analyzer takes part unasked."""
    os.makedirs('plugins', mode=0o755, exist_ok=True)
    write('plugins/broken.so', so or read(BROKEN))
    write('plugins/broken.plugin', INDEX)
    return run(*args, env={'NPROF_PLUGIN_PATH': os.path.abspath('plugins'), 'NPROF_BREAK': name,
                           'XDG_DATA_HOME': os.path.abspath('none')})


@test
def what_cannot_be_used_is_left_out(_folder):
    plain = run('report', sample(), env={'XDG_DATA_HOME': os.path.abspath('none')}).expect(0, err='').out
    for name, so, why, kinds in (
            ('contract-99', None, 'it needs contract 99 of nprof/plugin.h', ['analyzer', 'decoder']),
            ('', b'no library', 'it is no shared object (ELF): build the plugin again', ['analyzer', 'decoder']),
            ('open-fails', None, 'vendor.broken: it never opens', ['analyzer'])):
        result = unasked(name, 'report', sample(), so=so).expect(0)
        found = re.findall(r'nprof: warning: (\w+) vendor.broken of \S*/plugins/broken.so left out: (.*); (.*)\n', result.err)
        check_same(sorted(kind for kind, *_ in found), kinds, result.err)
        check(all(said.startswith(why) and mend == 'nprof plugins disable vendor.broken' for _, said, mend in found),
              result.err)
        check(name == 'open-fails' or result.out == plain, f'{name}: the report differs:\n{result.out}')
        unasked(name, 'gate', sample(), 'devices.idle < 1', so=so).expect(0)
        unasked(name, 'map', '--rank', '0', '-o', 'state', sample(), so=so).expect(0)
        unasked(name, 'report', '-a', 'vendor.broken', sample(), so=so).expect(5)
        shutil.rmtree('state', ignore_errors=True)


@test
def a_table_of_another_is_refused(_folder):
    plain = run('report', '--only', 'devices', sample()).expect(0, err='').out
    result = unasked('takes-a-table', 'report', '--only', 'devices', sample())
    check_same(result.out, plain, 'devices')
    result = unasked('takes-a-table', 'report', sample())
    result.expect(0, err='nprof: warning: table "devices" of analyzer vendor.broken of */plugins/broken.so left out: '
                         'device has a table of that name; nprof plugins disable vendor.broken')
    unasked('takes-a-table', 'run', '-a', 'device', '-a', 'vendor.broken', '-s', 'csv', '-o', 'out', sample()).expect(
        1, err='*table "devices" of vendor.broken exists already in device*')


@test
def the_first_of_two_that_are_sure_reads(_folder):
    os.makedirs('other', mode=0o755)
    write('other/zz.so', read(BROKEN).replace(b'vendor.broken\0', b'vendor.second\0'))
    os.makedirs('plugins', mode=0o755)
    write('plugins/broken.so', read(BROKEN))
    write('in.broken', 'broken 0123456789')
    for first, second, name in (('plugins', 'other', 'vendor.broken'), ('other', 'plugins', 'vendor.second')):
        path = ':'.join(map(os.path.abspath, (first, second)))
        result = run('run', '-v', '-s', 'csv', '-o', f'{first}-out', 'in.broken', env={'NPROF_PLUGIN_PATH': path})
        result.expect(0, err=f'*several decoders are equally sure (vendor.broken 90, vendor.second 90): {name} reads it*')
        check(f',{name},' in read(f'{first}-out/inputs.csv').decode(), read(f'{first}-out/inputs.csv').decode())


main()
