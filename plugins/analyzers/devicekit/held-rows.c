/* SPDX-License-Identifier: Apache-2.0 */
/* held-rows.c - a queue of copied rows for each device: the first waits for its launch, the others
 * for the first. */
#include "devicekit/held-rows.h"

#include "devicekit/by-track.h"

#include "devicekit/launch-table.h"

#include <nprof/sdk.h>

/* A launch that rows wait for. */
typedef struct {
  AnLaunchKey key;
  guint rows;       /* that have it; the last frees it                   */
  AnLaunch *launch; /* NULL: it has not come; else nobody else finds it */
} Awaited;

typedef struct {
  gint64 start, duration;
  nprof_track track;
  nprof_str name, category;
  nprof_set shared;
  guint32 input, origin, n_attrs;
  guint8 kind, hidden;
  Awaited *awaited;    /* NULL: nothing                                            */
  nprof_value value[]; /* n_attrs of them; behind them as many keys, and as many types */
} Row;

typedef struct {
  nprof_track device;
  GQueue rows; /* of Row */
} Device;

static nprof_str *
keys_of (Row *row)
{
  return (nprof_str *) (void *) (row->value + row->n_attrs);
}

static guint8 *
types_of (Row *row)
{
  return (guint8 *) (keys_of (row) + row->n_attrs);
}

static void
row_free (gpointer data)
{
  Row *row = data;
  if (row->awaited && --row->awaited->rows == 0) {
    g_free (row->awaited->launch);
    g_free (row->awaited);
  }
  g_free (row);
}

static void
device_free (gpointer data)
{
  Device *d = data;
  g_queue_clear_full (&d->rows, row_free);
  g_free (d);
}

void
an_held_init (AnHeld *h, AnHeldRow take, gpointer user)
{
  *h = (AnHeld){ .take = take, .user = user };
  h->devices = g_ptr_array_new_with_free_func (device_free);
  h->by_track = g_ptr_array_new ();
  h->awaited = g_hash_table_new (an_launch_key_hash, an_launch_key_equal);
}

void
an_held_clear (AnHeld *h)
{
  g_clear_pointer (&h->awaited, g_hash_table_unref);
  g_clear_pointer (&h->by_track, g_ptr_array_unref);
  g_clear_pointer (&h->devices, g_ptr_array_unref);
}

static Device *
device_of (AnHeld *h, nprof_track device)
{
  Device *d = an_of_track (h->by_track, device);
  if (d)
    return d;
  d = g_new0 (Device, 1);
  d->device = device;
  g_ptr_array_add (h->devices, d);
  an_put_of_track (h->by_track, device, d);
  return d;
}

bool
an_held_is (const AnHeld *h, nprof_track device)
{
  const Device *d = an_of_track (h->by_track, device);
  return d && d->rows.length;
}

/* -- Into the queue ---------------------------------------------------------------------------- */

/* Values of bytes are left out: no analyzer of devices reads one of a span. */
static guint32
count_attrs (const struct nprof_batch *batch, uint32_t i)
{
  guint32 n = 0;
  for (guint32 j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    n += batch->attr_type[j] < NPROF_TEXT;
  return n;
}

static void
copy_attrs (Row *row, const struct nprof_batch *batch, uint32_t i)
{
  nprof_str *key = keys_of (row);
  guint8 *type = types_of (row);
  for (guint32 n = 0, j = batch->attr_at ? batch->attr_at[i] : 0; n < row->n_attrs; j++) {
    if (batch->attr_type[j] >= NPROF_TEXT)
      continue;
    row->value[n] = batch->attr_value[j];
    key[n] = batch->attr_key[j];
    type[n++] = batch->attr_type[j];
  }
}

static Row *
copy_row (const struct nprof_batch *batch, uint32_t i)
{
  guint32 n = count_attrs (batch, i);
  Row *row = g_malloc0 (sizeof *row + n * (sizeof *row->value + sizeof (nprof_str) + 1));
  row->n_attrs = n;
  row->start = batch->start[i];
  row->duration = batch->duration[i];
  row->track = batch->track[i];
  row->name = batch->name[i];
  row->category = batch->category[i];
  row->shared = batch->shared ? batch->shared[i] : 0;
  row->input = batch->input;
  row->origin = batch->origin;
  row->kind = batch->kind[i];
  row->hidden = nprof_hidden (batch, i);
  copy_attrs (row, batch, i);
  return row;
}

static Awaited *
awaited_new (const AnLaunchKey *key)
{
  Awaited *awaited = g_new0 (Awaited, 1);
  awaited->key = *key;
  return awaited;
}

static Awaited *
awaited_of (AnHeld *h, const AnLaunchKey *key)
{
  Awaited *awaited = g_hash_table_lookup (h->awaited, key);
  if (awaited)
    return awaited;
  awaited = awaited_new (key);
  g_hash_table_add (h->awaited, awaited);
  return awaited;
}

/* The launch of the row has come already, or is waited for. */
static Awaited *
awaited_by (AnHeld *h, const AnLaunchKey *key, const AnLaunch *launch)
{
  Awaited *awaited = launch ? awaited_new (key) : awaited_of (h, key);
  awaited->rows++;
  if (launch)
    awaited->launch = g_memdup2 (launch, sizeof *launch);
  return awaited;
}

/* -- Out of it --------------------------------------------------------------------------------- */

static bool
is_ready (const Row *row)
{
  return !row->awaited || row->awaited->launch;
}

static void
take_first (AnHeld *h, Device *d)
{
  Row *row = g_queue_pop_head (&d->rows);
  const uint32_t attr_at[] = { 0, row->n_attrs };
  const struct nprof_batch batch = { .size = sizeof batch,
                                     .n_rows = 1,
                                     .input = row->input,
                                     .n_attrs = row->n_attrs,
                                     .start = &row->start,
                                     .duration = &row->duration,
                                     .track = &row->track,
                                     .name = &row->name,
                                     .category = &row->category,
                                     .kind = &row->kind,
                                     .shared = row->shared ? &row->shared : NULL,
                                     .attr_at = row->n_attrs ? attr_at : NULL,
                                     .attr_key = keys_of (row),
                                     .attr_type = types_of (row),
                                     .attr_value = row->value,
                                     .hidden = row->hidden ? &row->hidden : NULL,
                                     .origin = row->origin };
  h->n--;
  if (!is_ready (row) && row->awaited->rows == 1)
    g_hash_table_remove (h->awaited, row->awaited);
  h->take (h->user, &batch, row->awaited ? row->awaited->launch : NULL);
  row_free (row);
}

/* Up to the first that still waits. */
static void
take_ready (AnHeld *h, Device *d)
{
  while (d->rows.length && is_ready (d->rows.head->data))
    take_first (h, d);
}

void
an_held_add (AnHeld *h, nprof_track device, const struct nprof_batch *batch, uint32_t i, guint64 id,
             const AnLaunch *launch)
{
  Device *d = device_of (h, device);
  Row *row = copy_row (batch, i);
  const AnLaunchKey key = { id, row->input };
  row->awaited = id ? awaited_by (h, &key, launch) : NULL;
  g_queue_push_tail (&d->rows, row);
  h->n++;
  if (d->rows.length <= AN_MOST_HELD)
    return;
  take_first (h, d);
  take_ready (h, d);
}

/* Rows go on with the first launch that begins later: a step may begin with theirs, and come behind
 * it. */
static void
take_due (AnHeld *h, gint64 now)
{
  if (!h->due || now <= h->due_at)
    return;
  h->due = false;
  for (guint i = 0; i < h->devices->len; i++)
    take_ready (h, g_ptr_array_index (h->devices, i));
}

void
an_held_came (AnHeld *h, const AnLaunch *launch)
{
  const AnLaunchKey key = { launch->id, launch->input };
  take_due (h, launch->start);
  Awaited *awaited = g_hash_table_lookup (h->awaited, &key);
  if (!awaited)
    return;
  g_hash_table_remove (h->awaited, awaited);
  h->due = true;
  awaited->launch = g_memdup2 (launch, sizeof *launch);
  h->due_at = launch->start;
}

void
an_held_end (AnHeld *h)
{
  for (guint i = 0; i < h->devices->len; i++) {
    Device *d = g_ptr_array_index (h->devices, i);
    while (d->rows.length)
      take_first (h, d);
  }
}
