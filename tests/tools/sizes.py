# SPDX-License-Identifier: Apache-2.0
"""sizes.py - how long the files and functions of the sources are (tests left out): medians and
90th percentiles.  A function is what lies between a '{' and a '}' that begin their lines; its
length counts the lines between them.  Run it in the top folder of the project."""

import glob
import statistics


def functions(path):
    begun = None
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        if line.startswith('{'):
            begun = number
        elif line.startswith('}') and begun:
            yield number - begun - 1, path
            begun = None


def line_count(path):
    return sum(1 for _ in open(path, encoding='utf-8'))


def show(what, values):
    values = sorted(values)
    print(
        f'{what}: {len(values)}, median {statistics.median(values):.0f} lines, '
        f'90 % under {values[len(values) * 9 // 10]}, longest {values[-1]}'
    )


def main():
    sources = [
        p
        for top in ('include', 'sdk', 'core', 'plugins')
        for p in glob.glob(top + '/**/*.[ch]', recursive=True)
    ]
    tests = [
        p
        for p in glob.glob('tests/**/*', recursive=True)
        if p.endswith(('.c', '.h', '.py', '.cpp'))
    ]
    show('source files', [line_count(p) for p in sources])
    show('functions', [n for p in sources for n, _ in functions(p)])
    print(
        f'test lines per source line: '
        f'{sum(map(line_count, tests)) / sum(map(line_count, sources)):.2f}'
    )


main()
