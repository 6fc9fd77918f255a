/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c - reads and writes what people keep of a profile. */

#include "stored/kept.h"
#include "base/error.h"
#include "base/strict-json.h"
#include "base/temp-file.h"
#include "system/json-writer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <nprof/store-reader.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_BYTES 1000
#define TAG_MAX_BYTES 100
#define MOST_TAGS 100
#define MOST_BYTES (64 << 20)

char *
np_kept_path (const char *store, const char *id, const char *name)
{
  return g_build_filename (store, "kept", id, name, NULL);
}

void
np_about_free (NpAbout *a)
{
  if (!a)
    return;
  g_free (a->name);
  g_free (a->baseline);
  g_free (a->decoder);
  g_ptr_array_unref (a->tags);
  g_ptr_array_unref (a->analyzers);
  g_ptr_array_unref (a->sources);
  g_ptr_array_unref (a->inputs);
  g_free (a);
}

gboolean
np_about_has_input (const char *input)
{
  return g_path_is_absolute (input) && g_file_test (input, G_FILE_TEST_EXISTS);
}

gboolean
np_is_upload (const char *store, const char *path)
{
  g_autofree char *folder = g_build_filename (store, "uploads", "", NULL);
  g_autofree char *uploads = g_canonicalize_filename (folder, NULL);
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  gsize len = strlen (uploads);
  return g_str_has_prefix (whole, uploads) && (whole[len] == '/' || uploads[len - 1] == '/');
}

gboolean
np_about_rename (NpAbout *about, const char *name, GError **error)
{
  if (strlen (name) > NAME_MAX_BYTES)
    return np_error_set (error, NP_EXIT_USAGE, "expected a name of at most %d bytes",
                         NAME_MAX_BYTES);
  g_free (about->name);
  about->name = *name ? g_strdup (name) : NULL;
  return TRUE;
}

gboolean
np_about_tag (NpAbout *about, const char *tag, gboolean add, GError **error)
{
  guint index;
  gboolean has = g_ptr_array_find_with_equal_func (about->tags, tag, g_str_equal, &index);
  if (!add && has)
    g_ptr_array_remove_index (about->tags, index);
  if (!add || has)
    return TRUE;
  if (!*tag || strlen (tag) > TAG_MAX_BYTES)
    return np_error_set (error, NP_EXIT_USAGE, "expected a tag of 1 to %d bytes", TAG_MAX_BYTES);
  if (about->tags->len >= MOST_TAGS)
    return np_error_set (error, NP_EXIT_USAGE, "expected at most %d tags", MOST_TAGS);
  g_ptr_array_add (about->tags, g_strdup (tag));
  return TRUE;
}

static const char *
text_of (JsonObject *o, const char *name)
{
  JsonNode *node = json_object_get_member (o, name);
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static void
take_texts (JsonObject *o, const char *name, GPtrArray *to)
{
  JsonNode *node = json_object_get_member (o, name);
  JsonArray *array = node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  for (guint i = 0; array && i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);
    if (JSON_NODE_HOLDS_VALUE (element) && json_node_get_value_type (element) == G_TYPE_STRING)
      g_ptr_array_add (to, g_strdup (json_node_get_string (element)));
  }
}

/* A pipe in its place would keep whoever reads it waiting. */
static gboolean
is_plain (const char *path)
{
  int fd = nprof_store_file (AT_FDCWD, path);
  return fd >= 0 && !close (fd);
}

NpAbout *
np_about_read (const char *store, const char *id)
{
  NpAbout *a = g_new0 (NpAbout, 1);
  g_autofree char *path = np_kept_path (store, id, "about.json");
  g_autoptr (JsonNode) root = is_plain (path) ? np_strict_json_read (path, NULL) : NULL;
  a->tags = g_ptr_array_new_with_free_func (g_free);
  a->analyzers = g_ptr_array_new_with_free_func (g_free);
  a->sources = g_ptr_array_new_with_free_func (g_free);
  a->inputs = g_ptr_array_new_with_free_func (g_free);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return a;
  JsonObject *o = json_node_get_object (root);
  a->name = g_strdup (text_of (o, "name"));
  a->baseline = g_strdup (text_of (o, "baseline"));
  a->decoder = g_strdup (text_of (o, "decoder"));
  JsonNode *star = json_object_get_member (o, "star"), *added = json_object_get_member (o, "added");
  a->star = star && JSON_NODE_HOLDS_VALUE (star) && json_node_get_boolean (star);
  a->added = added && JSON_NODE_HOLDS_VALUE (added) ? json_node_get_int (added) : 0;
  take_texts (o, "tags", a->tags);
  take_texts (o, "analyzers", a->analyzers);
  take_texts (o, "sources", a->sources);
  take_texts (o, "inputs", a->inputs);
  return a;
}

static void
put_texts (NpJson *j, const char *key, const GPtrArray *texts)
{
  np_json_array (j, key);
  for (guint i = 0; i < texts->len; i++)
    np_json_text (j, NULL, texts->pdata[i]);
  np_json_end_array (j);
}

gboolean
np_about_write (const char *store, const char *id, const NpAbout *a, GError **error)
{
  struct nprof_buf text = { 0 };
  NpJson j = { .buf = &text };
  np_json_object (&j, NULL);
  np_json_text (&j, "name", a->name);
  put_texts (&j, "tags", a->tags);
  np_json_bool (&j, "star", a->star);
  np_json_text (&j, "baseline", a->baseline);
  np_json_number (&j, "added", (guint64) a->added);
  np_json_text (&j, "decoder", a->decoder);
  put_texts (&j, "analyzers", a->analyzers);
  put_texts (&j, "sources", a->sources);
  put_texts (&j, "inputs", a->inputs);
  np_json_end_object (&j);
  g_autofree char *path = np_kept_path (store, id, "about.json");
  gboolean good = !text.failed && np_kept_write (path, text.data, text.len, error);
  nprof_buf_clear (&text);
  return good;
}

/* -- Files ------------------------------------------------------------------ */

char *
np_kept_read (const char *path, gsize *len)
{
  struct stat st;
  int fd = nprof_store_file (AT_FDCWD, path);
  gboolean small = fd >= 0 && !fstat (fd, &st) && st.st_size <= MOST_BYTES;
  char *text = small ? g_malloc ((gsize) st.st_size + 1) : NULL;
  *len = small ? (gsize) st.st_size : 0;
  if (text && np_read_at (fd, 0, text, *len))
    g_clear_pointer (&text, g_free);
  if (fd >= 0)
    close (fd);
  if (text)
    text[*len] = '\0';
  return text;
}

static gboolean
write_file (const char *path, const char *text, gsize len, gboolean sync, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *temporary = g_strconcat (path, ".XXXXXX", NULL);
  if (g_mkdir_with_parents (folder, 0700)) {
    np_error_errno (error, NP_EXIT_SINK, folder, errno);
    return FALSE;
  }
  int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0600);
  gboolean good = fd >= 0;
  for (gsize at = 0; good && at < len;) {
    ssize_t n = write (fd, text + at, len - at);
    good = n > 0 || (n < 0 && errno == EINTR);
    at += n > 0 ? (gsize) n : 0;
  }
  good = good && (!sync || !fsync (fd)) && !rename (temporary, path);
  if (!good)
    np_error_errno (error, NP_EXIT_SINK, path, errno);
  if (fd >= 0)
    close (fd);
  if (fd >= 0 && !good)
    unlink (temporary);
  return good;
}

gboolean
np_kept_write (const char *path, const char *text, gsize len, GError **error)
{
  return write_file (path, text, len, TRUE, error);
}

static void
put_known (NpJson *j, const char *key, gboolean known, double value)
{
  if (known)
    np_json_number (j, key, (guint64) (value + 0.5));
  else
    np_json_null (j, key);
}

void
np_kept_tell_progress (const char *path, const NpProgressNow *now)
{
  static const char *const stages[] = { "reading", "analyzing", "finishing" };
  struct nprof_buf text = { 0 };
  NpJson j = { .buf = &text };
  gboolean known = now->total > 0 && now->done > 0; /* not every decoder tells */
  gboolean moves = now->stage == NP_READS && now->bytes_per_s > 0;
  np_json_object (&j, NULL);
  np_json_text (&j, "stage", stages[now->stage]);
  put_known (&j, "done_bytes", known, (double) now->done);
  put_known (&j, "total_bytes", now->total > 0, (double) now->total);
  put_known (&j, "bytes_per_s", moves, now->bytes_per_s);
  put_known (&j, "left_s", moves && known,
             (double) (now->total - now->done) / MAX (now->bytes_per_s, 1));
  np_json_end_object (&j);
  if (!text.failed)
    write_file (path, text.data, text.len, FALSE, NULL); /* the next one comes soon */
  nprof_buf_clear (&text);
}

gint64
np_kept_opened (const char *store, const char *id)
{
  g_autofree char *path = np_kept_path (store, id, "used");
  struct stat st;
  return lstat (path, &st) ? 0 : (gint64) st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}

void
np_kept_touch (const char *store, const char *id)
{
  g_autofree char *path = np_kept_path (store, id, "used");
  if (!np_kept_opened (store, id))
    np_kept_write (path, "", 0, NULL);
  utimensat (AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}
