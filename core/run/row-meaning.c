/* SPDX-License-Identifier: Apache-2.0 */
/* row-meaning.c - asks the rule of a decoder once for each place, category and name, and puts the
 * answer into the sets of the rows.  Threads remember what they asked last, so that they seldom
 * wait for each other. */

#include "run/row-meaning.h"

#include <nprof/keys.h>
#include <string.h>

#define SEEN_BITS 14   /* of the number of rows alike that a thread remembers */
#define ANSWER_BITS 14 /* of the number of answers that all share             */
#define N_TRACKS 256u

typedef struct { /* rows alike: they get the set `to` */
  guint64 label; /* name and category                   */
  guint64 where; /* set, and 1 + place; 0: free         */
  nprof_set to;
} Alike;

typedef struct {
  guint64 label; /* name and category */
  guint32 place; /* 1 + it; 0: free   */
  nprof_str work;
} Answer;

typedef struct {
  nprof_track track; /* 0: free */
  guint32 place;
} Placed;

struct NpMeaningsSeen {
  Alike alike[1u << SEEN_BITS];
  Placed tracks[N_TRACKS];
};

struct NpMeanings {
  NpRun *run;
  const struct nprof_host *host;
  const struct nprof_meaning_rule *rule;
  nprof_str key;
  pthread_mutex_t lock;
  Answer *answers;  /* 1 << ANSWER_BITS */
  GHashTable *sets; /* gint64 of a set and a value -> the set of both */
};

static inline guint64
hash_of (guint64 label, guint64 where)
{
  return label * 0x9e3779b97f4a7c15u ^ where * 0xc2b2ae3d27d4eb4fu;
}

/* Spreads pairs of a set and a value, both of which count up: in g_int64_hash most of them meet. */
static guint
pair_hash (gconstpointer pair)
{
  return hash_of (*(const guint64 *) pair, 0) >> 32;
}

NpMeanings *
np_meanings_new (NpRun *run, const struct nprof_host *host, const struct nprof_meaning_rule *rule)
{
  NpMeanings *m = g_new0 (NpMeanings, 1);
  m->run = run;
  m->host = host;
  m->rule = rule;
  m->key = np_strings_intern (run->strings, NPROF_KEY_WORK, strlen (NPROF_KEY_WORK));
  m->answers = g_new0 (Answer, (gsize) 1 << ANSWER_BITS);
  m->sets = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  pthread_mutex_init (&m->lock, NULL);
  return m;
}

void
np_meanings_free (NpMeanings *m)
{
  if (!m)
    return;
  pthread_mutex_destroy (&m->lock);
  g_hash_table_unref (m->sets);
  g_free (m->answers);
  g_free (m);
}

void
np_meanings_seen_free (NpMeaningsSeen *seen)
{
  g_free (seen);
}

/* -- Answers, under the lock ---------------------------------------------------------------- */

static nprof_str
work_of (NpMeanings *m, nprof_str name, nprof_str category, guint32 place)
{
  const guint64 label = (guint64) name << 32 | category;
  Answer *a = &m->answers[hash_of (label, 1 + place) >> (64 - ANSWER_BITS)];
  if (a->label == label && a->place == 1 + place)
    return a->work;
  const char *word = m->rule->work (place, np_strings_get (m->run->strings, category, NULL),
                                    np_strings_get (m->run->strings, name, NULL));
  const nprof_str work = word ? np_strings_intern (m->run->strings, word, strlen (word)) : 0;
  *a = (Answer){ label, 1 + place, work };
  return work;
}

static gboolean
has_key (const struct nprof_attrs *attrs, nprof_str key)
{
  for (uint32_t k = 0; k < attrs->n; k++)
    if (attrs->key[k] == key)
      return TRUE;
  return FALSE;
}

/* Makes the set of all of `set`, and the value. */
static nprof_set
set_with (NpMeanings *m, nprof_set set, nprof_str work)
{
  const struct nprof_attrs *of = np_attrsets_get (m->run->sets, set);
  if (has_key (of, m->key))
    return set;
  g_autofree nprof_str *key = g_new (nprof_str, of->n + 1);
  g_autofree uint8_t *type = g_new (uint8_t, of->n + 1);
  g_autofree nprof_value *value = g_new (nprof_value, of->n + 1);
  for (uint32_t k = 0; k < of->n; k++) {
    key[k] = of->key[k];
    type[k] = of->type[k];
    value[k] = of->value[k];
  }
  key[of->n] = m->key;
  type[of->n] = NPROF_STRING;
  value[of->n] = (nprof_value){ .s = work };
  const struct nprof_attrs both = { .size = sizeof both,
                                    .n = of->n + 1,
                                    .key = key,
                                    .type = type,
                                    .value = value,
                                    .bytes = of->bytes };
  return np_attrsets_add (m->run->sets, &both);
}

static nprof_set
set_of_both (NpMeanings *m, nprof_set set, nprof_str work)
{
  if (!work)
    return set;
  const gint64 both = (gint64) ((guint64) set << 32 | work);
  gpointer known;
  if (g_hash_table_lookup_extended (m->sets, &both, NULL, &known))
    return GPOINTER_TO_UINT (known);
  const nprof_set made = set_with (m, set, work);
  g_hash_table_insert (m->sets, g_memdup2 (&both, sizeof both), GUINT_TO_POINTER (made));
  return made;
}

static __attribute__ ((noinline)) void
ask (NpMeanings *m, Alike *alike, const struct nprof_writer *w, guint i, guint32 place)
{
  pthread_mutex_lock (&m->lock);
  const nprof_str work = work_of (m, w->name[i], w->category[i], place);
  alike->to = set_of_both (m, w->shared[i], work);
  pthread_mutex_unlock (&m->lock);
}

/*  Rows ---------------------------------------------------------------------------------------- */

static inline guint32
place_of (NpMeanings *m, NpMeaningsSeen *seen, nprof_track track)
{
  Placed *p = &seen->tracks[track % N_TRACKS];
  if (p->track != track)
    *p = (Placed){ track, m->rule->place (m->host, track) };
  return p->place;
}

void
np_meanings_write (NpMeanings *m, NpMeaningsSeen **of, struct nprof_writer *w)
{
  if (!*of)
    *of = g_new0 (NpMeaningsSeen, 1);
  NpMeaningsSeen *seen = *of;
  nprof_track last = 0;
  guint32 place = 0;
  nprof_set any = 0;
  for (guint i = 0; i < w->n_rows; i++) {
    if (w->kind[i] != NPROF_SPAN)
      continue;
    if (w->track[i] != last)
      place = place_of (m, seen, last = w->track[i]);
    const guint64 label = (guint64) w->name[i] << 32 | w->category[i],
                  where = (guint64) w->shared[i] << 32 | (1 + place);
    Alike *alike = &seen->alike[hash_of (label, where) >> (64 - SEEN_BITS)];
    if (G_UNLIKELY (alike->label != label || alike->where != where)) {
      *alike = (Alike){ label, where, 0 };
      ask (m, alike, w, i, place);
    }
    any |= w->shared[i] = alike->to;
  }
  if (any)
    w->present |= NPROF_HAS_SHARED;
}
