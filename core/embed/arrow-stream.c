/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-stream.c - a run as a stream of Arrow: asks for batches, hands out arrays, and closes the
 * run when it is released. */

#include "embed/arrow-rows.h"
#include "embed/embed.h"

#include <errno.h>
#include <string.h>

typedef struct {
  nprof_run *run;
  NpArrowRows *rows; /* NULL: nobody has asked for anything yet */
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

/* The columns are known once the run has begun. */
static int
begin (Stream *self)
{
  if (self->rows)
    return 0;
  const struct nprof_host *host = np_run_wait_host (self->run);
  if (!host)
    return failed_run (self);
  self->rows = np_arrow_rows_new (host);
  return self->rows ? 0 : fail (self, ENOMEM, "no memory for the columns");
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

static int
get_next (struct ArrowArrayStream *stream, struct ArrowArray *out)
{
  Stream *self = stream->private_data;
  int code = begin (self);
  if (code)
    return code;
  struct nprof_run_item item = { .size = sizeof item };
  int more;
  do
    more = nprof_run_next (self->run, &item);
  while (more > 0 && !item.batch);
  if (more < 0)
    return failed_run (self);
  if (more == 0) {
    memset (out, 0, sizeof *out); /* released: the end */
    return 0;
  }
  return np_arrow_rows_array (self->rows, item.batch, out)
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
