# SPDX-License-Identifier: Apache-2.0
"""write.py - docs/performance.md: the text of page.md, with a table of what was measured where it
names a subject."""

import datetime
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, '..', '..', 'docs', 'performance.md')
PLACE = r'^@([a-z-]+)@$'
WORDS = {True: 'yes', False: 'no', None: ''}


def cell(text):
    return str(text).strip().replace('|', '\\|')


def table(rows):
    if not rows:
        return 'Not measured on this machine.'
    lines = ['| what | measured | goal | met | from |', '|---|---|---|---|---|']
    above = ''
    for row in rows:
        what = row['what']
        if what.startswith('  '):
            what = f'{above}: {what.strip()}'
        else:
            above = what
        measured = f"{row['value']:.2f} {row['unit']}".strip()
        lines.append('| ' + ' | '.join(cell(c) for c in (what, measured, row['goal'], WORDS[row['met']],
                                                         row['detail'])) + ' |')
    return '\n'.join(lines)


def page(template, saved, day):
    """The text of the page; every line @NAME@ becomes the table of that subject, and subjects without
    such a line come last."""
    about = f"{saved['cpu']}, {saved['cores']} cores, {saved['runs']} runs each, {day}"
    places = re.findall(PLACE, template, flags=re.M)
    others = sorted({row['subject'] for row in saved['results']} - set(places))
    text = template.replace('@about@', about) + ''.join(f'\n## {name}\n\n@{name}@\n' for name in others)
    return re.sub(PLACE, lambda found: table(
        [row for row in saved['results'] if row['subject'] == found.group(1)]), text, flags=re.M)


def write_page(saved):
    with open(os.path.join(HERE, 'page.md'), encoding='utf-8') as file:
        template = file.read()
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(page(template, saved, datetime.date.today().isoformat()))
