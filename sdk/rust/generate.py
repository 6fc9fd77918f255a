# SPDX-License-Identifier: Apache-2.0
"""generate.py - writes src/raw.rs, the contract for Rust, from plugin.h; sizes and constants are
those of tests/abi/layout.txt. `generate.py` prints it; the test sdk-rust compares that with what is
committed.

    python3 sdk/rust/generate.py > sdk/rust/src/raw.rs"""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests', 'abi'))
sys.dont_write_bytecode = True
import declared  # noqa: E402  pylint: disable=wrong-import-position

BASES = {
    'char': 'c_char',
    'int': 'c_int',
    'size_t': 'usize',
    'double': 'f64',
    'void': 'c_void',
    'uint8_t': 'u8',
    'int32_t': 'i32',
    'uint32_t': 'u32',
    'int64_t': 'i64',
    'uint64_t': 'u64',
}


def split(tokens, mark):
    """The parts between marks at the outermost level."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += {'(': 1, '{': 1, '[': 1, ')': -1, '}': -1, ']': -1}.get(token, 0)
        if token == mark and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def closing(tokens, at):
    depth = 0
    for i in range(at, len(tokens)):
        depth += {'(': 1, ')': -1}.get(tokens[i], 0)
        if not depth:
            return i
    raise ValueError(f'no closing bracket: {tokens}')


def base_of(tokens):
    """(Rust type, is it const, what is left) of `const struct nprof_x * name`."""
    const = tokens[0] == 'const'
    tokens = tokens[const:]
    tokens = tokens[tokens[0] in ('struct', 'union') :]
    return BASES.get(tokens[0], tokens[0]), const, tokens[1:]


def declarator(rust, const, tokens):
    """(name, Rust type) of `* const * name`."""
    while tokens and tokens[0] == '*':
        rust = ('*const ' if const else '*mut ') + rust
        const = len(tokens) > 1 and tokens[1] == 'const'
        tokens = tokens[1 + const :]
    assert len(tokens) <= 1, tokens
    return (tokens[0] if tokens else ''), rust


def function(rust, const, tokens):
    """(name, Rust type) of `* ( * name ) ( arguments )`."""
    at = tokens.index('(')
    result = declarator(rust, const, tokens[:at])[1]
    end = closing(tokens, at)
    arguments = [
        argument(part)
        for part in split(tokens[end + 2 : closing(tokens, end + 1)], ',')
        if part != ['void']
    ]
    given = '' if result == 'c_void' else f' -> {result}'
    return tokens[at + 2], f'Option<unsafe extern "C" fn({", ".join(arguments)}){given}>'


def argument(tokens):
    rust, const, left = base_of(tokens)
    return (function if '(' in left else declarator)(rust, const, left)[1]


def members(tokens, owner, nested):
    """(name, Rust type) of each member; a struct or union without a name goes to `nested` as
    owner_member."""
    for one in declared.split_declarations(tokens):
        if '{' in one:
            inner, left = declared.body(one)
            name = f'{owner}_{left[0]}'
            nested.append((one[0], name, inner))
            yield left[0], name
            continue
        rust, const, left = base_of(one)
        if '(' in left:
            yield function(rust, const, left)
        else:
            yield from (declarator(rust, const, part) for part in split(left, ','))


def shape(kind, name, tokens, out):
    nested = []
    found = list(members(tokens, name, nested))
    for one in nested:
        shape(*one, out)
    out.append(f'#[repr(C)]\n#[derive(Clone, Copy)]\npub {kind} {name} {{')
    out += [f'    pub {"type_" if member == "type" else member}: {rust},' for member, rust in found]
    out.append('}\n')


def none_of(name, tokens):
    """A constant of which nothing is set."""

    def nothing(rust):
        return (
            'None'
            if rust.startswith('Option')
            else 'std::ptr::null()'
            if rust.startswith('*const')
            else '0'
        )

    lines = [
        f'    {"type_" if member == "type" else member}: {nothing(rust)},'
        for member, rust in members(tokens, name, [])
    ]
    return '\n'.join([f'pub const NONE: {name} = {name} {{', *lines, '};', ''])


def contract():
    """plugin.h, its layout as tests/abi holds it, and the size of each of its types."""
    with open(os.path.join(TOP, 'include', 'nprof', 'plugin.h'), encoding='utf-8') as file:
        header = file.read()
    with open(os.path.join(TOP, 'tests', 'abi', 'layout.txt'), encoding='utf-8') as file:
        layout = file.read()
    sizes = dict(re.findall(r'^(?:struct )?(nprof_\w+) (\d+)$', layout, flags=re.M))
    return header, layout, sizes


def keys():
    """The well-known keys of keys.h: (name, text)."""
    with open(os.path.join(TOP, 'include', 'nprof', 'keys.h'), encoding='utf-8') as file:
        return re.findall(r'^#define (NPROF_KEY_\w+) "([^"]*)"', file.read(), flags=re.M)


def main():
    header, layout, sizes = contract()
    out, checks, done = [], [], set()
    for tokens in declared.split_declarations(declared.code(header)):
        typedef = tokens[0] == 'typedef'
        tokens = tokens[typedef:]
        if tokens[0] in ('struct', 'union') and '{' in tokens:
            inner, left = declared.body(tokens)
            name = left[0] if typedef else tokens[1]
            shape(tokens[0], name, inner, out)
            checks.append(f'const _: () = assert!(std::mem::size_of::<{name}>() == {sizes[name]});')
            done.add(name)
            if name == 'nprof_component':
                out.append(none_of(name, inner))
        elif (
            tokens[0] == 'struct'
            and len(tokens) == 2
            and tokens[1] not in sizes
            and tokens[1] not in done
        ):
            out.append(f'#[repr(C)]\npub struct {tokens[1]} {{\n    _private: [u8; 0],\n}}\n')
        elif typedef and tokens[0] in BASES and len(tokens) == 2:
            out.append(f'pub type {tokens[1]} = {BASES[tokens[0]]};\n')
    constants = re.findall(r'^(NPROF_\w+) (-?\d+)$', layout, flags=re.M)
    out += [f'pub const {name}: i32 = {value};' for name, value in constants]
    out += [f'pub const {name}: &str = "{text}";' for name, text in keys()]
    print(
        '\n'.join(
            [
                '// SPDX-License-Identifier: Apache-2.0',
                '// raw.rs - nprof/plugin.h and keys.h for Rust, made by generate.py: what each member',
                '// means stands there.',
                '',
                'use std::os::raw::{c_char, c_int, c_void};',
                '',
                *out,
                'pub const NPROF_NO_EPOCH: i64 = i64::MIN;',
                '',
                *checks,
            ]
        )
    )


if __name__ == '__main__':
    main()
