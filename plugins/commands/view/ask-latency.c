/* SPDX-License-Identifier: Apache-2.0 */
/* ask-latency.c - answers route latency, the durations of the spans of one name: percentiles, a
 * histogram, a scatter, the longest. */

#include "parts.h"
#include "quantile.h"

#include <math.h>
#include <string.h>

#define MAX_BINS 1024
#define MAX_POINTS 2000
#define OUTLIERS 20

typedef struct {
  struct nprof_row row;
  gint64 start, duration;
} Point;

/* These are the bins that the histogram counts durations in. */
typedef struct {
  guint32 n;
  gboolean logarithmic;
  gint64 low, high; /* ps that bins span; -1: the least, or the most, that there is */
} Bins;

typedef struct {
  NpParts *parts; /* NULL: rows of all groups */
  GArray *points; /* of Point: each that has an end */
  guint64 unclosed;
} Found;

/* Returns name="..." of the parameters. */
static char *
search_text (NpAsk *ask)
{
  const char *name = np_request_param (ask->request, "name");
  guint32 label;
  if (!name && !np_request_param (ask->request, "label")) {
    np_ask_missing (ask, "name");
    return NULL;
  }
  if (!name && !np_ask_u32 (ask, "label", 0, G_MAXUINT32, &label))
    return NULL;
  if (!name && label >= nprof_store_n (ask->store, NPROF_STORE_S_LABELS)) {
    np_reply_fail (ask->reply, 404, "", "there is no label %u in this profile", label);
    return NULL;
  }
  return np_quote_name (name ? name : np_label_name (ask, label));
}

static gboolean
take_hits (NpAsk *ask, const struct nprof_row *hits, guint32 n, const GArray *tracks, Found *found)
{
  struct nprof_event e;
  for (guint32 i = 0; i < n; i++) {
    gboolean part = TRUE;
    if (!nprof_store_event (ask->query, hits[i], &e)
        || (found->parts && !np_parts_have (found->parts, ask, &e, &part)))
      return FALSE;
    Point point = { hits[i], e.start, e.duration };
    if (e.kind != NPROF_SPAN || !part || !np_is_counted (ask, &e, tracks))
      continue;
    if (e.duration < 0)
      found->unclosed++;
    else
      g_array_append_val (found->points, point);
  }
  return TRUE;
}

static gboolean
collect (NpAsk *ask, const char *text, const GArray *tracks, gint64 t0, gint64 t1, Found *found)
{
  enum { PIECE = 4096 };
  g_autofree struct nprof_row *hits = g_new (struct nprof_row, PIECE);
  struct nprof_row after;
  guint32 at = 0;
  bool more = true;
  gboolean good = TRUE;
  struct nprof_search *search = nprof_search_new (ask->query, text, &at);
  for (gboolean first = TRUE; search && good && more; first = FALSE) {
    uint32_t n = 0;
    good = nprof_search_hits (ask->query, search, first ? NULL : &after,
                              (const guint32 *) (gpointer) tracks->data, tracks->len, t0, t1, hits,
                              PIECE, &n, &more)
           && take_hits (ask, hits, n, tracks, found);
    if (n)
      after = hits[n - 1];
  }
  nprof_search_free (search);
  return search && good;
}

static int
by_duration (gconstpointer a, gconstpointer b)
{
  const Point *x = a, *y = b;
  if (x->duration != y->duration)
    return x->duration < y->duration ? -1 : 1;
  if (x->row.lane != y->row.lane)
    return x->row.lane < y->row.lane ? -1 : 1;
  return (x->row.row > y->row.row) - (x->row.row < y->row.row);
}

static void
put_point (NpJson *j, const Point *p)
{
  np_json_object (j, NULL);
  np_json_row (j, "row", p->row.lane, p->row.row);
  np_json_i64 (j, "start", p->start);
  np_json_i64 (j, "duration", p->duration);
  np_json_end_object (j);
}

static void
put_percentiles (NpJson *j, const gint64 *sorted, guint n)
{
  static const struct {
    const char *name;
    guint mille;
  } each[] = { { "p50", 500 }, { "p90", 900 }, { "p95", 950 }, { "p99", 990 }, { "p99.9", 999 } };
  np_json_object (j, "percentiles");
  for (guint i = 0; i < G_N_ELEMENTS (each); i++)
    if (n)
      np_json_i64 (j, each[i].name, np_quantile (sorted, n, each[i].mille));
    else
      np_json_null (j, each[i].name);
  np_json_end_object (j);
}

static double
log_of (double ps)
{
  return log (ps < 1 ? 1 : ps);
}

/* Returns where bin i of n begins. */
static gint64
edge (const Bins *bins, guint i)
{
  if (i == 0)
    return bins->low;
  if (i == bins->n)
    return bins->high;
  double part = (double) i / bins->n, from = (double) bins->low, to = (double) bins->high;
  if (bins->logarithmic) /* of what is 0 the logarithm is that of 1 ps */
    return (gint64) (exp (log_of (from) + part * (log_of (to) - log_of (from))));
  return bins->low + (gint64) (part * (to - from));
}

/* Durations outside of what the bins span are in none. */
static void
put_bins (NpJson *j, const gint64 *sorted, guint n, Bins bins)
{
  guint at = 0;
  bins.low = bins.low < 0 && n ? sorted[0] : bins.low;
  bins.high = bins.high < 0 && n ? sorted[n - 1] : bins.high;
  bins.high = MAX (bins.high, bins.low);
  while (at < n && sorted[at] < bins.low)
    at++;
  np_json_array (j, "bins");
  for (guint i = 0; n && i < bins.n; i++) {
    gint64 from = edge (&bins, i), to = edge (&bins, i + 1);
    guint begin = at;
    while (at < n && (sorted[at] < to || (i + 1 == bins.n && sorted[at] == to)))
      at++;
    np_json_object (j, NULL);
    np_json_i64 (j, "from", from);
    np_json_i64 (j, "to", to);
    np_json_number (j, "count", at - begin);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_all (NpAsk *ask, Found *found, Bins bins)
{
  NpJson *j = &ask->json;
  GArray *points = found->points;
  guint n = points->len, stride = n / MAX_POINTS + 1;
  gint64 sum = 0;
  np_json_object (j, NULL);
  np_json_number (j, "count", n + found->unclosed);
  np_json_number (j, "unclosed", found->unclosed);
  np_json_array (j, "scatter");
  for (guint i = 0; i < n; i += stride)
    put_point (j, &g_array_index (points, Point, i));
  np_json_end_array (j);
  g_array_sort (points, by_duration);
  g_autofree gint64 *sorted = g_new (gint64, n + 1);
  for (guint i = 0; i < n; i++) {
    sorted[i] = g_array_index (points, Point, i).duration;
    sum += sorted[i];
  }
  np_json_array (j, "outliers");
  for (guint i = n; i-- > 0 && n - i <= OUTLIERS;)
    put_point (j, &g_array_index (points, Point, i));
  np_json_end_array (j);
  put_percentiles (j, sorted, n);
  const char *const names[] = { "min", "max", "mean" };
  const gint64 values[] = { n ? sorted[0] : 0, n ? sorted[n - 1] : 0, n ? sum / (gint64) n : 0 };
  for (guint i = 0; i < 3; i++)
    if (n)
      np_json_i64 (j, names[i], values[i]);
    else
      np_json_null (j, names[i]);
  put_bins (j, sorted, n, bins);
  np_json_end_object (j);
}

/* Reads where bins begin or end, -1 if nobody says it: no number in between is beyond 64 bits. */
static gboolean
ask_end (NpAsk *ask, const char *name, gint64 *ps)
{
  if (!np_ask_i64 (ask, name, -1, ps))
    return FALSE;
  gboolean fits = *ps >= 0 && *ps <= G_MAXINT64 / 2;
  return fits || !np_request_param (ask->request, name)
         || np_ask_wrong (ask, name, "ps from 0 to 4611686018427387903");
}

gboolean
np_ask_latency (NpAsk *ask)
{
  gint64 t0, t1;
  guint logarithmic;
  Bins bins;
  g_autofree char *text = search_text (ask);
  g_autoptr (NpParts) parts = NULL;
  g_autoptr (GArray) tracks = text ? np_ask_chosen (ask, &parts) : NULL;
  if (!tracks || !np_ask_range (ask, &t0, &t1)
      || !np_ask_word (ask, "scale", "lin|log", &logarithmic)
      || !np_ask_u32 (ask, "bins", 64, MAX_BINS, &bins.n) || !ask_end (ask, "low", &bins.low)
      || !ask_end (ask, "high", &bins.high))
    return FALSE;
  bins.n = MAX (bins.n, 1);
  bins.logarithmic = logarithmic;
  Found found = { parts, g_array_new (FALSE, FALSE, sizeof (Point)), 0 };
  gboolean good = collect (ask, text, tracks, t0, t1, &found);
  if (good)
    put_all (ask, &found, bins);
  g_array_unref (found.points);
  return good;
}
