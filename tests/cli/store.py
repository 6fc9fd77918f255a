# SPDX-License-Identifier: Apache-2.0
"""store.py - stored profiles: what comes out of `n_...` is what comes out of its files, and a store
is there as a whole or not at all."""

import glob
import os
import random
import re
import shutil
import signal
import subprocess
import time

import xspace
from harness import (
    Skip,
    add_test,
    check,
    check_same,
    files_below,
    main,
    read,
    run,
    sample,
    start,
    test,
    write,
)
from samples import MAKERS, samples_for

DATA = os.environ.get('NPROF_TEST_DATA')
PROFILES = os.path.join('data-home', 'nprof', 'profiles')


def stored(*inputs, options='', env=None):
    """Stores the inputs: the name of the profile."""
    result = run('run', '-s', 'store' + options, *inputs, env=env)
    result.expect(0)
    return re.search(r'Profile "(n_[0-9a-f]{40})" is stored: ', result.err).group(1)


def outputs(*arguments, env=None):
    """All files that the csv sink writes, without the manifest, which names the inputs."""
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-s', 'csv', '-o', 'out', *arguments, env=env).expect(0)
    files = files_below('out')
    files.pop('manifest.json')
    return files


def check_round_trip(*inputs):
    want = outputs(*inputs)
    name = stored(*inputs)
    found = outputs(name)
    check_same(sorted(found), sorted(want), f'{inputs}: files')
    for file, data in want.items():
        check(found[file] == data, f'{inputs}: {file} differs')


# -- Round trips -------------------------------------------------------------------


def round_trips(decoder):
    files = samples_for(decoder)
    for file in files:
        check_round_trip(file)
    if len(files) > 1:
        check_round_trip(*files)


for kind in sorted(MAKERS):
    if kind != 'store':
        add_test('round-trip-' + kind, lambda _folder, d=kind: round_trips(d))


def real_files():
    paths = (
        sorted(
            glob.glob(os.path.join(DATA, 'xplane', '*'))
            + glob.glob(os.path.join(DATA, 'json', '*'))
        )
        if DATA
        else []
    )
    return [p for p in paths if not os.path.basename(p).startswith(('bad_', 'not_a_'))]


@test
def real_round_trips(_):
    if not DATA:
        raise Skip('no real traces here')
    for path in real_files():
        if os.path.getsize(path) < 3000000 or os.environ.get('NPROF_TEST_ALL'):
            check_round_trip(path)
            shutil.rmtree(PROFILES)


@test
def report_of_a_stored_profile(_):
    path = os.path.abspath(sample())
    name = stored(path)
    check_same(run('report', name[:8]).expect(0).out, run('report', path).expect(0).out, 'report')
    run('diff', name[:8], path).expect(0)


@test
def analyzers_run_anew(_):
    """Rows that they added are kept and marked, and are no input of theirs."""
    path = os.path.abspath(sample())
    plain = outputs(path)
    run('run', '-a', 'device', '-a', 'mfu', '-s', 'store', path).expect(0)
    name = os.listdir(PROFILES)[0]
    check_same(sorted(outputs(name)), sorted(plain), 'tables')
    check(outputs(name)['events.csv'] == plain['events.csv'], 'events differ')
    with_both = outputs('-a', 'device', '-a', 'mfu', path)
    found = outputs('-a', 'device', '-a', 'mfu', name)
    for file, data in with_both.items():
        check(found[file] == data, f'{file} differs')


# -- Names --------------------------------------------------------------------------


@test
def prefixes(_):
    name = stored(sample())
    run('run', '-s', 'null', name).expect(0)
    run('run', '-s', 'null', name[:8]).expect(0)
    run('run', '-s', 'null', name[:7]).expect(2, err='*cannot be read: No such file*')
    run('run', '-s', 'null', 'n_ffffffff').expect(2, err='*no stored profile of that name*')
    os.mkdir(os.path.join(PROFILES, name[:9] + 31 * ('0' if name[9] != '0' else '1') + name[40:]))
    run('run', '-s', 'null', name[:8]).expect(2, err=f'*could be n_*and n_*: give more digits*')
    run('run', '-s', 'null', name).expect(0)


@test
def an_existing_file_wins(_):
    name = stored(sample())
    shutil.copy(sample('node-workload.trace.json'), name[:10])
    want = outputs(name[:10])['events.csv']
    check(b'XLA' not in want, 'the stored profile was taken')


@test
def folder_option_and_mode(_):
    name = stored(sample(), options=':folder=elsewhere')
    check(os.path.isdir(os.path.join('elsewhere', name)), 'no store there')
    check_same(os.stat('elsewhere').st_mode & 0o777, 0o700, 'mode of the folder')
    check_same(os.stat(os.path.join('elsewhere', name)).st_mode & 0o777, 0o700, 'mode of the store')
    run('run', '-s', 'null', name).expect(2)  # looked for in one place only


@test
def a_part_of_a_store(_):
    name = stored(sample())
    run('run', '-s', 'null', os.path.join(PROFILES, name, 'meta')).expect(2)
    run('run', '-s', 'null', os.path.join(PROFILES, name, 'inputs', '0')).expect(0)
    shutil.copy(os.path.join(PROFILES, name, 'inputs', '0'), 'alone')
    run('run', '-s', 'null', 'alone').expect(2, err='*name the profile itself, n_*')


# -- The same bytes ------------------------------------------------------------------


@test
def same_bytes(_):
    """For any number of threads and any batch size; meta holds a random generation and the time."""
    write('many.xplane.pb', xspace.many(3000))
    for path in ('many.xplane.pb', sample('node-workload.trace.json')):
        first = None
        for jobs, rows in (('1', '4096'), ('2', '4096'), ('2', '7'), ('1', '1')):
            name = stored('-j', jobs, path, env={'NPROF_BATCH_ROWS': rows})
            found = files_below(os.path.join(PROFILES, name))
            found.pop('meta')
            first = first or found
            check_same(sorted(found), sorted(first), f'-j {jobs}, {rows} rows: files')
            for file, data in first.items():
                check(found[file] == data, f'{path}: -j {jobs}, {rows} rows: {file} differs')


# -- All or nothing -------------------------------------------------------------------


@test
def a_failed_run_leaves_nothing(_):
    data = xspace.many(2000)
    write('cut.xplane.pb', data[:-7])
    run('run', '-s', 'store', 'cut.xplane.pb').expect(2)
    check_same(os.listdir(PROFILES), [], 'what is left')
    run('run', '-s', 'store', '--keep-going', 'cut.xplane.pb').expect(3)
    check_same(len(os.listdir(PROFILES)), 1, 'stores')


@test
def damage_is_found(_):
    name = stored(sample())
    path = os.path.join(PROFILES, name, 'rows')
    data = bytearray(read(path))
    data[len(data) // 2] ^= 4
    write(path, bytes(data))
    run('run', '-s', 'null', name).expect(2, err='*/rows: byte *: the block is damaged*')
    write(path, bytes(data[:-64]))
    run('run', '-s', 'null', name).expect(2, err='*/rows: byte *: expected a file of*')


def killed(after, path):
    process = start('run', '-s', 'store', path, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    return process.wait() != 0


@test
def killed_at_any_moment(_):
    """Either the older store is there, or the newer one, or, where there was none, none."""
    write('p.xplane.pb', xspace.many(6000))
    begin = time.perf_counter()
    name = stored('p.xplane.pb')
    lasts = time.perf_counter() - begin
    want = outputs('p.xplane.pb')['events.csv']
    moments = random.Random(1)
    turn = cut = 0
    while turn < 30 or (not cut and turn < 120):  # a busy machine may need more
        turn += 1
        if turn % 2:
            shutil.rmtree(PROFILES, ignore_errors=True)
        older = name in os.listdir(PROFILES) if os.path.isdir(PROFILES) else False
        cut += killed(moments.random() * lasts, 'p.xplane.pb')
        there = os.path.isdir(os.path.join(PROFILES, name))
        check(there or not older, f'turn {turn}: the older store is gone')
        if there:
            check(outputs(name)['events.csv'] == want, f'turn {turn}: what is there is not whole')
    check(cut > 0, 'no run was killed before it had ended')
    stored('p.xplane.pb')
    check_same(os.listdir(PROFILES), [name], 'what is left after a run that ended')


@test
def two_writers(_):
    """The second one says that the first is at work."""
    write('p.xplane.pb', xspace.many(2000))
    os.mkfifo('pipe')
    name = stored('p.xplane.pb')
    os.rename(os.path.join(PROFILES, name), os.path.join(PROFILES, name + '.part'))
    import fcntl  # pylint: disable=import-outside-toplevel

    held = os.open(os.path.join(PROFILES, name + '.part'), os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    run('run', '-s', 'store', 'p.xplane.pb').expect(4, err='*is being written by another nprof*')
    check(
        os.path.exists(os.path.join(PROFILES, name + '.part', 'meta')),
        "the other writer's files are gone",
    )
    os.close(held)
    stored('p.xplane.pb')
    check_same(os.listdir(PROFILES), [name], 'what is left')


main()
