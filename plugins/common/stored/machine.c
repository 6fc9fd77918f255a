/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - reads kind and number of devices from tables facts and verdict. */

#include "stored/machine.h"
#include "base/log.h"
#include "system/by-text.h"

#include <string.h>

static char *
kinds_of (const NpCells *facts)
{
  g_autoptr (GPtrArray) kinds = g_ptr_array_new_with_free_func (g_free);
  for (guint64 i = 0; i < facts->rows; i++) {
    g_autofree char *key = np_cells_text (facts, i, "key"),
                    *value = np_cells_text (facts, i, "value");
    if (value && !g_strcmp0 (key, "device_type")
        && !g_ptr_array_find_with_equal_func (kinds, value, g_str_equal, NULL))
      g_ptr_array_add (kinds, g_steal_pointer (&value));
  }
  g_ptr_array_sort (kinds, np_by_text);
  g_ptr_array_add (kinds, NULL);
  return kinds->len > 1 ? g_strjoinv (", ", (char **) kinds->pdata) : NULL;
}

void
np_machine_read (NpMachine *machine, const NpCells *facts, const NpCells *verdict)
{
  *machine = (NpMachine){ .kinds = kinds_of (facts) };
  for (guint64 i = 0; i < verdict->rows; i++) {
    g_autofree char *device = np_cells_text (verdict, i, "device");
    machine->devices += device != NULL;
  }
}

void
np_machine_read_run (NpMachine *machine, const NpTableStore *tables)
{
  g_auto (NpCells) facts = { 0 }, verdict = { 0 };
  np_cells_lend (&facts, tables, "facts");
  np_cells_lend (&verdict, tables, "verdict");
  np_machine_read (machine, &facts, &verdict);
}

void
np_machine_clear (NpMachine *machine)
{
  g_free (machine->kinds);
  *machine = (NpMachine){ 0 };
}

gboolean
np_machine_differs (const NpMachine *a, const NpMachine *b)
{
  return (a->kinds && b->kinds && strcmp (a->kinds, b->kinds))
         || (a->devices && b->devices && a->devices != b->devices);
}

gboolean
np_machine_same (const NpMachine *a, const NpMachine *b)
{
  return !g_strcmp0 (a->kinds, b->kinds) && a->devices == b->devices;
}

char *
np_machine_text (const NpMachine *machine)
{
  g_autofree char *kinds = np_printable (machine->kinds ? machine->kinds : "unknown devices", -1);
  return machine->devices ? g_strdup_printf ("%ux %s", machine->devices, kinds)
                          : g_steal_pointer (&kinds);
}
