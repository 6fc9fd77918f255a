/* SPDX-License-Identifier: Apache-2.0 */
/* label-class.c - asks the rule of analyzers what work a label is. A collective that all of its
 * rows state goes before category and name, as it does there. */

#include "label-class.h"

#include "devicekit/class.h"

const char *
np_label_class (NpAsk *ask, NpKins *kins, guint32 label)
{
  static const char *const words[AN_N_CLASSES] = { [AN_COMPUTE] = "compute",
                                                   [AN_COMMUNICATION] = "communication",
                                                   [AN_MEMORY] = "memory",
                                                   [AN_CONTROL] = "control",
                                                   [AN_SETUP] = "setup" };
  if (np_label_is_no_work (kins, label))
    return NULL;
  if (np_label_stated (ask, label, NP_STATED_COLLECTIVE))
    return words[AN_COMMUNICATION];
  const AnClass class = an_class (np_label_meaning (ask, label, ON_WORK));
  return class == AN_AROUND ? NULL : words[class];
}

/* source: names.c of the Neuron decoders */
gboolean
np_label_is_likely (const NpAsk *ask, guint32 label)
{
  return g_str_has_suffix (np_label_name (ask, label), "(likely)");
}
