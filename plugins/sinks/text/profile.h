/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - the only row of table `inputs`, one line a column. */
#pragma once

#include "paper.h"
#include "store.h"

/* Is that what this table is? */
gboolean profile_is (const Table *table);
/* properties: how many of them, the others are counted. */
void profile_put (Paper *paper, const Table *table, const char *input, guint properties);
