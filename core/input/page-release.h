/* SPDX-License-Identifier: Apache-2.0 */
/* page-release.h - gives the pages of a mapped file back while it is read. */
#pragma once

#include <glib.h>
#include <pthread.h>

#define NP_PAGE_RELEASE_BYTES (8u << 20) /* bytes that are let go at once */

typedef struct {
  pthread_mutex_t lock;
  const guint8 *data; /* mapped from a file: pages that are let go come back */
  guint64 len;
  guint64 from, to; /* what was read since, and perhaps more between */
  guint64 bytes;    /* that were read since                          */
  guint64 keep;     /* bytes at the beginning that are not let go     */
} NpPageRelease;

void np_page_release_init (NpPageRelease *self, const void *data, guint64 len);
void np_page_release_clear (NpPageRelease *self);
/* Keeps the first bytes of the file, which are to be read again soon; 0: none from now on. */
void np_page_release_keep (NpPageRelease *self, guint64 bytes);
/* Lets all go that is not kept, read or not.  [any-thread] */
void np_page_release_all (NpPageRelease *self);
/* Says that bytes from..to are not needed for now.  [any-thread] */
void np_page_release_read (NpPageRelease *self, guint64 from, guint64 to);
