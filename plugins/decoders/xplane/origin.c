/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c - finds time 0.  A profile that went through XLA's post-processing counts from the start
 * of the session, which plane "Task Environment" gives as Unix time; a raw one counts from 1970, or
 * from the start of the machine. */
#include "xplane.h"

/* From here on a count of ns is a Unix time: September 2001. */
#define UNIX_TIME INT64_C (1000000000000000000)
/* Beyond this a count does not start with a session: int64 ps, 106 days. */
#define LONGEST (INT64_MAX / XP_PS_PER_NS)
#define SECOND INT64_C (1000000000)

static int64_t
session_start (Xplane *x)
{
  int64_t start = 0;
  for (guint i = 0; i < x->planes->len; i++) {
    XpPlane *plane = xp_plane (x, i);
    if (xp_group (x, plane->group)->kind != XP_OF_ENVIRONMENT)
      continue;
    for (guint k = 0; k < plane->plane_stats->len; k++) {
      XpValue value;
      int64_t ns;
      if (xp_value_read (plane->dict, g_array_index (plane->plane_stats, PbSpan, k), &value)
          && value.stat && xp_is (value.stat->name, "profile_start_time")
          && xp_value_int (&value, &ns) && start == 0)
        start = ns;
    }
  }
  return start >= UNIX_TIME ? start : 0;
}

/* Returns whether a line is the Neuron runtime's, whose events carry their times in their
 * records. */
static bool
of_neuron (Xplane *x, const XpLine *line)
{
  return xp_is_neuron (xp_group (x, xp_plane (x, line->plane)->group)->kind);
}

/* Returns the first event of the lines that count from long ago, rounded down to a second. */
static int64_t
first_second (Xplane *x, guint *n_absolute, guint *n_relative)
{
  __int128 first = INT64_MAX;
  for (guint i = 0; i < x->planes->len; i++) {
    int64_t start = xp_neuron_start (xp_plane (x, i));
    if (start > LONGEST)
      first = MIN (first, start);
  }
  for (guint i = 0; i < x->lines->len; i++) {
    const XpLine *line = xp_line (x, i);
    if (line->n_events == 0 || of_neuron (x, line))
      continue;
    if (line->timestamp_ns <= LONGEST) {
      ++*n_relative;
      continue;
    }
    ++*n_absolute;
    __int128 ns = (__int128) line->timestamp_ns + line->first_offset / XP_PS_PER_NS;
    first = MIN (first, ns);
  }
  return first < INT64_MAX && first > 0 ? (int64_t) (first / SECOND * SECOND) : 0;
}

static nprof_status
misplaced (Xplane *x, XpLine *line)
{
  line->n_events = 0;
  return x->host->damage (x->host, xp_at (x, line->at),
                          "line: its timestamp is more than 106 days from the origin");
}

nprof_status
xp_origin (Xplane *x)
{
  guint n_absolute = 0, n_relative = 0;
  int64_t start = session_start (x), origin = start;
  if (!origin)
    origin = first_second (x, &n_absolute, &n_relative);
  nprof_status status = NPROF_OK;
  x->origin = origin;
  if (origin >= UNIX_TIME)
    status = x->host->origin (x->host, origin);
  if (n_absolute && n_relative)
    nprof_log (
        x->host, NPROF_WARNING,
        "%u lines count from the start of the session and %u from long before; the file does "
        "not say how they relate",
        n_relative, n_absolute);
  for (guint i = 0; i < x->lines->len && status == NPROF_OK; i++) {
    XpLine *line = xp_line (x, i);
    bool absolute = start ? line->timestamp_ns >= start : line->timestamp_ns > LONGEST;
    __int128 base = ((__int128) line->timestamp_ns - (absolute ? origin : 0)) * XP_PS_PER_NS;
    line->base = (int64_t) base;
    if (line->n_events && line->base != base && !of_neuron (x, line))
      status = misplaced (x, line);
  }
  return status;
}
