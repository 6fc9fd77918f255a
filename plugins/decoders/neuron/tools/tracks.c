/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - makes the same tracks as an NTFF has: a device holds cores, a core its engines and
 * queues; and the hosts of the system profile. */
#include "tools.h"

/* Finds the engine by the beginning of the tools' name for it: "TensorMatrix", "Tensor", "PE". */
int
nt_engine (const TeValue *name)
{
  static const struct {
    const char *name;
    bool whole;
    int engine;
  } engines[] = {
    { "tensor", false, NTFF_PE }, { "pe", true, NTFF_PE },          { "scalar", false, NTFF_ACT },
    { "act", true, NTFF_ACT },    { "activation", true, NTFF_ACT }, { "gpsimd", false, NTFF_POOL },
    { "pool", true, NTFF_POOL },  { "vector", false, NTFF_DVE },    { "dve", true, NTFF_DVE },
    { "sync", false, NTFF_SP },   { "sp", true, NTFF_SP },
  };
  for (gsize i = 0; name && name->kind == TE_TEXT && i < G_N_ELEMENTS (engines); i++) {
    size_t len = strlen (engines[i].name);
    if (name->len >= len && (!engines[i].whole || name->len == len)
        && g_ascii_strncasecmp (name->p, engines[i].name, len) == 0)
      return engines[i].engine;
  }
  return -1;
}

nprof_track
nt_track (Nt *t, nprof_track parent, uint32_t kind, const char *key, const char *label,
          int64_t sort)
{
  g_string_printf (t->track_key, "%u/%u/%s", parent, kind, key);
  gpointer known = g_hash_table_lookup (t->tracks, t->track_key->str);
  if (known)
    return GPOINTER_TO_UINT (known);
  nprof_track track = t->host->track (t->host, parent, kind, nprof_intern (t->host, key),
                                      label ? nprof_intern (t->host, label) : 0, sort);
  if (track)
    g_hash_table_insert (t->tracks, g_strdup (t->track_key->str), GUINT_TO_POINTER (track));
  return track;
}

nprof_track
nt_graph_track (Nt *t, const NtGraph *graph)
{
  char key[40], label[60];
  g_snprintf (key, sizeof key, "nc%" G_GINT64_FORMAT, graph->nc);
  g_snprintf (label, sizeof label, "NeuronCore %" G_GINT64_FORMAT, graph->nc);
  return nt_track (t, t->device, NPROF_TRACK_CORE, key, label, CLAMP (graph->nc, 0, INT32_MAX));
}

static nprof_track
numbered (Nt *t, nprof_track parent, uint32_t kind, const char *key, const char *label, bool known,
          int64_t number)
{
  char own_key[40], own_label[60];
  if (!known)
    return nt_track (t, parent, kind, key, label, 0);
  g_snprintf (own_key, sizeof own_key, "%s%" G_GINT64_FORMAT, key, number);
  g_snprintf (own_label, sizeof own_label, "%s %" G_GINT64_FORMAT, label, number);
  return nt_track (t, parent, kind, own_key, own_label, CLAMP (number, 0, INT32_MAX));
}

nprof_status
nt_device_tracks (Nt *t)
{
  const NtSurvey *s = &t->survey;
  t->device = numbered (t, 0, NPROF_TRACK_DEVICE, "nd", "Neuron device", s->has_nd, s->nd);
  t->core = t->device
                ? numbered (t, t->device, NPROF_TRACK_CORE, "nc", "NeuronCore", s->has_nc, s->nc)
                : 0;
  return t->core ? NPROF_OK : NPROF_E_NOMEM;
}

/* A logical core of several physical ones has one track for each of them. */
static nprof_track
physical (Nt *t, nprof_track core, int64_t pcore)
{
  char key[64], label[100];
  const struct nprof_track_info *info = t->host->track_info (t->host, core);
  g_snprintf (key, sizeof key, "%.30s.%" G_GINT64_FORMAT, nprof_text (t->host, info->key), pcore);
  g_snprintf (label, sizeof label, "%.50s, physical core %" G_GINT64_FORMAT,
              nprof_text (t->host, info->label), pcore);
  return nt_track (t, t->device, NPROF_TRACK_CORE, key, label, info->sort * 16 + MIN (pcore, 15));
}

/* Returns NULL when it names none, or one that the file does not list. */
static const NtGraph *
graph_of (Nt *t, NtRecord *r)
{
  const TeValue *name = nt_see (r, NT_K_SUBGRAPH);
  for (guint i = 0; name && i < t->graphs->len; i++) {
    const NtGraph *graph = &g_array_index (t->graphs, NtGraph, i);
    if (graph->name.len == name->len && memcmp (graph->name.p, name->p, name->len) == 0)
      return graph;
  }
  return NULL;
}

nprof_track
nt_core_of (Nt *t, NtRecord *r)
{
  int64_t number;
  nprof_track core = t->core;
  const NtGraph *graph = t->graphs->len > 1 ? graph_of (t, r) : NULL;
  if (graph) {
    nt_use (r, NT_K_SUBGRAPH);
    nt_use (r, NT_K_PCORE);
    return graph->nc == t->survey.nc ? t->core : nt_graph_track (t, graph);
  }
  if (nt_int (nt_see (r, NT_K_NC_IDX), &number)) {
    nt_use (r, NT_K_NC_IDX);
    core = numbered (t, t->device, NPROF_TRACK_CORE, "nc", "NeuronCore", true, number);
  }
  if (core && nt_int (nt_see (r, NT_K_PCORE), &number)) {
    nt_use (r, NT_K_PCORE);
    if (t->survey.max_pcore > 0)
      core = physical (t, core, number);
  }
  return core;
}

nprof_track
nt_engine_track (Nt *t, nprof_track core, const TeValue *name)
{
  int engine = nt_engine (name);
  if (engine >= 0) {
    nprof_track other = 0, *track = core == t->core ? &t->engines[engine] : &other;
    if (!*track)
      *track = nt_track (t, core, NPROF_TRACK_ENGINE, ntff_engine_key[engine], NULL, engine);
    return *track;
  }
  if (!name)
    return core;
  g_autofree char *key = nt_dup (name);
  if (g_ascii_strncasecmp (key, "CC-core", 7) == 0)
    return nt_track (t, core, NPROF_TRACK_QUEUE, key, NULL, 20);
  return nt_track (t, core, NPROF_TRACK_ENGINE, key, NULL, NTFF_ENGINES);
}

char *
nt_text_or (const TeValue *v, const char *otherwise)
{
  return v && v->len && (v->kind == TE_TEXT || v->kind == TE_INT) ? nt_dup (v)
                                                                  : g_strdup (otherwise);
}

nprof_track
nt_host_track (Nt *t, NtRecord *r)
{
  g_autofree char *key = nt_text_or (nt_take (r, NT_K_INSTANCE), "host");
  if (t->ntff->private || g_str_equal (key, "host"))
    return nt_track (t, 0, NPROF_TRACK_HOST, key, NULL, 0);
  gpointer number = g_hash_table_lookup (t->hosts, key);
  if (!number) { /* ids of instances tell of whom the profile is: hosts are numbered instead */
    number = GUINT_TO_POINTER (g_hash_table_size (t->hosts) + 1);
    g_hash_table_insert (t->hosts, g_strdup (key), number);
  }
  char text[32];
  g_snprintf (text, sizeof text, "host %u", GPOINTER_TO_UINT (number));
  return nt_track (t, 0, NPROF_TRACK_HOST, text, NULL, 0);
}

bool
nt_is_private (const char *key)
{
  static const char *const parts[]
      = { "instance_id", "host_name", "hostname", "ip_addr", "address" };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (key, parts[i]))
      return true;
  return g_str_equal (key, "host") || g_str_equal (key, "ip");
}
