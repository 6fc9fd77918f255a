/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes table event: a row each, texts by their numbers in table strings, and the view
 * events, which has the texts and the columns that events has in the other outputs. */
#include "sink.h"

#include <nprof/unmapped.h>

struct sqlite_track {
  guint32 number, process, thread; /* strings; number 0: not looked at */
};

enum {
  INPUT = 1,
  START,
  DURATION,
  TRACK,
  PROCESS,
  THREAD,
  KIND,
  CATEGORY,
  NAME,
  VALUE,
  ID,
  PARENT,
  FLOW,
  N_FIXED = FLOW
};

/* Texts are numbers of strings in the table, and texts in the view.  Ids have no type, because by
 * one SQLite would make doubles of digits beyond its integers. */
static const struct {
  const char *name, *type;
  bool text;
} fixed[] = {
  [INPUT] = { "input", "INTEGER", true },
  [START] = { "start_ps", "INTEGER", false },
  [DURATION] = { "duration_ps", "INTEGER", false },
  [TRACK] = { "track", "INTEGER", false },
  [PROCESS] = { "process", "INTEGER", true },
  [THREAD] = { "thread", "INTEGER", true },
  [KIND] = { "kind", "INTEGER", true },
  [CATEGORY] = { "category", "INTEGER", true },
  [NAME] = { "name", "INTEGER", true },
  [VALUE] = { "value", "REAL", false },
  [ID] = { "id", "", false },
  [PARENT] = { "parent", "", false },
  [FLOW] = { "flow", "", false },
};

/* -- Texts ------------------------------------------------------------------------------------- */

static guint32
number_of (struct sqlite_sink *self, nprof_str str)
{
  size_t len;
  if (str >= self->strings->len)
    g_array_set_size (self->strings, MAX (str + 1, self->strings->len * 2));
  guint32 *number = &g_array_index (self->strings, guint32, str);
  if (*number)
    return *number;
  const char *text = self->host->string (self->host, str, &len);
  *number = ++self->n_strings;
  sqlite3_bind_int64 (self->insert_string, 1, *number);
  sqlite3_bind_text64 (self->insert_string, 2, text, len, SQLITE_STATIC, SQLITE_UTF8);
  int rc = sqlite3_step (self->insert_string);
  sqlite3_reset (self->insert_string);
  return rc == SQLITE_DONE ? *number : 0;
}

static const struct sqlite_track *
track_of (struct sqlite_sink *self, nprof_track handle)
{
  if (handle >= self->labels->len)
    g_array_set_size (self->labels, MAX (handle + 1, self->labels->len * 2));
  struct sqlite_track *track = &g_array_index (self->labels, struct sqlite_track, handle);
  if (track->number)
    return track;
  const struct nprof_track_info *info = self->host->track_info (self->host, handle);
  track->number = info->number;
  track->thread = number_of (self, nprof_track_label (info));
  if (info->process)
    track->process
        = number_of (self, nprof_track_label (self->host->track_info (self->host, info->process)));
  return track;
}

/* -- The schema -------------------------------------------------------------------------------- */

static void
add_fixed (GHashTable *names, GString *columns, GString *view, GString *joins)
{
  for (int c = INPUT; c <= N_FIXED; c++) {
    g_free (sqlite_sink_name (names, fixed[c].name));
    g_string_append_printf (columns, ", %s %s", fixed[c].name, fixed[c].type);
    if (fixed[c].text) {
      g_string_append_printf (view, ", s%d.text AS %s", c, fixed[c].name);
      g_string_append_printf (joins, " %sJOIN strings s%d ON s%d.id = e.%s",
                              c == PROCESS || c == CATEGORY ? "LEFT " : "", c, c, fixed[c].name);
    } else {
      g_string_append_printf (view, ", e.%s", fixed[c].name);
    }
  }
}

static void
add_attribute (GHashTable *names, const struct nprof_column *column, GString *columns,
               GString *view)
{
  g_autofree char *name = sqlite_sink_name (names, column->name);
  g_autoptr (GString) quoted = g_string_new (NULL);
  sqlite_sink_quote (quoted, name);
  g_string_append_printf (columns, ", %s", quoted->str);
  if (column->type == NPROF_STRING)
    g_string_append_printf (view,
                            ", CASE typeof(e.%s) WHEN 'integer' THEN (SELECT text FROM strings "
                            "WHERE id = e.%s) ELSE e.%s END AS %s",
                            quoted->str, quoted->str, quoted->str, quoted->str);
  else
    g_string_append_printf (view, ", e.%s", quoted->str);
}

static nprof_status
make_schema (struct sqlite_sink *self)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) columns = g_string_new ("row INTEGER PRIMARY KEY"),
                      view = g_string_new ("e.row"), joins = g_string_new (NULL);
  g_free (sqlite_sink_name (names, "row"));
  add_fixed (names, columns, view, joins);
  for (uint32_t c = 0; c < self->row_columns.n_columns; c++)
    add_attribute (names, self->row_columns.columns[c], columns, view);
  g_autofree char *rest = sqlite_sink_name (names, "attributes");
  g_string_append_printf (columns, ", %s TEXT", rest);
  g_string_append_printf (view, ", e.%s", rest);
  g_autofree char *sql = g_strdup_printf (
      "CREATE TABLE strings (id INTEGER PRIMARY KEY, text TEXT NOT NULL); CREATE TABLE event (%s); "
      "CREATE VIEW events AS SELECT %s FROM event e%s",
      columns->str, view->str, joins->str);
  return sqlite_sink_exec (self, sql);
}

static nprof_status
prepare (struct sqlite_sink *self)
{
  g_autoptr (GString) sql = g_string_new ("INSERT INTO event VALUES (NULL");
  for (uint32_t c = 0; c < N_FIXED + self->row_columns.n_columns + 1; c++)
    g_string_append (sql, ", ?");
  g_string_append_c (sql, ')');
  if (sqlite3_prepare_v3 (self->db, sql->str, -1, SQLITE_PREPARE_PERSISTENT, &self->insert_row,
                          NULL)
      || sqlite3_prepare_v3 (self->db, "INSERT INTO strings VALUES (?, ?)", -1,
                             SQLITE_PREPARE_PERSISTENT, &self->insert_string, NULL))
    return sqlite_sink_failed (self);
  return NPROF_OK;
}

nprof_status
sqlite_rows_open (struct sqlite_sink *self)
{
  self->strings = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->labels = g_array_new (FALSE, TRUE, sizeof (struct sqlite_track));
  if (nprof_row_columns_init (&self->row_columns, self->host, self->host->columns (self->host)))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the columns");
  nprof_status status = make_schema (self);
  return status ? status : prepare (self);
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void
bind_field (struct sqlite_sink *self, int at, const struct nprof_field *f)
{
  const char *bytes = f->bytes ? f->bytes + f->value.bytes.at : "";
  char hex[33];
  switch (f->type) {
  case NPROF_INT64:
    sqlite3_bind_int64 (self->insert_row, at, f->value.i);
    break;
  case NPROF_UINT64:
  case NPROF_BOOL:
    sqlite_sink_bind_unsigned (self->insert_row, at, f->value.u);
    break;
  case NPROF_DOUBLE:
    sqlite3_bind_double (self->insert_row, at, f->value.f);
    break;
  case NPROF_STRING:
    sqlite3_bind_int64 (self->insert_row, at, number_of (self, f->value.s));
    break;
  case NPROF_ID128:
    for (int i = 0; i < 16; i++)
      g_snprintf (hex + 2 * i, 3, "%02x", (guint8) bytes[i]);
    sqlite3_bind_text (self->insert_row, at, hex, 32, SQLITE_TRANSIENT);
    break;
  default:
    sqlite3_bind_text64 (self->insert_row, at, bytes, f->value.bytes.len, SQLITE_STATIC,
                         SQLITE_UTF8);
  }
}

/* Binds an attribute; a text of a column of type text that repeats in the run is written as it is,
 * because no number says that it is one. */
static void
bind_attribute (struct sqlite_sink *self, uint32_t c)
{
  const struct nprof_field *f = self->row_columns.field + c;
  size_t len;
  if (f->type != NPROF_STRING || self->row_columns.columns[c]->type == NPROF_STRING) {
    bind_field (self, (int) (N_FIXED + 1 + c), f);
    return;
  }
  const char *text = self->host->string (self->host, f->value.s, &len);
  sqlite3_bind_text64 (self->insert_row, (int) (N_FIXED + 1 + c), text, len, SQLITE_STATIC,
                       SQLITE_UTF8);
}

static void
bind_times (struct sqlite_sink *self, const struct nprof_batch *b, uint32_t i)
{
  if (b->kind[i] == NPROF_FACT) /* its times mean nothing */
    return;
  sqlite3_bind_int64 (self->insert_row, START, b->start[i]);
  if (b->duration[i] >= 0)
    sqlite3_bind_int64 (self->insert_row, DURATION, b->duration[i]);
}

static void
bind_text (struct sqlite_sink *self, int at, guint32 number)
{
  if (number)
    sqlite3_bind_int64 (self->insert_row, at, number);
}

static void
bind_id (struct sqlite_sink *self, int at, const uint64_t *ids, uint32_t i)
{
  if (ids && ids[i])
    sqlite_sink_bind_unsigned (self->insert_row, at, ids[i]);
}

static void
bind_fixed (struct sqlite_sink *self, const struct nprof_batch *b, uint32_t i)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  const struct sqlite_track *track = track_of (self, b->track[i]);
  const char *kind = b->kind[i] < G_N_ELEMENTS (kinds) ? kinds[b->kind[i]] : "unknown";
  bind_text (self, INPUT, number_of (self, self->host->input (self->host, b->input)->label));
  bind_times (self, b, i);
  sqlite3_bind_int64 (self->insert_row, TRACK, track->number);
  bind_text (self, PROCESS, track->process);
  bind_text (self, THREAD, track->thread);
  bind_text (self, KIND, number_of (self, nprof_intern (self->host, kind)));
  bind_text (self, CATEGORY, b->category[i] ? number_of (self, b->category[i]) : 0);
  bind_text (self, NAME, number_of (self, b->name[i]));
  if (nprof_has_value (b, i))
    sqlite3_bind_double (self->insert_row, VALUE, b->value[i]);
  bind_id (self, ID, b->id, i);
  bind_id (self, PARENT, b->parent, i);
  bind_id (self, FLOW, b->flow, i);
}

static nprof_status
put_row (struct sqlite_sink *self, const struct nprof_batch *b, uint32_t i)
{
  struct nprof_buf *rest = &self->unmapped;
  rest->len = 0;
  sqlite3_clear_bindings (self->insert_row);
  bind_fixed (self, b, i);
  if (nprof_row_columns_row (&self->row_columns, b, i))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the attributes of a row");
  for (uint32_t k = 0; k < self->row_columns.n_used; k++)
    if (self->row_columns.field[self->row_columns.used[k]].type != NPROF_NULL)
      bind_attribute (self, self->row_columns.used[k]);
  if (nprof_put_json_unmapped (rest, &self->row_columns, 0))
    sqlite3_bind_text64 (self->insert_row, (int) (N_FIXED + self->row_columns.n_columns + 1),
                         rest->data, rest->len, SQLITE_STATIC, SQLITE_UTF8);
  int rc = sqlite3_step (self->insert_row);
  sqlite3_reset (self->insert_row);
  if (rest->failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the attributes of a row");
  return rc == SQLITE_DONE ? NPROF_OK : sqlite_sink_failed (self);
}

nprof_status
sqlite_rows_consume (struct sqlite_sink *self, const struct nprof_batch *batch)
{
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; i < batch->n_rows && !status; i++)
    status = put_row (self, batch, i);
  return status;
}

nprof_status
sqlite_rows_finish (struct sqlite_sink *self)
{
  nprof_row_columns_tell (&self->row_columns, "table event");
  return self->index
             ? sqlite_sink_exec (self, "CREATE INDEX event_track_start ON event (track, start_ps)")
             : NPROF_OK;
}

void
sqlite_rows_close (struct sqlite_sink *self)
{
  sqlite3_finalize (self->insert_row);
  sqlite3_finalize (self->insert_string);
  self->insert_row = self->insert_string = NULL;
  nprof_row_columns_clear (&self->row_columns);
  nprof_buf_clear (&self->unmapped);
  g_clear_pointer (&self->strings, g_array_unref);
  g_clear_pointer (&self->labels, g_array_unref);
}
