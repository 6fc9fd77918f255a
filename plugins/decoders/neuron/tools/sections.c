/* SPDX-License-Identifier: Apache-2.0 */
/* sections.c - reads sections of a device profile that are neither instructions nor transfers:
 * values over time, warnings of the vendor's tool, and records without a time, which become a
 * table. format: neuron-json.md */
#include "tools.h"

/* -- Counters ------------------------------------------------------------------------------ */

static nprof_status
value (Nt *t, const NtMember *m, nprof_track track, const char *series, int64_t at)
{
  double x;
  if (!nt_double (&m->value, &x))
    return NPROF_OK;
  g_autofree char *key = nt_dup (&m->key);
  g_autofree char *name = g_strdup_printf ("%s/%s", series, key);
  return nprof_counter (t->w, track, nprof_intern (t->host, name), at, x);
}

/* Every number of the record is a series of its own.  A text says what the record is of. */
static nprof_status
values (Nt *t, NtRecord *r, const char *section, const char *series)
{
  int64_t start, duration;
  nprof_status status = NPROF_OK;
  if (!nt_span_of (t, r, section, &start, &duration))
    return NPROF_OK;
  nprof_track core = nt_core_of (t, r);
  nprof_track track
      = core ? nt_track (t, core, NPROF_TRACK_COUNTER, series, NULL, NT_SORT_OTHER) : 0;
  if (!track)
    return NPROF_E_NOMEM;
  for (guint i = 0; i < r->members->len && !status; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    if (!m->used && m->value.kind != TE_TEXT)
      status = value (t, m, track, series, start);
  }
  return status;
}

nprof_status
nt_throughput (Nt *t, NtRecord *r, void *user)
{
  (void) user;
  return values (t, r, "dma_throughput", "dma_throughput");
}

nprof_status
nt_usage (Nt *t, NtRecord *r, void *user)
{
  (void) user;
  const TeValue *type = nt_see (r, NT_K_TYPE);
  const char *series = "instruction_usage";
  if (type && te_text_is (type, "sb"))
    series = "sbuf_usage";
  else if (type && te_text_is (type, "psum"))
    series = "psum_usage";
  return values (t, r, "instruction_usage", series);
}

/* -- Warnings ------------------------------------------------------------------------------- */

nprof_status
nt_warning (Nt *t, NtRecord *r, void *user)
{
  const TeValue *message = nt_see (r, NT_K_MESSAGE);
  if (message && message->kind == TE_TEXT) {
    g_autofree char *text = nt_dup (message);
    nprof_log (t->host, NPROF_WARNING, "the vendor's tool says of this profile: %s", text);
  }
  return nt_detail (t, r, user);
}

/* -- Records without a time ------------------------------------------------------------------- */

nprof_status
nt_detail (Nt *t, NtRecord *r, void *user)
{
  nprof_str section = nt_literal (t, user);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < r->members->len && !status; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    double x = NAN;
    const bool known = nt_double (&m->value, &x);
    g_autofree char *key = nt_dup (&m->key), *text = nt_dup (&m->value);
    const struct neuron_details_row row = {
      .section = nprof_any_str (section),
      .at = nprof_some_uint (nt_byte (t, r->at)),
      .field = nprof_any_str (nprof_intern (t->host, key)),
      .number = nprof_double_if (known, x),
      .text = nprof_some_text (text),
    };
    status = t->host->row (t->host, &neuron_details_table,
                           neuron_details_cells (nprof_cell_str (t->label), &row).cells);
  }
  return status;
}
