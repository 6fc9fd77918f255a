/* SPDX-License-Identifier: Apache-2.0 */
/* report-tables.h - chooses the tables of a report, by default and by --only; report.c adds the
 * analyzers that make them. */
#pragma once

#include "cli/cli.h"

/* Returns a value of option `tables` of sink text, transfer full.  Tables of decoders are named
 * below the page, not printed, unless `full`; passed_over adds what the decoders skipped. */
char *np_report_tables (const NpConfig *config, NpRegistry *registry, gboolean full,
                        gboolean passed_over);

/* Returns the tables that the user names, "a,b" with their short names resolved, in that order and
 * each once; ends in NULL.  Those of a short name that need not be there end in "?".  NULL with an
 * error that names what is near: no plugin makes such a table. by_shape: of the operators, each
 * with the shapes that it works on. "a where CONDITION" is of table a, or of the first one of short
 * name a, alone, and puts its condition into `where` (char * by char *). */
GStrv np_report_only (NpRegistry *registry, const char *names, gboolean by_shape, GHashTable *where,
                      GError **error);

/* Returns the analyzers that say what they call tables and values and in which widgets they show
 * them, of NpRegistryEntry with a `report`; transfer container. nprof's own come first, hidden ones
 * too: no other plugin changes what a name of theirs means. */
GPtrArray *np_report_naming (NpRegistry *registry);

/* Returns the table of some component whose name is near to a word, or what it is called here, as
 * long as the registry lives; NULL: none is. */
const char *np_report_near_table (NpRegistry *registry, const char *word);

/* Fails where a table stands among the inputs, as in "report FILE ops": no file is called so. A
 * single input must be its very name. */
gboolean np_report_check_inputs (NpRegistry *registry, const GPtrArray *inputs, GError **error);

/* Returns the first table of a short name, else the name itself; transfer full. */
char *np_report_first_table (NpRegistry *registry, const char *name);

/* Returns what declares a table, as long as the registry lives; NULL: no component makes it. */
const struct nprof_table *np_report_table (NpRegistry *registry, const char *table);

/* Fails for a table that no component makes, with an error that names what is near. */
gboolean np_report_check_table (NpRegistry *registry, const char *table, GError **error);

/* Returns the analyzer, else the decoder, that makes the table; NULL: neither does. */
const NpRegistryEntry *np_report_maker (NpRegistry *registry, const char *table);

/* Prints a line for each table that any component makes: its name, its maker, its title. */
void np_report_list (NpRegistry *registry);
