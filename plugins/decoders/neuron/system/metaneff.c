/* SPDX-License-Identifier: Apache-2.0 */
/* metaneff.c - writes the tensors of a metaneff as a table. */
#include "system.h"

#include "../common/metaneff.h"

NPROF_TABLE (neuron_parameters, "Parameters of the model",
             "which parameter of the framework's model each input and output of the "
             "compiled one is",
             NEURON_PARAMETERS)

static struct nprof_maybe_int
some_number (bool known, uint64_t number)
{
  return nprof_int_if (known && number <= INT64_MAX, (int64_t) number);
}

static nprof_status
put_tensor (System *s, const SystemFile *file, const NeuronWire *w)
{
  NeuronParameter t;
  if (!neuron_parameter_read (file->data, w, &t)) {
    neuron_parameter_clear (&t);
    return system_damage (s, file, w->from, "this is no tensor: a name was expected in field 1");
  }
  const struct neuron_parameters_row row = {
    .name = nprof_some_text (t.name),
    .usage = nprof_any_str (nprof_intern (s->host, neuron_metaneff_usage (w))),
    .parameter = nprof_some_text (t.parameter),
    .shape = nprof_str_if (t.shape, t.shape ? nprof_intern (s->host, t.shape) : 0),
    .type = some_number (t.has_type, t.type),
    .kind = some_number (t.has_kind, t.kind),
  };
  nprof_status status
      = s->host->row (s->host, &neuron_parameters_table,
                      neuron_parameters_cells (nprof_cell_own_input (s->host), &row).cells);
  neuron_parameter_clear (&t);
  return status;
}

nprof_status
system_metaneff (System *s, const SystemFile *file)
{
  uint64_t at = 0;
  nprof_status status = s->host->table (s->host, &neuron_parameters_table);
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
