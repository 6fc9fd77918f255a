# SPDX-License-Identifier: Apache-2.0
"""sizes.py - what a reader must hold: how long files and functions of the sources are (tests left
out), their names, helpers with one caller, and the bytes that gzip makes of them without comments.
A function is what lies between a '{' and a '}' that begin their lines.  --since COMMIT also weighs
that commit, and of today what it had: a plugin or command that is new since is left out, as it is
no simplification to have fewer of them.  Run it in the top folder of the project."""

import argparse
import glob
import re
import statistics
import subprocess
import zlib

TOPS = ('include', 'sdk', 'core', 'plugins', 'testhost', 'share/viewer')
# A comment, or what is none though it holds the signs of one.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`""", re.S
)
NAME = re.compile(r'^([A-Za-z_]\w*) \(', re.M)
PLUGIN = re.compile(r'plugins/(decoders|analyzers|sinks|commands)/([^/]+)/')
# Commands that lay in rooms of the core at first.
MOVED = {
    'view',
    'capture',
    'check',
    'sql',
    'map',
    'reduce',
    'mcp',
    'report',
    'info',
    'diff',
    'gate',
}
MOVED |= {'profiles', 'flame', 'new', 'plugins', 'run'}


def bare(text):
    """The text without comments, indentation and empty lines."""
    text = TOKEN.sub(lambda m: '' if m[0][:2] in ('//', '/*') else m[0], text)
    return '\n'.join(line.strip() for line in text.splitlines() if line.strip())


def weight(texts):
    """The bytes that gzip makes of them, one behind the other by name."""
    packer = zlib.compressobj(9)
    size = 0
    for name in sorted(texts):
        size += len(packer.compress(bare(texts[name]).encode() + b'\n'))
    return size + len(packer.flush())


def is_source(path):
    return path.endswith(('.c', '.h', '.js')) and path.startswith(TOPS)


def of_commit(commit):
    names = subprocess.check_output(('git', 'ls-tree', '-r', '--name-only', commit), text=True)
    wanted = [name for name in names.splitlines() if is_source(name)]
    asked = ''.join(f'{commit}:{name}\n' for name in wanted)
    out = subprocess.run(
        ('git', 'cat-file', '--batch'), input=asked.encode(), stdout=subprocess.PIPE, check=True
    ).stdout
    texts = {}
    for name in wanted:
        head, _, out = out.partition(b'\n')
        size = int(head.split()[2])
        texts[name] = out[:size].decode()
        out = out[size + 1 :]
    return texts


def had(old, new):
    """What of the new sources is of a plugin or command that the old ones had, or of none."""
    there = {m.groups() for name in old if (m := PLUGIN.match(name))}
    there |= {('commands', name) for name in MOVED}
    return {
        name: text
        for name, text in new.items()
        if not (m := PLUGIN.match(name)) or m.groups() in there
    }


def functions(text):
    begun = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('{'):
            begun = number
        elif line.startswith('}') and begun:
            yield number - begun - 1
            begun = None


def helpers(texts):
    """Static functions that are named once beside where they are defined."""
    n = 0
    for text in texts.values():
        for name in set(re.findall(r'^static [^;{}=]*?\b(\w+) \([^;{}]*\)\n\{', text, re.M)):
            n += len(re.findall(rf'\b{name}\b', text)) == 2
    return n


def show(what, values):
    values = sorted(values)
    print(
        f'{what}: {len(values)}, median {statistics.median(values):.0f} lines, '
        f'90 % under {values[len(values) * 9 // 10]}, longest {values[-1]}'
    )


def lines(texts):
    return [text.count('\n') for text in texts.values()]


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument('--since', metavar='COMMIT')
    since = args.parse_args().since
    sources = {
        path: open(path, encoding='utf-8').read()
        for top in TOPS
        for path in glob.glob(top + '/**/*.*', recursive=True)
        if is_source(path)
    }
    c = {path: text for path, text in sources.items() if path.endswith(('.c', '.h'))}
    tests = {
        path: open(path, encoding='utf-8').read()
        for path in glob.glob('tests/**/*', recursive=True)
        if path.endswith(('.c', '.h', '.py', '.cpp'))
    }
    core = {path: text for path, text in c.items() if path.startswith('core/')}
    show('source files of C', lines(c))
    show('functions of C', [n for text in c.values() for n in functions(text)])
    print(f'lines of the core: {sum(lines(core))}')
    print(f'test lines per source line of C: {sum(lines(tests)) / sum(lines(c)):.2f}')
    names = {name for text in c.values() for name in NAME.findall(text)}
    types = {name for text in c.values() for name in re.findall(r'^} (\w+);', text, re.M)}
    print(f'names of C: {len(names)} functions, {len(types)} types')
    per_thousand = 1000 * helpers(c) / sum(lines(c))
    print(f'helpers of C with one caller, a 1,000 lines: {per_thousand:.1f}')
    print(f'gzip of C and JavaScript without comments: {weight(sources):,} bytes')
    if since:
        old = of_commit(since)
        before, after = weight(old), weight(had(old, sources))
        print(f'gzip of {since}: {before:,} bytes')
        print(f'gzip of what it had, today: {after:,} bytes, {100 * after / before - 100:+.1f} %')


main()
