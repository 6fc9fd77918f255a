/* SPDX-License-Identifier: Apache-2.0 */
/* nsys-report.h - reports of Nsight Systems (.nsys-rep), which nobody reads but Nsight: its own
 * nsys exports the database that nprof reads. */
#pragma once

#include "base/log.h"

#include <glib.h>
#include <stdatomic.h>

/* Returns whether a file begins as a report does. */
gboolean np_is_nsys_report (const char *path);
/* Returns the path of a database with all that is in a report: FILE.sqlite beside it, if that is
 * newer, else what nsys exports, which is kept in $XDG_CACHE_HOME/nprof/nsys; transfer full. nsys
 * is $NPROF_NSYS ("no": none), else that of the search path, else the newest in /opt/nvidia; it may
 * take $NPROF_NSYS_TIMEOUT seconds (600), and ends with `interrupt`, whose value is the error's
 * code then. NULL: NP_EXIT_INPUT. [any-thread] */
char *np_nsys_export (const char *path, NpLog *log, const atomic_int *interrupt, GError **error);
