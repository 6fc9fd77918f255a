/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - a sweep for programs: what is unknown is null, with its reason. */

#include "sweep.h"
#include "system/json-writer.h"

#include <math.h>

static void
put_number (NpJson *j, const char *key, const NpSweepNumber *number)
{
  if (isnan (number->value))
    np_json_null (j, key);
  else
    np_json_double (j, key, number->value);
}

static void
put_why (NpJson *j, const char *key, const char *why)
{
  if (why)
    np_json_text (j, key, why);
}

static void
put_run (NpJson *j, const NpSweep *s, const NpSweepRun *run)
{
  static const char *const names[NP_SWEEP_MEASURES] = { "step_ps", "mfu", "memory_bytes" };
  np_json_object (j, NULL);
  np_json_text (j, "run", run->label);
  np_json_object (j, "keys");
  for (guint k = 0; k < s->n_by; k++)
    put_number (j, s->by[k], &run->keys[k]);
  np_json_end_object (j);
  for (guint m = 0; m < NP_SWEEP_MEASURES; m++)
    put_number (j, names[m], &run->measures[m]);
  np_json_text (j, "verdict", run->verdict);
  np_json_object (j, "reasons");
  for (guint k = 0; k < s->n_by; k++)
    put_why (j, s->by[k], run->keys[k].why);
  for (guint m = 0; m < NP_SWEEP_MEASURES; m++)
    put_why (j, names[m], run->measures[m].why);
  put_why (j, "verdict", run->verdict_why);
  np_json_end_object (j);
  np_json_end_object (j);
}

static void
put_line (NpJson *j, const NpSweep *s, const NpSweepLine *line)
{
  const gboolean found = line->knee.code == NP_KNEE_FOUND;
  g_autofree char *text = np_sweep_knee_text (s, line);
  np_json_object (j, NULL);
  np_json_text (j, "along", s->by[0]);
  np_json_object (j, "at");
  for (guint k = 1; k < s->n_by; k++)
    put_number (j, s->by[k], &line->first->keys[k]);
  np_json_end_object (j);
  np_json_text (j, "code", np_sweep_knee_name (line->knee.code));
  put_number (j, "knee", &(NpSweepNumber){ found ? line->knee.value : (double) NAN, NULL });
  np_json_text (j, "text", text);
  np_json_end_object (j);
}

GString *
np_sweep_json (const NpSweep *s)
{
  struct nprof_buf buf = { 0 };
  NpJson j = { .buf = &buf, .style = NP_JSON_INDENTED };
  g_autoptr (GPtrArray) lines = np_sweep_lines (s);
  np_json_object (&j, NULL);
  np_json_text (&j, "schema", "nprof.sweep/1");
  np_json_array (&j, "by");
  for (guint k = 0; k < s->n_by; k++)
    np_json_text (&j, NULL, s->by[k]);
  np_json_end_array (&j);
  np_json_array (&j, "runs");
  for (guint i = 0; i < s->runs->len; i++)
    put_run (&j, s, s->runs->pdata[i]);
  np_json_end_array (&j);
  np_json_array (&j, "knees");
  for (guint i = 0; i < lines->len; i++)
    put_line (&j, s, lines->pdata[i]);
  np_json_end_array (&j);
  np_json_end_object (&j);
  nprof_put_char (&buf, '\n');
  GString *out = g_string_new (NULL);
  np_json_move (&buf, out);
  return out;
}
