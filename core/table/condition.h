/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h - what is demanded of rows of a table: the grammar of store/filter.h, whose fields
 * are columns. */
#pragma once

#include "table/table.h"

#include <store/filter.h>

typedef struct {
  struct np_filter filter;
  guint *columns; /* of each term */
} NpTableCondition;

/* What a number without a unit means beside a time; 0 is always one. */
enum np_bare {
  NP_BARE_AS_HELD, /* ps, as the cells are */
  NP_BARE_NO_TIME, /* nothing: people forget units */
};

/* Parses a text; only the names, types and units of the columns are looked at; the unit at the
 * end of a time's name may be left out. FALSE: *why says
 * what was expected at byte *at, and nothing needs to be cleared. */
gboolean np_table_condition_parse (NpTableCondition *condition, const struct nprof_table *schema,
                                   enum np_bare bare, const char *text, char why[160],
                                   guint32 *at);
void np_table_condition_clear (NpTableCondition *condition);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpTableCondition, np_table_condition_clear)

/* Returns whether the row meets it; the table has the columns that it was parsed for. */
gboolean np_table_condition_fits (const NpTableCondition *condition, const NpTable *table,
                                  guint64 row);
/* Returns whether a cell is as wanted. What is unknown meets no condition, != neither, but that of
 * an empty value. */
gboolean np_cell_fits (const struct nprof_cell *cell, const struct np_want *want);
