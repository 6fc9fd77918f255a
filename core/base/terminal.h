/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h - text for a terminal: what would command it is shown instead. */
#pragma once

#include <glib.h>

/* A character whose last bytes have not come yet; {0} to begin with. */
typedef struct {
  char bytes[4];
  guint n;
} NpTerminalText;

/* Appends data as a terminal may get it: controls but newline and tab as their pictures (U+2400 and
 * on), further ones and characters that turn the direction of text as <U+202E>, bytes that are no
 * UTF-8 as <9B>.  `last`: nothing follows. */
void np_terminal_show (NpTerminalText *text, const char *data, gsize len, gboolean last,
                       GString *out);

/* Lets stdout and stderr show what is printed, where they are terminals.  Called once, before
 * anything is printed. */
void np_terminal_begin (void);
