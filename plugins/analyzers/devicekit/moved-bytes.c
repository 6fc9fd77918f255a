/* SPDX-License-Identifier: Apache-2.0 */
/* moved-bytes.c - counts the bytes of operators by the shapes of their arguments. */
#include "devicekit/moved-bytes.h"

#include "devicekit/product-call.h"

#include "profile/moved-names.h"

/* Returns its bytes, and those of an element; < 0: it is no tensor of one known size. */
static gint64
bytes_of (const AnProductArgument *arg, guint *element)
{
  const char *precision;
  const gboolean empty = arg->text_len >= 2 && !memcmp (arg->text + arg->text_len - 2, "[]", 2);
  *element = arg->type_len ? an_product_type (arg, &precision) : 0;
  if (!*element || (!arg->n && !empty))
    return -1;
  const __int128 bytes
      = an_product_times (an_product_elements (arg->size, arg->n), (__int128) *element);
  return bytes < 0 || bytes > G_MAXINT64 / 64 ? -1 : (gint64) bytes;
}

typedef struct {
  gint64 read, largest, elements; /* elements: of the largest */
} Moved;

static Moved
inputs_of (const AnProductCall *call, MovesHow how)
{
  Moved m = { 0, 0, 0 };
  for (guint i = 0; i < (how == MOVES_ONE ? MIN (call->n, 1) : call->n); i++) {
    guint element;
    const gint64 bytes = bytes_of (&call->arg[i], &element);
    if (bytes < 0)
      continue;
    m.read += bytes;
    if (bytes / element <= m.elements)
      continue;
    m.elements = bytes / element;
    m.largest = bytes;
  }
  return m;
}

/* The target comes first, then the source. */
static gint64
target_of (const AnProductCall *call, const Moved *m)
{
  guint element;
  const gint64 to = call->n > 1 ? bytes_of (&call->arg[0], &element) : -1;
  return to >= 0 ? to : m->largest;
}

static gint64
copied (const AnProductCall *call, const Moved *m)
{
  guint element;
  const gint64 to = call->n > 1 ? bytes_of (&call->arg[0], &element) : -1,
               from = call->n > 1 ? bytes_of (&call->arg[1], &element) : -1;
  return to >= 0 && from >= 0 ? to + from : m->largest;
}

/* Returns how the operator moves bytes, and its inputs; MOVES_UNKNOWN: its shapes do not tell. */
static MovesHow
moved (const char *operator_name, const char *arguments, AnProductCall *call, Moved *m)
{
  const MovesHow how = moves_how (operator_name);
  if (how == MOVES_UNKNOWN || !an_product_call (arguments, call))
    return MOVES_UNKNOWN;
  *m = inputs_of (call, how);
  return m->elements ? how : MOVES_UNKNOWN;
}

gint64
an_moved_bytes (const char *operator_name, const char *arguments)
{
  AnProductCall call = { .n = 0 };
  Moved m;
  const MovesHow how = moved (operator_name, arguments, &call, &m);
  if (how == MOVES_UNKNOWN)
    return -1;
  if (how == MOVES_COPY)
    return copied (&call, &m);
  if (how == MOVES_FILL)
    return m.largest;
  return how == MOVES_REDUCED ? m.read : m.read + m.largest;
}

gint64
an_written_bytes (const char *operator_name, const char *arguments)
{
  AnProductCall call = { .n = 0 };
  Moved m;
  const MovesHow how = moved (operator_name, arguments, &call, &m);
  if (how == MOVES_UNKNOWN)
    return -1;
  if (how == MOVES_COPY)
    return target_of (&call, &m);
  return how == MOVES_REDUCED ? 0 : m.largest;
}
