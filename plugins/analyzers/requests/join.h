/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - finds by how much the clock of a device's trace is ahead of that of the requests, by
 * what must come first: a first token comes within a millisecond behind the end of the step that
 * made it. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define JOIN_SLACK ((gint64) 1000 * 1000 * 1000) /* ps: what a server takes to send a token */

typedef struct {
  gint64 least, most; /* ps that the device's clock is ahead: between these */
  guint n, of;        /* requests whose first tokens agree, of all          */
} Join;

/* Returns how far ahead the device's clock is taken to be: not at all where it may be so, else the
 * middle. */
gint64 join_ahead (const Join *join);
/* Compares moments. */
gint join_by_time (gconstpointer a, gconstpointer b);
/* Times in ps, sorted; ends are of steps that made first tokens. Returns false where fewer than 95
 * % of the first tokens agree, or there are fewer than 8: then n and of are set alone. */
bool join_find (const GArray *first_tokens, const GArray *ends, Join *join);
