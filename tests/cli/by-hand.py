# SPDX-License-Identifier: Apache-2.0
"""by-hand.py - small files with a known right answer, each after a complaint of people: made here,
and those that lie beside NPROF_TEST_DATA, of which each answers as the one made here does.

Environment: NPROF_TEST_DATA, beside which golden/cases lies."""

import glob
import gzip
import json
import os
import pickle
import re
import sqlite3

from harness import Skip, add_test, check, main, read, rows_of, run, write
import xspace

GOLDEN = os.path.join(os.environ.get('NPROF_TEST_DATA', 'none'), '..', 'golden', 'cases')
HIGH = 2**63 + 4096  # an address: it is unsigned


def trace(n):
    return json.dumps(
        {
            'traceEvents': [
                {
                    'ph': 'X',
                    'name': 'k',
                    'cat': 'kernel',
                    'pid': 0,
                    'tid': 7,
                    'ts': 10 * i,
                    'dur': 5,
                }
                for i in range(n)
            ]
        }
    )


def inner(data):
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def broken_at(data):
    """The byte at which Python's reader finds that it is no JSON."""
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return error.pos
    raise AssertionError('it is JSON')


# -- What is right
# --------------------------------------------------------------------------------------------------------


def refused(path, *said):
    result = run('run', '-s', 'null', path).expect(2)
    for words in said:
        check(re.search(words, result.err), f'no {words!r}\n{result.describe()}')
    return result


def missing_key_quote(path):
    """The byte alone: the file is whole. Where a quote is missing the reader stands before or
    behind the key."""
    at = broken_at(inner(read(path)))
    found = int(re.search(r'byte (\d+): ', refused(path).err).group(1))
    check(at - 1 <= found <= at + 40, f'byte {found}, and it breaks at {at}')
    check('before its traceEvents' not in refused(path).err, 'the file does not end early')


def concatenated_ranks(path):
    text = inner(read(path)).decode()
    _, end = json.JSONDecoder().raw_decode(text)
    refused(
        path,
        rf'byte {len(text[:end].encode())}: the JSON document has ended, and more follows it: give each document a file of its own',
    )


def truncated(path):
    size = len(inner(read(path)))
    found = int(
        re.search(r'byte (\d+): .*--keep-going reads what can be had', refused(path).err).group(1)
    )
    check(size - 200 <= found <= size, f'byte {found} of {size}')
    run('run', '-s', 'null', '-k', path).expect(3)


def address_of_nine_bytes(path):
    rows = rows_of(run('run', '-s', 'csv:columns=name+address', '-o', '-', path).expect(0).out)
    check(
        str(HIGH) in {row['address'] for row in rows},
        f'addresses: {[row["address"] for row in rows]}',
    )


def snapshot_in_sqlite(path):
    refused(path, 'is an SQLite database, but neither ', ': export ')


def xspace_cut(path):
    size = len(read(path))
    refused(
        path,
        rf'byte 0: length \d+ at byte 0 runs past the end {size} of its message .*--keep-going reads what can be had',
    )


# -- Files made here
# ------------------------------------------------------------------------------------------------------


def pickled():
    block = {
        'address': HIGH,
        'size': 512,
        'requested_size': 512,
        'state': 'active_allocated',
        'frames': [],
    }
    segment = {
        'device': 0,
        'address': HIGH,
        'total_size': 512,
        'allocated_size': 512,
        'active_size': 512,
        'stream': 0,
        'segment_type': 'small',
        'blocks': [block],
    }
    history = [
        {'action': action, 'addr': HIGH, 'size': 512, 'stream': 0, 'time_us': n, 'frames': []}
        for n, action in enumerate(('segment_alloc', 'alloc'))
    ]
    return pickle.dumps({'segments': [segment], 'device_traces': [history]}, 4)


def database():
    with sqlite3.connect('made.db') as db:
        db.execute('create table snapshot (content blob)')
        db.execute('insert into snapshot values (?)', (pickled(),))
    db.close()
    return read('made.db')


def cut_xspace():
    whole = xspace.plane(
        1,
        '/device:TPU:0',
        xspace.line(1, 'XLA Ops', b''.join(xspace.event(1, 10 * n, 5) for n in range(100))),
        xspace.named(4, 1, 'k'),
    )
    return whole[: len(whole) * 2 // 3]


CASES = (
    (
        'b08',
        missing_key_quote,
        'a.json.gz',
        lambda: gzip.compress(trace(9).replace('"dur"', '"dur', 1).encode()),
    ),
    (
        'b19',
        concatenated_ranks,
        'b.json.gz',
        lambda: b''.join(gzip.compress(trace(n).encode()) for n in (3, 4, 5, 6)),
    ),
    ('b21', truncated, 'c.json.gz', lambda: gzip.compress(trace(9)[:-60].encode())),
    ('b51', address_of_nine_bytes, 'd.pickle', pickled),
    ('b54', snapshot_in_sqlite, 'e.db', database),
    ('b65', xspace_cut, 'f.xplane.pb', cut_xspace),
)


def golden(number, answers):
    found = glob.glob(os.path.join(GOLDEN, number + '_*'))
    if not found:
        raise Skip('no files made by hand here')
    answers(found[0])


for case, right, file, make in CASES:
    title = right.__name__.replace('_', '-')
    add_test(
        f'{case}-{title}',
        lambda _folder, right=right, file=file, make=make: right(write(file, make())),
    )
    add_test(f'golden-{case}-{title}', lambda _folder, case=case, right=right: golden(case, right))


if __name__ == '__main__':
    main()
