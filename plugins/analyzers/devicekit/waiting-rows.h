/* SPDX-License-Identifier: Apache-2.0 */
/* waiting-rows.h - keeps which rows wait for a launch of which id, some bytes a row: a file may
 * hold no launch at all, and then every row waits until its analyzer gives it up. */
#ifndef AN_WAITING_ROWS_H
#define AN_WAITING_ROWS_H

#include "devicekit/launch-table.h"

/* It starts as zeros. */
typedef struct {
  GArray *rows;   /* in the order in which they came                                        */
  guint32 *slot;  /* 1 + place of the last row of an id, by open addressing; 0: a free one  */
  guint n, mask;  /* slots that are used, at most half of them                              */
  guint n_waiting; /* rows whose launch has not come                                        */
} AnWaitingRows;

void an_waiting_rows_clear (AnWaitingRows *waiting);
/* Adds a row by the number that the analyzer gave it; numbers rise. */
void an_waiting_rows_add (AnWaitingRows *waiting, const AnLaunchKey *key, guint number);
/* Takes out the rows of that id and tells each, as they came. */
void an_waiting_rows_take (AnWaitingRows *waiting, const AnLaunchKey *key,
                           void (*take) (gpointer user, guint number), gpointer user);
/* Takes out the rows of smaller numbers. */
void an_waiting_rows_forget (AnWaitingRows *waiting, guint number);

#endif
