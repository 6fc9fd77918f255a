/* SPDX-License-Identifier: Apache-2.0 */
/* make-store.h - random profiles with everything that is hard: overlaps, equal spans, spans without
 * length or end, starts that go back, counters, flows, gaps, facts, attributes that come and go. */
#pragma once

#include "writer.h"

#include <glib.h>
#include <nprof/plugin.h>
#include <nprof/store-reader.h>

typedef struct { /* a row as it was given */
  struct store_row row;
  guint track;   /* index */
  guint64 attrs[4];
  guint n_attrs;
} Given;

typedef struct {
  char *root, *path;
  GArray *rows;   /* Given, by ordinal */
  guint n_tracks;
  gboolean nests[8];
} Made;

/* shape: a number that decides how wild it is; the same seed makes the same profile. */
Made *make_store (guint32 seed, guint n_rows);
/* One lane of so many rows: row i takes from 10 i to 10 i + 5. */
Made *make_lane (guint n_rows);
void made_free (Made *made);
