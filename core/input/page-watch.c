/* SPDX-License-Identifier: Apache-2.0 */
/* page-watch.c - looks, some times a second, how much of mapped files is in memory, and lets the
 * pages of one go when it has grown: a text, or blanks, of gigabytes are one record, which no
 * decoder tells the parts of. */

#include "input/page-watch.h"

#include "base/thread.h"
#include "base/wait.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define INTERVAL (G_USEC_PER_SEC / 20)

struct NpPageWatch {
  NpPageRelease *pages;
  guint64 bytes; /* that may be in memory */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ends;
  gboolean ended;
};

/* Returns the bytes of all mapped files that this process has in memory; 0: unknown. */
static guint64
mapped_in_memory (void)
{
  char text[128] = "";
  int fd = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  gssize n = read (fd, text, sizeof text - 1);
  close (fd);
  unsigned long pages = 0;
  if (n <= 0 || sscanf (text, "%*u %*u %lu", &pages) != 1)
    return 0;
  return (guint64) pages * (guint64) sysconf (_SC_PAGESIZE);
}

static void *
watch_pages (void *user)
{
  NpPageWatch *self = user;
  guint64 least = mapped_in_memory ();
  pthread_mutex_lock (&self->lock);
  while (!self->ended) {
    np_cond_wait_until (&self->ends, &self->lock, g_get_monotonic_time () + INTERVAL);
    guint64 now = mapped_in_memory ();
    if (now > least + self->bytes) {
      np_page_release_all (self->pages);
      now = least = mapped_in_memory (); /* what is left is others' */
    }
    least = MIN (least, now);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

NpPageWatch *
np_page_watch_new (NpPageRelease *pages, guint64 bytes)
{
  if (pages->len < bytes)
    return NULL;
  NpPageWatch *self = g_new0 (NpPageWatch, 1);
  self->pages = pages;
  self->bytes = bytes;
  pthread_mutex_init (&self->lock, NULL);
  np_cond_init (&self->ends);
  if (np_thread_begin (&self->thread, watch_pages, self))
    return self;
  pthread_cond_destroy (&self->ends);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
  return NULL;
}

void
np_page_watch_free (NpPageWatch *self)
{
  if (!self)
    return;
  pthread_mutex_lock (&self->lock);
  self->ended = TRUE;
  pthread_cond_signal (&self->ends);
  pthread_mutex_unlock (&self->lock);
  pthread_join (self->thread, NULL);
  pthread_cond_destroy (&self->ends);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}
