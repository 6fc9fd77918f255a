/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - what nprof says on stderr: levels, and no control character of an input
 * ever raw on a terminal.  [any-thread] but for new and free. */
#pragma once

#include <glib.h>
#include <stdarg.h>

typedef struct NpLog NpLog;

/* `level` is NPROF_ERROR ...  NPROF_DEBUG; `fd` is the descriptor to write to, usually 2. */
NpLog *np_log_new (int level, int fd);
void np_log_free (NpLog *log);
int np_log_level (NpLog *log);
gboolean np_log_wants (NpLog *log, int level); /* would it be said? */

void np_log (NpLog *log, int level, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Says text that came from a plugin: it is printed as one line, control characters escaped. */
void np_log_text (NpLog *log, int level, const char *text);

/* Shows one line that the next one and log lines overwrite; on terminals only.  NULL clears it. */
void np_log_status (NpLog *log, const char *text);

/* Returns whether a character is neither a control of ASCII or Unicode (C1) nor a mark that turns
 * the direction of text. */
gboolean np_is_harmless (gunichar c);

/* Returns text with control characters and broken UTF-8 as \xNN escapes; transfer full. */
char *np_printable (const char *text, gssize len);
