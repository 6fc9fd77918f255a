/* SPDX-License-Identifier: Apache-2.0 */
/* report-tables.h - which tables a report has, by default and by --only; the analyzers that make them
 * are report.c's. */
#pragma once

#include "cli/cli.h"

/* What decoders make is named below the page, not printed, unless all is wanted; passed_over: with what
 * the decoders passed over.  A value of option
 * `tables` of sink text; transfer full. */
char *np_report_tables (const NpConfig *config, NpRegistry *registry, gboolean full,
                        gboolean passed_over);

/* The tables that the user names, "a,b" with their short names resolved, in that order and each once;
 * ends in NULL.  Those of a short name that need not be there end in "?".  NULL with an error that
 * names what is near: no plugin makes such a table. */
GStrv np_report_only (NpRegistry *registry, const char *names, GError **error);

/* A line a table that any component makes: its name, who makes it, its title. */
void np_report_list (NpRegistry *registry);
