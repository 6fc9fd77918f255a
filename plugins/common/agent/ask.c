/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - asks an open profile in SQL, for the tools. */
#include "agent/agent.h"

#include "base/suggest.h"

/* 1 ms, 30 ms, 1 s, 30 s. */
const gint64 np_reaches[NP_REACHES]
    = { 1000000000, 30000000000, 1000000000000, 30000000000000, G_MAXINT64 };

static sqlite3_stmt *
prepare (NpCall *call, const char *format, va_list values)
{
  sqlite3_stmt *stmt = NULL;
  char *text = sqlite3_vmprintf (format, values);
  if (text && sqlite3_prepare_v2 (np_sql_db (call->sql), text, -1, &stmt, NULL))
    stmt = NULL;
  sqlite3_free (text);
  return stmt;
}

sqlite3_stmt *
np_ask (NpCall *call, const char *format, ...)
{
  va_list values;
  va_start (values, format);
  sqlite3_stmt *stmt = prepare (call, format, values);
  va_end (values);
  return stmt;
}

gint64
np_ask_whole (NpCall *call, gint64 otherwise, const char *format, ...)
{
  va_list values;
  va_start (values, format);
  sqlite3_stmt *stmt = prepare (call, format, values);
  va_end (values);
  gboolean any
      = stmt && sqlite3_step (stmt) == SQLITE_ROW && sqlite3_column_type (stmt, 0) != SQLITE_NULL;
  gint64 value = any ? sqlite3_column_int64 (stmt, 0) : otherwise;
  sqlite3_finalize (stmt);
  return value;
}

gboolean
np_has_table (NpCall *call, const char *name)
{
  return np_ask_whole (call, 0,
                       "select count(*) from sqlite_schema where type in ('table', 'view') "
                       "and name = %Q",
                       name)
         > 0;
}

gboolean
np_has_column (NpCall *call, const char *table, const char *column)
{
  return np_ask_whole (call, 0, "select count(*) from pragma_table_info(%Q) where name = %Q", table,
                       column)
         > 0;
}

const struct nprof_store_table *
np_stored_table (const NpCall *call, const char *name)
{
  guint32 number = nprof_store_find_table (call->profile->store, name);
  return number == G_MAXUINT32 ? NULL : nprof_store_table_at (call->profile->store, number);
}

/* The nearest comes first; it may stand twice. */
static void
add_names (NpCall *call, sqlite3_stmt *stmt, const char *word)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    g_ptr_array_add (names, g_strdup (np_column (stmt, 0)));
  sqlite3_finalize (stmt);
  g_ptr_array_add (names, NULL);
  const char *near = word ? np_suggest (word, (const char *const *) names->pdata) : NULL;
  if (near)
    np_call_nearest (call, near);
  for (guint i = 0; i + 1 < names->len; i++)
    if (names->pdata[i] != near)
      np_call_nearest (call, names->pdata[i]);
}

void
np_nearest_tables (NpCall *call, const char *word)
{
  add_names (call,
             np_ask (call, "select name from sqlite_schema where type in ('table', 'view') "
                           "order by name in ('devices', 'operators', 'kernels', 'verdict', "
                           "'verdict_parts', 'steps', 'slice') desc, rowid"),
             word);
}

void
np_nearest_columns (NpCall *call, const char *table, const char *word)
{
  add_names (call, np_ask (call, "select name from pragma_table_info(%Q)", table), word);
}

/* Devices have rows in the one or the other: of a logical core the verdict is of all its cores. */
static const char *const device_tables[] = { "devices", "verdict" };

gboolean
np_has_device (NpCall *call, const char *device)
{
  gint64 most = -1; /* 1: it is there; 0: others are; -1: none is known */
  for (guint i = 0; i < G_N_ELEMENTS (device_tables); i++)
    most = MAX (most, np_ask_whole (call, -1, "select max(device = %Q) from %s", device,
                                    device_tables[i]));
  return most != 0;
}

void
np_nearest_devices (NpCall *call, const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (device_tables) && !call->error.nearest; i++)
    add_names (call,
               np_ask (call,
                       "select device from %s where device is not null "
                       "group by device order by min(rowid)",
                       device_tables[i]),
               word);
}

void
np_put_identifier (GString *text, const char *name)
{
  g_string_append_c (text, '"');
  for (; *name; name++)
    g_string_append (text, *name == '"' ? "\"\"" : (char[]){ *name, 0 });
  g_string_append_c (text, '"');
}

char *
np_step_condition (const char *step)
{
  char *text = sqlite3_mprintf ("(step = %Q or step like '%%#' || %Q)", step, step);
  char *condition = g_strdup (text);
  sqlite3_free (text);
  return condition;
}

gint64
np_ns_of (gint64 ps)
{
  gint64 whole = ps / 1000, rest = ps % 1000;
  return whole + (rest >= 500) - (rest < -500);
}

const char *
np_column (sqlite3_stmt *stmt, int column)
{
  return (const char *) sqlite3_column_text (stmt, column);
}

void
np_put_ns (NpCall *call, const char *key, sqlite3_stmt *stmt, int column)
{
  if (sqlite3_column_type (stmt, column) != SQLITE_NULL)
    np_json_integer (&call->data.json, key, np_ns_of (sqlite3_column_int64 (stmt, column)));
}
