/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - a comparison for programs: one JSON document, times in ps, nothing rounded. */

#include "print.h"

#include "system/json-writer.h"

/* Puts a number; unknown is null. */
static void
put_number (NpJson *out, const char *key, double x)
{
  np_json_double_or_null (out, key, isfinite (x) ? x : NAN);
}

static void
put_pair (NpJson *out, const char *key, double base, double new)
{
  np_json_array (out, key);
  put_number (out, NULL, base);
  put_number (out, NULL, new);
  np_json_end_array (out);
}

static void
put_result (NpJson *out, const NpDiffResult *r)
{
  put_number (out, "base_ps", r->base);
  put_number (out, "new_ps", r->new);
  put_number (out, "delta", r->delta);
  put_number (out, "interval", r->interval);
  np_json_text (out, "verdict", np_diff_verdict_name (r->verdict));
  np_json_bool (out, "noise_assumed", r->assumed);
}

static void
put_line (NpJson *out, const char *key, const NpDiffLine *line)
{
  np_json_object (out, key);
  np_json_text (out, "name", line->name);
  np_json_text (out, "renamed", line->renamed);
  np_json_text (out, "class", np_diff_class_name (line->kind));
  put_number (out, "share", line->share);
  put_pair (out, "calls", line->result.base_calls, line->result.new_calls);
  put_result (out, &line->result);
  np_json_text (out, "why", line->why);
  np_json_end_object (out);
}

static void
put_lines (NpJson *out, const char *key, const GArray *lines, guint top)
{
  guint shown = top ? MIN (top, lines->len) : lines->len;
  np_json_array (out, key);
  for (guint i = 0; i < shown; i++) {
    np_json_line (out, 3);
    put_line (out, NULL, &g_array_index (lines, NpDiffLine, i));
  }
  np_json_end_array (out);
  np_json_integer (out, "left_out", lines->len - shown);
}

static void
put_side (NpJson *out, const char *key, const NpDiffSide *side)
{
  np_json_object (out, key);
  np_json_text (out, "device", side->device);
  np_json_text (out, "by", side->by);
  np_json_integer (out, side->runs ? "runs" : "steps", side->samples);
  np_json_integer (out, "cut", side->cut);
  np_json_bool (out, "closed_gaps", side->closed);
  np_json_integer (out, "rows", (gint64) side->rows);
  put_number (out, "work_ps", side->work);
  put_number (out, "unlinked_ps", side->unlinked);
  put_number (out, "outside_ps", side->outside);
  np_json_end_object (out);
}

static void
put_parts (NpJson *out, const NpDiffComparison *c)
{
  static const char *const names[NP_PARTS]
      = { "compute_ps",   "exposed_communication_ps", "exposed_copy_ps", "control_ps",
          "idle_host_ps", "idle_launch_ps",           "idle_wait_ps",    "idle_unlinked_ps",
          "lost_ps" };
  np_json_object (out, "parts");
  for (guint p = 0; p < NP_PARTS; p++)
    put_pair (out, names[p], c->parts[0][p], c->parts[1][p]);
  np_json_end_object (out);
}

static void
put_sum (NpJson *out, const char *key, const NpDiffResult *r)
{
  np_json_object (out, key);
  put_result (out, r);
  np_json_end_object (out);
}

static void
put_steps (NpJson *out, const char *key, const GArray *steps)
{
  np_json_array (out, key);
  for (guint i = 0; i < steps->len; i++) {
    const NpDiffStep *step = &g_array_index (steps, NpDiffStep, i);
    np_json_object (out, NULL);
    np_json_text (out, "step", step->name);
    put_number (out, "window_ps", step->window);
    np_json_end_object (out);
  }
  np_json_end_array (out);
}

static void
put_untold (NpJson *out, const NpDiffReport *report, const NpDiffComparison *c)
{
  const NpDiffUntold u = np_diff_untold (c, &report->limits);
  np_json_object (out, "not_told");
  np_json_integer (out, "kernels", u.kernels);
  put_number (out, "share", u.share);
  np_json_bool (out, "step", u.step);
  np_json_bool (out, "work", u.work);
  np_json_bool (out, "communication", u.communication);
  np_json_integer (out, "record", u.samples);
  np_json_end_object (out);
}

static void
put_renamed (NpJson *out, const GArray *lines)
{
  np_json_array (out, "renamed");
  for (guint i = 0; i < lines->len; i++) {
    const NpDiffLine *line = &g_array_index (lines, NpDiffLine, i);
    np_json_array (out, NULL);
    np_json_text (out, NULL, line->name);
    np_json_text (out, NULL, line->renamed);
    np_json_end_array (out);
  }
  np_json_end_array (out);
}

static void
put_by (NpJson *out, const NpDiffReport *report, const NpDiffComparison *c)
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
put_comparison (NpJson *out, const NpDiffReport *report, const NpDiffComparison *c)
{
  np_json_line (out, 1);
  np_json_object (out, NULL);
  put_side (out, "base", c->base);
  put_side (out, "new", c->new);
  np_json_bool (out, "means_of_calls", c->per_call);
  np_json_bool (out, "of_steps", np_diff_is_of_steps (c));
  if (c->has_step) {
    put_sum (out, "step", &c->step);
    put_parts (out, c);
  }
  if (c->has_work)
    put_sum (out, "work", &c->work.result);
  if (c->has_communication)
    put_sum (out, "communication", &c->communication.result);
  if (c->has_rest) {
    put_line (out, "rest", &c->rest);
    np_json_integer (out, "rest_kernels", c->rest.kernels);
  }
  put_number (out, "clocks", c->clocks);
  put_renamed (out, c->renamed);
  put_untold (out, report, c);
  put_by (out, report, c);
  np_json_end_object (out);
}

static void
put_names (NpJson *out, const char *key, const char *const *names)
{
  np_json_array (out, key);
  for (guint i = 0; names[i]; i++)
    np_json_text (out, NULL, names[i]);
  np_json_end_array (out);
}

static void
put_frames (NpJson *out, const NpDiffFrames *f)
{
  np_json_array (out, "not_the_same");
  for (guint i = 0; i < f->facts->len; i++) {
    const NpDiffFact *fact = &g_array_index (f->facts, NpDiffFact, i);
    np_json_object (out, NULL);
    np_json_text (out, "fact", fact->name);
    np_json_text (out, "base", fact->base);
    np_json_text (out, "new", fact->new);
    np_json_end_object (out);
  }
  np_json_end_array (out);
  np_json_array (out, "periods");
  for (guint i = 0; i < f->periods->len; i++) {
    const NpDiffPeriod *p = &g_array_index (f->periods, NpDiffPeriod, i);
    np_json_line (out, 1);
    np_json_object (out, NULL);
    np_json_text (out, "device", p->device);
    np_json_text (out, "of", p->base_of);
    put_pair (out, "count", p->base_n, p->new_n);
    put_pair (out, "median_ps", p->base_median, p->new_median);
    put_pair (out, "mean_ps", p->base_mean, p->new_mean);
    put_number (out, "delta", p->delta);
    put_number (out, "interval", p->interval);
    np_json_text (out, "verdict", np_diff_verdict_name (p->verdict));
    np_json_object (out, "parts");
    for (guint k = 0; k < p->parts->len; k++) {
      const NpDiffPart *part = &g_array_index (p->parts, NpDiffPart, k);
      put_pair (out, part->name, part->base, part->new);
    }
    np_json_end_object (out);
    np_json_end_object (out);
  }
  np_json_end_array (out);
  np_json_array (out, "throughput");
  for (guint i = 0; i < f->rates->len; i++) {
    const NpDiffRate *r = &g_array_index (f->rates, NpDiffRate, i);
    np_json_object (out, NULL);
    np_json_text (out, "device", *r->device ? r->device : NULL);
    np_json_text (out, "of", r->of);
    put_pair (out, "tokens_per_s", r->base, r->new);
    np_json_end_object (out);
  }
  np_json_end_array (out);
  np_json_array (out, "memory");
  for (guint i = 0; i < f->memory->len; i++) {
    const NpDiffMemory *m = &g_array_index (f->memory, NpDiffMemory, i);
    np_json_object (out, NULL);
    np_json_text (out, "allocator", m->allocator);
    np_json_text (out, "what", m->what);
    put_pair (out, "bytes", m->base, m->new);
    np_json_end_object (out);
  }
  np_json_end_array (out);
}

/* Puts what the sentence is about; null where nothing was compared. */
static void
put_judged (NpJson *out, const NpDiffReport *report)
{
  NpDiffJudged j;
  if (!np_diff_judged (report, &j)) {
    np_json_null (out, "judged");
    return;
  }
  np_json_object (out, "judged");
  np_json_array (out, "device");
  np_json_text (out, NULL, j.comparison->base->device);
  np_json_text (out, NULL, j.comparison->new->device);
  np_json_end_array (out);
  np_json_text (out, "of", j.of);
  put_number (out, "base_ps", j.base);
  put_number (out, "new_ps", j.new);
  put_number (out, "delta", j.delta);
  put_number (out, "interval", j.interval);
  np_json_text (out, "verdict", np_diff_verdict_name (j.verdict));
  np_json_end_object (out);
}

GString *
np_diff_json (const NpDiffReport *report)
{
  struct nprof_buf buf = { 0 };
  NpJson out = { .buf = &buf, .style = NP_JSON_SPACED };
  g_autofree char *sentence = np_diff_sentence (report);
  np_json_object (&out, NULL);
  put_names (&out, "base", report->base);
  put_names (&out, "new", report->new);
  np_json_text (&out, "of", report->hosts ? "host" : "device");
  np_json_text (&out, "sentence", sentence);
  put_judged (&out, report);
  put_number (&out, "threshold", report->limits.threshold);
  put_number (&out, "fail_over", report->fail_over);
  np_json_bool (&out, "strict", report->strict);
  np_json_integer (&out, "over", report->over);
  np_json_integer (&out, "gaps", (gint64) report->gaps);
  np_json_integer (&out, "status", report->status);
  put_names (&out, "not_compared", (const char *const *) report->alone->pdata);
  if (report->frames)
    put_frames (&out, report->frames);
  np_json_array (&out, "devices");
  for (guint i = 0; i < report->comparisons->len; i++)
    put_comparison (&out, report, g_ptr_array_index (report->comparisons, i));
  np_json_end_array (&out);
  np_json_end_object (&out);
  nprof_put_char (&buf, '\n');
  GString *text = g_string_new (NULL);
  np_json_move (&buf, text);
  return text;
}
