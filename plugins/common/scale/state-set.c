/* SPDX-License-Identifier: Apache-2.0 */
/* state-set.c - finds the states of a job, and what is wrong with them taken together. */

#include "scale/state-set.h"

#include "base/queue.h"
#include "system/by-text.h"

#include <string.h>

#define APART (G_GINT64_CONSTANT (3600) * 1000000000) /* ns between captures of one job, at most */

static void
source_free (gpointer data)
{
  NpStateSource *source = data;
  g_free (source->path);
  g_ptr_array_unref (source->ranks);
  g_free (source);
}

void
np_state_set_free (NpStateSet *set)
{
  g_ptr_array_unref (set->ranks);
  g_ptr_array_unref (set->sources);
  g_ptr_array_unref (set->problems);
  g_free (set->options);
  g_free (set->nprof);
  g_free (set);
}

static void G_GNUC_PRINTF (3, 4) problem (NpStateSet *set, NpExit code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (set->problems, g_error_new_literal (NP_ERROR, (int) code, text));
}

/* -- Which files there are --------------------------------------------------------------------- */

static void
add_folder (NpStateSet *set, GPtrArray *files, const char *path)
{
  g_autofree char *states = g_build_filename (path, "states", NULL);
  const char *from = g_file_test (states, G_FILE_TEST_IS_DIR) ? states : path;
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = g_dir_open (from, 0, &error);
  if (!folder) {
    problem (set, NP_EXIT_INPUT, "%s", error->message);
    return;
  }
  for (const char *name; (name = g_dir_read_name (folder));)
    if (*name != '.' && g_str_has_suffix (name, NP_STATE_SUFFIX))
      g_ptr_array_add (files, g_build_filename (from, name, NULL));
}

static GPtrArray *
find_files (NpStateSet *set, const char *const *paths)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  for (; *paths; paths++)
    if (!**paths)
      problem (set, NP_EXIT_USAGE,
               "\"\": the name of an input is empty: name a state, or a folder");
    else if (!g_file_test (*paths, G_FILE_TEST_EXISTS))
      problem (set, NP_EXIT_INPUT, "%s: there is no such file or folder", *paths);
    else if (g_file_test (*paths, G_FILE_TEST_IS_DIR))
      add_folder (set, files, *paths);
    else
      g_ptr_array_add (files, g_strdup (*paths));
  g_ptr_array_sort (files, np_by_text);
  if (!files->len && !set->problems->len)
    problem (set, NP_EXIT_INPUT, "no state of a rank (*%s) was found: make them with nprof map",
             NP_STATE_SUFFIX);
  return files;
}

/* -- Whether they are of one job --------------------------------------------------------------- */

static void
note_job (NpStateSet *set, const char *path, const NpState *state)
{
  if (!set->options) {
    set->options = g_strdup (state->options);
    set->nprof = g_strdup (state->nprof);
  } else if (!g_str_equal (set->options, state->options)) {
    problem (set, NP_EXIT_USAGE,
             "%s: made with \"%s\", the others with \"%s\": map all ranks alike", path,
             state->options, set->options);
  }
  for (guint i = 0; i < state->ranks->len; i++) {
    const NpStateRank *rank = g_ptr_array_index (state->ranks, i);
    if (rank->world && set->world && rank->world != set->world)
      problem (set, NP_EXIT_INPUT,
               "%s: rank %" G_GINT64_FORMAT " is of a job of %" G_GINT64_FORMAT
               " ranks, the others of one of %" G_GINT64_FORMAT ": name the states of one job",
               path, rank->number, rank->world, set->world);
    set->world = set->world ? set->world : rank->world;
  }
}

static void
add_file (NpStateSet *set, const char *path)
{
  GError *error = NULL;
  g_autoptr (NpState) state = np_state_read (path, FALSE, &error);
  if (!state) {
    g_ptr_array_add (set->problems, error);
    return;
  }
  note_job (set, path, state);
  NpStateSource *source = g_new0 (NpStateSource, 1);
  source->path = g_strdup (path);
  source->ranks = g_steal_pointer (&state->ranks);
  state->ranks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_state_rank_free);
  g_ptr_array_add (set->sources, source);
}

/* -- Doubled ranks ----------------------------------------------------------------------------- */

typedef struct {
  const NpStateSource *source;
  const NpStateRank *rank;
} Owner;

/* Counts the ranks of it of which another source, one of `owners`, has the very same. *other: one
 * with another content, or NULL. */
static guint
count_same (GHashTable *owners, const NpStateSource *source, const Owner **same,
            const Owner **other)
{
  guint n = 0;
  for (guint i = 0; i < source->ranks->len; i++) {
    const NpStateRank *rank = g_ptr_array_index (source->ranks, i);
    const Owner *owner = g_hash_table_lookup (owners, &rank->number);
    if (owner && g_str_equal (owner->rank->digest, rank->digest)) {
      *same = owner;
      n++;
    } else if (owner) {
      *other = owner;
    }
  }
  return n;
}

/* FALSE: its ranks are all there already, or cannot be taken together with those that are. */
static gboolean
enter (NpStateSet *set, GHashTable *owners, const NpStateSource *source, NpLog *log)
{
  const Owner *same = NULL, *other = NULL;
  guint n = count_same (owners, source, &same, &other);
  if (other)
    problem (set, NP_EXIT_INPUT,
             "rank %" G_GINT64_FORMAT
             " is in %s (%s) and in %s with other content: name one of them",
             other->rank->number, other->source->path, other->rank->file, source->path);
  else if (n && n < source->ranks->len)
    problem (set, NP_EXIT_INPUT,
             "%s and %s have rank %" G_GINT64_FORMAT
             " both, and each has others: take ranks together "
             "once",
             same->source->path, source->path, same->rank->number);
  else if (n)
    np_log (log, NPROF_WARNING, "%s: all its ranks are in %s already: it is skipped", source->path,
            same->source->path);
  if (other || n)
    return FALSE;
  for (guint i = 0; i < source->ranks->len; i++) {
    NpStateRank *rank = g_ptr_array_index (source->ranks, i);
    Owner *owner = g_new (Owner, 1);
    *owner = (Owner){ source, rank };
    g_hash_table_insert (owners, &rank->number, owner);
    g_ptr_array_add (set->ranks, rank);
  }
  return TRUE;
}

/* Those with the most ranks first, so that what they hold is absorbed. */
static int
by_ranks (gconstpointer pa, gconstpointer pb)
{
  const NpStateSource *a = *(NpStateSource *const *) pa, *b = *(NpStateSource *const *) pb;
  if (a->ranks->len != b->ranks->len)
    return a->ranks->len > b->ranks->len ? -1 : 1;
  return strcmp (a->path, b->path);
}

static void
absorb (NpStateSet *set, NpLog *log)
{
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  g_autoptr (GPtrArray) left = g_ptr_array_new ();
  g_ptr_array_sort (set->sources, by_ranks);
  for (guint i = 0; i < set->sources->len; i++)
    if (!enter (set, owners, g_ptr_array_index (set->sources, i), log))
      g_ptr_array_add (left, g_ptr_array_index (set->sources, i));
  for (guint i = 0; i < left->len; i++)
    g_ptr_array_remove (set->sources, g_ptr_array_index (left, i));
}

/* -- Captures of other jobs -------------------------------------------------------------------- */

static int
by_begin (gconstpointer pa, gconstpointer pb)
{
  const NpStateRank *a = *(NpStateRank *const *) pa, *b = *(NpStateRank *const *) pb;
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Ranks of one job are recorded at one time, whatever their clocks differ by. */
static void
compare_times (NpStateSet *set)
{
  g_autoptr (GPtrArray) ranks = g_ptr_array_copy (set->ranks, NULL, NULL);
  g_ptr_array_set_free_func (ranks, NULL);
  g_ptr_array_sort (ranks, by_begin);
  gint64 end = 0;
  for (guint i = 0; i < ranks->len; i++) {
    const NpStateRank *rank = g_ptr_array_index (ranks, i);
    if (end && rank->begin && rank->begin - end > APART)
      problem (set, NP_EXIT_INPUT,
               "rank %" G_GINT64_FORMAT " (%s) was recorded %" G_GINT64_FORMAT
               " minutes after others: name the states of one job",
               rank->number, rank->file, (rank->begin - end) / 60 / 1000000000);
    end = MAX (end, rank->end);
  }
}

static int
by_number (gconstpointer pa, gconstpointer pb)
{
  const NpStateRank *a = *(NpStateRank *const *) pa, *b = *(NpStateRank *const *) pb;
  return a->number < b->number ? -1 : a->number > b->number;
}

static int
by_first_rank (gconstpointer pa, gconstpointer pb)
{
  const NpStateSource *a = *(NpStateSource *const *) pa, *b = *(NpStateSource *const *) pb;
  return by_number (a->ranks->pdata, b->ranks->pdata);
}

NpStateSet *
np_state_set_new (const char *const *paths, NpLog *log)
{
  NpStateSet *set = g_new0 (NpStateSet, 1);
  set->sources = g_ptr_array_new_with_free_func (source_free);
  set->ranks = g_ptr_array_new ();
  set->problems = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_autoptr (GPtrArray) files = find_files (set, paths);
  for (guint i = 0; i < files->len; i++)
    add_file (set, g_ptr_array_index (files, i));
  absorb (set, log);
  compare_times (set);
  g_ptr_array_sort (set->ranks, by_number);
  g_ptr_array_sort (set->sources, by_first_rank);
  return set;
}

char *
np_state_set_missing (const NpStateSet *set, gint64 expected)
{
  GString *text = g_string_new (NULL);
  gint64 next = 0;
  for (guint i = 0; i <= set->ranks->len; i++) {
    gint64 number = i < set->ranks->len
                        ? ((NpStateRank *) g_ptr_array_index (set->ranks, i))->number
                        : expected;
    gint64 last = MIN (number, expected) - 1;
    if (next <= last)
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, text->len ? ", " : "", next);
    if (next < last)
      g_string_append_printf (text, "-%" G_GINT64_FORMAT, last);
    next = MAX (next, number + 1);
  }
  return g_string_free (text, text->len == 0);
}

/* -- Merging ----------------------------------------------------------------------------------- */

/* A state that was read ahead, or why it was not. */
typedef struct {
  const NpStateSource *source;
  NpState *state;
  GError *error;
} Ahead;

static void
ahead_free (gpointer data)
{
  Ahead *ahead = data;
  g_clear_pointer (&ahead->state, np_state_free);
  g_clear_error (&ahead->error);
  g_free (ahead);
}

typedef struct {
  const NpStateSet *set;
  NpQueue *queue;
} Reader;

/* Reads the next state while one is merged; ends when nobody wants any more. */
static gpointer
read_states (gpointer user)
{
  Reader *reader = user;
  for (guint i = 0; i < reader->set->sources->len; i++) {
    Ahead *ahead = g_new0 (Ahead, 1);
    ahead->source = g_ptr_array_index (reader->set->sources, i);
    ahead->state = np_state_read (ahead->source->path, TRUE, &ahead->error);
    if (np_queue_push (reader->queue, ahead))
      continue;
    ahead_free (ahead);
    break;
  }
  np_queue_close (reader->queue);
  return NULL;
}

static gboolean
merge_one (const NpStateSource *source, const NpState *state, NpMerge merge, gpointer to,
           GError **error)
{
  for (guint i = 0; i < state->states->len; i++) {
    const NpSaved *saved = g_ptr_array_index (state->states, i);
    gsize len;
    const void *data = g_bytes_get_data (saved->state, &len);
    if (!merge (to, saved->analyzer, data, len, error)) {
      g_prefix_error (error, "%s: ", source->path);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
np_state_set_merge (gpointer user, NpMerge merge, gpointer to, GError **error)
{
  Reader reader = { user, np_queue_new (1, ahead_free) };
  GThread *thread = g_thread_new ("read-states", read_states, &reader);
  gboolean ok = TRUE;
  for (Ahead *ahead; ok && (ahead = np_queue_pop (reader.queue));) {
    ok = ahead->state && merge_one (ahead->source, ahead->state, merge, to, error);
    if (ahead->error)
      g_propagate_error (error, g_steal_pointer (&ahead->error));
    ahead_free (ahead);
  }
  np_queue_close (reader.queue);
  g_thread_join (thread);
  np_queue_free (reader.queue);
  return ok;
}

GStrv
np_state_set_analyzers (const NpStateSet *set, GError **error)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  const NpStateSource *first = g_ptr_array_index (set->sources, 0);
  g_autoptr (NpState) state = np_state_read (first->path, TRUE, error);
  for (guint i = 0; state && i < state->states->len; i++)
    g_strv_builder_add (names, ((NpSaved *) g_ptr_array_index (state->states, i))->analyzer);
  return state ? g_strv_builder_end (names) : NULL;
}
