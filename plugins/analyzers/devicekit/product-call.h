/* SPDX-License-Identifier: Apache-2.0 */
/* product-call.h - the arguments of an operator of PyTorch, and the formulas that are put on
 * them. */
#ifndef AN_PRODUCT_CALL_H
#define AN_PRODUCT_CALL_H

#include "devicekit/products.h"

enum { AN_MOST_DIMS = 8, AN_MOST_ARGUMENTS = 24, AN_MOST_EXTRAS = 4 };

typedef struct {
  guint n; /* dimensions; 0: no tensor                   */
  gint64 size[AN_MOST_DIMS];
  const char *type, *text; /* both in the shape's text                  */
  gsize type_len, text_len;
} AnProductArgument;

typedef struct {
  AnProductArgument arg[AN_MOST_ARGUMENTS];
  guint n;
  guint inputs, weights;
} AnProductCall;

/* A formula finds this; tensors that it writes are given by their dimensions. */
typedef struct {
  __int128 flops;
  guint read[AN_MOST_EXTRAS + 2], n_read; /* arguments; the first has the type of what is written */
  AnProductArgument written[AN_MOST_EXTRAS];
  guint n_written;
  guint typed; /* argument that the precision is of */
  bool no_bytes;
} AnProductFound;

/* `how` tells operators of one formula apart, as it stands in the table. false: the arguments say
 * too little, or contradict each other. */
typedef struct {
  const char *name; /* behind aten:: */
  AnProductKind kind;
  bool (*find) (const AnProductCall *call, guint how, AnProductFound *found);
  guint how;
} AnProductFormula;

/* product-formulas.c: returns NULL when the operator has none. */
const AnProductFormula *an_product_formula (const char *name);

/* Reads a shape, whose text must stay.  false: an argument is no tensor of known sizes. */
bool an_product_call (const char *shape, AnProductCall *call);
/* Returns the bytes of an element, 0: unknown; *precision as in AnProductWork. */
guint an_product_type (const AnProductArgument *arg, const char **precision);
/* Compares the value of an argument that is no tensor, as "True". */
bool an_product_says (const AnProductCall *call, guint at, const char *text);
/* Reads a number for each of n dimensions; one alone is for all. */
bool an_product_numbers (const AnProductCall *call, guint at, guint n, gint64 *number);

/* Multiplies; a product that does not fit is negative. */
__int128 an_product_times (__int128 a, __int128 b);
__int128 an_product_elements (const gint64 *size, guint n);

#endif
