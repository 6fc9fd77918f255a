# SPDX-License-Identifier: Apache-2.0
"""test-kept.py - a program runs again when something that it reads has changed, and only then."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kept.py')


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = os.path.realpath(folder.name)
        self.write('tests/cli/one.py', 'import harness\nopen(SOURCE + "/docs/page.md")\n')
        self.write('tests/cli/harness.py', 'MAKER = "maker.py"\n')
        self.write('tests/tools/maker.py', '')
        self.write('tests/cli/two.py', '')
        self.write('tests/cli/other.py', '')
        self.write('docs/page.md', '')
        self.write('share/samples/a', '')
        self.write('build/core/nprof', 'program')
        self.write('build/plugins/a.plugin', '')
        self.write('build/tests/test-unit', 'unit')
        shutil.copy(KEPT, os.path.join(self.top, 'tests', 'tools'))
        env = {'NPROF': self.path('build/core/nprof')}
        tests = [
            self.program(name, [sys.executable, self.path(f'tests/cli/{name}.py')], env, ['nprof'])
            for name in ('one', 'two')
        ]
        tests += [
            self.program('unit', [self.path('build/tests/test-unit')], {}, ['unit']),
            self.program('sources', ['true'], {}, []),
        ]
        targets = [
            {'id': 'nprof', 'filename': [env['NPROF']], 'installed': True},
            {'id': 'unit', 'filename': [self.path('build/tests/test-unit')], 'installed': False},
        ]
        self.write('build/meson-info/intro-tests.json', json.dumps(tests))
        self.write('build/meson-info/intro-targets.json', json.dumps(targets))
        self.changed()
        self.results({name: 'OK' for name in ('one', 'two', 'unit', 'sources')})

    @staticmethod
    def program(name, command, env, depends):
        return {
            'name': name,
            'cmd': command,
            'env': env,
            'depends': depends,
            'workdir': None,
            'protocol': 'tap',
        }

    def path(self, name):
        return os.path.join(self.top, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)

    def kept(self, command, env=None):
        done = subprocess.run(
            [sys.executable, '-B', self.path('tests/tools/kept.py'), command, self.path('build')],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **(env or {})},
        )
        return done.stdout.split()

    def changed(self, env=None):
        return self.kept('list', env)

    def results(self, of):
        self.write(
            'build/meson-logs/testlog.json',
            ''.join(
                json.dumps({'name': 'nprof:x / ' + name, 'result': result}) + '\n'
                for name, result in of.items()
            ),
        )
        self.kept('passed')

    def test_what_passed_is_kept_and_what_reads_sources_alone_runs(self):
        self.assertEqual(self.changed(), ['sources'])
        self.assertEqual(self.kept('kept'), ['3'])

    def test_a_binary(self):
        self.write('build/core/nprof', 'another')
        self.assertEqual(self.changed(), ['one', 'two', 'sources'])
        self.write('build/core/nprof', 'program')
        self.assertEqual(self.changed(), ['sources'])

    def test_what_a_program_opens(self):
        for name in ('share/samples/a', 'build/plugins/a.plugin', 'build/plugins/new.plugin'):
            self.write(name, name)
            self.assertEqual(self.changed()[:2], ['one', 'two'], name)
            self.kept('passed')

    def test_what_a_source_names(self):
        for name in (
            'tests/cli/one.py',
            'tests/cli/harness.py',
            'tests/tools/maker.py',
            'docs/page.md',
        ):
            self.write(name, '# harness "docs/" maker\n' + name)
            self.assertEqual(self.changed(), ['one', 'sources'], name)
            self.kept('passed')
        self.write('tests/cli/other.py', 'nobody names it')
        self.assertEqual(self.changed(), ['sources'])

    def test_variables(self):
        self.assertIn('unit', self.changed({'NPROF_TEST_DATA': '/somewhere'}))

    def test_failures(self):
        self.changed()
        self.results({'one': 'FAIL', 'unit': 'TIMEOUT', 'sources': 'OK'})
        self.assertEqual(self.changed(), ['one', 'unit', 'sources'])

    def test_what_changes_meanwhile(self):
        self.write('tests/cli/two.py', 'as it ran')
        self.assertIn('two', self.changed())
        self.write('tests/cli/two.py', 'while it ran')
        self.results({'two': 'OK'})
        self.assertIn('two', self.changed())


if __name__ == '__main__':
    unittest.main()
