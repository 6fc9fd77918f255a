# SPDX-License-Identifier: Apache-2.0
"""abi.py - tests of the public headers as a plugin's author meets them: each compiles alone in C
and C++, claims no name outside nprof_/NPROF_, and has the layout of layout.txt.

Before the first release the layout may change: `abi.py --write-layout` writes it anew, and
`abi.py --refreeze` does that and freezes the headers again (tests/abi/freeze).
Environment: NPROF_SOURCE the top folder (default: found from here).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import declared  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get('NPROF_SOURCE', os.path.dirname(os.path.dirname(HERE)))
INCLUDE = [f'-I{TOP}/include', f'-I{TOP}/sdk']
LAYOUT = os.path.join(HERE, 'layout.txt')
HEADERS = ['nprof/plugin.h', 'nprof/keys.h', 'nprof/sdk.h', 'nprof/nprof.h']
# They have no layout to freeze, but compile alone as well.
HELPERS = [
    'nprof/' + name
    for name in (
        'csv.h',
        'cursor.h',
        'decimal.h',
        'format.h',
        'json.h',
        'json-lines.h',
        'json-pull.h',
        'percentile.h',
        'protobuf.h',
        'reader.h',
        'row.h',
        'string-cache.h',
        'sweep.h',
        'table-analyzer.h',
        'text-sink.h',
        'top.h',
        'units.h',
        'unmapped.h',
    )
]
STRICT = ['-pedantic', '-Wall', '-Wextra', '-Werror', '-fsyntax-only']
LANGUAGES = {'C11': ['-x', 'c', '-std=c11'], 'C++17': ['-x', 'c++', '-std=c++17']}
# A compiler driver compiles both languages with -x, so one of each family is enough.
COMPILERS = [c for c in ('gcc', 'clang') if shutil.which(c)] or ['cc']


def path_of(header):
    folder = 'sdk' if header.endswith('sdk.h') else 'include'
    return os.path.join(TOP, folder, header)


def text_of(header):
    with open(path_of(header), encoding='utf-8') as file:
        return file.read()


def compile_text(compiler, flags, text, include=None):
    return subprocess.run(
        [compiler, *flags, *(include or INCLUDE), '-'],
        input=text,
        text=True,
        capture_output=True,
        check=False,
    )


def compiles(compiler, language, header):
    """None, or what the compiler said.  Included twice: the guard is part of the promise."""
    text = f'#include <{header}>\n#include <{header}>\nint main (void) {{ return 0; }}\n'
    if language == 'C++17':
        text = text.replace('(void)', '()')
    result = compile_text(compiler, LANGUAGES[language] + STRICT, text)
    return None if result.returncode == 0 else result.stderr


def foreign_names(header):
    names = declared.Header(text_of(header)).names
    # nprof.h declares the structs of Arrow's C interface, under the names that Arrow gives them
    own = r'nprof_|NPROF_|Arrow|ARROW_' if header == 'nprof/nprof.h' else r'nprof_|NPROF_'
    return [n for n in names if not re.match(own, n)]


def layout_program(text):
    header = declared.Header(text)
    lines = ['#include <nprof/plugin.h>', '#include <stdio.h>', 'int main (void) {']
    for name, members in header.structs.items():
        lines.append(f'printf ("{name} %zu\\n", sizeof ({name}));')
        for member in members:
            lines.append(
                f'printf ("  {member} %zu %zu\\n", offsetof ({name}, {member}),'
                f' sizeof ((({name} *) 0)->{member}));'
            )
    for constant in header.constants + ['NPROF_CONTRACT']:
        lines.append(f'printf ("{constant} %d\\n", (int) {constant});')
    return '\n'.join(lines + ['return 0; }']) + '\n'


def layout(frozen=None):
    """Sizes of structs; offsets and sizes of members; values of constants: of today's plugin.h, or
    of the one in the folder of a release."""
    if frozen:
        with open(os.path.join(frozen, 'nprof', 'plugin.h'), encoding='utf-8') as file:
            header = file.read()
    else:
        header = text_of('nprof/plugin.h')
    with tempfile.TemporaryDirectory(prefix='nprof-abi-') as folder:
        program = os.path.join(folder, 'layout')
        result = compile_text(
            COMPILERS[0],
            ['-x', 'c', '-std=c11', '-o', program],
            layout_program(header),
            [f'-I{frozen}'] if frozen else None,
        )
        if result.returncode != 0:
            raise AssertionError(result.stderr)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


# -- Tests: each returns None, or what is wrong ---------------------------------


def test_layout():
    with open(LAYOUT, encoding='utf-8') as file:
        expected = file.read()
    found = layout()
    if found == expected:
        return None
    old, new = expected.splitlines(), found.splitlines()
    lines = [f'was {a}' for a in old if a not in new] + [f'now {b}' for b in new if b not in old]
    return 'the layout differs from tests/abi/layout.txt:\n' + '\n'.join(lines[:40] or ['order'])


def test_layout_is_whole():
    """The reader of headers has missed nothing that this test knows to be there."""
    header = declared.Header(text_of('nprof/plugin.h'))
    for name, member in (
        ('struct nprof_batch', 'bytes'),
        ('struct nprof_host', 'extension'),
        ('struct nprof_component', 'merge'),
        ('nprof_value', 'bytes'),
        ('struct nprof_cell', 'v'),
        ('struct nprof_writer', 'grow'),
    ):
        if member not in header.structs.get(name, []):
            return f'{name}.{member} was not found'
    opened = len(re.findall(r'^struct nprof_\w+ \{', text_of('nprof/plugin.h'), flags=re.M))
    if len(header.structs) != opened + 1:
        return f'{opened} structs and one union are in plugin.h, {len(header.structs)} were found'
    return None


def test_names_are_seen():
    """A foreign name of each sort is found, so that their absence means something."""
    text = (
        '#define MACRO 1\nenum { CONSTANT, OTHER = 2 };\nstruct tag { int nprof_x; };\n'
        'typedef int alias;\ntypedef struct { int a; } shape;\n'
        'static inline int function (int a) { return a; }\nextern int variable, *pointer;\n'
        'int (*callback) (void);\n'
    )
    found = set(declared.Header(text).names)
    wanted = {
        'MACRO',
        'CONSTANT',
        'OTHER',
        'tag',
        'alias',
        'shape',
        'function',
        'variable',
        'pointer',
        'callback',
    }
    return None if found == wanted else f'found {sorted(found)}, expected {sorted(wanted)}'


def tests():
    for compiler in COMPILERS:
        for language in LANGUAGES:
            for header in HEADERS + HELPERS:
                name = f'{header} alone as {language} with {compiler}'
                yield name, lambda c=compiler, l=language, h=header: compiles(c, l, h)
    for header in HEADERS:
        yield (
            f'names of {header}',
            lambda h=header: (lambda bad: f'outside nprof_ and NPROF_: {bad}' if bad else None)(
                foreign_names(h)
            ),
        )
    yield 'names are seen', test_names_are_seen
    yield 'layout is whole', test_layout_is_whole
    yield 'layout', test_layout


def main():
    if sys.argv[1:] in (['--write-layout'], ['--refreeze']):
        with open(LAYOUT, 'w', encoding='utf-8') as file:
            file.write(layout())
        refreeze = sys.argv[1] == '--refreeze'
        return subprocess.call([os.path.join(HERE, 'freeze')]) if refreeze else 0
    todo = list(tests())
    print(f'1..{len(todo)}')
    failed = 0
    for number, (name, function) in enumerate(todo, 1):
        if name == 'layout' and sys.maxsize < 2**32:
            print(f'ok {number} {name} # SKIP layout.txt is of machines with 64-bit pointers')
            continue
        problem = function()
        print(f'{"not ok" if problem else "ok"} {number} {name}')
        if problem:
            failed += 1
            print('\n'.join('# ' + line for line in problem.splitlines()))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
