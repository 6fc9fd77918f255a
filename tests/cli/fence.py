# SPDX-License-Identifier: Apache-2.0
"""fence.py - a call of a plugin that ends the process is named by file, component and call, is
never a success, and leaves nothing that the run wrote; what was there before stays as it was. What
nobody named and cannot be used is left out with one line."""

import hashlib
import json
import os
import re
import shutil

from harness import (
    NPROF,
    Skip,
    alone,
    check,
    check_same,
    files_below,
    main,
    need_alone,
    read,
    run,
    sample,
    test,
    write,
)

BROKEN = os.path.join(os.environ['NPROF_TEST_PLUGINS'], 'bad', 'broken.so')
SANITIZED = (
    os.environ.get('NPROF_SANITIZE', 'none') != 'none'
)  # whose handlers of crashes are there first
ENDS = {
    'exit': 'called exit in decode',
    'exit-at-once': 'called _exit in decode',
    'exits-in-consume': 'called exit in consume',
    'abort': 'aborted in decode',
    'crash': 'crashed (SIGSEGV, memory that is not its own) in decode',
    'overflow-stack': 'crashed (SIGSEGV, memory that is not its own) in decode',
    'exec': 'called exec in decode',
    'fork': 'forked in decode',
    'endless': 'makes no progress (--call-limit) in decode',
    'keeps-batch': 'still holds batches of rows, for want of batch_unref, in close',
    'leaves-thread': 'broke the contract (a thread that it began still runs) in decode',
    'takes-a-table': 'broke the contract (table devices is that of analyzer device: *) in open',
}


def broken(name, *args):
    """A run of two inputs: a handle of the one is wrong in the other, and a column of the one gone
    when the other's come. Each break is another plugin to those who know its file: a home each."""
    os.makedirs('plugins', mode=0o755, exist_ok=True)
    shutil.copy(BROKEN, 'plugins')
    write('in.broken', 'broken 0123456789')
    write('more.broken', 'broken 01')
    return run(
        'run',
        '-d',
        'vendor.broken',
        *args,
        '-s',
        'csv',
        '-o',
        'out',
        'in.broken',
        'more.broken',
        env={
            'NPROF_PLUGIN_PATH': os.path.abspath('plugins'),
            'NPROF_BREAK': name,
            'XDG_DATA_HOME': os.path.abspath('home-' + name),
        },
    )


@test
def each_end_is_named_and_leaves_nothing(_folder):
    for name, what in ENDS.items():
        if SANITIZED and ('crashed' in what or 'a thread' in what):
            continue
        args = {
            'exits-in-consume': ['-s', 'vendor.broken'],
            'keeps-batch': ['-a', 'vendor.broken'],
            'takes-a-table': ['-a', 'vendor.broken'],
            'endless': ['--call-limit', '1'],
        }.get(name, [])
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


@test
def a_report_runs_once_more_without_it(_folder):
    """view the same; not a run, nor where the user named the component, whose second run cannot."""
    env = {'XDG_DATA_HOME': os.path.abspath('none')}
    plain = run('report', sample(), env=env).expect(0, err='').out
    for name, what in (
        ('crash-in-consume', 'crashed (SIGSEGV, memory that is not its own) in consume'),
        ('exit-in-consume', 'called exit in consume'),
        ('keeps-batch', 'still holds batches of rows, for want of batch_unref, in close'),
    ):
        if SANITIZED and 'crashed' in what:
            continue
        for jobs in '1', '2':
            result = unasked(name, 'report', '-j', jobs, sample()).expect(0)
            check(result.out == plain, f'{name} -j {jobs}: the report differs:\n{result.out}')
            check(f'vendor.broken {what}' in result.err, result.err)
            check(
                result.err.endswith('nprof: warning: it runs once more without vendor.broken\n'),
                result.err,
            )
        unasked(name, 'report', '-o', 'page.html', sample()).expect(0)
        check(b'vendor.counts' not in read('page.html'), 'page.html')
        unasked(name, 'report', '-a', 'vendor.broken', sample()).expect(
            5, out='', err='*it ended the run before this one*'
        )
        unasked(name, 'report', '-', stdin=read(sample())).expect(5, out='')
        unasked(name, 'view', '--ingest-only', '--store', name, sample()).expect(
            0, out='Profile "*" is ready to view'
        )
        unasked(name, 'gate', '-a', 'vendor.broken', sample(), 'devices.idle < 1').expect(5)


# -- Left out --------------------------------------------------------------------------------------

INDEX = '[decoder vendor.broken]\n[analyzer vendor.broken]\nrank=45\n[sink vendor.broken]\n'


def unasked(name, *args, so=None, **more):
    """Beside a good profile and what is installed, a plugin whose analyzer takes part unasked."""
    os.makedirs('plugins', mode=0o755, exist_ok=True)
    write('plugins/broken.so', so or read(BROKEN))
    write('plugins/broken.plugin', INDEX)
    return run(
        *args,
        env={
            'NPROF_PLUGIN_PATH': os.path.abspath('plugins'),
            'NPROF_BREAK': name,
            'XDG_DATA_HOME': os.path.abspath('none'),
        },
        **more,
    )


@test
def what_cannot_be_used_is_left_out(_folder):
    plain = (
        run('report', sample(), env={'XDG_DATA_HOME': os.path.abspath('none')})
        .expect(0, err='')
        .out
    )
    for name, so, why, kinds in (
        ('contract-99', None, 'it needs contract 99 of nprof/plugin.h', ['analyzer', 'decoder']),
        (
            '',
            b'no library',
            'it is no shared object (ELF): build the plugin again',
            ['analyzer', 'decoder'],
        ),
        ('open-fails', None, 'vendor.broken: it never opens', ['analyzer']),
    ):
        result = unasked(name, 'report', sample(), so=so).expect(0)
        found = re.findall(
            r'nprof: warning: (\w+) vendor.broken of \S*/plugins/broken.so left out: (.*); (.*)\n',
            result.err,
        )
        check_same(sorted(kind for kind, *_ in found), kinds, result.err)
        check(
            all(
                said.startswith(why) and mend == 'nprof plugins disable vendor.broken'
                for _, said, mend in found
            ),
            result.err,
        )
        check(
            name == 'open-fails' or result.out == plain,
            f'{name}: the report differs:\n{result.out}',
        )
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
    result.expect(
        0,
        err='nprof: warning: table "devices" of analyzer vendor.broken of */plugins/broken.so left out: '
        'device has a table of that name; nprof plugins disable vendor.broken',
    )
    unasked(
        'takes-a-table',
        'run',
        '-a',
        'device',
        '-a',
        'vendor.broken',
        '-s',
        'csv',
        '-o',
        'out',
        sample(),
    ).expect(1, err='*table "devices" of vendor.broken exists already in device*')


@test
def the_first_of_two_that_are_sure_reads(_folder):
    os.makedirs('other', mode=0o755)
    write('other/zz.so', read(BROKEN).replace(b'vendor.broken\0', b'vendor.second\0'))
    os.makedirs('plugins', mode=0o755)
    write('plugins/broken.so', read(BROKEN))
    write('in.broken', 'broken 0123456789')
    for first, second, name in (
        ('plugins', 'other', 'vendor.broken'),
        ('other', 'plugins', 'vendor.second'),
    ):
        path = ':'.join(map(os.path.abspath, (first, second)))
        result = run(
            'run',
            '-v',
            '-s',
            'csv',
            '-o',
            f'{first}-out',
            'in.broken',
            env={'NPROF_PLUGIN_PATH': path},
        )
        result.expect(
            0,
            err=f'*several decoders are equally sure (vendor.broken 90, vendor.second 90): {name} reads it*',
        )
        check(
            f',{name},' in read(f'{first}-out/inputs.csv').decode(),
            read(f'{first}-out/inputs.csv').decode(),
        )


# -- The user's own --------------------------------------------------------------------------------


@test
def plugins_are_installed_and_switched_off(_folder):
    env = {'XDG_DATA_HOME': os.path.abspath('data'), 'NPROF_PLUGIN_PATH': '', 'NPROF_BREAK': ''}
    own = os.path.join('data', 'nprof', 'plugins')
    plugins = lambda *args, **more: run('plugins', *args, env={**env, **more})
    os.makedirs('from')
    write('from/broken.so', read(BROKEN))
    write('from/broken.plugin', INDEX)
    hashed = hashlib.sha256(read(BROKEN)).hexdigest()
    plugins('list').expect(0, out='no plugins in *')
    result = plugins('install', 'from/broken.so').expect(0, err='')
    check(
        'decoder vendor.broken, analyzer vendor.broken, sink vendor.broken' in result.out,
        result.out,
    )
    check(f'sha256 {hashed}' in result.out, result.out)
    check_same(read(f'{own}/broken.so'), read(BROKEN), 'the copy')
    check(plugins('list').expect(0).out.endswith('/broken.so  as installed\n'), 'list')
    plugins('vendor.broken').expect(0)

    report = lambda: run('report', '--tables', sample(), env=env).expect(0, err='').out
    check('vendor.counts' in report(), 'it takes part')
    plugins('disable', 'analyzer/vendor.broken').expect(0, out='analyzer/vendor.broken: disabled')
    check('vendor.counts' not in report(), 'it is disabled')
    run('report', '-a', 'vendor.broken', sample(), env=env).expect(
        5, err='*disabled: nprof plugins enable analyzer/vendor.broken*'
    )
    check('analyzer/vendor.broken  disabled' in plugins('list').out, 'list')
    plugins('enable', 'analyzer/vendor.broken').expect(0, out='analyzer/vendor.broken: enabled')
    check('vendor.counts' in report(), 'it is enabled')

    write(f'{own}/broken.so', read(BROKEN) + b'more')
    check('changed since it was installed' in plugins('list').out, 'changed')
    plugins('remove', 'broken').expect(0)
    left = ['disabled', 'installed', 'tried']  # the last: its components lived behind the report
    check_same(sorted(set(os.listdir(own)) | {'tried'}), left, 'what is left')
    plugins('list').expect(0, out='no plugins in *')


@test
def what_is_no_plugin_is_not_installed(_folder):
    env = {'XDG_DATA_HOME': os.path.abspath('data'), 'NPROF_BREAK': 'contract-99'}
    write('text.so', 'no library')
    write('b.so', read(BROKEN))
    for args, status, why in (
        (['install', 'text.so'], 5, '*text.so: it is no shared object (ELF)*'),
        (['install', 'b.so'], 5, '*b.so: it needs contract 99*'),
        (['install', 'nowhere.so'], 2, '*nowhere.so: *'),
        (['install', 'b'], 1, '*expected a plugin, NAME.so*'),
        (['install'], 1, '*takes a FILE.so*'),
        (['disable'], 1, '*takes a NAME*'),
        (['disable', 'vendor.nobody'], 1, '*no plugin has a component of this name*'),
        (['remove', '../b'], 1, '*no such plugin*'),
        (['list', 'x'], 1, '*takes nothing else*'),
    ):
        run('plugins', *args, env=env).expect(status, out='', err=why)
    check_same(files_below('data'), {'nprof/plugins/': b''}, 'data')


# -- What each break does to a run
# ------------------------------------------------------------------

# What a checked run cannot see, and in which words nprof-run(1) says so.
UNSEEN = {
    'unsorted': 'numbers that are well-formed and wrong',
    'slow': 'a call that is slow but ends',
    'hides-a-full-disk': 'what a sink does otherwise a second time',
}
# Which leave processes, and need a namespace. The first waits for ever: check.py has it.
COPIES = {'fork-bomb', 'daemon-left'}


CRASHES = {'crash', 'crash-in-consume', 'overflow-stack'}
# What malloc's figures tell, which those of sanitizers do not.
MEMORY = {'grows', 'leaves-memory'}
# What the fence's pthread_create tells, which is not there beside a sanitizer's.
THREADS = {'leaves-thread'}


def breaks():
    with open(
        os.path.join(os.environ['NPROF_SOURCE'], 'tests/plugins/bad/broken.c'), encoding='utf-8'
    ) as file:
        return re.findall(r'^  { "([a-z0-9-]+)", \\.', file.read(), re.MULTILINE)


@test
def no_break_succeeds_in_a_checked_run(_folder):
    """It is checked without being asked, as the plugin is not of the installation."""
    for name in breaks():
        if name in COPIES or SANITIZED and name in CRASHES:
            continue
        result = broken(
            name, '-j', '1', '-a', 'vendor.broken', '-s', 'vendor.broken', '--call-limit', '1'
        )
        check(0 <= result.status <= 5, f'{name}: {result.describe()}')
        if name not in UNSEEN and not (SANITIZED and name in MEMORY | THREADS):
            check(result.status != 0, f'{name}: {result.describe()}')
            check_same(files_below('out'), {}, name)


@test
def a_third_party_without_a_dot_is_looked_at(_folder):
    os.makedirs('plugins', mode=0o755)
    write('in.broken', 'broken 0123456789')
    write('plugins/broken.so', read(BROKEN).replace(b'vendor.broken\0', b'vendor-broken\0'))
    for name, args, why in (
        ('umask', [], 'the umask was changed: *) in decode'),
        ('prints', [], 'it printed) in decode'),
        ('closes-descriptors', [], 'it closed descriptors of others) in decode'),
        ('endless', ['--call-limit', '1'], 'makes no progress (--call-limit) in decode'),
    ):
        env = {'NPROF_PLUGIN_PATH': os.path.abspath('plugins'), 'NPROF_BREAK': name}
        result = run('run', '-d', 'vendor-broken', '-s', 'null', *args, 'in.broken', env=env)
        result.expect(5, err=f'nprof: error: */broken.so: vendor-broken *{why}: *')


@test
def a_process_that_is_left_ends_a_checked_run(folder):
    os.chmod(folder, 0o755)
    broken('').expect(0)
    need_alone('in.broken', NPROF, 'plugins/broken.so')
    told = alone(
        '"$1" run -d vendor.broken -s null in.broken 2>&1; echo status $?',
        NPROF,
        NPROF_BREAK='daemon-left',
        NPROF_PLUGIN_PATH=os.path.abspath('plugins'),
    ).stdout
    check('it left a process behind' in told and told.endswith('\nstatus 5\n'), told)


@test
def our_own_keep_the_rules(_folder):
    """What analyzers say of a device that idles two fifths of its steps: gains are above 1."""
    events = []
    for i in range(40):
        for name, kind, tid, at, dur in (
            ('cudaLaunchKernel', 'cuda_runtime', 1, 1000 + 100 * i, 4),
            ('gemm', 'kernel', 7, 1010 + 100 * i, 60),
        ):
            pid = 0 if kind == 'kernel' else 1
            place = {'ph': 'X', 'name': name, 'cat': kind, 'pid': pid, 'tid': tid}
            args = {'correlation': i + 1, 'device': 0, 'stream': 7}
            events.append({**place, 'ts': at, 'dur': dur, 'args': args})
    write('trace.json', json.dumps({'traceEvents': events}))
    analyzers = [
        one['name']
        for one in json.loads(run('plugins', '--json').expect(0).out)['plugins']
        if one['kind'] == 'analyzer' and '.' not in one['name']
    ]
    asked = [word for name in analyzers for word in ('-a', name)]
    for file in sample(), 'trace.json':
        run('run', '--checked', *asked, '-s', 'csv:table=findings', '-o', '-', file).expect(0)


@test
def the_manual_says_what_a_run_does_not_see(_folder):
    with open(
        os.path.join(os.environ['NPROF_SOURCE'], 'share/man/nprof-run.1'), encoding='utf-8'
    ) as file:
        page = ' '.join(file.read().split())
    for name, words in UNSEEN.items():
        check(words in page, f'nprof-run(1) does not say: {words} ({name})')


@test
def what_check_has_passed_is_looked_at_no_longer(_folder):
    env = {'XDG_DATA_HOME': os.path.abspath('data'), 'NPROF_BREAK': ''}
    own = lambda **more: run(
        'run',
        '-s',
        'null',
        'in.broken',
        env={
            **env,
            'NPROF_PLUGIN_PATH': os.path.abspath('plugins'),
            'NPROF_BREAK': 'umask',
            **more,
        },
    )
    broken('').expect(0)
    own().expect(5, err='*broke the contract (the umask was changed: it is now 123) in decode*')
    run('check', '--time-limit', '20', 'plugins/broken.so', env=env).expect(0)
    own().expect(5)  # its decoder had no sample
    run('check', '--time-limit', '20', '--input', 'in.broken', 'plugins/broken.so', env=env).expect(
        0
    )
    check_same(
        read('data/nprof/plugins/checked').decode(),
        hashlib.sha256(read(BROKEN)).hexdigest() + '\n',
        'checked',
    )
    own().expect(0)
    run(
        'run',
        '--checked',
        '-s',
        'null',
        'in.broken',
        env={**env, 'NPROF_PLUGIN_PATH': os.path.abspath('plugins'), 'NPROF_BREAK': 'umask'},
    ).expect(5)
    write('plugins/broken.so', read(BROKEN) + b'more')
    own().expect(5)


@test
def what_has_lived_again_lives_on_behind_no_other_run(_folder):
    """But on its first small file, with other options, with --checked, or once its file changes."""
    if 'thread' in os.environ.get('NPROF_SANITIZE', ''):
        raise Skip('nothing lives again beside the sanitizer of threads')
    tried = 'home-/nprof/plugins/tried'
    broken('', '-a', 'vendor.broken').expect(0)
    kept = read(tried)
    check_same(len(kept.split()), 2, 'the decoder, the analyzer')
    second = lambda *args, file='in.broken': run(
        'run',
        *args,
        '-s',
        'null',
        file,
        env={
            'NPROF_PLUGIN_PATH': os.path.abspath('plugins'),
            'NPROF_BREAK': 'unequal',
            'XDG_DATA_HOME': os.path.abspath('home-'),
        },
    )
    second().expect(0)
    check_same(read(tried), kept, 'what lives no more')
    second('--checked').expect(5, err='*(variations: the result is another *')
    write('large.broken', 'broken ' + 'x' * (1 << 20))
    os.remove(tried)
    second(file='large.broken').expect(0)
    check_same(len(read(tried).split()), 1, 'it lived without a file')
    second().expect(5)
    write(tried, kept)
    write('plugins/broken.so', read(BROKEN) + b'more')
    second().expect(5)
    homeless = {
        'NPROF_PLUGIN_PATH': os.path.abspath('plugins'),
        'XDG_DATA_HOME': '',
        'HOME': os.path.abspath('absent'),
    }
    run('run', '-s', 'null', 'in.broken', env=homeless).expect(0)
    check(not os.path.exists('absent'), 'a run makes no home')


@test
def no_break_takes_a_report_along(_folder):
    for name in breaks():
        if name in COPIES or SANITIZED and name in CRASHES:
            continue
        write('in.broken', 'broken 0123456789')
        result = unasked(name, 'report', '--call-limit', '1', sample(), 'in.broken')
        check(0 <= result.status <= 5, f'{name}: {result.describe()}')


main()
