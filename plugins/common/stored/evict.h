/* SPDX-License-Identifier: Apache-2.0 */
/* evict.h - makes room in the store: profiles that can be read again are removed, the least
 * recently opened first. */
#pragma once

#include <glib.h>

/* Removes profiles until the store takes at most `most` bytes; `keep` is a profile that stays, or
 * NULL.  FALSE, NP_EXIT_SINK: it takes more still, and the error names what people could remove. */
gboolean np_evict (const char *store, guint64 most, const char *keep, GError **error);
