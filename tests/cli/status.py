# SPDX-License-Identifier: Apache-2.0
"""status.py - every exit status that a user can meet, and the words that come with it."""

import gzip
import os
import shutil
import signal
import sqlite3
import stat
import subprocess

from harness import (
    NPROF,
    check,
    check_same,
    environment,
    feed,
    files_below,
    finish,
    index_text,
    main,
    run,
    sample,
    start,
    status_of,
    test,
    write,
)
import xspace


def tiny(folder, name='tiny.xplane.pb'):
    return write(os.path.join(folder, name), xspace.tiny())


# -- 0 ------------------------------------------------------------------------


@test
def done_is_0(folder):
    run('run', '-o', 'out', tiny(folder)).expect(0, out='')
    check('events.csv' in files_below('out'), 'out/events.csv was not written')


@test
def a_place_that_no_sink_takes_is_said(folder):
    """Who names a folder looks there for the profile."""
    path = tiny(folder)
    os.environ['XDG_DATA_HOME'] = folder
    for sinks in (['null'], ['store', 'null']):
        result = run('run', *(word for sink in sinks for word in ('-s', sink)), '-o', 'place', path)
        result.expect(0, err='*warning: -o place: no sink of this run writes there; *')
        check(not os.path.exists('place'), 'place was made')
    run('run', '-s', 'null', path).expect(0, err='')
    run('run', '-s', 'null', '-s', 'csv', '-o', 'place', path).expect(0, err='')


@test
def only_wrong_use_is_sent_to_the_help(folder):
    for words in (
        ['view', '--ingest-only', '--store', folder],
        ['diff', tiny(folder)],
        ['sql', '-e', 'select 1'],
    ):
        result = run(*words, 'nosuch').expect(2, err='*nosuch: cannot be read: *')
        check('tells more' not in result.err, result.describe())
    run('view', '--port', '99999').expect(1, err='*nprof view --help tells more*')


@test
def help_is_0_and_names_every_command(_folder):
    for arguments in (['help'], ['--help'], ['help', 'run'], ['run', '--help']):
        run(*arguments).expect(0, err='')
    words = run('help').expect(0).out
    for command in ('run', 'report', 'info', 'plugins', 'help'):
        check(command in words, f'`nprof help` does not name {command}')


@test
def version_is_0(_folder):
    run('--version').expect(0, out='nprof *')


@test
def no_command_is_0(_folder):
    run().expect(0, out='Usage: *', err='')


# -- 1: wrong use -------------------------------------------------------------


@test
def what_others_call_it_leads_to_ours(folder):
    path = tiny(folder)
    for words, near in (
        (['compare', 'a', 'b'], 'diff'),
        (['top', path], 'report --only ops'),
        (['stats', path], 'report'),
        (['report', '--only', 'nccl', path], 'collectives'),
        (['report', '--only', 'sync', path], 'launches'),
        (['report', '--device', 'GPU 0', path], '--track'),
        (['report', '--tops', '3', path], '--top'),
        (['report', '--limit=3', path], '--top'),
        (['view', '--portt', '3'], '--port'),
        (['new', '--hepl'], '--help'),
        (['diff', '--threshold', '5%', path, path], '--fail-over'),
        (['check', '--inptu', path], '--input'),
    ):
        run(*words).expect(1, err=f'*did you mean {near}?*')
    check(
        'did you mean' not in run('report', '--zzzz', path).expect(1).err, 'nothing is near --zzzz'
    )


@test
def unknown_command_names_the_near_one(_folder):
    run('rnu').expect(1, out='', err='*rnu*run*')


@test
def unknown_option_is_1(folder):
    run('run', '--bogus', tiny(folder)).expect(1, out='', err='*--bogus*')
    check_same(sorted(files_below(folder)), ['tiny.xplane.pb'], 'files')


@test
def no_input_is_1(_folder):
    run('run').expect(1, out='')


@test
def unknown_component_names_the_near_one(folder):
    path = tiny(folder)
    run('run', '-d', 'xplan', path).expect(1, out='', err='*xplan*xplane*')
    run('run', '-s', 'cvs', path).expect(1, out='', err='*cvs*csv*')
    run('run', '-a', 'nosuch', path).expect(1, out='', err='*nosuch*')
    check_same(sorted(files_below(folder)), ['tiny.xplane.pb'], 'files')


@test
def unknown_key_names_the_near_one(folder):
    run('run', '-s', 'csv:delimeter=;', tiny(folder)).expect(1, out='', err='*delimeter*delimiter*')


@test
def value_out_of_range_is_1(folder):
    run('run', '-s', 'csv:decimal=x', tiny(folder)).expect(1, out='', err='*decimal*')
    run('run', '-j', 'many', tiny(folder)).expect(1, out='')
    for jobs in ('-1', '1025'):
        run('run', '-j', jobs, tiny(folder)).expect(
            1, out='', err=f'*-j {jobs}: expected 1 to 1024*'
        )
    for rows in ('0', '4097', 'x'):
        run('run', tiny(folder), env={'NPROF_BATCH_ROWS': rows}).expect(
            1, out='', err=f'*NPROF_BATCH_ROWS={rows}: expected 1 to 4096*'
        )
    run('run', '--from', 'yesterday', tiny(folder)).expect(1, out='', err='*yesterday*')


@test
def two_sinks_to_stdout_are_1(folder):
    run('run', '-s', 'csv', '-s', 'chrome', '-o', '-', tiny(folder)).expect(1, out='')


@test
def bad_config_is_1(folder):
    path = tiny(folder)
    write('config.json', '{"sinks": [')
    run('run', '--config', 'config.json', path).expect(1, out='', err='*config.json*')
    write('config.json', '{"sinkz": []}')
    run('run', '--config', 'config.json', path).expect(1, out='', err='*sinkz*')
    run('run', '--config', 'absent.json', path).expect(1, out='', err='*absent.json*')


# -- 2: input -----------------------------------------------------------------


@test
def absent_input_is_2(_folder):
    run('run', 'absent.xplane.pb').expect(2, out='', err='*absent.xplane.pb*')
    check_same(files_below('.'), {}, 'files')


@test
def empty_file_is_2(_folder):
    write('empty.xplane.pb', b'')
    run('run', '-o', 'out', 'empty.xplane.pb').expect(2, out='', err='*empty.xplane.pb*')
    check_same(sorted(files_below('.')), ['empty.xplane.pb'], 'files')


@test
def what_no_decoder_knows_is_2_and_is_named(folder):
    """A file is named by its content, also where it is compressed; only -v lists the bids."""
    write('notes.txt', 'not a profile\n' * 100)
    write('metrics.json', '{"resourceMetrics": [{"scopeMetrics": []}]}')
    write('metrics.gz', gzip.compress(b'{"resourceMetrics": []}'))
    sqlite3.connect('results.db').executescript('create table compute_workload (id integer)')
    kept = sorted(files_below('.'))
    for name, is_, instead in [
        ('notes.txt', 'text, but no decoder knows this format', '-d'),
        ('metrics.json', 'a file of metrics of OpenTelemetry (OTLP)', 'torch.profiler'),
        ('metrics.gz', 'a file of metrics of OpenTelemetry (OTLP)', 'torch.profiler'),
        ('results.db', 'a database of rocprof-compute', 'rocprofv3 --sys-trace'),
    ]:
        for command in ('info', 'report'):
            result = run(command, name)
            result.expect(2, out='', err=f'nprof: error: {name}: is {is_}*{instead}*')
            check('bid' not in result.err, result.err)
        run('run', '-v', '-o', 'out', name).expect(
            2, out='', err=['*what the decoders bid: *', f'*{name}: is {is_}*']
        )
    check_same(sorted(files_below(folder)), kept, 'files')


@test
def folder_without_profiles_is_2(_folder):
    os.makedirs('runs/a/b')
    write('runs/a/notes.txt', 'not a profile\n')
    run('run', '-o', 'out', 'runs').expect(2, out='', err='*runs*')
    check_same(sorted(files_below('.')), ['runs/a/b/', 'runs/a/notes.txt'], 'files')


@test
def damage_is_2_names_the_byte_and_leaves_no_file(folder):
    path = tiny(folder)
    data = xspace.tiny()
    write(path, data[: len(data) // 2])
    run('run', '-d', 'xplane', '-s', 'csv', '-s', 'chrome', '-o', 'out', path).expect(
        2, out='', err='*tiny.xplane.pb*byte*'
    )
    check_same(sorted(files_below(folder)), ['tiny.xplane.pb'], 'files')


@test
def damage_in_the_second_input_leaves_no_file(folder):
    good = tiny(folder)
    write('bad.xplane.pb', xspace.tiny()[:-20])
    run('run', '-d', 'xplane', '-o', 'out', good, 'bad.xplane.pb').expect(
        2, out='', err='*bad.xplane.pb*'
    )
    check_same(sorted(files_below(folder)), ['bad.xplane.pb', 'tiny.xplane.pb'], 'files')


# -- 3: losses ----------------------------------------------------------------


@test
def damage_with_keep_going_is_3_and_a_gap(folder):
    data = xspace.tiny()
    write('cut.xplane.pb', xspace.many(10) + data[: len(data) - 40])
    run('run', '-d', 'xplane', '--keep-going', '-o', 'out', 'cut.xplane.pb').expect(
        3, out='', err='*cut.xplane.pb*'
    )
    events = files_below('out')['events.csv'].decode()
    check(',gap,' in events, 'events.csv has no row of kind gap')
    check(events.count('matmul') >= 4, 'rows before the damage are missing')


# -- 4: a sink failed -----------------------------------------------------------


@test
def full_disk_is_no_room(folder):
    path = write(os.path.join(folder, 'many.xplane.pb'), xspace.many(2000))
    with open('/dev/full', 'wb') as full:
        run('run', '-s', 'csv', '-o', '-', path, stdout=full).expect(
            7, err='*No space left*had no room*'
        )
        run('run', '-s', 'chrome', '-o', '-', path, stdout=full).expect(
            7, err='*No space left*had no room*'
        )
        run('info', path, stdout=full).expect(7, err='*No space left*had no room*')
        for how in 'text', 'csv', 'json', 'markdown':
            run('sql', '--format', how, path, 'select * from events', stdout=full).expect(
                7, err='*stdout: No space left*had no room*'
            )
    run('run', '-s', 'chrome', '-o', '/dev/full', path).expect(7, out='', err='*/dev/full*')
    check(stat.S_ISCHR(os.stat('/dev/full').st_mode), '/dev/full was replaced')


@test
def folder_that_cannot_be_made_is_4(folder):
    path = tiny(folder)
    write('file', 'x')
    run('run', '-o', 'file/out', path).expect(4, out='', err='*file/out*')
    run('run', '-s', 'chrome', '-o', 'file/trace.json', path).expect(4, err='*file/trace.json*')


@test
def unwritable_folder_is_4(folder):
    path = tiny(folder)
    os.mkdir('locked')
    os.chmod('locked', 0o555)
    if os.geteuid() == 0:
        # Root writes everywhere but where there is nothing to write to.
        run('run', '-o', '/proc/nprof', path).expect(4, out='', err='*/proc/nprof*')
    else:
        run('run', '-o', 'locked', path).expect(4, out='', err='*locked*')
        run('run', '-o', 'locked/out', path).expect(4, out='', err='*locked*')


# -- 5: plugins ---------------------------------------------------------------


def plugin_folder(folder, name, mode=0o644):
    """A plugin that is no shared object, with the index that claims a sink `name`."""
    place = os.path.join(folder, 'plugins')
    os.mkdir(place)
    write(os.path.join(place, name + '.plugin'), index_text([f'sink {name}']))
    write(os.path.join(place, name + '.so'), 'not a shared object\n')
    os.chmod(os.path.join(place, name + '.so'), mode)
    return {'NPROF_PLUGIN_PATH': place}


@test
def broken_plugin_is_5(folder):
    env = plugin_folder(folder, 'broken')
    run('run', '-s', 'broken', tiny(folder), env=env).expect(5, out='', err='*broken.so*')


@test
def broken_plugin_that_is_not_used_does_not_matter(folder):
    env = plugin_folder(folder, 'broken')
    run('run', '-s', 'csv', '-o', 'out', tiny(folder), env=env).expect(0)
    run('plugins', env=env).expect(0, out='*broken*')


@test
def plugin_that_anybody_may_change_is_refused_with_the_chmod(folder):
    env = plugin_folder(folder, 'open', mode=0o666)
    run('run', '-s', 'open', tiny(folder), env=env).expect(5, out='', err='*chmod *open.so*')


@test
def current_folder_is_never_searched(folder):
    plugin_folder(folder, 'broken')
    os.chdir(os.path.join(folder, 'plugins'))
    run('run', '-s', 'broken', tiny(folder)).expect(1, err='*broken*')


# -- 141: the reader of stdout went away ----------------------------------------


@test
def closed_stdout_is_141(folder):
    path = write(os.path.join(folder, 'many.xplane.pb'), xspace.many(20000))
    for sink in ('csv', 'chrome'):
        process = start(
            'run', '-q', '-s', sink, '-o', '-', path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        check(process.stdout.readline(), 'no first line')
        process.stdout.close()
        error = process.stderr.read().decode()
        process.stderr.close()
        check_same(status_of(process.wait(60)), 141, f'status with -s {sink} | head -1')
        check_same(error, '', 'stderr')


@test
def head_in_a_pipeline_gets_its_line(folder):
    path = write(os.path.join(folder, 'many.xplane.pb'), xspace.many(20000))
    shell = subprocess.run(
        ['sh', '-c', '"$0" run -q -s csv -o - "$1" | head -n 1', NPROF, path],
        capture_output=True,
        env=environment(),
        check=False,
        timeout=60,
    )
    check(shell.stdout.startswith(b'input,start_ns,duration_ns,track,'), shell.stdout.decode())
    check_same(shell.stderr, b'', 'stderr')


# -- 130, 143: signals ------------------------------------------------------------


def interrupt_while_reading(folder, number):
    """The writer of a pipe is slow; it is a moment when nprof waits for input."""
    fifo = os.path.join(folder, 'slow')
    os.mkfifo(fifo)
    process = start('run', '-d', 'xplane', '-o', 'out', fifo, stderr=subprocess.PIPE)
    pipe = feed(process, fifo, xspace.tiny(), keep_open=True)
    process.send_signal(number)
    result = finish(process)
    os.close(pipe)
    os.unlink(fifo)
    check_same(sorted(files_below(folder)), [], 'files left')
    return result


def interrupt_while_writing(folder, number):
    """The reader of stdout is slow; nprof waits for it."""
    path = write(os.path.join(folder, 'many.xplane.pb'), xspace.many(20000))
    process = start(
        'run', '-s', 'csv', '-o', '-', path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(1)
    process.send_signal(number)
    try:
        status = status_of(process.wait(60))
    finally:
        process.kill()
        process.communicate()
    return status


@test
def ctrl_c_while_reading_is_130(folder):
    interrupt_while_reading(folder, signal.SIGINT).expect(130)


@test
def sigterm_while_reading_is_143(folder):
    interrupt_while_reading(folder, signal.SIGTERM).expect(143)


@test
def ctrl_c_while_writing_is_130(folder):
    check_same(interrupt_while_writing(folder, signal.SIGINT), 130, 'status')


@test
def sigterm_while_writing_is_143(folder):
    check_same(interrupt_while_writing(folder, signal.SIGTERM), 143, 'status')


# -- what goes where -----------------------------------------------------------


@test
def control_characters_reach_stderr_escaped(_folder):
    write('bad\x1b[31m.xplane.pb', b'\xff' * 40)
    result = run('run', '-d', 'xplane', '-o', 'out', 'bad\x1b[31m.xplane.pb')
    result.expect(2, out='')
    check('\x1b' not in result.err, result.describe())
    check('bad' in result.err, result.describe())


@test
def existing_file_survives_a_failure(folder):
    path = tiny(folder)
    shutil.copy(path, 'good.xplane.pb')
    write(path, xspace.tiny()[:-20])
    write('trace.json', 'old')
    run('run', '-d', 'xplane', '-s', 'chrome', '-o', 'trace.json', path).expect(2)
    check_same(files_below('.')['trace.json'], b'old', 'trace.json')
    run('run', '-s', 'chrome', '-o', 'trace.json', 'good.xplane.pb').expect(0)
    check(files_below('.')['trace.json'] != b'old', 'trace.json was not replaced')


@test
def info_and_report_read_the_sample(_folder):
    run('info', sample()).expect(0, out='*xplane*')
    run('report', sample()).expect(0)


if __name__ == '__main__':
    main()
