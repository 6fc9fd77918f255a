/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the functions that a component may call: each finds its instance, checks what the
 * contract asks for, and passes the call to the part of the core that does the work. */

#include "base/fence.h"
#include "base/frames.h"
#include "base/parallel.h"
#include "rows/row-rules.h"
#include "rows/text-limit.h"
#include "run/extensions.h"
#include "run/instance.h"
#include "run/run-inputs.h"
#include "run/sibling.h"

#include <string.h>

#define SHOWN_OF_NAME 64 /* bytes, in errors */
#define MOST_SAID 1000   /* errors and warnings of an instance that is checked */
#define MOST_STACKS 64   /* that are looked at of such an instance */

/* -- Too much, by what nprof check allows ----------------------------------------------------- */

static gboolean
is_bounded (const NpInstance *self)
{
  return self->checked && self->input && self->input->data && np_call.of;
}

static guint64
bytes_of (const NpInstance *self)
{
  guint64 len;
  np_input_data (self->input->data, &len);
  return len;
}

static _Noreturn void
end_too_much (const char *what, guint64 n)
{
  g_autofree char *how = g_strdup_printf (" broke the contract (%s %" G_GUINT64_FORMAT
                                          ", which is more than its input can hold)",
                                          what, n);
  const NpFenceCall call = np_call;
  np_fence_end (&call, how);
}

/* -- Saying things --------------------------------------------------------- */

static void
say (NpInstance *self, int level, const char *msg)
{
  if (np_log_wants (self->run->log, level))
    np_instance_say (self, level, g_strdup (msg));
}

static void
host_log (const struct nprof_host *host, int level, const char *msg)
{
  NpInstance *self = np_instance_of (host);
  if (level < NPROF_ERROR)
    return;
  if (self->checked && level <= NPROF_WARNING && np_call.of
      && atomic_fetch_add (&self->n_said, 1) == MOST_SAID)
    np_fence_end (&np_call, " broke the contract (it logs more than 1000 errors and warnings)");
  say (self, level, msg);
}

static nprof_status
host_fail (const struct nprof_host *host, nprof_status status, const char *why)
{
  NpInstance *self = np_instance_of (host);
  self->said |= status != NPROF_OK && status != NPROF_CANCELLED;
  return np_instance_fail (self, status, why);
}

static nprof_status
host_progress (const struct nprof_host *host, uint64_t from, uint64_t to)
{
  NpInstance *self = np_instance_of (host);
  np_fence_progress ();
  atomic_store (&self->unreported, 0);
  gboolean planning = self->component->plan && self->self; /* its bytes come again in parts */
  if (self->input && self->input->data && from < to) {
    np_input_done (self->input->data, from, to);
    np_progress_add (self->run->progress, planning ? 0 : to - from, 0);
  }
  return np_run_stopped (self->run) ? NPROF_CANCELLED : NPROF_OK;
}

static int
host_cancelled (const struct nprof_host *host)
{
  return np_run_stopped (np_instance_of (host)->run);
}

static nprof_status
host_damage (const struct nprof_host *host, uint64_t at, const char *what)
{
  NpInstance *self = np_instance_of (host);
  g_autofree char *text = g_strdup_printf ("byte %" G_GUINT64_FORMAT ": %s", at, what);
  if (!self->run->config->keep_going) {
    g_autofree char *why
        = g_strdup_printf ("%s (the file is damaged or cut off; --keep-going reads "
                           "what can be had)",
                           text);
    self->said = TRUE;
    return np_instance_fail (self, NPROF_E_FORMAT, why);
  }
  atomic_fetch_add (&self->run->losses, 1);
  if (self->input)
    atomic_fetch_add (&self->input->unread, 1);
  say (self, NPROF_WARNING, text);
  return NPROF_OK;
}

static void
host_skip (const struct nprof_host *host, const char *what, uint64_t at, const char *reason)
{
  NpInstance *self = np_instance_of (host);
  np_skipped_add (self->run->skipped, self->input ? self->input->info.number : 0, what, at, reason);
}

/* -- Names ----------------------------------------------------------------- */

static void
say_cut (NpInstance *self, const char *text, gsize len)
{
  np_instance_say (self, NPROF_WARNING,
                   np_text_cut_words (text, len, self->run->config->text_most));
}

static nprof_str
host_intern (const struct nprof_host *host, const char *text, size_t len)
{
  NpInstance *self = np_instance_of (host);
  if (len > NP_MOST_TEXT && is_bounded (self)
      && (len - NP_MOST_TEXT) / NP_TEXT_A_BYTE > bytes_of (self))
    end_too_much ("a name of", len);
  nprof_str str = np_strings_intern (self->run->strings, text, len);
  if (len > self->run->config->text_most && np_strings_tell_cut (self->run->strings, str))
    say_cut (self, text, len);
  return str;
}

static const char *
host_string (const struct nprof_host *host, nprof_str str, size_t *len)
{
  return np_strings_get (np_instance_of (host)->run->strings, str, len);
}

/* Returns whether the decoder has written a row, even if it still waits in a batch. */
static gboolean
has_begun (const NpInstance *self)
{
  return self->input->begun || (self->batch && self->writer.n_rows)
         || np_table_writer_has_rows (&self->tables);
}

/* Refuses a call after the first row, because other components read origin and properties from then
 * on. */
static nprof_status
describes_input (NpInstance *self, const char *what)
{
  g_autofree char *why = NULL;
  if (!self->input)
    why = g_strdup_printf ("only a decoder gives %s", what);
  else if (!self->self)
    why = g_strdup_printf ("a part of a parallel decoding gives %s: plan has to", what);
  else if (has_begun (self))
    why = g_strdup_printf ("the decoder gives %s after its first row", what);
  if (why) /* and the end fails, where the component goes on */
    self->broken = np_instance_fail (self, NPROF_E_CONTRACT, why);
  return why ? self->broken : NPROF_OK;
}

static nprof_status
host_origin (const struct nprof_host *host, int64_t unix_ns)
{
  NpInstance *self = np_instance_of (host);
  nprof_status status = describes_input (self, "an origin");
  if (status)
    return status;
  self->input->origin = unix_ns;
  return NPROF_OK;
}

/* Returns the text as it may be kept; transfer full. */
static char *
limited (NpInstance *self, const char *text)
{
  gsize len = strlen (text), most = self->run->config->text_most;
  if (len <= most)
    return g_utf8_make_valid (text, -1);
  say_cut (self, text, len);
  g_autofree char *cut = np_text_cut (text, len, most, &len);
  return g_utf8_make_valid (cut, -1);
}

static nprof_status
host_property (const struct nprof_host *host, const char *key, const char *value)
{
  NpInstance *self = np_instance_of (host);
  nprof_status status = describes_input (self, "a property");
  if (status)
    return status;
  GPtrArray *properties = self->input->properties;
  g_ptr_array_set_size (properties, (gint) properties->len - 1);
  g_ptr_array_add (properties, limited (self, key));
  g_ptr_array_add (properties, limited (self, value));
  g_ptr_array_add (properties, NULL);
  return NPROF_OK;
}

static nprof_track
host_track (const struct nprof_host *host, nprof_track parent, uint32_t kind, nprof_str key,
            nprof_str label, int64_t sort)
{
  NpInstance *self = np_instance_of (host);
  if (kind == NPROF_TRACK_INPUT || kind > NPROF_TRACK_DERIVED) {
    g_autofree char *why
        = g_strdup_printf ("host->track: %u is no kind of track that a component makes", kind);
    self->broken = np_instance_fail (self, NPROF_E_CONTRACT, why);
    return 0;
  }
  if (!parent && self->input)
    parent = self->input->info.root;
  if (!is_bounded (self))
    return np_tracks_add (self->run->tracks, parent, kind, key, label, sort);
  const guint known = np_tracks_count (self->run->tracks);
  const nprof_track track = np_tracks_add (self->run->tracks, parent, kind, key, label, sort);
  const guint before = atomic_fetch_add (&self->n_tracks, track > known);
  if (before >= NP_MOST_TRACKS && before - NP_MOST_TRACKS >= bytes_of (self))
    end_too_much ("tracks:", before);
  return track;
}

static const struct nprof_track_info *
host_track_info (const struct nprof_host *host, nprof_track track)
{
  return np_tracks_get (np_instance_of (host)->run->tracks, track);
}

/* -- Rows ------------------------------------------------------------------ */

static NpInstance *
writer_owner (struct nprof_writer *writer)
{
  return (NpInstance *) ((char *) writer - offsetof (NpInstance, writer));
}

/* What is not [any-thread] is called within a call, on its thread. */
static void
check_inside (const NpInstance *self, const char *what)
{
  const struct nprof_component *c = self->component;
  const gboolean inside
      = np_call.of && np_call.kind == c->kind && strcmp (np_call.name, c->name) == 0;
  if (!self->checked || inside)
    return;
  const NpFenceCall call = { c->name, c->name, what, c->kind, 0 };
  np_fence_end (&call, " broke the contract (from another thread than that of its call)");
}

/* Rows from close would come too late, also by a writer of before. */
static void
check_open (const NpInstance *self)
{
  if (self->checked && np_call.of && strcmp (np_call.call, "close") == 0)
    np_fence_end (&np_call, " broke the contract (it writes rows)");
}

static nprof_status
writer_flush (struct nprof_writer *writer)
{
  NpInstance *self = writer_owner (writer);
  check_inside (self, "flush");
  check_open (self);
  nprof_status status = np_instance_flush_rows (self);
  if (status)
    return status;
  return np_instance_lend_columns (self);
}

/* Refuses an attribute beyond the limit on one text: cut JSON would be none. */
static nprof_status
refuse_bytes (NpInstance *self, uint32_t bytes)
{
  const struct nprof_writer *w = &self->writer;
  size_t len = 0;
  const char *name
      = w->n_rows ? np_strings_get (self->run->strings, w->name[w->n_rows - 1], &len) : "";
  g_autofree char *begin = np_printable (name, (gssize) MIN (len, SHOWN_OF_NAME));
  g_autofree char *why = g_strdup_printf ("an attribute of the row \"%s\" at %" G_GINT64_FORMAT
                                          " ns has %u bytes, expected at most "
                                          "%" G_GSIZE_FORMAT ": --text-max SIZE reads it",
                                          begin, w->n_rows ? w->start[w->n_rows - 1] / 1000 : 0,
                                          bytes, self->run->config->text_most);
  return np_instance_fail (self, NPROF_E_UNSUPPORTED, why);
}

static nprof_status
writer_grow (struct nprof_writer *writer, uint32_t attrs, uint32_t bytes)
{
  NpInstance *self = writer_owner (writer);
  if (bytes > self->run->config->text_most)
    return refuse_bytes (self, bytes);
  self->batch->writer = *writer;
  nprof_status status = np_batch_grow (self->batch, attrs, bytes);
  *writer = self->batch->writer;
  return status ? np_instance_fail (self, status, "no memory for the attributes of a row")
                : NPROF_OK;
}

/* Returns why the component may not write rows; NULL: it may. */
static const char *
refuse_rows (NpInstance *self)
{
  const struct nprof_component *c = self->component;
  if (c->kind == NPROF_SINK)
    return "a sink writes no rows";
  if (c->kind == NPROF_ANALYZER && c->flags & NPROF_ANALYZER_NO_ROWS)
    return "it writes rows, but declares NPROF_ANALYZER_NO_ROWS: leave that flag out";
  if (c->kind == NPROF_ANALYZER && c->flags & NPROF_ANALYZER_ANSWERS)
    return "it writes rows, but declares NPROF_ANALYZER_ANSWERS, whose rows would come too late";
  return NULL;
}

static struct nprof_writer *
host_writer (const struct nprof_host *host)
{
  NpInstance *self = np_instance_of (host);
  const char *why = refuse_rows (self);
  check_inside (self, "writer");
  check_open (self);
  if (why) { /* and the end fails, where the component skips it */
    self->broken = np_instance_fail (self, NPROF_E_CONTRACT, why);
    return NULL;
  }
  if (!self->batch && np_instance_lend_columns (self))
    return NULL;
  self->writer.flush = writer_flush;
  self->writer.grow = writer_grow;
  return &self->writer;
}

static nprof_set
host_attrs (const struct nprof_host *host, const struct nprof_attrs *attrs)
{
  return np_attrsets_add (np_instance_of (host)->run->sets, attrs);
}

static const struct nprof_attrs *
host_attr_set (const struct nprof_host *host, nprof_set set)
{
  return np_attrsets_get (np_instance_of (host)->run->sets, set);
}

static int
host_wanted (const struct nprof_host *host, const char *key)
{
  return np_columns_wanted (np_instance_of (host)->run->columns, key);
}

static const struct nprof_row_want *
host_row_want (const struct nprof_host *host, const char *key, uint32_t index)
{
  return np_columns_row_want (np_instance_of (host)->run->columns, key, index);
}

static const struct nprof_column *const *
host_columns (const struct nprof_host *host)
{
  return np_columns_list (np_instance_of (host)->run->columns);
}

static const struct nprof_batch *
host_batch_ref (const struct nprof_host *host, const struct nprof_batch *batch)
{
  atomic_fetch_add (&np_instance_of (host)->held, 1);
  return &np_batch_ref (np_batch_of (batch))->view;
}

static void
host_batch_unref (const struct nprof_host *host, const struct nprof_batch *batch)
{
  NpInstance *self = np_instance_of (host);
  if (!batch)
    return;
  if (atomic_fetch_sub (&self->held, 1) > 0) {
    np_batch_unref (np_batch_of (batch));
    return;
  }
  atomic_fetch_add (&self->held, 1); /* others hold it, and it stays theirs */
  if (np_fence_is_inside ())
    np_fence_end (&np_call, " lets go of a batch that it does not hold, by batch_unref,");
}

/* -- Tables ---------------------------------------------------------------- */

static nprof_status
host_table (const struct nprof_host *host, const struct nprof_table *table)
{
  return np_instance_announce (np_instance_of (host), table);
}

/* Of the first rows: a stack takes as long to read as some hundred rows to write. */
static void
check_finish (NpInstance *self)
{
  const struct nprof_component *c = self->component;
  if (!self->checked || !c->finish || self->n_stacks == MOST_STACKS)
    return;
  self->n_stacks++;
  const guint known = np_call.of && strcmp (np_call.call, "finish") == 0;
  if (np_frames_of ((gpointer) (gsize) c->finish) > known)
    np_fence_end (&np_call, " broke the contract (it calls finish itself)");
}

static nprof_status
host_row (const struct nprof_host *host, const struct nprof_table *table,
          const struct nprof_cell *cells)
{
  check_inside (np_instance_of (host), "row");
  check_finish (np_instance_of (host));
  return np_instance_add_row (np_instance_of (host), table, cells);
}

/* -- The run, files -------------------------------------------------------- */

static const NpSnapshot *
snapshot_of (NpInstance *self)
{
  return atomic_load_explicit (&self->snapshot, memory_order_acquire);
}

static const struct nprof_run_info *
host_run (const struct nprof_host *host)
{
  return &snapshot_of (np_instance_of (host))->run;
}

static const struct nprof_input_info *
host_input (const struct nprof_host *host, uint32_t number)
{
  NpInstance *self = np_instance_of (host);
  const NpSnapshot *snapshot = snapshot_of (self);
  if (self->declaring) /* its input is not in the run yet, and has the number that it may get */
    return number == host->own_input ? &self->input->info : NULL;
  if (number >= snapshot->run.n_inputs)
    return NULL;
  const NpRunInput *input = np_run_input (self->run, number);
  return number < snapshot->known ? &input->full : &input->info;
}

static const struct nprof_target *
host_target (const struct nprof_host *host)
{
  return np_target_info (np_instance_of (host)->target);
}

/* Returns where the component's files go; a decoder's lie in a folder that an option of the user
 * named. */
static NpTarget *
target_of (NpInstance *self, const char **name, GError **error)
{
  if (!self->input)
    return self->target;
  const char *slash = *name ? strrchr (*name, '/') : NULL;
  if (!slash) {
    np_error_set (error, NP_EXIT_PLUGIN,
                  "a decoder writes only into a folder that an option names");
    return NULL;
  }
  g_autofree char *folder = g_strndup (*name, (gsize) MAX (slash - *name, 1));
  *name = slash + 1;
  return np_outputs_folder (self->run->outputs, folder, error);
}

/* Opens NAME, of a decoder FOLDER/NAME; NULL: the instance keeps the error. */
static struct nprof_output *
host_output (const struct nprof_host *host, const char *name)
{
  NpInstance *self = np_instance_of (host);
  g_autoptr (GError) error = NULL;
  NpTarget *target = target_of (self, &name, &error);
  struct nprof_output *out = target ? np_target_open (target, name, &error) : NULL;
  if (!out && !self->error && error)
    self->error = g_steal_pointer (&error);
  return out;
}

static nprof_status
host_siblings (const struct nprof_host *host, int (*fn) (void *user, const char *name), void *user)
{
  return np_siblings_each (np_instance_of (host), fn, user);
}

static const void *
host_sibling (const struct nprof_host *host, const char *name, uint64_t *len)
{
  return np_sibling_open (np_instance_of (host), name, len);
}

static const void *
host_extension (const struct nprof_host *host, const char *id)
{
  return g_str_equal (id, NP_CALLER) ? np_instance_of (host)->run->config->caller
                                     : np_extension (id);
}

/* -- Facts, threads --------------------------------------------------------- */

static const struct nprof_fact *
host_fact (const struct nprof_host *host, nprof_track track, nprof_str key)
{
  return np_facts_find (np_instance_of (host)->run->facts, track, key);
}

static gboolean
is_stopped (gpointer run)
{
  return np_run_stopped (run);
}

static nprof_status
host_parallel (const struct nprof_host *host, uint32_t n,
               nprof_status (*fn) (void *user, uint32_t number), void *user)
{
  NpInstance *self = np_instance_of (host);
  guint jobs = self->input ? self->input->jobs : self->run->jobs;
  return np_parallel (jobs, n, fn, user, is_stopped, self->run);
}

void
np_host_init (struct nprof_host *host, NpLog *log)
{
  *host = (struct nprof_host){
    .size = sizeof *host,
    .log_level = (uint32_t) np_log_level (log),
    .log = host_log,
    .fail = host_fail,
    .progress = host_progress,
    .cancelled = host_cancelled,
    .damage = host_damage,
    .skip = host_skip,
    .intern = host_intern,
    .string = host_string,
    .origin = host_origin,
    .property = host_property,
    .track = host_track,
    .track_info = host_track_info,
    .writer = host_writer,
    .attrs = host_attrs,
    .attr_set = host_attr_set,
    .wanted = host_wanted,
    .columns = host_columns,
    .table = host_table,
    .row = host_row,
    .run = host_run,
    .input = host_input,
    .target = host_target,
    .output = host_output,
    .siblings = host_siblings,
    .sibling = host_sibling,
    .batch_ref = host_batch_ref,
    .batch_unref = host_batch_unref,
    .extension = host_extension,
    .row_want = host_row_want,
    .fact = host_fact,
    .parallel = host_parallel,
  };
}
