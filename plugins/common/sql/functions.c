/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c - functions beside SQLite's own: whole ns of ps, Perfetto's extract_arg, and what
 * people expect of statistics (median, quantile_cont, arg_max, greatest, least). */
#include "sql/profile.h"

#include <math.h>
#include <string.h>

/* -- Times ------------------------------------------------------------------------------------- */

/* row_ns (ps) rounds down, also below 0. */
static void
whole_ns (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  if (sqlite3_value_type (v[0]) != SQLITE_INTEGER)
    return;
  gint64 ps = sqlite3_value_int64 (v[0]);
  sqlite3_result_int64 (out, ps / 1000 - (ps % 1000 < 0));
}

/* trace_start () and trace_end () are those of rows that have times. */
static void
trace_edge (sqlite3_context *out, int n, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  const struct nprof_store_meta *meta = nprof_store_meta (p->store);
  (void) v;
  if (meta->first <= meta->last)
    sqlite3_result_int64 (out, n ? meta->last / 1000 - (meta->last % 1000 < 0)
                                 : meta->first / 1000 - (meta->first % 1000 < 0));
}

static void
trace_start (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  trace_edge (out, 0, v);
}

static void
trace_end (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  trace_edge (out, 1, v);
}

/* -- Tracks: row_process (track), row_pid (track), row_tid (track) ----------------------------- */

static const struct nprof_store_track *
track_of (NpSqlProfile *p, gint64 number)
{
  guint32 index = number > 0 && number <= UINT32_MAX
                      ? nprof_store_track_of (p->store, (guint32) number)
                      : UINT32_MAX;
  return index == UINT32_MAX ? NULL : nprof_store_track_at (p->store, index);
}

static bool
is_process (const struct nprof_store_track *track)
{
  return track->kind == NPROF_TRACK_PROCESS || track->kind == NPROF_TRACK_DEVICE;
}

static const struct nprof_store_track *
process_of (NpSqlProfile *p, const struct nprof_store_track *track)
{
  for (guint left = 64; track && !is_process (track) && left;
       left--) /* a damaged store may have a circle */
    track = track_of (p, track->parent);
  return track && is_process (track) ? track : NULL;
}

/* Results in the whole number that a key begins with. */
static void
result_number (NpSqlProfile *p, const struct nprof_store_track *track, bool before_slash,
               sqlite3_context *out)
{
  const char *key = track ? np_sql_string (p, track->key).text : NULL;
  if (!key || (before_slash && !strchr (key, '/')))
    return;
  const char *slash = strrchr (key, '/');
  const char *digits = slash && !before_slash ? slash + 1 : key;
  if (g_ascii_isdigit (*digits))
    sqlite3_result_int64 (out, g_ascii_strtoll (digits, NULL, 10));
}

enum { UPID, PID, TID };

static void
track_number (sqlite3_context *out, sqlite3_value **v, int what)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  const struct nprof_store_track *track = track_of (p, sqlite3_value_int64 (v[0])),
                                 *process = process_of (p, track);
  if (what == UPID && process)
    sqlite3_result_int64 (out, process->number);
  else if (what == PID && process)
    result_number (p, process->kind == NPROF_TRACK_DEVICE ? track : process,
                   process->kind == NPROF_TRACK_DEVICE, out);
  else if (what == TID)
    result_number (p, track, false, out);
}

static void
row_process (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  track_number (out, v, UPID);
}

static void
row_pid (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  track_number (out, v, PID);
}

static void
row_tid (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  track_number (out, v, TID);
}

void
np_sql_result_place (guint32 lane, guint32 row, sqlite3_context *out)
{
  char text[24];
  int len = g_snprintf (text, sizeof text, "%u.%u", lane, row);
  sqlite3_result_text (out, text, len, SQLITE_TRANSIENT);
}

/* row_place (rowid): the row as nprof view calls it. */
static void
row_place (sqlite3_context *out, int n, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  NpSqlRow row;
  (void) n;
  if (sqlite3_value_type (v[0]) == SQLITE_INTEGER
      && np_sql_row (p, sqlite3_value_int64 (v[0]), &row))
    np_sql_result_place (row.lane, row.block->first + row.i, out);
}

/* row_part (kernel_details, "grid:", 2) is the number at that place of the list behind the word. */
static void
row_part (sqlite3_context *out, int n, sqlite3_value **v)
{
  const char *text = (const char *) sqlite3_value_text (v[0]),
             *word = (const char *) sqlite3_value_text (v[1]);
  const char *at = text && word ? strstr (text, word) : NULL;
  (void) n;
  at = at ? at + strlen (word) : NULL;
  for (int k = sqlite3_value_int (v[2]); at && k > 0; k--) {
    at += strcspn (at, ", "); /* an unknown number is "?" */
    at = *at == ',' ? at + 1 : NULL;
  }
  if (at && g_ascii_isdigit (*at))
    sqlite3_result_int64 (out, g_ascii_strtoll (at, NULL, 10));
}

/* -- extract_arg (arg_set_id, key) ------------------------------------------------------------- */

static const char *
without_prefix (const char *key)
{
  if (g_str_has_prefix (key, "args."))
    return key + 5;
  return g_str_has_prefix (key, "debug.") ? key + 6 : key;
}

static bool
names_field (NpSqlProfile *p, const struct nprof_store_field *f, const char *key)
{
  NpSqlText text = np_sql_string (p, f->key);
  return text.text && (!strcmp (text.text, key) || !strcmp (text.text, without_prefix (key)));
}

/* Results in a member of the attribute args, as its file wrote it. */
static void
result_member (sqlite3 *db, const struct nprof_store_field *args, const char *key,
               sqlite3_context *out)
{
  sqlite3_stmt *stmt;
  if (sqlite3_prepare_v2 (
          db,
          "SELECT coalesce(json_extract(?1, '$.\"' || ?2 || '\"'), json_extract(?1, '$.' || ?2)) "
          "WHERE json_valid(?1)",
          -1, &stmt, NULL))
    return;
  sqlite3_bind_text64 (stmt, 1, args->v.text, args->len, SQLITE_STATIC, SQLITE_UTF8);
  sqlite3_bind_text (stmt, 2, key, -1, SQLITE_STATIC);
  if (sqlite3_step (stmt) == SQLITE_ROW)
    sqlite3_result_value (out, sqlite3_column_value (stmt, 0));
  sqlite3_finalize (stmt);
}

static void
extract_arg (sqlite3_context *out, int argc, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  const char *key = (const char *) sqlite3_value_text (v[1]);
  const struct nprof_store_field *fields, *args = NULL;
  struct nprof_event event;
  NpSqlRow row;
  guint32 n;
  (void) argc;
  if (!key || sqlite3_value_type (v[0]) != SQLITE_INTEGER
      || !np_sql_row (p, sqlite3_value_int64 (v[0]), &row))
    return;
  if (!np_sql_event (p, &row, &event)
      || !nprof_store_fields (&p->query, &event, false, &fields, &n)) {
    sqlite3_result_error (out, p->query.error, -1);
    return;
  }
  for (guint32 i = 0; i < n; i++) {
    const struct nprof_store_field *f = fields + i;
    if (names_field (p, f, key)) {
      np_sql_result_value (p, f->type, f->type == NPROF_STRING ? f->v.s : f->v.u, f->v.text, f->len,
                           out);
      return;
    }
    if (f->type == NPROF_JSON && g_strcmp0 (np_sql_string (p, f->key).text, "args") == 0)
      args = f;
  }
  if (args)
    result_member (sqlite3_context_db_handle (out), args, without_prefix (key), out);
}

/* -- Quantiles --------------------------------------------------------------------------------- */

typedef struct {
  GArray *values; /* of double */
  double q;
} Quantile;

static void
quantile_step (sqlite3_context *out, int n, sqlite3_value **v)
{
  Quantile *a = sqlite3_aggregate_context (out, sizeof *a);
  if (!a || sqlite3_value_type (v[0]) == SQLITE_NULL)
    return;
  if (!a->values)
    a->values = g_array_new (FALSE, FALSE, sizeof (double));
  double value = sqlite3_value_double (v[0]);
  a->q = n > 1 ? sqlite3_value_double (v[1]) : 0.5;
  g_array_append_val (a->values, value);
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* The result lies between the two neighbours of its place, as in DuckDB and numpy. */
static void
quantile_final (sqlite3_context *out)
{
  Quantile *a = sqlite3_aggregate_context (out, 0);
  if (!a || !a->values)
    return;
  if (!(a->q >= 0 && a->q <= 1)) {
    sqlite3_result_error (out, "a quantile is between 0 and 1", -1);
  } else {
    g_array_sort (a->values, by_value);
    double at = a->q * (a->values->len - 1), below = floor (at);
    guint i = (guint) below;
    double x = g_array_index (a->values, double, i),
           y = g_array_index (a->values, double, MIN (i + 1, a->values->len - 1));
    sqlite3_result_double (out, x + (y - x) * (at - below));
  }
  g_clear_pointer (&a->values, g_array_unref);
}

/* -- weighted_avg (x, weight) ------------------------------------------------------------------ */

typedef struct {
  double mean, weight;
} Mean;

/* The mean is moved by the share of the weight that is new: a sum of products may be more than a
 * double holds. */
static void
mean_step (sqlite3_context *out, int n, sqlite3_value **v)
{
  Mean *m = sqlite3_aggregate_context (out, sizeof *m);
  double weight = sqlite3_value_double (v[1]);
  (void) n;
  if (!m || sqlite3_value_type (v[0]) == SQLITE_NULL || !(weight > 0))
    return;
  m->weight += weight;
  m->mean += (sqlite3_value_double (v[0]) - m->mean) * (weight / m->weight);
}

static void
mean_final (sqlite3_context *out)
{
  const Mean *m = sqlite3_aggregate_context (out, 0);
  if (m && m->weight > 0)
    sqlite3_result_double (out, m->mean);
}

/* -- arg_max (value, by) and arg_min ----------------------------------------------------------- */

typedef struct {
  sqlite3_value *value, *by;
} Best;

static bool
is_less (sqlite3_value *a, sqlite3_value *b)
{
  if (sqlite3_value_type (a) == SQLITE_TEXT && sqlite3_value_type (b) == SQLITE_TEXT)
    return strcmp ((const char *) sqlite3_value_text (a), (const char *) sqlite3_value_text (b))
           < 0;
  if (sqlite3_value_type (a) == SQLITE_INTEGER && sqlite3_value_type (b) == SQLITE_INTEGER)
    return sqlite3_value_int64 (a) < sqlite3_value_int64 (b);
  return sqlite3_value_double (a) < sqlite3_value_double (b);
}

static void
take_best (sqlite3_context *out, sqlite3_value **v, bool most)
{
  Best *best = sqlite3_aggregate_context (out, sizeof *best);
  if (!best || sqlite3_value_type (v[1]) == SQLITE_NULL || sqlite3_value_type (v[0]) == SQLITE_NULL
      || (best->by && !(most ? is_less (best->by, v[1]) : is_less (v[1], best->by))))
    return;
  sqlite3_value_free (best->value);
  sqlite3_value_free (best->by);
  best->value = sqlite3_value_dup (v[0]);
  best->by = sqlite3_value_dup (v[1]);
}

static void
greatest_step (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  take_best (out, v, true);
}

static void
least_step (sqlite3_context *out, int n, sqlite3_value **v)
{
  (void) n;
  take_best (out, v, false);
}

static void
best_final (sqlite3_context *out)
{
  Best *best = sqlite3_aggregate_context (out, 0);
  if (!best || !best->value)
    return;
  sqlite3_result_value (out, best->value);
  sqlite3_value_free (best->value);
  sqlite3_value_free (best->by);
}

/* -- greatest and least: NULLs are skipped ------------------------------------------------- */

static void
result_extreme (sqlite3_context *out, int n, sqlite3_value **v, bool most)
{
  sqlite3_value *best = NULL;
  for (int i = 0; i < n; i++)
    if (sqlite3_value_type (v[i]) != SQLITE_NULL
        && (!best || (most ? is_less (best, v[i]) : is_less (v[i], best))))
      best = v[i];
  if (best)
    sqlite3_result_value (out, best);
}

static void
greatest (sqlite3_context *out, int n, sqlite3_value **v)
{
  result_extreme (out, n, v, true);
}

static void
least (sqlite3_context *out, int n, sqlite3_value **v)
{
  result_extreme (out, n, v, false);
}

/* -- All --------------------------------------------------------------------------------------- */

int
np_sql_make_functions (sqlite3 *db, NpSqlProfile *p, const NpSqlFunction *functions, gsize n)
{
  enum { HOW = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
  int rc = SQLITE_OK;
  for (gsize i = 0; i < n && !rc; i++)
    rc = sqlite3_create_function (db, functions[i].name, functions[i].n_values, HOW, p,
                                  functions[i].call, functions[i].step, functions[i].final);
  return rc;
}

int
np_sql_functions (sqlite3 *db, NpSqlProfile *p)
{
  static const NpSqlFunction functions[] = {
    { "row_ns", 1, whole_ns },
    { "trace_start", 0, trace_start },
    { "trace_end", 0, trace_end },
    { "row_process", 1, row_process },
    { "row_pid", 1, row_pid },
    { "row_tid", 1, row_tid },
    { "row_place", 1, row_place },
    { "row_part", 3, row_part },
    { "extract_arg", 2, extract_arg },
    { "median", 1, .step = quantile_step, .final = quantile_final },
    { "quantile_cont", 2, .step = quantile_step, .final = quantile_final },
    { "weighted_avg", 2, .step = mean_step, .final = mean_final },
    { "arg_max", 2, .step = greatest_step, .final = best_final },
    { "arg_min", 2, .step = least_step, .final = best_final },
    { "greatest", -1, greatest },
    { "least", -1, least },
  };
  return np_sql_make_functions (db, p, functions, G_N_ELEMENTS (functions));
}
