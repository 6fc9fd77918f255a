/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - a whole sink: the duration in ps and the name of each span, a line each. */
#include <inttypes.h>
#include <nprof/sdk.h>

struct names {
  const struct nprof_host *host;
  struct nprof_output *out;
};

static nprof_status
names_open (void *self, const struct nprof_host *host)
{
  struct names *n = self;
  n->host = host;
  n->out = host->output (host, NULL);
  return n->out ? NPROF_OK : NPROF_E_IO;
}

static nprof_status
names_consume (void *self, const struct nprof_batch *batch)
{
  struct names *n = self;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; !status && i < batch->n_rows; i++) {
    size_t len;
    char number[32];
    const char *name = n->host->string (n->host, batch->name[i], &len);
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    int digits = snprintf (number, sizeof number, "%" PRId64 "\t", batch->duration[i]);
    status = n->out->write (n->out, number, (size_t) digits);
    status = status ? status : n->out->write (n->out, name, len);
    status = status ? status : n->out->write (n->out, "\n", 1);
  }
  return status;
}

static const struct nprof_component names = {
  .size = sizeof names,
  .kind = NPROF_SINK,
  .name = "names",
  .summary = "the duration in ps and the name of each span, a line each",
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "names.txt",
  .instance_size = sizeof (struct names),
  .open = names_open,
  .consume = names_consume,
};

NPROF_PLUGIN ("names", "1.0", "Apache-2.0", &names)
