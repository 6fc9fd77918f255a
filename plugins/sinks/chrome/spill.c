/* SPDX-License-Identifier: Apache-2.0 */
/* spill.c - bytes that wait in $TMPDIR. */
#include "spill.h"

#include <errno.h>
#include <unistd.h>

void
spill_init (Spill *spill)
{
  *spill = (Spill){ .fd = -1 };
}

void
spill_clear (Spill *spill)
{
  if (spill->fd >= 0)
    close (spill->fd);
  spill->fd = -1;
}

static void
open_unnamed (Spill *spill)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "nprof-XXXXXX", NULL);
  spill->fd = g_mkstemp (path);
  if (spill->fd < 0)
    spill->failed = errno;
  else
    unlink (path);
}

void
spill_append (Spill *spill, const void *data, gsize len)
{
  const char *at = data;
  if (spill->fd < 0 && !spill->failed)
    open_unnamed (spill);
  while (len && !spill->failed) {
    ssize_t n = write (spill->fd, at, len);
    if (n < 0 && errno != EINTR)
      spill->failed = errno;
    at += MAX (n, 0);
    len -= (gsize) MAX (n, 0);
    spill->size += (guint64) MAX (n, 0);
  }
}

gsize
spill_read (Spill *spill, guint64 at, void *data, gsize len)
{
  gsize done = 0;
  while (done < len && spill->fd >= 0 && !spill->failed) {
    ssize_t n = pread (spill->fd, (char *) data + done, len - done, (off_t) (at + done));
    if (n == 0)
      break;
    if (n < 0 && errno != EINTR)
      spill->failed = errno;
    done += (gsize) MAX (n, 0);
  }
  return spill->failed ? 0 : done;
}
