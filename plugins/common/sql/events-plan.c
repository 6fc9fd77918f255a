/* SPDX-License-Identifier: Apache-2.0 */
/* events-plan.c - tells which constraints of SQLite table events can answer better than row by row.
 * idxStr holds a column and an operator for each argument; idxNum how rows are grouped and what
 * is gathered. */
#include "sql/events.h"

static bool
is_text_test (int op)
{
  return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_GLOB
         || op == SQLITE_INDEX_CONSTRAINT_LIKE;
}

static bool
is_bound (int op)
{
  return op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_GT
         || op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_LT
         || op == SQLITE_INDEX_CONSTRAINT_EQ;
}

/* Returns whether the constraint can be used, by how much it shrinks the rows, and whether SQLite
 * must try it again. */
static double
use_of (sqlite3_index_info *info, int i, int code, bool *omit)
{
  int op = info->aConstraint[i].op;
  *omit = false;
  if (code == ROWID && op == SQLITE_INDEX_CONSTRAINT_EQ)
    return 1e-9;
  if (code == TRACK && op == SQLITE_INDEX_CONSTRAINT_EQ)
    return 0.05;
  if (code == IS_SLICE && op == SQLITE_INDEX_CONSTRAINT_EQ)
    return 0.9;
  if (code == START && is_bound (op))
    return 0.25;
  if (!is_text_test (op) || (!is_lane_text (code) && !is_label_text (code)))
    return 0;
  if (op == SQLITE_INDEX_CONSTRAINT_EQ
      && sqlite3_stricmp (sqlite3_vtab_collation (info, i), "BINARY") != 0)
    return 0;
  *omit = true;
  return op == SQLITE_INDEX_CONSTRAINT_EQ ? 0.1 : 0.2;
}

/* Returns as bits which columns of the store the statement reads in every row. */
static int
gathered_columns (const Events *e, const sqlite3_index_info *info)
{
  int gather = 0;
  for (guint k = 0; k < e->columns->len; k++) {
    int code = code_of (e, (int) k);
    if (!(info->colUsed >> MIN (k, 63) & 1)) /* the last bit is of all that follow */
      continue;
    if (code == START || code == TIME)
      gather |= 1 << NPROF_STORE_C_START;
    if (code == DURATION)
      gather |= 1 << NPROF_STORE_C_DURATION;
  }
  return gather;
}

static void
plan_order (const Events *e, sqlite3_index_info *info)
{
#if SQLITE_VERSION_NUMBER >= 3038000
  if (info->nOrderBy != 1 || sqlite3_libversion_number () < 3038000)
    return;
  int distinct = sqlite3_vtab_distinct (info), code = code_of (e, info->aOrderBy[0].iColumn);
  bool lane = is_lane_text (code) || code == TRACK;
  bool label = is_label_text (code) && (guint64) e->p->n_blocks * NP_SQL_ROWS < G_MAXUINT32;
  if ((distinct != 1 && distinct != 2) || (!lane && !label))
    return;
  info->orderByConsumed = 1;
  info->idxNum = lane ? BY_LANE | code << 8
                      : (code == NAME ? BY_NAME : BY_CATEGORY) | gathered_columns (e, info) << 16;
#else
  (void) e, (void) info;
#endif
}

/* Returns the constraint that names one row, which is then the only one that the cursor is given:
 * SQLite tries the others on that row. -1: there is none. */
static int
find_one_row (const Events *e, const sqlite3_index_info *info)
{
  for (int i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].usable && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ
        && code_of (e, info->aConstraint[i].iColumn) == ROWID)
      return i;
  return -1;
}

int
np_events_best (sqlite3_vtab *vtab, sqlite3_index_info *info)
{
  Events *e = (Events *) vtab;
  double rows = MAX (1, (double) nprof_store_meta (e->p->store)->rows);
  GString *plan = g_string_new (NULL);
  int one = find_one_row (e, info);
  bool omit;
  for (int i = 0; i < info->nConstraint; i++) {
    int code = code_of (e, info->aConstraint[i].iColumn);
    double use = info->aConstraint[i].usable ? use_of (info, i, code, &omit) : 0;
    if (use == 0 || (one >= 0 && i != one))
      continue;
    g_string_append_c (plan, (char) ('A' + code - ROWID));
    g_string_append_c (plan, (char) info->aConstraint[i].op);
    info->aConstraintUsage[i].argvIndex = (int) plan->len / 2;
    info->aConstraintUsage[i].omit = omit;
    rows *= use;
    if (code == ROWID)
      info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  }
  plan_order (e, info);
  info->idxStr = sqlite3_mprintf ("%s", plan->str);
  info->needToFreeIdxStr = 1;
  info->estimatedCost = info->estimatedRows = (sqlite3_int64) MAX (1, rows);
  g_string_free (plan, TRUE);
  return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}
