# SPDX-License-Identifier: Apache-2.0
"""kept-files.py COMMIT - how many source files of COMMIT there still are, moved or renamed or not,
and how many were added since. Follows the renames of each commit since then as git finds them: a
file that is deleted while one of which 40 % of the lines are the same appears. Run it in the top
folder of a clone with the whole history."""

import collections
import os
import re
import subprocess
import sys

SOURCE = re.compile(r'(include|sdk|core|plugins|testhost)/.*\.[ch]')


def git(*words):
    return subprocess.run(
        ['git', *words], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def sources(commit):
    return {path for path in git('ls-tree', '-r', '--name-only', commit) if SOURCE.fullmatch(path)}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    first, now = sources(sys.argv[1]), sources('HEAD')
    kept = {path: path for path in first}  # path now -> path then
    for line in git(
        'log', '--reverse', '--name-status', '-M40%', '-l3000', '--format=', sys.argv[1] + '..HEAD'
    ):
        what, *paths = line.split('\t')
        if what.startswith('R') and paths[0] in kept:
            kept[paths[1]] = kept.pop(paths[0])
        elif what == 'D':
            kept.pop(paths[0], None)
    added = now - kept.keys()
    print(
        f'{len(kept)} of {len(first)} source files remain, '
        f'{sum(path != then for path, then in kept.items())} of them under another name or in another folder'
    )
    print(f'{len(first) - len(kept)} are gone:', *sorted(first - set(kept.values())))
    folders = collections.Counter(os.path.dirname(path) for path in added)
    print(
        f'{len(added)} were added:',
        ', '.join(f'{folder} {n}' for folder, n in folders.most_common()),
    )


main()
