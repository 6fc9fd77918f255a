/* SPDX-License-Identifier: Apache-2.0 */
/* ask-source.c - routes sources, source and line: the files of the user's program that rows name.  No path of a
 * profile is ever opened: what is shown was copied when the profile was stored, and is asked for by its number. */

#include "view/ask.h"
#include "view/flame.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  char *path;
  GArray *lines; /* of Line */
  guint64 events;
  gint64 self;
} File;

typedef struct {
  guint32 line;
  guint64 events;
  gint64 self;
} Line;

static void
file_free (gpointer data)
{
  File *file = data;
  g_free (file->path);
  g_array_unref (file->lines);
  g_free (file);
}

static int
by_self (gconstpointer a, gconstpointer b)
{
  const File *x = *(File *const *) a, *y = *(File *const *) b;
  if (x->self != y->self)
    return x->self < y->self ? 1 : -1;
  return strcmp (x->path, y->path);
}

static int
by_line (gconstpointer a, gconstpointer b)
{
  return (int) (((const Line *) a)->line > ((const Line *) b)->line)
         - (int) (((const Line *) a)->line < ((const Line *) b)->line);
}

/* "FILE:LINE" */
static void
add_line (GHashTable *at, GPtrArray *files, const char *text, const NpStack *node)
{
  const char *colon = strrchr (text, ':');
  Line line = { 0, node->count, node->self };
  gboolean numbered = colon && np_parse_u32 (colon + 1, &line.line);
  g_autofree char *path = numbered ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  File *file = g_hash_table_lookup (at, path);
  if (!file) {
    file = g_new0 (File, 1);
    file->path = g_strdup (path);
    file->lines = g_array_new (FALSE, FALSE, sizeof (Line));
    g_hash_table_insert (at, file->path, file);
    g_ptr_array_add (files, file);
  }
  file->events += node->count;
  file->self += node->self;
  g_array_append_val (file->lines, line);
}

/* Those with most self time first, by which they are numbered; NULL: failed. */
static GPtrArray *
collect (NpAsk *ask)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, 4);
  g_autoptr (GArray) nodes
      = np_flame (ask, ask->profile->meta->first, ask->profile->meta->last, all, NP_STACK_SOURCE);
  g_autoptr (GHashTable) at = g_hash_table_new (g_str_hash, g_str_equal);
  if (!nodes)
    return NULL;
  GPtrArray *files = g_ptr_array_new_with_free_func (file_free);
  for (guint i = 1; i < nodes->len; i++) {
    const NpStack *node = &g_array_index (nodes, NpStack, i);
    add_line (at, files, np_ask_string (ask, node->name), node);
  }
  g_ptr_array_sort (files, by_self);
  for (guint i = 0; i < files->len; i++)
    g_array_sort (((File *) files->pdata[i])->lines, by_line);
  return files;
}

gboolean
np_ask_sources (NpAsk *ask)
{
  g_autoptr (GPtrArray) files = collect (ask);
  NpJson *j = &ask->json;
  if (!files)
    return FALSE;
  np_json_object (j, NULL);
  np_json_array (j, "files");
  for (guint i = 0; i < files->len; i++) {
    const File *file = files->pdata[i];
    np_json_object (j, NULL);
    np_json_number (j, "index", i);
    np_json_text (j, "path", file->path);
    np_json_bool (j, "present", FALSE);
    np_json_number (j, "lines", file->lines->len);
    np_json_number (j, "events", file->events);
    np_json_i64 (j, "self", file->self);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  if (!files->len)
    np_json_text (j, "unknown", "needs source lines, which no row of the profile has");
  np_json_end_object (j);
  return TRUE;
}

/* The file that parameter index means; NULL: the reply says why not. */
static const File *
file_of (NpAsk *ask, const GPtrArray *files)
{
  guint32 index;
  if (!np_request_param (ask->request, "index")) {
    np_ask_missing (ask, "index");
    return NULL;
  }
  if (!np_ask_u32 (ask, "index", 0, G_MAXUINT32, &index))
    return NULL;
  if (index >= files->len) {
    np_reply_fail (ask->reply, 404, "route sources lists the files", "there is no source file %u",
                   index);
    return NULL;
  }
  return files->pdata[index];
}

gboolean
np_ask_source (NpAsk *ask)
{
  g_autoptr (GPtrArray) files = collect (ask);
  const File *file = files ? file_of (ask, files) : NULL;
  return file
         && np_reply_fail (ask->reply, 404, "the rows of its lines are found by route line",
                           "%.200s was not stored with the profile", file->path);
}

/* source="FILE:12|FILE:13", which is how a search names several. */
static char *
lines_text (const char *path, const GArray *lines)
{
  GString *text = g_string_new ("source=\"");
  for (guint i = 0; i < lines->len; i++) {
    g_autofree char *place
        = g_strdup_printf ("%s%s:%u", i ? "|" : "", path, g_array_index (lines, guint32, i));
    for (const char *c = place; *c; c++) {
      if (*c == '"' || *c == '\\')
        g_string_append_c (text, '\\');
      g_string_append_c (text, *c);
    }
  }
  g_string_append_c (text, '"');
  return g_string_free (text, FALSE);
}

gboolean
np_ask_line (NpAsk *ask)
{
  const char *text = np_request_param (ask->request, "lines");
  g_autoptr (GArray) lines = text ? np_parse_list (text, 1000) : NULL;
  g_autoptr (GPtrArray) files = collect (ask);
  const File *file = files ? file_of (ask, files) : NULL;
  if (!file)
    return FALSE;
  if (!lines)
    return text ? np_ask_wrong (ask, "lines", "at most 1000 lines, as 12-15")
                : np_ask_missing (ask, "lines");
  g_autofree char *search = lines_text (file->path, lines);
  return np_ask_search_text (ask, search);
}
