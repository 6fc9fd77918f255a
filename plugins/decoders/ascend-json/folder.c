/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c - finds what the folder of a run says that its trace does not: the rank, in the name of
 * profiler_info_RANK.json above.  layout: ascend.md 1 */
#include "layers.h"

#include <nprof/draft/sibling-head.h>
#include <string.h>

/* Takes "../profiler_info_12.json". */
static int
take_rank (void *user, const char *name)
{
  static const char before[] = "../profiler_info_";
  char **rank = user;
  if (!g_str_has_prefix (name, before))
    return 0;
  const char *number = name + strlen (before);
  const size_t digits = strspn (number, "0123456789");
  if (!digits || strcmp (number + digits, ".json") != 0)
    return 0;
  *rank = *rank ? g_strdup ("") : g_strndup (number, digits);
  return !**rank; /* of several ranks it is of none */
}

nprof_status
aj_folder_read (AscendJson *a)
{
  const struct nprof_host *host = a->chrome.host;
  const struct nprof_sibling_head *beside = host->extension (host, NPROF_SIBLING_HEAD);
  g_autofree char *rank = NULL;
  nprof_status status = beside ? beside->above (host, take_rank, &rank) : NPROF_OK;
  return status || !rank || !*rank ? status : host->property (host, "rank", rank);
}

static int
is_database (void *user, const char *name)
{
  bool *found = user;
  *found = g_str_has_prefix (name, "ascend_") && g_str_has_suffix (name, ".db");
  return *found;
}

bool
aj_has_database (const struct nprof_host *host)
{
  bool found = false;
  return host->siblings (host, is_database, &found) == NPROF_OK && found;
}
