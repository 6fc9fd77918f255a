/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h - the one list of signals that end a run in order, so that it leaves no temporary file,
 * and of those that are errors of a write instead. */
#pragma once

#include <signal.h>

/* Calls `handler` for SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU, but for those that the
 * caller of the program has it ignore (nohup); a second one ends the program at once.  SIGPIPE and
 * SIGXFSZ are ignored: write says EPIPE, EFBIG. */
void np_signals_catch (void (*handler) (int number));
/* Gives what ends a run its default in a child. */
void np_signals_default (void);
/* Adds the signals that end a run. */
void np_signals_add_ending (sigset_t *set);
