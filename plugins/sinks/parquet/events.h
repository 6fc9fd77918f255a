/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - rows as events.parquet, or as one folder a value of partition=.  events.c is its
 * life and row groups, base.c fills in the columns that all rows have, attributes.c attributes. */
#pragma once

#include "partition.h"
#include "profile/row-track.h"

#include <nprof/row.h>

enum { EV_INPUT, EV_START, EV_DURATION, EV_TIME, EV_TRACK, EV_PROCESS, EV_THREAD, EV_KIND };
enum { EV_CATEGORY = EV_KIND + 1, EV_NAME, EV_VALUE, EV_ID, EV_PARENT, EV_FLOW, EV_N_BASE };

struct events {
  const struct nprof_host *host;
  struct partition partition;
  gboolean by_track;          /* order=track                                  */
  GArray *columns;            /* of struct file_column; NULL before the first row */
  guint first_base[EV_N_BASE], attrs, map; /* leaves                          */
  gint64 origin_ns;           /* or NPROF_NO_EPOCH                            */
  struct pq_sorting sorting[3];
  struct nprof_row_columns row_columns;
  GArray *tracks;             /* of struct row_track, by handle               */
  nprof_str kinds[8];
  struct nprof_buf json;
  guint64 n_groups;           /* row groups so far                            */
  GArray *sets;               /* of struct events_set, by handle: attributes.c */
  GArray *keys;               /* of struct events_key, by handle: attributes.c  */
  guint n_key_bits;
  guint32 n_fast;
};

nprof_status events_open (struct events *events);
nprof_status events_consume (struct events *events, const struct nprof_batch *batch);
nprof_status events_finish (struct events *events);
void events_clear (struct events *events);

/* -- For these files ------------------------------------------------------- */

/* These are rows of a batch, which follow each other in a row group. */
struct slice {
  struct events *e;
  struct table_file *table_file;
  const struct nprof_batch *b, *own; /* own: the same without shared sets */
  guint from, n;
  guint64 group;
};

/* Leaf EV_TIME has this number where the epoch is not known. */
#define EV_NO_LEAF G_MAXUINT

void base_open (struct events *e);
void base_add_columns (struct events *e);
void base_put (const struct slice *s);

void attrs_open (struct events *e);
void attrs_clear (struct events *e);
/* Puts row i of the batch, which is the next one of the row group. */
nprof_status attrs_put (const struct slice *s, guint i);
/* Puts a value of the map that is no text of its own: see struct pq_texts.  `user` is the host. */
void attrs_put_value (const void *user, struct nprof_buf *to, uint32_t how, uint64_t value);
/* Returns the bits of a value of the column's type, or the ref of its text in a column of text. Not
 * for a column of UUIDs. */
guint64 attrs_value (struct events *e, struct table_file *table_file, guint leaf,
                     const struct nprof_field *f);
void attrs_put_field (struct events *e, struct table_file *table_file, guint leaf,
                      const struct nprof_field *f);
struct pq_entry attrs_entry (struct events *e, const struct slice *s, const struct nprof_field *f);

static inline gboolean
attrs_is_text (guint type)
{
  return type == NPROF_STRING || type == NPROF_TEXT || type == NPROF_JSON;
}
