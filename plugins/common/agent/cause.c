/* SPDX-License-Identifier: Apache-2.0 */
/* cause.c - tells why a process of nprof failed by what it wrote to stderr, of which only our own
 * words and the names of components are passed on. */
#include "agent/cause.h"

#include "agent/names.h"
#include "base/error.h"
#include "foreign/foreign-format.h"

#include <string.h>

/* Returns the component that ended the process, how and where, as the fence says it (base/fence.c);
 * NULL: none did. */
static char *
component (const char *said)
{
  const char *end = strstr (said, ": nothing of the run stays"), *from = end;
  while (from && from > said && from[-1] != '\n'
         && (from - said < 2 || strncmp (from - 2, ": ", 2) != 0))
    from--;
  return end > from ? np_name_clean (from, end - from) : NULL;
}

char *
np_cause (const char *said, int status)
{
  const char *foreign = np_foreign_format_told (said), *at = strstr (said, ": byte ");
  const gsize digits = at ? strspn (at + 7, "0123456789") : 0;
  char *ended = component (said);
  if (ended)
    return ended;
  if (status > 128)
    return g_strdup_printf ("its process was ended by signal %d", status - 128);
  if (foreign)
    return g_strdup_printf ("it is %s", foreign);
  if (strstr (said, ": it needs Nsight Systems' nsys"))
    return g_strdup ("it needs Nsight Systems' nsys, which is not on this machine: run nsys export "
                     "--type sqlite where it is, and open the .sqlite");
  if (strstr (said, ": the file is empty"))
    return g_strdup ("the file is empty");
  if (status == NP_EXIT_ROOM)
    return g_strdup (
        "this machine has no room for it, of disk, memory or open files: free some, or "
        "set XDG_CACHE_HOME and TMPDIR to folders with more");
  return digits ? g_strdup_printf ("at byte %.*s it is damaged or cut off", (int) digits, at + 7)
                : NULL;
}
