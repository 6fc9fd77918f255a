/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c - what tells one input from another: SHA-1 over its size and both its ends. */

#include "input/digest.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
finish (GChecksum *sum, char *hex)
{
  g_strlcpy (hex, g_checksum_get_string (sum), NP_DIGEST_HEX + 1);
  g_checksum_free (sum);
}

static GChecksum *
start (guint64 len)
{
  char size[24];
  GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA1);
  g_snprintf (size, sizeof size, "%" G_GUINT64_FORMAT, len);
  g_checksum_update (sum, (const guchar *) size, -1);
  return sum;
}

void
np_digest_memory (const void *data, guint64 len, char *hex)
{
  GChecksum *sum = start (len);
  gsize n = (gsize) MIN (len, NP_DIGEST_BYTES);
  g_checksum_update (sum, data, (gssize) n);
  g_checksum_update (sum, (const guchar *) data + (len - n), (gssize) n);
  finish (sum, hex);
}

/* FALSE with errno; a file that became shorter meanwhile gives EIO. */
static gboolean
add_range (GChecksum *sum, int fd, guint64 from, gsize len)
{
  guchar buffer[32768];
  while (len) {
    ssize_t n = pread (fd, buffer, MIN (len, sizeof buffer), (off_t) from);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      errno = n ? errno : EIO;
      return FALSE;
    }
    g_checksum_update (sum, buffer, n);
    from += (guint64) n;
    len -= (gsize) n;
  }
  return TRUE;
}

gboolean
np_digest_file (const char *path, char *hex, GError **error)
{
  struct stat st;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || fstat (fd, &st)) {
    np_error_errno (error, NP_EXIT_INPUT, path, errno);
    if (fd >= 0)
      close (fd);
    return FALSE;
  }
  guint64 len = (guint64) st.st_size;
  gsize n = (gsize) MIN (len, NP_DIGEST_BYTES);
  GChecksum *sum = start (len);
  gboolean ok = add_range (sum, fd, 0, n) && add_range (sum, fd, len - n, n);
  if (!ok)
    np_error_errno (error, NP_EXIT_INPUT, path, errno);
  close (fd);
  finish (sum, hex);
  return ok;
}
