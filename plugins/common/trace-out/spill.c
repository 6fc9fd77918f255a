/* SPDX-License-Identifier: Apache-2.0 */
/* spill.c - writes and reads bytes that wait in $TMPDIR. */
#include "spill.h"

#include "system/room.h"

#include <errno.h>

void
spill_init (Spill *spill, const struct nprof_host *host)
{
  *spill = (Spill){ .temp = nprof_temp_file (host) };
  spill->failed = spill->temp ? 0 : ENOMEM;
}

void
spill_clear (Spill *spill)
{
  if (spill->temp)
    spill->temp->close (spill->temp);
  spill->temp = NULL;
}

void
spill_append (Spill *spill, const void *data, gsize len)
{
  if (spill->failed)
    return;
  spill->failed = spill->temp->write (spill->temp, spill->size, data, len);
  spill->size += len;
}

gsize
spill_read (Spill *spill, guint64 at, void *data, gsize len)
{
  len = MIN (len, spill->size - MIN (at, spill->size));
  if (spill->failed)
    return 0;
  spill->failed = spill->temp->read (spill->temp, at, data, len);
  return spill->failed ? 0 : len;
}

nprof_status
spill_fail (const Spill *spill, const struct nprof_host *host)
{
  if (spill->failed == ENOMEM)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for what waits to be written");
  return nprof_fail (host, np_temp_status (spill->failed),
                     "%s: %s: the trace needs room there while it is written; set TMPDIR to a "
                     "folder with more",
                     spill->temp ? spill->temp->folder : "TMPDIR", g_strerror (spill->failed));
}
