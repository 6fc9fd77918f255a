# SPDX-License-Identifier: Apache-2.0
"""A profile that was opened: its tables, its events, and nprof's report on it."""

import os
import subprocess

from . import _ask, _library, _run, _selection, _tree
from .result import Events, Table


def open(*inputs, analyzers=(), decoder=None, keep_going=False, jobs=0, **selection):
    """Reads a profile of one or several inputs and runs the analyzers over it.

    inputs: files, folders, or ids of stored profiles. analyzers and decoder are written as on
    nprof's command line: "operators", "latency:by=step". selection is what --from, --to, --step,
    --track, --name and --where say there: start, end, step (texts), tracks, names, where (lists);
    and others, a list of dicts of step, tracks, names and where, whose rows are selected, too, as
    behind --or. With keep_going damaged records are skipped and counted. Error: nprof's text;
    what it only warned of is an NprofWarning."""
    return Profile(inputs, analyzers, decoder, keep_going, jobs, selection)


def _without_none(wished):
    return {key: value for key, value in wished.items() if value is not None}


class Profile(_ask.Tools):
    """What open() gives.  The tables are there at once; events are read when they are asked for."""

    def __init__(self, inputs, analyzers, decoder, keep_going, jobs, selection):
        _selection.check("open()", selection)
        if not inputs:
            raise TypeError("open() needs at least one input")
        self._request = _without_none(
            dict(inputs=inputs, decoder=decoder, keep_going=keep_going, jobs=jobs, **selection)
        )
        self._analyzers = analyzers
        self._run = _run.TablesRun(analyzers=analyzers, **self._request)

    @property
    def inputs(self):
        return [os.fspath(path) for path in self._request["inputs"]]

    @property
    def messages(self):
        """What nprof warned of, a line each; empty: nothing."""
        return self._run.messages

    @property
    def tables(self):
        """The names of the tables that there are."""
        return self._run.names

    def table(self, name):
        """A table by its name. KeyError: there is none of that name; the error lists those there
        are."""
        if name not in self._run.names:
            near = _selection.nearest(name, self.tables)
            listed = ", ".join(self.tables) or "none"
            raise KeyError("no table %s%s (there are %s)" % (name, near, listed))
        return Table(self._run, name)

    def events(self, columns=None, **selection):
        """Rows of the profile.  columns: names of those wanted, in that order; without it, all.
        selection narrows what open() selected: start, end, step, tracks, names, where, others.
        TypeError: another keyword; ValueError: no column is asked for."""
        _selection.check("events()", selection)
        if columns is not None:
            columns = [columns] if isinstance(columns, str) else list(columns)
            if not columns:
                raise ValueError("columns: expected at least one name; without columns, all")
        request = dict(self._request, **selection)
        if columns is not None:
            request["columns"] = columns
        return Events(_without_none(request))

    def report(self, *options):
        """The text of `nprof report` on the same inputs, with options as on its command line."""
        program = _tree.program()
        if not program:
            raise _library.Error("report() runs the program nprof, which is not on PATH")
        done = subprocess.run(
            [program, "report", *self._options(), *options, *self.inputs],
            text=True,
            capture_output=True,
            errors="surrogateescape",
        )
        if done.returncode not in (0, 3):  # 3: done, with losses that the report names
            raise _library.Error(done.stderr.strip())
        return done.stdout

    def _options(self):
        options = ["--keep-going"] if self._request["keep_going"] else []
        if "decoder" in self._request:
            options += ["-d", self._request["decoder"]]
        return options + _selection.options(self._request)

    def _repr_html_(self):
        import html

        listed = "".join("<li>%s</li>" % html.escape(name) for name in self.tables)
        return "<p>%s</p><ul>%s</ul>" % (html.escape(", ".join(self.inputs)), listed)

    def __repr__(self):
        return "<nprof profile of %s: %s>" % (", ".join(self.inputs), ", ".join(self.tables))
