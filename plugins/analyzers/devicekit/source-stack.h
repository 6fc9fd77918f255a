/* SPDX-License-Identifier: Apache-2.0 */
/* source-stack.h - the frames of the user's program that work was made by. */
#ifndef AN_SOURCE_STACK_H
#define AN_SOURCE_STACK_H

#include "producers/own-frames.h"

#include <glib.h>

/* Returns the frames of `stack`, one a line, the outermost first; of "FILE:LINE:COLUMN" without the
 * column.  Some producers write the innermost first, others last: it is the one at `source`
 * (FILE:LINE; "": not known), else the first. Without a stack `source` is the only frame. Of these
 * stay the user's own and the libraries of kernels around them all; runtimes where there is nothing
 * else. Transfer full. */
GStrv an_source_frames (const OwnFramesList *list, const char *stack, const char *source);

#endif
