/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the host that a component under test sees; memory and time run out when the test
 * says so.  Rows and tables are in delivery.c, files in files.c, what it says in host-log.c. */

#include "test-run.h"

#include "base/parallel.h"

#include <nprof/draft/digest.h>
#include <string.h>

/* Flushes and progress calls after the first that was cancelled: its threads may each meet
 * one, and its clean-up another. */
#define MOST_AFTER_CANCEL 64u

nprof_status
host_refuse (Host *self, nprof_status status)
{
  if (status)
    self->refused = status;
  return status;
}

/* Returns whether this is the call that the test wants to fail. */
gboolean
host_no_memory (Host *self)
{
  NprofTestState *test = self->test;
  if (self->feeds)
    return FALSE;
  guint call = __atomic_add_fetch (&test->memory_calls, 1, __ATOMIC_RELAXED);
  return call == test->config.nomem_at;
}

nprof_status
host_stopped (Host *self)
{
  NprofTestState *test = self->test;
  if (self->feeds)
    return NPROF_OK;
  guint call = __atomic_add_fetch (&test->stop_calls, 1, __ATOMIC_RELAXED);
  guint at = test->config.cancel_at;
  if (at && call > at + MOST_AFTER_CANCEL)
    state_broke (test, "it went on after flush or progress had returned NPROF_CANCELLED");
  return at && call >= at ? NPROF_CANCELLED : NPROF_OK;
}

/* -- Names ----------------------------------------------------------------- */

static nprof_str
host_intern (const struct nprof_host *host, const char *text, size_t len)
{
  if (rules_too_long (HOST (host), "a name", len))
    return 0;
  return np_strings_intern (HOST (host)->test->shared->strings, text, len);
}

static const char *
host_string (const struct nprof_host *host, nprof_str str, size_t *len)
{
  return np_strings_get (HOST (host)->test->shared->strings, str, len);
}

static void
before_rows (Host *self, const char *call)
{
  call_check (self, call);
  if (!self->feeds && (self->test->rows_seen || (self->batch && self->writer.n_rows)))
    state_broke (self->test, "%s was called after the first row", call);
  if (self->items)
    state_broke (self->test, "%s was called by a part", call);
}

static nprof_status
host_origin (const struct nprof_host *host, int64_t unix_ns)
{
  Host *self = HOST (host);
  before_rows (self, "origin");
  self->test->run.origin = unix_ns;
  self->test->shared->info.origin_unix_ns = unix_ns;
  return NPROF_OK;
}

static nprof_status
host_property (const struct nprof_host *host, const char *key, const char *value)
{
  Host *self = HOST (host);
  before_rows (self, "property");
  g_ptr_array_add (self->test->properties, (gpointer) state_text (self->test, key, strlen (key)));
  g_ptr_array_add (self->test->properties,
                   (gpointer) state_text (self->test, value, strlen (value)));
  return NPROF_OK;
}

static nprof_track
host_track (const struct nprof_host *host, nprof_track parent, uint32_t kind, nprof_str key,
            nprof_str label, int64_t sort)
{
  Host *self = HOST (host);
  Shared *shared = self->test->shared;
  if (host_no_memory (self)) {
    host_refuse (self, NPROF_E_NOMEM);
    return 0;
  }
  if (kind == NPROF_TRACK_INPUT || kind > NPROF_TRACK_DERIVED)
    state_broke (self->test, "track: %u is no kind that a component makes", kind);
  if (!parent && self->test->component.kind == NPROF_ANALYZER && !self->feeds)
    state_broke (self->test, "track: an analyzer names the parent of its tracks");
  if (!parent)
    parent = shared->input.root;
  if (rules_too_many_tracks (self)) {
    host_refuse (self, NPROF_E_NOMEM);
    return 0;
  }
  nprof_track track = np_tracks_add (shared->tracks, parent, kind, key, label, sort);
  if (!track)
    state_broke (self->test, "track: the parent %u is no track", parent);
  return track;
}

static const struct nprof_track_info *
host_track_info (const struct nprof_host *host, nprof_track track)
{
  return np_tracks_get (HOST (host)->test->shared->tracks, track);
}

static nprof_set
host_attrs (const struct nprof_host *host, const struct nprof_attrs *attrs)
{
  Host *self = HOST (host);
  if (host_no_memory (self)) {
    host_refuse (self, NPROF_E_NOMEM);
    return 0;
  }
  return np_attrsets_add (self->test->shared->sets, attrs);
}

static const struct nprof_attrs *
host_attr_set (const struct nprof_host *host, nprof_set set)
{
  return np_attrsets_get (HOST (host)->test->shared->sets, set);
}

static int
host_wanted (const struct nprof_host *host, const char *key)
{
  return np_columns_wanted (HOST (host)->test->shared->columns, key);
}

static const struct nprof_row_want *
host_row_want (const struct nprof_host *host, const char *key, uint32_t index)
{
  return np_columns_row_want (HOST (host)->test->shared->columns, key, index);
}

static const struct nprof_fact *
host_fact (const struct nprof_host *host, nprof_track track, nprof_str key)
{
  return np_facts_find (HOST (host)->test->shared->facts, track, key);
}

static nprof_status
host_parallel (const struct nprof_host *host, uint32_t n,
               nprof_status (*fn) (void *user, uint32_t number), void *user)
{
  Host *self = HOST (host);
  call_check (self, "parallel");
  return np_parallel (self->test->config.threads, n, fn, user, NULL, NULL);
}

static const struct nprof_column *const *
host_columns (const struct nprof_host *host)
{
  return np_columns_list (HOST (host)->test->shared->columns);
}

/* -- The run --------------------------------------------------------------- */

static const struct nprof_run_info *
host_run (const struct nprof_host *host)
{
  return &HOST (host)->test->shared->info;
}

static const struct nprof_input_info *
host_input (const struct nprof_host *host, uint32_t number)
{
  return number == 0 ? &HOST (host)->test->shared->input : NULL;
}

static nprof_status
find_device (const struct nprof_host *host, const char *folder, const char *device_type,
             const struct nprof_device **device)
{
  NprofTestState *test = HOST (host)->test;
  return np_device_rates_answer (test->shared->device_rates, host, test->data_folder, folder,
                                 device_type, device);
}

static struct nprof_temp *
make_temp (const struct nprof_host *host)
{
  Host *self = HOST (host);
  return host_no_memory (self) ? NULL : np_temp_new ();
}

/* Digests no bytes, because none lie behind the rows that a test writes: one input, of one
 * digest. */
static nprof_status
digest_of (const struct nprof_host *host, uint32_t number, char *hex)
{
  NprofTestState *test = HOST (host)->test;
  call_check (HOST (host), "digest");
  if (test->component.kind != NPROF_SINK || !test->opening) {
    state_broke (test, "digest was called, which is for sinks, from open only");
    return host->fail (host, NPROF_E_CONTRACT, "digest is for sinks, from open only");
  }
  if (number > 0)
    return host->fail (host, NPROF_E_CONTRACT, "there is no input of that number");
  g_snprintf (hex, 41, "%040x", number + 1);
  return NPROF_OK;
}

static const void *
host_extension (const struct nprof_host *host, const char *id)
{
  static const struct nprof_devices devices = { sizeof devices, 0, find_device };
  static const struct nprof_digest digest = { sizeof digest, 0, digest_of };
  static const struct nprof_temp_files temp_files = { sizeof temp_files, 0, make_temp };
  (void) host;
  if (g_str_equal (id, NPROF_DEVICES))
    return &devices;
  if (g_str_equal (id, NPROF_DIGEST))
    return &digest;
  return g_str_equal (id, NPROF_TEMP_FILE) ? &temp_files : NULL;
}

static const struct nprof_host functions = {
  .size = sizeof functions,
  .log = say_log,
  .fail = say_fail,
  .progress = say_progress,
  .cancelled = say_cancelled,
  .damage = say_damage,
  .skip = say_skip,
  .intern = host_intern,
  .string = host_string,
  .origin = host_origin,
  .property = host_property,
  .track = host_track,
  .track_info = host_track_info,
  .writer = rows_writer,
  .attrs = host_attrs,
  .attr_set = host_attr_set,
  .wanted = host_wanted,
  .columns = host_columns,
  .table = rows_table,
  .row = rows_row,
  .run = host_run,
  .input = host_input,
  .target = files_target,
  .output = files_output,
  .siblings = files_siblings,
  .sibling = files_sibling,
  .batch_ref = rows_batch_ref,
  .batch_unref = rows_batch_unref,
  .extension = host_extension,
  .row_want = host_row_want,
  .fact = host_fact,
  .parallel = host_parallel,
};

static void
item_free (gpointer p)
{
  Item *item = p;
  np_batch_unref (item->batch);
  np_chunk_unref (item->chunk);
  g_free (item);
}

Host *
host_new (NprofTestState *test, gboolean feeds, gboolean part)
{
  Host *self = g_new0 (Host, 1);
  self->host = functions;
  self->host.log_level = test->config.log_level ? (guint) test->config.log_level : NPROF_DEBUG;
  self->test = test;
  self->feeds = feeds;
  rows_init_tables (self);
  if (part)
    self->items = g_ptr_array_new_with_free_func (item_free);
  return self;
}

void
host_free (Host *self)
{
  if (!self)
    return;
  if (self->batch) {
    self->batch->writer = self->writer;
    np_batch_unref (self->batch);
  }
  np_table_writer_clear (&self->tables);
  if (self->items)
    g_ptr_array_unref (self->items);
  g_free (self);
}
