/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h - a store being written. It knows nothing of plugins: rows come in with numbers of
 * strings, labels, shapes and sets that it gave out before. One thread.
 *
 * Everything that fails returns false, 0 or NULL and leaves its cause in `fault`; the first one
 * counts. */
#pragma once

#include "fault.h"

#include <nprof/store.h>

struct store_writer;
struct store_line; /* rows of one track and one origin */

struct store_row {
  int64_t start, duration; /* ps; -1: no end */
  uint32_t kind;           /* NPROF_SPAN ... NPROF_GAP */
  uint32_t label, set, shape;
  uint64_t ordinal, id, parent, flow;
  double value;
  bool has_value;
  const uint64_t *attrs;   /* one a key of the shape: int, bits, string or offset in `text` */
};

/* `root` is the folder of stores, made when missing (mode 0700), `id` is n_ and 40 hex digits.  A
 * .part of the same id whose writer has gone is removed; one whose writer works is a failure. */
struct store_writer *store_writer_new (const char *root, const char *id, struct store_fault *fault);
/* Frees the writer; removes the files, unless they were committed. */
void store_writer_free (struct store_writer *writer);

/* Equal texts must be given once: the caller interns.  0 is "". */
uint32_t store_writer_string (struct store_writer *writer, const char *text, size_t len);
/* Returns the number of the pair; the same each time. */
uint32_t store_writer_label (struct store_writer *writer, uint32_t name, uint32_t category);
/* Returns the number of the key, the same each time; UINT32_MAX: failed. */
uint32_t store_writer_key (struct store_writer *writer, uint32_t key, uint32_t type,
                           uint32_t repeat);
/* Returns the number of the list; the same each time; 0 is the empty one. */
uint32_t store_writer_shape (struct store_writer *writer, const uint16_t *keys, uint32_t n);
/* The caller gives each set once; 0 is the empty one. */
uint32_t store_writer_set (struct store_writer *writer, const struct nprof_store_value *values,
                           uint32_t n);
/* Returns where the text will lie in `text`. */
uint64_t store_writer_text (struct store_writer *writer, const void *bytes, uint32_t len);

/* `track` is its number; `nests`: rows hang below rows that contain them. */
struct store_line *store_writer_line (struct store_writer *writer, uint32_t track, uint32_t input,
                                      uint32_t origin, bool nests);
bool store_writer_row (struct store_writer *writer, struct store_line *line,
                       const struct store_row *row);

/* Adds a row to a table, as they come.  `table` is what its fields say; blocks and rows are the
 * writer's. */
bool store_writer_table (struct store_writer *writer, const struct nprof_store_table *table,
                         const struct nprof_store_table_column *columns, uint32_t *number);
bool store_writer_cells (struct store_writer *writer, uint32_t table,
                         const struct nprof_store_cell *cells, uint32_t n_rows);

/* Gives a section of the index that the writer does not make, once each, before the end. TRACKS are
 * by number and lack lane, n_lanes, rows, first, last. */
bool store_writer_section (struct store_writer *writer, uint32_t section, const void *data,
                           size_t n);
/* Writes a small file of its own, "inputs/0": not checked by sums. */
bool store_writer_file (struct store_writer *writer, const char *name, const void *data,
                        size_t len);

/* Replaces NAME.part/progress. */
bool store_writer_progress (struct store_writer *writer, const void *data, size_t len);

struct store_facts { /* of meta */
  uint32_t flags;
  uint64_t generation;
  int64_t origin_unix_ns, made_unix_ms;
};
/* Writes the rest of the index, the picture of the whole, meta; all is on the disk afterwards,
 * under NAME.part. */
bool store_writer_finish (struct store_writer *writer, const struct store_facts *facts);
/* Puts it in place of what was there. *path is its folder, freed by the caller. */
bool store_writer_commit (struct store_writer *writer, char **path);
uint64_t store_writer_rows (const struct store_writer *writer);
uint64_t store_writer_bytes (const struct store_writer *writer);
struct store_fault *store_writer_fault (struct store_writer *writer);
