/* SPDX-License-Identifier: Apache-2.0 */
/* pick.c - compares what is asked for with what the run has; saying so is others' matter. */

#include "pick.h"

#include <string.h>

#define ALL "*"

void
pick_init (Pick *pick, const char *tables)
{
  *pick = (Pick){ NULL, NULL };
  if (!*tables)
    return;
  pick->names = g_strsplit (tables, "+", -1);
  pick->maybe = g_new0 (gboolean, g_strv_length (pick->names));
  for (guint i = 0; pick->names[i]; i++) {
    pick->maybe[i] = g_str_has_suffix (pick->names[i], "?");
    if (pick->maybe[i])
      pick->names[i][strlen (pick->names[i]) - 1] = 0;
  }
}

void
pick_clear (Pick *pick)
{
  g_strfreev (pick->names);
  g_free (pick->maybe);
}

gboolean
pick_has (const Pick *pick, const char *name)
{
  const char *const *names = (const char *const *) pick->names;
  return !names || g_strv_contains (names, name)
         || (g_strv_contains (names, ALL) && !g_str_equal (name, "events"));
}

Table *
pick_find (const GPtrArray *stored, const char *name)
{
  for (guint t = 0; t < stored->len; t++) {
    Table *table = g_ptr_array_index (stored, t);
    if (g_str_equal (table->name, name))
      return table;
  }
  return NULL;
}

static void
add_once (GPtrArray *tables, Table *table)
{
  if (table->n_rows > 0 && !g_ptr_array_find (tables, table, NULL))
    g_ptr_array_add (tables, table);
}

GPtrArray *
pick_tables (const Pick *pick, const GPtrArray *stored, gboolean empty)
{
  GPtrArray *tables = g_ptr_array_new ();
  for (guint t = 0; !pick->names && t < stored->len; t++)
    g_ptr_array_add (tables, g_ptr_array_index (stored, t));
  for (guint i = 0; pick->names && pick->names[i]; i++) {
    Table *table = pick_find (stored, pick->names[i]);
    if (table && (empty || !pick->maybe[i] || table->n_rows > 0)
        && !g_ptr_array_find (tables, table, NULL))
      g_ptr_array_add (tables, table);
    for (guint t = 0; g_str_equal (pick->names[i], ALL) && t < stored->len; t++)
      add_once (tables, g_ptr_array_index (stored, t));
  }
  return tables;
}

char *
pick_missing (const Pick *pick, const GPtrArray *stored, gboolean maybe)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; pick->names && pick->names[i]; i++)
    if ((maybe || !pick->maybe[i]) && !pick_find (stored, pick->names[i]))
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", pick->names[i]);
  return g_string_free (names, FALSE);
}
