/* SPDX-License-Identifier: Apache-2.0 */
/* around.c - functions of a row by its number (rowid) that need the rows around it: what of it lies
 * in a part of the run, the stack that it ends, its layer. They say of a row what nprof view says
 * of it, so that what the page shows can be asked for in SQL. */
#include "sql/profile.h"

#include <nprof/keys.h>
#include <string.h>
#include <system/layer-path.h>

/* Reads the row that the first value numbers; false: there is none, or the result says that its
 * block is damaged. */
static bool
row_of (sqlite3_context *out, sqlite3_value **v, struct nprof_event *event)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  NpSqlRow row;
  if (sqlite3_value_type (v[0]) != SQLITE_INTEGER
      || !np_sql_row (p, sqlite3_value_int64 (v[0]), &row))
    return false;
  if (np_sql_event (p, &row, event))
    return true;
  sqlite3_result_error (out, p->query.error, -1);
  return false;
}

/* -- Parts of the run -------------------------------------------------------------------------- */

/* Reads a row, and the part. */
static bool
row_and_part (sqlite3_context *out, sqlite3_value **v, struct nprof_event *event, gint64 *from,
              gint64 *to)
{
  *from = sqlite3_value_int64 (v[1]);
  *to = sqlite3_value_int64 (v[2]);
  return sqlite3_value_type (v[1]) == SQLITE_INTEGER && sqlite3_value_type (v[2]) == SQLITE_INTEGER
         && row_of (out, v, event);
}

/* Finds what lies in a part of the time in which a counter has the value of this row: until its
 * next row, that of the last one until the profile ends. */
static bool
find_held (NpSqlProfile *p, const struct nprof_event *value, gint64 from, gint64 to, gint64 *held)
{
  const struct nprof_store_lane *lane = nprof_store_lane_at (p->store, value->row.lane);
  struct nprof_row row = value->row;
  struct nprof_event next = { .start = nprof_store_meta (p->store)->last };
  if (++row.row < lane->rows && !nprof_store_event (&p->query, row, &next))
    return false;
  from = MAX (from, value->start);
  to = MIN (to, next.start);
  *held = to > from ? to - from : 0;
  return true;
}

/* row_inside (rowid, from_ps, to_ps): what lies there of a span, or of the time in which a counter
 * has a value. */
static void
row_inside (sqlite3_context *out, int n, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  struct nprof_event event;
  gint64 from, to, held;
  (void) n;
  if (!row_and_part (out, v, &event, &from, &to))
    return;
  if (event.type == NPROF_STORE_LANE_SPAN)
    sqlite3_result_int64 (out, nprof_store_inside (event.start, event.duration, from, to));
  else if (event.type != NPROF_STORE_LANE_COUNTER)
    return;
  else if (find_held (p, &event, from, to, &held))
    sqlite3_result_int64 (out, held);
  else
    sqlite3_result_error (out, p->query.error, -1);
}

/* row_self (rowid, from_ps, to_ps): what of a span lies there, without what spans directly within
 * have of it. */
static void
row_self (sqlite3_context *out, int n, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  struct nprof_event span;
  gint64 from, to, child;
  (void) n;
  if (!row_and_part (out, v, &span, &from, &to) || span.type != NPROF_STORE_LANE_SPAN)
    return;
  if (nprof_store_children_inside (&p->query, &span, from, to, &child))
    sqlite3_result_int64 (out, nprof_store_inside (span.start, span.duration, from, to) - child);
  else
    sqlite3_result_error (out, p->query.error, -1);
}

/* -- Stacks ------------------------------------------------------------------------------------ */

/* These are the spans around a row, outermost first, and the row itself. */
typedef struct {
  const struct nprof_row *around; /* they stay until other spans around a row are asked for */
  uint32_t n;
  struct nprof_event own;
} Stack;

/* Finds the stack of the row that the first value numbers; false: there is none, or the result says
 * why not. */
static bool
stack_of (sqlite3_context *out, sqlite3_value **v, Stack *stack)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  if (!row_of (out, v, &stack->own))
    return false;
  if (nprof_store_enclosing (&p->query, &stack->own, &stack->around, &stack->n))
    return true;
  sqlite3_result_error (out, p->query.error, -1);
  return false;
}

/* Reads the frame at that place, up to n, which is the row itself. */
static bool
frame_at (NpSqlProfile *p, const Stack *stack, uint32_t at, struct nprof_event *frame)
{
  *frame = stack->own;
  return at == stack->n || nprof_store_event (&p->query, stack->around[at], frame);
}

static void
append_frame (NpSqlProfile *p, GString *stack, const struct nprof_event *e)
{
  const struct nprof_store_label *label = nprof_store_label_at (p->store, e->label);
  NpSqlText name = np_sql_string (p, label ? label->name : 0);
  gsize at = stack->len ? stack->len + 1 : 0;
  if (at)
    g_string_append_c (stack, ';');
  g_string_append (stack, name.text && *name.text ? name.text : "(no name)");
  g_strdelimit (stack->str + at, ";", ':');
  g_strdelimit (stack->str + at, "\n\r", ' ');
}

/* row_stack (rowid): names of the spans around it and its own, joined by ';' as frames of a flame
 * graph are. */
static void
row_stack (sqlite3_context *out, int n, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  struct nprof_event frame;
  Stack stack;
  bool good = true;
  (void) n;
  if (!stack_of (out, v, &stack))
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  for (uint32_t i = 0; good && i <= stack.n; i++) {
    good = frame_at (p, &stack, i, &frame);
    if (good)
      append_frame (p, text, &frame);
  }
  if (good)
    sqlite3_result_text64 (out, text->str, text->len, SQLITE_TRANSIENT, SQLITE_UTF8);
  else
    sqlite3_result_error (out, p->query.error, -1);
}

/* -- Attributes -------------------------------------------------------------------------------- */

/* Reads a text that a row states; NULL text: it does not. */
static bool
stated (NpSqlProfile *p, const struct nprof_event *e, const char *key, NpSqlText *text)
{
  const struct nprof_store_field *fields;
  uint32_t n;
  *text = (NpSqlText){ 0 };
  if (!nprof_store_fields (&p->query, e, false, &fields, &n))
    return false;
  for (uint32_t i = 0; i < n && !text->text; i++)
    if (fields[i].type == NPROF_STRING
        && g_strcmp0 (np_sql_string (p, fields[i].key).text, key) == 0)
      *text = np_sql_string (p, fields[i].v.s);
  return true;
}

/* row_around (rowid, 'key'): what the row states under the key, else the innermost span around it
 * that states it. */
static void
row_around (sqlite3_context *out, int n, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  const char *key = (const char *) sqlite3_value_text (v[1]);
  struct nprof_event frame;
  NpSqlText text = { 0 };
  Stack stack;
  bool good = true;
  (void) n;
  if (!key || !stack_of (out, v, &stack))
    return;
  for (uint32_t i = stack.n + 1; good && i-- > 0 && !text.text;)
    good = frame_at (p, &stack, i, &frame) && stated (p, &frame, key, &text);
  if (!good)
    sqlite3_result_error (out, p->query.error, -1);
  else if (text.text)
    sqlite3_result_text64 (out, text.text, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* row_layer (rowid): the layer that the row states, else that of its operator's path. */
static void
row_layer (sqlite3_context *out, int n, sqlite3_value **v)
{
  NpSqlProfile *p = sqlite3_user_data (out);
  struct nprof_event e;
  NpSqlText layer, path;
  (void) n;
  if (!row_of (out, v, &e))
    return;
  if (!stated (p, &e, NPROF_KEY_LAYER, &layer) || !stated (p, &e, NPROF_KEY_FRAMEWORK_OP, &path)) {
    sqlite3_result_error (out, p->query.error, -1);
    return;
  }
  g_autofree char *of_path
      = layer.text && *layer.text ? NULL : an_layer_of_path (path.text ? path.text : "");
  const char *text = of_path ? of_path : layer.text;
  if (text && *text)
    sqlite3_result_text (out, text, -1, SQLITE_TRANSIENT);
}

int
np_sql_around (sqlite3 *db, NpSqlProfile *p)
{
  static const NpSqlFunction functions[] = {
    { "row_inside", 3, row_inside }, { "row_self", 3, row_self },   { "row_stack", 1, row_stack },
    { "row_around", 2, row_around }, { "row_layer", 1, row_layer },
  };
  return np_sql_make_functions (db, p, functions, G_N_ELEMENTS (functions));
}
