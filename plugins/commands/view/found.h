/* SPDX-License-Identifier: Apache-2.0 */
/* found.h - what a search finds: how many rows, where they lie, and the first of them. Of whole
 * tracks the store tells that; of rows of some groups (parts.h) each row that fits is looked at. */
#pragma once

#include "parts.h"

typedef struct {
  struct nprof_search *search;
  GArray *tracks; /* indices; empty: all */
  NpParts *parts; /* groups of rows on them; NULL: all rows */
  NpFits fits;    /* what they must meet besides; NULL: nothing */
  gconstpointer user;
  gint64 t0, t1;
  guint32 n, pixels;            /* hits, and parts of the range, that are asked for */
  const struct nprof_row *after; /* the hits lie behind it; NULL: from the first on  */
} NpSought;

typedef struct {
  guint64 total, names; /* names: different ones */
  GArray *hits;         /* of struct nprof_row */
  guint32 *histogram;   /* of pixels           */
} NpFound;

void np_found_clear (NpFound *found);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpFound, np_found_clear)
/* FALSE: the query says why, or nobody waits any more. */
gboolean np_find_rows (NpAsk *ask, const NpSought *sought, NpFound *found);
