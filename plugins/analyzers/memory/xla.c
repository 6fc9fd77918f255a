/* SPDX-License-Identifier: Apache-2.0 */
/* xla.c - reads rows MemoryAllocation and MemoryDeallocation of XLA's and TensorFlow's allocators.
 * source: tsl/profiler/lib/scoped_memory_debug_annotation.h, xprof memory_profile */
#include "devicekit/allocator-name.h"
#include "memory.h"

#include <math.h>

enum {
  ALLOCATOR,
  INDEX,
  ORDINAL,
  RESERVED,
  ALLOCATED,
  AVAILABLE,
  FRAGMENTATION,
  LIFETIME,
  REQUESTED,
  BYTES,
  ADDRESS,
  OPERATOR,
  REGION,
  SHAPES,
  SHAPE
};

const char *const me_xla_keys[]
    = { "allocator_name",  "index_on_host",    "device_ordinal", "bytes_reserved",
        "bytes_allocated", "bytes_available",  "fragmentation",  "peak_bytes_in_use",
        "requested_bytes", "allocation_bytes", "addr",           NPROF_KEY_FRAMEWORK_OP,
        "region_type",     "tensor_shapes",    NPROF_KEY_SHAPE,  NULL };

static gint64
number (const Memory *m, guint key)
{
  int64_t value;
  if (!m->reader.field[key].type || !nprof_reader_int (&m->reader, key, &value))
    return -1;
  return value;
}

static nprof_str
text (const Memory *m, guint key)
{
  return an_text_of_xla (&m->reader, key);
}

static double
fragmentation (const Memory *m)
{
  double value;
  const struct nprof_field *f = &m->reader.field[FRAGMENTATION];
  if (f->type == NPROF_DOUBLE)
    value = f->value.f;
  else
    value = number (m, FRAGMENTATION) >= 0 ? (double) number (m, FRAGMENTATION) : NAN;
  return value >= 0 && value <= 1 ? value : NAN;
}

static guint
holder (Memory *m)
{
  const guint32 words[H_WORDS]
      = { [H_OPERATOR] = text (m, OPERATOR),
          [H_SHAPE] = text (m, SHAPES) ? text (m, SHAPES) : text (m, SHAPE),
          [H_REGION] = text (m, REGION) };
  return me_holder (m, words);
}

void
me_xla (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&m->reader, batch, i);
  nprof_str name = an_allocator_of_xla (&m->reader, ALLOCATOR, ORDINAL, INDEX);
  gint64 reserved = number (m, RESERVED), allocated = number (m, ALLOCATED),
         available = number (m, AVAILABLE);
  if (!name || allocated < 0)
    return;
  bool allocates = batch->name[i] == m->name_allocation;
  gint64 used = allocated + MAX (reserved, 0), bytes = MAX (number (m, BYTES), 0);
  Change c = { .at = batch->start[i],
               .allocates = allocates,
               .bytes = allocates ? bytes : 0,
               .address = number (m, ADDRESS),
               .has_address = m->reader.field[ADDRESS].type != NPROF_NULL,
               .has_total = true,
               .hidden = nprof_hidden (batch, i),
               .total = used,
               .reserved = reserved,
               .capacity = available >= 0 ? used + available : -1,
               .lifetime = number (m, LIFETIME),
               .asked = number (m, REQUESTED),
               .rounded = -1,
               .fragmentation = fragmentation (m),
               .holder = holder (m) };
  Allocator *a = me_allocator (m, batch->input, 0, name);
  a->last_peak = true;
  me_change (m, a, &c);
}
