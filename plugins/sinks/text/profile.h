/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - prints the only row of table `inputs`, one line a column. */
#pragma once

#include "paper.h"
#include "store.h"

/* Returns whether this table is that one. */
gboolean profile_is (const Table *table);
/* `properties` is how many of them are shown, the others are counted. */
void profile_put (Paper *paper, const Table *table, const char *input, guint properties);
