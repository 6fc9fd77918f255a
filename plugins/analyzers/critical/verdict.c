/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.c - judges what a step is bound by: the group of its path that has half of the window.
 * No verdict rests on time of which it is unknown what it was.  The rule is
 * nprof-analyzer-critical(7). */
#include "critical.h"

#include <nprof/units.h>
#include <string.h>

void
judged_clear (gpointer judged)
{
  Judged *j = judged;
  g_free (j->name);
  g_free (j->evidence);
}

static const char *
group_name (Group group)
{
  static const char *const names[GROUPS]
      = { "host", "launch", "compute", "communication", "copy", "queue", "unknown", "unrecorded" };
  return names[group];
}

/* Returns the largest group but `but`; GROUPS: there is no time in any. */
static Group
largest (const Groups *g, Group but)
{
  Group best = GROUPS;
  for (guint i = 0; i < G_UNKNOWN; i++)
    if (i != but && g->of[i] > 0 && (best == GROUPS || g->of[i] > g->of[best]))
      best = (Group) i;
  return best;
}

/* Returns whether the part is at least half, in integers. */
static gboolean
is_half (gint64 part, gint64 all)
{
  return all > 0 && part >= all - part;
}

/* Returns whether most launches take longer than the work that they launch. */
static gboolean
are_short (const Evidence *e)
{
  return 2 * e->shorter > e->launches;
}

/* Names the group that has half of the window. The host's is "input" when half of the time in which
 * devices idle until a launch loads data, "launch" when they idle no less from launches on and most
 * of these are longer than their work; copies are "input" when half of the window is infeed;
 * computing is "memory-bandwidth" when most of it is known to be bound by memory. */
static const char *
refine (const Critical *self, const Judged *j, Group group, const Evidence *e)
{
  if (group == G_HOST && e && e->idle_host && is_half (e->idle_loader, e->idle_host))
    return "input";
  if (group == G_HOST && e && are_short (e) && e->idle_launch && e->idle_launch >= e->idle_host)
    return "launch";
  if (group == G_COPY && is_half (j->infeed, j->duration))
    return "input";
  if (group == G_COMPUTE && bandwidth_share (self, j->input) > 0.5)
    return "memory-bandwidth";
  return group_name (group);
}

/* Returns whether the verdict would rest on time in which no work was seen. */
static gboolean
rests_on_host (Group most)
{
  return most == G_HOST || most == G_LAUNCH || most == G_QUEUE;
}

/* Returns whether nobody can say what the host waited for, as for work without a launch, or with
 * one that seems to be later. */
static gboolean
is_blind (const Judged *j, Group most, const Evidence *e)
{
  return rests_on_host (most) && e && j->unlinked + e->early > e->launches - e->early;
}

/* Returns whether devices may have worked in that time: rows of it may be missing. */
static gboolean
is_lost (const Critical *self, const Judged *j, Group most)
{
  for (guint i = 0; rests_on_host (most) && i < self->cut_off->len; i++)
    if (g_array_index (self->cut_off, guint32, i) == j->input)
      return TRUE;
  return FALSE;
}

/* Returns whether more than half of the time waits for work that is not in the file. */
static gboolean
rests_on_unrecorded (const Groups *by)
{
  return by->of[G_UNRECORDED] > by->all - by->of[G_UNRECORDED];
}

static const char *
verdict_of (const Critical *self, const Judged *j, const Groups *g, Group most, const Evidence *e)
{
  if (j->no_launches || most == GROUPS || is_blind (j, most, e) || is_lost (self, j, most))
    return "unknown";
  if (is_half (g->of[most], g->all))
    return refine (self, j, most, e);
  if (is_half (g->of[most] + g->of[G_UNKNOWN], g->all))
    return "unknown";
  if (most == G_HOST && e && are_short (e))
    return "launch";
  return "mixed";
}

/* -- Evidence ---------------------------------------------------------------------------------- */

typedef struct {
  nprof_str name;
  PathClass class;
  gint64 sum;
} Place;

/* Returns where most of a group's time is spent. */
static Place
top_place (const Path *path, Group group)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  AnKeyTable numbers; /* by name and class */
  Place best = { 0 };
  an_key_table_init (&numbers, 2);
  for (guint i = 0; i < path->segments->len; i++) {
    const Segment *s = &g_array_index (path->segments, Segment, i);
    if (group_of (s->class) != group)
      continue;
    const guint k = an_key_table_get (&numbers, (const guint32[]){ s->name, s->class });
    if (k == places->len) {
      const Place place = { s->name, s->class, 0 };
      g_array_append_val (places, place);
    }
    Place *place = &g_array_index (places, Place, k);
    place->sum += s->end - s->start;
    if (place->sum > best.sum)
      best = *place;
  }
  an_key_table_clear (&numbers);
  return best;
}

static void
add_place (const Critical *self, GString *to, const Path *path, Group group)
{
  const Place place = top_place (path, group);
  const struct nprof_figure_text time = nprof_time ((double) place.sum);
  if (!place.sum)
    return;
  if (place.class == PATH_HOST_GAP)
    g_string_append_printf (to, ": %s %s", time.text,
                            path->has_threads ? "between the spans of its threads"
                                              : "in which no program ran");
  else
    g_string_append_printf (to, ": %s in %s", time.text, nprof_text (self->host, place.name));
}

static void
add_launches (GString *to, const Evidence *e)
{
  if (e->launches)
    g_string_append_printf (to,
                            "; %" G_GUINT64_FORMAT " launches, median delay %s, %" G_GUINT64_FORMAT
                            " longer than the work",
                            e->launches, nprof_time ((double) e->delay).text, e->shorter);
  if (e->early)
    g_string_append_printf (to, "; %" G_GUINT64_FORMAT " seem later than their work", e->early);
}

static char *
evidence_text (const Critical *self, const Judged *j, const Groups *by, Group most,
               const Path *path, const Evidence *e)
{
  GString *text = g_string_new (NULL);
  if (j->no_launches)
    g_string_append (text, "no launches in the file: record the host's calls of the runtime; ");
  else if (is_lost (self, j, most))
    g_string_append (text, "the file is cut off, so that rows of any time may be missing; ");
  else if (is_blind (j, most, e))
    g_string_append_printf (text, "most work has no launch in the file%s; ",
                            e->early ? ", or one that seems later" : "");
  if (j->missing)
    g_string_append_printf (text, most == GROUPS ? "%s" : "%s; ", j->missing);
  if (most == GROUPS && !j->missing)
    g_string_append (text, "no work in the window");
  else if (most != GROUPS)
    g_string_append_printf (text, "%s %.0f %%", group_name (most), 100 * j->share);
  if (path && most != GROUPS)
    add_place (self, text, path, most);
  if (e)
    add_launches (text, e);
  if (e && e->idle_host && is_half (e->idle_loader, e->idle_host))
    g_string_append_printf (text, "; %.0f %% of the idle time before launches loads data",
                            100.0 * (double) e->idle_loader / (double) e->idle_host);
  if (j->infeed)
    g_string_append_printf (text, "; %.0f %% is infeed",
                            100.0 * (double) j->infeed / (double) j->duration);
  if (by->of[G_UNRECORDED])
    g_string_append_printf (text, "; %s waits for work that was not recorded",
                            nprof_time ((double) by->of[G_UNRECORDED]).text);
  if (by->of[G_UNKNOWN])
    g_string_append_printf (text, "; unknown for %.0f %%",
                            100.0 * (double) by->of[G_UNKNOWN] / (double) j->duration);
  return g_string_free (text, FALSE);
}

/* Returns whether the part would not be printed as 0 %. */
static gboolean
rounds_to_percent (gint64 part, gint64 all)
{
  return 200 * part >= all;
}

void
verdict_add_path (const Critical *self, Judged *j, const Groups *groups, const Path *path)
{
  Group most = largest (groups, GROUPS);
  double all = (double) MAX (groups->all, 1);
  g_autoptr (GString) text = g_string_new (j->evidence);
  g_free (j->evidence);
  if (most != GROUPS && rounds_to_percent (groups->of[most], groups->all)) {
    g_string_append_printf (text, "; its path is %s to %.0f %%", group_name (most),
                            100 * (double) groups->of[most] / all);
    add_place (self, text, path, most);
  }
  if (rounds_to_percent (groups->of[G_UNKNOWN], groups->all))
    g_string_append_printf (text, "; dependencies unknown for %.0f %% of the path",
                            100 * (double) groups->of[G_UNKNOWN] / all);
  j->evidence = g_strdup (text->str);
}

/* Returns whether some work of the device has half of its step, and would have half of the path
 * with the time for which that may have waited. */
static gboolean
work_has_half (const Groups *path, const Groups *device, gint64 unsure)
{
  static const Group work[] = { G_COMPUTE, G_COMMUNICATION, G_COPY };
  for (guint i = 0; i < G_N_ELEMENTS (work); i++)
    if (is_half (device->of[work[i]], device->all)
        && is_half (path->of[work[i]] + unsure, path->all))
      return TRUE;
  return FALSE;
}

gboolean
verdict_rests_on_gaps (const Exposed *path, const Groups *device)
{
  const Groups *groups = &path->groups;
  const gint64 unsure = path->queue_covered;
  Group most = largest (groups, GROUPS);
  if (!unsure || most == GROUPS)
    return FALSE;
  if (is_half (groups->of[most], groups->all))
    return most == G_QUEUE && !is_half (groups->of[most] - unsure, groups->all);
  return work_has_half (groups, device, unsure);
}

/* Returns the groups to judge by: waits for work that is not in the file are left out where they
 * are a tenth or more. */
static Groups
judged_groups (const Groups *by)
{
  Groups known = *by;
  if (10 * known.of[G_UNRECORDED] >= known.all)
    known.all -= known.of[G_UNRECORDED];
  return known;
}

/* Returns whether loading leads though more time computes: it goes without touching a kernel. */
static gboolean
loading_leads (const Groups *g, Group most, const Evidence *e)
{
  return most == G_COMPUTE && e && 4 * e->idle_loader >= g->all
         && 2 * e->idle_loader >= g->of[most];
}

void
verdict_find (const Critical *self, Judged *j, const Groups *by, const Path *path,
              const Evidence *e)
{
  const Groups known = judged_groups (by);
  Group most = largest (by, GROUPS), second = largest (by, most);
  const gboolean loads = loading_leads (&known, most, e);
  if (loads) {
    second = most;
    most = G_HOST;
  }
  double all = (double) MAX (known.all, 1);
  j->on_path = path != NULL;
  j->share = most == GROUPS ? 0 : (double) by->of[most] / all;
  j->second = second == GROUPS ? NULL : group_name (second);
  j->second_share = second == GROUPS ? 0 : (double) by->of[second] / all;
  j->verdict = rests_on_unrecorded (by)            ? "unknown"
               : loads && !is_lost (self, j, most) ? "input"
                                                   : verdict_of (self, j, &known, most, e);
  j->evidence = evidence_text (self, j, by, most, path, e);
}
