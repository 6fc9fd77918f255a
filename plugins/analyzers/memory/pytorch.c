/* SPDX-License-Identifier: Apache-2.0 */
/* pytorch.c - reads instants `[memory]` of PyTorch's allocators. source: output_json.cpp of
 * Kineto */
#include "devicekit/allocator-name.h"
#include "devicekit/json-member.h"
#include "memory.h"

#include <math.h>

#define TYPE_OF_HOST 0 /* "Device Type" */

static bool
read_args (Waiting *w, const char *json, gsize len)
{
  Change *c = &w->change;
  if (!an_json_int (json, len, "Bytes", &c->bytes)
      || !an_json_int (json, len, "Device Type", &w->type))
    return false;
  c->allocates = c->bytes > 0;
  if (!an_json_int (json, len, "Device Id", &w->device))
    w->device = -1;
  if (!an_json_int (json, len, "Ev Idx", &w->number))
    w->number = -1;
  c->has_address = an_json_int (json, len, "Addr", &c->address);
  c->has_total = an_json_int (json, len, "Total Allocated", &c->total);
  if (!an_json_int (json, len, "Total Reserved", &c->reserved) || c->reserved <= 0)
    c->reserved = -1; /* allocators of the host write 0 */
  if (!an_json_int (json, len, "Total Rounded", &c->rounded))
    c->rounded = -1;
  return true;
}

/* Returns what the device has; where devices differ nobody says which of them is that of a
 * number.  -1: not told. */
static gint64
capacity_of (const Memory *m, const Waiting *w)
{
  const struct nprof_track_info *track = m->host->track_info (m->host, w->track);
  const struct nprof_fact *fact = w->type == TYPE_OF_HOST
                                      ? NULL
                                      : m->host->fact (m->host, track->process, m->key_memory_size);
  return fact && fact->type == NPROF_INT64 && fact->value.i > 0 ? fact->value.i : -1;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  const Waiting *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static void
take_waiting (Memory *m, Waiting *w)
{
  const struct nprof_track_info *track = m->host->track_info (m->host, w->track);
  Allocator *a
      = me_allocator (m, w->input, track->process, an_allocator_name (m->host, w->type, w->device));
  w->change.holder = me_holder_at (m, w->track, w->change.at, w->source);
  me_change (m, a, &w->change);
}

void
me_pass (Memory *m, gint64 at)
{
  if (at == m->now)
    return;
  if (m->waiting->len > 1)
    g_array_sort (m->waiting, by_number);
  for (guint i = 0; i < m->waiting->len; i++)
    take_waiting (m, &g_array_index (m->waiting, Waiting, i));
  g_array_set_size (m->waiting, 0);
  m->now = at;
}

/* Reads one attribute of the row; FALSE: it does not say what was allocated. */
static bool
read_attribute (const Memory *m, Waiting *w, const struct nprof_batch *batch, uint32_t j)
{
  if (batch->attr_key[j] == m->key_source && batch->attr_type[j] == NPROF_STRING)
    w->source = batch->attr_value[j].s;
  return batch->attr_key[j] == m->key_args && batch->attr_type[j] == NPROF_JSON
         && read_args (w, batch->bytes + batch->attr_value[j].bytes.at,
                       batch->attr_value[j].bytes.len);
}

void
me_pytorch (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  Waiting w = { .track = batch->track[i],
                .input = batch->input,
                .change = { .at = batch->start[i],
                            .hidden = nprof_hidden (batch, i),
                            .capacity = -1,
                            .lifetime = -1,
                            .asked = -1,
                            .rounded = -1,
                            .fragmentation = NAN } };
  bool told = false;
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    told |= read_attribute (m, &w, batch, j);
  if (!told)
    return;
  w.change.capacity = capacity_of (m, &w);
  g_array_append_val (m->waiting, w);
}
