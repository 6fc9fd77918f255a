# SPDX-License-Identifier: Apache-2.0
"""same.py - same input, same bytes out: for any number of threads, any size of batches, whatever
was in the memory that malloc gives, and any place where the input lies.

Of the numbers of threads and sizes of batches SOME pairs are tried of the first file of a decoder,
two of its others and of real traces, all with NPROF_TEST_ALL=1 (./dev campaign). What the first
gives the others must give as well, the second with a pattern in all memory that malloc gives.
Sanitizers look at how bytes are made and not at which: with that of threads two pairs are tried of
the first file of a decoder and one of its others, and real traces are smaller; with that of
addresses one run, compared with none."""

import glob
import json
import os
import re
import shutil

from harness import Skip, add_test, check, check_same, files_below, main, run, sample, test, write
from samples import analyzers, components, samples_for, sinks, together
import xspace

GRID = [(jobs, rows) for rows in (None, '1', '7', '4096') for jobs in ('1', '2', '4')]
SOME = [('1', None), ('2', None), ('4', '1'), ('1', '7')]
SANITIZE = '' if os.environ.get('NPROF_TEST_ALL') else os.environ.get('NPROF_SANITIZE', '')
ONE_RUN, THREADS = 'address' in SANITIZE, 'thread' in SANITIZE
PAIRS = SOME[1:3] if THREADS else SOME
OF_TWO = SOME[::2]
OF_OTHERS = PAIRS[1:] if THREADS else OF_TWO
LARGEST = 1 << (18 if THREADS else 20)  # bytes of a real trace: each row costs ten times as much
if os.environ.get('NPROF_TEST_ALL'):
    PAIRS = OF_TWO = OF_OTHERS = GRID


def outputs(path, sink, *arguments, env=None):
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-s', sink, '-o', 'out/', *arguments, path, env=env).expect(0, out='')
    return files_below('out')


def check_outputs_same(path, sink, *arguments, pairs=PAIRS):
    if ONE_RUN:
        check(outputs(path, sink, *arguments, '-j', '2'), f'{sink} wrote nothing')
        return
    expected = None
    for i, (jobs, rows) in enumerate(pairs):
        env = {
            'MALLOC_PERTURB_': '85' if i == 1 else '0',
            **({'NPROF_BATCH_ROWS': rows} if rows else {}),
        }
        found = outputs(path, sink, *arguments, '-j', jobs, env=env)
        check(found, f'{sink} wrote nothing')
        expected = expected or found
        check_files_same(found, expected, f'{sink} -j {jobs} NPROF_BATCH_ROWS={rows}')


def check_files_same(found, expected, what):
    check_same(sorted(found), sorted(expected), what + ': files')
    for name, data in expected.items():
        if found[name] == data:
            continue
        at = next(
            (i for i, (a, b) in enumerate(zip(found[name], data)) if a != b),
            min(len(found[name]), len(data)),
        )
        around = slice(max(0, at - 60), at + 60)
        check(False, f'{what}: {name} differs at byte {at}:\n{data[around]}\n{found[name][around]}')


def of_decoder(name):
    """All sinks and analyzers at once, where most threads meet; the first file with one alone."""
    files = samples_for(name)
    for i, path in enumerate(files):
        check_outputs_same(path, 'csv', *ALL, '-d', name, pairs=OF_OTHERS if i else PAIRS)
    if not THREADS:
        check_outputs_same(files[0], 'text:format=json', *analyzers(), '-d', name, pairs=OF_TWO)


def of_sink(name):
    """Those of Neuron take nothing else."""
    if name.startswith('report-neuron'):
        check_outputs_same(samples_for('ntff')[0], name, '-a', 'neuron')
    else:
        check_outputs_same(sample(), name)


ALL = [
    *analyzers(),
    *(word for name in together() if name not in ('csv', 'null') for word in ('-s', name)),
]
# A store lies in a folder of its own and not below -o; cli-store compares stores for all -j and
# batches.
for decoder in [name for name in components('decoder') if name != 'store']:
    add_test('decoder-' + decoder, lambda _folder, name=decoder: of_decoder(name))
for writer in sinks():
    if writer not in ('null', 'store'):
        add_test('sink-' + writer, lambda _folder, name=writer: of_sink(name))


@test
def partitions_of_many_ranks(_folder):
    """More partitions than files may be open, so that files end while inputs are being decoded."""
    os.mkdir('ranks')
    for rank in range(48):
        write(
            f'ranks/{rank:02}.json',
            json.dumps(
                {
                    'distributedInfo': {'rank': rank},
                    'traceEvents': [
                        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 5 * i, 'dur': rank + 1, 'name': 'op'}
                        for i in range(9)
                    ],
                }
            ),
        )
    expected = outputs('ranks', 'parquet:partition=rank', '-j', '1')
    for jobs in ('1', '2', '4', '2'):
        check_files_same(
            outputs('ranks', 'parquet:partition=rank', '-j', jobs), expected, f'-j {jobs}'
        )
    for rank in range(48):
        data = expected[f'events/rank={rank}/part-0.parquet']
        check_same(
            re.findall(rb'"rank": "(\d+)"', data),
            [str(rank).encode()],
            f'inputs that the part of rank {rank} names',
        )


@test
def real_traces(_folder):
    """The smallest of each format: others read all of them."""
    if not os.environ.get('NPROF_TEST_DATA'):
        raise Skip('no real traces here')
    data = sorted(
        glob.glob(os.path.join(os.environ['NPROF_TEST_DATA'], '*', '*')), key=os.path.getsize
    )
    for ending in ('.pb', '.json', '.gz'):
        for path in [
            path for path in data if path.endswith(ending) and os.path.getsize(path) < LARGEST
        ][-1:]:
            check_outputs_same(path, 'csv', *ALL, pairs=PAIRS if THREADS else OF_TWO)


def tables_of_choosers(path, *others):
    env = {'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS']}
    choosers = [word for name in ('device', 'mfu', 'operators', 'fusion') for word in ('-a', name)]
    found = outputs(path, 'csv', *choosers, *others, env=env)
    return {
        name: data
        for name, data in found.items()
        if name != 'manifest.json' and not name.startswith('rows-')
    }


@test
def chosen_rows_are_all_that_matter(_folder):
    """Beside sinks that need all rows in the order of time or of tracks, analyzers get those as
    well; of real traces without the sanitizer of threads, which sees the same ones meet."""
    files = [path for name in ('xplane', 'chrome', 'ntff') for path in samples_for(name)]
    real = 'none' if THREADS else os.environ.get('NPROF_TEST_DATA', 'none')
    data = glob.glob(os.path.join(real, '*', '*'))
    files += [
        path
        for path in data
        if path.endswith(('.gz', '.pb'))
        and os.path.getsize(path) < 1 << 20
        and not os.path.basename(path).startswith(('bad', 'not_a'))
    ]
    for path in files:
        expected = tables_of_choosers(path)
        check_files_same(
            tables_of_choosers(path, '-s', 'rows-time', '-s', 'rows-track'), expected, path
        )


@test
def csv_and_chrome_of_many_lines(folder):
    path = write(os.path.join(folder, 'many.xplane.pb'), xspace.many(3000, lines=5))
    check_outputs_same(path, 'csv')
    check_outputs_same(path, 'chrome')


@test
def stdout_is_what_the_file_would_be(_folder):
    csv = outputs(sample(), 'csv')
    found = run('run', '-s', 'csv', '-o', '-', sample()).expect(0)
    check_same(found.out, csv['events.csv'].decode(), 'csv')
    found = run('run', '-s', 'csv:table=tracks', '-o', '-', sample()).expect(0)
    check_same(found.out, csv['tracks.csv'].decode(), 'csv:table=tracks')
    chrome = outputs(sample(), 'chrome')
    found = run('run', '-s', 'chrome', '-o', '-', sample()).expect(0)
    check_same(found.out, chrome['trace.json'].decode(), 'chrome')


@test
def two_sinks_write_what_each_writes_alone(_folder):
    alone = {**outputs(sample(), 'csv'), **outputs(sample(), 'chrome')}
    shutil.rmtree('out')
    run('run', '-s', 'csv', '-s', 'chrome', '-o', 'out', sample()).expect(0)
    found = files_below('out')
    alone.pop('manifest.json', None)
    found.pop('manifest.json', None)
    check_files_same(found, alone, 'both')


@test
def nothing_of_this_machine_gets_into_outputs(folder):
    os.makedirs('deep/place')
    shutil.copy(sample(), 'deep/place/s.xplane.pb')
    found = {
        **outputs(os.path.join(folder, 'deep/place/s.xplane.pb'), 'csv'),
        **outputs(os.path.join(folder, 'deep/place/s.xplane.pb'), 'chrome'),
    }
    host = os.uname().nodename.encode()
    for name, data in found.items():
        check(folder.encode() not in data, f'{name} names the folder of the input')
        check(b'deep/place' not in data, f'{name} names the folder of the input')
        check(len(host) < 5 or host not in data, f'{name} names this machine')


@test
def twice_into_the_same_folder(_folder):
    first = outputs(sample(), 'csv')
    run('run', '-s', 'csv', '-o', 'out', sample()).expect(0)
    check_files_same(files_below('out'), first, 'second run')


if __name__ == '__main__':
    main()
