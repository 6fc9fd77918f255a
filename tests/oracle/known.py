# SPDX-License-Identifier: Apache-2.0
"""known.py - differences that are known: what is to be mended in nprof, by the name of the defect.

Each entry is (file, table, row, column, defect), the first four as patterns; the row is what identifies it,
with `/` between.  A difference that an entry names fails no test.  An entry that names no difference any
more fails the test of each file that it names: it is to be taken out here.  Nothing is added to hide a
difference that nobody looked into.

A: lost or wrongly refused.  B1: a wait counts as work.  B4: what a Chrome trace of our own holds is not all
read again: picoseconds, facts, attributes, arrows, lanes."""

KNOWN = [
    ('defects/cat2.json', 'report', '', 'status', 'A6'),
    ('defects/neuron_wait.json', 'devices', '', 'busy_ps', 'B1'),
    ('chrome/*', 'devices', '/device:TPU:*', '*', 'B4'),
    ('chrome/*', 'categories', '/device:TPU:*', '*', 'B4'),
    ('chrome/*', 'dma', '/device:TPU:*', 'row', 'B4'),
    ('chrome/*', 'dma', '*', 'efficiency', 'B4'),
    ('chrome/*', 'gaps', '/device:TPU:*', '*', 'B4'),
    ('chrome/*', 'latency', '*', '*', 'B4'),
    ('chrome/*', 'layers', '*', '*', 'B4'),
    ('chrome/*', 'mfu', '*', '*', 'B4'),
    ('chrome/*', 'operators', '/device:*', '*', 'B4'),
    ('chrome/*', 'operators_linked', '*', '*', 'B4'),
    ('chrome/*', 'steps', '/device:TPU:*', '*', 'B4'),
    ('chrome/*', 'step_times', '/device:TPU:*', '*', 'B4'),
]
