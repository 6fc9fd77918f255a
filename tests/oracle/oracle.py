# SPDX-License-Identifier: Apache-2.0
"""oracle.py - every trace at hand: what nprof reports beside what an independent reader finds.

share/samples always; NPROF_TEST_DATA names the folder of real traces, NPROF_ORACLE_MORE one with
others, below which every trace is read, NPROF_NTFF_REAL one with files of Neuron. The largest ones,
and all files of Neuron, only with NPROF_TEST_ALL=1."""

import fnmatch
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
# pylint: disable=wrong-import-position
from harness import SAMPLES, Skip, add_test, check, main, rows_of, run

import compare
import documents
import furiosa
import known
import made
import ntff
import xplane
from model import Unknown
from wire import Damaged

DATA = os.environ.get('NPROF_TEST_DATA', '')
MORE = os.environ.get('NPROF_ORACLE_MORE', '')
REAL = os.environ.get('NPROF_NTFF_REAL', '')
ALL = os.environ.get('NPROF_TEST_ALL') == '1'
SANITIZED = os.environ.get('NPROF_SANITIZE', 'none') != 'none'
EACH = 1 if ALL else 24  # of the real files of Neuron, which are many and alike
# Bytes: Python needs seconds for more, and nprof with sanitizers for less.
LARGE = 500000 if SANITIZED else 2500000
READERS = (
    ('.xplane.pb', xplane.read),
    ('.json', documents.read),
    ('.json.gz', documents.read),
    ('.ntff', ntff.read),
    ('.csv', furiosa.read),
)
REFUSED = ('bad_', 'not_a_trace')  # files of the data that no reader may take
ELSEWHERE = (
    'not_a_trace_event_file_rocprof'  # what rocprofv3 wrote: no trace events, as its name says
)
SHOWN = 20


def reader_of(path):
    return next((reader for ending, reader in READERS if path.endswith(ending)), None)


SEEN, USED = set(), set()  # names of traces that were judged, and entries of the list that differ


def is_known(name, difference):
    """Indices of the entries that name this difference."""
    place = '/'.join(str(part) for part in difference[1])
    own = name, difference[0], place, difference[2]
    return [
        i
        for i, entry in enumerate(known.KNOWN)
        if all(fnmatch.fnmatchcase(a, b) for a, b in zip(own, entry[:4]))
    ]


def judge(name, differences):
    SEEN.add(name)
    new = []
    for difference in differences:
        entries = is_known(name, difference)
        USED.update(entries)
        if not entries:
            table, place, column, expected, found = difference
            new.append(
                f'{table} {"/".join(map(str, place))} {column}: '
                f'expected {expected}, found {found}'
            )
    more = [f'and {len(new) - SHOWN} more'] if len(new) > SHOWN else []
    check(not new, '\n'.join(new[:SHOWN] + more))


def known_differ(_folder):
    """The last test: each entry whose files were judged names a difference."""
    gone = [
        entry
        for i, entry in enumerate(known.KNOWN)
        if i not in USED and fnmatch.filter(SEEN, entry[0])
    ]
    check(
        not gone,
        '\n'.join(
            f'no longer differs: take {entry} out of tests/oracle/known.py' for entry in gone
        ),
    )


def report_of(path):
    """The tables, or None and the exit status."""
    result = run('report', '-q', '--full', '--top', '0', '--format', 'json', path)
    if result.status != 0:
        return None, result.status
    return compare.tables_of(json.loads(result.out)), 0


def events_of(path):
    columns = 'csv:table=events,columns=start_ns+duration_ns+kind+name+category'
    return rows_of(run('run', '-q', '-s', columns, '-o', '-', path).expect(0).out)


def read_trace(path):
    """The profile, or None where the file is damaged or none of a format that the oracle knows."""
    try:
        return reader_of(path)(path)
    except (ValueError, Damaged):
        return None


def differences(path):
    """A damaged file is refused; of all others every number is the oracle's."""
    if os.path.basename(path).startswith(ELSEWHERE):
        raise Skip('tests/cli/rocm.py reads this format in Python')
    profile = read_trace(path)
    tables, status = report_of(path)
    expected = 2 if profile is None else 0
    if status != expected:
        return [('report', (), 'status', expected, status)]
    if profile is None:
        return []
    zero = compare.start_of(tables)
    return [
        *compare.differences(profile, tables),
        *compare.spans_differ(profile, zero, events_of(path)),
    ]


def check_reading(path):
    """With sanitizers nprof only reads and writes what it does without them, where figures are
    compared: most of the time is the reader's here."""
    status = report_of(path)[1]
    check(status == 0 or read_trace(path) is None, f'status {status}')
    check(status in (0, 2), f'status {status}')
    if status == 0:
        events_of(path)


def check_trace(path, name):
    if SANITIZED:
        check_reading(path)
        return
    try:
        judge(name, differences(path))
    except Unknown as reason:
        raise Skip(str(reason)) from None


def below(folder, prefix):
    """Name and path of each trace that is not too large."""
    for at, _folders, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(at, name)
            large = os.path.getsize(path) >= LARGE and (SANITIZED or not path.endswith('.pb'))
            if reader_of(path) and (ALL or not large):
                yield prefix + os.path.relpath(path, folder), path


def traces():
    yield from below(SAMPLES, 'samples/')
    if os.path.isdir(DATA):
        yield from below(DATA, '')
        yield from below(os.path.join(DATA, '..', 'golden', 'defects'), 'defects/')
        yield from below(os.path.join(DATA, '..', 'golden', 'furiosa'), 'furiosa/')
    if os.path.isdir(MORE):
        yield from below(MORE, 'more/')
    if os.path.isdir(REAL):
        yield from list(below(REAL, 'real/'))[::EACH]


def skip_all(_folder):
    raise Skip('NPROF_TEST_DATA names no folder with real traces')


def add_last_test():
    """The samples alone are too few to tell whether a known difference is gone."""
    if os.path.isdir(DATA):
        add_test('known-differences-differ', known_differ)
    else:
        add_test('real-traces', skip_all)


def collect():
    for seed in made.SEEDS:
        name = f'made/kineto, seed {seed}'
        add_test(
            name,
            lambda folder, seed=seed, name=name: check_trace(
                made.kineto(os.path.join(folder, 'made.json'), seed), name
            ),
        )
    for name, path in traces():
        add_test(name, lambda _folder, path=path, name=name: check_trace(path, name))
    add_last_test()


if __name__ == '__main__':
    collect()
    main()
