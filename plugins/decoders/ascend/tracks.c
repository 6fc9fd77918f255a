/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - makes devices, their streams and groups of collectives, processes and threads; writes
 * facts, and begins rows. */
#include "ascend.h"

static nprof_track
track (Ascend *self, nprof_track parent, uint32_t kind, const char *key, const char *label,
       gint64 sort)
{
  g_autofree char *all = g_strdup_printf ("%u/%u/%s", parent, kind, key);
  nprof_track made = GPOINTER_TO_UINT (g_hash_table_lookup (self->tracks, all));
  if (made)
    return made;
  made = self->host->track (self->host, parent, kind, nprof_intern (self->host, key),
                            nprof_intern (self->host, label), sort);
  self->no_track |= !made;
  g_hash_table_insert (self->tracks, g_steal_pointer (&all), GUINT_TO_POINTER (made));
  return made;
}

nprof_track
ascend_device (Ascend *self, gint64 device)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, device);
  g_autofree char *label = g_strdup_printf ("NPU %s", device < 0 ? "of unknown number" : key);
  return track (self, 0, NPROF_TRACK_DEVICE, key, label, device);
}

nprof_track
ascend_stream (Ascend *self, gint64 device, gint64 stream)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, stream);
  g_autofree char *label = g_strdup_printf ("stream %s", key);
  return track (self, ascend_device (self, device), NPROF_TRACK_QUEUE, key, label, stream);
}

nprof_track
ascend_group (Ascend *self, gint64 device, nprof_str group)
{
  const nprof_track above = ascend_device (self, device);
  const char *name = nprof_text (self->host, group);
  g_autofree char *key = g_strdup_printf ("group %s", name);
  g_autofree char *all = g_strdup_printf ("%u/%u/%s", above, NPROF_TRACK_QUEUE, key);
  const nprof_track made = GPOINTER_TO_UINT (g_hash_table_lookup (self->tracks, all));
  if (made)
    return made;
  g_autofree char *label = g_strdup_printf ("Group %u Communication", self->n_groups++);
  return track (self, above, NPROF_TRACK_QUEUE, key, label, G_MAXINT32);
}

nprof_track
ascend_thread (Ascend *self, gint64 global_tid)
{
  const guint32 pid = (guint32) ((guint64) global_tid >> 32), tid = (guint32) global_tid;
  g_autofree char *process = g_strdup_printf ("%u", pid), *thread = g_strdup_printf ("%u", tid);
  g_autofree char *process_label = g_strdup_printf ("process %u", pid),
                  *thread_label = g_strdup_printf ("thread %u", tid);
  const nprof_track above = track (self, 0, NPROF_TRACK_PROCESS, process, process_label, pid);
  return track (self, above, NPROF_TRACK_THREAD, thread, thread_label, tid);
}

nprof_status
ascend_row (Ascend *self, const DbRows *rows, uint8_t kind, nprof_track on, nprof_str name,
            gint64 start, gint64 end, bool *begun)
{
  gint64 from, lasts;
  *begun = false;
  if (!on || self->no_track)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a track");
  const bool known
      = start > 0 && end >= start && !__builtin_mul_overflow (start - self->base, 1000, &from)
        && !__builtin_mul_overflow (end - start, 1000, &lasts) && from <= G_MAXINT64 - lasts;
  if (!known) {
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
    g_autofree char *all
        = g_strdup_printf ("0/%u/%" G_GINT64_FORMAT, NPROF_TRACK_DEVICE, *(gint64 *) id);
    const nprof_track device = GPOINTER_TO_UINT (g_hash_table_lookup (self->tracks, all));
    if (!device || (status = nprof_row (self->w, NPROF_FACT, device, key, 0, 0)))
      continue;
    nprof_set_category (self->w, nprof_intern (self->host, "NPU_INFO"));
    status = nprof_attr_str (self->w, key, GPOINTER_TO_UINT (name));
    if (!status)
      status = ascend_chip_facts (&self->chip, self->host, device, "AICORE_FREQ");
  }
  return status;
}
