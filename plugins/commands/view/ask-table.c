/* SPDX-License-Identifier: Apache-2.0 */
/* ask-table.c - answers routes profile and table: what a profile holds beside rows. */

#include "console/report-tables.h"
#include "screen.h"
#include "stored/findings.h"
#include "system/type-name.h"
#include "tables.h"
#include "window-rows.h"

#include <string.h>

/* -- table ------------------------------------------------------------------------------- */

gboolean
np_ask_table (NpAsk *ask)
{
  const char *name = np_request_segment (ask->request, 6), *why; /* behind "table" */
  g_auto (NpCells) cells = { 0 };
  g_auto (NpChosenRows) table = { 0 };
  if (np_is_source_table (name))
    return np_reply_fail (ask->reply, 404, "ask for one file",
                          "routes sources and source have table %s", name);
  if (!np_ask_cells (ask, &cells, name))
    return np_reply_fail (ask->reply, 404, "route profile lists the tables",
                          "this profile has no table %.100s", name);
  if (!np_window_rows (ask, &cells, &why))
    return ask->reply->status == 202;
  if (!np_rows_choose (ask, &cells, &table))
    return FALSE;
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  if (why)
    np_json_no_table (&ask->json, name, why);
  else if (!np_json_table (ask, &cells, &table))
    return FALSE;
  np_json_end_object (&ask->json);
  return TRUE;
}

/* -- profile ------------------------------------------------------------------------------- */

static void
put_properties (NpAsk *ask, const struct nprof_store_input *in)
{
  const struct nprof_store_property *p;
  np_json_object (&ask->json, "properties");
  for (guint32 i = 0;
       i < in->n_properties && (p = nprof_store_property_at (ask->store, in->properties + i)); i++)
    np_json_text (&ask->json, np_ask_string (ask, p->key), np_ask_string (ask, p->value));
  np_json_end_object (&ask->json);
}

static void
put_origin_time (NpJson *j, gint64 unix_ns)
{
  if (unix_ns == G_MININT64)
    np_json_null (j, "origin_unix_ns");
  else
    np_json_i64 (j, "origin_unix_ns", unix_ns);
}

static void
put_inputs (NpAsk *ask)
{
  const struct nprof_store_input *in;
  NpJson *j = &ask->json;
  np_json_array (j, "inputs");
  for (guint32 i = 0; (in = nprof_store_input_at (ask->store, i)); i++) {
    np_json_object (j, NULL);
    np_json_number (j, "number", i);
    np_json_text (j, "label", np_ask_string (ask, in->label));
    np_json_text (j, "decoder", np_ask_string (ask, in->decoder));
    np_json_text (j, "version", np_ask_string (ask, in->version));
    np_json_number (j, "bytes", in->bytes);
    np_json_number (j, "rows", in->rows);
    put_origin_time (j, in->origin_unix_ns);
    put_properties (ask, in);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_facts (NpAsk *ask)
{
  static const char *const members[] = { "track", "key", "value", "unit", "source" };
  g_auto (NpCells) facts = { 0 };
  NpJson *j = &ask->json;
  np_json_array (j, "facts");
  np_ask_cells (ask, &facts, "facts");
  for (guint64 i = 0; i < facts.rows; i++) {
    np_json_object (j, NULL);
    for (guint k = 0; k < G_N_ELEMENTS (members); k++) {
      int column = np_cells_column (&facts, members[k]);
      struct nprof_cell cell = { .type = NPROF_NULL };
      gint64 track;
      if (column >= 0)
        np_cells_at (&facts, i, (guint) column, &cell);
      if (!k && np_cells_i64 (&facts, i, "track", &track))
        np_json_number (j, "track", (guint64) track);
      else
        np_json_cell (j, members[k], &cell);
    }
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_zero (NpJson *j, const char *key, const char *text, gint64 t)
{
  np_json_object (j, NULL);
  np_json_text (j, "key", key);
  np_json_text (j, "text", text);
  np_json_i64 (j, "t", t);
  np_json_end_object (j);
}

/* Puts the begin of Unix time, so that times from it are Unix times; it lies more picoseconds
 * before the origin than 64 bits hold. */
static void
put_unix_zero (NpJson *j, gint64 origin_unix_ns)
{
  g_autofree char *t = g_strdup_printf ("%s%" G_GINT64_FORMAT "000", origin_unix_ns < 0 ? "" : "-",
                                        ABS (origin_unix_ns));
  np_json_object (j, NULL);
  np_json_text (j, "key", "utc");
  np_json_text (j, "text", "UTC, as Unix time");
  np_json_text (j, "t", t);
  np_json_end_object (j);
}

/* Puts the moments that the ruler may call 0. */
static void
put_zeros (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  g_auto (NpCells) steps = { 0 };
  NpJson *j = &ask->json;
  gint64 start;
  np_json_array (j, "zeros");
  put_zero (j, "origin", "nprof's origin", 0);
  if (meta->first <= meta->last)
    put_zero (j, "start", "start of the first row", meta->first);
  if (meta->origin_unix_ns != G_MININT64)
    put_unix_zero (j, meta->origin_unix_ns);
  np_ask_cells (ask, &steps, "steps");
  if (steps.rows && np_cells_i64 (&steps, 0, "start_ns", &start))
    put_zero (j, "step", "start of the first step", start);
  np_json_end_array (j);
}

static void
put_attributes (NpAsk *ask)
{
  const struct nprof_store_attribute *a;
  NpJson *j = &ask->json;
  np_json_array (j, "attributes");
  for (guint32 i = 0; (a = nprof_store_attribute_at (ask->store, i)); i++) {
    np_json_object (j, NULL);
    np_json_text (j, "key", np_ask_string (ask, a->key));
    np_json_text (j, "name", np_ask_string (ask, a->name));
    np_json_text (j, "type", np_type_name (a->type));
    np_json_text (j, "unit", np_ask_string (ask, a->unit));
    np_json_text (j, "help", np_ask_string (ask, a->help));
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_tables (NpAsk *ask)
{
  const struct nprof_store_table *t;
  NpJson *j = &ask->json;
  np_json_array (j, "tables");
  for (guint32 i = 0; (t = nprof_store_table_at (ask->store, i)); i++) {
    if (np_is_source_table (np_ask_string (ask, t->name)))
      continue;
    g_auto (NpCells) cells = { .table = np_stored_table_new (ask->store, ask->query, i) };
    const char *origin
        = t->origin == G_MAXUINT32 ? "core" : nprof_store_origin (ask->store, t->origin);
    np_json_object (j, NULL);
    np_json_text (j, "name", np_ask_string (ask, t->name));
    np_json_text (j, "title", np_ask_string (ask, t->title));
    np_json_text (j, "note", np_ask_string (ask, t->note));
    np_json_number (j, "rows", t->rows);
    np_json_text (j, "origin", *origin ? origin : "decoder");
    np_json_columns (ask, &cells, NULL);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_names (NpJson *j, const char *key, const char *const *tables, gboolean beside)
{
  np_json_array (j, key);
  for (; *tables; tables++) {
    const gsize len = strcspn (*tables, "?");
    if (((*tables)[len] == '?') == beside)
      np_json_text_n (j, NULL, *tables, len);
  }
  np_json_end_array (j);
}

static gboolean
put_widget (gpointer widget, gpointer tables, gpointer json)
{
  NpJson *j = json;
  np_json_object (j, widget);
  put_names (j, "tables", tables, FALSE);
  put_names (j, "beside", tables, TRUE);
  np_json_end_object (j);
  return FALSE;
}

/* The tables of widgets by name, as analyzers say them; the first that says a widget's counts. */
static void
put_widgets (NpAsk *ask)
{
  g_autoptr (GPtrArray) naming = np_report_naming (ask->view->modules);
  g_autoptr (GTree) all = g_tree_new ((GCompareFunc) strcmp);
  for (guint i = naming->len; i--;) { /* the first last, as it replaces others */
    GHashTableIter iter;
    gpointer widget, tables;
    g_hash_table_iter_init (&iter, ((const NpRegistryEntry *) naming->pdata[i])->report->widgets);
    while (g_hash_table_iter_next (&iter, &widget, &tables))
      g_tree_replace (all, widget, tables);
  }
  np_json_object (&ask->json, "widgets");
  g_tree_foreach (all, put_widget, &ask->json);
  np_json_end_object (&ask->json);
}

static void
put_skipped (NpAsk *ask)
{
  g_auto (NpCells) skipped = { 0 };
  NpJson *j = &ask->json;
  gint64 count = 0, byte = 0;
  np_json_array (j, "skipped");
  np_ask_cells (ask, &skipped, "skipped");
  for (guint64 i = 0; i < skipped.rows; i++) {
    g_autofree char *what = np_cells_text (&skipped, i, "what"),
                    *reason = np_cells_text (&skipped, i, "reason");
    np_json_object (j, NULL);
    np_json_text (j, "what", what ? what : "");
    np_cells_i64 (&skipped, i, "count", &count);
    np_json_number (j, "count", (guint64) count);
    if (np_cells_i64 (&skipped, i, "first_byte", &byte))
      np_json_i64 (j, "first_byte", byte);
    else
      np_json_null (j, "first_byte");
    np_json_text (j, "reason", reason ? reason : "");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* Puts what to record, by the question that it would answer. */
static void
put_record (NpAsk *ask)
{
  g_auto (NpCells) abilities = { 0 };
  np_json_object (&ask->json, "record");
  np_ask_cells (ask, &abilities, "abilities");
  for (guint64 i = 0; i < abilities.rows; i++) {
    g_autofree char *question = np_cells_text (&abilities, i, "question"),
                    *record = np_cells_text (&abilities, i, "record");
    if (question && record)
      np_json_text (&ask->json, question, record);
  }
  np_json_end_object (&ask->json);
}

/* Puts what decoders want people to know of an input, each once. */
static void
put_notices (NpAsk *ask)
{
  g_autoptr (GHashTable) told = g_hash_table_new (g_str_hash, g_str_equal);
  const struct nprof_store_input *in;
  for (guint32 i = 0; (in = nprof_store_input_at (ask->store, i)); i++) {
    const char *notice = np_profile_property (ask->profile, in, "notice");
    if (notice && g_hash_table_add (told, (gpointer) notice))
      np_json_text (&ask->json, NULL, notice);
  }
}

/* Says of which inputs rows of any time may be missing: each has a gap without an end, the last of
 * its lane, whose name says so. */
static void
put_cut_offs (NpAsk *ask)
{
  const struct nprof_store_lane *l;
  for (guint32 i = 0; (l = nprof_store_lane_at (ask->store, i)); i++) {
    struct nprof_event e;
    if (l->type != NPROF_STORE_LANE_GAP
        || !nprof_store_event (ask->query, (struct nprof_row){ i, l->rows - 1 }, &e)
        || e.duration >= 0)
      continue;
    const struct nprof_store_input *in = nprof_store_input_at (ask->store, e.input);
    g_autofree char *text = g_strdup_printf ("%s: %s", in ? np_ask_string (ask, in->label) : "",
                                             np_label_name (ask, e.label));
    np_json_text (&ask->json, NULL, text);
  }
}

static void
put_warnings (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  np_json_array (&ask->json, "warnings");
  put_notices (ask);
  put_cut_offs (ask);
  if (meta->flags & NPROF_STORE_LOSSES)
    np_json_text (&ask->json, NULL, "records of the input could not be read and are missing");
  if (meta->unclosed) {
    g_autofree char *text = g_strdup_printf ("spans without an end in the file: %" G_GUINT64_FORMAT
                                             "; they are counted, in no sum, and drawn to the end",
                                             meta->unclosed);
    np_json_text (&ask->json, NULL, text);
  }
  if (nprof_store_find_table (ask->store, "findings") == UINT32_MAX)
    np_json_text (&ask->json, NULL,
                  "what stands out is unknown: the profile was stored without analyzer answers; "
                  "nprof view --force FILE stores it with that");
  np_json_end_array (&ask->json);
}

/* Counts rows of a lane that touch a range of times. */
static guint64
rows_between (NpAsk *ask, guint32 lane, guint32 rows, gint64 t0, gint64 t1)
{
  struct nprof_event e;
  guint64 n = 0;
  for (struct nprof_row row = { lane, 0 }; row.row < rows; row.row++)
    if (nprof_store_event (ask->query, row, &e) && e.start <= t1
        && (e.duration < 0 || e.start + e.duration >= t0))
      n++;
  return n;
}

/* Counts rows of gaps, of the window where the request asks of one: places where events may be
 * missing. */
guint64
np_ask_lost_rows (NpAsk *ask)
{
  const struct nprof_store_lane *l;
  gint64 t0, t1;
  guint64 n = 0;
  if (!np_asks_for_window (ask) || !np_ask_range (ask, &t0, &t1))
    return np_lost_rows (ask->store);
  for (guint32 i = 0; (l = nprof_store_lane_at (ask->store, i)); i++)
    if (l->type == NPROF_STORE_LANE_GAP)
      n += rows_between (ask, i, l->rows, t0, t1);
  return n;
}

gboolean
np_ask_profile (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  gboolean timed = meta->first <= meta->last;
  NpJson *j = &ask->json;
  g_autofree char *generation = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", meta->generation);
  np_json_object (j, NULL);
  np_json_text (j, "bucket", ask->profile->id);
  np_json_text (j, "gen", generation);
  put_inputs (ask);
  put_facts (ask);
  np_json_i64 (j, "start", timed ? meta->first : 0);
  np_json_i64 (j, "end", timed ? meta->last : 0);
  put_origin_time (j, meta->origin_unix_ns);
  put_zeros (ask);
  put_attributes (ask);
  put_tables (ask);
  put_widgets (ask);
  put_warnings (ask);
  put_skipped (ask);
  put_record (ask);
  np_json_findings (ask);
  np_json_screen (ask);
  np_json_number (j, "rows", meta->rows);
  np_json_number (j, "unclosed", meta->unclosed);
  np_json_number (j, "lost", np_ask_lost_rows (ask));
  np_json_end_object (j);
  return TRUE;
}
