#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test-targets.py FOLDER TEST... - the files that a build folder must hold before these tests run,
for ninja."""

import json
import os
import sys


def read(folder, name):
    with open(os.path.join(folder, 'meson-info', f'intro-{name}.json'), encoding='utf-8') as file:
        return json.load(file)


def main():
    folder, names = sys.argv[1], set(sys.argv[2:])
    tests = [test for test in read(folder, 'tests') if test['name'] in names]
    missing = names - {test['name'] for test in tests}
    if missing:
        sys.exit(f'{folder} has no test of the name {", ".join(sorted(missing))}')
    wanted = {target for test in tests for target in test['depends']}
    for target in read(folder, 'targets'):
        if target['id'] in wanted:
            print(*(os.path.relpath(file, folder) for file in target['filename']), sep='\n')


if __name__ == '__main__':
    main()
