/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - the summaries of neuron-profile: their lines, and how they are printed. */
#pragma once

#include <glib.h>
#include <nprof/format.h>
#include <nprof/sdk.h>

typedef struct {
  char *name, *text; /* text: NULL, a number that was computed */
  double number;
  gboolean is_number;
} Line;

typedef struct {
  nprof_str input, device; /* 0: none */
  gboolean stated;         /* by the file, not computed */
  guint unknown;           /* metrics that are left out */
  char *bucket;            /* NULL until summaries_end */
  GArray *lines;           /* of Line */
} Summary;

/* Of Summary, in the order of their first rows. Transfer full. */
GPtrArray *summaries_new (void);

/* Takes the rows of the two tables that state a summary, and none of others. */
void summaries_table (GPtrArray *summaries, const struct nprof_host *host,
                      const struct nprof_table *table, const struct nprof_cell *cells,
                      uint32_t n_rows);

/* All rows were there: drops what is there twice, names the buckets, and warns of what is
 * unknown. */
void summaries_end (GPtrArray *summaries, const struct nprof_host *host);

void print_text (struct nprof_buf *to, const Summary *summary);
void print_json (struct nprof_buf *to, const GPtrArray *summaries);

/* Puts {"METRIC": VALUE, ... without the brace that ends it, `indent` before each member. */
void print_json_lines (struct nprof_buf *to, const Summary *summary, const char *indent);
