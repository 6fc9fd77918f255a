# SPDX-License-Identifier: Apache-2.0
"""known.py - differences that are known: what is to be mended in nprof, by the name of the defect.

Each entry is (file, table, row, column, defect), the first four as patterns; the row is what identifies it,
with `/` between.  A difference that an entry names fails no test.  An entry that names no difference any
more fails the test of each file that it names: it is to be taken out here.  Nothing is added to hide a
difference that nobody looked into.

A: lost or wrongly refused.  B1: a wait counts as work.  B4: threads of an XSpace that was exported as JSON.
B5: kernels of a process that nothing describes.  B6: synchronisation counts as work.  B9: a host whose pid
is the number of a GPU."""

KNOWN = [
    ('json/hta_critical_path_alexnet_*', '*', 'python3.10 (GPU 0)*', '*', 'B6'),
    ('defects/sync_old.json', '*', 'python (GPU 0)*', '*', 'B6'),
    ('defects/cat2.json', 'report', '', 'status', 'A6'),
    ('defects/jaxtpu.json', '*', '/device:TPU:0', '*', 'B4'),
    ('defects/kernels_without_metadata.json', '*', '9', '*', 'B5'),
    ('defects/neuron_wait.json', 'devices', '', 'busy_ps', 'B1'),
    ('defects/small_pid7.json', 'operators', 'python (CPU)/aten::mm', '*', 'B9'),
]
