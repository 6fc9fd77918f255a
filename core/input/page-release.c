/* SPDX-License-Identifier: Apache-2.0 */
/* page-release.c - collects the ranges of a mapped file that were read, and releases them in few
 * large pieces.  Each piece interrupts all threads of the run, and again for each huge page that it
 * would split, while decoders report a megabyte at a time.  So only the first and the last byte
 * that were read since are noted, and everything between them, to the ends of the huge pages, is
 * released together.  Another thread that still reads there gets the bytes from the file again. */

#include "input/page-release.h"

#include <sys/mman.h>

#define HUGE_PAGE ((gsize) 2 << 20) /* of x86-64, and of aarch64 with pages of 4 KiB */

static void
nothing_read (NpPageRelease *self)
{
  self->from = G_MAXUINT64;
  self->to = self->bytes = 0;
}

void
np_page_release_init (NpPageRelease *self, const void *data, guint64 len)
{
  pthread_mutex_init (&self->lock, NULL);
  self->data = data;
  self->len = len;
  nothing_read (self);
}

void
np_page_release_clear (NpPageRelease *self)
{
  pthread_mutex_destroy (&self->lock);
}

void
np_page_release_keep (NpPageRelease *self, guint64 bytes)
{
  pthread_mutex_lock (&self->lock);
  self->keep = MIN (bytes, self->len);
  pthread_mutex_unlock (&self->lock);
}

/* Rounds by address and not by place in the file, since a file may be mapped anywhere. */
static void
release_pages (const NpPageRelease *self, guint64 from, guint64 to, guint64 keep)
{
  gsize start = (gsize) self->data, end = start + self->len;
  gsize first = MAX ((start + from) / HUGE_PAGE * HUGE_PAGE, start);
  if (keep)
    first = MAX (first, (start + keep + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
  gsize last = (start + to + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  if (first < MIN (last, end))
    madvise ((void *) first, MIN (last, end) - first, MADV_DONTNEED);
}

void
np_page_release_read (NpPageRelease *self, guint64 from, guint64 to)
{
  to = MIN (to, self->len);
  if (from >= to)
    return;
  pthread_mutex_lock (&self->lock);
  self->bytes += to - from;
  self->from = from = MIN (from, self->from);
  self->to = to = MAX (to, self->to);
  guint64 keep = self->keep;
  gboolean enough = self->bytes >= NP_PAGE_RELEASE_BYTES;
  if (enough)
    nothing_read (self);
  pthread_mutex_unlock (&self->lock);
  if (enough)
    release_pages (self, from, to, keep);
}

void
np_page_release_all (NpPageRelease *self)
{
  pthread_mutex_lock (&self->lock);
  guint64 keep = self->keep;
  pthread_mutex_unlock (&self->lock);
  release_pages (self, 0, self->len, keep);
}
