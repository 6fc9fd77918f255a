# SPDX-License-Identifier: Apache-2.0
"""ranges.py - what is said of a part of a trace against its rows: MFU by shapes of --from and --to,
with --clip and without it."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
# pylint: disable=wrong-import-position
from harness import Skip, add_test, check, main, rows_of, run

import documents
import rates
from exact import measure

DATA = os.environ.get('NPROF_TEST_DATA', '')


def mfu(path, *more):
    analyzers = [word for a in ('operators', 'steps', 'mfu') for word in ('-a', a)]
    return rows_of(
        run('run', '-q', *analyzers, '-s', 'csv:table=mfu', '-o', '-', *more, path).expect(0).out
    )


def mfu_of_rows(use, device, first, last, clip):
    """(MFU from first to last row shown, MFU while busy) of the rows that touch the range, or None:
    no call with flops does."""

    def shown(row):
        begin, end = (max(row.first, first), min(row.end, last)) if clip else row.interval
        return (begin, end) if row.end >= first and row.first <= last else (0, 0)

    def length(rows, part):
        return sum(end - begin for begin, end in map(part, rows))

    spans = [shown(row) for row in device.work if shown(row) != (0, 0)]
    least = sum(
        call.flops
        * length(call.work, shown)
        // length(call.work, lambda row: row.interval)
        / use.facts['peaks'][use.precision(call)]
        for call in use.calls
    )
    span = max(end for _, end in spans) - min(begin for begin, _ in spans)
    return (least * 1e12 / span, least * 1e12 / measure(spans)) if least else None


def mfu_of_ranges(name, *ranges):
    """Windows in ms of a real trace, against an independent reading of its bytes."""
    path = os.path.join(DATA, 'json', name)
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder with real traces')
    profile, data = documents.read(path), documents.load(path)
    device = max(profile.devices.values(), key=lambda one: len(one.work))
    use = rates.Use(profile, device, rates.device_facts(rates.name_of(data, device)))
    start = min(row.first for rows in profile.threads.values() for row in rows)
    origin = start // 10**12 * 10**12
    for first, last in ranges:
        for clip in (False, True):
            bounds = [f'--from={first}us', f'--to={last}us', *(['--clip'] if clip else [])]
            rows = mfu(path, *bounds)
            expected = mfu_of_rows(
                use, device, origin + first * 10**6, origin + last * 10**6, clip
            )
            check(
                clip or not any(row['operator'] == '(steps)' for row in rows),
                f'{name} {bounds}: a step that counts is there in part',
            )
            for operator, value in zip(('(total)', '(busy)'), expected):
                found = next(row['mfu'] for row in rows if row['operator'] == operator)
                check(
                    abs(float(found) / value - 1) < 1e-9,
                    f'{name} {bounds}: {operator} {found}, expected {value}',
                )


for one, windows in {
    'tbplugin_resnet50_2021.pt.trace.json.gz': ((750000, 770000), (700000, 1000000)),
    'tracelens_tests_traces_h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz': (
        (740000, 760000),
        (770000, 780000),
    ),
    'tracelens_tests_traces_h100_gaunernst_bert-small-uncased__1016001.json.gz': (
        (333000, 336000),
        (335100, 335300),
    ),
}.items():
    add_test('mfu/' + one, lambda _folder, name=one, ranges=windows: mfu_of_ranges(name, *ranges))


main()
