/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c - takes one input through its decoder's life. */

#include "pipeline/decode.h"
#include "base/fence.h"
#include "base/thread.h"
#include "pipeline/parallel-decode.h"
#include "run/run-inputs.h"

#include <nprof/sdk.h>
#include <string.h>

/* The parts read again what plan has read, from the beginning of the file; mapping a page once more
 * would take a quarter of the time that its events take. */
#define KEPT_BYTES (64u << 20) /* between plan and its parts, of all inputs that are decoded */

struct NpDecoding {
  NpRun *run;
  NpRunInput *input;
  guint at_once; /* inputs that are decoded */
  gboolean (*take) (gpointer user, NpItem *item);
  gpointer user;
  pthread_t thread;
  gboolean refused; /* it said FALSE */
  NpQueue *queue;   /* NULL: no thread was started */
  GError *error;
  guint64 gaps;      /* rows of kind gap                                          */
  gboolean any_time; /* one of them says that rows of any time may be missing     */
  gint64 first;      /* ps: start of the first row; G_MAXINT64: none has a time   */
};

/* -- The feed of a decoder ------------------------------------------------- */

static gboolean
into_queue (gpointer queue, NpItem *item)
{
  if (np_queue_push (queue, item))
    return TRUE;
  np_item_free (item);
  return FALSE;
}

static nprof_status
hand_over (NpDecoding *self, NpItem *item)
{
  if (self->refused)
    np_item_free (item);
  else
    self->refused = !self->take (self->user, item);
  return self->refused ? NPROF_CANCELLED : NPROF_OK;
}

static void
note_gaps (NpDecoding *self, const NpBatch *batch)
{
  const struct nprof_batch *b = &batch->view;
  self->first = MIN (self->first, batch->sum.times.first);
  for (const uint8_t *at = b->kind, *end = at + b->n_rows;
       (at = memchr (at, NPROF_GAP, (gsize) (end - at))); at++) {
    const guint i = (guint) (at - b->kind);
    self->gaps++;
    self->any_time |= b->track[i] == self->input->info.root && b->duration[i] < 0;
  }
}

static nprof_status
feed_batch (gpointer user, NpBatch *batch)
{
  NpDecoding *self = user;
  note_gaps (self, batch);
  self->input->begun = TRUE;
  return hand_over (self, np_item_batch (batch));
}

static nprof_status
feed_chunk (gpointer user, NpChunk *chunk)
{
  NpDecoding *self = user;
  self->input->begun |= chunk->n_rows > 0;
  return hand_over (self, np_item_chunk (chunk));
}

/* Messages about an input wait for its turn, so that their order does not depend on threads. */
static void
feed_say (gpointer user, int level, char *text)
{
  hand_over (user, np_item_say (level, text));
}

/* -- The decoder ------------------------------------------------------------ */

static nprof_status
plan (NpInstance *instance, const NpDecoding *self, const void *data, guint64 len, guint32 *n_parts)
{
  NpInput *input = instance->input->data;
  np_input_keep (input, KEPT_BYTES / self->at_once);
  nprof_status status = NP_CALL (instance->component, plan, instance->self, data, len, n_parts);
  np_input_done (input, 0, len); /* also where it looked again */
  np_input_keep (input, 0);
  return status;
}

/* What could not be read, and has no row of kind gap, may have been at any time, as one row of the
 * whole input says, from its first row on without an end. */
static nprof_status
put_missing (NpInstance *instance, const NpDecoding *self)
{
  static const char name[] = "rows of any time may be missing";
  if (atomic_load (&self->input->unread) <= self->gaps || self->any_time)
    return NPROF_OK;
  nprof_status status = np_instance_lend_columns (instance);
  if (status)
    return status;
  status = nprof_row (&instance->writer, NPROF_GAP, self->input->info.root,
                      np_strings_intern (self->run->strings, name, strlen (name)),
                      self->first == G_MAXINT64 ? 0 : self->first, -1);
  return status ? status : np_instance_flush_rows (instance);
}

static nprof_status
decode (NpInstance *instance, const NpDecoding *self, const void *data, guint64 len)
{
  const struct nprof_component *component = instance->component;
  nprof_status status = np_instance_open (instance);
  if (status)
    return status;
  if (!component->plan)
    status = NP_CALL (component, decode, instance->self, data, len);
  else {
    guint32 n_parts = 0;
    status = plan (instance, self, data, len, &n_parts);
    if (!status)
      status = np_parallel_decode (instance, n_parts, self->input->jobs);
  }
  status = status ? status : np_instance_finish (instance);
  return status ? status : put_missing (instance, self);
}

static void
run_decoder (NpDecoding *self)
{
  NpRunInput *input = self->input;
  NpFeed feed = { feed_batch, feed_chunk, feed_say, self };
  g_autoptr (NpInstance) instance
      = np_instance_new (self->run, input->decoder, input->spec, input, NULL, feed, &self->error);
  if (!instance)
    return;
  guint64 len;
  const void *data = np_input_data (input->data, &len);
  input->bytes = len;
  if (self->at_once == 1)
    np_progress_total (self->run->progress, input->label, len);
  nprof_status status = decode (instance, self, data, len);
  if (status == NPROF_CANCELLED && !np_run_stopped (self->run))
    status = np_instance_fail (instance, NPROF_E_CONTRACT,
                               "the decoder says that it was cancelled, but the run goes on");
  if (!status)
    return;
  self->error = np_instance_take_error (instance, status);
  if (self->at_once == 1) /* others would ask the registry at the same time */
    np_run_name_decoder (self->run, input, status, &self->error);
}

NpDecoding *
np_decoding_new (NpRun *run, NpRunInput *input, guint at_once)
{
  NpDecoding *self = g_new0 (NpDecoding, 1);
  self->run = run;
  self->input = input;
  self->at_once = at_once;
  self->first = G_MAXINT64;
  input->jobs = MAX (run->jobs / at_once, 1);
  return self;
}

gboolean
np_decoding_run (NpDecoding *self, gboolean (*take) (gpointer user, NpItem *item), gpointer user)
{
  self->take = take;
  self->user = user;
  if (np_run_open_input (self->run, self->input, &self->error))
    run_decoder (self);
  g_clear_pointer (&self->input->data, np_input_free);
  return !self->refused;
}

static void *
decoding_main (void *user)
{
  NpDecoding *self = user;
  np_decoding_run (self, into_queue, self->queue);
  np_queue_close (self->queue);
  return NULL;
}

void
np_decoding_start (NpDecoding *self, NpQueue *queue)
{
  self->queue = queue;
  if (np_thread_begin (&self->thread, decoding_main, self))
    return;
  self->queue = NULL;
  np_error_set (&self->error, NP_EXIT_ROOM, "no thread could be started");
  np_queue_close (queue);
}

gboolean
np_decoding_end (NpDecoding *self, GError **error)
{
  if (self->queue)
    pthread_join (self->thread, NULL);
  gboolean ok = np_error_hand_on (error, &self->error);
  g_free (self);
  return ok;
}
