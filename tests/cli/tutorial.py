# SPDX-License-Identifier: Apache-2.0
"""tutorial.py - nprof-tutorial(7) is true: its code is taken from the page, step by step, compiled
with warnings as errors, and each of its commands prints what the page says."""

import os
import re

from harness import Skip, check, check_same, main, read, test, write
from installation import TREE, install, remove, status_and_output

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(TOP, 'share', 'man', 'nprof-tutorial.7')
STRICT = '-std=gnu11 -Wall -Wextra -Wpedantic -Werror '


def blocks():
    """(step, text) of each literal block, as a reader sees it."""
    found, step, lines = [], '', None
    for line in read(PAGE).decode().splitlines():
        if line.startswith('.Sh'):
            step = line[4:]
        elif line.startswith('.Bd -literal'):
            lines = []
        elif line == '.Ed':
            found.append((step, '\n'.join(lines) + '\n'))
            lines = None
        elif lines is not None:
            lines.append(line.replace('\\e', '\\').replace('\\&', ''))
    return found


def take_code(parts, text):
    """Keeps the part, and writes its file anew."""
    file, number = re.match(r'/\* (\S+), part (\d+): .* \*/\n', text).groups()
    parts.setdefault(file, {})[int(number)] = text
    write(file, '\n'.join(parts[file][n] for n in sorted(parts[file])))


def commands(text):
    """(command, what it prints) of a block of a session."""
    found = []
    for line in text.splitlines():
        if line.startswith('$ '):
            found.append([line[2:], ''])
        else:
            found[-1][1] += line + '\n'
    return found


def run_commands(text, env):
    for command, expected in commands(text):
        if command.startswith('export '):
            name, value = command[len('export ') :].split('=', 1)
            env[name] = value.replace('$PWD', os.getcwd())
            continue
        if command.startswith('cc '):
            command = 'cc ' + STRICT + command[3:]
        status, out = status_and_output(command, env)
        check_same(
            (status == 0 or '--keep-going' in command, out), (True, expected), f'$ {command}\n'
        )


@test
def the_tutorial_does_what_it_says(_folder):
    install()
    if os.environ['NPROF_SANITIZE'] != 'none':
        raise Skip(
            'the test host is built with a sanitizer, which the commands of the page do not name'
        )
    env = {
        'PATH': os.path.join(TREE['prefix'], 'bin') + ':' + os.environ['PATH'],
        'PKG_CONFIG_PATH': TREE['pkgconfig'],
    }
    parts, steps = {}, set()
    for step, text in blocks():
        steps.add(step)
        if text.startswith('/*'):
            take_code(parts, text)
        else:
            run_commands(text, env)
    check(len(steps) == 6, f'steps: {sorted(steps)}')
    check_same(sorted(parts['blink.c']), [1, 2, 3, 4, 5, 6], 'parts of blink.c')


if __name__ == '__main__':
    try:
        main()
    finally:
        remove()
