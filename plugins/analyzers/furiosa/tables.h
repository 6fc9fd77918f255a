/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - what the files of the analyzer furiosa share: the rows of an input that its five
 * tables are made of. */
#pragma once

#include "columns.h"
#include "join.h"

#include <nprof/reader.h>

/* These attributes are read. */
enum { AT_ROW, AT_TRACE, AT_THREAD, AT_PE, AT_EXECUTION, AT_INSTRUCTION, AT_OPERATOR };

typedef struct {
  gboolean known;
  gint64 value;
} FuInt;

/* This is an inference, an operator of the host, or an execution of an NPU. */
typedef struct {
  FuInt row, thread, pe, execution, operator_;
  gboolean has_trace;
  guint8 trace[16];
  guint64 id; /* 0: none */
  nprof_str name;
  gint64 ns;
  bool shown; /* by the selection */
} FuSpan;

typedef struct {
  nprof_str name;
  guint64 n;
  FuWide ns;
} FuOperator;

typedef struct {
  uint32_t number;
  GArray *inferences, *externals, *executions; /* of FuSpan      */
  GHashTable *operators;                       /* of FuOperator  */
  FuJoin *join;
  guint64 unplaced; /* operators without pe_index or execution_index */
  guint64 rounded;  /* durations that are no whole nanoseconds       */
  guint64 unclosed; /* spans without an end                          */
} FuInput;

typedef struct {
  const struct nprof_host *host;
  struct nprof_reader pick;
  nprof_str nux, runtime, npu;                       /* categories                  */
  nprof_str inference, execution, task, load, store; /* names                       */
  GPtrArray *inputs;                                 /* of FuInput or NULL          */
} FuTables;


/* gather.c */
extern const char *const fu_wants[];
void fu_gather_open (FuTables *f);
void fu_gather (FuTables *f, const struct nprof_batch *batch);
FuInput *fu_input_of (FuTables *f, uint32_t number); /* made if it is new */
void fu_input_free (gpointer input);

/* tables.c */
nprof_status fu_write (FuTables *f, FuInput *input);
