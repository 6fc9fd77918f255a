/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c - splits records into fields and reads numbers in them. */
#include "csv/csv.h"
#include "json/scan.h"

#include <string.h>

/* -- Records ------------------------------------------------------------------------ */

static void
add_field (CsvRecord *r, const char *p, const char *end, bool quoted, bool doubled)
{
  if (r->n < CSV_MOST_FIELDS)
    r->field[r->n] = (CsvField){ p, (size_t) (end - p), doubled, quoted };
  r->n++;
}

static const char *
fail (CsvRecord *r, const char *at, const char *why)
{
  r->bad = at;
  r->why = why;
  return NULL;
}

/* p is behind the opening quote.  Returns what is behind the closing one. */
static const char *
quoted_field (CsvRecord *r, const char *p, const char *end)
{
  const char *from = p, *q = p;
  bool doubled = false;
  while ((q = memchr (q, '"', (size_t) (end - q))) && q + 1 < end && q[1] == '"') {
    doubled = true;
    q += 2;
  }
  if (!q)
    return fail (r, from - 1, "a quote is not closed");
  for (const char *nl = from; (nl = memchr (nl, '\n', (size_t) (q - nl))); nl++)
    r->lines++;
  add_field (r, from, q, true, doubled);
  return q + 1;
}

static const char *
plain_field (CsvRecord *r, const char *p, const char *line_end)
{
  const char *comma = memchr (p, ',', (size_t) (line_end - p));
  add_field (r, p, comma ? comma : line_end, false, false);
  return comma ? comma : line_end;
}

static const char *
end_of_line (const char *p, const char *end)
{
  const char *nl = memchr (p, '\n', (size_t) (end - p));
  return nl ? nl : end;
}

/* Returns the end of the line without its CR. */
static const char *
trimmed (const char *p, const char *nl)
{
  return nl > p && nl[-1] == '\r' ? nl - 1 : nl;
}

/* Returns the end of the fields, at the end of a line or of the input; NULL: it cannot be read. */
static const char *
fields (CsvRecord *r, const char *p, const char *end)
{
  const char *nl = end_of_line (p, end), *stop = trimmed (p, nl);
  for (;; p++) {
    if (p < stop && *p == '"') {
      p = quoted_field (r, p + 1, end);
      if (p && p > nl)
        nl = end_of_line (p, end);
      stop = p ? trimmed (p, nl) : NULL;
      if (p && p < stop && *p != ',')
        return fail (r, p, "text behind a closing quote");
    } else {
      p = plain_field (r, p, stop);
    }
    if (!p || p >= stop) {
      r->end = stop;
      return p ? nl : NULL;
    }
  }
}

const char *
csv_record (CsvRecord *r, const char *p, const char *end)
{
  r->at = p;
  r->n = r->lines = 0;
  r->why = NULL;
  const char *nl = fields (r, p, end);
  if (!nl) {
    nl = end_of_line (p, end);
    r->end = nl;
    r->lines = 0;
  }
  r->lines += nl < end;
  return nl < end ? nl + 1 : end;
}

const char *
csv_pass (CsvRecord *r, const char *p, const char *end)
{
  const char *nl = end_of_line (p, end);
  if (memchr (p, '"', (size_t) (nl - p)))
    return csv_record (r, p, end);
  r->at = p;
  r->end = trimmed (p, nl);
  r->n = 0;
  r->lines = nl < end;
  r->why = NULL;
  return nl < end ? nl + 1 : end;
}

/* -- Fields --------------------------------------------------------------------------- */

bool
csv_int (const CsvField *field, int64_t *i)
{
  const char *p = field->p, *end = p + field->len;
  if (field->len > 2 && end[-2] == '.' && end[-1] == '0')
    end -= 2;
  return te_int (p, end, i);
}

static int
hex_digit (char c)
{
  char lower = (char) (c | 0x20);
  return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool
csv_unsigned (const CsvField *field, uint64_t *number)
{
  const bool hex = csv_starts (field, "0x") || csv_starts (field, "0X");
  const size_t from = hex ? 2 : 0;
  *number = 0;
  for (size_t i = from; i < field->len; i++) {
    const int digit = hex_digit (field->p[i]);
    const uint64_t base = hex ? 16 : 10;
    if (digit < 0 || (uint64_t) digit >= base || __builtin_mul_overflow (*number, base, number)
        || __builtin_add_overflow (*number, (uint64_t) digit, number))
      return false;
  }
  return field->len > from;
}

bool
csv_hex (const CsvField *field, uint8_t *bytes, size_t n)
{
  if (field->len != 2 * n)
    return false;
  for (size_t i = 0; i < n; i++) {
    int high = hex_digit (field->p[2 * i]), low = hex_digit (field->p[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    bytes[i] = (uint8_t) (high << 4 | low);
  }
  return true;
}

bool
csv_is (const CsvField *field, const char *text)
{
  return strlen (text) == field->len && memcmp (text, field->p, field->len) == 0;
}

bool
csv_starts (const CsvField *field, const char *text)
{
  size_t n = strlen (text);
  return field->len >= n && memcmp (text, field->p, n) == 0;
}

size_t
csv_plain (const CsvField *field, char *to)
{
  size_t n = 0;
  for (size_t i = 0; i < field->len; i++) {
    to[n++] = field->p[i];
    i += field->doubled && field->p[i] == '"';
  }
  return n;
}
