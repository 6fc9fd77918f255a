# SPDX-License-Identifier: Apache-2.0
"""harness.py - what the CLI tests share: running nprof in a folder of its own, checks that say
what differed, and a report in TAP.  What nprof should do stands in the test files.

Environment (set by meson): NPROF the program, NPROF_SAMPLES share/samples.
"""

import atexit
import configparser
import csv
import errno
import fcntl
import fnmatch
import functools
import glob
import io
import json
import os
import pty
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback

NPROF = os.environ.get('NPROF', 'nprof')
SAMPLES = os.environ.get('NPROF_SAMPLES', '')
TIMEOUT = 60  # seconds; only a program that hangs takes so long


class Skip(Exception):
    """A test raises this with the reason why it cannot run here."""


class Result:
    def __init__(self, command, status, out, err):
        self.command = command
        self.status = status
        self.out = out
        self.err = err

    def describe(self):
        return (
            f'$ {self.command}\nexit status {self.status}\nstdout:\n{shorten(self.out)}'
            f'\nstderr:\n{shorten(self.err)}'
        )

    def expect(self, status, out=None, err=None):
        """The exit status, and globs of which each must match some line of the output.  out='' or
        err='' means: nothing at all.  A sanitizer's report is never right."""
        check(self.status == status, f'expected exit status {status}\n{self.describe()}')
        check('Sanitizer' not in self.err and 'runtime error' not in self.err, self.describe())
        for name, text, globs in (('stdout', self.out, out), ('stderr', self.err, err)):
            if globs is None:
                continue
            if globs == '':
                check(text == '', f'expected nothing on {name}\n{self.describe()}')
                continue
            for glob in [globs] if isinstance(globs, str) else globs:
                found = any(fnmatch.fnmatchcase(line, glob) for line in text.splitlines())
                check(found, f'no line of {name} is like `{glob}`\n{self.describe()}')
        return self


def shorten(text):
    return text if len(text) < 3000 else text[:1500] + '\n[...]\n' + text[-1500:]


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def check_same(found, expected, what):
    check(found == expected, f'{what}: expected {expected!r}, found {found!r}')


def status_of(returncode):
    """The status as a shell shows it: 128 + n for a process that signal n ended."""
    return returncode if returncode >= 0 else 128 - returncode


def node_environment():
    """Node.js runs without the pattern that meson has malloc write into what is freed: readers that
    move gigabytes take a hundred times as long with it."""
    return {k: v for k, v in os.environ.items() if k != 'MALLOC_PERTURB_'}


def run_node(arguments, **how):
    return subprocess.run(
        ['node', *arguments], env=node_environment(), capture_output=True, check=False, **how
    )


def start_node(arguments):
    """A process of Node.js that answers on stdout, line by line, what is written to its stdin."""
    return subprocess.Popen(
        ['node', *arguments],
        env=node_environment(),
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@functools.cache
def node(*arguments):
    """One process for all tests of a program: to load its libraries takes longer than most
    answers."""
    process = start_node(arguments)
    atexit.register(end_node, process)
    return process


def end_node(process):
    process.stdin.close()
    process.wait()


def ask_node(arguments, jobs):
    """The answers of a process of Node.js to jobs that it does in the current folder, a line
    each."""
    process = node(*arguments)
    try:
        process.stdin.write(json.dumps({'folder': os.getcwd(), 'jobs': jobs}) + '\n')
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in jobs]
    except BrokenPipeError:
        lines = ['']
    if '' in lines:  # it has ended; the next test has another
        node.cache_clear()
        raise AssertionError(f'{arguments[0]} failed:\n{process.stderr.read()}')
    return [json.loads(line) for line in lines]


def environment(extra=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('NPROF_', 'XDG_', 'LC_'))}
    env.update(
        {
            'LANG': 'C.UTF-8',
            'COLUMNS': '80',
            'TZ': 'UTC',
            'XDG_DATA_HOME': os.path.join(os.getcwd(), 'data-home'),  # no store leaves the test
            'XDG_CACHE_HOME': os.path.join(os.getcwd(), 'cache-home'),
        }
    )
    env.update(extra or {})
    return env


def start(*arguments, env=None, **pipes):
    """nprof as a process that the test talks to and waits for."""
    return subprocess.Popen([NPROF, *arguments], env=environment(env), **pipes)


def run(*arguments, stdin=b'', stdout=subprocess.PIPE, env=None, cwd=None):
    process = subprocess.run(
        [NPROF, *arguments],
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment(env),
        cwd=cwd,
        timeout=TIMEOUT,
        check=False,
    )
    return Result(
        'nprof ' + ' '.join(arguments),
        status_of(process.returncode),
        (process.stdout or b'').decode('utf-8', 'backslashreplace'),
        process.stderr.decode('utf-8', 'backslashreplace'),
    )


def finish(process, command='nprof'):
    """Waits for what start() began."""
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f'$ {command}\ndid not end') from None
    return Result(
        command,
        status_of(process.returncode),
        (out or b'').decode('utf-8', 'backslashreplace'),
        (err or b'').decode('utf-8', 'backslashreplace'),
    )


HELD = []  # sockets


def free_ports(number):
    """Ports that nobody else takes as long as this program runs: each is bound, and a server that
    reuses addresses, as all do, listens there beside it. Until one does, a connection is
    refused."""
    sockets = [socket.socket() for _ in range(number)]
    for s in sockets:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(('127.0.0.1', 0))
    HELD.extend(sockets)
    return [s.getsockname()[1] for s in sockets]


def free_port():
    return free_ports(1)[0]


def feed(process, path, data, keep_open=False):
    """Writes into a named pipe that the process reads.  A process that ended without opening it
    would block a plain open() for ever."""
    while True:
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        check(process.poll() is None, 'nprof ended before it read its input')
        time.sleep(0.002)
    os.set_blocking(pipe, True)
    try:
        while data:
            data = data[os.write(pipe, data) :]
    except BrokenPipeError:
        pass
    if keep_open:
        return pipe
    os.close(pipe)
    return None


def files_below(folder):
    """Relative path -> bytes; empty folders end in '/'."""
    found = {}
    for at, folders, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = read(path)
        if not folders and not names and at != folder:
            found[os.path.relpath(at, folder) + '/'] = b''
    return found


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def index_of(path):
    """What a NAME.plugin says: "KIND NAME" -> its keys."""
    index = configparser.RawConfigParser(
        delimiters='=', comment_prefixes='#', strict=True, interpolation=None
    )
    index.optionxform = str
    index.read_string(read(path).decode())
    return {group: dict(index[group]) for group in index.sections()}


def index_text(groups):
    """A NAME.plugin that says that: [("KIND NAME", {key: value})], or the names alone."""
    named = [(group, {}) if isinstance(group, str) else group for group in groups]
    return ''.join(
        f'[{group}]\n' + ''.join(f'{key}={value}\n' for key, value in keys.items())
        for group, keys in named
    )


def rows_of(text):
    """CSV as a list of dicts."""
    if isinstance(text, bytes):
        text = text.decode()
    return list(csv.DictReader(io.StringIO(text, newline='')))


def analyzers_of_reports():
    """The analyzers that every report runs, in order, as their NAME.plugin says."""
    ranks = {
        group.removeprefix('analyzer '): int(keys['rank'])
        for path in glob.glob(os.path.join(os.environ['NPROF_PLUGINS'], '*.plugin'))
        for group, keys in index_of(path).items()
        if 'rank' in keys and not {'decoder', 'inputs'} & set(keys)
    }
    return sorted(ranks, key=ranks.get)


def sample(name='synthetic_tpu.xplane.pb'):
    path = os.path.join(SAMPLES, name)
    if not os.path.exists(path):
        raise AssertionError(f'{name} is not in share/samples')
    return path


# -- TAP ----------------------------------------------------------------------

TESTS = []


def test(function):
    """Registers a test: it gets an empty folder, which is also the current one."""
    TESTS.append((function.__name__.replace('_', '-'), function))
    return function


def add_test(name, function):
    TESTS.append((name, function))


def run_one(function):
    folder = tempfile.mkdtemp(prefix='nprof-cli-')
    os.chdir(folder)
    try:
        function(folder)
    finally:
        os.chdir('/')
        shutil.rmtree(folder, ignore_errors=True)


def alone(script, *arguments, **extra):
    """Runs a script of the shell as the first process of a PID namespace, as nobody where this is
    root, and with at most 300 processes, so that one that should end and does not takes nothing
    with it."""
    words = [
        'unshare',
        *([] if os.geteuid() == 0 else ['--user', '--map-root-user']),
        '--pid',
        '--fork',
        '--kill-child=KILL',
        '--mount-proc',
    ]
    if os.geteuid() == 0:
        words += ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
        words += ['--pdeathsig', 'KILL']  # another user takes that of unshare away
    return subprocess.run(
        [*words, 'prlimit', '--nproc=300', 'sh', '-c', script, 'sh', *arguments],
        env=environment(extra),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def need_alone(*files):
    """Skips the test where there is no such process, or it cannot read these files."""
    try:
        tried = alone('for file; do test -r "$file" || exit 1; done', *files)
    except FileNotFoundError as missing:
        raise Skip(f'{missing.filename} is not here') from missing
    if tried.returncode:
        raise Skip(f'no PID namespace in which this build can be read: {tried.stderr.strip()}')


def through_terminal(width, *arguments, rows=50, errors=False, **extra):
    """The status of nprof, and the bytes that a terminal of that size gets of it (of its stderr
    too), without colours and pager if nobody says so."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', rows, width, 0, 0))
    env = environment({'TERM': 'xterm', 'NO_COLOR': '1', 'NPROF_PAGER': ''} | extra)
    del env['COLUMNS']
    process = subprocess.Popen(
        [NPROF, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs if errors else None,
        env=env,
    )
    os.close(theirs)
    data = b''
    try:
        while piece := os.read(ours, 65536):
            data += piece
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    return status_of(process.wait(TIMEOUT)), data


def on_terminal(width, *arguments, **how):
    """The page of the report as a terminal of that size gets it."""
    status, data = through_terminal(width, 'report', *arguments, **how)
    check_same(status, 0, 'exit status')
    return data.decode().replace('\r\n', '\n')


@functools.cache
def locale_of(name):
    """Variables of a user in this locale, which localedef makes once a program: it takes 1.7 s."""
    if not shutil.which('localedef') or not os.path.exists(f'/usr/share/i18n/locales/{name}'):
        raise Skip('localedef or its sources are not installed')
    path = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, path)
    subprocess.run(
        ['localedef', '-i', name, '-f', 'UTF-8', f'{path}/{name}.UTF-8'],
        check=True,
        capture_output=True,
    )
    return {'LC_ALL': name + '.UTF-8', 'LANG': name + '.UTF-8', 'LANGUAGE': name, 'LOCPATH': path}


def main():
    """Runs what is registered; arguments are globs of names to pick."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    picked = [
        t
        for t in TESTS
        if not sys.argv[1:] or any(fnmatch.fnmatchcase(t[0], g) for g in sys.argv[1:])
    ]
    if not picked:
        print('1..0 # SKIP nothing to run')
        return
    print(f'1..{len(picked)}')
    failed = 0
    for number, (name, function) in enumerate(picked, 1):
        try:
            run_one(function)
            print(f'ok {number} {name}', flush=True)
        except Skip as reason:
            print(f'ok {number} {name} # SKIP {reason}', flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            text = str(error) if isinstance(error, AssertionError) else ''
            text = text or traceback.format_exc()
            print(f'not ok {number} {name}')
            print('\n'.join('# ' + line for line in text.splitlines()), flush=True)
    sys.exit(1 if failed else 0)
