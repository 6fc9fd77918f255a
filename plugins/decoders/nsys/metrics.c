/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - reads the samples of GPUs: a counter for each metric, on the GPU's track.  The lowest
 * byte of a typeId is the number of the GPU. source: recipe gpu_metric_util_map of Nsight Systems,
 * which joins the two tables the same way */
#include "nsys.h"

typedef struct {
  gint64 type, metric;
} Metric;

static guint
metric_hash (gconstpointer p)
{
  const Metric *m = p;
  return g_int64_hash (&m->type) * 31 + g_int64_hash (&m->metric);
}

static gboolean
metric_equal (gconstpointer a, gconstpointer b)
{
  const Metric *x = a, *y = b;
  return x->type == y->type && x->metric == y->metric;
}

typedef struct {
  nprof_str name;
  nprof_set unit;
} Series;

/* Tells a metric's unit by its name, which ends in it: "GPC Clock Frequency [MHz]",
 * "SMs Active [Throughput %]".  0: it does not. */
static nprof_status
find_unit (Nsys *self, const char *name, nprof_set *unit)
{
  const char *open = strrchr (name, '['), *end = open ? strchr (open, ']') : NULL;
  *unit = 0;
  if (!end || end[1] || end == open + 1)
    return NPROF_OK;
  g_autofree char *inside = g_strndup (open + 1, (gsize) (end - open - 1));
  const char *space = strrchr (inside, ' ');
  *unit = nprof_unit (self->host, space ? space + 1 : inside);
  return *unit ? NPROF_OK : NPROF_E_NOMEM;
}

static nprof_status
add_series (Nsys *self, GHashTable *names, const Metric *key, const char *name)
{
  Series *series = g_new0 (Series, 1);
  series->name = nprof_intern (self->host, name);
  g_hash_table_replace (names, g_memdup2 (key, sizeof *key), series);
  return find_unit (self, name, &series->unit);
}

static nprof_status
load_names (Nsys *self, GHashTable *names)
{
  NsRows rows;
  Metric key;
  if (!ns_has (self, "TARGET_INFO_GPU_METRICS"))
    return NPROF_OK;
  nprof_status status = ns_rows_begin (self, "TARGET_INFO_GPU_METRICS", &rows);
  int type = status ? -1 : ns_column (&rows, "typeId"),
      metric = status ? -1 : ns_column (&rows, "metricId");
  int name = status ? -1 : ns_column (&rows, "metricName");
  while (!status && ns_rows_next (&rows, &status)) {
    const char *text = ns_text (&rows, name);
    if (ns_int (&rows, type, &key.type) && ns_int (&rows, metric, &key.metric) && text)
      status = add_series (self, names, &key, text);
  }
  ns_rows_end (&rows);
  return status;
}

static nprof_status
find_series (Nsys *self, GHashTable *names, const Metric *key, const Series **series)
{
  nprof_status status = NPROF_OK;
  if (!g_hash_table_contains (names, key)) {
    g_autofree char *text = g_strdup_printf ("metric %" G_GINT64_FORMAT, key->metric);
    status = add_series (self, names, key, text);
  }
  *series = g_hash_table_lookup (names, key);
  return status;
}

static nprof_status
take_sample (NsRows *rows, const int *at, GHashTable *names)
{
  Nsys *self = rows->self;
  Metric key;
  gint64 when, ps;
  if (!ns_int (rows, at[0], &when) || !ns_int (rows, at[1], &key.type)
      || !ns_int (rows, at[2], &key.metric) || at[3] < 0 || !ns_time (self, when, &ps))
    return ns_damaged (rows, "timestamp, typeId, metricId or value is no number");
  if (sqlite3_column_type (rows->all.in.stmt, at[3]) == SQLITE_NULL)
    return NPROF_OK;
  const Series *series;
  nprof_status status = find_series (self, names, &key, &series);
  if (!status)
    status = ns_row (self, NPROF_COUNTER, ns_gpu (self, key.type & 0xff), series->name, ps, 0);
  if (status)
    return status;
  nprof_set_value (self->w, sqlite3_column_double (rows->all.in.stmt, at[3]));
  if (series->unit)
    nprof_set_shared (self->w, series->unit);
  return ns_rest (rows);
}

nprof_status
ns_decode_metrics (Nsys *self)
{
  static const char *const times[] = { "timestamp", "rawTimestamp", "start", NULL };
  NsRows rows;
  if (!ns_has (self, "GPU_METRICS"))
    return NPROF_OK;
  g_autoptr (GHashTable) names = g_hash_table_new_full (metric_hash, metric_equal, g_free, g_free);
  nprof_status status = load_names (self, names);
  if (status)
    return status;
  status = ns_rows_begin (self, "GPU_METRICS", &rows);
  const int at[]
      = { status ? -1 : ns_column_of (&rows, times), status ? -1 : ns_column (&rows, "typeId"),
          status ? -1 : ns_column (&rows, "metricId"), status ? -1 : ns_column (&rows, "value") };
  while (!status && ns_rows_next (&rows, &status))
    status = take_sample (&rows, at, names);
  ns_rows_end (&rows);
  return status;
}
