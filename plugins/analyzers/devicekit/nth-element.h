/* SPDX-License-Identifier: Apache-2.0 */
/* nth-element.h - puts the values of some ranks where sorting would put them, and leaves the others
 * between them in any order. */
#ifndef AN_NTH_ELEMENT_H
#define AN_NTH_ELEMENT_H

#include <glib.h>

/* Each value >= 0; `spare` has room for n more.  Each rank < n; quickest when they ascend. */
void an_nth_elements (gint64 *value, gint64 *spare, guint64 n, const guint64 *rank,
                      guint64 n_ranks);

#endif
