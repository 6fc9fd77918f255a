#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""types.py - `tsc --checkJs --strict` over the modules of the page. TAP: one point a file that has
errors, or one for all."""
import json
import os
import subprocess
import sys
import tempfile

source, npm = map(os.path.abspath, sys.argv[1:3])
viewer = os.path.join(source, 'share', 'viewer')
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
        ],
    }
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
