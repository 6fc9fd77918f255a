/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - reads the rows of each table and writes them as rows of nprof. */
#include "rc.h"
#include "json/scan.h"

#include <string.h>

#define REPORT (1 << 20) /* bytes between two looks at whether the run goes on */

typedef struct {
  Rc *self;
  const RcTable *table;
  CsvRecord record;
  guint64 line;
  RcProcess *process;
  RocmSpan span;
} Row;

typedef nprof_status Take (Row *row, gpointer user);

/* -- Fields ------------------------------------------------------------------------------------ */

/* Returns NULL where the row has none, or an empty one. */
static const CsvField *
field_at (const Row *row, RcColumn column)
{
  const gint8 at = row->table->column[column];
  if (at < 0 || (unsigned) at >= row->record.n || !row->record.field[at].len)
    return NULL;
  return &row->record.field[at];
}

static gint64
number_at (const Row *row, RcColumn column)
{
  gint64 number;
  const CsvField *field = field_at (row, column);
  return field && csv_int (field, &number) ? number : ROCM_UNKNOWN;
}

/* Returns 0 where there is none. */
static nprof_str
text_at (const Row *row, RcColumn column)
{
  const struct nprof_host *host = row->self->host;
  const CsvField *field = field_at (row, column);
  if (!field)
    return 0;
  if (!field->doubled)
    return host->intern (host, field->p, field->len);
  g_autofree char *plain = g_malloc (field->len);
  return host->intern (host, plain, csv_plain (field, plain));
}

/* Reads "Agent 4", or 4 as older versions write; ROCM_UNKNOWN: it is neither. */
static gint64
agent_number (const Row *row, RcColumn column)
{
  gint64 number;
  CsvField field;
  const CsvField *at = field_at (row, column);
  if (!at)
    return ROCM_UNKNOWN;
  field = *at;
  const gsize word = csv_starts (at, "Agent ") ? strlen ("Agent ") : 0;
  field.p += word;
  field.len -= word;
  return csv_int (&field, &number) ? number : ROCM_UNKNOWN;
}

/* Returns an agent.  Where no table says which agents there are, one on which something runs is
 * a GPU with the number that it has among all. */
static RocmAgent *
agent_at (const Row *row, RcColumn column, bool runs)
{
  const gint64 number = agent_number (row, column);
  if (number == ROCM_UNKNOWN)
    return NULL;
  RocmAgent *agent = rocm_agent_of (row->process->process, (guint64) number);
  if (agent || row->process->agents_stated || !runs)
    return agent;
  agent = rocm_agent (row->process->process, (guint64) number);
  agent->gpu = true;
  agent->index = number;
  return agent;
}

static double
double_of (const CsvField *field)
{
  g_autofree char *digits = g_strndup (field->p, field->len);
  return g_ascii_strtod (digits, NULL);
}

/* -- Processes --------------------------------------------------------------------------------- */

void
rc_process_free (gpointer data)
{
  RcProcess *p = data;
  ids_clear (&p->counts);
  g_array_unref (p->counters);
  g_free (p);
}

/* Files are named PID_kernel_trace.csv, unless the user gave them a name. */
static gint64
pid_of (const Row *row)
{
  gint64 pid = number_at (row, RC_PROCESS);
  char *end;
  if (pid != ROCM_UNKNOWN)
    return pid;
  pid = g_ascii_strtoll (row->self->stem, &end, 10);
  return end > row->self->stem && *end == '_' && pid > 0 ? pid : 0;
}

static RcProcess *
process_of (Row *row)
{
  Rc *self = row->self;
  const gpointer guid = GUINT_TO_POINTER (text_at (row, RC_GUID));
  RcProcess *p = g_hash_table_lookup (self->processes, guid);
  if (p)
    return p;
  p = g_new0 (RcProcess, 1);
  p->process = rocm_process (&self->rocm, NULL, pid_of (row), NULL);
  ids_init (&p->counts, sizeof (RocmCount));
  p->counters = g_array_new (FALSE, FALSE, sizeof (nprof_str));
  g_hash_table_insert (self->processes, guid, p);
  return p;
}

/* -- Rows of a table --------------------------------------------------------------------------- */

static const char *const whats[] = {
  [RC_AGENTS] = "row of agent_info",
  [RC_COUNTERS] = "row of counter_collection",
  [RC_MARKS] = "row of marker_api_trace",
  [RC_CALLS] = "row of an api_trace",
  [RC_KERNELS] = "row of kernel_trace",
  [RC_COPIES] = "row of memory_copy_trace",
  [RC_USES] = "row of memory_allocation_trace",
  [RC_OTHER] = "row of scratch_memory_trace",
};

/* The second pass reports what the first one saw as well. */
static nprof_status
damaged (const Row *row, const char *why)
{
  if (row->self->surveying)
    return NPROF_OK;
  return nprof_damage (row->self->host, row->span.at, "%s, line %" G_GUINT64_FORMAT ": %s",
                       row->table->file, row->line, why);
}

/* Fills in the times and what joins a row to others; false: it is damaged. */
static bool
has_span (Row *row)
{
  const CsvField *start = field_at (row, RC_START), *end = field_at (row, RC_END);
  row->span.correlation = (guint64) MAX (number_at (row, RC_CORRELATION), 0);
  return start && end && csv_int (start, &row->span.start) && csv_int (end, &row->span.end);
}

static bool
timed (const RcTable *table)
{
  return table->kind != RC_AGENTS && table->kind != RC_COUNTERS;
}

static nprof_status
take_one (Row *row, Take *take, gpointer user)
{
  row->span = (RocmSpan){ .what = whats[row->table->kind],
                          .at = (guint64) (row->record.at - row->table->data) };
  if (row->record.why)
    return damaged (row, row->record.why);
  if (csv_is_blank (&row->record))
    return NPROF_OK;
  if (timed (row->table) && !has_span (row))
    return damaged (row, "Start_Timestamp or End_Timestamp is no whole number");
  row->process = process_of (row);
  return take (row, user);
}

static nprof_status
each (Rc *self, const RcTable *table, Take *take, gpointer user)
{
  Row row = { .self = self, .table = table, .line = 2 };
  const char *told = table->rows;
  nprof_status status = NPROF_OK;
  for (const char *p = table->rows; p < table->end && !status;) {
    p = csv_record (&row.record, p, table->end);
    status = take_one (&row, take, user);
    row.line += row.record.lines;
    if (p < told + REPORT)
      continue;
    told = p;
    if (!status && self->host->cancelled (self->host))
      status = NPROF_CANCELLED;
  }
  return status;
}

/* -- What tables hold -------------------------------------------------------------------------- */

static nprof_status
take_agent (Row *row, gpointer user)
{
  const gint64 number = number_at (row, RC_NODE), index = number_at (row, RC_INDEX);
  const CsvField *type = field_at (row, RC_TYPE);
  (void) user;
  if (number == ROCM_UNKNOWN || !type)
    return damaged (row, "Node_Id is no whole number, or Agent_Type is missing");
  RcProcess *p = row->process;
  RocmAgent *agent = rocm_agent (p->process, (guint64) number);
  agent->gpu = csv_is (type, "GPU");
  agent->index = index == ROCM_UNKNOWN ? p->n_agents[agent->gpu] : index;
  agent->product = text_at (row, RC_PRODUCT);
  if (!agent->product)
    agent->product = text_at (row, RC_NAME);
  agent->cores = number_at (row, RC_CORES);
  agent->mhz = number_at (row, RC_CLOCK);
  p->n_agents[agent->gpu]++;
  p->agents_stated = true;
  return NPROF_OK;
}

/* Counters are numbered in the order in which they come. */
static gint64
counter_of (RcProcess *p, nprof_str name)
{
  for (guint i = 0; i < p->counters->len; i++)
    if (g_array_index (p->counters, nprof_str, i) == name)
      return i;
  g_array_append_val (p->counters, name);
  return p->counters->len - 1;
}

static nprof_status
take_count (Row *row, gpointer user)
{
  const CsvField *value = field_at (row, RC_VALUE);
  const nprof_str name = text_at (row, RC_COUNTER);
  RocmCount count = { .of = number_at (row, RC_DISPATCH) };
  (void) user;
  if (count.of == ROCM_UNKNOWN || !value || !name)
    return damaged (row, "Dispatch_Id, Counter_Name or Counter_Value is missing");
  count.counter = counter_of (row->process, name);
  count.value = double_of (value);
  rocm_counts_take (&row->process->counts, count);
  return NPROF_OK;
}

static nprof_status
take_mark (Row *row, gpointer user)
{
  (void) user;
  return rocm_mark (row->process->process, &(RocmMark){ .span = row->span,
                                                        .tid = number_at (row, RC_THREAD),
                                                        .text = text_at (row, RC_FUNCTION) });
}

static nprof_status
take_call (Row *row, gpointer user)
{
  const struct nprof_host *host = row->self->host;
  const nprof_str name = text_at (row, RC_FUNCTION), kind = text_at (row, RC_DOMAIN);
  (void) user;
  return rocm_call (row->process->process,
                    &(RocmCall){ .span = row->span,
                                 .tid = number_at (row, RC_THREAD),
                                 .name = name ? name : nprof_intern (host, "call without a name"),
                                 .category
                                 = rocm_category (&row->self->rocm, nprof_text (host, kind)) });
}

/* Takes the counters of a dispatch, and adds them to its row, where there is one. */
static nprof_status
take_counts (const Row *row, gint64 dispatch, bool begun)
{
  guint n;
  RcProcess *p = row->process;
  const struct nprof_host *host = row->self->host;
  nprof_status status = NPROF_OK;
  const RocmCount *counts = rocm_counts_of (&p->counts, dispatch, &n);
  for (guint i = 0; i < n && begun && !status; i++) {
    const nprof_str name = g_array_index (p->counters, nprof_str, counts[i].counter);
    if (host->wanted (host, nprof_text (host, name)))
      status = nprof_attr_double (row->self->rocm.w, name, counts[i].value);
  }
  return status;
}

static nprof_status
take_kernel (Row *row, gpointer user)
{
  const struct nprof_host *host = row->self->host;
  const nprof_str name = text_at (row, RC_KERNEL);
  bool begun;
  (void) user;
  RocmKernel k = { .span = row->span,
                   .agent = agent_at (row, RC_AGENT, true),
                   .name = name ? rocm_kernel_name (&row->self->rocm, nprof_text (host, name))
                                : nprof_intern (host, "kernel without a name"),
                   .queue = number_at (row, RC_QUEUE),
                   .stream = number_at (row, RC_STREAM),
                   .dispatch = number_at (row, RC_DISPATCH),
                   .shared = number_at (row, RC_SHARED),
                   .scratch = number_at (row, RC_SCRATCH),
                   .registers = number_at (row, RC_REGISTERS),
                   .graph = ROCM_UNKNOWN,
                   .node = ROCM_UNKNOWN };
  for (guint i = 0; i < 3; i++) {
    k.block[i] = number_at (row, RC_BLOCK + i);
    k.grid[i] = number_at (row, RC_GRID + i);
  }
  nprof_status status = rocm_kernel (row->process->process, &k, &begun);
  return status ? status : take_counts (row, k.dispatch, begun);
}

/* A table of copies states no bytes. */
static nprof_status
take_copy (Row *row, gpointer user)
{
  const struct nprof_host *host = row->self->host;
  const nprof_str way = text_at (row, RC_DIRECTION);
  const char *text = way ? nprof_text (host, way) : "";
  (void) user;
  return rocm_copy (row->process->process,
                    &(RocmCopy){ .span = row->span,
                                 .from
                                 = agent_at (row, RC_FROM, strstr (text, "DEVICE_TO") != NULL),
                                 .to = agent_at (row, RC_TO, strstr (text, "TO_DEVICE") != NULL),
                                 .way = way ? text : NULL,
                                 .queue = number_at (row, RC_QUEUE),
                                 .stream = number_at (row, RC_STREAM),
                                 .bytes = ROCM_UNKNOWN });
}

static nprof_status
take_use (Row *row, gpointer user)
{
  const struct nprof_host *host = row->self->host;
  const nprof_str operation = text_at (row, RC_OPERATION);
  const char *type = nprof_text (host, operation);
  const CsvField *address = field_at (row, RC_ADDRESS);
  RocmUse use = { .span = row->span,
                  .agent = agent_at (row, RC_AGENT, true),
                  .frees = strstr (type, "FREE") != NULL,
                  .bytes = number_at (row, RC_SIZE) };
  (void) user;
  if (!address || !csv_unsigned (address, &use.address))
    return damaged (row, "Address is no number");
  if (strstr (type, "VMEM")) {
    host->skip (host, row->span.what, row->span.at, "it reserves addresses, no memory");
    return NPROF_OK;
  }
  rocm_use (row->process->process, &use);
  return NPROF_OK;
}

static nprof_status
skip_row (Row *row, gpointer user)
{
  (void) user;
  row->self->host->skip (row->self->host, row->span.what, row->span.at,
                         "the table holds no rows that are known");
  return NPROF_OK;
}

/* -- All tables -------------------------------------------------------------------------------- */

static nprof_status
look_at (Row *row, gpointer user)
{
  gint64 *least = user;
  if (!rocm_is_span (row->span.start, row->span.end))
    return NPROF_OK;
  *least = MIN (*least, row->span.start);
  const nprof_str text = row->table->kind == RC_MARKS ? text_at (row, RC_FUNCTION) : 0;
  if (text)
    rocm_note_step (row->process->process, nprof_text (row->self->host, text), row->span.start,
                    row->span.end);
  return NPROF_OK;
}

nprof_status
rc_survey (Rc *self, gint64 *least)
{
  nprof_status status = NPROF_OK;
  self->surveying = true;
  for (guint i = 0; i < self->tables->len && !status; i++) {
    const RcTable *table = &g_array_index (self->tables, RcTable, i);
    if (timed (table) && table->kind != RC_OTHER)
      status = each (self, table, look_at, least);
  }
  self->surveying = false;
  return status;
}

/* Adds up the counters of all processes, before the first kernel. */
static void
counts_are_there (Rc *self)
{
  GHashTableIter iter;
  gpointer p;
  g_hash_table_iter_init (&iter, self->processes);
  while (g_hash_table_iter_next (&iter, NULL, &p))
    rocm_counts_add_up (&((RcProcess *) p)->counts);
}

static nprof_status
processes_end (Rc *self)
{
  GHashTableIter iter;
  gpointer data;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < self->rocm.processes->len && !status; i++)
    status = rocm_uses_end (g_ptr_array_index (self->rocm.processes, i));
  g_hash_table_iter_init (&iter, self->processes);
  while (g_hash_table_iter_next (&iter, NULL, &data)) {
    const RcProcess *p = data;
    rocm_counts_end (&p->counts, self->host, whats[RC_COUNTERS], "its dispatch is in no table");
  }
  return status;
}

nprof_status
rc_rows (Rc *self)
{
  static Take *const takes[]
      = { [RC_AGENTS] = take_agent, [RC_COUNTERS] = take_count, [RC_MARKS] = take_mark,
          [RC_CALLS] = take_call,   [RC_KERNELS] = take_kernel, [RC_COPIES] = take_copy,
          [RC_USES] = take_use,     [RC_OTHER] = skip_row };
  nprof_status status = NPROF_OK;
  RcKind before = RC_AGENTS;
  for (guint i = 0; i < self->tables->len && !status; i++) {
    const RcTable *table = &g_array_index (self->tables, RcTable, i);
    if (before <= RC_COUNTERS && table->kind > RC_COUNTERS)
      counts_are_there (self);
    before = table->kind;
    status = each (self, table, takes[table->kind], NULL);
  }
  return status ? status : processes_end (self);
}
