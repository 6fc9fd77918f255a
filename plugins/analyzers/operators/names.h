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

/* Returns the name without the numbers that XLA adds to tell instructions apart: "fusion.12" is
 * fusion, "cudnn-conv.1.0" is cudnn-conv, "fusion.3.clone.1" is fusion.clone.  Transfer full. */
char *without_numbers (const char *name);

/* The value and the operands of an HLO instruction, without layouts and names: "f32[8,128],
 * s32[]". */
typedef struct {
  char *arguments; /* "()": it has none.  NULL: the text does not state them */
  char *result;    /* NULL: the text does not state it                       */
} HloShapes;

/* Returns what the text of an instruction states; transfer full. */
HloShapes shapes_of_text (const char *text);

/* Returns the arguments that TensorFlow annotates, "(half[4,16];half[])", as "f16[4,16], f16[]"; a
 * text of another form as it is. Transfer full. */
char *arguments_of_annotation (const char *text);

/* Returns the arguments of a call that PyTorch recorded, "f32[4,16] - f32[16,2] 1 True", as
 * "f32[4,16], f32[16,2]; 1, True": the tensors, then the values of others; of a "-" the file states
 * neither, and it is left out.  NULL: nothing is stated.  Transfer full. */
char *arguments_of_call (const char *text);

/* Returns a list of shapes without their layouts. NULL: one of them is no shape. Transfer full. */
char *without_layouts (const char *list);

#endif
