# SPDX-License-Identifier: Apache-2.0
"""tap.py - prints what the tests of a module say as TAP."""

import io
import sys
import unittest


class Tap(unittest.TextTestResult):
    """A line a test."""

    count = 0

    def tell(self, test, line, extra=""):
        Tap.count += 1
        print("%s %d - %s%s" % (line, Tap.count, test.id().split(".", 1)[1], extra), flush=True)

    def addSuccess(self, test):
        self.tell(test, "ok")

    def addSkip(self, test, reason):
        self.tell(test, "ok", " # SKIP " + reason)

    def addFailure(self, test, err):
        self.tell(test, "not ok")
        print(self._exc_info_to_string(err, test).replace("\n", "\n# "))

    addError = addFailure


def main():
    """Runs the tests of the program's own module."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print("1..%d" % suite.countTestCases())
    unittest.TextTestRunner(stream=io.StringIO(), resultclass=Tap).run(suite)
