# SPDX-License-Identifier: Apache-2.0
"""capture-xla.py - nprof capture --xla: what it asks the profiler of an XLA program, and what
becomes of each answer. The server is tests/tools/xla-stub.mjs."""

import atexit
import functools
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess

from harness import (
    Skip,
    check,
    check_same,
    environment,
    files_below,
    finish,
    main,
    read,
    run,
    sample,
    start,
    test,
)

STUB = os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools', 'xla-stub.mjs')
BUILT = os.environ['NPROF_XLA'] == '1'


@functools.cache
def server():
    """The stub and the port of each way to behave."""
    if not shutil.which('node'):
        raise Skip('node is not here')
    process = subprocess.Popen(
        ['node', STUB, sample()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    atexit.register(end, process)
    return process, json.loads(process.stdout.readline())


def end(process):
    process.stdin.close()
    process.wait()


def capture(way, *arguments, **how):
    if not BUILT:
        raise Skip('built without libcurl')
    return run('capture', '--xla', f'127.0.0.1:{server()[1][way]}', *arguments, **how)


def request():
    """The oldest one that nobody has looked at."""
    return json.loads(server()[0].stdout.readline())


def profiles(folder='.'):
    return glob.glob(os.path.join(folder, 'plugins', 'profile', '*', '*'))


def check_nothing_left():
    check_same(sorted(files_below('.')), [], 'what a failure left behind')


def fails(way, said, status=4, asked=1, arguments=()):
    capture(way, *arguments).expect(status, err=said)
    for _ in range(asked):
        request()
    check_nothing_left()


# -- Answers -------------------------------------------------------------------------------


@test
def the_profile_comes_where_tensorboard_looks(_folder):
    result = capture('xspace', '--ms', '1234', '-o', 'logs').expect(0, err='')
    asked = request()
    expected = {
        'way': 'xspace',
        'path': '/tensorflow.ProfilerService/Profile',
        'type': 'application/grpc',
        'te': 'trailers',
        'framed': True,
        'ms': 1234,
        'emit': 1,
        'host': '127.0.0.1',
        'options': {'5': 1, '2': 2, '3': 1, '7': 1, '9': 1234},
        'repository': os.path.abspath('logs/plugins/profile'),
    }
    check_same({k: asked[k] for k in expected}, expected, 'request')
    check(re.fullmatch(r'\d{4}(_\d\d){5}', asked['session']), asked['session'])
    check(re.fullmatch(r'\d{5,6}m', asked['limit']), asked['limit'])
    saved = f'logs/plugins/profile/{asked["session"]}/127.0.0.1.xplane.pb'
    check_same(result.out, f'saved {saved}\nTo look at it: nprof view {saved}\n', 'what is said')
    check_same(read(saved), read(sample()), 'profile')
    check_same(profiles('logs'), [saved], 'files')
    run('info', 'logs').expect(0, out='*xplane*')  # as a log folder of TensorBoard


@test
def two_captures_in_one_second_have_a_folder_each(_folder):
    """Of three in a row two begin in the same second, unless one lasts longer."""
    for _ in range(3):
        capture('xspace', '--ms', '1').expect(0)
        request()
    check_same(len(profiles()), 3, 'profiles')


@test
def an_xspace_in_pieces_is_joined(_folder):
    capture('halves').expect(0)
    request()
    check_same(read(profiles()[0]), read(sample()) + b'\x22\x01b', 'profile')


@test
def older_servers(_folder):
    """They name the file of a tool, or write it where they were asked to."""
    for way in ('tool', 'repository'):
        result = capture(way, '-o', way).expect(
            0, out=f'saved {way}/plugins/profile/*/127.0.0.1.xplane.pb'
        )
        request()
        check_same(read(profiles(way)[0]), read(sample()), result.describe())
    capture('elsewhere', '-o', 'none').expect(
        4, err='*has written */none/plugins/profile/*xplane.pb on its own disk: copy*'
    )
    request()
    check(not os.path.exists('none'), 'a folder for nothing')


@test
def a_large_profile_comes_whole(_folder):
    capture('large').expect(0)
    request()
    check_same(os.path.getsize(profiles()[0]), (48 << 20) + 5, 'bytes')


# -- Refusals and damage ----------------------------------------------------------------------


@test
def statuses_of_grpc_are_told(_folder):
    fails(
        'unimplemented',
        r'*refused: UNIMPLEMENTED (12): unknown service\x0aof ours: expected the profiler*',
    )
    fails('internal', r'*refused: INTERNAL (13): no device\x1b?2J')
    fails('deadline', '*refused: DEADLINE_EXCEEDED (4): *--timeout*')
    fails('strange', '*refused: unknown status (99): odd*')


@test
def what_may_pass_is_tried_again(_folder):
    capture('unavailable').expect(0)
    for _ in range(3):
        request()
    shutil.rmtree('plugins')
    fails('busy', '*ALREADY_EXISTS (6): another session: another capture is under way*', asked=3)


@test
def an_empty_recording_is_no_profile(_folder):
    fails('empty', '*recorded nothing in 2000 ms*--ms*')


@test
def damaged_answers(_folder):
    for way, said in (
        ('compressed', '*compressed*'),
        ('cut', '*answer is cut*'),
        ('two', '*more than one message*'),
        ('noframe', '*ends within its frame*'),
        ('garbage', '*byte * of the answer: expected a field*'),
        ('noxspace', '*byte 0 of the answer: expected an XSpace*'),
        ('nostatus', '*HTTP status 200*no status of gRPC*'),
        ('notfound', '*HTTP status 404*no status of gRPC*'),
        ('reset', '*expected a server of gRPC*'),
    ):
        fails(way, said)


@test
def other_servers_and_none(_folder):
    capture('http1').expect(4, err='*127.0.0.1:*expected a server of gRPC without TLS*')
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))  # bound, and nobody listens
        port = taken.getsockname()[1]
        run('capture', '--xla', f'127.0.0.1:{port}').expect(4, err=f'*127.0.0.1:{port}: *9012*')
    run('capture', '--xla', 'no.such.host.invalid:1').expect(4, err='*no.such.host.invalid*')
    check_nothing_left()


@test
def a_server_that_hangs(_folder):
    fails(
        'hang',
        '*no answer before the time was over*--timeout*',
        arguments=['--ms', '100', '--timeout', '1'],
    )


@test
def ctrl_c_ends_it_with_130(_folder):
    if not BUILT:
        raise Skip('built without libcurl')
    process = start(
        'capture',
        '--xla',
        f'127.0.0.1:{server()[1]["hang"]}',
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    request()
    process.send_signal(signal.SIGINT)
    finish(process).expect(130, out='', err='')
    check_nothing_left()


@test
def a_folder_that_cannot_be_written(_folder):
    capture('xspace', '-o', '/proc/none').expect(4, err='*/proc/none*')
    request()


# -- Wrong use -----------------------------------------------------------------------------------


@test
def wrong_use(_folder):
    for address in (
        'localhost',
        'localhost:',
        ':9012',
        'a b:1',
        'x/y:80',
        'user@host:80',
        'host:99999999',
        '',
    ):
        run('capture', '--xla', address).expect(1, err=f'*--xla {address}: expected HOST:PORT*')
    for more in (
        ['-n', 'm.neff'],
        ['-s', 'x'],
        ['--num-exec=2'],
        ['--kineto', '1'],
        ['IN1', 'x.npy'],
        ['--save-output'],
    ):
        run('capture', '--xla', 'localhost:1', *more).expect(1, err='*--xla takes --ms, --output*')
    run('capture', '--xla', 'localhost:1', '--ms', '0').expect(1, err='*--ms 0*')
    run('capture', '--xla', 'localhost:1', '--ms', '600000').expect(
        1, err='*--ms 600000: longer than --timeout 600*'
    )
    run('capture', '--ms', '5').expect(1, err='*--ms belongs to --xla and --kineto*')
    run('capture', '-o', 'x').expect(1, err='*--output belongs to --xla and --kineto*')


@test
def without_libcurl(_folder):
    if BUILT:
        raise Skip('built with libcurl')
    run('capture', '--xla', 'localhost:9012').expect(5, err='*built without libcurl*-Dxla=enabled*')


if __name__ == '__main__':
    main()
