# SPDX-License-Identifier: Apache-2.0
"""exact.py - exact times and sets of intervals.

Times are whole picoseconds, read from decimal text and never through a double.  An interval is a
pair (first, end); sets of them are lists in any order, which may overlap and hold empty ones.
Everything here is the plainest way that is correct, not the quickest."""

from bisect import bisect_left
from decimal import ROUND_HALF_EVEN, Decimal


def scaled(number, zeros):
    """A JSON number, given as int or as its text, times 10 ** zeros, as a whole number."""
    if isinstance(number, int):
        return number * 10**zeros
    text = number.strip()
    whole, point, digits = text.partition('.')
    if len(digits) <= zeros and digits.isdigit() and whole.isdigit():
        return int(whole + digits) * 10 ** (zeros - len(digits))
    value = Decimal(text).scaleb(zeros)
    return int(value.to_integral_value(ROUND_HALF_EVEN))


def joined(intervals):
    """The same set as disjoint intervals in order."""
    result = []
    for first, end in sorted(i for i in intervals if i[1] > i[0]):
        if result and first <= result[-1][1]:
            result[-1][1] = max(end, result[-1][1])
        else:
            result.append([first, end])
    return result


def measure(intervals):
    """How long the union of the intervals is."""
    return sum(end - first for first, end in joined(intervals))


def clipped(intervals, first, end):
    return [(max(a, first), min(b, end)) for a, b in intervals if min(b, end) > max(a, first)]


def holes(intervals, first, end):
    """Returns the parts of [first, end) that none of the intervals covers, in order."""
    result = []
    at = first
    for a, b in joined(clipped(intervals, first, end)):
        if a > at:
            result.append((at, a))
        at = b
    if at < end:
        result.append((at, end))
    return result


def painted(spans):
    """Returns which span is innermost at each moment: of those under way the one that began last,
    of equal beginnings the shorter, of equal spans the later in the file.

    spans: (first, end, what) in the order of the file. Each is painted over all moments it covers,
    the outer ones before the inner ones. Returns the moments where something begins or ends, and
    what is innermost from each to the next (None: nothing)."""
    order = sorted(range(len(spans)), key=lambda i: (spans[i][0], -spans[i][1], i))
    edges = sorted({edge for span in spans for edge in span[:2]})
    colour = [None] * len(edges)
    for i in order:
        first, end, what = spans[i]
        left, right = bisect_left(edges, first), bisect_left(edges, end)
        colour[left:right] = [what] * (right - left)
    return edges, colour


def nested(spans):
    """The index of the span that each lies in directly, or None.

    spans: (first, end) of one track in the order of the file. A span lies in another that begins no
    later and ends no earlier; of equal spans the first holds the others; of all that hold a span,
    its parent is the one that is held by the others."""
    order = sorted(range(len(spans)), key=lambda i: (spans[i][0], -spans[i][1], i))
    parent = [None] * len(spans)
    for place, i in enumerate(order):
        holder = order[place - 1] if place else None
        while holder is not None and spans[holder][1] < spans[i][1]:
            holder = parent[holder]
        parent[i] = holder
    return parent


def self_times(spans):
    """Each span's duration less the time in which those directly in it run, each moment once."""
    within = [[] for _ in spans]
    for i, holder in enumerate(nested(spans)):
        if holder is not None:
            within[holder].append(spans[i])
    return [end - first - measure(inner) for (first, end), inner in zip(spans, within)]
