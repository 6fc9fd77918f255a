/* SPDX-License-Identifier: Apache-2.0 */
/* guids.c - the tables of a database by GUID: each process has a set of its own,
 * "rocpd_region_GUID" with _ for -; views without a GUID unite them, and are not read. */
#include "rocpd.h"

#include <string.h>

#define GUID_LEN 36

/* Returns the length of the name without "_GUID" at its end; 0: none stands there. */
static gsize
length_without_guid (const char *name)
{
  const gsize len = strlen (name);
  if (len < GUID_LEN + 2 || name[len - GUID_LEN - 1] != '_')
    return 0;
  for (gsize i = 0; i < GUID_LEN; i++) {
    const char c = name[len - GUID_LEN + i];
    const bool between = i == 8 || i == 13 || i == 18 || i == 23;
    if (between ? c != '_' : !g_ascii_isxdigit (c))
      return 0;
  }
  return len - GUID_LEN - 1;
}

void
rp_guid_free (gpointer data)
{
  RpGuid *g = data;
  Ids *const ids[] = { &g->nodes,  &g->strings, &g->categories, &g->events, &g->tracks,
                       &g->stamps, &g->symbols, &g->pmcs,       &g->counts };
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    ids_clear (ids[i]);
  g_hash_table_unref (g->processes);
  g_free (g->suffix);
  g_free (g);
}

static void
add_guid (Rocpd *self, const char *suffix)
{
  for (guint i = 0; i < self->guids->len; i++)
    if (strcmp (((RpGuid *) g_ptr_array_index (self->guids, i))->suffix, suffix) == 0)
      return;
  RpGuid *g = g_new0 (RpGuid, 1);
  g->self = self;
  g->suffix = g_strdup (suffix);
  g->processes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  ids_init (&g->nodes, sizeof (RocmText));
  ids_init (&g->strings, sizeof (RocmText));
  ids_init (&g->categories, sizeof (RocmText));
  ids_init (&g->events, sizeof (RpEvent));
  ids_init (&g->tracks, sizeof (RpTrack));
  ids_init (&g->stamps, sizeof (RpStamp));
  ids_init (&g->symbols, sizeof (RocmSymbol));
  ids_init (&g->pmcs, sizeof (RpPmc));
  ids_init (&g->counts, sizeof (RocmCount));
  g_ptr_array_add (self->guids, g);
}

static int
by_suffix (gconstpointer a, gconstpointer b)
{
  const RpGuid *x = *(RpGuid *const *) a, *y = *(RpGuid *const *) b;
  return strcmp (x->suffix, y->suffix);
}

void
rp_guids_find (Rocpd *self)
{
  static const char *const plain[]
      = { "rocpd_kernel_dispatch", "rocpd_region", "rocpd_memory_copy" };
  g_autoptr (GList) names = db_tables (&self->db);
  for (const GList *at = names; at; at = at->next) {
    const char *name = at->data;
    const gsize len = g_str_has_prefix (name, "rocpd_") ? length_without_guid (name) : 0;
    if (len)
      add_guid (self, name + len);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (plain); i++)
    if (db_has (&self->db, plain[i]))
      add_guid (self, "");
  g_ptr_array_sort (self->guids, by_suffix);
}

char *
rp_table (const RpGuid *g, const char *name)
{
  g_autofree char *table = g_strconcat ("rocpd_", name, g->suffix, NULL);
  return db_has (&g->self->db, table) ? g_steal_pointer (&table) : NULL;
}

nprof_status
rp_each (RpGuid *g, const char *name, bool again, RpLayOut *lay_out, RpTake *take, gpointer at)
{
  DbRows rows;
  g_autofree char *table = rp_table (g, name);
  if (!table)
    return NPROF_OK;
  nprof_status status = db_rows_begin (&g->self->db, table, &rows);
  if (!status) {
    rows.id = db_column (&rows, "id");
    lay_out (g, &rows, at);
  }
  while (!status && db_rows_next (&rows, &status))
    status = take (g, &rows, at);
  if (again)
    db_rows_end_again (&rows);
  else
    db_rows_end (&rows);
  return status;
}

/* -- What became of the tables ----------------------------------------------------------------- */

/* Returns whether a table describes others, and so is no loss. */
static bool
describes (const char *name)
{
  return g_str_has_prefix (name, "rocpd_info_") || g_str_has_prefix (name, "rocpd_metadata");
}

static const char *
why_unread (const char *name)
{
  return g_str_has_prefix (name, "rocpd_arg") ? "arguments of calls are not read"
                                              : "the table holds no rows that are known";
}

nprof_status
rp_tell_unread (Rocpd *self)
{
  g_autoptr (GList) names = db_tables (&self->db);
  nprof_status status = NPROF_OK;
  for (const GList *at = names; at && !status; at = at->next) {
    const DbTable *table = g_hash_table_lookup (self->db.tables, at->data);
    const gsize len = length_without_guid (table->name);
    g_autofree char *plain = g_strndup (table->name, len ? len : strlen (table->name));
    if (!table->read && !describes (plain))
      status = db_skip_table (&self->db, table->key, plain, why_unread (plain));
  }
  return status;
}
