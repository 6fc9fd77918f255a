#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doc-files.py - fails where a page of documentation names a file of the sources that is not there:
`tests/unit/test-x.c`, or `batch.c`, which must be the name of some file; and where
docs/vendor-guides.md lacks a row, or a test of one. Run it in the top folder of the project."""

import glob
import os
import re
import sys

FOLDERS = ('core', 'docs', 'include', 'packaging', 'plugins', 'sdk', 'share', 'testhost', 'tests')
NAMED = re.compile(r'`([\w./-]+\.(?:c|h|py|mjs|sh|7|3|1))`')
LINKED = re.compile(r'\]\((?!https?:)([^)#]+)\)')
# What is told of another state of the tree, or of what a user writes.
OF_OTHERS = ('docs/decisions/0012-readers.md', 'docs/decisions/0014-files-since-the-rooms.md')


def sources():
    return {
        os.path.join(folder, name)
        for top in FOLDERS
        for folder, _, names in os.walk(top)
        if 'node_modules' not in folder
        for name in names
    }


def is_there(name, files):
    return name in files or any(path.endswith('/' + name) for path in files)


def guide_rows():
    """Each capability has its row, with a test and a state, and the head counts them."""
    with open('docs/vendor-guides.md', encoding='utf-8') as file:
        text = file.read()
    rows = [
        line.strip('| ').split(' | ')
        for line in text.splitlines()
        if re.match(r'\| [A-E]\d+ \|', line)
    ]
    wanted = [
        f'{letter}{number + 1}'
        for letter, count in zip('ABCDE', (45, 28, 16, 41, 13))
        for number in range(count)
    ]
    wrong = (
        []
        if [row[0] for row in rows] == wanted
        else ['rows: expected A1 to A45, B1 to B28, C1 to C16, D1 to D41, E1 to E13']
    )
    wrong += [
        f'{row[0]}: expected a test and a state'
        for row in rows
        if len(row) != 5 or 'tests/' not in row[3]
    ]
    partly = sum(row[-1].startswith('partly') for row in rows)
    said = re.search(r'and (\d+) are met in part', ' '.join(text.split()))
    return wrong + (
        []
        if int(said[1] if said else 0) == partly
        else [f'{partly} rows are met in part, the head says otherwise']
    )


def main():
    files = sources()
    pages = [
        page
        for page in [
            'README.md',
            'HACKING.md',
            'SECURITY.md',
            'NEWS.md',
            *glob.glob('docs/**/*.md', recursive=True),
        ]
        if page not in OF_OTHERS
    ]
    wrong, seen = [], 0
    for page in pages:
        with open(page, encoding='utf-8') as file:
            text = file.read()
        names, links = set(NAMED.findall(text)), set(LINKED.findall(text))
        seen += len(names) + len(links)
        wrong += [
            f'# {page}: `{name}` is no file of the sources'
            for name in sorted(names)
            if not is_there(name, files)
        ]
        wrong += [
            f'# {page}: ({link}) leads nowhere'
            for link in sorted(links)
            if not os.path.exists(os.path.join(os.path.dirname(page), link))
        ]
    wrong += [] if seen > 100 else [f'# {seen} names were seen, expected more than 100']
    guides = guide_rows()
    print(
        '\n'.join(
            ['1..2']
            + wrong
            + [f'{"not ok" if wrong else "ok"} 1 - files that {len(pages)} pages name']
            + [f'# docs/vendor-guides.md: {line}' for line in guides]
            + [f'{"not ok" if guides else "ok"} 2 - rows of the guides']
        )
    )
    sys.exit(bool(wrong or guides))


main()
