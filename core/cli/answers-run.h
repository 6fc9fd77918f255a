/* SPDX-License-Identifier: Apache-2.0 */
/* answers-run.h - a run for the sake of some tables, and the text that a command makes of them. */
#pragma once

#include "answers.h"
#include "cli.h"

/* Adds the analyzer that makes the table, unless one is asked for already or none makes it: it
 * may be a table of the core or of a decoder. */
void np_cli_want_table (NpCliOptions *options, const char *table);

/* To stdout, or to a file that appears whole or not at all.  Returns an NpExit; what failed has
 * been printed. */
int np_cli_write (const char *path, const GString *text);
