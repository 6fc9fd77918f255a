/* SPDX-License-Identifier: Apache-2.0 */
/* bidders.c - decoders that bid what the file tells them to: "NAME=BID" words. */

#include <nprof/sdk.h>

#include <stdlib.h>

static int
bid (const char *word, const void *head, size_t len)
{
  const char *text = head;
  size_t n = strlen (word);
  for (size_t i = 0; i + n < len; i++)
    if (memcmp (text + i, word, n) == 0)
      return atoi (text + i + n);
  return 0;
}

static int
probe_one (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return bid ("one=", head, len);
}

static int
probe_two (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) path;
  return size == len ? bid ("two=", head, len) : 1; /* it looks at the size as well */
}

static int
probe_three (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size;
  return strstr (path, ".three") ? 20 : bid ("three=", head, len);
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  (void) self, (void) data, (void) len;
  return NPROF_OK;
}

#define BIDDER(name_, probe_)                                                                      \
  (&(const struct nprof_component){ .size = sizeof (struct nprof_component),                       \
                                    .kind = NPROF_DECODER,                                         \
                                    .name = name_,                                                 \
                                    .summary = "bids what it is told",                             \
                                    .instance_size = 1,                                            \
                                    .probe = probe_,                                               \
                                    .decode = decode })

static const struct nprof_plugin plugin = {
  .size = sizeof plugin,
  .contract = NPROF_CONTRACT,
  .name = "bidders",
  .version = "1",
  .components
  = (const struct nprof_component *const[]){ BIDDER ("two", probe_two), BIDDER ("one", probe_one),
                                             BIDDER ("three", probe_three), NULL },
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
