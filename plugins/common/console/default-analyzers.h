/* SPDX-License-Identifier: Apache-2.0 */
/* default-analyzers.h - the analyzers that a report and a stored profile have without being
 * asked. */
#pragma once

#include "plugin/registry.h"
#include "run/config.h"
#include "table/table-store.h"

/* Adds the analyzers that take part unasked (NpReportPart).  Those that were asked for keep their
 * options and take their places among them, others come at the end.  `but` names the tables, as
 * critical_path, that are made although they can be turned off; NULL: all. */
void np_add_default_analyzers (NpConfig *config, NpRegistry *registry, const char *const *but);
/* Puts the analyzers that were asked for where np_add_default_analyzers would: each behind those
 * whose tables it reads. */
void np_order_analyzers (NpConfig *config, NpRegistry *registry);
/* Adds the names of the analyzers that make the table, each once; none where it is a table of the
 * core or of a decoder. */
void np_add_makers (GPtrArray *names, NpRegistry *registry, const char *table);
/* Adds the analyzers that make the table.  One that was there takes part for any input then. */
void np_want_table (NpConfig *config, NpRegistry *registry, const char *table);
/* Returns the names of the tables of a run, then of those that other analyzers make; ends in NULL.
 * They live as long as both. */
GPtrArray *np_table_names (NpRegistry *registry, const NpTableStore *tables);
gboolean np_has_analyzer (NpRegistry *registry, const char *name);
