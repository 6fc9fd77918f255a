/* SPDX-License-Identifier: Apache-2.0 */
/* ascend.h - what Ascend's profilers call things, in their databases and in their JSON: classes of
 * tasks, units, collectives and types of elements.  The one place that knows such words.
 * classes: ascend.md 4 */
#ifndef PRODUCERS_ASCEND_H
#define PRODUCERS_ASCEND_H

#include <glib.h>
#include <stdint.h>

/* What a task of the hardware is. */
typedef enum {
  CLASS_COMPUTE,
  CLASS_COMMUNICATION, /* a whole collective */
  CLASS_COPY,
  CLASS_WAIT,
  CLASS_CONTROL,
  CLASS_PART,   /* of a collective, which covers it */
  CLASS_AROUND, /* a wrapper of a kernel or of a whole collective */
  N_CLASSES     /* no word that is known */
} AscendClass;

enum { ASCEND_NONE = -1 };

/* Its decoders declare these. */
#define ASCEND_ATTRIBUTES                                                                          \
  NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "",                                     \
                   "connection of a launch and its work"),                                         \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STREAM, "", "stream of the device"),                 \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "number of the step"),                     \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_ENGINE, "", "cube, vector, mix, aicpu, dsa"),       \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_OPCODE, "", "type of the operator"),                \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SHAPE, "", "shapes of the inputs"),                 \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_FLOPS, "flop", "of products, by their shapes"),      \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_OPERATOR, "", "innermost operator of PyTorch"),     \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_COLLECTIVE, "", "kind of a collective")

/* The category that rows of a class have, and the value of NPROF_KEY_WORK. */
extern const char *const ascend_classes[N_CLASSES][2];

/* Returns the class of a type of tasks, of kernels CLASS_COMPUTE. */
AscendClass ascend_class_of (const char *type);
/* Returns "cube", "vector", "mix", "aicpu", "dsa"; NULL: the unit is none of these. */
const char *ascend_engine_of (const char *unit);
/* Reads "hcom_allReduce__586_0_1": its kind, and which of the group's it is, else ASCEND_NONE. */
const char *ascend_collective_of (const char *name, int64_t *sequence);
/* Returns a type of elements of HCCL by the name that analyzers know, else as it is. */
const char *ascend_type_of (const char *name);

#endif
