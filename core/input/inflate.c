/* SPDX-License-Identifier: Apache-2.0 */
/* inflate.c - reads a file descriptor and inflates what it holds through a fixed buffer;
 * where the bytes go is input.c's. */

#include "input/inflate.h"

#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef NP_HAVE_ZSTD
#include "system/late-zstd.h"
#endif
#ifdef NP_HAVE_ARCHIVE
#include "input/zip.h"
#endif

#define RAW_BYTES (64u << 10)
#define SILENT_MS 5000
#define POLL_MS 100 /* how long an interrupt may wait for a silent pipe */

struct NpInflate {
  int fd;
  char *path;
  const atomic_int *interrupt;
  NpCompression kind;
  gsize at, have; /* raw[at..have] is still to be worked through */
  guint64 taken;  /* bytes read from fd */
  gboolean eof;
  gboolean is_file; /* which always has its next byte, but for some of the system's (/proc/kmsg) */
  gboolean inside;  /* in the middle of a member or frame */
  gboolean cut;     /* it has ended there */
  z_stream z;
#ifdef NP_HAVE_ZSTD
  ZSTD_DCtx *zstd;
#endif
#ifdef NP_HAVE_ARCHIVE
  NpZip *zip;
#endif
  guint8 raw[RAW_BYTES]; /* the last member, not cleared: a small file touches few of its pages */
};

NpCompression
np_inflate_kind (const NpInflate *in)
{
  return in->kind;
}

guint64
np_inflate_taken (const NpInflate *in)
{
  return in->taken - (in->have - in->at);
}

static const char *
shown (const NpInflate *in)
{
  return strcmp (in->path, "-") ? in->path : "stdin";
}

static gboolean
interrupted (const NpInflate *in, GError **error)
{
  int why = in->interrupt ? atomic_load (in->interrupt) : 0;
  if (!why)
    return FALSE;
  np_error_set (error, why, "%s: interrupted while it was read", shown (in));
  return TRUE;
}

/* Waits until there is something to read, and looks at the interrupt meanwhile. */
static gboolean
wait_readable (NpInflate *in, GError **error)
{
  struct pollfd p = { .fd = in->fd, .events = POLLIN };
  for (guint silent = 0; !interrupted (in, error); silent++) {
    int n = in->interrupt || in->is_file ? poll (&p, 1, POLL_MS) : 1;
    if (n > 0 || (n < 0 && errno != EINTR))
      return TRUE;
    if (in->is_file && silent * POLL_MS > SILENT_MS)
      return np_error_set (error, NP_EXIT_INPUT,
                           "%s: byte %" G_GUINT64_FORMAT
                           ": gives no more bytes and does not end, as a file does: save it first",
                           shown (in), in->taken);
  }
  return FALSE;
}

/* Reads until raw holds at least one byte, unless the file has ended. */
static gboolean
fill (NpInflate *in, GError **error)
{
  if (in->at < in->have || in->eof)
    return TRUE;
  ssize_t n;
  do {
    if (!wait_readable (in, error))
      return FALSE;
    n = read (in->fd, in->raw, sizeof in->raw);
  } while (n < 0 && (errno == EINTR || errno == EAGAIN));
  if (n < 0)
    return np_error_set (error, NP_EXIT_INPUT,
                         "%s: byte %" G_GUINT64_FORMAT
                         ": cannot be read: %s: check the disk or the connection it comes from",
                         shown (in), in->taken, g_strerror (errno));
  in->eof = n == 0;
  in->at = 0;
  in->have = (gsize) n;
  in->taken += (guint64) n;
  return TRUE;
}

gboolean
np_inflate_is_cut (const NpInflate *in)
{
  return in->cut;
}

static gssize
damaged (const NpInflate *in, const char *format, const char *why, GError **error)
{
  np_error_set (error, NP_EXIT_INPUT,
                "%s: byte %" G_GUINT64_FORMAT ": damaged %s data (%s): copy or record it again",
                shown (in), np_inflate_taken (in), format, why);
  return -1;
}

static gssize
truncated (NpInflate *in, const char *format, GError **error)
{
  in->cut = TRUE;
  np_error_set (error, NP_EXIT_INPUT,
                "%s: byte %" G_GUINT64_FORMAT
                ": the file ends in the middle of its %s data: copy or record it again",
                shown (in), np_inflate_taken (in), format);
  return -1;
}

static gssize
read_plain (NpInflate *in, void *to, gsize room, GError **error)
{
  if (!fill (in, error))
    return -1;
  gsize n = MIN (room, in->have - in->at);
  memcpy (to, in->raw + in->at, n);
  in->at += n;
  return (gssize) n;
}

/* Looks behind a member: another one begins, or only zeros (padding of tapes) follow up to the
 * end. */
static gboolean
gzip_next_member (NpInflate *in, GError **error)
{
  if (!fill (in, error))
    return FALSE;
  if (in->at < in->have && in->raw[in->at] == 0x1f) {
    in->inside = TRUE;
    inflateReset (&in->z);
    return TRUE;
  }
  while (in->at < in->have) {
    if (in->raw[in->at]) {
      damaged (in, "gzip", "expected another gzip member or the end of the file", error);
      return FALSE;
    }
    in->at++;
    if (!fill (in, error))
      return FALSE;
  }
  return TRUE;
}

static gssize
read_gzip (NpInflate *in, void *to, gsize room, GError **error)
{
  uInt space = (uInt) MIN (room, (gsize) G_MAXINT);
  in->z.next_out = to;
  in->z.avail_out = space;
  while (in->z.avail_out == space) {
    if (!in->inside && !gzip_next_member (in, error))
      return -1;
    if (!fill (in, error))
      return -1;
    if (in->at == in->have)
      return in->inside ? truncated (in, "gzip", error) : 0;
    in->z.next_in = in->raw + in->at;
    in->z.avail_in = (uInt) (in->have - in->at);
    int status = inflate (&in->z, Z_NO_FLUSH);
    in->at = in->have - in->z.avail_in;
    in->inside = status != Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR
        && in->z.avail_out == space)
      return damaged (in, "gzip", in->z.msg ? in->z.msg : zError (status), error);
  }
  return (gssize) (space - in->z.avail_out);
}

#ifdef NP_HAVE_ZSTD
static gssize
read_zstd (NpInflate *in, void *to, gsize room, GError **error)
{
  ZSTD_outBuffer out = { to, room, 0 };
  while (!out.pos) {
    if (!fill (in, error))
      return -1;
    gboolean ended = in->at == in->have;
    if (ended && !in->inside)
      return 0;
    ZSTD_inBuffer from = { in->raw, in->have, in->at };
    gsize left = ZSTD_decompressStream (in->zstd, &out, &from);
    in->at = from.pos;
    if (ZSTD_isError (left))
      return damaged (in, "zstd", ZSTD_getErrorName (left), error);
    in->inside = left != 0;
    if (ended && !out.pos)
      return truncated (in, "zstd", error);
  }
  return (gssize) out.pos;
}

static gboolean
begin_zstd (NpInflate *in, GError **error)
{
  in->zstd = ZSTD_createDCtx ();
  if (in->zstd)
    return TRUE;
  return np_error_set (error, NP_EXIT_ROOM, "%s: out of memory for zstd", shown (in));
}
#else
static gboolean
begin_zstd (NpInflate *in, GError **error)
{
  return np_error_set (error, NP_EXIT_INPUT,
                       "%s: is compressed with zstd, and this nprof was built without it: install "
                       "libzstd-dev and build nprof again, or inflate the file first with zstd -d",
                       shown (in));
}
#endif

#ifdef NP_HAVE_ARCHIVE
static gssize
zip_source (gpointer user, const void **bytes, GError **error)
{
  NpInflate *in = user;
  if (!fill (in, error))
    return -1;
  gsize n = in->have - in->at;
  *bytes = in->raw + in->at;
  in->at = in->have;
  return (gssize) n;
}

static gssize
read_zip (NpInflate *in, void *to, gsize room, GError **error)
{
  const char *why = NULL;
  gssize n = np_zip_read (in->zip, to, room, &why, error);
  return n < 0 && why ? damaged (in, "zip", why, error) : n;
}

#endif

static gboolean
begin_zip (NpInflate *in, GError **error)
{
#ifdef NP_HAVE_ARCHIVE
  in->zip = np_zip_new (zip_source, in);
  if (in->zip)
    return TRUE;
#endif
  return np_error_set (
      error, NP_EXIT_INPUT,
      "%s: is a zip archive, and there is no libarchive here: install it (package "
      "libarchive13; libarchive-dev, to build nprof with it), or unpack the file first "
      "with unzip",
      shown (in));
}

gssize
np_inflate_read (NpInflate *in, void *to, gsize room, GError **error)
{
  if (in->kind == NP_GZIP)
    return read_gzip (in, to, room, error);
#ifdef NP_HAVE_ZSTD
  if (in->kind == NP_ZSTD)
    return read_zstd (in, to, room, error);
#endif
#ifdef NP_HAVE_ARCHIVE
  if (in->kind == NP_ZIP)
    return read_zip (in, to, room, error);
#endif
  return read_plain (in, to, room, error);
}

/* Tells the compression by magic numbers: RFC 1952 2.3.1; RFC 8878 3.1.1 and 3.1.2 (skippable
 * frames, which pzstd puts first); a local file header of PKWARE's APPNOTE 4.3.7. */
static NpCompression
kind_of (const guint8 *head, gsize len)
{
  if (len >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8)
    return NP_GZIP;
  if (len >= 4 && !memcmp (head, "\x28\xb5\x2f\xfd", 4))
    return NP_ZSTD;
  if (len >= 4 && (head[0] & 0xf0) == 0x50 && !memcmp (head + 1, "\x2a\x4d\x18", 3))
    return NP_ZSTD;
  if (len >= 4 && !memcmp (head, "PK\3\4", 4))
    return NP_ZIP;
  return NP_PLAIN;
}

/* The first bytes of a pipe may come one by one. */
static gboolean
fill_magic (NpInflate *in, GError **error)
{
  if (!fill (in, error))
    return FALSE;
  while (in->have < 4 && !in->eof) {
    if (!wait_readable (in, error))
      return FALSE;
    ssize_t n = read (in->fd, in->raw + in->have, sizeof in->raw - in->have);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return TRUE; /* the next fill() says it */
    in->eof = n == 0;
    in->have += n > 0 ? (gsize) n : 0;
    in->taken += n > 0 ? (guint64) n : 0;
  }
  return TRUE;
}

NpInflate *
np_inflate_new (int fd, const char *path, const atomic_int *interrupt, GError **error)
{
  g_autoptr (NpInflate) in = g_new (NpInflate, 1);
  memset (in, 0, offsetof (NpInflate, raw));
  in->fd = fd;
  in->path = g_strdup (path);
  in->interrupt = interrupt;
  struct stat st;
  in->is_file = !fstat (fd, &st) && S_ISREG (st.st_mode);
  if (!fill_magic (in, error))
    return NULL;
  in->kind = kind_of (in->raw, in->have);
  if (in->kind == NP_GZIP && inflateInit2 (&in->z, 16 + MAX_WBITS) != Z_OK) {
    np_error_set (error, NP_EXIT_ROOM, "%s: out of memory for gzip", shown (in));
    return NULL;
  }
  if (in->kind == NP_ZSTD && !begin_zstd (in, error))
    return NULL;
  if (in->kind == NP_ZIP && !begin_zip (in, error))
    return NULL;
  return g_steal_pointer (&in);
}

void
np_inflate_free (NpInflate *in)
{
  if (!in)
    return;
  if (in->kind == NP_GZIP)
    inflateEnd (&in->z);
#ifdef NP_HAVE_ZSTD
  if (in->zstd) /* else it was not opened */
    ZSTD_freeDCtx (in->zstd);
#endif
#ifdef NP_HAVE_ARCHIVE
  np_zip_free (in->zip);
#endif
  g_free (in->path);
  g_free (in);
}
