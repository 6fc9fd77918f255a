/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - a server that lives as long as nprof check. */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* Starts a command of the shell, whose first line of output is the port; returns its process, or
 * 0 with the problem.  Both texts are transfer full. */
pid_t np_check_server_start (const char *command, double seconds, char **port, char **problem);
void np_check_server_end (pid_t pid);
