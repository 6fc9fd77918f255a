# SPDX-License-Identifier: Apache-2.0
"""shapes.py - flops and bytes of PyTorch's matrix products by the shapes of their arguments, as
torch.utils.flop_counter counts them: multiply and add are two, each tensor is read once, the result
written once."""

import json
from math import prod

from exact import nested
from kineto import CALLS, OPERATORS

SIZES = {
    'c10::BFloat16': 2,
    'c10::Half': 2,
    'float': 4,
    'double': 8,
    'c10::Float8_e4m3fn': 1,
    'c10::Float8_e5m2': 1,
}
PRECISIONS = {
    'c10::BFloat16': 'bf16',
    'c10::Half': 'fp16',
    'float': 'fp32',
    'double': 'fp64',
    'c10::Float8_e4m3fn': 'fp8',
    'c10::Float8_e5m2': 'fp8',
}


class Little(Exception):
    """The arguments say too little."""


class Call:
    """What is known of one call: its flops, bytes, and the precision of its first matrix."""

    def __init__(self, row, flops, size, kind):
        self.row, self.flops, self.bytes, self.kind, self.work = row, flops, size, kind, []


class Arguments:
    def __init__(self, row):
        self.dims = row.args.get('Input Dims') or row.args.get('Input dims') or []
        self.types = row.args.get('Input type') or []
        self.values = row.args.get('Concrete Inputs') or []

    def shape(self, i, least=1):
        shape = self.dims[i] if i < len(self.dims) else None
        if (
            not isinstance(shape, list)
            or len(shape) < least
            or not all(isinstance(n, int) for n in shape)
        ):
            raise Little
        return shape

    def has(self, i):
        return i < len(self.dims) and isinstance(self.dims[i], list) and len(self.dims[i]) > 0

    def value(self, i):
        if i >= len(self.values) or self.values[i] in ('', None):
            raise Little
        text = self.values[i]
        return (
            json.loads(text.replace('True', 'true').replace('False', 'false'))
            if isinstance(text, str)
            else text
        )

    def kind(self, i):
        return PRECISIONS.get(self.types[i]) if i < len(self.types) else None

    def size(self, i):
        if i >= len(self.types) or self.types[i] not in SIZES:
            raise Little
        return SIZES[self.types[i]]

    def list(self, i, n):
        found = self.value(i)
        if not isinstance(found, list) or not found:
            raise Little
        return found * n if len(found) == 1 else found


def product(args, a, b, own):
    """Batches of (m, k) x (k, n), with a matrix that is added where own says which."""
    one, other = args.shape(a, 2), args.shape(b, 2)
    if one[-1] != other[-2] or one[:-2] != other[:-2]:
        raise Little
    out = prod(one[:-1]) * other[-1]
    added = prod(args.shape(own)) if own is not None else 0
    return 2 * out * one[-1], (prod(one) + prod(other) + out + added) * args.size(a), args.kind(a)


def forward(args, places):
    """(stride, padding, dilation, transposed) stand at the places."""
    image, weight = args.shape(0, 3), args.shape(1, 3)
    n = len(image) - 2
    stride, padding, dilation = (args.list(i, n) for i in places[:3])
    if places[3] is not None and args.value(places[3]):
        raise Little  # none of the traces at hand has one
    out = [
        (i + 2 * p - d * (k - 1) - 1) // s + 1
        for i, p, d, k, s in zip(image[2:], padding, dilation, weight[2:], stride)
    ]
    result = image[0] * weight[0] * prod(out)
    bias = prod(args.shape(2)) if args.has(2) else 0
    return (
        2 * image[0] * prod(out) * prod(weight),
        (prod(image) + prod(weight) + bias + result) * args.size(0),
        args.kind(0),
    )


def backward(args):
    grad, image, weight = (args.shape(i, 3) for i in (0, 1, 2))
    if args.value(7):
        raise Little
    mask = args.value(10)
    flops = 2 * image[0] * prod(grad[2:]) * prod(weight) * (mask[0] + mask[1])
    moved = (
        prod(grad)
        + prod(image)
        + prod(weight)
        + mask[0] * prod(image)
        + mask[1] * prod(weight)
        + mask[2] * weight[0]
    )
    return flops, moved * args.size(0), args.kind(0)


def backward_of_cudnn(args, children):
    """PyTorch of 2021: which gradients are asked for, the operators within say."""
    image, grad, weight = (args.shape(i, 3) for i in (0, 1, 2))
    to_image, to_weight = (
        f'aten::cudnn_convolution_backward_{what}' in children for what in ('input', 'weight')
    )
    flops = 2 * image[0] * prod(grad[2:]) * prod(weight) * (to_image + to_weight)
    moved = (
        prod(grad) + prod(image) + prod(weight) + to_image * prod(image) + to_weight * prod(weight)
    )
    return flops, moved * args.size(0), args.kind(0)


def attention(args, first=0, heads=1):
    """Queries, keys and values from argument `first` on; heads: the dimension that counts them."""
    query, key, value = (args.shape(first + i, 4) for i in range(3))
    if len(query) != 4:
        raise Little
    rows = 3 - heads  # the other of dimensions 1 and 2
    batch, h, out = query[0], query[heads], prod(query[:3]) * value[3]
    per_pair = query[3] + value[3] if first == 0 else 3 * query[3] + 2 * value[3]
    moved = prod(query) + prod(key) + prod(value)
    moved = moved + out if first == 0 else 2 * moved + 2 * out
    return (
        2 * batch * h * query[rows] * key[rows] * per_pair,
        moved * args.size(first),
        args.kind(first),
    )


UPPER = {
    'mm': lambda a: product(a, 0, 1, None),
    '_scaled_mm': lambda a: product(a, 0, 1, None),
    'bmm': lambda a: product(a, 0, 1, None),
    'addmm': lambda a: product(a, 1, 2, 0),
    'baddbmm': lambda a: product(a, 1, 2, 0),
    'convolution': lambda a: forward(a, (3, 4, 5, 6)),
    '_convolution': lambda a: forward(a, (3, 4, 5, 6)),
    'cudnn_convolution': lambda a: forward(a, (3, 2, 4, None)),
    'miopen_convolution': lambda a: forward(a, (4, 3, 5, None)),
    'convolution_backward': backward,
    **{
        f'_scaled_dot_product_{kind}_attention': attention
        for kind in ('flash', 'efficient', 'cudnn')
    },
    **{
        f'_scaled_dot_product_{kind}_attention_backward': lambda a: attention(a, 1)
        for kind in ('flash', 'efficient', 'cudnn')
    },
}
COUNTED = {*UPPER, 'cudnn_convolution_backward'}
# Formulas that the oracle does not have: where nothing within these counts, it says nothing of the
# profile.
OTHERS = {
    '_flash_attention_forward',
    '_flash_attention_backward',
    '_efficient_attention_forward',
    '_efficient_attention_backward',
    'linear',
    'matmul',
    'conv1d',
    'conv2d',
    'conv3d',
    'scaled_dot_product_attention',
}


def short(row):
    return row.name[6:] if row.name.startswith('aten::') and row.category in OPERATORS else ''


def flops_of(row, children):
    """(flops, bytes, precision), or None where the arguments say too little."""
    args, name = Arguments(row), short(row)
    try:
        return UPPER[name](args) if name in UPPER else backward_of_cudnn(args, children)
    except Little:
        return None


def calls_of(profile):
    """(calls that count, whether the oracle lacks a formula, {index: call}): the outermost operator
    whose arguments say enough counts, and nothing within it."""
    found, lacks, within = [], False, {}
    for rows in profile.threads.values():
        rows = [row for row in rows if row.category in OPERATORS | CALLS]
        holders = nested([row.interval for row in rows])
        children, counts, known = [set() for _ in rows], [None] * len(rows), [False] * len(rows)
        for row, holder in zip(rows, holders):
            if holder is not None:
                children[holder].add(row.name)
        order = sorted(range(len(rows)), key=lambda i: (rows[i].first, -rows[i].end, i))
        for i in order:
            counts[i] = counts[holders[i]] if holders[i] is not None else None
            known[i] = short(rows[i]) in COUNTED
            told = flops_of(rows[i], children[i]) if counts[i] is None and known[i] else None
            if told:
                counts[i] = Call(rows[i], *told)
                found.append(counts[i])
            within[rows[i].index] = counts[i]
        for i in reversed(order):  # whatever holds one that the oracle knows is told by it
            lacks |= short(rows[i]) in OTHERS and not known[i] and counts[i] is None
            if holders[i] is not None:
                known[holders[i]] |= known[i] or counts[i] is not None
    return found, lacks, within
