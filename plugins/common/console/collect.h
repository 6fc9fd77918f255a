/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h - a run for the sake of some tables. */
#pragma once

#include "run/config.h"
#include "table/table-store.h"

/* A run leaves this behind. */
typedef struct {
  NpTableStore *tables;
  guint64 gaps; /* rows of kind gap */
} NpCollected;

/* Makes the run that follows keep the tables of these names, which end in NULL; config->caller is
 * `collected` then. */
void np_collect (NpCollected *collected, const char *const *names, NpConfig *config);
void np_collected_clear (NpCollected *collected);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCollected, np_collected_clear)
