/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/digest.h - what tells an input from others.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_DIGEST_H
#define NPROF_DRAFT_DIGEST_H

#include <nprof/plugin.h>

#define NPROF_DIGEST "draft.digest"
struct nprof_digest {
  uint32_t size, reserved;
  /* S, from open and not later: 40 hex digits and a NUL that tell this input from others:
   * SHA-1 over its size in decimal digits, its first and its last MiB.  Of a file as it lies
   * there, compressed or not; of a pipe, what came through it, inflated.  [instance] */
  nprof_status (*of) (const struct nprof_host *host, uint32_t number, char hex[41]);
};

#endif
