/* SPDX-License-Identifier: Apache-2.0 */
/* neuron.h - the flows of a folder of Neuron Explorer. */
#pragma once

#include "rows.h"

/* Returns the number of the table of that name, which makes ids of its rows differ from others'. */
guint32 neuron_id_of_table (const char *name, gsize len);
guint32 neuron_id_of_flows (void); /* the same of flows themselves */

/* Reads a file of table Flow; *n counts the flows of all files. */
nprof_status neuron_read_flows (Parquet *p, Source *s, guint64 *n);
/* Ends the reading: sorts by the rows that flows are bound to. */
void neuron_sort_flows (Parquet *p);
/* Notes which rows of the slice flows are bound to, and puts the ends of those flows. */
nprof_status neuron_flows (Rows *r);
nprof_status neuron_put_ends (Rows *r);
