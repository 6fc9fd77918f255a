#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""versions.py - fails where a file spells another version of nprof than meson.build.  Run it in the
top folder of the project."""

import re
import sys

PLACES = {
    'NEWS.md': r'^## (\S+)',
    'sdk/rust/Cargo.toml': r'^version = "([^"]*)"',
    'share/ci/github/workflow.yml': r'nprof-(.*?)-linux-',
    'share/ci/gitlab/nprof.yml': r'nprof-(.*?)-linux-',
    'tests/view/answers/server.json': r'"version": "([^"]*)"',
}


def spelled(path, pattern):
    with open(path, encoding='utf-8') as file:
        return re.search(pattern, file.read(), re.M)[1]


def main():
    version = spelled('meson.build', r"^  version: '([^']*)'")
    wrong = [
        f'# {path}: {found}, meson.build has {version}'
        for path, found in ((path, spelled(path, pattern)) for path, pattern in PLACES.items())
        if found != version
    ]
    print('\n'.join(['1..1', *wrong, f'{"not ok" if wrong else "ok"} 1 - {version} everywhere']))
    return bool(wrong)


sys.exit(main())
