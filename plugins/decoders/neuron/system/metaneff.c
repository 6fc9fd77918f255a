/* SPDX-License-Identifier: Apache-2.0 */
/* metaneff.c - writes the tensors of a metaneff as a table. */
#include "system.h"

#include "../common/metaneff.h"

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

static struct nprof_cell
number_cell (bool known, uint64_t number)
{
  return known && number <= INT64_MAX ? nprof_cell_int ((int64_t) number) : nprof_cell_null ();
}

static nprof_status
put_tensor (System *s, const SystemFile *file, const NeuronWire *w)
{
  NeuronParameter t;
  if (!neuron_parameter_read (file->data, w, &t)) {
    neuron_parameter_clear (&t);
    return system_damage (s, file, w->from, "this is no tensor: a name was expected in field 1");
  }
  const struct nprof_cell cells[] = {
    nprof_cell_own_input (s->host),
    nprof_cell_text (t.name),
    nprof_cell_str (nprof_intern (s->host, neuron_metaneff_usage (w))),
    t.parameter ? nprof_cell_text (t.parameter) : nprof_cell_null (),
    t.shape ? nprof_cell_str (nprof_intern (s->host, t.shape)) : nprof_cell_null (),
    number_cell (t.has_type, t.type),
    number_cell (t.has_kind, t.kind),
  };
  nprof_status status = s->host->row (s->host, &system_parameters_table, cells);
  neuron_parameter_clear (&t);
  return status;
}

nprof_status
system_metaneff (System *s, const SystemFile *file)
{
  uint64_t at = 0;
  nprof_status status = s->host->table (s->host, &system_parameters_table);
  NeuronWire w;
  while (!status && neuron_wire_next (file->data, &at, file->len, &w))
    if (neuron_metaneff_usage (&w))
      status = put_tensor (s, file, &w);
    else
      s->host->skip (s->host, "field of metaneff", w.from, "only inputs and outputs are read");
  if (!status && at != file->len)
    status
        = system_damage (s, file, at, "this is no field of a message: the file is cut or damaged");
  return status;
}
