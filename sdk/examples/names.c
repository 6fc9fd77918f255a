/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - a whole sink: the duration in ps and the name of each span, a line each. */
#include <nprof/text-sink.h>

static nprof_status
names_consume (void *self, const struct nprof_batch *batch)
{
  struct nprof_text_sink *s = self;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN) {
      nprof_put_i64 (&s->text, batch->duration[i]);
      nprof_put_char (&s->text, '\t');
      nprof_text_sink_put (s, batch->name[i]);
      nprof_put_char (&s->text, '\n');
    }
  return nprof_text_sink_write (s);
}

static const struct nprof_component names = {
  .size = sizeof names,
  .kind = NPROF_SINK,
  .name = "names",
  .summary = "the duration in ps and the name of each span, a line each",
  .default_name = "names.txt",
  NPROF_TEXT_SINK (struct nprof_text_sink),
  .consume = names_consume,
};

NPROF_PLUGIN ("names", "1.0", "Apache-2.0", &names)
