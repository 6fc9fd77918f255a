/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - reads what analyzers say of the short names of demands. */

#include "values.h"

#include <string.h>

GPtrArray *
np_gate_values_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) np_gate_expr_free);
}

/* Reads "window_ns-idle_ns/window_ns" or "a_ns/b_ns+c_ns". */
static void
read_columns (NpGateExpr *to, const char *text)
{
  g_auto (GStrv) sides = g_strsplit (text, "/", 2);
  const gsize column = strcspn (sides[0], "+-");
  to->column = g_strndup (sides[0], column);
  to->sign = sides[0][column] == '-' ? -1 : sides[0][column] == '+';
  to->other = to->sign ? g_strdup (sides[0] + column + 1) : NULL;
  if (!sides[1])
    return;
  g_auto (GStrv) below = g_strsplit (sides[1], "+", 2);
  to->over = g_strdup (below[0]);
  to->plus = g_strdup (below[1]);
}

static gboolean
read_word (NpGateExpr *to, const char *word)
{
  const struct {
    const char *word;
    gboolean *to;
  } words[] = { { "mean", &to->mean },          { "or_span", &to->or_span },
                { "left", &to->left },          { "between", &to->between },
                { "periods", &to->of_periods }, { "on_devices", &to->of_devices },
                { "use", &to->of_use },         { "word", &to->of_words } };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (word, words[i].word))
      return *words[i].to = TRUE;
  const char *glob = strchr (word, '=');
  if (!glob)
    return FALSE;
  if (g_str_has_prefix (word, "doubt=")) {
    to->doubt = g_strdup (glob + 1);
    return TRUE;
  }
  to->of_key = g_strndup (word, (gsize) (glob - word));
  to->of_glob = g_strdup (glob + 1);
  return TRUE;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  const NpGateExpr *x = *(const NpGateExpr *const *) a, *y = *(const NpGateExpr *const *) b;
  return strcmp (x->text, y->text);
}

gboolean
np_gate_values_add (GPtrArray *values, const char *name, const char *const *parts, char **why)
{
  *why = NULL;
  if (np_gate_values_find (values, name))
    return FALSE;
  NpGateExpr *value = g_new0 (NpGateExpr, 1);
  value->text = g_strdup (name);
  for (guint i = 0; parts[i] && !*why; i++)
    if (i == 0)
      value->table = g_strdup (parts[i]);
    else if (i == 1)
      read_columns (value, parts[i]);
    else if (!read_word (value, parts[i]))
      *why = g_strdup_printf ("value.%s: \"%s\" is no word of a value", name, parts[i]);
  if (!*why && !value->column)
    *why = g_strdup_printf ("value.%s: a table, \";\" and a column were expected", name);
  if (*why) {
    np_gate_expr_free (value);
    return FALSE;
  }
  g_ptr_array_add (values, value);
  g_ptr_array_sort (values, by_name);
  return TRUE;
}

const NpGateExpr *
np_gate_values_find (const GPtrArray *values, const char *name)
{
  for (guint i = 0; i < values->len; i++)
    if (g_str_equal (name, ((const NpGateExpr *) values->pdata[i])->text))
      return values->pdata[i];
  return NULL;
}

char *
np_gate_values_behind (const GPtrArray *values, const char *before)
{
  const gsize len = strlen (before);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint i = 0; i < values->len; i++) {
    const char *name = ((const NpGateExpr *) values->pdata[i])->text;
    if (g_str_has_prefix (name, before) && name[len] == '.')
      g_ptr_array_add (found, (gpointer) (name + len + 1));
  }
  GString *text = found->len ? g_string_new (found->pdata[0]) : NULL;
  for (guint i = 1; i < found->len; i++)
    g_string_append_printf (text, "%s%s", i + 1 < found->len ? ", " : " or ",
                            (const char *) found->pdata[i]);
  return text ? g_string_free (text, FALSE) : NULL;
}
