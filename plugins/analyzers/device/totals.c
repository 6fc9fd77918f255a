/* SPDX-License-Identifier: Apache-2.0 */
/* totals.c - adds up the moments of a sweep. */
#include "totals.h"

static void
add (DvTotals *t, gint64 d, guint under_way)
{
  gboolean compute = under_way >> AN_COMPUTE & 1;
  gboolean communication = under_way >> AN_COMMUNICATION & 1;
  gboolean memory = under_way >> AN_MEMORY & 1;
  gboolean data = communication || memory;
  t->busy += under_way & DV_BUSY ? d : 0;
  for (int c = 0; c < AN_N_CLASSES; c++)
    t->of[c] += under_way >> c & 1 ? d : 0;
  t->exposed += data && !compute ? d : 0;
  t->overlap += data && compute ? d : 0;
  t->exposed_communication += communication && !compute ? d : 0;
  t->exposed_copy += memory && !compute && !communication ? d : 0;
}

DvTotals
dv_moments_sum (const DvMoments *m)
{
  DvTotals t = { 0 };
  for (guint k = 0; k < G_N_ELEMENTS (m->during); k++)
    add (&t, m->during[k], k);
  return t;
}
