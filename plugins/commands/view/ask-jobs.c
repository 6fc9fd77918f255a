/* SPDX-License-Identifier: Apache-2.0 */
/* ask-jobs.c - routes gate and export: what commands of nprof say of stored profiles, so that the
 * page and the terminal say the same. */

#include "ask-jobs.h"
#include "base/error.h"
#include "console/default-analyzers.h"
#include "gate/demands.h"
#include "gate/print.h"
#include "parts.h"
#include "stored/child.h"
#include "stored/findings.h"
#include "stored/kept.h"
#include "stored/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns a stored profile as an input of a command: its name where that looks for it, else its
 * folder.  Transfer full. */
static char *
job_input (NpAsk *ask, const char *id)
{
  char folder[4096];
  const char *store = ask->view->config->store;
  gboolean known = nprof_store_folder (folder, sizeof folder) && !strcmp (folder, store);
  return known ? g_strdup (id) : g_build_filename (store, id, NULL);
}

/* Returns whether a job has ended with an answer; else the reply is 202 with that stage, or says
 * why there is no answer. */
static gboolean
answered (NpAsk *ask, const NpJob *job, const char *stage)
{
  if (!job->done) {
    ask->reply->status = 202;
    np_json_object (&ask->json, NULL);
    np_json_text (&ask->json, "job", job->id);
    np_json_null (&ask->json, "progress");
    np_json_text (&ask->json, "stage", stage);
    np_json_end_object (&ask->json);
    return FALSE;
  }
  if (job->answer)
    return TRUE;
  g_autofree char *cause = np_child_cause (job->err, job->status);
  return np_reply_ended (ask->reply, job->status, cause);
}

NpAnalysis *
np_job_analysis (NpAsk *ask)
{
  g_autofree char *folder = g_build_filename (ask->view->config->store, ask->id, NULL);
  NpAnalysis *analysis = np_analysis_new (ask->view->modules, folder);
  const char *name;
  for (guint32 k = 1; *(name = nprof_store_origin (ask->store, k)); k++)
    g_ptr_array_add (analysis->analyzers, g_strdup (name));
  return analysis;
}

NpJob *
np_job_do (NpAsk *ask, const char *key, const NpJobKind *kind, gpointer work, const char *stage)
{
  g_autoptr (NpJob) job = np_jobs_do (ask->view->jobs, key, kind, work);
  if (!job) {
    np_reply_fail (ask->reply, 429, "ask again when what runs has ended",
                   "too much is being computed");
    return NULL;
  }
  return answered (ask, job, stage) ? g_steal_pointer (&job) : NULL;
}

/* -- Tables ------------------------------------------------------------------------------- */

static gpointer
make_tables (gpointer work, gboolean (*stop) (gpointer user), gpointer user, int *status,
             char **said)
{
  return np_analyze (work, stop, user, status, said);
}

static void
free_analysis (gpointer work)
{
  np_analysis_free (work);
}

static gpointer
ref_tables (gpointer tables)
{
  return np_table_store_ref (tables);
}

static void
unref_tables (gpointer tables)
{
  np_table_store_free (tables);
}

static gsize
bytes_of_tables (gconstpointer tables)
{
  return np_table_store_bytes (tables);
}

/* Takes the analysis. */
static NpJob *
analyze (NpAsk *ask, NpAnalysis *analysis, const char *stage)
{
  static const NpJobKind kind
      = { make_tables, free_analysis, ref_tables, unref_tables, bytes_of_tables };
  g_autofree char *own = np_analysis_key (analysis);
  g_autofree char *key
      = g_strdup_printf ("%016" G_GINT64_MODIFIER "x\n%s", ask->profile->meta->generation, own);
  return np_job_do (ask, key, &kind, analysis, stage);
}

NpTableStore *
np_job_tables (NpAsk *ask, NpAnalysis *analysis)
{
  g_autoptr (NpJob) job = analyze (ask, analysis, "nprof report");
  return job ? np_table_store_ref (job->answer) : NULL;
}

/* -- gate -------------------------------------------------------------------------------- */

/* Returns the demands of the question; NULL: the reply says what is wrong. */
static GPtrArray *
demands_of (NpAsk *ask)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < ask->request->params->len; i++) {
    const NpParam *p = &g_array_index (ask->request->params, NpParam, i);
    if (!strcmp (p->name, "demand"))
      g_ptr_array_add (texts, p->value);
  }
  if (!texts->len) {
    np_ask_missing (ask, "demand");
    return NULL;
  }
  GPtrArray *exprs = np_gate_demands (ask->view->modules, (const char *const *) texts->pdata,
                                      texts->len, NULL, &error);
  if (!exprs)
    np_reply_ended (ask->reply, error->code, error->message);
  return exprs;
}

/* Returns what makes the tables of the demands, transfer full. */
static NpAnalysis *
gate_analysis (NpAsk *ask, const GPtrArray *exprs)
{
  g_autofree char *folder = g_build_filename (ask->view->config->store, ask->id, NULL);
  NpAnalysis *analysis = np_analysis_new (ask->view->modules, folder);
  g_autoptr (NpConfig) config = np_config_new ();
  g_autoptr (GPtrArray) names = np_gate_want (config, ask->view->modules, exprs);
  analysis->tables = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; names->pdata[i]; i++)
    g_ptr_array_add (analysis->tables, g_strdup (names->pdata[i]));
  for (guint i = 0; i < config->analyzers->len; i++)
    g_ptr_array_add (analysis->analyzers,
                     g_strdup (((const NpSpec *) config->analyzers->pdata[i])->name));
  analysis->alone = TRUE;
  return analysis;
}

gboolean
np_ask_gate (NpAsk *ask)
{
  g_autoptr (GPtrArray) exprs = demands_of (ask);
  g_autoptr (GError) error = NULL;
  g_autoptr (NpJob) job = exprs ? analyze (ask, gate_analysis (ask, exprs), "nprof gate") : NULL;
  if (!job)
    return ask->reply->status == 202;
  g_autoptr (GPtrArray) names = np_table_names (ask->view->modules, job->answer);
  const NpGateRun run = { job->answer, (const char *const *) names->pdata,
                          np_lost_rows (ask->store), job->status == NP_EXIT_LOSSES };
  g_autoptr (GPtrArray) verdicts = np_gate_judge (exprs, &run, NULL, &error);
  if (!verdicts)
    return np_reply_ended (ask->reply, error->code, error->message);
  g_autoptr (GString) text = np_gate_print (verdicts, "json", ask->id);
  nprof_put (&ask->reply->body, text->str, text->len);
  return TRUE;
}

/* -- export --------------------------------------------------------------------------------- */

static const struct {
  const char *format, *type, *ending;
} formats[] = { { "csv", "text/csv; charset=utf-8", "csv" },
                { "chrome", "application/json", "json" },
                { "parquet", "application/vnd.apache.parquet", "parquet" },
                { "markdown", "text/markdown; charset=utf-8", "md" },
                { "furiosa-0.9", "text/plain; charset=utf-8", "txt" },
                { "furiosa-0.10", "text/plain; charset=utf-8", "txt" } };
#define FORMATS "csv|chrome|parquet|markdown|furiosa-0.9|furiosa-0.10"

enum { CSV, CHROME, PARQUET, MARKDOWN, FIRST_STYLE }; /* places in formats; styles are vendors' */

static void
add_tracks (NpAsk *ask, GStrvBuilder *words, const GArray *tracks)
{
  for (guint i = 0; i < tracks->len; i++) {
    const struct nprof_store_track *t
        = nprof_store_track_at (ask->store, g_array_index (tracks, guint32, i));
    g_autofree char *pattern = np_track_pattern (ask, t);
    g_strv_builder_add_many (words, "--track", pattern, NULL);
  }
}

static void
add_time (GStrvBuilder *words, const char *option, const char *text)
{
  g_autofree char *time = g_strconcat (text ? text : "", "ps", NULL);
  if (text)
    g_strv_builder_add_many (words, option, time, NULL);
}

static void
add_window (NpAsk *ask, GStrvBuilder *words)
{
  const char *t0 = np_request_param (ask->request, "t0"),
             *t1 = np_request_param (ask->request, "t1");
  add_time (words, "--from", t0);
  add_time (words, "--to", t1);
  if (t0 || t1)
    g_strv_builder_add (words, "--clip");
}

/* Returns whether a text has lower-case letters, digits and _ alone, and one at least. */
static gboolean
is_table_word (const char *text)
{
  return *text && strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen (text);
}

/* Adds the analyzers that made a part of the stored profile, with their options. */
static void
add_analyzers (NpAsk *ask, GStrvBuilder *words)
{
  const char *name;
  for (guint32 k = 1; *(name = nprof_store_origin (ask->store, k)); k++)
    g_strv_builder_add_many (words, "-a", name, NULL);
}

/* Adds the words that write path, a folder for parquet. */
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
  if (format == MARKDOWN)
    g_strv_builder_add_many (words, "report", "--format", "markdown", NULL);
  else if (format >= FIRST_STYLE)
    g_strv_builder_add_many (words, "report", "--style", formats[format].format, NULL);
  else
    g_strv_builder_add_many (words, "run", "-s", format == CSV ? csv : formats[format].format,
                             NULL);
  if (format == MARKDOWN && !rows)
    g_strv_builder_add_many (words, "--only", what, NULL);
  if (format < MARKDOWN && !rows)
    add_analyzers (ask, words);
  add_window (ask, words);
  add_tracks (ask, words, tracks);
  g_strv_builder_add_many (words, "--no-progress", "-o", path, "--", input, NULL);
  return TRUE;
}

/* Returns what people call the profile, of letters that each system takes in a name of a file;
 * transfer full. */
static char *
name_for_file (NpAsk *ask)
{
  g_autoptr (NpAbout) about = np_about_read (ask->view->config->store, ask->id);
  const struct nprof_store_input *in = nprof_store_input_at (ask->store, 0);
  const char *label = about->name ? about->name : in ? np_ask_string (ask, in->label) : "";
  g_autofree char *base = g_path_get_basename (*label ? label : ask->id);
  g_autofree char *ascii = g_str_to_ascii (base, "C");
  return g_strcanon (g_steal_pointer (&ascii), G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._+-", '_');
}

/* Sends the file, which nobody else can open any more. */
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
  g_autofree char *name = name_for_file (ask);
  ask->reply->download = g_strdup_printf ("%s-%s.%s", name, what, formats[format].ending);
  return TRUE;
}

gboolean
np_ask_export (NpAsk *ask)
{
  const char *what = np_request_param (ask->request, "what");
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *input = job_input (ask, ask->id), *err = NULL;
  char id[NP_UPLOAD_DIGITS + 1];
  guint format;
  what = what ? what : "rows";
  if (!np_ask_word (ask, "format", FORMATS, &format))
    return FALSE;
  if (!is_table_word (what) || np_is_source_table (what)
      || (strcmp (what, "rows") && nprof_store_find_table (ask->store, what) == G_MAXUINT32))
    return np_ask_wrong (ask, "what", "rows, or the name of a table");
  np_uploads_id (ask->view->uploads, id);
  g_autofree char *folder = g_build_filename (ask->view->config->store, "uploads", id, NULL);
  g_autofree char *name = g_strconcat ("export.", formats[format].ending, NULL),
                  *file = g_build_filename (folder, name, NULL);
  g_autofree char *inner
      = format == PARQUET ? g_strconcat (strcmp (what, "rows") ? what : "events", ".parquet", NULL)
                          : NULL;
  g_autofree char *made = inner ? g_build_filename (file, inner, NULL) : g_strdup (file);
  if (!add_words (ask, builder, format, what, file, input))
    return FALSE;
  if (g_mkdir_with_parents (folder, 0700))
    return np_reply_fail (ask->reply, 507, "make room on the disk of the store", "%s",
                          np_error_words (errno));
  g_auto (GStrv) words = g_strv_builder_end (builder);
  int status = np_ask_command (ask, (const char *const *) words, NULL, NULL, &err);
  g_autofree char *cause = status && status != 3 ? np_child_cause (err, status) : NULL;
  gboolean good
      = cause ? np_reply_ended (ask->reply, status, cause) : send_file (ask, format, what, made);
  np_remove_folder (folder);
  return good;
}
