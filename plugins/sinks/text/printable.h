/* SPDX-License-Identifier: Apache-2.0 */
/* printable.h - text for a terminal: one line, no control characters, known width; and sentences
 * broken into lines. Knows nothing of nprof. */
#pragma once

#include <glib.h>

/* Returns whether this character may not go to a terminal: controls, line ends, changes of
 * direction. */
gboolean printable_unsafe (gunichar c);
/* Returns the text with unsafe characters and broken UTF-8 as \xNN, byte by byte; transfer full. */
char *printable_new (const char *text, gsize len);
/* Returns the terminal columns of printable text: wide characters take 2, combining ones 0. */
guint printable_width (const char *text);
/* Returns at most width columns of it: the middle gives way to an ellipsis; transfer full. */
char *printable_cut (const char *text, guint width);
/* Returns any text as printable_new does, and at most width columns of that; transfer full. */
char *printable_short (const char *text, guint width);

/* Returns lines of at most width columns, broken at blanks, but not within "--only NAME", nor
 * between an amount and its unit; a longer word is a line.  Transfer full. */
GStrv wrap_new (const char *text, guint width);
