/* SPDX-License-Identifier: Apache-2.0 */
/* secret.h - tokens and passwords: read from the environment or a file, never from the command
 * line, wiped when they are not needed any more, and crossed out of all texts of a server. */
#pragma once

#include <glib.h>

/* Reads a secret.  `file` is a path, or NULL and "": the environment variable `variable`, which may
 * be absent: *secret is NULL then.  FALSE: *why says what is wrong, naming the file or the
 * variable, not the content. */
gboolean secret_read (const char *file, const char *variable, char **secret, char **why);
void secret_free (char *secret);
/* Overwrites each occurrence in text. */
void secret_cross_out (const char *secret, char *text);
