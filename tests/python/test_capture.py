#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nprof.capture.xla beside the server that stands for the profiler of an XLA program: the lines of
the torch-neuronx guide, the files that it names, and what a failure says. Prints TAP."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import warnings

import tap

import nprof
from nprof.capture import xla

TESTS = pathlib.Path(os.environ["NPROF_SAMPLES"]).parent.parent / "tests"
sys.path.insert(0, str(TESTS / "cli"))
import xspace  # noqa: E402

FOLDER = (
    "/host:Neuron-runtime:profile//c1a992f0ea378f7a_1/model10001/node5/plugins/neuron/1682643254/"
)


def neuron_profile(name="dot.3", model="model10001"):
    """An XSpace of a host and of two files of the Neuron runtime, which hold the same timeline."""
    span = json.dumps({"name": name, "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1})
    record = xspace.event(1, 0, 0, xspace.message(4, xspace.number(1, 3) + xspace.message(5, span)))
    planes = [
        xspace.plane(
            number,
            FOLDER.replace("model10001", model) + file,
            xspace.line(1, "t", record),
            xspace.named(4, 1, "r"),
            xspace.named(5, 3, "event"),
        )
        for number, file in enumerate(
            ["neuron_op_timeline_split.json", "neuron_op_timeline.json"], 1
        )
    ]
    return b"".join([xspace.plane(9, "/host:CPU"), *planes])


@unittest.skipUnless(os.environ["NPROF_XLA"] == "1", "built without libcurl")
@unittest.skipUnless(shutil.which("node"), "node is not here")
class Xla(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.serve(neuron_profile())

    def serve(self, data):
        pathlib.Path("served.pb").write_bytes(data)
        server = subprocess.Popen(
            ["node", TESTS / "tools" / "xla-stub.mjs", "served.pb"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.addCleanup(server.communicate)
        self.ports = json.loads(server.stdout.readline())

    def recorded(self, way="xspace", **how):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            with xla(port=self.ports[way], ms_duration=100, **how) as profiler:
                pass
        return profiler, out.getvalue().splitlines()

    def test_it_prints_what_the_guide_prints(self):
        profiler, lines = self.recorded(profile_type="operator")
        session = os.path.basename(os.path.dirname(profiler.path))
        parts = session.split("_")
        said = [
            "Waiting for XLA profile completion ...",
            "translate_xplane: Processing plane: '/host:CPU'",
            "XLA decode - Read filename " + session,
            "XLA decode - Read date parts " + str(parts),
            "XLA decode - Read start date %s-%s-%s %s:%s:%s from directory stamp" % tuple(parts),
        ]
        for file in "neuron_op_timeline_split.json", "neuron_op_timeline.json":
            said += [
                "translate_xplane: Processing plane: '%s'" % (FOLDER + file),
                "translate_xplane: Writing plane: '%s' to 'temp_profiler_logs/c1a992f0ea378f7a_1/%s'"
                % (FOLDER + file, file),
            ]
        self.assertEqual(lines, ["torch_neuron: " + line for line in said])
        for file in "neuron_op_timeline_split.json", "neuron_op_timeline.json":
            events = json.loads(
                pathlib.Path("temp_profiler_logs/c1a992f0ea378f7a_1", file).read_text()
            )["traceEvents"]
            self.assertEqual([event["name"] for event in events], ["dot.3"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names = [row["name"] for row in nprof.open(profiler.path).events()]
        self.assertEqual(names, ["dot.3"])  # once, though two files hold it

    def test_without_extract_nothing_but_the_profile_is_written(self):
        profiler, lines = self.recorded(extract=None, logdir="other")
        self.assertEqual(
            (len(lines), sorted(os.listdir(".")), os.path.exists(profiler.path)),
            (1, ["other", "served.pb"], True),
        )

    def test_a_server_of_torch_xla_is_started(self):
        started = []
        debug = types.ModuleType("torch_xla.debug")
        debug.profiler = types.SimpleNamespace(start_server=started.append)
        sys.modules.update({"torch_xla": types.ModuleType("torch_xla"), "torch_xla.debug": debug})
        self.addCleanup(
            lambda: [sys.modules.pop(name) for name in ("torch_xla", "torch_xla.debug")]
        )
        self.recorded(extract=None)
        self.assertEqual(started, [self.ports["xspace"]])

    def test_what_failed_is_said(self):
        with self.assertRaisesRegex(nprof.Error, "the server refused"):
            self.recorded("unimplemented")
        with self.assertRaisesRegex(ValueError, "profile_type"):
            xla(profile_type="memory")

    def test_traced_models_alone_are_kept(self):
        """Neither the host nor a model that mark_step compiled; what was recorded lies beside it."""
        served = neuron_profile() + neuron_profile("SyncTensorsGraph.53", "model10002")
        self.serve(served)
        with self.assertWarnsRegex(
            nprof.NprofWarning, "4 planes left out, with 1 models of mark_step"
        ):
            profiler, _ = self.recorded(traced_only=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names = [row["name"] for row in nprof.open(profiler.path).events()]
        self.assertEqual(names, ["dot.3"])
        self.assertEqual(os.listdir("temp_profiler_logs"), ["c1a992f0ea378f7a_1"])
        self.assertEqual(
            sorted(os.listdir(os.path.dirname(profiler.path))),
            sorted([os.path.basename(profiler.path) + end for end in ("", ".all")]),
        )
        self.assertEqual(pathlib.Path(profiler.path + ".all").read_bytes(), served)

    def test_without_a_traced_model_all_is_kept(self):
        data = neuron_profile("SyncTensorsGraph.53")
        self.serve(data)
        with self.assertWarnsRegex(nprof.NprofWarning, "all is kept"):
            profiler, _ = self.recorded(traced_only=True)
        self.assertEqual(pathlib.Path(profiler.path).read_bytes(), data)


if __name__ == "__main__":
    tap.main()
