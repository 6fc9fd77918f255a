# SPDX-License-Identifier: Apache-2.0
"""slowest.py FOLDER BUILT RAN - the ten slowest tests of a build folder's last run, and how long
all took together; fuzz targets and services, which a time limit does not count, apart. Then how
long the command took: seconds until the tests began, and of the tests, which run beside each
other."""

import json
import sys


def main():
    with open(sys.argv[1] + '/meson-logs/testlog.json', encoding='utf-8') as log:
        tests = [json.loads(line) for line in log]
    apart = [
        t
        for t in tests
        if any(
            s.endswith((':fuzz', ':services')) or s in ('fuzz', 'services')
            for s in t.get('suite', [])
        )
    ]
    own = sorted((t for t in tests if t not in apart), key=lambda t: -t['duration'])
    print(
        f'{sum(t["duration"] for t in own):.0f} s in {len(own)} tests, '
        f'{sum(t["duration"] for t in apart):.0f} s in {len(apart)} of fuzzing and services; slowest:'
    )
    for test in own[:10]:
        print(f'{test["duration"]:7.1f} s  {test["name"].split(" / ")[-1]}')
    built, ran = map(int, sys.argv[2:])
    slow = max(tests, key=lambda t: t['duration'])
    print(
        f'{built + ran} s in all: {built} s to fetch and build, {ran} s of tests; the slowest was '
        f'{slow["name"].split(" / ")[-1]}, {slow["duration"]:.0f} s'
    )


if __name__ == '__main__':
    main()
