/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - prints the rows of table summary as the first screen: the subject is its title, the
 * verdict stands below it, names are cut to the room of a terminal. */

#include "summary.h"

#include "answers/sentence.h"
#include "printable.h"
#include "system/short-names.h"

#include <nprof/sdk.h>
#include <string.h>

static const struct nprof_table screen_table = {
  .size = sizeof screen_table,
  .name = "summary",
  .title = "Summary",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "question", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "answer", "", ""),
                            NPROF_KEY_COLUMN (NPROF_TEXT, "of", "", "")),
};

#define LONGEST_NAME 44    /* columns, on a terminal of 80 */
#define LONGEST_REASON 240 /* the same */
#define MORE_ROOM 64       /* columns for names of tables, behind "More: --only" */

typedef struct {
  const Table *lines;
  Names *names;
  guint more_room, row;
  gboolean whole;
} Screen;

/* Transfer full; NULL: unknown. */
static char *
text_of (const Screen *s, guint row, const char *column)
{
  const int c = table_column (s->lines, column);
  const struct nprof_cell *cell
      = c < 0 ? NULL : &((const Row *) g_ptr_array_index (s->lines->rows, row))->cells[c];
  gsize len;
  if (!cell || cell->type == NPROF_NULL)
    return NULL;
  const char *text = cell_text (s->lines->host, cell, &len);
  return g_strndup (text, len);
}

/* Splits at blanks, but not in names that are quoted. */
static GStrv
words_of_reason (const char *text)
{
  GStrvBuilder *words = g_strv_builder_new ();
  const char *begin = text;
  gboolean quoted = FALSE;
  for (const char *at = text;; at++) {
    if (*at == '"')
      quoted = !quoted;
    if (*at && (*at != ' ' || quoted))
      continue;
    g_autofree char *word = g_strndup (begin, (gsize) (at - begin));
    g_strv_builder_add (words, word);
    if (!*at)
      break;
    begin = at + 1;
  }
  GStrv all = g_strv_builder_end (words);
  g_strv_builder_unref (words);
  return all;
}

/* A reason may have a name of a profile in it, which is as long as it likes. */
static char *
short_reason (const Screen *s, const char *text)
{
  g_auto (GStrv) words = words_of_reason (text);
  for (char **word = words; *word; word++) {
    char *cut = printable_short (*word, s->more_room + LONGEST_NAME);
    g_free (*word);
    *word = cut;
  }
  g_autofree char *joined = g_strjoinv (" ", words);
  return printable_cut (joined, 2 * s->more_room + LONGEST_REASON);
}

static char *
say_place (gpointer self, const char *column)
{
  const Screen *s = self;
  g_autofree char *text = text_of (s, s->row, column);
  const gboolean reason = g_str_equal (column, "because");
  if (!text)
    return NULL;
  g_autofree char *called = reason ? names_short_quoted (s->names, text, FALSE)
                                   : g_strdup (names_short (s->names, text));
  if (s->whole)
    return printable_new (called, strlen (called));
  return reason ? short_reason (s, called) : printable_short (called, s->more_room + LONGEST_NAME);
}

static char *
say_line (Screen *s, guint row)
{
  g_autofree char *text = text_of (s, row, "text");
  s->row = row;
  return np_sentence_expand (text ? text : "", say_place, s);
}

/* Adds "--only TABLE" names: those that the lines are of, once each. */
static void
add_more (const Screen *s, guint row, GString *more)
{
  g_autofree char *table = text_of (s, row, "of_table");
  g_auto (GStrv) there = g_strsplit (more->str, ",", -1);
  if (table && *table && !g_strv_contains ((const char *const *) there, table)
      && more->len + strlen (table) < MORE_ROOM)
    g_string_append_printf (more, "%s%s", more->len ? "," : "", table);
}

static void
add_line (Table *to, const struct nprof_cell input, const char *head, const char *text)
{
  const struct nprof_cell cells[]
      = { input, nprof_cell_text (head ? head : ""), nprof_cell_text (""), nprof_cell_text (text) };
  table_add (to, cells); /* no memory for a line: the tables say it too */
}

static void
put_line (Screen *s, Table *to, guint row)
{
  g_autofree char *label = text_of (s, row, "label"), *head = text_of (s, row, "head"),
                  *text = say_line (s, row);
  if (g_strcmp0 (label, "subject") == 0) {
    g_free (to->title);
    to->title = g_strconcat ("Summary", *text ? " of " : "", text, NULL);
  } else if (g_strcmp0 (label, "verdict") == 0 && !to->lead) {
    to->lead = g_steal_pointer (&text);
    to->lead_code = text_of (s, row, "code");
  } else {
    add_line (to, *((const Row *) g_ptr_array_index (s->lines->rows, row))->cells, head, text);
  }
}

static void
gather_names (const Screen *s)
{
  static const char *const columns[] = { "name", "other" };
  for (guint row = 0; row < s->lines->rows->len; row++) {
    g_autofree char *because = text_of (s, row, "because");
    if (because)
      names_add_quoted (s->names, because);
    for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
      g_autofree char *name = text_of (s, row, columns[i]);
      if (name)
        names_add (s->names, name);
    }
  }
}

Table *
summary_new (const Table *lines, guint more_room, gboolean whole)
{
  if (!lines || !lines->rows->len)
    return NULL;
  g_autoptr (Names) names = names_new ();
  g_autoptr (GString) more = g_string_new (NULL);
  Screen s = { lines, names, more_room, 0, whole };
  Table *to = table_new (lines->host, &screen_table, 0, NULL);
  to->single = to->bare = TRUE;
  gather_names (&s);
  for (guint row = 0; row < lines->rows->len; row++) {
    put_line (&s, to, row);
    add_more (&s, row, more);
  }
  g_free (to->note);
  to->note = more->len ? g_strconcat ("More: --only ", more->str, NULL) : g_strdup ("");
  return to;
}
