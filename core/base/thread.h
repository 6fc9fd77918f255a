/* SPDX-License-Identifier: Apache-2.0 */
/* thread.h - threads that write numbers as C does, whatever locale the program has set. */
#pragma once

#include <glib.h>
#include <pthread.h>

/* Begins fn (user) on a thread of its own, which is joined as any; FALSE: there is none. */
gboolean np_thread_begin (pthread_t *thread, void *(*fn) (void *), void *user);
