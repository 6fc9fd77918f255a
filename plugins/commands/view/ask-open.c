/* SPDX-License-Identifier: Apache-2.0 */
/* ask-open.c - answers routes open, again and upload: profiles that the page asks to be read. */

#include "ask.h"
#include "body.h"
#include "stored/child.h"
#include "upload.h"

#include <nprof/store-reader.h>
#include <string.h>
#include <sys/stat.h>

/* -- Which profiles these are ------------------------------------------------------- */

static gboolean
is_ending (gpointer view)
{
  return atomic_load (&((NpView *) view)->ending);
}

/* Returns a reading with the options of the server's own command line. */
static NpReading *
reading_new (NpAsk *ask)
{
  const NpReading *own = ask->view->config->reading;
  NpReading *r = own ? np_reading_copy (own) : np_reading_new ();
  g_ptr_array_set_size (r->paths, 0);
  g_clear_pointer (&r->label, g_free);
  r->force = r->keep_going = FALSE;
  return r;
}

/* Returns what `nprof view --plan` prints, a line of JSON a profile.  NULL: the reply says what
 * cannot be read. */
static GString *
plan (NpAsk *ask, const NpReading *reading, gboolean one)
{
  g_autofree char *err = NULL;
  GString *out = NULL;
  int status
      = np_reading_run (reading, ask->view->config->store, one, &out, &err, is_ending, ask->view);
  if (!status)
    return out;
  g_autofree char *cause = np_child_cause (err, status);
  np_reply_fail (ask->reply, 400,
                 reading->upload ? "send another file" : "name another file, or a decoder", "%s",
                 cause);
  g_string_free (out, TRUE);
  return NULL;
}

static void
put_profile (NpAsk *ask, const char *key, const char *id, gboolean here)
{
  g_autoptr (NpEntry) e = NULL;
  np_listing_look (ask->view->listing, TRUE);
  e = np_listing_get (ask->view->listing, id);
  np_json_object (&ask->json, key);
  np_json_text (&ask->json, "profile", id);
  np_json_bool (&ask->json, "here", here);
  if (e)
    np_json_progress (ask, e);
  else
    np_json_null (&ask->json, "progress");
  np_json_end_object (&ask->json);
}

/* Takes one line of the plan: begins to read what is not here. */
static gboolean
take_line (NpAsk *ask, const NpReading *from, const char *line)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  if (!json_parser_load_from_data (parser, line, -1, NULL))
    return FALSE;
  JsonObject *o = json_node_get_object (json_parser_get_root (parser));
  const char *id = np_body_text (o, "profile"), *label = np_body_text (o, "label");
  g_auto (GStrv) paths = np_body_texts (o, "paths");
  gboolean here = np_body_flag (o, "here");
  if (!id || !paths || !np_is_profile_id (id))
    return FALSE;
  g_autoptr (NpReading) reading = np_reading_copy (from);
  g_ptr_array_set_size (reading->paths, 0);
  for (char **path = paths; *path; path++)
    g_ptr_array_add (reading->paths, g_strdup (*path));
  g_free (reading->label);
  reading->label = g_strdup (label);
  if (!here)
    np_readers_start (ask->view->readers, id, reading);
  put_profile (ask, NULL, id, here);
  return TRUE;
}

static gboolean
begin_all (NpAsk *ask, const NpReading *reading, gboolean one)
{
  GString *text = plan (ask, reading, one);
  if (!text)
    return FALSE;
  g_auto (GStrv) lines = g_strsplit (text->str, "\n", -1);
  g_string_free (text, TRUE);
  np_json_object (&ask->json, NULL);
  np_json_array (&ask->json, "profiles");
  for (guint i = 0; lines[i]; i++)
    if (*lines[i] && !take_line (ask, reading, lines[i]))
      return FALSE;
  np_json_end_array (&ask->json);
  np_json_end_object (&ask->json);
  return TRUE;
}

/* -- open ------------------------------------------------------------------------------ */

static gboolean
take_paths (NpAsk *ask, NpReading *reading, char **paths)
{
  struct stat st;
  for (char **path = paths; *path; path++) {
    if (!g_path_is_absolute (*path))
      return np_reply_fail (ask->reply, 400, "begin it with /",
                            "%.200s: expected the whole path of a file or folder", *path);
    if (stat (*path, &st) || !(S_ISREG (st.st_mode) || S_ISDIR (st.st_mode)))
      return np_reply_fail (ask->reply, 400, "name one that is there",
                            "%.200s: there is no such file or folder", *path);
    g_ptr_array_add (reading->paths, g_strdup (*path));
  }
  return reading->paths->len
         || np_reply_fail (ask->reply, 400, "", "expected paths to be a list of texts");
}

gboolean
np_ask_open (NpAsk *ask)
{
  g_autoptr (JsonNode) root = np_ask_body (ask, "paths decoder force? keep_going? one?");
  if (!root)
    return FALSE;
  JsonObject *body = json_node_get_object (root);
  g_auto (GStrv) paths = np_body_texts (body, "paths");
  const char *decoder = np_body_text (body, "decoder");
  g_autoptr (NpReading) reading = reading_new (ask);
  if (!ask->view->config->open_path)
    return np_reply_fail (ask->reply, 403, "send the file, or start nprof view with --open-path",
                          "this server opens no files by their path");
  if (!paths)
    return np_reply_fail (ask->reply, 400, "", "expected paths to be a list of texts");
  if (!decoder && json_object_has_member (body, "decoder"))
    return np_reply_fail (ask->reply, 400, "", "expected decoder to be a text");
  if (decoder && *decoder) {
    g_free (reading->decoder);
    reading->decoder = g_strdup (decoder);
  }
  reading->force = np_body_flag (body, "force");
  reading->keep_going = np_body_flag (body, "keep_going");
  return take_paths (ask, reading, paths) && begin_all (ask, reading, np_body_flag (body, "one"));
}

/* -- again ------------------------------------------------------------------------------ */

static gboolean
no_source (NpAsk *ask, const char *what)
{
  return np_reply_fail (ask->reply, 404, "open or upload the file again",
                        "its source is not there any more: %.200s", what);
}

/* Takes the paths that the store names. */
static gboolean
take_stored (NpAsk *ask, NpReading *r, const NpProfile *p)
{
  const struct nprof_store_input *in;
  for (guint32 i = 0; (in = nprof_store_input_at (p->store, i)); i++) {
    const char *path = in->flags & NPROF_STORE_NO_PATH ? "" : np_profile_string (p, in->path);
    if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
        || np_is_upload (ask->view->config->store, path))
      return no_source (ask, *path ? path : "(a pipe or an upload)");
    g_ptr_array_add (r->paths, g_strdup (path));
  }
  return TRUE;
}

/* Takes those that are kept beside a store which cannot be opened, as one of another version. */
static gboolean
take_kept (NpAsk *ask, NpReading *r, const NpAbout *about, const char *id)
{
  if (!about->inputs->len)
    return np_reply_fail (ask->reply, 404, "open the file again",
                          "there is no profile %.50s here that names its source", id);
  for (guint i = 0; i < about->inputs->len; i++) {
    if (!np_about_has_input (about->inputs->pdata[i]))
      return no_source (ask, about->inputs->pdata[i]);
    g_ptr_array_add (r->paths, g_strdup (about->inputs->pdata[i]));
  }
  return TRUE;
}

/* Returns the reading by what is known of its sources; NULL: the reply says why not. */
static NpReading *
reading_of_store (NpAsk *ask, const char *id)
{
  char why[700];
  NpProfile *p = np_ask_try_hold (ask, id, why, sizeof why);
  g_autoptr (NpReading) r = reading_new (ask);
  g_autoptr (NpAbout) about = np_about_read (ask->view->config->store, id);
  if (!(p ? take_stored (ask, r, p) : take_kept (ask, r, about, id)))
    return NULL;
  g_free (r->decoder);
  r->decoder = g_strdup (about->decoder);
  r->label = g_path_get_basename (r->paths->len ? r->paths->pdata[0] : id);
  return g_steal_pointer (&r);
}

gboolean
np_ask_again (NpAsk *ask)
{
  const char *id = np_request_segment (ask->request, 3);
  g_autoptr (JsonNode) root = np_ask_body (ask, "keep_going? force?");
  if (!root)
    return FALSE;
  if (!np_is_profile_id (id))
    return np_reply_fail (ask->reply, 404, "", "there is no profile %.50s here", id);
  g_autoptr (NpReading) reading = np_readers_known (ask->view->readers, id);
  if (!reading && !(reading = reading_of_store (ask, id)))
    return FALSE;
  reading->force = TRUE;
  reading->keep_going = np_body_flag (json_node_get_object (root), "keep_going");
  np_readers_start (ask->view->readers, id, reading);
  put_profile (ask, NULL, id, FALSE);
  return TRUE;
}

/* -- upload ------------------------------------------------------------------------------ */

/* Adds the sources of a stored profile to what was sent, as inputs of one profile; FALSE: the reply
 * says why not. */
static gboolean
add_beside (NpAsk *ask, NpReading *reading)
{
  const char *id = np_request_param (ask->request, "beside");
  g_autoptr (NpReading) stored = id && *id ? reading_of_store (ask, id) : NULL;
  if (!id)
    return TRUE;
  if (!stored)
    return *id ? FALSE : np_ask_wrong (ask, "beside", "a profile");
  for (guint i = 0; i < stored->paths->len; i++)
    g_ptr_array_add (reading->paths, g_strdup (g_ptr_array_index (stored->paths, i)));
  return TRUE;
}

gboolean
np_ask_upload (NpAsk *ask)
{
  NpUpload *upload = ask->request->upload;
  guint last;
  if (!upload || !np_ask_word (ask, "last", "0|1", &last))
    return FALSE;
  if (!last) {
    np_json_object (&ask->json, NULL);
    np_json_text (&ask->json, "upload", np_upload_id (upload));
    np_json_number (&ask->json, "bytes", np_upload_bytes (upload));
    np_json_end_object (&ask->json);
    return TRUE;
  }
  g_autoptr (NpReading) reading = reading_new (ask);
  reading->upload = np_upload_folder (upload);
  np_upload_files (upload, reading->paths);
  GString *text = add_beside (ask, reading) ? plan (ask, reading, TRUE) : NULL;
  if (!text) {
    np_upload_forget (upload);
    return FALSE;
  }
  gboolean good = take_line (ask, reading, text->str);
  g_string_free (text, TRUE);
  return good;
}
