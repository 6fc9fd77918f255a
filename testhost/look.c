/* SPDX-License-Identifier: Apache-2.0 */
/* look.c - finding things in what a run gave, as text for comparisons. */

#include "test-run.h"

#include <string.h>

const char *
nprof_test_attr (const NprofTestRow *row, const char *key)
{
  for (guint i = 0; i < row->n_attrs; i++)
    if (strcmp (row->attrs[i].key, key) == 0)
      return row->attrs[i].text;
  return NULL;
}

const NprofTestRow *
nprof_test_row (const NprofTestRun *run, const char *name)
{
  for (guint i = 0; i < run->n_rows; i++)
    if (strcmp (run->rows[i].name, name) == 0)
      return &run->rows[i];
  return NULL;
}

guint
nprof_test_count (const NprofTestRun *run, guint kind)
{
  guint n = 0;
  for (guint i = 0; i < run->n_rows; i++)
    n += run->rows[i].kind == kind;
  return n;
}

const char *
nprof_test_fact (const NprofTestRun *run, const char *path, const char *key)
{
  for (guint i = 0; i < run->n_rows; i++) {
    const NprofTestRow *row = &run->rows[i];
    if (row->kind == NPROF_FACT && strcmp (row->name, key) == 0
        && (!path || strcmp (row->path, path) == 0))
      return nprof_test_attr (row, key);
  }
  return NULL;
}

const char *
nprof_test_property (const NprofTestRun *run, const char *key)
{
  for (guint i = 0; i < run->n_properties; i++)
    if (strcmp (run->properties[2 * i], key) == 0)
      return run->properties[2 * i + 1];
  return NULL;
}

const struct nprof_track_info *
nprof_test_track (const NprofTestRun *run, nprof_track track)
{
  return np_tracks_get (run->test->shared->tracks, track);
}

const char *
nprof_test_label (const NprofTestRun *run, nprof_track track)
{
  Shared *shared = run->test->shared;
  const struct nprof_track_info *info = np_tracks_get (shared->tracks, track);
  return info ? np_strings_get (shared->strings, nprof_track_label (info), NULL) : NULL;
}

const NprofTestTable *
nprof_test_table (const NprofTestRun *run, const char *name)
{
  for (guint i = 0; i < run->n_tables; i++)
    if (strcmp (run->tables[i].table->name, name) == 0)
      return &run->tables[i];
  return NULL;
}

const char *
nprof_test_cell (const NprofTestRun *run, const char *table, guint row, const char *column)
{
  const NprofTestTable *t = nprof_test_table (run, table);
  if (!t || row >= t->n_rows)
    g_error ("no row %u of a table \"%s\"", row, table);
  for (guint i = 0; i < t->n_columns; i++)
    if (strcmp (t->table->columns[i]->name, column) == 0)
      return t->cells[(gsize) row * t->n_columns + i];
  g_error ("table \"%s\" has no column \"%s\"", table, column);
}

guint64
nprof_test_skips (const NprofTestRun *run, const char *what)
{
  guint64 n = 0;
  for (guint i = 0; i < run->n_skipped; i++)
    if (g_str_has_prefix (run->skipped[i].what, what))
      n += run->skipped[i].count;
  return n;
}

gboolean
nprof_test_logged (const NprofTestRun *run, const char *part)
{
  for (guint i = 0; i < run->n_log; i++)
    if (strstr (run->log[i], part))
      return TRUE;
  return FALSE;
}

/* -- All of it as text ----------------------------------------------------- */

static void
dump_row (GString *out, const NprofTestRow *row)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  g_string_append_printf (out, "%s %" G_GINT64_FORMAT "+%" G_GINT64_FORMAT " %s: %s",
                          row->kind <= NPROF_GAP ? kinds[row->kind] : "?", row->start,
                          row->duration, row->path, row->name);
  if (*row->category)
    g_string_append_printf (out, " [%s]", row->category);
  if (row->has_value)
    g_string_append_printf (out, " = %.17g", row->value);
  if (row->id)
    g_string_append_printf (out, " id=%" G_GUINT64_FORMAT, row->id);
  if (row->parent)
    g_string_append_printf (out, " parent=%" G_GUINT64_FORMAT, row->parent);
  if (row->flow)
    g_string_append_printf (out, " flow=%" G_GUINT64_FORMAT, row->flow);
  for (guint i = 0; i < row->n_attrs; i++)
    g_string_append_printf (out, " %s:%u=%s", row->attrs[i].key, row->attrs[i].type,
                            row->attrs[i].text);
  g_string_append_c (out, '\n');
}

static void
dump_table (GString *out, const NprofTestTable *table)
{
  for (guint i = 0; i < table->n_columns; i++)
    g_string_append_printf (out, "%s%s", i ? "," : "", table->table->columns[i]->name);
  g_string_append (out, "\n");
  for (guint i = 0; i < table->n_rows * table->n_columns; i++)
    g_string_append_printf (out, "%s%c", table->cells[i] ? table->cells[i] : "unknown",
                            (i + 1) % table->n_columns ? ',' : '\n');
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const Output *const *x = a, *const *y = b;
  return g_strcmp0 ((*x)->name, (*y)->name);
}

/* Dumps files by name, because the order in which they are made is no result; bytes that are no
 * text as a sum. */
static void
dump_outputs (GString *out, const GPtrArray *outputs)
{
  g_autoptr (GPtrArray) by_name = g_ptr_array_new ();
  g_ptr_array_extend (by_name, (GPtrArray *) outputs, NULL, NULL);
  g_ptr_array_sort (by_name, compare_names);
  for (guint i = 0; i < by_name->len; i++) {
    const Output *output = by_name->pdata[i];
    const GString *data = output->data;
    g_string_append_printf (out, "output %s\n", output->name ? output->name : "");
    if (!memchr (data->str, '\0', data->len)) {
      g_string_append (out, data->str);
      continue;
    }
    g_autofree char *sum
        = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) data->str, data->len);
    g_string_append_printf (out, "%zu bytes, %s\n", data->len, sum);
  }
}

char *
nprof_test_dump (const NprofTestRun *run)
{
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "status %d, origin %" G_GINT64_FORMAT "\n", run->status,
                          run->origin);
  for (guint i = 0; i < run->n_properties; i++)
    g_string_append_printf (out, "property %s = %s\n", run->properties[2 * i],
                            run->properties[2 * i + 1]);
  for (guint i = 0; i < run->n_rows; i++)
    dump_row (out, &run->rows[i]);
  for (guint i = 0; i < run->n_tables; i++) {
    g_string_append_printf (out, "table %s\n", run->tables[i].table->name);
    dump_table (out, &run->tables[i]);
  }
  for (guint i = 0; i < run->n_skipped; i++)
    g_string_append_printf (out,
                            "skipped %" G_GUINT64_FORMAT " %s, first at %" G_GUINT64_FORMAT
                            ": %s\n",
                            run->skipped[i].count, run->skipped[i].what, run->skipped[i].at,
                            run->skipped[i].reason);
  dump_outputs (out, run->test->outputs);
  return g_string_free (out, FALSE);
}
