/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - makes devices, their streams and groups of collectives, processes and threads; writes
 * facts, and begins rows. */
#include "ascend.h"

enum { GROUP = NPROF_TRACK_QUEUE | 1 << 16 }; /* a queue that a name tells, not a number */

typedef struct {
  gint64 number;
  guint32 parent, kind;
} Key;

guint
ascend_track_hash (gconstpointer p)
{
  const Key *k = p;
  const guint64 h = ((guint64) k->number ^ (guint64) k->parent << 40 ^ (guint64) k->kind << 20)
                    * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (h >> 32);
}

gboolean
ascend_track_equal (gconstpointer pa, gconstpointer pb)
{
  const Key *a = pa, *b = pb;
  return a->number == b->number && a->parent == b->parent && a->kind == b->kind;
}

static nprof_track
known (const Ascend *self, const Key *key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->tracks, key));
}

static nprof_track
make (Ascend *self, const Key *key, const char *text, const char *label, gint64 sort)
{
  const uint32_t kind = key->kind == GROUP ? NPROF_TRACK_QUEUE : key->kind;
  const nprof_track made
      = self->host->track (self->host, key->parent, kind, nprof_intern (self->host, text),
                           nprof_intern (self->host, label), sort);
  self->no_track |= !made;
  g_hash_table_insert (self->tracks, g_memdup2 (key, sizeof *key), GUINT_TO_POINTER (made));
  return made;
}

static nprof_track
numbered (Ascend *self, nprof_track parent, uint32_t kind, gint64 number, const char *what)
{
  const Key key = { number, parent, kind };
  const nprof_track made = known (self, &key);
  if (made)
    return made;
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, number);
  g_autofree char *label
      = g_strdup_printf ("%s %s", what,
                         kind == NPROF_TRACK_DEVICE && number < 0 ? "of unknown number" : text);
  return make (self, &key, text, label, number);
}

nprof_track
ascend_device (Ascend *self, gint64 device)
{
  return numbered (self, 0, NPROF_TRACK_DEVICE, device, "NPU");
}

nprof_track
ascend_stream (Ascend *self, gint64 device, gint64 stream)
{
  if (self->queue_track && self->queue == stream && self->queue_device == device)
    return self->queue_track;
  self->queue = stream;
  self->queue_device = device;
  return self->queue_track
         = numbered (self, ascend_device (self, device), NPROF_TRACK_QUEUE, stream, "stream");
}

nprof_track
ascend_group (Ascend *self, gint64 device, nprof_str group)
{
  const Key key = { group, ascend_device (self, device), GROUP };
  const nprof_track made = known (self, &key);
  if (made)
    return made;
  g_autofree char *text = g_strdup_printf ("group %s", nprof_text (self->host, group));
  g_autofree char *label = g_strdup_printf ("Group %u Communication", self->n_groups++);
  return make (self, &key, text, label, G_MAXINT32);
}

nprof_track
ascend_counter (Ascend *self, gint64 device, nprof_str name)
{
  const Key key = { name, ascend_device (self, device), NPROF_TRACK_COUNTER };
  const nprof_track made = known (self, &key);
  const char *text = nprof_text (self->host, name);
  return made ? made : make (self, &key, text, text, (gint64) G_MAXINT32 + 1);
}

nprof_track
ascend_thread (Ascend *self, gint64 global_tid)
{
  const guint32 pid = (guint32) ((guint64) global_tid >> 32), tid = (guint32) global_tid;
  if (self->thread_track && self->thread == global_tid)
    return self->thread_track;
  self->thread = global_tid;
  return self->thread_track
         = numbered (self, numbered (self, 0, NPROF_TRACK_PROCESS, pid, "process"),
                     NPROF_TRACK_THREAD, tid, "thread");
}

nprof_status
ascend_row (Ascend *self, const DbRows *rows, uint8_t kind, nprof_track on, nprof_str name,
            gint64 start, gint64 end, bool *begun)
{
  gint64 from, lasts;
  *begun = false;
  if (!on || self->no_track)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a track");
  const bool fits
      = start > 0 && end >= start && !__builtin_mul_overflow (start - self->base, 1000, &from)
        && !__builtin_mul_overflow (end - start, 1000, &lasts) && from <= G_MAXINT64 - lasts;
  if (!fits) {
    g_autofree char *what = g_strdup_printf ("row of %s", rows->table);
    self->host->skip (self->host, what, rows->row,
                      "it has no start, ends before it starts, or is months from the others");
    return NPROF_OK;
  }
  *begun = true;
  return nprof_row (self->w, kind, on, name, from, lasts);
}

nprof_status
ascend_facts (Ascend *self)
{
  GHashTableIter iter;
  gpointer id, name;
  nprof_status status = NPROF_OK;
  const nprof_str key = nprof_intern (self->host, NPROF_KEY_DEVICE_TYPE);
  g_hash_table_iter_init (&iter, self->chips);
  while (!status && g_hash_table_iter_next (&iter, &id, &name)) {
    const nprof_track device = known (self, &(Key){ *(gint64 *) id, 0, NPROF_TRACK_DEVICE });
    if (!device || (status = nprof_row (self->w, NPROF_FACT, device, key, 0, 0)))
      continue;
    nprof_set_category (self->w, nprof_intern (self->host, "NPU_INFO"));
    status = nprof_attr_str (self->w, key, GPOINTER_TO_UINT (name));
    if (!status)
      status = ascend_chip_facts (&self->chip, self->host, device, "AICORE_FREQ");
  }
  return status;
}
