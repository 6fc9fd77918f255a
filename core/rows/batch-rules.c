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

/* Has the sign bit where the duration is below -1. */
static inline guint64
below (gint64 duration)
{
  return (guint64) duration & ((guint64) duration + 1);
}

static inline gboolean
has_value (const struct nprof_batch *batch, guint i)
{
  return batch->value && (batch->value_valid[i >> 3] >> (i & 7) & 1);
}

/* The loops gather sign bits, which all processors do for several rows at once. */
static gboolean
times_hold (const struct nprof_batch *batch)
{
  const gint64 *start = batch->start, *duration = batch->duration;
  guint64 broken = 0;
  for (guint i = 0, n = batch->n_rows; i < n; i++)
    broken |= overflow (start[i], duration[i]) | below (duration[i]);
  return !(broken >> 63);
}

static gboolean
kinds_hold (const struct nprof_batch *batch)
{
  guint8 most = 0;
  for (guint i = 0, n = batch->n_rows; i < n; i++)
    most = MAX (most, batch->kind[i]);
  return most <= NPROF_GAP && !memchr (batch->kind, NPROF_COUNTER, batch->n_rows);
}

/* Of handles and a count below 2^31, one of handle and count - handle has the sign bit where the
 * handle is above it. */
static gboolean
none_above (const guint32 *handles, guint n, guint32 count)
{
  guint32 broken = count;
  for (guint i = 0; handles && i < n; i++)
    broken |= handles[i] | (count - handles[i]);
  return !(broken >> 31);
}

static guint
n_attrs (const struct nprof_batch *batch)
{
  return batch->attr_at ? batch->attr_at[batch->n_rows] : 0;
}

static gboolean
handles_hold (const struct nprof_batch *batch, const NpHandles *handed)
{
  const guint n = batch->n_rows;
  return none_above (batch->name, n, handed->strings)
         && none_above (batch->category, n, handed->strings)
         && none_above (batch->track, n, handed->tracks)
         && none_above (batch->shared, n, handed->sets)
         && none_above (batch->attr_key, n_attrs (batch), handed->strings);
}

/* Truths and ids are rare, so that most batches have no such attribute to look at. */
static gboolean
attributes_hold (const struct nprof_batch *batch)
{
  const guint n = n_attrs (batch);
  return !n
         || (!memchr (batch->attr_type, NPROF_BOOL, n)
             && !memchr (batch->attr_type, NPROF_ID128, n));
}

static char *
handle_problem (const struct nprof_batch *batch, guint i, const NpHandles *handed)
{
  const struct {
    const char *what, *from;
    const guint32 *of;
    guint32 count;
  } handles[] = { { "name", "intern", batch->name, handed->strings },
                  { "category", "intern", batch->category, handed->strings },
                  { "track", "track", batch->track, handed->tracks },
                  { "shared set", "attrs", batch->shared, handed->sets } };
  for (guint k = 0; k < G_N_ELEMENTS (handles); k++)
    if (handles[k].of && handles[k].of[i] > handles[k].count)
      return g_strdup_printf ("the %s %u, which %s never returned", handles[k].what,
                              handles[k].of[i], handles[k].from);
  return NULL;
}

static char *
attribute_problem (const struct nprof_batch *batch, guint j, const NpHandles *handed)
{
  const nprof_value *v = &batch->attr_value[j];
  if (batch->attr_key[j] > handed->strings)
    return g_strdup_printf ("an attribute of key %u, which intern never returned",
                            batch->attr_key[j]);
  if (batch->attr_type[j] == NPROF_BOOL && v->u > 1)
    return g_strdup_printf ("a truth of %" G_GUINT64_FORMAT ": it is 0 or 1", v->u);
  if (batch->attr_type[j] == NPROF_ID128 && v->bytes.len != 16)
    return g_strdup_printf ("an id128 of %u bytes: it has 16", v->bytes.len);
  return NULL;
}

static char *
row_problem (const struct nprof_batch *batch, guint i, const NpHandles *handed)
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
  char *problem = handle_problem (batch, i, handed);
  for (guint j = batch->attr_at ? batch->attr_at[i] : 0;
       !problem && batch->attr_at && j < batch->attr_at[i + 1]; j++)
    problem = attribute_problem (batch, j, handed);
  return problem;
}

char *
np_batch_problem (const struct nprof_batch *batch, const NpHandles *handed)
{
  if (times_hold (batch) && kinds_hold (batch) && handles_hold (batch, handed)
      && attributes_hold (batch))
    return NULL;
  for (guint i = 0; i < batch->n_rows; i++) {
    g_autofree char *problem = row_problem (batch, i, handed);
    if (problem)
      return g_strdup_printf ("row %u of its batch has %s", i, problem);
  }
  return NULL;
}
