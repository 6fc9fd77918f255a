/* SPDX-License-Identifier: Apache-2.0 */
/* derived-rows.c - keeps what an analyzer adds, each batch with rows of one input. */

#include "pipeline/derived-rows.h"
#include "base/error.h"

#define SPOOL_BYTES (8u << 20)

static guint
input_of (NpRun *run, nprof_track track)
{
  const struct nprof_track_info *info = np_tracks_get (run->tracks, track);
  return info ? info->input : 0;
}

static gboolean
spool_rows (NpSpool *rows, NpRun *run, NpBatch *batch, guint from, guint to, guint input,
            GError **error)
{
  NpBatch *part = np_pool_take (run->pool);
  gboolean ok = part != NULL;
  for (guint i = from; ok && i < to; i++)
    ok = np_batch_copy_row (part, &batch->view, i);
  if (ok) {
    np_batch_seal (part, input);
    ok = np_spool_add (rows, part, error);
  } else
    np_error_set (error, NP_EXIT_ROOM, "no memory for the rows of an analyzer");
  g_clear_pointer (&part, np_batch_unref);
  return ok;
}

gboolean
np_derived_rows_add (NpSpool **rows, NpRun *run, NpBatch *batch, GError **error)
{
  if (!*rows)
    *rows = np_spool_new (run->pool, SPOOL_BYTES);
  guint n = batch->view.n_rows;
  gboolean ok = TRUE;
  for (guint from = 0, to = 0; ok && from < n; from = to) {
    guint input = input_of (run, batch->view.track[from]);
    while (to < n && input_of (run, batch->view.track[to]) == input)
      to++;
    if (to - from == n) {
      batch->view.input = input;
      return np_spool_add (*rows, batch, error);
    }
    ok = spool_rows (*rows, run, batch, from, to, input, error);
  }
  return ok;
}

gboolean
np_derived_rows_check (const NpRun *run, const char *who, const struct nprof_batch *batch,
                       GError **error)
{
  for (guint i = 0; i < batch->n_rows; i++) {
    gint64 end;
    if (batch->kind[i] == NPROF_FACT)
      continue;
    if (!__builtin_add_overflow (batch->start[i], MAX (batch->duration[i], 0), &end)
        && batch->start[i] >= run->info.first && end <= run->info.last)
      continue;
    return np_error_set (error, NP_EXIT_PLUGIN,
                         "%s: its row \"%s\" lies outside the time range of the decoded rows", who,
                         np_strings_get (run->strings, batch->name[i], NULL));
  }
  return TRUE;
}
