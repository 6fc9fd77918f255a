/* SPDX-License-Identifier: Apache-2.0 */
/* lives.c - whole lives of a component under all that a run may do to it, by the trials of
 * the test host. */

#include "check.h"

#define BATCH_ROWS 256u

NprofTestConfig
np_check_config (NpCheck *check)
{
  return (NprofTestConfig){ .rows = BATCH_ROWS, .guarded = TRUE, .watch = &check->watch };
}

NprofTestLife
np_check_life (NpCheck *check)
{
  return (NprofTestLife){ .component = check->component,
                          .options = check->options,
                          .data = check->sample,
                          .len = check->n_sample };
}

/* Runs one life, which may fail but must break no rule. */
static void
live (NpCheck *check, const NprofTestLife *life, const NprofTestConfig *config)
{
  g_autoptr (NprofTestRun) run = nprof_test_live (life, config);
  np_check_take (check, nprof_test_problem (run));
}

gboolean
np_check_has_sample (NpCheck *check)
{
  if (check->component->kind != NPROF_DECODER)
    return TRUE;
  if (!check->sample) {
    np_check_untried (check, "there is nothing to decode: --input FILE gives it a small file");
    return FALSE;
  }
  if (nprof_test_probe (check->component, check->sample, check->n_sample, check->sample_path) > 0)
    return TRUE;
  np_check_untried (check, "its probe does not take the file of --input");
  return FALSE;
}

void
np_check_empty (NpCheck *check)
{
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check);
  life.empty = TRUE;
  life.len = 0;
  live (check, &life, &config);
  config.keep_going = TRUE;
  live (check, &life, &config);
}

/* A sink that writes no file writes to something that may not be there. */
static gboolean
needs_server (const struct nprof_component *component)
{
  return component->kind == NPROF_SINK && !component->flags;
}

static const char *
why (const NprofTestRun *run)
{
  return run->failure ? run->failure : run->usage ? run->usage : "no reason was given";
}

void
np_check_variations (NpCheck *check)
{
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check);
  if (!np_check_has_sample (check))
    return;
  np_check_take (check, nprof_test_try_variations (&life, &config));
  g_autoptr (NprofTestRun) run = nprof_test_live (&life, &config);
  if (run->status && check->component->kind == NPROF_DECODER)
    np_check_found (check, "it fails on the file of --input with status %d: %s", run->status,
                    why (run));
  else if (run->status == NPROF_E_IO && needs_server (check->component)) {
    g_autofree char *text
        = g_strdup_printf ("it needs a server that is not here: --with 'COMMAND' starts one: %s",
                           why (run));
    np_check_untried (check, text);
  }
  else if (run->status == NPROF_E_OPTION && check->component->kind == NPROF_SINK) {
    g_autofree char *text
        = g_strdup_printf ("it refuses the rows and tables of the check: %s", why (run));
    np_check_untried (check, text);
  }
  else if (run->status)
    np_check_found (check, "it fails on rows and tables of all sorts with status %d: %s",
                    run->status, why (run));
}

static void
fail_calls (NpCheck *check, guint rows,
            char *(*try) (const NprofTestLife *, const NprofTestConfig *, guint *),
            const char *none)
{
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check);
  guint tried = 0;
  if (!np_check_has_sample (check))
    return;
  config.rows = rows;
  config.guarded = FALSE; /* hundreds of lives, and other rules watch the memory */
  np_check_take (check, try (&life, &config, &tried));
  if (!tried)
    np_check_untried (check, none);
}

void
np_check_merge (NpCheck *check)
{
  fail_calls (check, BATCH_ROWS, nprof_test_try_merge, "it has no save and merge");
}

void
np_check_no_memory (NpCheck *check)
{
  fail_calls (check, 1, nprof_test_try_no_memory, "it makes no call that could fail so");
}

void
np_check_cancel (NpCheck *check)
{
  fail_calls (check, 1, nprof_test_try_cancel, "it calls neither flush nor progress");
}

void
np_check_full_disk (NpCheck *check)
{
  fail_calls (check, BATCH_ROWS, nprof_test_try_full_disk, "it writes no files");
}

void
np_check_lives (NpCheck *check, gboolean guarded)
{
  static const guint8 junk[64] = { 0x0a, 0xff, '{', '[', '"' };
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check), empty = life;
  config.guarded = guarded;
  empty.empty = TRUE;
  empty.data = junk;
  empty.len = sizeof junk;
  for (guint i = 0; check->usual && i < NP_CHECK_LIVES; i++)
    nprof_test_run_free (nprof_test_live (&life, &config));
  if (check->usual)
    return;
  nprof_test_run_free (nprof_test_live (&empty, &config));
  nprof_test_run_free (nprof_test_live (&life, &config));
  config.cancel_at = 1;
  nprof_test_run_free (nprof_test_live (&life, &config));
  config.cancel_at = 0;
  config.write_limit = 1;
  nprof_test_run_free (nprof_test_live (&life, &config));
  config.write_limit = 0;
  for (config.nomem_at = 1; config.nomem_at <= 3; config.nomem_at++)
    nprof_test_run_free (nprof_test_live (&life, &config));
}
