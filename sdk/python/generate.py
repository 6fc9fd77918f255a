# SPDX-License-Identifier: Apache-2.0
"""generate.py - writes nprof_raw.py, the contract for Python's ctypes, from the same description as
the crate of Rust: plugin.h, with sizes and constants of tests/abi/layout.txt.

    python3 sdk/python/generate.py > sdk/python/nprof_raw.py"""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'rust'))
from generate import closing, contract, declared, keys, split  # noqa: E402

BASES = {
    'char': 'c_char',
    'int': 'c_int',
    'size_t': 'c_size_t',
    'double': 'c_double',
    'uint8_t': 'c_uint8',
    'int32_t': 'c_int32',
    'uint32_t': 'c_uint32',
    'int64_t': 'c_int64',
    'uint64_t': 'c_uint64',
}


def base_of(tokens):
    """(type, what is left) of `const struct nprof_x * name`."""
    tokens = tokens[tokens[0] == 'const' :]
    tokens = tokens[tokens[0] in ('struct', 'union') :]
    return BASES.get(tokens[0], tokens[0]), tokens[1:]


def declarator(base, tokens, returned=False):
    """(name, type) of `* const * name`; returned text is an address, for it may hold NULs."""
    tokens = [t for t in tokens if t != 'const']
    stars = 0
    while tokens and tokens[0] == '*':
        stars, tokens = stars + 1, tokens[1:]
    if base == 'void':
        base, stars = ('c_void_p', stars - 1) if stars else ('None', 0)
    elif base == 'c_char' and stars:
        base, stars = 'c_void_p' if returned else 'c_char_p', stars - 1
    return (tokens[0] if tokens else ''), 'POINTER(' * stars + base + ')' * stars


def function(base, tokens):
    """(name, type) of `* ( * name ) ( arguments )`."""
    at = tokens.index('(')
    end = closing(tokens, at)
    arguments = split(tokens[end + 2 : closing(tokens, end + 1)], ',')
    types = [declarator(base, tokens[:at], returned=True)[1]]
    for part in arguments:
        if part != ['void']:
            inner, left = base_of(part)
            types.append((function if '(' in left else declarator)(inner, left)[1])
    return tokens[at + 2], f'CFUNCTYPE({", ".join(types)})'


def members(tokens, owner, nested):
    for one in declared.split_declarations(tokens):
        if '{' in one:
            inner, left = declared.body(one)
            nested.append((one[0], f'{owner}_{left[0]}', inner))
            yield left[0], nested[-1][1]
            continue
        base, left = base_of(one)
        if '(' in left:
            yield function(base, left)
        else:
            yield from (declarator(base, part) for part in split(left, ','))


def shape(kind, name, tokens, classes, fields):
    nested = []
    found = list(members(tokens, name, nested))
    for one in nested:
        shape(*one, classes, fields)
    classes.append(f'class {name}({"Union" if kind == "union" else "Structure"}):\n    pass\n\n')
    fields.append(f'{name}._fields_ = [')
    fields.extend(f"    ('{member}', {shown})," for member, shown in found)
    fields.append(']')


def main():
    header, layout, sizes = contract()
    names, classes, fields, checks, done = [], [], [], [], set()
    for tokens in declared.split_declarations(declared.code(header)):
        typedef = tokens[0] == 'typedef'
        tokens = tokens[typedef:]
        if tokens[0] in ('struct', 'union') and '{' in tokens:
            inner, left = declared.body(tokens)
            name = left[0] if typedef else tokens[1]
            shape(tokens[0], name, inner, classes, fields)
            checks.append(f'assert sizeof({name}) == {sizes[name]}')
            done.add(name)
        elif typedef and tokens[0] in BASES and len(tokens) == 2:
            names.append(f'{tokens[1]} = {BASES[tokens[0]]}')
    known = done | {line.split()[0] for line in names} | {one.split('(')[0][6:] for one in classes}
    hidden = set(re.findall(r'nprof_\w+(?=\))', '\n'.join(fields))) - known
    classes = [f'class {name}(Structure):\n    pass\n\n' for name in sorted(hidden)] + classes
    constants = re.findall(r'^NPROF_(\w+) (-?\d+)$', layout, flags=re.M)
    lines = [
        '# SPDX-License-Identifier: Apache-2.0',
        '"""nprof_raw.py - nprof/plugin.h and keys.h for ctypes, made by generate.py: what each',
        'member means stands there.  Constants lack NPROF_."""',
        '',
        '# fmt: off',
        'from ctypes import *  # noqa: F403',
        '',
        *names,
        '',
        '',
        *'\n'.join(classes).split('\n'),
        *fields,
        '',
        *(f'{name} = {value}' for name, value in constants),
        'NO_EPOCH = -(1 << 63)',
        *(f"{name[len('NPROF_'):]} = '{text}'" for name, text in keys()),
        '',
        *checks,
    ]
    print(re.sub(r'\n{4,}', '\n\n\n', '\n'.join(lines)))


if __name__ == '__main__':
    main()
