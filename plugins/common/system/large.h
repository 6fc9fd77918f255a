/* SPDX-License-Identifier: Apache-2.0 */
/* large.h - memory of what may grow with the number of names in a profile: once large, it lies in a
 * file without a name below $TMPDIR, which the kernel writes out and reads back as it sees fit.
 * Memory of a process cannot be taken from it like that, unless there is swap. */
#pragma once

#include <glib.h>

#define NP_LARGE_BYTES (4u << 20) /* from so many bytes on */

/* Grows a block and moves it; what is new is cleared.  `old` is NULL, with old_size 0, or what this
 * returned for old_size. Where the folder takes no file, or is full, it lies in memory as ever.
 * Like g_malloc it ends the process when there is none. */
gpointer np_large_grow (gpointer old, gsize old_size, gsize size);
/* Does the same, but returns NULL when there is no memory; `old` stays as it was. */
gpointer np_large_try_grow (gpointer old, gsize old_size, gsize size);
void np_large_free (gpointer block, gsize size);

/* -- Arrays ---------------------------------------------------------------- */

/* It is like a GArray, and g_array_index reads it, too; its elements come cleared. */
typedef struct {
  gchar *data;
  guint len;
  guint max, element; /* elements that fit, and bytes of one */
  int file;           /* in which they lie; -1: on the heap, or in memory that is mapped */
} NpLargeArray;

NpLargeArray *np_large_array_new (gsize element);
void np_large_array_free (NpLargeArray *array); /* or NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpLargeArray, np_large_array_free)
/* Makes it longer. */
void np_large_array_extend (NpLargeArray *array, guint len);
/* Sorts; equal elements stay in their order.  A copy of half of the array at most is made
 * meanwhile, of few elements where they are nearly in order. */
void np_large_array_sort (NpLargeArray *array, GCompareFunc compare);
