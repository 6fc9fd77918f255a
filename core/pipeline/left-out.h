/* SPDX-License-Identifier: Apache-2.0 */
/* left-out.h - what a run goes on without: components and tables that nobody named and that cannot
 * be used, each said in one line. */
#pragma once

#include "run/run-state.h"

/* Says that the analyzer is left out because of *error, which is cleared, and returns TRUE; FALSE:
 * the user named it, so *error stays. */
gboolean np_leave_out (NpRun *run, NpSpec *spec, GError **error);
/* Says once which decoders could not be asked whether they know the inputs. */
void np_leave_out_decoders (NpRun *run);
/* Refuses the table to the component, a third party's that nobody named, and returns TRUE; FALSE:
 * it has to be an error. */
gboolean np_refuse_table (NpRun *run, const NpSpec *spec, const struct nprof_component *c,
                          const struct nprof_table *table, const char *owner);
/* Returns whether the table of this component may be refused to it. */
gboolean np_may_be_refused (NpRun *run, const NpSpec *spec, const struct nprof_component *c);
/* Returns what takes the place of an analyzer that could not be opened: reads all that it reads,
 * and does nothing. Transfer full. */
struct nprof_component *np_nothing_like (const struct nprof_component *c);
