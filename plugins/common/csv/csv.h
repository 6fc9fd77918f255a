/* SPDX-License-Identifier: Apache-2.0 */
/* csv.h - records of comma-separated values in memory (RFC 4180; LF or CRLF), one at a time and
 * without copies.  What the fields mean it leaves to its callers.
 *
 * libcsv is not used here: it hands out copies byte by byte, and knows neither the byte nor the
 * line of a field, which errors must name and parts must be cut by. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_MOST_FIELDS 96 /* kept of a record */

typedef struct {
  const char *p; /* without the quotes around it                                */
  size_t len;
  bool doubled; /* holds "" for each quote                                     */
  bool quoted;
} CsvField;

typedef struct {
  const char *at, *end; /* from its first byte to behind its last, without line end */
  unsigned n;           /* fields, also of those that were not kept             */
  unsigned lines;       /* ends of lines that belong to it                      */
  CsvField field[CSV_MOST_FIELDS];
  const char *bad, *why; /* why NULL: it can be read                              */
} CsvRecord;

/* Reads the record at p, which is before end.  Returns where the next one begins: the next line,
 * where this record cannot be read. */
const char *csv_record (CsvRecord *record, const char *p, const char *end);
/* Passes over a record as csv_record, but its fields are not known, and `end` (of the line) only
 * tells a blank one. */
const char *csv_pass (CsvRecord *record, const char *p, const char *end);

/* Tells whether the line has nothing in it. */
static inline bool
csv_is_blank (const CsvRecord *record)
{
  return record->at == record->end;
}

/* Reads a whole number; one with .0 behind it counts (pandas writes columns with gaps that way). */
bool csv_int (const CsvField *field, int64_t *i);
/* Reads an address: digits, or 0x and digits in hexadecimal, up to 64 bits. */
bool csv_unsigned (const CsvField *field, uint64_t *number);
/* Reads exactly n bytes in hexadecimal. */
bool csv_hex (const CsvField *field, uint8_t *bytes, size_t n);
bool csv_is (const CsvField *field, const char *text);
bool csv_starts (const CsvField *field, const char *text);
/* Copies the field with "" made "; `to` has room for len bytes.  Returns the length. */
size_t csv_plain (const CsvField *field, char *to);
