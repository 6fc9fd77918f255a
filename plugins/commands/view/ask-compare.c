/* SPDX-License-Identifier: Apache-2.0 */
/* ask-compare.c - route compare: what nprof diff says of one profile and each of some others. */

#include "ask-jobs.h"
#include "compare.h"
#include "stored/cells.h"

#include <math.h>
#include <string.h>

/* The threshold that nprof diff has of itself, so that it decides as without it. */
#define FAIL_OVER "5%"
/* The list of nprof diff that pairs steps, which has no operators. */
#define BY_STEPS "steps"

static void
put_member (NpJson *j, const char *key, JsonObject *o, const char *name)
{
  gboolean known;
  double value = np_body_double (o, name, &known);
  if (known)
    np_json_double (j, key, value);
  else
    np_json_null (j, key);
}

/* Puts that side of a sum: of periods it is one of their two medians. */
static void
put_side (NpJson *j, const char *key, JsonObject *sum, const char *name, guint side)
{
  JsonArray *medians = np_body_array (sum, "median_ps");
  if (medians && side < json_array_get_length (medians))
    np_json_double (j, key, json_array_get_double_element (medians, side));
  else
    put_member (j, key, sum, name);
}

static void
put_number (NpJson *j, JsonObject *o, const char *name)
{
  put_member (j, NULL, o, name);
}

void
np_compare_columns (NpJson *j, const NpColumnText *columns, guint n)
{
  np_json_array (j, "columns");
  for (guint i = 0; i < n; i++) {
    np_json_object (j, NULL);
    np_json_text (j, "name", columns[i][0]);
    np_json_text (j, "type", columns[i][1]);
    np_json_text (j, "unit", columns[i][2]);
    np_json_text (j, "role", columns[i][3]);
    np_json_text (j, "help", "see nprof-diff(1)");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_columns (NpJson *j)
{
  static NpColumnText columns[]
      = { { "operator", "text", "", "key" },    { "renamed", "text", "", "value" },
          { "device", "string", "", "key" },    { "class", "string", "", "value" },
          { "calls_a", "double", "", "value" }, { "calls_b", "double", "", "value" },
          { "a_ps", "double", "ps", "value" },  { "b_ps", "double", "ps", "value" },
          { "change", "double", "1", "value" }, { "interval", "double", "1", "value" },
          { "share", "double", "1", "value" },  { "profile", "string", "", "key" },
          { "verdict", "string", "", "value" } };
  np_compare_columns (j, columns, G_N_ELEMENTS (columns));
}

static guint
put_device (NpJson *j, JsonObject *device, const char *list, const char *id)
{
  JsonArray *rows = np_body_array (device, list);
  const char *label = np_body_text (np_body_object (device, "base"), "device");
  guint n = rows ? json_array_get_length (rows) : 0;
  for (guint i = 0; i < n; i++) {
    JsonObject *o = json_array_get_object_element (rows, i);
    JsonArray *calls = np_body_array (o, "calls");
    np_json_array (j, NULL);
    np_json_text (j, NULL, np_body_text (o, "name"));
    np_json_text (j, NULL, np_body_text (o, "renamed"));
    np_json_text (j, NULL, label);
    np_json_text (j, NULL, np_body_text (o, "class"));
    for (guint k = 0; k < 2; k++)
      if (calls && k < json_array_get_length (calls))
        np_json_double (j, NULL, json_array_get_double_element (calls, k));
      else
        np_json_null (j, NULL);
    put_number (j, o, "base_ps");
    put_number (j, o, "new_ps");
    put_number (j, o, "delta");
    put_number (j, o, "interval");
    put_number (j, o, "share");
    np_json_text (j, NULL, id);
    np_json_text (j, NULL, np_body_text (o, "verdict"));
    np_json_end_array (j);
  }
  return n;
}

static guint
put_rows (NpJson *j, JsonObject *diff, const char *list, const char *id)
{
  JsonArray *devices = np_body_array (diff, "devices");
  guint n = 0;
  for (guint i = 0; devices && i < json_array_get_length (devices); i++)
    n += put_device (j, json_array_get_object_element (devices, i), list, id);
  return n;
}

/* Work whose launch is not in the file is of no step, and is not compared. */
static const char *
why_no_change (JsonObject *device)
{
  static const char *const sides[] = { "base", "new" };
  gboolean known;
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    if (np_body_double (np_body_object (device, sides[i]), "unlinked_ps", &known) > 0)
      return "work whose launch is not in the file is of no step and is not compared";
  return "one of the profiles does not have it";
}

/* Returns what member periods of nprof diff says of a device; NULL: it has no periods. */
static JsonObject *
period_of (JsonObject *diff, const char *device)
{
  JsonArray *periods = np_body_array (diff, "periods");
  for (guint i = 0; device && periods && i < json_array_get_length (periods); i++) {
    JsonObject *period = json_array_get_object_element (periods, i);
    if (!g_strcmp0 (np_body_text (period, "device"), device))
      return period;
  }
  return NULL;
}

/* Puts the change of one sum of a device, a metric that says of what it is. */
static void
put_total (NpJson *j, JsonObject *device, const char *name, JsonObject *part, const char *id)
{
  const char *label = np_body_text (np_body_object (device, "base"), "device"),
             *verdict = np_body_text (part, "verdict");
  gboolean known;
  np_body_double (part, "delta", &known);
  np_json_object (j, NULL);
  put_member (j, "value", part, "delta");
  np_json_text (j, "unit", "1");
  np_json_text (j, "reason", known ? "" : why_no_change (device));
  np_json_text (j, "source", "nprof diff");
  np_json_text (j, "part", name);
  np_json_text (j, "device", label ? label : "");
  np_json_text (j, "profile", id);
  np_json_text (j, "verdict", verdict);
  put_side (j, "a_ps", part, "base_ps", 0);
  put_side (j, "b_ps", part, "new_ps", 1);
  put_member (j, "interval", part, "interval");
  np_json_end_object (j);
}

/* Puts the step of a device; of recordings without steps their periods, else all of each. */
static void
put_step_total (NpJson *j, JsonObject *diff, JsonObject *device, const char *id)
{
  JsonObject *period = period_of (diff, np_body_text (np_body_object (device, "base"), "device")),
             *step = np_body_object (device, "step");
  if (np_body_flag (device, "of_steps"))
    put_total (j, device, "step", step, id);
  else
    put_total (j, device, period ? "period" : "recording", period ? period : step, id);
}

/* Puts the step of each device and what it consists of, as metrics of change. */
static void
put_totals (NpJson *j, JsonObject *diff, const char *id)
{
  static const char *const parts[] = { "work", "communication" };
  JsonArray *devices = np_body_array (diff, "devices");
  for (guint i = 0; devices && i < json_array_get_length (devices); i++) {
    JsonObject *device = json_array_get_object_element (devices, i);
    put_step_total (j, diff, device, id);
    for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
      put_total (j, device, parts[k], np_body_object (device, parts[k]), id);
  }
}

/* Puts the steps; `why` says when there is none to be read. */
static void
put_step_rows (NpJson *j, struct nprof_store *store, struct nprof_query *q, char *why, gsize size)
{
  g_auto (NpCells) steps = { 0 };
  gint64 start, duration;
  if (!np_cells_open (&steps, store, q, "steps"))
    g_strlcpy (why, "needs the analyzer steps", size);
  for (guint64 i = 0; i < steps.rows; i++) {
    g_autofree char *step = np_cells_text (&steps, i, "step");
    if (!np_cells_i64 (&steps, i, "start_ns", &start)
        || !np_cells_i64 (&steps, i, "duration_ns", &duration))
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "step", step ? step : "");
    np_json_i64 (j, "start", start);
    np_json_i64 (j, "duration", duration);
    np_json_end_object (j);
  }
  if (*q->error)
    g_strlcpy (why, q->error, size);
}

static void
put_steps (NpAsk *ask, const char *id)
{
  char why[600];
  NpProfile *p = np_ask_try_hold (ask, id, why, sizeof why);
  struct nprof_query *q = p ? np_profile_query (p) : NULL;
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_text (j, "profile", id);
  np_json_array (j, "steps");
  if (q) {
    put_step_rows (j, p->store, q, why, sizeof why);
    np_profile_give_back (p, q);
  } else if (!*why) {
    g_strlcpy (why, p ? "no memory is left" : "the profile is not there any more", sizeof why);
  }
  np_json_end_array (j);
  if (*why)
    np_json_text (j, "unknown", why);
  np_json_end_object (j);
}

static const char *
verdict_of (JsonObject *diff)
{
  const char *verdict = np_body_text (np_body_object (diff, "judged"), "verdict");
  return verdict ? verdict : "inconclusive: the profiles have no steps in common";
}

static void
put_unmatched (NpJson *j, JsonObject *diff, const char *id)
{
  JsonArray *missing = np_body_array (diff, "not_compared");
  for (guint i = 0; missing && i < json_array_get_length (missing); i++) {
    g_autofree char *text = json_to_string (json_array_get_element (missing, i), FALSE);
    np_json_object (j, NULL);
    np_json_text (j, "profile", id);
    np_json_text (j, "track", text);
    np_json_end_object (j);
  }
}

/* Returns whether times and calls of all that is compared are of a step. */
static gboolean
are_of_steps (const GPtrArray *diffs)
{
  for (guint i = 0; i < diffs->len; i++) {
    JsonArray *devices = np_body_array (json_node_get_object (diffs->pdata[i]), "devices");
    for (guint k = 0; devices && k < json_array_get_length (devices); k++)
      if (!np_body_flag (json_array_get_object_element (devices, k), "of_steps"))
        return FALSE;
  }
  return TRUE;
}

/* Returns the verdict that all of them have, or that they differ. */
static const char *
common_verdict (const GPtrArray *diffs)
{
  const char *first = verdict_of (json_node_get_object (diffs->pdata[0]));
  for (guint i = 1; i < diffs->len; i++)
    if (strcmp (verdict_of (json_node_get_object (diffs->pdata[i])), first))
      return "differs by profile";
  return first;
}

/* Puts both sides as whole ps. */
static void
put_times (NpJson *j, const char *key, JsonArray *sides)
{
  np_json_array (j, key);
  for (guint i = 0; sides && i < json_array_get_length (sides); i++)
    np_json_i64 (j, NULL, (gint64) floor (json_array_get_double_element (sides, i) + 0.5));
  np_json_end_array (j);
}

/* Puts the parts of a mean period of both, which add up to it. */
static void
put_parts (NpJson *j, JsonObject *period)
{
  JsonObject *parts = np_body_object (period, "parts");
  g_autoptr (GList) names = parts ? json_object_get_members (parts) : NULL;
  put_times (j, "mean", np_body_array (period, "mean_ps"));
  np_json_array (j, "parts");
  for (GList *name = names; name; name = name->next) {
    np_json_object (j, NULL);
    np_json_text (j, "part", name->data);
    put_times (j, "time", np_body_array (parts, name->data));
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* Puts what the sentence is about: a device of each profile, and the parts of its mean period. */
static void
put_judged (NpJson *j, JsonObject *diff)
{
  JsonObject *judged = np_body_object (diff, "judged");
  g_auto (GStrv) devices = judged ? np_body_texts (judged, "device") : NULL;
  if (!devices || g_strv_length (devices) != 2)
    return;
  JsonObject *period = period_of (diff, devices[0]);
  np_json_object (j, "judged");
  np_json_text (j, "device_a", devices[0]);
  np_json_text (j, "device_b", devices[1]);
  np_json_text (j, "of", np_body_text (judged, "of"));
  np_json_text (j, "verdict", np_body_text (judged, "verdict"));
  put_member (j, "a_ps", judged, "base_ps");
  put_member (j, "b_ps", judged, "new_ps");
  put_member (j, "change", judged, "delta");
  put_member (j, "interval", judged, "interval");
  if (period)
    put_parts (j, period);
  np_json_end_object (j);
}

/* Puts the verdict of one comparison, and whether it meets the limit that CI would hold it to. */
static void
put_verdict (NpJson *j, JsonObject *diff, const char *id)
{
  gboolean counted, judged;
  double over = np_body_double (diff, "over", &counted),
         status = np_body_double (diff, "status", &judged);
  np_json_object (j, NULL);
  np_json_text (j, "profile", id);
  np_json_text (j, "text", verdict_of (diff));
  np_json_text (j, "sentence", np_body_text (diff, "sentence"));
  put_judged (j, diff);
  if (counted && judged) {
    np_json_text (j, "fail_over", FAIL_OVER);
    np_json_bool (j, "met", status == 0);
    np_json_number (j, "over", (guint64) over);
  }
  np_json_end_object (j);
}

/* Puts rows as member `rows`, a table: steps, or what list of nprof diff holds. */
static void
put_table (NpJson *j, const GPtrArray *diffs, const char *list, char **ids)
{
  gboolean of_steps = !strcmp (list, BY_STEPS);
  guint n = 0;
  np_json_object (j, "rows");
  np_json_text (j, "name", of_steps ? "compare_steps" : "compare");
  np_json_text (j, "title", of_steps ? "Steps beside each other" : "What changed");
  np_json_text (j, "note", "of the base and each other profile, as nprof diff says it");
  if (of_steps)
    np_compare_step_columns (j);
  else
    put_columns (j);
  np_json_array (j, "rows");
  for (guint i = 0; i < diffs->len; i++) {
    JsonObject *diff = json_node_get_object (diffs->pdata[i]);
    n += of_steps ? np_compare_step_rows (j, diff, ids[i + 1])
                  : put_rows (j, diff, list, ids[i + 1]);
  }
  np_json_end_array (j);
  np_json_number (j, "total", n);
  np_json_number (j, "offset", 0);
  np_json_end_object (j);
}

/* Puts a list of what `put` says of each comparison. */
static void
put_each (NpJson *j, const char *key, const GPtrArray *diffs, char **ids,
          void (*put) (NpJson *, JsonObject *, const char *))
{
  np_json_array (j, key);
  for (guint i = 0; i < diffs->len; i++)
    put (j, json_node_get_object (diffs->pdata[i]), ids[i + 1]);
  np_json_end_array (j);
}

/* Puts the comparisons `diffs` of a with each b; `ids` are a, then each b. */
static void
put_comparison (NpAsk *ask, const GPtrArray *diffs, const char *list, char **ids)
{
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_text (j, "per", are_of_steps (diffs) ? "step" : "recording");
  put_table (j, diffs, list, ids);
  put_each (j, "totals", diffs, ids, put_totals);
  np_json_array (j, "steps");
  for (char **id = ids; *id; id++)
    put_steps (ask, *id);
  np_json_end_array (j);
  if (!strcmp (list, BY_STEPS))
    put_each (j, "medians", diffs, ids, np_compare_medians);
  put_each (j, "unmatched", diffs, ids, put_unmatched);
  put_each (j, "verdicts", diffs, ids, put_verdict);
  np_json_text (j, "verdict", common_verdict (diffs));
  np_json_end_object (j);
}

/* Returns the profile a, then each b; NULL: the reply says what is wrong. */
static GStrv
ids_of (NpAsk *ask)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  const char *base = np_request_param (ask->request, "a");
  guint n = 1;
  g_strv_builder_add (ids, base ? base : "");
  for (guint i = 0; i < ask->request->params->len; i++) {
    const NpParam *p = &g_array_index (ask->request->params, NpParam, i);
    if (strcmp (p->name, "b"))
      continue;
    g_strv_builder_add (ids, p->value);
    n++;
  }
  g_auto (GStrv) list = g_strv_builder_end (ids);
  if (n < 2 || n > 8 || !base) {
    np_reply_fail (ask->reply, 400, "", "expected parameter a and one to seven of b");
    return NULL;
  }
  for (char **id = list; *id; id++)
    if (!np_ask_hold (ask, *id))
      return NULL;
  return g_steal_pointer (&list);
}

/* Returns a text that differs after a new ingest, so that it is compared anew. */
static char *
generations_of (NpAsk *ask, const char *const *ids)
{
  GString *text = g_string_new (NULL);
  char why[600];
  for (const char *const *id = ids; *id; id++) {
    NpProfile *p = np_ask_try_hold (ask, *id, why, sizeof why);
    g_string_append_printf (text, "%016" G_GINT64_MODIFIER "x ", p ? p->meta->generation : 0);
  }
  return g_string_free (text, FALSE);
}

static NpJob *
diff_job (NpAsk *ask, const char *a, const char *b, const char *by)
{
  g_autofree char *generations = generations_of (ask, (const char *const[]){ a, b, NULL });
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *base = np_job_input (ask, a), *other = np_job_input (ask, b);
  g_strv_builder_add_many (words, "/proc/self/exe", "diff", "--format", "json", "--by", by,
                           "--fail-over", FAIL_OVER, "--no-progress", NULL);
  np_job_add_window (ask, words);
  g_strv_builder_add_many (words, "--", base, other, NULL);
  return np_job_of (ask, words, generations);
}

JsonNode *
np_compare_diff (NpAsk *ask, const char *a, const char *b, const char *by)
{
  g_autoptr (NpJob) job = diff_job (ask, a, b, by);
  return job ? np_job_json (ask, job, "nprof diff") : NULL;
}

gboolean
np_ask_compare (NpAsk *ask)
{
  static const char *const bys[] = { "kernels", "ops", "modules", BY_STEPS };
  g_autoptr (GPtrArray) diffs = g_ptr_array_new_with_free_func ((GDestroyNotify) json_node_unref);
  guint by;
  if (!np_ask_word (ask, "by", "name|operator|layer|step", &by))
    return FALSE;
  g_auto (GStrv) ids = ids_of (ask);
  if (!ids)
    return FALSE;
  for (char **other = ids + 1; *other; other++) {
    JsonNode *diff = np_compare_diff (ask, ids[0], *other, bys[by]);
    if (!diff)
      return ask->reply->status == 202;
    g_ptr_array_add (diffs, diff);
  }
  put_comparison (ask, diffs, bys[by], ids);
  return TRUE;
}
