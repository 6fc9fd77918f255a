# SPDX-License-Identifier: Apache-2.0
"""Recording from Python: `nprof capture` around a block of a program.

    from nprof.capture import xla

    with xla(port=9012, ms_duration=10000) as profiler:
        model(inputs)
        xm.mark_step()
    profiler.path               # the XSpace, for nprof.open() and nprof view
"""

import os
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
    record the same here. traced_only: XLA's profiler records all, of which path keeps the models
    that torch_neuronx.trace() compiled: planes of the Neuron runtime but for models of mark_step,
    whose files name SyncTensorsGraph. An NprofWarning says what was left out, and that PATH.all has
    it. logdir: the log folder; extract: the folder
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
        self._traced_only = traced_only

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
            if self._traced_only:
                _keep_traced(self.path)
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


_RUNTIME = b"/host:Neuron-runtime:"
_LAZY = b"SyncTensorsGraph"  # the program that torch_xla makes of what lies between two mark_step()


def _varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def _fields(data):
    """(number, all of its bytes, what is in them) of each field of a message that has only texts
    and messages, or numbers, as XSpace and the head of XPlane do."""
    at = 0
    while at < len(data):
        key, end = _varint(data, at)
        length, end = _varint(data, end)
        begin = end
        end += length if key & 7 == 2 else 0
        yield key >> 3, data[at:end], data[begin:end]
        at = end


def _name_of(plane):
    return next((bytes(inside) for number, _, inside in _fields(plane) if number == 2), b"")


def _model_of(name):
    return name.partition(b"/plugins/")[0]


def _keep_traced(path):
    """Leaves the planes of traced models in a file of XSpace, and keeps what it was as PATH.all."""
    with open(path, "rb") as file:
        fields = list(_fields(file.read()))
    planes = [(_name_of(inside), inside) for number, _, inside in fields if number == 1]
    runtime = {_model_of(name) for name, _ in planes if name.startswith(_RUNTIME)}
    lazy = {_model_of(name) for name, plane in planes if _LAZY in plane} & runtime
    kept = runtime - lazy
    if not kept:
        why = "no model of torch_neuronx.trace() ran: all is kept"
        return warnings.warn("traced_only: " + why, _library.NprofWarning, stacklevel=3)
    with open(path + ".traced", "wb") as file:
        for number, whole, inside in fields:
            if number != 1 or _model_of(_name_of(inside)) in kept:
                file.write(whole)
    os.rename(path, path + ".all")
    os.rename(path + ".traced", path)
    left_out = sum(_model_of(name) not in kept for name, _ in planes)
    warnings.warn(
        "traced_only: %d planes left out, with %d models of mark_step; %s.all has them"
        % (left_out, len(lazy), path),
        _library.NprofWarning,
        stacklevel=3,
    )
