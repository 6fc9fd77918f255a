/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - decides which table of rocprofv3 it is, by the names in its header. */
#include "rc.h"

#include <string.h>

static const char *const names[RC_COLUMNS] = {
  [RC_GUID] = "Guid",
  [RC_DOMAIN] = "Domain",
  [RC_FUNCTION] = "Function",
  [RC_PROCESS] = "Process_Id",
  [RC_THREAD] = "Thread_Id",
  [RC_CORRELATION] = "Correlation_Id",
  [RC_START] = "Start_Timestamp",
  [RC_END] = "End_Timestamp",
  [RC_AGENT] = "Agent_Id",
  [RC_QUEUE] = "Queue_Id",
  [RC_STREAM] = "Stream_Id",
  [RC_DISPATCH] = "Dispatch_Id",
  [RC_KERNEL] = "Kernel_Name",
  [RC_SHARED] = "LDS_Block_Size",
  [RC_SCRATCH] = "Scratch_Size",
  [RC_REGISTERS] = "VGPR_Count",
  [RC_BLOCK] = "Workgroup_Size_X",
  [RC_BLOCK_Y] = "Workgroup_Size_Y",
  [RC_BLOCK_Z] = "Workgroup_Size_Z",
  [RC_GRID] = "Grid_Size_X",
  [RC_GRID_Y] = "Grid_Size_Y",
  [RC_GRID_Z] = "Grid_Size_Z",
  [RC_DIRECTION] = "Direction",
  [RC_FROM] = "Source_Agent_Id",
  [RC_TO] = "Destination_Agent_Id",
  [RC_OPERATION] = "Operation",
  [RC_SIZE] = "Allocation_Size",
  [RC_ADDRESS] = "Address",
  [RC_COUNTER] = "Counter_Name",
  [RC_VALUE] = "Counter_Value",
  [RC_NODE] = "Node_Id",
  [RC_TYPE] = "Agent_Type",
  [RC_INDEX] = "Logical_Node_Type_Id",
  [RC_CORES] = "Cu_Count",
  [RC_CLOCK] = "Max_Engine_Clk_Fcompute",
  [RC_PRODUCT] = "Product_Name",
  [RC_NAME] = "Name",
};

enum { MOST_NEEDED = 5 };

/* A table of a kind has all of these; the first that fits counts. */
static const struct {
  RcKind kind;
  gint8 needed[MOST_NEEDED]; /* ends in -1 where it is shorter */
} kinds[] = {
  { RC_AGENTS, { RC_NODE, RC_TYPE, -1 } },
  { RC_COUNTERS, { RC_COUNTER, RC_VALUE, RC_DISPATCH, -1 } },
  { RC_KERNELS, { RC_KERNEL, RC_AGENT, RC_START, RC_END, -1 } },
  { RC_CALLS, { RC_DOMAIN, RC_FUNCTION, RC_START, RC_END, -1 } },
  { RC_COPIES, { RC_DIRECTION, RC_FROM, RC_TO, RC_START, RC_END } },
  { RC_USES, { RC_OPERATION, RC_SIZE, RC_ADDRESS, RC_START, RC_END } },
  { RC_OTHER, { RC_OPERATION, RC_AGENT, RC_START, RC_END, -1 } },
};

static bool
has_all (const RcTable *table, const gint8 *needed)
{
  for (guint i = 0; i < MOST_NEEDED && needed[i] >= 0; i++)
    if (table->column[needed[i]] < 0)
      return false;
  return true;
}

/* Tables of marks and of calls look alike; their first row tells. */
static bool
holds_marks (const RcTable *table)
{
  CsvRecord row;
  const guint at = (guint) table->column[RC_DOMAIN];
  return table->rows < table->end && csv_record (&row, table->rows, table->end) && !row.why
         && at < row.n && csv_starts (&row.field[at], "MARKER");
}

RcKind
rc_table_of (const char *data, const char *end, RcTable *table)
{
  CsvRecord header;
  *table = (RcTable){ .kind = RC_NONE, .data = data, .end = end };
  memset (table->column, -1, sizeof table->column);
  if (data >= end)
    return RC_NONE;
  table->rows = csv_record (&header, data, end);
  for (guint i = 0; !header.why && i < MIN (header.n, CSV_MOST_FIELDS); i++)
    for (guint k = 0; k < RC_COLUMNS; k++)
      if (csv_is (&header.field[i], names[k]))
        table->column[k] = (gint8) i;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (has_all (table, kinds[i].needed)) {
      table->kind = kinds[i].kind;
      break;
    }
  if (table->kind == RC_CALLS && holds_marks (table))
    table->kind = RC_MARKS;
  return table->kind;
}
