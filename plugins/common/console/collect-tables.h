/* SPDX-License-Identifier: Apache-2.0 */
/* collect-tables.h - a run for the sake of some tables, and the text that a command makes of
 * them. */
#pragma once

#include "cli/cli.h"
#include "console/collect.h"

/* Leaves the analyzers of -a alone in the configuration, without what a run before it added. */
void np_cli_take_analyzers (NpCliOptions *options);

/* As np_want_table. */
void np_cli_want_table (NpCliOptions *options, const char *table);

/* Makes the run that follows keep the tables of its analyzers and of the core; decoders' may be
 * large, as instructions of programs are. */
void np_cli_collect (NpCliOptions *options, NpCollected *collected);

/* Writes to config->output, as the output of any sink, but over nothing that was read: NULL and "-"
 * are stdout, a pipe or device is written in place, a file appears whole or not at all; in a folder
 * it is `name`. Returns an NpExit; a failure has been printed. */
int np_cli_write (const char *command, const NpConfig *config, const char *name,
                  const GString *text);
