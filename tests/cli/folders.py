# SPDX-License-Identifier: Apache-2.0
"""folders.py - several runs write into one folder: one with the same inputs and options replaces
what it wrote before, no other is lost or overwritten."""

import json
import os
import shutil
import subprocess

from harness import check, check_same, files_below, main, read, run, start, test, write


def ranks(folder, numbers, rows=9):
    os.makedirs(folder, exist_ok=True)
    for rank in numbers:
        write(
            f'{folder}/{rank}.json',
            json.dumps(
                {
                    'distributedInfo': {'rank': rank},
                    'traceEvents': [
                        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 5 * i, 'dur': rank + 1, 'name': 'op'}
                        for i in range(rows)
                    ],
                }
            ),
        )


def listed(folder='out'):
    return [f['name'] for f in json.loads(read(folder + '/manifest.json'))['files']]


def refused(*arguments, names='out/*.csv'):
    before = files_below('out')
    run('run', *arguments).expect(
        1, out='', err=f'*{names}: a run with other inputs or options wrote this file*'
    )
    check_same(sorted(files_below('out')), sorted(before), 'files')
    check(files_below('out') == before, 'a refused run changed a file')


@test
def the_same_run_replaces_what_it_wrote(_folder):
    ranks('in', range(4))
    command = ('run', '-s', 'parquet:partition=rank', '-o', 'out', 'in')
    run(*command).expect(0)
    first = files_below('out')
    run(*command, '-j', '1').expect(0)
    check(files_below('out') == first, 'the second run gives other files')
    shutil.rmtree('in')
    ranks('in', range(2), rows=20)
    run(*command).expect(0)
    found = files_below('out')
    check_same(
        sorted(n for n in found if n.startswith('events/') and n.endswith('.parquet')),
        ['events/rank=0/part-0.parquet', 'events/rank=1/part-0.parquet'],
        'partitions',
    )
    check(
        all(found[n] != first[n] for n in found if n.endswith('part-0.parquet')),
        'an older partition stays',
    )
    check_same(sorted(listed()), sorted(n for n in found if n.endswith('.parquet')), 'listed')


@test
def other_clocks_are_other_options(_folder):
    """They change every time that is written; what their file is called changes nothing."""
    event = {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 5, 'dur': 1, 'name': 'op'}
    start = 1700000000 * 10**9
    known = {'distributedInfo': {'rank': 0}, 'baseTimeNanoseconds': start}
    write('own.json', json.dumps({**known, 'traceEvents': [event]}))
    for name, offset, drift in (('a', 1000, 0), ('b', 2000, 0), ('c', 1000, 1), ('d', 1000, 0)):
        head = 'clock,offset_ns,at_unix_ns,drift_ppm\n'
        write(f'{name}.csv', f'{head}rank 0,{offset},{start},{drift}\n')
    command = ('-q', '-s', 'csv', '-o', 'out', 'own.json')
    for name in 'ad':
        run('run', '--clocks', f'{name}.csv', *command).expect(0)
    for name in 'bc':
        refused('--clocks', f'{name}.csv', *command)
    refused(*command)


@test
def other_inputs_or_options_are_refused(_folder):
    ranks('in', range(2))
    ranks('same/name', [0])
    run('run', '-s', 'csv', '-o', 'out', 'in/0.json').expect(0)
    for more in (
        ['in/1.json'],
        ['same/name/0.json'],
        ['in/0.json', 'in/1.json'],
        ['in/0.json', '--from', '0ms'],
        ['in/0.json', '-k'],
        ['in/0.json', '-a', 'device'],
        ['-d', 'chrome', 'in/0.json'],
    ):
        refused('-s', 'csv', '-o', 'out', *more)
    refused('-s', 'csv:excel=yes', '-o', 'out', 'in/0.json')
    run('run', '-s', 'csv', '-o', 'out/', os.path.abspath('in/../in/0.json')).expect(0)


@test
def what_does_not_meet_stays(_folder):
    """Three runs by turns: each manifest lists its own files, and each file has one owner."""
    ranks('in', range(2))
    csv = ('run', '-s', 'csv', '-o', 'out', 'in/0.json')
    parquet = ('run', '-s', 'parquet:partition=rank', '-o', 'out', 'in/1.json')
    chrome = ('run', '-s', 'chrome', '-s', 'text', '-o', 'out', 'in/1.json')
    expected = {}
    for command, ending in ((csv, '.csv'), (parquet, '.parquet'), (chrome, ''), (csv, '.csv')):
        run(*command).expect(0)
        found = files_below('out')
        found.pop('manifest.json')
        check(
            all(found[name] == data for name, data in expected.items()),
            f'{command}: a file was changed or lost',
        )
        check(
            all(name.endswith(ending) for name in listed()) and listed(),
            f'{command}: lists {listed()}',
        )
        expected = found
    refused('-s', 'parquet', '-o', 'out', 'in/0.json', names='out/*.parquet')
    refused('-s', 'csv', '-o', 'out', 'in/1.json')
    os.remove('in/0.json')
    ranks('in', [0], rows=30)
    run(*csv).expect(0)
    check(read('out/events.csv') != expected['events.csv'], 'its own file is not replaced')


@test
def runs_at_the_same_time(_folder):
    """One of them has the folder, the others say so; nothing is half of each."""
    ranks('in', range(6))
    alone = {}
    for rank in range(6):
        run('run', '-s', 'csv', '-o', f'alone{rank}', f'in/{rank}.json').expect(0)
        alone[rank] = files_below(f'alone{rank}')
    started = [
        start('run', '-s', 'csv', '-o', 'out', f'in/{rank}.json', stderr=subprocess.PIPE)
        for rank in range(6)
    ]
    ends = [(process.communicate()[1], process.returncode) for process in started]
    winners = [rank for rank, (_, status) in enumerate(ends) if status == 0]
    check_same(len(winners), 1, f'runs that ended with 0: {ends}')
    check(all(status in (0, 1) for _, status in ends), f'{ends}')
    check(
        files_below('out') == alone[winners[0]],
        'the files are not those of the run that ended with 0',
    )


@test
def standard_input_counts_by_its_bytes(_folder):
    ranks('in', range(2))
    for rank, status in ((0, 0), (0, 0), (1, 1)):
        run('run', '-s', 'csv', '-o', 'out', '-', stdin=read(f'in/{rank}.json')).expect(status)


if __name__ == '__main__':
    main()
