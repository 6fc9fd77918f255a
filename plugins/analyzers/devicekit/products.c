/* SPDX-License-Identifier: Apache-2.0 */
/* products.c - computes flops by formulas.  Where torch's own counter slips, ours differ: a grouped
 * convolution has c_in / groups channels in its gradients as well, and tensors of a bare flash
 * attention are (batch, sequence, head, size). */
#include "devicekit/products.h"

#include <string.h>

enum { MOST_DIMS = 8, MOST_ARGUMENTS = 24, MOST_EXTRAS = 4 };

typedef struct {
  guint n; /* dimensions; 0: no tensor                   */
  gint64 size[MOST_DIMS];
  const char *type, *text; /* both in the shape's text                  */
  gsize type_len, text_len;
} Argument;

typedef struct {
  Argument arg[MOST_ARGUMENTS];
  guint n;
  guint inputs, weights;
} Call;

/* A formula finds this; tensors that it writes are given by their dimensions. */
typedef struct {
  __int128 flops;
  guint read[MOST_EXTRAS + 2], n_read; /* arguments; the first has the type of what is written */
  Argument written[MOST_EXTRAS];
  guint n_written;
  guint typed; /* argument that the precision is of */
  bool no_bytes;
} Found;

typedef bool (*Formula) (const Call *call, guint how, Found *found);

/* -- Text --------------------------------------------------------------------------------------- */

/* Reads "[8,512]", "8,512" or "3"; at most MOST_DIMS numbers. false: something else stands
 * there. */
static bool
read_numbers (const char *p, const char *end, gint64 *number, guint *n)
{
  *n = 0;
  while (p < end) {
    if (strchr ("[](),", *p)) {
      p++;
      continue;
    }
    char *behind;
    if (*n == MOST_DIMS || !(g_ascii_isdigit (*p) || (*p == '-' && g_ascii_isdigit (p[1]))))
      return false;
    number[(*n)++] = g_ascii_strtoll (p, &behind, 10);
    p = behind;
  }
  return true;
}

static bool
read_argument (const char *p, const char *end, Argument *arg)
{
  const char *bracket = memchr (p, '[', (gsize) (end - p));
  *arg = (Argument){ .text = p, .text_len = (gsize) (end - p) };
  if (!bracket || bracket == p)
    return true;
  arg->type = p;
  arg->type_len = (gsize) (bracket - p);
  if (!read_numbers (bracket, end, arg->size, &arg->n))
    arg->n = 0; /* a list of tensors, or more dimensions than any product has */
  for (guint i = 0; i < arg->n; i++)
    if (arg->size[i] < 0)
      return false;
  return true;
}

static bool
read_call (const char *shape, Call *call)
{
  for (const char *p = shape; *p; call->n++) {
    const char *end = strchr (p, ' ');
    end = end ? end : p + strlen (p);
    if (call->n == MOST_ARGUMENTS)
      return true; /* no formula looks so far */
    if (!read_argument (p, end, &call->arg[call->n]))
      return false;
    p = *end ? end + 1 : end;
  }
  return true;
}

static const struct {
  const char *type, *precision;
  guint bytes;
} types[]
    = { { "f32", "fp32", 4 }, { "bf16", "bf16", 2 }, { "f16", "fp16", 2 }, { "f64", "fp64", 8 },
        { "i64", NULL, 8 },   { "i32", NULL, 4 },    { "i16", NULL, 2 },   { "i8", NULL, 1 },
        { "u8", NULL, 1 },    { "bool", NULL, 1 } };

static guint
bytes_of_type (const Argument *arg, const char **precision)
{
  *precision = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (arg->type_len == strlen (types[i].type)
        && !memcmp (arg->type, types[i].type, arg->type_len)) {
      *precision = types[i].precision;
      return types[i].bytes;
    }
  if (arg->type_len < 6 || g_ascii_strncasecmp (arg->type, "float8", 6) != 0)
    return 0;
  *precision = "fp8";
  return 1;
}

/* Compares the value of an argument that is no tensor, as "True". */
static bool
says (const Call *call, guint at, const char *text)
{
  return at < call->n && call->arg[at].text_len == strlen (text)
         && !memcmp (call->arg[at].text, text, call->arg[at].text_len);
}

/* Reads a number for each of n dimensions; one alone is for all. */
static bool
numbers_of (const Call *call, guint at, guint n, gint64 *number)
{
  guint found;
  if (at >= call->n
      || !read_numbers (call->arg[at].text, call->arg[at].text + call->arg[at].text_len, number,
                        &found))
    return false;
  for (guint i = found; found == 1 && i < n; i++)
    number[i] = number[0];
  return found == n || found == 1;
}

/* -- Tensors ------------------------------------------------------------------------------------- */

/* Multiplies; a product that does not fit is negative. */
static __int128
times (__int128 a, __int128 b)
{
  if (a < 0 || b < 0 || (b && a > ((__int128) 1 << 120) / b))
    return -1;
  return a * b;
}

static __int128
elements (const gint64 *size, guint n)
{
  __int128 product = 1;
  for (guint i = 0; i < n; i++)
    product = times (product, size[i]);
  return product;
}

static void
add_read_tensor (Found *found, guint argument)
{
  found->read[found->n_read++] = argument;
}

static void
writes (Found *found, const gint64 *size, guint n)
{
  Argument *tensor = &found->written[found->n_written++];
  tensor->n = n;
  memcpy (tensor->size, size, n * sizeof *size);
}

/* Returns a tensor of n dimensions; NULL: the argument is none. */
static const gint64 *
tensor (const Call *call, guint at, guint n)
{
  return at < call->n && call->arg[at].n == n ? call->arg[at].size : NULL;
}

/* -- Matrices ------------------------------------------------------------------------------------ */

/* `how` is the argument of the first matrix; before it stands what is added. */
static bool
product (const Call *call, guint how, Found *found)
{
  const gint64 *a = tensor (call, how, 2), *b = tensor (call, how + 1, 2);
  if (!a || !b || a[1] != b[0])
    return false;
  found->flops = times (2, times (times (a[0], a[1]), b[1]));
  add_read_tensor (found, how);
  add_read_tensor (found, how + 1);
  if (how)
    add_read_tensor (found, 0);
  writes (found, (gint64[]){ a[0], b[1] }, 2);
  found->typed = how;
  return true;
}

static bool
batched_product (const Call *call, guint how, Found *found)
{
  const gint64 *a = tensor (call, how, 3), *b = tensor (call, how + 1, 3);
  if (!a || !b || a[0] != b[0] || a[2] != b[1])
    return false;
  found->flops = times (2, times (times (times (a[0], a[1]), a[2]), b[2]));
  add_read_tensor (found, how);
  add_read_tensor (found, how + 1);
  if (how)
    add_read_tensor (found, 0);
  writes (found, (gint64[]){ a[0], a[1], b[2] }, 3);
  found->typed = how;
  return true;
}

static bool
linear (const Call *call, guint how, Found *found)
{
  const Argument *x = &call->arg[0];
  const gint64 *w = tensor (call, 1, 2);
  (void) how;
  if (!w || !x->n || x->size[x->n - 1] != w[1])
    return false;
  gint64 y[MOST_DIMS];
  memcpy (y, x->size, sizeof y);
  y[x->n - 1] = w[0];
  found->flops = times (2, times (elements (x->size, x->n), w[0]));
  for (guint i = 0; i < 3; i++)
    add_read_tensor (found, i);
  writes (found, y, x->n);
  return true;
}

/* Batches of one stand for all of the other's. */
static bool
broadcast (const Argument *a, const Argument *b, gint64 *to, guint *n)
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
matmul (const Call *call, guint how, Found *found)
{
  Argument a = call->arg[0], b = call->arg[1];
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
  gint64 y[MOST_DIMS];
  guint n;
  if (a.size[a.n - 1] != b.size[b.n - 2] || !broadcast (&a, &b, y, &n))
    return false;
  y[n] = a.size[a.n - 2];
  y[n + 1] = b.size[b.n - 1];
  found->flops = times (2, times (elements (y, n + 2), a.size[a.n - 1]));
  add_read_tensor (found, 0);
  add_read_tensor (found, 1);
  writes (found, y, n + 2);
  return true;
}

/* -- Convolutions --------------------------------------------------------------------------------- */

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
convolved (const Argument *x, const Argument *w, const gint64 *spatial)
{
  return times (2,
                times (times (x->size[0], elements (spatial, x->n - 2)), elements (w->size, w->n)));
}

static bool
are_convolved (const Argument *x, const Argument *w)
{
  return x->n > 2 && x->n == w->n;
}

static bool
spatial_of (const Call *call, guint how, gint64 *to)
{
  const Argument *x = &call->arg[0], *w = &call->arg[1];
  gint64 stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS];
  guint n = x->n - 2;
  if (!numbers_of (call, convolutions[how].stride, n, stride)
      || !numbers_of (call, convolutions[how].padding, n, padding)
      || !numbers_of (call, convolutions[how].dilation, n, dilation))
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
convolution (const Call *call, guint how, Found *found)
{
  const Argument *x = &call->arg[0], *w = &call->arg[1];
  guint transposed = convolutions[how].transposed;
  if (!are_convolved (x, w))
    return false;
  found->no_bytes = transposed != NONE && says (call, transposed, "True");
  if (found->no_bytes) {
    found->flops = convolved (x, w, x->size + 2);
    return true;
  }
  gint64 y[MOST_DIMS] = { x->size[0], w->size[0] };
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
mask_of (const Call *call, guint at, bool *mask)
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
convolution_backward (const Call *call, guint how, Found *found)
{
  enum { GRADIENT, INPUT, WEIGHT, TRANSPOSED = 7, MASK = 10 };
  const Argument *g = &call->arg[GRADIENT], *x = &call->arg[INPUT], *w = &call->arg[WEIGHT];
  bool mask[3];
  (void) how;
  if (!mask_of (call, MASK, mask) || !are_convolved (x, w) || g->n != x->n)
    return false;
  bool transposed = says (call, TRANSPOSED, "True");
  __int128 one = convolved (x, w, (transposed ? x : g)->size + 2);
  found->flops = times (one, (guint) mask[0] + (guint) mask[1]);
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
cudnn_backward (const Call *call, guint how, Found *found)
{
  const Argument *x = &call->arg[0], *g = &call->arg[1], *w = &call->arg[2];
  (void) how;
  if (!are_convolved (x, w) || g->n != x->n || call->inputs + call->weights > 2)
    return false;
  found->flops = times (convolved (x, w, g->size + 2), call->inputs + call->weights);
  for (guint i = 0; i < 3; i++)
    add_read_tensor (found, i);
  for (guint i = 0; i < call->inputs; i++)
    writes (found, x->size, x->n);
  for (guint i = 0; i < call->weights; i++)
    writes (found, w->size, w->n);
  return true;
}

static bool
never (const Call *call, guint how, Found *found)
{
  (void) call;
  (void) how;
  (void) found;
  return false;
}

/* -- Attention ------------------------------------------------------------------------------------ */

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
heads_of (const Call *call, guint first, bool swapped, Heads *h)
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
  return times (times (2, elements (h->q, 3)), times (h->k[2], sizes));
}

static bool
forward (const Call *call, bool swapped, Found *found)
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
backward (const Call *call, bool swapped, Found *found)
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
attention (const Call *call, guint how, Found *found)
{
  (void) how;
  return forward (call, false, found);
}

/* `how` is the argument that packs sequences, whose lengths are not in the file; a tensor there
 * says so. */
static bool
bare_attention (const Call *call, guint how, Found *found)
{
  return how < call->n && !call->arg[how].n && forward (call, true, found);
}

static bool
attention_backward (const Call *call, guint how, Found *found)
{
  const Argument *gradient = &call->arg[0], *out = &call->arg[4];
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
bare_backward (const Call *call, guint how, Found *found)
{
  (void) how;
  found->typed = 1;
  return backward (call, true, found);
}

/* -- All of them ---------------------------------------------------------------------------------- */

static const struct {
  const char *name; /* behind aten:: */
  AnProductKind kind;
  Formula formula;
  guint how;
} products[] = {
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

/* Returns G_N_ELEMENTS when there is none. */
static gsize
find (const char *name)
{
  gsize i = g_str_has_prefix (name, "aten::") ? 0 : G_N_ELEMENTS (products);
  while (i < G_N_ELEMENTS (products) && strcmp (name + 6, products[i].name) != 0)
    i++;
  return i;
}

AnProductKind
an_product_kind (const char *name)
{
  gsize i = find (name);
  return i < G_N_ELEMENTS (products) ? products[i].kind : AN_NO_PRODUCT;
}

/* Returns a negative number when it is unknown. */
static __int128
bytes_of (const Call *call, const Found *found)
{
  const char *precision;
  __int128 sum = 0;
  guint width = bytes_of_type (&call->arg[found->read[0]], &precision);
  for (guint i = 0; i < found->n_read; i++) {
    const Argument *arg = &call->arg[found->read[i]];
    if (found->read[i] >= call->n || !arg->n)
      continue;
    guint each = bytes_of_type (arg, &precision);
    __int128 bytes = times (elements (arg->size, arg->n), each);
    if (!each || bytes < 0)
      return -1;
    sum += bytes;
  }
  for (guint i = 0; i < found->n_written; i++) {
    __int128 bytes = times (elements (found->written[i].size, found->written[i].n), width);
    if (!width || bytes < 0)
      return -1;
    sum += bytes;
  }
  return sum;
}

AnProductWork
an_product_work (const char *name, const char *shape, guint inputs, guint weights)
{
  AnProductWork work = { 0 };
  Call call = { .inputs = inputs, .weights = weights };
  Found found = { 0 };
  gsize i = find (name);
  if (i == G_N_ELEMENTS (products) || !shape || !read_call (shape, &call)
      || !products[i].formula (&call, products[i].how, &found))
    return work;
  if (found.flops < 0 || found.flops > G_MAXINT64)
    return work;
  work.flops = (gint64) found.flops;
  work.knows_flops = true;
  bytes_of_type (&call.arg[found.typed], &work.precision);
  __int128 bytes = found.no_bytes ? -1 : bytes_of (&call, &found);
  work.knows_bytes = bytes >= 0 && bytes <= G_MAXINT64;
  work.bytes = work.knows_bytes ? (gint64) bytes : 0;
  return work;
}
