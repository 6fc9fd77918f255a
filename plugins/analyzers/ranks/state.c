/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - ranks of a job as bytes, and back: integers of seven bits a byte, texts once, everything in an
 * order of its own and numbered by it.  Equal content gives equal bytes. */
#include "ranks.h"

#include <string.h>

#define MAGIC "nprof ranks 1\n"

/* -- Saving ------------------------------------------------------------------------------------------ */

typedef struct {
  const Job *job;
  GByteArray *to;
  GHashTable *texts;                                        /* nprof_str to its place, from 1 */
  guint32 *groups, *signatures, *operators, *ranks, *calls; /* places */
} Out;

static void
put (Out *out, unsigned __int128 value)
{
  guint8 bytes[19];
  guint n = 0;
  for (; value >= 128; value >>= 7)
    bytes[n++] = (guint8) (value | 128);
  bytes[n++] = (guint8) value;
  g_byte_array_append (out->to, bytes, n);
}

/* Small numbers on both sides of 0 are short. */
static void
put_signed (Out *out, gint64 value)
{
  put (out, (guint64) value << 1 ^ (guint64) (value >> 63));
}

static void
put_text (Out *out, nprof_str text)
{
  put (out, GPOINTER_TO_UINT (g_hash_table_lookup (out->texts, GUINT_TO_POINTER (text))));
}

static void
put_words (Out *out, const guint32 *words, guint n, guint32 texts)
{
  for (guint i = 0; i < n; i++)
    if (texts >> i & 1)
      put_text (out, words[i]);
    else
      put (out, words[i]);
}

static void
note_words (GHashTable *texts, const AnKeyTable *table, guint32 which)
{
  for (guint i = 0; i < table->n; i++)
    for (guint k = 0; k < table->width; k++)
      if (which >> k & 1)
        g_hash_table_add (texts, GUINT_TO_POINTER (an_key_table_key (table, i)[k]));
}

static int
by_text (gconstpointer a, gconstpointer b, gpointer user)
{
  return job_compare_texts (user, *(const nprof_str *) a, *(const nprof_str *) b);
}

#define GROUP_TEXTS (1u << G_COMMUNICATOR | 1u << G_NAME | 1u << G_LABEL | 1u << G_MEMBERS)
#define SIGNATURE_TEXTS (1u << S_NAME | 1u << S_DTYPE)
#define OPERATOR_TEXTS 3u
#define RANK_TEXTS 7u

static void
put_texts (Out *out)
{
  const Job *job = out->job;
  note_words (out->texts, &job->group_keys, GROUP_TEXTS);
  note_words (out->texts, &job->signature_keys, SIGNATURE_TEXTS);
  note_words (out->texts, &job->operator_keys, OPERATOR_TEXTS);
  note_words (out->texts, &job->rank_keys, RANK_TEXTS);
  g_hash_table_remove (out->texts, NULL); /* "" */
  guint n = g_hash_table_size (out->texts);
  g_autofree nprof_str *all = g_new (nprof_str, n + 1);
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, out->texts);
  for (guint i = 0; g_hash_table_iter_next (&iter, &key, NULL); i++)
    all[i] = GPOINTER_TO_UINT (key);
  g_qsort_with_data (all, (gint) n, sizeof *all, by_text, (gpointer) job);
  put (out, n);
  for (guint i = 0; i < n; i++) {
    size_t len;
    const char *text = job->host->string (job->host, all[i], &len);
    g_hash_table_replace (out->texts, GUINT_TO_POINTER (all[i]), GUINT_TO_POINTER (i + 1));
    put (out, len);
    g_byte_array_append (out->to, (const guint8 *) text, (guint) len);
  }
}

/* All keys of a table in their order; returns the place of each.  Transfer full. */
static guint32 *
put_keys (Out *out, const AnKeyTable *table, guint32 texts,
          int (*compare) (const Job *, guint32, guint32))
{
  g_autofree guint32 *sorted = job_sorted (out->job, table->n, compare);
  put (out, table->n);
  for (guint i = 0; i < table->n; i++)
    put_words (out, an_key_table_key (table, sorted[i]), table->width, texts);
  return job_places (sorted, table->n);
}

static void
put_steps (Out *out, const Rank *rank)
{
  put (out, rank->steps->len);
  for (guint i = 0; i < rank->steps->len; i++) {
    const RankStep *s = &g_array_index (rank->steps, RankStep, i);
    put_signed (out, s->number);
    put_signed (out, s->start);
    put_signed (out, s->end);
    put_signed (out, s->compute);
    put_signed (out, s->exposed);
    put_signed (out, s->copy);
    put_signed (out, s->idle);
  }
}

static int
by_operator (gconstpointer a, gconstpointer b, gpointer user)
{
  const guint32 *places = user;
  guint32 x = places[((const RankOperator *) a)->operator],
          y = places[((const RankOperator *) b)->operator];
  return x < y ? -1 : x > y;
}

static void
put_operators (Out *out, const Rank *rank)
{
  g_autoptr (GArray) sorted = g_array_copy (rank->operators);
  g_array_sort_with_data (sorted, by_operator, out->operators);
  put (out, sorted->len);
  for (guint i = 0; i < sorted->len; i++) {
    const RankOperator *o = &g_array_index (sorted, RankOperator, i);
    put (out, out->operators[o->operator]);
    put (out, o->count);
    put (out, o->in_steps);
    put (out, o->total);
  }
}

static int
by_call (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const guint32 *places = user;
  const Anchor *a = pa, *b = pb;
  guint32 x = places[a->call], y = places[b->call];
  if (x != y)
    return x < y ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

static void
put_anchors (Out *out, const Rank *rank)
{
  g_autoptr (GArray) sorted = g_array_copy (rank->anchors);
  g_array_sort_with_data (sorted, by_call, out->calls);
  put (out, sorted->len);
  for (guint i = 0; i < sorted->len; i++) {
    const Anchor *a = &g_array_index (sorted, Anchor, i);
    put (out, out->calls[a->call]);
    put_signed (out, a->start);
    put_signed (out, (gint64) ((guint64) a->end - (guint64) a->start));
  }
}

static void
put_rank (Out *out, const Rank *rank)
{
  put_text (out, rank->input);
  put_text (out, rank->host);
  put_text (out, rank->device);
  const gint64 numbers[]
      = { rank->number, rank->origin,        rank->world,         rank->span,
          rank->busy,   rank->compute,       rank->communication, rank->exposed,
          rank->idle,   (gint64) rank->bare, rank->bare_ps,       (gint64) rank->outside };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    put_signed (out, numbers[i]);
  put_steps (out, rank);
  put_operators (out, rank);
  put_anchors (out, rank);
}

static void
put_starts (Out *out, const Call *call)
{
  g_autoptr (GArray) starts = job_starts (out->job, call);
  put (out, starts->len);
  for (guint i = 0; i < starts->len; i++) {
    const Start *s = &g_array_index (starts, Start, i);
    put (out, out->ranks[s->rank]);
    put_signed (out, s->at);
  }
}

static guint32
place_of (const Out *out, guint32 call)
{
  return call ? 1 + out->calls[call - 1] : 0;
}

static void
put_call (Out *out, guint32 number)
{
  const Call *c = job_call (out->job, number);
  const guint32 *key = call_key (out->job, number);
  put (out, out->groups[key[C_GROUP]]);
  put (out, out->signatures[key[C_SIGNATURE]]);
  put (out, key[C_HOW]);
  put_signed (out, key_number (key, C_STEP_LOW));
  put_signed (out, key_number (key, C_NUMBER_LOW));
  put (out, c->n);
  put (out, c->n_windows);
  put (out, c->mixed);
  put_signed (out, c->step);
  put (out, (unsigned __int128) c->total);
  put (out, (unsigned __int128) c->exposed);
  for (guint i = 0; i < SEGS; i++)
    put (out, (unsigned __int128) c->seg[i]);
  for (guint i = 0; i < 2 && i < c->n; i++) {
    put_signed (out, c->shortest[i]);
    put (out, out->ranks[c->first[i]]);
  }
  put_signed (out, c->longest);
  put (out, c->window.has);
  for (guint i = 0; i < SEGS; i++)
    put_signed (out, c->window.seg[i]);
  put (out, place_of (out, c->window.before));
  put (out, place_of (out, c->window.beside));
  put_starts (out, c);
}

static void
put_all (Out *out)
{
  const Job *job = out->job;
  put_texts (out);
  out->groups = put_keys (out, &job->group_keys, GROUP_TEXTS, job_compare_groups);
  out->signatures = put_keys (out, &job->signature_keys, SIGNATURE_TEXTS, job_compare_signatures);
  out->operators = put_keys (out, &job->operator_keys, OPERATOR_TEXTS, job_compare_operators);
  g_autofree guint32 *calls = job_sorted (job, job->calls->len, job_compare_calls);
  g_autofree guint32 *ranks = job_sorted (job, job->ranks->len, job_compare_ranks);
  out->calls = job_places (calls, job->calls->len);
  out->ranks = job_places (ranks, job->ranks->len);
  put (out, job->ranks->len);
  put (out, job->calls->len);
  for (guint i = 0; i < job->ranks->len; i++)
    put_rank (out, job_rank (job, ranks[i]));
  for (guint i = 0; i < job->calls->len; i++)
    put_call (out, calls[i]);
}

nprof_status
rk_save (void *self, struct nprof_output *output)
{
  Ranks *r = self;
  rk_end (r);
  nprof_status checked = rk_check (r);
  if (checked)
    return checked;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GHashTable) texts = g_hash_table_new (NULL, NULL);
  Out out = { .job = &r->job, .to = bytes, .texts = texts };
  put_all (&out);
  g_free (out.groups);
  g_free (out.signatures);
  g_free (out.operators);
  g_free (out.ranks);
  g_free (out.calls);
  nprof_status status = output->write (output, MAGIC, strlen (MAGIC));
  return status == NPROF_OK ? output->write (output, bytes->data, bytes->len) : status;
}

/* -- Merging ----------------------------------------------------------------------------------------- */

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

static unsigned __int128
get (In *in)
{
  if (in->at < in->end && *in->at < 128)
    return *in->at++;
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

static void
get_steps (In *in, Rank *rank)
{
  guint64 n = get_count (in);
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
  if (fresh && !in->damaged) { /* as long as it is, not twice as long: there are many ranks */
    g_array_unref (rank->operators);
    rank->operators = g_array_sized_new (FALSE, FALSE, sizeof (RankOperator), (guint) n);
  }
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

/* Numbers of calls are places until the calls are there. */
static void
get_anchors (In *in, Rank *rank)
{
  guint64 n = get_count (in);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    Anchor a = { .call = (guint32) get_below (in, in->calls.n) };
    a.start = get_signed (in);
    a.end = (gint64) ((guint64) a.start + (guint64) get_signed (in));
    in->damaged |= a.end < a.start;
    if (!in->damaged)
      rank_add_anchor (rank, &a);
  }
}

static guint32
get_rank (In *in, guint *first_anchor)
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
  *first_anchor = rank->anchors->len;
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

/* References to other calls are places until all are there. */
static void
get_call (In *in, Call *c, GArray *starts)
{
  c->n = (guint32) get_below (in, G_MAXUINT32);
  c->n_windows = (guint32) get_below (in, (guint64) c->n + 1);
  c->mixed = (guint32) get_below (in, ALL_MIXED + 1);
  c->step = get_signed (in);
  c->total = (DistSum) get (in);
  c->exposed = (DistSum) get (in);
  for (guint i = 0; i < SEGS; i++)
    c->seg[i] = (DistSum) get (in);
  for (guint i = 0; i < 2 && i < c->n; i++) {
    c->shortest[i] = get_signed (in);
    c->first[i] = get_handle (in, &in->ranks);
  }
  c->longest = get_signed (in);
  c->window.has = (guint32) get_below (in, 2);
  for (guint i = 0; i < SEGS; i++)
    c->window.seg[i] = get_signed (in);
  c->window.before = (guint32) get_below (in, in->calls.n + 1);
  c->window.beside = (guint32) get_below (in, in->calls.n + 1);
  guint64 n = get_count (in);
  g_array_set_size (starts, 0);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    Start s = { .rank = get_handle (in, &in->ranks) };
    s.at = get_signed (in);
    g_array_append_val (starts, s);
  }
  in->damaged |= !c->n || c->shortest[0] < 0 || c->longest < c->shortest[0]
                 || (c->n > 1 && c->shortest[1] < c->shortest[0]);
}

static void
resolve_window (const In *in, Window *w)
{
  w->before = w->before ? 1 + in->calls.at[w->before - 1] : 0;
  w->beside = w->beside ? 1 + in->calls.at[w->beside - 1] : 0;
}

/* A call may refer to any other, so all keys are read first. */
typedef struct {
  Call call;
  guint first, n; /* of the starts */
} Part;

static void
get_calls (In *in)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, TRUE, sizeof (Part));
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Start));
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (Start));
  for (guint64 i = 0; i < in->calls.n && !in->damaged; i++) {
    Part part = { .first = all->len };
    in->calls.at[i] = get_call_key (in);
    get_call (in, &part.call, starts);
    g_array_append_vals (all, starts->data, starts->len);
    part.n = starts->len;
    g_array_append_val (parts, part);
  }
  for (guint i = 0; i < parts->len && !in->damaged; i++) {
    Part *part = &g_array_index (parts, Part, i);
    resolve_window (in, &part->call.window);
    job_add_call (in->job, in->calls.at[i], &part->call, &g_array_index (all, Start, part->first),
                  part->n);
  }
}

static void
get_ranks (In *in)
{
  guint64 n = get_count (in), n_calls = get_count (in);
  handles_init (in, &in->ranks, n);
  handles_init (in, &in->calls, n_calls);
  g_autofree guint *first = g_new0 (guint, in->ranks.n + 1);
  for (guint64 i = 0; i < n && !in->damaged; i++)
    in->ranks.at[i] = get_rank (in, &first[i]);
  get_calls (in);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    GArray *anchors = job_rank (in->job, in->ranks.at[i])->anchors;
    for (guint k = first[i]; k < anchors->len; k++) {
      Anchor *a = &g_array_index (anchors, Anchor, k);
      a->call = in->calls.at[a->call];
    }
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
  get_keys (&in, &in.signatures, &r->job.signature_keys, SIGNATURE_TEXTS);
  get_keys (&in, &in.operators, &r->job.operator_keys, OPERATOR_TEXTS);
  get_ranks (&in);
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
