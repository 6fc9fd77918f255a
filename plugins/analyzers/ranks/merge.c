/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - takes ranks that save.c wrote into those that are known. */
#include "state.h"

#include <string.h>

/* Places in the state, as handles of the job. */
typedef struct {
  guint32 *at;
  guint64 n;
} Handles;

typedef struct {
  Job *job;
  const guint8 *at, *end;
  bool damaged;
  Handles texts, groups, signatures, operators, ranks, calls;
} In;

/* A number that ends within eight bytes, which nearly all do; *ok: whether it does. */
static inline guint64
get_short (In *in, bool *ok)
{
  guint64 word, groups = G_GUINT64_CONSTANT (0x7f007f007f007f);
  *ok = false;
  if (in->end - in->at < 8)
    return 0;
  memcpy (&word, in->at, sizeof word);
  word = GUINT64_FROM_LE (word);
  guint64 last = ~word & G_GUINT64_CONSTANT (0x8080808080808080);
  if (!last)
    return 0;
  *ok = true;
  in->at += (guint) __builtin_ctzll (last) / 8 + 1;
  word &= last ^ (last - 1);
  word = (word & groups) | (word >> 8 & groups) << 7;
  word = (word & G_GUINT64_CONSTANT (0x3fff00003fff))
         | (word >> 16 & G_GUINT64_CONSTANT (0x3fff00003fff)) << 14;
  return (word & 0xfffffff) | (word >> 32) << 28;
}

static unsigned __int128
get_long (In *in)
{
  bool ok;
  guint64 number = get_short (in, &ok);
  if (ok)
    return number;
  unsigned __int128 value = 0;
  for (guint shift = 0; in->at < in->end && shift < 133; shift += 7) {
    guint8 byte = *in->at++;
    value |= (unsigned __int128) (byte & 127) << shift;
    if (byte < 128)
      return value;
  }
  in->damaged = true;
  in->end = in->at;
  return 0;
}

static inline unsigned __int128
get (In *in)
{
  return in->at < in->end && *in->at < 128 ? *in->at++ : get_long (in);
}

static guint64
get_below (In *in, guint64 limit)
{
  unsigned __int128 value = get (in);
  in->damaged |= value >= limit;
  return in->damaged ? 0 : (guint64) value;
}

/* Things of which each takes at least a byte of those that follow. */
static guint64
get_count (In *in)
{
  guint64 n = (guint64) get (in);
  in->damaged |= n > (guint64) (in->end - in->at);
  return in->damaged ? 0 : n;
}

static gint64
get_signed (In *in)
{
  guint64 value = (guint64) get (in);
  return (gint64) (value >> 1 ^ (0 - (value & 1)));
}

static guint32
get_handle (In *in, const Handles *handles)
{
  guint64 place = get_below (in, handles->n);
  return in->damaged ? 0 : handles->at[place];
}

static void
handles_init (In *in, Handles *handles, guint64 n)
{
  handles->n = in->damaged ? 0 : n;
  handles->at = g_new0 (guint32, handles->n + 1);
}

static void
get_texts (In *in)
{
  guint64 n = get_count (in);
  handles_init (in, &in->texts, n + 1);
  for (guint64 i = 1; i <= n && !in->damaged; i++) {
    guint64 len = get_count (in);
    if (in->damaged)
      return;
    in->texts.at[i] = in->job->host->intern (in->job->host, (const char *) in->at, len);
    in->at += len;
  }
}

static void
get_keys (In *in, Handles *handles, AnKeyTable *table, guint32 texts)
{
  guint64 n = get_count (in);
  handles_init (in, handles, n);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    guint32 key[C_WORDS + S_WORDS];
    for (guint k = 0; k < table->width; k++)
      key[k] = texts >> k & 1 ? get_handle (in, &in->texts)
                              : (guint32) get_below (in, (guint64) G_MAXUINT32 + 1);
    if (!in->damaged)
      handles->at[i] = an_key_table_get (table, key);
  }
}

/* An array as long as it is, not twice as long: there are many ranks. */
static void
reserve (const In *in, GArray **array, guint64 n)
{
  if (in->damaged || (*array)->len)
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
  for (guint64 i = 0; i < in->signatures.n && !in->damaged; i++)
    in->damaged = (an_key_table_key (table, in->signatures.at[i])[S_KIND] & ~VARIES) >= AN_N_KINDS;
}

static void
get_steps (In *in, Rank *rank)
{
  guint64 n = get_count (in);
  reserve (in, &rank->steps, n);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    RankStep s = { .number = get_signed (in) };
    s.start = get_signed (in);
    s.end = get_signed (in);
    s.compute = get_signed (in);
    s.exposed = get_signed (in);
    s.copy = get_signed (in);
    s.idle = get_signed (in);
    in->damaged |= s.end < s.start;
    if (!in->damaged)
      rank_add_step (rank, &s);
  }
}

static void
get_operators (In *in, Rank *rank, bool fresh)
{
  guint64 n = get_count (in);
  reserve (in, &rank->operators, n);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    RankOperator o = { .operator= get_handle (in, &in->operators) };
    o.count = (guint64) get (in);
    o.in_steps = (guint32) get (in);
    o.total = (guint64) get (in);
    if (in->damaged)
      return;
    if (fresh) {
      g_array_append_val (rank->operators, o);
      continue;
    }
    RankOperator *to = rank_operator (rank, o.operator);
    to->count += o.count;
    to->in_steps += o.in_steps;
    to->total += o.total;
  }
}

static void
get_anchors (In *in, Rank *rank)
{
  guint64 n = get_count (in);
  reserve (in, &rank->anchors, n);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    Anchor a = { .call = get_handle (in, &in->calls) };
    a.start = get_signed (in);
    a.end = (gint64) ((guint64) a.start + (guint64) get_signed (in));
    in->damaged |= a.end < a.start;
    if (!in->damaged)
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
    *numbers[i] = get_signed (in);
  who.bare = (guint64) bare;
  who.outside = (guint64) outside;
  guint before = in->job->ranks->len;
  guint32 number = in->damaged ? 0 : job_rank_of (in->job, &who);
  if (in->damaged)
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
  key[C_HOW] = (guint32) get_below (in, 2 * HOW_P2P);
  set_key_number (key, C_STEP_LOW, get_signed (in));
  set_key_number (key, C_NUMBER_LOW, get_signed (in));
  in->damaged |= (key[C_HOW] & ~HOW_P2P) >= HOWS;
  return in->damaged ? 0 : job_call_of (in->job, key);
}

/* 1 + a call, or 0 */
static guint32
get_call_ref (In *in)
{
  guint64 place = get_below (in, in->calls.n + 1);
  return place ? 1 + in->calls.at[place - 1] : 0;
}

static void
get_window (In *in, Window *w)
{
  w->has = (guint32) get_below (in, 2);
  for (guint i = 0; i < SEGS; i++)
    w->seg[i] = get_signed (in);
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
  c->n_windows = (guint32) get_below (in, (guint64) c->n + 1);
  c->mixed = (guint32) get_below (in, ALL_MIXED + 1);
  c->total = (DistSum) get (in);
  for (guint i = 0; i < SEGS; i++)
    c->seg[i] = (DistSum) get (in);
  if (c->n > 1) {
    c->shortest[1] = get_signed (in);
    c->first[1] = get_handle (in, &in->ranks);
  }
  c->longest = get_signed (in);
}

static void
get_starts (In *in, GArray *starts)
{
  guint64 n = get_count (in);
  g_array_set_size (starts, 0);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    Start s = { .rank = get_handle (in, &in->ranks) };
    s.at = get_signed (in);
    g_array_append_val (starts, s);
  }
}

static void
get_call (In *in, Call *c, GArray *starts)
{
  c->n = (guint32) get_below (in, G_MAXUINT32);
  c->step = get_signed (in);
  c->shortest[0] = get_signed (in);
  c->first[0] = get_handle (in, &in->ranks);
  c->exposed = (DistSum) get (in);
  get_window (in, &c->window);
  if (c->n)
    get_sums (in, c);
  else
    set_single (c);
  get_starts (in, starts);
  in->damaged |= c->shortest[0] < 0 || c->longest < c->shortest[0]
                 || (c->n > 1 && c->shortest[1] < c->shortest[0]);
}

static void
get_call_keys (In *in)
{
  guint64 n = get_count (in);
  handles_init (in, &in->calls, n);
  for (guint64 i = 0; i < in->calls.n && !in->damaged; i++)
    in->calls.at[i] = get_call_key (in);
}

static void
get_ranks (In *in)
{
  guint64 n = get_count (in);
  handles_init (in, &in->ranks, n);
  for (guint64 i = 0; i < in->ranks.n && !in->damaged; i++)
    in->ranks.at[i] = get_rank (in);
}

static void
get_calls (In *in)
{
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (Start));
  for (guint64 i = 0; i < in->calls.n && !in->damaged; i++) {
    Call call = { 0 };
    get_call (in, &call, starts);
    if (!in->damaged)
      job_add_call (in->job, in->calls.at[i], &call, (const Start *) (void *) starts->data,
                    starts->len);
  }
}

nprof_status
rk_merge (void *self, const void *data, size_t len)
{
  Ranks *r = self;
  if (len < strlen (MAGIC) || memcmp (data, MAGIC, strlen (MAGIC)) != 0)
    return nprof_fail (r->host, NPROF_E_FORMAT,
                       "this is not a saved state of ranks; it begins with \"%.13s\"", MAGIC);
  In in = { .job = &r->job, .at = data, .end = (const guint8 *) data + len };
  in.at += strlen (MAGIC);
  get_texts (&in);
  get_keys (&in, &in.groups, &r->job.group_keys, GROUP_TEXTS);
  get_signatures (&in);
  get_keys (&in, &in.operators, &r->job.operator_keys, OPERATOR_TEXTS);
  get_call_keys (&in);
  get_ranks (&in);
  get_calls (&in);
  bool ok = !in.damaged && in.at == in.end;
  Handles *all[] = { &in.texts, &in.groups, &in.signatures, &in.operators, &in.ranks, &in.calls };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (all[i]->at);
  if (ok)
    return NPROF_OK;
  job_clear (&r->job); /* half of a state refers to what is not there */
  job_init (&r->job, r->host);
  return nprof_fail (r->host, NPROF_E_FORMAT,
                     "the saved state of ranks is damaged at byte %" G_GSIZE_FORMAT
                     ": save it again",
                     (gsize) (in.at - (const guint8 *) data));
}
