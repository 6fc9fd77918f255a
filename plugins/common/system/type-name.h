/* SPDX-License-Identifier: Apache-2.0 */
/* type-name.h - what types of values are called, as tables, routes and files of Parquet have it. */
#pragma once

#include <nprof/plugin.h>

/* NPROF_INT64: "int64"; "unknown" of what is no type. */
static inline const char *
np_type_name (uint32_t type)
{
  static const char *const names[]
      = { [NPROF_NULL] = "null",     [NPROF_INT64] = "int64", [NPROF_UINT64] = "uint64",
          [NPROF_DOUBLE] = "double", [NPROF_BOOL] = "bool",   [NPROF_STRING] = "string",
          [NPROF_TEXT] = "text",     [NPROF_JSON] = "json",   [NPROF_ID128] = "id128" };
  return type < sizeof names / sizeof *names ? names[type] : "unknown";
}
