/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-tables.c - the tables of a run that is over, each as a stream of Arrow that holds all it
 * needs: the run may be closed before it. */

#include "arrow/cells.h"
#include "embed/embed.h"
#include "rows/table.h"

#include <errno.h>
#include <string.h>

typedef struct {
  struct nprof_table *table; /* a copy, for the schema */
  struct ArrowArray rows;    /* released: there are none, or they were handed out */
} Stream;

/* -- The stream ------------------------------------------------------------ */

static int
get_schema (struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
  Stream *self = stream->private_data;
  return np_arrow_cells_schema (self->table, out) ? 0 : ENOMEM;
}

static int
get_next (struct ArrowArrayStream *stream, struct ArrowArray *out)
{
  Stream *self = stream->private_data;
  *out = self->rows; /* moved; once more, it is released: the end */
  memset (&self->rows, 0, sizeof self->rows);
  return 0;
}

static const char *
get_last_error (struct ArrowArrayStream *stream)
{
  (void) stream;
  return "no memory for the schema";
}

static void
stream_free (Stream *self)
{
  if (self->rows.release)
    self->rows.release (&self->rows);
  np_table_free (self->table);
  g_free (self);
}

static void
release (struct ArrowArrayStream *stream)
{
  stream_free (stream->private_data);
  stream->release = NULL;
}

/* -- What the program calls ------------------------------------------------ */

const struct nprof_table *const *
nprof_run_tables (nprof_run *run)
{
  return run->complete && run->kept ? np_table_store_list (run->kept) : NULL;
}

int
nprof_run_table_arrow (nprof_run *run, const char *name, struct ArrowArrayStream *stream)
{
  const NpTable *stored = nprof_run_tables (run) ? np_table_store_find (run->kept, name) : NULL;
  if (!stored)
    return ENOENT;
  Stream *self = g_new0 (Stream, 1);
  self->table = np_table_copy (stored->schema);
  if (stored->n_rows && !np_arrow_cells_array (stored, &self->rows)) {
    stream_free (self);
    return ENOMEM;
  }
  *stream = (struct ArrowArrayStream){
    .get_schema = get_schema,
    .get_next = get_next,
    .get_last_error = get_last_error,
    .release = release,
    .private_data = self,
  };
  return 0;
}
