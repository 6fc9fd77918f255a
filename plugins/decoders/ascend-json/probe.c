/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - decides whether this is an array of trace events that Ascend's profilers wrote: by the
 * names of their layers, or by how torch_npu writes operators, which of a long file are all that
 * its head has. */
#include "layers.h"

#include "json/text.h"

#define BID_OWN 90

int
aj_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  static const char *const marks[] = { "\"Ascend Hardware\"", "\"AscendCL@", "\"torch_to_npu\"",
                                       "\"HostToDevice", "\"enqueue_to_dequeue\"" };
  const char *p = head;
  (void) size, (void) path;
  if (!len || *p != '[' || !te_mentions (p, len, "\"ph\""))
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    if (te_mentions (p, len, marks[i]))
      return BID_OWN;
  /* Kineto writes no time as text, and msprof's collectives alone no layer of the hardware. */
  const bool operators
      = te_mentions (p, len, "\"Fwd thread id\"") && te_mentions (p, len, "\"ts\": \"");
  const bool collectives
      = te_mentions (p, len, "\"HCCL\"") && te_mentions (p, len, "\"task type\"");
  return operators || collectives ? BID_OWN : 0;
}
