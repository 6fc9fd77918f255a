/* SPDX-License-Identifier: Apache-2.0 */
/* evict.h - room in the store: profiles that can be read again go, the least recently opened first. */
#pragma once

#include <glib.h>

/* Removes what may go until the store takes at most `most` bytes; keep: a profile that stays, or NULL.  FALSE, NP_EXIT_SINK: it
 * takes more still, and the error names what people could remove. */
gboolean np_evict (const char *store, guint64 most, const char *keep, GError **error);
