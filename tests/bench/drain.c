/* SPDX-License-Identifier: Apache-2.0 */
/* drain.c - the sink `drain`: wants every attribute and writes nothing, so that decoders decode
 * everything.  A plugin of the benchmark's own. */

#include <nprof/plugin.h>

static nprof_status
drain_consume (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static const char *const everything[] = { "*", NULL };

static const struct nprof_component drain = {
  .size = sizeof drain,
  .kind = NPROF_SINK,
  .name = "drain",
  .summary = "wants every attribute, writes nothing",
  .wants = everything,
  .instance_size = 1,
  .consume = drain_consume,
};

NPROF_PLUGIN ("drain", NPROF_VERSION, "Apache-2.0", &drain)
