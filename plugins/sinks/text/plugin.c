/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the sink `text`: gathers tables and prints them at the end for people, as Markdown,
 * HTML or JSON; the pages decide how they look. */

#include "events.h"
#include "facts.h"
#include "page.h"
#include "profile.h"
#include "system/short-names.h"
#include "tree.h"
#include "views.h"

#include <nprof/sdk.h>

#define TOP 20 /* rows of a table when nobody says */

enum { FORMAT_PLAIN, FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_HTML };

typedef struct {
  const struct nprof_host *host;
  int64_t top, width;
  const char *by, *tables, *command;
  int32_t format, color;
  bool rest, brief, only, list, paged, short_names;

  WantedTables wanted;
  GPtrArray *viewed;  /* of Table, made by the views; or NULL    */
  GPtrArray *stored;  /* of Table, in order of announcement      */
  GHashTable *labels; /* number of a track -> nprof_str         */
  Events *events;
  Views *views;       /* NULL: all rows and columns of all tables */
  Pictures *pictures; /* of a brief page for a browser; or NULL */
  Paper paper;
} Text;

static guint64
top_of (const Text *text)
{
  if (text->list)
    return 1; /* they are only counted */
  return text->top < 0 ? TOP : (guint64) text->top;
}

static nprof_status
text_open (void *self, const struct nprof_host *host)
{
  Text *text = self;
  text->host = host;
  wanted_tables_init (&text->wanted, text->tables);
  text->labels = g_hash_table_new (NULL, NULL);
  text->stored = g_ptr_array_new_with_free_func ((GDestroyNotify) table_free);
  text->events
      = events_new (host, text->wanted.names && wanted_tables_has (&text->wanted, "events"),
                    top_of (text), text->by);
  if (text->brief)
    text->views = views_new (host, text->only && text->top < 0 ? TOP : text->top, text->by,
                             text->only ? &text->wanted : NULL);
  if (text->brief && text->format == FORMAT_HTML)
    text->pictures = pictures_new (host, text->only ? &text->wanted : NULL);
  struct nprof_output *out = host->output (host, NULL);
  if (!out) /* the host has recorded why */
    return NPROF_E_IO;
  paper_init (&text->paper, out, host->target (host), (guint) text->width, text->color,
              text->paged);
  if (text->views)
    views_room (text->views, text->paper.width,
                text->paper.endless || text->format != FORMAT_PLAIN);
  return NPROF_OK;
}

static nprof_status
no_memory (const Text *text)
{
  return nprof_fail (text->host, NPROF_E_NOMEM,
                     "no memory for the rows of the tables: give top=N, or use csv");
}

static nprof_status
text_consume (void *self, const struct nprof_batch *batch)
{
  Text *text = self;
  return events_add (text->events, batch) ? no_memory (text) : NPROF_OK;
}

/* Learns labels, because facts name their tracks by number. */
static void
learn_labels (Text *text, const Table *tracks, const struct nprof_cell *cells, uint32_t n_rows)
{
  int number = table_column (tracks, "track"), label = table_column (tracks, "thread");
  for (uint32_t r = 0; number >= 0 && label >= 0 && r < n_rows; r++) {
    const struct nprof_cell *row = cells + (gsize) r * tracks->n_columns;
    if (row[number].type == NPROF_UINT64 && row[label].type == NPROF_STRING)
      g_hash_table_insert (text->labels, GSIZE_TO_POINTER (row[number].v.u),
                           GUINT_TO_POINTER (row[label].v.s));
  }
}

/* Returns the rows to keep; facts are joined before they are cut. */
static guint64
rows_to_keep (const Text *text, const char *name)
{
  gboolean all = text->format != FORMAT_JSON && g_str_equal (name, "facts");
  return all ? 0 : top_of (text);
}

/* Returns whether the table is kept: views keep the rows of their tables; a table that is asked for
 * is printed whole when its views have nothing to show. */
static gboolean
is_kept (const Text *text, const char *name)
{
  return wanted_tables_has (&text->wanted, name)
         && (text->only || text->format == FORMAT_JSON
             || !(text->views && views_know (text->views, name)));
}

static nprof_status
text_table (void *self, const struct nprof_table *decl, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  Text *text = self;
  Table *table = wanted_tables_find (text->stored, decl->name);
  if (!table) {
    table = table_new (text->host, decl, rows_to_keep (text, decl->name), text->by);
    g_ptr_array_add (text->stored, table);
  }
  if (g_str_equal (decl->name, "tracks"))
    learn_labels (text, table, cells, n_rows);
  if (text->views && views_add (text->views, decl, cells, n_rows))
    return no_memory (text);
  if (text->pictures && pictures_add (text->pictures, decl, cells, n_rows))
    return no_memory (text);
  if (!is_kept (text, decl->name)) {
    table->n_rows += n_rows;
    return NPROF_OK;
  }
  for (uint32_t r = 0; r < n_rows; r++)
    if (table_add (table, cells + (gsize) r * table->n_columns))
      return no_memory (text);
  return NPROF_OK;
}

/* Checks that not all are missing. One of several may be, and all of those that a person chose
 * from what there is, which the page says. */
static nprof_status
check_picked (const Text *text)
{
  gboolean any = !text->wanted.names || text->only;
  for (char **name = text->wanted.names; name && *name; name++)
    any = any || wanted_tables_find (text->stored, *name);
  if (any)
    return NPROF_OK;
  g_autoptr (GString) there = g_string_new ("events");
  for (guint t = 0; t < text->stored->len; t++)
    g_string_append_printf (there, ", %s", ((Table *) g_ptr_array_index (text->stored, t))->name);
  return nprof_fail (text->host, NPROF_E_OPTION,
                     "tables=%s: this run has no such table; it has: %s", text->tables, there->str);
}

static void
add_names (GPtrArray *names, const Table *table)
{
  for (guint c = 0; c < table->n_columns; c++)
    if (!g_ptr_array_find_with_equal_func (names, table->columns[c].name, g_str_equal, NULL))
      g_ptr_array_add (names, table->columns[c].name);
}

static gboolean
is_by (const Text *text, const Table *table)
{
  return table->by >= 0
         || (strcmp (text->by, "shape") == 0 && strcmp (table->name, "operator_shapes") == 0);
}

static guint
common_letters (const char *a, const char *b)
{
  guint n = 0;
  while (a[n] && a[n] == b[n])
    n++;
  g_autofree char *begin = g_strndup (a, strlen (b)); /* letters may be exchanged */
  for (const char *at = b; *at; at++)
    n += strchr (begin, *at) != NULL;
  return n;
}

/* Orders names by how many letters they begin with like the word, or have at their beginning. */
static int
by_likeness (gconstpointer a, gconstpointer b, gpointer word)
{
  guint x = common_letters (*(const char *const *) a, word);
  guint y = common_letters (*(const char *const *) b, word);
  return (x < y) - (x > y);
}

/* Checks that one table has the column; a table that lacks it keeps its order. */
static nprof_status
check_by (const Text *text, const GPtrArray *tables)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint t = 0; *text->by && t < tables->len; t++) {
    const Table *table = g_ptr_array_index (tables, t);
    if (is_by (text, table))
      return NPROF_OK;
    add_names (names, table);
  }
  if (names->len == 0)
    return NPROF_OK;
  g_ptr_array_sort_with_data (names, by_likeness, (gpointer) text->by); /* errors have an end */
  g_ptr_array_add (names, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **) names->pdata);
  return nprof_fail (text->host, NPROF_E_OPTION,
                     "by=%s: no table has a column of that name; there are: %s", text->by, list);
}

/* Returns the tables to print, finished; borrowed from `stored`. */
static GPtrArray *
collect (Text *text)
{
  if (!text->wanted.names && text->stored->len == 0) {
    Table *counts = events_take_counts (text->events);
    if (counts)
      g_ptr_array_add (text->stored, counts);
  }
  wanted_tables_settle (&text->wanted, text->stored);
  GPtrArray *tables = wanted_tables_list (&text->wanted, text->stored, text->format == FORMAT_JSON);
  for (guint t = 0; t < tables->len; t++)
    table_finish (g_ptr_array_index (tables, t));
  return tables;
}

/* Puts the tables that the views have made behind table inputs, where that comes first. */
static nprof_status
insert_views (Text *text, GPtrArray *tables)
{
  text->viewed = views_finish (text->views);
  for (guint t = tables->len; t-- > 0;) {
    Table *table = g_ptr_array_index (tables, t);
    table->single = !text->only && !profile_is (table);
    table->no_input = table->no_input || table_is_of_job (table);
    if (text->only ? views_show (text->views, table->name) : views_know (text->views, table->name))
      g_ptr_array_remove_index (tables, t);
  }
  gint at = tables->len > 0 && profile_is (g_ptr_array_index (tables, 0)) ? 1 : 0;
  for (guint t = 0; text->viewed && t < text->viewed->len; t++) {
    Table *table = g_ptr_array_index (text->viewed, t);
    g_ptr_array_insert (tables, table->bare ? 0 : at, table); /* the summary stands first */
    at++;
  }
  return text->viewed ? NPROF_OK : no_memory (text);
}

/* Returns the tables with rows that are not on the page, of Table; transfer container. */
static GPtrArray *
find_rest (const Text *text)
{
  GPtrArray *rest = g_ptr_array_new ();
  for (guint t = 0; t < text->stored->len; t++) {
    Table *table = g_ptr_array_index (text->stored, t);
    gboolean viewed = text->views && views_know (text->views, table->name);
    if (table->n_rows > 0
        && (viewed ? !views_show (text->views, table->name)
                   : !wanted_tables_has (&text->wanted, table->name)))
      g_ptr_array_add (rest, table);
  }
  return rest;
}

/* Replaces tables of the core by what people want; `made` owns the new ones. */
static void
dress (const Text *text, GPtrArray *tables, GPtrArray *made)
{
  for (guint t = 0; text->format != FORMAT_JSON && t < tables->len; t++) {
    const Table *table = g_ptr_array_index (tables, t);
    Table *other = NULL;
    if (g_str_equal (table->name, "facts"))
      other = facts_new (table, text->labels, top_of (text));
    else if (g_str_equal (table->name, "tracks") && text->format == FORMAT_PLAIN)
      other = tree_new (table);
    if (!other)
      continue;
    g_ptr_array_add (made, other);
    tables->pdata[t] = other;
  }
}

/* Returns whether the column holds the names of what ran. */
static gboolean
has_names (const Column *column)
{
  static const char *const heads[] = { "operator", "name", "kernel", "top_kernel", NULL };
  return g_strv_contains (heads, column->name)
         && (column->type == NPROF_STRING || column->type == NPROF_TEXT);
}

typedef void (*NameFn) (Names *names, const char *name, struct nprof_cell *cell);

static void
gather_name (Names *names, const char *name, struct nprof_cell *cell G_GNUC_UNUSED)
{
  names_add (names, name);
}

static void
shorten_name (Names *names, const char *name, struct nprof_cell *cell)
{
  *cell = nprof_cell_text (names_short (names, name));
}

static void
each_name (const GPtrArray *tables, Names *names, NameFn fn)
{
  for (guint t = 0; t < tables->len; t++) {
    const Table *table = g_ptr_array_index (tables, t);
    for (guint c = 0; c < table->n_columns; c++)
      for (guint r = 0; has_names (&table->columns[c]) && r < table->rows->len; r++) {
        struct nprof_cell *cell = &((Row *) g_ptr_array_index (table->rows, r))->cells[c];
        if (cell->type == NPROF_NULL)
          continue;
        gsize len;
        const char *found = cell_text (table->host, cell, &len);
        g_autofree char *name = g_strndup (found, len);
        fn (names, name, cell);
      }
  }
}

/* Shortens names over the whole page, so that texts that read alike are the same; `names` owns
 * them. */
static Names *
shorten_names (const Text *text, const GPtrArray *tables)
{
  Names *names = text->short_names && text->format != FORMAT_JSON ? names_new () : NULL;
  if (!names)
    return NULL;
  each_name (tables, names, gather_name);
  each_name (tables, names, shorten_name);
  return names;
}

static nprof_status
print_tables (Text *text, GPtrArray *tables)
{
  gboolean json = text->format == FORMAT_JSON;
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) table_free);
  /* The names live until the page is printed. */
  G_GNUC_UNUSED g_autoptr (Names) names = shorten_names (text, tables);
  dress (text, tables, made);
  g_autoptr (GPtrArray) rest = find_rest (text);
  g_autofree char *input = json ? NULL : page_find_input (text->host, tables);
  g_autofree char *missing = wanted_tables_missing (&text->wanted, text->stored, json);
  gboolean brief = text->views != NULL, verbose = wanted_tables_has (&text->wanted, "skipped");
  const Table *ranks = wanted_tables_find (text->stored, "ranks");
  g_autofree char *inputs = page_name_inputs (text->host, ranks ? ranks->n_rows : 0),
                  *date = page_date (text->host);
  const Page page = { tables,
                      input,
                      inputs,
                      date,
                      text->command,
                      missing,
                      text->rest ? rest : NULL,
                      text->views ? views_reasons (text->views) : NULL,
                      text->pictures,
                      brief,
                      brief && !verbose,
                      text->only && text->format == FORMAT_MARKDOWN };
  switch (text->format) {
  case FORMAT_MARKDOWN:
    return page_markdown (&text->paper, &page);
  case FORMAT_HTML:
    return page_html (&text->paper, &page);
  case FORMAT_JSON:
    return page_json (&text->paper, &page);
  default:
    return page_plain (&text->paper, &page);
  }
}

/* Warns the person who started a program, because programs do not read notes. */
static void
warn_left_out (const Text *text, const GPtrArray *tables)
{
  for (guint t = 0; text->format == FORMAT_JSON && t < tables->len; t++) {
    const Table *table = g_ptr_array_index (tables, t);
    if (table->n_rows > table->rows->len)
      nprof_log (text->host, NPROF_WARNING,
                 "table %s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                 " rows left out; top=0 writes all",
                 table->name, table->n_rows - table->rows->len, table->n_rows);
  }
}

static nprof_status
text_finish (void *self)
{
  Text *text = self;
  if (text->list)
    return page_list (&text->paper, text->stored);
  Table *events = events_take_rows (text->events);
  if (events)
    g_ptr_array_add (text->stored, events);
  nprof_status status = check_picked (text);
  if (status)
    return status;
  g_autoptr (GPtrArray) tables = collect (text);
  if (text->views && text->format != FORMAT_JSON && (status = insert_views (text, tables)))
    return status;
  if ((status = check_by (text, tables)))
    return status;
  warn_left_out (text, tables);
  return print_tables (text, tables);
}

static void
text_close (void *self)
{
  Text *text = self;
  paper_clear (&text->paper);
  g_clear_pointer (&text->events, events_free);
  g_clear_pointer (&text->viewed, g_ptr_array_unref);
  g_clear_pointer (&text->views, views_free);
  g_clear_pointer (&text->pictures, pictures_free);
  g_clear_pointer (&text->stored, g_ptr_array_unref);
  g_clear_pointer (&text->labels, g_hash_table_unref);
  wanted_tables_clear (&text->wanted);
}

static const struct nprof_component text_sink = {
  .size = sizeof text_sink,
  .kind = NPROF_SINK,
  .name = "text",
  .summary = "tables for people in a terminal, as Markdown, HTML or JSON",
  .options = NPROF_OPTIONS (
      NPROF_INT_OPTION (Text, top, "top", "-1", "-1..1000000000",
                        "rows of a table; 0: all; -1: 20, or what suits with brief"),
      NPROF_STRING_OPTION (Text, by, "by", "",
                           "column to sort by, largest number first; empty: the table's own order"),
      NPROF_CHOICE_OPTION (Text, format, "format", "plain", "plain|markdown|json|html",
                           "for a terminal, for GitHub, exact values for programs, or a browser"),
      NPROF_STRING_OPTION (
          Text, tables, "tables", "",
          "tables to print, a+b?, those with ? if they have rows; empty: all but events"),
      NPROF_BOOL_OPTION (Text, rest, "rest", "no",
                         "below the tables, name those that are not printed"),
      NPROF_BOOL_OPTION (Text, brief, "brief", "no",
                         "a summary, then the rows and columns that people want first; json: the "
                         "summary, and all"),
      NPROF_BOOL_OPTION (Text, only, "only", "no",
                         "with brief: the tables asked for, no others and no summary"),
      NPROF_BOOL_OPTION (Text, list, "list", "no", "only the names of tables, and their rows"),
      NPROF_BOOL_OPTION (
          Text, short_names, "short_names", "no",
          "C++ names without parameters, namespaces, template arguments; not in json"),
      NPROF_CHOICE_OPTION (Text, color, "color", "auto", "auto|always|never",
                           "colours; auto: on a terminal, unless NO_COLOR is set"),
      NPROF_STRING_OPTION (Text, command, "command", "",
                           "html: the command that made the page, for who wants to make it again"),
      NPROF_BOOL_OPTION (Text, paged, "paged", "no", "a pager shows the output on a terminal"),
      NPROF_INT_OPTION (
          Text, width, "width", "0", "0..100000",
          "columns of a line, 40 at least; 0: those of the terminal, else as many as are needed")),
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "report.txt",
  .instance_size = sizeof (Text),
  .open = text_open,
  .consume = text_consume,
  .table = text_table,
  .finish = text_finish,
  .close = text_close,
};

NPROF_PLUGIN ("text", NPROF_VERSION, "Apache-2.0", &text_sink)
