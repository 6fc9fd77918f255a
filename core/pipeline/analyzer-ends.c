/* SPDX-License-Identifier: Apache-2.0 */
/* analyzer-ends.c - a queue for each analyzer, and threads that each take the first analyzer whose
 * end can begin.  Only the one whose turn it is may always hand on more, so memory is bounded.  A
 * thread whose analyzer must wait ends the one whose turn it is first, so nothing deadlocks. */

#include "pipeline/analyzer-ends.h"

#include "base/thread.h"
#include "plugin/component.h"

#define TURN_ITEMS 4  /* that wait of the analyzer whose turn it is */
#define ALL_ITEMS 16u /* of all: chunks of 1,024 rows, or of 1 MB */

typedef struct {
  const struct nprof_component *component;
  GQueue items;
  gboolean begun, ended, closed;
  nprof_status status;
} End;

struct NpAnalyzerEnds {
  End *ends;
  guint n;
  NpEndFn end;
  void (*close) (gpointer user, guint number);
  gpointer user;
  pthread_t *threads;
  guint n_threads;

  pthread_mutex_t lock;   /* of all below */
  pthread_cond_t changed; /* any of it: few wait, and seldom */
  guint turn;             /* all before it have ended, and what they added is delivered */
  guint waiting;          /* items of all */
  gboolean stop;
};

/* -- The threads, all with the lock held --------------------------------------------------- */

/* Rows of an analyzer go to all behind it, a table to those that read it. */
static gboolean
waits_for (const struct nprof_component *analyzer, const struct nprof_component *before)
{
  if (!(before->flags & NPROF_ANALYZER_NO_ROWS))
    return TRUE;
  for (const struct nprof_table *const *t = before->tables; t && *t; t++)
    if (np_component_reads_table (analyzer, (*t)->name))
      return TRUE;
  return FALSE;
}

static gboolean
can_begin (const NpAnalyzerEnds *self, guint number)
{
  for (guint i = self->turn; i < number; i++)
    if (waits_for (self->ends[number].component, self->ends[i].component))
      return FALSE;
  return TRUE;
}

/* Returns the first analyzer that can begin, or n. */
static guint
first_ready (const NpAnalyzerEnds *self)
{
  guint i = self->turn;
  while (i < self->n && (self->ends[i].begun || !can_begin (self, i)))
    i++;
  return i;
}

/* Returns the first analyzer that has ended and is not closed, or n. */
static guint
first_ended (const NpAnalyzerEnds *self)
{
  guint i = 0;
  while (i < self->n && (!self->ends[i].ended || self->ends[i].closed))
    i++;
  return i;
}

static gboolean
all_begun (const NpAnalyzerEnds *self)
{
  guint i = self->turn;
  while (i < self->n && self->ends[i].begun)
    i++;
  return i == self->n;
}

static void
end_one (NpAnalyzerEnds *self, guint number)
{
  End *end = &self->ends[number];
  end->begun = TRUE;
  pthread_mutex_unlock (&self->lock);
  nprof_status status = self->end (self->user, number);
  pthread_mutex_lock (&self->lock);
  end->status = status;
  end->ended = TRUE;
  pthread_cond_broadcast (&self->changed);
}

static void
close_one (NpAnalyzerEnds *self, guint number)
{
  self->ends[number].closed = TRUE;
  pthread_mutex_unlock (&self->lock);
  self->close (self->user, number);
  pthread_mutex_lock (&self->lock);
}

/* A thread that finds no analyzer to end closes one that has ended, as freeing much memory takes a
 * while. */
static void *
thread_main (void *user)
{
  NpAnalyzerEnds *self = user;
  pthread_mutex_lock (&self->lock);
  while (!self->stop) {
    guint ready = first_ready (self), ended = first_ended (self);
    if (ready < self->n)
      end_one (self, ready);
    else if (ended < self->n)
      close_one (self, ended);
    else if (all_begun (self))
      break;
    else
      pthread_cond_wait (&self->changed, &self->lock);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

/* Nobody takes what it hands on from close. */
static gboolean
is_over (const NpAnalyzerEnds *self, guint number)
{
  return self->stop || self->ends[number].ended;
}

static gboolean
must_wait (const NpAnalyzerEnds *self, guint number)
{
  if (is_over (self, number))
    return FALSE;
  return number == self->turn ? self->ends[number].items.length >= TURN_ITEMS
                              : self->waiting >= ALL_ITEMS;
}

/* When all threads wait here and the one whose turn it is has not begun, nobody else is left to
 * begin it. */
static void
wait_for_room (NpAnalyzerEnds *self, guint number)
{
  while (must_wait (self, number))
    if (self->ends[self->turn].begun)
      pthread_cond_wait (&self->changed, &self->lock);
    else
      end_one (self, self->turn);
}

nprof_status
np_analyzer_ends_add (NpAnalyzerEnds *self, guint number, NpItem *item)
{
  pthread_mutex_lock (&self->lock);
  wait_for_room (self, number);
  gboolean stop = is_over (self, number);
  if (!stop) {
    g_queue_push_tail (&self->ends[number].items, item);
    self->waiting++;
    pthread_cond_broadcast (&self->changed);
  }
  pthread_mutex_unlock (&self->lock);
  if (stop)
    np_item_free (item);
  return stop ? NPROF_CANCELLED : NPROF_OK;
}

/* -- The delivering thread ----------------------------------------------------------------- */

NpAnalyzerEnds *
np_analyzer_ends_new (const GPtrArray *analyzers, guint n, NpEndFn end,
                      void (*close) (gpointer user, guint number), gpointer user)
{
  NpAnalyzerEnds *self = g_new0 (NpAnalyzerEnds, 1);
  self->n = n;
  self->ends = g_new0 (End, self->n);
  for (guint i = 0; i < self->n; i++)
    self->ends[i].component = ((const NpInstance *) g_ptr_array_index (analyzers, i))->component;
  self->end = end;
  self->close = close;
  self->user = user;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  return self;
}

gboolean
np_analyzer_ends_start (NpAnalyzerEnds *self, guint n_threads)
{
  self->threads = g_new0 (pthread_t, n_threads);
  while (self->n_threads < n_threads
         && np_thread_begin (&self->threads[self->n_threads], thread_main, self))
    self->n_threads++;
  return self->n_threads > 0;
}

void
np_analyzer_ends_free (NpAnalyzerEnds *self)
{
  if (!self)
    return;
  pthread_mutex_lock (&self->lock);
  self->stop = self->turn < self->n;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->n_threads; i++)
    pthread_join (self->threads[i], NULL);
  for (guint i = 0; i < self->n; i++)
    g_queue_clear_full (&self->ends[i].items, (GDestroyNotify) np_item_free);
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  g_free (self->threads);
  g_free (self->ends);
  g_free (self);
}

NpItem *
np_analyzer_ends_pop (NpAnalyzerEnds *self)
{
  pthread_mutex_lock (&self->lock);
  End *end = &self->ends[self->turn];
  while (!end->ended && !end->items.length)
    pthread_cond_wait (&self->changed, &self->lock);
  NpItem *item = g_queue_pop_head (&end->items);
  if (item) {
    self->waiting--;
    pthread_cond_broadcast (&self->changed);
  }
  pthread_mutex_unlock (&self->lock);
  return item;
}

nprof_status
np_analyzer_ends_status (const NpAnalyzerEnds *self)
{
  return self->ends[self->turn].status;
}

void
np_analyzer_ends_next (NpAnalyzerEnds *self)
{
  pthread_mutex_lock (&self->lock);
  self->turn++;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}
