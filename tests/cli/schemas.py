# SPDX-License-Identifier: Apache-2.0
"""schemas.py - ajv holds against share/schema what `report --format json` and `nprof ask` print: of
all samples, of golden files and of real traces.

Environment: NPROF_NPM, the folder with node_modules that ./dev fetches.
"""

import glob
import json
import os

from answers_of_tools import SCHEMAS
from harness import Skip, add_test, check, check_same, main, run, run_node, sample, test
from samples import MAKERS, samples_for

MODULES = os.path.join(os.environ.get('NPROF_NPM', ''), 'node_modules')
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'schemas.mjs')
DATA = os.environ.get('NPROF_TEST_DATA', '')
ROOT = os.path.dirname(DATA.rstrip('/'))
OF_FILE = ['open', 'verdict', 'ranks', 'schema', 'table name=devices']


def need_ajv():
    if not os.path.isdir(os.path.join(MODULES, 'ajv')):
        raise Skip('ajv is not here (./dev test fetches it)')


def keep(name, number, result):
    """Keeps what was printed as a file whose name begins with that of its schema."""
    path = os.path.abspath(f'{name}.{number}')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(result.out)
    return path


def summaries(paths):
    """What is printed of the files that can be read: others print nothing, and say why."""
    kept = []
    for number, path in enumerate(paths):
        result = run('report', '-q', '--format', 'json', path)
        check(result.status in (0, 2, 3), result.describe())
        check(len(result.out.encode()) <= 4001, f'{path}: {len(result.out)} bytes')
        if result.out:
            kept.append(keep('summary', number, result))
    return kept


def check_fits(files):
    done = run_node([DRIVER, MODULES, SCHEMAS, *files], text=True)
    check_same((done.returncode, done.stdout), (0, ''), done.stderr[-2000:])


@test
def a_wrong_answer_does_not_fit(_folder):
    need_ajv()
    with open('summary.wrong', 'w', encoding='utf-8') as file:
        file.write('{"group": "nosuch"}')
    done = run_node([DRIVER, MODULES, SCHEMAS, 'summary.wrong'], text=True)
    check('group' in done.stdout, done.stdout + done.stderr)


@test
def answers_of_the_sample(_folder):
    need_ajv()
    files = []
    for number, asked in enumerate(OF_FILE):
        tool, *words = asked.split(' ')
        result = run('ask', '--json', tool, sample(), *words)
        files.append(keep(f'answer-{tool}', number, result.expect(0)))
    wrong = run('ask', '--json', 'table', sample(), 'name=operatorz').expect(1)
    check_fits([*files, keep('answer-table', len(OF_FILE), wrong)])


@test
def summaries_of_samples_of_each_decoder(_folder):
    need_ajv()
    check_fits(summaries(path for name in sorted(MAKERS) for path in samples_for(name)))


@test
def all_tables_of_samples_of_each_decoder(_folder):
    """Whole, and of some tables; each row has a cell a column."""
    need_ajv()
    kept = []
    for path in [path for name in sorted(MAKERS) for path in samples_for(name)]:
        for shape in (['--full'], ['--only', 'tracks,summary'], ['--top', '2']):
            said = run('report', '-q', '--format', 'json', *shape, path).expect(0, err=None)
            kept.append(keep('tables', len(kept), said))
            for table in json.loads(said.out)['tables']:
                widths = {len(table['columns']), len(table['units']), *map(len, table['rows'])}
                check_same(len(widths), 1, table['name'])
    check_fits(kept)


def some(where):
    def body(_folder):
        need_ajv()
        if not DATA:
            raise Skip('no real traces here')
        files = [f for f in sorted(glob.glob(where, recursive=True)) if os.path.isfile(f)]
        kept = summaries(files)
        check(len(kept) >= 3, f'{len(kept)} summaries of {len(files)} files')
        check_fits(kept)

    return body


for name, place in (
    ('json', 'data/json/*'),
    ('xplane', 'data/xplane/*'),
    ('files', 'files/*/*'),
    ('cases', 'golden/cases/*'),
    ('graphs', 'golden/graphs/made/*'),
    ('conclusions', 'golden/conclusions/*/*'),
    ('defects', 'golden/defects/*'),
):
    add_test(f'summaries_of_{name}', some(os.path.join(ROOT, place)))

if __name__ == '__main__':
    main()
