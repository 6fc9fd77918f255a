/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - what fuzz targets of decoders that can read a file in two ways share: any bytes break
 * no rule of the contract, and both ways give the same rows.  The first byte says how. */
#pragma once

#include "testhost.h"

#include <string.h>

/* libFuzzer keeps the input of what aborts; g_error traps, and the input would be lost. */
#define fuzz_fail(...) (g_printerr (__VA_ARGS__), abort ())

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static inline NprofTestConfig
fuzz_config (uint8_t how)
{
  static const char *const none[] = { NULL };
  /* small batches: a sanitizer's allocator clears them whole, for each input anew */
  return (NprofTestConfig){
    .keep_going = how & 1, .wanted = how & 2 ? none : NULL, .log_level = -1, .rows = 64,
    .hostile = TRUE
  };
}

static inline char *
fuzz_dump (const char *options, const uint8_t *data, size_t size, const NprofTestConfig *config)
{
  const struct nprof_component *decoder = nprof_plugin_v1 ()->components[0];
  g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, options, data, size, config);
  if (run->n_broken)
    fuzz_fail ("%s\n", run->broken[0]);
  return nprof_test_dump (run);
}

/* Decodes what follows the first byte with both options; `threads` is for the second. */
static inline void
fuzz_both (const char *options, const char *others, guint threads, const uint8_t *data, size_t size)
{
  NprofTestConfig config = fuzz_config (data[0]);
  g_autofree char *one = fuzz_dump (options, data + 1, size - 1, &config);
  config.threads = threads;
  g_autofree char *other = fuzz_dump (others, data + 1, size - 1, &config);
  /* The parts that were read before a failure depend on the threads; nothing of them is written. */
  gboolean failed = !g_str_has_prefix (one, "status 0,");
  size_t len = failed && threads ? strcspn (one, "\n") + 1 : MAX (strlen (one), strlen (other));
  if (strncmp (one, other, len) != 0)
    fuzz_fail ("%s gives other rows:\n%s\nthan\n%s\n", others, other, one);
  nprof_test_probe (nprof_plugin_v1 ()->components[0], data + 1, size - 1, "x");
}
