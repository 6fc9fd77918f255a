#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py - measures nprof against peers in the same run and prints ratios: what holds on
another machine.  `./dev bench [SUBJECT...]` builds all that is needed and calls this.  Each
subject is a file bench_SUBJECT.py with a function measure (bench); how a number is taken is
measure.py's.
"""

import argparse
import datetime
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

from measure import Report, cpu_model, median, said
from write import write_page

HERE = os.path.dirname(os.path.abspath(__file__))
SUBJECTS = sorted(
    name[len('bench_') : -len('.py')]
    for name in os.listdir(HERE)
    if name.startswith('bench_') and name.endswith('.py')
)


WRITTEN = ['docs/performance.md', 'tests/bench/measured.json']  # by --write, of an earlier subject


def git(*arguments):
    """What git says of the source; None: it is in no repository."""
    said = subprocess.run(
        ['git', '-C', os.path.join(HERE, '..', '..'), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip() if said.returncode == 0 else None


def source_state():
    """What is measured: a commit, and whether files that matter to it differ."""
    commit = git('rev-parse', '--short=8', 'HEAD')
    if commit is None:
        return 'a source without commits'
    differ = git('diff', '--name-only', 'HEAD', '--', '.', *(f':!{name}' for name in WRITTEN))
    return f'commit {commit}{"-dirty" if differ else ""}'


class Bench:
    """State that the subjects share: the build, a folder, generated inputs, the report."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.rounds = arguments.runs
        self.report = Report()
        self.folder = tempfile.mkdtemp(prefix='nprof-bench-', dir=arguments.tmp)
        self.nprof = self.built('core/cli/nprof')
        self.inputs = {}
        self.about = f'{cpu_model()}, {os.cpu_count()} cores, {source_state()}, {datetime.date.today().isoformat()}'
        self.results = os.path.join(arguments.build, arguments.json)
        # The sink drain lies there, which wants every attribute and writes nothing.
        self.with_drain = {
            'NPROF_PLUGIN_PATH': os.path.realpath(os.path.join(arguments.build, 'tests', 'bench'))
        }

    def built(self, name):
        path = os.path.join(self.arguments.build, name)
        if not os.path.exists(path):
            sys.exit(f'{path}: not built; run ./dev bench')
        return path

    def path(self, name):
        return os.path.join(self.folder, name)

    def generated(self, generator, *arguments):
        """A file that a generator of this folder wrote, made once: its path, and what the
        generator says of it (the number of events first)."""
        key = (generator, *map(str, arguments))
        if key not in self.inputs:
            path = self.path('-'.join(key))
            done = subprocess.run(
                [self.built(f'tests/bench/{generator}'), *map(str, arguments), path],
                capture_output=True,
                text=True,
                check=True,
            )
            self.inputs[key] = path, done.stdout.split()
        return self.inputs[key]

    def real(self, *parts):
        """A real trace of NPROF_TEST_DATA, or None."""
        path = os.path.join(os.environ.get('NPROF_TEST_DATA', ''), *parts)
        return path if os.environ.get('NPROF_TEST_DATA') and os.path.exists(path) else None

    def nprof_run(self, file, sink, decoder, jobs=1, output=None):
        return [
            self.nprof,
            'run',
            '-q',
            '-d',
            decoder,
            '-s',
            sink,
            '-j',
            str(jobs),
            '-o',
            output or self.folder_for(file, sink),
            file,
        ]

    def folder_for(self, file, sink):
        """nprof writes over no run with another input."""
        name = os.path.basename(os.path.normpath(file))
        return os.path.join(self.path('out'), f'{name}-{sink}', '')

    def ratio(self, what, runs, peer, own, goal, of='user', size=0, events=0):
        """The peer's time by ours: above 1 we are the faster."""
        theirs, ours = median(runs[peer], of), median(runs[own], of)
        rates = f', {size / 1e6 / ours:.0f} MB/s' if size else ''
        rates += f', {events / ours / 1e6:.1f} M events/s' if events else ''
        self.report.add(
            what, theirs / ours, 'x', goal, f'{said(runs[peer], of)} / {said(runs[own], of)}{rates}'
        )

    def run(self, subjects):
        print(
            f'{cpu_model()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; '
            f'{self.rounds} runs each\n',
            flush=True,
        )
        for subject in subjects:
            self.report.subject = subject
            importlib.import_module(f'bench_{subject}').measure(self)
            self.save(subject)
        self.report.print()

    def rows(self):
        """Returns what was measured in this call, each with what it was measured on."""
        return [{**row, 'about': self.about} for row in self.report.rows]

    def saved(self):
        """Returns what was measured in this build, today or before."""
        if not os.path.exists(self.results):
            return {'results': []}
        with open(self.results, encoding='utf-8') as file:
            return json.load(file)

    def save(self, subject):
        """At once, since a later subject may fail; what was measured of others stays."""
        others = [row for row in self.saved()['results'] if row.get('subject') != subject]
        own = [row for row in self.rows() if row['subject'] == subject]
        with open(self.results, 'w', encoding='utf-8') as file:
            json.dump({'results': others + own}, file, indent=1)
            file.write('\n')


def main():
    parser = argparse.ArgumentParser(description='Measure nprof against peers.')
    parser.add_argument(
        'subject', nargs='*', default=SUBJECTS, help=f'of {" ".join(SUBJECTS)} (all)'
    )
    parser.add_argument('--build', default='build-bench', help='build folder (%(default)s)')
    parser.add_argument('--samples', default=os.path.join(HERE, '..', '..', 'share', 'samples'))
    parser.add_argument(
        '--mb', type=float, default=500, help='size of the xplane input (%(default)s)'
    )
    parser.add_argument(
        '--json-mb', type=float, default=300, help='size of each JSON input (%(default)s)'
    )
    parser.add_argument('--runs', type=int, default=5, help='runs of each (%(default)s)')
    parser.add_argument('--tmp', help='folder for inputs and outputs, about 6 times --mb')
    parser.add_argument('--json', default='bench.json', help='result, in --build (%(default)s)')
    parser.add_argument(
        '--write',
        action='store_true',
        help='write what was measured into docs/performance.md; its other tables stay',
    )
    arguments = parser.parse_args()
    for subject in arguments.subject:
        if subject not in SUBJECTS:
            parser.error(f'no subject {subject}: there are {" ".join(SUBJECTS)}')
    bench = Bench(arguments)
    try:
        bench.run(arguments.subject)
        if arguments.write:
            write_page(bench.rows())
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)


if __name__ == '__main__':
    main()
