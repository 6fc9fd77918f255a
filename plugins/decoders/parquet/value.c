/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - values of leaf columns by their logical types. */
#include "value.h"

#include <math.h>
#include <nprof/json.h>
#include <string.h>

#define PS_PER_S G_GINT64_CONSTANT (1000000000000)
#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define S_PER_DAY 86400
#define JULIAN_1970 2440588
#define MOST_DIGITS 15  /* of a decimal that a double gives back */
#define MOST_DECIMAL 64 /* bytes of a decimal that are written in digits */

/* -- Types ----------------------------------------------------------------- */

static gboolean
is_int (const PqNode *leaf)
{
  return leaf->type == PQ_INT32 || leaf->type == PQ_INT64;
}

static ValueAs
decimal_as (const PqNode *leaf)
{
  gboolean small = leaf->precision > 0 && leaf->precision <= MOST_DIGITS && leaf->scale >= 0
                   && leaf->scale <= MOST_DIGITS;
  return small ? AS_DECIMAL : AS_WRITTEN;
}

static ValueAs
physical_as (const PqNode *leaf)
{
  switch (leaf->type) {
  case PQ_BOOLEAN:
    return AS_BOOL;
  case PQ_INT32:
  case PQ_INT64:
    return leaf->is_unsigned ? AS_UINT64 : AS_INT64;
  case PQ_FLOAT:
  case PQ_DOUBLE:
    return AS_DOUBLE;
  case PQ_INT96:
    return AS_WRITTEN;
  default:
    return AS_STRING;
  }
}

/* Returns how to read the leaf; a logical type that does not go with the physical one is
 * ignored. */
ValueAs
value_as (const PqNode *leaf)
{
  gboolean bytes = leaf->type == PQ_BYTE_ARRAY, fixed = leaf->type == PQ_FIXED;
  switch (leaf->logical) {
  case PQ_L_NULL:
    return AS_NOTHING;
  case PQ_L_DECIMAL:
    return is_int (leaf) || bytes || fixed ? decimal_as (leaf) : physical_as (leaf);
  case PQ_L_DATE:
    return leaf->type == PQ_INT32 ? AS_WRITTEN : physical_as (leaf);
  case PQ_L_TIME:
  case PQ_L_TIMESTAMP:
    return is_int (leaf) && leaf->unit >= PQ_MILLIS && leaf->unit <= PQ_NANOS ? AS_WRITTEN
                                                                              : physical_as (leaf);
  case PQ_L_JSON:
    return bytes ? AS_JSON : physical_as (leaf);
  case PQ_L_UUID:
    return fixed && leaf->length == 16 ? AS_ID128 : physical_as (leaf);
  case PQ_L_FLOAT16:
    return fixed && leaf->length == 2 ? AS_HALF : physical_as (leaf);
  default:
    return physical_as (leaf);
  }
}

guint
value_type (ValueAs as)
{
  static const guint8 types[]
      = { [AS_INT64] = NPROF_INT64,    [AS_UINT64] = NPROF_UINT64, [AS_DOUBLE] = NPROF_DOUBLE,
          [AS_BOOL] = NPROF_BOOL,      [AS_STRING] = NPROF_STRING, [AS_JSON] = NPROF_JSON,
          [AS_ID128] = NPROF_ID128,    [AS_HALF] = NPROF_DOUBLE,   [AS_DECIMAL] = NPROF_DOUBLE,
          [AS_WRITTEN] = NPROF_STRING, [AS_NOTHING] = NPROF_STRING };
  return types[as];
}

gboolean
value_is_utf8 (const PqText *text)
{
  return g_utf8_validate_len (text->data, text->len, NULL);
}

/* -- Numbers --------------------------------------------------------------- */

static double
half (const PqText *text)
{
  guint16 u;
  memcpy (&u, text->data, 2);
  u = GUINT16_FROM_LE (u);
  int exponent = u >> 10 & 31, fraction = u & 1023;
  double f = exponent == 31  ? (fraction ? NAN : INFINITY)
             : exponent == 0 ? ldexp (fraction, -24)
                             : ldexp (fraction + 1024, exponent - 25);
  return u >> 15 ? -f : f;
}

/* Reads the number of a decimal that is kept as bytes, highest first, of at most 8 that count. */
static gboolean
big_endian (const PqText *text, gint64 *to)
{
  const guint8 *at = (const guint8 *) text->data;
  guint32 n = text->len;
  guint64 u = n && at[0] >> 7 ? G_MAXUINT64 : 0, fill = u & 0xff;
  for (; n > 8 && at[0] == fill; n--)
    at++;
  if (n > 8)
    return FALSE;
  for (guint32 k = 0; k < n; k++)
    u = u << 8 | at[k];
  *to = (gint64) u;
  return n < 8 || (at[0] >> 7) == (fill & 1);
}

gboolean
value_double (const PqNode *leaf, const Value *v, double *to)
{
  static const double tens[]
      = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
  gint64 i = (gint64) v->bits;
  if (leaf->logical == PQ_L_FLOAT16) {
    *to = half (&v->text);
    return TRUE;
  }
  if (value_as (leaf) != AS_DECIMAL || (!is_int (leaf) && !big_endian (&v->text, &i)))
    return FALSE;
  if (i > 999999999999999 || i < -999999999999999)
    return FALSE;
  *to = (double) i / tens[leaf->scale];
  return TRUE;
}

/* Divides a number of n bytes, highest first, by ten. */
static guint
divide (guint8 *digits, gsize n)
{
  guint rest = 0;
  for (gsize k = 0; k < n; k++) {
    rest = rest << 8 | digits[k];
    digits[k] = (guint8) (rest / 10);
    rest %= 10;
  }
  return rest;
}

static void
negate (guint8 *bytes, gsize n)
{
  guint carry = 1;
  for (gsize k = n; k-- > 0;) {
    carry += (guint8) ~bytes[k];
    bytes[k] = (guint8) carry;
    carry >>= 8;
  }
}

static gboolean
is_zero (const guint8 *bytes, gsize n)
{
  for (gsize k = 0; k < n; k++)
    if (bytes[k])
      return FALSE;
  return TRUE;
}

static void
put_decimal (struct nprof_buf *to, const PqNode *leaf, const PqText *text)
{
  guint8 bytes[MOST_DECIMAL];
  char digits[MOST_DECIMAL * 3 + 256];
  gint64 scale = CLAMP (leaf->scale, 0, 200), n = 0;
  memcpy (bytes, text->data, text->len);
  gboolean minus = text->len && bytes[0] >> 7;
  if (minus)
    negate (bytes, text->len);
  while (!is_zero (bytes, text->len) || n <= scale)
    digits[n++] = (char) ('0' + divide (bytes, text->len));
  if (minus)
    nprof_put_char (to, '-');
  while (n-- > 0) {
    nprof_put_char (to, digits[n]);
    if (n == scale && scale)
      nprof_put_char (to, '.');
  }
}

/* -- Times ----------------------------------------------------------------- */

static gint64
floor_div (gint64 a, gint64 b)
{
  return a / b - (a % b < 0);
}

/* Puts days since 1970 as a date of the Gregorian calendar, by eras of 400 years. */
static void
put_date (struct nprof_buf *to, gint64 days)
{
  char text[40];
  gint64 z = days + 719468, era = floor_div (z, 146097), doe = z - era * 146097;
  gint64 yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  gint64 doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  gint64 day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
  gint64 year = yoe + era * 400 + (month <= 2);
  g_snprintf (text, sizeof text, "%s%04" G_GINT64_FORMAT "-%02d-%02d", year < 0 ? "-" : "",
              ABS (year), (int) month, (int) day);
  nprof_put_text (to, text);
}

/* `digits` are those of the fraction. */
static void
put_clock (struct nprof_buf *to, gint64 seconds, gint64 fraction, int digits)
{
  char text[64];
  g_snprintf (text, sizeof text, "%02" G_GINT64_FORMAT ":%02d:%02d.%0*" G_GINT64_FORMAT,
              seconds / 3600, (int) (seconds / 60 % 60), (int) (seconds % 60), digits, fraction);
  nprof_put_text (to, text);
}

static void
put_moment (struct nprof_buf *to, gint64 days, gint64 seconds, gint64 fraction, int digits)
{
  put_date (to, days);
  nprof_put_char (to, 'T');
  put_clock (to, seconds, fraction, digits);
}

static void
put_time (struct nprof_buf *to, const PqNode *leaf, gint64 i)
{
  gint64 per = leaf->unit == PQ_MILLIS ? 1000 : leaf->unit == PQ_MICROS ? 1000000 : NS_PER_S;
  gint64 seconds = floor_div (i, per), fraction = i - seconds * per;
  if (leaf->logical == PQ_L_TIME) {
    put_clock (to, seconds, fraction, leaf->unit * 3);
    return;
  }
  gint64 days = floor_div (seconds, S_PER_DAY);
  put_moment (to, days, seconds - days * S_PER_DAY, fraction, leaf->unit * 3);
  if (leaf->utc)
    nprof_put_char (to, 'Z');
}

/* Reads nanoseconds of a day and its number, as Impala and Spark kept timestamps. */
static void
read_int96 (const PqText *text, gint64 *days, gint64 *ns)
{
  guint32 julian;
  guint64 u;
  memcpy (&u, text->data, 8);
  memcpy (&julian, text->data + 8, 4);
  *ns = (gint64) GUINT64_FROM_LE (u);
  *days = (gint64) GUINT32_FROM_LE (julian) - JULIAN_1970;
  gint64 over = floor_div (*ns, S_PER_DAY * NS_PER_S);
  *days += over;
  *ns -= over * S_PER_DAY * NS_PER_S;
}

static void
put_int96 (struct nprof_buf *to, const PqText *text)
{
  gint64 days, ns;
  read_int96 (text, &days, &ns);
  put_moment (to, days, ns / NS_PER_S, ns % NS_PER_S, 9);
}

gint64
value_unit (const PqNode *leaf)
{
  static const gint64 units[] = { 0, 1000000000, 1000000, 1000 };
  if (leaf->type == PQ_INT96)
    return 1000;
  return leaf->logical == PQ_L_TIMESTAMP && value_as (leaf) == AS_WRITTEN ? units[leaf->unit] : 0;
}

/* Reads a decimal exactly to the ps. */
static gboolean
decimal_time (const PqNode *leaf, const Value *v, gint64 per, __int128 *ps)
{
  gint64 i = (gint64) v->bits;
  if (leaf->scale < 0 || leaf->scale > 18 || (!is_int (leaf) && !big_endian (&v->text, &i)))
    return FALSE;
  *ps = (__int128) i * per;
  for (gint64 k = 0; k < leaf->scale; k++)
    *ps /= 10;
  return TRUE;
}

gboolean
value_time (const PqNode *leaf, const Value *v, gint64 per, __int128 *ps)
{
  gint64 days, ns;
  double f;
  if (leaf->type == PQ_INT96) {
    read_int96 (&v->text, &days, &ns);
    *ps = (__int128) days * S_PER_DAY * PS_PER_S + (__int128) ns * 1000;
    return TRUE;
  }
  if (is_int (leaf) && leaf->logical != PQ_L_DECIMAL) {
    per = value_unit (leaf) ? value_unit (leaf) : per;
    *ps = (leaf->is_unsigned ? (__int128) v->bits : (__int128) (gint64) v->bits) * per;
    return TRUE;
  }
  if (leaf->logical == PQ_L_DECIMAL)
    return decimal_time (leaf, v, per, ps);
  if (leaf->type != PQ_FLOAT && leaf->type != PQ_DOUBLE)
    return FALSE;
  memcpy (&f, &v->bits, 8);
  if (!isfinite (f) || fabs (f) > 1e20)
    return FALSE;
  *ps = (__int128) roundl ((long double) f * (long double) per);
  return TRUE;
}

/* -- Text ------------------------------------------------------------------ */

static void
put_hex (struct nprof_buf *to, const PqText *text)
{
  static const char digits[] = "0123456789abcdef";
  nprof_put_text (to, "0x");
  for (guint32 k = 0; k < text->len; k++) {
    guint8 byte = (guint8) text->data[k];
    nprof_put_char (to, digits[byte >> 4]);
    nprof_put_char (to, digits[byte & 15]);
  }
}

static void
put_written (struct nprof_buf *to, const PqNode *leaf, const Value *v)
{
  guint64 big = GUINT64_TO_BE (v->bits);
  PqText text = is_int (leaf) ? (PqText){ (const char *) &big, 8 } : v->text;
  if (leaf->type == PQ_INT96)
    put_int96 (to, &v->text);
  else if (leaf->logical == PQ_L_DATE)
    put_date (to, (gint64) v->bits);
  else if (leaf->logical != PQ_L_DECIMAL)
    put_time (to, leaf, (gint64) v->bits);
  else if (text.len <= MOST_DECIMAL)
    put_decimal (to, leaf, &text);
  else
    put_hex (to, &text);
}

static void
put_double (struct nprof_buf *to, const PqNode *leaf, const Value *v)
{
  double f = 0;
  if (leaf->type == PQ_FLOAT || leaf->type == PQ_DOUBLE)
    memcpy (&f, &v->bits, 8);
  else if (!value_double (leaf, v, &f)) {
    put_written (to, leaf, v);
    return;
  }
  nprof_put_double (to, f);
}

void
value_put (struct nprof_buf *to, const PqNode *leaf, const Value *v)
{
  switch (value_as (leaf)) {
  case AS_INT64:
    nprof_put_i64 (to, (gint64) v->bits);
    break;
  case AS_UINT64:
    nprof_put_u64 (to, v->bits);
    break;
  case AS_BOOL:
    nprof_put_text (to, v->bits ? "true" : "false");
    break;
  case AS_DOUBLE:
  case AS_HALF:
  case AS_DECIMAL:
    put_double (to, leaf, v);
    break;
  case AS_WRITTEN:
    put_written (to, leaf, v);
    break;
  case AS_ID128:
    nprof_put_id128 (to, v->text.data);
    break;
  default:
    if (value_is_utf8 (&v->text))
      nprof_put (to, v->text.data, v->text.len);
    else
      put_hex (to, &v->text);
  }
}

/* -- JSON ------------------------------------------------------------------ */

gboolean
value_is_json (const PqText *text)
{
  struct nprof_buf buf = { 0 };
  struct nprof_json_reader r = { &buf, text->data, text->data + text->len, 0 };
  gboolean good = value_is_utf8 (text) && nprof_json_value (&r);
  nprof_json_space (&r);
  good = good && r.at == r.end;
  nprof_buf_clear (&buf);
  return good;
}

static gboolean
is_bare (ValueAs as)
{
  return as == AS_INT64 || as == AS_UINT64 || as == AS_BOOL;
}

void
value_put_json (struct nprof_buf *to, const PqNode *leaf, const Value *v)
{
  ValueAs as = value_as (leaf);
  double f = 0;
  struct nprof_buf text = { 0 };
  if (is_bare (as)) {
    value_put (to, leaf, v);
    return;
  }
  if (as == AS_DOUBLE || ((as == AS_HALF || as == AS_DECIMAL) && value_double (leaf, v, &f))) {
    if (as == AS_DOUBLE)
      memcpy (&f, &v->bits, 8);
    nprof_put_json_double (to, f);
    return;
  }
  if (as == AS_JSON && value_is_json (&v->text)) {
    nprof_put (to, v->text.data, v->text.len);
    return;
  }
  value_put (&text, leaf, v);
  nprof_put_json_string (to, text.data ? text.data : "", text.len, 0);
  to->failed |= text.failed;
  nprof_buf_clear (&text);
}
