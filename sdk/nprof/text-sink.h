/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/text-sink.h - what a sink of one text file has in common with others, header-only: its
 * instance, which begins with struct nprof_text_sink, or is one; its output, and the text of a
 * batch before it is written.
 *
 *   static const struct nprof_component mine = {
 *     .size = sizeof mine, .kind = NPROF_SINK, .name = "vendor.mine", .summary = "...",
 *     .default_name = "mine.txt", NPROF_TEXT_SINK (struct nprof_text_sink),
 *     .consume = mine_consume,
 *   };
 *
 * mine_consume puts text by format.h, and returns what nprof_text_sink_write returns. */
#ifndef NPROF_TEXT_SINK_H
#define NPROF_TEXT_SINK_H

#include <nprof/format.h>
#include <nprof/sdk.h>

struct nprof_text_sink {
  const struct nprof_host *host;
  struct nprof_output *output;
  struct nprof_buf text; /* not written yet */
};

/* The members of a component whose instance is of type T. */
#define NPROF_TEXT_SINK(T)                                                              \
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT, .instance_size = sizeof (T),            \
  .open = nprof_text_sink_open, .close = nprof_text_sink_close

static inline nprof_status
nprof_text_sink_open (void *self, const struct nprof_host *host)
{
  struct nprof_text_sink *s = (struct nprof_text_sink *) self;
  s->host = host;
  s->output = host->output (host, NULL);
  return s->output ? NPROF_OK : NPROF_E_IO;
}

/* Puts the text of a handle. */
static inline void
nprof_text_sink_put (struct nprof_text_sink *s, nprof_str str)
{
  size_t len;
  const char *text = s->host->string (s->host, str, &len);
  nprof_put (&s->text, text, len);
}

/* Writes what was put, and begins anew. */
static inline nprof_status
nprof_text_sink_write (struct nprof_text_sink *s)
{
  if (s->text.failed)
    return nprof_fail (s->host, NPROF_E_NOMEM, "no memory for the text");
  const nprof_status status
      = s->text.len ? s->output->write (s->output, s->text.data, s->text.len) : NPROF_OK;
  s->text.len = 0;
  return status;
}

static inline void
nprof_text_sink_close (void *self)
{
  nprof_buf_clear (&((struct nprof_text_sink *) self)->text);
}

#endif
