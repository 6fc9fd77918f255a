/* SPDX-License-Identifier: Apache-2.0 */
/* influx.h - the instance of sink influx, shared by its files. */
#pragma once

#include "clock.h"
#include "line.h"
#include "profile/id.h"
#include "sender.h"
#include "seq.h"
#include "verify.h"

#include <nprof/json.h>
#include <nprof/keys.h>
#include <nprof/row.h>
#include <nprof/string-cache.h>

/* These are tags of a track, between those that differ from row to row: tags are sorted by their
 * keys, as servers like it. */
struct influx_track {
  struct nprof_buf tags; /* the three pieces, one behind the other */
  size_t kind, seq;      /* where the second and the third begin   */
};

/* This is an attribute that has a column in the run. */
struct influx_column {
  gboolean own;     /* it is a field of its own, else it stands in `attributes`          */
  const char *name; /* there; NULL: its key                                              */
};

/* This is a table as a measurement. */
struct influx_table {
  const struct nprof_table *table;
  guint n_columns;
  GPtrArray *keys; /* escaped names, by column                */
  GArray *fields;  /* guint: number in counts, by column      */
  guint no_values; /* number in counts                        */
  guint64 rows;
};

struct influx_sink {
  /* options */
  const char *url, *org, *bucket, *db, *user, *token_file, *password_file, *epoch, *id;
  int32_t api, precision;
  int64_t batch, connections, timeout;
  uint64_t spool;
  bool gzip, force;

  const struct nprof_host *host;
  char *place_url, profile[PROFILE_ID_SIZE];
  char *token, *password;
  struct server server;
  struct sender sender;
  struct body_maker maker;
  struct counts counts;
  struct clock clock;
  gboolean clocked; /* clock is set                                           */
  gboolean of_file; /* time 0 is when the first file was last changed         */

  /* rows */
  guint with_duration, without_duration; /* numbers in counts                           */
  struct nprof_row_columns row_columns;
  struct influx_column *columns;    /* of the spread                                       */
  struct nprof_string_cache tags;   /* strings as tags                                        */
  struct nprof_string_cache values; /* strings as JSON within a field                         */
  struct nprof_string_cache keys;   /* strings as keys of JSON within a field                 */
  GHashTable *aliases;              /* handle to the handle of another text with an equal tag */
  GHashTable *ambiguous;            /* tag to handle: texts that another may equal            */
  GHashTable *cut;                  /* handles of texts that are longer than their tag        */
  struct nprof_buf scratch;
  struct seq_counter seq;
  struct influx_track track;
  nprof_track last_track;

  GPtrArray *tables; /* of struct influx_table                                 */
  gboolean done;     /* all is there                                           */
  guint64 left_out;  /* cells that InfluxDB has no value for: NaN, beyond int64 */
};

/* Sets the clock, because the first row needs to know when time 0 was. */
nprof_status influx_set_clock (struct influx_sink *self);
/* Takes a whole line, which stands in maker.lines. */
nprof_status influx_line (struct influx_sink *self);

/* options.c */
const char *influx_given (const char *text); /* NULL: the user gave none */
nprof_status influx_open_place (struct influx_sink *self);
nprof_status influx_open_secrets (struct influx_sink *self);
/* Warns of options that were given and do not fit the server that answered. */
void influx_tell_unused (const struct influx_sink *self);

/* points.c */
nprof_status influx_points_open (struct influx_sink *self);
nprof_status influx_points_consume (struct influx_sink *self, const struct nprof_batch *batch);
void influx_points_tell (const struct influx_sink *self);
void influx_points_clear (struct influx_sink *self);

/* texts.c makes strings tags.  One that equals another's tag has that one's handle as canonical. */
void influx_make_tag (const void *user, struct nprof_buf *to, const char *text, size_t len);
nprof_str influx_canonical (const struct influx_sink *self, nprof_str str);
gboolean influx_is_cut (const struct influx_sink *self, nprof_str str);
/* Puts a tag; servers refuse an empty one, so it is left out. */
void influx_put_tag (struct influx_sink *self, struct nprof_buf *to, const char *key,
                     nprof_str str);

/* It puts attributes as members of a JSON object within a field of type string; the name of a
 * member is `name`, or the field's key when that is NULL. */
void influx_put_member (struct influx_sink *self, struct nprof_buf *to,
                        const struct nprof_field *field, const char *name, gboolean *any);
void influx_make_value (const void *user, struct nprof_buf *to, const char *text, size_t len);
void influx_make_key (const void *user, struct nprof_buf *to, const char *text, size_t len);

/* tables.c */
void influx_tables_open (struct influx_sink *self);
nprof_status influx_tables_rows (void *sink, const struct nprof_table *table,
                                 const struct nprof_cell *cells, uint32_t n_rows);
void influx_tables_clear (struct influx_sink *self);
