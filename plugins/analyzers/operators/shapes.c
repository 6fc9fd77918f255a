/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c - writes table operator_shapes: what ran on a device by operator and by the shapes of
 * its arguments and its value. Those stand in the text of an HLO instruction, in the HLO proto of
 * the program, in the annotation of TensorFlow, or in the arguments that PyTorch recorded. */
#include "operators.h"

#include "devicekit/logical-core.h"
#include "names.h"

NPROF_TABLE (operator_shapes, "Operators by shape",
             "of devices of whose work the file states shapes", OPERATOR_SHAPES)

/* -- Instructions of programs --------------------------------------------------------------- */

typedef struct {
  nprof_str arguments, result; /* without layouts; 0: not stated */
} InstructionShape;

static char *
arguments_of_text (const char *text)
{
  const HloShapes shapes = shapes_of_text (text);
  g_free (shapes.result);
  return shapes.arguments;
}

static char *
result_of_text (const char *text)
{
  const HloShapes shapes = shapes_of_text (text);
  g_free (shapes.arguments);
  return shapes.result;
}

void
shapes_init (Operators *self)
{
  an_key_table_init (&self->instructions.ids, INSTRUCTION_WORDS);
  self->instructions.shapes = np_large_array_new (sizeof (InstructionShape));
  self->arguments = of_text_new (arguments_of_text);
  self->result = of_text_new (result_of_text);
  command_buffers_init (self);
}

void
shapes_clear (Operators *self)
{
  an_key_table_clear (&self->instructions.ids);
  g_clear_pointer (&self->instructions.shapes, np_large_array_free);
  g_clear_pointer (&self->arguments, g_free);
  g_clear_pointer (&self->result, g_free);
  command_buffers_clear (self);
}

static nprof_str
intern_free (Operators *self, char *text)
{
  nprof_str str = text ? nprof_intern (self->host, text) : 0;
  g_free (text);
  return str;
}

/* Returns 0 where the column is missing or says nothing. */
static nprof_str
string_at (const Operators *self, const struct nprof_cell *row, int column)
{
  if (column < 0)
    return 0;
  const struct nprof_cell *cell = row + column;
  if (cell->type == NPROF_STRING)
    return cell->v.s;
  return cell->type == NPROF_TEXT ? self->host->intern (self->host, cell->v.text, cell->len) : 0;
}

static nprof_str
shapes_at (Operators *self, const struct nprof_cell *row, int column)
{
  nprof_str text = string_at (self, row, column);
  const char *list = text ? nprof_text (self->host, text) : "";
  return strcmp (list, "()") == 0 ? text : *list ? intern_free (self, without_layouts (list)) : 0;
}

/* Members of a fusion do not run by themselves.  The first of a name holds. */
void
shapes_take (Operators *self, const struct nprof_table *table, const struct nprof_cell *cells,
             uint32_t n_rows)
{
  Instructions *in = &self->instructions;
  const int program
      = nprof_find_column (table, "program_id"),
      name = nprof_find_column (table, "instruction"), fusion = nprof_find_column (table, "fusion"),
      shape = nprof_find_column (table, "shape"), operands = nprof_find_column (table, "operands"),
      computation = nprof_find_column (table, "computation"),
      framework = nprof_find_column (table, "framework_op"),
      opcode = nprof_find_column (table, "opcode");
  guint n_columns = nprof_count_columns (table);
  if (program < 0 || name < 0)
    return;
  for (uint32_t i = 0; i < n_rows; i++, cells += n_columns) {
    guint64 id = cells[program].type == NPROF_UINT64 ? cells[program].v.u : 0;
    if (string_at (self, cells, fusion))
      continue;
    const guint32 words[INSTRUCTION_WORDS]
        = { cells[0].v.s, (guint32) id, (guint32) (id >> 32), string_at (self, cells, name) };
    command_buffers_take (self, words, string_at (self, cells, computation),
                          string_at (self, cells, framework), string_at (self, cells, opcode));
    guint number = an_key_table_get (&in->ids, words);
    if (number < in->shapes->len)
      continue;
    np_large_array_extend (in->shapes, number + 1);
    g_array_index (in->shapes, InstructionShape, number)
        = (InstructionShape){ shapes_at (self, cells, operands), shapes_at (self, cells, shape) };
  }
}

/* -- What an operator says ----------------------------------------------------------------- */

/* It says why a shape is unknown. */
typedef enum {
  KNOWN,
  NO_TEXT,
  NO_PROTO,
  NO_PROGRAM,
  NOT_STATED,
  ONLY_ARGUMENTS,
  NO_PRODUCT,
  NOT_LINKED
} Why;
static const char *const whys[] = {
  [NO_TEXT] = "the text of the instruction does not state it",
  [NO_PROTO] = "the file has no HLO of the program, or the program no such instruction",
  [NO_PROGRAM] = "of no compiled program",
  [NOT_STATED] = "the file does not state it for this",
  [ONLY_ARGUMENTS] = "the file states shapes of arguments alone",
  [NO_PRODUCT] = "kept of matrix products, convolutions and attention alone, where the file has it",
  [NOT_LINKED] = "its launch is not in the file",
};

enum { OF_DEVICE, OF_NAME, OF_CATEGORY, OF_ARGUMENTS, OF_RESULT, OF_WHY, OF_WORDS };

typedef struct {
  Op sum;
  guint instructions;
  bool of_program; /* instructions are known */
} Group;

typedef struct {
  Operators *self;
  AnKeyTable ids;       /* OF_...                                        */
  NpLargeArray *groups; /* of Group                                      */
  AnKeyTable distinct;  /* group, and the instruction as a program has it */
  AnKeyTable devices;
  GArray *device; /* of Device */
} Gather;

typedef struct {
  nprof_track core; /* whose peak is its own: one of a logical core, or the device itself */
  Wide self;
  bool states_some; /* of its work the file states a shape */
} Device;

static Device *
device_of (Gather *g, nprof_track device)
{
  guint number = an_key_table_get (&g->devices, &device);
  if (number == g->device->len)
    g_array_set_size (g->device, number + 1);
  return &g_array_index (g->device, Device, number);
}

static Group *
group_of (Gather *g, const guint32 *key, guint *number)
{
  *number = an_key_table_get (&g->ids, key);
  if (*number == g->groups->len)
    np_large_array_extend (g->groups, *number + 1);
  return &g_array_index (g->groups, Group, *number);
}

/* Returns the name of the instruction itself, which of a clone is not that of what it is a clone
 * of. */
static nprof_str
own_name (Operators *self, const guint32 *tuple)
{
  guint32 copy[OP_WORDS];
  memcpy (copy, tuple, sizeof copy);
  copy[OP_DEDUPLICATED] = 0;
  return hlo_of (self, copy);
}

static void
say_text (const Operators *self, nprof_str text, guint32 *key)
{
  key[OF_ARGUMENTS] = of_text (self, self->arguments, text);
  key[OF_RESULT] = of_text (self, self->result, text);
  key[OF_WHY] = key[OF_ARGUMENTS] && key[OF_RESULT] ? KNOWN : NO_TEXT;
}

static void
say_proto (const Operators *self, const guint32 *instruction, guint32 *key)
{
  const Instructions *in = &self->instructions;
  InstructionShape shape = { 0, 0 };
  guint number;
  if (an_key_table_find (&in->ids, instruction, &number))
    shape = g_array_index (in->shapes, InstructionShape, number);
  key[OF_ARGUMENTS] = shape.arguments;
  key[OF_RESULT] = shape.result ? shape.result : key[OF_RESULT];
  key[OF_WHY] = key[OF_ARGUMENTS] && key[OF_RESULT] ? KNOWN : NO_PROTO;
}

/* A shape of what is of no program is TensorFlow's annotation, of the arguments of the operator. */
static void
say_annotation (Operators *self, const guint32 *tuple, guint32 *key)
{
  const nprof_str shape = tuple[OP_SHAPE];
  key[OF_ARGUMENTS]
      = shape ? intern_free (self, arguments_of_annotation (nprof_text (self->host, shape))) : 0;
  key[OF_WHY] = tuple[OP_SHAPE] ? ONLY_ARGUMENTS : NO_PROGRAM;
}

static void
add_tuple (Gather *g, const guint32 *tuple, const Op *op)
{
  Operators *self = g->self;
  const struct nprof_host *h = self->host;
  nprof_str hlo = hlo_of (self, tuple), own = own_name (self, tuple), text = tuple[OP_HLO_TEXT];
  guint32 key[OF_WORDS] = {
    [OF_DEVICE] = an_logical_core_of (h, tuple[OP_DEVICE]), [OF_CATEGORY] = tuple[OP_CATEGORY]
  };
  const guint32 instruction[INSTRUCTION_WORDS]
      = { h->input (h, h->track_info (h, tuple[OP_DEVICE])->input)->label, tuple[OP_PROGRAM_LOW],
          tuple[OP_PROGRAM_HIGH], own };
  if (hlo)
    key[OF_RESULT] = tuple[OP_SHAPE];
  if (text)
    say_text (self, text, key);
  else if (hlo)
    say_proto (self, instruction, key);
  else
    say_annotation (self, tuple, key);
  key[OF_NAME] = hlo ? intern_free (self, without_numbers (nprof_text (h, hlo))) : tuple[OP_NAME];
  guint number;
  Group *group = group_of (g, key, &number);
  op_fold (&group->sum, op);
  Device *device = device_of (g, key[OF_DEVICE]);
  device->core = tuple[OP_DEVICE];
  device->self += op->self;
  device->states_some |= key[OF_ARGUMENTS] || key[OF_RESULT];
  guint before = g->distinct.n;
  an_key_table_get (&g->distinct, (const guint32[]){ number, instruction[INSTRUCTION_LOW],
                                                     instruction[INSTRUCTION_HIGH], own });
  group->of_program |= hlo != 0;
  group->instructions += g->distinct.n - before;
}

nprof_str
shapes_of_launch (Operators *self, const guint32 *launched)
{
  const nprof_str shape = launched[LAUNCHED_SHAPE];
  return shape ? intern_free (self, arguments_of_call (nprof_text (self->host, shape))) : 0;
}

/* Adds work that PyTorch launched, by the innermost operator around the launch. */
static void
add_launched (Gather *g, const guint32 *launched, const LaunchedSum *sum)
{
  Operators *self = g->self;
  const guint32 *kernel = an_key_table_key (&self->launched.kernels, launched[LAUNCHED_KERNEL]);
  bool linked = launched[LAUNCHED_REASON] == LINKED;
  guint32 node = launched[LAUNCHED_NODE];
  const nprof_str arguments = shapes_of_launch (self, launched);
  const guint32 key[OF_WORDS] = {
    [OF_DEVICE] = kernel[KERNEL_DEVICE],
    [OF_NAME] = node     ? name_of_node (self, node)
                : linked ? nprof_intern (self->host, "(no operator)")
                         : nprof_intern (self->host, "(launch not recorded)"),
    [OF_CATEGORY] = kernel[KERNEL_CATEGORY],
    [OF_ARGUMENTS] = arguments,
    [OF_WHY] = arguments ? ONLY_ARGUMENTS
               : linked  ? NO_PRODUCT
                         : NOT_LINKED,
  };
  const Op op = {
    .occurrences = sum->calls, .total = sum->total, .self = sum->total, .outside = sum->outside
  };
  guint number;
  op_fold (&group_of (g, key, &number)->sum, &op);
  Device *device = device_of (g, kernel[KERNEL_DEVICE]);
  device->core = kernel[KERNEL_DEVICE];
  device->self += sum->total;
  device->states_some |= arguments != 0;
}

static void
gather (Gather *g)
{
  Operators *self = g->self;
  const Launched *l = &self->launched;
  for (guint i = 0; i < self->ops->len; i++) {
    const guint32 *tuple = an_key_table_key (&self->tuples, i);
    if (!tuple[OP_HOST] && !is_kernel (self, tuple[OP_CATEGORY]))
      add_tuple (g, tuple, &g_array_index (self->ops, Op, i));
  }
  for (guint i = 0; i < l->sums->len; i++)
    add_launched (g, an_key_table_key (&l->keys, i), &g_array_index (l->sums, LaunchedSum, i));
}

/* -- Table ------------------------------------------------------------------------------------ */

static int
compare_text (const Operators *self, nprof_str a, nprof_str b)
{
  return a == b ? 0 : strcmp (nprof_text (self->host, a), nprof_text (self->host, b));
}

/* Sorts by device, self time (most first), and words, so that nothing depends on handles. */
static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Gather *g = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (&g->ids, i), *y = an_key_table_key (&g->ids, j);
  Wide m = g_array_index (g->groups, Group, i).sum.self,
       n = g_array_index (g->groups, Group, j).sum.self;
  if (x[OF_DEVICE] != y[OF_DEVICE])
    return an_place_compare (g->self->host, x[OF_DEVICE], y[OF_DEVICE]);
  if (m != n)
    return m > n ? -1 : 1;
  int order = 0;
  for (guint word = OF_NAME; word < OF_WHY && !order; word++)
    order = compare_text (g->self, x[word], y[word]);
  return order ? order : (x[OF_WHY] > y[OF_WHY]) - (x[OF_WHY] < y[OF_WHY]);
}

static struct nprof_maybe_int
mean_of (const Op *sum)
{
  return nprof_int_if (sum->occurrences,
                       sum->occurrences ? wide_mean (sum->total + sum->outside, sum->occurrences)
                                        : 0);
}

static nprof_status
write_group (Gather *g, guint number)
{
  Operators *self = g->self;
  const struct nprof_host *h = self->host;
  const guint32 *key = an_key_table_key (&g->ids, number);
  const Group *group = &g_array_index (g->groups, Group, number);
  const Op *sum = &group->sum;
  const Device *device = device_of (g, key[OF_DEVICE]);
  const Wide all = device->self;
  double could = peak_flops_of (self, device->core) * (double) sum->self * 1e-12;
  const struct operator_shapes_row row = {
    .device = nprof_any_str (label_of (self, key[OF_DEVICE])),
    .operator= nprof_some_str (key[OF_NAME]),
    .category = nprof_some_str (key[OF_CATEGORY]),
    .arguments = nprof_some_str (key[OF_ARGUMENTS]),
    .result = nprof_some_str (key[OF_RESULT]),
    .reason = nprof_some_text (whys[key[OF_WHY]]),
    .calls = nprof_some_int ((gint64) sum->occurrences),
    .instructions = nprof_int_if (group->of_program, group->instructions),
    .total = wide_if (true, sum->total),
    .self = wide_if (true, sum->self),
    .share = nprof_double_if (all, (double) sum->self / (double) all),
    .mean = mean_of (sum),
    .flops = wide_if (sum->with_flops, sum->flops),
    .bytes = wide_if (sum->with_bytes, sum->bytes),
    .mfu = used_of (sum->model_flops, sum->with_model, could),
  };
  return an_rows_add (
      &self->rows, &operator_shapes_table,
      operator_shapes_cells (
          nprof_cell_str (h->input (h, h->track_info (h, key[OF_DEVICE])->input)->label), &row)
          .cells);
}

static nprof_status
write_all (Gather *g)
{
  nprof_status status = g->self->host->table (g->self->host, &operator_shapes_table);
  g_autofree guint *order = in_order (g->groups->len, compare, g);
  for (guint i = 0; i < g->groups->len && !status; i++) {
    const Op *sum = &g_array_index (g->groups, Group, order[i]).sum;
    nprof_track device = an_key_table_key (&g->ids, order[i])[OF_DEVICE];
    if (sum->occurrences && device_of (g, device)->states_some)
      status = write_group (g, order[i]);
  }
  return status;
}

nprof_status
shapes_write (Operators *self)
{
  Gather g = { .self = self,
               .groups = np_large_array_new (sizeof (Group)),
               .device = g_array_new (FALSE, TRUE, sizeof (Device)) };
  an_key_table_init (&g.ids, OF_WORDS);
  an_key_table_init (&g.distinct, INSTRUCTION_WORDS);
  an_key_table_init (&g.devices, 1);
  gather (&g);
  nprof_status status = write_all (&g);
  an_key_table_clear (&g.ids);
  an_key_table_clear (&g.distinct);
  an_key_table_clear (&g.devices);
  np_large_array_free (g.groups);
  g_array_unref (g.device);
  return status;
}
