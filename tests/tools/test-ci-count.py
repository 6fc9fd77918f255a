# SPDX-License-Identifier: Apache-2.0
"""test-ci-count.py - the line that CI ends with counts what was run, and no skip slips through."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ci-count.py')


def entry(name, result, stdout=''):
    return {'name': name, 'result': result, 'stdout': stdout}


class Count(unittest.TestCase):
    def count(self, entries, allowed=None, kept=0, took=None):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'meson-logs'))
            with open(os.path.join(folder, 'meson-logs', 'testlog.json'), 'w') as log:
                log.writelines(json.dumps(e) + '\n' for e in entries)
            options = ['--kept', str(kept)] if kept else []
            options += ['--took', took] if took else []
            if allowed is not None:
                path = os.path.join(folder, 'allowed')
                with open(path, 'w') as file:
                    file.write(allowed)
                options += ['--allowed', path]
            done = subprocess.run(
                [sys.executable, COUNT, *options, folder],
                capture_output=True,
                text=True,
                check=False,
            )
        return done.returncode, (done.stdout.splitlines() or [''])[-1]

    def test_points_count_one_by_one(self):
        tap = (
            '# random seed\n1..3\n# Start of a tests\nok 1 /a/b\nok 2 /a/c # SKIP no file\nok 3 d\n'
        )
        self.assertEqual(
            self.count([entry('t', 'OK', tap), entry('u', 'OK')]),
            (0, '3 passed, 0 failed, 1 skipped'),
        )

    def test_failures(self):
        tap = '1..2\nok 1 /a\nnot ok 2 /b - why\n'
        self.assertEqual(
            self.count([entry('t', 'FAIL', tap), entry('u', 'FAIL')]),
            (1, '1 passed, 2 failed, 0 skipped'),
        )

    def test_crash_after_good_points_is_a_failure(self):
        self.assertEqual(
            self.count([entry('t', 'ERROR', '1..2\nok 1 /a\n')]),
            (1, '1 passed, 1 failed, 0 skipped'),
        )
        self.assertEqual(
            self.count([entry('t', 'TIMEOUT', 'ok 1 /a\n1..1\n')]),
            (1, '1 passed, 1 failed, 0 skipped'),
        )

    def test_skips_must_be_named(self):
        entries = [
            entry('nprof:x / t', 'OK', '1..1\nok 1 /a/b # SKIP no file\n'),
            entry('w', 'SKIP'),
        ]
        self.assertEqual(self.count(entries, 't/a/*: no file\nw: whole\n')[0], 0)
        self.assertEqual(self.count(entries, '# t/a/b: x\nw: whole\n')[0], 1)
        self.assertEqual(self.count(entries, 't/a/b: no file\n')[0], 1)

    def test_a_name_needs_a_reason(self):
        self.assertNotEqual(self.count([entry('t', 'OK')], 't:\n')[0], 0)

    def test_kept_programs_are_told(self):
        self.assertEqual(
            self.count([entry('t', 'OK')], kept=3),
            (
                0,
                '1 passed, 0 failed, 0 skipped; 3 programs kept, since they passed and nothing that they read has changed',
            ),
        )

    def test_seconds_of_stages_are_told(self):
        self.assertEqual(
            self.count([entry('t', 'OK')], took='build 400,build-san 200,'),
            (0, '1 passed, 0 failed, 0 skipped; 600 s: 400 build, 200 build-san'),
        )

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(self.count([]), (1, '0 passed, 1 failed, 0 skipped'))


if __name__ == '__main__':
    unittest.main()
