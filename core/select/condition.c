/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - parses one condition of --where; where.c knows what a row has. */

#include "select/condition.h"

#include "base/error.h"
#include "base/suggest.h"
#include "select/row-filter.h"

#include <errno.h>
#include <nprof/keys.h>
#include <string.h>

static const char *const fields[] = { "",      "name",  "category", "kind",     "process", "thread",
                                      "value", "start", "end",      "duration", NULL };

/* Longer operators come first. */
static const struct {
  const char *text;
  NpOp op;
} ops[] = { { "<=", NP_LE }, { ">=", NP_GE }, { "!=", NP_NE }, { "==", NP_EQ },
            { "<", NP_LT },  { ">", NP_GT },  { "=", NP_EQ } };

static const struct {
  const char *name;
  long double size;
} bytes[] = { { "B", 1 },         { "kB", 1e3L },     { "MB", 1e6L },
              { "GB", 1e9L },     { "TB", 1e12L },    { "KiB", 0x1p10L },
              { "MiB", 0x1p20L }, { "GiB", 0x1p30L }, { "TiB", 0x1p40L } };

/* The names of attributes say their unit in these ways. */
static const struct {
  const char *suffix;
  long double ps;
} times[] = { { "_ps", 1 }, { "_ns", 1e3L }, { "_us", 1e6L }, { "_ms", 1e9L }, { "_s", 1e12L } };

G_GNUC_PRINTF (3, 4)
static gboolean
fail (const char *text, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "--where %s: %s", text, why);
  return FALSE;
}

/* -- Numbers ------------------------------------------------------------------ */

/* Returns the text behind the number that it begins with; NULL: it begins with none. */
static const char *
parse_number (const char *text, long double *number)
{
  const char *digits = text + (*text == '-'), *at = digits;
  char *end;
  while (g_ascii_isdigit (*at))
    at++;
  if (at == digits && !(*at == '.' && g_ascii_isdigit (at[1])))
    return NULL;
  errno = 0;
  long double whole = (long double) g_ascii_strtoull (digits, NULL, 10);
  if (*at != '.' && *at != 'e' && *at != 'E' && errno == 0) {
    *number = *text == '-' ? -whole : whole;
    return at;
  }
  *number = (long double) g_ascii_strtod (text, &end);
  return end;
}

gboolean
np_decimal (const char *text, gsize len, long double *number)
{
  char copy[64];
  if (!len || len >= sizeof copy)
    return FALSE;
  memcpy (copy, text, len);
  copy[len] = '\0';
  const char *end = parse_number (copy, number);
  return end && end == copy + len;
}

gboolean
np_order_holds (NpOp op, int order)
{
  switch (op) {
  case NP_EQ:
    return order == 0;
  case NP_NE:
    return order != 0;
  case NP_LT:
    return order < 0;
  case NP_LE:
    return order <= 0;
  case NP_GT:
    return order > 0;
  default:
    return order >= 0;
  }
}

gboolean
np_op_holds (NpOp op, long double a, long double b)
{
  gboolean has_order = a <= b || a > b; /* NaN has none */
  return has_order && np_order_holds (op, (a > b) - (a < b));
}

/* Returns how many ps one of the attribute is; 0: its name says no unit of time. */
static long double
time_unit_of (const char *key)
{
  if (g_str_equal (key, NPROF_KEY_DEVICE_OFFSET) || g_str_equal (key, NPROF_KEY_DEVICE_DURATION))
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    if (g_str_has_suffix (key, times[i].suffix))
      return times[i].ps;
  return 0;
}

static gboolean
is_time_of_row (NpField field)
{
  return field == NP_BY_START || field == NP_BY_END || field == NP_BY_DURATION;
}

static gboolean
parse_time (NpCondition *c, const char *text, long double unit, GError **error)
{
  g_autoptr (GError) why = NULL;
  gint64 ps;
  if (!np_parse_time (c->value, &ps, &why))
    return fail (text, error, "%s", why->message);
  c->is_number = TRUE;
  c->number = (long double) ps / unit;
  return TRUE;
}

/* Parses the unit behind a number. */
static gboolean
parse_unit (NpCondition *c, const char *text, const char *unit, GError **error)
{
  long double of_key = time_unit_of (c->key);
  for (guint i = 0; i < G_N_ELEMENTS (bytes); i++)
    if (g_str_equal (unit, bytes[i].name)) {
      c->is_number = TRUE;
      c->number *= bytes[i].size;
      return TRUE;
    }
  if (of_key > 0)
    return parse_time (c, text, of_key, error);
  const char *near = np_suggest (c->key, fields + 1);
  if (near)
    return fail (text, error, "\"%s\" is no unit of %s: did you mean %s?", unit, c->key, near);
  return fail (text, error,
               "\"%s\" is no unit of %s: give a bare number, or one of bytes (B, kB, MB, GB, TB, "
               "KiB, MiB, GiB, TiB)",
               unit, c->key);
}

/* This compares an attribute or a counter.  = and != take any text: only a number with a unit sets
 * is_number there, and where.c compares a bare number as a text.  The other operators need one. */
static gboolean
parse_plain (NpCondition *c, const char *text, GError **error)
{
  const char *rest = parse_number (c->value, &c->number);
  if (c->op == NP_EQ || c->op == NP_NE) {
    if (rest && *rest)
      parse_unit (c, text, rest, NULL);
    return TRUE;
  }
  if (!rest)
    return fail (text, error, "expected a number behind the operator, not \"%s\"", c->value);
  c->is_number = TRUE;
  c->is_bare = !*rest && np_decimal_read (c->value, strlen (c->value), &c->decimal);
  return !*rest || parse_unit (c, text, rest, error);
}

/* -- Parts -------------------------------------------------------------------- */

/* Finds the operator and says which it is; NULL: there is none. */
static const char *
find_op (const char *text, guint *which)
{
  for (const char *at = text; *at; at++)
    for (*which = 0; *which < G_N_ELEMENTS (ops); ++*which)
      if (g_str_has_prefix (at, ops[*which].text))
        return at;
  return NULL;
}

static NpField
field_of (const char *key)
{
  for (guint k = NP_BY_NAME; k <= NP_BY_DURATION; k++)
    if (g_str_equal (key, fields[k]))
      return (NpField) k;
  return NP_BY_ATTRIBUTE;
}

static gboolean
parse_value (NpCondition *c, const char *text, GError **error)
{
  if (is_time_of_row (c->field))
    return parse_time (c, text, 1, error);
  if (c->field == NP_BY_ATTRIBUTE || c->field == NP_BY_VALUE)
    return parse_plain (c, text, error);
  return c->op == NP_EQ || c->op == NP_NE
         || fail (text, error, "%s is a text: compare it with = or !=", c->key);
}

gboolean
np_condition_parse (NpCondition *c, const char *text, GError **error)
{
  guint which = 0;
  const char *at = find_op (text, &which);
  memset (c, 0, sizeof *c);
  if (at)
    c->key = g_strstrip (g_strndup (text, (gsize) (at - text)));
  if (!at || !*c->key)
    return fail (text, error,
                 "expected KEY=VALUE, such as category=compute or name=gemm*, or KEY>NUMBER, such "
                 "as duration>1ms%s",
                 strchr (text, '~') ? "; there are no regular expressions" : "");
  c->op = ops[which].op;
  c->value = g_strstrip (g_strdup (at + strlen (ops[which].text)));
  c->field = field_of (c->key);
  return parse_value (c, text, error);
}

void
np_condition_clear (NpCondition *c)
{
  g_clear_pointer (&c->key, g_free);
  g_clear_pointer (&c->value, g_free);
}
