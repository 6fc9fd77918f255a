/* SPDX-License-Identifier: Apache-2.0 */
/* spill.h - bytes that wait in $TMPDIR until the end of a run, since they may be more than memory
 * should hold. */
#pragma once

#include <glib.h>
#include <nprof/draft/temp-file.h>
#include <nprof/sdk.h>

typedef struct spill {
  struct nprof_temp *temp;
  guint64 size;
  int failed;   /* errno of the first failure; what follows does nothing */
} Spill;

void spill_init (Spill *spill, const struct nprof_host *host);
void spill_clear (Spill *spill);
void spill_append (Spill *spill, const void *data, gsize len);
/* Says that the disk failed for bytes that wait there. */
nprof_status spill_fail (const Spill *spill, const struct nprof_host *host);
/* Returns how many bytes there were: `len`, or less at the end; 0 also when it fails. */
gsize spill_read (Spill *spill, guint64 at, void *data, gsize len);
