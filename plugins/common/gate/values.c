/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - the short names of demands, as analyzers say them. */

#include "gate/values.h"

#include <string.h>

static void
value_free (gpointer data)
{
  NpGateValue *value = data;
  np_demand_value_free (value->is);
  g_free (value->name);
  g_free (value->why);
  g_free (value);
}

GPtrArray *
np_gate_values_new (void)
{
  return g_ptr_array_new_with_free_func (value_free);
}

static const NpGateValue *
value_at (const GPtrArray *values, guint i)
{
  return values->pdata[i];
}

void
np_gate_values_add (GPtrArray *values, const char *who, const char *name, const char *const *parts)
{
  guint at = 0;
  while (at < values->len && strcmp (value_at (values, at)->name, name) < 0)
    at++;
  const gboolean there = at < values->len && g_str_equal (value_at (values, at)->name, name);
  if (there && value_at (values, at)->is)
    return;
  g_autofree char *why = NULL;
  NpGateValue *value = g_new0 (NpGateValue, 1);
  value->name = g_strdup (name);
  value->is = np_demand_value_read (name, parts, &why);
  value->why = value->is ? NULL : g_strdup_printf ("%s: %s", who, why);
  if (there)
    g_ptr_array_remove_index (values, at);
  g_ptr_array_insert (values, (int) at, value);
}

const NpDemandValue *
np_gate_values_find (const GPtrArray *values, const char *name)
{
  for (guint i = 0; i < values->len; i++)
    if (g_str_equal (name, value_at (values, i)->name))
      return value_at (values, i)->is;
  return NULL;
}

const char *
np_gate_values_refused (const GPtrArray *values, const char *text)
{
  const gsize len = strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.");
  for (guint i = 0; i < values->len; i++) {
    const NpGateValue *value = value_at (values, i);
    if (value->why && strlen (value->name) == len && !strncmp (value->name, text, len))
      return value->why;
  }
  return NULL;
}

char *
np_gate_values_behind (const GPtrArray *values, const char *before)
{
  const gsize len = strlen (before);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint i = 0; i < values->len; i++) {
    const char *name = value_at (values, i)->name;
    if (value_at (values, i)->is && g_str_has_prefix (name, before) && name[len] == '.')
      g_ptr_array_add (found, (gpointer) (name + len + 1));
  }
  GString *text = found->len ? g_string_new (found->pdata[0]) : NULL;
  for (guint i = 1; i < found->len; i++)
    g_string_append_printf (text, "%s%s", i + 1 < found->len ? ", " : " or ",
                            (const char *) found->pdata[i]);
  return text ? g_string_free (text, FALSE) : NULL;
}
