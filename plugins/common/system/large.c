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

/* Makes a file longer, and maps it: `old` is what was mapped of it, old_size bytes, or NULL.  Its
 * blocks are reserved, since a page that finds no room on the disk would end the process later. */
static gpointer
map_more (int fd, gpointer old, gsize old_size, gsize size)
{
  if (fd < 0 || fallocate (fd, 0, (off_t) old_size, (off_t) (size - old_size)))
    return NULL;
  gpointer block = old ? mremap (old, old_size, size, MREMAP_MAYMOVE)
                       : mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return block == MAP_FAILED ? NULL : block;
}

static gpointer
map_file (gsize size)
{
  int fd = np_temp_open ();
  gpointer block = map_more (fd, NULL, 0, size);
  if (fd >= 0)
    close (fd);
  return block;
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
  array->file = -1;
  return array;
}

static gsize
size_of (const NpLargeArray *array, guint max)
{
  return (gsize) max * array->element;
}

static void
drop (NpLargeArray *array)
{
  np_large_free (array->data, size_of (array, array->max));
  if (array->file >= 0)
    close (array->file);
}

void
np_large_array_free (NpLargeArray *array)
{
  if (!array)
    return;
  drop (array);
  g_free (array);
}

/* Moves what is on the heap into a file of its own; false: there is none. */
static bool
move_into_file (NpLargeArray *array, gsize old_size, gsize size)
{
  const int file = np_temp_open ();
  gpointer block = map_more (file, NULL, 0, size);
  if (!block) {
    if (file >= 0)
      close (file);
    return false;
  }
  if (old_size)
    memcpy (block, array->data, old_size);
  drop (array);
  array->data = block;
  array->file = file;
  return true;
}

/* Makes the file longer, whose pages stay as they are. */
static bool
grow_in_file (NpLargeArray *array, gsize old_size, gsize size)
{
  gpointer block = map_more (array->file, array->data, old_size, size);
  if (block)
    array->data = block;
  return block != NULL;
}

static void
grow (NpLargeArray *array, guint max)
{
  const gsize old_size = size_of (array, array->max), size = size_of (array, max);
  const bool done = size >= NP_LARGE_BYTES
                    && (array->file >= 0 ? grow_in_file (array, old_size, size)
                                         : move_into_file (array, old_size, size));
  if (!done) {
    array->data = np_large_grow (array->data, old_size, size);
    if (array->file >= 0)
      close (array->file);
    array->file = -1;
  }
  array->max = max;
}

void
np_large_array_extend (NpLargeArray *array, guint len)
{
  if (len > array->max)
    grow (array, MAX (MAX (len, FIRST), array->max * 2));
  array->len = len;
}

static gchar *
element_at (const NpLargeArray *array, gsize place)
{
  return array->data + place * array->element;
}

/* Returns the first place from low on, before high, whose element is larger than `with`, or also
 * one that is equal. */
static gsize
search (const NpLargeArray *array, gsize low, gsize high, const gchar *with, bool or_equal,
        GCompareFunc compare)
{
  while (low < high) {
    const gsize middle = low + (high - low) / 2;
    const int order = compare (element_at (array, middle), with);
    if (order > 0 || (or_equal && order == 0))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Merges [low..middle) and [middle..high), both sorted: what is in its place already stays. */
static void
merge (NpLargeArray *array, NpLargeArray *left, gsize low, gsize middle, gsize high,
       GCompareFunc compare)
{
  const gsize size = array->element;
  const gchar *last = element_at (array, middle - 1), *next = element_at (array, middle);
  if (compare (last, next) <= 0)
    return;
  low = search (array, low, middle, next, false, compare);
  high = search (array, middle, high, last, true, compare);
  np_large_array_extend (left, MAX (left->len, (guint) (middle - low)));
  memcpy (left->data, element_at (array, low), (middle - low) * size);
  const gchar *a = left->data, *end = a + (middle - low) * size, *b = next,
              *stop = element_at (array, high);
  for (gchar *to = element_at (array, low); a < end; to += size) {
    const bool second = b < stop && compare (b, a) < 0;
    memcpy (to, second ? b : a, size);
    if (second)
      b += size;
    else
      a += size;
  }
}

void
np_large_array_sort (NpLargeArray *array, GCompareFunc compare)
{
  const gsize len = array->len;
  g_autoptr (NpLargeArray) left = np_large_array_new (array->element);
  for (gsize run = 1; run < len; run *= 2)
    for (gsize middle = run; middle < len; middle += 2 * run)
      merge (array, left, middle - run, middle, MIN (middle + run, len), compare);
}
