/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - the figures of counters in a window.
 *
 * A value holds from its row to the counter's next row, the last one to the end of the profile. So
 * a window has the value from before it, too, and a mean is weighted by the time that each value
 * held, not by rows. A row without a number ends what was known before it: the time up to the next
 * is left out. */

#include "counters.h"

#include <math.h>
#include <string.h>

typedef struct {
  guint64 rows;  /* in the window                                     */
  guint64 known; /* ps of the window in which a number holds          */
  double min, mean, max;
  gboolean any, late; /* a number is in the window; no row is before it    */
} Figures;

/* The value under way, and until when the window goes. */
typedef struct {
  const NpWindow *w;
  gint64 start;
  double value; /* not finite: unknown */
} Holding;

static void
take_number (Figures *f, double value)
{
  f->min = f->any ? MIN (f->min, value) : value;
  f->max = f->any ? MAX (f->max, value) : value;
  f->any = TRUE;
}

/* Ends the value under way at `end`. The mean is moved by the share of the time that is new: a sum
 * of values by ps may be more than a double holds. */
static void
end_value (Figures *f, const Holding *h, gint64 end)
{
  gint64 from = MAX (h->start, h->w->t0), to = MIN (end, h->w->t1);
  gboolean lies = h->start >= h->w->t0 && h->start <= h->w->t1;
  f->rows += lies;
  if (!isfinite (h->value) || (!lies && to <= from))
    return;
  take_number (f, h->value);
  if (to <= from)
    return;
  guint64 new = (guint64) to - (guint64) from;
  f->known += new;
  f->mean += (h->value - f->mean) * ((double) new / (double) f->known);
}

/* Takes the rows of a block from `row` on; FALSE: the window ends within them. */
static gboolean
take_block (Figures *f, Holding *h, gboolean *holds, const struct nprof_store_block *b, guint32 row)
{
  const struct nprof_store_column *start = nprof_store_column (b, NPROF_STORE_C_START),
                                  *value = nprof_store_column (b, NPROF_STORE_C_VALUE),
                                  *has = nprof_store_column (b, NPROF_STORE_C_HAS_VALUE);
  for (guint32 i = row; i < b->n; i++) {
    gint64 at = nprof_store_get (b, start, i), bits = nprof_store_get (b, value, i);
    if (*holds)
      end_value (f, h, at);
    *holds = at <= h->w->t1;
    if (!*holds)
      return FALSE;
    h->start = at;
    memcpy (&h->value, &bits, sizeof bits);
    if (!nprof_store_get (b, has, i))
      h->value = NAN;
  }
  return TRUE;
}

static gboolean
figures_of (NpAsk *ask, const NpWindow *w, guint32 number, guint32 rows, Figures *f)
{
  Holding h = { w, 0, NAN };
  bool found;
  gboolean holds = FALSE, more = TRUE;
  guint32 row = 0;
  *f = (Figures){ 0 };
  if (!nprof_store_before (ask->query, number, w->t0 - (w->t0 > G_MININT64), &row, &found))
    return FALSE;
  f->late = !found;
  for (row = found ? row : 0; more && row < rows;
       row = (row / NPROF_STORE_ROWS + 1) * NPROF_STORE_ROWS) {
    const struct nprof_store_block *b
        = nprof_store_rows (ask->query, number, row / NPROF_STORE_ROWS);
    if (!b || np_ask_is_over (ask))
      return FALSE;
    more = take_block (f, &h, &holds, b, row % NPROF_STORE_ROWS);
  }
  if (holds)
    end_value (f, &h, ask->profile->meta->last);
  return TRUE;
}

/* Why a figure is not known; NULL: it is. */
static const char *
reason_of (const Figures *f)
{
  if (!f->any)
    return f->rows   ? "none of its rows in the range has a number"
           : f->late ? "its first row comes behind the range"
                     : "its last row before the range has no number, or the profile ends before";
  return f->known ? NULL : "its values hold for no time in the range: the mean is not known";
}

static void
put_counter (NpAsk *ask, const struct nprof_store_lane *lane, const Figures *f)
{
  NpJson *j = &ask->json;
  const char *unit = np_label_stated (ask, lane->label, NP_STATED_UNIT), *why = reason_of (f);
  np_json_object (j, NULL);
  np_json_number (j, "track", lane->track);
  np_json_number (j, "label", lane->label);
  np_json_text (j, "name", np_label_name (ask, lane->label));
  if (unit)
    np_json_text (j, "unit", unit);
  else
    np_json_null (j, "unit");
  np_json_number (j, "count", f->rows);
  np_json_i64 (j, "known", (gint64) MIN (f->known, (guint64) G_MAXINT64));
  np_json_double_or_null (j, "min", f->any ? f->min : NAN);
  np_json_double_or_null (j, "mean", f->known ? f->mean : NAN);
  np_json_double_or_null (j, "max", f->any ? f->max : NAN);
  if (why)
    np_json_text (j, "reason", why);
  else
    np_json_null (j, "reason");
  np_json_end_object (j);
}

/* Returns whether the window is of this counter, all rows of which have one label and are of one
 * group. */
static gboolean
is_chosen (NpAsk *ask, const NpWindow *w, struct nprof_search *search, guint32 number, gboolean *is)
{
  struct nprof_event first;
  bool fits = true;
  *is = TRUE;
  if (!search && !w->parts)
    return TRUE;
  if (!nprof_store_event (ask->query, (struct nprof_row){ number, 0 }, &first)
      || (w->parts && !np_parts_have (w->parts, ask, &first, is)))
    return FALSE;
  if (search && !nprof_search_fits (ask->query, search, first.row, &fits))
    return FALSE;
  *is = *is && fits;
  return TRUE;
}

static gboolean
is_of_tracks (const GArray *tracks, guint32 track)
{
  for (guint i = 0; i < tracks->len; i++)
    if (g_array_index (tracks, guint32, i) == track)
      return TRUE;
  return !tracks->len;
}

static gboolean
put_counters (NpAsk *ask, const NpWindow *w, struct nprof_search *search, guint n, guint64 *total)
{
  const struct nprof_store_lane *lane;
  Figures f;
  for (guint32 i = 0; (lane = nprof_store_lane_at (ask->store, i)); i++) {
    gboolean is;
    if (lane->type != NPROF_STORE_LANE_COUNTER || !lane->rows
        || !is_of_tracks (w->tracks, nprof_store_track_of (ask->store, lane->track)))
      continue;
    if (!is_chosen (ask, w, search, i, &is))
      return FALSE;
    if (!is || (*total)++ >= n)
      continue;
    if (!figures_of (ask, w, i, lane->rows, &f))
      return FALSE;
    put_counter (ask, lane, &f);
  }
  return TRUE;
}

gboolean
np_json_counters (NpAsk *ask, const NpWindow *w, guint n)
{
  guint32 at;
  guint64 total = 0;
  gboolean chooses = w->where && *w->where;
  struct nprof_search *search = chooses ? nprof_search_new (ask->query, w->where, &at) : NULL;
  if (chooses && !search)
    return FALSE;
  np_json_array (&ask->json, "counters");
  gboolean good = put_counters (ask, w, search, n, &total);
  np_json_end_array (&ask->json);
  np_json_number (&ask->json, "counters_total", total);
  nprof_search_free (search);
  return good;
}
