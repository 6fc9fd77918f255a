/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - one table as CSV: a header, lines, and after split_rows lines the next file. */
#pragma once

#include "cell.h"

#include <glib.h>
#include <nprof/sdk.h>

#define CSV_EXCEL_LINES 1048576 /* a sheet has no more */
#define CSV_SUFFIX ".csv"

struct csv_file {
  const struct nprof_host *host;
  char *stem;                 /* "events" of events.csv, events-2.csv                   */
  gboolean unnamed;           /* the first is the one file of the target: stdout, FILE   */
  guint64 split;              /* lines a file, the header included; 0: no limit         */
  gboolean excel;
  struct nprof_buf header;    /* with its line end                                      */
  struct nprof_buf buf;       /* lines that are not written yet                         */
  struct nprof_output *output;
  guint64 lines;              /* of the file that is open                               */
  guint part;
};

/* `stem` is copied; NULL: the one file of the target.  The caller then puts the header line and
 * calls csv_file_start. */
void csv_file_init (struct csv_file *file, const struct nprof_host *host, const char *stem,
                    guint64 split, gboolean excel);
void csv_file_clear (struct csv_file *file);
nprof_status csv_file_start (struct csv_file *file);
/* Comes before each line; buf takes it. */
nprof_status csv_file_line (struct csv_file *file);
/* Ends a line: Excel's readers want CRLF; all others take LF, and most tools of a terminal want
 * it. */
static inline void
csv_end_line (struct nprof_buf *buf, gboolean excel)
{
  nprof_put_text (buf, excel ? "\r\n" : "\n");
}
/* Writes the lines that are there, once they are worth a write. */
nprof_status csv_file_flush (struct csv_file *file, gboolean all);
nprof_status csv_file_finish (struct csv_file *file);
