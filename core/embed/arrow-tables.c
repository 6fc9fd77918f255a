/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-tables.c - the tables of a run that is over, each as a stream of Arrow that holds all it
 * needs: the run may be closed before it. */

#include "embed/arrow-cells.h"
#include "embed/embed.h"

#include <errno.h>
#include <string.h>

typedef struct {
  struct nprof_table table; /* a copy, for the schema */
  GPtrArray *columns;       /* of struct nprof_table_column, and NULL at the end */
  GPtrArray *arrays;        /* of struct ArrowArray */
  guint next;
} Stream;

/* -- The copy of a declaration --------------------------------------------- */

static void
free_column (gpointer data)
{
  struct nprof_table_column *column = data;
  if (!column)
    return;
  g_free ((char *) column->name);
  g_free ((char *) column->unit);
  g_free (column);
}

static void
copy_columns (Stream *self, const struct nprof_table *table)
{
  self->columns = g_ptr_array_new_with_free_func (free_column);
  for (guint c = 0; table->columns[c]; c++) {
    struct nprof_table_column *column = g_new0 (struct nprof_table_column, 1);
    column->type = table->columns[c]->type;
    column->name = g_strdup (table->columns[c]->name);
    column->unit = g_strdup (table->columns[c]->unit);
    g_ptr_array_add (self->columns, column);
  }
  g_ptr_array_add (self->columns, NULL);
  self->table.columns = (const struct nprof_table_column *const *) self->columns->pdata;
}

/* -- The stream ------------------------------------------------------------ */

static void
free_array (gpointer data)
{
  struct ArrowArray *array = data;
  if (array->release)
    array->release (array);
  g_free (array);
}

static int
get_schema (struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
  Stream *self = stream->private_data;
  return np_arrow_cells_schema (&self->table, out) ? 0 : ENOMEM;
}

static int
get_next (struct ArrowArrayStream *stream, struct ArrowArray *out)
{
  Stream *self = stream->private_data;
  memset (out, 0, sizeof *out); /* released: the end */
  if (self->next < self->arrays->len) {
    struct ArrowArray *array = g_ptr_array_index (self->arrays, self->next++);
    *out = *array;
    array->release = NULL; /* moved */
  }
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
  g_ptr_array_unref (self->arrays);
  g_ptr_array_unref (self->columns);
  g_free (self);
}

static void
release (struct ArrowArrayStream *stream)
{
  stream_free (stream->private_data);
  stream->release = NULL;
}

static gboolean
convert (Stream *self, const struct nprof_host *host, const GPtrArray *chunks)
{
  for (guint i = 0; i < chunks->len; i++) {
    struct ArrowArray *array = g_new0 (struct ArrowArray, 1);
    g_ptr_array_add (self->arrays, array);
    if (!np_arrow_cells_array (host, g_ptr_array_index (chunks, i), array))
      return FALSE;
  }
  return TRUE;
}

/* -- What the program calls ------------------------------------------------ */

const struct nprof_table *const *
nprof_run_tables (nprof_run *run)
{
  return run->complete && run->kept ? np_table_chunks_list (run->kept) : NULL;
}

static const struct nprof_table *
find_table (nprof_run *run, const char *name)
{
  const struct nprof_table *const *tables = nprof_run_tables (run);
  while (tables && *tables && strcmp ((*tables)->name, name) != 0)
    tables++;
  return tables ? *tables : NULL;
}

int
nprof_run_table_arrow (nprof_run *run, const char *name, struct ArrowArrayStream *stream)
{
  const struct nprof_table *table = find_table (run, name);
  if (!table)
    return ENOENT;
  Stream *self = g_new0 (Stream, 1);
  copy_columns (self, table);
  self->arrays = g_ptr_array_new_with_free_func (free_array);
  if (!convert (self, run->host, np_table_chunks_of (run->kept, name))) {
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
