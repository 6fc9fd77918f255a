/* SPDX-License-Identifier: Apache-2.0 */
/* allocations.c - gives the bytes of an allocation to the stack that asked for it, below its
 * allocator: PyTorch's instants `[memory]`, and XLA's rows MemoryAllocation. */
#include "devicekit/allocator-name.h"
#include "devicekit/json-member.h"
#include "flame.h"

bool
fl_allocates (const Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  return batch->name[i] == (batch->kind[i] == NPROF_INSTANT ? f->name_memory : f->name_allocation);
}

typedef struct {
  gint64 bytes; /* 0: it allocates nothing, or does not say how much */
  nprof_str allocator;
} Allocation;

static Allocation
of_json (const Flame *f, const char *json, gsize len)
{
  gint64 bytes, type, device;
  if (!an_json_int (json, len, "Bytes", &bytes) || !an_json_int (json, len, "Device Type", &type))
    return (Allocation){ 0 };
  if (!an_json_int (json, len, "Device Id", &device))
    device = -1;
  return (Allocation){ MAX (bytes, 0), an_allocator_name (f->host, type, device) };
}

static Allocation
of_pytorch (const Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == f->key_args && batch->attr_type[j] == NPROF_JSON)
      return of_json (f, batch->bytes + batch->attr_value[j].bytes.at,
                      batch->attr_value[j].bytes.len);
  return (Allocation){ 0 };
}

static Allocation
of_xla (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  gint64 bytes;
  nprof_reader_row (&f->reader, batch, i);
  if (!nprof_reader_int (&f->reader, K_ALLOCATED, &bytes))
    return (Allocation){ 0 };
  nprof_str name = an_allocator_of_xla (&f->reader, K_ALLOCATOR, K_ORDINAL, K_INDEX);
  return (Allocation){ name ? MAX (bytes, 0) : 0, name };
}

/* Returns the same path of frames below another root. */
static guint32
below (Flame *f, guint32 root, guint32 frame)
{
  const guint32 *key = an_key_table_key (&f->frames, frame - 1);
  const nprof_str name = key[F_NAME];
  if (key[F_PARENT] == G_MAXUINT32)
    return root;
  return fl_frame (f, below (f, root, key[F_PARENT]), name);
}

void
fl_allocation (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  const Allocation a
      = batch->kind[i] == NPROF_INSTANT ? of_pytorch (f, batch, i) : of_xla (f, batch, i);
  if (!a.bytes)
    return;
  guint32 root = fl_root (f, batch->input, fl_clean (f, a.allocator));
  guint32 frame
      = fl_states (f) ? fl_stated (f, batch, i, root) : below (f, root, fl_frame_at (f, batch, i));
  fl_add (f, frame, a.bytes, 1);
}
