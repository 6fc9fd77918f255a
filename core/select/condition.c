/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - gives the terms of a --where their meaning; where.c knows what a row has. */

#include "select/condition.h"

#include "base/error.h"
#include "base/parse-time.h"
#include "base/suggest.h"
#include "select/row-filter.h"

#include <errno.h>
#include <nprof/keys.h>
#include <string.h>

static const char *const fields[] = { "",      "name",  "category", "kind",     "process", "thread",
                                      "value", "start", "end",      "duration", NULL };
/* Words of searches. */
static const struct {
  const char *word;
  NpField field;
} aliases[] = { { "dur", NP_BY_DURATION }, { "track", NP_BY_THREAD } };

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
  return np_error_set (error, NP_EXIT_USAGE, "--where %s: %s", text, why);
}

/* -- Numbers ------------------------------------------------------------------ */

/* Returns the text after the number that it begins with; NULL: it begins with none. */
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
np_size_holds (enum np_op op, long double a, long double b)
{
  gboolean has_order = a <= b || a > b; /* NaN has none */
  return has_order && np_order_fits (op, (a > b) - (a < b));
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
parse_time (NpConditionValue *v, const char *text, long double unit, GError **error)
{
  g_autoptr (GError) why = NULL;
  gint64 ps;
  if (!np_parse_time (v->text, &ps, &why))
    return fail (text, error, "%s", why->message);
  v->is_number = TRUE;
  v->number = (long double) ps / unit;
  return TRUE;
}

/* Parses the unit after a number. */
static gboolean
parse_unit (const char *key, NpConditionValue *v, const char *text, const char *unit,
            GError **error)
{
  long double of_key = time_unit_of (key);
  for (guint i = 0; i < G_N_ELEMENTS (bytes); i++)
    if (g_str_equal (unit, bytes[i].name)) {
      v->is_number = TRUE;
      v->number *= bytes[i].size;
      return TRUE;
    }
  if (of_key > 0)
    return parse_time (v, text, of_key, error);
  const char *near = np_suggest (key, fields + 1);
  if (near)
    return fail (text, error, "\"%s\" is no unit of %s: did you mean %s?", unit, key, near);
  return fail (text, error,
               "\"%s\" is no unit of %s: give a bare number, or one of bytes (B, kB, MB, GB, TB, "
               "KiB, MiB, GiB, TiB)",
               unit, key);
}

/* This compares an attribute or a counter.  = != and ~ take any text: only a number with a unit
 * sets is_number there, and where.c compares a bare number as a text.  The others need one. */
static gboolean
parse_plain (const NpCondition *c, NpConditionValue *v, const char *text, GError **error)
{
  const char *rest = parse_number (v->text, &v->number);
  if (c->want.op <= NP_LIKE) {
    if (rest && *rest && c->want.op == NP_EQUAL)
      parse_unit (c->key, v, text, rest, NULL);
    return TRUE;
  }
  if (!rest)
    return fail (text, error, "expected a number after the operator, not \"%s\"", v->text);
  v->is_number = TRUE;
  v->is_bare = !*rest && np_decimal_read (v->text, strlen (v->text), &v->decimal);
  return !*rest || parse_unit (c->key, v, text, rest, error);
}

static NpField
field_of (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (g_str_equal (key, aliases[i].word))
      return aliases[i].field;
  for (guint k = NP_BY_NAME; k <= NP_BY_DURATION; k++)
    if (g_str_equal (key, fields[k]))
      return (NpField) k;
  return NP_BY_ATTRIBUTE;
}

static gboolean
parse_value (const NpCondition *c, NpConditionValue *v, const char *text, GError **error)
{
  if (is_time_of_row (c->field))
    return c->want.op == NP_LIKE
               ? fail (text, error, "%s is a time: compare it with = != < <= > or >=", c->key)
               : parse_time (v, text, 1, error);
  if (c->field == NP_BY_ATTRIBUTE || c->field == NP_BY_VALUE)
    return parse_plain (c, v, text, error);
  return c->want.op <= NP_LIKE
         || fail (text, error, "%s is a text: compare it with =, != or ~", c->key);
}

static gboolean
make_condition (NpCondition *c, const struct np_filter *f, guint part, const char *text,
                GError **error)
{
  c->key = f->terms[f->parts[part].term].field;
  c->field = field_of (c->key);
  c->want = np_filter_want (f, &f->parts[part]);
  c->values = g_new0 (NpConditionValue, c->want.n);
  const char *value = c->want.text;
  for (c->n = 0; c->n < c->want.n; value += strlen (value) + 1) {
    NpConditionValue *v = &c->values[c->n++];
    v->text = value;
    if (!parse_value (c, v, text, error))
      return FALSE;
  }
  return TRUE;
}

/* Returns the word of other languages that stands outside of quotes, where it would be part of a
 * value; NULL: none does. */
static const char *
foreign_word (const char *text)
{
  char quote = '\0';
  for (const char *p = text; *p; p++) {
    if (*p == quote)
      quote = '\0';
    else if (!quote && (*p == '"' || *p == '\''))
      quote = *p;
    else if (!quote && (g_str_has_prefix (p, "&&") || g_str_has_prefix (p, "||")))
      return *p == '&' ? "&&" : "||";
  }
  return NULL;
}

gboolean
np_conditions_parse (NpConditions *c, const char *text, GError **error)
{
  char expected[160];
  guint32 at;
  memset (c, 0, sizeof *c);
  const char *foreign = foreign_word (text);
  if (foreign)
    return fail (text, error, "\"%s\" is no word of a condition: write \"%s\", or quote the value",
                 foreign, *foreign == '&' ? "and" : "or");
  if (!np_filter_parse (text, NP_FILTER_TERMS, &c->filter, expected, &at))
    return fail (text, error, "at character %d: expected %s",
                 (int) g_utf8_pointer_to_offset (text, text + at) + 1, expected);
  if (!np_filter_parts (&c->filter))
    return fail (text, error, "expected a condition, such as category=compute");
  c->conditions = g_new0 (NpCondition, np_filter_parts (&c->filter));
  for (guint i = 0; i < np_filter_parts (&c->filter); i++)
    if (!make_condition (&c->conditions[i], &c->filter, i, text, error)) {
      np_conditions_clear (c);
      return FALSE;
    }
  return TRUE;
}

void
np_conditions_clear (NpConditions *c)
{
  for (guint i = 0; c->conditions && i < np_filter_parts (&c->filter); i++)
    g_free (c->conditions[i].values);
  g_clear_pointer (&c->conditions, g_free);
  np_filter_clear (&c->filter);
}

char *
np_conditions_meant (const char *text)
{
  g_auto (NpConditions) all = { 0 };
  if (!np_conditions_parse (&all, text, NULL))
    return NULL;
  for (guint i = 0; i < all.filter.n; i++) {
    const NpCondition *c = &all.conditions[i];
    const char *near = c->field == NP_BY_ATTRIBUTE ? np_suggest (c->key, fields + 1) : NULL;
    if (near)
      return g_strdup_printf ("%s: did you mean %s?", c->key, near);
  }
  return NULL;
}
