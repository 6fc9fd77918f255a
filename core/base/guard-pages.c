/* SPDX-License-Identifier: Apache-2.0 */
/* guard-pages.c - maps memory between pages that nobody may touch; what lies in it is up to the
 * caller. */

#include "base/guard-pages.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

gsize
np_guard_page (void)
{
  return (gsize) sysconf (_SC_PAGESIZE);
}

static gsize
whole_pages (gsize size)
{
  gsize page = np_guard_page ();
  return (size + page - 1) / page * page;
}

void *
np_guard_map (gsize size)
{
  void *memory = mmap (NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void
np_guard_unmap (void *memory, gsize size)
{
  if (memory)
    munmap (memory, size);
}

void
np_guard_forbid (void *memory, gsize size)
{
  if (mmap (memory, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    g_error ("memory could not be given back");
}

void
np_guard_allow (void *from, gsize len, gboolean writable)
{
  gsize before = (gsize) from % np_guard_page ();
  if (mprotect ((char *) from - before, whole_pages (before + len),
                writable ? PROT_READ | PROT_WRITE : PROT_READ))
    g_error ("memory could not be made accessible");
}

void *
np_guard_copy (const void *data, gsize len)
{
  gsize room = whole_pages (len);
  char *memory = np_guard_map (room + np_guard_page ());
  if (!memory)
    return NULL;
  char *copy = memory + room - len;
  if (len) {
    np_guard_allow (memory, room, TRUE);
    memcpy (copy, data, len);
    np_guard_allow (memory, room, FALSE);
  }
  return copy;
}

void
np_guard_free (void *copy, gsize len)
{
  gsize room = whole_pages (len);
  if (copy)
    np_guard_unmap ((char *) copy + len - room, room + np_guard_page ());
}
