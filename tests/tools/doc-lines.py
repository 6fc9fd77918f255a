#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doc-lines.py - fails where a line of a page of documentation is longer than 100 columns, or
README and HACKING have more lines than a newcomer reads. Tables, code, and lines that are one link
or one piece of code may be longer. Run it in the top folder of the project."""

import glob
import re
import sys

COLUMNS = 100
MOST = {'README.md': 150, 'HACKING.md': 100}
ONE = re.compile(r'^\s*(?:[-*]\s+)?(?:\S+|`[^`]*`[.;]?|!?\[[^]]*\]\([^)]*\))$')


def long_lines(path):
    fenced = False
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file.read().split('\n'), 1):
            fenced ^= line.lstrip().startswith(('```', '~~~'))
            free = fenced or line.startswith(('|', '    ', '#')) or ONE.match(line)
            if len(line) > COLUMNS and not free:
                yield number, len(line)


def main():
    pages = sorted(
        glob.glob('*.md')
        + glob.glob('docs/**/*.md', recursive=True)
        + glob.glob('share/**/*.md', recursive=True)
        + glob.glob('sdk/**/*.md', recursive=True)
    )
    wrong = [
        f'# {p}:{n}: {length} columns, expected {COLUMNS} at most'
        for p in pages
        for n, length in long_lines(p)
    ]
    for page, most in MOST.items():
        lines = sum(1 for _ in open(page, encoding='utf-8'))
        wrong += [f'# {page}: {lines} lines, expected {most} at most'] if lines > most else []
    print(
        '\n'.join(wrong + [f'1..1\n{"not ok" if wrong else "ok"} 1 - lines of {len(pages)} pages'])
    )
    sys.exit(bool(wrong))


main()
