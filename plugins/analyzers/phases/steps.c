/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - writes table server_steps: each step of a server by itself. */
#include "phases.h"

#include "devicekit/cells.h"

NPROF_TABLE (server_steps, "Steps of servers",
             "as their annotations and the work in them say; period: from end to end of the work",
             SERVER_STEPS)

static nprof_status
write_step (const Phases *p, const Device *d, const Stepped *s)
{
  const Said *said = &s->step.said;
  const struct server_steps_row row = {
    .device = nprof_any_str (d->label),
    .step = nprof_some_int (s->number),
    .phase = nprof_any_str (nprof_intern (p->host, inference_phase_name (said->phase))),
    .start = nprof_some_int (s->step.start),
    .duration = nprof_some_int (s->step.end - s->step.start),
    .period = an_count (s->period.duration),
    .between = an_count (s->period.between),
    .requests = an_count (said->requests),
    .context_tokens = an_count (said->context_tokens),
    .generation_tokens = an_count (said->generation_tokens),
    .context_keys = an_count (said->context_keys),
    .generation_keys = an_count (said->generation_keys),
    .kernels = nprof_some_int ((gint64) s->busy.kernels),
    .busy = nprof_some_int (s->busy.busy),
    .in_graph = ph_in_graph (p, &s->busy),
  };
  return p->host->row (
      p->host, &server_steps_table,
      server_steps_cells (nprof_cell_str (p->host->input (p->host, d->input)->label), &row).cells);
}

nprof_status
ph_write_steps (const Phases *p, const Device *d, const GArray *stepped)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < stepped->len && status == NPROF_OK; i++)
    status = write_step (p, d, &g_array_index (stepped, Stepped, i));
  return status;
}
