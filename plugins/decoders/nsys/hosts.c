/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - reads what threads did: calls of CUDA and of the system, overhead of the profiler, and
 * calls of any other library whose table has the columns that all such tables have. */
#include "nsys.h"

typedef struct {
  int start, end, tid, name, text, correlation, class;
  nprof_str category, driver;
} Layout;

enum { CLASS_DRIVER = 1 }; /* of ENUM_NSYS_EVENT_CLASS: 0 is the runtime */

static const char *const ids[] = { "nameId", "textId", "functionId", NULL };
static const char *const texts[] = { "name", "text", NULL };

static void
lay_out (NsRows *rows, Layout *at, bool launches)
{
  *at = (Layout){ .start = ns_column (rows, "start"),
                  .end = ns_column (rows, "end"),
                  .tid = ns_column (rows, "globalTid"),
                  .name = ns_column_of (rows, ids),
                  .correlation
                  = launches ? ns_column_if (rows, "correlationId", rows->self->want_correlation)
                             : -1,
                  .class = launches ? ns_column (rows, "eventClass") : -1 };
  at->text = at->name < 0 ? ns_column_of (rows, texts) : -1;
}

static nprof_str
name_of (NsRows *rows, const Layout *at)
{
  gint64 id;
  if (ns_int (rows, at->name, &id))
    return ns_call_name (rows->self, id);
  const char *text = ns_text (rows, at->text);
  return nprof_intern (rows->self->host, text ? text : "call without a name");
}

static nprof_str
category_of (NsRows *rows, const Layout *at)
{
  gint64 class;
  return ns_int (rows, at->class, &class) && class == CLASS_DRIVER ? at->driver : at->category;
}

static nprof_status
take_call (NsRows *rows, const Layout *at)
{
  Nsys *self = rows->self;
  gint64 start, end, tid, from, to, v;
  if (!ns_int (rows, at->start, &start) || !ns_int (rows, at->tid, &tid))
    return ns_damaged (rows, "start or globalTid is no number");
  bool ended = ns_int (rows, at->end, &end);
  if (!ns_time (self, start, &from) || (ended && (end < start || !ns_time (self, end, &to))))
    return ns_damaged (rows, "it ends before it starts, or its times are out of range");
  nprof_status status = ns_row (self, NPROF_SPAN, ns_thread (self, tid), name_of (rows, at), from,
                                ended ? to - from : -1);
  if (status)
    return status;
  nprof_set_category (self->w, category_of (rows, at));
  if (self->want_correlation && ns_int (rows, at->correlation, &v) && v > 0)
    status = nprof_attr_uint (self->w, self->key_correlation,
                              ns_correlation (self, NS_PROCESS (tid), v));
  if (!status)
    status = ns_step_at (self, NS_PROCESS (tid), start);
  return status ? status : ns_rest (rows);
}

static nprof_status
decode_table (Nsys *self, const char *table, const char *category, bool launches)
{
  NsRows rows;
  Layout at;
  nprof_status status = ns_rows_begin (self, table, &rows);
  if (!status) {
    lay_out (&rows, &at, launches);
    at.category = nprof_intern (self->host, category);
    at.driver = nprof_intern (self->host, "cuda_driver");
  }
  while (!status && ns_rows_next (&rows, &status))
    status = take_call (&rows, &at);
  ns_rows_end (&rows);
  return status;
}

/* -- Tables that this does not know ------------------------------------------------------------ */

/* Returns whether it has what a table of calls has. */
static bool
holds_calls (Nsys *self, const char *table)
{
  NsRows rows;
  Layout at;
  if (ns_rows_begin (self, table, &rows)) {
    ns_rows_end (&rows);
    return true; /* decoding says what is wrong */
  }
  lay_out (&rows, &at, false);
  bool holds = at.start >= 0 && at.end >= 0 && at.tid >= 0 && (at.name >= 0 || at.text >= 0);
  ns_rows_end (&rows);
  return holds;
}

static nprof_status
decode_others (Nsys *self)
{
  g_autoptr (GList) names = db_tables (&self->db);
  nprof_status status = NPROF_OK;
  for (const GList *at = names; at && !status; at = at->next) {
    DbTable *table = g_hash_table_lookup (self->db.tables, at->data);
    if (table->read)
      continue;
    if (!holds_calls (self, table->key)) {
      table->read = false;
      continue;
    }
    g_autofree char *category = g_ascii_strdown (table->key, -1);
    status = decode_table (self, table->key, category, false);
  }
  return status;
}

nprof_status
ns_decode_hosts (Nsys *self)
{
  static const struct {
    const char *table, *category;
    bool launches;
  } sources[] = {
    { "CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime", true },
    { "OSRT_API", "os_runtime", false },
    { "CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", false },
    { "PROFILER_OVERHEAD", "overhead", false },
  };
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (sources) && !status; i++)
    if (ns_has (self, sources[i].table))
      status = decode_table (self, sources[i].table, sources[i].category, sources[i].launches);
  return status ? status : decode_others (self);
}
