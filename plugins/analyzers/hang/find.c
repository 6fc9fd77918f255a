/* SPDX-License-Identifier: Apache-2.0 */
/* find.c - finds the first operation that not all ranks have ended: what began later waits for
 * it. */
#include "hang.h"

#include <string.h>

#define APART G_GINT64_CONSTANT (10000000000000) /* 10 s in ps: dumps of one moment end closer */

/* By group, operation, rank; of several calls of one operation (a coalesced one) those that are not
 * completed first. */
static gint
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Hang *h = user;
  const Call *x = *(const Call *const *) a, *y = *(const Call *const *) b;
  const gint64 keys[][2] = { { x->group, y->group },
                             { x->sequence, y->sequence },
                             { hg_rank_of (h, x), hg_rank_of (h, y) },
                             { x->state == h->completed, y->state == h->completed },
                             { (gint64) x->id, (gint64) y->id } };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static GPtrArray *
sorted_calls (Hang *h)
{
  GPtrArray *all = g_ptr_array_new ();
  for (guint i = 0; i < h->calls->len; i++)
    if (!g_array_index (h->calls, Call, i).p2p)
      g_ptr_array_add (all, &g_array_index (h->calls, Call, i));
  g_ptr_array_sort_with_data (all, compare, h);
  return all;
}

static bool
same_operation (const Call *a, const Call *b)
{
  return a->group == b->group && a->sequence == b->sequence;
}

/* Keeps one call a rank. */
static GPtrArray *
calls_of (const Hang *h, const GPtrArray *all, guint from, guint to)
{
  GPtrArray *one = g_ptr_array_new ();
  for (guint i = from; i < to; i++)
    if (i == from
        || hg_rank_of (h, g_ptr_array_index (all, i))
               != hg_rank_of (h, g_ptr_array_index (all, i - 1)))
      g_ptr_array_add (one, g_ptr_array_index (all, i));
  return one;
}

static bool
is_stuck (const Hang *h, const GPtrArray *calls, gint64 *since)
{
  bool started = false;
  *since = G_MAXINT64;
  for (guint i = 0; i < calls->len; i++) {
    const Call *c = g_ptr_array_index (calls, i);
    started |= c->state == h->started;
    *since = MIN (*since, c->start);
  }
  return started;
}

typedef struct {
  Verdict verdict;
  const Call *call;
  gint64 since;
  bool found;
} First;

static void
verdict_clear (Verdict *v)
{
  g_clear_pointer (&v->waiting, g_array_unref);
  g_clear_pointer (&v->reason, g_free);
}

static void
take (First *first, Verdict v, const Call *call, gint64 since)
{
  if (first->found)
    verdict_clear (&first->verdict);
  *first = (First){ v, call, since, true };
}

static void
find_collective (Hang *h, First *first)
{
  g_autoptr (GPtrArray) all = sorted_calls (h);
  guint32 done = G_MAXUINT32; /* of each group the first operation counts */
  for (guint from = 0, to; from < all->len; from = to) {
    const Call *begin = g_ptr_array_index (all, from);
    for (to = from + 1; to < all->len && same_operation (begin, g_ptr_array_index (all, to));)
      to++;
    if (begin->group == done)
      continue;
    g_autoptr (GPtrArray) calls = calls_of (h, all, from, to);
    Stuck s = { &g_array_index (h->groups, Group, begin->group), (const Call *const *) calls->pdata,
                calls->len, 0 };
    if (!is_stuck (h, calls, &s.since))
      continue;
    done = begin->group;
    if (!first->found || s.since < first->since)
      take (first, hg_why (h, &s), begin, s.since);
  }
}

static void
find_p2p (Hang *h, First *first)
{
  for (guint i = 0; i < h->calls->len; i++) {
    const Call *c = &g_array_index (h->calls, Call, i);
    if (c->p2p && c->state == h->started && (!first->found || c->start < first->since))
      take (first, hg_why_p2p (h, &g_array_index (h->groups, Group, c->group), c), c, c->start);
  }
}

/* -- The row ----------------------------------------------------------------------------------- */

/* Returns when the last call of any dump was, and how far the last calls of dumps lie apart. */
static gint64
last_of_all (const Hang *h, gint64 *apart)
{
  gint64 first = G_MAXINT64, last = G_MININT64;
  for (guint i = 0; i < h->dumps->len; i++) {
    const Dump *d = &g_array_index (h->dumps, Dump, i);
    if (!d->first)
      continue;
    const gint64 at = g_array_index (h->calls, Call, d->last).start;
    first = MIN (first, at);
    last = MAX (last, at);
  }
  *apart = last > first ? last - first : 0;
  return last;
}

static char *
list_of (const GArray *ranks)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < ranks->len; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? ", " : "",
                            g_array_index (ranks, gint64, i));
  return g_strdup (text->str);
}

static nprof_str
behind_library (const Hang *h, const Call *call)
{
  const char *name = nprof_text (h->host, call->name), *colon = strchr (name, ':');
  name = colon ? colon + 1 : name;
  return h->host->intern (h->host, name, strcspn (name, " ")); /* "recv 3<-0" names ranks as well */
}

static nprof_str
group_label (const Hang *h, const Call *call)
{
  const Group *g = &g_array_index (h->groups, Group, call->group);
  g_autofree char *both = g->label ? g_strdup_printf ("%s (%s)", nprof_text (h->host, g->label),
                                                      nprof_text (h->host, g->name))
                                   : NULL;
  return both ? nprof_intern (h->host, both) : g->name;
}

static nprof_status
put_row (Hang *h, const struct hang_row *row)
{
  const Dump *d = &g_array_index (h->dumps, Dump, 0);
  return h->host->row (h->host, &hang_table,
                       hang_cells (nprof_cell_str (h->host->input (h->host, d->input)->label), row)
                           .cells);
}

static nprof_status
put_nothing (Hang *h)
{
  g_autofree char *reason
      = h->strange ? g_strdup (h->strange)
                   : g_strdup_printf (
                       "none of the %u calls that the dumps hold is started and not completed",
                       h->calls->len);
  return put_row (h, &(struct hang_row){
                         .cause = nprof_some_str (
                             nprof_intern (h->host, h->strange ? "unknown" : "none")),
                         .entries = nprof_some_int (h->calls->len),
                         .reason = nprof_some_text (reason),
                     });
}

static nprof_status
put_first (Hang *h, const First *first)
{
  gint64 apart;
  const Verdict *v = &first->verdict;
  const gint64 last = last_of_all (h, &apart);
  g_autofree char *waiting = list_of (v->waiting);
  g_autofree char *reason
      = g_strconcat (v->reason,
                     apart > APART
                         ? "; the dumps end more than 10 s apart: they may be of different times"
                         : "",
                     NULL);
  return put_row (h,
                  &(struct hang_row){
                      .cause = nprof_some_str (nprof_intern (h->host, v->cause)),
                      .group = nprof_some_str (group_label (h, first->call)),
                      .sequence = nprof_int_if (first->call->sequence >= 0, first->call->sequence),
                      .collective = nprof_some_str (behind_library (h, v->of)),
                      .rank = nprof_int_if (v->rank != NO_RANK, v->rank),
                      .source = nprof_text_if (v->at && v->at->source,
                                               v->at ? nprof_text (h->host, v->at->source) : ""),
                      .waiting = nprof_some_text (waiting),
                      .since = nprof_some_int (first->since),
                      .waited = nprof_some_int (MAX (last - first->since, 0)),
                      .timeout = nprof_int_if (first->call->timeout >= 0, first->call->timeout),
                      .entries = nprof_some_int (h->calls->len),
                      .reason = nprof_some_text (reason),
                  });
}

nprof_status
hg_write (Hang *h)
{
  First first = { .found = false };
  if (!h->strange) {
    find_collective (h, &first);
    find_p2p (h, &first);
  }
  nprof_status status = first.found ? put_first (h, &first) : put_nothing (h);
  if (first.found)
    verdict_clear (&first.verdict);
  return status;
}
