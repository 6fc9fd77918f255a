/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.c - lives of a component in each of which one of its own allocations fails. */

#include <string.h>

#include "check.h"
#include "memory.h"

#define MOST_TRIES 150u

static NprofTestRun *
live (const NprofTestLife *life, const NprofTestConfig *config, guint fail_at)
{
  np_memory_begin (fail_at);
  NprofTestRun *run = nprof_test_live (life, config);
  np_memory_begin (0);
  return run;
}

/* The component may do without that memory, but then nothing may be missing. */
static char *
problem_of (const NprofTestRun *run, const NprofTestRun *usual)
{
  char *broken = nprof_test_problem (run);
  if (broken || run->status == NPROF_E_NOMEM)
    return broken;
  if (run->status != usual->status)
    return g_strdup_printf ("it ended with status %d (%s), expected was %d", run->status,
                            run->failure ? run->failure : "no reason was given", NPROF_E_NOMEM);
  g_autofree char *is = nprof_test_dump (run), *was = nprof_test_dump (usual);
  return run->status || strcmp (is, was) == 0
             ? NULL
             : g_strdup_printf ("it ended well, but with another result: return %d", NPROF_E_NOMEM);
}

static gboolean
fail_one (NpCheck *check, const NprofTestConfig *config, const NprofTestRun *usual, guint at)
{
  NprofTestLife life = np_check_life (check);
  np_check_step (check, "no memory for its allocation %u", at);
  g_autoptr (NprofTestRun) run = live (&life, config, at);
  g_autofree char *problem = problem_of (run, usual);
  if (problem)
    np_check_found (check, "no memory for its allocation %u: %s", at, problem);
  return !problem;
}

/* Fails some of many allocations, from the first to the last. */
static void
fail_each (NpCheck *check, const NprofTestConfig *config)
{
  NprofTestLife life = np_check_life (check);
  np_memory_begin (0);
  g_autoptr (NprofTestRun) usual = nprof_test_live (&life, config);
  guint n = np_memory_calls (), tries = MIN (n, MOST_TRIES);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < tries; i++)
    ok = fail_one (check, config, usual, 1 + (guint) ((guint64) i * (n - 1) / MAX (tries - 1, 1)));
  if (n == 0)
    np_check_untried (check, "it allocates nothing by itself");
}

/* Rust's own allocations end the process, as GLib's do; a plugin in Rust is known by the compiler's
 * sources in its messages. */
static gboolean
is_rust (const NpCheck *check)
{
  g_autofree char *file = NULL;
  gsize len;
  return g_file_get_contents (check->path, &file, &len, NULL) && memmem (file, len, "/rustc/", 7);
}

void
np_check_allocation (NpCheck *check)
{
  NprofTestConfig config = np_check_config (check);
  config.guarded = FALSE; /* hundreds of lives, and other rules watch the memory */
  if (!np_check_has_sample (check))
    return;
  if (is_rust (check))
    np_check_untried (check, "it is written in Rust, which ends the process without memory");
  else if (np_memory_take (check->path) == 0)
    np_check_untried (check, "it calls neither malloc nor its kin by itself");
  else
    fail_each (check, &config);
}
