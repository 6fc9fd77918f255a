/* SPDX-License-Identifier: Apache-2.0 */
/* sentence.c - parses sentences with places, and fills those of finished ones. */
#include "answers/sentence.h"

#include <string.h>

static void
place_free (gpointer data)
{
  NpPlace *place = data;
  g_free (place->before);
  g_free (place->column);
  g_free (place->as);
  g_free (place);
}

static void
part_free (gpointer data)
{
  NpSentencePart *part = data;
  g_ptr_array_unref (part->places);
  g_free (part);
}

/* -- Parsing ----------------------------------------------------------------------------------- */

static gboolean
is_word (const char *text)
{
  return *text && strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen (text);
}

/* A place without a form stays, so it is a column of table findings that holds a text. */
static gboolean
is_kept (const char *column)
{
  static const char *const kept[]
      = { "input", "device", "step", "track", "name", "other", "because", NULL };
  return g_strv_contains (kept, column);
}

/* What analyzers say in words of their own, and answers of findings. */
static gboolean
is_ours (const char *column)
{
  static const char *const ours[]
      = { "word", "action", "condition", "advice", "record", "why", NULL };
  return g_strv_contains (ours, column) || g_str_has_prefix (column, "family");
}

static gboolean
is_noun (const char *form)
{
  static const char *const nouns[] = { "device", "thread", "process", NULL };
  return g_strv_contains (nouns, form);
}

/* Returns what is wrong with the form of a place, transfer full; NULL: it is set. */
static char *
set_form (NpPlace *place, const char *form, GHashTable *sets)
{
  static const char *const forms[]
      = { [NP_PLACE_TIME] = "time",   [NP_PLACE_SHARE] = "share", [NP_PLACE_COUNT] = "count",
          [NP_PLACE_BYTES] = "bytes", [NP_PLACE_RATE] = "rate",   [NP_PLACE_FACTOR] = "factor",
          [NP_PLACE_OURS] = "ours" };
  for (guint i = NP_PLACE_TIME; form && i < G_N_ELEMENTS (forms); i++)
    if (!strcmp (form, forms[i])) {
      place->form = i;
      return i != NP_PLACE_OURS || is_ours (place->column)
                 ? NULL
                 : g_strdup_printf (
                     "{%s:ours}: columns word, action, condition, advice, record, why and family* "
                     "hold words of ours",
                     place->column);
    }
  place->as = g_strdup (form);
  place->form = !form ? NP_PLACE_NAME : is_noun (form) ? NP_PLACE_NOUN : NP_PLACE_WORD;
  if (place->form == NP_PLACE_WORD)
    return g_hash_table_contains (sets, form)
               ? NULL
               : g_strdup_printf (
                   "{%s:%s}: expected time, share, count, bytes, rate, factor, ours, "
                   "device, thread, process, or a set that a line `word:` declares",
                   place->column, form);
  if (is_kept (place->column))
    return NULL;
  return g_strdup_printf ("{%s}: a text of a profile is said by column input, device, step, track, "
                          "name, other or because: select it as one of them",
                          place->column);
}

/* Reads "column:form}"; returns what is wrong, transfer full. */
static char *
parse_place (NpPlace *place, const char *text, gsize len, GHashTable *sets)
{
  g_autofree char *inner = g_strndup (text, len);
  char *colon = strchr (inner, ':');
  if (colon)
    *colon = '\0';
  if (!is_word (inner) || (colon && !is_word (colon + 1)))
    return g_strdup_printf ("{%.*s}: expected {column} or {column:form}", (int) len, text);
  place->column = g_strdup (inner);
  return set_form (place, colon ? colon + 1 : NULL, sets);
}

/* Reads our words up to a place, and that; returns the text behind it, NULL: it was the last
 * one. */
static const char *
parse_next (GPtrArray *places, const char *text, GHashTable *sets, char **problem)
{
  NpPlace *place = g_new0 (NpPlace, 1);
  const char *open = strchr (text, '{'), *close = open ? strchr (open, '}') : NULL;
  g_ptr_array_add (places, place);
  place->before = open ? g_strndup (text, (gsize) (open - text)) : g_strdup (text);
  if (strpbrk (place->before, "}[]") || (open && !close))
    *problem = g_strdup ("a place is {column} or {column:form}, and [ ] lies in no other one: "
                         "braces and brackets mean nothing else");
  else if (open)
    *problem = parse_place (place, open + 1, (gsize) (close - open - 1), sets);
  return open && close ? close + 1 : NULL;
}

static void
add_part (GPtrArray *parts, gboolean optional, const char *text, gsize len, GHashTable *sets,
          char **problem)
{
  g_autofree char *own = g_strndup (text, len);
  NpSentencePart *part = g_new0 (NpSentencePart, 1);
  part->optional = optional;
  part->places = g_ptr_array_new_with_free_func (place_free);
  g_ptr_array_add (parts, part);
  for (const char *rest = own; rest && !*problem;)
    rest = parse_next (part->places, rest, sets, problem);
}

GPtrArray *
np_sentence_parse (const char *text, GHashTable *sets, char **problem)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (part_free);
  const char *open, *close;
  for (; !*problem && (open = strchr (text, '[')) && (close = strchr (open, ']'));
       text = close + 1) {
    add_part (parts, FALSE, text, (gsize) (open - text), sets, problem);
    if (!*problem)
      add_part (parts, TRUE, open + 1, (gsize) (close - open - 1), sets, problem);
  }
  if (!*problem)
    add_part (parts, FALSE, text, strlen (text), sets, problem);
  return *problem ? NULL : g_steal_pointer (&parts);
}

/* -- Filling ----------------------------------------------------------------------------------- */

char *
np_sentence_factor (double factor)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  return factor >= 100 ? g_strdup ("more than 100x")
                       : g_strconcat (g_ascii_formatd (number, sizeof number, "%.3g", factor), "x",
                                      NULL);
}

char *
np_sentence_expand (const char *text, char *(*cell) (gpointer user, const char *column),
                    gpointer user)
{
  GString *full = g_string_new ("");
  const char *open, *close;
  for (; (open = strchr (text, '{')) && (close = strchr (open, '}')); text = close + 1) {
    g_autofree char *column = g_strndup (open + 1, (gsize) (close - open - 1));
    g_autofree char *value = cell (user, column);
    g_string_append_len (full, text, open - text);
    if (value)
      g_string_append (full, value);
    else
      g_string_append_len (full, open, close + 1 - open);
  }
  g_string_append (full, text);
  return g_string_free (full, FALSE);
}
