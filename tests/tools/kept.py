#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kept.py - which programs of tests need not run again, since nothing that they read has changed
since they passed.

usage: kept.py list FOLDER          names of the programs that must run, a line each
       kept.py kept FOLDER          how many need not, after `list`
       kept.py passed FOLDER        remembers those that passed in the last run
       kept.py trace FOLDER NAME... runs programs under strace: what they read must be among their inputs

Inputs of a program are its command, its environment, what of the build it depends on, the sources
of tests that its own name, folders of the sources that those name, share, sdk and include; and that
no package was installed. A program that depends on nothing of the build reads sources alone, which
is soon done: it always runs.
"""

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ALWAYS = ('share', 'sdk', 'include')  # nprof and plugins to be built read them
TEXTS = ('.py', '.mjs', '.js', '.c', '.h', '.cpp', '.sh')
WORD = re.compile(r'[\w.-]+')
QUOTED = re.compile(r'''['"`/ ]([\w.-]+)(?=['"`/])''')


def read(folder, name):
    with open(os.path.join(folder, 'meson-info', f'intro-{name}.json'), encoding='utf-8') as file:
        return json.load(file)


@functools.lru_cache(None)
def files_below(path):
    if os.path.isfile(path):
        return [path]
    found = []
    for at, folders, names in os.walk(path):
        folders[:] = [f for f in folders if f != '__pycache__' and not f.startswith('.')]
        found += [os.path.join(at, name) for name in names if not name.endswith('.pyc')]
    return found


@functools.lru_cache(None)
def real(path):
    """The file itself; '' where there is none."""
    path = os.path.realpath(path)
    return path if os.path.isfile(path) else ''


class Digests:
    """Of contents, remembered by size and time."""

    def __init__(self, known):
        self.known, self.used = known, {}

    def of(self, path):
        if path not in self.used:
            try:
                stat = os.stat(path)
                stamp = [stat.st_size, stat.st_mtime_ns]
                old = self.known.get(path)
                if old and old[:2] == stamp:
                    self.used[path] = old
                else:
                    with open(path, 'rb') as file:
                        self.used[path] = stamp + [
                            hashlib.blake2b(file.read(), digest_size=16).hexdigest()
                        ]
            except OSError:
                self.used[path] = [0, 0, 'none']
        return self.used[path][2]


class Programs:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        targets = read(folder, 'targets')
        self.made = {t['id']: t['filename'] for t in targets}
        self.installed = [file for t in targets if t['installed'] for file in t['filename']]
        self.installed += [
            f for f in files_below(os.path.join(self.folder, 'sdk')) if f.endswith('.pc')
        ]
        self.tests = {}
        for test in read(folder, 'tests'):
            self.tests.setdefault(test['name'], []).append(test)  # two may have one name
        self.by_name = {}
        for path in files_below(os.path.join(SOURCE, 'tests')):
            base = os.path.basename(path)
            self.by_name.setdefault(base, []).append(path)
            if base.endswith(('.py', '.mjs')):
                self.by_name.setdefault(os.path.splitext(base)[0], []).append(path)
        self.tops = {
            name for name in os.listdir(SOURCE) if not name.startswith(('.git', 'build', 'tests'))
        } - set(ALWAYS)
        indexes = [
            f
            for f in files_below(os.path.join(self.folder, 'plugins'))
            if f.endswith(('.so', '.plugin'))
        ]
        self.program = indexes + files_below(
            os.path.join(self.folder, 'share')
        )  # what nprof opens beside itself
        self.named = {}

    def named_in(self, path):
        """Files of tests, and folders of the sources, that a text names."""
        if path not in self.named:
            with open(path, encoding='utf-8', errors='replace') as file:
                text = file.read()
            self.named[path] = (
                {other for word in set(WORD.findall(text)) for other in self.by_name.get(word, ())},
                set(QUOTED.findall(text)) & self.tops,
            )
        return self.named[path]

    def sources(self, test):
        """Files of tests that its command and environment name, with those that they name; and
        folders of the sources."""
        queue = [real(word) for word in [*test['cmd'], *test['env'].values()]]
        queue = [
            path
            for path in queue
            if path.startswith(SOURCE + os.sep) and not path.startswith(self.folder + os.sep)
        ]
        if 'node' in os.path.basename(test['cmd'][0]):
            queue += files_below(os.path.dirname(queue[0]))
        found, tops = set(), set()
        while queue:
            path = queue.pop()
            if path in found:
                continue
            found.add(path)
            if path.endswith(TEXTS):
                others, names = self.named_in(path)
                queue += others
                tops |= names
        return found, [os.path.join(SOURCE, name) for name in [*ALWAYS, *sorted(tops)]]

    def inputs(self, test):
        found, folders = self.sources(test)
        for folder in folders:
            found.update(files_below(folder))
        for target in test['depends']:
            found.update(self.made.get(target, ()))
        found.update(test['cmd'])
        env = test['env']
        if 'NPROF' in env or self.folder + '/plugins' in ' '.join(env.values()):
            found.update(self.program)
        if {'NPROF_BUILD', 'NPROF_LIBRARY'} & set(env) or self.folder + '/core/embed' in env.get(
            'LD_LIBRARY_PATH', ''
        ):
            found.update(self.installed)
        return {real(path) for path in found} - {''}

    def digest(self, name, digests, around):
        whole = hashlib.blake2b(around, digest_size=16)
        for test in self.tests[name]:
            if not test['depends']:
                return None
            whole.update(
                json.dumps(
                    [test['cmd'], test['env'], test['workdir'], test['protocol']], sort_keys=True
                ).encode()
            )
            whole.update(
                '\n'.join(
                    f'{path} {digests.of(path)}' for path in sorted(self.inputs(test))
                ).encode()
            )
        return whole.hexdigest()


def around():
    """What is outside of the sources and the build: variables, packages, folders of programs and of
    real traces."""
    names = ('PATH', 'LANG', 'TMPDIR')
    said = sorted(
        (k, v)
        for k, v in os.environ.items()
        if k.startswith(('NPROF_', 'LC_', 'G_')) or k in names[:2]
    )
    folders = ['/var/lib/dpkg/status', '/usr/lib', *os.environ.get('PATH', '').split(':')]
    folders += [v for k, v in said if k.startswith('NPROF_') and os.path.isdir(v)]
    stamps = [(f, os.stat(f).st_mtime_ns) for f in folders if os.path.exists(f)]
    return json.dumps([said, stamps, os.geteuid()]).encode()


def remembered(folder):
    try:
        with open(os.path.join(folder, 'kept.json'), encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return {'files': {}, 'passed': {}}


def now(folder):
    state, programs = remembered(folder), Programs(folder)
    digests, outside = Digests(state['files']), around()
    found = {name: programs.digest(name, digests, outside) for name in programs.tests}
    state['files'] = digests.used
    return state, found


def is_kept(state, name, digest):
    return digest is not None and state['passed'].get(name) == digest


def list_programs(folder):
    state, found = now(folder)
    with open(os.path.join(folder, 'kept.now'), 'w', encoding='utf-8') as file:
        json.dump(
            {'files': state['files'], 'found': found}, file
        )  # as they were when the programs began
    for name, digest in found.items():
        if not is_kept(state, name, digest):
            print(name)


def begun(folder):
    with open(os.path.join(folder, 'kept.now'), encoding='utf-8') as file:
        return json.load(file)


def passed(folder):
    state, before = remembered(folder), begun(folder)
    with open(os.path.join(folder, 'meson-logs', 'testlog.json'), encoding='utf-8') as log:
        results = [json.loads(line) for line in log if line.strip()]
    bad = {r['name'].rsplit(' / ', 1)[-1] for r in results if r['result'] not in ('OK', 'SKIP')}
    ran = {r['name'].rsplit(' / ', 1)[-1] for r in results}
    for name in ran:
        state['passed'].pop(name, None)
        if name not in bad and before['found'].get(name):
            state['passed'][name] = before['found'][name]
    state['files'] = before['files']
    with open(os.path.join(folder, 'kept.json.new'), 'w', encoding='utf-8') as file:
        json.dump(state, file)
    os.replace(os.path.join(folder, 'kept.json.new'), os.path.join(folder, 'kept.json'))


OF_BUILD = re.compile(
    r'/\.git/|\.pyc$|/\.ninja_|/build\.ninja$|/meson-(logs|private)/|/core/source-folder$'
)  # what no result hangs on
OPENED = re.compile(r'(?:open|openat|execve|stat|newfstatat|readlink)\((?:AT_FDCWD, )?"([^"]+)"')


def trace(folder, names):
    programs, bad = Programs(folder), 0
    for name in names or programs.tests:
        for test in programs.tests[name]:
            if not test['depends']:
                continue
            with tempfile.NamedTemporaryFile('r', encoding='utf-8', errors='replace') as log:
                subprocess.run(
                    [
                        'strace',
                        '-f',
                        '-z',
                        '-s',
                        '4096',
                        '-e',
                        'trace=open,openat,execve',
                        '-o',
                        log.name,
                        *test['cmd'],
                    ],
                    env={**os.environ, **test['env']},
                    cwd=test['workdir'] or folder,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
                seen = {
                    os.path.realpath(os.path.join(folder, path))
                    for path in OPENED.findall(log.read())
                }
            inputs = programs.inputs(test)
            others = sorted(
                path
                for path in seen
                if path.startswith(SOURCE + os.sep)
                and os.path.isfile(path)
                and path not in inputs
                and not OF_BUILD.search(path)
            )
            for path in others:
                print(f'{name}: reads {os.path.relpath(path, SOURCE)}, which is none of its inputs')
            bad += len(others)
    return 1 if bad else 0


def main():
    command, folder = sys.argv[1:3]
    if command == 'list':
        list_programs(folder)
    elif command == 'kept':
        state = remembered(folder)
        print(sum(is_kept(state, name, digest) for name, digest in begun(folder)['found'].items()))
    elif command == 'passed':
        passed(folder)
    elif command == 'trace':
        return trace(os.path.abspath(folder), sys.argv[3:])
    else:
        sys.exit(__doc__)
    return 0


if __name__ == '__main__':
    sys.exit(main())
