# SPDX-License-Identifier: Apache-2.0
"""Recording from Python: `nprof capture` around a block of a program.

    from nprof.capture import xla

    with xla(port=9012, ms_duration=10000) as profiler:
        model(inputs)
        xm.mark_step()
    profiler.path               # the XSpace, for nprof.open() and nprof view
"""

import re
import subprocess
import sys
import warnings

from . import _library, _tree


class xla:
    """Asks the profiler that the program serves on a port of this machine, while the block runs.

    The words are those of torch_neuronx.experimental.profiler.profile. Where the program has loaded
    torch_xla, its server is started on the port; JAX and TensorFlow start theirs by
    start_server(port). ms_duration: the recording ends after so many milliseconds, also when the
    block runs on; the end of the block waits for it. profile_type: "operator" or "trace", which
    record the same here. traced_only: XLA's profiler cannot be asked for traced models alone, so
    that all is recorded, and an NprofWarning says so. logdir: the log folder; extract: the folder
    that gets the JSON files of the Neuron runtime, as torch-neuronx writes them; None: none. Error:
    nprof's text, when the recording failed."""

    def __init__(
        self,
        port=9012,
        profile_type="operator",
        ms_duration=2000,
        traced_only=False,
        *,
        logdir="logs",
        extract="temp_profiler_logs"
    ):
        if profile_type not in ("operator", "trace"):
            raise ValueError(
                'profile_type: expected "operator" or "trace", not %r' % (profile_type,)
            )
        self.path = None
        self._port, self._ms, self._logdir, self._extract = (
            int(port),
            int(ms_duration),
            logdir,
            extract,
        )
        self._program = _tree.program()
        if not self._program:
            raise _library.Error("xla() runs the program nprof, which is not on PATH")
        if traced_only:
            warnings.warn(
                "traced_only: the whole program is recorded, not its traced models alone",
                _library.NprofWarning,
                stacklevel=2,
            )

    def __enter__(self):
        if "torch_xla" in sys.modules:
            from torch_xla.debug import profiler

            self._server = profiler.start_server(
                self._port
            )  # it serves as long as it is referred to
        server = "localhost:%d" % self._port
        words = ["capture", "--xla", server, "--ms", str(self._ms), "-o", str(self._logdir)]
        self._process = subprocess.Popen(
            [self._program, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
        )
        return self

    def __exit__(self, raised, *_):
        print("torch_neuron: Waiting for XLA profile completion ...", flush=True)
        out, err = self._process.communicate()
        saved = re.search(r"^saved (.*)$", out, re.M)
        if saved:
            self.path = saved.group(1)
            if self._extract:
                self._write_planes()
        elif not raised:  # what the block raised says more
            raise _library.Error(err.strip())

    def _write_planes(self):
        words = ["run", "-v", "-d", "xplane:extract=%s" % self._extract, "-s", "null", self.path]
        done = subprocess.run(
            [self._program, *words], text=True, capture_output=True, errors="surrogateescape"
        )
        if done.returncode:
            raise _library.Error(done.stderr.strip())
        print(*re.findall(r"torch_neuron: .*", done.stderr), sep="\n", flush=True)
