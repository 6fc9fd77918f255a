/* SPDX-License-Identifier: Apache-2.0 */
/* ask-edit.c - answers routes rename, tags and delete: what people change of profiles. */

#include "ask.h"
#include "body.h"
#include "stored/database.h"
#include "stored/keeping.h"
#include "stored/remove.h"

#include <string.h>

/* Returns NULL when there is none; the reply says so. */
static NpEntry *
entry_of (NpAsk *ask)
{
  const char *id = np_request_segment (ask->request, 3);
  NpEntry *e = np_listing_find (ask->view->listing, id);
  if (!e)
    np_reply_fail (ask->reply, 404, "the list has those that are there",
                   "there is no profile %.50s here", id);
  return e;
}

/* Writes the change, tells it, and answers with the profile as it is now. */
static gboolean
save_about (NpAsk *ask, const char *id, const NpAbout *about)
{
  g_autoptr (GError) error = NULL;
  if (!np_about_write (ask->view->config->store, id, about, &error))
    return np_reply_fail (ask->reply, 507, "make room on the disk of the store", "%s",
                          error->message);
  np_listing_changed (ask->view->listing, id, "changed");
  g_autoptr (NpEntry) now = np_listing_get (ask->view->listing, id);
  if (!now)
    return np_reply_fail (ask->reply, 404, "", "the profile went away");
  np_json_profile (ask, NULL, now, FALSE);
  return TRUE;
}

gboolean
np_ask_rename (NpAsk *ask)
{
  g_autoptr (JsonNode) root = np_ask_body (ask, "name");
  const char *name = root ? np_body_text (json_node_get_object (root), "name") : NULL;
  g_autoptr (NpEntry) e = root ? entry_of (ask) : NULL;
  if (!e)
    return FALSE;
  if (!name)
    return np_reply_fail (ask->reply, 400, "", "expected the text name");
  g_autoptr (GError) error = NULL;
  int lock = np_ask_keep (ask);
  if (lock < 0)
    return FALSE;
  g_autoptr (NpAbout) about = np_about_read (ask->view->config->store, e->id);
  gboolean good = np_about_rename (about, name, &error)
                      ? save_about (ask, e->id, about)
                      : np_reply_fail (ask->reply, 400, "", "%s", error->message);
  np_keeping_end (lock);
  return good;
}

static gboolean
change_tags (NpAbout *about, char **add, char **remove, GError **error)
{
  gboolean good = TRUE;
  for (char **tag = remove; *tag; tag++)
    np_about_tag (about, *tag, FALSE, NULL);
  for (char **tag = add; *tag && good; tag++)
    good = np_about_tag (about, *tag, TRUE, error);
  return good;
}

gboolean
np_ask_tags (NpAsk *ask)
{
  g_autoptr (JsonNode) root = np_ask_body (ask, "add remove star?");
  g_autoptr (NpEntry) e = root ? entry_of (ask) : NULL;
  if (!e)
    return FALSE;
  JsonObject *body = json_node_get_object (root);
  g_auto (GStrv) add = np_body_texts (body, "add"), remove = np_body_texts (body, "remove");
  if (!add || !remove)
    return np_reply_fail (ask->reply, 400, "", "expected add and remove to be lists of texts");
  g_autoptr (GError) error = NULL;
  int lock = np_ask_keep (ask);
  if (lock < 0)
    return FALSE;
  g_autoptr (NpAbout) about = np_about_read (ask->view->config->store, e->id);
  if (json_object_has_member (body, "star"))
    about->star = np_body_flag (body, "star");
  gboolean good = change_tags (about, add, remove, &error)
                      ? save_about (ask, e->id, about)
                      : np_reply_fail (ask->reply, 400, "", "%s", error->message);
  np_keeping_end (lock);
  return good;
}

/* -- delete ------------------------------------------------------------------------ */

/* Deletes one, in the database first; returns NULL, else why it stays. */
static char *
delete_one (NpAsk *ask, const char *id, gboolean database, guint64 *bytes)
{
  const NpReading *reading = ask->view->config->reading;
  g_autoptr (GError) error = NULL;
  guint64 own = 0;
  if (!np_is_profile_id (id))
    return g_strdup ("it is no name of a profile");
  if (np_readers_run (ask->view->readers, id))
    return g_strdup ("it is being read: wait until it is there");
  np_opened_drop (ask->view->opened, id);
  np_listing_done (ask->view->listing, id);
  g_autofree char *path = g_build_filename (ask->view->config->store, id, NULL);
  if (database && !np_database_drop (reading->endpoint, reading->org, id, &error))
    return g_strdup (error->message);
  if (g_file_test (path, G_FILE_TEST_EXISTS)
      && !np_profile_remove (ask->view->config->store, id, TRUE, &own, &error))
    return g_strdup (error->message);
  *bytes += own;
  return NULL;
}

gboolean
np_ask_delete (NpAsk *ask)
{
  g_autoptr (JsonNode) root = np_ask_body (ask, "profiles database?");
  g_auto (GStrv) ids = root ? np_body_texts (json_node_get_object (root), "profiles") : NULL;
  g_autoptr (GPtrArray) whys = g_ptr_array_new_with_free_func (g_free);
  guint64 bytes = 0;
  NpJson *j = &ask->json;
  if (!root)
    return FALSE;
  if (!ids)
    return np_reply_fail (ask->reply, 400, "", "expected profiles to be a list of texts");
  gboolean database = np_body_flag (json_node_get_object (root), "database");
  const NpReading *own = ask->view->config->reading;
  if (database && !(own && own->endpoint))
    return np_reply_fail (ask->reply, 400,
                          "start nprof view with --db-endpoint, or leave database out",
                          "this server writes to no database");
  for (char **id = ids; *id; id++)
    g_ptr_array_add (whys, delete_one (ask, *id, database, &bytes));
  np_listing_look (ask->view->listing, TRUE);
  np_json_object (j, NULL);
  np_json_array (j, "deleted");
  for (guint i = 0; ids[i]; i++)
    if (!whys->pdata[i])
      np_json_text (j, NULL, ids[i]);
  np_json_end_array (j);
  np_json_number (j, "bytes", bytes);
  np_json_array (j, "kept");
  for (guint i = 0; ids[i]; i++)
    if (whys->pdata[i]) {
      np_json_object (j, NULL);
      np_json_text (j, "profile", ids[i]);
      np_json_text (j, "text", whys->pdata[i]);
      np_json_end_object (j);
    }
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}
