#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rooms.py - which folder includes which, from the sources alone.

Prints the graph; as a test (--check) it fails when folders include each other in a circle, or when
anything includes a command but itself. Includes are resolved as the compiler does: beside the file
first, then below the roots that meson.build names."""
import os
import re
import sys

ROOTS = (
    'core',
    'sdk',
    'include',
    'testhost',
    'plugins/common',
    'plugins/analyzers',
    'plugins/commands',
)
COMMANDS = 'plugins/commands/'
TREES = ('core', 'plugins', 'sdk/nprof', 'include', 'testhost')
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def sources(top):
    for tree in TREES:
        for folder, _, names in os.walk(os.path.join(top, tree)):
            for name in names:
                if name.endswith(('.c', '.h')):
                    yield os.path.relpath(os.path.join(folder, name), top)


def target(top, source, name):
    """The file of the tree that an include means, or None for one of the system."""
    for root in (os.path.dirname(source),) + ROOTS:
        path = os.path.normpath(os.path.join(root, name))
        if os.path.isfile(os.path.join(top, path)):
            return path
    return None


def edges(top):
    """{(folder, included folder): [(file, included file), ...]}"""
    found = {}
    for source in sorted(sources(top)):
        with open(os.path.join(top, source), encoding='utf-8') as file:
            text = file.read()
        for name in INCLUDE.findall(text):
            path = target(top, source, name)
            pair = (os.path.dirname(source), os.path.dirname(path)) if path else None
            if pair and pair[0] != pair[1]:
                found.setdefault(pair, []).append((source, path))
    return found


def circles(pairs):
    """The groups of folders that reach each other (Tarjan's strongly connected components)."""
    after = {}
    for a, b in pairs:
        after.setdefault(a, []).append(b)
        after.setdefault(b, [])
    index, low, stack, groups = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in after[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            groups.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(after):
        if node not in index:
            visit(node)
    return [group for group in groups if len(group) > 1]


def main():
    top = os.environ.get('NPROF_SOURCE', '.')
    graph = edges(top)
    bad = circles(graph)
    if '--check' not in sys.argv:
        for (a, b), files in sorted(graph.items()):
            print(f'{a} -> {b}: {len(files)}')
    print('1..2')
    for group in bad:
        print('# folders in a circle: ' + ', '.join(group))
        for (a, b), files in sorted(graph.items()):
            if a in group and b in group:
                for source, path in files:
                    print(f'#   {source} includes {path}')
    print(('not ' if bad else '') + 'ok 1 - no folders include each other in a circle')
    into = [files for (_, b), files in sorted(graph.items()) if b.startswith(COMMANDS)]
    for source, path in (pair for files in into for pair in files):
        print(f'# {source} includes {path}')
    print(('not ' if into else '') + 'ok 2 - nothing includes a command but itself')
    return 1 if bad or into else 0


if __name__ == '__main__':
    sys.exit(main())
