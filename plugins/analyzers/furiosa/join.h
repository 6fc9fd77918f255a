/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - finds which operators ran in which execution of an NPU: by the ids of the CSV, else by
 * time within the same PE and execution_index. format: furiosa.md 1.3 and 1.4 */
#pragma once

#include "arith.h"

/* Executions and operators are joined by these. */
typedef struct {
  guint64 id; /* of the execution, an operator's parent; 0: none */
  gint64 pe, execution;
  gint64 start, end; /* ps; used only where there is no id            */
} FuKey;

/* These are the operators of one execution on one PE. */
typedef struct {
  guint execution; /* its number, as fu_join_execution was called         */
  gint64 pe, index; /* of the operators                                    */
  FuWide run;       /* ns                                                  */
} FuRun;

typedef struct _FuJoin FuJoin;

FuJoin *fu_join_new (void);
void fu_join_free (FuJoin *join);

void fu_join_execution (FuJoin *join, const FuKey *key);
void fu_join_operator (FuJoin *join, const FuKey *key, gint64 ns);

/* Returns the runs by execution, pe, index, which are the join's, and how many operators are in
 * none. */
const GArray *fu_join_finish (FuJoin *join, guint64 *strays);
