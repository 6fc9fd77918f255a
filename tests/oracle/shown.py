# SPDX-License-Identifier: Apache-2.0
"""shown.py - figures as people read them: rounded, with a unit."""

import re

UNITS = {
    'kB': 10**3,
    'MB': 10**6,
    'GB': 10**9,
    'ps': 1,
    'ns': 10**3,
    'us': 10**6,
    'ms': 10**9,
    's': 10**12,
    '%': 0.01,
    'KiB': 2**10,
    'MiB': 2**20,
    'GiB': 2**30,
    'TiB': 2**40,
    'TB': 10**12,
    'B': 1,
    'x': 1,
}
NUMBER = re.compile(r'(<|more than )?([\d,]+(?:\.(\d+))?)')


def equal(shown, unit, exact):
    """Is that what the exact value is when it is rounded?"""
    less, text, decimals = NUMBER.match(shown).groups()
    number, value = float(text.replace(',', '')), exact / UNITS[unit]
    if less:
        return (0 < value < number) if less == '<' else value > number
    return abs(number - value) <= 0.5 * 10 ** -len(decimals or '') * (1 + 1e-6) + 1e-9
