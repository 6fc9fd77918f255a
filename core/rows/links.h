/* SPDX-License-Identifier: Apache-2.0 */
/* links.h - the ids of the rows of a decoder, for the test host and for checked runs: an id stands
 * on one row, and no row is its own ancestor. */
#pragma once

#include <glib.h>

typedef struct NpLinks NpLinks;

/* Keeps at most that many ids; of further ones nothing is known. */
NpLinks *np_links_new (guint most);
void np_links_free (NpLinks *links);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpLinks, np_links_free)
/* Returns FALSE where an earlier row has the id, which is not 0.  parent: 0 is none. */
gboolean np_links_add (NpLinks *links, guint64 id, guint64 parent);
/* Returns the least id of rows that are ancestors of each other; 0: there are none. */
guint64 np_links_circle (NpLinks *links);
