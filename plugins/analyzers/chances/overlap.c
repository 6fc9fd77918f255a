/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.c - finds communication that nothing covers, beside compute of another stream that it
 * does not wait for, nor that for it: the host launched the second of both when the first had
 * ended, and made nothing wait in between. */
#include "chances.h"

#define LEAST ((gint64) 50 * 1000 * 1000) /* ps that nothing covers */
#define MOST_OPEN 4096u /* communication without a compute kernel behind it */

/* Returns whether a host called, from one moment until another, what makes something wait. */
static bool
waited (const Chances *c, const Device *d, gint64 from, gint64 until)
{
  const NpLargeArray *waits = d->input < c->waits->len ? c->waits->pdata[d->input] : NULL;
  guint low = 0, high = waits ? waits->len : 0;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index (waits, gint64, middle) < from)
      low = middle + 1;
    else
      high = middle;
  }
  return waits && low < waits->len && g_array_index (waits, gint64, low) < until;
}

static void
add (Chances *c, const Device *d, const Row *communication, const Row *compute, bool after,
     gint64 exposed)
{
  const guint32 key[PAIR_WORDS] = { d->number, communication->kernel, compute->kernel, after };
  const guint number = an_key_table_get (&c->pair_keys, key);
  if (number == c->pairs->len)
    np_large_array_extend (c->pairs, number + 1);
  Pair *pair = &g_array_index (c->pairs, Pair, number);
  pair->times++;
  pair->exposed += exposed;
  pair->gain += MIN (exposed, compute->end - compute->start);
}

/* Adds both when nothing makes the second wait for the first. */
static void
try (Chances *c, const Device *d, const Communication *com, const Row *compute, bool after)
{
  const Row *first = after ? &com->row : compute, *second = after ? compute : &com->row;
  const gint64 exposed = com->row.end - com->row.start - com->covered;
  if (!compute || !compute->kernel || com->row.hidden || exposed < LEAST)
    return;
  if (first->stream == second->stream || first->launch < 0 || second->launch < first->end)
    return;
  if (!waited (c, d, first->launch, second->launch))
    add (c, d, &com->row, compute, after, exposed);
}

/* Ends communication; `next` is the compute behind it, or NULL. */
static void
close_one (Chances *c, const Device *d, const Communication *com, const Row *next)
{
  try (c, d, com, &com->before, false);
  try (c, d, com, next, true);
}

static void
compute_row (Chances *c, Device *d, const Row *row)
{
  const gint64 from = d->last.kernel ? MAX (row->start, d->last.end) : row->start;
  guint kept = 0;
  for (guint i = 0; i < d->communications->len; i++) {
    Communication *com = &g_array_index (d->communications, Communication, i);
    if (com->row.end <= row->start) {
      close_one (c, d, com, row);
      continue;
    }
    com->covered += MAX (0, MIN (row->end, com->row.end) - from);
    g_array_index (d->communications, Communication, kept++) = *com;
  }
  g_array_set_size (d->communications, kept);
  if (!d->last.kernel || row->end > d->last.end)
    d->last = *row;
}

static void
communication_row (Chances *c, Device *d, const Row *row)
{
  Communication com = { .row = *row };
  if (d->last.kernel && d->last.end <= row->start)
    com.before = d->last;
  else if (d->last.kernel)
    com.covered = MIN (d->last.end, row->end) - row->start;
  g_array_append_val (d->communications, com);
  if (d->communications->len <= MOST_OPEN)
    return;
  close_one (c, d, &g_array_index (d->communications, Communication, 0), NULL);
  g_array_remove_index (d->communications, 0);
}

void
overlap_row (Chances *c, Device *d, const Row *row)
{
  if (row->class == AN_COMPUTE)
    compute_row (c, d, row);
  else if (row->class == AN_COMMUNICATION)
    communication_row (c, d, row);
}

void
overlap_end (Chances *c, Device *d)
{
  for (guint i = 0; i < d->communications->len; i++)
    close_one (c, d, &g_array_index (d->communications, Communication, i), NULL);
  g_array_set_size (d->communications, 0);
}
