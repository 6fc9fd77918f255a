/* SPDX-License-Identifier: Apache-2.0 */
/* fake-run.h - a run made by hand, for tests of what a run shares: no plugins, no outputs, a
 * log that the test can read. */
#pragma once

#include "pipeline/run.h"

#include <nprof/sdk.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  NpRun run;
  NpConfig *config;
  int log_fd;
} FakeRun;

static const struct nprof_component fake_decoder
    = { .size = sizeof fake_decoder, .kind = NPROF_DECODER, .name = "fake", .instance_size = 64 };

static inline void
fake_input_free (gpointer data)
{
  NpRunInput *input = data;
  g_free (input->path);
  g_free (input->label);
  g_ptr_array_unref (input->properties);
  g_free (input);
}

static inline FakeRun *
fake_run_new (guint batch_rows)
{
  FakeRun *fake = g_new0 (FakeRun, 1);
  NpRun *run = &fake->run;
  fake->config = np_config_new ();
  fake->log_fd = memfd_create ("log", 0);
  g_assert_cmpint (fake->log_fd, >=, 0);
  run->config = fake->config;
  run->log = np_log_new (NPROF_INFO, fake->log_fd);
  run->strings = np_strings_new ();
  run->tracks = np_tracks_new ();
  run->sets = np_attrsets_new ();
  run->columns = np_columns_new (run->strings);
  run->pool = np_pool_new (batch_rows, 16);
  run->progress = np_progress_new (run->log, FALSE, NULL);
  run->facts = np_facts_new (run->strings, run->tracks, run->log);
  run->skipped = np_skipped_new ();
  run->repeats = np_repeats_new (run->log);
  run->note_makers = np_note_makers_new ();
  run->refused = g_hash_table_new (NULL, NULL);
  run->inputs = g_ptr_array_new_with_free_func (fake_input_free);
  run->info = (struct nprof_run_info){ .size = sizeof run->info,
                                       .origin_unix_ns = NPROF_NO_EPOCH,
                                       .first = INT64_MAX,
                                       .last = INT64_MIN };
  np_snapshots_init (&run->snapshots, &run->info);
  pthread_mutex_init (&run->lock, NULL);
  return fake;
}

static inline void
fake_run_free (FakeRun *fake)
{
  NpRun *run = &fake->run;
  g_ptr_array_unref (run->inputs);
  np_snapshots_clear (&run->snapshots);
  np_skipped_free (run->skipped);
  np_repeats_free (run->repeats);
  np_note_makers_free (run->note_makers);
  g_hash_table_unref (run->refused);
  np_facts_free (run->facts);
  np_progress_free (run->progress);
  np_pool_free (run->pool); /* fails when a batch has not come back */
  np_columns_free (run->columns);
  np_attrsets_free (run->sets);
  np_tracks_free (run->tracks);
  np_strings_free (run->strings);
  pthread_mutex_destroy (&run->lock);
  np_log_free (run->log);
  close (fake->log_fd);
  np_config_free (fake->config);
  g_free (fake);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FakeRun, fake_run_free)

static inline nprof_str
fake_str (FakeRun *fake, const char *text)
{
  return np_strings_intern (fake->run.strings, text, strlen (text));
}

static inline NpRunInput *
fake_input (FakeRun *fake, const char *path, gint64 origin)
{
  NpRunInput *input = g_new0 (NpRunInput, 1);
  guint number = fake->run.inputs->len;
  nprof_str label = fake_str (fake, path);
  input->path = g_strdup (path);
  input->label = g_strdup (path);
  input->properties = g_ptr_array_new_with_free_func (g_free);
  input->origin = origin;
  input->first = INT64_MAX;
  input->last = INT64_MIN;
  input->decoder = &fake_decoder;
  input->info = (struct nprof_input_info){
    .size = sizeof input->info,
    .number = number,
    .label = label,
    .decoder = "fake",
    .root = np_tracks_root (fake->run.tracks, number, label),
  };
  g_ptr_array_add (fake->run.inputs, input);
  np_snapshots_add (&fake->run.snapshots, &fake->run.info, number + 1, 0);
  return input;
}

static inline nprof_track
fake_track (FakeRun *fake, nprof_track parent, guint kind, const char *key, const char *label)
{
  nprof_track track = np_tracks_add (fake->run.tracks, parent, kind, fake_str (fake, key),
                                     fake_str (fake, label), 0);
  g_assert_cmpuint (track, !=, 0);
  return track;
}

/* An empty batch to fill through ->writer, and its end. */
static inline NpBatch *
fake_batch (FakeRun *fake)
{
  NpBatch *batch = np_pool_take (fake->run.pool);
  g_assert_nonnull (batch);
  return batch;
}

static inline const struct nprof_batch *
fake_seal (NpBatch *batch, guint input)
{
  np_batch_seal (batch, input);
  return &batch->view;
}

/* Returns the messages since the last call; transfer full. */
static inline char *
fake_said (FakeRun *fake)
{
  off_t len = lseek (fake->log_fd, 0, SEEK_END);
  char *text = g_malloc0 ((gsize) len + 1);
  g_assert_cmpint (pread (fake->log_fd, text, (size_t) len, 0), ==, len);
  g_assert_cmpint (ftruncate (fake->log_fd, 0), ==, 0);
  lseek (fake->log_fd, 0, SEEK_SET);
  return text;
}

static inline void
assert_part (const char *text, const char *part)
{
  if (!text || !strstr (text, part))
    g_error ("\"%s\" was expected in \"%s\"", part, text ? text : "(null)");
}
