# SPDX-License-Identifier: Apache-2.0
"""screens.py - reads the first screen of nprof report: its lines on a terminal, and the tables that
it is made of."""

import json
import re

from harness import on_terminal, run


def screen_of(path):
    """The lines of the first screen, as a terminal of 80 columns gets them."""
    page = on_terminal(80, '-q', path, rows=24)
    return '\n\n'.join(page.split('\n\n')[:2]).split('\n')


def tables_of(*paths, options=()):
    """{name: rows}"""
    said = json.loads(
        run('report', '--format', 'json', '--top', '0', *options, *paths).expect(0, err=None).out
    )['tables']
    return {t['name']: [dict(zip(t['columns'], row)) for row in t['rows']] for t in said}


def told(row):
    """The sentence of a row, with its places filled."""
    return re.sub(r'\{(\w+)\}', lambda place: str(row.get(place[1]) or place[0]), row['text'])


def lines_of(tables):
    """{label: [(row, sentence)]} of the first screen."""
    lines = {}
    for row in tables['summary']:
        lines.setdefault(row['label'], []).append((row, told(row)))
    return lines
