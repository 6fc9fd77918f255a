/* SPDX-License-Identifier: Apache-2.0 */
/* free-later.h - frees on threads of their own what takes long to free: the pages of a large file
 * without a name, say, which the kernel gives back one by one. */
#pragma once

#include <glib.h>

typedef struct NpFreeLater NpFreeLater;

/* threads: FALSE: what is given is freed at once. */
NpFreeLater *np_free_later_new (gboolean threads);
/* Frees `data`, which nobody else uses any more, while the caller goes on.  NULL: nothing. */
void np_free_later (NpFreeLater *later, GDestroyNotify fn, gpointer data);
/* Waits until all is freed. */
void np_free_later_end (NpFreeLater *later);
