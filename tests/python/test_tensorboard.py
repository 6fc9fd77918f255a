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
        server = wsgiref.simple_server.make_server(
            "127.0.0.1",
            0,
            lambda environ, start: apps[environ["PATH_INFO"]](environ, start),
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
            url = re.search(r'src="([^"]+)"', page.read().decode()).group(1)
            self.assertTrue(
                page.headers["Content-Security-Policy"].endswith(
                    "frame-src " + re.match(r"http://[^/]+", url).group(0)
                )
            )
        with urllib.request.urlopen(url) as framed:
            self.assertIn("/profile/n_", url)
            self.assertTrue(
                framed.headers["Content-Security-Policy"].endswith("; frame-ancestors " + origin)
            )
        with urllib.request.urlopen(
            origin + "/view"
        ) as again:  # one server, however often people look
            self.assertIn(url, again.read().decode())
        self.assertEqual(len(plugin._views), 1)

    def test_the_list_has_the_runs_of_the_folder_alone(self):
        other = os.path.join(os.path.dirname(self.logs), "other.xplane.pb")
        shutil.copy(SAMPLES / "synthetic_tpu.xplane.pb", other)
        subprocess.run(
            [os.environ["NPROF"], "view", "--ingest-only", other],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        _, origin = self.plugin()
        with urllib.request.urlopen(origin + "/view") as page:
            url = re.search(r'src="([^"]+)"', page.read().decode()).group(1)
        with urllib.request.urlopen(
            re.match(r"http://[^/]+", url).group(0) + "/api/v1/profiles"
        ) as got:
            names = [one["name"] for one in json.load(got)["profiles"]]
        self.assertEqual(names, ["2023_04_28_00_54_04"])

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
