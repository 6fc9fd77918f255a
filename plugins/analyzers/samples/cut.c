/* SPDX-License-Identifier: Apache-2.0 */
/* cut.c - finds which steps the profile cut, as the table step_breakdown of the analyzer `steps`
 * says. */
#include "samples.h"

#include <nprof/sdk.h>
#include <string.h>

static char *
text_of (const Samples *self, const struct nprof_cell *cell)
{
  if (cell->type == NPROF_STRING)
    return g_strdup (nprof_text (self->host, cell->v.s));
  return cell->type == NPROF_TEXT ? g_strndup (cell->v.text, cell->len) : NULL;
}

void
sm_cut_clear (gpointer cut)
{
  g_free (((SmCut *) cut)->step);
}

void
sm_cut_table (Samples *self, const struct nprof_table *table, const struct nprof_cell *cells,
              guint n_rows)
{
  if (strcmp (table->name, "step_breakdown"))
    return;
  const int input = nprof_find_column (table, "input"),
            device = nprof_find_column (table, "device"), step = nprof_find_column (table, "step"),
            cut = nprof_find_column (table, "cut");
  const guint n = nprof_count_columns (table);
  if (input < 0 || device < 0 || step < 0 || cut < 0)
    return;
  for (guint i = 0; i < n_rows; i++, cells += n) {
    const SmCut row = { .input = cells[input].v.s,
                        .device = cells[device].v.s,
                        .step = text_of (self, &cells[step]),
                        .cut = cells[cut].type == NPROF_BOOL && cells[cut].v.u };
    g_array_append_val (self->cuts, row);
  }
}

bool
sm_is_cut (Samples *self, const SmDevice *device, const char *step)
{
  nprof_str input = self->host->input (self->host, device->input)->label;
  for (guint i = 0; i < self->cuts->len; i++) {
    SmCut *row = &g_array_index (self->cuts, SmCut, i);
    if (row->taken || row->device != device->label || row->input != input || !row->step
        || g_strcmp0 (row->step, step))
      continue;
    row->taken = true;
    return row->cut;
  }
  return false;
}
