/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - checks the arguments of a call by the table of tools. */
#include "agent/tool.h"

#include "agent/names.h"
#include "base/suggest.h"

#include <string.h>

#define MAX_TEXT 16384

#define LONGEST_NAME 40 /* of an argument that is said back */

static GPtrArray *
names_of (const NpTool *tool)
{
  GPtrArray *names = g_ptr_array_new ();
  for (const NpArg *arg = tool->args; arg->name; arg++)
    g_ptr_array_add (names, (gpointer) arg->name);
  return names;
}

static const NpArg *
find (const NpTool *tool, const char *name)
{
  for (const NpArg *arg = tool->args; arg->name; arg++)
    if (!strcmp (arg->name, name))
      return arg;
  return NULL;
}

static char *
unknown_argument (const NpTool *tool, const char *name, GPtrArray **nearest)
{
  *nearest = names_of (tool);
  g_ptr_array_add (*nearest, NULL);
  g_autofree char *near
      = np_suggestion (np_suggest (name, (const char *const *) (*nearest)->pdata));
  g_ptr_array_set_size (*nearest, (int) (*nearest)->len - 1);
  return g_strdup_printf ("tool %s has no argument \"%s\"%s; nearest lists those that it has",
                          tool->name, strlen (name) <= LONGEST_NAME ? name : "...", near);
}

static char *
wrong (const NpArg *arg, const char *expected, GPtrArray **nearest)
{
  *nearest = g_ptr_array_new ();
  for (guint i = 0; arg->codes && arg->codes[i]; i++)
    g_ptr_array_add (*nearest, (gpointer) arg->codes[i]);
  if (!(*nearest)->len)
    g_ptr_array_add (*nearest, (gpointer) arg->name);
  return g_strdup_printf ("argument %s: expected %s", arg->name, expected);
}

static gboolean
is_id (const char *text)
{
  gsize n = strlen (text);
  return g_str_has_prefix (text, "n_") && n >= 8 && n <= 66
         && strspn (text + 2, "0123456789abcdef") == n - 2;
}

char *
np_args_set_text (const NpTool *tool, NpArgs *args, const char *name, const char *value,
                  GPtrArray **nearest)
{
  const NpArg *arg = find (tool, name);
  if (!arg)
    return unknown_argument (tool, name, nearest);
  if (arg->type == NP_ARG_WHOLE)
    return wrong (arg, "a whole number", nearest);
  if (arg->type == NP_ARG_WORDS)
    return wrong (arg, "a list of texts", nearest);
  if (arg->type == NP_ARG_ID && !is_id (value))
    return wrong (arg, "n_ and hex digits, as open gives it", nearest);
  if (arg->codes && !g_strv_contains (arg->codes, value))
    return wrong (arg, "one of the words in nearest", nearest);
  if (strlen (value) > MAX_TEXT)
    return wrong (arg, "at most 16384 bytes", nearest);
  char **at = np_arg_at (args, arg);
  g_free (*at);
  *at = g_strdup (value);
  return NULL;
}

char *
np_args_set_whole (const NpTool *tool, NpArgs *args, const char *name, gint64 value,
                   GPtrArray **nearest)
{
  const NpArg *arg = find (tool, name);
  if (!arg)
    return unknown_argument (tool, name, nearest);
  if (arg->type != NP_ARG_WHOLE)
    return wrong (arg, arg->type == NP_ARG_WORDS ? "a list of texts" : "a text", nearest);
  if (value < arg->least || (arg->most && value > arg->most) || value > G_MAXINT64 / 1000) {
    g_autofree char *range
        = g_strdup_printf ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, arg->least,
                           arg->most ? arg->most : G_MAXINT64 / 1000);
    return wrong (arg, range, nearest);
  }
  *(NpWhole *) np_arg_at (args, arg) = (NpWhole){ value, TRUE };
  return NULL;
}

char *
np_args_set_words (const NpTool *tool, NpArgs *args, const char *name, char **words,
                   GPtrArray **nearest)
{
  const NpArg *arg = find (tool, name);
  if (!arg)
    return unknown_argument (tool, name, nearest);
  if (arg->type != NP_ARG_WORDS)
    return wrong (arg, "no list", nearest);
  char ***at = np_arg_at (args, arg);
  g_strfreev (*at);
  *at = g_strdupv (words);
  return NULL;
}

char *
np_args_set_word (const NpTool *tool, NpArgs *args, const char *name, const char *value,
                  GPtrArray **nearest)
{
  const NpArg *arg = find (tool, name);
  gint64 number;
  if (arg && arg->type == NP_ARG_WORDS) {
    g_auto (GStrv) words = g_strsplit (value, ",", -1);
    return np_args_set_words (tool, args, name, words, nearest);
  }
  if (!arg || arg->type != NP_ARG_WHOLE)
    return np_args_set_text (tool, args, name, value, nearest);
  if (!g_ascii_string_to_signed (value, 10, G_MININT64, G_MAXINT64, &number, NULL))
    return wrong (arg, "a whole number", nearest);
  return np_args_set_whole (tool, args, name, number, nearest);
}

char *
np_args_wrong (const NpTool *tool, const char *name, GPtrArray **nearest)
{
  const NpArg *arg = find (tool, name);
  return arg ? wrong (arg, "a text, a whole number or a list of texts, as tools/list says", nearest)
             : unknown_argument (tool, name, nearest);
}

static gboolean
is_given (const NpArgs *args, const NpArg *arg)
{
  gconstpointer at = np_arg_at (args, arg);
  return arg->type == NP_ARG_WHOLE ? ((const NpWhole *) at)->given : *(gpointer const *) at != NULL;
}

char *
np_args_missing (const NpTool *tool, const NpArgs *args, GPtrArray **nearest)
{
  for (const NpArg *arg = tool->args; arg->name; arg++)
    if (arg->required && !is_given (args, arg)) {
      *nearest = names_of (tool);
      return g_strdup_printf ("argument %s is missing: %s", arg->name, arg->about);
    }
  return NULL;
}

void
np_args_clear (NpArgs *args)
{
  char **texts[]
      = { &args->path,   &args->id,   &args->device, &args->name, &args->where, &args->sort,
          &args->cursor, &args->what, &args->query,  &args->base, &args->other, &args->table };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_clear_pointer (texts[i], g_free);
  g_clear_pointer (&args->columns, g_strfreev);
}
