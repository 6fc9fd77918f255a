/* SPDX-License-Identifier: Apache-2.0 */
/* moved-names.h - names of operators of PyTorch whose bytes follow from the shapes of their
 * arguments: those that compute element by element, reduce, cast, copy or fill.  A decoder gives
 * these rows their arguments (product-names.h), an analyzer counts the bytes. */
#ifndef MOVED_NAMES_H
#define MOVED_NAMES_H

#include <stdbool.h>
#include <string.h>

/* MOVES_ONE: of one tensor; a second is that of out=, which is the result. */
typedef enum {
  MOVES_UNKNOWN,
  MOVES_ELEMENTS,
  MOVES_ONE,
  MOVES_REDUCED,
  MOVES_COPY,
  MOVES_FILL
} MovesHow;

/* Returns how an operator of that name moves bytes: names but the last three may have _ before or
 * behind them. */
static inline MovesHow
moves_how (const char *name)
{
  static const char elements[]
      = " mul add sub div pow where clamp eq ne lt gt le ge mean sum amax amin max min cat softmax "
        "log_softmax masked_fill addcmul addcdiv lerp to_copy native_dropout gelu_backward "
        "silu_backward threshold_backward ";
  static const char one[] = " neg exp rsqrt sqrt sigmoid silu gelu relu tanh cos sin abs clone "
                            "reciprocal bitwise_not ";
  static const char reduced[] = " mean sum amax amin max min ";
  char word[32] = " ";
  if (strncmp (name, "aten::", 6) != 0)
    return MOVES_UNKNOWN;
  name += 6;
  if (strcmp (name, "copy_") == 0)
    return MOVES_COPY;
  if (strcmp (name, "fill_") == 0 || strcmp (name, "zero_") == 0)
    return MOVES_FILL;
  const bool plain = *name != '_';
  name += !plain;
  size_t length = strlen (name);
  const bool in_place = length && name[length - 1] == '_';
  length -= in_place;
  if (!length || length + 3 > sizeof word || memchr (name, ' ', length))
    return MOVES_UNKNOWN;
  memcpy (word + 1, name, length);
  memcpy (word + 1 + length, " ", 2);
  if (plain && !in_place && strstr (reduced, word))
    return MOVES_REDUCED;
  if (strstr (one, word))
    return MOVES_ONE;
  return strstr (elements, word) ? MOVES_ELEMENTS : MOVES_UNKNOWN;
}

#endif
