/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - makes, feeds and ends one component's instance; host.c has the functions that the
 * component may call. */

#include "run/instance.h"

#include "base/fence.h"
#include "rows/batch-rules.h"
#include "rows/row-rules.h"
#include "rows/text-limit.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LINKS (1u << 20) /* ids that are kept, where a decoder is checked */
#define SINGLE_ROWS 64        /* first rows of a component that is checked, each a batch */

/* -- Life ------------------------------------------------------------------ */

static NpInstance *
instance_new (NpRun *run, const struct nprof_component *component, NpRunInput *input, NpFeed feed)
{
  NpInstance *self = g_new0 (NpInstance, 1);
  np_host_init (&self->host, run->log);
  self->run = run;
  self->component = component;
  self->input = input;
  self->host.own_input = input ? input->info.number : 0;
  self->feed = feed;
  self->checked = run->checked && g_hash_table_contains (run->checked, component);
  np_instance_show (self, np_snapshots_newest (&run->snapshots));
  np_table_writer_init (&self->tables, feed.chunk, feed.user);
  self->siblings = g_ptr_array_new_with_free_func ((GDestroyNotify) np_input_free);
  return self;
}

NpInstance *
np_instance_new (NpRun *run, const struct nprof_component *component, const NpSpec *spec,
                 NpRunInput *input, NpTarget *target, NpFeed feed, GError **error)
{
  g_autoptr (NpInstance) self = instance_new (run, component, input, feed);
  self->target = target;
  self->strings = g_string_chunk_new (256);
  self->self = aligned_alloc (64, ((gsize) component->instance_size + 63) / 64 * 64);
  if (!self->self) {
    np_error_set (error, NP_EXIT_ROOM, "%s: no memory for an instance of %u bytes", component->name,
                  component->instance_size);
    return NULL;
  }
  memset (self->self, 0, component->instance_size);
  if (!np_options_apply (component, spec, self->self, self->strings, error))
    return NULL;
  self->order = np_option_order (component, self->self);
  return g_steal_pointer (&self);
}

NpInstance *
np_instance_new_part (NpInstance *of, NpFeed feed)
{
  NpInstance *part = instance_new (of->run, of->component, of->input, feed);
  part->meanings = of->meanings;
  return part;
}

void
np_instance_close (NpInstance *self)
{
  gboolean opened = self->opened;
  self->opened = FALSE;
  if (opened && self->component->close)
    NP_CALL_VOID (self->component, close, self->self);
  if (!opened || atomic_load (&self->held) <= 0 || !np_fence_is_armed ())
    return;
  const struct nprof_component *c = self->component;
  const NpFenceCall call = { c->name, c->name, "close", c->kind, 0 };
  np_fence_end (&call, " still holds batches of rows, for want of batch_unref,");
}

void
np_instance_free (NpInstance *self)
{
  if (!self)
    return;
  if (self->opened && !self->ended && self->component->kind == NPROF_SINK && self->component->abort)
    NP_CALL_VOID (self->component, abort, self->self);
  np_instance_close (self);
  if (self->batch) {
    self->batch->writer = self->writer;
    np_batch_unref (self->batch);
  }
  np_table_writer_clear (&self->tables);
  g_ptr_array_unref (self->siblings);
  g_clear_pointer (&self->strings, g_string_chunk_free);
  g_clear_error (&self->error);
  np_meanings_seen_free (self->seen);
  np_links_free (self->links);
  if (self->self) /* and no part */
    np_meanings_free (self->meanings);
  free (self->self);
  g_free (self);
}

void
np_instance_show (NpInstance *self, const NpSnapshot *snapshot)
{
  atomic_store_explicit (&self->snapshot, snapshot, memory_order_release);
}

nprof_status
np_instance_open (NpInstance *self)
{
  self->opened = self->opening = TRUE;
  nprof_status status
      = self->component->open ? NP_CALL (self->component, open, self->self, &self->host) : NPROF_OK;
  self->opening = FALSE;
  return status;
}

nprof_status
np_instance_finish (NpInstance *self)
{
  self->ended = TRUE;
  nprof_status status
      = self->component->finish ? NP_CALL (self->component, finish, self->self) : NPROF_OK;
  status = np_instance_verdict (self, status);
  return status ? status : np_instance_flush (self);
}

nprof_status
np_instance_verdict (NpInstance *self, nprof_status status)
{
  if (status || !self->said || !self->error)
    return status;
  g_prefix_error (&self->error,
                  "%s returned NPROF_OK after it had failed: return what fail returns: ",
                  self->component->name);
  self->error->code = NP_EXIT_PLUGIN;
  return NPROF_E_CONTRACT;
}

typedef struct {
  struct nprof_output pub;
  GByteArray *to;
} StateOutput;

static nprof_status
write_state (struct nprof_output *out, const void *data, size_t len)
{
  GByteArray *to = ((StateOutput *) out)->to;
  if (len > G_MAXUINT - to->len)
    return NPROF_E_NOMEM;
  g_byte_array_append (to, data, (guint) len);
  return NPROF_OK;
}

static nprof_status
close_state (struct nprof_output *out)
{
  (void) out;
  return NPROF_OK;
}

nprof_status
np_instance_save (NpInstance *self, GByteArray *to)
{
  StateOutput out
      = { .pub = { .size = sizeof out.pub, .write = write_state, .close = close_state }, .to = to };
  self->ended = TRUE;
  nprof_status status
      = np_instance_verdict (self, NP_CALL (self->component, save, self->self, &out.pub));
  return status ? status : np_instance_flush (self); /* it may write tables as well */
}

void
np_instance_say (NpInstance *self, int level, char *text)
{
  if (self->feed.say) {
    self->feed.say (self->feed.user, level, text);
    return;
  }
  np_run_say (self->run, self->input ? self->input->path : self->component->name, level, text);
  g_free (text);
}

/* -- Failure --------------------------------------------------------------- */

static NpExit
exit_of (const struct nprof_component *component, nprof_status status)
{
  if (status == NPROF_E_OPTION)
    return NP_EXIT_USAGE;
  if (status == NPROF_E_CONTRACT)
    return NP_EXIT_PLUGIN;
  if (status == NPROF_E_NOMEM)
    return NP_EXIT_ROOM;
  return component->kind == NPROF_DECODER ? NP_EXIT_INPUT
         : component->kind == NPROF_SINK  ? NP_EXIT_SINK
                                          : NP_EXIT_PLUGIN;
}

nprof_status
np_instance_fail (NpInstance *self, nprof_status status, const char *why)
{
  if (self->error || status == NPROF_OK || status == NPROF_CANCELLED)
    return status;
  const char *who = self->input ? self->input->path : self->component->name;
  self->error = g_error_new (NP_ERROR, (int) exit_of (self->component, status), "%s: %s", who, why);
  return status;
}

void
np_instance_adopt_error (NpInstance *self, GError *error)
{
  if (self->error)
    g_error_free (error);
  else
    self->error = error;
}

GError *
np_instance_take_error (NpInstance *self, nprof_status status)
{
  const GError *written = self->target ? np_target_error (self->target) : NULL;
  if (written) {
    g_clear_error (&self->error);
    return g_error_copy (written);
  }
  if (!self->error && status == NPROF_CANCELLED)
    np_error_interrupted (&self->error);
  if (!self->error && status == NPROF_E_NOMEM)
    np_instance_fail (self, status, "out of memory");
  if (!self->error && (status > NPROF_OK || status < NPROF_CANCELLED)) {
    g_autofree char *why
        = g_strdup_printf ("%s returned the status %d, which nprof/plugin.h does not "
                           "have",
                           self->component->name, status);
    np_instance_fail (self, NPROF_E_CONTRACT, why);
  }
  if (!self->error) {
    g_autofree char *why = g_strdup_printf ("%s failed with status %d and gave no cause",
                                            self->component->name, status);
    np_instance_fail (self, status, why);
  }
  return g_steal_pointer (&self->error);
}

gboolean
np_instance_passed (NpInstance *self, nprof_status status, GError **error)
{
  if (status)
    g_propagate_error (error, np_instance_take_error (self, status));
  return !status;
}

/* -- Rows ------------------------------------------------------------------ */

nprof_status
np_instance_lend_columns (NpInstance *self)
{
  self->batch = np_pool_take (self->run->pool);
  if (!self->batch)
    return np_instance_fail (self, NPROF_E_NOMEM, "no memory for a batch of rows");
  nprof_status (*flush) (struct nprof_writer *) = self->writer.flush;
  nprof_status (*grow) (struct nprof_writer *, uint32_t, uint32_t) = self->writer.grow;
  self->writer = self->batch->writer;
  self->writer.flush = flush;
  self->writer.grow = grow;
  if (self->checked && self->n_single < SINGLE_ROWS) { /* so that few rows show who writes them */
    self->n_single++;
    self->writer.max_rows = 1;
  }
  return NPROF_OK;
}

static void
keep_first (gpointer first, char *what)
{
  if (*(char **) first)
    g_free (what);
  else
    *(char **) first = what;
}

static NpRowRules
rules_of (const NpInstance *self, char **problem)
{
  return (NpRowRules){ .component = self->component,
                       .strings = self->run->strings,
                       .tracks = self->run->tracks,
                       .sets = self->run->sets,
                       .input = self->input ? self->input->info.number : G_MAXUINT,
                       .broke = keep_first,
                       .user = problem };
}

/* Looks at what hangs together over the rows of a decoder; transfer full, or NULL. */
static char *
links_problem (NpInstance *self, const struct nprof_batch *b)
{
  if (atomic_fetch_add (&self->unreported, b->n_rows) + b->n_rows > NP_MOST_UNREPORTED)
    return g_strdup ("more than 100,000 rows without a call of progress");
  for (guint i = 0; b->id && i < b->n_rows; i++)
    if (b->id[i] && b->kind[i] != NPROF_FLOW) {
      if (!self->links)
        self->links = np_links_new (MOST_LINKS);
      if (!np_links_add (self->links, b->id[i], b->parent ? b->parent[i] : 0))
        return g_strdup_printf ("id %" G_GUINT64_FORMAT " stands on an earlier row as well",
                                b->id[i]);
    }
  return NULL;
}

/* Looks at what is cheap in any run, and at each row where the component is checked; transfer full,
 * or NULL. */
static char *
rows_problem (NpInstance *self, NpBatch *batch)
{
  const NpHandles handed
      = { np_strings_count (self->run->strings), np_tracks_count (self->run->tracks),
          np_attrsets_count (self->run->sets) };
  char *problem = np_batch_problem (&batch->view, &handed);
  if (problem || !self->checked)
    return problem;
  const NpRowRules rules = rules_of (self, &problem);
  np_row_rules_check (&rules, &batch->writer);
  return problem || self->component->kind != NPROF_DECODER ? problem
                                                           : links_problem (self, &batch->view);
}

nprof_status
np_instance_flush_rows (NpInstance *self)
{
  if (self->broken || !self->batch)
    return self->broken;
  np_fence_progress ();
  NpBatch *batch = g_steal_pointer (&self->batch);
  batch->writer = self->writer;
  self->writer.n_rows = self->writer.max_rows = 0; /* a row begun now must flush first */
  if (batch->writer.n_rows == 0) {
    np_batch_unref (batch);
    return NPROF_OK;
  }
  g_autofree char *problem = self->checked ? np_row_rules_counts (&batch->writer) : NULL;
  if (!problem && self->meanings)
    np_meanings_write (self->meanings, &self->seen, &batch->writer);
  np_batch_seal (batch, self->input ? self->input->info.number : 0);
  if (!problem)
    problem = rows_problem (self, batch);
  if (problem) {
    np_batch_unref (batch);
    return self->broken = np_instance_fail (self, NPROF_E_CONTRACT, problem);
  }
  if (self->component->kind == NPROF_DECODER)
    np_batch_sum (&batch->sum, &batch->view);
  return self->broken = self->feed.batch (self->feed.user, batch);
}

/* -- Tables ---------------------------------------------------------------- */

static gboolean
is_declared (const struct nprof_component *component, const struct nprof_table *table)
{
  for (const struct nprof_table *const *t = component->tables; t && *t; t++)
    if (*t == table)
      return TRUE;
  return FALSE;
}

/* Returns the run's copy of a table that the input's content declared. *left_out: nobody may see
 * it. */
static const struct nprof_table *
declared_by_content (const NpInstance *self, const struct nprof_table *table, gboolean *left_out)
{
  const NpDeclaredTable *t
      = self->input ? np_declared_table (self->input->declared, table->name) : NULL;
  *left_out = t && t->left_out;
  return t && np_table_same (t->table, table) ? t->table : NULL;
}

/* Announces a table; *table becomes the one that travels, or NULL when nobody may see it. */
static nprof_status
announce (NpInstance *self, const struct nprof_table **table)
{
  gboolean left_out = FALSE;
  if (np_table_writer_has (&self->tables, *table))
    return NPROF_OK;
  if (g_hash_table_contains (self->run->refused, *table)) {
    *table = NULL;
    return NPROF_OK;
  }
  if (!is_declared (self->component, *table)) {
    *table = declared_by_content (self, *table, &left_out);
    if (!*table)
      return np_instance_fail (self, NPROF_E_CONTRACT,
                               "a table that the component does not list in `tables`");
    if (left_out) {
      *table = NULL;
      return NPROF_OK;
    }
  }
  return np_table_writer_announce (&self->tables, *table);
}

nprof_status
np_instance_announce (NpInstance *self, const struct nprof_table *table)
{
  return announce (self, &table);
}

/* Says which cell has a string that nobody interned: transfer full, or NULL. */
static char *
handle_problem (const NpInstance *self, const struct nprof_table *table,
                const struct nprof_cell *cells)
{
  const guint count = np_strings_count (self->run->strings);
  for (guint i = 0; table->columns[i]; i++)
    if (cells[i].type == NPROF_STRING && cells[i].v.s > count)
      return g_strdup_printf ("table \"%s\": a cell of column \"%s\" has the string %u, which "
                              "intern never returned",
                              table->name, table->columns[i]->name, cells[i].v.s);
  return NULL;
}

/* Says which cell is JSON beyond the limit on one text, of which half would be none: transfer full,
 * or NULL. */
static char *
json_problem (const NpInstance *self, const struct nprof_table *table,
              const struct nprof_cell *cells)
{
  const gsize most = self->run->config->text_most;
  for (guint i = 0; table->columns[i]; i++)
    if (cells[i].type == NPROF_JSON && cells[i].len > most)
      return g_strdup_printf (
          "table \"%s\": a cell of column \"%s\" has %u bytes, expected at most "
          "%" G_GSIZE_FORMAT ": --text-max SIZE reads it",
          table->name, table->columns[i]->name, cells[i].len, most);
  return NULL;
}

static gboolean
is_too_long (const NpInstance *self, const struct nprof_cell *cell)
{
  return cell->type == NPROF_TEXT && cell->len > self->run->config->text_most;
}

/* Cuts the text of a cell and tells it.  The cell's new text is transfer full. */
static void
cut_cell (NpInstance *self, struct nprof_cell *cell)
{
  const gsize most = self->run->config->text_most;
  gsize kept;
  np_instance_say (self, NPROF_WARNING, np_text_cut_words (cell->v.text, cell->len, most));
  cell->v.text = np_text_cut (cell->v.text, cell->len, most, &kept);
  cell->len = (guint32) kept;
}

/* Adds a row of which texts beyond the limit are cut. */
static nprof_status
add_within_limit (NpInstance *self, const struct nprof_table *table, const struct nprof_cell *cells,
                  char **problem)
{
  guint n = 0;
  gboolean within = TRUE;
  for (; table->columns[n]; n++)
    within = within && !is_too_long (self, cells + n);
  if (within)
    return np_table_writer_add (&self->tables, table, cells, problem);
  g_autofree struct nprof_cell *cut = g_memdup2 (cells, n * sizeof *cells);
  for (guint i = 0; i < n; i++)
    if (is_too_long (self, cut + i))
      cut_cell (self, cut + i);
  nprof_status status = np_table_writer_add (&self->tables, table, cut, problem);
  for (guint i = 0; i < n; i++)
    if (is_too_long (self, cells + i))
      g_free ((char *) cut[i].v.text);
  return status;
}

/* Returns whether nothing is to be said of the row, as of most: its strings were interned, and no
 * text is beyond the limit. */
static gboolean
is_plain (const NpInstance *self, const struct nprof_table *table, const struct nprof_cell *cells)
{
  if (self->checked)
    return FALSE;
  const guint count = np_strings_count (self->run->strings);
  const gsize most = self->run->config->text_most;
  for (guint i = 0; table->columns[i]; i++) {
    const guint type = cells[i].type;
    if (type == NPROF_STRING ? cells[i].v.s > count : type > NPROF_STRING && cells[i].len > most)
      return FALSE;
  }
  return TRUE;
}

/* Adds a row of which something may have to be said. */
static nprof_status
add_with_words (NpInstance *self, const struct nprof_table *table, const struct nprof_cell *cells,
                char **problem)
{
  *problem = handle_problem (self, table, cells);
  if (!*problem && self->checked) {
    const NpRowRules rules = rules_of (self, problem);
    np_cell_rules_check (&rules, table, cells);
  }
  if (!*problem && self->checked)
    *problem = np_ratio_problem (table, cells);
  if (*problem)
    return NPROF_E_CONTRACT;
  *problem = json_problem (self, table, cells);
  return *problem ? NPROF_E_UNSUPPORTED : add_within_limit (self, table, cells, problem);
}

nprof_status
np_instance_add_row (NpInstance *self, const struct nprof_table *table,
                     const struct nprof_cell *cells)
{
  g_autofree char *problem = NULL;
  np_fence_progress ();
  nprof_status status = announce (self, &table);
  if (status || !table)
    return status;
  status = is_plain (self, table, cells)
               ? np_table_writer_add (&self->tables, table, cells, &problem)
               : add_with_words (self, table, cells, &problem);
  if (status == NPROF_E_NOMEM || problem)
    return np_instance_fail (self, status, problem ? problem : "no memory for a row of a table");
  return status;
}

nprof_status
np_instance_flush (NpInstance *self)
{
  nprof_status status = np_instance_flush_rows (self);
  const guint64 circle = !status && self->links ? np_links_circle (self->links) : 0;
  if (circle) {
    g_autofree char *why
        = g_strdup_printf ("the row of id %" G_GUINT64_FORMAT " is its own ancestor", circle);
    return self->broken = np_instance_fail (self, NPROF_E_CONTRACT, why);
  }
  return status ? status : np_table_writer_flush (&self->tables);
}
