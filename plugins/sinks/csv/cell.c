/* SPDX-License-Identifier: Apache-2.0 */
/* cell.c - cells of a CSV line; quoting is libcsv's. */
#include "cell.h"

#include <csv.h>

/* A spreadsheet keeps 15 digits of a number. */
#define SPREADSHEET_DIGITS 15

static size_t
count_digits (const char *text, size_t from, size_t len)
{
  size_t at = from;
  while (at < len && text[at] >= '0' && text[at] <= '9')
    at++;
  return at - from;
}

/* [+-] digits [. or , digits] [e [+-] digits]: what a spreadsheet reads as a number. */
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

/* Would a spreadsheet run it as a formula, or round it? */
static bool
needs_apostrophe (const struct csv_dialect *d, const char *text, size_t len)
{
  if (!d->excel || !len)
    return false;
  if (is_long_integer (text, len))
    return true;
  return strchr ("=+-@\t\r", text[0]) && text[0] && !is_number (text, len, d->point);
}

/* Some readers, libcsv's among them, take it away when it is not quoted. */
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
  bool quotes = needs_quotes (d, text, len);
  if (!needs_apostrophe (d, text, len)) {
    if (quotes)
      put_quoted (to, text, len);
    return;
  }
  struct nprof_buf defused = { 0 };
  nprof_put_char (&defused, '\'');
  nprof_put (&defused, text, len);
  to->failed |= defused.failed;
  if (quotes && !defused.failed)
    put_quoted (to, defused.data, defused.len);
  else
    nprof_put (to, defused.data, defused.len);
  nprof_buf_clear (&defused);
}

void
csv_put_text (struct nprof_buf *to, const struct csv_dialect *d, const char *text, size_t len)
{
  size_t before = to->len;
  csv_put_if_changed (to, d, text, len);
  if (to->len == before)
    nprof_put (to, text, len);
}

void
csv_guard_number (struct nprof_buf *to, size_t from)
{
  if (to->failed || !is_long_integer (to->data + from, to->len - from) || !nprof_buf_need (to, 1))
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
