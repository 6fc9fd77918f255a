/* SPDX-License-Identifier: Apache-2.0 */
/* product-formulas.c - says which operator has which formula, and what each computes. Where torch's
 * own counter slips, ours differ: a grouped convolution has c_in / groups channels in its gradients
 * as well, and tensors of a bare flash attention are (batch, sequence, head, size). */
#include "devicekit/product-call.h"

#include <string.h>

/* -- Tensors ----------------------------------------------------------------------------------- */

static void
add_read_tensor (AnProductFound *found, guint argument)
{
  found->read[found->n_read++] = argument;
}

static void
writes (AnProductFound *found, const gint64 *size, guint n)
{
  AnProductArgument *tensor = &found->written[found->n_written++];
  tensor->n = n;
  memcpy (tensor->size, size, n * sizeof *size);
}

/* Returns a tensor of n dimensions; NULL: the argument is none. */
static const gint64 *
tensor (const AnProductCall *call, guint at, guint n)
{
  return at < call->n && call->arg[at].n == n ? call->arg[at].size : NULL;
}

/* -- Matrices ---------------------------------------------------------------------------------- */

/* `how` is the argument of the first matrix; before it stands what is added. */
static bool
product (const AnProductCall *call, guint how, AnProductFound *found)
{
  const gint64 *a = tensor (call, how, 2), *b = tensor (call, how + 1, 2);
  if (!a || !b || a[1] != b[0])
    return false;
  found->flops = an_product_times (2, an_product_times (an_product_times (a[0], a[1]), b[1]));
  add_read_tensor (found, how);
  add_read_tensor (found, how + 1);
  if (how)
    add_read_tensor (found, 0);
  writes (found, (gint64[]){ a[0], b[1] }, 2);
  found->typed = how;
  return true;
}

static bool
batched_product (const AnProductCall *call, guint how, AnProductFound *found)
{
  const gint64 *a = tensor (call, how, 3), *b = tensor (call, how + 1, 3);
  if (!a || !b || a[0] != b[0] || a[2] != b[1])
    return false;
  found->flops = an_product_times (
      2, an_product_times (an_product_times (an_product_times (a[0], a[1]), a[2]), b[2]));
  add_read_tensor (found, how);
  add_read_tensor (found, how + 1);
  if (how)
    add_read_tensor (found, 0);
  writes (found, (gint64[]){ a[0], a[1], b[2] }, 3);
  found->typed = how;
  return true;
}

static bool
linear (const AnProductCall *call, guint how, AnProductFound *found)
{
  const AnProductArgument *x = &call->arg[0];
  const gint64 *w = tensor (call, 1, 2);
  (void) how;
  if (!w || !x->n || x->size[x->n - 1] != w[1])
    return false;
  gint64 y[AN_MOST_DIMS];
  memcpy (y, x->size, sizeof y);
  y[x->n - 1] = w[0];
  found->flops = an_product_times (2, an_product_times (an_product_elements (x->size, x->n), w[0]));
  for (guint i = 0; i < 3; i++)
    add_read_tensor (found, i);
  writes (found, y, x->n);
  return true;
}

/* Batches of one stand for all of the other's. */
static bool
broadcast (const AnProductArgument *a, const AnProductArgument *b, gint64 *to, guint *n)
{
  guint of_a = a->n - 2, of_b = b->n - 2;
  *n = MAX (of_a, of_b);
  for (guint i = 0; i < *n; i++) {
    gint64 x = i + of_a < *n ? 1 : a->size[i + of_a - *n],
           y = i + of_b < *n ? 1 : b->size[i + of_b - *n];
    if (x != y && x != 1 && y != 1)
      return false;
    to[i] = MAX (x, y);
    if (!x || !y)
      to[i] = 0;
  }
  return true;
}

/* A vector is a matrix of one row before, of one column behind. */
static bool
matmul (const AnProductCall *call, guint how, AnProductFound *found)
{
  AnProductArgument a = call->arg[0], b = call->arg[1];
  (void) how;
  if (call->n < 2 || !a.n || !b.n)
    return false;
  if (a.n == 1) {
    a.size[1] = a.size[0];
    a.size[0] = 1;
    a.n = 2;
  }
  if (b.n == 1) {
    b.size[1] = 1;
    b.n = 2;
  }
  gint64 y[AN_MOST_DIMS];
  guint n;
  if (a.size[a.n - 1] != b.size[b.n - 2] || !broadcast (&a, &b, y, &n))
    return false;
  y[n] = a.size[a.n - 2];
  y[n + 1] = b.size[b.n - 1];
  found->flops
      = an_product_times (2, an_product_times (an_product_elements (y, n + 2), a.size[a.n - 1]));
  add_read_tensor (found, 0);
  add_read_tensor (found, 1);
  writes (found, y, n + 2);
  return true;
}

/* -- Convolutions ------------------------------------------------------------------------------ */

/* These are places of arguments; NONE: it has no such. */
enum { NONE = 255 };
static const struct {
  guint stride, padding, dilation, transposed, bias;
} convolutions[] = {
  { 3, 4, 5, 6, 2 },       /* aten::convolution        */
  { 3, 2, 4, NONE, NONE }, /* aten::cudnn_convolution  */
  { 4, 3, 5, NONE, 2 },    /* aten::miopen_convolution */
  { 3, 4, 5, NONE, 2 },    /* aten::conv2d             */
};

/* x is (n, c_in, spatial...), w (c_out, c_in / groups, kernel...); `spatial` is that of what the
 * kernel is put on. */
static __int128
convolved (const AnProductArgument *x, const AnProductArgument *w, const gint64 *spatial)
{
  return an_product_times (
      2, an_product_times (an_product_times (x->size[0], an_product_elements (spatial, x->n - 2)),
                           an_product_elements (w->size, w->n)));
}

static bool
are_convolved (const AnProductArgument *x, const AnProductArgument *w)
{
  return x->n > 2 && x->n == w->n;
}

static bool
spatial_of (const AnProductCall *call, guint how, gint64 *to)
{
  const AnProductArgument *x = &call->arg[0], *w = &call->arg[1];
  gint64 stride[AN_MOST_DIMS], padding[AN_MOST_DIMS], dilation[AN_MOST_DIMS];
  guint n = x->n - 2;
  if (!an_product_numbers (call, convolutions[how].stride, n, stride)
      || !an_product_numbers (call, convolutions[how].padding, n, padding)
      || !an_product_numbers (call, convolutions[how].dilation, n, dilation))
    return false;
  for (guint i = 0; i < n; i++) {
    const gint64 limit = 1ll << 40;
    if (stride[i] < 1 || ABS (padding[i]) > limit || ABS (dilation[i]) > limit
        || x->size[i + 2] > limit || w->size[i + 2] > limit >> 20)
      return false;
    gint64 room = x->size[i + 2] + 2 * padding[i] - dilation[i] * (w->size[i + 2] - 1) - 1;
    if (room < 0)
      return false;
    to[i] = room / stride[i] + 1;
  }
  return true;
}

static bool
convolution (const AnProductCall *call, guint how, AnProductFound *found)
{
  const AnProductArgument *x = &call->arg[0], *w = &call->arg[1];
  guint transposed = convolutions[how].transposed;
  if (!are_convolved (x, w))
    return false;
  found->no_bytes = transposed != NONE && an_product_says (call, transposed, "True");
  if (found->no_bytes) {
    found->flops = convolved (x, w, x->size + 2);
    return true;
  }
  gint64 y[AN_MOST_DIMS] = { x->size[0], w->size[0] };
  if (!spatial_of (call, how, y + 2))
    return false;
  found->flops = convolved (x, w, y + 2);
  add_read_tensor (found, 0);
  add_read_tensor (found, 1);
  if (convolutions[how].bias != NONE)
    add_read_tensor (found, convolutions[how].bias);
  writes (found, y, x->n);
  return true;
}

/* Reads which gradients are asked for: "[True,True,False]". */
static bool
mask_of (const AnProductCall *call, guint at, bool *mask)
{
  if (at >= call->n)
    return false;
  const char *p = call->arg[at].text, *end = p + call->arg[at].text_len;
  guint n = 0;
  for (; p < end && n < 3; p++) {
    bool yes = end - p >= 4 && !memcmp (p, "True", 4);
    if (yes || (end - p >= 5 && !memcmp (p, "False", 5)))
      mask[n++] = yes;
  }
  return n == 3;
}

static bool
convolution_backward (const AnProductCall *call, guint how, AnProductFound *found)
{
  enum { GRADIENT, INPUT, WEIGHT, TRANSPOSED = 7, MASK = 10 };
  const AnProductArgument *g = &call->arg[GRADIENT], *x = &call->arg[INPUT],
                          *w = &call->arg[WEIGHT];
  bool mask[3];
  (void) how;
  if (!mask_of (call, MASK, mask) || !are_convolved (x, w) || g->n != x->n)
    return false;
  bool transposed = an_product_says (call, TRANSPOSED, "True");
  __int128 one = convolved (x, w, (transposed ? x : g)->size + 2);
  found->flops = an_product_times (one, (guint) mask[0] + (guint) mask[1]);
  for (guint i = 0; i < 3; i++)
    add_read_tensor (found, i);
  if (mask[0])
    writes (found, x->size, x->n);
  if (mask[1])
    writes (found, w->size, w->n);
  if (mask[2])
    writes (found, w->size, 1);
  found->typed = INPUT;
  return true;
}

/* Its arguments of 2021 are input, gradient, weight. */
static bool
cudnn_backward (const AnProductCall *call, guint how, AnProductFound *found)
{
  const AnProductArgument *x = &call->arg[0], *g = &call->arg[1], *w = &call->arg[2];
  (void) how;
  if (!are_convolved (x, w) || g->n != x->n || call->inputs + call->weights > 2)
    return false;
  found->flops = an_product_times (convolved (x, w, g->size + 2), call->inputs + call->weights);
  for (guint i = 0; i < 3; i++)
    add_read_tensor (found, i);
  for (guint i = 0; i < call->inputs; i++)
    writes (found, x->size, x->n);
  for (guint i = 0; i < call->weights; i++)
    writes (found, w->size, w->n);
  return true;
}

static bool
never (const AnProductCall *call, guint how, AnProductFound *found)
{
  (void) call;
  (void) how;
  (void) found;
  return false;
}

/* -- Attention --------------------------------------------------------------------------------- */

typedef struct {
  gint64 q[4], k[4], v[4]; /* batch, heads, sequence, size */
} Heads;

static void
put_heads (const gint64 *from, bool swapped, gint64 *to)
{
  const guint order[2][4] = { { 0, 1, 2, 3 }, { 0, 2, 1, 3 } };
  for (guint i = 0; i < 4; i++)
    to[i] = from[order[swapped][i]];
}

/* `swapped` means batch, sequence, heads, size in the arguments. */
static bool
heads_of (const AnProductCall *call, guint first, bool swapped, Heads *h)
{
  const gint64 *q = tensor (call, first, 4), *k = tensor (call, first + 1, 4),
               *v = tensor (call, first + 2, 4);
  if (!q || !k || !v)
    return false;
  put_heads (q, swapped, h->q);
  put_heads (k, swapped, h->k);
  put_heads (v, swapped, h->v);
  return h->q[0] == h->k[0] && h->k[0] == h->v[0] && h->q[3] == h->k[3] && h->k[2] == h->v[2]
         && h->k[1] == h->v[1] && h->k[1] > 0 && h->q[1] % h->k[1] == 0;
}

static __int128
attended (const Heads *h, __int128 sizes)
{
  return an_product_times (an_product_times (2, an_product_elements (h->q, 3)),
                           an_product_times (h->k[2], sizes));
}

static bool
forward (const AnProductCall *call, bool swapped, AnProductFound *found)
{
  Heads h;
  if (!heads_of (call, 0, swapped, &h))
    return false;
  found->flops = attended (&h, (__int128) h.q[3] + h.v[3]);
  for (guint i = 0; i < 3; i++)
    add_read_tensor (found, i);
  writes (found, (gint64[]){ h.q[0], h.q[1], h.q[2], h.v[3] }, 4);
  return true;
}

static bool
backward (const AnProductCall *call, bool swapped, AnProductFound *found)
{
  Heads h;
  if (!heads_of (call, 1, swapped, &h))
    return false;
  found->flops = attended (&h, (__int128) 3 * h.q[3] + 2 * (__int128) h.v[3]);
  for (guint i = 0; i < 4; i++)
    add_read_tensor (found, i);
  writes (found, h.q, 4);
  writes (found, h.k, 4);
  writes (found, h.v, 4);
  return true;
}

static bool
attention (const AnProductCall *call, guint how, AnProductFound *found)
{
  (void) how;
  return forward (call, false, found);
}

/* `how` is the argument that packs sequences, whose lengths are not in the file; a tensor there
 * says so. */
static bool
bare_attention (const AnProductCall *call, guint how, AnProductFound *found)
{
  return how < call->n && !call->arg[how].n && forward (call, true, found);
}

static bool
attention_backward (const AnProductCall *call, guint how, AnProductFound *found)
{
  const AnProductArgument *gradient = &call->arg[0], *out = &call->arg[4];
  (void) how;
  if (!backward (call, false, found))
    return false;
  if (call->n > 4 && out->n == gradient->n
      && !memcmp (out->size, gradient->size, out->n * sizeof *out->size))
    add_read_tensor (found, 4);
  found->typed = 1;
  return true;
}

static bool
bare_backward (const AnProductCall *call, guint how, AnProductFound *found)
{
  (void) how;
  found->typed = 1;
  return backward (call, true, found);
}

/* -- All of them ------------------------------------------------------------------------------- */

static const AnProductFormula products[] = {
  { "mm", AN_PRODUCT, product, 0 },
  { "mm.out", AN_PRODUCT, product, 0 },
  { "_scaled_mm", AN_PRODUCT, product, 0 },
  { "addmm", AN_PRODUCT, product, 1 },
  { "bmm", AN_PRODUCT, batched_product, 0 },
  { "baddbmm", AN_PRODUCT, batched_product, 1 },
  { "convolution", AN_PRODUCT, convolution, 0 },
  { "_convolution", AN_PRODUCT, convolution, 0 },
  { "convolution_overrideable", AN_PRODUCT, convolution, 0 },
  { "cudnn_convolution", AN_PRODUCT, convolution, 1 },
  { "miopen_convolution", AN_PRODUCT, convolution, 2 },
  { "_slow_conv2d_forward", AN_PRODUCT, never, 0 },
  { "convolution_backward", AN_PRODUCT, convolution_backward, 0 },
  { "cudnn_convolution_backward", AN_PRODUCT, cudnn_backward, 0 },
  { "cudnn_convolution_backward_input", AN_INPUT_GRADIENT, never, 0 },
  { "cudnn_convolution_backward_weight", AN_WEIGHT_GRADIENT, never, 0 },
  { "_scaled_dot_product_flash_attention", AN_PRODUCT, attention, 0 },
  { "_scaled_dot_product_efficient_attention", AN_PRODUCT, attention, 0 },
  { "_scaled_dot_product_cudnn_attention", AN_PRODUCT, attention, 0 },
  { "_scaled_dot_product_flash_attention_backward", AN_PRODUCT, attention_backward, 0 },
  { "_scaled_dot_product_efficient_attention_backward", AN_PRODUCT, attention_backward, 0 },
  { "_scaled_dot_product_cudnn_attention_backward", AN_PRODUCT, attention_backward, 0 },
  { "_flash_attention_forward", AN_PRODUCT, bare_attention, 3 },
  { "_efficient_attention_forward", AN_PRODUCT, bare_attention, 4 },
  { "_flash_attention_backward", AN_PRODUCT, bare_backward, 0 },
  { "_efficient_attention_backward", AN_PRODUCT, bare_backward, 0 },
  { "linear", AN_COMPOSITE, linear, 0 },
  { "matmul", AN_COMPOSITE, matmul, 0 },
  { "conv1d", AN_COMPOSITE, convolution, 3 },
  { "conv2d", AN_COMPOSITE, convolution, 3 },
  { "conv3d", AN_COMPOSITE, convolution, 3 },
  { "scaled_dot_product_attention", AN_COMPOSITE, attention, 0 },
};

const AnProductFormula *
an_product_formula (const char *name)
{
  if (!g_str_has_prefix (name, "aten::"))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (products); i++)
    if (!strcmp (name + strlen ("aten::"), products[i].name))
      return &products[i];
  return NULL;
}
