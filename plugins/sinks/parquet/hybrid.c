/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid.c - writes the RLE / bit-packing hybrid. */
#include "hybrid.h"

#include "pack.h"
#include "parquet/thrift.h"

/* A run shorter than this costs more than it saves, as it ends a packed run. */
#define MIN_RUN 16

void
pq_put_hybrid_run (struct nprof_buf *to, uint32_t value, size_t n, unsigned width)
{
  if (!n)
    return;
  pq_put_varint (to, (uint64_t) n << 1);
  for (unsigned shift = 0; shift < width; shift += 8)
    nprof_put_char (to, (char) (value >> shift));
}

/* Puts groups of 8; the last is filled up with zeros. */
static void
put_packed (struct nprof_buf *to, const uint32_t *values, size_t n, unsigned width)
{
  uint32_t last[8] = { 0 };
  size_t assembled = n / 8 * 8, groups = (n + 7) / 8;
  if (!n || !nprof_buf_need (to, 10 + groups * width + 8))
    return;
  pq_put_varint (to, (uint64_t) groups << 1 | 1);
  pq_pack32 ((uint8_t *) to->data + to->len, values, assembled, width);
  to->len += assembled / 8 * width;
  if (assembled < n) {
    memcpy (last, values + assembled, (n - assembled) * sizeof *last);
    pq_pack32 ((uint8_t *) to->data + to->len, last, 8, width);
    to->len += width;
  }
}

static inline bool
is_run (const uint32_t *v)
{
  return v[0] == v[7] && v[0] == v[3] && v[0] == v[1] && v[0] == v[2] && v[0] == v[4]
         && v[0] == v[5] && v[0] == v[6];
}

/* Returns where a run may begin that is long enough: such a run has eight values wherever one
 * starts to look. n: nowhere. */
static size_t
find_run (const uint32_t *values, size_t begin, size_t k, size_t n)
{
  while (k + 8 <= n && !is_run (values + k))
    k += 8;
  if (k + 8 > n)
    return n;
  while (k > begin && values[k - 1] == values[k])
    k--;
  return k;
}

void
pq_put_hybrid (struct nprof_buf *to, const uint32_t *values, size_t n, unsigned width)
{
  size_t begin = 0; /* of what is not written yet */
  for (size_t k = 0; (k = find_run (values, begin, k, n)) < n;) {
    size_t run = pq_run32 (values + k, n - k);
    /* A packed run before it takes whole groups of 8, from the run's own values if need be. */
    size_t fill = (8 - (k - begin) % 8) % 8;
    if (run >= MIN_RUN + fill) {
      put_packed (to, values + begin, k + fill - begin, width);
      pq_put_hybrid_run (to, values[k], run - fill, width);
      begin = k + run;
    }
    k += run;
  }
  put_packed (to, values + begin, n - begin, width);
}

/* -- Bits ------------------------------------------------------------------ */

/* Counts bytes from `from` that are all `byte`. */
static size_t
same_bytes (const uint8_t *bits, size_t from, size_t end, uint8_t byte)
{
  size_t k = from;
  uint64_t word, all = byte ? UINT64_MAX : 0;
  while (k + 8 <= end && (memcpy (&word, bits + k, 8), word == all))
    k += 8;
  while (k < end && bits[k] == byte)
    k++;
  return k - from;
}

/* Returns the eight bits as the upper ones of eight pairs. */
static uint16_t
widen (uint8_t bits)
{
  unsigned x = bits;
  x = (x | x << 4) & 0x0f0f;
  x = (x | x << 2) & 0x3333;
  x = (x | x << 1) & 0x5555;
  return (uint16_t) (x << 1);
}

static void
put_bytes (struct nprof_buf *to, const uint8_t *bits, size_t n, unsigned width)
{
  if (!n || !nprof_buf_need (to, 10 + n * width))
    return;
  pq_put_varint (to, (uint64_t) n << 1 | 1);
  if (width == 1) {
    nprof_put (to, bits, n);
    return;
  }
  for (size_t k = 0; k < n; k++, to->len += 2) {
    uint16_t pairs = widen (bits[k]);
    memcpy (to->data + to->len, &pairs, 2);
  }
}

void
pq_put_hybrid_bits (struct nprof_buf *to, const uint8_t *bits, size_t from, size_t n,
                    unsigned width)
{
  size_t at = from / 8, end = at + n / 8, begin = at;
  while (at < end) {
    size_t run = bits[at] == 0 || bits[at] == 0xff ? same_bytes (bits, at, end, bits[at]) : 0;
    if (run >= 4) {
      put_bytes (to, bits + begin, at - begin, width);
      pq_put_hybrid_run (to, bits[at] ? width : 0, run * 8, width);
      begin = at + run;
    }
    at += run ? run : 1;
  }
  put_bytes (to, bits + begin, end - begin, width);
  if (n % 8) {
    uint8_t last = (uint8_t) (bits[end] & (0xff >> (8 - n % 8)));
    put_bytes (to, &last, 1, width);
  }
}
