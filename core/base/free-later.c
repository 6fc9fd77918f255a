/* SPDX-License-Identifier: Apache-2.0 */
/* free-later.c - a thread for each thing to free; there are few. */

#include "base/free-later.h"
#include "base/thread.h"

typedef struct {
  GDestroyNotify fn;
  gpointer data;
} Work;

struct NpFreeLater {
  gboolean threads;
  GArray *begun; /* of pthread_t */
};

NpFreeLater *
np_free_later_new (gboolean threads)
{
  NpFreeLater *later = g_new0 (NpFreeLater, 1);
  later->threads = threads;
  later->begun = g_array_new (FALSE, FALSE, sizeof (pthread_t));
  return later;
}

static void *
work_main (void *user)
{
  g_autofree Work *work = user;
  work->fn (work->data);
  return NULL;
}

void
np_free_later (NpFreeLater *later, GDestroyNotify fn, gpointer data)
{
  if (!data)
    return;
  Work *work = g_new (Work, 1);
  *work = (Work){ fn, data };
  pthread_t thread;
  if (later->threads && np_thread_begin (&thread, work_main, work))
    g_array_append_val (later->begun, thread);
  else
    work_main (work);
}

void
np_free_later_end (NpFreeLater *later)
{
  for (guint i = 0; i < later->begun->len; i++)
    pthread_join (g_array_index (later->begun, pthread_t, i), NULL);
  g_array_unref (later->begun);
  g_free (later);
}
