/* SPDX-License-Identifier: Apache-2.0 */
/* test-parquet-parts.c - the parts of the Parquet writer alone: each encoding is read back by a
 * decoder of this test's own, written from parquet-format's Encodings.md. */
#include "chunk.h"
#include "encodings.h"
#include "page.h"
#include "parquet/thrift.h"
#include "pool.h"

#include <glib.h>

typedef struct {
  const guint8 *at, *end;
} Cursor;

static guint64
get_varint (Cursor *c)
{
  guint64 u = 0;
  for (guint shift = 0;; shift += 7) {
    g_assert_true (c->at < c->end && shift < 64);
    u |= (guint64) (*c->at & 0x7f) << shift;
    if (!(*c->at++ & 0x80))
      return u;
  }
}

static gint64
get_zigzag (Cursor *c)
{
  guint64 u = get_varint (c);
  return (gint64) (u >> 1) ^ -(gint64) (u & 1);
}

/* Bit by bit, as slow and plain as can be. */
static guint64
get_bits (const guint8 *data, gsize at, guint width)
{
  guint64 u = 0;
  for (guint k = 0; k < width; k++)
    u |= (guint64) (data[(at + k) / 8] >> (at + k) % 8 & 1) << k;
  return u;
}

/* -- Thrift ---------------------------------------------------------------- */

static void
test_thrift (void)
{
  struct nprof_buf buf = { 0 };
  struct pq_thrift t = { .to = &buf };
  pq_field_int (&t, 1, PQ_T_I32, -1);
  pq_field_int (&t, 2, PQ_T_I64, G_MININT64);
  pq_field_text (&t, 40, "text");
  pq_field_bool (&t, 41, true);
  pq_field_struct (&t, 42);
  pq_field_byte (&t, 7, -7);
  pq_end (&t);
  pq_field_list (&t, 43, PQ_T_I32, 20);
  for (int k = 0; k < 20; k++)
    pq_put_zigzag (&buf, k * 1000);
  pq_end (&t);
  struct pq_reader r;
  int16_t id;
  unsigned type, element;
  size_t len;
  pq_read_from (&r, buf.data, buf.len);
  g_assert_true (pq_next_field (&r, &id, &type) && id == 1);
  g_assert_cmpint (pq_read_int (&r, type), ==, -1);
  g_assert_true (pq_next_field (&r, &id, &type) && id == 2);
  g_assert_cmpint (pq_read_int (&r, type), ==, G_MININT64);
  g_assert_true (pq_next_field (&r, &id, &type) && id == 40);
  g_assert_cmpmem (pq_read_binary (&r, type, &len), len, "text", 4);
  g_assert_true (pq_next_field (&r, &id, &type) && id == 41);
  g_assert_cmpint (pq_read_int (&r, type), ==, 1);
  g_assert_true (pq_next_field (&r, &id, &type) && id == 42 && pq_open_struct (&r));
  g_assert_true (pq_next_field (&r, &id, &type) && id == 7);
  g_assert_cmpint (pq_read_int (&r, type), ==, -7);
  g_assert_false (pq_next_field (&r, &id, &type));
  g_assert_true (pq_next_field (&r, &id, &type) && id == 43);
  g_assert_cmpuint (pq_read_list (&r, type, &element), ==, 20);
  for (int k = 0; k < 20; k++)
    g_assert_cmpint (pq_read_int (&r, element), ==, k * 1000);
  g_assert_false (pq_next_field (&r, &id, &type) || r.failed || r.at != r.end);
  /* every prefix ends in failure, none reads beyond its end */
  for (size_t cut = 0; cut < buf.len; cut++) {
    g_autofree guint8 *copy = g_memdup2 (buf.data, cut);
    pq_read_from (&r, copy, cut);
    while (pq_next_field (&r, &id, &type))
      pq_skip (&r, type);
    g_assert_true (r.failed);
  }
  nprof_buf_clear (&buf);
}

static void
test_thrift_hostile (void)
{
  struct pq_reader r;
  int16_t id;
  unsigned type;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint8 deep[500];
  memset (deep, 0x1c, sizeof deep); /* structs within structs */
  pq_read_from (&r, deep, sizeof deep);
  while (pq_next_field (&r, &id, &type))
    pq_skip (&r, type);
  g_assert_true (r.failed);
  for (guint i = 0; i < 20000; i++) {
    guint8 bytes[40];
    for (guint k = 0; k < sizeof bytes; k++)
      bytes[k] = (guint8) g_rand_int (rand);
    pq_read_from (&r, bytes, sizeof bytes);
    while (pq_next_field (&r, &id, &type))
      pq_skip (&r, type);
  }
}

/* -- Packing, RLE hybrid --------------------------------------------------- */

static void
test_pack (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  for (guint width = 0; width <= 64; width++) {
    guint64 mask = width < 64 ? ((guint64) 1 << width) - 1 : G_MAXUINT64, wide[40];
    guint32 narrow[40];
    guint8 to[40 * 8 + 8];
    for (guint k = 0; k < 40; k++) {
      wide[k] = ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand)) & mask;
      narrow[k] = (guint32) wide[k];
    }
    pq_pack64 (to, wide, 40, width);
    for (guint k = 0; k < 40; k++)
      g_assert_cmphex (get_bits (to, k * width, width), ==, wide[k]);
    if (width > 32)
      continue;
    pq_pack32 (to, narrow, 40, width);
    for (guint k = 0; k < 40; k++)
      g_assert_cmphex (get_bits (to, k * width, width), ==, narrow[k]);
  }
}

static void
check_hybrid (const struct nprof_buf *buf, const guint32 *values, gsize n, guint width)
{
  const guint8 *begin = buf->len ? (const guint8 *) buf->data : (const guint8 *) "";
  Cursor c = { begin, begin + buf->len };
  gsize seen = 0;
  while (seen < n) {
    guint64 head = get_varint (&c);
    gsize run = (gsize) (head >> 1) * (head & 1 ? 8 : 1), bytes = (width + 7) / 8;
    g_assert_cmpuint (run, >, 0);
    if (head & 1)
      bytes = run * width / 8;
    g_assert_cmpuint (bytes, <=, c.end - c.at);
    for (gsize k = 0; k < run && seen < n; k++, seen++)
      g_assert_cmpuint (get_bits (c.at, head & 1 ? k * width : 0, width), ==, values[seen]);
    c.at += bytes;
  }
  g_assert_true (c.at == c.end);
}

static void
test_hybrid (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint i = 0; i < 3000; i++) {
    guint width = i % 33;
    gsize n = (gsize) g_rand_int_range (rand, 0, 400);
    guint32 values[400], mask = width < 32 ? (1u << width) - 1 : G_MAXUINT32;
    for (gsize k = 0; k < n;) {
      gsize run = (gsize) g_rand_int_range (rand, 1, i % 3 ? 4 : 60);
      for (guint32 v = g_rand_int (rand) & mask; run-- && k < n; k++)
        values[k] = v;
    }
    struct nprof_buf buf = { 0 };
    pq_put_hybrid (&buf, values, n, width);
    check_hybrid (&buf, values, n, width);
    nprof_buf_clear (&buf);
  }
}

static void
test_hybrid_bits (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  for (guint i = 0; i < 2000; i++) {
    guint8 bits[64];
    guint32 values[512];
    for (guint k = 0; k < sizeof bits;) {
      gint run = g_rand_int_range (rand, 1, 12);
      guint8 byte = i % 2 ? (guint8) g_rand_int (rand) : g_rand_boolean (rand) ? 0xff : 0;
      for (; run-- && k < sizeof bits; k++)
        bits[k] = byte;
    }
    gsize from = (gsize) g_rand_int_range (rand, 0, 32) * 8;
    gsize n = (gsize) g_rand_int_range (rand, 0, (gint32) (512 - from));
    for (guint width = 1; width <= 2; width++) {
      for (gsize k = 0; k < n; k++)
        values[k] = (bits[(from + k) / 8] >> (from + k) % 8 & 1) * width;
      struct nprof_buf buf = { 0 };
      pq_put_hybrid_bits (&buf, bits, from, n, width);
      check_hybrid (&buf, values, n, width);
      nprof_buf_clear (&buf);
    }
  }
}

/* -- Delta ----------------------------------------------------------------- */

/* Reads them, and compares. */
static void
expect_delta (Cursor *c, const gint64 *values, gsize n)
{
  guint64 block = get_varint (c), minis = get_varint (c), per = block / minis;
  g_assert_cmpuint (get_varint (c), ==, n);
  guint64 value = (guint64) get_zigzag (c);
  g_assert_true (!n || (gint64) value == values[0]);
  for (gsize k = 1; k < n;) {
    guint64 least = (guint64) get_zigzag (c);
    const guint8 *widths = c->at;
    c->at += minis;
    for (guint m = 0; m < minis && k < n; m++) {
      for (guint j = 0; j < per && k < n; j++, k++) {
        value += least + get_bits (c->at, j * widths[m], widths[m]);
        g_assert_cmpint ((gint64) value, ==, values[k]);
      }
      c->at += per * widths[m] / 8;
    }
  }
}

static void
check_delta (const gint64 *values, gsize n)
{
  struct nprof_buf buf = { 0 };
  pq_put_delta (&buf, values, n);
  Cursor c = { (const guint8 *) buf.data, (const guint8 *) buf.data + buf.len };
  expect_delta (&c, values, n);
  g_assert_true (c.at == c.end);
  nprof_buf_clear (&buf);
}

static void
test_delta (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  gint64 values[700];
  for (guint i = 0; i < 600; i++) {
    gsize n = i % 7 ? (gsize) g_rand_int_range (rand, 0, 700) : i / 7 + 120;
    gint64 last = 0;
    for (gsize k = 0; k < n; k++) {
      guint64 any = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
      last += g_rand_int_range (rand, -5, 1000);
      values[k] = i % 3 == 0 ? (gint64) any : i % 3 == 1 ? last : k % 2 ? G_MAXINT64 : G_MININT64;
    }
    check_delta (values, n);
  }
}

/* -- Lengths, then texts --------------------------------------------------- */

/* Puts n texts cut from `all`, some behind each other, some not, some empty. */
static void
check_lengths (GRand *rand, const char *all, gsize n)
{
  struct nprof_buf buf = { 0 }, scratch = { 0 };
  struct pq_text texts[300] = { 0 };
  gint64 lengths[300] = { 0 };
  for (gsize k = 0, at = 0; k < n; k++) {
    guint len = k % 5 ? (guint) g_rand_int_range (rand, 0, 20) : 0;
    at = k % 3 ? at : (gsize) g_rand_int_range (rand, 0, 100);
    texts[k] = (struct pq_text){ all + at, len };
    lengths[k] = len;
    at += len;
  }
  pq_put_lengths_and_texts (&buf, texts, n, &scratch);
  Cursor c = { (const guint8 *) buf.data, (const guint8 *) buf.data + buf.len };
  expect_delta (&c, lengths, n);
  for (gsize k = 0; k < n; k++, c.at += texts[k - 1].len)
    g_assert_cmpmem (c.at, texts[k].len, texts[k].data, texts[k].len);
  g_assert_true (c.at == c.end);
  nprof_buf_clear (&buf);
  nprof_buf_clear (&scratch);
}

static void
test_lengths (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  char all[200];
  for (guint k = 0; k < sizeof all; k++)
    all[k] = (char) ('!' + k % 90);
  for (gsize n = 0; n < 300; n++)
    check_lengths (rand, all, n);
}

/* -- Dictionary, statistics ------------------------------------------------ */

static struct pq_text
text_of (const void *user, guint32 ref)
{
  const char *const *texts = user;
  return (struct pq_text){ texts[ref], (guint32) strlen (texts[ref]) };
}

static void
test_dict (void)
{
  struct pq_dict dict = { 0 };
  g_assert_true (pq_dict_begin (&dict, 1000, 0));
  for (guint pass = 0; pass < 2; pass++)
    for (guint64 k = 0; k < 1000; k++)
      g_assert_cmpuint (pq_dict_add (&dict, k << 40, k, NULL, NULL), ==, k);
  g_assert_cmpuint (pq_dict_add (&dict, 5, 5, NULL, NULL), ==, PQ_DICT_FULL);
  g_assert_true (pq_dict_begin (&dict, 3, 0));
  g_assert_cmpuint (pq_dict_add (&dict, 5, 5, NULL, NULL), ==, 0);
  pq_dict_clear (&dict);
}

/* Texts that are kept by the column are equal by what they say. */
static void
test_number (void)
{
  const char *const texts[] = { "a", "b" };
  struct pq_values v = { .kind = PQ_TEXT };
  struct pq_dict dict = { 0 };
  guint32 ids[6];
  const char *const own[] = { "x", "y", "x", "" };
  for (guint k = 0; k < 4; k++)
    *(guint32 *) pq_values_add (&v, k) = pq_values_own (&v, own[k], (guint32) strlen (own[k]));
  *(guint32 *) pq_values_add (&v, 4) = 1;
  *(guint32 *) pq_values_add (&v, 5) = 1;
  g_assert_true (pq_number_begin (&dict, 6, 0));
  g_assert_true (pq_number (&dict, ids, &v, (struct pq_texts){ text_of, texts, NULL }));
  const guint32 expected[] = { 0, 1, 0, 2, 3, 3 };
  g_assert_cmpmem (ids, sizeof ids, expected, sizeof expected);
  pq_values_clear (&v);
  pq_dict_clear (&dict);
}

/* Handles are numbered as they first come, whether they lie close together or far apart. */
static void
test_handles (void)
{
  static const guint32 steps[] = { 1, 5, 1000003 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  struct pq_dict dict = { 0 };
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++) {
    struct pq_values v = { .kind = PQ_TEXT };
    guint32 ids[3000], seen[100], n_seen = 0;
    for (guint k = 0; k < G_N_ELEMENTS (ids); k++)
      *(guint32 *) pq_values_add (&v, k)
          = 77 + steps[s] * (guint32) g_rand_int_range (rand, 0, G_N_ELEMENTS (seen));
    const guint32 *refs = (const void *) v.data.data;
    g_assert_true (pq_number_begin (&dict, G_N_ELEMENTS (ids), 0));
    g_assert_true (pq_number (&dict, ids, &v, (struct pq_texts){ 0 }));
    for (guint k = 0, at; k < G_N_ELEMENTS (ids); k++) {
      for (at = 0; at < n_seen && seen[at] != refs[k];)
        at++;
      if (at == n_seen)
        seen[n_seen++] = refs[k];
      g_assert_cmpuint (ids[k], ==, at);
    }
    g_assert_cmpuint (dict.n, ==, n_seen);
    pq_values_clear (&v);
  }
  pq_dict_clear (&dict);
}

static void
test_range (void)
{
  struct pq_values v = { .kind = PQ_DOUBLE };
  struct pq_range range;
  double min, max, values[] = { NAN, 0.0, -0.0, 3, NAN };
  for (guint k = 0; k < 5; k++)
    *(double *) pq_values_add (&v, k) = values[k];
  pq_range_of (&range, &v, 0, 5);
  memcpy (&min, range.min.data, 8);
  memcpy (&max, range.max.data, 8);
  g_assert_true (range.known && min == 0 && signbit (min) && max == 3);
  pq_range_of (&range, &v, 0, 1);
  g_assert_false (range.known);
  pq_range_of (&range, &v, 2, 2);
  g_assert_false (range.known);
  pq_values_clear (&v);
  v = (struct pq_values){ .kind = PQ_UINT64 };
  *(guint64 *) pq_values_add (&v, 0) = G_MAXUINT64;
  *(guint64 *) pq_values_add (&v, 1) = 1;
  pq_range_of (&range, &v, 0, 2);
  g_assert_cmpint (pq_bound_compare (&range.max, &range.min, PQ_UINT64), >, 0);
  g_assert_cmpint (range.max.data[7], ==, 0xff);
  pq_values_clear (&v);
}

static struct pq_range
range_of_text (const char *text, gsize len)
{
  struct pq_text_range r = { 0 };
  struct pq_range range;
  pq_text_range_add (&r, (struct pq_text){ text, (guint32) len });
  pq_text_range_end (&r, &range);
  return range;
}

/* A long text is cut between characters; the bound above is not below it. */
static void
test_text_range (void)
{
  g_autofree char *ascii = g_strnfill (100, 'x'), *high = g_strnfill (100, '\xff');
  struct pq_range range = range_of_text (ascii, 100);
  g_assert_true (range.known && range.min.len == 64 && range.max.len == 64);
  g_assert_false (range.min.exact || range.max.exact);
  g_assert_cmpint (range.max.data[63], ==, 'y');
  range = range_of_text (high, 100);
  g_assert_false (range.known); /* nothing is above */
  g_autoptr (GString) wide = g_string_new ("a");
  for (guint k = 0; k < 40; k++)
    g_string_append (wide, "\u2603");
  range = range_of_text (wide->str, wide->len);
  g_assert_true (range.known && g_utf8_validate ((char *) range.min.data, range.min.len, NULL));
  g_assert_cmpmem (range.max.data, range.max.len, "b", 1);
  range = range_of_text ("", 0);
  g_assert_true (range.known && range.max.len == 0 && range.max.exact);
}

/* -- Choice of the encoding ------------------------------------------------ */

static int
encoding_of (enum pq_kind kind, gsize n, guint64 (*value) (gsize k))
{
  struct pq_values v = { .kind = kind };
  struct pq_encoder e = { 0 };
  struct pq_chunk chunk = { 0 };
  pq_codec_init (&e.codec, PQ_NONE, 0);
  for (gsize k = 0; k < n; k++)
    *(guint64 *) pq_values_add (&v, k) = value (k);
  g_assert_true (pq_encode (&e, &v, NULL, n, &chunk));
  g_assert_cmpuint (chunk.n_values, ==, n);
  g_assert_cmpuint (chunk.nulls, ==, 0);
  int encoding = chunk.encoding;
  pq_values_clear (&v);
  pq_chunk_clear (&chunk);
  pq_encoder_clear (&e);
  return encoding;
}

static guint64
rising (gsize k)
{
  return 1000000007 * k;
}

static guint64
few (gsize k)
{
  return (k * 7919 % 100) << 50;
}

static guint64
scattered (gsize k)
{
  guint64 x = (k + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (x ^ x >> 29) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
}

static void
test_choice (void)
{
  g_assert_cmpint (encoding_of (PQ_INT64, 5000, rising), ==, PQ_ENC_DELTA);
  g_assert_cmpint (encoding_of (PQ_INT64, 5000, few), ==, PQ_ENC_DICT);
  g_assert_cmpint (encoding_of (PQ_INT64, 5000, scattered), ==, PQ_ENC_PLAIN);
  g_assert_cmpint (encoding_of (PQ_DOUBLE, 5000, scattered), ==, PQ_ENC_PLAIN);
  g_assert_cmpint (encoding_of (PQ_DOUBLE, 5000, few), ==, PQ_ENC_DICT);
}

/* Encodes a row group of n values.  Returns whether a sample was taken for it. */
static gboolean
is_sampled (struct pq_encoder *e, struct pq_chunk *chunk, gsize n)
{
  struct pq_values v = { .kind = PQ_INT64 };
  struct pq_choices before = chunk->choices;
  for (gsize k = 0; k < n; k++)
    *(guint64 *) pq_values_add (&v, k) = rising (k);
  g_assert_true (pq_encode (e, &v, NULL, n, chunk));
  g_assert_cmpint (chunk->encoding, ==, PQ_ENC_DELTA);
  pq_values_clear (&v);
  for (guint k = 0; k < PQ_CHOICES; k++)
    if (before.known[k].n == chunk->choices.known[k].n
        && before.known[k].left > chunk->choices.known[k].left)
      return FALSE;
  return TRUE;
}

/* A sample that finds the same again is trusted twice as long, also where sorts of rows take
 * turns. */
static void
test_trust (void)
{
  static const gsize sizes[] = { 500, 1500, 4500 };
  struct pq_encoder e = { 0 };
  struct pq_chunk chunk = { 0 };
  pq_codec_init (&e.codec, PQ_NONE, 0);
  for (guint round = 0; round < 300; round++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      g_assert_cmpint (is_sampled (&e, &chunk, sizes[k]), ==,
                       round == 0 || round == 8 || round == 24 || round == 56 || round == 120
                           || round == 248);
  g_assert_true (is_sampled (&e, &chunk, 20));
  g_assert_false (is_sampled (&e, &chunk, 500));
  g_assert_true (is_sampled (&e, &chunk, 100));
  g_assert_true (is_sampled (&e, &chunk, 500)); /* the first that is forgotten */
  pq_chunk_clear (&chunk);
  pq_encoder_clear (&e);
}

/* Zeros are no values, wherever rows and slices of them begin. */
static void
test_present (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  struct pq_values v = { .kind = PQ_UINT64 };
  guint64 given[700];
  for (guint k = 0; k < G_N_ELEMENTS (given); k++)
    given[k] = k / 100 % 3 == 1 ? 0
               : k / 100 % 3    ? k
                                : (guint64) g_rand_int_range (rand, 0, 2) << 40;
  for (guint at = 0, n; at < G_N_ELEMENTS (given); at += n) {
    n = MIN ((guint) g_rand_int_range (rand, 1, 30), (guint) G_N_ELEMENTS (given) - at);
    pq_values_add_present (&v, at, given + at, n);
  }
  const guint64 *kept = (const void *) v.data.data;
  gsize n = 0;
  for (guint k = 0; k < G_N_ELEMENTS (given); k++) {
    g_assert_cmpint (v.bits.data[k / 8] >> k % 8 & 1, ==, given[k] != 0);
    if (given[k])
      g_assert_cmpuint (kept[n++], ==, given[k]);
  }
  g_assert_cmpuint (v.n, ==, n);
  pq_values_clear (&v);
}

/* 16 MB of distinct texts: lengths and texts, in pages that are bounded. */
static void
test_distinct_texts (void)
{
  struct pq_values v = { .kind = PQ_TEXT };
  struct pq_encoder e = { 0 };
  struct pq_chunk chunk = { 0 };
  pq_codec_init (&e.codec, PQ_NONE, 0);
  g_autofree char *text = g_strnfill (160, 'x');
  for (guint k = 0; k < 100000; k++) {
    memcpy (text, &k, sizeof k);
    *(guint32 *) pq_values_add (&v, k) = pq_values_own (&v, text, 160);
  }
  g_assert_true (pq_encode (&e, &v, NULL, 100000, &chunk));
  g_assert_cmpint (chunk.encoding, ==, PQ_ENC_LENGTHS);
  g_assert_cmpuint (chunk.pages.len / sizeof (struct pq_page), ==, 16);
  const struct pq_page *pages = (const void *) chunk.pages.data;
  for (guint k = 0; k < 16; k++)
    g_assert_cmpuint (pages[k].bytes, <, PQ_PAGE_BYTES + 8 * 164 + 100);
  g_assert_cmpuint (e.body.max, <=, 4u << 20);
  pq_values_clear (&v);
  pq_chunk_clear (&chunk);
  pq_encoder_clear (&e);
}

/* The same of a map, whose rows have the lists of entries that they have. */
static void
test_distinct_texts_of_a_map (void)
{
  const guint n = 10000, each = 3;
  const gsize value = 4 + 160; /* a length and a text; a page ends with the row that fills it */
  const guint rows_of_page = (PQ_PAGE_BYTES + each * value - 1) / (each * value);
  struct pq_values v = { .kind = PQ_MAP_VALUE };
  struct pq_rows rows = { 0 };
  struct pq_encoder e = { 0 };
  struct pq_chunk chunk = { 0 };
  pq_codec_init (&e.codec, PQ_NONE, 0);
  g_autofree char *text = g_strnfill (160, 'x');
  for (guint k = 0; k < n * each; k++) {
    memcpy (text, &k, sizeof k);
    const struct pq_entry entry = { .how = PQ_ENTRY_OWN, .value = pq_rows_own (&rows, text, 160) };
    pq_rows_add_entry (&rows, k / each, entry);
  }
  g_assert_true (pq_rows_pad (&rows, n) && pq_encode (&e, &v, &rows, n, &chunk));
  const struct pq_page *pages = (const void *) chunk.pages.data;
  const guint n_pages = (n + rows_of_page - 1) / rows_of_page;
  g_assert_cmpuint (chunk.pages.len / sizeof *pages, ==, n_pages);
  for (guint k = 0; k < n_pages; k++)
    g_assert_cmpuint (pages[k].first_row, ==, k * rows_of_page);
  pq_rows_clear (&rows);
  pq_values_clear (&v);
  pq_chunk_clear (&chunk);
  pq_encoder_clear (&e);
}

/* -- Threads --------------------------------------------------------------- */

static void
mark (void *user, unsigned worker, size_t task)
{
  (void) worker;
  ((guint8 *) user)[task]++;
}

static void
test_pool (void)
{
  for (unsigned n = 1; n < 5; n++) {
    struct pq_pool *pool = pq_pool_new (n);
    guint8 done[200] = { 0 };
    for (guint round = 0; round < 50; round++) {
      pq_pool_start (pool, mark, done, 4 * round);
      pq_pool_wait (pool);
    }
    for (guint k = 0; k < 196; k++)
      g_assert_cmpuint (done[k], ==, 49 - k / 4);
    pq_pool_free (pool);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parquet-parts/thrift", test_thrift);
  g_test_add_func ("/parquet-parts/thrift-hostile", test_thrift_hostile);
  g_test_add_func ("/parquet-parts/pack", test_pack);
  g_test_add_func ("/parquet-parts/hybrid", test_hybrid);
  g_test_add_func ("/parquet-parts/hybrid-bits", test_hybrid_bits);
  g_test_add_func ("/parquet-parts/delta", test_delta);
  g_test_add_func ("/parquet-parts/lengths", test_lengths);
  g_test_add_func ("/parquet-parts/dict", test_dict);
  g_test_add_func ("/parquet-parts/number", test_number);
  g_test_add_func ("/parquet-parts/handles", test_handles);
  g_test_add_func ("/parquet-parts/range", test_range);
  g_test_add_func ("/parquet-parts/text-range", test_text_range);
  g_test_add_func ("/parquet-parts/choice", test_choice);
  g_test_add_func ("/parquet-parts/trust", test_trust);
  g_test_add_func ("/parquet-parts/present", test_present);
  g_test_add_func ("/parquet-parts/distinct-texts", test_distinct_texts);
  g_test_add_func ("/parquet-parts/distinct-texts-of-a-map", test_distinct_texts_of_a_map);
  g_test_add_func ("/parquet-parts/pool", test_pool);
  return g_test_run ();
}
