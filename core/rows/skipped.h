/* SPDX-License-Identifier: Apache-2.0 */
/* skipped.h - what decoders understood and skipped, counted by what and why. */
#pragma once

#include <glib.h>

typedef struct NpSkipped NpSkipped;

typedef struct {
  guint input;
  char *what, *reason;
  guint64 count, first_byte;
} NpSkip;

NpSkipped *np_skipped_new (void);
void np_skipped_free (NpSkipped *skipped);
void np_skipped_add (NpSkipped *skipped, guint input, const char *what, guint64 at,
                     const char *reason); /* [any-thread] */
/* Counts n of them, `at` being the first. */
void np_skipped_add_many (NpSkipped *skipped, guint input, const char *what, guint64 n, guint64 at,
                          const char *reason); /* [any-thread] */
/* Returns the NpSkips by input, first byte, what, reason; transfer container.  Call it when all is
 * decoded. */
GPtrArray *np_skipped_sorted (NpSkipped *skipped);
