/* SPDX-License-Identifier: Apache-2.0 */
/* markdown.h - text of profiles within a table of Markdown. */
#pragma once

#include <glib.h>

/* The text as it is, whatever it holds: one cell of one line, nothing of it markup, control
 * characters printable.  Transfer full. */
char *np_markdown_cell (const char *text);
