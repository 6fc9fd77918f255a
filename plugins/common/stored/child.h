/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - the one way by which nprof starts itself beside a server, for what must be fenced or
 * may be ended (docs/architecture.md says who and why). All else calls functions of the rooms. */
#pragma once

#include <glib.h>

/* Runs a command of nprof: `words` are its name and what follows, ended by NULL; input: NULL, or
 * what it reads from its standard input; *out gets what it writes (transfer full), which nobody has
 * where `out` is NULL, and *err the end of what it says on stderr (transfer full). Returns its exit
 * status, or 128 and the signal that ended it, or NP_EXIT_ROOM where it could not be started.
 * `stop` is NULL, or asked now and then; TRUE ends the child, after two seconds more whatever it
 * does; it ends with the thread as well. [any-thread] */
int np_child_run (const char *const *words, const char *input, GString **out, char **err,
                  gboolean (*stop) (gpointer user), gpointer user);
/* Returns the line of stderr that names the cause, without "nprof: error: "; transfer full. */
char *np_child_cause (const char *err, int status);
