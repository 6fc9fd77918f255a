# SPDX-License-Identifier: Apache-2.0
"""known.py - differences that are known: what is to be mended in nprof, by the name of the defect.

Each entry is (file, table, row, column, defect), the first four as patterns; the row is what identifies it,
with `/` between.  A difference that an entry names fails no test.  An entry that names no difference any
more fails the test of each file that it names: it is to be taken out here.  Nothing is added to hide a
difference that nobody looked into.

A: lost or wrongly refused.

Two are no defects but what a Chrome trace is: viewers want spans that overlap on lanes, which are threads of
their own, and arrows with both ends."""

KNOWN = [
    ('chrome/json/hta_critical_path_alexnet_*', 'latency', '*/stream 7*/Stream Sync/*', '*', 'lanes'),
    ('chrome/json/tracelens_tests_traces_h100_*', 'latency', '*/ProfilerStep#6/*', 'row', 'lanes'),
    ('chrome/json/tracelens_tests_traces_h100_*', 'idle_causes', '*/host/*', '*', 'lanes'),
    ('chrome/json/tracelens_tests_traces_h100_Qwen_*', 'operators_linked', '*', 'reason', 'arrows'),
]
