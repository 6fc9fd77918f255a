/* SPDX-License-Identifier: Apache-2.0 */
/* label-class.h - what the work is that rows with a label are, by the rule of analyzers of devices
 * (devicekit/class.h). */
#pragma once

#include "row-kin.h"

/* Kinds of work. What counts where several run at once: the first of them. */
typedef enum {
  NP_WORK_COMPUTE,
  NP_WORK_COMMUNICATION,
  NP_WORK_COPY,
  NP_WORK_CONTROL, /* and setup */
  NP_N_WORK
} NpWorkKind;

/* Returns "compute", "communication", "memory", "control" or "setup", which rows with that label
 * are where they are work of a device; NULL: they are no work. */
const char *np_label_class (NpAsk *ask, NpKins *kins, guint32 label);
/* What answers call each kind. */
extern const char *const np_work_words[NP_N_WORK];
/* Returns the kind of that work; NP_N_WORK: they are no work. */
NpWorkKind np_label_work (NpAsk *ask, NpKins *kins, guint32 label);
/* Returns whether the decoder guessed the name. */
gboolean np_label_is_likely (const NpAsk *ask, guint32 label);
