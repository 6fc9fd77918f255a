# SPDX-License-Identifier: Apache-2.0
"""check_page.py - page.md has places for subjects of ./dev bench alone, and write.py fills them;
subjects without a place come last; docs/performance.md is what both give."""

import os
import re
import sys

from write import HERE, PAGE, PLACE, TEMPLATE, made, page, read


def main():
    template = read(TEMPLATE)
    subjects = {
        name[len('bench_') : -len('.py')]
        for name in os.listdir(HERE)
        if name.startswith('bench_') and name.endswith('.py')
    }
    places = re.findall(PLACE, template, flags=re.M)
    if set(places) - subjects or len(places) != len(set(places)):
        sys.exit(f'page.md names {sorted(places)}, the subjects are {sorted(subjects)}')
    row = {
        'about': 'a processor, commit 1',
        'subject': 'xplane',
        'value': 1.5,
        'unit': 'x',
        'goal': '>= 2',
        'met': False,
        'detail': 'a | b',
    }
    text = page(
        template,
        [
            {**row, 'what': 'rows'},
            {**row, 'what': '  two threads'},
            {**row, 'subject': 'new', 'what': 'one', 'about': 'another, commit 2'},
        ],
    )
    for part in (
        '| rows | 1.50 x | >= 2 | no | a \\| b |\n| rows: two threads | 1.50 x | >= 2 | no | a \\| b |\n\n'
        'On a processor, commit 1.\n',
        '\n## new\n\n| what | measured | goal | met | from |\n|---|---|---|---|---|\n| one |',
        '\n\nOn another, commit 2.\n',
    ):
        if part not in text:
            sys.exit(f'not in the page: {part}')
    if text.count('Not measured.') != len(places) - 1 or '@' in text:
        sys.exit('a table was left out')
    if read(PAGE) != made():
        sys.exit(
            'docs/performance.md is not what page.md and measured.json give: ./dev bench SUBJECT --write'
        )


if __name__ == '__main__':
    main()
