# SPDX-License-Identifier: Apache-2.0
"""messages.py - collectives of XLA: when one is under way, and what its instruction sends, by the
shapes in its text, among how many."""

import re
from math import prod

BITS = {
    'f64': 64,
    's64': 64,
    'u64': 64,
    'f32': 32,
    's32': 32,
    'u32': 32,
    'bf16': 16,
    'f16': 16,
    's16': 16,
    'u16': 16,
    's8': 8,
    'u8': 8,
    'pred': 8,
    'f8e4m3fn': 8,
    'f8e5m2': 8,
}
TEXT = re.compile(
    r' = (?P<result>.*?) (?P<what>all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)'
    r'(?P<starts>-start)?\((?P<operands>.*?)\), (?P<rest>.*)',
    re.DOTALL,
)
KINDS = {
    'all-reduce': (2, 'larger'),
    'all-gather': (1, 'out'),
    'reduce-scatter': (1, 'in'),
    'all-to-all': (1, 'larger'),
    'collective-permute': (None, 'larger'),
}  # times (n - 1) / n; None: 1


def size(text):
    """Bytes of all shapes in the text; None: an unknown type."""
    shapes = re.findall(r'(\w+)\[([\d,]*)\]', text)
    if not shapes or any(kind not in BITS for kind, _ in shapes):
        return None
    return (
        sum(BITS[kind] * prod(int(n) for n in dims.split(',') if n) for kind, dims in shapes) // 8
    )


def ranks(rest):
    """Members of a group: replica_groups=[GROUPS,MEMBERS]<=... or {{0,1},{2,3}}."""
    match = re.search(r'replica_groups=\[\d+,(\d+)\]', rest)
    if match:
        return int(match.group(1))
    match = re.search(r'replica_groups=\{\{([\d,]+)\}', rest)
    return len(match.group(1).split(',')) if match else None


def message(row):
    """(kind, bytes, ranks, factor of the bus), or None: not told."""
    match = TEXT.search(row.args.get('hlo_text') or '')
    if not match:
        return None
    n, (factor, which) = ranks(match['rest']), KINDS[match['what']]
    goes_in, comes_out = size(match['operands']), None if match['starts'] else size(match['result'])
    if which == 'in' or (which == 'larger' and comes_out is None):
        moved = goes_in
    elif which == 'out':
        moved = comes_out if comes_out is not None else goes_in * n if goes_in and n else None
    else:
        moved = max(goes_in or 0, comes_out)
    if moved is None:
        return None
    return (
        match['what'],
        moved,
        n,
        1 if factor is None else factor * (n - 1) / n if n and n > 1 else None,
    )


def stem(name, word):
    """all-reduce.3 of all-reduce-start.3."""
    return re.sub(f'-{word}(?=\\.|$)', '', name)


def calls(device):
    """(row that says what, first, end) of each collective: spans that last from start to done where
    there are any, else an instruction by itself, or from its start to its done."""
    found = [(row, *row.interval) for row in device.beside if row.kind == 'communication']
    begun = {}
    for row in sorted(
        (row for row in device.work if row.kind == 'communication'),
        key=lambda r: (r.first, r.index),
    ):
        plain, done = stem(row.name, 'start'), stem(row.name, 'done')
        if done != row.name:
            start = begun.pop(done, None)
            if start and not any(row.kind == 'communication' for row in device.beside):
                found.append((start, start.first, row.end))
        elif plain != row.name:
            begun[plain] = row
        else:
            found.append((row, *row.interval))
    return found
