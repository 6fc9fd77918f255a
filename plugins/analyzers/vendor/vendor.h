/* SPDX-License-Identifier: Apache-2.0 */
/* vendor.h - what the files of analyzer vendor share: figures that the tables of a run state. */
#pragma once

#include "columns.h"

#include <glib.h>
#include <nprof/draft/clip.h>
#include <nprof/sdk.h>

#define VENDOR_NO_STEP INT64_MIN

/* A figure: times are exact. */
typedef struct {
  gboolean known, is_time;
  gint64 ps;
  double number;
} Value;

/* A figure that the vendor states, and ours by its rule. */
typedef struct {
  nprof_str input, device, figure, unit;
  gint64 step;
  Value vendor, by_rule, rows; /* rows: how many of the vendor are in it */
  double per;                  /* s: what a share of time is of; 1: it is a time */
  const char *source;          /* interned; NULL: the file itself */
  const char *of_table;        /* that has by_rule: "ascend_steps", "neuron_summary" */
} Stated;

/* A metric by the formulas of Neuron's tools. */
typedef struct {
  nprof_str input, metric, device;
  gboolean stated; /* it is the file's own, and not computed */
  Value value;
} Computed;

typedef struct {
  const struct nprof_host *host;
  struct nprof_window window;
  GArray *stated;   /* of Stated, as they came */
  GArray *computed; /* of Computed */
  GHashTable *ours; /* of nprof's own rules: OursKey -> Value */
} Vendor;

/* The column of one of nprof's tables that is beside a figure of the vendor's, and why the two
 * differ. */
typedef struct {
  gboolean whole; /* of the file, not of a step */
  const char *figure, *table, *column;
  const char *why;  /* NULL: the vendor's rows are whole ns */
  const char *none; /* the figure of which there is none where this one has no row; NULL: unknown */
} Beside;

extern const Beside vd_beside[];
extern const guint vd_n_beside;

/* figures.c: takes a row of a table. */
void vd_take (Vendor *v, const struct nprof_table *table, const struct nprof_cell *row);
/* Finds ours by the vendor's rule for what summaries state, when all tables are there. */
void vd_join (Vendor *v);
/* Returns the figure that is beside; not known: the table has no such row. */
Value vd_ours (const Vendor *v, const Stated *s, guint beside);
/* Returns whether two times are at most that far apart. */
gboolean vd_within (const Value *a, const Value *b, gint64 ps);
guint vd_ours_hash (gconstpointer key);
gboolean vd_ours_equal (gconstpointer a, gconstpointer b);
