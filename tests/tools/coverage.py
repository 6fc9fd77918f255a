# SPDX-License-Identifier: Apache-2.0
"""coverage.py - lines and branches that the tests reached, by folder, and the files that they reach
least, from what gcovr reads in a build folder.  Which tests ran is up to ./dev coverage."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = (
    'core/embed',
    'core',
    'plugins/commands/check',
    'plugins/commands/view',
    'plugins/commands',
    'plugins/common',
    'plugins/decoders',
    'plugins/analyzers',
    'plugins/sinks',
    'sdk/nprof',
    'testhost',
)
LEAST = 15  # files that are named


def folder_of(name):
    return next((f for f in FOLDERS if name.startswith(f + '/')), None)


def share(reached, all_):
    return f'{100 * reached / all_:5.1f} %' if all_ else '      -'


def main():
    told = subprocess.run(
        [
            'gcovr',
            '-r',
            ROOT,
            '--object-directory',
            sys.argv[1],
            '--json-summary',
            '-',
            '--exclude-throw-branches',
            '--gcov-ignore-parse-errors',
            sys.argv[1],
        ],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    files = [f for f in json.loads(told)['files'] if folder_of(f['filename'])]
    print(f'{"folder":20} {"lines":>8} {"reached":>8} {"branches":>9} {"reached":>8}')
    for folder in (*FOLDERS, ''):
        own = [f for f in files if not folder or folder_of(f['filename']) == folder]
        total = {
            k: sum(f[k] for f in own)
            for k in ('line_total', 'line_covered', 'branch_total', 'branch_covered')
        }
        print(
            f'{folder or "all":20} {total["line_total"]:8} {share(total["line_covered"], total["line_total"]):>8} '
            f'{total["branch_total"]:9} {share(total["branch_covered"], total["branch_total"]):>8}'
        )
    files.sort(key=lambda f: f['line_covered'] - f['line_total'])
    print('\nlines that no test reaches:')
    for f in files[:LEAST]:
        print(f'{f["line_total"] - f["line_covered"]:6} of {f["line_total"]:4}  {f["filename"]}')


if __name__ == '__main__':
    main()
