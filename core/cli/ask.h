/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h - what nprof ask and nprof mcp share. */
#pragma once

#include "cli/cli.h"

/* Returns the path of the program itself, as it lies now; transfer full. */
char *np_cli_own_program (void);
/* Prints an answer for people: its sentence, its values, its lists as tables; of an error what was
 * `given` before it. */
void np_cli_ask_print (const char *json, const char *given);
