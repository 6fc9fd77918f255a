/* SPDX-License-Identifier: Apache-2.0 */
/* read-ahead.c - the inputs that are being decoded, the current one first. */

#include "pipeline/read-ahead.h"
#include "pipeline/decode.h"
#include "run/sibling.h"

#define QUEUE_ITEMS 8 /* of an input that is decoded alone */
#define ALL_QUEUES_ITEMS                                                                           \
  256 /* of inputs that are decoded at once; a few dozen bytes to half a MB each */

typedef struct {
  NpRunInput *input;
  NpQueue *queue; /* NULL: it is decoded on the thread that takes it, by others beside it */
  NpDecoding *decoding;
} Decoded;

struct NpReadAhead {
  NpRun *run;
  GQueue decoded; /* of Decoded; the head is the current input */
  guint at_once;  /* inputs */
  guint next;     /* input that is to be started */
};

NpReadAhead *
np_read_ahead_new (NpRun *run)
{
  NpReadAhead *self = g_new0 (NpReadAhead, 1);
  self->run = run;
  self->at_once = np_run_n_inputs (run) >= 2 * run->jobs ? run->jobs : 1;
  g_queue_init (&self->decoded);
  if (self->at_once > 1) {
    g_autofree char *what = g_strdup_printf ("%u inputs", np_run_n_inputs (run));
    np_progress_total (run->progress, what, 0);
  }
  return self;
}

/* The threads that decode its parts are enough: one more, and a queue behind it, would hand on what
 * they have handed over. Without parts, or with one thread for them, decoding goes on beside what
 * rows go to. */
static gboolean
is_decoded_here (const NpReadAhead *self, const NpRunInput *input)
{
  return self->at_once == 1 && self->run->jobs > 1 && input->decoder->plan;
}

static void
start_thread (NpReadAhead *self, Decoded *decoded)
{
  guint items = self->at_once > 1 ? MAX (QUEUE_ITEMS, MIN (32, ALL_QUEUES_ITEMS / self->at_once))
                                  : QUEUE_ITEMS;
  decoded->queue = np_queue_new (items, (GDestroyNotify) np_item_free);
  np_decoding_start (decoded->decoding, decoded->queue);
}

static gboolean
start_next (NpReadAhead *self)
{
  NpRunInput *input = np_run_input (self->run, self->next);
  if (!input)
    return FALSE;
  Decoded *decoded = g_new0 (Decoded, 1);
  decoded->input = input;
  decoded->decoding = np_decoding_new (self->run, input, self->at_once);
  if (!is_decoded_here (self, input))
    start_thread (self, decoded);
  g_queue_push_tail (&self->decoded, decoded);
  self->next++;
  return TRUE;
}

NpRunInput *
np_read_ahead_next (NpReadAhead *self)
{
  while (self->decoded.length < self->at_once && start_next (self))
    ;
  Decoded *first = g_queue_peek_head (&self->decoded);
  return first ? first->input : NULL;
}

gboolean
np_read_ahead_each (NpReadAhead *self, gboolean (*take) (gpointer user, NpItem *item),
                    gpointer user)
{
  Decoded *first = g_queue_peek_head (&self->decoded);
  if (!first->queue)
    return np_decoding_run (first->decoding, take, user);
  gboolean ok = TRUE;
  for (NpItem *item; ok && (item = np_queue_pop (first->queue));)
    ok = take (user, item);
  return ok;
}

static gboolean
end_first (NpReadAhead *self, GError **error)
{
  g_autofree Decoded *first = g_queue_pop_head (&self->decoded);
  if (first->queue)
    np_queue_close (first->queue); /* cancels what is still being decoded */
  gboolean ok = np_decoding_end (first->decoding, error);
  np_queue_free (first->queue);
  return ok;
}

gboolean
np_read_ahead_end (NpReadAhead *self, GError **error)
{
  NpRunInput *input = ((Decoded *) g_queue_peek_head (&self->decoded))->input;
  gboolean ok = end_first (self, error);
  if (ok)
    np_siblings_join (self->run, input);
  return ok;
}

void
np_read_ahead_free (NpReadAhead *self)
{
  while (self->decoded.length)
    end_first (self, NULL);
  g_free (self);
}
