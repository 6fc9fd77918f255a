/* SPDX-License-Identifier: Apache-2.0 */
/* instructions.c - reads instructions: pairs of start and end, what they were by the code of their
 * own core, and their rows. */
#include "file.h"

#include "../common/names.h"

#define WRAP 65536u /* where the counter of waited cycles begins again                    */
#define SLACK 200u  /* cycles between the end of a wait by the clock and by the counter    */

typedef struct {
  uint64_t ticks, at;
  uint32_t cycles;
  uint32_t hint;
  bool lost;
} Start;

typedef struct {
  GHashTable *open; /* of Start, by pc + 1                  */
  int64_t before;   /* end of the instruction before        */
  bool has_before;
} Engine;

/* -- Pairs ---------------------------------------------------------------------------------- */

/* Returns the true count of a counter that a long wait turned over: the gap before it says how
 * often, where the gap and the counter agree but for that. */
static uint64_t
true_cycles (const NtffClock *clock, const Engine *e, int64_t start, uint32_t cycles)
{
  if (!e->has_before || start <= e->before)
    return cycles;
  /* It is the counter's own unit: nominal / 1024 ps, or 1 / 1.4 ns where ticks are ps already. */
  uint64_t nominal = clock->nominal > 1 ? clock->nominal : 0;
  if (!nominal)
    return cycles;
  __int128 gap = (__int128) (start - e->before) * 1024 / clock->actual;
  if (gap < WRAP)
    return cycles;
  uint64_t turns = (uint64_t) ((gap - cycles) / WRAP), rest = (uint64_t) ((gap - cycles) % WRAP);
  return rest <= SLACK ? cycles + turns * WRAP : cycles;
}

static const uint8_t *
code_of (const NtffWalk *w, const NtffGraph *g, uint32_t engine, uint32_t pc, uint32_t *slot)
{
  const NtffCode *code = &g->code[engine];
  *slot = (uint32_t) (pc - code->address / NTFF_SLOT) & 0xfffff;
  uint64_t from = (uint64_t) *slot * NTFF_SLOT;
  return from + NTFF_SLOT <= code->size ? w->n->data + code->at + from : NULL;
}

static void
begin (NtffWalk *w, Engine *e, const NtffRecord *r, uint64_t at)
{
  gpointer key = GUINT_TO_POINTER ((r->meta & 0xfffff) + 1);
  Start *start = g_new (Start, 1);
  *start = (Start){ r->time, at, r->meta2 >> 16, r->meta >> 20 & 15, r->meta >> 30 & 1 };
  w->unended += g_hash_table_contains (e->open, key);
  g_hash_table_replace (e->open, key, start);
}

static nprof_status
finish (NtffWalk *w, const NtffPart *part, Engine *e, uint32_t engine, const NtffRecord *r,
        NtffEach fn, void *user)
{
  const NtffGraph *g = ntff_graph (w->f, part->graph);
  uint32_t pc = r->meta & 0xfffff;
  const Start *start = g_hash_table_lookup (e->open, GUINT_TO_POINTER (pc + 1));
  if (!start) {
    w->unstarted++;
    return NPROF_OK;
  }
  NtffInstruction i = { .at = start->at,
                        .engine = engine,
                        .hint = start->hint,
                        .lost = start->lost,
                        .crc_in = r->meta2 & 0xffff,
                        .crc_out = r->meta2 >> 16 };
  bool timed = ntff_time (&g->clocks[engine], start->ticks, &i.start)
               && ntff_time (&g->clocks[engine], r->time, &i.end) && i.end >= i.start;
  i.code = code_of (w, g, engine, pc, &i.slot);
  i.cycles = timed ? true_cycles (&g->clocks[engine], e, i.start, start->cycles) : 0;
  g_hash_table_remove (e->open, GUINT_TO_POINTER (pc + 1));
  if (!timed) {
    w->errors++;
    return NPROF_OK;
  }
  e->before = e->has_before ? MAX (e->before, i.end) : i.end;
  e->has_before = true;
  return fn (w, part, &i, user);
}

nprof_status
ntff_each_instruction (NtffWalk *w, const NtffPart *part, NtffEach fn, void *user)
{
  Engine engines[NTFF_ENGINES];
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < NTFF_ENGINES; i++)
    engines[i] = (Engine){ .open = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  for (uint64_t k = 0; k < part->n && !status; k++) {
    uint64_t at = part->at + k * NTFF_RECORD;
    NtffRecord r = ntff_record (w->n->data + at);
    unsigned type = ntff_type (&r);
    if (type < NTFF_INST || type > NTFF_INST_LAST) {
      w->errors++;
      continue;
    }
    uint32_t engine = (type - NTFF_INST) >> 2;
    if (((type - NTFF_INST) & 3) == NTFF_START)
      begin (w, &engines[engine], &r, at);
    else if (((type - NTFF_INST) & 3) == NTFF_END)
      status = finish (w, part, &engines[engine], engine, &r, fn, user);
  }
  for (guint i = 0; i < NTFF_ENGINES; i++) {
    w->unended += g_hash_table_size (engines[i].open);
    g_hash_table_unref (engines[i].open);
  }
  return status;
}

/* -- Rows ------------------------------------------------------------------------------------ */

typedef struct {
  nprof_str name;
  nprof_set shared;
} Named;

static nprof_set
shared_set (Ntff *n, uint32_t engine, int opcode)
{
  const struct nprof_host *h = n->host;
  char text[8];
  g_snprintf (text, sizeof text, "0x%02x", (unsigned) (opcode & 0xff));
  nprof_str key[2] = { nprof_intern (h, NPROF_KEY_ENGINE), nprof_intern (h, NPROF_KEY_OPCODE) };
  uint8_t type[2] = { NPROF_STRING, NPROF_STRING };
  nprof_value value[2] = { { .s = nprof_intern (h, ntff_engine_name[engine]) },
                           { .s = opcode < 0 ? 0 : nprof_intern (h, text) } };
  struct nprof_attrs attrs
      = { .size = sizeof attrs, .n = opcode < 0 ? 1 : 2, .key = key, .type = type, .value = value };
  return h->attrs (h, &attrs);
}

/* Returns the name, cached by engine and opcode, -1 where the code is not in the file. */
static const Named *
named (NtffWalk *w, uint32_t engine, int opcode)
{
  gpointer key = GUINT_TO_POINTER ((guint) (opcode + 1) * 8 + engine + 1);
  char text[24];
  if (!w->names)
    w->names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Named *found = g_hash_table_lookup (w->names, key);
  if (found)
    return found;
  g_snprintf (text, sizeof text, "opcode 0x%02x", (unsigned) (opcode & 0xff));
  const char *mnemonic = opcode < 0 ? NULL : neff_opcode ((uint8_t) opcode);
  found = g_new0 (Named, 1);
  found->name = nprof_intern (w->n->host, opcode < 0 ? "unknown instruction"
                                          : mnemonic ? mnemonic
                                                     : text);
  found->shared = shared_set (w->n, engine, opcode);
  g_hash_table_insert (w->names, key, found);
  return found;
}

/* Returns the category.  The vendor's active time leaves out an engine that waits for a semaphore.
 * An instruction that is not in the code may be that, or work. */
static nprof_str
category_of (const Ntff *n, const NtffGraph *g, const NtffInstruction *i)
{
  if (i->start < g->origin)
    return n->category_setup;
  if (!i->code)
    return n->category_unknown;
  return i->code[0] == NTFF_OP_EVENT_SEMAPHORE ? n->category_wait : n->category_instruction;
}

/* Puts two flops for each multiply-accumulate: rows * columns * the length of the moving tensor;
 * and which of them are a transpose, where the compiler says so of it. */
static nprof_status
put_flops (NtffWalk *w, uint32_t graph, const NtffInstruction *i)
{
  enum { TRANSPOSE = 3 };
  uint16_t size;
  memcpy (&size, i->code + 26, 2);
  uint64_t flops = UINT64_C (2) * i->code[38] * i->code[39] * GUINT16_FROM_LE (size);
  nprof_status status = ntff_attr (w->n, NTFF_KEY_FLOPS, flops);
  guint kind = status ? 0 : ntff_kind_of (w, graph, i);
  return kind ? ntff_attr (w->n, NTFF_KEY_TRANSPOSE, kind == TRANSPOSE ? flops : 0) : status;
}

static nprof_status
put_attrs (NtffWalk *w, uint32_t graph, const NtffInstruction *i)
{
  Ntff *n = w->n;
  nprof_status status = ntff_attr (n, NTFF_KEY_PC, i->slot);
  if (!status && i->cycles)
    status = ntff_attr (n, NTFF_KEY_WAIT, i->cycles);
  if (!status && i->hint)
    status = ntff_attr (n, NTFF_KEY_HINT, i->hint);
  if (!status && i->crc_in)
    status = ntff_attr (n, NTFF_KEY_CRC_IN, i->crc_in);
  if (!status && i->crc_out)
    status = ntff_attr (n, NTFF_KEY_CRC_OUT, i->crc_out);
  if (!status && i->code && i->code[0] == NTFF_OP_MATMUL)
    status = put_flops (w, graph, i);
  return status;
}

static nprof_status
gap (NtffWalk *w, nprof_track track, int64_t start)
{
  nprof_str name = nprof_intern (w->n->host, "hardware overflow");
  w->lost++;
  return nprof_row (w->n->w, NPROF_GAP, track, name, start - w->origin, 0);
}

static nprof_status
row (NtffWalk *w, const NtffPart *part, const NtffInstruction *i, void *user)
{
  Ntff *n = w->n;
  (void) user;
  if (i->start < w->origin || i->end > w->end) {
    *(i->start < w->origin ? &w->before : &w->after) += 1;
    return NPROF_OK;
  }
  const Named *as = named (w, i->engine, i->code ? i->code[0] : -1);
  nprof_track track = ntff_engine (w, part->graph, i->engine);
  if (!track || !as->shared)
    return NPROF_E_NOMEM;
  w->last = MAX (w->last, i->end - w->origin);
  nprof_status status = i->lost ? gap (w, track, i->start) : NPROF_OK;
  if (!status)
    status = nprof_span (n->w, track, as->name, i->start - w->origin, i->end - i->start);
  if (status)
    return status;
  nprof_set_category (n->w, category_of (n, ntff_graph (w->f, part->graph), i));
  nprof_set_shared (n->w, as->shared);
  nprof_set_id (n->w, i->at);
  status = put_attrs (w, part->graph, i);
  if (status || !i->code)
    return status;
  bool tied = ntff_see_predecessors (w, part->graph, track, i);
  ntff_see_semaphores (w, part->graph, track, i, tied);
  return ntff_put_waits (w, i->code);
}

nprof_status
ntff_instructions (NtffWalk *w, const NtffPart *part)
{
  return ntff_each_instruction (w, part, row, NULL);
}
