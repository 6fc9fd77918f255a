/* SPDX-License-Identifier: Apache-2.0 */
/* held-rows.c - a queue of copied rows for each device: the first waits for its launch, the others for the
 * first. */
#include "devicekit/held-rows.h"

#include "devicekit/launch-table.h"

#include <nprof/sdk.h>

/* A launch that rows wait for. */
typedef struct {
  AnLaunchKey key;
  guint rows;      /* that have it; the last frees it */
  bool came;       /* then nobody else finds it       */
  AnLaunch launch; /* where it came                   */
} Awaited;

typedef struct {
  gint64 start, duration;
  nprof_track track;
  nprof_str name, category;
  nprof_set shared;
  guint32 input, origin, n_attrs;
  guint8 kind, hidden;
  nprof_value *value; /* n_attrs of them, in one block with the two below */
  nprof_str *key;
  guint8 *type;
  Awaited *awaited; /* NULL: nothing */
} Row;

typedef struct {
  nprof_track device;
  GQueue rows; /* of Row */
} Device;

static void
row_free (gpointer data)
{
  Row *row = data;
  if (row->awaited && --row->awaited->rows == 0)
    g_free (row->awaited);
  g_free (row->value);
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
  h->awaited = g_hash_table_new (an_launch_key_hash, an_launch_key_equal);
}

void
an_held_clear (AnHeld *h)
{
  g_clear_pointer (&h->awaited, g_hash_table_unref);
  g_clear_pointer (&h->devices, g_ptr_array_unref);
}

static Device *
find (const AnHeld *h, nprof_track device)
{
  for (guint i = 0; i < h->devices->len; i++) {
    Device *d = g_ptr_array_index (h->devices, i);
    if (d->device == device)
      return d;
  }
  return NULL;
}

static Device *
device_of (AnHeld *h, nprof_track device)
{
  Device *d = find (h, device);
  if (d)
    return d;
  d = g_new0 (Device, 1);
  d->device = device;
  g_ptr_array_add (h->devices, d);
  return d;
}

bool
an_held_is (const AnHeld *h, nprof_track device)
{
  const Device *d = find (h, device);
  return d && d->rows.length;
}

/* -- Into the queue ------------------------------------------------------------------------------- */

/* Values of bytes are left out: no analyzer of devices reads one of a span. */
static void
copy_attrs (Row *row, const struct nprof_batch *batch, uint32_t i)
{
  guint32 from = batch->attr_at ? batch->attr_at[i] : 0;
  guint32 to = batch->attr_at ? batch->attr_at[i + 1] : 0;
  if (from == to)
    return;
  row->value = g_malloc ((to - from) * (sizeof *row->value + sizeof *row->key + 1));
  row->key = (nprof_str *) (void *) (row->value + (to - from));
  row->type = (guint8 *) (row->key + (to - from));
  for (guint32 j = from; j < to; j++) {
    if (batch->attr_type[j] >= NPROF_TEXT)
      continue;
    row->value[row->n_attrs] = batch->attr_value[j];
    row->key[row->n_attrs] = batch->attr_key[j];
    row->type[row->n_attrs++] = batch->attr_type[j];
  }
}

static Row *
copy_row (const struct nprof_batch *batch, uint32_t i)
{
  Row *row = g_new0 (Row, 1);
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
  if (launch) {
    awaited->came = true;
    awaited->launch = *launch;
  }
  return awaited;
}

/* -- Out of it -------------------------------------------------------------------------------------- */

static bool
is_ready (const Row *row)
{
  return !row->awaited || row->awaited->came;
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
                                     .attr_key = row->key,
                                     .attr_type = row->type,
                                     .attr_value = row->value,
                                     .hidden = row->hidden ? &row->hidden : NULL,
                                     .origin = row->origin };
  h->n--;
  if (!is_ready (row) && row->awaited->rows == 1)
    g_hash_table_remove (h->awaited, row->awaited);
  h->take (h->user, &batch, row->awaited && row->awaited->came ? &row->awaited->launch : NULL);
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

/* Rows go on with the first launch that begins later: a step may begin with theirs, and come behind it. */
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
  awaited->came = h->due = true;
  awaited->launch = *launch;
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
