/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.c - keeps what the pictures of a page are drawn of, while tables come, and draws them in
 * their order; picture-*.c draw one each. Which tables that are is said by picture.NAME in
 * NAME.plugin of an analyzer. */

#include "pictures.h"

#include "picture.h"

#include <nprof/draft/page.h>
#include <nprof/sdk.h>
#include <string.h>

#define MOST_TABLES 3 /* of a picture */

enum { STEP_BARS, ROOFLINE, MEMORY_PEAKS, FLAME, PICTURES };

static const char *const names[PICTURES] = { "step-bars", "roofline", "memory-peaks", "flame" };

typedef struct {
  const char *const *of; /* its tables, those whose wish does not show it with a "?"; or NULL */
  Table *tables[MOST_TABLES]; /* NULL: not made; of the flame graph their columns alone */
} Picture;

struct Pictures {
  const WantedTables *only;
  const struct nprof_host *host;
  Picture all[PICTURES];
  PictureFlame *flame;
};

Pictures *
pictures_new (const struct nprof_host *host, const WantedTables *only)
{
  const struct nprof_page *page = host->extension (host, NPROF_PAGE);
  Pictures *p = g_new0 (Pictures, 1);
  *p = (Pictures){ .host = host, .only = only, .flame = picture_flame_new () };
  for (guint i = 0; page && i < PICTURES; i++)
    p->all[i].of = page->picture (host, names[i]);
  return p;
}

void
pictures_free (Pictures *p)
{
  for (guint i = 0; i < PICTURES; i++)
    for (guint t = 0; t < MOST_TABLES; t++)
      g_clear_pointer (&p->all[i].tables[t], table_free);
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

static nprof_status
add_to (Pictures *p, guint i, guint t, const struct nprof_table *decl,
        const struct nprof_cell *cells, guint n_rows)
{
  Table **table = &p->all[i].tables[t];
  if (!*table)
    *table = table_new (p->host, decl, 0, NULL);
  if (i != FLAME)
    return keep (*table, cells, n_rows);
  picture_flame_add (p->flame, *table, cells, n_rows);
  return NPROF_OK;
}

nprof_status
pictures_add (Pictures *p, const struct nprof_table *decl, const struct nprof_cell *cells,
              guint n_rows)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < PICTURES && !status; i++)
    for (guint t = 0; p->all[i].of && t < MOST_TABLES && p->all[i].of[t] && !status; t++)
      if (nprof_table_want_is (p->all[i].of[t], decl->name))
        status = add_to (p, i, t, decl, cells, n_rows);
  return status;
}

static gboolean
is_asked (const Pictures *p, guint picture)
{
  const char *const *of = p->all[picture].of;
  for (guint t = 0; p->only && of && of[t]; t++)
    if (!strchr (of[t], '?') && wanted_tables_has (p->only, of[t]))
      return TRUE;
  return !p->only;
}

void
pictures_put (GString *out, const Pictures *p, const Reasons *reasons)
{
  Table *const *bars = p->all[STEP_BARS].tables, *const *peaks = p->all[MEMORY_PEAKS].tables;
  const Table *rates = p->all[ROOFLINE].tables[0];
  if (is_asked (p, STEP_BARS))
    picture_steps (out, bars[0], bars[1]);
  if (is_asked (p, ROOFLINE) && rates)
    picture_roofline (out, reasons, rates);
  if (is_asked (p, MEMORY_PEAKS))
    picture_memory (out, reasons, peaks[0], peaks[1], peaks[2]);
  if (is_asked (p, FLAME) && p->all[FLAME].tables[0])
    picture_flame (out, p->flame);
}

void
pictures_put_hint (GString *out, const Pictures *p)
{
  if (!p->only && !p->all[FLAME].tables[0])
    picture_say (out, "p",
                 g_strdup ("Flame graph: -a flame adds that of the time of threads, "
                           "-a flame:weight=device that of devices."));
}
