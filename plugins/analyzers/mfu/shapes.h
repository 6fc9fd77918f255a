/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h - flops that follow from the shapes of arguments, as other analyzers' tables tell
 * them. */
#ifndef MFU_SHAPES_H
#define MFU_SHAPES_H

#include "mfu.h"

/* This is the sum of a device, one of its operators, or one of its steps. */
typedef struct _MfShapeSum {
  nprof_str operator;
  gint64 step;           /* number                                                       */
  gint64 calls, unknown; /* whose flops are known; whose arguments say too little        */
  gint64 flops, bytes;
  gint64 time; /* ps: of an operator what it launched, of a step its window    */
  gint64 counted; /* ps: of that of a step the verdict is; 0: it does not count         */
  double
      could; /* s: the least time for the flops, each by the peak of its precision; NAN: unknown */
  nprof_str precision[4];
  bool no_bytes;
  bool partial; /* a step: the selection leaves out work of it, whose flops are missing here */
} MfShapeSum;

/* Returns FALSE when there are none. */
bool mf_shapes_all (const MfShapes *shapes, MfDevice *device, MfShapeSum *sum);
/* Returns MfShapeSum; transfer full. */
GArray *mf_shapes_operators (const MfShapes *shapes, MfDevice *device);
GArray *mf_shapes_steps (const MfShapes *shapes, MfDevice *device);

#endif
