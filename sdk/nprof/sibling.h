/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/sibling.h - the beginning of a file beside the input, for decoders that have to know whether it
 * is the one they look for before they open it: host->sibling makes a file an input of the run. */
#ifndef NPROF_SIBLING_H
#define NPROF_SIBLING_H

#include <nprof/plugin.h>

/* host->extension (host, NPROF_SIBLING_HEAD) is an nprof_sibling_head, or NULL where the host has none. */
#define NPROF_SIBLING_HEAD "nprof.sibling-head"

/* Copies up to `len` first bytes of the sibling of that name, as host->siblings gives it, as they lie in
 * the file.  Returns how many; 0 where it cannot be read, or is no file.  [instance] */
typedef size_t (*nprof_sibling_head) (const struct nprof_host *host, const char *name, void *bytes,
                                      size_t len);

#endif
