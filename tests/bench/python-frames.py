# SPDX-License-Identifier: Apache-2.0
"""python-frames.py - makes a DataFrame of a profile by nprof, and one of its events.csv by
pandas.read_csv with its C engine and all types given, in turns; prints one JSON line a round.
usage: python-frames.py PROFILE EVENTS.csv ROUNDS"""

import json
import resource
import sys
import time

import nprof
import pandas

COLUMNS = {
    "input": "category",
    "track": "category",
    "thread": "category",
    "kind": "category",
    "category": "category",
    "name": "category",
    "start_ns": "float64",
    "duration_ns": "float64",
}
OURS = [name.replace("_ns", "_ps") for name in COLUMNS]


def spent(work):
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    rows = len(work())
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"rows": rows, "wall": wall, "cpu": cpu}


for _ in range(int(sys.argv[3])):
    ours = spent(lambda: nprof.open(sys.argv[1], jobs=1).events(columns=OURS).to_pandas())
    csv = spent(
        lambda: pandas.read_csv(sys.argv[2], engine="c", dtype=COLUMNS, usecols=list(COLUMNS))
    )
    print(json.dumps({"nprof": ours, "read_csv": csv}), flush=True)
