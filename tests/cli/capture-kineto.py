# SPDX-License-Identifier: Apache-2.0
"""capture-kineto.py - nprof capture --kineto: both ends of the socket that libkineto asks for work.
The other end is written here anew, after the public sources of libkineto and dynolog: datagrams of
u64 size, char type[32] and a payload."""

import glob
import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile

from harness import check, check_same, files_below, finish, main, read, run, start, test, write

TRACE = json.dumps(
    {'traceEvents': [{'ph': 'X', 'name': 'k', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 2}]}
)
ACTIVITIES = 2


class Process:
    """Does what libkineto does in a process that was started with KINETO_USE_DAEMON=1."""

    def __init__(self, folder=None, number=0):
        self.folder = folder
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(60)
        self.socket.bind(self.address(f'dynoconfigclient{os.getpid()}-{number}'))

    def address(self, name):
        return os.path.join(self.folder, name) if self.folder else f'\0{name}\0'

    def send(self, kind, payload):
        self.socket.sendto(
            struct.pack('<Q32s', len(payload), kind) + payload, self.address('dynolog')
        )

    def answer(self):
        data = self.socket.recv(65536)
        size, kind = struct.unpack('<Q32s', data[:40])
        check_same(size, len(data) - 40, 'size of the answer')
        return kind.rstrip(b'\0').decode(), data[40:]

    def register(self, pid):
        self.send(b'ctxt', struct.pack('<iiq', 0, pid, 0))
        kind, data = self.answer()
        check_same(kind, 'ctxt', 'kind of the answer')
        return struct.unpack('<i', data)[0]

    def ask(self, pids, kind=ACTIVITIES):
        """The configuration as a dict; empty when there is none."""
        self.send(b'req', struct.pack(f'<iiq{len(pids)}i', kind, len(pids), 0, *pids))
        name, data = self.answer()
        check_same(name, 'req', 'kind of the answer')
        return dict(line.split('=', 1) for line in data.decode().splitlines())


def write_trace(config, pid, text=TRACE):
    """As ChromeTraceLogger: the pid before the ending, a file beside it first."""
    path = config['ACTIVITIES_LOG_FILE'].replace('.json', f'_{pid}.json')
    write(path + '.tmp', text)
    os.rename(path + '.tmp', path)
    return path


class Capture:
    """nprof capture of a process that is this test, with a socket in a folder of its own."""

    def __init__(self, *arguments, pid=None, env=None):
        self.folder = tempfile.mkdtemp(prefix='s', dir='.')
        self.places = tempfile.mkdtemp(prefix='t', dir='.')
        own = {
            'KINETO_IPC_SOCKET_DIR': os.path.abspath(self.folder),
            'KINETO_ONDEMAND_TRACE_DIR': os.path.abspath(self.places),
        }
        self.process = start(
            'capture',
            '--kineto',
            str(pid or os.getpid()),
            *arguments,
            env=own | (env or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def peer(self, number=0):
        """Waits until nprof listens."""
        client = Process(os.path.relpath(self.folder), number)
        while True:
            try:
                client.register(4711)
                return client
            except (FileNotFoundError, ConnectionRefusedError):
                check(self.process.poll() is None, 'nprof ended before it listened')

    def end(self):
        result = finish(self.process)
        left = [p for p in files_below(self.places) if p] + os.listdir(self.folder)
        check_same(
            [p for p in left if not p.startswith('dynoconfigclient')], [], 'what is left behind'
        )
        return result


# -- A capture ------------------------------------------------------------------------------


@test
def more_is_recorded_when_it_is_asked_for(_folder):
    """By the words of torch.profiler and the keys of libkineto; nothing of it is on by itself."""
    keys = {
        '--record-shapes': 'PROFILE_REPORT_INPUT_SHAPES',
        '--profile-memory': 'PROFILE_PROFILE_MEMORY',
        '--with-stack': 'PROFILE_WITH_STACK',
        '--with-flops': 'PROFILE_WITH_FLOPS',
        '--with-modules': 'PROFILE_WITH_MODULES',
    }
    for options in ([], list(keys), ['--with-stack']):
        capture = Capture('--ms', '250', *options)
        config = capture.peer().ask([os.getpid()])
        check_same(
            {k: config[k] for k in keys.values() if k in config},
            {keys[o]: 'true' for o in options},
            str(options),
        )
        write_trace(config, os.getpid())
        capture.end().expect(0)
    run('capture', '--xla', 'localhost:1', '--with-stack').expect(
        1, err='*--with-stack*belong to --kineto*'
    )
    run('capture', '-n', 'x.neff', '--record-shapes').expect(
        1, err='*--record-shapes*belong to --kineto*'
    )


@test
def a_process_that_asks_is_recorded(_folder):
    capture = Capture('--ms', '250')
    peer = capture.peer()
    check_same(peer.register(os.getpid()), 2, 'processes that have registered')
    config = peer.ask([os.getpid(), os.getppid()])
    check_same(
        {k: config[k] for k in ('PROFILE_START_TIME', 'ACTIVITIES_DURATION_MSECS')},
        {'PROFILE_START_TIME': '0', 'ACTIVITIES_DURATION_MSECS': '250'},
        'configuration',
    )
    where = config['ACTIVITIES_LOG_FILE']
    check(
        where.startswith(os.path.abspath(capture.places) + '/') and where.count('.json') == 1, where
    )
    check_same(peer.ask([os.getpid(), os.getppid()]), {}, 'asked again')
    write_trace(config, os.getpid())
    name = f'trace_{os.getpid()}.json'
    capture.end().expect(0, out=[f'saved {name}', f'To look at it: nprof view {name}'], err='')
    check_same(read(name).decode(), TRACE, 'trace')
    run('info', name).expect(0, out='*chrome*')


@test
def others_are_told_nothing(_folder):
    capture = Capture()
    peer = capture.peer()
    check_same(peer.ask([1, 2]), {}, 'another process')
    check_same(peer.ask([os.getpid()], kind=1), {}, 'a request for events')
    check_same(peer.ask([os.getpid()], kind=0), {}, 'a request for nothing')
    for junk in (
        b'',
        b'x',
        bytes(39),
        bytes(40),
        struct.pack('<Q32s', 5, b'req') + bytes(5),
        struct.pack('<Q32s', 16, b'req') + struct.pack('<iiq', 2, -1, 0),
        struct.pack('<Q32s', 16, b'req') + struct.pack('<iiq', 2, 1 << 30, 0),
        struct.pack('<Q32s', 99, b'ctxt') + bytes(16),
        struct.pack('<Q32s', 4, b'bye') + bytes(4),
    ):
        peer.socket.sendto(junk, peer.address('dynolog'))
    config = peer.ask([os.getpid()], kind=3)
    write_trace(config, os.getpid())
    capture.end().expect(0)


@test
def children_of_the_process_are_recorded_too(_folder):
    """As torchrun starts them: those who ask before the first has written."""
    capture = Capture('-o', 'out.json')
    first, second = capture.peer(1), capture.peer(2)
    configs = [first.ask([5001, os.getpid(), 1]), second.ask([5002, 4000, os.getpid(), 1])]
    for pid, config in zip((5001, 5002), configs):
        write_trace(config, pid, TRACE + '\n')
    capture.end().expect(
        0,
        out=[
            'saved out_5001.json',
            'saved out_5002.json',
            'To look at it: nprof view out_5001.json out_5002.json',
        ],
    )
    check_same(read('out_5002.json').decode(), TRACE + '\n', 'trace')


@test
def the_output_is_a_file_or_a_folder(_folder):
    os.mkdir('folder')
    for output, saved in (('a/b.json', 'a/b.json'), ('folder', f'folder/trace_{os.getpid()}.json')):
        capture = Capture('-o', output)
        write_trace(capture.peer().ask([os.getpid()]), os.getpid())
        capture.end().expect(0, out=f'saved {saved}')
        check(os.path.exists(saved), saved)


@test
def a_trace_is_taken_when_it_is_whole(_folder):
    capture = Capture()
    config = capture.peer().ask([os.getpid()])
    path = write_trace(config, os.getpid(), TRACE[:-1])  # a version that writes in place
    with open(path, 'a', encoding='utf-8') as file:
        check(capture.process.poll() is None, 'it was taken before its end')
        file.write('}')
    capture.end().expect(0)
    check_same(read(f'trace_{os.getpid()}.json').decode(), TRACE, 'trace')


@test
def a_trace_in_the_place_of_libkineto_is_found(_folder):
    """The error names a folder that it may not write to."""
    capture = Capture()
    pid = os.getpid()
    capture.peer().ask([pid])
    own = f'/tmp/libkineto_activities_{pid}.json'
    write(own, TRACE)
    capture.end().expect(0)
    check(not os.path.exists(own), 'it was moved')


@test
def abstract_names(_folder):
    """Without $KINETO_IPC_SOCKET_DIR; there is one such name a machine, so others may have it."""
    capture = Capture(env={'KINETO_IPC_SOCKET_DIR': ''})
    peer = Process()
    config = None
    while not config and capture.process.poll() is None:
        try:
            config = peer.ask([os.getpid()])
        except ConnectionRefusedError:
            pass
    if config:
        write_trace(config, os.getpid())
        capture.end().expect(0)
    else:
        capture.end().expect(4, err='*another daemon has the socket dynolog*')


# -- What can go wrong -------------------------------------------------------------------------


@test
def another_daemon_has_the_socket(_folder):
    first = Capture()
    first.peer()
    env = {
        'KINETO_IPC_SOCKET_DIR': os.path.abspath(first.folder),
        'KINETO_ONDEMAND_TRACE_DIR': os.path.abspath(first.places),
    }
    run('capture', '--kineto', str(os.getpid()), env=env).expect(
        4, err='*another daemon has the socket dynolog*dyno gputrace*'
    )
    first.process.send_signal(signal.SIGINT)
    first.end().expect(130, out='', err='')


@test
def a_socket_that_was_left_behind_is_taken_over(_folder):
    capture = Capture(env={'KINETO_IPC_SOCKET_DIR': os.path.abspath('.')})
    capture.folder = '.'
    capture.peer()
    capture.process.kill()
    finish(capture.process)
    check(os.path.exists('dynolog'), 'a killed nprof leaves its socket')
    again = Capture(env={'KINETO_IPC_SOCKET_DIR': os.path.abspath('.')})
    client = Process('.', 9)
    config = {}
    while not config:
        try:
            config = client.ask([os.getpid()])
        except (FileNotFoundError, ConnectionRefusedError):
            check(again.process.poll() is None, 'nprof ended before it listened')
    write_trace(config, os.getpid())
    again.end().expect(0)


@test
def a_process_that_does_not_ask(_folder):
    Capture('--ms', '100', '--timeout', '1').end().expect(
        4, err=f'*process {os.getpid()} has not asked within 1 s (--timeout)*KINETO_USE_DAEMON=1*'
    )


@test
def a_process_that_writes_nothing(_folder):
    capture = Capture('--ms', '100', '--timeout', '1')
    capture.peer().ask([os.getpid()])
    capture.end().expect(4, err='*was told to record 100 ms but wrote no trace within 1 s*')


@test
def one_of_several_that_writes_nothing(_folder):
    capture = Capture('--ms', '100', '--timeout', '1')
    peer = capture.peer()
    configs = [peer.ask([pid, os.getpid()]) for pid in (5001, 5002)]
    write_trace(configs[1], 5002)
    capture.end().expect(
        3,
        out='saved trace_5002.json',
        err='*warning: process 5001 was told to record 100 ms but wrote no trace',
    )
    check_same(glob.glob('*.json'), ['trace_5002.json'], 'files')


@test
def a_process_that_ends(_folder):
    other = subprocess.Popen(['cat'], stdin=subprocess.PIPE)
    capture = Capture(pid=other.pid)
    capture.peer().ask([other.pid])
    other.stdin.close()
    other.wait()
    capture.end().expect(4, err=f'*process {other.pid} has ended before its trace was there*')
    run('capture', '--kineto', str(other.pid)).expect(4, err='*no such process*')


@test
def a_place_that_cannot_be_written(_folder):
    capture = Capture('-o', '/proc/none/x.json')
    write_trace(capture.peer().ask([os.getpid()]), os.getpid())
    capture.end().expect(4, err='*/proc/none*')


@test
def wrong_use(_folder):
    for pid in ('0', '-1', 'x'):
        result = run('capture', '--kineto', pid)
        check(result.status == 1 and re.search('kineto|x', result.err), result.describe())
    run('capture', '--kineto', '1', '-n', 'm.neff').expect(1, err='*--kineto takes --ms, --output*')


if __name__ == '__main__':
    main()
