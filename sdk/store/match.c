/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - compares texts, numbers and members of JSON objects with a wanted value. */
#include "match.h"

#include <stdlib.h>
#include <string.h>

static char
lower (char c)
{
  return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
}

static bool
same (const char *a, const char *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (lower (a[i]) != lower (b[i]))
      return false;
  return true;
}

static bool
contains (const char *text, size_t len, const char *part, size_t n)
{
  for (size_t i = 0; n <= len && i <= len - n; i++)
    if (same (text + i, part, n))
      return true;
  return false;
}

/* Matches '*' and '?' against the whole text without recursion: the last star is gone back to. */
static bool
glob (const char *text, size_t len, const char *pattern, size_t n)
{
  size_t t = 0, p = 0, star = SIZE_MAX, back = 0;
  while (t < len) {
    if (p < n && pattern[p] == '*') {
      star = p++;
      back = t;
    } else if (p < n && (pattern[p] == '?' || lower (pattern[p]) == lower (text[t]))) {
      p++;
      t++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      t = ++back;
    } else
      return false;
  }
  while (p < n && pattern[p] == '*')
    p++;
  return p == n;
}

static bool
text_fits (enum np_op op, const char *text, size_t len, const char *part, size_t n)
{
  if (op == NP_EQUAL)
    return len == n && !memcmp (text, part, n);
  bool pattern = memchr (part, '*', n) || memchr (part, '?', n);
  return pattern ? glob (text, len, part, n) : contains (text, len, part, n);
}

void
np_want_clear (struct np_want *want)
{
  if (want->regex)
    regfree (want->regex);
  free (want->regex);
  free (want->text);
  *want = (struct np_want){ 0 };
}

/* Searches a text that may hold zeros and need not end with one. */
static bool
regex_fits (const regex_t *regex, const char *text, size_t len)
{
  regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t) len };
  return len <= INT32_MAX && !regexec (regex, text, 1, &range, REG_STARTEND);
}

bool
np_match_text (const struct np_want *want, const char *text, size_t len)
{
  if (want->op > NP_LIKE)
    return false;
  if (want->regex)
    return regex_fits (want->regex, text, len);
  const char *part = want->text;
  for (uint32_t i = 0; i < want->n; i++) {
    size_t n = strlen (part);
    if (text_fits (want->op, text, len, part, n))
      return true;
    part += n + 1;
  }
  return false;
}

/* Returns whether an alternative is a number and nothing else. */
static bool
is_whole (const char *part, const char *end)
{
  return end > part && !*end;
}

static bool
equal_double (const struct np_want *want, double v)
{
  const char *part = want->text;
  for (uint32_t i = 0; i < want->n; i++) {
    char *end;
    double x = np_number_read (part, &end);
    if (is_whole (part, end) && x == v)
      return true;
    part += strlen (part) + 1;
  }
  return false;
}

bool
np_order_fits (enum np_op op, int order)
{
  switch (op) {
  case NP_LESS:
    return order < 0;
  case NP_LESS_EQUAL:
    return order <= 0;
  case NP_MORE:
    return order > 0;
  default:
    return order >= 0;
  }
}

bool
np_match_double (const struct np_want *want, double v)
{
  if (want->op <= NP_LIKE)
    return equal_double (want, v);
  bool has_order = v <= want->number || v > want->number; /* NaN has none */
  return want->is_number && has_order
         && np_order_fits (want->op, (v > want->number) - (v < want->number));
}

static bool
equal_whole (const struct np_want *want, bool negative, uint64_t magnitude)
{
  const char *part = want->text;
  for (uint32_t i = 0; i < want->n; i++) {
    struct np_decimal d;
    size_t n = strlen (part);
    if (np_decimal_read (part, n, &d) && !np_decimal_compare (negative, magnitude, &d))
      return true;
    part += n + 1;
  }
  return false;
}

/* Compares as whole numbers: a double holds 53 bits. */
static bool
match_whole (const struct np_want *want, bool negative, uint64_t magnitude)
{
  if (want->op <= NP_LIKE)
    return equal_whole (want, negative, magnitude);
  if (!want->is_decimal)
    return np_match_double (want, negative ? -(double) magnitude : (double) magnitude);
  return np_order_fits (want->op, np_decimal_compare (negative, magnitude, &want->decimal));
}

bool
np_match_int (const struct np_want *want, int64_t v)
{
  return match_whole (want, v < 0, v < 0 ? -(uint64_t) v : (uint64_t) v);
}

bool
np_match_uint (const struct np_want *want, uint64_t v)
{
  return match_whole (want, false, v);
}

bool
np_match_number (const struct np_want *want, const char *text, size_t len)
{
  char number[64], *end;
  struct np_decimal d;
  if (np_decimal_read (text, len, &d) && !d.fraction && !d.beyond)
    return match_whole (want, d.negative, d.whole);
  if (!len || len >= sizeof number)
    return false;
  memcpy (number, text, len);
  number[len] = 0;
  double v = np_number_read (number, &end);
  return !*end && np_match_double (want, v);
}

/* -- Members of JSON objects -------------------------------------------------------------- */

static const char *
skip_space (const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
    p++;
  return p;
}

static const char *
skip_string (const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++)
    p += *p == '\\';
  return p < end ? p + 1 : end;
}

/* Returns what lies behind one value, of any depth. */
static const char *
skip_value (const char *p, const char *end)
{
  size_t depth = 0;
  while (p < end) {
    if (*p == '"') {
      p = skip_string (p, end);
      if (!depth)
        return p;
      continue;
    }
    if (*p == '{' || *p == '[')
      depth++;
    else if (*p == '}' || *p == ']') {
      if (!depth)
        return p;
      if (!--depth)
        return p + 1;
    } else if (*p == ',' && !depth)
      return p;
    p++;
  }
  return end;
}

static const char *
member (const char *p, const char *end, const char *name, size_t n)
{
  p = skip_space (p, end);
  if (p == end || *p != '{')
    return NULL;
  for (p = skip_space (p + 1, end); p < end && *p == '"';) {
    const char *key = p + 1;
    p = skip_string (p, end);
    bool found = p > key && (size_t) (p - 1 - key) == n && !memcmp (key, name, n);
    p = skip_space (p, end);
    if (p == end || *p != ':')
      return NULL;
    p = skip_space (p + 1, end);
    if (found)
      return p;
    p = skip_space (skip_value (p, end), end);
    if (p < end && *p == ',')
      p = skip_space (p + 1, end);
  }
  return NULL;
}

const char *
np_json_member (const char *json, size_t len, const char *path, size_t *value_len)
{
  const char *p = json, *end = json + len;
  for (;;) {
    const char *whole = member (p, end, path, strlen (path)); /* names may hold dots */
    size_t n = whole ? strlen (path) : strcspn (path, ".");
    p = whole ? whole : member (p, end, path, n);
    if (!p)
      return NULL;
    if (!path[n])
      break;
    path += n + 1;
  }
  const char *last = skip_value (p, end);
  if (p < last && *p == '"') {
    p++;
    last--;
  }
  while (last > p && (last[-1] == ' ' || last[-1] == '\n' || last[-1] == '\t' || last[-1] == '\r'))
    last--;
  *value_len = (size_t) (last - p);
  return p;
}
