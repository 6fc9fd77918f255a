# SPDX-License-Identifier: Apache-2.0
"""check_page.py - page.md has places for subjects of ./dev bench alone, and write.py fills them; subjects
without a place come last."""

import os
import re
import sys

from write import HERE, PLACE, page

def main():
    with open(os.path.join(HERE, 'page.md'), encoding='utf-8') as file:
        template = file.read()
    subjects = {name[len('bench_'):-len('.py')] for name in os.listdir(HERE)
                if name.startswith('bench_') and name.endswith('.py')}
    places = re.findall(PLACE, template, flags=re.M)
    if set(places) - subjects or len(places) != len(set(places)):
        sys.exit(f'page.md names {sorted(places)}, the subjects are {sorted(subjects)}')
    row = {'subject': 'xplane', 'value': 1.5, 'unit': 'x', 'goal': '>= 2', 'met': False, 'detail': 'a | b'}
    text = page(template, {'cpu': 'a processor', 'cores': 2, 'runs': 3,
                           'results': [{**row, 'what': 'rows'}, {**row, 'what': '  two threads'},
                                       {**row, 'subject': 'new', 'what': 'one'}]}, '2026-01-02')
    for part in ('a processor, 2 cores, 3 runs each, 2026-01-02',
                 '| rows | 1.50 x | >= 2 | no | a \\| b |\n| rows: two threads | 1.50 x |',
                 '\n## new\n\n| what | measured | goal | met | from |\n|---|---|---|---|---|\n| one |'):
        if part not in text:
            sys.exit(f'not in the page: {part}')
    if text.count('Not measured on this machine.') != len(places) - 1 or '@' in text:
        sys.exit('a table was left out')


if __name__ == '__main__':
    main()
