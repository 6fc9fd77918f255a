#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pick-functions.py SEED [N] - N functions (30) of the sources, drawn by a seed, for readers who
are asked what each does: `pick-functions.py $(git rev-parse HEAD)`. The same seed and tree give the
same functions. Each is printed with the place of its first line; --text prints the functions
themselves, with the comment above. Functions of fewer than four lines say too little to be asked
about."""

import hashlib
import os
import random
import sys

TREES = ('core', 'plugins', 'sdk', 'testhost')
LEAST = 4


def sources(top):
    for tree in TREES:
        for folder, folders, names in os.walk(os.path.join(top, tree)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    yield os.path.relpath(os.path.join(folder, name), top)


def head_of(lines, brace):
    """The line where the function with this '{' begins, its comment included."""
    first = brace
    while first and lines[first - 1].strip() and not lines[first - 1].startswith(('}', '#')):
        first -= 1
    return first


def functions(top):
    """(file, first line, name, text) of each, in the order of files and lines."""
    for path in sources(top):
        with open(os.path.join(top, path), encoding='utf-8') as file:
            lines = file.read().split('\n')
        brace = None
        for number, line in enumerate(lines):
            if line == '{':
                brace = number
            elif line == '}' and brace is not None:
                if number - brace - 1 >= LEAST:
                    first = head_of(lines, brace)
                    named = next(
                        (
                            at
                            for at in range(brace - 1, first - 1, -1)
                            if '(' in lines[at] and lines[at][:1].isalpha()
                        ),
                        brace - 1,
                    )
                    yield path, named + 1, lines[named].split(' (')[0], '\n'.join(
                        lines[first : number + 1]
                    )
                brace = None


def main():
    arguments = [a for a in sys.argv[1:] if a != '--text']
    if not arguments or len(arguments) > 2:
        sys.exit(__doc__)
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found = list(functions(top))
    seed = int.from_bytes(hashlib.sha256(arguments[0].encode()).digest(), 'big')
    count = int(arguments[1]) if len(arguments) == 2 else 30
    for path, line, name, text in sorted(random.Random(seed).sample(found, min(count, len(found)))):
        print(f'{path}:{line}: {name}')
        if '--text' in sys.argv:
            print(f'\n{text}\n')


if __name__ == '__main__':
    main()
