/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - checks, when all rows of a decoder are there, that an id stands on one row, and that
 * no row is its own ancestor. */

#include "rows/links.h"
#include "test-run.h"

void
rules_links (NprofTestState *test)
{
  g_autoptr (NpLinks) links = np_links_new (G_MAXUINT);
  for (guint i = 0; i < test->rows->len; i++) {
    const NprofTestRow *row = &g_array_index (test->rows, NprofTestRow, i);
    if (row->id && row->kind != NPROF_FLOW && !np_links_add (links, row->id, row->parent))
      state_broke (test, "row \"%.60s\": id %" G_GUINT64_FORMAT " stands on an earlier row as well",
                   row->name, row->id);
  }
  const guint64 circle = np_links_circle (links);
  if (circle)
    state_broke (test, "the row of id %" G_GUINT64_FORMAT " is its own ancestor", circle);
}
