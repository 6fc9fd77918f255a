/* SPDX-License-Identifier: Apache-2.0 */
/* launched.h - the modules of PyTorch around the launch of work: calls of modules are spans of a
 * host's threads, and work has the correlation id of the call that launched it, as table modules
 * has them. */
#pragma once

#include "ask.h"

typedef struct NpLaunched NpLaunched;

#define NP_NO_MODULE G_MAXUINT32

/* Finds the launches of a profile.  NULL: the query's error says why not. */
NpLaunched *np_launched_new (NpAsk *ask);
void np_launched_free (NpLaunched *launched);

/* Returns the innermost module around the launch of a row; NP_NO_MODULE: there is none, or the row
 * is no launched work. */
guint32 np_launched_module (const NpLaunched *launched, NpAsk *ask,
                            const struct nprof_event *event);
/* Returns the path of a module, "Net_0/Linear_1"; *outer is the one around it, or NP_NO_MODULE. */
const char *np_module_path (const NpLaunched *launched, guint32 module, guint32 *outer);
/* Has any host called a module? */
gboolean np_has_modules (const NpLaunched *launched);
/* Is it a profile of PyTorch's, by the categories of its rows? */
gboolean np_is_pytorch (NpAsk *ask);
/* Are there more launches than are kept? */
gboolean np_launched_is_full (const NpLaunched *launched);
