/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - what the readers of a pickle and of JSON share: the values of a file, which live until
 * pk_free. */
#pragma once

#include "pickle/pickle.h"

struct Pickle {
  const guint8 *data;
  guint64 len, at, op_at;       /* of the opcode that is being read */
  GArray *stack, *marks, *memo; /* of PkValue, guint, PkValue */
  GPtrArray *all;               /* of PkItems */
  GPtrArray *texts;             /* of char *: texts that are not in the input */
  char *problem;
};

Pickle *pk_new (const void *data, guint64 len);
/* Returns an empty list or dict that lives as long as `p`. */
PkItems *pk_items_new (Pickle *p);
void pk_items_append (PkItems *items, const PkValue *values, guint n);
