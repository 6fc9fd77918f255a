#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libnprof.py - what libnprof exports, functions and the types that they reach, only grows beyond
libnprof.abi: abidiff (abigail-tools) compares.  What plugins see is layout.txt's.

usage: libnprof.py LIBRARY            the test, as TAP
       libnprof.py --write LIBRARY    writes libnprof.abi anew; once a version is tagged, only where
                                      the library has grown and nothing else has changed
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BASELINE = os.path.join(HERE, 'libnprof.abi')
# Types that the headers do not show are nobody's business, nor are files and lines.
WRITE = [
    'abidw',
    '--headers-dir',
    os.path.join(TOP, 'include'),
    '--exported-interfaces-only',
    '--drop-private-types',
    '--no-show-locs',
    '--no-corpus-path',
    '--no-comp-dir-path',
    '--no-architecture',
    '--no-elf-needed',
    '--no-parameter-names',
]
# A function more, or a member more at the end of a struct, is growth.
GROWTH = '[suppress_type]\n  type_kind = struct\n  has_data_member_inserted_at = end\n'
COMPARE = ['abidiff', '--no-architecture', '--no-show-locs', '--no-added-syms']


def describe(library):
    """Returns what abidw makes of the library."""
    done = subprocess.run(WRITE + [library], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'abidw {library}: {done.stderr}')
    return done.stdout


def difference(old, new):
    """None, or how `new` breaks programs that were built with `old`."""
    with tempfile.TemporaryDirectory(prefix='nprof-abi-') as folder:
        paths = []
        for name, text in (('growth', GROWTH), ('old.abi', old), ('new.abi', new)):
            paths.append(os.path.join(folder, name))
            with open(paths[-1], 'w', encoding='utf-8') as file:
                file.write(text)
        done = subprocess.run(
            COMPARE + ['--suppressions', *paths], capture_output=True, text=True, check=False
        )
    return None if done.returncode == 0 else done.stdout + done.stderr


def baseline():
    with open(BASELINE, encoding='utf-8') as file:
        return file.read()


def without(text, what):
    """The description without a function's symbol, or a member and what lies between its tags."""
    pattern = (
        rf"<elf-symbol name='{what}' .*\n"
        rf"|<data-member [^>]*>\s*<var-decl name='{what}' .*\s*</data-member>"
    )
    left, n = re.subn(pattern, '', text)
    if n != 1:
        raise AssertionError(f'{n} of {what} are in the description')
    return left


def test_library(library):
    problem = difference(baseline(), describe(library))
    return problem and (
        f'{problem}\nPrograms that were built with libnprof would break.  Before the '
        'first release: tests/abi/libnprof.py --write LIBRARY'
    )


def test_loss(library):
    for what in ('nprof_run_next', 'keep_going', 'log_level'):
        if not difference(baseline(), without(describe(library), what)):
            return f'{what} is gone, and abidiff says nothing'
    return None


def test_growth(library):
    """Programs of the time before a function, or a member at the end of a struct."""
    for what in ('nprof_run_arrow', 'cells'):
        problem = difference(without(baseline(), what), describe(library))
        if problem:
            return problem
    return None


def reason_to_skip(library):
    if not (shutil.which('abidw') and shutil.which('abidiff')):
        return 'abidiff is not here (package abigail-tools)'
    if sys.maxsize < 2**32:
        return 'libnprof.abi is of machines with 64-bit pointers'
    if '<class-decl' not in describe(library):
        return 'libnprof was built without debug information'
    return None


def run_tests(library):
    tests = {'library': test_library, 'loss': test_loss, 'growth': test_growth}
    reason = reason_to_skip(library)
    print(f'1..{len(tests)}')
    failed = 0
    for number, (name, test) in enumerate(tests.items(), 1):
        if reason:
            print(f'ok {number} {name} # SKIP {reason}')
            continue
        problem = test(library)
        print(f'{"not ok" if problem else "ok"} {number} {name}')
        if problem:
            failed += 1
            print('\n'.join('# ' + line for line in problem.splitlines()))
    return 1 if failed else 0


def write(library):
    tags = subprocess.run(
        ['git', '-C', TOP, 'tag', '--list', 'v[0-9]*'], capture_output=True, text=True, check=False
    ).stdout.split()
    text = describe(library)
    problem = difference(baseline(), text) if tags else None
    if problem:
        sys.exit(f'{problem}\nlibnprof.py: {tags[-1]} is released, so libnprof may only grow')
    with open(BASELINE, 'w', encoding='utf-8') as file:
        file.write(text)
    return 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == '--write':
        return write(sys.argv[2])
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    return run_tests(sys.argv[1])


if __name__ == '__main__':
    sys.exit(main())
