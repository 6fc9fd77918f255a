/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - a page to print, and the ways to print it. */
#pragma once

#include "paper.h"
#include "pictures.h"
#include "reasons.h"
#include "wanted-tables.h"

typedef struct {
  const GPtrArray *tables;  /* of Table, finished                            */
  char *input;              /* safe label of the only input; NULL: several   */
  char *inputs;             /* safe labels of all, of many the first ones    */
  char *date;               /* of the recording; NULL: unknown               */
  const char *command;      /* that printed it; or ""                        */
  char *missing;            /* names that were asked for and are not there   */
  const GPtrArray *rest;    /* of Table: not printed, but named; or NULL     */
  const Reasons *reasons;   /* of a brief page; else NULL                    */
  const Pictures *pictures; /* of a brief page for a browser; else NULL     */
  gboolean brief;           /* there are more rows and columns               */
  gboolean no_profile;      /* others say what the input is                 */
  gboolean bare;            /* nothing beside what was asked for             */
} Page;

/* Returns what the write of the output returned. */
nprof_status page_plain (Paper *paper, const Page *page);
nprof_status page_markdown (Paper *paper, const Page *page);
nprof_status page_html (Paper *paper, const Page *page);
nprof_status page_json (Paper *paper, const Page *page);

/* Prints the names of tables, of Table, how many rows each has, and what it is. */
nprof_status page_list (Paper *paper, const GPtrArray *tables);

/* Returns the only input of the run, when all rows that are printed name it: its safe label, which
 * people need not read in each row; NULL otherwise.  Transfer full. */
char *page_find_input (const struct nprof_host *host, const GPtrArray *tables);
/* Returns the safe labels of the first inputs, and how many more there are, behind how many ranks
 * the job has; transfer full. */
char *page_name_inputs (const struct nprof_host *host, guint64 ranks);
/* Returns "2021-06-08 08:57 UTC", when the recording began; NULL: unknown.  Transfer full. */
char *page_date (const struct nprof_host *host);
/* Returns what to say below the tables: which have no rows, are missing, or not printed, and
 * whether numbers lost digits.  Safe lines; transfer full. */
GStrv page_last_lines (const Paper *paper, const Page *page, guint width);
