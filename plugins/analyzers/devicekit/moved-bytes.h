/* SPDX-License-Identifier: Apache-2.0 */
/* moved-bytes.h - finds from the shapes of its arguments how many bytes an operator of PyTorch must
 * move that computes element by element, reduces, casts or copies. */
#ifndef AN_MOVED_BYTES_H
#define AN_MOVED_BYTES_H

#include <glib.h>

/* arguments: as KEY_ARGUMENTS of profile/product-names.h has them.  Every input is read once; the
 * result is written once, and is as large as the largest of them; a reduction writes nothing that
 * counts.  < 0: it is no such operator, or a size or a type is unknown. */
gint64 an_moved_bytes (const char *operator_name, const char *arguments);
/* Returns what it writes of that. */
gint64 an_written_bytes (const char *operator_name, const char *arguments);

#endif
