# SPDX-License-Identifier: Apache-2.0
"""xlsx.py - the sink xlsx, read by Python's zip and XML: each cell beside what the sink csv writes
of the same run."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as tree
import zipfile
from decimal import Decimal

from harness import Skip, check, check_same, main, read, run, sample, test, write

SHEET = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'


def column_of(reference):
    number = 0
    for letter in re.match(r'[A-Z]+', reference).group():
        number = number * 26 + ord(letter) - 64
    return number - 1


def unescaped(text):
    return re.sub(r'_x([0-9A-F]{4})_', lambda m: chr(int(m.group(1), 16)), text)


def sheets_of(path):
    """Returns name -> rows of cells: a text, a Decimal, True, False or None."""
    with zipfile.ZipFile(path) as book:
        names = [
            sheet.get('name')
            for sheet in tree.fromstring(book.read('xl/workbook.xml')).iter(SHEET + 'sheet')
        ]
        found = {}
        for number, name in enumerate(names, 1):
            rows = []
            for row in tree.fromstring(book.read(f'xl/worksheets/sheet{number}.xml')).iter(
                SHEET + 'row'
            ):
                cells = {}
                for cell in row.iter(SHEET + 'c'):
                    text = ''.join(
                        part.text or ''
                        for part in cell.iter()
                        if part.tag in (SHEET + 't', SHEET + 'v')
                    )
                    cells[column_of(cell.get('r'))] = {
                        'inlineStr': unescaped,
                        'b': lambda t: t == '1',
                    }.get(cell.get('t'), Decimal)(text)
                rows.append(cells)
            found[name] = rows
        return found


def compare(sheet, text, what):
    """A sheet beside the CSV of the same table; dates beside Unix times are no column of it."""
    head, *rows = csv.reader(io.StringIO(text))
    at = {name: i for i, name in sheet[0].items() if name != 'UTC'}
    check_same(len(sheet) - 1, len(rows), f'rows of {what}')
    cells = 0
    for row, expected in zip(sheet[1:], rows):
        for name, value in zip(head, expected):
            if name not in at:
                continue
            found = row.get(at[name])
            cells += 1
            if value == '':
                check(found in (None, ''), f'{what}.{name}: {found!r}, expected nothing')
            elif isinstance(found, bool):
                check_same(str(found).lower(), value, f'{what}.{name}')
            elif isinstance(found, Decimal):
                check(
                    abs(found - Decimal(value)) <= abs(Decimal(value)) * Decimal('1e-14'),
                    f'{what}.{name}: {found}, expected {value}',
                )
            elif name.endswith('_ns'):
                check(
                    Decimal(found) == Decimal(value)
                    and len(re.sub(r'\D', '', found).lstrip('0')) > 15,
                    f'{what}.{name}: text {found}',
                )
            elif value.startswith('{'):  # csv leaves blanks out
                check_same(json.loads(found), json.loads(value), f'{what}.{name}')
            else:
                check_same(found, value, f'{what}.{name}')
    return cells


@test
def each_cell_is_that_of_csv(_folder):
    analyzers = ['-a', 'steps', '-a', 'operators', '-a', 'mfu', '-a', 'device']
    run('run', '-q', *analyzers, '-s', 'xlsx', '-o', 'a.xlsx', sample()).expect(0, err='')
    run('run', '-q', *analyzers, '-s', 'csv', '-o', 'out', sample()).expect(0)
    sheets, cells = sheets_of('a.xlsx'), 0
    for name, rows in sheets.items():
        with open(f'out/{name}.csv', encoding='utf-8', newline='') as file:
            cells += compare(rows, file.read(), name)
    check(
        {'events', 'steps', 'operators', 'devices', 'inputs'} <= set(sheets) and cells > 3000,
        f'{cells} cells of {sorted(sheets)}',
    )


@test
def what_a_spreadsheet_would_round_is_text(_folder):
    path = write(
        'big.json',
        '{"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "=1+2", "args": {"big": 9007199254740993, '
        '"text": "a\\u0001b", "small": 12, "share": 0.5}}, {"ph": "X", "pid": 1, "tid": 1, "ts": 1234567890123.456789, "dur": 0.001, "name": "far"}]}',
    )
    run('run', '-q', '-s', 'xlsx', '-o', 'b.xlsx', path).expect(0)
    out = run('run', '-q', '-s', 'csv:table=events', '-o', '-', path).expect(0).out
    sheet = sheets_of('b.xlsx')['events']
    check(compare(sheet, out, 'events') >= 20, 'cells were compared')
    texts = [cell for row in sheet[1:] for cell in row.values() if isinstance(cell, str)]
    check('=1+2' in texts, 'a name that looks like a formula is text')
    check('1234567890123456.789' in texts, 'a time of 19 digits keeps them all')


@test
def the_same_profile_gives_the_same_bytes(_folder):
    for name in ('a.xlsx', 'b.xlsx'):
        run('run', '-q', '-a', 'steps', '-s', 'xlsx', '-o', name, sample()).expect(0)
    with open('a.xlsx', 'rb') as a, open('b.xlsx', 'rb') as b:
        check(a.read() == b.read(), 'two runs of one profile differ')


@test
def a_report_is_a_workbook_of_its_tables(_folder):
    run('report', '-q', '-o', 'r.xlsx', sample()).expect(0, err='')
    names = set(sheets_of('r.xlsx'))
    check('events' not in names and {'steps', 'devices', 'operators'} <= names, sorted(names))
    run('report', '-q', '--only', 'steps', '-o', 's.xlsx', sample()).expect(0, err='')
    check_same(
        sorted(sheets_of('s.xlsx')),
        ['step_breakdown', 'step_times', 'steps'],
        'tables of --only steps',
    )
    run('report', '--top', '3', '-o', 't.xlsx', sample()).expect(
        1, err='*--top: a workbook has all rows*'
    )
    run('report', '-o', 'nosuch/t.xlsx', sample()).expect(1, err='*nosuch*')


@test
def a_full_temporary_folder_is_said(_folder):
    run('run', '-s', 'xlsx', '-o', 'a.xlsx', sample(), env={'TMPDIR': '/nosuch'}).expect(
        7, err='*TMPDIR*'
    )


def read_by_libreoffice(folder, locale, path, options=()):
    """The numbers of the cells that LibreOffice reads from a file, in their order."""
    office = shutil.which('soffice')
    if not office:
        raise Skip('LibreOffice is not here')
    home = f'-env:UserInstallation=file://{folder}/home'
    subprocess.run(
        [office, home, '--headless', *options, '--convert-to', 'fods', '--outdir', '.', path],
        env={'LC_ALL': locale, 'HOME': folder, 'PATH': '/usr/bin:/bin'},
        check=True,
        capture_output=True,
        timeout=120,
    )
    stem = os.path.splitext(os.path.basename(path))[0]
    text = read(f'{stem}.fods').decode()
    os.remove(f'{stem}.fods')
    found = []
    for cell in re.findall(r'<table:table-cell [^>]*office:value=[^>]*>', text):
        times = re.search(r'number-columns-repeated="(\d+)"', cell)
        value = Decimal(re.search(r'office:value="([^"]+)"', cell)[1])
        found += [value] * int(times[1] if times else 1)
    return found


def check_near(theirs, ours, locale):
    check_same(len(theirs), len(ours), f'numbers in {locale}')
    check(
        all(abs(a - b) <= abs(a) * Decimal('1e-14') for a, b in zip(ours, theirs))
        and len(ours) > 20,
        f'{locale}: {theirs[:100]}',
    )


@test
def libreoffice_reads_the_same_numbers_in_any_locale(folder):
    run(
        'run', '-q', '-a', 'steps', '-s', 'xlsx:tables=steps,rows=no', '-o', 'a.xlsx', sample()
    ).expect(0)
    ours = [
        Decimal(cell)
        for row in sheets_of('a.xlsx')['steps']
        for _, cell in sorted(row.items())
        if isinstance(cell, (Decimal, bool))
    ]
    for locale in ('en_US.UTF-8', 'de_DE.UTF-8'):
        check_near(read_by_libreoffice(folder, locale, 'a.xlsx'), ours, locale)


@test
def libreoffice_reads_the_same_numbers_of_csv_in_any_locale(folder):
    """Of what excel=yes writes for each: of both the numbers that plain CSV has."""
    for locale, point, separator, language in (
        ('en_US', '.', ',', 1033),
        ('de_DE', ',', ';', 1031),
    ):
        spec = 'csv:excel=yes,decimal=' + point.replace(',', '\\,')
        run('run', '-q', '-s', spec, '-o', locale, sample()).expect(0)
        path = os.path.join(locale, 'events.csv')
        with open(path, encoding='utf-8-sig', newline='') as file:
            cells = [cell for row in csv.reader(file, delimiter=separator) for cell in row]
        number = re.compile(rf'-?\d+(\{point}\d+)?')
        ours = [Decimal(c.replace(',', '.')) for c in cells if number.fullmatch(c)]
        how = f'Text - txt - csv (StarCalc):{ord(separator)},34,76,1,,{language},false,true'
        theirs = read_by_libreoffice(folder, locale + '.UTF-8', path, [f'--infilter={how}'])
        check_near(theirs, ours, locale)


if __name__ == '__main__':
    main()
