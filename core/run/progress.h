/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - bytes, events, rate and time left, on stderr when it is a terminal. */
#pragma once

#include "base/log.h"

typedef struct NpProgress NpProgress;

/* FALSE for `shown` makes every call do nothing. */
NpProgress *np_progress_new (NpLog *log, gboolean shown);
void np_progress_free (NpProgress *progress);
void np_progress_total (NpProgress *progress, const char *what, guint64 bytes); /* of this input */
void np_progress_add (NpProgress *progress, guint64 bytes, guint64 rows);       /* [any-thread] */
void np_progress_end (NpProgress *progress);

/* Returns the line that is shown; total 0: unknown.  Transfer full. */
char *np_progress_text (const char *what, guint64 total, guint64 bytes, guint64 rows,
                        double seconds);
