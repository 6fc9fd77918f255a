/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - on what a profile was recorded, as its tables state it. */
#pragma once

#include "stored/cells.h"

typedef struct {
  char *kinds;   /* of its devices, each once, in order, as table facts has them; NULL: unknown */
  guint devices; /* of table verdict, which are those that worked; 0: unknown                   */
} NpMachine;

void np_machine_read (NpMachine *machine, const NpCells *facts, const NpCells *verdict);
/* The same of the tables of a run. */
void np_machine_read_run (NpMachine *machine, const NpTableStore *tables);
void np_machine_clear (NpMachine *machine);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpMachine, np_machine_clear)

/* Returns whether something differs that both state. */
gboolean np_machine_differs (const NpMachine *a, const NpMachine *b);
gboolean np_machine_same (const NpMachine *a, const NpMachine *b);
/* Returns "8x H100", as a terminal may print it; transfer full. */
char *np_machine_text (const NpMachine *machine);
