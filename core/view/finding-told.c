/* SPDX-License-Identifier: Apache-2.0 */
/* finding-told.c - reads table findings, which the analyzer answers makes: sentences with the names
 * that they tell of, as short as they are in sentences. */

#include "answers/sentence.h"
#include "view/cells.h"
#include "view/finding.h"
#include "view/window-rows.h"

#include <math.h>
#include <string.h>

#define LETTERS 60 /* of a name in a sentence: two of them fit into a line */

typedef struct {
  NpAsk *ask;
  NpCells cells;
  guint64 row;
} Told;

/* Returns the text, transfer full; NULL: it is unknown. */
static char *
text_of (const Told *told, const char *column)
{
  return np_cells_text (&told->cells, told->row, column);
}

/* -- The sentence ------------------------------------------------------------------------------ */

/* Returns a name without parameters and namespaces of C++, ended by an ellipsis behind 60 letters;
 * transfer full. */
static char *
short_name (const Told *told, const char *name)
{
  const char *text = np_profile_short_name (told->ask->profile, name);
  if (!g_utf8_validate (text, -1, NULL) || g_utf8_strlen (text, -1) <= LETTERS)
    return g_strdup (text);
  g_autofree char *start = g_utf8_substring (text, 0, LETTERS - 1);
  return g_strconcat (start, "\u2026", NULL);
}

static gboolean
is_name (const char *column)
{
  return !strcmp (column, "name") || !strcmp (column, "other");
}

/* Returns what stands at a place of the sentence, transfer full; NULL: it is unknown. */
static char *
say_column (gpointer user, const char *column)
{
  const Told *told = user;
  g_autofree char *text = text_of (told, column);
  gint64 number;
  if (text)
    return is_name (column) ? short_name (told, text) : g_strdup (g_strstrip (text));
  return np_cells_i64 (&told->cells, told->row, column, &number)
             ? g_strdup_printf ("%" G_GINT64_FORMAT, number)
             : NULL;
}

/* Rules are told in words: "memory bound". */
static char *
rule_of (const Told *told)
{
  return g_strdelimit (text_of (told, "code"), "_", ' ');
}

/* -- A finding --------------------------------------------------------------------------------- */

void
np_finding_window (NpAsk *ask, NpFinding *f)
{
  f->t0 = ask->profile->meta->first;
  f->t1 = ask->profile->meta->last;
  if (np_asks_for_window (ask))
    np_ask_range (ask, &f->t0, &f->t1);
}

static void
set_window (const Told *told, NpFinding *f)
{
  gint64 start, end;
  np_finding_window (told->ask, f);
  if (!np_cells_i64 (&told->cells, told->row, "start_ns", &start)
      || !np_cells_i64 (&told->cells, told->row, "end_ns", &end))
    return;
  f->t0 = start;
  f->t1 = end;
}

static void
set_gain (Told *told, NpFinding *f)
{
  f->factor = NAN;
  if (!np_cells_double (&told->cells, told->row, "gain", &f->factor))
    return;
  g_autofree char *times = np_sentence_factor (f->factor),
                  *condition = text_of (told, "condition"),
                  *when = condition ? np_sentence_expand (condition, say_column, told) : NULL;
  f->gain = g_strconcat (times, " or more", when ? ", " : NULL, when, NULL);
}

static NpFinding *
read_finding (Told *told)
{
  g_autofree char *text = text_of (told, "text");
  NpFinding *f = g_new (NpFinding, 1);
  *f = (NpFinding){ .answer = text_of (told, "answer"),
                    .rule = rule_of (told),
                    .threshold = text_of (told, "threshold"),
                    .table = text_of (told, "of_table"),
                    .widget = text_of (told, "shown"),
                    .source = text_of (told, "source"),
                    .text = np_sentence_expand (text, say_column, told),
                    .detail = text_of (told, "detail"),
                    .advice = text_of (told, "advice") };
  set_gain (told, f);
  if (!np_cells_i64 (&told->cells, told->row, "stake_ns", &f->at_stake))
    f->at_stake = -1;
  set_window (told, f);
  return f;
}

/* Returns the first of an answer that says the same: of two codes of it each is told. */
static NpFinding *
find_same (const GPtrArray *all, const char *answer, const char *rule)
{
  for (guint i = 0; i < all->len; i++) {
    NpFinding *f = all->pdata[i];
    if (!strcmp (f->answer, answer) && !strcmp (f->rule, rule))
      return f;
  }
  return NULL;
}

/* Of a part nothing is told that the file states of the whole run. */
static gboolean
is_of_whole (NpAsk *ask, const char *table)
{
  g_auto (NpCells) cells = { 0 };
  return ask->of_part && np_cells_open (&cells, ask->store, ask->query, table)
         && np_is_of_whole (&cells);
}

/* The analyzer always says these texts: a row lacks one where the store is damaged, which says
 * so. */
static gboolean
is_whole (const Told *told)
{
  static const char *const always[]
      = { "answer", "code", "threshold", "of_table", "shown", "source", "text" };
  for (guint i = 0; i < G_N_ELEMENTS (always); i++) {
    g_autofree char *text = text_of (told, always[i]);
    if (!text)
      return FALSE;
  }
  return TRUE;
}

static void
add_row (Told *told, GPtrArray *all)
{
  if (!is_whole (told))
    return;
  g_autofree char *answer = text_of (told, "answer"), *table = text_of (told, "of_table"),
                  *rule = rule_of (told);
  NpFinding *first = find_same (all, answer, rule);
  if (first)
    first->more++;
  else if (!is_of_whole (told->ask, table))
    g_ptr_array_add (all, read_finding (told));
}

void
np_find_told (NpAsk *ask, GPtrArray *all)
{
  Told told = { .ask = ask };
  const char *why;
  if (np_cells_open (&told.cells, ask->store, ask->query, "findings"))
    np_window_rows (ask, &told.cells, &why);
  for (; told.row < told.cells.rows; told.row++)
    add_row (&told, all);
  np_cells_clear (&told.cells);
}
