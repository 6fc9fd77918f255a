/* SPDX-License-Identifier: Apache-2.0 */
/* sink-sources.c - the files of the user's program that rows name, as their source or in its stack:
 * table source_files lists them, with the text of those that lie below the folders of option
 * `source`. A path of the profile is followed nowhere else: it may be anything. */
#include "sink.h"
#include "system/by-text.h"

#include <errno.h>
#include <fcntl.h>
#include <nprof/keys.h>
#include <nprof/store-reader.h>
#include <producers/source-place.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (4u << 20)
#define MAX_ALL (256u << 20)

/* -- Which files rows name ------------------------------------------------------------------- */

void
store_source_seen (struct store_sink *self, nprof_str str, GArray *list)
{
  guint32 number = store_string (self, str);
  if (number >= self->source_seen->len)
    g_array_set_size (self->source_seen, MAX (number + 1, self->source_seen->len * 2));
  guint8 *seen = &g_array_index (self->source_seen, guint8, number);
  if (*seen)
    return;
  *seen = 1;
  g_array_append_val (list, str);
}

/* These are paths, each once. */
typedef struct {
  GPtrArray *list;
  GHashTable *known;
  GString *path; /* the one that is looked for */
} Paths;

static void
add_path (Paths *p, const char *text, gsize len)
{
  g_string_truncate (p->path, 0);
  g_string_append_len (p->path, text, (gssize) len);
  if (!len || g_hash_table_contains (p->known, p->path->str))
    return;
  g_ptr_array_add (p->list, g_strdup (p->path->str));
  g_hash_table_add (p->known, g_ptr_array_index (p->list, p->list->len - 1));
}

/* Adds the files of a stack, one frame a line; a frame without a line number names no file. */
static void
add_frames (Paths *p, const char *stack)
{
  g_auto (GStrv) frames = g_strsplit (stack, "\n", -1);
  for (char **frame = frames; *frame; frame++) {
    guint32 line;
    add_path (p, *frame, source_place (*frame, &line));
  }
}

static GPtrArray *
paths_of (struct store_sink *self)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) path = g_string_new (NULL);
  Paths p = { g_ptr_array_new_with_free_func (g_free), known, path };
  for (guint i = 0; i < self->sources->len; i++) {
    const char *text = nprof_text (self->host, g_array_index (self->sources, nprof_str, i));
    guint32 line;
    add_path (&p, text, source_file (text, &line));
  }
  for (guint i = 0; i < self->stacks->len; i++)
    add_frames (&p, nprof_text (self->host, g_array_index (self->stacks, nprof_str, i)));
  g_ptr_array_sort (p.list, np_by_text);
  return p.list;
}

/* -- Folders that the user named --------------------------------------------------------------- */

/* With a / at the end, links followed; NULL: *missing is the one that is not there. */
static GStrv
folders_of (const char *option, char **missing)
{
  g_auto (GStrv) names = g_strsplit (option, ":", -1);
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();
  for (char **name = names; *name; name++) {
    char *real = **name ? realpath (*name, NULL) : NULL;
    if (real && g_file_test (real, G_FILE_TEST_IS_DIR)) {
      g_autofree char *folder
          = g_str_has_suffix (real, "/") ? g_strdup (real) : g_strconcat (real, "/", NULL);
      g_strv_builder_add (folders, folder);
    } else if (**name) {
      *missing = g_strdup (*name);
    }
    free (real);
  }
  return *missing ? NULL : g_strv_builder_end (folders);
}

nprof_status
store_sources_open (struct store_sink *self)
{
  g_autofree char *missing = NULL;
  self->key_source = nprof_intern (self->host, NPROF_KEY_SOURCE);
  self->key_stack = nprof_intern (self->host, NPROF_KEY_SOURCE_STACK);
  self->stacks = g_array_new (FALSE, TRUE, sizeof (nprof_str));
  self->sources = g_array_new (FALSE, TRUE, sizeof (nprof_str));
  self->source_seen = g_array_new (FALSE, TRUE, 1);
  self->folders = folders_of (self->source, &missing);
  return self->folders ? NPROF_OK
                       : nprof_fail (self->host, NPROF_E_OPTION, "source=%s: there is no folder %s",
                                     self->source, missing);
}

void
store_sources_close (struct store_sink *self)
{
  g_clear_pointer (&self->sources, g_array_unref);
  g_clear_pointer (&self->stacks, g_array_unref);
  g_clear_pointer (&self->source_seen, g_array_unref);
  g_clear_pointer (&self->folders, g_strfreev);
}

static gboolean
lies_below (struct store_sink *self, const char *real)
{
  for (char **folder = self->folders; *folder; folder++)
    if (g_str_has_prefix (real, *folder))
      return TRUE;
  return FALSE;
}

/* Returns the one file that has this path below a folder; NULL: none has, or several. */
static char *
below_folders (struct store_sink *self, const char *path, gboolean *several)
{
  char *found = NULL;
  for (char **folder = self->folders; *folder && !*several; folder++) {
    g_autofree char *whole = g_strconcat (*folder, path, NULL);
    char *real = realpath (whole, NULL);
    gboolean is_there = real && g_str_has_prefix (real, *folder);
    *several = is_there && found && strcmp (found, real);
    if (is_there && !found)
      found = g_steal_pointer (&real);
    free (real);
  }
  if (*several)
    g_clear_pointer (&found, free);
  return found;
}

/* Returns where the file really lies. A path that is not whole is looked for below the folders, and
 * so is the end, the longest first, of one that is of another machine. NULL: *reason says why. */
static char *
place_of (struct store_sink *self, const char *path, const char **reason)
{
  gboolean several = FALSE, is_whole = *path == '/';
  char *real = is_whole ? realpath (path, NULL) : below_folders (self, path, &several);
  const char *end = is_whole && !strstr (path, "/../") ? path : NULL;
  while (!real && !several && end && (end = strchr (end, '/')))
    real = *++end ? below_folders (self, end, &several) : NULL;
  *reason = several ? "several folders that --source names have a file whose path ends like that"
                    : "there is no such file";
  return real;
}

/* -- Their texts ------------------------------------------------------------------------------- */

/* Somebody may have put a link on the way since the place was found: what was opened decides. */
static int
open_place (struct store_sink *self, const char *real, struct stat *st)
{
  char there[4096];
  int fd = stat (real, st) || !S_ISREG (st->st_mode)
               ? -1
               : open (real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
  ssize_t len = fd < 0 ? -1 : readlink (link, there, sizeof there - 1);
  there[MAX (len, 0)] = '\0';
  if (len > 0 && lies_below (self, there) && !fstat (fd, st) && S_ISREG (st->st_mode))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

/* size + 1 bytes at most, so that one that grows is seen; NULL: errno. */
static char *
read_all (int fd, gsize size, gsize *len)
{
  char *text = g_malloc (size + 1);
  *len = 0;
  for (ssize_t n = 1; n && *len <= size;) {
    n = read (fd, text + *len, size + 1 - *len);
    if (n < 0 && errno != EINTR) {
      g_free (text);
      return NULL;
    }
    *len += (gsize) MAX (n, 0);
    n = n < 0 ? 1 : n;
  }
  return text;
}

/* Transfer full; NULL: *reason says why it is not stored. */
static char *
text_at (struct store_sink *self, const char *real, const char **reason)
{
  struct stat st;
  gsize len = 0;
  int fd = open_place (self, real, &st);
  *reason = fd < 0 ? "it is no regular file that can be read" : "it is larger than 4 MB";
  if (fd < 0 || st.st_size > MAX_FILE) {
    if (fd >= 0)
      close (fd);
    return NULL;
  }
  g_autofree char *bytes = read_all (fd, MAX_FILE, &len);
  close (fd);
  *reason = !bytes                   ? "it cannot be read"
            : len > MAX_FILE         ? *reason
            : memchr (bytes, 0, len) ? "it is no text"
                                     : NULL;
  if (*reason)
    return NULL;
  if (self->source_bytes + len > MAX_ALL) {
    *reason = "256 MB of files were stored before it";
    return NULL;
  }
  self->source_bytes += len;
  return g_utf8_make_valid (bytes, (gssize) len);
}

static char *
text_of (struct store_sink *self, const char *path, const char **reason)
{
  *reason = "no folder was named to take files from: nprof view --source DIR";
  if (!*self->folders)
    return NULL;
  char *real = place_of (self, path, reason), *text = NULL;
  if (real && lies_below (self, real))
    text = text_at (self, real, reason);
  else if (real)
    *reason = "it does not lie below a folder that --source names";
  free (real);
  return text;
}

/* -- The table --------------------------------------------------------------------------------- */

static const struct {
  const char *name, *help;
  guint16 type, role;
} columns[] = {
  { "path", "as rows name it", NPROF_STRING, NPROF_ROLE_KEY },
  { "text", "what it held when the profile was stored", NPROF_TEXT, NPROF_ROLE_VALUE },
  { "reason", "why there is no text", NPROF_TEXT, NPROF_ROLE_VALUE },
};
#define N_COLUMNS G_N_ELEMENTS (columns)

static gboolean
announce (struct store_sink *self, guint32 *number)
{
  struct nprof_store_table_column list[N_COLUMNS] = { 0 };
  for (guint c = 0; c < N_COLUMNS; c++)
    list[c]
        = (struct nprof_store_table_column){ .name = store_text_string (self, columns[c].name, -1),
                                             .help = store_text_string (self, columns[c].help, -1),
                                             .type = columns[c].type,
                                             .role = columns[c].role };
  const struct nprof_store_table table = {
    .name = store_text_string (self, NPROF_STORE_SOURCE_FILES, -1),
    .title = store_text_string (self, "Files of the user's program", -1),
    .origin = NPROF_ORIGIN_CORE,
    .n_columns = N_COLUMNS,
  };
  return store_writer_table (self->writer, &table, list, number);
}

static struct nprof_store_cell
text_cell (struct store_sink *self, const char *text)
{
  struct nprof_store_cell cell = { .type = text ? NPROF_TEXT : NPROF_NULL };
  cell.value = text ? store_writer_text (self->writer, text, (guint32) strlen (text)) : 0;
  return cell;
}

nprof_status
store_sources_finish (struct store_sink *self)
{
  g_autoptr (GPtrArray) paths = paths_of (self);
  guint32 number;
  if (!paths->len)
    return NPROF_OK;
  if (!announce (self, &number))
    return store_failed (self);
  for (guint i = 0; i < paths->len; i++) {
    const char *reason, *path = paths->pdata[i];
    g_autofree char *text = text_of (self, path, &reason);
    const struct nprof_store_cell cells[N_COLUMNS]
        = { { .type = NPROF_STRING, .value = store_text_string (self, path, -1) },
            text_cell (self, text),
            text_cell (self, text ? NULL : reason) };
    if (!store_writer_cells (self->writer, number, cells, 1))
      return store_failed (self);
  }
  return store_writer_fault (self->writer)->status ? store_failed (self) : NPROF_OK;
}
