/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - takes ranks that save.c wrote into those that are known. */
#include "devicekit/saved-state.h"
#include "state.h"

#include <string.h>

/* Places in the state, as handles of the job. */
typedef struct {
  guint32 *at;
  guint64 n;
} Handles;

typedef struct {
  AnPacked from;
  Job *job;
  Handles texts, groups, signatures, operators, ranks, calls;
} In;

static guint32
get_handle (In *in, const Handles *handles)
{
  guint64 place = an_unpack_below (&in->from, handles->n);
  return in->from.damaged ? 0 : handles->at[place];
}

static void
handles_init (In *in, Handles *handles, guint64 n)
{
  handles->n = in->from.damaged ? 0 : n;
  handles->at = g_new0 (guint32, handles->n + 1);
}

static void
get_texts (In *in)
{
  guint64 n = an_unpack_count (&in->from);
  handles_init (in, &in->texts, n + 1);
  for (guint64 i = 1; i <= n && !in->from.damaged; i++) {
    guint64 len;
    const guint8 *text = an_unpack_bytes (&in->from, &len);
    if (!in->from.damaged)
      in->texts.at[i] = in->job->host->intern (in->job->host, (const char *) text, len);
  }
}

static void
get_keys (In *in, Handles *handles, AnKeyTable *table, guint32 texts)
{
  guint64 n = an_unpack_count (&in->from);
  handles_init (in, handles, n);
  for (guint64 i = 0; i < n && !in->from.damaged; i++) {
    guint32 key[C_WORDS + S_WORDS];
    for (guint k = 0; k < table->width; k++)
      key[k] = texts >> k & 1 ? get_handle (in, &in->texts)
                              : (guint32) an_unpack_below (&in->from, (guint64) G_MAXUINT32 + 1);
    if (!in->from.damaged)
      handles->at[i] = an_key_table_get (table, key);
  }
}

/* An array as long as it is, not twice as long: there are many ranks. */
static void
reserve (const In *in, GArray **array, guint64 n)
{
  if (in->from.damaged || (*array)->len)
    return;
  guint size = g_array_get_element_size (*array);
  g_array_unref (*array);
  *array = g_array_sized_new (FALSE, FALSE, size, (guint) n);
}

/* Tables name their kinds. */
static void
get_signatures (In *in)
{
  AnKeyTable *table = &in->job->signature_keys;
  get_keys (in, &in->signatures, table, SIGNATURE_TEXTS);
  for (guint64 i = 0; i < in->signatures.n && !in->from.damaged; i++)
    in->from.damaged
        = signature_kind (an_key_table_key (table, in->signatures.at[i])) >= AN_N_KINDS;
}

static void
get_steps (In *in, Rank *rank)
{
  guint64 n = an_unpack_count (&in->from);
  reserve (in, &rank->steps, n);
  for (guint64 i = 0; i < n && !in->from.damaged; i++) {
    RankStep s = { .number = an_unpack_signed (&in->from) };
    s.start = an_unpack_signed (&in->from);
    s.end = an_unpack_signed (&in->from);
    s.compute = an_unpack_signed (&in->from);
    s.exposed = an_unpack_signed (&in->from);
    s.copy = an_unpack_signed (&in->from);
    s.idle = an_unpack_signed (&in->from);
    gint64 length;
    in->from.damaged |= __builtin_sub_overflow (s.end, s.start, &length) || length < 0;
    if (!in->from.damaged)
      rank_add_step (rank, &s);
  }
}

static void
get_operators (In *in, Rank *rank, bool fresh)
{
  guint64 n = an_unpack_count (&in->from);
  reserve (in, &rank->operators, n);
  for (guint64 i = 0; i < n && !in->from.damaged; i++) {
    RankOperator o = { .operator= get_handle (in, &in->operators) };
    o.count = an_unpack_below (&in->from, G_MAXINT64);
    o.in_steps = (guint32) an_unpack_below (&in->from, (guint64) G_MAXUINT32 + 1);
    AnPackedWide total = an_unpack (&in->from);
    in->from.damaged |= total >> 64 != 0;
    o.total = (guint64) total;
    o.calls = o.count;
    if (in->from.damaged)
      return;
    if (fresh) {
      g_array_append_val (rank->operators, o);
      continue;
    }
    RankOperator *to = rank_operator (rank, o.operator);
    to->count += o.count;
    to->calls += o.calls;
    to->in_steps += o.in_steps;
    rank_operator_take (to, o.total);
  }
}

static void
get_anchors (In *in, Rank *rank)
{
  guint64 n = an_unpack_count (&in->from);
  reserve (in, &rank->anchors, n);
  for (guint64 i = 0; i < n && !in->from.damaged; i++) {
    Anchor a = { .call = get_handle (in, &in->calls) };
    a.start = an_unpack_signed (&in->from);
    a.end = (gint64) ((guint64) a.start + (guint64) an_unpack_signed (&in->from));
    in->from.damaged |= a.end < a.start;
    if (!in->from.damaged)
      rank_add_anchor (rank, &a);
  }
}

static guint32
get_rank (In *in)
{
  Rank who = { .input = get_handle (in, &in->texts) };
  who.host = get_handle (in, &in->texts);
  who.device = get_handle (in, &in->texts);
  gint64 bare,
      outside, *const numbers[] = { &who.number, &who.origin,  &who.world,         &who.span,
                                    &who.busy,   &who.compute, &who.communication, &who.exposed,
                                    &who.idle,   &bare,        &who.bare_ps,       &outside };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    *numbers[i] = an_unpack_signed (&in->from);
  who.bare = (guint64) bare;
  who.outside = (guint64) outside;
  guint before = in->job->ranks->len;
  guint32 number = in->from.damaged ? 0 : job_rank_of (in->job, &who);
  if (in->from.damaged)
    return 0;
  Rank *rank = job_rank (in->job, number);
  get_steps (in, rank);
  get_operators (in, rank, number == before);
  get_anchors (in, rank);
  return number;
}

static guint32
get_call_key (In *in)
{
  guint32 key[C_WORDS];
  key[C_GROUP] = get_handle (in, &in->groups);
  key[C_SIGNATURE] = get_handle (in, &in->signatures);
  key[C_HOW] = (guint32) an_unpack_below (&in->from, 2 * HOW_P2P);
  set_key_number (key, C_STEP_LOW, an_unpack_signed (&in->from));
  set_key_number (key, C_NUMBER_LOW, an_unpack_signed (&in->from));
  in->from.damaged |= (key[C_HOW] & ~HOW_P2P) >= HOWS;
  return in->from.damaged ? 0 : job_call_of (in->job, key);
}

/* 1 + a call, or 0 */
static guint32
get_call_ref (In *in)
{
  guint64 place = an_unpack_below (&in->from, in->calls.n + 1);
  return place ? 1 + in->calls.at[place - 1] : 0;
}

static void
get_window (In *in, Window *w)
{
  w->has = (guint32) an_unpack_below (&in->from, 2);
  for (guint i = 0; i < SEGS; i++)
    w->seg[i] = an_unpack_signed (&in->from);
  w->before = get_call_ref (in);
  w->beside = get_call_ref (in);
}

static void
set_single (Call *c)
{
  c->n = 1;
  c->n_windows = c->window.has;
  c->total = c->longest = c->shortest[0];
  for (guint i = 0; i < SEGS; i++)
    c->seg[i] = c->window.seg[i];
}

static void
get_sums (In *in, Call *c)
{
  c->n_windows = (guint32) an_unpack_below (&in->from, (guint64) c->n + 1);
  c->mixed = (guint32) an_unpack_below (&in->from, ALL_MIXED + 1);
  c->total = (DistSum) an_unpack (&in->from);
  for (guint i = 0; i < SEGS; i++)
    c->seg[i] = (DistSum) an_unpack (&in->from);
  if (c->n > 1) {
    c->shortest[1] = an_unpack_signed (&in->from);
    c->first[1] = get_handle (in, &in->ranks);
  }
  c->longest = an_unpack_signed (&in->from);
}

static void
get_starts (In *in, GArray *starts)
{
  guint64 n = an_unpack_count (&in->from);
  g_array_set_size (starts, 0);
  for (guint64 i = 0; i < n && !in->from.damaged; i++) {
    Start s = { .rank = get_handle (in, &in->ranks) };
    s.at = an_unpack_signed (&in->from);
    g_array_append_val (starts, s);
  }
}

static void
get_call (In *in, Call *c, GArray *starts)
{
  c->n = (guint32) an_unpack_below (&in->from, G_MAXUINT32);
  c->step = an_unpack_signed (&in->from);
  c->shortest[0] = an_unpack_signed (&in->from);
  c->first[0] = get_handle (in, &in->ranks);
  c->exposed = (DistSum) an_unpack (&in->from);
  get_window (in, &c->window);
  if (c->n)
    get_sums (in, c);
  else
    set_single (c);
  get_starts (in, starts);
  in->from.damaged |= c->shortest[0] < 0 || c->longest < c->shortest[0]
                      || (c->n > 1 && c->shortest[1] < c->shortest[0]);
}

static void
get_call_keys (In *in)
{
  guint64 n = an_unpack_count (&in->from);
  handles_init (in, &in->calls, n);
  for (guint64 i = 0; i < in->calls.n && !in->from.damaged; i++)
    in->calls.at[i] = get_call_key (in);
}

static void
get_ranks (In *in)
{
  guint64 n = an_unpack_count (&in->from);
  handles_init (in, &in->ranks, n);
  for (guint64 i = 0; i < in->ranks.n && !in->from.damaged; i++)
    in->ranks.at[i] = get_rank (in);
}

static void
get_calls (In *in)
{
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (Start));
  for (guint64 i = 0; i < in->calls.n && !in->from.damaged; i++) {
    Call call = { 0 };
    get_call (in, &call, starts);
    if (!in->from.damaged)
      job_add_call (in->job, in->calls.at[i], &call, (const Start *) (void *) starts->data,
                    starts->len);
  }
}

nprof_status
rk_merge (void *self, const void *data, size_t len)
{
  Ranks *r = self;
  if (len < strlen (MAGIC) || memcmp (data, MAGIC, strlen (MAGIC)) != 0)
    return an_fail_foreign (r->host, "ranks", MAGIC);
  In in = { .from = { data, (const guint8 *) data + len, false }, .job = &r->job };
  in.from.at += strlen (MAGIC);
  get_texts (&in);
  get_keys (&in, &in.groups, &r->job.group_keys, GROUP_TEXTS);
  get_signatures (&in);
  get_keys (&in, &in.operators, &r->job.operator_keys, OPERATOR_TEXTS);
  get_call_keys (&in);
  get_ranks (&in);
  get_calls (&in);
  bool ok = !in.from.damaged && in.from.at == in.from.end;
  Handles *all[] = { &in.texts, &in.groups, &in.signatures, &in.operators, &in.ranks, &in.calls };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (all[i]->at);
  if (ok)
    return NPROF_OK;
  job_clear (&r->job); /* half of a state refers to what is not there */
  job_init (&r->job, r->host);
  return an_fail_damaged (r->host, "ranks", (gsize) (in.from.at - (const guint8 *) data));
}
