/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-capture.c - what programs answer and ask that nprof capture records: a frame of gRPC with a
 * ProfileResponse, and datagrams of libkineto. The first byte says which. What was found must lie
 * within the bytes. Built with libFuzzer, or with replay.c. */
#include "capture/grpc.h"
#include "capture/kineto-fabric.h"
#include "capture/xla-answer.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
demand (gboolean holds)
{
  if (!holds)
    abort ();
}

static gboolean
lies_within (const guint8 *part, gsize len, const guint8 *whole, gsize size)
{
  return !len || (part >= whole && len <= size && (gsize) (part - whole) <= size - len);
}

static void
try_answer (const guint8 *body, gsize len)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (NpXlaPiece));
  NpXlaAnswer answer = { .pieces = pieces };
  const guint8 *message = NULL;
  gsize size = 0, at = 0;
  if (np_grpc_unframe (body, len, &message, &size))
    return;
  demand (lies_within (message, size, body, len));
  demand (!np_xla_answer (message, size, &answer, &at) || at < size);
  for (guint i = 0; i < pieces->len; i++) {
    const NpXlaPiece *piece = &g_array_index (pieces, NpXlaPiece, i);
    demand (lies_within (piece->data, piece->size, message, size));
  }
}

static void
try_datagram (const guint8 *data, gsize len)
{
  NpFabricMessage message;
  if (np_fabric_parse (data, len, &message))
    demand (message.kind != NP_FABRIC_OTHER && message.n_pids >= 1
            && message.n_pids <= NP_FABRIC_PIDS);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (!size)
    return 0;
  g_autofree guint8 *own = g_memdup2 (data + 1, size - 1); /* so that a sanitizer sees its end */
  if (data[0] & 1)
    try_datagram (own, size - 1);
  else
    try_answer (own, size - 1);
  return 0;
}
