/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - writes allocations as Kineto tells them, which the analyzer memory knows: in the
 * order of time, and a free with the size of what it frees. */
#include "rocm.h"

enum { TORCH_CPU = 0, TORCH_HIP = 6 }; /* types of devices in PyTorch's rows */

void
rocm_use (RocmProcess *p, const RocmUse *use)
{
  np_large_array_extend (p->uses, p->uses->len + 1);
  g_array_index (p->uses, RocmUse, p->uses->len - 1) = *use;
}

static int
by_end (gconstpointer a, gconstpointer b)
{
  const RocmUse *x = a, *y = b;
  return (x->span.end > y->span.end) - (x->span.end < y->span.end);
}

static nprof_status
add_args (Rocm *self, const RocmUse *use, gint64 change, guint number)
{
  if (!self->want_args)
    return NPROF_OK;
  const bool gpu = !use->agent || use->agent->gpu;
  char args[200];
  int n = g_snprintf (args, sizeof args,
                      "{\"Addr\":%" G_GUINT64_FORMAT ",\"Bytes\":%" G_GINT64_FORMAT
                      ",\"Device Type\":%d,\"Device Id\":%" G_GINT64_FORMAT ",\"Ev Idx\":%u}",
                      use->address, change, gpu ? TORCH_HIP : TORCH_CPU,
                      !gpu         ? -1
                      : use->agent ? use->agent->index
                                   : 0,
                      number);
  return nprof_attr_bytes (self->w, self->key_args, NPROF_JSON, args, (uint32_t) n);
}

static nprof_status
write_use (RocmProcess *p, const RocmUse *use, gint64 change, guint number)
{
  Rocm *self = p->self;
  gint64 ps;
  if (!rocm_time (self, use->span.end, &ps)) {
    self->host->skip (self->host, use->span.what, use->span.at,
                      "its times are months from those of the other rows");
    return NPROF_OK;
  }
  nprof_status status = rocm_row (self, NPROF_INSTANT, p->track, self->memory, ps, 0);
  if (status)
    return status;
  nprof_set_category (self->w, self->allocation);
  if (self->want_bytes)
    status = nprof_attr_int (self->w, self->key_bytes, change);
  return status ? status : add_args (self, use, change, number);
}

/* Writes that what is held at the address is no longer. */
static nprof_status
release (RocmProcess *p, GHashTable *held, const RocmUse *use, guint number)
{
  const RocmUse *before = g_hash_table_lookup (held, &use->address);
  const gint64 bytes = before->bytes;
  RocmUse freed = *use;
  freed.agent = before->agent;
  g_hash_table_remove (held, &use->address);
  return write_use (p, &freed, -bytes, number);
}

/* Returns why it becomes no row; NULL: it becomes one. */
static const char *
why_not (const RocmUse *use, bool is_held)
{
  if (!rocm_is_span (use->span.start, use->span.end))
    return "it has no start, or ends before it starts";
  if (use->frees)
    return is_held ? NULL : "it frees what was allocated before the recording";
  return use->bytes < 0 ? "its size is unknown" : NULL;
}

/* `held` has those that are not freed yet, by address.  What is allocated where something is
 * held was freed in between. */
static nprof_status
take_use (RocmProcess *p, GHashTable *held, guint number)
{
  const struct nprof_host *host = p->self->host;
  const RocmUse *use = &g_array_index (p->uses, RocmUse, number);
  const bool is_held = g_hash_table_contains (held, &use->address);
  const char *why = why_not (use, is_held);
  if (why) {
    host->skip (host, use->span.what, use->span.at, why);
    return NPROF_OK;
  }
  nprof_status status = is_held ? release (p, held, use, number) : NPROF_OK;
  if (status || use->frees)
    return status;
  g_hash_table_replace (held, g_memdup2 (&use->address, sizeof use->address),
                        g_memdup2 (use, sizeof *use));
  return write_use (p, use, use->bytes, number);
}

nprof_status
rocm_uses_end (RocmProcess *p)
{
  g_autoptr (GHashTable) held = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  nprof_status status = NPROF_OK;
  np_large_array_sort (p->uses, by_end);
  for (guint i = 0; i < p->uses->len && !status; i++)
    status = take_use (p, held, i);
  p->uses->len = 0;
  return status;
}
