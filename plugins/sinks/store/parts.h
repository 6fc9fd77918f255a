/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - what the parts of the writer share. */
#pragma once

#include "out.h"
#include "pack.h"
#include "writer.h"

#include <nprof/plugin.h>

/* -- names.c ------------------------------------------------------------------ */

struct store_map { /* from 64 bits to a number; 0 in `number` is free */
  struct { uint64_t key; uint32_t number; } *slots;
  uint32_t n, max;
};
/* Returns the number of the key, `fresh` when it is new; UINT32_MAX: no memory. */
uint32_t store_map_add (struct store_map *map, uint64_t key, uint32_t fresh,
                        struct store_fault *fault);

#define STORE_LAST_SHAPES 64

struct store_names {
  uint64_t *string_at;
  size_t n_strings, max_strings;
  struct nprof_store_label *labels;
  size_t n_labels, max_labels;
  struct nprof_store_key *keys;
  size_t n_keys, max_keys;
  struct nprof_store_span *shapes;
  size_t n_shapes, max_shapes;
  uint16_t *shape_keys;
  size_t n_shape_keys, max_shape_keys;
  uint32_t last_shapes[STORE_LAST_SHAPES]; /* by some of their keys; 0: none */
  struct nprof_store_span *sets;
  size_t n_sets, max_sets;
  struct nprof_store_value *set_values;
  size_t n_set_values, max_set_values;
  struct store_map label_of, key_of, shape_of;
};
bool store_names_init (struct store_writer *w);
void store_names_clear (struct store_names *names);

/* -- lists.c ------------------------------------------------------------------ */

struct store_slot {
  struct nprof_store_sum sum; /* count 0: free */
  uint8_t blocks;             /* bit i: block i of the list's rows has the label */
};
struct store_tally { /* by label */
  struct store_slot *slots;
  uint32_t n, max;
};
bool store_tally_add (struct store_tally *t, const struct store_slot *add,
                      struct store_fault *fault);
void store_tally_empty (struct store_tally *t);

struct store_lists {
  struct store_out temp;          /* all lists, also of dead lanes */
  struct { uint64_t at; uint32_t n, lane, index, level, rows; } *dir; /* at: byte; lane: serial */
  size_t n, max;
};
/* Writes the tally as a list; *number is its number. */
bool store_list_put (struct store_writer *w, const struct store_tally *tally, uint32_t serial,
                     uint32_t index, uint32_t level, uint32_t rows, uint32_t *number);
/* Writes files `lists` and `post`, totals of labels, section LISTS. */
bool store_lists_finish (struct store_writer *w);

/* -- links.c ------------------------------------------------------------------ */

#define STORE_BUCKETS 256
#define STORE_LINK_BUFFER 256 /* links of a bucket that wait in memory */

struct store_links {
  struct store_out temp;
  struct nprof_store_link *buffer; /* STORE_BUCKETS x STORE_LINK_BUFFER */
  uint32_t n[STORE_BUCKETS];
  struct { uint64_t at; uint32_t bucket, n; } *chunks;
  size_t n_chunks, max_chunks;
};
bool store_link_put (struct store_writer *w, uint64_t key, uint32_t serial, uint32_t row);
bool store_links_finish (struct store_writer *w);
void store_links_clear (struct store_links *links);

/* -- lane.c, block.c, nodes.c ------------------------------------------------- */

struct store_node {
  int64_t start, end, busy, longest;
  uint64_t block, rows;
  uint32_t label, rep, list; /* rep: number in the lane */
  double min, max, last;
};

struct store_level { /* nodes that are not written yet */
  struct store_node *nodes;
  size_t max;
  uint32_t n;
  uint64_t done; /* how many were */
  uint64_t last; /* the last block that was */
};

struct store_pending {
  int64_t start, duration, child;
  int64_t covered; /* up to where children were taken */
  uint64_t ordinal;
  uint32_t label, up, extra, has; /* extra: where the optional values lie */
};

struct store_lane {
  struct nprof_store_lane d;
  uint32_t input;
  bool dead, is_last; /* its rows were sorted anew; no row will come */
  struct store_pending *rows;
  size_t max_rows;
  uint32_t n; /* pending, at most 513: the last one's children are not complete */
  uint8_t *extra;
  size_t n_extra, max_extra;
  uint64_t blocks, previous;
  int64_t last_start;
  struct store_level *levels; /* NPROF_STORE_LEVELS; NULL while there is one block */
  struct store_tally low, high;
};

struct store_lane *store_lane_new (struct store_writer *w, struct store_line *line, uint32_t type,
                                   uint32_t depth, uint32_t label);
bool store_lane_put (struct store_writer *w, struct store_lane *lane, const struct store_row *row,
                     uint32_t up);
bool store_lane_end (struct store_writer *w, struct store_lane *lane);
void store_lane_free (struct store_lane *lane);
/* Writes the first n pending rows as a block, and drops them. */
bool store_block_flush (struct store_writer *w, struct store_lane *lane, uint32_t n);
/* Gives all rows of the lane, pending ones too, to fn. */
bool store_lane_each (struct store_writer *w, struct store_lane *lane,
                      bool (*fn) (void *user, const struct store_row *row), void *user);

/* Adds nodes of a block of n rows that lies at `at`; writes p1. */
bool store_nodes_add (struct store_writer *w, struct store_lane *lane, uint32_t n, uint64_t at);
bool store_nodes_end (struct store_writer *w, struct store_lane *lane);

/* -- line.c, sort.c ----------------------------------------------------------- */

struct store_open { /* a span that later ones may lie in */
  int64_t end;
  uint32_t lane;
};

struct store_unit { /* rows that must come in order: the spans of a line, or one other lane */
  struct store_line *line;
  struct store_lane *lane; /* NULL: spans */
  int64_t start, duration; /* of the last row */
  uint32_t type, label, number; /* number: of the sorter, from 1; 0: as they come */
  bool any;
};

struct store_line {
  uint32_t track, input, origin;
  bool nests;
  struct store_unit spans;
  struct store_unit *others[NPROF_STORE_LANE_TYPES]; /* counters: in the writer's map */
  struct store_lane **lanes; /* of spans, by depth */
  size_t n_lanes, max_lanes;
  struct store_open *open;
  size_t n_open, max_open;
  int64_t *ends;           /* of the last span of each lane */
  size_t max_ends;
  struct store_open *busy; /* heap by an end that is not after the lane's own */
  size_t n_busy, max_busy;
  uint64_t *free;          /* bitmap of lanes that are not in `busy` */
  size_t max_free;
  struct store_lane *unclosed[16];
  uint32_t n_unclosed;
};

/* Puts a row of the unit where it belongs; rows come in order. */
bool store_line_place (struct store_writer *w, struct store_unit *unit,
                       const struct store_row *row);
/* Restarts the line: the rows that were placed so far are written, and the next one starts anew. */
bool store_line_restart (struct store_writer *w, struct store_unit *unit,
                         bool (*fn) (void *user, const struct store_row *row), void *user);

struct store_sorter {
  struct store_unit **units;
  size_t n_units, max_units;
  struct store_record *records;
  size_t n, max_records;
  uint8_t *bytes;
  size_t n_bytes, max_bytes;
  struct store_out temp;
  uint64_t *runs; /* where each begins in temp, and the end */
  size_t n_runs, max_runs;
};
/* from now on its rows are sorted */
bool store_sort_unit (struct store_writer *w, struct store_unit *unit);
bool store_sort_put (struct store_writer *w, struct store_unit *unit, const struct store_row *row);
bool store_sort_finish (struct store_writer *w);
void store_sort_clear (struct store_sorter *sorter);

/* -- index.c, over.c, tables.c ------------------------------------------------ */

struct store_table {
  struct nprof_store_table d;
  struct nprof_store_cell *cells; /* of the n rows that wait for their block */
  uint32_t n;
  uint64_t *blocks; /* where they lie */
  size_t n_blocks, max_blocks;
};
struct store_tables {
  struct store_table *tables;
  size_t n, max;
  struct nprof_store_table_column *columns;
  size_t n_columns, max_columns;
  int64_t *values; /* of a block: NPROF_STORE_ROWS a column */
  size_t max_values;
};
bool store_tables_finish (struct store_writer *w);
void store_tables_clear (struct store_tables *tables);

bool store_over (struct store_writer *w);
bool store_index_finish (struct store_writer *w);
bool store_index_over (struct store_writer *w, const struct nprof_store_span *spans, size_t n);

/* -- writer.c ----------------------------------------------------------------- */

struct store_writer {
  struct store_fault fault;
  char *root, *id, *part; /* part: "n_....part" */
  int root_fd, folder, lock;
  bool committed;
  struct store_out out[NPROF_STORE_FILES];
  struct store_names names;
  struct store_lists lists;
  struct store_links links;
  struct store_packer packer;
  struct store_sorter sorter;
  struct store_tables tables;
  struct store_lane **lanes; /* by serial */
  size_t n_lanes, max_lanes;
  struct store_line **lines;
  size_t n_lines, max_lines;
  struct store_unit **counters;
  size_t n_counters, max_counters;
  struct store_map counter_of; /* line and label -> 1 + counter */
  struct { void *data; size_t n; } given[NPROF_STORE_SECTIONS];
  struct nprof_store_meta meta;
  struct nprof_store_lane *index; /* final, in the order of drawing */
  uint32_t *lane_of;              /* serial -> final, or UINT32_MAX */
  uint32_t n_index;
  int64_t *scratch;               /* columns of a block of rows */
  size_t max_scratch;
  uint64_t *attrs;                /* of one row on its way into a lane */
  size_t max_attrs;
  size_t *shape_columns;          /* of the keys of one shape, in `scratch` */
  size_t max_shape_columns;
  uint32_t *attr_column;          /* key -> 1 + column of the block that is made */
  size_t max_attr_column;
  uint16_t *used;                 /* keys that the block has */
  size_t n_used, max_used;
};
