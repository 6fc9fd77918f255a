/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - each option from both sides of what its declaration allows. */

#include <string.h>

#include "check.h"
#include "plugin/option-value.h"
#include "plugin/option.h"

/* -- Values ---------------------------------------------------------------- */

static const char *const odd_texts[] = { "",
                                         "-",
                                         "abc",
                                         "%s%n",
                                         "../../..",
                                         "a=b",
                                         "-99999999999999999999",
                                         "nan",
                                         "1e999",
                                         "99999999999999999999",
                                         "maybe" };

/* Adds the values next to a bound: 0 and 2 for 1. */
static void
add_near (GPtrArray *values, const char *bound)
{
  char *end;
  gint64 number = g_ascii_strtoll (bound, &end, 10), next;
  g_ptr_array_add (values, g_strdup (bound));
  if (!*bound)
    return;
  for (gint64 step = -1; step <= 1; step += 2)
    if (!__builtin_add_overflow (number, step, &next)) /* beyond it no number is */
      g_ptr_array_add (values, g_strdup_printf ("%" G_GINT64_FORMAT "%s", next, end));
}

/* Returns values inside and outside of what an option takes. */
static GPtrArray *
values_of (const struct nprof_option *o)
{
  GPtrArray *values = g_ptr_array_new_with_free_func (g_free);
  const char *list = o->type == NPROF_OPT_BOOL ? "yes|no|true|false|1|0" : o->range;
  for (guint i = 0; i < G_N_ELEMENTS (odd_texts); i++)
    g_ptr_array_add (values, g_strdup (odd_texts[i]));
  if (o->type == NPROF_OPT_STRING)
    g_ptr_array_add (values, g_strnfill (5000, 'x'));
  if (o->preset)
    g_ptr_array_add (values, g_strdup (o->preset));
  if (!list)
    return values;
  const char *between = o->type == NPROF_OPT_BOOL || o->type == NPROF_OPT_CHOICE ? "|" : "..";
  g_auto (GStrv) parts = g_strsplit (list, between, -1);
  for (guint i = 0; parts[i]; i++)
    add_near (values, parts[i]);
  return values;
}

static char *
quoted (const char *name, const char *value)
{
  g_autoptr (GString) text = g_string_new (value);
  g_string_replace (text, "\\", "\\\\", 0);
  g_string_replace (text, "\"", "\\\"", 0);
  return g_strdup_printf ("%s=\"%s\"", name, text->str);
}

/* Returns the value that the user gives an option; NULL: none.  The last one counts. */
static const char *
given_value (NpCheck *check, const struct nprof_option *o)
{
  const char *value = NULL;
  gsize len = strlen (o->name);
  for (guint i = 0; check->given && check->given[i]; i++)
    if (strncmp (check->given[i], o->name, len) == 0 && check->given[i][len] == '=') {
      value = check->given[i] + len + 1;
      check->report->used |= G_GUINT64_CONSTANT (1) << i;
    }
  return value;
}

/* Returns a value that an option without a default can have; NULL: none was found. */
static char *
some_value (const struct nprof_option *o)
{
  guint64 room;
  g_autoptr (GPtrArray) values = values_of (o);
  for (guint k = values->len; k-- > 0;)
    if (np_option_store (o, values->pdata[k], &room, NULL))
      return g_strdup (values->pdata[k]);
  return NULL;
}

char *
np_check_options_but (NpCheck *check, const struct nprof_option *but)
{
  const struct nprof_option *const *options = check->component->options;
  GString *text = g_string_new (NULL);
  for (guint i = 0; options && options[i]; i++) {
    const struct nprof_option *o = options[i];
    g_autofree char *value = g_strdup (given_value (check, o));
    if (!value && !o->preset)
      value = some_value (o);
    if (!value || o == but)
      continue;
    g_autofree char *own = quoted (o->name, value);
    g_string_append_printf (text, "%s%s", text->len ? "," : "", own);
  }
  return g_string_free (text, FALSE);
}

/* -- The rule -------------------------------------------------------------- */

/* Returns options with this one as given and all others as they must be. */
static char *
options_with (NpCheck *check, const struct nprof_option *o, const char *value)
{
  g_autofree char *own = quoted (o->name, value);
  g_autofree char *others = np_check_options_but (check, o);
  return *others ? g_strdup_printf ("%s,%s", others, own) : g_steal_pointer (&own);
}

static void
check_value (NpCheck *check, const struct nprof_option *o, const char *value)
{
  guint64 room;
  gboolean allowed = np_option_store (o, value, &room, NULL);
  g_autofree char *options = options_with (check, o, value);
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check);
  life.options = options;
  life.empty = TRUE;
  np_check_step (check, "%s=%.60s", o->name, value);
  g_autoptr (NprofTestRun) run = nprof_test_live (&life, &config);
  char *problem = nprof_test_problem (run);
  if (problem)
    np_check_found (check, "%s=%.60s: %s", o->name, value, problem);
  if (allowed && run->usage)
    np_check_found (check, "%s=%.60s is allowed, but is refused: %s", o->name, value, run->usage);
  if (!allowed && !run->usage)
    np_check_found (check, "%s=%.60s is not allowed, but is taken", o->name, value);
  g_free (problem);
}

void
np_check_options (NpCheck *check)
{
  const struct nprof_option *const *options = check->component->options;
  if (!options || !options[0])
    np_check_untried (check, "it has no options");
  for (guint i = 0; options && options[i]; i++) {
    g_autoptr (GPtrArray) values = values_of (options[i]);
    for (guint k = 0; k < values->len; k++)
      check_value (check, options[i], values->pdata[k]);
  }
}
