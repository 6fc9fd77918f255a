#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugin of TensorBoard beside what stands for TensorBoard's interface and its web server: the
frame that it shows is a real nprof view of the log folder, which the page may frame. Prints TAP."""

import configparser
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import urllib.error
import urllib.parse
import urllib.request
import wsgiref.simple_server

import tap

SAMPLES = pathlib.Path(os.environ["NPROF_SAMPLES"])
SOURCE = SAMPLES.parent.parent


class Metadata(types.SimpleNamespace):
    pass


base_plugin = types.ModuleType("tensorboard.plugins.base_plugin")
base_plugin.TBPlugin = type("TBPlugin", (), {"__init__": lambda self, context: None})
base_plugin.FrontendMetadata = Metadata
plugins = types.ModuleType("tensorboard.plugins")
plugins.base_plugin = base_plugin
sys.modules.update(
    {
        "tensorboard": types.ModuleType("tensorboard"),
        "tensorboard.plugins": plugins,
        "tensorboard.plugins.base_plugin": base_plugin,
    }
)


class Silent(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Plugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs = os.path.join(folder.name, "logs")
        os.environ["XDG_DATA_HOME"] = folder.name
        run = os.path.join(self.logs, "plugins/profile/2023_04_28_00_54_04")
        os.makedirs(run)
        self.profile = os.path.join(run, "host.xplane.pb")
        shutil.copy(SAMPLES / "synthetic_tpu.xplane.pb", self.profile)

    def plugin(self):
        points = configparser.ConfigParser()
        points.read(SOURCE / "share/python/dist-info/entry_points.txt")
        module, name = points["tensorboard_plugins"]["nprof"].split(":")
        plugin = getattr(importlib.import_module(module), name)(
            types.SimpleNamespace(logdir=self.logs)
        )
        self.addCleanup(lambda: [view.close() for view in plugin._views.values()])
        apps = plugin.get_plugin_apps()

        def route(
            environ,
        ):  # as TensorBoard does: an exact path, else what begins as "/view/*" does
            path = environ["PATH_INFO"]
            return apps.get(path) or apps["/" + path.split("/")[1] + "/*"]

        server = wsgiref.simple_server.make_server(
            "127.0.0.1",
            0,
            lambda environ, start: route(environ)(environ, start),
            handler_class=Silent,
        )
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        return plugin, "http://127.0.0.1:%d" % server.server_port

    def test_the_tab_frames_the_view_of_the_folder(self):
        plugin, origin = self.plugin()
        self.assertTrue(plugin.is_active())
        self.assertEqual(
            plugin.frontend_metadata(), Metadata(es_module_path="/index.js", tab_name="nprof")
        )
        with urllib.request.urlopen(origin + "/index.js") as script:
            self.assertIn("./view", script.read().decode())
        with urllib.request.urlopen(origin + "/view") as page:
            self.assertRegex(page.url, "^%s/view/profile/n_[0-9a-f]{40}$" % origin)
            self.assertTrue(
                page.headers["Content-Security-Policy"].endswith("; frame-ancestors " + origin)
            )
            said = page.read().decode()
        files = re.findall(r'(?:href|src)="([^"]+)"', said)
        self.assertTrue(files)
        for file in files:  # all by TensorBoard's own port
            with urllib.request.urlopen(urllib.parse.urljoin(page.url, file)) as got:
                self.assertTrue(got.url.startswith(origin + "/view/"), got.url)
        with urllib.request.urlopen(
            origin + "/view"
        ) as again:  # one server, however often people look
            self.assertEqual(again.url, page.url)
        self.assertEqual(len(plugin._views), 1)
        ident = page.url.rpartition("/")[2]
        token = re.search(r'name="nprof-token" content="([^"]+)"', said).group(1)

        def rename(**headers):
            return urllib.request.urlopen(
                urllib.request.Request(
                    "%s/view/api/v1/profiles/%s/rename" % (origin, ident),
                    b'{"name": "a/b %"}',
                    {"Content-Type": "application/json", **headers},
                    method="POST",
                )
            )

        with self.assertRaises(urllib.error.HTTPError):
            rename()
        with self.assertRaises(urllib.error.HTTPError):
            rename(**{"X-Nprof-Token": token, "Origin": "http://elsewhere"})
        with rename(**{"X-Nprof-Token": token, "Origin": origin}) as done:
            self.assertEqual(done.status, 200)
        self.assertEqual(self.names(origin), ["a/b %"])
        # Who is elsewhere, or comes by a name that may lead anywhere, reads, and writes nothing.
        is_here = sys.modules[type(plugin).__module__]._is_here
        for address, host, expected in (
            ("127.0.0.1", "localhost:6006", True),
            ("::1", "[::1]:6006", True),
            ("10.0.0.2", "localhost:6006", False),
            ("127.0.0.1", "elsewhere:6006", False),
        ):
            self.assertEqual(
                is_here({"REMOTE_ADDR": address, "HTTP_HOST": host}), expected, (address, host)
            )
        with self.assertRaises(urllib.error.HTTPError) as caught:
            rename(
                **{"X-Nprof-Token": token, "Origin": "http://elsewhere:1", "Host": "elsewhere:1"}
            )
        self.assertIn("may write", caught.exception.read().decode())
        self.assertEqual(self.names(origin), ["a/b %"])

    def names(self, origin):
        with urllib.request.urlopen(origin + "/view/api/v1/profiles") as got:
            return [one["name"] for one in json.load(got)["profiles"]]

    def test_the_list_has_the_runs_of_the_folder_alone(self):
        other = os.path.join(os.path.dirname(self.logs), "other.xplane.pb")
        shutil.copy(SAMPLES / "synthetic_tpu.xplane.pb", other)
        subprocess.run(
            [os.environ["NPROF"], "view", "--ingest-only", other],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        _, origin = self.plugin()
        urllib.request.urlopen(origin + "/view").close()
        self.assertEqual(self.names(origin), ["2023_04_28_00_54_04"])

    def test_a_folder_without_profiles_says_what_to_do(self):
        os.remove(self.profile)
        plugin, origin = self.plugin()
        self.assertFalse(plugin.is_active())
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(origin + "/view")
        said = caught.exception.read().decode()
        self.assertIn("no profile lies below " + self.logs, said)
        self.assertIn("aws-neuronx-tools", said)

    def test_without_nprof_it_says_so(self):
        _, origin = self.plugin()
        with unittest.mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            del os.environ["NPROF"]
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(origin + "/view")
        self.assertIn("not on PATH", caught.exception.read().decode())


if __name__ == "__main__":
    tap.main()
