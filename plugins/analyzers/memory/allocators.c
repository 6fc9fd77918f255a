/* SPDX-License-Identifier: Apache-2.0 */
/* allocators.c - follows what allocators have in use, and who held it at the peak.  Live blocks are
 * known all the time.  Blocks that were live at the peak are kept after they are freed until there
 * is a higher one, so the memory is that of the live blocks of two moments. */
#include "memory.h"

#include <math.h>

void
me_allocator_free (gpointer allocator)
{
  Allocator *a = allocator;
  g_hash_table_unref (a->live);
  g_array_unref (a->freed);
  g_array_unref (a->modules);
  g_free (a);
}

Allocator *
me_allocator (Memory *m, guint32 input, nprof_track process, nprof_str name)
{
  const guint32 key[] = { input, process, name }, naming[] = { input, name };
  guint number = an_key_table_get (&m->keys, key);
  if (number < m->allocators->len)
    return g_ptr_array_index (m->allocators, number);
  Allocator *a = g_new0 (Allocator, 1);
  a->number = number;
  a->naming = an_key_table_get (&m->naming, naming);
  if (a->naming == m->named->len)
    g_array_set_size (m->named, a->naming + 1);
  g_array_index (m->named, guint, a->naming)++;
  a->input = input;
  a->process = process;
  a->name = name;
  a->lifetime = a->most_rounded = a->most_reserved = -1;
  a->live = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  a->freed = g_array_new (FALSE, FALSE, sizeof (Block));
  a->modules = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (m->allocators, a);
  return a;
}

static void
drop_block (Allocator *a, const Change *c)
{
  const Block *b = g_hash_table_lookup (a->live, &c->address);
  if (!b)
    return; /* it was allocated before the recording */
  if (a->has_peak && b->number <= a->peak_number)
    g_array_append_val (a->freed, *b);
  g_hash_table_remove (a->live, &c->address);
}

/* Adds a block.  An older one at its address must have been freed, though no row says so. */
static void
add_block (Allocator *a, const Change *c)
{
  drop_block (a, c);
  Block *b = g_new (Block, 1);
  *b = (Block){ c->address, c->bytes, c->asked, c->at, a->rows, c->holder };
  g_hash_table_insert (a->live, &b->address, b);
}

static void
follow_total (Allocator *a, const Change *c)
{
  if (a->rows == 1)
    a->start = a->base = c->total - c->bytes;
  else if (!a->last_peak && c->total != a->used + c->bytes)
    a->gaps++; /* rows are missing, or the total counts more than they */
  a->used = c->total;
}

static void
take_peak (Allocator *a, gint64 used, gint64 at, const Change *c)
{
  a->has_peak = true;
  a->peak = used;
  a->peak_at = at;
  a->peak_reserved = c->reserved;
  a->peak_capacity = c->capacity;
  a->peak_fragmentation = c->fragmentation;
  a->peak_number = a->rows;
  g_array_set_size (a->freed, 0);
}

static void
look_for_peak (const Memory *m, Allocator *a, const Change *c)
{
  gint64 used = c->has_total ? c->total : a->rise;
  if (!c->hidden) {
    a->most_rounded = MAX (a->most_rounded, c->rounded);
    a->most_reserved = MAX (a->most_reserved, c->reserved);
  }
  if (!c->hidden && (!a->has_peak || (a->last_peak ? used >= a->peak : used > a->peak)))
    take_peak (a, used, nprof_cut (&m->clip, c->at), c);
}

/* The window of --clip begins with what is in use by then, and that may be its peak. */
static void
enter_window (const Memory *m, Allocator *a)
{
  a->entered = true;
  if (!a->rows)
    return;
  a->base = a->used;
  a->rise = a->most_rise = 0;
  a->gaps = 0;
  a->most_rounded = a->last.rounded;
  a->most_reserved = a->last.reserved;
  take_peak (a, a->used, m->clip.from, &a->last);
}

static void
count_module (Memory *m, const Allocator *a, const Change *c)
{
  const guint32 key[] = { a->number, an_key_table_key (&m->holders, c->holder)[H_PATH] };
  guint number = an_key_table_get (&m->modules, key);
  if (number == m->allocated->len) {
    g_array_set_size (m->allocated, number + 1);
    g_array_set_size (m->held, number + 1);
    g_array_append_val (a->modules, number);
  }
  g_array_index (m->allocated, gint64, number) += c->bytes;
}

void
me_change (Memory *m, Allocator *a, const Change *c)
{
  if (c->at > m->clip.to) /* tables tell how it was then */
    return;
  if (m->clip.cuts && !a->entered && c->at >= m->clip.from)
    enter_window (m, a);
  a->rows++;
  a->events += !c->hidden;
  a->no_totals |= !c->has_total;
  a->no_addresses |= !c->has_address;
  a->rise += c->bytes;
  if (c->has_total)
    follow_total (a, c);
  if (c->lifetime >= 0)
    a->lifetime = c->lifetime;
  if (c->has_address && c->allocates)
    add_block (a, c);
  else if (c->has_address)
    drop_block (a, c);
  if (c->allocates && !c->hidden)
    count_module (m, a, c);
  a->most_rise = MAX (a->most_rise, a->rise);
  look_for_peak (m, a, c);
  a->last = *c;
}

void
me_end (Memory *m)
{
  for (guint i = 0; i < m->allocators->len && m->clip.cuts; i++) {
    Allocator *a = g_ptr_array_index (m->allocators, i);
    if (!a->entered)
      enter_window (m, a);
  }
}

GArray *
me_held (const Allocator *a)
{
  GArray *held = g_array_new (FALSE, FALSE, sizeof (Block));
  g_array_append_vals (held, a->freed->data, a->freed->len);
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, a->live);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((const Block *) value)->number <= a->peak_number)
      g_array_append_vals (held, value, 1);
  return held;
}
