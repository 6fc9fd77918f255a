#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_bindings.py - what a row costs that a third party's decoder writes, in C and by each of the
bindings: bindings/spans.* do nothing else. As is usual for such a file, nprof check has passed on
it. Instructions are differences of two sizes, so that the start cancels out."""

import os
import shutil
import struct
import subprocess
import sys

from bench_instructions import count
from measure import interleaved, told

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, '..', '..')
FLAGS = ['-O2', '-shared', '-fPIC', '-fvisibility=hidden']
FLAGS += [f'-I{SOURCE}/include', f'-I{SOURCE}/sdk']
SIZES = (1000000, 3000000)  # rows
PYTHON_SIZES = (20000, 60000)


def measure(bench):
    shutil.copytree(os.path.join(HERE, 'bindings'), bench.path('bindings'))
    env = {
        'NPROF_PLUGIN_PATH': bench.path('bindings'),
        'XDG_DATA_HOME': bench.path('bindings-home'),
    }
    base = None
    for language, sizes in (
        ('c', SIZES),
        ('cpp', SIZES),
        ('rust', SIZES),
        ('python', PYTHON_SIZES),
    ):
        if not build(bench, language, env):
            print(f'spans in {language} are not measured: no compiler')
            continue
        commands = {n: (decode_of(bench, language, n), env) for n in sizes}
        runs = interleaved(commands, bench.rounds)
        least, most = sizes
        ns = [(b.user - a.user) / (most - least) * 1e9 for a, b in zip(runs[least], runs[most])]
        rates = f'{told(ns, "ns of user CPU a row")}'
        if language == 'python':  # whose library callgrind may not be able to run
            bench.report.add('python', sorted(ns)[len(ns) // 2], 'ns', '', rates)
            continue
        if not shutil.which('valgrind'):
            bench.report.add(language, sorted(ns)[len(ns) // 2], 'ns', '<= 33', rates)
            continue
        counted = [count(bench, decode_of(bench, language, n), env) for n in sizes]
        row = (counted[1] - counted[0]) / (most - least)
        base = base or row
        goal = '<= 80' if language == 'c' else f'<= {1.1 * base:.0f}'
        bench.report.add(language, row, 'instructions', goal, rates)


def spans(bench, rows):
    path = bench.path(f'{rows}.spans')
    if not os.path.exists(path):
        with open(path, 'wb') as file:
            file.write(b'spans\0\0\0' + struct.pack('<HH', 1000, 500) * rows)
    return path


def decode_of(bench, language, rows):
    """The signals of a limit are too much for callgrind."""
    command = bench.nprof_run(spans(bench, rows), 'null', 'bench.spans-' + language)
    return [*command[:2], '--call-limit', '0', *command[2:]]


def build(bench, language, env):
    """Makes the plugin, and has nprof check pass on it. False: its compiler is not here."""
    folder = bench.path('bindings')
    so = os.path.join(folder, f'spans-{language}.so')
    if language == 'rust':
        if not shutil.which('rustc'):
            return False
        crate = bench.built('sdk/examples/libnprof.rlib')
        made = ['rustc', '--edition', '2021', '-O', '--crate-name', 'spans', '--crate-type']
        made += ['cdylib', '--extern', f'nprof={crate}', '-o', so, f'{folder}/spans.rs']
    elif language == 'cpp':
        made = ['c++', '-std=c++17', *FLAGS, '-o', so, f'{folder}/spans.cpp']
    elif language == 'python':
        tool = os.path.join(SOURCE, 'sdk', 'python', 'nprof_to_c.py')
        with open(f'{folder}/python.c', 'w', encoding='utf-8') as file:
            subprocess.run(
                [sys.executable, '-B', tool, f'{folder}/spans.py'], stdout=file, check=True
            )
        made = ['cc', *FLAGS, '-o', so, f'{folder}/python.c', '-ldl', '-lpthread']
    else:
        made = ['cc', '-std=gnu11', *FLAGS, '-o', so, f'{folder}/spans.c']
    subprocess.run(made, check=True)
    subprocess.run(
        [bench.nprof, 'check', '--input', spans(bench, 1000), so],
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return True
