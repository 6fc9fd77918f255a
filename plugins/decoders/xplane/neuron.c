/* SPDX-License-Identifier: Apache-2.0 */
/* neuron.c - planes "/host:Neuron-runtime:.../FILE.json", in which torch-neuronx hides whole
 * files: operators as stats of the plane, timelines as one JSON trace event in each stat of
 * an event.  On request the files are written out again.  Operators are left to neuron-ops.c, rows
 * of timelines to neuron-timeline.c.  Source: torch_neuronx translate_to_tb_neuron.py. */
#include "neuron.h"

#include <nprof/draft/input-file.h>

typedef struct {
  Xplane *x;
  const XpGroup *group;
  nprof_str run, file;
  int64_t base; /* ps from the origin of the records' time 0         */
  bool ops;     /* a file of operators                               */
  const char *copy_of; /* the file with the same timeline; NULL: none  */
  GString *out; /* the file; NULL: not wanted                        */
  bool more;    /* a record is in its list                           */
} Neuron;

/* -- The stats of a plane ------------------------------------------------------------ */

typedef nprof_status (*StatFn) (Neuron *n, const XpPlane *plane, const XpValue *value);

static nprof_status
each_stat (Neuron *n, StatFn fn)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < n->group->members->len; i++) {
    const XpPlane *plane = xp_plane (n->x, g_array_index (n->group->members, uint32_t, i));
    for (guint k = 0; k < plane->plane_stats->len && status == NPROF_OK; k++) {
      XpValue value;
      if (xp_value_read (plane->dict, g_array_index (plane->plane_stats, PbSpan, k), &value)
          && value.stat)
        status = fn (n, plane, &value);
    }
  }
  return status;
}

int64_t
xp_neuron_start (const XpPlane *plane)
{
  int64_t start = 0;
  if (!xp_is_neuron (xp_plane_kind (plane->name)))
    return 0;
  for (guint k = 0; k < plane->plane_stats->len; k++) {
    XpValue value;
    int64_t ns;
    if (xp_value_read (plane->dict, g_array_index (plane->plane_stats, PbSpan, k), &value)
        && value.stat && xp_is (value.stat->name, "neuronStartTimestampNs")
        && xp_value_int (&value, &ns))
      start = ns;
  }
  return start;
}

static bool
is_op (const XpValue *value)
{
  return value->kind == XP_VALUE_STR && xp_starts (value->stat->name, "op_");
}

static nprof_status
op_row (Neuron *n, const XpPlane *plane, const XpValue *value)
{
  (void) plane;
  if (!is_op (value))
    return NPROF_OK;
  if (n->out)
    neuron_add_record (n->out, &n->more, value->span);
  return neuron_op_row (n->x, n->run, n->file, value);
}

/* -- The file ---------------------------------------------------------------------------------- */

/* Reads total_time, displayTimeUnit, neuronStartTimestampNs and the other members of the plane. */
static nprof_status
head_member (Neuron *n, const XpPlane *plane, const XpValue *value)
{
  if (is_op (value))
    return NPROF_OK;
  g_autofree char *name = xp_valid (value->stat->name);
  xp_json_string (n->out, name, strlen (name));
  g_string_append (n->out, ": ");
  xp_value_json (plane->dict, value, n->out);
  g_string_append (n->out, ",\n");
  return NPROF_OK;
}

/* Returns a name of harmless characters that is not empty, because it comes from the input. */
static char *
harmless (const char *text)
{
  char *name = g_strdup_printf ("%.200s", *text ? text : "_");
  for (char *p = name; *p; p++)
    if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_' && (*p != '.' || p == name))
      *p = '_';
  return name;
}

/* Returns RUN/FILE, the layout of torch-neuronx. */
static char *
output_name (Neuron *n)
{
  g_autofree char *run = harmless (nprof_text (n->x->host, n->run));
  g_autofree char *file = harmless (nprof_text (n->x->host, n->file));
  return g_build_filename (n->x->extract, run, file, NULL);
}

static nprof_status
write_file (Neuron *n)
{
  g_string_append (n->out, "\n]}\n");
  g_autofree char *name = output_name (n);
  g_autofree char *plane = xp_valid (n->group->name);
  nprof_log (n->x->host, NPROF_INFO,
             "torch_neuron: translate_xplane: Writing plane: '%s' to '%s'", plane, name);
  struct nprof_output *out = n->x->host->output (n->x->host, name);
  if (!out)
    return NPROF_E_IO;
  nprof_status status = out->write (out, n->out->str, n->out->len);
  return status ? status : out->close (out);
}

/* Returns part `back` of the plane's name, counted from its end; torch-neuronx does the same. */
static nprof_str
path_part (Neuron *n, guint back)
{
  g_autofree char *name = g_strndup ((const char *) n->group->name.p, xp_len (n->group->name));
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  guint count = g_strv_length (parts);
  return back <= count ? nprof_intern (n->x->host, parts[count - back]) : 0;
}

static void
skip_copy (const Neuron *n)
{
  g_autofree char *why
      = g_strdup_printf ("its rows are those of %s of the same folder", n->copy_of);
  n->x->host->skip (n->x->host, "copy of a timeline", xp_at (n->x, n->group->name.p), why);
}

static nprof_status
read_plane (Neuron *n)
{
  nprof_status status = NPROF_OK;
  if (n->out) {
    g_string_append (n->out, "{");
    status = each_stat (n, head_member);
    g_string_append (n->out, n->ops ? "\"ops\": [" : "\"traceEvents\": [");
  }
  if (status == NPROF_OK)
    status = each_stat (n, op_row);
  NeuronTimeline timeline = { .x = n->x, .group = n->group, .base = n->base, .records = n->out,
                              .more = n->more, .copy = n->copy_of != NULL };
  if (status == NPROF_OK && n->copy_of)
    skip_copy (n);
  if (status == NPROF_OK)
    status = neuron_timeline (&timeline);
  return status || !n->out ? status : write_file (n);
}

static nprof_status
neuron_plane (Xplane *x, const XpGroup *group, const char *copy_of)
{
  Neuron n = { .x = x, .group = group, .copy_of = copy_of };
  n.file = path_part (&n, 1);
  n.run = path_part (&n, 7);
  const char *file = nprof_text (x->host, n.file);
  n.ops
      = strcmp (file, "neuron_framework_op.json") == 0 || strcmp (file, "neuron_hlo_op.json") == 0;
  int64_t start = 0;
  for (guint i = 0; i < group->members->len && !start; i++)
    start = xp_neuron_start (xp_plane (x, g_array_index (group->members, uint32_t, i)));
  __int128 base = x->origin && start ? ((__int128) start - x->origin) * XP_PS_PER_NS : 0;
  n.base = (int64_t) base;
  if (n.base != base)
    return x->host->damage (x->host, xp_at (x, group->name.p),
                            "plane: neuronStartTimestampNs is more than 106 days from the origin");
  n.out = *x->extract ? g_string_new (NULL) : NULL;
  nprof_status status = read_plane (&n);
  if (n.out)
    g_string_free (n.out, TRUE);
  return status;
}

/* -- Copies --------------------------------------------------------------------------------- */

/* Returns folder and digest of a timeline; NULL: it has no records.  torch-neuronx writes one
 * timeline into several files of a folder; that of another folder is another device, whatever its
 * rows. */
static char *
timeline_key (Xplane *x, const XpGroup *group)
{
  NeuronTimeline timeline = { .x = x, .group = group };
  g_autofree char *digest = neuron_timeline_digest (&timeline);
  return digest ? g_strdup_printf ("%.*s %s", (int) (xp_file (group->name).p - group->name.p),
                                   (const char *) group->name.p, digest)
                : NULL;
}

/* Returns the name of the file that each group repeats, by its number.  What the device shows is
 * never a copy, and of other files the first is none: the same records in the same order are one
 * timeline. */
static GPtrArray *
find_copies (Xplane *x)
{
  static const uint8_t kinds[] = { XP_OF_NEURON_DEVICE, XP_OF_NEURON };
  g_autoptr (GHashTable) first = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GPtrArray *copies = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_set_size (copies, (gint) x->groups->len);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint i = 0; i < x->groups->len; i++) {
      const XpGroup *group = xp_group (x, i);
      char *key = group->kind == kinds[k] ? timeline_key (x, group) : NULL;
      const char *file = key ? g_hash_table_lookup (first, key) : NULL;
      if (file) {
        copies->pdata[i] = g_strdup (file);
        g_free (key);
      } else if (key)
        g_hash_table_insert (first, key, xp_valid (xp_file (group->name)));
    }
  return copies;
}

/* Says when the profile was begun, by the name of its folder: 2023_04_28_00_54_04, which another
 * word may follow. */
static void
say_stamp (const Xplane *x)
{
  const struct nprof_input_file *file = x->host->extension (x->host, NPROF_INPUT_FILE);
  const char *path = file ? file->path (x->host, x->host->own_input) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname (path) : NULL,
                  *run = folder ? g_path_get_basename (folder) : NULL;
  if (!run || !g_regex_match_simple ("^\\d{4}(_\\d{2}){5}(_|$)", run, 0, 0))
    return;
  g_auto (GStrv) p = g_strsplit (run, "_", 7);
  nprof_log (x->host, NPROF_INFO, "torch_neuron: XLA decode - Read filename %s", run);
  nprof_log (x->host, NPROF_INFO,
             "torch_neuron: XLA decode - Read date parts ['%s', '%s', '%s', '%s', '%s', '%s']",
             p[0], p[1], p[2], p[3], p[4], p[5]);
  nprof_log (x->host, NPROF_INFO,
             "torch_neuron: XLA decode - Read start date %s-%s-%s %s:%s:%s from directory stamp",
             p[0], p[1], p[2], p[3], p[4], p[5]);
}

/* Says what torch-neuronx says when it translates a profile. */
static void
say_plane (const Xplane *x, const XpGroup *group)
{
  g_autofree char *name = xp_valid (group->name);
  nprof_log (x->host, NPROF_INFO, "torch_neuron: translate_xplane: Processing plane: '%s'", name);
}

nprof_status
xp_neuron (Xplane *x)
{
  nprof_status status = NPROF_OK;
  g_autoptr (GPtrArray) copies = x->copies ? NULL : find_copies (x);
  for (guint i = 0; i < x->groups->len && status == NPROF_OK; i++) {
    const XpGroup *group = xp_group (x, i);
    if (*x->extract)
      say_plane (x, group);
    if (*x->extract && i == 0)
      say_stamp (x);
    if (xp_is_neuron (group->kind))
      status = neuron_plane (x, group, copies ? copies->pdata[i] : NULL);
  }
  return status;
}
