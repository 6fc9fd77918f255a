#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nprof for Python beside the program: the same rows and tables as its csv files, the promised
types, errors with nprof's text, and nothing left in memory or at exit. Prints TAP."""

import contextlib
import csv
import decimal
import doctest
import gc
import inspect
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import nprof
import tap

SAMPLES = pathlib.Path(os.environ["NPROF_SAMPLES"])
TPU = SAMPLES / "synthetic_tpu.xplane.pb"
try:
    import numpy
    import pandas
except ImportError:
    pandas = None
needs_pandas = unittest.skipIf(pandas is None, "pandas is not installed")


def csv_of(path, table, *options):
    """The rows of a table as the program writes them."""
    done = subprocess.run(
        [os.environ["NPROF"], "run", "-s", "csv:table=" + table, "-o", "-", *options, path],
        check=True,
        capture_output=True,
        text=True,
    )
    return list(csv.DictReader(io.StringIO(done.stdout)))


def write(text, suffix=".json"):
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False) as file:
        file.write(text)
    return file.name


def as_ps(text):
    """Nanoseconds, as csv has them, in picoseconds; None: empty."""
    return None if text == "" else int(decimal.Decimal(text) * 1000)


class Rows(unittest.TestCase):
    def test_rows_are_those_of_csv(self):
        for sample in sorted(SAMPLES.glob("*.json")) + [TPU]:
            rows = list(
                nprof.open(sample).events(
                    columns=["name", "thread", "kind", "start_ps", "duration_ps"]
                )
            )
            wished = csv_of(sample, "events")
            self.assertEqual(len(rows), len(wished), sample)
            for ours, theirs in zip(rows, wished):
                self.assertEqual(ours["name"], theirs["name"])
                self.assertEqual(ours["duration_ps"], as_ps(theirs["duration_ns"]))
                self.assertEqual(ours["start_ps"], as_ps(theirs["start_ns"]))

    def test_columns_are_chosen_in_order(self):
        events = nprof.open(TPU).events(columns=["flops", "name"], names=["*fusion*"])
        self.assertEqual(events.columns, ["flops", "name"])
        self.assertTrue(any(row["flops"] for row in events))

    def test_others_are_selected_too(self):
        """As the command line selects with --or: the rows, and the report."""
        selection = dict(
            where=["name=fusion.14", "step=1"],
            start="3ms",
            others=[dict(names=["copy*"], step="2"), dict(tracks=["python"])],
        )
        words = [
            "--from",
            "3ms",
            "--where",
            "name=fusion.14",
            "--where",
            "step=1",
            "--or",
            "--name",
            "copy*",
            "--step",
            "2",
            "--or",
            "--track",
            "python",
        ]
        printed = subprocess.run(
            [os.environ["NPROF"], "run", "-q", "-s", "csv:table=events", "-o", "-", *words, TPU],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        wished = sorted(
            (row["track"], row["name"], as_ps(row["start_ns"]))
            for row in csv.DictReader(io.StringIO(printed))
        )
        self.assertEqual(
            {name for _, name, _ in wished if name.startswith(("fusion", "copy"))} >= {"fusion.14"},
            True,
        )
        self.assertTrue(any(name.startswith("copy") for _, name, _ in wished))
        profile = nprof.open(TPU, **selection)
        self.assertEqual(
            sorted(
                (str(row["track"]), row["name"] or "", row["start_ps"])
                for row in profile.events(columns=["track", "name", "start_ps"])
            ),
            wished,
        )
        done = subprocess.run(
            [os.environ["NPROF"], "report", *words, TPU], capture_output=True, text=True, check=True
        )
        self.assertEqual(profile.report(), done.stdout)

    def test_others_have_no_times(self):
        with self.assertRaisesRegex(nprof.Error, "expected step, tracks, names and where"):
            nprof.open(TPU, others=[dict(start="1ms")])

    def test_an_unknown_column_is_named(self):
        with self.assertRaisesRegex(nprof.Error, 'no column "floops"'):
            list(nprof.open(TPU).events(columns=["floops"]))

    def test_the_unknown_begins_anywhere(self):
        """The bits of what is known are made when the first row is unknown."""
        for first in (0, 1, 7, 8, 13, 1023, 1024, 1100):
            events = [
                {
                    "name": "a",
                    "ph": "X",
                    "ts": i + 1,
                    "dur": 2,
                    "pid": 1,
                    "tid": 1 + i % 3,
                    "cat": "kernel",
                    "args": {"correlation": i + 5},
                }
                for i in range(1200)
            ]
            del events[first]["cat"], events[first]["args"]
            path = write(json.dumps({"traceEvents": events}))
            rows = list(
                nprof.open(path).events(
                    columns=["category", "correlation_id", "thread", "track", "start_ps"]
                )
            )
            wished = csv_of(path, "events")
            os.unlink(path)
            self.assertEqual(
                [
                    (
                        r["category"],
                        r["correlation_id"],
                        r["thread"],
                        str(r["track"]),
                        r["start_ps"],
                    )
                    for r in rows
                ],
                [
                    (
                        r["category"] or None,
                        int(r["correlation_id"]) if r["correlation_id"] else None,
                        r["thread"],
                        r["track"],
                        as_ps(r["start_ns"]),
                    )
                    for r in wished
                ],
            )
            for name in ("category", "correlation_id"):
                self.assertEqual([row[name] for row in rows].count(None), 1)

    def test_selections_narrow_each_other(self):
        everything = len(list(nprof.open(TPU).events()))
        some = len(list(nprof.open(TPU, start="5ms").events(end="10ms")))
        self.assertLess(0, some)
        self.assertLess(some, everything)

    def test_events_are_read_anew_each_time(self):
        events = nprof.open(TPU).events()
        self.assertEqual(list(events), list(events))


class Tables(unittest.TestCase):
    def test_a_table_is_that_of_csv(self):
        table = nprof.open(TPU, analyzers=["operators"]).table("operators")
        wished = csv_of(TPU, "operators", "-a", "operators")
        ours = list(table)
        self.assertEqual(len(ours), len(wished))
        self.assertEqual([row["operator"] for row in ours], [row["operator"] for row in wished])
        self.assertEqual(
            [row["self_ps"] for row in ours], [as_ps(row["self_ns"]) for row in wished]
        )

    def test_a_table_that_is_not_there(self):
        with self.assertRaisesRegex(KeyError, "there are .*tracks"):
            nprof.open(TPU).table("operators")

    def test_a_table_outlives_its_profile(self):
        table = nprof.open(TPU, analyzers="operators").table("operators")
        gc.collect()
        self.assertTrue(list(table))

    def test_html_is_escaped(self):
        event = {"name": "<b>&x", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
        path = write(json.dumps({"traceEvents": [event] * 12}))
        text = nprof.open(path).events(columns=["name", "id"])._repr_html_()
        os.unlink(path)
        self.assertIn("<td>&lt;b&gt;&amp;x</td><td><i>unknown</i></td>", text)
        self.assertIn("and more rows", text)
        self.assertNotIn("<b>", text)


class Trouble(unittest.TestCase):
    def test_errors_have_the_text_of_the_program(self):
        for arguments in (["/no/such/file"], [str(TPU), "-a", "operators:no=1"]):
            done = subprocess.run(
                [os.environ["NPROF"], "run", "-s", "null", *arguments],
                capture_output=True,
                text=True,
            )
            with self.assertRaises(nprof.Error) as caught:
                nprof.open(arguments[0], analyzers=arguments[2:])
            self.assertIn(done.stderr.splitlines()[0], str(caught.exception))

    def test_damage_names_the_place(self):
        path = write(
            '{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1},{"name":]}'
        )
        with self.assertRaisesRegex(nprof.Error, "byte"):
            nprof.open(path)
        os.unlink(path)

    def test_losses_are_warned_of(self):
        bad = '{"name":"b","ph":"X","ts":"x","dur":1,"pid":1,"tid":1}'
        path = write(
            '{"traceEvents":[%s,{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}' % bad
        )
        with self.assertWarns(nprof.NprofWarning):
            profile = nprof.open(path, keep_going=True)
        os.unlink(path)
        self.assertTrue(profile.messages)

    def test_wrong_arguments(self):
        with self.assertRaises(TypeError):
            nprof.open(TPU, colour="red")
        with self.assertRaises(TypeError):
            nprof.open()

    def test_a_keyword_that_selects_nothing_is_refused(self):
        """A misspelled one gave all rows; the nearest is named, in open, events and others
        alike."""
        profile = nprof.open(TPU)
        for wrong, near in dict(
            track="tracks", name="names", steps="step", wheres="where", category=None
        ).items():
            for call in (
                profile.events,
                lambda **k: nprof.open(TPU, **k),
                lambda **k: profile.events(others=[k]),
            ):
                with self.assertRaises(TypeError) as caught:
                    call(**{wrong: "x"})
                self.assertIn("knows no %s" % wrong, str(caught.exception))
                self.assertEqual(
                    "did you mean %s?" % near in str(caught.exception), near is not None
                )

    def test_keywords_are_the_options_of_the_program(self):
        from nprof import _selection

        told = subprocess.run(
            [os.environ["NPROF"], "report", "--help-all"],
            capture_output=True,
            text=True,
            check=True,
        )
        for keyword, option in _selection.KEYWORDS.items():
            self.assertRegex(told.stdout, r"%s\b" % option, keyword)

    def test_a_table_is_named_by_the_nearest(self):
        with self.assertRaisesRegex(KeyError, "did you mean tracks"):
            nprof.open(TPU).table("track")

    def test_values_that_the_program_refuses(self):
        for jobs in (-1, 1025):
            with self.assertRaisesRegex(ValueError, "expected 1 to 1024"):
                nprof.open(TPU, jobs=jobs)
        for call in (
            lambda: nprof.open(str(TPU) + "\0junk"),
            lambda: list(nprof.open(TPU).events(names=["a\0b"])),
            lambda: nprof.open(TPU, step="1\0"),
        ):
            with self.assertRaisesRegex(ValueError, "NUL"):
                call()
        with self.assertRaisesRegex(ValueError, "at least one name"):
            nprof.open(TPU).events(columns=[])

    def test_figures_are_those_of_c_in_any_locale(self):
        """A program that has called setlocale gets the same texts."""
        sources = pathlib.Path("/usr/share/i18n/locales")
        if not shutil.which("localedef") or not (sources / "de_DE").exists():
            self.skipTest("localedef or its sources are not installed")
        program = (
            "import locale, nprof, sys\n"
            "locale.setlocale(locale.LC_ALL, sys.argv[1])\n"
            "print([list(nprof.open(sys.argv[2], analyzers=['sanity'], jobs=int(jobs)).table('sanity')) for jobs in '12'])\n"
        )
        events = []
        for i in range(40):  # the first kernels are 100,000 s before their launches
            call = {
                "ph": "X",
                "cat": "cuda_runtime",
                "name": "cudaLaunchKernel",
                "pid": 1,
                "tid": 1,
                "ts": 1e11 + i * 100,
                "dur": 2,
                "args": {"correlation": i + 1},
            }
            kernel = {
                "ph": "X",
                "cat": "kernel",
                "name": "gemm",
                "pid": 0,
                "tid": 7,
                "ts": (0 if i < 3 else 1e11) + i * 100 + 5,
                "dur": 60,
                "args": {"correlation": i + 1, "device": 0, "stream": 7},
            }
            events += [call, kernel]
        path = write(json.dumps({"traceEvents": events}))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE")],
                check=True,
                capture_output=True,
            )
            texts = {}
            for name in ("C", "de_DE"):
                done = subprocess.run(
                    [sys.executable, "-X", "utf8", "-c", program, name, path],
                    env={**os.environ, "LOCPATH": folder},
                    capture_output=True,
                    text=True,
                )
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
                texts[name] = done.stdout
        os.unlink(path)
        self.assertIn("27.8 h", texts["C"])
        self.assertEqual(texts["de_DE"], texts["C"])

    def test_forks_open_profiles_of_their_own(self):
        """A child has no thread of its parent's runs, and waits for none."""
        program = (
            "import nprof, os, signal, sys\n"
            "signal.alarm(60)\n"
            "profile = nprof.open(sys.argv[1], analyzers='operators')\n"
            "rows, begun = len(list(profile.table('operators'))), iter(profile.events())\n"
            "next(begun)\n"
            "for _ in range(10):\n"
            "    child = os.fork()\n"
            "    if not child:\n"
            "        signal.alarm(20)\n"
            "        assert len(list(profile.table('operators'))) == rows\n"
            "        assert list(nprof.open(sys.argv[1]).events())\n"
            "        del profile, begun\n"
            "        sys.exit(0)\n"
            "    assert os.waitpid(child, 0)[1] == 0\n"
        )
        done = subprocess.run([sys.executable, "-c", program, TPU], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_tools_are_those_of_the_program(self):
        """Each is a method with the arguments that nprof ask --list has, but open and table, which
        are Python's own."""
        listed = subprocess.run(
            [os.environ["NPROF"], "ask", "--list"], capture_output=True, text=True, check=True
        ).stdout
        for line in listed.splitlines()[2:]:
            tool, arguments = [cell.strip(" `") for cell in line.split("|")[1:3]]
            if tool in ("open", "table"):
                continue
            given = [
                name
                for name in arguments.replace("**", "").replace(" ", "").split(",")
                if name not in ("id", "base")
            ]
            found = list(inspect.signature(getattr(nprof.Profile, tool)).parameters)[1:]
            self.assertEqual(sorted(found), sorted(given), tool)

    def test_answers_have_their_members_as_attributes(self):
        with tempfile.TemporaryDirectory() as cache, unittest.mock.patch.dict(
            os.environ, {"XDG_CACHE_HOME": cache}
        ):
            profile = nprof.open(TPU)
            done = subprocess.run(
                [os.environ["NPROF"], "ask", "--json", "verdict", TPU],
                capture_output=True,
                text=True,
            )
            verdict = profile.verdict()
            self.assertEqual(verdict, json.loads(done.stdout))
            self.assertEqual(
                (verdict.code, verdict.tool, verdict.nothing),
                (verdict["data"]["code"], "verdict", None),
            )
            self.assertEqual(verdict.parts[0].ns, verdict["data"]["parts"][0]["ns"])
            rows = profile.ask("table", name="tracks", columns=["label"], limit=1)
            self.assertEqual(len(rows.rows), 1)
            with self.assertRaisesRegex(nprof.Error, "tracks"):
                profile.ask("table", name="trakcs")

    def test_the_report_is_the_programs(self):
        done = subprocess.run(
            [os.environ["NPROF"], "report", TPU], capture_output=True, text=True, check=True
        )
        self.assertEqual(nprof.open(TPU).report(), done.stdout)

    def test_the_report_has_the_selection_of_the_profile(self):
        options = ["--name", "*fusion*", "--from", "5ms"]
        done = subprocess.run(
            [os.environ["NPROF"], "report", *options, TPU],
            capture_output=True,
            text=True,
            check=True,
        )
        for names in ("*fusion*", ["*fusion*"]):
            self.assertEqual(nprof.open(TPU, names=names, start="5ms").report(), done.stdout)


@needs_pandas
class Pandas(unittest.TestCase):
    def frame(self, events):
        path = write(json.dumps({"traceEvents": events}))
        frame = nprof.open(path).events().to_pandas()
        os.unlink(path)
        return frame

    def test_types(self):
        frame = nprof.open(TPU).events().to_pandas()
        self.assertEqual(str(frame.dtypes["duration_ps"]), "Int64")
        self.assertEqual(str(frame.dtypes["flow"]), "UInt64")
        self.assertEqual(str(frame.dtypes["row"]), "UInt64")
        self.assertEqual(str(frame.dtypes["name"]), "category")
        self.assertEqual(str(frame.dtypes["hlo_category"]), "category")

    def test_values_are_those_of_rows(self):
        profile = nprof.open(TPU, analyzers=["operators"])
        for result in (profile.events(), profile.table("operators"), profile.table("tracks")):
            frame = result.to_pandas()
            for index, row in enumerate(result):
                for name, value in row.items():
                    got = frame[name].iloc[index]
                    self.assertTrue(
                        pandas.isna(got) if value is None else got == value, (name, got, value)
                    )

    def test_numbers_beyond_a_double_stay_exact(self):
        event = {"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
        launch = dict(event, args={"correlation": 2**53 + 1})
        frame = self.frame([event, launch])
        self.assertEqual(list(frame["correlation_id"].dropna()), [2**53 + 1])

    def test_no_rows(self):
        frame = (
            nprof.open(TPU).events(names=["no such name"], columns=["name", "start_ps"]).to_pandas()
        )
        self.assertEqual(list(frame.columns), ["name", "start_ps"])

    def test_memory_is_shared_and_outlives_all(self):
        series = nprof.open(TPU).events(columns=["duration_ps"]).to_pandas()["duration_ps"]
        gc.collect()
        self.assertFalse(series.array._data.flags.owndata)
        self.assertEqual(
            series.dropna().sum(), sum(as_ps(r["duration_ns"]) or 0 for r in csv_of(TPU, "events"))
        )


class Memory(unittest.TestCase):
    def resident(self):
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def test_many_opens_leak_nothing(self):
        path = write(
            json.dumps(
                {"traceEvents": [{"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}
            )
        )
        for number in range(1000):
            if number == 200:
                before = self.resident()
            list(nprof.open(path).events())
        os.unlink(path)
        self.assertLess(self.resident() - before, 8 << 20)
        self.assertLess(len(os.listdir("/proc/self/fd")), 50)
        self.assertLess(len(os.listdir("/proc/self/task")), 10)

    def test_what_is_alive_at_exit_does_no_harm(self):
        program = (
            "import nprof, sys\n"
            "p = nprof.open(sys.argv[1], analyzers='operators')\n"
            "kept = [p, p.events(), p.table('operators'), p.events().__arrow_c_stream__(),\n"
            "        p.table('operators').__arrow_c_stream__(), iter(p.events())]\n"
            "next(kept[-1])\n"
            "sys.kept = kept\n"
        )
        done = subprocess.run([sys.executable, "-c", program, TPU], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


def shown_by(example, names):
    """What an interpreter prints of it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(example.source, "docs/python.md", "single"), names)
    return out.getvalue()


class Guide(unittest.TestCase):
    """The examples of docs/python.md run, in order, over the sample; what they are said to print
    they print."""

    def test_examples(self):
        text = (SAMPLES.parent.parent / "docs" / "python.md").read_text()
        names, ran = {}, 0
        for example in doctest.DocTestParser().get_examples(text):
            if pandas is None and any(
                word in example.source for word in ("pandas", "operators[", "hlo")
            ):
                continue
            example.source = example.source.replace("step.xplane.pb", str(TPU))
            out = shown_by(example, names)
            ran += 1
            if example.want:
                self.assertTrue(
                    doctest.OutputChecker().check_output(example.want, out, doctest.ELLIPSIS),
                    example.source + out,
                )
        self.assertGreaterEqual(ran, 5)


if __name__ == "__main__":
    tap.main()
