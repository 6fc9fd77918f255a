/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - reads decimal numbers without going through a double, durations and ids. */
#include "otlp.h"

#include <string.h>

/* -- Decimals -------------------------------------------------------------- */

typedef struct {
  guint64 mantissa;
  gint64 exponent; /* of ten */
} Decimal;

/* Digits beyond the 18th change nothing that is kept. */
static void
add_digit (Decimal *d, int digit, bool fraction)
{
  if (d->mantissa >= G_GUINT64_CONSTANT (100000000000000000)) {
    d->exponent += !fraction;
    return;
  }
  d->mantissa = d->mantissa * 10 + (guint64) digit;
  d->exponent -= fraction;
}

static const char *
read_digits (const char *p, const char *end, Decimal *d, bool fraction)
{
  for (; p < end && g_ascii_isdigit (*p); p++)
    add_digit (d, *p - '0', fraction);
  return p;
}

static bool
read_exponent (const char *p, const char *end, gint64 *exponent)
{
  const bool negative = p < end && *p == '-';
  gint64 value = 0;
  p += p < end && (*p == '-' || *p == '+');
  if (p == end)
    return false;
  for (; p < end && g_ascii_isdigit (*p); p++)
    value = MIN (value * 10 + *p - '0', 10000);
  *exponent = negative ? -value : value;
  return p == end;
}

/* Sets `value` to the nearest whole number; FALSE: it is beyond a quarter of int64. */
static bool
scaled (Decimal d, gint64 *value)
{
  for (; d.exponent > 0 && d.mantissa; d.exponent--)
    if (__builtin_mul_overflow (d.mantissa, (guint64) 10, &d.mantissa))
      return false;
  for (; d.exponent < -1 && d.mantissa; d.exponent++)
    d.mantissa /= 10;
  if (d.exponent == -1)
    d.mantissa = (d.mantissa + 5) / 10;
  *value = (gint64) d.mantissa;
  return d.mantissa <= G_MAXINT64 / 4;
}

bool
ot_decimal (const char *text, size_t len, int scale, gint64 *value)
{
  const char *end = text + len, *p;
  Decimal d = { 0, scale };
  gint64 exponent = 0;
  p = read_digits (text, end, &d, false);
  if (p == text)
    return false;
  if (p < end && *p == '.')
    p = read_digits (p + 1, end, &d, true);
  if (p < end && ((*p | 0x20) != 'e' || !read_exponent (p + 1, end, &exponent)))
    return false;
  d.exponent += exponent;
  return scaled (d, value);
}

bool
ot_rust_duration (const char *text, size_t len, gint64 *ps)
{
  static const struct {
    const char *unit;
    int scale;
  } units[] = { { "ns", 3 }, { "\xc2\xb5s", 6 }, { "us", 6 }, { "ms", 9 }, { "s", 12 } };
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++) {
    const size_t n = strlen (units[i].unit);
    if (len > n && memcmp (text + len - n, units[i].unit, n) == 0)
      return ot_decimal (text, len - n, units[i].scale, ps);
  }
  return false;
}

/* -- Ids ------------------------------------------------------------------- */

/* Jaeger leaves zeros at the beginning out. */
static bool
hex_id (const char *text, size_t len, guint8 *id, gsize room)
{
  memset (id, 0, room);
  for (size_t i = 0; i < len; i++) {
    const int digit = g_ascii_xdigit_value (text[len - 1 - i]);
    if (digit < 0)
      return false;
    id[room - 1 - i / 2] |= (guint8) (digit << (i % 2 * 4));
  }
  return len > 0;
}

static bool
base64_id (const char *text, size_t len, guint8 *id, gsize room)
{
  char copy[32];
  gsize n;
  if (len >= sizeof copy || text[len - 1] != '=')
    return false;
  memcpy (copy, text, len);
  copy[len] = '\0';
  g_base64_decode_inplace (copy, &n);
  memcpy (id, copy, MIN (n, room));
  return n == room;
}

bool
ot_id (const TeValue *value, guint8 *id, gsize room)
{
  memset (id, 0, room);
  if (value->kind != TE_TEXT || !value->len)
    return false;
  if (value->len == (room + 2) / 3 * 4 && base64_id (value->p, value->len, id, room))
    return true;
  return value->len <= room * 2 && hex_id (value->p, value->len, id, room);
}

guint64
ot_number_of_id (const guint8 *id)
{
  guint64 number = 0;
  for (guint i = 0; i < 8; i++)
    number = number << 8 | id[i];
  return number;
}
