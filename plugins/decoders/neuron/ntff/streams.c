/* SPDX-License-Identifier: Apache-2.0 */
/* streams.c - finds the instruction streams that engine_instruction_info messages name: where the
 * code of each engine lies, and in which order. shapes.c finds streams without a message. */
#include "ntff.h"

/* format: ntff.md, engine_instruction_info */
enum { ADDRESS = 1, ENGINE, CODE, ENGINE_INDEX, BLOCK, SECTION, OFFSET, SIZE };
#define MEMBER_OF_SUBGRAPH 4u

typedef struct {
  uint32_t core, engine;
  uint64_t address, at, size;
  bool inlined;
} Piece;

/* Returns whether fields 1 to 8 come once each, the numbers as integers. */
static bool
has_shape (const NtffMessage *m, uint32_t node, const NtffField **field)
{
  memset (field, 0, (SIZE + 1) * sizeof *field);
  for (uint32_t i = ntff_node (m, node)->first; i != NTFF_NONE; i = ntff_field (m, i)->next) {
    const NtffField *f = ntff_field (m, i);
    bool number = f->number != CODE && f->number != SECTION;
    if (f->number > SIZE || field[f->number] || (number && f->kind != NTFF_INT))
      return false;
    field[f->number] = f;
  }
  return ntff_node (m, node)->first != NTFF_NONE;
}

static uint64_t
value_of (const NtffField *f)
{
  return f ? f->value : 0; /* proto3 leaves zeros out */
}

static bool
read_piece (const NtffMessage *m, uint32_t node, Piece *piece)
{
  const NtffField *field[SIZE + 1];
  if (ntff_node (m, node)->number != MEMBER_OF_SUBGRAPH || !has_shape (m, node, field))
    return false;
  if (value_of (field[ENGINE]) >= NTFF_ENGINES || value_of (field[BLOCK]) != 0)
    return false;
  uint64_t size = value_of (field[SIZE]);
  bool inlined = field[CODE] && field[CODE]->kind != NTFF_INT && !field[SIZE];
  if (!inlined && (size == 0 || size % NTFF_SLOT))
    return false;
  *piece = (Piece){ .engine = (uint32_t) value_of (field[ENGINE]),
                    .address = value_of (field[ADDRESS]),
                    .inlined = inlined };
  piece->at = inlined ? field[CODE]->from : value_of (field[OFFSET]);
  piece->size = inlined ? field[CODE]->to - field[CODE]->from : size;
  return true;
}

/* Returns whether nine in ten slots have 0x10 (16 words) as their second byte. */
bool
ntff_are_slots (const uint8_t *data, uint64_t len, uint64_t at, uint64_t size)
{
  if (at > len || size > len - at || size < NTFF_SLOT || size % NTFF_SLOT)
    return false;
  uint64_t n = size / NTFF_SLOT, step = MAX (1, n / 4096), all = 0, good = 0;
  for (uint64_t i = 0; i < n; i += step) {
    all++;
    good += data[at + i * NTFF_SLOT + 1] == 0x10;
  }
  return good * 10 >= all * 9;
}

static bool
piece_fits (const NtffMessage *m, const Piece *piece, uint64_t base)
{
  if (!piece->inlined && piece->at > m->len)
    return false;
  return ntff_are_slots (m->data, m->len, piece->at + (piece->inlined ? 0 : base), piece->size);
}

/* Finds from where offsets count: from where the arrays' do, else where most pieces look like
 * code. */
static uint64_t
find_base (const NtffMessage *m, const NtffFound *found, const GArray *pieces)
{
  uint64_t bases[16] = { m->end, NTFF_HEADER, 0 }, best = 0;
  guint n = 3, score = 0;
  if (found->learned && !found->inlined)
    return found->base;
  for (uint64_t to = 8; to <= 4096; to *= 2)
    bases[n++] = (m->end + to - 1) / to * to;
  for (guint b = 0; b < n; b++) {
    guint good = 0;
    for (guint i = 0; i < pieces->len; i++)
      good += piece_fits (m, &g_array_index (pieces, Piece, i), bases[b]);
    if (b == 0 || good > score) {
      best = bases[b];
      score = good;
    }
  }
  return best;
}

static int
by_engine_and_address (gconstpointer a, gconstpointer b)
{
  const Piece *x = a, *y = b;
  if (x->core != y->core)
    return x->core < y->core ? -1 : 1;
  if (x->engine != y->engine)
    return x->engine < y->engine ? -1 : 1;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Adds the pieces first..first + n of one engine; nothing when they are not contiguous, because the
 * meaning of a pc is not known then. */
static void
add_engine (const Piece *pieces, guint n, GArray *streams)
{
  uint64_t slot = 0;
  for (guint i = 1; i < n; i++)
    if (pieces[i].address != pieces[i - 1].address + pieces[i - 1].size)
      return;
  for (guint i = 0; i < n; i++) {
    NtffStream s = { .core = pieces[i].core,
                     .engine = pieces[i].engine,
                     .slot = (uint32_t) slot,
                     .at = pieces[i].at,
                     .n = pieces[i].size / NTFF_SLOT };
    slot += s.n;
    g_array_append_val (streams, s);
  }
}

bool
ntff_streams (const NtffMessage *m, const NtffFound *found, const GArray *cores, GArray *streams)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  Piece piece;
  for (guint i = 1; i < m->nodes->len; i++)
    if (read_piece (m, i, &piece)) {
      piece.core = ntff_core_of (m, cores, i);
      g_array_append_val (pieces, piece);
    }
  uint64_t base = find_base (m, found, pieces);
  guint n = 0;
  for (guint i = 0; i < pieces->len; i++) {
    Piece *p = &g_array_index (pieces, Piece, i);
    if (!piece_fits (m, p, base))
      continue;
    p->at += p->inlined ? 0 : base;
    g_array_index (pieces, Piece, n++) = *p;
  }
  g_array_set_size (pieces, n);
  g_array_sort (pieces, by_engine_and_address);
  for (guint i = 0, k; i < n; i = k) {
    const Piece *first = &g_array_index (pieces, Piece, i);
    for (k = i; k < n && g_array_index (pieces, Piece, k).core == first->core
                && g_array_index (pieces, Piece, k).engine == first->engine;)
      k++;
    add_engine (first, k - i, streams);
  }
  return n > 0;
}
