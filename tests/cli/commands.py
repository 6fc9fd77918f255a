# SPDX-License-Identifier: Apache-2.0
"""commands.py - what holds for every command, whatever it reads: no output replaces an input, what
the caller ignores ends nothing, and a limit of the size of files is an error; signals: kill.py."""

import os
import resource
import shutil
import signal
import subprocess

import xspace
from harness import (
    NPROF,
    SAMPLES,
    add_test,
    check,
    check_same,
    environment,
    files_below,
    finish,
    main,
    read,
    run,
    start,
    test,
    write,
)

ALIAS = {
    'itself': 'in.xplane.pb',
    'link': 'link.json',
    'hard-link': 'hard.json',
    'long-way': './out/../in.xplane.pb',
}
WRITERS = {
    'report': ['report', '--format', 'html'],
    'flame': ['flame', '--format', 'folded'],
    'diff': ['diff', '--format', 'json'],
    'gate': ['gate', '--format', 'json'],
    'csv': ['run', '-s', 'csv:table=events'],
    'chrome': ['run', '-s', 'chrome'],
    'sqlite': ['run', '-s', 'sqlite'],
    'xlsx': ['run', '-s', 'xlsx'],
    'text': ['run', '-s', 'text'],
}


def profile(rows=50):
    path = write('in.xplane.pb', xspace.many(rows))
    os.makedirs('out', exist_ok=True)
    os.symlink(path, 'link.json')
    os.link(path, 'hard.json')
    return path


def replaces_no_input(writer):
    path = profile()
    before = files_below('.')
    inputs = (
        [path, path] if writer == 'diff' else [path, 'busy > 0%'] if writer == 'gate' else [path]
    )
    for alias in ALIAS.values():
        words = ['-o', alias, *inputs]
        run(*WRITERS[writer], *words).expect(1, out='', err='*is the input*')
        check_same(files_below('.'), before, f'{writer} -o {alias}')
    check(os.path.islink('link.json'), f'{writer}: the link was replaced')


for writer_name in WRITERS:
    add_test(
        'no-input-is-replaced-by-' + writer_name,
        lambda _folder, w=writer_name: replaces_no_input(w),
    )


@test
def no_input_in_a_folder_is_replaced(_folder):
    """Names that the sink chooses: the input is what an older run wrote there."""
    run('run', '-s', 'parquet', '-o', 'out', profile()).expect(0)
    before = files_below('out')
    run('run', '-s', 'parquet', '-o', 'out', '--name', 'x', 'out/events.parquet').expect(
        1, err='*is the input*'
    )
    check_same(files_below('out'), before, 'the folder')
    os.mkdir('states')
    shutil.copy(os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb'), 'states/rank-00000-00001.nps')
    run('map', '-o', '.', '--force', '--rank', '0', 'states/rank-00000-00001.nps').expect(
        1, err='*is the input*'
    )


@test
def no_input_is_replaced_by_way_of_a_pipe(_folder):
    path = profile()
    before = read(path)
    with open(path, 'rb') as source, open(path, 'ab') as target:
        process = subprocess.run(
            [NPROF, 'run', '-s', 'csv:table=events', '-o', '-', '-'],
            stdin=source,
            stdout=target,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    check(process.returncode == 1 and b'is the input' in process.stderr, process)
    check_same(read(path), before, 'the input')


def keeps(name, *words):
    before = read(name)
    run(*words).expect(
        1, err=f'*this is the input *{os.path.basename(name)}, which the output would replace*'
    )
    check_same(read(name), before, f'{name} after {words!r}')


@test
def no_state_clocks_or_configuration_is_replaced(_folder):
    path = os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb')
    run('map', '-q', '--rank', '0', '-o', 'job', path).expect(0)
    state = [os.path.join(at, name) for at, _, names in os.walk('job') for name in names][0]
    os.symlink(state, 'state.md')
    for output in (state, 'state.md'):
        keeps(state, 'reduce', '--partial', '-o', output, 'job')
        keeps(state, 'reduce', '--format', 'markdown', '-o', output, 'job')
    clocks = write('clocks.csv', 'clock,offset_ns,at_unix_ns,drift_ppm\nrank 0,0,0,0\n')
    write('c.json', '{"jobs": 1}')
    for words in (
        ['-s', 'csv:table=events', '-o', 'clocks.csv', '--clocks', clocks],
        ['-s', 'chrome', '-o', 'c.json', '--config', 'c.json'],
    ):
        keeps(words[3], 'run', *words, path)


@test
def the_folder_of_an_output_is_there(_folder):
    path = profile()
    for words in (
        ['report', '-o', 'typo/x.html'],
        ['run', '-s', 'chrome', '-o', 'typo/x.json'],
        ['flame', '-o', 'typo/x.json'],
        ['run', '-s', 'csv', '-o', 'typo/x.csv'],
    ):
        run(*words, path).expect(1, err='*there is no folder typo: make it first*')
        check(not os.path.exists('typo'), words)
    run('run', '-s', 'csv', '-o', 'new/folder', path).expect(0)


@test
def an_empty_name_is_said(_folder):
    path = profile()
    for words in (
        ['report', ''],
        ['info', ''],
        ['run', '-s', 'null', ''],
        ['diff', path, ''],
        ['flame', ''],
        ['gate', '', 'step < 1s'],
        ['sql', '', 'select 1'],
        ['view', '--ingest-only', ''],
        ['map', '-o', 'job', ''],
        ['reduce', ''],
    ):
        run(*words).expect(1, out='', err='nprof: error: "": the name of an input is empty: name *')


@test
def map_is_told_where_to(_folder):
    path = profile()
    before = sorted(os.listdir())
    run('map', '--rank', '0', path).expect(
        1, out='', err='*-o is missing: name the folder of the job*'
    )
    run('map', '--rank', '0', '-o', '-', path).expect(
        1, out='', err='*-o -: states are files of a folder*'
    )
    check_same(sorted(os.listdir()), before, 'files')


@test
def a_folder_without_recordings_of_its_own_says_so(_folder):
    """A folder of sources holds samples somewhere below; TensorBoard's log folder has them where
    they belong."""
    for at in ('sources/share/samples', 'logs/plugins/profile/run1'):
        os.makedirs(at)
        shutil.copy(os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb'), at)
    write('sources/main.c', 'int main (void) {}')
    says = 'nprof: sources: no recording lies in this folder itself: read 1 below it, sources/share/samples/synthetic_tpu.xplane.pb'
    run('report', 'sources').expect(0, err=says)
    run('report', 'sources/').expect(
        0, err='nprof: sources/: no recording lies in this folder itself: *'
    )
    for folder in ('sources/share/samples', 'logs'):
        run('report', folder).expect(0, err='')


@test
def what_the_caller_ignores_ends_nothing(_folder):
    """nohup."""
    path = write('in.xplane.pb', xspace.many(20000))
    process = start(
        'run',
        '-q',
        '-o',
        'out',
        path,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    while process.poll() is None:  # at each of its moments
        process.send_signal(signal.SIGHUP)
    check_same(process.returncode, 0, 'status')


@test
def a_limit_of_the_size_of_files_is_an_error(_folder):
    path = write('in.xplane.pb', xspace.many(20000))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))

    for words in (
        ['run', '-o', 'out'],
        ['run', '-s', 'chrome', '-o', 'out.json'],
        ['run', '-s', 'sqlite', '-o', 'out.sqlite'],
        ['run', '-s', 'parquet', '-o', 'out'],
    ):
        process = start(*words, path, stderr=subprocess.PIPE, preexec_fn=limit)
        _, said = process.communicate()
        # The database is made in a temporary file: this machine had no room for it.
        check_same(process.returncode, 7 if 'sqlite' in words else 4, f'status of {words}: {said}')
        check(b'File too large' in said, said)
        check_same(sorted(os.listdir('.')), ['in.xplane.pb'], f'what {words} left')


def moved_program(*modules):
    """A copy of the program in a tree of its own, with these modules of its commands."""
    os.makedirs('tree/core/cli')
    os.makedirs('tree/plugins/commands')
    write('tree/core/source-folder', os.environ['NPROF_SOURCE'])
    program = os.path.abspath(shutil.copy(NPROF, 'tree/core/cli/nprof'))
    for name in modules:
        os.symlink(
            os.path.join(os.environ['NPROF_PLUGINS'], 'commands', name + '.so'),
            f'tree/plugins/commands/{name}.so',
        )
    return program


def run_moved(program, *words):
    out = subprocess.PIPE
    return finish(subprocess.Popen([program, *words], env=environment(), stdout=out, stderr=out))


@test
def a_command_whose_module_is_missing_names_its_package(_folder):
    program = moved_program('info')
    run_moved(program, 'info', '--help').expect(0, err='')
    for name in ('report', 'view', 'sql'):
        run_moved(program, name, 'x').expect(
            1,
            out='',
            err=f'nprof: error: command {name}: there is no '
            f'{os.path.abspath("tree")}/*/plugins/commands/{name}.so: install package nprof*',
        )
    listed = run_moved(program, '--help').expect(0).out
    check('  info ' in listed and '  run ' in listed, listed)
    check('  report ' not in listed, listed)


@test
def a_module_of_another_nprof_is_refused(_folder):
    program = moved_program('info')
    other = 'struct { const char *version; int (*run) (int, char **); } np_command = {"0.0", 0};'
    write('other.c', other)
    write('none.c', 'int nothing;')
    modules = 'tree/plugins/commands'
    for source, name in (('other.c', 'report'), ('none.c', 'diff')):
        compiler = os.environ['NPROF_CC'].split()
        subprocess.run(
            [*compiler, '-shared', '-fPIC', '-o', f'{modules}/{name}.so', source], check=True
        )
        run_moved(program, name, 'x').expect(
            1, out='', err=f'nprof: error: command {name}: */{name}.so is not of nprof *: install *'
        )
    write(f'{modules}/gate.so', read(f'{modules}/info.so')[:40])
    run_moved(program, 'gate', 'x').expect(
        1, out='', err='nprof: error: command gate: */gate.so*: install package nprof*'
    )


main()
