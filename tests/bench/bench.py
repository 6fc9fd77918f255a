#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py - measures nprof against peers in the same run and prints ratios: what holds on
another machine.  `./dev bench` builds all that is needed and calls this.

Times are user CPU of whole processes (wait4), medians of interleaved runs; the spread is
(max - min) / median.  Memory is polled from /proc while the process runs.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

DEVNULL = subprocess.DEVNULL
BUDGET_ANON_MB, BUDGET_RSS_MB = 128, 256
WANTS_ALL = 'null:all=yes'  # reads every attribute, writes nothing; once null has it


class Run:
    """One process from start to exit."""

    def __init__(self, command, env=None, poll=False):
        self.anon_kb = self.peak_kb = 0
        begin = time.perf_counter()
        # A file, not a pipe: nobody would read a pipe while this waits.
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=DEVNULL, stderr=errors,
                                       env={**os.environ, **(env or {})})
            while poll and self.poll(process.pid):
                time.sleep(0.002)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            if process.returncode != 0:
                sys.exit(f'{" ".join(command)}: exit status {process.returncode}\n'
                         + errors.read().decode('utf-8', 'replace'))
        self.wall = time.perf_counter() - begin
        self.user, self.system = usage.ru_utime, usage.ru_stime
        self.peak_kb = max(self.peak_kb, usage.ru_maxrss)

    def poll(self, pid):
        """Sees the memory of a running process; False once it has ended."""
        try:
            with open(f'/proc/{pid}/status', encoding='ascii') as status:
                fields = dict(line.split(':', 1) for line in status)
        except (FileNotFoundError, ProcessLookupError):
            return False
        if 'RssAnon' not in fields:
            return False  # a zombie
        anon = int(fields['RssAnon'].split()[0]) + int(fields['RssShmem'].split()[0])
        self.anon_kb = max(self.anon_kb, anon)
        return True


def interleaved(commands, rounds):
    """rounds runs of each, taking turns: {name: [Run]}.  One of each first, to warm the caches."""
    runs = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, (command, env) in commands.items():
            done = Run(command, env)
            if number:
                runs[name].append(done)
    return runs


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def spread(runs, what):
    values = [getattr(run, what) for run in runs]
    return (max(values) - min(values)) / max(statistics.median(values), 1e-9)


class Report:
    def __init__(self):
        self.rows = []

    def add(self, what, value, unit, goal, detail):
        """goal: '>= 4.5', '<= 128', or '' for a number that is only printed."""
        self.rows.append({'what': what, 'value': round(value, 3), 'unit': unit, 'goal': goal,
                          'met': self.met(value, goal), 'detail': detail})

    @staticmethod
    def met(value, goal):
        if not goal:
            return None
        sign, limit = goal.split()
        return value >= float(limit) if sign == '>=' else value <= float(limit)

    def print(self):
        rows = [[r['what'], f"{r['value']:.2f} {r['unit']}", r['goal'],
                 {True: 'yes', False: 'NO', None: ''}[r['met']], r['detail']] for r in self.rows]
        rows.insert(0, ['', 'measured', 'goal', 'met', ''])
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            print('  '.join([row[0].ljust(widths[0]), row[1].rjust(widths[1]),
                             row[2].ljust(widths[2]), row[3].ljust(widths[3]), row[4]]).rstrip())


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.rounds = arguments.runs
        self.report = Report()
        self.folder = tempfile.mkdtemp(prefix='nprof-bench-', dir=arguments.tmp)
        self.nprof = self.built('core/cli/nprof')
        self.arena = self.built('tests/bench/xplane-arena')
        self.file = os.path.join(self.folder, 'bench.xplane.pb')
        self.events = 0

    def built(self, name):
        path = os.path.join(self.arguments.build, name)
        if not os.path.exists(path):
            sys.exit(f'{path}: not built; run ./dev bench')
        return path

    def generate(self):
        generator = self.built('tests/bench/xplane-gen')
        done = subprocess.run([generator, str(self.arguments.mb), self.file],
                              capture_output=True, text=True, check=True)
        self.events = int(done.stdout.split()[0])
        self.megabytes = os.path.getsize(self.file) / 1e6

    def nprof_run(self, sink, decoder='xplane', jobs=1, output=None, file=None):
        return [self.nprof, 'run', '-d', decoder, '-s', sink, '-j', str(jobs),
                '-o', output or os.path.join(self.folder, 'out/'), file or self.file]

    # -- What is measured ----------------------------------------------------

    def decode(self):
        """Decoding against libprotobuf: rows only, then every attribute too."""
        commands = {
            'arena': ([self.arena, self.file], None),
            'nprof': (self.nprof_run('null'), None),
            'fast': (self.nprof_run('null', decoder='xplane:scan=fast'), None),
            'wanted': (self.nprof_run(WANTS_ALL), None),
            'arena-stats': ([self.arena, self.file, 'stats'], None),
        }
        if not self.accepts('null', 'xplane:scan=bmi2'):
            del commands['fast']  # this processor has no BMI2, so nothing differs
        if not self.accepts(WANTS_ALL):
            del commands['wanted'], commands['arena-stats']
        runs = interleaved(commands, self.rounds)
        self.ratio('xplane rows, user CPU: libprotobuf Arena / nprof', runs, 'arena', 'nprof',
                   '>= 4.5' if 'fast' in runs else '>= 3.5')
        if 'fast' in runs:
            self.ratio('  the same without BMI2', runs, 'arena', 'fast', '>= 3.5')
        if 'wanted' in runs:
            self.ratio('  with all attributes', runs, 'arena-stats', 'wanted', '')

    def ratio(self, what, runs, peer, own, goal):
        theirs, ours = median(runs[peer], 'user'), median(runs[own], 'user')
        self.report.add(what, theirs / ours, 'x', goal, (
            f'{theirs:.3f} s (spread {spread(runs[peer], "user"):.0%}) / '
            f'{ours:.3f} s (spread {spread(runs[own], "user"):.0%}), '
            f'{self.megabytes / ours:.0f} MB/s, {self.events / ours / 1e6:.1f} M events/s'))

    def threads(self):
        if os.cpu_count() < 2:
            return
        runs = interleaved({'one': (self.nprof_run('null', jobs=1), None),
                            'two': (self.nprof_run('null', jobs=2), None)}, self.rounds)
        one, two = median(runs['one'], 'wall'), median(runs['two'], 'wall')
        self.report.add('xplane, wall: one thread / two', one / two, 'x', '>= 1.7',
                        f'{one:.3f} s (spread {spread(runs["one"], "wall"):.0%}) / '
                        f'{two:.3f} s (spread {spread(runs["two"], "wall"):.0%})')

    def memory(self):
        for sink in ('null', 'csv', 'chrome'):
            for jobs in (1, 2):
                run = Run(self.nprof_run(sink, jobs=jobs), poll=True)
                what = f'memory, {self.megabytes:.0f} MB xplane -> {sink} -j {jobs}'
                self.report.add(what + ', own', run.anon_kb / 1024, 'MiB', f'<= {BUDGET_ANON_MB}',
                                f'RssAnon + RssShmem; {run.wall:.2f} s')
                self.report.add(what + ', resident', run.peak_kb / 1024, 'MiB',
                                f'<= {BUDGET_RSS_MB}', 'peak RSS')
                shutil.rmtree(os.path.join(self.folder, 'out'), ignore_errors=True)

    def start(self):
        """Start to exit on a tiny input, against a program known to start at once."""
        tiny = os.path.join(self.arguments.samples, 'synthetic_tpu.xplane.pb')
        output = os.path.join(self.folder, 'tiny/')
        command = self.nprof_run('csv', output=output, file=tiny)
        rounds = max(21, self.rounds)
        runs = interleaved({'nprof': (command, None), 'jq': (['jq', '--version'], None)}, rounds)
        ours, theirs = median(runs['nprof'], 'wall'), median(runs['jq'], 'wall')
        self.report.add('start to exit, wall: nprof on a tiny file / jq --version', ours / theirs,
                        'x', '<= 3', f'{ours * 1e3:.1f} ms / {theirs * 1e3:.1f} ms')
        opened = self.opened_plugins(command)
        self.report.add('plugins opened for -d xplane -s csv', len(opened), '', '<= 2',
                        ' '.join(sorted(opened)))

    def opened_plugins(self, command):
        """The dynamic linker says which files it opens."""
        log = os.path.join(self.folder, 'ld')
        subprocess.run(command, env={**os.environ, 'LD_DEBUG': 'files', 'LD_DEBUG_OUTPUT': log},
                       stdout=DEVNULL, stderr=DEVNULL, check=True)
        build = os.path.realpath(self.arguments.build)
        opened = set()
        for name in os.listdir(self.folder):
            if not name.startswith('ld.'):
                continue
            with open(os.path.join(self.folder, name), encoding='utf-8') as lines:
                for line in lines:
                    path = line.rsplit('file=', 1)[-1].split()[0] if 'file=' in line else ''
                    if path.endswith('.so') and os.path.realpath(path).startswith(build):
                        opened.add(os.path.basename(path))
        return opened

    # -- What this build can do ------------------------------------------------

    def accepts(self, sink, decoder='xplane'):
        tiny = os.path.join(self.arguments.samples, 'synthetic_tpu.xplane.pb')
        return subprocess.run(self.nprof_run(sink, decoder, file=tiny), stdout=DEVNULL,
                              stderr=DEVNULL, check=False).returncode == 0

    def run(self):
        self.generate()
        print(f'{cpu_model()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; '
              f'{self.megabytes:.0f} MB, {self.events} events; {self.rounds} runs each\n')
        self.decode()
        self.threads()
        self.start()
        self.memory()
        self.report.print()

    def save(self, path):
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'cpu': cpu_model(), 'cores': os.cpu_count(), 'megabytes': self.megabytes,
                       'events': self.events, 'runs': self.rounds, 'results': self.report.rows},
                      file, indent=1)
            file.write('\n')


def cpu_model():
    with open('/proc/cpuinfo', encoding='utf-8') as lines:
        for line in lines:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.machine()


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description='Measure nprof against peers.')
    parser.add_argument('--build', default='build-bench', help='build folder (%(default)s)')
    parser.add_argument('--samples', default=os.path.join(here, '..', '..', 'share', 'samples'))
    parser.add_argument('--mb', type=float, default=500, help='size of the input (%(default)s)')
    parser.add_argument('--runs', type=int, default=5, help='runs of each (%(default)s)')
    parser.add_argument('--tmp', help='folder for inputs and outputs, about 6 times --mb')
    parser.add_argument('--json', default='bench.json', help='result, in --build (%(default)s)')
    arguments = parser.parse_args()
    bench = Bench(arguments)
    try:
        bench.run()
        bench.save(os.path.join(arguments.build, arguments.json))
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)


if __name__ == '__main__':
    main()
