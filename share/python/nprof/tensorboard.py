# SPDX-License-Identifier: Apache-2.0
"""A plugin of TensorBoard: tab nprof shows `nprof view` of the log folder.

TensorBoard finds it by its entry point once python3-nprof is installed. It starts one nprof view,
on the port that NPROF_VIEW_PORT says (a free one without it); who looks from another machine
forwards that port beside TensorBoard's. Written after TensorBoard's plugin interface and tested
against a stand-in for it: TensorBoard itself was not there.
"""

import atexit
import hashlib
import html
import os
import re
import subprocess
import threading

from tensorboard.plugins import base_plugin

from . import _tree

_FILES = (
    ".xplane.pb",
    ".ntff",
    ".neff",
    ".pt.trace.json",
    ".pt.trace.json.gz",
    "neuron_op_timeline.json",
)
_SCRIPT = b"""export function render() {
  const frame = document.createElement('iframe')
  frame.src = './view'
  frame.title = 'nprof view'
  frame.style = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0'
  document.body.append(frame)
}
"""
_PAGE = """<!doctype html>
<html lang="en">
<title>nprof</title>
<style>html, body, iframe { margin: 0; width: 100%%; height: 100%%; border: 0; display: block }</style>
%s
</html>
"""


def _reply(start, status, kind, body, policy="default-src 'none'"):
    start(
        status,
        [
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", policy),
            ("Cache-Control", "no-store"),
        ],
    )
    return [body]


def _store_of(folder):
    """Where the profiles of a log folder are stored: apart from all others, so that its list shows
    the runs of the folder alone."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    name = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:16]
    return os.path.join(data, "nprof", "tensorboard", name)


class View:
    """The nprof view of a folder, which pages of one origin may frame; it ends with TensorBoard."""

    def __init__(self, folder, origin):
        program = _tree.program()
        if not program:
            raise RuntimeError("the program nprof is not on PATH")
        words = [
            "view",
            "--port",
            os.environ.get("NPROF_VIEW_PORT", "0"),
            "--framed-by",
            origin,
            "--store",
            _store_of(folder),
            "--logdir",
            folder,
        ]
        self._process = subprocess.Popen(
            [program, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        atexit.register(self.close)
        said = iter(self._process.stdout.readline, "")
        urls = (re.search(r"^View .* at (\S+)", line) for line in said)
        self.url = next((found.group(1) for found in urls if found), None)
        if not self.url:
            raise RuntimeError(
                self._process.stderr.read().strip() or "nprof view ended without a word"
            )
        # What it says later would fill the pipes.
        for pipe in self._process.stdout, self._process.stderr:
            threading.Thread(target=pipe.read, daemon=True).start()

    def close(self):
        atexit.unregister(self.close)
        self._process.terminate()
        self._process.wait()

    def runs(self):
        return self._process.poll() is None


class NprofPlugin(base_plugin.TBPlugin):
    plugin_name = "nprof"

    def __init__(self, context):
        super().__init__(context)
        self._folder = context.logdir
        self._views, self._lock = {}, threading.Lock()  # by the origin of the page

    def get_plugin_apps(self):
        return {"/index.js": self._script, "/view": self._view}

    def is_active(self):
        """Whether a file of the folder looks as profiles do; else TensorBoard lists the tab as
        inactive."""
        files = (name for _, _, names in os.walk(self._folder or "") for name in names)
        return any(name.endswith(_FILES) for name in files)

    def frontend_metadata(self):
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name="nprof")

    def _script(self, _environ, start):
        return _reply(start, "200 OK", "text/javascript; charset=utf-8", _SCRIPT)

    def _view(self, environ, start):
        origin = "%s://%s" % (environ.get("wsgi.url_scheme", "http"), environ.get("HTTP_HOST", ""))
        try:
            if not self.is_active():
                raise RuntimeError(
                    "no profile lies below %s: record one into it, or look at another folder by --logdir "
                    "(torch-neuronx writes them since aws-neuronx-tools of Neuron 2.6)"
                    % self._folder
                )
            url = self._url(origin)
        except (OSError, RuntimeError) as error:
            body = _PAGE % ("<p>%s" % html.escape(str(error)))
            return _reply(
                start,
                "404 Not Found",
                "text/html; charset=utf-8",
                body.encode(),
                "default-src 'none'; style-src 'unsafe-inline'",
            )
        body = _PAGE % ('<iframe title="nprof view" src="%s"></iframe>' % html.escape(url))
        where = re.match(r"\w+://[^/]+", url).group(0)
        return _reply(
            start,
            "200 OK",
            "text/html; charset=utf-8",
            body.encode(),
            "default-src 'none'; style-src 'unsafe-inline'; frame-src " + where,
        )

    def _url(self, origin):
        """One server for each name by which people reach TensorBoard, as only that may frame its
        page."""
        with self._lock:
            view = self._views.get(origin)
            if not view or not view.runs():
                view = self._views[origin] = View(self._folder, origin)
            return view.url
