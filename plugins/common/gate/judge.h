/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - decides whether the demands of a gate hold for the tables of a run: every row that
 * an expression names must meet it; what cannot be known is undecided, never met. */
#pragma once

#include "gate/expr.h"
#include "table/table-store.h"

typedef enum { NP_GATE_MET, NP_GATE_NOT_MET, NP_GATE_UNDECIDED } NpGateState;

typedef struct {
  const NpGateExpr *expr;
  NpGateState state;
  const NpTable *stored; /* the table of the row; NULL: there is none                          */
  guint row;
  gboolean of_device; /* the value is of all rows of its device, `row` is the first            */
  char *what;  /* the row: its key columns, "matmul, /device:TPU:0"; "" when there is none     */
  char *value; /* in the unit of the limit: "1.25ms"; NULL: unknown                            */
  char *base;  /* what it is of the baseline; NULL: it is held against none, or unknown there  */
  char *why;   /* of an undecided one; or NULL                                                 */
  char *place; /* of one with a baseline: by what the row is known in both; or NULL            */
  long double number, limit; /* value and limit as they are compared, where the value is known */
  long double base_number;   /* the value of the baseline, where `base` is known               */
  const char *unit;          /* of value and base as they are shown: "ms"                      */
  long double unit_size;     /* what of `number` is one of that unit                           */
  long double doubt;         /* of one of the baseline: its value may be as much more */
} NpGateVerdict;

/* What is judged. */
typedef struct {
  const NpTableStore *tables;
  /* Of the tables that there are, for who asks for another; ends in NULL. */
  const char *const *names;
  guint64 gaps; /* rows that say that events are missing: for tables without gaps of their own */
  gboolean losses; /* some records could not be read, so nothing is decided */
} NpGateRun;

/* Returns one NpGateVerdict for each row that matches, at least one an expression.  `base`: what
 * this returned of the baseline; NULL: this is the baseline, or there is none.  Code NP_EXIT_USAGE:
 * a column that the table does not have, a unit that it cannot have. */
GPtrArray *np_gate_judge (const GPtrArray *exprs, const NpGateRun *run, const GPtrArray *base,
                          GError **error);

/* Returns NP_EXIT_OK when all are met, or none is not met and undecided_ok; else NP_EXIT_GATE. */
int np_gate_status (GPtrArray *verdicts, gboolean undecided_ok);
