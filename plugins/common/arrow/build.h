/* SPDX-License-Identifier: Apache-2.0 */
/* build.h - schemas and arrays of the Arrow C data interface that own all they point to.  Out
 * of memory is FALSE or NULL; what was built so far is then released by its owner. */
#pragma once

#include <glib.h>
#include <nprof/nprof.h>

/* Fills in a schema; all texts are copied, and n_children children are allocated for the caller to
 * fill. */
gboolean np_schema_init (struct ArrowSchema *schema, const char *format, const char *name,
                         gboolean nullable, guint n_children);
/* Makes it a dictionary of utf8; its own format is that of the indices. */
gboolean np_schema_add_dictionary (struct ArrowSchema *schema);

gboolean np_array_init (struct ArrowArray *array, gint64 length, guint n_buffers,
                        guint n_children);
/* Returns buffer i, cleared, which is freed with the array. */
void *np_array_buffer (struct ArrowArray *array, guint i, gsize bytes);
/* Makes this memory of malloc buffer i and takes it over; NULL stands for no memory needed. */
gboolean np_array_take_buffer (struct ArrowArray *array, guint i, void *memory);
/* Returns an empty dictionary of `length` texts, for the caller to fill. */
struct ArrowArray *np_array_add_dictionary (struct ArrowArray *array, gint64 length);

static inline void
np_bit_set (guint8 *bits, gsize i)
{
  bits[i >> 3] = (guint8) (bits[i >> 3] | 1u << (i & 7));
}
