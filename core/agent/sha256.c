/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.c - the SHA-256 of a file: by the instructions of this processor where it has them, else
 * by GLib, which takes five times as long. */
#include "agent/sha256.h"

#include <string.h>
#include <unistd.h>

#ifdef NP_HAVE_SHA
#include <cpuid.h>
#endif

#define PIECE (1 << 20) /* whole blocks */
#define BLOCK 64

typedef struct {
  NpSha256Blocks blocks; /* NULL: GLib does it */
  GChecksum *sum;
  guint32 state[8];
  guint64 bytes;
} Sum;

NpSha256Blocks
np_sha256_blocks (void)
{
#ifdef NP_HAVE_SHA
  const guint sse41 = 1u << 19, sha = 1u << 29;
  guint a, b, c, d;
  if (__get_cpuid (1, &a, &b, &c, &d) && c & sse41 && __get_cpuid_count (7, 0, &a, &b, &c, &d)
      && b & sha)
    return np_sha256_blocks_x86;
#endif
  return NULL;
}

/* A piece that is no whole number of blocks is the last one. */
static void
add (Sum *s, const guint8 *data, gsize n)
{
  s->bytes += n;
  if (s->blocks)
    s->blocks (s->state, data, n / BLOCK);
  else
    g_checksum_update (s->sum, data, (gssize) n);
}

/* Ends with the rest of the last piece, a bit of 1, and the length in bits. */
static char *
finish (Sum *s, const guint8 *rest)
{
  guint8 tail[2 * BLOCK] = { 0 };
  gsize n = s->bytes % BLOCK, whole = n + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
  const guint64 bits = GUINT64_TO_BE (s->bytes * 8);
  GString *hex = g_string_new (NULL);
  memcpy (tail, rest, n);
  tail[n] = 0x80;
  memcpy (tail + whole - sizeof bits, &bits, sizeof bits);
  s->blocks (s->state, tail, whole / BLOCK);
  for (guint i = 0; i < G_N_ELEMENTS (s->state); i++)
    g_string_append_printf (hex, "%08x", s->state[i]);
  return g_string_free (hex, FALSE);
}

/* Reads until the piece is full; returns its bytes, fewer at the end, or -1 with errno. */
static gssize
fill (int fd, guint8 *piece)
{
  gsize n = 0;
  gssize got = 1;
  while (n < PIECE && (got = read (fd, piece + n, PIECE - n)) > 0)
    n += (gsize) got;
  return got < 0 ? -1 : (gssize) n;
}

char *
np_sha256_read (int fd, NpSha256Blocks blocks, gboolean (*stop) (gpointer user), gpointer user)
{
  g_autofree guint8 *piece = g_malloc (PIECE);
  g_autoptr (GChecksum) sum = blocks ? NULL : g_checksum_new (G_CHECKSUM_SHA256);
  Sum s = { blocks,
            sum,
            { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
              0x5be0cd19 },
            0 };
  gssize n;
  do {
    n = fill (fd, piece);
    if (n < 0 || stop (user))
      return NULL;
    add (&s, piece, (gsize) n);
  } while (n == PIECE);
  return blocks ? finish (&s, piece + n / BLOCK * BLOCK) : g_strdup (g_checksum_get_string (sum));
}
