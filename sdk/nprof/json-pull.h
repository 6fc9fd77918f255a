/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/json-pull.h - reads JSON (RFC 8259) value by value, header-only: the caller asks for the
 * next one, and enters those that it wants; nothing is copied, no tree is built, no memory taken.
 * What it leaves to others: numbers (decimal.h), UTF-8 (host->intern makes text valid).
 *
 *   struct nprof_pull p = nprof_pull (data, len);
 *   if (nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_ARRAY))
 *     while (nprof_pull_next (&p))                       each item
 *       if (nprof_pull_enter (&p, NPROF_PULL_OBJECT))
 *         while (nprof_pull_next (&p))                   each member
 *           if (nprof_pull_is (&p, "ts") && p.kind == NPROF_PULL_NUMBER)
 *             nprof_read_scaled (p.text.at, p.text.len, 6, &ps);
 *   if (!nprof_pull_end (&p))
 *     return nprof_damage (host, nprof_pull_at (&p), "%s", p.why);
 *
 * A loop ends with its array or object, or where the text is no JSON: then all of them end, since
 * nprof_pull_next keeps returning false, and `why` and nprof_pull_at say what is wrong and where.
 * A value that is not entered is skipped, and checked like any.  A reader is one thread's; it
 * lends ranges of `data`, which live as long as that. */
#ifndef NPROF_JSON_PULL_H
#define NPROF_JSON_PULL_H

#include <nprof/json.h>

enum {
  NPROF_PULL_NOTHING, /* no value has been read, or the last one was left */
  NPROF_PULL_NULL,
  NPROF_PULL_FALSE,
  NPROF_PULL_TRUE,
  NPROF_PULL_NUMBER,
  NPROF_PULL_STRING,
  NPROF_PULL_ARRAY,
  NPROF_PULL_OBJECT
};

/* A range of the text.  Of a string or key: what lies between its quotes, as it was written. */
struct nprof_pull_text {
  const char *at;
  size_t len;
  bool escaped; /* it has a backslash: nprof_pull_put undoes it */
};

struct nprof_pull {
  int kind;                    /* of the present value: NPROF_PULL_NUMBER ...              */
  struct nprof_pull_text key;  /* of the member; len 0 in an array                         */
  struct nprof_pull_text text; /* number, word or string; whole, with its brackets, once an
                                  array or object has been skipped by nprof_pull_raw   */
  const char *why;             /* what is wrong at `at`; NULL: nothing yet                 */

  const char *data, *at, *end;
  unsigned depth;              /* arrays and objects that are entered                      */
  bool first, waiting;         /* before the first item; an array or object waits at `at`  */
  char closing[NPROF_JSON_DEPTH];
};

static inline struct nprof_pull
nprof_pull (const void *data, uint64_t len)
{
  struct nprof_pull p;
  memset (&p, 0, sizeof p);
  p.data = p.at = (const char *) data;
  p.end = len ? p.data + len : p.data; /* of no text there may be none */
  p.first = true;
  return p;
}

/* Returns the byte that the reader has come to. */
static inline uint64_t
nprof_pull_at (const struct nprof_pull *p)
{
  return (uint64_t) (p->at - p->data);
}

static inline bool
nprof_pull_fail (struct nprof_pull *p, const char *why)
{
  if (!p->why)
    p->why = why;
  p->kind = NPROF_PULL_NOTHING;
  p->waiting = false;
  return false;
}

static inline void
nprof_pull_space (struct nprof_pull *p)
{
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
    p->at++;
}

/* Reads a string, p->at at its quote. */
static inline bool
nprof_pull_string (struct nprof_pull *p, struct nprof_pull_text *text)
{
  const char *at = p->at + 1;
  text->at = at;
  text->escaped = false;
  for (; at < p->end && *at != '"'; at++) {
    if ((unsigned char) *at < 0x20) {
      p->at = at;
      return nprof_pull_fail (p, "a control character within a string");
    }
    if (*at != '\\')
      continue;
    text->escaped = true;
    const char *from = at++;
    const char *code = at + 1;
    if (at < p->end && (*at == 'u' ? nprof_json_hex4 (code, p->end) >= 0
                                   : *at && strchr ("\"\\/bfnrt", *at) != NULL))
      continue;
    p->at = from;
    return nprof_pull_fail (p, "an escape that JSON does not have");
  }
  if (at == p->end)
    return nprof_pull_fail (p, "a string that does not end");
  text->len = (size_t) (at - text->at);
  p->at = at + 1;
  return true;
}

/* Reads a number or a word. */
static inline bool
nprof_pull_scalar (struct nprof_pull *p)
{
  static const struct { const char *word; size_t len; int kind;
  } words[] = { { "null", 4, NPROF_PULL_NULL },
                { "true", 4, NPROF_PULL_TRUE },
                { "false", 5, NPROF_PULL_FALSE } };
  const char *at = p->at;
  bool whole;
  while (at < p->end && *at && !strchr (" \t\r\n,:[]{}\"", *at))
    at++;
  p->text.at = p->at;
  p->text.len = (size_t) (at - p->at);
  p->text.escaped = false;
  if (!p->text.len)
    return nprof_pull_fail (p, "no value where one was expected");
  if (nprof_json_is_number (p->at, at, &whole)) {
    p->kind = NPROF_PULL_NUMBER;
    p->at = at;
    return true;
  }
  for (unsigned i = 0; i < 3; i++)
    if (p->text.len == words[i].len && !memcmp (p->at, words[i].word, words[i].len)) {
      p->kind = words[i].kind;
      p->at = at;
      return true;
    }
  return nprof_pull_fail (p, "a word or number that JSON does not have");
}

/* Reads the value at p->at; an array or object only so far that it may be entered. */
static inline bool
nprof_pull_value (struct nprof_pull *p)
{
  nprof_pull_space (p);
  if (p->at == p->end)
    return nprof_pull_fail (p, "the text ends where a value was expected");
  if (*p->at == '"') {
    p->kind = NPROF_PULL_STRING;
    return nprof_pull_string (p, &p->text);
  }
  if (*p->at != '{' && *p->at != '[')
    return nprof_pull_scalar (p);
  p->kind = *p->at == '{' ? NPROF_PULL_OBJECT : NPROF_PULL_ARRAY;
  p->text.at = p->at;
  p->text.len = 0;
  p->waiting = true;
  return true;
}

/* Reads the key of a member and its colon. */
static inline bool
nprof_pull_member (struct nprof_pull *p)
{
  nprof_pull_space (p);
  if (p->at == p->end || *p->at != '"')
    return nprof_pull_fail (p, "expected the name of a member in quotes");
  if (!nprof_pull_string (p, &p->key))
    return false;
  nprof_pull_space (p);
  if (p->at == p->end || *p->at != ':')
    return nprof_pull_fail (p, "expected : behind the name of a member");
  p->at++;
  return true;
}

static inline bool nprof_pull_pass (struct nprof_pull *p);

/* Goes to the next item of the array or member of the object that was entered last; before the
 * first nprof_pull_enter to the value that the text is.  false: that one has ended, and the reader
 * is back in what holds it; or see `why`. */
static inline bool
nprof_pull_next (struct nprof_pull *p)
{
  if (p->why || (p->waiting && !nprof_pull_pass (p)))
    return false;
  p->kind = NPROF_PULL_NOTHING;
  p->key.len = 0;
  if (!p->depth) {
    const bool first = p->first;
    p->first = false;
    return first && nprof_pull_value (p);
  }
  nprof_pull_space (p);
  if (p->at == p->end)
    return nprof_pull_fail (p, "the text ends within an array or object");
  if (*p->at == p->closing[p->depth - 1]) {
    p->at++;
    p->depth--;
    p->first = false;
    return false;
  }
  if (!p->first && *p->at != ',')
    return nprof_pull_fail (p, "expected , or the end of the array or object");
  p->at += !p->first;
  p->first = false;
  return (p->closing[p->depth - 1] == ']' || nprof_pull_member (p)) && nprof_pull_value (p);
}

/* Enters the present value where it is an array or object, as `kind` says; false, and nothing,
 * where it is not. */
static inline bool
nprof_pull_enter (struct nprof_pull *p, int kind)
{
  if (!p->waiting || p->kind != kind)
    return false;
  if (p->depth == NPROF_JSON_DEPTH)
    return nprof_pull_fail (p, "values are nested deeper than 256");
  p->closing[p->depth++] = *p->at == '{' ? '}' : ']';
  p->at++;
  p->waiting = false;
  p->first = true;
  return true;
}

/* Leaves the array or object that was entered last, without what is still to come of it. */
static inline bool
nprof_pull_leave (struct nprof_pull *p)
{
  const unsigned depth = p->depth;
  while (!p->why && depth && p->depth >= depth)
    if (nprof_pull_next (p) && p->waiting)
      nprof_pull_enter (p, p->kind);
  return !p->why;
}

/* Skips the array or object that waits; p->text is all of it then. */
static inline bool
nprof_pull_pass (struct nprof_pull *p)
{
  const char *from = p->at;
  const int kind = p->kind;
  const struct nprof_pull_text key = p->key;
  if (!nprof_pull_enter (p, kind) || !nprof_pull_leave (p))
    return false;
  p->kind = kind;
  p->key = key;
  p->text.at = from;
  p->text.len = (size_t) (p->at - from);
  return true;
}

/* Gives the present value as it is written, with quotes and brackets, for an attribute of type
 * NPROF_JSON; an array or object is skipped.  false: see `why`. */
static inline bool
nprof_pull_raw (struct nprof_pull *p, struct nprof_pull_text *raw)
{
  if (p->kind == NPROF_PULL_NOTHING || (p->waiting && !nprof_pull_pass (p)))
    return false;
  const size_t quote = p->kind == NPROF_PULL_STRING;
  raw->at = p->text.at - quote;
  raw->len = p->text.len + 2 * quote;
  raw->escaped = false;
  return true;
}

/* Returns whether the present value is the member of that name, which has no escapes. */
static inline bool
nprof_pull_is (const struct nprof_pull *p, const char *name)
{
  return p->kind && p->key.at && p->key.len == strlen (name)
         && !memcmp (p->key.at, name, p->key.len);
}

/* Puts a string or key as what it means. */
static inline void
nprof_pull_put (struct nprof_buf *b, const struct nprof_pull_text *text)
{
  static const char plain[] = "b\bf\fn\nr\rt\t";
  const char *at = text->at, *end = text->len ? at + text->len : at;
  while (at < end) {
    const char *escape
        = text->escaped ? (const char *) memchr (at, '\\', (size_t) (end - at)) : NULL;
    nprof_put (b, at, (size_t) ((escape ? escape : end) - at));
    at = escape ? escape + 2 : end;
    if (!escape)
      return;
    const char *letter = strchr (plain, escape[1]);
    struct nprof_json_reader rest = { b, at, end, 0 };
    const int code = escape[1] == 'u' ? nprof_json_hex4 (at, end) : -1;
    if (code >= 0 && code < 0x80) {
      nprof_put_char (b, (char) code);
      at += 4;
    } else if (escape[1] != 'u') {
      nprof_put_char (b, letter ? letter[1] : escape[1]);
    } else if (nprof_json_unicode (&rest)) { /* beyond ASCII JSON and plain text are the same */
      at = rest.at;
    }
  }
}

/* Skips what is left, and returns whether all of it was JSON and nothing stands behind. */
static inline bool
nprof_pull_end (struct nprof_pull *p)
{
  while (!p->why && (p->depth || p->first || p->waiting))
    if (!p->depth || p->waiting)
      nprof_pull_next (p);
    else
      nprof_pull_leave (p);
  if (p->why)
    return false;
  nprof_pull_space (p);
  return p->at == p->end || nprof_pull_fail (p, "text behind the end of the value");
}

#endif
