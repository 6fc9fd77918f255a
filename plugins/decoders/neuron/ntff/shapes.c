/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c - finds instruction streams of a file without engine_instruction_info: any 64-byte
 * stride whose second byte is 0x10.  The engine comes from the opcodes' family, where one stream
 * alone has it; POOL and DVE share one, and SP has none of its own.  All of it is marked as
 * likely. */
#include "ntff.h"

#define FEWEST_SLOTS 16u
#define MOST_FOUND 64u
enum { FAMILY_PE, FAMILY_ACT, FAMILY_POOL_DVE, FAMILY_SP, FAMILIES };

typedef struct {
  uint64_t at, n;
  unsigned family;
} Shape;

/* Returns the family of the opcodes (their top three bits) that one in ten has at least; those of
 * SP have families that all engines share. */
static unsigned
family_of (const uint8_t *data, const Shape *s)
{
  uint64_t count[8] = { 0 };
  unsigned best = FAMILY_PE;
  for (uint64_t i = 0; i < s->n; i++)
    count[data[s->at + i * NTFF_SLOT] >> 5]++;
  for (unsigned f = FAMILY_ACT; f <= FAMILY_POOL_DVE; f++)
    if (count[f] > count[best])
      best = f;
  return count[best] * 10 >= s->n ? best : FAMILY_SP;
}

static uint64_t
skip_arrays (const GArray *arrays, guint *next, uint64_t at)
{
  for (; *next < arrays->len; (*next)++) {
    const NtffArray *a = &g_array_index (arrays, NtffArray, *next);
    if (at < a->at)
      break;
    at = MAX (at, a->at + a->n * NTFF_RECORD);
  }
  return at;
}

static uint64_t
count_slots (const NtffMessage *m, uint64_t at)
{
  uint64_t n = 0;
  for (; m->len - at >= NTFF_SLOT && m->data[at] != 0 && m->data[at + 1] == 0x10; at += NTFF_SLOT)
    n++;
  return n;
}

static GArray *
find_shapes (const NtffMessage *m, const GArray *arrays)
{
  GArray *shapes = g_array_new (FALSE, FALSE, sizeof (Shape));
  guint next = 0;
  for (uint64_t at = NTFF_HEADER; at + NTFF_SLOT <= m->len && shapes->len < MOST_FOUND;) {
    uint64_t free_at = skip_arrays (arrays, &next, at);
    if (free_at != at) {
      at = free_at;
      continue;
    }
    const uint8_t *found = memchr (m->data + at + 1, 0x10, m->len - at - 1);
    if (!found)
      break;
    uint64_t p = (uint64_t) (found - m->data) - 1;
    if (next < arrays->len && p >= g_array_index (arrays, NtffArray, next).at) {
      at = p;
      continue;
    }
    Shape s = { .at = p, .n = count_slots (m, p) };
    s.family = family_of (m->data, &s);
    if (s.n >= FEWEST_SLOTS)
      g_array_append_val (shapes, s);
    at = s.n >= FEWEST_SLOTS ? p + s.n * NTFF_SLOT : p + 1;
  }
  return shapes;
}

static void
add_stream (GArray *streams, const Shape *s, uint32_t engine)
{
  NtffStream stream = { .engine = engine, .at = s->at, .n = s->n, .likely = true };
  g_array_append_val (streams, stream);
}

void
ntff_shapes (const NtffMessage *m, const GArray *arrays, GArray *streams)
{
  g_autoptr (GArray) shapes = find_shapes (m, arrays);
  const Shape *of[FAMILIES][2] = { { NULL } };
  guint n[FAMILIES] = { 0 };
  for (guint i = 0; i < shapes->len; i++) {
    const Shape *s = &g_array_index (shapes, Shape, i);
    if (n[s->family] < 2)
      of[s->family][n[s->family]] = s;
    n[s->family]++;
  }
  if (n[FAMILY_PE] == 1)
    add_stream (streams, of[FAMILY_PE][0], NTFF_PE);
  if (n[FAMILY_ACT] == 1)
    add_stream (streams, of[FAMILY_ACT][0], NTFF_ACT);
  if (n[FAMILY_SP] == 1)
    add_stream (streams, of[FAMILY_SP][0], NTFF_SP);
  if (n[FAMILY_POOL_DVE] == 2) {
    add_stream (streams, of[FAMILY_POOL_DVE][0], NTFF_POOL);
    add_stream (streams, of[FAMILY_POOL_DVE][1], NTFF_DVE);
  }
}
