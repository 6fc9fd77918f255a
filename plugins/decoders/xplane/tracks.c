/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - finds which messages belong together, and the tracks they make: a plane is known by
 * its name and id, a line by its id within the plane.  Large profiles are written as several
 * messages of the same plane (openxla/xla DestructiveChunkXSpace). */
#include "xplane.h"

#include <nprof/draft/lines.h>

uint8_t
xp_plane_kind (PbSpan name)
{
  static const struct {
    const char *prefix;
    uint8_t kind;
  } kinds[] = { { "/device:TPU:", XP_OF_TPU },
                { "/device:GPU:", XP_OF_GPU },
                { "/device:", XP_OF_DEVICE },
                { "/virtualdevice:", XP_OF_DEVICE },
                { "/host:CPU", XP_OF_HOST },
                { "/host:metadata", XP_OF_METADATA },
                { "/host:Neuron-runtime", XP_OF_NEURON },
                { "Task Environment", XP_OF_ENVIRONMENT } };
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (xp_starts (name, kinds[i].prefix))
      return kinds[i].kind;
  return XP_OF_OTHER;
}

/* -- Planes --------------------------------------------------------------------- */

static guint
span_hash (gconstpointer key)
{
  const XpGroup *group = key;
  guint h = 5381;
  for (const uint8_t *p = group->name.p; p < group->name.end; p++)
    h = h * 33 + *p;
  return h ^ (guint) group->id;
}

static gboolean
span_equal (gconstpointer a, gconstpointer b)
{
  const XpGroup *x = a, *y = b;
  return x->id == y->id && xp_len (x->name) == xp_len (y->name)
         && memcmp (x->name.p, y->name.p, xp_len (x->name)) == 0;
}

static uint32_t
group_of (Xplane *x, GHashTable *groups, const XpPlane *plane)
{
  XpGroup wanted = { .id = plane->id, .name = plane->name };
  gpointer number;
  if (g_hash_table_lookup_extended (groups, &wanted, NULL, &number))
    return GPOINTER_TO_UINT (number);
  uint32_t n = x->groups->len;
  wanted.kind = xp_plane_kind (plane->name);
  wanted.members = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_array_append_val (x->groups, wanted);
  g_hash_table_insert (groups, g_memdup2 (&wanted, sizeof wanted), GUINT_TO_POINTER (n));
  return n;
}

static void
make_groups (Xplane *x)
{
  g_autoptr (GHashTable) groups = g_hash_table_new_full (span_hash, span_equal, g_free, NULL);
  for (uint32_t i = 0; i < x->planes->len; i++) {
    XpPlane *plane = xp_plane (x, i);
    plane->group = group_of (x, groups, plane);
    g_array_append_val (xp_group (x, plane->group)->members, i);
  }
  for (guint i = 0; i < x->groups->len; i++)
    pthread_mutex_init (&xp_group (x, i)->lock, NULL);
}

static uint32_t
plane_track_kind (uint8_t kind)
{
  switch (kind) {
  case XP_OF_TPU:
  case XP_OF_GPU:
  case XP_OF_DEVICE:
  case XP_OF_NEURON_DEVICE:
    return NPROF_TRACK_DEVICE;
  default:
    return NPROF_TRACK_PROCESS;
  }
}

/* -- Devices of Neuron ---------------------------------------------------------- */

/* Ranks the up to three copies of a timeline that torch-neuronx writes; 0: no timeline, else the
 * lowest is best. */
static guint
timeline_rank (const XpGroup *group)
{
  static const char *const files[]
      = { "neuron_op_timeline.json", "neuron_trace.json", "neuron_op_timeline_split.json" };
  PbSpan file = xp_file (group->name);
  for (guint i = 0; xp_is_neuron (group->kind) && i < G_N_ELEMENTS (files); i++)
    if (xp_is (file, files[i]))
      return i + 1;
  return 0;
}

static char *
folder_of (PbSpan name)
{
  return g_strndup ((const char *) name.p, (gsize) (xp_file (name).p - name.p));
}

/* Finds the best timeline of each folder, which is that of its device. */
static void
find_neuron_devices (Xplane *x)
{
  g_autoptr (GHashTable) best = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint rank = 1; rank <= 3; rank++)
    for (guint i = 0; i < x->groups->len; i++) {
      XpGroup *group = xp_group (x, i);
      if (timeline_rank (group) == rank && g_hash_table_add (best, folder_of (group->name)))
        group->kind = XP_OF_NEURON_DEVICE;
    }
}

/* Returns "Neuron RUN/model1/node2" for
 * "/host:Neuron-runtime:profile//RUN/model1/node2/plugins/neuron/TIME/FILE", "Neuron RUN" where
 * model and node are empty, as files do not name them (translated.c). */
static nprof_str
neuron_label (Xplane *x, const XpGroup *group)
{
  g_autofree char *name = g_strndup ((const char *) group->name.p, xp_len (group->name));
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  guint n = g_strv_length (parts);
  if (n < 7 || strcmp (parts[n - 4], "plugins") != 0)
    return xp_intern (x->host, group->name);
  g_autofree char *label
      = *parts[n - 6]
            ? g_strdup_printf ("Neuron %s/%s/%s", parts[n - 7], parts[n - 6], parts[n - 5])
            : g_strdup_printf ("Neuron %s", parts[n - 7]);
  g_autofree char *valid = g_utf8_make_valid (label, -1);
  return nprof_intern (x->host, valid);
}

/* Returns whether a plane before this one has its name, but another id. */
static bool
name_taken (Xplane *x, GHashTable *names, PbSpan name)
{
  nprof_str text = xp_intern (x->host, name);
  return !g_hash_table_add (names, GUINT_TO_POINTER (text));
}

static bool
plane_tracks (Xplane *x)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < x->groups->len; i++) {
    XpGroup *group = xp_group (x, i);
    nprof_str label = xp_intern (x->host, group->name), key = label;
    if (name_taken (x, names, group->name)) {
      g_autofree char *text
          = g_strdup_printf ("%.*s#%" G_GINT64_FORMAT, (int) MIN (xp_len (group->name), 4096),
                             (const char *) group->name.p, group->id);
      key = nprof_intern (x->host, text);
    }
    if (group->kind == XP_OF_NEURON_DEVICE)
      label = neuron_label (x, group);
    group->track
        = x->host->track (x->host, 0, plane_track_kind (group->kind), key, label, (int64_t) i);
    if (!group->track)
      return false;
  }
  return true;
}

/* -- Lines ---------------------------------------------------------------------- */

static uint32_t
line_track_kind (const XpGroup *group, const XpLine *line)
{
  if (line->counters)
    return NPROF_TRACK_COUNTER;
  if (xp_is_neuron (group->kind) || plane_track_kind (group->kind) != NPROF_TRACK_DEVICE)
    return NPROF_TRACK_THREAD;
  return nprof_line_is_derived (line->id)
             ? NPROF_TRACK_DERIVED
             : nprof_line_kind ((const char *) line->name.p, xp_len (line->name));
}

/* Returns the id, and the name as well where another line has the id already. */
static nprof_str
line_key (Xplane *x, GHashTable *names, const XpLine *line, nprof_str name)
{
  g_autofree char *id = g_strdup_printf ("%" G_GINT64_FORMAT, line->id);
  nprof_str key = nprof_intern (x->host, id);
  gpointer first;
  if (!g_hash_table_lookup_extended (names, GUINT_TO_POINTER (key), NULL, &first)) {
    g_hash_table_insert (names, GUINT_TO_POINTER (key), GUINT_TO_POINTER (name));
    return key;
  }
  if (name == 0 || GPOINTER_TO_UINT (first) == name)
    return key;
  if (GPOINTER_TO_UINT (first) == 0) {
    g_hash_table_insert (names, GUINT_TO_POINTER (key), GUINT_TO_POINTER (name));
    return key;
  }
  g_autofree char *both = g_strdup_printf ("%s %s", id, nprof_text (x->host, name));
  return nprof_intern (x->host, both);
}

/* Returns what the profiler saw on a stream: "Stream #134(Compute)". */
static nprof_str
line_category (Xplane *x, const XpGroup *group, const XpLine *line)
{
  if (group->kind != XP_OF_GPU || !xp_starts (line->name, "Stream #"))
    return 0;
  size_t n = xp_len (line->name);
  if (memmem (line->name.p, n, "Compute", 7) || memmem (line->name.p, n, "Kernel", 6))
    return nprof_intern (x->host, "compute");
  return 0;
}

static bool
line_track (Xplane *x, GHashTable *names, const XpGroup *group, XpLine *line)
{
  nprof_str name = xp_intern (x->host, line->name);
  nprof_str label = line->display_name.p ? xp_intern (x->host, line->display_name) : name;
  line->counters = xp_is (line->name, "_counters_") || xp_starts (line->name, "counters_");
  line->category = line_category (x, group, line);
  line->track = x->host->track (x->host, group->track, line_track_kind (group, line),
                                line_key (x, names, line, name), label,
                                line->display_id ? line->display_id : line->id);
  return line->track != 0;
}

static bool
group_line_tracks (Xplane *x, const XpGroup *group)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < group->members->len; i++) {
    XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    for (uint32_t k = 0; k < plane->n_lines; k++)
      if (!line_track (x, names, group, xp_line (x, plane->first_line + k)))
        return false;
  }
  return true;
}

/* -- Devices without work ---------------------------------------------------------------------- */

static bool
is_work (const Xplane *x, const XpLine *line)
{
  uint32_t kind = x->host->track_info (x->host, line->track)->kind;
  return kind == NPROF_TRACK_ENGINE || kind == NPROF_TRACK_QUEUE || kind == NPROF_TRACK_ASYNC;
}

/* Returns lines with events that are not known to be work, by name; NULL: some are work, or there
 * are none. */
static char *
lines_without_work (Xplane *x, const XpGroup *group)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < group->members->len; i++) {
    const XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    for (uint32_t k = 0; k < plane->n_lines; k++) {
      const XpLine *line = xp_line (x, plane->first_line + k);
      if (line->n_events && is_work (x, line))
        return NULL;
      if (line->n_events && !line->counters && names->len < 200)
        g_string_append_printf (names, "%s\"%.*s\"", names->len ? ", " : "",
                                (int) MIN (xp_len (line->name), 64), (const char *) line->name.p);
    }
  }
  return names->len ? g_string_free (g_steal_pointer (&names), FALSE) : NULL;
}

static void
warn_of_idle_devices (Xplane *x)
{
  for (guint i = 0; i < x->groups->len; i++) {
    const XpGroup *group = xp_group (x, i);
    bool device = plane_track_kind (group->kind) == NPROF_TRACK_DEVICE
                  && group->kind != XP_OF_NEURON_DEVICE; /* its lines hold files, not rows */
    g_autofree char *lines = device ? lines_without_work (x, group) : NULL;
    if (lines)
      nprof_log (x->host, NPROF_WARNING,
                 "plane %.*s: no line of it is known to hold work (%s), so nothing is said of how "
                 "busy it was",
                 (int) MIN (xp_len (group->name), 256), (const char *) group->name.p, lines);
  }
}

nprof_status
xp_tracks (Xplane *x)
{
  make_groups (x);
  find_neuron_devices (x);
  if (!plane_tracks (x))
    return NPROF_E_NOMEM;
  for (guint i = 0; i < x->groups->len; i++)
    if (!group_line_tracks (x, xp_group (x, i)))
      return NPROF_E_NOMEM;
  warn_of_idle_devices (x);
  x->input = x->host->input (x->host, x->host->own_input)->label;
  return NPROF_OK;
}
