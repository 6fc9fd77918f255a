/* SPDX-License-Identifier: Apache-2.0 */
/* id.c - the name of a profile, from the digests of its inputs. */
#include "profile/id.h"

#include <glib.h>
#include <nprof/draft/digest.h>

nprof_status
profile_id (const struct nprof_host *host, char id[PROFILE_ID_SIZE])
{
  guint n = host->run (host)->n_inputs;
  char hex[41];
  const struct nprof_digest *digest = host->extension (host, NPROF_DIGEST);
  if (!digest)
    return nprof_fail (host, NPROF_E_UNSUPPORTED, "this nprof is older than the plugin");
  g_autoptr (GChecksum) all = g_checksum_new (G_CHECKSUM_SHA1);
  for (guint k = 0; k < n; k++) {
    nprof_status status = digest->of (host, k, hex);
    if (status)
      return status;
    g_checksum_update (all, (const guchar *) hex, 40);
  }
  g_snprintf (id, PROFILE_ID_SIZE, "n_%s", n == 1 ? hex : g_checksum_get_string (all));
  return NPROF_OK;
}
