/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - reads the records of each section and writes them as rows: marks first, for the
 * steps, then calls, then the work that they launched. */
#include "rv.h"

#include <string.h>

typedef struct {
  Rv *self;
  RvProcess *p;
  const char *section; /* its name */
  const char *what;    /* "record of NAME" */
  const char *at;      /* the record */
  TeValue v[RV_RECORD_KEYS];
  RocmSpan span;
} Record;

typedef nprof_status Take (Record *r, gpointer user);

/* The second pass reports what the first one saw as well. */
static nprof_status
no_times (const Record *r)
{
  if (r->self->surveying)
    return NPROF_OK;
  return nprof_damage (r->self->host, rv_byte (r->self, r->at),
                       "%s: start_timestamp or end_timestamp is no whole number", r->what);
}

static nprof_status
take_one (Record *r, const TeValue *value, Take *take, gpointer user)
{
  if (value->kind != TE_OBJECT) {
    if (!r->self->surveying)
      r->self->host->skip (r->self->host, r->what, rv_byte (r->self, r->at), "it is no object");
    return NPROF_OK;
  }
  rv_shaped (&r->self->records, value, r->v);
  r->span = (RocmSpan){ .what = r->what, .at = rv_byte (r->self, r->at) };
  if (r->v[RV_START].kind != TE_INT || r->v[RV_END].kind != TE_INT)
    return no_times (r);
  r->span.start = r->v[RV_START].i;
  r->span.end = r->v[RV_END].i;
  return take (r, user);
}

/* Reads an array of records; what cannot be read was reported when its place was found. */
static nprof_status
each (Rv *self, RvProcess *p, const RvSection *section, Take *take, gpointer user)
{
  g_autofree char *what = g_strconcat ("record of ", section->name, NULL);
  Record r = { .self = self, .p = p, .section = section->name, .what = what };
  TeValue value;
  nprof_status status = NPROF_OK;
  for (const char *at = section->at + 1; !status && (at = rv_next (self, at, &value));) {
    r.at = value.kind == TE_TEXT ? value.p - 1 : value.p;
    status = take_one (&r, &value, take, user);
    if (!status)
      status = rv_progress (self, at);
  }
  return status;
}

/* -- What records have in common --------------------------------------------------------------- */

static guint64
correlation_of (Record *r)
{
  const gint64 id = rv_inner (r->self, &r->v[RV_CORRELATION], "internal");
  return id == ROCM_UNKNOWN ? 0 : (guint64) id;
}

static RocmAgent *
agent_of (Record *r, const TeValue *value)
{
  const gint64 handle = rv_inner (r->self, value, "handle");
  return handle == ROCM_UNKNOWN ? NULL : rocm_agent_of (r->p->process, (guint64) handle);
}

static const RvKind *
kind_of (const Record *r)
{
  return rv_kind (r->p, rv_int (&r->v[RV_KIND]));
}

static nprof_str
operation_of (const Record *r)
{
  return rv_operation (kind_of (r), rv_int (&r->v[RV_OPERATION]));
}

/* -- Marks and calls --------------------------------------------------------------------------- */

static nprof_str
text_of (const Record *r, guint64 correlation)
{
  const RocmText *text = ids_find (&r->p->texts, (gint64) correlation);
  return text ? text->text : 0;
}

static nprof_status
take_mark (Record *r, gpointer user)
{
  const nprof_str call = operation_of (r);
  (void) user;
  r->span.correlation = correlation_of (r);
  return rocm_mark (r->p->process,
                    &(RocmMark){ .span = r->span,
                                 .tid = rv_int (&r->v[RV_THREAD]),
                                 .text = text_of (r, r->span.correlation),
                                 .call = call ? nprof_text (r->self->host, call) : NULL });
}

static nprof_status
take_call (Record *r, gpointer user)
{
  const struct nprof_host *host = r->self->host;
  const RvKind *kind = kind_of (r);
  const nprof_str name = operation_of (r);
  if (kind && kind->marks)
    return take_mark (r, user);
  r->span.correlation = correlation_of (r);
  return rocm_call (r->p->process,
                    &(RocmCall){ .span = r->span,
                                 .tid = rv_int (&r->v[RV_THREAD]),
                                 .name = name ? name : nprof_intern (host, "call without a name"),
                                 .category = kind ? kind->category : nprof_intern (host, "call") });
}

/* -- Kernels ----------------------------------------------------------------------------------- */

/* Takes the counters of a dispatch, and adds them to its row, where there is one. */
static nprof_status
take_counts_of (const Record *r, gint64 dispatch, bool begun)
{
  guint n;
  const struct nprof_host *host = r->self->host;
  nprof_status status = NPROF_OK;
  const RocmCount *counts = rocm_counts_of (&r->p->counts, dispatch, &n);
  for (guint i = 0; i < n && begun && !status; i++) {
    const RocmText *name = ids_find (&r->p->names, counts[i].counter);
    if (!name)
      host->skip (host, "record of counter_collection", 0, "its counter has no name");
    else if (host->wanted (host, nprof_text (host, name->text)))
      status = nprof_attr_double (r->self->rocm.w, name->text, counts[i].value);
  }
  return status;
}

static void
three (Record *r, const TeValue *object, gint64 *sizes)
{
  static const char *const axes[] = { "x", "y", "z", NULL };
  TeValue v[3];
  rv_members (r->self, object, axes, v);
  for (guint i = 0; i < 3; i++)
    sizes[i] = rv_int (&v[i]);
}

static nprof_status
take_kernel (Record *r, gpointer user)
{
  TeValue v[RV_DISPATCH_KEYS];
  bool begun;
  (void) user;
  rv_shaped (&r->self->dispatches, &r->v[RV_DISPATCH], v);
  r->span.correlation = correlation_of (r);
  const RocmSymbol *symbol = ids_find (&r->p->symbols, rv_int (&v[RV_DISPATCH_KERNEL]));
  RocmKernel k
      = { .span = r->span,
          .agent = agent_of (r, &v[RV_DISPATCH_AGENT]),
          .name = symbol ? symbol->name : nprof_intern (r->self->host, "kernel without a name"),
          .queue = rv_inner (r->self, &v[RV_DISPATCH_QUEUE], "handle"),
          .stream = rv_inner (r->self, &r->v[RV_STREAM], "handle"),
          .dispatch = rv_int (&v[RV_DISPATCH_NUMBER]),
          .shared = rv_int (&v[RV_DISPATCH_SHARED]),
          .scratch = rv_int (&v[RV_DISPATCH_SCRATCH]),
          .registers = symbol ? symbol->registers : ROCM_UNKNOWN,
          .graph = ROCM_UNKNOWN,
          .node = ROCM_UNKNOWN };
  three (r, &v[RV_DISPATCH_BLOCK], k.block);
  three (r, &v[RV_DISPATCH_GRID], k.grid);
  nprof_status status = rocm_kernel (r->p->process, &k, &begun);
  return status ? status : take_counts_of (r, k.dispatch, begun);
}

/* -- Copies and allocations -------------------------------------------------------------------- */

static nprof_status
take_copy (Record *r, gpointer user)
{
  const nprof_str way = operation_of (r);
  (void) user;
  r->span.correlation = correlation_of (r);
  return rocm_copy (r->p->process,
                    &(RocmCopy){ .span = r->span,
                                 .from = agent_of (r, &r->v[RV_FROM]),
                                 .to = agent_of (r, &r->v[RV_TO]),
                                 .way = way ? nprof_text (r->self->host, way) : NULL,
                                 .queue = ROCM_UNKNOWN,
                                 .stream = rv_inner (r->self, &r->v[RV_STREAM], "handle"),
                                 .bytes = rv_int (&r->v[RV_BYTES]) });
}

static nprof_status
take_use (Record *r, gpointer user)
{
  const struct nprof_host *host = r->self->host;
  const nprof_str operation = operation_of (r);
  const char *type = nprof_text (host, operation);
  guint64 address;
  (void) user;
  if (!rv_uint (&r->v[RV_ADDRESS], &address)) {
    host->skip (host, "record of memory_allocation", r->span.at, "it has no address");
    return NPROF_OK;
  }
  if (strstr (type, "VMEM")) {
    host->skip (host, "record of memory_allocation", r->span.at,
                "it reserves addresses, no memory");
    return NPROF_OK;
  }
  r->span.what = "record of memory_allocation"; /* it is kept */
  rocm_use (r->p->process, &(RocmUse){ .span = r->span,
                                       .agent = agent_of (r, &r->v[RV_AGENT]),
                                       .frees = strstr (type, "FREE") != NULL,
                                       .address = address,
                                       .bytes = rv_int (&r->v[RV_SIZE]) });
  return NPROF_OK;
}

/* -- Counters of dispatches -------------------------------------------------------------------- */

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static double
double_of (const TeValue *value)
{
  g_autofree char *digits = g_strndup (value->p, value->len);
  return g_ascii_strtod (digits, NULL);
}

static void
take_counts (Rv *self, RvProcess *p, const TeValue *value)
{
  TeValue v[2], info, number, record, c[2];
  rv_members (self, value, NAMES ("dispatch_data", "records"), v);
  rv_members (self, &v[0], NAMES ("dispatch_info"), &info);
  rv_members (self, &info, NAMES ("dispatch_id"), &number);
  const char *at = v[1].kind == TE_ARRAY ? v[1].p + 1 : NULL;
  while (at && (at = rv_next (self, at, &record))) {
    rv_members (self, &record, NAMES ("counter_id", "value"), c);
    if (c[1].kind != TE_INT && c[1].kind != TE_WORD)
      continue;
    const RocmCount count = { .of = rv_int (&number),
                              .counter = rv_inner (self, &c[0], "handle"),
                              .value = double_of (&c[1]) };
    rocm_counts_take (&p->counts, count);
  }
}

/* Returns whether somebody reads one of the counters. */
static bool
wants_counts (const Rv *self, const RvProcess *p)
{
  for (guint i = 0; i < ids_len (&p->names); i++)
    if (self->host->wanted (self->host,
                            nprof_text (self->host,
                                        ((const RocmText *) ids_at (&p->names, i))->text)))
      return true;
  return false;
}

static void
load_counts (Rv *self, RvProcess *p)
{
  TeValue value;
  const char *at = p->counted && wants_counts (self, p) ? p->counted + 1 : NULL;
  while (at && (at = rv_next (self, at, &value)))
    take_counts (self, p, &value);
  rocm_counts_add_up (&p->counts);
}

/* -- Sections ---------------------------------------------------------------------------------- */

/* In the order in which they are read: calls know their steps by the marks, and work by the
 * calls. */
static const struct {
  const char *name; /* "": all that end in _api */
  Take *take;
} sections[] = {
  { "marker_api", take_mark },        { "", take_call },
  { "kernel_dispatch", take_kernel }, { "memory_copy", take_copy },
  { "memory_allocation", take_use },
};

/* Returns the place of a section in that order; G_N_ELEMENTS: it is none that is known. */
static gsize
order_of (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (sections); i++)
    if (strcmp (sections[i].name, name) == 0)
      return i;
  return g_str_has_suffix (name, "_api") ? 1 : G_N_ELEMENTS (sections);
}

static nprof_status
look_at (Record *r, gpointer user)
{
  gint64 *least = user;
  if (!rocm_is_span (r->span.start, r->span.end))
    return NPROF_OK;
  *least = MIN (*least, r->span.start);
  const nprof_str text = order_of (r->section) == 0 ? text_of (r, correlation_of (r)) : 0;
  if (text)
    rocm_note_step (r->p->process, nprof_text (r->self->host, text), r->span.start, r->span.end);
  return NPROF_OK;
}

nprof_status
rv_survey (Rv *self, gint64 *least)
{
  nprof_status status = NPROF_OK;
  self->surveying = true;
  for (guint i = 0; i < self->processes->len && !status; i++) {
    RvProcess *p = g_ptr_array_index (self->processes, i);
    for (guint k = 0; k < p->sections->len && !status; k++) {
      const RvSection *section = &g_array_index (p->sections, RvSection, k);
      if (order_of (section->name) < G_N_ELEMENTS (sections))
        status = each (self, p, section, look_at, least);
    }
  }
  self->surveying = false;
  return status;
}

static nprof_status
skip_record (Record *r, gpointer user)
{
  (void) user;
  r->self->host->skip (r->self->host, r->what, r->span.at,
                       "the section holds no rows that are known");
  return NPROF_OK;
}

static nprof_status
records_of (Rv *self, RvProcess *p)
{
  nprof_status status = NPROF_OK;
  load_counts (self, p);
  for (gsize i = 0; i <= G_N_ELEMENTS (sections) && !status; i++)
    for (guint k = 0; k < p->sections->len && !status; k++) {
      const RvSection *section = &g_array_index (p->sections, RvSection, k);
      Take *take = i < G_N_ELEMENTS (sections) ? sections[i].take : skip_record;
      if (order_of (section->name) == i)
        status = each (self, p, section, take, NULL);
    }
  if (!status)
    rocm_counts_end (&p->counts, self->host, "record of counter_collection",
                     "its dispatch is in no record");
  return status ? status : rocm_uses_end (p->process);
}

nprof_status
rv_records (Rv *self)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < self->processes->len && !status; i++)
    status = records_of (self, g_ptr_array_index (self->processes, i));
  return status;
}
