# SPDX-License-Identifier: Apache-2.0
"""check_page.py - page.md has a place for each subject of ./dev bench, and write.py fills it."""

import os
import re
import sys

from write import HERE, page

ELSEWHERE = {'diff'}  # measures no time


def main():
    with open(os.path.join(HERE, 'page.md'), encoding='utf-8') as file:
        template = file.read()
    subjects = {name[len('bench_'):-len('.py')] for name in os.listdir(HERE)
                if name.startswith('bench_') and name.endswith('.py')} - ELSEWHERE
    places = re.findall(r'^@([a-z-]+)@$', template, flags=re.M)
    if sorted(places) != sorted(subjects):
        sys.exit(f'page.md names {sorted(places)}, the subjects are {sorted(subjects)}')
    row = {'subject': 'xplane', 'value': 1.5, 'unit': 'x', 'goal': '>= 2', 'met': False, 'detail': 'a | b'}
    text = page(template, {'cpu': 'a processor', 'cores': 2, 'runs': 3,
                           'results': [{**row, 'what': 'rows'}, {**row, 'what': '  two threads'}]}, '2026-01-02')
    for part in ('a processor, 2 cores, 3 runs each, 2026-01-02',
                 '| rows | 1.50 x | >= 2 | no | a \\| b |\n| rows: two threads | 1.50 x |'):
        if part not in text:
            sys.exit(f'not in the page: {part}')
    if text.count('Not measured on this machine.') != len(subjects) - 1 or '@' in text:
        sys.exit('a table was left out')


if __name__ == '__main__':
    main()
