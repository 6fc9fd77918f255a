# SPDX-License-Identifier: Apache-2.0
"""The tools of nprof ask as methods of a profile: docs/agents.md says what each answers."""

import json
import subprocess

from . import _library, _tree


class Answer(dict):
    """An answer of schema nprof.answer/1; members of its data, then of itself, are attributes, too:
    answer.code, answer.findings[0].stake_ns, answer.abstained.  What is not there is None: unknown.
    """

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _plain(self.get("data", {}).get(name, self.get(name)))


class Values(dict):
    """An object of an answer, whose members are attributes, too; what is not there is None."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _plain(self.get(name))


def _plain(value):
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return Values(value) if isinstance(value, dict) else value


def _word(name, value):
    if isinstance(value, (list, tuple)):
        value = ",".join(value)
    return "%s=%s" % (name, value)


def ask(tool, inputs, arguments):
    """Runs the program: it keeps what it read, so that a further question takes milliseconds."""
    program = _tree.program()
    if not program:
        raise _library.Error("ask() runs the program nprof, which is not on PATH")
    words = [_word(name, value) for name, value in arguments.items() if value is not None]
    done = subprocess.run(
        [program, "ask", "--json", tool, *inputs, *words],
        text=True,
        capture_output=True,
        errors="surrogateescape",
    )
    answer = json.loads(done.stdout) if done.stdout else {}
    if "error" in answer or not answer:
        nearest = answer.get("error", {}).get("nearest", [])
        listed = ": " + ", ".join(nearest) if nearest else ""
        raise _library.Error((answer["error"]["text"] if answer else done.stderr.strip()) + listed)
    return Answer(answer)


class Tools:
    """What Profile has of them; table() is the whole table, ask("table", name=...) the tool."""

    def ask(self, tool, **arguments):
        """Asks a tool of the program about the whole file, as a dict whose members are attributes,
        too. Error: what the answer says is wrong, with the names that are there."""
        if len(self.inputs) != 1:
            raise _library.Error(
                "ask() is of one file or folder, and the profile has %d" % len(self.inputs)
            )
        return ask(tool, self.inputs, arguments)

    def verdict(self, *, device=None, step=None, rank=None, from_ns=None, to_ns=None):
        """What limits the run, the parts of a step, and findings, most time at stake first."""
        return self.ask(
            "verdict", device=device, step=step, rank=rank, from_ns=from_ns, to_ns=to_ns
        )

    def explain(self, what, *, row=None, name=None):
        """The chain of causes of a finding, idle, step, event or operator."""
        return self.ask("explain", what=what, row=row, name=name)

    def window(self, from_ns, to_ns, *, device=None, step=None, rank=None, buckets=None):
        """How busy devices were in equal parts of a stretch of time, and its longest rows."""
        return self.ask(
            "window",
            from_ns=from_ns,
            to_ns=to_ns,
            device=device,
            step=step,
            rank=rank,
            buckets=buckets,
        )

    def sql(self, query, *, limit=None, cursor=None):
        """Rows of one statement that selects."""
        return self.ask("sql", query=query, limit=limit, cursor=cursor)

    def diff(self, new, *, device=None, step=None, rank=None, from_ns=None, to_ns=None):
        """What changed from this profile to another."""
        scope = {"device": device, "step": step, "rank": rank, "from_ns": from_ns, "to_ns": to_ns}
        return ask("diff", [*self.inputs, *new.inputs], scope)

    def ranks(self, *, step=None):
        """Whom the other ranks wait for, how long at most, and why."""
        return self.ask("ranks", step=step)

    def schema(self, *, table=None):
        """The tables that have rows, or the columns of one."""
        return self.ask("schema", table=table)
