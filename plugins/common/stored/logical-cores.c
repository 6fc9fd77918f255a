/* SPDX-License-Identifier: Apache-2.0 */
/* logical-cores.c - finds the logical core of a core by the names that tables have: a core has the
 * name of what holds it, a slash, and a name of its own. */
#include "stored/logical-cores.h"

#include <string.h>

gint64
np_logical_row (const NpCells *logical, const NpCells *devices, guint64 row)
{
  g_autofree char *input = np_cells_text (devices, row, "input"),
                  *device = np_cells_text (devices, row, "device");
  for (guint64 i = 0; i < logical->rows && device; i++) {
    g_autofree char *of = np_cells_text (logical, i, "input"),
                    *holder = np_cells_text (logical, i, "device");
    if (holder && !g_strcmp0 (of, input) && g_str_has_prefix (device, holder)
        && device[strlen (holder)] == '/')
      return (gint64) i;
  }
  return -1;
}
