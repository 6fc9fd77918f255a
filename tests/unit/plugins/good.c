/* SPDX-License-Identifier: Apache-2.0 */
/* good.c - a plugin that keeps every rule: a decoder, an analyzer and a sink. */

#include <nprof/sdk.h>

typedef struct {
  int64_t level;
  const char *note;
  bool fast;
  int32_t codec;
} Self;

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) head, (void) len, (void) size, (void) path;
  return 0;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  (void) self, (void) data, (void) len;
  return NPROF_OK;
}

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static const struct nprof_table table = {
  .size = sizeof table,
  .name = "things",
  .title = "Things",
  .note = "",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "count", "", "how many")),
};

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "good",
  .summary = "reads nothing",
  .formats = "none",
  .options = NPROF_OPTIONS (NPROF_INT_OPTION (Self, level, "level", "3", "1..9", "how hard"),
                            NPROF_STRING_OPTION (Self, note, "note", "", "any text"),
                            NPROF_BOOL_OPTION (Self, fast, "fast", "no", "in a hurry"),
                            NPROF_CHOICE_OPTION (Self, codec, "codec", "zstd", "none|zstd|gzip",
                                                 "how to pack")),
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_INT64, "flops", "flop", "work done")),
  .instance_size = sizeof (Self),
  .probe = probe,
  .decode = decode,
};

static const struct nprof_component analyzer = {
  .size = sizeof analyzer,
  .kind = NPROF_ANALYZER,
  .name = "counter",
  .summary = "counts nothing",
  .tables = (const struct nprof_table *const[]){ &table, NULL },
  .wants = (const char *const[]){ "flops", NULL },
  .order = NPROF_ORDER_TRACK,
  .instance_size = 1,
  .consume = consume,
};

static const struct nprof_component sink = {
  .size = sizeof sink,
  .kind = NPROF_SINK,
  .name = "good",
  .summary = "writes nothing",
  .flags = NPROF_SINK_FILE,
  .default_name = "good.txt",
  .instance_size = 1,
  .consume = consume,
};

static const struct nprof_plugin plugin = {
  .size = sizeof plugin,
  .contract = NPROF_CONTRACT,
  .name = "good",
  .version = "1.2",
  .components = (const struct nprof_component *const[]){ &decoder, &analyzer, &sink, NULL },
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
