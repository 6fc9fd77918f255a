/* SPDX-License-Identifier: Apache-2.0 */
/* ranges.c - reads NVTX: ranges and marks of the program.  PyTorch's emit_nvtx writes operators. */
#include "nsys.h"
#include "producers/pytorch.h"

#include <string.h>

/* source: ENUM_NSYS_EVENT_TYPE */
enum {
  MARK = 34,
  PUSH_POP = 59,
  START_END = 60,
  IMPORTED_MARK = 65,
  IMPORTED_PUSH_POP = 70,
  IMPORTED_START_END = 71,
  DOMAIN = 75
};

typedef struct {
  int start, end, type, tid, text, id, domain;
  nprof_str nvtx, operator;
} Layout;

static void
lay_out (NsRows *rows, Layout *at)
{
  *at = (Layout){ .start = ns_column (rows, "start"),
                  .end = ns_column (rows, "end"),
                  .type = ns_column (rows, "eventType"),
                  .tid = ns_column (rows, "globalTid"),
                  .text = ns_column (rows, "text"),
                  .id = ns_column (rows, "textId"),
                  .domain = ns_column_if (rows, "domainId", rows->self->want_domain),
                  .nvtx = nprof_intern (rows->self->host, "nvtx"),
                  .operator= nprof_intern (rows->self->host, "cpu_op") };
}

static const char *
text_of (NsRows *rows, const Layout *at)
{
  gint64 id;
  const char *text = ns_text (rows, at->text);
  if (text || !ns_int (rows, at->id, &id))
    return text ? text : "";
  return nprof_text (rows->self->host, ns_string (rows->self, id));
}

/* -- Domains: their names come as rows of their own, ahead or behind --------------------------- */

static gint64
domain_key (gint64 tid, gint64 domain)
{
  return NS_PROCESS (tid) ^ domain; /* the lowest bits of a process are 0 */
}

static void
take_domain (NsRows *rows, const Layout *at)
{
  gint64 type, tid, domain;
  if (!ns_int (rows, at->type, &type) || type != DOMAIN || !ns_int (rows, at->tid, &tid)
      || !ns_int (rows, at->domain, &domain))
    return;
  gint64 key = domain_key (tid, domain);
  g_hash_table_replace (rows->self->domains, g_memdup2 (&key, sizeof key),
                        GUINT_TO_POINTER (nprof_intern (rows->self->host, text_of (rows, at))));
}

static nprof_status
load_domains (Nsys *self)
{
  NsRows rows;
  Layout at;
  nprof_status status = ns_rows_begin (self, "NVTX_EVENTS", &rows);
  self->domains = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (!status)
    lay_out (&rows, &at);
  while (!status && ns_rows_next (&rows, &status))
    take_domain (&rows, &at);
  ns_rows_end_again (&rows);
  return status;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Returns the name that a range is grouped by; the attribute text has it in full. */
static nprof_str
name_of (const Layout *at, Nsys *self, const char *text, nprof_str *category)
{
  gint64 number;
  size_t len = ns_operator_name (text);
  *category = len ? at->operator: at->nvtx;
  if (len)
    return self->host->intern (self->host, text, len);
  if (!ns_names_step (self, text, &number))
    return nprof_intern (self->host, text);
  g_autofree char *name = g_strdup_printf (PYTORCH_STEP_NAME "%" G_GINT64_FORMAT, number);
  return nprof_intern (self->host, name);
}

static nprof_status
begin_row (Nsys *self, gint64 type, gint64 tid, nprof_str name, gint64 from, gint64 duration)
{
  if (type == MARK || type == IMPORTED_MARK)
    return ns_row (self, NPROF_INSTANT, ns_thread (self, tid), name, from, 0);
  if (type == START_END || type == IMPORTED_START_END)
    return ns_row (self, NPROF_SPAN, ns_ranges (self, NS_PROCESS (tid)), name, from, duration);
  return ns_row (self, NPROF_SPAN, ns_thread (self, tid), name, from, duration);
}

static nprof_status
add_attributes (NsRows *rows, const Layout *at, gint64 tid, gint64 start, const char *text,
                nprof_str name)
{
  Nsys *self = rows->self;
  gint64 domain;
  nprof_status status = NPROF_OK;
  if (self->want_text && strcmp (nprof_text (self->host, name), text) != 0)
    status = ns_attr_text (self, self->key_text, text);
  if (!status && self->want_domain && ns_int (rows, at->domain, &domain) && domain) {
    gint64 key = domain_key (tid, domain);
    nprof_str known = GPOINTER_TO_UINT (g_hash_table_lookup (self->domains, &key));
    if (known)
      status = nprof_attr_str (self->w, self->key_domain, known);
  }
  if (!status)
    status = ns_step_at (self, NS_PROCESS (tid), start);
  return status ? status : ns_rest (rows);
}

static bool
is_row (gint64 type)
{
  return type == MARK || type == PUSH_POP || type == START_END || type == IMPORTED_MARK
         || type == IMPORTED_PUSH_POP || type == IMPORTED_START_END;
}

/* -- Read ahead -------------------------------------------------------------------------------- */

/* Returns whether the row is a range of one thread that ended, and no step. */
static bool
take_ahead (NsRows *rows, const Layout *at, NsRange *range)
{
  Nsys *self = rows->self;
  gint64 type = PUSH_POP, number;
  ns_int (rows, at->type, &type);
  if ((type != PUSH_POP && type != IMPORTED_PUSH_POP) || !ns_int (rows, at->start, &range->start)
      || !ns_int (rows, at->end, &range->end) || !ns_int (rows, at->tid, &range->thread))
    return false;
  const char *text = text_of (rows, at);
  nprof_str category;
  if (ns_names_step (self, text, &number))
    return false;
  range->name = name_of (at, self, text, &category);
  range->is_operator = category == at->operator;
  return true;
}

nprof_status
ns_ranges_read (Nsys *self, GArray *ranges)
{
  NsRows rows;
  Layout at;
  NsRange range;
  nprof_status status = ns_rows_begin (self, "NVTX_EVENTS", &rows);
  if (!status)
    lay_out (&rows, &at);
  while (!status && ns_rows_next (&rows, &status))
    if (take_ahead (&rows, &at, &range))
      g_array_append_val (ranges, range);
  ns_rows_end_again (&rows);
  return status;
}

/* -- Decoding ---------------------------------------------------------------------------------- */

static nprof_status
take_range (NsRows *rows, const Layout *at)
{
  Nsys *self = rows->self;
  gint64 type = PUSH_POP, start, end, tid, from, to = 0;
  ns_int (rows, at->type, &type);
  if (!is_row (type)) {
    if (type != DOMAIN)
      self->host->skip (self->host, "row of NVTX_EVENTS", 0,
                        "it names something, and lasts no time");
    return NPROF_OK;
  }
  if (!ns_int (rows, at->start, &start) || !ns_int (rows, at->tid, &tid))
    return ns_damaged (rows, "start or globalTid is no number");
  bool ended = ns_int (rows, at->end, &end);
  if (!ns_time (self, start, &from) || (ended && (end < start || !ns_time (self, end, &to))))
    return ns_damaged (rows, "it ends before it starts, or its times are out of range");
  nprof_str category;
  const char *text = text_of (rows, at);
  nprof_str name = name_of (at, self, text, &category);
  nprof_status status = begin_row (self, type, tid, name, from, ended ? to - from : -1);
  if (status)
    return status;
  nprof_set_category (self->w, category);
  return add_attributes (rows, at, tid, start, text, name);
}

nprof_status
ns_decode_ranges (Nsys *self)
{
  NsRows rows;
  Layout at;
  if (!ns_has (self, "NVTX_EVENTS"))
    return NPROF_OK;
  nprof_status status = self->want_domain ? load_domains (self) : NPROF_OK;
  if (status)
    return status;
  status = ns_rows_begin (self, "NVTX_EVENTS", &rows);
  if (!status)
    lay_out (&rows, &at);
  while (!status && ns_rows_next (&rows, &status))
    status = take_range (&rows, &at);
  ns_rows_end (&rows);
  return status;
}
