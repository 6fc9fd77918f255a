/* SPDX-License-Identifier: Apache-2.0 */
/* process-state.h - the state of the process that a component must leave as it was: folder, locale,
 * umask, rounding, environment, signals, limits. */
#pragma once

#include <glib.h>

#define NP_PROCESS_STATES 8

typedef struct {
  char *text[NP_PROCESS_STATES]; /* owned */
} NpProcessState;

void np_process_state_take (NpProcessState *state);
void np_process_state_clear (NpProcessState *state);
/* Says what differs, a line each; transfer full, or NULL. */
char *np_process_state_changes (const NpProcessState *before, const NpProcessState *after);
