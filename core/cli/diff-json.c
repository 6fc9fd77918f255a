/* SPDX-License-Identifier: Apache-2.0 */
/* diff-json.c - a comparison for programs: one JSON document, times in ps, nothing rounded. */

#include "cli/diff-print.h"

#include <nprof/json.h>
#include <string.h>

/* Members follow each other; `first` needs no comma. */
static void
put_key (struct nprof_buf *out, const char *key)
{
  if (out->len && out->data[out->len - 1] != '{')
    nprof_put_text (out, ", ");
  nprof_put_json_string (out, key, strlen (key), 0);
  nprof_put_text (out, ": ");
}

static void
put_text (struct nprof_buf *out, const char *key, const char *text)
{
  put_key (out, key);
  if (text)
    nprof_put_json_string (out, text, strlen (text), 0);
  else
    nprof_put_text (out, "null");
}

static void
put_integer (struct nprof_buf *out, const char *key, gint64 i)
{
  put_key (out, key);
  nprof_put_i64 (out, i);
}

static void
put_bool (struct nprof_buf *out, const char *key, gboolean yes)
{
  put_key (out, key);
  nprof_put_text (out, yes ? "true" : "false");
}

/* Writes a number; unknown is null. */
static void
put_double (struct nprof_buf *out, double x)
{
  if (x - x == 0)
    nprof_put_double (out, x);
  else
    nprof_put_text (out, "null");
}

static void
put_number (struct nprof_buf *out, const char *key, double x)
{
  put_key (out, key);
  put_double (out, x);
}

static void
put_pair (struct nprof_buf *out, const char *key, double base, double new)
{
  put_key (out, key);
  nprof_put_char (out, '[');
  put_double (out, base);
  nprof_put_text (out, ", ");
  put_double (out, new);
  nprof_put_char (out, ']');
}

static void
put_result (struct nprof_buf *out, const NpDiffResult *r)
{
  put_number (out, "base_ps", r->base);
  put_number (out, "new_ps", r->new);
  put_number (out, "delta", r->delta);
  put_number (out, "interval", r->interval);
  put_text (out, "verdict", np_diff_verdict_name (r->verdict));
  put_bool (out, "noise_assumed", r->assumed);
}

static void
put_line (struct nprof_buf *out, const NpDiffLine *line)
{
  nprof_put_char (out, '{');
  put_text (out, "name", line->name);
  put_text (out, "renamed", line->renamed);
  put_text (out, "class", np_diff_class_name (line->kind));
  put_number (out, "share", line->share);
  put_pair (out, "calls", line->result.base_calls, line->result.new_calls);
  put_result (out, &line->result);
  put_text (out, "why", line->why);
  nprof_put_char (out, '}');
}

static void
put_lines (struct nprof_buf *out, const char *key, const GArray *lines, guint top)
{
  guint shown = top ? MIN (top, lines->len) : lines->len;
  put_key (out, key);
  nprof_put_char (out, '[');
  for (guint i = 0; i < shown; i++) {
    nprof_put_text (out, i ? ",\n   " : "\n   ");
    put_line (out, &g_array_index (lines, NpDiffLine, i));
  }
  nprof_put_char (out, ']');
  put_integer (out, "left_out", lines->len - shown);
}

static void
put_side (struct nprof_buf *out, const char *key, const NpDiffSide *side)
{
  put_key (out, key);
  nprof_put_char (out, '{');
  put_text (out, "device", side->device);
  put_text (out, "by", side->by);
  put_integer (out, side->runs ? "runs" : "steps", side->samples);
  put_integer (out, "cut", side->cut);
  put_integer (out, "rows", (gint64) side->rows);
  put_number (out, "work_ps", side->work);
  put_number (out, "unlinked_ps", side->unlinked);
  put_number (out, "outside_ps", side->outside);
  nprof_put_char (out, '}');
}

static void
put_parts (struct nprof_buf *out, const NpDiffComparison *c)
{
  static const char *const names[NP_PARTS]
      = { "compute_ps",      "exposed_communication_ps", "exposed_copy_ps",
          "idle_host_ps",    "idle_launch_ps",           "idle_wait_ps",
          "idle_unlinked_ps" };
  put_key (out, "parts");
  nprof_put_char (out, '{');
  for (guint p = 0; p < NP_PARTS; p++)
    put_pair (out, names[p], c->parts[0][p], c->parts[1][p]);
  nprof_put_char (out, '}');
}

static void
put_sum (struct nprof_buf *out, const char *key, const NpDiffResult *r)
{
  put_key (out, key);
  nprof_put_char (out, '{');
  put_result (out, r);
  nprof_put_char (out, '}');
}

static void
put_steps (struct nprof_buf *out, const char *key, const GArray *steps)
{
  put_key (out, key);
  nprof_put_char (out, '[');
  for (guint i = 0; i < steps->len; i++) {
    const NpDiffStep *step = &g_array_index (steps, NpDiffStep, i);
    nprof_put_text (out, i ? ", {" : "{");
    put_text (out, "step", step->name);
    put_number (out, "window_ps", step->window);
    nprof_put_char (out, '}');
  }
  nprof_put_char (out, ']');
}

static void
put_untold (struct nprof_buf *out, const NpDiffReport *report, const NpDiffComparison *c)
{
  const NpDiffUntold u = np_diff_untold (c, &report->limits);
  put_key (out, "not_told");
  nprof_put_char (out, '{');
  put_integer (out, "kernels", u.kernels);
  put_number (out, "share", u.share);
  put_bool (out, "step", u.step);
  put_bool (out, "work", u.work);
  put_bool (out, "communication", u.communication);
  put_integer (out, "record", u.samples);
  nprof_put_char (out, '}');
}

static void
put_renamed (struct nprof_buf *out, const GArray *lines)
{
  put_key (out, "renamed");
  nprof_put_char (out, '[');
  for (guint i = 0; i < lines->len; i++) {
    const NpDiffLine *line = &g_array_index (lines, NpDiffLine, i);
    nprof_put_text (out, i ? ", [" : "[");
    nprof_put_json_string (out, line->name, strlen (line->name), 0);
    nprof_put_text (out, ", ");
    nprof_put_json_string (out, line->renamed, strlen (line->renamed), 0);
    nprof_put_char (out, ']');
  }
  nprof_put_char (out, ']');
}

static void
put_by (struct nprof_buf *out, const NpDiffReport *report, const NpDiffComparison *c)
{
  if (report->by == NP_DIFF_BY_STEPS) {
    put_steps (out, "base_steps", c->base->steps);
    put_steps (out, "new_steps", c->new->steps);
  } else if (report->by != NP_DIFF_BY_KERNELS) {
    g_autoptr (GArray) lines = np_diff_regroup (c, report->by, &report->limits);
    put_lines (out, report->by == NP_DIFF_BY_OPS ? "ops" : "modules", lines, report->top);
  } else
    put_lines (out, "kernels", c->lines, report->top);
}

static void
put_comparison (struct nprof_buf *out, const NpDiffReport *report, const NpDiffComparison *c)
{
  nprof_put_text (out, "\n {");
  put_side (out, "base", c->base);
  put_side (out, "new", c->new);
  put_bool (out, "means_of_calls", c->per_call);
  put_bool (out, "of_steps", np_diff_is_of_steps (c));
  if (c->has_step) {
    put_sum (out, "step", &c->step);
    put_parts (out, c);
  }
  if (c->has_work)
    put_sum (out, "work", &c->work.result);
  if (c->has_communication)
    put_sum (out, "communication", &c->communication.result);
  if (c->has_rest) {
    put_key (out, "rest");
    put_line (out, &c->rest);
    put_integer (out, "rest_kernels", c->rest.kernels);
  }
  put_number (out, "clocks", c->clocks);
  put_renamed (out, c->renamed);
  put_untold (out, report, c);
  put_by (out, report, c);
  nprof_put_char (out, '}');
}

static void
put_names (struct nprof_buf *out, const char *key, const char *const *names)
{
  put_key (out, key);
  nprof_put_char (out, '[');
  for (guint i = 0; names[i]; i++) {
    nprof_put_text (out, i ? ", " : "");
    nprof_put_json_string (out, names[i], strlen (names[i]), 0);
  }
  nprof_put_char (out, ']');
}

GString *
np_diff_json (const NpDiffReport *report)
{
  struct nprof_buf out = { 0 };
  nprof_put_char (&out, '{');
  put_names (&out, "base", report->base);
  put_names (&out, "new", report->new);
  put_text (&out, "of", report->hosts ? "host" : "device");
  put_number (&out, "threshold", report->limits.threshold);
  put_number (&out, "fail_over", report->fail_over);
  put_bool (&out, "strict", report->strict);
  put_integer (&out, "over", report->over);
  put_integer (&out, "gaps", (gint64) report->gaps);
  put_integer (&out, "status", report->status);
  put_names (&out, "not_compared", report->alone);
  put_key (&out, "devices");
  nprof_put_char (&out, '[');
  for (guint i = 0; i < report->comparisons->len; i++) {
    nprof_put_text (&out, i ? "," : "");
    put_comparison (&out, report, g_ptr_array_index (report->comparisons, i));
  }
  nprof_put_text (&out, "]}\n");
  GString *text = g_string_new_len (out.data, (gssize) out.len);
  nprof_buf_clear (&out);
  return text;
}
