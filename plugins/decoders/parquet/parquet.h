/* SPDX-License-Identifier: Apache-2.0 */
/* parquet.h - the decoder's instance, and what its files do for it. */
#pragma once

#include "columns.h"
#include "source.h"

#include <nprof/draft/declare.h>

typedef struct {
  Source *source;
  guint group;
} Part;

typedef struct { /* one end of a flow of Neuron's table Flow, by what it is bound to */
  guint64 bound, flow;
  nprof_str family;
  gboolean begins;
} FlowEnd;

typedef struct {
  const struct nprof_host *host;
  /* options */
  const char *start, *end, *duration, *unit, *name, *category, *track, *kind, *value, *id, *parent,
      *strings;
  bool file;

  GPtrArray *owned;      /* of Source: all                                                  */
  GPtrArray *sources;    /* those whose rows are rows, in order                             */
  GPtrArray *tables;     /* those whose rows are a table's                                  */
  GPtrArray *others;     /* those that tell something else                                  */
  Source *inputs;        /* of nprof's own: that which names all inputs of the run          */
  GArray *parts;         /* of Part                                                         */
  GPtrArray *attributes; /* of struct nprof_attribute, owned; ends in NULL                 */
  GPtrArray *table_list; /* of the tables' struct nprof_table; ends in NULL                */
  GPtrArray *profiles;   /* of struct nprof_profile, owned; ends in NULL                     */
  GStringChunk *text;
  gboolean is_part, planned;
  gboolean declaring; /* another instance plans again, and says what is to be said      */
  GPtrArray *unknown; /* of char *: files of unknown tables                              */

  nprof_str label; /* of the profile that is decoded, as the file calls it; 0: all rows are its */
  gint64 origin;   /* unix ns, or NPROF_NO_EPOCH                                      */
  __int128 base;   /* ps that are taken off each start                                */
  GHashTable *numbers; /* of the track -> nprof_track; NULL: no table tracks was there    */
  GHashTable *texts;   /* of strings=: int64 -> 1 + nprof_str                             */
  GArray *flows;       /* of FlowEnd, by bound                                            */
  nprof_str kinds[6], flow_phase, begin, ends;
} Parquet;

/* Decides what the input is: its sources, tables, attributes and profiles.  Once. */
nprof_status parquet_plan (Parquet *p, const void *data, uint64_t len);
/* Reports a damaged file: `at` byte of `file`; frees why. */
nprof_status parquet_fail (Parquet *p, const Source *s, const char *column, PqFail *fail);
/* Opens a file of the folder; NULL: none, or no Parquet, which has been said. */
Source *parquet_sibling (Parquet *p, const char *name);
/* Returns names of the files beside the input, in byte order; of char *. */
GPtrArray *parquet_siblings (Parquet *p);
const char *parquet_keep (Parquet *p, const char *text);

/* own.c reads files that nprof wrote.  FALSE: it is none. */
gboolean own_is (const Source *s);
nprof_status own_plan (Parquet *p, Source *s);
/* Sets origin, properties and tracks of the profile. */
nprof_status own_begin (Parquet *p);

/* neuron.c reads a folder of Neuron Explorer. */
gboolean neuron_is (Parquet *p, const Source *s);
nprof_status neuron_plan (Parquet *p, Source *s);
nprof_status neuron_begin (Parquet *p);

/* any.c reads any table, by options and by the names of its columns. */
nprof_status any_plan (Parquet *p, Source *s);
/* Finds time 0: the first of all sources with absolute times, rounded down to a second. */
nprof_status any_origin (Parquet *p);
gint64 any_unit (const char *name); /* "ns": 1000; 0: none is of that name */
/* Reads ID:TEXT pairs of strings=. */
nprof_status any_strings (Parquet *p);

/* rows.c reads a row group as rows. */
nprof_status rows_decode (Parquet *p, const struct nprof_host *host, const Part *part);
/* table.c reads a whole file as rows of a table, or only those of the profile. */
nprof_status table_decode (Parquet *p, Source *s);
/* Calls fn for each row, one by one, whatever they are for; values[k] is that of field k, has[k]
 * that there is one. fn returns FALSE to stop. */
typedef gboolean (*RowFn) (void *user, const Value *values, const gboolean *has);
nprof_status table_each (Parquet *p, Source *s, RowFn fn, void *user);
/* file.c writes tables about the file itself, after checking all its pages. */
nprof_status file_tables (Parquet *p, const Source *s);
