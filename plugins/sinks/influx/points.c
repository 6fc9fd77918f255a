/* SPDX-License-Identifier: Apache-2.0 */
/* points.c - writes rows as points of the measurement `events`. */
#include "influx.h"

#include <string.h>

static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };

/* These attributes are fields of their own: numbers that mean the same, and have the same type, in
 * every profile, since a field that changes its type is refused.  All others are in
 * `attributes`. */
static const struct {
  const char *key;
  guint type;
} fields[] = {
  { NPROF_KEY_FLOPS, NPROF_INT64 },          { NPROF_KEY_MODEL_FLOPS, NPROF_INT64 },
  { NPROF_KEY_BYTES_READ, NPROF_INT64 },     { NPROF_KEY_BYTES_WRITTEN, NPROF_INT64 },
  { NPROF_KEY_BYTES_ACCESSED, NPROF_INT64 }, { NPROF_KEY_BYTES, NPROF_INT64 },
  { NPROF_KEY_STREAM, NPROF_INT64 },         { NPROF_KEY_STEP, NPROF_INT64 },
};

/* -- What all rows of a track share ---------------------------------------- */

static void
enter_track (struct influx_sink *self, const struct nprof_batch *batch, guint i)
{
  const struct nprof_host *host = self->host;
  const struct nprof_track_info *info = host->track_info (host, batch->track[i]);
  struct influx_track *track = &self->track;
  struct nprof_buf *to = &track->tags;
  self->last_track = batch->track[i];
  to->len = 0;
  if (self->of_file)
    nprof_put_text (to, ",epoch=mtime");
  influx_put_tag (self, to, ",input=", host->input (host, info->input)->label);
  nprof_put_text (to, ",kind=");
  track->kind = to->len;
  if (info->process)
    influx_put_tag (self, to,
                    ",process=", nprof_track_label (host->track_info (host, info->process)));
  nprof_put_text (to, ",profile=");
  nprof_put_text (to, self->profile);
  nprof_put_text (to, ",seq=");
  track->seq = to->len;
  influx_put_tag (self, to, ",thread=", nprof_track_label (info));
  nprof_put_text (to, ",track=");
  nprof_put_u64 (to, info->number);
}

/* -- A row ----------------------------------------------------------------- */

static void
put_tags (struct influx_sink *self, const struct nprof_batch *batch, guint i, gint64 time)
{
  struct nprof_buf *to = &self->maker.lines;
  const struct influx_track *track = &self->track;
  const char *tags = track->tags.data ? track->tags.data : ""; /* none: there was no memory */
  guint round, kind = batch->kind[i];
  nprof_put_text (to, "events");
  if (batch->category[i])
    influx_put_tag (self, to, ",category=", batch->category[i]);
  nprof_put (to, tags, track->kind);
  nprof_put_text (to, kind < G_N_ELEMENTS (kinds) ? kinds[kind] : "unknown");
  influx_put_tag (self, to, ",name=", batch->name[i]);
  nprof_put (to, tags + track->kind, track->seq - track->kind);
  guint64 seq
      = seq_next (&self->seq, batch->track[i], time, influx_canonical (self, batch->name[i]),
                  influx_canonical (self, batch->category[i]), kind, &round);
  if (round) {
    nprof_put_u64 (to, round);
    nprof_put_char (to, ':');
  }
  nprof_put_u64 (to, seq);
  nprof_put (to, tags + track->seq, track->tags.len - track->seq);
}

/* Puts what is no attribute of the row. */
static void
put_member (struct influx_sink *self, const char *name, guint type, nprof_value value,
            gboolean *any)
{
  const struct nprof_field field = { .type = type, .value = value };
  influx_put_member (self, &self->maker.lines, &field, name, any);
}

/* Returns another name for a key that stands for something else in the object. */
static const char *
unmapped_name (const struct influx_sink *self, nprof_str key)
{
  static const char *const taken[] = { "attr_id", "attr_parent", "attr_flow" };
  const char *text = nprof_text (self->host, key);
  for (guint k = 0; k < G_N_ELEMENTS (taken); k++)
    if (strcmp (text, taken[k] + strlen ("attr_")) == 0)
      return taken[k];
  return NULL;
}

static void
put_attributes (struct influx_sink *self, const struct nprof_batch *batch, guint i)
{
  struct nprof_buf *to = &self->maker.lines;
  const struct nprof_row_columns *row_columns = &self->row_columns;
  const struct {
    const char *name;
    const guint64 *of;
  } links[] = { { "id", batch->id }, { "parent", batch->parent }, { "flow", batch->flow } };
  size_t before = to->len;
  gboolean any = FALSE;
  nprof_put_text (to, ",attributes=\"");
  for (guint k = 0; k < G_N_ELEMENTS (links); k++)
    if (links[k].of && links[k].of[i])
      put_member (self, links[k].name, NPROF_UINT64, (nprof_value){ .u = links[k].of[i] }, &any);
  if (influx_is_cut (self, batch->name[i]))
    put_member (self, "name", NPROF_STRING, (nprof_value){ .s = batch->name[i] }, &any);
  if (batch->category[i] && influx_is_cut (self, batch->category[i]))
    put_member (self, "category", NPROF_STRING, (nprof_value){ .s = batch->category[i] }, &any);
  if (nprof_has_value (batch, i) && !isfinite (batch->value[i]))
    put_member (self, "value", NPROF_DOUBLE, (nprof_value){ .f = batch->value[i] }, &any);
  for (guint c = 0; c < row_columns->n_columns; c++)
    if (row_columns->field[c].type != NPROF_NULL && !self->columns[c].own)
      influx_put_member (self, to, row_columns->field + c, self->columns[c].name, &any);
  for (guint k = 0; k < row_columns->n_unmapped; k++)
    if (row_columns->unmapped[k].type != NPROF_NULL)
      influx_put_member (self, to, row_columns->unmapped + k,
                         unmapped_name (self, row_columns->unmapped[k].key), &any);
  if (any)
    nprof_put_text (to, "}\"");
  else
    to->len = before;
}

/* Puts the fields; each point has exactly one of duration_ns and no_duration, so that points can be
 * counted. */
static void
put_fields (struct influx_sink *self, const struct nprof_batch *batch, guint i, gint64 rest_ps)
{
  struct nprof_buf *to = &self->maker.lines;
  const struct nprof_row_columns *row_columns = &self->row_columns;
  gboolean timed = batch->kind[i] != NPROF_FACT && batch->duration[i] >= 0;
  counts_add (&self->counts, timed ? self->with_duration : self->without_duration);
  nprof_put_text (to, timed ? " duration_ns=" : " no_duration=true");
  if (timed)
    nprof_put_decimal (to, batch->duration[i], 3, '.');
  if (rest_ps) {
    nprof_put_text (to, ",time_ps=");
    line_put_int (to, rest_ps);
  }
  if (nprof_has_value (batch, i) && isfinite (batch->value[i])) {
    nprof_put_text (to, ",value=");
    nprof_put_double (to, batch->value[i]);
  }
  for (guint c = 0; c < row_columns->n_columns; c++)
    if (self->columns[c].own && row_columns->field[c].type == NPROF_INT64) {
      nprof_put_char (to, ',');
      nprof_put_text (to, row_columns->columns[c]->name);
      nprof_put_char (to, '=');
      line_put_int (to, row_columns->field[c].value.i);
    }
  put_attributes (self, batch, i);
}

static nprof_status
put_row (struct influx_sink *self, const struct nprof_batch *batch, guint i)
{
  gint64 start = batch->kind[i] == NPROF_FACT ? 0 : batch->start[i], time, rest;
  if (!clock_time (&self->clock, start, &time, &rest))
    return nprof_fail (self->host, NPROF_E_IO,
                       "row \"%.100s\": its time lies outside of what InfluxDB can hold (1677 to "
                       "2262): give epoch=",
                       nprof_text (self->host, batch->name[i]));
  if (nprof_row_columns_row (&self->row_columns, batch, i) != NPROF_OK)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the attributes of a row");
  if (batch->track[i] != self->last_track)
    enter_track (self, batch, i);
  put_tags (self, batch, i, time);
  put_fields (self, batch, i, rest);
  nprof_put_char (&self->maker.lines, ' ');
  nprof_put_i64 (&self->maker.lines, time);
  return influx_line (self);
}

nprof_status
influx_points_consume (struct influx_sink *self, const struct nprof_batch *batch)
{
  nprof_status status = influx_set_clock (self);
  for (guint i = 0; i < batch->n_rows && status == NPROF_OK; i++)
    status = put_row (self, batch, i);
  if (status == NPROF_OK && (self->tags.failed || self->values.failed || self->keys.failed))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the names of events");
  return status;
}

/* -- Life ------------------------------------------------------------------ */

static gboolean
stands_alone (const struct influx_sink *self, const struct nprof_column *column)
{
  const char *key = nprof_text (self->host, column->key);
  for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
    if (strcmp (key, fields[k].key) == 0)
      return column->type == fields[k].type && strcmp (column->name, key) == 0;
  return FALSE;
}

nprof_status
influx_points_open (struct influx_sink *self)
{
  const struct nprof_host *host = self->host;
  self->tags = (struct nprof_string_cache){ .host = host, .make = influx_make_tag, .user = self };
  self->values = (struct nprof_string_cache){ .host = host, .make = influx_make_value };
  self->keys = (struct nprof_string_cache){ .host = host, .make = influx_make_key };
  self->aliases = g_hash_table_new (NULL, NULL);
  self->cut = g_hash_table_new (NULL, NULL);
  self->ambiguous = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  seq_init (&self->seq);
  self->with_duration = counts_field (&self->counts, "events", "duration_ns");
  self->without_duration = counts_field (&self->counts, "events", "no_duration");
  if (nprof_row_columns_init (&self->row_columns, host, host->columns (host)))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for the columns");
  self->columns = g_new0 (struct influx_column, self->row_columns.n_columns + 1);
  for (guint c = 0; c < self->row_columns.n_columns; c++) {
    const struct nprof_column *column = self->row_columns.columns[c];
    self->columns[c].own = stands_alone (self, column);
    if (strcmp (column->name, nprof_text (host, column->key)))
      self->columns[c].name = column->name;
  }
  return NPROF_OK;
}

void
influx_points_tell (const struct influx_sink *self)
{
  if (g_hash_table_size (self->cut))
    nprof_log (
        self->host, NPROF_WARNING,
        "%u texts are longer than %d bytes: their tags are cut, and stand whole in the field "
        "attributes where they are names or categories",
        g_hash_table_size (self->cut), LINE_TAG_MAX);
  if (self->row_columns.unknown)
    nprof_log (self->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT " attributes of unknown types were skipped",
               (guint64) self->row_columns.unknown);
}

void
influx_points_clear (struct influx_sink *self)
{
  nprof_string_cache_clear (&self->tags);
  nprof_string_cache_clear (&self->values);
  nprof_string_cache_clear (&self->keys);
  nprof_row_columns_clear (&self->row_columns);
  nprof_buf_clear (&self->scratch);
  nprof_buf_clear (&self->track.tags);
  seq_clear (&self->seq);
  g_clear_pointer (&self->aliases, g_hash_table_unref);
  g_clear_pointer (&self->ambiguous, g_hash_table_unref);
  g_clear_pointer (&self->cut, g_hash_table_unref);
  g_clear_pointer (&self->columns, g_free);
}
