/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/input-file.h - tells where an input lies.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_INPUT_FILE_H
#define NPROF_DRAFT_INPUT_FILE_H

#include <nprof/plugin.h>

/* Sinks and decoders: the file that an input is read from: its real path, valid for the run, or
 * NULL for what has none (stdin, a pipe). A decoder whose input is one file of several that belong
 * together finds the others by it. */
#define NPROF_INPUT_FILE "draft.input-file"
struct nprof_input_file {
  uint32_t size, reserved;
  const char *(*path) (const struct nprof_host *host, uint32_t input); /* [any-thread] */
  /* D, before the first row: how long the file was that the rows were first read from, for table
   * `inputs`. [instance] */
  nprof_status (*stated) (const struct nprof_host *host, uint64_t bytes);
  /* D: as host->skip, n times, `at` being the first.  [instance] */
  void (*skipped) (const struct nprof_host *host, const char *what, uint64_t n, uint64_t at,
                   const char *reason);
};

#endif
