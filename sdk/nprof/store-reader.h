/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/store-reader.h - reads a profile store (nprof/store.h): rows and columns, viewports, sums,
 * search, events and what they depend on.
 *
 * An open store is read-only and may be used by any number of threads at once. Each thread that
 * asks has a struct nprof_query of its own, which holds what one question needs and the error of
 * the last one. Files are mapped; a block or page is checked when it is first touched. Memory that
 * a function hands out belongs to the query and is valid until the next question of that query,
 * unless it says otherwise.
 *
 * Functions that can fail return false (or NULL) and leave the cause in query->error. A damaged
 * place fails the question that needs it and no other. Times are int64 ps from nprof's origin. */
#ifndef NPROF_STORE_READER_H
#define NPROF_STORE_READER_H

#include <nprof/plugin.h>
#include <nprof/store.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nprof_store;

/* A row is the number of its lane, and its number in the lane. */
struct nprof_row {
  uint32_t lane, row;
};

/* -- Opening ----------------------------------------------------------------- */

/* Writes where stores lie: $XDG_DATA_HOME/nprof/profiles, else $HOME/.local/share/nprof/profiles.
 * Writes at most size bytes with NUL; false when there is no home or no room. */
bool nprof_store_folder (char *path, size_t size);
/* Finds the store in `folder` (NULL: the one above) that this name means: "n_" and 6 to 40 hex
 * digits, a prefix of exactly one.  Returns 1: written to path (a folder); 0: none; -1: several, of
 * which path gets two names; -2: no such form. */
int nprof_store_find (const char *folder, const char *name, char *path, size_t size);

/* Reads a whole file: its checksum, as struct nprof_store_input has it, and its status. Returns 0,
 * or an errno with a content of 0. */
int nprof_store_content (const char *path, struct stat *st, uint64_t *content);

/* Opens the store whose folder is `path`.  NULL: error (of error_size bytes) says file, place, what
 * was expected and what to do.  Takes a shared lock on `meta`, by which others see that it is in
 * use. errno is EBADMSG where the store is damaged, EPROTONOSUPPORT where another version wrote it,
 * else the cause. [any-thread] */
struct nprof_store *nprof_store_open (const char *path, char *error, size_t error_size);
void nprof_store_close (struct nprof_store *store);
/* Returns whether a place that was read since the store was opened is damaged, and writes the first
 * one as a sentence: file, byte, what to do. Functions that return no error answer "" or NULL for
 * what they cannot read, so who has read from a store asks this at the end, and throws away what
 * came of a damaged one. [any-thread] */
bool nprof_store_damage (struct nprof_store *store, char *text, size_t size);
/* Opens a file that lies in a store or beside it, to be read: a plain file, no link, no pipe.
 * Returns a descriptor; -1 with errno. */
int nprof_store_file (int folder, const char *name);
const struct nprof_store_meta *nprof_store_meta (const struct nprof_store *store);

/* -- Arrays of the index ------------------------------------------------------ */

/* Each is bounds-checked: NULL beyond the end, or when its page is damaged. Valid while the store
 * is open. [any-thread] */
const struct nprof_store_lane *nprof_store_lane_at (struct nprof_store *store, uint32_t lane);
/* from 0, by number */
const struct nprof_store_track *nprof_store_track_at (struct nprof_store *store, uint32_t index);
const struct nprof_store_label *nprof_store_label_at (struct nprof_store *store, uint32_t label);
const struct nprof_store_key *nprof_store_key_at (struct nprof_store *store, uint32_t key);
const struct nprof_store_input *nprof_store_input_at (struct nprof_store *store, uint32_t input);
const struct nprof_store_property *nprof_store_property_at (struct nprof_store *store,
                                                            uint32_t index);
const struct nprof_store_attribute *nprof_store_attribute_at (struct nprof_store *store,
                                                              uint32_t index);
const struct nprof_store_table *nprof_store_table_at (struct nprof_store *store, uint32_t index);
const struct nprof_store_table_column *nprof_store_table_column_at (struct nprof_store *store,
                                                                    uint32_t index);
/* Returns how many a section has: NPROF_STORE_S_*. */
uint64_t nprof_store_n (const struct nprof_store *store, uint32_t section);
/* Returns the text of a string; never NULL: "" and len 0 for one that is out of range or damaged.
 * Ends in NUL. */
const char *nprof_store_string (struct nprof_store *store, uint32_t string, size_t *len);
/* Returns the name of origin k: "" for the decoders, else the analyzer with its options. */
const char *nprof_store_origin (struct nprof_store *store, uint32_t origin);
/* Returns the index of the track with this number, or UINT32_MAX. */
uint32_t nprof_store_track_of (struct nprof_store *store, uint32_t number);

/* -- Questions ---------------------------------------------------------------- */

struct nprof_query {
  struct nprof_store *store;
  char error[512];           /* of the last question that failed                    */
  bool no_memory;            /* that was for want of memory, and the store is sound */
  int (*stop) (void *user);  /* NULL, or asked now and then by long questions: non-zero ends them */
  void *user;
  struct nprof_query_memory *memory; /* private                                     */
};
/* Makes a query; error is "" afterwards. stop and user may be set at any time. */
bool nprof_query_init (struct nprof_query *query, struct nprof_store *store);
void nprof_query_clear (struct nprof_query *query);

/* -- Rows --------------------------------------------------------------------- */

/* Returns a checked block of rows, the number-th of its lane: rows number * NPROF_STORE_ROWS and
 * on.  Valid while the store is open.  Columns: nprof_store_column (block, NPROF_STORE_C_*),
 * nprof_store_get (block, column, i). */
const struct nprof_store_block *nprof_store_rows (struct nprof_query *query, uint32_t lane,
                                                  uint32_t number);

struct nprof_store_field {
  uint32_t key;      /* string                                                      */
  uint32_t type;     /* NPROF_INT64 ...                                             */
  bool shared;       /* from the shared set                                         */
  uint32_t len;      /* of text, json, id128                                        */
  union {
    int64_t i;
    uint64_t u;
    double f;
    uint32_t s;      /* string                                                      */
    const char *text; /* not ended by NUL                                           */
  } v;
};

struct nprof_event {
  struct nprof_row row;
  uint32_t track, input;   /* index of the track; number of the input               */
  uint32_t kind, type, depth, label;
  uint32_t up;             /* lanes up to its parent; 0: none                       */
  uint32_t set, shape;
  int64_t start, duration; /* duration -1: no end in the file                       */
  int64_t child;           /* of direct children; self = duration - child           */
  uint64_t ordinal, id, parent, flow;
  double value;
  bool has_value;
};
bool nprof_store_event (struct nprof_query *query, struct nprof_row row, struct nprof_event *event);
/* Reads its attributes: the shared ones, then its own, in their order.  An own one overrides the
 * shared one of its key: that is left out unless `all`.  The array and texts belong to the
 * query. */
bool nprof_store_fields (struct nprof_query *query, const struct nprof_event *event, bool all,
                         const struct nprof_store_field **fields, uint32_t *n);
/* Returns the bytes of a text value (of a column of type text, json, id128) at this offset; valid
 * while the store is open. */
const char *nprof_store_text (struct nprof_query *query, uint64_t at, uint32_t *len);
/* Reads the fields of shared set `set`. */
bool nprof_store_set (struct nprof_query *query, uint32_t set,
                      const struct nprof_store_value **values, uint32_t *n);
/* Reads the keys of shape `shape`: numbers for nprof_store_key_at, columns NPROF_STORE_C_ATTR +
 * key. */
bool nprof_store_shape (struct nprof_query *query, uint32_t shape, const uint16_t **keys,
                        uint32_t *n);

/* Walks all rows of some lanes in the order in which they were delivered. fn gets each; non-zero
 * ends it.  NULL as lanes means all of origin `origin` and input `input`.  Memory does not depend
 * on the rows. */
bool nprof_store_each (struct nprof_query *query, uint32_t input, uint32_t origin,
                       int (*fn) (void *user, const struct nprof_event *event), void *user);

/* -- Pictures ------------------------------------------------------------------ */

/* These are rectangles as columns; docs/formats/view-api.md 2.1 says what they mean. */
struct nprof_rects {
  uint32_t n, max;
  uint32_t *x0, *x1, *row, *label, *count, *low, *high;
  uint8_t *fill;
  bool failed; /* memory was out */
};
void nprof_rects_clear (struct nprof_rects *rects);
/* Adds what is seen of a lane in [t0, t0 + pixels * p). The counts of what is added sum to the rows
 * that touch it: start < t1 and end > t0, or start == end == t0. Lanes of facts have none. */
bool nprof_store_viewport (struct nprof_query *query, uint32_t lane, int64_t t0, uint32_t pixels,
                           int64_t p, struct nprof_rects *rects);
/* Parts rows of a lane by something that is not in its pyramid: group () tells in which of n
 * pictures row `i` of a block of rows is, n or more: in none. */
struct nprof_store_groups {
  uint32_t n;
  uint32_t (*group) (void *user, const struct nprof_store_block *block, uint32_t i);
  void *user;
};
/* Adds what is seen of the rows of each group to rects[0 .. n): the counts of all together sum to
 * the rows that touch it and are in a picture. It looks at each row in the window. Counters, whose
 * values hold until the next, cannot be parted: an error. */
bool nprof_store_viewport_by (struct nprof_query *query, uint32_t lane, int64_t t0, uint32_t pixels,
                              int64_t p, const struct nprof_store_groups *groups,
                              struct nprof_rects *rects);
/* A row, or several that lie beside each other. */
struct nprof_store_piece {
  int64_t start, end;
  double busy, longest; /* ps: of its rows, and of the longest of them        */
  uint64_t count;
  uint32_t row, label;  /* of the longest                                      */
};
/* Adds what is seen of pieces, which come by start and end in this order, too. One that stands for
 * several rows is drawn whole or not at all, so that none may lie across an edge of the picture,
 * nor be longer than a pixel. */
bool nprof_store_viewport_of (struct nprof_query *query, const struct nprof_store_piece *pieces,
                              uint64_t n, int64_t t0, uint32_t pixels, int64_t p,
                              struct nprof_rects *rects);
/* Reads the same of the whole profile, as stored: t0 and p are those of meta.  The columns are the
 * same, not to be freed; failed is false. */
bool nprof_store_over (struct nprof_query *query, uint32_t lane, struct nprof_rects *rects);
/* Returns how many rows of the lane touch [t0, t1) as a viewport counts them. */
bool nprof_store_touching (struct nprof_query *query, uint32_t lane, int64_t t0, int64_t t1,
                           uint64_t *n);

/* -- Sums ---------------------------------------------------------------------- */

enum { NPROF_BY_LABEL, NPROF_BY_NAME, NPROF_BY_CATEGORY, NPROF_BY_TRACK };

struct nprof_total {
  uint32_t key;               /* label, string, string, or index of a track           */
  uint32_t reserved;
  uint64_t count, unclosed;   /* spans that touch: start <= t1 and end >= t0           */
  int64_t whole;              /* sum of their durations                                */
  int64_t inside, self_inside; /* of what lies in [t0, t1]                             */
};
/* Sums over spans of the tracks (indices; n_tracks 0: all), by inside falling, then key.  An origin
 * of UINT32_MAX is all. */
bool nprof_store_summary (struct nprof_query *query, const uint32_t *tracks, uint32_t n_tracks,
                          int64_t t0, int64_t t1, uint32_t by, uint32_t origin,
                          const struct nprof_total **totals, uint32_t *n);
/* Returns ps of [t0, t1] in which the lane, of type span, has a row. */
bool nprof_store_busy (struct nprof_query *query, uint32_t lane, int64_t t0, int64_t t1,
                       int64_t *busy);
/* Returns ps of [t0, t1] in which any span of the track is open. */
bool nprof_store_track_busy (struct nprof_query *query, uint32_t track, int64_t t0, int64_t t1,
                             int64_t *busy);

/* Returns the whole durations of the spans of these labels that touch [t0, t1], ascending; unclosed
 * ones are left out. */
bool nprof_store_durations (struct nprof_query *query, const uint32_t *labels, uint32_t n_labels,
                            const uint32_t *tracks, uint32_t n_tracks, int64_t t0, int64_t t1,
                            const int64_t **durations, uint64_t *n);
/* Counts among the spans of its name and origin with an end how many there are, and how many are
 * shorter. false for a row that has no duration, with an empty error. */
bool nprof_store_rank (struct nprof_query *query, const struct nprof_event *event, uint64_t *below,
                       uint64_t *count);

/* -- Search -------------------------------------------------------------------- */

struct nprof_search;
/* Compiles the text of docs/formats/view-api.md 6. NULL: query->error says why and *at is the byte
 * of the text. */
struct nprof_search *nprof_search_new (struct nprof_query *query, const char *text, uint32_t *at);
void nprof_search_free (struct nprof_search *search);
/* Finds up to max hits behind `after` (NULL: from the start), in order of lanes and rows. tracks:
 * indices, n_tracks 0 all; only rows that touch [t0, t1]. *more: there are others. */
bool nprof_search_hits (struct nprof_query *query, const struct nprof_search *search,
                        const struct nprof_row *after, const uint32_t *tracks, uint32_t n_tracks,
                        int64_t t0, int64_t t1, struct nprof_row *hits, uint32_t max, uint32_t *n,
                        bool *more);
/* Counts how many rows fit in all; `histogram` is NULL, or `pixels` numbers to add to, by start
 * over [t0, t1]; `names` is NULL, or how many different names these rows have. */
bool nprof_search_count (struct nprof_query *query, const struct nprof_search *search,
                         const uint32_t *tracks, uint32_t n_tracks, int64_t t0, int64_t t1,
                         uint64_t *n, uint32_t *histogram, uint32_t pixels, uint64_t *names);
/* Finds the hit after or before a row; *found says whether there is one. */
bool nprof_search_step (struct nprof_query *query, const struct nprof_search *search,
                        struct nprof_row from, bool backwards, struct nprof_row *hit, bool *found);
/* Returns the bitmap of the labels whose rows, all but facts, are the hits; NULL: it asks for more
 * than labels. */
const uint64_t *nprof_search_labels (const struct nprof_search *search);
/* Returns whether this row fits. */
bool nprof_search_fits (struct nprof_query *query, const struct nprof_search *search,
                        struct nprof_row row, bool *fits);

/* -- Neighbours ---------------------------------------------------------------- */

/* Finds the last row of the lane that starts at or before t; *found false: none does. */
bool nprof_store_before (struct nprof_query *query, uint32_t lane, int64_t t, uint32_t *row,
                         bool *found);
/* Finds the row of a span lane that is open at t (start <= t < end, or start == end == t). */
bool nprof_store_at (struct nprof_query *query, uint32_t lane, int64_t t, uint32_t *row,
                     bool *found);
/* Finds the next or previous row of the same track among its rows of all lanes, by start, then
 * lane. */
bool nprof_store_step (struct nprof_query *query, struct nprof_row from, bool backwards,
                       struct nprof_row *row, bool *found);
/* Finds the spans around a row, outermost first: its parents by containment, or for other kinds the
 * spans of its track that hold its start, innermost lane last. */
bool nprof_store_enclosing (struct nprof_query *query, const struct nprof_event *event,
                            const struct nprof_row **rows, uint32_t *n);
/* Finds its direct children: how many, and the first max of them by start. */
bool nprof_store_children (struct nprof_query *query, const struct nprof_event *event, uint32_t max,
                           const struct nprof_row **rows, uint32_t *n, uint64_t *total);
/* Returns how much of a span lies from..to; 0: it has no end, and its duration is negative. */
int64_t nprof_store_inside (int64_t start, int64_t duration, int64_t from, int64_t to);
/* Sums how much of its direct children lies there. */
bool nprof_store_children_inside (struct nprof_query *query, const struct nprof_event *event,
                                  int64_t from, int64_t to, int64_t *sum);
/* These are spans of tracks (n_tracks 0: all) that overlap it for more than an instant, by overlap
 * falling, of its own track without those around it and below it; total counts all, and sum is the
 * ps of all overlaps together. */
struct nprof_overlap {
  struct nprof_row row;
  int64_t overlap;
};
bool nprof_store_overlaps (struct nprof_query *query, const struct nprof_event *event,
                           const uint32_t *tracks, uint32_t n_tracks, uint32_t max,
                           const struct nprof_overlap **overlaps, uint32_t *n, uint64_t *total,
                           int64_t *sum);

enum { NPROF_LINK_FLOW, NPROF_LINK_ID, NPROF_LINK_PARENT };
struct nprof_link {
  struct nprof_row row;   /* the other span, or its flow end where it has no span     */
  uint32_t family;        /* NPROF_LINK_*                                             */
  uint32_t category;      /* string: of the flow end; 0                               */
  bool depends;           /* this event waits for it; else it waits for this event    */
};
/* What it depends on and what depends on it: by parent and id, and by flows whose ends are bound to
 * it (by id, or by lying in it on its track, innermost). What it depends on first; of each side at
 * most max, in the order of lanes; totals[0] and [1] count all of each. */
bool nprof_store_links (struct nprof_query *query, const struct nprof_event *event, uint32_t max,
                        const struct nprof_link **links, uint32_t *n, uint64_t totals[2]);
/* Finds rows by id (unique within an input) or by flow.  One that nobody refers to has no entry: it
 * is found by search only. */
bool nprof_store_linked (struct nprof_query *query, uint32_t kind, uint32_t input, uint64_t key,
                         uint32_t max, const struct nprof_row **rows, uint32_t *n);

/* -- Tables -------------------------------------------------------------------- */

/* Reads the cell of a row and a column; its text: nprof_store_string for string, nprof_store_text
 * for text, json and id128. false: beyond the end, or damaged; then the cell is unknown, of value
 * 0. */
bool nprof_store_cell (struct nprof_query *query, const struct nprof_store_table *table,
                       uint64_t row, uint32_t column, struct nprof_store_cell *cell);
/* Reads a whole row: n_columns cells, in memory of the caller. */
bool nprof_store_cells (struct nprof_query *query, const struct nprof_store_table *table,
                        uint64_t row, struct nprof_store_cell *cells);
/* The table of files that rows name as their source: path, text, reason; its row numbers are what
 * nprof view calls them by. */
#define NPROF_STORE_SOURCE_FILES "source_files"
/* Returns the index of the table of this name, or UINT32_MAX. */
uint32_t nprof_store_find_table (struct nprof_store *store, const char *name);

#ifdef __cplusplus
}
#endif
#endif
