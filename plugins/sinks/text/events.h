/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - makes tables of rows: `events` when it is asked for, and how many rows of which kind
 * there are, for runs without any table. */
#pragma once

#include "store.h"

typedef struct Events Events;

/* `top` and `by` are for table `events`, which is made only when `shown`. */
Events *events_new (const struct nprof_host *host, gboolean shown, guint64 top, const char *by);
void events_free (Events *events);
nprof_status events_add (Events *events, const struct nprof_batch *batch);

/* Both are transfer full; the first is NULL when not shown. */
Table *events_take_rows (Events *events);
Table *events_take_counts (const Events *events);
