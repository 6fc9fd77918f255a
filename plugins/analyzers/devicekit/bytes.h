/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h - keeps a byte for each handle: what was found out of a string or a track, 0 until
 * then. */
#ifndef AN_BYTES_H
#define AN_BYTES_H

#include <glib.h>
#include <string.h>

/* Returns the byte of a handle; the array grows with the handles. */
static inline guint8 *
an_byte_of (GByteArray *bytes, guint32 handle)
{
  guint len = bytes->len;
  if (handle >= len) {
    g_byte_array_set_size (bytes, MAX (handle + 1, len * 2));
    memset (bytes->data + len, 0, bytes->len - len);
  }
  return bytes->data + handle;
}

#endif
