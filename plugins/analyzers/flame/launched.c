/* SPDX-License-Identifier: Apache-2.0 */
/* launched.c - puts work of devices below the calls that launched it.  Tracks come one after the
 * other, so work waits until all calls are known. */
#include "devicekit/row-launch.h"
#include "flame.h"

typedef struct {
  guint64 correlation;
  guint32 input, frame;
} Call;

static guint
call_hash (gconstpointer key)
{
  const Call *c = key;
  return (guint) (c->correlation * 0x9e3779b97f4a7c15u >> 32) + c->input;
}

static gboolean
call_equal (gconstpointer a, gconstpointer b)
{
  const Call *x = a, *y = b;
  return x->correlation == y->correlation && x->input == y->input;
}

guint64
fl_correlation (const Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  return an_row_launch (batch, i, f->key_correlation, 0).correlation;
}

/* Notes a call; the first of the same id counts. */
void
fl_call (Flame *f, guint32 input, guint64 correlation, guint32 frame)
{
  const Call call = { correlation, input, frame };
  if (!f->calls)
    f->calls = g_hash_table_new_full (call_hash, call_equal, g_free, NULL);
  if (!g_hash_table_contains (f->calls, &call))
    g_hash_table_add (f->calls, g_memdup2 (&call, sizeof call));
}

void
fl_work (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  const Launched work = { batch->input, fl_clean (f, batch->name[i]), fl_correlation (f, batch, i),
                          batch->duration[i] };
  g_array_append_val (f->launched, work);
}

void
fl_join (Flame *f)
{
  for (guint i = 0; i < f->launched->len; i++) {
    const Launched *work = &g_array_index (f->launched, Launched, i);
    const Call wanted = { work->correlation, work->input, 0 };
    const Call *call
        = f->calls && work->correlation ? g_hash_table_lookup (f->calls, &wanted) : NULL;
    guint32 frame = call ? call->frame : fl_root (f, work->input, f->lost);
    fl_add (f, fl_frame (f, frame, work->name), work->duration, 1);
  }
  g_array_set_size (f->launched, 0);
}
