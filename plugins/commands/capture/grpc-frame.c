/* SPDX-License-Identifier: Apache-2.0 */
/* grpc-frame.c - gRPC's statuses and the frame around a message. */

#include "grpc.h"

#define HEAD 5 /* a byte: compressed?, and the length, big-endian */

char *
np_grpc_status_text (int status)
{
  static const char *const names[] = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"
  };
  return g_strdup_printf ("%s (%d)",
                          status >= 0 && (guint) status < G_N_ELEMENTS (names) ? names[status]
                                                                               : "unknown status",
                          status);
}

const char *
np_grpc_unframe (const guint8 *body, gsize len, const guint8 **message, gsize *size)
{
  if (len < HEAD)
    return "the answer ends within its frame";
  if (body[0])
    return "the answer is compressed, which was not asked for";
  *size = (gsize) body[1] << 24 | (gsize) body[2] << 16 | (gsize) body[3] << 8 | body[4];
  *message = body + HEAD;
  if (*size > len - HEAD)
    return "the answer is cut: less came than its frame says";
  return *size < len - HEAD ? "more than one message came" : NULL;
}
