/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - joins begins and ends to spans, when all are noted: by place in sequences whose writer
 * puts begins and then their ends in the same order; by the end that a begin's args say; else by a
 * stack for each track, in order of time and then of the file.  rules: perfetto.md 5 */
#include "perfetto.h"

#include <stdlib.h>

#define MOST_NAMED 1000 /* open spans that an end looks through for its name */

/* -- Runs: n begins, then their n ends in the same order --------------------------------------- */

typedef struct {
  guint32 begin, end, n;
} Run;

/* What a track has in one run. */
typedef struct {
  gint64 last_begin, first_end;
} Extent;

static guint32
sequence_of (const Perfetto *pf, const PfHalf *half)
{
  return g_array_index (pf->sequences, guint32, half->generation);
}

/* Returns whether the i-th end closes the i-th begin, all of one sequence. */
static bool
is_run (const Perfetto *pf, const Run *run)
{
  const guint32 sequence = sequence_of (pf, pf_half (pf, run->begin));
  for (guint32 i = 0; i < run->n; i++) {
    const PfHalf *b = pf_half (pf, run->begin + i), *e = pf_half (pf, run->end + i);
    if (sequence_of (pf, b) != sequence || sequence_of (pf, e) != sequence || b->track != e->track
        || b->time > e->time)
      return false;
  }
  return true;
}

/* Returns whether a track of it has a begin later than one of its ends, which no writer that nests
 * leaves. */
static bool
is_out_of_order (const Perfetto *pf, const Run *run)
{
  g_autoptr (GHashTable) tracks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint32 i = 0; i < run->n; i++) {
    const PfHalf *b = pf_half (pf, run->begin + i), *e = pf_half (pf, run->end + i);
    Extent *x = g_hash_table_lookup (tracks, GUINT_TO_POINTER (b->track));
    if (!x) {
      x = g_memdup2 (&(Extent){ b->time, e->time }, sizeof *x);
      g_hash_table_insert (tracks, GUINT_TO_POINTER (b->track), x);
    }
    x->last_begin = MAX (x->last_begin, b->time);
    x->first_end = MIN (x->first_end, e->time);
    if (x->last_begin > x->first_end)
      return true;
  }
  return false;
}

static guint32
same_kind (const Perfetto *pf, guint32 from, guint8 ends)
{
  guint32 to = from;
  while (to < pf->halves->len && (pf_half (pf, to)->what & HALF_ENDS) == ends)
    to++;
  return to;
}

static void
pair_runs (Perfetto *pf)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));
  g_autoptr (GHashTable) by_place = g_hash_table_new (NULL, NULL); /* sequences */
  for (guint32 i = same_kind (pf, 0, HALF_ENDS); i < pf->halves->len;) {
    const guint32 ends = same_kind (pf, i, 0), next = same_kind (pf, ends, HALF_ENDS);
    const Run run = { i, ends, ends - i };
    if (run.n > 1 && next - ends == run.n && is_run (pf, &run)) {
      const gpointer sequence = GUINT_TO_POINTER (sequence_of (pf, pf_half (pf, i)));
      g_array_append_val (runs, run);
      if (!g_hash_table_contains (by_place, sequence) && is_out_of_order (pf, &run))
        g_hash_table_add (by_place, sequence);
    }
    i = next;
  }
  for (guint r = 0; r < runs->len; r++) {
    const Run *run = &g_array_index (runs, Run, r);
    if (!g_hash_table_contains (by_place,
                                GUINT_TO_POINTER (sequence_of (pf, pf_half (pf, run->begin)))))
      continue;
    for (guint32 i = 0; i < run->n; i++) {
      PfHalf *b = pf_half (pf, run->begin + i), *e = pf_half (pf, run->end + i);
      b->partner = run->end + i + 1;
      e->partner = run->begin + i + 1;
      b->what |= HALF_BY_RUN;
    }
  }
}

/* -- In order, track by track ------------------------------------------------------------------ */

/* Halves without a partner by track, then time, then place in the file. */
typedef struct {
  Perfetto *pf;
  NpLargeArray *order; /* of guint32 */
  guint32 *from;       /* where a track begins; one more than there are tracks */
} Order;

static int
compare_halves (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const Perfetto *pf = user;
  const guint32 a = *(const guint32 *) pa, b = *(const guint32 *) pb;
  const gint64 x = pf_half (pf, a)->time, y = pf_half (pf, b)->time;
  return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

static guint32
nth (const Order *o, guint32 i)
{
  return g_array_index (o->order, guint32, i);
}

/* Sorts a track's, unless the file has them in order. */
static void
sort_track (const Order *o, guint32 track)
{
  const guint32 from = o->from[track], to = o->from[track + 1];
  for (guint32 i = from + 1; i < to; i++)
    if (pf_half (o->pf, nth (o, i - 1))->time > pf_half (o->pf, nth (o, i))->time) {
      qsort_r (&g_array_index (o->order, guint32, from), to - from, sizeof (guint32),
               compare_halves, o->pf);
      return;
    }
}

static void
put_in_order (Order *o)
{
  const Perfetto *pf = o->pf;
  const guint32 n_tracks = pf->tracks->len;
  o->from = g_new0 (guint32, n_tracks + 2);
  for (guint32 i = 0; i < pf->halves->len; i++)
    o->from[pf_half (pf, i)->track + 2]++;
  for (guint32 t = 2; t < n_tracks + 2; t++)
    o->from[t] += o->from[t - 1];
  o->order = np_large_array_new (sizeof (guint32));
  np_large_array_extend (o->order, pf->halves->len);
  for (guint32 i = 0; i < pf->halves->len; i++)
    g_array_index (o->order, guint32, o->from[pf_half (pf, i)->track + 1]++) = i;
  for (guint32 t = 0; t < n_tracks; t++)
    sort_track (o, t);
}

/* -- Ends that args say ------------------------------------------------------------------------ */

/* Uses up the end at that moment on the begin's track, if it is there. */
static void
take_end (const Order *o, guint32 begin, gint64 time)
{
  PfHalf *b = pf_half (o->pf, begin);
  guint32 low = o->from[b->track], high = o->from[b->track + 1];
  const guint32 end = high;
  while (low < high) {
    const guint32 middle = low + (high - low) / 2;
    if (pf_half (o->pf, nth (o, middle))->time < time)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < end && pf_half (o->pf, nth (o, low))->time == time; low++) {
    PfHalf *e = pf_half (o->pf, nth (o, low));
    if (!(e->what & HALF_ENDS) || e->partner)
      continue;
    e->partner = begin + 1;
    b->partner = nth (o, low) + 1;
    return;
  }
}

static void
pair_said (const Order *o)
{
  for (guint i = 0; i < o->pf->said->len; i++) {
    const PfSaid *said = &g_array_index (o->pf->said, PfSaid, i);
    PfHalf *b = pf_half (o->pf, said->half);
    if (b->what & HALF_BY_RUN)
      b->what &= (guint8) ~HALF_SAID;
    else
      take_end (o, said->half, said->end);
  }
}

/* -- The stack --------------------------------------------------------------------------------- */

typedef struct {
  nprof_str name, category;
} Named;

static Named
named (Perfetto *pf, const PfHalf *half, PfBlock *block)
{
  PfPacket packet;
  PfEvent e;
  PfState state = { .generation = half->generation };
  Named found = { 0, 0 };
  if (!pf_packet_at (pf, half->place, block, &packet)
      || !pf_event_read (NULL, half->generation, packet.body, &(PfArgs){ .say = half->args }, &e)) {
    pf->no_memory = true; /* all else was read before */
    return found;
  }
  e.legacy_name = e.legacy.p ? pf_number (e.legacy, 1, 0) : 0;
  found.name = pf_event_name (pf, pf->host, &state, &e);
  found.category = pf_event_category (pf, pf->host, &state, &e);
  return found;
}

/* Returns which of the open begins an end closes: the newest whose category and name are not
 * others; -1: none. */
static int
closed_by (Perfetto *pf, const PfHalf *end, const GArray *open, PfBlock *block)
{
  if (!(end->what & HALF_CLOSES_NAMED))
    return (int) open->len - 1;
  const Named e = named (pf, end, block);
  const int least = MAX ((int) open->len - MOST_NAMED, 0);
  for (int i = (int) open->len - 1; i >= least; i--) {
    const Named b = named (pf, pf_half (pf, g_array_index (open, guint32, i)), block);
    if ((!e.category || e.category == b.category) && (!e.name || !b.name || e.name == b.name))
      return i;
  }
  return -1;
}

static void
pair_track (const Order *o, guint32 track, GArray *open, PfBlock *block)
{
  Perfetto *pf = o->pf;
  g_array_set_size (open, 0);
  for (guint32 i = o->from[track]; i < o->from[track + 1]; i++) {
    const guint32 at = nth (o, i);
    PfHalf *half = pf_half (pf, at);
    if (half->partner || half->what & HALF_SAID)
      continue;
    if (!(half->what & HALF_ENDS)) {
      g_array_append_val (open, at);
      continue;
    }
    const int closed = closed_by (pf, half, open, block);
    if (closed < 0) {
      pf->host->skip (pf->host, "end without a begin", pf_byte (pf, half->place),
                      "no span is open there that it could end");
      continue;
    }
    const guint32 begin = g_array_index (open, guint32, closed);
    pf_half (pf, begin)->partner = at + 1;
    half->partner = begin + 1;
    g_array_remove_index (open, (guint) closed);
  }
}

nprof_status
pf_pair (Perfetto *pf)
{
  Order o = { .pf = pf };
  PfBlock block = { 0 };
  if (!pf->halves->len)
    return NPROF_OK;
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
  pair_runs (pf);
  put_in_order (&o);
  pair_said (&o);
  for (guint32 t = 0; t < pf->tracks->len; t++)
    pair_track (&o, t, open, &block);
  np_large_array_free (o.order);
  g_free (o.from);
  g_free (block.data);
  return pf->no_memory ? nprof_fail (pf->host, NPROF_E_NOMEM, "no memory for compressed packets")
                       : NPROF_OK;
}

static int
compare_said (gconstpointer pa, gconstpointer pb)
{
  const PfSaid *a = pa, *b = pb;
  return (a->half > b->half) - (a->half < b->half);
}

gint64
pf_half_duration (const Perfetto *pf, guint32 at)
{
  const PfHalf *half = pf_half (pf, at);
  if (half->what & HALF_SAID) {
    const PfSaid wanted = { .half = at };
    const PfSaid *said
        = bsearch (&wanted, pf->said->data, pf->said->len, sizeof wanted, compare_said);
    return said->end - half->time;
  }
  return half->partner ? pf_half (pf, half->partner - 1)->time - half->time : -1;
}
