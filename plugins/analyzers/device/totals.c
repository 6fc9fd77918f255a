/* SPDX-License-Identifier: Apache-2.0 */
/* totals.c - adds up the stretches of a sweep. */
#include "totals.h"

static void
add (DvTotals *t, gint64 d, gboolean busy, const gboolean *under_way)
{
  gboolean compute = under_way[AN_COMPUTE], communication = under_way[AN_COMMUNICATION];
  gboolean data = communication || under_way[AN_MEMORY];
  t->busy += busy ? d : 0;
  for (int c = 0; c < AN_N_CLASSES; c++)
    t->of[c] += under_way[c] ? d : 0;
  t->data += data ? d : 0;
  t->exposed += data && !compute ? d : 0;
  t->overlap += data && compute ? d : 0;
  t->exposed_communication += communication && !compute ? d : 0;
  t->exposed_memory += under_way[AN_MEMORY] && !compute && !communication ? d : 0;
}

void
dv_totals_add (DvTotals *t, gint64 duration, const AnActive *active)
{
  gboolean under_way[AN_N_CLASSES];
  for (int c = 0; c < AN_N_CLASSES; c++)
    under_way[c] = active->work[c] || active->apart[c];
  add (t, duration, active->n_work > 0, under_way);
}

void
dv_totals_add_linked (DvTotals *t, gint64 duration, const AnActive *active)
{
  gboolean under_way[AN_N_CLASSES];
  for (int c = 0; c < AN_N_CLASSES; c++)
    under_way[c] = active->linked[c] > 0;
  add (t, duration, active->n_linked > 0, under_way);
}
