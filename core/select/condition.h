/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h - what a --where asks of a row: "category=compute and duration>1ms or name~gemm", by
 * the grammar of store/filter.h. Here fields and values get their meaning; where.h has the rows. */
#pragma once

#include <glib.h>
#include <store/filter.h>

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

/* One value of a condition. */
typedef struct {
  const char *text;   /* as written                                                    */
  gboolean is_number; /* `number` counts: of times, for sizes, or by a unit after = != */
  long double number; /* in the unit of what it is compared with; ps for times         */
  gboolean is_bare;   /* it is `decimal`, without a unit: compared exactly             */
  struct np_decimal decimal;
} NpConditionValue;

/* One condition: the field is any of the values; of < <= > >= there is one. */
typedef struct {
  const char *key;
  NpField field;
  struct np_want want; /* the operator, whether it is denied, and the text of ~ */
  NpConditionValue *values;
  guint n;
} NpCondition;

/* A whole text. Condition i is that of part i of the filter, which says the alternatives. */
typedef struct {
  struct np_filter filter;
  NpCondition *conditions;
} NpConditions;

/* Parses a text.  Times need a unit, as in np_parse_time; numbers of bytes may have one (B, kB, MB,
 * GB, TB, KiB, MiB, GiB, TiB).  NP_EXIT_USAGE, with the character of the text. */
gboolean np_conditions_parse (NpConditions *conditions, const char *text, GError **error);
void np_conditions_clear (NpConditions *conditions);
/* Returns "KEY: did you mean FIELD?" for the first key of the text that is nearly a field, and not
 * one; NULL: there is none. Transfer full. */
char *np_conditions_meant (const char *text);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpConditions, np_conditions_clear)

/* Parses text that is a decimal number as a whole; whole numbers are exact up to 64 bits. */
gboolean np_decimal (const char *text, gsize len, long double *number);
/* Evaluates `a OP b` of sizes, OP one of < <= > >=; FALSE where one of them is no number. */
gboolean np_size_holds (enum np_op op, long double a, long double b);
