/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - writes what pages for people say above and below their tables; plain.c and markdown.c
 * print the tables. */

#include "page.h"

#include "printable.h"

#include <nprof/sdk.h>
#include <string.h>

static gboolean
names_only (const Table *table, nprof_str input)
{
  for (guint r = 0; r < table->rows->len; r++) {
    const struct nprof_cell *cell = ((const Row *) g_ptr_array_index (table->rows, r))->cells;
    if (cell->type != NPROF_STRING || cell->v.s != input)
      return FALSE;
  }
  return TRUE;
}

char *
page_find_input (const struct nprof_host *host, const GPtrArray *tables)
{
  const struct nprof_run_info *run = host->run (host);
  const struct nprof_input_info *input = run->n_inputs == 1 ? host->input (host, 0) : NULL;
  guint64 n_rows = 0;
  for (guint t = 0; input && t < tables->len; t++) {
    const Table *table = g_ptr_array_index (tables, t);
    n_rows += table->n_rows;
    if (!names_only (table, input->label))
      return NULL;
  }
  if (n_rows == 0)
    return NULL;
  const char *label = nprof_text (host, input->label);
  return printable_new (label, strlen (label));
}

#define NAMED_INPUTS 3

char *
page_name_inputs (const struct nprof_host *host, guint64 ranks)
{
  const guint n = host->run (host)->n_inputs;
  GString *names = g_string_new (NULL);
  if (ranks > 1)
    g_string_append_printf (names, "job of %" G_GUINT64_FORMAT " ranks: ", ranks);
  for (guint i = 0; i < MIN (n, NAMED_INPUTS); i++) {
    const char *label = nprof_text (host, host->input (host, i)->label);
    g_autofree char *safe = printable_new (label, strlen (label));
    g_string_append_printf (names, "%s%s", i ? ", " : "", safe);
  }
  if (n > NAMED_INPUTS)
    g_string_append_printf (names, " and %u more", n - NAMED_INPUTS);
  return g_string_free (names, FALSE);
}

char *
page_date (const struct nprof_host *host)
{
  const gint64 origin = host->run (host)->origin_unix_ns;
  const gint64 seconds = origin / 1000000000;
  /* A clock that begins near 1970 is none of the day. */
  g_autoptr (GDateTime) at = origin == NPROF_NO_EPOCH || seconds < 365 * 86400
                                 ? NULL
                                 : g_date_time_new_from_unix_utc (seconds);
  return at ? g_date_time_format (at, "%Y-%m-%d %H:%M UTC") : NULL;
}

static const char *
reason_of (const Page *page, const Table *table)
{
  return page->reasons ? reasons_find (page->reasons, table->name) : NULL;
}

static char *
empty_tables (const Page *page)
{
  GString *names = g_string_new (NULL);
  for (guint t = 0; t < page->tables->len; t++) {
    const Table *table = g_ptr_array_index (page->tables, t);
    if (table->n_rows == 0 && !reason_of (page, table))
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", table->name);
  }
  return g_string_free (names, FALSE);
}

static void
add_line (GPtrArray *lines, const char *before, const char *text)
{
  g_autofree char *safe = printable_new (text, strlen (text));
  if (*text)
    g_ptr_array_add (lines, g_strconcat (before, safe, NULL));
}

/* Adds the list in lines of that width, broken behind commas. */
static void
add_list (GPtrArray *lines, guint width, const char *before, const char *list)
{
  g_auto (GStrv) items = g_strsplit (list, ", ", -1);
  g_autoptr (GString) line = g_string_new (NULL);
  for (guint i = 0; items[i]; i++) {
    g_autofree char *item = g_strconcat (items[i], items[i + 1] ? ", " : "", NULL);
    if (line->len && strlen (before) + line->len + strlen (item) > width) {
      add_line (lines, before, g_strchomp (line->str));
      g_string_truncate (line, 0);
      before = "  ";
    }
    g_string_append (line, item);
  }
  add_line (lines, before, line->str);
}

static void
add_reasons (GPtrArray *lines, const Page *page)
{
  for (guint t = 0; t < page->tables->len; t++) {
    const Table *table = g_ptr_array_index (page->tables, t);
    const char *why = table->n_rows ? NULL : reason_of (page, table);
    g_autofree char *line = g_strdup_printf ("%s: %s", table->name, why ? why : "");
    if (why)
      add_line (lines, "", line);
  }
}

static void
add_rest (GPtrArray *lines, guint width, const Page *page)
{
  g_autoptr (GString) counts = g_string_new (NULL);
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint t = 0; page->rest && t < page->rest->len; t++) {
    const Table *table = g_ptr_array_index (page->rest, t);
    g_string_append_printf (counts, "%s%s (%" G_GUINT64_FORMAT " row%s)", t > 0 ? ", " : "",
                            table->name, table->n_rows, table->n_rows == 1 ? "" : "s");
    g_string_append_printf (names, "%s%s", t > 0 ? "+" : "", table->name);
  }
  if (counts->len == 0)
    return;
  g_string_append (names, " -o - INPUT");
  add_list (lines, width, "Not shown: ", counts->str);
  if (!page->brief)
    add_line (lines, "To see them: nprof run -s text:tables=", names->str);
}

GStrv
page_last_lines (const Paper *paper, const Page *page, guint width)
{
  GPtrArray *lines = g_ptr_array_new ();
  g_autofree char *empty = empty_tables (page);
  add_line (lines, "Tables without rows: ", empty);
  add_reasons (lines, page);
  add_line (lines, "Not in this run: ", page->missing);
  add_rest (lines, width, page);
  if (page->brief && !page->bare)
    add_line (lines, "",
              "All tables and columns: --full; all rows: --top 0; exact numbers: --format json.");
  else if (paper->rounded && !page->bare)
    add_line (lines, "", "Numbers are scaled and rounded; --format json or csv has them exactly.");
  g_ptr_array_add (lines, NULL);
  return (GStrv) g_ptr_array_free (lines, FALSE);
}
