/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c - reads numbers in fields of CSV. */
#include "csv/csv.h"
#include "json/scan.h"

#include <string.h>

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
csv_starts (const CsvField *field, const char *text)
{
  size_t n = strlen (text);
  return field->len >= n && memcmp (text, field->p, n) == 0;
}
