/* SPDX-License-Identifier: Apache-2.0 */
/* list-order.h - the orders of the list of profiles. */
#pragma once

#include "stored/listing.h"

/* Returns the name of a profile, as the list shows it. */
const char *np_entry_name (const NpEntry *entry);

/* np_list_order() takes one of these words; a minus before it turns the order around. */
#define NP_LIST_ORDERS                                                                             \
  "added|opened|name|format|recorded|length|rows|devices|busy|mfu|step|tags|size|status"

/* Puts entries in an order: the newest, the last opened, the largest, or the first in the alphabet
 * first; what is not known stands last both ways. FALSE: there is no such order. */
gboolean np_list_order (GPtrArray *entries, const char *order);
