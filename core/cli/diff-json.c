/* SPDX-License-Identifier: Apache-2.0 */
/* diff-json.c - the same for programs: one JSON document, times in ps, nothing rounded. */

#include "cli/diff-print.h"

#include <nprof/json.h>

static void
put_key (struct nprof_buf *out, const char *key)
{
  nprof_put_json_string (out, key, strlen (key), 0);
  nprof_put_text (out, ": ");
}

static void
put_text (struct nprof_buf *out, const char *key, const char *text)
{
  put_key (out, key);
  nprof_put_json_string (out, text, strlen (text), 0);
}

static void
put_integer (struct nprof_buf *out, const char *key, gint64 i)
{
  nprof_put_text (out, ", ");
  put_key (out, key);
  nprof_put_i64 (out, i);
}

/* Unknown is null. */
static void
put_number (struct nprof_buf *out, const char *key, double x)
{
  nprof_put_text (out, ", ");
  put_key (out, key);
  if (x - x == 0)
    nprof_put_double (out, x);
  else
    nprof_put_text (out, "null");
}

static void
put_side (struct nprof_buf *out, const char *key, const NpOperator *op, double median)
{
  nprof_put_text (out, ", ");
  put_key (out, key);
  if (!op) {
    nprof_put_text (out, "null");
    return;
  }
  nprof_put_text (out, "{\"count\": ");
  nprof_put_u64 (out, op->count);
  put_integer (out, "self_ps", op->self);
  put_integer (out, "samples", op->durations->len);
  put_number (out, "median_ps", median);
  nprof_put_char (out, '}');
}

static void
put_difference (struct nprof_buf *out, const NpDifference *d)
{
  nprof_put_char (out, '{');
  put_text (out, "operator", d->name);
  nprof_put_text (out, ", ");
  put_text (out, "verdict", np_change_name (d->verdict));
  put_number (out, "change", d->change);
  put_number (out, "p", d->p);
  put_side (out, "base", d->base, d->base_median);
  put_side (out, "new", d->new, d->new_median);
  nprof_put_char (out, '}');
}

/* What concerns all of both: what was not looked at, too. */
static void
put_head (struct nprof_buf *out, const NpDiff *diff)
{
  NpDiffSums sums = np_diff_sum (diff);
  put_text (out, "base", diff->base);
  nprof_put_text (out, ", ");
  put_text (out, "new", diff->new);
  nprof_put_text (out, ", ");
  put_text (out, "of", diff->device ? "device" : "host");
  put_integer (out, "base_self_ps", sums.base);
  put_integer (out, "new_self_ps", sums.new);
  for (guint v = 0; v < NP_CHANGES; v++)
    put_integer (out, np_change_name ((NpChange) v), sums.n[v]);
  put_integer (out, "without_end", (gint64) (diff->of_base->unclosed + diff->of_new->unclosed));
  put_integer (out, "gaps", (gint64) (diff->of_base->gaps + diff->of_new->gaps));
  put_number (out, "fail_over", diff->limit);
  put_number (out, "failed", diff->limit - diff->limit == 0 ? sums.failed : diff->limit);
  put_integer (out, "left_out", diff->differences->len - np_diff_shown (diff));
}

GString *
np_diff_json (const NpDiff *diff)
{
  struct nprof_buf out = { 0 };
  nprof_put_char (&out, '{');
  put_head (&out, diff);
  nprof_put_text (&out, ",\n \"operators\": [");
  for (guint i = 0; i < np_diff_shown (diff); i++) {
    nprof_put_text (&out, i ? ",\n  " : "\n  ");
    put_difference (&out, &g_array_index (diff->differences, NpDifference, i));
  }
  nprof_put_text (&out, "\n ]}\n");
  GString *text = g_string_new_len (out.data, (gssize) out.len);
  nprof_buf_clear (&out);
  return text;
}
