/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - reads names of operators: the type in a framework's path, the opcode in the text of an
 * HLO instruction.  Knows nothing of nprof. */
#ifndef OPERATORS_NAMES_H
#define OPERATORS_NAMES_H

#include <glib.h>

/* Returns the type: "a/b/dot_general_1" is of type dot_general, "a/b/conv1:Conv2D" of Conv2D.
 * NULL: none.  Transfer full. */
char *type_of_path (const char *path);

/* Returns the opcode: "%fusion.1 = f32[2]{0} fusion(...), kind=kLoop" is a fusion.  NULL: not such
 * a text.  Transfer full. */
char *opcode_of_text (const char *text);

#endif
