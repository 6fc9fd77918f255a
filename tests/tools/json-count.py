#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""json-count.py - counts what is in trace-event files, in exact decimals and on its own, to check
the decoder chrome.  It shares no code and no idea with the decoder: a whole tree in memory.

usage: json-count.py FILE...            one line of tab-separated values a file
       json-count.py --check TSV FOLDER compare with a table of the same columns
"""
import gzip
import json
import pathlib
import sys
from collections import Counter
from decimal import Decimal, getcontext

getcontext().prec = 60
COLUMNS = (
    "n_events",
    "ph_exact",
    "n_complete",
    "sum_dur_ps",
    "n_be_pairs",
    "sum_be_ps",
    "min_ts_ps",
    "max_end_ps",
)


def load(path):
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    text = data.decode("utf-8", "replace").strip()

    def read(t):
        return json.loads(t, parse_float=Decimal, parse_int=Decimal, strict=False)

    try:
        tree = read(text)
    except json.JSONDecodeError:  # an array that is not closed
        tree = read(text.rstrip(",") + "]")
    if isinstance(tree, dict):
        tree = tree.get("traceEvents")
    return [e for e in tree if e] if tree is not None else []


def ps(value):
    return int(Decimal(value) * 1000000)


def identity(value):
    text = str(value)
    return text if value is not None else None


def pairs(events):
    threads = {}
    for event in events:
        if event.get("ph") in ("B", "E"):
            threads.setdefault((identity(event.get("pid")), identity(event.get("tid"))), []).append(
                event
            )
    n = total = 0
    for thread in threads.values():
        stack = []
        for event in sorted(thread, key=lambda e: ps(e["ts"])):
            if event["ph"] == "B":
                stack.append(ps(event["ts"]))
            elif stack:
                total += ps(event["ts"]) - stack.pop()
                n += 1
    return n, total


def count(events):
    if not events:
        return dict.fromkeys(COLUMNS, "") | {"n_events": 0}
    phases = Counter(event.get("ph", "") for event in events)
    complete = [ps(e["dur"]) for e in events if e.get("ph") == "X" and "dur" in e]
    timed = [e for e in events if e.get("ph") != "M" and "ts" in e]
    starts = [ps(e["ts"]) for e in timed]
    ends = [ps(e["ts"]) + (ps(e["dur"]) if e.get("ph") == "X" and "dur" in e else 0) for e in timed]
    n_pairs, sum_pairs = pairs(events)
    return {
        "n_events": len(events),
        "ph_exact": " ".join(f"{p}:{n}" for p, n in sorted(phases.items())),
        "n_complete": len(complete),
        "sum_dur_ps": sum(complete),
        "n_be_pairs": n_pairs,
        "sum_be_ps": sum_pairs,
        "min_ts_ps": min(starts, default=""),
        "max_end_ps": max(ends, default=""),
    }


def check(table, folder):
    lines = [line.split("\t") for line in pathlib.Path(table).read_text().splitlines()]
    wrong = 0
    for line in lines[1:]:
        expected = dict(zip(lines[0], line))
        got = count(load(pathlib.Path(folder) / expected["file"]))
        for column in COLUMNS:
            if str(got[column]) != expected.get(column, ""):
                print(f"{expected['file']}: {column} is {got[column]}, expected {expected[column]}")
                wrong += 1
    print(f"{len(lines) - 1} files, {wrong} differences")
    return wrong != 0


def main(args):
    if len(args) == 3 and args[0] == "--check":
        return check(args[1], args[2])
    if not args or args[0].startswith("-"):
        sys.exit(__doc__)
    print("file", *COLUMNS, sep="\t")
    for name in args:
        got = count(load(pathlib.Path(name)))
        print(pathlib.Path(name).name, *(got[c] for c in COLUMNS), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
