/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of decoder parquet. */
#pragma once

#include <nprof/table.h>

#define PARQUET_COLUMNS(C)                                                                         \
  C (TEXT_KEY, column, "path in the schema")                                                       \
  C (TEXT, type, "as it is stored, and what it means")                                             \
  C (TEXT, encodings, "of all row groups")                                                         \
  C (TEXT, codec, "of the first row group")                                                        \
  C (COUNT, values, "nulls too")                                                                   \
  C (COUNT, nulls, "if the file says so")                                                          \
  C (BYTES, bytes, "in the file")                                                                  \
  C (BYTES, uncompressed, "before compression")                                                    \
  C (COUNT, pages, "read and checked")                                                             \
  C (COUNT, crcs, "pages with a CRC, which is right")
NPROF_TABLE_ROW (parquet_columns, PARQUET_COLUMNS)

#define PARQUET_GROUPS(C)                                                                          \
  C (INT_KEY, group, "number, from 0")                                                             \
  C (COUNT, rows, "")                                                                              \
  C (BYTES, bytes, "in the file")                                                                  \
  C (BYTES, uncompressed, "before compression")
NPROF_TABLE_ROW (parquet_groups, PARQUET_GROUPS)

#define PARQUET_METADATA(C)                                                                        \
  C (TEXT_KEY, key, "")                                                                            \
  C (TEXT, value, "")
NPROF_TABLE_ROW (parquet_metadata, PARQUET_METADATA)
