# SPDX-License-Identifier: Apache-2.0
"""man-pages.py - the manual says what the program does: every option, every environment variable
that counts, every call of the contract and every well-known key stands in its page.

A page that belongs to a component is share/man/nprof-KIND-NAME.7.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

from harness import NPROF, Skip, add_test, analyzers_of_reports, check, check_same, main, read, run

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAN = os.path.join(TOP, 'share', 'man')
sys.path.insert(0, os.path.join(TOP, 'tests', 'abi'))
import declared  # noqa: E402  pylint: disable=wrong-import-position


def source(page):
    path = os.path.join(MAN, page)
    check(os.path.exists(path), f'share/man/{page} is missing')
    return read(path).decode()


def plain(text):
    """A page as words: `Fl Fl from` is --from, `Fl d` is -d; fonts and escapes are gone."""
    text = re.sub(r'^\.\\".*$', '', text, flags=re.M)
    text = re.sub(r'\\f[BIRP]|\\&', '', text).replace('\\-', '-').replace('\\e', '\\')
    text = re.sub(r'\bFl Fl (?=\w)', '--', text)
    text = re.sub(r'\bFl (?=-|\w)', '-', text)
    return re.sub(r'^\.\w+ ', '', text, flags=re.M)


def has_word(text, word):
    return re.search(rf'(?<![\w-]){re.escape(word)}(?![\w-])', text) is not None


def missing(text, words):
    return [w for w in words if not has_word(text, w)]


def components():
    """Returns the components of the build itself, not of what else lies in the plugin path."""
    result = run('plugins', '--json')
    result.expect(0)
    return json.loads(result.out)['plugins']


def options_of_help(text):
    """-x and --long at the beginnings of the lines of a help text."""
    found = []
    for line in text.splitlines():
        match = re.match(r'\s+((?:-\w, )?--?[\w-]+)', line)
        found += match.group(1).split(', ') if match else []
    return found


# -- Tests -----------------------------------------------------------------------


def commands():
    """Returns the commands that the help lists."""
    listed = run('--help').expect(0).out.split('Commands:')[1].split('\n\n')[0]
    return re.findall(r'^  (\w+)  ', listed, flags=re.M)


def test_command(command):
    """Each option stands in its page, or in nprof(1), and three examples show what it is for."""
    result = run(command, '--help-all')
    result.expect(0)
    options = options_of_help(result.out)
    check('--help' in options, f'no options were seen in\n{result.out}')
    own = source(f'nprof-{command}.1')
    lost = missing(plain(own + source('nprof.1')), options)
    check(not lost, f'options of nprof {command} that nprof-{command}(1) lacks: {" ".join(lost)}')
    shown = re.search(r'^\.Sh EXAMPLES\n(.*?)^\.Sh ', own, flags=re.M | re.S)
    check(
        shown and shown.group(1).count(f'nprof {command}') >= 3,
        f'nprof-{command}(1) has no three examples',
    )
    for page in ('NAME', 'SYNOPSIS', 'DESCRIPTION', 'EXIT STATUS', 'SEE ALSO'):
        check(f'\n.Sh {page}\n' in own, f'nprof-{command}(1) has no {page}')


def test_commands(_folder):
    """nprof(1) leads to the page of each command, and `nprof` alone shows what there is."""
    listed = commands()
    check(
        {'run', 'report', 'info', 'diff'} <= set(listed), f'commands that the help lists: {listed}'
    )
    page = source('nprof.1')
    for command in listed:
        check(
            page.count(f'.Xr nprof-{command} 1') >= 2,
            f'nprof(1) names nprof-{command}(1) under COMMANDS and SEE ALSO',
        )
    lost = missing(plain(page), ['help', 'version'])
    check(not lost, f'commands that nprof(1) lacks: {" ".join(lost)}')
    check_same(run().expect(0).out, run('help').expect(0).out, 'what nprof alone prints')


def test_environment(_folder):
    """Returns the variables that the core and the commands read, as their sources say."""
    names = set()
    for folder in ('core', 'plugins/commands', 'plugins/common'):
        for at, _, files in os.walk(os.path.join(TOP, folder)):
            for name in (n for n in files if n.endswith('.c')):
                text = read(os.path.join(at, name)).decode()
                names |= set(re.findall(r'getenv \("(\w+)"\)', text))
    names -= {'HOME', 'COLUMNS', 'TERM'}
    check('NPROF_PLUGIN_PATH' in names, f'variables that were seen: {sorted(names)}')
    lost = missing(plain(source('nprof.1')), sorted(names))
    check(not lost, f'variables that nprof(1) lacks: {" ".join(lost)}')


def test_exit_status(_folder):
    text = read(os.path.join(TOP, 'core', 'base', 'error.h')).decode()
    codes = re.findall(r'NP_EXIT_\w+ = (\d+)', text)
    check(len(codes) >= 10, f'exit statuses that were seen: {codes}')
    lost = [c for c in codes if f'\n.It {c}\n' not in source('nprof.1')]
    check(not lost, f'exit statuses that nprof(1) lacks: {" ".join(lost)}')


def test_component(component):
    """Each option stands at the beginning of an item of the page."""
    page = f'nprof-{component["kind"]}-{component["name"]}.7'
    text = plain(source(page))
    check(has_word(text, component['name']), f'{page} does not name {component["name"]}')
    lost = missing(text, [o['name'] for o in component['options'] or []])
    check(not lost, f'options of {component["name"]} that {page} lacks: {" ".join(lost)}')
    for option in component['options'] or []:
        if option['type'] == 'choice':
            lost = [c for c in option['range'].split('|') if c not in text]
            check(not lost, f'choices of {option["name"]} that {page} lacks: {" ".join(lost)}')


def test_report(_folder):
    said = re.search(
        r'It runs the analyzers\n(.*?)\nfor two', plain(source('nprof-report.1')), re.S
    ).group(1)
    check_same(
        re.findall(r'\w+', said.replace('and\n', '')),
        analyzers_of_reports(),
        'analyzers of a report',
    )


def test_keys(_folder):
    """nprof-model(7) gives each key with the words of keys.h, type and unit first."""
    text = read(os.path.join(TOP, 'include', 'nprof', 'keys.h')).decode()
    found = re.findall(
        r'^(?:/\* ((?:[^*]|\*(?!/))*) \*/\n)?#define NPROF_KEY_\w+ "([\w.]+)"(?: +/\* (.*?) \*/)?$',
        text,
        flags=re.M,
    )
    keys = [
        (key, behind or re.sub(r'\s*\n \* ', ' ', above))
        for above, key, behind in found
        if behind or above
    ]
    check(len(keys) == text.count('#define NPROF_KEY_'), 'a key of keys.h has no comment')
    page = source('nprof-model.7')
    lost = [k for k, meaning in keys if f'\n.It Li {k}\n{meaning}\n' not in page]
    check(not lost, f'keys that nprof-model(7) lacks or explains otherwise: {" ".join(lost)}')


def test_contract(_folder):
    header = declared.Header(read(os.path.join(TOP, 'include', 'nprof', 'plugin.h')).decode())
    page = plain(source('nprof-plugin.3'))
    for name in ('struct nprof_host', 'struct nprof_component'):
        lost = missing(page, [m for m in header.structs[name] if m != 'reserved'])
        check(not lost, f'members of {name} that nprof-plugin(3) lacks: {" ".join(lost)}')
    statuses = [c for c in header.constants if c.startswith('NPROF_E_')] + ['NPROF_CANCELLED']
    lost = missing(page, statuses)
    check(not lost, f'statuses that nprof-plugin(3) lacks: {" ".join(lost)}')


def test_kinds(_folder):
    header = declared.Header(read(os.path.join(TOP, 'include', 'nprof', 'plugin.h')).decode())
    at = header.constants.index('NPROF_SPAN')
    kinds = [c[len('NPROF_') :].lower() for c in header.constants[at : at + 6]]
    tracks = [
        c[len('NPROF_TRACK_') :].lower() for c in header.constants if c.startswith('NPROF_TRACK_')
    ]
    lost = missing(plain(source('nprof-model.7')), kinds + tracks)
    check(not lost, f'kinds that nprof-model(7) lacks: {" ".join(lost)}')


def test_headers(_folder):
    """nprof-plugin(3) names each header that is installed, and HACKING says where they are
    listed."""
    page = source('nprof-plugin.3')
    named = {
        name
        for line in re.findall(r'^\.It Pa (.*)$', page, flags=re.M)
        for name in line.split(' , ')
    }
    found = [
        os.path.basename(path)
        for folder in ('include/nprof', 'include/nprof/draft', 'sdk/nprof', 'testhost')
        for path in glob.glob(os.path.join(TOP, folder, '*.h*'))
    ]
    check(len(found) > 20, f'headers that were seen: {found}')
    check_same(
        sorted(set(found) - named - {'test-run.h'}), [], 'headers that nprof-plugin(3) lacks'
    )
    check(
        'HEADERS of nprof-plugin(3)' in read(os.path.join(TOP, 'HACKING.md')).decode(),
        'HACKING.md names no headers',
    )


def test_readers(_folder):
    """Each function that nprof-readers(3) names is in a header of its synopsis, and each of these
    has some."""
    page = source('nprof-readers.3')
    named = set(
        re.findall(r'\bnprof_\w+', '\n'.join(re.findall(r'^\.(?:It )?Fn (.*)$', page, flags=re.M)))
    )
    for header in re.findall(r'^\.In nprof/(.*)$', page.split('.Sh DESCRIPTION')[0], flags=re.M):
        there = named & set(
            re.findall(
                r'^(nprof_\w+) \(',
                read(os.path.join(TOP, 'sdk', 'nprof', header)).decode(),
                flags=re.M,
            )
        )
        check(there, f'nprof-readers(3) names no function of {header}')
        named -= there
    check_same(sorted(named), [], 'functions that no header has')


def test_lint(page):
    mandoc = shutil.which('mandoc')
    if not mandoc:
        raise Skip('mandoc is not here')
    result = subprocess.run(
        [mandoc, '-T', 'lint', '-W', 'warning', os.path.join(MAN, page)],
        capture_output=True,
        text=True,
        check=False,
    )
    check(result.returncode == 0, result.stdout + result.stderr)


def test_quotes(_folder):
    """Text that a page quotes from an example stands there, to the letter."""
    n = 0
    for page in sorted(os.listdir(MAN)):
        if not page.endswith('.3'):
            continue
        for file, quoted in re.findall(
            r'^\.\\" quoted from (\S+)\n\.Bd [^\n]*\n(.*?)\n\.Ed$', source(page), flags=re.M | re.S
        ):
            n += 1
            text = re.sub(r'^\\&', '', quoted, flags=re.M).replace('\\e', '\\')
            check(
                text + '\n' in read(os.path.join(TOP, file)).decode(),
                f'{page} quotes what {file} does not hold:\n{text}',
            )
    check(n >= 6, f'quotes that were seen: {n}')


def test_reader_can_fail(_folder):
    text = plain('.It Fl d , Fl Fl decoder Ar SPEC\n.It Cm top Ns = Ns Ar N\n.BR time = us\n')
    lost = missing(text, ['-d', '--decoder', 'top', 'time', '--deco', '-o', 'to', '--top'])
    check(lost == ['--deco', '-o', 'to', '--top'], f'missing: {lost}')


add_test('reader-can-fail', test_reader_can_fail)
add_test('commands', test_commands)
if os.path.exists(NPROF):
    for each in commands():
        add_test(f'command-{each}', lambda _folder, c=each: test_command(c))
add_test('environment', test_environment)
add_test('exit-status', test_exit_status)
if os.path.exists(NPROF):
    for each in components():
        add_test(f'{each["kind"]}-{each["name"]}', lambda _folder, c=each: test_component(c))
add_test('report', test_report)
add_test('keys', test_keys)
add_test('contract', test_contract)
add_test('kinds', test_kinds)
add_test('headers', test_headers)
add_test('readers', test_readers)
add_test('quotes', test_quotes)
for each in sorted(os.listdir(MAN)):
    if re.fullmatch(r'nprof.*\.\d', each):
        add_test(f'lint-{each}', lambda _folder, p=each: test_lint(p))

if __name__ == '__main__':
    main()
