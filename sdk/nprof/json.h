/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/json.h - writing JSON that every reader takes, header-only: strings, and values that
 * a producer wrote, mended where they are not strict.  It builds no tree and reads no files. */
#ifndef NPROF_JSON_H
#define NPROF_JSON_H

#include <nprof/format.h>

/* These say how it is written. */
enum {
  /* NPROF_JSON_VIEWER is for viewers of traces, which keep numbers in doubles and end text at NUL:
   * integers beyond 2^53 become strings, NUL becomes U+2400 (the picture of a NUL). */
  NPROF_JSON_VIEWER = 1
};

#define NPROF_JSON_DEPTH 256 /* values that are nested deeper are written as a string */

/* -- Strings --------------------------------------------------------------- */

/* Returns the length of the valid UTF-8 sequence at `at`; 0: it is none. */
static inline size_t
nprof_utf8_length (const unsigned char *at, size_t left)
{
  unsigned c = at[0];
  size_t n = c < 0x80                ? 1
             : c >= 0xc2 && c < 0xe0 ? 2
             : c >= 0xe0 && c < 0xf0 ? 3
             : c >= 0xf0 && c < 0xf5 ? 4
                                     : 0;
  if (n > left)
    return 0;
  for (size_t k = 1; k < n; k++)
    if ((at[k] & 0xc0) != 0x80)
      return 0;
  if ((c == 0xe0 && at[1] < 0xa0) || (c == 0xed && at[1] > 0x9f) || (c == 0xf0 && at[1] < 0x90)
      || (c == 0xf4 && at[1] > 0x8f))
    return 0;
  return n;
}

/* Puts one character that cannot stand as it is; returns how many bytes of the source it took. */
static inline size_t
nprof_put_json_char (struct nprof_buf *b, const unsigned char *at, size_t left, int how)
{
  static const char hex[] = "0123456789abcdef";
  static const char plain[] = "btn\0fr"; /* \b \t \n - \f \r from 8 on */
  unsigned char c = at[0];
  if (c >= 0x80) {
    size_t n = nprof_utf8_length (at, left);
    nprof_put (b, n ? (const void *) at : "\xef\xbf\xbd", n ? n : 3);
    return n ? n : 1;
  }
  char escape[6] = { '\\', (char) c, '0', '0', 0, 0 };
  if (c == '"' || c == '\\') {
    nprof_put (b, escape, 2);
  } else if (c == 0 && how & NPROF_JSON_VIEWER) {
    nprof_put (b, "\xe2\x90\x80", 3);
  } else if (c >= 8 && c <= 13 && plain[c - 8]) {
    escape[1] = plain[c - 8];
    nprof_put (b, escape, 2);
  } else if (c < 0x20) {
    escape[1] = 'u';
    escape[4] = hex[c >> 4];
    escape[5] = hex[c & 15];
    nprof_put (b, escape, 6);
  } else {
    nprof_put_char (b, (char) c);
  }
  return 1;
}

/* Puts the inside of a JSON string: text as raw UTF-8, bytes that are none as U+FFFD. */
static inline void
nprof_put_json_inside (struct nprof_buf *b, const char *text, size_t len, int how)
{
  const unsigned char *at = (const unsigned char *) text, *run = at;
  const unsigned char *end = len ? at + len : at; /* of no text there may be none */
  while (at < end) {
    if (*at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\') {
      at++;
      continue;
    }
    nprof_put (b, run, (size_t) (at - run));
    at += nprof_put_json_char (b, at, (size_t) (end - at), how);
    run = at;
  }
  nprof_put (b, run, (size_t) (at - run));
}

static inline void
nprof_put_json_string (struct nprof_buf *b, const char *text, size_t len, int how)
{
  nprof_put_char (b, '"');
  nprof_put_json_inside (b, text, len, how);
  nprof_put_char (b, '"');
}

/* -- Numbers --------------------------------------------------------------- */

#define NPROF_JSON_EXACT (INT64_C (1) << 53) /* beyond it a double skips integers */

static inline void
nprof_put_json_u64 (struct nprof_buf *b, uint64_t u, int how)
{
  bool quoted = how & NPROF_JSON_VIEWER && u > (uint64_t) NPROF_JSON_EXACT;
  if (quoted)
    nprof_put_char (b, '"');
  nprof_put_u64 (b, u);
  if (quoted)
    nprof_put_char (b, '"');
}

static inline void
nprof_put_json_i64 (struct nprof_buf *b, int64_t i, int how)
{
  if (i >= 0) {
    nprof_put_json_u64 (b, (uint64_t) i, how);
    return;
  }
  bool quoted = how & NPROF_JSON_VIEWER && i < -NPROF_JSON_EXACT;
  if (quoted)
    nprof_put_char (b, '"');
  nprof_put_i64 (b, i);
  if (quoted)
    nprof_put_char (b, '"');
}

/* Puts a double; NaN and Infinity, which JSON does not have, are strings. */
static inline void
nprof_put_json_double (struct nprof_buf *b, double x)
{
  bool quoted = !isfinite (x);
  if (quoted)
    nprof_put_char (b, '"');
  nprof_put_double (b, x);
  if (quoted)
    nprof_put_char (b, '"');
}

/* -- A value that somebody else wrote -------------------------------------- */

struct nprof_json_reader {
  struct nprof_buf *b;
  const char *at, *end;
  int how;
};

static inline void
nprof_json_space (struct nprof_json_reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    r->at++;
}

/* Returns the four hex digits at `at`; -1: they are none. */
static inline int
nprof_json_hex4 (const char *at, const char *end)
{
  int code = 0;
  if (end - at < 4)
    return -1;
  for (int k = 0; k < 4; k++) {
    char c = at[k];
    int digit = c >= '0' && c <= '9'                 ? c - '0'
                : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                     : -1;
    if (digit < 0)
      return -1;
    code = code * 16 + digit;
  }
  return code;
}

/* Puts an escape, r->at behind its `u`, as raw UTF-8, since some readers know no surrogates. */
static inline bool
nprof_json_unicode (struct nprof_json_reader *r)
{
  int code = nprof_json_hex4 (r->at, r->end);
  if (code < 0)
    return false;
  r->at += 4;
  if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\'
      && r->at[1] == 'u') {
    int low = nprof_json_hex4 (r->at + 2, r->end);
    if (low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      r->at += 6;
    }
  }
  char utf8[4];
  size_t n = 0;
  if (code < 0x80) {
    utf8[n++] = (char) code;
  } else if (code < 0x800) {
    utf8[n++] = (char) (0xc0 | code >> 6);
  } else if (code < 0x10000) {
    utf8[n++] = (char) (0xe0 | code >> 12);
    utf8[n++] = (char) (0x80 | (code >> 6 & 63));
  } else {
    utf8[n++] = (char) (0xf0 | code >> 18);
    utf8[n++] = (char) (0x80 | (code >> 12 & 63));
    utf8[n++] = (char) (0x80 | (code >> 6 & 63));
  }
  if (code >= 0x80)
    utf8[n++] = (char) (0x80 | (code & 63));
  if (code >= 0xd800 && code < 0xe000) /* half of a pair */
    nprof_put (r->b, "\xef\xbf\xbd", 3);
  else
    nprof_put_json_inside (r->b, utf8, n, r->how);
  return true;
}

/* Puts a string, r->at behind its opening quote. */
static inline bool
nprof_json_string (struct nprof_json_reader *r)
{
  nprof_put_char (r->b, '"');
  for (;;) {
    const char *run = r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\\')
      r->at++;
    nprof_put_json_inside (r->b, run, (size_t) (r->at - run), r->how);
    if (r->at == r->end)
      return false;
    if (*r->at++ == '"')
      break;
    if (r->at == r->end)
      return false;
    char c = *r->at++;
    if (c == 'u' ? !nprof_json_unicode (r) : !strchr ("\"\\/bfnrt", c) || !c)
      return false;
    if (c == '/') {
      nprof_put_char (r->b, '/');
    } else if (c != 'u') {
      nprof_put_char (r->b, '\\');
      nprof_put_char (r->b, c);
    }
  }
  nprof_put_char (r->b, '"');
  return true;
}

static inline const char *
nprof_json_digits (const char *at, const char *end)
{
  while (at < end && *at >= '0' && *at <= '9')
    at++;
  return at;
}

/* Returns whether this has the grammar of a number. *whole: it has no point and no exponent. */
static inline bool
nprof_json_is_number (const char *at, const char *end, bool *whole)
{
  const char *from = at += at < end && *at == '-';
  at = nprof_json_digits (at, end);
  if (at == from || (*from == '0' && at - from > 1))
    return false;
  *whole = at == end;
  if (at < end && *at == '.') {
    from = ++at;
    at = nprof_json_digits (at, end);
    if (at == from)
      return false;
  }
  if (at < end && (*at | 32) == 'e') {
    at++;
    at += at < end && (*at == '+' || *at == '-');
    from = at;
    at = nprof_json_digits (at, end);
    if (at == from)
      return false;
  }
  return at == end;
}

/* Puts a number or a word; one that JSON does not have (NaN, 0x1f, 007) becomes a string. */
static inline bool
nprof_json_scalar (struct nprof_json_reader *r)
{
  const char *from = r->at;
  bool whole = false;
  while (r->at < r->end && !strchr (" \t\r\n,:[]{}\"", *r->at))
    r->at++;
  size_t len = (size_t) (r->at - from);
  if (!len)
    return false;
  bool bare = (len == 4 && (!memcmp (from, "true", 4) || !memcmp (from, "null", 4)))
              || (len == 5 && !memcmp (from, "false", 5));
  if (!bare && nprof_json_is_number (from, r->at, &whole)) {
    size_t digits = len - (*from == '-');
    bool exact = digits < 16 || (digits == 16 && memcmp (r->at - 16, "9007199254740992", 16) <= 0);
    bare = !(r->how & NPROF_JSON_VIEWER) || !whole || exact;
  }
  if (bare)
    nprof_put (r->b, from, len);
  else
    nprof_put_json_string (r->b, from, len, r->how);
  return true;
}

/* Puts the "key": of an object. */
static inline bool
nprof_json_key (struct nprof_json_reader *r)
{
  nprof_json_space (r);
  if (r->at == r->end || *r->at++ != '"' || !nprof_json_string (r))
    return false;
  nprof_json_space (r);
  if (r->at == r->end || *r->at++ != ':')
    return false;
  nprof_put_char (r->b, ':');
  return true;
}

/* Puts one value of r, strict and without spaces; false: it is no JSON value (what was
 * put until then is the caller's to cut off). */
static inline bool
nprof_json_value (struct nprof_json_reader *r)
{
  char closing[NPROF_JSON_DEPTH];
  size_t depth = 0;
  for (;;) {
    nprof_json_space (r);
    if (r->at == r->end)
      return false;
    char c = *r->at;
    bool opened = c == '{' || c == '[';
    if (opened) {
      if (depth == NPROF_JSON_DEPTH)
        return false;
      closing[depth++] = c == '{' ? '}' : ']';
      r->at++;
      nprof_put_char (r->b, c);
      nprof_json_space (r);
    } else if (c == '"') {
      r->at++;
      if (!nprof_json_string (r))
        return false;
    } else if (!nprof_json_scalar (r)) {
      return false;
    }
    for (; depth; opened = false) {
      nprof_json_space (r);
      if (r->at == r->end)
        return false;
      if (*r->at != closing[depth - 1])
        break;
      nprof_put_char (r->b, *r->at++);
      depth--;
    }
    if (!depth)
      return true;
    if (!opened) {
      if (*r->at != ',')
        return false;
      nprof_put_char (r->b, *r->at++);
    }
    if (closing[depth - 1] == '}' && !nprof_json_key (r))
      return false;
  }
}

/* Puts a value as a producer wrote it, made strict: raw UTF-8, no surrogate escapes, no NaN, no
 * control characters, no spaces between.  Text that is no JSON value is put as a string. */
static inline void
nprof_put_json (struct nprof_buf *b, const char *text, size_t len, int how)
{
  struct nprof_json_reader r = { b, text, text + len, how };
  size_t before = b->len;
  bool good = nprof_json_value (&r);
  nprof_json_space (&r);
  if (good && r.at == r.end)
    return;
  b->len = before;
  nprof_put_json_string (b, text, len, how);
}

#endif
