/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - names the engines of a core and the queues of DMA, alike for an NTFF and for what the
 * vendor's tools write. */
#include "ntff.h"

#define SORT_QUEUE 100 /* behind the engines */

const char *const ntff_engine_key[NTFF_ENGINES] = { "PE", "ACT", "POOL", "DVE", "SP" };
const char *const ntff_engine_name[NTFF_ENGINES]
    = { "tensor", "scalar", "gpsimd", "vector", "sync" };

nprof_track
ntff_dma_track (const struct nprof_host *host, nprof_track core, int64_t engine, int64_t queue,
                const char *own, nprof_str *name)
{
  char key[64], other[40];
  g_snprintf (key, sizeof key, "DMA %" G_GINT64_FORMAT " queue %" G_GINT64_FORMAT, engine, queue);
  g_snprintf (other, sizeof other, "queue %" G_GINT64_FORMAT, queue);
  g_autofree char *label = *own ? g_strconcat (key, " ", own, NULL) : NULL;
  *name = nprof_intern (host, *own ? own : other);
  return host->track (host, core, NPROF_TRACK_QUEUE, nprof_intern (host, key),
                      label ? nprof_intern (host, label) : 0,
                      SORT_QUEUE + CLAMP (engine, 0, 1 << 20) * 16 + CLAMP (queue, 0, 15));
}
