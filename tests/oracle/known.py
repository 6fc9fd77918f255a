# SPDX-License-Identifier: Apache-2.0
"""known.py - differences that are known: what is to be mended in nprof, by the name of the defect.

Each entry is (file, table, row, column, defect), the first four as patterns; the row is what
identifies it, with `/` between. A difference that an entry names fails no test. An entry that names
no difference any more fails the test of each file that it names: it is to be taken out here.
Nothing is added to hide a difference that nobody looked into.

A: lost or wrongly refused."""

KNOWN = []
