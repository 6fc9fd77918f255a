# SPDX-License-Identifier: Apache-2.0
"""view-answers.py - every route against its recorded answer in tests/view/answers: the same members of the same
types, and the same values where they depend on the profile alone.  --write records them anew."""

import json
import os
import sys

from harness import NPROF, add_test, check, check_same, main, read, sample, write
from viewserver import ORDINARY, Server

ANSWERS = os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'view', 'answers')
BELOW = {  # of a finished profile
    'profile.json': 'profile',
    'meta.json': 'meta',
    'names.json': 'names',
    'tile.bin': 'v?l=23&i=0&lanes=0-13',
    'over.bin': 'over',
    'strip.json': 'strip?pixels=512&q=fusion',
    'event.json': 'e?row=6.3',
    'at.json': 'at?lane=6&t=4000000000&how=at',
    'near.json': 'near?row=6.3&step=next&of=label',
    'edges.json': 'edges?tracks=6,7&t=4000000000&within=1000000000',
    'links.json': 'links?rows=6.3,9.0',
    'chain.json': 'chain?row=9.0&depth=3',
    'search.json': 'q?q=name%3Dfusion.14&n=3&pixels=8',
    'suggest.json': 'suggest?prefix=fus&n=5',
    'stats.json': 's?by=name&percentiles=1&n=3',
    'stats.bin': 's?by=category&t0=3000000000&t1=9000000000&format=bin',
    'table.json': 'table/mfu?columns=device,step,mfu&sort=-mfu&n=3',
}
ABOVE = {'server.json': 'server', 'profiles.json': 'profiles', 'profile-head.json': f'p/{ORDINARY}', 'changes.json': 'changes?since=0'}
# What depends on the machine, the moment or the build: only the type is compared.
PASSING = {'gen', 'store_id', 'store', 'free_bytes', 'used_bytes', 'added', 'opened', 'seq', 'version', 'size', 'path', 'present',
           'source_present', 'formats', 'plugins', 'tables', 'attributes'}


def kind(value):
    return {bool: 'bool', int: 'number', float: 'number', str: 'text', list: 'list', dict: 'object', type(None): 'null'}[type(value)]


def compare(found, wanted, at, passing):
    check_same(kind(found), kind(wanted), f'{at}: type')
    if isinstance(wanted, dict):
        check_same(sorted(found), sorted(wanted), f'{at}: members')
        for name, value in wanted.items():
            compare(found[name], value, f'{at}.{name}', passing or name in PASSING)
    elif isinstance(wanted, list):
        if not passing:
            check_same(len(found), len(wanted), f'{at}: length')
        for i, value in enumerate(wanted[:1] if passing else wanted):
            compare(found[i], value, f'{at}[{i}]', passing)
    elif not passing:
        check_same(found, wanted, at)


def ask(server):
    """{FILE: bytes}"""
    found = {name: server.profile(route).body for name, route in BELOW.items()}
    found.update({name: server.get('/api/v1/' + route).body for name, route in ABOVE.items()})
    return found


def compare_all(_folder):
    with Server(sample()) as server:
        found = ask(server)
    for name, body in found.items():
        wanted = read(os.path.join(ANSWERS, name))
        if name.endswith('.bin'):
            check(body == wanted, f'{name} differs')
        else:
            compare(json.loads(body), json.loads(wanted), name, False)


def every_file_is_asked(_folder):
    check_same(sorted(os.listdir(ANSWERS)), sorted([*BELOW, *ABOVE]), 'files of tests/view/answers')


def record(_folder):
    with Server(sample()) as server:
        for name, body in ask(server).items():
            text = body if name.endswith('.bin') else json.dumps(json.loads(body), indent=1, ensure_ascii=False) + '\n'
            write(os.path.join(ANSWERS, name), text)


if '--write' in sys.argv:
    sys.argv.remove('--write')
    add_test('record', record)
else:
    add_test('answers', compare_all)
    add_test('every-file-is-asked', every_file_is_asked)


if __name__ == '__main__':
    main()
