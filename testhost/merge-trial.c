/* SPDX-License-Identifier: Apache-2.0 */
/* merge-trial.c - tries save and merge of an analyzer as the contract asks: any order and grouping
 * gives the same bytes, the state of no rows changes nothing, and a state that was cut is
 * refused. */

#include <string.h>

#include "test-run.h"

#define MOST_CUTS 64u
#define MOST_FLIPS 256u

typedef struct {
  const NprofTestLife *life;
  NprofTestConfig config;
  GBytes *state[4]; /* of three feeds, and of no rows */
  char *problem;    /* the first; NULL */
} Trial;

enum { A, B, C, EMPTY };

static void
next_step (const Trial *t, const char *what)
{
  const NprofTestWatch *watch = t->config.watch;
  if (watch && watch->step)
    watch->step (watch->user, what);
}

static void
found (Trial *t, char *problem)
{
  if (t->problem)
    g_free (problem);
  else
    t->problem = problem;
}

static NprofTestRun *
opened (Trial *t)
{
  return nprof_test_open (t->life->component, t->life->options, &t->config);
}

/* Judges a run that is over: what it broke, or the reason for which it failed although nothing was
 * wrong. */
static void
judge_run (Trial *t, const NprofTestRun *run, const char *what)
{
  char *problem = nprof_test_problem (run);
  if (problem)
    found (t, g_strdup_printf ("%s: %s", what, problem));
  else if (run->status)
    found (t, g_strdup_printf ("%s failed with status %d: %s", what, run->status,
                               run->failure ? run->failure : "no reason was given"));
  g_free (problem);
}

static GBytes *
state_of_feed (Trial *t, guint variant)
{
  t->config.variant = variant;
  g_autoptr (NprofTestRun) run = opened (t);
  if (variant)
    nprof_test_feed (run);
  GBytes *state = nprof_test_save (run);
  judge_run (t, run, "save");
  return state ? state : g_bytes_new (NULL, 0);
}

/* Returns the state of an instance into which these were merged, in this order. */
static GBytes *
merged (Trial *t, GBytes *first, GBytes *second)
{
  g_autoptr (NprofTestRun) run = opened (t);
  GBytes *parts[2] = { first, second };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    gsize len;
    const void *data = g_bytes_get_data (parts[i], &len);
    nprof_test_merge (run, data, len);
  }
  GBytes *state = nprof_test_save (run);
  judge_run (t, run, "merge");
  return state ? state : g_bytes_new (NULL, 0);
}

static void
must_equal (Trial *t, GBytes *is, GBytes *was, const char *what)
{
  gsize n_is, n_was, at = 0;
  const guint8 *a = g_bytes_get_data (is, &n_is), *b = g_bytes_get_data (was, &n_was);
  while (at < n_is && at < n_was && a[at] == b[at])
    at++;
  if (at < n_is || at < n_was)
    found (t, g_strdup_printf ("%s: the states have %zu and %zu bytes and differ from byte %zu on",
                               what, n_is, n_was, at));
}

static void
try_algebra (Trial *t)
{
  next_step (t, "states taken together");
  g_autoptr (GBytes) ab = merged (t, t->state[A], t->state[B]);
  g_autoptr (GBytes) ba = merged (t, t->state[B], t->state[A]);
  g_autoptr (GBytes) bc = merged (t, t->state[B], t->state[C]);
  g_autoptr (GBytes) ab_c = merged (t, ab, t->state[C]), a_bc = merged (t, t->state[A], bc);
  g_autoptr (GBytes) same = merged (t, t->state[A], t->state[EMPTY]);
  g_autoptr (GBytes) other = merged (t, t->state[EMPTY], t->state[A]);
  must_equal (t, ba, ab, "merge depends on the order of two states");
  must_equal (t, a_bc, ab_c, "merge depends on how three states are grouped");
  must_equal (t, same, t->state[A], "merge with the state of no rows changes a state");
  must_equal (t, other, t->state[A], "merge into the state of no rows changes a state");
}

/* -- Damage ---------------------------------------------------------------- */

static void
try_cut (Trial *t, const guint8 *data, gsize len)
{
  g_autoptr (NprofTestRun) run = opened (t);
  if (nprof_test_merge (run, data, len) != NPROF_E_FORMAT)
    found (t, g_strdup_printf ("a state that was cut at byte %zu gives status %d, expected was %d",
                               len, run->status, NPROF_E_FORMAT));
  char *problem = nprof_test_problem (run);
  if (problem)
    found (t, problem);
}

/* Tries a state with one bit flipped: it may be another valid state, but must do no harm. */
static void
try_flipped (Trial *t, guint8 *data, gsize len, gsize at)
{
  g_autoptr (NprofTestRun) run = opened (t);
  data[at] ^= (guint8) (1u << at % 8);
  nprof_test_merge (run, data, len);
  data[at] ^= (guint8) (1u << at % 8);
  g_bytes_unref (nprof_test_save (run));
  char *problem = nprof_test_problem (run);
  if (problem)
    found (t, g_strdup_printf ("a state changed at byte %zu: %s", at, problem));
  g_free (problem);
}

static void
try_damage (Trial *t)
{
  gsize len;
  const guint8 *data = g_bytes_get_data (t->state[A], &len);
  g_autofree guint8 *copy = g_memdup2 (data, len);
  next_step (t, "states that were cut");
  for (gsize i = 0; i < MOST_CUTS && i < len; i++)
    try_cut (t, data, len <= MOST_CUTS ? i : i * len / MOST_CUTS);
  next_step (t, "states that were changed");
  for (gsize i = 0; i < MOST_FLIPS && i < len; i++)
    try_flipped (t, copy, len, len <= MOST_FLIPS ? i : i * len / MOST_FLIPS);
}

char *
nprof_test_try_merge (const NprofTestLife *life, const NprofTestConfig *config, guint *tried)
{
  Trial trial = { .life = life, .config = *config };
  if (life->component->kind != NPROF_ANALYZER || !life->component->save)
    return NULL;
  if (!trial.config.attributes)
    trial.config.attributes = random_rows_attributes ();
  next_step (&trial, "states saved");
  for (guint i = A; i <= EMPTY; i++)
    trial.state[i] = state_of_feed (&trial, i == EMPTY ? 0 : i + 1);
  *tried += 1;
  if (!trial.problem)
    try_algebra (&trial);
  if (!trial.problem)
    try_damage (&trial);
  for (guint i = A; i <= EMPTY; i++)
    g_bytes_unref (trial.state[i]);
  return trial.problem;
}
