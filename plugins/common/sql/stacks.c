/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.c - functions of stacks as text, frames joined by ';' outermost first, as row_stack and
 * table stacks have them: who called a frame, and what it called. Of a frame within itself the
 * outermost counts, as its time holds that of the others. */
#include "sql/profile.h"

#include <string.h>

static const char *
next_frame (const char *at)
{
  const char *end = strchr (at, ';');
  return end ? end + 1 : NULL;
}

/* Returns where the outermost frame of that name begins; NULL: the stack has none. */
static const char *
find_frame (const char *stack, const char *name)
{
  gsize len = strlen (name);
  for (const char *at = stack; at; at = next_frame (at))
    if (!strncmp (at, name, len) && (!at[len] || at[len] == ';'))
      return at;
  return NULL;
}

/* Reads stack and name; NULL: one of them is, or the stack does not have it. */
static const char *
frame_of (sqlite3_value **v, const char **stack)
{
  const char *name = (const char *) sqlite3_value_text (v[1]);
  *stack = (const char *) sqlite3_value_text (v[0]);
  return *stack && name ? find_frame (*stack, name) : NULL;
}

/* stack_callees (stack, name): the frame and those below it. */
static void
stack_callees (sqlite3_context *out, int n, sqlite3_value **v)
{
  const char *stack, *frame = frame_of (v, &stack);
  (void) n;
  if (frame)
    sqlite3_result_text (out, frame, -1, SQLITE_TRANSIENT);
}

/* stack_callers (stack, name): the frame and those above it, nearest first. */
static void
stack_callers (sqlite3_context *out, int n, sqlite3_value **v)
{
  const char *stack, *frame = frame_of (v, &stack);
  (void) n;
  if (!frame)
    return;
  g_autofree char *up_to = g_strndup (stack, (gsize) (frame - stack) + strcspn (frame, ";"));
  g_auto (GStrv) frames = g_strsplit (up_to, ";", -1);
  for (guint i = 0, k = g_strv_length (frames) - 1; i < k; i++, k--) {
    char *swapped = frames[i];
    frames[i] = frames[k];
    frames[k] = swapped;
  }
  g_autofree char *callers = g_strjoinv (";", frames);
  sqlite3_result_text (out, callers, -1, SQLITE_TRANSIENT);
}

int
np_sql_stacks (sqlite3 *db, NpSqlProfile *p)
{
  static const NpSqlFunction functions[]
      = { { "stack_callers", 2, stack_callers }, { "stack_callees", 2, stack_callees } };
  return np_sql_make_functions (db, p, functions, G_N_ELEMENTS (functions));
}
