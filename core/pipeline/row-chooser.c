/* SPDX-License-Identifier: Apache-2.0 */
/* row-chooser.c - asks analyzers which rows of a batch they need and collects these. */

#include "pipeline/row-chooser.h"

#include "base/fence.h"
#include "sort/sort-types.h"

#include <string.h>

G_STATIC_ASSERT (NP_BATCH_ROWS % 64 == 0);

struct NpRowChooser {
  GPtrArray *analyzers;     /* of NpInstance; not ours */
  const NpProjection *keep; /* not ours */
  guint8 rows[NP_BATCH_ROWS / 8];
  guint16 chosen[NP_BATCH_ROWS]; /* numbers of rows */
  NpEmitter emitter;
};

NpRowChooser *
np_row_chooser_new (NpPool *pool, const NpProjection *keep, NpSorterFn fn, gpointer user)
{
  NpRowChooser *self = g_new0 (NpRowChooser, 1);
  self->analyzers = g_ptr_array_new ();
  self->keep = keep;
  np_emit_init (&self->emitter, pool, fn, user);
  return self;
}

void
np_row_chooser_free (NpRowChooser *self)
{
  if (!self)
    return;
  np_emit_end (&self->emitter, FALSE, NULL);
  g_ptr_array_unref (self->analyzers);
  g_free (self);
}

void
np_row_chooser_add (NpRowChooser *self, NpInstance *analyzer)
{
  g_ptr_array_add (self->analyzers, analyzer);
}

/* Returns the bits of rows 64 * k and those behind, the first in the lowest bit. */
static guint64
word (const NpRowChooser *self, guint k)
{
  guint64 bits;
  memcpy (&bits, self->rows + 8 * k, 8);
  return GUINT64_FROM_LE (bits);
}

/* Copying most rows of a batch costs more than putting a few in order that nobody needs. */
static gboolean
takes_most (const NpRowChooser *self, guint n_rows)
{
  guint n = 0;
  for (guint i = 0; i < (n_rows + 63) / 64; i++)
    n += (guint) __builtin_popcountll (word (self, i));
  return n >= n_rows - n_rows / 4;
}

/* Asks the analyzers until the batch must go on as it is: then it does not matter what the others
 * need. The one that was asked last then is asked first of the next batch, mostly one like it. */
static gboolean
ask (NpRowChooser *self, const struct nprof_batch *rows, GError **error)
{
  gpointer *analyzers = self->analyzers->pdata;
  memset (self->rows, 0, sizeof self->rows);
  for (guint i = 0; i < self->analyzers->len; i++) {
    NpInstance *analyzer = analyzers[i];
    nprof_status status = NP_CALL (analyzer->component, choose, analyzer->self, rows, self->rows);
    if (!np_instance_passed (analyzer, status, error))
      return FALSE;
    if (!takes_most (self, rows->n_rows))
      continue;
    analyzers[i] = analyzers[0];
    analyzers[0] = analyzer;
    break;
  }
  return TRUE;
}

/* Notes the numbers of the rows that are chosen, and returns how many they are. */
static guint
list_chosen (NpRowChooser *self, guint n_rows)
{
  guint n = 0;
  for (guint first = 0; first < n_rows; first += 64) {
    guint64 bits = word (self, first / 64);
    if (n_rows - first < 64)
      bits &= (G_GUINT64_CONSTANT (1) << (n_rows - first)) - 1;
    for (; bits; bits &= bits - 1)
      self->chosen[n++] = (guint16) (first + (guint) __builtin_ctzll (bits));
  }
  return n;
}

gboolean
np_row_chooser_batch (NpRowChooser *self, NpBatch *batch, GError **error)
{
  const NpBlock block = np_block_of (batch);
  guint n_rows = block.rows.n_rows;
  if (!ask (self, &batch->view, error))
    return FALSE;
  if (takes_most (self, n_rows))
    return np_emit_rest (&self->emitter, error)
           && self->emitter.fn (batch, self->emitter.user, error);
  return np_emit_chosen (&self->emitter, &block, self->chosen, list_chosen (self, n_rows),
                         self->keep, error);
}

gboolean
np_row_chooser_end (NpRowChooser *self, GError **error)
{
  return np_emit_rest (&self->emitter, error);
}
