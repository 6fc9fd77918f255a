/* SPDX-License-Identifier: Apache-2.0 */
/* expr.h - what `nprof gate` demands, from text to parts.  Whether it holds is gate-judge's.
 *
 *   VALUE OP NUMBER[UNIT]     p99('attention*', track='/device:*') <= 2ms
 *                             kernels.mean_ns[kernel ~ gemm and calls > 10] < 2ms
 *                             devices.busy_ns['device=*TPU:0'] > 10ms
 *                             mfu >= 40%
 *                             ops['aten::linear'].share < 30%
 *                             bound != input
 *                             step <= baseline + 5%
 */
#pragma once

#include <glib.h>

typedef enum { NP_GATE_LT, NP_GATE_LE, NP_GATE_GT, NP_GATE_GE, NP_GATE_EQ, NP_GATE_NE } NpGateOp;

typedef enum {
  NP_GATE_PLAIN, /* no unit                      */
  NP_GATE_TIME,  /* limit in ps                  */
  NP_GATE_BYTES, /* limit in bytes               */
  NP_GATE_RATIO  /* limit 0..1, from a percentage */
} NpGateUnit;

typedef struct {
  char *key; /* a column; "track": the column process or thread, whichever matches; NULL: what the
              * rows of a device are told apart by, as the operator */
  char *glob;
} NpGateMatch;

typedef struct {
  char *text; /* as the user wrote it                                           */
  char *table, *column;
  char *over;  /* the value is (column + sign * others) / (over + plus); or NULL */
  char *plus;  /* or NULL                                                        */
  char **others; /* or NULL: there are none                                      */
  char *doubt; /* a column that is a part of the value, or none of it; or NULL   */
  int sign;
  gboolean mean;       /* the value is the mean over a device's steps that are not cut   */
  gboolean or_span;    /* mean: without steps, of the device's whole span                */
  gboolean left;       /* mean: what a change would leave, unknown where that is nothing */
  gboolean between;    /* what windows of a device leave out, from the first to the last */
  gboolean of_periods; /* rows of verdicts: those of spans are of no step                */
  gboolean of_devices; /* rows of hosts do not count                                     */
  gboolean of_list;    /* `table` may be a short name, as ops; rows of the level that tells
                        * most alone                                                     */
  gboolean of_use;     /* of rates: the windows of steps, else the whole span             */
  gboolean of_words;   /* its limit is a word, as input                                  */
  char *word;          /* the limit where it is a word, "input"; or NULL                 */
  gboolean is_short;   /* the text names no column, so that nothing says a unit          */
  GPtrArray *matches;  /* of NpGateMatch: all must hold                                  */
  char *condition;     /* on rows, see table/condition.h; NULL: none                     */
  gboolean any;        /* one of the rows has to meet the limit; else all have to        */
  NpGateOp op;
  NpGateUnit unit;
  long double limit;
  long double of_base; /* the limit is the value of the baseline times this; 0: it is `limit` */
  char *limit_unit;    /* as written: "ms", "%", "" ...                                  */
} NpGateExpr;

/* Parses a demand, whose short names are those of values.h.  Code NP_EXIT_USAGE, with the place in
 * the text and what was expected there. */
NpGateExpr *np_gate_parse (const char *text, const GPtrArray *values, GError **error);
/* Returns the name before the comparison where no dot, bracket or list of ours says what it is: it
 * may be that of a table. NULL: there is none. Transfer full. */
char *np_gate_bare_name (const char *text, const GPtrArray *values);
void np_gate_expr_free (NpGateExpr *expr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpGateExpr, np_gate_expr_free)

/* Returns how many of the base unit (ps, byte, 1) one of this unit is; 0: there is no such unit. */
long double np_gate_unit_size (const char *unit);
