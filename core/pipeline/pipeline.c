/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c - the thread that delivers.  Decoded batches come from read-ahead.c; their
 * times are aligned to the run's origin, rows are selected, tracks numbered; then they go
 * to a stream (row-stream.h).  Rows that analyzers add are spooled and follow as streams of
 * their own when all that is decoded has been delivered. */

#include "pipeline/pipeline.h"
#include "base/fence.h"
#include "base/free-later.h"
#include "pipeline/analyzer-ends.h"
#include "pipeline/core-tables.h"
#include "pipeline/derived-rows.h"
#include "pipeline/read-ahead.h"
#include "pipeline/row-stream.h"
#include "pipeline/rows-where.h"
#include "plugin/component.h"
#include "run/clock-align.h"

typedef struct { /* what an analyzer adds */
  NpPipeline *pipeline;
  guint number;
  NpSpool *rows;
  GPtrArray *chunks; /* of NpChunk: tables made while lanes deliver, each on its own thread */
  GByteArray *state; /* that it was asked for instead of its tables; NULL: it was not */
} Derived;

typedef struct { /* a table that an analyzer announced when it was opened */
  NpChunk *chunk;
  guint first; /* analyzer that it is for, and those behind */
} Early;

struct NpPipeline {
  NpRun *run;
  GPtrArray *analyzers, *sinks;
  guint n_analyzers;
  Derived *derived; /* one an analyzer */
  NpRowStream *decoded;
  NpRowStream *context;  /* NULL: nobody wants rows that are not selected, or all are */
  NpRowFilter *select;   /* NULL: everything */
  NpRowsWhere *where;    /* rows of tables that sinks get; NULL: all */
  GHashTable *announced; /* tables that have been announced, by name */
  GArray *early;         /* of Early: delivered when all are open */
  NpFreeLater *later;    /* rows that were put in order or spooled */
  gboolean emitting;     /* lanes deliver */
  guint first_answers;   /* analyzers from this one on end after the core's own tables */
  NpAnalyzerEnds *ends;  /* NULL: analyzers do not end, or one after the other on this thread */
};

NpPipeline *
np_pipeline_new (NpRun *run, guint n_analyzers, GPtrArray *analyzers, GPtrArray *sinks)
{
  NpPipeline *self = g_new0 (NpPipeline, 1);
  self->run = run;
  self->analyzers = analyzers;
  self->sinks = sinks;
  self->announced = g_hash_table_new (g_str_hash, g_str_equal);
  self->n_analyzers = n_analyzers; /* of which none is open yet */
  self->derived = g_new0 (Derived, self->n_analyzers);
  for (guint i = 0; i < self->n_analyzers; i++)
    self->derived[i].chunks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_chunk_unref);
  self->early = g_array_new (FALSE, FALSE, sizeof (Early));
  self->later = np_free_later_new (run->jobs > 1);
  if (!np_selection_is_empty (&run->config->selection))
    self->select = np_row_filter_new (&run->config->selection, run->strings, run->tracks, run->sets,
                                      run->pool);
  self->where = np_rows_where_new (run->config->where, run->strings);
  return self;
}

void
np_pipeline_free (NpPipeline *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->n_analyzers; i++) {
    g_clear_pointer (&self->derived[i].state, g_byte_array_unref);
    g_clear_pointer (&self->derived[i].rows, np_spool_free);
    g_ptr_array_unref (self->derived[i].chunks);
  }
  for (guint i = 0; i < self->early->len; i++)
    g_clear_pointer (&g_array_index (self->early, Early, i).chunk, np_chunk_unref);
  g_array_unref (self->early);
  g_free (self->derived);
  np_row_stream_free (self->decoded);
  np_row_stream_free (self->context);
  np_free_later_end (self->later);
  g_clear_pointer (&self->select, np_row_filter_free);
  np_rows_where_free (self->where);
  g_hash_table_unref (self->announced);
  g_free (self);
}

/* -- Tables ---------------------------------------------------------------- */

/* Returns whether the table is announced for the first time: parts and inputs announce alike.  A
 * table that two decoders share is the first one's, so that all see one. */
static gboolean
is_news (NpPipeline *self, NpChunk *chunk)
{
  const struct nprof_table *first = g_hash_table_lookup (self->announced, chunk->table->name);
  if (!first)
    g_hash_table_insert (self->announced, (gpointer) chunk->table->name, (gpointer) chunk->table);
  else if (chunk->table != first && np_table_same (first, chunk->table))
    chunk->table = first;
  return !first || chunk->n_rows > 0;
}

/* Hands the sinks what they get of a chunk. */
static gboolean
deliver_to_sinks (NpPipeline *self, NpChunk *chunk, GError **error)
{
  NpChunk *wanted = np_rows_where_of (self->where, chunk, error);
  if (!wanted)
    return FALSE;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < self->sinks->len; i++)
    ok = np_sink_chunk (g_ptr_array_index (self->sinks, i), wanted);
  np_chunk_unref (wanted);
  return ok || np_error_elsewhere (error); /* np_sink_end has the cause */
}

/* Delivers a chunk, which it takes, to analyzers from `first` on and to all sinks. */
static gboolean
deliver_chunk (NpPipeline *self, NpChunk *chunk, guint first, GError **error)
{
  gboolean ok = TRUE;
  if (!is_news (self, chunk))
    goto out;
  for (guint i = first; ok && i < self->analyzers->len; i++) {
    NpInstance *analyzer = g_ptr_array_index (self->analyzers, i);
    nprof_status status = !np_component_reads_table (analyzer->component, chunk->table->name)
                              ? NPROF_OK
                              : NP_CALL (analyzer->component, table, analyzer->self, chunk->table,
                                         chunk->cells, chunk->n_rows);
    ok = np_instance_passed (analyzer, status, error);
  }
  ok = ok && deliver_to_sinks (self, chunk, error);
out:
  np_chunk_unref (chunk);
  return ok;
}

/* -- What components are told of the run ----------------------------------- */

/* Publishes a snapshot; sinks are told with the items that they get, see sink-thread.c. */
static void
publish (NpPipeline *self, guint n_inputs, guint known)
{
  NpSnapshots *snapshots = &self->run->snapshots;
  np_snapshots_add (snapshots, &self->run->info, n_inputs, known);
  for (guint i = 0; i < self->analyzers->len; i++)
    np_instance_show (g_ptr_array_index (self->analyzers, i), np_snapshots_newest (snapshots));
}

/* Begins an input with its first row, because the decoder then says no more of the input as a
 * whole.  Siblings that it opens meanwhile show at its end, or their number would depend on how
 * threads run. */
static void
begin_input (NpPipeline *self, NpRunInput *input)
{
  if (input->aligned)
    return;
  np_align_input (self->run, input);
  input->full = input->info;
  input->full.bytes = input->bytes;
  input->full.properties = (const char *const *) input->properties->pdata;
  publish (self, np_snapshots_newest (&self->run->snapshots)->run.n_inputs, input->info.number + 1);
}

/* -- Rows ------------------------------------------------------------------ */

static void
number_tracks (NpRun *run, const struct nprof_batch *batch)
{
  const NpBatchSum *sum = &np_batch_of (batch)->sum;
  if (sum->known && sum->n_tracks) {
    for (guint i = 0; i < sum->n_tracks; i++)
      np_tracks_delivered (run->tracks, sum->tracks[i].track, sum->tracks[i].n);
    return;
  }
  for (guint i = 0, from = 0; i < batch->n_rows; from = i) {
    while (i < batch->n_rows && batch->track[i] == batch->track[from])
      i++;
    np_tracks_delivered (run->tracks, batch->track[from], i - from);
  }
}

static gboolean
sum_has_tracks (NpRun *run, const NpBatchSum *sum)
{
  if (!sum->known || !sum->n_tracks)
    return FALSE;
  guint i = 0;
  while (i < sum->n_tracks && np_tracks_get (run->tracks, sum->tracks[i].track))
    i++;
  return i == sum->n_tracks;
}

/* Components look up the track of each row they get, so one that does not exist would crash
 * them. */
static gboolean
have_tracks (NpRun *run, const struct nprof_batch *batch, guint64 first, const char *who,
             GError **error)
{
  if (sum_has_tracks (run, &np_batch_of (batch)->sum))
    return TRUE;
  for (guint i = 0, from = 0; i < batch->n_rows; from = i) {
    while (i < batch->n_rows && batch->track[i] == batch->track[from])
      i++;
    if (np_tracks_get (run->tracks, batch->track[from]))
      continue;
    return np_error_set (error, NP_EXIT_PLUGIN,
                         "row %" G_GUINT64_FORMAT
                         " of %s has no track: a plugin takes one from host->track, "
                         "which gives 0 when there is no memory",
                         first + from, who);
  }
  return TRUE;
}

static gboolean
decoded_have_tracks (NpRun *run, const NpRunInput *input, const struct nprof_batch *batch,
                     GError **error)
{
  g_autofree char *who = g_strdup_printf ("decoder %s", input->decoder->name);
  if (have_tracks (run, batch, input->decoded, who, error))
    return TRUE;
  g_prefix_error (error, "%s: ", input->path);
  return FALSE;
}

static gboolean
see_facts (NpRun *run, const struct nprof_batch *batch, const char *who, GError **error)
{
  g_autofree char *problem = NULL;
  const NpBatchSum *sum = &np_batch_of (batch)->sum;
  if (sum->known && !sum->any_facts)
    return TRUE;
  if (np_facts_see (run->facts, batch, &problem))
    return TRUE;
  return np_error_set (error, NP_EXIT_PLUGIN, "%s: %s", who, problem);
}

/* Replaces *batch, which it takes, by the rows that the selection leaves, or NULL. */
static gboolean
select_rows (NpPipeline *self, NpBatch **batch, GError **error)
{
  NpBatch *context = NULL;
  *batch = np_row_filter_apply (self->select, *batch, self->context ? &context : NULL);
  gboolean ok = !np_row_filter_failed (self->select)
                || np_error_set (error, NP_EXIT_ROOM, "no memory for the selected rows");
  if (ok && context)
    ok = np_row_stream_add (self->context, context, error);
  g_clear_pointer (&context, np_batch_unref);
  if (!ok)
    g_clear_pointer (batch, np_batch_unref);
  return ok;
}

/* Delivers the batch, which it takes. */
static gboolean
take_batch (NpPipeline *self, NpRunInput *input, NpBatch *batch, GError **error)
{
  NpRun *run = self->run;
  begin_input (self, input);
  if (!decoded_have_tracks (run, input, &batch->view, error)
      || !np_align_batch (run, input, batch, error)) {
    np_batch_unref (batch);
    return FALSE;
  }
  if (run->steps)
    np_steps_see (run->steps, &batch->view, input->info.number);
  if (self->select && !select_rows (self, &batch, error))
    return FALSE;
  if (!batch)
    return TRUE;
  np_align_seen (input, &batch->view);
  np_progress_add (run->progress, 0, batch->view.n_rows);
  number_tracks (run, &batch->view);
  gboolean ok = see_facts (run, &batch->view, input->path, error)
                && np_row_stream_add (self->decoded, batch, error);
  np_batch_unref (batch);
  return ok;
}

typedef struct {
  NpPipeline *self;
  NpRunInput *input;
  GError *error;
} Taking;

/* A failure stops the run, so that the decoder ends as well. */
static gboolean
take_item (gpointer user, NpItem *item)
{
  Taking *taking = user;
  NpPipeline *self = taking->self;
  NpRunInput *input = taking->input;
  GError **error = &taking->error;
  gboolean ok = TRUE;
  if (np_run_stopped (self->run))
    ok = np_error_interrupted (error);
  else if (item->kind == NP_ITEM_BATCH)
    ok = take_batch (self, input, np_batch_ref (item->batch), error);
  else if (item->kind == NP_ITEM_SAY)
    np_run_say (self->run, input->path, item->say.level, item->say.text);
  else {
    if (item->chunk->n_rows)
      begin_input (self, input);
    ok = deliver_chunk (self, np_chunk_ref (item->chunk), 0, error);
  }
  np_item_free (item);
  if (!ok)
    np_run_stop (self->run, NP_EXIT_INTERRUPTED);
  return ok;
}

static gboolean
deliver_input (NpPipeline *self, NpReadAhead *ahead, NpRunInput *input, GError **error)
{
  Taking taking = { self, input, NULL };
  gboolean ok = np_read_ahead_each (ahead, take_item, &taking);
  if (!ok)
    g_propagate_error (error, taking.error);
  ok = np_read_ahead_end (ahead, ok ? error : NULL) && ok;
  if (ok && np_run_stopped (self->run))
    ok = np_error_interrupted (error);
  if (!ok)
    return FALSE;
  begin_input (self, input); /* one without rows, too, may give the origin */
  publish (self, np_run_n_inputs (self->run), input->info.number + 1);
  return TRUE;
}

static gboolean
deliver_inputs (NpPipeline *self, GError **error)
{
  NpReadAhead *ahead = np_read_ahead_new (self->run);
  gboolean ok = TRUE;
  for (NpRunInput *input; ok && (input = np_read_ahead_next (ahead));)
    ok = deliver_input (self, ahead, input, error);
  if (!ok)
    np_run_stop (self->run, NP_EXIT_INTERRUPTED);
  np_read_ahead_free (ahead);
  return ok;
}

typedef struct { /* where chunks of the core's own tables go */
  NpPipeline *pipeline;
  GError **error;
} CoreTables;

static gboolean
core_chunk (NpChunk *chunk, gpointer user)
{
  const CoreTables *to = user;
  return deliver_chunk (to->pipeline, chunk, to->pipeline->first_answers, to->error);
}

static gboolean
deliver_early (NpPipeline *self, GError **error)
{
  for (guint i = 0; i < self->early->len; i++) {
    Early *early = &g_array_index (self->early, Early, i);
    if (!deliver_chunk (self, g_steal_pointer (&early->chunk), early->first, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
any_reads_context (const GPtrArray *analyzers)
{
  for (guint i = 0; i < analyzers->len; i++) {
    const NpInstance *analyzer = g_ptr_array_index (analyzers, i);
    if (np_reads_context (analyzer->component))
      return TRUE;
  }
  return FALSE;
}

static void
open_streams (NpPipeline *self)
{
  gboolean two = self->select && any_reads_context (self->analyzers);
  self->decoded = np_row_stream_new (self->run, self->analyzers, 0, self->sinks,
                                     two ? NP_AUDIENCE_SELECTED : NP_AUDIENCE_ALL);
  if (two)
    self->context
        = np_row_stream_new (self->run, self->analyzers, 0, self->sinks, NP_AUDIENCE_CONTEXT);
}

static guint
find_answers (const GPtrArray *analyzers)
{
  guint i = 0;
  while (i < analyzers->len
         && !np_reads_tables_alone (((NpInstance *) analyzers->pdata[i])->component))
    i++;
  return i;
}

gboolean
np_pipeline_decode (NpPipeline *self, GError **error)
{
  self->first_answers = find_answers (self->analyzers);
  CoreTables core = { self, error };
  if (!np_core_tables_announce (core_chunk, &core) || !deliver_early (self, error))
    return FALSE;
  open_streams (self);
  return deliver_inputs (self, error);
}

/* -- What analyzers add ---------------------------------------------------- */

static nprof_status
derived_batch (gpointer user, NpBatch *batch)
{
  Derived *derived = user;
  NpInstance *analyzer = g_ptr_array_index (derived->pipeline->analyzers, derived->number);
  g_autoptr (GError) error = NULL;
  gboolean ok = np_derived_rows_add (&derived->rows, derived->pipeline->run, batch, &error);
  np_batch_unref (batch);
  return ok ? NPROF_OK : np_instance_fail (analyzer, NPROF_E_IO, error->message);
}

static nprof_status
derived_chunk (gpointer user, NpChunk *chunk)
{
  Derived *derived = user;
  GError *error = NULL;
  if (!derived->pipeline->decoded) {
    Early early = { chunk, derived->number + 1 };
    g_array_append_val (derived->pipeline->early, early);
    return NPROF_OK;
  }
  if (derived->pipeline->emitting) {
    g_ptr_array_add (derived->chunks, chunk);
    return NPROF_OK;
  }
  if (derived->pipeline->ends)
    return np_analyzer_ends_add (derived->pipeline->ends, derived->number, np_item_chunk (chunk));
  if (deliver_chunk (derived->pipeline, chunk, derived->number + 1, &error))
    return NPROF_OK;
  NpInstance *analyzer = g_ptr_array_index (derived->pipeline->analyzers, derived->number);
  np_instance_adopt_error (analyzer, error);
  return NPROF_E_IO;
}

static void
derived_say (gpointer user, int level, char *text)
{
  Derived *derived = user;
  NpPipeline *self = derived->pipeline;
  NpInstance *analyzer = g_ptr_array_index (self->analyzers, derived->number);
  if (self->ends && analyzer->opened) { /* what it says from close has no turn */
    np_analyzer_ends_add (self->ends, derived->number, np_item_say (level, text));
    return;
  }
  np_run_say (self->run, analyzer->component->name, level, text);
  g_free (text);
}

NpFeed
np_pipeline_feed (NpPipeline *self, guint analyzer)
{
  Derived *derived = &self->derived[analyzer];
  derived->pipeline = self;
  derived->number = analyzer;
  return (NpFeed){
    .batch = derived_batch, .chunk = derived_chunk, .say = derived_say, .user = derived
  };
}

/* Ends streams, and delivers the tables that analyzers made of their rows.  `context` may be
 * NULL. */
static gboolean
end_streams (NpPipeline *self, NpRowStream *stream, NpRowStream *context, GError **error)
{
  self->emitting = TRUE;
  gboolean ok = np_row_stream_end (stream, self->later, error)
                && (!context || np_row_stream_end (context, self->later, error));
  self->emitting = FALSE;
  for (guint i = 0; ok && i < self->n_analyzers; i++) {
    GPtrArray *chunks = self->derived[i].chunks;
    while (ok && chunks->len)
      ok = deliver_chunk (self, g_ptr_array_steal_index (chunks, 0), i + 1, error);
  }
  return ok;
}

static gboolean
deliver_derived (NpPipeline *self, guint number, GError **error)
{
  NpInstance *analyzer = g_ptr_array_index (self->analyzers, number);
  const char *who = analyzer->component->name;
  if (!self->derived[number].rows)
    return TRUE;
  NpRowStream *stream
      = np_row_stream_new (self->run, self->analyzers, number + 1, self->sinks, NP_AUDIENCE_ALL);
  np_row_stream_set_origin (stream, number + 1);
  NpSpoolReader *reader = np_spool_read (self->derived[number].rows);
  g_autofree char *rows_of = g_strdup_printf ("analyzer %s", who);
  guint64 n_rows = 0;
  gboolean ok = TRUE;
  GError *failed = NULL;
  for (NpBatch *batch; ok && (batch = np_spool_next (reader, &failed)); np_batch_unref (batch)) {
    ok = have_tracks (self->run, &batch->view, n_rows, rows_of, &failed)
         && np_derived_rows_check (self->run, who, &batch->view, &failed);
    n_rows += batch->view.n_rows;
    if (!ok)
      continue;
    number_tracks (self->run, &batch->view);
    ok = see_facts (self->run, &batch->view, who, &failed)
         && np_row_stream_add (stream, batch, &failed);
  }
  np_spool_reader_free (reader);
  ok = ok && !failed && end_streams (self, stream, NULL, &failed);
  np_row_stream_free (stream);
  np_free_later (self->later, (GDestroyNotify) np_spool_free,
                 g_steal_pointer (&self->derived[number].rows));
  if (failed)
    g_propagate_error (error, failed);
  return ok;
}

/* -- The end --------------------------------------------------------------- */

/* FALSE: nothing is selected, by somebody who asked for something. A window that is clipped may
 * have no row: what was held in it is known from rows before. */
static gboolean
note_range (NpPipeline *self, GError **error)
{
  struct nprof_run_info *run = &self->run->info;
  NpRunInput *input;
  guint n_inputs = 0;
  for (; (input = np_run_input (self->run, n_inputs)); n_inputs++) {
    run->first = MIN (run->first, input->first);
    run->last = MAX (run->last, input->last);
    if (input->unclosed)
      np_log (self->run->log, NPROF_INFO, "%s: spans without an end: %" G_GUINT64_FORMAT,
              input->path, input->unclosed);
  }
  publish (self, n_inputs, n_inputs);
  guint64 left_out = self->select ? np_row_filter_left_out (self->select) : 0;
  if (left_out && run->first > run->last) {
    g_autofree char *none = np_row_filter_says_none (self->select);
    if (self->run->config->needs_rows && !self->run->config->selection.clip)
      return np_error_set (error, NP_EXIT_USAGE, "%s", none);
    np_log (self->run->log, NPROF_WARNING, "%s", none);
  } else if (left_out) {
    np_log (self->run->log, NPROF_INFO, "%" G_GUINT64_FORMAT " rows were not selected", left_out);
  }
  return TRUE;
}

/* Checks the steps that were asked for, now that those of the inputs are known.  A step that none
 * of them has is a mistake, not an empty result. */
static gboolean
settle_steps (NpRun *run, GError **error)
{
  if (!run->steps)
    return TRUE;
  g_autoptr (GArray) steps = np_steps_of_all (run->steps);
  if (run->config->found_steps)
    g_array_append_vals (run->config->found_steps, steps->data, steps->len);
  return np_selection_has_steps (&run->config->selection, steps, error);
}

/* Tables, or the state of one that is to be taken together with others. */
static nprof_status
end_analyzer (gpointer user, guint number)
{
  NpPipeline *self = user;
  NpInstance *analyzer = g_ptr_array_index (self->analyzers, number);
  const NpSpec *spec = g_array_index (self->run->analyzers, NpChosen, number).spec;
  if (!spec->saves || !self->run->config->saved)
    return np_instance_finish (analyzer);
  self->derived[number].state = g_byte_array_new ();
  return np_instance_save (analyzer, self->derived[number].state);
}

static void
close_analyzer (gpointer user, guint number)
{
  const NpPipeline *self = user;
  np_instance_close (g_ptr_array_index (self->analyzers, number));
}

static void
keep_state (NpPipeline *self, guint number)
{
  GByteArray *state = g_steal_pointer (&self->derived[number].state);
  if (!state)
    return;
  const NpSpec *spec = g_array_index (self->run->analyzers, NpChosen, number).spec;
  NpSaved *saved = g_new (NpSaved, 1);
  *saved = (NpSaved){ g_strdup (spec->name), g_byte_array_free_to_bytes (state) };
  g_ptr_array_add (self->run->config->saved, saved);
}

/* Starts the ends of analyzers, as many at once as the run has threads. */
static void
begin_ends (NpPipeline *self)
{
  guint n = MIN (self->run->jobs, self->first_answers);
  if (n < 2)
    return;
  self->ends = np_analyzer_ends_new (self->analyzers, self->first_answers, end_analyzer,
                                     close_analyzer, self);
  if (!np_analyzer_ends_start (self->ends, n))
    g_clear_pointer (&self->ends, np_analyzer_ends_free);
}

/* Delivers what the analyzer whose turn it is hands on and says at its end. */
static gboolean
deliver_end (NpPipeline *self, guint number, GError **error)
{
  const NpInstance *analyzer = g_ptr_array_index (self->analyzers, number);
  gboolean ok = TRUE;
  for (NpItem *item; ok && (item = np_analyzer_ends_pop (self->ends)); np_item_free (item)) {
    if (item->kind == NP_ITEM_SAY)
      np_run_say (self->run, analyzer->component->name, item->say.level, item->say.text);
    else
      ok = deliver_chunk (self, np_chunk_ref (item->chunk), number + 1, error);
  }
  return ok;
}

static gboolean
finish_analyzer (NpPipeline *self, guint number, GError **error)
{
  if (self->ends && !deliver_end (self, number, error))
    return FALSE;
  nprof_status status
      = self->ends ? np_analyzer_ends_status (self->ends) : end_analyzer (self, number);
  if (!np_instance_passed (g_ptr_array_index (self->analyzers, number), status, error))
    return FALSE;
  keep_state (self, number);
  if (!deliver_derived (self, number, error))
    return FALSE;
  if (self->ends)
    np_analyzer_ends_next (self->ends);
  return TRUE;
}

static gboolean
finish_analyzers (NpPipeline *self, GError **error)
{
  gboolean ok = TRUE;
  begin_ends (self);
  for (guint i = 0; ok && i < self->first_answers; i++)
    ok = finish_analyzer (self, i, error);
  if (!ok)
    np_run_stop (self->run, NP_EXIT_INTERRUPTED);
  /* Its threads look at self->ends until the last of them has stopped. */
  np_analyzer_ends_free (self->ends);
  self->ends = NULL;
  return ok;
}

/* They have been given every table by now. */
static gboolean
finish_answers (NpPipeline *self, GError **error)
{
  for (guint i = self->first_answers; i < self->analyzers->len; i++)
    if (!finish_analyzer (self, i, error))
      return FALSE;
  return TRUE;
}

gboolean
np_pipeline_finish (NpPipeline *self, GError **error)
{
  if (!settle_steps (self->run, error)
      || (self->select && !np_row_filter_has_tracks (self->select, error)))
    return FALSE;
  if (!note_range (self, error) || !end_streams (self, self->decoded, self->context, error)
      || !finish_analyzers (self, error))
    return FALSE;
  CoreTables core = { self, error };
  return np_core_tables (self->run, core_chunk, &core, error) && finish_answers (self, error)
         && np_rows_where_end (self->where, error);
}
