/* SPDX-License-Identifier: Apache-2.0 */
/* allowed.c - the rule by which statements only read. */
#include "sqlite/allowed.h"

#include <glib.h>
#include <sqlite3.h>

static bool
one_of (const char *name, const char *const *names, gsize n)
{
  for (gsize i = 0; name && i < n; i++)
    if (g_ascii_strcasecmp (name, names[i]) == 0)
      return true;
  return false;
}

static bool
may_call (const char *function)
{
  static const char *const never[]
      = { "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer" };
  return !one_of (function, never, G_N_ELEMENTS (never));
}

static bool
may_ask (const char *pragma)
{
  static const char *const harmless[] = { "table_info",    "table_xinfo",    "table_list",
                                          "function_list", "collation_list", "compile_options" };
  return one_of (pragma, harmless, G_N_ELEMENTS (harmless));
}

bool
np_sql_allows (int action, const char *a, const char *b, const char *database)
{
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE:
  case SQLITE_TRANSACTION:
  case SQLITE_SAVEPOINT:
  case SQLITE_CREATE_TEMP_TABLE:
  case SQLITE_CREATE_TEMP_VIEW:
  case SQLITE_CREATE_TEMP_INDEX:
  case SQLITE_DROP_TEMP_TABLE:
  case SQLITE_DROP_TEMP_VIEW:
  case SQLITE_DROP_TEMP_INDEX:
    return true;
  case SQLITE_FUNCTION:
    return may_call (b);
  case SQLITE_PRAGMA:
    return may_ask (a);
  case SQLITE_UPDATE: /* also of tables that a module makes up; DEFENSIVE keeps the schema itself */
    return g_strcmp0 (database, "temp") == 0 || g_strcmp0 (a, "sqlite_master") == 0;
  case SQLITE_INSERT:
  case SQLITE_DELETE:
    return g_strcmp0 (database, "temp") == 0;
  case SQLITE_REINDEX:
    return g_strcmp0 (b, "temp") == 0 || g_strcmp0 (database, "temp") == 0;
  default:
    return false;
  }
}
