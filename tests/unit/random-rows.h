/* SPDX-License-Identifier: Apache-2.0 */
/* random-rows.h - batches of random rows for the tests of spool and order, and rows as text,
 * so that a test can compare them. */
#pragma once

#include "rows/batch.h"

#include <nprof/sdk.h>

typedef struct {
  guint n_tracks, n_inputs;
  guint times;     /* start and duration lie below this: small makes equal keys */
  guint max_attrs; /* a row */
} RandomRows;

static inline void
random_attr (GRand *rand, struct nprof_writer *w)
{
  nprof_str key = (nprof_str) g_rand_int_range (rand, 1, 6);
  char text[40];
  guint len = (guint) g_rand_int_range (rand, 0, sizeof text);
  memset (text, g_rand_int_range (rand, 'a', 'z'), sizeof text);
  nprof_status status;
  switch (g_rand_int_range (rand, 0, 5)) {
  case 0:
    status = nprof_attr_int (w, key, g_rand_int_range (rand, -5, 5));
    break;
  case 1:
    status = nprof_attr_double (w, key, g_rand_double (rand));
    break;
  case 2:
    status = nprof_attr_str (w, key, (nprof_str) g_rand_int_range (rand, 0, 9));
    break;
  case 3:
    status = nprof_attr_bytes (w, key, NPROF_ID128, text, 16);
    break;
  default:
    status = nprof_attr_bytes (w, key, NPROF_TEXT, text, len);
  }
  g_assert_cmpint (status, ==, NPROF_OK);
}

static inline void
random_row (GRand *rand, const RandomRows *like, guint optional, struct nprof_writer *w)
{
  gint64 duration = g_rand_int_range (rand, -1, (gint32) like->times);
  nprof_track track = (nprof_track) g_rand_int_range (rand, 1, (gint32) like->n_tracks + 1);
  gint64 start = g_rand_int_range (rand, -(gint32) like->times, (gint32) like->times);
  guint8 kind = (guint8) g_rand_int_range (rand, NPROF_SPAN, NPROF_GAP + 1);
  g_assert_cmpint (nprof_row (w, kind, track, g_rand_int (rand), start, duration), ==, NPROF_OK);
  nprof_set_category (w, (nprof_str) g_rand_int_range (rand, 0, 3));
  if (optional & 1 && g_rand_boolean (rand))
    nprof_set_value (w, g_rand_double (rand));
  if (optional & 2 && g_rand_boolean (rand))
    nprof_set_id (w, g_rand_int (rand));
  if (optional & 4 && g_rand_boolean (rand))
    nprof_set_parent (w, g_rand_int (rand));
  if (optional & 8 && g_rand_boolean (rand))
    nprof_set_flow (w, (guint64) g_rand_int (rand) << 32 | 1);
  if (optional & 16 && g_rand_boolean (rand))
    nprof_set_shared (w, (nprof_set) g_rand_int_range (rand, 1, 100));
  if (optional & 32)
    for (gint32 n = g_rand_int_range (rand, 0, (gint32) like->max_attrs + 1); n > 0; n--)
      random_attr (rand, w);
}

/* A sealed batch of 1 .. max rows. */
static inline NpBatch *
random_batch (GRand *rand, NpPool *pool, const RandomRows *like, guint max)
{
  NpBatch *batch = np_pool_take (pool);
  guint n = (guint) g_rand_int_range (rand, 1, (gint32) MIN (max, batch->writer.max_rows) + 1);
  guint optional = g_rand_boolean (rand) ? g_rand_int (rand) : 0;
  for (guint i = 0; i < n; i++)
    random_row (rand, like, optional, &batch->writer);
  np_batch_seal (batch, (guint) g_rand_int_range (rand, 0, (gint32) like->n_inputs));
  return batch;
}

static inline void
print_attr (GString *text, const struct nprof_batch *b, guint j)
{
  const nprof_value *v = &b->attr_value[j];
  g_string_append_printf (text, " %u:%u=", b->attr_key[j], b->attr_type[j]);
  if (b->attr_type[j] == NPROF_TEXT || b->attr_type[j] == NPROF_JSON
      || b->attr_type[j] == NPROF_ID128)
    g_string_append_len (text, b->bytes + v->bytes.at, v->bytes.len);
  else if (b->attr_type[j] == NPROF_STRING)
    g_string_append_printf (text, "%u", v->s);
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT, v->i);
}

/* Row i as text; keep: as in projection.h. */
static inline char *
print_row (const struct nprof_batch *b, guint i, const guint8 *keep, guint n_keep)
{
  GString *text = g_string_new (NULL);
  g_string_printf (text, "%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %u %u %u %u", b->input,
                   b->start[i], b->duration[i], b->track[i], b->name[i], b->category[i],
                   b->kind[i]);
  if (b->value && b->value_valid[i / 8] >> i % 8 & 1)
    g_string_append_printf (text, " value %.17g", b->value[i]);
  g_string_append_printf (text,
                          " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u",
                          b->id ? b->id[i] : 0, b->parent ? b->parent[i] : 0,
                          b->flow ? b->flow[i] : 0, b->shared ? b->shared[i] : 0);
  for (guint j = b->attr_at ? b->attr_at[i] : 0; b->attr_at && j < b->attr_at[i + 1]; j++)
    if (!keep || (b->attr_key[j] < n_keep && keep[b->attr_key[j]]))
      print_attr (text, b, j);
  return g_string_free (text, FALSE);
}

/* Makes optional columns NULL when no row has one, as the contract says. */
static inline void
check_optional (const struct nprof_batch *b)
{
  gboolean any[5] = { FALSE };
  for (guint i = 0; i < b->n_rows; i++) {
    any[0] |= b->value && b->value_valid[i / 8] >> i % 8 & 1;
    any[1] |= b->id && b->id[i];
    any[2] |= b->parent && b->parent[i];
    any[3] |= b->flow && b->flow[i];
    any[4] |= b->shared && b->shared[i];
  }
  g_assert_cmpint (any[0], ==, b->value != NULL);
  g_assert_cmpint (any[0], ==, b->value_valid != NULL);
  g_assert_cmpint (any[1], ==, b->id != NULL);
  g_assert_cmpint (any[2], ==, b->parent != NULL);
  g_assert_cmpint (any[3], ==, b->flow != NULL);
  g_assert_cmpint (any[4], ==, b->shared != NULL);
  g_assert_cmpint (b->n_attrs != 0, ==, b->attr_at != NULL);
}
