/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-world.c - counts the ranks of the group of all, {"GROUP": {"group_name": "default_group",
 * "group_rank": 0, "global_ranks": [0, 1, ...]}}. */
#include "producers/ascend-world.h"

#include <glib.h>
#include <nprof/json-pull.h>

static bool
is_world (const struct nprof_pull *p)
{
  static const char *const names[] = { "default_group", "hccl_world_group" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (p->kind == NPROF_PULL_STRING && p->text.len == strlen (names[i])
        && memcmp (p->text.at, names[i], p->text.len) == 0)
      return true;
  return false;
}

/* Returns how many ranks a group has that is of all; 0: it is not, or is cut off. */
static gint64
ranks_of (struct nprof_pull *p)
{
  gint64 n = 0;
  bool world = false;
  while (nprof_pull_next (p)) {
    if (nprof_pull_is (p, "group_name"))
      world = is_world (p);
    else if (nprof_pull_is (p, "global_ranks") && nprof_pull_enter (p, NPROF_PULL_ARRAY))
      while (nprof_pull_next (p))
        n++;
  }
  return world && !p->why ? n : 0;
}

static gint64
world_of (struct nprof_pull *p)
{
  gint64 n = 0;
  while (!n && nprof_pull_next (p)) {
    if (nprof_pull_is (p, "parallel_group_info")) {
      if (nprof_pull_enter (p, NPROF_PULL_OBJECT))
        n = world_of (p);
    } else if (nprof_pull_enter (p, NPROF_PULL_OBJECT))
      n = ranks_of (p);
  }
  return n;
}

nprof_status
ascend_world_say (const struct nprof_host *host, const char *groups, size_t len)
{
  struct nprof_pull p = nprof_pull (groups, len);
  const gint64 n
      = nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_OBJECT) ? world_of (&p) : 0;
  if (n < 1)
    return NPROF_OK;
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, n);
  return host->property (host, "world_size", text);
}

nprof_status
ascend_world_least (const struct nprof_host *host, int64_t ranks)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, ranks);
  return host->property (host, "world_least", text);
}
