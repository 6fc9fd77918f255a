#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes synthetic traces in Furiosa's four formats, and counts what is in such a file by itself.

    furiosa-make.py make FOLDER [SEED [INFERENCES]]
    furiosa-make.py count FILE

make writes synthetic_spans.csv (trace ids), synthetic_export.json (export_chrome_trace of the same
spans), synthetic_native.json (the runtime's own JSON), synthetic_edf.json (a CSV, as the EDF
profiler writes it) and synthetic_profiler.json (RNGD, with cycles). count prints a line NAME TAB
COUNT TAB SUM, sorted by name: the sum of durations in ps, of an EDF file in cycles.
"""
import csv
import io
import json
import os
import random
import sys
from decimal import Decimal

COLUMNS = [
    "trace_id",
    "parent_span_id",
    "span_id",
    "start",
    "end",
    "cat",
    "name",
    "thread.id",
    "dram_base",
    "pe_index",
    "execution_index",
    "instruction_index",
    "operator_index",
]
OPERATORS = [
    "LowLevelConv2d",
    "LowLevelDepthwiseConv2d",
    "LowLevelPad",
    "LowLevelMask",
    "LowLevelExpand",
    "LowLevelReshape",
    "LowLevelSlice",
    "LowLevelTranspose",
]
EPOCH = 1700000000123456789
PID = 4242


class Spans:
    """The spans of a few inferences, in the order in which they end."""

    def __init__(self, rng, inferences):
        self.rng = rng
        self.rows = []
        for number in range(inferences):
            self.inference(number, EPOCH + number * 2_000_000)

    def hex(self, digits):
        return f"{self.rng.getrandbits(4 * digits) | 1:0{digits}x}"

    def add(self, ids, start, end, cat, name, thread, numbers=("", "", "", "", "")):
        self.rows.append(dict(zip(COLUMNS, [*ids, start, end, cat, name, thread, *numbers])))

    def inference(self, number, start):
        trace, root, begin = self.hex(32), self.hex(16), start
        runtime = "Nux" if number % 2 == 0 else "Runtime"
        for index, name in enumerate(["Quantize", "Lower"]):
            end = begin + self.rng.randrange(1, 50_000)
            self.add(
                (trace, root, self.hex(16)), begin, end, runtime, name, 45, ("", "", "", "", index)
            )
            begin = end
        end = self.execution(self.hex(32), root, begin, number % 2, number)
        self.add(
            (trace, root, self.hex(16)), end, end + 777, runtime, "user label, with a comma", 45
        )
        self.add((trace, "0" * 16, root), start, end + 1000, runtime, "Inference", 45)

    def execution(self, trace, root, start, pe, execution):
        span, at = self.hex(16), start + 10
        for index in range(12):
            name = "Load" if index == 0 else "Store" if index == 11 else self.rng.choice(OPERATORS)
            end = at + self.rng.randrange(0, 2_000)
            self.add(
                (trace, span, self.hex(16)), at, end, "NPU", name, 0, (0, pe, execution, index, "")
            )
            at = end
        self.add(
            (trace, root, span), start, at + 5, "NPU", "Execution", 0, (0, pe, execution, "", "")
        )
        return at + 5


def spans_csv(spans):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(spans.rows)
    return out.getvalue()


def export_json(spans):
    zero = min(row["start"] for row in spans.rows)
    events, pes = [], set()
    for row in spans.rows:
        event = {
            "name": row["name"],
            "cat": row["cat"],
            "ph": "X",
            "ts": (row["start"] - zero) / 1000,
            "dur": (row["end"] - row["start"]) / 1000,
            "pid": PID,
        }
        keys = (
            ["pe_index", "execution_index", "instruction_index"]
            if row["cat"] == "NPU"
            else ["operator_index"]
        )
        event["tid"] = row["thread.id"]
        if row["cat"] == "NPU":
            event["tid"] = 10000000 + row["pe_index"]
            pes.add(row["pe_index"])
        args = {key: str(row[key]) for key in keys if row[key] != ""}
        events.append({**event, "args": args} if args else event)
    for pe in sorted(pes):
        events.append(
            {
                "ph": "M",
                "name": "thread_name",
                "pid": PID,
                "tid": 10000000 + pe,
                "args": {"name": f"NPU {pe}"},
            }
        )
    return json.dumps(events)


def native_json(rng):
    device, events = 183123432, []
    for pid, tid, name in [(device, 0, "npu:0:0-1"), (PID, 0, "synthetic")]:
        events.append(
            {"name": "process_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}}
        )
    events.append(
        {
            "name": "thread_name",
            "ph": "M",
            "pid": PID,
            "tid": 7,
            "args": {"name": "tokio-runtime-worker"},
        }
    )
    for number in range(4):
        at = 1000 * number
        events.append(
            {
                "name": "Inference (Model#0001)",
                "cat": "Runtime",
                "ph": "b",
                "id": number,
                "ts": at,
                "pid": PID,
                "tid": 7,
            }
        )
        events.append(
            {
                "name": "Task",
                "cat": "NPU",
                "ph": "X",
                "ts": at + 10,
                "dur": 500,
                "pid": device,
                "tid": 65536,
            }
        )
        for index in range(5):
            events.append(
                {
                    "name": rng.choice(OPERATORS),
                    "cat": "NPU",
                    "ph": "X",
                    "ts": at + 20 + 90 * index,
                    "dur": rng.randrange(0, 120),
                    "pid": device,
                    "tid": 65536,
                }
            )
        events.append(
            {
                "name": "SendOperandTriple",
                "cat": "Runtime",
                "ph": "X",
                "ts": at + 1,
                "dur": 8,
                "pid": PID,
                "tid": 7,
            }
        )
        events.append(
            {
                "name": "Inference (Model#0001)",
                "cat": "Runtime",
                "ph": "e",
                "id": number,
                "ts": at + 600,
                "pid": PID,
                "tid": 7,
            }
        )
    return "[" + ",\n".join(json.dumps(event) for event in events) + "]"


def edf_csv(rng):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["leader_device", "name", "cycle"])
    for number in range(64):
        stage = rng.choice(
            [
                "Tokenwise(TokenwiseBucket { input_size: 8 }) #0",
                "Composed(0, 8)",
                "Attention(AttentionBucket { batch_size: 1, attention_size: 1024, kv_cache_size: 1023 }) #0",
            ]
        )
        writer.writerow(
            [f"npu0pe{number % 2 * 4}-{number % 2 * 4 + 3}", stage, rng.randrange(1, 900_000)]
        )
    return out.getvalue()


def profiler_json(rng):
    events, cycle = [], 50_000_000_000
    for number in range(40):
        begin, cycle = cycle, cycle + rng.randrange(1, 40_000)
        name = rng.choice(["Task", "DMA (1)", "Renegade::TuExec", "Renegade::StoVrf"])
        args = {
            "begin_cycle": begin,
            "end_cycle": cycle,
            "cycle_actual": str(cycle - begin),
            "cluster_index": number % 2,
        }
        events.append(
            {
                "name": name,
                "cat": "NPU",
                "ph": "X",
                "ts": (begin - 50_000_000_000) / 1000,
                "dur": (cycle - begin) / 1000,
                "pid": 0,
                "tid": number % 2,
                "args": args,
            }
        )
    return json.dumps(events)


def make(folder, seed="1", inferences="6"):
    rng = random.Random(int(seed))
    spans = Spans(rng, int(inferences))
    files = {
        "synthetic_spans.csv": spans_csv(spans),
        "synthetic_export.json": export_json(spans),
        "synthetic_native.json": native_json(rng),
        "synthetic_edf.json": edf_csv(rng),
        "synthetic_profiler.json": profiler_json(rng),
    }
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", newline="") as file:
            file.write(text)


def durations(text):
    """Name and duration of each span: ps, of the EDF profiler cycles."""
    if text.lstrip("\ufeff \n")[0] in "[{":
        events = json.loads(text, parse_float=Decimal)
        begun = {}
        for event in events["traceEvents"] if isinstance(events, dict) else events:
            if event["ph"] == "X":
                yield event["name"], int(Decimal(event["dur"]) * 1_000_000)
            elif event["ph"] == "b":
                begun[event["id"]] = event["ts"]
            elif event["ph"] == "e":
                yield event["name"], int(Decimal(event["ts"] - begun.pop(event["id"])) * 1_000_000)
        return
    for row in csv.DictReader(io.StringIO(text, newline="")):
        if "cycle" in row:
            yield row["name"], int(row["cycle"])
        else:
            yield row["name"], (int(row["end"]) - int(row["start"])) * 1000


def count(path):
    counts = {}
    with open(path, newline="") as file:
        for name, duration in durations(file.read()):
            n, total = counts.get(name, (0, 0))
            counts[name] = (n + 1, total + duration)
    for name in sorted(counts):
        print(name, *counts[name], sep="\t")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("make", "count"):
        sys.exit(__doc__)
    {"make": make, "count": count}[sys.argv[1]](*sys.argv[2:])
