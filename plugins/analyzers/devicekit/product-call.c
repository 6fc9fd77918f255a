/* SPDX-License-Identifier: Apache-2.0 */
/* product-call.c - reads the text of a shape: "bf16[8,512] bf16[512,64] True". */
#include "devicekit/product-call.h"

#include <string.h>

/* Reads "[8,512]", "8,512" or "3"; at most AN_MOST_DIMS numbers. false: something else stands
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
    if (*n == AN_MOST_DIMS || !(g_ascii_isdigit (*p) || (*p == '-' && g_ascii_isdigit (p[1]))))
      return false;
    number[(*n)++] = g_ascii_strtoll (p, &behind, 10);
    p = behind;
  }
  return true;
}

static bool
read_argument (const char *p, const char *end, AnProductArgument *arg)
{
  const char *bracket = memchr (p, '[', (gsize) (end - p));
  *arg = (AnProductArgument){ .text = p, .text_len = (gsize) (end - p) };
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

bool
an_product_call (const char *shape, AnProductCall *call)
{
  for (const char *p = shape; *p; call->n++) {
    const char *end = strchr (p, ' ');
    end = end ? end : p + strlen (p);
    if (call->n == AN_MOST_ARGUMENTS)
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

guint
an_product_type (const AnProductArgument *arg, const char **precision)
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

bool
an_product_says (const AnProductCall *call, guint at, const char *text)
{
  return at < call->n && call->arg[at].text_len == strlen (text)
         && !memcmp (call->arg[at].text, text, call->arg[at].text_len);
}

bool
an_product_numbers (const AnProductCall *call, guint at, guint n, gint64 *number)
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

/* -- Sizes ------------------------------------------------------------------------------------- */

__int128
an_product_times (__int128 a, __int128 b)
{
  if (a < 0 || b < 0 || (b && a > ((__int128) 1 << 120) / b))
    return -1;
  return a * b;
}

__int128
an_product_elements (const gint64 *size, guint n)
{
  __int128 product = 1;
  for (guint i = 0; i < n; i++)
    product = an_product_times (product, size[i]);
  return product;
}
