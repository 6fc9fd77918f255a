#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python lines of Furiosa's guide: on a profile that the project makes, beside a count from its
bytes; on the one that has the guide's numbers, to the letter (NPROF_TEST_DATA); and on what the
recorder wrote. Prints TAP."""

import contextlib
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import tap

import nprof
from nprof import furiosa
from nprof.furiosa import RecordFormat, Resource, profile

try:
    import pandas
except ImportError:
    pandas = None
MAKER = (
    pathlib.Path(os.environ["NPROF_SAMPLES"]).parent.parent / "tests" / "tools" / "furiosa-make.py"
)
GOLDEN = pathlib.Path(os.environ.get("NPROF_TEST_DATA", "")).parent / "golden" / "furiosa"
SOURCE = MAKER.parent.parent.parent
# The interface of furiosa.runtime.profiler, and two rows as its runtime writes them.
SDK = """
import contextlib, csv, enum
class Resource(enum.Flag):
    CPU = enum.auto()
    NPU = enum.auto()
    ALL = CPU | NPU
class RecordFormat(enum.IntEnum):
    ChromeTrace = 0
    PandasDataFrame = 1
class Frame:
    empty = False
    def __init__(self, rows):
        self.rows = rows
    def to_csv(self, path, columns, index):
        assert not index
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.rows)
class profile:
    def __init__(self, resource=Resource.ALL, format=RecordFormat.ChromeTrace, **config):
        assert format == RecordFormat.PandasDataFrame and not config
        self.resource, self.names = Resource(resource), []
    def __enter__(self):
        return self
    def __exit__(self, *_):
        row = {"trace_id": "ab" * 16, "parent_span_id": "0" * 16, "span_id": "cd" * 8, "dur": 5}
        host = {**row, "start": 10, "end": 15, "cat": "Nux", "thread.id": 45}
        npu = {**row, "start": 12, "end": 14, "cat": "NPU", "thread.id": 46, "pe_index": 3}
        rows = [{**host, "name": name} for name in (*self.names, "Inference")]
        rows = rows if self.resource & Resource.CPU else []
        rows += [{**npu, "name": "Execution"}] if self.resource & Resource.NPU else []
        self.frame = Frame(rows)
    @contextlib.contextmanager
    def record(self, name="", warm_up=False):
        self.names.append(name)
        yield
    def get_pandas_dataframe(self):
        return self.frame
"""
needs_pandas = unittest.skipIf(pandas is None, "pandas is not installed")


def printed(*calls):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for call in calls:
            call()
    return out.getvalue()


def tables(profiler):
    return printed(
        profiler.print_summary,
        profiler.print_inferences,
        profiler.print_npu_executions,
        profiler.print_npu_operators,
        profiler.print_external_operators,
    )


class Recorded(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def made(self):
        subprocess.run(
            [sys.executable, "-B", MAKER, "make", self.path, "7", "5"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return next(
            path
            for path in sorted(self.path.iterdir())
            if path.read_text().startswith("trace_id,parent")
        )

    @needs_pandas
    def test_the_frame_is_the_file(self):
        path = self.made()
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        frame = furiosa.dataframe(path)
        self.assertEqual(list(frame.columns), [*furiosa.COLUMNS, "dur"])
        for (_, ours), theirs in zip(frame.iterrows(), rows):
            self.assertEqual(
                {name: "" if pandas.isna(ours[name]) else str(ours[name]) for name in theirs},
                theirs,
            )
            self.assertEqual(ours["dur"], int(theirs["end"]) - int(theirs["start"]))
        self.assertEqual(len(frame), len(rows))

    @needs_pandas
    def test_the_guides_lines_print_what_it_prints(self):
        if not GOLDEN.is_dir():
            self.skipTest("NPROF_TEST_DATA names no folder beside golden")
        profiler = furiosa.load(GOLDEN / "furiosa_0.9_doc.csv")
        exported = self.path / "trace.json"
        said = tables(profiler) + printed(lambda: profiler.export_chrome_trace(exported))
        self.assertEqual(said, (GOLDEN / "expected_0.9.txt").read_text())

        def without_process(text):
            return [
                {name: value for name, value in event.items() if name != "pid"}
                for event in json.loads(text)
            ]

        self.assertEqual(
            without_process(exported.read_text()),
            without_process((GOLDEN / "furiosa_0.9_doc.chrome.json").read_text()),
        )

    @needs_pandas
    def test_the_guides_last_line_prints_what_it_prints(self):
        path = self.path / "rows.csv"
        row = "ec3dd3d28baf03adc6a1ddd5efe319bc,%s,%016x,%d,%d,Nux,%s,44,,,,,\n"
        rows = [
            row % ("0" * 16, number + 1, number, number + 1, "Enqueue") for number in range(150)
        ]
        path.write_text(
            ",".join(furiosa.COLUMNS)
            + "\n"
            + "".join(rows)
            + row % ("0" * 16, 151, 200, 200 + 778887, "trace")
        )
        df = furiosa.load(path).get_pandas_dataframe()
        self.assertEqual(
            printed(
                lambda: print(df[df["name"] == "trace"][["trace_id", "name", "thread.id", "dur"]])
            ),
            """\
                             trace_id   name  thread.id     dur
150  ec3dd3d28baf03adc6a1ddd5efe319bc  trace         44  778887
""",
        )

    @needs_pandas
    def test_a_profile_without_inferences_has_a_count(self):
        path = self.path / "none.csv"
        path.write_text(
            ",".join(furiosa.COLUMNS)
            + "\n%032x,%s,%016x,5,9,Nux,Enqueue,1,,,,,\n" % (1, "0" * 16, 2)
        )
        said = printed(furiosa.load(path).print_summary).splitlines()
        self.assertEqual(said[3:], ["Inference counts                : 0"])


class Recorder(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_spans_lie_within_each_other(self):
        out = io.StringIO()
        with profile(file=out, format=RecordFormat.PandasDataFrame) as profiler:
            with profiler.record("outer"):
                with profiler.record("inner"):
                    pass
            with profiler.record("warm up", warm_up=True):
                pass
            profiler.pause()
            with profiler.record("paused"):
                pass
            profiler.resume()
            other = threading.Thread(target=record_once, args=(profiler, "thread"))
            other.start()
            other.join()
        rows = list(csv.DictReader(io.StringIO(out.getvalue())))
        self.assertEqual([row["name"] for row in rows], ["inner", "outer", "thread"])
        inner, outer, thread = rows
        self.assertEqual(
            (inner["parent_span_id"], inner["trace_id"]), (outer["span_id"], outer["trace_id"])
        )
        self.assertEqual(outer["parent_span_id"], "0" * 16)
        self.assertNotIn(thread["thread.id"], (inner["thread.id"], ""))
        self.assertNotEqual(thread["trace_id"], outer["trace_id"])
        self.assertTrue(
            int(outer["start"]) <= int(inner["start"]) <= int(inner["end"]) <= int(outer["end"])
        )

    @needs_pandas
    def test_what_was_recorded_is_read(self):
        with profile(format=RecordFormat.PandasDataFrame) as profiler:
            with contextlib.suppress(ValueError), profiler.record("trace"):
                raise ValueError  # a block that fails has a span as well
            with profiler.record("Inference"):
                pass
        df = profiler.get_pandas_dataframe()
        self.assertEqual(list(df["name"]), ["trace", "Inference"])
        self.assertIn("Inference counts                : 1\n", printed(profiler.print_summary))

    def test_trace_events_go_into_the_file(self):
        out = io.StringIO()
        with profile(file=out) as profiler:
            with profiler.record("warm up"):
                pass
        self.assertEqual(
            [(event["name"], event["ph"], event["ts"]) for event in json.loads(out.getvalue())],
            [("warm up", "X", 0.0)],
        )

    def run_with(self, variable, words, path=()):
        """What a program of Python prints to stderr, with the variable and modules of a folder."""
        env = dict(os.environ, PYTHONPATH=os.pathsep.join([*path, os.environ["PYTHONPATH"]]))
        if variable:
            env["FURIOSA_PROFILER_OUTPUT_PATH"] = variable
        return subprocess.run(
            [sys.executable, "-B", *words], check=True, env=env, stderr=subprocess.PIPE, text=True
        ).stderr

    def test_an_environment_variable_records_the_program(self):
        """By what Python reads at its start, by -m, and by record() alone; never without it."""
        start = "import site; site.addsitedir(%r)\n" % str(SOURCE / "share" / "python")
        label = "from nprof import furiosa\nwith furiosa.record('step'): pass\n"
        with tempfile.TemporaryDirectory() as folder:
            path, program = os.path.join(folder, "tracing.json"), os.path.join(folder, "program.py")
            pathlib.Path(program).write_text(label)
            for words, names in (
                (["-c", start + "print()"], ["-c"]),
                (["-c", start + label], ["step", "-c"]),
                (["-c", label], ["step", "-c"]),
                (["-m", "nprof.furiosa", program, "word"], ["step", "program.py"]),
            ):
                if words[0] == "-c":
                    self.assertEqual(self.run_with(None, words), "")
                    self.assertFalse(os.path.exists(path))
                self.assertIn("SDK is not installed", self.run_with(path, words))
                with open(path) as file:
                    self.assertEqual([event["name"] for event in json.load(file)], names)
                os.remove(path)
            nowhere = os.path.join(folder, "none", "tracing.json")
            self.assertEqual(
                self.run_with(nowhere, ["-c", label]),
                "nprof: %s: no profile is written: No such file or directory\n" % nowhere,
            )
            with self.assertRaises(subprocess.CalledProcessError):
                self.run_with(None, ["-m", "nprof.furiosa", program])

    def test_spans_of_npus_need_the_sdk(self):
        with self.assertRaisesRegex(ValueError, "Furiosa's SDK is not installed"):
            profile(resource=Resource.NPU)
        with self.assertWarnsRegex(nprof.NprofWarning, "SDK is not installed.*NPUs"):
            profile()

    def test_the_sdk_records_where_it_is_installed(self):
        """A stand-in with the interface of its profiler, whose rows go into the file; the variable
        is heeded by its runtime, so that nothing else writes there."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            module = path / "furiosa" / "runtime" / "profiler.py"
            module.parent.mkdir(parents=True)
            module.write_text(SDK)
            program = """if True:
                from nprof.furiosa import RecordFormat, Resource, profile, record
                for resource in Resource.ALL, Resource.CPU, Resource.NPU:
                    for format in RecordFormat:
                        with open("%s %s" % (resource.name, format.name), "w") as file:
                            with profile(resource=resource, file=file, format=format) as profiler:
                                with profiler.record("trace"):
                                    pass
                with record("of the runtime"):
                    pass
            """
            program = "import os; os.chdir(%r)\n" % folder + program
            self.assertEqual(self.run_with(str(path / "env.json"), ["-c", program], [folder]), "")
            self.assertFalse((path / "env.json").exists())
            for resource in Resource.ALL, Resource.CPU, Resource.NPU:
                expected = [
                    name
                    for name, of in (
                        ("trace", Resource.CPU),
                        ("Inference", Resource.CPU),
                        ("Execution", Resource.NPU),
                    )
                    if of & resource
                ]
                rows = (path / ("%s PandasDataFrame" % resource.name)).read_text()
                rows = list(csv.DictReader(io.StringIO(rows)))
                self.assertEqual([row["name"] for row in rows], expected)
                events = json.loads((path / ("%s ChromeTrace" % resource.name)).read_text())
                self.assertEqual(
                    [(event["name"], event["tid"]) for event in events if event["ph"] == "X"],
                    [(name, 10000003 if name == "Execution" else 45) for name in expected],
                )


def record_once(profiler, name):
    with profiler.record(name):
        pass


if __name__ == "__main__":
    tap.main()
