/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the assertions of tests on whole runs, and the torture of decoders. */

#include "test-run.h"

#include <string.h>

static void
print_broken (const NprofTestRun *run)
{
  for (guint i = 0; i < run->n_broken; i++)
    g_printerr ("# rule broken: %s\n", run->broken[i]);
}

void
nprof_test_check (const NprofTestRun *run, nprof_status status, const char *part, const char *where)
{
  const char *why = run->failure ? run->failure : run->usage ? run->usage : "";
  print_broken (run);
  if (run->n_broken)
    g_error ("%s: %u rules of the contract were broken: %s", where, run->n_broken, run->broken[0]);
  if (run->status != status)
    g_error ("%s: status %d, expected %d: %s", where, run->status, status, why);
  if (part && !strstr (why, part))
    g_error ("%s: it failed with \"%s\", expected was \"%s\"", where, why, part);
}

static void
must_be_fine (char *problem)
{
  if (problem)
    g_error ("%s", problem);
}

void
nprof_test_torture (const struct nprof_component *decoder, const char *options, const void *data,
                    size_t len)
{
  const NprofTestLife life = { .component = decoder, .options = options, .data = data, .len = len };
  NprofTestConfig config = { 0 };
  guint tried = 0;
  for (;;) {
    g_autoptr (NprofTestRun) run = nprof_test_live (&life, &config);
    must_be_fine (nprof_test_try_variations (&life, &config));
    if (!run->status)
      break;
    if (config.keep_going)
      return; /* what comes first, this failure or another, would be open */
    config.keep_going = TRUE;
  }
  config.rows = 1;
  must_be_fine (nprof_test_try_no_memory (&life, &config, &tried));
  must_be_fine (nprof_test_try_cancel (&life, &config, &tried));
}
