/* SPDX-License-Identifier: Apache-2.0 */
/* cause.h - why a process of nprof failed, in words of ours alone. */
#pragma once

#include <glib.h>

/* Returns why, by what it wrote to stderr, as "the file is empty", or by its status as np_child_run
 * gives it; names of the profile and of its files, which stand there as well, do not.  Transfer
 * full; NULL: it is none of what is known. */
char *np_cause (const char *said, int status);
