/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - writes the ranks of a job as bytes. */
#include "state.h"

#include <string.h>

#define FULL 65536u /* bytes */

typedef struct {
  const Job *job;
  struct nprof_output *output;
  nprof_status status;
  GByteArray *to;                                           /* what is not yet written */
  GHashTable *texts;                                        /* nprof_str to its place, from 1 */
  guint32 *groups, *signatures, *operators, *ranks, *calls; /* places */
} Out;

/* The state of ten thousand ranks is no part of memory. */
static void
flush (Out *out, guint least)
{
  if (out->to->len >= least && out->status == NPROF_OK)
    out->status = out->output->write (out->output, out->to->data, out->to->len);
  if (out->to->len >= least)
    g_byte_array_set_size (out->to, 0);
}

static void
put_text (Out *out, nprof_str text)
{
  an_pack (out->to, GPOINTER_TO_UINT (g_hash_table_lookup (out->texts, GUINT_TO_POINTER (text))));
}

static void
put_words (Out *out, const guint32 *words, guint n, guint32 texts)
{
  for (guint i = 0; i < n; i++)
    if (texts >> i & 1)
      put_text (out, words[i]);
    else
      an_pack (out->to, words[i]);
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
  an_pack (out->to, n);
  for (guint i = 0; i < n; i++) {
    size_t len;
    const char *text = job->host->string (job->host, all[i], &len);
    g_hash_table_replace (out->texts, GUINT_TO_POINTER (all[i]), GUINT_TO_POINTER (i + 1));
    an_pack_bytes (out->to, text, len);
  }
}

/* All keys of a table in their order; returns the place of each.  Transfer full. */
static guint32 *
put_keys (Out *out, const AnKeyTable *table, guint32 texts,
          int (*compare) (const Job *, guint32, guint32))
{
  g_autofree guint32 *sorted = job_sorted (out->job, table->n, compare);
  an_pack (out->to, table->n);
  for (guint i = 0; i < table->n; i++)
    put_words (out, an_key_table_key (table, sorted[i]), table->width, texts);
  return job_places (sorted, table->n);
}

static void
put_steps (Out *out, const Rank *rank)
{
  an_pack (out->to, rank->steps->len);
  for (guint i = 0; i < rank->steps->len; i++) {
    const RankStep *s = &g_array_index (rank->steps, RankStep, i);
    an_pack_signed (out->to, s->number);
    an_pack_signed (out->to, s->start);
    an_pack_signed (out->to, s->end);
    an_pack_signed (out->to, s->compute);
    an_pack_signed (out->to, s->exposed);
    an_pack_signed (out->to, s->copy);
    an_pack_signed (out->to, s->idle);
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
  an_pack (out->to, sorted->len);
  for (guint i = 0; i < sorted->len; i++) {
    const RankOperator *o = &g_array_index (sorted, RankOperator, i);
    an_pack (out->to, out->operators[o->operator]);
    an_pack (out->to, o->count);
    an_pack (out->to, o->in_steps);
    an_pack (out->to, o->total);
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
  an_pack (out->to, sorted->len);
  for (guint i = 0; i < sorted->len; i++) {
    const Anchor *a = &g_array_index (sorted, Anchor, i);
    an_pack (out->to, out->calls[a->call]);
    an_pack_signed (out->to, a->start);
    an_pack_signed (out->to, (gint64) ((guint64) a->end - (guint64) a->start));
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
    an_pack_signed (out->to, numbers[i]);
  put_steps (out, rank);
  put_operators (out, rank);
  put_anchors (out, rank);
}

static void
put_starts (Out *out, const Call *call)
{
  g_autoptr (GArray) starts = job_starts (out->job, call);
  an_pack (out->to, starts->len);
  for (guint i = 0; i < starts->len; i++) {
    const Start *s = &g_array_index (starts, Start, i);
    an_pack (out->to, out->ranks[s->rank]);
    an_pack_signed (out->to, s->at);
  }
}

static guint32
place_of (const Out *out, guint32 call)
{
  return call ? 1 + out->calls[call - 1] : 0;
}

static void
put_call_key (Out *out, guint32 number)
{
  const guint32 *key = call_key (out->job, number);
  an_pack (out->to, out->groups[key[C_GROUP]]);
  an_pack (out->to, out->signatures[key[C_SIGNATURE]]);
  an_pack (out->to, key[C_HOW]);
  an_pack_signed (out->to, key_number (key, C_STEP_LOW));
  an_pack_signed (out->to, key_number (key, C_NUMBER_LOW));
}

static void
put_window (Out *out, const Window *w)
{
  an_pack (out->to, w->has);
  for (guint i = 0; i < SEGS; i++)
    an_pack_signed (out->to, w->seg[i]);
  an_pack (out->to, place_of (out, w->before));
  an_pack (out->to, place_of (out, w->beside));
}

/* As one rank has it: sums say nothing more. */
static bool
is_single (const Call *c)
{
  bool single = c->n == 1 && !c->mixed && c->total == c->shortest[0] && c->longest == c->shortest[0]
                && c->n_windows == c->window.has;
  for (guint i = 0; i < SEGS && single; i++)
    single = c->seg[i] == c->window.seg[i];
  return single;
}

static void
put_sums (Out *out, const Call *c)
{
  an_pack (out->to, c->n_windows);
  an_pack (out->to, c->mixed);
  an_pack (out->to, (AnPackedWide) c->total);
  for (guint i = 0; i < SEGS; i++)
    an_pack (out->to, (AnPackedWide) c->seg[i]);
  if (c->n > 1) {
    an_pack_signed (out->to, c->shortest[1]);
    an_pack (out->to, out->ranks[c->first[1]]);
  }
  an_pack_signed (out->to, c->longest);
}

static void
put_call (Out *out, guint32 number)
{
  const Call *c = job_call (out->job, number);
  bool single = is_single (c);
  an_pack (out->to, single ? 0 : c->n);
  an_pack_signed (out->to, c->step);
  an_pack_signed (out->to, c->shortest[0]);
  an_pack (out->to, out->ranks[c->first[0]]);
  an_pack (out->to, (AnPackedWide) c->exposed);
  put_window (out, &c->window);
  if (!single)
    put_sums (out, c);
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
  an_pack (out->to, job->calls->len);
  for (guint i = 0; i < job->calls->len; i++) { /* all keys first: any may be referred to */
    put_call_key (out, calls[i]);
    flush (out, FULL);
  }
  an_pack (out->to, job->ranks->len);
  for (guint i = 0; i < job->ranks->len; i++) {
    put_rank (out, job_rank (job, ranks[i]));
    flush (out, FULL);
  }
  for (guint i = 0; i < job->calls->len; i++) {
    put_call (out, calls[i]);
    flush (out, FULL);
  }
  flush (out, 1);
}

nprof_status
rk_save (void *self, struct nprof_output *output)
{
  Ranks *r = self;
  nprof_status checked = rk_end (r, false);
  checked = checked ? checked : rk_check (r);
  if (checked)
    return checked;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GHashTable) texts = g_hash_table_new (NULL, NULL);
  Out out = { .job = &r->job, .output = output, .to = bytes, .texts = texts };
  g_byte_array_append (bytes, (const guint8 *) MAGIC, strlen (MAGIC));
  put_all (&out);
  g_free (out.groups);
  g_free (out.signatures);
  g_free (out.operators);
  g_free (out.ranks);
  g_free (out.calls);
  return out.status;
}
