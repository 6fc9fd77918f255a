/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - the collectives of one rank as rows, with what makes them one with those of others: for
 * engines that read the partitions of nprof map. */
#include "ranks.h"

#include "devicekit/cells.h"

/* Texts of signatures, by handle; 0: not made yet. */
typedef struct {
  Ranks *r;
  GArray *texts; /* of nprof_str */
} Signatures;

static void
put_count (GString *text, gint64 n)
{
  if (n >= 0)
    g_string_append_printf (text, " %" G_GINT64_FORMAT, n);
  else
    g_string_append (text, " -");
}

/* Returns "allreduce BFloat16 8388608 8388608", and of how many kernels it is made. */
static nprof_str
make_text (const Ranks *r, const guint32 *signature)
{
  g_autoptr (GString) text = g_string_new (nprof_text (r->host, signature[S_NAME]));
  const char *dtype = nprof_text (r->host, signature[S_DTYPE]);
  g_string_append_printf (text, " %s", *dtype ? dtype : "-");
  put_count (text, key_number (signature, S_IN_LOW));
  put_count (text, key_number (signature, S_OUT_LOW));
  if (signature[S_KERNELS] > 1)
    g_string_append_printf (text, " %u kernels", signature[S_KERNELS]);
  return nprof_intern (r->host, text->str);
}

static nprof_str
text_of (Signatures *s, const guint32 *signature)
{
  guint32 number = an_key_table_get (&s->r->job.signature_keys, signature);
  if (number >= s->texts->len)
    g_array_set_size (s->texts, number + 1);
  nprof_str *text = &g_array_index (s->texts, nprof_str, number);
  if (!*text)
    *text = make_text (s->r, signature);
  return *text;
}

static nprof_status
write_call (Signatures *s, const Device *d, const Past *past, const Seen *seen)
{
  Ranks *r = s->r;
  const guint32 *key = seen->call ? call_key (&r->job, seen->call - 1) : NULL;
  gint64 number = key ? key_number (key, C_NUMBER_LOW) : 0,
         start = nprof_cut (&r->clip, seen->start), end = nprof_cut (&r->clip, seen->end);
  bool stated = seen->sequence >= 0;
  nprof_str members = group_key (&r->job, seen->group)[G_MEMBERS];
  const struct collective_calls_row row = {
    .rank = nprof_int_if (d->number != NO_RANK, d->number),
    .group = nprof_any_str (nprof_intern (r->host, group_name (&r->job, seen->group))),
    .group_ranks = nprof_some_str (members),
    .p2p = nprof_some_bool (seen->p2p),
    .sequence = nprof_int_if (stated, seen->sequence),
    .step = nprof_int_if (seen->step != NO_STEP, seen->step),
    .ordinal = nprof_int_if (key && !stated, number),
    .signature = nprof_any_str (text_of (s, seen->signature)),
    .start = nprof_some_int (start),
    .duration = nprof_some_int (end - start),
    .exposed = nprof_some_int (end - start - past_spent (past, SEG_COMPUTE, start, end)),
  };
  return r->host->row (
      r->host, &collective_calls_table,
      collective_calls_cells (nprof_cell_str (r->host->input (r->host, d->input)->label), &row)
          .cells);
}

nprof_status
write_own_calls (Ranks *r, const Device *d, const Past *past)
{
  g_autoptr (GArray) texts = g_array_new (FALSE, TRUE, sizeof (nprof_str));
  Signatures signatures = { r, texts };
  nprof_status status = r->host->table (r->host, &collective_calls_table);
  for (guint i = 0; i < d->seen->len && !status; i++) {
    const Seen *seen = &g_array_index (d->seen, Seen, i);
    if (nprof_touches (&r->clip, seen->start, seen->end))
      status = write_call (&signatures, d, past, seen);
  }
  return status;
}
