/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - reads what GPUs did: kernels with their counters, copies, allocations. */
#include "rocpd.h"

#include <string.h>

/* -- Kernels ----------------------------------------------------------------------------------- */

typedef struct {
  RpPlaceAt place;
  int kernel, dispatch, shared, scratch, graph, node, block[3], grid[3];
} KernelAt;

static int
column_if (DbRows *rows, const char *name, bool wanted)
{
  return wanted ? db_column (rows, name) : -1;
}

static void
lay_out_kernels (RpGuid *g, DbRows *rows, gpointer data)
{
  static const char *const blocks[]
      = { "workgroup_size_x", "workgroup_size_y", "workgroup_size_z" };
  static const char *const grids[] = { "grid_size_x", "grid_size_y", "grid_size_z" };
  KernelAt *at = data;
  const Rocm *rocm = &g->self->rocm;
  *at = (KernelAt){ .kernel = db_column (rows, "kernel_id"),
                    .dispatch = column_if (rows, "dispatch_id", rocm->want_dispatch),
                    .shared = column_if (rows, "group_segment_size", rocm->want_kernel),
                    .scratch = column_if (rows, "private_segment_size", rocm->want_scratch),
                    .graph = column_if (rows, "graph_exec_id", rocm->want_graph),
                    .node = column_if (rows, "graph_node_id", rocm->want_graph) };
  rp_lay_out_place (rows, &at->place);
  for (guint i = 0; i < 3; i++) {
    at->block[i] = column_if (rows, blocks[i], rocm->want_kernel);
    at->grid[i] = column_if (rows, grids[i], rocm->want_kernel);
  }
}

static nprof_status
take_kernel (RpGuid *g, DbRows *rows, gpointer data)
{
  const KernelAt *at = data;
  RpPlace place;
  nprof_status status;
  gint64 id;
  bool begun;
  if (!rp_place (g, rows, &at->place, "row of rocpd_kernel_dispatch", &place, &status))
    return status;
  const RocmSymbol *symbol = db_int (rows, at->kernel, &id) ? ids_find (&g->symbols, id) : NULL;
  RocmKernel k = { .span = place.span,
                   .agent = rocm_agent_of (place.process, (guint64) place.where.agent),
                   .name = symbol ? symbol->name
                                  : nprof_intern (g->self->rocm.host, "kernel without a name"),
                   .queue = place.where.queue,
                   .stream = place.where.stream,
                   .dispatch = rp_number (rows, at->dispatch),
                   .shared = rp_number (rows, at->shared),
                   .scratch = rp_number (rows, at->scratch),
                   .registers = symbol ? symbol->registers : ROCM_UNKNOWN,
                   .graph = rp_number (rows, at->graph),
                   .node = rp_number (rows, at->node) };
  for (guint i = 0; i < 3; i++) {
    k.block[i] = rp_number (rows, at->block[i]);
    k.grid[i] = rp_number (rows, at->grid[i]);
  }
  status = rocm_kernel (place.process, &k, &begun);
  return status || !place.event ? status : rp_counts_take (g, place.event->id, begun);
}

/* -- Copies ------------------------------------------------------------------------------------ */

typedef struct {
  RpPlaceAt place;
  int name, from, to, bytes;
} CopyAt;

static void
lay_out_copies (RpGuid *g, DbRows *rows, gpointer data)
{
  CopyAt *at = data;
  (void) g;
  *at = (CopyAt){ .name = db_column (rows, "name_id"),
                  .from = db_column (rows, "src_agent_id"),
                  .to = db_column (rows, "dst_agent_id"),
                  .bytes = db_column (rows, "size") };
  rp_lay_out_place (rows, &at->place);
}

static RocmAgent *
agent_at (const RpPlace *place, const DbRows *rows, int column)
{
  gint64 id;
  return db_int (rows, column, &id) ? rocm_agent_of (place->process, (guint64) id) : NULL;
}

static nprof_status
take_copy (RpGuid *g, DbRows *rows, gpointer data)
{
  const CopyAt *at = data;
  RpPlace place;
  nprof_status status;
  if (!rp_place (g, rows, &at->place, "row of rocpd_memory_copy", &place, &status))
    return status;
  const nprof_str way = rp_text (&g->strings, rp_number (rows, at->name));
  return rocm_copy (place.process,
                    &(RocmCopy){ .span = place.span,
                                 .from = agent_at (&place, rows, at->from),
                                 .to = agent_at (&place, rows, at->to),
                                 .way = way ? nprof_text (g->self->rocm.host, way) : NULL,
                                 .queue = place.where.queue,
                                 .stream = place.where.stream,
                                 .bytes = rp_number (rows, at->bytes) });
}

/* -- Allocations ------------------------------------------------------------------------------- */

typedef struct {
  RpPlaceAt place;
  int type, level, address, bytes;
} UseAt;

static void
lay_out_uses (RpGuid *g, DbRows *rows, gpointer data)
{
  UseAt *at = data;
  (void) g;
  *at = (UseAt){ .type = db_column (rows, "type"),
                 .level = db_column (rows, "level"),
                 .address = db_column (rows, "address"),
                 .bytes = db_column (rows, "size") };
  rp_lay_out_place (rows, &at->place);
}

static nprof_status
take_use (RpGuid *g, DbRows *rows, gpointer data)
{
  static const char what[] = "row of rocpd_memory_allocate";
  const UseAt *at = data;
  const struct nprof_host *host = g->self->rocm.host;
  RpPlace place;
  nprof_status status;
  gint64 address;
  if (!rp_place (g, rows, &at->place, what, &place, &status))
    return status;
  const char *type = db_text (rows, at->type), *level = db_text (rows, at->level);
  if (!type || !db_int (rows, at->address, &address))
    return db_damaged (rows, "type is no text, or address no number");
  if (level && strcmp (level, "VIRTUAL") == 0) {
    host->skip (host, what, 0, "it reserves addresses, no memory");
    return NPROF_OK;
  }
  rocm_use (place.process,
            &(RocmUse){ .span = place.span,
                        .agent = rocm_agent_of (place.process, (guint64) place.where.agent),
                        .frees = strstr (type, "FREE") || strstr (type, "RECLAIM"),
                        .address = (guint64) address,
                        .bytes = rp_number (rows, at->bytes) });
  return NPROF_OK;
}

nprof_status
rp_work (RpGuid *g)
{
  KernelAt kernels;
  CopyAt copies;
  UseAt uses;
  nprof_status status
      = rp_each (g, "kernel_dispatch", false, lay_out_kernels, take_kernel, &kernels);
  if (!status)
    status = rp_each (g, "memory_copy", false, lay_out_copies, take_copy, &copies);
  return status ? status : rp_each (g, "memory_allocate", false, lay_out_uses, take_use, &uses);
}
