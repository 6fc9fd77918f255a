#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ci-count.py - counts what the test runner ran: each point of a TAP test on its own, over one
or several build folders, and prints `N passed, N failed, N skipped` as its last line.

usage: ci-count.py [--allowed FILE] [--kept N] [--took STAGES] FOLDER...

Reads meson-logs/testlog.json.  With --allowed, a skip that the file does not name fails.  A
line of that file: `NAME: REASON`; NAME is TEST or TEST/POINT and may hold * and ?.  --kept says
how many programs were not run again, since nothing changed of them, --took how many seconds each
stage took: `NAME SECONDS,...`.
"""

import argparse
import fnmatch
import json
import os
import re
import sys

POINT = re.compile(r'^(not )?ok\b\s*(\d+)?\s*-?\s*([^#]*?)\s*(?:#\s*(SKIP|TODO)\S*\s*(.*))?$', re.I)
PLAN = re.compile(r'^1\.\.(\d+)')
GOOD = ('OK', 'EXPECTEDFAIL', 'SKIP')


class Counts:
    def __init__(self):
        self.passed = 0
        self.failed = []  # what
        self.skipped = []  # (name, reason)


def points_of(output):
    """The points of TAP in the output of a test: (name, 'pass' | 'fail' | 'skip', reason)."""
    for line in output.splitlines():
        match = POINT.match(line)
        if not match:
            continue
        bad, number, name, directive, reason = match.groups()
        directive = (directive or '').upper()
        if directive == 'SKIP':
            result = 'skip'
        elif bad and directive != 'TODO':
            result = 'fail'
        else:
            result = 'pass'
        yield name.strip('/') or number or '?', result, reason or ''


def count_test(test, counts):
    name = test['name'].rsplit(' / ', 1)[-1]  # it may come as `project:suite / name`
    output = test.get('stdout') or ''
    failed = len(counts.failed)
    points = list(points_of(output)) if any(map(PLAN.match, output.splitlines())) else []
    for point, result, reason in points:
        whole = name + '/' + point
        if result == 'pass':
            counts.passed += 1
        elif result == 'fail':
            counts.failed.append(whole)
        else:
            counts.skipped.append((whole, reason))
    if test['result'] not in GOOD:
        # A test that crashed or ran too long may have no point that says so.
        if len(counts.failed) == failed:
            counts.failed.append(f"{name} ({test['result'].lower()})")
    elif not points:
        if test['result'] == 'SKIP':
            counts.skipped.append((name, output.strip().split('\n')[-1]))
        else:
            counts.passed += 1


def count_folder(folder, counts):
    path = os.path.join(folder, 'meson-logs', 'testlog.json')
    try:
        with open(path, encoding='utf-8') as log:
            tests = [json.loads(line) for line in log if line.strip()]
    except FileNotFoundError:
        tests = []
    if not tests:
        counts.failed.append(f'{folder} (its tests were not run)')
    for test in tests:
        count_test(test, counts)


def read_allowed(path):
    allowed = []
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith('#'):
                continue
            name, colon, reason = line.partition(': ')
            if not colon or not reason.strip():
                sys.exit(f'{path}:{number}: expected `NAME: REASON`, found `{line}`')
            allowed.append(name.strip())
    return allowed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--allowed', help='file that names the skips that may be')
    parser.add_argument('--kept', type=int, default=0)
    parser.add_argument('--took', default='')
    parser.add_argument('folders', nargs='+', metavar='FOLDER', help='a build folder')
    arguments = parser.parse_args()

    counts = Counts()
    for folder in arguments.folders:
        count_folder(folder, counts)

    for what in counts.failed:
        print(f'failed: {what}')
    problem = bool(counts.failed)
    allowed = read_allowed(arguments.allowed) if arguments.allowed else None
    for name, reason in counts.skipped:
        known = allowed is None or any(fnmatch.fnmatchcase(name, glob) for glob in allowed)
        print(f'skipped: {name}: {reason}' + ('' if known else f' (not in {arguments.allowed})'))
        problem = problem or not known
    kept = (
        f'; {arguments.kept} programs kept, since they passed and nothing that they read has changed'
        if arguments.kept
        else ''
    )
    stages = [stage.split() for stage in arguments.took.split(',') if stage]
    took = ', '.join(f'{seconds} {name}' for name, seconds in stages)
    took = f'; {sum(int(seconds) for _, seconds in stages)} s: {took}' if stages else ''
    counted = f'{counts.passed} passed, {len(counts.failed)} failed, {len(counts.skipped)} skipped'
    print(counted + kept + took)
    return 1 if problem else 0


if __name__ == '__main__':
    sys.exit(main())
