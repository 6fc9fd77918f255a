/* SPDX-License-Identifier: Apache-2.0 */
/* demand-value.c - reads what an analyzer says of a short name of a demand. */

#include "gate/demand-value.h"

#include <string.h>

/* Reads "window_ns-idle_ns-lost_ns/window_ns" or "a_ns/b_ns+c_ns". */
static void
read_columns (NpDemandValue *to, const char *text)
{
  g_auto (GStrv) sides = g_strsplit (text, "/", 2);
  const char *above = sides[0] ? sides[0] : "";
  const gsize column = strcspn (above, "+-");
  to->column = g_strndup (above, column);
  to->sign = above[column] == '-' ? -1 : above[column] == '+';
  to->others = to->sign ? g_strsplit (above + column + 1, to->sign < 0 ? "-" : "+", -1) : NULL;
  if (!sides[0] || !sides[1])
    return;
  const gsize over = strcspn (sides[1], "+");
  to->over = g_strndup (sides[1], over);
  to->plus = sides[1][over] ? g_strdup (sides[1] + over + 1) : NULL;
}

static gboolean
read_word (NpDemandValue *to, const char *word)
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
    g_free (to->doubt);
    to->doubt = g_strdup (glob + 1);
    return TRUE;
  }
  g_free (to->of_key);
  g_free (to->of_glob);
  to->of_key = g_strndup (word, (gsize) (glob - word));
  to->of_glob = g_strdup (glob + 1);
  return TRUE;
}

/* A demand has one dot in a name at most: NAME or NAME.PART. */
static gboolean
is_name (const char *name)
{
  g_auto (GStrv) words = g_strsplit (name, ".", -1);
  for (char **word = words; *word; word++) {
    gsize len = 0;
    while (g_ascii_isalnum ((*word)[len]) || (*word)[len] == '_')
      len++;
    if (!len || (*word)[len])
      return FALSE;
  }
  return words[0] && g_strv_length (words) <= 2;
}

static gboolean
is_empty (const char *text)
{
  return text && !*text;
}

/* Returns whether a column is missing behind one of the signs. */
static gboolean
lacks_other (const NpDemandValue *value)
{
  char **other = value->others;
  if (value->sign && !*other)
    return TRUE;
  while (other && *other && **other)
    other++;
  return other && *other;
}

static char *
problem_of (const NpDemandValue *value)
{
  if (!is_name (value->name))
    return g_strdup ("a name of letters, digits and _ was expected, with one \".\" at most: no "
                     "demand could be written of it");
  if (!value->table || !*value->table || !value->column)
    return g_strdup ("a table, \";\" and a column were expected");
  if (!*value->column || lacks_other (value) || is_empty (value->over) || is_empty (value->plus))
    return g_strdup ("a column beside each of \"+\", \"-\" and \"/\" was expected");
  if (is_empty (value->doubt) || is_empty (value->of_key))
    return g_strdup ("doubt=COLUMN or COLUMN=GLOB was expected, the column is empty");
  return NULL;
}

NpDemandValue *
np_demand_value_read (const char *name, const char *const *parts, char **why)
{
  g_autoptr (NpDemandValue) value = g_new0 (NpDemandValue, 1);
  const char *odd = NULL;
  value->name = g_strdup (name);
  value->table = g_strdup (parts[0]);
  if (parts[0] && parts[1])
    read_columns (value, parts[1]);
  for (guint i = 2; value->column && parts[i] && !odd; i++)
    odd = read_word (value, parts[i]) ? NULL : parts[i];
  g_autofree char *problem
      = odd ? g_strdup_printf ("\"%s\" is no word of a value", odd) : problem_of (value);
  if (!problem)
    return g_steal_pointer (&value);
  *why = g_strdup_printf ("value.%s: %s", name, problem);
  return NULL;
}

void
np_demand_value_free (NpDemandValue *value)
{
  if (!value)
    return;
  g_free (value->name);
  g_free (value->table);
  g_free (value->column);
  g_free (value->over);
  g_free (value->plus);
  g_strfreev (value->others);
  g_free (value->doubt);
  g_free (value->of_key);
  g_free (value->of_glob);
  g_free (value);
}
