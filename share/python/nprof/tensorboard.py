# SPDX-License-Identifier: Apache-2.0
"""A plugin of TensorBoard: tab nprof shows `nprof view` of the log folder.

TensorBoard finds it by its entry point once python3-nprof is installed. It starts one nprof view on
a port of this machine and passes on what the page asks by TensorBoard's own port, so that nobody
forwards another one. Who is not on this machine may read, and write nothing. Written after
TensorBoard's plugin interface and tested against a stand-in for it: TensorBoard was not there.
"""

import atexit
import hashlib
import html
import http.client
import os
import re
import subprocess
import threading
import urllib.parse

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
<p>%s</p>
</html>
"""
# Headers that a request passes on; Host and Origin are those of the server behind.
_PASSED = ("X-Nprof-Token", "X-Nprof-Name", "Sec-Fetch-Site", "If-None-Match")
_OF_THE_CONNECTION = ("connection", "keep-alive", "transfer-encoding", "date", "server")
_PIECE = 1 << 16


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
            "0",
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

    def ask(self, method, path, headers, body):
        """The answer of the server, whose body is still to be read."""
        place = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection("127.0.0.1", place.port)
        connection.request(method, path, body, {"Host": place.netloc, **headers})
        return connection.getresponse()

    def runs(self):
        return self._process.poll() is None


class NprofPlugin(base_plugin.TBPlugin):
    plugin_name = "nprof"

    def __init__(self, context):
        super().__init__(context)
        self._folder = context.logdir
        self._views, self._lock = {}, threading.Lock()  # by the origin of the page

    def get_plugin_apps(self):
        return {"/index.js": self._script, "/view": self._first, "/view/*": self._pass_on}

    def is_active(self):
        """Whether a file of the folder looks as profiles do; else TensorBoard lists the tab as
        inactive."""
        files = (name for _, _, names in os.walk(self._folder or "") for name in names)
        return any(name.endswith(_FILES) for name in files)

    def frontend_metadata(self):
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name="nprof")

    def _script(self, _environ, start):
        return _reply(start, "200 OK", "text/javascript; charset=utf-8", _SCRIPT)

    def _first(self, environ, start):
        """Leads to the profile, or to the list, of the folder."""
        try:
            if not self.is_active():
                raise RuntimeError(
                    "no profile lies below %s: record one into it, or look at another folder by --logdir "
                    "(torch-neuronx writes them since aws-neuronx-tools of Neuron 2.6)"
                    % self._folder
                )
            view = self._of(_origin(environ))
        except (OSError, RuntimeError) as error:
            body = _PAGE % html.escape(str(error))
            return _reply(start, "404 Not Found", "text/html; charset=utf-8", body.encode())
        path = "view" + urllib.parse.urlsplit(view.url).path
        start("302 Found", [("Location", path), ("Cache-Control", "no-store")])
        return []

    def _pass_on(self, environ, start):
        base, path = _asked(environ)
        view = self._of(_origin(environ))
        method, origin = environ["REQUEST_METHOD"], environ.get("HTTP_ORIGIN")
        reads = method in ("GET", "HEAD")
        if not reads and not _is_here(environ):
            return _refuse(start, "through TensorBoard only who is on its machine may write")
        if not reads and origin != _origin(environ):
            return _refuse(start, "the header Origin is not TensorBoard")
        headers = {
            name: environ["HTTP_" + name.upper().replace("-", "_")]
            for name in _PASSED
            if "HTTP_" + name.upper().replace("-", "_") in environ
        }
        if not reads:
            headers["Origin"] = re.match(r"\w+://[^/]+", view.url).group(0)
            headers["Content-Type"] = environ.get("CONTENT_TYPE", "")
            headers["Content-Length"] = environ.get("CONTENT_LENGTH") or "0"
        if path.startswith("/api/"):  # other texts are looked at here
            headers["Accept-Encoding"] = environ.get("HTTP_ACCEPT_ENCODING", "")
        answer = view.ask(method, path, headers, None if reads else _body(environ))
        own = [
            (name, value)
            for name, value in answer.getheaders()
            if name.lower() not in _OF_THE_CONNECTION
        ]
        if not answer.getheader("Content-Type", "").startswith("text/html"):
            start("%d %s" % (answer.status, answer.reason), own)
            return iter(lambda: answer.read(_PIECE), b"")
        page = re.sub(
            rb'( (?:href|src)=")/', lambda at: at.group(1) + base.encode() + b"/", answer.read()
        )
        own = [(name, value) for name, value in own if name.lower() != "content-length"]
        start("%d %s" % (answer.status, answer.reason), [*own, ("Content-Length", str(len(page)))])
        return [page]

    def _of(self, origin):
        """One server for each name by which people reach TensorBoard, as only that may frame its
        page."""
        with self._lock:
            view = self._views.get(origin)
            if not view or not view.runs():
                view = self._views[origin] = View(self._folder, origin)
            return view


def _origin(environ):
    return "%s://%s" % (environ.get("wsgi.url_scheme", "http"), environ.get("HTTP_HOST", ""))


def _asked(environ):
    """What stands before paths of nprof view, and which of them is asked for, as it was sent."""
    sent = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if not sent:
        path = urllib.parse.quote(environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"])
        sent = "?".join(filter(None, (path, environ.get("QUERY_STRING"))))
    before, _, path = sent.partition("/view/")
    return before + "/view", "/" + path


def _is_here(environ):
    """Whether a person on this machine asks, by a name that no other server can have."""
    host = urllib.parse.urlsplit("//" + environ.get("HTTP_HOST", "")).hostname
    address = environ.get("REMOTE_ADDR", "")
    is_near = address.startswith("127.") or address in ("::1", "::ffff:127.0.0.1")
    return is_near and host in ("localhost", "127.0.0.1", "::1")


def _body(environ):
    left = int(environ.get("CONTENT_LENGTH") or 0)
    while left:
        piece = environ["wsgi.input"].read(min(left, _PIECE))
        if not piece:
            return
        left -= len(piece)
        yield piece


def _refuse(start, why):
    body = '{"error": {"text": "%s"}}' % why
    return _reply(start, "403 Forbidden", "application/json", body.encode())
