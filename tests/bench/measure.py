# SPDX-License-Identifier: Apache-2.0
"""measure.py - one process from start to exit, runs that take turns, and the table of what came
out.  What is measured stands in the files bench_*.py.

Times are of whole processes (wait4), medians of interleaved runs; the spread is (max - min) /
median.  A run counts when the machine was quiet before and after it, as /proc/stat says; after a
while without such moments others count too, and the report says how many.  Memory is polled from
/proc while the process runs.
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

DEVNULL = subprocess.DEVNULL
BUDGET_ANON_MB, BUDGET_RSS_MB = 128, 256  # of every run
QUIET = 0.15  # share of all cores that others may take
LOOK_S = 0.06  # how long is looked whether they do
PATIENCE_S = float(
    os.environ.get('NPROF_BENCH_PATIENCE', 60)
)  # waited for quiet moments in one series


class Run:
    """One process from start to exit."""

    def __init__(self, command, env=None, poll=False):
        self.quiet = False
        self.anon_kb = self.peak_kb = 0
        begin = time.perf_counter()
        # A file, not a pipe: nobody would read a pipe while this waits.
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command, stdout=DEVNULL, stderr=errors, env={**os.environ, **(env or {})}
            )
            while poll and self.poll(process.pid):
                time.sleep(0.002)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            if process.returncode != 0:
                sys.exit(
                    f'{" ".join(command)}: exit status {process.returncode}\n'
                    + errors.read().decode('utf-8', 'replace')
                )
        self.wall = time.perf_counter() - begin
        self.user, self.system = usage.ru_utime, usage.ru_stime
        self.cpu = self.user + self.system
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


def ticks():
    """Returns the time of all cores since the machine started: busy, and all."""
    with open('/proc/stat', encoding='ascii') as lines:
        spent = [int(x) for x in lines.readline().split()[1:9]]
    return sum(spent) - spent[3] - spent[4], sum(spent)


def is_quiet():
    busy, total = ticks()
    time.sleep(LOOK_S)
    busy_then, total_then = ticks()
    return busy_then - busy <= QUIET * max(1, total_then - total)


def run_quietly(command, env, until, before):
    """A run between quiet moments, or whatever it is when `until` has come."""
    while True:
        before()
        while not is_quiet() and time.monotonic() < until:
            pass
        done = Run(command, env)
        done.quiet = is_quiet()
        if done.quiet or time.monotonic() >= until:
            return done


def interleaved(commands, rounds, before=lambda: None):
    """rounds runs of each, taking turns: {name: [Run]}. One of each first, to warm the caches.
    before() comes ahead of each run."""
    runs = {name: [] for name in commands}
    for command, env in commands.values():
        before()
        Run(command, env)
    until = time.monotonic() + PATIENCE_S
    for _ in range(rounds):
        for name, (command, env) in commands.items():
            runs[name].append(run_quietly(command, env, until, before))
    return runs


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def told(values, unit='s', more=''):
    """0.312 s (n 5, spread 4%)"""
    values = list(values)
    middle = statistics.median(values)
    spread = (max(values) - min(values)) / max(middle, 1e-9)
    return f'{middle:.4g} {unit} (n {len(values)}, spread {spread:.0%}{more})'


def said(runs, what):
    loud = sum(not run.quiet for run in runs)
    return told([getattr(run, what) for run in runs], more=f', {loud} not quiet' if loud else '')


class Report:
    def __init__(self):
        self.rows = []
        self.subject = ''

    def add(self, what, value, unit, goal, detail):
        """goal: '>= 4.5', '<= 128', or '' for a number that is only printed."""
        self.rows.append(
            {
                'subject': self.subject,
                'what': what,
                'value': round(value, 3),
                'unit': unit,
                'goal': goal,
                'met': self.met(value, goal),
                'detail': detail,
            }
        )

    @staticmethod
    def met(value, goal):
        if not goal:
            return None
        sign, limit = goal.split()
        return value >= float(limit) if sign == '>=' else value <= float(limit)

    def print(self):
        rows = [
            [
                r['what'],
                f"{r['value']:.2f} {r['unit']}",
                r['goal'],
                {True: 'yes', False: 'NO', None: ''}[r['met']],
                r['detail'],
            ]
            for r in self.rows
        ]
        rows.insert(0, ['', 'measured', 'goal', 'met', ''])
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            print(
                '  '.join(
                    [
                        row[0].ljust(widths[0]),
                        row[1].rjust(widths[1]),
                        row[2].ljust(widths[2]),
                        row[3].ljust(widths[3]),
                        row[4],
                    ]
                ).rstrip()
            )


def cpu_model():
    with open('/proc/cpuinfo', encoding='utf-8') as lines:
        for line in lines:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.machine()
