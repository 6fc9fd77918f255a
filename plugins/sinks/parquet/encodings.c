/* SPDX-License-Identifier: Apache-2.0 */
/* encodings.c - writes the values of a page in the encodings of Parquet. */
#include "encodings.h"
#include "parquet/thrift.h"

#include <string.h>

/* -- Packed numbers ----------------------------------------------------------------------- */

/* Stores bytes least significant first, whatever the machine does. */
static inline void
store (uint8_t *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64 (word);
#endif
  memcpy (to, &word, sizeof word);
}

void
pq_pack32 (uint8_t *to, const uint32_t *values, size_t n, unsigned width)
{
  uint64_t word = 0;
  unsigned used = 0;
  for (size_t k = 0; k < n; k++) {
    word |= (uint64_t) values[k] << used;
    used += width;
    if (used >= 32) {
      store (to, word);
      to += 4;
      word >>= 32;
      used -= 32;
    }
  }
  for (; used >= 8; used -= 8, word >>= 8)
    *to++ = (uint8_t) word;
}

void
pq_pack64 (uint8_t *to, const uint64_t *values, size_t n, unsigned width)
{
  uint64_t word = 0;
  unsigned used = 0;
  for (size_t k = 0; k < n; k++) {
    word |= values[k] << used;
    if (used + width < 64) {
      used += width;
      continue;
    }
    store (to, word);
    to += 8;
    unsigned left = 64 - used; /* bits of the value that went into the word */
    word = left < 64 ? values[k] >> left : 0;
    used = width - left;
  }
  for (; used >= 8; used -= 8, word >>= 8)
    *to++ = (uint8_t) word;
}

/* Packs eight at a time, of which the compiler makes vectors. */
#define RUN(name, type)                                                                            \
  size_t name (const type *values, size_t n)                                                       \
  {                                                                                                \
    size_t k = n ? 1 : 0;                                                                          \
    for (type other = 0; k + 8 <= n; k += 8) {                                                     \
      for (size_t i = k; i < k + 8; i++)                                                           \
        other |= values[i] ^ values[0];                                                            \
      if (other)                                                                                   \
        break;                                                                                     \
    }                                                                                              \
    while (k < n && values[k] == values[0])                                                        \
      k++;                                                                                         \
    return k;                                                                                      \
  }
RUN (pq_run32, uint32_t)
RUN (pq_run64, uint64_t)
#undef RUN

/* -- The RLE / bit-packing hybrid --------------------------------------------------------- */

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

/* -- DELTA_BINARY_PACKED ------------------------------------------------------------------ */

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

/* Subtracts; differences wrap around, because readers add in the same way.  Returns the
 * smallest. */
static int64_t
subtract (uint64_t *deltas, const int64_t *values, size_t n)
{
  int64_t least = INT64_MAX;
  for (size_t k = 0; k < n; k++) {
    uint64_t d = (uint64_t) values[k + 1] - (uint64_t) values[k];
    deltas[k] = d;
    least = (int64_t) d < least ? (int64_t) d : least;
  }
  return least;
}

/* Puts a block of the n values behind the first. */
static void
put_block (struct nprof_buf *to, const int64_t *values, size_t n)
{
  uint64_t deltas[BLOCK];
  uint8_t widths[MINIBLOCKS] = { 0 };
  uint64_t least = (uint64_t) subtract (deltas, values, n);
  if (!nprof_buf_need (to, 10 + MINIBLOCKS + BLOCK * 8 + 8))
    return;
  pq_put_zigzag (to, (int64_t) least);
  for (size_t k = 0; k < n; k++)
    deltas[k] -= least;
  memset (deltas + n, 0, (BLOCK - n) * sizeof *deltas);
  for (size_t m = 0; m * MINIBLOCK < n; m++) {
    uint64_t all = 0;
    for (size_t k = m * MINIBLOCK; k < (m + 1) * MINIBLOCK; k++)
      all |= deltas[k];
    widths[m] = (uint8_t) pq_bits (all);
  }
  nprof_put (to, widths, sizeof widths);
  for (size_t m = 0; m * MINIBLOCK < n; m++) {
    pq_pack64 ((uint8_t *) to->data + to->len, deltas + m * MINIBLOCK, MINIBLOCK, widths[m]);
    to->len += (size_t) widths[m] * MINIBLOCK / 8;
  }
}

void
pq_put_delta (struct nprof_buf *to, const int64_t *values, size_t n)
{
  pq_put_varint (to, BLOCK);
  pq_put_varint (to, MINIBLOCKS);
  pq_put_varint (to, n);
  pq_put_zigzag (to, n ? values[0] : 0);
  for (size_t k = 1; k < n; k += BLOCK)
    put_block (to, values + k - 1, n - k < BLOCK ? n - k : BLOCK);
}

/* -- DELTA_LENGTH_BYTE_ARRAY -------------------------------------------------------------- */

/* Copies texts that lie behind each other at once. */
static void
put_all_texts (struct nprof_buf *to, const struct pq_text *texts, size_t n)
{
  for (size_t k = 0, end; k < n; k = end) {
    size_t len = texts[k].len;
    for (end = k + 1; end < n && texts[end].data == texts[k].data + len; end++)
      len += texts[end].len;
    nprof_put (to, texts[k].data, len);
  }
}

void
pq_put_lengths_and_texts (struct nprof_buf *to, const struct pq_text *texts, size_t n,
                          struct nprof_buf *scratch)
{
  scratch->len = 0;
  if (!nprof_buf_need (scratch, n * sizeof (int64_t))) {
    to->failed = true;
    return;
  }
  int64_t *lengths = (void *) scratch->data;
  for (size_t k = 0; k < n; k++)
    lengths[k] = texts[k].len;
  pq_put_delta (to, lengths, n);
  put_all_texts (to, texts, n);
}

/* -- PLAIN, little endian ----------------------------------------------------------------- */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "plain values are little endian");

static void
put_text (struct nprof_buf *to, struct pq_text text)
{
  if (!nprof_buf_need (to, 4 + (size_t) text.len))
    return;
  memcpy (to->data + to->len, &text.len, 4);
  if (text.len)
    memcpy (to->data + to->len + 4, text.data, text.len);
  to->len += 4 + (size_t) text.len;
}

static void
put_bools (struct nprof_buf *to, const uint8_t *values, size_t n)
{
  size_t bytes = (n + 7) / 8;
  if (!nprof_buf_need (to, bytes))
    return;
  uint8_t *at = (uint8_t *) to->data + to->len;
  memset (at, 0, bytes);
  for (size_t k = 0; k < n; k++)
    at[k / 8] = (uint8_t) (at[k / 8] | (values[k] != 0) << k % 8);
  to->len += bytes;
}

void
pq_put_plain (struct nprof_buf *to, const struct pq_values *v, size_t from, size_t to_value)
{
  size_t width = pq_width (v->kind);
  if (from == to_value)
    return;
  if (v->kind == PQ_BOOL)
    put_bools (to, (const uint8_t *) v->data.data + from, to_value - from);
  else
    nprof_put (to, v->data.data + from * width, (to_value - from) * width);
}

void
pq_put_plain_texts (struct nprof_buf *to, const struct pq_text *texts, size_t n)
{
  for (size_t k = 0; k < n; k++)
    put_text (to, texts[k]);
}

void
pq_put_entries (struct nprof_buf *to, const struct pq_values *v, const struct pq_dict *dict,
                struct pq_texts texts)
{
  for (uint32_t k = 0; k < dict->n; k++) {
    if (pq_is_bytes (v->kind))
      put_text (to, pq_values_text (v, (uint32_t) dict->refs[k], texts.of, texts.user));
    else if (v->kind == PQ_UUID)
      nprof_put (to, v->data.data + dict->refs[k] * 16, 16);
    else
      nprof_put (to, dict->keys + k, pq_width (v->kind));
  }
}
