# SPDX-License-Identifier: Apache-2.0
"""one-truth.py - each cell of each table of a profile is the same wherever it is asked for: in the
JSON of a report and by the page's server; of some tables (of all in the campaign) in SQL and CSV,
and at the gate. What people read of these cells is first-screen's."""

import csv
import glob
import io
import json
import os
import re
from fractions import Fraction

from harness import add_test, check, check_same, main, run, sample
from viewserver import Server

DATA = os.environ.get('NPROF_TEST_DATA', '')
ALL = bool(os.environ.get('NPROF_TEST_ALL'))
TRACES = ('json/*', 'xplane/*') if ALL else ('json/hta_nccl_parser*', 'xplane/gpu_v100*')
TABLES = ('devices', 'kernels', 'operators', 'step_breakdown', 'verdict', 'mfu')


def stem(column):
    """A time is called _ps where it is told in ps, and _ns else."""
    return re.sub('_[pn]s$', '', column)


def exact(value, kind):
    """A cell of JSON, CSV or the server's as a number, a text or None, which CSV leaves empty."""
    if value is None or value == '':
        return None
    if kind == 'bool':
        return str(value).lower() in ('true', '1')
    if kind in ('int64', 'uint64'):
        return int(value)
    if kind == 'double':
        return float(value)
    if kind == 'json':
        return value if isinstance(value, (dict, list)) else json.loads(value)
    return str(value)


def of_report(path):
    text = run('report', '-q', '--full', '--top', '0', '--format', 'json', path).expect(0).out
    return {
        t['name']: ([stem(c) for c in t['columns']], t['rows']) for t in json.loads(text)['tables']
    }


def same_rows(name, columns, kinds, ours, theirs, who):
    """Both in the order of their tables."""
    check_same(len(theirs), len(ours), f'{who}: rows of table {name}')
    for n, (one, other) in enumerate(zip(ours, theirs)):
        for c, column in enumerate(columns):
            found, wanted = exact(other[c], kinds[c]), exact(one[c], kinds[c])
            check(found == wanted, f'{who}: {name}.{column} of row {n}: {found!r}, not {wanted!r}')


def csv_rows(name, columns, kinds, path):
    """Times of CSV are ns with the digits of ps."""
    out = run('report', '-q', '--only', name, '--format', 'csv', path).expect(0).out
    head, *rows = csv.reader(io.StringIO(out))
    check_same([stem(c) for c in head], columns, f'columns of {name} in CSV')
    times = [k in ('int64', 'uint64') and c.endswith('_ns') for k, c in zip(kinds, head)]
    return [
        [
            str(int(Fraction(cell) * 1000)) if is_time and cell else cell
            for cell, is_time in zip(row, times)
        ]
        for row in rows
    ]


def gate_accepts(name, columns, kinds, units, row, path):
    """Numbers of a row are equal to themselves at the gate."""
    demands = []
    for column, kind, unit, value in zip(columns, kinds, units, row):
        if kind not in ('int64', 'uint64') or value is None or unit not in ('ps', 'byte', ''):
            continue
        text = f'{value}ps' if unit == 'ps' else f'{value}'
        demands.append(f'any({name}.{column + "_ns" if unit == "ps" else column}) == {text}')
    check(demands, f'table {name} has no number for the gate')
    run('gate', path, *demands).expect(0, err=None)


def one_truth(path):
    def body(_folder):
        report = of_report(path)
        with Server(path) as server:
            stored = server.api('profiles')['profiles'][0]['bucket']
            tables = server.profile('profile', stored).json()['tables']
            asked = {
                t['name']: server.profile(f'table/{t["name"]}?n=10000', stored).json()
                for t in tables
            }
        compared = 0
        for name, (columns, rows) in report.items():
            table = asked.get(name)
            if not table or len(rows) > 2000:
                continue
            kinds = [c['type'] for c in table['columns']]
            check_same([stem(c['name']) for c in table['columns']], columns, f'columns of {name}')
            theirs = table['rows']
            if name == 'abilities':  # the server has analyzers that a report has not
                at = columns.index('question')
                theirs = [row for row in theirs if row[at] in {one[at] for one in rows}]
            same_rows(name, columns, kinds, rows, theirs, 'the server')
            if ALL or name in TABLES:
                said = run('sql', '-q', '--format', 'json', stored, f'select * from "{name}"')
                sql = json.loads(said.expect(0, err=None).out)
                same_rows(name, columns, kinds, rows, [list(r.values()) for r in sql], 'sql')
                same_rows(name, columns, kinds, rows, csv_rows(name, columns, kinds, path), 'CSV')
            compared += len(columns) * len(rows)
        check(compared > 50, f'{compared} figures')
        for name in TABLES[:3]:
            columns, rows = report.get(name, ([], []))
            if rows:
                described = asked[name]['columns']
                kinds, units = [c['type'] for c in described], [c['unit'] for c in described]
                gate_accepts(name, columns, kinds, units, rows[0], path)

    return body


add_test('sample', one_truth(sample()))
for pattern in TRACES if DATA else ():
    for found in sorted(glob.glob(os.path.join(DATA, pattern))):
        if not re.match('bad_|not_a_trace|catapult_', os.path.basename(found)):
            add_test(os.path.basename(found)[:40], one_truth(found))
main()
