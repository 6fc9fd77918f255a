/* SPDX-License-Identifier: Apache-2.0 */
/* batch-rules.h - the rules of rows that are cheap enough to be looked at in every run. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

/* So many of each were handed out: handles are 1 .. that. */
typedef struct {
  guint strings, tracks, sets;
} NpHandles;

/* Says which row breaks which rule: transfer full, or NULL. */
char *np_batch_problem (const struct nprof_batch *batch, const NpHandles *handed);
