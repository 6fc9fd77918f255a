/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - what the parts of table events share: its columns, its cursor, and what a plan
 * says. */
#pragma once

#include "sql/profile.h"

/* Columns, as the parts call them; ATTRIBUTE stands for all of them. */
enum {
  INPUT,
  START,
  DURATION,
  TIME,
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
  ATTRIBUTE,
  REST,
  DEPTH,
  ROW_PARENT,
  SELF,
  LANE,
  ROW_NAME,
  SLICE,
  IS_SLICE,
  PLACE,
  ROWID = -1
};

typedef struct {
  gint16 code;    /* of the enumeration */
  guint16 column; /* ATTRIBUTE: which   */
} Column;

typedef struct {
  sqlite3_vtab base;
  NpSqlProfile *p;
  GArray *columns; /* of Column */
} Events;

/* These are rows from..to - 1 of a lane. */
typedef struct {
  guint32 lane, from, to;
} Range;

/* These are the rows of a label among those in the order of labels, up to `end` - 1. */
typedef struct {
  guint32 label;
  gsize end;
} Group;

/* Columns of the store, START and DURATION, whose values may be put in the order of the rows. */
#define NP_EVENTS_GATHERED 2

typedef struct {
  sqlite3_vtab_cursor base;
  NpSqlProfile *p;
  Range *ranges;
  guint n_ranges, at_range;
  guint8 *labels; /* by label: 1 fits; NULL: all do          */
  guint32 *order; /* rowids, grouped by label; NULL: ranges  */
  gsize n_order, at_order;
  Group *groups; /* of the order */
  guint at_group;
  gint64 *gathered[NP_EVENTS_GATHERED]; /* in the order; NULL: they are looked up */
  NpSqlRow row;
  guint32 last; /* in the block, behind the last of the range */
  bool end;
} Cursor;

/* idxNum holds one of these, above 8 bits the column, and above 16 bits which columns of the store
 * are to be gathered. */
enum { BY_NOTHING, BY_LANE, BY_NAME, BY_CATEGORY };

static inline int
code_of (const Events *e, int column)
{
  return column < 0 ? ROWID : g_array_index (e->columns, Column, column).code;
}

static inline bool
is_lane_text (int code)
{
  return code == INPUT || code == PROCESS || code == THREAD || code == KIND;
}

static inline bool
is_label_text (int code)
{
  return code == NAME || code == CATEGORY;
}

static inline const NpSqlText *
lane_text (const NpSqlLane *lane, int code)
{
  return code == INPUT     ? &lane->input
         : code == PROCESS ? &lane->process
         : code == THREAD  ? &lane->thread
                           : &lane->kind;
}

static inline bool
is_slice (const NpSqlLane *lane)
{
  return lane->type == NPROF_STORE_LANE_SPAN || lane->type == NPROF_STORE_LANE_UNCLOSED
         || lane->type == NPROF_STORE_LANE_INSTANT;
}

static inline guint32
label_at (const NpSqlRow *row)
{
  return (guint32) nprof_store_get (row->block,
                                    nprof_store_column (row->block, NPROF_STORE_C_LABEL), row->i);
}

/* events-plan.c: decides which constraints a cursor is given, and what it keeps of an order. */
int np_events_best (sqlite3_vtab *vtab, sqlite3_index_info *info);

/* events-groups.c: orders the ranges by what their lanes have in a column. */
void np_events_group_lanes (Cursor *c, int code);
/* Puts the rows of each label side by side, labels of one text as well.  gather: bits of columns of
 * the store whose values are wanted.  false: no memory, or damaged. */
bool np_events_group_labels (Cursor *c, bool by_name, guint gather);

/* events-rows.c: the cursor. */
int np_events_open (sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor);
int np_events_close (sqlite3_vtab_cursor *cursor);
int np_events_filter (sqlite3_vtab_cursor *cursor, int num, const char *plan, int n,
                      sqlite3_value **values);
int np_events_next (sqlite3_vtab_cursor *cursor);
int np_events_eof (sqlite3_vtab_cursor *cursor);
int np_events_rowid (sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid);
