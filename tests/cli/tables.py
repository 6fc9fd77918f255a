# SPDX-License-Identifier: Apache-2.0
"""tables.py - docs/formats/tables.md says which tables and columns there are: what plugins and the
core declare, no more and no less, and what is planned is not there yet.

NPROF_UPDATE=1 writes what is declared into the page; in place of a "?" say when a new column is
unknown."""

import json
import os
import re

from harness import check, check_same, main, read, run, test

PAGE = os.path.join(os.environ['NPROF_SOURCE'], 'docs', 'formats', 'tables.md')
TODAY, PLANNED = '## Tables of today', '## Planned tables'
TYPES = {'int64', 'uint64', 'double', 'bool', 'string', 'text', 'json', 'id128'}
HEAD = """
| column | type | unit | role | meaning | unknown when |
|---|---|---|---|---|---|
"""


def written(part):
    """Table -> its columns as (name, type, unit, role), in order, of that part of the page."""
    page = read(PAGE).decode()
    text = page[page.index(part) :]
    text = text[: text.index('\n## ', len(part)) if '\n## ' in text[len(part) :] else None]
    tables = {}
    for section in text.split('\n### ')[1:]:
        name = section.split('\n', 1)[0]
        check(name not in tables, f'{name} is there twice')
        rows = [
            re.split(r'(?<!\\)\|', line)[1:-1]
            for line in section.splitlines()
            if line.startswith('| `')
        ]
        for row in rows:
            check(
                len(row) == 6 and all(cell.strip() for cell in row),
                f'{name}: a cell is missing in {row}',
            )
        tables[name] = [tuple(cell.strip(' `') for cell in row[:4]) for row in rows]
    return tables


def declared():
    """(component, table) of all tables."""
    said = json.loads(run('plugins', '--json').expect(0).out)
    return [(one, table) for one in [said] + said['plugins'] for table in one.get('tables', ())]


def facts(column):
    return column['name'], column['type'], column['unit'] or '-', column['role']


def row_of(column, old):
    """What the page says of a column that is as it was, else what its declaration says."""
    row = '| `{}` | {} | {} | {} |'.format(*facts(column))
    said = old.get(column['name'], '')
    help_text = column['help'].replace('|', r'\|') or '-'
    return (said if said.startswith(row) else f'{row} {help_text} | ? |') + '\n'


def update():
    """Writes the rows of each table anew."""
    page = read(PAGE).decode()
    for component, table in declared():
        title = f"\n### {table['name']}\n"
        if title not in page:
            maker = f"{component['kind']} `{component['name']}`" if 'kind' in component else 'core'
            section = f"{title}\nFrom {maker}. {table['title']}.\n{HEAD}\n"
            page = page.replace('\n' + PLANNED, section + PLANNED)
        first = page.index(HEAD, page.index(title)) + len(HEAD)
        end = page.index('\n\n', first - 1) + 1
        old = {line.split('`', 2)[1]: line for line in page[first:end].splitlines()}
        page = page[:first] + ''.join(row_of(c, old) for c in table['columns']) + page[end:]
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(page)


@test
def the_page_and_the_program_agree(_folder):
    if os.environ.get('NPROF_UPDATE'):
        update()
    page = written(TODAY)
    program = {table['name']: list(map(facts, table['columns'])) for _, table in declared()}
    # a build may lack plugins whose libraries are missing, never the page
    check_same(sorted(set(program) - set(page)), [], 'tables that the page lacks')
    for name, columns in program.items():
        check_same(page[name], columns, f'columns of {name}; NPROF_UPDATE=1 writes them')
    check(' | ? |\n' not in read(PAGE).decode(), 'say in place of ? when the column is unknown')


@test
def what_is_planned_is_well_formed_and_not_there_yet(_folder):
    page = written(PLANNED)
    check_same(
        sorted(set(page) & {table['name'] for _, table in declared()}),
        [],
        'tables that are there: move them up',
    )
    for name, columns in page.items():
        check_same(columns[0], ('input', 'string', '-', 'key'), f'first column of {name}')
        for column in columns:
            check(
                column[1] in TYPES and column[3] in ('key', 'value', 'doubt', 'level', 'note'),
                f'{name}: {column}',
            )
            check(
                column[0].endswith('_ns') == (column[2] == 'ps'),
                f'{name}: {column[0]} is a time or is not',
            )


@test
def no_column_of_a_table_is_written_twice(_folder):
    for name, columns in {**written(TODAY), **written(PLANNED)}.items():
        check_same(len({column[0] for column in columns}), len(columns), name)


main()
