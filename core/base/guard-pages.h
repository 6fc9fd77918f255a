/* SPDX-License-Identifier: Apache-2.0 */
/* guard-pages.h - memory that stops whoever goes beyond it: each piece ends at a page that nobody
 * may touch.  For checking plugins; a run never pays for it. */
#pragma once

#include <glib.h>

/* Returns address space of `size` bytes, none of which may be touched yet; NULL when there is
 * none. */
void *np_guard_map (gsize size);
void np_guard_unmap (void *memory, gsize size);
/* Lets nobody touch it any more; the memory is given back, its place is not. */
void np_guard_forbid (void *memory, gsize size);
gsize np_guard_page (void);
/* Makes the pages that hold these bytes readable (and, if `writable`, writable). */
void np_guard_allow (void *from, gsize len, gboolean writable);

/* Returns a copy of `len` bytes, read-only, whose last byte is the last that may be read.  NULL: no
 * memory. */
void *np_guard_copy (const void *data, gsize len);
void np_guard_free (void *copy, gsize len); /* the same len */
