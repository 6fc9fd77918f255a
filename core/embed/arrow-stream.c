/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-stream.c - a run as a stream of Arrow: asks for batches, hands out arrays, and closes the
 * run when it is released. */

#include "arrow/rows.h"
#include "embed/embed.h"

#include <errno.h>
#include <string.h>

typedef struct {
  nprof_run *run;
  NpArrowRows *rows; /* NULL: nobody has asked for anything yet */
  char *problem;     /* with the columns that were asked for    */
  const char *error;
} Stream;

static int
fail (Stream *self, int code, const char *why)
{
  self->error = why;
  return code;
}

static int
failed_run (Stream *self)
{
  const char *said = nprof_run_messages (self->run);
  return fail (self, EIO, *said ? said : "the run failed");
}

/* The columns are known only once the run has begun. */
static int
begin (Stream *self)
{
  if (self->rows)
    return 0;
  const struct nprof_host *host = np_run_wait_host (self->run);
  if (!host)
    return failed_run (self);
  g_clear_pointer (&self->problem, g_free);
  self->rows = np_arrow_rows_new (host, (const char *const *) self->run->columns, &self->problem);
  return self->rows ? 0 : fail (self, EINVAL, self->problem);
}

static int
get_schema (struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
  Stream *self = stream->private_data;
  int code = begin (self);
  if (code)
    return code;
  return np_arrow_rows_schema (self->rows, out) ? 0
                                                : fail (self, ENOMEM, "no memory for the schema");
}

/* Adds batches until the array has the rows that were asked for, but at least one.  Returns 1; 0:
 * there were no more; -1: the run failed; ENOMEM. */
static int
add_batches (Stream *self)
{
  struct nprof_run_item item = { .size = sizeof item };
  int more;
  while ((more = nprof_run_next (self->run, &item)) > 0) {
    if (!item.batch)
      continue;
    if (!np_arrow_rows_add (self->rows, item.batch))
      return ENOMEM;
    if (np_arrow_rows_length (self->rows) >= self->run->array_rows)
      break;
  }
  return more;
}

static int
get_next (struct ArrowArrayStream *stream, struct ArrowArray *out)
{
  Stream *self = stream->private_data;
  int code = begin (self);
  if (code)
    return code;
  int more = add_batches (self);
  if (more < 0)
    return failed_run (self);
  if (more == 0 && np_arrow_rows_length (self->rows) == 0) {
    memset (out, 0, sizeof *out); /* released: the end */
    return 0;
  }
  return more != ENOMEM && np_arrow_rows_take (self->rows, out)
             ? 0
             : fail (self, ENOMEM, "no memory for the rows");
}

static const char *
get_last_error (struct ArrowArrayStream *stream)
{
  return ((Stream *) stream->private_data)->error;
}

static void
release (struct ArrowArrayStream *stream)
{
  Stream *self = stream->private_data;
  np_arrow_rows_free (self->rows);
  g_free (self->problem);
  nprof_run_close (self->run);
  g_free (self);
  stream->release = NULL;
}

void
nprof_run_arrow (nprof_run *run, struct ArrowArrayStream *stream)
{
  Stream *self = g_new0 (Stream, 1);
  self->run = run;
  *stream = (struct ArrowArrayStream){
    .get_schema = get_schema,
    .get_next = get_next,
    .get_last_error = get_last_error,
    .release = release,
    .private_data = self,
  };
}
