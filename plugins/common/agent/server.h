/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - the Model Context Protocol over two files, a message a line, in both of its eras. */
#pragma once

#include "agent/agent.h"

/* What clients are told before they decide; at most 512 characters. */
extern const char np_server_instructions[];

/* Answers what comes from `in` until it ends, or `stop` is set; FALSE: `out` takes nothing more. */
gboolean np_server_run (NpAgent *agent, int in, int out, const atomic_int *stop);

/* -- Calls: calls.c ---------------------------------------------------------------------------- */

/* Calls that wait for their turn or run, on threads of their own. */
typedef struct _NpCalls NpCalls;
typedef void (*NpCallDone) (NpCall *call);

/* done: is given each call that was not cancelled, on its thread, and does not keep it. */
NpCalls *np_calls_new (NpCallDone done);
/* Takes the call, which the client calls `id`; FALSE: too many wait, and it stays the caller's. */
gboolean np_calls_add (NpCalls *calls, NpCall *call, const char *id);
/* Ends the call of this id, which gets no answer; of another nothing happens. */
void np_calls_cancel (NpCalls *calls, const char *id);
/* Ends all of them, and frees. */
void np_calls_free (NpCalls *calls);
