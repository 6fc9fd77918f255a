/* SPDX-License-Identifier: Apache-2.0 */
/* metaneff.c - reads what a framework says of the inputs and outputs of a compiled model: which parameter
 * of it each is.  Tensor: {1 name, 2 packed shape, 3 type, 6 parameter, 7 kind}; types and kinds are numbers
 * of a list that is not public. */
#include "system.h"

#include <string.h>

const struct nprof_table system_parameters_table = {
  .size = sizeof system_parameters_table,
  .name = "neuron_parameters",
  .title = "Parameters of the model",
  .note = "which parameter of the framework's model each input and output of the compiled one is",
  .columns
  = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "name", "", "of the tensor, as the NEFF has it"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "usage", "", "input, output"),
                   NPROF_VALUE_COLUMN (NPROF_TEXT, "parameter", "",
                                       "name in the framework's model"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "shape", "", "as 4096,128"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "type", "", "number of the element's type"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "kind", "", "number of what the tensor is for"))
};

typedef struct {
  char *name, *parameter, *shape;
  uint64_t type, kind;
  bool has_type, has_kind;
} Tensor;

static void
tensor_clear (Tensor *t)
{
  g_free (t->name);
  g_free (t->parameter);
  g_free (t->shape);
}

static void
take_text (const SystemFile *file, const NeuronWire *w, char **text)
{
  g_autofree char *own = g_strndup ((const char *) file->data + w->from, w->to - w->from);
  g_free (*text);
  *text = g_utf8_make_valid (own, -1);
}

#define LONGEST_DIMENSION 9 /* bytes: a tenth is of negative numbers, and of what is no dimension */

/* Reads varints up to the end; NULL: they are none. */
static char *
read_shape (const uint8_t *data, uint64_t at, uint64_t to)
{
  g_autoptr (GString) text = g_string_new (NULL);
  while (at < to) {
    uint64_t from = at, value;
    if (!neuron_wire_varint (data, &at, to, &value) || at - from > LONGEST_DIMENSION)
      return NULL;
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, text->len ? "," : "", value);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static bool
read_tensor (const SystemFile *file, const NeuronWire *whole, Tensor *t)
{
  uint64_t at = whole->from;
  NeuronWire w;
  *t = (Tensor){ 0 };
  while (neuron_wire_next (file->data, &at, whole->to, &w)) {
    if (w.number == 1 && w.wire == 2) {
      take_text (file, &w, &t->name);
    } else if (w.number == 2 && w.wire == 2) {
      g_free (t->shape);
      t->shape = read_shape (file->data, w.from, w.to);
    } else if (w.number == 3 && w.wire == 0) {
      t->type = w.value;
      t->has_type = true;
    } else if (w.number == 6 && w.wire == 2) {
      take_text (file, &w, &t->parameter);
    } else if (w.number == 7 && w.wire == 0) {
      t->kind = w.value;
      t->has_kind = true;
    }
  }
  return at == whole->to && t->name;
}

static struct nprof_cell
number_cell (bool known, uint64_t number)
{
  return known && number <= INT64_MAX ? nprof_cell_int ((int64_t) number) : nprof_cell_null ();
}

static nprof_status
put_tensor (System *s, const SystemFile *file, const NeuronWire *w)
{
  Tensor t;
  if (!read_tensor (file, w, &t)) {
    tensor_clear (&t);
    return system_damage (s, file, w->from, "this is no tensor: a name was expected in field 1");
  }
  const struct nprof_cell cells[] = {
    nprof_cell_own_input (s->host),
    nprof_cell_text (t.name),
    nprof_cell_str (nprof_intern (s->host, w->number == 1 ? "input" : "output")),
    t.parameter ? nprof_cell_text (t.parameter) : nprof_cell_null (),
    t.shape ? nprof_cell_str (nprof_intern (s->host, t.shape)) : nprof_cell_null (),
    number_cell (t.has_type, t.type),
    number_cell (t.has_kind, t.kind),
  };
  nprof_status status = s->host->row (s->host, &system_parameters_table, cells);
  tensor_clear (&t);
  return status;
}

nprof_status
system_metaneff (System *s, const SystemFile *file)
{
  uint64_t at = 0;
  nprof_status status = s->host->table (s->host, &system_parameters_table);
  NeuronWire w;
  while (!status && neuron_wire_next (file->data, &at, file->len, &w))
    if (w.wire == 2 && (w.number == 1 || w.number == 2))
      status = put_tensor (s, file, &w);
    else
      s->host->skip (s->host, "field of metaneff", w.from, "only inputs and outputs are read");
  if (!status && at != file->len)
    status
        = system_damage (s, file, at, "this is no field of a message: the file is cut or damaged");
  return status;
}
