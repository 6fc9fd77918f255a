/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - a decoder that does nothing but write rows: `spans` and three zeros, then two bytes each
 * of the ns since the start before and of the duration. Those in other languages do the same. */

#include <nprof/sdk.h>

typedef struct {
  const struct nprof_host *host;
} Spans;

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return len >= 8 && !memcmp (head, "spans\0\0", 8) ? 90 : 0;
}

static nprof_status
open_spans (void *self, const struct nprof_host *host)
{
  ((Spans *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  const struct nprof_host *host = ((Spans *) self)->host;
  struct nprof_writer *w = host->writer (host);
  const nprof_str name = nprof_intern (host, "span");
  const nprof_track track
      = host->track (host, 0, NPROF_TRACK_THREAD, nprof_intern (host, "lane"), 0, 0);
  if (!probe (data, len < 8 ? (size_t) len : 8, len, NULL))
    return nprof_fail (host, NPROF_E_FORMAT, "byte 0: expected `spans`");
  if (!w || !track)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for rows");
  uint64_t told = 0;
  int64_t start = 0;
  for (uint64_t at = 8; len - at >= 4; at += 4) {
    uint16_t span[2];
    memcpy (span, (const char *) data + at, sizeof span);
    start += span[0] * INT64_C (1000);
    nprof_status status = nprof_span (w, track, name, start, span[1] * INT64_C (1000));
    if (!status && at - told >= 1 << 20) {
      status = host->progress (host, told, at);
      told = at;
    }
    if (status)
      return status;
  }
  return host->progress (host, told, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "bench.spans-c",
  .summary = "two numbers a span",
  .formats = "spans",
  .instance_size = sizeof (Spans),
  .probe = probe,
  .open = open_spans,
  .decode = decode,
};

NPROF_PLUGIN ("spans-c", "1", "Apache-2.0", &decoder)
