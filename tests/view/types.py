#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""types.py - `tsc --checkJs --strict` over the modules of the page, and over the recorded answers
of its routes: each has the type that share/viewer/base/answers.d.ts gives the route that
docs/formats/view-api.md names beside its file. TAP: one point for all."""
import json
import os
import re
import subprocess
import sys
import tempfile

source, npm = map(os.path.abspath, sys.argv[1:3])
viewer = os.path.join(source, 'share', 'viewer')
answers = os.path.join(source, 'tests', 'view', 'answers')
ROUTE = re.compile(r'^\| (GET|POST|PUT|DELETE) `([^`?]+)[^`]*`.*\| ([^|]+) \|$', re.M)
OF_QUESTION = {'meta.json': 'of.Meta<of.Lane[]>', 'names-over.json': 'of.FirstNames'}


def types_of_answers():
    """{FILE: type}, by the tables of the routes."""
    types = {}
    with open(os.path.join(source, 'docs', 'formats', 'view-api.md'), encoding='utf-8') as file:
        routes = ROUTE.findall(file.read())
    for method, route, names in routes:
        path = route.replace('...', 'p/ID/annotations')
        for name in names.split(', '):
            types[name] = OF_QUESTION.get(name, f"of.Written<'{method}', '{path}'>")
    return types


def put_recorded(folder):
    """Each recorded answer as a module in which it has the type of its route."""
    types = types_of_answers()
    for name in os.listdir(answers):
        if not name.endswith('.json'):
            continue
        with open(os.path.join(answers, name), encoding='utf-8') as file:
            answer = file.read()
        with open(os.path.join(folder, name + '.ts'), 'w', encoding='utf-8') as file:
            file.write(
                f"import type * as of from '{viewer}/base/answers.d.ts'\n"
                f'export default ({answer}) satisfies {types[name]}\n'
            )


with tempfile.TemporaryDirectory() as work:
    modules = os.path.join(npm, 'node_modules')
    lumino = os.path.join(modules, '@lumino')
    paths = {  # Lumino's sources are bundled, and have their types beside them
        '@lumino/widgets/src/*': [os.path.join(lumino, 'widgets', 'types', '*')],
        'coreutils/src/*': [os.path.join(lumino, 'coreutils', 'types', '*')],
        '*': [os.path.join(modules, '*')],
    }
    config = {
        'extends': os.path.join(viewer, 'tsconfig.json'),
        'compilerOptions': {'paths': paths},
        'include': [
            os.path.join(viewer, part)
            for part in ('main.js', 'base', 'timeline', 'charts', 'widgets', 'pages', 'lib')
        ]
        + [os.path.join(work, '*.ts')],
    }
    put_recorded(work)
    path = os.path.join(work, 'tsconfig.json')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(config, file)
    run = subprocess.run(
        [os.path.join(npm, 'node_modules', '.bin', 'tsc'), '-p', path, '--pretty', 'false'],
        capture_output=True,
        text=True,
    )
print('1..1')
print(('ok' if run.returncode == 0 else 'not ok') + ' 1 - types')
for line in (run.stdout + run.stderr).splitlines():
    print('# ' + line)
