/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - the summaries of a run: from table neuron_metrics where a file states one, else from
 * what the analyzer neuron computes. */
#include "summary.h"

#include <math.h>

static void
line_clear (gpointer data)
{
  Line *line = data;
  g_free (line->name);
  g_free (line->text);
}

static void
summary_free (gpointer data)
{
  Summary *s = data;
  g_free (s->bucket);
  g_array_unref (s->lines);
  g_free (s);
}

GPtrArray *
summaries_new (void)
{
  return g_ptr_array_new_with_free_func (summary_free);
}

/* Finds or adds the summary of a bucket of an input, where it is stated, or of a device, where it
 * is computed: the two are kept apart. */
static Summary *
summary_of (GPtrArray *summaries, gboolean stated, nprof_str input, nprof_str device)
{
  for (guint i = 0; i < summaries->len; i++) {
    Summary *s = summaries->pdata[i];
    if (s->stated == stated && s->input == input && s->device == device)
      return s;
  }
  Summary *s = g_new0 (Summary, 1);
  s->stated = stated;
  s->input = input;
  s->device = device;
  s->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (s->lines, line_clear);
  g_ptr_array_add (summaries, s);
  return s;
}

static void
add_line (Summary *s, const char *name, char *text, gboolean is_number, double number)
{
  Line line = { .name = g_strdup (name), .text = text, .is_number = is_number, .number = number };
  g_array_append_val (s->lines, line);
}

/* -- Tables ------------------------------------------------------------------------------------ */

static const struct nprof_cell *
cell_of (const struct nprof_table *table, const struct nprof_cell *row, const char *column,
         uint32_t type)
{
  int c = nprof_find_column (table, column);
  return c >= 0 && row[c].type == type ? &row[c] : NULL;
}

/* What a file states is printed as it does, whole. */
static void
stated_row (GPtrArray *summaries, const struct nprof_host *host, const struct nprof_table *table,
            const struct nprof_cell *row)
{
  const struct nprof_cell *bucket = cell_of (table, row, "bucket", NPROF_STRING),
                          *metric = cell_of (table, row, "metric", NPROF_STRING),
                          *value = cell_of (table, row, "value", NPROF_DOUBLE),
                          *text = cell_of (table, row, "text", NPROF_TEXT);
  if (!metric || !(value || text))
    return;
  Summary *s = summary_of (summaries, TRUE, row[0].v.s, bucket ? bucket->v.s : 0);
  add_line (s, nprof_text (host, metric->v.s), text ? g_strndup (text->v.text, text->len) : NULL,
            value && isfinite (value->v.f), value ? value->v.f : 0);
}

/* What is nprof's own, or of another table of the vendor's, has no line there. */
static gboolean
is_of_summary (const char *metric)
{
  static const char *const others[]
      = { "throttle_active_time", "throttle_active_time_percent", "throttle_count" };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (metric, others[i]))
      return FALSE;
  return !g_str_has_suffix (metric, "_semaphore_wait_time")
         && !g_str_has_prefix (metric, "small_dma_")
         && !g_str_equal (metric, "transpose_active_time");
}

static void
computed_row (GPtrArray *summaries, const struct nprof_host *host, const struct nprof_table *table,
              const struct nprof_cell *row)
{
  const struct nprof_cell *device = cell_of (table, row, "device", NPROF_STRING),
                          *metric = cell_of (table, row, "metric", NPROF_STRING),
                          *value = cell_of (table, row, "value", NPROF_DOUBLE);
  if (!metric || !is_of_summary (nprof_text (host, metric->v.s)))
    return;
  Summary *s = summary_of (summaries, FALSE, row[0].v.s, device ? device->v.s : 0);
  if (value && isfinite (value->v.f))
    add_line (s, nprof_text (host, metric->v.s), NULL, TRUE, value->v.f);
  else
    s->unknown++;
}

void
summaries_table (GPtrArray *summaries, const struct nprof_host *host,
                 const struct nprof_table *table, const struct nprof_cell *cells, uint32_t n_rows)
{
  gboolean stated = g_str_equal (table->name, "neuron_metrics");
  if (!stated && !g_str_equal (table->name, "neuron_summary"))
    return;
  uint32_t n_columns = nprof_count_columns (table);
  for (uint32_t i = 0; i < n_rows; i++, cells += n_columns)
    if (cells[0].type == NPROF_STRING)
      (stated ? stated_row : computed_row) (summaries, host, table, cells);
}

/* -- All rows were there ----------------------------------------------------------------------- */

static gboolean
is_stated (const GPtrArray *summaries, nprof_str input)
{
  for (guint i = 0; i < summaries->len; i++) {
    const Summary *s = summaries->pdata[i];
    if (s->stated && s->input == input)
      return TRUE;
  }
  return FALSE;
}

/* What is computed beside what the same file states is not printed a second time. */
static void
drop_doubles (GPtrArray *summaries)
{
  for (guint i = summaries->len; i; i--) {
    const Summary *s = summaries->pdata[i - 1];
    if ((!s->stated && is_stated (summaries, s->input)) || s->lines->len == 0)
      g_ptr_array_remove_index (summaries, i - 1);
  }
}

static const struct nprof_input_info *
input_of (const struct nprof_host *host, nprof_str label)
{
  uint32_t n = host->run (host)->n_inputs;
  for (uint32_t i = 0; i < n; i++) {
    const struct nprof_input_info *info = host->input (host, i);
    if (info && info->label == label)
      return info;
  }
  return NULL;
}

/* Adds the words of the vendor's summary that an NTFF states of itself. */
static void
add_words (const struct nprof_host *host, Summary *s)
{
  static const char *const words[] = { "instance_type", "runtime_version", "driver_version",
                                       "collectives_version", "compiler_version" };
  const struct nprof_input_info *info = input_of (host, s->input);
  for (guint w = 0; info && w < G_N_ELEMENTS (words); w++)
    for (const char *const *p = info->properties; p && p[0]; p += 2)
      if (g_str_equal (p[0], words[w]))
        add_line (s, words[w], g_strdup (p[1]), FALSE, 0);
}

/* How the vendor makes the name of a bucket is not public: without one, it is the SHA-1 of the
 * names of the input and of the device. */
static void
name_bucket (const struct nprof_host *host, Summary *s)
{
  const char *device = s->device ? nprof_text (host, s->device) : "";
  if (s->stated && *device) {
    s->bucket = g_strdup (device);
    return;
  }
  g_autofree char *names = g_strconcat (nprof_text (host, s->input), "\n", device, NULL);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA1, names, -1);
  s->bucket = g_strconcat ("n_", hash, NULL);
}

static void
say_unknown (const struct nprof_host *host, const Summary *s)
{
  if (s->unknown)
    nprof_log (host, NPROF_WARNING,
               "%s: %u metrics of the summary are unknown and left out; nprof run -a neuron -s "
               "csv:table=neuron_summary -o - has the reason of each",
               nprof_text (host, s->input), s->unknown);
}

void
summaries_end (GPtrArray *summaries, const struct nprof_host *host)
{
  drop_doubles (summaries);
  for (guint i = 0; i < summaries->len; i++) {
    Summary *s = summaries->pdata[i];
    name_bucket (host, s);
    if (!s->stated)
      add_words (host, s);
    say_unknown (host, s);
  }
}
