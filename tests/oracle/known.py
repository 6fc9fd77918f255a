# SPDX-License-Identifier: Apache-2.0
"""known.py - differences that are known: what is to be mended in nprof, by the name of the defect.

Each entry is (file, table, row, column, defect), the first four as patterns; the row is what identifies it,
with `/` between.  A difference that an entry names fails no test.  An entry that names no difference any
more fails the test of each file that it names: it is to be taken out here.  Nothing is added to hide a
difference that nobody looked into.

A: lost or wrongly refused.

The decoder of Parquet hands on no arguments of operators, from which flops of PyTorch's operators follow."""

KNOWN = [
    *[('parquet/*', 'operators', '*', column, 'arguments')
      for column in ('bytes', 'flops', 'flops_source', 'hfu', 'mfu', 'unknown_calls')],
    *[('parquet/*', 'kernels', '*', column, 'arguments') for column in ('shape', 'shapes')],
    ('parquet/*', 'operator_flops', '*', '*', 'arguments'),
    ('parquet/*', 'step_flops', '*', '*', 'arguments'),
    ('parquet/*', 'mfu', '*', '*', 'arguments'),
]
