/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-flops.c - reads shapes, and counts what products and convolutions of them do. */
#include "producers/ascend-flops.h"

#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_SHAPES = 4, MOST_DIMS = 8 };

typedef struct {
  int n;
  int64_t dim[MOST_DIMS];
} Shape;

/* -- Shapes ------------------------------------------------------------------------------------ */

static Shape
read_shape (const char *p, const char *end)
{
  Shape shape = { 0 };
  while (p < end) {
    char *behind;
    while (p < end && !g_ascii_isdigit (*p))
      p++;
    if (p == end || shape.n == MOST_DIMS)
      break;
    shape.dim[shape.n++] = g_ascii_strtoll (p, &behind, 10);
    p = behind;
  }
  return shape;
}

/* Reads the first shapes, empty ones too; returns how many. */
static int
read_shapes (const char *text, Shape shapes[MOST_SHAPES])
{
  int n = 0;
  for (const char *p = text; p && n < MOST_SHAPES;) {
    const char *end = strchrnul (p, ';');
    shapes[n++] = read_shape (p, end);
    p = *end ? end + 1 : NULL;
  }
  return n;
}

int
ascend_shapes_tell (const char *text)
{
  Shape shapes[MOST_SHAPES];
  int told = 0;
  for (int i = 0, n = read_shapes (text, shapes); i < n; i++)
    told += shapes[i].n > 0;
  return told > 1;
}

/* Multiplies by each dimension from `first` on; false: it is beyond int64, or a dimension is 0. */
static bool
times (int64_t *product, const Shape *shape, int first)
{
  for (int i = first; i < shape->n; i++)
    if (shape->dim[i] <= 0 || __builtin_mul_overflow (*product, shape->dim[i], product))
      return false;
  return true;
}

/* -- Products ---------------------------------------------------------------------------------- */

/* Of (.., m, k) and (.., k, n) in whichever order each is kept: the sizes of both over that of the
 * result, which is batch x m x n, are k x k of each product. */
static int64_t
product (const Shape *a, const Shape *b, const Shape *out)
{
  int64_t squared = 1, size = 1, flops = 2;
  if (a->n < 2 || a->n != b->n || a->n != out->n)
    return ASCEND_NO_FLOPS;
  for (int i = 0; i < out->n - 2; i++)
    if (a->dim[i] != out->dim[i] || b->dim[i] != out->dim[i])
      return ASCEND_NO_FLOPS;
  if (!times (&squared, a, out->n - 2) || !times (&squared, b, out->n - 2)
      || !times (&size, out, out->n - 2) || squared % size)
    return ASCEND_NO_FLOPS;
  squared /= size;
  const int64_t k = (int64_t) llround (sqrt ((double) squared));
  int64_t again;
  const bool exact = !__builtin_mul_overflow (k, k, &again) && again == squared;
  return exact && times (&flops, out, 0) && !__builtin_mul_overflow (flops, k, &flops)
             ? flops
             : ASCEND_NO_FLOPS;
}

/* Of a picture or the gradient of one by the weights, once a place of the result. */
static int64_t
convolution (int64_t pictures, int64_t height, int64_t width, const Shape *weights)
{
  int64_t flops = 2;
  const Shape places = { 3, { pictures, height, width } };
  return weights->n == 4 && times (&flops, &places, 0) && times (&flops, weights, 0)
             ? flops
             : ASCEND_NO_FLOPS;
}

int64_t
ascend_flops (const char *type, const char *inputs, const char *outputs, const char *around)
{
  Shape in[MOST_SHAPES] = { 0 }, out[MOST_SHAPES] = { 0 }, of[MOST_SHAPES] = { 0 };
  const int n_in = read_shapes (inputs, in), n_out = read_shapes (outputs, out),
            n_of = read_shapes (around, of);
  if ((g_str_has_prefix (type, "MatMul") || g_str_has_prefix (type, "BatchMatMul")) && n_in > 1
      && n_out)
    return product (&in[0], &in[1], &out[0]);
  if (strcmp (type, "Conv2D") == 0 && n_of > 1 && of[0].n == 4 && n_out
      && out[0].n == 5) /* NC1HWC0 */
    return convolution (of[0].dim[0], out[0].dim[2], out[0].dim[3], &of[1]);
  if (g_str_has_prefix (type, "Conv2DBackprop") && n_of > 2 && of[0].n == 4)
    return convolution (of[0].dim[0], of[0].dim[2], of[0].dim[3], &of[2]); /* the gradient */
  return ASCEND_NO_FLOPS;
}
