/* SPDX-License-Identifier: Apache-2.0 */
/* markdown.h - text of profiles within a table of Markdown. */
#pragma once

#include <glib.h>

/* Returns the text as one cell of one line: nothing of it is markup, and control characters are
 * printable.  Transfer full. */
char *np_markdown_cell (const char *text);
