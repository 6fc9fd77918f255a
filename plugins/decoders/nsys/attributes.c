/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - begins rows, and gives them texts of the file. */
#include "nsys.h"

#include <string.h>

nprof_status
ns_row (Nsys *self, uint8_t kind, nprof_track track, nprof_str name, gint64 start, gint64 duration)
{
  if (!track)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a track");
  return nprof_row (self->w, kind, track, name, start, duration);
}

nprof_status
ns_attr_text (Nsys *self, nprof_str key, const char *text)
{
  gsize len = strlen (text);
  g_autofree char *valid
      = g_utf8_validate (text, (gssize) len, NULL) ? NULL : g_utf8_make_valid (text, (gssize) len);
  const char *plain = valid ? valid : text;
  return nprof_attr_bytes (self->w, key, NPROF_TEXT, plain, (uint32_t) strlen (plain));
}
