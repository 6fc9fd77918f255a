/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/cursor.h - reads bytes that nobody has looked at yet, header-only: numbers, varints, pieces
 * and lines, none beyond the end.  A cursor that has met its end too early gives 0 and stays so,
 * which is asked once for a record:
 *
 *   struct nprof_cursor c = nprof_cursor (data, len);
 *   uint64_t kind = nprof_take_le (&c, 2), duration = nprof_take_varint (&c);
 *   if (c.cut)
 *     return nprof_damage (host, nprof_cursor_at (&c, data), "a record that ends too early"); */
#ifndef NPROF_CURSOR_H
#define NPROF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct nprof_cursor {
  const unsigned char *at, *end;
  bool cut; /* more was asked for than there is, or a varint had no end */
};

static inline struct nprof_cursor
nprof_cursor (const void *data, uint64_t len)
{
  const unsigned char *at = (const unsigned char *) data;
  struct nprof_cursor c = { at, at + len, false };
  return c;
}

static inline uint64_t
nprof_cursor_left (const struct nprof_cursor *c)
{
  return (uint64_t) (c->end - c->at);
}

/* Returns the number of the next byte. */
static inline uint64_t
nprof_cursor_at (const struct nprof_cursor *c, const void *data)
{
  return (uint64_t) (c->at - (const unsigned char *) data);
}

/* Returns the next n bytes and goes behind them; NULL, and nowhere, where there are fewer. */
static inline const unsigned char *
nprof_take (struct nprof_cursor *c, uint64_t n)
{
  const unsigned char *piece = c->at;
  if (c->cut || nprof_cursor_left (c) < n) {
    c->cut = true;
    return NULL;
  }
  c->at += n;
  return piece;
}

/* Takes a number of 1 to 8 bytes, least significant first. */
static inline uint64_t
nprof_take_le (struct nprof_cursor *c, uint32_t bytes)
{
  const unsigned char *piece = nprof_take (c, bytes);
  uint64_t number = 0;
  for (uint32_t i = 0; piece && i < bytes; i++)
    number |= (uint64_t) piece[i] << 8 * i;
  return number;
}

/* Takes a number of 1 to 8 bytes, most significant first. */
static inline uint64_t
nprof_take_be (struct nprof_cursor *c, uint32_t bytes)
{
  const unsigned char *piece = nprof_take (c, bytes);
  uint64_t number = 0;
  for (uint32_t i = 0; piece && i < bytes; i++)
    number = number << 8 | piece[i];
  return number;
}

/* Reads a number in groups of 7 bits, the least first, as protobuf and LEB128 have it; what lies
 * beyond 64 bits is dropped.  NULL: it runs past the end, or has more than 10 bytes. */
static inline const unsigned char *
nprof_read_varint (const unsigned char *at, const unsigned char *end, uint64_t *value)
{
  uint64_t v = 0;
  for (int shift = 0; shift < 70 && at < end; shift += 7) {
    const unsigned char byte = *at++;
    if (shift < 64)
      v |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      *value = v;
      return at;
    }
  }
  return NULL;
}

static inline uint64_t
nprof_take_varint (struct nprof_cursor *c)
{
  uint64_t value = 0;
  const unsigned char *behind = c->cut ? NULL : nprof_read_varint (c->at, c->end, &value);
  if (!behind) {
    c->cut = true;
    return 0;
  }
  c->at = behind;
  return value;
}

/* Takes a line, without its end: \n, or \r\n; the last one may have none.  false: there is no
 * more. */
static inline bool
nprof_take_line (struct nprof_cursor *c, const char **line, size_t *len)
{
  if (c->at == c->end)
    return false;
  const void *newline = memchr (c->at, '\n', (size_t) (c->end - c->at));
  const unsigned char *stop = newline ? (const unsigned char *) newline : c->end;
  *line = (const char *) c->at;
  *len = (size_t) (stop - c->at);
  *len -= *len && stop[-1] == '\r';
  c->at = stop + (newline != NULL);
  return true;
}

#endif
