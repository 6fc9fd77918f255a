/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - values of rows and tables as cells. */
#pragma once

#include "cell.h"

#include <glib.h>
#include <nprof/json.h>
#include <nprof/row.h>
#include <nprof/sdk.h>
#include <nprof/string-cache.h>

/* All files of a run are written so. */
struct csv_format {
  const struct nprof_host *host;
  struct csv_dialect dialect;
  struct nprof_string_cache texts; /* strings as cells                             */
  struct nprof_buf scratch;
  int time;                 /* CSV_NS ...                                   */
  guint64 split;
};

void csv_format_clear (struct csv_format *format);

/* Puts a string of the run as a cell. */
static inline void
csv_put_str (struct csv_format *format, struct nprof_buf *to, nprof_str str)
{
  struct nprof_cached_string made = nprof_string_cache_get (&format->texts, str);
  nprof_put (to, made.text, made.len);
  to->failed |= format->texts.failed;
}

static inline void
csv_put_u64 (struct csv_format *format, struct nprof_buf *to, guint64 u, int shift)
{
  size_t from = to->len;
  nprof_put_udecimal (to, u, (unsigned) shift, format->dialect.point);
  if (format->dialect.excel)
    csv_guard_number (to, from);
}

static inline void
csv_put_i64 (struct csv_format *format, struct nprof_buf *to, gint64 i, int shift)
{
  size_t from = to->len;
  nprof_put_decimal (to, i, (unsigned) shift, format->dialect.point);
  if (format->dialect.excel)
    csv_guard_number (to, from);
}

/* Puts x / 10^shift. */
void csv_put_double (struct csv_format *format, struct nprof_buf *to, double x, int shift);
/* Puts an attribute; nothing when its type is NPROF_NULL. */
void csv_put_field (struct csv_format *format, struct nprof_buf *to,
                    const struct nprof_field *field, int shift);
/* Puts a cell of a table; nothing when it is unknown. */
void csv_put_cell (struct csv_format *format, struct nprof_buf *to, const struct nprof_cell *cell,
                   int shift);
/* Puts the attributes without a column as one JSON object; nothing when there are none. */
void csv_put_rest (struct csv_format *format, struct nprof_buf *to,
                   const struct nprof_row_columns *row_columns);
