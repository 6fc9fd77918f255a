/* SPDX-License-Identifier: Apache-2.0 */
/* cell.c - makes cells of a CSV line; libcsv quotes. */
#include "cell.h"

#include <csv.h>

/* A spreadsheet keeps so many digits of a number. */
#define SPREADSHEET_DIGITS 15

static size_t
count_digits (const char *text, size_t from, size_t len)
{
  size_t at = from;
  while (at < len && text[at] >= '0' && text[at] <= '9')
    at++;
  return at - from;
}

/* Returns whether a spreadsheet reads it as a number: [+-] digits [. or , digits] [e [+-]
 * digits]. */
static bool
is_number (const char *text, size_t len, char point)
{
  size_t at = len && (text[0] == '-' || text[0] == '+');
  size_t n = count_digits (text, at, len);
  if (!n)
    return false;
  at += n;
  if (at < len && text[at] == point)
    at += 1 + count_digits (text, at + 1, len);
  if (at < len && (text[at] | 32) == 'e') {
    at++;
    at += at < len && (text[at] == '-' || text[at] == '+');
    n = count_digits (text, at, len);
    if (!n)
      return false;
    at += n;
  }
  return at == len;
}

static bool
is_long_integer (const char *text, size_t len)
{
  size_t sign = len && (text[0] == '-' || text[0] == '+');
  return len - sign > SPREADSHEET_DIGITS && count_digits (text, sign, len) == len - sign;
}

/* Returns whether a spreadsheet would run it as a formula, or round it. */
static bool
needs_apostrophe (const struct csv_dialect *d, const char *text, size_t len)
{
  if (!d->excel || !len)
    return false;
  if (is_long_integer (text, len))
    return true;
  return strchr ("=+-@\t\r\n", text[0]) && text[0] && !is_number (text, len, d->point);
}

/* Returns whether this reader must not get a character: terminals obey control characters, and
 * Excel skips NUL, so that the text behind it would begin the cell. *n counts its bytes. */
static bool
is_forbidden (const struct csv_dialect *d, const char *at, size_t left, size_t *n)
{
  unsigned char c = (unsigned char) at[0];
  bool c1 = c == 0xc2 && left > 1 && (unsigned char) at[1] < 0xa0;
  *n = 1 + c1;
  if (d->terminal)
    return c1 || c == 0x7f || (c < 0x20 && c != '\t' && c != '\n');
  return !c;
}

static bool
needs_pictures (const struct csv_dialect *d, const char *text, size_t len)
{
  if (!d->terminal)
    return d->excel && memchr (text, 0, len);
  for (size_t k = 0, n; k < len; k += n)
    if (is_forbidden (d, text + k, len - k, &n))
      return true;
  return false;
}

/* Puts control characters as their pictures, from U+2400 on; those beyond ASCII have none. */
static void
put_pictures (struct nprof_buf *to, const struct csv_dialect *d, const char *text, size_t len)
{
  for (size_t k = 0, n; k < len; k += n) {
    unsigned char c = (unsigned char) text[k];
    char picture[] = { '\xe2', '\x90', (char) (c == 0x7f ? 0xa1 : 0x80 + c) };
    if (!is_forbidden (d, text + k, len - k, &n))
      nprof_put (to, text + k, n);
    else
      nprof_put (to, n > 1 ? "\xef\xbf\xbd" : picture, sizeof picture);
  }
}

/* Returns whether it is a space, which some readers, libcsv's among them, take away when it is not
 * quoted. */
static bool
is_space (char c)
{
  return c == ' ' || c == '\t';
}

static bool
needs_quotes (const struct csv_dialect *d, const char *text, size_t len)
{
  if (!len || is_space (text[0]) || is_space (text[len - 1]))
    return true;
  for (size_t k = 0; k < len; k++) {
    char c = text[k];
    if (c == '"' || c == '\r' || c == '\n' || c == d->delimiter)
      return true;
  }
  return false;
}

static void
put_quoted (struct nprof_buf *to, const char *text, size_t len)
{
  if (len > (SIZE_MAX - 2) / 2) {
    to->failed = true;
    return;
  }
  if (nprof_buf_need (to, 2 * len + 2))
    to->len += csv_write (to->data + to->len, to->max - to->len, text, len);
}

void
csv_put_if_changed (struct nprof_buf *to, const struct csv_dialect *d, const char *text, size_t len)
{
  struct nprof_buf changed = { 0 };
  bool quotes = needs_quotes (d, text, len), pictures = needs_pictures (d, text, len);
  if (needs_apostrophe (d, text, len))
    nprof_put_char (&changed, '\'');
  if (pictures)
    put_pictures (&changed, d, text, len);
  else if (changed.len)
    nprof_put (&changed, text, len);
  to->failed |= changed.failed;
  if (quotes && !to->failed)
    put_quoted (to, changed.len ? changed.data : text, changed.len ? changed.len : len);
  else
    nprof_put (to, changed.data, changed.len);
  nprof_buf_clear (&changed);
}

void
csv_put_text (struct nprof_buf *to, const struct csv_dialect *d, const char *text, size_t len)
{
  size_t before = to->len;
  csv_put_if_changed (to, d, text, len);
  if (to->len == before)
    nprof_put (to, text, len);
}

/* Returns the end of the JSON string that opens at `at`; the end of the text when it does not
 * close. */
static size_t
string_end (const char *text, size_t at, size_t len)
{
  for (at++; at < len && text[at] != '"'; at++)
    at += text[at] == '\\';
  return at < len ? at + 1 : len;
}

static bool
is_json_space (char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Puts JSON without the space between its tokens; between two that are no punctuation, which is no
 * JSON, one space stays. */
static void
put_compact (struct nprof_buf *to, const char *text, size_t len)
{
  static const char marks[] = "{}[],:";
  for (size_t at = 0, end; at < len; at = end) {
    end = at + 1;
    if (text[at] == '"')
      end = string_end (text, at, len);
    if (!is_json_space (text[at])) {
      nprof_put (to, text + at, end - at);
      continue;
    }
    while (end < len && is_json_space (text[end]))
      end++;
    if (to->len && end < len && !memchr (marks, to->data[to->len - 1], sizeof marks - 1)
        && !memchr (marks, text[end], sizeof marks - 1))
      nprof_put_char (to, ' ');
  }
}

void
csv_put_json (struct nprof_buf *to, const struct csv_dialect *d, const char *text, size_t len,
              struct nprof_buf *scratch)
{
  scratch->len = 0;
  put_compact (scratch, text, len);
  to->failed |= scratch->failed;
  csv_put_text (to, d, scratch->data ? scratch->data : "", scratch->len);
}

/* Guards a number, because -Infinity would be run as a formula. */
void
csv_guard_number (struct nprof_buf *to, size_t from)
{
  size_t len = to->len - from;
  if (to->failed
      || (!is_long_integer (to->data + from, len) && (len < 2 || to->data[from + 1] != 'I'))
      || !nprof_buf_need (to, 1))
    return;
  memmove (to->data + from + 1, to->data + from, to->len - from);
  to->data[from] = '\'';
  to->len++;
}

char
csv_parse_delimiter (const char *text)
{
  static const struct {
    const char *name;
    char c;
  } names[] = { { "comma", ',' }, { "semicolon", ';' }, { "tab", '\t' },
                { "\\t", '\t' },  { "pipe", '|' },      { "space", ' ' } };
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp (text, names[k].name))
      return names[k].c;
  unsigned char c = (unsigned char) text[0];
  bool in_numbers = (c >= '0' && c <= '9') || (c | 32) == 'e' || strchr ("+-.", c);
  if (!c || text[1] || c >= 0x7f || (c < 0x20 && c != '\t') || c == '"' || in_numbers
      || ((c | 32) >= 'a' && (c | 32) <= 'z'))
    return 0;
  return (char) c;
}
