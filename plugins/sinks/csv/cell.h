/* SPDX-License-Identifier: Apache-2.0 */
/* cell.h - cells of a CSV line: what is quoted, and what a spreadsheet must not take for
 * a formula or round.  Knows no rows and no files. */
#pragma once

#include <nprof/format.h>

struct csv_dialect {
  char delimiter, point;
  bool excel;
  bool terminal; /* people read it there: control characters become pictures */
};

/* Puts text with all that it needs: quotes (RFC 4180), the apostrophe of excel=yes. */
void csv_put_text (struct nprof_buf *to, const struct csv_dialect *dialect, const char *text,
                   size_t len);
/* Puts JSON, in one line where its strings allow that; `scratch` is emptied and used. */
void csv_put_json (struct nprof_buf *to, const struct csv_dialect *dialect, const char *text,
                   size_t len, struct nprof_buf *scratch);
/* Puts the text, but nothing when it can stand as it is. */
void csv_put_if_changed (struct nprof_buf *to, const struct csv_dialect *dialect, const char *text,
                         size_t len);
/* Makes the number at `from` ..end of the buffer one that a spreadsheet neither rounds nor runs. */
void csv_guard_number (struct nprof_buf *to, size_t from);
/* Returns the character that delimiter= names ("tab", ";", "\t"); 0: it cannot be one. */
char csv_parse_delimiter (const char *text);
