/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - reads what threads did: calls of HIP, HSA, RCCL and others, and ranges of roctx. */
#include "rocpd.h"

typedef struct {
  RpPlaceAt place;
  int name;
} RegionAt;

static void
lay_out (RpGuid *g, DbRows *rows, gpointer data)
{
  RegionAt *at = data;
  (void) g;
  rp_lay_out_place (rows, &at->place);
  at->name = db_column (rows, "name_id");
}

static nprof_status
take_mark (const RpPlace *place, nprof_str call)
{
  const struct nprof_host *host = place->process->self->host;
  return rocm_mark (place->process, &(RocmMark){ .span = place->span,
                                                 .tid = place->where.tid,
                                                 .text = place->event->message,
                                                 .call = call ? nprof_text (host, call) : NULL });
}

static nprof_status
take_region (RpGuid *g, DbRows *rows, gpointer data)
{
  const RegionAt *at = data;
  const struct nprof_host *host = g->self->rocm.host;
  RpPlace place;
  nprof_status status;
  if (!rp_place (g, rows, &at->place, "row of rocpd_region", &place, &status))
    return status;
  const nprof_str name = rp_text (&g->strings, rp_number (rows, at->name));
  const nprof_str kind = place.event ? place.event->category : 0;
  if (kind && rocm_is_marker (nprof_text (host, kind)))
    return take_mark (&place, name);
  return rocm_call (place.process,
                    &(RocmCall){ .span = place.span,
                                 .tid = place.where.tid,
                                 .name = name ? name : nprof_intern (host, "call without a name"),
                                 .category = rp_category (g, kind) });
}

nprof_status
rp_hosts (RpGuid *g)
{
  RegionAt at;
  return rp_each (g, "region", false, lay_out, take_region, &at);
}
