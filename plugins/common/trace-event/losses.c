/* SPDX-License-Identifier: Apache-2.0 */
/* losses.c - writes a row of kind gap for each place where events could not be read. It has the
 * start of the event that was read before; where none was, that of the event behind. Before the
 * first event of a part these are known when the parts are joined. What is missing at the end of
 * the file has the latest start of all, because few writers sort all events by time. */
#include "trace-event/trace-event.h"

static nprof_status
put_gap (const Chrome *c, struct nprof_writer *w, int64_t start)
{
  return nprof_row (w, NPROF_GAP, c->input->root, c->unreadable, start, 0);
}

void
ch_started (ChPart *part, int64_t start)
{
  if (!part->has_start)
    part->first_start = part->latest_start = start;
  part->has_start = true;
  part->latest_start = MAX (part->latest_start, start);
  part->last_start = start;
}

nprof_status
ch_lost (ChPart *part)
{
  if (part->has_start)
    return put_gap (part->c, part->w, part->last_start);
  part->n_lost++;
  return NPROF_OK;
}

static nprof_status
put_joined (const Chrome *c, int64_t start)
{
  struct nprof_writer *w = c->host->writer (c->host);
  return w ? put_gap (c, w, start) : NPROF_E_NOMEM;
}

static nprof_status
put_cut_off (const Chrome *c)
{
  struct nprof_writer *w = c->host->writer (c->host);
  const uint64_t end = ch_at (c, c->events_end);
  g_autofree char *name
      = g_strdup_printf ("cut off at byte %" G_GUINT64_FORMAT ": what follows is not known", end);
  nprof_log (c->host, NPROF_WARNING, "the file is %s", name);
  return w ? nprof_row (w, NPROF_GAP, c->input->root, nprof_intern (c->host, name),
                        c->losses.latest_start, -1)
           : NPROF_E_NOMEM;
}

nprof_status
ch_take_losses (Chrome *c, const ChPart *part, bool is_last)
{
  ChLosses *losses = &c->losses;
  nprof_status status = NPROF_OK;
  if (!losses->has_start) {
    losses->last_start = part->first_start;
    losses->latest_start = part->latest_start;
  }
  losses->has_start |= part->has_start;
  losses->n += part->n_lost;
  for (; !status && losses->n && (losses->has_start || is_last); losses->n--)
    status = put_joined (c, losses->last_start);
  if (part->has_start) {
    losses->last_start = part->last_start;
    losses->latest_start = MAX (losses->latest_start, part->latest_start);
  }
  if (status || !is_last)
    return status;
  losses->cut_off |= part->cut_off;
  if (losses->cut_off)
    return put_cut_off (c);
  return losses->behind ? put_joined (c, losses->latest_start) : NPROF_OK;
}
