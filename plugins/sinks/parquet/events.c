/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - writes rows as row groups: columns before the first row, slices of batches, and
 * whether the rows keep to an order. */
#include "events.h"

static void
add_columns (struct events *e)
{
  e->columns = table_file_columns_new ();
  base_add_columns (e);
  e->attrs = e->columns->len;
  for (guint c = 0; c < e->row_columns.n_columns; c++) {
    const struct nprof_column *column = e->row_columns.columns[c];
    table_file_columns_add (e->columns, column->name, nprof_text (e->host, column->key),
                            column->type, column->unit, column->help);
  }
  e->map = table_file_columns_add_kind (e->columns, "attributes", PQ_MAP_KEY, "",
                                        "what has no column; values are JSON");
  const char *name = g_array_index (e->columns, struct file_column, e->map).name;
  table_file_columns_add_kind (e->columns, name, PQ_MAP_VALUE, "", "");
}

/* Begins the file with the first row, from which on the epoch is known. */
static void
begin (struct events *e)
{
  if (e->columns)
    return;
  e->origin_ns = e->host->run (e->host)->origin_unix_ns;
  add_columns (e);
  e->sorting[0] = (struct pq_sorting){ e->first_base[e->by_track ? EV_TRACK : EV_START], false };
  e->sorting[1] = (struct pq_sorting){ e->first_base[EV_START], false };
  e->sorting[2] = (struct pq_sorting){ e->first_base[EV_DURATION], true };
  e->partition.columns = e->columns;
  e->partition.sorting = e->sorting;
}

nprof_status
events_open (struct events *e)
{
  partition_init (&e->partition);
  base_open (e);
  if (nprof_row_columns_init (&e->row_columns, e->host, e->host->columns (e->host)))
    return nprof_fail (e->host, NPROF_E_NOMEM, "events.parquet: no memory for its columns");
  attrs_open (e);
  return NPROF_OK;
}

void
events_clear (struct events *e)
{
  partition_clear (&e->partition);
  nprof_row_columns_clear (&e->row_columns);
  attrs_clear (e);
  g_clear_pointer (&e->columns, g_array_unref);
  g_clear_pointer (&e->tracks, g_array_unref);
}

/* -- Rows ------------------------------------------------------------------ */

/* Counts how many of the columns that the file may be sorted by the rows keep to. */
static void
check_order (struct events *e, struct part *part, const struct slice *s)
{
  guint32 *n_sorting = &part->table_file.writer.n_sorting, all = e->by_track ? 3 : 1;
  if (*n_sorting == G_MAXUINT32) {
    *n_sorting = all;
    part->start = part->duration = G_MININT64;
    part->track = 0;
  }
  for (guint i = s->from; *n_sorting && i < s->from + s->n; i++) {
    gint64 start = s->b->start[i], duration = s->b->duration[i];
    guint32 track = e->by_track ? row_track_of (e->tracks, e->host, s->b->track[i])->number : 0;
    gboolean later = track > part->track || start > part->start;
    gboolean same = track == part->track && start == part->start
                    && (!e->by_track || duration <= part->duration);
    if (s->b->kind[i] == NPROF_FACT || track < part->track
        || (track == part->track && start < part->start) || !(later || same))
      *n_sorting = 0;
    part->track = track;
    part->start = start;
    part->duration = duration;
  }
}

static nprof_status
put_slice (struct events *e, struct part *part, const struct slice *s)
{
  gsize *row = &s->table_file->writer.n_rows;
  check_order (e, part, s);
  base_put (s);
  if (s->b->shared)
    pq_rows_pad (&s->table_file->writer.rows, *row + s->n);
  for (guint i = s->from; i < s->from + s->n; i++, ++*row)
    if (attrs_put (s, i) != NPROF_OK)
      return nprof_fail (e->host, NPROF_E_NOMEM,
                         "events.parquet: no memory for the attributes of a row");
  return *row % TABLE_FILE_ROWS ? NPROF_OK : partition_look (&e->partition, part);
}

nprof_status
events_consume (struct events *e, const struct nprof_batch *b)
{
  struct part *part;
  struct nprof_batch own = *b;
  own.shared = NULL;
  begin (e);
  nprof_status status = partition_of (&e->partition, b->input, &part);
  for (guint i = 0; i < b->n_rows && status == NPROF_OK;) {
    guint room = TABLE_FILE_ROWS - part->table_file.writer.n_rows % TABLE_FILE_ROWS;
    if (!part->table_file.writer.n_rows)
      part->group = ++e->n_groups;
    struct slice s = { e, &part->table_file, b, &own, i, MIN (room, b->n_rows - i), part->group };
    status = put_slice (e, part, &s);
    i += s.n;
  }
  return status;
}

nprof_status
events_finish (struct events *e)
{
  begin (e);
  nprof_row_columns_tell (&e->row_columns, "events.parquet");
  return partition_end (&e->partition);
}
