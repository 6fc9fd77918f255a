/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - writes summaries as neuron-profile view does, with numbers as Go's libraries write
 * them, in which that program is written. */
#include "summary.h"

#include <math.h>
#include <nprof/json.h>
#include <stdlib.h>
#include <string.h>

/* -- Numbers ----------------------------------------------------------------------------------- */

typedef struct {
  char digits[40];
  int n, point; /* digits, and how many of them stand before the point */
} Decimal;

/* Returns the fewest digits that read back as x > 0. */
static Decimal
decimal_of (double x)
{
  Decimal d;
  int exponent;
  d.n = nprof_few_digits (x, d.digits, &exponent);
  if (!d.n)
    d.n = nprof_round_trip_digits (x, d.digits, &exponent);
  d.point = d.n + exponent;
  while (d.n > 1 && d.digits[d.n - 1] == '0')
    d.n--;
  return d;
}

static void
put_zeros (struct nprof_buf *to, int n)
{
  for (; n > 0; n--)
    nprof_put_char (to, '0');
}

static void
put_plain (struct nprof_buf *to, const Decimal *d)
{
  int before = CLAMP (d->point, 0, d->n);
  nprof_put (to, d->digits, (size_t) before);
  if (d->point <= 0)
    nprof_put_char (to, '0');
  put_zeros (to, d->point - d->n);
  if (before == d->n)
    return;
  nprof_put_char (to, '.');
  put_zeros (to, -d->point);
  nprof_put (to, d->digits + before, (size_t) (d->n - before));
}

static void
put_exponent (struct nprof_buf *to, const Decimal *d, const char *format)
{
  char exponent[16];
  nprof_put_char (to, d->digits[0]);
  if (d->n > 1)
    nprof_put_char (to, '.');
  nprof_put (to, d->digits + 1, (size_t) (d->n - 1));
  g_snprintf (exponent, sizeof exponent, format, d->point - 1);
  nprof_put_text (to, exponent);
}

/* Returns whether x is 0, which has no digits. */
static gboolean
put_sign (struct nprof_buf *to, double x)
{
  if (x < 0)
    nprof_put_char (to, '-');
  if (x == 0)
    nprof_put_char (to, '0');
  return x == 0;
}

/* source: Go, strconv/ftoa.go: the shortest %g has an exponent below 1e-4 and from 1e6 on */
static void
go_number (struct nprof_buf *to, double x)
{
  if (put_sign (to, x))
    return;
  Decimal d = decimal_of (fabs (x));
  if (d.point - 1 < -4 || d.point - 1 >= 6)
    put_exponent (to, &d, "e%+03d");
  else
    put_plain (to, &d);
}

/* source: Go, encoding/json, floatEncoder: an exponent below 1e-6 and from 1e21 on, e-7 for e-07 */
static void
go_json_number (struct nprof_buf *to, double x)
{
  if (put_sign (to, x))
    return;
  Decimal d = decimal_of (fabs (x));
  if (fabs (x) < 1e-6)
    put_exponent (to, &d, "e%d");
  else if (fabs (x) >= 1e21)
    put_exponent (to, &d, "e%+d");
  else
    put_plain (to, &d);
}

/* -- Formats ----------------------------------------------------------------------------------- */

#define INDENT "    "

/* Integers have no exponent in that program. */
static gboolean
put_whole (struct nprof_buf *to, double x)
{
  if (fabs (x) > 9007199254740992.0 || x != floor (x))
    return FALSE;
  nprof_put_i64 (to, (int64_t) x);
  return TRUE;
}

/* All others are integers there. */
static gboolean
is_float (const char *name)
{
  static const char *const ends[]
      = { "_time", "_percent", "_average_bytes", "_intensity", "_ratio" };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_has_suffix (name, ends[i]))
      return TRUE;
  return FALSE;
}

/* Puts a value; an integer that the file states keeps all of its digits. */
static void
put_value (struct nprof_buf *to, const Line *line, void (*put_float) (struct nprof_buf *, double),
           gboolean quoted)
{
  const char *text = line->text;
  gboolean whole = text && *text && !text[strspn (text, "-0123456789")];
  if (line->is_number && is_float (line->name))
    put_float (to, line->number);
  else if (line->is_number && !whole && put_whole (to, line->number))
    return;
  else if (line->is_number && !whole)
    put_float (to, line->number);
  else if (line->is_number || !quoted)
    nprof_put_text (to, text);
  else
    nprof_put_json_string (to, text, strlen (text), 0);
}

/* The values stand four columns behind the longest name. */
void
print_text (struct nprof_buf *to, const Summary *s)
{
  size_t longest = 0;
  for (guint i = 0; i < s->lines->len; i++)
    longest = MAX (longest, strlen (g_array_index (s->lines, Line, i).name));
  nprof_put_text (to, s->bucket);
  nprof_put_char (to, '\n');
  for (guint i = 0; i < s->lines->len; i++) {
    const Line *line = &g_array_index (s->lines, Line, i);
    nprof_put_text (to, INDENT);
    nprof_put_text (to, line->name);
    for (size_t k = strlen (line->name); k < longest + strlen (INDENT); k++)
      nprof_put_char (to, ' ');
    put_value (to, line, go_number, FALSE);
    nprof_put_char (to, '\n');
  }
}

static void
put_member (struct nprof_buf *to, const char *indent, const char *name, gboolean first)
{
  nprof_put_text (to, first ? "\n" : ",\n");
  nprof_put_text (to, indent);
  nprof_put_json_string (to, name, strlen (name), 0);
  nprof_put_text (to, ": ");
}

void
print_json_lines (struct nprof_buf *to, const Summary *s, const char *indent)
{
  nprof_put_char (to, '{');
  for (guint k = 0; k < s->lines->len; k++) {
    const Line *line = &g_array_index (s->lines, Line, k);
    put_member (to, indent, line->name, k == 0);
    put_value (to, line, go_json_number, TRUE);
  }
}

void
print_json (struct nprof_buf *to, const GPtrArray *summaries)
{
  nprof_put_char (to, '{');
  for (guint i = 0; i < summaries->len; i++) {
    const Summary *s = summaries->pdata[i];
    put_member (to, INDENT, s->bucket, i == 0);
    print_json_lines (to, s, INDENT INDENT);
    nprof_put_text (to, "\n" INDENT "}");
  }
  nprof_put_text (to, summaries->len ? "\n}\n" : "}\n");
}
