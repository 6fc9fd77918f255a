/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what tests assert of whole runs, and the torture of decoders. */

#include "world.h"

#include <string.h>

#define MOST_TRIES 200u

static void
print_broken (const NpTestRun *run)
{
  for (guint i = 0; i < run->n_broken; i++)
    g_printerr ("# rule broken: %s\n", run->broken[i]);
}

void
np_test_check (const NpTestRun *run, nprof_status status, const char *part, const char *where)
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

/* The same result; of runs that fail only the status, because how far they came is free. */
static void
must_equal (const struct nprof_component *decoder, const char *options, const void *data,
            size_t len, NpTestConfig config, const NpTestRun *expected)
{
  g_autoptr (NpTestRun) run = np_test_decode (decoder, options, data, len, &config);
  print_broken (run);
  g_assert_cmpuint (run->n_broken, ==, 0);
  g_assert_cmpint (run->status, ==, expected->status);
  if (run->status)
    return;
  g_autofree char *dump = np_test_dump (run), *expected_dump = np_test_dump (expected);
  g_assert_cmpstr (dump, ==, expected_dump);
}

/* Once more with this call failing; FALSE when there is no such call. */
static gboolean
fail_once (const struct nprof_component *decoder, const char *options, const void *data, size_t len,
           NpTestConfig config, nprof_status status)
{
  g_autoptr (NpTestRun) run = np_test_decode (decoder, options, data, len, &config);
  print_broken (run);
  g_assert_cmpuint (run->n_broken, ==, 0);
  NpTestWorld *world = run->world;
  gboolean reached = config.nomem_at ? world->memory_calls >= config.nomem_at
                                     : world->stop_calls >= config.cancel_at;
  if (reached)
    g_assert_cmpint (run->status, ==, status);
  return reached;
}

/* Batches of one row, parts backwards, parts on threads, nothing wanted. */
static nprof_status
vary (const struct nprof_component *decoder, const char *options, const void *data, size_t len,
      gboolean keep_going)
{
  static const char *const nothing[] = { NULL };
  NpTestConfig config = { .keep_going = keep_going };
  g_autoptr (NpTestRun) run = np_test_decode (decoder, options, data, len, &config);
  print_broken (run);
  g_assert_cmpuint (run->n_broken, ==, 0);
  config.rows = 1;
  for (config.threads = 0; config.threads <= 4; config.threads += 2)
    must_equal (decoder, options, data, len, config, run);

  config.wanted = nothing;
  g_autoptr (NpTestRun) bare = np_test_decode (decoder, options, data, len, &config);
  print_broken (bare);
  g_assert_cmpuint (bare->n_broken, ==, 0);
  g_assert_cmpint (bare->status, ==, run->status);
  if (!run->status)
    g_assert_cmpuint (bare->n_rows, ==, run->n_rows);
  return run->status;
}

void
np_test_torture (const struct nprof_component *decoder, const char *options, const void *data,
                 size_t len)
{
  NpTestConfig config = { .rows = 1 };
  if (vary (decoder, options, data, len, FALSE)) {
    config.keep_going = TRUE;
    if (vary (decoder, options, data, len, TRUE))
      return; /* what comes first, this failure or another, would be open */
  }
  for (config.nomem_at = 1; config.nomem_at <= MOST_TRIES; config.nomem_at++)
    if (!fail_once (decoder, options, data, len, config, NPROF_E_NOMEM))
      break;
  config.nomem_at = 0;
  for (config.cancel_at = 1; config.cancel_at <= MOST_TRIES; config.cancel_at++)
    if (!fail_once (decoder, options, data, len, config, NPROF_CANCELLED))
      break;
}
