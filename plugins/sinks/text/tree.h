/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h - prints table `tracks` as a tree: children below their parent, set off by blanks. */
#pragma once

#include "store.h"

/* Returns a table to print instead, finished; transfer full.  NULL when the rows are no tree: other
 * columns, sorted, or a parent that is not among them. */
Table *tree_new (const Table *tracks);
