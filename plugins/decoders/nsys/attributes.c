/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - gives a row what its table says beside the columns that have places of their own:
 * each under the column's name, NULL left out. */
#include "nsys.h"

#include <string.h>

static nprof_status
add (NsRows *rows, int column)
{
  struct nprof_writer *w = rows->self->w;
  nprof_str key = rows->rest[column];
  switch (sqlite3_column_type (rows->in.stmt, column)) {
  case SQLITE_INTEGER:
    return nprof_attr_int (w, key, sqlite3_column_int64 (rows->in.stmt, column));
  case SQLITE_FLOAT:
    return nprof_attr_double (w, key, sqlite3_column_double (rows->in.stmt, column));
  case SQLITE_TEXT:
    return nprof_attr_str (w, key, nprof_intern (rows->self->host, ns_text (rows, column)));
  default: /* NULL; nothing that is read keeps bytes */
    return NPROF_OK;
  }
}

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

nprof_status
ns_rest (NsRows *rows)
{
  nprof_status status = NPROF_OK;
  for (int i = 0; i < rows->in.n && !status; i++)
    if (!rows->used[i] && rows->rest[i])
      status = add (rows, i);
  return status;
}
