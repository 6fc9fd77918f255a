/* SPDX-License-Identifier: Apache-2.0 */
/* broken.c - components that break one rule each, and one that breaks none. */

#include <nprof/sdk.h>

typedef struct {
  int64_t a, b;
} Self;

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) head, (void) len, (void) size, (void) path;
  return 0;
}

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static nprof_status
save (void *self, struct nprof_output *out)
{
  (void) self, (void) out;
  return NPROF_OK;
}

static nprof_status
plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  (void) self, (void) data, (void) len, (void) n_parts;
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  (void) self, (void) data, (void) len;
  return NPROF_OK;
}

static nprof_status
decode_part (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  (void) self, (void) number, (void) part, (void) host;
  return NPROF_OK;
}

static nprof_status
join (void *self, uint32_t number, void *part, int failed)
{
  (void) self, (void) number, (void) part, (void) failed;
  return NPROF_OK;
}

#define COMPONENT(kind_, name_, ...)                                                               \
  (&(const struct nprof_component){                                                                \
      .size = sizeof (struct nprof_component), .kind = kind_, .name = name_, __VA_ARGS__ })
#define COMPONENTS(...) ((const struct nprof_component *const[]){ __VA_ARGS__, NULL })
#define WHOLE .summary = "breaks a rule", .instance_size = sizeof (Self), .consume = consume

static const struct nprof_table table = { .size = sizeof table, .name = "no columns" };

static const struct nprof_plugin plugin = {
  .size = sizeof plugin,
  .contract = NPROF_CONTRACT,
  .name = "broken",
  .version = "1",
  .components = COMPONENTS (
      COMPONENT (NPROF_SINK, "no-rule-broken", WHOLE), COMPONENT (NPROF_SINK, "Bad_Name", WHOLE),
      COMPONENT (NPROF_SINK, NULL, WHOLE),
      COMPONENT (NPROF_SINK, "two-lines", .summary = "a\nb", .instance_size = 1,
                 .consume = consume),
      COMPONENT (NPROF_SINK, "no-size", .summary = "s", .consume = consume),
      COMPONENT (NPROF_SINK, "no-consume", .summary = "s", .instance_size = 1),
      COMPONENT (NPROF_SINK, "bad-order", WHOLE, .order = 9),
      COMPONENT (NPROF_SINK, "bad-order-option", WHOLE, .order_option = "order",
                 .options = NPROF_OPTIONS (NPROF_INT_OPTION (Self, a, "order", "1", NULL, "help"))),
      COMPONENT (NPROF_ANALYZER, "bad-context", WHOLE, .order = NPROF_ORDER_TRACK,
                 .flags = NPROF_ANALYZER_CONTEXT),
      COMPONENT (NPROF_SINK, "no-default", WHOLE, .flags = NPROF_SINK_FILE),
      COMPONENT (NPROF_SINK, "outside", WHOLE, .flags = NPROF_SINK_FILE, .default_name = "../x"),
      COMPONENT (NPROF_SINK, "bad-option", WHOLE,
                 .options = NPROF_OPTIONS (NPROF_INT_OPTION (Self, a, "a", "10", "1..9", "help"))),
      COMPONENT (NPROF_SINK, "bad-type", WHOLE,
                 .options = NPROF_OPTIONS (NPROF_OPT (99, 0, "odd", "", NULL, "help"))),
      COMPONENT (NPROF_SINK, "twice", WHOLE), COMPONENT (NPROF_SINK, "twice", WHOLE),
      COMPONENT (NPROF_ANALYZER, "bad-attribute", WHOLE,
                 .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (0, "k", "", "help"))),
      COMPONENT (NPROF_ANALYZER, "same-attribute", WHOLE,
                 .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_INT64, "k", "", "help"),
                                                 NPROF_ATTRIBUTE (NPROF_INT64, "k", "", "help"))),
      COMPONENT (NPROF_ANALYZER, "bad-table", WHOLE,
                 .tables = (const struct nprof_table *const[]){ &table, NULL }),
      COMPONENT (NPROF_ANALYZER, "half-merge", WHOLE, .save = save),
      COMPONENT (NPROF_ANALYZER, "bad-wants", WHOLE, .wants = (const char *const[]){ "", NULL }),
      COMPONENT (NPROF_DECODER, "no-probe", WHOLE),
      COMPONENT (NPROF_DECODER, "no-decode", WHOLE, .probe = probe),
      COMPONENT (NPROF_DECODER, "half-parallel", WHOLE, .probe = probe, .plan = plan),
      COMPONENT (NPROF_DECODER, "both-ways", WHOLE, .probe = probe, .decode = decode, .plan = plan,
                 .decode_part = decode_part),
      COMPONENT (NPROF_DECODER, "join-alone", WHOLE, .probe = probe, .decode = decode,
                 .join = join),
      &(const struct nprof_component){ .size = 8 }),
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
