/* SPDX-License-Identifier: Apache-2.0 */
/* write-calls.c - the collectives of the job as rows, by group and number. */
#include "ranks.h"

#include "devicekit/cells.h"

/* -1: its bytes are not told. */
static double
bytes_of (const Ranks *r, const guint32 *signature, gint64 size)
{
  gint64 in = key_number (signature, S_IN_LOW), out = key_number (signature, S_OUT_LOW);
  guint bits = an_bits_of_type (nprof_text (r->host, signature[S_DTYPE]));
  double n = (double) MAX (in, out);
  if (signature[S_KIND] == AN_KIND_ALLGATHER)
    n = out >= 0 ? (double) out : (double) in * (double) size;
  if (signature[S_KIND] == AN_KIND_REDUCESCATTER)
    n = in >= 0 ? (double) in : (double) out * (double) size;
  return n < 0 || !bits ? -1 : n * bits / 8;
}

static struct nprof_maybe_double
bandwidth_of (const Ranks *r, const guint32 *signature, const Call *call, gint64 size)
{
  AnKindOf kind = signature_kind (signature);
  double bytes = bytes_of (r, signature, size);
  gint64 share = size > 1 ? an_kind_bus_share (kind, size) : 0;
  if (bytes < 0 || !share || call->shortest[0] <= 0)
    return nprof_some_double (NAN);
  return nprof_some_double (bytes * 1e12 / (double) call->shortest[0] * (double) share
                            / (double) size);
}

static nprof_status
write_call (Ranks *r, const Whole *w, nprof_str input, nprof_str group, guint32 number)
{
  const Call *call = job_call (w->job, number);
  const Verdict *v = &w->verdicts[number];
  const guint32 *key = call_key (w->job, number),
                *signature = signature_key (w->job, key[C_SIGNATURE]);
  const Culprit *c = v->culprit ? &g_array_index (w->culprits, Culprit, v->culprit - 1) : NULL;
  gint64 size = group_key (w->job, key[C_GROUP])[G_SIZE];
  gint64 shown = size ? size : w->groups[key[C_GROUP]].seen;
  const struct job_collectives_row row = {
    .group = nprof_any_str (group),
    .sequence = nprof_some_int (key_number (key, C_NUMBER_LOW)),
    .step = nprof_int_if (call->step != NO_STEP, call->step),
    .collective = nprof_any_str (nprof_intern (r->host, an_kind_name (signature_kind (signature)))),
    .dtype = nprof_some_str (signature[S_DTYPE]),
    .elements_in = an_count (key_number (signature, S_IN_LOW)),
    .elements_out = an_count (key_number (signature, S_OUT_LOW)),
    .size = nprof_int_if (size, size),
    .seen = nprof_some_int (call->n),
    .last = nprof_int_if (v->last, v->last ? w->numbers[v->last - 1] : 0),
    .late = nprof_int_if (v->told, call->longest - call->shortest[0]),
    .gain = nprof_int_if (v->told, call->shortest[1] - call->shortest[0]),
    .transfer = nprof_some_int (call->shortest[0]),
    .bus_bandwidth
    = v->complete ? bandwidth_of (r, signature, call, shown) : nprof_some_double (NAN),
    .exposed = sum_if (true, call->exposed),
    .cost = sum_if (v->told, cost_of (call)),
    .who = nprof_some_text (c ? nprof_text (r->host, who_text (w, c)) : NULL),
    .cause = nprof_some_str (c ? nprof_intern (r->host, cause_name (c->cause)) : 0),
    .valid = nprof_some_bool (v->complete && !w->groups[key[C_GROUP]].left_out),
  };
  return r->host->row (r->host, &job_collectives_table,
                       job_collectives_cells (nprof_cell_str (input), &row).cells);
}

nprof_status
write_calls (Ranks *r, const Whole *w, nprof_str input)
{
  nprof_status status = r->host->table (r->host, &job_collectives_table);
  guint32 group = G_MAXUINT32;
  nprof_str name = 0;
  for (guint i = 0; i < w->job->calls->len && !status; i++) {
    guint32 number = w->calls[i];
    if (!call_counts (w, number))
      continue;
    if (call_key (w->job, number)[C_GROUP] != group) {
      group = call_key (w->job, number)[C_GROUP];
      g_autofree char *text = group_text (w->job, group);
      name = nprof_intern (r->host, text);
    }
    status = write_call (r, w, input, name, number);
  }
  return status;
}
