/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - the short names of demands, as analyzers say them. */

#include "values.h"

#include <string.h>

GPtrArray *
np_gate_values_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) np_demand_value_free);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  const NpDemandValue *const *x = a, *const *y = b;
  return strcmp ((*x)->name, (*y)->name);
}

gboolean
np_gate_values_add (GPtrArray *values, const char *name, const char *const *parts, char **why)
{
  *why = NULL;
  if (np_gate_values_find (values, name))
    return FALSE;
  NpDemandValue *value = np_demand_value_read (name, parts, why);
  if (!value)
    return FALSE;
  g_ptr_array_add (values, value);
  g_ptr_array_sort (values, by_name);
  return TRUE;
}

const NpDemandValue *
np_gate_values_find (const GPtrArray *values, const char *name)
{
  for (guint i = 0; i < values->len; i++)
    if (g_str_equal (name, ((const NpDemandValue *) values->pdata[i])->name))
      return values->pdata[i];
  return NULL;
}

char *
np_gate_values_behind (const GPtrArray *values, const char *before)
{
  const gsize len = strlen (before);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint i = 0; i < values->len; i++) {
    const char *name = ((const NpDemandValue *) values->pdata[i])->name;
    if (g_str_has_prefix (name, before) && name[len] == '.')
      g_ptr_array_add (found, (gpointer) (name + len + 1));
  }
  GString *text = found->len ? g_string_new (found->pdata[0]) : NULL;
  for (guint i = 1; i < found->len; i++)
    g_string_append_printf (text, "%s%s", i + 1 < found->len ? ", " : " or ",
                            (const char *) found->pdata[i]);
  return text ? g_string_free (text, FALSE) : NULL;
}
