/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what a module of plugins/commands is: it exports one np_command.  The modules are of
 * the very version of the program, whose np_* they take. */
#pragma once

#include <glib.h>

#define NP_COMMAND "np_command"

typedef struct {
  const char *version; /* NPROF_VERSION of the module */
  int (*run) (int argc, char **argv); /* argv with its own name first; returns the exit status */
} NpCommand;

/* Says which function a module runs. */
#define NP_COMMAND_RUNS(function)                                                                  \
  __attribute__ ((visibility ("default"))) const NpCommand np_command                             \
      = { NPROF_VERSION, function };

/* Returns whether the command is installed. */
gboolean np_command_is_here (const char *name);
/* Opens the module of a command and runs it.  Where it is not installed, or is of another nprof,
 * that is printed, with the package that has it; then the status is NP_EXIT_USAGE. */
int np_command_run (const char *name, const char *package, int argc, char **argv);
