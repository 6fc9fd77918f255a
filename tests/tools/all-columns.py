# SPDX-License-Identifier: Apache-2.0
"""all-columns.py - writes a header that includes the columns.h of all plugins, with EACH_TABLE (T),
which is T (name, COLUMNS) of each of their tables.

    all-columns.py OUTPUT COLUMNS_H...
"""

import re
import sys

output, headers = sys.argv[1], sys.argv[2:]
tables = []
with open(output, 'w') as out:
    for header in headers:
        print(f'#include "{header}"', file=out)
        with open(header) as text:
            tables += re.findall(r'^NPROF_TABLE_ROW \((\w+), (\w+)\)$', text.read(), re.M)
    print(
        '#define EACH_TABLE(T)', *(f'T ({name}, {columns})' for name, columns in tables), file=out
    )
