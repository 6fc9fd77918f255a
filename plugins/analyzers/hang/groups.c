/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - the groups of ranks, and whose dump is whose. */
#include "hang.h"

#include <stdarg.h>

static void
group_clear (gpointer group)
{
  g_array_unref (((Group *) group)->members);
}

void
hg_groups_init (Hang *h)
{
  h->groups = g_array_new (FALSE, FALSE, sizeof (Group));
  g_array_set_clear_func (h->groups, group_clear);
  h->by_name = g_hash_table_new (NULL, NULL);
}

void
hg_groups_clear (Hang *h)
{
  g_clear_pointer (&h->groups, g_array_unref);
  g_clear_pointer (&h->by_name, g_hash_table_unref);
}

/* The first of several reasons counts. */
void
hg_strange (Hang *h, const char *format, ...)
{
  va_list args;
  if (h->strange)
    return;
  va_start (args, format);
  h->strange = g_strdup_vprintf (format, args);
  va_end (args);
}

static void
read_members (GArray *members, const char *text)
{
  for (const char *p = text; *p;) {
    char *end = (char *) p + 1;
    if (g_ascii_isdigit (*p)) {
      const gint64 rank = g_ascii_strtoll (p, &end, 10);
      g_array_append_val (members, rank);
    }
    p = end;
  }
}

static const char *
label_of (const Hang *h, guint32 dump)
{
  const Dump *d = &g_array_index (h->dumps, Dump, dump);
  return nprof_text (h->host, h->host->input (h->host, d->input)->label);
}

static void
learn_members (Hang *h, Group *g, nprof_str members, guint32 dump)
{
  if (!members || members == g->members_text)
    return;
  if (g->members_text) {
    hg_strange (h, "group %s has other ranks in %s than in %s: name the dumps of one job",
                nprof_text (h->host, g->name), label_of (h, dump), label_of (h, g->from));
    return;
  }
  g->members_text = members;
  g->from = dump;
  read_members (g->members, nprof_text (h->host, members));
}

guint32
hg_group (Hang *h, nprof_str name, nprof_str label, nprof_str members, guint32 dump)
{
  guint32 at = GPOINTER_TO_UINT (g_hash_table_lookup (h->by_name, GUINT_TO_POINTER (name)));
  if (!at) {
    const Group new = { name, label, 0, g_array_new (FALSE, FALSE, sizeof (gint64)), dump };
    g_array_append_val (h->groups, new);
    at = h->groups->len;
    g_hash_table_insert (h->by_name, GUINT_TO_POINTER (name), GUINT_TO_POINTER (at));
  }
  learn_members (h, &g_array_index (h->groups, Group, at - 1), members, dump);
  return at - 1;
}

gint64
hg_largest (const Hang *h)
{
  guint most = 0;
  for (guint i = 0; i < h->groups->len; i++)
    most = MAX (most, g_array_index (h->groups, Group, i).members->len);
  return most;
}

Dump *
hg_dump_of_rank (const Hang *h, gint64 rank)
{
  for (guint i = 0; i < h->dumps->len; i++)
    if (g_array_index (h->dumps, Dump, i).rank == rank)
      return &g_array_index (h->dumps, Dump, i);
  return NULL;
}
