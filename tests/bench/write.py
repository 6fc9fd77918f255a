# SPDX-License-Identifier: Apache-2.0
"""write.py - docs/performance.md: the text of page.md, with a table where it names a subject, and
below the table what was measured and on which machine. The rows of all tables are kept in
measured.json."""

import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATE, MEASURED = os.path.join(HERE, 'page.md'), os.path.join(HERE, 'measured.json')
PAGE = os.path.join(HERE, '..', '..', 'docs', 'performance.md')
PLACE = r'^@([a-z-]+)@$'
WORDS = {True: 'yes', False: 'no', None: ''}


def cell(text):
    return str(text).strip().replace('|', '\\|')


def table(rows):
    if not rows:
        return 'Not measured.'
    lines = ['| what | measured | goal | met | from |', '|---|---|---|---|---|']
    above = ''
    for row in rows:
        what = row['what']
        if what.startswith('  '):
            what = f'{above}: {what.strip()}'
        else:
            above = what
        measured = f"{row['value']:.2f} {row['unit']}".strip()
        lines.append(
            '| '
            + ' | '.join(
                cell(c) for c in (what, measured, row['goal'], WORDS[row['met']], row['detail'])
            )
            + ' |'
        )
    abouts = dict.fromkeys(row['about'] for row in rows)
    return '\n'.join([*lines, '', f'On {"; ".join(abouts)}.'])


def page(template, measured):
    """The text of the page; every line @NAME@ becomes the table of that subject, and subjects
    without such a line come last."""
    places = re.findall(PLACE, template, flags=re.M)
    others = sorted({row['subject'] for row in measured} - set(places))
    text = template + ''.join(f'\n## {name}\n\n@{name}@\n' for name in others)
    return re.sub(
        PLACE,
        lambda found: table([row for row in measured if row['subject'] == found.group(1)]),
        text,
        flags=re.M,
    )


def read(name):
    with open(name, encoding='utf-8') as file:
        return file.read()


def made():
    """The page as it has to be: page.md with the tables of measured.json."""
    return page(read(TEMPLATE), json.loads(read(MEASURED)))


def write_page(rows):
    """Keeps these rows instead of those of the same subjects, and writes the page."""
    subjects = {row['subject'] for row in rows}
    kept = [row for row in json.loads(read(MEASURED)) if row['subject'] not in subjects] + rows
    kept.sort(key=lambda row: row['subject'])
    with open(MEASURED, 'w', encoding='utf-8') as file:
        file.write('[\n' + ',\n'.join(json.dumps(row) for row in kept) + '\n]\n')
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(made())
