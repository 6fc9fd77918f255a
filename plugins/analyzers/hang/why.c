/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - says why an operation does not end: who is not in it, or calls something else. */
#include "hang.h"

#include <string.h>

gint64
hg_rank_of (const Hang *h, const Call *call)
{
  return g_array_index (h->dumps, Dump, call->dump).rank;
}

const Call *
hg_last_call (const Hang *h, gint64 rank)
{
  const Dump *d = hg_dump_of_rank (h, rank);
  return d && d->first ? &g_array_index (h->calls, Call, d->last) : NULL;
}

static const char *
called (const Hang *h, const Call *call)
{
  const char *name = nprof_text (h->host, call->name), *colon = strchr (name, ':');
  return colon ? colon + 1 : name;
}

static const char *
or_unknown (const Hang *h, nprof_str text)
{
  return text ? nprof_text (h->host, text) : "unknown";
}

static Verdict
verdict (const char *cause, const Call *of)
{
  return (Verdict){ .cause = cause,
                    .rank = NO_RANK,
                    .of = of,
                    .waiting = g_array_new (FALSE, FALSE, sizeof (gint64)) };
}

static void
all_wait (const Hang *h, const Stuck *s, Verdict *v)
{
  for (guint i = 0; i < s->n_calls; i++) {
    const gint64 rank = hg_rank_of (h, s->calls[i]);
    if (rank != v->rank)
      g_array_append_val (v->waiting, rank);
  }
}

/* -- Who is not in it -------------------------------------------------------------------------- */

static const Call *
call_of (const Hang *h, const Stuck *s, gint64 rank)
{
  for (guint i = 0; i < s->n_calls; i++)
    if (hg_rank_of (h, s->calls[i]) == rank)
      return s->calls[i];
  return NULL;
}

typedef enum { NEVER_CAME, WENT_ON, NOT_TOLD } Absence;

/* Its ring may have turned since: then it says nothing of what it has done before. */
static Absence
absence_of (const Hang *h, const Stuck *s, const Dump *d)
{
  const gint64 sequence = s->calls[0]->sequence;
  const guint32 group = s->calls[0]->group;
  gint64 most = -1;
  for (guint i = 0; i < h->calls->len; i++) {
    const Call *c = &g_array_index (h->calls, Call, i);
    if (&g_array_index (h->dumps, Dump, c->dump) == d && c->group == group && !c->p2p)
      most = MAX (most, c->sequence);
  }
  if (most > sequence)
    return WENT_ON;
  return most < 0 && d->first > 1 ? NOT_TOLD : NEVER_CAME;
}

/* Finds the first member without a dump; else the first that has one and is not in it. */
static bool
who_is_away (const Hang *h, const Stuck *s, Verdict *v)
{
  const GArray *members = s->group->members;
  gint64 away = NO_RANK, unknown = NO_RANK;
  for (guint i = 0; i < members->len; i++) {
    const gint64 rank = g_array_index (members, gint64, i);
    const Dump *d = hg_dump_of_rank (h, rank);
    if (!d && rank < hg_largest (h)) {
      v->cause = "crashed";
      v->rank = rank;
      v->reason
          = g_strdup_printf ("rank %" G_GINT64_FORMAT
                             " left no dump: it crashed or was cut off, or its file is not here",
                             rank);
      return true;
    }
    if (!d || call_of (h, s, rank))
      continue;
    if (absence_of (h, s, d) == NEVER_CAME)
      away = away == NO_RANK ? rank : away;
    else
      unknown = unknown == NO_RANK ? rank : unknown;
  }
  if (away == NO_RANK && unknown == NO_RANK)
    return false;
  v->cause = away == NO_RANK ? "unknown" : "missing";
  v->rank = away;
  v->reason = away == NO_RANK
                  ? g_strdup_printf ("the ring of rank %" G_GINT64_FORMAT
                                     " has turned past it, and does not say whether it came",
                                     unknown)
                  : g_strdup_printf ("rank %" G_GINT64_FORMAT " never came", away);
  return true;
}

/* -- Who calls something else ------------------------------------------------------------------ */

/* The parts of ranks may differ in these. */
static bool
may_vary (const char *name)
{
  return strstr (name, "all_to_all") || strstr (name, "alltoall") || strstr (name, "gather")
         || strstr (name, "scatter");
}

static bool
is_even (const char *name)
{
  return strstr (name, "_base") || strstr (name, "into_tensor") || strstr (name, "_tensor");
}

/* Returns the word for what differs; NULL: nothing that must be alike does. */
static const char *
difference (const Hang *h, const Call *a, const Call *b)
{
  const char *name = called (h, a);
  if (a->name != b->name)
    return "order";
  if (a->shape != b->shape && (!may_vary (name) || is_even (name)))
    return "size";
  return a->dtype != b->dtype ? "dtype" : NULL;
}

static guint
count_alike (const Hang *h, const Stuck *s, const Call *call)
{
  guint n = 0;
  for (guint i = 0; i < s->n_calls; i++)
    n += !difference (h, call, s->calls[i]);
  return n;
}

static const Call *
most_common (const Hang *h, const Stuck *s, guint *n)
{
  const Call *best = s->calls[0];
  *n = count_alike (h, s, best);
  for (guint i = 1; i < s->n_calls && *n * 2 <= s->n_calls; i++)
    if (count_alike (h, s, s->calls[i]) > *n) {
      best = s->calls[i];
      *n = count_alike (h, s, best);
    }
  return best;
}

static char *
say_difference (const Hang *h, const Call *usual, const Call *odd)
{
  const gint64 a = hg_rank_of (h, usual), b = hg_rank_of (h, odd);
  const bool order = usual->name != odd->name, size = usual->shape != odd->shape;
  const char *what = order ? "calls" : size ? "has shapes" : "has elements of type";
  const char *x = order  ? called (h, odd)
                  : size ? or_unknown (h, odd->shape)
                         : or_unknown (h, odd->dtype);
  const char *y = order  ? called (h, usual)
                  : size ? or_unknown (h, usual->shape)
                         : or_unknown (h, usual->dtype);
  return g_strdup_printf ("rank %" G_GINT64_FORMAT " %s %s, rank %" G_GINT64_FORMAT " %s%s%s", b,
                          what, x, a, y, usual->source ? " at " : "",
                          usual->source ? nprof_text (h->host, usual->source) : "");
}

/* Blames the minority; where both sides have as many ranks, no one is named. */
static bool
who_differs (const Hang *h, const Stuck *s, Verdict *v)
{
  guint n;
  const Call *usual = most_common (h, s, &n), *odd = NULL;
  for (guint i = 0; i < s->n_calls && !odd; i++)
    if (difference (h, usual, s->calls[i]))
      odd = s->calls[i];
  if (!odd)
    return false;
  v->of = usual;
  v->cause = difference (h, usual, odd);
  v->reason = say_difference (h, usual, odd);
  v->rank = n * 2 > s->n_calls ? hg_rank_of (h, odd) : NO_RANK;
  v->at = v->rank == NO_RANK ? NULL : odd;
  return true;
}

Verdict
hg_why (const Hang *h, const Stuck *s)
{
  Verdict v = verdict ("network", s->calls[0]);
  const bool away = who_is_away (h, s, &v);
  if (!away && !who_differs (h, s, &v))
    v.reason = g_strdup (s->group->members->len
                             ? "all ranks came, with the same call: the network or a device"
                             : "who else belongs to the group is not known: no dump has pg_config");
  if (away) {
    guint n;
    v.of = most_common (h, s, &n);
  }
  if (!v.at && v.rank != NO_RANK)
    v.at = hg_last_call (h, v.rank);
  all_wait (h, s, &v);
  return v;
}

/* -- Sends and receives ------------------------------------------------------------------------ */

static const Call *
partner_of (const Hang *h, const Call *call, gint64 rank)
{
  const gint64 own = hg_rank_of (h, call);
  const GArray *members = g_array_index (h->groups, Group, call->group).members;
  for (guint i = 0; i < h->calls->len; i++) {
    const Call *c = &g_array_index (h->calls, Call, i);
    if (c->p2p && c->group == call->group && c->sequence == call->sequence && c->name != call->name
        && hg_rank_of (h, c) == rank && c->peer >= 0 && c->peer < members->len
        && g_array_index (members, gint64, c->peer) == own)
      return c;
  }
  return NULL;
}

Verdict
hg_why_p2p (const Hang *h, const Group *group, const Call *call)
{
  Verdict v = verdict ("p2p", call);
  const gint64 own = hg_rank_of (h, call);
  const bool told = call->peer >= 0 && call->peer < group->members->len;
  g_array_append_val (v.waiting, own);
  if (!told) {
    v.cause = "unknown";
    v.reason = g_strdup ("which rank is at its other end is not in the dumps");
    return v;
  }
  const gint64 peer = g_array_index (group->members, gint64, call->peer);
  if (partner_of (h, call, peer)) {
    v.cause = "network";
    v.reason = g_strdup ("both ends came: the network or a device");
    return v;
  }
  v.rank = peer;
  v.at = hg_last_call (h, peer);
  v.cause = hg_dump_of_rank (h, peer) ? "p2p" : "crashed";
  v.reason = g_strdup_printf ("rank %" G_GINT64_FORMAT " %s", peer,
                              *v.cause == 'p' ? "never called the other end"
                                              : "left no dump: it crashed or was cut off, or its "
                                                "file is not here");
  return v;
}
