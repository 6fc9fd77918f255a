/* SPDX-License-Identifier: Apache-2.0 */
/* old.c - a plugin whose component ends before abort, with other bytes behind it. */

#include <nprof/plugin.h>

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static nprof_status
finish (void *self)
{
  (void) self;
  return NPROF_OK;
}

static void
not_a_member (void *self)
{
  (void) self;
}

static const struct nprof_component sink = {
  .size = offsetof (struct nprof_component, abort),
  .kind = NPROF_SINK,
  .name = "old",
  .summary = "an older struct",
  .instance_size = 1,
  .consume = consume,
  .finish = finish,
  .abort = not_a_member,
  .close = not_a_member,
};

static const struct nprof_plugin plugin = {
  .size = sizeof plugin,
  .contract = 1,
  .name = "old",
  .version = "0",
  .components = (const struct nprof_component *const[]){ &sink, NULL },
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
