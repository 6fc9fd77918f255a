# SPDX-License-Identifier: Apache-2.0
"""new.py - nprof new as people use and misuse it.  That what it writes builds and passes its tests
against an installed nprof is installed.py's."""

import os
import re

from harness import check, check_same, files_below, index_of, main, read, run, test, write

KINDS = ['decoder', 'analyzer', 'sink']
LANGUAGES = {'c': 'plugin.c', 'c++': 'plugin.cpp', 'rust': 'plugin.rs', 'python': 'plugin.py'}


@test
def a_project_of_each_kind_and_language(_folder):
    for language, source in LANGUAGES.items():
        for kind in KINDS:
            a_project(language, source, kind, f'my-{kind}')
            a_project(language, source, kind, f'acme.my-{kind}')


def a_project(language, source, kind, name):
    """All projects of a kind have the same test, sample, index and manual page."""
    folder = f'{language}-{name}'
    result = run('new', '--language', language, kind, name, folder).expect(
        0,
        err='',
        out=[f'{folder} holds the {kind} {name}*', '  meson setup build && meson test -C build'],
    )
    check(f'cd {folder}\n' in result.out, result.out)
    found = files_below(folder)
    check_same(
        sorted(found),
        sorted(
            [
                '.ci/run',
                '.gitignore',
                'README.md',
                f'{name}.plugin',
                'meson.build',
                'meson_options.txt',
                source,
                'test.c',
                f'nprof-{kind}-{name}.7',
            ]
            + ['sample.txt'] * (kind == 'decoder')
        ),
        'files',
    )
    hint = (
        {'magic': f'#{name}\n'.encode().hex(), 'suffixes': f'.{name}'} if kind == 'decoder' else {}
    )
    check_same(index_of(f'{folder}/{name}.plugin'), {f'{kind} {name}': hint}, 'index')
    if kind == 'analyzer':
        table = name.replace('-', '_').encode()
        check(b'"' + table + b'"' in found['test.c'], 'its table has the name of its vendor, too')
    for path, text in found.items():
        left = re.findall(rb'@[A-Z0-9]+@', text)
        check(set(left) <= {b'@OUTPUT@', b'@INPUT@', b'@INPUT0@', b'@INPUT1@'}, f'{path}: {left}')
    check(os.access(f'{folder}/.ci/run', os.X_OK), '.ci/run cannot be run')
    check(b'no licence yet' in found['README.md'], 'the README must say so')
    check(f'`{source}`'.encode() in found['README.md'], 'the README must name the source')


@test
def another_folder(folder):
    run('new', 'sink', 'plain', 'a folder').expect(0, err='', out="  cd 'a folder'")
    check('plugin.c' in files_below('a folder'), 'files')
    run('new', 'sink', 'plain', os.path.join(folder, 'b')).expect(0)
    run('new', 'sink', 'plain', 'c/d').expect(1, out='', err='nprof: error: c/d: No such file *')


@test
def nothing_is_overwritten(_folder):
    run('new', 'sink', 'plain').expect(0)
    write('plain/plugin.c', 'mine')
    run('new', 'sink', 'plain').expect(
        1,
        out='',
        err='nprof: error: plain exists already, and '
        'nothing is overwritten: name another folder *',
    )
    check_same(read('plain/plugin.c'), b'mine', 'plugin.c')
    write('file', '')
    run('new', 'sink', 'plain', 'file').expect(1, out='', err='*file exists already*')


@test
def names(_folder):
    wrong = ['Bad', '1st', '-x', 'x-', 'a_b', 'a/b', '..', '', 'é', 'a b', 'a.b.c', '.a', 'a.']
    for name in wrong:
        run('new', 'sink', '--', name).expect(
            1, out='', err='*is no name of a component*such as my-format, or acme.format*'
        )
    for name in 'nprof.x', 'draft.x', 'team.x':
        run('new', 'sink', name).expect(
            1, out='', err=f"*component: it begins with {name[:-2]}, which is nprof's own*"
        )
    run('new', 'sink', 'report-x').expect(
        1, out='', err="*report- are those of nprof's own reports*such as acme.report-x*"
    )
    run('new', 'sink', 'a' * 49).expect(1, out='', err='*longer than 48 characters*')
    run('new', 'sink', 'test').expect(1, out='', err='*word of meson*')
    run('new', 'sink', 'bad\x1b').expect(1, out='', err='*bad\\x1b*')
    check_same(os.listdir('.'), [], 'what was written')
    run('new', 'sink', 'a' * 48).expect(0)


@test
def wrong_use_is_1(_folder):
    run('new', 'decodr', 'x').expect(1, out='', err='*no kind "decodr": did you mean decoder?*')
    for words in ([], ['sink'], ['sink', 'a', 'b', 'c']):
        run('new', *words).expect(1, out='', err='*new takes a kind, a name*')
    run('new', '-l', 'fortran', 'sink', 'x').expect(
        1, out='', err='*no language "fortran": there are c, c++, rust, python*'
    )
    run('new', '--bogus').expect(1, out='', err='*--bogus*nprof new --help tells more*')
    run('new', '--help').expect(0, err='', out='*nprof new*decoder|analyzer|sink NAME*')


@test
def a_name_that_exists_is_said(_folder):
    run('new', 'sink', 'csv').expect(
        0, err='nprof: warning: there is a sink csv already, in *csv.so: *'
    )
    run('new', 'decoder', 'csv', 'other').expect(0, err='')


if __name__ == '__main__':
    main()
