# SPDX-License-Identifier: Apache-2.0
"""Furiosa's profiler without its runtime: the five tables and the DataFrame of a recorded profile,
and a recorder of a program's own spans in the same formats.

    from nprof.furiosa import RecordFormat, load, profile

    profiler = load("trace.csv")
    profiler.print_summary()

    with profile(format=RecordFormat.PandasDataFrame) as profiler:
        with profiler.record("trace"):
            ...
    df = profiler.get_pandas_dataframe()

Names, columns and printed tables are those of furiosa.runtime.profiler of SDK 0.9. Where Furiosa's
SDK is installed, its own profiler records, with inferences, operators and NPUs; without it a
profile has the spans that record() names, and an NprofWarning says so.

FURIOSA_PROFILER_OUTPUT_PATH=FILE alone records a program: the SDK's runtime heeds it by itself, and
without the SDK nprof-furiosa.pth does, or

    python3 -m nprof.furiosa PROGRAM.py
"""

import atexit
import contextlib
import csv
import enum
import functools
import importlib.util
import json
import os
import runpy
import secrets
import sys
import tempfile
import threading
import time
import warnings

from . import _library
from . import profile as _profile

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
_NPU_TID = 10000000  # what the SDK adds to a PE to make a thread of it
_NO_SPAN = "0" * 16
_VARIABLE = "FURIOSA_PROFILER_OUTPUT_PATH"
_NO_SDK = "Furiosa's SDK is not installed: inferences and NPUs are not recorded"


class Resource(enum.Flag):
    """Whose spans are recorded."""

    CPU = enum.auto()
    NPU = enum.auto()
    ALL = CPU | NPU


class RecordFormat(enum.IntEnum):
    """What a recorder writes: trace events as JSON, or CSV."""

    ChromeTrace = 0
    PandasDataFrame = 1


class Tables:
    """The tables of a profile in a file that the decoder furiosa reads."""

    def __init__(self, path):
        self._path = os.fspath(path)
        self._opened = None

    def _profile(self):
        if self._opened is None:
            self._opened = _profile.open(self._path, decoder="furiosa", analyzers=["furiosa"])
        return self._opened

    def _frame(self, table, columns):
        """A table as the vendor prints it: by the row of the file, without rows that he leaves
        out."""
        import pandas

        rows = [row for row in self._profile().table(table).rows() if row["row"] is not None]
        data = {name: [row[name] for row in rows] for name in columns}
        return pandas.DataFrame(data, index=[row["row"] for row in rows], columns=columns)

    def get_pandas_dataframe(self):
        """Each span of the profile, in the order of the file: COLUMNS and dur, times in ns since
        1970 where the file has them. Integers that may be unknown are Int64."""
        import pandas

        profile = self._profile()
        origin = next(iter(profile.table("inputs").rows()))["origin_unix_ns"] or 0
        spans = [row for row in profile.events().rows() if row["kind"] == "span"]
        whole = [
            (origin + row["start_ps"] // 1000, (row["duration_ps"] or 0) // 1000) for row in spans
        ]
        data = {
            "trace_id": [row["trace_id"] for row in spans],
            "parent_span_id": [_span_id(row["parent"]) for row in spans],
            "span_id": [_span_id(row["id"]) for row in spans],
            "start": [start for start, _ in whole],
            "end": [start + dur for start, dur in whole],
            "cat": [row["category"] for row in spans],
            "name": [row["name"] for row in spans],
        }
        for name in COLUMNS[7:]:
            data[name] = pandas.array([row[name] for row in spans], dtype="Int64")
        data["dur"] = [dur for _, dur in whole]
        return pandas.DataFrame(data)

    def get_pandas_dataframe_with_filter(self, column, value):
        frame = self.get_pandas_dataframe()
        return frame[frame[column] == value]

    def get_cpu_pandas_dataframe(self):
        """Spans of hosts: of category Nux, which SDK 0.10 calls Runtime."""
        frame = self.get_pandas_dataframe()
        return frame[frame["cat"].isin(["Nux", "Runtime"])]

    def get_npu_pandas_dataframe(self):
        return self.get_pandas_dataframe_with_filter("cat", "NPU")

    def print_summary(self):
        """Count, least, most, mean, median and percentiles of the inferences' latency, cut to whole
        ns as SDK 0.9 does. Without inferences only the count is printed."""
        summary = next(iter(self._profile().table("furiosa_summary").rows()))
        print("=" * 48, "  Inference Results Summary", "=" * 48, sep="\n")
        for name, value in summary.items():
            if value is None or name == "input":
                continue
            print("%-30s  : %d" % (name, value))

    def print_inferences(self):
        print(self._frame("inferences", ["trace_id", "span_id", "thread.id", "dur"]).to_string())

    def print_npu_executions(self):
        columns = [
            "trace_id",
            "span_id",
            "pe_index",
            "execution_index",
            "NPU Total",
            "NPU Run",
            "NPU IoWait",
        ]
        print(self._frame("npu_executions", columns).reset_index(drop=True).to_string())

    def print_npu_operators(self):
        import pandas

        rows = list(self._profile().table("npu_operators").rows())
        data = {name: [row[name] for row in rows] for name in ("average elapsed(ns)", "count")}
        names = pandas.Index([row["name"] for row in rows], name="name")
        print(pandas.DataFrame(data, index=names).to_string())

    def print_external_operators(self):
        columns = ["trace_id", "span_id", "thread.id", "name", "operator_index", "dur"]
        print(self._frame("external_operators", columns).to_string())

    def export_chrome_trace(self, filename):
        """Writes trace events: µs since the first span, a thread for each PE."""
        frame = self.get_pandas_dataframe()
        rows = [
            {name: _plain(value) for name, value in row.items()} for row in frame.to_dict("records")
        ]
        with open(filename, "w") as file:
            json.dump(_trace_events(rows), file)
        print("Export trace event format completed.")


def _span_id(number):
    return _NO_SPAN if number is None else "%016x" % number


def _plain(value):
    """A cell of pandas as Python knows it; None: unknown."""
    import pandas

    return None if pandas.isna(value) else value.item() if hasattr(value, "item") else value


def load(path):
    """The profile in a file, with the functions that the vendor's profiler has after a run."""
    return Tables(path)


def dataframe(path):
    """Each span of a recorded profile as the vendor's DataFrame."""
    return load(path).get_pandas_dataframe()


def _trace_events(rows):
    begin = min((row["start"] for row in rows), default=0)
    events, elements = [], {}
    for row in rows:
        event = {
            "name": row["name"],
            "cat": row["cat"],
            "ph": "X",
            "ts": (row["start"] - begin) / 1000,
            "dur": (row["end"] - row["start"]) / 1000,
            "pid": os.getpid(),
            "tid": row["thread.id"],
        }
        names = ["operator_index"]
        if row["cat"] == "NPU":
            event["tid"] = elements[row["pe_index"]] = row["pe_index"] + _NPU_TID
            names = ["pe_index", "execution_index", "instruction_index"]
        args = {name: str(row[name]) for name in names if row[name] is not None}
        events.append({**event, "args": args} if args else event)
    for element, thread in elements.items():
        events.append(
            {
                "ph": "M",
                "name": "thread_name",
                "pid": os.getpid(),
                "tid": thread,
                "args": {"name": "NPU %d" % element},
            }
        )
    return events


def _has_sdk():
    try:
        return importlib.util.find_spec("furiosa.runtime") is not None
    except ModuleNotFoundError:
        return False


class _Sdk:
    """Furiosa's own profiler, which is asked for rows, as these hold all that trace events do."""

    def __init__(self, resource):
        from furiosa.runtime import profiler as sdk

        self._profiler = sdk.profile(
            resource=sdk.Resource(resource.value), format=sdk.RecordFormat.PandasDataFrame
        )
        self.start = self._profiler.__enter__
        self.record = self._profiler.record

    def stop(self, path, raised):
        self._profiler.__exit__(*raised)
        frame = self._profiler.get_pandas_dataframe()
        if frame.empty:
            _write_csv([], path)
        else:
            frame.to_csv(path, columns=COLUMNS, index=False)

    def pause(self):
        self._profiler.pause()

    def resume(self):
        self._profiler.resume()


class _Host:
    """Records the spans of the program that record() names."""

    def __init__(self):
        self.spans, self._lock, self._paused = [], threading.Lock(), False
        # The spans of each thread that have not ended, the innermost last.
        self._open = threading.local()
        self._epoch = time.time_ns() - time.perf_counter_ns()

    def start(self):
        pass

    def stop(self, path, _raised):
        _write_csv(self.spans, path)

    @contextlib.contextmanager
    def record(self, name="", warm_up=False):
        if warm_up or self._paused:
            yield
            return
        above = self._open.__dict__.setdefault("spans", [])
        span = dict.fromkeys(COLUMNS)
        span.update(
            {
                "trace_id": above[-1]["trace_id"] if above else secrets.token_hex(16),
                "parent_span_id": above[-1]["span_id"] if above else _NO_SPAN,
                "span_id": secrets.token_hex(8),
                "cat": "Nux",
                "name": name,
                "thread.id": threading.get_native_id(),
                "start": self._epoch + time.perf_counter_ns(),
            }
        )
        above.append(span)
        try:
            yield
        finally:
            above.remove(span)
            span["end"] = self._epoch + time.perf_counter_ns()
            with self._lock:
                self.spans.append(span)

    def pause(self):
        self._paused = True

    def resume(self):
        self._paused = False


class profile(Tables):
    """Records until its block ends: by Furiosa's SDK, else the spans that record() names.

    file: an open text file that gets the profile; without it CSV goes into a temporary one, and
    trace events to the standard output. ValueError: spans of NPUs alone, without the SDK.
    """

    def __init__(self, resource=Resource.ALL, format=RecordFormat.ChromeTrace, file=None):
        self._format, self._file = RecordFormat(format), file
        has_sdk = _has_sdk()
        if not has_sdk and not resource & Resource.CPU:
            raise ValueError("resource: " + _NO_SDK)
        if not has_sdk and resource & Resource.NPU:
            warnings.warn(_NO_SDK, _library.NprofWarning, stacklevel=2)
        self._recorder = _Sdk(resource) if has_sdk else _Host()
        self._kept = tempfile.TemporaryDirectory(prefix="nprof-furiosa-")
        super().__init__(os.path.join(self._kept.name, "profile.csv"))

    def __enter__(self):
        self._recorder.start()
        return self

    def __exit__(self, *raised):
        self._recorder.stop(self._path, raised)
        if self._format is RecordFormat.ChromeTrace:
            json.dump(_trace_events(_read_csv(self._path)), self._file or sys.stdout)
        elif self._file:
            with open(self._path, newline="") as kept:
                self._file.write(kept.read())

    def record(self, name="", warm_up=False):
        """A span of that name while the block runs; with warm_up it is not recorded."""
        return self._recorder.record(name, warm_up)

    def pause(self):
        """Records nothing that begins before resume()."""
        self._recorder.pause()

    def resume(self):
        self._recorder.resume()


def _write_csv(spans, path):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(spans)


_INTEGERS = ("start", "end", *COLUMNS[7:])


def _read_csv(path):
    """The rows of a file as _trace_events() takes them."""
    with open(path, newline="") as file:
        return [
            {**row, **{name: int(row[name]) if row[name] else None for name in _INTEGERS}}
            for row in csv.DictReader(file)
        ]


@functools.cache
def _recorder_into(path):
    """The recorder of the whole program, whose file is written when the program ends."""
    recorder, whole = _Host(), contextlib.ExitStack()
    whole.enter_context(recorder.record(os.path.basename(sys.argv[0])))

    def write():
        whole.close()
        try:
            with open(path, "w") as file:
                json.dump(_trace_events(recorder.spans), file)
        except OSError as error:  # the program has ended: its status is its own
            sys.stderr.write("nprof: %s: no profile is written: %s\n" % (path, error.strerror))
            return
        warnings.warn("%s: %s" % (path, _NO_SDK), _library.NprofWarning)

    atexit.register(write)
    return recorder


def record_program():
    """Records the whole program into the file that the environment variable names, if it does: what
    nprof-furiosa.pth does when Python starts. The SDK's runtime does so by itself."""
    path = os.environ.get(_VARIABLE)
    return _recorder_into(path) if path and not _has_sdk() else None


@functools.cache
def _sdk_of_the_program():
    return _Sdk(Resource.ALL)


def record(name="", warm_up=False):
    """A span of the program's own profile, which the environment variable
    FURIOSA_PROFILER_OUTPUT_PATH turns on and names; without it nothing is recorded."""
    if not os.environ.get(_VARIABLE):
        return contextlib.nullcontext()
    return (record_program() or _sdk_of_the_program()).record(name, warm_up)


def main(words):
    """Runs a program of Python, recorded."""
    if not words or not os.environ.get(_VARIABLE):
        sys.exit("usage: %s=FILE.json python3 -m nprof.furiosa PROGRAM.py [WORD...]" % _VARIABLE)
    sys.argv[:] = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    record_program()
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    from nprof import furiosa  # this file is another module while it is the program

    furiosa.main(sys.argv[1:])
