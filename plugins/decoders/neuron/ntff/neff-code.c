/* SPDX-License-Identifier: Apache-2.0 */
/* neff-code.c - ties the code that ran, which lies in the NTFF, to that of the NEFF, and so to what
 * the compiler's debug info says of each instruction.
 *
 * The runtime puts code of its own before and behind that of the compiler, drops its slots of
 * opcode 0xcc, and makes 0xd4, a transfer, 0xb8; all others keep their opcode, the semaphores that
 * they wait for and raise, and the value.  Where these fit in one place alone, it is that place. */
#include "file.h"

#include "../common/debug.h"

enum { OP_DROPPED = 0xcc, OP_TRANSFER = 0xd4 };

#define MOST_INSTRUCTIONS (1u << 20) /* of the debug info of one engine                */
#define MOST_COMPARED (1u << 26)     /* slots that are compared to place one engine    */

const char *const ntff_neff_engine[NTFF_ENGINES] = { "PE", "Activation", "Pool", "DVE", "SP" };

typedef struct {
  uint32_t first;      /* slot that ran of the first instruction of the compiler */
  GArray *lines;       /* of uint32_t: its numbers, without those that are dropped */
  DebugFile *assembly; /* the instructions in their order, with their ids          */
  DebugFile *made;     /* what they are, by id; NULL: nothing is known             */
} Engine;

struct NtffCompiled {
  Engine engines[NTFF_ENGINES];
};

static void
engine_clear (Engine *e)
{
  g_clear_pointer (&e->lines, g_array_unref);
  g_clear_pointer (&e->assembly, debug_file_free);
  g_clear_pointer (&e->made, debug_file_free);
}

void
ntff_compiled_free (NtffCompiled *compiled)
{
  for (uint32_t i = 0; compiled && i < NTFF_ENGINES; i++)
    engine_clear (&compiled->engines[i]);
  g_free (compiled);
}

/* -- Where the code of the compiler lies ------------------------------------------------------- */

static bool
same_slot (const uint8_t *compiled, const uint8_t *ran)
{
  enum { FROM = 4, TO = 12 }; /* what it waits for and raises, and the value */
  uint8_t opcode = *compiled == OP_TRANSFER ? NTFF_OP_DMA_DIRECT2D : *compiled;
  return opcode == *ran && memcmp (compiled + FROM, ran + FROM, TO - FROM) == 0;
}

static bool
fits (const Engine *e, const uint8_t *compiled, const uint8_t *ran, guint *compared)
{
  for (guint i = 0; i < e->lines->len; i++) {
    uint64_t line = g_array_index (e->lines, uint32_t, i);
    ++*compared;
    if (!same_slot (compiled + line * NTFF_SLOT, ran + (uint64_t) i * NTFF_SLOT))
      return false;
  }
  return true;
}

/* Returns whether there is one place, which it finds. */
static bool
place (Engine *e, const uint8_t *compiled, const uint8_t *ran, uint64_t n_ran)
{
  guint compared = 0, places = 0;
  for (uint64_t at = 0; at + e->lines->len <= n_ran && places < 2; at++) {
    if (compared > MOST_COMPARED)
      return false;
    if (!fits (e, compiled, ran + at * NTFF_SLOT, &compared))
      continue;
    e->first = (uint32_t) at;
    places++;
  }
  return places == 1;
}

static GArray *
lines_of (const uint8_t *compiled, gsize size)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (uint32_t i = 0; (uint64_t) i * NTFF_SLOT + NTFF_SLOT <= size; i++)
    if (compiled[(uint64_t) i * NTFF_SLOT] != OP_DROPPED)
      g_array_append_val (lines, i);
  return lines;
}

/* -- Reading ----------------------------------------------------------------------------------- */

static GBytes *
member (const Ntff *n, const char *graph, const char *before, uint32_t engine, const char *behind)
{
  g_autofree char *name = g_strconcat (graph, "/", before, ntff_neff_engine[engine], behind, NULL);
  return g_hash_table_lookup (n->neff.code, name);
}

static DebugFile *
debug_of (const Ntff *n, const char *graph, const char *level, uint32_t engine)
{
  GBytes *bytes = member (n, graph, level, engine, ".dbg");
  gsize len;
  const char *text = bytes ? g_bytes_get_data (bytes, &len) : NULL;
  return text ? debug_file_new (level, text, len, MOST_INSTRUCTIONS) : NULL;
}

static bool
read_engine (const Ntff *n, const char *graph, const NtffCode *code, uint32_t engine, Engine *e)
{
  GBytes *bytes = member (n, graph, "", engine, ".bin");
  gsize size;
  const uint8_t *compiled = bytes ? g_bytes_get_data (bytes, &size) : NULL;
  if (!compiled)
    return false;
  e->lines = lines_of (compiled, size);
  e->assembly = debug_of (n, graph, "debug_info_asm_", engine);
  e->made = debug_of (n, graph, "debug_info_backend_", engine);
  return e->assembly && e->made && e->assembly->instructions->len == size / NTFF_SLOT
         && place (e, compiled, n->data + code->at, code->size / NTFF_SLOT);
}

NtffCompiled *
ntff_compiled_new (const Ntff *n, const NtffGraph *g)
{
  if (!n->neff.code || !g->name)
    return NULL;
  NtffCompiled *compiled = g_new0 (NtffCompiled, 1);
  for (uint32_t i = 0; i < NTFF_ENGINES; i++)
    if (!read_engine (n, nprof_text (n->host, g->name), &g->code[i], i, &compiled->engines[i]))
      engine_clear (&compiled->engines[i]);
  return compiled;
}

bool
ntff_compiled_find (const NtffCompiled *compiled, uint32_t engine, uint32_t slot, NtffMade *made)
{
  const Engine *e = compiled ? &compiled->engines[engine] : NULL;
  if (!e || !e->made || slot < e->first || slot - e->first >= e->lines->len)
    return false;
  uint32_t line = g_array_index (e->lines, uint32_t, slot - e->first);
  const DebugInstruction *own = &g_array_index (e->assembly->instructions, DebugInstruction, line);
  if (own->n_parents != 1)
    return false;
  made->instruction
      = debug_file_find (e->made, g_array_index (e->assembly->parents, guint64, own->first_parent));
  made->file = e->made;
  return made->instruction != NULL;
}
