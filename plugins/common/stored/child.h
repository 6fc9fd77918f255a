/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - runs another nprof and waits for its answer. Who calls it has a cause: files of others
 * and plugins that are not nprof's may crash, hang or take all memory (reading, its plan, exports,
 * analyses of third parties); a statement of SQL may take 512 MB; and a comparison holds the rows
 * of two files, which go with its process. All else calls functions of the rooms. */
#pragma once

#include <glib.h>

/* Runs words; input: NULL, or what it reads from its standard input; *out and *err get what it
 * writes (transfer full, ended by NUL). Returns its exit status, or 128 and the signal that ended
 * it, or NP_EXIT_ROOM where it could not be started. `stop` is NULL, or asked now and then; TRUE
 * ends the child, after two seconds more whatever it does. [any-thread] */
int np_child_run (char **words, const char *input, GString **out, char **err,
                  gboolean (*stop) (gpointer user), gpointer user);
/* Begins it; input: the file that is its standard input, or -1; its stderr can be read at *err;
 * NULL for `out` sends its stdout nowhere. 0 with an error. */
GPid np_child_begin (char **words, int input, int *out, int *err, GError **error);
/* Waits until it has ended, and frees it. */
int np_child_wait (GPid pid);
/* Returns the line of stderr that names the cause, without "nprof: error: "; transfer full. */
char *np_child_cause (const char *err, int status);
