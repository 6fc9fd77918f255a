/* SPDX-License-Identifier: Apache-2.0 */
/* future.c - a plugin for a newer revision of the contract: longer structs, and a kind and
 * types that this one does not know. */

#include <nprof/sdk.h>

typedef struct {
  struct nprof_component known;
  void (*unheard_of) (void);
} Component;

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static const struct nprof_option known
    = { sizeof known, NPROF_OPT_BOOL, "known", "yes or no", "no" };
static const struct nprof_option strange = { sizeof strange, 99, "strange", "from tomorrow", "" };
static const struct nprof_attribute dated = { sizeof dated, 77, "dated", "", "from tomorrow" };

static const Component sink = {
  .known = {
    .size = sizeof sink,
    .kind = NPROF_SINK,
    .name = "future",
    .summary = "a newer struct",
    .options = (const struct nprof_option *const[]) { &strange, &known, NULL },
    .attributes = (const struct nprof_attribute *const[]) { &dated, NULL },
    .instance_size = 1,
    .consume = consume,
  },
};

static const struct nprof_component viewer = {
  .size = sizeof viewer,
  .kind = 7,
  .name = "viewer",
  .summary = "a kind from tomorrow",
  .instance_size = 1,
};

static const struct nprof_plugin plugin = {
  .size = sizeof plugin + 16,
  .contract = NPROF_CONTRACT + 1,
  .least = NPROF_CONTRACT,
  .name = "future",
  .version = "9",
  .components = (const struct nprof_component *const[]){ &sink.known, &viewer, NULL },
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
