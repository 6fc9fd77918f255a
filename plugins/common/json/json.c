/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - members of objects one by one, strings without their escapes, and which scanner
 * this processor gets. */
#include "json/scan.h"

#include <string.h>

/* -- Strings --------------------------------------------------------------------- */

static int
hex4 (const char *p, const char *end)
{
  int value = 0;
  if (end - p < 4)
    return -1;
  for (int i = 0; i < 4; i++) {
    char c = p[i];
    int digit = c >= '0' && c <= '9'                     ? c - '0'
                : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                         : -1;
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

static char *
put_utf8 (char *to, uint32_t c)
{
  if (c < 0x80) {
    *to++ = (char) c;
  } else if (c < 0x800) {
    *to++ = (char) (0xc0 | c >> 6);
    *to++ = (char) (0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *to++ = (char) (0xe0 | c >> 12);
    *to++ = (char) (0x80 | (c >> 6 & 0x3f));
    *to++ = (char) (0x80 | (c & 0x3f));
  } else {
    *to++ = (char) (0xf0 | c >> 18);
    *to++ = (char) (0x80 | (c >> 12 & 0x3f));
    *to++ = (char) (0x80 | (c >> 6 & 0x3f));
    *to++ = (char) (0x80 | (c & 0x3f));
  }
  return to;
}

/* p is behind \u.  NULL: no four hex digits. */
static const char *
unescape_unicode (char **to, const char *p, const char *end)
{
  int c = hex4 (p, end);
  if (c < 0)
    return NULL;
  p += 4;
  uint32_t code = (uint32_t) c;
  if (c >= 0xd800 && c < 0xe000) {
    int low = c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4 (p + 2, end) : -1;
    bool pair = low >= 0xdc00 && low < 0xe000;
    code = pair ? 0x10000 + ((uint32_t) (c - 0xd800) << 10) + (uint32_t) (low - 0xdc00) : 0xfffd;
    p += pair ? 6 : 0;
  }
  *to = put_utf8 (*to, code);
  return p;
}

size_t
te_unescape (char *to, const char *p, size_t len)
{
  static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
  const char *end = p + len;
  char *out = to;
  while (p < end) {
    if (*p != '\\' || p + 1 == end) {
      *out++ = *p++;
      continue;
    }
    const char *known = p[1] ? strchr (from, p[1]) : NULL;
    const char *next = p[1] == 'u' ? unescape_unicode (&out, p + 2, end) : NULL;
    if (known)
      *out++ = into[known - from];
    else if (!next)
      *out++ = *p;
    p = next ? next : p + (known ? 2 : 1);
  }
  return (size_t) (out - to);
}

bool
te_text_is (const TeValue *value, const char *text)
{
  return value->kind == TE_TEXT && strlen (text) == value->len
         && memcmp (text, value->p, value->len) == 0;
}

void
te_pairs_add (TePairs *pairs, const char *key)
{
  uint8_t class = (uint8_t) (1u << (key[0] & 7));
  for (unsigned i = 0; i < 2; i++) {
    pairs->low[i][key[i] & 15] |= class;
    pairs->high[i][key[i] >> 4 & 15] |= class;
  }
}

void
te_keys_add (TeKeys *keys, unsigned number, const char *key)
{
  te_pairs_add (&keys->pairs, key);
  keys->key[number] = key;
  keys->of_len[strlen (key)] |= 1u << number;
}

/* -- Members ----------------------------------------------------------------------- */

const char *
te_space (const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  return p;
}

static const char *
fail (TeScan *s, const char *at, const char *why)
{
  s->bad = at;
  s->why = why;
  return NULL;
}

const char *
te_member (TeScan *s, const char *p, TeValue *key, TeValue *value)
{
  s->why = NULL;
  p = te_space (p, s->end);
  while (p < s->end && *p == ',')
    p = te_space (p + 1, s->end);
  if (p < s->end && *p == '}')
    return NULL;
  if (p >= s->end || *p != '"')
    return fail (s, p, "neither a key nor } where one of them was expected");
  p = s->with->value (s, p, key);
  if (!p)
    return NULL;
  p = te_space (p, s->end);
  if (p >= s->end || *p != ':')
    return fail (s, p, "no : behind a key");
  return s->with->value (s, te_space (p + 1, s->end), value);
}
