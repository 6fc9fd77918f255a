/* SPDX-License-Identifier: Apache-2.0 */
/* trials.c - does to a component what a run may do, one thing after the other, and tells whether
 * the component takes it as the contract asks.  Tests assert on it (check.c), nprof check
 * reports. */

#include <string.h>

#include "test-run.h"

#define MOST_TRIES 200u
#define FULL 64u           /* rows, of which each column takes whole lines of 64 bytes */
#define MOST_GUARDED 1000u /* rows in batches of one: each takes 40 system calls */

static void
next_step (const NprofTestConfig *config, const char *what, guint number)
{
  char text[64];
  const NprofTestWatch *watch = config->watch;
  if (!watch || !watch->step)
    return;
  g_snprintf (text, sizeof text, "%s %u", what, number);
  watch->step (watch->user, text);
}

NprofTestRun *
nprof_test_live (const NprofTestLife *life, const NprofTestConfig *config)
{
  const NprofTestConfig usual = { 0 };
  NprofTestConfig own = config ? *config : usual;
  if (life->component->kind == NPROF_DECODER)
    return nprof_test_decode (life->component, life->options, life->data, life->len, &own);
  if (!own.attributes)
    own.attributes = random_rows_attributes ();
  NprofTestRun *run = nprof_test_open (life->component, life->options, &own);
  if (!life->empty)
    nprof_test_feed (run);
  nprof_test_finish (run);
  return run;
}

char *
nprof_test_problem (const NprofTestRun *run)
{
  if (!run->n_broken)
    return NULL;
  GString *lines = g_string_new (run->broken[0]);
  for (guint i = 1; i < run->n_broken; i++)
    g_string_append_printf (lines, "\n%s", run->broken[i]);
  return g_string_free (lines, FALSE);
}

static const char *
why (const NprofTestRun *run)
{
  return run->failure ? run->failure : run->usage ? run->usage : "no reason was given";
}

/* Returns where two texts part, so that people see it. */
static char *
difference (const char *how, const char *was, const char *is)
{
  gsize line = 0, at = 0;
  for (; was[at] && was[at] == is[at]; at++)
    if (was[at] == '\n')
      line = at + 1;
  return g_strdup_printf ("the result is another %s: \"%.*s\" became \"%.*s\"", how,
                          (int) MIN (strcspn (was + line, "\n"), 200), was + line,
                          (int) MIN (strcspn (is + line, "\n"), 200), is + line);
}

/* Tries whether the result is the usual one.  Of lives that fail only the status counts, because
 * how far they came is free. */
static char *
try_same (const NprofTestLife *life, const NprofTestConfig *config, const char *how,
          const NprofTestRun *usual)
{
  g_autoptr (NprofTestRun) run = nprof_test_live (life, config);
  char *problem = nprof_test_problem (run);
  if (problem)
    return problem;
  if (run->status != usual->status)
    return g_strdup_printf ("it ends with status %d %s, otherwise with %d: %s", run->status, how,
                            usual->status, why (run->status ? run : usual));
  if (run->status)
    return NULL;
  g_autofree char *is = nprof_test_dump (run), *was = nprof_test_dump (usual);
  return strcmp (was, is) == 0 ? NULL : difference (how, was, is);
}

/* Tries to want nothing: attributes may be missing, rows may not. */
static char *
try_nothing_wanted (const NprofTestLife *life, NprofTestConfig config, const NprofTestRun *usual)
{
  static const char *const nothing[] = { NULL };
  config.wanted = nothing;
  g_autoptr (NprofTestRun) run = nprof_test_live (life, &config);
  char *problem = nprof_test_problem (run);
  if (problem || (run->status == usual->status && (run->status || run->n_rows == usual->n_rows)))
    return problem;
  return g_strdup_printf ("when no attribute is wanted, it ends with status %d and %u rows, "
                          "otherwise with %d and %u",
                          run->status, run->n_rows, usual->status, usual->n_rows);
}

/* Brings a batch without room behind its rows, so that each column ends where guarded memory does;
 * it has more rows than other lives, so that its result is another. */
static char *
try_full_batch (const NprofTestLife *life, NprofTestConfig config)
{
  config.rows = config.variant = FULL;
  next_step (&config, "with a full batch of", FULL);
  g_autoptr (NprofTestRun) run = nprof_test_live (life, &config);
  return nprof_test_problem (run);
}

char *
nprof_test_try_variations (const NprofTestLife *life, const NprofTestConfig *config)
{
  static const char *const how[] = { "with batches of one row", "with parts decoded last to first",
                                     "with parts on 4 threads" };
  NprofTestConfig own = *config;
  g_autoptr (NprofTestRun) usual = nprof_test_live (life, &own);
  char *problem = nprof_test_problem (usual);
  if (!problem && own.guarded && life->component->kind != NPROF_DECODER)
    problem = try_full_batch (life, own);
  own.rows = 1;
  own.guarded = own.guarded && usual->n_rows <= MOST_GUARDED;
  for (guint i = 0; !problem && i < (life->component->plan ? 3u : 1u); i++) {
    own.threads = 2 * i;
    next_step (&own, how[i], i);
    problem = try_same (life, &own, how[i], usual);
  }
  if (!problem && life->component->kind == NPROF_DECODER)
    problem = try_nothing_wanted (life, own, usual);
  return problem;
}

/* -- Failures -------------------------------------------------------------- */

typedef struct {
  const char *what; /* with its number behind it */
  nprof_status status;
} Failure;

/* Runs once more with one call failing; `reached`: there is such a call. */
static char *
fail_once (const NprofTestLife *life, const NprofTestConfig *config, const Failure *failure,
           guint number, gboolean *reached)
{
  next_step (config, failure->what, number);
  g_autoptr (NprofTestRun) run = nprof_test_live (life, config);
  NprofTestState *test = run->test;
  *reached = config->nomem_at      ? test->memory_calls >= config->nomem_at
             : config->cancel_at   ? test->stop_calls >= config->cancel_at
             : config->write_limit ? test->written > config->write_limit
             : config->no_room     ? test->written > 0
                                   : test->host->refused == NPROF_E_IO;
  g_autofree char *problem = nprof_test_problem (run);
  if (!problem && *reached && run->status != failure->status)
    problem = g_strdup_printf ("it ended with status %d (%s), expected was %d", run->status,
                               run->status ? why (run) : "done", failure->status);
  return problem ? g_strdup_printf ("%s %u: %s", failure->what, number, problem) : NULL;
}

char *
nprof_test_try_no_memory (const NprofTestLife *life, const NprofTestConfig *config, guint *tried)
{
  const Failure failure = { "no memory at call", NPROF_E_NOMEM };
  NprofTestConfig own = *config;
  gboolean reached = TRUE;
  char *problem = NULL;
  for (guint at = 1; !problem && reached && at <= MOST_TRIES; at++) {
    own.nomem_at = at;
    problem = fail_once (life, &own, &failure, at, &reached);
    *tried += reached;
  }
  return problem;
}

char *
nprof_test_try_cancel (const NprofTestLife *life, const NprofTestConfig *config, guint *tried)
{
  const Failure failure = { "cancelled at flush or progress", NPROF_CANCELLED };
  NprofTestConfig own = *config;
  gboolean reached = TRUE;
  char *problem = NULL;
  for (guint at = 1; !problem && reached && at <= MOST_TRIES; at++) {
    own.cancel_at = at;
    problem = fail_once (life, &own, &failure, at, &reached);
    *tried += reached;
  }
  return problem;
}

char *
nprof_test_try_full_disk (const NprofTestLife *life, const NprofTestConfig *config, guint *tried)
{
  const Failure none = { "no output to open", NPROF_E_IO };
  const Failure failure = { "writing fails after byte", NPROF_E_IO };
  NprofTestConfig own = *config;
  g_autoptr (NprofTestRun) usual = nprof_test_live (life, config);
  guint64 all = usual->test->written;
  gboolean asked = FALSE, wrote = FALSE;
  own.no_output = TRUE;
  char *problem = fail_once (life, &own, &none, 0, &asked);
  *tried += asked;
  own.no_output = FALSE;
  own.no_room = TRUE;
  if (!problem)
    problem = fail_once (life, &own, &failure, 0, &wrote);
  *tried += wrote;
  own.no_room = FALSE;
  for (guint i = 0; !problem && all > 1 && i < 8; i++) {
    gboolean reached = FALSE;
    own.write_limit = 1 + (all - 2) * i / 7; /* the first byte is written, the last is not */
    problem = fail_once (life, &own, &failure, (guint) own.write_limit, &reached);
    *tried += reached;
  }
  return problem;
}
