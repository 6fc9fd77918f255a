/* SPDX-License-Identifier: Apache-2.0 */
/* ask-source.c - routes sources, source and line: the files of the user's program that rows name.
 * No path of a profile is ever opened: what is shown was copied when the profile was stored, and is
 * asked for by its number in table source_files. */

#include "flame.h"
#include "stored/cells.h"
#include "window-rows.h"

#include <nprof/keys.h>
#include <producers/source-place.h>
#include <string.h>

typedef struct {
  guint index; /* in the table */
  char *path;
  int rank;      /* how far it is from the user, of own-frames.h */
  GArray *lines; /* of Line, by number */
  guint64 events;
  gint64 self;
} File;

typedef struct {
  guint32 line; /* 0: rows name the file alone */
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

/* Files of the user before those of libraries, where the page begins. */
static int
by_self (gconstpointer a, gconstpointer b)
{
  const File *x = *(File *const *) a, *y = *(File *const *) b;
  if (x->rank != y->rank)
    return x->rank - y->rank;
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

gboolean
np_is_source_table (const char *name)
{
  return !strcmp (name, NPROF_STORE_SOURCE_FILES);
}

/* They lie in the order of their paths. */
guint32
np_source_index (NpAsk *ask, const char *path)
{
  g_auto (NpCells) table = { 0 };
  np_ask_cells (ask, &table, NPROF_STORE_SOURCE_FILES);
  for (guint64 low = 0, high = table.rows; low < high;) {
    guint64 middle = low + (high - low) / 2;
    g_autofree char *own = np_cells_text (&table, middle, "path");
    int order = strcmp (own ? own : "", path);
    if (!order)
      return (guint32) middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return G_MAXUINT32;
}

/* Files of the table by their numbers; NULL: the store is damaged. */
static GPtrArray *
list_files (NpAsk *ask)
{
  g_auto (NpCells) table = { 0 };
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (file_free);
  np_ask_cells (ask, &table, NPROF_STORE_SOURCE_FILES);
  for (guint64 i = 0; i < table.rows; i++) {
    char *path = np_cells_text (&table, i, "path");
    if (!path)
      return NULL;
    File *file = g_new0 (File, 1);
    *file = (File){ .index = (guint) i,
                    .path = path,
                    .rank = own_frames_rank (own_frames_is (ask->view->own_frames, path)),
                    .lines = g_array_new (FALSE, FALSE, sizeof (Line)) };
    g_ptr_array_add (files, file);
  }
  return g_steal_pointer (&files);
}

static void
add_line (File *file, guint32 number, guint64 events, gint64 self)
{
  Line line = { number, events, self };
  file->events += events;
  file->self += self;
  g_array_append_val (file->lines, line);
}

/* Puts the lines in their order, each once. */
static void
merge_lines (File *file)
{
  guint n = 0;
  g_array_sort (file->lines, by_line);
  for (guint i = 0; i < file->lines->len; i++) {
    const Line line = g_array_index (file->lines, Line, i);
    Line *last = n ? &g_array_index (file->lines, Line, n - 1) : NULL;
    if (last && last->line == line.line) {
      last->events += line.events;
      last->self += line.self;
    } else {
      g_array_index (file->lines, Line, n++) = line;
    }
  }
  g_array_set_size (file->lines, n);
}

/* Returns the file; NULL: it is none of the table. */
static File *
add_place (GHashTable *at, const char *text, guint64 events, gint64 self)
{
  guint32 line;
  gsize len = source_file (text, &line);
  g_autofree char *path = g_strndup (text, len);
  File *file = g_hash_table_lookup (at, path);
  if (file)
    add_line (file, line, events, self);
  return file;
}

/* The times, tracks and groups that an answer looks at. */
typedef struct {
  gint64 t0, t1;
  GArray *tracks; /* indices; empty: all with rows of decoders */
  NpParts *parts; /* groups of rows on these tracks; NULL: all rows */
} Part;

static gboolean
is_of_part (const NpAsk *ask, const Part *part, const struct nprof_store_lane *lane)
{
  guint32 track = nprof_store_track_of (ask->store, lane->track);
  for (guint i = 0; i < part->tracks->len; i++)
    if (g_array_index (part->tracks, guint32, i) == track)
      return TRUE;
  return !part->tracks->len && !lane->origin;
}

/* The lines that a row names, as FILE:LINE, each once: its own and those of its stack. Transfer
 * full. */
static GHashTable *
lines_named (const char *source, const char *stack)
{
  GHashTable *lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) frames = g_strsplit (stack, "\n", -1);
  guint32 line;
  gsize len = source_file (source, &line);
  if (line)
    g_hash_table_add (lines, g_strdup_printf ("%.*s:%u", (int) len, source, line));
  for (char **frame = frames; *frame; frame++)
    if ((len = source_place (*frame, &line)))
      g_hash_table_add (lines, g_strdup_printf ("%.*s:%u", (int) len, *frame, line));
  return lines;
}

/* Texts of a row, of strings of the store; G_MAXUINT32: it has none. */
typedef struct {
  guint32 source, stack;
} Named;

static Named
named_by (NpAsk *ask, const struct nprof_event *e)
{
  return (Named){ np_event_string (ask, e, NPROF_KEY_SOURCE),
                  np_event_string (ask, e, NPROF_KEY_SOURCE_STACK) };
}

static const char *
text_or_empty (NpAsk *ask, guint32 string)
{
  return string == G_MAXUINT32 ? "" : np_ask_string (ask, string);
}

static guint
named_hash (gconstpointer key)
{
  const Named *named = key;
  return named->source * 2654435761u ^ named->stack;
}

static gboolean
named_equal (gconstpointer a, gconstpointer b)
{
  return !memcmp (a, b, sizeof (Named));
}

/* Counts the rows of a lane that touch the part by what they name. */
static gboolean
count_lane (NpAsk *ask, const Part *part, guint32 lane, guint32 rows, GHashTable *counts)
{
  uint32_t row = 0;
  bool found;
  if (!nprof_store_before (ask->query, lane, part->t0, &row, &found))
    return FALSE;
  for (row = found ? row : 0; row < rows; row++) {
    struct nprof_event e;
    if (np_ask_is_over (ask)
        || !nprof_store_event (ask->query, (struct nprof_row){ lane, row }, &e))
      return FALSE;
    if (e.start > part->t1)
      return TRUE;
    gboolean counts_here = e.start + MAX (e.duration, 0) >= part->t0;
    if (counts_here && part->parts && !np_parts_have (part->parts, ask, &e, &counts_here))
      return FALSE;
    Named named = named_by (ask, &e);
    if (!counts_here || (named.source == G_MAXUINT32 && named.stack == G_MAXUINT32))
      continue;
    guint64 *n = g_hash_table_lookup (counts, &named);
    if (!n)
      g_hash_table_insert (counts, g_memdup2 (&named, sizeof named), n = g_new0 (guint64, 1));
    ++*n;
  }
  return TRUE;
}

/* Rows count for each line of their stack, without self time, and instants for their own, which
 * spans have their time in. */
static gboolean
add_lanes (NpAsk *ask, const Part *part, guint type, GHashTable *at)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (named_hash, named_equal, g_free, g_free);
  const struct nprof_store_lane *l;
  for (guint32 lane = 0; (l = nprof_store_lane_at (ask->store, lane)); lane++)
    if (l->type == type && is_of_part (ask, part, l)
        && !count_lane (ask, part, lane, l->rows, counts))
      return FALSE;
  GHashTableIter each;
  gpointer key, n;
  g_hash_table_iter_init (&each, counts);
  while (g_hash_table_iter_next (&each, &key, &n)) {
    const Named *named = key;
    const char *own = text_or_empty (ask, named->source);
    g_autoptr (GHashTable) lines = lines_named (own, text_or_empty (ask, named->stack));
    g_hash_table_remove (lines, own);
    if (type == NPROF_STORE_LANE_INSTANT && *own)
      g_hash_table_add (lines, g_strdup (own));
    /* A file has the row once, whatever number of its lines the stack names. */
    g_autoptr (GHashTable) files = g_hash_table_new (NULL, NULL);
    if (type == NPROF_STORE_LANE_SPAN)
      g_hash_table_add (files, add_place (at, own, 0, 0));
    GHashTableIter line;
    gpointer text;
    g_hash_table_iter_init (&line, lines);
    while (g_hash_table_iter_next (&line, &text, NULL)) {
      File *file = add_place (at, text, *(guint64 *) n, 0);
      if (!g_hash_table_add (files, file) && file)
        file->events -= *(guint64 *) n;
    }
  }
  return TRUE;
}

/* Files of the table with what was spent in their lines in the part that is asked for; NULL:
 * failed. */
static GPtrArray *
collect (NpAsk *ask)
{
  g_autoptr (GPtrArray) files = list_files (ask);
  g_autoptr (NpParts) parts = NULL;
  g_autoptr (GArray) tracks = np_ask_chosen (ask, &parts);
  Part part = { .tracks = tracks, .parts = parts };
  if (!files || !tracks || !np_ask_range (ask, &part.t0, &part.t1))
    return NULL;
  if (!files->len)
    return g_steal_pointer (&files);
  g_autoptr (GArray) nodes = np_flame (ask, part.t0, part.t1, tracks, parts, NP_STACK_SOURCE);
  g_autoptr (GHashTable) at = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < files->len; i++)
    g_hash_table_insert (at, ((File *) files->pdata[i])->path, files->pdata[i]);
  for (guint i = 1; nodes && i < nodes->len; i++) {
    const NpStack *node = &g_array_index (nodes, NpStack, i);
    if (node->count || node->self) /* else it lies beside the part */
      add_place (at, np_ask_string (ask, node->name), node->count, node->self);
  }
  if (!nodes || !add_lanes (ask, &part, NPROF_STORE_LANE_INSTANT, at)
      || (np_is_attribute (ask, NPROF_KEY_SOURCE_STACK)
          && !add_lanes (ask, &part, NPROF_STORE_LANE_SPAN, at)))
    return NULL;
  for (guint i = 0; i < files->len; i++)
    merge_lines (files->pdata[i]);
  return g_steal_pointer (&files);
}

/* Returns column `text` or `reason` of a file's row; transfer full. */
static char *
text_of (NpAsk *ask, const File *file, const char *column)
{
  g_auto (NpCells) table = { 0 };
  np_ask_cells (ask, &table, NPROF_STORE_SOURCE_FILES);
  return np_cells_text (&table, file->index, column);
}

gboolean
np_ask_sources (NpAsk *ask)
{
  g_autoptr (GPtrArray) files = collect (ask);
  NpJson *j = &ask->json;
  if (!files)
    return FALSE;
  g_ptr_array_sort (files, by_self);
  np_json_object (j, NULL);
  np_json_window (ask);
  np_json_array (j, "files");
  for (guint i = 0; i < files->len; i++) {
    const File *file = files->pdata[i];
    g_autofree char *reason = text_of (ask, file, "reason");
    np_json_object (j, NULL);
    np_json_number (j, "index", file->index);
    np_json_text (j, "path", file->path);
    np_json_bool (j, "present", !reason);
    np_json_text (j, "reason", reason);
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

/* Returns the file that parameter index means; NULL: the reply says why not. */
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

/* share: of the self time of all lines of the file; unknown when there is none. */
static void
put_lines (NpJson *j, const File *file)
{
  np_json_array (j, "lines");
  for (guint i = 0; i < file->lines->len; i++) {
    const Line *line = &g_array_index (file->lines, Line, i);
    np_json_object (j, NULL);
    np_json_number (j, "line", line->line);
    np_json_number (j, "events", line->events);
    np_json_i64 (j, "self", line->self);
    if (file->self > 0)
      np_json_double (j, "share", (double) line->self / (double) file->self);
    else
      np_json_null (j, "share");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

gboolean
np_ask_source (NpAsk *ask)
{
  g_autoptr (GPtrArray) files = collect (ask);
  const File *file = files ? file_of (ask, files) : NULL;
  if (!file)
    return FALSE;
  g_autofree char *text = text_of (ask, file, "text"), *reason = text_of (ask, file, "reason");
  if (!text)
    return np_reply_fail (ask->reply, 404, "route line finds the rows of its lines",
                          "%.200s was not stored with the profile: %s", file->path,
                          reason ? reason : "the store is damaged");
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  np_json_number (&ask->json, "index", file->index);
  np_json_text (&ask->json, "path", file->path);
  np_json_text (&ask->json, "text", text);
  put_lines (&ask->json, file);
  np_json_end_object (&ask->json);
  return TRUE;
}

typedef struct {
  const char *path;
  const GArray *lines;
} Wanted;

/* Returns whether a row, or a frame of its stack, names one of the lines. */
static gboolean
names_line (NpAsk *ask, const struct nprof_event *e, gconstpointer user)
{
  const Wanted *wanted = user;
  const Named named = named_by (ask, e);
  g_autoptr (GHashTable) lines
      = lines_named (text_or_empty (ask, named.source), text_or_empty (ask, named.stack));
  for (guint i = 0; i < wanted->lines->len; i++) {
    g_autofree char *line
        = g_strdup_printf ("%s:%u", wanted->path, g_array_index (wanted->lines, guint32, i));
    if (g_hash_table_contains (lines, line))
      return TRUE;
  }
  return FALSE;
}

/* Returns a search for rows that name the file: those that the lines are looked for among. */
static char *
file_text (const char *path)
{
  g_autofree char *part = g_strdup_printf ("*%s*", path);
  GString *text = g_string_new ("source~");
  np_put_quoted (text, part);
  g_string_append (text, " or source_stack~");
  np_put_quoted (text, part);
  return g_string_free (text, FALSE);
}

gboolean
np_ask_line (NpAsk *ask)
{
  const char *text = np_request_param (ask->request, "lines");
  g_autoptr (GArray) lines = text ? np_parse_list (text, 1000) : NULL;
  g_autoptr (GPtrArray) files = list_files (ask);
  const File *file = files ? file_of (ask, files) : NULL;
  if (!file)
    return FALSE;
  if (!lines)
    return text ? np_ask_wrong (ask, "lines", "at most 1000 lines, as 12-15")
                : np_ask_missing (ask, "lines");
  g_autofree char *search = file_text (file->path);
  const Wanted wanted = { file->path, lines };
  return np_ask_search_text (ask, search, names_line, &wanted);
}
