/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h - one condition of --where, from text to parts: "category=compute", "duration>1ms",
 * "bytes >= 1MB". where.h tells whether a row meets it. */
#pragma once

#include <glib.h>
#include <store/decimal.h>

typedef enum { NP_EQ, NP_NE, NP_LT, NP_LE, NP_GT, NP_GE } NpOp;

typedef enum { /* what KEY names; an attribute when it is none of the others */
               NP_BY_ATTRIBUTE,
               NP_BY_NAME,
               NP_BY_CATEGORY,
               NP_BY_KIND,
               NP_BY_PROCESS,
               NP_BY_THREAD,
               NP_BY_VALUE,
               NP_BY_START, /* ps from the origin                          */
               NP_BY_END,   /* ps; of what is no span: its start           */
               NP_BY_DURATION
} NpField;

typedef struct {
  char *key, *value; /* as written, without blanks at their ends                             */
  NpField field;
  NpOp op;
  gboolean is_number; /* `number` counts: of times, for < <= > >=, or by a unit behind = and != */
  long double number; /* in the unit of what it is compared with; ps for times                */
  gboolean
      is_bare; /* it is `decimal`, without a unit: whole numbers are compared with that exactly */
  struct np_decimal decimal;
} NpCondition;

/* Parses KEY OP VALUE, OP one of = == != < <= > >=.  Times need a unit, as in np_parse_time;
 * numbers of bytes may have one (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB).  NP_EXIT_USAGE. */
gboolean np_condition_parse (NpCondition *condition, const char *text, GError **error);
void np_condition_clear (NpCondition *condition);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCondition, np_condition_clear)

/* Parses text that is a decimal number as a whole; whole numbers are exact up to 64 bits. */
gboolean np_decimal (const char *text, gsize len, long double *number);
/* Evaluates `a OP b` of two numbers of which a is below, at or above b as order is below, at or
 * above 0. */
gboolean np_order_holds (NpOp op, int order);
/* Evaluates `a OP b`; FALSE where one of them is no number. */
gboolean np_op_holds (NpOp op, long double a, long double b);
