#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""campaign.py - runs all fuzz targets of a build in turn, guided by coverage, for so many seconds
together, and counts the executions of all campaigns in BUILD/campaign.json.  What is found lies in
BUILD/found and ends the campaign with status 1; it becomes a test.  What targets check is theirs.

The corpus of a target grows in BUILD/corpus/TARGET from the samples of its format.  libFuzzer
flips bits, splices, and changes bytes and integers (by one, to extremes) of what is there."""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(HERE), 'tools')
SLICE = 60  # seconds a target in its turn
MAX_LEN = 8192  # bytes of an input: small ones are quick, and structures are small
MAX_LENS = {'ntff': 32768, 'typed': 512, 'documents': 2048}  # whose smallest files are larger
# Choosing the inputs it prefers costs libFuzzer a third of the time where there are as many edges.
OPTIONS = {'xplane': ['-entropic=0'], 'store': ['-entropic=0']}
MEMORY = 1024  # MB of a process; no input of that size needs more
SANITIZERS = {
    # Allocations are many and short: a small quarantine and short stacks make it twice as fast.
    'ASAN_OPTIONS': 'detect_leaks=1:quarantine_size_mb=8:malloc_context_size=6:max_malloc_fill_size=0',
    'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1',
    'G_SLICE': 'always-malloc',
}


def built(build, program):
    """Returns its folder: beside the tests of what it tries."""
    return next(iter(glob.glob(os.path.join(build, 'tests', '*', program))), None)


def made_by(tool, folder, *arguments):
    subprocess.run(
        [sys.executable, '-B', os.path.join(TOOLS, tool), folder, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def write_seeds(build, name, folder):
    """Samples as their generators write them; targets of other formats have their own in
    replay.c."""
    replay = built(build, 'replay-' + name)
    if name == 'ntff':
        made_by('ntff_make.py', folder, '--count', '4', '--outside', '--lost')
    elif name == 'ntff-tools':
        made_by('neuron-tools-make.py', folder, '--instructions', '1')
    elif name == 'neff':
        made = os.path.join(build, 'found', 'neff-samples')
        made_by('neff-make.py', made)
        subprocess.run([replay, made, folder], check=True)
    else:
        subprocess.run([replay, '--seeds', folder], check=True)
    for expected in glob.glob(os.path.join(folder, '*.tsv')):  # what must be found in them
        os.remove(expected)


def make_corpus(build, name, corpus):
    """A corpus appears with all its samples or not at all: one that is half made would never be
    completed, and its target would run on nothing."""
    started = corpus + '.started'
    shutil.rmtree(started, ignore_errors=True)
    os.makedirs(started)
    write_seeds(build, name, started)
    os.rename(started, corpus)


def number(text, name):
    found = re.search(name + r':?\s*(\d+)', text)
    return int(found.group(1)) if found else 0


def run(build, name, seconds, seed):
    """One turn: executions, and whether something was found."""
    corpus = os.path.join(build, 'corpus', name)
    found = os.path.join(build, 'found', name)
    os.makedirs(found, exist_ok=True)
    if not os.path.isdir(corpus):
        make_corpus(build, name, corpus)
    dictionary = os.path.join(HERE, name + '.dict')
    options = OPTIONS.get(name, []) + (
        [f'-dict={dictionary}'] if os.path.exists(dictionary) else []
    )
    arguments = [
        built(build, 'fuzz-' + name),
        *options,
        f'-max_total_time={seconds}',
        '-print_final_stats=1',
        f'-rss_limit_mb={MEMORY}',
        f'-max_len={MAX_LENS.get(name, MAX_LEN)}',
        '-timeout=20',
        f'-seed={seed}',
        f'-artifact_prefix={found}/',
        corpus,
    ]
    env = {**SANITIZERS, **os.environ}
    ended = subprocess.run(
        arguments,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=seconds + 600,
        check=False,
    )
    text = ended.stderr.decode('utf-8', 'backslashreplace')
    with open(os.path.join(found, 'log'), 'w', encoding='utf-8') as log:
        log.write(text)
    coverage = re.findall(r'cov: (\d+)', text)
    turn = {
        'executions': number(text, 'stat::number_of_executed_units'),
        'seconds': seconds,
        'coverage': int(coverage[-1]) if coverage else 0,
        'found': int(ended.returncode != 0),
    }
    if ended.returncode:
        print(text[-4000:], flush=True)
    return turn


def add(counts, name, turn):
    total = counts.setdefault(name, {'executions': 0, 'seconds': 0, 'coverage': 0, 'found': 0})
    for key in ('executions', 'seconds', 'found'):
        total[key] += turn[key]
    total['coverage'] = max(total['coverage'], turn['coverage'])


def show(counts):
    print(f'{"target":12} {"executions":>12} {"seconds":>8} {"edges":>7} {"found":>6}')
    for name, c in sorted(counts.items()):
        print(f'{name:12} {c["executions"]:12,} {c["seconds"]:8} {c["coverage"]:7} {c["found"]:6}')
    print(f'{"all":12} {sum(c["executions"] for c in counts.values()):12,}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('build')
    parser.add_argument('seconds', type=int, nargs='?', default=600)
    parser.add_argument('--only', default='*', help='glob of targets')
    arguments = parser.parse_args()
    here = os.path.join(arguments.build, 'tests', '*', 'fuzz-' + arguments.only)
    names = sorted(
        os.path.basename(t)[len('fuzz-') :] for t in glob.glob(here) if os.path.isfile(t)
    )
    if not names:
        sys.exit(f'no fuzz target was built in {arguments.build}/tests')
    path = os.path.join(arguments.build, 'campaign.json')
    counts = json.load(open(path, encoding='utf-8')) if os.path.exists(path) else {}
    end, turn, failed = time.monotonic() + arguments.seconds, 0, 0
    while time.monotonic() < end:
        name = names[turn % len(names)]
        turn += 1
        slice_ = max(1, min(SLICE, arguments.seconds // len(names), int(end - time.monotonic())))
        seed = 1 + sum(c['executions'] for c in counts.values()) % 0x7FFFFFFF
        result = run(arguments.build, name, slice_, seed)
        add(counts, name, result)
        failed |= result['found']
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(counts, file, indent=1)
    show(counts)
    sys.exit(failed)


if __name__ == '__main__':
    main()
