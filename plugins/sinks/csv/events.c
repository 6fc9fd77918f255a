/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - writes rows as lines of events.csv: base columns, declared attributes, the rest. */
#include "events.h"

enum {
  INPUT,
  START,
  DURATION,
  TRACK,
  PROCESS,
  THREAD,
  KIND,
  CATEGORY,
  NAME,
  VALUE,
  ID,
  PARENT,
  FLOW,
  N_BASE
};

static const struct {
  const char *name;
  guint type;
} base[N_BASE] = {
  [INPUT] = { "input", NPROF_STRING },
  [START] = { "start_ns", NPROF_INT64 },
  [DURATION] = { "duration_ns", NPROF_INT64 },
  [TRACK] = { "track", NPROF_UINT64 },
  [PROCESS] = { "process", NPROF_STRING },
  [THREAD] = { "thread", NPROF_STRING },
  [KIND] = { "kind", NPROF_STRING },
  [CATEGORY] = { "category", NPROF_STRING },
  [NAME] = { "name", NPROF_STRING },
  [VALUE] = { "value", NPROF_DOUBLE },
  [ID] = { "id", NPROF_UINT64 },
  [PARENT] = { "parent", NPROF_UINT64 },
  [FLOW] = { "flow", NPROF_UINT64 },
};

static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };

/* All rows of a track share this; number 0: not looked up yet. */
struct csv_track {
  guint32 number;
  gboolean in_process;
  nprof_str process, thread;
};

static void
add_columns (struct csv_events *events)
{
  const struct csv_format *format = events->format;
  for (guint c = 0; c < N_BASE; c++)
    csv_columns_add (events->columns, base[c].name, base[c].type, "ps", format->time);
  for (guint c = 0; c < events->row_columns.n_columns; c++) {
    const struct nprof_column *column = events->row_columns.columns[c];
    csv_columns_add (events->columns, column->name, column->type, column->unit, format->time);
  }
  csv_columns_add (events->columns, "attributes", NPROF_JSON, NULL, format->time);
}

nprof_status
csv_events_open (struct csv_events *events, struct csv_format *format, const char *stem,
                 const char *picks)
{
  const struct nprof_host *host = format->host;
  g_autofree char *why = NULL;
  events->format = format;
  events->columns = csv_columns_new ();
  events->tracks = g_array_new (FALSE, TRUE, sizeof (struct csv_track));
  csv_file_init (&events->file, host, stem, format->split, format->dialect.excel);
  if (nprof_row_columns_init (&events->row_columns, host, host->columns (host)))
    return nprof_fail (host, NPROF_E_NOMEM, "events.csv: no memory for its columns");
  add_columns (events);
  if (!csv_columns_pick (events->columns, picks, &why))
    return nprof_fail (host, NPROF_E_OPTION, "columns=%s: %s", picks, why);
  for (guint k = 0; k < events->columns->len; k++) {
    const struct csv_column *column = &g_array_index (events->columns, struct csv_column, k);
    events->spreads |= column->from >= N_BASE;
    if (k)
      nprof_put_char (&events->file.header, format->dialect.delimiter);
    csv_put_text (&events->file.header, &format->dialect, column->name, strlen (column->name));
  }
  csv_end_line (&events->file.header, format->dialect.excel);
  return csv_file_start (&events->file);
}

static const struct csv_track *
look_up_track (struct csv_events *events, nprof_track handle)
{
  const struct nprof_host *host = events->format->host;
  if (handle >= events->tracks->len)
    g_array_set_size (events->tracks, MAX (handle + 1, events->tracks->len * 2));
  struct csv_track *track = &g_array_index (events->tracks, struct csv_track, handle);
  const struct nprof_track_info *info = track->number ? NULL : host->track_info (host, handle);
  if (!info)
    return track;
  track->number = info->number;
  track->thread = nprof_track_label (info);
  track->in_process = info->process != 0;
  if (info->process)
    track->process = nprof_track_label (host->track_info (host, info->process));
  return track;
}

static void
put_base (struct csv_events *events, const struct csv_column *column, const struct nprof_batch *b,
          guint i, const struct csv_track *track)
{
  struct csv_format *format = events->format;
  struct nprof_buf *to = &events->file.buf;
  switch (column->from) {
  case INPUT:
    csv_put_str (format, to, format->host->input (format->host, b->input)->label);
    break;
  case START:
    if (b->kind[i] != NPROF_FACT)
      csv_put_i64 (format, to, b->start[i], column->shift);
    break;
  case DURATION:
    if (b->kind[i] != NPROF_FACT && b->duration[i] >= 0)
      csv_put_i64 (format, to, b->duration[i], column->shift);
    break;
  case TRACK:
    csv_put_u64 (format, to, track->number, 0);
    break;
  case PROCESS:
    if (track->in_process)
      csv_put_str (format, to, track->process);
    break;
  case THREAD:
    csv_put_str (format, to, track->thread);
    break;
  case KIND:
    nprof_put_text (to, b->kind[i] < G_N_ELEMENTS (kinds) ? kinds[b->kind[i]] : "unknown");
    break;
  case CATEGORY:
    if (b->category[i])
      csv_put_str (format, to, b->category[i]);
    break;
  case NAME:
    csv_put_str (format, to, b->name[i]);
    break;
  case VALUE:
    if (b->value && b->value_valid[i >> 3] >> (i & 7) & 1)
      csv_put_double (format, to, b->value[i], 0);
    break;
  case ID:
    if (b->id && b->id[i])
      csv_put_u64 (format, to, b->id[i], 0);
    break;
  case PARENT:
    if (b->parent && b->parent[i])
      csv_put_u64 (format, to, b->parent[i], 0);
    break;
  case FLOW:
    if (b->flow && b->flow[i])
      csv_put_u64 (format, to, b->flow[i], 0);
    break;
  }
}

static void
put_row (struct csv_events *events, const struct nprof_batch *batch, guint i)
{
  struct csv_format *format = events->format;
  struct nprof_buf *to = &events->file.buf;
  const struct csv_track *track = look_up_track (events, batch->track[i]);
  const struct csv_column *columns = &g_array_index (events->columns, struct csv_column, 0);
  for (guint k = 0; k < events->columns->len; k++) {
    guint from = columns[k].from;
    if (k)
      nprof_put_char (to, format->dialect.delimiter);
    if (from < N_BASE)
      put_base (events, columns + k, batch, i, track);
    else if (from - N_BASE < events->row_columns.n_columns)
      csv_put_field (format, to, events->row_columns.field + (from - N_BASE), columns[k].shift);
    else
      csv_put_rest (format, to, &events->row_columns);
  }
  csv_end_line (to, format->dialect.excel);
}

nprof_status
csv_events_consume (struct csv_events *events, const struct nprof_batch *batch)
{
  for (guint i = 0; i < batch->n_rows; i++) {
    nprof_status status = csv_file_line (&events->file);
    if (status)
      return status;
    if (events->spreads && nprof_row_columns_row (&events->row_columns, batch, i) != NPROF_OK)
      return nprof_fail (events->format->host, NPROF_E_NOMEM,
                         "events.csv: no memory for the attributes of a row");
    put_row (events, batch, i);
    status = csv_file_flush (&events->file, FALSE);
    if (status)
      return status;
  }
  return NPROF_OK;
}

nprof_status
csv_events_finish (struct csv_events *events)
{
  nprof_row_columns_tell (&events->row_columns, "events.csv");
  return csv_file_finish (&events->file);
}

void
csv_events_clear (struct csv_events *events)
{
  csv_file_clear (&events->file);
  nprof_row_columns_clear (&events->row_columns);
  g_clear_pointer (&events->columns, g_array_unref);
  g_clear_pointer (&events->tracks, g_array_unref);
}
