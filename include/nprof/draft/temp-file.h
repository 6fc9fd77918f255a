/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/temp-file.h - bytes that wait on disk because memory should not hold them.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_TEMP_FILE_H
#define NPROF_DRAFT_TEMP_FILE_H

#include <nprof/plugin.h>

#define NPROF_TEMP_FILE "draft.temp-file"

/* A file without a name that is gone with the run.  [any-thread], one at a time per file */
struct nprof_temp {
  uint32_t size, reserved;
  const char *folder;           /* where it lies, for what a failure tells            */
  /* All of it at byte `at`.  0, or an errno: ENOSPC; EIO where the file ends before.  */
  int (*write) (struct nprof_temp *temp, uint64_t at, const void *data, size_t len);
  int (*read) (struct nprof_temp *temp, uint64_t at, void *data, size_t len);
  void (*clear) (struct nprof_temp *temp); /* its content goes, the room is given back */
  void (*close) (struct nprof_temp *temp); /* the component's, once                    */
};

struct nprof_temp_files {
  uint32_t size, reserved;
  /* A temporary file in $TMPDIR, empty; it is made with the first write.  NULL when out of
   * memory.  [any-thread] */
  struct nprof_temp *(*make) (const struct nprof_host *host);
};

/* Returns a file that `make` makes; NULL: no memory, or a host without them. */
static inline struct nprof_temp *
nprof_temp_file (const struct nprof_host *host)
{
  const struct nprof_temp_files *files
      = (const struct nprof_temp_files *) host->extension (host, NPROF_TEMP_FILE);
  return files ? files->make (host) : NULL;
}

#endif
