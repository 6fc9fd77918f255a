/* SPDX-License-Identifier: Apache-2.0 */
/* hlo.c - the instructions of compiled programs, and which fusion each belongs to: an HLO
 * proto of plane /host:metadata becomes rows of a table.  Field numbers: openxla/xla
 * hlo.proto, xla_data.proto. */
#include "xplane.h"

NPROF_TABLE (hlo_instructions, "Instructions of compiled programs",
             "as the HLO protos of the file hold them; members of a fusion name it",
             HLO_INSTRUCTIONS)

typedef struct {
  Xplane *x;
  const struct nprof_host *host;
  nprof_str program;
  uint64_t program_id;
  int64_t entry; /* id of the entry computation                       */
  PbSpan entry_name;
  GHashTable *fusions; /* computation id to the name of its fusion          */
  GHashTable *shapes;  /* id of an instruction of the computation to Shape   */
} Hlo;

typedef struct {
  PbSpan name;
  int64_t id, root;
} Computation;

typedef struct {
  PbSpan name, opcode, shape, metadata, fusion_kind, operands, calls;
  int64_t id;
} Instruction;

/* -- Reading ------------------------------------------------------------------------- */

static void
read_instruction (PbSpan body, Instruction *in)
{
  *in = (Instruction){ 0 };
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    switch (f.tag) {
    case PB_BYTES (1):
      in->name = f.span;
      break;
    case PB_BYTES (2):
      in->opcode = f.span;
      break;
    case PB_BYTES (3):
      in->shape = f.span;
      break;
    case PB_BYTES (7):
      in->metadata = f.span;
      break;
    case PB_BYTES (11):
      in->fusion_kind = f.span;
      break;
    case PB_VARINT (35):
      in->id = (int64_t) f.value;
      break;
    case PB_BYTES (36):
      in->operands = f.span;
      break;
    case PB_BYTES (38):
      in->calls = f.span;
      break;
    default:
      break;
    }
  }
}

static void
read_computation (PbSpan body, Computation *c)
{
  *c = (Computation){ .root = -1 };
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag == PB_BYTES (1))
      c->name = f.span;
    else if (f.tag == PB_VARINT (5))
      c->id = (int64_t) f.value;
    else if (f.tag == PB_VARINT (6))
      c->root = (int64_t) f.value;
  }
}

/* -- Shapes: bf16[4096,8192]{1,0}, tuples in parentheses -------------------------------- */

#define SHAPE_DEPTH 16

static const char *
element_type (uint64_t type)
{
  static const char *const types[]
      = { "invalid",    "pred",       "s8",       "s16",      "s32",    "s64",
          "u8",         "u16",        "u32",      "u64",      "f16",    "f32",
          "f64",        "tuple",      "opaque",   "c64",      "bf16",   "token",
          "c128",       "f8e5m2",     "f8e4m3fn", "s4",       "u4",     "f8e4m3b11fnuz",
          "f8e5m2fnuz", "f8e4m3fnuz", "s2",       "u2",       "f8e4m3", "f8e3m4",
          "s1",         "u1",         "f4e2m1fn", "f8e8m0fnu" };
  return type < G_N_ELEMENTS (types) ? types[type] : "unknown";
}

static void
print_packed (PbSpan packed, GString *out)
{
  uint64_t v;
  for (const uint8_t *p = packed.p; p < packed.end;) {
    p = pb_varint (p, packed.end, &v);
    if (!p)
      return;
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT,
                            out->len && !strchr ("[{", out->str[out->len - 1]) ? "," : "",
                            (int64_t) v);
  }
}

static void
print_layout (PbSpan body, GString *out)
{
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (1) && xp_len (f.span)) {
      g_string_append_c (out, '{');
      print_packed (f.span, out);
      g_string_append_c (out, '}');
    }
}

static void print_shape (PbSpan body, GString *out, int depth);

static void
print_tuple (PbSpan body, GString *out, int depth)
{
  const char *comma = "";
  g_string_append_c (out, '(');
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (4)) {
      g_string_append (out, comma);
      print_shape (f.span, out, depth + 1);
      comma = ", ";
    }
  g_string_append_c (out, ')');
}

static void
print_array (PbSpan body, uint64_t type, GString *out)
{
  PbSpan dimensions = { 0 }, layout = { 0 }, rest = body;
  PbField f;
  while (rest.p < rest.end && pb_field (&rest.p, rest.end, &f)) {
    if (f.tag == PB_BYTES (3))
      dimensions = f.span;
    else if (f.tag == PB_BYTES (5))
      layout = f.span;
  }
  g_string_append_printf (out, "%s[", element_type (type));
  print_packed (dimensions, out);
  g_string_append_c (out, ']');
  print_layout (layout, out);
}

static void
print_shape (PbSpan body, GString *out, int depth)
{
  enum { TUPLE = 13 };
  uint64_t type = 0;
  PbSpan rest = body;
  PbField f;
  while (rest.p < rest.end && pb_field (&rest.p, rest.end, &f))
    if (f.tag == PB_VARINT (2))
      type = f.value;
  if (type != TUPLE)
    print_array (body, type, out);
  else if (depth == SHAPE_DEPTH)
    g_string_append (out, "(...)");
  else
    print_tuple (body, out, depth);
}

/* -- Fusions ------------------------------------------------------------------------------ */

static void
note_fusion (Hlo *hlo, PbSpan body)
{
  Instruction in;
  read_instruction (body, &in);
  if (!xp_is (in.opcode, "fusion"))
    return;
  nprof_str name = xp_intern (hlo->host, in.name);
  uint64_t id;
  for (const uint8_t *p = in.calls.p; p < in.calls.end;) {
    p = pb_varint (p, in.calls.end, &id);
    if (!p)
      return;
    g_hash_table_insert (hlo->fusions, g_memdup2 (&id, sizeof id), GUINT_TO_POINTER (name));
  }
}

static void
note_fusions (Hlo *hlo, PbSpan computation)
{
  PbField f;
  while (computation.p < computation.end && pb_field (&computation.p, computation.end, &f))
    if (f.tag == PB_BYTES (2))
      note_fusion (hlo, f.span);
}

/* -- Operands -------------------------------------------------------------------------------- */

typedef struct {
  int64_t id;
  PbSpan span; /* p is NULL: the proto does not state it */
} Shape;

/* Operands are instructions of the same computation. */
static void
note_shapes (Hlo *hlo, PbSpan computation)
{
  PbField f;
  g_hash_table_remove_all (hlo->shapes);
  while (computation.p < computation.end && pb_field (&computation.p, computation.end, &f)) {
    if (f.tag != PB_BYTES (2))
      continue;
    Instruction in;
    read_instruction (f.span, &in);
    Shape *shape = g_new (Shape, 1);
    *shape = (Shape){ in.id, in.shape };
    g_hash_table_replace (hlo->shapes, shape, shape);
  }
}

/* Prints the shapes of the operands; FALSE: the proto does not state all of them. */
static bool
print_operands (const Hlo *hlo, PbSpan operands, GString *out)
{
  uint64_t id;
  if (operands.p == operands.end)
    g_string_append (out, "()");
  for (const uint8_t *p = operands.p; p < operands.end;) {
    p = pb_varint (p, operands.end, &id);
    const Shape *shape = p ? g_hash_table_lookup (hlo->shapes, &id) : NULL;
    if (!shape || !shape->span.p)
      return false;
    g_autoptr (GString) one = g_string_new (NULL);
    print_shape (shape->span, one, 0);
    g_string_append_printf (out, "%s%s", out->len ? ", " : "", one->str);
  }
  return true;
}

/* -- Rows ------------------------------------------------------------------------------------ */

typedef struct {
  PbSpan op_type, op_name, file;
  uint64_t line;
} OpMetadata;

static OpMetadata
read_metadata (PbSpan body)
{
  OpMetadata m = { 0 };
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag == PB_BYTES (1))
      m.op_type = f.span;
    else if (f.tag == PB_BYTES (2))
      m.op_name = f.span;
    else if (f.tag == PB_BYTES (3))
      m.file = f.span;
    else if (f.tag == PB_VARINT (4))
      m.line = f.value;
  }
  return m;
}

static struct nprof_maybe_str
some_string (Hlo *hlo, PbSpan span)
{
  return nprof_str_if (xp_len (span), xp_len (span) ? xp_intern (hlo->host, span) : 0);
}

static nprof_status
write_instruction (Hlo *hlo, const Computation *c, PbSpan body)
{
  Instruction in;
  read_instruction (body, &in);
  OpMetadata meta = read_metadata (in.metadata);
  g_autoptr (GString) shape = g_string_new (NULL), source = g_string_new (NULL),
                      operands = g_string_new (NULL);
  if (in.shape.p)
    print_shape (in.shape, shape, 0);
  g_string_append_len (source, (const char *) meta.file.p, (gssize) xp_len (meta.file));
  if (meta.line && source->len)
    g_string_append_printf (source, ":%" G_GUINT64_FORMAT, meta.line);
  const bool listed = print_operands (hlo, in.operands, operands);
  gpointer fusion = g_hash_table_lookup (hlo->fusions, &c->id);
  bool entry = hlo->entry >= 0
                   ? c->id == hlo->entry
                   : xp_len (c->name) == xp_len (hlo->entry_name)
                         && memcmp (c->name.p, hlo->entry_name.p, xp_len (c->name)) == 0;
  PbSpan source_text
      = { (const uint8_t *) source->str, (const uint8_t *) source->str + source->len };
  PbSpan shape_text = { (const uint8_t *) shape->str, (const uint8_t *) shape->str + shape->len };
  const struct hlo_instructions_row row = {
    .program = nprof_any_str (hlo->program),
    .program_id = nprof_some_uint (hlo->program_id),
    .computation = some_string (hlo, c->name),
    .entry = nprof_some_bool (entry),
    .fusion = nprof_str_if (fusion, GPOINTER_TO_UINT (fusion)),
    .fusion_kind = xp_some_text (hlo->host, in.fusion_kind),
    .instruction = xp_some_text (hlo->host, in.name),
    .opcode = some_string (hlo, in.opcode),
    .root = nprof_some_bool (in.id == c->root),
    .shape = xp_some_text (hlo->host, shape_text),
    .framework_op = xp_some_text (hlo->host, meta.op_name),
    .op_type = xp_some_text (hlo->host, meta.op_type),
    .source = xp_some_text (hlo->host, source_text),
    .operands = nprof_text_if (listed, operands->str),
  };
  return hlo->host->row (hlo->host, &hlo_instructions_table,
                         hlo_instructions_cells (nprof_cell_str (hlo->x->input), &row).cells);
}

static nprof_status
write_computation (Hlo *hlo, PbSpan body)
{
  Computation c;
  read_computation (body, &c);
  note_shapes (hlo, body);
  nprof_status status = NPROF_OK;
  PbField f;
  const uint8_t *from = body.p;
  while (status == NPROF_OK && body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (2))
      status = write_instruction (hlo, &c, f.span);
  if (status == NPROF_OK)
    status = hlo->host->progress (hlo->host, xp_at (hlo->x, from), xp_at (hlo->x, body.end));
  return status;
}

/* -- The proto --------------------------------------------------------------------------------- */

/* Looks at the levels that the rows come from; a bad message below them is left out. */
static bool
unreadable (PbSpan body, int depth)
{
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return true;
    bool inner = (depth == 0 && f.tag == PB_BYTES (3)) || (depth == 1 && f.tag == PB_BYTES (2));
    if (inner && unreadable (f.span, depth + 1))
      return true;
  }
  return false;
}

static bool
find_module (PbSpan body, PbSpan *module, PbSpan *assignment)
{
  PbField f;
  bool found = false;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (1)) {
      *module = f.span;
      found = true;
    } else if (f.tag == PB_BYTES (3)) {
      *assignment = f.span;
    }
  return found;
}

static nprof_status
write_module (Hlo *hlo, PbSpan module)
{
  PbField f;
  for (PbSpan rest = module; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    if (f.tag == PB_BYTES (2))
      hlo->entry_name = f.span;
    else if (f.tag == PB_VARINT (6))
      hlo->entry = (int64_t) f.value;
    else if (f.tag == PB_BYTES (3))
      note_fusions (hlo, f.span);
  }
  nprof_status status = NPROF_OK;
  while (status == NPROF_OK && module.p < module.end && pb_field (&module.p, module.end, &f))
    if (f.tag == PB_BYTES (3))
      status = write_computation (hlo, f.span);
  return status;
}

/* Returns the program's id: the number in "jit_step(17342868964687645945)"; in older files the
 * metadata's own id is. */
static uint64_t
program_id (const XpProto *proto)
{
  const uint8_t *p = proto->name.end, *digits;
  if (p == proto->name.p || p[-1] != ')')
    return (uint64_t) proto->id;
  for (digits = --p; digits > proto->name.p && g_ascii_isdigit (digits[-1]); digits--)
    ;
  if (digits == p || p - digits > 20 || digits == proto->name.p || digits[-1] != '(')
    return (uint64_t) proto->id;
  uint64_t id = 0;
  for (; digits < p; digits++)
    if (__builtin_mul_overflow (id, 10, &id) || __builtin_add_overflow (id, *digits - '0', &id))
      return (uint64_t) proto->id;
  return id;
}

nprof_status
xp_hlo (Xplane *x, const struct nprof_host *host, const XpProto *proto)
{
  PbSpan module, assignment = { 0 };
  if (!find_module (proto->body, &module, &assignment) || unreadable (module, 0)) {
    host->skip (host, "HLO proto", xp_at (x, proto->body.p), "it cannot be read as xla.HloProto");
    return host->progress (host, xp_at (x, proto->body.p), xp_at (x, proto->body.end));
  }
  Hlo hlo = { .x = x,
              .host = host,
              .program = xp_intern (host, proto->name),
              .program_id = program_id (proto),
              .entry = -1 };
  hlo.fusions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  hlo.shapes = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  nprof_status status = write_module (&hlo, module);
  g_hash_table_unref (hlo.fusions);
  g_hash_table_unref (hlo.shapes);
  if (status == NPROF_OK && xp_len (assignment))
    status = xp_hlo_memory (x, host, hlo.program, assignment);
  return status;
}
