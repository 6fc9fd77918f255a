/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.c - keeps what the pictures of a page are drawn of, while tables come, and draws them in
 * their order; picture-*.c draw one each. */

#include "pictures.h"

#include "picture.h"

#include <string.h>

enum { MFU, MEMORY, HOLDERS, PROGRAMS, VERDICT, VERDICT_PARTS, STACKS, TABLES };

static const char *const names[TABLES]
    = { "mfu", "memory", "memory_holders", "program_memory", "verdict", "verdict_parts", "stacks" };

struct Pictures {
  const struct nprof_host *host;
  const WantedTables *only;
  Table *tables[TABLES]; /* NULL: not made; stacks: its columns alone */
  PictureFlame *flame;
};

Pictures *
pictures_new (const struct nprof_host *host, const WantedTables *only)
{
  Pictures *p = g_new0 (Pictures, 1);
  *p = (Pictures){ .host = host, .only = only, .flame = picture_flame_new () };
  return p;
}

void
pictures_free (Pictures *p)
{
  for (guint i = 0; i < TABLES; i++)
    g_clear_pointer (&p->tables[i], table_free);
  picture_flame_free (p->flame);
  g_free (p);
}

static nprof_status
keep (Table *table, const struct nprof_cell *cells, guint n_rows)
{
  for (guint r = 0; r < n_rows; r++)
    if (table_add (table, cells + (gsize) r * table->n_columns))
      return NPROF_E_NOMEM;
  return NPROF_OK;
}

nprof_status
pictures_add (Pictures *p, const struct nprof_table *decl, const struct nprof_cell *cells,
              guint n_rows)
{
  for (guint i = 0; i < TABLES; i++) {
    if (!g_str_equal (decl->name, names[i]))
      continue;
    if (!p->tables[i])
      p->tables[i] = table_new (p->host, decl, 0, NULL);
    if (i != STACKS)
      return keep (p->tables[i], cells, n_rows);
    picture_flame_add (p->flame, p->tables[i], cells, n_rows);
  }
  return NPROF_OK;
}

static gboolean
is_asked (const Pictures *p, guint table)
{
  return !p->only || wanted_tables_has (p->only, names[table]);
}

void
pictures_put (GString *out, const Pictures *p, const Reasons *reasons)
{
  if (!p->only || wanted_tables_has (p->only, "summary"))
    picture_steps (out, p->tables[VERDICT], p->tables[VERDICT_PARTS]);
  if (is_asked (p, MFU) && p->tables[MFU])
    picture_roofline (out, reasons, p->tables[MFU]);
  if (is_asked (p, MEMORY) || is_asked (p, HOLDERS) || is_asked (p, PROGRAMS))
    picture_memory (out, reasons, p->tables[MEMORY], p->tables[HOLDERS], p->tables[PROGRAMS]);
  if (p->tables[STACKS] && is_asked (p, STACKS))
    picture_flame (out, p->flame);
}

void
pictures_put_hint (GString *out, const Pictures *p)
{
  if (!p->only && !p->tables[STACKS])
    picture_say (out, "p",
                 g_strdup ("Flame graph: -a flame adds that of the time of threads, "
                           "-a flame:weight=device that of devices."));
}
