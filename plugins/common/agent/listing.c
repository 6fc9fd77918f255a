/* SPDX-License-Identifier: Apache-2.0 */
/* listing.c - what could be opened: files and folders below the roots whose names end as those of
 * profiles do. */
#include "agent/agent.h"

#include <string.h>
#include <sys/stat.h>

#define DEPTH 4    /* folders below a root */
#define MOST 20000 /* names looked at      */
#define SHOWN 20

typedef struct {
  char *path;
  gint64 time;
  guint64 bytes;
} Found;

static void
found_clear (gpointer data)
{
  g_free (((Found *) data)->path);
}

static gboolean
is_profile_name (const char *name)
{
  static const char *const ends[]
      = { ".json", ".json.gz", ".json.zst", ".pb",   ".pb.gz",   ".sqlite",         ".db",
          ".rpd",  ".pickle",  ".ntff",     ".neff", ".pftrace", ".perfetto-trace", ".parquet",
          ".csv" };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_has_suffix (name, ends[i]))
      return TRUE;
  return FALSE;
}

static void
look (const char *folder, guint depth, guint *left, GArray *all)
{
  struct stat st;
  const char *name;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  while (dir && *left && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    --*left;
    if (*name == '.' || lstat (path, &st))
      continue;
    if (S_ISDIR (st.st_mode) && depth)
      look (path, depth - 1, left, all);
    if (!S_ISREG (st.st_mode) || !is_profile_name (name))
      continue;
    Found found = { g_steal_pointer (&path), st.st_mtime, (guint64) st.st_size };
    g_array_append_val (all, found);
  }
}

static int
newest_first (gconstpointer a, gconstpointer b)
{
  const Found *x = a, *y = b;
  return x->time != y->time ? (x->time < y->time ? 1 : -1) : strcmp (x->path, y->path);
}

/* A cursor is the number of the first that was not shown. */
static gint64
begin_of (NpCall *call)
{
  gint64 from = 0;
  if (call->args.cursor
      && !g_ascii_string_to_signed (call->args.cursor, 10, 0, MOST, &from, NULL)) {
    np_call_fail (call, "bad_argument", "the cursor is of another question");
    np_call_nearest (call, "cursor");
  }
  return from;
}

static void
put_profiles (NpCall *call, const NpRoots *roots, const GArray *all)
{
  NpJson *j = &call->data.json;
  gint64 limit = call->args.limit.given ? call->args.limit.value : SHOWN, i = begin_of (call);
  gint64 end = MIN (i + limit, (gint64) all->len);
  np_json_array (j, "profiles");
  for (; i < end; i++) {
    const Found *found = &g_array_index (all, Found, (guint) i);
    NpMark mark = np_call_mark (call);
    np_json_object (j, NULL);
    np_json_text (j, "id", "");
    np_call_name (call, "path", np_roots_shown (roots, found->path));
    np_json_text (j, "format", "");
    np_json_integer (j, "bytes", (gint64) found->bytes);
    if (!np_call_end_item (call, mark, 100))
      break;
  }
  np_json_end_array (j);
  call->total = all->len;
  call->truncated = i < (gint64) all->len;
  if (call->truncated)
    call->cursor = g_strdup_printf ("%" G_GINT64_FORMAT, i);
}

void
np_agent_list (NpCall *call)
{
  static const char *const lists[] = { "devices", "ranks", "tables", "unknown" };
  const NpRoots *roots = np_agent_roots (call->agent);
  const GPtrArray *folders = np_roots_folders (roots);
  NpJson *j = &call->data.json;
  guint left = MOST;
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (Found));
  g_array_set_clear_func (all, found_clear);
  for (guint i = 0; i < folders->len; i++)
    look (folders->pdata[i], DEPTH, &left, all);
  g_array_sort (all, newest_first);
  np_json_text (j, "format", "");
  np_json_text (j, "sure", "by_name");
  np_json_integer (j, "steps", 0);
  np_json_integer (j, "rows", 0);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    np_json_array (j, lists[i]);
    np_json_end_array (j);
  }
  put_profiles (call, roots, all);
  np_call_say (call, "files below the roots that may be profiles, by their names%s",
               left ? "" : "; further ones were not looked at");
}
