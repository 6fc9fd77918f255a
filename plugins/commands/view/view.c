/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - the life of the server: its secrets, its port, and how it ends. */

#include "ask.h"
#include "base/error.h"
#include "base/install-paths.h"
#include "base/signals.h"
#include "random.h"
#include "routes.h"
#include "run/answer-folders.h"
#include "stored/kept.h"
#include "upload.h"
#include "view/viewer-files.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_SECONDS 3 /* for what still runs when the server ends */

/* Reads the id of the store, by which another nprof sees that a server shows the same folder.  A
 * file of the folder keeps it. */
static gboolean
read_store_id (NpView *view, GError **error)
{
  const char *store = view->config->store;
  g_autofree char *path = g_build_filename (store, "store-id", NULL), *text = NULL;
  if (g_mkdir_with_parents (store, 0700) || g_access (store, R_OK | X_OK))
    return np_error_set (error, np_exit_of (errno, NP_EXIT_SINK),
                         "%s: %s: set XDG_DATA_HOME, or --store, to a folder that can be made",
                         store, np_error_words (errno));
  gboolean written = !g_access (store, W_OK);
  if (!written)
    np_log (view->log, NPROF_WARNING,
            "%s: %s: its profiles are shown; nothing is kept, and nothing can be read into it",
            store, g_strerror (errno));
  gsize len = 0;
  if ((text = np_kept_read (path, &len)) && len >= 32 && strspn (text, "0123456789abcdef") >= 32) {
    g_strlcpy (view->store_id, text, sizeof view->store_id);
    return TRUE;
  }
  np_random_hex (view->store_id, 32);
  return !written || np_kept_write (path, view->store_id, 32, error);
}

/* Reads the page; in the build tree its made files lie apart from the sources. */
static NpPage *
read_page (void)
{
  static const char *const files[] = { NP_VIEWER_FILES NULL };
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();
  g_autofree char *built = np_viewer_folder (), *data = np_data_folder ();
  g_autofree char *own = data ? g_build_filename (data, "viewer", NULL) : NULL;
  if (built)
    g_strv_builder_add (folders, built);
  if (own)
    g_strv_builder_add (folders, own);
  g_auto (GStrv) list = g_strv_builder_end (folders);
  return np_page_new (files, list);
}

/* Reads which frames of Python are not the user's own, as analyzers do. */
static OwnFramesList *
read_own_frames (NpRegistry *modules)
{
  g_autofree char *data = np_data_folder ();
  g_autoptr (GPtrArray) folders = np_answer_folders (modules, data, TRUE);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  for (guint i = 0; i < folders->len; i++)
    g_ptr_array_add (paths, ((NpAnswerFolder *) folders->pdata[i])->path);
  g_ptr_array_add (paths, NULL);
  return own_frames_list_of ((const char *const *) paths->pdata);
}

NpView *
np_view_new (const NpViewConfig *config, NpRegistry *modules, NpLog *log, GError **error)
{
  g_autoptr (NpView) view = g_new0 (NpView, 1);
  view->config = config;
  view->modules = modules;
  view->log = log;
  np_random_hex (view->token, 64);
  view->opened = np_opened_new (config->store);
  view->listing = np_listing_new (config->store, view->opened);
  view->jobs = np_jobs_new ();
  view->readers = np_readers_new (config->store, view->listing, view->opened, log);
  if (!read_store_id (view, error))
    return NULL;
  view->uploads = np_uploads_new (config->store);
  view->page = read_page ();
  view->own_frames = read_own_frames (modules);
  for (guint kind = NPROF_DECODER; kind <= NPROF_SINK; kind++)
    g_ptr_array_unref (
        np_registry_of_kind (modules, kind)); /* opens them: threads only read the list */
  return g_steal_pointer (&view);
}

void
np_view_free (NpView *view)
{
  if (!view)
    return;
  atomic_store (&view->ending, 1);
  np_jobs_end (view->jobs);
  np_readers_end (view->readers);
  np_http_stop (view->http); /* then nobody asks any more */
  np_readers_free (view->readers);
  np_jobs_free (view->jobs);
  np_listing_free (view->listing);
  np_opened_free (view->opened);
  np_page_free (view->page);
  np_uploads_free (view->uploads);
  own_frames_list_free (view->own_frames);
  g_free (view);
}

/* -- What the connections call ---------------------------------------------------- */

static void
on_request (gpointer user, NpRequest *request, NpReply *reply)
{
  np_route (user, request, reply);
}

static gboolean
is_upload (const NpRequest *request)
{
  return request->path->len == 3 && !strcmp (np_request_segment (request, 2), "upload");
}

static gboolean
on_begin_body (gpointer user, NpRequest *request, guint64 bytes, NpReply *reply)
{
  NpView *view = user;
  if (!is_upload (request)) {
    if (bytes > NP_BODY_MAX)
      return np_reply_fail (reply, 413, "",
                            "the body has %" G_GUINT64_FORMAT " bytes: expected at most %u", bytes,
                            NP_BODY_MAX);
    return !bytes || !request->type || g_str_has_prefix (request->type, "application/json")
           || np_reply_fail (reply, 415, "send application/json", "the body is of type %.100s",
                             request->type);
  }
  const char *name = request->header_name;
  g_autofree char *decoded = name ? g_uri_unescape_string (name, NULL) : NULL;
  request->upload = np_upload_new (view->uploads, np_request_param (request, "with"), decoded,
                                   bytes, view->config->upload_max, reply);
  return request->upload != NULL;
}

static gboolean
on_body (gpointer user, NpRequest *request, const void *data, gsize len, NpReply *reply)
{
  (void) user;
  if (request->upload)
    return np_upload_add (request->upload, data, len, reply);
  if (request->body->len + len > NP_BODY_MAX)
    return np_reply_fail (reply, 413, "", "the body has more than %u bytes", NP_BODY_MAX);
  g_string_append_len (request->body, data, (gssize) len);
  return TRUE;
}

static void
on_end_body (gpointer user, NpRequest *request)
{
  (void) user;
  np_upload_free (request->upload);
  request->upload = NULL;
}

gboolean
np_view_start (NpView *view, GError **error)
{
  const NpHttpHandler handler = { on_request, on_begin_body, on_body, on_end_body, view };
  sigset_t ending; /* its threads take no signals */
  sigemptyset (&ending);
  np_signals_add_ending (&ending);
  pthread_sigmask (SIG_BLOCK, &ending, &view->signals);
  view->http = np_http_start (view->config, view->token, &handler, view->log, error);
  return view->http != NULL;
}

char *
np_url_of (const char *address, guint port)
{
  return g_strdup_printf (strchr (address, ':') ? "http://[%s]:%u" : "http://%s:%u", address, port);
}

char *
np_view_url (const NpView *view)
{
  return np_url_of (view->config->address, np_http_port (view->http));
}

static void
end_now (int number)
{
  (void) number;
  _exit (NP_EXIT_OK);
}

void
np_view_wait (NpView *view, const atomic_int *interrupt)
{
  while (!atomic_load (interrupt)) /* a signal is taken within ppoll alone, so none is missed */
    ppoll (NULL, 0, NULL, &view->signals);
  pthread_sigmask (SIG_SETMASK, &view->signals, NULL);
  signal (SIGALRM, end_now);
  alarm (PATIENCE_SECONDS);
}

void
np_view_read (NpView *view, const char *id, const NpReading *reading)
{
  np_readers_start (view->readers, id, reading);
}
