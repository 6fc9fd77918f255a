/* SPDX-License-Identifier: Apache-2.0 */
/* anchors.c - of which collectives the times are kept for each rank, so that clocks follow from
 * them: of each group half are the smallest messages, half are spread over all kinds. Content alone
 * decides, so that all ranks of a group keep the same. */
#include "ranks.h"

#define SMALLEST 32u
#define SPREAD 32u

typedef struct {
  guint32 seen, group, signature;
  guint64 size, hash, turn; /* turn: which of its signature it is */
} Candidate;

static guint64
mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static guint64
hash_text (guint64 hash, const char *text)
{
  for (; *text; text++)
    hash = mix (hash, (guchar) *text);
  return hash;
}

/* The call as it is on every rank. */
static guint64
hash_of (const Ranks *r, const Seen *seen)
{
  const guint32 *key = call_key (&r->job, seen->call - 1);
  guint64 hash = hash_text (seen->kernels, nprof_text (r->host, seen->signature[S_NAME]));
  for (guint i = S_IN_LOW; i < S_WORDS; i++)
    hash = mix (hash, seen->signature[i]);
  for (guint i = C_HOW; i < C_WORDS; i++)
    hash = mix (hash, key[i]);
  return hash;
}

static guint64
size_of (const Seen *seen)
{
  gint64 in = key_number (seen->signature, S_IN_LOW), out = key_number (seen->signature, S_OUT_LOW);
  return (guint64) MAX (in, out);
}

static int
compare (guint64 a, guint64 b)
{
  return a < b ? -1 : a > b;
}

static int
by_signature (gconstpointer pa, gconstpointer pb)
{
  const Candidate *a = pa, *b = pb;
  int order = compare (a->group, b->group);
  if (!order)
    order = compare (a->signature, b->signature);
  return order ? order : compare (a->hash, b->hash);
}

static int
by_size (gconstpointer pa, gconstpointer pb)
{
  const Candidate *a = pa, *b = pb;
  int order = compare (a->group, b->group);
  if (!order)
    order = compare (a->size, b->size);
  return order ? order : compare (a->hash, b->hash);
}

static int
by_turn (gconstpointer pa, gconstpointer pb)
{
  const Candidate *a = pa, *b = pb;
  int order = compare (a->group, b->group);
  if (!order)
    order = compare (a->turn, b->turn);
  return order ? order : compare (a->hash, b->hash);
}

static GArray *
candidates (Ranks *r, const Device *d)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Candidate));
  for (guint i = 0; i < d->seen->len; i++) {
    const Seen *seen = &g_array_index (d->seen, Seen, i);
    const guint32 *key = seen->call ? call_key (&r->job, seen->call - 1) : NULL;
    if (!key || !is_barrier (&r->job, key[C_SIGNATURE]))
      continue;
    const Candidate c = { i, seen->group, key[C_SIGNATURE], size_of (seen), hash_of (r, seen), 0 };
    g_array_append_val (found, c);
  }
  g_array_sort (found, by_signature);
  for (guint i = 1; i < found->len; i++) {
    Candidate *c = &g_array_index (found, Candidate, i);
    if (c->group == c[-1].group && c->signature == c[-1].signature)
      c->turn = c[-1].turn + 1;
  }
  return found;
}

static int
by_seen (gconstpointer a, gconstpointer b)
{
  return compare (*(const guint32 *) a, *(const guint32 *) b);
}

static void
take (GArray *chosen, const GArray *sorted, guint n)
{
  guint taken = 0;
  for (guint i = 0; i < sorted->len; i++) {
    const Candidate *c = &g_array_index (sorted, Candidate, i);
    taken = i && c->group == c[-1].group ? taken + 1 : 1;
    if (taken <= n)
      g_array_append_val (chosen, c->seen);
  }
}

void
choose_anchors (Ranks *r, const Device *d, Rank *rank)
{
  g_autoptr (GArray) all = candidates (r, d);
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_sort (all, by_size);
  take (chosen, all, SMALLEST);
  g_array_sort (all, by_turn);
  take (chosen, all, SPREAD);
  g_array_sort (chosen, by_seen);
  for (guint i = 0; i < chosen->len; i++) {
    guint32 number = g_array_index (chosen, guint32, i);
    const Seen *seen = &g_array_index (d->seen, Seen, number);
    const Anchor anchor = { seen->call - 1, seen->start, seen->end };
    if (!i || number != g_array_index (chosen, guint32, i - 1))
      rank_add_anchor (rank, &anchor);
  }
}
