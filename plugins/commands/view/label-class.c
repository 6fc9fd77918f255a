/* SPDX-License-Identifier: Apache-2.0 */
/* label-class.c - asks the rule of analyzers what work a label is. A collective that all of its
 * rows state goes before category and name, as it does there. */

#include "label-class.h"

#include "devicekit/class.h"

/* Returns the class of rows with that label; AN_AROUND: they are no work. */
static AnClass
class_of (NpAsk *ask, NpKins *kins, guint32 label)
{
  if (np_label_is_no_work (kins, label))
    return AN_AROUND;
  if (np_label_stated (ask, label, NP_STATED_COLLECTIVE))
    return AN_COMMUNICATION;
  return an_class (np_label_meaning (ask, label, ON_WORK));
}

const char *
np_label_class (NpAsk *ask, NpKins *kins, guint32 label)
{
  static const char *const words[AN_N_CLASSES + 1] = { [AN_COMPUTE] = "compute",
                                                       [AN_COMMUNICATION] = "communication",
                                                       [AN_MEMORY] = "memory",
                                                       [AN_CONTROL] = "control",
                                                       [AN_SETUP] = "setup" };
  return words[class_of (ask, kins, label)];
}

const char *const np_work_words[NP_N_WORK] = { [NP_WORK_COMPUTE] = "compute",
                                               [NP_WORK_COMMUNICATION] = "communication",
                                               [NP_WORK_COPY] = "copies",
                                               [NP_WORK_CONTROL] = "control" };

NpWorkKind
np_label_work (NpAsk *ask, NpKins *kins, guint32 label)
{
  static const NpWorkKind kinds[AN_N_CLASSES + 1]
      = { [AN_COMPUTE] = NP_WORK_COMPUTE, [AN_COMMUNICATION] = NP_WORK_COMMUNICATION,
          [AN_MEMORY] = NP_WORK_COPY,     [AN_CONTROL] = NP_WORK_CONTROL,
          [AN_SETUP] = NP_WORK_CONTROL,   [AN_AROUND] = NP_N_WORK };
  return kinds[class_of (ask, kins, label)];
}

/* source: names.c of the Neuron decoders */
gboolean
np_label_is_likely (const NpAsk *ask, guint32 label)
{
  return g_str_has_suffix (np_label_name (ask, label), "(likely)");
}
