/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - reads the JSON of the records of a Neuron plane: members of one object, texts, and
 * decimal times without a double.  Tolerant; nesting costs no stack. */
#include "xplane.h"

#include <json-glib/json-glib.h>

static const uint8_t *
skip_space (const uint8_t *p, const uint8_t *end)
{
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
    p++;
  return p;
}

/* Returns the end of the string that begins at p; NULL: it does not end. */
static const uint8_t *
skip_string (const uint8_t *p, const uint8_t *end)
{
  for (p++; p < end; p++) {
    if (*p == '\\')
      p++;
    else if (*p == '"')
      return p + 1;
  }
  return NULL;
}

static const uint8_t *
skip_value (const uint8_t *p, const uint8_t *end)
{
  size_t depth = 0;
  while (p < end) {
    if (*p == '"') {
      p = skip_string (p, end);
      if (!p)
        return NULL;
    } else if (*p == '{' || *p == '[') {
      depth++;
      p++;
    } else if (*p == '}' || *p == ']') {
      if (depth == 0)
        return p;
      depth--;
      p++;
    } else if (*p == ',' && depth == 0)
      return p;
    else
      p++;
    if (depth == 0 && p < end && (p[-1] == '}' || p[-1] == ']' || p[-1] == '"'))
      return p;
  }
  return depth ? NULL : p;
}

bool
xp_json_each (PbSpan text, XpMemberFn fn, void *user)
{
  const uint8_t *p = skip_space (text.p, text.end), *end = text.end;
  if (p == end || *p != '{')
    return false;
  p = skip_space (p + 1, end);
  while (p < end && *p == '"') {
    const uint8_t *name = p;
    p = skip_string (p, end);
    if (!p)
      return false;
    PbSpan key = { name + 1, p - 1 };
    p = skip_space (p, end);
    if (p == end || *p != ':')
      return false;
    PbSpan value = { skip_space (p + 1, end), NULL };
    p = value.end = skip_value (value.p, end);
    if (!p || p == value.p)
      return false;
    while (value.end > value.p && g_ascii_isspace (value.end[-1]))
      value.end--;
    fn (user, key, value);
    p = skip_space (p, end);
    if (p < end && *p == ',')
      p = skip_space (p + 1, end);
  }
  return p < end && *p == '}';
}

typedef struct {
  XpMember *members;
  guint n;
} Wanted;

bool
xp_json_items (PbSpan list, XpItemFn fn, void *user)
{
  const uint8_t *p = list.p, *end = list.end;
  if (p == end || *p != '[')
    return false;
  for (p = skip_space (p + 1, end); p < end && *p != ']'; p = skip_space (p, end)) {
    PbSpan item = { p, skip_value (p, end) };
    p = item.end;
    if (!p || p == item.p)
      return false;
    while (g_ascii_isspace (item.end[-1]))
      item.end--;
    fn (user, item);
    p = skip_space (p, end);
    if (p < end && *p == ',')
      p = skip_space (p + 1, end);
  }
  return p < end;
}

static void
keep_member (void *user, PbSpan name, PbSpan value)
{
  const Wanted *wanted = user;
  for (guint i = 0; i < wanted->n; i++)
    if (xp_is (name, wanted->members[i].name))
      wanted->members[i].value = value;
}

bool
xp_json_members (PbSpan text, XpMember *members, guint n)
{
  return xp_json_each (text, keep_member, &(Wanted){ members, n });
}

char *
xp_json_text (PbSpan value)
{
  if (xp_len (value) < 2 || *value.p != '"')
    return g_utf8_make_valid ((const char *) value.p, (gssize) xp_len (value));
  PbSpan inner = { value.p + 1, value.end - 1 };
  if (!memchr (inner.p, '\\', xp_len (inner)))
    return g_utf8_make_valid ((const char *) inner.p, (gssize) xp_len (inner));
  g_autofree char *whole = g_utf8_make_valid ((const char *) value.p, (gssize) xp_len (value));
  g_autoptr (JsonNode) node = json_from_string (whole, NULL);
  const char *string = node && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  return g_strdup (string ? string : whole);
}

/* -- Times ------------------------------------------------------------------------- */

typedef struct {
  __int128 digits;
  int scale; /* decimal places of digits */
  bool negative;
} Decimal;

static const uint8_t *
read_digits (const uint8_t *p, const uint8_t *end, Decimal *d, bool fraction)
{
  for (; p < end && g_ascii_isdigit (*p); p++) {
    if (d->digits > (__int128) 1 << 100)
      return NULL;
    d->digits = d->digits * 10 + (*p - '0');
    d->scale += fraction;
  }
  return p;
}

static bool
read_decimal (const uint8_t *p, const uint8_t *end, Decimal *d)
{
  if (p >= end) /* also when both are NULL */
    return false;
  d->negative = *p == '-';
  const uint8_t *start = p += d->negative;
  p = read_digits (p, end, d, false);
  if (!p || p == start)
    return false;
  if (p < end && *p == '.')
    p = read_digits (p + 1, end, d, true);
  if (p && p < end && (*p == 'e' || *p == 'E')) {
    bool minus = ++p < end && *p == '-';
    int exponent = 0;
    for (p += p < end && (*p == '-' || *p == '+'); p < end && g_ascii_isdigit (*p); p++)
      exponent = MIN (exponent * 10 + (*p - '0'), 1000);
    d->scale += minus ? exponent : -exponent;
  }
  return p == end;
}

bool
xp_json_us (PbSpan value, int64_t *ps)
{
  if (xp_len (value) >= 2 && *value.p == '"')
    value = (PbSpan){ value.p + 1, value.end - 1 };
  Decimal d = { 0 };
  if (!value.p || !read_decimal (value.p, value.end, &d))
    return false;
  for (; d.scale < 6 && d.digits < (__int128) 1 << 100; d.scale++)
    d.digits *= 10;
  for (; d.scale > 6 && d.digits; d.scale--)
    d.digits /= 10; /* below a picosecond */
  if (d.digits && d.scale != 6)
    return false;
  __int128 v = d.negative ? -d.digits : d.digits;
  *ps = (int64_t) v;
  return *ps == v;
}
