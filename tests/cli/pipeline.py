# SPDX-License-Identifier: Apache-2.0
"""pipeline.py - what the core promises between decoders, analyzers and sinks: orders, origins,
parts, derived rows, tables, selection, failure.  The plugin tests/plugins/lines.c reads any
stream of rows from a text file and prints rows as lines."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile

from harness import check, check_same, finish, main, read, rows_of, run, start, test, write

HEAD = '#nprof-lines\n'
# All cases have one home: what lives again behind a run, which is fence.py's, does so once.
HOME = tempfile.TemporaryDirectory(prefix='nprof-pipeline-')
PLUGINS = {'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS'], 'XDG_DATA_HOME': HOME.name}


def lines(name, *rows):
    return write(name, HEAD + ''.join(row + '\n' for row in rows))


def nprof(*arguments, env=None):
    return run('run', *arguments, env={**PLUGINS, **(env or {})})


def rows(*arguments, sink='rows', env=None):
    result = nprof('-s', sink, '-o', '-', *arguments, env=env).expect(0)
    return [line for line in result.out.splitlines() if not line.startswith('table ')]


def ordered(found):
    """(track, start, duration) of printed rows."""
    return [(int(f[2].split(':')[0][1:]), int(f[4]), int(f[5])) for f in map(str.split, found)]


def random_rows(number, seed):
    pick = random.Random(seed)
    return [
        f'span t{pick.randrange(5)} n{i} {pick.randrange(40)} {pick.choice((-1, 0, 1, 5, 30))}'
        for i in range(number)
    ]


@test
def a_row_may_need_more_room_than_a_batch_has(_folder):
    """Sixty attributes, much text, and rows behind them, also in batches of one row."""
    many = ' '.join(f'k{i}={i}' for i in range(55))
    path = lines(
        'a', f'span t many 0 1 {many}', f"span t long 1 1 k='{'x' * 100000}", 'span t last 2 1 k=7'
    )
    for env in ({}, {'NPROF_BATCH_ROWS': '1'}):
        found = rows_of(nprof('-s', 'csv', '-o', '-', path, env=env).expect(0).out)
        check_same([row['name'] for row in found], ['many', 'long', 'last'], 'names')
        check_same(
            json.loads(found[0]['attributes']), {f'k{i}': i for i in range(55)}, 'attributes'
        )
        check_same(json.loads(found[1]['attributes']), {'k': 'x' * 100000}, 'text')


@test
def a_sink_sees_inputs_as_they_were_with_its_rows(_folder):
    """Bytes and properties are there from an input's first row on, and not before, however far the
    decoding thread is ahead."""
    paths = [lines(f'{i:02}', f'property rank r{i}', 'span t x 5 10') for i in range(30)]
    sizes = [os.path.getsize(path) for path in paths]
    expected = [
        ' '.join([f'{k} of 30:'] + [f'{sizes[i]}/r{i}' if i <= k else '0/-' for i in range(30)])
        for k in range(30)
    ]
    for jobs in ('1', '2', '4'):
        found = nprof('-j', jobs, '-s', 'sees', '-o', '-', *paths).expect(0).out.splitlines()
        check_same(found, expected, f'what the sink sees with -j {jobs}')


@test
def options_are_checked_before_anything_is_opened(_folder):
    """Neither inputs nor sinks: an input that is not there is named after all options are right."""
    for word in (
        ('-d', 'lines:foo=1', '-s', 'rows'),
        ('-a', 'device:foo=1', '-s', 'rows'),
        ('-s', 'rows:foo=1'),
        ('-d', 'lines', '-s', 'rows', '-s', 'csv:foo=1'),
    ):
        nprof(*word, '-o', 'out/', 'not-there').expect(1, out='', err='*foo*')
        check(not os.path.exists('out'), 'an output was made')
    nprof('-d', 'lines:part=0', '-s', 'influx:url=http://127.0.0.1:1', lines('a')).expect(
        1, out='', err='*part*'
    )
    nprof('-d', 'lines', '-s', 'rows', '-o', 'out/', 'not-there').expect(2, err='*not-there*')


@test
def many_warnings_of_a_reason_are_counted(_folder):
    path = lines('a', *('bad' for _ in range(500)), 'span t x 1 1')
    other = lines('b', 'bad', 'span t x 1 1')
    said = [
        f'nprof: warning: a: byte {13 + 4 * i}: a bad line: expected a good one' for i in range(20)
    ]
    said += [
        'nprof: warning: 481 more like this were not said: byte 13: a bad line: expected a good one',
        'nprof: warning: 501 records could not be read and are missing from what was written',
    ]
    for jobs in ('1', '2', '4'):
        result = nprof('-k', '-j', jobs, '-s', 'null', path, other).expect(3)
        check_same(result.err.splitlines(), said, f'warnings with -j {jobs}')


@test
def rows_without_a_track_are_refused(_folder):
    """By all sinks and analyzers alike, selected or not, and whatever kind of row it is."""
    path = lines(
        'a', *(f'span t n{i} {i} 1' for i in range(70)), 'span - lost 70 1', 'span t n 71 1'
    )
    words = '*a: row "lost": track 0 is unknown*'
    for word in (
        ('-s', 'chrome'),
        ('-s', 'csv'),
        ('-s', 'text'),
        ('-s', 'parquet'),
        ('-a', 'latency', '-s', 'null'),
        ('-s', 'csv', '--name', 'n7'),
        ('-s', 'csv', '-j', '1'),
    ):
        for env in ({}, {'NPROF_BATCH_ROWS': '1'}):
            nprof(*word, '-o', 'out/', path, env=env).expect(5, err=words)
    check(not os.path.exists('out'), 'something was written')
    for row in (
        'instant - x 1',
        'counter - x 1 2.5',
        'gap - 1 1',
        'flow - f 1 7 begin',
        'fact - peak_flops 1.5',
    ):
        nprof('-s', 'csv', '-o', '-', lines('b', row)).expect(
            5, err='*b: row *: track 0 is unknown*'
        )


@test
def an_input_is_described_before_its_first_row(_folder):
    for name, row, options in (('part', 'late a b', ''), ('after', 'span t x 5 10', ':late=yes')):
        path = lines(name, 'property rank 1', 'span t x 1 2', row)
        why = {
            'part': 'a part of a parallel decoding gives a property: plan has to',
            'after': 'the decoder gives a property after its first row',
        }[name]
        nprof('-d', 'lines' + options, '-s', 'rows', '-o', '-', path).expect(
            5, err=f'*{name}: {why}*'
        )


@test
def rows_arrive_as_decoded(_folder):
    path = lines(
        'a',
        'span t one 10 5 n=3 s=x u=7u f=0.5 j={"a":1} b=true x=\'yz id=4',
        'instant u two 3',
        'counter u c 4 1.5',
        'flow t fam 10 77 begin',
        'gap t 20 5',
    )
    found = rows(path)
    check(found[0].endswith('one 10 5 id 4 n=3 s=x u=7u f=0.5 j={"a":1} b=true x=yz'), found[0])
    check(found[2].endswith(':u c 4 0 value 1.5'), found[2])
    check(found[3].endswith(':t fam 10 0 flow 77 flow_phase=begin'), found[3])
    check_same(
        [f.split()[1] for f in found], ['span', 'instant', 'counter', 'flow', 'gap'], 'kinds'
    )


@test
def order_track_is_a_stable_sort(_folder):
    for seed in range(6):
        path = lines('a', *random_rows(300, seed))
        decoded = rows(path)
        expected = sorted(
            decoded, key=lambda row: (lambda t, s, d: (t, s, d < 0, -d))(*ordered([row])[0])
        )
        for env in ({}, {'NPROF_BATCH_ROWS': '7'}):
            check_same(rows(path, sink='rows-track', env=env), expected, f'seed {seed}')


@test
def order_time_is_a_stable_sort(_folder):
    path = lines('a', *random_rows(300, 9))
    expected = sorted(
        rows(path), key=lambda row: (lambda t, s, d: (s, d < 0, -d))(*ordered([row])[0])
    )
    check_same(rows(path, sink='rows-time'), expected, 'order')


@test
def order_device_keeps_each_devices_order(_folder):
    """No track of these is a device's: rows come by start, then as decoded."""
    path = lines('a', *random_rows(300, 9))
    expected = sorted(rows(path), key=lambda row: ordered([row])[0][1])
    check_same(rows(path, sink='rows-device'), expected, 'order')


@test
def links_stay_for_who_reads_them(_folder):
    """An analyzer that reads none shares the order with a sink that prints them."""
    path = lines('a', 'span t one 10 5 id=4', 'flow t fam 10 77 begin', 'span t two 1 5')
    alone = rows(path, sink='rows-time')
    check(any(' flow 77' in row for row in alone) and any(' id 4' in row for row in alone), alone)
    for jobs in ('1', '2'):
        check_same(rows('-j', jobs, '-a', 'spread2', path, sink='rows-time')[:3], alone, 'rows')


@test
def parts_change_nothing(_folder):
    path = lines('a', *random_rows(40, 3))
    expected = rows('-j', '1', '-d', 'lines:part=1048576', path)
    for part in ('1', '64', '300'):
        for jobs in ('1', '2', '7'):
            for env in ({}, {'NPROF_BATCH_ROWS': '1'}):
                found = rows('-j', jobs, '-d', f'lines:part={part}', path, env=env)
                check(found == expected, f'part={part} -j {jobs} {env}: other rows')


@test
def joins_follow_their_parts(_folder):
    path = lines('a', *[f'instant t n{i} {i}' for i in range(50)])
    expected = rows('-j', '1', '-d', 'lines:part=100,joins=yes', path)
    check(expected[-1].split()[3].startswith('join-'), expected[-1])
    check_same(rows('-j', '3', '-d', 'lines:part=100,joins=yes', path), expected, 'rows')


@test
def the_first_failure_in_order_is_told(_folder):
    path = lines(
        'a',
        *[f'instant t n{i} {i}' for i in range(40)],
        'fail first',
        *[f'instant t n{i} {i}' for i in range(40)],
        'fail second',
    )
    for jobs in ('1', '4'):
        for _ in range(5):
            result = nprof('-s', 'rows', '-o', 'out.txt', '-j', jobs, '-d', 'lines:part=32', path)
            result.expect(2, err='*a: byte *: told to fail: first*')
            check('second' not in result.err, result.err)
            check(not os.path.exists('out.txt'), 'an output is left')


@test
def damage_stops_or_is_counted(_folder):
    path = lines('a', 'instant t a 1', 'bad', 'instant t b 2', 'bad')
    nprof('-s', 'rows', '-o', '-', path).expect(2, err='*a: byte 27: a bad line*')
    result = nprof('-k', '-s', 'rows', '-o', '-', path).expect(
        3, err='*2 records could not be read*'
    )
    check_same(result.out.count('instant'), 2, 'rows that were kept')


@test
def origins_of_several_inputs(_folder):
    lines('a', 'origin 1700000000000000000', 'instant t a 5')
    lines('b', 'origin 1700000000000000003', 'instant t b 5', 'span t c -4000 1')
    lines('c', 'instant t d 7')
    result = nprof('-s', 'rows', '-o', '-', 'a', 'b', 'c').expect(
        0, err='*c: it has no absolute times*'
    )
    found = [f.split() for f in result.out.splitlines() if not f.startswith('table')]
    check_same(
        [(f[0], f[3], f[4]) for f in found],
        [('0', 'a', '5'), ('1', 'b', '3005'), ('1', 'c', '-1000'), ('2', 'd', '7')],
        'times',
    )
    lines('later', f'origin {1700000000000000000 + 90 * 86400 * 10 ** 9}', 'instant t e 5')
    nprof('-s', 'rows', '-o', '-', 'a', 'later').expect(
        0, err='*later: it was recorded 90 days after a: *nprof diff compares runs*'
    )
    lines('far', 'origin 1', 'instant t far 5')
    nprof('-s', 'rows', '-o', '-', 'a', 'far').expect(
        2, err='*far: row 0 ("far") lies more than 106 days*'
    )


@test
def flows_of_two_inputs_stay_apart(_folder):
    lines('a', 'flow t f 1 77 begin')
    lines('b', 'flow t f 1 77 begin')
    ids = [row.split()[7] for row in rows('a', 'b')]
    check(ids[0] == '77' and ids[1] != '77' and ids[1] != '0', str(ids))


@test
def analyzers_add_rows_and_tables(_folder):
    path = lines(
        'a', 'span t one 10 5', 'span u two 3 4', 'row p 1', 'row q ?', 'span t three 20 5'
    )
    for analyzer in ('extent', 'extent-track'):
        shutil.rmtree('out', ignore_errors=True)
        result = nprof('-a', analyzer, '-s', 'rows', '-s', 'csv', '-o', 'out/', path).expect(0)
        found = read('out/rows.txt').decode().splitlines()
        derived = [row for row in found if ':extent ' in row]
        check_same(
            [row.split()[3:] for row in derived],
            [['t', '10', '15'], ['u', '3', '4']],
            'derived rows',
        )
        check(
            found.index(derived[0]) > found.index([r for r in found if ' three ' in r][0]),
            'derived rows come behind the decoded ones',
        )
        check_same(
            read('out/extents.csv').decode(),
            'input,thread,rows,tables\na,t,2,2\na,u,1,2\n',
            'table of the analyzer',
        )
        check_same(
            read('out/pairs.csv').decode(), 'input,a,b\na,p,1\na,q,\n', 'table of the decoder'
        )
        check_same(result.out, '', 'stdout')


@test
def an_analyzer_sees_the_rows_of_those_before_it(_folder):
    path = lines('a', 'span t one 10 5', 'span u two 3 4')
    nprof(
        '-a',
        'extent',
        '-a',
        'spread',
        '-a',
        'spread2',
        '-s',
        'rows',
        '-s',
        'csv',
        '-o',
        'out/',
        path,
    ).expect(0)
    found = [
        row.split()[2].split(':', 1)[1]
        for row in read('out/rows.txt').decode().splitlines()
        if not row.startswith('table ')
    ]
    check_same(found, ['t', 'u'] + ['extent'] * (2 + 4 + 6), 'tracks of the rows')
    check_same(read('out/spreads2.csv').decode().count('\n'), 1 + 6, 'rows of the last table')


@test
def analyzers_without_rows_end_in_any_order_and_deliver_in_theirs(_folder):
    """The first ends last, and its tables come first; the third reads them, and is given no
    others."""
    path = lines('a', 'span t one 10 5', 'row p 1')
    seen = None
    for jobs in ('1', '2', '4'):
        shutil.rmtree('out', ignore_errors=True)
        result = nprof(
            '-j',
            jobs,
            '-a',
            'extent',
            '-a',
            'tally1:yields=5000',
            '-a',
            'tally2',
            '-a',
            'tally3',
            '-s',
            'rows',
            '-s',
            'csv',
            '-o',
            'out/',
            path,
        ).expect(0)
        ends = [line for line in result.err.splitlines() if line.endswith('ends')]
        check_same(
            [line.split(': ')[-2] for line in ends],
            ['tally1', 'tally2', 'tally3'],
            'who says that it ends',
        )
        found = read('out/rows.txt'), *[read(f'out/tally{i}.csv') for i in (1, 2, 3)]
        check_same(found[1].count(b'\n'), 1 + 40000, 'rows of a table')
        check(
            found[2].startswith(b'input,rows,tables\na,2,0\n'),
            'an analyzer sees the rows of those before it',
        )
        check(
            found[3].startswith(b'input,rows,tables\na,2,40000\n'), 'and the tables that it reads'
        )
        seen = seen or found
        check_same(found, seen, f'outputs with -j {jobs}')


@test
def of_several_ends_that_fail_the_first_in_order_is_told(_folder):
    path = lines('a', 'span t one 10 5')
    for jobs in ('1', '2', '4'):
        for asked, told in (
            (('1:yields=5000,fails=yes', '2:fails=yes', '3'), 'tally1'),
            (('1', '2:yields=5000,fails=yes', '3'), 'tally2'),
            (('1:yields=5000', '2', '3:fails=yes'), 'tally3'),
            (('1:fails=yes', '2:yields=50000', '3'), 'tally1'),
        ):  # the second is in the middle of its rows
            result = nprof(
                '-j',
                jobs,
                '-s',
                'csv',
                '-o',
                'out/',
                path,
                *[x for a in asked for x in ('-a', f'tally{a}')],
            )
            result.expect(5, err=f'*{told}: told to fail*')
            check_same(result.err.count('told to fail'), 1, 'failures')
            check(not os.path.exists('out/tally1.csv'), 'an output is left')


@test
def an_analyzer_that_fails_at_a_table_of_the_core_is_told(_folder):
    path = lines('a', 'span t one 10 5')
    for at in ('inputs', 'tracks', 'facts'):  # facts has no row here
        for empty in ('yes',) if at == 'facts' else ('no', 'yes'):
            nprof('-s', 'csv', '-o', 'out/', '-a', f'judge:at={at},empty={empty}', path).expect(
                5, err=f'*judge: told to fail at {at}*'
            )
            check(not os.path.exists('out'), 'an output is left')


@test
def an_analyzer_that_declares_no_rows_adds_none(_folder):
    path = lines('a', 'span t one 10 5')
    for jobs in ('1', '2'):
        nprof(
            '-j', jobs, '-a', 'tally1:writes=yes', '-a', 'tally2', '-s', 'csv', '-o', 'out/', path
        ).expect(
            5,
            err='*tally1: it writes rows, but declares NPROF_ANALYZER_NO_ROWS: leave that flag out*',
        )
        check(not os.path.exists('out/tally1.csv'), 'an output is left')


@test
def an_analyzer_of_context_sees_what_is_not_selected(_folder):
    """In every order, with threads or without, and through runs that go to disk."""
    events = [
        f"span t{i % 7} n{i % 3} {1000 - i} {i % 5}{' k=1' if i % 10 == 0 else ''}"
        for i in range(300)
    ]
    path = lines('a', *events, 'fact t0 peak_flops 1.5')
    starts = sum(1000 - i for i in range(300) if i % 10)
    for order in ('input', 'time', 'device'):
        for jobs in ('1', '2'):
            for batch in ('3', '4096'):
                shutil.rmtree('out', ignore_errors=True)
                nprof(
                    '-a',
                    f'context:order={order}',
                    '-a',
                    'extent',
                    '-s',
                    'rows',
                    '-s',
                    'csv',
                    '-o',
                    'out/',
                    '-j',
                    jobs,
                    '--where',
                    'k=1',
                    path,
                    env={'NPROF_BATCH_ROWS': batch},
                ).expect(0)
                check_same(
                    read('out/contexts.csv').decode(),
                    f'input,rows,hidden,hidden_starts\na,300,270,{starts}\n',
                    f'{order} -j {jobs} of {batch}',
                )
                check_same(
                    len([r for r in read('out/rows.txt').decode().splitlines() if ' span ' in r]),
                    30 + 7,
                    'rows of the sink and of an analyzer without context',
                )
    shutil.rmtree('out')
    nprof('-a', 'context', '-s', 'csv', '-o', 'out/', path).expect(0)
    check_same(
        read('out/contexts.csv').decode(),
        'input,rows,hidden,hidden_starts\na,300,0,0\n',
        'no selection',
    )


@test
def announced_tables_exist_without_rows(_folder):
    nprof('-a', 'extent', '-s', 'csv', '-o', 'out/', lines('a', 'fact t peak_flops 1.5')).expect(0)
    check_same(read('out/extents.csv').decode(), 'input,thread,rows,tables\n', 'extents.csv')


@test
def ctrl_c_while_decoding_leaves_nothing(_folder):
    path = lines('a', *[f'span t n{i} {i} 1' for i in range(400000)])
    for jobs in ('1', '3'):
        process = start(
            'run',
            '-s',
            'rows',
            '-s',
            'csv',
            '-o',
            'out/',
            '-j',
            jobs,
            path,
            env=PLUGINS,
            stderr=subprocess.PIPE,
        )
        while not os.path.isdir('out') and process.poll() is None:
            pass  # sinks make the folder before the first row
        process.send_signal(signal.SIGINT)
        check_same(finish(process).status, 130, f'-j {jobs}')
        check(not os.path.exists('out'), 'something is left in out')


@test
def two_components_with_one_table_are_refused(_folder):
    path = lines('a', 'span t one 10 5')
    nprof('-a', 'extent', '-a', 'extent-track', '-s', 'null', path).expect(
        1, err='*table "extents" of extent-track exists already in extent*'
    )


@test
def facts_first_one_wins(_folder):
    path = lines('a', 'fact t peak_flops 1.5e12', 'instant t x 1', 'fact t peak_flops 2.0')
    nprof('-s', 'csv', '-o', 'out/', path).expect(0, err='*second, different value of peak_flops*')
    check(
        read('out/events.csv').decode().splitlines()[1].startswith('a,,,2,,t,fact,,peak_flops,'),
        'a fact has no times\n' + read('out/events.csv').decode(),
    )
    check(
        ',peak_flops,1500000000000,flop/s,' in read('out/facts.csv').decode(), read('out/facts.csv')
    )


@test
def skipped_is_counted(_folder):
    path = lines('a', 'instant t x 1', 'skip P', 'skip Q', 'skip P')
    nprof('-s', 'csv', '-o', 'out/', path).expect(0)
    check_same(
        read('out/skipped.csv').decode(),
        'input,what,count,first_byte,reason\n'
        'a,P,2,27,as the file asks\na,Q,1,34,as the file asks\n',
        'skipped.csv',
    )


@test
def properties_and_inputs(_folder):
    path = lines(
        'a', 'origin 1700000000000000000', 'property version 7', 'property rank 3', 'span t x 5 10'
    )
    nprof('-s', 'csv', '-o', 'out/', path).expect(0)
    check_same(
        read('out/inputs.csv').decode().splitlines()[1],
        f'a,lines,7,1700000000000000000,{os.path.getsize("a")},1,0.005,0.015,"{{""rank"":""3""}}"',
        'inputs.csv',
    )


@test
def a_sink_that_fails_leaves_nothing(_folder):
    path = lines('a', *random_rows(5000, 1))
    for after in ('0', '1', '4999'):
        nprof('-s', f'rows:fail={after}', '-s', 'csv', '-o', 'out/', path).expect(
            4, err=f'*rows: told to fail after {after} rows*'
        )
        check(not os.path.exists('out'), 'something is left in out')


@test
def selection_reaches_everyone(_folder):
    path = lines(
        'a',
        'span t in 10 10',
        'span t before 0 5',
        'span t across 5 10',
        'span u other 12 1 n=4',
        'instant t late 100',
    )
    check_same(
        [row.split()[3] for row in rows('--from', '10ps', '--to', '50ps', path)],
        ['in', 'across', 'other'],
        '--from --to',
    )
    across = [r for r in rows('--from', '10ps', '--to', '50ps', path) if ' across ' in r][0]
    check(across.endswith('5 10 crosses_edge=true'), across)
    nprof('-s', 'null', '--track', 'nosuch', '--track', 'no', path).expect(
        1, err='*--track nosuch: *there are: t, u (*'
    )
    nprof('-s', 'null', '--track', 'nosuch', '--or', '--track', 't', path).expect(0)
    for nothing in (('--from', '1s'), ('--where', 'nosuch=1')):
        nprof('-s', 'null', *nothing, path).expect(
            1, err='*no row is selected: all 5 are left out, which are of 0.000000 s to *'
        )
    check_same([row.split()[3] for row in rows('--track', 'u', path)], ['other'], '--track')
    check_same(
        [row.split()[3] for row in rows('--name', 'a*', '--name', 'late', path)],
        ['across', 'late'],
        '--name',
    )
    check_same([row.split()[3] for row in rows('--where', 'n=4', path)], ['other'], '--where')
    for condition, left in (
        ('n>3.5', ['other']),
        ('duration > 5ps', ['in', 'across']),
        ('duration<=1ps', ['other']),
        ('name!=in', ['before', 'across', 'other', 'late']),
        ('start>=12ps', ['other', 'late']),
    ):
        check_same([row.split()[3] for row in rows('--where', condition, path)], left, condition)
    check_same(
        [row.split()[3] for row in rows('--name', 'ro', path)], ['across'], 'a part of a name'
    )
    path = lines('trace', 'span t in 10 10')
    nprof('-s', 'null', '--track', 'tra', path).expect(
        1, err='*there are: t (*'
    )  # a part of the name of a file
    check_same(len(rows('--track', 'trace', path)), 1, 'the name of a file')


@test
def steps_are_those_of_the_file(_folder):
    """By number, by order, and an error that lists them when none is selected."""
    path = lines(
        'a',
        *(f'span t n{n} {n} 1 step={n}' for n in (101, 105, 103, 102, 104, 110)),
        'span t none 1 1',
        'fact t peak_flops 1.5',
    )
    for step, left in (
        ('103', [103]),
        ('last', [110]),
        ('2nd', [102]),
        ('6th', [110]),
        ('2nd..104', [102, 103, 104]),
        ('5th..last', [105, 110]),
        ('..1st', [101]),
        ('105..', [105, 110]),
    ):
        found = [row.split()[3] for row in rows('--step', step, path) if 'span' in row]
        check_same(sorted(found), [f'n{n}' for n in left], step)
    for step, why in (
        ('9', 'none is selected'),
        ('106..109', 'none is selected'),
        ('7th', 'there are only 6 steps'),
        ('3rd..101', 'the first step is behind the last'),
    ):
        nprof('-s', 'csv', '-o', 'out', '--step', step, path).expect(
            1, err=f'*--step: {why}: steps in this file: 101..105, 110'
        )
        check(not os.path.exists('out/events.csv'), 'something is left')
    bare = lines('b', 'span t none 1 1')
    for step in ('9', 'last'):
        nprof('-s', 'null', '--step', step, bare).expect(
            1, err='*there are no steps in this file: no row has *'
        )
    nprof('-s', 'null', '--step', 'last', '-').expect(1, err='*stdin can be read only once*')
    told = run('info', path, env=PLUGINS).expect(0).out
    check(re.search(r'Steps\n +first +last +count\n +101 +105 +5\n +110 +110 +1\n', told), told)
    check('Steps' not in run('info', bare, env=PLUGINS).expect(0).out, 'no steps')


@test
def a_time_names_its_unit(_folder):
    path = lines('a', 'span t in 10 10')
    for wrong in (
        ('--from', '600'),
        ('--to', '0.5'),
        ('--where', 'duration>600'),
        ('--where', 'start<-3'),
    ):
        nprof('-s', 'null', *wrong, path).expect(
            1, out='', err='*: a time needs its unit: write *ns, *us, *ms or *s (*'
        )
    nprof('-s', 'null', '--from', '0', '--to', '600ns', path).expect(0)
    nprof('-s', 'null', '--where', 'name<b', path).expect(
        1, err='*--where name<b: name is a text: compare it with =, != or ~*'
    )


if __name__ == '__main__':
    main()
