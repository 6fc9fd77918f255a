/* SPDX-License-Identifier: Apache-2.0 */
/* batch-rules.c - looks at all rows at once first, because nearly all batches keep the rules, and
 * looks for the row afterwards. */

#include "rows/batch-rules.h"

#include <string.h>

/* Where the sum has another sign than both, it does not fit. */
static inline guint64
overflow (gint64 start, gint64 duration)
{
  guint64 sum = (guint64) start + (guint64) duration;
  return ((guint64) start ^ sum) & ((guint64) duration ^ sum);
}

static inline gboolean
has_value (const struct nprof_batch *batch, guint i)
{
  return batch->value && (batch->value_valid[i >> 3] >> (i & 7) & 1);
}

static gboolean
times_hold (const struct nprof_batch *batch)
{
  const gint64 *start = batch->start, *duration = batch->duration;
  guint64 over = 0;
  gint64 least = 0;
  for (guint i = 0, n = batch->n_rows; i < n; i++) {
    over |= overflow (start[i], duration[i]);
    least = MIN (least, duration[i]);
  }
  return least >= -1 && !(over >> 63);
}

static gboolean
kinds_hold (const struct nprof_batch *batch)
{
  guint8 most = 0;
  for (guint i = 0, n = batch->n_rows; i < n; i++)
    most = MAX (most, batch->kind[i]);
  return most <= NPROF_GAP && !memchr (batch->kind, NPROF_COUNTER, batch->n_rows);
}

static char *
row_problem (const struct nprof_batch *batch, guint i)
{
  if (batch->kind[i] > NPROF_GAP)
    return g_strdup_printf ("kind %u, which nprof/plugin.h does not have", batch->kind[i]);
  if (batch->kind[i] == NPROF_COUNTER && !has_value (batch, i))
    return g_strdup ("kind counter and no value: call nprof_set_value");
  if (batch->duration[i] < -1)
    return g_strdup_printf ("a duration of %" G_GINT64_FORMAT " ps: -1 is a span without an end",
                            batch->duration[i]);
  if (overflow (batch->start[i], batch->duration[i]) >> 63)
    return g_strdup_printf ("start %" G_GINT64_FORMAT " ps and duration %" G_GINT64_FORMAT
                            " ps, whose sum is no int64",
                            batch->start[i], batch->duration[i]);
  return NULL;
}

char *
np_batch_problem (const struct nprof_batch *batch)
{
  if (times_hold (batch) && kinds_hold (batch))
    return NULL;
  for (guint i = 0; i < batch->n_rows; i++) {
    g_autofree char *problem = row_problem (batch, i);
    if (problem)
      return g_strdup_printf ("row %u of its batch has %s", i, problem);
  }
  return NULL;
}
