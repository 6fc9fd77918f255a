# SPDX-License-Identifier: Apache-2.0
"""golden.py - cases/*.case: command lines with all that they print, compared to the letter.

A case:   # why this case is there
          $ nprof info tiny.xplane.pb      also `cat FILE` and `ls FOLDER`
          > a line of stdout
          ! a line of stderr; {*} stands for any text within a line
          ? 2                              the exit status, when it is not 0

The folder holds tiny.xplane.pb (two spans, see xspace.py) and sample.xplane.pb (share/samples).
NPROF_UPDATE=1 writes what was printed into the cases that differ: look at the change.
"""

import glob
import os
import re
import shlex
import shutil

from harness import Result, add_test, check, files_below, main, read, run, sample, write
import xspace

HERE = os.path.dirname(os.path.abspath(__file__))


class Step:
    def __init__(self, command):
        self.command = command
        self.out, self.err, self.status = [], [], 0
        self.comments = []  # that come before the next step


def parse(path):
    steps, head = [], []
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            mark, text = line[:2].rstrip(), line[2:].rstrip('\n')
            if mark == '$':
                steps.append(Step(text))
            elif mark in ('#', '') or not steps:
                (steps[-1].comments if steps else head).append(line.rstrip('\n'))
            elif mark == '>':
                steps[-1].out.append(text)
            elif mark == '!':
                steps[-1].err.append(text)
            elif mark == '?':
                steps[-1].status = int(text)
            else:
                raise AssertionError(f'{path}:{number}: a line begins with # $ > ! or ?')
    return head, steps


def execute(command):
    words = shlex.split(command)
    if words[0] == 'nprof':
        return run(*words[1:])
    if words[0] == 'cat':
        text = b''.join(read(name) for name in words[1:]).decode('utf-8', 'backslashreplace')
    elif words[0] == 'ls':
        text = ''.join(name + '\n' for name in sorted(files_below(words[1])))
    else:
        raise AssertionError(f'a case runs nprof, cat or ls, not {words[0]}')
    return Result(command, 0, text, '')


def fits(pattern, line):
    return re.fullmatch('.*'.join(map(re.escape, pattern.split('{*}'))), line) is not None


def matches(expected, found):
    return len(expected) == len(found) and all(map(fits, expected, found))


def updated(expected, found):
    """Returns what was found, with the {*} of lines that still fit."""
    patterns = [line for line in expected if '{*}' in line]
    return [next((p for p in patterns if fits(p, line)), line) for line in found]


def difference(step, result):
    for name, expected, found in (
        ('stdout', step.out, result.out.splitlines()),
        ('stderr', step.err, result.err.splitlines()),
    ):
        if not matches(expected, found):
            return name + '\nexpected:\n' + '\n'.join(expected) + '\nfound:\n' + '\n'.join(found)
    if result.status != step.status:
        return f'expected exit status {step.status}\n' + result.describe()
    return None


def format_case(head, steps):
    lines = list(head)
    for step in steps:
        lines.append('$ ' + step.command)
        lines += [('> ' + line).rstrip() for line in step.out]
        lines += [('! ' + line).rstrip() for line in step.err]
        lines += [f'? {step.status}'] if step.status else []
        lines += step.comments
    return '\n'.join(lines) + '\n'


def run_case(path):
    head, steps = parse(path)
    check(steps, f'{path}: no command')
    write('tiny.xplane.pb', xspace.tiny())
    shutil.copy(sample(), 'sample.xplane.pb')
    differences = []
    for step in steps:
        result = execute(step.command)
        check('Sanitizer' not in result.err, result.describe())
        found = difference(step, result)
        if found is None:
            continue
        differences.append(f'$ {step.command}\n{found}')
        step.out = updated(step.out, result.out.splitlines())
        step.err = updated(step.err, result.err.splitlines())
        step.status = result.status
    if differences and os.environ.get('NPROF_UPDATE'):
        write(path, format_case(head, steps))
    check(not differences, '\n'.join(differences))


def add(path):
    name = os.path.basename(path)[: -len('.case')]
    add_test(name, lambda folder: run_case(path))


if __name__ == '__main__':
    for case in sorted(glob.glob(os.path.join(HERE, 'cases', '*.case'))):
        add(case)
    main()
