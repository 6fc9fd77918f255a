/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/sibling-head.h - reads the beginning of a file beside the input, and says which
 * lie in other folders.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_SIBLING_HEAD_H
#define NPROF_DRAFT_SIBLING_HEAD_H

#include <nprof/plugin.h>

/* Decoders: the beginning of a file beside the input, for those that must know whether it is the
 * one they look for before they open it: host->sibling makes a file an input of the run. */
#define NPROF_SIBLING_HEAD "draft.sibling-head"
struct nprof_sibling_head {
  uint32_t size, reserved;
  /* Copies up to `len` first bytes of the sibling of that name, as host->siblings gives it, as they
   * lie in the file. Returns how many; 0 where it cannot be read, or is no file. [instance] */
  size_t (*read) (const struct nprof_host *host, const char *name, void *bytes, size_t len);
  /* Calls fn with the name of each file of a folder, FOLDER/NAME, in byte order, as host->siblings
   * does with those beside the input; FOLDER is from there, ".." the one above, or absolute. One
   * that is not there has no files. read and host->sibling take such names as well. [instance] */
  nprof_status (*within) (const struct nprof_host *host, const char *folder,
                          int (*fn) (void *user, const char *name), void *user);
  /* Writes what nprof_digest says of an input of the run, of the sibling of that name: 40 digits
   * and a NUL. Returns 1; 0 where it cannot be read. [instance] */
  int (*digest) (const struct nprof_host *host, const char *name, char hex[41]);
};

#endif
