/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c - writes what Kineto says of the arguments of an operator in one text: "bf16[8,512]
 * bf16[512,64] -", made of Input Dims, Input type and Concrete Inputs, which list them one after
 * the other. */
#include "trace-event/trace-event.h"

#include "profile/collective-keys.h"
#include "profile/moved-names.h"
#include "profile/product-names.h"

/* source: c10's and the older names of element types */
static const struct {
  const char *name, *text;
} types[] = {
  { "float", "f32" },      { "BFloat16", "bf16" }, { "Half", "f16" },         { "double", "f64" },
  { "long int", "i64" },   { "long", "i64" },      { "int", "i32" },          { "short", "i16" },
  { "signed char", "i8" }, { "char", "i8" },       { "unsigned char", "u8" }, { "byte", "u8" },
  { "bool", "bool" },
};

#define LONGEST_VALUE 128 /* bytes of an argument that is no tensor; longer ones are left out */
#define MOST_ARGUMENTS 64

/* It walks the values of a list one after the other, as they stand in the file. */
typedef struct {
  const char *p, *end;
} List;

static const char *
skip_text (const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++)
    p += *p == '\\';
  return p + 1;
}

/* Moves behind the value at the list's place, which is well-formed. */
static void
skip_value (List *list)
{
  int depth = 0;
  while (list->p < list->end) {
    char c = *list->p;
    if (c == '"') {
      list->p = skip_text (list->p, list->end);
      continue;
    }
    if (depth == 0 && (c == ',' || c == ']'))
      return;
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    list->p++;
  }
}

static List
list_of (const TeValue *value)
{
  return value->kind == TE_ARRAY ? (List){ value->p + 1, value->p + value->len }
                                 : (List){ NULL, NULL };
}

/* Returns the next value; of length 0: there is none. */
static List
next (List *list)
{
  while (list->p < list->end && strchr (" \t\r\n,", *list->p))
    list->p++;
  if (list->p >= list->end || *list->p == ']')
    return (List){ NULL, NULL };
  List value = { list->p, NULL };
  skip_value (list);
  value.end = list->p;
  while (value.end > value.p && strchr (" \t\r\n", value.end[-1]))
    value.end--;
  return value;
}

/* Returns the value without its quotes. */
static List
bare (List value)
{
  if (value.p && value.end - value.p >= 2 && *value.p == '"')
    return (List){ value.p + 1, value.end - 1 };
  return value;
}

static void
put_type (GString *out, List type)
{
  type = bare (type);
  if (type.end - type.p > 5 && !memcmp (type.p, "c10::", 5))
    type.p += 5;
  size_t len = (size_t) (type.end - type.p);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (len == strlen (types[i].name) && !memcmp (type.p, types[i].name, len)) {
      g_string_append (out, types[i].text);
      return;
    }
  gsize before = out->len;
  for (const char *p = type.p; p < type.end; p++)
    if (g_ascii_isalnum (*p) || *p == '_')
      g_string_append_c (out, *p);
  if (out->len == before)
    g_string_append_c (out, '?');
}

static void
put_bare (GString *out, List value)
{
  gsize before = out->len;
  for (const char *p = value.p; p < value.end && out->len - before <= LONGEST_VALUE; p++)
    if ((guchar) *p > ' ')
      g_string_append_c (out, *p);
  if (out->len - before > LONGEST_VALUE)
    g_string_truncate (out, before);
  if (out->len == before)
    g_string_append_c (out, '-');
}

static bool
has_dims (List dims)
{
  for (const char *p = dims.p; p && p < dims.end; p++)
    if (g_ascii_isdigit (*p))
      return true;
  return false;
}

/* Returns whether it is a tensor of one element and no dimensions: values of a program, which have
 * none either, are of other types ("Scalar", "Int"). */
static bool
is_element (List dims, List type)
{
  type = bare (type);
  const size_t len = (size_t) (type.end - type.p);
  bool known = len > 5 && !memcmp (type.p, "c10::", 5);
  for (gsize i = 0; i < G_N_ELEMENTS (types) && !known; i++)
    known = len == strlen (types[i].name) && !memcmp (type.p, types[i].name, len);
  return known && dims.end - dims.p == 2 && !memcmp (dims.p, "[]", 2);
}

static void
put_argument (GString *out, List dims, List type, List value)
{
  if (out->len)
    g_string_append_c (out, ' ');
  if (!has_dims (dims) && !is_element (dims, type)) {
    put_bare (out, bare (value));
    return;
  }
  put_type (out, type);
  put_bare (out, dims);
}

/* Finds the three lists of args; false: none of them says anything. */
static bool
find_lists (const TeScanner *scanner, const TeValue *args, List *dims, List *type, List *value)
{
  TeScan s = { .controls = &(TeControls){ 0 }, .with = scanner, .end = args->p + args->len };
  TeValue key, member;
  *dims = *type = *value = (List){ NULL, NULL };
  for (const char *p = args->p + 1; (p = te_member (&s, p, &key, &member));)
    if (te_text_is (&key, "Input Dims") || te_text_is (&key, "Input dims"))
      *dims = list_of (&member);
    else if (te_text_is (&key, "Input type"))
      *type = list_of (&member);
    else if (te_text_is (&key, "Concrete Inputs"))
      *value = list_of (&member);
  return dims->p != NULL;
}

nprof_str
ch_arguments (const Chrome *c, ChNames *names, const TeValue *args)
{
  List dims, type, value;
  if (!find_lists (c->scanner, args, &dims, &type, &value))
    return 0;
  g_autoptr (GString) text = g_string_sized_new (256);
  for (guint i = 0; i < MOST_ARGUMENTS; i++) {
    List of_dims = next (&dims), of_type = next (&type), of_value = next (&value);
    if (!of_dims.p && !of_value.p)
      break;
    put_argument (text, of_dims, of_type, of_value);
  }
  const TeValue shape = { .p = text->str, .len = text->len, .kind = TE_TEXT };
  return ch_name (names, &shape);
}

/* Returns the text of the shapes.  Few shapes repeat for ever: the text from the first of the three
 * lists to the last bracket tells which. */
static nprof_str
shape_of (ChPart *part, const TeEvent *event)
{
  const TeValue *args = &event->value[TE_ARGS];
  const char *end = args->p + args->len, *from = memmem (args->p, args->len, "Input", 5),
             *to = from ? memrchr (from, ']', (size_t) (end - from)) : NULL;
  if (!to)
    return 0;
  size_t len = (size_t) (to - from);
  uint64_t hash = ch_hash (0, from, len);
  ChShape *known = &part->shapes[hash % CH_SHAPES];
  if (known->len == len && known->hash == hash && memcmp (known->p, from, len) == 0)
    return known->shape;
  *known = (ChShape){ from, len, hash, ch_arguments (part->c, part->names, args) };
  return known->shape;
}

void
ch_shapes_want (Chrome *c)
{
  c->want_shapes = c->host->wanted (c->host, KEY_ARGUMENTS);
  c->key_shape = nprof_intern (c->host, KEY_ARGUMENTS);
}

/* Returns whether flops or bytes follow from the arguments of an operator of that name.  Names that
 * have been looked at are kept: 1 they do not, 2 they do. */
static bool
tells_by_arguments (ChPart *part, nprof_str name)
{
  GByteArray *seen = part->products = part->products ? part->products : g_byte_array_new ();
  if (name >= seen->len) {
    guint before = seen->len;
    g_byte_array_set_size (seen, name + 256);
    memset (seen->data + before, 0, seen->len - before);
  }
  if (!seen->data[name])
    seen->data[name] = may_be_product (nprof_text (part->host, name))
                               || moves_how (nprof_text (part->host, name))
                           ? 2
                           : 1;
  return seen->data[name] == 2;
}

/* Adds to the row that was just begun. */
nprof_status
ch_shape (ChPart *part, const TeEvent *event)
{
  struct nprof_writer *w = part->w;
  if (!tells_by_arguments (part, w->name[w->n_rows - 1]))
    return NPROF_OK;
  if (!part->shapes)
    part->shapes = g_new0 (ChShape, CH_SHAPES);
  nprof_str shape = shape_of (part, event);
  return shape ? nprof_attr_str (w, part->c->key_shape, shape) : NPROF_OK;
}

/* -- Collectives ------------------------------------------------------------------------------- */

/* These are the arguments of record_param_comms that say of which group a collective is.
 * source: ParamCommsUtils.hpp of PyTorch 2.1, RECORD_PARAM_COMMS_DATA */
enum { COMMS_GROUP = 2, COMMS_SIZE = 7, COMMS_ARGUMENTS };

static nprof_status
add_group (ChPart *part, List value)
{
  List values[COMMS_ARGUMENTS + 1] = { { NULL, NULL } };
  guint n = 0;
  for (List one; n <= COMMS_ARGUMENTS && (one = next (&value)).p; n++)
    values[n] = bare (one);
  int64_t group, size;
  if (n != COMMS_ARGUMENTS || !te_int (values[COMMS_GROUP].p, values[COMMS_GROUP].end, &group)
      || !te_int (values[COMMS_SIZE].p, values[COMMS_SIZE].end, &size) || size < 1)
    return NPROF_OK;
  const TeValue name = { .p = values[COMMS_GROUP].p,
                         .len = (size_t) (values[COMMS_GROUP].end - values[COMMS_GROUP].p),
                         .kind = TE_TEXT };
  nprof_status status = nprof_attr_str (part->w, ch_collective_key (part->c, COLLECTIVE_KEY_GROUP),
                                        ch_name (part->names, &name));
  return status ? status
                : nprof_attr_int (part->w, ch_collective_key (part->c, COLLECTIVE_KEY_GROUP_SIZE),
                                  size);
}

/* Multiplies the numbers of "[2048, 4, 4096]"; -1: they are none, or too many. */
static int64_t
elements_of (List dims)
{
  int64_t product = 1, n;
  if (!dims.p || *dims.p != '[')
    return -1;
  dims.p++;
  for (List one; (one = next (&dims)).p;)
    if (!te_int (one.p, one.end, &n) || n < 0 || __builtin_mul_overflow (product, n, &product))
      return -1;
  return product;
}

/* The arguments of the annotation "nccl:all_reduce" are the tensors that this rank gives. */
static nprof_status
add_elements (ChPart *part, List dims, List type)
{
  List first = { NULL, NULL }, one;
  int64_t sum = 0, n;
  while ((one = next (&dims)).p) {
    const List of_type = bare (next (&type));
    const size_t len = (size_t) (of_type.end - of_type.p);
    if (!len || (n = elements_of (one)) < 0 || __builtin_add_overflow (sum, n, &sum))
      return NPROF_OK;
    if (!first.p)
      first = of_type;
    else if (len != (size_t) (first.end - first.p) || memcmp (of_type.p, first.p, len) != 0)
      return NPROF_OK;
  }
  if (!first.p)
    return NPROF_OK;
  if (first.end - first.p > 5 && !memcmp (first.p, "c10::", 5))
    first.p += 5;
  const TeValue name
      = { .p = first.p, .len = (size_t) (first.end - first.p), .kind = TE_TEXT };
  nprof_status status = nprof_attr_str (part->w, ch_collective_key (part->c, COLLECTIVE_KEY_DTYPE),
                                        ch_name (part->names, &name));
  return status ? status
                : nprof_attr_int (part->w,
                                  ch_collective_key (part->c, COLLECTIVE_KEY_ELEMENTS_IN), sum);
}

nprof_status
ch_collective_arguments (ChPart *part, const TeEvent *event)
{
  List dims, type, value;
  if (!find_lists (part->c->scanner, &event->value[TE_ARGS], &dims, &type, &value))
    return NPROF_OK;
  return te_text_is (&event->value[TE_NAME], TORCH_COMMS) ? add_group (part, value)
                                                          : add_elements (part, dims, type);
}
