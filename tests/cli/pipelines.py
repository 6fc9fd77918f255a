# SPDX-License-Identifier: Apache-2.0
"""pipelines.py - each file of share/pipelines runs, writes what its README says, and gives way to
the command line."""

import glob
import json
import os

from harness import (
    add_test,
    analyzers_of_reports,
    check,
    check_same,
    files_below,
    main,
    run,
    sample,
    test,
)

FOLDER = os.path.join(os.path.dirname(sample()), '..', 'pipelines')
FILES = sorted(glob.glob(os.path.join(FOLDER, '*.json')))


def works(path):
    def check_it(_):
        done = run('run', '--config', path, sample()).expect(0, err='')
        with open(path, encoding='utf-8') as file:
            output = json.load(file)['output']
        check(done.out if output == '-' else os.path.exists(output), f'nothing in {output}')
        check_same(sorted(os.listdir()), [] if output == '-' else [output], 'files')

    return check_it


for name in FILES:
    add_test(os.path.basename(name).replace('.', '-'), works(name))


@test
def the_readme_names_all(_):
    with open(os.path.join(FOLDER, 'README.md'), encoding='utf-8') as file:
        named = [line.split('`')[1] for line in file if line.startswith('| `')]
    check_same(sorted(named), [os.path.basename(path) for path in FILES], 'files of the README')


@test
def analysis_is_what_a_report_runs(_):
    with open(os.path.join(FOLDER, 'analysis.json'), encoding='utf-8') as file:
        check_same(
            [analyzer['name'] for analyzer in json.load(file)['analyzers']],
            analyzers_of_reports(),
            'analyzers',
        )


@test
def the_command_line_comes_first(_):
    run(
        'run',
        '--config',
        os.path.join(FOLDER, 'timeline.json'),
        '-s',
        'text',
        '-o',
        'mine/',
        sample(),
    ).expect(0)
    check_same(list(files_below('mine')), ['report.txt'], 'files')


if __name__ == '__main__':
    main()
