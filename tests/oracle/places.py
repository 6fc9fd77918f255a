# SPDX-License-Identifier: Apache-2.0
"""places.py - what each kernel took at each place of a step: (kernel, operator, ordinal) is the
k-th row of a kernel under an operator within its step, in the order of launches."""

from collections import Counter, defaultdict

import kineto
from exact import nested
from steps import owner


def operators(profile):
    """The operator around each call: the innermost span of the framework that holds it on its
    thread."""
    found = {}
    for rows in profile.threads.values():
        rows = [
            row
            for row in rows
            if not profile.is_step(row.name) and row.category in kineto.OPERATORS | kineto.CALLS
        ]
        holders = nested([row.interval for row in rows])
        for row, at in zip(rows, holders):
            while at is not None and rows[at].category not in kineto.OPERATORS:
                at = holders[at]
            found[row.index] = rows[at].name if at is not None else ''
    return found


def by_step(profile, device):
    """(number of steps, {step: rows}): rows by launch; of a file without steps all that were
    launched are one step; of a file without launches all rows are."""
    linked = any(row.launch for row in device.work)
    steps, rows = profile.steps, defaultdict(list)
    if linked and steps:
        process = next(
            row.launch.process
            for row in sorted(device.work, key=lambda r: (r.first, r.index))
            if row.launch
        )
        steps = [step for step in steps if step.process == process]
    for row in device.work:
        if linked and not row.launch:
            continue
        number = owner(steps, row) if linked and steps else 0
        if number is not None:
            rows[number].append(row)
    return (len(steps) if linked and steps else 1), rows


def order(row):
    return (row.launch.first if row.launch else row.first), row.first, row.index


def places(profile, device):
    """(number of steps, {(kernel, operator, ordinal): {step: ps}}, {kernel: class})"""
    number, rows = by_step(profile, device)
    operator = operators(profile)
    result, kinds = defaultdict(dict), {}
    for step, own in rows.items():
        ordinals = Counter()
        for row in sorted(own, key=order):
            name = operator.get(row.launch.index, '') if row.launch else ''
            place = row.name, name, ordinals[row.name, name]
            ordinals[row.name, name] += 1
            result[place][step] = row.duration
            kinds[row.name] = row.kind
    return number, result, kinds
