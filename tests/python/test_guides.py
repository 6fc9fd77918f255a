#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of the five guides of vendors that docs/vendor-guides.md is about: what their tools
print is printed here to the letter, but for the lines that are named with their reason; a block
that no tool of ours prints has its reason, too. The guides are no part of the project: they lie
beside the folder that NPROF_TEST_DATA names. Prints TAP."""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import warnings

import tap

from nprof import furiosa
from nprof.capture import xla

try:
    import pandas
except ImportError:
    pandas = None
TESTS = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(TESTS / "cli"))
import xspace  # noqa: E402

BESIDE = pathlib.Path(os.environ.get("NPROF_TEST_DATA", "")).parent
PLANES = (
    "/host:Neuron-runtime:profile//c1a992f0ea378f7a_1/model10001/node5/plugins/neuron/1682643254/"
)

# Blocks that a tool of the vendor does not print, or that ours has no part in: guide, block,
# reason.
NOT_PRINTED = {
    ("000", 0): "commands of a shell that install the vendor's packages",
    ("000", 1): "commands of a shell that install the vendor's packages",
    ("000", 2): "a command; it prints nothing (tests/cli/capture.py runs it)",
    ("000", 6): "a command of ssh",
    (
        "000",
        9,
    ): "printed by InfluxDB's client with a path of its server (tests/services/view-database.py)",
    ("000", 10): "lines of a file of the system (the same test holds them)",
    ("000", 11): "lines of a file of the system (the same test holds them)",
    ("000", 12): "a command of ssh",
    ("001", 0): "commands of a shell",
    ("001", 1): "commands of a shell",
    ("001", 2): "a program of PyTorch; its context manager is nprof.capture.xla (block 5)",
    ("001", 3): "a command",
    ("001", 4): "printed by the compiler neuronx-cc",
    ("001", 6): "printed by the program itself: what its model computes",
    ("001", 7): "a part of the program",
    ("001", 8): "commands of a shell",
    ("001", 9): "a program of PyTorch; its context manager is nprof.capture.xla (block 5)",
    ("001", 10): "a command",
    ("002", 0): "commands of a shell that install the vendor's packages",
    ("002", 1): "printed by TensorBoard",
    ("002", 2): "commands of ssh",
    ("004", 0): "commands of a shell, and what ls prints",
    ("004", 1): "a program for Furiosa's runtime (tests/python/test_furiosa.py runs its lines)",
    ("004", 2): "a program for Furiosa's runtime; its prints are blocks 3 to 8",
    ("004", 8): "a row that no table of the guide has: tests/python/test_furiosa.py holds it",
}

# Blocks that are printed here.
PRINTED = [*(("000", number) for number in (3, 4, 5, 7, 8)), ("001", 5)]
PRINTED += [("004", number) for number in range(3, 8)]

# Parts of printed lines that are those of a run, or ours on purpose: pattern, what stands for it,
# reason.
DIFFERS = [
    (r"\$ neuron-profile", "$ nprof", "the program is ours"),
    (r"http://(0\.0\.0\.0|localhost):\d+", "http://HOST:PORT", "localhost is safer; a free port"),
    (r"n_[0-9a-f]{40}", "BUCKET", "the id is that of the files"),
    (r"^ +(?=trace_id|average)", "", "the page lost one space of the heads that pandas prints"),
    (r"^ERRO\[000\d\] *\n?", "", "a stamp of the vendor's log; ours has a line of nprof before"),
]
# Of the session of a log folder the time is that of the run.
STAMP = (r"20\d\d(_\d\d){5}|20\d\d-\d\d-\d\d \d\d:\d\d:\d\d|\['20\d\d'(, '\d\d'){5}\]", "STAMP")


def blocks_of(text):
    """The literal blocks of a guide, without their indent; one that has none is no block."""
    lines, blocks, at = text.split("\n"), [], 0
    while at < len(lines):
        line, at = lines[at], at + 1
        indent = len(line) - len(line.lstrip())
        begins = re.match(r"\s*\.\. code(-block)?::", line) or (
            line.endswith("::") and not line.lstrip().startswith(".. ")
        )
        if not begins:
            continue
        body = []
        while at < len(lines) and (
            not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent
        ):
            body.append(lines[at])
            at += 1
        if any(line.strip() for line in body):
            least = min(len(line) - len(line.lstrip()) for line in body if line.strip())
            blocks.append("\n".join(line[least:].rstrip() for line in body).strip("\n"))
    return blocks


def guides():
    folder = BESIDE / "seeds"
    found = {}
    for path in sorted(folder.glob("*.txt")) if folder.is_dir() else []:
        for number, block in enumerate(blocks_of(path.read_text())):
            found[path.name[:3], number] = block
    return found


def same_for_all(text):
    for pattern, stands, _ in DIFFERS:
        text = re.sub(pattern, stands, text, flags=re.M)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def printed(call):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        call()
    return out.getvalue()


class Guides(unittest.TestCase):
    guides = guides()

    def setUp(self):
        if not self.guides:
            self.skipTest("NPROF_TEST_DATA names no folder beside seeds")
        warnings.simplefilter("ignore")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.env = os.environ | {"HOME": folder.name, "XDG_CACHE_HOME": folder.name}
        self.env["XDG_DATA_HOME"] = self.env["XDG_STATE_HOME"] = folder.name
        for maker in "neff-make.py", "ntff_make.py":
            command = [sys.executable, "-B", TESTS / "tools" / maker, "made"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shutil.copy("made/synthetic_pkg2_gz.neff", "file.neff")
        shutil.copy("made/synthetic_1.ntff", "profile.ntff")

    def nprof(self, line, *words, **env):
        """What the line of the guide prints, behind the line."""
        command = [os.environ["NPROF"], *line.split()[2:], *words]
        done = subprocess.run(
            command, env=self.env | env, text=True, capture_output=True, stdin=subprocess.DEVNULL
        )
        return done.stdout, done.stderr

    def served(self, line):
        """The same of a server, as far as a block of the guide goes; it is stopped by Ctrl-C."""
        command = [os.environ["NPROF"], *line.split()[2:], "--port", "0"]
        server = subprocess.Popen(command, env=self.env, text=True, stdout=subprocess.PIPE)
        said = [server.stdout.readline() for _ in range(2)]
        server.send_signal(signal.SIGINT)
        server.communicate()
        return "".join(said)

    def check(self, guide, number, said):
        self.assertEqual(same_for_all(said), same_for_all(self.guides[guide, number]))

    def test_every_block_is_known(self):
        self.assertEqual(sorted(self.guides), sorted([*PRINTED, *NOT_PRINTED]))

    def test_a_profile_is_served(self):
        line = self.guides["000", 3].split("\n")[0]
        self.check("000", 3, line + "\n" + self.served(line))

    def test_a_list_is_served(self):
        line = self.guides["000", 4].split("\n")[0]
        said = self.served(line).split("\n")
        self.assertEqual(said[1], "ctrl-c to exit")  # as of one profile; the guide leaves it out
        self.check("000", 4, line + "\n" + said[0])

    def test_a_profile_is_stored_alone(self):
        line = self.guides["000", 5].split("\n")[0]
        self.check("000", 5, line + "\n" + self.nprof(line)[0])

    def without_database(self, number):
        line = self.guides["000", number].split("\n")[0]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = "http://127.0.0.1:%d" % free.getsockname()[1]
            said = self.nprof(line, "--ingest-only", "--db-endpoint", url, PATH=os.getcwd())[1]
        lines = said.strip("\n").split("\n")
        own = [one for one in lines if one.startswith("nprof: ")]  # before those of the guide
        self.assertEqual(
            [one.split(": ")[1] for one in own], ["warning"] * (len(own) - 1) + ["error"]
        )
        self.assertIn("nothing listens at " + url, own[-1])
        theirs = lines[len(own) :]
        self.check("000", number, "\n".join([line, *theirs]))

    def test_influxdb_is_not_installed(self):
        self.without_database(7)

    def test_influxdb_has_no_token(self):
        pathlib.Path("influx").write_text("#!/bin/sh\nexit 1\n")
        os.chmod("influx", 0o755)
        self.without_database(8)

    @unittest.skipUnless(os.environ["NPROF_XLA"] == "1", "built without libcurl")
    @unittest.skipUnless(shutil.which("node"), "node is not here")
    def test_torch_neuronx_says_what_it_translates(self):
        span = json.dumps({"name": "dot", "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1})
        record = xspace.event(
            1, 0, 0, xspace.message(4, xspace.number(1, 3) + xspace.message(5, span))
        )
        files = re.findall(r"Processing plane: '.*/(\w+\.json)'", self.guides["001", 5])
        planes = [
            xspace.plane(
                number,
                PLANES + file,
                xspace.line(1, "t", record) if "timeline" in file else b"",
                xspace.named(4, 1, "r"),
                xspace.named(5, 3, "event"),
            )
            for number, file in enumerate(files, 1)
        ]
        pathlib.Path("served.pb").write_bytes(xspace.plane(9, "/host:CPU") + b"".join(planes))
        server = subprocess.Popen(
            ["node", TESTS / "tools" / "xla-stub.mjs", "served.pb"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.addCleanup(server.communicate)
        port = json.loads(server.stdout.readline())["xspace"]

        def record_it():
            with xla(port=port, profile_type="operator", ms_duration=100):
                pass

        stamped = [re.sub(*STAMP, text) for text in (printed(record_it), self.guides["001", 5])]
        self.assertEqual(*(same_for_all(text) for text in stamped))
        self.assertEqual(stamped[1].count("STAMP"), 3)  # the session's own time

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_furiosas_tables(self):
        profiler = furiosa.load(BESIDE / "golden" / "furiosa" / "furiosa_0.9_doc.csv")
        for number, call in enumerate(
            [
                profiler.print_summary,
                profiler.print_inferences,
                profiler.print_npu_executions,
                profiler.print_npu_operators,
                profiler.print_external_operators,
            ],
            3,
        ):
            self.check("004", number, printed(call))


if __name__ == "__main__":
    tap.main()
