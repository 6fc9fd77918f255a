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
      g_hash_table_replace (names, g_memdup2 (&key, sizeof key),
                            GUINT_TO_POINTER (nprof_intern (self->host, text)));
  }
  ns_rows_end (&rows);
  return status;
}

static nprof_str
name_of (Nsys *self, GHashTable *names, const Metric *key)
{
  nprof_str name = GPOINTER_TO_UINT (g_hash_table_lookup (names, key));
  if (name)
    return name;
  g_autofree char *text = g_strdup_printf ("metric %" G_GINT64_FORMAT, key->metric);
  return nprof_intern (self->host, text);
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
  if (sqlite3_column_type (rows->stmt, at[3]) == SQLITE_NULL)
    return NPROF_OK;
  nprof_status status = ns_row (self, NPROF_COUNTER, ns_gpu (self, key.type & 0xff),
                                name_of (self, names, &key), ps, 0);
  if (status)
    return status;
  nprof_set_value (self->w, sqlite3_column_double (rows->stmt, at[3]));
  return ns_rest (rows);
}

nprof_status
ns_decode_metrics (Nsys *self)
{
  static const char *const times[] = { "timestamp", "rawTimestamp", "start", NULL };
  NsRows rows;
  if (!ns_has (self, "GPU_METRICS"))
    return NPROF_OK;
  g_autoptr (GHashTable) names = g_hash_table_new_full (metric_hash, metric_equal, g_free, NULL);
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
