# SPDX-License-Identifier: Apache-2.0
"""screens.py - reads the first screen of nprof report: its lines on a terminal, and the tables that it says."""

import json

from harness import on_terminal, run


def screen_of(path):
    """The lines of the first screen, as a terminal of 80 columns gets them."""
    page = on_terminal(80, '-q', path, rows=24)
    return '\n\n'.join(page.split('\n\n')[:2]).split('\n')


def tables_of(path, warnings=None):
    """{name: rows}; the summary is the whole table."""
    said = json.loads(run('report', '--format', 'json', '--top', '0', path).expect(0, err=warnings).out)['tables']
    return {t['name']: t if t['name'] == 'summary' else [dict(zip(t['columns'], row)) for row in t['rows']] for t in said}


def answers_of(tables):
    """{question: (answer, what follows)}"""
    rows = [dict(zip(tables['summary']['columns'], row)) for row in tables['summary']['rows']]
    return {row['question']: (row['answer'], row['of']) for row in rows if row['question']}
