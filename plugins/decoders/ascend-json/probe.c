/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - decides whether this is an array of trace events that Ascend's profilers wrote: by the
 * names of their layers, or by how torch_npu writes operators, which of a long file are all that
 * its head has. */
#include "layers.h"

#define BID_OWN 90

static bool
has (const char *p, size_t len, const char *text)
{
  return memmem (p, len, text, strlen (text)) != NULL;
}

int
aj_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  static const char *const marks[] = { "\"Ascend Hardware\"", "\"AscendCL@", "\"torch_to_npu\"",
                                       "\"HostToDevice", "\"enqueue_to_dequeue\"" };
  const char *p = head;
  (void) size, (void) path;
  if (!len || *p != '[' || !has (p, len, "\"ph\""))
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    if (has (p, len, marks[i]))
      return BID_OWN;
  /* Kineto writes no time as text, and msprof's collectives alone no layer of the hardware. */
  const bool operators = has (p, len, "\"Fwd thread id\"") && has (p, len, "\"ts\": \"");
  const bool collectives = has (p, len, "\"HCCL\"") && has (p, len, "\"task type\"");
  return operators || collectives ? BID_OWN : 0;
}
