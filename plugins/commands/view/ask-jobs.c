/* SPDX-License-Identifier: Apache-2.0 */
/* ask-jobs.c - routes gate and export: what other commands of nprof say of stored profiles, so that
 * the page and the terminal say the same. */

#include "ask-jobs.h"
#include "base/error.h"
#include "stored/child.h"
#include "stored/kept.h"
#include "stored/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *
np_job_input (NpAsk *ask, const char *id)
{
  char folder[4096];
  const char *store = ask->view->config->store;
  gboolean known = nprof_store_folder (folder, sizeof folder) && !strcmp (folder, store);
  return known ? g_strdup (id) : g_build_filename (store, id, NULL);
}

gboolean
np_job_answered (NpAsk *ask, const NpJob *job, const char *stage)
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
  if (job->status == 0 || job->status == 3 || job->status == 6)
    return TRUE;
  g_autofree char *cause = np_child_cause (job->err, job->status);
  return np_reply_ended (ask->reply, job->status, cause);
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

NpJob *
np_job_of (NpAsk *ask, GStrvBuilder *builder, const char *generation)
{
  g_auto (GStrv) words = g_strv_builder_end (builder);
  g_autofree char *joined = g_strjoinv ("\n", words);
  g_autofree char *key = g_strconcat (generation, "\n", joined, NULL);
  return get_job (ask, key, words);
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

NpTableStore *
np_job_tables (NpAsk *ask, NpAnalysis *analysis)
{
  g_autofree char *own = np_analysis_key (analysis);
  g_autofree char *key
      = g_strdup_printf ("%016" G_GINT64_MODIFIER "x\n%s", ask->profile->meta->generation, own);
  g_autoptr (NpJob) job = np_jobs_analyze (ask->view->jobs, key, analysis);
  if (!job) {
    np_reply_fail (ask->reply, 429, "ask again when what runs has ended",
                   "too much is being computed");
    return NULL;
  }
  return np_job_answered (ask, job, "nprof report") ? np_table_store_ref (job->tables) : NULL;
}

/* -- gate -------------------------------------------------------------------------------- */

gboolean
np_ask_gate (NpAsk *ask)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *input = np_job_input (ask, ask->id);
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
  g_autoptr (NpJob) job = np_job_of (ask, words, np_request_segment (ask->request, 4));
  if (!job)
    return FALSE;
  if (!np_job_answered (ask, job, "nprof gate"))
    return ask->reply->status == 202;
  nprof_put (&ask->reply->body, job->out->str, job->out->len);
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

/* Adds the labels of tracks as --track takes them: a label means all that begin so, because without
 * a * it is a part of any label. */
static void
add_tracks (NpAsk *ask, GStrvBuilder *words, const GArray *tracks)
{
  for (guint i = 0; i < tracks->len; i++) {
    const struct nprof_store_track *t
        = nprof_store_track_at (ask->store, g_array_index (tracks, guint32, i));
    g_autoptr (GString) pattern = g_string_new (NULL);
    for (const char *c = np_track_title (ask, t); *c; c++)
      g_string_append_c (pattern, strchr ("*?[]\\", *c) ? '?' : *c);
    g_string_append_c (pattern, '*');
    g_strv_builder_add_many (words, "--track", pattern->str, NULL);
  }
}

static void
add_time (GStrvBuilder *words, const char *option, const char *text)
{
  g_autofree char *time = g_strconcat (text ? text : "", "ps", NULL);
  if (text)
    g_strv_builder_add_many (words, option, time, NULL);
}

void
np_job_add_window (NpAsk *ask, GStrvBuilder *words)
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

void
np_job_add_analyzers (NpAsk *ask, GStrvBuilder *words)
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
    g_strv_builder_add_many (words, "/proc/self/exe", "report", "--format", "markdown", NULL);
  else if (format >= FIRST_STYLE)
    g_strv_builder_add_many (words, "/proc/self/exe", "report", "--style", formats[format].format,
                             NULL);
  else
    g_strv_builder_add_many (words, "/proc/self/exe", "run", "-s",
                             format == CSV ? csv : formats[format].format, NULL);
  if (format == MARKDOWN && !rows)
    g_strv_builder_add_many (words, "--only", what, NULL);
  if (format < MARKDOWN && !rows)
    np_job_add_analyzers (ask, words);
  np_job_add_window (ask, words);
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
  g_autofree char *input = np_job_input (ask, ask->id), *err = NULL;
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
  GString *out = NULL;
  int status = np_child_run (words, NULL, &out, &err, is_over, ask);
  g_autofree char *cause = status && status != 3 ? np_child_cause (err, status) : NULL;
  gboolean good
      = cause ? np_reply_ended (ask->reply, status, cause) : send_file (ask, format, what, made);
  g_string_free (out, TRUE);
  np_remove_folder (folder);
  return good;
}
