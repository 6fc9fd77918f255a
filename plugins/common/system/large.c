/* SPDX-License-Identifier: Apache-2.0 */
/* large.c - blocks that move from the heap into files when they become large. */
#include "system/large.h"
#include "system/temp.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST 16 /* elements of an array */

/* -- Blocks ---------------------------------------------------------------- */

/* Maps a file of that size. Its blocks are reserved, since a page that finds no room on the disk
 * would end the process later. */
static gpointer
map_file (gsize size)
{
  int fd = np_temp_open ();
  gpointer block = MAP_FAILED;
  if (fd < 0)
    return NULL;
  if (!fallocate (fd, 0, 0, (off_t) size))
    block = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close (fd);
  return block == MAP_FAILED ? NULL : block;
}

static gpointer
map_memory (gsize size)
{
  gpointer block = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? NULL : block;
}

static gpointer
grow_on_heap (gpointer old, gsize old_size, gsize size)
{
  if (!old)
    return calloc (1, size);
  char *block = realloc (old, size);
  if (block && size > old_size)
    memset (block + old_size, 0, size - old_size);
  return block;
}

gpointer
np_large_try_grow (gpointer old, gsize old_size, gsize size)
{
  if (size < NP_LARGE_BYTES)
    return grow_on_heap (old, old_size, size);
  gpointer block = map_file (size);
  if (!block)
    block = map_memory (size);
  if (!block)
    return NULL;
  if (old_size)
    memcpy (block, old, old_size);
  np_large_free (old, old_size);
  return block;
}

gpointer
np_large_grow (gpointer old, gsize old_size, gsize size)
{
  if (size < NP_LARGE_BYTES) { /* as GLib's own arrays grow: without memory the program ends */
    char *own = g_realloc (old, size);
    if (size > old_size)
      memset (own + old_size, 0, size - old_size);
    return own;
  }
  gpointer block = np_large_try_grow (old, old_size, size);
  if (!block)
    g_error ("no memory for %" G_GSIZE_FORMAT " bytes", size);
  return block;
}

void
np_large_free (gpointer block, gsize size)
{
  if (size < NP_LARGE_BYTES)
    free (block);
  else if (block)
    munmap (block, size);
}

/* -- Arrays ---------------------------------------------------------------- */

NpLargeArray *
np_large_array_new (gsize element)
{
  NpLargeArray *array = g_new0 (NpLargeArray, 1);
  array->element = (guint) element;
  return array;
}

void
np_large_array_free (NpLargeArray *array)
{
  if (!array)
    return;
  np_large_free (array->data, (gsize) array->max * array->element);
  g_free (array);
}

void
np_large_array_extend (NpLargeArray *array, guint len)
{
  if (len > array->max) {
    guint max = MAX (MAX (len, FIRST), array->max * 2);
    array->data = np_large_grow (array->data, (gsize) array->max * array->element,
                                 (gsize) max * array->element);
    array->max = max;
  }
  array->len = len;
}

/* Merges from[low..middle) and from[middle..high), both sorted, into `to`. */
static void
merge (const NpLargeArray *array, const gchar *from, gchar *to, gsize low, gsize middle, gsize high,
       GCompareFunc compare)
{
  const gsize size = array->element;
  gsize a = low, b = middle;
  if (middle == high || compare (from + (middle - 1) * size, from + middle * size) <= 0) {
    memcpy (to + low * size, from + low * size, (high - low) * size);
    return;
  }
  for (gsize i = low; i < high; i++) {
    const bool first = b == high || (a < middle && compare (from + a * size, from + b * size) <= 0);
    memcpy (to + i * size, from + (first ? a++ : b++) * size, size);
  }
}

/* Returns whether runs of that length, each sorted, are in order. */
static bool
is_sorted (const NpLargeArray *array, gsize run, GCompareFunc compare)
{
  const gsize size = array->element;
  for (gsize i = run; i < array->len; i += run)
    if (compare (array->data + (i - 1) * size, array->data + i * size) > 0)
      return false;
  return true;
}

void
np_large_array_sort (NpLargeArray *array, GCompareFunc compare)
{
  const gsize bytes = (gsize) array->max * array->element, len = array->len;
  if (is_sorted (array, 1, compare))
    return;
  gchar *other = np_large_grow (NULL, 0, bytes);
  for (gsize run = 1; !is_sorted (array, run, compare); run *= 2) {
    for (gsize low = 0; low < len; low += 2 * run)
      merge (array, array->data, other, low, MIN (low + run, len), MIN (low + 2 * run, len),
             compare);
    gchar *merged = other;
    other = array->data;
    array->data = merged;
  }
  np_large_free (other, bytes);
}
