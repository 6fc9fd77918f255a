/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c - turns arrows into rows: flow events (s, t, f), and bind_id with flow_in and flow_out of
 * any event. */
#include "trace-event/trace-event.h"

static nprof_status
write_flow (ChPart *part, const TeEvent *event, int64_t start, uint64_t flow, nprof_str phase)
{
  const ChThread *thread = ch_thread (part, event);
  if (!thread)
    return NPROF_E_NOMEM;
  nprof_status status
      = nprof_row (part->w, NPROF_FLOW, thread->thread, ch_text (part, event, TE_NAME), start, 0);
  if (status)
    return status;
  part->unreported++;
  nprof_set_flow (part->w, flow);
  return nprof_attr_str (part->w, part->c->key_flow_phase, phase);
}

nprof_status
ch_flow (ChPart *part, const TeEvent *event, int64_t start)
{
  const Chrome *c = part->c;
  nprof_str phase = event->ph == 's'   ? c->flow_begin
                    : event->ph == 't' ? c->flow_step
                                       : c->flow_end;
  nprof_status status = write_flow (part, event, start, ch_async_key (part, event, 's'), phase);
  if (status)
    return status;
  nprof_str family = ch_category (part, event);
  nprof_set_category (part->w, family ? family : nprof_intern (part->host, "flow"));
  return c->want_any ? ch_attrs (part, event, NULL) : NPROF_OK;
}

static bool
is_true (const TeEvent *event, unsigned field)
{
  const TeValue *v = &event->value[field];
  if (!te_has (event, field))
    return false;
  return (v->kind == TE_WORD && v->len == 4 && memcmp (v->p, "true", 4) == 0)
         || te_text_is (v, "true") || (v->kind == TE_INT && v->i);
}

nprof_status
ch_bound_flow (ChPart *part, const TeEvent *event, int64_t start)
{
  const Chrome *c = part->c;
  const TeValue *id = &event->value[TE_BIND_ID];
  bool in = is_true (event, TE_FLOW_IN), out = is_true (event, TE_FLOW_OUT);
  if (!in && !out) {
    part->host->skip (part->host, "bind_id", ch_at (c, event->at),
                      "it has neither flow_in nor flow_out");
    return NPROF_OK;
  }
  uint64_t flow
      = ch_hash (UINT64_C (0x62696e64) ^ (uint64_t) c->input->number << 32, id->p, id->len);
  nprof_status status = write_flow (part, event, start, flow ? flow : 1,
                                    in && out ? c->flow_step
                                    : out     ? c->flow_begin
                                              : c->flow_end);
  if (status)
    return status;
  nprof_set_category (part->w, nprof_intern (part->host, "bind_id"));
  nprof_set_parent (part->w, ch_at (c, event->at));
  return NPROF_OK;
}
