/* SPDX-License-Identifier: Apache-2.0 */
/* ask-jobs.c - routes gate, export and compare: what other commands of nprof say of stored profiles, so that the page
 * and the terminal say the same. */

#include "view/ask.h"
#include "view/body.h"
#include "view/cells.h"
#include "view/child.h"
#include "view/jobs.h"
#include "view/random.h"
#include "view/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stored profile as an input: by its name where commands look for it, else by the file of its first input. */
static char *
input_of (NpAsk *ask, const char *id)
{
  char folder[4096];
  const char *store = ask->view->config->store;
  gboolean known = nprof_store_folder (folder, sizeof folder) && !strcmp (folder, store);
  return known ? g_strdup (id) : g_build_filename (store, id, "inputs", "0", NULL);
}

static gboolean
put_pending (NpAsk *ask, const NpJob *job, const char *stage)
{
  ask->reply->status = 202;
  np_json_object (&ask->json, NULL);
  np_json_text (&ask->json, "job", job->id);
  np_json_null (&ask->json, "progress");
  np_json_text (&ask->json, "stage", stage);
  np_json_end_object (&ask->json);
  return TRUE;
}

/* Whose exit status says that there is no answer. */
static gboolean
fail_of (NpAsk *ask, const NpJob *job)
{
  g_autofree char *cause = np_child_cause (job->err, job->status);
  return np_reply_fail (ask->reply, job->status == 1 ? 400 : 422, "", "%s", cause);
}

static NpJob *
get_job (NpAsk *ask, const char *key, char **words)
{
  NpJob *job = np_jobs_get (ask->view->jobs, key, words);
  if (!job)
    np_reply_fail (ask->reply, 429, "ask again when what runs has ended",
                   "too much is being computed");
  return job;
}

/* The words, and a key that other words do not have. */
static NpJob *
run_words (NpAsk *ask, GStrvBuilder *builder, const char *generation)
{
  g_auto (GStrv) words = g_strv_builder_end (builder);
  g_autofree char *joined = g_strjoinv ("\n", words);
  g_autofree char *key = g_strconcat (generation, "\n", joined, NULL);
  return get_job (ask, key, words);
}

/* -- gate -------------------------------------------------------------------------------- */

gboolean
np_ask_gate (NpAsk *ask)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *input = input_of (ask, ask->id);
  guint demands = 0;
  g_strv_builder_add_many (words, "/proc/self/exe", "gate", "--format", "json", "--no-progress",
                           "--", input, NULL);
  for (guint i = 0; i < ask->request->params->len; i++) {
    const NpParam *p = &g_array_index (ask->request->params, NpParam, i);
    if (strcmp (p->name, "demand"))
      continue;
    g_strv_builder_add (words, p->value);
    demands++;
  }
  if (!demands)
    return np_ask_missing (ask, "demand");
  g_autoptr (NpJob) job = run_words (ask, words, np_request_segment (ask->request, 4));
  if (!job)
    return FALSE;
  if (!job->done)
    return put_pending (ask, job, "nprof gate");
  if (job->status != 0 && job->status != 3 && job->status != 6)
    return fail_of (ask, job);
  nprof_put (&ask->reply->body, job->out->str, job->out->len);
  return TRUE;
}

/* -- export --------------------------------------------------------------------------------- */

static const struct {
  const char *format, *type, *ending;
} formats[] = { { "csv", "text/csv; charset=utf-8", "csv" },
                { "chrome", "application/json", "json" },
                { "parquet", "application/vnd.apache.parquet", "parquet" },
                { "markdown", "text/markdown; charset=utf-8", "md" } };

/* What the label means to --track: all that begins so, for without a * it is a part of any label. */
static void
add_tracks (NpAsk *ask, GStrvBuilder *words, const GArray *tracks)
{
  for (guint i = 0; i < tracks->len; i++) {
    const struct nprof_store_track *t
        = nprof_store_track_at (ask->store, g_array_index (tracks, guint32, i));
    g_autoptr (GString) pattern = g_string_new (NULL);
    for (const char *c = np_ask_string (ask, t->label ? t->label : t->key); *c; c++)
      g_string_append_c (pattern, strchr ("*?[]\\", *c) ? '?' : *c);
    g_string_append_c (pattern, '*');
    g_strv_builder_add_many (words, "--track", pattern->str, NULL);
  }
}

static void
add_time (NpAsk *ask, GStrvBuilder *words, const char *param, const char *option)
{
  const char *text = np_request_param (ask->request, param);
  g_autofree char *time = g_strconcat (text ? text : "", "ps", NULL);
  if (text)
    g_strv_builder_add_many (words, option, time, NULL);
}

static gboolean
is_word (const char *text)
{
  return *text && strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen (text);
}

/* Those whose tables a stored profile has; what is not installed is not asked for. */
static void
add_analyzers (NpAsk *ask, GStrvBuilder *words)
{
  const char *name;
  for (guint32 k = 1; *(name = nprof_store_origin (ask->store, k)); k++)
    g_strv_builder_add_many (words, "-a", name, NULL);
}

/* The words that write path, a folder for parquet. */
static gboolean
add_words (NpAsk *ask, GStrvBuilder *words, guint format, const char *what, const char *path,
           const char *input)
{
  gboolean rows = !strcmp (what, "rows");
  g_autofree char *csv = g_strconcat ("csv:table=", rows ? "events" : what, NULL);
  gint64 t0, t1;
  g_autoptr (GArray) tracks = np_ask_tracks (ask);
  if (!tracks || !np_ask_range (ask, &t0, &t1))
    return FALSE;
  if (format == 3)
    g_strv_builder_add_many (words, "/proc/self/exe", "report", "--format", "markdown", NULL);
  else
    g_strv_builder_add_many (words, "/proc/self/exe", "run", "-s",
                             format ? formats[format].format : csv, NULL);
  if (format == 3 && !rows)
    g_strv_builder_add_many (words, "--only", what, NULL);
  if (format != 3 && !rows)
    add_analyzers (ask, words);
  add_time (ask, words, "t0", "--from");
  add_time (ask, words, "t1", "--to");
  add_tracks (ask, words, tracks);
  g_strv_builder_add_many (words, "--no-progress", "-o", path, "--", input, NULL);
  return TRUE;
}

/* Sends the file, which nobody else finds any more. */
static gboolean
send_file (NpAsk *ask, guint format, const char *what, const char *path)
{
  struct stat st;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 || fstat (fd, &st)) {
    if (fd >= 0)
      close (fd);
    return np_reply_fail (ask->reply, 500, "", "what was exported is not there: %s",
                          g_strerror (errno));
  }
  ask->reply->type = formats[format].type;
  ask->reply->fd = fd;
  ask->reply->fd_bytes = (guint64) st.st_size;
  ask->reply->download = g_strdup_printf ("%.10s-%s.%s", ask->id, what, formats[format].ending);
  return TRUE;
}

static gboolean
is_over (gpointer ask)
{
  return np_ask_is_over (ask);
}

gboolean
np_ask_export (NpAsk *ask)
{
  const char *what = np_request_param (ask->request, "what");
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *input = input_of (ask, ask->id), *err = NULL;
  char id[17];
  guint format;
  what = what ? what : "rows";
  if (!np_ask_word (ask, "format", "csv|chrome|parquet|markdown", &format))
    return FALSE;
  if (!is_word (what)
      || np_is_source_table (what)
      || (strcmp (what, "rows") && nprof_store_find_table (ask->store, what) == G_MAXUINT32))
    return np_ask_wrong (ask, "what", "rows, or the name of a table");
  np_random_hex (id, 16);
  g_autofree char *folder = g_build_filename (ask->view->config->store, "uploads", id, NULL);
  g_autofree char *name = g_strconcat ("export.", formats[format].ending, NULL),
                  *file = g_build_filename (folder, name, NULL);
  g_autofree char *inner
      = format == 2 ? g_strconcat (strcmp (what, "rows") ? what : "events", ".parquet", NULL)
                    : NULL;
  g_autofree char *made = inner ? g_build_filename (file, inner, NULL) : g_strdup (file);
  if (!add_words (ask, builder, format, what, file, input))
    return FALSE;
  if (g_mkdir_with_parents (folder, 0700))
    return np_reply_fail (ask->reply, 507, "make room on the disk of the store", "%s",
                          g_strerror (errno));
  g_auto (GStrv) words = g_strv_builder_end (builder);
  GString *out = NULL;
  int status = np_child_run (words, &out, &err, is_over, ask);
  g_autofree char *cause = status && status != 3 ? np_child_cause (err, status) : NULL;
  gboolean good = cause ? np_reply_fail (ask->reply, 422, "", "%s", cause)
                        : send_file (ask, format, what, made);
  g_string_free (out, TRUE);
  np_remove_folder (folder);
  return good;
}

/* -- compare ------------------------------------------------------------------------------------ */

static double
number_of (JsonObject *o, const char *name, gboolean *known)
{
  JsonNode *node = o ? json_object_get_member (o, name) : NULL;
  *known = node && JSON_NODE_HOLDS_VALUE (node);
  return *known ? json_node_get_double (node) : 0;
}

static void
put_number (NpJson *j, JsonObject *o, const char *name)
{
  gboolean known;
  double value = number_of (o, name, &known);
  if (known)
    np_json_double (j, NULL, value);
  else
    np_json_null (j, NULL);
}

static void
put_columns (NpJson *j)
{
  static const char *const columns[][4]
      = { { "operator", "text", "", "key" },      { "device", "string", "", "key" },
          { "class", "string", "", "value" },     { "calls_a", "double", "", "value" },
          { "calls_b", "double", "", "value" },   { "a_ps", "double", "ps", "value" },
          { "b_ps", "double", "ps", "value" },    { "change", "double", "1", "value" },
          { "interval", "double", "1", "value" }, { "share", "double", "1", "value" },
          { "verdict", "string", "", "value" } };
  np_json_array (j, "columns");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
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

static const char *
text_of (JsonObject *o, const char *name)
{
  return o ? np_body_text (o, name) : NULL;
}

static JsonObject *
object_of (JsonObject *o, const char *name)
{
  JsonNode *node = o ? json_object_get_member (o, name) : NULL;
  return node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static JsonArray *
array_of (JsonObject *o, const char *name)
{
  JsonNode *node = o ? json_object_get_member (o, name) : NULL;
  return node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static guint
put_device (NpJson *j, JsonObject *device, const char *list)
{
  JsonArray *rows = array_of (device, list);
  const char *label = text_of (object_of (device, "base"), "device");
  guint n = rows ? json_array_get_length (rows) : 0;
  for (guint i = 0; i < n; i++) {
    JsonObject *o = json_array_get_object_element (rows, i);
    JsonArray *calls = array_of (o, "calls");
    np_json_array (j, NULL);
    np_json_text (j, NULL, text_of (o, "name"));
    np_json_text (j, NULL, label);
    np_json_text (j, NULL, text_of (o, "class"));
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
    np_json_text (j, NULL, text_of (o, "verdict"));
    np_json_end_array (j);
  }
  return n;
}

static guint
put_rows (NpJson *j, JsonObject *diff, const char *list)
{
  JsonArray *devices = array_of (diff, "devices");
  guint n = 0;
  np_json_array (j, "rows");
  for (guint i = 0; devices && i < json_array_get_length (devices); i++)
    n += put_device (j, json_array_get_object_element (devices, i), list);
  np_json_end_array (j);
  return n;
}

/* The step of each device, as metrics of change. */
static void
put_totals (NpJson *j, JsonObject *diff)
{
  static const char *const parts[] = { "step", "work", "communication" };
  JsonArray *devices = array_of (diff, "devices");
  np_json_array (j, "totals");
  for (guint i = 0; devices && i < json_array_get_length (devices); i++) {
    JsonObject *device = json_array_get_object_element (devices, i);
    const char *label = text_of (object_of (device, "base"), "device");
    for (guint k = 0; k < G_N_ELEMENTS (parts); k++) {
      JsonObject *part = object_of (device, parts[k]);
      gboolean known;
      double delta = number_of (part, "delta", &known);
      g_autofree char *source
          = g_strdup_printf ("change of the %s of %s: %s", parts[k], label ? label : "",
                             text_of (part, "verdict") ? text_of (part, "verdict") : "");
      if (known)
        np_json_metric (j, NULL, delta, "1", source);
      else
        np_json_unknown (j, NULL, "1", "one of the profiles does not have it");
    }
  }
  np_json_end_array (j);
}

static void
put_steps (NpAsk *ask, const char *id)
{
  char why[600];
  g_autoptr (NpProfile) p = np_opened_get (ask->view->opened, id, why, sizeof why);
  struct nprof_query *q = p ? np_profile_query (p) : NULL;
  g_auto (NpCells) steps = { 0 };
  NpJson *j = &ask->json;
  gint64 start, duration;
  np_json_object (j, NULL);
  np_json_text (j, "profile", id);
  np_json_array (j, "steps");
  if (q)
    np_cells_open (&steps, p->store, q, "steps");
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
  np_json_end_array (j);
  np_json_end_object (j);
  if (q)
    np_profile_give_back (p, q);
}

static const char *
verdict_of (JsonObject *diff)
{
  JsonArray *devices = array_of (diff, "devices");
  JsonObject *first = devices && json_array_get_length (devices)
                          ? json_array_get_object_element (devices, 0)
                          : NULL;
  const char *verdict = text_of (object_of (first, "step"), "verdict");
  return verdict ? verdict : "not told: the profiles have no steps in common";
}

static void
put_comparison (NpAsk *ask, JsonObject *diff, const char *list, char **ids)
{
  JsonArray *missing = array_of (diff, "not_compared");
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_object (j, "rows");
  np_json_text (j, "name", "compare");
  np_json_text (j, "title", "What changed");
  np_json_text (j, "note", "of the base and the first other profile, as nprof diff says it");
  put_columns (j);
  guint n = put_rows (j, diff, list);
  np_json_number (j, "total", n);
  np_json_number (j, "offset", 0);
  np_json_end_object (j);
  put_totals (j, diff);
  np_json_array (j, "steps");
  for (char **id = ids; *id; id++)
    put_steps (ask, *id);
  np_json_end_array (j);
  np_json_array (j, "unmatched");
  for (guint i = 0; missing && i < json_array_get_length (missing); i++) {
    g_autofree char *text = json_to_string (json_array_get_element (missing, i), FALSE);
    np_json_object (j, NULL);
    np_json_text (j, "profile", ids[1]);
    np_json_text (j, "track", text);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_text (j, "verdict", verdict_of (diff));
  np_json_end_object (j);
}

/* a, then each b; NULL: the reply says what is wrong. */
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
  for (char **id = list; *id; id++) {
    char why[600];
    g_autoptr (NpProfile) p = np_opened_get (ask->view->opened, *id, why, sizeof why);
    if (!p) {
      np_reply_fail (ask->reply, 404, "the list has those that are there",
                     "there is no profile %.50s here", *id);
      return NULL;
    }
  }
  return g_steal_pointer (&list);
}

/* By which a new ingest is compared anew. */
static char *
generations_of (NpAsk *ask, char **ids)
{
  GString *text = g_string_new (NULL);
  char why[600];
  for (char **id = ids; *id; id++) {
    g_autoptr (NpProfile) p = np_opened_get (ask->view->opened, *id, why, sizeof why);
    g_string_append_printf (text, "%016" G_GINT64_MODIFIER "x ", p ? p->meta->generation : 0);
  }
  return g_string_free (text, FALSE);
}

gboolean
np_ask_compare (NpAsk *ask)
{
  static const char *const bys[] = { "kernels", "ops", "modules" }, *const lists[]
                                                                    = { "kernels", "ops",
                                                                        "modules" };
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  guint by;
  if (!np_ask_word (ask, "by", "name|operator|layer", &by))
    return FALSE;
  g_auto (GStrv) ids = ids_of (ask);
  if (!ids)
    return FALSE;
  g_autofree char *base = input_of (ask, ids[0]), *other = input_of (ask, ids[1]);
  g_strv_builder_add_many (words, "/proc/self/exe", "diff", "--format", "json", "--by", bys[by],
                           "--no-progress", NULL);
  add_time (ask, words, "t0", "--from");
  add_time (ask, words, "t1", "--to");
  g_strv_builder_add_many (words, "--", base, other, NULL);
  g_autofree char *generations = generations_of (ask, ids);
  g_autoptr (NpJob) job = run_words (ask, words, generations);
  if (!job)
    return FALSE;
  if (!job->done)
    return put_pending (ask, job, "nprof diff");
  if (job->status != 0 && job->status != 3 && job->status != 6)
    return fail_of (ask, job);
  JsonNode *root = json_parser_load_from_data (parser, job->out->str, (gssize) job->out->len, NULL)
                       ? json_parser_get_root (parser)
                       : NULL;
  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return np_reply_fail (ask->reply, 500, "", "nprof diff gave no JSON");
  put_comparison (ask, json_node_get_object (root), lists[by], ids);
  return TRUE;
}
