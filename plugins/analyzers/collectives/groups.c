/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - keeps devices, and the sums of collectives that are alike. */
#include "collectives.h"

Device *
co_device_new (Collectives *c, nprof_str input, nprof_str label)
{
  Device *d = g_new0 (Device, 1);
  d->run = c;
  d->number = c->devices->len;
  d->input = input;
  d->label = label;
  g_ptr_array_add (c->devices, d);
  return d;
}

void
co_device_free (gpointer device)
{
  Device *d = device;
  an_sweep_free (d->line);
  g_clear_pointer (&d->starts, g_array_unref);
  g_clear_pointer (&d->pairs, g_array_unref);
  g_free (d);
}

guint
co_device_named (Collectives *c, nprof_str input, nprof_str label)
{
  for (guint i = 0; i < c->devices->len; i++)
    if (co_device (c, i)->input == input && co_device (c, i)->label == label)
      return i;
  co_device_new (c, input, label)->order = G_MAXUINT64;
  return c->devices->len - 1;
}

guint
co_group_of_key (Collectives *c, const guint32 *key)
{
  guint number = an_key_table_get (&c->keys, key);
  if (number == c->groups->len)
    g_array_set_size (c->groups, number + 1);
  return number;
}

guint
co_group (Collectives *c, guint device, const Call *call)
{
  const guint32 key[G_WORDS] = { device,
                                 call->kind,
                                 call->has_bytes,
                                 (guint32) call->bytes,
                                 (guint32) (call->bytes >> 32),
                                 (guint32) call->ranks,
                                 (guint32) (call->ranks >> 32),
                                 call->dtype,
                                 call->group };
  return co_group_of_key (c, key);
}

void
co_add (Collectives *c, guint number, gint64 duration, gint64 inside, gint64 overlap)
{
  Group *g = &g_array_index (c->groups, Group, number);
  dist_add (&g->durations, duration);
  if (g->durations.count > CO_EXACT)
    dist_make_histogram (&g->durations);
  if (duration > 0 && (!g->shortest || duration < g->shortest))
    g->shortest = duration;
  g->overlap += (guint64) overlap;
  g->outside += (guint64) (duration - inside);
}

void
co_group_clear (gpointer group)
{
  dist_clear (&((Group *) group)->durations);
}
