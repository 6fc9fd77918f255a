/* SPDX-License-Identifier: Apache-2.0 */
/* one-space.c - refuses a file of two profiles behind one another: protobuf reads two messages as
 * one, so that the planes of both would be one plane, and their rows those of one device. Planes
 * may come more than once, where a large profile was written in pieces; the pieces never
 * contradict. */
#include "xplane.h"

static nprof_status
refuse (Xplane *x, const uint8_t *at, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *sign = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *why = g_strdup_printf ("byte %" G_GUINT64_FORMAT
                                          ": a second profile was written behind the first one "
                                          "into this file: %s: write each to a file "
                                          "of its own",
                                          xp_at (x, at), sign);
  return nprof_fail (x->host, NPROF_E_FORMAT, "%s", why);
}

/* -- Metadata --------------------------------------------------------------------- */

static PbSpan
name_of (const XpEntry *entry)
{
  PbField f;
  PbSpan name = { entry->body.end, entry->body.end };
  const uint8_t *p = entry->body.p;
  while (p < entry->body.end && pb_field (&p, entry->body.end, &f))
    if (f.tag == PB_BYTES (2))
      name = f.span;
  return name;
}

static bool
is_same (PbSpan a, PbSpan b)
{
  return xp_len (a) == xp_len (b) && !memcmp (a.p, b.p, xp_len (a));
}

/* Returns the entry that names an id otherwise than a message before did; NULL: none. */
static const XpEntry *
contradiction (GHashTable *known, const GArray *entries)
{
  for (guint i = 0; i < entries->len; i++) {
    const XpEntry *entry = &g_array_index (entries, XpEntry, i);
    const XpEntry *before = g_hash_table_lookup (known, &entry->id);
    if (before && !is_same (name_of (before), name_of (entry)))
      return entry;
  }
  for (guint i = 0; i < entries->len; i++) {
    XpEntry *entry = &g_array_index (entries, XpEntry, i);
    g_hash_table_insert (known, &entry->id, entry);
  }
  return NULL;
}

static nprof_status
check_metadata (Xplane *x, const XpGroup *group)
{
  g_autoptr (GHashTable) metas = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) stats = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < group->members->len; i++) {
    const XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    const XpEntry *other = contradiction (metas, plane->metas);
    if (!other)
      other = contradiction (stats, plane->stats);
    if (!other)
      continue;
    g_autofree char *name = xp_valid (group->name);
    return refuse (x, plane->at,
                   "metadata %" G_GINT64_FORMAT " of plane \"%.200s\" has another name than before",
                   other->id, name);
  }
  return NPROF_OK;
}

/* -- Sessions --------------------------------------------------------------------- */

/* Returns the ns at which the session of a plane began; 0: it does not say. */
static int64_t
start_of (const XpPlane *plane)
{
  for (guint k = 0; k < plane->plane_stats->len; k++) {
    XpValue value;
    int64_t ns;
    if (xp_value_read (plane->dict, g_array_index (plane->plane_stats, PbSpan, k), &value)
        && value.stat && xp_is (value.stat->name, "profile_start_time")
        && xp_value_int (&value, &ns))
      return ns;
  }
  return 0;
}

static nprof_status
check_sessions (Xplane *x, const XpGroup *group)
{
  int64_t first = 0;
  for (guint i = 0; i < group->members->len; i++) {
    const XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    int64_t start = start_of (plane);
    if (first && start && start != first)
      return refuse (x, plane->at, "its session began at another time (profile_start_time)");
    first = first ? first : start;
  }
  return NPROF_OK;
}

nprof_status
xp_one_space (Xplane *x)
{
  if (x->later_hosts)
    return refuse (x, x->later_hosts, "planes follow the names of hosts, and then other hosts");
  for (guint i = 0; i < x->groups->len; i++) {
    const XpGroup *group = xp_group (x, i);
    if (group->members->len < 2)
      continue;
    nprof_status status = check_metadata (x, group);
    if (!status && group->kind == XP_OF_ENVIRONMENT)
      status = check_sessions (x, group);
    if (status)
      return status;
  }
  return NPROF_OK;
}
