# SPDX-License-Identifier: Apache-2.0
"""database_grow.py - makes a large database of a small one: each copy of its rows is later, and has
ids of its own, so that rows refer to those of their copy.

    python3 database_grow.py ascend|rocpd|nsys SEED MB OUT
"""

import os
import random
import sqlite3
import sys

import ascend_make
import nsys_make
import rocm_make

NONE = 4294967295  # of Ascend's: no connection


def columns(db, table):
    return [row[1] for row in db.execute(f'pragma table_info("{table}")')]


def grow(path, shifts, megabytes):
    """shifts: {(table, column): (by, of which values)}, table None: of all.  Rows lie copy by copy,
    as a recorder writes them."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute('pragma journal_mode = off')
    db.execute('pragma synchronous = off')
    tables = [
        (name, columns(db, name))
        for (name,) in db.execute("select name from sqlite_schema where type = 'table'")
    ]
    moved = {}
    for name, of in tables:
        known = {c: shifts.get((name, c), shifts.get((None, c))) for c in of}
        if any(known.values()):
            moved[name] = known
    db.execute('begin')
    small = {name: f'small_{i}' for i, name in enumerate(moved)}
    for name, copy in small.items():
        db.execute(f'create temp table {copy} as select * from "{name}"')
    copies, k = 1, 1
    while k <= copies:
        for name, known in moved.items():
            values = ', '.join(said(c, rule, k) for c, rule in known.items())
            db.execute(f'insert into "{name}" select {values} from temp.{small[name]}')
        if k == 64:
            bytes_of = db.execute('pragma page_count').fetchone()[0]
            bytes_of *= db.execute('pragma page_size').fetchone()[0]
        copies = 64 if k < 64 else int(megabytes * 1e6 / (bytes_of / 65))
        k += 1
    db.execute('commit')
    db.close()


def said(column, rule, k):
    """The value of a column in copy k; a text stays one."""
    if not rule:
        return f'"{column}"'
    by, low, high = rule
    later = f'"{column}" + {by * k}'
    return (
        f'case when cast("{column}" as integer) between {low} and {high} then '
        f"case typeof(\"{column}\") when 'text' then cast({later} as text) else {later} end "
        f'else "{column}" end'
    )


def spread(path, column, low, high):
    """How far the values of a column of any table lie apart, and one more."""
    db = sqlite3.connect(path)
    values = []
    for (name,) in db.execute("select name from sqlite_schema where type = 'table'").fetchall():
        if column in columns(db, name):
            values += db.execute(
                f'select cast(min("{column}") as integer), cast(max("{column}") as integer) '
                f'from "{name}" where cast("{column}" as integer) between {low} and {high}'
            ).fetchone()
    db.close()
    values = [value for value in values if value is not None]
    return max(values) - min(values) + 1


def ascend(path, seed, megabytes):
    ascend_make.write(path, ascend_make.Job(seed, calls=(400, 800)))
    base, far = ascend_make.BASE, ascend_make.BASE + 10**12
    period = (
        max(spread(path, column, base - 10**6, far) for column in ('startNs', 'endNs')) + 5000
    )
    connections = spread(path, 'connectionId', 1, NONE - 1)
    time = period, base - 10**6, far
    shifts = {(None, name): time for name in ('startNs', 'endNs', 'timestamp', 'timestampNs')}
    shifts |= {
        (None, 'globalTaskId'): (spread(path, 'globalTaskId', 0, NONE), 0, NONE),
        (None, 'opId'): (spread(path, 'opId', 0, NONE), 0, NONE),
        (None, 'connectionId'): (connections, 1, NONE - 1),
        ('PYTORCH_API', 'connectionId'): (2 * connections, 0, NONE),
        ('CONNECTION_IDS', 'id'): (2 * connections, 0, NONE),
        ('STEP_TIME', 'id'): (spread_of(path, 'STEP_TIME', 'id'), 0, NONE),
    }
    grow(path, shifts, megabytes)


def spread_of(path, table, column):
    db = sqlite3.connect(path)
    low, high = db.execute(f'select min("{column}"), max("{column}") from "{table}"').fetchone()
    db.close()
    return (high or 0) - (low or 0) + 1


def rocpd(path, seed, megabytes):
    job = rocm_make.Process(random.Random(seed), 0, 0, 10**12, 6)
    rocm_make.rocpd(path, [job], '3')
    db = sqlite3.connect(path)
    tables = [
        name
        for (name,) in db.execute("select name from sqlite_schema where type = 'table'")
        if not name.startswith(('rocpd_info', 'rocpd_string', 'rocpd_metadata', 'rocpd_track'))
    ]
    events = next(name for name in tables if name.startswith('rocpd_event'))
    stacks = db.execute(f'select max(stack_id) from "{events}"').fetchone()[0] + 1
    db.close()
    far = 10**13
    period = max(spread(path, column, 1, far) for column in ('start', 'end', 'timestamp'))
    shifts = {(name, column): (period, 1, far) for name in tables for column in TIMES}
    for name in tables:
        shifts[name, 'id'] = spread_of(path, name, 'id'), 0, far
        shifts[name, 'event_id'] = spread_of(path, events, 'id'), 0, far
        for column in ('stack_id', 'parent_stack_id'):
            shifts[name, column] = stacks, 1, far
        shifts[name, 'dispatch_id'] = stacks, 1, far
    grow(path, shifts, megabytes)


TIMES = ('start', 'end', 'timestamp')


def nsys(path, seed, megabytes):
    nsys_make.nsys(path, '3.25.0', nsys_make.Made(seed))
    far = 10**15
    period = max(spread(path, column, 1, far) for column in ('start', 'end'))
    shifts = {(None, column): (period, 0, far) for column in TIMES}
    shifts[None, 'correlationId'] = spread(path, 'correlationId', 1, far), 1, far
    grow(path, shifts, megabytes)


if __name__ == '__main__':
    kind, seed, size, out = sys.argv[1:]
    if os.path.exists(out):
        os.remove(out)
    {'ascend': ascend, 'rocpd': rocpd, 'nsys': nsys}[kind](out, int(seed), float(size))
