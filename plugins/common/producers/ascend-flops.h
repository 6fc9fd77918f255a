/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-flops.h - how many floating-point operations a kernel of an Ascend does, by its shapes.
 * rule: ascend.md 7 */
#ifndef PRODUCERS_ASCEND_FLOPS_H
#define PRODUCERS_ASCEND_FLOPS_H

#include <stdint.h>

enum { ASCEND_NO_FLOPS = -1 };

/* Returns flop; ASCEND_NO_FLOPS: it is no product, or its shapes do not tell.  Shapes are texts as
 * the profilers write them, "32,3,224,224;64,3,11,11"; `around`: those of the inputs of the
 * operator that launched the kernel, which of convolutions tell what is not padding. Each may be
 * NULL. */
int64_t ascend_flops (const char *type, const char *inputs, const char *outputs,
                      const char *around);

/* Returns whether the shapes are of two arguments at least, as those of an operator are and those
 * of what wraps it are not always. */
int ascend_shapes_tell (const char *shapes);

#endif
