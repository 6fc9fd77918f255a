/* SPDX-License-Identifier: Apache-2.0 */
/* out.c - writes sequentially with checksums of pages. */
#include "out.h"

#include "system/room.h"

#include <errno.h>
#include <fcntl.h>
#include <nprof/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER (16 * (size_t) NPROF_STORE_PAGE)

static bool
begin (struct store_out *out, const char *name, bool paged, struct store_fault *fault)
{
  *out = (struct store_out){ .fd = out->fd, .paged = paged };
  out->name = strdup (name);
  out->buffer = malloc (BUFFER);
  if (!out->name || !out->buffer)
    return store_fail (fault, NPROF_E_NOMEM, "%s: no memory to write it", name);
  return true;
}

bool
store_out_open (struct store_out *out, int folder, const char *name, bool paged,
                struct store_fault *fault)
{
  out->fd = openat (folder, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out->fd < 0)
    return store_fail_errno (fault, name);
  return begin (out, name, paged, fault);
}

bool
store_out_temp (struct store_out *out, struct store_fault *fault)
{
  const char *folder = getenv ("TMPDIR");
  folder = folder && *folder ? folder : "/tmp";
  out->fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (out->fd < 0) {
    char name[4096];
    snprintf (name, sizeof name, "%s/nprof-XXXXXX", folder);
    out->fd = mkostemp (name, O_CLOEXEC);
    if (out->fd < 0)
      return store_fail (fault, np_temp_status (errno), "%s: %s: set TMPDIR to a folder with room",
                         folder, strerror (errno));
    unlink (name);
  }
  return begin (out, folder, false, fault);
}

static bool
write_all (const struct store_out *out, size_t len, struct store_fault *fault)
{
  for (size_t done = 0; done < len;) {
    ssize_t n = write (out->fd, out->buffer + done, len - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return store_fail_errno (fault, out->name);
    done += (size_t) n;
  }
  return true;
}

static bool
sum_up (struct store_out *out, size_t len, struct store_fault *fault)
{
  size_t pages = (len + NPROF_STORE_PAGE - 1) / NPROF_STORE_PAGE;
  if (!store_room (fault, &out->sums, &out->max_sums, out->n_sums + pages, sizeof *out->sums))
    return false;
  for (size_t at = 0; at < len; at += NPROF_STORE_PAGE)
    out->sums[out->n_sums++]
        = (uint32_t) nprof_store_hash (out->buffer + at,
                                       len - at < NPROF_STORE_PAGE ? len - at : NPROF_STORE_PAGE);
  return true;
}

/* Writes only whole pages before the end, so that each is summed up once. */
static bool
drain (struct store_out *out, size_t len, struct store_fault *fault)
{
  if (!write_all (out, len, fault) || (out->paged && !sum_up (out, len, fault)))
    return false;
  memmove (out->buffer, out->buffer + len, out->n - len);
  out->n -= len;
  return true;
}

bool
store_out_put (struct store_out *out, const void *data, size_t len, struct store_fault *fault)
{
  const uint8_t *p = data;
  out->at += len;
  while (len) {
    size_t k = BUFFER - out->n < len ? BUFFER - out->n : len;
    memcpy (out->buffer + out->n, p, k);
    out->n += k;
    p += k;
    len -= k;
    if (out->n == BUFFER && !drain (out, BUFFER, fault))
      return false;
  }
  return true;
}

bool
store_out_flush (struct store_out *out, struct store_fault *fault)
{
  return drain (out, out->paged ? out->n - out->n % NPROF_STORE_PAGE : out->n, fault);
}

bool
store_out_read (struct store_out *out, uint64_t at, void *data, size_t len,
                struct store_fault *fault)
{
  uint64_t written = out->at - out->n;
  uint8_t *to = data;
  if (at + len > written && !store_out_flush (out, fault))
    return false;
  written = out->at - out->n;
  while (len) {
    if (at >= written) { /* what a paged file keeps in memory */
      memcpy (to, out->buffer + (at - written), len);
      return true;
    }
    size_t k = written - at < len ? (size_t) (written - at) : len;
    ssize_t n = pread (out->fd, to, k, (off_t) at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      errno = n ? errno : EIO;
      return store_fail_errno (fault, out->name);
    }
    at += (uint64_t) n;
    to += n;
    len -= (size_t) n;
  }
  return true;
}

bool
store_out_end (struct store_out *out, bool sync, struct store_fault *fault)
{
  if (out->n && !drain (out, out->n, fault))
    return false;
  if (sync && fdatasync (out->fd))
    return store_fail_errno (fault, out->name);
  return true;
}

void
store_out_clear (struct store_out *out)
{
  if (out->fd >= 0)
    close (out->fd);
  free (out->name);
  free (out->buffer);
  free (out->sums);
  *out = (struct store_out){ .fd = -1 };
}
