/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - collects the rows that the tables are made of, by category and name. format:
 * furiosa.md 1.3 */
#include "tables.h"

#include <nprof/keys.h>

const char *const fu_wants[] = { "row",
                                 NPROF_KEY_TRACE_ID,
                                 "thread.id",
                                 "pe_index",
                                 "execution_index",
                                 "instruction_index",
                                 "operator_index",
                                 NULL };

void
fu_gather_open (FuTables *f)
{
  const struct {
    nprof_str *at;
    const char *text;
  } texts[] = { { &f->nux, "Nux" },
                { &f->runtime, "Runtime" },
                { &f->npu, "NPU" },
                { &f->inference, "Inference" },
                { &f->execution, "Execution" },
                { &f->task, "Task" },
                { &f->load, "Load" },
                { &f->store, "Store" } };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    *texts[i].at = nprof_intern (f->host, texts[i].text);
  f->inputs = g_ptr_array_new_with_free_func (fu_input_free);
}

FuInput *
fu_input_of (FuTables *f, uint32_t number)
{
  if (number >= f->inputs->len)
    g_ptr_array_set_size (f->inputs, (int) number + 1);
  FuInput *input = g_ptr_array_index (f->inputs, number);
  if (input)
    return input;
  f->inputs->pdata[number] = input = g_new0 (FuInput, 1);
  input->number = number;
  input->inferences = g_array_new (FALSE, FALSE, sizeof (FuSpan));
  input->externals = g_array_new (FALSE, FALSE, sizeof (FuSpan));
  input->executions = g_array_new (FALSE, FALSE, sizeof (FuSpan));
  input->operators = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  input->join = fu_join_new ();
  return input;
}

void
fu_input_free (gpointer data)
{
  FuInput *input = data;
  if (!input)
    return;
  g_array_unref (input->inferences);
  g_array_unref (input->externals);
  g_array_unref (input->executions);
  g_hash_table_unref (input->operators);
  fu_join_free (input->join);
  g_free (input);
}

/* -- A row ------------------------------------------------------------------------------- */

static FuInt
read_int (const FuTables *f, uint32_t key)
{
  FuInt i = { FALSE, 0 };
  i.known = nprof_reader_int (&f->pick, key, &i.value);
  return i;
}

static FuSpan
read_span (const FuTables *f, const struct nprof_batch *batch, uint32_t i, gint64 ns)
{
  FuSpan span = { .row = read_int (f, AT_ROW),
                  .thread = read_int (f, AT_THREAD),
                  .pe = read_int (f, AT_PE),
                  .execution = read_int (f, AT_EXECUTION),
                  .operator_ = read_int (f, AT_OPERATOR),
                  .id = batch->id ? batch->id[i] : 0,
                  .name = batch->name[i],
                  .ns = ns,
                  .shown = !nprof_hidden (batch, i) };
  const struct nprof_field *trace = &f->pick.field[AT_TRACE];
  span.has_trace = trace->type == NPROF_ID128;
  if (span.has_trace)
    memcpy (span.trace, trace->bytes + trace->value.bytes.at, sizeof span.trace);
  return span;
}

static void
count_operator (FuInput *input, nprof_str name, gint64 ns)
{
  FuOperator *op = g_hash_table_lookup (input->operators, GUINT_TO_POINTER (name));
  if (!op) {
    op = g_new0 (FuOperator, 1);
    op->name = name;
    g_hash_table_insert (input->operators, GUINT_TO_POINTER (name), op);
  }
  op->n++;
  op->ns += ns;
}

static void
host_row (FuTables *f, FuInput *input, const struct nprof_batch *batch, uint32_t i, gint64 ns)
{
  bool external = f->pick.field[AT_OPERATOR].type != NPROF_NULL;
  if (nprof_hidden (batch, i))
    return;
  if (batch->name[i] != f->inference && !external)
    return;
  FuSpan span = read_span (f, batch, i, ns);
  if (batch->name[i] == f->inference)
    g_array_append_val (input->inferences, span);
  if (external)
    g_array_append_val (input->externals, span);
}

static bool
is_operator (const FuTables *f, nprof_str name)
{
  return name != f->execution && name != f->task && name != f->load && name != f->store;
}

/* Returns the key; where nothing says the PE, the track does. */
static FuKey
key_of (const struct nprof_batch *batch, uint32_t i, const FuSpan *span, uint64_t id)
{
  FuKey key = { id, span->pe.value, span->execution.value, batch->start[i],
                batch->start[i] + batch->duration[i] };
  if (!span->pe.known || !span->execution.known) {
    key.pe = G_MININT64 + batch->track[i];
    key.execution = G_MININT64;
  }
  return key;
}

/* Takes a row of the NPU.  A span without instruction_index is a whole execution; any but four
 * names is an operator.  JSON of the runtime has neither ids nor indexes: there the name
 * decides. */
static void
npu_row (FuTables *f, FuInput *input, const struct nprof_batch *batch, uint32_t i, gint64 ns)
{
  FuSpan span = read_span (f, batch, i, ns);
  uint64_t parent = batch->parent ? batch->parent[i] : 0;
  bool operator_ = is_operator (f, span.name), load = span.name == f->load || span.name == f->store;
  bool whole
      = f->pick.field[AT_INSTRUCTION].type == NPROF_NULL && (span.id || (!operator_ && !load));
  FuKey key = key_of (batch, i, &span, span.id);
  if (whole) {
    g_array_append_val (input->executions, span);
    fu_join_execution (input->join, &key);
  }
  if (!operator_)
    return;
  if (span.shown)
    count_operator (input, span.name, ns);
  key.id = parent;
  if (parent && (!span.pe.known || !span.execution.known))
    input->unplaced++;
  else
    fu_join_operator (input->join, &key, ns);
}

void
fu_gather (FuTables *f, const struct nprof_batch *batch)
{
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    nprof_str category = batch->category[i];
    bool npu = category == f->npu;
    if (batch->kind[i] != NPROF_SPAN || (!npu && category != f->nux && category != f->runtime))
      continue;
    FuInput *input = fu_input_of (f, batch->input);
    if (batch->duration[i] < 0) {
      input->unclosed += !nprof_hidden (batch, i);
      continue;
    }
    nprof_reader_row (&f->pick, batch, i);
    input->rounded += !nprof_hidden (batch, i) && batch->duration[i] % 1000 != 0;
    gint64 ns = fu_ns (batch->duration[i]);
    if (npu)
      npu_row (f, input, batch, i, ns);
    else
      host_row (f, input, batch, i, ns);
  }
}
