/* SPDX-License-Identifier: Apache-2.0 */
/* operator-cache.c - finds which operator a row of a device is an occurrence of, and what it
 * states.  Rows that share a set of attributes mostly share all of that: it is remembered for each
 * set. */
#include "operators.h"

#include "devicekit/set-memory.h"

#include <nprof/keys.h>

enum {
  FRAMEWORK = AN_N_FLOPS_KEYS,
  HLO,
  TEXT,
  OPCODE,
  LAYER,
  DEDUPLICATED,
  PROGRAM,
  ACCESSED,
  READ,
  WRITTEN,
  BYTES,
  SHAPE,
  OFFSET,
  DURATION,
  OPERATOR,
  HBM_READ,
  HBM_WRITTEN,
  ON_CHIP,
  ON_CHIP_END = ON_CHIP + 4
};
static const char *const keys[] = { AN_FLOPS_KEYS, OPERATOR_KEYS, NULL };

/* Rows of a set that are of one device, name and category say this. */
struct _OperatorCache {
  AnOfSet of;
  OpFacts facts;
};

nprof_status
operator_cache_init (Operators *self)
{
  self->known = g_new0 (OperatorCache, AN_SETS);
  return nprof_reader_init (&self->pick, self->host, keys);
}

void
operator_cache_clear (Operators *self)
{
  g_clear_pointer (&self->known, g_free);
  nprof_reader_clear (&self->pick);
}

static void
pick_work (const struct nprof_reader *pick, OpFacts *facts)
{
  int64_t read, written;
  facts->flops = an_flops (pick, 0);
  facts->has_bytes = an_amount (pick, ACCESSED, &facts->bytes)
                     && facts->bytes; /* 0 is how compilers write unknown */
  if (facts->has_bytes)
    return;
  bool reads = an_amount (pick, READ, &read) || an_amount (pick, HBM_READ, &read),
       writes = an_amount (pick, WRITTEN, &written) || an_amount (pick, HBM_WRITTEN, &written);
  if (reads || writes)
    facts->has_bytes
        = !__builtin_add_overflow (reads ? read : 0, writes ? written : 0, &facts->bytes);
  else
    facts->has_bytes = an_amount (pick, BYTES, &facts->bytes);
}

/* The numbers that a row states of its core's memory; those that it leaves out are none. */
static void
pick_on_chip (const struct nprof_reader *pick, OpFacts *facts)
{
  int64_t bytes, sum = 0;
  bool states = false, fits = true;
  for (uint32_t key = ON_CHIP; key < ON_CHIP_END; key++)
    if (an_amount (pick, key, &bytes)) {
      states = true;
      fits = fits && !__builtin_add_overflow (sum, bytes, &sum);
    }
  facts->has_on_chip = states && fits;
  facts->on_chip = facts->has_on_chip ? sum : 0;
}

/* Clears unknown numbers, so that they add nothing. */
static void
clear_unknown (OpFacts *facts)
{
  facts->flops.all = facts->flops.knows_all ? facts->flops.all : 0;
  facts->flops.model = facts->flops.knows_model ? facts->flops.model : 0;
  facts->bytes = facts->has_bytes ? facts->bytes : 0;
}

/* Returns the facts of the row that was picked. */
static OpFacts
picked (Operators *self, nprof_track device, nprof_str name, nprof_str category)
{
  const struct nprof_reader *pick = &self->pick;
  OpFacts facts = { .is_kernel = is_kernel (self, category) };
  uint64_t program = 0;
  nprof_reader_uint (pick, PROGRAM, &program);
  nprof_str text = nprof_reader_str (pick, TEXT), path = nprof_reader_str (pick, FRAMEWORK);
  guint32 tuple[OP_WORDS] = {
    [OP_DEVICE] = device,
    [OP_NAME] = name,
    [OP_CATEGORY] = category,
    [OP_FRAMEWORK] = path ? path : nprof_reader_str (pick, OPERATOR),
    [OP_HLO] = nprof_reader_str (pick, HLO),
    [OP_HLO_TEXT] = text,
    [OP_OPCODE] = nprof_reader_str (pick, OPCODE),
    [OP_LAYER] = nprof_reader_str (pick, LAYER),
    [OP_DEDUPLICATED] = nprof_reader_str (pick, DEDUPLICATED),
    [OP_PROGRAM_LOW] = (guint32) program,
    [OP_PROGRAM_HIGH] = (guint32) (program >> 32),
    [OP_SHAPE] = text ? 0 : nprof_reader_str (pick, SHAPE),
  };
  command_buffers_resolve (self, tuple);
  facts.op = op_number (self, tuple);
  pick_work (pick, &facts);
  pick_on_chip (pick, &facts);
  clear_unknown (&facts);
  return facts;
}

/* It stands apart, so that the usual case saves no registers. */
static __attribute__ ((noinline)) void
remember (Operators *self, OperatorCache *k, nprof_track device, nprof_set set, nprof_str name,
          nprof_str category)
{
  k->of = an_of_set (&self->pick, OFFSET, DURATION, set, device, name, category);
  k->facts = picked (self, device, name, category);
}

static __attribute__ ((noinline)) const OpFacts *
pick_all (Operators *self, nprof_track device, const struct nprof_batch *batch, uint32_t i,
          AnClock *clock)
{
  nprof_reader_row (&self->pick, batch, i);
  *clock = an_clock (&self->pick, OFFSET, DURATION);
  self->facts = picked (self, device, batch->name[i], batch->category[i]);
  return &self->facts;
}

/* Returns the facts of the row's set alone, unless rows of the set differ. */
const OpFacts *
operator_cache_row (Operators *self, const AnPlace *place, guint8 own,
                    const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  nprof_track device = place->device;
  nprof_set set = an_set_of_row (&self->pick, OFFSET, DURATION, own, batch, i, clock);
  if (!set)
    return pick_all (self, device, batch, i, clock);
  nprof_str name = batch->name[i], category = batch->category[i];
  OperatorCache *k = self->known + set % AN_SETS;
  if (G_UNLIKELY (!an_of_set_is (&k->of, set, device, name, category)))
    remember (self, k, device, set, name, category);
  return k->of.has_clock ? pick_all (self, device, batch, i, clock) : &k->facts;
}
