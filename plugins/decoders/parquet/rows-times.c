/* SPDX-License-Identifier: Apache-2.0 */
/* rows-times.c - reads starts and durations of a slice, in the units that its columns state. */
#include "rows.h"

#include <nprof/keys.h>

#define MOST_PS (INT64_C (106) * 86400 * 1000000000000) /* what a start may be */

gboolean
rows_drop (Rows *r, gsize k, const Cursor *c, const char *what, const char *why)
{
  r->row_of[k] = -1;
  r->host->skip (r->host, what, c->page.at, why);
  return FALSE;
}

static gboolean
read_time (Rows *r, const Cursor *c, gsize value, gint64 per, __int128 base, gint64 *to)
{
  Value v = cursor_value (c, value);
  __int128 ps;
  if (!value_time (c->node, &v, per, &ps))
    return FALSE;
  ps -= base;
  *to = (gint64) ps;
  return ps <= 2 * (__int128) MOST_PS && ps >= -2 * (__int128) MOST_PS
         && (r->s->per != 1 || *to <= MOST_PS);
}

nprof_status
rows_time_fails (Rows *r, const Cursor *c, FieldRole role)
{
  return nprof_fail (
      r->host, NPROF_E_FORMAT,
      "%s%sbyte %" G_GUINT64_FORMAT
      ": column %s, row group %u: a time lies more than 106 days from the first one, or "
      "is none: name its unit with -d parquet:unit=ns (or ps, us, ms, s)",
      r->s->main ? "" : r->s->file, r->s->main ? "" : ": ", c->page.at,
      source_field (r->s, (guint) r->by[role])->key, r->part->group);
}

/* Fills whole numbers, of which none is missing and all lie within 106 days, as nearly always;
 * FALSE: they are not so, and `to` holds anything. */
static gboolean
fill_plain_times (const Cursor *c, gsize n, gint64 per, __int128 base, gint64 *to)
{
  gint64 less = (gint64) base;
  gboolean bad = base != less || c->page.def || c->node->type != PQ_INT64
                 || c->node->logical == PQ_L_DECIMAL || c->node->is_unsigned;
  if (bad)
    return FALSE;
  const gint64 *from = (const gint64 *) c->page.values.bits + c->value;
  per = value_unit (c->node) ? value_unit (c->node) : per;
  for (gsize k = 0; k < n; k++) {
    gint64 ps;
    bad |= __builtin_mul_overflow (from[k], per, &ps);
    bad |= __builtin_sub_overflow (ps, less, &ps);
    bad |= (guint64) ps + MOST_PS > 2 * (guint64) MOST_PS;
    to[k] = ps;
  }
  return !bad;
}

nprof_status
rows_fill_starts (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_START);
  gint64 *start = r->w->start + r->first;
  gsize value = c->value;
  if (fill_plain_times (c, r->n, r->s->per, r->p->base, start))
    return NPROF_OK;
  for (gsize k = 0; k < r->n; k++) {
    start[k] = 0;
    if (!cursor_has (c, c->at + k)) {
      if (r->w->kind[r->first + k] != NPROF_FACT && r->w->kind[r->first + k] != NPROF_GAP
          && r->row_of[k] >= 0)
        rows_drop (r, k, c, "row", "it has no start");
      continue;
    }
    if (!read_time (r, c, value++, r->s->per, r->p->base, &start[k]) || start[k] > MOST_PS
        || start[k] < -MOST_PS)
      return rows_time_fails (r, c, FIELD_START);
  }
  return NPROF_OK;
}

/* Makes a duration below 0 unknown, as that of an end before the start. */
static void
check_duration (Rows *r, const Cursor *c, gint64 *duration)
{
  if (*duration >= 0)
    return;
  *duration = -1;
  r->host->skip (r->host, "duration", c->page.at, "it is below 0");
}

nprof_status
rows_fill_durations (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_DURATION);
  gint64 *duration = r->w->duration + r->first;
  gsize value = c->value;
  if (fill_plain_times (c, r->n, r->s->duration_per, 0, duration)) {
    for (gsize k = 0; k < r->n; k++)
      check_duration (r, c, &duration[k]);
    return NPROF_OK;
  }
  for (gsize k = 0; k < r->n; k++) {
    duration[k] = -1;
    if (!cursor_has (c, c->at + k))
      continue;
    if (!read_time (r, c, value++, r->s->duration_per, 0, &duration[k]))
      return rows_time_fails (r, c, FIELD_DURATION);
    check_duration (r, c, &duration[k]);
  }
  return NPROF_OK;
}

/* Fills durations; an end before the start is none. */
nprof_status
rows_fill_ends (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_END);
  const gint64 *start = r->w->start + r->first;
  gint64 *duration = r->w->duration + r->first, end;
  gsize value = c->value;
  for (gsize k = 0; k < r->n; k++) {
    duration[k] = -1;
    if (!cursor_has (c, c->at + k))
      continue;
    if (!read_time (r, c, value++, r->s->per, r->p->base, &end))
      return rows_time_fails (r, c, FIELD_END);
    if (end >= start[k])
      duration[k] = end - start[k];
    else
      r->host->skip (r->host, "end", c->page.at, "it is before the start");
  }
  return NPROF_OK;
}
