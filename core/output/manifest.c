/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c - reads and writes manifest.json; when it is written and what is removed is
 * transaction.c's. */

#include "output/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <nprof/plugin.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strict-json.h"
#include "system/crc32.h"
#include "system/json-writer.h"

#define MAX_BYTES (16 << 20) /* json-glib takes 15 times that in memory */
#define READ_BYTES (64u << 10)

static void
manifest_file_free (gpointer data)
{
  NpManifestFile *file = data;
  g_free (file->name);
  g_free (file->run);
  g_free (file);
}

NpManifestFile *
np_manifest_file_new (const char *run, const char *name, guint64 bytes, guint32 crc)
{
  NpManifestFile *file = g_new0 (NpManifestFile, 1);
  file->name = g_strdup (name);
  file->run = g_strdup (run);
  file->bytes = bytes;
  file->crc32 = crc;
  return file;
}

GPtrArray *
np_manifest_list (void)
{
  return g_ptr_array_new_with_free_func (manifest_file_free);
}

const char *
np_file_name_problem (const char *name)
{
  if (!name || !*name)
    return "is empty";
  if (strlen (name) > 255)
    return "is longer than 255 bytes";
  if (name[0] == '.')
    return "begins with a dot";
  if (!g_utf8_validate (name, -1, NULL))
    return "is not UTF-8";
  for (const char *c = name; *c; c++) {
    if (*c == '/')
      return "has a slash";
    if (g_ascii_iscntrl (*c))
      return "has a control character";
  }
  return NULL;
}

const char *
np_file_path_problem (const char *path)
{
  g_auto (GStrv) names = g_strsplit (path ? path : "", "/", -1);
  for (guint i = 0; names[i]; i++)
    if (np_file_name_problem (names[i]))
      return np_file_name_problem (names[i]);
  return names[0] ? NULL : "is empty";
}

/* -- Reading --------------------------------------------------------------- */

static const char *
string_member (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  return node && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node)
                                                                  : NULL;
}

/* Parses 8 hex digits. */
static gboolean
parse_crc (const char *text, guint32 *crc)
{
  if (!text || strlen (text) != 8 || strspn (text, "0123456789abcdef") != 8)
    return FALSE;
  *crc = (guint32) g_ascii_strtoull (text, NULL, 16);
  return TRUE;
}

static NpManifestFile *
file_of (JsonNode *node, const char *run)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  JsonObject *object = json_node_get_object (node);
  JsonNode *bytes = json_object_get_member (object, "bytes");
  const char *name = string_member (object, "name");
  guint32 crc;
  if (np_file_path_problem (name) || !parse_crc (string_member (object, "crc32"), &crc) || !bytes
      || json_node_get_value_type (bytes) != G_TYPE_INT64 || json_node_get_int (bytes) < 0)
    return NULL;
  return np_manifest_file_new (run, name, (guint64) json_node_get_int (bytes), crc);
}

/* FALSE when an entry cannot be used: then none is used. */
static gboolean
files_of (JsonObject *object, GPtrArray *files)
{
  JsonNode *node = json_object_get_member (object, "files");
  const char *run = string_member (object, "run");
  if (!node || !JSON_NODE_HOLDS_ARRAY (node) || (!run && json_object_has_member (object, "run")))
    return FALSE;
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    NpManifestFile *file = file_of (json_array_get_element (array, i), run ? run : "");
    if (!file)
      return FALSE;
    g_ptr_array_add (files, file);
  }
  return TRUE;
}

static gboolean
others_of (JsonObject *object, GPtrArray *files)
{
  JsonNode *node = json_object_get_member (object, "others");
  if (!node)
    return TRUE;
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  gboolean ok = array != NULL;
  for (guint i = 0; ok && i < json_array_get_length (array); i++) {
    JsonNode *other = json_array_get_element (array, i);
    ok = JSON_NODE_HOLDS_OBJECT (other) && files_of (json_node_get_object (other), files);
  }
  return ok;
}

/* Many programs have a manifest.json; an object without our members is one of theirs. */
static gboolean
is_foreign (JsonNode *root)
{
  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return FALSE;
  JsonObject *object = json_node_get_object (root);
  return json_object_get_size (object)
         && !(string_member (object, "generator") && json_object_has_member (object, "files"));
}

/* Returns what is wrong as a static text, or NULL. */
static const char *
parse (const char *path, GPtrArray *files, gboolean *foreign)
{
  struct stat st = { 0 };
  g_autofree char *text = NULL;
  gsize len;
  guint line;
  if (lstat (path, &st) && (errno == ENOENT || errno == ENOTDIR))
    return NULL;
  *foreign = TRUE;
  if (!S_ISREG (st.st_mode) || st.st_size > MAX_BYTES
      || !g_file_get_contents (path, &text, &len, NULL)
      || np_strict_json_problem (text, len, &line))
    return "cannot be one of nprof, so it is kept and this run leaves none";
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  gboolean parsed = json_parser_load_from_data (parser, text, (gssize) len, NULL);
  JsonNode *root = parsed ? json_parser_get_root (parser) : NULL;
  *foreign = is_foreign (root);
  if (*foreign)
    return "is not one of nprof, so it is kept and this run leaves none";
  if (!root || !JSON_NODE_HOLDS_OBJECT (root) || !files_of (json_node_get_object (root), files)
      || !others_of (json_node_get_object (root), files))
    return "is damaged";
  return NULL;
}

GPtrArray *
np_manifest_read (const char *folder, NpLog *log, gboolean *foreign)
{
  GPtrArray *files = np_manifest_list ();
  g_autofree char *path = g_build_filename (folder, NP_MANIFEST, NULL);
  *foreign = FALSE;
  const char *problem = parse (path, files, foreign);
  if (!problem)
    return files;
  if (log)
    np_log (log, NPROF_WARNING, "%s: %s: files of older runs stay: look which are stale yourself",
            path, problem);
  g_ptr_array_set_size (files, 0);
  return files;
}

/* -- Writing --------------------------------------------------------------- */

static int
by_run_and_name (gconstpointer a, gconstpointer b)
{
  const NpManifestFile *x = *(const NpManifestFile *const *) a;
  const NpManifestFile *y = *(const NpManifestFile *const *) b;
  int order = strcmp (x->run, y->run);
  return order ? order : strcmp (x->name, y->name);
}

static void
put_file (NpJson *j, const NpManifestFile *file)
{
  char crc[9];
  g_snprintf (crc, sizeof crc, "%08x", file->crc32);
  np_json_object (j, NULL);
  np_json_text (j, "name", file->name);
  np_json_number (j, "bytes", file->bytes);
  np_json_text (j, "crc32", crc);
  np_json_end_object (j);
}

/* Puts the members run (unless it is "") and files. */
static void
put_run (NpJson *j, const char *run, const GPtrArray *files)
{
  if (*run)
    np_json_text (j, "run", run);
  np_json_array (j, "files");
  for (guint i = 0; i < files->len; i++) {
    const NpManifestFile *file = files->pdata[i];
    if (strcmp (file->run, run) == 0)
      put_file (j, file);
  }
  np_json_end_array (j);
}

/* Puts the files of runs with other inputs or options, which stay: a `run` is an id of both, ""
 * where it is not known. The files are sorted by run. */
static void
put_others (NpJson *j, const char *run, const GPtrArray *files)
{
  const char *last = NULL;
  for (guint i = 0; i < files->len; i++) {
    const NpManifestFile *file = files->pdata[i];
    if (!strcmp (file->run, run) || !g_strcmp0 (file->run, last))
      continue;
    if (!last)
      np_json_array (j, "others");
    last = file->run;
    np_json_object (j, NULL);
    put_run (j, last, files);
    np_json_end_object (j);
  }
  if (last)
    np_json_end_array (j);
}

char *
np_manifest_text (const char *generator, const char *run, GPtrArray *files)
{
  struct nprof_buf buf = { 0 };
  NpJson j = { .buf = &buf, .style = NP_JSON_INDENTED };
  g_ptr_array_sort (files, by_run_and_name);
  np_json_object (&j, NULL);
  np_json_text (&j, "generator", generator);
  put_run (&j, run, files);
  put_others (&j, run, files);
  np_json_end_object (&j);
  nprof_put_char (&buf, '\n');
  return np_json_take (&buf);
}

/* -- Comparing ------------------------------------------------------------- */

/* Returns whether the file has that many bytes, and that sum. */
static gboolean
has_sum (int fd, guint64 bytes, guint32 expected)
{
  guint32 crc = 0;
  g_autofree guint8 *buffer = g_malloc (READ_BYTES);
  ssize_t n;
  while ((n = read (fd, buffer, READ_BYTES)) > 0 && (guint64) n <= bytes) {
    crc = np_crc32 (crc, buffer, (gsize) n);
    bytes -= (guint64) n;
  }
  return !n && !bytes && crc == expected;
}

gboolean
np_manifest_unchanged (const char *folder, const NpManifestFile *file)
{
  struct stat st;
  g_autofree char *path = g_build_filename (folder, file->name, NULL);
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return FALSE;
  gboolean same = !fstat (fd, &st) && S_ISREG (st.st_mode) && (guint64) st.st_size == file->bytes
                  && has_sum (fd, file->bytes, file->crc32);
  close (fd);
  return same;
}
