/* SPDX-License-Identifier: Apache-2.0 */
/* iterations.c - finds the steps of servers, which annotate each with what it does in their own
 * words, and the work of each: what a host's annotation launched, else what began in that of the
 * device. */
#include "verdict.h"

/* -- Work of a device -------------------------------------------------------------------------- */

/* Returns the process whose iterations launched most of its work; NULL: none did. */
static const Process *
process_of (Steps *self, Device *d)
{
  g_autofree guint64 *rows = g_new0 (guint64, self->processes->len + 1);
  AnSeriesReader reader;
  an_series_read (&reader, &d->work, &self->store);
  for (const Work *w; (w = an_series_next (&reader));)
    if (w->iteration)
      rows[w->process]++;
  an_series_reader_clear (&reader);
  guint best = 0;
  for (guint i = 1; i < self->processes->len; i++)
    best = rows[i] > rows[best] ? i : best;
  return rows[best] ? g_ptr_array_index (self->processes, best) : NULL;
}

const GArray *
st_iterations_of (Steps *self, Device *d, Begun **begun)
{
  const Process *p = process_of (self, d);
  const GArray *iterations = p ? p->iterations : d->iterations;
  *begun = g_new0 (Begun, iterations->len + 1);
  AnSeriesReader reader;
  an_series_read (&reader, &d->work, &self->store);
  for (const Work *w; (w = an_series_next (&reader));) {
    const guint32 number
        = p ? w->iteration : (guint32) an_server_steps_at (iterations, w->start) + 1;
    if (!number || (p && w->process != p->number)
        || g_array_index (iterations, AnServerStep, number - 1).around)
      continue;
    Begun *b = &(*begun)[number - 1];
    b->rows++;
    b->shown += w->shown;
    st_reach (&b->all, w->start, w->end);
    if (w->lasting)
      st_reach (&b->lasting, w->start, w->end);
  }
  an_series_reader_clear (&reader);
  return iterations;
}
