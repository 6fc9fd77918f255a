/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - the process groups of a dump: what pg_config says of them, else what entries do. */
#include "flight.h"

/* Counts the numbers of "[0, 1, 5]"; 0: it is something else. */
static gint64
count_ranks (const PkValue *ranks)
{
  gint64 n = 0;
  for (guint32 i = 0; ranks && ranks->type == PK_TEXT && i < ranks->len; i++)
    n += g_ascii_isdigit (ranks->text[i]) && (i == 0 || !g_ascii_isdigit (ranks->text[i - 1]));
  return n;
}

static FrGroup *
group_named (Flight *f, nprof_str name, nprof_str label)
{
  FrGroup *g = g_hash_table_lookup (f->groups, GUINT_TO_POINTER (name));
  if (g)
    return g;
  g = g_new0 (FrGroup, 1);
  g->name = name;
  g->label = label;
  g_hash_table_insert (f->groups, GUINT_TO_POINTER (name), g);
  return g;
}

void
fr_groups_load (Flight *f)
{
  const PkValue *config = pk_get (&f->root, "pg_config");
  for (guint32 i = 0; config && config->type == PK_DICT && i + 1 < config->items->n; i += 2) {
    const PkValue *one = &config->items->value[i + 1], *ranks = pk_get (one, "ranks");
    nprof_str name = fr_text (f, pk_get (one, "name"));
    if (!name)
      continue;
    FrGroup *g = group_named (f, name, fr_text (f, pk_get (one, "desc")));
    g->ranks = fr_text (f, ranks);
    g->size = count_ranks (ranks);
  }
}

static nprof_track
track_of (Flight *f, const FrGroup *g)
{
  const char *name = nprof_text (f->host, g->name);
  const char *label = g->label ? nprof_text (f->host, g->label) : NULL;
  g_autofree char *both = label ? g_strdup_printf ("%s (%s)", label, name) : NULL;
  return f->host->track (f->host, f->process, NPROF_TRACK_QUEUE, g->name,
                         both ? nprof_intern (f->host, both) : 0, 0);
}

FrGroup *
fr_group_of (Flight *f, const PkValue *entry)
{
  const PkItems *both = pk_list (entry, "process_group");
  nprof_str name = both && both->n ? fr_text (f, &both->value[0]) : 0;
  nprof_str label = both && both->n > 1 ? fr_text (f, &both->value[1]) : 0;
  FrGroup *g = group_named (f, name ? name : nprof_intern (f->host, "unnamed"), label);
  if (!g->track)
    g->track = track_of (f, g);
  return g->track ? g : NULL;
}
