/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - turns batches into rows of tables; other files print them. */

#include "events.h"

#include <nprof/sdk.h>

#define KINDS 7 /* the last one: kinds that this version does not know */

static const char *const kind_names[KINDS]
    = { "span", "instant", "counter", "flow", "fact", "gap", "other" };

static const struct nprof_table events_table = {
  .size = sizeof events_table,
  .name = "events",
  .title = "Events",
  .note = "Attributes are not shown here; csv has them.",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "start_ns", "ps", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "duration_ns", "ps", ""),
                            NPROF_KEY_COLUMN (NPROF_INT64, "track", "", ""),
                            NPROF_KEY_COLUMN (NPROF_STRING, "process", "", ""),
                            NPROF_KEY_COLUMN (NPROF_STRING, "thread", "", ""),
                            NPROF_KEY_COLUMN (NPROF_TEXT, "kind", "", ""),
                            NPROF_KEY_COLUMN (NPROF_STRING, "category", "", ""),
                            NPROF_KEY_COLUMN (NPROF_STRING, "name", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "value", "", ""),
                            NPROF_KEY_COLUMN (NPROF_UINT64, "id", "", ""),
                            NPROF_KEY_COLUMN (NPROF_UINT64, "parent", "", ""),
                            NPROF_KEY_COLUMN (NPROF_UINT64, "flow", "", "")),
};

static const struct nprof_table counts_table = {
  .size = sizeof counts_table,
  .name = "rows",
  .title = "Rows",
  .note = "No component of this run made a table.",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "kind", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "rows", "", "")),
};

struct Events {
  const struct nprof_host *host;
  Table *table;   /* NULL: not shown                  */
  GArray *counts; /* of guint64, KINDS for each input */
};

Events *
events_new (const struct nprof_host *host, gboolean shown, guint64 top, const char *by)
{
  Events *events = g_new0 (Events, 1);
  events->host = host;
  events->table = shown ? table_new (host, &events_table, top, by) : NULL;
  events->counts = g_array_new (FALSE, TRUE, sizeof (guint64));
  return events;
}

void
events_free (Events *events)
{
  g_clear_pointer (&events->table, table_free);
  g_array_unref (events->counts);
  g_free (events);
}

static const char *
kind_name (guint8 kind)
{
  return kind_names[MIN (kind, KINDS - 1)];
}

static struct nprof_cell
input_cell (const struct nprof_host *host, guint number)
{
  const struct nprof_input_info *input = host->input (host, number);
  return input ? nprof_cell_str (input->label) : nprof_cell_null ();
}

static struct nprof_cell
id_cell (const uint64_t *column, guint i)
{
  return column && column[i] ? nprof_cell_uint (column[i]) : nprof_cell_null ();
}

static struct nprof_cell
label_cell (const struct nprof_host *host, nprof_track track)
{
  const struct nprof_track_info *info = track ? host->track_info (host, track) : NULL;
  return info ? nprof_cell_str (nprof_track_label (info)) : nprof_cell_null ();
}

static nprof_status
add_row (Events *events, const struct nprof_batch *b, guint i)
{
  const struct nprof_host *host = events->host;
  if (!table_open (events->table))
    return table_add (events->table, NULL);
  const struct nprof_track_info *track = host->track_info (host, b->track[i]);
  gboolean timed = b->kind[i] != NPROF_FACT;
  gboolean valued = b->value && (b->value_valid[i >> 3] >> (i & 7) & 1);
  const struct nprof_cell cells[] = {
    input_cell (host, b->input),
    timed ? nprof_cell_int (b->start[i]) : nprof_cell_null (),
    !timed || b->duration[i] < 0 ? nprof_cell_null () : nprof_cell_int (b->duration[i]),
    track ? nprof_cell_int (track->number) : nprof_cell_null (),
    label_cell (host, track ? track->process : 0),
    label_cell (host, b->track[i]),
    nprof_cell_text (kind_name (b->kind[i])),
    nprof_cell_str (b->category[i]),
    nprof_cell_str (b->name[i]),
    valued ? nprof_cell_double (b->value[i]) : nprof_cell_null (),
    id_cell (b->id, i),
    id_cell (b->parent, i),
    id_cell (b->flow, i),
  };
  return table_add (events->table, cells);
}

nprof_status
events_add (Events *events, const struct nprof_batch *batch)
{
  guint first = batch->input * KINDS;
  if (events->counts->len < first + KINDS)
    g_array_set_size (events->counts, first + KINDS);
  guint64 *counts = &g_array_index (events->counts, guint64, first);
  for (guint i = 0; i < batch->n_rows; i++) {
    counts[MIN (batch->kind[i], KINDS - 1)]++;
    nprof_status status = events->table ? add_row (events, batch, i) : NPROF_OK;
    if (status)
      return status;
  }
  return NPROF_OK;
}

Table *
events_take_rows (Events *events)
{
  return g_steal_pointer (&events->table);
}

Table *
events_take_counts (const Events *events)
{
  Table *table = table_new (events->host, &counts_table, 0, NULL);
  for (guint i = 0; i < events->counts->len; i++) {
    guint64 n = g_array_index (events->counts, guint64, i);
    const struct nprof_cell cells[]
        = { input_cell (events->host, i / KINDS),
            nprof_cell_text (kind_name ((guint8) (i % KINDS))), nprof_cell_uint (n) };
    if (n > 0 && table_add (table, cells)) {
      table_free (table);
      return NULL;
    }
  }
  return table;
}
