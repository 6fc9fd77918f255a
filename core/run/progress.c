/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - one line of progress at most ten times a second, and what a listener is told. */

#include "run/progress.h"

#include <nprof/units.h>
#include <pthread.h>

#define INTERVAL (G_USEC_PER_SEC / 10)
#define TELL_INTERVAL (G_USEC_PER_SEC / 4)

static const char *const stages[] = {
  [NP_READS] = "reading",
  [NP_ANALYZES] = "analyzing",
  [NP_FINISHES] = "writing",
};

struct NpProgress {
  NpLog *log; /* NULL: nothing is shown */
  NpProgressListener listener;
  pthread_mutex_t lock;
  char *what; /* NULL: nothing to show now */
  guint64 total, bytes, rows;
  gint64 began, next; /* us */
  NpProgressNow now;
  guint64 before, expected; /* bytes of the inputs that are done, and of all */
  gint64 begun, next_tell;  /* us */
};

NpProgress *
np_progress_new (NpLog *log, gboolean shown, const NpProgressListener *listener)
{
  gboolean heard = listener && listener->told;
  if (!shown && !heard)
    return NULL;
  NpProgress *progress = g_new0 (NpProgress, 1);
  pthread_mutex_init (&progress->lock, NULL);
  progress->log = shown ? log : NULL;
  if (heard)
    progress->listener = *listener;
  progress->begun = g_get_monotonic_time ();
  progress->next = progress->begun + INTERVAL;
  return progress;
}

void
np_progress_free (NpProgress *progress)
{
  if (!progress)
    return;
  np_progress_end (progress);
  pthread_mutex_destroy (&progress->lock);
  g_free (progress);
}

char *
np_progress_text (const char *what, guint64 total, guint64 bytes, guint64 rows, double seconds)
{
  GString *line = g_string_new (what);
  double rate = seconds > 0 ? (double) bytes / seconds : 0;
  if (total) {
    double share = MIN ((double) bytes / (double) total, 1.0);
    g_string_append_printf (line, "  %7s", nprof_share (share).text);
  }
  g_string_append_printf (line, "  %s  %s rows", nprof_byte_rate (rate).text,
                          nprof_count (rows).text);
  if (rate > 0 && total > bytes)
    g_string_append_printf (line, "  %.0f s left", (double) (total - bytes) / rate);
  return g_string_free (line, FALSE);
}

static void
show (NpProgress *progress, gint64 now)
{
  if (!progress->log)
    return;
  double seconds = (double) (now - progress->began) / G_USEC_PER_SEC;
  g_autofree char *line = np_progress_text (progress->what, progress->total, progress->bytes,
                                            progress->rows, seconds);
  np_log_status (progress->log, line);
}

/* Tells the listener.  Requires the lock. */
static void
tell (NpProgress *progress, gint64 now)
{
  if (!progress->listener.told)
    return;
  double seconds = (double) (now - progress->begun) / G_USEC_PER_SEC;
  guint64 done = progress->before + progress->bytes;
  progress->now.total = MAX (progress->expected, progress->before + progress->total);
  if (progress->now.total) /* not every decoder tells of each byte */
    done = progress->now.stage == NP_READS ? MIN (done, progress->now.total) : progress->now.total;
  progress->now.done = done;
  progress->now.bytes_per_s = seconds > 0 ? (double) done / seconds : 0;
  progress->next_tell = now + TELL_INTERVAL;
  progress->listener.told (progress->listener.user, &progress->now);
}

void
np_progress_expect (NpProgress *progress, guint64 bytes)
{
  if (progress)
    progress->expected = bytes;
}

void
np_progress_stage (NpProgress *progress, NpStage stage)
{
  if (!progress)
    return;
  const gint64 now = g_get_monotonic_time ();
  pthread_mutex_lock (&progress->lock);
  progress->now.stage = stage;
  if (progress->log && progress->what && now >= progress->begun + INTERVAL) {
    g_autofree char *line = g_strdup_printf ("%s  %s", progress->what, stages[stage]);
    np_log_status (progress->log, line);
  }
  tell (progress, now);
  pthread_mutex_unlock (&progress->lock);
}

void
np_progress_total (NpProgress *progress, const char *what, guint64 bytes)
{
  if (!progress)
    return;
  pthread_mutex_lock (&progress->lock);
  g_free (progress->what);
  progress->what = g_strdup (what);
  progress->before += progress->bytes;
  progress->total = bytes;
  progress->bytes = progress->rows = 0;
  progress->began = g_get_monotonic_time ();
  progress->next = progress->began + INTERVAL;
  pthread_mutex_unlock (&progress->lock);
}

void
np_progress_unpack (NpProgress *progress, const char *what, guint64 taken, guint64 size,
                    guint64 made)
{
  if (!progress || !progress->log)
    return;
  gint64 now = g_get_monotonic_time ();
  pthread_mutex_lock (&progress->lock);
  gboolean due = now >= progress->next;
  if (due)
    progress->next = now + INTERVAL;
  pthread_mutex_unlock (&progress->lock);
  if (!due)
    return;
  GString *line = g_string_new (what);
  if (size)
    g_string_append_printf (line, "  %7s", nprof_share ((double) taken / (double) size).text);
  g_string_append_printf (line, "  unpacked to %s", nprof_bytes ((double) made).text);
  np_log_status (progress->log, line->str);
  g_string_free (line, TRUE);
}

void
np_progress_add (NpProgress *progress, guint64 bytes, guint64 rows)
{
  if (!progress)
    return;
  pthread_mutex_lock (&progress->lock);
  progress->bytes += bytes;
  progress->rows += rows;
  gint64 now = g_get_monotonic_time ();
  if (progress->what && now >= progress->next) {
    progress->next = now + INTERVAL;
    show (progress, now);
  }
  if (now >= progress->next_tell)
    tell (progress, now);
  pthread_mutex_unlock (&progress->lock);
}

void
np_progress_end (NpProgress *progress)
{
  if (!progress)
    return;
  pthread_mutex_lock (&progress->lock);
  g_clear_pointer (&progress->what, g_free);
  if (progress->log)
    np_log_status (progress->log, NULL);
  pthread_mutex_unlock (&progress->lock);
}
