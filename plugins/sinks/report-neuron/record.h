/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - the records of neuron-profile's JSON that rows become. */
#pragma once

#include <glib.h>
#include <nprof/json.h>
#include <nprof/row.h>

typedef struct Member Member; /* what of a row stands under which name */

typedef struct {
  const struct nprof_row_columns *attributes; /* of the row */
  double clock;                               /* Hz, of the tensor engine; 0: not stated */
  const struct nprof_batch *b;
  guint i, subgraph;
  gint64 start, end; /* ps */
  const char *name, *engine, *track;
  gint64 dma_engine, dma_queue; /* -1: unknown */
} Row;

/* Returns the section of rows of a category, and its members; NULL: none takes them. */
const char *section_of (const char *category, const Member **members);

/* Puts a record, after those that `to` has, without the brace that ends it. */
void put_record (struct nprof_buf *to, const Row *row, const Member *members);

/* Puts "NAME": with what stands before it. */
void put_key (struct nprof_buf *to, const char *name, gboolean first);

/* Returns an attribute of the row that was spread last; NULL: it has none. */
const struct nprof_field *row_attribute (const struct nprof_row_columns *attributes,
                                         const char *key);
/* The same of one that is a string. */
const char *row_word (const struct nprof_row_columns *attributes, const char *key);
