/* SPDX-License-Identifier: Apache-2.0 */
/* ask-kept.c - answers for what people keep: annotations, views and gates of a profile, layouts,
 * short links.  Each item is one file, named by the checksum of its name, because a name may hold
 * anything: a line of what is known of it, then its data. */

#include "ask.h"
#include "body.h"
#include "stored/keeping.h"
#include "random.h"

#include <json-glib/json-glib.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_CHARACTERS 100
#define LINK_DIGITS 10
#define STATE_MAX 65536

typedef struct {
  char *name, *by;
  gint64 rev, updated;
  char *data; /* JSON */
} Item;

static void
item_clear (Item *i)
{
  g_free (i->name);
  g_free (i->by);
  g_free (i->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Item, item_clear)

/* -- Files ----------------------------------------------------------------------- */

/* Returns the folder of the family that the path names; transfer full. */
static char *
folder_of (NpAsk *ask)
{
  const NpRequest *r = ask->request;
  const char *store = ask->view->config->store;
  gboolean layouts = !strcmp (np_request_segment (r, 2), "layouts");
  return layouts ? g_build_filename (store, "kept", "layouts", NULL)
                 : np_kept_path (store, np_request_segment (r, 3), np_request_segment (r, 4));
}

static const char *
name_of (NpAsk *ask)
{
  gboolean layouts = !strcmp (np_request_segment (ask->request, 2), "layouts");
  return np_request_segment (ask->request, layouts ? 3 : 5);
}

static char *
path_of (const char *folder, const char *name)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA1, name, -1);
  g_autofree char *file = g_strconcat (hash, ".json", NULL);
  return g_build_filename (folder, file, NULL);
}

static gboolean
item_read (Item *i, const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  gsize len;
  char *line = (text = np_kept_read (path, &len)) ? strchr (text, '\n') : NULL;
  if (!line || !json_parser_load_from_data (parser, text, line - text, NULL))
    return FALSE;
  JsonNode *root = json_parser_get_root (parser);
  JsonObject *o = root && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  if (!o)
    return FALSE;
  i->name = g_strdup (json_object_get_string_member_with_default (o, "name", ""));
  i->by = g_strdup (json_object_get_string_member_with_default (o, "by", ""));
  i->rev = json_object_get_int_member_with_default (o, "rev", 0);
  i->updated = json_object_get_int_member_with_default (o, "updated", 0);
  i->data = g_strdup (line + 1);
  return TRUE;
}

static void
put_head (NpJson *j, const Item *i)
{
  np_json_text (j, "name", i->name);
  np_json_number (j, "rev", (guint64) i->rev);
  np_json_number (j, "updated", (guint64) i->updated);
  np_json_text (j, "by", i->by);
}

static gboolean
item_write (const Item *i, const char *path, GError **error)
{
  struct nprof_buf text = { 0 };
  NpJson j = { .buf = &text };
  np_json_object (&j, NULL);
  put_head (&j, i);
  np_json_end_object (&j);
  nprof_put_char (&text, '\n');
  nprof_put_text (&text, i->data);
  gboolean good = !text.failed && np_kept_write (path, text.data, text.len, error);
  nprof_buf_clear (&text);
  return good;
}

static void
put_item (NpAsk *ask, const Item *i, gboolean data)
{
  np_json_object (&ask->json, NULL);
  put_head (&ask->json, i);
  if (data)
    np_json_raw (&ask->json, "data", i->data, strlen (i->data));
  np_json_end_object (&ask->json);
}

/* -- Questions --------------------------------------------------------------------- */

/* Returns whether an item that belongs to a profile has one. */
static gboolean
has_owner (NpAsk *ask)
{
  const char *id = np_request_segment (ask->request, 3);
  if (!strcmp (np_request_segment (ask->request, 2), "layouts"))
    return TRUE;
  g_autoptr (NpEntry) e = np_listing_find (ask->view->listing, id);
  return e
         || np_reply_fail (ask->reply, 404, "the list has those that are there",
                           "there is no profile %.50s here", id);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Item *) a)->name, ((const Item *) b)->name);
}

gboolean
np_ask_kept_list (NpAsk *ask)
{
  g_autofree char *folder = folder_of (ask);
  g_autoptr (GArray) items = g_array_new (FALSE, TRUE, sizeof (Item));
  const char *name;
  if (!has_owner (ask))
    return FALSE;
  g_array_set_clear_func (items, (GDestroyNotify) item_clear);
  GDir *dir = g_dir_open (folder, 0, NULL);
  while (dir && (name = g_dir_read_name (dir))) {
    Item item = { 0 };
    g_autofree char *path = g_build_filename (folder, name, NULL);
    if (g_str_has_suffix (name, ".json") && item_read (&item, path))
      g_array_append_val (items, item);
  }
  if (dir)
    g_dir_close (dir);
  g_array_sort (items, by_name);
  np_json_object (&ask->json, NULL);
  np_json_array (&ask->json, "items");
  for (guint i = 0; i < items->len; i++)
    put_item (ask, &g_array_index (items, Item, i), FALSE);
  np_json_end_array (&ask->json);
  np_json_end_object (&ask->json);
  return TRUE;
}

gboolean
np_ask_kept_get (NpAsk *ask)
{
  g_auto (Item) item = { 0 };
  g_autofree char *folder = folder_of (ask), *path = path_of (folder, name_of (ask));
  if (!has_owner (ask))
    return FALSE;
  if (!item_read (&item, path))
    return np_reply_fail (ask->reply, 404, "", "there is no item %.100s", name_of (ask));
  put_item (ask, &item, TRUE);
  return TRUE;
}

static void
tell_change (NpAsk *ask)
{
  if (strcmp (np_request_segment (ask->request, 2), "layouts"))
    np_listing_changed (ask->view->listing, np_request_segment (ask->request, 3), "annotations");
}

/* Refuses with 409 and the present item, because somebody else was faster. */
static gboolean
refuse_stale (NpAsk *ask, const Item *present)
{
  ask->reply->status = 409;
  if (present->name)
    put_item (ask, present, TRUE);
  else
    return np_reply_fail (ask->reply, 409, "put it with rev null",
                          "the item is not there any more");
  return TRUE;
}

static gboolean
put_locked (NpAsk *ask, JsonObject *body, const char *path)
{
  g_auto (Item) present = { 0 };
  g_auto (Item) item = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean there = item_read (&present, path),
           wanted
           = json_object_has_member (body, "rev") && !json_object_get_null_member (body, "rev");
  guint64 rev = 0;
  if (wanted && !np_body_number (body, "rev", &rev))
    return np_reply_fail (ask->reply, 400, "", "expected rev to be null or a number from 0");
  if (there != wanted || (there && rev != (guint64) present.rev))
    return refuse_stale (ask, &present);
  item = (Item){ .name = g_strdup (name_of (ask)),
                 .by = g_strdup (g_get_user_name ()),
                 .rev = there ? present.rev + 1 : 1,
                 .updated = g_get_real_time () / 1000,
                 .data = json_to_string (json_object_get_member (body, "data"), FALSE) };
  if (!item_write (&item, path, &error))
    return np_reply_fail (ask->reply, 507, "make room on the disk of the store", "%s",
                          error->message);
  put_item (ask, &item, FALSE);
  return TRUE;
}

gboolean
np_ask_kept_put (NpAsk *ask)
{
  const char *name = name_of (ask);
  glong len = g_utf8_strlen (name, -1);
  g_autofree char *folder = folder_of (ask), *path = path_of (folder, name);
  g_autoptr (JsonNode) root = np_ask_body (ask, "rev data");
  if (!root || !has_owner (ask))
    return FALSE;
  JsonObject *body = json_node_get_object (root);
  if (len < 1 || len > NAME_MAX_CHARACTERS || strchr (name, '/'))
    return np_reply_fail (ask->reply, 400, "",
                          "the name has %ld characters: expected 1 to %d, without /", len,
                          NAME_MAX_CHARACTERS);
  if (!json_object_has_member (body, "data"))
    return np_reply_fail (ask->reply, 400, "", "member data is missing");
  int lock = np_ask_keep (ask);
  if (lock < 0)
    return FALSE;
  gboolean good = put_locked (ask, body, path);
  np_keeping_end (lock);
  if (good && ask->reply->status == 200)
    tell_change (ask);
  return good;
}

gboolean
np_ask_kept_delete (NpAsk *ask)
{
  g_auto (Item) present = { 0 };
  g_autofree char *folder = folder_of (ask), *path = path_of (folder, name_of (ask));
  gint64 rev;
  if (!has_owner (ask) || !np_ask_i64 (ask, "rev", -1, &rev))
    return FALSE;
  int lock = np_ask_keep (ask);
  if (lock < 0)
    return FALSE;
  gboolean there = item_read (&present, path), same = there && (rev < 0 || rev == present.rev);
  if (same)
    unlink (path);
  np_keeping_end (lock);
  if (!there)
    return np_reply_fail (ask->reply, 404, "", "there is no item %.100s", name_of (ask));
  if (!same)
    return refuse_stale (ask, &present);
  np_json_object (&ask->json, NULL);
  np_json_text (&ask->json, "name", name_of (ask));
  np_json_end_object (&ask->json);
  tell_change (ask);
  return TRUE;
}

/* -- Short links ------------------------------------------------------------------------ */

static gboolean
is_link (const char *id)
{
  return strlen (id) == LINK_DIGITS && strspn (id, "0123456789abcdef") == LINK_DIGITS;
}

gboolean
np_ask_link_post (NpAsk *ask)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = np_ask_body (ask, "bucket state");
  char id[LINK_DIGITS + 1];
  if (!root)
    return FALSE;
  JsonObject *body = json_node_get_object (root);
  const char *bucket = np_body_text (body, "bucket"), *state = np_body_text (body, "state");
  if (!bucket || !state || strlen (state) > STATE_MAX)
    return np_reply_fail (ask->reply, 400, "",
                          "expected the texts bucket, and state of at most %d bytes", STATE_MAX);
  np_random_hex (id, LINK_DIGITS);
  g_autofree char *path = g_build_filename (ask->view->config->store, "kept", "links", id, NULL);
  g_autofree char *text = g_strconcat (bucket, "\n", state, NULL);
  if (strchr (bucket, '\n') || !np_kept_write (path, text, strlen (text), &error))
    return np_reply_fail (ask->reply, 507, "make room on the disk of the store", "%s",
                          error ? error->message : "bucket");
  np_json_object (&ask->json, NULL);
  np_json_text (&ask->json, "id", id);
  np_json_end_object (&ask->json);
  return TRUE;
}

gboolean
np_ask_link_get (NpAsk *ask)
{
  const char *id = np_request_segment (ask->request, 3);
  g_autofree char *path
      = is_link (id) ? g_build_filename (ask->view->config->store, "kept", "links", id, NULL)
                     : NULL;
  gsize len;
  g_autofree char *text = path ? np_kept_read (path, &len) : NULL;
  char *line = text ? strchr (text, '\n') : NULL;
  if (!line)
    return np_reply_fail (ask->reply, 404, "", "there is no such link");
  *line = '\0';
  np_json_object (&ask->json, NULL);
  np_json_text (&ask->json, "bucket", text);
  np_json_text (&ask->json, "state", line + 1);
  np_json_end_object (&ask->json);
  return TRUE;
}
