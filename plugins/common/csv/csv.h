/* SPDX-License-Identifier: Apache-2.0 */
/* csv.h - nprof/csv.h by the short names that the decoders here use, and numbers in fields.
 *
 * libcsv is not used here: it hands out copies byte by byte, and knows neither the byte nor the
 * line of a field, which errors must name and parts must be cut by. */
#pragma once

#include <nprof/csv.h>

#define CSV_MOST_FIELDS NPROF_CSV_FIELDS
#define csv_record nprof_csv_record
#define csv_pass nprof_csv_pass
#define csv_is_blank nprof_csv_is_blank
#define csv_is nprof_csv_is
#define csv_plain nprof_csv_plain

typedef struct nprof_csv_field CsvField;
typedef struct nprof_csv CsvRecord;

/* Reads a whole number; one with .0 behind it counts (pandas writes columns with gaps that way). */
bool csv_int (const CsvField *field, int64_t *i);
/* Reads an address: digits, or 0x and digits in hexadecimal, up to 64 bits. */
bool csv_unsigned (const CsvField *field, uint64_t *number);
/* Reads exactly n bytes in hexadecimal. */
bool csv_hex (const CsvField *field, uint8_t *bytes, size_t n);
bool csv_starts (const CsvField *field, const char *text);
