# SPDX-License-Identifier: Apache-2.0
"""csv-read.py - Python's csv module, a reader that nprof has nothing to do with, reads back what
the sink csv wrote: the same text, columns, rows and tables, in every dialect."""

import csv
import io
import os
import shutil

import xspace
from harness import check, check_same, files_below, locale_of, main, read, run, sample, test, write

NASTY = [
    'plain',
    'a,b',
    'a;b',
    '"',
    '""x"',
    'two\nlines',
    'cr\r',
    'crlf\r\n',
    ' led',
    'trailed ',
    '\t',
    '=1+1',
    '@x',
    "'",
    '漢字',
    'e\u0301',
    '\x1b[2J',
    '',
]


def nasty_trace():
    events = b''.join(xspace.event(k, k * 1000, 500) for k in range(1, len(NASTY) + 1))
    return write(
        'nasty.xplane.pb',
        xspace.plane(
            2,
            '/device:TPU:0',
            xspace.line(3, 'XLA Ops', events),
            *(xspace.named(4, k, name) for k, name in enumerate(NASTY, 1)),
        ),
    )


def table(data, delimiter=',', encoding='utf-8'):
    """Rows as dicts; newlines as they stand."""
    text = io.StringIO(data.decode(encoding), newline='')
    return list(csv.DictReader(text, delimiter=delimiter, strict=True))


def names(rows):
    return [r['name'] for r in rows if r['kind'] == 'span']


@test
def text_comes_back(_):
    trace = nasty_trace()
    for options, delimiter in (
        ('', ','),
        (':delimiter=semicolon,decimal=\\,', ';'),
        (':delimiter=tab', '\t'),
    ):
        shutil.rmtree('out', ignore_errors=True)
        run('run', '-s', 'csv' + options, '-o', 'out', trace).expect(0)
        rows = table(read('out/events.csv'), delimiter)
        check_same(names(rows), NASTY, 'names')
        point = ',' if 'decimal' in options else '.'
        check_same(
            [r['duration_ns'] for r in rows if r['kind'] == 'span'],
            [f'0{point}5'] * len(NASTY),
            'durations',
        )


@test
def excel(_):
    run('run', '-s', 'csv:excel=yes', '-o', 'out', nasty_trace()).expect(0)
    data = read('out/events.csv')
    check(data.startswith(b'\xef\xbb\xbf'), 'no byte order mark')
    expected = ["'" + n if n[:1] in ('=', '@', '\t') else n for n in NASTY]
    check_same(names(table(data, encoding='utf-8-sig')), expected, 'names')


@test
def excel_of_somebody_with_a_comma(_):
    """By the user's locale or by option; what is for programs is the same for all."""
    trace, env = nasty_trace(), locale_of('de_DE')
    for options, env, delimiter, point in (
        (':excel=yes', env, ';', ','),
        (':excel=yes', {}, ',', '.'),
        ('', env, ',', '.'),
        (':excel=yes,decimal=.', env, ',', '.'),
        (':decimal=\\,', {}, ';', ','),
        (':excel=yes,delimiter=tab', env, '\t', ','),
    ):
        shutil.rmtree('out', ignore_errors=True)
        run('run', '-s', 'csv' + options, '-o', 'out', trace, env=env).expect(0)
        rows = table(read('out/events.csv'), delimiter, 'utf-8-sig')
        check_same(
            [r['duration_ns'] for r in rows if r['kind'] == 'span'],
            [f'0{point}5'] * len(NASTY),
            f'durations with {options}',
        )


@test
def columns_in_order(_):
    whole = table(run('run', '-s', 'csv', '-o', '-', sample()).expect(0).out.encode())
    picked = ['name', 'flops', 'start_ns']
    some = table(
        run('run', '-s', 'csv:columns=' + '+'.join(picked), '-o', '-', sample())
        .expect(0)
        .out.encode()
    )
    check_same(list(some[0]), picked, 'columns')
    check_same(some, [{k: r[k] for k in picked} for r in whole], 'cells')


@test
def one_table_to_a_pipe_or_a_file(_):
    """`-o -` and a name that ends in .csv hold the same one table."""
    run('run', '-o', 'out', sample()).expect(0)
    for name in ('events', 'tracks', 'planes', 'inputs'):
        piped = run('run', '-s', 'csv:table=' + name, '-o', '-', sample()).expect(0, err='').out
        check_same(piped.encode(), files_below('out')[name + '.csv'], name)
        run('run', '-s', 'csv:table=' + name, '-o', f'{name}.csv', sample()).expect(0, err='')
        check_same(read(name + '.csv'), piped.encode(), name + '.csv')
    run('run', '-o', 'rows.csv', sample()).expect(0)
    check_same(read('rows.csv'), files_below('out')['events.csv'], 'no table=')
    check_same(
        sorted(f for f in os.listdir() if f != 'out'),
        ['events.csv', 'inputs.csv', 'planes.csv', 'rows.csv', 'tracks.csv'],
        'files',
    )


@test
def no_file_is_compressed(_):
    for name in ('x.csv.gz', 'x.csv.zst'):
        run('run', '-s', 'csv', '-o', name, sample()).expect(
            1, err=f'*-o {name}: sink csv compresses no files: leave out the last ending*'
        )
    run('run', '-s', 'csv', '-o', 'x.csv.gz/', sample()).expect(0)
    run('run', '-s', 'csv', '-o', 'x.csv.gz', sample()).expect(0)  # the folder is there now


@test
def parts(_):
    """split_rows= counts lines; together the parts are the whole."""
    whole = table(run('run', '-o', '-', sample()).expect(0).out.encode())
    run('run', '-s', 'csv:split_rows=100', '-o', 'x.csv', sample()).expect(0)
    found = sorted(os.listdir(), key=lambda n: (len(n), n))
    check_same(found, ['x.csv', 'x-2.csv', 'x-3.csv'], 'files')
    split = [table(read(name)) for name in found]
    check_same([len(s) for s in split[:-1]], [99, 99], 'rows a part')
    check_same(sum(split, []), whole, 'rows')
    shorter = run('run', '-s', 'csv:split_rows=130', '-o', 'x.csv', sample())
    shorter.expect(
        0, err='nprof: warning: x-3.csv: looks like a further part of an older run*x-2.csv*remove*'
    )
    run('run', '-s', 'csv:split_rows=100', '-o', 'd/', sample()).expect(0, err='')
    run('run', '-s', 'csv:split_rows=130', '-o', 'd/', sample()).expect(
        1, err='*d/events.csv: a run with other*'
    )
    check_same(
        [n for n in sorted(os.listdir('d')) if n.startswith('events')],
        ['events-2.csv', 'events-3.csv', 'events.csv'],
        'folder',
    )


@test
def a_folder_that_is_named_like_a_file(_):
    os.mkdir('d.csv')
    run('run', '-o', 'd.csv', sample()).expect(0)
    check('events.csv' in os.listdir('d.csv'), 'an existing folder stays one')
    write('notes.txt', 'mine')
    run('run', '-o', 'notes.txt', sample()).expect(
        1, err='*-o notes.txt: sink csv needs a folder here*name a folder, or a file by its ending'
    )
    check_same(read('notes.txt'), b'mine', 'notes.txt')


if __name__ == '__main__':
    main()
